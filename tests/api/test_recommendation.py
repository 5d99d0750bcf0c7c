"""From workloads and money to a short list: structure, physics, and links that say the same."""
import re

import random

import math

import pytest

from answers import codes, ruled_out
from explanations import check_figures, explained

OPENING = dict(workload="train,serve", budget=2_000_000, parameters=13e9, daily_users=50_000,
               requests_per_user_per_day=10, peak_to_average_ratio=3, latency_p95_seconds=10)
FEW = dict(gpu="h100-sxm5-80gb,a100-sxm4-80gb,rtx-4090")
CHAT = dict(workload="serve", model="llama-2-7b", requests_per_minute=60)
ADAPT = dict(workload="finetune", model="llama-2-7b", finetune_tokens=1e8)
MONTH_DAYS = 730 / 24


def ask(server, **params):
    """GPUs alone; test_hosted_prices.py has the hosted API among them."""
    return server.answer("/v1/recommendation", **{"hosted": 0} | params).json


def errors(server, **params):
    return server.refusals("/v1/recommendation", **params)


def follow(server, address):
    reply = server.get(address)
    assert reply.status == 200, f"{address}: {reply.text}"
    return reply.json


def role(answer, name):
    return next((row for row in answer["options"] if name in row["roles"].split(",")), None)


def reasons(answer, rank):
    return {row["code"]: row for row in answer["reasons"] if row["option"] == rank}


def recommended(answer):
    return answer["options"][answer["recommended_rank"] - 1]


@pytest.fixture(scope="module")
def opening(server):
    return ask(server, **OPENING)


# --- roles rest on rents that are known to be had

COLD = [dict(workload="train", model="llama-3.1-8b", tokens=15e12, deadline_days=30),
        dict(workload="train", model="llama-3.1-70b", tokens=1e12),
        dict(workload="train", model="gpt-oss-120b", tokens=5e12),
        dict(workload="serve", model="deepseek-r1", daily_users=100_000, requests_per_user_per_day=20),
        dict(workload="serve", model="llama-3.1-8b", daily_users=2000, requests_per_user_per_day=20, horizon_months=36),
        dict(workload="train,serve", model="llama-2-13b", tokens=2e12, budget=2e6, daily_users=50_000, requests_per_user_per_day=10)]


def rests_on_firm_rent(row):
    if row["acquisition"] == "buy":
        return True
    several = row["price_basis"] == "owned" or row["price_provider_count"] >= 2
    derived = row["price_derived_provider_count"] or 0
    return row["availability"] == "offered" and several and 2 * derived < (row["price_provider_count"] or 1)


@pytest.mark.parametrize("question", COLD)
def test_roles_go_to_rents_known_to_be_had(server, question):
    answer = ask(server, **question)
    assert rests_on_firm_rent(recommended(answer)), recommended(answer)
    cheapest = role(answer, "cheapest")
    for row in answer["options"]:
        if "unconfirmed" in row["roles"]:
            assert row["roles"] in ("unconfirmed", "buy,unconfirmed")
            assert row["confirmed"] is False and row["total_cost"] < cheapest["total_cost"]
            assert "unconfirmed_option" in codes(answer)
        else:
            assert row["confirmed"] is True and rests_on_firm_rent(row), row
    for name in ("fastest", "best_value", "smallest"):
        held = role(answer, name)
        assert not held or held["total_cost"] <= 10 * cheapest["total_cost"], (name, held)


def test_a_job_does_not_buy_gpus_that_must_be_resold(server):
    """64 MI300X for a run of four months are cheapest only if somebody buys them afterwards."""
    question = dict(workload="train", model="glm-4.6", tokens=7.6e11)
    answer = ask(server, **question)
    assert recommended(answer)["acquisition"] == "rent"
    bought = role(answer, "buy")
    assert bought["roles"] == "buy,unconfirmed" and bought["confirmed"] is False
    assert bought["payments"] > recommended(answer)["payments"] > bought["total_cost"]
    assert any("no buyer was asked" in warning["detail"] for warning in answer["warnings"])
    owned = ask(server, **question, purchase_options="owned")
    assert recommended(owned)["acquisition"] == "buy" and "unconfirmed_option" in codes(owned)


MODELS = ["gemma-2-9b", "command-r-v01", "qwen3-vl-235b-a22b-instruct", "gpt-j-6b", "llama-3.2-3b", "phi-4-mini-instruct"]


@pytest.mark.parametrize("seed", range(12))
def test_both_cost_no_more_than_each_alone(server, seed):
    """A training and a service may each have the GPUs that suit it; capital paid at the start costs up to a
    fifth by the end of the service."""
    draw = random.Random(seed)
    model = draw.choice(MODELS)
    job = dict(model=model, tokens=round(10 ** draw.uniform(11, 12.5)))
    service = dict(model=model, daily_users=round(10 ** draw.uniform(2, 4)), requests_per_user_per_day=10)
    alone = [ask(server, workload="train", **job), ask(server, workload="serve", **service)]
    both = ask(server, workload="train,serve", **job | service)
    assert both["recommended_total_cost"] <= 1.2 * sum(answer["recommended_total_cost"] for answer in alone), \
        [answer["recommended_sentence"] for answer in (both, *alone)]


@pytest.mark.parametrize("model", ["modernbert-large", "qwen3-reranker-4b"])
def test_models_that_only_read_can_be_pre_trained(server, model):
    answer = ask(server, workload="train", model=model, tokens=1e12)
    assert recommended(answer)["days"] > 0


def test_a_named_provider_may_be_the_only_one(server):
    """A single provider is enough if the caller named it."""
    answer = ask(server, workload="train", model="llama-3.1-8b", tokens=1e12, provider="coreweave", gpu="gb200-nvl72",
                 purchase_options="on_demand")
    assert recommended(answer)["confirmed"] is True and recommended(answer)["price_provider_count"] == 1


def test_what_nobody_confirms_is_still_listed(server):
    """Without a confirmed option the others take the roles, and the answer says why they are not confirmed."""
    answer = ask(server, workload="train", model="llama-3.1-8b", tokens=1e12, gpu="gb200-nvl72", purchase_options="on_demand")
    assert recommended(answer)["confirmed"] is False
    said, = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "unconfirmed_option"]
    assert "only one provider, CoreWeave" in said and "quote" in said


LIMITED = [(dict(workload="serve", model="llama-3.1-8b", daily_users=2000, requests_per_user_per_day=20), "budget"),
           (dict(workload="serve", model="llama-3.1-8b", daily_users=2000, requests_per_user_per_day=20), "budget_per_month"),
           (dict(workload="serve", model="deepseek-r1", daily_users=100_000, requests_per_user_per_day=20), "budget"),
           (dict(workload="train", model="llama-3.1-8b", tokens=1e12), "budget"),
           (dict(workload="train", model="llama-3.1-8b", tokens=1e12), "deadline_days")]


def standing(answer):
    """Less is better: what is confirmed, then what is sure, then what is cheap."""
    if answer["recommended_rank"] is None:
        return (True, True, True, True, 0)
    row = recommended(answer)
    days = row["days_high"]
    late = days is not None and "deadline_days" in answer["inputs"] and answer["inputs"]["deadline_days"]["source"] == "request" \
        and days > answer["inputs"]["deadline_days"]["value"]
    return (False, not row["confirmed"], late, not row["within_limits_at_high"], row["total_cost"])


@pytest.mark.parametrize("question, limit", LIMITED)
def test_a_looser_limit_never_gets_a_worse_recommendation(server, question, limit):
    """For random limits: a more expensive one only where it is more certain, and nothing unconfirmed takes the place of what is confirmed
    because it is cheaper."""
    dice = random.Random(28)
    least = min(row["payments"] for row in ask(server, **question)["options"])
    least = {"budget": least, "budget_per_month": least / 36, "deadline_days": 2}[limit]
    limits = sorted(float(f"{least * 0.9 * 6 ** dice.random():.4g}") for _ in range(6))
    answers = [ask(server, **question, **{limit: value}) for value in limits]
    standings = [standing(answer) for answer in answers]
    assert standings == sorted(standings, reverse=True), list(zip(limits, standings))
    for answer in answers:
        if answer["recommended_rank"] is None and any(row["roles"] == "unconfirmed" and row["within_budget"] for row in answer["options"]):
            said, = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "unconfirmed_option"]
            assert "meets every limit" in said and "not recommended" in said and "quote" in said


def test_a_cheaper_option_that_is_less_sure_is_said_to_be(server):
    question = dict(workload="train", model="llama-3.1-8b", tokens=1e12, deadline_days=40)
    answer = ask(server, **question)
    cheap, sure = role(answer, "cheapest"), recommended(answer)
    assert cheap["total_cost"] < sure["total_cost"] and not cheap["within_limits_at_high"] and sure["within_limits_at_high"]
    said, = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "riskier_option"]
    assert f"option {cheap['rank']} costs less" in said and f"option {sure['rank']} meets" in said
    assert sure["total_cost"] < 1.5 * cheap["total_cost"]  # not what happens to be listed as the fastest
    loose = question | dict(deadline_days=1.01 * cheap["days_high"])
    assert "riskier_option" not in codes(ask(server, **loose))
    usual = {name: value for name, value in question.items() if name != "deadline_days"}
    assert "riskier_option" not in codes(ask(server, **usual)), "a usual deadline is no limit"


def test_a_deadline_that_can_be_kept_is_kept_where_the_budget_is_not_sure(server):
    """The budget allows no option at the high end of its durations: the deadline is still met there."""
    question = dict(workload="train", model="llama-3.1-70b", tokens=2e12, deadline_days=60, gpu_count_max=4096)
    sure = recommended(ask(server, **question))
    answer = ask(server, **question, budget=1.05 * sure["payments"])
    row, cheap = recommended(answer), role(answer, "cheapest")
    assert not any(row["within_limits_at_high"] for row in answer["options"])
    assert row["days_high"] <= 60 < cheap["days_high"] and cheap["total_cost"] < row["total_cost"] < 1.2 * cheap["total_cost"]
    said, = [warning["detail"] for warning in answer["warnings"] if warning["code"] == "limit_at_risk"]
    assert f"{row['payments'] * row['days_high'] / row['days']:,.0f}"[:3] in said and "exceeds the budget" in said
    soonest = role(ask(server, **question | dict(deadline_days=0.001)), "nearest")["days"]
    tight = ask(server, **question | dict(deadline_days=1.05 * soonest))
    assert recommended(tight)["days_high"] > 1.05 * soonest
    said, = [warning["detail"] for warning in tight["warnings"] if warning["code"] == "limit_at_risk"]
    assert "misses the deadline" in said


def test_what_is_bought_though_rent_is_cheaper_says_who_alone_rents_it_out(server):
    answer = ask(server, workload="serve", model="llama-3.1-70b", daily_users=50000, requests_per_user_per_day=10,
                 gpu="rtx-4090")
    bought = {row["rank"] for row in answer["options"] if row["acquisition"] == "buy"}
    reasons = [row for row in answer["reasons"]
               if row["option"] in bought and row["code"] == "buy_or_rent" and row["value"] > row["threshold"]]
    assert reasons, "no purchase costs more than its rent: the test needs another GPU"
    for reason in reasons:
        assert reason["sentence"].endswith(", but only one provider, RunPod, is known to rent them out")


def test_jobs_alone_cost_until_they_are_done(server):
    """A job of hours has no cost of capital to month 36: the ledger that its link shows ends with it."""
    hours = ask(server, workload="finetune", model="llama-3.1-70b", finetune_tokens=5e7, method="lora")
    months = ask(server, workload="train", model="llama-3.1-8b", tokens=1e12, deadline_days=100)
    for answer in (hours, months):
        for row in answer["options"]:
            if not row["break_even"]:  # nobody sells them, so there is nothing to compare their rent with
                assert row["train_gpu"].startswith("tpu-") and row["acquisition"] == "rent"
                continue
            link = server.get(row["break_even"]).json
            ends = max(1, math.ceil((row["days"] * 24 + 1e-6) / 730))
            assert link["horizon_months"] in (ends, ends + 1)  # spot machines that are reclaimed take longer
            side = "buy" if row["acquisition"] == "buy" else "rent"
            assert link[f"{side}_total_cost"] == pytest.approx(row["total_cost"], abs=0.02)
            if row["acquisition"] == "rent":
                assert row["total_cost"] < row["payments"] * 1.1 ** (link["horizon_months"] / 12)
                assert "until that is done." in row["sentence"] or re.search(r": you pay [\d,.]+ USD\.$", row["sentence"])
    # the service next to it is paid for as long as it runs
    both = ask(server, workload="train,serve", model="llama-3.1-8b", tokens=1e10, daily_users=1000, requests_per_user_per_day=10)
    assert {round(row["months_served"]) for row in both["options"] if row["acquisition"] != "hosted"} == {36}


def test_an_option_is_as_available_as_the_least_of_its_rents(server):
    """A training on more GPUs than anyone rents out is not offered merely because the service is."""
    answer = ask(server, workload="train,serve", model="llama-3.1-8b", tokens=1e12, daily_users=50_000,
                 requests_per_user_per_day=10, horizon_months=36, gpu="mi300x", purchase_options="on_demand", deadline_days=4)
    large = [row for row in answer["options"] if row["train_gpu_count"] >= 640]
    assert large and all(row["availability"] == "unknown" for row in large), answer["options"]


# --- the opening problem (R86)

def test_the_opening_problem_is_answered_end_to_end(opening):
    assert 3 <= len(opening["options"]) <= 6
    best = recommended(opening)
    assert best["train_gpu"] and best["serve_gpu"]
    assert best["payments"] <= 2_000_000 and best["latency_p95_seconds_estimate"] <= 10
    assert opening["recommended_sentence"] == best["sentence"]
    assert opening["recommended_total_cost"] == best["total_cost"]


def test_tokens_are_twenty_a_parameter_and_said_so(opening):
    tokens = opening["inputs"]["tokens"]
    assert tokens["value"] == 20 * 13e9
    assert tokens["source"] != "request" and "tokens_per_parameter" in tokens["reference"]


def test_from_cheap_to_dear(opening):
    totals = [row["total_cost"] for row in opening["options"]]
    assert totals == sorted(totals)
    assert [row["rank"] for row in opening["options"]] == list(range(1, len(totals) + 1))


def test_no_option_is_listed_twice(opening):
    names = ("train_gpu", "train_gpu_count", "train_purchase_option", "serve_gpu",
             "serve_gpu_count", "serve_purchase_option", "serve_plan")
    rows = [tuple(row[name] for name in names) for row in opening["options"]]
    assert len(set(rows)) == len(rows)


def test_every_option_keeps_the_limits(opening):
    for row in opening["options"]:
        assert row["within_budget"] and row["meets_deadline"] and row["meets_latency"], row


def test_every_option_serves_as_long(opening):
    served = {row["months_served"] for row in opening["options"]}
    assert len(served) == 1
    assert served.pop() >= max(36 - row["days"] / MONTH_DAYS for row in opening["options"]) - 1e-6


def test_intervals_hold_the_middle(opening):
    for row in opening["options"]:
        assert row["days_low"] < row["days"] < row["days_high"]
        assert row["total_cost_low"] < row["total_cost"] < row["total_cost_high"]
        assert row["latency_p95_seconds_estimate_low"] < row["latency_p95_seconds_estimate_high"]


def test_the_latency_is_that_of_the_plan_behind(server, opening):
    names = [f"latency_p95_seconds_estimate{end}" for end in ("", "_low", "_high")]
    for row in opening["options"]:
        sizing = follow(server, row["serve_plan"])
        assert [sizing[name] for name in names] == [row[name] for name in names], row["serve_plan"]


def test_it_takes_no_less_than_the_peak_allows(server, opening):
    """6 N D over the peak of all GPUs: what is faster is not physics."""
    for row in opening["options"]:
        plan = follow(server, row["train_plan"])
        assert plan["model_flops_utilization"] < 1
        assert 6 * 13e9 * 260e9 <= plan["compute_flop"]


# --- the links say the same

def test_plans_behind_an_option_agree(server, opening):
    for row in opening["options"]:
        plan, sizing = follow(server, row["train_plan"]), follow(server, row["serve_plan"])
        assert plan["days"] == row["train_days"]
        assert plan["total_cost"] == pytest.approx(row["training_cost"], abs=0.02)
        assert sizing["gpu_count"] == row["serve_gpu_count"]
        assert sizing["meets_latency"] and sizing["meets_load"]
        assert sizing["latency_p95_seconds_estimate"] == row["latency_p95_seconds_estimate"]
        assert sizing["cost_per_hour"] * 730 == pytest.approx(row["serving_cost_per_month"], rel=1e-4)


@pytest.mark.parametrize("means", ["on_demand", "owned", "reserved_1yr"])
def test_the_total_is_the_ledgers_to_the_cent(server, means):
    answer = ask(server, **CHAT, **FEW, purchase_options=means, horizon_months=24)
    side = "buy_total_cost" if means == "owned" else "rent_total_cost"
    assert answer["options"] or means == "reserved_1yr"
    for row in answer["options"]:
        assert row["serve_purchase_option"] == means
        ledger = follow(server, row["break_even"])
        assert ledger[side] == row["total_cost"]
        assert ledger["break_even_months"] == row["break_even_months"]


def test_the_interval_of_a_service_is_that_of_prices(server):
    """A bought one's is the break-even's of the same GPUs, a rented one's is from provider to provider."""
    for means in ("on_demand", "owned"):
        rows = ask(server, **CHAT, **FEW, purchase_options=means, horizon_months=24)["options"]
        assert rows
        for row in rows:
            ledger = follow(server, row["break_even"])
            side = "buy" if means == "owned" else "rent"
            for end in "low", "high":
                assert row[f"total_cost_{end}"] == pytest.approx(ledger[f"{side}_total_cost_{end}"], rel=1e-6)
            assert ("resale" in row["sentence"]) == (means == "owned")
        assert any(row["total_cost_low"] < row["total_cost"] < row["total_cost_high"] for row in rows)


def test_money_spans_the_providers(server):
    """At their prices the ledger of the same GPUs gives both ends; of purchases there is one price."""
    spread = 0
    for means in ("on_demand", "reserved_1yr", "owned"):
        for row in ask(server, **CHAT, **FEW, purchase_options=means, horizon_months=24)["options"]:
            ends = [row["total_cost_cheapest_provider"], row["total_cost_dearest_provider"]]
            if means == "owned":
                assert ends == [row["total_cost"]] * 2
                continue
            used = [offer["job_price_per_gpu_hour"] for offer in
                    follow(server, row["break_even"])["offers_used"]]
            for end, price in zip(ends, (min(used), max(used))):
                ledger = follow(server, f"{row['break_even']}&rent_price_per_gpu_hour={price}")
                assert end == pytest.approx(ledger["rent_total_cost"], rel=1e-6)
            assert ends[0] <= row["total_cost"] <= ends[1]
            spread += ends[0] < ends[1]
    assert spread > 1


def test_jobs_and_service_bought_are_one_ledger(server):
    answer = ask(server, workload="train,serve", parameters=1e9, requests_per_minute=60,
                 purchase_options="owned", **FEW)
    for row in answer["options"]:
        assert follow(server, row["break_even"])["buy_total_cost"] == row["total_cost"]
        shares = row["training_cost"] + row["serving_cost_per_month"] * row["months_served"]
        plans = follow(server, row["train_plan"])
        assert plans["total_cost"] == pytest.approx(row["training_cost"], abs=0.02)
        if row["train_gpu_count"] == row["serve_gpu_count"]:
            assert shares == pytest.approx(row["total_cost"], rel=1e-4)


def test_the_ledger_of_a_desk_has_no_colocation(server):
    answer = ask(server, **CHAT, gpu="rtx-4090", hosting="desk", purchase_options="owned")
    ledger = follow(server, answer["options"][0]["break_even"])
    lines = {line["key"]: line["amount"] for line in ledger["line_items"] if line["side"] == "buy"}
    assert lines["staff"] == lines["colocation"] == lines["rack_and_pdu"] == 0
    assert lines["electricity_it"] > 0 and lines["electricity_facility"] == 0
    assert ledger["buy_total_cost"] == answer["options"][0]["total_cost"]


# --- reasons (R90)

def test_thresholds_are_fields(opening):
    for row in opening["options"]:
        said = reasons(opening, row["rank"])
        assert said["budget"]["value"] == pytest.approx(row["payments"], rel=1e-5)
        assert said["budget"]["threshold"] == 2_000_000 and said["budget"]["unit"] == "USD"
        assert said["latency_p95"]["kept"] is True
        assert said["train_memory"]["value"] <= said["train_memory"]["threshold"]


FIGURE = r"(none|-?(\d{1,3}(,\d{3})+|\d{1,3}(\.\d{1,4})?)( (USD|days?|hours?|minutes?|GiB|s|months)( per [\w-]+)?|%))"
TURNS = (rf"buying these GPUs costs {FIGURE}, renting them {FIGURE}(, but only one provider, [\w. -]+, is known to rent them out)?",
         r"buying becomes cheaper in month \d+(\.\d+)?", r"buying costs more than renting throughout all \d+ months",
         rf"that changes at a (utilization|rent) of {FIGURE}; here it is {FIGURE}",
         rf"no (utilization|rent) changes that; here it is {FIGURE}")


IDLE = (rf"[\d,]+ x [\w-]+ would take {FIGURE} for {FIGURE}, but are not offered as the fastest: rent billed per hour that they work: {FIGURE}; limit: {FIGURE}",)
OTHER = (rf"costs {FIGURE} (more|less) than option \d(, the recommended one)?(, finishing [\d.]+ (minute|hour|day)s? (later|sooner))?"
         r"(, with 95% of answers within [\d.]+ s instead of [\d.]+ s)?(, but (misses a limit.*|does not keep up .+|is not confirmed: .+))?")


def test_each_option_says_why_it_and_not_another(opening):
    """The recommended one against the next, each other against the recommended one."""
    rows = {row["rank"]: row for row in opening["options"]}
    best = opening["recommended_rank"]
    for rank, row in rows.items():
        said = reasons(opening, rank)["other_option"]
        other = rows[int(re.search(r"than option (\d)", said["sentence"])[1])]
        assert other["rank"] == best if rank != best else other["rank"] > best
        assert said["value"] == pytest.approx(row["total_cost"], rel=1e-5)
        assert said["threshold"] == pytest.approx(other["total_cost"], rel=1e-5)
        assert ("sooner" in said["sentence"]) == (row["days"] < 0.99 * other["days"])
        assert ("instead of" in said["sentence"]) == (abs(row["latency_p95_seconds_estimate"] - other["latency_p95_seconds_estimate"]) > 0.01 * max(
            row["latency_p95_seconds_estimate"], other["latency_p95_seconds_estimate"]))
        assert ("more than" in said["sentence"]) == (row["total_cost"] > other["total_cost"])
        if "but does not keep up" not in said["sentence"]:
            assert ("not confirmed" in said["sentence"]) == (not row["confirmed"] and other["confirmed"])


def test_delay_in_the_total_is_delay_in_the_sentence(server):
    asked = dict(workload="train", model="llama-2-13b", tokens=1e11, gpu="h100-sxm5-80gb,a100-sxm4-80gb")
    dear, free = ask(server, **asked, delay_cost_per_month=1e5), ask(server, **asked)
    late = [row for row in dear["options"] if row["delay_cost"] > 0]
    assert late and all("with cost of capital and delay" in row["sentence"] or "with cost of capital, delay and resale" in row["sentence"]
                        for row in late)
    assert not any("delay" in row["sentence"] for row in free["options"])


def test_a_reason_is_a_sentence_for_people(opening):
    """Grouped, rounded, in its unit: 134,767 USD, 100.9 GiB, 8.00 USD per GPU-hour."""
    assert len(opening["reasons"]) > 10
    for reason in opening["reasons"]:
        kinds = TURNS if reason["code"].startswith(("break_even", "buy")) else (OTHER,) if reason["code"] == "other_option" else (*IDLE, rf"[\w% -]+: {FIGURE}; limit: {FIGURE}",)
        assert any(re.fullmatch(kind, reason["sentence"]) for kind in kinds), reason["sentence"]


def test_buying_wins_where_the_ledger_says_so(server):
    answer = ask(server, **CHAT, **FEW, horizon_months=36, hosting="desk")
    bought = role(answer, "buy")
    assert bought and bought["acquisition"] == "buy"
    said = reasons(answer, bought["rank"])
    assert said["buy_or_rent"]["kept"] and said["break_even_months"]["value"] < 36
    assert said["break_even_rent_price"]["value"] < said["break_even_rent_price"]["threshold"]


def test_renting_wins_where_little_is_used(server):
    answer = ask(server, **ADAPT, **FEW)
    assert {row["acquisition"] for row in answer["options"]} == {"rent"}
    assert not role(answer, "buy")


# --- budget tiers (R85)

def test_a_small_budget_gets_one_small_gpu(server):
    """About 2,000 USD: a card on the desk, or hours of one."""
    answer = ask(server, **ADAPT, budget=2000, hosting="desk", horizon_months=3,
                 gpu="rtx-4090,rtx-3090,a100-sxm4-80gb,h100-sxm5-80gb")
    assert all(row["payments"] <= 2000 for row in answer["options"])
    one = ask(server, workload="finetune,serve", model="llama-2-7b", finetune_tokens=1e8,
              budget=3000, hosting="desk", horizon_months=12, purchase_options="owned",
              gpu="rtx-4090,rtx-3090,a100-sxm4-80gb,h100-sxm5-80gb")
    assert recommended(one)["gpu_count"] == 1 and recommended(one)["gpu"].startswith("rtx-")
    assert ruled_out(one)["h100-sxm5-80gb"]["rule"] == "budget"
    assert ruled_out(one)["h100-sxm5-80gb"]["value"] > 3000


def test_tens_of_thousands_buy_several_cards(server):
    tier = dict(workload="train", parameters=1e9, deadline_days=60, purchase_options="owned",
                hosting="desk", horizon_months=12, gpu="rtx-4090,h100-sxm5-80gb")
    small, middle = ask(server, **tier, budget=4000), ask(server, **tier, budget=50_000)
    assert small["combinations_within_limits"] < middle["combinations_within_limits"]
    assert max(row["gpu_count"] for row in middle["options"]) >= 4


def test_a_million_buys_eight_h100(server):
    tier = dict(workload="train", parameters=7e9, gpu="h100-sxm5-80gb", purchase_options="owned")
    answer = ask(server, **tier, budget=1_000_000)
    assert max(row["gpu_count"] for row in answer["options"]) >= 8
    assert ruled_out(ask(server, **tier, budget=200_000))["h100-sxm5-80gb"]["rule"] == "budget"


def test_more_money_is_never_slower(server):
    asked = dict(workload="train", parameters=7e9, **FEW, fast_enough_days=0.01)
    least = role(ask(server, **asked), "cheapest")["payments"]
    days = [role(ask(server, **asked, budget=factor * least), "fastest")["days"]
            for factor in (1.01, 1.1, 2, 10)]
    assert days == sorted(days, reverse=True) and days[0] > days[-1]


def test_an_earlier_deadline_is_never_cheaper(server):
    totals = [role(ask(server, workload="train", parameters=7e9, **FEW, deadline_days=days),
                   "cheapest")["total_cost"] for days in (100, 30, 10, 3)]
    assert totals == sorted(totals)


def test_a_month_may_be_limited_too(server):
    asked = dict(CHAT, **FEW, requests_per_minute=600, hosted=0)
    free, held = ask(server, **asked), ask(server, **asked, budget_per_month=10000)
    assert max(row["payments"] for row in held["options"]) <= 10000 * 36
    assert max(row["payments"] for row in free["options"]) > 10000 * 36


# --- what was ruled out, and by which rule

def test_every_gpu_is_an_option_or_ruled_out(server, opening):
    gpus = {row["gpu"] for row in server.get("/v1/gpus", limit=1000).json["rows"]}
    out = set(ruled_out(opening))
    assert out < gpus
    assert opening["gpus_considered"] == len(gpus) and opening["gpus_ruled_out"] == len(out)
    alone = {row["gpu"] for row in opening["options"] if "mixed_rent" not in row["roles"]}
    assert alone and not alone & out


@pytest.mark.parametrize("params, gpu, rule", [
    (dict(gpu_vendor="amd"), "h100-sxm5-80gb", "vendor"),
    (dict(datacenter_only=1), "rtx-4090", "licence"),
    (dict(min_gpu_memory_gb=40), "rtx-4090", "min_gpu_memory_gb"),
    (dict(purchase_options="reserved_3yr", horizon_months=12), "rtx-4090", "purchase_options"),
    (dict(latency_p95_seconds=0.001), "rtx-4090", "latency_p95"),
    (dict(budget=5), "rtx-4090", "budget"),
    (dict(budget_per_month=1), "rtx-4090", "budget_per_month"),
])
def test_the_rule_is_named(server, params, gpu, rule):
    row = ruled_out(ask(server, **CHAT, **params))[gpu]
    assert row["rule"] == rule and row["sentence"]


@pytest.mark.parametrize("params, rule", [
    (dict(model="llama-2-70b", tokens=2e12, deadline_days=1), "deadline"),
    (dict(model="llama-2-70b", tokens=2e12, deadline_days=9999, horizon_months=1,
          gpu_count_max=64), "horizon"),
    (dict(model="llama-3.1-405b", gpu_count_max=1), "memory"),
    (dict(model="llama-2-7b", precision="fp8"), "precision"),
])
def test_the_rule_of_a_job_is_named(server, params, rule):
    row = ruled_out(ask(server, workload="train", gpu="a100-sxm4-80gb,h100-sxm5-80gb",
                        **params))["a100-sxm4-80gb"]
    assert row["rule"] == rule
    if rule in ("deadline", "horizon"):
        assert row["value"] > row["threshold"] and row["unit"] == "days"


def test_an_unknown_power_stops_no_training(server):
    """Its time needs no watts, nor does its rent; nobody sells it."""
    answer = ask(server, workload="train", model="llama-2-7b", gpu_vendor="google")
    assert answer["options"] and "tpu-v4" not in ruled_out(answer)
    assert all(row["break_even_months"] is None for row in answer["options"])


def test_without_a_purchase_price_there_is_nothing_to_weigh(server):
    answer = ask(server, **CHAT, gpu_vendor="aws", purchase_options="on_demand")
    assert answer["options"]
    assert all(row["break_even_months"] is None and row["serve_plan"] for row in answer["options"])
    for row in answer["options"]:
        alone = follow(server, row["break_even"])
        assert alone["verdict"] is None and alone["rent_total_cost"] == pytest.approx(row["total_cost"], abs=0.011)


def test_a_region_without_offers_leaves_purchases(server):
    answer = ask(server, **CHAT, region="nowhere")
    assert {row["acquisition"] for row in answer["options"]} == {"buy"}
    rented_only = ask(server, **CHAT, region="nowhere", purchase_options="on_demand")
    assert not rented_only["options"] and "no_option" in codes(rented_only)
    assert ruled_out(rented_only)["rtx-4090"]["rule"] == "region"


def test_what_comes_nearest_is_listed_where_nothing_will_do(server):
    answer = ask(server, workload="train", model="llama-2-70b", tokens=2e12, budget=100_000,
                 deadline_days=30)
    assert answer["recommended_rank"] is None and answer["recommended_gpu"] is None
    nearest = role(answer, "nearest")
    assert nearest["meets_deadline"] and nearest["within_budget"] is False
    assert "no_option" in codes(answer)


# --- workloads (R87, R89)

def test_training_waits_for_arithmetic_and_a_single_stream_for_memory(server):
    train = ask(server, workload="train", model="llama-2-70b", gpu="h100-sxm5-80gb")
    assert {row["train_bound"] for row in train["options"]} == {"compute"}
    serve = ask(server, workload="serve", model="llama-2-13b", gpu="h100-sxm5-80gb",
                concurrent_requests=1, output_tokens=512)
    assert serve["options"][0]["serve_bound"] == "memory"


def test_a_seventy_billion_training_rules_out_the_small_by_limits(server):
    """R87: from 70B on consumer cards lose: beyond their memory or far beyond the time."""
    answer = ask(server, workload="train", model="llama-2-70b", tokens=2e12, deadline_days=60,
                 datacenter_only=0, gpu="rtx-4090,h100-sxm5-80gb")
    assert ruled_out(answer)["rtx-4090"]["rule"] in ("deadline", "memory")
    assert "h100-sxm5-80gb" not in ruled_out(answer)


def test_four_bits_halve_the_gpus(server):
    """R89: 70B in INT4 on one A100, in 16 bit on two."""
    asked = dict(workload="serve", model="llama-2-70b", gpu="a100-sxm4-80gb", concurrent_requests=1)
    narrow = ask(server, **asked, weight_dtype="int4")["options"][0]
    wide = ask(server, **asked, weight_dtype="bf16")["options"][0]
    assert (narrow["serve_gpu_count"], narrow["serve_weight_dtype"]) == (1, "int4")
    assert wide["serve_gpu_count"] >= 2 and wide["total_cost"] > narrow["total_cost"]


def test_four_bits_only_on_request(server):
    answer = ask(server, workload="serve", model="llama-2-70b", concurrent_requests=1)
    assert {row["serve_weight_dtype"] for row in answer["options"]} <= {"bf16", "fp16"}
    assert not any(row["serve_quantized"] for row in answer["options"])
    narrow = ask(server, workload="serve", model="llama-2-70b", concurrent_requests=1, quantized=1)
    assert any(row["serve_quantized"] for row in narrow["options"])


def test_all_three_in_a_row(server):
    answer = ask(server, workload="train,finetune,serve", parameters=1e9, finetune_tokens=1e9,
                 requests_per_minute=600, **FEW)
    for row in answer["options"]:
        assert row["train_days"] + row["finetune_days"] == pytest.approx(row["days"], rel=1e-5)
        assert follow(server, row["finetune_plan"])["days"] == row["finetune_days"]


def test_licences_are_warned_of(server):
    assert "datacenter_licence" in codes(ask(server, **CHAT, gpu="rtx-4090"))
    assert "datacenter_licence" not in codes(ask(server, **CHAT, gpu="a100-sxm4-80gb"))


def test_peaks_need_more(server):
    """R92: sized for the peak, not the average."""
    flat = ask(server, **CHAT | dict(requests_per_minute=3000), gpu="a100-sxm4-80gb")
    peak = ask(server, **CHAT | dict(requests_per_minute=3000), gpu="a100-sxm4-80gb",
               peak_to_average_ratio=5)
    assert peak["options"][0]["serve_gpu_count"] > flat["options"][0]["serve_gpu_count"]


# --- GPUs in hand, and growth (R83)

def test_gpus_in_hand_cost_no_purchase(server):
    asked = CHAT | dict(hosting="desk", gpu="rtx-4090")
    own = role(ask(server, **asked, gpus_owned="rtx-4090:2"), "in_hand")
    bought = role(ask(server, **asked, purchase_options="owned"), "cheapest")
    assert own["acquisition"] == "in_hand" and own["total_cost"] < bought["total_cost"]
    ledger = follow(server, own["break_even"])
    assert ledger["buy_total_cost"] == own["total_cost"]
    assert not role(ask(server, **CHAT | dict(requests_per_minute=1e4), gpu="rtx-4090",
                        gpus_owned="rtx-4090:1"), "in_hand")


def test_the_upgrade_path_grows_with_the_load(server):
    answer = ask(server, **CHAT, **FEW, horizon_months=24, growth_ratio_per_month=0.25, purchase_options="on_demand")
    stages = answer["upgrade_path"]
    assert len(stages) >= 3 and stages[0]["from_month"] == 1 and stages[-1]["to_month"] == 24
    for before, after in zip(stages, stages[1:]):
        assert after["from_month"] == before["to_month"] + 1
        assert after["cost_per_month"] >= before["cost_per_month"]
    assert stages[-1]["load_factor"] == pytest.approx(1.25 ** 23, rel=1e-5)
    last = follow(server, stages[-1]["plan"])
    assert last["meets_load"] and last["gpu_count"] == stages[-1]["gpu_count"]


GROWING = dict(workload="serve", model="llama-3.1-70b", requests_per_minute=20, growth_ratio_per_month=0.08,
               latency_p95_seconds=30, hosted=0)


def moves_of(path):
    return sum(before["gpu"] != after["gpu"] for before, after in zip(path, path[1:]))


def test_the_upgrade_path_pays_for_its_moves(server):
    for means in ("on_demand", "on_demand,owned"):
        answer = ask(server, **GROWING, purchase_options=means)
        path = answer["upgrade_path"]
        assert moves_of(path) == 1 and "carries the load" not in answer["upgrade_path_sentence"]
        assert {row["acquisition"] for row in path} == ({"rent"} if means == "on_demand" else {"rent", "buy"})
        moved = 0
        for before, after in zip(path, path[1:]):
            if before["gpu"] == after["gpu"]:
                assert after["migration_cost"] == after["overlap_cost"] == 0
                continue
            assert after["migration_cost"] == 1500
            rented = before["cost_per_month"] if before["acquisition"] == "rent" else 0
            assert after["overlap_cost"] == pytest.approx(rented * 7 * 24 / 730, rel=0.05), "of the last rent"
            moved += after["migration_cost"] + after["overlap_cost"]
        for row in path:
            months = row["to_month"] - row["from_month"] + 1
            assert row["paid"] == pytest.approx(row["cost_per_month"] * months, abs=0.01 * months)
            assert row["cost_per_month_low"] < row["cost_per_month"] < row["cost_per_month_high"]
        assert answer["upgrade_path_migration_cost"] == pytest.approx(moved, abs=0.001)
        assert answer["upgrade_path_paid"] == pytest.approx(sum(row["paid"] for row in path) + moved, abs=0.001)
        for end in ("", "_low", "_high"):
            assert answer["upgrade_path_cost" + end] == pytest.approx(sum(row["cost" + end] for row in path), abs=0.001)
        assert all(row["cost_low"] <= row["cost"] <= row["cost_high"] for row in path)
        assert answer["upgrade_path_cost_low"] < answer["upgrade_path_cost"] < answer["upgrade_path_cost_high"]
        assert all(row["confirmed"] for row in path)
        assert all(row["price_provider_count"] >= 2 for row in path if row["acquisition"] == "rent")


def test_the_upgrade_path_is_comparable_with_the_options(server):
    """One type throughout costs what the option costs, to the cent; no path costs more than such an option."""
    r = random.Random(20261127)
    held = moved = 0
    for _ in range(12):
        asked = dict(workload="serve", model=r.choice(("llama-3.1-8b", "llama-3.1-70b", "llama-2-13b")), hosted=0,
                     requests_per_minute=round(r.uniform(5, 200)), growth_ratio_per_month=round(r.uniform(0, 0.1), 3),
                     horizon_months=r.choice((12, 24, 36)), purchase_options=r.choice(("on_demand", "owned", "on_demand,owned")),
                     rental_overhead_ratio=round(r.uniform(0, 0.3), 2), cost_of_capital=round(r.uniform(0, 0.15), 3),
                     rent_price_decline_ratio=round(r.uniform(0, 0.3), 2))
        high = ask(server, **asked, migration_cost=1e9)
        free = ask(server, **asked)
        options = [row for row in free["options"] if row["acquisition"] in ("rent", "buy") and "unconfirmed" not in row["roles"]]
        if not options:
            continue
        for row in options:
            assert free["upgrade_path_cost"] <= row["total_cost"] + 0.005, (asked, row)
        assert moves_of(high["upgrade_path"]) == 0 and free["upgrade_path_cost"] <= high["upgrade_path_cost"] + 0.005
        if moves_of(free["upgrade_path"]):
            assert f"throughout would cost {free['upgrade_path_throughout_cost']:,.0f} USD" in free["upgrade_path_sentence"]
            moved += 1
        assert free["upgrade_path_throughout_cost"] == min(row["total_cost"] for row in options), asked
        held += 1
    assert held >= 8 and moved >= 1, (held, moved)


def test_what_is_bought_is_sold_at_the_move(server):
    """Purchases of the path are those of the ledger over their months, with resale at their end."""
    answer = ask(server, **GROWING, cost_of_capital=0, purchase_options="on_demand,owned")
    bought = [row for row in answer["upgrade_path"] if row["acquisition"] == "buy"]
    assert bought
    for row in bought:
        sizing = follow(server, row["plan"])
        months = row["to_month"] - row["from_month"] + 1
        ledger = server.get("/v1/break-even", gpu=row["gpu"], gpu_count=row["gpu_count"], goodput=1, cost_of_capital=0,
                            utilization=sizing["utilization"], horizon_months=months, purchase_option="on_demand").json
        assert row["cost"] - row["migration_cost"] - row["overlap_cost"] == pytest.approx(
            ledger["buy_total_cost"], rel=1e-4)
        assert ledger["buy_proceeds"] < 0 and row["paid"] > row["cost"]


def test_what_is_rented_costs_what_the_ledger_says(server):
    """The rows of the path, with extras, and with cost of capital until the horizon."""
    asked = GROWING | dict(cost_of_capital=0.1, rent_price_decline_ratio=0, rental_overhead_ratio=0.2)
    path = ask(server, **asked, purchase_options="on_demand", migration_cost=0, migration_overlap_days=0)["upgrade_path"]
    assert len(path) > 1
    for row in path:
        rent = row["paid"] / 1.2 / (row["to_month"] - row["from_month"] + 1) / 730 / row["gpu_count"]
        cost = 0
        for month in range(row["from_month"], row["to_month"] + 1):
            cost += row["paid"] / (row["to_month"] - row["from_month"] + 1) * 1.1 ** ((36 - month) / 12)
        assert row["cost"] == pytest.approx(cost, abs=0.05) and row["cost"] >= row["paid"]
        offered = follow(server, row["plan"])
        assert rent == pytest.approx(offered["cost_per_hour"] / row["gpu_count"], rel=1e-4)


def test_dearer_moves_are_fewer(server):
    """The cost of the path grows with that of a move, by no more than its moves; if a move costs enough, one type stays."""
    answers = [ask(server, **GROWING, migration_cost=cost, migration_overlap_days=0, cost_of_capital=0) for cost in (0, 500, 1500, 5000, 50000)]
    counts = [moves_of(answer["upgrade_path"]) for answer in answers]
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1] == 0
    assert "no move to another GPU type pays for itself" in answers[-1]["upgrade_path_sentence"]
    costs = [answer["upgrade_path_cost"] for answer in answers]
    assert costs == sorted(costs)
    for cheap, dear, count, step in zip(costs, costs[1:], counts, (500, 1000, 3500, 45000)):
        assert dear - cheap <= count * step + 0.1
    stays = answers[-1]["upgrade_path"][0]["gpu"]
    alone = ask(server, **GROWING, gpu=stays, cost_of_capital=0)
    assert alone["upgrade_path_cost"] == costs[-1] and "throughout would cost" in answers[0]["upgrade_path_sentence"]


def test_without_growth_there_is_no_path(server):
    assert not ask(server, **CHAT, **FEW).get("upgrade_path")


# --- input and formats

@pytest.mark.parametrize("params, culprit", [
    (dict(CHAT, workload="fly"), "workload"),
    (dict(model="llama-2-7b"), "workload"),
    (dict(workload="serve"), "model"),
    (dict(workload="finetune", model="llama-2-7b"), "finetune_tokens"),
    (dict(CHAT, deadline_days=3), "deadline_days"),
    (dict(workload="train", model="llama-2-7b", latency_p95_seconds=3), "latency_p95_seconds"),
    (dict(CHAT, purchase_options="on_credit"), "purchase_options"),
    (dict(CHAT, gpus_owned="rtx-4090"), "gpus_owned"),
    (dict(CHAT, gpus_owned="rtx-4091:2"), "gpus_owned"),
    (dict(CHAT, gpu="rtx-4091"), "gpu"),
    (dict(CHAT, tokens_per_day=1e6), "tokens_per_day"),
    (dict(CHAT, weight_dtype="int5"), "weight_dtype"),
    (dict(workload="serve", model="llama-2-7b", daily_users=10), "requests_per_user_per_day"),
    (dict(CHAT, growth_ratio_per_month=10), "growth_ratio_per_month"),
])
def test_bad_input_is_named(server, params, culprit):
    assert culprit in errors(server, **params)


def test_the_same_question_has_the_same_answer(server):
    assert ask(server, **OPENING, nocache=1) == ask(server, **OPENING, nocache=2)


def test_other_formats_say_the_same(server, opening):
    text = server.get("/v1/recommendation.txt", **OPENING).text
    assert float(text) == opening["recommended_total_cost"]
    rows = server.get("/v1/recommendation.csv", **OPENING).text.splitlines()
    assert len(rows) == 1 + len(opening["options"])


@pytest.mark.parametrize("asked", [OPENING, CHAT], ids=["jobs", "service"])
def test_the_chart_has_a_point_for_each_option(server, asked):
    reply = server.get("/v1/recommendation.svg", **asked)
    assert reply.status == 200 and reply.headers["Content-Type"].startswith("image/svg+xml")
    for row in ask(server, **asked)["options"]:
        assert row["sentence"] in reply.text


def test_the_line_of_the_chart_joins_what_no_option_beats(server):
    """Mixed options, too: the one that is recommended was a grey dot off the line."""
    asked = dict(workload="train,serve", model="meta-llama-3-8b", budget=2e6, daily_users=5000, requests_per_user_per_day=10)
    rows = ask(server, **asked)["options"]
    figures = [(row["total_cost"], row["days"]) for row in rows]
    unbeaten = [rows[i]["sentence"] for i, (cost, days) in enumerate(figures)
                if not [1 for other, time in figures if other <= cost and time <= days and (other, time) != (cost, days)]]
    drawn = re.findall(r'<circle class="mark"[^>]*><title>([^<]*)<', server.get("/v1/recommendation.svg", **asked).text)
    assert drawn == unbeaten and any("mixed_rent" in row["roles"] and row["sentence"] in drawn for row in rows)


def test_a_posted_config_has_no_links(server):
    config = {"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16,
              "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 5504,
              "vocab_size": 32000, "max_position_embeddings": 4096}
    reply = server.post("/v1/recommendation", {"workload": "serve", "model_config": config})
    assert reply.status == 200, reply.text
    assert reply.json["options"] and all(row["serve_plan"] is None for row in reply.json["options"])


# --- equal service, and what lateness costs

LATE = dict(workload="train,serve", model="llama-2-7b", tokens=2e11, requests_per_minute=60,
            gpu="h100-sxm5-80gb", deadline_days=900, horizon_months=48)


def test_late_is_not_cheap(server):
    """One GPU for a year and a half, and then fewer months of service to pay for, was the best value."""
    answer = ask(server, **LATE)
    rows = answer["options"]
    assert max(row["days"] for row in rows) > 2 * min(row["days"] for row in rows)
    assert len({row["months_served"] for row in rows}) == 1
    warning = next(each["detail"] for each in answer["warnings"] if each["code"] == "delay_unpriced")
    assert re.search(r"takes [0-9.]{1,3}( hours)? to [0-9]+ days depending", warning), warning
    for row in rows:
        if row["acquisition"] == "rent" and row["serve_purchase_option"] == "on_demand":
            paid = row["training_cost"] + row["serving_cost_per_month"] * row["months_served"]
            overhead = answer["inputs"]["rental_overhead_ratio"]["value"]
            assert row["payments"] <= paid * (1 + overhead) * 1.001


def test_gpus_that_stand_do_so_until_the_service_is_done(server):
    answer = ask(server, **LATE, purchase_options="owned")
    for row in answer["options"]:
        link = follow(server, row["break_even"])
        late = row["days"] / MONTH_DAYS - (48 - row["months_served"])  # after the earliest of all designs, listed or not
        assert link["horizon_months"] == pytest.approx(48 + late, abs=0.5)
        assert link["buy_total_cost"] == pytest.approx(row["total_cost"], abs=0.01)


def test_the_price_of_delay_that_would_turn_it_is_said(server):
    """The option that the warning names is recommended from about that cost of a month on."""
    asked = dict(workload="train", model="llama-3.2-1b", tokens=1e11, budget=50000)
    free = ask(server, **asked)
    warning = next(each["detail"] for each in free["warnings"] if each["code"] == "delay_unpriced")
    said = re.search(r"Option (\d+) takes (\S+) days and is the better one if a month of waiting costs you more than ([\d,]+)", warning)
    named, price = free["options"][int(said[1]) - 1], float(said[3].replace(",", ""))
    assert recommended(free)["days"] > 2 * named["days"]
    least = min(row["days"] for row in free["options"])
    total = {price_: [row["total_cost"] + price_ * (row["days"] - least) / MONTH_DAYS for row in (recommended(free), named)]
             for price_ in (0.9 * price, 1.1 * price)}
    assert total[0.9 * price][0] < total[0.9 * price][1] and total[1.1 * price][0] > total[1.1 * price][1]
    assert recommended(ask(server, **asked, delay_cost_per_month=1.5 * price))["days"] < recommended(free)["days"] / 2


def test_delay_has_a_price(server):
    free, dear = ask(server, **LATE), ask(server, **LATE, delay_cost_per_month=50_000)
    assert "delay_unpriced" not in codes(dear)
    earliest = min(row["days"] for row in dear["options"])
    assert recommended(dear)["days"] <= recommended(free)["days"]
    for row in dear["options"]:
        late = (row["days"] - earliest) / MONTH_DAYS
        assert row["delay_cost"] >= 50_000 * late - 1
        if "mixed_rent" not in row["roles"] and row["serve_purchase_option"] == "owned" == row["train_purchase_option"]:
            assert follow(server, row["break_even"])["buy_total_cost"] == pytest.approx(
                row["total_cost"] - row["delay_cost"], abs=0.02)
    assert all(row["delay_cost"] == 0 for row in free["options"])


EXPLAINED = [OPENING, CHAT, ADAPT, CHAT | FEW | dict(purchase_options="owned"), ADAPT | FEW | dict(purchase_options="spot"),
             CHAT | FEW | dict(gpus_owned="h100-sxm5-80gb:8", purchase_options="owned"),
             ADAPT | dict(gpus_owned="h100-sxm5-80gb:8"),
             dict(workload="train,finetune,serve", parameters=1e9, tokens=2e10, finetune_tokens=1e9, daily_users=20_000,
                  requests_per_user_per_day=10, delay_cost_per_month=50_000, growth_ratio_per_month=0.02),
             dict(workload="finetune", model="deepseek-r1", method="full", finetune_tokens=1e9, gpu="a100-sxm4-40gb")]  # for a day at least
NOT_WORKED_OUT = {"rank", "rented_gpu_count", "minimum_term_days"}


@pytest.mark.parametrize("question", EXPLAINED)
def test_each_figure_of_the_winner_is_explained(server, question):
    """Every substitution comes to its value, and every figure of the option has one."""
    answer = ask(server, **question, explain=1)
    rows = explained(answer)
    best = answer["options"][answer["recommended_rank"] - 1]
    columns = [name for name, value in best.items()
               if isinstance(value, (int, float)) and not isinstance(value, bool)
               and not name.startswith("price_")]
    check_figures(best, rows, columns, NOT_WORKED_OUT)
    for name in ("total_cost", "payments", "gpu_count"):
        assert rows[name]["value"] == pytest.approx(answer[f"recommended_{name}"], rel=1e-5)
    for row in answer["explanations"]:
        if row["source"].startswith("/v1/"):
            assert follow(server, row["source"])


def test_the_lines_of_the_winner_are_those_of_its_break_even(server):
    """The lines are those of the ledger that the row links."""
    answer = ask(server, **CHAT, **FEW, explain=1)
    best = answer["options"][answer["recommended_rank"] - 1]
    side = "buy" if best["acquisition"] == "buy" else "rent"
    told = {row["key"]: row["value"] for row in answer["explanations"]}
    lines = [line for line in follow(server, best["break_even"])["line_items"] if line["side"] == side and line["amount"]]
    assert lines
    for line in lines:
        assert told[f"part_1_{side}_{line['key']}"] == pytest.approx(line["amount"], rel=1e-5), line["key"]


def test_options_onto_a_desk_say_so(server):
    """What is left out there is most of what a server room costs."""
    usual = ask(server, **CHAT, **FEW)
    on_desks = [row["rank"] for row in usual["options"] if row["housing"] == "desk"]
    assert on_desks and all((row["housing"] is None) == (row["acquisition"] == "rent") for row in usual["options"])
    (warning,) = [warning for warning in usual["warnings"] if warning["code"] == "on_a_desk"]
    assert f"option{'s' * (len(on_desks) > 1)} {', '.join(map(str, on_desks))} are" in warning["detail"]
    chosen = ask(server, **CHAT, **FEW, housing="own_room")
    assert {row["housing"] for row in chosen["options"]} <= {"own_room", None}
    for answer in usual, chosen:
        assert ("under a desk" in answer["recommended_sentence"]) == (answer["options"][0]["housing"] == "desk")
    assert "on_a_desk" not in {warning["code"] for warning in chosen["warnings"]}


def test_a_service_on_a_desk_is_told_what_it_lacks(server):
    """The cheapest option that is not under a desk is named if one is listed. Trainings get no such warning: they can resume."""
    asked = dict(workload="serve", model="llama-3.1-8b", budget=100000, daily_users=50000, requests_per_user_per_day=10)
    served, trained = ask(server, **asked), ask(server, workload="train", model="llama-3.2-1b", tokens=1e11, budget=50000)
    for answer in served, ask(server, **CHAT, **FEW):
        detail = next(w["detail"] for w in answer["warnings"] if w["code"] == "on_a_desk")
        elsewhere = [row for row in answer["options"] if row["housing"] is None and row["acquisition"] == "rent" and row["confirmed"]]
        assert "one power feed" in detail
        assert ("housing=colocation, which" in detail) == (not elsewhere)
        if elsewhere:
            assert f"option {min(elsewhere, key=lambda row: row['total_cost'])['rank']} is the cheapest elsewhere" in detail
    assert "one power feed" not in str(trained["warnings"])


def test_reasons_for_buying_are_sentences_with_both_figures(server):
    answer = ask(server, **CHAT, **FEW)
    told = {(row["option"], row["code"]): row for row in answer["reasons"]}
    turns = [row for (_, code), row in told.items() if code == "buy_or_rent"]
    assert turns and all(row["sentence"] == f"buying these GPUs costs {row['value']:,.0f} USD, renting them "
                         f"{row['threshold']:,.0f} USD" for row in turns)
    assert not any("(limit" in row["sentence"] or "none" in row["sentence"]
                   for (_, code), row in told.items() if code.startswith(("break_even", "buy")))


def test_a_missing_workload_is_the_only_error(server):
    assert list(errors(server, model="llama-2-7b", input_tokens=500)) == ["workload"]


# --- the country of the servers bought, as /v1/break-even takes it

BOUGHT = CHAT | dict(gpu="l40s,h100-sxm5-80gb", purchase_options="owned", carbon_price_per_tonne=100)


@pytest.mark.parametrize("currency", ["USD", "EUR"])
def test_a_country_is_its_electricity_and_its_grid_given_by_hand(server, currency):
    price, = server.get("/v1/electricity-prices", country="DE", currency=currency).json["rows"]
    grid = server.get("/v1/carbon", country="DE").json["rows"][0]["carbon_g_per_kwh"] / 1000
    asked = BOUGHT | dict(currency=currency)
    named = ask(server, **asked, country="de")
    by_hand = ask(server, **asked, electricity_price_per_kwh=price["electricity_price_per_kwh"], grid_carbon_kg_per_kwh=grid)
    for name in ("electricity_price_per_kwh", "grid_carbon_kg_per_kwh"):
        assert named["inputs"][name]["value"] == pytest.approx(by_hand["inputs"][name]["value"], rel=1e-5)
        assert named["inputs"][name]["source"] == "catalog" and "country=de" in named["inputs"][name]["reference"]
    assert [row["gpu"] for row in named["options"]] == [row["gpu"] for row in by_hand["options"]]
    for one, other in zip(named["options"], by_hand["options"]):
        assert one["total_cost"] == pytest.approx(other["total_cost"], rel=1e-5)
        assert one["payments"] == pytest.approx(other["payments"], rel=1e-5)
    elsewhere = ask(server, **asked, grid_carbon_kg_per_kwh=grid)
    assert recommended(named)["total_cost"] != recommended(elsewhere)["total_cost"]


def test_the_link_to_buy_or_rent_names_the_country_too(server):
    row = recommended(ask(server, **BOUGHT, country="DE"))
    linked = follow(server, row["break_even"])
    assert linked["inputs"]["country"]["value"] == "DE"
    assert linked["inputs"]["electricity_price_per_kwh"]["source"] == "catalog"
    assert linked["buy_total_cost"] == pytest.approx(row["total_cost"], rel=1e-6)


def test_a_figure_given_wins_over_that_of_the_country(server):
    given = ask(server, **BOUGHT, country="DE", electricity_price_per_kwh=0.3, grid_carbon_kg_per_kwh=0.1)["inputs"]
    assert given["electricity_price_per_kwh"]["value"] == 0.3 and given["grid_carbon_kg_per_kwh"]["value"] == 0.1


def test_a_country_nobody_knows_is_refused_with_where_to_choose(server):
    for question in (BOUGHT, dict(budget=1e6)):
        for wrong, says in (("zz", "/v1/carbon"), ("Germany", "two letters")):
            culprit = errors(server, **question, country=wrong)["country"]
            assert culprit["code"] == "unknown_name" and says in culprit["detail"]


def test_a_price_of_carbon_needs_a_grid(server):
    assert errors(server, **BOUGHT)["grid_carbon_kg_per_kwh"]["code"] == "missing_parameter"


def test_a_country_without_a_price_of_electricity_says_so(server):
    known = {row["country"] for row in server.get("/v1/electricity-prices", limit=1000).json["rows"]}
    country = sorted({row["country"] for row in server.get("/v1/carbon", limit=1000).json["rows"]} - known)[0]
    answer = ask(server, **BOUGHT, country=country)
    assert "electricity_of_no_country" in codes(answer) and answer["inputs"]["electricity_price_per_kwh"]["source"] == "default"


def test_what_is_bought_is_not_beaten_by_what_is_bought_for_less(server):
    """Nobody would sign for more money and longer times."""
    for question in (dict(workload="serve", model="deepseek-r1", requests_per_minute=60),
                     dict(workload="serve", model="llama-3.3-70b", requests_per_minute=600, input_tokens=1500, output_tokens=300)):
        rows = [row for row in ask(server, **question)["options"] if row["acquisition"] == "buy"]
        bought, = (row for row in rows if "buy" in row["roles"].split(","))
        assert all(row["total_cost"] >= bought["total_cost"] or
                   row["latency_p95_seconds_estimate"] > bought["latency_p95_seconds_estimate"] for row in rows)


# --- what can be bought new

def bought(answer):
    return {option["gpu"] for option in answer["options"] if option["acquisition"] == "buy"}


def test_cards_no_longer_sold_new_are_not_bought_unless_named(server):
    open_question = ask(server, **CHAT, purchase_options="owned", as_of="2026-11-01")
    assert "not_sold_new" in codes(open_question)
    assert ruled_out(open_question)["rtx-3090"]["rule"] == "sold_new"
    launched = {row["gpu"]: row["launch_year"] for row in server.get("/v1/gpus", limit=1000).json["rows"]}
    assert all(launched[gpu] >= 2022 for gpu in bought(open_question))

    named = ask(server, **CHAT, purchase_options="owned", gpu="rtx-3090", as_of="2026-11-01")
    assert bought(named) == {"rtx-3090"} and "used_price" in codes(named)
    anew = ask(server, **CHAT, purchase_options="owned", gpu="rtx-3090", condition="new", as_of="2026-11-01")
    assert "not_sold_new" in codes(anew) and anew["options"][0]["total_cost"] > named["options"][0]["total_cost"]


def test_what_is_made_for_china_is_bought_in_china_only(server):
    asked = dict(workload="serve", model="deepseek-r1", requests_per_minute=10,
                 purchase_options="owned", as_of="2026-11-01")
    assert ruled_out(ask(server, **asked))["h20"]["rule"] == "sold_new"
    assert "h20" not in ruled_out(ask(server, **asked, country="CN"))


def test_a_purchase_of_former_years_is_said_in_break_even(server):
    asked = dict(gpu="rtx-3090", gpu_count=4, utilization=0.5, condition="new", as_of="2026-11-01")
    said = server.get("/v1/break-even", **asked).json
    assert "not_sold_new" in codes(said)
    assert "not_sold_new" not in codes(server.get("/v1/break-even", **asked, gpu_card_price=700).json)
    assert "not_sold_new" not in codes(server.get("/v1/break-even", gpu="h100-sxm5-80gb",
                                              utilization=0.5).json)


def test_what_is_no_longer_sold_new_is_compared_used(server):
    """Eight new V100 of 2017 were the cheaper way in 2026."""
    asked = dict(gpu="v100-sxm2-32gb", utilization=0.7, as_of="2026-11-01")
    answer = server.get("/v1/break-even", **asked).json
    assert answer["inputs"]["condition"]["value"] == "used" and "used_condition" in codes(answer)
    assert answer == server.get("/v1/break-even", **asked, condition="used").json | {
        key: answer[key] for key in ("inputs", "links")}
    assert "used v100-sxm2-32gb" in answer["sentence"] or "owning used ones" in answer["sentence"]
    assert server.get("/v1/break-even", **asked | dict(gpu="b200-sxm")).json["inputs"]["condition"]["value"] == "new"
    assert server.get("/v1/break-even", **asked | dict(as_of="2019-01-01")).json["inputs"]["condition"]["value"] == "new"


@pytest.mark.parametrize("asked, misses", [
    (dict(workload="train", model="llama-3.1-8b", tokens=1e12, budget=1000, gpu="h100-sxm5-80gb"), "misses the budget"),
    (CHAT | FEW | dict(latency_p95_seconds=0.001), "misses the limits on latency"),
    (CHAT | FEW | dict(latency_p95_seconds=0.001, budget=1), "misses the budget and the limits on latency")])
def test_where_no_option_keeps_the_limits_the_sentence_names_the_nearest(server, asked, misses):
    answer = ask(server, **asked)
    assert answer["recommended_rank"] is None and answer["options"]
    told = re.fullmatch(r"No option meets every limit\. Nearest is option (\d), which (misses [\w ]+): (.+)", answer["recommended_sentence"])
    assert told and told[2] == misses, answer["recommended_sentence"]
    near = next(row for row in answer["options"] if str(row["rank"]) == told[1])
    assert "nearest" in near["roles"] and told[3] == near["sentence"]


@pytest.mark.parametrize("given, workload", [
    ({"daily_users": 1000, "requests_per_user_per_day": 5}, "serve"), ({"requests_per_minute": 20}, "serve"),
    ({"tokens_per_day": 1e8, "budget": 500_000}, "serve"), ({"finetune_tokens": 1e7}, "finetune"),
    ({"tokens": 1e9}, "train"), ({"deadline_days": 30}, "train")])
def test_a_load_or_tokens_say_what_the_gpus_are_for(server, given, workload):
    implied = server.get("/v1/recommendation", model="llama-3.1-8b", **given)
    stated = server.get("/v1/recommendation", model="llama-3.1-8b", workload=workload, **given)
    assert implied.status == stated.status == 200, implied.text
    assert implied.json["inputs"]["workload"] == {"value": workload, "source": "chosen"}
    assert implied.json["options"] == stated.json["options"]


@pytest.mark.parametrize("model", ["qwen3-235b-a22b", "deepseek-r1", "llama-3.1-70b"])
def test_the_smallest_counts_whole_servers(server, model):
    """Two GPUs of a server of eight are not fewer than four that can be had alone."""
    rows = server.get("/v1/recommendation", model=model, tokens_per_day=1e9, horizon_months=24).json["options"]

    def gpus(row):
        servers = re.search(r"in whole servers, ([\d,]+) GPUs", row["sentence"])
        return int(servers[1].replace(",", "")) if servers else row["gpu_count"]
    smallest, = (row for row in rows if "smallest" in row["roles"])
    assert gpus(smallest) == min(gpus(row) for row in rows if row["acquisition"] != "hosted" and row["roles"] != "unconfirmed")


@pytest.mark.parametrize("asked", [
    dict(model="mixtral-8x7b", requests_per_minute=1000, latency_p95_seconds=5, peak_to_average_ratio=3),
    dict(model="llama-3.1-8b", requests_per_minute=5000, latency_p95_seconds=10), dict(model="deepseek-r1", requests_per_minute=300)])
def test_the_fastest_is_not_twice_the_boards_for_what_nobody_notices(server, asked):
    """64 B300 whose requests take over four fifths of the time of 32 were the fastest."""
    answer = server.answer("/v1/recommendation", **asked, workload="serve").json
    row = min((row for row in answer["options"] if row["gpu_count"]), key=lambda row: row["latency_p95_seconds_estimate"])
    assert row["gpu"] in ("b200-sxm", "b300-sxm", "h200-sxm5-141gb", "mi300x") and row["acquisition"] == "buy"
    least, limit = row["latency_p95_seconds_estimate"], asked.get("latency_p95_seconds", 1e6)
    list_ = server.answer("/v1/inference-sizing/options", **asked, gpu=row["gpu"], per_gpu=0).json["options"]
    boards = [(8 * math.ceil(each["gpu_count"] / 8), each["latency_p95_seconds_estimate"]) for each in list_]
    assert not [each for each in boards if 2 * each[0] <= row["gpu_count"] and each[1] <= min(limit, 0.999 * least / 0.8)]


@pytest.mark.parametrize("asked", [
    dict(model="deepseek-r1", requests_per_minute=600, input_tokens=2000, output_tokens=1000, latency_p95_seconds=60),
    dict(model="llama-3.1-70b", requests_per_minute=600, latency_p95_seconds=30), dict(model="gpt-oss-120b", daily_users=20000, requests_per_user_per_day=12)])
def test_speed_costs_no_more_than_in_proportion(server, asked):
    """Half the time of the cheapest for at most twice its cost: 128 B200 were the best value for five times the cost."""
    rows = [row for row in ask(server, **asked, workload="serve")["options"] if row["acquisition"] != "hosted"]
    first, = (row for row in rows if "cheapest" in row["roles"].split(","))
    for row in rows:
        if {"fastest", "best_value"} & set(row["roles"].split(",")):
            assert row["total_cost"] * row["latency_p95_seconds_estimate"] <= \
                first["total_cost"] * first["latency_p95_seconds_estimate"] * 1.0001, row["sentence"]


def test_much_faster_for_little_more_is_the_best_value(server):
    """8 B300 fine-tune a 70B in a third of the days of 8 MI300X for 6 % more money, with nothing between them."""
    answer = ask(server, workload="finetune", model="llama-3.1-70b", method="full", finetune_tokens=1e9, deadline_days=14)
    cheapest, value, fastest = (role(answer, name) for name in ("cheapest", "best_value", "fastest"))
    assert value == fastest != cheapest and value["total_cost"] < 1.1 * cheapest["total_cost"]
    for asked in (dict(workload="train", model="llama-3.1-8b", tokens=2e12), dict(workload="serve", model="llama-3.1-8b", requests_per_minute=2000),
                  dict(workload="finetune", model="qwen3-32b", method="full", finetune_tokens=3e9)):
        answer = ask(server, **asked)
        cheapest, value, fastest = (role(answer, name) for name in ("cheapest", "best_value", "fastest"))
        time = "days" if "train" in asked["workload"] or "finetune" in asked["workload"] else "latency_p95_seconds_estimate"
        if value == cheapest != fastest:
            speed = max(1, cheapest[time]) / max(1, fastest[time]) if time == "days" else cheapest[time] / fastest[time]
            assert (fastest["total_cost"] / cheapest["total_cost"]) ** 2 > speed, asked


def test_replicas_that_keep_up_are_recommended(server):
    """Sixteen H100 in hand: four would do, and wait for ever if they are as slow as their interval allows; eight do not."""
    asked = dict(workload="serve", model="llama-3.3-70b", gpu="h100-sxm5-80gb", gpus_owned="h100-sxm5-80gb:16",
                 daily_users=2000, requests_per_user_per_day=25, input_tokens=2500, output_tokens=400, hosted=0,
                 time_to_first_token_seconds_max=2, tokens_per_second_per_user_min=15, peak_to_average_ratio=5, peak_load_ratio_max=1)
    for jobs in ({}, dict(workload="finetune,serve", tokens=1e8)):
        answer = ask(server, **{**asked, **jobs})
        rows = {row["rank"]: row for row in answer["options"]}
        best, cheapest = rows[answer["recommended_rank"]], rows[1]
        assert best["gpu_count"] == 8 and best["latency_p95_seconds_estimate_high"] and best["within_limits_at_high"]
        assert cheapest["gpu_count"] == 4 and cheapest["latency_p95_seconds_estimate_high"] is None
        assert cheapest["within_limits_at_high"] is False and cheapest["total_cost"] < best["total_cost"]
        risky, = [row for row in answer["warnings"] if row["code"] == "riskier_option"]
        assert "do not keep up with the load" in risky["detail"]
        assert "lengths_decide" not in {row["code"] for row in answer["warnings"]}, "the load decides"
        assert "does not keep up" in reasons(answer, 1)["other_option"]["sentence"]
