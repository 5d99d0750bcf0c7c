"""A set of own runs corrects lists of options as it corrects the answer that each option links to.
"""
import random

import pytest

from test_own_runs import GPU, TRAINING, runs, team  # noqa: F401  pylint: disable=unused-import

SERVICE = {"model": "llama-3.1-70b", "engine": "vllm", "weight_dtype": "fp8",
           "input_tokens": 1000, "output_tokens": 1000}
GPUS = GPU + ",h200-sxm5-141gb,a100-sxm4-80gb"
ALIKE = ("latency_p50_seconds_estimate", "latency_p95_seconds_estimate",
         "latency_p95_seconds_estimate_low", "latency_p95_seconds_estimate_high",
         "time_to_first_token_p95_seconds_estimate", "time_to_first_token_seconds",
         "time_per_output_token_seconds", "output_tokens_per_second", "batch_size", "utilization",
         "cost_per_hour", "cost_per_million_output_tokens", "gpu_count", "meets_latency",
         "correction_factor", "first_token_correction_factor", "correction_run_count")


def answer(server, path, **asked):
    return server.answer(path, **asked).json


def linked(server, row, name="plan"):
    reply = server.request("GET", row[name])
    assert reply.status == 200, reply.text
    return reply.json


def store_service(runs, *times, **other):  # noqa: F811
    for requests, seconds in times:
        runs.store(SERVICE | {"gpu": GPU, "tensor_parallel": 4, "measurement_set": "acme",
                              "concurrent_requests": requests,
                              "measured_time_per_output_token_seconds": seconds} | other)


def any_question(seed):
    draw = random.Random(seed)
    load = draw.choice([{"requests_per_minute": draw.choice([30, 300, 1200])},
                        {"concurrent_requests": draw.choice([8, 100, 700])},
                        {"tokens_per_day": draw.choice([1e8, 3e9])}])
    limits = draw.choice([{}, {"latency_p95_seconds": draw.choice([40, 90])},
                          {"tokens_per_second_per_user_min": draw.choice([15, 40])},
                          {"time_to_first_token_seconds_max": 2}])
    more = draw.choice([{}, {"purchase_option": "owned"}, {"spare_replicas": 1},
                        {"peak_to_average_ratio": 3}])
    return SERVICE | load | limits | more


@pytest.mark.parametrize("seed", range(12))
def test_each_option_is_what_its_sizing_says(runs, seed):  # noqa: F811
    draw = random.Random(-1 - seed)
    store_service(runs, *((2 ** draw.randint(0, 8), draw.uniform(0.018, 0.06))
                          for _ in range(draw.randint(1, 4))),
                  measured_time_to_first_token_seconds=draw.uniform(0.2, 1))
    asked = any_question(seed) | {"measurement_set": "acme"}
    rows = answer(runs.server, "/v1/inference-sizing/options", gpu=GPUS, per_gpu=4,
                  **asked)["options"]
    assert {row["gpu"] for row in rows if row["correction_run_count"]} == {GPU}
    for row in rows:
        sizing = linked(runs.server, row)
        for name in ALIKE:
            assert row[name] == sizing[name], (name, row["plan"])
        if row["correction_run_count"]:
            assert row["time_per_output_token_seconds_uncorrected"] == \
                sizing["time_per_output_token_seconds_uncorrected"], row["plan"]


@pytest.mark.parametrize("seed", range(6))
def test_a_sizing_is_the_smallest_of_the_options(runs, seed):  # noqa: F811
    """Searched by the corrected times: not the design that would do without the runs."""
    store_service(runs, (1, 0.02), (32, 0.03), (256, 0.05))
    asked = any_question(seed) | {"measurement_set": "acme", "gpu": GPU}
    sizing = answer(runs.server, "/v1/inference-sizing", **asked)
    rows = answer(runs.server, "/v1/inference-sizing/options", per_gpu=0, **asked)["options"]
    assert sizing["gpu_count"] == min(row["gpu_count"] for row in rows
                                      if row["meets_latency"] is not False)


def test_no_fewer_replicas_would_do(runs):  # noqa: F811
    """The factor depends on the load of each replica, and so on how many there are."""
    store_service(runs, (8, 0.02), (64, 0.035), (256, 0.06),
                  measured_time_to_first_token_seconds=0.5)
    asked = SERVICE | {"gpu": GPU, "requests_per_minute": 600, "latency_p95_seconds": 60,
                       "tensor_parallel": 4, "pipeline_parallel": 1}
    plain = answer(runs.server, "/v1/inference-sizing", **asked)
    asked["measurement_set"] = "acme"
    sizing = answer(runs.server, "/v1/inference-sizing", **asked)
    assert sizing["meets_load"] and sizing["meets_latency"]
    assert sizing["replica_count"] > plain["replica_count"] == \
        sizing["gpu_count_uncorrected"] / 4
    for fewer in range(1, int(sizing["replica_count"])):
        less = answer(runs.server, "/v1/inference-sizing", replica_count=fewer, **asked)
        assert not (less["meets_load"] and less["meets_latency"]), fewer


def test_without_measurements_the_options_are_those_without_a_set(runs):  # noqa: F811
    store_service(runs, (64, 0.04))
    asked = SERVICE | {"gpu": GPUS, "requests_per_minute": 300}
    plain = answer(runs.server, "/v1/inference-sizing/options", **asked)
    without = answer(runs.server, "/v1/inference-sizing/options", measurement_set="acme",
                     use_measurements=0, **asked)
    other = answer(runs.server, "/v1/inference-sizing/options", measurement_set="acme",
                   **asked | {"engine": "sglang"})

    def figures(rows):
        return [{name: value for name, value in row.items() if name != "plan"} for row in rows]
    assert figures(without["options"]) == figures(plain["options"])
    assert "no_like_measurement" in {warning["code"] for warning in other["warnings"]}
    assert all(row["correction_factor"] is None for row in other["options"])


def test_training_options_say_what_they_are_without(runs):  # noqa: F811
    asked = {name: TRAINING[name] for name in TRAINING if name not in ("gpu", "gpu_count")} | {
        "gpu": GPU, "tokens": 1e12, "per_gpu": 5}
    step = answer(runs.server, "/v1/training-plan", **TRAINING)["step_seconds"]
    runs.store(TRAINING | {"measurement_set": "acme", "measured_step_seconds": step * 1.4})
    rows = answer(runs.server, "/v1/training-plan/options", measurement_set="acme",
                  **asked)["options"]
    assert rows
    for row in rows:
        plan = linked(runs.server, row)
        for name in ("step_seconds_uncorrected", "days_uncorrected"):
            assert row[name] == plan[name], name
        assert row["step_seconds_uncorrected"] < row["step_seconds"]


def test_a_recommendation_is_made_of_corrected_plans(runs):  # noqa: F811
    store_service(runs, (8, 0.03), (64, 0.045))
    asked = SERVICE | {"workload": "serve", "gpu": GPU, "hosted": 0,
                       "requests_per_minute": 600, "latency_p95_seconds": 60}
    plain = answer(runs.server, "/v1/recommendation", **asked)
    said = answer(runs.server, "/v1/recommendation", measurement_set="acme", **asked)
    assert said["options"]
    for row in said["options"]:
        plan = linked(runs.server, row, "serve_plan")
        assert row["serve_correction_factor"] == plan["correction_factor"]
        assert row["serve_correction_run_count"] == plan["correction_run_count"]
        assert row["latency_p95_seconds_estimate"] == plan["latency_p95_seconds_estimate"]
        assert f"corrected by x {plan['correction_factor']:.3g} from 2 runs" in row["sentence"]
    fewest = [min(row["gpu_count"] for row in reply["options"]) for reply in (plain, said)]
    assert fewest[1] > fewest[0]


def test_a_recommended_closed_loop_says_its_seconds_without(runs):  # noqa: F811
    """A number in flight has no known percentile: the option's time is that of the mean request."""
    store_service(runs, (64, 0.05))
    rows = answer(runs.server, "/v1/recommendation", measurement_set="acme", workload="serve",
                  gpu=GPU, hosted=0, concurrent_requests=64, **SERVICE)["options"]
    assert rows
    for row in rows:
        without = row["serve_latency_p95_seconds_estimate_uncorrected"]
        assert 0 < without < row["latency_p95_seconds_estimate"]
        assert f"({without:.3g} s without)" in row["sentence"]


def test_a_recommended_training_is_corrected(runs):  # noqa: F811
    asked = {name: TRAINING[name] for name in TRAINING if name not in ("gpu", "gpu_count")} | {
        "gpu": GPU, "tokens": 1e12, "workload": "train", "deadline_days": 30}
    step = answer(runs.server, "/v1/training-plan", **TRAINING)["step_seconds"]
    runs.store(TRAINING | {"measurement_set": "acme", "measured_step_seconds": step * 1.4})
    rows = answer(runs.server, "/v1/recommendation", measurement_set="acme", **asked)["options"]
    assert rows
    for row in rows:
        plan = linked(runs.server, row, "train_plan")
        assert row["train_correction_factor"] == plan["correction_factor"] > 1.05
        assert row["train_days"] == plan["days"]
        assert row["train_days_uncorrected"] == plan["days_uncorrected"] < row["train_days"]


def test_a_recommendation_whose_set_is_of_something_else_says_so(runs):  # noqa: F811
    store_service(runs, (64, 0.04))
    said = answer(runs.server, "/v1/recommendation", measurement_set="acme", workload="serve",
                  **SERVICE | {"engine": "sglang"})
    assert "no_like_measurement" in {warning["code"] for warning in said["warnings"]}


def test_the_volume_at_which_a_hosted_api_costs_as_much_is_corrected(runs):  # noqa: F811
    store_service(runs, (64, 0.06), (256, 0.1))
    asked = SERVICE | {"workload": "serve", "gpu": GPU, "tokens_per_day": 2e9, "hosted": 1, "purchase_option": "on_demand"}
    plain = answer(runs.server, "/v1/break-even", **asked)
    said = answer(runs.server, "/v1/break-even", measurement_set="acme", **asked)
    name = "hosted_until_tokens_per_month"
    assert plain[name] is not None and said[name] != plain[name]


# Without a set: an option's interval is as wide as that of the plan it links to, which is wider where
# no published run is similar.

INTERVALS = tuple(name + end for name in ("latency_p50_seconds_estimate", "latency_p95_seconds_estimate",
                                          "time_to_first_token_p95_seconds_estimate",
                                          "time_per_output_token_seconds")
                  for end in ("_low", "_high"))
SERVED_ON = ("h100-sxm5-80gb", "h200-sxm5-141gb", "a100-sxm4-80gb", "l40s", "a10", "rtx-4090", "mi300x",
             "b200-sxm")


UNLOADED = ("model", "engine", "gpu", "input_tokens", "output_tokens")


def any_service(draw):
    question = {"model": draw.choice(("llama-2-7b", "llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b-v0.1",
                                      "qwen2.5-72b")),
                "engine": draw.choice(("vllm", "vllm", "sglang", "llama_cpp")),
                "gpu": ",".join(sorted(draw.sample(SERVED_ON, 3))),
                "input_tokens": draw.choice((64, 512, 4000, 20000)),
                "output_tokens": draw.choice((16, 256, 2000))}
    return question | draw.choice(({"requests_per_minute": draw.choice((3, 30, 600))},
                                   {"concurrent_requests": draw.choice((1, 40, 500))},
                                   {"batch_size": draw.choice((1, 32))}))


def test_an_option_has_the_interval_of_its_sizing(server):
    draw = random.Random(24)
    far = near = 0
    for _ in range(25):
        asked = any_service(draw)
        reply = server.get("/v1/inference-sizing/options", per_gpu=2, **asked)
        if reply.status != 200:
            continue
        for row in reply.json["options"]:
            sizing = linked(server, row)
            codes = {warning["code"] for warning in sizing["warnings"]}
            assert row["near_measurement"] == ("no_near_measurement" not in codes), row["plan"]
            far, near = far + (not row["near_measurement"]), near + bool(row["near_measurement"])
            for name in INTERVALS:
                assert row[name] == sizing[name], (name, row["plan"])
    assert far > 20 and near > 10


def test_a_recommended_service_has_the_interval_of_its_sizing(server):
    draw = random.Random(25)
    compared = 0
    for _ in range(12):
        asked = {name: value for name, value in any_service(draw).items() if name in UNLOADED}
        reply = server.get("/v1/recommendation", workload="serve", hosted=0,
                           requests_per_minute=draw.choice((3, 30, 300)), **asked)
        for row in reply.json["options"] if reply.status == 200 else []:
            sizing = linked(server, row, "serve_plan")
            for end in ("_low", "_high"):
                name = "latency_p95_seconds_estimate" + end
                assert row[name] == sizing[name], (name, row["serve_plan"])
            compared += row["latency_p95_seconds_estimate_low"] is not None
    assert compared > 10


def test_a_training_option_has_the_interval_of_its_plan(server):
    draw = random.Random(26)
    compared = 0
    for _ in range(8):
        reply = server.get("/v1/training-plan/options", per_gpu=2,
                           model=draw.choice(("llama-2-7b", "llama-3.1-70b", "mixtral-8x7b-v0.1")),
                           gpu=",".join(sorted(draw.sample(SERVED_ON, 3))),
                           tokens=draw.choice((1e9, 1e11)), method=draw.choice(("full", "lora")))
        for row in reply.json["options"] if reply.status == 200 else []:
            plan = linked(server, row)
            for name in ("days_low", "days_high", "total_cost_low", "total_cost_high"):
                assert row[name] == plan[name], (name, row["plan"])
            compared += 1
    assert compared > 10
