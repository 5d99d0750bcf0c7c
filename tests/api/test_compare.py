"""Two answers side by side: what differs, and a way from one to the other that adds up."""
import csv
import decimal
import io
import itertools
import json
import random
import urllib.parse
import xml.etree.ElementTree

import pytest

from conftest import wait_for

OLD, DAY = "2025-11-03", "2026-11-20"
TRAIN, SERVE, BUY = "/v1/training-plan", "/v1/inference-sizing", "/v1/break-even"
KINDS = {"price", "assumption", "input"}
PARTS = ("moved_by_price", "moved_by_assumption", "moved_by_input")
# Several versions of each question, which differ in prices, defaults and what is asked.
QUESTIONS = {
    BUY: [dict(gpu="h100-sxm5-80gb", utilization=0.7, as_of=OLD),
          dict(gpu="h100-sxm5-80gb", utilization=0.7, as_of=DAY),
          dict(gpu="a100-sxm4-80gb", gpu_hours_per_month=500, gpu_count=16, financing="loan"),
          dict(gpu="h100-sxm5-80gb", utilization=0.9, rent_price_per_gpu_hour=6,
               electricity_price_per_kwh=0.3, horizon_months=48)],
    TRAIN: [dict(model="llama-2-7b", gpu="h100-sxm5-80gb", tokens=1e12, as_of=OLD),
            dict(parameters=13e9, gpu="a100-sxm4-80gb", tokens=2e12, gpu_count=64),
            dict(model="llama-2-7b", gpu="h100-sxm5-80gb", tokens=1e12, gpu_count=8, goodput=0.8,
                 method="qlora", price_per_gpu_hour=2.5)],
    SERVE: [dict(model="llama-2-70b", gpu="h100-sxm5-80gb", requests_per_minute=600, as_of=OLD),
            dict(model="llama-2-70b", gpu="a100-sxm4-80gb", requests_per_minute=1200,
                 latency_p95_seconds=30),
            dict(parameters=8e9, gpu="l4", requests_per_minute=30, weight_dtype="fp16")],
}
PAIRS = [(path, a, b) for path, asked in QUESTIONS.items()
         for a, b in itertools.permutations(asked, 2)]


def address(path, **params):
    return f"{path}?{urllib.parse.urlencode(params)}"


def ask(server, a, b, table="", **params):
    return server.answer(f"/v1/compare{table}", a=a, b=b, **params)


def compared(server, a, b, **params):
    return ask(server, a, b, **params).json


def answered(server, where):
    return server.answer(where).json


def refused(server, a, b, **params):
    reply = server.get("/v1/compare", a=a, b=b, **params)
    assert reply.status >= 400, reply.text
    return reply.status, {(error["parameter"], error["code"]): error["detail"]
                          for error in reply.json.get("errors", [])}, reply.json["detail"]


def exact(reply):
    """Numbers as they are written."""
    return json.loads(reply.body, parse_float=decimal.Decimal, parse_int=decimal.Decimal)


def line_sums(answer):
    sums = {}
    for line in answer["line_items"]:
        figure = line.get("value")
        figure = line["amount"] if figure is None else figure
        key = (line.get("side"), line["group"], line["key"])
        sums[key] = sums.get(key, 0) + figure
    return sums


# --- the way from a to b

@pytest.mark.parametrize("path, a, b", PAIRS)
def test_the_steps_lead_from_a_to_b(server, path, a, b):
    answer = compared(server, address(path, **a), address(path, **b))
    first, second = (answered(server, address(path, **each)) for each in (a, b))
    assert (answer["a"], answer["b"]) == (first[answer["figure"]], second[answer["figure"]])
    values = [answer["a"], *(step["after"] for step in answer["why"])]
    assert [step["before"] for step in answer["why"]] == values[:-1]
    assert values[-1] == answer["b"]
    assert [step["step"] for step in answer["why"]] == list(range(1, len(values)))
    assert {step["kind"] for step in answer["why"]} <= KINDS
    assert all(step["sentence"] for step in answer["why"])


@pytest.mark.parametrize("path, a, b", PAIRS)
def test_the_effects_add_up_to_the_difference(server, path, a, b):
    answer = exact(ask(server, address(path, **a), address(path, **b)))
    assert answer["difference"] == answer["b"] - answer["a"]
    assert sum(step["effect"] for step in answer["why"]) == answer["difference"]
    assert sum(answer[part] for part in PARTS) == answer["difference"]
    for kind, part in zip(("price", "assumption", "input"), PARTS):
        assert sum(step["effect"] for step in answer["why"] if step["kind"] == kind) == answer[part]
    most = max(answer["why"], key=lambda step: abs(step["effect"]))
    if most["effect"]:
        assert abs(answer["main_effect"]) == abs(most["effect"])


def test_a_step_is_the_question_with_that_input_changed(server):
    a, b = dict(gpu="l4", utilization=0.4), dict(gpu="l4", utilization=0.8, gpu_count=24, pue=1.8)
    answer = compared(server, address(BUY, **a), address(BUY, **b), figure="buy_total_cost")
    asked = dict(a)
    for step in answer["why"]:
        assert step["before"] == answered(server, address(BUY, **asked))["buy_total_cost"]
        asked[step["name"]] = b[step["name"]]
        assert step["after"] == answered(server, address(BUY, **asked))["buy_total_cost"]
    assert {step["name"]: step["kind"] for step in answer["why"]} == {
        "gpu_count": "input", "utilization": "input", "pue": "assumption"}


def test_random_scenarios_add_up(server):
    draw = random.Random(5)
    ranges = {"gpu_count": (1, 64), "horizon_months": (1, 60), "rent_price_per_gpu_hour": (1, 9),
              "electricity_price_per_kwh": (0.05, 0.5), "pue": (1, 2), "cost_of_capital": (0, 0.2)}
    whole = ("gpu_count", "horizon_months")

    def scenario():
        names = draw.sample(sorted(ranges), draw.randint(0, len(ranges)))
        return dict(gpu=draw.choice(["l4", "h100-sxm5-80gb"]), utilization=draw.randint(1, 100) / 100) | {
            name: draw.randint(*ranges[name]) if name in whole else round(draw.uniform(*ranges[name]), 4)
            for name in names}
    for _ in range(100):
        reply = exact(ask(server, address(BUY, **scenario()), address(BUY, **scenario()),
                          figure="buy_saving"))
        assert sum(step["effect"] for step in reply["why"]) == reply["difference"], reply["inputs"]


def test_another_day_is_a_change_of_prices(server):
    """Nothing is asked differently: all of the difference is from the price, which is named."""
    a, b = (address(BUY, gpu="h100-sxm5-80gb", utilization=0.7, purchase_option="on_demand", as_of=day) for day in (OLD, DAY))
    answer = compared(server, a, b)
    [step] = answer["why"]
    assert (step["kind"], step["name"], step["from"], step["to"]) == ("price", "as_of", OLD, DAY)
    assert step["effect"] == answer["moved_by_price"] == answer["difference"] != 0
    before, after = (answered(server, each)["inputs"]["rent_price_per_gpu_hour"]["value"] for each in (a, b))
    assert before != after and f"rent_price_per_gpu_hour {before:g} to {after:g}" in step["sentence"]
    assert (answer["as_of_a"], answer["as_of_b"], answer["main_cause"]) == (OLD, DAY, "as_of")


def test_a_day_that_changes_no_price_in_use_moves_nothing(server):
    asked = dict(gpu="h100-sxm5-80gb", utilization=0.7, rent_price_per_gpu_hour=3,
                 server_price=3e5, spot_price_per_gpu_hour=2)
    answer = compared(server, *(address(BUY, **asked, as_of=day) for day in (OLD, DAY)))
    assert [step["effect"] for step in answer["why"]] == [0]
    assert "none of those in use" in answer["why"][0]["sentence"]


def test_a_price_that_is_given_is_a_price(server):
    asked = dict(gpu="h100-sxm5-80gb", utilization=0.7, as_of=DAY)
    answer = compared(server, address(BUY, **asked), address(BUY, **asked, rent_price_per_gpu_hour=6))
    assert [(step["kind"], step["name"]) for step in answer["why"]] == [("price", "rent_price_per_gpu_hour")]
    [row] = [row for row in answer["differing_inputs"] if row["name"] == "rent_price_per_gpu_hour"]
    assert (row["source_a"], row["source_b"], row["b"]) == ("catalog", "request", "6")


def test_what_cannot_be_changed_alone_is_changed_together(server):
    """A model and a number of parameters exclude each other, and one is needed."""
    common = dict(gpu="a100-sxm4-80gb", tokens=1e11, gpu_count=16)
    answer = compared(server, address(TRAIN, **common, model="llama-2-7b"),
                      address(TRAIN, **common, parameters=13e9))
    [step] = answer["why"]
    assert (step["name"], step["from"], step["to"]) == ("model,parameters", "llama-2-7b, none",
                                                        "none, 13000000000")


def test_what_cannot_be_changed_yet_waits(server):
    """Four GPUs cannot share layers eight ways: the sharing changes first."""
    common = dict(model="llama-2-7b", gpu="a100-sxm4-80gb", tokens=1e11)
    answer = compared(server, address(TRAIN, **common, gpu_count=8, gpus_per_node=8, tensor_parallel=8),
                      address(TRAIN, **common, gpu_count=4, gpus_per_node=4, tensor_parallel=4))
    assert [step["name"] for step in answer["why"]] == ["gpus_per_node", "tensor_parallel",
                                                          "gpu_count"]


# --- side by side

def test_identical_answers_differ_in_nothing(server):
    for path, asked in QUESTIONS.items():
        where = address(path, **asked[0])
        answer = compared(server, where, where)
        assert answer["difference"] == 0
        assert answer["line_items"] == answer["why"] == answer["differing_inputs"] == []
        assert all(row["difference"] in (0, None) for row in answer["figures"])
        assert all(row["text_a"] == row["text_b"] for row in answer["figures"])
        assert answer["main_cause"] is None and "in both" in answer["summary"]


def test_a_default_said_outright_differs_in_nothing(server):
    asked = dict(gpu="l4", utilization=0.5)
    pue = answered(server, address(BUY, **asked))["inputs"]["pue"]["value"]
    answer = compared(server, address(BUY, **asked), address(BUY, **asked, pue=pue))
    assert answer["why"] == answer["differing_inputs"] == [] and answer["difference"] == 0


@pytest.mark.parametrize("path, a, b", PAIRS)
def test_turned_round_the_differences_change_sign(server, path, a, b):
    a, b = address(path, **a), address(path, **b)
    one, other = compared(server, a, b), compared(server, b, a)
    assert other["difference"] == -one["difference"]
    for table, keys in (("figures", ("key",)), ("line_items", ("side", "group", "key"))):
        turned = {tuple(row[key] for key in keys): row for row in other[table]}
        assert len(turned) == len(other[table]) == len(one[table])
        for row in one[table]:
            back = turned[tuple(row[key] for key in keys)]
            assert (back["a"], back["b"]) == (row["b"], row["a"])
            assert back["difference"] == (None if row["difference"] is None else -row["difference"])


@pytest.mark.parametrize("path, a, b", PAIRS)
def test_figures_are_those_of_both_answers(server, path, a, b):
    rows = {row["key"]: row for row in compared(server, address(path, **a), address(path, **b))["figures"]}
    for side, asked in (("a", a), ("b", b)):
        answer = answered(server, address(path, **asked))
        for name, row in rows.items():
            value = answer[name]
            if isinstance(value, (str, bool)):
                assert row[f"text_{side}"] == (str(value).lower() if isinstance(value, bool) else value)
            else:
                assert row[side] == value, name


@pytest.mark.parametrize("path, a, b", PAIRS)
def test_lines_are_those_of_both_answers(server, path, a, b):
    rows = compared(server, address(path, **a), address(path, **b))["line_items"]
    first, second = (line_sums(answered(server, address(path, **each))) for each in (a, b))
    shown = {(row["side"], row["group"], row["key"]): row for row in rows}
    for key in first.keys() | second.keys():
        difference = second.get(key, 0) - first.get(key, 0)
        row = shown.pop(key, {"difference": 0, "a": first.get(key), "b": second.get(key)})
        assert row["difference"] == pytest.approx(difference, rel=1e-9, abs=1e-9), key
        assert (row["a"], row["b"]) == (first.get(key), second.get(key)), key
    assert not shown


def test_lines_of_money_come_first_and_the_largest_first(server):
    path, (a, b, *_) = TRAIN, QUESTIONS[TRAIN]
    rows = compared(server, address(path, **a), address(path, **b))["line_items"]
    units = [unit for unit, _ in itertools.groupby(row["unit"] for row in rows)]
    assert units[0] == "USD" and len(units) == len(set(units)) == 3
    for unit in units:
        sizes = [abs(row["difference"]) for row in rows if row["unit"] == unit]
        assert sizes == sorted(sizes, reverse=True) and 0 not in sizes


def test_the_ledger_adds_up_to_the_difference_of_its_total(server):
    a, b, *_ = QUESTIONS[BUY][1:]
    answer = exact(ask(server, address(BUY, **a), address(BUY, **b), figure="buy_total_cost"))
    assert sum(row["difference"] for row in answer["line_items"] if row["side"] == "buy") == answer["difference"]


def test_inputs_in_force_that_differ_are_shown(server):
    a, b = dict(gpu="l4", utilization=0.5), dict(gpu="l4", utilization=0.5, pue=1.1, as_of=OLD)
    first, second = (answered(server, address(BUY, **each))["inputs"] for each in (a, b))
    rows = {row["name"]: row for row in compared(server, address(BUY, **a), address(BUY, **b))["differing_inputs"]}
    assert set(rows) == {name for name in first if first[name]["value"] != second[name]["value"]} | {"as_of"}
    assert (rows["pue"]["source_a"], rows["pue"]["source_b"]) == ("default", "request")
    assert float(rows["pue"]["a"]) == first["pue"]["value"] and rows["pue"]["b"] == "1.1"
    assert (rows["as_of"]["b"], rows["as_of"]["source_b"]) == (OLD, "request")


# --- the figure

def test_the_figure_taken_is_one_that_both_have(server):
    never, soon = (address(BUY, gpu="h100-sxm5-80gb", utilization=0.9, as_of=DAY,
                           rent_price_per_gpu_hour=price) for price in (1, 9))
    assert compared(server, soon, soon)["figure"] == "buy_saving"
    assert compared(server, never, soon)["figure"] == "buy_saving"


def test_a_figure_unknown_on_one_side_is_not_taken_apart(server):
    never, soon = (address(BUY, gpu="h100-sxm5-80gb", utilization=0.9, as_of=DAY,
                           rent_price_per_gpu_hour=price) for price in (1, 9))
    answer = compared(server, never, soon, figure="break_even_months")
    assert answer["difference"] is None and answer["why"] == []
    assert [answer[part] for part in PARTS] == [None] * 3
    [warning] = [each for each in answer["warnings"] if each["code"] == "unknown_figure"]
    assert "unknown in a," in warning["detail"]


@pytest.mark.parametrize("figure", ["total_kost", "recompute", "fits"])
def test_a_figure_that_is_no_number_of_the_answer_is_refused(server, figure):
    where = address(TRAIN, **QUESTIONS[TRAIN][0])
    status, errors, _ = refused(server, where, where, figure=figure)
    assert status == 400 and set(errors) == {("figure", "unknown_name")}


# --- addresses

def test_line_items_and_formats_are_the_same_answer(server):
    a = address(BUY, gpu="l4", utilization=0.5)
    other = address(BUY + "/line-items.csv", gpu="l4", utilization=0.5, dialect="excel-eu")
    assert compared(server, a, other)["figures"] == compared(server, a, a)["figures"]


def test_two_gpus_side_by_side(server):
    """R5: every figure of both, and how many times the one is the other."""
    a, b = "/v1/gpus/a100-sxm4-80gb", "/v1/gpus/h100-sxm5-80gb"
    alone = {name: answered(server, name) for name in (a, b)}
    answer = compared(server, a, b, figure="memory_bandwidth_gb_per_second")
    figures = {row["key"]: row for row in answer["figures"]}
    for key in ("memory_bandwidth_gb_per_second", "peak_bf16_dense_tflops", "link_unidirectional_gb_per_second",
                "link_over_pcie_ratio", "tdp_w", "on_demand_price_per_gpu_hour"):
        assert (figures[key]["a"], figures[key]["b"]) == (alone[a][key], alone[b][key])
        assert figures[key]["ratio"] == pytest.approx(alone[b][key] / alone[a][key], rel=1e-5)
    step, = answer["why"]
    assert (step["name"], step["from"], step["to"]) == ("gpu", "a100-sxm4-80gb", "h100-sxm5-80gb")
    assert step["effect"] == answer["difference"] == 3350 - 2039 and answer["main_cause"] == "gpu"
    same = compared(server, a, a)
    assert same["difference"] == 0 and same["why"] == []
    answered(server, answer["links"]["a"]), answered(server, answer["links"]["b"])


def test_a_gpu_is_compared_under_other_prices_too(server):
    answer = compared(server, "/v1/gpus/h100-sxm5-80gb?price=20000", "/v1/gpus/h200-sxm5-141gb?price=30000",
                      figure="bandwidth_gb_per_second_per_1000_usd")
    assert [step["name"] for step in answer["why"]] == ["gpu", "price"]
    assert sum(step["effect"] for step in answer["why"]) == pytest.approx(answer["difference"])
    status, errors, _ = refused(server, "/v1/gpus/h100-sxm5-80gb", "/v1/gpus/h1000")
    assert status in (400, 404), errors


def test_a_link_is_held_against_pcie(server):
    h100, l4 = answered(server, "/v1/gpus/h100-sxm5-80gb"), answered(server, "/v1/gpus/l4")
    assert h100["link_over_pcie_ratio"] == pytest.approx(450 / h100["pcie_unidirectional_gb_per_second"], rel=1e-5)
    assert l4["link_over_pcie_ratio"] is None, "a card without a link"


@pytest.mark.parametrize("wrong, code", [
    ("", "missing_parameter"), ("hello", "not_an_address"), ("http://example.com/v1/break-even", "not_an_address"),
    ("/break-even?gpu=l4", "not_an_address"), ("/v1/break-evne?gpu=l4", "unknown_path"),
    ("/v1/gpus", "not_comparable"), ("/v1/training-plan/options?model=gpt2", "not_comparable"),
    ("/v1/compare?a=/v1/break-even&b=/v1/break-even", "not_comparable"),
    ("/v1/training-plan?model=gpt2&gpu=t4&tokens=1e9", "contradiction"),
    ("/v1/break-even", "missing_parameter"), ("/v1/break-even?gpu=l44&utilization=1", "unknown_name"),
    ("/v1/break-even?gpu=l4&utilization=3", "out_of_range"), ("/v1/break-even?gpu=l4&utilisation=1", "unknown_parameter"),
    ("/v1/break-even?gpu=l4&utilization=1&as_of=2999-01-01", "out_of_range"),
    ("/v1/break-even?gpu=l4&utilization=1&model_version=0.9", "unknown_version"),
])
def test_an_address_that_will_not_do_is_said_to_be_b(server, wrong, code):
    status, errors, _ = refused(server, address(BUY, gpu="l4", utilization=0.5), wrong)
    assert status == 400 and ("b", code) in errors and {name for name, _ in errors} == {"b"}


def test_both_addresses_are_found_fault_with(server):
    status, errors, _ = refused(server, "/v1/break-even?gpu=l4&utilization=3", "/v1/nothing")
    assert status == 400 and set(errors) == {("a", "out_of_range"), ("b", "unknown_path")}
    assert errors["a", "out_of_range"].startswith("utilization: ")


def test_what_has_no_answer_says_which_of_the_two(server):
    asked = dict(gpu="t4", model="llama-3.1-405b", requests_per_minute=10, latency_p95_seconds=0.01)
    status, _, detail = refused(server, address(SERVE, **QUESTIONS[SERVE][0]), address(SERVE, **asked))
    assert status == 422 and detail.startswith("b: ")


def test_a_body_asks_the_same(server):
    asked = {"a": address(BUY, gpu="l4", utilization=0.5), "b": address(BUY, gpu="l4", utilization=0.9)}
    reply = server.post("/v1/compare", asked)
    assert reply.status == 200 and reply.json["why"] == compared(server, **asked)["why"]
    reply = server.post("/v1/compare", asked | {"b": "/v1/nothing"})
    assert reply.status == 400 and reply.json["errors"][0]["pointer"] == "#/b"


def test_an_address_has_an_end(server):
    where = address(BUY, gpu="l4", utilization=0.5)
    reply = server.post("/v1/compare", {"a": where, "b": where + "&" * (8192 - len(where))})
    assert reply.status == 200, reply.text
    reply = server.post("/v1/compare", {"a": where, "b": where + "&" * (8193 - len(where))})
    assert reply.status == 400 and reply.json["errors"][0]["code"] == "too_long"
    assert server.get("/v1/compare", a=where, b=where + "&" * 8192).status == 414


# --- formats

def test_tables_are_sheets(server):
    a, b = (address(BUY, **each) for each in QUESTIONS[BUY][:2])
    whole = compared(server, a, b)
    for name, path in (("figures", "/figures"), ("differing_inputs", "/differing-inputs"),
                       ("line_items", "/line-items"), ("why", "/why")):
        rows = list(csv.DictReader(io.StringIO(ask(server, a, b, path + ".csv").text)))
        assert len(rows) == len(whole[name]) > 0 and list(rows[0]) == list(whole[name][0])
    rows = list(csv.DictReader(io.StringIO(ask(server, a, b, "/line-items.csv").text)))
    assert [float(row["difference"]) for row in rows] == [row["difference"] for row in whole["line_items"]]
    root = xml.etree.ElementTree.fromstring(ask(server, a, b, ".xml").text)
    assert len(root.findall(".//step")) >= len(whole["why"])
    assert float(ask(server, a, b, ".txt").text) == whole["difference"]


def test_money_is_told_to_the_cent(server):
    """An amount of millions keeps its cents, also in a difference."""
    a, b = (address(BUY, gpu="h100-sxm5-80gb", utilization=0.7, gpu_count=n, as_of=DAY) for n in (512, 513))
    answer = exact(ask(server, a, b, figure="rent_total_cost"))
    assert answer["a"] > 10**7 and answer["difference"] == answer["b"] - answer["a"]
    assert answer["a"] == exact(server.get(a))["rent_total_cost"]


# --- pinned answers

def test_both_links_are_pinned_and_lead_to_the_same(server):
    a = address(BUY, gpu="h100-sxm5-80gb", utilization=0.7)
    b = address(BUY, gpu="h100-sxm5-80gb", utilization=0.7, as_of=OLD)
    answer = compared(server, a, b)
    assert f"as_of={answer['as_of']}" in answer["links"]["a"] and f"as_of={OLD}" in answer["links"]["b"]
    assert answer["links"]["b"].count("as_of") == 1
    for name in "ab":
        assert "model_version=1.4" in answer["links"][name]
        assert answered(server, answer["links"][name])[answer["figure"]] == answer[name]
    assert compared(server, answer["links"]["a"], answer["links"]["b"])["why"] == answer["why"]


def test_the_day_of_the_request_holds_where_an_address_says_none(server):
    a = address(BUY, gpu="h100-sxm5-80gb", utilization=0.7)
    reply = ask(server, a, a + f"&as_of={DAY}", as_of=OLD)
    assert (reply.json["as_of_a"], reply.json["as_of_b"]) == (OLD, DAY)
    assert "max-age=86400," in reply.headers["Cache-Control"]
    assert "max-age=300," in ask(server, a + f"&as_of={OLD}", a + f"&as_of={DAY}").headers["Cache-Control"]


PINNED = ["/v1/gpus?limit=3", "/v1/offers?gpu=t4", "/v1/price-summary?limit=3", "/v1/hardware?limit=3",
          address(TRAIN, **QUESTIONS[TRAIN][1]), address(SERVE, **QUESTIONS[SERVE][1]),
          address(BUY, **QUESTIONS[BUY][2]), address(BUY + "/line-items", **QUESTIONS[BUY][2]),
          address(TRAIN + "/options", model="gpt2", tokens=1e9),
          address(TRAIN + "/sensitivity", **QUESTIONS[TRAIN][1])]


@pytest.mark.parametrize("where", PINNED)
def test_every_answer_links_to_itself_pinned(server, where):
    reply = server.get(where)
    link = reply.json["links"]["self"]
    assert f"as_of={reply.json['as_of']}" in link and "model_version=1.4" in link
    again = server.get(link)
    for answer in (again.json, reply.json):
        answer.pop("links")
    assert again.status == 200 and again.json == reply.json
    past = server.get(link.replace(reply.json["as_of"], OLD))
    assert "max-age=86400," in past.headers["Cache-Control"] and past.json["as_of"] == OLD


@pytest.mark.parametrize("where", PINNED)
def test_another_version_of_the_formulas_is_refused(server, where):
    reply = server.get(where + "&model_version=0.9")
    assert reply.status == 400
    [error] = reply.json["errors"]
    assert (error["parameter"], error["code"]) == ("model_version", "unknown_version")
    assert "1.4" in error["detail"]


def test_new_prices_leave_a_pinned_answer_as_it_was(pair):
    database, server = pair
    floating = address(BUY, gpu="h100-sxm5-80gb", utilization=0.7)
    pinned = floating + f"&as_of={DAY}"
    before, then = server.get(floating).json, server.get(pinned).json
    database.query("""select record_offer(provider, instance, region, gpu, gpu_count, purchase_option,
                          0.5 * gpu_count, source) from offer
                      where gpu = 'h100-sxm5-80gb' and purchase_option = 'on_demand' and valid_until is null
                          and usable""")
    wait_for(lambda: server.get(floating).json["rent_total_cost"] < before["rent_total_cost"], "the new prices")
    now = server.get(pinned).json
    assert now.pop("catalog_version") != then.pop("catalog_version")
    assert now == then
    answer = compared(server, pinned, floating)
    assert [step["kind"] for step in answer["why"]] == ["price"]
    assert answer["moved_by_price"] == answer["difference"]
