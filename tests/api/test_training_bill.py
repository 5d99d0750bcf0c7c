"""What a training costs besides the GPU-hours of its steps: every line, the interval, spot, energy."""
import random
import re

import pytest

JOB = dict(model="llama-2-7b", gpu="h100-sxm5-80gb", tokens=1e12, gpu_count=64)
ZERO = dict(experiment_ratio=0, repeated_run_ratio=0, checkpoints_kept=0, dataset_bytes_per_token=0, egress_gb=0,
            training_staff_fte=0)


def plan(server, **params):
    return server.answer("/v1/training-plan", **{**JOB, **params}).json


def money(answer):
    return {row["key"]: row for row in answer["line_items"] if row["group"] == "cost"}


def test_every_line_can_be_nothing(server):
    answer = plan(server, **ZERO)
    assert answer["total_cost"] == pytest.approx(answer["run_cost"] + answer["unused_cost"], abs=0.001)
    assert answer["run_cost"] > 0 and answer["other_cost"] == 0
    assert all(money(answer)[key]["amount"] == 0 for key in
               ("repeated_gpu_hours", "experiment_gpu_hours", "storage", "egress", "staff"))


def test_a_price_of_nothing_leaves_an_interval(server):
    """Capacity that is paid for already: of the training's other costs, and of what a service costs."""
    answer = plan(server, price_per_gpu_hour=0)
    assert answer["run_cost"] == 0 and 0 < answer["total_cost_low"] <= answer["total_cost"] <= answer["total_cost_high"]
    served = server.get("/v1/inference-sizing", model="llama-2-7b", gpu=JOB["gpu"], requests_per_minute=60, price_per_gpu_hour=0).json
    assert [served[f"cost_per_million_tokens{end}"] for end in ("", "_low", "_high")] == [0, 0, 0]


def test_random_bills_are_the_sum_of_their_lines_to_the_cent(server):
    rng = random.Random(24)
    for _ in range(60):
        given = dict(experiment_ratio=round(rng.uniform(0, 3), 3), repeated_run_ratio=round(rng.uniform(0, 1), 3),
                     checkpoints_kept=rng.randrange(200), dataset_bytes_per_token=round(rng.uniform(0, 5), 2),
                     storage_price_per_gb_month=round(rng.uniform(0, 0.3), 4), egress_gb=round(rng.uniform(0, 1e5), 1),
                     egress_price_per_gb=round(rng.uniform(0, 0.2), 4), training_staff_fte=round(rng.uniform(0, 20), 2),
                     staff_cost_per_fte_year=rng.randrange(400000), tokens=rng.choice((1e10, 3e11, 2e12)),
                     purchase_option=rng.choice(("on_demand", "spot")), gpu_count=rng.choice((8, 64, 256)))
        answer = plan(server, **given)
        lines, price = money(answer), answer["price_per_gpu_hour"]
        assert round(answer["total_cost"] * 100) == sum(round(row["amount"] * 100) for row in lines.values()), given
        run = sum(lines[key]["amount"] for key in ("step_gpu_hours", "calendar_gpu_hours", "interruption_gpu_hours", "setup_gpu_hours")
                  if key in lines)
        assert round(answer["run_cost"] * 100) == round(run * 100), given
        hours = answer["gpu_hours"] * (1 + given["experiment_ratio"] + given["repeated_run_ratio"])
        assert answer["paid_gpu_hours"] == pytest.approx(hours, rel=1e-5)
        months = answer["days"] * 24 / 730
        stored = given["checkpoints_kept"] * answer["checkpoint_gib"] * 2**30 / 1e9 + \
            given["tokens"] * given["dataset_bytes_per_token"] / 1e9
        other = stored * months * given["storage_price_per_gb_month"] + given["egress_gb"] * given["egress_price_per_gb"] + \
            given["training_staff_fte"] * given["staff_cost_per_fte_year"] / 12 * months
        assert answer["other_cost"] == pytest.approx(other, rel=2e-5, abs=0.02), given
        assert answer["total_cost"] == pytest.approx(
            hours * price + answer["unused_cost"] + other, rel=2e-5, abs=0.05), given


def test_defaults_have_sources(server):
    answer = plan(server)
    for name in ("experiment_ratio", "repeated_run_ratio", "checkpoints_kept", "dataset_bytes_per_token",
                 "training_staff_fte", "staff_cost_per_fte_year",
                 "spot_interruptions_per_instance_month"):
        row = answer["inputs"][name]
        assert row["source"] == "default" and row["reference"].startswith("/v1/assumptions?key="), name
        found = server.get(row["reference"]).json["rows"]
        assert found and all(each["source"] and each["source_date"] for each in found), name
    assert plan(server, method="lora")["inputs"]["experiment_ratio"]["value"] == 0


def test_the_interval_holds_the_price_of_providers(server):
    answer, given = plan(server), plan(server, price_per_gpu_hour=3)
    assert given["total_cost_low"] / given["total_cost"] == pytest.approx(
        given["days_low"] / given["days"], rel=1e-3), "a price that is given has no spread"
    assert answer["total_cost_low"] / answer["total_cost"] < given["total_cost_low"] / given["total_cost"]
    assert answer["total_cost_high"] / answer["total_cost"] > given["total_cost_high"] / given["total_cost"]
    prices = [row["job_price_per_gpu_hour"] for row in answer["offers_used"]]
    for end, price in (("low", min(prices)), ("high", max(prices))):
        at = plan(server, price_per_gpu_hour=price, calendar_ratio=answer["calendar_ratio"])
        inside = at["total_cost"] >= answer["total_cost_low"] - 1 if end == "low" else \
            at["total_cost"] <= answer["total_cost_high"] + 1
        assert inside, (end, price)


def test_spot_pays_for_interruptions(server):
    calm, usual, rough = (plan(server, purchase_option="spot", price_per_gpu_hour=1, spot_interruptions_per_instance_month=rate)
                          for rate in (0, 0.15, 30))
    assert calm["interruption_ratio"] == 0 and "interruption_gpu_hours" not in money(calm)
    assert 0 < usual["interruption_ratio"] < rough["interruption_ratio"]
    for answer in (usual, rough):
        assert answer["days"] == pytest.approx(calm["days"] * (1 + answer["interruption_ratio"]), rel=1e-4)
        assert answer["run_cost"] > calm["run_cost"]
    assert plan(server, price_per_gpu_hour=1)["days"] == calm["days"], "nothing is reclaimed on demand"
    wider = plan(server, purchase_option="spot", price_per_gpu_hour=1, gpu_count=512)
    assert wider["interruption_ratio"] > usual["interruption_ratio"], "any instance that goes stops them all"


def test_energy_and_carbon_by_country(server):
    germany, france = plan(server, country="DE"), plan(server, country="fr")
    assert germany["energy_kwh"] == france["energy_kwh"]
    assert germany["energy_kwh"] == pytest.approx(germany["paid_gpu_hours"] * 10.2 / 8 * 0.8 * 1.54, rel=1e-5)
    for answer, country in ((germany, "DE"), (france, "FR")):
        row, = server.get(f"/v1/carbon?country={country}").json["rows"]
        assert answer["carbon_kg"] == pytest.approx(answer["energy_kwh"] * row["carbon_g_per_kwh"] / 1000, rel=1e-4)
    assert plan(server)["carbon_kg"] is None
    assert server.get("/v1/training-plan", **JOB, country="zz").status == 400
    assert server.get("/v1/training-plan", **JOB, country="Germany").status == 400


def test_the_bill_is_that_of_options_and_recommendation(server):
    answer = plan(server)
    options = server.get("/v1/training-plan/options", **JOB, per_gpu=0).json
    row, = [each for each in options["options"] if each["gpu_count"] == 64]
    assert (row["total_cost"], row["total_cost_low"], row["total_cost_high"]) == tuple(
        answer[key] for key in ("total_cost", "total_cost_low", "total_cost_high"))
    advice = server.get("/v1/recommendation", workload="train", model="llama-2-7b", gpu="h100-sxm5-80gb", tokens=1e12,
                        purchase_options="on_demand,spot,owned").json
    assert advice["options"]
    for each in advice["options"]:
        linked = server.get(each["train_plan"]).json
        assert each["training_cost"] == pytest.approx(linked["total_cost"], abs=0.011), each["sentence"]
        assert each["days"] == linked["days"]


def test_a_budget_that_the_high_end_exceeds_or_a_run_of_minutes_spends(server):
    asked = dict(model="qwen3-8b", gpu="h100-sxm5-80gb", method="full", tokens=1e9, recompute="partial")
    said = lambda **more: {each["code"]: each["detail"] for each in
                           server.get("/v1/training-plan", **asked, **more).json["warnings"]}
    warned = said(budget=300)
    assert "the budget is 300 USD" in warned["budget_exceeded_at_high"]
    assert re.search(r"takes 4\d minutes on 64 GPUs", warned["short_run"])
    ample = said(budget=3000, gpu_count=8)
    assert not {"budget_exceeded_at_high", "short_run"} & set(ample)
    assert "short_run" not in said(deadline_days=1)


def test_a_budget_pays_the_whole_bill(server):
    asked = {k: v for k, v in JOB.items() if k != "gpu_count"}
    budget = plan(server)["total_cost"]
    answer = server.get("/v1/training-plan", **asked, budget=budget).json
    assert answer["total_cost"] <= budget
    most = server.get("/v1/training-plan/options", maximize="tokens", model="llama-2-7b", gpu="h100-sxm5-80gb",
                      budget=budget).json["options"][0]
    again = plan(server, tokens=most["tokens"], gpu_count=most["gpu_count"])
    assert again["total_cost"] == most["total_cost"] <= budget + 0.01
    assert plan(server, tokens=int(most["tokens"] * 1.001), gpu_count=most["gpu_count"])["total_cost"] > budget
