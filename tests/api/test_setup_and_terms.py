"""What a training pays besides its steps: the time before the first one, and the shortest rental of a cluster."""
import math
import random

import pytest

from answers import warned

GPUS = ["h100-sxm5-80gb", "h200-sxm5-141gb", "b200-sxm", "a100-sxm4-80gb", "gb200-nvl72", "mi300x"]
MODELS = ["llama-2-7b", "llama-3.1-8b", "qwen3-32b", "llama-3.1-70b"]


def ask(server, path, **values):
    return server.answer(path, **values).json


@pytest.fixture(scope="module")
def assumed(server):
    rows = ask(server, "/v1/assumptions", group="rent")["rows"]
    return {(row["key"], row["scope"] or ""): row["default"] for row in rows}


def term_days(assumed, provider, gpu_count):
    """The shortest rental of a cluster at a provider, from the assumptions alone."""
    own = assumed.get(("cluster_term_days", provider), assumed["cluster_term_days", ""])
    if gpu_count <= assumed["hourly_cluster_gpu_count_max", ""]:
        return 0
    return own if gpu_count <= assumed["reserved_cluster_gpu_count_max", ""] else max(own, assumed["cluster_contract_days", ""])


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def test_a_cluster_costs_its_shortest_rental(server, assumed):
    """The bill is the median over the providers, each with its own term and in whole days."""
    draw, terms = random.Random(20261129), set()
    for _ in range(80):
        asked = dict(model=draw.choice(MODELS), gpu=draw.choice(GPUS), gpu_count=8 * 2 ** draw.randrange(2, 9),
                     tokens=int(10 ** draw.uniform(9, 12.5)), method=draw.choice(["pretrain", "full"]))
        reply = server.get("/v1/training-plan", **asked)
        answer = reply.json if reply.status == 200 else {}
        if not answer.get("billed_rent") or "minimum_term_days" not in answer:
            continue
        hours = answer["gpu_hours"] / answer["gpu_count"]
        bills = []
        for offer in answer["offers_used"]:
            days = term_days(assumed, offer["provider"], answer["gpu_count"])
            step = (offer["billing_granularity_seconds"] or 0) / 3600
            billed = max(24 * days, 24 * math.ceil(hours / 24 - 1e-6)) if days else hours
            billed = step * math.ceil(billed / step - 1e-6) if step else billed
            bills.append(max(billed, (offer["billing_minimum_seconds"] or 0) / 3600) * offer["job_price_per_gpu_hour"])
        assert answer["billed_rent"] == pytest.approx(median(bills) * answer["gpu_count"], rel=2e-3), asked
        said = warned(answer, "minimum_term")
        assert not said or answer["minimum_term_days"] > 0
        terms.add(answer["minimum_term_days"])
    assert terms >= {0, 7, 30}


@pytest.mark.parametrize("gpu", GPUS[:3])
def test_terms_are_not_of_single_machines_quotes_or_prices_of_ones_own(server, gpu):
    asked = dict(model="llama-2-7b", gpu=gpu, tokens=1e11)
    assert ask(server, "/v1/training-plan", **asked, gpu_count=8)["minimum_term_days"] == 0
    assert ask(server, "/v1/training-plan", **asked, gpu_count=512)["minimum_term_days"] > 0
    for own in (dict(price_per_gpu_hour=2), dict(purchase_option="spot")):
        answer = ask(server, "/v1/training-plan", **asked, gpu_count=512, **own)
        assert not answer["minimum_term_days"] and not warned(answer, "minimum_term"), own
        assert answer["total_cost"] < 1.1 * answer["run_cost"] + answer["other_cost"], own


def test_no_recommended_cluster_is_idle_for_most_of_its_rental(server):
    """640 B200 for two days are nothing that anybody rents out: what is listed uses what it pays for."""
    draw = random.Random(7)
    for _ in range(12):
        asked = dict(workload="train", model=draw.choice(MODELS), tokens=int(10 ** draw.uniform(10, 12.6)))
        answer = ask(server, "/v1/recommendation", **asked)
        for option in answer["options"]:
            if not option["minimum_term_days"]:
                continue
            assert "reserved for at least" in option["sentence"], option["sentence"]
            hours = 24 * max(option["minimum_term_days"], option["days"]) * option["train_gpu_count"]
            price = server.get(option["train_plan"]).json["price_per_gpu_hour"]
            assert option["payments"] >= 0.5 * hours * price, (asked, option["sentence"])
            roles = set(option["roles"].split(","))
            if {"cheapest", "best_value"} & roles:
                assert 2 * option["days"] >= option["minimum_term_days"], (asked, option["sentence"])
            if {"fastest", "best_value"} & roles:
                worked = 24 * option["days"] * option["train_gpu_count"] * price
                assert option["payments"] <= 2.03 * worked, (asked, option["sentence"])


def test_what_idles_longer_than_it_works_is_not_the_fastest(server):
    """2,560 B200 train Llama 2 70B in days, and beyond 512 the shortest rental is a month: the answer says why not those."""
    answer = ask(server, "/v1/recommendation", workload="train", model="llama-2-70b", tokens=2e12)
    fastest, = [row for row in answer["options"] if "fastest" in row["roles"].split(",")]
    billed = [row for row in answer["reasons"] if row["code"] == "billed_time" and row["option"] == fastest["rank"]]
    assert [row["kept"] for row in billed] == [True, False] and billed[1]["value"] > 2 == billed[1]["threshold"]
    assert "are not offered as the fastest" in billed[1]["sentence"]
    ratio = fastest["payments"] / (24 * fastest["days"] * fastest["train_gpu_count"]) / server.get(fastest["train_plan"]).json["price_per_gpu_hour"]
    assert billed[0]["value"] == pytest.approx(ratio, rel=0.01)
    in_a_hurry = ask(server, "/v1/recommendation", workload="train", model="llama-2-70b", tokens=2e12, deadline_days=6)
    assert any(row["days"] <= 6 for row in in_a_hurry["options"])


def test_the_fastest_of_the_options_says_how_long_it_idles(server):
    """Where all that meet the deadline do; without one, those that work for most of their rental come first."""
    asked = dict(model="llama-2-70b", tokens=2e12, gpu="b200-sxm", per_gpu=0)
    answer = ask(server, "/v1/training-plan/options", **asked, rank="time", deadline_days=8)
    said, = warned(answer, "minimum_term")
    plan = server.get(answer["recommended_plan"]).json
    assert said.startswith(f"the recommended option is billed for {plan['billed_rent'] / plan['run_cost']:.3g} times the hours"), said
    assert "works for most" not in said, "none does within the deadline"
    for rank in "time", "cost":
        assert not warned(ask(server, "/v1/training-plan/options", **asked, rank=rank), "minimum_term")


def test_the_interval_of_a_cluster_pays_its_term_at_least(server):
    """A run of 4 days in a rental of 30 costs no less if it takes 3; the providers' own terms bound it too."""
    draw, seen = random.Random(17), 0
    for _ in range(12):
        gpu = draw.choice(["b200-sxm", "h100-sxm5-80gb", "h200-sxm5-141gb"])
        answer = ask(server, "/v1/recommendation", workload="train", model=draw.choice(MODELS), gpu=gpu,
                     tokens=int(10 ** draw.uniform(10.5, 12.5)), deadline_days=draw.choice([1, 3, 10]))
        for option in answer["options"]:
            plan = server.get(option["train_plan"]).json
            if option["acquisition"] != "rent" or not plan["minimum_term_days"] or option["days_high"] > min(7, plan["minimum_term_days"]):
                continue
            seen += 1
            bills = [max(24 * math.ceil(option["days"] - 1e-9), 24 * (1 if offer["provider"] in ("aws", "azure", "gcp") else 7))
                     * offer["job_price_per_gpu_hour"] * option["train_gpu_count"] for offer in plan["offers_used"]]
            if plan["gpu_count"] <= 512:
                assert option["total_cost_cheapest_provider"] == pytest.approx(min(bills) + plan["other_cost"], rel=0.01), option
                assert option["total_cost_dearest_provider"] == pytest.approx(max(bills) + plan["other_cost"], rel=0.01), option
            per_hour = [offer["job_price_per_gpu_hour"] for offer in plan["offers_used"]]
            spread = max(per_hour) / (sum(per_hour) / len(per_hour))
            assert option["total_cost_high"] <= max(spread * option["total_cost"], max(bills) + plan["other_cost"]) * 1.35, option
    assert seen >= 8


def test_the_term_is_that_of_the_bill(server, assumed):
    """352 A100 of 40 GB have three providers, two of which reserve by the day: the bill and the words are a day's."""
    plan = ask(server, "/v1/training-plan", model="deepseek-r1", method="full", gpu="a100-sxm4-40gb", gpu_count=352, tokens=1e9)
    terms = sorted(term_days(assumed, offer["provider"], 352) for offer in plan["offers_used"])
    assert plan["minimum_term_days"] == terms[len(terms) // 2] == 1
    assert plan["billed_rent"] < 1.2 * 24 * 352 * plan["price_per_gpu_hour"]


def test_fewer_gpus_by_the_hour_are_listed_where_more_are_rented_by_the_week(server):
    """DeepSeek-R1 needs 64 B200: they take five times the GPU-hours of 72, and a seventh of the money."""
    asked = dict(model="deepseek-r1", method="full", gpu="b200-sxm")
    rows = ask(server, "/v1/training-plan/options", **asked, tokens=1e9, per_gpu=0)["options"]
    by_count = {row["gpu_count"]: row for row in rows}
    assert by_count[64]["gpu_hours"] > 2 * by_count[72]["gpu_hours"] and by_count[64]["total_cost"] < by_count[72]["total_cost"] / 2
    answer = ask(server, "/v1/recommendation", workload="finetune", **asked, finetune_tokens=1e9, gpu_count_max=64)
    assert answer["recommended_gpu_count"] == 64
    plan = server.get(answer["options"][answer["recommended_rank"] - 1]["finetune_plan"]).json
    said, = warned(answer, "tight_memory")
    assert said == "fine-tuning as recommended: " + warned(plan, "tight_memory")[0]


def test_a_run_of_minutes_pays_for_its_start(server):
    asked = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", gpu_count=8, method="lora", tokens=2e6)
    none, usual, given = (ask(server, "/v1/training-plan", **asked, **more)
                          for more in (dict(setup_seconds=0), {}, dict(setup_seconds=3600)))
    seconds = usual["inputs"]["setup_seconds"]["value"]
    assert seconds == pytest.approx(600 + 2 * 8.03e9 / 0.53e9, rel=1e-3)
    for answer, setup in ((usual, seconds), (given, 3600)):
        assert answer["days"] == pytest.approx(none["days"] + setup / 86400, rel=1e-5)
        assert answer["gpu_hours"] == pytest.approx(none["gpu_hours"] + 8 * setup / 3600, rel=1e-5)
        assert answer["step_seconds"] == none["step_seconds"]
        line, = [row for row in answer["line_items"] if row["key"] == "setup_gpu_hours"]
        assert line["amount"] == pytest.approx(8 * setup / 3600 * answer["price_per_gpu_hour"], abs=0.011)
    assert not [row for row in none["line_items"] if row["key"] == "setup_gpu_hours"]


def test_more_gpus_are_not_rented_for_what_they_spend_starting(server):
    """Whatever is asked, no listed option spends most of its hours before the first step unless the fewest GPUs do."""
    draw = random.Random(11)
    for _ in range(25):
        asked = dict(model=draw.choice(["qwen3-0.6b", "llama-3.1-8b", "qwen3-32b", "llama-3.1-70b"]),
                     method=draw.choice(["lora", "qlora", "full"]), tokens=int(10 ** draw.uniform(5, 9)))
        answer = ask(server, "/v1/training-plan/options", **asked, per_gpu=0)
        for option in answer["options"]:
            setup = 600 + (2 * option["parameters"] / 0.53e9)
            same = [each["gpu_hours"] for each in answer["options"] if each["gpu"] == option["gpu"]]
            assert option["days"] * 86400 > setup - 1, (asked, option)
            most = min(same) / 0.5 + 1e-6
            frugal = [each["total_cost"] for each in answer["options"] if each["gpu"] == option["gpu"] and each["gpu_hours"] <= most]
            assert option["gpu_hours"] <= most or option["total_cost"] < min(frugal), (asked, option["gpu"], option["gpu_count"])


def test_a_nightly_job_pays_its_start_each_time(server):
    asked = dict(workload="train", model="llama-3.1-8b", method="lora", tokens=2e6, gpu="l40s", gpu_count=1, runs_per_year=365)
    usual, none = (ask(server, "/v1/break-even", **asked, **more) for more in ({}, dict(setup_seconds=0)))
    assert usual["rent_total_cost"] > 1.5 * none["rent_total_cost"]
    assert usual["gpu_hours_per_month"] > 1.5 * none["gpu_hours_per_month"]


def test_jobs_on_gpus_in_hand_cost_their_hours(server):
    """An evening on owned GPUs does not cost a month of their upkeep, whatever the job."""
    draw = random.Random(3)
    for _ in range(12):
        gpu, n = draw.choice([("a100-sxm4-80gb", 8), ("h100-sxm5-80gb", 8), ("rtx-4090", 4), ("l40s", 8)])
        asked = dict(workload="finetune", model=draw.choice(["llama-3.1-8b", "qwen3-32b"]), method=draw.choice(["lora", "qlora"]),
                     finetune_tokens=int(10 ** draw.uniform(6, 8)), gpu=gpu, gpus_owned=f"{gpu}:{n}")
        answer = ask(server, "/v1/recommendation", **asked)
        own = next(row for row in answer["options"] if row["acquisition"] == "in_hand")
        month = ask(server, "/v1/break-even", gpu=gpu, gpu_count=own["finetune_gpu_count"],
                    owned_gpu_count=own["finetune_gpu_count"], utilization=1, horizon_months=1)
        assert own["days"] < 20 and own["total_cost"] <= 1.02 * month["buy_total_cost"] * own["days"] * 24 / 730 + 1, asked
        assert own["total_cost_low"] <= own["total_cost"] < own["total_cost_high"], asked
        assert own["break_even"] is None


def test_a_deadline_opens_the_number_of_gpus(server):
    """A 405B on 15 trillion tokens takes more than 4,096 GPUs in 90 days: its own training took 16,384 H100."""
    asked = dict(workload="train", model="llama-3.1-405b", tokens=int(15e12))
    answer = ask(server, "/v1/recommendation", **asked, deadline_days=90)
    assert answer["recommended_days"] <= 90 and answer["recommended_gpu_count"] > 4096
    usual = ask(server, "/v1/recommendation", **asked)
    assert usual["recommended_days"] <= 120 and usual["inputs"]["gpu_count_max"]["value"] == 16384
    more = ask(server, "/v1/recommendation", **asked | dict(tokens=int(1e14)))
    said = [row["sentence"] for row in more["ruled_out"] if row["rule"] == "deadline"]
    assert said and all("on up to 16,384 GPUs (gpu_count_max)" in sentence for sentence in said)


def test_what_misses_the_limits_is_near_them(server):
    """Without an answer within the limits, nothing is listed that misses them by over twice what the nearest does."""
    draw = random.Random(5)
    seen = 0
    for _ in range(15):
        asked = dict(workload="train", model=draw.choice(MODELS), tokens=int(10 ** draw.uniform(11, 13)))
        asked |= draw.choice([dict(deadline_days=draw.choice([0.02, 0.1])), dict(budget=draw.choice([100, 1000]))])
        answer = ask(server, "/v1/recommendation", **asked)
        misses = {row["rank"]: row["days"] / asked["deadline_days"] if "deadline_days" in asked else row["payments"] / asked["budget"]
                  for row in answer["options"]}
        nearest = [misses[row["rank"]] for row in answer["options"] if "nearest" in row["roles"].split(",")]
        for miss in nearest:
            seen += 1
            assert max(misses.values()) <= 2.001 * miss, (asked, misses)
    assert seen >= 10


def test_a_budget_and_a_deadline_alone_are_told_where_to_ask(server):
    reply = server.get("/v1/recommendation", budget=50000, deadline_days=5)
    assert reply.status == 400
    link, = [word.rstrip(";") for word in reply.json["errors"][0]["detail"].split() if word.startswith("/v1/")]
    answer = ask(server, link)
    assert answer["recommended_parameters"] > 1e9 and answer["recommended_days"] <= 5
    assert answer["recommended_total_cost"] <= 50000


def test_a_budget_does_not_buy_years(server):
    """A budget alone does not mean that you wait: what is recommended ends in the usual time, and what fits the budget comes first."""
    draw = random.Random(13)
    recommended = 0
    for _ in range(20):
        asked = dict(model=draw.choice(MODELS), tokens=int(10 ** draw.uniform(10, 12.5)), budget=int(10 ** draw.uniform(3, 6)))
        answer = ask(server, "/v1/training-plan/options", **asked)
        within = [row["meets_deadline"] and row["within_budget"] for row in answer["options"] if row["total_cost"] is not None]
        assert within == sorted(within, reverse=True), asked
        if answer["recommended_gpu"]:
            recommended += 1
            assert answer["recommended_days"] <= 120 and answer["recommended_total_cost"] <= asked["budget"], asked
            assert answer["options"][0]["within_budget"] and answer["options"][0]["meets_deadline"], asked
    assert recommended >= 5
