"""Credits of a cloud pay rent before money does: a line of every bill, to the cent, and the same in every answer."""
import pytest

from explanations import explained

BUY_OR_RENT = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.5, horizon_months=36, rent_price_per_gpu_hour=3,
                   rent_price_decline_ratio=0.1, rental_overhead_ratio=0.05)
TRAIN = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", gpu_count=64, tokens=1e11)


def ask(server, path, **params):
    return server.answer(f"/v1/{path}", **params).json


def line(answer, key, side="rent"):
    return next(row["amount"] for row in answer["line_items"] if row["key"] == key and row.get("side", side) == side)


def rents():
    """What falls due each month, before any rounding."""
    return [8 * 730 * 0.5 * 3 * 1.05 * 0.9 ** (month / 12) for month in range(36)]


# --- buy or rent

@pytest.mark.parametrize("credits, months", ((100000, 0), (100000, 6), (1e6, 0), (1e6, 7), (9198, 1), (0, 0)))
def test_credits_pay_each_month_until_they_are_gone_or_expire(server, credits, months):
    left, paid, grown, growth = credits, 0, 0, 1.1 ** (1 / 12)
    answer = ask(server, "break-even", **BUY_OR_RENT, cost_of_capital=0.1, cloud_credits=credits,
                 cloud_credits_months=months)
    for month, rent in enumerate(rents(), 1):
        used = min(left, rent) if not months or month <= months else 0
        left, paid, grown = left - used, paid + used, grown * growth + rent - used
    assert line(answer, "cloud_credits") == pytest.approx(-paid, abs=0.006)
    assert answer["rent_total_cost"] == pytest.approx(grown, abs=0.03)
    assert line(answer, "cloud_credits", "buy") == 0
    whole = sum(row["amount"] for row in answer["line_items"] if row["side"] == "rent")
    assert round(whole * 100) == round(answer["rent_total_cost"] * 100)
    unused = [w for w in answer["warnings"] if w["code"] == "credits_unused"]
    assert bool(unused) == (paid < credits - 0.01)
    if paid > 1:
        assert "of cloud credits" in answer["sentence"]


def test_every_table_of_the_answer_has_the_same_credits(server):
    asked = BUY_OR_RENT | dict(cloud_credits=50000, cloud_credits_months=9)
    answer = ask(server, "break-even", **asked)
    used = -line(answer, "cloud_credits")
    ledger = ask(server, "break-even/ledger", **asked)["ledger"]
    monthly = [row["amount"] for row in ledger if row["key"] == "cloud_credits" and row["side"] == "rent"]
    assert round(-sum(monthly) * 100) == round(used * 100) and min(monthly) < 0 and len(monthly) == 6
    assert round(sum(row["amount"] for row in ledger if row["side"] == "rent") * 100) == round(answer["rent_total_cost"] * 100)
    flow = ask(server, "break-even/cash-flow", **asked)["cash_flow"]
    assert [row["rent_cash"] for row in flow[1:5]] == [0, 0, 0, 0]
    series = ask(server, "break-even/series", **asked)["series"]
    assert series[36]["rent_cumulative_cost"] == answer["rent_total_cost"] and series[4]["rent_cumulative_cost"] == 0
    own = {row["purchase_option"]: row for row in ask(server, "break-even", gpu="h100-sxm5-80gb", gpu_count=8,
                                                      utilization=0.5, cloud_credits=50000)["rent_options"]}
    for option, row in own.items():
        alone = ask(server, "break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.5, cloud_credits=50000,
                    purchase_option=option)
        assert row["rent_total_cost"] == alone["rent_total_cost"]


def test_rents_paid_in_full_by_credits_are_within_their_ends(server):
    for price in (5.16e4, 3e4, 1e5):
        for credits in (62944800, 1e7, 123456789.01):
            rows = ask(server, "break-even", gpu="h100-pcie-80gb", utilization=0, gpu_count=1, server_price=price,
                       cloud_credits=credits)["rent_options"]
            assert len(rows) == 3
            for row in rows:
                assert row["rent_total_cost_low"] <= row["rent_total_cost"] <= row["rent_total_cost_high"], row


def test_the_turning_points_hold_with_credits(server):
    asked = BUY_OR_RENT | dict(cloud_credits=60000, utilization=0.9, rent_price_per_gpu_hour=6)
    answer = ask(server, "break-even", **asked)
    for name, status in (("utilization", "break_even_utilization"), ("rent_price_per_gpu_hour",
                                                                     "break_even_rent_price_per_gpu_hour")):
        at = answer[status]
        below, above = (ask(server, "break-even", **asked | {name: at * by}) for by in (0.9999, 1.0001))
        assert below["verdict"] == "rent" and above["verdict"] == "buy"


def test_a_buyer_who_waits_rents_with_credits_too(server):
    asked = BUY_OR_RENT | dict(lead_time_months=3)
    plain, with_credits = ask(server, "break-even", **asked), ask(server, "break-even", **asked, cloud_credits=1e6)
    waited = line(plain, "lead_time_rental", "buy")
    assert line(with_credits, "cloud_credits", "buy") == pytest.approx(-waited, abs=0.01)


# --- a training's bill

@pytest.mark.parametrize("credits, months", ((5000, 0), (1e9, 0), (1e9, 1), (0, 0)))
def test_a_training_pays_its_rent_with_credits(server, credits, months):
    plain = ask(server, "training-plan", **TRAIN)
    answer = ask(server, "training-plan", **TRAIN, cloud_credits=credits, cloud_credits_months=months)
    rent = round(plain["total_cost"] - plain["other_cost"], 2)
    used = min(credits, rent)
    assert answer["cloud_credits_used"] == used and round(plain["total_cost"] - used, 2) == answer["total_cost"]
    total = sum(row["amount"] for row in answer["line_items"] if row["group"] == "cost")
    assert round(total * 100) == round(answer["total_cost"] * 100)
    assert answer["total_cost_low"] <= answer["total_cost"] <= answer["total_cost_high"]
    rows = ask(server, "training-plan/options", **TRAIN, cloud_credits=credits, cloud_credits_months=months)["options"]
    assert rows[0]["total_cost"] == answer["total_cost"]
    why = ask(server, "training-plan", **TRAIN, cloud_credits=credits, explain=1)
    assert why["explanations"]


def test_credits_of_a_long_run_expire(server):
    slow = TRAIN | dict(gpu_count=8, tokens=1e12)
    plain = ask(server, "training-plan", **slow)
    months = plain["days"] * 24 / 730
    rent = plain["total_cost"] - plain["other_cost"]
    answer = ask(server, "training-plan", **slow, cloud_credits=1e9, cloud_credits_months=2)
    assert months > 3 and answer["cloud_credits_used"] == pytest.approx(rent * 2 / months, rel=1e-5)


def test_a_budget_is_held_against_what_is_paid(server):
    plain = ask(server, "training-plan", **TRAIN)
    short = plain["total_cost"] - 1000
    assert not ask(server, "training-plan", **TRAIN, budget=short)["within_budget"]
    assert ask(server, "training-plan", **TRAIN, budget=short, cloud_credits=1001)["within_budget"]


# --- sizing and recommendation

def test_sizing_says_how_long_credits_last(server):
    asked = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", requests_per_minute=60)
    answer = ask(server, "inference-sizing", **asked, cloud_credits=10000)
    assert answer["months_paid_by_credits"] == pytest.approx(10000 / answer["cost_per_month"], rel=1e-4)
    row, = ask(server, "inference-sizing/options", **asked, cloud_credits=10000)["options"]
    assert row["months_paid_by_credits"] == answer["months_paid_by_credits"]
    short = ask(server, "inference-sizing", **asked, cloud_credits=1e9, cloud_credits_months=4)
    assert short["months_paid_by_credits"] == 4
    assert ask(server, "inference-sizing", **asked)["months_paid_by_credits"] is None


def test_an_option_uses_credits_once(server):
    asked = dict(workload="finetune,serve", model="llama-3.1-8b", finetune_tokens=1e9, requests_per_minute=60,
                 purchase_options="on_demand", gpu="h100-sxm5-80gb", latency_p95_seconds=30)
    plain, some = ask(server, "recommendation", **asked), ask(server, "recommendation", **asked, cloud_credits=2000)
    before = {(row["roles"], row["gpu_count"]): row for row in plain["options"]}
    for row in some["options"]:
        if row["acquisition"] == "hosted":
            continue
        was = before[row["roles"], row["gpu_count"]]
        assert row["cloud_credits_used"] == 2000 and was["cloud_credits_used"] == 0
        assert round((was["payments"] - row["payments"]) * 100) == 200000
        assert was["total_cost"] - row["total_cost"] >= 2000
    linked = server.get(some["options"][0]["break_even"]).json
    assert -line(linked, "cloud_credits") <= 2000


def test_a_recommended_service_costs_what_break_even_says(server):
    asked = dict(workload="serve", model="llama-3.1-8b", requests_per_minute=60, purchase_options="on_demand",
                 gpu="h100-sxm5-80gb", latency_p95_seconds=30, cloud_credits=7000, cloud_credits_months=5)
    row = next(row for row in ask(server, "recommendation", **asked)["options"] if row["acquisition"] == "rent")
    linked = server.get(row["break_even"]).json
    assert linked["rent_total_cost"] == row["total_cost"] and -line(linked, "cloud_credits") == row["cloud_credits_used"]


# --- whose they are

def test_a_providers_credits_pay_its_own_rent_only(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, cloud_credits=100000)
    for more, used in ((dict(provider="aws", cloud_credits_provider="aws"), True), (dict(cloud_credits_provider="aws"), False),
                       (dict(provider="aws,azure", cloud_credits_provider="aws"), False), (dict(provider="aws"), True),
                       (dict(provider="aws", cloud_credits_provider="aws,azure"), True),
                       (dict(rent_price_per_gpu_hour=3, cloud_credits_provider="aws"), True), ({}, True)):
        answer = ask(server, "break-even", **asked, **more)
        assert (line(answer, "cloud_credits") < 0) == used, more
        assert bool([w for w in answer["warnings"] if w["code"] == "credits_elsewhere"]) == (not used), more
    there = ask(server, "break-even", **asked, provider="aws")
    elsewhere = ask(server, "break-even", **asked, cloud_credits_provider="aws")
    assert f"after its credits, it comes to {there['rent_total_cost']:,.0f} USD (provider=aws)" in elsewhere["sentence"]
    assert server.get("/v1/break-even", **asked, cloud_credits_provider="awss").status == 400


def test_the_same_of_plans_services_and_recommendations(server):
    serve = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", requests_per_minute=60)
    for path, asked, used in (
            ("training-plan", TRAIN, lambda answer: answer["cloud_credits_used"] > 0),
            ("inference-sizing", serve, lambda answer: answer["months_paid_by_credits"] is not None),
            ("recommendation", serve | dict(workload="serve", purchase_options="on_demand", latency_p95_seconds=30),
             lambda answer: answer["options"][0]["cloud_credits_used"] > 0)):
        mine = ask(server, path, **asked, cloud_credits=5000, cloud_credits_provider="aws", provider="aws")
        other = ask(server, path, **asked, cloud_credits=5000, cloud_credits_provider="aws")
        assert used(mine) and not used(other), path
        assert [w["code"] for w in other["warnings"]].count("credits_elsewhere") == 1, path


def test_credits_elsewhere_are_named_as_people_name_the_provider_and_keep_their_months(server):
    answer = ask(server, "break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, cloud_credits=100000,
                 cloud_credits_months=12, cloud_credits_provider="aws")
    assert "From Amazon Web Services, " in answer["sentence"]
    assert [w["detail"].startswith("credits of Amazon Web Services ") for w in answer["warnings"]
            if w["code"] == "credits_elsewhere"] == [True]
    assert not [w for w in answer["warnings"] if w["code"] == "without_effect"]
    idle = ask(server, "break-even", gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, cloud_credits_months=12)
    assert [w for w in idle["warnings"] if w["code"] == "without_effect"]


def test_credits_pay_no_more_than_the_low_end(server):
    """A job that credits pay costs nothing at worst, not less than nothing at best; the explanations add up."""
    for more in (dict(model="qwen3-32b", method="full", finetune_tokens=1e9), dict(model="llama-3.1-8b", method="lora", finetune_tokens=1e8)):
        answer = ask(server, "recommendation", workload="finetune", **more, cloud_credits=2000, purchase_options="on_demand", explain=1)
        explained(answer)
        assert answer["options"]
        for option in answer["options"]:
            assert -0.02 <= option["total_cost_low"] <= option["total_cost"] and option["payments_low"] >= -0.02, option  # cents of lines
