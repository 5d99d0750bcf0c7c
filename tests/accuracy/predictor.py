"""The estimates themselves: the C program tests/accuracy/predict.c, kept running."""

import array
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

import runs

PROGRAMS = pathlib.Path(os.environ.get("MEASURE", "build/release/accuracy"))


class Predictor:
    """Predicted step seconds of every run of a file, for any values of the constants."""

    def __init__(self, name=runs.TRAINING, unstated=(), program="predict", options=()):
        """`unstated` are columns taken as blank: what a caller might not know of a run."""
        self.file = runs.path(name)
        self.blanked = self.blank(unstated) if unstated else None
        self.process = subprocess.Popen(
            [PROGRAMS / program, self.blanked.name if self.blanked else self.file, *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def blank(self, unstated):
        rows = runs.load(self.file.name)
        assert all(isinstance(name, str) for name in unstated), unstated
        out = tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8", newline="")
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows({**row, **{name: "" for name in unstated if name in row}} for row in rows)
        out.flush()
        return out

    def ask(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def line(self, asked):
        """The figures, one a run, that answer a line (figures.h)."""
        self.ask(asked)
        count = self.process.stdout.read(8)
        if not count:
            raise SystemExit("the program ended; it says why above")
        return array.array("d", self.process.stdout.read(8 * int.from_bytes(count, sys.byteorder)))

    def __call__(self, constants=None):
        return self.line(" ".join(f"{key}={value!r}" for key, value in (constants or {}).items()))

    def details(self):
        """A row per run: seconds, 80 % interval, strategy and lines, with the current constants."""
        self.ask("details")
        lines = iter(self.process.stdout.readline, b"\n")
        return list(csv.DictReader(map(bytes.decode, lines), delimiter=";"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        if self.blanked:
            self.blanked.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
