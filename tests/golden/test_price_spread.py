"""The assumption provider_price_ratio, made again from the seed: how far a provider's price is from its competitors'."""
import statistics

import pytest

AS_OF = "2026-11-26"


def prices(server, gpu, count):
    """What each provider asks for the job on demand."""
    answer = server.get("/v1/break-even", gpu=gpu, gpu_count=count, utilization=1, as_of=AS_OF).json
    return [offer["job_price_per_gpu_hour"] for offer in answer.get("offers_used") or []]


def quantile(weighted, q):
    total, before = sum(weight for _, weight in weighted), 0
    for value, weight in weighted:
        before += weight
        if before >= q * total:
            return value
    return weighted[-1][0]


def test_the_assumption_is_the_spread_of_the_seed(server):
    ratios, jobs = [], 0
    for row in server.get("/v1/gpus", limit=1000).json["rows"]:
        for count in (1, 8, 64):
            asked = prices(server, row["gpu"], count)
            if len(asked) < 3:
                continue
            jobs += 1
            ratios += [(statistics.median(asked[:i] + asked[i + 1:]) / price, 1 / len(asked)) for i, price in enumerate(asked)]
    ratios.sort()
    assumption, = server.get("/v1/assumptions", key="provider_price_ratio").json["rows"]
    assert jobs >= 40 and assumption["default"] == 1
    assert assumption["low"] == pytest.approx(quantile(ratios, 0.1), abs=0.05), (jobs, len(ratios))
    assert assumption["high"] == pytest.approx(quantile(ratios, 0.9), abs=0.1), (jobs, len(ratios))
