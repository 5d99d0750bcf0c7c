"""`gpuplan measure` makes a question of what a benchmark or a training wrote."""
import os
import pathlib
import shlex
import subprocess
import urllib.parse

import pytest

from conftest import BINARY, ROOT

FOLDER = ROOT / "api" / "benchmarks"
SERVED = "inference-sizing"


def measure(*arguments):
    return subprocess.run([BINARY, "measure", *arguments], capture_output=True, text=True,
                          timeout=600, check=False)


def question(*arguments):
    done = measure(*map(str, arguments))
    assert done.returncode == 0, done.stderr
    first, *pairs = done.stdout.splitlines()
    return first, dict(pair.split("=", 1) for pair in pairs), done.stderr


def served(requests, first, token, inputs="922", outputs="922", **more):
    return {"measured_concurrent_requests": requests, "measured_input_tokens": inputs,
            "measured_output_tokens": outputs, "measured_time_to_first_token_seconds": first,
            "measured_time_per_output_token_seconds": token} | more


READ = {
    "vllm.json": (SERVED, "vllm bench serve", served(
        "64", "0.11637", "0.009704", model="gpt-oss-120b", engine="vllm",
        measured_tensor_parallel="4")),
    "trtllm_bench.json": (SERVED, "trtllm-bench", served(
        "64", "0.4733", "0.018848", model="deepseek-r1", engine="tensorrt_llm",
        weight_dtype="fp4", kv_cache_dtype="fp8", measured_tensor_parallel="8",
        measured_pipeline_parallel="1")),
    "mlperf_log_detail.txt": (SERVED, "mlperf inference", {
        "measured_concurrent_requests": "1030", "measured_output_tokens": "294",
        "measured_time_to_first_token_seconds": "0.41",
        "measured_time_per_output_token_seconds": "0.0469"}),
    "mlperf_training.txt": ("training-plan", "mlperf training", {
        "measured_step_seconds": "4.154875", "measured_global_batch_sequences": "8",
        "measured_sequence_tokens": "8192"}),
    "megatron.log": ("training-plan", "megatron", {
        "stack": "megatron", "measured_gpu_count": "768",
        "measured_global_batch_sequences": "1536", "measured_sequence_tokens": "2048",
        "measured_tensor_parallel": "8", "measured_step_seconds": "19.71"}),
    "torchtitan.log": ("training-plan", "torchtitan", {
        "stack": "fsdp", "measured_tokens_per_second_per_gpu": "6514",
        "measured_memory_gib": "57.8", "measured_memory_kind": "reserved"}),
}


@pytest.mark.parametrize("name", sorted(READ))
def test_each_format_is_told_apart_and_read(name):
    asked, pairs, said = question(FOLDER / name)
    expected, format_, inputs = READ[name]
    assert (asked, pairs) == (expected, inputs)
    assert said == f"gpuplan measure: read as {format_}\n"


def test_of_several_runs_one_is_chosen():
    done = measure(FOLDER / "sglang.jsonl")
    assert done.returncode == 64 and "--run 2  64 requests in flight" in done.stderr
    _, pairs, _ = question("--run", "2", FOLDER / "sglang.jsonl")
    assert pairs == served("64", "0.41865", "0.032987", engine="sglang")
    assert measure("--run", "3", FOLDER / "sglang.jsonl").returncode == 64


def test_a_sheet_of_inputs_is_taken_as_it_is():
    asked, pairs, _ = question("--run", "1", FOLDER / "runs.csv")
    assert asked == SERVED and pairs["measured_output_tokens_per_second"] == "640"
    assert pairs["gpu"] == "l40s"


def test_what_the_caller_says_takes_the_place_of_the_file():
    _, pairs, _ = question(FOLDER / "vllm.json", "gpu=h200-sxm5-141gb", "engine=sglang")
    assert (pairs["gpu"], pairs["engine"]) == ("h200-sxm5-141gb", "sglang")


def test_the_address_asks_the_same():
    done = measure("--url", "https://plan.example/", FOLDER / "vllm.json", "gpu=h100-sxm5-80gb")
    address = urllib.parse.urlsplit(done.stdout.strip())
    assert (address.netloc, address.path) == ("plan.example", "/v1/inference-sizing")
    _, pairs, _ = question(FOLDER / "vllm.json", "gpu=h100-sxm5-80gb")
    assert dict(urllib.parse.parse_qsl(address.query)) == pairs


@pytest.mark.parametrize("content, why", [
    ("", "it is empty"), ("hello\n", "none of"), ("{", "line 1"), ('{"a": 1}', "none of"),
    ('{"mean_tpot_ms": 9, "completed": 0}', "no request was completed"),
    (':::MLLOG {"key": "result_tokens_per_second", "value": 24000}', "offline"),
    (':::MLLOG {"key": "seed", "value": 1}', "neither"),
    ("gpu,measured_step_seconds\nh100\n", "columns"), ("gpu,measured_step_seconds\n", "header"),
    ("gpu,price\nh100,1\n", "header does not name")])
def test_a_file_that_says_nothing_is_refused(tmp_path, content, why):
    file = tmp_path / "file"
    file.write_text(content, encoding="utf-8")
    done = measure(file)
    assert done.returncode == 64 and why in done.stderr and not done.stdout


def test_a_run_without_a_limit_is_in_flight_by_little(tmp_path):
    """vLLM without --max-concurrency: requests per second times the seconds of a request."""
    text = (FOLDER / "vllm.json").read_text(encoding="utf-8")
    file = tmp_path / "open.json"
    file.write_text(text.replace('"max_concurrency": 64', '"max_concurrency": null'),
                    encoding="utf-8")
    _, pairs, _ = question(file)
    assert int(pairs["measured_concurrent_requests"]) == \
        round(7.0637 * (0.11637 + (589824 / 640 - 1) * 0.009704))


def test_a_run_that_is_its_own_start_and_end_is_refused(tmp_path):
    """vLLM's default sends all prompts at once: the first tokens wait for most of the run."""
    text = (FOLDER / "vllm.json").read_text(encoding="utf-8")
    at_once = text.replace('"max_concurrency": 64', '"max_concurrency": null').replace(
        '"mean_ttft_ms": 116.37', '"mean_ttft_ms": 60116.37')
    assert at_once.count("60116.37") == 1
    file = tmp_path / "at_once.json"
    file.write_text(at_once, encoding="utf-8")
    done = measure(file)
    assert done.returncode == 64 and not done.stdout
    assert "of 640 requests 488 were in flight at once" in done.stderr and "--max-concurrency" in done.stderr


def blocks():
    """The commands of the README, a walk each."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    return [part.split("```")[0] for part in text.split("```sh\n")[1:]]


@pytest.mark.parametrize("walk", range(3))
def test_walks_of_the_readme(server, database, walk):
    """Each is run as it stands: another number of GPUs is ordered with the run than without."""
    env = dict(os.environ) | database.env | {"GPUPLAN_URL": server.url}
    env["PATH"] = f"{pathlib.Path(BINARY).resolve().parent}:{env['PATH']}"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", blocks()[walk]], cwd=ROOT, env=env,
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    figures = dict(line.split("=", 1) for line in done.stdout.split("\n") if "=" in line)
    ordered = [figures[way].split() for way in ("without", "with")]
    assert all(verdict in ("buy", "rent") for _, verdict in ordered), done.stdout
    assert ordered[0][0] != ordered[1][0] and float(figures["factor"]) != 1, shlex.quote(done.stdout)
