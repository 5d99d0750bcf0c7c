"""Rent over time: the index is that of the same offers, recomputed here from the observations, and the default decline of
rent is its change per year."""
import csv
import datetime
import io
import math
import statistics
import xml.etree.ElementTree

import pytest

from conftest import wait_for

AGGREGATES = {"various", "marketplace-median"}  # what somebody says of a market
AS_OF = "2026-11-01"
STUDENT = dict(enumerate([4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                          2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060], start=3))  # by providers


def ask(server, suffix="", **values):
    query = "&".join(f"{key}={value}" for key, value in ({"as_of": AS_OF} | values).items())
    return server.get(f"/v1/price-summary/history{suffix}?{query}")


def observed(server, **values):
    """The cheapest observation of each offer in each quarter: {offer: [(quarter, day, price)]}."""
    query = "&".join(f"{key}={value}" for key, value in values.items())
    text = server.get(f"/v1/offers/history.csv?purchase_option=on_demand&as_of={AS_OF}&{query}").text
    kinds = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["observed_date"] and row["provider"] not in AGGREGATES and row["observed_date"] != "2023-01-01":
            day = datetime.date.fromisoformat(row["observed_date"])
            quarter = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
            owner = next((word for word in ("community", "marketplace") if word in row["instance"].lower()), "own")
            kind = kinds.setdefault((row["provider"], row["gpu"], row["gpu_count"], owner), {})
            kind[quarter] = min(kind.get(quarter, (math.inf,)), (float(row["price_per_gpu_hour"]), day))
    return {key: [(quarter, day, price) for quarter, (price, day) in sorted(kind.items())] for key, kind in kinds.items()}


def mean_of_providers(pairs):
    """(provider, logarithm) to the mean over providers, its half interval, and how many."""
    means = [statistics.mean(x for who, x in pairs if who == provider) for provider in {who for who, _ in pairs}]
    half = STUDENT[len(means)] * statistics.stdev(means) / len(means) ** 0.5 if len(means) > 2 else None
    return statistics.mean(means), half, len(means)


@pytest.fixture(scope="module")
def kinds(server):
    return observed(server)


def is_recent(day):
    return day >= datetime.date(2025, 11, 1)


def test_the_change_per_year_is_that_of_offers_seen_at_both_ends(server, kinds):
    pairs = [(key[0], math.log(kind[-1][2] / kind[0][2]) * 365.25 / (kind[-1][1] - kind[0][1]).days)
             for key, kind in kinds.items()
             if is_recent(kind[-1][1]) and (kind[-1][1] - kind[0][1]).days >= 365]
    mean, half, providers = mean_of_providers(pairs)
    answer = ask(server).json
    assert (answer["pair_count"], answer["provider_count"]) == (len(pairs), providers)
    expected = [math.exp(x) - 1 for x in (mean - half, mean, mean + half)]
    assert [answer[f"rent_change_per_year_ratio{end}"] for end in ("_low", "", "_high")] == pytest.approx(expected, abs=2e-5)


def test_every_quarter_is_that_of_pairs(server, kinds):
    rows = {row["quarter_date"]: row for row in ask(server).json["quarters"]}
    for quarter in sorted({str(seen[0]) for kind in kinds.values() for seen in kind})[:-1]:
        pairs = [(key[0], math.log(price / kind[-1][2])) for key, kind in kinds.items() if is_recent(kind[-1][1])
                 for at, _, price in kind[:-1] if str(at) == quarter]
        if not pairs:
            assert quarter not in rows
            continue
        mean, half, providers = mean_of_providers(pairs)
        row = rows[quarter]
        assert (row["pair_count"], row["provider_count"]) == (len(pairs), providers)
        assert row["rent_index"] == pytest.approx(math.exp(mean), rel=1e-5)
        assert (row["rent_index_low"] is None) == (half is None)
        if half is not None:
            assert row["rent_index_low"] == pytest.approx(math.exp(mean - half), rel=1e-3)
    assert list(rows.values())[-1]["rent_index"] == 1


def test_a_change_of_mix_is_no_change_of_price(pair):
    database, own = pair
    before = ask(own, gpu="h100-sxm5-80gb").json
    database.query("""insert into offer (provider, instance, region, gpu, gpu_count, purchase_option, price_per_hour,
        price_per_gpu_hour, currency, valid_from, source) values
        ('scaleway', 'new', 'fr-par-9', 'h100-sxm5-80gb', 3, 'on_demand', 0.3, 0.1, 'USD', '2026-08-01', 'test'),
        ('scaleway', 'old', 'fr-par-9', 'h100-sxm5-80gb', 5, 'on_demand', 500, 100, 'USD', '2024-08-01', 'test')""")
    wait_for(lambda: ask(own, gpu="h100-sxm5-80gb").json["catalog_version"] != before["catalog_version"],
                      "the new offers")
    after = ask(own, gpu="h100-sxm5-80gb").json
    assert len(before["quarters"]) > 3 and after["quarters"] == before["quarters"]
    assert after["rent_change_per_year_ratio"] == before["rent_change_per_year_ratio"]


def test_machines_of_strangers_are_not_the_providers_own(server):
    """RunPod's secure cloud asks for an RTX 4090 what it did in 2024; its community cloud, seen in 2026 alone, less. What
    Prime Intellect's marketplace asked for an H200 of Nebius is not what Nebius asks."""
    runpod = ask(server, gpu="rtx-4090", provider="runpod").json
    assert runpod["pair_count"] == 1 and runpod["rent_change_per_year_ratio"] == 0
    def summary(**values):
        row, = server.get("/v1/price-summary", purchase_option="on_demand", as_of="2026-11-20", **values).json["rows"]
        return row
    assert summary(gpu="h100-pcie-80gb", provider="runpod")["change_90_days_ratio"] == 0
    assert summary(gpu="h200-sxm5-141gb")["change_365_days_ratio"] is None


def test_one_provider_alone_is_no_change_of_the_market(server):
    """Only Lambda's H100 was seen in the year before November 2025 and again since, and it more than doubled the price
    of one."""
    def of(**values):
        row, = server.get("/v1/price-summary", gpu="h100-sxm5-80gb", purchase_option="on_demand", as_of="2026-11-26", **values).json["rows"]
        return row["change_365_days_ratio"], row["change_365_days_provider_count"]
    assert of() == (None, 1)
    assert of(provider="lambda") == (pytest.approx(4.29 / 1.99 - 1, abs=1e-5), 1)


def test_a_price_rounded_in_another_place_is_no_change(server):
    for row in server.get("/v1/price-summary", as_of="2026-11-20", limit=1000).json["rows"]:
        for name in ("change_30_days_ratio", "change_90_days_ratio", "change_365_days_ratio"):
            assert not row[name] or abs(row[name]) >= 1e-5, row


def test_without_both_ends_there_is_no_change(server):
    for values in (dict(as_of="2024-06-30"), dict(gpu="mi300x"), dict(provider="crusoecloud", gpu="mi300x")):
        answer = ask(server, **values).json
        assert answer["rent_change_per_year_ratio"] is None and answer["pair_count"] == 0
        assert answer["first_observed_date"] is None


def test_formats(server):
    assert float(ask(server, ".txt").text) == ask(server).json["rent_change_per_year_ratio"]
    rows = list(csv.DictReader(io.StringIO(ask(server, ".csv", gpu="a100-sxm4-80gb").text)))
    assert [row["quarter_date"] for row in rows] == sorted(row["quarter_date"] for row in rows)
    picture = xml.etree.ElementTree.fromstring(ask(server, ".svg").body)
    assert "interval" in "".join(picture.itertext())
    assert ask(server, gpu="h1000").status == 400


def test_the_default_decline_of_rent_is_what_was_observed(server):
    change = ask(server).json
    decline = server.get("/v1/assumptions?key=rent_price_decline_ratio").json["rows"][0]
    assert decline["default"] == round(-change["rent_change_per_year_ratio"], 2)
    assert decline["low"] == round(-change["rent_change_per_year_ratio_high"], 2)
    assert decline["high"] == round(-change["rent_change_per_year_ratio_low"], 2)
