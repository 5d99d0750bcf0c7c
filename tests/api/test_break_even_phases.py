"""GPUs that are used otherwise in the first months: a ramp, or a training before a service."""
import itertools

import pytest

BASE = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.6, rent_price_per_gpu_hour=3.93,
            server_price=300000, horizon_months=36, housing="colocation")
JOB = dict(model="llama-2-13b", tokens=3e11, deadline_days=60)
LOAD = dict(model="llama-2-13b", requests_per_minute=600, input_tokens=1000, output_tokens=300,
            peak_to_average_ratio=3, latency_p95_seconds=12)
BOTH = dict(gpu="h100-sxm5-80gb") | JOB | LOAD
PRINTED = 1e-5  # the digits that the plans' own figures are printed with


def ask(server, path="/v1/break-even", **params):
    return server.answer(path, **params).json


def refused(server, **params):
    return server.refusals("/v1/break-even", **params)


def amounts(answer):
    return {(row["side"], row["key"]): row["amount"] for row in answer["line_items"]}


# --- the ledger with a first phase

@pytest.mark.parametrize("option", ["on_demand", "spot", "reserved_1yr"])
@pytest.mark.parametrize("months", [0.5, 7, 12.25, 36, 90])
def test_a_first_phase_like_the_rest_is_none(server, option, months):
    asked = BASE | dict(purchase_option=option, lead_time_months=2.5, inflation=0.03)
    plain = ask(server, **asked)
    phased = ask(server, **asked, first_phase_months=months, first_phase_utilization=0.6)
    assert amounts(phased) == amounts(plain)
    assert phased["break_even_months"] == plain["break_even_months"]
    assert phased["useful_gpu_hours"] == plain["useful_gpu_hours"]


def test_a_first_phase_beyond_the_horizon_is_all_there_is(server):
    phased = ask(server, **BASE, first_phase_months=40, first_phase_utilization=0.25)
    plain = ask(server, **BASE | dict(utilization=0.25))
    assert amounts(phased) == amounts(plain)
    assert phased["idle_cost"] == plain["idle_cost"]
    assert (phased["mean_utilization"], phased["utilization"]) == (0.25, 0.6)
    assert phased["break_even_utilization_status"] in ("rent_cheaper_throughout",
                                                       "buy_cheaper_throughout")


@pytest.mark.parametrize("key", ["electricity_it", "gpu_rental", "rental_idle_reservation"])
def test_use_counts_by_its_months(server, key):
    """Without growth and decline a line is the sum over the months of what each uses."""
    flat = BASE | dict(rent_price_decline_ratio=0, electricity_escalation_ratio=0,
                       capacity_reservation_idle_ratio=0.5)

    def line(**more):
        return sum(v for (_, k), v in amounts(ask(server, **flat | more)).items() if k == key)
    low, high = line(utilization=0.6), line(utilization=1)
    phased = line(first_phase_months=4.5, first_phase_utilization=1)
    assert phased == pytest.approx(low + (high - low) * 4.5 / 36, abs=0.02)


def test_quantities_follow_the_months(server):
    answer = ask(server, **BASE, first_phase_months=4.5, first_phase_utilization=1)
    rows = {row["key"]: row for row in answer["line_items"]}
    hours = 8 * 730 * (4.5 + 31.5 * 0.6)
    assert rows["gpu_rental"]["quantity"] == pytest.approx(hours)
    assert answer["mean_utilization"] == pytest.approx((4.5 + 31.5 * 0.6) / 36, abs=1e-4)
    assert answer["useful_gpu_hours"] == pytest.approx(hours * 0.95, rel=PRINTED)


def test_the_series_shows_the_use_of_each_month(server):
    asked = dict(first_phase_months=4.5, first_phase_utilization=1)
    series = ask(server, "/v1/break-even/series", **BASE, **asked)["series"]
    use = [point["utilization"] for point in series]
    assert use[0] is None and use[1:5] == [1] * 4 and use[5] == 0.8
    assert set(use[6:]) == {0.6}
    whole = ask(server, **BASE, **asked)
    assert series[36]["buy_cumulative_cost"] == whole["buy_total_cost"]
    assert series[36]["rent_cumulative_cost"] == whole["rent_total_cost"]


@pytest.mark.parametrize("name", ["first_phase_months", "first_phase_utilization"])
def test_more_use_makes_renting_dearer_by_more(server, name):
    asked = BASE | dict(first_phase_months=6, first_phase_utilization=0.9)
    answers = [ask(server, **asked | {name: value * (20 if name.endswith("months") else 1)})
               for value in (0.61, 0.7, 0.8, 0.9, 1)]
    for less, more in itertools.pairwise(answers):
        assert more["rent_total_cost"] > less["rent_total_cost"]
        assert more["buy_total_cost"] > less["buy_total_cost"]
        assert more["buy_saving"] > less["buy_saving"]


def test_the_turning_points_turn(server):
    asked = BASE | dict(first_phase_months=6, first_phase_utilization=1)
    answer = ask(server, **asked)
    at_rent = ask(server, **asked | dict(
        rent_price_per_gpu_hour=answer["break_even_rent_price_per_gpu_hour"]))
    assert at_rent["buy_saving"] == pytest.approx(0, abs=2)
    at_use = ask(server, **asked | dict(rent_price_per_gpu_hour=6))
    found = ask(server, **asked | dict(rent_price_per_gpu_hour=6,
                                       utilization=at_use["break_even_utilization"]))
    assert abs(found["buy_saving"]) < 1e-4 * found["buy_total_cost"]


@pytest.mark.parametrize("option", ["on_demand", "reserved_1yr"])
def test_risk_knows_the_first_phase(server, option):
    """Without any spread every draw is the ledger."""
    drawn = dict(rent_price_per_gpu_hour=6, rent_price_decline_ratio=0.15,
                 annual_value_retention=0.72, electricity_price_per_kwh=0.12, utilization=0.6,
                 gpu_annual_failure_ratio=0.09)
    ends = {f"{name}_{end}": value for name, value in drawn.items() for end in ("low", "high")}
    asked = BASE | drawn | dict(purchase_option=option, first_phase_months=8.5,
                                first_phase_utilization=1, capacity_reservation_idle_ratio=0.3)
    whole = ask(server, **asked)
    risk = ask(server, "/v1/break-even/risk", **asked, **ends, drawn=",".join(drawn), draws=100)
    assert risk["buy_saving_p50"] == pytest.approx(whole["buy_saving"], abs=0.3)
    assert risk["break_even_months_p50"] == pytest.approx(whole["break_even_months"], rel=1e-5)


def test_a_first_phase_needs_its_use(server):
    assert refused(server, **BASE, first_phase_months=3)["first_phase_utilization"]["code"] == \
        "missing_parameter"
    idle = ask(server, **BASE, first_phase_utilization=0.9)
    assert amounts(idle) == amounts(ask(server, **BASE))
    assert any("first_phase_utilization" in w["detail"] for w in idle["warnings"])


# --- a training, then a service on the same GPUs

@pytest.mark.parametrize("tokens, rate, larger", [(3e11, 600, "plan"), (1e10, 6000, "sizing")])
def test_it_is_the_plan_then_the_sizing(server, tokens, rate, larger):
    job, load = JOB | dict(tokens=tokens), LOAD | dict(requests_per_minute=rate)
    both = ask(server, gpu=BOTH["gpu"], **job | load)
    plan = ask(server, "/v1/training-plan", gpu=BOTH["gpu"], **job)
    sizing = ask(server, "/v1/inference-sizing", gpu=BOTH["gpu"], **load)
    n = max(plan["gpu_count"], sizing["gpu_count"])
    assert both["gpu_count"] == n == {"plan": plan, "sizing": sizing}[larger]["gpu_count"]
    assert plan["gpu_count"] != sizing["gpu_count"]
    assert both["workload"] == both["inputs"]["workload"]["value"] == "train_then_serve"
    assert both["workload_days"] == plan["days"]
    assert both["workload_replica_count"] == sizing["replica_count"]
    months = plan["paid_gpu_hours"] / plan["gpu_count"] / 730
    used = sizing["output_tokens_per_second"] / sizing["output_tokens_per_second_capacity"] \
        * sizing["gpu_count"] / n
    assert both["first_phase_months"] == pytest.approx(months, rel=PRINTED)
    assert both["first_phase_utilization"] == pytest.approx(plan["gpu_count"] / n, abs=5e-5)
    assert both["utilization"] == pytest.approx(used, abs=5e-5)
    hand = ask(server, gpu=BOTH["gpu"], gpu_count=n, utilization=used, first_phase_months=months,
               first_phase_utilization=plan["gpu_count"] / n, rented_ratio=sizing["gpu_count"] / n,
               connected_gpu_count=plan["gpu_count"], training_other_cost_month=plan["other_cost"] / 36, rental_overhead_ratio=0.1)
    assert both["mean_utilization"] == pytest.approx(hand["mean_utilization"], abs=1.01e-4), "to four digits"
    for name in ("buy_total_cost", "rent_total_cost", "useful_gpu_hours", "electricity_kwh"):
        assert both[name] == pytest.approx(hand[name], rel=PRINTED), name
    for key, amount in amounts(hand).items():
        assert amounts(both)[key] == pytest.approx(amount, rel=PRINTED, abs=0.01), key


def test_both_plans_can_be_read(server):
    both = ask(server, **BOTH)
    plan, sizing = (ask(server, both[name]) for name in ("workload_training_plan", "workload_plan"))
    assert plan["days"] == both["workload_days"]
    assert sizing["replica_count"] == both["workload_replica_count"]
    for name, of in (("first_phase_months", "workload_training_plan"),
                     ("utilization", "workload_plan"), ("gpu_count", "workload_plan")):
        entry = both["inputs"][name]
        assert (entry["source"], entry["reference"]) == ("chosen", both[of]), name
    alone = ask(server, gpu=BOTH["gpu"], **LOAD)
    assert alone["workload_training_plan"] is None and alone["first_phase_months"] == 0


def test_rented_hours_are_those_of_the_job_and_of_the_load(server):
    both = ask(server, **BOTH, purchase_option="on_demand")
    plan = ask(server, both["workload_training_plan"])
    served = ask(server, gpu=BOTH["gpu"], **LOAD)
    rented = {row["key"]: row for row in both["line_items"]}["gpu_rental"]["quantity"]
    later = served["gpu_count"] * 730 * (36 - both["first_phase_months"])
    assert rented == pytest.approx(plan["paid_gpu_hours"] + later, rel=1e-4)


def test_a_token_served_bears_the_training(server):
    both = ask(server, **BOTH)
    tokens = both["workload_tokens_per_day"] / 24 * 730 * (36 - both["first_phase_months"])
    for side in ("buy", "rent"):
        assert both[f"{side}_cost_per_million_tokens"] == pytest.approx(
            both[f"{side}_total_cost"] / tokens * 1e6, rel=PRINTED)


def test_held_gpus_do_both(server):
    both = ask(server, **BOTH, gpu_count=64)
    assert (both["gpu_count"], both["first_phase_utilization"]) == (64, 1)
    plan = ask(server, both["workload_training_plan"])
    assert plan["gpu_count"] == 64 and plan["days"] == both["workload_days"]


@pytest.mark.parametrize("name, values", [("tokens", (1e10, 1e11, 3e11, 1e12)),
                                          ("requests_per_minute", (60, 600, 1200, 2400))])
def test_more_work_never_costs_less_rent(server, name, values):
    totals = [ask(server, **BOTH | {name: value}, gpu_count=64)["rent_total_cost"]
              for value in values]
    assert totals == sorted(totals), "64 GPUs around the clock, whatever they do"


def test_a_short_training_is_next_to_the_service_alone(server):
    # A training needs all its GPUs on one network, a service only those of a replica: one price for both.
    one = dict(gpu_count=16, rent_price_per_gpu_hour=3.93)
    alone = ask(server, gpu=BOTH["gpu"], **LOAD, **one)
    both = ask(server, **BOTH | dict(tokens=1e6), **one)
    assert both["buy_total_cost"] == pytest.approx(alone["buy_total_cost"], rel=1e-4)
    assert both["rent_total_cost"] == pytest.approx(alone["rent_total_cost"], rel=1e-3)


def test_said_in_words_it_is_the_same(server):
    said, meant = ask(server, **BOTH, workload="train_then_serve"), ask(server, **BOTH)
    assert amounts(said) == amounts(meant)
    assert said["inputs"]["workload"]["source"] == "request"


@pytest.mark.parametrize("asked, culprit, code", [
    (dict(BOTH, runs_per_year=2), "runs_per_year", "contradiction"),
    (dict(BOTH, hosted_input_price_per_million_tokens=1,
          hosted_output_price_per_million_tokens=3), "hosted_input_price_per_million_tokens",
     "contradiction"),
    (dict(BOTH, first_phase_months=3), "first_phase_months", "contradiction"),
    (dict(BOTH, utilization=0.3), "utilization", "contradiction"),
    (dict(BOTH, deadline_days=60, horizon_months=1), "deadline_days", "contradiction"),
    (dict(LOAD, gpu="l40s", deadline_days=60), "tokens", "missing_parameter"),
    (dict(JOB, gpu="l40s", input_tokens=10), "tokens_per_day", "missing_parameter"),
    (dict(JOB, gpu="l40s", workload="train_then_serve"), "tokens_per_day", "missing_parameter"),
    (dict(JOB, gpu="l40s", workload="serve"), "tokens", "contradiction"),
])
def test_bad_input(server, asked, culprit, code):
    errors = refused(server, **asked)
    assert errors[culprit]["code"] == code, errors


def test_gpus_are_compared_for_both(server):
    named = ("h100-sxm5-80gb", "h200-sxm5-141gb", "a100-sxm4-80gb")
    answer = ask(server, "/v1/break-even/gpus", **BOTH | dict(gpu=",".join(named)))
    assert answer["workload"] == "train_then_serve"
    for row in answer["options"]:
        alone = ask(server, **BOTH | dict(gpu=row["gpu"]))
        for name in ("gpu_count", "mean_utilization", "buy_total_cost", "rent_total_cost",
                     "rent_cost_per_million_tokens", "workload_training_plan"):
            assert row[name] == alone[name], name


def test_what_both_plans_say_of_the_model_is_said_once(server):
    answer = ask(server, **BOTH | dict(model="mixtral-8x7b-v0.1"))
    said = [(w["code"], w["detail"]) for w in answer["warnings"]]
    assert len(said) == len(set(said))
    typical = {k: v for k, v in BOTH.items() if k != "model"} | dict(parameters=13e9)
    codes = [w["code"] for w in ask(server, **typical)["warnings"]]
    assert codes.count("typical_shape") == 1
