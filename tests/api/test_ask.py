"""`gpuplan ask` gives what the API gives, from the database and from a running daemon."""
import os
import subprocess

import pytest

from conftest import BINARY, ROOT

TRAINING = ["training-plan", "model=llama-2-70b", "gpu=a100-sxm4-80gb", "gpu_count=2048", "tokens=2e12"]
QUESTIONS = [TRAINING, ["inference-sizing", "model=llama-2-70b", "gpu=h100-sxm5-80gb", "requests_per_minute=1000"],
             ["break-even", "gpu=h100-sxm5-80gb", "gpu_count=8", "utilization=0.7", "provider=lambda,aws"],
             ["break-even/line-items", "gpu=h100-sxm5-80gb", "gpu_count=8", "utilization=0.7"],
             ["training-plan/options", "model=llama-2-7b", "tokens=1e11", "limit=5"],
             ["offers", "gpu=h100-sxm5-80gb", "limit=5"], ["models/llama-2-70b"]]


def ask(env, *arguments):
    """With settings of its own: an address in the environment would otherwise be asked."""
    env = {name: value for name, value in env.items() if not name.startswith("GPUPLAN_") or name == "GPUPLAN_URL"}
    asked = subprocess.run([BINARY, "ask", *arguments], env=env, capture_output=True, timeout=120)
    asked.stdout, asked.stderr = asked.stdout.decode(), asked.stderr.decode()
    return asked


def replied(server, question, suffix, **more):
    return server.get(f"/v1/{question[0]}.{suffix}", **dict(pair.split("=", 1) for pair in question[1:]), **more).text


@pytest.fixture(params=["database", "daemon", "GPUPLAN_URL"])
def way(request, database, server):
    """The environment, and the arguments, of each way to ask."""
    return {"database": (database.env, []), "daemon": (dict(os.environ), ["--url", server.url + "/"]),
            "GPUPLAN_URL": (dict(os.environ) | {"GPUPLAN_URL": server.url}, [])}[request.param]


@pytest.mark.parametrize("suffix", ["json", "csv"])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question[0])
def test_the_answer_is_that_of_the_api(server, way, question, suffix):
    env, options = way
    asked = ask(env, *options, "--format", suffix, *question)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout == replied(server, question, suffix)


def test_a_table_has_field_value_and_unit_in_columns(server, way):
    env, options = way
    asked = ask(env, *options, *TRAINING, "fields=days,total_cost,recompute,meets_deadline")
    answer = server.get("/v1/" + TRAINING[0], **dict(pair.split("=") for pair in TRAINING[1:])).json
    assert asked.stdout == ("field           value       unit\n"
                            f"days            {answer['days']:<10g}  days\n"
                            f"total_cost      {answer['total_cost']:<10.2f}  USD\n"
                            f"recompute       {answer['recompute']:<10}  \n"
                            "meets_deadline              \n")


def test_a_list_is_a_table_with_numbers_flush_right(server, way):
    env, options = way
    asked = ask(env, *options, "offers", "gpu=h100-sxm5-80gb", "fields=provider,price_per_gpu_hour,region,stale")
    lines = asked.stdout.splitlines()
    rows = server.get("/v1/offers", gpu="h100-sxm5-80gb").json["rows"]
    assert [line.split()[:2] for line in lines[1:]] == [[row["provider"], f"{row['price_per_gpu_hour']:.10g}"] for row in rows]
    end = lines[0].index("price_per_gpu_hour") + len("price_per_gpu_hour")
    assert all(line[:end].split()[1] == line[:end].split(" ")[-1] and line[end] == " " for line in lines)


def test_one_bare_number(server, way):
    env, options = way
    asked = ask(env, *options, "--format=txt", *TRAINING, "field=total_cost")
    assert asked.stdout == replied(server, TRAINING, "txt", field="total_cost") + "\n"


@pytest.mark.parametrize("extra, says", [("gpu_counts=8", "did you mean gpu_count"), ("provider=a&b=ü #", "gpuplan ask: provider: ")])
def test_what_is_refused_is_said_in_one_sentence(way, extra, says):
    env, options = way
    asked = ask(env, *options, *TRAINING, extra)
    assert (asked.returncode, asked.stdout) == (64, "")
    assert asked.stderr.count("\n") == 1
    assert says in asked.stderr


def test_a_program_gets_the_problem(server, way):
    env, options = way
    question = [*TRAINING, "precision=fp8"]
    asked = ask(env, *options, "--format", "json", *question)
    assert asked.returncode == 64
    assert asked.stdout == replied(server, question, "json")


def test_nothing_meets_the_limits(way):
    env, options = way
    asked = ask(env, *options, "training-plan", "model=llama-2-70b", "gpu=t4", "tokens=2e12", "deadline_days=1", "gpu_count=")
    assert asked.returncode == 64 and asked.stderr


@pytest.mark.parametrize("arguments, says", [
    ([], "say what to ask"), (["--nonsense"], "--nonsense"), (["gpus", "a100"], "NAME=VALUE"), (["gpus", "=x"], "NAME=VALUE"),
    (["--format", "yaml", "gpus"], "formats are"), (["../gpus?x"], "../gpus?x"), (["gpus", "--url"], "NAME=VALUE")])
def test_usage(database, arguments, says):
    asked = ask(database.env, *arguments)
    assert asked.returncode == 64
    assert says in asked.stderr and not asked.stdout


def test_nobody_to_ask(database, tmp_path):
    nowhere = ask(dict(os.environ) | {"DATABASE_URL": f"postgresql:///x?host={tmp_path}"}, "gpus")
    assert nowhere.returncode == 69 and "no database" in nowhere.stderr
    closed = ask(dict(os.environ), "--url", "http://127.0.0.1:1", "gpus")
    assert closed.returncode == 69 and "http://127.0.0.1:1" in closed.stderr
    other = ask(dict(os.environ), "--url", "file:///etc/hostname#", "gpus")
    assert other.returncode == 69 and not other.stdout
    without = ask(dict(os.environ) | {"PATH": str(tmp_path)}, "--url", "http://127.0.0.1:1", "gpus")
    assert without.returncode == 69 and "curl" in without.stderr


def test_help_names_it(database):
    assert "gpuplan ask QUESTION" in subprocess.run([BINARY, "--help"], capture_output=True, text=True).stdout
    assert ask(database.env, "--help").stdout.startswith("usage: gpuplan ask")


def test_the_example_of_the_readme(database):
    command = next(line.split() for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("    gpuplan ask "))
    asked = ask(database.env, *command[2:])
    assert asked.returncode == 0, asked.stderr
    assert [line.split()[0] for line in asked.stdout.splitlines()] == ["field", "days", "days_low", "days_high", "total_cost"]
