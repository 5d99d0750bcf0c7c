"""Requests made to hurt: each gets its refusal, or an answer whose cost is bounded."""
import json
import zlib

import pytest

from conftest import BINARY
from test_http import exchange, get

# The search and the draws that take longest, which the daemon of Debian 13 is asked for. Draws are made in blocks that
# are all alike: a sanitizer sees as much in a tenth of them, and how threads meet in fewer and in a shorter search.
MODEL, SEQUENCE_TOKENS, DRAWS = "deepseek-v3", 163840, 1_000_000
if BINARY.parent.name == "asan":
    DRAWS = 100_000
if BINARY.parent.name == "tsan":
    MODEL, SEQUENCE_TOKENS, DRAWS = "llama-3.1-8b", 131072, 10_000
PLAN = "/v1/break-even?gpu=h100-sxm5-80gb&utilization=0.7"


def post(server, body, path="/v1/break-even", headers=()):
    return server.request("POST", path, body, {"Content-Type": "application/json", **dict(headers)})


@pytest.mark.parametrize("path", [
    "/%2e%2e/Makefile", "/%2e%2e%2fMakefile", "/..%5cMakefile", "/static/../../Makefile",
    "/./index.html/../../Makefile", "/%c0%ae%c0%ae/Makefile", "/index.html%00.png", "/index.html/",
    "/INDEX.HTML", "//index.html", "/.htaccess", "/proc/self/environ", "/vendor/../app.js",
    "/app.js%20", "/%2findex.html"])
def test_only_the_names_of_the_pages_lead_to_them(server, path):
    status, _, body = exchange(server, get(path))
    assert status in (400, 404) and b"root:" not in body and b"<script" not in body


@pytest.mark.parametrize("body", [
    b"[" * 60000, b'{"a":' * 10000, b'{"gpu": ' + b"[" * 30000 + b"]" * 30000 + b"}",
    b'{"tokens": ' + b"9" * 60000 + b"}", b'{"tokens": 1e' + b"9" * 60000 + b"}",
    b'{"gpu": "' + b"\\u0000" * 1000 + b'"}', b'{"gpu": "' + b"\xff" * 1000 + b'"}',
    b"{" + b",".join(b'"k%d": 1' % i for i in range(5000)) + b"}",
    b"{" + b'"gpu": "x", ' * 4000 + b'"gpu": "y"}'],
    ids=["brackets", "objects", "deep", "digits", "exponent", "nuls", "no utf-8", "names", "twice"])
def test_bodies_made_to_hurt_are_refused(server, body):
    for path in ("/v1/break-even", "/v1/models"):
        reply = post(server, body, path)
        assert reply.status == 400 and reply.json["type"].startswith("/problems/"), reply.text[:200]
        assert len(reply.body) < 20000


def test_a_body_that_unpacks_to_more_is_not_unpacked(server):
    bomb = zlib.compress(b" " * 50_000_000, 9)[:60000]
    for coding in ("gzip", "deflate", "br", "identity, gzip"):
        reply = post(server, bomb, headers={"Content-Encoding": coding})
        assert reply.status == 415 and reply.json["type"] == "/problems/unsupported-media-type"
    assert post(server, b"{}", headers={"Content-Encoding": "identity"}).status == 400


@pytest.mark.parametrize("query", [
    "&".join(f"k{i}=1" for i in range(300)), "&" * 300, "gpu=" + "%41" * 2600,
    "gpu=" + "a,b" * 2600, "fields=" + "gpu," * 2000, "utilization=" + "9" * 8000,
    "utilization=0." + "0" * 7900 + "1"], ids=["many", "empty", "escapes", "lists", "fields",
                                               "digits", "decimals"])
def test_queries_made_to_hurt_are_refused_or_answered(server, query):
    for path in ("/v1/break-even", "/v1/gpus.csv", "/v1/training-plan/options"):
        reply = server.get(f"{path}?{query}")
        assert reply.status in (200, 400, 414) and len(reply.body) < 1_000_000


@pytest.mark.parametrize("query, status", [("&".join(f"k{i}=1" for i in range(1000)), 400), ("&" * 8000, 200)],
                         ids=["named", "empty"])
def test_any_number_of_parameters_gets_a_reply(server, query, status):
    """Libmicrohttpd 1.0 refuses more than it has room for, and before it has them from nobody."""
    assert server.get(f"/v1/gpus?{query}").status in (status, 431)


@pytest.mark.parametrize("value", ["x%0d%0aSet-Cookie: a=b", "x%0aX: y", "x%0d%0a%0d%0a<html>",
                                   "%0d%0aContent-Length: 0"])
def test_nothing_in_a_request_writes_a_header(server, value):
    for path in (f"/v1/gpus?provider={value}", f"/v1/gpus/{value}", f"/v1/gpus.{value}",
                 f"/v1/quotes/{value}", f"{PLAN}&as_of={value}", f"{PLAN}&format={value}"):
        status, headers, _ = exchange(server, get(path.replace(" ", "%20")))
        assert status in (400, 404, 406)
        assert "set-cookie" not in headers and "x" not in headers
        assert headers["content-type"] == "application/problem+json"


# The most expensive questions that are accepted, and a step beyond each limit.
@pytest.mark.parametrize("path, name", [
    ("/v1/break-even/risk?gpu=h100-sxm5-80gb&utilization=0.7&draws=1000001", "draws"),
    (f"{PLAN}&horizon_months=121", "horizon_months"),
    ("/v1/break-even/sensitivity?gpu=h100-sxm5-80gb&utilization=0.7&vary=utilization&from=0&to=1"
     "&step=0.004", "step"),
    ("/v1/break-even/sensitivity?gpu=h100-sxm5-80gb&utilization=0.7&vary=utilization&from=0.01&to=1"
     "&step=0.01&vary_2=rent_price_per_gpu_hour&from_2=1&to_2=27&step_2=1", "step_2"),
    ("/v1/training-plan?model=llama-2-7b&tokens=1e9&gpu=t4&gpu_count=131073", "gpu_count"),
    ("/v1/training-plan/sensitivity?model=llama-2-7b&tokens=1e9&gpu=t4&gpu_count=64&vary=tokens"
     "&from=1e9&to=1e12&step=1e9", "step"),
    ("/v1/inference-sizing/sensitivity?model=llama-2-7b&gpu=h100-sxm5-80gb&requests_per_minute=60"
     "&vary=input_tokens&from=100&to=2000&step=100&vary_2=output_tokens&from_2=100&to_2=1100"
     "&step_2=100", "step_2"),
    ("/v1/compare?a=%2Fv1%2Fcompare%3Fa%3D%252Fv1%252Fgpus&b=%2Fv1%2Fbreak-even", "a")])
def test_work_is_bounded_by_what_may_be_asked(server, path, name):
    reply = server.get(path)
    assert reply.status == 400, reply.text[:300]
    assert name in [error["parameter"] for error in reply.json["errors"]]


def test_the_dearest_questions_are_answered(server):
    """One each of the searches and draws that take longest; others are answered meanwhile."""
    for path in (f"/v1/training-plan/options?model={MODEL}&tokens=15e12&sequence_tokens={SEQUENCE_TOKENS}",
                 f"/v1/break-even/risk?gpu=h100-sxm5-80gb&utilization=0.7&draws={DRAWS}"):
        reply = server.get(path)
        assert reply.status == 200 and json.loads(reply.body)
