"""Prompts alone on several replicas, each sent to the one with the fewest, request by request; random designs of
replicas.c. Shares nothing with the estimate but the table of times that replicas.c prints.

    routing.py DESIGNS SEED REQUESTS    how far off the estimate is
"""

import bisect
import collections
import heapq
import json
import math
import random
import subprocess
import sys

import simulate


def line_of(points, column):
    """Piecewise linear, continued beyond both ends."""
    x, y = [point[0] for point in points], [point[column] for point in points]

    def at(value):
        i = min(max(bisect.bisect_right(x, value) - 1, 0), len(x) - 2)
        return y[i] + (y[i + 1] - y[i]) * (value - x[i]) / (x[i + 1] - x[i])
    return at


class Replicas:
    def __init__(self, table, seed):
        self.table, self.random = table, random.Random(seed)
        self.queues = [collections.deque() for _ in range(int(table["routed"]))]
        self.sent = [0] * len(self.queues)  # to each and not yet answered
        self.busy, self.passes = [False] * len(self.queues), []
        self.seconds, self.alone = line_of(table["prompts"], 1), line_of(table["prompts"], 2)

    def prompt(self):
        mean, spread = self.table["input_tokens"], self.table["input_cv"]
        sigma = math.sqrt(math.log1p(spread ** 2))
        drawn = round(math.exp(self.random.gauss(math.log(mean) - sigma ** 2 / 2, sigma))) if spread else mean
        return min(self.table["max_tokens"], max(1, drawn))

    def begin(self, replica, now):
        """A pass over what waits, up to its tokens; a longer prompt goes on in the next."""
        left, taken, done = self.table["pass_tokens"], self.table["fixed"], []
        queue = self.queues[replica]
        while queue and left > 0:
            request = queue[0]
            part = min(left, request["tokens"] - request["read"])
            taken += self.seconds(request["tokens"]) * part / request["tokens"]
            request["read"] += part
            left -= part
            if request["read"] < request["tokens"]:
                break
            done.append(queue.popleft())
        self.busy[replica] = True
        heapq.heappush(self.passes, (now + taken, replica, done))

    def arrive(self, number, now):
        fewest = min(self.sent)
        replica = self.random.choice([i for i, sent in enumerate(self.sent) if sent == fewest])
        self.sent[replica] += 1
        self.queues[replica].append({"number": number, "arrived": now, "tokens": self.prompt(), "read": 0})
        if not self.busy[replica]:
            self.begin(replica, now)

    def late(self, tokens):
        """The time that a prompt alone takes beyond its share of a pass, and that of the host."""
        return self.table["host"] + self.alone(tokens) - self.seconds(tokens) - self.table["fixed"]


def p95(table, requests, seed, warm=2000):
    """95th percentile of the time until prompts are read."""
    replicas, rate = Replicas(table, seed), table["rate"] * table["routed"]
    arrives, number, times = replicas.random.expovariate(rate), 0, []
    while len(times) < requests:
        if not replicas.passes or arrives < replicas.passes[0][0]:
            replicas.arrive(number, arrives)
            number += 1
            arrives += replicas.random.expovariate(rate)
            continue
        now, replica, done = heapq.heappop(replicas.passes)
        replicas.busy[replica] = False
        replicas.sent[replica] -= len(done)
        times += [now + replicas.late(request["tokens"]) - request["arrived"] for request in done
                  if request["number"] >= warm]
        if replicas.queues[replica]:
            replicas.begin(replica, now)
    return sorted(times)[int(0.95 * len(times))]


def error_of(table, requests, number):
    """Estimate / simulation - 1; over eight times the requests where it seems optimistic, as a percentile of few is
    itself off by as much near a full load."""
    error = table["ttft_p95"] / p95(table, requests, number) - 1
    if error >= simulate.OPTIMISTIC:
        return error
    return table["ttft_p95"] / p95(table, 8 * requests, number) - 1


def errors(count, seed, requests):
    """The error of each design whose requests do not wait for a slot, and the design."""
    printed = subprocess.run([simulate.PROGRAMS / "replicas", str(count), str(seed), "prompts"], capture_output=True,
                             text=True, check=True)
    tables = [json.loads(line) for line in printed.stdout.splitlines()]
    return [(error_of(table, requests, number), table)
            for number, table in enumerate(tables) if table["slot_chance"] < 0.001]


def main(count, seed, requests):
    found = sorted(errors(count, seed, int(requests)), key=lambda pair: pair[0])
    values = [error for error, _ in found]
    near = sum(abs(error) <= simulate.NEAR["ttft_p95"] for error in values)
    print(f"{len(values)} designs, {near} within 10 %, {sum(error < simulate.OPTIMISTIC for error in values)} "
          f"optimistic by over 15 %, {values[0]:+.0%} to {values[-1]:+.0%}")
    for error, table in (*found[:3], *found[-3:]):
        print(f"{error:+.0%}: {table['routed']:.0f} replicas, prompts {table['prompts_share']:.0%} of the time, "
              f"{simulate.described(table)}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
