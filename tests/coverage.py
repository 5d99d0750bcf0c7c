#!/usr/bin/python3
"""OUT [FOLDER...]: what the tests of MODE=cov have run, lines and branches of each folder of service/.
For the folders named, also each branch never taken, as an editor reads it: file:line: taken of all."""
import collections
import json
import pathlib
import subprocess
import sys


def files(out):
    """Each source file as gcov sees it."""
    notes = sorted(map(str, pathlib.Path(out, "service").rglob("*.gcno")))
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *notes],
                          check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        yield from json.loads(line)["files"]


def lines(out):
    """(file, line) -> whether it ran, and how often each of its branches was taken."""
    seen = {}
    for file in files(out):
        name = file["file"].removeprefix("./")
        for line in file["lines"]:
            ran, taken = seen.get((name, line["line_number"]), (False, []))
            more = [branch["count"] > 0 for branch in line["branches"]]
            both = [a or b for a, b in zip(taken, more)] if len(taken) == len(more) else taken + more
            seen[name, line["line_number"]] = (ran or line["count"] > 0, both)
    return {place: what for place, what in seen.items() if place[0].startswith("service/")}


def percent(part, whole):
    return f"{part:6d} of {whole:6d} {100 * part / max(whole, 1):5.1f} %"


def main():
    out, *named = sys.argv[1:]
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for (name, number), (ran, taken) in sorted(lines(out).items()):
        folder = pathlib.PurePath(name).parent.name
        for key in (folder, "all"):
            for i, more in enumerate((ran, 1, sum(taken), len(taken))):
                sums[key][i] += more
        if folder in named and not all(taken):
            print(f"{name}:{number}: {sum(taken)} of {len(taken)}")
    for key, (ran, n, taken, m) in sorted(sums.items(), key=lambda entry: (entry[0] == "all", entry)):
        print(f"{key:10} lines {percent(ran, n)}   branches {percent(taken, m)}")


main()
