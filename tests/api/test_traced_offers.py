"""25 offers traced to raw lines: checked.csv has the lines of the real feeds, as they are there, with what each becomes. They
are imported, and what is answered names the file and the line that it is from. Where GPUPLAN_FEEDS names the feeds,
test_import_feeds.py finds the same lines and the same offers in whole files."""
import csv
import itertools
import os
import pathlib

import pytest

from conftest import wait_for
from test_import import FEEDS, rows_of, server, world  # noqa: F401: fixtures

ROWS = rows_of(FEEDS / "checked.csv")
REAL = pathlib.Path(os.environ.get("GPUPLAN_FEEDS", "/nonexistent"))


@pytest.fixture(scope="module", name="folder")
def folder_fixture(world, tmp_path_factory):  # noqa: F811
    """The lines under the names of their files, imported with the days these are of."""
    folder = tmp_path_factory.mktemp("feeds")
    days = ["file,cloud,as_of"]
    for name, rows in itertools.groupby(sorted(ROWS, key=lambda row: row["file"]), key=lambda row: row["file"]):
        rows = list(rows)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join([rows[0]["header"], *(row["raw"] for row in rows), ""]))
        assert {row["header"] for row in rows} == {rows[0]["header"]}
        days.append(f"{name},{rows[0]['offer_id'].split('/')[0]},{rows[0]['as_of']}")
    (folder / "dates.csv").write_text("\n".join([*days, ""]))
    world.query("delete from offer")  # of the seed, which has some of them from elsewhere
    taken = world.take(str(folder))["files"]
    assert sum(file["refused"] + file["unchanged"] for file in taken) == 0 and sum(file["taken"] for file in taken) == 25, taken
    return folder


def test_there_are_25_of_many_lists():
    assert len(ROWS) == 25 and len({row["file"] for row in ROWS}) >= 15


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["offer_id"])
def test_the_answer_names_the_line(server, folder, row):  # noqa: F811
    provider, _, region, gpu, _, option = row["offer_id"].split("/")

    def found():
        rows = server.get("/v1/offers", provider=provider, gpu=gpu, purchase_option=option, region=region.split(":")[0],
                          as_of=row["as_of"], limit=1000).json["rows"]
        return [offer for offer in rows if offer["offer_id"] == row["offer_id"] and offer["source_line"]]
    offer, = wait_for(found, "the offer to be served", 60)
    assert offer["price_per_hour"] == float(row["price"])
    assert offer["source_file"].endswith(row["file"].rsplit("/", 1)[1]) and "/tmp" not in str(offer.values())
    line = (folder / row["file"]).read_text().splitlines()[int(offer["source_line"]) - 1]
    assert line in row["raw"].splitlines() and row["raw_price"] in next(csv.reader([row["raw"].splitlines()[0]]))


@pytest.mark.skipif(not REAL.is_dir(), reason="GPUPLAN_FEEDS names no folder")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["offer_id"])
def test_the_line_is_as_it_is_in_the_feed(row):
    lines = (REAL / row["file"]).read_text().splitlines()
    assert lines[0] == row["header"] and lines[int(row["line"]) - 1] == row["raw"].splitlines()[0]
    assert all(line in lines for line in row["raw"].splitlines())
