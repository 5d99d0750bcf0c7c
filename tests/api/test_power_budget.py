"""A limit on the power at the meter: what draws more is ruled out, with the least that would do."""
import math

import pytest

from answers import details

SERVE = dict(model="llama-3.1-70b", requests_per_minute=600)
TRAIN = dict(model="llama-3.1-8b", tokens=1e11)
H100_SERVER_KW = 10.2 * 1.54  # the reference server, in a room or in colocation


def ask(server, path, **params):
    return server.answer(f"/v1/{path}", **params).json


def refused(server, path, **params):
    reply = server.get(f"/v1/{path}", **params)
    assert reply.status == 422, reply.text
    return reply.json["detail"]


# --- the power itself is the same figure everywhere

@pytest.mark.parametrize("gpus, servers", ((8, 1), (9, 2), (64, 8)))
def test_power_is_that_of_whole_servers_at_the_meter(server, gpus, servers):
    bought = ask(server, "break-even", gpu="h100-sxm5-80gb", gpu_count=gpus, gpus_per_node=8, utilization=0.5)
    assert math.isclose(bought["power_kw"], servers * H100_SERVER_KW, rel_tol=1e-5)
    assert bought["within_power_budget"] is None and bought["buy_ruled_out"] is None
    if gpus != 9:
        trained = ask(server, "training-plan", **TRAIN, gpu="h100-sxm5-80gb", gpu_count=gpus)
        assert trained["power_kw"] == bought["power_kw"] and trained["within_power_budget"] is None


def test_a_card_on_a_desk_draws_no_more_than_its_computer(server):
    answer = ask(server, "break-even", gpu="rtx-4090", gpu_count=1, utilization=0.3)
    sized = ask(server, "inference-sizing", gpu="rtx-4090", model="llama-3.1-8b", gpu_count=1)
    assert math.isclose(answer["power_kw"], 10.2 / 8 * 450 / 700, rel_tol=1e-5) and sized["power_kw"] == answer["power_kw"]


# --- a purchase

def test_a_purchase_beyond_the_power_is_no_verdict(server):
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=1, rent_price_per_gpu_hour=9, horizon_months=36)
    free, held = ask(server, "break-even", **asked), ask(server, "break-even", **asked, power_budget_kw=15)
    assert free["verdict"] == "buy" and held["verdict"] == "rent" and held["buy_ruled_out"] == "power"
    assert held["within_power_budget"] is False and held["buy_saving"] == free["buy_saving"] > 0
    assert "15.71 kW" in held["sentence"] and held["sentence"].startswith("Rent 8 x")
    assert "15.71 kW" in details(held)["power_budget_exceeded"]
    would_do = ask(server, "break-even", **asked, power_budget_kw=15.71)
    assert would_do["verdict"] == "buy" and would_do["within_power_budget"] is True
    risk = ask(server, "break-even/risk", **asked, power_budget_kw=15)
    assert risk["verdict"] == "rent" and "buying costs" in risk["sentence"] and "ruled out" in risk["sentence"]


# --- a design

def test_a_design_beyond_the_power_is_refused_with_the_least_that_would_do(server):
    told = refused(server, "inference-sizing", **SERVE, gpu="h100-sxm5-80gb", power_budget_kw=15)
    assert "15.71 kW" in told
    assert ask(server, "inference-sizing", **SERVE, gpu="h100-sxm5-80gb", power_budget_kw=15.71)["within_power_budget"]
    stated = ask(server, "inference-sizing", **SERVE, gpu="h100-sxm5-80gb", power_budget_kw=15, tensor_parallel=8,
                 pipeline_parallel=1, replica_count=1)
    assert stated["within_power_budget"] is False and "15.71 kW" in details(stated)["power_budget_exceeded"]


def test_options_keep_the_power_and_say_what_would_do(server):
    free = ask(server, "inference-sizing/options", **SERVE)
    held = ask(server, "inference-sizing/options", **SERVE, power_budget_kw=15)
    assert all(row["power_kw"] <= 15 for row in held["options"]) and held["options"]
    out = {row["gpu"]: row["sentence"] for row in held["ruled_out"] if row["reason"] == "power"}
    assert "15.71 kW" in out["h100-sxm5-80gb"]
    kept = {row["gpu"] for row in held["options"]}
    assert kept | set(out) >= {row["gpu"] for row in free["options"]} and not kept & set(out)
    first = {row["gpu"]: row for row in free["options"] if (row["power_kw"] or 99) <= 15}
    for row in held["options"]:
        if row["gpu"] in first:
            assert row["cost_per_hour"] == first[row["gpu"]]["cost_per_hour"], row


def test_a_training_keeps_the_power(server):
    asked = TRAIN | dict(gpu="h100-sxm5-80gb")
    told = refused(server, "training-plan", **asked, power_budget_kw=1)
    assert "kW" in told
    fast = ask(server, "training-plan", **asked, budget=1e6)
    held = ask(server, "training-plan", **asked, budget=1e6, power_budget_kw=40)
    assert held["power_kw"] <= 40 < fast["power_kw"] and held["within_power_budget"] is True
    late = refused(server, "training-plan", **asked, deadline_days=1, power_budget_kw=40)
    assert "the deadline takes" in late
    stated = ask(server, "training-plan", **asked, gpu_count=64, power_budget_kw=40)
    assert stated["within_power_budget"] is False and "power_budget_exceeded" in details(stated)


def test_training_options_keep_the_power(server):
    asked = TRAIN | dict(deadline_days=3)
    free, held = (ask(server, "training-plan/options", **asked, **more) for more in ({}, dict(power_budget_kw=200)))
    assert held["options"] and all(row["power_kw"] <= 200 for row in held["options"])
    out = [row for row in held["ruled_out"] if row["reason"] == "power"]
    assert out and "kW" in out[0]["sentence"]
    least = min(row["power_kw"] for row in ask(server, "training-plan/options", **asked, gpu=out[0]["gpu"], per_gpu=0)
                ["options"] if row["meets_deadline"])
    assert least > 200 and f"{math.ceil(least * 100) / 100:.10g} kW" in out[0]["sentence"]
    assert len(held["options"]) < len(free["options"])


def test_the_largest_model_keeps_the_power(server):
    asked = dict(maximize="parameters", budget=2e5, gpu="h100-sxm5-80gb", deadline_days=30)
    free, = ask(server, "training-plan/options", **asked)["options"]
    held, = ask(server, "training-plan/options", **asked, power_budget_kw=20)["options"]
    assert held["power_kw"] <= 20 < free["power_kw"] and held["parameters"] < free["parameters"]


# --- a recommendation

def test_only_what_is_bought_is_held_to_the_power(server):
    asked = dict(workload="serve", **SERVE, latency_p95_seconds=60)
    held = ask(server, "recommendation", **asked, power_budget_kw=8)
    for row in held["options"]:
        bought = row["acquisition"] in ("buy", "rent_and_buy", "in_hand")
        if row["acquisition"] != "hosted":
            assert (row["power_kw"] > 0) == bought and row["within_power_budget"], row
    out = [row for row in held["ruled_out"] if row["rule"] == "power"]
    assert out and all(row["value"] > row["threshold"] == 8 and "buying it takes" in row["sentence"] for row in out)
    only = ask(server, "recommendation", **asked, power_budget_kw=8, purchase_options="owned", gpu=out[0]["gpu"])
    assert not any(row["within_power_budget"] for row in only["options"])
    assert next(row for row in only["ruled_out"] if row["rule"] == "power")["value"] == out[0]["value"]


def test_a_budget_alone_buys_no_more_than_the_power(server):
    rows = ask(server, "recommendation", budget=3e6, power_budget_kw=40, gpu="h100-sxm5-80gb")["affordable"]
    counts = {row["acquisition"]: row["gpu_count"] for row in rows}
    assert counts["buy"] == 16 < counts["rent"]
