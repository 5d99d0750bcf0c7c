"""How the purchase is paid for and housed: at once, by loan, by lease, in two parts; in a room of
one's own; and what contradicts itself."""
import csv
import io

import pytest

BASE = dict(gpu="h100-sxm5-80gb", gpu_count=16, utilization=0.7, rent_price_per_gpu_hour=3.93,
            horizon_months=36, server_price=300000, housing="colocation")
LOAN = BASE | dict(financing="loan", financing_interest_ratio=0.11, loan_months=36)
LEASE = BASE | dict(financing="operating_lease", financing_interest_ratio=0.11, lease_months=36)


def ask(server, **params):
    return server.answer("/v1/break-even", **params).json


def lines(answer):
    return {(line["side"], line["key"]): line["amount"] for line in answer["line_items"]}


def warned(answer):
    return " ".join(warning["detail"] for warning in answer["warnings"])


def test_a_loan_shows_its_interest(server):
    got = lines(ask(server, **LOAN))
    assert got["buy", "gpu_servers"] == 600000
    assert got["buy", "loan_interest"] == 129367.91  # 762,000 in 36 payments of 24,760.22
    assert got["buy", "lease_payments"] == got["buy", "lease_buyout"] == 0
    assert lines(ask(server, **BASE))["buy", "loan_interest"] == 0


def test_a_down_payment_saves_its_share_of_the_interest(server):
    full = lines(ask(server, **LOAN))["buy", "loan_interest"]
    part = lines(ask(server, **LOAN, loan_down_payment_ratio=0.25))["buy", "loan_interest"]
    assert part == pytest.approx(0.75 * full, abs=0.01)


def test_a_lease_is_payments_and_nothing_to_sell(server):
    answer = ask(server, **LEASE)
    got = lines(answer)
    assert got["buy", "gpu_servers"] == got["buy", "residual_value"] == 0
    assert got["buy", "decommissioning"] == 0 < got["buy", "lease_payments"]
    assert got["buy", "network_fabric"] == 72000, "the rest is bought"
    assert answer["inputs"]["lease_residual_ratio"]["source"] == "chosen"
    assert answer["inputs"]["lease_residual_ratio"]["value"] == pytest.approx(0.72 ** 3 * 0.9)
    quoted = lines(ask(server, **LEASE, lease_payment_month=18000))
    assert quoted["buy", "lease_payments"] == 36 * 18000


def test_a_buyout_makes_an_owner(server):
    got = lines(ask(server, **LEASE, lease_end="buyout", lease_residual_ratio=0.1))
    assert got["buy", "lease_buyout"] == 60000
    assert got["buy", "residual_value"] < 0 < got["buy", "decommissioning"]


def test_the_second_purchase_is_rented_until_it_comes(server):
    got = lines(ask(server, **BASE, second_gpu_count=8, second_purchase_month=6))
    assert got["buy", "gpu_servers"] == 600000
    assert got["buy", "lead_time_rental"] > 0
    early = lines(ask(server, **BASE | dict(horizon_months=5), second_gpu_count=8,
                      second_purchase_month=6))
    assert early["buy", "gpu_servers"] == 300000


def test_a_room_of_ones_own_is_built_and_not_rented(server):
    room = BASE | dict(housing="own_room")
    answer = ask(server, **room)
    got = lines(answer)
    assert got["buy", "facility_fitout"] == 153000  # 20.4 kW
    assert got["buy", "colocation"] == got["buy", "remote_hands"] == got["buy", "cross_connect"] == 0
    assert got["buy", "electricity_facility"] > 0
    assert answer["inputs"]["facility_fitout_cost"]["source"] == "default"
    got = lines(ask(server, **room, remote_hands_cost_month=100))
    assert got["buy", "remote_hands"] == 3600, "what is given stays"


def test_every_digit_that_was_computed_with_is_shown(server):
    given = BASE | dict(utilization=0.712345678901, gpu_count=3, gpus_per_node=3)
    given.pop("server_price")
    inputs = ask(server, **given, gpu_card_price=25000)["inputs"]
    assert inputs["utilization"]["value"] == 0.712345678901
    assert inputs["server_price"]["value"] == pytest.approx(3 * 25000 / 0.82, rel=1e-14)
    assert inputs["node_power_kw"]["value"] == pytest.approx(10.2 * 3 * 700 / 5600, rel=1e-14)


@pytest.mark.parametrize("extra,culprit,code", [
    (dict(second_gpu_count=16, second_purchase_month=6), "second_gpu_count", "contradiction"),
    (dict(second_gpu_count=4, second_purchase_month=6), "second_gpu_count", "contradiction"),
    (dict(second_gpu_count=8, second_purchase_month=6, financing="loan"), "second_gpu_count",
     "contradiction"),
    (dict(second_purchase_month=121), "second_purchase_month", "out_of_range"),
    (dict(loan_down_payment_ratio=1.1), "loan_down_payment_ratio", "out_of_range"),
    (dict(lease_months=0), "lease_months", "out_of_range"),
    (dict(lease_end="keep"), "lease_end", "unknown_choice"),
    (dict(financing="operating_lease", residual_value=9), "residual_value", "contradiction"),
    (dict(lease_exit_ratio=1.1), "lease_exit_ratio", "out_of_range"),
])
def test_what_makes_no_sense_is_refused(server, extra, culprit, code):
    reply = server.get("/v1/break-even", **BASE | extra)
    assert reply.status == 400, reply.text
    assert {e["parameter"]: e["code"] for e in reply.json["errors"]} == {culprit: code}


@pytest.mark.parametrize("name,value,only", [
    ("loan_months", 24, "loan"), ("loan_down_payment_ratio", 0.2, "loan"),
    ("lease_end", "buyout", "operating_lease"), ("lease_exit_ratio", 0.2, "operating_lease")])
def test_what_has_no_effect_is_said(server, name, value, only):
    assert f"{name} has an effect only with financing={only}" in warned(
        ask(server, **BASE | {name: value}))
    assert f"{name} has" not in warned(ask(server, **BASE | {name: value, "financing": only}))


@pytest.mark.parametrize("name,value", [("lease_months", 24), ("lease_payment_month", 9), ("lease_residual_ratio", 0.2)])
def test_what_is_of_both_leases_is_said(server, name, value):
    for financing in ("cash", "loan"):
        assert f"{name} has an effect only with financing=operating_lease or finance_lease" in warned(
            ask(server, **BASE | {name: value, "financing": financing}))
    for financing in ("operating_lease", "finance_lease"):
        assert f"{name} has" not in warned(ask(server, **BASE | {name: value, "financing": financing}))


# --- a lease with a dollar buyout, and what leases are in the books

FINANCE = LEASE | dict(financing="finance_lease")


def months(server, **params):
    reply = server.get("/v1/break-even/lease", **params)
    assert reply.status == 200, reply.text
    return reply.json["lease"]


def test_a_dollar_buyout_is_a_loan_on_the_servers(server):
    answer = ask(server, **FINANCE)
    got = lines(answer)
    assert got["buy", "gpu_servers"] == 600000 and got["buy", "lease_payments"] == got["buy", "lease_buyout"] == 0
    monthly = 1.11 ** (1 / 12) - 1
    payment = 600000 * monthly / (1 - (1 + monthly) ** -36)
    assert got["buy", "lease_interest"] == pytest.approx(36 * payment - 600000, abs=0.01)
    assert got["buy", "residual_value"] < 0, "the lessee owns them at the end"
    assert answer["inputs"]["lease_residual_ratio"]["value"] == 0
    rows = months(server, **FINANCE)
    assert len(rows) == 37 and rows[1]["lease_payment"] == pytest.approx(payment, abs=0.005)


def test_a_quoted_payment_is_booked_at_its_present_value(server):
    given = FINANCE | dict(lease_payment_month=20000, lease_residual_ratio=0.1)
    monthly = 1.11 ** (1 / 12) - 1
    worth = 20000 * (1 - (1 + monthly) ** -36) / monthly + 60000 * (1 + monthly) ** -36
    answer = ask(server, **given)
    got = lines(answer)
    assert got["buy", "gpu_servers"] == pytest.approx(worth, abs=0.005)
    assert got["buy", "lease_interest"] == pytest.approx(36 * 20000 + 60000 - worth, abs=0.01)
    assert answer["lease_asset"] == got["buy", "gpu_servers"]


def test_who_depreciates(server):
    """A lessee with a dollar buyout does; in an operating lease the payments are deducted."""
    tax = dict(tax_rate=0.25, depreciation_method="macrs_5yr", bonus_depreciation_ratio=1)
    owns, rents = (lines(ask(server, **lease | tax)) for lease in (FINANCE, LEASE))
    plain = lines(ask(server, **BASE | tax))
    assert owns["buy", "depreciation_tax_shield"] == plain["buy", "depreciation_tax_shield"] < rents["buy", "depreciation_tax_shield"] < 0
    running = {key: amount for (side, key), amount in plain.items() if side == "buy"}
    for got, cost in ((owns, owns["buy", "lease_interest"]), (rents, rents["buy", "lease_payments"])):
        assert got["buy", "tax_relief"] == pytest.approx(running["tax_relief"] - 0.25 * cost, abs=0.02)


def test_leaving_a_lease_early_costs_the_rest_of_it(server):
    whole = lines(ask(server, **LEASE | dict(lease_payment_month=18000)))
    early = LEASE | dict(lease_months=60, lease_payment_month=18000)
    got = lines(ask(server, **early))
    assert whole["buy", "lease_exit"] == 0 and got["buy", "lease_exit"] == 24 * 18000
    assert lines(ask(server, **early, lease_exit_ratio=0.5))["buy", "lease_exit"] == 12 * 18000
    owed = lines(ask(server, **FINANCE | dict(lease_months=60)))
    assert owed["buy", "lease_exit"] == 0, "what is owed is paid back"


@pytest.mark.parametrize("change, name, why", [
    (dict(), "operating", "its term is 60% of the useful life"),
    (dict(lease_months=45), "finance", "its term is 75% of the useful life (75% or more)"),
    (dict(lease_residual_ratio=0.1), "finance", "worth 92.7% of the price (90% or more)"),
    (dict(lease_end="buyout"), "finance", "the servers are to be bought at its end"),
    (dict(financing="finance_lease"), "finance", "its purchase option will be taken"),
])
def test_the_class_follows_the_tests_of_asc_842(server, change, name, why):
    answer = ask(server, **LEASE | change)
    assert answer["lease_class"] == name and why in answer["lease_sentence"], answer["lease_sentence"]
    said = [row for row in answer["warnings"] if row["code"] == "lease_class"]
    assert bool(said) == (name == "finance" and change.get("financing") is None)
    assert ("are deducted" in answer["lease_sentence"]) and ("a purchase" in answer["lease_sentence"]) == \
        (change.get("financing") == "finance_lease")


def test_a_lease_is_not_called_a_purchase(server):
    for lease in (LEASE, FINANCE):
        sentence = ask(server, **lease | dict(rent_price_per_gpu_hour=12))["sentence"]
        assert sentence.startswith("Lease 16 x") and "leasing and running them comes to" in sentence
    both = ask(server, **LEASE | dict(lease_months=45, lease_payment_month=19000))["lease_sentence"]
    assert "(75% or more) and its payments are worth" in both
    assert ask(server, **BASE | dict(rent_price_per_gpu_hour=12))["sentence"].startswith("Buy 16 x")


def test_no_lease_has_no_class(server):
    for params in (BASE, LOAN):
        answer = ask(server, **params)
        assert answer["lease_class"] is answer["lease_sentence"] is answer["lease_asset"] is None
        assert months(server, **params) == []


@pytest.mark.parametrize("change", [dict(), dict(lease_end="buyout"), dict(financing="finance_lease"),
                                    dict(financing="finance_lease", lease_payment_month=19000, lease_residual_ratio=0.05),
                                    dict(lease_payment_month=15000, lease_months=50), dict(financing_interest_ratio=0)])
def test_the_books_close(server, change):
    """What is paid is what is expensed over the life of the asset, and nothing is owed in the end."""
    answer, rows = ask(server, **LEASE | change), months(server, **LEASE | change)
    assert rows[0]["lease_liability"] == rows[0]["lease_asset"] == rows[0]["ifrs_lease_asset"] == answer["lease_asset"]
    assert rows[-1]["lease_liability"] == 0
    for before, row in zip(rows, rows[1:]):
        assert row["lease_liability"] == pytest.approx(before["lease_liability"] + row["lease_interest"] - row["lease_payment"], abs=0.02)
        assert row["lease_asset"] == pytest.approx(before["lease_asset"] - row["lease_amortization"], abs=0.02)
        assert row["lease_expense"] == pytest.approx(row["lease_interest"] + row["lease_amortization"], abs=0.02)
    paid = sum(row["lease_payment"] for row in rows)
    interest = sum(row["lease_interest"] for row in rows)
    assert paid - interest == pytest.approx(answer["lease_asset"], abs=0.5)
    for cost, asset in (("lease_expense", "lease_asset"), ("ifrs_lease_expense", "ifrs_lease_asset")):
        assert sum(row[cost] for row in rows) == pytest.approx(paid - rows[-1][asset], abs=0.5), cost
    if answer["lease_class"] == "operating":
        assert len({row["lease_expense"] for row in rows[1:]}) == 1 and abs(rows[-1]["lease_asset"]) < 0.01


def test_the_lines_of_a_lease_are_focus_charges(server):
    for params, keys in ((FINANCE, {"lease_interest"}), (LEASE | dict(lease_months=60), {"lease_payments", "lease_exit"})):
        reply = server.get("/v1/break-even/ledger.csv", **params, dialect="focus")
        rows = [row for row in csv.DictReader(io.StringIO(reply.text)) if row["x_LedgerKey"] in keys]
        assert {row["x_LedgerKey"] for row in rows} == keys
        want = lines(ask(server, **params))
        for key in keys:
            mine = [row for row in rows if row["x_LedgerKey"] == key]
            assert round(sum(float(row["BilledCost"]) for row in mine), 2) == want["buy", key]
            assert {row["ServiceCategory"] for row in mine} == {"Compute" if key != "lease_interest" else "Other"}
