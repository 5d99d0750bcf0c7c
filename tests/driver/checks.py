"""What every answer must be: whole and well formed in its format, ranges in order, totals their lines."""
import csv
import html.parser
import io
import json
import math
import re
import xml.etree.ElementTree as tree

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}
FORMULA = re.compile(r"^[=+\-@\t\r]")
NUMBER = re.compile(r"^-?[0-9][0-9.,eE+-]*$")


class Fault(Exception):
    pass


def need(good, what, *details):
    if not good:
        raise Fault(" ".join([what, *map(str, details)]))


# --- formats

class Balanced(html.parser.HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        need(tag != "script", "a script in a page")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        need(self.open and self.open[-1] == tag, "closes", tag, "within", self.open[-3:])
        self.open.pop()


def no_constant(text):
    raise Fault(f"{text} is no JSON")


def unique(pairs):
    need(len({k for k, _ in pairs}) == len(pairs), "a name twice in JSON:", [k for k, _ in pairs])
    return dict(pairs)


def as_json(body):
    try:
        return json.loads(body, parse_constant=no_constant, object_pairs_hook=unique)
    except ValueError as error:
        raise Fault(f"no JSON: {error}") from None


def as_sheet(text, delimiter):
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    for row in rows:
        for cell in row:
            need(not FORMULA.match(cell) or NUMBER.match(cell), "a formula in a cell:", repr(cell))
            need(cell.lower() not in ("nan", "inf", "-inf", "-nan"), "no number:", cell)
    need(len({len(row) for row in rows}) <= 1, "rows of different lengths:", {len(r) for r in rows})
    return rows


def as_xml(text):
    try:
        return tree.fromstring(text)
    except tree.ParseError as error:
        raise Fault(f"not well formed: {error}") from None


def same_as_json(shown, reply):
    """What a sheet's only row, or an element each, shows of the headline values."""
    for key, text in shown.items():
        value = reply.get(key, ...)
        if value is None or isinstance(value, bool):
            need(text == {None: "", True: "true", False: "false"}[value], f"{key} is {text!r}, in JSON", value)
        elif is_number(value):
            need(text and float(text) == float(value), f"{key} is {text!r}, in JSON", value)


def check_same(kind, body, asked, reply):
    if kind in ("csv", "tsv") and not asked.keys() & {"fields", "layout", "header", "dialect"}:
        rows = as_sheet(body.decode(), "," if kind == "csv" else "\t")
        headline = {key for key, value in reply.items() if not isinstance(value, (dict, list))}
        if len(rows) == 2 and headline <= set(rows[0]):  # and not a list of one row
            same_as_json(dict(zip(*rows)), reply)
    elif kind == "xml":
        same_as_json({e.tag: e.text or "" for e in as_xml(body.decode()) if not len(e)}, reply)


def check_format(kind, body, asked):
    text = body.decode("utf-8")  # a UnicodeDecodeError is a fault as well
    need(not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", text), "a control character")
    if kind in ("xml", "svg"):
        as_xml(text)
        need(not re.search(r'"(nan|inf|-nan|-inf)[ ",]', text), "not a number in it")
    elif kind == "html":
        page = Balanced()
        page.feed(text)
        page.close()
        need(not page.open, "left open:", page.open)
    elif kind == "csv":
        as_sheet(text, ";" if asked.get("dialect") == "excel-eu" else ",")
    elif kind == "tsv":
        as_sheet(text, "\t")
    else:
        need(text.strip() not in ("nan", "inf", "-inf", "-nan"), "no number:", text)


# --- figures

def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def in_order(*values):
    known = [v for v in values if is_number(v)]
    return all(a <= b for a, b in zip(known, known[1:]))


def check_ranges(name, row):
    for key in row:
        if key.endswith("_low") and f"{key[:-4]}_high" in row and not key.endswith("_at_low"):
            what = key[:-4]
            need(in_order(row[key], row.get(what), row[f"{what}_high"]), f"{name}.{what} is out of its range:",
                 row[key], row.get(what), row[f"{what}_high"])
        elif key.endswith("_p05"):
            what = key[:-4]
            need(in_order(row[key], row[f"{what}_p50"], row[f"{what}_p95"]), f"{name}.{what} out of order")
    if "mode" in row:
        need(in_order(row["low"], row["mode"], row["high"]), f"{name}: a triangle out of order", row)
    for key, value in row.items():
        if key.endswith(("_ratio", "_count", "_gib", "_seconds")) and key != "difference" and is_number(value):
            need(math.isfinite(value), f"{name}.{key} is", value)


def check_sum(what, total, parts, cents=True):
    """Sums of rounded lines, exactly; of unknown lines unknown."""
    if any(part is None for part in parts):
        need(total is None, what, "is known, but not all its lines:", total)
        return
    need(total is not None, what, "is unknown, but all its lines are known")
    near = 0.005 if cents else 1e-4 * max(map(abs, parts), default=0)
    found = math.fsum(parts)
    need(abs(found - total) <= near + 1e-14 * math.fsum(map(abs, parts)), what, total, "is not its lines", found)


def check_break_even(reply):
    lines = reply.get("line_items")
    if lines is None or "buy_total_cost" not in reply:
        return
    for side in ("buy", "rent", "hosted"):
        of_side = [row for row in lines if row["side"] == side]
        if side != "hosted" or of_side:
            check_sum(f"{side}_total_cost", reply[f"{side}_total_cost"], [row["amount"] for row in of_side])
        for group in ("initial", "recurring", "opportunity", "proceeds"):
            if f"{side}_{group}_cost" in reply or f"{side}_{group}" in reply:
                check_sum(f"{side}_{group}", reply.get(f"{side}_{group}_cost", reply.get(f"{side}_{group}")),
                          [row["amount"] for row in of_side if row["group"] == group])
    known = None not in (reply["buy_total_cost"], reply["rent_total_cost"])
    need((reply["verdict"] is not None) == known, "a verdict with an unknown total, or none:", reply["verdict"])
    if known:
        check_sum("buy_saving", reply["buy_saving"], [reply["rent_total_cost"], -reply["buy_total_cost"]])
        buys = reply["buy_saving"] >= 0 and not reply.get("buy_ruled_out")
        need(reply["verdict"] == ("buy" if buys else "rent"), "the verdict is the saving's sign")
    inputs = reply.get("inputs", {})
    if inputs.get("rent_price_per_gpu_hour", {"value": 0})["value"] is None:
        need(reply["rent_total_cost"] is None, "an unknown rent that costs", reply["rent_total_cost"])


def check_lines(reply):
    """Plans: what fills the memory, takes the time and costs the money."""
    def values(group):
        return [row["value"] for row in reply.get("line_items") or []
                if row["group"] == group and row["value"] is not None]
    memory, times = values("memory"), values("time")
    bill = [row["amount"] for row in reply.get("line_items") or [] if row["group"] == "cost"]
    training = "step_seconds" in reply
    if memory:
        total = "memory_required_gib" if training else "memory_capacity_gib"  # with what is unused
        check_sum(total, reply[total], memory, cents=False)
    if times and training:
        check_sum("step_seconds", reply["step_seconds"], times, cents=False)
    if bill:
        total = "total_cost" if training else "cost_per_hour"
        check_sum(total, reply[total], bill)


def check_compare(reply):
    if "moved_by_price" in reply and reply.get("difference") is not None:
        moved = [reply[f"moved_by_{kind}"] for kind in ("price", "assumption", "input")]
        if None not in moved:
            near = 1e-5 * max(abs(reply["a"]), abs(reply["b"])) + 0.02
            need(abs(sum(moved) - reply["difference"]) <= near, "what moved it is not the difference:", moved,
                 reply["difference"])
    for row in reply.get("line_items") or []:
        if "a" in row and "b" in row and None not in (row["a"], row["b"], row.get("difference")):
            near = 1e-9 * (abs(row["a"]) + abs(row["b"])) + 0.006
            need(abs(row["b"] - row["a"] - row["difference"]) <= near, "a difference that is none:", row)


def check_risk(reply):
    if "distribution" in reply and reply["distribution"]:
        need(abs(sum(row["probability"] for row in reply["distribution"]) - 1) < 1e-3, "shares do not sum up to 1")
    if "probability_buy_cheaper" in reply:
        need(reply["probability_buy_cheaper"] is not None and reply["verdict"] is not None, "a risk of nothing")


def addresses(value):
    """Addresses of other answers that it refers to."""
    if isinstance(value, dict):
        return [a for item in value.values() for a in addresses(item)]
    if isinstance(value, list):
        return [a for item in value for a in addresses(item)]
    return [value] if isinstance(value, str) and value.startswith("/v1/") and " " not in value else []


def same_figures(row, answer):
    """What a row says of another answer is what that says itself."""
    for key in row.keys() & answer.keys():
        if key.endswith(("_cost", "_saving", "verdict", "_months", "_status")):
            need(row[key] == answer[key], f"{key} is {row[key]} in the row, by itself", answer[key])


def walk(name, value):
    if isinstance(value, dict):
        check_ranges(name, value)
        for key, item in value.items():
            walk(key, item)
    elif isinstance(value, list):
        for item in value:
            walk(name, item)


def check_answer(path, asked, body):
    reply = as_json(body)
    walk("answer", reply)
    if "side" in asked or "lines" in asked or "fields" in asked:
        return reply
    if path == "/v1/break-even":
        check_break_even(reply)
    elif path.startswith("/v1/compare"):
        check_compare(reply)
    elif path.endswith("/risk"):
        check_risk(reply)
    elif path in ("/v1/training-plan", "/v1/inference-sizing"):
        check_lines(reply)
    check_intervals(path, reply)
    return reply


# --- intervals of what an estimate costs

PRICED = ("/v1/training-plan", "/v1/inference-sizing", "/v1/break-even", "/v1/recommendation")
MONEY = re.compile(r"(^|_)(total_cost|payments|training_cost|duration_cost|run_cost|cost_per_(hour|month|useful_gpu_hour|million\w*)|"
                   r"saving|upgrade_path_cost)$|^npv$")
# What has no ends of its own, and where they are.
WITHOUT_ENDS = {
    "duration_cost": "hours that are stated, at the price of the plan: price_per_gpu_hour",
    "run_cost": "a line of total_cost",
    "cost_per_million_input_tokens": "a part of cost_per_million_tokens",
    "cost_per_million_generated_tokens": "a part of cost_per_million_tokens",
    "hosted_cost_per_million_tokens_blended": "hosted_cost_per_month over its tokens",
    "largest_model_cost_per_month": "a sizing of its own",
    "cost_per_month": "of pools: cost_per_hour",
    "cost_per_million_output_tokens": "of pools and sensitivities: cost_per_hour",
    "buy_saving": "of rent options: rent_total_cost; of risk: its quantiles",
    "npv": "of risk: its quantiles",
}
# Answers that ask others again at other inputs, and name no interval of each.
POINTS = ("/sensitivity", "/risk", "/cash-flow", "/compare", "/ledger")


def check_ends(name, row):
    for key, value in row.items():
        if not MONEY.search(key) or not is_number(value) or key.endswith(("_low", "_high", "_uncorrected", "_saturated")):
            continue
        if any(key.startswith(prefix) for prefix in ("recommended_", "cheapest_", "fastest_", "best_", "next_")) and \
                f"{key}_low" not in row:
            continue  # the row that it repeats has them
        low, high = row.get(f"{key}_low"), row.get(f"{key}_high")
        if low is None and high is None and key in WITHOUT_ENDS:
            continue
        need(is_number(low) and is_number(high), f"{name}.{key} has no interval:", value, low, high)
        need(low <= value <= high or math.isclose(low, value, rel_tol=1e-6) or math.isclose(value, high, rel_tol=1e-6),
             f"{name}.{key} is out of its interval:", low, value, high)


def is_uncertain(row):
    """A price that providers ask: neither given nor quoted, nor paid by credits, nor the list of those named."""
    named = (row.get("inputs") or {}).get("provider", {}).get("value")
    return not named and row.get("price_basis") in ("single_gpu", "whole_instances", "cluster", "cluster_premium", "undated_list")


def check_intervals(path, reply):
    """The ends of every estimate of money, which differ if providers quote the price."""
    if not path.startswith(PRICED) or path.endswith(POINTS):
        return
    check_ends("answer", reply)
    for table, rows in reply.items():
        if isinstance(rows, list) and table not in ("line_items", "explanations", "offers_used", "periods"):
            for row in rows:
                if isinstance(row, dict):
                    check_ends(table, row)
    if path == "/v1/inference-sizing" and is_uncertain(reply) and reply.get("cost_per_hour"):
        need(reply["cost_per_hour_low"] < reply["cost_per_hour_high"], "a price of providers without a spread")
    if path == "/v1/training-plan" and is_uncertain(reply) and reply.get("total_cost"):
        need(reply["total_cost_low"] < reply["total_cost_high"], "a price of providers without a spread")
