"""Lists of options recommend what /v1/recommendation would: a rent that can be had before one that may not."""
import random

import pytest

from answers import warned

TRAINING, SERVING = "/v1/training-plan/options", "/v1/inference-sizing/options"


def ask(server, path, **values):
    return server.answer(path, **values).json


def drawn(seed):
    """A question about a training or a service, as a buyer may ask it."""
    draw = random.Random(seed)
    model = draw.choice(["llama-3.1-8b", "qwen3-next-80b-a3b", "llama-2-13b", "llama-3.1-70b", "gemma-2-9b"])
    rank = draw.choice(["cost", "cost", "time" if seed % 2 else "latency"])
    option = draw.choice(["on_demand", "on_demand", "spot", "reserved_1yr"])
    if seed % 2:
        return TRAINING, dict(model=model, tokens=round(10 ** draw.uniform(9, 12)), rank=rank, purchase_option=option,
                              deadline_days=draw.choice([30, 90, 365]))
    return SERVING, dict(model=model, requests_per_minute=round(10 ** draw.uniform(1, 3.5)), rank=rank,
                         purchase_option=option, latency_p95_seconds=draw.choice([20, 40, 90]))


def will_do(row):
    return row.get("meets_latency", 1) != 0 and row.get("meets_deadline", 1) != 0


@pytest.mark.parametrize("seed", range(24))
def test_confirmed_options_come_first(server, seed):
    path, asked = drawn(seed)
    answer = ask(server, path, **asked)
    rows = [row for row in answer["options"] if will_do(row)]
    assert [row["confirmed"] for row in rows] == sorted((row["confirmed"] for row in rows), reverse=True)
    for row in rows:
        if row["confirmed"]:
            assert row["availability"] == "offered"
            assert (row["price_provider_count"] > 1 or row["gpu_count"] <= 8  # others ask about as much for single GPUs
                    or row["gpu"].startswith(("tpu-", "trainium", "inferentia")))  # which their makers alone rent out
    if not answer["recommended_gpu"]:
        return
    first, said = answer["options"][0], warned(answer, "unconfirmed_option")
    assert (first["gpu"], first["gpu_count"]) == (answer["recommended_gpu"], answer["recommended_gpu_count"])
    figure = {"cost": "total_cost" if path == TRAINING else "cost_per_hour", "time": "days",
              "latency": "latency_p95_seconds_estimate"}[asked["rank"]]
    less = [row for row in rows if not row["confirmed"] and row[figure] is not None and row[figure] < 0.98 * first[figure]]
    assert said or not less and first["confirmed"]
    if not first["confirmed"]:  # first, but for what may miss a limit
        assert answer["warnings"][0]["code"] in ("unconfirmed_option", "deadline_missed_at_high", "limit_in_interval")
    assert not less or not first["confirmed"] or " confirmed option" in answer["recommended_reason"]


def test_a_provider_who_is_named_confirms_its_rent(server):
    asked = dict(model="qwen3-next-80b-a3b", requests_per_minute=60, latency_p95_seconds=30, as_of="2026-11-01")
    first = ask(server, SERVING, **asked)["options"][0]
    assert first["confirmed"] and first["gpu"] != "rtx-3090"
    assert "rtx-3090 costs" in warned(ask(server, SERVING, **asked), "unconfirmed_option")[0]
    alone = [row for row in ask(server, SERVING, **asked, provider="runpod")["options"] if row["gpu"] == "rtx-3090"]
    assert alone and all(row["confirmed"] and row["price_provider_count"] == 1 for row in alone)


@pytest.mark.parametrize("path, asked", [
    (TRAINING, dict(model="llama-2-13b", tokens=10**10)),
    (SERVING, dict(model="llama-2-13b", requests_per_minute=60, latency_p95_seconds=30))])
def test_what_is_not_rented_is_confirmed(server, path, asked):
    use = dict(utilization=0.8) if path == TRAINING else {}
    for given in (dict(price_per_gpu_hour=2), dict(purchase_option="owned") | use):
        rows = ask(server, path, **asked, gpu="h100-sxm5-80gb,rtx-3090", **given)["options"]
        assert rows and all(row["confirmed"] for row in rows)


def test_the_maker_of_a_chip_confirms_its_rent(server):
    """Nobody but Google rents out TPUs, nor anybody but Amazon Trainium: a second provider will never be found."""
    def found(gpus, as_of):
        rows = ask(server, TRAINING, model="llama-2-70b", tokens=10**11, deadline_days=120, gpu=gpus, as_of=as_of)["options"]
        assert all(row["price_provider_count"] == 1 and row["availability"] == "offered" for row in rows)
        return {row["gpu"]: row["confirmed"] for row in rows}

    assert found("trainium1", "2026-11-26") == {"trainium1": True}
    assert found("mi350x", "2026-11-26") == {"mi350x": False}  # one cloud, which does not make it
    assert found("tpu-v5p,tpu-v6e", "2025-11-26") == {"tpu-v5p": True, "tpu-v6e": True}
    assert found("tpu-v5p,tpu-v6e", "2026-11-26") == {"tpu-v5p": False, "tpu-v6e": False}  # prices of December 2024
    answer = ask(server, TRAINING, model="llama-2-70b", tokens=10**11, gpu="tpu-v6e", as_of="2026-11-26")
    assert "last seen over a year ago, on 2024-12-23" in warned(answer, "unconfirmed_option")[0]


def test_single_gpu_listings_are_known_to_come_in_whole_boards(server):
    """Runpod rents eight MI300X in one machine at eight times the price of one, so nine machines of eight are found."""
    asked = dict(model="deepseek-r1", requests_per_minute=3600, input_tokens=1000, output_tokens=300,
                 latency_p95_seconds=40, as_of="2026-11-26")
    row = ask(server, SERVING, **asked, gpu="mi300x")["options"][0]
    assert row["gpu_count"] > 64 and row["availability"] == "offered" and row["confirmed"]
    assert row["price_provider_count"] == 3


CARDS = ["l40s", "a100-pcie-80gb", "h100-pcie-80gb", "rtx-pro-6000-blackwell-server", "l4", "a40"]
LINKED = ["h100-sxm5-80gb", "mi300x", "a100-sxm4-80gb", "gb200-nvl72", "gaudi3"]


@pytest.mark.parametrize("model", ["deepseek-r1", "kimi-k2", "llama-3.1-405b"])
@pytest.mark.parametrize("gpu", CARDS + LINKED)
def test_replicas_over_servers_of_cards_are_not_confirmed(server, model, gpu):
    """Engines run them, but their guides divide a model over servers only of GPUs with a link."""
    asked = dict(model=model, gpu=gpu, requests_per_minute=30, price_per_gpu_hour=1)
    reply = server.get(SERVING, **asked)
    rows = reply.json.get("options", [])
    assert reply.status == 200 or reply.status == 422
    for row in rows:
        divided = gpu in CARDS and row["tensor_parallel"] * row["pipeline_parallel"] > 8
        assert row["confirmed"] == (not divided), row  # the price is the caller's own
    if rows:
        plan = server.get(rows[0]["plan"]).json if "plan" in rows[0] else ask(server, "/v1/inference-sizing", **asked)
        divided = gpu in CARDS and plan["tensor_parallel"] * plan["pipeline_parallel"] > 8
        assert bool(warned(plan, "unlinked_servers")) == divided
        said = warned(reply.json, "unconfirmed_option")
        assert bool(said) == (not rows[0]["confirmed"])
        assert not said or "have no link between them" in said[0] and "measure a replica" in said[0]


def test_a_purchase_of_unlinked_servers_is_not_confirmed(server):
    answer = ask(server, "/v1/recommendation", workload="serve", model="deepseek-r1", gpu="l40s", requests_per_minute=60)
    assert not answer["options"][0]["confirmed"]
    assert "have no link between them" in warned(answer, "unconfirmed_option")[0]
    both = ask(server, "/v1/recommendation", workload="serve", model="deepseek-r1", gpu="l40s,h200-sxm5-141gb",
               requests_per_minute=60)
    assert both["recommended_gpu"] == "h200-sxm5-141gb"


FILLED = [("deepseek-r1", "full", 1e9), ("qwen3-235b-a22b", "lora", 1e9), ("llama-3.1-70b", "pretrain", 1e12)]


@pytest.mark.parametrize("model, method, tokens", FILLED)
def test_plans_that_fill_the_memory_are_not_confirmed(server, model, method, tokens):
    rows = ask(server, TRAINING, model=model, method=method, tokens=tokens, gpu="b200-sxm,h200-sxm5-141gb", per_gpu=0,
               price_per_gpu_hour=1)["options"]
    shares = {True: [], False: []}
    tight = [row for row in rows if not row["confirmed"]]
    for row in rows[:3] + tight[:3] + tight[-3:]:
        plan = server.get(row["plan"]).json
        share = plan["memory_required_gib"] / plan["memory_capacity_gib"]
        shares[bool(row["confirmed"])].append(share)
        assert bool(warned(plan, "tight_memory")) == (not row["confirmed"])
    assert all(share <= 0.95 for share in shares[True]) and all(share > 0.95 for share in shares[False])
    assert bool(tight) == (method != "pretrain")


def test_a_job_that_fills_the_memory_is_not_recommended(server):
    """GPUs enough to leave some cost more; where no more are allowed, the warning says what to try."""
    asked = dict(workload="finetune", model="deepseek-r1", method="full", tokens=1e9, gpu="b200-sxm")
    answer = ask(server, "/v1/recommendation", **asked)
    best = answer["options"][answer["recommended_rank"] - 1]
    assert best["finetune_memory_per_gpu_gib"] < 0.95 * best["finetune_memory_capacity_gib"]
    assert answer["options"][0]["roles"] == "unconfirmed"
    assert "over 95% full" in warned(answer, "unconfirmed_option")[0]
    few = ask(server, "/v1/recommendation", gpu_count_max=best["gpu_count"] - 8, **asked)
    assert not few["options"][0]["confirmed"]
    assert warned(few, "tight_memory") and "run one step" in warned(few, "unconfirmed_option")[0]


@pytest.mark.parametrize("seed", range(120, 180))
def test_fewer_gpus_for_less_money_come_first(server, seed):
    """Several providers who rent out more of them for about the same price confirm what one is known to rent out."""
    draw = random.Random(seed)
    asked = dict(model=draw.choice(["llama-3.1-8b", "phi-4", "llama-2-13b", "qwen3-32b"]),
                 gpu=draw.choice(["h100-nvl-94gb", "h100-pcie-80gb", "a100-pcie-80gb", "l40s", "h200-sxm5-141gb"]),
                 requests_per_minute=round(10 ** draw.uniform(2.5, 4)), latency_p95_seconds=draw.choice([15, 30, 60]),
                 input_tokens=draw.choice([500, 2000, 8000]), output_tokens=draw.choice([200, 500]), per_gpu=0)
    reply = server.get(SERVING, **asked)
    rows = [row for row in reply.json.get("options", []) if will_do(row) and row["cost_per_hour"] is not None]
    first = next((row for row in rows if row["confirmed"]), None)
    rows = [row for row in rows if not row["prefill_replica_count"]]
    connected = lambda row: row["tensor_parallel"] * row["pipeline_parallel"]
    for row in rows:
        about_as_much = first and first["price_per_gpu_hour"] <= 1.1 * row["price_per_gpu_hour"]
        if about_as_much and not row["confirmed"] and connected(row) <= connected(first):
            assert row["gpu_count"] > first["gpu_count"] or row["cost_per_hour"] > first["cost_per_hour"], row


def test_weights_handed_over_that_fill_the_memory_are_not_confirmed(server):
    """The update fits on an RTX 5090 with room to spare, but the two copies of an 8B nearly fill it during the handover."""
    rows = ask(server, TRAINING, model="llama-3.1-8b", objective="grpo", method="lora", tokens=1e8, sequence_tokens=1000,
               completion_tokens=600, global_batch_sequences=64, gpu="rtx-5090", per_gpu=0,
               price_per_gpu_hour=1)["options"]
    filled = set()
    for row in rows:
        plan = server.get(row["plan"]).json
        share = plan["handover_memory_gib"] / plan["memory_capacity_gib"]
        assert plan["memory_required_gib"] <= 0.95 * plan["memory_capacity_gib"]
        assert row["confirmed"] == (share <= 0.95)
        assert bool(warned(plan, "tight_memory")) == (share > 0.95)
        filled.add(share > 0.95)
    assert filled == {True, False}
