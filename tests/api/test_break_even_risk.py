"""How sure buy or rent is: draws that repeat, against a simulation of the tests' own."""
import csv
import io
import re
import xml.etree.ElementTree as xml

import numpy
import pytest

from conftest import Server

SVG = "{http://www.w3.org/2000/svg}"
BASE = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, rent_price_per_gpu_hour=3.93,
            horizon_months=36, server_price=300000, housing="colocation")
FIGURES = {'probability_buy_cheaper': 0.2432,
 'verdict': 'rent',
 'buy_saving': -76038.34,
 'buy_saving_mean': -202084.14,
 'buy_saving_p05': -734096.07,
 'buy_saving_p50': -200487.83,
 'buy_saving_p95': 315748.4,
 'break_even_months_p05': 9.18274,
 'break_even_months_p50': None,
 'probability_break_even': 0.3287,
 'expected_regret': 47565.26,
 'draws': 10000,
 'seed': 1}
SHARES = [('staff_fte', 0.3818), ('rent_price_per_gpu_hour', 0.3771), ('rental_overhead_ratio', 0.0499),
 ('gpu_release_month', 0.0489), ('utilization', 0.0326)]
DRAWN = ("rent_price_per_gpu_hour", "rent_price_decline_ratio", "annual_value_retention",
         "electricity_price_per_kwh", "utilization", "gpu_annual_failure_ratio")
# A ledger of few lines, which the simulation here knows too: servers with their fabric, electricity,
# colocation, staff and maintenance; rent with its overheads.
FEW = BASE | dict(
    fabric_cost_ratio=0.12, management_network_cost=0, rack_and_pdu_cost=0, storage_cost=0,
    spares_ratio=0, freight_install_ratio=0, electricity_escalation_ratio=0,
    colocation_escalator_ratio=0, remote_hands_cost_month=0, cross_connect_cost_month=0,
    internet_transit_cost_month=0, insurance_ratio=0, property_tax_ratio=0, resale_fee_ratio=0,
    decommissioning_ratio=0, node_power_kw=10, power_load_ratio=0.8, idle_power_ratio=0.2, pue=1.5,
    colocation_price_per_kw_month=150, staff_fte=0.25, staff_cost_per_fte_year=180000,
    maintenance_ratio=0.05, rental_overhead_ratio=0.1, cost_of_capital=0.08, useful_life_months=60)
# What is drawn, so that both sides may win.
TRIANGLES = dict(rent_price_per_gpu_hour=(3, 4.5, 7), rent_price_decline_ratio=(0, 0.1, 0.3),
                 annual_value_retention=(0.5, 0.7, 0.85), electricity_price_per_kwh=(0.05, 0.1, 0.4),
                 utilization=(0.4, 0.7, 0.9), gpu_annual_failure_ratio=(0.09, 0.09, 0.09))


def ask(server, path="", **params):
    """A rent that is given is certain; here it has the usual spread between providers, unless said."""
    rent = params.get("rent_price_per_gpu_hour")
    usual = dict(rent_price_per_gpu_hour_low=0.5 * rent, rent_price_per_gpu_hour_high=1.8 * rent) if rent else {}
    return server.answer(f"/v1/break-even/risk{path}", **usual | params)


def risk(server, **params):
    return ask(server, **params).json


def plain(server, **params):
    return server.answer("/v1/break-even", **params).json


def refused(server, **params):
    return server.refusals("/v1/break-even/risk", **params)


def shares(answer):
    return {row["key"]: row["variance_share"] for row in answer["drawn_inputs"]}


def with_triangles(triangles):
    """The inputs that say so."""
    given = dict(drawn=",".join(triangles), rent_resale_correlation=0)
    for name, (low, mode, high) in triangles.items():
        given |= {name: mode, name + "_low": low, name + "_high": high}
    return given


def collapsed(params):
    """Each drawn input stays what it is; what is not said is the assumption's default."""
    usual = dict(rent_price_decline_ratio=0.04, annual_value_retention=0.72,
                 electricity_price_per_kwh=0.12, gpu_annual_failure_ratio=0.09)
    return params | with_triangles({name: (value,) * 3 for name, value in
                                    ((name, (usual | params)[name]) for name in DRAWN)})


# --- the figures

def test_the_usual_case(server):
    """Every figure, of seed 1: the same on any machine."""
    answer = risk(server, **BASE)
    figures = {name: answer[name] for name in (
        "probability_buy_cheaper", "verdict", "buy_saving", "buy_saving_mean", "buy_saving_p05",
        "buy_saving_p50", "buy_saving_p95", "break_even_months_p05", "break_even_months_p50",
        "probability_break_even", "expected_regret", "draws", "seed")}
    assert figures == FIGURES
    assert list(shares(answer).items())[:5] == SHARES


def test_what_is_drawn_and_from_where(server):
    rows = {row["key"]: row for row in risk(server, **BASE)["drawn_inputs"]}
    assert set(DRAWN) < set(rows) and "server_price" not in rows, "a price that is given is known"
    bands = {key: (row["low"], row["mode"], row["high"]) for key, row in rows.items()}
    assert bands["rent_price_decline_ratio"] == (-0.05, 0.04, 0.11)
    assert bands["annual_value_retention"] == (0.6, 0.72, 0.8)
    assert bands["electricity_price_per_kwh"] == (0.06, 0.12, 0.25)
    assert bands["utilization"] == (0.56, 0.7, 0.84)
    assert bands["gpu_annual_failure_ratio"] == (0.03, 0.09, 0.12)
    low, mode, high = bands["rent_price_per_gpu_hour"]
    assert (low, mode, high) == pytest.approx((0.5 * 3.93, 3.93, 1.8 * 3.93), rel=1e-5)
    for key, row in rows.items():
        assert row["low"] <= row["mode"] <= row["high"]
        if key == "gpu_release_month":
            assert (row["low"], row["high"]) == (1, 20) and "equally likely" in row["basis"]
        elif key != "utilization":
            of = "as given" if key == "rent_price_per_gpu_hour" else f"/v1/assumptions?key={key}"
            assert of in row["basis"]


def test_a_value_beyond_the_band_widens_it(server):
    rows = {row["key"]: row for row in
            risk(server, **BASE | dict(electricity_price_per_kwh=0.4, utilization=0.95))["drawn_inputs"]}
    electricity = rows["electricity_price_per_kwh"]
    assert (electricity["low"], electricity["mode"], electricity["high"]) == (0.06, 0.4, 0.4)
    assert rows["utilization"]["high"] == 1


def test_the_ends_in_force_are_among_the_inputs(server):
    inputs = risk(server, **BASE | dict(utilization_low=0.5))["inputs"]
    assert inputs["utilization_low"] == {"value": 0.5, "unit": "ratio", "source": "request"}
    assert inputs["utilization_high"]["value"] == 0.84
    assert inputs["electricity_price_per_kwh_high"]["reference"] == \
        "/v1/assumptions?key=electricity_price_per_kwh"
    assert inputs["seed"]["value"] == 1 and inputs["draws"]["value"] == 10000


# --- repeatable

def test_the_same_seed_gives_the_same_answer(server):
    once, twice = (ask(server, **BASE | dict(seed=42)).body for _ in range(2))
    assert once == twice
    assert risk(server, **BASE | dict(seed=43))["buy_saving_mean"] != risk(
        server, **BASE | dict(seed=42))["buy_saving_mean"]


@pytest.mark.parametrize("draws", [100, 513, 20000])
def test_the_same_for_any_number_of_threads(server, database, tmp_path, draws):
    single = Server(database.env | {"GPUPLAN_COMPUTE_THREADS": "1"}, tmp_path).start()
    try:
        asked = BASE | dict(draws=draws, seed=7)
        assert ask(single, **asked).body == ask(server, **asked).body
    finally:
        assert single.stop() == 0


def test_seeds_differ_by_chance_only(server):
    answers = [risk(server, **BASE | dict(seed=seed)) for seed in range(8)]
    n = 10000
    p = sum(answer["probability_buy_cheaper"] for answer in answers) / 8
    for answer in answers:
        assert abs(answer["probability_buy_cheaper"] - p) < 5 * (p * (1 - p) / n) ** 0.5
    assert len({answer["buy_saving_mean"] for answer in answers}) == 8


# --- against a simulation of our own

def draw(generator, n, triangles):
    return {name: value_at(triangle, generator.random(n)) for name, triangle in triangles.items()}


def value_at(triangle, unit):
    """Half of the draws on either side of the middle, falling off to nothing at the ends."""
    low, middle, high = triangle
    return numpy.where(unit < 0.5, middle - (middle - low) * (1 - numpy.sqrt(2 * unit)),
                       middle + (high - middle) * (1 - numpy.sqrt(2 * (1 - unit))))


def gaps(x, months):
    """Buying less renting of FEW after 0, 1, ... months, a row each."""
    growth, servers = 1.08 ** (1 / 12), 300000.0
    kwh = 10 * (0.2 + 0.6 * x["utilization"]) * 730 * 1.5
    running = (kwh * x["electricity_price_per_kwh"] + 10 * 150 + 0.25 * 180000 / 12
               + 0.05 * servers / 12)
    rent = 8 * 730 * x["utilization"] * x["rent_price_per_gpu_hour"] * 1.1
    spent, rows = numpy.full(len(kwh), servers * 1.12), []
    for month in range(months + 1):
        if month:
            fallen = (1 - x["rent_price_decline_ratio"]) ** ((month - 1) / 12)
            spent = spent * growth + running - rent * fallen
        rows.append(spent - servers * x["annual_value_retention"] ** (month / 12))
    return numpy.array(rows)


def first_months(gap):
    """The month from which on buying costs no more, infinite if there is none."""
    reached = gap <= 0
    at = numpy.where(reached.any(axis=0), reached.argmax(axis=0), -1)
    column = numpy.arange(gap.shape[1])
    before, now = gap[numpy.maximum(at - 1, 0), column], gap[at, column]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        between = numpy.where(at > 0, at - 1 + before / (before - now), 0.0)
    return numpy.where(at < 0, numpy.inf, between)


@pytest.fixture(scope="module")
def ours():
    n = 100000
    x = draw(numpy.random.default_rng(20261121), n, TRIANGLES)
    gap = gaps(x, 60)
    return dict(n=n, x=x, saving=-gap[36], months=first_months(gap))


@pytest.fixture(scope="module")
def theirs(server):
    return risk(server, draws=100000, **FEW | with_triangles(TRIANGLES))


def off(share, ours, by=5):
    """So many standard errors of a share found by two simulations."""
    return by * (share * (1 - share) * (1 / ours["n"] + 1 / 100000)) ** 0.5


def test_the_simulation_here_knows_the_ledger(server):
    """One point, without any draw."""
    x = {name: numpy.array([float(mode)]) for name, (_, mode, _) in TRIANGLES.items()}
    asked = FEW | {name: mode for name, (_, mode, _) in TRIANGLES.items()}
    assert plain(server, **asked)["buy_saving"] == pytest.approx(-gaps(x, 60)[36][0], abs=0.2)
    assert plain(server, **asked)["break_even_months"] == pytest.approx(
        first_months(gaps(x, 60))[0], rel=1e-5)


def test_probability_and_mean(ours, theirs):
    p = (ours["saving"] >= 0).mean()
    assert 0.2 < p < 0.8, "else it shows little"
    assert abs(theirs["probability_buy_cheaper"] - p) < off(p, ours) + 5e-5
    error = 5 * ours["saving"].std() * (2 / ours["n"]) ** 0.5
    assert abs(theirs["buy_saving_mean"] - ours["saving"].mean()) < error


@pytest.mark.parametrize("figure, name", [("buy_saving", "saving"), ("break_even_months", "months")])
@pytest.mark.parametrize("percent", [5, 50, 95])
def test_percentiles(ours, theirs, figure, name, percent):
    value = theirs[f"{figure}_p{percent:02}"]
    if value is None:  # never, in as many draws
        assert numpy.isinf(numpy.sort(ours[name])[ours["n"] * percent // 100])
        return
    assert abs((ours[name] <= value).mean() - percent / 100) < off(percent / 100, ours) + 1e-4


def test_how_often_it_is_reached(ours, theirs):
    p = numpy.isfinite(ours["months"]).mean()
    assert abs(theirs["probability_break_even"] - p) < off(p, ours) + 5e-5


def test_regret(ours, theirs):
    regret = numpy.maximum(-ours["saving"] if theirs["verdict"] == "buy" else ours["saving"], 0)
    error = 5 * regret.std() * (2 / ours["n"]) ** 0.5
    assert abs(theirs["expected_regret"] - regret.mean()) < error


def test_shares_of_the_variance(ours, theirs):
    """Pick and freeze: what two simulations that share one input have in common."""
    generator = numpy.random.default_rng(7)
    for name in DRAWN:
        other = draw(generator, ours["n"], TRIANGLES) | {name: ours["x"][name]}
        again = -gaps(other, 36)[36]
        share = numpy.cov(ours["saving"], again)[0][1] / ours["saving"].var()
        assert abs(shares(theirs)[name] - share) < 0.02, name
    assert 0.9 < sum(shares(theirs).values()) < 1.01


def test_the_distribution(ours, theirs):
    rows = theirs["distribution"]
    assert sum(row["probability"] for row in rows) == pytest.approx(1, abs=1e-2)
    assert rows[-1]["probability_up_to"] == 1
    for before, after in zip(rows, rows[1:]):
        assert after["buy_saving_from"] == before["buy_saving_to"]
        assert after["probability_up_to"] >= before["probability_up_to"]
    for row in rows:
        p = (ours["saving"] <= row["buy_saving_to"]).mean()
        assert abs(row["probability_up_to"] - p) < off(p, ours) + 2e-4


# --- every input that has a band

def listed(server, **params):
    return {row["key"]: row for row in risk(server, **params)["drawn_inputs"]}


def held(answer):
    """The inputs that are not drawn, as their value is an end of their band."""
    said = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "held_inputs"]
    return set(said[0].partition(": ")[2].partition(";")[0].split(", ")) if said else set()


def bands_for(server, housing):
    """Rows of the table of assumptions for one server: those of that housing if there are any."""
    rows = {(row["key"], row["scope"]): (row["low"], row["high"]) for row in server.get("/v1/assumptions").json["rows"]}
    found = {key: rows.get((key, housing), rows.get((key, "one_server"), band))
             for (key, scope), band in rows.items() if not scope}
    return {key: band for key, band in found.items() if None not in band and band[0] < band[1]}


@pytest.mark.parametrize("housing", ["desk", "own_room", "colocation", "own_hall"])
def test_every_input_inside_its_band_is_drawn(server, housing):
    """As the table of assumptions has it, but for what the caller states and quantities of the case."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, housing=housing)
    inputs, answer = plain(server, **asked)["inputs"], risk(server, draws=100, **asked)
    known = {key: band for key, band in bands_for(server, housing).items() if inputs.get(key, {}).get("value") is not None}
    rows = {row["key"] for row in answer["drawn_inputs"]}
    assert len(rows) > 25 and "server_price" in rows
    # discounts that do not apply are 0, outside of their band
    assert set(known) - rows - held(answer) <= {"commitment_discount_ratio", "spot_discount_ratio",
                                                "goodput_uplift_ratio"}
    assert held(answer) == {key for key, band in known.items() if inputs[key]["value"] in band}


def test_what_stands_at_an_end_of_its_band_is_held(server):
    """Whether VAT is due is a fact of the case: drawn from 0 to 25 % it had moved the median."""
    usual = risk(server, **BASE)
    assert {"vat_ratio", "import_duty_ratio", "software_subscription_per_gpu_year", "lead_time_months"} <= held(usual)
    assert not held(usual) & set(shares(usual))
    for asked in (dict(drawn="vat_ratio"), dict(bands="vat_ratio:0:0.25")):
        answer = risk(server, **BASE | asked)
        assert shares(answer)["vat_ratio"] > 0 and "vat_ratio" not in held(answer)
        assert "one_sided_bands" in [warning["code"] for warning in answer["warnings"]]
    assert answer["buy_saving_p50"] < usual["buy_saving_p50"]


def test_the_rent_is_that_of_the_providers_one_could_use(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, server_price=300000)
    answer, known = risk(server, drawn="rent_price_per_gpu_hour", draws=20000, **asked), plain(server, **asked)
    prices = sorted(row["job_price_per_gpu_hour"] for row in known["offers_used"])
    row, = answer["drawn_inputs"]
    assert (row["low"], row["high"]) == pytest.approx((prices[0], prices[-1]), rel=1e-5)
    share = sum(price >= known["break_even_rent_price_per_gpu_hour"] for price in prices) / len(prices)
    assert 0.1 < share < 0.9
    assert abs(answer["probability_buy_cheaper"] - share) < 5 * (share * (1 - share) / 20000) ** 0.5


def test_where_one_provider_turns_the_verdict_nobody_is_sure(server):
    """decisions.md 14: P(buy) was 0.003 while provider=aws turned the verdict."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7)
    verdicts = {plain(server, **asked | more)["verdict"] for more in ({}, dict(provider="aws"), dict(provider="civo"))}
    assert verdicts == {"rent", "buy"}
    answer = risk(server, **asked)
    assert 0.1 < answer["probability_buy_cheaper"] < 0.9
    assert answer["ask_first"] == "rent_price_per_gpu_hour"


@pytest.mark.parametrize("more", [{}, dict(server_price=300000), dict(rent_price_per_gpu_hour=5),
                                  dict(gpu="a100-sxm4-80gb"), dict(gpu_count=64, utilization=0.9)])
def test_it_agrees_with_the_sensitivity(server, more):
    """What moves the saving most there, over a band, makes most of its variance here."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7) | more
    rows = risk(server, **asked)["drawn_inputs"]
    effects = server.get("/v1/break-even/sensitivity", **asked).json["effects"]
    shared = {row["key"] for row in rows} & {
        row["input"] for row in effects if row["basis"] != "half and double"}
    there = [row["input"] for row in effects if row["input"] in shared]
    here = [row["key"] for row in rows if row["key"] in shared]
    assert there[0] in here[:2], "of two values that are equally likely the variance is the widest"
    assert len(set(there[:6]) & set(here[:6])) >= 4, (there[:6], here[:6])


@pytest.mark.parametrize("more, culprit, says", [
    (dict(bands="stuff_fte:1:2"), "bands", "staff_fte"), (dict(drawn="staf_fte"), "drawn", "staff_fte"),
    (dict(bands="staff_fte:1:2"), "bands", "0.25"), (dict(bands="staff_fte:0.1"), "bands", "between"),
    (dict(bands="pue:0.5:2"), "bands", "1 and 10"), (dict(drawn="gpu_count"), "drawn", "bands=gpu_count"),
    (dict(rent_resale_correlation=1.1), "rent_resale_correlation", "between 0 and 1")])
def test_bands_that_make_no_sense(server, more, culprit, says):
    assert says in refused(server, **BASE | more)[culprit]["detail"]


def test_a_band_of_ones_own(server):
    rows = listed(server, **BASE | dict(bands="server_price:280000:340000,staff_fte:0.25:0.25"))
    assert (rows["server_price"]["low"], rows["server_price"]["high"]) == (280000, 340000)
    assert rows["server_price"]["variance_share"] > 0 and rows["staff_fte"]["variance_share"] == 0


# --- closed forms

ONE = FEW | dict(draws=100000, drawn="rent_price_per_gpu_hour", rent_price_per_gpu_hour=4.5,
                 rent_price_per_gpu_hour_low=3, rent_price_per_gpu_hour_high=7)


def share_below(triangle, value):
    low, middle, high = triangle
    if value <= middle:
        return max(0, 0.5 * ((value - low) / (middle - low)) ** 2)
    return 1 - max(0, 0.5 * ((high - value) / (high - middle)) ** 2)


def test_one_linear_input_in_closed_form(server):
    """The saving is a straight line of the rent: its quantiles are the rent's, and what it is worth
    to know the rent is an integral."""
    triangle = 3, 4.5, 7
    answer = risk(server, **ONE, rent_price_decline_ratio=0.08)
    saving = {price: plain(server, **FEW | dict(rent_price_per_gpu_hour=price, rent_price_decline_ratio=0.08))["buy_saving"]
              for price in triangle}
    zero = plain(server, **FEW | dict(rent_price_per_gpu_hour=4.5, rent_price_decline_ratio=0.08))["break_even_rent_price_per_gpu_hour"]
    slope = (saving[7] - saving[3]) / 4
    p = 1 - share_below(triangle, zero)
    assert 0.1 < p < 0.9
    assert abs(answer["probability_buy_cheaper"] - p) < 5 * (p * (1 - p) / 1e5) ** 0.5
    assert answer["probability_verdict_right"] == pytest.approx(
        answer["probability_buy_cheaper"] if answer["verdict"] == "buy" else 1 - answer["probability_buy_cheaper"])
    for percent in (5, 50, 95):
        want = saving[4.5] + slope * (value_at(triangle, percent / 100) - 4.5)
        assert answer[f"buy_saving_p{percent:02}"] == pytest.approx(want, abs=0.01 * (saving[7] - saving[3]))
        assert answer[f"npv_p{percent:02}"] == pytest.approx(answer[f"buy_saving_p{percent:02}"] / 1.08 ** 3, abs=0.01)
    units = (numpy.arange(200000) + 0.5) / 200000
    savings = saving[4.5] + slope * (value_at(triangle, units) - 4.5)
    assert answer["buy_saving_mean"] == pytest.approx(savings.mean(), abs=5 * savings.std() / 1e5 ** 0.5)
    perfect = numpy.maximum(savings, 0).mean() - max(savings.mean(), 0)
    assert answer["perfect_information_value"] == pytest.approx(perfect, rel=0.05)
    row, = answer["drawn_inputs"]
    assert row["information_value"] == pytest.approx(perfect, rel=0.15), "of eight choices"
    assert answer["value_at_risk"] == max(0, answer["npv_p95"] if answer["verdict"] == "rent" else -answer["npv_p05"])


def test_releases_of_gpus_in_closed_form(server):
    """Each month of the interval is as likely as any other to be that of the next release: the distribution is that of
    as many ledgers, each asked for with its month, and its mean is the saving without releases."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, purchase_option="on_demand")
    draws = 20000
    for more in ({}, dict(gpu_release_drop_ratio=0.4), dict(gpu_release_interval_months=12, horizon_months=24)):
        answer = risk(server, **asked, **more, drawn="gpu_release_month", draws=draws)
        row, = answer["drawn_inputs"]
        assert row["low"] == 1 and row["high"] == more.get("gpu_release_interval_months", 20)
        savings = sorted(plain(server, **asked, **more, gpu_release_month=month)["buy_saving"] for month in range(1, int(row["high"]) + 1))
        spread = numpy.std(savings) / draws ** 0.5
        assert numpy.mean(savings) == pytest.approx(plain(server, **asked)["buy_saving"] if "horizon_months" not in more else
                                                    plain(server, **asked, horizon_months=24)["buy_saving"], abs=1)
        assert answer["buy_saving_mean"] == pytest.approx(numpy.mean(savings), abs=5 * spread)
        share = sum(saving >= 0 for saving in savings) / len(savings)
        assert answer["probability_buy_cheaper"] == pytest.approx(share, abs=5 * (0.25 / draws) ** 0.5)
        for percent in (5, 50, 95):
            assert min(abs(answer[f"buy_saving_p{percent:02}"] - saving) for saving in savings) < 1


def test_a_release_moves_rent_and_resale_together(server):
    """After it both are lower by the step, before it both higher than their yearly change says; a rent fixed for three years stays."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, rent_price_per_gpu_hour=3, rent_price_decline_ratio=0)
    without = plain(server, **asked)
    early, late = (plain(server, **asked, gpu_release_month=month, gpu_release_drop_ratio=0.3, gpu_release_interval_months=60) for month in (1, 37))
    def line(answer, side, key):
        return next(row["amount"] for row in answer["line_items"] if (row["side"], row["key"]) == (side, key))
    rents = [line(answer, "rent", "gpu_rental") for answer in (early, without, late)]
    sold = [-line(answer, "buy", "residual_value") for answer in (early, without, late)]
    assert rents == sorted(rents) and sold == sorted(sold) and rents[0] < rents[1] < rents[2] and sold[0] < sold[1] < sold[2]
    # three years after a start, of an interval of five: the mean price is 1 - 0.3 x 36 / 60 of what it was before a release
    assert sold[0] / sold[1] == pytest.approx(0.7 / (1 - 0.3 * 36 / 60), rel=1e-5)
    assert sold[2] / sold[1] == pytest.approx(1 / (1 - 0.3 * 36 / 60), rel=1e-5)
    assert "gpu_release_month" in refused(server, **asked, gpu_release_month=61, gpu_release_interval_months=60)
    fixed = [line(plain(server, **asked, purchase_option="reserved_3yr", **more), "rent", "gpu_rental")
             for more in ({}, dict(gpu_release_month=6))]
    assert fixed[0] == fixed[1]


def test_two_independent_inputs_add_their_variances(server):
    """Staff and electricity are each linear in the saving, and no product of the two is in it."""
    bands = dict(staff_fte=(0.1, 0.25, 0.5), electricity_price_per_kwh=(0.02, 0.12, 0.6))
    answer = risk(server, **FEW, draws=100000, rent_price_decline_ratio=0.1,
                  drawn=",".join(bands), bands=",".join(f"{k}:{low}:{high}" for k, (low, _, high) in bands.items()))
    units = (numpy.arange(100000) + 0.5) / 100000
    parts = {}
    for key, triangle in bands.items():
        at = [plain(server, **FEW | {"rent_price_decline_ratio": 0.1, key: value})["buy_saving"] for value in (0.1, 0.2)]
        parts[key] = (10 * (at[1] - at[0])) ** 2 * value_at(triangle, units).var()
    for key, variance in parts.items():
        assert shares(answer)[key] == pytest.approx(variance / sum(parts.values()), abs=0.015), key
    assert min(parts.values()) / sum(parts.values()) > 0.1, "neither is next to nothing"


def test_rents_and_resale_fall_together(server):
    """A rent that falls fast makes buying worse, and so does what is left of the servers then."""
    both = dict(draws=20000, drawn="rent_price_decline_ratio,annual_value_retention")
    width = []
    for correlation in (0, 0.5, 1):
        answer = risk(server, **BASE | both | dict(rent_resale_correlation=correlation))
        width.append(answer["buy_saving_p95"] - answer["buy_saving_p05"])
    assert width[0] < width[1] < width[2]
    # With 1 the one decides the other: the ends are those of both at once.
    asked = BASE | dict(annual_value_retention=None, rent_price_decline_ratio=None)
    for percent in (5, 95):
        unit = 1 - percent / 100
        decline, kept = value_at((-0.05, 0.04, 0.11), unit), value_at((0.6, 0.72, 0.8), 1 - unit)
        known = plain(server, **{k: v for k, v in asked.items() if v is not None},
                      rent_price_decline_ratio=float(decline), annual_value_retention=float(kept))
        assert answer[f"buy_saving_p{percent:02}"] == pytest.approx(known["buy_saving"], rel=0.02, abs=500)


# --- what must hold

@pytest.mark.parametrize("price, probability", [(3.93, 0), (9, 1)])
def test_without_any_spread_it_is_the_break_even_itself(server, price, probability):
    asked = BASE | dict(rent_price_per_gpu_hour=price)
    answer, known = risk(server, **collapsed(asked)), plain(server, **asked)
    assert answer["probability_buy_cheaper"] == probability
    for figure in ("mean", "p05", "p50", "p95"):
        # the total of the ledger is that of lines rounded to cents
        assert answer["buy_saving_" + figure] == pytest.approx(known["buy_saving"], abs=0.3)
    assert answer["buy_saving_p05"] == answer["buy_saving_p95"]
    assert answer["buy_saving"] == known["buy_saving"]
    assert answer["break_even_months_p50"] == pytest.approx(known["break_even_months"]) \
        if known["break_even_months"] else answer["break_even_months_p50"] is None
    assert answer["expected_regret"] == 0
    assert set(shares(answer).values()) == {None}


@pytest.mark.parametrize("month", [1, 12, 35, 36, 48])
def test_a_second_purchase_is_sold_at_its_own_age(server, month):
    """Without any spread every draw is the ledger, in which what was bought later is newer."""
    base = BASE | dict(gpu_count=32, second_gpu_count=16, second_purchase_month=month,
                       annual_value_retention=0.5, rent_price_per_gpu_hour=9)
    whole, answer = plain(server, **base), risk(server, **collapsed(base), draws=100)
    for name in ("buy_saving_mean", "buy_saving_p05", "buy_saving_p95"):
        assert answer[name] == pytest.approx(whole["buy_saving"], abs=0.2), name
    assert answer["break_even_months_p50"] == pytest.approx(whole["break_even_months"], rel=1e-5)


@pytest.mark.parametrize("option", ["on_demand", "spot", "reserved_1yr", "reserved_3yr"])
def test_a_dearer_rent_makes_buying_likelier(server, option):
    asked = BASE | dict(purchase_option=option, draws=2000)
    chances = [risk(server, **asked | dict(rent_price_per_gpu_hour=price))["probability_buy_cheaper"]
               for price in (1, 2, 3, 4, 5, 6, 8, 12)]
    assert chances == sorted(chances) and chances[0] < 0.01 and chances[-1] > 0.9


@pytest.mark.parametrize("more", [
    {}, dict(rent_price_per_gpu_hour=6), dict(lead_time_months=5), dict(tax_rate=0.25),
    dict(financing="operating_lease"), dict(horizon_months=120), dict(useful_life_months=240),
    dict(residual_value=50000), dict(gpu_replacement_ratio=0.5), dict(draws=100), dict(utilization=0),
    dict(utilization=1), dict(purchase_option="capacity_block"), dict(horizon_months=1)])
def test_percentiles_are_in_order(server, more):
    answer = risk(server, **BASE | dict(draws=5000) | more)
    assert answer["buy_saving_p05"] <= answer["buy_saving_p50"] <= answer["buy_saving_p95"]
    rows = answer["distribution"]
    assert rows[0]["buy_saving_from"] <= answer["buy_saving_p05"]
    assert answer["buy_saving_p95"] <= rows[-1]["buy_saving_to"]
    months = [answer[f"break_even_months_p{percent}"] for percent in ("05", "50", "95")]
    known = [month for month in months if month is not None]
    assert known == sorted(known) and months[:len(known)] == known
    for share in shares(answer).values():
        assert share is None or 0 <= share <= 1
    assert 0 <= answer["expected_regret"]


def test_what_matters_most_comes_first(server):
    rows = risk(server, **BASE)["drawn_inputs"]
    assert [row["variance_share"] for row in rows] == sorted(
        (row["variance_share"] for row in rows), reverse=True)
    dear = BASE | dict(electricity_price_per_kwh_high=5)
    assert risk(server, **dear)["drawn_inputs"][0]["key"] == "electricity_price_per_kwh"


@pytest.mark.parametrize("more, name, matters", [
    ({}, "gpu_annual_failure_ratio", False),
    (dict(gpu_replacement_ratio=1, gpu_annual_failure_ratio_high=0.5), "gpu_annual_failure_ratio", True),
    ({}, "annual_value_retention", True),
    (dict(financing="operating_lease"), "annual_value_retention", False),
    (dict(residual_value=50000), "annual_value_retention", False)])
def test_what_costs_nothing_has_no_share(server, more, name, matters):
    assert (shares(risk(server, **BASE | more))[name] > 0) == matters


@pytest.mark.parametrize("workload", [
    dict(model="llama-3.1-8b", requests_per_minute=3000, input_tokens=1000, output_tokens=300),
    dict(model="llama-2-7b", tokens=2e11, runs_per_year=4, gpu_count=32)])
def test_of_a_workload(server, workload):
    """Utilization follows from what is to be done, and is drawn around that."""
    asked = dict(gpu="h100-sxm5-80gb", rent_price_per_gpu_hour=3, server_price=300000) | workload
    known, answer = plain(server, **asked), risk(server, **asked)
    row = next(row for row in answer["drawn_inputs"] if row["key"] == "utilization")
    assert row["mode"] == pytest.approx(known["inputs"]["utilization"]["value"], rel=1e-3)
    assert answer["buy_saving"] == known["buy_saving"]
    assert answer["buy_saving_p05"] < known["buy_saving"] < answer["buy_saving_p95"]


# --- prices nobody knows; bad input; formats

# Nobody rents these out; nobody sells the gaudi2; half a use and none.
@pytest.mark.parametrize("asked, gives", [
    (dict(gpu="rtx-3090-ti", gpu_count=8), "enter rent_price_per_gpu_hour"),
    (dict(gpu="p100-sxm2-16gb"), "enter rent_price_per_gpu_hour"),
    (dict(gpu="mi250x", gpu_card_price=1000), "enter rent_price_per_gpu_hour"),
    (dict(gpu="h100-sxm5-80gb", region="nowhere"), "enter rent_price_per_gpu_hour"),
    (dict(gpu="gaudi2", rent_price_per_gpu_hour=1), "enter server_price or gpu_card_price"),
    (dict(gpu="gaudi2"), "enter rent_price_per_gpu_hour and server_price or gpu_card_price")])
@pytest.mark.parametrize("utilization", [0, 0.5])
def test_an_unknown_price_has_no_risk(server, asked, gives, utilization):
    """Each of them once looped for ever."""
    reply = server.get("/v1/break-even/risk", **asked, utilization=utilization, draws=100)
    assert (reply.status, reply.json["type"].rpartition("/")[2]) == (422, "no-solution")
    alone = gives == "enter server_price or gpu_card_price"
    assert gives in reply.json["detail"] and alone == ("/v1/break-even (rent_total_cost_low" in reply.json["detail"]), reply.text


def test_a_lease_of_servers_of_unknown_price_has_no_risk(server):
    """Its payments are known, but not what a failed GPU costs."""
    asked = dict(gpu="gaudi2", rent_price_per_gpu_hour=1, utilization=0.5,
                 financing="operating_lease", lease_payment_month=1000, gpu_annual_failure_ratio=0,
                 fabric_cost_ratio=0, storage_cost=0, spares_ratio=0, freight_install_ratio=0,
                 import_duty_ratio=0, vat_ratio=0, maintenance_ratio=0, insurance_ratio=0,
                 property_tax_ratio=0, decommissioning_ratio=0)
    assert plain(server, **asked)["verdict"] == "rent"
    assert server.get("/v1/break-even/risk", **asked, draws=100).status == 422


def test_it_warns_as_the_break_even_does(server):
    asked = dict(gpu="rtx-4090", utilization=0.4)
    codes = [warning["code"] for warning in plain(server, **asked)["warnings"]]
    assert "datacenter_licence" in codes
    assert [warning["code"] for warning in risk(server, **asked)["warnings"]] == codes + ["held_inputs"]
    assert risk(server, **asked)["offers_used"] == plain(server, **asked)["offers_used"]


@pytest.mark.parametrize("more, culprit, says", [
    (dict(draws=99), "draws", "between 100 and 1000000"),
    (dict(draws=1000001), "draws", "between 100 and 1000000"),
    (dict(draws=500.5), "draws", "whole"), (dict(seed=-1), "seed", "between 0"),
    (dict(seed="0.5"), "seed", "whole"),
    (dict(utilization_low=0.71), "utilization_low", "not be above utilization"),
    (dict(utilization_high=0.69), "utilization_high", "not be below utilization"),
    (dict(rent_price_per_gpu_hour_high=3), "rent_price_per_gpu_hour_high", "3.93"),
    (dict(annual_value_retention_high=1.1), "annual_value_retention_high", "between 0 and 1"),
    (dict(utilization_lo=0.6), "utilization_lo", "utilization_low"),
    (dict(lines="nonsense"), "lines", "no line")])
def test_bad_input(server, more, culprit, says):
    assert says in refused(server, **BASE | more)[culprit]["detail"]


def test_both_ends_are_refused_together(server):
    assert set(refused(server, **BASE | dict(utilization_low=0.8, electricity_price_per_kwh_high=0.01))) \
        == {"utilization_low", "electricity_price_per_kwh_high"}


def test_other_formats(server):
    answer = risk(server, **BASE)
    assert float(ask(server, ".txt", **BASE).text) == answer["probability_buy_cheaper"]
    assert float(ask(server, ".txt", field="buy_saving_p95", **BASE).text) == answer["buy_saving_p95"]
    row = next(csv.DictReader(io.StringIO(ask(server, ".csv", **BASE).text)))
    assert float(row["buy_saving_p05"]) == answer["buy_saving_p05"]
    assert row["break_even_months_p95"] == "", "never reached in as many"
    assert float(row["drawn_inputs.utilization"]) == shares(answer)["utilization"]
    root = xml.fromstring(ask(server, ".xml", **BASE).text)
    assert len(root.findall(".//class")) == len(answer["distribution"]) == 50
    given = dict(rent_price_per_gpu_hour_low=0.5 * 3.93, rent_price_per_gpu_hour_high=1.8 * 3.93)
    assert server.post("/v1/break-even/risk", BASE | given).json["buy_saving_mean"] == answer["buy_saving_mean"]


def drawing(server, **params):
    """The points of the curve, and the upright line at zero, None where there is none."""
    root = xml.fromstring(ask(server, ".svg", **params).text)
    (curve,) = root.iter(SVG + "polyline")
    points = [tuple(map(float, point.split(","))) for point in curve.get("points").split()]
    marks = [line for line in root.iter(SVG + "line") if line.get("class") == "at"]
    return points, marks[0] if marks else None


def test_the_drawing_marks_where_nothing_is_saved(server):
    points, zero = drawing(server, **BASE)
    assert len(points) == 51 and points == sorted(points), "rising to the right"
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    at = float(zero.get("x1"))
    assert points[0][0] < at < points[-1][0]
    height = next(y for x, y in points if x >= at)
    bottom, top = points[0][1], points[-1][1]
    assert 1 - (bottom - height) / (bottom - top) == pytest.approx(
        risk(server, **BASE)["probability_buy_cheaper"], abs=0.03)


def test_where_one_side_always_wins_there_is_no_zero_to_mark(server):
    assert drawing(server, **BASE | dict(rent_price_per_gpu_hour=40))[1] is None


def test_a_sentence_says_how_sure_the_verdict_is(server):
    answer = risk(server, **BASE)
    side, other = ("buying", "renting") if answer["verdict"] == "buy" else ("renting", "buying")
    said = answer["sentence"]
    assert said.startswith(f"As entered, {side} costs {abs(answer['buy_saving']):,.0f} USD less; it costs less in "
                           f"{100 * answer['probability_verdict_right']:.3g}% of {answer['draws']:,.0f} simulations. ")
    ends = re.search(r"between (-?[\d,]+) and (-?[\d,]+) USD", said).groups()
    for end, figure in zip(ends, (answer["buy_saving_p05"], answer["buy_saving_p95"])):
        assert abs(int(end.replace(",", "")) - figure) <= 0.505, "whole dollars of what is here to the cent"
    assert (f"{other} is cheaper by at least {answer['value_at_risk']:,.0f} USD" in said) == (answer["value_at_risk"] > 0)
    assert answer["ask_first"] is None or f"Find out {answer['ask_first']} first" in said
