"""An error of .html is a page that says what is wrong, in which input, and what to do."""
import re

import pytest

CASES = [
    ("/v1/break-even", dict(gpu="h100-sxm5-80gb", utilization="70"), 400, ["utilization", "70", "must be between 0 and 1"]),
    ("/v1/break-even", dict(gpu="h100-sxm5-80gb", utilisation="0.7", gpu_count="x"), 400,
     ["utilisation", "did you mean utilization?", "gpu count", "gpu_count"]),
    ("/v1/gpus/h1000", {}, 404, ["h1000", "Check the address"]),
    ("/v1/nothing", {}, 404, [":</strong> nothing exists at this address"]),
    ("/v1/training-plan", dict(model="llama-2-70b", tokens=2e12, gpu="h100-sxm5-80gb", budget=1), 422, ["Loosen"]),
    ("/v1/offers/history", dict(gpu="t4", from_date="2026-02-30"), 400, ["from_date", "2026-02-30"]),
]


@pytest.mark.parametrize("path, params, status, said", CASES)
def test_an_error_of_html_is_a_page_with_the_same_status(server, path, params, status, said):
    reply = server.get(f"{path}.html", **params)
    assert (reply.status, reply.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    problem = server.get(f"{path}.json", **params)
    assert (problem.status, problem.headers["Content-Type"]) == (status, "application/problem+json")
    assert reply.headers["Cache-Control"] == problem.headers["Cache-Control"] == "no-store"
    for words in said:
        assert words in reply.text, words
    rows = re.findall(r"<tr><th scope=\"row\">(?:[^<]*<small>)?([^<]*)<", reply.text)
    assert rows == [error["parameter"] for error in problem.json.get("errors", [])]
    assert server.request("HEAD", f"{path}.html?" + "&".join(f"{k}={v}" for k, v in params.items())).status == status


@pytest.mark.parametrize("query, accept, page", [
    ("format=html", "*/*", True), ("", "text/html,application/xml;q=0.9", True), ("", "*/*", False),
    ("format=json", "text/html", False)])
def test_a_page_is_for_who_asked_for_one(server, query, accept, page):
    reply = server.get(f"/v1/break-even?gpu=h100-sxm5-80gb&utilization=7&{query}", headers={"Accept": accept})
    assert reply.status == 400
    assert reply.headers["Content-Type"].startswith("text/html" if page else "application/problem+json")


def test_it_leads_to_the_form_with_the_same_inputs_and_nothing_is_taken_as_html(server):
    reply = server.get("/v1/break-even.html?gpu=h100-sxm5-80gb&utilization=7&%3Cb%3E=%3Ci%3E%22")
    assert 'href="/break-even?gpu=h100-sxm5-80gb&amp;utilization=7&amp;%3Cb%3E=%3Ci%3E%22"' in reply.text
    assert "&lt;b&gt;" in reply.text or "&lt;b>" in reply.text
    assert "<b>" not in reply.text and "<i>" not in reply.text and "<script" not in reply.text
    assert "Change the inputs" not in server.get("/v1/gpus.html?x=1").text, "a list has no form"
