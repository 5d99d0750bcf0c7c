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


@pytest.mark.parametrize("path, name, typed, send", [
    ("break-even", "utilization", "0,7", "0.7"), ("break-even", "server_price", "$300,000", "300000, in the answer's currency"),
    ("break-even", "server_price", "1,234,567.5", "1234567.5, in the answer's currency"),
    ("break-even", "horizon_months", "3 years", "36"), ("break-even", "gpu_count", "8 GPUs", "8"),
    ("training-plan", "gpu_count", "8xH100", "8"), ("training-plan", "gpu_count", "1,024", "1024"),
    ("training-plan", "tokens", "2M tokens", "2000000"), ("training-plan", "tokens", "1.5 T", "1500000000000"),
    ("training-plan", "deadline_days", "2 weeks", "14"), ("training-plan", "tokens", "2T", "2e12"),
    ("inference-sizing", "latency_p95_seconds", "500 ms", "0.5"), ("inference-sizing", "daily_users", "50k users", "50000"),
])
def test_a_number_as_people_write_it_is_answered_with_what_to_send(server, path, name, typed, send):
    assert detail(server, path, name, typed) == f"must be a plain number: for {typed} send {send}"


@pytest.mark.parametrize("path, name, typed", [
    ("training-plan", "tokens", "1.000.000"), ("training-plan", "tokens", "1,2,3"), ("break-even", "horizon_months", "3 GPUs"),
    ("break-even", "horizon_months", "three"), ("break-even", "horizon_months", "3 kW"), ("training-plan", "tokens", "2 TB")])
def test_what_is_not_clear_is_not_guessed(server, path, name, typed):
    assert " send " not in detail(server, path, name, typed)


@pytest.mark.parametrize("typed", ["8xb200-sxm", "8 x B200-SXM", "8xB200"])
def test_a_number_before_the_gpu_goes_into_gpu_count(server, typed):
    assert detail(server, "break-even", "gpu", typed) == "takes the GPU alone: send gpu=b200-sxm and gpu_count=8"


def test_of_several_gpus_that_may_be_meant_one_goes_with_the_number(server):
    told = detail(server, "break-even", "gpu", "8xH100")
    assert told == "takes the GPU alone: send gpu=h100-nvl-94gb, h100-pcie-80gb, h100-sxm5-80gb (one of them) and gpu_count=8"
