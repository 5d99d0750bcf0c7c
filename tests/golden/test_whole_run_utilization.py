"""The assumption whole_run_flops_utilization, made again from the seed: the share of their peak that whole published
runs of dense models had, restarts and evaluations included."""
import csv
import pathlib
import statistics

import pytest

RUNS = pathlib.Path(__file__).parents[2] / "sql/seed/measurement_whole_run.csv"
MIXTURES = ("deepseek", "llama-4")


def parameters(server, run):
    """The catalogue's model, or the shape that the row states if the catalogue has no such model."""
    if run["model"]:
        return server.get(f"/v1/models/{run['model']}").json["parameters"]
    layers, hidden, heads, kv_heads, head_dim, ffn, gated, vocab, tied = (
        float(run[name]) for name in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn_width", "gated",
                                      "vocab", "tied"))
    layer = 2 * hidden * head_dim * (heads + kv_heads) + hidden * ffn * (3 if gated else 2)
    return layers * layer + vocab * hidden * (1 if tied else 2)


def utilization(server, run):
    gpu = server.get(f"/v1/gpus/{run['gpu']}").json
    flop = 6 * parameters(server, run) * float(run["tokens"])
    return flop / (float(run["measured"]) * 3600 * gpu["peak_bf16_dense_tflops"] * 1e12)


def test_the_assumption_is_what_the_runs_had(server):
    with open(RUNS, newline="", encoding="utf-8") as file:
        dense = [run for run in csv.DictReader(file) if not run["model"].startswith(MIXTURES) and not run["experts"]]
    assert len(dense) == 40
    shares = sorted(utilization(server, run) for run in dense)
    row, = server.get("/v1/assumptions", key="whole_run_flops_utilization").json["rows"]
    tenths = statistics.quantiles(shares, n=10, method="inclusive")
    for name, found in (("low", tenths[0]), ("default", statistics.median(shares)), ("high", tenths[-1])):
        assert row[name] == pytest.approx(found, abs=0.006), (name, shares)
