"""Memory measured in a run of the caller's own: given, stored or read from a log, and refused where
it cannot have been."""
import pytest

from answers import codes
from conftest import stopped_after
from explanations import evaluate
from test_measure import measure, question
from test_own_runs import GPU, Team, culprit

PLAN = dict(model="llama-3.1-8b", gpu=GPU, gpu_count=8, stack="fsdp", tokens=1e9,
            sequence_tokens=8192, global_batch_sequences=16, micro_batch_sequences=2, zero_stage=3,
            recompute="selective")
SERVICE = dict(model="llama-3.1-70b", gpu=GPU, engine="vllm", weight_dtype="fp8",
               concurrent_requests=64, input_tokens=1000, output_tokens=1000, tensor_parallel=4)
GIB = 2**30


def plan(server, **asked):
    return server.answer("/v1/training-plan", **PLAN | asked).json


@pytest.fixture(scope="module")
def plain(server):
    return plan(server)


team = stopped_after("module", Team)


# --- in the question -----------------------------------------------------------------------------

@pytest.mark.parametrize("ratio", [0.92, 0.98, 1.01])
def test_the_memory_moves_towards_the_run(server, plain, ratio):
    allocated = plain["memory_per_gpu_gib"]
    asked = plan(server, measured_memory_gib=ratio * allocated)
    factor = asked["memory_correction_factor"]
    assert min(ratio, 1) <= factor <= max(ratio, 1) and abs(factor - 1) > 0.4 * abs(ratio - 1)
    assert asked["memory_per_gpu_gib"] == pytest.approx(factor * allocated, rel=1e-5)
    assert asked["memory_correction_run_count"] == 1
    assert asked["memory_per_gpu_gib_uncorrected"] == pytest.approx(allocated, rel=1e-9)
    assert asked["memory_required_gib_uncorrected"] == plain["memory_required_gib"]
    assert f"without it the fullest GPU allocates {allocated:.4g} GiB" in \
        asked["memory_correction_sentence"]
    lines = {line["key"]: line["value"] for line in asked["line_items"] if line["group"] == "memory"}
    assert sum(lines.values()) == pytest.approx(asked["memory_required_gib"], rel=1e-5)
    assert lines["memory_correction"] == pytest.approx((factor - 1) * allocated, rel=1e-3)
    assert asked["correction_factor"] is None and asked["step_seconds"] == plain["step_seconds"]


def test_the_account_of_the_memory_is_explained(server, plain):
    asked = plan(server, measured_memory_gib=0.94 * plain["memory_per_gpu_gib"], explain=1)
    rows = {row["key"]: row for row in asked["explanations"]}
    for key in ("memory_correction", "memory_per_gpu_gib", "memory_required_gib"):
        assert evaluate(rows[key]["substitution"]) == pytest.approx(asked.get(key, rows[key]["value"]),
                                                                    rel=1e-5)


def test_what_it_counts_matters(server, plain):
    """The same figure is less than expected if it counts more."""
    figure = plain["memory_per_gpu_gib"]
    as_expected = plan(server, measured_memory_gib=figure)
    assert as_expected["memory_correction_factor"] == pytest.approx(1, abs=2e-6), "the figure has six digits"
    factors = [plan(server, measured_memory_gib=1.03 * figure, measured_memory_kind=kind)
               ["memory_correction_factor"] for kind in ("allocated", "reserved", "device")]
    assert factors[0] > 1 > factors[1] > factors[2]


def test_a_run_unlike_the_rest_corrects_nothing(server, plain):
    """One run in twenty is as far off, and the next is not off by as much."""
    asked = plan(server, measured_memory_gib=0.88 * plain["memory_per_gpu_gib"])
    assert asked["memory_correction_factor"] is None and "far_measurement" in codes(asked)
    assert asked["memory_per_gpu_gib"] == plain["memory_per_gpu_gib"]


def test_a_run_of_another_length_says_less(server, plain):
    factors = []
    for length in (8192, 4096, 2048):
        own = plan(server, sequence_tokens=length)["memory_per_gpu_gib"]
        factors.append(plan(server, measured_memory_gib=0.93 * own, measured_sequence_tokens=length)
                       ["memory_correction_factor"])
    assert 0.93 < factors[0] < factors[1] < factors[2] < 1


def test_a_plan_that_did_not_fit_is_planned_again(server, plain):
    """More memory than estimated: the same settings no longer fit, and the answer says so."""
    pinned = dict(tensor_parallel=1, pipeline_parallel=1, context_parallel=1, data_parallel=8, chunked_loss=0)
    own = plan(server, **pinned)
    assert own["fits"]
    run = dict(measured_sequence_tokens=7680, measured_global_batch_sequences=16)
    small = plan(server, sequence_tokens=7680, **pinned)["memory_per_gpu_gib"]
    asked = plan(server, measured_memory_gib=1.1 * small, **pinned, **run)
    assert not asked["fits"] and asked["shortfall_gib"] > 0 and asked["nearest_fit"]
    assert asked["memory_per_gpu_gib"] > own["memory_per_gpu_gib"]


def test_settings_of_the_run_are_its_own(server):
    """With full recomputation the run needed less; said so, it is as expected."""
    full = plan(server, recompute="full")["memory_per_gpu_gib"]
    asked = plan(server, measured_memory_gib=full, measured_recompute="full")
    assert asked["memory_correction_factor"] == pytest.approx(1, abs=2e-6), "the figure has six digits"
    unsaid = plan(server, measured_memory_gib=full)
    assert unsaid["memory_correction_factor"] is None and "far_measurement" in codes(unsaid)
    warning, = [w for w in unsaid["warnings"] if w["code"] == "far_measurement"]
    assert "measured_recompute" in warning["detail"]


def test_it_goes_with_a_time(server, plain):
    asked = plan(server, measured_memory_gib=0.95 * plain["memory_per_gpu_gib"],
                 measured_step_seconds=1.2 * plain["step_seconds"])
    assert asked["correction_factor"] > 1 > asked["memory_correction_factor"]


def test_without_measurements_the_memory_is_the_one_without(server, plain):
    asked = plan(server, measured_memory_gib=66, use_measurements=0)
    assert asked["memory_per_gpu_gib"] == plain["memory_per_gpu_gib"]
    assert asked["memory_correction_factor"] is None


@pytest.mark.parametrize("figure, rule, words", [
    (8, "below_physics", "weights, gradients and optimizer states take at least 14.96 GiB on each "
                         "of 8 GPUs"),
    (66 * GIB, "unit", "if it is in bytes, enter 66"), (66 * 1024, "unit", "in MiB, enter 66"),
    (66 * GIB / 1e9 * 1.15, "unit", "if it is in GB, enter 75.9"),
    (66 * 8, "unit", "that of all 8 GPUs"), (5e7, "unit", "in KiB"),
    (2000, "above_capacity", f"{GPU} has 79.65 GiB")])
def test_memory_that_cannot_be_is_refused_with_the_bound(server, team, figure, rule, words):
    stored = {name: value for name, value in PLAN.items() if name != "tokens"} | \
        {"measurement_set": "acme", "measured_step_seconds": 3, "measured_memory_gib": figure}
    for reply in (server.get("/v1/training-plan", **PLAN, measured_memory_gib=figure),
                  team.send("POST", "/v1/measurements", stored)):
        assert reply.status == 400, reply.text
        assert culprit(reply) == ("measured_memory_gib", rule)
        assert words in reply.text


@pytest.mark.parametrize("figure, rule, words", [
    (10, "below_physics", "the weights take at least 16."), (400, "above_capacity", "79.65"),
    (60 * 1024, "unit", "in MiB, enter 60")])
def test_memory_of_a_service_is_checked(server, team, figure, rule, words):
    stored = SERVICE | {"measurement_set": "acme", "measured_memory_gib": figure,
                        "measured_time_per_output_token_seconds": 0.03}
    for reply in (server.get("/v1/inference-sizing", **SERVICE, measured_memory_gib=figure),
                  team.send("POST", "/v1/measurements", stored)):
        assert reply.status == 400, reply.text
        assert culprit(reply) == ("measured_memory_gib", rule)
        assert words in reply.text


def test_memory_of_a_service_corrects_nothing_and_says_why(server):
    without = server.get("/v1/inference-sizing", **SERVICE).json
    asked = server.get("/v1/inference-sizing", **SERVICE, measured_memory_gib=70).json
    assert asked["memory_per_gpu_gib"] == without["memory_per_gpu_gib"]
    assert "memory_not_corrected" in codes(asked)


def test_it_is_for_a_plan_and_not_for_a_list(server):
    for path, asked in (("/v1/training-plan/options", dict(model="llama-3.1-8b", tokens=1e10)),
                        ("/v1/inference-sizing/options", dict(model="llama-3.1-8b"))):
        reply = server.get(path, **asked, measured_memory_gib=60)
        assert reply.json["errors"][0]["parameter"] == "measured_memory_gib"


# --- stored --------------------------------------------------------------------------------------

def test_a_stored_run_corrects_plans_and_options_alike(team):
    server = team.server
    without = plan(server)
    run = {name: value for name, value in PLAN.items() if name != "tokens"}
    stored = team.store(run | {"measurement_set": "memory",
                               "measured_step_seconds": without["step_seconds"],
                               "measured_memory_gib": 0.95 * without["memory_per_gpu_gib"]})
    assert stored["measured_memory_kind"] == "allocated"
    assert stored["estimated_memory_gib"] == pytest.approx(without["memory_per_gpu_gib"], rel=1e-5)
    asked = plan(server, measurement_set="memory")
    assert 0.95 < asked["memory_correction_factor"] < 0.98
    assert asked["memory_per_gpu_gib"] < without["memory_per_gpu_gib"]
    listed = server.get("/v1/training-plan/options", model="llama-3.1-8b", gpu=GPU, stack="fsdp",
                        tokens=1e9, sequence_tokens=8192, global_batch_sequences=16,
                        measurement_set="memory", gpu_count=8).json["options"]
    assert listed
    for option in listed:
        own = server.get(option["plan"])
        assert own.json["memory_per_gpu_gib"] == option["memory_per_gpu_gib"], option["plan"]
        assert own.json["memory_correction_factor"] is not None


# --- logs ----------------------------------------------------------------------------------------

STEP = " iteration {}/ 100 | elapsed time per iteration (ms): 19710.0 | global batch size: 16 |\n"
MEGATRON = STEP.format(1) + STEP.format(2)
DEEPSPEED = """\
[INFO] [config.py:1000:print]   train_batch_size ............. 768
[INFO] [config.py:1000:print]   world_size ................... 48
[INFO] [config.py:1000:print]   zero_optimization_stage ...... 3
[INFO] [timer.py:260:stop] epoch=0/micro_step=1/global_step=1, RunningAvgSamplesPerSec=9.0, \
CurrSamplesPerSec=9.5, MemAllocated=6.01GB, MaxMemAllocated=19.52GB
[INFO] [timer.py:260:stop] epoch=0/micro_step=2/global_step=2, RunningAvgSamplesPerSec=58.7, \
CurrSamplesPerSec=64.0, MemAllocated=6.01GB, MaxMemAllocated=19.4GB
"""
NANOTRON = """\
12/06 [INFO|DP=0]: [Start training] datetime: x | mbs: 4 | grad_accum: 8 | sequence_length: 4096 | \
global_batch_size: 256 | train_steps: 3
12/06 [INFO|DP=0]:  Memory usage: 18787.00MiB. Peak allocated 19456.00MiB. Peak reserved: 20170.00MiB
12/06 [INFO|DP=0]: iteration: 1 / 20 | consumed_tokens: 1.05M | elapsed_time_per_iteration_ms: 12.5K | \
tokens_per_sec: 83.9K | global_batch_size: 256 |
12/06 [INFO|DP=0]: iteration: 2 / 20 | consumed_tokens: 2.1M | elapsed_time_per_iteration_ms: 6.51K | \
tokens_per_sec: 161K | global_batch_size: 256 |
"""


@pytest.mark.parametrize("text, gib, kind", [
    (MEGATRON + "[Rank 0] (after 2 iterations) memory (MB) | allocated: 999.5 | max allocated: "
     "20480.0 | reserved: 1126.0 | max reserved: 30720.0\n[Rank 8] (after 2 iterations) memory (MB) "
     "| allocated: 9.5 | max allocated: 10240.0 | reserved: 1 | max reserved: 1\n", 20, "allocated"),
    (MEGATRON + "mem-allocated-gigabytes: 12.4 | mem-max-allocated-gigabytes: 48.46 | "
     "mem-max-reserved-gigabytes: 50.275 |\n", 48.46e9 / GIB, "allocated"),
    (MEGATRON + "mem-max-allocated-bytes: 42949672960 |\n", 40, "allocated"),
    (MEGATRON + "MA 12.05 GB         Max_MA 13.5 GB         CA 14 GB         Max_CA 15 GB\n", 13.5,
     "allocated"),
    (DEEPSPEED, 19.52, "allocated"), (NANOTRON, 19, "allocated"),
    ("step: 1 loss: 8.1 memory: 57.80GiB(73.05%)  tps: 911  mfu: 3%\nstep: 2 loss: 8.1 memory: "
     "58.25GiB(73.5%)  tps: 6,514  mfu: 38%\n", 58.25, "reserved")])
def test_logs_that_print_memory_are_read(tmp_path, text, gib, kind):
    file = tmp_path / "log"
    file.write_text(text, encoding="utf-8")
    _, pairs, _ = question(file)
    assert float(pairs["measured_memory_gib"]) == pytest.approx(gib, rel=1e-6)
    assert pairs["measured_memory_kind"] == kind


def test_a_log_without_memory_says_nothing_of_it(tmp_path):
    file = tmp_path / "log"
    file.write_text(MEGATRON + "memory (MB) | max allocated: nan\n", encoding="utf-8")
    _, pairs, _ = question(file)
    assert not [name for name in pairs if "memory" in name]


def test_steps_of_deepspeed_and_nanotron_are_read(tmp_path):
    file = tmp_path / "log"
    file.write_text(DEEPSPEED, encoding="utf-8")
    _, pairs, _ = question(file)
    assert float(pairs["measured_step_seconds"]) == 768 / 64
    assert (pairs["stack"], pairs["measured_zero_stage"]) == ("deepspeed", "3")
    assert (pairs["measured_gpu_count"], pairs["measured_global_batch_sequences"]) == ("48", "768")
    file.write_text(NANOTRON, encoding="utf-8")
    _, pairs, _ = question(file)
    assert pairs["measured_step_seconds"] == "6.51" and "stack" not in pairs
    assert pairs["measured_sequence_tokens"] == "4096"


def test_samples_per_second_need_a_batch(tmp_path):
    file = tmp_path / "log"
    file.write_text(DEEPSPEED.replace("train_batch_size", "other"), encoding="utf-8")
    done = measure(file)
    assert done.returncode == 64 and "train_batch_size" in done.stderr
