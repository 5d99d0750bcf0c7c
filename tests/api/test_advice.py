"""What to look after when a design is run: each piece of advice where it applies, with its source."""
import pytest

SERVED = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", requests_per_minute=60)
TRAINED = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", tokens="1e9")
R1 = dict(model="deepseek-r1", gpu="h100-sxm5-80gb", requests_per_minute=600, tensor_parallel=24,
          attention_data_parallel=24)
SIZING, PLAN = "/v1/inference-sizing", "/v1/training-plan"


def advice(server, path, **params):
    reply = server.get(path, **params)
    assert reply.status == 200, reply.text
    return {row["topic"]: row for row in reply.json["advice"]}


@pytest.mark.parametrize("path, params, topics", [
    (SIZING, SERVED | dict(engine="vllm"), {"clocks", "cuda_graphs"}),
    (SIZING, SERVED | dict(engine="tensorrt_llm"), {"clocks"}),
    (SIZING, SERVED | dict(gpu="mi300x", engine="vllm"), {"clocks"}),
    (SIZING, SERVED | dict(gpu="tpu-v6e"), set()),
    (SIZING, R1 | dict(engine="sglang"), {"clocks", "network"}),
    (PLAN, TRAINED | dict(gpu_count=8), {"clocks", "data_loading"}),
    (PLAN, TRAINED | dict(gpu_count=16), {"clocks", "data_loading", "network"}),
    (PLAN, TRAINED | dict(model="llama-2-70b", gpu_count=16), {"clocks", "data_loading", "network", "recompute"}),
    (PLAN, TRAINED | dict(model="llama-2-70b", gpu_count=64, recompute="none"), {"clocks", "data_loading", "network"}),
])
def test_given_where_it_applies(server, path, params, topics):
    given = advice(server, path, **params)
    assert set(given) == topics
    assert all(row["source_url"].startswith("https://") and row["advice"] for row in given.values())


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_the_default_of_trainers_is_told_as_such(server, method):
    """All 32 layers of an 8B on 80 GB were "the least that leaves memory free", with 48 GB free."""
    tuned = TRAINED | dict(gpu_count=8, method=method)
    said = advice(server, PLAN, **tuned)["recompute"]["advice"]
    assert said.startswith("All activations are recomputed, as trainers for fine-tuning do by default")
    assert "the least that leaves memory free" not in said
    default, least = (server.get(PLAN, **tuned, **more).json for more in ({}, dict(recompute="partial")))
    assert default["recompute_layers"] == 32 and least["step_seconds"] < 0.9 * default["step_seconds"] and least["fits"]
    for stated in ("full", "none"):
        assert "recompute" not in advice(server, PLAN, **tuned, recompute=stated)


def test_the_tool_is_that_of_the_vendor(server):
    nvidia, amd = (advice(server, SIZING, **SERVED | dict(gpu=gpu))["clocks"] for gpu in ("h100-sxm5-80gb", "mi300x"))
    assert "nvidia-smi" in nvidia["advice"] and "amd-smi" in amd["advice"]
