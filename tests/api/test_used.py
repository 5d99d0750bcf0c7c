"""Used servers: the price by their age, what is left of life and warranty, and the same in the recommendation."""
import pytest

from answers import codes, given

pytestmark = pytest.mark.usefixtures("server")
EIGHT = {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.7, "as_of": "2026-11-20"}
SERVE = {"workload": "serve", "model": "llama-3.1-8b", "requests_per_minute": 600, "purchase_options": "owned",
         "as_of": "2026-11-20"}


def ask(server, path="/v1/break-even", **given):
    return server.answer(path, **given).json


def line(answer, key):
    return next(each["amount"] for each in answer["line_items"] if each["side"] == "buy" and each["key"] == key)


def detail(answer, code):
    return next(each["detail"] for each in answer["warnings"] if each["code"] == code)


@pytest.mark.parametrize("age", (6, 12, 30, 48))
def test_what_a_seller_gets_a_buyer_pays(server, age):
    """A server sold new, resold at that age: the buyer pays the same, before the fees of the sale."""
    new = ask(server, horizon_months=age, useful_life_months=60, **EIGHT)
    used = ask(server, condition="used", used_age_months=age, **EIGHT)
    sold = -line(new, "residual_value") / (1 - given(new, "resale_fee_ratio"))
    assert line(used, "gpu_servers") == pytest.approx(sold, abs=0.02)


def test_owned_twice_is_owned_once(server):
    """Kept for a and then h months by two owners, a server is worth what it is worth after a + h months of one."""
    a, h = 12, 24
    whole = ask(server, horizon_months=a + h, **EIGHT)
    second = ask(server, condition="used", used_age_months=a, horizon_months=h, **EIGHT)
    assert line(second, "residual_value") == pytest.approx(line(whole, "residual_value"), abs=0.02)


def test_what_is_needed_for_any_server_costs_the_same(server):
    new, used = ask(server, **EIGHT), ask(server, condition="used", **EIGHT)
    for key in ("network_fabric", "storage", "freight_install", "maintenance", "decommissioning", "facility_fitout",
                "staff", "electricity_it"):
        assert line(used, key) == line(new, key) != 0, key
    for key in ("gpu_servers", "spares", "insurance"):
        assert 0 < line(used, key) < line(new, key), key


def test_age_life_and_warranty(server):
    used = ask(server, condition="used", **EIGHT | {"gpu": "rtx-3090", "gpu_count": 2})
    age = given(used, "used_age_months")
    assert age == (2026 - 2020) * 12 // 2 + (11 - 6) // 2, "half the time since the middle of 2020"
    assert given(used, "useful_life_months") == 60 - age
    assert "warranty is over" in detail(used, "used_condition")
    young = ask(server, condition="used", used_age_months=10, **EIGHT | {"gpu": "rtx-3090"})
    assert "26 months of the manufacturer's warranty are left" in detail(young, "used_condition")
    assert "warranty is unknown" in detail(ask(server, condition="used", **EIGHT), "used_condition")
    assert {"used_price", "used_condition"} <= codes(used) and "not_sold_new" not in codes(used)
    assert given(ask(server, condition="used", used_age_months=50, **EIGHT), "useful_life_months") == 12
    assert given(ask(server, condition="used", useful_life_months=48, **EIGHT), "useful_life_months") == 48


def test_no_gpu_is_older_than_its_type(server):
    reply = server.get("/v1/break-even", condition="used", used_age_months=60, **EIGHT)
    assert reply.status == 400 and reply.json["errors"][0]["parameter"] == "used_age_months"
    assert reply.json["errors"][0]["maximum"] == (2026 - 2022) * 12 + 11
    assert "without_effect" in codes(ask(server, used_age_months=60, **EIGHT))


def test_interval(server):
    """An unknown age makes it wider; your own price is certain."""
    guessed = ask(server, condition="used", **EIGHT)
    told = ask(server, condition="used", used_age_months=given(guessed, "used_age_months") + 0.01, **EIGHT)
    quoted = ask(server, condition="used", server_price=150000, **EIGHT)
    new = ask(server, **EIGHT)

    def width(answer):
        return answer["purchase_price_high"] / answer["purchase_price_low"]
    assert width(guessed) > width(told) > width(new) > 1 == width(quoted)
    for answer in (guessed, told, new):
        assert answer["purchase_price_low"] < given(answer, "server_price") < answer["purchase_price_high"]
        assert answer["buy_total_cost_low"] < answer["buy_total_cost"] < answer["buy_total_cost_high"]
    drawn = {each["key"]: each for each in
             ask(server, "/v1/break-even/risk", condition="used", draws=200, **EIGHT)["drawn_inputs"]}
    assert drawn["server_price"]["low"] == pytest.approx(guessed["purchase_price_low"])
    assert drawn["server_price"]["high"] == pytest.approx(guessed["purchase_price_high"])


def test_explained(server):
    answer = ask(server, condition="used", explain=1, **EIGHT)
    told = next(each for each in answer["explanations"] if each["key"] == "server_price")
    assert f"{given(ask(server, **EIGHT), 'server_price'):.0f} USD" in told["substitution"]
    assert told["value"] == pytest.approx(given(answer, "server_price"), rel=1e-5)
    by_hand = given(ask(server, **EIGHT), "server_price") * given(answer, "annual_value_retention") ** (
        given(answer, "used_age_months") / 12)
    assert told["value"] == pytest.approx(by_hand, rel=1e-5)
    assert "pow(annual_value_retention, used_age_months / 12)" in told["formula"]
    quoted = ask(server, condition="used", server_price=150000, explain=1, **EIGHT)
    assert not [each for each in quoted["explanations"] if each["key"] == "server_price"]


def test_recommended_used(server):
    """GPUs no longer sold new may be bought; the ledger behind each option has the option's total to the cent."""
    new = ask(server, "/v1/recommendation", **SERVE)
    used = ask(server, "/v1/recommendation", condition="used", explain=1, **SERVE)
    assert "not_sold_new" in codes(new) and "not_sold_new" not in codes(used) and "used_price" in codes(used)
    bought = [each for each in used["options"] if each["acquisition"] == "buy"]
    assert bought and all("bought used" in each["sentence"] for each in bought)
    for option in bought:
        behind = server.get(option["break_even"]).json
        assert behind["inputs"]["condition"]["value"] == "used"
        assert behind["buy_total_cost"] == option["total_cost"]
        assert option["total_cost_low"] < option["total_cost"] < option["total_cost_high"]
    assert bought[0]["total_cost"] < new["options"][0]["total_cost"]
    assert [each for each in used["explanations"] if each["key"] == "part_1_server_price"]
    aged = ask(server, "/v1/recommendation", condition="used", used_age_months=200, gpu="a100-sxm4-80gb", **SERVE)
    behind = server.get(aged["options"][0]["break_even"]).json
    assert given(behind, "used_age_months") == (2026 - 2020) * 12 + 11, "as old as its type"
    assert behind["buy_total_cost"] == aged["options"][0]["total_cost"]
