"""Every estimate of money has an interval: over the providers, and of one provider as far as providers usually are
from one another. Random questions of the driver, and cases by hand."""
import json
import pathlib
import random
import sys
import urllib.parse

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "driver"))
import checks  # noqa: E402
from questions import Catalogue, Questions  # noqa: E402

from openapi import inlined  # noqa: E402

ASKED = ("/v1/training-plan", "/v1/training-plan/options", "/v1/inference-sizing", "/v1/inference-sizing/options",
         "/v1/break-even", "/v1/break-even/gpus", "/v1/recommendation")
LEFT_OUT = {"fields", "lines", "side", "on_error", "as_of", "model_version", "explain", "nocache", "download"}
LOW, HIGH = 0.5, 1.8  # provider_price_ratio


def ask(server, path, **params):
    return server.answer(path, **params).json


def questions_of(server, seed):
    def get(target):
        return server.get(target).body
    openapi = inlined(json.loads(get("/openapi.json")))
    questions = Questions(openapi, Catalogue(get), random.Random(seed))
    questions.paths = {path: questions.paths[path] for path in ASKED}
    return questions


def test_random_questions_are_answered_with_intervals(server):
    questions = questions_of(server, 24)
    answered = dict.fromkeys(ASKED, 0)
    figures = 0
    for _ in range(600):
        path, asked = questions.ask()
        if answered[path] >= 30:
            continue
        target = {name: value for name, value in asked.items() if name not in LEFT_OUT}
        reply = server.get(path, **target)
        if reply.status != 200 or "json" not in reply.headers["Content-Type"]:
            continue
        answered[path] += 1
        try:
            checks.check_intervals(path, reply.json)
        except checks.Fault as fault:
            raise AssertionError(f"{fault}: {path}?{urllib.parse.urlencode(target)}") from None
        figures += sum(key.endswith("_high") for key in reply.json)
    assert all(count >= 10 for count in answered.values()) and figures > 500, answered


# A GPU that one provider rents out eight of.
ALONE = dict(gpu="rtx-5090", gpu_count=8)


def test_one_provider_has_the_usual_spread(server):
    sizing = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", requests_per_minute=100, **ALONE)
    assert sizing["price_provider_count"] == 1
    for name in ("cost_per_hour", "cost_per_month", "cost_per_million_output_tokens", "cost_per_million_tokens"):
        assert sizing[f"{name}_low"] == pytest.approx(LOW * sizing[name], rel=1e-4)
        assert sizing[f"{name}_high"] == pytest.approx(HIGH * sizing[name], rel=1e-4)
    ledger = ask(server, "/v1/break-even", utilization=1, **ALONE)
    assert ledger["rent_total_cost_low"] == pytest.approx(LOW * ledger["rent_total_cost"], rel=1e-6)
    assert ledger["rent_total_cost_high"] == pytest.approx(HIGH * ledger["rent_total_cost"], rel=1e-6)
    drawn = {row["key"]: row for row in ask(server, "/v1/break-even/risk", utilization=1, **ALONE)["drawn_inputs"]}
    band = drawn["rent_price_per_gpu_hour"]
    assert (band["low"], band["high"]) == pytest.approx((LOW * band["mode"], HIGH * band["mode"]), rel=1e-6)
    plan = ask(server, "/v1/training-plan", model="llama-3.1-8b", tokens=1e9, calendar_ratio=1, **ALONE)
    assert plan["total_cost_low"] < LOW * plan["total_cost"] * 1.05 and plan["total_cost_high"] > HIGH * plan["total_cost"] * 0.95


NAMED = dict(gpu="h100-sxm5-80gb", gpu_count=8, provider="lambda")


def drawn_rent(server, **asked):
    rows = ask(server, "/v1/break-even/risk", utilization=0.8, **asked)["drawn_inputs"]
    return next((row for row in rows if row["key"] == "rent_price_per_gpu_hour"), None)


def test_the_list_of_the_provider_named_is_certain(server):
    """Who asks for one provider gets its price, not the spread of those that were not asked for."""
    asked = NAMED | dict(purchase_option="on_demand")
    ledger = ask(server, "/v1/break-even", utilization=0.8, **asked)
    assert ledger["rent_total_cost_low"] == ledger["rent_total_cost"] == ledger["rent_total_cost_high"] > 0
    assert drawn_rent(server, **asked) is None
    sizing = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", requests_per_minute=100, **NAMED)
    assert sizing["cost_per_hour_low"] == sizing["cost_per_hour"] == sizing["cost_per_hour_high"] > 0
    spot = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", requests_per_minute=100,
               **NAMED | dict(provider="azure", purchase_option="spot"))
    assert spot["cost_per_hour_low"] < spot["cost_per_hour"] < spot["cost_per_hour_high"], "spot prices move"
    several = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", requests_per_minute=100,
                  **NAMED | dict(gpu="gb200-nvl72", gpu_count=4, provider="coreweave,scaleway"))
    assert several["price_provider_count"] == 1, "the only one of those named"
    assert several["cost_per_hour_low"] == several["cost_per_hour"] == several["cost_per_hour_high"] > 0
    alone = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", requests_per_minute=100,
                **ALONE | dict(provider="runpod"))
    assert alone["cost_per_hour_low"] < alone["cost_per_hour"], "sellers of a community cloud ask what they like"


def test_a_derived_price_of_the_provider_named_is_as_uncertain_as_its_discount(server):
    asked = NAMED | dict(purchase_option="reserved_3yr")
    ledger = ask(server, "/v1/break-even", utilization=0.8, **asked)
    low, high = (1 - 0.56) / (1 - 0.45), (1 - 0.35) / (1 - 0.45)
    assert ledger["price_derived_provider_count"] == 1
    assert ledger["rent_total_cost_low"] == pytest.approx(low * ledger["rent_total_cost"], rel=1e-6)
    assert ledger["rent_total_cost_high"] == pytest.approx(high * ledger["rent_total_cost"], rel=1e-6)
    band = drawn_rent(server, **asked)
    assert (band["low"], band["high"]) == pytest.approx((low * band["mode"], high * band["mode"]), rel=1e-5)
    assert "commitment_discount_ratio" in band["basis"]


def test_a_rent_that_you_give_is_not_drawn(server):
    """It is certain in /v1/break-even, and nobody has to find it out first."""
    asked = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.8, rent_price_per_gpu_hour=3)
    answer = ask(server, "/v1/break-even/risk", **asked)
    assert "rent_price_per_gpu_hour" not in [row["key"] for row in answer["drawn_inputs"]]
    assert answer["ask_first"] != "rent_price_per_gpu_hour"
    ends = ask(server, "/v1/break-even/risk", rent_price_per_gpu_hour_low=2, rent_price_per_gpu_hour_high=4, **asked)
    band = next(row for row in ends["drawn_inputs"] if row["key"] == "rent_price_per_gpu_hour")
    assert (band["low"], band["mode"], band["high"]) == (2, 3, 4)


def test_several_providers_span_their_prices(server):
    sizing = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", requests_per_minute=100, gpu="h100-sxm5-80gb", gpu_count=8)
    prices = [offer["job_price_per_gpu_hour"] for offer in sizing["offers_used"]]
    assert len(prices) > 3
    assert (sizing["cost_per_hour_low"], sizing["cost_per_hour_high"]) == pytest.approx((8 * min(prices), 8 * max(prices)), rel=1e-5)


@pytest.mark.parametrize("path, asked", [
    ("/v1/inference-sizing", dict(model="llama-3.1-8b", requests_per_minute=100)),
    ("/v1/training-plan", dict(model="llama-3.1-8b", tokens=1e9, utilization=0.8))])
def test_owned_gpus_have_the_band_of_their_servers(server, path, asked):
    answer = ask(server, path, gpu="h100-sxm5-80gb", gpu_count=8, purchase_option="owned", **asked)
    total = "cost_per_hour" if "cost_per_hour" in answer else "total_cost"
    assert answer["price_basis"] == "owned" and answer[f"{total}_low"] < answer[total] < answer[f"{total}_high"]


def test_a_given_price_is_certain(server):
    sizing = ask(server, "/v1/inference-sizing", model="llama-3.1-8b", requests_per_minute=100, price_per_gpu_hour=2, **ALONE)
    assert sizing["cost_per_hour_low"] == sizing["cost_per_hour"] == sizing["cost_per_hour_high"] == 16


def test_payments_hold_prices_too(server):
    """One provider rents the option out: what is paid has its spread, and sums of ends agree."""
    answer = ask(server, "/v1/recommendation", workload="serve", model="deepseek-r1", requests_per_minute=100, hosted=0)
    rows = {row["rank"]: row for row in answer["options"]}
    alone = next(row for row in rows.values() if row["acquisition"] == "rent" and row["price_provider_count"] == 1)
    for name in ("payments", "total_cost", "serving_cost_per_month"):
        assert alone[f"{name}_low"] == pytest.approx(LOW * alone[name], rel=1e-3)
        assert alone[f"{name}_high"] == pytest.approx(HIGH * alone[name], rel=1e-3)
    best = rows[answer["recommended_rank"]]
    assert best["payments_low"] < best["payments"] < best["payments_high"]
    assert answer["recommended_payments_high"] == best["payments_high"]
