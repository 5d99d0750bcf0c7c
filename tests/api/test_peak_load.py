"""How full a design may be at the peak where the number of its replicas is open: peak_load_ratio_max, 0.7 unless given,
with limits on latency as without."""

import pytest

from explanations import explained

R1 = dict(model="deepseek-r1", gpu="b200-sxm", input_tokens=1024, output_tokens=512)
LLAMA = dict(model="llama-3.1-70b", gpu="h200-sxm5-141gb", input_tokens=1024, output_tokens=512)


def ask(server, path="/v1/inference-sizing", **params):
    return server.answer(path, **params).json


@pytest.mark.parametrize("asked", [R1, LLAMA, dict(model="bge-m3", gpu="l4", output_tokens=0)])
@pytest.mark.parametrize("load", [dict(requests_per_minute=12000), dict(requests_per_minute=3000, peak_to_average_ratio=4)])
def test_the_peak_takes_seven_tenths_of_what_the_replicas_can(server, asked, load):
    got = ask(server, **asked, **load)
    peak = load.get("peak_to_average_ratio", 1)
    assert got["utilization"] * peak <= 0.7 and got["binding_constraint"] == "headroom"
    given = got["inputs"]["peak_load_ratio_max"]
    assert given["value"] == 0.7 and given["source"] == "default"
    full = ask(server, **asked, **load, peak_load_ratio_max=1)
    assert full["gpu_count"] < got["gpu_count"] and full["utilization"] * peak > 0.7
    half = ask(server, **asked, **load, peak_load_ratio_max=0.5)
    assert half["utilization"] * peak <= 0.5 and half["gpu_count"] > got["gpu_count"]


def test_one_replica_fewer_would_be_fuller(server):
    got = ask(server, **LLAMA, requests_per_minute=6000, separate_prefill=0)
    same = {name: got[name] for name in ("tensor_parallel", "pipeline_parallel", "attention_data_parallel")}
    fewer = ask(server, **LLAMA, requests_per_minute=6000, separate_prefill=0, **same,
                replica_count=got["replica_count"] - 1)
    assert fewer["meets_load"] and fewer["utilization"] > 0.7


@pytest.mark.parametrize("limit", [dict(latency_p95_seconds=10000), dict(time_to_first_token_seconds_max=600),
                                   dict(tokens_per_second_per_user_min=0.1)])
def test_a_limit_leaves_as_much_room(server, limit):
    """A limit that any design keeps takes as many GPUs as none, and a tighter one no fewer."""
    load = dict(requests_per_minute=6000)
    none, got = ask(server, **LLAMA, **load), ask(server, **LLAMA, **limit, **load)
    assert got["gpu_count"] == none["gpu_count"] and got["utilization"] <= 0.7 and got["binding_constraint"] == "headroom"
    full, half = (ask(server, **LLAMA, **limit, **load, peak_load_ratio_max=most) for most in (1, 0.5))
    assert full["gpu_count"] < got["gpu_count"] < half["gpu_count"] and full["utilization"] > 0.7
    for path in ("/v1/inference-sizing/options", "/v1/recommendation"):
        echoed = ask(server, path, **LLAMA, **limit, **load)["inputs"]["peak_load_ratio_max"]
        assert echoed["value"] == 0.7 and echoed["source"] == "default"


def test_what_is_stated_is_taken_as_it_is(server):
    """Numbers of GPUs or replicas, and requests that are not said to arrive at a rate."""
    got = ask(server, **LLAMA, requests_per_minute=3000, replica_count=8, tensor_parallel=4)
    assert got["meets_load"] and got["utilization"] > 0.7 and got["replica_count"] == 8
    for load in (dict(concurrent_requests=2000), dict(batch_size=64)):
        plain, full = (ask(server, **LLAMA, **load, peak_load_ratio_max=most)["gpu_count"] for most in (0.7, 1))
        assert plain == full


def test_the_room_is_for_a_lost_replica(server):
    """Ten replicas at 70 % are nine at 78 %: the loss is survived, though not with as much room."""
    got = ask(server, **LLAMA, requests_per_minute=6000)
    assert got["survives_replica_loss"] is True and got["gpu_count_surviving_loss"] == got["gpu_count"]


def test_the_warning_says_how_full_and_what_changes_it(server):
    def said(path="/v1/inference-sizing", **more):
        rows = ask(server, path, **LLAMA, **more)["warnings"]
        return next(row["detail"] for row in rows if row["code"] == "no_latency_limit")

    for path in ("/v1/inference-sizing", "/v1/inference-sizing/options"):
        assert "at most 70% of what they can at the peak (peak_load_ratio_max)" in said(path, requests_per_minute=6000)
        assert "peak_load_ratio_max" not in said(path, requests_per_minute=6000, peak_load_ratio_max=1)
        assert "peak_load_ratio_max" not in said(path, requests_per_minute=600, gpu_count=8)


def test_every_endpoint_takes_it(server):
    load = dict(requests_per_minute=3000)
    for path, asked, count in (
            ("/v1/inference-sizing/options", LLAMA, lambda got: got["options"][0]["gpu_count"]),
            ("/v1/break-even", dict(LLAMA, workload="serve"), lambda got: got["gpu_count"]),
            ("/v1/recommendation", dict(LLAMA, workload="serve"), lambda got: got["options"][0]["gpu_count"]),
            ("/v1/inference-sizing/pools", dict(pools="llama-3.1-70b:0.9:h100-sxm5-80gb,llama-3.1-8b:0.1:h100-sxm5-80gb"),
             lambda got: got["pools"][0]["gpu_count"])):
        plain, full = (count(ask(server, path, **asked, **load, **more)) for more in ({}, dict(peak_load_ratio_max=1)))
        assert plain > full, path


def test_it_is_explained(server):
    for more in ({}, dict(separate_prefill=1), dict(separate_prefill=1, peak_load_ratio_max=0.9)):
        explained(ask(server, **LLAMA, requests_per_minute=6000, explain=1, **more))


@pytest.mark.parametrize("model, gpu, staged", [("llama-3.1-70b", "h200-sxm5-141gb", False), ("llama-3.1-70b", "h100-sxm5-80gb", False),
                                                ("llama-3.1-8b", "b200-sxm", False), ("llama-3.1-8b", "l40s", False),
                                                ("gpt-oss-120b", "l40s", False), ("qwen3-235b-a22b", "l40s", True)])
def test_gpus_of_a_server_share_layers_rather_than_stages(server, model, gpu, staged):
    """With NVLink and without: stages are for models that a server does not hold, and on request."""
    load = dict(model=model, gpu=gpu, requests_per_minute=6000, input_tokens=1000, output_tokens=250)
    assert (ask(server, **load)["pipeline_parallel"] > 1) == staged
    assert ask(server, **load, pipeline_parallel=4)["pipeline_parallel"] == 4  # on request


def test_groups_over_pcie_say_how_stages_are_asked_for(server):
    got = ask(server, model="llama-3.1-70b", gpu="l40s", requests_per_minute=3000)
    said, = (row["detail"] for row in got["warnings"] if row["code"] == "over_pcie")
    assert got["tensor_parallel"] == 4 and "pipeline_parallel" in said
    staged = ask(server, model="llama-3.1-70b", gpu="l40s", requests_per_minute=3000, tensor_parallel=2, pipeline_parallel=4)
    assert staged["meets_load"] and staged["gpu_count"] < got["gpu_count"]
