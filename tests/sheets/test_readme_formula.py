"""The README's formula, typed into LibreOffice as it stands there."""
import re

import pytest

from calc import Calc, fods
from conftest import ROOT

FORMULA = re.search(r"^    (=NUMBERVALUE\(WEBSERVICE\(.+)$", (ROOT / "README.md").read_text(), re.M).group(1)


@pytest.fixture(params=["en-US", "de-DE"])
def calc(request, tmp_path):
    program = Calc(request.param, tmp_path)
    yield program
    program.close()


def test_the_formula_gives_a_number(server, calc):
    address = re.search(r"http://127\.0\.0\.1:8080([^\"]+)", FORMULA).group(1)
    fods(calc.folder / "readme.fods", [FORMULA.replace("http://127.0.0.1:8080", server.url)])
    document = calc.open((calc.folder / "readme.fods").as_uri())
    try:
        cell = document.Sheets.getByIndex(0).getCellByPosition(0, 0)
        saving = server.get(address.replace(".txt", ".json")).json["buy_saving"]
        assert cell.Error == 0 and cell.Value == saving != 0, cell.String
    finally:
        document.close(True)
