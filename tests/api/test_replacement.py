"""Servers bought again at the end of their life, where the time frame is longer. The ledger to the cent is in
test_ledger_decimal.py."""
import pytest

from conftest import Reply

EIGHT = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, horizon_months=84, server_price=300000,
             rent_price_per_gpu_hour=2.4255, rent_price_decline_ratio=0.04, purchase_option="reserved_3yr", housing="own_room",
             fabric_cost_ratio=0.12)


def ask(server, **params):
    reply: Reply = server.get("/v1/break-even", **params)
    assert reply.status == 200, reply.text
    return reply.json


def line(answer, key):
    return next(row["amount"] for row in answer["line_items"] if (row["side"], row["key"]) == ("buy", key))


def test_a_verdict_beyond_their_life_pays_for_new_servers(server):
    """84 months of servers that last 60: 300,000 again with spares, freight and scrapping, less 0.72^5 x 0.9 of it;
    at the end they are 24 months old."""
    without, replaced = ask(server, **EIGHT), ask(server, **EIGHT, replace_servers=1)
    again = 300000 * (1 + 0.05 + 0.03 + 0.01) - 300000 * 0.72 ** 5 * 0.9
    assert line(without, "server_replacement") == 0
    assert line(replaced, "server_replacement") == pytest.approx(again, abs=0.01)
    assert line(replaced, "residual_value") == pytest.approx(-300000 * 0.72 ** 2 * 0.9, abs=0.01)
    assert (without["verdict"], replaced["verdict"]) == ("buy", "rent")
    assert (without["book_value"], replaced["book_value"]) == (0, 300000 * (1 - 24 / 60))
    told = {w["code"]: w["detail"] for w in without["warnings"]}
    assert "replace_servers=1" in told["beyond_useful_life"] and "servers_replaced" not in told
    told = {w["code"]: w["detail"] for w in replaced["warnings"]}
    assert "bought again 1 time," in told["servers_replaced"] and "beyond_useful_life" not in told
    assert "beyond their life" in without["sentence"] and "beyond their life" not in replaced["sentence"]


def test_nothing_is_replaced_at_the_end(server):
    """Nor within the life: the same answer, but for the input."""
    for months in 36, 60:
        asked = EIGHT | dict(horizon_months=months)
        without, replaced = ask(server, **asked), ask(server, **asked, replace_servers=1)
        assert without["line_items"] == replaced["line_items"]
        assert without["warnings"] == replaced["warnings"]


def test_replaced_more_than_once(server):
    twice = ask(server, **EIGHT, replace_servers=1, useful_life_months=30)
    each = 300000 * (1 + 0.05 + 0.03 + 0.01) - 300000 * 0.72 ** 2.5 * 0.9
    assert line(twice, "server_replacement") == pytest.approx(2 * each, abs=0.01)
    assert any("2 times" in w["detail"] for w in twice["warnings"] if w["code"] == "servers_replaced")


def test_the_months_add_up(server):
    """It is paid in month 60, and once."""
    answer = server.get("/v1/break-even/ledger", **EIGHT, replace_servers=1).json
    paid = [row for row in answer["ledger"] if row["key"] == "server_replacement"]
    assert [row["month"] for row in paid] == [60]


@pytest.mark.parametrize("other", [dict(financing="operating_lease"), dict(financing="finance_lease"), dict(tax_rate=0.2),
                                   dict(residual_value=50000), dict(gpu_count=16, second_gpu_count=8, second_purchase_month=6),
                                   dict(gpu_count=16, owned_gpu_count=8)])
def test_what_it_is_not_supported_with_is_refused(server, other):
    error, = server.get("/v1/break-even", **EIGHT | other, replace_servers=1).json["errors"]
    assert (error["parameter"], error["code"]) == ("replace_servers", "contradiction")
