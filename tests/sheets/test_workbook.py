"""The workbooks of api/sheets, opened in LibreOffice, English and German, against a live daemon."""
import datetime
import gzip
import importlib.util
import io
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from calc import properties

SHEETS = pathlib.Path(__file__).resolve().parents[2] / "api/sheets"
FILES = ["gpuplan.ods", "gpuplan.xlsx"]


@pytest.fixture(scope="module")
def make():
    sys.path.insert(0, str(SHEETS))
    try:
        spec = importlib.util.spec_from_file_location("make", SHEETS / "make.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(SHEETS))


class Book:
    """An open workbook whose base_url is the daemon's."""

    def __init__(self, calc, file, server):
        shutil.copy(SHEETS / file, calc.folder / file)
        self.calc, self.server = calc, server
        self.document = calc.open((calc.folder / file).as_uri())
        self.named("base_url").String = server.url
        calc.fetch(self.document)

    def named(self, name):
        return self.document.NamedRanges.getByName(name).ReferredCells

    def sheet(self, title):
        return self.document.Sheets.getByName(title)

    def rows(self, title):
        """Every row, numbers as numbers, and None where a formula failed."""
        cursor = self.sheet(title).createCursor()
        cursor.gotoEndOfUsedArea(False)
        return [list(row) for row in
                self.sheet(title).getCellRangeByName(f"A1:J{cursor.RangeAddress.EndRow + 1}").getDataArray()]

    def cell(self, title, name, column=1):
        """The cell in the row whose hidden column has the name."""
        names = [row[6] for row in self.rows(title)]
        return self.sheet(title).getCellByPosition(column, names.index(name))


@pytest.fixture(params=FILES)
def book(request, calc, server):
    open_book = Book(calc, request.param, server)
    yield open_book
    open_book.document.close(True)


def block(rows, head):
    """The rows under the one whose first cells are `head`, up to an empty one."""
    start = next(i for i, row in enumerate(rows) if row[:len(head)] == head) + 1
    end = next((i for i, row in enumerate(rows[start:], start) if not any(row)), len(rows))
    return rows[start:end]


def shown(value):
    """A value of the JSON answer as it is sent to a cell."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "n/a" if value is None else value


def as_number(text):
    try:
        return float(text)
    except ValueError:
        return text


def same(cell, value):
    return cell == pytest.approx(value, rel=1e-9) if isinstance(value, (int, float)) else cell == value


def figures(server, rows, heads, answer, ends):
    """(figure, in the sheet, in the answer) of a block of figures, with their ends and addresses."""
    for _, value, _, low, high, _, name, sent, address, *_ in block(rows, heads):
        yield name, value if isinstance(value, float) else as_number(sent), shown(answer[name])
        yield f"{name}: address", server.get(address.removeprefix(server.url)).text, server.get(
            address.removeprefix(server.url).replace("&on_error=text", "")).text
        for end, cell in zip(ends(name), (low, high)):
            yield end, cell, shown(answer[end]) if end in answer and end != name else ""


def ledger(rows, question, answer):
    columns = [column.lower() for column in question["ledger"]]
    lines = [row for row in rows[3:] if row[7]][:len(answer["line_items"])]
    for row, item in zip(lines, answer["line_items"]):
        assert row[9] == item["key"]
        for column, cell in zip(columns, row):
            if column == "unit" or column.upper() in question["ledger"]:
                yield f"line {item['key']}: {column}", cell, "" if item.get(column) is None else item[column]
    yield "lines", len(lines), len(answer["line_items"])
    for group, total in question["totals"]:
        yield f"{group}: lines less {total}", next(
            row[6] for row in rows if str(row[0]).startswith(f"{group.capitalize()}: sum of the lines")), 0


def compared(book, question):
    """Everything one sheet shows is what the API answers for the inputs in its yellow cells."""
    rows, server = book.rows(question["sheet"]), book.server
    inputs = {row[6]: row[7] for row in block(rows, ["Input", "Value"]) if row[6] and row[7] != ""}
    inputs = {name: f"{value:.15g}" if isinstance(value, float) else value for name, value in inputs.items()}
    path = f"/v1/{question['path']}"
    answer = server.get(path, **inputs).json
    for _, _, _, default, _, _, name, *_ in block(rows, ["Input", "Value"]):
        if isinstance(default, float) and name not in inputs:
            yield f"default of {name}", default, answer["inputs"][name]["value"]
    yield from figures(server, rows, ["Figure", "Value"], answer, lambda name: (name + "_low", name + "_high"))
    if "likely" in question:
        yield from figures(server, rows, ["Risk", "Median"], server.get(path + "/risk", **inputs).json,
                           lambda name: (name.replace("_p50", "_p05"), name.replace("_p50", "_p95")))
    yield from ledger(book.rows(question["lines"]), question, answer)


def differences(book, make):
    return [f"{question['sheet']}, {what}: {cell} is not {value}" for question in make.QUESTIONS
            for what, cell, value in compared(book, question) if not same(cell, value)]


def members(data):
    """Name, date and content of each file in a ZIP, in order; how it is compressed depends on the version of zlib."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(member.filename, member.date_time, archive.read(member)) for member in archive.infolist()]


def test_the_files_are_what_the_contract_makes_of_them(make):
    for file, module in zip(FILES, (make.ods, make.xlsx)):
        kept, made = members((SHEETS / file).read_bytes()), members(module.write(make.workbook()))
        old = [was[0] for was, now in zip(kept, made) if was != now]
        assert not old and len(kept) == len(made), f"run api/sheets/make.py: {file} is old in {old}"


def test_formulas_keep_to_what_excel_takes(make):
    """255 characters between two quotes, 8192 in a formula, and newer functions with their prefix."""
    formulas = [cell.formula for sheet in make.workbook().sheets for row in sheet.rows for cell in row if cell.formula]
    assert len(formulas) > 500
    for formula in map(make.xlsx.formula_text, formulas):
        assert len(formula) < 8192 and max(map(len, re.findall(r'"([^"]*)"', formula)), default=0) <= 255, formula
        assert not re.search(r"(?<!_xlfn\.)\b(WEBSERVICE|ENCODEURL|NUMBERVALUE)\(", formula), formula


def start(body, file):
    """The part of a file with its first sheet, and every checksum looked at."""
    archive = zipfile.ZipFile(io.BytesIO(body))
    assert archive.testzip() is None
    return archive.read("content.xml" if file.endswith("ods") else "xl/worksheets/sheet1.xml").decode()


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("host, headers, expected", [
    ("plan.example.org", {}, "http://plan.example.org"),
    ("10.0.0.7:9000", {"X-Forwarded-Proto": "https"}, "http://10.0.0.7:9000"),  # nobody trusted says so
    ("a" * 200 + ".example", {}, "http://" + "a" * 200 + ".example"),
    ("a" * 300 + ".example", {}, "http://127.0.0.1:8080"),
    ("a&b", {}, "http://127.0.0.1:8080")])
def test_a_workbook_asks_the_address_it_was_asked_for_by(server, file, host, headers, expected):
    reply = server.get("/" + file, headers={"Accept-Encoding": "gzip", "Host": host} | headers)
    assert (reply.status, reply.headers["Content-Encoding"]) == (200, "gzip") and "spreadsheet" in reply.headers["Content-Type"]
    body = gzip.decompress(reply.body)
    assert f">{expected}<" in start(body, file) and len(body) == (SHEETS / file).stat().st_size
    again = server.get("/" + file, headers={"If-None-Match": reply.headers["ETag"], "Host": host} | headers)
    other = server.get("/" + file, headers={"If-None-Match": reply.headers["ETag"], "Host": "elsewhere.example"} | headers)
    assert (again.status, other.status) == (304, 200)


def test_behind_a_trusted_proxy_it_asks_by_https(database, server, tmp_path):
    proxied = type(server)(database.env | {"GPUPLAN_TRUSTED_PROXIES": "127.0.0.1"}, tmp_path).start()
    try:
        reply = proxied.get("/gpuplan.xlsx", headers={"Host": "plan.example.org", "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"})
        assert ">https://plan.example.org<" in start(reply.body, "gpuplan.xlsx")
    finally:
        proxied.stop()


def test_gpus_and_models_are_chosen_from_lists(book, make):
    for name, question in (("gpu", "Break-even"), ("model", "Inference sizing"), ("purchase_option", "Training plan")):
        validation = book.cell(question, name).Validation
        assert (validation.Type.value, validation.getFormula1()) == ("LIST", f"{name}_labels"), name
    for name in ("gpu", "model"):
        listed = [row[0] for row in book.named(f"{name}_labels").DataArray]
        there = [row["name"] for row in book.server.get(f"/v1/{name}s", limit=1000).json["rows"]]
        assert [each for each in listed if each] == there
    free = next(i for i, row in enumerate(book.rows("Break-even")) if row[5].startswith("Any other input"))
    sheet = book.sheet("Break-even")
    assert sheet.getCellByPosition(0, free).Validation.getFormula1() == "break_even_others_labels"
    book.cell("Break-even", "gpu").String = "NVIDIA H200 SXM5 141GB"
    sheet.getCellByPosition(0, free).String, sheet.getCellByPosition(1, free).String = "Housing", "Colocation"
    book.calc.fetch(book.document)
    assert "&gpu=h200-sxm5-141gb&" in book.named("break_even_query").String.replace("%2D", "-")
    assert "&housing=colocation" in book.named("break_even_query").String
    assert differences(book, make) == []


def test_each_sheet_has_its_chart_and_prints_on_one_page(book, make):
    for question in make.QUESTIONS:
        sheet = book.sheet(question["sheet"])
        assert sheet.Charts.Count == 1
        data = sheet.Charts.getByIndex(0).EmbeddedObject.Data.Data
        assert len(data) >= 4 and all(isinstance(row[0], float) for row in data)
    pdf = book.calc.folder / "book.pdf"
    book.document.storeToURL(pdf.as_uri(), properties(FilterName="calc_pdf_Export"))
    pages = subprocess.run(["pdfinfo", str(pdf)], capture_output=True, check=True, text=True).stdout
    assert re.search(r"Pages: +(\d+)", pages)[1] == str(1 + 2 * len(make.QUESTIONS))


def test_people_see_no_names_for_programs(book, make):
    for question in make.QUESTIONS:
        seen = [cell for title, columns in ((question["sheet"], 6), (question["lines"], 7)) for row in book.rows(title)
                for cell in row[:columns] if isinstance(cell, str)]
        assert len(seen) > 100 and not [cell for cell in seen if re.search(r"[A-Za-z0-9]_[A-Za-z0-9]", cell)]


def test_every_figure_is_that_of_the_api(book, make):
    assert len(list(compared(book, make.QUESTIONS[0]))) > 100
    assert differences(book, make) == []


def test_a_figure_that_was_changed_is_found(book, make):
    figure = book.cell("Training plan", "total_cost")
    figure.Value = figure.Value + 0.01
    found = differences(book, make)
    assert [line.split(":")[0] for line in found] == ["Training plan, total_cost", "Training plan, cost"]


def test_inputs_are_sent_as_numbers_whatever_the_locale(book, make):
    book.cell("Break-even", "utilization").Value = 0.35
    book.cell("Break-even", "rent_price_per_gpu_hour").Value = 5.125
    book.cell("Inference sizing", "requests_per_minute").Value = 1234.5
    book.cell("Training plan", "provider").String = "aws,azure"
    book.calc.fetch(book.document)
    assert differences(book, make) == []


def test_a_day_can_be_typed_as_a_date(book):
    asked = datetime.date(2026, 9, 5)
    book.named("as_of").Value = (asked - datetime.date(1899, 12, 30)).days
    book.calc.fetch(book.document)
    assert book.named("common_query").String.endswith("&as_of=2026-09-05")
    assert {row[0]: row[1] for row in book.rows("Start")}["Prices as of"] == "2026-09-05"


def test_another_currency_is_refused_in_words_and_hides_defaults_in_dollars(book):
    assert book.cell("Break-even", "electricity_price_per_kwh", 3).Value > 0
    book.named("currency").String = "XPF"
    book.calc.fetch(book.document)
    assert book.cell("Break-even", "electricity_price_per_kwh", 3).String == ""
    assert book.cell("Break-even", "electricity_price_per_kwh", 2).String == "XPF/kWh"
    assert 0 < book.cell("Break-even", "cost_of_capital", 3).Value < 1
    assert book.cell("Break-even", "buy_total_cost").String.startswith("ERROR no exchange rate for")


def test_a_refused_input_is_named_in_the_cells(book):
    book.cell("Break-even", "gpu").String = "h100-sxm5-80g"
    book.calc.fetch(book.document)
    for name in ("buy_total_cost", "verdict"):
        assert book.cell("Break-even", name).String.startswith("ERROR gpu: "), name
        assert "h100-sxm5-80gb" in book.cell("Break-even", name).String
