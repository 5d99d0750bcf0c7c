"""Which further run would narrow the interval most, and by how much: that of the very load asked."""
import math
import re

import pytest

from test_own_runs import RUN, SIZING, TRAINING, runs, team  # noqa: F401, pylint: disable=unused-import

NEXT = re.compile(r"; a run (.+) would narrow the interval by another (\d+)%$")
LOAD = {"measured_concurrent_requests": 64, "measured_input_tokens": 1000,
        "measured_output_tokens": 1000}


def sizing(server, **asked):
    return server.answer("/v1/inference-sizing", **SIZING | asked).json


def width(answer, name):
    return math.log(answer[f"{name}_high"] / answer[f"{name}_low"])


@pytest.mark.parametrize("requests, least", [(1, 40), (8, 30), (32, 15)])
def test_a_run_of_the_load_narrows_as_was_said(runs, requests, least):  # noqa: F811
    """The further away the run that is known, the more another is worth; once it is there, no
    other is asked for."""
    name, token = "time_per_output_token_seconds", "measured_time_per_output_token_seconds"
    plain = sizing(runs.server)
    runs.store(RUN | {"concurrent_requests": requests, token: 1.05 * sizing(
        runs.server, concurrent_requests=requests)[name]})
    far = sizing(runs.server, measurement_set="acme")
    run, percent = NEXT.search(far["correction_sentence"]).groups()
    assert run == "of 64 requests in flight, of 1,000 + 1,000 tokens, on 8 GPUs"
    assert int(percent) >= least
    near = sizing(runs.server, measurement_set="acme", **LOAD, **{token: far[name]})
    assert width(near, name) / width(far, name) == pytest.approx(1 - int(percent) / 100, abs=0.01)
    assert not NEXT.search(near["correction_sentence"])
    assert width(near, name) < width(far, name) < width(plain, name)


def test_other_loads_narrow_less(runs):  # noqa: F811
    name, token = "time_per_output_token_seconds", "measured_time_per_output_token_seconds"
    runs.store(RUN | {"concurrent_requests": 1, token: 1.05 * sizing(
        runs.server, concurrent_requests=1)[name]})
    at = {"measured_input_tokens": 1000, "measured_output_tokens": 1000}
    widths = {requests: width(sizing(
        runs.server, measurement_set="acme", measured_concurrent_requests=requests, **at, **{
            token: sizing(runs.server, measurement_set="acme", concurrent_requests=requests)[name]}),
        name) for requests in (2, 8, 32, 64, 128, 512)}
    assert min(widths, key=widths.get) == 64


def test_of_training_too(server):
    run = {"measured_gpu_count": 8, "measured_global_batch_sequences": 16,
           "measured_sequence_tokens": 2048}
    small = server.get("/v1/training-plan", **TRAINING | {
        "gpu_count": 8, "global_batch_sequences": 16, "sequence_tokens": 2048, "tokens": 1e11}).json
    asked = TRAINING | {"tokens": 1e11}
    far = server.get("/v1/training-plan", measured_step_seconds=1.1 * small["step_seconds"],
                     **run, **asked).json
    said, percent = NEXT.search(far["correction_sentence"]).groups()
    assert said == "on 64 GPUs with steps of 128 sequences of 8,192 tokens" and int(percent) > 10
    near = server.get("/v1/training-plan", measured_step_seconds=far["step_seconds"], **asked).json
    assert not NEXT.search(near["correction_sentence"])
