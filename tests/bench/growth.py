"""What grows with what: clients, GPUs in a plan, load of a service, rows of options; memory, start-up."""
import http.client
import pathlib
import random
import statistics
import tempfile
import time
import urllib.parse

import endpoints
import load
import report
from load import Line

CLIENTS = [1, 10, 100, 1_000]
STARTS = 7
# what grows, its values, path and what draws the rest of its parameters
WORK = [
    ("GPUs of a training plan", "gpu_count", [1, 8, 64, 512, 4_096, 32_768, 98_304], "/v1/training-plan",
     endpoints.training),
    ("requests a minute of a service", "requests_per_minute", [10, 100, 1_000, 10_000, 100_000], "/v1/inference-sizing",
     endpoints.inference),
    ("GPUs of a break-even", "gpu_count", [1, 10, 100, 1_000, 10_000, 100_000], "/v1/break-even", endpoints.break_even),
    ("months of a break-even", "horizon_months", [12, 24, 48, 96], "/v1/break-even/series", endpoints.break_even),
    ("rows of training options", "limit", [10, 100, 1_000], "/v1/training-plan/options", endpoints.options_training),
    ("rows of inference options", "limit", [10, 100, 1_000], "/v1/inference-sizing/options",
     endpoints.options_inference),
    ("draws of a risk", "draws", [1_000, 10_000, 100_000], "/v1/break-even/risk", endpoints.break_even),
]


def memory_mib(server, name):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split(name + ":")[1].split()[0]) / 1024


def milliseconds(server, path, draw_one, name, value, seconds=1.0):
    """CPU of an answer, and how many rounds said so, for at least a second and three answers."""
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    draw, cpu, asked, end = random.Random(1), 0.0, 0, time.monotonic() + seconds
    while asked < 3 or time.monotonic() < end:
        before = load.cpu_s([server.process.pid])
        connection.request("GET", f"{path}?{urllib.parse.urlencode(draw_one(draw) | {name: value})}")
        reply = connection.getresponse()
        body = reply.read()
        assert reply.status == 200, body
        cpu, asked = cpu + load.cpu_s([server.process.pid]) - before, asked + 1
    connection.close()
    return 1e3 * cpu / asked


def work(server):
    for what, name, values, path, draw in WORK:
        print(what, flush=True)
        points = [(value, milliseconds(server, path, draw, name, value)) for value in values]
        yield [what, f"{values[0]:,} to {values[-1]:,}", " / ".join(report.number(ms) for _, ms in points),
               f"{report.exponent(points):.2f}", f"{report.exponent(points[-2:]):.2f}"]


def clients(server, rounds):
    path = endpoints.CATALOGUE[1][1]
    for name, lines in (("one GPU", [Line("GET", path)]),
                        ("break-even", endpoints.drawn("/v1/break-even", endpoints.break_even))):
        for n in CLIENTS:
            print(f"{name}, {n} clients", flush=True)
            target = load.Target("ours", server.url, [server.process.pid])
            _, (ours, made) = load.compare(target, lines, ["made"], rounds, connections=n)
            yield [f"{name}, {n:,}", f"{ours.median('rate'):,.0f}"] + [
                " / ".join(f"{one.median(percent):.3g}" for percent in ("p50", "p90", "p99")) for one in (ours, made)
            ] + [f"{ours.median('cpu_us'):.3g}", f"{made.median('cpu_us'):.3g}", f"{memory_mib(server, 'VmRSS'):.1f}"]


def starts(server):
    """Seconds until the first answer, of starts with the catalogue that is there."""
    seconds = []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as directory:
            another = type(server)(server.env, directory)
            begun = time.monotonic()
            another.start()
            seconds.append(time.monotonic() - begun)
            another.stop()
    return seconds


def section(server, rounds):
    rest = memory_mib(server, "VmRSS")
    begun = starts(server)
    grown = report.table(["CPU ms of an answer", "from, to", "at each power", "exponent", "of the last step"],
                         work(server))
    crowd = report.table(["clients", "requests/s", "ms, p50 / p90 / p99", "bare's", "CPU us", "bare's", "memory, MiB"],
                         clients(server, rounds))
    return (f"{grown}\nExponents are of the power that fits best: 0 is flat, 1 linear. For prices see *The catalogue "
            f"at scale*.\n\n{crowd}\nMemory at rest {rest:.1f} MiB, at most {memory_mib(server, 'VmHWM'):.1f} MiB in all "
            f"of this section. From start to the first answer {statistics.median(begun):.3f} s "
            f"({min(begun):.3f}-{max(begun):.3f}, {STARTS} starts).\n")
