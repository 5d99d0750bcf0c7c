"""Embeddings, rerankers and classifiers: prompts are read, nothing is written (output_tokens=0)."""

import re

import pytest

ASKED = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", input_tokens=512)


def ask(server, path="/v1/inference-sizing", **params):
    return server.answer(path, **params).json


def test_nothing_written_takes_as_long_as_one_token(server):
    none = ask(server, **ASKED, output_tokens=0, requests_per_minute=3000)
    one = ask(server, **ASKED, output_tokens=1, requests_per_minute=3000)
    assert none["inputs"]["output_tokens"]["value"] == 0
    for name in ("gpu_count", "time_to_first_token_seconds", "latency_p95_seconds_estimate",
                 "requests_per_minute_capacity", "prefill_tokens_per_second", "cost_per_hour"):
        assert none[name] == one[name], name
    assert none["bound"] == "compute"


def test_tokens_are_those_of_prompts(server):
    """A million tokens read: 512 of each request, not 513."""
    none = ask(server, **ASKED, output_tokens=0, tokens_per_day=512 * 86400)
    rate = ask(server, **ASKED, output_tokens=0, requests_per_minute=60)
    assert none["utilization"] == pytest.approx(rate["utilization"])
    per_million = rate["cost_per_hour"] / (512 * 3600) * 1e6
    assert rate["cost_per_million_tokens"] == pytest.approx(per_million, rel=1e-3)
    assert rate["cost_per_million_input_tokens"] == rate["cost_per_million_tokens"]
    assert {name for name, value in rate.items() if "cost_per_million" in name and value is None} == {
        "cost_per_million_output_tokens", "cost_per_million_generated_tokens",
        "cost_per_million_output_tokens_low", "cost_per_million_output_tokens_high",
        "cost_per_million_output_tokens_saturated"}


@pytest.mark.parametrize("path,params", [
    ("/v1/inference-sizing/options", dict(ASKED, requests_per_minute=600)),
    ("/v1/break-even", dict(ASKED, requests_per_minute=600)),
    ("/v1/recommendation", dict(model="llama-3.1-8b", workload="serve", requests_per_minute=600,
                                input_tokens=512))])
def test_accepted_everywhere(server, path, params):
    reply = server.get(path, **params, output_tokens=0)
    assert reply.status == 200, reply.body
    assert not re.search(rb"\b(nan|inf)\b", reply.body)


def test_break_even_counts_what_is_read(server):
    asked = dict(ASKED, requests_per_minute=600, output_tokens=0, fields="workload_tokens_per_day")
    assert ask(server, "/v1/break-even", **asked)["workload_tokens_per_day"] == pytest.approx(
        512 * 600 * 1440, rel=1e-3)


def test_no_line_item_of_a_step(server):
    none = ask(server, **ASKED, output_tokens=0, requests_per_minute=3000)
    one = ask(server, **ASKED, output_tokens=2, requests_per_minute=3000)
    read, step = ([row["key"] for row in answer["line_items"] if row["group"] == "time"] for answer in (none, one))
    assert read and all(key.startswith("prefill_") for key in read)
    assert "weight_reads" in step and "kv_cache_reads" in step
    assert sum(row["value"] for row in none["line_items"] if row["group"] == "time") == pytest.approx(none["prefill_seconds"], rel=1e-4)


CARDS = dict(model="llama-3.1-8b", gpu="rtx-4090", input_tokens=512, output_tokens=0, requests_per_minute=12000,
             peak_load_ratio_max=1)


@pytest.mark.parametrize("limit, at_random", [(2, 16), (1, 16), (0.3, 32)])
def test_a_router_to_the_fewest_needs_no_stages(server, limit, at_random):
    """An 8B classifier fits one card: replicas of one card each, not stages over several."""
    routed = ask(server, **CARDS, latency_p95_seconds=limit)
    assert routed["inputs"]["router"]["value"] == "least_requests"
    assert (routed["tensor_parallel"], routed["pipeline_parallel"]) == (1, 1)
    spread = ask(server, **CARDS, latency_p95_seconds=limit, router="random")
    assert routed["gpu_count"] < spread["gpu_count"] and spread["gpu_count"] >= at_random
    assert routed["latency_p95_seconds_estimate"] <= limit


def test_a_router_shortens_waits(server):
    """The more replicas there are, the less a prompt waits, also where answers are written; not with one."""
    def times(**asked):
        return [ask(server, **(CARDS | asked), router=router)["latency_p95_seconds_estimate"]
                for router in ("least_requests", "random")]
    alone, many, written = (times(requests_per_minute=700, replica_count=1, gpu_count=1),
                            times(requests_per_minute=8 * 700, replica_count=8, gpu_count=8),
                            times(requests_per_minute=8 * 60, replica_count=8, gpu_count=8, output_tokens=100))
    assert alone[0] == alone[1] == many[1] and many[0] < 0.7 * many[1]
    assert written[0] < written[1]


@pytest.mark.parametrize("path, figure, asked", [
    ("/v1/recommendation", lambda answer: answer["recommended_latency_p95_seconds_estimate"], dict(workload="serve")),
    ("/v1/inference-sizing/options", lambda answer: answer["options"][0]["gpu_count"], {})])
def test_a_router_is_taken_in_lists(server, path, figure, asked):
    fewest, spread = (ask(server, path, **CARDS, **asked, latency_p95_seconds=2, router=router)
                      for router in ("least_requests", "random"))
    assert figure(fewest) < figure(spread)
    assert fewest["inputs"]["router"]["value"] == "least_requests"


def test_a_bucket_may_write_nothing(server):
    mixed = ask(server, model="llama-3.1-8b", gpu="h100-sxm5-80gb",
                request_lengths="512:0:0.5,512:200:0.5", requests_per_minute=600)
    assert mixed["inputs"]["output_tokens"]["value"] == pytest.approx(100.5)


def test_the_interval_says_that_no_such_run_was_fitted(server):
    """vLLM reads prompts at 0.6 to 0.7 of what TensorRT-LLM does; nobody reads faster than the peak."""
    alone = ask(server, **ASKED, output_tokens=0, replica_count=1, engine="vllm")
    middle, low, high = (alone[f"offline_output_tokens_per_second{end}"] for end in ("", "_low", "_high"))
    assert low < 0.72 * middle
    assert 2 * 6.98e9 * 512 * high <= 1.001 * 989.4e12
    written = ask(server, **ASKED, output_tokens=200, replica_count=1, engine="vllm")
    assert (written["offline_output_tokens_per_second_low"]
            > 0.8 * written["offline_output_tokens_per_second"])


def test_strix_halo_is_known_with_its_unknowns(server):
    row = ask(server, "/v1/gpus/ryzen-ai-max-395")
    assert row["memory_bandwidth_gb_per_second"] == 256
    assert row["peak_fp8_dense_tflops"] is None and row["peak_fp4_dense_tflops"] is None
    sized = ask(server, model="gpt-oss-120b", gpu="ryzen-ai-max-395", engine="llama_cpp", input_tokens=512,
                output_tokens=128, concurrent_requests=1, weight_dtype="fp4",
                bytes_per_weight=0.543, price_per_gpu_hour=0.1)  # 63.4 GB of GGUF, attention in 8 bit
    assert sized["gpu_count"] == 1
    # 50.6 to 55.6 tokens/s are published (strix-halo-guide, data/benchmarks.csv)
    assert 45 < sized["output_tokens_per_second_per_user"] < 70


def test_nothing_written_has_no_time_per_token(server):
    """Nor a rate that a reader sees: a request's result is no stream of tokens."""
    asked = dict(ASKED, output_tokens=0, requests_per_minute=3000)
    none, options = ask(server, **asked), ask(server, "/v1/inference-sizing/options", **asked)["options"]
    unknown = [name for name in none if name.startswith("time_per_output_token_seconds")]
    assert len(unknown) == 4
    assert all(none[name] is None for name in [*unknown, "output_tokens_per_second_per_user"])
    assert options and all(row["time_per_output_token_seconds"] is None for row in options)
    assert ask(server, **ASKED, output_tokens=1, requests_per_minute=3000)["time_per_output_token_seconds"] > 0


def test_no_figure_of_a_decode_step_where_nothing_is_written(server):
    """Prompts are bound by arithmetic: the intensity of a decode step would say that memory binds."""
    none = ask(server, **ASKED, output_tokens=0, requests_per_minute=3000)
    assert none["bound"] == "compute" and none["ridge_point_flop_per_byte"] > 0
    assert none["arithmetic_intensity_flop_per_byte"] is None and none["ridge_batch_size"] is None
    some = ask(server, **ASKED, output_tokens=100, requests_per_minute=3000)
    assert some["arithmetic_intensity_flop_per_byte"] > 0 and some["ridge_batch_size"] > 0


def test_passes_are_chosen_where_nothing_is_written(server):
    """Texts read together share the weights; an encoder reads each in one pass."""
    texts = dict(model="qwen3-embedding-8b", gpu="a100-sxm4-80gb", requests_per_minute=8300, input_tokens=762,
                 output_tokens=0, latency_p95_seconds=0.5, peak_load_ratio_max=1)
    chosen = ask(server, **texts)
    own = ask(server, **texts, tokens_per_pass=8192)
    said, = (warning["detail"] for warning in chosen["warnings"] if warning["code"] == "passes_chosen")
    assert chosen["gpu_count"] < own["gpu_count"] and f"{own['gpu_count']} GPUs are needed" in said
    assert "A token waits" not in said
    encoder = ask(server, **texts | dict(model="bge-m3", requests_per_minute=60000))
    assert "passes_chosen" not in {warning["code"] for warning in encoder["warnings"]}
