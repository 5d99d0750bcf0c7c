"""Answers in another currency: every amount at one dated rate, and nothing else any different."""
import csv
import io
import json
import math
import re
import urllib.parse
from decimal import Decimal
from fractions import Fraction

import pytest

from conftest import Own, day, stopped_after, wait_for
from openapi import inlined

GPU = "h100-sxm5-80gb"
EUR, CHF = 0.86543, 0.5  # at 0.5 nothing but the cents can be rounded otherwise
RATES = [("EUR", day(-40), 0.75), ("EUR", day(-3), EUR), ("EUR", day(2), 0.1),
         ("CHF", day(-3), CHF), ("JPY", day(-3), 155.5)]


class Market(Own):
    """A database and a daemon with exchange rates."""

    def __init__(self, directories):
        rates = ",".join(f"('{currency}', '{observed}', {per_usd}, 'a bank')" for currency, observed, per_usd in RATES)
        super().__init__(directories, f"delete from exchange_rate; insert into exchange_rate values {rates}")

    def get(self, path, **params):
        reply = self.server.get(path, **params)
        assert reply.status == 200, reply.text
        return reply.json


market = stopped_after("module", Market)
own = stopped_after("function", Market)  # to change


# --- every answer: the same question in dollars and in another currency --------------------------

LEDGER = {"gpu": GPU, "gpu_count": 8, "utilization": 0.9}
RENT = LEDGER | {"rent_price_per_gpu_hour": 6.93}
HOSTED = {"gpu": GPU, "workload": "serve", "model": "llama-2-7b", "requests_per_minute": 600,
          "hosted_input_price_per_million_tokens": 0.5,
          "hosted_output_price_per_million_tokens": 1.5}
TRAIN = {"model": "llama-3.1-8b", "tokens": 1e11, "gpu": GPU, "gpu_count": 64}
SERVE = {"model": "llama-2-70b", "gpu": GPU, "requests_per_minute": 60}
ADVICE = {"workload": "serve", "model": "llama-2-7b", "requests_per_minute": 60}
BOTH = {"workload": "train,serve", "model": "llama-2-7b", "requests_per_minute": 60,
        "tokens": 1e11, "deadline_days": 60, "budget": 1e6}


def address(path, params):
    return path + "?" + urllib.parse.urlencode(params)


SIDES = {"a": address("/v1/break-even", LEDGER),
         "b": address("/v1/break-even", LEDGER | {"utilization": 0.5, "horizon_months": 48})}

QUESTIONS = [
    ("/v1/break-even", LEDGER), ("/v1/break-even", RENT), ("/v1/break-even", HOSTED),
    ("/v1/break-even", {"gpu": GPU, "workload": "train", "model": "llama-2-7b", "tokens": 1e11}),
    ("/v1/break-even", LEDGER | {"financing": "loan", "housing": "own_room"}),
    ("/v1/break-even", LEDGER | {"reference_gpu": "a100-sxm4-80gb", "purchase_option": "spot"}),
    ("/v1/break-even/line-items", HOSTED), ("/v1/break-even/series", HOSTED),
    ("/v1/break-even/sensitivity", LEDGER),
    ("/v1/break-even/sensitivity", LEDGER | {"vary": "electricity_price_per_kwh"}),
    ("/v1/break-even/risk", LEDGER),
    ("/v1/break-even/risk", RENT | {"electricity_price_per_kwh_low": 0.05}),
    ("/v1/break-even/gpus", LEDGER | {"gpu": f"{GPU},a100-sxm4-80gb"}),
    ("/v1/training-plan", TRAIN | {"explain": 1, "budget": 3000, "price_per_gpu_hour": 2}),
    ("/v1/training-plan", TRAIN | {"purchase_option": "owned", "utilization": 0.8}),
    ("/v1/training-plan/line-items", TRAIN), ("/v1/training-plan/sensitivity", TRAIN),
    ("/v1/training-plan/explanations", TRAIN),
    ("/v1/training-plan/options", {"model": "llama-3.1-8b", "tokens": 1e11, "deadline_days": 30}),
    ("/v1/training-plan/options", {"model": "llama-3.1-8b", "tokens": 1e11, "budget": 50000}),
    ("/v1/inference-sizing", SERVE | {"explain": 1}), ("/v1/inference-sizing/line-items", SERVE),
    ("/v1/inference-sizing", SERVE | {"purchase_option": "owned"}),
    ("/v1/inference-sizing/sensitivity", SERVE),
    ("/v1/inference-sizing/options", {"model": "llama-2-7b", "requests_per_minute": 60}),
    ("/v1/recommendation", ADVICE), ("/v1/recommendation", BOTH),
    ("/v1/recommendation", ADVICE | {"budget": 20000}),
    ("/v1/compare", SIDES), ("/v1/compare", SIDES | {"figure": "buy_total_cost"}),
    ("/v1/gpus", {}), ("/v1/gpus/{gpu}", {"price": 25000, "throughput": 100}),
    ("/v1/offers", {"limit": 10000}), ("/v1/offers", {"max_price_per_gpu_hour": 2.5}),
    ("/v1/offers/history", {"limit": 10000}), ("/v1/price-summary", {}), ("/v1/hardware", {}),
    ("/v1/assumptions", {}), ("/v1/models", {}), ("/v1/exchange-rates", {}), ("/v1", {}),
]
OF_THE_RATE = {"currency", "currency_per_usd", "currency_rate_date", "currency_rate_source"}
OF_THE_SOURCE = {"offer_currency", "price_currency", "note", "normalization_note", "source",
                 "source_url", "paths", "currencies"}
# Whose unit stands in the column `unit`, or is that of the whole answer.
FIGURES = {"value", "low", "mode", "high", "default", "threshold", "a", "b", "difference", "before",
           "after", "effect", "main_effect", "moved_by_price", "moved_by_assumption",
           "moved_by_input", "turning_point"}
KEYS = {"effects": "input", "drawn_inputs": "key"}  # rows whose order a cent may change


@pytest.fixture(scope="module")
def document(market):
    return inlined(market.get("/openapi.json"))


def properties(document, path):
    reply = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]
    return reply["schema"]["properties"]


def inputs(document, path):
    return {p["name"]: p["schema"].get("x-unit", "") for p in
            document["paths"][path]["get"]["parameters"]}


def converted(document, path, params, rate):
    """The question with the money in it in the other currency."""
    units = inputs(document, path)
    return {name: repr(value * rate) if units.get(name, "").startswith("currency") else value
            for name, value in params.items()}


class Same:
    """Two answers held against each other: `rate` times the amounts, and all else equal."""

    def __init__(self, currency, rate):
        self.currency, self.rate, self.amounts = currency, rate, 0
        self.figure = ""  # unit of what the whole answer is about

    def unit(self, where, usd, other):
        if (usd or "").startswith("USD"):
            assert other == self.currency + usd[3:], where
        else:
            assert usd == other, where

    def words(self, where, usd, other):
        """Sentences and addresses: but for the amounts in them and the currency."""
        usd, other = (re.sub(r"-?\d+(,\d{3})*(\.\d+)?(e[+-]?\d+)?", "#", text) for text in (usd, other))
        assert usd.replace("USD", self.currency) == \
            other.replace(f"currency={self.currency}&", ""), where

    def value(self, where, unit, usd, other):
        if usd is None or isinstance(usd, bool):
            assert other == usd, where
        elif isinstance(usd, str):
            self.words(where, usd, other)
        elif unit.startswith(("currency", "USD")):
            self.amounts += usd != 0
            slack = 0.005 * 60 if abs(usd) > 100 else 0.01 if round(usd, 2) == usd or {"unit_price", "training_other_cost_month"} & {*where} else 1e-5
            assert abs(other - usd * self.rate) <= max(slack, 1e-5 * abs(usd)) * (1 + self.rate), \
                (where, usd, other)
        else:
            # Figures of four decimals; a cent moves the crossing of a small ledger by more.
            last = 1e-3 if "break_even_months" in where[-1] or unit == "months" else 2e-5
            digit = 10 ** (math.floor(math.log10(abs(usd))) - 5) if usd else 0  # the last of six
            if where[-1].startswith("hosted_until"):
                digit *= 5  # found by bisection
            assert abs(other - usd) <= max(1.01 * digit, last), (where, usd, other)

    def row(self, where, fields, usd, other):
        assert list(usd) == list(other), where
        for name, value in usd.items():
            here = (*where, name)
            unit = fields.get(name, {}).get("x-unit", "")
            if name in FIGURES and not unit:
                unit = usd.get("unit", self.figure) or ""
            if name == "unit":
                self.unit(here, value, other[name])
            elif name == "currency":
                assert (value, other[name]) in [("USD", self.currency), (None, None)], here
            elif name in OF_THE_SOURCE:
                assert value == other[name], here
            else:
                self.value(here, unit, value, other[name])

    def inputs(self, where, usd, other):
        for name, entry in usd.items():
            self.unit((*where, name), entry.get("unit"), other[name].get("unit"))
            varied = self.figure if name in ("from", "to", "step") else "none"
            own = {"value": {"x-unit": entry.get("unit", varied)}}
            self.row((*where, name), own, entry, other[name])

    def answer(self, path, fields, usd, other):
        assert list(usd) == list(other), path
        varied = usd.get("inputs", {}).get("vary", {}).get("value")
        self.figure = usd["inputs"][varied]["unit"] if varied else usd.get("unit") or ""
        for name, value in usd.items():
            where = (path, name)
            if name == "inputs":
                self.inputs(where, value, other[name])
            elif isinstance(value, list):
                assert len(value) == len(other[name]), where
                columns = fields.get(name, {}).get("items", {}).get("properties", {})
                order = (lambda row: row[KEYS[name]]) if name in KEYS else (lambda row: 0)
                for a, b in zip(sorted(value, key=order), sorted(other[name], key=order)):
                    self.row(where, columns, a, b)
            elif name == "unit":
                self.unit(where, value, other[name])
            elif name in OF_THE_SOURCE:
                assert value == other[name], where
            elif name not in OF_THE_RATE | {"links"}:
                unit = fields.get(name, {}).get("x-unit", "")
                self.value(where, unit or (self.figure if name in FIGURES else ""), value,
                           other[name])


@pytest.mark.parametrize("currency, rate", [("CHF", CHF), ("EUR", EUR)])
@pytest.mark.parametrize("path, params", QUESTIONS)
def test_every_answer_is_the_same_but_for_the_rate(market, document, path, params, currency, rate):
    here = path.replace("{gpu}", GPU)
    usd = market.get(here, **params)
    other = market.get(here, currency=currency, **converted(document, path, params, rate))
    assert (usd["currency"], usd["currency_per_usd"]) == ("USD", 1)
    assert usd["currency_rate_date"] is None and usd["currency_rate_source"] is None
    assert (other["currency"], other["currency_per_usd"]) == (currency, rate)
    assert (other["currency_rate_date"], other["currency_rate_source"]) == (day(-3), "a bank")
    same = Same(currency, rate)
    same.answer(path, properties(document, path), usd, other)
    if path not in ("/v1/models", "/v1/exchange-rates", "/v1"):
        assert same.amounts, "no amount was compared"


def test_no_money_is_described_as_dollars(document):
    units = set(re.findall(r'"x-unit": "([^"]*)"', json.dumps(document)))
    assert {"currency", "currency/GPU-hour", "currency/kWh"} <= units
    assert not [unit for unit in units if unit.startswith("USD")]


# --- the ledger runs in the currency --------------------------------------------------------------

def cents(value):
    return Decimal(str(value)).quantize(Decimal("0.01"))


@pytest.mark.parametrize("currency", ["EUR", "JPY"])
@pytest.mark.parametrize("params", [LEDGER, HOSTED, LEDGER | {"financing": "loan"}])
def test_totals_are_the_sum_of_their_rounded_lines(market, params, currency):
    answer = market.get("/v1/break-even", currency=currency, **params)
    for side in ("buy", "rent", "hosted"):
        amounts = [cents(row["amount"]) for row in answer["line_items"] if row["side"] == side]
        total = answer[f"{side}_total_cost"]
        assert sum(amounts) == (cents(total) if total is not None else 0), side
    assert cents(answer["rent_total_cost"]) - cents(answer["buy_total_cost"]) == \
        cents(answer["buy_saving"])


@pytest.mark.parametrize("path, params", [("/v1/training-plan", TRAIN),
                                          ("/v1/inference-sizing", SERVE),
                                          ("/v1/break-even", LEDGER)])
@pytest.mark.parametrize("currency", ["EUR", "JPY"])
def test_a_line_is_its_quantity_times_its_unit_price(market, path, params, currency):
    def off(answer):
        return {row["key"] for row in answer["line_items"]
                if None not in (row["quantity"], row["unit_price"], row["amount"]) and
                abs(Fraction(str(row["quantity"])) * Fraction(str(row["unit_price"])) -
                    Fraction(str(row["amount"]))) > Fraction("0.0051") +
                Fraction("5e-6") * abs(Fraction(str(row["amount"]))) *
                (len(str(row["quantity"])) >= 6)}
    assert off(market.get(path, currency=currency, **params)) <= off(market.get(path, **params))


def test_defaults_and_unit_prices_are_said_in_full(market):
    staff, = market.get("/v1/assumptions", currency="EUR", key="staff_cost_per_fte_year")["rows"]
    assert (staff["low"], staff["default"], staff["high"]) == (103851.6, 155777.4, 216357.5)
    assert staff["unit"] == "EUR/year"
    answer = market.get("/v1/break-even", currency="EUR", **LEDGER)
    line, = [row for row in answer["line_items"] if row["key"] == "electricity_it"]
    assert line["unit_price"] == answer["inputs"]["electricity_price_per_kwh"]["value"] == 0.1038516


# --- which rate -----------------------------------------------------------------------------------

@pytest.mark.parametrize("shift, rate, observed", [(0, EUR, -3), (-3, EUR, -3), (-4, 0.75, -40),
                                                   (-40, 0.75, -40)])
def test_the_newest_rate_up_to_the_day(market, shift, rate, observed):
    answer = market.get("/v1/break-even", currency="EUR", as_of=day(shift), **RENT)
    assert (answer["currency_per_usd"], answer["currency_rate_date"]) == (rate, day(observed))
    assert answer["inputs"]["staff_cost_per_fte_year"]["value"] == pytest.approx(180000 * rate)
    assert answer["inputs"]["rent_price_per_gpu_hour"]["value"] == 6.93, "as typed"
    old = [warning for warning in answer["warnings"] if warning["code"] == "stale_exchange_rate"]
    assert bool(old) == (shift - observed > 31)


def test_its_code_in_any_case(market):
    assert market.server.get("/v1/break-even", currency="eur", **RENT).json["currency"] == "EUR"
    body = market.server.post("/v1/break-even", RENT | {"currency": "EUR"}).json
    assert body["currency_per_usd"] == EUR
    assert body["buy_total_cost"] == market.get("/v1/break-even", currency="EUR",
                                                **RENT)["buy_total_cost"]


@pytest.mark.parametrize("path, params", [("/v1/break-even", RENT), ("/v1/offers", {}),
                                          ("/v1/training-plan/options", TRAIN)])
def test_without_a_rate_it_says_which_there_are(market, path, params):
    reply = market.server.get(path, currency="GBP", **params)
    assert reply.status == 422 and reply.json["type"].endswith("/no-solution")
    assert reply.json["detail"].endswith("or use USD, CHF, EUR, JPY")
    assert "exchange_rate" in reply.json["detail"] and "GBP" in reply.json["detail"]
    early = market.server.get(path, currency="EUR", as_of=day(-41), **params)
    assert early.status == 422 and early.json["detail"].endswith("or use USD")
    cell = market.server.get(path + ".txt", currency="GBP", on_error="text", **params)
    assert cell.status == 200 and cell.text.startswith("ERROR no exchange rate for GBP")


@pytest.mark.parametrize("typed", ["EURO", "EU", "€", "E1R", "1"])
def test_no_currency_at_all(market, typed):
    reply = market.server.get("/v1/gpus", currency=typed)
    error, = reply.json["errors"]
    assert (reply.status, error["parameter"], error["code"]) == (400, "currency", "bad_form")


def test_the_currencies_of_a_day(market):
    assert market.get("/v1")["currencies"] == "USD, CHF, EUR, JPY"
    assert market.get("/v1", as_of=day(-4))["currencies"] == "USD, EUR"


def test_another_rate_is_another_answer(own):
    first = own.server.get("/v1/break-even", currency="EUR", **LEDGER)
    own.database.query(f"insert into exchange_rate values ('EUR', '{day(0)}', 0.9, 'a bank')")
    wait_for(lambda: own.get("/v1/break-even", currency="EUR", **LEDGER)
             ["currency_per_usd"] == 0.9, "the new rate")
    again = own.server.get("/v1/break-even", currency="EUR", **LEDGER)
    assert again.headers["ETag"] != first.headers["ETag"]
    assert own.get("/v1/break-even", currency="EUR", as_of=day(-1), **LEDGER)["buy_total_cost"] == \
        first.json["buy_total_cost"], "a past day keeps its rate"


# --- said in every format -------------------------------------------------------------------------

SAID = {"currency": "EUR", "currency_per_usd": str(EUR), "currency_rate_date": day(-3),
        "currency_rate_source": "a bank"}


def sheet(market, path, **params):
    reply = market.server.get(path, currency="EUR", **params)
    assert reply.status == 200, reply.text
    return list(csv.DictReader(io.StringIO(reply.text),
                               delimiter="\t" if ".tsv" in path else ","))


@pytest.mark.parametrize("path, params", [
    ("/v1/break-even.csv", RENT), ("/v1/break-even.tsv", RENT), ("/v1/break-even/series.csv", RENT),
    ("/v1/break-even/line-items.csv", RENT), ("/v1/price-summary.tsv", {}), ("/v1/offers.csv", {}),
    ("/v1/training-plan/options.csv", {"model": "llama-3.1-8b", "tokens": 1e11})])
def test_every_sheet_says_currency_and_rate(market, path, params):
    for row in sheet(market, path, **params):
        assert {name: row[name] for name in SAID} == SAID


def test_a_sheet_in_dollars_keeps_its_columns(market):
    header = market.server.get("/v1/break-even/series.csv", **RENT).text.split("\r\n")[0]
    assert header.startswith("month,buy_cumulative_cost") and "currency" not in header
    other = market.server.get("/v1/break-even/series.csv", currency="EUR", **RENT).text
    assert other.startswith(header + "," + ",".join(SAID) + "\r\n")
    chosen = sheet(market, "/v1/break-even/series.csv", fields="month,currency", **RENT)
    assert chosen[3] == {"month": "3", "currency": "EUR"}


def test_the_long_layout_has_units_in_the_currency(market):
    rows = {row["field"]: row for row in sheet(market, "/v1/break-even.csv", layout="long", **RENT)}
    assert rows["buy_total_cost"]["unit"] == "EUR"
    assert rows["break_even_rent_price_per_gpu_hour"]["unit"] == "EUR/GPU-hour"
    assert rows["rule_of_thumb.rent_per_year"]["unit"] == "EUR/year"
    assert rows["currency_per_usd"]["unit"] == "per USD"


def test_a_plain_page_has_units_in_the_currency(market):
    page = market.server.get("/v1/break-even.html", currency="EUR", **RENT).text
    assert "<td>EUR</td>" in page and "<td>EUR/kWh</td>" in page
    assert "<small>EUR</small>" in page and "<td>USD" not in page and "<small>USD" not in page


def test_xml_and_a_cell_say_it(market):
    xml = market.server.get("/v1/break-even.xml", currency="EUR", **RENT).text
    for name, value in SAID.items():
        assert f"<{name}>{value}</{name}>" in xml
        assert market.server.get("/v1/break-even.txt", currency="EUR", field=name,
                                 **RENT).text == value
    cell = market.server.get("/v1/break-even.txt", currency="EUR", field="buy_total_cost", **RENT)
    assert cell.text == f"{market.get('/v1/break-even', currency='EUR', **RENT)['buy_total_cost']:.2f}"


@pytest.mark.parametrize("path, params", [
    ("/v1/break-even/series", RENT), ("/v1/break-even/risk", RENT),
    ("/v1/break-even/sensitivity", LEDGER), ("/v1/recommendation", ADVICE),
    ("/v1/offers/history", {"gpu": GPU, "purchase_option": "on_demand"}),
    ("/v1/break-even/gpus", LEDGER | {"gpu": f"{GPU},a100-sxm4-80gb"}),
    ("/v1/training-plan/options", {"model": "llama-3.1-8b", "tokens": 1e11}),
    ("/v1/inference-sizing/options", {"model": "llama-2-70b", "requests_per_minute": 60})])
def test_a_chart_is_in_the_currency(market, path, params):
    drawn = market.server.get(path + ".svg", currency="EUR", **params).text
    said = f"Amounts in EUR at {EUR} per USD of {day(-3)} (a bank)."
    assert drawn.count(said) == 1 and drawn.count("EUR") > 1
    assert "USD" not in drawn.replace(said, "")
    assert "EUR" not in market.server.get(path + ".svg", **params).text


def test_an_input_out_of_range_does_not_say_dollars(market):
    reply = market.server.get("/v1/break-even", currency="EUR", **RENT | {"server_price": -1})
    error, = reply.json["errors"]
    assert "USD" not in error["detail"]


def test_a_line_switched_off_says_what_is_usual(market):
    answer = market.get("/v1/break-even", currency="CHF", **LEDGER | {"staff_cost_per_fte_year": 0})
    warning, = [w for w in answer["warnings"] if w["code"] == "line_disabled"]
    assert "90,000 CHF/year" in warning["detail"]


# --- links and tags -------------------------------------------------------------------------------

@pytest.mark.parametrize("path, params", [("/v1/break-even", LEDGER), ("/v1/training-plan", TRAIN),
                                          ("/v1/inference-sizing", SERVE), ("/v1/offers", {}),
                                          ("/v1/recommendation", ADVICE), ("/v1/gpus", {})])
def test_links_keep_the_currency(market, path, params):
    answer = market.get(path, currency="EUR", **params)
    for name in ("self", "csv"):
        assert "currency=EUR" in answer["links"][name]
    pinned = market.get(answer["links"]["self"])
    assert pinned | {"links": None} == answer | {"links": None}
    assert "currency" not in json.dumps(market.get(path, **params)["links"])


def test_plans_in_rows_keep_the_currency(market):
    for path, params in (("/v1/recommendation", ADVICE),
                         ("/v1/inference-sizing/options", {"model": "llama-2-7b"}),
                         ("/v1/training-plan/options", {"model": "llama-3.1-8b", "tokens": 1e11})):
        row = market.get(path, currency="EUR", **params)["options"][0]
        plans = [value for value in row.values() if isinstance(value, str) and "/v1/" in value]
        assert plans
        for plan in plans:
            assert market.get(plan)["currency"] == "EUR", plan
    workload = market.get("/v1/break-even", currency="EUR", **HOSTED)["workload_plan"]
    assert market.get(workload)["currency"] == "EUR"


def test_the_tag_is_of_the_currency(market):
    usd = market.server.get("/v1/break-even", **LEDGER)
    other = market.server.get("/v1/break-even", currency="EUR", **LEDGER)
    assert usd.headers["ETag"] != other.headers["ETag"]
    again = market.server.get("/v1/break-even", headers={"If-None-Match": other.headers["ETag"]},
                              currency="EUR", **LEDGER)
    assert again.status == 304


# --- prices of the catalogue that are not in dollars ----------------------------------------------

def test_foreign_offers_are_in_the_median(own):
    provider = own.database.query("select provider from offer where gpu = 't4' and provider not in (select provider "
                                  "from offer where purchase_option = 'capacity_block') order by provider limit 1")
    own.database.query(
        "insert into offer (provider, instance, gpu, gpu_count, purchase_option, price_per_hour, "
        f"price_per_gpu_hour, currency, valid_from, source) values ('{provider}', 'x1', '{GPU}', 2, "
        f"'capacity_block', 8, 4, 'EUR', '{day(-50)}', 'a test'), ('{provider}', 'x2', '{GPU}', 1, "
        f"'capacity_block', 3, 3, 'CHF', '{day(-50)}', 'a test'), ('{provider}', 'x3', '{GPU}', 1, "
        f"'capacity_block', 1, 1, 'GBP', '{day(-50)}', 'a test')")
    block = {"gpu": GPU, "purchase_option": "capacity_block", "provider": provider}

    def summary(**params):
        rows = own.get("/v1/price-summary", **block, **params)["rows"]
        return rows[0]["median_price_per_gpu_hour"] if rows else None
    wait_for(lambda: summary(), "the offers")
    assert summary() == pytest.approx(4 / EUR, abs=1e-6), "the cheapest: 3 CHF are 6 dollars"
    assert summary(currency="EUR") == 4
    assert summary(currency="CHF") == pytest.approx(4 / EUR * CHF, abs=1e-6)
    assert summary(as_of=day(-4)) == pytest.approx(4 / 0.75, abs=1e-6), "no francs that day"
    assert summary(as_of=day(-41)) is None, "no rate of any"
    rows = {row["instance"]: row for row in own.get("/v1/offers", currency="EUR", **block)["rows"]}
    assert rows["x1"]["price_per_hour"] == 8 and rows["x1"]["offer_price_per_hour"] == 8
    assert rows["x2"]["price_per_gpu_hour"] == pytest.approx(3 / CHF * EUR, abs=1e-6)
    assert (rows["x2"]["offer_currency"], rows["x2"]["offer_price_per_gpu_hour"]) == ("CHF", 3)
    assert (rows["x2"]["exchange_rate"], rows["x2"]["exchange_rate_date"]) == (CHF, day(-3))
    assert rows["x3"]["price_per_gpu_hour"] is None and rows["x3"]["exchange_rate"] is None
    cheap = own.get("/v1/offers", currency="EUR", max_price_per_gpu_hour=4, **block)["rows"]
    assert [row["instance"] for row in cheap] == ["x1"], "the limit is in the currency too"
    answer = own.get("/v1/break-even", currency="EUR", purchase_option="capacity_block",
                     provider=provider, connected_gpu_count=1, **LEDGER)
    assert answer["inputs"]["rent_price_per_gpu_hour"]["value"] == 4
    offer, = answer["offers_used"]
    assert (offer["price_per_gpu_hour"], offer["offer_currency"]) == (4, "EUR")
    assert "no_exchange_rate" in [warning["code"] for warning in answer["warnings"]]


def test_foreign_purchase_prices_too(own):
    own.database.query(
        "insert into hardware (hardware_id, kind, seller, gpu, gpu_count, price, currency, observed, "
        f"source) values ('eu', 'server', 'a', '{GPU}', 8, 200000, 'EUR', '{day(-5)}', 'a test'), "
        f"('uk', 'server', 'b', '{GPU}', 8, 7, 'GBP', '{day(-1)}', 'a test')")
    wait_for(lambda: "eu" in own.server.get("/v1/hardware").text, "the server")
    assert own.get("/v1/break-even", currency="EUR", **LEDGER)["hardware_cost"] == 200000
    assert own.get("/v1/break-even", **LEDGER)["hardware_cost"] == pytest.approx(200000 / EUR, abs=.01)
    rows = {row["hardware_id"]: row for row in own.get("/v1/hardware", gpu=GPU)["rows"]}
    assert rows["eu"]["price"] == pytest.approx(200000 / EUR, abs=0.01)
    assert (rows["eu"]["asked_price"], rows["eu"]["price_currency"]) == (200000, "EUR")
    assert rows["eu"]["exchange_rate"] == EUR
    assert rows["uk"]["price"] is None and rows["uk"]["asked_price"] == 7


def test_a_quote_stays_in_its_currency(own):
    own.database.query(
        "insert into quote (kind, provider, gpu, gpu_count, price, price_unit, currency, valid_from)"
        f" values ('hardware', 'acme', '{GPU}', 8, 180000, 'per_server', 'EUR', '{day(0)}')")
    wait_for(lambda: own.get("/v1/quotes")["rows"], "the quote")
    for currency, rate in (("USD", 1), ("EUR", EUR), ("CHF", CHF)):
        quote, = own.get("/v1/quotes", currency=currency)["rows"]
        assert (quote["price"], quote["price_currency"], quote["exchange_rate"]) == \
            (180000, "EUR", EUR)
        assert quote["price_per_gpu"] == pytest.approx(180000 / 8 / EUR * rate, abs=0.006)
        assert own.get(f"/v1/quotes/{quote['quote_id']:.0f}",
                       currency=currency)["price_per_gpu"] == quote["price_per_gpu"]
        assert own.get("/v1/break-even", currency=currency, **LEDGER)["hardware_cost"] == \
            pytest.approx(180000 / EUR * rate, abs=0.006)


# --- comparisons ----------------------------------------------------------------------------------

def question(**params):
    return address("/v1/break-even", LEDGER | params)


def test_a_comparison_in_one_currency(market):
    usd = market.get("/v1/compare", a=question(), b=question(utilization=0.5))
    other = market.get("/v1/compare", a=question(currency="CHF"),
                       b=question(currency="CHF", utilization=0.5), figure="buy_saving")
    assert other["currency"] == "CHF" and other["unit"] == "CHF"
    saving, = [row for row in usd["figures"] if row["key"] == "buy_saving"]
    assert other["difference"] == pytest.approx(saving["difference"] * CHF, abs=0.5)
    assert "CHF" in other["summary"] and "USD" not in other["summary"]
    both = market.get("/v1/compare", a=question(), b=question(utilization=0.5), figure="buy_saving",
                      currency="CHF")
    assert both["difference"] == other["difference"]
    for side in "ab":
        assert "currency=CHF" in both["links"][side]
        assert market.get(both["links"][side])["currency"] == "CHF"


@pytest.mark.parametrize("a, b, outer, culprit", [("EUR", "CHF", {}, "b"), (None, "EUR", {}, "b"),
                                                  ("EUR", "EUR", {"currency": "CHF"}, "a"),
                                                  ("EUR", "EUR", {"currency": "USD"}, "a")])
def test_two_currencies_cannot_be_compared(market, a, b, outer, culprit):
    sides = {name: question(**({"currency": side} if side else {}))
             for name, side in (("a", a), ("b", b))}
    reply = market.server.get("/v1/compare", **sides, **outer)
    error, = reply.json["errors"]
    assert (reply.status, error["parameter"], error["code"]) == (400, culprit, "contradiction")
    assert "EUR" in error["detail"]


def test_two_days_have_two_rates(market):
    answer = market.get("/v1/compare", a=question(as_of=day(-10)), b=question(), currency="EUR",
                        figure="buy_total_cost")
    assert answer["currency"] == "EUR" and answer["currency_per_usd"] is None
    rates, = [row for row in answer["differing_inputs"] if row["name"] == "currency_per_usd"]
    assert (rates["a"], rates["b"]) == ("0.75", str(EUR))
    step, = answer["why"]
    assert step["name"] == "as_of" and step["effect"] == answer["difference"]
    assert f"{EUR} EUR per USD instead of 0.75" in step["sentence"]
    assert answer["b"] / answer["a"] == pytest.approx(EUR / 0.75, abs=1e-6)
