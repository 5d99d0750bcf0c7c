"""What api/dashboards holds: the metrics, the rules, and every query of the dashboard on a live daemon."""
import json
import re
import subprocess

import pytest

from conftest import BINARY, ROOT, Own, wait_for

DASHBOARDS = ROOT / "api/dashboards"
GRAFANA = json.loads((DASHBOARDS / "grafana.json").read_text())
TARGETS = [(panel["title"], target) for panel in GRAFANA["panels"] for target in panel.get("targets", [])]
QUERIES = [(title, target["expr"]) for title, target in TARGETS if "expr" in target]
ADDRESSES = [(title, target) for title, target in TARGETS if "url" in target]
SQL = re.findall(r"```sql\n(.*?)```", (DASHBOARDS / "README.md").read_text(), re.S)
OPTIONS = {"on_demand", "spot", "reserved_1yr", "reserved_3yr", "capacity_block"}

# Prometheus makes these itself, and a histogram its parts.
OWN = {"up"}
# There once a feed was imported.
IMPORTED = "gpuplan_feed_imported_timestamp_seconds"


def promtool(*arguments, text=None):
    return subprocess.run(["promtool", *map(str, arguments)], input=text, capture_output=True, text=True)


def samples(text):
    """{(name, labels): value} of a text in Prometheus' format."""
    return {(name, tuple(sorted(re.findall(r'(\w+)="([^"]*)"', labels)))): float(value) for name, labels, value in
            re.findall(r"^(\w+)(\{[^}]*\})? (\S+)$", text, re.M)}


@pytest.fixture(scope="module")
def metrics(server):
    server.get("/v1/training-plan/options?model=llama-2-7b&tokens=1e11")  # the pool has worked
    return server.get("/metrics", admin=True).text, server.get("/metrics/prices").text


def names_in(expression):
    """The metrics of a PromQL expression: what is neither function, label, text nor number."""
    bare = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(by|without|on)\s*\([^)]*\)', " ", expression)
    return set(re.findall(r"\b[a-z_]+\b(?!\s*\()", bare)) - {"and", "or", "unless", "bool", "offset"}


@pytest.mark.parametrize("which", [0, 1], ids=["service", "prices"])
def test_promtool_accepts_the_metrics(metrics, which):
    names = {re.sub("_(bucket|sum|count)$", "", name) for name, _ in samples(metrics[which])}
    assert names == set(re.findall(r"^# TYPE (\w+) (?:gauge|counter|histogram)$", metrics[which], re.M))
    checked = promtool("check", "metrics", text=metrics[which])
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")


def test_prices_are_those_of_the_price_summary(server, metrics):
    found = samples(metrics[1])
    rows = server.get("/v1/price-summary", limit=10000).json["rows"]
    assert len(rows) > 50
    for row in rows:
        labels = (("gpu", row["gpu"]), ("purchase_option", row["purchase_option"]))
        assert found[("gpuplan_offer_price_usd_per_gpu_hour", labels)] == pytest.approx(row["median_price_per_gpu_hour"], abs=1e-6)
        assert found[("gpuplan_offer_price_min_usd_per_gpu_hour", labels)] == pytest.approx(row["min_price_per_gpu_hour"], abs=1e-6)
        assert found[("gpuplan_offer_price_max_usd_per_gpu_hour", labels)] == pytest.approx(row["max_price_per_gpu_hour"], abs=1e-6)
        assert found[("gpuplan_offer_providers", labels)] == row["provider_count"]
        assert found[("gpuplan_offer_price_stale", labels)] == (row["stale_provider_count"] > 0)
        assert found[("gpuplan_offer_stale_providers", labels)] == row["stale_provider_count"] <= row["provider_count"]
    assert sum(name == "gpuplan_offer_price_usd_per_gpu_hour" for name, _ in found) == len(rows)


def test_the_newest_and_the_oldest_observation_are_times(server, metrics, database):
    found = samples(metrics[1])
    row = server.get("/v1/price-summary", gpu="h100-sxm5-80gb", purchase_option="on_demand").json["rows"][0]
    labels = (("gpu", "h100-sxm5-80gb"), ("purchase_option", "on_demand"))
    for name, which in (("observed", "newest"), ("oldest", "oldest")):
        seconds = database.query(f"select extract(epoch from date '{row[f'{which}_observed_date']}')::bigint")
        assert found[(f"gpuplan_offer_price_{name}_timestamp_seconds", labels)] == int(seconds)


def test_a_fresh_installation_says_how_old_its_prices_are_and_of_no_import_until_there_is_one(tmp_path_factory):
    own = Own(tmp_path_factory)
    database, server = own.database, own.server
    try:
        found = samples(server.get("/metrics/prices").text)
        assert sum(value for (name, _), value in found.items() if name == "gpuplan_offer_stale_providers") > 100
        assert (IMPORTED, ()) not in found, "on which no alert fires"
        done = subprocess.run([BINARY, "import", "--observed", "2026-10-01", ROOT / "tests/feeds/quirks/offers.csv"], env=database.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        imported = wait_for(lambda: samples(server.get("/metrics/prices").text).get((IMPORTED, ())), "the import")
        assert imported == int(database.query("select extract(epoch from max((imported_at at time zone 'UTC')::date))::bigint from feed_run"))
    finally:
        own.stop()


def test_card_prices_are_those_that_break_even_takes(server, metrics):
    card = samples(metrics[1])[("gpuplan_card_price_usd", (("gpu", "l40s"),))]
    answer = server.get("/v1/break-even", gpu="l40s", gpu_count=1, utilization=0.5).json
    assert answer["inputs"]["gpu_card_price"]["value"] == pytest.approx(card)


def test_the_number_of_series_is_bounded_by_the_gpus(server, metrics):
    gpus = server.get("/v1/gpus", limit=10000).json["rows"]
    found = samples(metrics[1])
    by_name = {name: sum(other == name for other, _ in found) for name, _ in found}
    assert max(by_name.values()) <= len(gpus) * len(OPTIONS)
    for _, labels in found:
        assert set(dict(labels)) <= {"gpu", "purchase_option"} and dict(labels).get("purchase_option", "spot") in OPTIONS


def test_prices_are_read_only_and_counted(server):
    head = server.request("HEAD", "/metrics/prices")
    assert (head.status, head.body) == (200, b"")
    assert server.request("POST", "/metrics/prices", b"").status == 404
    counted = samples(server.get("/metrics", admin=True).text)
    labels = (("code", "200"), ("format", "txt"), ("route", "/metrics/prices"))
    assert counted[("gpuplan_http_requests_total", labels)] >= 1


def test_promtool_accepts_rules_and_scrapes():
    for arguments in (["check", "config", DASHBOARDS / "prometheus.yml"], ["check", "rules", DASHBOARDS / "gpuplan.rules.yml"]):
        checked = promtool(*arguments)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_each_alert_fires_when_it_should():
    files = sorted((ROOT / "tests/dashboards").glob("*.yml"))
    checked = promtool("test", "rules", *files)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    tested = set(re.findall(r"alertname: (\w+)", "".join(file.read_text() for file in files)))
    assert tested == set(re.findall(r"alert: (\w+)", (DASHBOARDS / "gpuplan.rules.yml").read_text()))


def test_every_query_is_promql_of_metrics_there_are(metrics, tmp_path):
    rules = re.findall(r"expr: (?:>-\n)?(.*?)\n\s+(?:for|labels):", (DASHBOARDS / "gpuplan.rules.yml").read_text(), re.S)
    assert len(QUERIES) > 15 and len(rules) == 11
    known = {name for name, _ in samples(metrics[0] + metrics[1])} | OWN | {IMPORTED}
    for title, expression in QUERIES + [("rule", rule) for rule in rules]:
        assert names_in(expression) and names_in(expression) <= known, title
    recorded = {"groups": [{"name": "dashboard", "rules": [
        {"record": f"panel_{i}", "expr": expression} for i, (_, expression) in enumerate(QUERIES)]}]}
    (tmp_path / "queries.yml").write_text(json.dumps(recorded))
    checked = promtool("check", "rules", tmp_path / "queries.yml")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def filled(text, variables):
    return re.sub(r"\$\{(\w+)\}", lambda match: variables[match[1]], text)


@pytest.mark.parametrize("title, target", ADDRESSES, ids=[title for title, _ in ADDRESSES])
def test_every_address_of_the_dashboard_answers(server, title, target):
    variables = {one["name"]: one["current"]["value"] for one in GRAFANA["templating"]["list"]} | {"base_url": ""}
    reply = server.get(filled(target["url"], variables))
    assert reply.status == 200, reply.text
    found = reply.json[target["root_selector"]] if target["root_selector"] else [reply.json]
    assert found
    kinds = {"number": (int, float, type(None)), "string": (str, type(None)), "timestamp": (str, type(None))}
    for row in found:
        for column in target["columns"]:
            assert isinstance(row[column["selector"]], kinds[column["type"]]), column


def test_the_dashboards_own_choice_of_gpu_has_prices(metrics):
    gpu = next(one for one in GRAFANA["templating"]["list"] if one["name"] == "gpu")
    assert "gpuplan_offer_price_usd_per_gpu_hour" in gpu["query"]
    assert f'gpu="{gpu["current"]["value"]}"' in metrics[1]


def test_panels_do_not_cover_one_another():
    taken = set()
    for panel in GRAFANA["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells
    assert len({panel["id"] for panel in GRAFANA["panels"]}) == len(GRAFANA["panels"])


@pytest.mark.parametrize("query", SQL, ids=[query.split("\n")[0][:40] for query in SQL])
def test_queries_of_the_views_answer_the_reader(database, query):
    assert len(SQL) == 5
    rows = database.query(f"set role gpuplan_reader; {query}").splitlines()
    assert rows


def test_the_choice_of_model_is_the_catalogues(server):
    model = next(one for one in GRAFANA["templating"]["list"] if one["name"] == "model")
    asked = model["query"]["infinityQuery"]
    rows = server.get(asked["url"].replace("${base_url}", "")).json[asked["root_selector"]]
    name, value = ({row[column["selector"]] for row in rows} for column in asked["columns"])
    assert len(rows) > 50 and model["current"]["text"] in name and model["current"]["value"] in value
    assert [column["text"] for column in asked["columns"]] == ["__text", "__value"]


def overrides(panel, kind):
    for one in panel["fieldConfig"]["overrides"]:
        for each in one["properties"]:
            if each["id"] == kind:
                yield one["matcher"]["options"], each["value"]


def test_every_column_of_a_table_is_called_as_people_do():
    tables = [panel for panel in GRAFANA["panels"] if panel["type"] == "table"]
    for panel in tables:
        names = dict(overrides(panel, "displayName"))
        assert set(names) == {column["text"] for target in panel["targets"] for column in target["columns"]}, panel["title"]
        assert not [name for name in names.values() if "_" in name]
    assert len(tables) == 5


def test_every_word_of_an_answer_has_its_mapping(server):
    mapped = {name: set(value[0]["options"]) for panel in GRAFANA["panels"] for name, value in
              (overrides(panel, "mappings") if panel.get("fieldConfig") else ())}
    rows = server.get("/v1/price-summary", limit=10000).json["rows"]
    assert mapped["purchase_option"] == OPTIONS >= {row["purchase_option"] for row in rows}
    assert mapped["verdict"] == {"buy", "rent"}
    assert mapped["bound"] == {"compute", "memory", "network", "pipeline", "overhead"}


@pytest.mark.parametrize("panel", [panel for panel in GRAFANA["panels"] if panel.get("links")], ids=lambda panel: panel["title"])
def test_a_panel_leads_to_its_page(server, panel):
    variables = {one["name"]: one["current"]["value"] for one in GRAFANA["templating"]["list"]} | {"base_url": ""}
    for link in panel["links"]:
        assert server.get(filled(link["url"], variables)).status == 200
        for target in panel["targets"]:
            if target.get("url", "").startswith("${base_url}/v1/" + link["url"].removeprefix("${base_url}/").split("?")[0]):
                assert link["url"].split("?")[1] == target["url"].split("?")[1]


def test_stats_say_when_something_is_wrong():
    stats = {panel["title"]: panel["fieldConfig"]["defaults"] for panel in GRAFANA["panels"] if panel["type"] == "stat"}
    assert {title for title, defaults in stats.items() if defaults.get("mappings")} == {"Ready", "Database"}
    assert {title for title, defaults in stats.items() if len(defaults.get("thresholds", {}).get("steps", [])) > 1} \
        == {"Ready", "Database", "Age of the catalogue", "Age of the newest price"}
