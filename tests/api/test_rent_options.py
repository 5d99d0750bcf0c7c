"""Ways of renting side by side, and what it costs to leave a reserved term before its end."""
import pytest

H100 = dict(gpu="h100-sxm5-80gb", gpu_count=8)


def ask(server, **params):
    reply = server.get("/v1/break-even", **params)
    assert reply.status == 200, reply.text
    return reply.json


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


def test_a_verdict_that_a_commitment_turns_says_so_first(server):
    answer = ask(server, **H100, utilization=0.9)
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
    on_demand, reserved = ask(server, **asked), ask(server, **asked, purchase_option="reserved_3yr")
    assert on_demand["negotiated_rent_price_per_gpu_hour"] and warned(on_demand, "large_rent")
    assert reserved["negotiated_rent_price_per_gpu_hour"] is None and not warned(reserved, "large_rent")
