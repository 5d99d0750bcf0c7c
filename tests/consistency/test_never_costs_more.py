"""Random questions over every GPU of the catalogue: fewer requests, looser limits and narrower formats never need more
GPUs, nor cost more. Questions come from a seed, so each run asks the same ones."""
import math
import random

import pytest

SEED = 20
OPTIONS = "/v1/inference-sizing/options"
MODELS = ("llama-3.1-8b", "llama-3.3-70b", "qwen3-32b", "gpt-oss-120b", "gpt-oss-20b", "qwen3-235b-a22b", "deepseek-r1",
          "kimi-k2-instruct", "glm-4.5-air", "phi-4", "gemma-3-27b-it", "mixtral-8x7b-v0.1", "qwen3-30b-a3b",
          "qwen3-next-80b-a3b")
# Their weights in FP8 have a scale per block: what goes in is quantised, which takes time that 16-bit weights do not, and
# kernels for experts on B200 are slower (f_block, o_block).
BLOCKS = ("qwen3-", "deepseek-", "kimi-", "gpt-oss-", "glm-", "mixtral-")
LOOSER = {"time_to_first_token_seconds_max": 2, "tokens_per_second_per_user_min": 0.7, "latency_p95_seconds": 1.5}
# Each with what a format of fewer bits is compared with. FP4 and INT4 are not compared with FP8: GPUs that multiply FP8
# widen them to 16 bit.
WEIGHTS = (("fp8", "bf16"), ("int8", "bf16"), ("int4", "int8"), ("fp4", "bf16"))
ROUNDING = 1 + 1e-5
# Percentiles jump where a wait is met by just 5% of the requests; 899 replicas instead of 898 may then be needed.
JUMP = 1.002


def draw(rng, model):
    question = {"model": model, "requests_per_minute": rng.choice((6, 60, 300, 1000, 5000, 20000)),
                "input_tokens": rng.choice((200, 1000, 4000, 16000)), "output_tokens": rng.choice((50, 250, 1000))}
    way = rng.random()
    if way < 0.6:
        question |= {"time_to_first_token_seconds_max": rng.choice((0.5, 2, 5)),
                     "tokens_per_second_per_user_min": rng.choice((10, 20, 50))}
    if way > 0.4:
        question["latency_p95_seconds"] = rng.choice((5, 20, 60))
    return question


def easier(rng, question):
    """Pairs of questions: the first asks for less than the second."""
    yield "rate", question, question | {"requests_per_minute": question["requests_per_minute"] * rng.choice((1.1, 1.7))}
    yield "no limit", {k: v for k, v in question.items() if k not in LOOSER}, question
    for name, by in LOOSER.items():
        if name in question:
            yield name, question | {name: question[name] * by}, question
    for narrow, wide in WEIGHTS:
        if narrow != "fp8" or not question["model"].startswith(BLOCKS):
            yield f"{narrow} for {wide}", question | {"weight_dtype": narrow}, question | {"weight_dtype": wide}
    yield "cache", question | {"kv_cache_dtype": "fp8"}, question | {"kv_cache_dtype": "bf16"}


def least(answer):
    """The fewest GPUs and the lowest cost within the limits, by GPU type; and the GPU types that no engine supports."""
    found = {}
    for row in answer["options"]:
        if row["meets_latency"] is not False:
            count, cost = found.get(row["gpu"], (math.inf, math.inf))
            price = math.inf if row["cost_per_hour"] is None else row["cost_per_hour"]
            found[row["gpu"]] = min(count, row["gpu_count"]), min(cost, price)
    return found, {row["gpu"] for row in answer["ruled_out"] if row["reason"] == "engine"}


class Asked:
    def __init__(self, server):
        self.server, self.kept, self.compared, self.worse = server, {}, 0, []

    def least(self, question):
        key = tuple(sorted(question.items()))
        if key not in self.kept:
            self.kept[key] = least(self.server.answer(OPTIONS, per_gpu=0, limit=10000, **question).json)
        return self.kept[key]

    def hold(self, what, easy, hard):
        (found, unsupported), (others, _) = self.least(easy), self.least(hard)
        for gpu in others.keys() - unsupported:
            self.compared += 1
            count, cost = found.get(gpu, (math.inf, math.inf))
            if count > others[gpu][0] * JUMP or cost > others[gpu][1] * JUMP:
                self.worse.append(f"{what}: {gpu} {(count, cost)} for {easy}, {others[gpu]} for {hard}")
        cheapest, other = (min(cost for _, cost in each.values()) if each else math.inf for each in (found, others))
        if cheapest > other * ROUNDING:
            self.worse.append(f"{what}: cheapest {cheapest} for {easy}, {other} for {hard}")


def examine(server, seed, question):
    rng, asked = random.Random(seed), Asked(server)
    for what, easy, hard in easier(rng, question):
        asked.hold(what, easy, hard)
    assert asked.compared > 10, asked.compared
    assert not asked.worse, "\n".join(asked.worse)


@pytest.mark.parametrize("model", MODELS)
def test_less_asked_for_never_costs_more(server, model):
    seed = f"{SEED} {model}"
    examine(server, seed, draw(random.Random(seed), model))


# Larger replicas need fewer GPUs there, but cost more than those within a server, which other passes suit.
@pytest.mark.parametrize("model, requests, tokens, limits", [
    ("glm-4.5-air", 20000, (1000, 50), {"time_to_first_token_seconds_max": 5, "tokens_per_second_per_user_min": 10}),
    ("phi-4", 1000, (16000, 50), {"latency_p95_seconds": 20}),
])
def test_found_by_random_questions(server, model, requests, tokens, limits):
    examine(server, SEED, {"model": model, "requests_per_minute": requests, "input_tokens": tokens[0],
                           "output_tokens": tokens[1], **limits})
