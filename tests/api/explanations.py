"""Whether explanations are true: each substitution, evaluated here, comes to its value."""
import math
import re

import pytest

from openapi import inlined


def poisson_below(k, mean):
    """P(X <= k) of a Poisson of that mean, from its largest term outwards until terms no longer count."""
    k = int(k)
    if k < 0:
        return 0.0
    peak = min(k, int(mean))
    terms = [math.exp(peak * math.log(mean) - mean - math.lgamma(peak + 1))]
    for counts, ratio in (range(peak, 0, -1), lambda i: i / mean), (range(peak + 1, k + 1), lambda i: mean / i):
        term = terms[0]
        for i in counts:
            term *= ratio(i)
            if term < 1e-20:
                break
            terms.append(term)
    return math.fsum(terms)


def poisson_quantile(share, mean):
    """The least k with P(X <= k) >= share."""
    low, high = -1, math.ceil(mean + 10 * math.sqrt(mean) + 10)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if poisson_below(middle, mean) >= share else (middle, high)
    return high


def poisson_mean(share, k):
    """The largest mean whose quantile is at most k."""
    low, high = 0, k + 4
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if poisson_below(k, middle) >= share else (low, middle)
    return low


FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "ceil", "floor", "exp", "log2", "pow")}
FUNCTIONS |= {"max": max, "min": min, "poisson_quantile": poisson_quantile,
              "poisson_mean": poisson_mean}


def evaluate(text):
    """The value of a substitution: words that are neither numbers, operators nor functions are
    units, x is times."""
    expression = []
    for word in re.findall(r"[(),]|[^\s(),]+", text):
        if word == "x":
            expression.append("*")
        elif word in FUNCTIONS or re.fullmatch(r"[-+/(),]", word) or is_number(word):
            expression.append(word)
    return eval(" ".join(expression), {"__builtins__": {}}, FUNCTIONS)


def is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True


# What cents, and the ninth digit of two that nearly cancel, may come to.
OFF = {"USD": 0.005, "GiB": 1e-6}


def explained(answer):
    """The rows by key, each checked: what the substitution comes to is the value."""
    rows = {}
    for row in answer["explanations"]:
        assert row["key"] not in rows, row["key"]
        rows[row["key"]] = row
        assert row["formula"] and row["source"], row
        if row["value"] is None:
            assert row["substitution"] is None, row
            continue
        assert row["substitution"], row
        assert evaluate(row["substitution"]) == \
            pytest.approx(row["value"], rel=2e-5, abs=OFF.get(row["unit"], 1e-9)), row
    return rows


def check_lines(answer, rows):
    """Each line item has a row of its value."""
    for line in answer["line_items"]:
        assert line["key"] in rows, line["key"]
        want = line["quantity"] if line["group"] == "cost" else line["value"]
        value = rows[line["key"]]["value"]
        decimals = 5.5e-7 if line["group"] == "cost" else 0  # the row has six digits, the line six decimals
        assert value == want or value == pytest.approx(want, rel=1e-5, abs=decimals), line


def check_figures(answer, rows, columns, not_estimated):
    """Each headline figure that is known and estimated has a row of its value; what is
    rounded to decimals is off by half the last."""
    for name in columns:
        if name not in not_estimated and answer[name] is not None:
            assert name in rows, name
            unit = rows[name]["unit"]
            off = {"ratio": 6e-5, "USD": 0.0051, "USD/month": 0.0051}.get(unit, 6e-7 if unit.startswith("USD/") else 1e-9)
            assert rows[name]["value"] == pytest.approx(answer[name], rel=2e-5, abs=off), name


def figures(server, schema):
    """The headline figures: what a sheet's row has before tables and inputs."""
    described = inlined(server.get("/openapi.json").json)["components"]["schemas"][schema]
    return [name for name, field in described["properties"].items()
            if name != "currency_per_usd" and ("x-unit" in field or field.get("type") in (
                ["number", "null"], ["integer", "null"]))]
