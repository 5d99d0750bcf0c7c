"""Where requests wait for a slot, how many do and for how long is uncertain: a limit on first tokens is kept all the
same, what that costs is said, and without a limit the percentile has a wide interval."""

import pytest

from explanations import explained

FULL = dict(model="qwen3-8b", gpu="rtx-4090", requests_per_minute=1005, input_tokens=467, output_tokens=2289,
            peak_load_ratio_max=1, router="random", tensor_parallel=1, pipeline_parallel=1)
LIMIT = dict(time_to_first_token_seconds_max=2.18)
FIRST = "time_to_first_token_p95_seconds_estimate"


def ask(server, **more):
    return server.answer("/v1/inference-sizing", **FULL, **more).json


def said(answer, code):
    return next((warning["detail"] for warning in answer["warnings"] if warning["code"] == code), None)


def test_a_limit_on_first_tokens_leaves_slots_free_and_says_at_what_cost(server):
    chosen = ask(server, **LIMIT)
    assert chosen["meets_latency"] and chosen["binding_constraint"] == "slots"
    fewer = int(said(chosen, "slots_kept_free").split()[0])
    assert fewer < chosen["gpu_count"]
    stated = ask(server, **LIMIT, gpu_count=fewer)
    assert stated[FIRST] < LIMIT["time_to_first_token_seconds_max"] and not stated["meets_latency"]
    assert stated["reason"].startswith("Too slow at times: about ")


def test_without_a_limit_the_percentile_is_called_uncertain(server):
    full = ask(server, gpu_count=80)
    assert "time_to_first_token_seconds_max" in said(full, "slots_run_out")
    assert full[FIRST + "_low"] < full[FIRST] / 4
    free = ask(server, gpu_count=120)
    assert said(free, "slots_run_out") is None and free[FIRST + "_low"] > free[FIRST] / 3


@pytest.mark.parametrize("limit", [dict(latency_p95_seconds=300), {}])
def test_whole_requests_need_no_such_caution(server, limit):
    """Their estimate is nowhere over 15 % early by it."""
    assert said(ask(server, **limit), "slots_kept_free") is None


def test_the_interval_is_explained(server):
    explained(ask(server, gpu_count=80, explain=1))
    explained(ask(server, **LIMIT, explain=1))
