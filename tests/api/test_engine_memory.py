"""Weights and KV cache as an engine logs them: they correct the memory of a sizing, and are refused
where they cannot be."""
import pytest

from explanations import evaluate
from test_measure import question
from test_own_runs import GPU, culprit

SERVICE = dict(model="llama-3.1-8b", gpu=GPU, engine="vllm", weight_dtype="bf16",
               concurrent_requests=64, input_tokens=1000, output_tokens=1000, tensor_parallel=1)


def sizing(server, **asked):
    return server.answer("/v1/inference-sizing", **SERVICE | asked).json


@pytest.fixture(scope="module")
def plain(server):
    return sizing(server)


def test_the_cache_is_that_of_the_engine(server, plain):
    asked = sizing(server, measured_kv_cache_tokens=419712)
    assert asked["kv_cache_tokens"] == 419712
    assert asked["max_concurrent_requests"] == 209 < plain["max_concurrent_requests"]
    assert asked["memory_per_gpu_gib"] > plain["memory_per_gpu_gib"]
    for name in ("kv_cache_tokens", "max_concurrent_requests", "memory_per_gpu_gib"):
        assert asked[name + "_uncorrected"] == plain[name]
        assert plain[name + "_uncorrected"] is None
    assert "less for the KV cache" in asked["memory_correction_sentence"]
    assert asked["correction_factor"] is None
    assert asked["time_per_output_token_seconds"] == plain["time_per_output_token_seconds"]


def test_heavier_weights_leave_less_room(server, plain):
    asked = sizing(server, measured_weights_gib=16.1, explain=1)
    weights = {line["key"]: line["value"] for line in asked["line_items"]}["weights"]
    assert weights == pytest.approx(16.1, rel=1e-4)
    left = (plain["kv_cache_tokens"] - asked["kv_cache_tokens"]) * plain["kv_cache_bytes_per_token"]
    assert 0.8 * 1.1 * 2**30 < left < 1.2 * 2**30
    assert asked["memory_correction_sentence"].startswith("corrected by your run: weights x 1.0")


@pytest.mark.parametrize("asked", [dict(measured_weights_gib=16.1),
                                   dict(measured_kv_cache_tokens=300000),
                                   dict(measured_weights_gib=15.5, measured_kv_cache_tokens=500500)])
def test_the_corrected_memory_is_explained(server, asked):
    answer = sizing(server, explain=1, **asked)
    rows = {row["key"]: row for row in answer["explanations"]}
    for key in ("weights", "pool_gib", "kv_cache_tokens", "memory_per_gpu_gib",
                "max_concurrent_requests"):
        assert evaluate(rows[key]["substitution"]) == pytest.approx(
            answer.get(key, rows[key]["value"]), rel=1e-5), key


def test_a_run_of_another_degree_is_of_its_own(server, plain):
    """The memory that the KV cache lacks on each GPU is the same on one GPU as on two."""
    two = sizing(server, tensor_parallel=2)
    known = sizing(server, measured_tensor_parallel=2,
                   measured_kv_cache_tokens=two["kv_cache_tokens"])
    assert known["kv_cache_tokens"] == pytest.approx(plain["kv_cache_tokens"], rel=1e-4)
    less = sizing(server, measured_tensor_parallel=2, measured_kv_cache_tokens=1e6)
    assert less["kv_cache_tokens"] < plain["kv_cache_tokens"]


def test_more_gpus_are_ordered_where_the_engine_has_less_room(server):
    load = dict(concurrent_requests=400)
    with_run = sizing(server, measured_kv_cache_tokens=100000, **load)
    assert with_run["gpu_count"] > sizing(server, **load)["gpu_count"]


def test_without_measurements_the_memory_is_the_estimate(server, plain):
    asked = sizing(server, measured_kv_cache_tokens=419712, use_measurements=0)
    assert asked["kv_cache_tokens"] == plain["kv_cache_tokens"]
    assert asked["memory_correction_sentence"] is None


@pytest.mark.parametrize("name, figure, rule, words", [
    ("measured_weights_gib", 8, "below_physics", "the weights in that format take at least 14.8"),
    ("measured_weights_gib", 300, "above_capacity", f"{GPU} has 79.65 GiB"),
    ("measured_weights_gib", 14.99 * 1024, "unit", "in MiB, enter 14.99"),
    ("measured_weights_gib", 14990, "unit", "in thousandths of a GiB, enter 14.99"),
    ("measured_weights_gib", 14.99 * 2**30, "unit", "in bytes, enter 14.99"),
    ("measured_kv_cache_tokens", 419.712, "unit", "in thousands, enter 419,712"),
    ("measured_kv_cache_tokens", 1200, "below_physics", "one request of that run takes 2,000"),
    ("measured_kv_cache_tokens", 55e9, "unit", "in bytes on each GPU, enter 419,617"),
    ("measured_kv_cache_tokens", 4e6, "above_capacity", "holds at most 531,")])
def test_what_cannot_be_is_refused_with_the_bound(server, name, figure, rule, words):
    reply = server.get("/v1/inference-sizing", **SERVICE, **{name: figure})
    assert reply.status == 400, reply.text
    assert culprit(reply) == (name, rule)
    assert words in reply.text


def test_weights_of_another_format_are_named(server):
    answer = sizing(server, measured_weights_gib=29.9)
    warning, = [w for w in answer["warnings"] if w["code"] == "far_measurement"]
    assert "is weight_dtype that of the run" in warning["detail"]


def test_windows_are_counted_otherwise(server):
    reply = server.get("/v1/inference-sizing", **SERVICE | dict(model="gpt-oss-120b", weight_dtype="fp4"),
                       measured_kv_cache_tokens=400000)
    assert culprit(reply) == ("measured_kv_cache_tokens", "contradiction")


@pytest.mark.parametrize("degrees", [dict(tensor_parallel=4), dict(measured_tensor_parallel=4)])
def test_weights_of_all_gpus_are_named(server, degrees):
    """They may be less than one GPU has, so that no bound refuses them."""
    reply = server.get("/v1/inference-sizing", **SERVICE | degrees, measured_weights_gib=15.3)
    assert culprit(reply) == ("measured_weights_gib", "unit")
    assert "on each of 4 GPUs; if it was added up over them, enter 3.825" in reply.text


def test_it_is_for_a_sizing_and_not_for_a_list(server):
    for name in ("measured_weights_gib", "measured_kv_cache_tokens"):
        reply = server.get("/v1/inference-sizing/options", model="llama-3.1-8b", **{name: 15})
        assert reply.json["errors"][0]["parameter"] == name


# --- logs ----------------------------------------------------------------------------------------

VLLM = """\
INFO 11-20 10:00:01 [core.py:77] Initializing a V1 LLM engine (v0.10.2) with config: model='m', \
max_seq_len=8192, tensor_parallel_size=2, pipeline_parallel_size=1, quantization=None
(Worker_TP0) INFO 11-20 10:00:31 [gpu_model_runner.py:2392] Model loading took 7.5123 GiB and 3.21 seconds
(Worker_TP1) INFO 11-20 10:00:31 [gpu_model_runner.py:2392] Model loading took 7.6 GiB memory and 3.2 seconds
INFO 11-20 10:00:51 [gpu_worker.py:298] Available KV cache memory: 62.02 GiB
INFO 11-20 10:00:51 [kv_cache_utils.py:864] GPU KV cache size: 1,016,128 tokens
INFO 11-20 10:00:51 [kv_cache_utils.py:868] Maximum concurrency for 8,192 tokens per request: 124.04x
"""
SGLANG = """\
[2025-03-08 12:29:01] server_args=ServerArgs(model_path='m', tp_size=4, mem_fraction_static=0.8)
[2025-03-08 12:29:21 TP0] Load weight end. type=Qwen3ForCausalLM, dtype=torch.bfloat16, avail mem=16.00 GB, mem usage=7.08 GB.
[2025-03-08 12:29:21 TP0] KV Cache is allocated. #tokens: 298447, K size: 5.69 GB, V size: 5.69 GB
[2025-03-08 12:29:22 TP1] KV Cache is allocated. #tokens: 298440, K size: 5.69 GB, V size: 5.69 GB
[2025-03-08 12:29:30 TP0] Capture cuda graph end. Time elapsed: 9.05 s. mem usage=1.05 GB. avail mem=2.9 GB.
"""


@pytest.mark.parametrize("text, engine, weights, tokens, degree", [
    (VLLM, "vllm", "7.6", "1016128", "2"), (SGLANG, "sglang", "7.08", "298440", "4"),
    ("Loading model weights took 9.1948 GB\n", "vllm", "9.1948", None, None)])
def test_logs_of_engines_are_read(tmp_path, text, engine, weights, tokens, degree):
    file = tmp_path / "log"
    file.write_text(text, encoding="utf-8")
    asked, pairs, _ = question(file)
    assert asked == "inference-sizing" and pairs["engine"] == engine
    assert pairs["measured_weights_gib"] == weights
    assert pairs.get("measured_kv_cache_tokens") == tokens
    assert pairs.get("measured_tensor_parallel") == degree


def test_a_log_and_a_benchmark_in_one_file_are_one_run(tmp_path):
    file = tmp_path / "log"
    printed = """\
============ Serving Benchmark Result ============
Successful requests:                     1000
Maximum request concurrency:             64
Benchmark duration (s):                  100.0
Total input tokens:                      1000000
Total generated tokens:                  1000000
Mean TTFT (ms):                          120.0
Mean TPOT (ms):                          14.0
==================================================
"""
    file.write_text(VLLM + printed, encoding="utf-8")
    _, pairs, _ = question(file)
    assert pairs["measured_time_per_output_token_seconds"] == "0.014"
    assert pairs["measured_kv_cache_tokens"] == "1016128"
