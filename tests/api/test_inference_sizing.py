"""Serving: the worked examples through HTTP, designs, limits, formats, and what bad input gets."""
import csv
import io
import json
import math
import pathlib
import random
import re

import pytest

from answers import codes
from explanations import check_figures, check_lines, explained, figures

CONFIGS = pathlib.Path(__file__).parent / "hf-configs"

# The interview case: 70B at 1000 requests a minute, 512 tokens in, 200 out, 95 of 100 within 5 s.
INTERVIEW = dict(model="llama-2-70b", gpu="a100-sxm4-80gb", weight_dtype="fp16",
                 requests_per_minute=1000, input_tokens=512, output_tokens=200,
                 latency_p95_seconds=5, input_tokens_cv=0, output_tokens_cv=0)
NAIVE = INTERVIEW | dict(gpu_count=2)
SMALL = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb")


def ask(server, path="", **params):
    return server.answer(f"/v1/inference-sizing{path}", **params)


def answer(server, **params):
    return ask(server, **params).json


def refused(server, **params):
    return server.refusals("/v1/inference-sizing", **params)


# Room in the cache, as the formulas' worked examples have.
HELD = [
    (dict(model="llama-3.1-70b", gpu="h200-sxm5-141gb", tensor_parallel=4, weight_dtype="fp8",
          kv_cache_dtype="fp8", engine="vllm", input_tokens=1024, output_tokens=1024), 1406),
    (dict(model="deepseek-r1", gpu="b200-sxm", tensor_parallel=8, weight_dtype="fp4",
          kv_cache_dtype="fp8", engine="sglang", input_tokens=1024, output_tokens=1024), 1766),
    (dict(model="llama-3.1-8b", gpu="rtx-4090", tensor_parallel=1, weight_dtype="int4",
          kv_cache_dtype="fp16", engine="compiled", input_tokens=128, output_tokens=512), 198),
    (dict(model="llama-3.3-70b-instruct", gpu="h100-sxm5-80gb", tensor_parallel=2,
          weight_dtype="fp8", kv_cache_dtype="fp8", engine="tensorrt_llm", input_tokens=5000,
          output_tokens=500), 95),
]


@pytest.mark.parametrize("params,held", HELD, ids="ABCQ")
def test_room_in_the_cache(server, params, held):
    got = answer(server, replica_count=1, pipeline_parallel=1, **params)
    assert got["max_concurrent_requests"] == held


# Worked by hand, with the constants in force: layers, width, heads, KV heads, size of a head, FFN
# width and vocabulary, of config.json; bytes/s, FLOP/s of the weights' arithmetic and of 16 bit,
# bytes/s of the link, of the data sheets.
LLAMA_70B = 80, 8192, 64, 8, 128, 28672, 128256
LLAMA_8B = 32, 4096, 32, 8, 128, 14336, 128256
H200 = 4.8e12, 1978.9e12, 989.4e12, 450e9
RTX_4090 = 1008e9, 330.3e12, 165.2e12, None  # FP16 accumulate, as compiled engines do


@pytest.fixture(scope="module")
def constant(server):
    rows = server.get("/v1/assumptions", limit=10000).json["rows"]
    return {(row["key"], row["scope"] or ""): row for row in rows}


class ByHand:
    """A dense model in continuous batching on t linked GPUs, of the formulas of inference/inference.h."""

    def __init__(self, constant, shape, gpu, weight, cache, share, memory, engine, t):
        self.c = lambda key, scope="": constant[key, scope]["default"]
        self.t, self.weight, self.cache, self.engine = t, weight, cache, engine
        self.layers, self.width, self.heads, self.kv, self.size, ffn, words = shape
        self.bandwidth, self.peak, self.wide, self.link = gpu
        self.share, self.bandwidth = share, self.bandwidth * memory
        layer = self.width * (2 * self.size * (self.heads + self.kv) + 3 * ffn)
        self.body, self.head = self.layers * layer, words * self.width

    def all_reduces(self, tokens, crossings=None):
        if self.t == 1:
            return 0
        ring = 2 * (self.t - 1) / self.t
        sent = (crossings or ring) * tokens * self.width * 2
        return 2 * self.layers * sent / (self.c("e_link") * self.link)

    def switched(self):
        """What a byte of a prompt takes where switches add up, or the ring where that is less."""
        return min(2 * (self.t - 1) / self.t, (self.t + 1) / self.t)

    def step(self, batch, context):
        read = self.body * self.weight + 2 * self.head
        cache = batch * self.layers * 2 * self.kv * self.size * self.cache * context
        products = 2 * (self.body + self.head) * batch / (self.share * self.peak)
        attention = 4 * batch * self.heads * self.size * context * self.layers / (
            self.c("e_attn") * self.wide)
        round_seconds = 2 * self.layers * self.c("a_nv") * 1e-6 if self.t > 1 else 0
        ways = [(round_seconds + self.all_reduces(batch, self.t - 1)),
                (2 * round_seconds + self.all_reduces(batch))]
        launch = (self.layers * self.c("o_engine", self.engine) + batch * self.c("b_req")) * 1e-6
        return ((read + cache) / self.bandwidth + products + attention) / self.t + min(ways) + launch

    def prompt(self, tokens):
        products = 2 * self.body * tokens / (self.share * self.peak)
        attention = 2 * self.heads * self.size * tokens**2 * self.layers / (
            self.c("e_attn") * self.wide)
        norms = 4 * self.layers * self.width * tokens * 2 / self.bandwidth  # whole on each GPU
        return (products + attention) / self.t + norms + self.all_reduces(tokens, self.switched())

    def token(self, batch, read, written):
        return self.step(batch, read + written / 2) + (batch - 1) / written * self.prompt(read)


@pytest.fixture
def on_h200(constant):
    c = {key: constant[key, ""]["default"] for key in ("e_gemm", "f_fp8", "e_mem")}
    return lambda t: ByHand(constant, LLAMA_70B, H200, 1, 1, c["e_gemm"] * c["f_fp8"], c["e_mem"],
                            "vllm", t)


@pytest.mark.parametrize("t, batch, read, written", [
    (4, 64, 1024, 1024), (1, 8, 512, 200), (2, 1, 3000, 100), (8, 400, 128, 2000)])
def test_a_token_worked_by_hand(server, on_h200, t, batch, read, written):
    got = answer(server, **HELD[0][0] | dict(tensor_parallel=t, input_tokens=read,
                                             output_tokens=written), batch_size=batch)
    assert got["time_per_output_token_seconds"] == pytest.approx(
        on_h200(t).token(batch, read, written), rel=5e-6)


def test_one_stream_worked_by_hand(server, constant):
    c = {key: constant[key, ""]["default"] for key in ("e_gemm", "e_mem", "f_gddr")}
    by_hand = ByHand(constant, LLAMA_8B, RTX_4090, constant["bytes_per_weight", "int4"]["default"],
                     2, c["e_gemm"], c["e_mem"] * c["f_gddr"], "compiled", 1)
    got = answer(server, **HELD[2][0], replica_count=1)
    assert got["time_per_output_token_seconds"] == pytest.approx(by_hand.token(1, 128, 512),
                                                                 rel=5e-6)


def test_the_most_an_idle_client_can_have_written(server, constant, on_h200):
    question = HELD[0][0] | dict(concurrent_requests=64)
    one, two = answer(server, replica_count=1, **question), answer(server, replica_count=2, **question)
    rate, u = one["offline_output_tokens_per_second"], \
        constant["interval_factor", "offline_dense"]["default"]
    held = one["max_concurrent_requests"]  # whole requests: a little less than what there is room for
    by_hand = 1024 / (1024 / held * on_h200(4).step(held, 1536) + on_h200(4).prompt(1024))
    assert rate == pytest.approx(by_hand, rel=1e-3)
    assert math.isclose(two["offline_output_tokens_per_second"], 2 * rate, rel_tol=1e-5)
    assert math.isclose(one["offline_output_tokens_per_second_high"], u * rate, rel_tol=1e-5)
    assert math.isclose(one["offline_output_tokens_per_second_low"], rate / u, rel_tol=1e-5)


def test_the_naive_design_is_answered_and_says_why_it_fails(server):
    got = answer(server, **NAIVE)
    assert (got["fits"], got["meets_load"], got["meets_latency"]) == (True, False, False)
    assert got["binding_constraint"] == "latency_p95"
    assert "alone on a replica" in got["reason"] and "the limit is 5" in got["reason"]
    assert got["shortfall_unit"] == "s"
    assert got["shortfall"] == pytest.approx(got["single_request_seconds"] - 5, rel=1e-5)
    assert got["gpu_count"] == 2 and got["tensor_parallel"] == 2
    assert got["latency_p95_seconds_estimate"] is None, "an overloaded queue has no percentile"
    free = answer(server, **INTERVIEW)
    assert got["nearest_gpu_count"] == free["gpu_count"]
    assert got["nearest_tensor_parallel"] == free["tensor_parallel"]


def test_free_choice_meets_the_interview_case(server):
    got = answer(server, **INTERVIEW)
    assert got["fits"] and got["meets_load"] and got["meets_latency"]
    assert got["latency_p95_seconds_estimate"] <= 5
    assert got["gpu_count"] == ((got["replica_count"] + got["prefill_replica_count"])
                                * got["tensor_parallel"] * got["pipeline_parallel"])
    assert got["output_tokens_per_second"] == pytest.approx(1000 / 60 * 200, rel=1e-5)
    assert got["requests_per_minute_within_limits"] >= 1000
    assert 0 < got["utilization"] < 1
    assert got["nearest_gpu_count"] is None
    for design in (got["replica_count"] - 1, got["replica_count"]):
        again = answer(server, **INTERVIEW, tensor_parallel=got["tensor_parallel"],
                       pipeline_parallel=got["pipeline_parallel"], replica_count=design,
                       **({"separate_prefill": 1, "prefill_replica_count": got["prefill_replica_count"]}
                          if got["prefill_replica_count"] else {"separate_prefill": 0}))
        met = again["meets_load"] and again["meets_latency"]
        assert met == (design == got["replica_count"]), "one replica less does not do"


def test_littles_law_holds(server):
    got = answer(server, **SMALL, requests_per_minute=300, tensor_parallel=1, replica_count=1)
    seconds = (got["time_to_first_token_seconds"]
               + 255 * got["time_per_output_token_seconds"])
    # the number in flight is that of the closed form, the time per token that of the delay cycle
    assert got["batch_size"] == pytest.approx(5 * seconds, rel=0.015)
    assert got["batch_size_p95"] > got["batch_size"]
    assert got["utilization"] == pytest.approx(300 / got["requests_per_minute_capacity"], abs=1e-4)


def test_four_ways_to_state_the_load(server):
    rate = answer(server, **SMALL, requests_per_minute=90)
    assert answer(server, **SMALL, tokens_per_day=90 * 1440 * 1280)["batch_size"] == \
        pytest.approx(rate["batch_size"], rel=1e-5)
    fixed = answer(server, **SMALL, batch_size=8, replica_count=2, tensor_parallel=1)
    spread = answer(server, **SMALL, concurrent_requests=16, replica_count=2, tensor_parallel=1)
    assert fixed["batch_size"] == spread["batch_size"] == 8
    assert fixed["time_per_output_token_seconds"] == spread["time_per_output_token_seconds"]
    lone = answer(server, **SMALL)
    assert lone["batch_size"] == 1 and lone["cost_basis"] == "saturated"
    assert rate["cost_basis"] == "load"
    errors = refused(server, **SMALL, batch_size=8, tokens_per_day=1e6)
    assert errors["tokens_per_day"]["code"] == "contradiction"


def test_peak_sizes_and_average_pays(server):
    flat = answer(server, **INTERVIEW, price_per_gpu_hour=2)
    peaky = answer(server, **INTERVIEW, price_per_gpu_hour=2, peak_to_average_ratio=3)
    assert peaky["gpu_count"] > flat["gpu_count"]
    assert peaky["output_tokens_per_second"] == flat["output_tokens_per_second"]
    for got in (flat, peaky):
        assert got["cost_per_hour"] == pytest.approx(2 * got["gpu_count"])
        assert got["cost_per_month"] == pytest.approx(1460 * got["gpu_count"])
        assert got["cost_per_million_output_tokens"] == pytest.approx(
            got["cost_per_hour"] / (1000 * 60 * 200) * 1e6, rel=1e-5)
        assert got["cost_per_million_tokens"] == pytest.approx(
            got["cost_per_hour"] / (1000 * 60 * 712) * 1e6, rel=1e-5)


def test_owned_gpus_cost_what_the_ledger_says(server):
    got = answer(server, **INTERVIEW, purchase_option="owned")
    used, price = got["utilization"], got["inputs"]["price_per_gpu_hour"]["value"]
    owned = dict(gpu=INTERVIEW["gpu"], gpu_count=got["gpu_count"], utilization=used, goodput=1)
    life = server.get("/v1/break-even", **owned).json["inputs"]["useful_life_months"]["value"]
    ledger = server.get("/v1/break-even", **owned, horizon_months=life).json
    assert price == pytest.approx(ledger["buy_cost_per_useful_gpu_hour"] * used, rel=1e-3)
    assert got["cost_per_hour"] == pytest.approx(price * got["gpu_count"], rel=1e-5)
    assert got["inputs"]["gpu_card_price"]["value"] > 0
    errors = refused(server, **SMALL, purchase_option="owned", provider="aws")
    assert errors["purchase_option"]["code"] == "contradiction"


def test_prefix_cache_saves_reading(server):
    whole = answer(server, **SMALL, input_tokens=4096, concurrent_requests=8, tensor_parallel=1,
                   replica_count=1)
    cached = answer(server, **SMALL, input_tokens=4096, concurrent_requests=8, tensor_parallel=1,
                    replica_count=1, prefix_cache_ratio=0.75)
    assert cached["prefill_seconds"] < 0.5 * whole["prefill_seconds"]
    assert cached["time_per_output_token_seconds"] < whole["time_per_output_token_seconds"]
    assert cached["max_concurrent_requests"] == whole["max_concurrent_requests"]


CACHED = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", requests_per_minute=600,
              input_tokens=4000, output_tokens=200, time_to_first_token_seconds_max=2)


def test_a_prefix_cache_needs_fewer_gpus_wherever_it_is_asked(server):
    """Sizing, options and recommendation take it alike, never for more GPUs, and say what it rests on."""
    before = math.inf
    for ratio in (0, 0.3, 0.6, 0.9):
        asked = CACHED | dict(prefix_cache_ratio=ratio)
        plan = answer(server, **asked)
        listed = server.get("/v1/inference-sizing/options", **asked, per_gpu=0, limit=1000).json
        advice = server.get("/v1/recommendation", **asked, workload="serve", limit=1000).json
        assert plan["gpu_count"] <= before
        assert min(row["gpu_count"] for row in listed["options"]
                   if row["meets_latency"]) == plan["gpu_count"]
        assert min(row["gpu_count"] for row in advice["options"] if row["gpu_count"]) == \
            plan["gpu_count"]
        for got in (plan, listed, advice):
            assert ("prefix_cache" in codes(got)) is (ratio > 0)
        before = plan["gpu_count"]
    assert before < answer(server, **CACHED)["gpu_count"]
    row = server.get("/v1/assumptions", key="prefix_cache_ratio").json["rows"][0]
    assert row["default"] == 0 and "deepseek" in row["source"]


def test_what_does_not_fit_is_answered_with_what_is_missing(server):
    got = answer(server, model="llama-2-70b", gpu="rtx-4090", gpu_count=1, weight_dtype="fp16")
    assert got["fits"] is False and got["binding_constraint"] == "memory"
    assert got["memory_shortfall_gib"] == pytest.approx(
        got["memory_per_gpu_gib"] - got["memory_capacity_gib"], rel=1e-5)
    assert got["shortfall_unit"] == "GiB" and got["shortfall"] > 100
    assert got["weights_gib"] == pytest.approx(68976648192 * 2 / 2**30, rel=1e-3)
    assert got["time_per_output_token_seconds"] is None and got["utilization"] is None
    assert got["nearest_gpu_count"] == 8
    assert "times_unknown" in codes(got) and "datacenter_licence" in codes(got)


def test_nothing_meets_it(server):
    reply = server.get("/v1/inference-sizing", **INTERVIEW, tensor_parallel=2)
    assert reply.status == 422
    problem = reply.json
    assert problem["type"].endswith("no-solution")
    assert "alone on a replica" in problem["detail"]


def test_alone_but_among_the_longest(server):
    """A limit is kept by 95% of requests, whose lengths spread: a prompt of the length given is faster."""
    load = dict(model="llama-3.1-8b", gpu="rtx-4090", gpu_count=8, input_tokens=16000, output_tokens=200,
                requests_per_minute=1)
    mean = answer(server, **load, tensor_parallel=8)["prefill_seconds"]
    for limit, what in (("time_to_first_token_seconds_max", "its prompt"), ("latency_p95_seconds", "it")):
        got = answer(server, **load, tensor_parallel=8, **{limit: 1})
        takes = float(re.search(rf"takes ([\d.]+) seconds if {what} is among the longest 5%",
                                got["reason"])[1])
        assert takes == pytest.approx(1 + got["shortfall"], rel=1e-3) and takes > 2 * mean
        alike = answer(server, **load, tensor_parallel=8, **{limit: 1}, input_tokens_cv=0,
                       output_tokens_cv=0)
        assert "alone on a replica" in alike["reason"] and "longest" not in alike["reason"]


@pytest.mark.parametrize("limit,word", [
    (dict(time_to_first_token_seconds_max=0.001), "time_to_first_token"),
    (dict(tokens_per_second_per_user_min=5000), "tokens_per_second_per_user"),
    (dict(latency_p95_seconds=0.01), "latency_p95"),
])
def test_each_limit_is_named(server, limit, word):
    got = answer(server, **SMALL, requests_per_minute=60, gpu_count=8, **limit)
    assert got["meets_latency"] is False and got["binding_constraint"] == word
    assert got["shortfall"] > 0


def test_no_limit_no_verdict_on_latency(server):
    assert answer(server, **SMALL, requests_per_minute=60)["meets_latency"] is None


def test_intervals(server, constant):
    known = answer(server, **SMALL, concurrent_requests=16, engine="vllm", gpu_count=1)
    open_ = answer(server, **SMALL, concurrent_requests=16, gpu_count=1)
    other = answer(server, model="llama-3.1-8b", gpu="mi300x", concurrent_requests=16,
                   engine="vllm", gpu_count=1)
    shared = answer(server, model="llama-3.1-8b", gpu="dgx-spark", concurrent_requests=16,
                    engine="vllm", gpu_count=1)
    u = constant["interval_factor", "served_dense"]["default"]
    for got, factor in ((known, u), (open_, u * u), (other, u * u), (shared, u * u)):
        middle = got["time_per_output_token_seconds"]
        assert got["time_per_output_token_seconds_high"] == pytest.approx(middle * factor, rel=1e-4)
        assert got["time_per_output_token_seconds_low"] == pytest.approx(middle / factor, rel=1e-4)
    first, band = known["time_to_first_token_seconds"], constant["ttft_range_factor", "vllm"]
    for end in ("low", "high"):
        assert known[f"time_to_first_token_seconds_{end}"] == pytest.approx(band[end] * first,
                                                                            rel=1e-4)
    assert all("weak_calibration" in codes(got) for got in (other, shared))


def test_ends_of_a_load_that_comes_at_random(server, constant):
    """A replica that is slower than estimated has more in flight: near the limit of the load that is
    most of what is unknown, with few requests nothing."""
    u = constant["interval_factor", "one_stream"]["default"]  # hardly ever two at once
    engine = dict(engine="vllm", gpu_count=1, input_tokens=1000, output_tokens=300)
    full = answer(server, **SMALL, **engine, requests_per_minute=60)["requests_per_minute_capacity"]
    few, half, near, nearer = (answer(server, **SMALL, **engine, requests_per_minute=full * share)
                               for share in (0.001, 0.5, 0.8, 0.9))
    for name, spread in (("time_per_output_token_seconds", u * u),
                         ("time_to_first_token_seconds", None)):
        wide = [got[f"{name}_high"] / got[f"{name}_low"] for got in (few, half, near)]
        assert wide[0] < wide[1] < wide[2]
        assert spread is None or wide[0] == pytest.approx(spread, rel=0.01)
    for got in (few, half, near):
        for name in ("time_per_output_token_seconds", "time_to_first_token_seconds",
                     "latency_p95_seconds_estimate", "time_to_first_token_p95_seconds_estimate"):
            assert got[f"{name}_low"] < got[name] < got[f"{name}_high"]
    assert near["time_per_output_token_seconds_high"] > 1.5 * near["time_per_output_token_seconds"]
    # One slower by the factor of the interval, 1.18, would be overloaded: waits that grow without end.
    for name in ("time_to_first_token_seconds", "time_to_first_token_p95_seconds_estimate",
                 "latency_p50_seconds_estimate", "latency_p95_seconds_estimate"):
        assert nearer[f"{name}_low"] < nearer[name] and nearer[f"{name}_high"] is None
    assert nearer["time_per_output_token_seconds_high"] > nearer["time_per_output_token_seconds"]
    assert ["no_upper_end" in codes(got) for got in (few, half, near, nearer)] == [False] * 3 + [True]
    assert "load_factor" in explained(answer(server, **SMALL, **engine, explain=1,
                                             requests_per_minute=full * 0.9))[
        "time_per_output_token_seconds_high"]["formula"]


def test_a_limit_inside_the_range_is_said(server):
    load = dict(**SMALL, requests_per_minute=60, engine="vllm", gpu_count=1)
    free = answer(server, **load)
    for limit, figure, words in (
            ("time_to_first_token_seconds_max", "time_to_first_token_p95_seconds_estimate", "first token"),
            ("latency_p95_seconds", "latency_p95_seconds_estimate", "seconds, but the upper end")):
        near, far = (answer(server, **load, **{limit: value}) for value in
                     (1.05 * free[figure], 1.05 * free[f"{figure}_high"]))
        said = [each["detail"] for each in near["warnings"] if each["code"] == "limit_in_interval"]
        assert near["meets_latency"] and len(said) == 1 and words in said[0]
        assert far["meets_latency"] and "limit_in_interval" not in codes(far)
    slow, quick = (1 / free[f"time_per_output_token_seconds{end}"] for end in ("_high", ""))
    near, far = (answer(server, **load, tokens_per_second_per_user_min=rate)
                 for rate in (0.2 * slow + 0.8 * quick, 0.95 * slow))
    said = [each["detail"] for each in near["warnings"] if each["code"] == "limit_in_interval"]
    assert near["meets_latency"] and len(said) == 1 and f"its range, {slow:.3g}, does not" in said[0]
    assert far["meets_latency"] and "limit_in_interval" not in codes(far)


def test_static_batching(server):
    got = answer(server, **SMALL, batch_size=16, batching="static", gpu_count=1)
    joined = answer(server, **SMALL, batch_size=16, gpu_count=1)
    assert got["time_per_output_token_seconds"] < joined["time_per_output_token_seconds"]
    full = answer(server, **SMALL, batch_size=100000, batching="static", gpu_count=1)
    assert "batch_capped" in codes(full) and full["meets_load"] is False
    rate = answer(server, **SMALL, requests_per_minute=60, batching="static")
    assert "wait_not_counted" in codes(rate)


def test_links(server):
    pcie = answer(server, model="llama-3.1-8b", gpu="a100-pcie-80gb", tensor_parallel=2,
                  replica_count=1)
    bridged = answer(server, model="llama-3.1-8b", gpu="a100-pcie-80gb", tensor_parallel=2,
                     replica_count=1, nvlink_bridge=1)
    assert "over_pcie" in codes(pcie) and "over_pcie" not in codes(bridged)
    assert bridged["time_per_output_token_seconds"] < pcie["time_per_output_token_seconds"]


def test_weights_the_gpu_has_no_arithmetic_for(server):
    got = answer(server, model="llama-3.1-8b", gpu="a100-sxm4-80gb", weight_dtype="fp8")
    assert "weight_only" in codes(got)
    assert "weight_only" not in codes(answer(server, **SMALL, weight_dtype="fp8"))
    turing = answer(server, model="llama-3.2-1b", gpu="t4")
    assert turing["inputs"]["weight_dtype"]["value"] == "fp16"


def test_wide_models_take_stages(server):
    got = answer(server, model="kimi-k2-instruct", gpu="h200-sxm5-141gb", weight_dtype="bf16")
    assert got["tensor_parallel"] * got["pipeline_parallel"] > 8 and got["fits"]
    llama_cpp = answer(server, model="llama-2-70b", gpu="rtx-4090", weight_dtype="int4",
                       engine="llama_cpp")
    assert llama_cpp["tensor_parallel"] == 1 and llama_cpp["pipeline_parallel"] > 1


def test_line_items_add_up(server):
    got = answer(server, **INTERVIEW)
    rows = ask(server, "/line-items", **INTERVIEW).json["line_items"]
    assert rows == got["line_items"]

    def total(group, column="value"):
        return math.fsum(r[column] for r in rows if r["group"] == group)
    assert total("memory") == pytest.approx(got["memory_capacity_gib"], rel=1e-4)
    assert total("time") == pytest.approx(got["time_per_output_token_seconds"], rel=1e-4)
    assert total("cost", "amount") == pytest.approx(got["cost_per_hour"], abs=0.005)
    keys = [r["key"] for r in rows]
    assert keys[:3] == ["weights", "kv_cache", "overhead"] and len(set(keys)) == len(keys)
    one = ask(server, ".txt", field="line_items.weight_reads", **INTERVIEW).text
    assert float(one) == rows[keys.index("weight_reads")]["value"]


def test_formats_say_the_same(server):
    whole = answer(server, **INTERVIEW)
    wide = next(csv.DictReader(io.StringIO(ask(server, ".csv", **INTERVIEW).text)))
    assert float(wide["gpu_count"]) == whole["gpu_count"]
    assert float(wide["latency_p95_seconds_estimate"]) == whole["latency_p95_seconds_estimate"]
    assert float(wide["rule_of_thumb.concurrency_little"]) == pytest.approx(83.3333, rel=1e-4)
    assert ask(server, ".txt", **INTERVIEW).text == str(whole["gpu_count"])
    assert ask(server, ".txt", field="meets_latency", **INTERVIEW).text == "true"
    lines = list(csv.DictReader(io.StringIO(ask(server, "/line-items.csv", **INTERVIEW).text)))
    assert {row["group"] for row in lines} == {"memory", "time", "cost"}
    assert "<inference_sizing>" in ask(server, ".xml", **INTERVIEW).text


def test_post_is_the_same_question(server):
    posted = server.post("/v1/inference-sizing", INTERVIEW)
    assert posted.status == 200, posted.text
    assert posted.json["gpu_count"] == answer(server, **INTERVIEW)["gpu_count"]


def test_a_posted_config_serves_as_the_named_model(server):
    config = json.loads((CONFIGS / "DeepSeek-V3.config.json").read_text())
    question = dict(gpu="b200-sxm", weight_dtype="fp8", requests_per_minute=600)
    posted = server.post("/v1/inference-sizing", question | {"model_config": config})
    assert posted.status == 200, posted.text
    named = answer(server, model="deepseek-v3", **question)
    for key in ("gpu_count", "weights_gib", "kv_cache_bytes_per_token"):
        assert posted.json[key] == pytest.approx(named[key], rel=1e-3)


def test_a_count_gets_a_typical_shape_and_says_so(server):
    got = answer(server, parameters="7e9", gpu="h100-sxm5-80gb")
    assert "typical_shape" in codes(got)
    assert got["weights_gib"] == pytest.approx(14e9 / 2**30, rel=0.01)


def test_inputs_are_echoed_with_their_source(server):
    inputs = answer(server, **INTERVIEW)["inputs"]
    assert inputs["output_tokens"]["value"] == 200
    assert inputs["output_tokens"]["source"] == "request"
    assert inputs["memory_utilization"]["value"] == 0.9
    assert inputs["memory_utilization"]["source"] == "default"
    assert inputs["price_per_gpu_hour"]["source"] == "catalog"
    assert inputs["memory_bandwidth_gb_per_second"]["value"] == 2039


@pytest.mark.parametrize("params,culprit,code", [
    (dict(tensor_parallel=3), "tensor_parallel", "contradiction"),
    (dict(tensor_parallel=16), "tensor_parallel", "contradiction"),
    (dict(tensor_parallel=2, engine="llama_cpp"), "tensor_parallel", "contradiction"),
    (dict(gpu_count=7, tensor_parallel=2), "gpu_count", "contradiction"),
    (dict(gpu_count=8, tensor_parallel=2, pipeline_parallel=1, replica_count=3), "gpu_count",
     "contradiction"),
    (dict(pipeline_parallel=33), "pipeline_parallel", "contradiction"),
    (dict(expert_parallel=2), "expert_parallel", "contradiction"),
    (dict(gpu="h100-sxm5-80"), "gpu", "unknown_name"),
    (dict(model="llama-3.1-80b"), "model", "unknown_name"),
    (dict(parameters=7e9), "model", "contradiction"),
    (dict(provider="lambada"), "provider", "unknown_name"),
    (dict(weight_dtype="fp16a"), "weight_dtype", "unknown_choice"),
    (dict(engine="transformers"), "engine", "unknown_choice"),
    (dict(prefix_cache_ratio="50%"), "prefix_cache_ratio", "not_a_number"),
    (dict(prefix_cache_ratio=1), "prefix_cache_ratio", "out_of_range"),
    (dict(requests_per_minute="1.000,5"), "requests_per_minute", "not_a_number"),
    (dict(input_tokens=0), "input_tokens", "out_of_range"),
    (dict(input_tokens=1.5), "input_tokens", "not_whole"),
    (dict(peak_to_average_ratio=0.5), "peak_to_average_ratio", "out_of_range"),
    (dict(latency_p95_seconds="nan"), "latency_p95_seconds", "not_a_number"),
    (dict(utilization=0.7), "utilization", "unknown_parameter"),
    (dict(output_token=200), "output_token", "unknown_parameter"),
])
def test_bad_input(server, params, culprit, code):
    assert refused(server, **(SMALL | params))[culprit]["code"] == code


def test_every_culprit_at_once(server):
    errors = refused(server, **(SMALL | dict(tensor_parallel=5, pipeline_parallel=99,
                                             expert_parallel=4)))
    assert set(errors) == {"tensor_parallel", "pipeline_parallel", "expert_parallel"}


def test_all_models_on_all_gpus_are_answered(server):
    gpus = [r["gpu"] for r in server.get("/v1/gpus").json["rows"] if r["peak_fp16_dense_tflops"] or r["peak_bf16_dense_tflops"]]
    models = {r["model"]: r["reads_only"] for r in server.get("/v1/models").json["rows"]}
    assert len(gpus) >= 59 and len(models) >= 100
    for i, model in enumerate(models):
        for gpu in (gpus[i % len(gpus)], gpus[(7 * i + 3) % len(gpus)]):
            reply = server.get("/v1/inference-sizing", model=model, gpu=gpu, gpu_count=8,
                               requests_per_minute=10)
            assert reply.status == 200, f"{model} on {gpu}: {reply.text}"
            got = reply.json
            assert got["gpu_count"] == 8 and got["weights_gib"] > 0
            if got["fits"] and got["meets_load"]:
                per = "prefill_seconds" if models[model] else "time_per_output_token_seconds"
                assert got[per] > 0, f"{model} on {gpu}"


# --- why: each figure's formula, numbers and source

# Headline figures that are chosen or echoed, and another design's: no estimate of this one.
NOT_ESTIMATED = set("""fits meets_load meets_latency tensor_parallel pipeline_parallel expert_parallel
    nearest_gpu_count nearest_replica_count nearest_prefill_replica_count nearest_tensor_parallel
    nearest_pipeline_parallel attention_data_parallel nearest_attention_data_parallel nearest_tokens_per_pass
    price_offer_count price_provider_count price_oversized_provider_count
    price_outdated_provider_count price_derived_provider_count rented_gpu_count minimum_term_days""".split())


@pytest.fixture(scope="module")
def columns(server):
    return figures(server, "InferenceSizing")


def check_why(answered, columns):
    """Each line and figure has a row of its value; the lines of time are those of a token."""
    rows = explained(answered)
    check_lines(answered, rows)
    check_figures(answered, rows, columns, NOT_ESTIMATED)
    check_terms(rows)
    if answered["time_per_output_token_seconds"] is not None:
        check_memory(answered)
        time = sum(line["value"] for line in answered["line_items"] if line["group"] == "time")
        assert time == pytest.approx(answered["time_per_output_token_seconds"], rel=2e-5)
    return rows


def check_memory(answered):
    """The lines of memory are those of the GPU."""
    memory = sum(line["value"] for line in answered["line_items"] if line["group"] == "memory")
    assert memory == pytest.approx(answered["memory_capacity_gib"], rel=2e-5)


def check_terms(rows):
    """An input that is called as a row is has that row's value."""
    for row in rows.values():
        for name, value in re.findall(r"(\w+) = \(?([-+.e\d]+)", row["inputs"]):
            if name in rows and rows[name]["value"] is not None:
                assert float(value) == pytest.approx(rows[name]["value"], rel=2e-5, abs=1e-9), row


def test_why_of_the_interview_case(server, columns):
    answered = answer(server, **INTERVIEW, explain=1)
    rows = check_why(answered, columns)
    assert rows["gpu_count"]["substitution"] == (
        f"{answered['tensor_parallel']} GPUs x {answered['pipeline_parallel']} stages x "
        + (f"({answered['replica_count']} replicas + {answered['prefill_replica_count']} replicas)"
           if answered["prefill_replica_count"] else f"{answered['replica_count']} replicas"))
    assert rows["kv_cache_bytes_per_token"]["substitution"] == "80 layers x 2048 elements x 2 B"
    assert rows["weights_gib"]["value"] == pytest.approx(128.5, abs=1)
    little = rows["batch_size"]
    assert little["formula"] == "arrivals x request_seconds" and "Little" in little["source"]
    assert float(re.search(r"arrivals = ([.\d]+)", little["inputs"])[1]) == \
        pytest.approx(1000 / 60 / answered["replica_count"])
    tail = rows["batch_size_p95"]
    below = [float(p) for p in re.findall(r"P\(X <= \d+\) = ([.\d]+)", tail["source"])]
    assert below[0] >= 0.95 > below[1]
    assert f"P(X <= {answered['batch_size_p95']:.0f}) = " in tail["source"]
    assert "limit 5)" in rows["requests_in_flight_within"]["source"]


@pytest.mark.parametrize("model, engine, launches, has, has_not", [
    ("llama-3.1-70b", "vllm", "(layers x o_engine + moe_layers x o_moe) x 1e-6", (),
     ("state_reads", "prompt_pause", "expert_routing")),
    ("qwen3.5-397b-a17b", "vllm", "(layers x o_engine + moe_layers x "
     "(o_moe + o_shared + o_block)) x 1e-6",
     ("state_reads", "expert_routing"), ("prompt_pause",)),
    ("deepseek-v3.2", "sglang", "(layers x (o_engine + o_mla + o_index) + moe_layers x "
     "(o_moe + o_shared + o_block)) x 1e-6", ("prompt_pause",), ("state_reads",)),
])
def test_why_of_what_not_every_model_has(server, columns, model, engine, launches, has, has_not):
    """Recurrent states, copies for experts, block scales of FP8, an indexer, and prompts that delay the first token."""
    answered = answer(server, model=model, engine=engine, gpu="b200-sxm", weight_dtype="fp8",
                      tensor_parallel=8, concurrent_requests=64, input_tokens_cv=0,
                      output_tokens_cv=0, explain=1)
    rows = check_why(answered, columns)
    assert rows["launches"]["formula"] == launches
    assert rows["prefill_launches"]["formula"] == launches.replace("(layers", "(c_pre x layers", 1)
    lines = {line["key"]: line["value"] for line in answered["line_items"]}
    for key in has:
        assert rows[key]["value"] > 0
    for key in has_not:
        assert key not in rows and key not in lines
    assert lines.get("state_reads", 0) == pytest.approx(
        rows["state_reads"]["value"] if "state_reads" in has else 0, rel=2e-5)
    if "prompt_pause" in has:
        assert "interference_share x" in rows["prefill_interference"]["formula"]
        assert rows["time_to_first_token_seconds"]["formula"].endswith(" + prompt_pause")


@pytest.mark.parametrize("gpu, divisor, launches", [
    ("mi300x", "(f_experts_amd x tensor_parallel)", "(o_moe + o_shared + o_experts_amd)"),
    ("mi355x", "tensor_parallel", "(o_moe + o_shared)")])
def test_why_of_experts_on_amd_gpus(server, columns, gpu, divisor, launches):
    """Those without FP4 arithmetic read experts more slowly, and launch more kernels for them."""
    rows = check_why(answer(server, model="glm-4.6", engine="vllm", gpu=gpu, weight_dtype="bf16", tensor_parallel=8,
                            concurrent_requests=64, explain=1), columns)
    assert f"distinct_experts x expert_bytes / {divisor})" in rows["weight_reads"]["formula"]
    assert f"experts x expert_bytes / {divisor})" in rows["prefill_weights"]["formula"]
    assert f"moe_layers x {launches}" in rows["launches"]["formula"]


def test_clients_in_step_wait_for_one_another(server, columns):
    """Lengths that are all alike keep clients in step; SGLang's recipes look for requests now and then."""
    load = dict(model="deepseek-r1", gpu="b200-sxm", weight_dtype="fp8", tensor_parallel=8,
                input_tokens=4096, output_tokens=1024, concurrent_requests=8, explain=1)
    alike = dict(input_tokens_cv=0, output_tokens_cv=0)
    for engine in ("vllm", "sglang"):
        apart, in_step = answer(server, **load, engine=engine), answer(server, **load, **alike,
                                                                       engine=engine)
        assert in_step["time_to_first_token_seconds"] > apart["time_to_first_token_seconds"]
        rows = check_why(in_step, columns)
        assert ("unseen_steps" in rows) == (engine == "sglang")
        assert ("ttft_turns" in rows["turns_queued"]["formula"]) == (engine == "vllm")


def test_why_names_pages_that_exist(server):
    """Every address of a source is answered: assumption, data sheet and model."""
    rows = answer(server, model="deepseek-v3", gpu="h200-sxm5-141gb", weight_dtype="fp8",
                  engine="sglang", gpu_count=16, requests_per_minute=60, explain=1)["explanations"]
    pages = {page for row in rows for page in re.findall(r"/v1/[^;\s]+", row["source"])}
    assert {"/v1/gpus/h200-sxm5-141gb", "/v1/models/deepseek-v3",
            "/v1/assumptions?key=c_route"} <= pages
    for page in pages:
        assert server.get(page).status == 200, page


def test_why_is_told_only_where_asked(server):
    assert "explanations" not in answer(server, **INTERVIEW)
    told, plain = answer(server, **INTERVIEW, explain=1), answer(server, **INTERVIEW)
    assert {k: v for k, v in told.items() if k not in ("explanations", "meta")} == \
        {k: v for k, v in plain.items() if k != "meta"}


def test_why_in_a_sheet_of_its_own(server):
    rows = answer(server, **SMALL, explain=1)["explanations"]
    assert ask(server, "/explanations", **SMALL).json["explanations"] == rows
    sheet = list(csv.DictReader(io.StringIO(ask(server, "/explanations.csv", **SMALL).text)))
    assert [r["key"] for r in sheet] == [r["key"] for r in rows]
    assert sheet[0]["substitution"] == rows[0]["substitution"]


def test_why_it_does_not_fit(server, columns):
    answered = answer(server, **(NAIVE | dict(gpu_count=1)), explain=1)
    rows = check_why(answered, columns)
    assert not answered["fits"]
    assert rows["memory_shortfall_gib"]["value"] > 50 and "weight_reads" not in rows


def test_why_the_queue_has_no_end(server, columns):
    answered = answer(server, **SMALL, gpu_count=1, requests_per_minute=1e5, explain=1)
    rows = check_why(answered, columns)
    assert answered["batch_size"] is None and rows["batch_size"]["substitution"] is None
    assert "without end" in rows["latency_p95_seconds_estimate"]["source"]


@pytest.mark.parametrize("gpu, weights, release, key", [
    ("h200-sxm5-141gb", "bf16", "0.16", "f_untuned"), ("h200-sxm5-141gb", "fp8", "0.19", "f_block_triton"),
    ("h100-pcie-80gb", "int4", "0.19", "f_marlin"), ("b200-sxm", "fp8", "0.19", "f_block")])
def test_why_of_slow_products_of_experts(server, columns, gpu, weights, release, key):
    rows = check_why(answer(server, model="qwen3-235b-a22b", engine="vllm", gpu=gpu, weight_dtype=weights,
                            tensor_parallel=8, concurrent_requests=64, engine_version=release, explain=1), columns)
    assert f"(1 + expert_fraction x (1 / {key} - 1))" in rows["gemm_share"]["formula"]
    assert key in rows["gemm_share"]["source"]


def test_why_of_whole_experts(server, columns):
    asked = dict(model="qwen3-235b-a22b", gpu="h200-sxm5-141gb", weight_dtype="fp8", tensor_parallel=8,
                 engine="tensorrt_llm", concurrent_requests=64, explain=1)
    rows = check_why(answer(server, **asked, expert_parallel=8), columns)
    for line in ("expert_routing", "prefill_routing"):
        assert rows[line]["formula"].startswith("busiest_gpu x c_route") and " / tensor_parallel" in rows[line]["formula"]
    assert "busiest_gpu" not in check_why(answer(server, **asked), columns)


def test_why_of_a_posted_model(server, columns):
    config = json.loads((CONFIGS / "Qwen3-30B-A3B.config.json").read_text())
    reply = server.post("/v1/inference-sizing", SMALL_GPU | dict(model_config=config, explain=1))
    assert reply.status == 200, reply.text
    rows = check_why(reply.json, columns)
    assert "/v1/models" not in rows["expert_bytes"]["source"]


SMALL_GPU = {"gpu": SMALL["gpu"], "requests_per_minute": 30}


def test_why_whatever_is_asked(server, columns):
    """Each substitution comes to its figure over models, GPUs, engines, formats and designs."""
    rng = random.Random(20261122)
    values = {
        "gpu": ["rtx-4090", "h100-sxm5-80gb", "gb200-nvl72", "a100-pcie-80gb", "mi300x", "l40s",
                "b200-sxm", "v100-sxm2-32gb", "rtx-3090", "gaudi3"],
        "model": ["deepseek-v3", "llama-2-7b", "qwen3-30b-a3b", "llama-3.1-405b", "gemma-2-9b",
                  "mixtral-8x7b-v0.1", "gpt-oss-120b", "llama-3.1-70b"],
        "weight_dtype": ["fp16", "bf16", "fp8", "int8", "int4", "fp4", "fp32", None],
        "kv_cache_dtype": ["fp16", "fp8", "int4", None, None],
        "bytes_per_weight": ["0.7", None, None, None],
        "engine": ["unspecified", "vllm", "tensorrt_llm", "sglang", "llama_cpp", "compiled"],
        "batching": ["continuous", "continuous", "continuous", "static"],
        "input_tokens": ["128", "1024", "8192", None],
        "output_tokens": ["1", "200", "2000", None],
        "prefix_cache_ratio": ["0.5", None, None],
        "memory_utilization": ["0.5", None, None],
        "gpu_count": ["1", "8", "16", "64", None],
        "tensor_parallel": ["1", "2", "8", None, None],
        "pipeline_parallel": ["1", "2", "4", None, None],
        "replica_count": ["2", None, None, None],
        "gpus_per_node": ["4", None, None],
        "latency_p95_seconds": ["5", "60", None, None],
        "time_to_first_token_seconds_max": ["1", None, None],
        "tokens_per_second_per_user_min": ["20", None, None],
        "peak_to_average_ratio": ["1.5", None],
        "nvlink_bridge": ["1", None],
        "price_per_gpu_hour": ["2.345", None],
    }
    loads = [{"batch_size": "16"}, {"concurrent_requests": "100"}, {"requests_per_minute": "30"},
             {"requests_per_minute": "0.01"}, {"requests_per_minute": "3000"},
             {"tokens_per_day": "1e8"}, {}]
    ways = [{}, {"speculative_tokens": 1}, {"attention_data_parallel": 2},
            {"speculative_tokens": 4, "speculative_acceptance_rate": 0},
            {"speculative_tokens": 2, "speculative_acceptance_rate": 1,
             "speculative_draft_cost_ratio": 0}, {"separate_prefill": 1},
            {"separate_prefill": 1, "prefill_replica_count": 3},
            {"separate_prefill": 1, "speculative_tokens": 3, "attention_data_parallel": 8}]
    seen = []
    for _ in range(700):
        asked = {k: v for k, v in ((k, rng.choice(v)) for k, v in values.items()) if v}
        asked |= rng.choice(loads) | rng.choice(ways)
        reply = server.get("/v1/inference-sizing", **asked, explain=1)
        assert reply.status in (200, 400, 422), (asked, reply.text)
        if reply.status == 200:
            try:
                seen.append(set(check_why(reply.json, columns)))
            except AssertionError as error:
                raise AssertionError(asked) from error
    assert len(seen) > 100
    for row in ("draft", "exchanges", "prompts_per_second"):
        assert sum(row in rows and "step_seconds" in rows for rows in seen) >= 5, row


@pytest.mark.parametrize("load", [dict(requests_per_minute=60), dict(batch_size=8)])
def test_the_cost_has_an_interval(server, load):
    """From the providers' prices; with a given price only from the throughput."""
    asked = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb") | load
    answer = server.get("/v1/inference-sizing", **asked).json
    assert answer["cost_per_hour_low"] < answer["cost_per_hour"] < answer["cost_per_hour_high"]
    for end in ("low", "high"):
        price = answer[f"cost_per_hour_{end}"] / answer["gpu_count"]
        given = server.get("/v1/inference-sizing", **asked, price_per_gpu_hour=price).json
        assert given["cost_per_hour_low"] == given["cost_per_hour"] == given["cost_per_hour_high"]
        assert given[f"cost_per_million_tokens_{end}"] == pytest.approx(answer[f"cost_per_million_tokens_{end}"], rel=1e-4)
        if answer["cost_basis"] == "load":
            assert given["cost_per_million_tokens"] == pytest.approx(given[f"cost_per_million_tokens_{end}"], rel=1e-4)
        else:
            rate = given["offline_output_tokens_per_second"] / given[f"offline_output_tokens_per_second_{'high' if end == 'low' else 'low'}"]
            assert given[f"cost_per_million_tokens_{end}"] == pytest.approx(given["cost_per_million_tokens"] * rate, rel=1e-4)


def test_an_embedding_is_bound_by_arithmetic_and_its_queue_has_an_end(server):
    """One output token: all work is reading prompts, and near the capacity no percentile exists."""
    asked = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", tensor_parallel=1, input_tokens=512,
                 output_tokens=1)
    one = answer(server, **asked, replica_count=1, requests_per_minute=60)
    assert one["bound"] == "compute"
    most, carried = one["requests_per_minute_capacity"], one["requests_per_minute_within_limits"]
    assert carried < most
    for rate in (0.3 * most, 0.9 * carried, 0.999 * most, 2.5 * most):
        said = answer(server, **asked, requests_per_minute=rate)
        assert said["meets_load"] and said["latency_p95_seconds_estimate"] > 0
        assert "nan" not in said["reason"]
    beyond = answer(server, **asked, pipeline_parallel=1, replica_count=1,
                    requests_per_minute=0.999 * most)
    assert not beyond["meets_load"] and beyond["latency_p95_seconds_estimate"] is None
    assert "nan" not in beyond["reason"]
