"""From model and traffic to buy, rent or a hosted API: the workload's plan inside a break-even."""
import itertools
import json
import urllib.parse
from decimal import ROUND_HALF_EVEN, Decimal, getcontext

import pytest

from openapi import inlined

getcontext().prec = 40

SERVE = dict(gpu="h100-sxm5-80gb", model="llama-2-13b", requests_per_minute=600, input_tokens=1000,
             output_tokens=300, peak_to_average_ratio=3, latency_p95_seconds=12)
TRAIN = dict(gpu="h100-sxm5-80gb", model="llama-2-13b", tokens=1e12, deadline_days=60,
             runs_per_year=4)
HOSTED = dict(hosted_input_price_per_million_tokens=1, hosted_output_price_per_million_tokens=3)
# Where GPUs and their use come from the plan the sums are the same, but for the digits that the
# plan's own figures are printed with.
PRINTED = 1e-5


def ask(server, path="/v1/break-even", **params):
    return server.answer(path, **params).json


def refused(server, status=400, **params):
    reply = server.get("/v1/break-even", **params)
    assert reply.status == status, reply.text
    return {e["parameter"]: e for e in reply.json.get("errors", [])} or reply.json["detail"]


def warnings(answer):
    return {w["code"] for w in answer["warnings"]}


def lines(answer, side=None):
    return {(row["side"], row["key"]): row for row in answer["line_items"]
            if side in (None, row["side"])}


# --- the same as by hand

def by_hand(server, gpu, **use):
    return ask(server, gpu=gpu, **use)


def test_a_served_load_is_the_sizing_then_the_break_even(server):
    bridged = ask(server, **SERVE)
    sizing = ask(server, "/v1/inference-sizing", **SERVE)
    hours = sizing["output_tokens_per_second"] / sizing["output_tokens_per_second_capacity"] \
        * sizing["gpu_count"] * 730
    hand = by_hand(server, SERVE["gpu"], gpu_count=sizing["gpu_count"], gpu_hours_per_month=hours, rented_ratio=1,
                   connected_gpu_count=sizing["tensor_parallel"] * sizing["pipeline_parallel"])
    assert bridged["gpu_count"] == sizing["gpu_count"] > 1
    assert bridged["utilization"] == sizing["utilization"]
    assert bridged["workload_replica_count"] == sizing["replica_count"]
    assert bridged["gpu_hours_per_month"] == pytest.approx(hours, rel=PRINTED)
    for total in ("buy_total_cost", "rent_total_cost", "useful_gpu_hours", "electricity_kwh"):
        assert bridged[total] == pytest.approx(hand[total], rel=PRINTED), total
    for key, line in lines(hand).items():
        assert lines(bridged)[key]["amount"] == pytest.approx(line["amount"], rel=PRINTED), key


def test_readers_and_writers_are_rented_as_one_cluster(server):
    """Prompts read on GPUs of their own are sent over the network: the verdict's rent is that of the sizing."""
    asked = dict(model="llama-3.1-70b", gpu="b200-sxm", requests_per_minute=3000, input_tokens=2000,
                 output_tokens=500, time_to_first_token_seconds_max=2, tokens_per_second_per_user_min=20, peak_load_ratio_max=1)
    sizing = ask(server, "/v1/inference-sizing", **asked)
    assert sizing["prefill_replica_count"] > 0 and sizing["price_basis"] == "cluster"
    bridged = ask(server, workload="serve", hosted=0, **asked)
    assert bridged["inputs"]["connected_gpu_count"]["value"] == sizing["gpu_count"] > 8
    rents = {row["purchase_option"]: row["rent_price_per_gpu_hour"] for row in bridged["rent_options"]}
    assert rents["on_demand"] == pytest.approx(sizing["cost_per_hour"] / sizing["gpu_count"], rel=PRINTED)
    said, = [row["detail"] for row in bridged["warnings"] if row["code"] == "list_price"]  # of the rent that the verdict uses
    assert said.startswith(f"{bridged['inputs']['rent_price_per_gpu_hour']['value']:.4g} USD/GPU-hour")


def test_a_training_is_the_plan_then_the_break_even(server):
    bridged = ask(server, **TRAIN)
    plan = ask(server, "/v1/training-plan",
               **{k: v for k, v in TRAIN.items() if k != "runs_per_year"})
    hours = plan["paid_gpu_hours"] * TRAIN["runs_per_year"] / 12
    other = plan["other_cost"] * TRAIN["runs_per_year"] / 12
    hand = by_hand(server, TRAIN["gpu"], gpu_count=plan["gpu_count"], gpu_hours_per_month=hours,
                   training_other_cost_month=other, rental_overhead_ratio=0)
    assert bridged["gpu_count"] == plan["gpu_count"] > 8
    assert bridged["workload_days"] == plan["days"]
    assert bridged["utilization"] == pytest.approx(
        hours / plan["gpu_count"] / 730, abs=5e-5)
    for total in ("buy_total_cost", "rent_total_cost", "useful_gpu_hours", "electricity_kwh"):
        assert bridged[total] == pytest.approx(hand[total], rel=PRINTED), total


def test_rented_hours_are_the_plans_and_owned_ones_are_all_of_them(server):
    answer = ask(server, **TRAIN, purchase_option="on_demand")
    plan = ask(server, answer["workload_plan"])
    rented = lines(answer)["rent", "gpu_rental"]["quantity"]
    assert rented == pytest.approx(plan["paid_gpu_hours"] * 4 * 3, rel=PRINTED)
    assert answer["idle_cost"] > 0.05 * answer["buy_total_cost"]


def test_the_plan_is_a_link_to_the_same_figures(server):
    served, trained = ask(server, **SERVE), ask(server, **TRAIN)
    sizing, plan = ask(server, served["workload_plan"]), ask(server, trained["workload_plan"])
    assert (served["workload"], trained["workload"]) == ("serve", "train")
    assert (sizing["gpu_count"], sizing["utilization"]) == (served["gpu_count"],
                                                            served["utilization"])
    assert (plan["gpu_count"], plan["days"]) == (trained["gpu_count"], trained["workload_days"])
    for name in ("gpu_count", "utilization", "gpu_hours_per_month"):
        assert served["inputs"][name]["source"] == "chosen"
        assert served["inputs"][name]["reference"] == served["workload_plan"]


def test_what_the_plan_takes_by_default_is_among_the_inputs(server):
    inputs = ask(server, gpu="h100-sxm5-80gb", model="llama-2-13b", tokens_per_day=1e8)["inputs"]
    assert inputs["input_tokens"] == {"value": 1024, "unit": "tokens", "source": "default"}
    assert inputs["weight_dtype"]["value"] == "bf16"
    assert inputs["workload"] == {"value": "serve", "source": "chosen"}
    assert inputs["tokens"]["value"] is None
    plain = ask(server, gpu="h100-sxm5-80gb", utilization=0.5)
    assert plain["inputs"]["workload"]["value"] == "none"
    assert plain["inputs"]["input_tokens"]["value"] is None
    assert (plain["workload"], plain["workload_plan"]) == (None, None)


def test_the_caller_may_hold_the_gpus_and_their_rent(server):
    free = ask(server, **SERVE)
    held = ask(server, **SERVE, gpu_count=16, rent_price_per_gpu_hour=2)
    sizing = ask(server, "/v1/inference-sizing", **SERVE, gpu_count=16)
    assert held["gpu_count"] == 16 > free["gpu_count"]
    assert held["utilization"] == sizing["utilization"] < free["utilization"]
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(held["workload_plan"]).query))
    assert (query["gpu_count"], query["price_per_gpu_hour"]) == ("16", "2")
    assert lines(held)["rent", "gpu_rental"]["unit_price"] == 2


def test_a_capped_gpu_trains_longer_and_draws_less(server):
    held = TRAIN | dict(gpu_count=64)
    usual, capped = ask(server, **held), ask(server, **held, gpu_tdp_w=400)
    assert capped["workload_days"] > usual["workload_days"]
    assert capped["inputs"]["node_power_kw"]["value"] < usual["inputs"]["node_power_kw"]["value"]


def test_a_config_in_the_body_stands_for_the_model(server):
    config = dict(model_type="llama", hidden_size=5120, intermediate_size=13824, vocab_size=32000,
                  num_hidden_layers=40, num_attention_heads=40, max_position_embeddings=4096)
    named = ask(server, **SERVE)
    body = {k: v for k, v in SERVE.items() if k != "model"} | dict(model_config=config)
    posted = server.post("/v1/break-even", body).json
    assert posted["buy_total_cost"] == named["buy_total_cost"]
    assert posted["workload_plan"] is None
    alone = server.post("/v1/break-even", dict(gpu="h100-sxm5-80gb", utilization=0.5,
                                               model_config=config))
    assert alone.status == 400 and "needs" not in alone.json["detail"]
    assert alone.json["errors"][0]["pointer"] == "#/model_config"


def test_the_rules_of_thumb_take_the_speed_of_the_plan(server):
    served, trained = ask(server, **SERVE), ask(server, **TRAIN)
    sizing, plan = ask(server, served["workload_plan"]), ask(server, trained["workload_plan"])
    assert served["inputs"]["tokens_per_second"]["value"] == pytest.approx(
        sizing["output_tokens_per_second_capacity"] * 1300 / 300, rel=PRINTED)
    assert trained["inputs"]["tokens_per_second"]["value"] == pytest.approx(
        plan["tokens_per_second_per_gpu"] * plan["gpu_count"], rel=PRINTED)


# --- what does not go together

@pytest.mark.parametrize("params, culprit, words", [
    (SERVE | dict(utilization=0.5), "utilization", "calculated from the inference load"),
    (SERVE | dict(gpu_hours_per_month=900), "gpu_hours_per_month", "calculated from the inference"),
    (TRAIN | dict(utilization=0.5), "utilization", "calculated from the training plan"),
    (SERVE | dict(workload="train", tokens=1e9), "requests_per_minute", "requires workload=serve"),
    (TRAIN | dict(workload="serve", tokens_per_day=1e6), "runs_per_year", "requires workload=train"),
    (dict(gpu="l4", model="llama-2-7b", utilization=0.5, workload="none"), "model",
     "requires workload=train or serve"),
    (dict(gpu="l4", model="llama-2-7b", utilization=0.5), "model", "needs a workload"),
    (SERVE | dict(tokens_per_day=1e6), "tokens_per_day", "means the same as"),
    (dict(gpu="l4", model="llama-2-7b", workload="serve"), "tokens_per_day", "is required"),
    (dict(gpu="l4", model="llama-2-7b", input_tokens=9), "tokens_per_day", "is required"),
    (dict(gpu="l4", model="llama-2-7b", workload="train"), "tokens", "is required"),
    (dict(gpu="l4", tokens_per_day=1e6), "model", "is required"),
    (SERVE | dict(model="llama-2-13x"), "model", "did you mean llama-2-13b"),
    (SERVE | dict(hosted_input_price_per_million_tokens=1),
     "hosted_output_price_per_million_tokens", "is required"),
    (SERVE | dict(hosted_cached_input_price_per_million_tokens=1),
     "hosted_input_price_per_million_tokens", "is required"),
    (TRAIN | HOSTED, "hosted_input_price_per_million_tokens", "requires workload=serve"),
    (TRAIN | dict(runs_per_year=40), "runs_per_year", "do not fit in a year"),
])
def test_what_does_not_go_together_is_named(server, params, culprit, words):
    errors = refused(server, **params)
    assert words in errors[culprit]["detail"]


def test_what_the_plan_has_no_part_in_is_refused_by_name(server):
    errors = refused(server, **SERVE | dict(idle_power_ratio=1, provider="nobody"))
    assert "idle_power_ratio" in str(errors) and "provider" in errors


def test_the_gpus_stated_must_do(server):
    assert "gpu_count=1 does not work" in refused(server, 422, **SERVE | dict(gpu_count=1))
    few = refused(server, 422, **TRAIN | dict(gpu_count=2, model="llama-2-70b"))
    assert few.startswith("gpu_count=2 does not work, ")
    assert "No setup meets" in refused(server, 422, **SERVE | dict(latency_p95_seconds=0.1))


def test_the_names_are_those_of_the_plans(server):
    """Unit, range and words of a workload's inputs, as the plans themselves describe them."""
    paths = inlined(server.get("/openapi.json").json)["paths"]

    def described(path):
        rows = paths[path]["get"]["parameters"]
        return {row["name"]: row["schema"] for row in rows}
    here = described("/v1/break-even")
    train, serve = described("/v1/training-plan"), described("/v1/inference-sizing")
    own = {"parameters", "gpu_count", "gpus_per_node", "purchase_option", "goodput", "utilization",
           "gpu_card_price", "provider", "region"}
    shared = (here.keys() & (train.keys() | serve.keys())) - own
    assert {"daily_users", "latency_p95_seconds", "engine", "deadline_days", "method"} <= shared
    for name in shared:
        plans = [each[name] for each in (train, serve) if name in each]
        keys = ("type", "minimum", "maximum", "enum")
        assert [here[name].get(k) for k in keys] in [[p.get(k) for k in keys] for p in plans], name


# --- how it moves

def test_more_volume_never_costs_less(server):
    answers = [ask(server, **SERVE | HOSTED | dict(requests_per_minute=rate))
               for rate in (6, 60, 200, 600, 1200, 2400, 6000)]
    for less, more in itertools.pairwise(answers):
        assert less["gpu_count"] <= more["gpu_count"]
        for total in ("buy_total_cost", "rent_total_cost"):
            assert less[total] <= more[total], total
        assert less["hosted_total_cost"] < more["hosted_total_cost"]
        assert less["break_even_tokens_per_day"] == more["break_even_tokens_per_day"]
    for answer, rate in zip(answers, (6, 60, 200, 600)):
        assert answer["workload_tokens_per_day"] == pytest.approx(rate * 1440 * 1300, rel=PRINTED)


@pytest.mark.parametrize("first, second", [
    (dict(requests_per_minute=600), dict(tokens_per_day=600 * 1440 * 1300)),
    (dict(requests_per_minute=600), dict(daily_users=86400, requests_per_user_per_day=10))])
def test_the_ways_to_state_a_load_agree(server, first, second):
    load = {k: v for k, v in (SERVE | HOSTED).items() if k != "requests_per_minute"}
    one, other = ask(server, **load, **first), ask(server, **load, **second)
    for name in ("gpu_count", "utilization", "buy_total_cost", "rent_total_cost",
                 "hosted_total_cost", "break_even_tokens_per_day"):
        assert one[name] == pytest.approx(other[name], rel=1e-9), name


def test_more_runs_keep_the_same_gpus_busier(server):
    hourly = TRAIN | dict(purchase_option="on_demand")
    once, often = ask(server, **hourly | dict(runs_per_year=1)), ask(server, **hourly)
    assert once["gpu_count"] == often["gpu_count"]
    assert often["utilization"] == pytest.approx(4 * once["utilization"], abs=2.5e-4)  # four decimals
    assert often["rent_total_cost"] == pytest.approx(4 * once["rent_total_cost"], rel=PRINTED)


# --- the hosted API

def cents(amount):
    return amount.quantize(Decimal("0.01"), ROUND_HALF_EVEN)


def hosted_by_hand(tokens_per_day, prompt, output, months=36, cached=0.0, prices=(1, 1, 3),
                   decline=0.0, capital=0.1, tax=0.0):
    """The third side in decimal arithmetic: (lines, total)."""
    d = lambda number: Decimal(repr(float(number)))
    month = d(tokens_per_day) * 730 / 24 / 1000000
    share = d(prompt) / (d(prompt) + d(output))
    quantity = [month * share * (1 - d(cached)), month * share * d(cached), month * (1 - share)]
    amounts, paid, grown, saved = [Decimal(0)] * 3, Decimal(0), Decimal(0), Decimal(0)
    for j in range(1, months + 1):
        factor = (1 - d(decline)) ** (Decimal(j - 1) / 12)
        bill = [q * d(p) * factor for q, p in zip(quantity, prices)]
        amounts = [a + b for a, b in zip(amounts, bill)]
        cash = sum(bill) * (1 - d(tax))
        saved += sum(bill) * d(tax)
        paid += cash
        grown += cash * (1 + d(capital)) ** (Decimal(months - j) / 12)
    rows = [cents(x) for x in (*amounts, grown - paid, -saved)]
    return rows, sum(rows)


@pytest.mark.parametrize("extra, terms", [
    ({}, {}),
    (dict(prefix_cache_ratio=0.4, hosted_cached_input_price_per_million_tokens=0.1),
     dict(cached=0.4, prices=(1, 0.1, 3))),
    (dict(prefix_cache_ratio=0.4), dict(cached=0.4, prices=(1, 1, 3))),
    (dict(hosted_price_decline_ratio=0.3, tax_rate=0.25, horizon_months=17, cost_of_capital=0.07),
     dict(decline=0.3, tax=0.25, months=17, capital=0.07))])
def test_the_third_side_to_the_cent(server, extra, terms):
    load = dict(gpu="h100-sxm5-80gb", model="llama-2-13b", tokens_per_day=2e8, input_tokens=1000,
                output_tokens=250)
    answer = ask(server, **load, **HOSTED, **extra)
    terms = dict(capital=answer["inputs"]["cost_of_capital"]["value"]) | terms
    rows, total = hosted_by_hand(2e8, 1000, 250, **terms)
    keys = ["hosted_input", "hosted_cached_input", "hosted_output", "cost_of_capital", "tax_relief"]
    found = lines(answer, "hosted")
    assert [Decimal(str(found["hosted", key]["amount"])) for key in keys] == rows
    assert Decimal(str(answer["hosted_total_cost"])) == total
    prices, cached = terms.get("prices", (1, 1, 3)), terms.get("cached", 0)
    blended = 0.8 * (prices[0] * (1 - cached) + prices[1] * cached) + 0.2 * prices[2]
    assert answer["hosted_cost_per_million_tokens_blended"] == pytest.approx(blended, abs=1e-6)
    assert answer["hosted_cost_per_month"] == pytest.approx(2e8 * 730 / 24 / 1e6 * blended, abs=0.01)


def test_the_series_ends_at_the_total_and_is_drawn(server):
    answer = ask(server, **SERVE, **HOSTED)
    points = ask(server, "/v1/break-even/series", **SERVE, **HOSTED)["series"]
    assert points[0]["hosted_cumulative_cost"] == 0
    assert points[36]["hosted_cumulative_cost"] == answer["hosted_total_cost"]
    assert points[36]["buy_cumulative_cost"] == answer["buy_total_cost"]
    drawn = server.get("/v1/break-even/series.svg", **SERVE, **HOSTED).text
    assert "Hosted API" in drawn
    assert "Hosted API" not in server.get("/v1/break-even/series.svg", **SERVE, hosted=0).text
    plain = ask(server, "/v1/break-even/series", **SERVE, hosted=0)["series"]
    assert plain[36]["hosted_cumulative_cost"] is None


def test_left_out_there_is_no_third_side(server):
    answer = ask(server, **SERVE, hosted=0)
    assert not lines(answer, "hosted")
    assert answer["hosted_total_cost"] is None and answer["break_even_tokens_status"] is None
    assert answer["cheapest_option"] == answer["verdict"]


def test_the_lines_of_the_third_side_alone(server):
    query = SERVE | HOSTED | dict(side="hosted", lines="hosted_input,cost_of_capital")
    assert set(lines(ask(server, **query))) == {("hosted", "hosted_input"),
                                                ("hosted", "cost_of_capital")}


@pytest.mark.parametrize("price, hosted", [(0.01, True), (1, False)])
def test_the_cheapest_of_three(server, price, hosted):
    answer = ask(server, **SERVE, hosted_input_price_per_million_tokens=price,
                 hosted_output_price_per_million_tokens=3 * price)
    totals = {side: answer[f"{side}_total_cost"] for side in ("buy", "rent", "hosted")}
    assert answer["cheapest_option"] == min(totals, key=totals.get)
    assert (answer["cheapest_option"] == "hosted") is hosted


@pytest.mark.parametrize("extra", [{}, dict(model="llama-2-70b", requests_per_minute=60,
                                            latency_p95_seconds=60),
                                   dict(purchase_option="reserved_1yr", latency_p95_seconds=30)])
def test_at_the_break_even_volume_owning_costs_what_the_api_does(server, extra):
    question = {k: v for k, v in (SERVE | HOSTED | extra).items() if k != "requests_per_minute"}
    answer = ask(server, **SERVE | HOSTED | extra)
    at = answer["break_even_tokens_per_day"]
    assert answer["break_even_tokens_status"] == "reached"
    there = ask(server, **question, tokens_per_day=at)
    assert there["buy_total_cost"] == pytest.approx(there["hosted_total_cost"], rel=PRINTED)
    for share in (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.999):
        below = ask(server, **question, tokens_per_day=at * share)
        assert below["buy_total_cost"] > below["hosted_total_cost"], share
        assert below["break_even_tokens_per_day"] == at


@pytest.mark.parametrize("price", [0.2048, 0.2122, 0.218])
def test_a_crossing_just_below_the_next_server_is_found(server, price):
    """Where owning is cheaper only for the last percents that these servers carry."""
    load = dict(gpu="h100-sxm5-80gb", model="llama-2-13b", peak_to_average_ratio=3, housing="colocation",
                input_tokens_cv=0, output_tokens_cv=0, peak_load_ratio_max=1,
                hosted_input_price_per_million_tokens=price,
                hosted_output_price_per_million_tokens=3 * price)
    at = ask(server, **load, tokens_per_day=1e8)["break_even_tokens_per_day"]
    there, beyond = (ask(server, **load, tokens_per_day=at * share) for share in (1.0001, 1.06))
    assert there["buy_total_cost"] <= there["hosted_total_cost"]
    assert beyond["gpu_count"] > there["gpu_count"]
    assert beyond["buy_total_cost"] > beyond["hosted_total_cost"]


def test_renting_has_a_break_even_volume(server):
    kept = SERVE | HOSTED
    answer = ask(server, **kept)
    assert "rent_follows_load" not in warnings(answer)
    at = answer["rent_break_even_tokens_per_day"]
    question = {k: v for k, v in kept.items() if k != "requests_per_minute"}
    there = ask(server, **question, tokens_per_day=at)
    assert there["rent_total_cost"] == pytest.approx(there["hosted_total_cost"], rel=PRINTED)


def test_an_api_given_away_is_always_cheaper(server):
    free = ask(server, **SERVE, hosted_input_price_per_million_tokens=0,
               hosted_output_price_per_million_tokens=0)
    assert free["break_even_tokens_status"] == "hosted_cheaper_throughout"
    assert free["break_even_tokens_per_day"] is None
    assert free["cheapest_option"] == "hosted"


def test_a_cached_price_without_a_cache_has_no_effect(server):
    answer = ask(server, **SERVE, **HOSTED, hosted_cached_input_price_per_million_tokens=0.1)
    assert "without_effect" in warnings(answer)


# --- the opening problem of the source document: 13B, 50,000 daily users

def test_fifty_thousand_daily_users_by_one_address(server):
    address = ("/v1/break-even?gpu=h100-sxm5-80gb&model=llama-2-13b&daily_users=50000"
               "&requests_per_user_per_day=10&input_tokens=500&output_tokens=300"
               "&peak_to_average_ratio=3&latency_p95_seconds=15&horizon_months=36"
               "&hosted_input_price_per_million_tokens=0.3"
               "&hosted_output_price_per_million_tokens=0.6")
    answer = json.loads(server.get(address).body)
    assert answer["workload_tokens_per_day"] == 50000 * 10 * 800
    assert answer["verdict"] in ("buy", "rent")
    sizing = ask(server, answer["workload_plan"])
    assert sizing["meets_load"] and sizing["meets_latency"]
    assert sizing["gpu_count"] == answer["gpu_count"] <= 8
    assert answer["buy_total_cost"] < 2e6
    per_million = answer["buy_total_cost"] / (4e8 * 730 / 24 * 36) * 1e6
    assert answer["buy_cost_per_million_tokens"] == pytest.approx(per_million, rel=PRINTED)


def test_thirteen_billion_trained_within_the_budget_by_one_address(server):
    answer = json.loads(server.get("/v1/break-even?gpu=h100-sxm5-80gb&model=llama-2-13b"
                                   "&tokens=2.6e11&deadline_days=30&horizon_months=12").body)
    plan = ask(server, answer["workload_plan"])
    assert plan["days"] <= 30 and plan["meets_deadline"]
    assert answer["verdict"] == "rent" and answer["rent_total_cost"] < 2e6
    assert answer["rent_total_cost"] == pytest.approx(plan["run_cost"], rel=0.02), "rents change a little meanwhile"


@pytest.mark.parametrize("option", ["on_demand", "spot"])
def test_the_ledger_of_a_training_is_its_bill_to_the_cent(server, option):
    answer = ask(server, gpu="h100-sxm5-80gb", model="llama-2-13b", tokens=2.6e11, deadline_days=30, horizon_months=12,
                 rent_price_decline_ratio=0, inflation=0, purchase_option=option, training_staff_fte=2)
    plan = ask(server, answer["workload_plan"])
    assert answer["rent_recurring_cost"] == pytest.approx(plan["total_cost"], abs=0.021)
    other, = [row["amount"] for row in answer["line_items"] if (row["side"], row["key"]) == ("rent", "training_other")]
    assert other == pytest.approx(plan["other_cost"], abs=0.006) and other > 1000
