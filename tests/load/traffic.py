"""What a company's people, sheets and dashboards ask, as the requests that load.c sends.

Always the same ones: a seeded draw over real GPUs and models, few of them twice. Who asks again
what he knows sends the ETag, and gets a 304 as long as nothing changed.
"""
import json
import random
import urllib.parse

GPUS = ("h100-sxm5-80gb", "h100-pcie-80gb", "h200-sxm5-141gb", "a100-sxm4-80gb", "b200-sxm", "l40s", "l4", "a10", "t4")
BIG = GPUS[:5]
MODELS = ("llama-2-7b", "llama-2-13b", "llama-2-70b")

# The number of requests of each kind in a thousand.
SHARES = {"catalogue": 330, "training plan": 140, "inference sizing": 140, "break-even": 140,
          "CSV": 90, "one value": 60, "POST": 30, "known already": 40, "bad input": 28, "risk": 2}


def catalogue(draw):
    gpu = draw.choice(GPUS)
    return draw.choice([
        ("/v1/gpus", {"min_memory_gib": draw.randrange(8, 80)}),
        (f"/v1/gpus/{gpu}", {"model": draw.choice(MODELS)}),
        ("/v1/offers", {"gpu": gpu, "purchase_option": "on_demand", "limit": draw.randrange(5, 50)}),
        ("/v1/offers/history", {"gpu": gpu, "limit": draw.randrange(5, 50)}),
        ("/v1/price-summary", {"gpu": gpu, "purchase_option": draw.choice(("on_demand", "spot"))}),
        ("/v1/models", {"limit": draw.randrange(5, 30)}),
        ("/v1/assumptions", {"limit": draw.randrange(5, 30)}),
        ("/v1/hardware", {"gpu": gpu})])


def training(draw):
    return "/v1/training-plan", {
        "model": draw.choice(MODELS), "gpu": draw.choice(BIG), "gpu_count": 8 * draw.randrange(16, 256),
        "tokens": draw.randrange(100, 2000) * 10**9}


def inference(draw):
    return "/v1/inference-sizing", {
        "model": draw.choice(MODELS), "gpu": draw.choice(BIG), "requests_per_minute": draw.randrange(10, 1000),
        "input_tokens": draw.randrange(100, 3000), "output_tokens": draw.randrange(50, 800)}


def break_even(draw):
    return "/v1/break-even", {
        "gpu": draw.choice(BIG), "gpu_count": draw.choice((8, 16, 64)),
        "utilization": draw.randrange(20, 100) / 100, "horizon_months": draw.randrange(12, 60)}


def sheet(draw):
    path, asked = draw.choice((training, inference, break_even, catalogue))(draw)
    return f"{path}.csv", asked


def value(draw):
    path, asked = draw.choice((training, inference, break_even))(draw)
    return f"{path}.txt", asked


def bad(draw):
    path, asked = draw.choice((training, inference, break_even))(draw)
    return draw.choice([(path.replace("/v1/", "/v1/x"), asked), (path, asked | {"gpu": "h1000"}),
                        (path, asked | {"horizon": "70%"}), (path, asked | {"gpu_count": -1})])


def risk(draw):
    path, asked = break_even(draw)
    return f"{path}/risk", asked | {"seed": draw.randrange(10**6)}


def target(question):
    path, asked = question
    return f"{path}?{urllib.parse.urlencode(asked)}"


def get(question, *headers):
    return "\r\n".join((f"GET {target(question)} HTTP/1.1", "Host: gpuplan", *headers, "", "")).encode()


def post(question):
    path, asked = question
    body = json.dumps(asked)
    return (f"POST {path} HTTP/1.1\r\nHost: gpuplan\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def record(kind, statuses, request):
    return f"{kind.replace(' ', '_')} {statuses} {len(request)}\n".encode() + request


def one(kind, draw, etag):
    """`etag` says the ETag of a target, or None where nobody is asked."""
    ask = {"catalogue": catalogue, "training plan": training, "inference sizing": inference,
           "break-even": break_even, "CSV": sheet, "one value": value, "risk": risk, "bad input": bad}
    if kind == "known already":
        question = draw.choice((catalogue, training, inference, break_even))(draw)
        return record(kind, "304,200", get(question, f"If-None-Match: {etag(target(question))}"))
    if kind == "POST":
        return record(kind, "200", post(draw.choice((training, inference, break_even))(draw)))
    statuses = "400,404" if kind == "bad input" else "200"
    headers = ("Accept-Encoding: gzip",) if draw.random() < 0.5 else ()
    return record(kind, statuses, get(ask[kind](draw), *headers))


def write(path, count, etag):
    draw = random.Random(1)
    kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
    with open(path, "wb") as file:
        for first in range(0, count, len(kinds)):
            draw.shuffle(kinds)
            for kind in kinds[:count - first]:
                file.write(one(kind, draw, etag))
