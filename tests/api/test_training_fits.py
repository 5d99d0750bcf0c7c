"""Does it fit: what is said of a plan that does not, and of one that fills the last gibibyte."""
from urllib.parse import parse_qsl

import pytest

from answers import details

ONE_4090 = dict(gpu="rtx-4090", gpu_count=1)
H100 = dict(gpu="h100-sxm5-80gb")


def plan(server, **params):
    return server.answer("/v1/training-plan", **params).json


@pytest.mark.parametrize("job, settings", [
    (dict(**ONE_4090, model="llama-2-13b", method="lora", sequence_tokens=1024), "method=qlora"),
    (dict(**ONE_4090, model="llama-3.1-8b", method="full"), "cpu_offload=optimizer"),
    (dict(**H100, model="llama-3.1-70b", method="full", gpu_count=8), "cpu_offload=optimizer"),
    (dict(**H100, model="llama-3.1-8b", method="lora", gpu_count=1, sequence_tokens=131072),
     "chunked_loss=1&activation_offload=1"),
    (dict(**ONE_4090, model="llama-2-70b", method="qlora"), "cpu_offload=parameters"),
])
def test_settings_that_fit_on_the_same_gpus(server, job, settings):
    answer = plan(server, **job)
    assert answer["fits"] is False and answer["nearest_fit_settings"] == settings
    assert f"short; on the same GPUs it fits with {settings}" in details(answer)["does_not_fit"]
    again = plan(server, **{**job, **dict(parse_qsl(settings))})
    assert again["fits"] is True and again["nearest_fit_settings"] is None


def test_a_fine_tuning_chunks_its_loss_where_only_that_fits(server):
    """LoRA of an 8B model with 4,096 tokens on a card of 24 GB, of which logits in FP32 would take a fifth."""
    job = dict(**ONE_4090, model="llama-3.1-8b", method="lora")
    assumed, given, without = plan(server, **job), plan(server, **job, chunked_loss=1), plan(server, **job, chunked_loss=0)
    assert assumed["fits"] is True and assumed["memory_required_gib"] == given["memory_required_gib"]
    assert assumed["inputs"]["chunked_loss"] == {"value": True, "source": "chosen"}
    assert "chunked_loss=0" in details(assumed)["chunked_loss"] and "chunked_loss" not in details(given)
    assert without["fits"] is False and without["nearest_fit_settings"] == "chunked_loss=1"
    roomy = plan(server, **{**job, "gpu": "h100-sxm5-80gb"})
    assert roomy["inputs"]["chunked_loss"] == {"value": False, "source": "default"}
    assert "chunked_loss" not in details(roomy)


def test_fewer_gpus_with_weights_in_host_memory(server):
    """QLoRA of 70B without being told how many cards of 24 GB: fewer do with the weights in host memory, as said;
    not where the caller says how many, or what to offload, or a deadline decides."""
    job = dict(gpu="rtx-3090", model="llama-3.1-70b", method="qlora", tokens=1e7)
    answer = plan(server, **job)
    said = details(answer)["fewer_with_offload"]
    fewest = int(said.split("fits on ")[1].split(" GPU")[0])
    assert 1 <= fewest < answer["gpu_count"]
    offloaded = plan(server, **job, gpu_count=fewest, cpu_offload="parameters")
    assert offloaded["fits"] is True
    host = float(said.split("wait in ")[1].split(" GiB of host memory")[0])
    assert host == pytest.approx(fewest * offloaded["host_memory_gib"], rel=1e-3)
    assert plan(server, **job, gpu_count=fewest)["fits"] is False
    for more in (dict(gpu_count=answer["gpu_count"]), dict(cpu_offload="none"), dict(deadline_days=5)):
        assert "fewer_with_offload" not in details(plan(server, **job, **more))


def test_a_fine_tuning_chunks_its_loss_where_that_takes_fewer_gpus(server):
    """One card where four would be needed, without being told how many; where a deadline takes more, none is assumed."""
    job = dict(gpu="rtx-4090", model="llama-3.1-8b", method="lora", tokens="1e7")
    assumed = plan(server, **job)
    assert (assumed["fits"], assumed["gpu_count"]) == (True, 1)
    assert assumed["inputs"]["chunked_loss"] == {"value": True, "source": "chosen"}
    assert "takes more GPUs" in details(assumed)["chunked_loss"]
    assert plan(server, **job, chunked_loss=0)["gpu_count"] == 4
    in_time = plan(server, **job, deadline_days=30)
    assert in_time["gpu_count"] == 1 and in_time["inputs"]["chunked_loss"]["value"] is True
    hurried = plan(server, **{**job, "tokens": "1e9"}, deadline_days=0.7)
    assert hurried["gpu_count"] > 2 and hurried["inputs"]["chunked_loss"]["value"] is False
    assert plan(server, **{**job, "gpu": "h100-sxm5-80gb"})["inputs"]["chunked_loss"]["value"] is False


def test_options_chunk_the_loss_as_the_plan_does(server):
    """A LoRA of an 8B on one RTX 4090: in the list, in the plan it links and in the plan asked for directly."""
    job = dict(gpu="rtx-4090", model="llama-3.1-8b", method="lora", tokens="1e7")
    reply = server.get("/v1/training-plan/options", **job, per_gpu=0)
    assert reply.status == 200, reply.text
    counts = {row["gpu_count"]: row for row in reply.json["options"]}
    assert min(counts) == plan(server, **job)["gpu_count"] == 1
    linked = server.get(counts[1]["plan"]).json
    assert "chunked_loss=1" in counts[1]["plan"] and linked["fits"] is True
    assert linked["days"] == pytest.approx(counts[1]["days"], rel=1e-5)
    whole = server.get("/v1/training-plan/options", **job, per_gpu=0, chunked_loss=0).json["options"]
    assert min(row["gpu_count"] for row in whole) == 4
    pinned = server.get("/v1/training-plan/options", **job, gpu_count=1).json["options"]
    assert [row["gpu_count"] for row in pinned] == [1]


@pytest.mark.parametrize("count", [dict(), dict(gpu_count=2)])
def test_weights_in_host_memory_are_those_of_zero_3(server, count):
    """FSDP and DeepSpeed send them there by shares; no trainer does below it."""
    answer = plan(server, gpu="rtx-4090", model="llama-3.1-70b", method="qlora", cpu_offload="parameters",
                  sequence_tokens=512, **count)
    assert answer["fits"] is True and answer["zero_stage"] == 3


@pytest.mark.parametrize("change", [dict(method="pretrain", gpu="h100-sxm5-80gb", model="llama-3.1-8b"), dict(chunked_loss=0)])
def test_no_loss_is_chunked_unasked_in_pretraining_or_against_what_was_said(server, change):
    answer = plan(server, **{**ONE_4090, "model": "llama-3.1-8b", "method": "lora"} | change)
    assert answer["fits"] is False and answer["inputs"]["chunked_loss"]["value"] is False


def test_no_setting_helps_a_model_that_no_gpu_holds(server):
    answer = plan(server, gpu="t4", model="deepseek-v3", gpu_count=1, method="lora", recompute="none",
                  sequence_tokens=131072, cpu_offload="parameters")
    assert answer["fits"] is False and answer["nearest_fit_settings"] is None


def test_a_full_gpu_is_said_to_be(server):
    tight = plan(server, gpu="rtx-a6000", gpu_count=1, model="llama-1-65b", method="qlora", sequence_tokens=2048)
    assert tight["fits"] is True and tight["memory_required_gib"] > 0.95 * tight["memory_capacity_gib"]
    assert "consider more GPUs" in details(tight)["tight_memory"]  # no recompute or micro-batch is left
    asked = dict(**H100, model="llama-3.1-8b", method="full", gpu_count=8, sequence_tokens=131072, recompute="partial")
    long = plan(server, **asked)
    assert long["fits"] is True and "tight_memory" not in details(long)  # recomputes until some memory is free
    fuller = plan(server, **asked, recompute_layers=int(long["recompute_layers"]) - 2)
    assert fuller["fits"] is True and "99% full" in details(fuller)["tight_memory"]
    assert "consider recompute=full, or more GPUs" in details(fuller)["tight_memory"]
    roomy = plan(server, **H100, model="llama-3.1-8b", method="lora", gpu_count=8, sequence_tokens=2048)
    assert "tight_memory" not in details(roomy)


def test_the_nearest_that_fits_computes_its_loss_in_chunks(server):
    """Without chunks it would be 128 GPUs, where a plan with the number open takes eight."""
    job = dict(model="llama-3.3-70b", method="qlora", tokens=5e6, gpu="rtx-3090")
    answer = plan(server, **job, gpu_count=2)
    nearest = int(answer["nearest_fit_gpu_count"])
    assert answer["nearest_fit"].endswith(", chunked_loss=1") and nearest <= plan(server, **job)["gpu_count"] == 8
    assert plan(server, **job, gpu_count=nearest, chunked_loss=1)["fits"] is True
    assert plan(server, **job, gpu_count=nearest, chunked_loss=0)["fits"] is False
    assert ", chunked_loss" not in plan(server, **job, gpu_count=2, chunked_loss=0)["nearest_fit"]
    assert answer["warnings"][0]["code"] == "does_not_fit" and answer["warnings"][0]["detail"].startswith("each GPU is 21.8 GiB short;")
