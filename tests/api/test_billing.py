"""How providers bill time: the steps, the shortest billing, the term of a reservation; and what that makes of a short job."""
import math

import pytest

JOB = dict(model="llama-3.2-1b", tokens=2e8)  # some ten minutes on eight H100
HOURS_PER_YEAR = 8760


def amount(value):
    """As sentences write it."""
    return f"{value:,.0f} USD" if value >= 100 else f"{value:.2f} USD"


def ask(server, path, **params):
    return server.answer(f"/v1/{path}", **params).json


def plan(server, **params):
    return ask(server, "training-plan", **(JOB | params))


def said(answer, code):
    return [warning["detail"] for warning in answer["warnings"] if warning["code"] == code]


def hours(answer):
    return answer["paid_gpu_hours"] / answer["gpu_count"]


@pytest.mark.parametrize("provider, instance, billed", [
    ("aws", "p5.48xlarge", (1, 60)), ("lambda", "gpu_8x_h100_sxm5", (60, None)), ("vultr", None, (3600, 3600)),
    ("oci", "BM.GPU4.8", (1, 3600)), ("oci", "VM.GPU3.1", (1, 60)), ("coreweave", None, (60, 0)),
    ("scaleway", "RENDER-S", (3600, None)), ("scaleway", "H100-1-80G", (60, None)), ("datacrunch", None, (None, None))])
def test_an_offer_says_how_its_time_is_billed(server, provider, instance, billed):
    rows = [row for row in ask(server, "offers", provider=provider, limit=1000)["rows"] if instance in (None, row["instance"])]
    assert rows
    for row in rows:
        assert (row["billing_granularity_seconds"], row["billing_minimum_seconds"]) == billed
        assert (row["billing_source_url"] or "").startswith("https://") == (billed != (None, None))


def test_a_reservation_is_for_its_term(server):
    months = {row["purchase_option"]: row["commitment_months"]
              for row in ask(server, "offers", gpu="h100-sxm5-80gb", limit=1000)["rows"]}
    assert months == {"on_demand": None, "spot": None, "capacity_block": None, "reserved_1yr": 12, "reserved_3yr": 36}


def test_ten_minutes_are_an_hour_where_hours_are_billed(server):
    answer = plan(server, gpu="l40s", gpu_count=1, provider="vultr", tokens=1e7, setup_seconds=0)
    used, = answer["offers_used"]
    assert used["billing_granularity_seconds"] == used["billing_minimum_seconds"] == 3600
    assert hours(answer) < 1
    assert answer["billed_rent"] == pytest.approx(answer["price_per_gpu_hour"], abs=0.005)
    assert answer["billed_rent"] > 1.5 * answer["run_cost"]
    assert amount(answer["billed_rent"]) in said(answer, "billed_beyond_use")[0]
    check_total(answer)


def check_total(answer):
    """What is billed is what is compared: the lines add up to it, and so does the bill in words."""
    lines = {line["key"]: line for line in answer["line_items"] if line["group"] == "cost"}
    cents = sum(round(line["amount"] * 100) for line in lines.values())
    assert cents == round(answer["total_cost"] * 100)
    assert lines["unused_rent"]["amount"] == answer["unused_cost"] > 0
    assert answer["billed_rent"] + answer["other_cost"] == pytest.approx(answer["total_cost"], abs=0.001)
    assert answer["total_cost_low"] <= answer["total_cost"] <= answer["total_cost_high"]


def test_minutes_and_seconds_are_rounded_up(server):
    by_minute = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, provider="coreweave")
    minutes = math.ceil(hours(by_minute) * 60 - 1e-9)
    # the sum of two lines, each rounded to a cent
    assert by_minute["billed_rent"] == pytest.approx(minutes / 60 * 8 * by_minute["price_per_gpu_hour"], abs=0.01)
    by_second = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, provider="aws")
    assert by_second["run_cost"] <= by_second["billed_rent"] < 1.01 * by_second["run_cost"]
    assert not said(by_second, "billed_beyond_use")


def test_what_is_not_known_is_not_rounded(server):
    owned = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, purchase_option="owned", utilization=1)
    assert owned["billed_rent"] is None and owned["unused_cost"] == 0
    unknown = plan(server, gpu="a100-sxm4-80gb", gpu_count=8, provider="datacrunch")
    assert unknown["billed_rent"] == unknown["run_cost"]


def test_a_reserved_year_is_owed_for_ten_minutes(server):
    answer = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, purchase_option="reserved_1yr", budget=10_000)
    assert answer["run_cost"] < 10
    assert answer["within_budget"] is False and answer["budget_used_ratio"] > 10
    check_total(answer)
    assert answer["billed_rent"] == pytest.approx(answer["price_per_gpu_hour"] * 8 * HOURS_PER_YEAR, rel=1e-5)
    text, = said(answer, "commitment_outlasts_job")
    assert text.startswith("these reservations commit you to 12 months") and amount(answer["billed_rent"]) in text and "beyond the budget" in text
    assert answer["warnings"][0]["code"] in ("stale_price", "commitment_outlasts_job")


@pytest.mark.parametrize("asked", [
    dict(gpu="l40s", gpu_count=1, provider="vultr", tokens=1e7),
    dict(gpu="h100-sxm5-80gb", gpu_count=8, purchase_option="reserved_1yr"),
    dict(gpu="h100-sxm5-80gb", gpu_count=8),
])
def test_a_price_of_ones_own_is_billed_like_the_offers_it_replaces(server, asked):
    listed = plan(server, **asked)
    same = plan(server, **asked, price_per_gpu_hour=listed["price_per_gpu_hour"])
    for figure in ("total_cost", "billed_rent", "unused_cost", "run_cost"):
        assert same[figure] == pytest.approx(listed[figure], abs=0.011, rel=1e-6), figure
    doubled = plan(server, **asked, price_per_gpu_hour=2 * listed["price_per_gpu_hour"])
    assert doubled["unused_cost"] == pytest.approx(2 * listed["unused_cost"], abs=0.021, rel=1e-6)
    codes = [warning["code"] for warning in listed["warnings"]]
    assert ("commitment_outlasts_job" in codes) == bool(said(doubled, "commitment_outlasts_job"))


def test_a_duration_is_billed_as_the_run_is(server):
    half = dict(gpu="l40s", gpu_count=1, provider="vultr", tokens=1e7, duration_hours=1.5)
    answer = plan(server, **half)
    assert answer["duration_cost"] == pytest.approx(2 * answer["price_per_gpu_hour"], abs=0.005)
    own = plan(server, **half, price_per_gpu_hour=3)
    assert own["duration_cost"] == 6
    year = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, purchase_option="reserved_1yr", duration_hours=100)
    assert year["duration_cost"] == pytest.approx(year["billed_rent"], rel=1e-5)
    owned = plan(server, gpu="h100-sxm5-80gb", gpu_count=8, purchase_option="owned", utilization=1, duration_hours=100)
    assert owned["duration_cost"] == pytest.approx(800 * owned["price_per_gpu_hour"], rel=1e-5)


def test_a_reservation_that_is_used_up_is_followed_by_another(server):
    answer = ask(server, "training-plan", model="llama-3.1-8b", tokens=15e12, gpu="h100-sxm5-80gb", gpu_count=64,
                 purchase_option="reserved_1yr")
    years = math.ceil(hours(answer) / HOURS_PER_YEAR)
    assert years > 0
    check_total(answer)
    assert answer["billed_rent"] == pytest.approx(answer["price_per_gpu_hour"] * 64 * HOURS_PER_YEAR * years, rel=1e-5)


HOURLY = dict(provider="vultr", gpu="l40s")  # billed by the hour


def test_options_compare_what_is_billed(server):
    asked = HOURLY | dict(model="llama-3.2-1b", tokens=1e7, gpu_count=1)
    row, = ask(server, "training-plan/options", **asked)["options"]
    assert row["total_cost"] == ask(server, "training-plan", **asked)["total_cost"]


def test_the_recommendation_compares_what_is_billed(server):
    row = ask(server, "recommendation", **HOURLY, workload="train", model="llama-3.2-1b", tokens=1e7,
              purchase_options="on_demand", gpu_count_max=1)["options"][0]
    plan = server.get(row["train_plan"]).json
    assert plan["unused_cost"] > 0
    assert row["training_cost"] == plan["total_cost"]
    assert row["payments"] == pytest.approx(plan["total_cost"], abs=0.02)


@pytest.mark.parametrize("purchase_option, extra", [("on_demand", True), ("reserved_1yr", False)])
def test_break_even_rents_what_is_billed(server, purchase_option, extra):
    """A reservation is paid for all its hours already."""
    answer = ask(server, "break-even", **HOURLY, workload="train", model="llama-3.2-1b", tokens=1e7, gpu_count=1,
                 runs_per_year=12, horizon_months=12, purchase_option=purchase_option, rent_price_decline_ratio=0)
    plan = server.get(answer["workload_plan"]).json
    lines = {line["key"]: line["amount"] for line in answer["line_items"] if line["side"] == "rent"}
    assert (lines["rental_overheads"] > 0) == extra
    if extra:
        assert lines["gpu_rental"] + lines["rental_overheads"] == pytest.approx(12 * plan["billed_rent"], abs=0.1)
        assert not said(answer, "low_overheads")
