"""The assumption whole_run_flops_utilization, made again from the seed: the share of their peak that whole published
runs of dense models had, restarts and evaluations included."""
import csv
import pathlib
import statistics

import pytest

RUNS = pathlib.Path(__file__).parents[2] / "sql/seed/measurement_whole_run.csv"
MIXTURES = ("deepseek", "llama-4")


def utilization(server, run):
    model, gpu = (server.get(path).json for path in (f"/v1/models/{run['model']}", f"/v1/gpus/{run['gpu']}"))
    flop = 6 * model["parameters"] * float(run["tokens"])
    return flop / (float(run["measured"]) * 3600 * gpu["peak_bf16_dense_tflops"] * 1e12)


def test_the_assumption_is_what_the_runs_had(server):
    with open(RUNS, newline="", encoding="utf-8") as file:
        dense = [run for run in csv.DictReader(file) if not run["model"].startswith(MIXTURES)]
    assert len(dense) == 25
    shares = sorted(utilization(server, run) for run in dense)
    row, = server.get("/v1/assumptions", key="whole_run_flops_utilization").json["rows"]
    tenths = statistics.quantiles(shares, n=10, method="inclusive")
    for name, found in (("low", tenths[0]), ("default", statistics.median(shares)), ("high", tenths[-1])):
        assert row[name] == pytest.approx(found, abs=0.006), (name, shares)
