"""Time per output token of served models: how far off, also for a model or GPU left out.

The runs are those of a closed loop at a fixed concurrency. Left out of served.csv are, of the 2,006
published rows: 358 that are the same measurement again, 72 with attention data parallelism, 66
collected by hand under vLLM that contradict one another, 57 faster than their own configuration by
1.3 or more (speculative decoding, not labelled), 11 where the limit of the server set the time to
first token, 6 of DeepSeek at 85 ms and few requests, 6 whose degrees do not fit together.
"""

import numpy

import fit
import runs
import score
from predictor import Predictor

FILE, CONSTANTS = "served.csv", "served_constants.csv"


def engine(row):
    return row["engine"]


def model(row):
    return row["model"]


def gpu(row):
    return row["gpu"]


def kind(row):
    return "dense" if row["model"].startswith("llama") else "mixture"


def precision(row):
    return row["weight_dtype"]


def concurrency(row):
    number = int(row["concurrent_requests"])
    return next(name for most, name in ((4, "1 to 4"), (16, "5 to 16"), (64, "17 to 64"),
                                        (10**9, "over 64")) if number <= most)


def errors_of_all(rows, predict):
    """With the constants in force, and with each model and GPU left out of a refit."""
    problem = fit.Fit(predict, rows, CONSTANTS)
    x = problem.solve()
    errors = {"in force": problem.errors(), "refitted, in sample": problem.errors(x)}
    for name, group in (("model out", model), ("GPU out", gpu)):
        errors[name], _ = problem.leave_out(group, x)
    return errors


def factors(predict):
    """The product's own interval: every run's factor."""
    return numpy.array(predict.line("interval"))


def tables():
    """Title, header and rows of each table."""
    rows = runs.load(FILE)
    percent = lambda value: f"{100 * value:.1f}"
    cells = lambda s: [s["rows"], percent(s["median"]), percent(s["mean"]), percent(s["p90"]),
                       f"{100 * s['bias']:+.1f}"]
    header = ["rows", "median", "mean", "p90", "bias"]
    with Predictor(FILE, program="serve") as predict:
        errors, u = errors_of_all(rows, predict), factors(predict)
    yield (f"Time per output token of {len(rows)} measured runs, %", ["errors", *header],
           [[name, *cells(score.score(rows, each))] for name, each in errors.items()])
    within = numpy.abs(errors["in force"]) <= numpy.log(u)
    yield ("Inside its 80 % interval, %", ["runs", "share"],
           [["all", percent(within.mean())]] +
           [[name, percent(within[[kind(row) == name for row in rows]].mean())]
            for name in ("dense", "mixture")])
    for title, group in (("engine", engine), ("GPU", gpu), ("model", model), ("kind", kind),
                         ("precision", precision), ("concurrency", concurrency)):
        yield (f"Time per output token per {title}, in force, %", [title, *header],
               [[name, *cells(each)]
                for name, each in score.by(group, rows, errors["in force"]).items()])
