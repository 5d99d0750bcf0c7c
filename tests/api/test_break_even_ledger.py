"""The ledger by month and by fiscal year, and as charges of FOCUS 1.2: sums equal to the cent."""
import csv
import datetime
import io
import re
from collections import Counter
from decimal import Decimal as D

import pytest

from test_break_even_returns import BASE, CASES, ask, months

# github.com/FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, tag v1.2, specification/columns
MANDATORY = {"BilledCost", "BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodEnd",
             "BillingPeriodStart", "ChargeCategory", "ChargeClass", "ChargeDescription", "ChargePeriodEnd",
             "ChargePeriodStart", "ContractedCost", "EffectiveCost", "InvoiceIssuerName", "ListCost", "PricingQuantity",
             "PricingUnit", "ProviderName", "PublisherName", "ServiceCategory", "ServiceName"}
NULLABLE = {"ChargeClass", "PricingQuantity", "PricingUnit"}
SERVICES = {"Compute", "Storage", "Networking", "Management and Governance", "Security", "Other"}
MOMENT = re.compile(r"\d{4}-\d\d-01T00:00:00Z")


def rows(server, **params):
    return list(csv.DictReader(io.StringIO(ask(server, "/ledger.csv", **params).text)))


def lines(server, **params):
    """The ledger's lines at the horizon."""
    table = csv.DictReader(io.StringIO(ask(server, "/line-items.csv", **params).text))
    return {(row["side"], row["key"]): D(row["amount"]) for row in table if D(row["amount"])}


def summed(table, *columns, amount="amount"):
    sums = Counter()
    for row in table:
        sums[tuple(row[column] for column in columns)] += D(row[amount])
    return {key: value for key, value in sums.items() if value}


@pytest.mark.parametrize("more", CASES)
def test_periods_add_up_to_the_lines(server, more):
    """Each line of both sides, month by month and by fiscal years that begin in any month."""
    asked = BASE | more
    want = lines(server, **asked)
    assert summed(rows(server, **asked), "side", "key") == want
    for start in (1, 4, 10):
        yearly = dict(ledger_period="fiscal_year", fiscal_year_start=start)
        assert summed(rows(server, **asked, **yearly), "side", "key") == want


@pytest.mark.parametrize("start", [1, 2, 7, 12])
def test_fiscal_years_hold_their_months(server, start):
    """A year is named after the calendar year in which it ends, and holds what its months hold."""
    asked = BASE | dict(ledger_start="2026-11-20", fiscal_year_start=start)
    by_month = rows(server, **asked)
    for row in by_month:
        begin = datetime.date.fromisoformat(row["period_start"])
        assert int(row["fiscal_year"]) == begin.year + (start > 1 and begin.month >= start), row
        assert (datetime.date.fromisoformat(row["period_end"]) - begin).days in (28, 29, 30, 31)
    assert min(row["period_start"] for row in by_month) == "2026-11-01"
    assert max(row["period_end"] for row in by_month) == "2029-11-01"
    by_year = rows(server, **asked, ledger_period="fiscal_year")
    columns = ("fiscal_year", "side", "key")
    assert summed(by_year, *columns) == summed(by_month, *columns)
    spans = sorted({(row["period_start"], row["period_end"]) for row in by_year})
    assert all(a[1] == b[0] for a, b in zip(spans, spans[1:])) and spans[-1][1] == "2029-11-01"


@pytest.mark.parametrize("more", [{}, dict(tax_rate=0.25), dict(lead_time_months=4.5), dict(purchase_option="reserved_1yr")])
def test_months_are_those_of_the_cash_flow(server, more):
    """What is paid in a month is the sum of its lines, each a cent off at most by rounding."""
    asked = BASE | more
    table = [row for row in rows(server, **asked) if row["group"] != "opportunity"]
    for side in ("buy", "rent"):
        sums = summed([row for row in table if row["side"] == side], "month")
        for row in months(server, **asked):
            cash = row[f"{side}_cash"] + (row["end_cash"] if side == "buy" else 0)
            assert float(sums.get((f"{row['month']:.0f}",), 0)) == pytest.approx(cash, abs=0.3), (side, row)


@pytest.mark.parametrize("more", [{}, dict(tax_rate=0.25, financing="operating_lease"), dict(currency="EUR"),
                                  dict(ledger_period="fiscal_year", fiscal_year_start=7, vat_ratio=0.2)])
def test_focus_columns(server, more):
    """Columns, nulls, allowed values and dates of the specification; the sum of each account is its side's total."""
    asked = BASE | dict(provider="aws", rent_price_per_gpu_hour=3.9) | more
    table = rows(server, **asked, dialect="focus")
    assert table
    assert MANDATORY <= set(table[0])
    assert all(name in MANDATORY | {"ChargeFrequency"} or name.startswith("x_") for name in table[0])
    for row in table:
        assert all(row[name] for name in MANDATORY - NULLABLE), row
        assert row["ChargeCategory"] in ("Purchase", "Usage", "Tax", "Adjustment") and row["ChargeClass"] == ""
        assert row["ChargeFrequency"] in ("One-Time", "Recurring", "Usage-Based")
        assert (row["ChargeCategory"], row["ChargeFrequency"]) != ("Purchase", "Usage-Based")
        assert (row["PricingQuantity"] == "") == (row["PricingUnit"] == "") == (row["ChargeCategory"] == "Tax")
        assert row["ServiceCategory"] in SERVICES
        assert row["BillingCurrency"] == asked.get("currency", "USD")
        for name in ("BillingPeriod", "ChargePeriod"):
            assert MOMENT.fullmatch(row[name + "Start"]) and MOMENT.fullmatch(row[name + "End"])
            assert row[name + "Start"] < row[name + "End"]
        assert row["ProviderName"] == ("Amazon Web Services" if row["BillingAccountId"] == "rent" else "Owner")
    answer = ask(server, **asked).json
    totals = summed(table, "BillingAccountId", amount="BilledCost")
    assert totals == {(side,): D(str(answer[f"{side}_total_cost"])) for side in ("buy", "rent")}
    assert len(table) == len(rows(server, **asked))


def test_focus_where_there_are_no_charges(server):
    for path in ("", "/line-items", "/series"):
        reply = server.get(f"/v1/break-even{path}.csv", **BASE, dialect="focus")
        assert reply.status == 400 and "/v1/break-even/ledger" in reply.text, path
    assert server.get("/v1/gpus.csv", dialect="focus").status == 400


def test_no_ledger_where_a_price_is_unknown(server):
    assert rows(server, gpu="gaudi3", utilization=0.5) == []


@pytest.mark.parametrize("more, period", [({}, "the first month"), (dict(ledger_period="fiscal_year", fiscal_year_start=4, ledger_start="2027-06-10"), "fiscal year 2028"),
                                          (dict(currency="EUR"), "the first month")])
def test_a_sentence_says_what_the_ledger_comes_to(server, more, period):
    """For a board: the verdict and what the first period takes, in .txt and on the page."""
    asked, answer = BASE | more, ask(server, **BASE | more).json
    said = ask(server, "/ledger.txt", **asked).text
    table = ask(server, "/ledger", **asked).json["ledger"]
    first = {side: sum(D(str(row["amount"])) for row in table if row["side"] == side and row["period_end"] == table[0]["period_end"])
             for side in ("buy", "rent")}
    currency = answer["currency"]
    assert said.startswith(answer["sentence"]) and answer["sentence"][:4] in ("Buy ", "Rent")
    assert f"In {period} owning takes {first['buy']:,.0f} {currency}, renting {first['rent']:,.0f} {currency}" in said
    assert said in ask(server, "/ledger.html", **asked).text
    assert ask(server, "/ledger.txt", **asked, field="period_start").text == table[0]["period_start"]
