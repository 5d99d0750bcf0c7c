"""The source documents' worked examples: each row of the CSV files is asked of the API.

Columns: id, document, request (path and query), field (as in .txt?field=), expected, tolerance
(relative; an absolute one where it ends in "abs"; empty: the text itself), note, and optionally
status (200 where empty)."""
import csv
import pathlib

import pytest

HERE = pathlib.Path(__file__).parent


def rows():
    for path in sorted(HERE.glob("*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                yield pytest.param(row, id=f"{row['id']}-{path.stem}-{number}")


def ask(server, row):
    path, _, query = row["request"].partition("?")
    if row["field"]:
        path, query = path + ".txt", "&".join(filter(None, [query, "field=" + row["field"]]))
    return server.get(path + ("?" + query if query else ""))


@pytest.mark.parametrize("row", rows())
def test_row(server, row):
    reply = ask(server, row)
    status = int(row.get("status") or 200)
    assert reply.status == status, reply.text
    if status != 200:
        assert row["expected"] in reply.text
        return
    if not row["tolerance"]:
        assert reply.text == row["expected"]
        return
    got, want = float(reply.text), float(row["expected"])
    tolerance = row["tolerance"]
    if tolerance.endswith("abs"):
        assert abs(got - want) <= float(tolerance[:-3])
    else:
        assert abs(got - want) <= float(tolerance) * abs(want)
