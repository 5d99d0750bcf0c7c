"""What moves the size of a service: one input varied, or each moved in turn."""
import csv
import io
import json
import pathlib
import xml.etree.ElementTree

import pytest

from openapi import labels_of

CONFIGS = pathlib.Path(__file__).parent / "hf-configs"
SVG = "{http://www.w3.org/2000/svg}"
BASE = dict(model="llama-2-70b", gpu="a100-sxm4-80gb", weight_dtype="fp16", input_tokens=512,
            output_tokens=200)
# A rate within a limit: GPUs and replicas are chosen anew wherever an input is moved.
LOADED = BASE | dict(requests_per_minute=1000, latency_p95_seconds=5,
                     input_tokens_cv=0, output_tokens_cv=0)
# A design that is given, and nobody said what it is to carry.
STATED = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", gpu_count=2, tensor_parallel=2)
FIGURES = ("cost_per_hour", "cost_per_million_output_tokens", "gpu_count",
           "time_per_output_token_seconds", "latency_p95_seconds_estimate")
ASKED_FOR = {"gpu_count", "replica_count", "fits", "meets_latency", "utilization",
             "time_per_output_token_seconds", "time_per_output_token_seconds_low",
             "time_per_output_token_seconds_high", "time_to_first_token_seconds",
             "latency_p95_seconds_estimate", "output_tokens_per_second", "cost_per_hour",
             "cost_per_million_tokens"}


def ask(server, path, **params):
    return server.answer(f"/v1/inference-sizing{path}", **params)


def sizing(server, **params):
    return ask(server, "", **params).json


def sensitivity(server, **params):
    return ask(server, "/sensitivity", **params).json


def effects(server, **params):
    return {row["input"]: row for row in sensitivity(server, **params)["effects"]}


def refused(server, path="/sensitivity", **params):
    reply = server.get(f"/v1/inference-sizing{path}", **params)
    assert reply.status >= 400, reply.text
    assert reply.headers["Content-Type"] == "application/problem+json"
    return reply.status, {error["parameter"]: error for error in reply.json.get("errors", [])}


def drawing(server, **params):
    reply = ask(server, "/sensitivity.svg", **params)
    assert reply.headers["Content-Type"].startswith("image/svg+xml")
    return xml.etree.ElementTree.fromstring(reply.text)


# --- one input varied

@pytest.mark.parametrize("asked, vary, start, end, step, n", [
    (LOADED, "requests_per_minute", 200, 2000, 300, 7),
    (LOADED, "latency_p95_seconds", 4, 10, 1.5, 5),
    (LOADED, "output_tokens", 50, 250, 50, 5),
    (LOADED, "prefix_cache_ratio", 0, 0.8, 0.2, 5),
    (LOADED, "peak_to_average_ratio", 1, 3, 0.5, 5),
    (LOADED, "price_per_gpu_hour", 1, 4, 1.5, 3),
    (STATED, "concurrent_requests", 1, 61, 20, 4),
    (STATED, "batch_size", 1, 33, 16, 3),
    (STATED, "memory_utilization", 0.5, 1, 0.25, 3),
    (STATED, "tensor_parallel", 1, 2, 1, 2),
])
def test_each_point_is_the_sizing_at_that_value(server, asked, vary, start, end, step, n):
    answer = sensitivity(server, **asked, vary=vary, **{"from": start}, to=end, step=step)
    assert len(answer["points"]) == n
    assert ASKED_FOR <= set(answer["points"][0])
    assert answer["points"][0]["value"] == start and answer["points"][-1]["value"] == end
    for point in answer["points"]:
        alone = sizing(server, **(asked | {vary: point["value"]}))
        assert set(point) - {"value", "note"} <= set(alone)
        for name in set(point) - {"value", "note"}:
            assert point[name] == alone[name], (name, point["value"])
        assert point["note"] is None


def test_the_headline_is_the_sizing_as_it_stands(server):
    answer, alone = sensitivity(server, **LOADED, vary="input_tokens"), sizing(server, **LOADED)
    assert (answer["vary"], answer["value"]) == ("input_tokens", 512)
    assert len(ASKED_FOR & set(answer)) == len(ASKED_FOR) - 2, "without the interval's ends"
    for name in set(answer) & set(alone) - {"links", "inputs", "warnings", "rule_of_thumb"}:
        assert answer[name] == alone[name], name
    assert answer["warnings"] == alone["warnings"]
    for name, each in alone["inputs"].items():
        assert answer["inputs"][name] == each, name


def test_without_ends_from_half_to_double(server):
    answer = sensitivity(server, **LOADED, vary="requests_per_minute")
    points = answer["points"]
    assert len(points) == 13
    assert (points[0]["value"], points[4]["value"], points[-1]["value"]) == (500, 1000, 2000)
    assert points[4]["gpu_count"] == answer["gpu_count"]
    assert points[0]["gpu_count"] < answer["gpu_count"] < points[-1]["gpu_count"]
    assert answer["inputs"]["step"] == {"value": 125, "source": "chosen"}


def test_a_value_without_a_design_says_why(server):
    points = sensitivity(server, **LOADED, vary="latency_p95_seconds", **{"from": 1}, to=5,
                         step=2)["points"]
    assert [point["gpu_count"] is None for point in points] == [True, True, False]
    for point in points[:2]:
        status, _ = refused(server, "", **(LOADED | {"latency_p95_seconds": point["value"]}))
        assert status == 422
        assert "No setup meets the limits" in point["note"]
        assert "the limit is %g" % point["value"] in point["note"]
    assert points[2]["note"] is None


def test_no_design_at_any_value_is_no_answer(server):
    status, _ = refused(server, **LOADED, vary="latency_p95_seconds", **{"from": 0.5}, to=1,
                        step=0.5)
    assert status == 422


def test_an_input_that_is_not_given_can_be_varied(server):
    limits = sensitivity(server, **(BASE | dict(requests_per_minute=1000)),
                         vary="latency_p95_seconds", **{"from": 8}, to=32, step=8)
    assert limits["value"] is None and limits["meets_latency"] is None
    counts = [point["gpu_count"] for point in limits["points"]]
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1]
    loads = sensitivity(server, **STATED, vary="concurrent_requests", **{"from": 1}, to=2)
    assert loads["cost_basis"] == "saturated"
    assert {point["cost_basis"] for point in loads["points"]} == {"load"}


# --- each input moved in turn

@pytest.mark.parametrize("asked, expected", [
    (LOADED, {"requests_per_minute", "latency_p95_seconds", "input_tokens", "output_tokens",
              "peak_to_average_ratio", "prefix_cache_ratio", "price_per_gpu_hour"}),
    (STATED, {"input_tokens", "output_tokens", "prefix_cache_ratio", "memory_utilization",
              "price_per_gpu_hour"}),
    (STATED | dict(concurrent_requests=64, latency_p95_seconds=9),
     {"concurrent_requests", "output_tokens", "price_per_gpu_hour"}),
    (STATED | dict(batch_size=16), {"batch_size", "output_tokens"}),
    (BASE | dict(tokens_per_day=1e9, tokens_per_second_per_user_min=20,
                 time_to_first_token_seconds_max=2),
     {"tokens_per_day", "tokens_per_second_per_user_min"}),
])
def test_both_ends_of_each_input_are_the_sizing_there(server, asked, expected):
    rows = effects(server, **asked)
    alone = sizing(server, **asked)
    assert expected <= set(rows)
    for name, row in rows.items():
        if name == "time_per_output_token_seconds":
            continue
        assert row["low"] <= row["value"] <= row["high"], name
        assert row["value"] == pytest.approx(alone["inputs"][name]["value"], rel=1e-5), name
        for end in ("low", "high"):
            reply = server.get("/v1/inference-sizing", **(asked | {name: row[end]}))
            for figure in FIGURES:
                at_end = row[f"{figure}_at_{end}"]
                if reply.status == 200:
                    assert at_end == pytest.approx(reply.json[figure], rel=2e-5), (name, figure)
                else:
                    assert at_end is None and f"at {row[end]:g}: " in row["note"]
        for figure in FIGURES:
            low, high, spread = (row[f"{figure}_{end}"] for end in ("at_low", "at_high", "spread"))
            if low is None or high is None:
                assert spread is None
            else:
                assert spread == pytest.approx(abs(high - low), rel=1e-3, abs=2e-5 + 1e-5 * high)
        assert row["note"] or any(row[f"{figure}_spread"] for figure in FIGURES), name


def test_the_load_and_the_limits_move_the_number_of_gpus(server):
    rows = effects(server, **LOADED)
    load = rows["requests_per_minute"]
    assert (load["low"], load["value"], load["high"]) == (500, 1000, 2000)
    assert load["basis"] == "half and double"
    assert load["gpu_count_at_low"] < sizing(server, **LOADED)["gpu_count"] < load["gpu_count_at_high"]
    assert rows["prefix_cache_ratio"]["gpu_count_at_high"] < rows["prefix_cache_ratio"]["gpu_count_at_low"]
    assert (rows["prefix_cache_ratio"]["low"], rows["prefix_cache_ratio"]["high"]) == (0, 0.999)
    assert (rows["peak_to_average_ratio"]["low"], rows["peak_to_average_ratio"]["high"]) == (1, 2)
    assert "concurrent_requests" not in rows and "tokens_per_day" not in rows


def test_an_end_that_cannot_be_met_is_told(server):
    row = effects(server, **LOADED)["latency_p95_seconds"]
    assert (row["low"], row["high"]) == (2.5, 10)
    assert row["gpu_count_at_low"] is None and row["gpu_count_spread"] is None
    assert row["gpu_count_at_high"] < sizing(server, **LOADED)["gpu_count"]
    assert row["note"].startswith("at 2.5: No setup meets the limits")


def test_what_moves_the_cost_most_comes_first(server):
    for asked in (LOADED, STATED):
        rows = sensitivity(server, **asked)["effects"]
        keys = [tuple(-1 if row[f"{figure}_spread"] is None else row[f"{figure}_spread"]
                      for figure in FIGURES[:2]) for row in rows]
        assert keys == sorted(keys, reverse=True) and keys[0][0] > 0


def test_what_moves_nothing_is_left_out(server):
    rows = effects(server, **LOADED, separate_prefill=0)
    assert "network_gbit_per_second" not in rows, "a replica within a server"
    assert "memory_utilization" not in rows, "the latency binds, not the cache"
    assert "concurrent_requests" not in effects(server, **STATED), "nobody stated it"


def test_the_price_is_moved_over_the_offers(server):
    whole = LOADED | dict(separate_prefill=0)  # no cluster, which has a premium on its offers
    prices = [offer["price_per_gpu_hour"] for offer in sizing(server, **whole)["offers_used"]]
    row = effects(server, **whole)["price_per_gpu_hour"]
    assert row["low"] == pytest.approx(min(prices), rel=1e-5)
    assert row["high"] == pytest.approx(max(prices), rel=1e-5)
    assert row["cost_per_hour_at_high"] == pytest.approx(
        row["cost_per_hour_at_low"] * max(prices) / min(prices), rel=1e-3)
    assert row["gpu_count_spread"] == 0
    given = effects(server, **LOADED, price_per_gpu_hour=2)["price_per_gpu_hour"]
    assert (given["low"], given["value"], given["high"]) == (1, 2, 4)
    assert given["basis"] == "half and double"


def test_the_estimates_own_interval_is_a_row(server):
    for asked in (LOADED, STATED):
        row, alone = effects(server, **asked)["time_per_output_token_seconds"], sizing(server, **asked)
        assert row["basis"] == "80% interval of the estimate"
        assert row["value"] == alone["time_per_output_token_seconds"]
        for end in ("low", "high"):
            assert row[end] == alone[f"time_per_output_token_seconds_{end}"]
            for figure in ("time_per_output_token_seconds", "latency_p95_seconds_estimate"):
                assert row[f"{figure}_at_{end}"] == alone[f"{figure}_{end}"]


def test_without_a_price_sizes_are_compared(server):
    asked = LOADED | dict(purchase_option="capacity_block", region="nowhere")
    answer = sensitivity(server, **asked)
    assert answer["cost_per_hour"] is None and answer["gpu_count"] > 0
    spreads = [row["gpu_count_spread"] for row in answer["effects"]]
    known = [spread for spread in spreads if spread is not None]
    assert known == sorted(known, reverse=True) and known[0] > 0
    assert spreads[:len(known)] == known
    bars = drawing(server, **asked)
    assert bars.findtext(SVG + "title") == "What moves time per output token"


def test_a_model_config_can_be_asked_of(server):
    config = json.loads((CONFIGS / "Mistral-7B-Instruct-v0.3.config.json").read_text())
    question = dict(gpu="h100-sxm5-80gb", requests_per_minute=60, model_config=config)
    reply = server.post("/v1/inference-sizing/sensitivity", question)
    assert reply.status == 200, reply.text
    alone = server.post("/v1/inference-sizing", question).json
    assert reply.json["gpu_count"] == alone["gpu_count"]
    row, = [row for row in reply.json["effects"] if row["input"] == "requests_per_minute"]
    double = server.post("/v1/inference-sizing", question | dict(requests_per_minute=120)).json
    assert row["time_per_output_token_seconds_at_high"] == pytest.approx(
        double["time_per_output_token_seconds"], rel=2e-5)


# --- formats

def test_a_sheet_of_points_and_of_effects(server):
    asked = LOADED | {"vary": "requests_per_minute", "from": 500, "to": 2000, "step": 500}
    points = sensitivity(server, **asked)["points"]
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        sheet = list(csv.DictReader(io.StringIO(ask(server, f"/sensitivity{suffix}", **asked).text),
                                    delimiter=delimiter))
        assert [float(row["value"]) for row in sheet] == [500, 1000, 1500, 2000]
        for name in ("gpu_count", "cost_per_hour", "utilization"):
            assert [float(row[name]) for row in sheet] == [point[name] for point in points]
    moved = list(csv.DictReader(io.StringIO(ask(server, "/sensitivity.csv", **LOADED).text)))
    assert [row["input"] for row in moved] == [
        row["input"] for row in sensitivity(server, **LOADED)["effects"]]
    tree = xml.etree.ElementTree.fromstring(ask(server, "/sensitivity.xml", **asked).text)
    assert [int(each.findtext("gpu_count")) for each in tree.iter("point")] == [
        point["gpu_count"] for point in points]


def test_one_value_is_the_cost_of_an_hour(server):
    cost = sizing(server, **LOADED)["cost_per_hour"]
    assert float(ask(server, "/sensitivity.txt", **LOADED).text) == cost
    assert float(ask(server, "/sensitivity.txt", **LOADED, field="gpu_count").text) == sizing(
        server, **LOADED)["gpu_count"]


def test_curves_and_bars(server):
    asked = LOADED | dict(vary="output_tokens", to=200)
    cost = drawing(server, **asked)
    assert cost.findtext(SVG + "title") == "Cost per hour, USD over output tokens"
    assert len(cost.findall(SVG + "polyline")) == 1
    token = drawing(server, **asked, field="time_per_output_token_seconds")
    assert token.findtext(SVG + "title") == "Time per output token, s over output tokens"
    assert len(token.findall(SVG + "polyline")) == 3, "with the interval"
    n = len(sensitivity(server, **asked)["points"])
    for line in token.findall(SVG + "polyline"):
        assert len(line.get("points").split()) == n
    bars = drawing(server, **LOADED, field="gpu_count")
    rows = sensitivity(server, **LOADED)["effects"]
    document = server.get("/openapi.json").json
    names = [text.text for text in bars.findall(SVG + "text") if text.get("text-anchor") == "end"]
    assert [name in labels_of(document, row["input"]) for name, row in zip(names, rows, strict=True)] == [True] * len(rows), names
    middle = sizing(server, **LOADED)["gpu_count"]
    for kind, differs in (("below", lambda x: x < middle), ("above", lambda x: x > middle)):
        ends = [row[f"gpu_count_at_{end}"] for row in rows for end in ("low", "high")]
        assert len([bar for bar in bars.findall(SVG + "rect") if bar.get("class") == kind]) == len(
            [end for end in ends if end is not None and differs(end)]) > 0


# --- what makes no sense

@pytest.mark.parametrize("change, culprit, code, says", [
    ({"vary": "request_per_minute"}, "vary", "unknown_name", "requests_per_minute"),
    ({"vary": "gpu"}, "vary", "not_a_number", ""),
    ({"vary": "engine"}, "vary", "not_a_number", ""),
    ({"vary": "output_tokens", "from": 300, "to": 100}, "from", "contradiction", "100"),
    ({"vary": "output_tokens", "from": -1}, "from", "out_of_range", "0"),
    ({"vary": "prefix_cache_ratio", "to": 1}, "to", "out_of_range", "0.999"),
    ({"vary": "output_tokens", "step": 0.5}, "step", "not_whole", ""),
    ({"vary": "output_tokens", "step": 0}, "step", "out_of_range", "above zero"),
    ({"vary": "requests_per_minute", "step": 1}, "step", "too_many", "200"),
    ({"vary": "tokens_per_second_per_user_min"}, "from", "missing_parameter", ""),
    ({"vary": "concurrent_requests", "from": 1, "to": 9}, "requests_per_minute",
     "contradiction", ""),
    ({"from": 1}, "from", "contradiction", "vary"),
    ({"gpu": "a100-sxm4-80g"}, "gpu", "unknown_name", "a100-sxm4-80gb"),
    ({"tensor_parallel": 7}, "tensor_parallel", "contradiction", "nearest is 8"),
])
def test_a_sensitivity_that_makes_no_sense_is_refused(server, change, culprit, code, says):
    status, errors = refused(server, **(LOADED | change))
    assert status == 400 and errors[culprit]["code"] == code, errors
    assert says in errors[culprit]["detail"]


def test_without_a_design_as_it_stands_nothing_is_moved(server):
    status, _ = refused(server, **(LOADED | dict(latency_p95_seconds=1)))
    assert status == 422
