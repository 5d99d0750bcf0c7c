"""Published GPU-hours of whole runs compared with their plans: the fit of calendar_ratio, and its table.

Each plan is given the model, the GPUs, the tokens and what the source says about the software, recomputation,
attention and how model and batch were divided: a run of 2022 without fused attention is slow for that reason, not
because of its calendar. The GPU-hours of a plan before calendar_ratio are those of its steps divided by the
catalogue's goodput. The ratio is the median of published over planned GPU-hours; its interval would hold four of five
further runs, less what the interval of the step explains already: that of a step with the plan's own settings, as the
ratio holds what these runs lose by slower ones. The fit uses runs whose number of GPUs is stated;
the others, and GPU-hours that were announced and not run, are in the table and in the share of all runs.
"""

import math
import statistics

import numpy

import assumptions
import runs
from predictor import Predictor

FILE = "measurement_whole_run.csv"
KEY = ("calendar_ratio", "")
SHARE = 0.8


def hours():
    """A row per run: GPU-hours of the steps with their interval, before calendar_ratio."""
    goodput = float(assumptions.read()["goodput", ""]["value"])
    rows, out = runs.load(FILE), []
    with Predictor(FILE) as predict:
        for row, plan in zip(rows, predict.details()):
            steps = float(row["tokens"]) / float(plan["tokens_per_second_per_gpu"]) / 3600 / goodput
            seconds = float(plan["seconds"])
            out.append({**row, "hours": steps, "low": float(plan["run_low"]) / seconds,
                        "high": float(plan["run_high"]) / seconds, "strategy": plan["strategy"],
                        "mixture": bool(row["experts"]) or row["model"] in runs.mixtures()})
    return out


def middle(values):
    """The ends between which one more run like these lies with a probability of 80 %: whatever the distribution, on
    average a share of r / (n + 1) of all such runs lies below the run of rank r among n."""
    values, n, tail = sorted(values), len(values), (1 - SHARE) / 2
    at = lambda share: numpy.interp(share * (n + 1), range(1, n + 1), values)
    return float(at(tail)), float(at(1 - tail))


def outward(value, end):
    """With three decimals, as in the catalogue, rounded outwards: an interval that ends at a run keeps that run."""
    return f"{end(1000 * math.exp(value)) / 1000:.3f}"


def complete(row):
    """Whether the hours are of a run, and the source says on how many GPUs."""
    return not any(words in row["note"] for words in ("number of GPUs is assumed", "not a measured run"))


def fitted(of):
    """Low, value and high of the ratio, without mixtures of experts: the errors of their steps are larger."""
    dense = [row for row in of if not row["mixture"] and complete(row)]
    ratios = [math.log(float(row["measured"]) / row["hours"]) for row in dense]
    value = math.log(round(math.exp(statistics.median(ratios)), 3))
    low, high = middle(ratios)
    step_low, step_high = (statistics.median(math.log(row[key]) for row in dense)
                           for key in ("low", "high"))
    rest = lambda tail, step: math.sqrt(max(0, (tail - value) ** 2 - step ** 2))
    return {"low": outward(value - rest(low, step_low), math.floor), "value": f"{math.exp(value):.3f}",
            "high": outward(value + rest(high, step_high), math.ceil)}


def planned(row, calendar):
    """GPU-hours of the plan with their interval; the errors of step and calendar are independent. Mixtures of experts
    have a calendar ratio of 1 with the same spread."""
    ratio = float(calendar["value"])
    both = lambda step, end: math.hypot(math.log(step), math.log(float(end) / ratio))
    middle = row["hours"] * (1 if row["mixture"] else ratio)
    return (middle, middle * math.exp(-both(row["low"], calendar["low"])),
            middle * math.exp(both(row["high"], calendar["high"])))


def compare():
    """A row per run: published GPU-hours, those of the plan with their interval, and whether they are inside."""
    calendar = assumptions.read()[KEY]
    out = []
    for row in hours():
        middle, low, high = planned(row, calendar)
        published = float(row["measured"])
        out.append({**row, "published": published, "middle": middle, "low": low, "high": high,
                    "inside": low <= published <= high})
    return out


def unseen(only=complete):
    """Share of runs inside an interval that was fitted without them."""
    of = hours()
    scored = [row for row in of if only(row)]
    inside = 0
    for row in scored:
        middle, low, high = planned(row, fitted([each for each in of if each is not row]))
        inside += low <= float(row["measured"]) <= high
    return inside / len(scored)


def table():
    header = ["run", "published GPU-hours", "plan", "low", "high", "published / plan", "inside",
              "strategy", "why, or what is known of it", "source"]
    return header, [[row["id"], f"{row['published']:,.0f}", f"{row['middle']:,.0f}",
                     f"{row['low']:,.0f}", f"{row['high']:,.0f}",
                     f"{row['published'] / row['middle']:.2f}", "yes" if row["inside"] else "no",
                     row["strategy"], row["note"], row["source"]] for row in compare()]
