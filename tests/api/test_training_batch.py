"""The batch where none is given: that of published runs, and one that GPUs divide."""
import math

import pytest


def plan(server, **params):
    return server.answer("/v1/training-plan", **params).json


@pytest.mark.parametrize("model, tokens, count, sequence", [
    ("llama-3.1-405b", 1.56e13, 16384, 8192), ("deepseek-v3", 1.48e13, 2048, 4096), ("llama-2-70b", 2e12, 2048, 4096)])
def test_pretraining_takes_a_power_of_two_of_sequences(server, model, tokens, count, sequence):
    answer = plan(server, gpu="h100-sxm5-80gb", model=model, tokens=tokens, gpu_count=count, sequence_tokens=sequence)
    assert math.log2(answer["global_batch_sequences"]).is_integer()


def test_the_largest_published_run_is_planned_as_it_was_run(server):
    """Llama 3.1 405B, arXiv 2407.21783, table 4: tensor 8, pipeline 16, data 128; 30.84 M GPU-hours by its card."""
    asked = dict(gpu="h100-sxm5-80gb", model="llama-3.1-405b", tokens=1.56e13, gpu_count=16384, sequence_tokens=8192,
                 tensor_overlap=1)
    answer = plan(server, **asked)
    as_run = plan(server, **asked, tensor_parallel=8, pipeline_parallel=16, context_parallel=1)
    assert (answer["tensor_parallel"], answer["data_parallel"]) == (8, 128) == (8, as_run["data_parallel"])
    assert 0.95 * as_run["gpu_hours"] < answer["gpu_hours"] <= as_run["gpu_hours"]
    assert as_run["gpu_hours"] == pytest.approx(30.84e6, rel=0.05)


@pytest.mark.parametrize("method", ["full", "lora"])
def test_fine_tuning_takes_128_sequences(server, method):
    answer = plan(server, gpu="a100-sxm4-80gb", model="llama-2-7b", method=method, gpu_count=8, tokens=5e7,
                  sequence_tokens=512)
    assert answer["global_batch_sequences"] == 128
    assert answer["step_seconds"] < 10
