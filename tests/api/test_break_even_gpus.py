"""Several kinds of GPU side by side: each row is the break-even of that GPU by itself."""
import csv
import io
import urllib.parse
import xml.etree.ElementTree as xml

import pytest

from answers import warned

GPUS = ("h100-sxm5-80gb", "h200-sxm5-141gb", "a100-sxm4-80gb", "l40s")
NAMED = ",".join(GPUS)
HELD = dict(gpu_count=8, utilization=0.7, horizon_months=36)
SERVE = dict(model="llama-2-13b", requests_per_minute=600, input_tokens=1000, output_tokens=300,
             latency_p95_seconds=12)
TRAIN = dict(model="llama-2-13b", tokens=1e11, deadline_days=60, runs_per_year=4)
WORK = {"held": HELD, "serve": SERVE, "train": TRAIN}
HOSTED = dict(hosted_input_price_per_million_tokens=1, hosted_output_price_per_million_tokens=3)
# What a row has that a break-even has under the same name.
SAME = ("gpu_count", "utilization", "verdict", "buy_total_cost", "rent_total_cost", "buy_saving",
        "break_even_months", "break_even_status", "break_even_utilization",
        "break_even_utilization_status", "break_even_rent_price_per_gpu_hour",
        "break_even_rent_price_status", "buy_cost_per_useful_gpu_hour",
        "rent_cost_per_useful_gpu_hour", "buy_cost_per_million_tokens",
        "rent_cost_per_million_tokens", "workload_days", "workload_replica_count", "hardware_cost",
        "workload_plan")


def ask(server, path="/v1/break-even/gpus", **params):
    return server.answer(path, **params).json


def rows(answer):
    return {row["gpu"]: row for row in answer["options"]}


def refused(server, **params):
    return server.refusals("/v1/break-even/gpus", **params)


# --- each row

@pytest.mark.parametrize("work", WORK)
def test_a_row_is_the_break_even_of_that_gpu(server, work):
    table = rows(ask(server, gpu=NAMED, **WORK[work]))
    assert sorted(table) == sorted(GPUS)
    for gpu, row in table.items():
        alone = ask(server, "/v1/break-even", gpu=gpu, **WORK[work])
        assert {name: row[name] for name in SAME} == {name: alone[name] for name in SAME}
        for name in ("rent_price_per_gpu_hour", "server_price", "gpus_per_node"):
            assert row[name] == pytest.approx(alone["inputs"][name]["value"], abs=0.005), name
        assert row["least_total_cost"] == min(row["buy_total_cost"], row["rent_total_cost"])
        assert row["note"] is None


@pytest.mark.parametrize("work", WORK)
def test_a_row_links_to_its_ledger(server, work):
    priced = dict(gpu=NAMED, rent_prices="l40s:1.1,h200-sxm5-141gb:3.4",
                  server_prices="h100-sxm5-80gb:290000")
    for row in ask(server, **priced, **WORK[work])["options"]:
        ledger = ask(server, row["break_even"])
        assert {name: row[name] for name in SAME} == {name: ledger[name] for name in SAME}
        for side in ("buy", "rent"):
            lines = sum(round(line["amount"] * 100) for line in ledger["line_items"]
                        if line["side"] == side)
            assert lines == round(row[f"{side}_total_cost"] * 100)


def test_one_gpu_is_a_table_of_one_row(server):
    answer = ask(server, gpu="l40s", **HELD, rent_price_per_gpu_hour=1, server_price=90000)
    alone = ask(server, "/v1/break-even", gpu="l40s", **HELD, rent_price_per_gpu_hour=1,
                server_price=90000)
    assert answer["best_total_cost"] == min(alone["buy_total_cost"], alone["rent_total_cost"])
    assert answer["next_total_cost"] is None and not warned(answer, "not_the_same_work")


# --- order and the best

@pytest.mark.parametrize("work", WORK)
def test_the_cheapest_comes_first_and_is_marked(server, work):
    answer = ask(server, gpu=NAMED, **WORK[work])
    table = answer["options"]
    costs = [row["least_total_cost"] for row in table]
    assert costs == sorted(costs) and costs[0] < costs[1]
    assert [row["rank"] for row in table] == [1, 2, 3, 4]
    assert [row["best"] for row in table] == [True, False, False, False]
    best = table[0]
    assert (answer["best_gpu"], answer["best_gpu_count"], answer["best_total_cost"]) == \
        (best["gpu"], best["gpu_count"], best["least_total_cost"])
    assert answer["best_total_cost"] == best[f"{answer['best_option']}_total_cost"]
    assert answer["next_total_cost"] == costs[1]
    assert best["gpu"] in answer["sentence"]
    assert (answer["gpus_compared"], answer["gpus_without_cost"]) == (4, 0)


def test_the_order_they_are_named_in_does_not_matter(server):
    forth = ask(server, gpu=NAMED, **SERVE)
    back = ask(server, gpu=",".join(reversed(GPUS)), **SERVE)
    assert forth["options"] == back["options"]


def test_a_list_can_be_sorted_cut_and_picked_from(server):
    reply = server.get("/v1/break-even/gpus.csv", gpu=NAMED, **HELD, sort="-buy_saving", limit=2,
                       fields="gpu,buy_saving,best")
    table = list(csv.DictReader(io.StringIO(reply.text)))
    everything = ask(server, gpu=NAMED, **HELD)["options"]
    savings = sorted((row["buy_saving"] for row in everything), reverse=True)
    assert [float(row["buy_saving"]) for row in table] == savings[:2]
    assert list(table[0]) == ["gpu", "buy_saving", "best"]


@pytest.mark.parametrize("dearer", [1.01, 2, 50])
def test_a_dearer_gpu_never_moves_up(server, dearer):
    hourly = SERVE | dict(purchase_option="on_demand")
    usual = rows(ask(server, gpu=NAMED, **hourly))
    for gpu in GPUS:
        prices = dict(rent_prices=f"{gpu}:{usual[gpu]['rent_price_per_gpu_hour'] * dearer}",
                      server_prices=f"{gpu}:{usual[gpu]['server_price'] * dearer}")
        moved = rows(ask(server, gpu=NAMED, **hourly, **prices))
        assert moved[gpu]["rank"] >= usual[gpu]["rank"]
        assert moved[gpu]["least_total_cost"] > usual[gpu]["least_total_cost"]
        assert all(moved[other]["least_total_cost"] == usual[other]["least_total_cost"]
                   for other in GPUS if other != gpu)


# --- the same work

def test_with_a_workload_all_do_the_same_work(server):
    served = ask(server, gpu=NAMED, **SERVE, **HOSTED)
    counts = {row["gpu_count"] for row in served["options"]}
    assert len(counts) > 1 and served["workload"] == "serve"
    tokens = {round(row["buy_total_cost"] / row["buy_cost_per_million_tokens"] / 100)
              for row in served["options"]}
    assert len(tokens) == 1
    assert served["hosted_total_cost"] == ask(server, "/v1/break-even", gpu="l40s", **SERVE,
                                              **HOSTED)["hosted_total_cost"]
    assert not warned(served, "not_the_same_work")


def test_a_token_trained_on_costs_its_share(server):
    answer = ask(server, gpu=NAMED, **TRAIN)
    assert answer["workload"] == "train"
    for row in answer["options"]:
        tokens = TRAIN["tokens"] * TRAIN["runs_per_year"] * 3
        for side in ("buy", "rent"):
            assert row[f"{side}_cost_per_million_tokens"] == pytest.approx(
                row[f"{side}_total_cost"] / tokens * 1e6, abs=1e-6)


def test_without_a_workload_it_is_said_that_the_work_differs(server):
    answer = ask(server, gpu=NAMED, **HELD)
    assert len(warned(answer, "not_the_same_work")) == 1
    assert answer["workload"] is None
    assert {row["buy_cost_per_million_tokens"] for row in answer["options"]} == {None}


# --- what is not known

def test_a_gpu_without_prices_is_a_row_of_nulls_and_a_warning(server):
    answer = ask(server, gpu="gaudi2,mi300x,h100-sxm5-80gb", **HELD, provider="lambda")
    assert [row["gpu"] for row in answer["options"]][2] == "gaudi2"
    table = rows(answer)
    neither, unrented = table["gaudi2"], table["mi300x"]
    for row in (neither, unrented):
        assert (row["rent_total_cost"], row["verdict"], row["break_even_months"]) == (None,) * 3
        assert row["break_even_status"] == "unknown_price"
        assert any(row["gpu"] in text for text in warned(answer, "no_price"))
    assert (neither["least_total_cost"], neither["rank"], neither["best"]) == (None,) * 3
    assert unrented["least_total_cost"] == unrented["buy_total_cost"] > 0
    assert table["h100-sxm5-80gb"]["verdict"] and answer["gpus_without_cost"] == 1
    assert " is cheapest of what is known over " in answer["sentence"]


def test_an_unknown_rent_is_not_the_cheapest_where_nothing_is_used(server):
    answer = ask(server, gpu="rtx-2080-ti,rtx-4090", utilization=0)
    unrented = rows(answer)["rtx-2080-ti"]
    assert (unrented["rent_total_cost"], unrented["verdict"]) == (None, None)
    assert unrented["least_total_cost"] == unrented["buy_total_cost"] > 0
    assert (answer["best_gpu"], answer["best_option"]) == ("rtx-4090", "rent")


def test_a_gpu_that_cannot_do_it_says_why(server):
    answer = ask(server, gpu="t4,h100-sxm5-80gb", model="llama-2-70b", requests_per_minute=60,
                 gpu_count=8)
    row = answer["options"][-1]
    assert row["gpu"] == "t4" and row["rank"] is None and row["best"] is None
    assert row["note"] and row["buy_total_cost"] is None
    assert any(text.startswith("t4: ") for text in warned(answer, "no_answer"))
    assert answer["gpus_without_cost"] == 1 and answer["best_gpu"] == "h100-sxm5-80gb"


def test_what_none_can_do_is_refused(server):
    reply = server.get("/v1/break-even/gpus", gpu="t4,l4", model="llama-2-70b", gpu_count=1,
                       requests_per_minute=60)
    assert reply.status == 422 and "gpu_count=1" in reply.json["detail"]
    assert refused(server, gpu=NAMED)["utilization"]["code"] == "missing_parameter"


# --- what may be asked

@pytest.mark.parametrize("params, culprit, code", [
    (dict(gpu="h100-sxm5-80gb,h100-sxm5-81gb"), "gpu", "unknown_name"),
    (dict(gpu="l4,h100-sxm5-80gb,l4"), "gpu", "contradiction"),
    (dict(gpu="l4,l40s", rent_price_per_gpu_hour=1), "rent_price_per_gpu_hour", "contradiction"),
    (dict(gpu="l4,l40s", server_price=1), "server_price", "contradiction"),
    (dict(gpu="l4,l40s", gpu_tdp_w=70), "gpu_tdp_w", "contradiction"),
    (dict(gpu="l4,l40s", rent_prices="l4"), "rent_prices", "not_a_list"),
    (dict(gpu="l4,l40s", rent_prices="l4:0"), "rent_prices", "not_a_list"),
    (dict(gpu="l4,l40s", rent_prices="l4:-1"), "rent_prices", "not_a_list"),
    (dict(gpu="l4,l40s", rent_prices="l4:1,l4:2"), "rent_prices", "contradiction"),
    (dict(gpu="l4,l40s", rent_prices="t4:1"), "rent_prices", "contradiction"),
    (dict(gpu="l4,l40s", server_prices="t5:1"), "server_prices", "unknown_name"),
])
def test_bad_input_names_itself(server, params, culprit, code):
    errors = refused(server, **params, utilization=0.5)
    assert errors[culprit]["code"] == code, errors


def test_the_bad_gpu_of_a_list_is_the_one_named(server):
    error = refused(server, gpu="l4,h100-sxm5-81gb,t4", utilization=0.5)["gpu"]
    assert error["value"] == "h100-sxm5-81gb" and "h100-sxm5-80gb" in error["detail"]


def test_inputs_are_echoed_where_they_are_the_same_for_all(server):
    inputs = ask(server, gpu=NAMED, **SERVE)["inputs"]
    alone = ask(server, "/v1/break-even", gpu="h100-sxm5-80gb", **SERVE)["inputs"]
    assert inputs["gpu"]["value"] == NAMED
    for name in ("electricity_price_per_kwh", "weight_dtype", "inflation", "workload"):
        assert inputs[name] == alone[name], name
    for name in ("gpu_count", "utilization", "server_price", "rent_price_per_gpu_hour"):
        assert inputs[name]["value"] is None and alone[name]["value"] is not None, name


def test_what_is_true_of_all_is_said_once(server):
    answer = ask(server, gpu=NAMED, **SERVE)
    assert len(warned(answer, "low_overheads")) == 1
    said = [(w["code"], w["detail"]) for w in answer["warnings"]]
    assert len(said) == len(set(said))


def test_a_config_in_the_body_stands_for_the_model(server):
    config = dict(model_type="llama", hidden_size=5120, intermediate_size=13824, vocab_size=32000,
                  num_hidden_layers=40, num_attention_heads=40, max_position_embeddings=4096)
    body = {k: v for k, v in SERVE.items() if k != "model"} | dict(gpu=NAMED, model_config=config)
    reply = server.post("/v1/break-even/gpus", body)
    assert reply.status == 200, reply.text
    named = rows(ask(server, gpu=NAMED, **SERVE))
    for gpu, row in rows(reply.json).items():
        assert row["buy_total_cost"] == named[gpu]["buy_total_cost"]
        assert row["break_even"] is None


def test_the_chart_has_a_bar_for_each_known_cost(server):
    asked = dict(gpu="h100-sxm5-80gb,mi300x", **HELD, provider="lambda")
    reply = server.get("/v1/break-even/gpus.svg", **asked)
    assert reply.headers["Content-Type"].startswith("image/svg+xml")
    chart = xml.fromstring(reply.text)
    bars = [e for e in chart.iter("{http://www.w3.org/2000/svg}rect") if e.get("class") in ("above", "below")]
    known = [row[name] for row in ask(server, **asked)["options"]
             for name in ("buy_total_cost", "rent_total_cost") if row[name] is not None]
    assert len(bars) == len(known) == 3
    widths = sorted(float(bar.get("width")) for bar in bars)
    assert [w / widths[-1] for w in widths] == pytest.approx(
        [k / max(known) for k in sorted(known)], abs=0.002)


def test_its_link_gives_the_same_again(server):
    answer = ask(server, gpu=NAMED, **SERVE, rent_prices="l40s:1.1")
    query = urllib.parse.urlsplit(answer["links"]["self"])
    assert "as_of" in query.query
    assert ask(server, f"{query.path}?{query.query}")["options"] == answer["options"]


def test_without_any_price_there_is_a_sentence_that_says_so(server):
    answer = ask(server, gpu="mi355x,gb300-nvl72", gpu_count=8, utilization=0.5)
    assert answer["best_gpu"] is None and answer["sentence"].startswith("No verdict: ")
    assert "server_prices" in answer["sentence"] and "rent_prices" in answer["sentence"]
