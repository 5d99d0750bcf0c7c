"""The workbooks of api/sheets, opened in LibreOffice, English and German, against a live daemon."""
import datetime
import gzip
import importlib.util
import pathlib
import re
import shutil
import sys

import pytest

from calc import Calc

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


@pytest.fixture(scope="module", params=["en-US", "de-DE"])
def calc(request, tmp_path_factory):
    program = Calc(request.param, tmp_path_factory.mktemp("workbook"))
    yield program
    program.close()


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
                self.sheet(title).getCellRangeByName(f"A1:I{cursor.RangeAddress.EndRow + 1}").getDataArray()]

    def cell(self, title, name, column=1):
        """The cell beside the name that stands in column A."""
        names = [row[0] for row in self.rows(title)]
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
    """A value of the JSON answer as a cell shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "n/a" if value is None else value


def same(cell, value):
    return cell == pytest.approx(value, rel=1e-9) if isinstance(value, (int, float)) else cell == value


def figures(server, rows, heads, answer, ends):
    """(figure, in the sheet, in the answer) of a block of figures, with their ends and addresses."""
    for name, value, _, low, high, address, _, *_ in block(rows, heads):
        if name == "Each is fetched from":
            continue
        yield name, value, shown(answer[name])
        yield f"{name}: address", server.get(address.removeprefix(server.url)).text, server.get(
            address.removeprefix(server.url).replace("&on_error=text", "")).text
        for end, cell in zip(ends(name), (low, high)):
            yield end, cell, shown(answer[end]) if end in answer and end != name else ""


def ledger(rows, question, answer):
    columns = [column.lower() for column in question["ledger"]]
    lines = [row for row in block(rows, columns) if row[7]][:len(answer["line_items"])]
    for row, item in zip(lines, answer["line_items"]):
        for column, cell in zip(columns, row):
            yield f"line {item['key']}: {column}", cell, "" if item.get(column) is None else item[column]
    yield "lines", len(lines), len(answer["line_items"])
    for group, total in question["totals"]:
        yield f"{group}: lines less {total}", next(row[1] for row in rows if row[0] == f"{group}: lines less {total}"), 0


def compared(book, question):
    """Everything one sheet shows beside what the API says for the inputs in its yellow cells."""
    rows, server = book.rows(question["sheet"]), book.server
    inputs = {row[0]: row[1] for row in block(rows, ["Input", "Value"]) if row[0] and row[1] != ""}
    inputs = {name: f"{value:.15g}" if isinstance(value, float) else value for name, value in inputs.items()}
    path = f"/v1/{question['path']}"
    answer = server.get(path, **inputs).json
    for name, _, _, default, *_ in block(rows, ["Input", "Value"]):
        if isinstance(default, float) and name not in inputs:
            yield f"default of {name}", default, answer["inputs"][name]["value"]
    yield from figures(server, rows, ["Figure", "Value"], answer, lambda name: (name + "_low", name + "_high"))
    if "likely" in question:
        yield from figures(server, rows, ["Risk", "Median"], server.get(path + "/risk", **inputs).json,
                           lambda name: (name.replace("_p50", "_p05"), name.replace("_p50", "_p95")))
    yield from ledger(rows, question, answer)


def differences(book, make):
    return [f"{question['sheet']}, {what}: {cell} is not {value}" for question in make.QUESTIONS
            for what, cell, value in compared(book, question) if not same(cell, value)]


def test_the_files_are_what_the_contract_makes_of_them(make):
    for file, module in zip(FILES, (make.ods, make.xlsx)):
        assert (SHEETS / file).read_bytes() == module.write(make.workbook()), f"run api/sheets/make.py: {file} is old"


def test_formulas_keep_to_what_excel_takes(make):
    """255 characters between two quotes, 8192 in a formula, and newer functions with their prefix."""
    formulas = [cell.formula for sheet in make.workbook().sheets for row in sheet.rows for cell in row if cell.formula]
    assert len(formulas) > 500
    for formula in map(make.xlsx.formula_text, formulas):
        assert len(formula) < 8192 and max(map(len, re.findall(r'"([^"]*)"', formula)), default=0) <= 255, formula
        assert not re.search(r"(?<!_xlfn\.)\b(WEBSERVICE|ENCODEURL|NUMBERVALUE)\(", formula), formula


def test_the_daemon_gives_the_files_away(server):
    for file in FILES:
        reply = server.get("/" + file, headers={"Accept-Encoding": "gzip"})
        assert (reply.status, reply.headers["Content-Encoding"]) == (200, "gzip")
        assert gzip.decompress(reply.body) == (SHEETS / file).read_bytes()
        assert "spreadsheet" in reply.headers["Content-Type"]


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
    assert {row[0]: row[1] for row in book.rows("Start")}["Prices of"] == "2026-09-05"


def test_another_currency_is_refused_in_words_and_hides_defaults_in_dollars(book):
    assert book.cell("Break-even", "electricity_price_per_kwh", 3).Value > 0
    book.named("currency").String = "XPF"
    book.calc.fetch(book.document)
    assert book.cell("Break-even", "electricity_price_per_kwh", 3).String == ""
    assert book.cell("Break-even", "electricity_price_per_kwh", 2).String == "XPF/kWh"
    assert 0 < book.cell("Break-even", "cost_of_capital", 3).Value < 1
    assert book.cell("Break-even", "buy_total_cost").String.startswith("ERROR no exchange rate of")


def test_a_refused_input_is_named_in_the_cells(book):
    book.cell("Break-even", "gpu").String = "h100-sxm5-80g"
    book.calc.fetch(book.document)
    for name in ("buy_total_cost", "verdict"):
        assert book.cell("Break-even", name).String.startswith("ERROR gpu: "), name
        assert "h100-sxm5-80gb" in book.cell("Break-even", name).String
