"""Offers over time: where each is from, what is stale or far off, and the summary of prices."""
import csv
import io
import math
import re
import statistics

import pytest
from conftest import ROOT, wait_for

GPU = "t4"
RUN = """insert into feed_run (format, file, sha256, observed, imported_at)
    values ('offers', 'aws/2026-10-01.csv', repeat('0', 64), '2026-10-01', '2026-10-02 23:30+00')"""
OFFER = """insert into offer (provider, instance, region, zone, gpu, gpu_count, purchase_option,
        price_per_hour, price_per_gpu_hour, valid_from, source, run_id, source_line)
    values ('{provider}', 'test', 'r', '{zone}', 't4', 1, '{option}', {price}, {price}, '{day}',
        'test', {run}, {line})"""


def add(database, provider, price, day, zone="", option="capacity_block", run="null", line="null"):
    database.query(OFFER.format(provider=provider, price=price, day=day, zone=zone, option=option,
                                run=run, line=line))


def catch_up(server, database):
    """Wait until the daemon serves what the database says, so that the next test does not see what this one changed."""
    version = database.query("select catalog_version()")
    wait_for(lambda: server.get("/v1/gpus?limit=1").json["catalog_version"] == version, "the last change to be served")


@pytest.fixture(scope="module")
def prices(database, server):
    """Six providers of one GPU under an option of their own, over time, one of them far off."""
    before = server.get("/v1/gpus?limit=1").json["catalog_version"]
    database.query("delete from offer where purchase_option = 'capacity_block' and gpu = 't4'")
    run = database.query(RUN + " returning run_id")
    for provider, price in (("aws", 1), ("gcp", 1.1), ("azure", 1.2), ("lambda", 1.3),
                            ("coreweave", 1.4)):
        add(database, provider, price, "2026-10-01")
        add(database, provider, 2 * price, "2025-10-01")
    add(database, "runpod", 40, "2026-10-20", "zone-b", run=run, line=17)
    add(database, "runpod", 50, "2026-10-20", "zone-a")
    catch_up(server, database)
    assert before != server.get("/v1/gpus?limit=1").json["catalog_version"]
    yield server
    database.query("delete from offer where instance = 'test'", )
    database.query(f"delete from feed_run where run_id = {run}")
    catch_up(server, database)


def ask(server, path, **more):
    return server.answer(path, gpu=GPU, purchase_option="capacity_block", **more).json


def test_an_offer_says_which_line_of_which_file_it_is_from(prices):
    rows = {row["offer_id"]: row for row in ask(prices, "/v1/offers")["rows"]}
    row = rows["runpod/test/r:zone-b/t4/1/capacity_block"]
    assert (row["zone"], row["source_file"], row["source_line"], row["imported_date"]) == (
        "zone-b", "aws/2026-10-01.csv", 17, "2026-10-02")
    assert row["feed_run"] >= 1
    other = rows["aws/test/r/t4/1/capacity_block"]
    names = ("zone", "feed_run", "source_file", "source_line", "imported_date")
    assert [other[name] for name in names] == [None] * 5


def test_outliers_are_flagged_and_count(prices):
    rows = ask(prices, "/v1/offers")["rows"]
    assert [(row["price_per_gpu_hour"], row["outlier"]) for row in rows] == [
        (1, False), (1.1, False), (1.2, False), (1.3, False), (1.4, False), (40, True), (50, True)]
    row = ask(prices, "/v1/price-summary")["rows"][0]
    assert row["outlier_count"] == 1 and row["provider_count"] == 6 and row["offer_count"] == 7
    assert (row["min_price_per_gpu_hour"], row["max_price_per_gpu_hour"]) == (1, 1.4), "what one can rent at"
    assert row["median_price_per_gpu_hour"] == 1.25


@pytest.mark.parametrize("option", ["on_demand", "spot"])
def test_the_ends_of_a_summary_are_prices_one_can_rent_at(server, option):
    """Neither outliers nor, at most a quarter of the providers at each end, prices of over a year ago."""
    day = "2026-11-20"
    for row in server.get("/v1/price-summary", purchase_option=option, as_of=day).json["rows"]:
        low, lower, upper, high = (row[f"{name}_price_per_gpu_hour"] for name in ("min", "lower_quartile", "upper_quartile", "max"))
        offers = server.get("/v1/offers", gpu=row["gpu"], purchase_option=option, as_of=day, limit=10000).json["rows"]
        best = {}  # of each provider; one seen within a year before an older one, then the cheaper one
        for offer in offers:
            key = (offer["undated"], (offer["observed_date"] or "") < "2025-11-20", offer["price_per_gpu_hour"])
            best[offer["provider"]] = min(best.get(offer["provider"], (key, offer)), (key, offer), key=lambda pair: pair[0])
        ends = [offer for _, offer in best.values() if offer["price_per_gpu_hour"] in (low, high) and not offer["outlier"]]
        assert low <= lower <= upper <= high
        old = sum(offer["undated"] or (offer["observed_date"] or "") < "2025-11-20" or offer["outlier"] for _, offer in best.values())
        if row["provider_count"] >= 5 and 4 * old < row["provider_count"]:
            assert {low, high} <= {offer["price_per_gpu_hour"] for offer in ends}, (row, ends)
    h100 = server.get("/v1/price-summary", gpu="h100-sxm5-80gb", purchase_option="on_demand", as_of=day).json["rows"][0]
    assert h100["min_price_per_gpu_hour"] >= 1.99 and h100["outlier_count"] == 1, "0.69 USD of 2025 is no price to rent at"


def test_a_price_is_judged_among_those_of_its_own_option(prices):
    """In a list of all GPUs and options, too."""
    for path in ("/v1/offers", "/v1/offers/history"):
        rows = prices.get(path, limit=10000).json["rows"]
        assert sorted(row["price_per_gpu_hour"] for row in rows
                      if row["instance"] == "test" and row["outlier"]) == [40, 50]
        assert [row["outlier"] for row in prices.get(path, gpu=GPU, limit=10000).json["rows"]] == [
            row["outlier"] for row in rows if row["gpu"] == GPU]


def test_history_judges_a_price_among_those_of_its_day(prices):
    """Twice the price was usual a year before; 40 never was."""
    rows = ask(prices, "/v1/offers/history")["rows"]
    assert len(rows) == 12
    assert [row["price_per_gpu_hour"] for row in rows if row["outlier"]] == [50, 40]


def test_the_summary_says_spread_sample_age_and_trend(prices):
    row = ask(prices, "/v1/price-summary", as_of="2026-11-10")["rows"][0]
    used = [1, 1.1, 1.2, 1.3, 1.4, 40]
    lower, _, upper = statistics.quantiles(used, n=4, method="inclusive")
    assert math.isclose(row["lower_quartile_price_per_gpu_hour"], lower)
    assert math.isclose(row["upper_quartile_price_per_gpu_hour"], upper)
    assert (row["oldest_observed_days"], row["newest_observed_days"]) == (40, 21)
    assert row["change_30_days_ratio"] is None, "one provider came, none changed its price"
    assert row["change_90_days_ratio"] == row["change_365_days_ratio"] == -0.5, "five halved theirs; a new provider is no change"
    assert row["change_365_days_provider_count"] == 5
    row = ask(prices, "/v1/price-summary", as_of="2025-10-20")["rows"][0]
    assert row["median_price_per_gpu_hour"] == 2.4 and row["provider_count"] == 5
    assert row["change_30_days_ratio"] is None, "nothing was known then"


def test_stale_is_by_the_provider(prices, database):
    def stale():
        return {row["provider"]: row["stale"]
                for row in ask(prices, "/v1/offers", as_of="2026-11-10")["rows"]}
    assert not any(stale().values())
    database.query("update provider set stale_days = 39 where slug in ('aws', 'runpod')")
    try:
        wait_for(lambda: stale()["aws"], "the new limit")
        assert {name for name, flag in stale().items() if flag} == {"aws"}
        summary = ask(prices, "/v1/price-summary", as_of="2026-11-10")["rows"][0]
        assert summary["stale_provider_count"] == 1 and not summary["stale"]
    finally:
        database.query("update provider set stale_days = 90 where slug in ('aws', 'runpod')")
        catch_up(prices, database)


def test_stale_is_by_the_rhythm_of_the_feed(prices, database):
    def stale(day):
        return {row["provider"] for row in ask(prices, "/v1/offers", as_of=day)["rows"] if row["stale"]}
    run = database.query("insert into feed_run (format, file, sha256, feed_source) values "
                         "('offers', 'daily', repeat('0', 64), 'ec2instances') returning run_id")
    database.query(f"update offer set run_id = {run}, source_line = 1 where instance = 'test' and provider = 'aws' "
                   "and valid_from = '2026-10-01'")
    try:
        wait_for(lambda: stale("2026-10-05") == {"aws"}, "a daily feed that was not read for four days")
        assert not stale("2026-10-04")
        assert database.query("select bool_and(stale) from api.offers where run_id = " + run) == "t"
        database.query("update feed_source set interval_hours = 168 where name = 'ec2instances'")
        database.query("update provider set stale_days = 91 where slug = 'gcp'")
        wait_for(lambda: not stale("2026-10-16"), "a weekly one")
        assert stale("2026-10-17") == {"aws"}
    finally:
        database.query("update offer set run_id = null, source_line = null where run_id = " + run)
        database.query("delete from feed_run where run_id = " + run)
        database.query("update feed_source set interval_hours = 24 where name = 'ec2instances'")
        database.query("update provider set stale_days = 90 where slug = 'gcp'")
        catch_up(prices, database)


def warned(answer):
    return next((warning["detail"] for warning in answer["warnings"] if warning["code"] == "stale_price"), None)


def test_a_warning_of_stale_offers_counts_and_dates_them(prices, database):
    def said(**more):
        return warned(ask(prices, "/v1/break-even", gpu_count=1, utilization=0.7, **more))
    wait_for(lambda: said(as_of="2026-11-10") is None, "the limits of the seed")
    assert said(as_of="2026-09-01") == "all 5 offers behind the price of t4 are over 90 days old: seen on 2025-10-01"
    assert said(as_of="2026-09-01", provider="aws") == "the only offer behind the price of t4 is over 90 days old: seen on 2025-10-01"
    database.query("update provider set stale_days = 19 where slug in ('aws', 'runpod')")
    try:
        wait_for(lambda: said(as_of="2026-11-10"), "the new limit")
        assert said(as_of="2026-11-10") == \
            "2 of the 6 offers behind the price of t4 are stale: the newest was seen on 2026-10-20, the oldest on 2026-10-01"
        used = ask(prices, "/v1/break-even", gpu_count=1, utilization=0.7, as_of="2026-11-10")["offers_used"]
        assert {row["provider"] for row in used if row["stale"]} == {"aws", "runpod"} and len(used) == 6
    finally:
        database.query("update provider set stale_days = 90 where slug in ('aws', 'runpod')")
        catch_up(prices, database)


@pytest.mark.parametrize("gpu", ["h100-sxm5-80gb", "a100-sxm4-80gb", "l4", "rtx-4090"])
def test_of_the_seed_the_warning_says_what_the_offers_say(server, gpu):
    answer = server.get("/v1/break-even", gpu=gpu, gpu_count=8, utilization=0.7).json
    used = answer["offers_used"]
    listed = {row["offer_id"]: row["stale"] for row in server.get("/v1/offers", gpu=gpu, limit=10000).json["rows"]}
    assert used and all(row["stale"] == listed[row["offer_id"]] for row in used)
    days = sorted(row["observed_date"] for row in used if row["stale"])
    count = "the only offer" if len(days) == len(used) == 1 else \
        f"all {len(used)} offers" if len(days) == len(used) else f"{len(days)} of the {len(used)} offers"
    said = warned(answer)
    assert said.startswith(count) and days[0] in said and days[-1] in said if days else said is None


REFRESH = re.compile(r"; run gpuplan fetch ([a-z0-9 -]+) on the server to update them")
NO_LIST = "; no list that gpuplan fetch knows has them: a quote of your own (/v1/quotes) does"


def test_a_warning_of_stale_prices_says_what_to_do(server, database):
    """Once in an answer, with the newest date and the command; not where another day was asked about."""
    load = dict(model="llama-2-7b", daily_users=1000, requests_per_user_per_day=10)
    known = set(database.query("select name from feed_source").splitlines())
    for path, params in (("/v1/recommendation", dict(workload="serve", **load)), ("/v1/inference-sizing/options", load),
                         ("/v1/training-plan/options", dict(model="llama-2-7b", tokens=1e10))):
        said = warned(server.get(path, **params).json)
        names = REFRESH.search(said).group(1).split()
        assert 1 <= len(names) <= 3 and len(set(names)) == len(names) and set(names) <= known, said
        assert "come only from stale offers, the newest seen on 20" in said
        assert "gpuplan fetch" not in (warned(server.get(path, as_of="2026-11-20", **params).json) or "")


def fetched_for(server, **asked):
    said = warned(server.get("/v1/break-even", **dict(gpu_count=1, utilization=0.7) | asked).json)
    return REFRESH.search(said).group(1) if REFRESH.search(said) else said


def test_the_list_is_one_of_that_gpu_and_provider(server):
    """The one an offer came from, else another of its provider that knows the GPU by a name and, of lists by region, is of
    that one; where there is none, that is said."""
    assert fetched_for(server, gpu="t4", provider="aws") == "aws-offers-us-east-1"
    assert fetched_for(server, gpu="rtx-4090", provider="runpod", purchase_option="spot") == "gpuhunt-runpod"
    assert fetched_for(server, gpu="h100-sxm5-80gb", provider="aws", region="eu-north-1", purchase_option="on_demand") == "skypilot-aws"
    assert fetched_for(server, gpu="h100-sxm5-80gb", provider="massedcompute", gpu_count=8) == "gpurentalprices"
    assert fetched_for(server, gpu="l4", provider="seeweb").endswith(NO_LIST)
    assert fetched_for(server, gpu="a100-sxm4-40gb", provider="jarvislabs", gpu_count=8) == "gpurentalprices", "by its other offers"
    assert fetched_for(server, gpu="l4", provider="gcp", purchase_option="reserved_3yr").endswith(NO_LIST), "known on demand only"


def test_of_two_equal_prices_the_newer_one_counts(server):
    """RunPod's community cloud asks for an A100 SXM what a document of March 2026 said."""
    answer = server.get("/v1/training-plan", model="llama-3.1-8b", tokens=1e10, gpu="a100-sxm4-80gb", gpu_count=8, provider="runpod").json
    assert (answer["price_per_gpu_hour"], answer["price_oldest_date"]) == (1.39, "2026-10-01") and not warned(answer)


def test_a_list_that_is_switched_on_comes_first(server, database):
    asked = dict(gpu="t4", provider="aws")
    database.query("update feed_source set enabled = true where name = 'skypilot-aws'")
    try:
        wait_for(lambda: fetched_for(server, **asked) == "skypilot-aws", "the list that is on")
    finally:
        database.query("update feed_source set enabled = false where name = 'skypilot-aws'")
    wait_for(lambda: fetched_for(server, **asked) == "aws-offers-us-east-1", "it to be off again")
    version = database.query("select catalog_version()")
    database.query("update feed_source set last_error = 'none' where name = 'skypilot-aws'")
    database.query("update feed_source set last_error = null where name = 'skypilot-aws'")
    assert database.query("select catalog_version()") == version, "when it was fetched is in no answer"


def test_a_kind_counts_as_stale_where_all_its_offers_are(server):
    """The count in the warning of a list is that of the kinds whose price summary is stale."""
    asked = "h100-sxm5-80gb,l4,t4,a100-sxm4-80gb,b200-sxm"
    day = "2026-11-20"
    summary = {row["gpu"]: row for row in server.get("/v1/price-summary", as_of=day, limit=1000).json["rows"]
               if row["purchase_option"] == "on_demand"}
    answer = server.get("/v1/recommendation", workload="train", model="llama-2-7b", tokens=1e10, gpu=asked, as_of=day).json
    stale = [gpu for gpu in asked.split(",") if summary[gpu]["stale"]]
    said = warned(answer)
    assert (said is None) == (not stale), (said, stale)
    assert not stale or said.startswith(f"the prices of {len(stale)} of the 5 GPU types")


def test_pages_of_history_are_the_whole(server):
    """Page by page, in any size, the same rows as a sheet has."""
    whole = [row["offer_id"] + row["observed_text"] + row["price_per_hour"] for row in
             csv.DictReader(io.StringIO(server.get("/v1/offers/history.csv?count=1").text))]
    for limit in (100, 333, 10000):
        seen, cursor = [], "0"
        while cursor:
            page = server.get("/v1/offers/history", limit=limit, cursor=cursor, count=1).json
            assert page["count"] == len(whole) and len(page["rows"]) <= limit
            seen += [row["offer_id"] + row["observed_text"] + f"{row['price_per_hour']:g}"
                     for row in page["rows"]]
            cursor = page.get("next_cursor")
        assert len(seen) == len(whole)
        assert [a.rsplit("/", 1)[0] for a in seen] == [a.rsplit("/", 1)[0] for a in whole]


def test_a_sorted_history_is_paged_after_sorting(server):
    first = server.get("/v1/offers/history?sort=-price_per_gpu_hour&limit=20").json
    second = server.get("/v1/offers/history?sort=-price_per_gpu_hour&limit=20",
                        cursor=first["next_cursor"]).json
    prices = [row["price_per_gpu_hour"] for row in first["rows"] + second["rows"]]
    assert len(prices) == 40 and prices == sorted(prices, reverse=True)
    everything = server.get("/v1/offers/history?limit=10000").json["rows"]
    assert prices[0] == max(row["price_per_gpu_hour"] for row in everything)


@pytest.mark.parametrize("cursor", ["x", "1x", "99999999"])
def test_a_cursor_that_is_none(server, cursor):
    for path in ("/v1/offers", "/v1/offers/history"):
        assert server.get(path, cursor=cursor).json["errors"][0]["code"] == "unknown_cursor"


def test_offers_of_one_market(server):
    every = server.get("/v1/offers", limit=10000).json["rows"]
    for market in "hyperscaler", "neocloud", "marketplace", "community":
        rows = server.get("/v1/offers", market=market, limit=10000).json["rows"]
        assert rows == [row for row in every if row["market"] == market] != []
    assert server.get("/v1/offers", market="cloud").status == 400


@pytest.mark.parametrize("path", ["/v1/offers", "/v1/offers/history"])
def test_prices_seen_lately(server, path):
    about = {"gpu": "h100-sxm5-80gb", "as_of": "2026-09-01", "limit": 10000}
    every = server.get(path, **about).json["rows"]
    late = server.get(path, **about, max_age_days=31).json["rows"]
    assert late == [row for row in every if (row["observed_date"] or "") >= "2026-08-01"] != every
    assert any(row["observed_date"] == "2026-08-01" for row in late)


def rank(row):
    """Current, outliers, stale, stale outliers; then what nobody rents at; undated last."""
    if row["undated"]:
        return 5
    if not row["usable"] or row["provider"] in ("various", "marketplace-median"):
        return 4
    return 2 * row["stale"] + row["outlier"]


@pytest.mark.parametrize("as_of", ["2024-12-01", "2026-03-20", "2026-09-10"])
def test_offers_begin_with_what_can_be_rented(server, as_of):
    about = {"gpu": "h100-sxm5-80gb", "include_unusable": 1, "as_of": as_of}
    rows = server.get("/v1/offers", limit=10000, **about).json["rows"]
    places = [(rank(row), row["price_per_gpu_hour"]) for row in rows]
    assert places == sorted(places) and places[0][0] == 0
    cheapest = min(rows, key=lambda row: row["price_per_gpu_hour"])
    assert rank(cheapest) > 0 and not rows[0]["stale"] and not rows[0]["outlier"]

    ids = [row["offer_id"] for row in rows]
    read = csv.DictReader(io.StringIO(server.get("/v1/offers.csv", **about).text))
    assert [row["offer_id"] for row in read] == ids
    assert float(server.get("/v1/offers.txt", **about).text) == pytest.approx(rows[0]["price_per_gpu_hour"])
    seen, cursor = [], "0"
    while cursor:
        page = server.get("/v1/offers", limit=7, cursor=cursor, **about).json
        seen += [row["offer_id"] for row in page["rows"]]
        cursor = page.get("next_cursor")
    assert seen == ids

    by_price = server.get("/v1/offers", sort="price_per_gpu_hour", limit=10000, **about).json["rows"]
    assert [row["price_per_gpu_hour"] for row in by_price] == sorted(price for _, price in places)


def test_a_country_is_that_of_the_region(server):
    """By table region; offers whose region is not known are left out, and the answer says how many."""
    rows = server.get("/v1/offers", gpu="h100-sxm5-80gb", limit=1000).json["rows"]
    known = {(row["provider"], row["region"]): row["country"] for row in rows}
    assert known["aws", "eu-north-1"] == "SE" and known["gcp", "europe-west4"] == "NL" and known["nebius", "eu-north1"] == "FI"
    assert {row["country"] for row in rows if not row["region"]} == {None}
    assert {row["country_basis"] for row in rows if not row["country"]} == {None}
    basis = {(row["provider"], row["region"]): row["country_basis"] for row in rows}
    assert basis["aws", "eu-north-1"] == basis["azure", "eastus"] == "collected"
    assert basis["nebius", "eu-north1"] == "from_memory"
    for country in ("SE", "NL", "FI", "JP"):
        answer = server.get("/v1/offers", gpu="h100-sxm5-80gb", country=country, limit=1000).json
        assert [row["offer_id"] for row in answer["rows"]] == [row["offer_id"] for row in rows if row["country"] == country] != []
        said, = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "unknown_region"]
        assert said == f"{sum(not row['region'] for row in rows)} offers that name no region are left out of country={country}"
        priced = server.get("/v1/training-plan", gpu="h100-sxm5-80gb", model="llama-2-7b", tokens=1e10, gpu_count=8, region=country).json
        offers = {row["offer_id"] for row in answer["rows"]}
        assert priced["offers_used"] and {offer["offer_id"] for offer in priced["offers_used"]} <= offers
        assert any(warning["code"] == "unknown_region" for warning in priced["warnings"])
    europe = server.get("/v1/price-summary", gpu="h100-sxm5-80gb", purchase_option="on_demand", region="europe").json
    said, = [warning["detail"] for warning in europe["warnings"] if warning["code"] == "unknown_region"]
    assert europe["rows"] and said.endswith(" offers that name no region are left out of region=europe") and int(said.split()[0]) > 10
    assert not any(warning["code"] == "unknown_region" for warning in
                   server.get("/v1/price-summary", gpu="h100-sxm5-80gb").json["warnings"])
    assert server.get("/v1/offers", country="se", gpu="h100-sxm5-80gb").json["rows"]
    for wrong in ("Germany", "D", "D1"):
        reply = server.get("/v1/offers", country=wrong)
        assert reply.status == 400 and "two-letter code of a country" in reply.text


def test_every_region_of_the_seed_has_a_country():
    def of(name):
        with open(ROOT / f"sql/seed/{name}.csv", newline="", encoding="utf-8") as file:
            return {(row["provider"], row["region"]) for row in csv.DictReader(file) if row["region"]}
    assert of("offer") <= of("region")


def test_every_part_of_an_offer_is_as_it_is_stored(server, database):
    """Its id is sent in place of its parts; an instance, a region and a zone may hold what stands between them."""
    parts = [("x/y", "eu/west:1", "a/b:c", "USD", True), ("x", "", "", "USD", True), ("x:y", ":", "", "USD", False),
             ("/", "r", "z", "USD", False), ("ü/ß", "é", "中", "USD", True)]
    for i, (instance, region, zone, currency, usable) in enumerate(parts):
        database.query(f"""insert into offer (provider, instance, region, zone, gpu, gpu_count, purchase_option, price_per_hour,
            price_per_gpu_hour, currency, valid_from, valid_until, flagged_stale, usable, source, note) values ('nebius', '{instance}',
            '{region}', '{zone}', 'l4', {i + 2}, 'capacity_block', {i + 2}, 1, '{currency}', '2026-11-01', '2099-01-02',
            {i == 3}, {usable}, 's', nullif('{instance}', 'x'))""")
    asked = dict(gpu="l4", provider="nebius", purchase_option="capacity_block", include_unusable=1)
    try:
        rows = wait_for(lambda: (got := server.get("/v1/offers", **asked).json["rows"]) and len(got) == 5 and got, "the offers", 60)
        stored = {row[0]: row[1:] for row in csv.reader(io.StringIO(database.query(
            "copy (select offer_id, instance, region, zone, gpu_count, currency, usable, note from offer where source = 's') to stdout csv")))}
        assert {row["offer_id"]: [row["instance"], row["region"] or "", row["zone"] or "", str(row["gpu_count"]), row["offer_currency"],
                                  "t" if row["usable"] else "f", row["normalization_note"] or ""] for row in rows} == stored
        assert all(row["gpu"] == asked["gpu"] and row["provider"] == "nebius" for row in rows)
    finally:
        database.query("delete from offer where source = 's'")
