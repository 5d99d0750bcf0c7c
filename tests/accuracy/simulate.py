"""One replica with continuous batching and chunked prefill, request by request.

Requests arrive at random (Poisson) and have lengths of a lognormal distribution. Each step of the
engine writes the next tokens of all that run and reads up to a budget of prompt tokens, first come
first served. Shares nothing with the estimate but the table of times that replicas.c prints.

    simulate.py DESIGNS SEED REQUESTS    how far off the estimate is
"""

import bisect
import collections
import heapq
import json
import math
import os
import pathlib
import random
import subprocess
import sys

PROGRAM = pathlib.Path(os.environ.get("MEASURE", "build/release/accuracy")) / "replicas"


class Line:
    """Piecewise linear, continued beyond both ends."""

    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys

    def at(self, x):
        xs, ys = self.xs, self.ys
        if len(xs) == 1:
            return ys[0]
        i = min(max(bisect.bisect_right(xs, x) - 1, 0), len(xs) - 2)
        return ys[i] + (ys[i + 1] - ys[i]) * (x - xs[i]) / (xs[i + 1] - xs[i])


def lengths(rng, mean, cv, most):
    """Whole numbers of at least one, lognormal; none longer than the model takes."""
    if cv == 0:
        return lambda: mean
    sigma = math.sqrt(math.log(1 + cv * cv))
    mu = math.log(mean) - sigma * sigma / 2
    return lambda: min(most, max(1, round(rng.lognormvariate(mu, sigma))))


class Replica:
    def __init__(self, table):
        self.table = table
        contexts = table["contexts"]
        self.rows = [Line(contexts, row[1:]) for row in table["steps"]]
        self.counts = [row[0] for row in table["steps"]]
        tokens = [row[0] for row in table["prompts"]]
        self.busy = Line(tokens, [row[1] for row in table["prompts"]])
        self.alone = Line(tokens, [row[2] for row in table["prompts"]])

    def step(self, n, context):
        i = min(max(bisect.bisect_right(self.counts, n) - 1, 0), len(self.counts) - 1)
        low = self.rows[i].at(context)
        if n == self.counts[i] or i + 1 == len(self.counts):
            return low
        share = (n - self.counts[i]) / (self.counts[i + 1] - self.counts[i])
        return low + share * (self.rows[i + 1].at(context) - low)

    def run(self, requests, seed):
        """Seconds to the first token and to the last of that many requests, those left out that
        come before the replica has settled."""
        t, rng = self.table, random.Random(seed)
        prompt, answer = (lengths(rng, t["input_tokens"], t["input_cv"], t["max_tokens"]),
                          lengths(rng, t["output_tokens"], t["output_cv"], t["max_tokens"]))
        per_step, budget, most = t["tokens_per_step"], t["pass_tokens"], t["most"]
        waiting, reading, running = collections.deque(), collections.deque(), []
        now = 0.0
        arrived = 0
        steps = contexts = 0.0  # steps so far; tokens in the cache of what runs
        first, whole = [], []
        warm = 2000 + int(8 * t["batch"])
        requests += warm
        arrival = rng.expovariate(t["rate"])
        while len(whole) < requests - warm:
            while arrival <= now:
                waiting.append((arrival, prompt(), answer(), arrived))
                arrived += 1
                arrival += rng.expovariate(t["rate"])
            while waiting and len(running) + len(reading) < most:
                reading.append([*waiting.popleft(), 0.0])
            if not running and not reading:
                now = arrival
                continue
            n = len(running)
            seconds = self.step(n, contexts / n) if n else t["fixed"]
            if reading:
                left, done = budget, []
                while reading and left > 0:
                    each = reading[0]
                    part = min(left, each[1] - each[4])
                    seconds += self.busy.at(each[1]) * part / each[1]
                    each[4] += part
                    left -= part
                    if each[4] < each[1]:
                        break
                    done.append(reading.popleft())
                now += seconds
                steps += 1
                contexts += n * per_step
                for arrived_at, tokens, answers, number, _ in done:
                    # what a prompt alone takes over its share of a busy replica, and the host
                    late = t["host"] + self.alone.at(tokens) - self.busy.at(tokens)
                    late -= t["fixed"] if n == 0 else 0
                    if warm <= number < requests:
                        first.append(now + late - arrived_at)
                    rest = math.ceil((answers - 1) / per_step)
                    heapq.heappush(running, (steps + rest, number, arrived_at, tokens, answers,
                                             late))
                    contexts += tokens
            else:
                # nothing changes before the next arrival or the first end
                until = max(1, running[0][0] - steps)
                often = min(until, max(1, math.ceil((arrival - now) / seconds)))
                middle = self.step(n, contexts / n + (often - 1) * per_step / 2)
                now += often * middle
                steps += often
                contexts += often * n * per_step
            while running and running[0][0] <= steps:
                _, number, arrived_at, tokens, answers, late = heapq.heappop(running)
                contexts -= tokens + math.ceil((answers - 1) / per_step) * per_step
                if warm <= number < requests:
                    whole.append(now + late - arrived_at)
        return first, whole


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def percentiles(table, requests, seed):
    first, whole = Replica(table).run(requests, seed)
    return {"p50": quantile(whole, 0.5), "p95": quantile(whole, 0.95),
            "ttft_p95": quantile(first, 0.95)}


def main(count, seed, requests):
    """Prints the errors of so many designs, and the worst of them."""
    printed = subprocess.run([PROGRAM, count, seed], capture_output=True, text=True, check=True)
    rows = []
    for number, line in enumerate(printed.stdout.splitlines()):
        table = json.loads(line)
        rows.append((table, percentiles(table, int(requests), number)))
    for name, near in (("p50", 0.05), ("p95", 0.10), ("ttft_p95", 0.10)):
        errors = sorted((table[name] / measured[name] - 1, table["model"], table["gpu"],
                         f"tensor {table['tensor']:.0f}", f"load {table['rate_share']:.2f}",
                         f"prompts {table['prompts_share']:.2f}",
                         f"places {table['slot_chance']:.3f}")
                        for table, measured in rows)
        n = len(errors)
        print(f"{name}: of {n} designs {sum(abs(e[0]) <= near for e in errors)} within "
              f"{near:.0%}, {sum(e[0] < -0.15 for e in errors)} optimistic by over 15 %, median "
              f"{errors[n // 2][0]:+.3f}")
        print("  lowest", *errors[0], "highest", *errors[-1])


if __name__ == "__main__":
    main(*sys.argv[1:4])
