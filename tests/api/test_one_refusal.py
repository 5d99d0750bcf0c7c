"""All that is wrong with a question is refused in one reply: no second round for names and missing inputs."""
import pytest


def culprits(server, path, **values):
    reply = server.get(f"/v1/{path}", **values)
    assert reply.status == 400, reply.text
    return [(error["parameter"], error["code"]) for error in reply.json["errors"]]


@pytest.mark.parametrize("path, values, wrong", [
    ("training-plan", {}, {("gpu", "missing_parameter"), ("model", "missing_parameter")}),
    ("training-plan", {"gpu": "h10", "model": "lama", "tokens": "x", "provider": "amazn"},
     {("tokens", "not_a_number"), ("gpu", "unknown_name"), ("model", "unknown_name"), ("provider", "unknown_name")}),
    ("inference-sizing", {"tokns": 1}, {("tokns", "unknown_parameter"), ("gpu", "missing_parameter"), ("model", "missing_parameter")}),
    ("inference-sizing/options", {"gpu": "h10,h200", "requests_per_minute": "x"},
     {("requests_per_minute", "not_a_number"), ("gpu", "unknown_name"), ("model", "missing_parameter")}),
    ("break-even", {"gpu": "h10", "workload": "serve", "model": "lama", "provider": "amazn"},
     {("gpu", "unknown_name"), ("model", "unknown_name"), ("provider", "unknown_name")}),
    ("break-even", {"gpu": "h10", "utilization": "x"}, {("gpu", "unknown_name"), ("utilization", "not_a_number")}),
    ("recommendation", {"workload": "train", "gpu": "h10", "model": "lama", "provider": "amazn"},
     {("gpu", "unknown_name"), ("model", "unknown_name"), ("provider", "unknown_name")}),
])
def test_everything_wrong_is_told_at_once(server, path, values, wrong):
    told = culprits(server, path, **values)
    assert set(told) == wrong


def test_what_is_wrong_with_the_size_of_a_model_is_told_once(server):
    assert culprits(server, "training-plan", gpu="h100-sxm5-80gb", parameters="70B") == [("parameters", "not_a_number")]


def test_no_name_is_told_twice(server):
    told = culprits(server, "recommendation", workload="train", gpu="h10", model="llama-3.1-8b")
    assert told == [("gpu", "unknown_name")]


def detail(server, path, name, value):
    errors = server.get(f"/v1/{path}", **{name: value}).json["errors"]
    return next(error["detail"] for error in errors if error["parameter"] == name)


@pytest.mark.parametrize("path, name, of", [
    ("training-plan", "owned_gpu_count", "/v1/break-even"), ("inference-sizing", "housing", "/v1/break-even"),
    ("training-plan/options", "horizon_months", "/v1/break-even"), ("offers", "utilization", "/v1/training-plan"),
])
def test_an_input_of_another_answer_is_said_to_be_one(server, path, name, of):
    told = detail(server, path, name, 8)
    assert of in told and "did you mean" not in told


def test_owned_gpus_of_a_plan_are_a_way_to_pay(server):
    told = detail(server, "training-plan", "owned_gpu_count", 8)
    assert "purchase_option=owned" in told and "utilization" in told
    owned = server.answer("/v1/training-plan", gpu="h100-sxm5-80gb", model="llama-2-7b", tokens="1e11", gpu_count=8,
                          purchase_option="owned", utilization=0.7).json
    assert owned["price_basis"] == "owned"


def test_a_missing_list_is_asked_for_in_one_whole_sentence(server):
    told = detail(server, "inference-sizing/pools", "pools", "")
    assert told.startswith("is required: ") and len(told) < 250 and not told.endswith("relat")
