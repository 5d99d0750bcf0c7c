"""A run of the caller's own corrects the training plan, fading with what differed in it."""

import math

import pytest

from answers import figures

PLAN = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", gpu_count=256, stack="megatron",
            precision="bf16", tokens=1e12, global_batch_sequences=1024)


def plan(server, **asked):
    return server.answer("/v1/training-plan", **PLAN | asked).json


@pytest.fixture(scope="module")
def plain(server):
    return plan(server)


@pytest.mark.parametrize("slower", [0.8, 1.1, 1.5])
def test_the_estimate_moves_towards_the_run(server, plain, slower):
    """By nearly all of what the same run says in the logarithm; the line without it is there."""
    asked = plan(server, measured_step_seconds=slower * plain["step_seconds"])
    assert 0.87 <= math.log(asked["correction_factor"]) / math.log(slower) < 1
    assert asked["correction_run_count"] == 1
    assert asked["step_seconds"] == pytest.approx(
        plain["step_seconds"] * asked["correction_factor"], rel=1e-4)
    for name in ("step_seconds", "tokens_per_second_per_gpu", "gpu_hours", "days", "total_cost"):
        assert asked[name + "_uncorrected"] == pytest.approx(plain[name], rel=1e-9), name
    assert asked["run_cost"] == pytest.approx(plain["run_cost"] * asked["correction_factor"], rel=1e-3)
    assert asked["minimum_term_days"] > 0  # the rest of the bill is rounded to whole days


def test_its_lines_add_up_and_its_interval_is_narrower(server, plain):
    asked = plan(server, measured_step_seconds=1.2 * plain["step_seconds"])
    lines = [line for line in asked["line_items"] if line["group"] == "time"
             and line["value"] is not None]
    assert sum(line["value"] for line in lines) == pytest.approx(asked["step_seconds"], rel=1e-5)
    assert "correction" in {line["key"] for line in lines}
    stated = plan(server, **{name: plain[name] for name in ("tensor_parallel", "pipeline_parallel")}, recompute="none")
    wide = math.log(stated["step_seconds_high"] / stated["step_seconds_low"])
    narrow = math.log(asked["step_seconds_high"] / asked["step_seconds_low"])
    assert 0.4 * wide < narrow < 0.7 * wide


def test_throughput_says_the_same_as_the_step(server, plain):
    slower = plain["tokens_per_second_per_gpu"] / 1.3
    by_rate = plan(server, measured_tokens_per_second_per_gpu=slower)
    by_time = plan(server, measured_step_seconds=1.3 * plain["step_seconds"])
    assert by_rate["correction_factor"] == pytest.approx(by_time["correction_factor"], rel=1e-5)


def test_a_run_that_differed_counts_less(server, plain):
    """The same error of a run of other length, on fewer GPUs: each takes away of the correction."""
    factors = []
    for other in ({}, dict(measured_gpu_count=64, measured_global_batch_sequences=256),
                  dict(measured_gpu_count=64, measured_global_batch_sequences=256,
                       measured_sequence_tokens=16384)):
        own = {name.removeprefix("measured_"): value for name, value in other.items()}
        step = plan(server, **own)["step_seconds"]
        asked = plan(server, measured_step_seconds=1.4 * step, **other)
        factors.append(asked["correction_factor"])
    assert 1.4 > factors[0] > factors[1] > factors[2] > 1


@pytest.mark.parametrize("asked", [dict(measured_step_seconds=30),
                                   dict(measured_tokens_per_second_per_gpu=500),
                                   dict(measured_step_seconds=40, measured_gpu_count=128)])
def test_without_measurements_the_answer_is_the_one_without(server, plain, asked):
    assert figures(plan(server, use_measurements=0, **asked)) == figures(plain)


@pytest.mark.parametrize("factor, rule", [(1e-3, "unit"), (1e3, "unit"), (0.05, "below_physics")])
def test_a_run_that_cannot_be_is_refused(server, plain, factor, rule):
    """Faster than the peak, or in milliseconds: refused with the bound, not averaged in."""
    reply = server.get("/v1/training-plan", **PLAN,
                       measured_step_seconds=factor * plain["step_seconds"])
    error, = reply.json["errors"]
    assert reply.status in (400, 422)
    assert (error["parameter"], error["code"]) == ("measured_step_seconds", rule)
    assert ("1,000" if rule == "unit" else "peak") in error["detail"]


def test_two_ways_of_saying_it_are_one_too_many(server, plain):
    reply = server.get("/v1/training-plan", **PLAN, measured_step_seconds=10,
                       measured_tokens_per_second_per_gpu=500)
    assert reply.status in (400, 422) and reply.json["errors"]


def test_a_run_of_one_gpu_does_not_correct_options_on_others(server):
    reply = server.get("/v1/training-plan/options", model="llama-3.1-8b", tokens=1e10,
                       measured_step_seconds=3)
    assert reply.json["errors"][0]["parameter"] == "measured_step_seconds"


@pytest.mark.parametrize("gpus, per_gpu", [(256, 600), (2048, 800)])
def test_the_rate_of_all_gpus_is_named(server, gpus, per_gpu):
    """Training tools print both: the figure to enter is said, and without an exponent."""
    reply = server.get("/v1/training-plan", **PLAN | {"gpu_count": gpus, "global_batch_sequences": 2048},
                       measured_tokens_per_second_per_gpu=gpus * per_gpu)
    error, = reply.json["errors"]
    assert (reply.status, error["code"]) == (400, "unit"), reply.text
    assert f"that of all {gpus} GPUs? Enter that of one, {per_gpu}" in error["detail"]
    assert "e+" not in error["detail"]


@pytest.mark.parametrize("path, asked, alone", [
    ("/v1/training-plan", PLAN, {"measured_gpu_count": 64}),
    ("/v1/training-plan", PLAN, {"measured_sequence_tokens": 8192,
                                 "measured_global_batch_sequences": 128}),
    ("/v1/inference-sizing", {"model": "llama-3.1-8b", "gpu": "h100-sxm5-80gb"},
     {"measured_concurrent_requests": 64, "measured_input_tokens": 1000,
      "measured_output_tokens": 1000, "measured_tensor_parallel": 2,
      "measured_pipeline_parallel": 1, "measured_attention_data_parallel": 1})])
def test_what_differed_in_no_run_is_refused(server, path, asked, alone):
    reply = server.get(path, **asked, **alone)
    assert reply.status == 400, reply.text
    assert {error["parameter"] for error in reply.json["errors"]} == set(alone)
    assert all("no run is given" in error["detail"] for error in reply.json["errors"])


def test_a_corrected_token_that_takes_not_the_factor_longer_says_why(server):
    """Slower tokens leave more requests in flight: the factor holds at one load."""
    asked = dict(model="gpt-oss-120b", engine="vllm", gpu="h100-sxm5-80gb", requests_per_minute=600, peak_load_ratio_max=1)
    run = dict(measured_output_tokens_per_second=1627, measured_concurrent_requests=64,
               measured_tensor_parallel=4, measured_input_tokens=922, measured_output_tokens=922)
    answer = server.get("/v1/inference-sizing", **asked, **run).json
    before, after = (answer["time_per_output_token_seconds" + end] for end in ("_uncorrected", ""))
    assert after > 1.1 * before * answer["correction_factor"]
    assert f"takes {before:.4g} s, corrected {after:.4g} s with " in answer["correction_sentence"]


def test_a_share_for_a_rate_is_named(server):
    """A share of the peak in place of tokens per second: 28,000 times too slow."""
    reply = server.get("/v1/training-plan", **PLAN, measured_tokens_per_second_per_gpu=0.04)
    error, = reply.json["errors"]
    assert (reply.status, error["code"]) == (400, "unit") and "or a share?" in error["detail"]
