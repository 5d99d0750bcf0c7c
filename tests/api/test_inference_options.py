"""Ranked options of serving a load: what is listed, in which order, and what is ruled out."""
import csv
import io
import json
import math
import pathlib
import xml.etree.ElementTree

import pytest

from answers import codes, last, ruled_out

CONFIGS = pathlib.Path(__file__).parent / "hf-configs"
SEED = pathlib.Path(__file__).parents[2] / "sql/seed"
JOB = dict(model="llama-2-70b", requests_per_minute=300)
FEW = JOB | dict(gpu="h100-sxm5-80gb,a100-sxm4-80gb,rtx-4090,mi300x,l4")
SVG = "{http://www.w3.org/2000/svg}"
SAME = ("gpu_count", "replica_count", "tensor_parallel", "pipeline_parallel", "meets_latency",
        "cost_per_hour", "cost_per_million_output_tokens", "latency_p95_seconds_estimate",
        "latency_p95_seconds_estimate_low", "latency_p95_seconds_estimate_high",
        "time_to_first_token_seconds", "time_per_output_token_seconds",
        "time_per_output_token_seconds_low", "time_per_output_token_seconds_high",
        "output_tokens_per_second", "batch_size", "utilization", "max_concurrent_requests",
        "weights_gib", "bound")
COST, LATENCY = "cost_per_hour", "latency_p95_seconds_estimate"


def ask(server, path="", **params):
    return server.answer(f"/v1/inference-sizing{path}", **params)


def options(server, **params):
    return ask(server, "/options", **params).json


def rows(server, **params):
    """Every option there is."""
    return options(server, per_gpu=0, limit=10000, **params)["options"]


# --- the same rule as a sizing

@pytest.mark.parametrize("model,gpu,load", [
    ("kimi-k2", "b200-sxm", dict(requests_per_minute=60, input_tokens=4000, output_tokens=800)),
    ("kimi-k2", "gb200-nvl72", dict(requests_per_minute=60, input_tokens=4000, output_tokens=800)),
    ("llama-3.1-70b", "a100-sxm4-80gb", dict(requests_per_minute=120, input_tokens=1500, output_tokens=400)),
    ("gpt-oss-120b", "rtx-3090", dict(requests_per_minute=120, input_tokens=1000, output_tokens=1000))])
def test_a_sizing_and_the_list_choose_alike(server, model, gpu, load):
    """Of designs that cost the same the one with fewer stages is listed first, as a sizing chooses it: nobody runs
    eight stages where the GPUs of a layer are linked."""
    asked = dict(load, model=model, gpu=gpu, tokens_per_second_per_user_min=20)
    sized = ask(server, **asked).json
    first = next(row for row in rows(server, **asked) if row["gpu_count"] == sized["gpu_count"])
    for name in ("replica_count", "tensor_parallel", "pipeline_parallel", "attention_data_parallel", LATENCY):
        assert first[name] == sized[name], name


# --- what is listed

def test_the_cheapest_of_each_kind_comes_first(server):
    listed, every = options(server, **FEW)["options"], rows(server, **FEW)
    assert [row["rank"] for row in listed] == list(range(1, len(listed) + 1))
    assert listed == sorted(listed, key=lambda row: (not row["confirmed"], last(row[COST])))
    assert len({row["gpu"] for row in listed}) == len(listed) == 5
    for row in listed:
        costs = [other[COST] for other in every if (other["gpu"], other["confirmed"]) == (row["gpu"], row["confirmed"]) and other[COST] is not None]
        assert row[COST] is None or row[COST] == min(costs)
    for row in every:
        assert row["tensor_parallel"] * row["pipeline_parallel"] * row["replica_count"] == row[
            "gpu_count"]
        assert 0 < row["utilization"] < 1 and row["batch_size"] <= row["max_concurrent_requests"]
        assert row["output_tokens_per_second"] == 300 / 60 * 256
    designs = [(row["gpu"], row["weight_dtype"], row["tensor_parallel"], row["pipeline_parallel"],
                row["replica_count"]) for row in every]
    assert len(set(designs)) == len(designs)


def test_the_quickest_come_first_where_latency_ranks(server):
    every = rows(server, rank="latency", **FEW)
    order = [(not row["confirmed"], row[LATENCY]) for row in every]
    assert order == sorted(order)


def test_the_headline_says_the_ends(server):
    answer, every = options(server, latency_p95_seconds=12, **FEW), rows(
        server, latency_p95_seconds=12, **FEW)
    first = every[0]
    cheapest = min(every, key=lambda row: last(row[COST]))
    fastest = min(every, key=lambda row: row[LATENCY])
    assert cheapest["meets_latency"] is False
    for name, row in (("cheapest", cheapest), ("fastest", fastest), ("recommended", first)):
        for field in ("gpu", "weight_dtype", "gpu_count", COST, LATENCY):
            assert answer[f"{name}_{field}"] == row[field], (name, field)
    assert answer["recommended_plan"] == first["plan"]
    assert answer["recommended_replica_count"] == first["replica_count"]
    assert answer["recommended_bound"] == first["bound"]
    assert answer["recommended_reason"] == "the cheapest that carries the load and meets the limits"
    assert answer["option_count"] == len(every) <= answer["designs_considered"]
    assert answer["frontier_count"] == sum(row["on_frontier"] for row in every)
    assert (answer["gpus_considered"], answer["gpus_ruled_out"]) == (5, len(answer["ruled_out"]))


@pytest.mark.parametrize("asked, times, verb", [
    (FEW, (1, 2), "answer"), (dict(model="llama-3.1-70b", requests_per_minute=6, gpu="mi300x,b200-sxm"), (2, 6), "answer"),
    (dict(model="llama-3.1-8b", requests_per_minute=6, gpu="l4,a100-sxm4-80gb"), (2, 6), "answers"),
    (dict(model="llama-3.2-3b", requests_per_minute=6, gpu="rtx-3090,h100-sxm5-80gb"), (6, 100), None)])
def test_without_a_limit_the_reason_says_what_half_the_time_costs(server, asked, times, verb):
    """The cheapest of those in the same format that answer in at most half the time, if it costs at most six times as much."""
    answer, every = options(server, **asked), rows(server, **asked)
    sooner = [row for row in every if row["weight_dtype"] == answer["recommended_weight_dtype"]
              and row[LATENCY] <= answer["recommended_" + LATENCY] / 2 and row[COST]]
    best = min(sooner, key=lambda row: row[COST])
    ratio = best[COST] / answer["recommended_" + COST]
    assert times[0] < ratio <= times[1]
    more = f"{ratio:.1f} times the cost" if ratio >= 2 else f"{100 * (ratio - 1):.0f}% more"
    said = f". For {more}, {best['gpu_count']:.0f} {best['gpu']} {verb} 95% of requests within "
    assert said in answer["recommended_reason"] if verb else "For" not in answer["recommended_reason"], (said, answer["recommended_reason"])


@pytest.mark.parametrize("change", [
    {}, {"latency_p95_seconds": 15}, {"requests_per_minute": None, "concurrent_requests": 40},
    {"requests_per_minute": None}, {"requests_per_minute": None, "batch_size": 4},
    {"requests_per_minute": None, "tokens_per_day": "5e8", "peak_to_average_ratio": 1.7},
    {"kv_cache_dtype": "fp8", "weight_dtype": "fp16,int8"}, {"purchase_option": "spot"},
    {"purchase_option": "owned"}, {"price_per_gpu_hour": 1.37}, {"gpu_count": 16},
    {"replica_count": 12}, {"tensor_parallel": 4}, {"pipeline_parallel": 2, "gpus_per_node": 4},
    {"weight_dtype": "int4", "bytes_per_weight": 0.61}, {"engine": "sglang"},
    {"input_tokens": 3000, "output_tokens": 77, "prefix_cache_ratio": 0.3},
    {"as_of": "2026-11-20"}, {"model": "mixtral-8x7b-v0.1"}, {"model": None, "parameters": "13e9"},
])
def test_the_address_of_a_row_asks_for_exactly_that_design(server, change):
    asked = {k: v for k, v in (FEW | change).items() if v is not None}
    every = rows(server, **asked)
    assert every
    for row in every[::max(1, len(every) // 7)]:
        reply = server.get(row["plan"])
        assert reply.status == 200, reply.text
        plan = reply.json
        assert {name: plan[name] for name in SAME} == {name: row[name] for name in SAME}, row
        inputs = {name: plan["inputs"][name]["value"] for name in ("gpu", "weight_dtype")}
        assert inputs == {name: row[name] for name in inputs}, row["plan"]
        price = plan["inputs"]["price_per_gpu_hour"]["value"]  # with all its digits
        assert price == pytest.approx(row["price_per_gpu_hour"], abs=1e-6), row["plan"]
        assert plan["fits"] is plan["meets_load"] is True


@pytest.mark.parametrize("limits", [
    {}, {"latency_p95_seconds": 12}, {"tokens_per_second_per_user_min": 30},
    {"time_to_first_token_seconds_max": 0.6}])
def test_the_fewest_gpus_are_those_of_the_sizing(server, limits):
    """The search for one design and the list of all agree where the search is asked the same."""
    every = rows(server, **FEW, **limits, weight_dtype="bf16,int4")
    for gpu in ("h100-sxm5-80gb", "a100-sxm4-80gb", "l4"):
        for dtype in ("bf16", "int4"):
            good = [row["gpu_count"] for row in every if (row["gpu"], row["weight_dtype"]) ==
                    (gpu, dtype) and row["meets_latency"] is not False]
            reply = server.get("/v1/inference-sizing", **JOB | dict(gpu=gpu, weight_dtype=dtype),
                               **limits)
            if good:
                assert reply.json["gpu_count"] == min(good)
            else:
                assert reply.status == 422, reply.text


def test_the_frontier_is_what_nothing_beats(server):
    every = rows(server, **FEW)
    priced = [row for row in every if row[COST] is not None]
    frontier = [row for row in every if row["on_frontier"]]
    assert 1 < len(frontier) < len(priced)
    for row in every:
        if row[COST] is None:
            assert row["on_frontier"] is False
            continue
        better = [other for other in priced if other is not row and
                  other[COST] <= row[COST] and other[LATENCY] <= row[LATENCY]]
        beaten = [other for other in better
                  if other[COST] < row[COST] and other[LATENCY] < row[LATENCY]]
        assert not beaten if row["on_frontier"] else better, row
    only = options(server, frontier_only=1, **FEW)["options"]
    assert [{**row, "rank": 0} for row in only] == [{**row, "rank": 0} for row in frontier]


def test_more_replicas_are_quicker_and_cost_more(server):
    every = rows(server, **JOB, gpu="h100-sxm5-80gb", weight_dtype="bf16", tensor_parallel=4,
                 pipeline_parallel=1)
    every.sort(key=lambda row: row["replica_count"])  # 4 GPUs may cost as much as the machine of 8 they are part of
    counts = [row["replica_count"] for row in every]
    assert len(counts) > 2 and counts == [counts[0] * 2**i for i in range(len(counts))]
    latencies = [row[LATENCY] for row in every]
    assert latencies == sorted(latencies, reverse=True)
    fewer = server.get("/v1/inference-sizing", **JOB, gpu="h100-sxm5-80gb", weight_dtype="bf16",
                       tensor_parallel=4, pipeline_parallel=1, replica_count=counts[0] - 1)
    assert fewer.status == (400 if counts[0] == 1 else 200)
    assert counts[0] == 1 or fewer.json["meets_load"] is False


def test_replicas_grow_until_nobody_shares_one(server):
    every = rows(server, model="llama-2-70b", requests_per_minute=6, gpu="h100-sxm5-80gb",
                 weight_dtype="bf16", tensor_parallel=4, pipeline_parallel=1)
    every.sort(key=lambda row: row["replica_count"])
    assert every[0]["batch_size"] < 1 and len(every) > 1
    shared = [server.get(row["plan"]).json["batch_size_p95"] for row in every]
    assert min(shared[:-1]) > 1 and shared[-1] == 1


def test_so_many_of_each_kind(server):
    every = rows(server, **FEW)
    three = options(server, per_gpu=3, **FEW)["options"]
    for gpu in {row["gpu"] for row in every}:
        want = [row["plan"] for row in every if row["gpu"] == gpu][:3]
        assert [row["plan"] for row in three if row["gpu"] == gpu] == want


def test_limits_put_those_that_keep_them_first(server):
    every = rows(server, latency_p95_seconds=10, **FEW)
    meets = [row["meets_latency"] for row in every]
    assert True in meets and False in meets and meets == sorted(meets, reverse=True)
    assert all(row["meets_latency"] == (row[LATENCY] <= 10) for row in every)
    assert all(row["meets_latency"] is None for row in rows(server, **FEW))
    answer = options(server, latency_p95_seconds=10, rank="latency", **FEW)
    assert answer["recommended_reason"].startswith("the fastest")
    assert answer["recommended_latency_p95_seconds_estimate"] == min(row[LATENCY] for row in every)


def test_weights_are_those_of_the_published_model(server):
    """One rule in sizing and options: as published, and narrower ones only where asked for, each marked."""
    for model, native in (("deepseek-r1", "fp8"), ("kimi-k2-instruct", "fp8"), ("gpt-oss-120b", "fp4"),
                          ("llama-3.1-8b", "bf16")):
        asked = dict(model=model, gpu="b200-sxm", requests_per_minute=60)
        sized = server.get("/v1/inference-sizing", **asked).json
        assert sized["inputs"]["weight_dtype"]["value"] == native
        assert "low_bit_weights" not in codes(sized)
        listed = rows(server, **asked)
        assert {(row["weight_dtype"], row["quantized"], row["quality"]) for row in listed} == {
            (native, False, None)}
        narrow = rows(server, **asked, quantized=1)
        assert {row["weight_dtype"] for row in narrow if not row["quantized"]} == {native}
        assert all(row["quality"] for row in narrow if row["quantized"])
        least = min(row["cost_per_hour"] for row in listed)
        assert min(row["cost_per_hour"] for row in narrow) <= least, "more formats never cost more"


def test_weights_are_compared_in_what_each_gpu_has(server):
    every = rows(server, **JOB, gpu="h100-sxm5-80gb,a100-sxm4-80gb,v100-sxm2-32gb", quantized=1)
    seen = {gpu: {row["weight_dtype"] for row in every if row["gpu"] == gpu}
            for gpu in ("h100-sxm5-80gb", "a100-sxm4-80gb", "v100-sxm2-32gb")}
    assert seen == {"h100-sxm5-80gb": {"bf16", "fp8", "int4"}, "a100-sxm4-80gb": {"bf16", "int4"},
                    "v100-sxm2-32gb": {"fp16", "int4"}}
    named = rows(server, **FEW, weight_dtype="bf16,INT8,bf16")
    assert {row["weight_dtype"] for row in named} == {"bf16", "int8"}
    assert len({row["plan"] for row in named}) == len(named)
    narrow = options(server, **FEW, quantized=1)
    wide = options(server, **FEW, weight_dtype="bf16")
    assert "low_bit_weights" in codes(narrow) and "low_bit_weights" not in codes(wide)


# --- which GPUs

def test_without_a_gpu_all_are_compared(server):
    answer = options(server, **JOB)
    known = server.get("/v1/gpus", limit=10000).json["rows"]
    seen = {row["gpu"] for row in answer["options"]} | set(ruled_out(answer))
    assert seen == {gpu["gpu"] for gpu in known} and answer["gpus_considered"] == len(known)
    assert len(answer["warnings"]) <= 5


def test_filters(server):
    known = {gpu["gpu"]: gpu for gpu in server.get("/v1/gpus", limit=10000).json["rows"]}

    def seen(**filters):
        answer = options(server, **JOB, **filters)
        return {row["gpu"] for row in answer["options"]} | set(ruled_out(answer))
    assert seen(gpu_vendor="amd") == {g for g in known if known[g]["vendor"].lower() == "amd"}
    assert seen(datacenter_only=1) == {g for g in known if known[g]["datacenter_licensed"]}
    assert seen(min_gpu_memory_gb=141) == {g for g in known if known[g]["memory_gib"] >= 141}
    assert seen(gpu="t4,l4", min_gpu_memory_gb=20) == {"l4"}
    reply = server.get("/v1/inference-sizing/options", **JOB, gpu="t4", gpu_vendor="amd")
    assert reply.status == 422 and "gpu_vendor" in reply.json["detail"]


def test_prices_are_told_in_sum(server):
    answer = options(server, **JOB, per_gpu=1)
    unpriced = [row for row in answer["options"] if row["price_per_gpu_hour"] is None]
    detail = {w["code"]: w["detail"] for w in answer["warnings"]}["no_price"]
    assert unpriced and detail.startswith(f"no price is known for {len(unpriced)} of the ")
    assert all(row[COST] is None and row["on_frontier"] is False for row in unpriced)
    assert answer["options"][-len(unpriced):] == unpriced
    given = options(server, **JOB, price_per_gpu_hour=2)
    assert {row["price_per_gpu_hour"] for row in given["options"]} == {2}
    assert "one_price" in codes(given) and "no_price" not in codes(given)


def test_without_a_price_the_fewest_gpus_come_first(server):
    """405B in bf16 on cards that nobody rents as a cluster."""
    every = rows(server, model="llama-3.1-405b", gpu="a100-pcie-80gb", requests_per_minute=355)
    assert every[0][COST] is None
    assert every[0]["gpu_count"] == min(row["gpu_count"] for row in every)


def test_what_the_recommended_gpu_lacks_is_said(server):
    """Its licence, and the heat of cards side by side; nothing of GPUs that are not recommended."""
    card = options(server, **JOB, gpu="rtx-4090")
    assert card["recommended_gpu_count"] >= 4 and {"datacenter_licence", "dense_chassis"} <= codes(card)
    assert "dense_chassis" not in codes(options(server, **JOB, gpu="rtx-4090", gpus_per_node=2))
    assert not {"datacenter_licence", "dense_chassis"} & codes(options(server, **JOB, gpu="h100-sxm5-80gb"))


@pytest.mark.parametrize("change, reason, says", [
    ({"tensor_parallel": 1, "pipeline_parallel": 1}, "memory", "GiB are missing"),
    ({"latency_p95_seconds": 0.2}, "latency_p95", "the limit is 0.2"),
    ({"time_to_first_token_seconds_max": 0.001}, "time_to_first_token", "the limit is 0.001"),
    ({"tokens_per_second_per_user_min": 9000}, "tokens_per_second_per_user", "the minimum is 9000"),
    ({"replica_count": 1, "requests_per_minute": 40000}, "kv_cache", "before its KV caches"),
    ({"model": "mixtral-8x7b-v0.1", "expert_parallel": 8, "gpu_count": 12}, "strategy",
     "uses gpu_count GPUs"),
])
def test_what_is_ruled_out_says_why(server, change, reason, says):
    answer = options(server, **JOB | dict(gpu="l4,t4", weight_dtype="bf16") | change)
    assert {row["gpu"]: row["reason"] for row in answer["ruled_out"]} == dict(l4=reason, t4=reason)
    assert all(says in row["sentence"] for row in answer["ruled_out"])
    assert answer["recommended_gpu"] is None and "no_option" in codes(answer)
    limited = any(name.startswith(("latency", "time", "tokens")) for name in change)
    assert bool(answer["options"]) == limited
    assert all(row["meets_latency"] is False for row in answer["options"])


def test_one_that_will_not_do_leaves_the_others(server):
    answer = options(server, **JOB, gpu="h100-sxm5-80gb,t4", latency_p95_seconds=10)
    assert ruled_out(answer).keys() == {"t4"} and answer["recommended_gpu"] == "h100-sxm5-80gb"
    assert {row["gpu"]: row["meets_latency"] for row in answer["options"]} == {
        "h100-sxm5-80gb": True, "t4": False}
    refused = server.get("/v1/inference-sizing", **JOB, gpu="t4", weight_dtype="int4",
                         latency_p95_seconds=10)
    assert refused.status == 422


def test_the_nearest_of_the_formats_is_told(server):
    refusal = ruled_out(options(server, **JOB, gpu="t4", tensor_parallel=1, pipeline_parallel=1, quantized=1))
    assert "int4 weights come closest" in refusal["t4"]["sentence"]


def test_what_no_sheet_says_rules_out(server):
    refusal = ruled_out(options(server, model="llama-3.1-405b", gpus_per_node=8))["dgx-spark"]
    assert refusal["reason"] == "figures" and "link" in refusal["sentence"]


def test_a_posted_config_has_no_address(server):
    config = json.loads((CONFIGS / "Llama-2-70b-hf.config.json").read_text())
    body = dict(gpu="a100-sxm4-80gb", requests_per_minute=300, model_config=config)
    reply = server.post("/v1/inference-sizing/options", body)
    assert reply.status == 200, reply.text
    row, = reply.json["options"]
    named, = options(server, **JOB, gpu="a100-sxm4-80gb")["options"]
    assert row["plan"] is None and named["plan"]
    assert row[LATENCY] == named[LATENCY] and row[COST] == named[COST]


# --- formats

def test_a_sheet_is_the_plain_table(server):
    answer = options(server, **FEW)
    sheet = list(csv.DictReader(io.StringIO(ask(server, "/options.csv", **FEW).text, newline=""),
                                strict=True))
    assert list(sheet[0]) == list(answer["options"][0])
    assert [float(row[LATENCY]) for row in sheet] == [row[LATENCY] for row in answer["options"]]
    assert [row["plan"] for row in sheet] == [row["plan"] for row in answer["options"]]
    tsv = ask(server, "/options.tsv", **FEW, fields="gpu,gpu_count").text.splitlines()
    assert tsv[0] == "gpu\tgpu_count" and len(tsv) == 1 + len(sheet)
    root = xml.etree.ElementTree.fromstring(ask(server, "/options.xml", **FEW).text)
    assert [e.findtext("gpu") for e in root.findall("option")] == [row["gpu"] for row in sheet]
    text = ask(server, "/options.txt", **FEW).text
    assert float(text) == answer["recommended_cost_per_hour"]
    assert ask(server, "/options.txt", **FEW, field="fastest_gpu").text == answer["fastest_gpu"]


def test_options_are_paged_and_sorted_as_lists_are(server):
    every = rows(server, **FEW)
    page = options(server, per_gpu=0, limit=10, count=1, **FEW)
    assert page["count"] == len(every) and page["options"] == every[:10]
    second = options(server, per_gpu=0, limit=10, cursor=page["next_cursor"], **FEW)
    assert second["options"] == every[10:20]
    most = options(server, per_gpu=0, sort="-gpu_count", limit=1, **FEW)["options"]
    assert most[0]["gpu_count"] == max(row["gpu_count"] for row in every)


def test_a_chart_has_a_point_for_each_and_the_frontier(server):
    reply = ask(server, "/options.svg", **FEW)
    assert reply.headers["Content-Type"] == "image/svg+xml"
    root = xml.etree.ElementTree.fromstring(reply.text)
    assert root.get("role") == "img" and "nan" not in reply.text and "inf" not in reply.text
    every = rows(server, **FEW)
    best = {row["plan"] for row in options(server, **FEW)["options"]}
    want = [row for row in every if row[COST] is not None and
            (row["on_frontier"] or row["plan"] in best)]
    points = list(root.iter(SVG + "circle"))
    assert len(points) == len(want)
    titles = [point.findtext(SVG + "title") for point in points]
    assert f"{want[0]['gpu_count']} x {want[0]['gpu']}, {want[0]['weight_dtype']}: " in "".join(
        title for title in titles if title)


# --- what is refused

@pytest.mark.parametrize("change, culprit, code, says", [
    ({"weight_dtype": "bf16,fp7"}, "weight_dtype", "unknown_choice", "fp8"),
    ({"bytes_per_weight": 0.6}, "bytes_per_weight", "contradiction", "weight_dtype"),
    ({"bytes_per_weight": 0.6, "weight_dtype": "int4,fp8"}, "bytes_per_weight", "contradiction",
     "weight_dtype"),
    ({"peak_tflops": 900}, "peak_tflops", "contradiction", "/v1/inference-sizing"),
    ({"link_gb_per_second": 90}, "link_gb_per_second", "contradiction", "one GPU type"),
    ({"gpu": "h100-sxm5-80gb,h100-sxm5-80g"}, "gpu", "unknown_name", "h100-sxm5-80gb"),
    ({"tensor_parallel": 3}, "tensor_parallel", "contradiction", "attention heads"),
    ({"concurrent_requests": 3}, None, "contradiction", "only one"),
    ({"rank": "time"}, "rank", "unknown_choice", "latency"),
    ({"model": "llama-2-70"}, "model", "unknown_name", "llama-2-70b"),
    ({"provider": "nobody"}, "provider", "unknown_name", ""),
])
def test_what_makes_no_sense_is_refused(server, change, culprit, code, says):
    reply = server.get("/v1/inference-sizing/options", **FEW | change)
    assert reply.status == 400, reply.text
    errors = {error["parameter"]: error for error in reply.json["errors"]}
    error = errors[culprit] if culprit else next(iter(errors.values()))
    assert error["code"] == code and says in error["detail"], errors


def test_designs_of_owned_gpus_are_bounded(server):
    """Each has a ledger of its own, of which the largest servers would ask for tens of thousands."""
    def asked(**more):
        return server.get("/v1/inference-sizing/options", model="llama-2-70b", limit=1,
                          requests_per_minute=60, gpus_per_node=1024, **more)

    refused = asked(purchase_option="owned")
    assert refused.status == 400
    assert [(e["parameter"], e["code"]) for e in refused.json["errors"]] == [("gpus_per_node", "too_many")]
    for fewer in ({"gpu": "h100-sxm5-80gb"}, {"pipeline_parallel": 2}, {"price_per_gpu_hour": 2}):
        assert asked(purchase_option="owned", **fewer).status == 200, fewer
    assert asked().status == 200


UNABLE = {"p100-pcie-16gb": "needs compute capability 7.5 for weights of fp8, p100-pcie-16gb has 6.0",
          "t4": "needs compute capability 8.0 for latent attention (MLA), t4 has 7.5",
          "inferentia2": "no kernels for latent attention (MLA) on GPUs of AWS",
          "mi250x": "needs arithmetic in weights of fp8, which mi250x lacks"}


def test_what_no_engine_runs_is_ruled_out(server):
    """DeepSeek-R1 in FP8: memory alone would do."""
    asked = dict(model="deepseek-r1", requests_per_minute=60)
    answer = options(server, **asked, gpu=",".join([*UNABLE, "a100-sxm4-80gb", "h200-sxm5-141gb"]))
    assert {gpu: row["reason"] for gpu, row in ruled_out(answer).items()} == dict.fromkeys(UNABLE, "engine")
    for gpu, says in UNABLE.items():
        assert says in ruled_out(answer)[gpu]["sentence"]
        alone = server.get("/v1/inference-sizing", **asked, gpu=gpu)
        assert alone.status == 422 and says in alone.json["detail"]
    assert {row["gpu"] for row in answer["options"]} == {"a100-sxm4-80gb", "h200-sxm5-141gb"}
    stated = server.get("/v1/inference-sizing", **asked, gpu="p100-pcie-16gb", gpu_count=8).json
    assert "unsupported" in codes(stated)
    ampere = server.get("/v1/inference-sizing", **asked, gpu="a100-sxm4-80gb").json
    assert "weight_only" in codes(ampere)


@pytest.mark.parametrize("model, tensor, nearest", [("phi-4", 4, 5), ("phi-4", 8, 5), ("qwen2.5-7b", 7, 4)])
def test_kv_heads_are_divided_as_evenly_as_heads(server, model, tensor, nearest):
    """Phi-4 has 40 heads and 10 KV heads: designs had 4 GPUs, on which vLLM stops with an assertion."""
    refusal = server.get("/v1/inference-sizing", model=model, gpu="h100-sxm5-80gb", tensor_parallel=tensor)
    assert refusal.status == 400 and f"KV heads or be a multiple of them; nearest is {nearest}" in refusal.json["detail"]
    kv_heads = server.get(f"/v1/models/{model}").json["kv_head_count"]
    widths = {row["tensor_parallel"] for row in rows(server, model=model, requests_per_minute=6000, time_to_first_token_seconds_max=2,
                                                     tokens_per_second_per_user_min=20)}
    assert len(widths) > 1 and not [width for width in widths if kv_heads % width and width % kv_heads]


ELSEWHERE = [("tensorrt_llm", "mi300x", {}, "TensorRT-LLM does not run on mi300x: it has kernels for GPUs of NVIDIA ("),
             ("tensorrt_llm", "t4", {}, "TensorRT-LLM needs compute capability 8.0"),
             ("tensorrt_llm", "a100-sxm4-80gb", dict(weight_dtype="fp8"), "TensorRT-LLM needs compute capability 8.9 for weights of fp8"),
             ("tensorrt_llm", "h100-sxm5-80gb", dict(weight_dtype="q4_k_m"), "TensorRT-LLM has no kernels for weights of q4_k_m"),
             ("sglang", "gaudi3", {}, "SGLang does not run on gaudi3: it has kernels for GPUs of NVIDIA, AMD, Google and Intel Arc ("),
             ("sglang", "mi250x", {}, "MI300X and later"),
             ("llama_cpp", "tpu-v6e", {}, "llama.cpp does not run on tpu-v6e"),
             ("unspecified", "tpu-v6e", dict(weight_dtype="q4_k_m"), "no kernels for weights of q4_k_m on GPUs of Google")]


@pytest.mark.parametrize("engine, gpu, more, says", ELSEWHERE)
def test_what_the_engine_does_not_run_is_refused_everywhere(server, engine, gpu, more, says):
    """A list for TensorRT-LLM had TPUs, Trainium and AMD GPUs, and a recommendation for it rented MI300X."""
    asked = dict(model="llama-3.1-8b", requests_per_minute=60, engine=engine, **more)
    gpus = options(server, **asked)
    assert says in ruled_out(gpus)[gpu]["sentence"] and ruled_out(gpus)[gpu]["reason"] == "engine"
    assert gpu not in {row["gpu"] for row in gpus["options"]}
    for path, workload in (("/v1/inference-sizing", {}), ("/v1/break-even", dict(workload="serve"))):
        reply = server.get(path, **asked, **workload, gpu=gpu)
        assert reply.status == 422 and says in reply.json["detail"], path
    advice = server.get("/v1/recommendation", **asked, workload="serve", gpu=gpu).json
    assert says in advice["ruled_out"][0]["sentence"] and not [row for row in advice["options"] if row["gpu"]]
    stated = server.get("/v1/inference-sizing", **asked, gpu=gpu, gpu_count=1).json
    assert {"engine_support", "unsupported"} & set(codes(stated)), "a stated design is answered with a warning"


def test_an_engine_lists_only_gpus_it_runs_on(server):
    vendors = {row["gpu"]: row["vendor"] for row in server.get("/v1/gpus", limit=1000).json["rows"]}
    asked = dict(model="llama-3.1-8b", requests_per_minute=60, per_gpu=1)
    for engine, makers in (("tensorrt_llm", {"NVIDIA"}), ("sglang", {"NVIDIA", "AMD", "Google", "Intel"}),
                           ("llama_cpp", {"NVIDIA", "AMD", "Intel"}), ("vllm", set(vendors.values()))):
        assert {vendors[row["gpu"]] for row in options(server, **asked, engine=engine)["options"]} == makers, engine


def test_what_was_measured_on_an_engine_is_supported(server):
    """The support matrix against the published runs."""
    gpus = {row["gpu"] for row in server.get("/v1/gpus", limit=1000).json["rows"]}
    runs = {}
    with open(SEED / "measurement_inference.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["gpu"] in gpus and row["engine"] in ("vllm", "tensorrt_llm", "sglang", "llama_cpp"):
                runs.setdefault((row["engine"], row["gpu"], row["weight_dtype"]), row)
    assert len(runs) > 40
    for (engine, gpu, dtype), row in runs.items():
        reply = server.get("/v1/inference-sizing", model=row["model"], gpu=gpu, engine=engine, weight_dtype=dtype,
                           gpu_count=row["tensor_parallel"], tensor_parallel=row["tensor_parallel"], batch_size=1)
        if reply.status != 400:  # a model or division that only runs have
            assert not {"engine_support", "unsupported"} & set(codes(reply.json)), (engine, gpu, dtype)


def test_what_only_engines_for_few_users_run_is_listed_where_it_is_asked_for(server):
    """vLLM's binaries need compute capability 7.5; llama.cpp runs on a V100."""
    service = dict(model="llama-3.2-1b", requests_per_minute=60)
    volta = "v100-sxm2-32gb"
    assert "serves many users" in ruled_out(options(server, **service))[volta]["sentence"]
    for asked in (dict(gpu=volta), dict(engine="llama_cpp", per_gpu=1)):
        answer = options(server, **service, **asked)
        assert volta not in ruled_out(answer) and volta in {row["gpu"] for row in answer["options"]}
    assert volta not in ruled_out(options(server, model="llama-3.2-1b", batch_size=4, per_gpu=1)), "its user's own requests"
    fp4 = ruled_out(options(server, model="gpt-oss-120b", requests_per_minute=60))
    assert "arithmetic in fp8, which mi250x lacks" in fp4["mi250x"]["sentence"] and "mi300x" not in fp4
    sized = server.answer("/v1/inference-sizing", **service, gpu=volta)
    assert "engine=llama_cpp" in next(w["detail"] for w in sized.json["warnings"] if w["code"] == "engine_support")
    assert "engine_support" not in codes(server.answer("/v1/inference-sizing", **service, gpu="t4").json)



@pytest.mark.parametrize("model, gpu, rate", [("kimi-k2-instruct", "h100-pcie-80gb", 60), ("llama-3.1-8b", "l4", 3000),
                                              ("llama-3.1-8b", "h100-sxm5-80gb", 6000)])
def test_stages_that_give_nothing_are_not_listed(server, model, gpu, rate):
    """TP1 x PP16 of Kimi-K2 takes the GPUs of TP8 x PP2, and longer for everything."""
    asked = dict(model=model, gpu=gpu, requests_per_minute=rate)
    listed = rows(server, **asked)
    times = ("latency_p95_seconds_estimate", "time_to_first_token_p95_seconds_estimate",
             "time_to_first_token_seconds", "time_per_output_token_seconds", "gpu_count", "cost_per_hour")

    def outdone(row):
        return any(other["pipeline_parallel"] < row["pipeline_parallel"]
                   and all((other[name] or 0) <= (row[name] or 0) for name in times) for other in listed)

    assert len(listed) > 3 and not [row["plan"] for row in listed if outdone(row)]
    staged = any(row["pipeline_parallel"] > 1 for row in listed)
    assert staged == (model == "kimi-k2-instruct"), "but those of a model that no server holds are"
    stated = rows(server, **asked, pipeline_parallel=16)
    assert stated and all(row["pipeline_parallel"] == 16 for row in stated)


@pytest.mark.parametrize("limit", [dict(latency_p95_seconds=5), dict(latency_p95_seconds=8),
                                   dict(latency_p95_seconds=12, time_to_first_token_seconds_max=2)])
def test_an_option_within_the_limits_has_figures_within_them(server, limit):
    """With prefill replicas of its own too, whose number is part of the design."""
    answer = server.get("/v1/inference-sizing/options", model="llama-3-8b", requests_per_minute=600, input_tokens=1000,
                        output_tokens=300, **limit).json
    apart = 0
    for row in answer["options"]:
        if row["meets_latency"]:
            assert row["latency_p95_seconds_estimate"] <= limit["latency_p95_seconds"] * 1.00001, row["gpu"]
            first = limit.get("time_to_first_token_seconds_max", math.inf)
            assert row["time_to_first_token_p95_seconds_estimate"] <= first * 1.00001, row["gpu"]
        if row["prefill_replica_count"]:
            apart += 1
            plan = server.get(row["plan"]).json
            for name in ("gpu_count", "latency_p95_seconds_estimate", "time_to_first_token_p95_seconds_estimate"):
                assert row[name] == pytest.approx(plan[name], rel=1e-5), (row["gpu"], name)
    assert apart
