"""`gpuplan measure` reads what clients of any server write: aiperf, genai-perf, GuideLLM,
llama-bench and rows of InferenceX. The layouts are those of published files."""
import json

import pytest

from test_measure import FOLDER, SERVED, measure, question, served

GENAI_PERF = """\
Metric,avg,min,max,p99,p95,p90,p75,p50,p25
Time To First Token (ms),"1,146.31",249.48,"3,485.23","3,457.97","3,349.56","3,215.06","1,330.93",640.07,286.52
Time To Second Token (ms),26.05,0.00,133.51,96.12,36.56,34.88,34.35,33.55,1.78
Request Latency (ms),"6,406.20","5,371.47","9,608.72","9,436.13","9,046.58","9,028.16","6,549.60","5,690.23","5,493.63"
Inter Token Latency (ms),30.35,27.59,35.60,35.23,33.88,32.53,31.05,30.13,29.04
Output Sequence Length (tokens),174.45,164.00,187.00,186.22,183.10,180.10,177.00,174.00,171.75
Input Sequence Length (tokens),"3,000.05","2,999.00","3,001.00","3,001.00","3,001.00","3,000.00","3,000.00","3,000.00","3,000.00"

Metric,Value
Output Token Throughput (per sec),261.25
Request Throughput (per sec),1.50
Request Count (count),40.00
"""

# File, --run, format, inputs, what is said of it.
READ = [
    ("aiperf.json", None, "aiperf",
     served("64", "0.11637", "0.009704", model="gpt-oss-120b"),
     ["which engine answered", "3 of 643 requests failed"]),
    ("aiperf.csv", None, "aiperf",
     served("2", "0.04987", "0.00281", inputs="300", outputs="498"), ["which engine answered"]),
    ("guidellm.json", "1", "GuideLLM",
     served("1", "0.0512", "0.00475", model="gpt-oss-120b"), ["throughput is left out"]),
    ("guidellm.json", "2", "GuideLLM",
     served("64", "0.11637", "0.009704", model="gpt-oss-120b"), ["throughput is left out"]),
    ("inferencex.json", None, "InferenceX",
     served("64", "0.4347958", "0.0305558502", inputs="1024", outputs="1024",
            model="qwen3.5-397b-a17b", engine="sglang", weight_dtype="fp8", measured_tensor_parallel="8"),
     ["it ran on h200"]),
]


@pytest.mark.parametrize("name, run, format_, inputs, said", READ)
def test_each_is_read(name, run, format_, inputs, said):
    asked, pairs, told = question(*(["--run", run] if run else []), FOLDER / name)
    assert (asked, pairs) == (SERVED, inputs)
    assert f"read as {format_}\n" in told and all(words in told for words in said)


def test_genai_perf_writes_thousands_with_commas(tmp_path):
    """In flight by rate and time of a request: 1.5 a second of 6.4 seconds each."""
    file = tmp_path / "profile_export_genai_perf.csv"
    file.write_text(GENAI_PERF, encoding="utf-8")
    _, pairs, _ = question(file)
    assert pairs == served("10", "1.14631", "0.03035", inputs="3000", outputs="174")


def test_requests_that_were_not_counted_are_said(tmp_path):
    file = tmp_path / "older.csv"
    file.write_text(GENAI_PERF.replace("Request Count (count),40.00\n", ""), encoding="utf-8")
    _, pairs, said = question(file)
    assert pairs["measured_concurrent_requests"] == "10" and "how many requests were answered" in said


def test_llama_bench_times_a_prompt_or_an_answer():
    """A test of -p gives a first token, one of -n a time per token, both for one request."""
    common = {"model": "qwen2.5-7b-instruct", "engine": "llama_cpp", "weight_dtype": "q4_k_m",
              "kv_cache_dtype": "fp16", "measured_concurrent_requests": "1"}
    _, prompt, said = question("--run", "1", FOLDER / "llama_bench.json")
    _, answer, _ = question("--run", "2", FOLDER / "llama_bench.json")
    assert prompt == common | {"measured_input_tokens": "512", "measured_output_tokens": "1",
                               "measured_time_to_first_token_seconds": "0.0721126541"}
    assert answer == common | {"measured_input_tokens": "1", "measured_output_tokens": "128",
                               "measured_time_per_output_token_seconds": "0.00841173151"}
    assert "it ran on NVIDIA GeForce RTX 4080" in said


def llama_bench(**changed):
    return json.loads((FOLDER / "llama_bench.json").read_text(encoding="utf-8"))[1] | changed


@pytest.mark.parametrize("name, type_, model, weights", [
    ("Qwen2.5-7B-Instruct-Q4_0.gguf", "qwen2 7B Q4_0", "qwen2.5-7b-instruct", "int4"),
    ("a/Meta-Llama-3-8B-Instruct.Q8_0.gguf", "llama 8B Q8_0", "meta-llama-3-8b-instruct", "q8_0"),
    ("gpt-oss-120b-mxfp4-00001-of-00003.gguf", "gpt-oss 120B MXFP4 MoE", "gpt-oss-120b", "fp4"),
    ("DeepSeek-R1-0528-IQ1_S.gguf", "deepseek2 671B IQ1_S - 1.5625 bpw", "deepseek-r1-0528", "int4"),
    ("llama-2-7b.gguf", "llama 7B BF16", "llama-2-7b", "bf16")])
def test_the_model_and_format_of_a_gguf_file(tmp_path, name, type_, model, weights):
    file = tmp_path / "bench.json"
    file.write_text(json.dumps([llama_bench(model_filename=name, model_type=type_)]),
                    encoding="utf-8")
    _, pairs, _ = question(file)
    assert (pairs["model"], pairs["weight_dtype"]) == (model, weights)
    assert ("bytes_per_weight" in pairs) == (weights == "int4")


@pytest.mark.parametrize("changed, why", [
    ({"n_gpu_layers": 0}, "on the CPU"), ({"n_cpu_moe": 4}, "on the CPU"),
    ({"backends": "CPU"}, "on the CPU"), ({"n_prompt": 512}, "-pg"),
    ({"n_prompt": 512, "n_gen": 0, "n_depth": 4096}, "no first token"), ({"avg_ts": 0}, "avg_ts is 0")])
def test_what_a_test_of_llama_bench_does_not_tell(tmp_path, changed, why):
    """A file with nothing else is refused; among others such a test is left out, and the note says so."""
    file = tmp_path / "bench.json"
    file.write_text(json.dumps([llama_bench(**changed)]), encoding="utf-8")
    done = measure(file)
    assert done.returncode == 64 and why in done.stderr and not done.stdout
    file.write_text(json.dumps([llama_bench(), llama_bench(**changed)]), encoding="utf-8")
    if "avg_ts" not in changed:
        assert why in question(file)[2]


def test_lines_of_llama_bench_are_runs(tmp_path):
    file = tmp_path / "bench.jsonl"
    file.write_text("".join(json.dumps(llama_bench(n_depth=depth)) + "\n" for depth in (0, 4096)),
                    encoding="utf-8")
    assert question("--run", "2", file)[1]["measured_input_tokens"] == "4096"
    assert "--run 2  1 request in flight, qwen2.5-7b-instruct, 4096 + 128 tokens\n" in measure(file).stderr


def changed_file(tmp_path, name, change):
    report = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    change(report)
    file = tmp_path / name
    file.write_text(json.dumps(report), encoding="utf-8")
    return measure(file)


@pytest.mark.parametrize("name, change, why", [
    ("aiperf.json", lambda r: r.pop("inter_token_latency"), "--streaming"),
    ("aiperf.json", lambda r: r["request_count"].update(avg=100), "of 100 requests 64 were in flight"),
    ("aiperf.json", lambda r: r.pop("input_sequence_length"), "tokens per prompt"),
    ("guidellm.json", lambda r: r.update(benchmarks=r["benchmarks"][1:2]), "throughput is left out"),
    ("guidellm.json", lambda r: r["benchmarks"][2]["metrics"]["request_totals"].update(successful=70),
     "of 70 requests 64 were in flight"),
    ("inferencex.json", lambda r: r[0].update(disagg=True), "disagg"),
    ("inferencex.json", lambda r: r[0].update(mean_tpot=0), "mean_tpot is 0")])
def test_what_cannot_be_used_is_refused(tmp_path, name, change, why):
    done = changed_file(tmp_path, name, change)
    assert done.returncode == 64 and why in done.stderr and not done.stdout


def test_units_are_those_of_the_file(tmp_path):
    done = changed_file(tmp_path, "aiperf.json",
                        lambda r: r["time_to_first_token"].update(unit="s", avg=0.25))
    assert "measured_time_to_first_token_seconds=0.25\n" in done.stdout


def test_data_parallel_attention_and_guesses_of_inferencex(tmp_path):
    done = changed_file(tmp_path, "inferencex.json",
                        lambda r: r[0].update(dp_attention="true", spec_decoding="mtp"))
    assert "measured_attention_data_parallel=8\n" in done.stdout and "speculative_tokens" in done.stderr


@pytest.mark.parametrize("content, why", [
    ('{"elapsed_time": 60.1, "num_requests": 1000, "total_num_tokens": 413024, "requests_per_second": 16.6}',
     "vllm bench throughput"),
    ('{"avg_latency": 1.2, "latencies": [1.2], "percentiles": {"10": 1.1}}', "vllm bench latency"),
    ('{"metadata": {"benchmark_phase": "profiling"}, "metrics": {}}\n', "profile_export_aiperf.json"),
    ('{"service_kind": "openai", "experiments": []}', "profile_export_genai_perf.json"),
    ("build_commit,build_number,avg_ts\nabc,1,9\n", "-o json"),
    ("| model | size | test | t/s |\n| ----- | ---- | ---- | --- |\n", "-o json"),
    ("Run Info,Run Info,Benchmark,Benchmark\n", "benchmarks.json")])
def test_files_that_hold_no_run_are_named(tmp_path, content, why):
    file = tmp_path / "file"
    file.write_text(content, encoding="utf-8")
    done = measure(file)
    assert done.returncode == 64 and why in done.stderr and not done.stdout


@pytest.mark.parametrize("data, tensor", [(1, "8"), (8, None)])
def test_what_the_server_of_sglang_was_started_with(tmp_path, data, tensor):
    line = (FOLDER / "sglang.jsonl").read_text(encoding="utf-8").splitlines()[1]
    report = json.loads(line) | {"server_info": {"model_path": "/models/deepseek-ai/DeepSeek-R1",
                                                 "tp_size": 8, "dp_size": data}}
    file = tmp_path / "report.jsonl"
    file.write_text(json.dumps(report) + "\n", encoding="utf-8")
    _, pairs, _ = question(file)
    assert (pairs["model"], pairs.get("measured_tensor_parallel")) == ("deepseek-r1", tensor)


def test_runs_of_gguf_files_are_asked_about_and_not_stored(tmp_path):
    (tmp_path / "token").write_text("a-secret\n", encoding="utf-8")
    done = measure("--store", "acme", "--token-file", tmp_path / "token", "--url", "http://127.0.0.1:9",
                   "--run", "2", FOLDER / "llama_bench.json", "gpu=rtx-4090")
    assert done.returncode == 64 and "GGUF" in done.stderr and "without --store" in done.stderr
