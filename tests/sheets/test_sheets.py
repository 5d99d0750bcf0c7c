"""A budget spreadsheet that asks the daemon, recalculated in LibreOffice, English and German."""
import urllib.parse

import pytest

from calc import fods

BREAK_EVEN = {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.7, "horizon_months": 36,
              "rent_price_per_gpu_hour": 6.88, "server_price": 300000}
TRAINING = {"model": "llama-2-70b", "gpu": "a100-sxm4-80gb", "gpu_count": 2048, "tokens": "2e12",
            "price_per_gpu_hour": 1.5}
INFERENCE = {"model": "llama-2-70b", "gpu": "h100-sxm5-80gb", "requests_per_minute": 1000,
             "input_tokens": 512, "output_tokens": 200, "latency_p95_seconds": 10}
CELLS = [("break-even", BREAK_EVEN, "buy_total_cost"), ("break-even", BREAK_EVEN, "break_even_months"),
         ("break-even/line-items", BREAK_EVEN | {"lines": "residual_value"}, "amount"),
         ("break-even", BREAK_EVEN, "buy_cost_per_useful_gpu_hour"), ("training-plan", TRAINING, "total_cost"),
         ("training-plan", TRAINING, "days"), ("inference-sizing", INFERENCE, "gpu_count")]


def address(server, question, query, field, suffix="txt"):
    return f"{server.url}/v1/{question}.{suffix}?{urllib.parse.urlencode(query)}&field={field}"


def number(url):
    return f'=NUMBERVALUE(WEBSERVICE("{url}");".";",")'


def expected(server, question, query, field):
    answer = server.get(f"/v1/{question}", **query).json
    return answer["line_items"][0][field] if question.endswith("line-items") else answer[field]


def test_cells_hold_the_figures_of_the_api(server, calc):
    sheet = calc.folder / "budget.fods"
    fods(sheet, [number(address(server, *cell)) for cell in CELLS])
    document = calc.open(sheet.as_uri())
    try:
        for row, cell in enumerate(CELLS):
            found = document.Sheets.getByIndex(0).getCellByPosition(0, row)
            assert found.getError() == 0, f"{cell}: {found.String}"
            assert found.Value == pytest.approx(expected(server, *cell), rel=1e-5), cell
    finally:
        document.close(True)


def test_the_formula_as_the_page_prints_it_can_be_typed(server, calc):
    """With semicolons: LibreOffice takes them whatever the locale."""
    sheet = calc.folder / "typed.fods"
    fods(sheet, ["=1"])
    document = calc.open(sheet.as_uri())
    try:
        cell = document.Sheets.getByIndex(0).getCellByPosition(1, 0)
        cell.FormulaLocal = number(address(server, "break-even", BREAK_EVEN, "rent_total_cost"))
        calc.fetch(document)
        assert cell.getError() == 0, cell.String
        assert cell.Value == pytest.approx(expected(server, "break-even", BREAK_EVEN, "rent_total_cost"))
    finally:
        document.close(True)


def test_an_unknown_figure_and_a_refused_input_are_no_number(server, calc):
    never = BREAK_EVEN | {"rent_price_per_gpu_hour": 0.5}
    refused = BREAK_EVEN | {"utilization": 70}
    sheet = calc.folder / "unknown.fods"
    urls = [address(server, "break-even", never, "break_even_months"),
            address(server, "break-even", refused, "buy_total_cost"),
            address(server, "break-even", refused, "buy_total_cost") + "&on_error=text"]
    fods(sheet, [f'=IFERROR(NUMBERVALUE(WEBSERVICE("{url}");".";",");"none")' for url in urls]
         + [f'=WEBSERVICE("{urls[2]}")'])
    document = calc.open(sheet.as_uri())
    try:
        cells = [document.Sheets.getByIndex(0).getCellByPosition(0, row).String for row in range(4)]
    finally:
        document.close(True)
    assert cells[:3] == ["none"] * 3
    assert cells[3].startswith("ERROR") and "utilization" in cells[3]


def test_the_ledger_opened_as_csv_adds_up_to_the_total(server, calc):
    """Numbers are numbers where the import is told that the file is English (1033)."""
    url = f"{server.url}/v1/break-even/line-items.csv?{urllib.parse.urlencode(BREAK_EVEN | {'fields': 'side,amount'})}"
    document = calc.open(url, FilterName="Text - txt - csv (StarCalc)", FilterOptions="44,34,76,1,,1033")
    try:
        rows = document.Sheets.getByIndex(0).getCellRangeByName("A1:B100").getDataArray()
    finally:
        document.close(True)
    assert rows[0] == ("side", "amount")
    answer = server.get("/v1/break-even", **BREAK_EVEN).json
    for side in ("buy", "rent"):
        amounts = [amount for name, amount in rows[1:] if name == side]
        assert len(amounts) > 5 and all(isinstance(amount, float) for amount in amounts)
        assert sum(amounts) == pytest.approx(answer[f"{side}_total_cost"], abs=0.005)
