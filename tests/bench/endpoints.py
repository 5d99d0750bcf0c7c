"""The cost of each endpoint, compared with a bare server over libmicrohttpd and with nginx."""
import itertools
import json
import random
import statistics
import urllib.parse

import load
import report
from load import Line

GPUS = ["h100-sxm5-80gb", "a100-sxm4-80gb", "h200-sxm5-141gb", "b200", "mi300x"]
MODELS = ["llama-3.1-70b", "meta-llama-3-70b", "llama-2-70b"]
DIFFERENT = 60_000  # requests of an estimate, before any comes again
CONNECTIONS, LONG_SECONDS = 64, 4
HEAD_END = b"\r\n\r\n"
GZIP = {"Accept-Encoding": "gzip"}
CATALOGUE = [
    ("GPUs", "/v1/gpus"),
    ("one GPU", "/v1/gpus/h100-sxm5-80gb"),
    ("models", "/v1/models"),
    ("offers of a GPU", "/v1/offers?gpu=h100-sxm5-80gb&limit=100"),
    ("price summary of a GPU", "/v1/price-summary?gpu=h100-sxm5-80gb"),
    ("price summary", "/v1/price-summary"),
    ("hardware", "/v1/hardware"),
    ("assumptions", "/v1/assumptions"),
]
# Why the bare server is there in three ways, in words for the table.
SERVERS = {
    "made": "libmicrohttpd, one response made at the start",
    "each": "libmicrohttpd, a response made for each request, as a header that differs needs",
    "layer": "our service/http with a handler that does nothing",
    "nginx": "nginx with a file of that size",
}


def training(draw):
    return {"model": "llama-3.1-70b", "gpu": "h100-sxm5-80gb", "gpu_count": 64 * draw.randrange(1, 17),
            "tokens": draw.randrange(10**9, 10**13), "goodput": round(draw.uniform(0.7, 1), 6)}


def cluster(draw):
    """Another search each time: no two ask about the same cluster."""
    return training(draw) | {"sequence_tokens": 8 * draw.randrange(128, 4000)}


def pinned(draw):
    """No search: the strategy is the caller's."""
    return training(draw) | {"gpu_count": 512, "tensor_parallel": 8, "pipeline_parallel": 4, "micro_batch_sequences": 1}


def inference(draw):
    return {"model": "llama-3.1-70b", "gpu": "h100-sxm5-80gb", "input_tokens": draw.randrange(100, 4000),
            "output_tokens": draw.randrange(50, 1000), "requests_per_minute": draw.randrange(10, 5000)}


def designed(draw):
    return inference(draw) | {"tensor_parallel": 4, "pipeline_parallel": 1, "replica_count": 2, "requests_per_minute": draw.randrange(10, 200)}


def break_even(draw):
    return {"gpu": "h100-sxm5-80gb", "gpu_count": draw.randrange(1, 1000), "utilization": round(draw.uniform(0.1, 1), 6),
            "rent_price_per_gpu_hour": round(draw.uniform(1, 5), 4)}


def options_training(draw):
    return {"model": "llama-3.1-70b", "tokens": draw.randrange(10**9, 10**12), "deadline_days": draw.randrange(60, 90)}


def options_inference(draw):
    return {"model": "llama-3.1-70b"} | {k: v for k, v in inference(draw).items() if k not in ("model", "gpu")}


# name, path, what draws its parameters, methods
ESTIMATES = [
    ("training plan", "/v1/training-plan", training, "GET POST"),
    ("training plan, another cluster", "/v1/training-plan", cluster, "GET POST"),
    ("training plan, strategy given", "/v1/training-plan", pinned, "GET POST"),
    ("training plan, CSV", "/v1/training-plan.csv", training, "GET"),
    ("training plan, one value", "/v1/training-plan.txt?field=days", training, "GET"),
    ("inference sizing", "/v1/inference-sizing", inference, "GET POST"),
    ("inference sizing, design given", "/v1/inference-sizing", designed, "GET POST"),
    ("inference sizing, CSV", "/v1/inference-sizing.csv", inference, "GET"),
    ("break-even", "/v1/break-even", break_even, "GET POST"),
    ("break-even, CSV", "/v1/break-even.csv", break_even, "GET"),
    ("break-even, one value", "/v1/break-even.txt?field=break_even_months", break_even, "GET"),
]
LONG = [
    ("risk, 10,000 draws", "/v1/break-even/risk", break_even),
    ("training options, 70B", "/v1/training-plan/options", options_training),
    ("inference options, 70B", "/v1/inference-sizing/options", options_inference),
]


def drawn(path, draw_one, method="GET", n=DIFFERENT):
    """Requests of one estimate, each with other numbers."""
    draw = random.Random(1)
    if method == "POST":
        return [Line("POST", path, body=json.dumps(draw_one(draw))) for _ in range(n)]
    mark = "&" if "?" in path else "?"
    return [Line("GET", path + mark + urllib.parse.urlencode(draw_one(draw))) for _ in range(n)]


def tag_of(url, line):
    head = load.fetch(url, line).partition(b"\r\n\r\n")[0].decode()
    return next(text[6:] for text in head.split("\r\n") if text.startswith("ETag: "))


def reads(url):
    """A catalogue read in each of its ways."""
    for name, path in CATALOGUE:
        line = Line("GET", path)
        yield name, [line], list(SERVERS)
        yield name + ", gzip", [Line("GET", path, GZIP)], list(SERVERS)
        yield name + ", 304", [Line("GET", path, {"If-None-Match": tag_of(url, line)})], ["made", "each", "layer"]


def known():
    """An estimate that was asked before, as by a sheet or a dashboard."""
    for name, path, draw, methods in ESTIMATES:
        for method in methods.split():
            yield f"{name}, {method}, asked before", drawn(path, draw, method, 1), ["made", "nginx"] if method == "GET" else ["made"]


def unknown():
    """A read that nobody has asked before."""
    path = CATALOGUE[1][1]
    yield "one GPU, each address new", [Line("GET", f"{path}?nocache={i}") for i in range(DIFFERENT)], list(SERVERS)


def estimates():
    for name, path, draw, methods in ESTIMATES:
        for method in methods.split():
            yield f"{name}, {method}", drawn(path, draw, method), ["made", "nginx"] if method == "GET" else ["made"]


def spread(values, form="{:.2f}"):
    low, middle, high = (form.format(f(values)) for f in (min, statistics.median, max))
    return f"{middle} ({low}-{high})"


def cells(name, reply, every):
    """One row: ours, and what share of each other's rate that is, round by round."""
    ours, others = every[0], {server.name: server for server in every[1:]}
    yield name
    yield f"{len(reply) - reply.index(HEAD_END) - len(HEAD_END):,}"
    yield f"{ours.median('rate'):,.0f}"
    for mode in SERVERS:
        yield spread([a / b for a, b in zip(ours.all("rate"), others[mode].all("rate"))]) if mode in others else ""
    yield spread(ours.all("cpu_us"), "{:.3g}")
    for mode in SERVERS:
        yield f"{others[mode].median('cpu_us'):.3g}" if mode in others else ""
    for server in ours, others["made"]:
        yield " / ".join(f"{server.median(percent):.3g}" for percent in ("p50", "p90", "p99"))


HEADER = ["question", "bytes", "requests/s"] + [f"of {mode}" for mode in SERVERS] + ["CPU us"] + \
         [f"{mode}'s" for mode in SERVERS] + ["ms, p50 / p90 / p99", "made's"]


def measure(server, questions, rounds, connections, seconds=1):
    target = load.Target("ours", server.url, [server.process.pid])
    for name, lines, modes in questions:
        reply, every = load.compare(target, lines, modes, rounds, seconds, connections)
        row = list(cells(name, reply, every))
        print(" | ".join(row), flush=True)
        yield row, every


def share(measured, other="made"):
    """All questions together: our rate as a share of the other's, and its CPU time as a share of ours."""
    pairs = [(every[0], next(server for server in every if server.name == other)) for _, every in measured]
    rate = statistics.median(a / b for ours, bare in pairs for a, b in zip(ours.all("rate"), bare.all("rate")))
    cpu = statistics.median(bare.median("cpu_us") / ours.median("cpu_us") for ours, bare in pairs)
    return f"{100 * rate:.0f} % of the requests a second of *{other}*, which takes {100 * cpu:.0f} % of our CPU time"


def section(server, rounds):
    """Every endpoint, as a table."""
    print(" | ".join(HEADER))
    read = list(measure(server, reads(server.url), rounds, CONNECTIONS))
    again = list(measure(server, known(), rounds, CONNECTIONS))
    new = list(measure(server, itertools.chain(unknown(), estimates()), rounds, CONNECTIONS))
    long = [(f"{name}, one client", drawn(path, draw, n=2_000), ["made"]) for name, path, draw in LONG]
    late = list(measure(server, long, rounds, 1, LONG_SECONDS))
    names = "".join(f"- *{mode}*: {what}.\n" for mode, what in SERVERS.items())
    return (f"Each answers the same number of bytes to the same requests with the same headers, with a worker per "
            f"core; {CONNECTIONS} connections, rounds of a second of each in turn, {rounds} of them; medians, and the "
            f"lowest and highest round. Estimates have other numbers in every request, unless they were asked before. The share is of requests a "
            f"second, where the client (wrk) takes its part of the same cores; CPU is the server's alone.\n\n"
            f"{names}\nCatalogue reads and 304s: {share(read)}; {share(read, 'each')}. Estimates asked before: "
            f"{share(again)}.\n\n{report.table(HEADER, [row for row, _ in read + again + new + late])}\n")
