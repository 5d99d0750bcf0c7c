"""How far the memory of serving is from what engines were measured to take, and from what fitted.

Other columns of serving_memory.csv than shape and format say how the framework allocates, by its
code: `cache_tokens` of each sequence have a place, `pass_tokens` are computed at once,
`score_bytes` are written per head, query and key by attention that is not fused (AutoAWQ 10: 16
bit, a copy in 32 and the softmax of it; ExLlama under PyTorch 2.0 4; llama.cpp 4), `load_copy`
joins matrices on reading, `program_bytes` the benchmark itself holds, `host_embedding` leaves the
embedding on the host. `scored` 0: something the bytes depend on was not stated or is contradicted, as `note`
says.
"""

import csv
import subprocess

import numpy

import runs
from predictor import PROGRAMS

ROWS = runs.HERE / "serving_memory.csv"


def read():
    """The rows, each with `estimate` (bytes) and `estimate_fits`."""
    with open(ROWS, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = subprocess.run([PROGRAMS / "serving_memory"], cwd=runs.HERE.parents[1], text=True,
                           stdout=subprocess.PIPE, check=True).stdout.splitlines()
    for row, line in zip(rows, lines, strict=True):
        name, estimate, fits = line.split()
        assert name == row["id"]
        row["estimate"], row["estimate_fits"] = float(estimate), fits
    return rows


def errors(rows):
    return numpy.array([row["estimate"] / float(row["measured_bytes"]) - 1 for row in rows])


def measured(rows, scored=True):
    """Rows with measured bytes. Those that are scored state all that the bytes depend on; the others are
    of engines that do not say what they were given."""
    return [row for row in rows if row["measured_bytes"] and (row["scored"] == "1") == scored]


def fit_tests(rows):
    return [row for row in rows if row["kind"] == "fit" and row["scored"] == "1"]


def right(rows):
    """The share of the fit tests whose answer is what was observed."""
    return float(numpy.mean([row["estimate_fits"] == row["fits"] for row in rows]))


def groups(rows):
    """Rows by group and kind, in the order of the file."""
    out = {}
    for row in rows:
        out.setdefault((row["group"], row["kind"]), []).append(row)
    return out


def percent(value, sign=""):
    return f"{100 * value:{sign}.1f}"


def line(name, kind, rows):
    each = errors(rows)
    size = abs(each)
    return [name, kind, len(rows), percent(size.mean()), percent(numpy.median(size)),
            percent(size.max()), percent(each.mean(), "+")]


def tables():
    """(title, header, rows) of each table of the report."""
    rows = read()
    body = [line(*key, group) for key, group in groups(measured(rows)).items()]
    body.append(line("all scored", "", measured(rows)))
    body += [line(f"({key[0]})", key[1], group)
             for key, group in groups(measured(rows, scored=False)).items()]
    yield ("Memory of serving, %", ["source", "counts", "rows", "mean", "median", "worst", "bias"],
           body)
    tests = fit_tests(rows)
    body = [[key[0], len(group), percent(right(group))] for key, group in groups(tests).items()]
    body.append(["all", len(tests), percent(right(tests))])
    yield "Fits or not, right in %", ["source", "rows", "right"], body
    wrong = [row for row in tests if row["estimate_fits"] != row["fits"]]
    if wrong:
        header = ["row", "model", "format", "GPUs", "it did", "needs GB", "note"]
        yield ("Fit tests answered wrongly", header,
               [[row["id"], row["model"], row["weight_dtype"],
                 f"{row['gpu_count']} x {row['gpu'] or row['gpu_memory_bytes']}", row["fits"],
                 f"{row['estimate'] / 1e9:.2f}", row["note"]] for row in wrong])


if __name__ == "__main__":
    for title, header, body in tables():
        print(f"\n{title}")
        for row in [header, *body]:
            print(" | ".join(f"{cell!s:>10}" for cell in row))
