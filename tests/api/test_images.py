"""Images in prompts: their tokens join the prompt, and the vision tower's work its reading."""
import pytest

PATH = "/v1/inference-sizing"
JOB = dict(model="qwen3-vl-8b-instruct", gpu="h100-sxm5-80gb", input_tokens=300, output_tokens=150)
ONE = JOB | dict(tensor_parallel=1, replica_count=1, batch_size=1)


def ask(server, path=PATH, **params):
    return server.answer(path, **params).json


def constant(server, key):
    return server.get("/v1/assumptions", key=key).json["rows"][0]["default"]


def test_tokens_join_the_prompt(server):
    """All but the tower's time is that of a longer prompt."""
    text = ask(server, **ONE | dict(input_tokens=300 + 2 * 500))
    got = ask(server, **ONE, images_per_request=2, image_tokens=500)
    for name in ("kv_cache_gib", "weights_gib", "memory_per_gpu_gib", "max_concurrent_requests",
                 "time_per_output_token_seconds"):
        assert got[name] == text[name], name
    assert got["prefill_seconds"] > text["prefill_seconds"]
    assert got["inputs"]["input_tokens"]["value"] == 300


@pytest.mark.parametrize("images, tokens", [(1, 256), (1, 1024), (5, 1024), (0.5, 3025)])
def test_the_tower_takes_what_its_arithmetic_does(server, images, tokens):
    """By hand: two FLOP a weight and patch, four a pair of patches, width and layer."""
    frozen = server.get("/v1/models/qwen3-vl-8b-instruct").json["frozen_parameters"]
    assert frozen == 576388336
    patches, width = 4 * tokens, (frozen * 1152 / 27 / 12)**(1 / 3)
    flop = images * (2 * frozen * patches / constant(server, "e_gemm")
                     + 4 * width / (1152 / 27) * width * patches**2 / constant(server, "e_attn"))
    prompt = 300 + images * tokens
    text = ask(server, **ONE | dict(input_tokens=round(prompt)))
    got = ask(server, **ONE, images_per_request=images, image_tokens=tokens)
    spread = 1e-3 * text["prefill_seconds"]
    assert got["prefill_seconds"] - text["prefill_seconds"] == pytest.approx(flop / 989.4e12, rel=2e-3,
                                                                            abs=spread)


def test_how_many_tokens_if_nobody_says(server):
    got = ask(server, **ONE, images_per_request=1)
    assert got["inputs"]["image_tokens"] == {
        "value": 1024, "unit": "tokens", "source": "default",
        "reference": "/v1/assumptions?key=image_tokens"}
    assert ask(server, **ONE)["inputs"]["image_tokens"]["value"] is None


def test_a_model_without_a_tower(server):
    asked = ONE | dict(model="llama-3.1-8b", images_per_request=1)
    reply = server.get(PATH, **asked)
    assert reply.status == 400 and [(e["parameter"], e["code"]) for e in reply.json["errors"]] == \
        [("image_tokens", "missing_parameter")]
    got = ask(server, **asked, image_tokens=700)
    same = ask(server, **ONE | dict(model="llama-3.1-8b", input_tokens=1000))
    assert got["prefill_seconds"] == same["prefill_seconds"]
    assert "tower_not_counted" in {warning["code"] for warning in got["warnings"]}


@pytest.mark.parametrize("model, gpu", [("qwen3-vl-8b-instruct", "l40s"), ("kimi-k2.5", "h200-sxm5-141gb"),
                                        ("qwen3-vl-235b-a22b-instruct", "b200-sxm"),
                                        ("mistral-small-3.2-24b-instruct-2506", "mi300x")])
@pytest.mark.parametrize("load", [dict(requests_per_minute=600), dict(concurrent_requests=40),
                                  dict(requests_per_minute=300, latency_p95_seconds=60)])
def test_more_images_never_need_less(server, model, gpu, load):
    asked = dict(model=model, gpu=gpu, input_tokens=300, output_tokens=150) | load
    rows = [ask(server, **asked, images_per_request=n, image_tokens=tokens)
            for n, tokens in ((0, 256), (0.3, 256), (1, 256), (1, 1024), (4, 1024))]
    for name in ("gpu_count", "cost_per_hour", "prefill_seconds"):
        values = [row[name] for row in rows]
        assert values == sorted(values), name


def test_no_images_is_the_plain_answer(server):
    plain, none = (ask(server, **ONE, **more) for more in ({}, dict(images_per_request=0)))
    for answer in (plain, none):
        answer.pop("inputs"), answer.pop("links")
    assert plain == none
    idle = ask(server, **ONE, image_tokens=100)
    assert "without_effect" in {warning["code"] for warning in idle["warnings"]}


def test_images_with_a_histogram(server):
    one = ask(server, **{k: v for k, v in ONE.items() if "tokens" not in k}, images_per_request=2,
              image_tokens=500, request_lengths="300:150:1")
    assert one["prefill_seconds"] == ask(server, **ONE, images_per_request=2,
                                         image_tokens=500)["prefill_seconds"]
    assert one["inputs"]["input_tokens"]["value"] == 300


@pytest.mark.parametrize("more", [dict(), dict(pipeline_parallel=2), dict(requests_per_minute=100),
                                  dict(model="kimi-k2.5", gpu="b200-sxm", tensor_parallel=8,
                                       attention_data_parallel=4)])
def test_why(server, more):
    asked = JOB | dict(tensor_parallel=1, images_per_request=2, explain=1) | more
    rows = {row["key"]: row for row in ask(server, **asked)["explanations"]}
    assert "frozen_weights" in rows["prefill_images"]["formula"]
    assert "prefill_images" in rows["prefill_prompt"]["formula"]


def test_images_in_options_and_recommendation(server):
    asked = dict(model="qwen3-vl-8b-instruct", requests_per_minute=1500)
    for path, more in (("/v1/inference-sizing/options", {}), ("/v1/recommendation", dict(workload="serve"))):
        none, some = (ask(server, path, **asked, **more, images_per_request=n) for n in (0, 6))
        cost = "cost_per_hour" if not more else "total_cost"
        assert min(o[cost] for o in none["options"] if o[cost]) < \
            min(o[cost] for o in some["options"] if o[cost])
