"""What cannot be read is named, by `gpuplan measure` and by POST /v1/measurements, and what is
there before and after it is kept."""
import json
import subprocess

import pytest

from conftest import BINARY, ROOT
from test_own_runs import GPU, RUN, runs, team  # noqa: F401

FOLDER = ROOT / "api" / "benchmarks"


def text(name):
    return (FOLDER / name).read_text(encoding="utf-8")


def vllm(**changed):
    return json.dumps(json.loads(text("vllm.json")) | changed)


def measure(tmp_path, content, *arguments):
    file = tmp_path / "file"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return subprocess.run([BINARY, "measure", file, *arguments], capture_output=True, text=True,
                          timeout=60, check=False)


def read(tmp_path, content, *arguments):
    done = measure(tmp_path, content, *arguments)
    assert done.returncode == 0, done.stderr
    return dict(pair.split("=", 1) for pair in done.stdout.splitlines()[1:]), done.stderr


MEGATRON, TITAN, SGLANG = text("megatron.log"), text("torchtitan.log"), text("sglang.jsonl")
STEP = "elapsed time per iteration (ms):"
OTHER = {"results": {"qps": 3}}


@pytest.mark.parametrize("content, why", [
    (b"", "it is empty"), (b" \r\n\n", "it is empty"),
    (bytes(1000), "it is binary, not text"), (bytes(range(128, 256)) * 9, "it is binary, not text"),
    (text("runs.csv").encode("utf-16"), "it is UTF-16: save it as UTF-8"),
    (text("vllm.json")[:len(text("vllm.json")) // 2], "line 1: it ends too early"),
    (SGLANG[:-200], "line 2: "),
    (SGLANG + json.dumps(OTHER) + "\n", "line 3: not a report, as the one before it"),
    (json.dumps(OTHER), "JSON of none of the benchmarks"),
    (json.dumps([OTHER]), "JSON of none of the benchmarks"),
    (vllm(mean_tpot_ms=float("nan")), "mean_tpot_ms is 0, NaN or Infinity"),
    (vllm(mean_tpot_ms=-9.7), "mean_tpot_ms is -9.7: it should be a number above 0"),
    (vllm(mean_tpot_ms="9.7 ms"), "mean_tpot_ms is 9.7 ms"),
    (vllm(mean_ttft_ms=-1), "mean_ttft_ms is -1"),
    (vllm(mean_ttft_ms=float("inf")), "mean_ttft_ms is 0, NaN or Infinity"),
    (vllm(total_output_tokens=-5), "total_output_tokens is -5"),
    (SGLANG.replace('"mean_ttft_ms": 418.65', '"mean_ttft_ms": -418.65'),
     "line 2: mean_ttft_ms is -418.65"),
    (text("trtllm_bench.json").replace("18.848", "-18.848"), "avg_tpot_ms is -18.848"),
    (text("runs.csv")[:-20], "line 3: it has not as many columns as the header"),
    ("\n".join(line for line in MEGATRON.splitlines() if STEP not in line),
     f"a log of Megatron without a step: no line has '{STEP}'"),
    (MEGATRON.replace(STEP + " ", STEP + " nan #"), "none of its 3 steps has a number above 0"),
    (MEGATRON.replace(STEP + " ", STEP + " -"), "none of its 3 steps has a number above 0"),
    ("\n".join(line for line in TITAN.splitlines() if "tps:" not in line),
     "a log of torchtitan without a step: no line has 'tps:'"),
    (TITAN.replace("tps: ", "tps: nan"), "none of its 4 steps has a number above 0 after 'tps:'"),
], ids=lambda value: ascii(value)[:30])
def test_a_bad_file_is_named(tmp_path, content, why):
    done = measure(tmp_path, content)
    assert done.returncode == 64 and why in done.stderr, done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1


def test_half_a_gigabyte_is_not_read_whole(tmp_path):
    file = tmp_path / "big.json"
    with file.open("wb") as out:
        out.truncate(500 * 1024 * 1024)
    done = subprocess.run([BINARY, "measure", file], capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 64 and "is longer than 256 MiB" in done.stderr


SHEET = text("runs.csv")


@pytest.mark.parametrize("content", [
    "\ufeff" + SHEET, SHEET.replace("\n", "\r\n"), SHEET.replace(",", ";"),
    SHEET.replace(",", "\t"), SHEET.replace(",", ";").replace("640", "640,0"),
    "\ufeff" + SHEET.replace(",", ";").replace("\n", "\r\n")])
def test_a_sheet_as_spreadsheets_save_it_is_read(tmp_path, content):
    """With a byte order mark, semicolons and decimal commas, tabs, lines that end with CRLF."""
    plain, _ = read(tmp_path, SHEET, "--run", "1")
    again, _ = read(tmp_path, content, "--run", "1")
    rate = "measured_output_tokens_per_second"
    assert float(again.pop(rate)) == float(plain.pop(rate)) == 640
    assert again == plain


@pytest.mark.parametrize("content", [
    "\ufeff" + text("vllm.json"), text("vllm.json").replace(", ", ",\r\n"),
    json.dumps([json.loads(text("vllm.json"))])])
def test_a_report_in_other_clothes_is_read(tmp_path, content):
    assert read(tmp_path, content) == read(tmp_path, text("vllm.json"))


def test_a_log_cut_in_half_says_what_it_rests_on(tmp_path):
    pairs, said = read(tmp_path, MEGATRON[:len(MEGATRON) // 2])
    assert pairs["measured_step_seconds"] == "61.2345"
    assert "only one step, and the first ones are slow" in said


def test_a_step_that_is_cut_off_does_not_count(tmp_path):
    """61234.5 ms would be read as 61 ms, or 6."""
    lines = MEGATRON.splitlines()
    cut = "\n".join(lines[:-1]) + "\n" + lines[-1].split(STEP)[0] + STEP + " 197"
    pairs, said = read(tmp_path, cut)
    assert pairs["measured_step_seconds"] == "19.71"
    assert "1 of 3 steps have no time above 0 and were left out" in said


def test_a_log_without_its_arguments_says_what_is_missing(tmp_path):
    steps = "\n".join(line for line in MEGATRON.splitlines() if STEP in line) + "\n"
    pairs, said = read(tmp_path, steps)
    assert pairs["measured_step_seconds"] == "19.71" and "measured_gpu_count" not in pairs
    assert "no world_size and seq_length, taken from the question unless given" in said


@pytest.mark.parametrize("times", [1000, 0.001])
def test_another_unit_is_named_by_the_answer(server, tmp_path, times):
    """Seconds or microseconds where the layout has milliseconds. Without the rate, which tells a
    reader that 1,000 times as long is not possible (test_measured_run.py)."""
    report = json.loads(text("vllm.json"))
    del report["request_throughput"]
    report |= {name: value * times for name, value in report.items() if name.endswith("_ms")}
    pairs, _ = read(tmp_path, json.dumps(report), "gpu=" + GPU, "kv_cache_dtype=fp8",
                    "requests_per_minute=2400")
    reply = server.get("/v1/inference-sizing", **pairs)
    assert reply.status == 400 and reply.json["errors"][0]["code"] == "unit", reply.text
    assert "1,000" in reply.text


@pytest.mark.parametrize("value", ["nan", "-640", "inf", "fast"])
def test_a_figure_of_a_sheet_is_refused_by_the_answer(server, tmp_path, value):
    pairs, _ = read(tmp_path, SHEET.replace("640", value), "--run", "1")
    reply = server.get("/v1/inference-sizing", **pairs)
    assert reply.status == 400
    assert reply.json["errors"][0]["parameter"] == "measured_output_tokens_per_second"


def post(team, body, kind="application/json"):  # noqa: F811
    return team.server.request("POST", "/v1/measurements", body, {
        "Authorization": "Bearer a-secret", "Content-Type": kind})


WHOLE = json.dumps(RUN).encode()


@pytest.mark.parametrize("body, status, words", [
    (WHOLE[:len(WHOLE) // 2], 400, "malformed-body"), (b"", 400, ""),
    (bytes(1000), 400, "malformed-body"), (bytes(range(128, 256)), 400, "not UTF-8"), (b"[" + WHOLE + b"]", 400, "object"),
    (json.dumps(OTHER).encode(), 400, "results"), (text("vllm.json").encode(), 400, "model_id"),
    (WHOLE.replace(b"0.03", b"NaN"), 400, "JSON"), (WHOLE.replace(b"0.03", b"1e999"), 400, ""),
    (WHOLE.replace(b"0.03", b"-0.03"), 400, "measured_time_per_output_token_seconds"),
    (WHOLE.replace(b"0.03", b'"0.03 s"'), 400, "measured_time_per_output_token_seconds"),
    (WHOLE.replace(b"0.03", b"30"), 400, "1,000"),
    (b'{"note": "' + b"x" * 3_000_000 + b'"}', 413, ""),
], ids=lambda value: None if isinstance(value, int) else ascii(value)[:30])
def test_a_bad_body_is_named_and_loses_no_run(runs, body, status, words):  # noqa: F811
    kept = runs.store(RUN)
    reply = post(runs, body)
    assert reply.status == status and words in reply.text, reply.text
    assert runs.ids("acme") == {kept["id"]}
    assert runs.database.query("select count(*) from own_measurement") == "1"


def test_a_sheet_is_no_body(runs):  # noqa: F811
    reply = post(runs, SHEET.encode(), "text/csv")
    assert reply.status == 415, reply.text
    assert runs.database.query("select count(*) from own_measurement") == "0"


def test_half_a_gigabyte_is_refused_by_its_length(runs):  # noqa: F811
    """Before it is sent: the head says how long it is."""
    reply = runs.server.request("POST", "/v1/measurements", None, {
        "Authorization": "Bearer a-secret", "Content-Type": "application/json",
        "Content-Length": str(500 * 1024 * 1024)})
    assert reply.status == 413, reply.text


def test_a_file_with_a_bad_run_stores_nothing_of_it(runs, tmp_path):  # noqa: F811
    """Its first run is good, its second is not: the file is refused before any is stored."""
    (tmp_path / "token").write_text("a-secret\n")
    done = measure(tmp_path, SGLANG.replace('"mean_ttft_ms": 418.65', '"mean_ttft_ms": -418.65'),
                   "--store", "acme", "--token-file", tmp_path / "token", "--url", runs.server.url,
                   "model=deepseek-r1", "gpu=h200-sxm5-141gb", "weight_dtype=fp8",
                   "tensor_parallel=8")
    assert done.returncode == 64 and "line 2" in done.stderr
    assert runs.database.query("select count(*) from own_measurement") == "0"
