"""Every link and every export of the page is the API's answer to what the page asks."""
import csv
import io
import math
import urllib.parse

import pytest

QUESTIONS = {
    "training-plan": "model=llama-3-8b&tokens=100000000000&gpu=h100-sxm5-80gb&gpu_count=64",
    "inference-sizing": "model=llama-3-8b&gpu=h100-sxm5-80gb&requests_per_minute=100&latency_p95_seconds=10",
    "break-even": "gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&rent_price_per_gpu_hour=6.88&horizon_months=36",
    "recommendation": "workload=serve&model=llama-2-7b&requests_per_minute=60",
}
LINKS = """return [...document.querySelectorAll('main a[href], main img')].map((each) =>
    new URL(each.getAttribute('href') ?? each.getAttribute('src'), location.href))
    .filter((each) => each.origin === location.origin && !each.hash).map((each) => each.pathname + each.search)"""


@pytest.fixture(scope="module", params=QUESTIONS)
def shown(server, chromium, request):
    """A question answered, with all that is folded opened: its name, what was asked, its links."""
    chromium.size(1280)
    chromium.show(f"{server.url}/{request.param}?{QUESTIONS[request.param]}")
    chromium.unfold()
    return request.param, dict(urllib.parse.parse_qsl(QUESTIONS[request.param])), sorted(set(chromium.run(LINKS)))


def asked(link):
    """What a link asks, without the day and the version it may be pinned to and how it is delivered."""
    path, _, query = link.partition("?")
    query = dict(urllib.parse.parse_qsl(query))
    return path, {name: value for name, value in query.items()
                  if name not in ("as_of", "model_version", "field", "fields", "header")}


def test_every_link_of_an_answer_is_answered(server, shown):
    _, _, links = shown
    assert len(links) > 12
    refused = [(link, status) for link in links if (status := server.get(link).status) != 200]
    assert refused == []


def test_every_export_asks_what_the_page_asks(server, shown):
    question, inputs, links = shown
    own = [link for link in links if link.startswith(f"/v1/{question}.")]
    assert {asked(link)[0].rsplit(".")[-1] for link in own} >= {"json", "csv", "tsv", "xml", "txt"}
    for link in own:
        assert asked(link)[1] == inputs, link
    for part in ("sensitivity.svg", "options.svg", "risk.svg", "series.svg", "line-items.csv"):
        for link in links:
            path, query = asked(link)
            if path == f"/v1/{question}/{part}":
                kept = {name: value for name, value in query.items() if not name.startswith("vary") and name != "deadline_days"}
                assert kept.items() <= inputs.items() and len(kept) >= len(inputs) - 2, link


def test_every_export_holds_the_figures_of_the_answer(server, shown):
    question, inputs, links = shown
    answer = server.get(f"/v1/{question}.json", **inputs).json
    pinned = next(link for link in links if link.startswith(f"/v1/{question}.csv"))
    rows = list(csv.DictReader(io.StringIO(server.get(pinned).text)))
    if question == "recommendation":  # its CSV is the short list
        assert len(rows) == len(answer["options"])
        answer = answer["options"][0]
    row = rows[0]
    figures = {name: value for name, value in answer.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
    assert len(figures) >= 8
    for name, value in figures.items():
        assert math.isclose(float(row[name]), value, rel_tol=1e-9), name


def test_every_picture_has_its_figures_beside_it(server, shown):
    _, _, links = shown
    pictures = [link for link in links if ".svg?" in link]
    assert pictures
    for link in pictures:
        path, query = link.split(".svg?")
        tables = [f"{path}.csv?{query}", f"{path}/line-items.csv?{query}"]
        assert any(table in links for table in tables), link
