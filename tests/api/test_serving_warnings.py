"""What a load leaves open is said by every answer that serves it, first of all that no latency is
limited."""

import math

import pytest

LOAD = dict(model="llama-3.1-8b", daily_users=1000, requests_per_user_per_day=20)
H100 = "h100-sxm5-80gb"
ASKED = {
    "/v1/inference-sizing": dict(gpu=H100),
    "/v1/inference-sizing/options": dict(gpu=f"{H100},l40s"),
    "/v1/recommendation": dict(gpu=f"{H100},l40s", workload="serve"),
    "/v1/break-even": dict(gpu=H100, workload="serve"),
}


def codes_of(server, path, load):
    reply = server.get(path, **ASKED[path], **load)
    assert reply.status == 200, reply.text
    return [warning["code"] for warning in reply.json["warnings"]]


def codes(server, path, **more):
    return codes_of(server, path, LOAD | more)


@pytest.mark.parametrize("path", ASKED)
def test_no_limit_is_said_first_and_a_limit_silences_it(server, path):
    assert codes(server, path)[0] == "no_latency_limit"
    for limit in (dict(latency_p95_seconds=60), dict(time_to_first_token_seconds_max=3),
                  dict(tokens_per_second_per_user_min=5)):
        assert "no_latency_limit" not in codes(server, path, **limit)


@pytest.mark.parametrize("path", [path for path in ASKED if path != "/v1/break-even"])
def test_a_limit_on_the_first_token_alone_says_that_it_leaves_the_rest_open(server, path):
    """200 V3 requests a second on H200: first tokens within 2 s, whole answers in four minutes."""
    first = dict(time_to_first_token_seconds_max=3)
    assert "only_first_token_limited" in codes(server, path, **first)
    for limit in (dict(latency_p95_seconds=60), dict(tokens_per_second_per_user_min=5)):
        assert "only_first_token_limited" not in codes(server, path, **first, **limit)
    assert "only_first_token_limited" not in codes(server, path)


@pytest.mark.parametrize("path", ASKED)
def test_an_even_day_is_said(server, path):
    assert "no_peak" in codes(server, path)
    assert "no_peak" not in codes(server, path, peak_to_average_ratio=2)


def test_nobody_waits_for_the_tokens_of_a_day(server):
    load = dict(model=LOAD["model"], tokens_per_day=1e8)
    assert "no_latency_limit" not in codes_of(server, "/v1/inference-sizing", load)


PASSES = dict(model="deepseek-v3", gpu="b200-sxm", requests_per_minute=960, input_tokens=24000, output_tokens=300,
              time_to_first_token_seconds_max=2)


def test_longer_passes_are_named_where_they_need_fewer_gpus(server):
    plain = server.get("/v1/inference-sizing", **PASSES).json
    text, = [warning["detail"] for warning in plain["warnings"] if warning["code"] == "longer_passes"]
    told = int(text.split("=")[1].split()[0])
    longer = server.get("/v1/inference-sizing", **PASSES, tokens_per_pass=told).json
    assert f"would need {longer['gpu_count']} GPUs instead of {plain['gpu_count']}" in text
    assert longer["gpu_count"] <= 0.9 * plain["gpu_count"]


@pytest.mark.parametrize("change", [
    dict(tokens_per_pass=8192), dict(time_to_first_token_seconds_max=None), dict(input_tokens=4000),
    dict(gpu_count=432, tensor_parallel=8), dict(engine="llama_cpp", time_to_first_token_seconds_max=60),
    dict(prefix_cache_ratio=0.9)])
def test_otherwise_nothing_is_said_of_passes(server, change):
    asked = {name: value for name, value in (PASSES | change).items() if value is not None}
    reply = server.get("/v1/inference-sizing", **asked)
    assert "longer_passes" not in [warning["code"] for warning in reply.json.get("warnings", [])]


def test_what_the_spread_of_lengths_costs_is_told(server):
    """104 H100 at 35 % of what they can write: the limit holds for prompts 2.7 times the mean."""
    asked = dict(model="llama-3.1-70b", gpu="h100-sxm5-80gb", input_tokens=8000, output_tokens=300,
                 requests_per_minute=600, time_to_first_token_seconds_max=1.5)

    def sized(**more):
        answer = server.get("/v1/inference-sizing", **{**asked, **more}).json
        return answer, [row["detail"] for row in answer["warnings"] if row["code"] == "lengths_decide"]

    answer, (told,) = sized()
    assert answer["warnings"][0]["code"] == "lengths_decide"
    alike, none = sized(input_tokens_cv=0, output_tokens_cv=0)
    assert answer["utilization"] < 0.5 and answer["gpu_count"] >= 1.8 * alike["gpu_count"] and not none
    assert f"{alike['gpu_count']} GPUs would be enough" in told and "2.7 times the mean" in told
    assert "input_tokens_cv 0.96" in told
    later, _ = sized(time_to_first_token_seconds_max=3)
    assert f", with twice the limit {later['gpu_count']}:" in told
    assert not sized(time_to_first_token_seconds_max=60)[1]  # the load decides
    assert not sized(gpu_count=answer["gpu_count"])[1]  # that number was asked for
    options = server.get("/v1/inference-sizing/options", **asked).json["warnings"]
    recommended = server.get("/v1/recommendation", workload="serve", **asked).json["warnings"]
    for warnings in (options, recommended):
        assert [row["detail"] for row in warnings if row["code"] == "lengths_decide"] == [told]
    apart, _ = sized(separate_prefill=1)
    assert "which write" not in [row["detail"] for row in apart["warnings"] if row["code"] == "lengths_decide"][0]


def test_a_reader_is_told_of_prompts_alone(server):
    """A reranker's GPUs "write 46 % of what they could", and its answers had "over 1" token."""
    answer = server.get("/v1/inference-sizing/options", model="qwen3-reranker-8b", requests_per_minute=6000, input_tokens=1000,
                        time_to_first_token_seconds_max=0.3).json
    told, = [row["detail"] for row in answer["warnings"] if row["code"] == "lengths_decide"]
    assert "which read " in told and "(input_tokens_cv 0.96)." in told
    assert "write" not in told and "answer" not in told and "output_tokens_cv" not in told


def test_all_options_are_called_all(server):
    narrow = server.get("/v1/inference-sizing/options", model="llama-3.1-8b", requests_per_minute=60, weight_dtype="fp8").json
    told, = [row["detail"] for row in narrow["warnings"] if row["code"] == "low_bit_weights"]
    assert told.startswith(f"all {narrow['option_count']} options store weights")
    new = server.get("/v1/training-plan/options", model="llama-3.1-70b", objective="grpo", tokens=1e9, completion_tokens=1000,
                     sequence_tokens=1500, global_batch_sequences=4096).json
    told, = [row["detail"] for row in new["warnings"] if row["code"] == "no_near_measurement"]
    assert f"any of the {len(new['options'])} options listed:" in told


@pytest.mark.parametrize("question, says", [
    (dict(model="llama-3.3-70b", gpu="rtx-4090", gpu_count=1, weight_dtype="int4"), " It takes 2 GPUs: see nearest_gpu_count."),
    (dict(model="llama-3.3-70b", gpu="rtx-4090", gpu_count=2),
     " It takes 8 GPUs: see nearest_gpu_count. With weight_dtype=int4 it fits as stated."),
    (dict(model="llama-3.3-70b", gpu=H100, gpu_count=1), " It takes 2 GPUs: see nearest_gpu_count. With weight_dtype=fp8 it fits as stated."),
    (dict(model="llama-3.1-405b", gpu="rtx-3090", gpu_count=1),
     " It takes 40 GPUs: see nearest_gpu_count. With weight_dtype=int4 it takes 16 GPUs."),
])
def test_what_does_not_fit_says_what_would(server, question, says):
    reply = server.get("/v1/inference-sizing", concurrent_requests=1, **question)
    assert reply.json["fits"] is False and reply.json["reason"].endswith(f"are missing.{says}"), reply.json["reason"]
    _, given, sentence = says.partition("With weight_dtype")  # in a field of its own too
    assert reply.json["narrower_weights_sentence"] == (given + sentence or None)
    if "fits as stated" in says:
        narrow = says.split("weight_dtype=")[1].split(" ")[0]
        other = server.get("/v1/inference-sizing", concurrent_requests=1, **question, weight_dtype=narrow).json
        assert other["fits"] is True and other["gpu_count"] == question["gpu_count"]


def test_a_narrower_format_that_does_not_carry_the_load_is_told_so(server):
    """A request of 60,500 tokens needs 7.4 GiB of cache: with weights in FP8 there is room for one, in INT4 for two."""
    long = dict(model="llama-3.1-8b", gpu="rtx-4090", gpu_count=1, input_tokens=60000, output_tokens=500)
    for requests, says in ((1, "With weight_dtype=fp8 it fits as stated."), (2, "With weight_dtype=int4 it fits as stated."),
                           (3, "With weight_dtype=fp8 it fits, but does not meet the load or its limits.")):
        wide, eight = (server.get("/v1/inference-sizing", **long, concurrent_requests=requests, **more).json
                       for more in ({}, {"weight_dtype": "fp8"}))
        assert not wide["fits"] and wide["narrower_weights_sentence"] == says
        assert eight["fits"] and eight["meets_load"] is (requests == 1)
        assert requests == 1 or "holds 1 request of this length" in eight["reason"]


def test_consumer_cards_are_told_of_narrower_weights(server):
    asked = dict(model="gemma-3-27b-it", gpu="rtx-3090", concurrent_requests=1)
    said = {row["code"]: row["detail"] for row in server.get("/v1/inference-sizing", **asked).json["warnings"]}
    assert said["narrower_weights"].startswith("with 4-bit weights (weight_dtype=int4) it takes 1 GPU instead of 4;")
    assert server.get("/v1/inference-sizing", **asked, weight_dtype="int4").json["gpu_count"] == 1
    for other in (asked | dict(weight_dtype="int4"), asked | dict(gpu="a100-sxm4-40gb")):
        codes = [row["code"] for row in server.get("/v1/inference-sizing", **other).json["warnings"]]
        assert "narrower_weights" not in codes, other


def test_a_recommended_design_that_may_not_keep_up_is_said(server):
    """With the missing limit, or by itself where nobody waits for an answer. A recommendation takes one that does."""
    asked = dict(model="llama-3.3-70b", gpu="h200-sxm5-141gb")

    def said(path="/v1/inference-sizing/options", **load):
        answer = server.get(path, **asked, **load, peak_load_ratio_max=1).json
        row = answer["options"][int(answer.get("recommended_rank") or 1) - 1]
        return row["latency_p95_seconds_estimate_high"], {row["code"]: row["detail"] for row in answer["warnings"]}

    endless = ", or wait ever longer if the replicas are slower than estimated but within the 80% range."
    high, warnings = said(requests_per_minute=300)
    assert high is None and endless in warnings["no_latency_limit"] and "no_upper_end" not in warnings
    high, warnings = said(requests_per_minute=20)
    assert high > 0 and "wait ever longer" not in warnings["no_latency_limit"] and "no_upper_end" not in warnings
    high, warnings = said(tokens_per_day=300 * 1280 * 1440)
    assert high is None and "takes more GPUs" in warnings["no_upper_end"] and "no_latency_limit" not in warnings
    high, warnings = said(requests_per_minute=300, tokens_per_second_per_user_min=30)
    assert high > 0 and not {"no_upper_end", "no_latency_limit"} & set(warnings)
    high, warnings = said("/v1/recommendation", requests_per_minute=300, workload="serve")
    assert high > 0 and "do not keep up" in warnings["riskier_option"]


@pytest.mark.parametrize("asked, tight", [
    (dict(model="llama-3.3-70b", gpu="h200-sxm5-141gb", gpu_count=1), True), (dict(model="llama-3.3-70b", gpu="h200-sxm5-141gb", tensor_parallel=2), False),
    (dict(model="deepseek-r1", gpu="b200-sxm", gpu_count=2, weight_dtype="int4", engine="vllm"), True),
    (dict(model="llama-3.3-70b", gpu="h200-sxm5-141gb", gpu_count=1, engine="tensorrt_llm"), False), (dict(model="llama-3.1-8b", gpu=H100, gpu_count=1), False)])
def test_weights_that_the_usual_share_of_memory_does_not_hold_are_said(server, asked, tight):
    """vLLM's default share is 0.9; what it says to set holds weights, reserve and the cache."""
    answer = server.get("/v1/inference-sizing", concurrent_requests=1, **asked).json
    said = [row["detail"] for row in answer["warnings"] if row["code"] == "tight_memory"]
    assert answer["fits"] and bool(said) == tight
    for text in said:
        share = answer["memory_per_gpu_gib"] / answer["memory_capacity_gib"]
        assert 0.9 < share and f"it needs {math.ceil(100 * share) / 100:.2f} here" in text


@pytest.mark.parametrize("path", ["/v1/inference-sizing/options", "/v1/inference-sizing"])
def test_replicas_that_are_nearly_full_are_said_with_the_missing_limit(server, path):
    """Their load at the peak, from the figures of the answer itself."""
    asked = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", replica_count=1, tensor_parallel=1, weight_dtype="bf16")
    full = 60 / server.get("/v1/inference-sizing", **asked, requests_per_minute=60).json["utilization"]

    def said(share, **other):
        rows = server.get(path, **asked, requests_per_minute=share * full, **other).json["warnings"]
        return " ".join(row["detail"] for row in rows if row["code"] == "no_latency_limit")

    assert "At the peak the replicas carry 93% of what they can" in said(0.93)
    assert "At the peak the replicas carry 92% of what they can" in said(0.46, peak_to_average_ratio=2)
    assert "no limit" in said(0.8) and "At the peak" not in said(0.8)


def test_a_searched_design_starts_with_the_engines_own_memory(server):
    """DeepSeek-R1 takes 79.7 of the 80 GiB of eight A100, which no engine starts with: two servers are needed."""
    asked = dict(model="deepseek-r1", gpu="a100-sxm4-80gb", requests_per_minute=1, input_tokens=300, output_tokens=100)
    searched = server.get("/v1/inference-sizing", **asked).json
    assert searched["gpu_count"] == 16 and searched["memory_per_gpu_gib"] < 0.9 * searched["memory_capacity_gib"]
    stated = server.get("/v1/inference-sizing", **asked, gpu_count=8).json
    assert stated["fits"] and "tight_memory" in {row["code"] for row in stated["warnings"]}
    assert server.get("/v1/inference-sizing", **asked, memory_utilization=1).json["gpu_count"] == 8
    assert server.get("/v1/inference-sizing/options", **asked).json["options"][0]["gpu_count"] == 16


@pytest.mark.parametrize("path", ["/v1/inference-sizing", "/v1/inference-sizing/options", "/v1/recommendation"])
def test_lengths_that_the_model_does_not_take_are_told_first(server, path):
    more = dict(workload="serve") if "recommendation" in path else {}
    reply = server.get(path, model="gpt2", gpu="l40s", requests_per_minute=60, input_tokens=30000, output_tokens=100,
                       latency_p95_seconds=60, **more)
    assert reply.json["warnings"][0] == {
        "code": "context_too_long", "detail": "prompt and answer total 30,100 tokens; the model is designed for 1,024"}


def test_no_room_to_start_is_missing_memory(server):
    """Qwen3-14B fills 91% of the one GPU that a server is said to have."""
    reply = server.get("/v1/inference-sizing", model="qwen3-14b", gpu="rtx-5090", gpus_per_node=1, pipeline_parallel=1, requests_per_minute=5)
    assert reply.status == 422 and "needs 32.1 GiB and has 32.0, 0.1 GiB are missing" in reply.json["detail"]
    assert server.get("/v1/inference-sizing", model="qwen3-14b", gpu="rtx-5090", gpu_count=1, requests_per_minute=5).json["fits"]
