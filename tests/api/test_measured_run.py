"""/v1/measured-run reads what `gpuplan measure` reads, and says the same of it."""
import subprocess

import pytest

from conftest import BINARY, ROOT
from test_bad_measurements import vllm

FOLDER = ROOT / "api" / "benchmarks"
FILES = sorted(path.name for path in FOLDER.iterdir()
               if path.is_file() and path.name not in ("README.md",))
SGLANG = (FOLDER / "sglang.jsonl").read_text(encoding="utf-8")


def ask(server, file, **more):
    return server.post("/v1/measured-run", {"file": file} | more)


def printed(path, *arguments):
    done = subprocess.run([BINARY, "measure", "--url", "", *arguments, path], check=False,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", FILES)
def test_it_says_what_the_command_says(server, name):
    path = FOLDER / name
    reply = ask(server, path.read_text(encoding="utf-8"))
    assert reply.status == 200, reply.text
    assert reply.json["question"] == printed(path, "--run", str(reply.json["run_count"]))
    assert reply.json["links"]["question"] == reply.json["question"]


def test_of_several_runs_the_last_is_taken_unless_one_is_asked_for(server):
    last, first = ask(server, SGLANG), ask(server, SGLANG, run=1)
    assert (last.json["run"], last.json["run_count"], first.json["run"]) == (2, 2, 1)
    assert [each["code"] for each in last.json["warnings"]] == ["several_runs"]
    assert not first.json["warnings"]
    assert "measured_concurrent_requests=32" in first.json["question"]
    three = ask(server, SGLANG, run=3)
    assert three.status == 400 and "the file has 2 runs" in three.json["detail"]


def test_its_question_can_be_asked_as_it_stands(server):
    file = (FOLDER / "runs.csv").read_text(encoding="utf-8")
    question = ask(server, file, run=1).json["question"]
    reply = server.get(question + "&requests_per_minute=60")
    assert reply.status == 200 and reply.json["correction_run_count"] == 1


@pytest.mark.parametrize("file, why", [
    ("{}", "mean_tpot (InferenceX)"), ("no run", "a CSV with columns measured_..."),
    (vllm(completed=0), "no request was completed")])
def test_why_a_file_is_not_read_is_said_to_the_end(server, file, why):
    reply = ask(server, file)
    assert reply.status == 400 and reply.json["errors"][0]["pointer"] == "#/file"
    assert reply.json["errors"][0]["detail"].endswith(why)


def test_a_limit_that_the_rate_stays_below_is_not_the_number_in_flight(server):
    """2.1 requests a second of 0.116 + 921 x 0.0097 s are 19 at once, whatever the limit."""
    def flight(**changed):
        question = ask(server, vllm(**changed)).json["question"]
        return dict(pair.split("=") for pair in question.split("?")[1].split("&"))["measured_concurrent_requests"]

    assert flight() == "64"
    assert flight(max_concurrency=256, request_throughput=2.1) == "19"
    assert flight(max_concurrency=256, request_throughput=20) == "256"  # 181: it starts and ends
    assert flight(mean_tpot_ms=0.0097, mean_ttft_ms=0.116) == "64"  # another unit, not a low rate


def test_times_that_the_limit_and_the_rate_rule_out_are_refused(server):
    reply = ask(server, vllm(mean_tpot_ms=9704, mean_ttft_ms=116370))
    assert reply.status == 400 and "contradict each other" in reply.json["detail"]
