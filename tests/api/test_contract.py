"""Every JSON reply is what /openapi.json says: types, and no field it does not name."""
import json
import urllib.parse

import jsonschema
import pytest

from conftest import ROOT
from openapi import inlined

# A question for each path; what is asked does not matter, the shape of the answer does.
QUESTIONS = {
    "/v1": "/v1",
    "/v1/gpus": "/v1/gpus?limit=5&count=1",
    "/v1/gpus/{gpu}": "/v1/gpus/h100-sxm5-80gb?model=llama-2-7b",
    "/v1/offers": "/v1/offers?gpu=t4",
    "/v1/offers/history": "/v1/offers/history?gpu=t4",
    "/v1/price-summary": "/v1/price-summary",
    "/v1/hardware": "/v1/hardware",
    "/v1/models": "/v1/models?limit=5",
    "/v1/models/{model}": "/v1/models/deepseek-v3",
    "/v1/assumptions": "/v1/assumptions",
    "/v1/changes": "/v1/changes",
    "/v1/quotes": "/v1/quotes",
    "/v1/measurements/{id}": "/v1/measurements/2026_03_25_deepseek_r1_b200_sxm_sglang_fp8_agg_1024x1024_c128_tp8_0_ep1_0_300",
    "/v1/measured-run": "/v1/measured-run?file=%7B%22completed%22:40,%22max_concurrency%22:4,%22total_input_tokens%22:4000,%22total_output_tokens%22:4000,%22mean_ttft_ms%22:50,%22mean_tpot_ms%22:8%7D",
    "/v1/quotes/{id}": "/v1/quotes/1",
    "/v1/quotes/{id}/history": "/v1/quotes/1/history",
    "/v1/exchange-rates": "/v1/exchange-rates",
    "/v1/training-plan": "/v1/training-plan?model=gpt2&gpu=t4&tokens=1e9&precision=fp16",
    "/v1/inference-sizing": "/v1/inference-sizing?model=mixtral-8x7b-v0.1&gpu=h200-sxm5-141gb",
    "/v1/inference-sizing/pools": "/v1/inference-sizing/pools?pools=llama-3.1-8b:4,llama-3.1-70b:1&requests_per_minute=90",
    "/v1/recommendation": "/v1/recommendation?workload=serve&model=llama-2-7b&growth_ratio_per_month=0.1",
    "/v1/break-even/gpus": "/v1/break-even/gpus?gpu=rtx-4090,l4,gaudi2&utilization=0.3",
    "/v1/break-even": "/v1/break-even?gpu=rtx-4090&utilization=0.3",
    "/v1/compare": "/v1/compare?a=/v1/break-even?gpu=t4%26utilization=0.3&b=/v1/break-even?gpu=l4%26utilization=0.5",
}
ALSO = ("/line-items", "/explanations", "/series", "/options", "/sensitivity", "/risk", "/figures",
        "/differing-inputs", "/why", "/cash-flow", "/lease", "/ledger")


def question(path):
    for tail in ALSO:
        if path.endswith(tail):
            base, _, query = QUESTIONS[path.removesuffix(tail)].partition("?")
            return f"{base}{tail}?{query}"
    return QUESTIONS.get(path, path)


@pytest.fixture(scope="module")
def document(server):
    return server.get("/openapi.json").json


@pytest.fixture(scope="module")
def whole(document):
    return inlined(document)


def names_it_does_not_have(reply, schema):
    known = schema["properties"]
    yield from set(reply) - set(known)
    for name, value in reply.items():
        rows = value if isinstance(value, list) else []
        fields = known.get(name, {}).get("items", {}).get("properties")
        for row in rows if fields else []:
            yield from set(row) - set(fields)


def test_every_path_is_asked(document):
    """Those that need no parameters are asked by their address alone."""
    assert set(QUESTIONS) <= set(document["paths"])
    assert all(path in QUESTIONS for path in document["paths"] if "{" in path)


def test_replies_are_what_the_contract_says(server, whole):
    for path, operations in whole["paths"].items():
        reply = server.get(question(path))
        assert reply.status == 200, reply.text
        schema = operations["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator(schema).validate(reply.json)
        assert set(names_it_does_not_have(reply.json, schema)) == set(), path


def test_problems_are_what_the_contract_says(server, whole):
    schema = whole["components"]["schemas"]["Problem"]
    for path in ("/nowhere", "/v1/gpus?nonsense=1", "/v1/break-even"):
        reply = server.get(path)
        assert reply.status >= 400
        jsonschema.Draft202012Validator(schema).validate(reply.json)


def test_a_table_with_a_path_of_its_own_says_what_it_is(document):
    """Otherwise six methods of a generated client are said to do the same."""
    summaries = {path: operations["get"]["summary"] for path, operations in document["paths"].items()}
    parts = {path: path.rsplit("/", 1)[0] for path in summaries}
    assert [path for path, whole in parts.items() if summaries[path] == summaries.get(whole)] == []
    assert not any(" at /v1" in each or "explain=1" in each for each in summaries.values())


def test_every_property_of_every_schema_is_described(document):
    schemas = document["components"]["schemas"]

    def described(schema):
        return "description" in schema or "$ref" in schema and described(schemas[schema["$ref"].rsplit("/", 1)[1]])

    bare = [f"{name}.{each}" for name, schema in schemas.items() for each, of in schema.get("properties", {}).items()
            if not described(of)]
    assert bare == []


def test_the_contract_of_one_path_is_its_part_of_the_whole(server, document, whole):
    for path, operations in document["paths"].items():
        reply = server.get(f"/openapi{urllib.parse.quote(path)}.json")
        assert reply.status == 200, path
        part = reply.json
        assert part["paths"] == {path: operations} and len(reply.body) < 170_000
        assert {*part} == {*document} and {*part["components"]} == {*document["components"]}
        for kind, components in part["components"].items():
            assert components.items() <= document["components"][kind].items(), (path, kind)
        assert inlined(part)["paths"] == {path: whole["paths"][path]}
    again = server.get("/openapi/v1/gpus.json", headers={"If-None-Match": reply.headers["ETag"]})
    assert again.status == 304 and not again.body
    assert server.get("/openapi/v1/gpu.json").status == server.get("/openapi.json.json").status == 404


def test_every_example_is_that_of_the_folder(document):
    """What is asked, in the contract and in api/examples; test_examples.py asks it."""
    for name, example in document["components"]["examples"].items():
        head, _, body = (ROOT / f"api/examples/{name}.request").read_text().partition("\n\n")
        method, target, _ = head.splitlines()[0].split(" ")
        if "value" in example:
            assert json.loads(body) == example["value"], name
        else:
            assert f"{method} {target}" == example["description"].replace(".json?", "?"), name
    answered = {path.stem for path in (ROOT / "api/examples").glob("*.reply")
                if path.read_text().startswith(("HTTP/1.1 200 ", "HTTP/1.1 201 ")) and "ERROR" not in path.read_text()}
    assert set(document["components"]["examples"]) == answered


def parameters(whole, path):
    return [(one["name"], one["schema"]) for one in whole["paths"][path]["get"]["parameters"]]


def test_whole_numbers_are_integers(server, whole):
    """What the contract calls an integer is refused with a fraction; a count is one, a ratio is not."""
    asked = dict(parameters(whole, "/v1/training-plan"))
    assert asked["gpu_count"]["type"] == "integer" and asked["goodput"]["type"] == "number"
    for path in ("/v1/training-plan", "/v1/inference-sizing", "/v1/break-even", "/v1/offers"):
        names = [name for name, schema in parameters(whole, path) if schema.get("type") == "integer"]
        assert "limit" in names or "gpu_count" in names
        for name in names:
            reply = server.get(path, **{name: 1.5})
            problems = {one["parameter"]: one["code"] for one in reply.json["errors"]}
            assert reply.status == 400 and problems[name] in ("not_whole", "out_of_range"), (path, name, reply.text)
