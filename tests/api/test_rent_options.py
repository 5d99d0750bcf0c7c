"""Ways of renting side by side, and what it costs to leave a reserved term before its end."""
import re

import pytest

H100 = dict(gpu="h100-sxm5-80gb", gpu_count=8)


def ask(server, **params):
    return server.answer("/v1/break-even", **params).json


def rent_line(answer, key):
    (line,) = [line for line in answer["line_items"] if (line["side"], line["key"]) == ("rent", key)]
    return line["amount"]


def warned(answer, code):
    return [warning for warning in answer["warnings"] if warning["code"] == code]


@pytest.mark.parametrize("option, horizon, left", [
    ("reserved_3yr", 18, 18), ("reserved_3yr", 36, 0), ("reserved_3yr", 40, 0), ("reserved_1yr", 7, 5),
    ("reserved_1yr", 18, 0), ("on_demand", 18, 0), ("capacity_block", 1, 0)])
def test_the_rest_of_a_reserved_term_is_paid(server, option, horizon, left):
    asked = H100 | dict(utilization=0.5, purchase_option=option, horizon_months=horizon, rent_price_per_gpu_hour=2,
                        cost_of_capital=0)
    whole = 8 * 730 * 2 * left
    for ratio, due in ((None, whole), (0.12, 0.12 * whole), (0, 0)):
        answer = ask(server, **asked | ({} if ratio is None else dict(commitment_exit_ratio=ratio)))
        assert rent_line(answer, "commitment_exit") == pytest.approx(due)
        without = ask(server, **asked | dict(commitment_exit_ratio=0))
        assert answer["rent_total_cost"] - without["rent_total_cost"] == pytest.approx(due)
        assert answer["search_months"] == (horizon if due else 60)


def test_what_leaving_costs_is_paid_in_the_last_month_and_deducted_from_tax(server):
    asked = H100 | dict(utilization=0.5, purchase_option="reserved_1yr", horizon_months=10, tax_rate=0.25)
    reply = server.get("/v1/break-even/cash-flow", **asked, rent_price_per_gpu_hour=2)
    *before, last = [month["rent_cash"] for month in reply.json["cash_flow"]]
    assert last == pytest.approx(before[-1] + 0.75 * 8 * 730 * 2 * 2, abs=0.02)


@pytest.mark.parametrize("asked", [
    H100 | dict(utilization=0.7), H100 | dict(utilization=0.7, horizon_months=18),
    dict(gpu="b200-sxm", gpu_count=512, utilization=0.8, housing="own_hall", tax_rate=0.21, lead_time_months=6),
    dict(gpu="h100-sxm5-80gb", model="llama-3.1-8b", daily_users=5000, requests_per_user_per_day=20),
    H100 | dict(utilization=0.7, currency="EUR")])
def test_each_way_of_renting_is_what_it_is_asked_by_itself(server, asked):
    options = {row["purchase_option"]: row for row in ask(server, **asked)["rent_options"]}
    assert list(options) == ["on_demand", "reserved_1yr", "reserved_3yr"]
    for option, row in options.items():
        alone = ask(server, **asked, purchase_option=option)
        assert alone["rent_options"] == list(options.values())
        for name in ("rent_total_cost", "buy_saving", "price_provider_count", "price_derived_provider_count"):
            assert row[name] == alone[name], (option, name)
        assert row["commitment_exit_cost"] == rent_line(alone, "commitment_exit")
        assert row["rent_price_per_gpu_hour"] == pytest.approx(alone["inputs"]["rent_price_per_gpu_hour"]["value"], rel=1e-6)


CASES = [H100 | dict(utilization=0.9), H100 | dict(utilization=0.7), H100 | dict(utilization=0.1), H100 | dict(utilization=0.9, horizon_months=6),
         dict(gpu="rtx-4090", gpu_count=1, utilization=0.5), dict(gpu="b200-sxm", gpu_count=512, utilization=0.8),
         dict(gpu="h100-sxm5-80gb", model="llama-3.1-8b", daily_users=5000, requests_per_user_per_day=20),
         dict(gpu="h100-sxm5-80gb", model="llama-3.1-8b", tokens=1e11, deadline_days=30, runs_per_year=6),
         H100 | dict(utilization=0.5, cloud_credits=1e5), H100 | dict(utilization=0.9, provider="aws")]


@pytest.mark.parametrize("asked", CASES)
def test_buying_is_judged_against_the_cheapest_rent(server, asked):
    """Of on demand and every commitment; the whole answer is that of asking for it by name."""
    answer = ask(server, **asked)
    options = {row["purchase_option"]: row["rent_total_cost"] for row in answer["rent_options"]}
    least = min(options, key=options.get)
    chosen = answer["inputs"]["purchase_option"]
    assert (chosen["value"], chosen["source"]) == (least, "chosen")
    named = ask(server, **asked, purchase_option=least)
    for name in ("verdict", "buy_total_cost", "rent_total_cost", "buy_saving", "npv", "irr", "break_even_months", "line_items"):
        assert answer[name] == named[name], name
    assert answer["rent_total_cost"] == options[least] and (answer["verdict"] == "buy") == (answer["buy_saving"] >= 0)
    words = {"on_demand": "on demand", "reserved_1yr": "reserved by the year", "reserved_3yr": "reserved for three years"}[least]
    assert re.search(rf"renting {words}( \(\d+ of \d+ providers priced from on demand\))?, the cheapest way, to ", answer["sentence"])
    assert ("On demand the same GPUs come to " in answer["sentence"]) == (least != "on_demand")
    assert not warned(answer, "other_rent_turns_verdict")


def test_the_cases_take_more_than_one_way(server):
    assert len({ask(server, **asked)["inputs"]["purchase_option"]["value"] for asked in CASES}) >= 2


@pytest.mark.parametrize("named", [dict(purchase_option="on_demand"), dict(rent_price_per_gpu_hour=3), dict(spot_discount_ratio=0.4)])
def test_a_rent_that_is_named_is_the_one(server, named):
    answer = ask(server, **H100, utilization=0.9, **named)
    assert answer["inputs"]["purchase_option"]["value"] == "on_demand" and "cheapest way" not in answer["sentence"]


def test_a_sensitivity_keeps_the_way_that_was_chosen(server):
    """A rent that is moved is the chosen commitment's, not one on demand."""
    plain = ask(server, **H100, utilization=0.9)
    assert plain["inputs"]["purchase_option"]["value"] == "reserved_3yr"
    rent = plain["inputs"]["rent_price_per_gpu_hour"]["value"]
    for asked in ({}, dict(vary="rent_price_per_gpu_hour")):
        assert server.get("/v1/break-even/sensitivity", **H100, utilization=0.9, **asked).json["inputs"]["purchase_option"]["value"] == "reserved_3yr"
    point, = server.get("/v1/break-even/sensitivity", **{"from": rent, "to": rent, "step": 1}, **H100, utilization=0.9, vary="rent_price_per_gpu_hour").json["points"]
    assert point["rent_total_cost"] == pytest.approx(plain["rent_total_cost"], rel=1e-6)
    effects = server.get("/v1/break-even/sensitivity", **H100, utilization=0.9).json["effects"]
    assert "rent_price_per_gpu_hour" in {row["input"] for row in effects}


def test_a_verdict_that_a_commitment_turns_says_so_first(server):
    answer = ask(server, **H100, utilization=0.9, purchase_option="on_demand")
    assert answer["verdict"] == "buy"
    least = min(answer["rent_options"], key=lambda row: row["rent_total_cost"])
    assert least["purchase_option"] == "reserved_3yr" and least["buy_saving"] < 0
    assert answer["warnings"][0]["code"] == "other_rent_turns_verdict"
    assert f"{least['rent_total_cost']:,.0f} USD" in answer["warnings"][0]["detail"]
    assert f"But reserved for three years the same GPUs come to {least['rent_total_cost']:,.0f} USD, less than owning." in answer["sentence"]
    asked_so = ask(server, **H100, utilization=0.9, purchase_option="reserved_3yr")
    assert asked_so["verdict"] == "rent" and not warned(asked_so, "other_rent_turns_verdict")


def test_a_rent_of_ones_own_has_no_others(server):
    answer = ask(server, **H100, utilization=0.9, rent_price_per_gpu_hour=3)
    assert answer["rent_options"] == [] and "eserved" not in answer["sentence"]


def test_a_commitments_discount_is_not_negotiated_again(server):
    """Contracts are 20 to 55 % below the list price on demand, their term included."""
    asked = dict(gpu="b200-sxm", gpu_count=512, utilization=0.8)
    on_demand, reserved = ask(server, **asked, purchase_option="on_demand"), ask(server, **asked, purchase_option="reserved_3yr")
    assert on_demand["negotiated_rent_price_per_gpu_hour"] and warned(on_demand, "large_rent")
    assert reserved["negotiated_rent_price_per_gpu_hour"] is None and not warned(reserved, "large_rent")


@pytest.mark.parametrize("asked", [H100, dict(gpu="h100-sxm5-80gb", gpu_count=16), dict(gpu="h100-sxm5-80gb", gpu_count=2048),
                                   dict(gpu="a100-sxm4-80gb", gpu_count=8, horizon_months=24), H100 | dict(cloud_credits=1e5),
                                   dict(gpu="rtx-4090", gpu_count=1), dict(gpu="b200-sxm", gpu_count=512, tax_rate=0.21)])
def test_the_utilization_that_turns_the_verdict_is_that_of_the_cheapest_rent(server, asked):
    """One figure whatever utilization is asked about, on whose sides the verdicts are what it says, and the turning point
    of the sensitivity."""
    at = {u: ask(server, **asked, utilization=u) for u in (0, 0.05, 0.3, 0.5, 0.7, 0.9, 1)}
    turns = {(row["break_even_utilization"], row["break_even_utilization_status"]) for row in at.values()}
    assert len(turns) == 1, turns
    (turn, status), = turns
    for u, row in at.items():
        if abs(row["buy_saving"]) < 0.005 * row["rent_total_cost"]:
            continue  # near a tie an owned GPU's electricity turns the verdict once more
        above = u >= turn if status == "reached" else status == "buy_cheaper_throughout"
        assert row["verdict"] == ("buy" if above else "rent"), (u, turn, status)
    reply = server.get("/v1/break-even/sensitivity", **asked, utilization=0.5, vary="utilization", **{"from": 0.01, "to": 1, "step": 0.05})
    assert reply.status == 200, reply.text
    assert reply.json["turning_point"] == (pytest.approx(turn, abs=6e-5) if status == "reached" else None)
    named = ask(server, **asked, utilization=0.5, purchase_option="on_demand")
    assert status != "reached" or named["break_even_utilization"] <= turn


@pytest.mark.parametrize("asked, said", [
    (dict(gpu="mi325x", gpu_count=8), r"No verdict: what buying 8 x mi325x costs is unknown; enter server_price\. Over 36 months renting "
                                      r".* comes to ([\d,]+) USD\."),
    (dict(gpu="gaudi2", gpu_count=8), r"No verdict: neither a purchase price nor a rent of gaudi2 is known; enter server_price and "
                                      r"rent_price_per_gpu_hour\."),
    (H100 | dict(region="nowhere"), r"No verdict: what renting 8 x h100-sxm5-80gb costs is unknown; enter rent_price_per_gpu_hour\. Over 36 months "
                                    r"owning comes to ([\d,]+) USD\.")])
def test_without_a_price_the_sentence_says_which_and_what_is_known(server, asked, said):
    answer = ask(server, **asked, utilization=0.9)
    assert answer["verdict"] is None
    told = re.fullmatch(said, answer["sentence"])
    assert told, answer["sentence"]
    known = {f"{answer[name]:,.0f}" for name in ("buy_total_cost", "rent_total_cost") if answer[name] is not None}
    assert set(told.groups()) == known
