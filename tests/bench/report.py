"""RESULTS.md: sections that a run writes anew, all others left as they are."""
import datetime
import math
import os
import pathlib
import re
import statistics

RESULTS = pathlib.Path(__file__).resolve().parent / "RESULTS.md"


def table(header, rows):
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def number(value):
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def exponent(points):
    """The exponent of x that fits y best: 0 is flat, 1 linear."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (statistics.mean(values) for values in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


class Load:
    """How busy the machine is while something is measured, ourselves included."""

    def __init__(self):
        self.start, self.seen = self._busy(), datetime.datetime.now()

    @staticmethod
    def _busy():
        values = [int(value) for value in open("/proc/stat", encoding="ascii").readline().split()[1:]]
        return sum(values) - values[3] - values[4], sum(values)

    def text(self):
        busy, whole = (end - start for end, start in zip(self._busy(), self.start))
        return (f"Measured {self.seen:%Y-%m-%d %H:%M}, {os.cpu_count()} cores, of which {100 * busy / max(whole, 1):.0f} % "
                f"were busy; load average at the end {os.getloadavg()[0]:.1f}.")


def write(title, text):
    """Put the text under its title, in place of what was there."""
    old = RESULTS.read_text() if RESULTS.exists() else "# Measured\n"
    part = f"## {title}\n\n{text.strip()}\n"
    found = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", old, re.MULTILINE | re.DOTALL)
    new = old[:found.start()] + part + "\n" + old[found.end():] if found else old.rstrip() + "\n\n" + part
    RESULTS.write_text(new.rstrip() + "\n")
