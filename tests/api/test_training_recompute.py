"""Partial recomputation, and the step from a step's time to the calendar."""

import pytest

JOB = dict(gpu="h100-sxm5-80gb", model="llama-3.1-70b", tokens="1e11", gpu_count=64,
           tensor_parallel=4, pipeline_parallel=4, context_parallel=1, micro_batch_sequences=1, zero_stage=1,
           global_batch_sequences=128, price_per_gpu_hour=2.5)


def plan(server, **params):
    return server.answer("/v1/training-plan", **params).json


def refused(server, **params):
    reply = server.get("/v1/training-plan", **params)
    assert reply.status == 400, reply.text
    return {each["parameter"] for each in reply.json["errors"]}


def test_time_is_continuous_in_need(server):
    """No cliff where memory runs out: each longer sequence takes about as much longer as it is, and
    recomputes no less than the last."""
    answers = [plan(server, **JOB, sequence_tokens=tokens, virtual_stages=1)
               for tokens in range(4096, 20480, 512)]
    ratios = [answer["recompute_ratio"] for answer in answers]
    assert ratios[0] == 0 and 0 < ratios[-1] < 1
    assert any(0 < ratio < 0.15 for ratio in ratios)
    assert all(later >= earlier - 1e-4 for earlier, later in zip(ratios, ratios[1:]))
    for earlier, later in zip(answers, answers[1:]):
        longer = later["step_seconds"] / earlier["step_seconds"]
        assert 1 < longer < 1.25
        if later["recompute"] == "partial":
            assert later["memory_required_gib"] / later["memory_capacity_gib"] == pytest.approx(0.92, abs=1e-5)


def test_the_least_that_fits(server):
    job = dict(JOB, sequence_tokens=16384, virtual_stages=1)
    chosen = plan(server, **job)
    none, full = (plan(server, **job, recompute=which) for which in ("none", "full"))
    assert chosen["fits"] and full["fits"] and not none["fits"]
    assert none["step_seconds"] < chosen["step_seconds"] < full["step_seconds"]
    assert none["recompute_ratio"] == 0 and full["recompute_ratio"] == 1
    assert chosen["recompute"] == "partial"
    pinned = plan(server, **job, recompute="partial",
                  **{key: chosen[key] for key in ("recompute_modules", "recompute_layers",
                                                  "recompute_module_layers")
                     if chosen[key] is not None})
    assert pinned["step_seconds"] == pytest.approx(chosen["step_seconds"], rel=1e-4)


def test_modules_and_layers_are_inputs(server):
    job = dict(JOB, recompute="partial", virtual_stages=1)
    norms = plan(server, **job, recompute_modules="layernorm")
    mlp = plan(server, **job, recompute_modules="mlp,layernorm")
    layers = plan(server, **job, recompute_layers=40)
    assert norms["recompute_ratio"] < mlp["recompute_ratio"] < 1
    assert mlp["line_items"] != norms["line_items"]
    assert mlp["memory_per_gpu_gib"] < norms["memory_per_gpu_gib"]
    assert mlp["recompute_modules"] == "layernorm,mlp" and mlp["recompute_module_layers"] == 80
    assert layers["recompute_ratio"] == pytest.approx(0.5, abs=1e-4)
    assert layers["recompute_layers"] == 40 and layers["recompute_modules"] is None


@pytest.mark.parametrize("given, blamed", [
    (dict(recompute_layers=4), "recompute_layers"),
    (dict(recompute="full", recompute_modules="mlp"), "recompute_modules"),
    (dict(recompute="partial", recompute_modules="mlp,soup"), "recompute_modules"),
    (dict(recompute="partial", recompute_layers=81), "recompute_layers"),
])
def test_what_makes_no_sense(server, given, blamed):
    assert blamed in refused(server, **JOB, **given)


def test_fp8_keeps_less(server):
    job = dict(JOB, recompute="none", virtual_stages=1)
    wide, narrow = (plan(server, **job, precision=which) for which in ("bf16", "fp8"))
    lines = lambda answer: {row["key"]: row["value"] for row in answer["line_items"]}
    assert lines(narrow)["activations"] < 0.95 * lines(wide)["activations"]
    assert lines(narrow)["gradients"] < 0.6 * lines(wide)["gradients"]
    told = plan(server, **job, precision="fp8", gradient_dtype="fp32")
    assert lines(told)["gradients"] == pytest.approx(lines(wide)["gradients"], rel=1e-4)


def test_frozen_products_keep_nothing(server):
    job = dict(JOB, recompute="none", virtual_stages=1)
    full, adapters = (plan(server, **job, method=which, stack="megatron") for which in ("full", "lora"))
    lines = lambda answer: {row["key"]: row["value"] for row in answer["line_items"]}
    assert lines(adapters)["activations"] < 0.85 * lines(full)["activations"]


def test_zero_3_shards_over_all_replicas(server):
    answer = plan(server, gpu="a100-sxm4-80gb", model="llama-2-13b", gpu_count=64, zero_stage=3,
                  data_parallel=64, tokens="1e10", price_per_gpu_hour=1)
    assert answer["data_parallel_shard"] == 64


def test_tensor_parallel_may_span_the_scale_up_domain(server):
    job = dict(model="llama-3.1-405b", tokens="1e10", gpu_count=64, gpus_per_node=4,
               tensor_parallel=16, price_per_gpu_hour=1)
    assert plan(server, **job, gpu="gb200-nvl72")["tensor_parallel"] == 16
    assert "tensor_parallel" in refused(server, **job, gpu="h100-sxm5-80gb")


def test_calendar_ratio_lengthens_days_not_steps(server):
    stated = JOB | dict(recompute=plan(server, **JOB)["recompute"], setup_seconds=0)
    usual, off, twice = (plan(server, **stated, **given)
                         for given in ({}, dict(calendar_ratio=1), dict(calendar_ratio=2)))
    assert usual["step_seconds"] == off["step_seconds"] == twice["step_seconds"]
    assert 1.2 < usual["calendar_ratio_low"] <= usual["calendar_ratio"] < usual["calendar_ratio_high"]
    for key in ("days", "gpu_hours", "run_cost"):
        assert twice[key] == pytest.approx(2 * off[key], rel=1e-5)
        assert usual[key] == pytest.approx(usual["calendar_ratio"] * off[key], rel=1e-4)
    assert off["days_high"] / off["days_low"] < usual["days_high"] / usual["days_low"] < 2.2
    cost = {row["key"]: row["amount"] for row in usual["line_items"] if row["group"] == "cost"}
    assert cost["step_gpu_hours"] == pytest.approx(off["run_cost"], abs=0.01)
    assert sum(cost.values()) == pytest.approx(usual["total_cost"], abs=1e-6)
    assert cost["calendar_gpu_hours"] > 0
    assert {row["key"]: row["amount"] for row in off["line_items"]}["calendar_gpu_hours"] == 0


def test_the_calendar_of_a_mixture_spreads_around_its_steps(server):
    """As that of a dense model around its median, which is not applied to it."""
    dense, mixture = plan(server, **JOB), plan(server, model="qwen3-30b-a3b", gpu="h100-sxm5-80gb", gpu_count=64, tokens=1e12)
    assert mixture["calendar_ratio"] == 1
    for end in ("low", "high"):
        assert mixture[f"calendar_ratio_{end}"] == pytest.approx(dense[f"calendar_ratio_{end}"] / dense["calendar_ratio"], rel=1e-3)
    settings = {name: mixture[name] for name in ("tensor_parallel", "pipeline_parallel", "recompute")}
    stated = plan(server, model="qwen3-30b-a3b", gpu="h100-sxm5-80gb", gpu_count=64, tokens=1e12, **settings)
    steps = stated["step_seconds_high"] / stated["step_seconds"]
    assert mixture["days_high"] / mixture["days"] > 1.05 * steps


def test_fine_tuning_has_no_calendar_of_its_own(server):
    assert plan(server, **JOB, method="lora")["calendar_ratio"] == 1


def test_the_default_batch_grows_with_the_compute(server):
    free = {key: value for key, value in JOB.items()
            if key not in ("global_batch_sequences", "tokens")}
    small, large = (plan(server, **free, tokens=tokens, sequence_tokens=4096)
                    for tokens in ("1e10", "1.5e13"))
    assert small["global_batch_sequences"] == 1024
    assert 2 * 1024 < large["global_batch_sequences"] < 8192
    mixture = plan(server, gpu="h800-sxm5-80gb", model="deepseek-v3", gpu_count=2048,
                   tokens="14.8e12", sequence_tokens=4096, price_per_gpu_hour=1)
    assert 15360 / 2.5 < mixture["global_batch_sequences"] < 15360 * 2.5
