"""A run of the caller's own corrects the sizing, fading with what differed in it."""

import math

import pytest

from answers import figures
from explanations import check_figures, check_lines, explained

SIZING = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", engine="vllm", weight_dtype="fp8",
              tensor_parallel=4, replica_count=1, concurrent_requests=32, input_tokens=1024,
              output_tokens=512)
# For the time to the first token: a share of the same run, fading for each factor of two.
STRENGTH, BATCH, LENGTH, GPUS = 0.95, 0.21, 0.5, 0.34
REPEATED = 0.985  # of the time per token: the least share of the same run
TOKEN, FIRST, RATE = ("measured_time_per_output_token_seconds",
                      "measured_time_to_first_token_seconds", "measured_output_tokens_per_second")


def sizing(server, **asked):
    return server.answer("/v1/inference-sizing", **SIZING | asked).json


@pytest.fixture(scope="module")
def plain(server):
    return sizing(server)


@pytest.mark.parametrize("slower", [0.9, 1.1, 1.5])
def test_the_estimate_moves_towards_the_run(server, plain, slower):
    """By nearly all of what the same run says in the logarithm; the figures without it are there."""
    asked = sizing(server, **{TOKEN: slower * plain["time_per_output_token_seconds"]})
    factor = asked["correction_factor"]
    assert REPEATED <= math.log(factor) / math.log(slower) < 1
    assert asked["correction_run_count"] == 1
    assert asked["time_per_output_token_seconds"] == pytest.approx(
        factor * plain["time_per_output_token_seconds"], rel=2e-3)
    for name in ("gpu_count", "time_per_output_token_seconds", "time_to_first_token_seconds",
                 "output_tokens_per_second"):
        assert asked[name + "_uncorrected"] == pytest.approx(plain[name], rel=1e-9), name


def test_the_first_token_has_a_factor_of_its_own(server, plain):
    asked = sizing(server, **{FIRST: 2 * plain["time_to_first_token_seconds"]})
    assert asked["correction_factor"] == pytest.approx(1)
    assert asked["first_token_correction_factor"] == pytest.approx(2 ** STRENGTH, rel=1e-4)
    assert asked["time_to_first_token_seconds"] == pytest.approx(
        plain["time_to_first_token_seconds"] * 2 ** STRENGTH, rel=1e-3)
    assert asked["time_per_output_token_seconds"] == plain["time_per_output_token_seconds"]
    both = sizing(server, **{FIRST: 2 * plain["time_to_first_token_seconds"],
                             TOKEN: 1.2 * plain["time_per_output_token_seconds"]})
    assert both["time_to_first_token_seconds"] == pytest.approx(
        asked["time_to_first_token_seconds"], rel=2e-3)
    assert REPEATED <= math.log(both["correction_factor"]) / math.log(1.2) < 1


def test_throughput_says_the_same_as_time_per_token(server, plain):
    asked = sizing(server, **{RATE: plain["output_tokens_per_second"] / 1.3})
    assert REPEATED <= math.log(asked["correction_factor"]) / math.log(1.3) < 1
    assert asked["output_tokens_per_second"] == pytest.approx(
        plain["output_tokens_per_second"] / asked["correction_factor"], rel=2e-3)


def test_intervals_narrow_by_what_was_learnt(server, plain):
    """Times per token by a run that states them, first tokens by a run that states those."""
    def width(answer, name):
        return math.log(answer[name + "_high"] / answer[name + "_low"])

    token = sizing(server, **{TOKEN: 1.2 * plain["time_per_output_token_seconds"]})
    first = sizing(server, **{FIRST: 1.2 * plain["time_to_first_token_seconds"]})
    for name, by, other, share in (
            ("time_per_output_token_seconds", token, first, 0.58),
            ("time_to_first_token_seconds", first, token, 0.2 * STRENGTH ** 0.5)):
        assert width(by, name) == pytest.approx((1 - share) * width(plain, name), rel=1e-2)
        assert width(other, name) == pytest.approx(width(plain, name), rel=1e-3)


@pytest.mark.parametrize("other, apart", [
    (dict(concurrent_requests=4), 3 * BATCH), (dict(tensor_parallel=8), GPUS),
    (dict(input_tokens=4096, output_tokens=2048), 2 * LENGTH)])
def test_a_run_that_differed_counts_less(server, other, apart):
    """The same error of a run of other load, degree or length."""
    own = sizing(server, **other)
    measured = {"measured_" + name: value for name, value in other.items()}
    asked = sizing(server, **{FIRST: 1.4 * own["time_to_first_token_seconds"]}, **measured)
    assert math.log(asked["first_token_correction_factor"]) == pytest.approx(
        STRENGTH * math.exp(-apart) * math.log(1.4), rel=1e-3)
    asked = sizing(server, **{TOKEN: 1.4 * own["time_per_output_token_seconds"]}, **measured)
    assert 0.1 < math.log(asked["correction_factor"]) / math.log(1.4) < 0.95


@pytest.mark.parametrize("measured, least, most", [(32, 1, 1), (4, 1.03, 1.03 ** 3), (128, 0.95, 0.99)])
def test_a_run_as_estimated_is_moved_along_the_trend(server, measured, least, most):
    """vLLM's times per token grow with the requests in flight by 2.75 % a doubling more than the
    estimate: the error of a run is moved to the load asked for."""
    own = sizing(server, concurrent_requests=measured)["time_per_output_token_seconds"]
    asked = sizing(server, measured_concurrent_requests=measured, **{TOKEN: own})
    assert least - 1e-4 <= asked["correction_factor"] <= most + 1e-4


def test_a_slower_run_takes_more_gpus_and_a_faster_one_no_more(server):
    """The design follows the corrected times, not only the figures shown."""
    load = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", engine="vllm", weight_dtype="fp8",
                requests_per_minute=1200, input_tokens=1024, output_tokens=512,
                tokens_per_second_per_user_min=25)
    run = dict(measured_concurrent_requests=32)
    free = server.get("/v1/inference-sizing", **load).json
    one = sizing(server, tensor_parallel=free["tensor_parallel"])["time_per_output_token_seconds"]
    counts = [server.get("/v1/inference-sizing", **load, **run,
                         **{TOKEN: slower * one}).json["gpu_count"] for slower in (0.9, 1.3, 1.7)]
    assert counts == sorted(counts) and counts[0] <= free["gpu_count"] < counts[2]


def test_a_load_that_is_a_rate_needs_the_requests_of_the_run(server):
    reply = server.get("/v1/inference-sizing", model="llama-3.1-70b", gpu="h100-sxm5-80gb",
                       requests_per_minute=600, **{TOKEN: 0.03})
    error, = reply.json["errors"]
    assert (error["parameter"], error["code"]) == ("measured_concurrent_requests",
                                                   "missing_parameter")


@pytest.mark.parametrize("asked", [{TOKEN: 0.04}, {FIRST: 1.5},
                                   {RATE: 900, "measured_concurrent_requests": 64}])
def test_without_measurements_the_answer_is_the_one_without(server, plain, asked):
    assert figures(sizing(server, use_measurements=0, **asked)) == figures(plain)


@pytest.mark.parametrize("name, figure, factor, rule", [
    (TOKEN, "time_per_output_token_seconds", 1000, "unit"),
    (FIRST, "time_to_first_token_seconds", 4000, "unit"),
    (TOKEN, "time_per_output_token_seconds", 0.001, "unit"),
    (TOKEN, "time_per_output_token_seconds", 0.1, "below_physics"),
    (RATE, "output_tokens_per_second", 0.001, "unit"),
    (RATE, "output_tokens_per_second", 50, "below_physics"),
    (FIRST, "time_to_first_token_seconds", 0.03, "below_physics")])
def test_a_run_that_cannot_be_is_refused(server, plain, name, figure, factor, rule):
    """Milliseconds, or beyond bandwidth and peak: refused with the bound, not averaged in."""
    reply = server.get("/v1/inference-sizing", **SIZING, **{name: factor * plain[figure]})
    error, = reply.json["errors"]
    assert reply.status in (400, 422)
    assert (error["parameter"], error["code"]) == (name, rule)
    assert ("1,000" if rule == "unit" else "data sheet") in error["detail"]


def test_a_run_that_has_no_room_for_the_weights_is_refused(server):
    reply = server.get("/v1/inference-sizing", **SIZING | dict(weight_dtype="bf16"),
                       measured_tensor_parallel=1, **{TOKEN: 0.03})
    error, = reply.json["errors"]
    assert (error["parameter"], error["code"]) == ("measured_tensor_parallel", "below_physics")
    assert "GiB" in error["detail"]


def test_two_ways_of_saying_it_are_one_too_many(server):
    reply = server.get("/v1/inference-sizing", **SIZING, **{TOKEN: 0.03, RATE: 900})
    assert reply.status in (400, 422) and reply.json["errors"]


def test_a_run_of_one_gpu_does_not_correct_options_on_others(server):
    reply = server.get("/v1/inference-sizing/options", model="llama-3.1-8b", **{TOKEN: 0.03})
    assert reply.json["errors"][0]["parameter"] == TOKEN


@pytest.mark.parametrize("load", [dict(concurrent_requests=32), dict(engine="sglang"),
                                  dict(batching="static"),
                                  dict(concurrent_requests=None, requests_per_minute=60)])
def test_explanations_are_true_of_corrected_figures(server, load):
    """Each figure is what its formula says, and the lines add up."""
    asked = {name: value for name, value in (SIZING | load).items() if value is not None}
    base = server.get("/v1/inference-sizing", **asked).json
    answer = server.get("/v1/inference-sizing", **asked, explain=1,
                        measured_concurrent_requests=32,
                        **{TOKEN: 1.2 * base["time_per_output_token_seconds"],
                           FIRST: 1.5 * base["time_to_first_token_seconds"]}).json
    rows = explained(answer)
    assert "correction_factor" in rows
    check_lines(answer, rows)
    check_figures(answer, rows, ("time_per_output_token_seconds", "time_to_first_token_seconds",
                                 "output_tokens_per_second", "correction_factor"), ())


def test_the_rate_of_one_request_is_not_that_of_the_replica(server, plain):
    """Tokens per second as a client sees them, where those of all clients are asked for."""
    each = 1 / plain["time_per_output_token_seconds"]
    reply = server.get("/v1/inference-sizing", **SIZING, measured_output_tokens_per_second=each)
    error, = reply.json["errors"]
    assert (reply.status, error["code"]) == (400, "unit"), reply.text
    assert "that of one of " in error["detail"] and "Enter that of the replica, " in error["detail"]
    again = server.get("/v1/inference-sizing", **SIZING,
                       measured_output_tokens_per_second=error["detail"].split("the replica, ")[1])
    assert again.status == 200, again.text


@pytest.mark.parametrize("path, more", [
    ("/v1/break-even", {"requests_per_minute": 60}), ("/v1/recommendation", {"workload": "serve", "requests_per_minute": 60})])
@pytest.mark.parametrize("name", [TOKEN, "measured_step_seconds"])
def test_where_only_stored_runs_count_a_given_one_is_to_be_stored(server, path, more, name):
    reply = server.get(path, model="llama-3.1-8b", gpu="h100-sxm5-80gb", **more, **{name: 0.01})
    error, = reply.json["errors"]
    assert error["code"] == "unknown_parameter" and "enter measurement_set" in error["detail"]


def test_where_nothing_is_written_no_token_takes_a_time(server):
    """Also without the run that corrects the time of reading."""
    reply = server.get("/v1/inference-sizing", model="bge-m3", gpu="l4", requests_per_minute=600, input_tokens=512, output_tokens=0,
                       measured_concurrent_requests=8, measured_input_tokens=512, **{FIRST: 0.05})
    assert reply.status == 200, reply.text
    assert reply.json["correction_run_count"] == 1 and reply.json["time_to_first_token_seconds_uncorrected"] > 0
    assert reply.json["time_per_output_token_seconds"] is reply.json["time_per_output_token_seconds_uncorrected"] is None
