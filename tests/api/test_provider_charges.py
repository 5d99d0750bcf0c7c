"""What providers charge for data sent out and for storage: /v1/provider-charges, and the rent lines made of it, against
the rows of /v1/assumptions worked out here."""
import random
import statistics

import pytest

from answers import codes

ASK = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7)
JOB = dict(gpu="h100-sxm5-80gb", model="llama-3.1-70b", tokens=1e12, gpu_count=64)
STEPS_TB = (1, 10, 50, 150, 500)
EGRESS, STORAGE = "egress_price_per_gb", "storage_price_per_gb_month"


@pytest.fixture(scope="module")
def rows(server):
    """Of /v1/assumptions, by key and scope."""
    return {(row["key"], row["scope"]): row for row in server.get("/v1/assumptions", limit=1000).json["rows"]}


def bill(rows, key, provider, gb):
    """By GB, one step after the other; None where the provider's price is not known."""
    if (key, provider) not in rows:
        return None
    free = rows.get(("egress_free_gb_per_month", provider)) if key == EGRESS else None
    price, cost, at = rows[key, provider]["default"], 0, free["default"] if free else 0
    for tb in STEPS_TB:
        above = rows.get((f"{key}_above_{tb}_tb", provider))
        if above:
            cost += max(0, min(gb, tb * 1000) - at) * price
            at, price = max(at, tb * 1000), above["default"]
    return cost + max(0, gb - at) * price


def break_even(server, **params):
    return server.answer("/v1/break-even", **ASK | params).json


def line(answer, key):
    found, = [row for row in answer["line_items"] if (row["side"], row["key"]) == ("rent", key)]
    return found


def test_every_charge_has_its_source_and_day(server, rows):
    listed = server.get("/v1/provider-charges").json["rows"]
    assert {"aws", "azure", "gcp", "oci", "coreweave", "lambda", "runpod", "nebius"} <= {row["provider"] for row in listed}
    for row in listed:
        for kind, price in (("egress", EGRESS), ("storage", STORAGE)):
            assert (row[price] is None) == (row[f"{kind}_source"] is None) == (row[f"{kind}_source_date"] is None), row
            assert row[price] is None or row[price] == rows[price, row["provider"]]["default"]


def test_a_month_costs_what_the_steps_add_up_to(server, rows):
    r = random.Random(4)
    for tb in [0.05, 0.1, 10, 10.1, 50, 150, 800, *(round(10 ** r.uniform(-2, 4), 2) for _ in range(10))]:
        for row in server.get("/v1/provider-charges", egress_tb_per_month=tb, storage_tb=tb).json["rows"]:
            for key, cost in ((EGRESS, "egress_cost_month"), (STORAGE, "storage_cost_month")):
                want = bill(rows, key, row["provider"], tb * 1000)
                assert row[cost] == (None if want is None else pytest.approx(want, abs=0.011)), (tb, row)


def test_published_bills(server):
    """10 TB a month, as the pages that were read have it."""
    at = {row["provider"]: row for row in server.get("/v1/provider-charges").json["rows"]}
    assert at["aws"]["egress_cost_month"] == 891 and at["azure"]["egress_cost_month"] == 861.3  # 900, 870 less 100 GB
    assert at["gcp"]["egress_cost_month"] == 1110 and at["oci"]["egress_cost_month"] == 0
    at = {row["provider"]: row for row in server.get("/v1/provider-charges", egress_tb_per_month=50).json["rows"]}
    assert at["oci"]["egress_cost_month"] == 340  # and 4,181 to 4,310 at the hyperscalers
    assert 4181 <= at["azure"]["egress_cost_month"] <= 4310 and 4181 <= at["gcp"]["egress_cost_month"] <= 4310


@pytest.mark.parametrize("provider", ["aws", "lambda", "oci", "gcp", "runpod"])
def test_the_rent_of_one_provider_pays_its_charges(server, rows, provider):
    answer = break_even(server, provider=provider, egress_tb_per_month=60, storage_tb=20)
    for key, name, volume in (("rental_egress", EGRESS, 60000), ("rental_storage", STORAGE, 20000)):
        want, entry = bill(rows, name, provider, volume), answer["inputs"][name]
        if want is None:
            assert entry["source"] == "default" and entry["value"] == rows[name, ""]["default"]
            assert "charge_of_no_provider" in codes(answer)
            continue
        assert line(answer, key)["amount"] == pytest.approx(36 * want, abs=0.011)
        row, = server.get(entry["reference"]).json["rows"]
        assert entry["source"] == "catalog" and row["provider"] == provider
        assert row[name.replace("price", "average_price")] == pytest.approx(entry["value"], abs=1e-6)


def test_the_rent_of_many_pays_the_median(server, rows):
    answer = break_even(server, egress_tb_per_month=300, storage_tb=80, purchase_option="on_demand")
    providers = [row["provider"] for row in answer["offers_used"]]
    for name, volume in ((EGRESS, 300000), (STORAGE, 80000)):
        known = [cost / volume for cost in (bill(rows, name, each, volume) for each in providers) if cost is not None]
        assert len(known) > 4
        assert answer["inputs"][name]["value"] == pytest.approx(statistics.median(known), abs=1e-9), name
        said = [row["detail"] for row in answer["warnings"] if row["code"] == "charge_is_median"]
        assert any(f"{len(known)} of the {len(providers)} providers" in text for text in said), said
        rows_of = server.get(answer["inputs"][name]["reference"]).json["rows"]
        assert {row["provider"] for row in rows_of} == set(providers)


def test_every_way_to_rent_pays_its_own(server):
    answer = break_even(server, egress_tb_per_month=300)
    for row in answer["rent_options"]:
        alone = break_even(server, egress_tb_per_month=300, purchase_option=row["purchase_option"])
        assert row["rent_total_cost"] == alone["rent_total_cost"], row["purchase_option"]
    assert len({row["rent_total_cost"] for row in answer["rent_options"]}) > 1


def test_a_rent_that_is_given_pays_the_default_unless_it_names_its_provider(server, rows):
    own = break_even(server, rent_price_per_gpu_hour=3, egress_tb_per_month=60)
    assert own["inputs"][EGRESS]["value"] == rows[EGRESS, ""]["default"] and own["inputs"][EGRESS]["source"] == "default"
    assert "charge_of_no_provider" in codes(own)
    quoted = break_even(server, rent_price_per_gpu_hour=3, provider="oci", egress_tb_per_month=60)
    assert line(quoted, "rental_egress")["amount"] == 36 * 425 and "without_effect" not in codes(quoted)
    assert "without_effect" in codes(break_even(server, rent_price_per_gpu_hour=3, provider="oci"))


def test_what_is_given_wins_and_nothing_sent_out_says_nothing(server):
    given = break_even(server, provider="aws", egress_tb_per_month=60, egress_price_per_gb=0.02)
    assert line(given, "rental_egress")["amount"] == 36 * 60000 * 0.02
    assert not {"charge_is_median", "charge_of_no_provider"} & codes(break_even(server))


def test_what_owning_has_for_storage_is_said(server):
    said, = [row["detail"] for row in break_even(server, storage_tb=200)["warnings"] if row["code"] == "own_storage"]
    assert "owning has storage for 15,000 USD, 5% of the servers' price" in said and "200 TB" in said
    for params in (dict(storage_tb=200, storage_cost=0.2), dict()):
        assert "own_storage" not in codes(break_even(server, **params))


def test_it_is_in_the_currency_of_the_answer(server):
    for path, params in (("/v1/provider-charges", {}), ("/v1/break-even", ASK | dict(provider="aws", egress_tb_per_month=60))):
        usd, euro = (server.get(path, **params, currency=currency).json for currency in ("USD", "EUR"))
        rate = server.get("/v1/exchange-rates", quote_currency="EUR").json["rows"][0]["rate"]
        if "rows" in usd:
            usd, euro = ({row["provider"]: row for row in each["rows"]}["aws"]["egress_cost_month"] for each in (usd, euro))
        else:
            usd, euro = (line(each, "rental_egress")["amount"] for each in (usd, euro))
        assert euro == pytest.approx(usd * rate, rel=1e-4)


def test_a_training_pays_those_who_rent_the_gpu_out(server, rows):
    def plan(**params):
        return server.answer("/v1/training-plan", **JOB | params).json
    for provider in ("aws", "lambda", "coreweave"):
        answer = plan(provider=provider)
        gb = answer["inputs"]["egress_gb"]["value"]
        assert answer["inputs"][EGRESS]["value"] == pytest.approx(bill(rows, EGRESS, provider, gb) / gb, abs=1e-9)
        assert answer["inputs"][STORAGE]["value"] == rows[STORAGE, provider]["default"]
    for each in (plan(), plan(gpu_count=512)):
        for name in (EGRESS, STORAGE):
            entry = each["inputs"][name]
            assert entry["source"] == "catalog" and entry["reference"].startswith("/v1/provider-charges?provider=")
    assert plan()["inputs"][STORAGE]["reference"] == plan(gpu_count=512)["inputs"][STORAGE]["reference"]
    nobody = server.get("/v1/training-plan", model="llama-2-7b", tokens=1e9, gpu="h20", gpu_count=8).json["inputs"]
    assert nobody[EGRESS]["value"] == rows[EGRESS, ""]["default"] and nobody[EGRESS]["source"] == "default"
    assert nobody[STORAGE]["value"] == rows[STORAGE, "training"]["default"]


def test_an_unknown_provider_is_refused_and_one_without_charges_is_listed(server):
    assert server.get("/v1/provider-charges", provider="nobody").status == 400
    row, = server.get("/v1/provider-charges", provider="civo").json["rows"]
    assert row["egress_price_per_gb"] is None and row["egress_cost_month"] is None
