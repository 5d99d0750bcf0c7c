"""Ranked options of a training, the questions turned round, and what moves a plan."""
import csv
import io
import json
import math
import pathlib
import re
import xml.etree.ElementTree

import pytest

from answers import codes, last, ruled_out
from openapi import labels_of

CONFIGS = pathlib.Path(__file__).parent / "hf-configs"
JOB = dict(model="meta-llama-3-8b", tokens="3e10")
FEW = JOB | dict(gpu="h100-sxm5-80gb,a100-sxm4-80gb,rtx-4090,v100-sxm2-32gb,mi300x",
                 gpu_count_max=256)
PLAN = JOB | dict(gpu="h100-sxm5-80gb", gpu_count=64)
SVG = "{http://www.w3.org/2000/svg}"
DEGREES = ("tensor_parallel", "pipeline_parallel", "context_parallel", "data_parallel")
SAME = ("days", "days_low", "days_high", "gpu_hours", "total_cost", "total_cost_low",
        "total_cost_high", "price_per_gpu_hour", "step_seconds", "model_flops_utilization",
        "memory_per_gpu_gib", "memory_capacity_gib", *DEGREES, "virtual_stages", "expert_parallel",
        "zero_stage", "micro_batch_sequences", "global_batch_sequences", "recompute",
        "sequence_parallel", "data_parallel_shard", "bound", "gpu_count", "tokens", "fits", "meets_deadline",
        "within_budget")


def ask(server, path, **params):
    return server.answer(f"/v1/training-plan{path}", **params)


def options(server, **params):
    return ask(server, "/options", **params).json


def rows(server, **params):
    """Every option there is."""
    return options(server, per_gpu=0, limit=10000, **params)["options"]


def sensitivity(server, **params):
    return ask(server, "/sensitivity", **params).json


def errors(server, path, status=400, **params):
    return server.refusals(f"/v1/training-plan{path}", status, **params)


def follow(server, row):
    """The plan that a row's address asks for."""
    return server.answer(row["plan"]).json


def is_same(row, plan):
    assert {name: plan[name] for name in SAME} == {name: row[name] for name in SAME}, row["plan"]


# --- options

def test_the_cheapest_of_each_kind_comes_first(server):
    answer = options(server, **FEW)
    listed = answer["options"]
    assert [row["rank"] for row in listed] == list(range(1, len(listed) + 1))
    assert listed == sorted(listed, key=lambda row: (not row["confirmed"], last(row["total_cost"])))
    assert len({row["gpu"] for row in listed}) == len(listed) == 5
    for row in listed:
        assert row["fits"] is True and row["memory_per_gpu_gib"] < row["memory_capacity_gib"]
        assert math.prod(row[degree] for degree in DEGREES) == row["gpu_count"] <= 256
    every = rows(server, **FEW)
    for row in listed:
        costs = [other["total_cost"] for other in every
                 if (other["gpu"], other["confirmed"]) == (row["gpu"], row["confirmed"]) and other["total_cost"] is not None]
        assert row["total_cost"] is None or row["total_cost"] == min(costs)


def idles(server, row):
    """A cluster that is billed for more than twice the hours it works."""
    plan = server.get(row["plan"]).json if row["minimum_term_days"] else {}
    return plan.get("unused_cost", 0) > plan.get("run_cost", 0)


def test_the_fastest_come_first_where_time_ranks(server):
    every = rows(server, rank="time", **FEW)
    order = [(not row["confirmed"], idles(server, row), row["days"]) for row in every]
    assert order == sorted(order)
    assert {True, False} == {idle for _, idle, _ in order}


def test_the_headline_says_the_ends(server):
    answer, every = options(server, **FEW), rows(server, **FEW)
    cheapest = min(every, key=lambda row: last(row["total_cost"]))
    fastest = min(every, key=lambda row: (not row["confirmed"], idles(server, row), row["days"]))
    best = min(every, key=lambda row: (not row["confirmed"], last(row["total_cost"])))
    for name, row in (("cheapest", cheapest), ("fastest", fastest), ("recommended", best)):
        for field in ("gpu", "gpu_count", "days", "total_cost"):
            assert answer[f"{name}_{field}"] == row[field], (name, field)
    assert answer["option_count"] == len(every)
    assert answer["frontier_count"] == sum(row["on_frontier"] for row in every)
    assert answer["recommended_bound"] == best["bound"]
    assert answer["recommended_plan"] == best["plan"]
    assert answer["recommended_reason"].startswith("the cheapest")
    assert answer["strategies_considered"] > 100 * len(every)
    assert (answer["gpus_considered"], answer["gpus_ruled_out"]) == (5, 0)


@pytest.mark.parametrize("change", [
    {}, {"deadline_days": 20}, {"budget": 20000}, {"global_batch_sequences": 512},
    {"purchase_option": "spot"}, {"price_per_gpu_hour": 1.37}, {"goodput": 0.9, "rank": "time"},
    {"method": "lora"}, {"recompute": "full", "zero_stage": 1}, {"sequence_tokens": 8192},
    {"tokens": None, "compute_flop": "1e22"}, {"purchase_option": "owned", "utilization": 0.8},
    {"as_of": "2026-11-20"}, {"failures_per_1000_gpu_days": 9, "deadline_days": 15},
    {"zero_stage": 3, "stack": "fsdp"}, {"model": None, "parameters": "13e9"},
    {"zero_stage": 3, "data_parallel_shard": 8},
    {"model": "mixtral-8x7b-v0.1"},
])
def test_the_address_of_a_row_asks_for_exactly_that_plan(server, change):
    asked = {k: v for k, v in (FEW | change).items() if v is not None}
    every = rows(server, **asked)
    for row in every[::max(1, len(every) // 5)]:
        plan = follow(server, row)
        is_same(row, plan)
        assert plan["inputs"]["tensor_parallel"]["source"] == "request"


def test_the_frontier_is_what_nothing_beats(server):
    every = rows(server, **FEW)
    priced = [row for row in every if row["total_cost"] is not None]
    frontier = [row for row in every if row["on_frontier"]]
    assert 1 < len(frontier) < len(priced)
    for row in every:
        if row["total_cost"] is None:
            assert row["on_frontier"] is False
            continue
        better = [other for other in priced if other is not row and
                  other["total_cost"] <= row["total_cost"] and other["days"] <= row["days"]]
        beaten = [other for other in better if other["total_cost"] < row["total_cost"] and
                  other["days"] < row["days"]]
        assert not beaten if row["on_frontier"] else better, row
    only = options(server, frontier_only=1, **FEW)["options"]
    assert [{**row, "rank": 0} for row in only] == [{**row, "rank": 0} for row in frontier]


def test_so_many_of_each_kind(server):
    every = rows(server, **FEW)
    three = options(server, per_gpu=3, **FEW)["options"]
    for gpu in {row["gpu"] for row in every}:
        want = [row["gpu_count"] for row in every if row["gpu"] == gpu][:3]
        assert [row["gpu_count"] for row in three if row["gpu"] == gpu] == want


def test_a_deadline_puts_those_that_meet_it_first(server):
    asked = {**FEW, "gpu_count_max": 512}
    answer = options(server, deadline_days=1, **asked)
    every = rows(server, deadline_days=1, **asked)
    meets = [row["meets_deadline"] for row in every]
    assert True in meets and False in meets and meets == sorted(meets, reverse=True)
    assert all(row["meets_deadline"] == (row["days"] <= 1) for row in every)
    assert answer["recommended_days"] <= 1
    assert answer["recommended_reason"] == "the cheapest confirmed option that meets the deadline"
    in_time = [row["total_cost"] for row in every if row["meets_deadline"] and row["confirmed"]]
    assert answer["recommended_total_cost"] == min(in_time)
    plain = rows(server, rank="time", **asked)
    assert all(row["meets_deadline"] is row["within_budget"] is None for row in plain)


def test_nobody_means_the_cheapest_in_decades(server):
    asked = {"model": "llama-2-70b", "tokens": 1e13}
    answer = options(server, **asked)
    usual = answer["inputs"]["deadline_days"]
    assert usual == {**usual, "value": 120, "source": "default"}
    assert answer["recommended_days"] <= 120
    assert answer["cheapest_days"] > 120
    assert answer["recommended_reason"].startswith("the cheapest confirmed option that finishes in the usual time: see deadline_days. ")


def test_a_budget_holds_back_the_fastest(server):
    plain = options(server, rank="time", **FEW)
    budget = plain["cheapest_total_cost"] * 1.5
    answer = options(server, rank="time", budget=budget, **FEW)
    assert answer["recommended_total_cost"] <= budget
    within = [row for row in rows(server, rank="time", **FEW)
              if row["total_cost"] is not None and row["total_cost"] <= budget]
    known = [row for row in within if row["availability"] == "offered"] or within
    assert answer["recommended_days"] == min(row["days"] for row in known)


def test_without_a_gpu_all_that_can_do_it_are_compared(server):
    answer = options(server, **JOB, gpu_count=8)
    known = server.get("/v1/gpus", limit=10000).json["rows"]
    seen = {row["gpu"] for row in answer["options"]} | set(ruled_out(answer))
    assert seen == {gpu["gpu"] for gpu in known}
    assert answer["gpus_considered"] == len(known)
    assert {row["gpu_count"] for row in answer["options"]} == {8}
    assert len(answer["warnings"]) <= 4


def test_filters(server):
    known = {gpu["gpu"]: gpu for gpu in server.get("/v1/gpus", limit=10000).json["rows"]}

    def seen(**filters):
        answer = options(server, **JOB, gpu_count=8, **filters)
        return {row["gpu"] for row in answer["options"]} | set(ruled_out(answer))
    assert seen(gpu_vendor="amd") == {g for g in known if known[g]["vendor"].lower() == "amd"}
    assert seen(datacenter_only=1) == {g for g in known if known[g]["datacenter_licensed"]}
    assert seen(min_gpu_memory_gb=141) == {g for g in known if known[g]["memory_gib"] >= 141}
    assert seen(gpu="t4,l4", min_gpu_memory_gb=20) == {"l4"}
    reply = server.get("/v1/training-plan/options", **JOB, gpu="t4", gpu_vendor="amd")
    assert reply.status == 422 and "gpu_vendor" in reply.json["detail"]


def test_what_is_ruled_out_says_why(server):
    answer = options(server, **JOB, gpu="h100-sxm5-80gb,a100-sxm4-80gb", precision="fp8")
    assert {row["gpu"] for row in answer["options"]} == {"h100-sxm5-80gb"}
    refusal = ruled_out(answer)["a100-sxm4-80gb"]
    assert refusal["reason"] == "precision" and "no fp8 arithmetic" in refusal["sentence"]

    answer = options(server, **JOB, gpu="h100-sxm5-80gb,t4", gpu_count=2)
    assert ruled_out(answer)["t4"]["reason"] == "memory"
    assert "2 GPUs" in ruled_out(answer)["t4"]["sentence"]
    forward = ask(server, "", **JOB, gpu="t4", gpu_count=2).json
    assert forward["fits"] is False

    answer = options(server, **JOB, gpu="h100-sxm5-80gb,t4", deadline_days=0.5, gpu_count_max=512)
    refusal = ruled_out(answer)["t4"]
    fastest = min(row["days"] for row in rows(server, **JOB, gpu="t4", gpu_count_max=512))
    assert refusal["reason"] == "deadline" and f"{fastest:.3g} days" in refusal["sentence"]
    assert ruled_out(answer).keys() == {"t4"}
    answer = options(server, **JOB, gpu="t4", deadline_days=0.5, gpu_count_max=512)
    assert answer["recommended_gpu"] is None and answer["options"] and "no_option" in codes(answer)

    cheapest = options(server, **JOB, gpu="h100-sxm5-80gb")["cheapest_total_cost"]
    answer = options(server, **JOB, gpu="h100-sxm5-80gb", budget=cheapest / 2)
    refusal = ruled_out(answer)["h100-sxm5-80gb"]
    assert refusal["reason"] == "budget" and f"{cheapest:,.0f} USD" in refusal["sentence"]
    assert answer["recommended_gpu"] is None and answer["options"] and "no_option" in codes(answer)

    answer = options(server, **JOB, gpu="h100-sxm5-80gb,tpu-v5p")
    assert not ruled_out(answer), "an unknown power stops no estimate"

    answer = options(server, **JOB, gpu="h100-sxm5-80gb,t4", gpu_count=97,
                     global_batch_sequences=8)
    assert {row["reason"] for row in answer["ruled_out"]} == {"strategy"}
    assert (answer["options"], answer["recommended_total_cost"]) == ([], None)


def test_an_option_that_may_miss_the_deadline_is_said_to(server):
    every = rows(server, **JOB, gpu="h100-sxm5-80gb")
    first = every[0]
    deadline = (first["days"] + first["days_high"]) / 2
    answer = options(server, **JOB, gpu="h100-sxm5-80gb", deadline_days=deadline)
    detail = {w["code"]: w["detail"] for w in answer["warnings"]}["deadline_missed_at_high"]
    named = re.search(r"; (\d+) x h100-sxm5-80gb stays within it", detail)
    assert named and any(row["gpu_count"] == int(named[1]) and row["days_high"] <= deadline for row in every)
    late = options(server, **JOB, gpu="h100-sxm5-80gb", deadline_days=first["days_high"] * 1.01)
    assert "deadline_missed_at_high" not in codes(late)


def test_prices_are_told_in_sum(server):
    answer = options(server, **JOB, gpu_count=8)
    details = {w["code"]: w["detail"] for w in answer["warnings"]}
    unpriced = [row for row in answer["options"] if row["total_cost"] is None]
    assert unpriced and "no_price" in details
    assert all(row["price_per_gpu_hour"] is None for row in unpriced)
    given = options(server, **JOB, gpu_count=8, price_per_gpu_hour=2)
    assert {row["price_per_gpu_hour"] for row in given["options"]} == {2}
    assert "one_price" in codes(given) and "no_price" not in codes(given)


def test_a_posted_config_has_no_address(server):
    config = json.loads((CONFIGS / "Llama-2-70b-hf.config.json").read_text())
    body = dict(gpu="a100-sxm4-80gb", tokens=2e12, gpu_count=2048, model_config=config)
    reply = server.post("/v1/training-plan/options", body)
    assert reply.status == 200, reply.text
    row, = reply.json["options"]
    named, = options(server, gpu="a100-sxm4-80gb", tokens="2e12", gpu_count=2048,
                     model="llama-2-70b")["options"]
    assert row["plan"] is None and named["plan"]
    assert row["days"] == named["days"] and row["total_cost"] == named["total_cost"]


# --- formats

def read(text):
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_a_sheet_is_the_plain_table(server):
    answer = options(server, **FEW)
    sheet = read(ask(server, "/options.csv", **FEW).text)
    assert list(sheet[0]) == list(answer["options"][0])
    assert [float(row["days"]) for row in sheet] == [row["days"] for row in answer["options"]]
    assert [row["plan"] for row in sheet] == [row["plan"] for row in answer["options"]]
    tsv = ask(server, "/options.tsv", **FEW, fields="gpu,gpu_count").text.splitlines()
    assert tsv[0] == "gpu\tgpu_count" and len(tsv) == 1 + len(sheet)
    root = xml.etree.ElementTree.fromstring(ask(server, "/options.xml", **FEW).text)
    assert [e.findtext("gpu") for e in root.findall("option")] == [row["gpu"] for row in sheet]


def test_a_cell_is_a_headline_value(server):
    answer = options(server, **FEW)
    assert ask(server, "/options.txt", **FEW).text == f"{answer['recommended_total_cost']:.2f}"
    assert ask(server, "/options.txt", **FEW, field="fastest_gpu").text == answer["fastest_gpu"]


def test_options_are_paged_and_sorted_as_lists_are(server):
    every = rows(server, **FEW)
    page = options(server, per_gpu=0, limit=10, count=1, **FEW)
    assert page["count"] == len(every) and page["options"] == every[:10]
    second = options(server, per_gpu=0, limit=10, cursor=page["next_cursor"], **FEW)
    assert second["options"] == every[10:20]
    by_days = options(server, per_gpu=0, sort="-days", limit=10000, **FEW)["options"]
    assert [row["days"] for row in by_days] == sorted((r["days"] for r in every), reverse=True)
    assert by_days[0]["rank"] > 1
    narrow = options(server, fields="gpu,days", **FEW)["options"]
    assert list(narrow[0]) == ["gpu", "days"]


def drawing(server, path, **params):
    reply = ask(server, path, **params)
    assert reply.headers["Content-Type"] == "image/svg+xml"
    root = xml.etree.ElementTree.fromstring(reply.text)
    assert root.get("role") == "img" and "nan" not in reply.text and "inf" not in reply.text
    assert root.findtext(SVG + "title") and len(root.findtext(SVG + "desc")) > 40
    for element in root.iter():
        for name in ("cx", "cy", "x", "y", "x1", "x2", "y1", "y2"):
            assert -1 <= float(element.get(name, 0)) <= 721, (element.tag, element.attrib)
    return root


def test_the_chart_has_the_frontier_as_a_line(server):
    root = drawing(server, "/options.svg", **FEW)
    every = rows(server, **FEW)
    frontier = [row for row in every if row["on_frontier"]]
    dots = root.findall(SVG + "circle")
    marks = [dot for dot in dots if dot.get("class") == "mark"]
    assert len(marks) == len(frontier) and len(dots) > len(marks)
    line, = root.findall(SVG + "polyline")
    points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
    assert sorted(points) == points and len(points) == len(frontier)
    assert {(float(m.get("cx")), float(m.get("cy"))) for m in marks} == set(points)
    names = [dot.findtext(SVG + "title") for dot in dots]
    cheapest = frontier[0]
    assert any(name.startswith(f"{cheapest['gpu_count']} x {cheapest['gpu']}: ") for name in names)
    picked = drawing(server, "/options.svg", **FEW, fields="gpu", sort="gpu")
    assert len(picked.findall(SVG + "circle")) == len(dots)


# --- the questions turned round

def test_the_most_tokens_for_a_budget_and_a_deadline(server):
    asked = dict(gpu="h100-sxm5-80gb,a100-sxm4-80gb,l40s", model="meta-llama-3-8b",
                 maximize="tokens", budget=30000, deadline_days=12, gpu_count_max=256)
    answer = options(server, **asked)
    tokens = [row["tokens"] for row in answer["options"]]
    assert tokens == sorted(tokens, reverse=True) and len(tokens) == 3
    assert answer["recommended_tokens"] == tokens[0] == max(
        row["tokens"] for row in rows(server, **asked))
    assert answer["cheapest_gpu"] is None and answer["options"][0]["on_frontier"] is None
    for row in answer["options"]:
        plan = follow(server, row)
        is_same(row, plan)
        assert plan["total_cost"] <= 30000.01 and plan["days"] <= 12.0001
        step = row["global_batch_sequences"] * plan["inputs"]["sequence_tokens"]["value"]
        assert row["tokens"] % step == 0
        more = server.get(row["plan"].replace(f"tokens={row['tokens']}",
                                              f"tokens={row['tokens'] + step}")).json
        assert more["meets_deadline"] is False or more["within_budget"] is False, row


def test_failures_cost_tokens(server):
    asked = dict(gpu="h100-sxm5-80gb", model="meta-llama-3-8b", maximize="tokens",
                 deadline_days=10, gpu_count=64)
    few, many = (options(server, failures_per_1000_gpu_days=rate, **asked)["options"][0]
                 for rate in (0.1, 50))
    assert few["tokens"] > many["tokens"]
    is_same(many, follow(server, many))


def test_a_deadline_alone_is_filled_by_as_many_gpus_as_there_are(server):
    answer = options(server, gpu="h100-sxm5-80gb", model="meta-llama-3-8b", maximize="tokens",
                     deadline_days=10, gpu_count_max=64)
    row, = answer["options"]
    assert row["gpu_count"] == 64 and row["within_budget"] is None
    assert row["days"] <= 10


def test_against_a_budget_what_has_no_price_is_ruled_out(server):
    answer = options(server, gpu="h100-sxm5-80gb,h800-sxm5-80gb", model="meta-llama-3-8b",
                     maximize="tokens", budget=10000, deadline_days=5, gpu_count=8)
    assert [row["gpu"] for row in answer["options"]] == ["h100-sxm5-80gb"]
    assert ruled_out(answer)["h800-sxm5-80gb"]["reason"] == "price"
    tiny = options(server, gpu="h100-sxm5-80gb", model="meta-llama-3-8b", maximize="tokens",
                   budget=0.01, gpu_count=8)
    assert ruled_out(tiny)["h100-sxm5-80gb"]["reason"] == "budget" and not tiny["options"]


def test_the_largest_model_for_a_budget_and_a_deadline(server):
    asked = dict(gpu="h100-sxm5-80gb,a100-sxm4-80gb", maximize="parameters", budget=20000,
                 deadline_days=20, gpu_count=32)
    answer = options(server, **asked)
    sizes = [row["parameters"] for row in answer["options"]]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 2
    assert answer["recommended_parameters"] == sizes[0]
    source = server.get("/v1/assumptions", key="tokens_per_parameter").json["rows"][0]
    assert answer["inputs"]["tokens_per_parameter"]["value"] == source["default"] == 20
    for row in answer["options"]:
        plan = follow(server, row)
        is_same(row, plan)
        assert row["tokens"] == pytest.approx(20 * row["parameters"], rel=1e-8)
        assert plan["total_cost"] <= 20000.01 and plan["days"] <= 20.0001
        larger = math.ceil(1.12 * row["parameters"])
        forward = options(server, gpu=row["gpu"], gpu_count=32, budget=20000, deadline_days=20,
                          parameters=larger, tokens=20 * larger)
        assert forward["recommended_gpu"] is None, row


def test_tokens_given_or_per_parameter(server):
    asked = dict(gpu="h100-sxm5-80gb", maximize="parameters", budget=20000, gpu_count=16)
    fixed, = options(server, tokens="1e11", **asked)["options"]
    assert fixed["tokens"] == 1e11 and fixed["total_cost"] <= 20000
    few, many = (options(server, tokens_per_parameter=n, **asked)["options"][0]
                 for n in (10, 200))
    assert few["parameters"] > many["parameters"]
    assert many["tokens"] == pytest.approx(200 * many["parameters"], rel=1e-8)


# --- what bad input gets

@pytest.mark.parametrize("change, culprit, code", [
    ({"tokens": None}, "tokens", "missing_parameter"),
    ({"gpu": "h100-sxm5-80gb,h1000"}, "gpu", "unknown_name"),
    ({"modle": "x"}, "modle", "unknown_parameter"),
    ({"rank": "price"}, "rank", "unknown_choice"),
    ({"per_gpu": "-1"}, "per_gpu", "out_of_range"),
    ({"gpu_count_max": 1e6}, "gpu_count_max", "out_of_range"),
    ({"gpu_count": 8, "gpu_count_max": 16}, "gpu_count_max", "contradiction"),
    ({"duration_days": 3}, "duration_days", "contradiction"),
    ({"tokens_per_parameter": 20}, "tokens_per_parameter", "contradiction"),
    ({"maximize": "tokens", "budget": 5}, "tokens", "contradiction"),
    ({"maximize": "tokens", "tokens": None}, "maximize", "missing_parameter"),
    ({"maximize": "parameters", "budget": 5}, "model", "contradiction"),
    ({"maximize": "parameters", "budget": 5, "model": None, "compute_flop": 1e20, "tokens": None},
     "compute_flop", "contradiction"),
    ({"maximize": "parameters", "budget": 5, "model": None, "tokens_per_parameter": 3},
     "tokens_per_parameter", "contradiction"),
    ({"maximize": "tokens", "tokens": None, "budget": 5, "rank": "time"}, "rank", "contradiction"),
    ({"maximize": "tokens", "tokens": None, "budget": 5, "frontier_only": 1}, "frontier_only",
     "contradiction"),
    ({"tensor_parallel": 3}, "tensor_parallel", "not_a_divisor"),
    ({"gpu": "v100-sxm2-32gb,t4", "precision": "fp8"}, "precision", "unsupported"),
    ({"maximize": "parameters", "budget": 5, "model": None, "tokens": None, "restart_seconds": 9},
     "restart_seconds", "contradiction"),
    ({"provider": "nobody"}, "provider", "unknown_name"),
    ({"trainable_ratio": 0.1}, "trainable_ratio", "contradiction"),
    ({"model": "lama-3-8b"}, "model", "unknown_name"),
    ({"sort": "day"}, "sort", "unknown_field"),
])
def test_what_makes_no_sense_is_refused(server, change, culprit, code):
    asked = {k: v for k, v in (JOB | {"gpu": "h100-sxm5-80gb"} | change).items() if v is not None}
    if "gpu_count" not in asked and "gpu_count_max" not in asked:
        asked["gpu_count"] = 8
    refused = errors(server, "/options", **asked)
    assert refused[culprit]["code"] == code, refused
    assert refused[culprit]["detail"]


# --- sensitivity

def test_each_point_is_the_plan_at_that_value(server):
    answer = sensitivity(server, vary="goodput", **{"from": 0.5}, to=1, step=0.1, **PLAN)
    points = answer["points"]
    assert [p["value"] for p in points] == [0.5, 0.6, 0.7, 0.8, 0.9, 1]
    for point in points:
        plan = ask(server, "", **PLAN, goodput=point["value"]).json
        for name in set(point) - {"value", "note"}:
            assert point[name] == plan[name], name
        assert point["note"] is None
    base = ask(server, "", **PLAN).json
    assert (answer["vary"], answer["value"]) == ("goodput", base["inputs"]["goodput"]["value"])
    assert answer["days"] == base["days"] and answer["total_cost"] == base["total_cost"]
    assert answer["inputs"]["tensor_parallel"] == base["inputs"]["tensor_parallel"]
    assert answer["inputs"]["step"] == {"value": 0.1, "source": "request"}


@pytest.mark.parametrize("name, asked", [
    ("gpu_count", {}), ("sequence_tokens", {}), ("network_gbit_per_second", {}),
    ("price_per_gpu_hour", {}), ("tokens", {}), ("power_limit_w", {}),
    ("global_batch_sequences", {"global_batch_sequences": 1024}), ("budget", {"budget": 9000}),
])
def test_without_ends_from_half_to_double(server, name, asked):
    answer = sensitivity(server, vary=name, **(PLAN | asked))
    value, points = answer["value"], answer["points"]
    assert points[0]["value"] == pytest.approx(value / 2)
    assert points[-1]["value"] == pytest.approx(2 * value)
    middle = min(points, key=lambda p: abs(p["value"] - value))
    assert middle["value"] == pytest.approx(value) and len(points) == 13
    assert middle["total_cost"] == pytest.approx(answer["total_cost"], abs=0.011)
    for figure in ("days", "step_seconds"):
        assert middle[figure] == answer[figure]


def test_the_ends_stay_within_what_the_input_accepts(server):
    points = sensitivity(server, vary="goodput", **PLAN)["points"]
    assert points[-1]["value"] == 1 and len(points) == 13
    flags = sensitivity(server, vary="communication_overlap", **PLAN)["points"]
    assert [p["value"] for p in flags] == [0, 1]
    assert flags[0]["days"] >= flags[1]["days"]


def test_a_value_without_a_plan_says_why(server):
    points = sensitivity(server, vary="tensor_parallel", **{"from": 1}, to=4, step=1,
                         **PLAN)["points"]
    assert [p["days"] is None for p in points] == [False, False, True, False]
    assert "divide the attention heads" in points[2]["note"]


def test_an_input_that_must_be_given_can_be_varied_without_being_given(server):
    asked = PLAN | dict(purchase_option="owned")
    assert "utilization" in errors(server, "/sensitivity", vary="utilization", **asked)
    points = sensitivity(server, vary="utilization", **{"from": 0.5}, to=1, step=0.5,
                         **asked)["points"]
    assert points[0]["total_cost"] > points[1]["total_cost"]


def test_what_moves_the_plan_most_comes_first(server):
    answer = sensitivity(server, **PLAN)
    effects = {row["input"]: row for row in answer["effects"]}
    spreads = [row["total_cost_spread"] for row in answer["effects"]]
    assert spreads == sorted(spreads, reverse=True) and spreads[0] > 0
    assert {"step_seconds", "goodput", "price_per_gpu_hour", "network_gbit_per_second",
            "power_limit_w", "tokens", "gpu_count"} <= set(effects)
    for name in ("goodput", "network_gbit_per_second", "tokens", "price_per_gpu_hour"):
        row = effects[name]
        for end in ("low", "high"):
            plan = ask(server, "", **(PLAN | {name: row[end]})).json
            for figure in ("total_cost", "days", "step_seconds"):
                assert row[f"{figure}_at_{end}"] == pytest.approx(plan[figure], rel=1e-5)
        assert row["total_cost_spread"] == pytest.approx(
            abs(row["total_cost_at_high"] - row["total_cost_at_low"]), abs=0.011)
    plan = ask(server, "", **PLAN).json
    interval = effects["step_seconds"]
    for end in ("low", "high"):
        assert interval[end] == plan[f"step_seconds_{end}"]
        assert interval[f"total_cost_at_{end}"] == plan[f"total_cost_{end}"]
    band = server.get("/v1/assumptions", key="goodput").json["rows"][0]
    assert (effects["goodput"]["low"], effects["goodput"]["high"]) == (band["low"], band["high"])
    prices = [offer["job_price_per_gpu_hour"] for offer in plan["offers_used"]]
    assert (effects["price_per_gpu_hour"]["low"], effects["price_per_gpu_hour"]["high"]) == (
        pytest.approx(min(prices), rel=1e-5), pytest.approx(max(prices), rel=1e-5))
    assert effects["tokens"]["low"] == 1.5e10 and effects["tokens"]["high"] == 6e10


def test_a_price_that_is_given_is_moved_both_ways(server):
    row, = [row for row in sensitivity(server, **PLAN, price_per_gpu_hour=2)["effects"]
            if row["input"] == "price_per_gpu_hour"]
    assert (row["value"], row["low"], row["high"]) == (2, 1, 4)
    assert row["basis"] == "half and double"


def test_the_number_of_gpus_stays_while_others_are_moved(server):
    asked = JOB | dict(gpu="h100-sxm5-80gb", deadline_days=10)
    chosen = ask(server, "", **asked).json["gpu_count"]
    answer = sensitivity(server, **asked)
    assert answer["gpu_count"] == chosen
    row, = [row for row in answer["effects"] if row["input"] == "tokens"]
    assert row["days_at_high"] == pytest.approx(2 * answer["days"], rel=1e-3)
    assert row["days_at_high"] > 10


def test_without_tokens_steps_are_compared(server):
    answer = sensitivity(server, model="meta-llama-3-8b", gpu="h100-sxm5-80gb", gpu_count=64)
    spreads = [row["step_seconds_spread"] for row in answer["effects"]]
    assert spreads == sorted(spreads, reverse=True) and spreads[-1] > 0
    assert all(row["days_spread"] is None for row in answer["effects"])


def test_a_sheet_of_points(server):
    asked = PLAN | {"vary": "gpu_count", "from": 32, "to": 128, "step": 32}
    answer = sensitivity(server, **asked)
    sheet = read(ask(server, "/sensitivity.csv", **asked).text)
    assert [float(row["value"]) for row in sheet] == [32, 64, 96, 128]
    assert [float(row["total_cost"]) for row in sheet] == [p["total_cost"]
                                                           for p in answer["points"]]
    assert ask(server, "/sensitivity.txt", **asked).text == f"{answer['total_cost']:.2f}"


def test_curves_and_bars(server):
    curves = drawing(server, "/sensitivity.svg", vary="gpu_count", **PLAN)
    assert len(curves.findall(SVG + "polyline")) == 3
    assert curves.findtext(SVG + "title") == "Total cost, USD over number of GPUs"
    for line in curves.findall(SVG + "polyline"):
        assert len(line.get("points").split()) == 13
    days = drawing(server, "/sensitivity.svg", vary="gpu_count", field="days", **PLAN)
    assert days.findtext(SVG + "title") == "Days over number of GPUs"
    bars = drawing(server, "/sensitivity.svg", **PLAN)
    effects = sensitivity(server, **PLAN)["effects"]
    document = server.get("/openapi.json").json
    names = [text.text for text in bars.findall(SVG + "text") if text.get("text-anchor") == "end"]
    assert [name in labels_of(document, row["input"]) for name, row in zip(names, effects, strict=True)] == [True] * len(effects), names
    sides = [bar for bar in bars.findall(SVG + "rect") if bar.get("class") in ("below", "above")]
    assert len(effects) <= len(sides) <= 2 * len(effects)
    assert {side.get("class") for side in sides} == {"below", "above"}


@pytest.mark.parametrize("change, culprit, code, says", [
    ({"vary": "good_put"}, "vary", "unknown_name", "goodput"),
    ({"vary": "limit"}, "vary", "unknown_name", ""),
    ({"vary": "model"}, "vary", "not_a_number", ""),
    ({"vary": "precision"}, "vary", "not_a_number", ""),
    ({"vary": "goodput", "from": 0.9, "to": 0.5}, "from", "contradiction", "0.5"),
    ({"vary": "goodput", "from": 0.5, "to": 1.5}, "to", "out_of_range", "1"),
    ({"vary": "goodput", "from": 0, "to": 1}, "from", "out_of_range", "0.01"),
    ({"vary": "goodput", "from": "half"}, "from", "not_a_number", ""),
    ({"vary": "goodput", "step": 0}, "step", "out_of_range", "above zero"),
    ({"vary": "goodput", "step": -0.1}, "step", "out_of_range", "above zero"),
    ({"vary": "goodput", "step": 0.0001}, "step", "too_many", "200"),
    ({"vary": "gpu_count", "step": 0.5}, "step", "not_whole", ""),
    ({"vary": "gpu_count", "from": 8.5, "to": 16}, "from", "not_whole", ""),
    ({"vary": "deadline_days"}, "from", "missing_parameter", "deadline_days"),
    ({"vary": "compute_flop", "from": 1e20, "to": 1e21}, "compute_flop", "contradiction", ""),
    ({"vary": "goodput", "tensor_parallel": 3}, "tensor_parallel", "not_a_divisor", ""),
    ({"from": 0.5}, "from", "contradiction", "vary"),
    ({"step": 1, "to": 3}, "to", "contradiction", "vary"),
    ({"vary": "goodput", "gpu": "h100-sxm5-80g"}, "gpu", "unknown_name", "h100-sxm5-80gb"),
])
def test_a_sensitivity_that_makes_no_sense_is_refused(server, change, culprit, code, says):
    refused = errors(server, "/sensitivity", **(PLAN | change))
    assert refused[culprit]["code"] == code, refused
    assert says in refused[culprit]["detail"]


def test_two_hundred_points_are_as_many_as_there_may_be(server):
    asked = PLAN | {"vary": "price_per_gpu_hour", "from": 1, "to": 200}
    points = sensitivity(server, **asked, step=1)["points"]
    assert len(points) == 200 and points[-1]["value"] == 200
    assert errors(server, "/sensitivity", **(asked | {"to": 201}), step=1)["step"][
        "code"] == "too_many"


def test_it_points_into_a_body(server):
    reply = server.post("/v1/training-plan/sensitivity",
                        dict(PLAN, tokens=1e11, vary="goodput", to=2))
    assert reply.status == 400
    assert reply.json["errors"][0]["pointer"] == "#/to"


LLAMA = dict(model="llama-2-7b", tokens=2e12)


def test_gpus_without_a_price_are_listed_as_few_as_do(server):
    """2,560 B100 headed their kind, as without a price the fastest number of GPUs was listed."""
    listed = [row for row in options(server, **LLAMA)["options"] if row["total_cost"] is None and row["meets_deadline"]]
    every = options(server, **LLAMA, per_gpu=0, limit=10000)["options"]
    assert len(listed) > 5
    for row in listed:
        hours = [other["gpu_hours"] for other in every if other["gpu"] == row["gpu"] and other["meets_deadline"]]
        assert row["gpu_hours"] == min(hours), row["gpu"]
        assert row["gpu_count"] <= 512


def test_the_fastest_cluster_does_not_idle_for_most_of_its_rental(server):
    """2,560 H200 for 1.5 days were the fastest, billed for 30: 11.9 million USD, of which the run uses a twentieth."""
    for asked in LLAMA, LLAMA | dict(rank="time"):
        answer = options(server, **asked)
        every = options(server, **asked, per_gpu=0, limit=10000)["options"]
        fastest, = [row for row in every if (row["gpu"], row["gpu_count"]) == (answer["fastest_gpu"], answer["fastest_gpu_count"])]
        assert not idles(server, fastest)
        faster = [row for row in every if row["confirmed"] and row["days"] < fastest["days"] and row["meets_deadline"] != 0]
        assert faster and all(idles(server, row) for row in faster[:3] + faster[-3:])
    assert "that works for most of its rental" in answer["recommended_reason"]
    short = options(server, **LLAMA, deadline_days=2)
    told, = [row["detail"] for row in short["warnings"] if row["code"] == "minimum_term"]
    assert short["recommended_days"] <= 2 and "gb300" not in told, "one whose rent is unknown is no help"


def test_the_fastest_is_not_slower_than_the_recommended(server):
    """405B in the usual time: the recommended 4,096 GB200 are unconfirmed and faster than any confirmed option."""
    answer = options(server, model="llama-3.1-405b", tokens=15e12)
    assert answer["fastest_days"] <= answer["recommended_days"] and answer["fastest_total_cost"] is not None


def test_what_nobody_rents_out_has_no_providers(server):
    answer = options(server, **LLAMA, rank="time")
    told, = [row["detail"] for row in answer["warnings"] if row["code"] == "unconfirmed_option"]
    assert "no rent of 2,560 x b100-sxm is known" in told and "its providers" not in told


def test_the_fastest_is_a_plan_somebody_would_run(server):
    """A 7B is not trained on a hundred thousand GPUs, nor on more of a kind than anybody is known to rent together."""
    answer = options(server, model="llama-2-7b", tokens=2e12, rank="time", per_gpu=0, limit=10000)
    first = answer["options"][0]
    assert first["gpu_count"] == answer["fastest_gpu_count"] <= 32768
    assert first["availability"] == "offered"
    for gpu in {row["gpu"] for row in answer["options"]}:
        hours = [row["gpu_hours"] for row in answer["options"] if row["gpu"] == gpu]
        assert max(hours) <= min(hours) / 0.5 * (1 + 1e-6), gpu


def test_the_cheapest_says_what_less_time_would_cost(server):
    """The option that the reason names is listed and confirmed, and takes at most half as long."""
    asked = dict(model="llama-3.2-1b", tokens=1e11)
    answer = options(server, **asked, per_gpu=0, limit=10000)
    said = re.search(r"For ([\d.]+)% more, ([\d,]+) x (\S+) takes? ([\d.]+) days", answer["recommended_reason"])
    assert said, answer["recommended_reason"]
    row = next(row for row in answer["options"] if row["gpu"] == said[3] and row["gpu_count"] == int(said[2].replace(",", "")))
    best = answer["options"][0]
    assert row["confirmed"] and row["days"] <= best["days"] / 2
    assert float(said[1]) == pytest.approx(100 * (row["total_cost"] / best["total_cost"] - 1), rel=0.05)
    assert "more, " not in options(server, **asked, deadline_days=90)["recommended_reason"]
