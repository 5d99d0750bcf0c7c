"""A TypeScript client is made from api/openapi.yaml, type-checked, and asks a real daemon."""
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import ROOT

HERE = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build/client"
CONTRACT = ROOT / "api/openapi.yaml"
NO_NETWORK = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E40[34]|E50\d"
                        r"|SELF_SIGNED_CERT|UNABLE_TO_(GET|VERIFY)")  # a proxy whose certificate npm does not know


def run(*command):
    return subprocess.run(command, cwd=BUILD, capture_output=True, text=True)


def tool(name, *arguments):
    return run(BUILD / "node_modules/.bin" / name, *arguments)


@pytest.fixture(scope="module")
def client():
    """The folder in which the client is: the locked packages and the types made from the contract."""
    if not shutil.which("npm"):
        pytest.skip("not run: npm is not installed")
    BUILD.mkdir(parents=True, exist_ok=True)
    for path in HERE.iterdir():
        if path.is_file() and path.suffix != ".py":
            shutil.copy(path, BUILD)
    installed = run("npm", "ci", "--no-progress")
    if installed.returncode and NO_NETWORK.search(installed.stderr):
        pytest.skip("not run: the npm packages cannot be installed")
    assert installed.returncode == 0, installed.stderr
    made = tool("openapi-typescript", CONTRACT, "--output", "gpuplan.d.ts")
    assert made.returncode == 0, made.stdout + made.stderr
    return BUILD


def test_the_contract_is_openapi_by_the_published_schema(client):
    found = run("node", "validate.mjs", CONTRACT)
    assert found.returncode == 0, found.stdout + found.stderr


def test_programs_are_checked_by_its_types(client):
    """questions.ts passes; each line of mistakes.ts that is expected to be refused is."""
    checked = tool("tsc", "--project", ".")
    assert checked.returncode == 0, checked.stdout


def test_what_it_asks_is_answered(client, server):
    asked = run("node", "out/questions.js", server.url)
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    plan = server.get("/v1/training-plan", model="llama-2-70b", gpu="a100-sxm4-80gb", gpu_count=2048, tokens=2e12,
                      method="full").json
    assert answer["days"] == answer["days_posted"] == plan["days"] > 0
    assert answer["lines"] == [line["key"] for line in plan["line_items"]]
    sizing = server.get("/v1/inference-sizing", model="llama-2-70b", gpu="h100-sxm5-80gb", requests_per_minute=1000,
                        latency_p95_seconds=15).json
    assert (answer["gpu_count"], answer["cost_per_hour"]) == (sizing["gpu_count"], sizing["cost_per_hour"])
    offers = server.get("/v1/offers", gpu="h100-sxm5-80gb", purchase_option="on_demand", limit=3).json["rows"]
    assert answer["prices"] == [offer["price_per_gpu_hour"] for offer in offers] and len(offers) == 3
    assert answer["memory_gib"] == 80
    assert answer["refused"] == server.get("/v1/gpus/h100-sxm5-80g").json["title"]
