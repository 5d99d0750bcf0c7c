"""Weights and KV cache of an engine, stored with its run: they correct sizings and lists of those who
name the set."""
import pytest

from test_engine_memory import SERVICE
from test_own_runs import GPU, culprit, runs, team  # noqa: F401  pylint: disable=unused-import

RUN = dict(measurement_set="acme", gpu=GPU, model=SERVICE["model"], engine="vllm",
           weight_dtype="bf16", concurrent_requests=64, input_tokens=1000, output_tokens=1000)
TOKEN = "measured_time_per_output_token_seconds"


def ask(runs, path="", **asked):  # noqa: F811
    question = {name: value for name, value in (SERVICE | asked).items() if value is not None}
    return runs.server.answer("/v1/inference-sizing" + path, **question).json


@pytest.fixture
def token(runs):  # noqa: F811
    return ask(runs)["time_per_output_token_seconds"]


@pytest.mark.parametrize("logged", [dict(measured_kv_cache_tokens=419712),
                                    dict(measured_weights_gib=16.1),
                                    dict(measured_weights_gib=15.5, measured_kv_cache_tokens=500500)])
def test_a_stored_run_says_what_one_in_the_question_says(runs, token, logged):  # noqa: F811
    stored = runs.store(RUN | logged | {TOKEN: token})
    assert {name: stored[name] for name in logged} == logged
    row, = runs.server.get("/v1/measurements", measurement_set="acme").json["rows"]
    assert {name: row[name] for name in logged} == logged
    of_set, given = ask(runs, measurement_set="acme"), ask(runs, **logged)
    for name in ("kv_cache_tokens", "max_concurrent_requests", "memory_per_gpu_gib",
                 "kv_cache_tokens_uncorrected", "max_concurrent_requests_uncorrected"):
        assert of_set[name] == pytest.approx(given[name], rel=1e-9), name
    assert of_set["memory_correction_sentence"].startswith("corrected by measurement_set acme: ")
    without = ask(runs, measurement_set="acme", use_measurements=0)
    assert without["kv_cache_tokens"] == ask(runs)["kv_cache_tokens"]
    assert without["memory_correction_sentence"] is None


def test_a_figure_in_the_question_counts_alone(runs, token):  # noqa: F811
    runs.store(RUN | {TOKEN: token, "measured_kv_cache_tokens": 300000})
    asked = ask(runs, measurement_set="acme", measured_kv_cache_tokens=419712)
    assert asked["kv_cache_tokens"] == 419712


def test_runs_are_averaged_and_others_left_out(runs, token):  # noqa: F811
    for requests, tokens in ((64, 400000), (32, 420000)):
        runs.store(RUN | {TOKEN: token, "measured_kv_cache_tokens": tokens,
                          "concurrent_requests": requests})
    runs.store(RUN | {TOKEN: token, "measured_kv_cache_tokens": 100000, "engine": "sglang"})
    assert ask(runs, measurement_set="acme")["kv_cache_tokens"] == pytest.approx(410000, rel=1e-5)


def test_options_need_the_gpus_that_their_sizings_say(runs, token):  # noqa: F811
    """An engine with a small cache takes more GPUs, in the list as in the answer it links to."""
    runs.store(RUN | {TOKEN: token, "measured_kv_cache_tokens": 100000})
    load = dict(concurrent_requests=400, tensor_parallel=None)
    rows = ask(runs, "/options", gpu=GPU, measurement_set="acme", **load)["options"]
    plain = ask(runs, "/options", gpu=GPU, **load)["options"]
    assert min(row["gpu_count"] for row in rows) > min(row["gpu_count"] for row in plain)
    for row in rows:
        plan = runs.server.request("GET", row["plan"]).json
        assert plan["gpu_count"] == row["gpu_count"]
        assert plan["batch_size"] == row["batch_size"]
        assert "less for the KV cache" in plan["memory_correction_sentence"]


@pytest.mark.parametrize("name, figure, rule", [
    ("measured_weights_gib", 1.5, "below_physics"), ("measured_weights_gib", 15300, "unit"),
    ("measured_weights_gib", 150, "above_capacity"), ("measured_kv_cache_tokens", 419.712, "unit"),
    ("measured_kv_cache_tokens", 1, "below_physics"), ("measured_kv_cache_tokens", 4e7, "above_capacity")])
def test_what_cannot_have_been_is_refused(runs, token, name, figure, rule):  # noqa: F811
    reply = runs.send("POST", "/v1/measurements", RUN | {TOKEN: token, name: figure})
    assert reply.status == 400, reply.text
    assert culprit(reply) == (name, rule)


def test_training_has_none(runs):  # noqa: F811
    run = dict(measurement_set="acme", gpu=GPU, model="llama-3.1-8b", gpu_count=8,
               sequence_tokens=4096, global_batch_sequences=64, measured_step_seconds=5,
               measured_kv_cache_tokens=1e5)
    reply = runs.send("POST", "/v1/measurements", run)
    assert culprit(reply) == ("measured_kv_cache_tokens", "contradiction")
