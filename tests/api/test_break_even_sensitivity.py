"""What turns buying into renting: over one input, over two, each in turn, and as pictures."""
import csv
import io
import random
import re
import xml.etree.ElementTree

import pytest

from openapi import inlined

SVG = "{http://www.w3.org/2000/svg}"
# Renting is cheaper, and the curves cross within the search.
BASE = dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.7, rent_price_per_gpu_hour=4.5,
            horizon_months=36, server_price=300000, rent_price_decline_ratio=0, housing="colocation")
FIGURES = ("buy_saving", "break_even_months", "break_even_rent_price_per_gpu_hour")


def ask(server, path="", **params):
    return server.answer(f"/v1/break-even{path}", **params)


def single(server, **params):
    return ask(server, **params).json


def sensitivity(server, **params):
    return ask(server, "/sensitivity", **params).json


def effects(server, **params):
    return {row["input"]: row for row in sensitivity(server, **params)["effects"]}


def refused(server, **params):
    return server.refusals("/v1/break-even/sensitivity", **params)


def drawing(server, path, **params):
    reply = ask(server, path, **params)
    assert reply.headers["Content-Type"].startswith("image/svg+xml")
    return xml.etree.ElementTree.fromstring(reply.text)


# --- one input varied

@pytest.mark.parametrize("vary, start, end, step, n", [
    ("utilization", 0.1, 1, 0.15, 7),
    ("rent_price_per_gpu_hour", 2, 8, 1.5, 5),
    ("server_price", 100000, 400000, 100000, 4),
    ("horizon_months", 12, 60, 12, 5),
    ("electricity_price_per_kwh", 0, 0.5, 0.1, 6),
    ("egress_tb_per_month", 0, 200, 100, 3),
    ("gpu_count", 8, 24, 8, 3),
])
def test_each_point_is_the_answer_at_that_value(server, vary, start, end, step, n):
    answer = sensitivity(server, **BASE, vary=vary, **{"from": start}, to=end, step=step)
    assert len(answer["points"]) == n
    assert {"verdict", "break_even_months", "break_even_status", "buy_total_cost",
            "rent_total_cost", "buy_saving"} <= set(answer["points"][0])
    assert answer["points"][0]["value"] == start and answer["points"][-1]["value"] == end
    for point in answer["points"]:
        alone = single(server, **(BASE | {vary: point["value"]}))
        for name in set(point) - {"value", "note"}:
            assert point[name] == alone[name], (name, point["value"])
        assert point["note"] is None


def test_the_headline_is_the_answer_as_it_stands(server):
    answer, alone = sensitivity(server, **BASE, vary="utilization"), single(server, **BASE)
    assert (answer["vary"], answer["value"], answer["vary_2"]) == ("utilization", 0.7, None)
    for name in ("verdict", "buy_saving", "buy_total_cost", "rent_total_cost", "break_even_months"):
        assert answer[name] == alone[name], name
    assert answer["warnings"] == alone["warnings"]
    for name, each in alone["inputs"].items():
        assert answer["inputs"][name] == each, name


# --- the turning point

@pytest.mark.parametrize("change, vary", [
    ({}, "rent_price_per_gpu_hour"),
    ({}, "utilization"),
    ({}, "server_price"),
    ({}, "staff_fte"),
    ({}, "cost_of_capital"),
    ({}, "annual_value_retention"),
    ({}, "rental_overhead_ratio"),
    ({}, "egress_tb_per_month"),
    ({"rent_price_per_gpu_hour": 9}, "electricity_price_per_kwh"),
    ({"rent_price_per_gpu_hour": 9}, "colocation_price_per_kw_month"),
    ({"rent_price_per_gpu_hour": 9}, "rent_price_decline_ratio"),
    ({"rent_price_per_gpu_hour": 9}, "tax_rate"),
    ({"rent_price_per_gpu_hour": 0.01}, "rent_price_per_gpu_hour"),
    ({"purchase_option": "reserved_1yr"}, "rent_price_per_gpu_hour"),
])
def test_the_verdict_flips_at_the_turning_point(server, change, vary):
    asked = BASE | change
    answer = sensitivity(server, **asked, vary=vary)
    now, point = answer["verdict"], answer["turning_point"]
    assert answer["turning_point_status"] == "reached"
    if vary == "egress_tb_per_month":
        assert "changed_by_being_given" in {each["code"] for each in answer["warnings"]}
        now = single(server, **(asked | {vary: answer["value"]}))["verdict"]
    assert answer["turning_verdict"] == {"buy": "rent", "rent": "buy"}[now]
    sides = {single(server, **(asked | {vary: point + step}))["verdict"] for step in (-1e-3, 1e-3)}
    assert sides == {"buy", "rent"}
    between = 1 if point > answer["value"] else -1
    assert single(server, **(asked | {vary: point + between * 1e-3}))["verdict"] != now


def test_random_turning_points_are_right_to_six_digits(server):
    draw = random.Random(5)
    reached = 0
    for _ in range(60):
        vary = draw.choice(["utilization", "rent_price_per_gpu_hour", "server_price", "staff_fte",
                            "rent_price_decline_ratio", "annual_value_retention", "tax_rate"])
        asked = BASE | dict(gpu=draw.choice(["h100-sxm5-80gb", "a100-sxm4-80gb", "l40s"]),
                            gpu_count=draw.choice([4, 8, 64]), horizon_months=draw.randrange(6, 80),
                            utilization=round(draw.uniform(0.05, 1), 3),
                            rent_price_per_gpu_hour=round(draw.uniform(0.5, 9), 2),
                            server_price=draw.randrange(50000, 500000))
        answer = sensitivity(server, **asked, vary=vary)
        point = answer["turning_point"]
        assert (point is None) == (answer["turning_point_status"] != "reached")
        if point is None:
            continue
        reached += 1
        step = 1e-6 * max(1, point)
        verdicts = {single(server, **(asked | {vary: point + side * step}))["verdict"]
                    for side in (-1, 1)}
        assert verdicts == {"buy", "rent"}, (vary, asked)
    assert reached > 15


def test_the_known_thresholds_are_turning_points(server):
    alone = single(server, **BASE)
    rent = sensitivity(server, **BASE, vary="rent_price_per_gpu_hour")
    assert rent["turning_point"] == pytest.approx(alone["break_even_rent_price_per_gpu_hour"],
                                                  abs=2e-6)
    used = sensitivity(server, **BASE, vary="utilization")
    assert used["turning_point"] == pytest.approx(alone["break_even_utilization"], abs=6e-5)
    assert rent["turning_count"] == used["turning_count"] == 1


def test_a_turn_beyond_the_values_asked_for_is_found(server):
    near = sensitivity(server, **BASE, vary="server_price")
    far = sensitivity(server, **BASE, vary="server_price", **{"from": 1e6}, to=2e6)
    assert {point["verdict"] for point in far["points"]} == {"rent"}
    assert far["turning_point"] == pytest.approx(near["turning_point"], abs=1e-3)


def test_a_whole_number_turns_at_a_whole_number(server):
    asked = BASE | dict(rent_price_per_gpu_hour=6)
    answer = sensitivity(server, **asked, vary="horizon_months")
    point = answer["turning_point"]
    assert answer["turning_point_status"] == "reached" and point == round(point)
    back = -1 if point > 36 else 1
    verdicts = [single(server, **(asked | dict(horizon_months=int(months))))["verdict"]
                for months in (point, point + back)]
    assert verdicts == [answer["turning_verdict"], answer["verdict"]]


def test_without_a_turn_it_says_so(server):
    cheap = sensitivity(server, **(BASE | dict(rent_price_per_gpu_hour=0.5)), vary="utilization")
    assert cheap["turning_point"] is None
    assert cheap["turning_point_status"] == "rent_cheaper_throughout"
    dear = sensitivity(server, **(BASE | dict(rent_price_per_gpu_hour=90)), vary="pue")
    assert dear["turning_point_status"] == "buy_cheaper_throughout"
    unpriced = BASE | dict(region="nowhere")
    del unpriced["rent_price_per_gpu_hour"]
    unknown = sensitivity(server, **unpriced, vary="utilization")
    assert unknown["turning_point_status"] == "unknown" and unknown["turning_point"] is None


def test_one_value_is_the_turning_point(server):
    asked = BASE | dict(vary="rent_price_per_gpu_hour")
    assert float(ask(server, "/sensitivity.txt", **asked).text) == sensitivity(
        server, **asked)["turning_point"]


# --- two inputs varied

def test_each_cell_is_the_answer_at_those_values(server):
    asked = BASE | {"vary": "utilization", "from": 0.2, "to": 1, "step": 0.4,
                    "vary_2": "rent_price_per_gpu_hour", "from_2": 2, "to_2": 8, "step_2": 3}
    answer = sensitivity(server, **asked)
    pairs = [(cell["value"], cell["value_2"]) for cell in answer["cells"]]
    assert pairs == [(x, y) for x in (0.2, 0.6, 1) for y in (2, 5, 8)]
    assert {cell["verdict"] for cell in answer["cells"]} == {"buy", "rent"}
    for cell in answer["cells"]:
        alone = single(server, **(BASE | dict(utilization=cell["value"],
                                              rent_price_per_gpu_hour=cell["value_2"])))
        for name in ("buy_saving", "verdict", "break_even_months"):
            assert cell[name] == alone[name], (name, cell)
        assert cell["figure"] == alone["buy_saving"]
    assert (answer["vary_2"], answer["value_2"]) == ("rent_price_per_gpu_hour", 4.5)
    assert "points" not in answer or not answer["points"]
    sheet = list(csv.DictReader(io.StringIO(ask(server, "/sensitivity.csv", **asked).text)))
    assert [float(row["buy_saving"]) for row in sheet] == [
        cell["buy_saving"] for cell in answer["cells"]]
    assert list(sheet[0])[:5] == ["value", "value_2", "buy_saving", "verdict", "break_even_months"]


def test_any_figure_can_be_asked_of_the_cells(server):
    asked = BASE | dict(vary="pue", vary_2="staff_fte", step=1, step_2=0.2)
    answer = sensitivity(server, **asked, figure="buy_cost_per_useful_gpu_hour")
    for cell in answer["cells"]:
        alone = single(server, **(BASE | dict(pue=cell["value"], staff_fte=cell["value_2"])))
        assert cell["figure"] == alone["buy_cost_per_useful_gpu_hour"]


def test_a_cell_without_an_answer_says_why(server):
    answer = sensitivity(server, **BASE, vary="idle_power_ratio", vary_2="power_load_ratio",
                         **{"from": 0.2, "to": 0.6, "step": 0.4, "from_2": 0.4, "to_2": 0.8,
                            "step_2": 0.4})
    verdicts = [cell["verdict"] is None for cell in answer["cells"]]
    assert verdicts == [False, False, True, False]
    assert "idle_power_ratio" in answer["cells"][2]["note"]


def test_the_volume_where_a_hosted_api_turns_can_be_asked_of_the_cells(server):
    """It takes a search of its own, which the other figures do without."""
    service = {"gpu": "h100-sxm5-80gb", "model": "llama-3.1-70b", "requests_per_minute": 600}
    asked = service | {"vary": "pue", "from": 1.2, "to": 1.4, "step": 0.2, "vary_2": "horizon_months", "from_2": 24,
                       "to_2": 36, "step_2": 12}
    for figure in ("break_even_tokens_per_day", "hosted_until_tokens_per_month"):
        for cell in sensitivity(server, **asked, figure=figure)["cells"]:
            own = server.get("/v1/break-even", **service, pue=cell["value"], horizon_months=cell["value_2"]).json
            assert own[figure] and cell["figure"] == pytest.approx(own[figure], rel=1e-5), (figure, cell)


def test_the_other_questions_have_two_way_tables_too(server):
    plan = dict(model="gpt2", gpu="a100-sxm4-80gb", tokens=1e9, gpu_count=8)
    reply = server.get("/v1/training-plan/sensitivity", **plan, vary="tokens",
                       vary_2="price_per_gpu_hour", step=1e9, step_2=2, to_2=4, from_2=2)
    assert reply.status == 200, reply.text
    for cell in reply.json["cells"]:
        alone = server.get("/v1/training-plan", **(plan | dict(
            tokens=cell["value"], price_per_gpu_hour=cell["value_2"]))).json
        assert (cell["total_cost"], cell["days"]) == (alone["total_cost"], alone["days"])
    load = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", requests_per_minute=100)
    reply = server.get("/v1/inference-sizing/sensitivity", **load, vary="requests_per_minute",
                       vary_2="output_tokens", step=100, step_2=100, figure="gpu_count")
    assert reply.status == 200, reply.text
    for cell in reply.json["cells"]:
        alone = server.get("/v1/inference-sizing", **(load | dict(
            requests_per_minute=cell["value"], output_tokens=int(cell["value_2"])))).json
        assert cell["cost_per_hour"] == alone["cost_per_hour"]
        assert cell["figure"] == alone["gpu_count"]


# --- each input moved in turn

def test_both_ends_of_each_bar_are_the_answer_there(server):
    answer = sensitivity(server, **BASE)
    overhead = answer["inputs"]["rental_overhead_ratio"]["value"]
    rows = {row["input"]: row for row in answer["effects"]}
    assert {"rent_price_per_gpu_hour", "utilization", "horizon_months", "server_price", "staff_fte",
            "electricity_price_per_kwh", "annual_value_retention"} <= set(rows)
    for name, row in rows.items():
        assert row["low"] <= row["value"] <= row["high"], name
        for end in ("low", "high"):
            held = BASE | dict(rental_overhead_ratio=overhead) | {name: row[end]}
            alone = single(server, **held)
            for figure in FIGURES:
                assert row[f"{figure}_at_{end}"] == alone[figure], (name, figure)
            assert row[f"verdict_at_{end}"] == alone["verdict"]
        assert row["buy_saving_spread"] == pytest.approx(
            abs(row["buy_saving_at_high"] - row["buy_saving_at_low"]), abs=0.011)


def test_the_ends_are_those_of_the_assumption(server):
    rows = effects(server, **BASE)
    for name in ("staff_fte", "electricity_price_per_kwh", "cost_of_capital", "pue"):
        band, = [row for row in server.get("/v1/assumptions", key=name).json["rows"]
                 if not row["scope"]]
        assert (rows[name]["low"], rows[name]["high"]) == (band["low"], band["high"])
        assert rows[name]["basis"] == f"/v1/assumptions?key={name}"
    given = effects(server, **BASE, staff_fte=1)["staff_fte"]
    assert (given["low"], given["high"], given["basis"]) == (0.5, 2, "half and double")


def test_what_moves_the_saving_most_comes_first(server):
    spreads = [row["buy_saving_spread"] for row in sensitivity(server, **BASE)["effects"]]
    assert spreads == sorted(spreads, reverse=True) and spreads[0] > 0


@pytest.mark.parametrize("change, without, but_with", [
    ({"gpu_hours_per_month": 4000}, "utilization", "gpu_hours_per_month"),
    ({"residual_value": 90000}, "annual_value_retention", "residual_value"),
    ({"rent_price_per_gpu_hour": None, "purchase_option": "reserved_3yr", "gpu": "mi300x", "commitment_discount_ratio": 0.4},
     "rent_price_per_gpu_hour", "commitment_discount_ratio"),
    ({"server_price": None}, "gpu_card_price", "cost_of_capital"),
])
def test_what_cannot_be_moved_alone_is_left_out(server, change, without, but_with):
    asked = BASE | change
    if "gpu_hours_per_month" in change:
        del asked["utilization"]
    rows = effects(server, **{name: value for name, value in asked.items() if value is not None})
    assert without not in rows and but_with in rows


# --- pictures

def test_curves_bars_and_cells(server):
    asked = BASE | dict(vary="rent_price_per_gpu_hour")
    curve = drawing(server, "/sensitivity.svg", **asked)
    point = sensitivity(server, **asked)["turning_point"]
    assert curve.findtext(SVG + "title") == "Saving by buying, USD over rent per GPU-hour"
    assert f"{point:.6g}" in curve.findtext(SVG + "desc")
    assert len(curve.findall(SVG + "circle")) == 1
    bars = drawing(server, "/sensitivity.svg", **BASE)
    labels = {each["name"]: each["schema"].get("x-label") for each in inlined(
        server.get("/openapi.json").json)["paths"]["/v1/break-even"]["get"]["parameters"]}
    inputs = [labels[row["input"]] for row in sensitivity(server, **BASE)["effects"]]
    drawn = [text.text for text in bars.findall(SVG + "text") if text.get("text-anchor") == "end"]
    assert len(inputs) > 20 and drawn == inputs[:20]
    grid_asked = asked | dict(vary_2="utilization")
    grid = drawing(server, "/sensitivity.svg", **grid_asked)
    cells = sensitivity(server, **grid_asked)["cells"]
    drawn = [each for each in grid.findall(SVG + "rect") if "cell" in each.get("class")]
    assert len(drawn) == len(cells)
    for each, cell in zip(drawn, cells):
        assert each.get("class") == f"cell {'above' if cell['verdict'] == 'buy' else 'below'}"
        assert each.findtext(SVG + "title").endswith(f"{cell['buy_saving']:,.0f}" if abs(cell['buy_saving']) >= 1000 else f"{cell['buy_saving']:.6g}")


@pytest.mark.parametrize("rent", [4.5, 6, 7, 8.2, 9])
def test_the_series_shows_the_crossing(server, rent):
    asked = BASE | dict(rent_price_per_gpu_hour=rent, horizon_months=12, useful_life_months=36)
    months = single(server, **asked)["break_even_months"]
    picture = drawing(server, "/series.svg", **asked)
    curves = {name: [tuple(map(float, point.split(","))) for point in line.get("points").split()]
              for name, line in zip(("buy", "rent"), picture.findall(SVG + "polyline"))}
    ring, = picture.findall(SVG + "circle")
    x, y = float(ring.get("cx")), float(ring.get("cy"))
    left, right = curves["buy"][0][0], curves["buy"][-1][0]
    assert x == pytest.approx(left + (right - left) * months / (len(curves["buy"]) - 1), abs=0.2)
    for curve in curves.values():
        before = max(point for point in curve if point[0] <= x)
        after = min(point for point in curve if point[0] > x)
        part = (x - before[0]) / (after[0] - before[0])
        assert before[1] + part * (after[1] - before[1]) == pytest.approx(y, abs=0.15)
    words = [text.text for text in picture.findall(SVG + "text")]
    assert f"buy from month {months:.1f}" in words and "time frame" in words
    style = picture.findtext(SVG + "style")
    assert re.search(r"prefers-color-scheme:dark.*\.at\{", style)


def test_curves_that_do_not_cross_show_the_horizon_alone(server):
    picture = drawing(server, "/series.svg", **(BASE | dict(rent_price_per_gpu_hour=0.5)))
    assert not picture.findall(SVG + "circle")
    assert not [text for text in picture.findall(SVG + "text") if "from month" in text.text]


# --- what makes no sense

@pytest.mark.parametrize("change, culprit, code, says", [
    ({"vary": "rent_price"}, "vary", "unknown_name", "did you mean"),
    ({"vary": "financing"}, "vary", "not_a_number", ""),
    ({"vary": "utilization", "vary_2": "utilisation"}, "vary_2", "unknown_name", "utilization"),
    ({"vary": "utilization", "vary_2": "utilization"}, "vary_2", "contradiction", "another"),
    ({"vary_2": "utilization"}, "vary_2", "contradiction", "vary"),
    ({"from_2": 1}, "from_2", "contradiction", "vary_2"),
    ({"vary": "utilization", "step_2": 1}, "step_2", "contradiction", "vary_2"),
    ({"vary": "utilization", "to": 2}, "to", "out_of_range", "between 0 and 1"),
    ({"vary": "pue", "vary_2": "utilization", "to_2": 2}, "to_2", "out_of_range", "between 0 and 1"),
    ({"vary": "pue", "vary_2": "utilization", "from": 1, "to": 2, "step": 0.02, "from_2": 0,
      "to_2": 1, "step_2": 0.02}, "step_2", "too_many", "51 x 51 = 2601 cells, at most 2500"),
    ({"vary": "grid_carbon_kg_per_kwh"}, "from", "missing_parameter", ""),
    ({"figure": "buy_savings"}, "figure", "unknown_name", "buy_saving"),
    ({"vary": "utilization", "figure": "verdict"}, "figure", "unknown_name", ""),
])
def test_a_sensitivity_that_makes_no_sense_is_refused(server, change, culprit, code, says):
    errors = refused(server, **(BASE | change))
    assert errors[culprit]["code"] == code, errors
    assert says in errors[culprit]["detail"]


def test_the_largest_table_there_may_be(server):
    asked = BASE | {"vary": "pue", "vary_2": "utilization", "from": 1, "to": 1.98, "step": 0.02,
                    "from_2": 0, "to_2": 0.98, "step_2": 0.02}
    sheet = list(csv.reader(io.StringIO(ask(server, "/sensitivity.csv", **asked).text)))
    assert len(sheet) == 1 + 2500


@pytest.mark.parametrize("asked", [dict(gpu="h100-sxm5-80gb", gpu_count=16, utilization=0.6),
                                   dict(gpu="h100-sxm5-80gb", gpu_count=8, utilization=0.5)])
def test_the_ends_of_an_effect_are_what_the_question_answers_there(server, asked):
    """With the cheapest way to rent chosen at each end; only where the rent itself is moved it stays the same way."""
    rows = {row["input"]: row for row in sensitivity(server, **asked)["effects"]}
    for name in ("utilization", "horizon_months", "server_price", "cost_of_capital"):
        for end in ("low", "high"):
            there = single(server, **asked | {name: rows[name][end]})
            assert rows[name][f"verdict_at_{end}"] == there["verdict"], (name, end)
            assert rows[name][f"buy_saving_at_{end}"] == pytest.approx(there["buy_saving"], abs=0.02), (name, end)
    way = single(server, **asked)["inputs"]["purchase_option"]["value"]
    rent = rows["rent_price_per_gpu_hour"]
    there = single(server, **asked, purchase_option=way, rent_price_per_gpu_hour=rent["high"])
    assert rent["buy_saving_at_high"] == pytest.approx(there["buy_saving"], rel=1e-4)
