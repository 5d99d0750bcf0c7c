"""Buying as an investment: present value, rate of return and payback, by the cash of each month."""
import csv
import io
import math
import re

import pytest

from explanations import check_figures, explained

BASE = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, rent_price_per_gpu_hour=9,
            horizon_months=36, server_price=300000)
CASES = [{}, dict(rent_price_per_gpu_hour=3.93), dict(tax_rate=0.25), dict(cost_of_capital=0),
         dict(financing="loan", loan_months=24, loan_down_payment_ratio=0.2), dict(financing="loan"),
         dict(financing="operating_lease"), dict(financing="operating_lease", lease_end="buyout", lease_months=24),
         dict(gpu_count=32, second_gpu_count=16, second_purchase_month=12), dict(lead_time_months=4.5),
         dict(horizon_months=1), dict(horizon_months=120), dict(setup_cost=900000),
         dict(purchase_option="reserved_1yr"), dict(residual_value=400000)]


def ask(server, path="", **params):
    return server.answer(f"/v1/break-even{path}", **params)


def months(server, **params):
    """The table as a spreadsheet gets it."""
    text = ask(server, "/cash-flow.csv", **params).text
    return [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]


def worth(rows, yearly):
    return sum(row["saving_cash"] / (1 + yearly) ** (row["month"] / 12) for row in rows)


def cents(amount):
    return round(amount * 100)


@pytest.mark.parametrize("more", CASES)
def test_the_months_add_up_to_the_totals_to_the_cent(server, more):
    answer, rows = ask(server, **BASE | more).json, months(server, **BASE | more)
    assert len(rows) == answer["horizon_months"] + 1 and rows[-1]["month"] == answer["horizon_months"]
    buy = sum(cents(row["buy_cash"]) + cents(row["end_cash"]) for row in rows)
    rent = sum(cents(row["rent_cash"]) for row in rows)
    assert buy == cents(answer["buy_undiscounted_cost"])
    assert rent == cents(answer["rent_undiscounted_cost"])
    assert buy == cents(answer["buy_total_cost"]) - cents(answer["buy_opportunity_cost"])
    assert rent == cents(answer["rent_total_cost"]) - cents(answer["rent_opportunity_cost"])
    so_far = present = 0
    for row in rows:
        assert cents(row["saving_cash"]) == cents(row["rent_cash"]) - cents(row["buy_cash"]) - cents(row["end_cash"])
        so_far, present = so_far + cents(row["saving_cash"]), present + cents(row["present_value"])
        assert cents(row["cumulative_saving"]) == so_far
        assert cents(row["cumulative_present_value"]) == present
    assert present == cents(answer["npv"])


@pytest.mark.parametrize("more", CASES)
def test_the_net_present_value_is_that_of_the_months(server, more):
    answer, rows = ask(server, **BASE | more).json, months(server, **BASE | more)
    rate = answer["inputs"]["cost_of_capital"]["value"]
    discount = (1 + rate) ** (-answer["horizon_months"] / 12)
    assert answer["totals_valued_at_month"] == answer["horizon_months"]
    for side in ("buy", "rent"):
        assert answer[side + "_present_cost"] == pytest.approx(answer[side + "_total_cost"] * discount, abs=0.0051)
    assert cents(answer["npv"]) == cents(answer["rent_present_cost"]) - cents(answer["buy_present_cost"])
    assert answer["npv"] == pytest.approx(worth(rows, rate), abs=0.5)  # of lines rounded to cents
    assert (answer["npv"] >= 0) == (answer["verdict"] == "buy")


@pytest.mark.parametrize("more", CASES)
def test_the_rate_of_return_makes_the_months_worth_nothing(server, more):
    answer, rows = ask(server, **BASE | more).json, months(server, **BASE | more)
    first = next(row["saving_cash"] for row in rows if row["saving_cash"])
    if answer["irr_status"] != "reached":
        assert answer["irr"] is None
        assert (answer["irr_status"] == "buying_takes_no_money_first") == (first > 0)
        return
    size = sum(abs(row["saving_cash"]) for row in rows)
    assert first < 0 and abs(worth(rows, answer["irr"])) < 1e-5 * size
    assert (answer["irr"] >= answer["inputs"]["cost_of_capital"]["value"]) == (answer["npv"] >= 0)


def test_some_have_a_rate_and_some_have_none(server):
    said = [ask(server, **BASE | more).json["irr_status"] for more in CASES]
    assert said.count("reached") >= 9 and "buying_takes_no_money_first" in said


def test_a_rate_in_closed_form(server):
    """One month: -I now, the rent saved and nothing else then; its rate to the twelfth power."""
    nothing = {name: 0 for name in (
        "fabric_cost_ratio", "management_network_cost", "rack_and_pdu_cost", "storage_cost", "spares_ratio",
        "freight_install_ratio", "remote_hands_cost_month", "cross_connect_cost_month",
        "internet_transit_cost_month", "insurance_ratio", "property_tax_ratio", "decommissioning_ratio",
        "electricity_price_per_kwh", "colocation_price_per_kw_month", "staff_fte", "maintenance_ratio",
        "rental_overhead_ratio", "residual_value")}
    asked = BASE | nothing | dict(
        housing="colocation", horizon_months=1, utilization=1, rent_price_per_gpu_hour=52)
    saved = 8 * 730 * 52 / 300000
    answer = ask(server, **asked).json
    assert answer["irr"] == pytest.approx(saved ** 12 - 1, rel=1e-5)
    assert answer["npv"] == pytest.approx(8 * 730 * 52 / 1.08 ** (1 / 12) - 300000, abs=0.01)
    assert answer["payback_months"] == pytest.approx(1 / saved, rel=1e-5)
    later = saved / 1.08 ** (1 / 12)
    assert answer["discounted_payback_months"] == pytest.approx(1 / later, rel=1e-5)


def payback(rows, rate):
    """The first month, linear between two, whose sum is short no more; what the end brings is left out. And why there is
    none: nothing was ever short, or it stays so."""
    so_far, short = 0, False
    for row in rows:
        before = so_far
        so_far += (row["rent_cash"] - row["buy_cash"]) / (1 + rate) ** (row["month"] / 12)
        if so_far >= 0 and short:
            return row["month"] - 1 + before / (before - so_far), "reached"
        short = short or so_far < -0.005
    return None, f"not_within_{len(rows) - 1}_months" if short else "buying_takes_no_money_first"


@pytest.mark.parametrize("more", CASES)
def test_payback_is_that_of_the_months(server, more):
    """Up to the useful life, whatever the horizon."""
    answer = ask(server, **BASE | more).json
    rows = months(server, **dict(lease_months=answer["inputs"]["lease_months"]["value"]) | BASE | more
                  | dict(horizon_months=answer["search_months"]))
    if "residual_value" in more or answer["horizon_months"] > 60:
        rows = rows[:61]
    rate = answer["inputs"]["cost_of_capital"]["value"]
    for name, discount in (("payback_months", 0), ("discounted_payback_months", rate)):
        want, status = payback(rows, discount)
        if not discount:
            assert answer["payback_status"] == status
        assert answer[name] == (want if want is None else pytest.approx(want, rel=1e-4, abs=1e-4)), name
    if rate and answer["payback_months"]:
        assert answer["discounted_payback_months"] is None \
            or answer["discounted_payback_months"] > answer["payback_months"]


@pytest.mark.parametrize("more, rate, payback, said", [
    (dict(rent_price_per_gpu_hour=9), "reached", "reached", "Buying returns "),
    (dict(rent_price_per_gpu_hour=2), None, "not_within_60_months", "do not pay it back within 60 months"),
    (dict(rent_price_per_gpu_hour=9, financing="loan", loan_months=60), "buying_takes_no_money_first",
     "buying_takes_no_money_first", "no rate of return: it saves money before it takes any of the owner's own; there is nothing to pay back"),
    (dict(rent_price_per_gpu_hour=0.01, annual_value_retention=0), "no_rate", "not_within_60_months", "at any rate")])
def test_why_there_is_no_return_or_payback_is_said(server, more, rate, payback, said):
    """A month 0 in which nothing is paid does not mean payback in month 0."""
    answer = ask(server, **BASE | more).json
    assert answer["payback_status"] == payback and (answer["payback_months"] is None) == (payback != "reached")
    assert rate in (None, answer["irr_status"]) and (answer["irr"] is None) == (answer["irr_status"] != "reached")
    assert said in answer["returns_sentence"], answer["returns_sentence"]


def test_without_a_price_there_is_no_return(server):
    answer = ask(server, gpu="gaudi2", rent_price_per_gpu_hour=1, utilization=0.5).json
    assert answer["irr_status"] == "unknown_price"
    assert [answer[name] for name in ("npv", "irr", "payback_months", "buy_present_cost")] == [None] * 4
    assert months(server, gpu="gaudi2", rent_price_per_gpu_hour=1, utilization=0.5) == []


@pytest.mark.parametrize("field", ["npv", "irr", "payback_months", "discounted_payback_months"])
def test_a_cell_of_a_spreadsheet(server, field):
    value = float(ask(server, ".txt", field=field, **BASE).text)
    assert math.isclose(value, ask(server, **BASE).json[field])


# --- tax depreciation

TAXED = BASE | dict(tax_rate=0.25)


def amounts(server, **params):
    return {row["key"]: row["amount"] for row in ask(server, **params).json["line_items"] if row["side"] == "buy"}


@pytest.mark.parametrize("method, share", [("straight_line", 3 / 5), ("declining", 0.784), ("macrs_5yr", 0.712), ("macrs_5yr_q4", 0.658)])
@pytest.mark.parametrize("bonus", [0, 0.4, 1])
def test_the_tax_shield_of_three_years(server, method, share, bonus):
    """IRS publication 946, table A-1: 20, 32 and 19.2 % of 5-year property, half-year convention."""
    asked = TAXED | dict(depreciation_method=method, bonus_depreciation_ratio=bonus)
    lines, initial = amounts(server, **asked), ask(server, **asked).json["buy_initial_cost"]
    deducted = initial * (bonus + (1 - bonus) * share)
    assert lines["depreciation_tax_shield"] == pytest.approx(-0.25 * deducted, abs=0.01)
    loss = initial - deducted + lines["decommissioning"] + lines["residual_value"]
    assert lines["disposal_tax"] == pytest.approx(-0.25 * loss, abs=0.02)


def test_deducting_sooner_is_worth_something_to_the_buyer_only(server):
    npv = [ask(server, **TAXED, depreciation_method=method, bonus_depreciation_ratio=bonus).json["npv"]
           for method, bonus in (("straight_line", 0), ("macrs_5yr", 0), ("macrs_5yr", 0.4), ("macrs_5yr", 1))]
    assert npv == sorted(npv) and npv[0] < npv[1] < npv[-1]


def test_without_a_tax_rate_depreciation_moves_no_cash(server):
    for method in ("straight_line", "declining", "macrs_5yr"):
        answer = ask(server, **BASE, depreciation_method=method).json
        assert answer["buy_total_cost"] == ask(server, **BASE).json["buy_total_cost"]
    assert answer["inputs"]["tax_rate"]["value"] == 0 and answer["book_value"] == pytest.approx(300000 * 0.288)


# --- explanations

@pytest.mark.parametrize("more", CASES + [dict(tax_rate=0.3, depreciation_method="macrs_5yr"), dict(currency="EUR")])
def test_each_figure_is_explained(server, more):
    """Every substitution comes to its value, every line and return has one."""
    answer = ask(server, **BASE | more, explain=1).json
    rows = explained(answer)
    for line in answer["line_items"]:
        if line["amount"]:
            assert rows[f"{line['side']}_{line['key']}"]["value"] == pytest.approx(line["amount"], rel=1e-5)
    check_figures(answer, rows, [
        "buy_initial_cost", "buy_recurring_cost", "buy_opportunity_cost", "buy_proceeds", "rent_initial_cost",
        "rent_recurring_cost", "rent_opportunity_cost", "rent_proceeds", "buy_total_cost", "rent_total_cost",
        "buy_saving", "buy_present_cost", "rent_present_cost", "buy_undiscounted_cost", "rent_undiscounted_cost",
        "npv", "irr", "payback_months", "discounted_payback_months"], ())


def test_no_payback_where_a_price_is_unknown(server):
    """GPUs in hand of an unknown price, delivered after the horizon: what they cost is not known before it either."""
    answer = ask(server, gpu="gaudi3", gpu_count=8, owned_gpu_count=8, utilization=0.3, lead_time_months=40,
                 rent_price_per_gpu_hour=10, horizon_months=36).json
    assert answer["break_even_status"] == "unknown_price"
    assert answer["payback_months"] is None and answer["discounted_payback_months"] is None


def test_a_large_cluster_is_valued_at_a_negotiated_rent_too(server):
    """The same as asking with that rent; nothing of it for a few GPUs, or where the rent is given."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=2048, utilization=0.8, purchase_option="on_demand")
    listed = ask(server, **asked).json
    rent = listed["inputs"]["rent_price_per_gpu_hour"]["value"]
    assumed = server.get("/v1/assumptions", key="negotiated_discount_ratio").json["rows"][0]["default"]
    negotiated = listed["negotiated_rent_price_per_gpu_hour"]
    assert negotiated == pytest.approx(rent * (1 - assumed), rel=1e-6)
    given = ask(server, **asked, rent_price_per_gpu_hour=negotiated).json
    assert listed["npv_at_negotiated_rent"] == pytest.approx(given["npv"], rel=1e-6)
    assert listed["irr_at_negotiated_rent"] == pytest.approx(given["irr"], rel=1e-4)
    assert listed["irr_at_negotiated_rent"] < listed["irr"]
    assert f"{listed['irr_at_negotiated_rent'] * 100:.3g}%" in listed["sentence"]
    for answer in (given, ask(server, gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.8).json):
        assert answer["irr_at_negotiated_rent"] is None and "list price" not in answer["sentence"]


def test_both_totals_have_an_interval_of_their_prices(server):
    """What comes out when the ends are entered; nothing is uncertain about your own prices."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.8, purchase_option="on_demand")
    usual = ask(server, **asked).json
    rents = [offer["job_price_per_gpu_hour"] for offer in usual["offers_used"]]
    band = server.get("/v1/assumptions", key="server_price").json["rows"][0]
    price = usual["inputs"]["server_price"]["value"]
    for end, rent, other in ("low", min(rents), "high"), ("high", max(rents), "low"):
        dear, cheap = ask(server, **asked, rent_price_per_gpu_hour=rent).json, \
            ask(server, **asked, server_price=price * band[other] / band["default"]).json
        assert usual[f"rent_total_cost_{end}"] == pytest.approx(dear["rent_total_cost"], rel=1e-6)
        assert usual[f"buy_total_cost_{other}"] == pytest.approx(cheap["buy_total_cost"], rel=1e-3)  # the card's price is as it was
        assert usual[f"npv_{end}"] == pytest.approx(
            dear["rent_present_cost"] - usual[f"buy_total_cost_{other}"] / 1.08 ** 3, rel=1e-6)
    own = ask(server, **asked, rent_price_per_gpu_hour=3, server_price=price).json
    for name in ("buy_total_cost", "rent_total_cost", "npv"):
        assert own[name + "_low"] == own[name + "_high"] == pytest.approx(own[name], abs=0.01)


@pytest.mark.parametrize("gpu_count, never", [(512, False), (8, True)])
def test_month_payback_and_return_have_an_interval(server, gpu_count, never):
    """What comes out when all ends that favour one side are entered; what one has none of is empty, and said."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=gpu_count, utilization=0.7, horizon_months=48, purchase_option="on_demand")
    usual = ask(server, **asked).json
    rents = [offer["job_price_per_gpu_hour"] for offer in usual["offers_used"]]
    band = server.get("/v1/assumptions", key="server_price").json["rows"][0]
    inputs = {name: usual["inputs"][name]["value"] for name in ("server_price", "gpu_card_price")}
    words = usual["interval_sentence"].split("; ")
    for rent, end, of_months, of_rate, said in ((max(rents), "low", "low", "high", words[0]),
                                                (min(rents), "high", "high", "low", words[1])):
        prices = {name: value * band[end] / band["default"] for name, value in inputs.items()}
        there = ask(server, **asked, rent_price_per_gpu_hour=rent, **prices).json
        for name in "break_even_months", "payback_months":
            assert usual[f"{name}_{of_months}"] == pytest.approx(there[name], rel=1e-6)
            verb = {"break_even_months": "break even", "payback_months": "pay back"}[name]
            assert (f"does not {verb} within 60 months" in said or "neither breaks even nor pays back within 60 months and" in said) == (there[name] is None)
        assert said.count("within 60 months") <= 1
        assert usual[f"irr_{of_rate}"] == pytest.approx(there["irr"], rel=1e-4)
        assert usual[f"npv_{of_rate}"] == pytest.approx(there["npv"], rel=1e-6)
        rate = there["irr"]
        assert ("has no rate of return" if rate is None else f"returns {rate:.3g}% a year" if (rate := 100 * rate) < 1000 else f"returns {rate:,.0f}% a year") in said
    assert (usual["break_even_months_high"] is None) == never
    if not never:
        for name in "break_even_months", "payback_months", "irr", "npv":
            assert usual[name + "_low"] < usual[name] < usual[name + "_high"]
    own = ask(server, **asked, rent_price_per_gpu_hour=3, **inputs).json
    assert own["interval_sentence"] is None
    for name in "break_even_months", "payback_months", "irr":
        assert own[name + "_low"] == own[name + "_high"] == own[name]


@pytest.mark.parametrize("asked, verb", [
    (dict(financing="loan", loan_months=36, loan_down_payment_ratio=0), "buying"), (dict(owned_gpu_count=8), "keeping them")])
def test_without_an_outlay_nothing_is_paid_back(server, asked, verb):
    answer = ask(server, gpu="a100-sxm4-80gb", gpu_count=8, utilization=0.6, housing="desk", staff_fte=0, procurement_project_cost=0, **asked).json
    assert answer["payback_months_low"] is None
    said = answer["interval_sentence"]
    assert f", {verb} breaks even" in said and "asks for no money up front" in said and "month 0.0 and" not in said


@pytest.mark.parametrize("months", [0.0058, 1, 6, 20])
@pytest.mark.parametrize("given", [{}, dict(server_price=300000)])
def test_rent_while_waiting_keeps_the_ends_in_order(server, months, given):
    answer = ask(server, gpu="h100-sxm5-80gb", utilization=0.77, gpu_count=8, lead_time_months=months, **given).json
    assert answer["buy_total_cost_low"] <= answer["buy_total_cost"] <= answer["buy_total_cost_high"]
    assert answer["buy_total_cost_low"] < answer["buy_total_cost_high"], "the rent while waiting varies"


@pytest.mark.parametrize("more, said", [
    ({}, r"Buying returns -?[\d.]+% a year;"),
    (dict(financing="loan", loan_months=24, loan_down_payment_ratio=0.2), r"Buying returns -?[\d.]+% a year on the money that is not borrowed;"),
    (dict(financing="operating_lease"), r"Leasing (returns -?[\d.]+% a year on the money that the lease leaves you to pay|has no rate of return: .*);"),
    (dict(power_budget_kw=1), r"Without the power limit: buying returns -?[\d.]+% a year;")])
def test_a_return_says_on_which_money(server, more, said):
    sentence = ask(server, **BASE | dict(rent_price_per_gpu_hour=4.2) | more).json["returns_sentence"]
    assert re.match(said, sentence), sentence


def test_one_provider_gives_no_certain_rent(server):
    """Without a spread over providers the interval is that from which /risk draws; a rent that is given is certain."""
    asked = dict(gpu="rtx-5090", gpu_count=8, utilization=0.5, purchase_option="on_demand")  # the question names none
    answer = ask(server, **asked).json
    assert answer["price_provider_count"] == 1
    drawn = {row["key"]: row for row in ask(server, "/risk", **asked, draws=1000).json["drawn_inputs"]}["rent_price_per_gpu_hour"]
    for end in ("low", "high"):
        there = ask(server, **asked, rent_price_per_gpu_hour=drawn[end])
        assert answer[f"rent_total_cost_{end}"] == pytest.approx(there.json["rent_total_cost"], rel=1e-4)
    assert answer["rent_total_cost_low"] < answer["rent_total_cost"] < answer["rent_total_cost_high"]
    given = ask(server, **asked, rent_price_per_gpu_hour=4).json
    assert given["rent_total_cost_low"] == given["rent_total_cost"] == given["rent_total_cost_high"]


def test_a_part_of_a_month_is_billed_as_a_calculator_does(server):
    """0.05 months of 83,587.50 USD are 4,179.375, a tie that is rounded to the even cent; the binary 36 - 35.95 is a little less."""
    answer = ask(server, **BASE | dict(lead_time_months=35.95, water_cost_month=83587.5)).json
    line, = [line for line in answer["line_items"] if line["key"] == "water"]
    assert (line["quantity"], line["unit_price"], line["amount"]) == (0.05, 83587.5, 4179.38)
