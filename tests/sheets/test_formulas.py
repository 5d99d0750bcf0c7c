"""The formulas the page's panel prints, typed into LibreOffice; and the snippets of api/sheets."""
import csv
import io
import pathlib
import re
import sys
import urllib.parse

import pytest

from calc import fods

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/page"))
from browser import Browser  # noqa: E402

SHEETS = ROOT / "api/sheets"
QUERY = {"gpu": "h100-sxm5-80gb", "gpu_count": "8", "utilization": "0.7", "provider": "lambda, aws",
         "electricity_price_per_kwh": "0.125", "colocation_price_per_kw_month": "184.06", "staff_fte": "0.25",
         "cost_of_capital": "0.08", "useful_life_months": "60", "annual_value_retention": "0.72"}
LOCALES = {"en-US": "comma", "de-DE": "de", "fr-FR": "semicolon"}


@pytest.fixture(scope="module", params=LOCALES)
def browser(request, server):
    window = Browser(request.param)
    window.locale = request.param
    window.driver.get(server.url + "/docs")
    yield window
    window.close()


def run(window, script, *arguments):
    return window.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        f"(async () => {{ {script} }})().then((value) => done({{value}}), (error) => done({{error: String(error)}}))",
        *arguments)


def ways(window, server, speech, field="buy_total_cost"):
    found = run(window, "const use = await import('/use.js');"
                "return use.waysTo(arguments[0], 'break-even', arguments[1], arguments[2], arguments[3])",
                server.url, urllib.parse.urlencode(QUERY), field, speech)
    return {name: value for name, value in found["value"] if isinstance(value, str)}


def path_in(text, url):
    """The address in a formula, its pieces put together."""
    return re.search(re.escape(url) + r'([^"]*)"', text.replace('"&"', "")).group(1)


def test_the_panel_begins_with_the_readers_own_separator(server, browser):
    found = run(browser, """const use = await import('/use.js');
        const nodes = use.usePanel('break-even', arguments[0], [['buy_total_cost', 'cost']], 'buy_total_cost', () => {});
        return nodes.map((node) => node.querySelector('#use-speech')?.value).find(Boolean)""", "gpu_count=8")["value"]
    assert found == LOCALES[browser.locale]


@pytest.mark.parametrize("speech, names, separator", [("comma", ("NUMBERVALUE", "WEBSERVICE"), ","),
                                                      ("semicolon", ("NUMBERVALUE", "WEBSERVICE"), ";"),
                                                      ("de", ("ZAHLENWERT", "WEBDIENST"), ";")])
def test_each_program_gets_its_own_words(server, browser, speech, names, separator):
    found, figure = ways(browser, server, speech), server.get("/v1/break-even", **QUERY).json["buy_total_cost"]
    for program, between in [("Excel (Windows)", separator), ("LibreOffice", ";")]:
        formula = found[program]
        assert formula.startswith(f'={names[0]}({names[1]}("') and formula.endswith(f'){between}"."{between}",")')
        assert max(map(len, re.findall(r'"([^"]*)"', formula))) <= 255, "Excel takes no longer text"
        assert float(server.get(path_in(formula, server.url)).text) == figure
    sheets = found["Google Sheets"]
    assert sheets.endswith('&header=0")' if separator == "," else '&header=0";",";"en_US")')
    assert float(server.get(path_in(sheets, server.url)).text) == figure
    assert server.get(found["Grafana (Infinity, JSON)"].removeprefix(server.url)).json["buy_total_cost"] == figure


def test_the_formula_for_libreoffice_can_be_typed(server, browser, calc):
    formula = ways(browser, server, "semicolon")["LibreOffice"]
    fods(calc.folder / "typed.fods", ["=1"])
    document = calc.open((calc.folder / "typed.fods").as_uri())
    try:
        cell = document.Sheets.getByIndex(0).getCellByPosition(1, 0)
        cell.FormulaLocal = formula
        calc.fetch(document)
        assert cell.Value == server.get("/v1/break-even", **QUERY).json["buy_total_cost"], cell.String
    finally:
        document.close(True)


def power_query(text):
    """The path and the query of each Web.Contents in a text of Power Query."""
    for path, query in re.findall(r'RelativePath = "([^"]+)",\s*Query = \[([^\]]*)\]', text):
        yield "/" + path, dict(re.findall(r'(\w+) = "((?:[^"]|"")*)"', query))


def test_power_query_of_the_panel_asks_for_the_figure(server, browser):
    (path, query), = power_query(ways(browser, server, "comma")["Power Query"])
    assert query == QUERY | {"field": "buy_total_cost"}
    assert float(server.get(path, **query).text) == server.get("/v1/break-even", **QUERY).json["buy_total_cost"]


@pytest.mark.parametrize("file", sorted(SHEETS.glob("*.pq")), ids=lambda file: file.name)
def test_power_query_files_get_the_columns_they_type(server, file):
    text = file.read_text()
    (path, query), = power_query(text)
    rows = list(csv.DictReader(io.StringIO(server.get(path, **query).text)))
    assert rows
    types = dict(re.findall(r'\{"(\w+)", type (\w+)\}', text))
    assert types
    for column, kind in types.items():
        assert all(column in row and (kind != "number" or not row[column] or float(row[column]) >= -1e9) for row in rows), column


# What Google gives an Apps Script, made of what a browser has.
GOOGLE = """
const UrlFetchApp = {fetch(url, options) {
  if (!options.muteHttpExceptions) throw new Error('a refusal would hide its reason');
  const request = new XMLHttpRequest();
  request.open('GET', url, false);
  request.send();
  return {getResponseCode: () => request.status, getContentText: () => request.responseText};
}};
"""


def script(window, call, *arguments):
    return run(window, f"{GOOGLE}{(SHEETS / 'gpuplan.gs').read_text()}; return {call}", *arguments)


def test_apps_script_gives_figures_and_tables(server, browser):
    inputs = [[name, value] for name, value in QUERY.items()] + [["", ""], ["horizon_months", ""]]
    answer = server.get("/v1/break-even", **QUERY).json
    found = script(browser, "GPUPLAN(arguments[0], 'break-even', 'verdict,buy_total_cost,break_even_tokens_per_day', arguments[1])",
                   server.url, inputs)
    assert found["value"] == [[answer["verdict"], answer["buy_total_cost"], "n/a"]]
    table = script(browser, "GPUPLANTABLE(arguments[0], 'break-even/line-items', 'key,amount', arguments[1])",
                   server.url, inputs)["value"]
    assert table[0] == ["key", "amount"]
    assert table[1:] == [[item["key"], item["amount"]] for item in answer["line_items"]]
    day = script(browser, "GPUPLAN(arguments[0], 'break-even', 'as_of', [...arguments[1], ['as_of', new Date(2026, 10, 3)]])",
                 server.url, inputs)
    assert day["value"] == [["2026-11-03"]]


def test_apps_script_says_what_is_wrong(server, browser):
    refused = script(browser, "GPUPLAN(arguments[0], 'break-even', 'verdict', [['gpu', 'h100-sxm5-80g']])", server.url)
    assert "gpu: " in refused["error"] and "h100-sxm5-80gb" in refused["error"]
    unknown = script(browser, "GPUPLAN(arguments[0], 'break-even', 'verdikt', arguments[1])", server.url, list(map(list, QUERY.items())))
    assert "verdikt" in unknown["error"]


def test_the_formulas_in_the_readme_answer(server):
    text = (SHEETS / "README.md").read_text()
    addresses = [address for address in re.findall(r'http://127\.0\.0\.1:8080(/[^\s"`\')]+)', text) if "…" not in address]
    assert len(addresses) > 3
    for address in addresses:
        assert server.get(address).status == 200, address
