"""What must hold of the ledger whatever is asked: in every price, format, month and extreme."""
import csv
import io
import json
import math
import random
import re
import urllib.parse
import xml.etree.ElementTree as xml

import pytest

from test_ledger_decimal import DRAWS, Asker, draw, parameters

CASES = 12
BUY_PRICES = (
    "server_price", "fabric_cost_ratio", "management_network_cost", "rack_and_pdu_cost",
    "storage_cost", "facility_fitout_cost", "liquid_cooling_cost", "spares_ratio",
    "freight_install_ratio", "import_duty_ratio", "vat_ratio", "software_perpetual_cost",
    "procurement_project_cost", "electricity_price_per_kwh", "demand_charge_per_kw_month",
    "colocation_price_per_kw_month", "cooling_cost_year", "remote_hands_cost_month",
    "cross_connect_cost_month", "internet_transit_cost_month", "maintenance_ratio",
    "software_subscription_per_gpu_year", "staff_fte", "staff_cost_per_fte_year",
    "insurance_ratio", "property_tax_ratio", "security_compliance_cost_year", "training_cost_year",
    "monitoring_backup_cost_year", "carbon_price_per_tonne", "water_cost_month",
    "decommissioning_ratio", "gpu_replacement_ratio", "gpu_card_price")
RENT_PRICES = (
    "rent_price_per_gpu_hour", "rental_overhead_ratio", "spot_overhead_ratio",
    "support_uplift_ratio", "goodput_uplift_ratio", "storage_tb", "storage_price_per_gb_month",
    "egress_tb_per_month", "egress_price_per_gb", "setup_cost", "debugging_cost_year",
    "capacity_reservation_idle_ratio", "commitment_exit_ratio")
ROUNDING = 0.5  # USD: some fifty lines, each within half a cent, seen a few times


def case(r, **fixed):
    """A random scenario in which all prices are known and stay as they are."""
    given = draw(r)
    for name in ("residual_value", "gpu_hours_per_month", "lease_payment_month", "gpu_card_price", "owned_gpu_count",
                 "rented_ratio", "cloud_credits", "cloud_credits_months"):
        given.pop(name, None)
    known = {"utilization": 0.5, "server_price": 250000, "rent_price_per_gpu_hour": 3,
             "node_power_kw": 9, "storage_price_per_gb_month": 0.05, "rental_overhead_ratio": 0.1,
             "grid_carbon_kg_per_kwh": 0.4, "gpu_card_price": 25000}
    given["gpu_count"] = r.randint(1, 64)
    if "second_gpu_count" in given:
        size = given.setdefault("gpus_per_node", 8)
        given |= {"second_gpu_count": size, "gpu_count": size * r.randint(2, 4)}
    return known | given | fixed


def cases(seed, n=CASES, **fixed):
    r = random.Random(seed)
    return [case(r, **fixed) for _ in range(n)]


@pytest.fixture(scope="module")
def ask(server):
    asker = Asker(server.url)

    def get(given):
        status, got = asker.ask("/v1/break-even?" + urllib.parse.urlencode(given))
        assert status == 200, (given, got)
        return got
    return get


def totals(got):
    return float(got["buy_total_cost"]), float(got["rent_total_cost"])


# --- monotone, and linear

@pytest.mark.parametrize("price", BUY_PRICES)
def test_dearer_to_buy_costs_the_buyer_more(ask, price):
    for given in cases(price):
        # Whoever borrows below his cost of capital gains by spending what tax gives back.
        given["financing_interest_ratio"] = given.get("cost_of_capital", 0.08)
        if given.get("financing") in ("loan", "finance_lease"):
            given["tax_rate"] = 0  # a loan whose interest is deducted is one below it
        low, high = given | {price: 0.03}, given | {price: 0.3}
        cheap, dear = totals(ask(low)), totals(ask(high))
        assert dear[0] >= cheap[0] - 0.01 and dear[1] == cheap[1], given


@pytest.mark.parametrize("price", RENT_PRICES)
def test_dearer_to_rent_costs_the_renter_more(ask, price):
    for given in cases(price, lead_time_months=0, second_purchase_month=0):
        cheap, dear = totals(ask(given | {price: 0.03})), totals(ask(given | {price: 0.3}))
        assert dear[1] >= cheap[1] - 0.01 and dear[0] == cheap[0], given
    waiting = cases(price, lead_time_months=5)[0]
    assert totals(ask(waiting | {price: 0.3}))[0] >= totals(ask(waiting | {price: 0.03}))[0], \
        "whoever waits rents"


def test_what_trainings_cost_besides_gpus_is_on_both_sides(ask):
    for given in cases("training_other_cost_month", lead_time_months=0, second_purchase_month=0, tax_rate=0):
        without, cost = totals(ask(given | {"training_other_cost_month": 0})), totals(ask(given | {"training_other_cost_month": 3000}))
        assert cost[1] > without[1] and cost[0] - without[0] == pytest.approx(cost[1] - without[1], abs=0.02), given


def test_every_price_moves_something(ask):
    """Or the two tests above could not fail."""
    for price in BUY_PRICES + RENT_PRICES:
        fixed = {"server_price": 250000, "rent_price_per_gpu_hour": 3, "purchase_option": "spot", "financing": "cash", "lead_time_months": 0,
                 "tax_rate": 0, "storage_tb": 3, "egress_tb_per_month": 3, "staff_fte": 2,
                 "staff_cost_per_fte_year": 9e4, "gpu_annual_failure_ratio": 0.1,
                 "gpu_replacement_ratio": 0.5, "capacity_reservation_idle_ratio": 0.1,
                 "horizon_months": 30, "power_load_ratio": 0.8, "idle_power_ratio": 0.2}
        given = cases(price, **fixed)[0]
        if price == "capacity_reservation_idle_ratio":
            given["purchase_option"] = "on_demand"
        if price == "commitment_exit_ratio":
            given["purchase_option"] = "reserved_3yr"
        assert totals(ask(given | {price: 0.03})) != totals(ask(given | {price: 3 if price in (
            "carbon_price_per_tonne", "water_cost_month", "liquid_cooling_cost", "setup_cost",
            "facility_fitout_cost", "egress_price_per_gb") else 0.3})), price


@pytest.mark.parametrize("name,values", [
    *((name, (0.1, 0.2, 0.3)) for name in BUY_PRICES + RENT_PRICES),
    ("server_price", (1e5, 2e5, 3e5)), ("rent_price_per_gpu_hour", (2, 5, 8)),
    ("utilization", (0, 0.5, 1)), ("loan_down_payment_ratio", (0, 0.5, 1))])
def test_linear_where_it_must_be(ask, name, values):
    for given in cases("linear" + name)[:4]:
        at = [totals(ask(given | {name: value})) for value in values]
        for low, middle, high in zip(*at):
            size = max(abs(low), abs(high))
            assert abs(low - 2 * middle + high) <= ROUNDING + 1e-12 * size, (name, given)


@pytest.mark.parametrize("given", cases("neutral", financing="loan"))
def test_a_loan_at_the_cost_of_capital_changes_nothing(ask, given):
    given = given | {"tax_rate": 0, "financing_interest_ratio": given.get("cost_of_capital", 0.08)}
    given = {name: value for name, value in given.items() if not name.startswith("second_")}  # is for cash only
    assert totals(ask(given)) == pytest.approx(totals(ask(given | {"financing": "cash"})),
                                              rel=1e-12, abs=ROUNDING)


# --- adding up, in every format

def cents(text):
    whole, _, part = text.partition(".")
    return int(whole + (part + "00")[:2])


def rows_of(reply, form):
    if form == "json":
        return [{k: str(v) for k, v in row.items()}
                for row in json.loads(reply.text, parse_float=str)["line_items"]]
    if form == "xml":
        return [{child.tag: child.text for child in row}
                for row in xml.fromstring(reply.text).iter("line_item")]
    return list(csv.DictReader(io.StringIO(reply.text), delimiter="\t" if form == "tsv" else ","))


@pytest.mark.parametrize("form", ["json", "csv", "tsv", "xml"])
def test_the_lines_add_up_to_the_totals(server, form):
    for given in cases("sums"):
        asked = urllib.parse.urlencode(given)
        rows = rows_of(server.get(f"/v1/break-even/line-items.{form}?{asked}"), form)
        for side in ("buy", "rent"):
            total = server.get(f"/v1/break-even.txt?field={side}_total_cost&{asked}").text
            assert sum(cents(row["amount"]) for row in rows if row["side"] == side) == \
                cents(total), given


def test_a_line_is_quantity_times_price(ask):
    for given in cases("quantities", lead_time_months=0):
        for line in ask(given)["line_items"]:
            if line["quantity"] is None or line["yearly_change"] not in (None, 0):
                continue
            product = float(line["quantity"]) * float(line["unit_price"])
            slack = 5e-7 * (float(line["quantity"]) + float(line["unit_price"])) + 0.006
            assert abs(product - float(line["amount"])) <= slack, line


# --- the series and the turning points

def series(server, given):
    reply = server.get("/v1/break-even/series.csv?" + urllib.parse.urlencode(given))
    return [(float(row["buy_cumulative_cost"]), float(row["rent_cumulative_cost"]))
            for row in csv.DictReader(io.StringIO(reply.text))]


def test_the_series_is_the_totals_of_every_month(server, ask):
    for given in cases("series"):
        points, got = series(server, given), ask(given)
        horizon = int(got["horizon_months"])
        assert points[horizon] == totals(got), given
        given |= {"commitment_exit_ratio": 0, "lease_exit_ratio": 0}  # a term is left at the horizon, not in each month
        given.setdefault("lease_months", horizon)
        points = series(server, given)
        for month in (1, horizon // 2, len(points) - 1):
            if 0 < month <= 120:
                assert points[month] == totals(ask(given | {"horizon_months": month})), given


def check_months(got, points):
    gaps = [buy - rent for buy, rent in points[:int(got["search_months"]) + 1]]
    cheaper = [gap <= 0 for gap in gaps]
    if got["break_even_months"] is None:
        assert got["break_even_status"] == f"not_within_{got['search_months']}_months"
        assert not any(cheaper)
        return
    month = float(got["break_even_months"])
    whole = math.ceil(month - 1e-9)
    assert not any(cheaper[:max(whole - 1, 0)]) and got["break_even_status"] == "reached"
    assert cheaper[whole] or abs(gaps[whole]) < 1e-4 * abs(gaps[whole - 1])  # six digits are shown
    turns = sum(a != b for a, b in zip(cheaper, cheaper[1:])) + cheaper[0]
    assert int(got["crossing_count"]) == turns


def test_the_break_even_month_is_where_the_series_changes_sign(server, ask):
    reached = 0
    for given in cases("months") + cases("more months", rent_price_per_gpu_hour=9, utilization=0.9):
        got = ask(given)
        check_months(got, series(server, given))
        reached += got["break_even_months"] is not None
    assert reached > 3


@pytest.mark.parametrize("field,name", [
    ("break_even_utilization", "utilization"),
    ("break_even_rent_price_per_gpu_hour", "rent_price_per_gpu_hour")])
def test_on_either_side_of_a_turning_point_the_verdict_differs(ask, field, name):
    turned = 0
    for given in cases(field, 8 * CASES, lead_time_months=0):
        value = ask(given)[field]
        # Four decimals tell the sides of a utilization apart from 0.05 on.
        if value is None or not 0.05 < value < 0.999 and name == "utilization":
            continue
        if value:
            below, above = (ask(given | {name: float(value) * x})["verdict"] for x in (0.999, 1.001))
            turned += below != above
            assert below != above, given
    assert turned > 0


# --- whatever is accepted

def numbers(document):
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        return [number for each in document for number in numbers(each)]
    return [document] if isinstance(document, float) else []


def refuse_constant(name):
    raise AssertionError(f"{name} in JSON")


def check_finite(server, given):
    asked = urllib.parse.urlencode(given)
    reply = server.get("/v1/break-even?" + asked)
    assert reply.status in (200, 400), (reply.status, given)
    document = json.loads(reply.text, parse_constant=refuse_constant)
    assert all(math.isfinite(number) for number in numbers(document)), given
    if reply.status == 400:
        assert {each["code"] for each in document["errors"]} <= {
            "contradiction", "missing_parameter", "out_of_range"}, document
        return 0
    for path in ("/line-items.csv", "/series.csv", ".xml"):
        text = server.get(f"/v1/break-even{path}?{asked}").text
        cells = [e.text or "" for e in xml.fromstring(text).iter()] if path == ".xml" else \
            [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        odd = [cell for cell in cells if re.fullmatch(r"-?(nan|inf\w*|[\d.]+e[-+]?\d+)", cell.lower())]
        assert not odd, (odd, path, given)
    return 1


def edges(server):
    found = {}
    for parameter in parameters(server):
        schema, name = parameter["schema"], parameter["name"]
        if name in DRAWS and "minimum" in schema:
            found[name] = (schema["minimum"], schema["maximum"])
    return found


def test_each_input_at_its_ends(server):
    base = {"gpu": "h100-sxm5-80gb", "utilization": 0.5}
    ends = edges(server)
    assert len(ends) > 70
    for name, values in ends.items():
        for value in values:
            given = base | {name: value}
            if name == "gpu_hours_per_month":
                given.pop("utilization")
            check_finite(server, given)


def test_all_inputs_at_their_ends_at_once(server):
    r, ends, answered = random.Random(5), edges(server), 0
    for _ in range(60):
        given = {"gpu": "h100-sxm5-80gb", "utilization": 1}
        given |= {name: r.choice(values) for name, values in ends.items()
                  if r.random() < 0.7 and name not in ("gpu_hours_per_month", "residual_value",
                                                       "idle_power_ratio", "second_gpu_count", "owned_gpu_count", "rented_ratio")}
        for name in ("financing", "lease_end", "purchase_option", "housing", "condition"):
            given[name] = DRAWS[name](r)
        if given.get("used_age_months"):
            given["used_age_months"] = 40  # about that of the first of these GPUs
        if given.get("first_phase_months"):
            given.setdefault("first_phase_utilization", 1)
        if given.get("carbon_price_per_tonne"):
            given.setdefault("grid_carbon_kg_per_kwh", 1)
        if given.get("storage_tb"):
            given.setdefault("storage_price_per_gb_month", 0.01)
        if given.get("power_load_ratio") == 0:
            given["idle_power_ratio"] = 0
        if given.get("gpu_release_month"):
            given["gpu_release_interval_months"] = 240
        if given.get("tax_rate") or given["financing"].endswith("lease"):
            given.pop("replace_servers", None)  # is refused with them
        answered += check_finite(server, given)
    assert answered > 50
