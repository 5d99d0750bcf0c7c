"""What quotes do to the prices of answers: offers, purchase prices, discounts, and what is paid for."""
import statistics

import pytest

from answers import codes, ruled_out
from conftest import day, stopped_after, wait_for
from test_quotes import BREAK_EVEN, DISCOUNT, GPU, PAID, RENT, SERVER, Team, quotes, written  # noqa: F401  pylint: disable=unused-import

team = stopped_after("module", Team)
own = stopped_after("function", Team)


def test_a_quote_takes_the_place_of_its_providers_list_prices(quotes):
    before = {row["provider"]: row["price_per_gpu_hour"] for row in quotes.used().values()}
    provider, listed = next(iter(before.items()))
    quote = quotes.post(RENT | {"provider": provider, "price": round(listed * 3, 4)})
    after = {row["provider"]: row for row in quotes.used().values()}
    assert set(after) == set(before)
    assert after[provider]["offer_id"] == f"quote/{quote['quote_id']}"
    assert after[provider]["price_per_gpu_hour"] == pytest.approx(listed * 3, abs=1e-4)
    cheaper = quotes.post(RENT | {"provider": provider, "price": round(listed * 2, 4)})
    assert f"quote/{cheaper['quote_id']}" in quotes.used(), "of two quotes the cheaper one"
    quotes.hide(cheaper["quote_id"])
    quotes.hide(quote["quote_id"])
    assert {row["provider"]: row["price_per_gpu_hour"] for row in quotes.used().values()} == before


def test_a_node_price_is_shared_out_and_a_region_is_one(quotes):
    quote = quotes.post(RENT | {"price": 16, "price_unit": "per_node_hour", "gpu_count": 8})
    assert quote["price_per_gpu_hour"] == 2
    name = f"quote/{quote['quote_id']}"
    assert quotes.used()[name]["price_per_gpu_hour"] == 2
    everywhere = {"region": "us-east-1"}
    assert name in quotes.used(**everywhere), "without a region it is for all of them"
    quotes.put(quote["quote_id"], RENT | {"region": "eu-1"})
    assert name not in quotes.used(**everywhere)
    assert set(quotes.used(region="eu-1")) == {name}


def test_a_server_quote_is_what_buying_costs(quotes):
    listed = quotes.server.get(BREAK_EVEN).json["inputs"]["server_price"]["value"]
    quote = quotes.post(SERVER)
    inputs = quotes.server.get(BREAK_EVEN).json["inputs"]
    assert inputs["server_price"]["value"] == 199000 != listed
    assert inputs["server_price"]["reference"] == f"/v1/quotes/{quote['quote_id']}"
    higher = quotes.post(SERVER | {"price": 220000, "provider": "other-systems"})
    assert quotes.server.get(BREAK_EVEN).json["inputs"]["server_price"]["value"] == 199000
    rows = quotes.server.get("/v1/hardware", gpu=GPU, kind="server").json["rows"]
    mine = {row["hardware_id"]: row for row in rows}[f"quote/{quote['quote_id']}"]
    assert mine["price"] == 199000 and mine["price_per_gpu"] == 24875
    assert mine["source_url"] == f"quote {quote['quote_id']}" and mine["seller"] == "acme-systems"
    quotes.hide(quote["quote_id"])
    quotes.hide(higher["quote_id"])
    assert quotes.server.get(BREAK_EVEN).json["inputs"]["server_price"]["value"] == listed


def test_what_a_seller_quotes_is_sold_new_while_the_quote_holds(quotes):
    def condition(**more):
        return quotes.server.get("/v1/break-even", gpu="v100-sxm2-32gb", utilization=0.7, rent_price_per_gpu_hour=1,
                                 **more).json["inputs"]["condition"]["value"]
    assert condition() == "used"
    quote = quotes.post(SERVER | {"gpu": "v100-sxm2-32gb"})
    assert condition() == "new"
    assert condition(as_of=day(-1)) == "used", "nobody had quoted it yet"
    quotes.hide(quote["quote_id"])
    assert condition() == "used"


def test_a_board_of_a_rack_is_bought_if_a_seller_quotes_it(quotes):
    def ruled(gpu):
        return ruled_out(quotes.server.get("/v1/recommendation", workload="serve", model="llama-3.1-70b",
                                           requests_per_minute=60, purchase_options="owned").json).get(gpu)
    before = ruled("gb200-nvl72")
    assert before["rule"] == "sold_new" and "by the rack" in before["sentence"]
    quotes.post(SERVER | {"gpu": "gb200-nvl72", "gpu_count": 4})
    after = ruled("gb200-nvl72")
    assert not after or after["rule"] != "sold_new"


def test_a_quoted_cluster_has_no_shortest_rental(quotes):
    asked = {"model": "llama-2-7b", "gpu": GPU, "tokens": 1e11, "gpu_count": 1024}
    assert quotes.server.get("/v1/training-plan", **asked).json["minimum_term_days"] > 0
    quotes.post(RENT)
    of_seller = quotes.server.get("/v1/training-plan", **asked, provider=RENT["provider"]).json
    assert of_seller["minimum_term_days"] == 0 and of_seller["price_per_gpu_hour"] == RENT["price"]


def test_card_quotes_enter_the_median_and_replace_their_sellers_prices(quotes):
    def cards():
        rows = quotes.server.get("/v1/hardware", gpu="l40s", kind="card").json["rows"]
        return [row for row in rows if row["usable"] and row["observed_date"]]

    def price():
        return quotes.server.get("/v1/break-even?gpu=l40s&gpu_count=8&utilization=0.6"
                                 ).json["inputs"]["gpu_card_price"]["value"]
    card = SERVER | {"gpu": "l40s", "gpu_count": 1, "price_unit": "per_card"}
    listed = [row["price_per_gpu"] for row in cards()]
    before = price()
    quotes.post(card | {"price": 5000})
    assert price() == pytest.approx(statistics.median([*listed, 5000]), abs=0.01)
    quotes.post(card | {"price": 4000})
    assert price() == pytest.approx(statistics.median([*listed, 4000]), abs=0.01), \
        "a seller counts once, by the cheaper of his quotes"
    seller = quotes.server.get("/v1/hardware", gpu="l40s", kind="card").json["rows"]
    assert {"acme-systems"} < {row["seller"] for row in seller} and before != price()


@pytest.mark.parametrize("first, last, valid", [
    (day(1), None, False), (None, day(0), True), (day(-9), day(-1), False), (day(-9), day(9), True)])
def test_it_counts_on_the_days_it_holds(quotes, first, last, valid):
    quote = quotes.post(RENT | {"valid_from": first, "valid_until": last})
    assert quote["valid"] is valid
    assert [w["code"] for w in quote.get("warnings", [])].count("not_valid_today") == (not valid)
    assert (f"quote/{quote['quote_id']}" in quotes.used()) is valid
    assert (quote["quote_id"] in quotes.ids(valid=1)) is valid
    assert (quote["quote_id"] in quotes.ids(valid=0)) is not valid


def age(team, quote_id, days):
    """As if its history so far had been written that much earlier."""
    team.database.query(
        "set session_replication_role = replica; update quote_history set changed_at = changed_at"
        f" - interval '{days} days' where quote_id = {quote_id}; select pg_notify('gpuplan', '')")


def test_answers_for_a_day_know_what_was_known_that_day(quotes):
    quote = quotes.post(RENT | {"valid_from": day(-20)})
    number, name = quote["quote_id"], f"quote/{quote['quote_id']}"
    assert name in quotes.used()
    assert name not in quotes.used(as_of=day(-1)), "it was not known then, whatever it says"
    assert quotes.server.get(f"/v1/quotes/{number}", as_of=day(-1)).status == 404
    age(quotes, number, 5)
    wait_for(lambda: name in quotes.used(as_of=day(-1)), "the quote of five days ago")
    assert name in quotes.used(as_of=day(-5)) and name not in quotes.used(as_of=day(-6))
    quotes.put(number, RENT | {"price": 2.5, "valid_from": day(-20)})
    assert quotes.used()[name]["price_per_gpu_hour"] == 2.5
    assert quotes.used(as_of=day(-1))[name]["price_per_gpu_hour"] == 1.25
    pinned = quotes.server.get(BREAK_EVEN, as_of=day(-1)).json["offers_used"]
    quotes.hide(number)
    assert name not in quotes.used()
    assert quotes.server.get(BREAK_EVEN, as_of=day(-1)).json["offers_used"] == pinned
    assert quotes.server.get(f"/v1/quotes/{number}", as_of=day(-1)).json["price"] == 1.25
    assert number in quotes.ids(as_of=day(-1)) and number not in quotes.ids()
    assert len(quotes.server.get(f"/v1/quotes/{number}/history", as_of=day(-1)).json["rows"]) == \
        sum(row["version"] == 1 for row in quotes.history(number))


def test_a_currency_needs_a_dated_rate(own):
    euros = RENT | {"price": 1.8, "currency": "xpf"}
    refused = own.send("POST", "/v1/quotes", euros)
    assert refused.status == 422 and "XPF" in refused.json["detail"]
    assert written(own) == "0"
    own.database.query(f"insert into exchange_rate values ('XPF', '{day(-30)}', 0.9, 'a bank')")
    wait_for(lambda: "XPF" in own.server.get("/v1/exchange-rates").text, "the rate")
    quote = own.post(euros)
    assert quote["price"] == 1.8 and quote["price_currency"] == "XPF"
    assert quote["price_per_gpu_hour"] == 2 and quote["exchange_rate_date"] == day(-30)
    name = f"quote/{quote['quote_id']}"
    assert own.used()[name]["price_per_gpu_hour"] == 2
    age(own, quote["quote_id"], 10)
    wait_for(lambda: own.server.get(f"/v1/quotes/1?as_of={day(-5)}").status == 200, "its past")
    own.database.query("set session_replication_role = replica; update quote_history set content ="
                       f" content || '{{\"valid_from\": \"{day(-10)}\"}}'")
    own.database.query(f"insert into exchange_rate values ('XPF', '{day(-2)}', 0.8, 'a bank')")
    wait_for(lambda: own.used()[name]["price_per_gpu_hour"] == 2.25, "the new rate")
    assert own.used(as_of=day(-3))[name]["price_per_gpu_hour"] == 2
    assert own.used(as_of=day(-2))[name]["price_per_gpu_hour"] == 2.25
    row, = own.server.get("/v1/offers", provider="acme-cloud").json["rows"]
    assert (row["offer_currency"], row["offer_price_per_gpu_hour"]) == ("XPF", 1.8)
    assert (row["exchange_rate"], row["exchange_rate_date"]) == (0.8, day(-2))


# --- discounts, and what is paid for -------------------------------------------------------------

ANSWERS = (f"/v1/break-even?gpu={GPU}&gpu_count=8&purchase_option=on_demand&utilization=0.6",
           f"/v1/training-plan?model=llama-2-7b&tokens=1e9&gpu={GPU}&gpu_count=8",
           f"/v1/inference-sizing?model=llama-3.1-405b&gpu={GPU}")


def asked(reply):
    """What each provider asks for the job, by offer; and the median of it."""
    offers = {row["offer_id"]: row["job_price_per_gpu_hour"] for row in reply.json["offers_used"]}
    return offers, statistics.median(offers.values())


@pytest.mark.parametrize("path", ANSWERS)
def test_a_discount_is_taken_off_the_providers_list_prices_alone(quotes, path):
    before, _ = asked(quotes.server.get(path))
    quote = quotes.post(DISCOUNT)
    assert quote["discount_ratio"] == 0.2 and quote["price"] is None and quote["gpu"] is None
    reply = quotes.server.get(path)
    after, median = asked(reply)
    assert set(after) == set(before) and any(name.startswith("coreweave") for name in after)
    for name, price in after.items():
        less = 0.8 if name.startswith("coreweave") else 1
        assert price == pytest.approx(before[name] * less, rel=1e-4), name
    warning = next(w for w in reply.json["warnings"] if w["code"] == "quoted_discount")
    assert f"CoreWeave 20% (quote {quote['quote_id']:.0f})" in warning["detail"]
    by_hand, same = asked(quotes.server.get(path + "&provider_discounts=coreweave:0.2"))
    assert same == median and by_hand == after
    replaced = quotes.server.get(path + "&provider_discounts=coreweave:0")
    assert asked(replaced)[0] == before and "quoted_discount" not in codes(replaced.json)


def test_a_list_price_says_that_a_discount_is_off(quotes):
    path = f"/v1/break-even?gpu={GPU}&gpu_count=128&utilization=0.6&purchase_option=reserved_1yr&provider=coreweave"

    def sentence(more=""):
        return next(w["detail"] for w in quotes.server.get(path + more).json["warnings"] if w["code"] == "list_price")

    assert "price list of CoreWeave, derived: nobody" in sentence()
    discounted = "price list of CoreWeave, derived, less your discount: nobody"
    assert discounted in sentence("&provider_discounts=coreweave:0.1")
    quotes.post(DISCOUNT)
    assert discounted in sentence()
    assert "less your discount" not in sentence("&provider_discounts=coreweave:0")


@pytest.mark.parametrize("narrow, path, applies", [
    ({"gpu": GPU}, "", True), ({"gpu": "a100-sxm4-80gb"}, "", False),
    ({"purchase_option": "on_demand"}, "", True), ({"purchase_option": "spot"}, "", False),
    ({"purchase_option": "on_demand"}, "reserved_1yr", False),
    ({"purchase_option": "reserved_1yr"}, "reserved_1yr", True),
    ({"valid_from": day(1)}, "", False), ({"valid_until": day(-1), "valid_from": day(-9)}, "", False)])
def test_a_discount_is_for_its_gpu_option_and_days(quotes, narrow, path, applies):
    quotes.post(DISCOUNT | narrow)
    question = ANSWERS[0].replace("on_demand", path or "on_demand") + "&provider=coreweave"
    assert ("quoted_discount" in codes(quotes.server.get(question).json)) == applies


def test_the_largest_of_several_discounts_counts(quotes):
    quotes.post(DISCOUNT)
    more = quotes.post(DISCOUNT | {"discount_ratio": 0.3, "gpu": GPU})
    quotes.post(DISCOUNT | {"discount_ratio": 0.1})
    sentence = next(w["detail"] for w in quotes.server.get(ANSWERS[0]).json["warnings"]
                    if w["code"] == "quoted_discount")
    assert f"30% (quote {more['quote_id']:.0f})" in sentence and sentence.count("quote ") == 1


def test_a_discount_is_not_taken_off_a_quote(quotes):
    quotes.post(DISCOUNT | {"provider": "acme-cloud"})
    quotes.post(RENT)
    reply = quotes.server.get(ANSWERS[0] + "&provider=acme-cloud")
    assert asked(reply)[1] == 1.25 and "quoted_discount" not in codes(reply.json)


def test_capacity_already_paid_for_costs_nothing_up_to_its_size(quotes):
    path = "/v1/training-plan?model=llama-2-70b&tokens=1e9&gpu_count={}&gpu=" + GPU
    before = {n: quotes.server.get(path.format(n)).json for n in (64, 72)}
    assert before[64]["price_per_gpu_hour"] > 0
    quote = quotes.post(PAID)
    held = quotes.server.get(path.format(64))
    assert held.json["price_per_gpu_hour"] == 0 and held.json["price_basis"] == "quote"
    assert held.json["rented_gpu_count"] == 64
    assert set(asked(held)[0]) == {f"quote/{quote['quote_id']:.0f}"}
    sentence = next(w["detail"] for w in held.json["warnings"] if w["code"] == "already_paid")
    assert f"quote {quote['quote_id']:.0f}" in sentence
    larger = quotes.server.get(path.format(72)).json
    assert larger["price_per_gpu_hour"] == before[72]["price_per_gpu_hour"]
    assert larger["offers_used"] == before[72]["offers_used"]
    few = quotes.server.get(path.format(8)).json
    assert few["price_per_gpu_hour"] == 0 and few["rented_gpu_count"] == 8
    reserved = quotes.server.get(path.format(64) + "&purchase_option=reserved_1yr").json
    assert reserved["price_per_gpu_hour"] == 0
    spot = quotes.server.get(path.format(64) + "&purchase_option=spot").json
    assert spot["price_per_gpu_hour"] != 0


def test_what_is_paid_for_is_no_market_price(quotes):
    path = f"/v1/price-summary?gpu={GPU}&purchase_option=on_demand"
    before = quotes.server.get(path).json["rows"]
    quotes.post(PAID)
    assert quotes.server.get(path).json["rows"] == before
    rows = quotes.server.get(f"/v1/offers?gpu={GPU}&provider=coreweave").json["rows"]
    assert any(row["price_per_gpu_hour"] == 0 and row["outlier"] is False for row in rows)
    break_even = quotes.server.get(ANSWERS[0]).json
    assert break_even["inputs"]["rent_price_per_gpu_hour"]["value"] == 0
    assert break_even["verdict"] == "rent"
    assert "renting what is already paid for to 0." in break_even["sentence"]


def test_lists_say_what_is_paid_for_and_take_the_fewest_of_it(quotes):
    load = "?model=llama-3.1-70b&requests_per_minute=600&input_tokens=1000&output_tokens=300"
    quotes.post(PAID)
    discount = quotes.post(DISCOUNT | {"provider": "aws"})
    options = quotes.server.get("/v1/inference-sizing/options" + load + "&per_gpu=20&limit=1000").json
    free = [row["gpu_count"] for row in options["options"] if row["cost_per_hour"] == 0]
    assert len(free) > 1 and options["recommended_gpu_count"] == min(free)
    sizing = quotes.server.get("/v1/inference-sizing" + load + "&gpu=" + GPU).json
    assert sizing["gpu_count"] == min(free) and sizing["cost_per_hour"] == 0
    recommendation = quotes.server.get("/v1/recommendation" + load).json
    assert "already paid for: you pay 0.00 USD" in recommendation["recommended_sentence"]
    assert recommendation["recommended_gpu_count"] == min(free)
    for answer in (options, recommendation):
        sentence = next(w["detail"] for w in answer["warnings"] if w["code"] == "quoted_discount")
        assert f"20% (quote {discount['quote_id']:.0f})" in sentence
