"""Model routing: one load shared out among models, each sized as by itself."""
import math

import pytest

PATH = "/v1/inference-sizing/pools"
H100 = "h100-sxm5-80gb"
SHARED = dict(pools="llama-3.1-8b:0.8,llama-3.1-70b:0.2", gpu=H100, requests_per_minute=1000)
LIMITED = SHARED | dict(latency_p95_seconds=15)
SAME = ("gpu_count", "replica_count", "tensor_parallel", "pipeline_parallel", "bought_gpu_count", "batch_size",
        "utilization", "latency_p50_seconds_estimate", "latency_p95_seconds_estimate", "cost_per_hour",
        "cost_per_month", "output_tokens_per_second", "requests_per_minute_capacity", "power_kw", "price_basis",
        "time_to_first_token_p95_seconds_estimate", "cost_per_million_output_tokens", "binding_constraint")
SUMS = ("gpu_count", "replica_count", "bought_gpu_count", "requests_per_minute", "output_tokens_per_second",
        "cost_per_hour", "cost_per_hour_low", "cost_per_hour_high", "cost_per_month", "power_kw")


def ask(server, path=PATH, **params):
    return server.answer(path, **params).json


def figures(answer):
    return {key: value for key, value in answer.items() if key not in ("inputs", "links")}


@pytest.mark.parametrize("wish", [
    {}, dict(latency_p95_seconds=15), dict(peak_to_average_ratio=3, purchase_option="owned"),
    dict(request_lengths="512:200:0.7,8000:500:0.3"), dict(weight_dtype="fp8", spare_replicas=1),
    dict(prefix_cache_ratio=0.5, engine="vllm", time_to_first_token_seconds_max=2)])
def test_each_pool_is_its_own_sizing(server, wish):
    got = ask(server, **SHARED, **wish)
    for row, (model, share) in zip(got["pools"], (("llama-3.1-8b", 0.8), ("llama-3.1-70b", 0.2)), strict=True):
        sizing = ask(server, "/v1/inference-sizing", model=model, gpu=H100, requests_per_minute=1000 * share, **wish)
        assert {name: row[name] for name in SAME} == {name: sizing[name] for name in SAME}
        assert (row["model"], row["share"], row["requests_per_minute"]) == (model, share, 1000 * share)
        linked = server.get(row["plan"]).json
        assert {name: linked[name] for name in SAME} == {name: sizing[name] for name in SAME}
    for name in SUMS:
        assert got[name] == pytest.approx(sum(row[name] for row in got["pools"]), rel=1e-5), name
    assert got["requests_per_minute_capacity"] == pytest.approx(
        min(row["requests_per_minute_capacity"] / row["share"] for row in got["pools"]), rel=1e-5)


def test_percentiles_of_all(server):
    got = ask(server, **LIMITED)
    for name in ("latency_p50_seconds_estimate", "latency_p95_seconds_estimate"):
        each = [row[name] for row in got["pools"]]
        assert min(each) <= got[name] <= max(each)
        assert got[f"{name}_low"] <= got[name] <= got[f"{name}_high"]
    slow = ask(server, **SHARED | dict(pools="llama-3.1-8b:0.97:l40s,llama-3.1-405b:0.03", gpu="b200-sxm"))
    fast, large = (row["latency_p95_seconds_estimate"] for row in slow["pools"])
    assert fast != large


def below(row, seconds):
    """Share of a pool's requests that take at most that long, if these times are lognormal."""
    p50, p95 = row["latency_p50_seconds_estimate"], row["latency_p95_seconds_estimate"]
    return 0.5 + 0.5 * math.erf(math.log(seconds / p50) / (math.log(p95 / p50) / 1.6448536) / math.sqrt(2))


@pytest.mark.parametrize("pools", ["llama-3.1-8b:1,llama-3.1-70b:1", "llama-3.2-1b:99,llama-3.1-405b:1",
                                   "llama-3.2-1b:6,llama-3.1-8b:3,llama-3.1-70b:1"])
def test_a_percentile_is_what_that_share_of_all_stays_under(server, pools):
    got = ask(server, pools=pools, gpu="h200-sxm5-141gb", requests_per_minute=600)
    for name, share in (("p50", 0.5), ("p95", 0.95)):
        at = got[f"latency_{name}_seconds_estimate"]
        assert sum(row["share"] * below(row, at) for row in got["pools"]) == pytest.approx(share, abs=1e-4)


def test_shares_are_relative_and_objects_are_the_same(server):
    plain = figures(ask(server, **LIMITED))
    assert figures(ask(server, **LIMITED | dict(pools="llama-3.1-8b:4,llama-3.1-70b:1"))) == plain
    posted = server.post(PATH, LIMITED | dict(pools=[dict(model="llama-3.1-8b", share=8),
                                                     dict(model="llama-3.1-70b", share=2, gpu=H100)]))
    assert posted.status == 200, posted.text
    assert figures(posted.json) == plain
    users = ask(server, **{k: v for k, v in LIMITED.items() if k != "requests_per_minute"},
                daily_users=144000, requests_per_user_per_day=10)
    assert {name: users[name] for name in users if name not in ("warnings", "inputs", "links")} == {
        name: plain[name] for name in plain if name != "warnings"}
    tokens = ask(server, **{k: v for k, v in LIMITED.items() if k != "requests_per_minute"},
                 tokens_per_day=1000 * 1440 * 1280)
    assert [row["gpu_count"] for row in tokens["pools"]] == [row["gpu_count"] for row in plain["pools"]]


def test_a_gpu_of_its_own_and_the_recommended_one(server):
    got = ask(server, **LIMITED | dict(pools="llama-3.1-8b:0.8:l40s,llama-3.1-70b:0.2"))
    assert [row["gpu"] for row in got["pools"]] == ["l40s", H100]
    free = ask(server, **{k: v for k, v in LIMITED.items() if k != "gpu"})
    for row in free["pools"]:
        options = ask(server, "/v1/inference-sizing/options", model=row["model"], latency_p95_seconds=15,
                      requests_per_minute=row["requests_per_minute"])
        assert (row["gpu"], row["gpu_count"]) == (options["recommended_gpu"], options["recommended_gpu_count"])
    assert free["cost_per_hour"] <= got["cost_per_hour"]


def test_what_routing_saves(server):
    got = ask(server, **LIMITED)
    alone = ask(server, "/v1/inference-sizing", model="llama-3.1-70b", gpu=H100, requests_per_minute=1000,
                latency_p95_seconds=15)
    assert got["largest_model"] == "llama-3.1-70b"
    assert got["largest_model_gpu_count"] == alone["gpu_count"]
    assert got["largest_model_cost_per_month"] == alone["cost_per_month"]
    assert got["routing_saving_per_month"] == pytest.approx(alone["cost_per_month"] - got["cost_per_month"], abs=0.02)
    assert got["sentence"] in server.get(PATH + ".txt", **LIMITED, field="sentence").text
    one = ask(server, **LIMITED | dict(pools="llama-3.1-8b:1"))
    assert one["largest_model"] is None and one["routing_saving_per_month"] is None
    assert "router" not in [warning["code"] for warning in one["warnings"]]
    assert "router" in [warning["code"] for warning in got["warnings"]]


@pytest.mark.parametrize("pools", ["llama-3.1-8b", "llama-3.1-8b:", "llama-3.1-8b:0", "llama-3.1-8b:-1", ":1", ",",
                                   "llama-3.1-8b:x", "llama-3.1-8b:1:", "llama-3.1-8b:1:l40s:2", "llama-3.1-8b:inf",
                                   "llama-3.1-8b:1,,llama-3.1-70b:1"])
def test_what_is_no_list(server, pools):
    reply = server.get(PATH, **SHARED | dict(pools=pools))
    assert reply.status == 400
    assert [(e["parameter"], e["code"]) for e in reply.json["errors"]] == [("pools", "not_a_list")]


@pytest.mark.parametrize("asked, parameter, code, word", [
    (dict(pools="llama-3.1-8b:1,llama-3.1-8b:2"), "pools", "contradiction", "twice"),
    (dict(pools="llama-3.1-8c:1"), "pools", "unknown_name", "llama-3.1-8b"),
    (dict(pools="llama-3.1-8b:1:l40x"), "pools", "unknown_name", "l40"),
    (dict(gpu="h100-sxm"), "gpu", "unknown_name", ""),
    (dict(tokens_per_day=5), "tokens_per_day", "contradiction", "only one"),
    (dict(requests_per_user_per_day=5), "requests_per_user_per_day", "contradiction", "daily_users"),
    (dict(pools=",".join(f"m{i}:1" for i in range(30))), "pools", "unknown_name", "m0"),
    (dict(concurrent_requests=5), "concurrent_requests", "unknown_parameter", "")])
def test_refusals(server, asked, parameter, code, word):
    reply = server.get(PATH, **SHARED | asked)
    assert reply.status == 400, reply.text
    error, = reply.json["errors"]
    assert (error["parameter"], error["code"]) == (parameter, code) and word in error["detail"]


def test_no_load_and_no_solution(server):
    reply = server.get(PATH, pools=SHARED["pools"], gpu=H100)
    assert [e["parameter"] for e in reply.json["errors"]] == ["requests_per_minute"]
    reply = server.get(PATH, **SHARED | dict(pools="llama-3.1-8b:1,llama-3.1-405b:1:l4", latency_p95_seconds=1))
    assert reply.status == 422 and reply.json["detail"].startswith("llama-3.1-8b: ")
