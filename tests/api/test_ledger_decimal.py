"""Random scenarios: the ledger of /v1/break-even against an independent one in decimal arithmetic.

Equal to the cent in every line, total and present value, and to 0.01 in every turning point and
payback. 300 scenarios, 20,000 others in
`make test-long`: GPUPLAN_LEDGER_SCENARIOS says how many, GPUPLAN_LEDGER_SEED which."""
import csv
import http.client
import json
import math
import os
import random
import re
import urllib.parse
from decimal import Decimal as D

from conftest import ROOT
from ledger import EXACT, Answer, Bent, UNKNOWN, ceiling, cents, known
from openapi import inlined

SCENARIOS = int(os.environ.get("GPUPLAN_LEDGER_SCENARIOS", "300"))
SEED = int(os.environ.get("GPUPLAN_LEDGER_SEED", "20261121"))
GPUS = ("h100-sxm5-80gb", "a100-sxm4-80gb", "a100-pcie-80gb", "rtx-4090", "b200-sxm", "mi300x",
        "l40s", "gaudi3", "h200-sxm5-141gb", "rtx-5090")
FORMER = ("a100-sxm4-80gb", "a100-pcie-80gb", "rtx-4090")  # no longer sold new
CARDS = ("a100-pcie-80gb", "rtx-", "l40s")

# In addition to the rows of the seed: what has no assumption to be its default.
PLAIN = {"gpu_count": 8, "gpu_release_month": 0, "cloud_credits": 0, "cloud_credits_months": 0, "first_phase_months": 0, "horizon_months": 36, "purchase_option": "on_demand", "nodes_per_rack": 4,
         "support_uplift_ratio": 0, "goodput_uplift_ratio": 0, "cooling_cost_year": 0,
         "gpu_replacement_ratio": 0, "water_cost_month": 0, "owned_gpu_count": 0, "financing": "cash",
         "second_gpu_count": 0, "second_purchase_month": 0, "loan_months": 0, "loan_down_payment_ratio": 0, "lease_end": "return",
         "depreciation_method": "straight_line", "bonus_depreciation_ratio": 0, "commitment_discount_ratio": 0,
         "spot_discount_ratio": 0, "training_other_cost_month": 0, "condition": "new", "replace_servers": 0}
UNSET = ("rented_ratio", "gpu_hours_per_month", "first_phase_utilization", "residual_value", "grid_carbon_kg_per_kwh",
         "financing_interest_ratio", "storage_price_per_gb_month", "lease_payment_month", "lease_residual_ratio",
         "used_age_months")
# By the providers of the rent: tests/api/test_provider_charges.py.
CHARGES = ("egress_price_per_gb", "storage_price_per_gb_month")
CATALOG = ("rent_price_per_gpu_hour", "server_price", "gpu_card_price", "gpu_tdp_w") + CHARGES
# No part of the ledger: they change how the answer is shown, or the rules of thumb.
APART = {"goodput", "tokens_per_second", "spot_price_per_gpu_hour", "reference_gpu", "reference_card_price",
         "reference_rent_price_per_gpu_hour", "reference_tokens_per_second"}
ITEMISED = ("storage_tb", "egress_tb_per_month", "support_uplift_ratio", "goodput_uplift_ratio",
            "setup_cost", "debugging_cost_year", "training_other_cost_month", "capacity_reservation_idle_ratio")
# What follows from where the servers stand and from their number.
HOUSED = ("fabric_cost_ratio", "management_network_cost", "rack_and_pdu_cost", "facility_fitout_cost", "pue",
          "colocation_price_per_kw_month", "remote_hands_cost_month", "cross_connect_cost_month",
          "internet_transit_cost_month", "staff_fte")


def ratio(low=0, high=1):
    return lambda r: round(r.uniform(low, high), 4)


def amount(high, low=1):
    """Over orders of magnitude, now and then nothing."""
    return lambda r: 0 if r.random() < 0.1 else round(low * (high / low) ** r.random(), 2)


def count(low, high):
    return lambda r: round(low * (high / low) ** r.random())


def server_size(given, count):
    """A server holds up to eight; SXM and OAM modules are bought on boards of eight."""
    card = given["gpu"].startswith(CARDS) or given.get("owned_gpu_count") == count
    return min(8, count) if card else 8


def word(*words):
    return lambda r: r.choice(words)


DRAWS = {
    "gpu_count": count(1, 2000), "gpus_per_node": count(1, 72), "utilization": lambda r: 0 if r.random() < 0.05 else ratio()(r),
    "gpu_hours_per_month": None, "rented_ratio": None, "owned_gpu_count": None, "first_phase_months": lambda r: round(r.uniform(0, 120), 2),
    "first_phase_utilization": ratio(), "horizon_months": lambda r: r.randint(1, 120),
    "purchase_option": word("on_demand", "spot", "reserved_1yr", "reserved_3yr", "capacity_block"),
    "rent_price_per_gpu_hour": lambda r: round(r.uniform(0, 15), 6),
    "commitment_discount_ratio": ratio(), "spot_discount_ratio": ratio(),
    "spot_overhead_ratio": ratio(0, 10), "rent_price_decline_ratio": ratio(),
    "rental_overhead_ratio": ratio(0, 10), "storage_tb": amount(10000),
    "storage_price_per_gb_month": lambda r: round(r.uniform(0, 0.3), 6),
    "egress_tb_per_month": amount(10000), "egress_price_per_gb": lambda r: round(r.uniform(0, 0.3), 6),
    "support_uplift_ratio": ratio(), "goodput_uplift_ratio": ratio(), "setup_cost": amount(1e6),
    "debugging_cost_year": amount(1e6), "training_other_cost_month": amount(1e6),
    "capacity_reservation_idle_ratio": ratio(),
    "server_price": amount(600000, 1000), "gpu_card_price": amount(50000, 100),
    "host_share": ratio(0, 0.95), "fabric_cost_ratio": ratio(0, 10),
    "nodes_per_rack": lambda r: round(r.uniform(0.1, 40), 1),
    "management_network_cost": amount(20000), "rack_and_pdu_cost": amount(20000),
    "storage_cost": ratio(0, 10), "facility_fitout_cost": amount(13e6), "liquid_cooling_cost": amount(1e5),
    "spares_ratio": ratio(), "freight_install_ratio": ratio(), "import_duty_ratio": ratio(),
    "vat_ratio": ratio(), "software_perpetual_cost": amount(1e6),
    "procurement_project_cost": amount(1e6), "lead_time_months": lambda r: round(r.uniform(0, 60), 2),
    "gpu_tdp_w": lambda r: r.randint(50, 2000), "node_power_kw": lambda r: round(r.uniform(0, 150), 3),
    "power_load_ratio": ratio(), "idle_power_ratio": ratio(),
    "electricity_price_per_kwh": lambda r: round(r.uniform(0, 0.6), 6),
    "electricity_escalation_ratio": ratio(), "pue": lambda r: round(r.uniform(1, 3), 3),
    "demand_charge_per_kw_month": lambda r: round(r.uniform(0, 30), 2),
    "colocation_price_per_kw_month": lambda r: round(r.uniform(0, 400), 2),
    "housing": word("desk", "own_room", "colocation", "own_hall"),
    "colocation_escalator_ratio": ratio(), "cooling_cost_year": amount(1e6),
    "remote_hands_cost_month": amount(1e5), "cross_connect_cost_month": amount(1e5),
    "internet_transit_cost_month": amount(1e5), "maintenance_ratio": ratio(),
    "gpu_annual_failure_ratio": ratio(), "gpu_replacement_ratio": ratio(),
    "software_subscription_per_gpu_year": lambda r: round(r.uniform(0, 5000), 2),
    "staff_fte": lambda r: round(r.uniform(0, 50), 2), "staff_cost_per_fte_year": amount(300000),
    "staff_escalation_ratio": ratio(), "insurance_ratio": ratio(), "property_tax_ratio": ratio(),
    "security_compliance_cost_year": amount(1e6), "training_cost_year": amount(1e6),
    "monitoring_backup_cost_year": amount(1e6), "carbon_price_per_tonne": amount(500),
    "grid_carbon_kg_per_kwh": lambda r: round(r.uniform(0, 1.2), 4), "water_cost_month": amount(1e5),
    "inflation": ratio(), "useful_life_months": lambda r: r.randint(1, 240),
    "cost_of_capital": ratio(), "financing": word("cash", "loan", "operating_lease", "finance_lease"),
    "financing_interest_ratio": ratio(), "loan_months": lambda r: r.randint(0, 240),
    "loan_down_payment_ratio": ratio(), "lease_months": lambda r: r.randint(1, 240),
    "lease_payment_month": amount(1e6), "lease_end": word("return", "buyout"),
    "lease_residual_ratio": ratio(), "lease_exit_ratio": ratio(), "annual_value_retention": ratio(),
    "resale_condition_factor": ratio(), "resale_fee_ratio": ratio(), "residual_value": amount(1e7),
    "second_gpu_count": None, "second_purchase_month": lambda r: r.randint(0, 120),
    "decommissioning_ratio": ratio(), "tax_rate": ratio(0, 0.99), "tax_depreciation": ratio(),
    "depreciation_method": word("straight_line", "declining", "macrs_5yr", "macrs_5yr_q4"), "bonus_depreciation_ratio": ratio(), "commitment_exit_ratio": ratio(),
    "gpu_release_month": lambda r: r.choice((0, r.randint(1, 60))), "gpu_release_drop_ratio": ratio(0, 0.9),
    "gpu_release_interval_months": lambda r: r.randint(1, 60),
    "cloud_credits": amount(1e6), "cloud_credits_months": lambda r: r.randint(0, 60),
    "condition": word("new", "used"), "used_age_months": lambda r: round(r.uniform(0, 20), 1),
    "replace_servers": lambda r: r.randint(0, 1),
}
# What replacement is not supported with.
SOLD_ONCE = ("residual_value", "second_gpu_count", "owned_gpu_count", "tax_rate")


def draw(r):
    """Half of the inputs at random, without what contradicts itself."""
    given = {"gpu": r.choice(GPUS), "utilization": DRAWS["utilization"](r), "purchase_option": "on_demand"}
    for name, value in DRAWS.items():
        if value and r.random() < 0.5:
            given[name] = value(r)
    if given.get("gpu_release_month", 0) > given.get("gpu_release_interval_months", 20):
        given["gpu_release_interval_months"] = given["gpu_release_month"]
    idle, load = given.get("idle_power_ratio"), given.get("power_load_ratio")
    if idle is not None and load is not None and idle > load:
        given["idle_power_ratio"], given["power_load_ratio"] = load, idle
    elif (0.2 if idle is None else idle) > (0.8 if load is None else load):
        given.pop("idle_power_ratio", None), given.pop("power_load_ratio", None)
    if given.get("financing") == "operating_lease" or r.random() < 0.7:
        given.pop("residual_value", None)
    if "residual_value" in given:
        given.pop("annual_value_retention", None)
    size = given.get("gpus_per_node", server_size(given, given.get("gpu_count", 8)))
    later = (given.get("gpu_count", 8) - 1) // size  # servers that can wait
    if later and given.get("financing", "cash") == "cash" and r.random() < 0.5:
        given["second_gpu_count"] = size * r.randint(1, later)
    elif r.random() < 0.3:
        given["owned_gpu_count"] = r.choice((size * r.randint(0, later), given.get("gpu_count", 8)))
    if given.get("carbon_price_per_tonne"):
        given.setdefault("grid_carbon_kg_per_kwh", 0.4)
    if "first_phase_months" in given:
        given.setdefault("first_phase_utilization", DRAWS["first_phase_utilization"](r))
    if r.random() < 0.1:  # the work of a plan in place of a share
        share = given.pop("utilization")
        given["gpu_hours_per_month"] = round(share * given.get("gpu_count", 8) * 730, 1)
    elif r.random() < 0.3:
        given["rented_ratio"] = round(given["utilization"] + (1 - given["utilization"]) * r.random(), 4)
    if given.get("financing", "").endswith("lease"):
        given.pop("replace_servers", None)
    if given.get("replace_servers"):
        given = {name: value for name, value in given.items() if name not in SOLD_ONCE}
    return given


def defaults():
    with open(ROOT / "sql/seed/assumption.csv", newline="", encoding="utf-8") as file:
        rows = {row["key"]: row["value"] for row in csv.DictReader(file) if not row["scope"]}
    plain = {name: value if isinstance(value, str) else D(value) for name, value in PLAIN.items()}
    seeded = {name: D(rows[name]) for name in DRAWS if rows.get(name)}
    return seeded | plain | {name: UNKNOWN for name in UNSET}


def housed(given, echoed, gpu_count, per_node):
    """By the rows of that housing, else of a server alone, else by the number of servers, of which those that are
    owned need no staff."""
    with open(ROOT / "sql/seed/assumption.csv", newline="", encoding="utf-8") as file:
        rows = {(row["key"], row["scope"]): D(row["value"]) for row in csv.DictReader(file) if row["key"] in HOUSED}
    where, nodes, found = echoed["housing"]["value"], ceiling(gpu_count / per_node), {}
    for name in HOUSED:
        n = nodes - (ceiling(D(given.get("owned_gpu_count", 0)) / per_node) if name == "staff_fte" else 0)
        many = max(rows[name, ""], rows.get((name, "per_node"), D(0)) * n)
        usual = rows.get((name, where), rows.get((name, "one_server"), many) if nodes == 1 else many)
        found[name] = usual if n else D(0)
    return found


def as_decimal(value):
    return value if isinstance(value, str) else D(str(value))


def from_catalog(given, echoed):
    """The prices and the power limit that the catalogue has, where none are given."""
    found = {}
    for name in CATALOG:
        entry = echoed[name]
        if name not in given:
            value = entry["value"]
            found[name] = UNKNOWN if value is None else as_decimal(value)
    for name in ("commitment_discount_ratio", "spot_discount_ratio"):
        found[name] = as_decimal(echoed[name]["value"])  # only of a price that is derived
    return found


def new_price(v, asker):
    """What the same server costs new."""
    asked = {name: v[name] for name in ("gpu", "gpu_count", "gpus_per_node", "host_share")} | {
        "utilization": 1, "condition": "new"}
    status, got = asker.ask("/v1/break-even?" + urllib.parse.urlencode(asked))
    assert status == 200, (asked, got)
    price = got["inputs"]["server_price"]["value"]
    return UNKNOWN if price is None else as_decimal(price)


def as_used(v, given, echoed, asker):
    """The life that its age leaves a server, and its price by the curve of its resale."""
    v["used_age_months"] = as_decimal(echoed["used_age_months"]["value"])
    if "useful_life_months" not in given:
        v["useful_life_months"] = D(max(12, int(v["useful_life_months"] - v["used_age_months"])))
    v["new_server_price"] = price = new_price(v, asker)
    if not price.is_nan() and not {"server_price", "gpu_card_price"} & given.keys():
        by_age = price * v["annual_value_retention"] ** (v["used_age_months"] / 12)
        assert abs(by_age - v["server_price"]) <= by_age * D("1e-14"), (given, by_age, v["server_price"])


def complete(given, echoed, usual, servers, asker):
    """Every input of the ledger: given, from the catalogue, by rule, or the default."""
    v = dict(usual)
    if any(name in given for name in ITEMISED):
        v["rental_overhead_ratio"] = D(0)
    counted = {"gpus_per_node", "owned_gpu_count", "second_gpu_count", "connected_gpu_count"} & given.keys()
    desk = given["gpu"].startswith("rtx-") and not counted
    taken = max(1, math.ceil(given.get("gpu_hours_per_month", 0) / 730)) if desk else 8
    v["gpu_count"] = count = D(given.get("gpu_count", taken))
    v |= housed(given, echoed, count, D(given.get("gpus_per_node", server_size(given, count))))
    v |= {name: as_decimal(value) for name, value in given.items()}
    v |= from_catalog(given, echoed)
    if "gpus_per_node" not in given:
        v["gpus_per_node"] = D(server_size(given, count))
    if "condition" not in given and given["gpu"] in FORMER and v["owned_gpu_count"] != v["gpu_count"]:
        v["condition"] = "used"
    if v["condition"] == "used":
        as_used(v, given, echoed, asker)
    v.setdefault("lease_months", min(v["useful_life_months"], v["horizon_months"]))
    listed = (given["gpu"], v["gpus_per_node"]) in servers and "gpu_card_price" not in given
    if "server_price" not in given and not listed:
        v["server_price"] = v["gpus_per_node"] * v["gpu_card_price"] / (1 - v["host_share"])
    if "node_power_kw" not in given:
        v["node_power_kw"] = D("10.2") * v["gpus_per_node"] * v["gpu_tdp_w"] / 5600
    if "gpu_hours_per_month" in given:
        v["utilization"] = v["gpu_hours_per_month"] / (v["gpu_count"] * 730)
    return v


def tolerance(value):
    """A rent in the billions is what is left of a difference of next to equal sums."""
    return max(D("0.01"), value * D("1e-9" if value < 10**9 else "1e-6"))


def differing(want, got):
    """Where the answer is not the recomputed one."""
    wrong = []
    for side in ("buy", "rent"):
        lines = {line["key"]: line["amount"] for line in got["line_items"] if line["side"] == side}
        if lines.keys() != getattr(want, side).keys():
            wrong.append((side, sorted(lines.keys() ^ getattr(want, side).keys())))
            continue
        pairs = [(key, amount, lines[key]) for key, amount in getattr(want, side).items()]
        pairs.append(("total", getattr(want, side + "_total"), got[side + "_total_cost"]))
        wrong += [(side, key, str(amount), shown) for key, amount, shown in pairs
                  if (None if D(amount).is_nan() else cents(amount)) != (shown if shown is None else D(shown))]
    wrong += [(name, str(value), got[name]) for name, value in want.money.items()
              if (None if D(value).is_nan() else value) != (got[name] if got[name] is None else D(got[name]))]
    for name, value in want.paybacks.items():
        value = None if want.status == "unknown_price" else value
        if (value is None) != (got[name] is None) or value is not None and abs(value - D(got[name])) > tolerance(value):
            wrong.append((name, str(value), got[name]))
    for name, point in (
            ("months", (want.months, want.status)),
            ("utilization", want.utilization), ("rent_price_per_gpu_hour", want.rent_price)):
        if isinstance(point, Bent):
            at, status = got["break_even_" + name], got[f"break_even_{name.replace('_per_gpu_hour', '')}_status"]
            if point.wrong(at, status):
                wrong.append((name, at, status))
            continue
        value, status = point
        said = got["break_even_" + {"months": "status", "utilization": "utilization_status",
                                    "rent_price_per_gpu_hour": "rent_price_status"}[name]]
        shown = got["break_even_" + name]
        if said != status or (value is None) != (shown is None) or \
                value is not None and abs(value - D(shown)) > tolerance(value):
            wrong.append((name, str(value), status, shown, said))
    return wrong


def is_tie(want):
    """Whether a line is so near half a cent, without being it, that the rounding depends on what a double keeps of the
    decimal inputs."""
    def near(amount):
        half = (amount * 100 - D("0.5")).to_integral_value() / 100 + D("0.005")
        return 0 < abs(amount.quantize(EXACT) - half) <= D("2e-15") * abs(amount)
    return any(near(D(amount)) for lines in (want.buy, want.rent) for amount in lines.values()
               if not D(amount).is_nan())


def listed_servers(server):
    """The GPUs and node sizes that the catalogue has a server for."""
    return {(row["gpu"], row["gpu_count"]) for row in server.get("/v1/hardware").json["rows"]
            if row["kind"] == "server"}


class Asker:
    """One kept connection, many questions."""

    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)

    def ask(self, path):
        self.connection.request("GET", path)
        reply = self.connection.getresponse()
        return reply.status, json.loads(reply.read(), parse_float=D)


def test_every_input_of_the_ledger_is_drawn():
    table = (ROOT / "service/estimate/ownership/inputs.def").read_text()
    assert set(re.findall(r"^[A-Z]+\((\w+),", table, re.M)) - APART == set(DRAWS)


def parameters(server, path="/v1/break-even"):
    return inlined(server.get("/openapi.json").json)["paths"][path]["get"]["parameters"]


def test_random_scenarios_to_the_cent(server):
    r, asker, usual = random.Random(SEED), Asker(server.url), defaults()
    servers, wrong, ties = listed_servers(server), {}, 0
    for _ in range(SCENARIOS):
        given = draw(r)
        path = "/v1/break-even?" + urllib.parse.urlencode(given)
        status, got = asker.ask(path)
        assert status == 200, (path, got)
        want = Answer(complete(given, got["inputs"], usual, servers, asker))
        if is_tie(want):
            ties += 1
            continue
        differences = differing(want, got)
        if differences:
            wrong[path] = differences
    shown = "\n".join(f"{path}\n    {found}" for path, found in list(wrong.items())[:5])
    assert not wrong, f"{len(wrong)} of {SCENARIOS} scenarios differ:\n{shown}"
    assert ties <= 1 + SCENARIOS / 1000, "hardly ever"
