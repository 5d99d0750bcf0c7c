"""Figures typed in another unit: legal, answered, and the first warning says so."""
import pytest

ASKED = {
    "/v1/break-even": dict(gpu="h100-sxm5-80gb", utilization=0.7),
    "/v1/training-plan": dict(gpu="h100-sxm5-80gb", model="llama-3.1-8b", tokens=1e9),
    "/v1/inference-sizing": dict(gpu="h100-sxm5-80gb", model="llama-3.1-8b", concurrent_requests=1),
    "/v1/recommendation": dict(budget=200000),
}


def warnings(server, path, **more):
    reply = server.get(path, **ASKED[path], **more)
    assert reply.status == 200, reply.text
    return reply.json["warnings"]


@pytest.mark.parametrize("path, name, value, says", [
    ("/v1/break-even", "electricity_price_per_kwh", 28, "233 times the usual 0.12 USD: it is the price of a kWh, not in cents"),
    ("/v1/break-even", "server_price", 300, "0.1% of the usual 300,000 USD: it is the full price of one server"),
    ("/v1/break-even", "server_price", 3000000, "10 times"),
    ("/v1/break-even", "gpu_card_price", 240000, "not of a server"),
    ("/v1/break-even", "rent_price_per_gpu_hour", 31.92, "not of a server or a month"),
    ("/v1/break-even", "residual_value", 0.3, "annual_value_retention"),
    ("/v1/break-even", "staff_cost_per_fte_year", 3000, "for a year"),
    ("/v1/training-plan", "price_per_gpu_hour", 2000, "one GPU for one hour"),
    ("/v1/inference-sizing", "price_per_gpu_hour", 2000, "one GPU for one hour"),
    ("/v1/recommendation", "electricity_price_per_kwh", 28, "not in cents"),
])
def test_a_figure_in_another_unit_is_the_first_warning(server, path, name, value, says):
    first = warnings(server, path, **{name: value})[0]
    assert first["code"] == "unusual_input" and first["detail"].startswith(f"{name}={value} is ") and says in first["detail"]


@pytest.mark.parametrize("path, given", [
    ("/v1/break-even", dict(electricity_price_per_kwh=0.35, server_price=220000, rent_price_per_gpu_hour=1.2)),
    ("/v1/break-even", dict(electricity_price_per_kwh=28, currency="JPY")),
    ("/v1/break-even", dict(electricity_price_per_kwh=0, residual_value=90000, staff_cost_per_fte_year=20000)),
    ("/v1/break-even", dict(gpu_card_price=25000, colocation_price_per_kw_month=120, housing="colocation")),
    ("/v1/training-plan", dict(price_per_gpu_hour=1)),
])
def test_what_people_pay_is_usual(server, path, given):
    assert "unusual_input" not in [warning["code"] for warning in warnings(server, path, **given)]


@pytest.mark.parametrize("path, typed, value, meant", [
    ("/v1/inference-sizing", "requests_per_second", 10, "requests_per_minute? In its unit (requests/minute) that is 600"),
    ("/v1/inference-sizing", "latency_ms", 200, "latency_p95_seconds? In its unit (s) that is 0.2"),
    ("/v1/break-even", "years", 5, "horizon_months? In its unit (months) that is 60"),
    ("/v1/break-even", "utilization_percent", 70, "utilization? In its unit (ratio) that is 0.7"),
    ("/v1/break-even", "storage_gb", 500, "storage_tb? In its unit (TB) that is 0.5"),
    ("/v1/training-plan", "deadline_weeks", 2, "deadline_days? In its unit (days) that is 14"),
    ("/v1/break-even", "horizon_months_", 36, "horizon_months?"),
])
def test_another_unit_is_converted(server, path, typed, value, meant):
    error, = server.get(path, **ASKED[path], **{typed: value}).json["errors"]
    assert error["detail"] == f"unknown parameter; did you mean {meant}", error


@pytest.mark.parametrize("typed", ["dataset_size", "epochs", "num_epochs"])
def test_a_dataset_is_its_tokens(server, typed):
    error, = server.get("/v1/training-plan", **ASKED["/v1/training-plan"], **{typed: 3}).json["errors"]
    assert error["detail"] == "unknown parameter; did you mean tokens?"


def test_a_load_of_another_unit_is_not_called_a_number_of_gpus(server):
    asked = dict(model="llama-3.1-8b", gpu="l4", requests_per_minute=1e9)
    reply = server.get("/v1/inference-sizing", **asked)
    assert reply.status == 422 and reply.json["detail"].startswith("No setup of up to 1,000,000 GPUs carries this load"), reply.text
    stated = server.get("/v1/inference-sizing", **asked, tensor_parallel=7)
    assert stated.status == 400 and stated.json["errors"][0]["parameter"] in ("gpu_count", "tensor_parallel"), stated.text


def test_years_on_a_stated_number_are_told_once(server):
    asked = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", tokens=15e12)
    for more, warned in ((dict(gpu_count=8), True), (dict(gpu_count=64), False), (dict(gpu_count=8, deadline_days=3000), False)):
        answer = server.get("/v1/training-plan", **asked, **more).json
        said = [row["detail"] for row in answer["warnings"] if row["code"] == "takes_years"]
        assert len(said) == warned and all(row.startswith(f"the run takes {answer['days'] / 365:.3g} years on 8 GPUs") for row in said)


@pytest.mark.parametrize("typed, meant", [
    ("loan_interest_ratio", "financing_interest_ratio"), ("loan_ratio", "loan_down_payment_ratio"),
    ("acquisition", "financing"), ("residual_value_ratio", "annual_value_retention"), ("horizon", "horizon_months")])
def test_words_of_finance(server, typed, meant):
    error, = server.get("/v1/break-even", **ASKED["/v1/break-even"], **{typed: "x"}).json["errors"]
    assert error["detail"] == f"unknown parameter; did you mean {meant}?"


@pytest.mark.parametrize("path, params, code", [
    ("/v1/training-plan", dict(model="llama-3.1-8b", method="full", tokens=1e7, gpu="rtx-4090", gpu_count=2), "does_not_fit"),
    ("/v1/training-plan", dict(model="llama-3.1-70b", tokens=15e12, gpu="tpu-v5p"), "long_run"),
    ("/v1/training-plan", dict(model="llama-3.1-8b", tokens=15e12, gpu="h100-sxm5-80gb", gpu_count=8), "takes_years"),
    ("/v1/inference-sizing", dict(model="gpt-oss-120b", gpu="h100-sxm5-80gb", concurrent_requests=1, input_tokens=200000),
     "context_too_long"),
    ("/v1/inference-sizing", dict(model="llama-3.3-70b", gpu="rtx-4090", gpu_count=2, concurrent_requests=1), "times_unknown"),
    ("/v1/inference-sizing", dict(model="llama-3.1-8b", gpu="l40s", tokens_per_day=1e9, peak_load_ratio_max=1),
     "no_upper_end"),
])
def test_what_spoils_the_answer_is_said_before_its_prices(server, path, params, code):
    reply = server.get(path, **params)
    codes = [warning["code"] for warning in reply.json["warnings"]]
    assert code in codes[:1 + (codes[0] == "list_price")] and len(codes) > 1, codes
