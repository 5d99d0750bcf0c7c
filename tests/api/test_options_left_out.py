"""Lists hold options somebody would choose; the others are counted, ruled out with a reason, and listed on request."""
import pytest

SERVING, TRAINING = "/v1/inference-sizing/options", "/v1/training-plan/options"
R1 = dict(model="deepseek-r1", requests_per_minute=600, input_tokens=2000, output_tokens=1000)
V3 = dict(model="deepseek-v3", requests_per_minute=600)
LIMITED = dict(model="qwen3-235b-a22b", requests_per_minute=600, input_tokens=1000, output_tokens=500,
               tokens_per_second_per_user_min=30)
LONG = dict(model="llama-3.1-8b", tokens=15e12)
FAR, FAR_AND_SLOW = 6, 10


def ask(server, path, **question):
    reply = server.get(path, limit=1000, **question)
    assert reply.status == 200, reply.text
    return reply.json


def size(row, amount):
    return row["cost_per_hour" if amount == "gpu_count" else "total_cost"], row[amount]


@pytest.mark.parametrize("path, question, amount", [
    (SERVING, R1, "gpu_count"), (SERVING, V3, "gpu_count"), (SERVING, LIMITED, "gpu_count"), (TRAINING, LONG, "gpu_hours")])
def test_no_row_takes_over_six_times_the_first(server, path, question, amount):
    """With the ratio of response times the limit is ten. Best trade-offs and clearly faster rows are exempt."""
    answer = ask(server, path, **question)
    first = answer["options"][0]
    time = "days" if amount == "gpu_hours" else "latency_p95_seconds_estimate"
    for row in answer["options"]:
        money, count = size(row, amount)
        times = count / first[amount] if money is None else money / size(first, amount)[0]
        slow = times * max(1, row[time] / first[time]) > FAR_AND_SLOW and question in (R1, V3)
        assert times <= FAR and not slow or row["on_frontier"] or row["gpu_count"] <= 16 or row[time] < 0.8 * first[time], row["gpu"]


@pytest.mark.parametrize("path, question", [(SERVING, R1), (SERVING, LIMITED), (TRAINING, LONG)])
def test_what_is_left_out_is_counted_and_said(server, path, question):
    """Each GPU type left out is ruled out with a reason; per_gpu=1 lists it."""
    short, whole = ask(server, path, **question), ask(server, path, **question, per_gpu=1)
    listed = [row["gpu"] for row in short["options"]]
    gone = {row["gpu"] for row in whole["options"]} - set(listed)
    reasons = {row["gpu"]: row["reason"] for row in short["ruled_out"]}
    assert len(gone) == short["gpus_left_out"] > 0 == whole["gpus_left_out"]
    assert gone <= set(reasons) and len(reasons) == len(short["ruled_out"]) == short["gpus_ruled_out"]
    assert "dgx-spark" in gone or path == TRAINING
    assert short["options"][0]["gpu"] == whole["options"][0]["gpu"]
    assert short["recommended_gpu"] == whole["recommended_gpu"]


def test_only_those_near_a_limit_are_listed_beyond_it(server):
    """Rows that miss the limit are listed only if the better end of their interval meets it."""
    limit = 1 / LIMITED["tokens_per_second_per_user_min"]
    short, whole = ask(server, SERVING, **LIMITED), ask(server, SERVING, **LIMITED, per_gpu=1)
    missing = [row for row in whole["options"] if not row["meets_latency"]]
    assert any(row["time_per_output_token_seconds_low"] > limit for row in missing)
    assert all(row["time_per_output_token_seconds_low"] <= limit for row in short["options"])
    late = ask(server, TRAINING, model="deepseek-v3", tokens=14.8e12, deadline_days=60)
    for answer, met, money in (short, "meets_latency", "cost_per_hour"), (late, "meets_deadline", "total_cost"):
        assert all(row[met] or row[money] is None or row[money] < answer["options"][0][money] for row in answer["options"])


@pytest.mark.parametrize("gpu", ["dgx-spark", "l40s", "arc-b580"])
def test_a_gpu_that_is_named_is_answered(server, gpu):
    """Even if it costs far more than the best."""
    answer = ask(server, SERVING, **R1, gpu=f"{gpu},b200-sxm")
    assert {row["gpu"] for row in answer["options"]} == {gpu, "b200-sxm"} and answer["gpus_left_out"] == 0


def test_a_few_gpus_without_a_price_stay(server):
    """Some users own them: QLoRA of a 70B model runs on one DGX Spark, in days instead of hours."""
    answer = ask(server, TRAINING, model="llama-3.1-70b", tokens=5e7, method="qlora")
    desk = [row for row in answer["options"] if row["gpu"] == "dgx-spark"]
    assert desk and desk[0]["total_cost"] is None and desk[0]["gpu_hours"] > FAR * answer["options"][0]["gpu_hours"]


def test_a_single_gpu_stays(server):
    """One H100 is the smallest order of that type, so it is listed although it costs 15 times as much as an RTX 3090."""
    asked = dict(model="llama-3.1-8b", requests_per_minute=6, time_to_first_token_seconds_max=2, tokens_per_second_per_user_min=20)
    listed = {row["gpu"]: row for row in ask(server, SERVING, **asked)["options"]}
    first = next(iter(listed.values()))
    assert listed["h100-sxm5-80gb"]["gpu_count"] == 1 and listed["h100-sxm5-80gb"]["cost_per_hour"] > FAR * first["cost_per_hour"]
