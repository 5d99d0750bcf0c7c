"""An answer as .xlsx: a workbook of exactly that answer, opened by LibreOffice in two locales."""
import io
import xml.etree.ElementTree as ET
import zipfile

import pytest

BUY = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, horizon_months=36, rent_price_per_gpu_hour=3.93)
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def fetched(server, path, **inputs):
    reply = server.get(f"/v1/{path}.xlsx", **inputs)
    assert (reply.status, reply.headers["Content-Type"]) == (200, TYPE)
    return reply.body


def opened(calc, body):
    """{sheet: rows}, as LibreOffice reads them."""
    file = calc.folder / "answer.xlsx"
    file.write_bytes(body)
    document = calc.open(file.as_uri())
    try:
        book = {}
        for sheet in document.Sheets:
            cursor = sheet.createCursor()
            cursor.gotoEndOfUsedArea(False)
            at = cursor.RangeAddress
            book[sheet.Name] = [list(row) for row in sheet.getCellRangeByPosition(0, 0, at.EndColumn, at.EndRow).getDataArray()]
        return book
    finally:
        document.close(False)


def labels(server):
    """{name: label} of figures and inputs."""
    schemas = server.get("/openapi.json").json["components"]["schemas"]
    return {name: each["x-label"] for name, each in schemas.items() if "x-label" in each}


def test_a_workbook_holds_exactly_the_answer(server, calc):
    answer, called = server.get("/v1/break-even", **BUY).json, labels(server)
    book = opened(calc, fetched(server, "break-even", **BUY))
    assert list(book)[0] == "Answer" and list(book)[-1] == "Inputs"
    figures = {row[0]: row[1] for row in book["Answer"]}
    for name in ("buy_saving", "buy_total_cost", "rent_total_cost", "verdict", "break_even_status"):
        assert figures[called[name]] == answer[name], name
    assert [row[1] for row in book["Answer"] if row[0] == "Warning"] == [each["detail"] for each in answer["warnings"]]
    inputs = {row[0]: row[1:4] for row in book["Inputs"]}
    assert inputs[called.get("horizon_months_input", called["horizon_months"])][0::2] == [36, "request"]
    lines = book["Line items"]
    amounts = next(i for i, head in enumerate(lines[0]) if head.startswith("Amount"))
    assert [row[amounts] for row in lines[1:]] == [line["amount"] for line in answer["line_items"]]


def test_a_list_has_a_row_each(server, calc):
    rows = server.get("/v1/gpus", fields="gpu,memory_gib,launch_year", limit=10000).json["rows"]
    book = opened(calc, fetched(server, "gpus", fields="gpu,memory_gib,launch_year"))
    table = next(rows_ for name, rows_ in book.items() if name not in ("Answer", "Inputs"))
    assert [row[0] for row in table[1:]] == [row["gpu"] for row in rows]
    assert [row[1] or None for row in table[1:]] == [row["memory_gib"] for row in rows]


def test_what_is_typed_is_text_and_no_formula(server, calc):
    reply = server.get("/v1/offers.xlsx", provider="=1+1")
    if reply.status == 200:
        assert ["=1+1" in str(row) for row in opened(calc, reply.body)["Inputs"]].count(True) == 1
    parts = zipfile.ZipFile(io.BytesIO(fetched(server, "recommendation", workload="serve", model="llama-2-7b", requests_per_minute=60)))
    for name in parts.namelist():
        root = ET.fromstring(parts.read(name))
        assert not [each for each in root.iter() if each.tag.endswith("}f")], name


@pytest.mark.parametrize("path", ["break-even", "break-even/line-items", "training-plan"])
def test_the_same_answer_is_the_same_bytes(server, path):
    asked = BUY | dict(as_of="2026-11-20") if path != "training-plan" else dict(model="llama-2-7b", gpu="h100-sxm5-80gb", tokens=1e11, as_of="2026-11-20")
    first, again = (fetched(server, path, nocache=n, **asked) for n in (1, 2))
    names = zipfile.ZipFile(io.BytesIO(first)).namelist()
    assert zipfile.ZipFile(io.BytesIO(first)).testzip() is None and "xl/workbook.xml" in names
    same = [name for name in names if zipfile.ZipFile(io.BytesIO(first)).read(name) == zipfile.ZipFile(io.BytesIO(again)).read(name)]
    assert same == names


def test_a_refusal_is_a_problem(server):
    reply = server.get("/v1/break-even.xlsx", gpu="h100-sxm5-80gb", utilization=7)
    assert (reply.status, reply.headers["Content-Type"]) == (400, "application/problem+json")
