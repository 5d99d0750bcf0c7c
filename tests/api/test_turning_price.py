"""The rent at which a verdict turns is in every verdict, and large rents are said to be negotiated; growth is in the totals."""
import re

import pytest


def ask(server, path, **params):
    return server.answer(path, **params).json


def break_even(server, **params):
    return ask(server, "/v1/break-even", **{"gpu": "h100-sxm5-80gb", "utilization": 0.7, **params})


@pytest.mark.parametrize("rent", (0.5, 1.9, 3, 8))
def test_every_verdict_names_the_rent_at_which_it_turns(server, rent):
    answer = break_even(server, gpu_count=8, rent_price_per_gpu_hour=rent)
    turns = answer["break_even_rent_price_per_gpu_hour"]
    assert answer["sentence"].startswith(answer["verdict"].capitalize() + " 8 x h100-sxm5-80gb")
    said = re.search(r"changes at a rent of ([\d.]+) USD/GPU-hour; it is ([\d.]+) now", answer["sentence"])
    assert float(said[1]) == pytest.approx(turns, rel=1e-3) and float(said[2]) == pytest.approx(rent)
    above = break_even(server, gpu_count=8, rent_price_per_gpu_hour=turns * 1.001)
    below = break_even(server, gpu_count=8, rent_price_per_gpu_hour=turns * 0.999)
    assert (above["verdict"], below["verdict"]) == ("buy", "rent")


def test_a_large_rent_is_said_first_to_be_negotiated(server):
    answer = break_even(server, gpu_count=2048, purchase_option="on_demand")
    first = answer["warnings"][0]
    assert first["code"] == "large_rent", answer["warnings"]
    band = server.get("/v1/assumptions?key=negotiated_discount_ratio").json["rows"][0]
    rent = answer["inputs"]["rent_price_per_gpu_hour"]["value"]
    for ratio in (band["low"], band["high"]):
        assert f"{rent * (1 - ratio):.4g}" in first["detail"]
    assert f"changes at {answer['break_even_rent_price_per_gpu_hour']:.4g}" in first["detail"]
    small, given = break_even(server, gpu_count=64), break_even(server, gpu_count=2048, rent_price_per_gpu_hour=2)
    for other in (small, given):
        assert "large_rent" not in {row["code"] for row in other["warnings"]}


def test_growth_is_in_the_totals(server):
    load = dict(workload="serve", model="llama-3.1-8b", gpu="h100-sxm5-80gb", requests_per_minute=300,
                purchase_options="on_demand,owned", hosted=0)
    still, zero, grown, more = (ask(server, "/v1/recommendation", **load, **given) for given in
                                ({}, dict(growth_ratio_per_month=0), dict(growth_ratio_per_month=0.05),
                                 dict(growth_ratio_per_month=0.1)))
    assert zero["recommended_total_cost"] == still["recommended_total_cost"]
    assert still["recommended_total_cost"] < grown["recommended_total_cost"] < more["recommended_total_cost"]
    last = more["upgrade_path"][-1]
    assert last["to_month"] == 36
    for row in more["options"]:
        sizing = ask(server, row["serve_plan"])
        assert sizing["meets_load"], "it carries the load of the last month"
        ledger = ask(server, row["break_even"])
        side = "buy" if row["acquisition"] == "buy" else "rent"
        assert ledger[f"{side}_total_cost"] == row["total_cost"]
    assert "load_grows" in {row["code"] for row in more["warnings"]}
    assert "load_grows" not in {row["code"] for row in zero["warnings"]}
