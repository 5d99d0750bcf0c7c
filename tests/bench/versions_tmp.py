#!/usr/bin/python3
"""versions.py BEFORE AFTER - CPU time a request of two trees of this project, each with its build/release/gpuplan.

Each daemon has a database of its own tree's sql/. Both are asked the same, in interleaved rounds (ROUNDS=10) of REQUESTS=300
requests of one client; what counts is CPU time of the daemon alone, so that a busy machine tells little. Questions that one of
them refuses are named and left out. ENDPOINTS are those of endpoints.py whose answers are calculated anew.
"""
import contextlib
import http.client
import os
import pathlib
import random
import statistics
import sys
import tempfile
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
os.environ.setdefault("BARE", "build/release/bench/bare")
from conftest import Database, Server  # noqa: E402
from endpoints import CATALOGUE, ESTIMATES, LONG, drawn  # noqa: E402
from load import Line, cpu_s  # noqa: E402

ROUNDS, REQUESTS = int(os.environ.get("ROUNDS", "10")), int(os.environ.get("REQUESTS", "300"))
BOUND = 0.03


@contextlib.contextmanager
def daemon(tree):
    """The daemon of a tree, with that tree's migrations, seed and page."""
    with tempfile.TemporaryDirectory(prefix="gpuplan-bench.") as directory:
        path = pathlib.Path(directory)
        path.chmod(0o755)
        database = Database(directory)
        database.start()
        database.migrate(tree)
        (path / "daemon").mkdir()
        server = Server(database.env, path / "daemon")
        server.binary = tree / "build/release/gpuplan"
        server.env |= {"GPUPLAN_STATIC": str(tree / "static"), "GPUPLAN_WORKERS": "1"}
        try:
            yield server.start()
        finally:
            server.stop()
            database.stop()


def ask(connection, line):
    connection.request(line.method, line.target, line.body or None, line.headers)
    reply = connection.getresponse()
    reply.read()
    return reply.status


def round_us(server, lines):
    """Microseconds of CPU time for each of them."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=600)
    with contextlib.closing(connection):
        ask(connection, lines[0])
        before = cpu_s([server.process.pid])
        for line in lines:
            ask(connection, line)
        return 1e6 * (cpu_s([server.process.pid]) - before) / len(lines)


def questions():
    """Name and lines: enough that no round asks what another has asked."""
    for name, path in CATALOGUE:
        sign = "&" if "?" in path else "?"
        yield name, [Line("GET", f"{path}{sign}nocache={i}") for i in range(ROUNDS * REQUESTS)]
    for name, path, draw, methods in ESTIMATES:
        for method in methods.split():
            yield f"{name}, {method}", drawn(path, draw, method, ROUNDS * REQUESTS)
    for name, path, draw in LONG:
        yield name, drawn(path, draw, n=ROUNDS * max(1, REQUESTS // 150))


def compare(servers, lines):
    """The median of the rounds' ratios, with the medians of both; None where one of them refuses to answer."""
    for server in servers:
        with contextlib.closing(http.client.HTTPConnection(urllib.parse.urlsplit(server.url).netloc, timeout=600)) as connection:
            if ask(connection, lines[0]) != 200:
                return None
    each = len(lines) // ROUNDS
    rounds = []
    for i in range(ROUNDS):
        order = random.sample(range(2), 2)
        cost = {which: round_us(servers[which], lines[i * each:(i + 1) * each]) for which in order}
        rounds.append((cost[0], cost[1], cost[1] / cost[0]))
    return [statistics.median(values) for values in zip(*rounds)]


def main(before, after):
    print(f"| question | before, us of CPU | after | after / before, median of {ROUNDS} rounds |\n|---|---:|---:|---:|")
    ratios = []
    with daemon(pathlib.Path(before).resolve()) as old, daemon(pathlib.Path(after).resolve()) as new:
        for name, lines in questions():
            found = compare((old, new), lines)
            if not found:
                print(f"| {name} | | | refused by one of them |", flush=True)
                continue
            ratios.append(found[2])
            print(f"| {name} | {found[0]:,.0f} | {found[1]:,.0f} | {found[2]:.2f} |", flush=True)
    slower = sum(ratio > 1 + BOUND for ratio in ratios)
    print(f"\n{len(ratios)} questions, {slower} slower by over {BOUND:.0%}; median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
