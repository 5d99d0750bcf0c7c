"""Requests of mixed lengths: a histogram in place of one length for all."""
import random

import pytest

PATH = "/v1/inference-sizing"
JOB = dict(model="llama-3.1-8b", gpu="h100-sxm5-80gb", requests_per_minute=900)
LATE = JOB | dict(latency_p95_seconds=12)
MIX = [(512, 200, 0.7), (8000, 500, 0.25), (30000, 1200, 0.05)]


def text(buckets):
    return ",".join(f"{i}:{o}:{share:.15g}" for i, o, share in buckets)


def listed(buckets):
    return [dict(input_tokens=i, output_tokens=o, share=share) for i, o, share in buckets]


def ask(server, path=PATH, **params):
    return server.answer(path, **params).json


def figures(answer):
    """All but what the question is written as."""
    return {key: value for key, value in answer.items()
            if key not in ("inputs", "links", "link", "self", "pinned", "elapsed_ms")
            and "link" not in key and "url" not in key}


@pytest.mark.parametrize("load", [dict(requests_per_minute=900), dict(concurrent_requests=50),
                                  dict(batch_size=8, replica_count=1), dict(tokens_per_day=5e9),
                                  dict(requests_per_minute=300, latency_p95_seconds=90,
                                       input_tokens_cv=0, output_tokens_cv=0.4)])
@pytest.mark.parametrize("model, length", [("llama-3.1-8b", (777, 333)), ("gpt-oss-120b", (5000, 100)),
                                           ("deepseek-v3", (100, 1500))])
def test_one_bucket_is_the_plain_question(server, load, model, length):
    asked = dict(model=model, gpu="h200-sxm5-141gb") | load
    plain = ask(server, **asked, input_tokens=length[0], output_tokens=length[1])
    for share in (1, 0.3, 17):
        one = ask(server, **asked, request_lengths=text([(*length, share)]))
        assert figures(one) == figures(plain)
    assert one["inputs"]["input_tokens"]["value"] == length[0]
    assert one["inputs"]["input_tokens"]["source"] == "chosen"


@pytest.mark.parametrize("seed", range(12))
def test_neither_order_nor_splitting_matters(server, seed):
    rng = random.Random(seed)
    mix = [(rng.randint(1, 20000), rng.randint(1, 900), rng.randint(1, 64) / 64)
           for _ in range(rng.randint(2, 9))]
    asked = rng.choice([JOB, LATE | dict(latency_p95_seconds=60), dict(JOB, model="gpt-oss-20b")])
    whole = ask(server, **asked, request_lengths=text(mix))
    shuffled = mix[:]
    rng.shuffle(shuffled)
    i, o, share = mix[0]
    split = mix[1:] + [(i, o, share / 2), (i, o, share / 2)]
    scaled = [(a, b, 64 * c) for a, b, c in mix]
    for other in (shuffled, split, scaled):
        assert figures(ask(server, **asked, request_lengths=text(other))) == figures(whole)


def test_a_list_of_objects_is_the_same(server):
    plain = ask(server, **LATE, request_lengths=text(MIX))
    posted = server.post(PATH, LATE | dict(request_lengths=listed(MIX)))
    assert posted.status == 200, posted.text
    assert figures(posted.json) == figures(plain)
    assert posted.json["inputs"]["request_lengths"]["value"] == text(MIX)
    options = server.post(PATH + "/options", dict(JOB, gpu="h100-sxm5-80gb,l40s",
                                                  request_lengths=listed(MIX)))
    assert options.status == 200, options.text
    assert options.json["inputs"]["input_tokens"]["value"] == pytest.approx(3858.4)


def test_means_and_spread(server):
    """Means as by hand; the spread is that between buckets and within them."""
    got = ask(server, **JOB, request_lengths=text(MIX), explain=1)
    mean = sum(i * share for i, _, share in MIX)
    square = sum(i * i * share for i, _, share in MIX) * (1 + 0.96**2)
    assert got["inputs"]["input_tokens"]["value"] == pytest.approx(mean)
    assert got["inputs"]["output_tokens"]["value"] == pytest.approx(325)
    cv = (square / mean**2 - 1)**0.5
    same = ask(server, **JOB, input_tokens=round(mean), output_tokens=325, input_tokens_cv=cv,
               output_tokens_cv=((sum(o * o * s for _, o, s in MIX) * (1 + 0.77**2)) / 325**2 - 1)**0.5)
    for name in ("latency_p95_seconds_estimate", "batch_size", "time_per_output_token_seconds"):
        assert got[name] == pytest.approx(same[name], rel=2e-3), name


def test_longer_or_more_mixed_never_needs_less(server):
    """At one mean, what is spread wider answers later; longer buckets cost no less."""
    even = [(2000, 200, 1)]
    spread = [[(2000 - d, 200, 0.5), (2000 + d, 200, 0.5)] for d in (0, 500, 1000, 1900)]
    late = [ask(server, **JOB, request_lengths=text(mix))["latency_p95_seconds_estimate"]
            for mix in [even] + spread]
    assert late == sorted(late) and late[-1] > late[0]
    counts = [ask(server, **LATE | dict(requests_per_minute=6000, latency_p95_seconds=40),
                  request_lengths=text([(500, 200, 0.8), (tokens, 200, 0.2)]))["gpu_count"]
              for tokens in (500, 2000, 8000, 20000)]
    assert counts == sorted(counts) and counts[-1] > counts[0]


def test_the_longest_must_fit(server):
    """Memory is for the mean, but a replica must hold the longest request alone."""
    asked = dict(model="llama-3.1-8b", gpu="rtx-4090", requests_per_minute=2)
    short, long = (ask(server, **asked, request_lengths=text([(500, 100, 0.999), (n, 100, 0.001)]))
                   for n in (1000, 100000))
    assert short["gpu_count"] == 1 < long["gpu_count"]
    held = server.get(PATH, **asked, gpu_count=1, explain=1,
                      request_lengths=text([(500, 100, 0.999), (100000, 100, 0.001)]))
    assert held.status == 200 and not held.json["fits"] and held.json["memory_shortfall_gib"] > 0
    beyond = ask(server, **JOB, request_lengths="500:100:0.9,200000:100:0.1")
    assert "context_too_long" in {warning["code"] for warning in beyond["warnings"]}


def test_why_of_the_longest(server):
    held = ask(server, model="llama-3.1-8b", gpu="rtx-4090", gpu_count=1, explain=1,
               request_lengths="500:100:0.999,100000:100:0.001", requests_per_minute=2)
    rows = {row["key"]: row for row in held["explanations"]}
    assert "kv_cache_longest" in rows["memory_per_gpu_gib"]["formula"]
    assert rows["memory_per_gpu_gib"]["value"] == pytest.approx(held["memory_per_gpu_gib"], rel=1e-5)


@pytest.mark.parametrize("given, code", [
    ("512:200", "not_a_list"), ("512:200:0.7:1", "not_a_list"), ("0:512:1", "not_a_list"),
    ("512:200:0", "not_a_list"), ("512:200:-1", "not_a_list"), ("a:b:c", "not_a_list"),
    ("0.5:1:1", "not_a_list"), (",", "not_a_list"), ("1:2:3,", None), ("512:200:1e999", "not_a_list"),
    (",".join(["1:1:1"] * 101), "too_many"), ("1" * 5000, "too_long"), ("1:1:1:", "not_a_list"),
])
def test_what_is_no_histogram(server, given, code):
    for path in (PATH, PATH + "/options"):
        reply = server.get(path, **JOB, request_lengths=given)
        assert reply.status == (400 if code else 200), reply.text
        if code:
            assert {(e["parameter"], e["code"]) for e in reply.json["errors"]} == \
                {("request_lengths", code)}


@pytest.mark.parametrize("given", [
    [dict(input_tokens=1, output_tokens=1)], [dict(input_tokens=1, output_tokens=1, share=1, x=1)],
    [1], ["1:1:1", dict()], [dict(input_tokens=[1], output_tokens=1, share=1)], dict(a=1),
    [dict(input_tokens="1,2", output_tokens=1, share=1)], [dict()] * 101])
def test_what_is_no_list(server, given):
    reply = server.post(PATH, JOB | dict(request_lengths=given))
    assert reply.status == 400 and "request_lengths" in reply.text, reply.text


def test_lengths_are_said_once(server):
    for name in ("input_tokens", "output_tokens"):
        reply = server.get(PATH, **JOB, request_lengths=text(MIX), **{name: 100})
        assert reply.status == 400 and "request_lengths" in reply.text
    moved = ask(server, PATH + "/sensitivity", **JOB, request_lengths=text(MIX))
    assert moved["effects"] and not {row["input"] for row in moved["effects"]} & \
        {"input_tokens", "output_tokens"}


def test_a_recommendation_of_mixed_lengths(server):
    asked = dict(workload="serve", model="llama-3.1-8b", requests_per_minute=900)
    got = ask(server, "/v1/recommendation", **asked, request_lengths=text(MIX))
    plain = ask(server, "/v1/recommendation", **asked, input_tokens=512, output_tokens=200)
    assert got["inputs"]["input_tokens"]["value"] == pytest.approx(3858.4)
    assert min(o["total_cost"] for o in got["options"]) > min(o["total_cost"] for o in plain["options"])
