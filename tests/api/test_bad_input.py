"""Nothing silent: whatever makes no sense is refused with its rule, its culprit and the nearest thing
that would work; what merely does not fit is answered."""
import json
import re
import urllib.parse

import pytest

from openapi import inlined

BREAK_EVEN = {"gpu": "h100-sxm5-80gb", "gpu_count": "8", "utilization": "0.7",
              "rent_price_per_gpu_hour": "3.93"}
TRAINING = {"model": "llama-2-70b", "tokens": "1e12", "gpu": "a100-sxm4-80gb", "gpu_count": "1024"}
INFERENCE = {"model": "llama-2-70b", "gpu": "h100-sxm5-80gb", "gpu_count": "2"}
QUESTIONS = {"/v1/break-even": BREAK_EVEN, "/v1/training-plan": TRAINING,
             "/v1/inference-sizing": INFERENCE}
LISTS = ["/v1/gpus", "/v1/offers", "/v1/offers/history", "/v1/price-summary", "/v1/hardware",
         "/v1/models", "/v1/assumptions", "/v1/exchange-rates"]


def ask(server, path, change):
    """The question of that path with a change; None takes a parameter out."""
    query = {k: v for k, v in (QUESTIONS.get(path, {}) | change).items() if v is not None}
    return server.get(path, **query)


def errors(reply, status=400):
    """The culprits of a refusal, each checked for what every one must have."""
    assert reply.status == status, reply.text
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.headers["Cache-Control"] == "no-store"
    assert reply.headers["X-Request-Id"]
    problem = reply.json
    assert problem["status"] == status
    assert problem["type"].startswith("/problems/")
    assert problem["title"] and problem["detail"] and "\n" not in problem["detail"]
    for error in problem.get("errors", []):
        assert error["code"] and error["detail"]
        assert ("parameter" in error) != ("pointer" in error)
    return problem.get("errors", [])


def refused(reply, name, code, says=""):
    """The one culprit."""
    error, = errors(reply)
    assert (error.get("parameter", error.get("pointer")), error["code"]) == (name, code)
    assert says in error["detail"]
    return error


def test_the_questions_are_answered_as_they_stand(server):
    for path in QUESTIONS:
        assert ask(server, path, {}).status == 200, path


# --- names -------------------------------------------------------------------------------------

@pytest.mark.parametrize("path, typed, meant", [
    ("/v1/break-even", "utilisation", "utilization"),
    ("/v1/break-even", "horizon_month", "horizon_months"),
    ("/v1/training-plan", "tensor_paralell", "tensor_parallel"),
    ("/v1/training-plan", "token", "tokens"),
    ("/v1/inference-sizing", "batchsize", "batch_size"),
    ("/v1/inference-sizing", "input_token", "input_tokens"),
    ("/v1/gpus", "vender", "vendor"),
    ("/v1/offers", "purchase_options", "purchase_option"),
    ("/v1/inference-sizing", "ttft", "time_to_first_token_seconds_max"),
    ("/v1/inference-sizing", "max_first_token_ms", "time_to_first_token_seconds_max"),
    ("/v1/inference-sizing", "tpot_ms", "tokens_per_second_per_user_min"),
    ("/v1/inference-sizing", "output_tokens_per_second_min", "tokens_per_second_per_user_min"),
    ("/v1/inference-sizing", "ttft_p95_seconds", "time_to_first_token_seconds_max"),
    ("/v1/inference-sizing", "time_per_output_token_seconds_max", "tokens_per_second_per_user_min"),
    ("/v1/inference-sizing", "nodes", "gpu_count"),
    ("/v1/inference-sizing", "qps", "requests_per_minute"),
    ("/v1/inference-sizing", "rpm", "requests_per_minute"),
    ("/v1/recommendation", "owned", "gpus_owned"),
    ("/v1/inference-sizing/options", "vendor", "gpu_vendor"),
    ("/v1/inference-sizing", "users", "daily_users"),
    ("/v1/inference-sizing", "max_num_seqs", "batch_size"),
    ("/v1/inference-sizing", "tensor_parallel_size", "tensor_parallel"),
    ("/v1/inference-sizing", "dtype", "weight_dtype"),
    ("/v1/training-plan", "dtype", "precision"),
    ("/v1/training-plan", "micro_batch_size", "micro_batch_sequences"),
    ("/v1/training-plan", "num_gpus", "gpu_count"),
    ("/v1/recommendation", "num_gpus", "gpu_count_max"),
    ("/v1/break-even", "months", "horizon_months"),
    ("/v1/break-even", "hourly_rate", "rent_price_per_gpu_hour"),
    ("/v1/break-even", "years", "horizon_months"),
    ("/v1/training-plan", "training_tokens", "tokens"),
    ("/v1/training-plan", "mfu", "model_flops_utilization"),
    ("/v1/training-plan", "discount", "provider_discounts"),
    ("/v1/offers", "location", "region"),
    ("/v1/training-plan", "batch_size", "global_batch_sequences"),
    ("/v1/recommendation", "gpu_type", "gpu"),
    ("/v1/break-even", "time_frame_months", "horizon_months"),
    ("/v1/inference-sizing", "measured_ttft", "measured_time_to_first_token_seconds"),
    ("/v1/inference-sizing", "measured_tpot_ms", "measured_time_per_output_token_seconds"),
    ("/v1/break-even", "kwh_price", "electricity_price_per_kwh"),
    ("/v1/inference-sizing", "max_tokens", "output_tokens"),
    ("/v1/inference-sizing", "context_length", "input_tokens"),
    ("/v1/training-plan", "quantization", "precision"),
    ("/v1/recommendation", "spot", "purchase_options"),
    ("/v1/training-plan", "gup", "gpu"),
])
def test_an_unknown_parameter_gets_the_nearest(server, path, typed, meant):
    whole = {"model": "llama-2-70b"} if path.endswith("/options") else {}
    refused(ask(server, path, whole | {typed: "1"}), typed, "unknown_parameter", f"did you mean {meant}?")


def test_no_near_name_is_a_guess(server):
    """A short name shares two letters with many: no name is better than a wrong one."""
    for path, typed in (("/v1/recommendation", "pue"), ("/v1/break-even", "start_date"), ("/v1/training-plan", "engine")):
        assert "did you mean" not in refused(ask(server, path, {typed: "1"}), typed, "unknown_parameter")["detail"]


@pytest.mark.parametrize("path", ["/v1/inference-sizing", "/v1/training-plan", "/v1/recommendation"])
@pytest.mark.parametrize("typed", ["sparsity", "sparse", "weight_sparsity", "structured_sparsity"])
def test_sparsity_is_refused_with_its_reason(server, path, typed):
    detail = refused(ask(server, path, {typed: "2:4"}), typed, "unknown_parameter")["detail"]
    assert "dense weights" in detail and "/v1/gpus/{gpu}" in detail and "no published run" in detail


def test_a_workload_of_another_name_is_the_only_error(server):
    """Which inputs it would take is unknown."""
    reply = ask(server, "/v1/recommendation", {"workload": "inference", "model": "llama-3.1-8b", "requests_per_minute": "60"})
    assert [e["parameter"] for e in errors(reply)] == ["workload"]


@pytest.mark.parametrize("path", [*QUESTIONS, *LISTS])
def test_an_unknown_parameter_is_never_ignored(server, path):
    refused(ask(server, path, {"qqqqqqqqqqqqqqqqqqqq": "1"}), "qqqqqqqqqqqqqqqqqqqq",
            "unknown_parameter")


@pytest.mark.parametrize("path", QUESTIONS)
def test_list_parameters_are_unknown_where_there_is_no_list(server, path):
    for name, value in (("limit", "1"), ("sort", "gpu"), ("cursor", "1")):
        assert errors(ask(server, path, {name: value}))[0]["code"] == "unknown_parameter"


@pytest.mark.parametrize("path, name", [
    ("/v1/break-even", "gpu"), ("/v1/training-plan", "gpu"), ("/v1/inference-sizing", "gpu"),
    ("/v1/training-plan", "model"), ("/v1/inference-sizing", "model"),
    ("/v1/break-even", "utilization"),
])
def test_what_is_missing_is_asked_for(server, path, name):
    refused(ask(server, path, {name: None}), name, "missing_parameter", "required")
    refused(ask(server, path, {name: ""}), name, "missing_parameter", "required")


@pytest.mark.parametrize("path", [*QUESTIONS, "/v1/gpus"])
def test_a_parameter_twice_is_refused(server, path):
    query = urllib.parse.urlencode(QUESTIONS.get(path, {}))
    name = "gpu" if path in QUESTIONS else "vendor"
    value = QUESTIONS.get(path, {}).get(name, "nvidia")
    for again in (value, "other"):
        twice = f"{path}?{query or f'{name}={value}'}&{name}={again}"
        refused(server.get(twice), name, "duplicate_parameter")


@pytest.mark.parametrize("path, parameter, typed, nearest", [
    ("/v1/break-even", "gpu", "h100-sxm5-80g", "h100-sxm5-80gb"),
    ("/v1/training-plan", "gpu", "a100-sxm-80gb", "a100-sxm4-80gb"),
    ("/v1/training-plan", "gpu", "a100-sxm", "could be any of a100-sxm4-40gb, a100-sxm4-80gb: enter one"),
    ("/v1/break-even", "gpu", "h100-sxm", "did you mean h100-sxm5-80gb?"),
    ("/v1/break-even", "gpu", "NVIDIA RTX 4090", "did you mean rtx-4090?"),
    ("/v1/inference-sizing", "gpu", "H100", "could be any of h100-nvl-94gb, h100-pcie-80gb, h100-sxm5-80gb: enter one"),
    ("/v1/inference-sizing", "gpu", "b200-sxm6-192gb", "did you mean b200-sxm?"),
    ("/v1/inference-sizing", "gpu", "NVIDIA A100 80GB", "could be any of a100-pcie-80gb, a100-sxm4-80gb: enter one"),
    ("/v1/inference-sizing", "gpu", "trn2", "did you mean trainium2?"),
    ("/v1/inference-sizing", "gpu", "Inf2", "did you mean inferentia2?"),
    ("/v1/inference-sizing", "gpu", "rtx-4080", "no GPU is called rtx-4080; /v1/gpus"),
    ("/v1/inference-sizing", "model", "Qwen/Qwen3-32B-AWQ", "did you mean qwen3-32b?"),
    ("/v1/inference-sizing", "model", "K2", "kimi-k2"),
    ("/v1/inference-sizing", "model", "V3", "deepseek-v3"),
    ("/v1/inference-sizing", "model", "gpt-4", "model_config"),
    ("/v1/training-plan", "model", "llama-2-70", "llama-2-70b"),
    ("/v1/inference-sizing", "model", "lama-2-70b", "llama-2-70b"),
    ("/v1/break-even", "provider", "lamda", "lambda"),
    ("/v1/training-plan", "provider", "awss", "aws"),
    ("/v1/inference-sizing", "provider", "azur", "azure"),
    ("/v1/offers", "gpu", "h100-sxm5-80g", "h100-sxm5-80gb"),
    ("/v1/offers", "provider", "lamda", "lambda"),
    ("/v1/price-summary", "gpu", "l4o", "l4"),
    ("/v1/models", "model_type", "lama", "llama"),
    ("/v1/assumptions", "key", "puee", "pue"),
])
def test_an_unknown_name_is_refused_with_the_nearest(server, path, parameter, typed, nearest):
    change = {parameter: typed}
    if path == "/v1/break-even" and parameter == "provider":
        change |= {"rent_price_per_gpu_hour": None}
    error = refused(ask(server, path, change), parameter, "unknown_name", nearest)
    assert error["value"] == typed


@pytest.mark.parametrize("path, typed, slug", [
    ("/v1/inference-sizing", "MI300X", "mi300x"),
    ("/v1/training-plan", "H100-SXM5-80GB", "h100-sxm5-80gb"),
    ("/v1/break-even", "H100-SXM5-80GB", "h100-sxm5-80gb"),
    ("/v1/offers", "L40S", "l40s"),
    ("/v1/price-summary", "L40S", "l40s"),
    ("/v1/hardware", "L40S", "l40s"),
])
def test_a_gpu_is_found_in_capitals_too(server, path, typed, slug):
    """The same figures; every answer of one GPU writes its name as the catalogue does."""
    written, plain = ask(server, path, {"gpu": typed}).json, ask(server, path, {"gpu": slug}).json
    assert written["inputs"]["gpu"]["value"] == slug
    for answer in (written, plain):
        del answer["links"]
    assert written == plain


def test_a_list_of_gpus_and_a_path_are_in_capitals_too(server):
    load = "/v1/inference-sizing/options?model=llama-3.1-8b&requests_per_minute=60&gpu="
    assert {row["gpu"] for row in server.get(load + "L40S,MI300X").json["options"]} == {"l40s", "mi300x"}
    assert server.get("/v1/gpus/MI300X").json["gpu"] == "mi300x"


@pytest.mark.parametrize("path, nearest", [
    ("/v1/gpus/h100-sxm5-80g", "h100-sxm5-80gb"), ("/v1/models/llama-2-70", "llama-2-70b"),
    ("/v1/gpu", "/v1/gpus"), ("/v1/trainingplan", "/v1/training-plan"),
    ("/v1/gpus/", "/v1/gpus"), ("/v1/break-even/line-item", "/v1/break-even/line-items"),
])
def test_an_unknown_path_is_404_with_the_nearest(server, path, nearest):
    reply = server.get(path)
    assert errors(reply, 404) == []
    assert nearest in reply.json["detail"]
    assert reply.json["type"].endswith("/not-found")


def test_a_name_that_is_like_nothing_gets_no_suggestion(server):
    detail = server.get("/v1/gpus/qqqqqqqqqqqqqqqqqqqqqq").json["detail"]
    assert "did you mean" not in detail
    assert errors(server.get("/nowhere/at/all.json"), 404) == []


def test_everything_wrong_comes_back_at_once(server):
    found = errors(server.get("/v1/break-even?gpu_count=x&utilisation=1&horizon_months=1000&zz=1"))
    assert [(error["parameter"], error["code"]) for error in found] == [
        ("gpu_count", "not_a_number"), ("utilisation", "unknown_parameter"),
        ("horizon_months", "out_of_range"), ("zz", "unknown_parameter"),
        ("gpu", "missing_parameter")]
    many = "&".join(f"qqqqqqqqqqqq{i}=1" for i in range(200))
    assert 10 <= len(errors(server.get(f"/v1/gpus?{many}"))) <= 64


# --- numbers -----------------------------------------------------------------------------------

@pytest.mark.parametrize("value", [
    "70%", "1.234,56", "1,234", "1 234", "1'234", "1_000", "nan", "NaN", "inf", "-inf", "Infinity",
    "1e999", "-1e999", "0x10", "0b11", "1e", ".", "5.", "--1", "1.2.3", "true", "eight", "$5",
    "5USD", "  8", "8 ", "8\n", "٨", "１", "8;9", "1/2", "1f", "null", "-",
])
@pytest.mark.parametrize("path, parameter", [
    ("/v1/break-even", "gpu_count"), ("/v1/break-even", "utilization"),
    ("/v1/break-even", "server_price"), ("/v1/training-plan", "tokens"),
    ("/v1/inference-sizing", "requests_per_minute"), ("/v1/gpus", "min_memory_gib"),
])
def test_a_number_in_another_form_is_refused(server, path, parameter, value):
    error = refused(ask(server, path, {parameter: value}), parameter, "not_a_number")
    assert error["value"] == value


def test_a_number_may_begin_with_its_point(server):
    short, long = (server.get("/v1/break-even", **BREAK_EVEN | {"utilization": value}) for value in (".7", "0.7"))
    assert short.status == 200 and short.json["buy_total_cost"] == long.json["buy_total_cost"]


def test_the_form_meant_is_said(server):
    path = "/v1/break-even"
    refused(ask(server, path, {"utilization": "70%"}), "utilization", "not_a_number", "0.7")
    refused(ask(server, path, {"server_price": "1.234,56"}), "server_price", "not_a_number", "1234.56")
    refused(ask(server, "/v1/training-plan", {"tokens": "1.5T"}), "tokens", "not_a_number", "for 1.5T send 1.5e12")
    refused(ask(server, "/v1/training-plan", {"method": "grpo"}), "method", "unknown_choice", "did you mean objective=grpo?")
    error = refused(ask(server, path, {"utilization": "70"}), "utilization", "out_of_range",
                    "for 70 percent send 0.7")
    assert (error["minimum"], error["maximum"]) == (0, 1)


@pytest.mark.parametrize("path, parameter, value, low, high", [
    ("/v1/break-even", "utilization", "-0.1", 0, 1),
    ("/v1/break-even", "horizon_months", "0", 1, 120),
    ("/v1/break-even", "horizon_months", "121", 1, 120),
    ("/v1/break-even", "pue", "0.9", 1, 10),
    ("/v1/break-even", "server_price", "-1", 0, 1e15),
    ("/v1/break-even", "gpu_count", "-8", 1, 1e6),
    ("/v1/training-plan", "gpu_count", "0", 1, 131072),
    ("/v1/training-plan", "zero_stage", "4", 0, 3),
    ("/v1/training-plan", "model_flops_utilization", "1.5", 0.001, 1),
    ("/v1/training-plan", "tokens", "1e300", 1, 1e17),
    ("/v1/inference-sizing", "memory_utilization", "0", 0.05, 1),
    ("/v1/inference-sizing", "output_tokens", "-1", 0, 1e8),
    ("/v1/gpus", "limit", "0", 1, 1e9),
    ("/v1/models", "min_parameters", "-1", 0, 1e15),
])
def test_out_of_range_says_the_range(server, path, parameter, value, low, high):
    error = refused(ask(server, path, {parameter: value}), parameter, "out_of_range")
    assert (error["minimum"], error["maximum"]) == (low, high)


@pytest.mark.parametrize("path, parameter, value", [
    ("/v1/break-even", "gpu_count", "8.5"), ("/v1/training-plan", "tensor_parallel", "1.5"),
    ("/v1/inference-sizing", "batch_size", "0.5e1.5"), ("/v1/inference-sizing", "batch_size", "2.5"),
])
def test_a_count_is_whole(server, path, parameter, value):
    assert errors(ask(server, path, {parameter: value}))[0]["code"] in ("not_whole", "not_a_number")


def test_a_count_may_come_with_an_exponent(server):
    plain = ask(server, "/v1/training-plan", {"tokens": "1000000000000"}).json
    short = ask(server, "/v1/training-plan", {"tokens": "1e12"}).json
    assert plain["gpu_hours"] == short["gpu_hours"]


TOKENS = "/v1/training-plan?model=llama-2-70b&gpu=a100-sxm4-80gb&gpu_count=1024&tokens="


@pytest.mark.parametrize("typed, plain", [
    ("1e+12", "1e12"), ("1E+12", "1e12"), ("%2B1e%2B12", "1e12"), ("+1.0e+12", "1e12"),
    ("+1000000000000", "1e12"), ("1e%2B12", "1e12")])
def test_a_plus_in_a_number_is_its_sign(server, typed, plain):
    answers = [server.get(TOKENS + plain), server.get(TOKENS + typed), server.request(
        "POST", "/v1/training-plan", (TOKENS + typed).partition("?")[2].encode(),
        {"Content-Type": "application/x-www-form-urlencoded"})]
    assert [reply.status for reply in answers] == [200] * 3, answers[1].text
    assert len({reply.json["gpu_hours"] for reply in answers}) == 1
    for reply in answers[1:]:
        own = reply.json["links"]["self"]
        assert "+" not in own and " " not in own
        assert server.get(own).json["gpu_hours"] == answers[0].json["gpu_hours"]


@pytest.mark.parametrize("typed, shown", [
    ("1e%2012", "1e 12"), ("1e12+", "1e12 "), ("1+e12", "1 e12"), ("1+000", "1 000"), ("+", " "),
    ("%201e12", " 1e12"), ("++5", "  5"), ("1e++12", "1e  12"), ("+-5", "+-5"), ("-+5", "- 5")])
def test_blanks_in_numbers_are_still_refused(server, typed, shown):
    error = refused(server.get(TOKENS + typed), "tokens", "not_a_number")
    assert error["value"] == shown


def test_in_texts_a_plus_is_a_blank_unless_all_of_it_is_a_number(server):
    for typed, read in (("lambda+labs", "lambda labs"), ("a+5", "a 5"), ("1e+9", "1e+9"),
                        ("1e%209", "1e 9"), ("a%2Bb", "a+b")):
        error, = errors(server.get("/v1/break-even?gpu=h100-sxm5-80gb&provider=" + typed))
        assert error["value"] == read


@pytest.mark.parametrize("path, parameter, value, choice", [
    ("/v1/training-plan", "method", "finetune", "lora"),
    ("/v1/training-plan", "precision", "bf17", "bf16"),
    ("/v1/training-plan", "optimizer", "adamax", "adamw"),
    ("/v1/training-plan", "recompute", "some", "selective"),
    ("/v1/training-plan", "stack", "pytorch", "fsdp"),
    ("/v1/inference-sizing", "weight_dtype", "int3", "int4"),
    ("/v1/inference-sizing", "engine", "vlm", "vllm"),
    ("/v1/inference-sizing", "batching", "dynamic", "continuous"),
    ("/v1/break-even", "purchase_option", "owned", "on_demand"),
    ("/v1/gpus", "vendor", "3dfx", "nvidia"),
    ("/v1/gpus", "format", "xls", "xlsx"),
    ("/v1/gpus", "dialect", "excel-de", "excel-eu"),
    ("/v1/gpus", "layout", "tall", "long"),
])
def test_an_unknown_word_is_refused_with_those_there_are(server, path, parameter, value, choice):
    refused(ask(server, path, {parameter: value}), parameter, "unknown_choice", choice)


def test_a_word_in_capitals_is_the_word(server):
    reply = ask(server, "/v1/training-plan", {"method": "PRETRAIN", "precision": "BF16"})
    assert reply.status == 200
    assert reply.json["inputs"]["method"]["value"] == "pretrain"


@pytest.mark.parametrize("value", ["2026-02-30", "20.11.2026", "2026-11", "today", "2026-11-20T00:00",
                                   "26-11-20"])
def test_a_day_that_is_none(server, value):
    refused(server.get("/v1/gpus", as_of=value), "as_of", "not_a_date", "yyyy-mm-dd")


def test_a_day_to_come_is_refused(server):
    refused(server.get("/v1/gpus", as_of="2999-01-01"), "as_of", "out_of_range", "future")


def test_texts_that_are_not_utf8_or_too_long(server):
    assert server.get("/v1/gpus?q=%FF").status == 400
    assert server.get("/v1/gpus?q=%C3").status == 400
    assert server.get("/v1/gpus?%FF=1").status == 400
    assert server.get("/v1/gpus?q=%ED%A0%80").status == 400
    assert server.get("/v1/gpus?q=%00").status == 400
    assert server.get("/v1/gpus?q=%").status == 400
    refused(server.get("/v1/gpus", q="a" * 201), "q", "too_long")
    assert server.get("/v1/gpus", q="Köln").json["inputs"]["q"]["value"] == "Köln"
    for path in ("/v1/models/%FF", "/v1/%FF", "/%C3%28"):
        reply = server.get(path)
        assert reply.status in (400, 404)
        assert reply.json["detail"]


@pytest.mark.parametrize("value", ["<script>alert(1)</script>", "a&b", "\"'", "\x01\x1f", "=1+1",
                                   "]]>", "{}", "../..", "%s%n", "😀"])
def test_what_is_echoed_is_escaped(server, value):
    assert server.get("/v1/gpus", q=value).json["inputs"]["q"]["value"] == value
    import xml.etree.ElementTree
    root = xml.etree.ElementTree.fromstring(server.get("/v1/gpus.xml", q=value).body)
    assert root.find("inputs/q").text.strip("\n") or not value.strip("\x01\x1f")
    reply = server.get("/v1/gpus", vendor=value)
    assert errors(reply)[0]["value"] == value
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert reply.headers["X-Content-Type-Options"] == "nosniff"


# --- what does not go together -----------------------------------------------------------------

@pytest.mark.parametrize("path, change, culprits", [
    ("/v1/training-plan", {"compute_flop": "1e24"}, {"tokens", "compute_flop"}),
    ("/v1/training-plan", {"parameters": "7e10"}, {"model", "parameters"}),
    ("/v1/inference-sizing", {"parameters": "7e10"}, {"model", "parameters"}),
    ("/v1/inference-sizing", {"batch_size": "8", "concurrent_requests": "8"},
     {"batch_size", "concurrent_requests"}),
    ("/v1/inference-sizing", {"requests_per_minute": "8", "tokens_per_day": "1e9"},
     {"requests_per_minute", "tokens_per_day"}),
    ("/v1/inference-sizing", {"batch_size": "8", "tokens_per_day": "1e9"},
     {"batch_size", "tokens_per_day"}),
    ("/v1/break-even", {"gpu_hours_per_month": "4000"}, {"utilization", "gpu_hours_per_month"}),
    ("/v1/training-plan", {"duration_days": "30", "duration_hours": "720"},
     {"duration_days", "duration_hours"}),
    ("/v1/models", {"min_parameters": "2e9", "max_parameters": "1e9"},
     {"min_parameters", "max_parameters"}),
])
def test_two_ways_of_saying_one_thing(server, path, change, culprits):
    found = errors(ask(server, path, change))
    assert {error["code"] for error in found} == {"contradiction"}
    assert {error["parameter"] for error in found} <= culprits
    said = " ".join(error["detail"] + " " + error["parameter"] for error in found)
    assert all(name in said for name in culprits), said


@pytest.mark.parametrize("path, change", [
    ("/v1/training-plan", {"gpu_count": "2048", "tensor_parallel": "8", "pipeline_parallel": "8",
                           "context_parallel": "1", "data_parallel": "8"}),
    ("/v1/training-plan", {"gpu_count": "10", "tensor_parallel": "4"}),
    ("/v1/inference-sizing", {"gpu_count": "3", "tensor_parallel": "2"}),
    ("/v1/inference-sizing", {"gpu_count": "8", "tensor_parallel": "2", "pipeline_parallel": "1",
                              "replica_count": "2"}),
])
def test_degrees_that_contradict_the_gpu_count(server, path, change):
    error = refused(ask(server, path, change), "gpu_count", "contradiction")
    assert any(character.isdigit() for character in error["detail"]), "says what would do"


@pytest.mark.parametrize("path, change, nearest", [
    ("/v1/training-plan", {"gpu_count": "2100", "tensor_parallel": "7"}, "8"),
    ("/v1/inference-sizing", {"gpu_count": None, "tensor_parallel": "3"}, "2"),
    ("/v1/inference-sizing", {"gpu_count": None, "tensor_parallel": "6"}, "8"),
])
def test_heads_divide_by_tensor_parallel(server, path, change, nearest):
    found = errors(ask(server, path, change))
    error, = [each for each in found if each["parameter"] == "tensor_parallel"]
    assert "heads" in error["detail"] and "64" in error["detail"]
    assert nearest in error["detail"] or "4" in error["detail"]


@pytest.mark.parametrize("path", ["/v1/training-plan", "/v1/inference-sizing"])
def test_tensor_parallel_stays_in_a_node(server, path):
    found = errors(ask(server, path, {"tensor_parallel": "16", "gpu_count": "1024"}))
    assert any(error["parameter"] == "tensor_parallel" and "8" in error["detail"] for error in found)
    wide = ask(server, path, {"tensor_parallel": "16", "gpu_count": "1024", "gpus_per_node": "16"})
    assert wide.status == 200, wide.text


def test_layers_need_not_divide_by_pipeline_stages(server):
    reply = ask(server, "/v1/training-plan", {"gpu_count": "96", "pipeline_parallel": "3",
                                              "tensor_parallel": "8", "data_parallel": "4"})
    assert reply.status == 200, reply.text


@pytest.mark.parametrize("gpu, precision, has", [
    ("a100-sxm4-80gb", "fp8", "bf16"), ("h100-sxm5-80gb", "fp4", "fp8"),
    ("v100-sxm2-32gb", "bf16", "fp16"), ("t4", "tf32", "fp16"),
])
def test_a_precision_the_gpu_lacks(server, gpu, precision, has):
    error = errors(ask(server, "/v1/training-plan", {"gpu": gpu, "precision": precision}))[0]
    assert error["parameter"] == "precision"
    assert has in error["detail"], "says what it has"


def test_weights_the_gpu_cannot_compute_with_are_read_narrow_and_said(server):
    reply = ask(server, "/v1/inference-sizing", {"gpu": "a100-sxm4-80gb", "weight_dtype": "fp8"})
    assert reply.status == 200
    assert "weight_only" in {warning["code"] for warning in reply.json["warnings"]}


def test_a_duration_below_physics(server):
    # 8.6e23 FLOP on 2048 GPUs of 312 TFLOP/s take 15.5 days at their peak.
    base = {"tokens": "2e12", "gpu_count": "2048"}
    error = refused(ask(server, "/v1/training-plan", base | {"duration_days": "8"}), "duration_days",
                    "below_physics", "15.5")
    assert "peak" in error["detail"]
    assert ask(server, "/v1/training-plan", base | {"duration_days": "40"}).status == 200


# --- what does not fit is answered -------------------------------------------------------------

def test_stated_hardware_that_does_not_fit_is_answered(server):
    reply = ask(server, "/v1/inference-sizing", {"gpu": "rtx-4090", "gpu_count": "1",
                                                 "tensor_parallel": "1"})
    assert reply.status == 200, reply.text
    whole = reply.json
    assert whole["fits"] is False
    assert whole["weights_gib"] > whole["memory_capacity_gib"]
    assert whole["memory_shortfall_gib"] > 0
    assert whole["nearest_gpu_count"] > 1
    reply = ask(server, "/v1/training-plan", {"gpu": "rtx-4090", "gpu_count": "1"})
    assert reply.status == 200, reply.text
    assert reply.json["fits"] is False
    assert reply.json["shortfall_gib"] > 0


def test_stated_hardware_too_slow_is_answered(server):
    reply = ask(server, "/v1/inference-sizing", {"latency_p95_seconds": "0.01"})
    assert reply.status == 200
    assert reply.json["fits"] is True and reply.json["meets_latency"] is False
    assert reply.json["reason"]


@pytest.mark.parametrize("path, change", [
    ("/v1/training-plan", {"gpu_count": None, "deadline_days": "0.001"}),
    ("/v1/training-plan", {"gpu_count": None, "deadline_days": "30", "budget": "1"}),
    ("/v1/inference-sizing", {"gpu_count": None, "latency_p95_seconds": "0.001"}),
])
def test_nothing_to_choose_is_422_with_the_nearest_miss(server, path, change):
    reply = ask(server, path, change)
    errors(reply, 422)
    assert reply.json["type"].endswith("/no-solution")
    assert any(character.isdigit() for character in reply.json["detail"])


def test_another_currency_says_how(server):
    reply = ask(server, "/v1/break-even", {"currency": "XPF"})
    errors(reply, 422)
    assert "/v1/exchange-rates" in reply.json["detail"]


def test_another_version_of_the_formulas_is_refused(server):
    refused(server.get("/v1/gpus", model_version="0.9"), "model_version", "unknown_version", "1.4")


# --- bodies ------------------------------------------------------------------------------------

def post(server, path, body, content_type="application/json"):
    return server.request("POST", path, body if isinstance(body, bytes) else body.encode(),
                          {"Content-Type": content_type})


@pytest.mark.parametrize("path", QUESTIONS)
@pytest.mark.parametrize("body, says", [
    ("", "empty"), ("{", "line 1"), ("[]", "object"), ("null", "object"), ("8", "object"),
    ('"gpu"', "object"), ("{'gpu': 1}", "line 1"), ('{"gpu": "t4",}', "line 1"),
    ('{"gpu": "t4"} {}', "follows"), ('{"gpu": "t4", "gpu": "t4"}', "more than once"),
    ('{"gpu_count": 1e999}', "double"), ('{"gpu_count": NaN}', "line 1"),
    ('{"gpu_count": 0x10}', "line 1"), ('{"gpu_count": 08}', "line 1"),
    ('{"gpu": "\\u0000"}', "NUL"), ("gpu=t4", "line 1"), ("<gpu>t4</gpu>", "line 1"),
    ('{"gpu": "t4"', "early"), ("[" * 40 + "]" * 40, "deeper"), ('{"a":' * 5000, "deeper"),
    ('\n\n{"gpu": oops}', "line 3"),
])
def test_a_body_that_is_not_one_object(server, path, body, says):
    reply = post(server, path, body)
    assert errors(reply) == []
    assert reply.json["type"].endswith("/malformed-body")
    assert says in reply.json["detail"]


def test_a_body_that_is_not_utf8(server):
    reply = post(server, "/v1/break-even", b'{"gpu": "\xff"}')
    assert errors(reply) == [] and "UTF-8" in reply.json["detail"]


@pytest.mark.parametrize("change, pointer, code", [
    ({"gpu_count": "8"}, "#/gpu_count", "wrong_type"),
    ({"gpu_count": True}, "#/gpu_count", "wrong_type"),
    ({"gpu_count": [8]}, "#/gpu_count", "wrong_type"),
    ({"gpu_count": {}}, "#/gpu_count", "wrong_type"),
    ({"gpu": 8}, "#/gpu", "wrong_type"),
    ({"gpu": ["h100-sxm5-80gb", 1]}, "#/gpu", "wrong_type"),
    ({"gpu_count": 8.5}, "#/gpu_count", "not_whole"),
    ({"utilization": 70}, "#/utilization", "out_of_range"),
    ({"utilisation": 0.7}, "#/utilisation", "unknown_parameter"),
    ({"a/b~c": 1}, "#/a~1b~0c", "unknown_parameter"),
    ({"model_config": {"hidden_size": 1}}, "#/model_config/num_hidden_layers", "missing_parameter"),
])
def test_a_bad_member_is_pointed_at(server, change, pointer, code):
    document = {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.7} | change
    found = {error.get("pointer"): error["code"]
             for error in errors(server.post("/v1/break-even", document))}
    assert found.get(pointer) == code, found


def test_null_is_absent(server):
    document = {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.7, "server_price": None}
    assert server.post("/v1/break-even", document).status == 200
    found = errors(server.post("/v1/break-even", document | {"gpu": None}))
    assert found[0]["code"] == "missing_parameter"


def test_the_same_thing_in_query_and_body(server):
    reply = server.post("/v1/break-even?gpu=h100-sxm5-80gb",
                        {"gpu": "h100-sxm5-80gb", "utilization": 0.7})
    assert errors(reply)[0]["code"] == "duplicate_parameter"


def test_what_the_query_of_a_post_says_wrong_is_no_member(server):
    reply = server.post("/v1/break-even?qqqqqqqqqqqq=1", {"gpu": "t4", "utilization": 0.7})
    refused(reply, "qqqqqqqqqqqq", "unknown_parameter")


def test_a_contradiction_in_a_body_is_pointed_at(server):
    reply = server.post("/v1/training-plan", TRAINING | {
        "tokens": 1e12, "gpu_count": 1024, "compute_flop": 1e24})
    assert all("pointer" in error for error in errors(reply))


def test_a_model_is_given_once(server):
    config = {"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64,
              "num_attention_heads": 4, "vocab_size": 100}
    reply = server.post("/v1/training-plan", {"gpu": "t4", "model": "gpt2", "model_config": config})
    assert errors(reply)[0]["code"] == "contradiction"


def test_a_config_where_no_model_is_asked_for(server):
    config = {"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64,
              "num_attention_heads": 4, "vocab_size": 100}
    reply = server.post("/v1/break-even", {"gpu": "t4", "utilization": 1, "model_config": config})
    refused(reply, "#/model_config", "contradiction", "requires a workload")


@pytest.mark.parametrize("size, status", [(60 * 1024, 400), (64 * 1024 + 1, 413), (2 ** 22, 413)])
def test_a_body_has_a_limit(server, size, status):
    errors(post(server, "/v1/break-even", b'{"qqqqqqqqqqqq": "' + b"x" * (size - 20) + b'"}'), status)


@pytest.mark.parametrize("content_type", ["text/plain", "text/csv", "application/xml", "",
                                          "application/jsonx", "json", "multipart/form-data; boundary=x",
                                          "application/octet-stream"])
def test_a_body_of_another_type_is_415(server, content_type):
    reply = post(server, "/v1/break-even", '{"gpu": "t4"}', content_type)
    assert errors(reply, 415) == []
    assert "application/json" in reply.json["detail"]


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8",
                                          "Application/JSON", "application/json;charset=UTF-8"])
def test_json_by_its_other_spellings(server, content_type):
    body = '{"gpu": "h100-sxm5-80gb", "utilization": 0.7}'
    assert post(server, "/v1/break-even", body, content_type).status == 200


# --- method, format ----------------------------------------------------------------------------

@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "get"])
@pytest.mark.parametrize("path", ["/v1/gpus", "/v1/break-even", "/v1/models/gpt2", "/v1"])
def test_a_wrong_method_is_405_and_says_which_are_right(server, method, path):
    reply = server.request(method, path)
    errors(reply, 405)
    allow = reply.headers["Allow"].split(", ")
    assert {"GET", "HEAD", "OPTIONS"} <= set(allow)
    assert ("POST" in allow) == (path == "/v1/break-even")


@pytest.mark.parametrize("path", [path for path in LISTS if path != "/v1/models"])
def test_lists_take_no_post(server, path):
    errors(server.post(path, {}), 405)


def test_an_unknown_format(server):
    assert server.get("/v1/gpus.pdf").status in (404, 406)
    assert server.get("/v1/gpus.CSV").status in (404, 406)
    assert server.get("/v1/gpus.csv.gz").status in (404, 406)
    for accept in ("image/png", "text/x-markdown", "application/vnd.ms-excel"):
        reply = server.get("/v1/gpus", headers={"Accept": accept})
        errors(reply, 406)
        assert "text/csv" in reply.json["detail"]
    refused(server.get("/v1/gpus.csv?format=json"), "format", "contradiction")


@pytest.mark.parametrize("sort", ["memory", "-memory", "", "--gpu", "gpu,name", "memory_gib desc"])
def test_sorting_by_what_is_not_there(server, sort):
    reply = server.get("/v1/gpus", sort=sort)
    if not sort:
        assert reply.status == 200
        return
    refused(reply, "sort", "unknown_field", "did you mean")


@pytest.mark.parametrize("cursor", ["-1", "x", "1e3", "99999999999999999999", "10000", "1 "])
def test_a_cursor_of_no_list(server, cursor):
    refused(server.get("/v1/gpus", cursor=cursor), "cursor", "unknown_cursor")


# --- errors in a cell --------------------------------------------------------------------------

@pytest.mark.parametrize("suffix", ["txt", "csv"])
@pytest.mark.parametrize("change, says", [
    ({"utilization": "70%"}, "ERROR utilization: "), ({"utilisation": "1"}, "ERROR utilisation: "),
    ({"gpu": "h100"}, "ERROR gpu: "), ({"gpu": None}, "ERROR gpu: "),
    ({"currency": "XPF"}, "ERROR no exchange rate for XPF"),
    ({"fields": "zz", "field": "zz"}, "ERROR field"),
])
def test_an_error_as_text_in_a_cell(server, suffix, change, says):
    reply = server.get(f"/v1/break-even.{suffix}", on_error="text",
                       **{k: v for k, v in (BREAK_EVEN | change).items() if v is not None})
    assert reply.status == 200
    assert reply.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert reply.headers["Cache-Control"] == "no-store"
    assert "ETag" not in reply.headers
    assert reply.text.startswith(says)
    assert "\n" not in reply.text


@pytest.mark.parametrize("suffix", ["json", "xml", "tsv"])
def test_elsewhere_an_error_stays_an_error(server, suffix):
    errors(server.get(f"/v1/gpus.{suffix}", on_error="text", qqqqqqqqqqqqqqqq="1"))


def test_an_error_has_no_tag_and_is_not_stored(server):
    reply = server.get("/v1/gpus", qqqqqqqqqqqqqqqq="1")
    assert "ETag" not in reply.headers
    assert reply.headers["Cache-Control"] == "no-store"
    again = server.get("/v1/gpus", headers={"If-None-Match": "*"}, qqqqqqqqqqqqqqqq="1")
    assert again.status == 400


# --- any bytes at all --------------------------------------------------------------------------

def test_no_question_gets_a_fault_of_ours(server):
    """Every parameter of every question with bad values: refused or answered, and
    what is answered is JSON without NaN."""
    values = ["", "0", "-1", "1e15", "1e-300", "nan", "x", "🙂", "a,b", "'", "2026-11-20"]
    document = inlined(server.get("/openapi.json").json)
    shared = {each["name"] for each in document["paths"]["/v1"]["get"]["parameters"]}
    for path, base in QUESTIONS.items():
        names = [parameter["name"] for parameter in document["paths"][path]["get"]["parameters"]
                 if parameter["name"] not in shared]
        for name in names:
            for value in values:
                reply = server.get(path, **(base | {name: value}))
                assert reply.status in (200, 400, 422), (path, name, value, reply.text)
                json.loads(reply.body, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))


@pytest.mark.parametrize("path, typed, value, meant", [
    ("/v1/break-even", "own_quote", "48000", "server_price"),
    ("/v1/break-even", "gpu_price", "25000", "gpu_card_price"),
    ("/v1/break-even", "discount_ratio", "0.1", "provider_discounts"),
    ("/v1/break-even", "owned_gpus", "2", "owned_gpu_count"),
    ("/v1/recommendation", "owned_gpus", "2", "gpus_owned"),
    ("/v1/recommendation", "power_kw", "10", "power_budget_kw"),
    ("/v1/recommendation", "acquisition", "buy", "purchase_options"),
    ("/v1/inference-sizing", "availability", "99.9", "spare_replicas"),
])
def test_words_of_procurement_are_understood(server, path, typed, value, meant):
    refused(ask(server, path, {typed: value}), typed, "unknown_parameter", f"did you mean {meant}?")


@pytest.mark.parametrize("typed", ["on_premises", "on-prem", "own"])
@pytest.mark.parametrize("parameter", ["hosting", "housing"])
def test_on_premises_is_a_room_of_ones_own(server, parameter, typed):
    says = "did you mean own_room?" if parameter == "housing" else "did you mean housing=own_room?"
    reply = server.get("/v1/recommendation", model="llama-3.1-8b", requests_per_minute=60, **{parameter: typed})
    refused(reply, parameter, "unknown_choice", says)


def test_a_cell_tells_every_error(server):
    """A cell has no list of errors below the sentence."""
    text = server.get("/v1/break-even.txt", on_error="text", **BREAK_EVEN | {"hosting": "x", "months": "36"}).text
    assert "hosting: unknown parameter; did you mean housing?; months: unknown" in text
    assert "did you mean horizon_months?" in text


def test_no_country_without_a_figure_is_suggested(server):
    """Norway is NO, of which no industrial price is known: neither error sends the reader to the other."""
    for typed in "Norway", "NO":
        error = refused(server.get("/v1/electricity-prices", country=typed), "country", "unknown_name", "no figure")
        assert "did you mean" not in error["detail"] and "two-letter" not in error["detail"]
    refused(server.get("/v1/carbon", country="Norway"), "country", "unknown_name", "did you mean NO")


@pytest.mark.parametrize("path, says", [("/v1/price-summary", "or without it for all"), ("/v1/break-even", "once for each")])
def test_several_gpus_where_one_is_taken(server, path, says):
    reply = ask(server, path, {"gpu": "h100-sxm5-80gb,b200-sxm"})
    assert "did you mean" not in refused(reply, "gpu", "several_names", says)["detail"]


def test_an_empty_list_of_offers_says_which_filter_is_to_blame(server):
    """No region was asked for, so regions are not the reason."""
    warning, = server.get("/v1/offers", gpu="h100-sxm5-80gb", min_gpu_count=64).json["warnings"]
    assert re.search(r"the largest has \d+ GPUs", warning["detail"]) and "/v1/break-even with gpu_count" in warning["detail"]
    assert "region" not in warning["detail"]
    warning, = server.get("/v1/offers", gpu="rtx-4090", max_price_per_gpu_hour=0.5, country="DE").json["warnings"]
    assert "match no region or country filter" in warning["detail"]
    warning, = server.get("/v1/offers", gpu="rtx-4090", max_price_per_gpu_hour=0.01).json["warnings"]
    assert "region" not in warning["detail"]


def test_buying_is_called_owned(server):
    reply = server.get("/v1/recommendation", model="llama-3.1-8b", requests_per_minute=60, purchase_options="buy")
    refused(reply, "purchase_options", "unknown_choice", "did you mean owned?")


@pytest.mark.parametrize("path, meant", [("prices", "/v1/price-summary"), ("prices.csv", "/v1/price-summary"),
                                         ("tco", "/v1/break-even"), ("co2", "/v1/carbon"), ("inference", "/v1/inference-sizing")])
def test_an_address_of_another_name_is_led_on(server, path, meant):
    reply = server.get(f"/v1/{path}")
    assert reply.status == 404 and f"did you mean {meant};" in reply.json["detail"]
