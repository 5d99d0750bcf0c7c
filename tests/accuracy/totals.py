"""Whole runs: predicted GPU-hours and those that were reported."""

import assumptions
import runs
from predictor import Predictor


def gpu_hours(row, step_seconds, goodput):
    steps = float(row["tokens"]) / (float(row["sequence_tokens"])
                                    * float(row["global_batch_sequences"]))
    return steps * step_seconds * float(row["gpu_count"]) / 3600 / goodput


def compare():
    """A row per run with predicted hours, their interval and the ratio to the reported ones. Hours
    as billed include failures: there the catalogue's goodput counts, and not in a benchmark."""
    usual = float(assumptions.read()["goodput", ""]["value"])
    rows = runs.load("totals.csv")
    with Predictor("totals.csv") as predict:
        details = predict.details()
    out = []
    for row, plan in zip(rows, details):
        goodput = float(row["goodput"] or usual)
        middle, low, high = (gpu_hours(row, float(plan[key]), goodput)
                             for key in ("seconds", "low", "high"))
        reported = float(row["reported_gpu_hours"])
        out.append({**row, "predicted": middle, "ratio": middle / reported,
                    "inside": low <= reported <= high, "strategy": plan["strategy"]})
    return out


def table():
    header = ["run", "reported GPU-hours", "predicted", "ratio", "in the interval", "strategy",
              "assumed", "remark"]
    return header, [[row["id"], f"{float(row['reported_gpu_hours']):,.0f}",
                     f"{row['predicted']:,.0f}", f"{row['ratio']:.2f}",
                     "yes" if row["inside"] else "no", row["strategy"], row["assumed"] or "-",
                     row["remark"]] for row in compare()]
