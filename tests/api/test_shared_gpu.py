"""Replicas on parts of a GPU: fractions, and MIG profiles as NVIDIA sells them."""
import math

import pytest

PATH = "/v1/inference-sizing"
JOB = dict(model="llama-3.2-1b", gpu="h100-sxm5-80gb", requests_per_minute=3000)


def ask(server, path=PATH, **params):
    return server.answer(path, **params).json


def refused(server, **params):
    reply = server.get(PATH, **params)
    assert reply.status == 400, reply.text
    return [(error["parameter"], error["code"]) for error in reply.json["errors"]]


def test_a_whole_gpu_is_the_plain_answer(server):
    plain, whole = ask(server, **JOB), ask(server, **JOB, gpu_fraction=1)
    for answer in (plain, whole):
        answer.pop("inputs"), answer.pop("links")
    assert plain == whole and plain["replicas_per_gpu"] is None


@pytest.mark.parametrize("profile, count, memory", [("1g.10gb", 7, 8), ("1g.20gb", 4, 4), ("2g.20gb", 3, 4),
                                                    ("3g.40gb", 2, 2), ("4g.40gb", 1, 2), ("7g.80gb", 1, 1)])
def test_a_mig_profile(server, profile, count, memory):
    whole = ask(server, **JOB | dict(replica_count=9, tensor_parallel=1))
    part = ask(server, **JOB, mig_profile=profile, replica_count=9)
    assert part["replicas_per_gpu"] == count and part["gpu_count"] == math.ceil(9 / count)
    assert part["memory_capacity_gib"] == pytest.approx(whole["memory_capacity_gib"] / memory, rel=1e-5)
    sevenths = int(profile[0])
    row = {line["key"]: line["value"] for line in part["line_items"]}
    of_all = {line["key"]: line["value"] for line in whole["line_items"]}
    assert row["compute"] / of_all["compute"] == pytest.approx(
        7 / sevenths * part["batch_size"] / whole["batch_size"], rel=1e-3)
    assert row["weight_reads"] == pytest.approx(of_all["weight_reads"] * memory, rel=1e-5)
    assert part["cost_per_hour"] / part["gpu_count"] == pytest.approx(
        whole["cost_per_hour"] / whole["gpu_count"], rel=0.5), "GPUs are paid whole"


@pytest.mark.parametrize("fraction, count", [(0.5, 2), (0.34, 2), (0.3333333333, 3), (0.1, 10), (0.6, 1)])
def test_replicas_of_a_gpu(server, fraction, count):
    got = ask(server, **JOB, gpu_fraction=fraction, replica_count=11)
    assert got["replicas_per_gpu"] == count and got["gpu_count"] == math.ceil(11 / count)
    assert (got["tensor_parallel"], got["pipeline_parallel"]) == (1, 1)


@pytest.mark.parametrize("model", ["llama-3.2-1b", "llama-3.1-8b", "gpt-oss-20b", "qwen3-8b"])
@pytest.mark.parametrize("gpu", ["h200-sxm5-141gb", "a100-sxm4-80gb", "b200-sxm"])
@pytest.mark.parametrize("load", [
    dict(requests_per_minute=20), dict(requests_per_minute=3000), dict(requests_per_minute=40000),
    dict(requests_per_minute=4000, latency_p95_seconds=12),
    dict(requests_per_minute=4000, input_tokens=200, output_tokens=600, tokens_per_second_per_user_min=15)])
def test_parts_never_need_less_than_the_whole(server, model, gpu, load):
    """Sharing saves hardware only for what else runs there."""
    whole = ask(server, model=model, gpu=gpu, tensor_parallel=1, pipeline_parallel=1, **load)
    for fraction in (0.5, 0.25, 0.75):
        reply = server.get(PATH, model=model, gpu=gpu, gpu_fraction=fraction, **load)
        assert reply.status in (200, 422), reply.text
        if reply.status == 200:
            part = reply.json
            assert part["gpu_count"] >= whole["gpu_count"], fraction
            assert part["cost_per_hour"] >= whole["cost_per_hour"]
            each = "requests_per_minute_within_limits"
            assert part[each] / part["replica_count"] * part["replicas_per_gpu"] <= \
                whole[each] / whole["replica_count"] * 1.001


def test_what_does_not_fit_a_part(server):
    reply = server.get(PATH, model="llama-3.1-70b", gpu="h100-sxm5-80gb", mig_profile="1g.10gb")
    assert reply.status == 422, reply.text
    assert "each part of a GPU needs" in reply.json["detail"]
    held = ask(server, model="llama-3.1-70b", gpu="h100-sxm5-80gb", mig_profile="1g.10gb", replica_count=3)
    assert held["fits"] is False and held["memory_shortfall_gib"] > 100
    assert held["nearest_gpu_count"] is None


def test_the_sentence_counts_replicas_of_a_gpu(server):
    """Replicas on parts of a GPU are not replicas of a GPU each."""
    got = ask(server, model="qwen3-0.6b", gpu="a100-sxm4-80gb", mig_profile="1g.10gb", requests_per_minute=3000,
              input_tokens=500, output_tokens=100)
    assert (got["gpu_count"], got["replicas_per_gpu"]) == (1, 7) and got["replica_count"] > 1
    words = f"{got['replica_count']} replicas on 1 GPU, each with room for 7: 95% of requests"
    assert got["reason"].startswith(words) and "the loss of a GPU takes 2 GPUs" in got["reason"]


def test_the_loss_of_a_gpu_takes_all_on_it(server):
    got = ask(server, **JOB, gpu_fraction=0.5)
    assert got["survives_replica_loss"] is False
    sure = ask(server, **JOB, gpu_fraction=0.5, replica_count=2 * got["gpu_count_surviving_loss"])
    assert sure["survives_replica_loss"] is True


def test_why(server):
    for more in (dict(mig_profile="1g.10gb"), dict(gpu_fraction=0.3, engine="sglang"),
                 dict(gpu_fraction=0.5, concurrent_requests=50)):
        job = {k: v for k, v in JOB.items() if "concurrent_requests" not in more or "minute" not in k}
        got = ask(server, **job, **more, explain=1)
        rows = {row["key"]: row for row in got["explanations"]}
        assert rows["gpu_count"]["formula"] == "ceil(replica_count / replicas_per_gpu)"
        assert rows["gpu_count"]["value"] == got["gpu_count"]
        assert rows["replicas_per_gpu"]["value"] == got["replicas_per_gpu"]


@pytest.mark.parametrize("more, expected", [
    (dict(mig_profile="1g.18gb"), [("mig_profile", "unknown_choice")]),
    (dict(mig_profile="1g.10gb", gpu="l40s"), [("mig_profile", "unknown_choice")]),
    (dict(mig_profile="1g.10gb", gpu_fraction=0.5), [("mig_profile", "contradiction")]),
    (dict(gpu_fraction=0), [("gpu_fraction", "out_of_range")]),
    (dict(gpu_fraction=1.5), [("gpu_fraction", "out_of_range")]),
    (dict(gpu_fraction=0.5, tensor_parallel=2), [("tensor_parallel", "contradiction")]),
    (dict(gpu_fraction=0.5, pipeline_parallel=2, gpu_count=4),
     [("pipeline_parallel", "contradiction"), ("gpu_count", "contradiction")]),
    (dict(gpu_fraction=0.5, separate_prefill=1), [("separate_prefill", "contradiction")])])
def test_what_a_part_cannot_be(server, more, expected):
    assert sorted(refused(server, **JOB | more)) == sorted(expected)


def test_options_on_parts(server):
    got = ask(server, PATH + "/options", model="llama-3.2-1b", requests_per_minute=3000,
              mig_profile="1g.18gb", per_gpu=0)
    assert {row["gpu"] for row in got["options"]} == {"h200-sxm5-141gb", "h200-nvl-141gb"}
    assert all(row["gpu_count"] == math.ceil(row["replica_count"] / 7) for row in got["options"])
    half = ask(server, PATH + "/options", model="llama-3.2-1b", requests_per_minute=3000,
               gpu="h100-sxm5-80gb", gpu_fraction=0.5)["options"][0]
    sizing = ask(server, **JOB, gpu_fraction=0.5)
    assert half["gpu_count"] == sizing["gpu_count"]
    assert "gpu_fraction=0.5" in half["plan"]


@pytest.mark.parametrize("part", [dict(gpu_fraction=0.5), dict(mig_profile="3g.40gb"), dict(gpu_fraction=0.3)])
@pytest.mark.parametrize("wish", [{}, dict(adapters=20, adapter_rank=32),
                                  dict(request_lengths="512:200:0.7,8000:500:0.3"), dict(tokens_per_pass=512),
                                  dict(images_per_request=1, image_tokens=800)])
def test_break_even_and_recommendation_size_the_same_parts(server, part, wish):
    job = JOB | dict(model="llama-3.1-8b", requests_per_minute=700) | part | wish
    sizing = ask(server, **job)
    ledger = ask(server, "/v1/break-even", workload="serve", **job)
    assert (ledger["gpu_count"], ledger["workload_replica_count"], ledger["utilization"]) == (
        sizing["gpu_count"], sizing["replica_count"], sizing["utilization"])
    linked = server.get(ledger["workload_plan"]).json
    assert all(linked[name] == sizing[name] for name in ("gpu_count", "replica_count", "cost_per_hour"))
    advice = ask(server, "/v1/recommendation", workload="serve", purchase_options="on_demand", **job)
    rented = advice["options"][0]
    plan = server.get(rented["serve_plan"]).json
    assert plan["replicas_per_gpu"] == sizing["replicas_per_gpu"]
    assert rented["total_cost"] == pytest.approx(server.get(rented["break_even"]).json["rent_total_cost"], abs=0.01)


def test_break_even_refuses_what_sizing_refuses(server):
    for wrong in (dict(mig_profile="9g.9gb"), dict(gpu_fraction=0.5, mig_profile="1g.10gb"), dict(gpu_fraction=0.5, gpu_count=2)):
        sizing = {(error["parameter"], error["code"]) for error in server.get(PATH, **JOB | wrong).json["errors"]}
        ledger = server.get("/v1/break-even", workload="serve", **JOB | wrong)
        assert ledger.status == 400
        assert {(error["parameter"], error["code"]) for error in ledger.json["errors"]} == sizing
    reply = server.get("/v1/break-even", gpu=JOB["gpu"], gpu_count=8, utilization=0.7, gpu_fraction=0.5)
    assert "missing_parameter" in [error["code"] for error in reply.json["errors"]]
