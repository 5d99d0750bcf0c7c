"""`gpuplan measure` reads what the benchmarks of servers print, as people keep it: in a log."""
import json

import pytest

from conftest import wait_for
from test_bad_measurements import measure, read, text, vllm
from test_own_runs import runs, team  # noqa: F401

VLLM = text("vllm.txt")
# As SGLang prints it: no model, no time per token in older releases.
SGLANG = """benchmark_args=Namespace(backend='sglang', model='deepseek-ai/DeepSeek-R1', seed=1)
============ Serving Benchmark Result ============
Backend:                                 sglang
Traffic request rate:                    inf
Max request concurrency:                 not set
Successful requests:                     80
Total input tokens:                      39668
Total generated tokens:                  40725
Total generated tokens (retokenized):    40458
Request throughput (req/s):              1.56
Concurrency:                             13.72
----------------End-to-End Latency----------------
Mean E2E Latency (ms):                   8783.10
---------------Time to First Token----------------
Mean TTFT (ms):                          253.07
---------------Inter-Token Latency----------------
Mean ITL (ms):                           16.81
Max ITL (ms):                            415.45
==================================================
"""
TRTLLM = """[11/26/2026-12:00:00] [TRT-LLM] [I]

===========================================================
= PYTORCH BACKEND
===========================================================
Model:\t\t\topenai/gpt-oss-120b
Model Path:\t\t/models/gpt-oss-120b
KV Cache Dtype:\t\tNone
Quantization:\t\tW4A8_MXFP4_FP8

===========================================================
= REQUEST DETAILS
===========================================================
Number of requests:             640
Number of concurrent requests:  63.6000
Average Input Length (tokens):  1024.0000
Average Output Length (tokens): 512.0000
TP Size:                2
PP Size:                1
===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Request Throughput (req/sec):                     8.5893
Total Output Throughput (tokens/sec):             4397.7000
"""
STREAMED = """Average time-to-first-token [TTFT] (ms):          473.3000
Average time-per-output-token [TPOT] (ms):        14.1000
"""


def run(requests, inputs, outputs, first, token, **more):
    return {"measured_concurrent_requests": requests, "measured_input_tokens": inputs,
            "measured_output_tokens": outputs, "measured_time_to_first_token_seconds": first,
            "measured_time_per_output_token_seconds": token} | more


@pytest.mark.parametrize("printed, tool, expected", [
    (VLLM, "vllm bench serve", run("64", "922", "922", "0.11637", "0.0097",
                                   model="gpt-oss-120b", engine="vllm")),
    (SGLANG, "sglang bench_serving", run("14", "496", "509", "0.25307", "0.01681",
                                         model="deepseek-r1", engine="sglang")),
    (TRTLLM + STREAMED, "trtllm-bench", run(
        "64", "1024", "512", "0.4733", "0.0141", model="gpt-oss-120b", engine="tensorrt_llm",
        weight_dtype="fp4", measured_tensor_parallel="2", measured_pipeline_parallel="1")),
], ids=["vllm", "sglang", "trtllm"])
def test_what_a_tool_prints_is_read(tmp_path, printed, tool, expected):
    pairs, said = read(tmp_path, printed)
    assert pairs == expected and said == f"gpuplan measure: read as {tool}\n"


@pytest.mark.parametrize("spoil", [
    lambda log: log.replace("\n", "\r\n"),
    lambda log: "".join(f"bench-1  | {line}\n" for line in log.splitlines()),
    lambda log: "INFO 11-26 12:00:00 [loggers.py:123] Engine 000: 64 reqs\n" * 9 + log,
], ids=["crlf", "compose", "server log"])
def test_lines_around_it_and_their_ends_do_not_matter(tmp_path, spoil):
    assert read(tmp_path, spoil(VLLM)) == read(tmp_path, VLLM)


def test_without_streaming_the_throughput_is_the_run(tmp_path):
    pairs, _ = read(tmp_path, TRTLLM)
    assert pairs["measured_output_tokens_per_second"] == "4397.7"
    assert "measured_time_per_output_token_seconds" not in pairs


def test_of_several_reports_one_is_chosen(tmp_path):
    log = VLLM + SGLANG + TRTLLM + STREAMED
    done = measure(tmp_path, log)
    assert done.returncode == 64 and "--run 3  64 requests in flight" in done.stderr
    assert "--run 2  14 requests in flight, deepseek-r1" in done.stderr
    assert read(tmp_path, log, "--run", "2")[0] == read(tmp_path, SGLANG)[0]


@pytest.mark.parametrize("printed, why", [
    (VLLM.split("Mean TPOT")[0], "file: line 5: the report that begins here is cut off"),
    (TRTLLM.split("Total Output")[0], "file: line 4: the report that begins here is cut off"),
    (VLLM.replace("640 ", "0   ", 1), "file: line 5: no request was completed"),
    (VLLM.replace(" 9.70 ", " 0.00 "), "file: line 5: mean_tpot_ms is 0.00: it should be"),
], ids=["vllm cut", "trtllm cut", "none completed", "not streamed"])
def test_a_bad_report_is_named_by_its_line(tmp_path, printed, why):
    done = measure(tmp_path, printed)
    assert done.returncode == 64 and why in done.stderr and not done.stdout, done.stderr


SPECULATIVE = "-" * 15 + "Speculative Decoding" + "-" * 15 + "\nAcceptance length:       2.31\n"


@pytest.mark.parametrize("content, said", [
    (vllm(completed=630, failed=10), "10 of 640 requests failed"),
    (vllm(spec_decode_acceptance_length=2.31), "it guessed tokens ahead (speculative decoding)"),
    (VLLM + SPECULATIVE, "it guessed tokens ahead (speculative decoding)"),
    (SGLANG + "Accept length:       3.65\n", "it guessed tokens ahead (speculative decoding)"),
    (json.dumps(json.loads(text("trtllm_bench.json")) | {"machine": {"name": "NVIDIA B200"}}),
     "it ran on NVIDIA B200"),
], ids=["failed", "vllm", "vllm printed", "sglang printed", "gpu"])
def test_what_the_figures_do_not_tell_is_said(tmp_path, content, said):
    assert said in read(tmp_path, content)[1]


def test_a_run_that_guessed_ahead_is_not_stored(tmp_path):
    """Nothing of a stored run says so: it would correct services that do not guess."""
    (tmp_path / "token").write_text("a-secret\n")
    done = measure(tmp_path, VLLM + SPECULATIVE, "--store", "acme", "--token-file",
                   tmp_path / "token", "gpu=h100-sxm5-80gb", "weight_dtype=fp4")
    assert done.returncode == 64 and "which stored runs do not say" in done.stderr


@pytest.mark.parametrize("algorithm, weights", [
    ("W4A16_MXFP4", "fp4"), ("W4A8_MXFP4_MXFP8", "fp4"), ("W4A8_NVFP4_FP8", "fp4"),
    ("W4A8_AWQ", "int4"), ("W4A16_AWQ", "int4"), ("FP8_BLOCK_SCALES", "fp8"),
    ("W8A8_SQ_PER_CHANNEL", "int8"), ("MIXED_PRECISION", None)])
def test_the_format_of_the_weights_is_that_of_the_algorithm(tmp_path, algorithm, weights):
    report = json.loads(text("trtllm_bench.json"))
    report["engine"]["quantization"] = algorithm
    assert read(tmp_path, json.dumps(report))[0].get("weight_dtype") == weights


# --- what logs of trainings say of how they ran ----------------------------------------------------

MEGATRON = text("megatron.log").replace(
    "  world_size", """  context_parallel_size ........................... 2
  expert_model_parallel_size ...................... 4
  fp8 ............................................. hybrid
  hierarchical_context_parallel_sizes ............. None
  micro_batch_size ................................ 3
  pipeline_model_parallel_size .................... 6
  world_size""", 1)
STARTED = ("[rank0]:[titan] 2025-11-25 19:44:58,838 - root - INFO - Trainer is initialized with local "
           "batch size 8, global batch size 1024, gradient accumulation steps 1, sequence length "
           "4096, total steps 10 (warmup 2)\n")
MESH = "[rank0]:[titan] 2025-11-25 19:44:55,287 - root - INFO - Building "


@pytest.mark.parametrize("mesh", [
    "2-D device mesh with ['dp_shard', 'tp'], [16, 8]\n", "1-D device mesh with ['dp_shard'], [128]\n",
    "device mesh with parallelism: pp=1, dp_replicate=2, dp_shard=16, cp=1, tp=4, ep=1, etp=1\n"])
def test_a_log_of_torchtitan_says_gpus_batch_and_length(tmp_path, mesh):
    pairs, _ = read(tmp_path, MESH + mesh + STARTED + text("torchtitan.log"))
    assert pairs == {"stack": "fsdp", "measured_gpu_count": "128",
                     "measured_global_batch_sequences": "1024", "measured_sequence_tokens": "4096",
                     "measured_tokens_per_second_per_gpu": "6514", "measured_memory_gib": "57.8",
                     "measured_memory_kind": "reserved"}


def test_a_question_says_how_the_run_was_divided(server, tmp_path):
    """Not experts, of which this model has none."""
    pairs, _ = read(tmp_path, MEGATRON, "model=llama-3.1-70b", "gpu=h100-sxm5-80gb", "tokens=1e12",
                    "gpu_count=768")
    assert pairs["precision"] == "fp8" and pairs["measured_tensor_parallel"] == "8"
    del pairs["measured_expert_parallel"]
    assert server.get("/v1/training-plan", **pairs).json["correction_run_count"] == 1
    done = measure(tmp_path, MEGATRON, "--url", "http://h")
    assert "measured_tensor_parallel=8" in done.stdout and "precision=fp8" in done.stdout


def test_a_training_is_stored_as_it_was_divided(runs, tmp_path):  # noqa: F811
    (tmp_path / "token").write_text("a-secret\n")
    done = measure(tmp_path, text("megatron.log"), "--store", "acme", "--token-file",
                   tmp_path / "token", "--url", runs.server.url, "model=llama-3.1-70b",
                   "gpu=h100-sxm5-80gb", "measured_pipeline_parallel=2")
    assert done.returncode == 0, done.stderr
    kept, = runs.ids("acme") or wait_for(lambda: runs.ids("acme"), "the run to be listed")
    row = runs.server.get(f"/v1/measurements/{kept}").json
    assert (row["tensor_parallel"], row["pipeline_parallel"], row["gpu_count"]) == (8, 2, 768)


def test_of_a_file_refused_midway_what_is_stored_is_said(runs, tmp_path):  # noqa: F811
    sheet = ("model,gpu,weight_dtype,concurrent_requests,input_tokens,output_tokens,"
             "measured_time_per_output_token_seconds\n" +
             "".join(f"llama-3.1-8b,h100-sxm5-80gb,bf16,{requests},1024,256,{seconds}\n"
                     for requests, seconds in ((32, 0.0105), (64, 13.5))))
    (tmp_path / "token").write_text("a-secret\n")
    arguments = ("--store", "acme", "--token-file", tmp_path / "token", "--url", runs.server.url)
    done = measure(tmp_path, sheet, *arguments)
    assert done.returncode == 64 and "run 2 of 2: " in done.stderr and "1,000" in done.stderr
    assert "those before it are stored, and are not stored twice" in done.stderr
    assert measure(tmp_path, sheet.replace("13.5", "0.0135"), *arguments).returncode == 0
    assert runs.database.query("select count(*) from own_measurement") == "2"


def test_a_sheet_with_headings_of_its_own_is_told_which_to_use(tmp_path):
    done = measure(tmp_path, "Model,GPU,TPOT (ms)\nllama-3.1-8b,H100,9.7\n")
    assert done.returncode == 64 and "header does not name inputs" in done.stderr
    assert "measured_time_per_output_token_seconds (in seconds)" in done.stderr
