"""When the rented GPUs of a service are there: around the clock, with the load, or for some hours."""
import math

import pytest

from answers import codes, given

CHAT = dict(workload="serve", model="llama-3.1-8b", gpu="h100-sxm5-80gb", daily_users=200, requests_per_user_per_day=20)
HOURLY = dict(purchase_option="on_demand")
BUSY = CHAT | dict(daily_users=200_000, peak_to_average_ratio=4)
MONTH = 730


def ask(server, path="/v1/break-even", **params):
    return server.answer(path, **params).json


def errors(server, **params):
    return {name: error["detail"] for name, error in server.refusals("/v1/break-even", **params).items()}


def rental(answer):
    line, = [line for line in answer["line_items"] if line["key"] == "gpu_rental"]
    return line


def test_a_service_is_rented_around_the_clock(server):
    """Three years of an H100 for 165 USD: the rent of the seconds in which somebody asks."""
    answer = ask(server, **CHAT, **HOURLY)
    sizing = ask(server, "/v1/inference-sizing", **{k: v for k, v in CHAT.items() if k != "workload"})
    assert given(answer, "rent_schedule") == "always_on" and given(answer, "rented_ratio") == 1
    assert rental(answer)["quantity"] == sizing["gpu_count"] * MONTH * answer["horizon_months"]
    assert rental(answer)["unit_price"] * MONTH == pytest.approx(sizing["cost_per_month"], rel=1e-6)
    assert answer["utilization"] < 0.01, "the load is not what is paid for"


def test_a_utilization_that_is_typed_is_what_is_rented(server):
    answer = ask(server, gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.3)
    assert rental(answer)["quantity"] == pytest.approx(8 * MONTH * 36 * 0.3)
    half = ask(server, gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.3, rented_ratio=0.5)
    assert rental(half)["quantity"] == pytest.approx(8 * MONTH * 36 * 0.5)
    assert half["buy_total_cost"] == answer["buy_total_cost"]
    assert "rented_ratio" in errors(server, gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.3, rented_ratio=0.2)


def replica_hours(n, peak, least, start, minimum):
    """Hours of a day in which replicas are rented, counted minute by minute from the load's course."""
    low, high = 0.0, 4096.0
    for _ in range(100):
        k = (low + high) / 2
        mean = math.exp(math.lgamma(k + 0.5) - math.lgamma(k + 1)) / math.sqrt(math.pi)
        low, high = (k, high) if mean > 1 / peak else (low, k)
    steps = 48 * 1440
    load = [((1 + math.cos(2 * math.pi * (i + 0.5) / steps)) / 2) ** k for i in range(steps)]
    hours = 0
    for i in range(1, n + 1):
        on = sum(x > (i - 1) / n for x in load) * 24 / steps
        hours += 24 if i <= least else min(24, max(on + start / 3600, minimum / 3600))
    return hours


@pytest.mark.parametrize("least,start,minimum", [(1, 0, 0), (2, 600, 60), (1, 240, 6 * 3600), (10_000, 0, 0)])
def test_replicas_that_follow_the_load_come_and_go_with_the_day(server, least, start, minimum):
    answer = ask(server, **BUSY, rent_schedule="follows_load", min_replicas=least, service_start_seconds=start,
                 billing_minimum_seconds=minimum)
    n = int(answer["workload_replica_count"])
    assert n > 2
    assert given(answer, "rented_ratio") == pytest.approx(replica_hours(n, 4, least, start, minimum) / 24 / n, rel=1e-3)
    assert rental(answer)["quantity"] == pytest.approx(
        answer["gpu_count"] * MONTH * 36 * given(answer, "rented_ratio"), rel=1e-6)
    assert answer["utilization"] <= given(answer, "rented_ratio") <= 1


def test_what_follows_the_load_is_said_and_costs_less(server):
    always, follows = ask(server, **BUSY), ask(server, **BUSY, rent_schedule="follows_load")
    assert follows["rent_total_cost"] < always["rent_total_cost"]
    assert follows["buy_total_cost"] == always["buy_total_cost"]
    assert "rent_follows_load" in codes(follows) and "rent_follows_load" not in codes(always)
    flat = ask(server, **CHAT | dict(daily_users=200_000), rent_schedule="follows_load")
    assert given(flat, "rented_ratio") == 1 and "no_peak" in codes(flat)


def test_active_hours_carry_the_whole_load(server):
    """Eight hours of five days: 40 of 168, the load of the week in them, and four minutes to start each day."""
    answer = ask(server, **CHAT, rent_schedule="active_hours", active_hours_per_day=8, active_days_per_week=5)
    assert given(answer, "rented_ratio") == pytest.approx((8 + 240 / 3600) * 5 / 168, rel=1e-6)
    assert given(answer, "peak_to_average_ratio") == pytest.approx(168 / 40)
    plan = server.get(answer["workload_plan"]).json
    assert plan["gpu_count"] == answer["gpu_count"] and given(plan, "peak_to_average_ratio") == pytest.approx(168 / 40)
    assert "peak_to_average_ratio" in errors(server, **CHAT, rent_schedule="active_hours", active_hours_per_day=8,
                                              active_days_per_week=5, peak_to_average_ratio=2)
    assert "active_hours_per_day" in errors(server, **CHAT, rent_schedule="active_hours")


def test_a_schedule_belongs_to_a_service(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8)
    assert "rent_schedule" in errors(server, **asked, workload="train", model="llama-2-7b", tokens=1e9,
                                     rent_schedule="always_on")
    assert "tokens_per_day" in errors(server, **asked, utilization=0.5, rent_schedule="always_on")
    assert "rented_ratio" in errors(server, **CHAT, rented_ratio=0.5)
    assert "without_effect" in codes(ask(server, **CHAT, min_replicas=2))


def test_a_reservation_is_paid_whatever_the_schedule(server):
    one = ask(server, **BUSY, purchase_option="reserved_1yr", rent_price_per_gpu_hour=2)
    other = ask(server, **BUSY, purchase_option="reserved_1yr", rent_price_per_gpu_hour=2, rent_schedule="follows_load")
    assert one["rent_total_cost"] == other["rent_total_cost"]


def test_a_training_before_the_service_is_paid_while_it_runs(server):
    answer = ask(server, workload="train_then_serve", model="llama-2-7b", gpu="h100-sxm5-80gb", tokens=2e10,
                 deadline_days=30, daily_users=200, requests_per_user_per_day=20)
    all_hours = answer["gpu_count"] * MONTH
    served = given(answer, "rented_ratio") * all_hours * (36 - answer["first_phase_months"])
    trained = answer["first_phase_utilization"] * all_hours * answer["first_phase_months"]
    assert rental(answer)["quantity"] == pytest.approx(served + trained, rel=1e-6)
    assert "rent_follows_load" not in codes(answer), "those that serve are there around the clock"


def test_the_recommendation_rents_by_the_same_schedule(server):
    asked = dict(BUSY, weight_dtype="bf16", purchase_options="on_demand")
    for schedule in ({}, dict(rent_schedule="follows_load", min_replicas=2),
                     dict(rent_schedule="active_hours", active_hours_per_day=10)):
        ledger = ask(server, **{k: v for k, v in asked.items() if k != "purchase_options"} | schedule | HOURLY)
        rows = ask(server, "/v1/recommendation", **asked | schedule)["options"]
        row = next(row for row in rows if row["gpu_count"] == ledger["gpu_count"])
        assert row["total_cost"] == pytest.approx(ledger["rent_total_cost"], abs=0.02)
        link = server.get(row["break_even"]).json
        assert link["rent_total_cost"] == pytest.approx(row["total_cost"], abs=0.01)


def test_a_hosted_api_is_held_against_gpus_around_the_clock(server):
    """From how many tokens a day renting pays: fewer where the GPUs are given back at night."""
    prices = dict(hosted_input_price_per_million_tokens=0.2, hosted_output_price_per_million_tokens=0.6)
    always = ask(server, **BUSY, **prices, **HOURLY)["rent_break_even_tokens_per_day"]
    follows = ask(server, **BUSY, **prices, **HOURLY, rent_schedule="follows_load")["rent_break_even_tokens_per_day"]
    assert follows is None or always is None or follows <= always
    assert always is None or always > 1e6
