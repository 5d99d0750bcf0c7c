"""What somebody who signs an order must read first: which warning leads, and what a verdict rests on."""
import pytest

from answers import details

LOAD = {"model": "llama-3.1-70b", "requests_per_minute": 600, "input_tokens": 1000, "output_tokens": 300}
RUN = {"model": "llama-3.1-8b", "tokens": "1e11"}


def ask(server, path, **values):
    return server.answer(f"/v1/{path}", **values).json


def first(answer):
    return answer["warnings"][0]


def test_an_option_that_may_miss_a_latency_limit_is_said_to_first(server):
    answer = ask(server, "inference-sizing/options", **LOAD, gpu="b200-sxm,mi300x", latency_p95_seconds=15)
    best = answer["options"][0]
    assert best["latency_p95_seconds_estimate"] <= 15 < best["latency_p95_seconds_estimate_high"]
    assert [row["code"] for row in answer["warnings"]][:2] == ["lengths_decide", "limit_in_interval"]
    assert f"{best['latency_p95_seconds_estimate_high']:.4g}" in details(answer)["limit_in_interval"]
    ample = ask(server, "inference-sizing/options", **LOAD, gpu="b200-sxm,mi300x", latency_p95_seconds=600)
    assert "limit_in_interval" not in details(ample), "what has no upper end has its own warning"


def test_the_first_token_too(server):
    answer = ask(server, "inference-sizing/options", **LOAD, gpu="h100-sxm5-80gb",
                 time_to_first_token_seconds_max=0.3)
    best = answer["options"][0]
    assert best["time_to_first_token_p95_seconds_estimate_high"] > 0.3
    assert [row["code"] for row in answer["warnings"]][:2] == ["lengths_decide", "limit_in_interval"]
    assert "first tokens" in details(answer)["limit_in_interval"]


def test_an_option_that_may_exceed_the_budget_is_said_to_first(server):
    best = ask(server, "training-plan/options", **RUN, gpu="h100-sxm5-80gb")["options"][0]
    budget = round((best["total_cost"] + best["total_cost_high"]) / 2)
    answer = ask(server, "training-plan/options", **RUN, gpu="h100-sxm5-80gb", budget=budget)
    assert first(answer)["code"] == "budget_exceeded_at_high"
    assert f"{answer['recommended_total_cost']:,.0f} USD" in first(answer)["detail"]
    ample = ask(server, "training-plan/options", **RUN, gpu="h100-sxm5-80gb", budget=1e9)
    assert "budget_exceeded_at_high" not in details(ample)


@pytest.mark.parametrize("values, leads", [
    ({"deadline_days": 5}, "deadline_missed_at_high"),
    ({"budget": 12000}, "budget_exceeded_at_high"),
])
def test_a_risk_to_the_limit_comes_before_what_is_said_of_prices(server, values, leads):
    assert first(ask(server, "training-plan/options", **RUN, **values))["code"] == leads


@pytest.mark.parametrize("path", ["break-even", "break-even/risk"])
def test_a_purchase_at_a_list_price_says_so_first(server, path):
    answer = ask(server, path, gpu="b200-sxm", utilization=0.8)
    assert first(answer)["code"] == "purchase_list_price"
    price = [item for item in ask(server, "hardware", gpu="b200-sxm")["rows"]]
    assert max(row["observed_date"] for row in price) in first(answer)["detail"]
    given = ask(server, path, gpu="b200-sxm", utilization=0.8, server_price=390000)
    assert "purchase_list_price" not in details(given), "it is the caller's own"
    rent = ask(server, "break-even", gpu="mi300x", utilization=0.5)
    assert rent["verdict"] == "rent" and "purchase_list_price" not in details(rent)


def test_of_several_gpus_the_cheapest_is_spoken_of_first(server):
    answer = ask(server, "break-even/gpus", gpu="b200-sxm,h100-sxm5-80gb", utilization=0.9)
    assert (answer["best_gpu"], answer["best_option"]) == ("h100-sxm5-80gb", "rent")
    assert answer["sentence"].endswith(", if the derived rents hold.")
    assert first(answer)["code"] == "derived_price_turns_verdict" and "h100-sxm5-80gb" in first(answer)["detail"]


def test_a_rack_of_gb200_has_a_price(server):
    answer = ask(server, "break-even", gpu="gb200-nvl72", gpu_count=72, utilization=0.7)
    assert answer["verdict"] and 2.5e6 < answer["hardware_cost"] < 3.4e6


@pytest.mark.parametrize("path", ["inference-sizing", "inference-sizing/options"])
def test_a_sizing_without_a_load_says_so_first(server, path):
    asked = {"model": "llama-3.1-8b", "gpu": "h100-sxm5-80gb"}
    answer = ask(server, path, **asked)
    assert first(answer)["code"] == "no_load" and "requests_per_minute" in first(answer)["detail"]
    assert "load" not in answer.get("recommended_reason", "")
    for load in ({"requests_per_minute": 60}, {"concurrent_requests": 8}, {"daily_users": 50, "requests_per_user_per_day": 5}):
        assert "no_load" not in details(ask(server, path, **asked, **load))


def test_a_comparison_says_once_what_is_true_of_both(server):
    asked = "/v1/break-even?gpu=h100-sxm5-80gb&utilization="
    answer = ask(server, "compare", a=asked + "0.5", b=asked + "0.6")
    told = [warning["detail"].partition(": ")[::2] for warning in answer["warnings"]]
    texts = [text for _, text in told]
    assert len(texts) == len(set(texts)), texts
    assert any(name == "a and b" and text.startswith("rental extras") for name, text in told)


def test_a_price_list_nobody_was_asked_about_comes_before_its_age(server):
    answer = ask(server, "training-plan", model="llama-2-70b", gpu="a100-sxm4-80gb", gpu_count=2048, tokens="2e12")
    codes = [warning["code"] for warning in answer["warnings"]]
    assert codes.index("list_price") < codes.index("stale_price")


SERVED = {"workload": "serve", "model": "deepseek-r1", "daily_users": 100_000, "requests_per_user_per_day": 20, "budget": 2_000_000,
          "time_to_first_token_seconds_max": 2, "tokens_per_second_per_user_min": 20}


def test_a_recommended_purchase_says_first_that_no_vendor_was_asked(server):
    answer = ask(server, "recommendation", **SERVED)
    assert answer["recommended_acquisition"] == "buy" and first(answer)["code"] == "purchase_list_price"
    assert answer["recommended_gpu"] in first(answer)["detail"]


def test_a_part_of_a_rack_is_not_recommended_for_purchase(server):
    """NVL72 is priced as a share of a rack: nobody sells eight of its GPUs at that."""
    answer = ask(server, "recommendation", **SERVED)
    assert not any(row["gpu"] == "gb200-nvl72" and row["acquisition"] == "buy" for row in answer["options"])
    assert "only by the rack" in details(answer)["not_sold_new"]
    named = ask(server, "recommendation", **SERVED, gpu="gb200-nvl72")
    assert named["recommended_acquisition"] == "buy" and "rack of 72" in details(named)["sold_by_rack"]
    for n, said in ((8, True), (36, False), (72, False)):
        alone = ask(server, "break-even", gpu="gb200-nvl72", gpu_count=n, utilization=0.7)
        assert ("sold_by_rack" in details(alone)) is said
