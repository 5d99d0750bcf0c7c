"""Random questions about a service, asked of sizing, its options, break-even and recommendation: GPUs, hours, prices and
totals are the same in every answer. Questions come from a seed, so each run asks the same ones."""
import random

import pytest

SEED, QUESTIONS, MIXED = 24, 120, 24
MODELS = ("llama-2-7b", "llama-2-13b", "llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b-v0.1", "qwen2.5-72b")
GPUS = ("h100-sxm5-80gb", "a100-sxm4-80gb", "h200-sxm5-141gb", "rtx-4090", "l40s", "a10")
HOURS_PER_MONTH = 730
PRINTED = 2e-5
DESIGN = ("gpu_count", "replica_count", "tensor_parallel", "pipeline_parallel", "attention_data_parallel")


def draw(rng):
    """A load in one of its ways, on one kind of GPU, with or without further wishes."""
    way = rng.randrange(3)
    load = ({"requests_per_minute": round(10 ** rng.uniform(0, 3.5), 2)} if way == 0 else
            {"tokens_per_day": round(10 ** rng.uniform(5, 9))} if way == 1 else
            {"daily_users": round(10 ** rng.uniform(1, 5)), "requests_per_user_per_day": rng.randint(1, 40)})
    question = {"model": rng.choice(MODELS), "gpu": rng.choice(GPUS), "weight_dtype": rng.choice(("bf16", "int8")),
                "input_tokens": rng.choice((128, 512, 2048)), "output_tokens": rng.choice((64, 256, 512)), **load}
    if rng.random() < 0.5:
        question["peak_to_average_ratio"] = round(rng.uniform(1, 6), 2)
    if rng.random() < 0.3:
        question["latency_p95_seconds"] = rng.choice((10, 30, 60))
    ledger = {"horizon_months": rng.choice((12, 24, 36, 48))}
    if rng.random() < 0.5:
        ledger["housing"] = rng.choice(("desk", "own_room", "colocation", "own_hall"))
    if rng.random() < 0.3:
        ledger["electricity_price_per_kwh"] = round(rng.uniform(0.05, 0.4), 3)
    if rng.random() < 0.3:
        ledger["cost_of_capital"] = round(rng.uniform(0, 0.2), 3)
    schedule = rng.choice(({}, {}, {"rent_schedule": "follows_load", "min_replicas": rng.randint(1, 3)},
                           {"rent_schedule": "active_hours", "active_hours_per_day": rng.choice((8, 12))}))
    if "active_hours_per_day" in schedule:
        question.pop("peak_to_average_ratio", None)
    return question, ledger, schedule


def lengths(rng):
    return ",".join(f"{rng.choice((64, 700, 3000, 9000))}:{rng.choice((20, 150, 600))}:{rng.randint(1, 9)}"
                    for _ in range(rng.randint(1, 4)))


def draw_mixed(rng):
    """The same with mixed lengths, images, adapters, parts of a GPU, or a budget of tokens in a pass."""
    question, ledger, schedule = draw(rng)
    question["model"] = rng.choice(("llama-3.2-1b", "llama-3.1-8b", "qwen3-8b", "llama-2-7b"))
    wishes = rng.sample(("lengths", "images", "adapters", "fraction", "pass"), rng.randint(1, 3))
    if "lengths" in wishes:
        question = {k: v for k, v in question.items() if k not in ("input_tokens", "output_tokens")}
        question["request_lengths"] = lengths(rng)
    if "images" in wishes:
        question |= {"images_per_request": rng.choice((0.2, 1, 3)), "image_tokens": rng.choice((256, 1500))}
    if "adapters" in wishes:
        question |= {"adapters": rng.choice((1, 20)), "adapter_rank": rng.choice((8, 64))}
    if "fraction" in wishes:
        question |= rng.choice(({"gpu_fraction": 0.5}, {"gpu_fraction": 0.3},
                                {"gpu": "a100-sxm4-80gb", "mig_profile": "3g.40gb"}))
    if "pass" in wishes:
        question["tokens_per_pass"] = rng.choice((512, 4096))
    return question, ledger, schedule


class Asked:
    def __init__(self, server):
        self.server, self.compared, self.differ, self.answered = server, 0, [], 0

    def at(self, path, **query):
        reply = self.server.get(path, **query)
        return reply.json if reply.status == 200 else None

    def hold(self, what, about, a, b, tolerance=PRINTED, cents=0.011):
        self.compared += 1
        good = a == b or (None not in (a, b) and not isinstance(a, str)
                          and abs(a - b) <= max(tolerance * max(abs(a), abs(b)), cents))
        if not good:
            self.differ.append(f"{what}: {a} and {b} of {about}")


def value(answer, name):
    return answer["inputs"][name]["value"]


def hold_sizing(asked, about, sizing, ledger):
    for name, other in (("gpu_count", "gpu_count"), ("utilization", "utilization"), ("replica_count", "workload_replica_count")):
        asked.hold(f"{name} of sizing and break-even", about, sizing[name], ledger[other], cents=0)
    rental, = [line for line in ledger["line_items"] if line["key"] == "gpu_rental"]
    if rental["amount"] is None:
        return
    hours = rental["quantity"] / ledger["horizon_months"]
    asked.hold("hours rented in a month", about, sizing["gpu_count"] * HOURS_PER_MONTH * value(ledger, "rented_ratio"), hours)
    asked.hold("rent of a month around the clock", about, sizing["cost_per_month"],
               rental["unit_price"] * sizing["gpu_count"] * HOURS_PER_MONTH)


def hold_options(asked, about, sizing, options):
    for row in options["options"]:
        if all(row[name] == sizing[name] for name in DESIGN):
            for name in ("cost_per_hour", "utilization", "latency_p95_seconds_estimate"):
                asked.hold(f"{name} of sizing and its options", about, sizing[name], row[name])


HOSTED = ("total_cost", "total_cost_low", "total_cost_high", "cost_per_month", "cost_per_month_low", "cost_per_month_high",
          "cost_per_million_tokens_blended", "tokens_per_month", "provider_count", "status", "cheapest_provider")


def hold_hosted(asked, about, ledger, advice):
    """The hosted API does not depend on the GPUs: where the load does not either, both bill the same to the cent."""
    for name in HOSTED:
        asked.hold(f"hosted_{name} of recommendation and break-even", about, advice[f"hosted_{name}"],
                   ledger[f"hosted_{name}"], tolerance=0, cents=0)
    row = [row for row in advice["options"] if row["acquisition"] == "hosted"]
    if ledger["hosted_status"] == "priced":
        asked.hold("hosted option", about, row[0]["total_cost"], ledger["hosted_total_cost"], tolerance=0, cents=0)
    if advice["recommended_gpu"] == about["gpu"]:
        for name in ("until_tokens_per_month", "until_daily_users", "until_status"):
            asked.hold(f"hosted_{name} of recommendation and break-even", about, advice[f"hosted_{name}"],
                       ledger[f"hosted_{name}"])


def hold_advice(asked, about, sizing, ledger, advice):
    for row in advice["options"]:
        side = row["acquisition"]
        if side not in ("rent", "buy"):
            continue
        link, plan = asked.at(row["break_even"]), asked.at(row["serve_plan"])
        asked.hold(f"total to {side} of recommendation and the break-even it links", about, row["total_cost"],
                   link[f"{side}_total_cost"], tolerance=0)
        asked.hold("months of service", about, row["months_served"], ledger["horizon_months"])
        if all(plan[name] == sizing[name] for name in DESIGN) and row["serve_purchase_option"] in ("on_demand", "owned"):
            asked.hold(f"total to {side} of recommendation and break-even", about, row["total_cost"],
                       ledger[f"{side}_total_cost"])
            asked.hold("housing", about, value(link, "housing"), value(ledger, "housing"))


def examine(server, drawing, count):
    rng, asked = random.Random(SEED), Asked(server)
    for _ in range(count):
        question, money, schedule = drawing(rng)
        about = question | money | schedule
        ledger = asked.at("/v1/break-even", workload="serve", purchase_option="on_demand", **about)
        if not ledger or ledger["rent_total_cost"] is None:
            continue
        # What the active hours make of the peak is the sizing's question too.
        peak = {"peak_to_average_ratio": value(ledger, "peak_to_average_ratio")}
        sizing = asked.at("/v1/inference-sizing", **question | peak)
        options = asked.at("/v1/inference-sizing/options", **question | peak)
        advice = asked.at("/v1/recommendation", workload="serve", purchase_options="on_demand,owned", **about)
        asked.answered += 1
        hold_sizing(asked, about, sizing, ledger)
        hold_options(asked, about, sizing, options)
        hold_advice(asked, about, sizing, ledger, advice)
        hold_hosted(asked, about, ledger, advice)
    return asked


@pytest.fixture(scope="module", params=[(draw, QUESTIONS), (draw_mixed, MIXED)], ids=["plain", "mixed"])
def asked(server, request):
    return examine(server, *request.param), request.param[1]


def test_every_endpoint_says_the_same(asked):
    asked, _ = asked
    assert not asked.differ, f"{len(asked.differ)} of {asked.compared}:\n" + "\n".join(asked.differ[:20])


def test_enough_was_asked(asked):
    asked, count = asked
    assert asked.answered > count / 2 and asked.compared > 8 * count, (asked.answered, asked.compared)


@pytest.mark.parametrize("gpu, model, method", [("rtx-4090", "llama-3.1-8b", "lora"), ("l40s", "llama-3.1-8b", "lora"), ("rtx-4090", "qwen3-4b", "full"),
                                                ("a100-sxm4-80gb", "qwen3-8b", "full"), ("rtx-4090", "llama-3.1-70b", "qlora")])
def test_the_fewest_gpus_of_a_fine_tuning_are_those_of_the_plan(server, gpu, model, method):
    """Options and plan assume a chunked loss alike; both are asked with the deadline that options have by themselves."""
    question = {"gpu": gpu, "model": model, "method": method, "tokens": 2e6, "deadline_days": 180}
    plan = server.get("/v1/training-plan", **question).json
    options = server.get("/v1/training-plan/options", **question, per_gpu=0).json["options"]
    least = min(options, key=lambda row: row["gpu_count"])
    linked = server.get(least["plan"]).json
    assert linked["fits"] is True and linked["gpu_count"] == least["gpu_count"] == plan["gpu_count"]
    for name in ("days", "total_cost"):
        assert linked[name] == pytest.approx(least[name], rel=PRINTED)
    assert linked["inputs"]["chunked_loss"]["value"] == plan["inputs"]["chunked_loss"]["value"]
