"""The points that other tools validate themselves on, with their error and ours."""

import statistics

import runs
from predictor import Predictor

# What a peer publishes of itself where it gives no figure per point.
PUBLISHED = {
    "calculon": "mean 3.65 %, largest 8.87 % (calculon llm-validation, commit caa4b11)",
    "simumax": "per point, docs/b200/b200_release_v1.2_summary.md, commit 4dcaae5",
}


FOLD = {"calculon": "megatron_lm", "simumax": "simumax_b200"}  # in measurement_training.csv


def off(row, seconds):
    return float(seconds) / float(row["step_seconds"]) - 1


def compare(refits):
    """A row per point: predicted / measured - 1 with the current constants, with those of a fit
    that was not shown the point's family, and of the peer where it publishes it."""
    rows = runs.load("peers.csv")
    with Predictor("peers.csv") as predict:
        shown = predict()
        unseen = {peer: predict(refits[fold]) for peer, fold in FOLD.items()}
    return [{**row, "ours": off(row, shown[i]), "unseen": off(row, unseen[row["peer"]][i]),
             "theirs": off(row, row["peer_seconds"]) if row["peer_seconds"] else None}
            for i, row in enumerate(rows)]


def summary(errors):
    size = [abs(error) for error in errors]
    return (f"mean {100 * statistics.mean(size):.2f} %, largest {100 * max(size):.1f} %, "
            f"bias {100 * statistics.mean(errors):+.1f} %")


def table(peer, points):
    """Every point of one peer, and a closing row with the summary of both."""
    mine = [point for point in points if point["peer"] == peer]
    rows = [[point["id"], f"{float(point['step_seconds']):.4g}", f"{100 * point['ours']:+.1f} %",
             f"{100 * point['unseen']:+.1f} %",
             f"{100 * point['theirs']:+.1f} %" if point["theirs"] is not None else "-"]
            for point in mine]
    theirs = [point["theirs"] for point in mine if point["theirs"] is not None]
    rows.append(["all", "", summary([point["ours"] for point in mine]),
                 summary([point["unseen"] for point in mine]),
                 summary(theirs) if theirs else PUBLISHED[peer]])
    return ["point", "measured, s", "gpuplan", "family left out", peer], rows
