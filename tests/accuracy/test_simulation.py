"""The percentiles of the estimate against a simulation of the same replica (simulate.py)."""

import json
import math
import os
import pathlib
import subprocess

import pytest

import simulate

PROGRAM = pathlib.Path(os.environ.get("MEASURE", "build/release/accuracy")) / "replicas"
DESIGNS, REQUESTS, SEED = 60, 3000, 7


@pytest.fixture(scope="module")
def errors():
    """By percentile, estimate over simulation less 1: replicas that read prompts at most half of
    the time and rarely have all places taken."""
    found = {"p50": [], "p95": [], "ttft_p95": []}
    printed = subprocess.run([PROGRAM, str(DESIGNS), str(SEED)], capture_output=True, text=True,
                             check=True).stdout
    for number, line in enumerate(printed.splitlines()):
        table = json.loads(line)
        if table["prompts_share"] < 0.5 and table["slot_chance"] < 0.001:
            measured = simulate.percentiles(table, REQUESTS, number)
            for name, values in found.items():
                values.append(table[name] / measured[name] - 1)
    return found


@pytest.mark.parametrize("name, near, share", [("p50", 0.05, 0.75), ("p95", 0.10, 0.7),
                                               ("ttft_p95", 0.15, 0.7)])
def test_most_are_near(errors, name, near, share):
    values = errors[name]
    assert len(values) > DESIGNS / 2
    assert sum(abs(value) <= near for value in values) >= share * len(values), sorted(values)
    assert abs(sorted(values)[len(values) // 2]) < 0.03


def test_requests_alone_take_what_they_take():
    """One prompt at a time on an idle replica, lengths all alike: no queue, no spread."""
    table = dict(rate=1e-3, input_tokens=100, output_tokens=11, input_cv=0, output_cv=0,
                 max_tokens=math.inf, tokens_per_step=1, pass_tokens=8192, most=4, batch=0,
                 fixed=0.5, host=0.25, contexts=[1, 1000], steps=[[1, 0.1, 0.1], [4, 0.1, 0.1]],
                 prompts=[[50, 1, 1.5], [100, 2, 2.5]])
    measured = simulate.percentiles(table, 200, 1)
    assert measured["ttft_p95"] == pytest.approx(2.75)
    assert measured["p50"] == pytest.approx(3.75)


def test_a_queue_is_that_of_pollaczek_and_khinchin():
    """Prompts all alike and nothing written: M/D/1, which waits rho / (2 (1 - rho)) of a service."""
    table = dict(rate=0.5, input_tokens=100, output_tokens=1, input_cv=0, output_cv=0,
                 max_tokens=math.inf, tokens_per_step=1, pass_tokens=100, most=10000, batch=1,
                 fixed=0, host=0, contexts=[1, 1000], steps=[[1, 0, 0], [4, 0, 0]],
                 prompts=[[50, 0.5, 0.5], [100, 1, 1]])
    first, _ = simulate.Replica(table).run(40000, 1)
    assert sum(first) / len(first) == pytest.approx(1.5, rel=0.03)
