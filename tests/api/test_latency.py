"""Percentiles of latency: of requests that arrive, with the spread of their lengths."""

import pytest

from answers import codes

QUESTION = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", input_tokens=1000, output_tokens=300)
PERCENTILES = ("latency_p50_seconds_estimate", "latency_p95_seconds_estimate",
               "time_to_first_token_p95_seconds_estimate")


def ask(server, **params):
    return server.answer("/v1/inference-sizing", **(QUESTION | params)).json


def test_percentiles_have_an_order_and_an_interval(server):
    got = ask(server, requests_per_minute=300)
    p50, p95, first = (got[name] for name in PERCENTILES)
    assert first < p50 < p95
    for name in PERCENTILES:
        assert got[name + "_low"] < got[name] < got[name + "_high"]


def test_the_spread_of_lengths_is_that_of_traces_and_an_input(server):
    load = dict(requests_per_minute=300)
    usual = ask(server, **load)
    assert {name: usual["inputs"][name]["value"] for name in ("input_tokens_cv", "output_tokens_cv")
            } == {"input_tokens_cv": 0.96, "output_tokens_cv": 0.77}
    alike = ask(server, **load, input_tokens_cv=0, output_tokens_cv=0)
    wide = ask(server, **load, output_tokens_cv=2)
    p50, p95, first = PERCENTILES
    assert alike[p95] < 1.3 * alike[p50], "all do the same work"
    assert usual[p95] > 2 * usual[p50] and wide[p95] > 1.3 * usual[p95]
    assert ask(server, **load, input_tokens_cv=2)[first] > usual[first] > alike[first]


@pytest.mark.parametrize("load", [dict(batch_size=16), dict(concurrent_requests=64), {}])
def test_nothing_arrives_so_no_percentile(server, load):
    got = ask(server, **load)
    assert all(got[name + end] is None for name in PERCENTILES for end in ("", "_low", "_high"))
    assert "closed_loop_limit" not in codes(got)
    limited = ask(server, **load, latency_p95_seconds=60)
    assert limited["meets_latency"] is True and "closed_loop_limit" in codes(limited)


@pytest.mark.parametrize("limit, field", [
    (dict(latency_p95_seconds=30), "latency_p95_seconds_estimate"),
    (dict(time_to_first_token_seconds_max=0.35), "time_to_first_token_p95_seconds_estimate")])
def test_a_limit_is_held_against_the_percentile(server, limit, field):
    free, kept = (ask(server, requests_per_minute=3000, **more) for more in ({}, limit))
    allowed, = limit.values()
    assert free[field] > allowed >= kept[field] and kept["gpu_count"] > free["gpu_count"]
    fewer = ask(server, requests_per_minute=3000, **limit, replica_count=kept["replica_count"] - 1,
                tensor_parallel=kept["tensor_parallel"], pipeline_parallel=kept["pipeline_parallel"])
    assert fewer["meets_latency"] is False and fewer[field] > allowed


def test_more_arrives_and_all_wait_longer(server):
    design = dict(tensor_parallel=8, pipeline_parallel=1, replica_count=1)
    answers = [ask(server, **design, requests_per_minute=rate) for rate in (1, 30, 100, 200)]
    for name in PERCENTILES:
        values = [answer[name] for answer in answers]
        assert values == sorted(values) and values[0] < values[-1]
