"""Options of a recommendation by cost, time, risk and carbon together."""
import pytest

ASKED = {"workload": "serve", "model": "llama-3.1-70b", "requests_per_minute": 60, "latency_p95_seconds": 30}
TRAINED = {"workload": "train", "model": "llama-2-7b", "tokens": 2e12}
GOALS = ("total_cost", "days", "latency_p95_seconds_estimate", "total_cost_high", "electricity_kwh")


def options(server, **asked):
    return server.get("/v1/recommendation", **asked).json["options"]


def beats(one, other):
    pairs = [(one[goal], other[goal]) for goal in GOALS if one[goal] is not None and other[goal] is not None]
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


@pytest.mark.parametrize("asked", (ASKED, TRAINED, ASKED | {"workload": "train,serve", "tokens": 1e10}))
def test_an_option_is_optimal_if_no_other_is_better_in_everything(server, asked):
    rows = [row for row in options(server, **asked) if row["acquisition"] != "hosted"]
    for row in rows:
        assert row["pareto_optimal"] == (not any(beats(other, row) for other in rows)), row["rank"]
    optimal = {row["pareto_optimal"] for row in rows}
    assert optimal == {True, False} if asked is TRAINED else True in optimal


def test_electricity_is_that_of_the_break_even(server):
    bought = [row for row in options(server, **ASKED, country="DE") if row["acquisition"] == "buy" and row["break_even"]]
    assert bought
    for row in bought:
        there = server.get(row["break_even"]).json
        assert row["electricity_kwh"] == pytest.approx(there["electricity_kwh"], rel=1e-4), row["gpu"]
        assert row["carbon_tonnes"] == pytest.approx(there["carbon_tonnes"], rel=1e-4), row["gpu"]


def test_without_a_country_the_carbon_is_unknown(server):
    for row in options(server, **ASKED):
        assert row["carbon_tonnes"] is None
        assert (row["electricity_kwh"] is None) == (row["acquisition"] == "hosted")


def test_a_rented_gpu_draws_its_share_of_a_server(server):
    rented = [row for row in options(server, **ASKED, purchase_options="on_demand") if row["acquisition"] == "rent"]
    assert rented
    for row in rented:
        watts = server.get(f"/v1/gpus/{row['gpu']}").json["tdp_w"]
        assert row["electricity_kwh"] < 3 * row["gpu_count"] * watts / 1000 * 36 * 730, row["gpu"]
