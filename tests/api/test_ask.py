"""`gpuplan ask` gives what the API gives, from the database and from a running daemon."""
import json
import os
import subprocess

import pytest

from conftest import BINARY

TRAINING = ["training-plan", "model=llama-2-70b", "gpu=a100-sxm4-80gb", "gpu_count=2048", "tokens=2e12"]
QUESTIONS = [TRAINING, ["inference-sizing", "model=llama-2-70b", "gpu=h100-sxm5-80gb", "requests_per_minute=1000"],
             ["break-even", "gpu=h100-sxm5-80gb", "gpu_count=8", "utilization=0.7", "provider=lambda,aws"],
             ["break-even/line-items", "gpu=h100-sxm5-80gb", "gpu_count=8", "utilization=0.7"],
             ["training-plan/options", "model=llama-2-7b", "tokens=1e11", "limit=5"],
             ["offers", "gpu=h100-sxm5-80gb", "limit=5"], ["models/llama-2-70b"]]


def ask(env, *arguments):
    """With settings of its own: an address in the environment would otherwise be asked."""
    env = {name: value for name, value in env.items() if not name.startswith("GPUPLAN_") or name == "GPUPLAN_URL"}
    asked = subprocess.run([BINARY, "ask", *arguments], env=env, capture_output=True, timeout=600)
    asked.stdout, asked.stderr = asked.stdout.decode(), asked.stderr.decode()
    return asked


def replied(server, question, suffix, **more):
    return server.get(f"/v1/{question[0]}.{suffix}", **dict(pair.split("=", 1) for pair in question[1:]), **more).text


@pytest.fixture(params=["database", "daemon", "GPUPLAN_URL"])
def way(request, database, server):
    """The environment, and the arguments, of each way to ask."""
    return {"database": (database.env, []), "daemon": (dict(os.environ), ["--url", server.url + "/"]),
            "GPUPLAN_URL": (dict(os.environ) | {"GPUPLAN_URL": server.url}, [])}[request.param]


def warnings_of(server, question):
    return "".join(f"warning: {warning['detail']}\n" for warning in json.loads(replied(server, question, "json"))["warnings"])


@pytest.mark.parametrize("suffix", ["json", "csv"])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question[0])
def test_the_answer_is_that_of_the_api(server, way, question, suffix):
    env, options = way
    asked = ask(env, *options, "--format", suffix, *question)
    assert asked.returncode == 0
    assert asked.stdout == replied(server, question, suffix)
    assert asked.stderr == ("" if suffix == "json" else warnings_of(server, question))


def test_a_person_is_warned(server, way):
    env, options = way
    question = ["training-plan", "model=llama-2-7b", "gpu=rtx-4090", "gpu_count=8", "tokens=1e11"]
    asked = ask(env, *options, *question)
    assert asked.stderr == warnings_of(server, question) != ""


def pieces(lines):
    return {word for line in lines for word in line.split()}


@pytest.mark.parametrize("question", QUESTIONS + [["gpus", "limit=5"]], ids=lambda question: question[0])
def test_lines_fit_a_page_and_nothing_is_left_out(server, way, question):
    env, options = way
    asked = ask(env, *options, *question)
    assert max(map(len, asked.stdout.splitlines())) <= 100
    whole = replied(server, question, "tsv", layout="long")
    squeezed = "".join(asked.stdout.split())
    head = whole.splitlines()[0].split("\t")
    assert all(name in pieces(asked.stdout.splitlines()) for name in head)
    if len(head) == 3:
        for line in whole.splitlines():
            name, value, unit = line.split("\t")
            assert name in squeezed and unit.replace(" ", "") in squeezed and (len(value) > 40 or value.replace(" ", "") in squeezed)


def test_lines_fit_the_terminal(database):
    """On a terminal of 60 columns."""
    command = f"stty cols 60; exec {BINARY} ask gpus limit=2"
    shown = subprocess.run(["script", "--quiet", "--return", "--command", command, "/dev/null"], env=database.env,
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
    table = shown.replace("\r", "").split("warning:")[0].splitlines()
    assert len(table) > 10 and max(map(len, table)) <= 60


def test_a_path_that_is_none_is_said_in_words(way):
    env, options = way
    asked = ask(env, *options, "break-evn", "gpu=t4")
    assert (asked.returncode, asked.stdout) == (64, "")
    assert asked.stderr == "gpuplan ask: nothing exists at this address; did you mean /v1/break-even; /v1 lists what does\n"


def test_every_fault_is_said(way):
    env, options = way
    asked = ask(env, *options, "break-even", "gpu_count=x", "utilisation=1")
    assert [line.split(": ")[1] for line in asked.stderr.splitlines()] == ["gpu_count", "utilisation", "gpu"]


def test_without_a_database_the_daemon_on_this_machine_answers(server):
    """What the README shows while make run serves: neither a database nor a daemon is named."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "DATABASE_URL"))}
    here = env | {"PGHOSTADDR": "127.0.0.1", "PGPORT": "1", "GPUPLAN_LISTEN": server.url.removeprefix("http://")}
    asked = subprocess.run([BINARY, "ask", "--format=txt", *TRAINING], env=here, capture_output=True, text=True, check=True)
    assert asked.stdout == replied(server, TRAINING, "txt") + "\n"
    nobody = subprocess.run([BINARY, "ask", "gpus"], env=here | {"GPUPLAN_LISTEN": "127.0.0.1:1"}, capture_output=True, text=True)
    assert nobody.returncode == 69 and "127.0.0.1:1" in nobody.stderr and "no database" in nobody.stderr
    # One that somebody named is not replaced by another's catalogue.
    named = subprocess.run([BINARY, "ask", "gpus"], env=here | {"PGHOST": "/nowhere"}, capture_output=True, text=True)
    assert named.returncode == 69 and not named.stdout


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
    ([], "no question given"), (["--nonsense"], "--nonsense"), (["gpus", "a100"], "NAME=VALUE"), (["gpus", "=x"], "NAME=VALUE"),
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
