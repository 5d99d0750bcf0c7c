"""/v1/measurements: published runs, each with our estimate for it."""

import csv
import io
import math
import pathlib

import pytest

SEED = pathlib.Path(__file__).resolve().parents[2] / "sql/seed"
FILES = ("training", "completed", "inference", "pools", "whole_run")


def seeded(name):
    with open(SEED / f"measurement_{name}.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def whole(asked):
    """Lengths that were drawn around a mean are asked for in whole tokens."""
    return {name: round(float(value)) if name.endswith("_tokens") else value
            for name, value in asked.items()}


@pytest.fixture(scope="module")
def rows(server):
    return list(csv.DictReader(io.StringIO(server.get("/v1/measurements.csv").text)))


def test_every_published_run_is_there_with_its_source(rows):
    """The files the constants are fitted to are the rows that are served: names, figures, sources."""
    expected = {row["id"]: row for name in FILES for row in seeded(name)}
    assert len(rows) == len(expected) > 5000
    for row in rows:
        run = expected[row["id"]]
        assert float(row["measured"]) == pytest.approx(float(run["measured"]), rel=1e-9)
        assert (row["gpu"], row["source"]) == (run["gpu"], run["source"])
        assert row["source_url"].startswith("https://")
    dated = sum(bool(row["published"]) for row in rows)
    assert dated == len(rows)


def test_the_estimate_is_there_for_each_run_of_the_catalogue(rows):
    """Only cards and models that the catalogue lacks have none."""
    known = [row for row in rows if row["estimated"]]
    assert len(known) > 0.97 * len(rows)
    for row in known:
        low, middle, high = (float(row[name]) for name in
                             ("estimated_low", "estimated", "estimated_high"))
        measured = float(row["measured"])
        assert low <= middle <= high
        assert float(row["ratio"]) == pytest.approx(middle / measured, rel=1e-5)
        assert (row["inside"] == "true") == (low <= measured <= high)


def test_estimates_are_as_good_as_the_constants(rows):
    """The median error of runs that were fitted to, by kind: what RESULTS.md says, rounded up."""
    most = {"training": 0.10, "served": 0.12, "stream": 0.08, "static": 0.15, "offline": 0.15,
            "prefill": 0.15, "whole_run": 0.6, "pools": 0.3}
    for kind, bar in most.items():
        errors = sorted(abs(math.log(float(row["ratio"]))) for row in rows
                        if row["kind"] == kind and row["estimated"])
        assert errors[len(errors) // 2] < bar, kind


@pytest.mark.parametrize("engine", ["vllm", "tensorrt_llm", "sglang"])
def test_the_estimate_of_a_row_is_the_one_of_a_sizing(server, engine):
    """Who asks for what was measured gets the estimate of the row."""
    row = server.get("/v1/measurements", kind="served", engine=engine, limit=1).json["rows"][0]
    run, = [run for run in seeded("inference") if run["id"] == row["id"]]
    asked = {name: run[name] for name in (
        "model", "gpu", "engine", "weight_dtype", "kv_cache_dtype", "tensor_parallel",
        "pipeline_parallel", "attention_data_parallel", "concurrent_requests", "input_tokens",
        "output_tokens") if run[name]}
    sizing = server.get("/v1/inference-sizing", replica_count=1, gpus_per_node=8,
                        network_gbit_per_second=400, **whole(asked)).json
    assert sizing["time_per_output_token_seconds"] == pytest.approx(row["estimated"], rel=0.01)


def test_the_estimate_of_a_whole_run_is_the_one_of_a_plan(server):
    """As somebody would ask who knows the model, the GPUs and the tokens, and what the source says of stack,
    recomputation and attention. Layers of experts that alternate with dense ones, as Llama-4 Maverick's, stay so."""
    estimated = {row["id"]: row["estimated"] for row in
                 server.get("/v1/measurements", kind="whole_run", limit=100).json["rows"]}
    runs = seeded("whole_run")
    assert set(estimated) == {run["id"] for run in runs} and all(estimated.values())
    of_the_catalogue = [run for run in runs if run["model"] and not run["vocab"]]
    assert len(of_the_catalogue) == 32
    for run in of_the_catalogue:
        asked = {name: run[name] for name in ("model", "stack", "gpu", "gpu_count", "gpus_per_node", "precision", "tokens",
                                              "sequence_tokens", "recompute", "flash_attention", "tensor_parallel",
                                                  "pipeline_parallel", "micro_batch_sequences", "zero_stage",
                                                  "global_batch_sequences") if run[name]}
        network = 200 if run["gpu"].startswith("a100") else 400  # not that of the machines on offer
        plan = server.get("/v1/training-plan", use_measurements=0, setup_seconds=0, network_gbit_per_second=network, **asked).json
        assert plan["gpu_hours"] == pytest.approx(estimated[run["id"]], rel=1e-3), run["id"]


@pytest.mark.parametrize("filters, holds", [
    (dict(kind="served"), lambda row: row["kind"] == "served"),
    (dict(gpu="h100-sxm5-80gb"), lambda row: row["gpu"] == "h100-sxm5-80gb"),
    (dict(model="llama-3.1-70b"), lambda row: row["model"] == "llama-3.1-70b"),
    (dict(engine="vllm"), lambda row: row["engine"] == "vllm"),
    (dict(engine="megatron"), lambda row: row["engine"] == "megatron"),
    (dict(precision="fp8"), lambda row: row["precision"] == "fp8"),
    (dict(source="aiconfigurator"), lambda row: "aiconfigurator" in row["source"]),
    (dict(min_gpu_count=512, kind="training"), lambda row: row["gpu_count"] >= 512),
    (dict(inside=0), lambda row: row["inside"] is False),
])
def test_filters(server, filters, holds):
    answer = server.get("/v1/measurements", count=1, limit=200, **filters).json
    assert 0 < answer["count"] < 5000
    assert answer["rows"] and all(holds(row) for row in answer["rows"])


def test_pages_follow_one_another(server):
    first = server.get("/v1/measurements", kind="static", limit=60).json
    seen = [row["id"] for row in first["rows"]]
    while first.get("next_cursor"):
        first = server.get("/v1/measurements", kind="static", limit=60,
                           cursor=first["next_cursor"]).json
        seen += [row["id"] for row in first["rows"]]
    assert sorted(seen) == sorted(row["id"] for row in seeded("inference")
                                  if row["kind"] == "static")


def test_a_contradiction_and_an_unknown_kind_are_refused(server):
    reply = server.get("/v1/measurements", min_gpu_count=8, max_gpu_count=4)
    assert reply.json["errors"][0]["parameter"] == "max_gpu_count"
    reply = server.get("/v1/measurements", kind="serving")
    assert reply.json["errors"][0]["parameter"] == "kind"


def test_the_picture_has_a_dot_for_each_run_and_the_diagonal(server):
    svg = server.get("/v1/measurements.svg", kind="stream", gpu="rtx-4090").text
    rows = server.get("/v1/measurements", kind="stream", gpu="rtx-4090").json["rows"]
    assert svg.count('class="dot"') == sum(row["estimated"] is not None for row in rows) > 10
    assert svg.count('class="mark"') == 2


@pytest.mark.parametrize("form", ["json", "csv", "tsv", "xml", "txt", "html", "svg"])
def test_every_format(server, form):
    reply = server.get(f"/v1/measurements.{form}", gpu="v100-sxm2-32gb")
    assert reply.status == 200 and reply.text


SERVED = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", engine="tensorrt_llm",
              weight_dtype="fp8", tensor_parallel=8, replica_count=1, concurrent_requests=64,
              input_tokens=1000, output_tokens=1000)
TRAINED = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", gpu_count=512, stack="megatron",
               precision="bf16", tokens=1e12)


@pytest.mark.parametrize("path, asked", [("/v1/inference-sizing", SERVED),
                                         ("/v1/training-plan", TRAINED)])
def test_an_estimate_shows_the_runs_nearest_to_it(server, rows, path, asked):
    """Each is a row of /v1/measurements, nearest first, with what differs in words."""
    nearest = server.get(path, **asked).json["nearest_measurements"]
    known = {row["id"]: row for row in rows}
    assert 3 <= len(nearest) <= 5
    assert [run["distance"] for run in nearest] == sorted(run["distance"] for run in nearest)
    for run in nearest:
        row = known[run["id"]]
        assert run["measured"] == pytest.approx(float(row["measured"]), rel=1e-5)
        assert run["estimated"] == pytest.approx(float(row["estimated"]), rel=1e-5)
        assert run["inside"] == (row["inside"] == "true") and run["source_url"] == row["source_url"]
        assert run["difference"].startswith("same GPU") == (run["gpu"] == asked["gpu"])
    assert nearest[0]["gpu"] == asked["gpu"] and nearest[0]["distance"] < 1


def test_what_was_measured_is_nearest_to_itself(server):
    """A question that is a published run has that run, or one equal to it, at distance nought."""
    row = server.get("/v1/measurements", kind="served", engine="vllm", limit=1).json["rows"][0]
    run, = [run for run in seeded("inference") if run["id"] == row["id"]]
    asked = whole({name: run[name] for name in (
        "model", "gpu", "engine", "weight_dtype", "kv_cache_dtype", "tensor_parallel",
        "concurrent_requests", "input_tokens", "output_tokens")})
    nearest = server.get("/v1/inference-sizing", replica_count=1, pipeline_parallel=1,
                         **asked).json["nearest_measurements"]
    assert nearest[0]["distance"] < 0.01
    assert nearest[0]["difference"] == "same GPU, same engine, same number format, same model size"


def test_an_estimate_without_a_run_near_it_says_so(server):
    """Nobody published this: another card, another engine and another size."""
    far = server.get("/v1/inference-sizing", model="kimi-k2-instruct", gpu="mi300x",
                     engine="llama_cpp", weight_dtype="int4").json
    assert "no_near_measurement" in {warning["code"] for warning in far["warnings"]}
    near = server.get("/v1/inference-sizing", **SERVED).json
    assert "no_near_measurement" not in {warning["code"] for warning in near["warnings"]}


def test_the_interval_is_wider_where_no_run_is_near(server):
    """By the power that holds 80 % of what was left out; a run of one's own takes it away."""
    def width(answer):
        return math.log(answer["time_per_output_token_seconds_high"]
                        / answer["time_per_output_token_seconds"])

    asked = dict(model="mixtral-8x22b", gpu="a100-sxm4-80gb", engine="sglang", weight_dtype="int4",
                 tensor_parallel=4, replica_count=1, concurrent_requests=8)
    far = server.get("/v1/inference-sizing", **asked).json
    assert "no_near_measurement" in {warning["code"] for warning in far["warnings"]}
    rows = {row["scope"]: row["default"] for row in
            server.get("/v1/assumptions", key="interval_factor").json["rows"]}
    power, = [row["default"] for row in
              server.get("/v1/assumptions", key="far_interval_exponent").json["rows"]]
    assert width(far) == pytest.approx(power * math.log(rows["served_moe"]), rel=1e-4)
    own = server.get("/v1/inference-sizing", **asked,
                     measured_time_per_output_token_seconds=far["time_per_output_token_seconds"])
    assert width(own.json) < width(far) / power


@pytest.mark.parametrize("path, asked", [
    ("/v1/inference-sizing", dict(model="llama-3.1-70b", concurrent_requests=64)),
    ("/v1/training-plan", dict(model="llama-3.1-70b", tokens=1e11, gpu_count=256)),
])
def test_each_option_says_which_published_run_is_like_it(server, path, asked):
    """The first run listed by the plan of the option, and how it differs."""
    answer = server.get(f"{path}/options", **asked).json
    rows = answer["options"]
    for row in rows[:5] + rows[-1:]:
        nearest = server.get(row["plan"]).json["nearest_measurements"][0]
        assert row["nearest_measurement"] == nearest["id"]
        assert row["nearest_measurement_difference"] == nearest["difference"]
        assert row["nearest_measurement_distance"] == pytest.approx(nearest["distance"], abs=1e-4)
    far = sum(not row["near_measurement"] for row in rows)
    said = [warning for warning in answer["warnings"] if warning["code"] == "no_near_measurement"]
    assert len(said) == (far > 0)
    if far:
        assert f"{far} of the {len(rows)} options" in said[0]["detail"]


def test_options_that_nobody_measured_anything_like_say_so(server):
    """Options without a similar published run warn as their sizings do."""
    answer = server.get("/v1/inference-sizing/options", model="kimi-k2-instruct", gpu="mi300x",
                        engine="llama_cpp", weight_dtype="int4").json
    assert answer["options"] and not any(row["near_measurement"] for row in answer["options"])
    said, = [warning["detail"] for warning in answer["warnings"]
             if warning["code"] == "no_near_measurement"]
    assert "the first of them included" in said
    sized = server.get(answer["options"][0]["plan"]).json
    assert "no_near_measurement" in {warning["code"] for warning in sized["warnings"]}


@pytest.mark.parametrize("name, value, like", [("model", "llama-3.1-70", "llama-3.1-70b"),
                                               ("gpu", "h100-sxm5-80g", "h100-sxm5-80gb")])
def test_a_mistyped_name_is_no_empty_list(server, name, value, like):
    """Nobody measured it, an empty list says: so it must be known."""
    reply = server.get("/v1/measurements", **{name: value})
    error, = reply.json["errors"]
    assert reply.status == 400 and (error["parameter"], error["code"]) == (name, "unknown_name")
    assert like in error["detail"]


def test_what_is_known_and_was_never_measured_is_an_empty_list(server, rows):
    measured = {row["gpu"] for row in rows}
    gpus = server.get("/v1/gpus", limit=1000).json["rows"]
    unmeasured = next(gpu["gpu"] for gpu in gpus if gpu["gpu"] not in measured)
    reply = server.get("/v1/measurements", gpu=unmeasured)
    assert reply.status == 200 and reply.json["rows"] == []


def test_large_differences_are_written_without_an_exponent(server):
    answer = server.get("/v1/inference-sizing", model="llama-3.1-8b", gpu="h100-sxm5-80gb",
                        concurrent_requests=1, input_tokens=1, output_tokens=1).json
    said = " ".join(row["difference"] for row in answer["nearest_measurements"])
    assert " times the length" in said and "e+" not in said, said
