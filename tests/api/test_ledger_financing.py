"""How the purchase is paid for and housed: at once, by loan, by lease, in two parts; in a room of
one's own; and what contradicts itself."""
import pytest

BASE = dict(gpu="h100-sxm5-80gb", gpu_count=16, utilization=0.7, rent_price_per_gpu_hour=3.93,
            horizon_months=36, server_price=300000, housing="colocation")
LOAN = BASE | dict(financing="loan", financing_interest_ratio=0.11, loan_months=36)
LEASE = BASE | dict(financing="operating_lease", financing_interest_ratio=0.11, lease_months=36)


def ask(server, **params):
    reply = server.get("/v1/break-even", **params)
    assert reply.status == 200, reply.text
    return reply.json


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
    given = BASE | dict(utilization=0.712345678901, gpu_count=3)
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
])
def test_what_makes_no_sense_is_refused(server, extra, culprit, code):
    reply = server.get("/v1/break-even", **BASE | extra)
    assert reply.status == 400, reply.text
    assert {e["parameter"]: e["code"] for e in reply.json["errors"]} == {culprit: code}


@pytest.mark.parametrize("name,value,only", [
    ("loan_months", 24, "loan"), ("loan_down_payment_ratio", 0.2, "loan"),
    ("lease_months", 24, "operating_lease"), ("lease_payment_month", 9, "operating_lease"),
    ("lease_end", "buyout", "operating_lease"), ("lease_residual_ratio", 0.2, "operating_lease")])
def test_what_has_no_effect_is_said(server, name, value, only):
    assert f"{name} has an effect only with financing={only}" in warned(
        ask(server, **BASE | {name: value}))
    assert f"{name} has" not in warned(ask(server, **BASE | {name: value, "financing": only}))
