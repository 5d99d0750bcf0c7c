"""Every path in every format: the same values, written as each format wants them."""
import csv
import html.parser
import io
import json
import subprocess
import urllib.parse
import xml.etree.ElementTree

import pytest

from conftest import BINARY
from openapi import inlined

# A question for each path that needs one. A path of /openapi.json that is new and needs none is
# tested as it is.
TRAINING = "model=llama-3.1-8b&tokens=1e11&gpu=h100-sxm5-80gb&gpu_count=64"
INFERENCE = "model=llama-2-70b&gpu=h100-sxm5-80gb&gpu_count=2&tensor_parallel=2"
BREAK_EVEN = "gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&rent_price_per_gpu_hour=3.93"
COMPARE = urllib.parse.urlencode({"a": f"/v1/break-even?{BREAK_EVEN}",
                                  "b": "/v1/break-even?gpu=a100-sxm4-80gb&utilization=0.5"})
QUESTIONS = {"training-plan": TRAINING, "inference-sizing": INFERENCE, "break-even": BREAK_EVEN,
             "compare": COMPARE,
             "recommendation": "workload=serve&model=llama-2-7b&requests_per_minute=60&gpu=h100-sxm5-80gb,l40s,a100-sxm4-80gb"}
# What a question costs more than others says nothing of the formats.
MORE = {"/v1/break-even/risk": "draws=1000"}
NAMES = {"{gpu}": "h100-sxm5-80gb", "{model}": "qwen2.5-7b",
         "measurements/{id}": "measurements/dsr1_b300_sglang_fp8_agg_1024x1024_c64_cfg719", "{id}": "1"}
TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8; header=present",
         "tsv": "text/tab-separated-values; charset=utf-8",
         "xml": "application/xml; charset=utf-8", "txt": "text/plain; charset=utf-8",
         "html": "text/html; charset=utf-8"}


# Paths whose question is not that of the others of their subject.
OWN = {"/v1/inference-sizing/pools": "pools=llama-3.1-8b:4,llama-3.1-70b:1&gpu=h100-sxm5-80gb&requests_per_minute=90",
       "/v1/measured-run": "file=%7B%22completed%22:40,%22max_concurrency%22:4,%22total_input_tokens%22:4000,%22total_output_tokens%22:4000,"
                           "%22mean_ttft_ms%22:50,%22mean_tpot_ms%22:8%7D"}


def split(path):
    """The path with its names filled in, and the query that asks a question of it."""
    if path in OWN:
        return path, OWN[path]
    more = MORE.get(path, "")
    for name, value in NAMES.items():
        path = path.replace(name, value)
    return path, "&".join(filter(None, [QUESTIONS.get(path.split("/")[2] if path.count("/") > 1 else "", ""), more]))


def ask(server, path, suffix="", method="GET", headers=None, **params):
    path, query = split(path)
    query = "&".join(filter(None, [query, urllib.parse.urlencode(params)]))
    return server.request(method, f"{path}{suffix}" + (f"?{query}" if query else ""),
                          headers=headers)


def text(value):
    """A JSON value as the other formats print it; numbers are kept as their text when read."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else value


def read_json(body):
    return json.loads(body, parse_float=str, parse_int=str)


def answer(server, path, **params):
    reply = ask(server, path, ".json", **params)
    assert reply.status == 200, reply.text
    return read_json(reply.body)


def rows_of(whole):
    """The rows of a list, None where the answer has values of its own."""
    tables = [name for name, value in whole.items()
              if isinstance(value, list) and name != "warnings"]
    own = set(values_of(whole)) - {"currency", "as_of", "catalog_version", "model_version",
                                   "currency_per_usd", "currency_rate_date",
                                   "currency_rate_source", "count", "next_cursor"}
    return None if own else whole[tables[0]]


# What a sheet shows of an answer that has both values of its own and a list.
LISTS = ("options", "points", "effects", "quarters")


def sheet_rows(whole):
    """The rows of a sheet, None where it has one, of the answer's own values."""
    return next((whole[name] for name in LISTS if name in whole), None) or rows_of(whole)


def values_of(whole):
    return {name: value for name, value in whole.items() if not isinstance(value, (list, dict))}


def sheet_text(value, number):
    value = text(value)
    if not number and value[:1] in ("=", "+", "-", "@", "\t", "\r") and value:
        return "'" + value
    return value


def is_number(whole_row, name):
    """Whether JSON has it as a number: read once more with its types."""
    return isinstance(whole_row[name], (int, float)) and not isinstance(whole_row[name], bool)


def pytest_generate_tests(metafunc):
    """A test per path of the contract."""
    if "path" in metafunc.fixturenames:
        document = subprocess.run([BINARY, "--openapi"], check=True, capture_output=True).stdout
        metafunc.parametrize("path", [path for path in json.loads(document)["paths"]
                                      if path.startswith("/v1")])


@pytest.mark.parametrize("suffix", TYPES)
def test_each_format_has_its_type_and_name(server, path, suffix):
    reply = ask(server, path, "." + suffix)
    assert reply.status == 200, reply.text
    assert reply.headers["Content-Type"] == TYPES[suffix]
    assert reply.headers["Content-Disposition"].startswith("inline; filename=")
    assert reply.headers["Content-Disposition"].endswith(f'.{suffix}"')
    assert reply.headers["X-Content-Type-Options"] == "nosniff"
    assert reply.body


def typed(server, path):
    """The JSON answer twice: with numbers as text, and with their types."""
    body = ask(server, path, ".json").body
    return read_json(body), json.loads(body)


def read_sheet(body, delimiter):
    if delimiter == "\t":
        return [line.split("\t") for line in body.removesuffix("\n").split("\n")]
    assert "\n" not in body.replace("\r\n", "") or '"' in body
    return list(csv.reader(io.StringIO(body, newline=""), strict=True))


@pytest.mark.parametrize("suffix, delimiter", [("csv", ","), ("tsv", "\t")])
def test_a_sheet_holds_what_json_holds(server, path, suffix, delimiter):
    whole, types = typed(server, path)
    header, *sheet = read_sheet(ask(server, path, "." + suffix).text, delimiter)
    rows = sheet_rows(whole)
    tabs = (lambda value: " ".join(value.replace("\r", "\t").replace("\n", "\t").split("\t"))
            if delimiter == "\t" else value)
    if rows is None:
        assert len(sheet) == 1
        got = dict(zip(header, sheet[0], strict=True))
        plain = {name: sheet_text(value, is_number(types, name))
                 for name, value in values_of(whole).items()}
        assert {name: got[name] for name in plain} == {k: tabs(v) for k, v in plain.items()}
        for name in set(got) - set(plain):
            table, _, key = name.partition(".")
            keyed = {row["key"]: row for row in whole[table]}
            assert got[name] in [text(value) for value in keyed[key].values()], name
        return
    wanted = [[tabs(sheet_text(value, is_number(kind, name))) for name, value in row.items()]
              for row, kind in zip(rows, sheet_rows(types), strict=True)]
    if rows:
        assert header == list(rows[0])
    assert sheet[:len(wanted)] == wanted
    assert len(sheet) == len(wanted) or "next_cursor" in whole


def test_xml_holds_what_json_holds(server, path):
    whole = answer(server, path)
    body = ask(server, path, ".xml").text
    assert "xmlns" not in body and "<!DOCTYPE" not in body
    root = xml.etree.ElementTree.fromstring(body)
    assert not any(element.attrib for element in root.iter())

    def same(element, fields):
        got = {child.tag: child.text or "" for child in element}
        return {name: got[name] for name in fields} == {
            name: clean(text(value)) for name, value in fields.items()}

    def clean(value):
        return value.replace("\t", " ").replace("\r", " ").replace("\n", " ")
    assert same(root, values_of(whole))
    tables = {name: value for name, value in whole.items()
              if isinstance(value, list) and name != "warnings"}
    rows = [element for element in root if len(element) and element.tag not in ("inputs", "warning")]
    wanted = [row for table in tables.values() for row in table]
    assert len(rows) == len(wanted)
    for element, row in zip(rows, wanted):
        assert same(element, row), row
    warnings = [[child.text for child in element] for element in root if element.tag == "warning"]
    assert warnings == [[warning["code"], warning["detail"]] for warning in whole["warnings"]]
    if "inputs" in whole:
        inputs = {child.tag: child.text or "" for child in root.find("inputs")}
        assert inputs == {name: text(each["value"]) for name, each in whole["inputs"].items()}


def test_text_gives_each_value_by_name(server, path):
    whole = answer(server, path)
    rows = rows_of(whole)
    fields = values_of(whole) if rows is None else rows[0] if rows else {}
    for name, value in fields.items():
        reply = ask(server, path, ".txt", field=name)
        assert reply.status == 200, reply.text
        assert reply.text == ("n/a" if value is None else text(value)), name


def test_text_alone_is_the_headline(server, path):
    described = server.get("/openapi.json").json["paths"][path]["get"]["x-headline"]
    assert ask(server, path, ".txt").text == ask(server, path, ".txt", field=described).text


@pytest.mark.parametrize("suffix", TYPES)
def test_head_is_get_without_the_body(server, path, suffix):
    whole, head = ask(server, path, "." + suffix), ask(server, path, "." + suffix, method="HEAD")
    assert (head.status, head.body) == (200, b"")
    for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control", "Vary", "Link",
                 "Content-Disposition"):
        assert head.headers[name] == whole.headers[name], name
    assert int(head.headers["Content-Length"]) == len(whole.body)


@pytest.mark.parametrize("suffix", ["", *("." + suffix for suffix in TYPES)])
def test_its_tag_makes_the_next_answer_304(server, path, suffix):
    tag = ask(server, path, suffix).headers["ETag"]
    assert tag.startswith('"') and tag.endswith('"')
    again = ask(server, path, suffix, headers={"If-None-Match": tag})
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)


def test_nocache_is_ignored(server, path):
    one, other = ask(server, path, nocache="1"), ask(server, path, nocache="2026-11-20T12:00")
    assert one.body == other.body == ask(server, path).body
    assert one.headers["ETag"] == other.headers["ETag"] == ask(server, path).headers["ETag"]


@pytest.mark.parametrize("suffix, parameter", [("txt", "field"), ("csv", "fields"),
                                               ("tsv", "fields")])
def test_an_unknown_field_is_refused_with_the_nearest(server, path, suffix, parameter):
    whole = answer(server, path)
    rows = (sheet_rows if parameter == "fields" else rows_of)(whole)
    if rows == []:
        pytest.skip("an empty list")
    name = max(values_of(whole) if rows is None else rows[0], key=len)
    reply = ask(server, path, "." + suffix, **{parameter: name[:-1] + "_x"})
    assert reply.status == 400
    assert reply.headers["Content-Type"] == "application/problem+json"
    error, = reply.json["errors"]
    assert (error["parameter"], error["code"]) == (parameter, "unknown_field")
    assert name in error["detail"]


def test_a_suffix_and_format_say_the_same(server, path):
    for suffix in TYPES:
        assert ask(server, path, format=suffix).body == ask(server, path, "." + suffix).body
    assert ask(server, path, ".csv", format="xml").status == 400


def test_accept_chooses_the_format(server, path):
    for accept, suffix in [("text/csv", "csv"), ("text/tab-separated-values", "tsv"),
                           ("application/xml", "xml"), ("text/plain", "txt"), ("*/*", "json"),
                           ("application/json", "json"), ("text/csv, */*;q=0.1", "csv"),
                           ("application/xml;q=0.2, text/csv", "csv"), ("text/*", "csv"),
                           # as a browser asks
                           ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "html")]:
        reply = ask(server, path, headers={"Accept": accept})
        assert reply.headers["Content-Type"] == TYPES[suffix], accept
        assert "Accept" in reply.headers["Vary"]
    assert "Accept," not in ask(server, path, ".csv").headers["Vary"]


class Tables(html.parser.HTMLParser):
    """The tables of a page: caption -> rows of cells."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.text, self.links = {}, None, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in ("caption", "td", "th"):
            self.text = ""
        elif tag == "tr":
            self.rows.append([])
        elif tag == "a":
            self.links.append(dict(attributes)["href"])

    def handle_endtag(self, tag):
        if tag == "caption":
            self.rows = self.tables[self.text] = []
        elif tag in ("td", "th"):
            self.rows[-1].append(self.text)

    def handle_data(self, data):
        if self.text is not None:
            self.text += data


def test_html_is_the_answer_for_who_reads_it(server, path):
    whole = answer(server, path)
    page = Tables(ask(server, path, ".html").text)
    shown = lambda value: "unknown" if value is None else text(value)
    if rows_of(whole) is None:
        for name, value, unit, sentence in page.tables["Figures"][1:]:
            assert value == shown(whole[name.replace(" ", "_")]), name
            assert sentence
    for name, rows in whole.items():
        if isinstance(rows, list) and rows and name != "warnings":
            _, *lines = page.tables[name.replace("_", " ")]
            assert lines == [[shown(value) for value in row.values()] for row in rows], name
    for name, value, _, source, _ in page.tables.get("Inputs used", [[]] )[1:]:
        echoed = whole["inputs"][name.replace(" ", "_")]
        assert source == echoed["source"]
    assert not [link for link in page.links if not link.startswith(("/", "https://"))]


def test_columns_come_in_the_order_asked_for(server, path):
    header, *sheet = read_sheet(ask(server, path, ".csv").text, ",")
    names = [header[-1], header[0]]
    picked = read_sheet(ask(server, path, ".csv", fields=",".join(names)).text, ",")
    assert picked == [names] + [[row[-1], row[0]] for row in sheet]
    bare = ask(server, path, ".csv", fields=",".join(names), header=0).text
    assert (read_sheet(bare, ",") if bare else []) == picked[1:]


def test_download_asks_to_save(server, path):
    disposition = ask(server, path, ".csv", download=1).headers["Content-Disposition"]
    assert disposition.startswith("attachment; filename=")


SINGLE = ["/v1/gpus/{gpu}", "/v1/models/{model}", "/v1/training-plan", "/v1/inference-sizing",
          "/v1/break-even"]


@pytest.mark.parametrize("single", SINGLE)
def test_long_is_wide_on_its_side(server, single):
    header, values = read_sheet(ask(server, single, ".csv").text, ",")
    names, *rows = read_sheet(ask(server, single, ".csv", layout="long").text, ",")
    assert names == ["field", "value", "unit"]
    assert [row[:2] for row in rows] == [list(pair) for pair in zip(header, values, strict=True)]
    properties = inlined(server.get("/openapi.json").json)["components"]["schemas"]
    units = {name: each.get("x-unit", "") for schema in properties.values()
             for name, each in schema.get("properties", {}).items() if "x-unit" in each}
    for name, _, unit in rows:
        if "." not in name and unit:
            assert name in units, name


def test_european_sheets_have_semicolons_and_decimal_commas(server):
    plain = read_sheet(ask(server, "/v1/break-even", ".csv").text, ",")
    body = ask(server, "/v1/break-even", ".csv", dialect="excel-eu").body
    assert body.startswith(b"\xef\xbb\xbf")
    sheet = list(csv.reader(io.StringIO(body.decode("utf-8-sig"), newline=""), delimiter=";"))
    numbers = json.loads(ask(server, "/v1/break-even").body)
    for name, value, european in zip(*plain, sheet[1], strict=True):
        number = isinstance(numbers.get(name), (int, float)) or "." in name
        assert european == (value.replace(".", ",") if number else value), name
    us = ask(server, "/v1/break-even", ".csv", dialect="excel-us").body
    assert us == b"\xef\xbb\xbf" + ask(server, "/v1/break-even", ".csv").body


def test_money_has_cents_and_no_number_an_exponent(server):
    def scan(value, place):
        if isinstance(value, dict):
            for name, each in value.items():
                scan(each, f"{place}.{name}")
        elif isinstance(value, list):
            for each in value:
                scan(each, place)
        elif isinstance(value, Number):
            assert "e" not in value.lower(), (place, value)
            assert value not in ("-0", "-0.00"), place

    class Number(str):
        pass
    for path in ("/v1/break-even", "/v1/training-plan", "/v1/inference-sizing", "/v1/gpus",
                 "/v1/models", "/v1/assumptions"):
        whole = json.loads(ask(server, path).body, parse_float=Number, parse_int=Number)
        scan(whole, path)
        for name in ("buy_total_cost", "rent_total_cost", "total_cost"):
            if whole.get(name) is not None:
                assert whole[name].split(".")[1:] and len(whole[name].split(".")[1]) == 2, name


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_post_says_what_the_get_says(server, question):
    query = dict(urllib.parse.parse_qsl(QUESTIONS[question]))
    document = {}
    for name, value in query.items():
        try:
            document[name] = json.loads(value)
        except ValueError:
            document[name] = value
    get = answer(server, f"/v1/{question}")
    form = server.request("POST", f"/v1/{question}", QUESTIONS[question].encode(),
                          {"Content-Type": "application/x-www-form-urlencoded"})
    for reply in (server.post(f"/v1/{question}", document), form):
        assert reply.status == 200, reply.text
        post = read_json(reply.body)
        assert {k: v for k, v in post.items() if k != "links"} == {
            k: v for k, v in get.items() if k != "links"}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_input_says_where_it_is_from(server, question):
    whole = ask(server, f"/v1/{question}").json
    given = dict(urllib.parse.parse_qsl(QUESTIONS[question]))
    for name, each in whole["inputs"].items():
        assert each["source"] in ("request", "catalog", "default", "chosen"), name
        assert (each["source"] == "request") == (name in given), name
    for name, value in given.items():
        got = whole["inputs"][name]["value"]
        assert got == value or float(got) == float(value), name


def test_the_link_of_an_answer_gives_the_answer_again(server, path):
    whole = answer(server, path)
    link = whole["links"]["self"]
    assert "as_of=" in link and "model_version=" in link
    again = server.get(link)
    assert again.status == 200, again.text
    ignored = ("links", "inputs")
    assert {k: v for k, v in read_json(again.body).items() if k not in ignored} == {
        k: v for k, v in whole.items() if k not in ignored}
    assert server.get(whole["links"]["csv"]).body == ask(server, path, ".csv").body


def test_lists_are_paged_in_json_and_whole_in_sheets(server):
    rows = read_json(server.get("/v1/offers?purchase_option=on_demand").body)["rows"]
    pages, cursor = [], None
    while True:
        page = server.get("/v1/offers?purchase_option=on_demand&limit=100&count=1" + (f"&cursor={cursor}" if cursor else ""))
        page = read_json(page.body)
        assert page["count"] == str(len(rows))
        pages += page["rows"]
        cursor = page.get("next_cursor")
        if not cursor:
            break
        assert len(page["rows"]) == 100
    assert pages == rows
    assert len(read_sheet(server.get("/v1/offers.csv?purchase_option=on_demand").text, ",")) == len(rows) + 1


LONG = "model=gpt-2&tokens=15e12&gpu_count_max=131072&per_gpu=0&fields=rank,gpu,gpu_count"


@pytest.mark.parametrize("suffix", ["json", "html"])
def test_a_list_longer_than_a_page_leads_to_the_rest_of_it(server, suffix):
    _, *wanted = read_sheet(server.get(f"/v1/training-plan/options.csv?{LONG}").text, ",")
    path, rows, pages = f"/v1/training-plan/options.{suffix}?{LONG}", [], 0
    while path:
        reply = server.get(path)
        pages += 1
        said = f"rows 1 to 1000 of {len(wanted)}" in reply.text
        assert said == (pages == 1), "a request for the rest needs no warning that there is one"
        if suffix == "json":
            whole = read_json(reply.body)
            assert ("more_rows" in [warning["code"] for warning in whole["warnings"]]) == said
            rows += [[text(value) for value in row.values()] for row in whole["options"]]
            path = whole["links"].get("next")
            assert bool(path) == ("next_cursor" in whole)
        else:
            page = Tables(reply.text)
            rows += page.tables["options"][1:]
            path = next((link for link in page.links if "options.html?" in link), None)
    assert pages >= 2 and rows == wanted


def test_xml_says_that_there_are_more_rows(server):
    root = xml.etree.ElementTree.fromstring(server.get(f"/v1/training-plan/options.xml?{LONG}").body)
    assert len(root.findall("option")) == 1000 and root.find("next_cursor").text == "1000"
    assert "more_rows" in [code.text for code in root.iterfind("warning/code")]
    root = xml.etree.ElementTree.fromstring(server.get("/v1/gpus.xml?limit=2&count=1&cursor=3").body)
    assert root.find("next_cursor").text == "5" and int(root.find("count").text) > 5
    assert not root.findall("warning"), "a request for a page needs no warning that it is one"


@pytest.mark.parametrize("sort, key, reverse", [
    ("memory_gib", "memory_gib", False), ("-memory_gib", "memory_gib", True),
    ("name", "name", False), ("-gpu", "gpu", True), ("tdp_w", "tdp_w", False),
    ("-tdp_w", "tdp_w", True)])
def test_lists_are_sorted_with_the_unknown_last(server, sort, key, reverse):
    values = [row[key] for row in server.get(f"/v1/gpus?sort={sort}").json["rows"]]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=reverse)
    assert values == known + [None] * (len(values) - len(known))


@pytest.mark.parametrize("suffix", ["json", "csv", "tsv", "xml"])
def test_a_list_gives_the_fields_asked_for(server, suffix):
    whole = answer(server, "/v1/gpus")["rows"]
    reply = server.get(f"/v1/gpus.{suffix}?fields=tdp_w,gpu&sort=-memory_gib")
    order = [row["gpu"] for row in answer(server, "/v1/gpus", sort="-memory_gib")["rows"]]
    tdp = {row["gpu"]: text(row["tdp_w"]) for row in whole}
    wanted = [[tdp[gpu], gpu] for gpu in order]
    if suffix == "json":
        rows = read_json(reply.body)["rows"]
        assert [list(row) for row in rows] == [["tdp_w", "gpu"]] * len(rows)
        assert [[text(value) for value in row.values()] for row in rows] == wanted
    elif suffix == "xml":
        rows = [element for element in xml.etree.ElementTree.fromstring(reply.body)
                if element.tag == "gpu"]
        assert [[child.text or "" for child in row] for row in rows] == wanted
    else:
        sheet = read_sheet(reply.text, "," if suffix == "csv" else "\t")
        assert sheet == [["tdp_w", "gpu"]] + wanted
    reply = server.get(f"/v1/gpus.{suffix}?fields=gpu,tdpw")
    assert reply.status == 400
    error, = reply.json["errors"]
    assert (error["parameter"], error["value"], error["code"]) == ("fields", "tdpw", "unknown_field")
    assert "tdp_w" in error["detail"]


@pytest.mark.parametrize("question, names", [
    (f"/v1/break-even?{BREAK_EVEN}", ["verdict", "buy_saving"]),
    (f"/v1/training-plan?{TRAINING}", ["total_cost", "days"]),
    (f"/v1/inference-sizing?{INFERENCE}&requests_per_minute=60", ["replica_count"])])
def test_an_answer_gives_the_figures_asked_for(server, question, names):
    """As in a sheet: these, in this order, and in JSON what makes them quotable."""
    path, query = question.split("?")
    whole = server.get(f"{path}.json?{query}").json
    always = {"currency", "as_of", "catalog_version", "model_version", "currency_per_usd", "currency_rate_date",
              "currency_rate_source", "warnings", "links"}
    for name in names:
        assert name in whole
    reply = server.get(f"{path}.json?{query}&fields={','.join(names)}").json
    assert list(reply)[:len(names)] == names and set(reply) == set(names) | always
    assert all(reply[name] == whole[name] for name in [*names, "warnings", "links"])
    sheet = next(csv.DictReader(io.StringIO(server.get(f"{path}.csv?{query}&fields={','.join(names)}").text)))
    assert list(sheet) == names
    document = xml.etree.ElementTree.fromstring(server.get(f"{path}.xml?{query}&fields={','.join(names)}").text)
    assert [element.tag for element in document][:len(names)] == names and document.find("inputs") is None
    pages = [server.get(f"{path}.html?{query}{more}").text for more in ("", f"&fields={','.join(names)}")]
    assert [page.count("<table") > 2 for page in pages] == [True, False]


def test_a_line_of_a_ledger_and_a_column_of_it(server):
    whole = server.get(f"/v1/break-even.json?{BREAK_EVEN}").json["rule_of_thumb"]
    known = next(row for row in whole if row["value"] is not None)
    reply = server.get(f"/v1/break-even.json?{BREAK_EVEN}&fields=verdict,rule_of_thumb.{known['key']}").json
    assert reply["rule_of_thumb"] == [known] and "line_items" not in reply
    lines = server.get(f"/v1/break-even/line-items.json?{BREAK_EVEN}&fields=amount,key").json
    assert all(list(line) == ["amount", "key"] for line in lines["line_items"])


@pytest.mark.parametrize("suffix", ["json", "xml", "html", "csv", "tsv"])
def test_a_figure_that_is_none_is_refused_with_the_nearest(server, suffix):
    reply = server.get(f"/v1/break-even.{suffix}?{BREAK_EVEN}&fields=verdict,buy_savings")
    assert reply.status == 400 and "buy_saving" in reply.text
    posted = server.post("/v1/break-even", {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.7, "fields": "buy_savings"})
    assert posted.status == 400 and "did you mean buy_saving" in posted.json["errors"][0]["detail"]


def test_fields_picked_one_after_the_other_keep_their_names(server):
    """Tables of fields are made for each request, in memory that the one before had."""
    for _ in range(20):
        for names in (["launch_year", "tdp_w"], ["gpu", "name"], ["vendor", "gpu"], ["tdp_w", "memory_gib"], ["name", "vendor"]):
            rows = server.get(f"/v1/gpus.json?fields={','.join(names)}&limit=40&nocache={_}").json["rows"]
            assert all(list(row) == names for row in rows)


def test_the_bare_answer_of_a_break_even_is_a_number_whatever_the_verdict(server):
    seen = set()
    for utilization in ("0.05", "0.3", "0.7", "1"):
        query = f"gpu=h100-sxm5-80gb&gpu_count=8&utilization={utilization}&rent_price_per_gpu_hour=4.5"
        seen.add(server.get(f"/v1/break-even.json?{query}").json["verdict"])
        assert float(server.get(f"/v1/break-even.txt?{query}").text)
    assert seen == {"buy", "rent"}
