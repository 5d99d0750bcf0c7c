"""The formulas of README.md and api/sheets/README.md, typed into LibreOffice as they stand there."""
import pathlib
import re

from calc import fods

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHEETS = (ROOT / "api/sheets/README.md").read_text()
FORMULAS = [re.search(r"^    (=NUMBERVALUE\(WEBSERVICE\(.+)$", (ROOT / "README.md").read_text(), re.M).group(1),
            re.search(r"^    LibreOffice +(=.+)$", SHEETS, re.M).group(1)]


def test_the_formulas_give_a_number(server, calc):
    fods(calc.folder / "readme.fods", [each.replace("http://127.0.0.1:8080", server.url) for each in FORMULAS])
    document = calc.open((calc.folder / "readme.fods").as_uri())
    try:
        for row, formula in enumerate(FORMULAS):
            address, field = re.search(r"http://127\.0\.0\.1:8080([^\"]+?)(?:&field=(\w+))?\"", formula).groups()
            cell = document.Sheets.getByIndex(0).getCellByPosition(0, row)
            figure = server.get(address.replace(".txt", ".json")).json[field or "buy_saving"]
            assert cell.Error == 0 and cell.Value == figure != 0, cell.String
    finally:
        document.close(True)


def test_the_other_programs_ask_the_same(server):
    """Excel's formulas differ from LibreOffice's in their separators and names, Google's in the format."""
    lines = dict(re.findall(r"^    (LibreOffice|Excel, English|Excel, German|Google Sheets|Google, other locale) +(=.+)$", SHEETS, re.M))
    calc = lines["LibreOffice"]
    assert lines["Excel, English"] == calc.replace(';"."', ',"."').replace(';","', ',","')
    assert lines["Excel, German"] == calc.replace("NUMBERVALUE", "ZAHLENWERT").replace("WEBSERVICE", "WEBDIENST")
    address = re.search(r"http://127\.0\.0\.1:8080([^\"]+)", calc).group(1)
    for name in ("Google Sheets", "Google, other locale"):
        imported = re.search(r"https://gpu\.example\.org([^\"]+)", lines[name]).group(1)
        assert server.get(imported).text.strip() == server.get(address).text.strip() != "n/a"
