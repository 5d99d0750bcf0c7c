"""A budget without a workload is a question: what it rents and buys, and what that could train and serve."""
import re

import pytest


HAD = {"on_demand": "rented by the hour", "reserved_1yr": "reserved for a year", "reserved_3yr": "reserved for three years",
       "owned": "bought"}


def ask(server, **params):
    return server.answer("/v1/recommendation", **params).json


@pytest.mark.parametrize("budget", (20000, 200000, 5e6))
def test_a_budget_alone_has_an_answer(server, budget):
    answer = ask(server, budget=budget)
    rows = answer["affordable"]
    best = next(row for row in rows if row["confirmed"])
    assert best["availability"] == "offered" and answer["recommended_gpu"] == best["gpu"] and answer["options"] == []
    assert answer["recommended_gpu_count"] == best["gpu_count"]
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    sizes = [row["trainable_parameters"] for row in rows if row["trainable_parameters"] is not None]
    assert sizes == sorted(sizes, reverse=True)
    for row in rows:
        assert row["payments"] <= budget and row["gpu_count"] >= 1, row
        assert row["gpu_months"] == row["gpu_count"] * 36


def test_one_more_would_not_be_paid(server):
    for row in ask(server, budget=300000)["affordable"][:12]:
        asked = dict(gpu=row["gpu"], purchase_options=row["purchase_option"])
        same, = ask(server, **asked, budget=row["payments"])["affordable"]
        assert same["gpu_count"] == row["gpu_count"]
        fewer = ask(server, **asked, budget=row["payments"] - 0.01)["affordable"]
        assert not fewer or fewer[0]["gpu_count"] < row["gpu_count"]


def test_its_money_is_that_of_break_even(server):
    seen = set()
    for row in ask(server, budget=2e6)["affordable"]:
        if row["purchase_option"] in seen or row["rent_price_per_gpu_hour"] is None:
            continue
        seen.add(row["purchase_option"])
        option = row["purchase_option"] if row["acquisition"] == "rent" else "on_demand"
        ledger = server.get("/v1/break-even", gpu=row["gpu"], gpu_count=row["gpu_count"], utilization=1, goodput=1,
                            rent_price_per_gpu_hour=row["rent_price_per_gpu_hour"], purchase_option=option).json
        assert ledger[row["acquisition"] + "_total_cost"] == pytest.approx(row["total_cost"], rel=1e-6)
    assert seen == {"on_demand", "reserved_1yr", "reserved_3yr", "owned"}


def test_bought_gpus_are_whole_boards(server):
    boards = {row["gpu"]: row["gpu_count"] for row in ask(server, budget=5e6, purchase_options="owned")["affordable"]}
    assert boards["h100-sxm5-80gb"] % 8 == 0 and boards["h100-sxm5-80gb"] >= 8


def test_owned_below_fifty_thousand_is_a_desk(server):
    rows = ask(server, budget=49999, purchase_options="owned")["affordable"]
    assert rows and all(row["acquisition"] == "buy" for row in rows)
    assert any(row["housing"] == "desk" for row in rows)


def test_a_budget_a_month_is_one_too(server):
    monthly, whole = (ask(server, **given)["affordable"] for given in
                      (dict(budget_per_month=10000, horizon_months=12), dict(budget=120000, horizon_months=12)))
    assert [dict(row, plan=None) for row in monthly] == [dict(row, plan=None) for row in whole]


@pytest.mark.parametrize("budget", [1e5, 5e5, 2e6])
def test_more_gpus_for_no_more_money_replace_fewer(server, budget):
    """Two and four MI300X were listed at the price of the machine of eight."""
    counts = ask(server, budget=budget)["affordable_counts"]
    assert len(counts) > 2
    for few, more in zip(counts, counts[1:]):
        alike = all(few[key] == more[key] for key in ("gpu", "purchase_option", "acquisition", "months"))
        if alike and few["gpu_count"] < more["gpu_count"]:
            assert few["payments"] < more["payments"]


def test_too_little_buys_nothing_and_says_what_it_takes(server):
    answer = ask(server, budget=1)
    assert answer["affordable"] == [] and answer["recommended_gpu"] is None
    said, = (row["detail"] for row in answer["warnings"] if row["code"] == "no_option")
    least = int(re.search(r"the least it takes is ([\d,]+) USD", said)[1].replace(",", ""))
    enough = ask(server, budget=least)["affordable"]
    assert len(enough) == 1 and f"{enough[0]['gpu_count']} x {enough[0]['gpu']}, " in said
    assert enough[0]["payments"] > least - 1


@pytest.mark.parametrize("budget", (20000, 250000, 5e6))
def test_a_budget_has_the_interval_of_its_prices(server, budget):
    answer = ask(server, budget=budget)
    best = next(row for row in answer["affordable"] if row["confirmed"])
    for name in ("total_cost", "total_cost_low", "total_cost_high"):
        assert answer[f"recommended_{name}"] == best[name]
    for row in answer["affordable"]:
        assert row["total_cost_low"] <= row["total_cost"] <= row["total_cost_high"]
    assert any(row["total_cost_low"] < row["total_cost_high"] for row in answer["affordable"] if row["acquisition"] == "buy")
    row = next(row for row in answer["affordable"] if row["acquisition"] == "buy" and row["total_cost_low"] < row["total_cost"])
    ledger = server.get("/v1/break-even", gpu=row["gpu"], gpu_count=row["gpu_count"], utilization=1, goodput=1, rent_price_per_gpu_hour=3).json
    assert ledger["buy_total_cost_low"] == pytest.approx(row["total_cost_low"], rel=1e-6)
    assert ledger["buy_total_cost_high"] == pytest.approx(row["total_cost_high"], rel=1e-6)


def test_more_compute_for_the_money_is_named(server):
    """The most compute that a budget pays for is not the most for the money."""
    answer = ask(server, budget=250000)
    rows = [row for row in answer["affordable"] if row["confirmed"] and row["trainable_parameters"]]
    best = rows[0]

    def share(row):
        return (row["trainable_parameters"] / best["trainable_parameters"]) ** 2

    value = max((row for row in rows if share(row) >= 0.5), key=lambda row: share(row) / row["payments"])
    assert value != best
    said = answer["recommended_sentence"]
    assert "the most compute that the budget pays for" in said
    assert said.endswith(f" More for the money, {100 * share(value):.0f}% of that compute for {value['payments']:,.0f} USD: "
                         f"{value['gpu_count']} x {value['gpu']}, {HAD[value['purchase_option']]}.")
    alone = ask(server, budget=250000, gpu=best["gpu"], purchase_options="on_demand")
    assert "More for the money" not in alone["recommended_sentence"]


def test_other_numbers_of_gpus_cost_no_more(server):
    """Fewer of them, or more for fewer months; one month more of those would not be paid."""
    answer = ask(server, budget=250000)
    counts = answer["affordable_counts"]
    best = next(row for row in answer["affordable"] if row["confirmed"])
    same = ("gpu", "purchase_option", "gpu_count", "months", "payments", "total_cost", "trainable_parameters")
    assert any(all(row[name] == best[name] for name in same) for row in counts)
    assert {row["purchase_option"] for row in counts} >= {"on_demand", "owned"}
    shorter = [row for row in counts if row["months"] < 36]
    assert len(shorter) >= 2 and all(row["purchase_option"] == "on_demand" and row["confirmed"] for row in shorter)
    assert all(0 < row["payments"] <= 250000 for row in counts)
    for row in shorter:
        for months, cost in ((row["months"], "payments"), (row["months"] + 1, None)):
            ledger = server.get("/v1/break-even", gpu=row["gpu"], gpu_count=row["gpu_count"], utilization=1, goodput=1,
                                horizon_months=months, rent_price_per_gpu_hour=row["rent_price_per_gpu_hour"]).json
            paid = ledger["rent_initial_cost"] + ledger["rent_recurring_cost"]
            assert paid == pytest.approx(row[cost], rel=1e-6) if cost else paid > 250000


def test_a_monthly_budget_is_kept_every_month(server):
    answer = ask(server, budget_per_month=7000)
    assert answer["affordable_counts"]
    assert all(row["payments"] <= 7000 * row["months"] for row in answer["affordable_counts"])


def test_what_it_trains_follows_published_whole_runs(server):
    row = next(row for row in ask(server, budget=1e6)["affordable"] if row["gpu"] == "h100-sxm5-80gb")
    flop = row["gpu_count"] * 989.4e12 * 3600 * 730 * row["months"]
    for end, share in (("_low", 0.2), ("", 0.32), ("_high", 0.49)):
        assert row[f"trainable_parameters{end}"] == pytest.approx((share * flop / (6 * 20)) ** 0.5, rel=1e-3)


def test_neither_is_no_question(server):
    reply = server.get("/v1/recommendation")
    assert reply.status == 400 and reply.json["errors"][0]["parameter"] == "workload"


def test_too_little_says_for_how_long_it_would_do(server):
    """The months are the most that the budget pays for, asked again."""
    said, = [row["detail"] for row in ask(server, budget=3000)["warnings"] if row["code"] == "no_option"]
    assert "over 36 months: the least it takes is" in said and said.endswith("; condition=used considers used ones too")
    months, gpu = re.search(r"with horizon_months=(\d+) it pays for 1 x ([^,]+), rented;", said).groups()
    assert ask(server, budget=3000, horizon_months=months)["affordable"]
    assert gpu in [row["gpu"] for row in ask(server, budget=3000, horizon_months=months)["affordable"]]
    assert not ask(server, budget=3000, horizon_months=int(months) + 1)["affordable"]
    said, = [row["detail"] for row in ask(server, budget=5)["warnings"] if row["code"] == "no_option"]
    assert "it does not pay for a month of any either" in said
