"""The real price feeds, where GPUPLAN_FEEDS names the folder they are in: every row accounted for,
nothing changed the second time, and served as the raw lines say."""
import csv
import os
import pathlib

import pytest

from conftest import wait_for
from test_import import FEEDS, rows_of, server, world  # noqa: F401: fixtures

REAL = pathlib.Path(os.environ.get("GPUPLAN_FEEDS", "/nonexistent"))
pytestmark = pytest.mark.skipif(not REAL.is_dir(), reason="GPUPLAN_FEEDS names no folder")

# Those of 2026, of other formats, are test_fetch.py's.
LISTS = [str(REAL / "newest_excerpts"), str(REAL / "v5_2024-11-03")]
# What our GPUs are called at AWS, and in which machines, stated independently of service/feed.
AWS = {"p3.": "v100-sxm2-16gb", "p3dn.": "v100-sxm2-32gb", "p4d.": "a100-sxm4-40gb",
       "p4de.": "a100-sxm4-80gb", "p5.": "h100-sxm5-80gb", "p5e.": "h200-sxm5-141gb",
       "p5en.": "h200-sxm5-141gb", "p6-b200.": "b200-sxm", "p6-b300.": "b300-sxm", "g4dn.": "t4",
       "g5.": "a10g", "g6.": "l4", "gr6.": "l4", "g6e.": "l40s", "trn1.": "trainium1",
       "trn1n.": "trainium1", "inf2.": "inferentia2"}


@pytest.fixture(scope="module")
def imported(world, tmp_path_factory):  # noqa: F811
    report = tmp_path_factory.mktemp("report") / "refused.csv"
    files = world.take("--report", str(report), *LISTS)["files"]
    return {str(pathlib.Path(f["file"]).relative_to(REAL)): f for f in files}, rows_of(report)


def test_every_row_is_accounted_for(imported):
    files, refused = imported
    assert len(files) == 20
    for name, done in files.items():
        if "accelerators" in name:
            assert "has no known format" in done["note"]
            continue
        rows = rows_of(REAL / name)
        assert done["rows"] == len(rows), name
        assert done["rows"] == sum(done[k] for k in ("taken", "unchanged", "passed", "refused"))
        assert done["without_gpu"] == sum(not r["AcceleratorName"] for r in rows), name
    assert all(row["reason"] for row in refused)
    assert len(refused) == sum(f["refused"] for f in files.values())


def test_nothing_changes_the_second_time(world, imported):  # noqa: F811
    contents = world.contents()
    again = world.take(*LISTS)["files"]
    assert not any(f["taken"] for f in again) and world.contents() == contents
    assert all(f["refused"] for f in again if f["rows"]), "rows that were refused are tried again"


def served(server, **params):  # noqa: F811
    text = server.get("/v1/offers.csv", limit=1000, **params).text
    return {row["offer_id"]: float(row["price_per_hour"]) for row in csv.DictReader(text.splitlines())}


def aws_offers(path):
    """What the file says, taken apart without service/feed: offer_id to price."""
    offers = {}
    for row in rows_of(path):
        family = row["InstanceType"].split(".")[0] + "."
        if not row["AcceleratorName"] or family not in AWS:
            continue
        end = f"/{AWS[family]}/{float(row['AcceleratorCount']):.0f}"
        start = f"aws/{row['InstanceType']}/{row['Region']}"
        if row["Price"]:
            offers.setdefault(f"{start}{end}/on_demand", float(row["Price"]))
            assert offers[f"{start}{end}/on_demand"] == float(row["Price"])
        if row["SpotPrice"]:
            offers[f"{start}:{row['AvailabilityZone']}{end}/spot"] = float(row["SpotPrice"])
    return offers


@pytest.mark.parametrize("name, as_of", [("newest_excerpts/v9_aws_vms_excerpt.csv", "2026-11-20"),
                                         ("v5_2024-11-03/aws/vms.csv", "2024-11-03")])
def test_aws_is_served_as_it_is_in_the_file(server, imported, name, as_of):  # noqa: F811
    expected = aws_offers(REAL / name)
    assert len(expected) > 80
    some = next(offer for offer in expected if offer.endswith("spot"))
    wait_for(lambda: served(server, provider="aws", gpu=some.split("/")[3], purchase_option="spot",
                            as_of=as_of).get(some) == expected[some], "the import to be served")
    found = {}
    for gpu in sorted(set(AWS.values())):
        for option in ("on_demand", "spot"):
            found |= served(server, provider="aws", gpu=gpu, purchase_option=option, as_of=as_of)
    assert {offer: found.get(offer) for offer in expected} == expected


@pytest.mark.parametrize("row", rows_of(FEEDS / "checked.csv"), ids=lambda row: row["offer_id"])
def test_checked_by_hand(server, imported, row):  # noqa: F811
    """Read off the raw line by eye, asked of the API."""
    line = (REAL / row["file"]).read_text().splitlines()[int(row["line"]) - 1]
    assert row["raw_price"] in next(csv.reader([line]))
    provider, _, region, gpu, _, option = row["offer_id"].split("/")
    price = wait_for(lambda: served(server, provider=provider, gpu=gpu, purchase_option=option,
                                    region=region.split(":")[0],
                                    as_of=row["as_of"]).get(row["offer_id"]), "the offer")
    assert price == float(row["price"])
