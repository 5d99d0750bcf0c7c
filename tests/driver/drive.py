#!/usr/bin/env python3
"""drive.py SECONDS [PATH]: random legal questions over the whole API of a real daemon, and what must be true of
every answer (checks.py). A second daemon on the same database forgets everything every few seconds:
answers that rest on memory must be the same bytes as those that do not.

    GPUPLAN_BINARY         the daemon
    GPUPLAN_DRIVER_SEED    which questions; where not given, those of the day
    GPUPLAN_DRIVER_NUMBER  how many at most, 50000

A fault is printed with its address, to ask it again; with PATH only that path is asked."""
import collections
import datetime
import http.client
import json
import multiprocessing
import os
import pathlib
import random
import signal
import sys
import tempfile
import time
import traceback
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import checks  # noqa: E402
from checks import need  # noqa: E402
from conftest import EXPIRED_QUOTE, Database, Server  # noqa: E402
from openapi import inlined  # noqa: E402
from questions import FORMATS, PICTURES, Catalogue, Questions  # noqa: E402

# Taken away, since the daemon refuses settings that are none of its own.
NUMBER = int(os.environ.pop("GPUPLAN_DRIVER_NUMBER", "50000"))
SEED = os.environ.pop("GPUPLAN_DRIVER_SEED", datetime.date.today().strftime("%Y%m%d"))
ANSWER_SECONDS = 600  # no answer takes longer, by a slow build on a busy machine neither
FORGET_SECONDS = 5
SHOWN = 3  # faults of a kind


class Connection:
    def __init__(self, url):
        self.address = url.removeprefix("http://")
        self.http = None

    def ask(self, method, target, body=None, headers=None):
        for again in (True, False):
            try:
                if not self.http:
                    self.http = http.client.HTTPConnection(self.address, timeout=ANSWER_SECONDS)
                self.http.request(method, target, body, headers or {})
                reply = self.http.getresponse()
                return reply.status, reply.headers, reply.read()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.http = None
                if not again:
                    raise

    def get(self, target):
        return self.ask("GET", target)[2]


def target_of(path, asked, suffix=""):
    return path + suffix + ("?" + urllib.parse.urlencode(asked) if asked else "")


class Driver:
    def __init__(self, urls, index):
        self.one, self.other = (Connection(url) for url in urls)
        self.r = random.Random(f"{SEED}/{index}")
        openapi = inlined(json.loads(self.one.get("/openapi.json")))
        self.questions = Questions(openapi, Catalogue(self.one.get), self.r)
        self.statuses = collections.Counter()
        self.faults = collections.defaultdict(list)
        self.slowest = (0, "")

    # --- one question, all that is checked of it

    def expect_same(self, what, target, first, again):
        if first[0] == 503 or again[0] == 503:
            return
        need(first[0] == again[0] and first[2] == again[2], what, first[0], again[0],
             difference(first[2], again[2]))

    def learn(self, body):
        """Which inputs are whole numbers, as the refusal says."""
        for error in json.loads(body).get("errors", []):
            if "whole" in error.get("detail", ""):
                self.questions.whole.add(error["parameter"])

    def check_refusal(self, status, headers, body):
        need(headers.get("Content-Type", "").startswith("application/problem+json"), "no problem:",
             headers.get("Content-Type"))
        problem = checks.as_json(body)
        need(problem["status"] == status and problem["title"] and problem.get("detail"), "a refusal says why")
        need(status != 400 or problem.get("errors"), "a refusal names the parameter at fault")
        self.learn(body)

    def check_again(self, path, asked, target, first):
        r = self.r
        if r.random() < 0.2:
            for _ in range(2):
                self.expect_same("not the same when asked again:", target, first, self.one.ask("GET", target))
        if r.random() < 0.2:
            self.expect_same("not the same without memory:", target, first, self.other.ask("GET", target))
        if r.random() < 0.05 and first[1].get("ETag"):
            status, _, body = self.one.ask("GET", target, headers={"If-None-Match": first[1]["ETag"]})
            need(status in (304, 503) and (status == 503 or not body), "its ETag is another's:", status)
        if path in self.questions.posted and r.random() < 0.15 and "format" not in asked:
            status, _, body = self.one.ask("POST", path, json.dumps(self.questions.typed(path, asked)),
                                           {"Content-Type": "application/json"})
            need(status in (first[0], 503), "not the same by POST:", status)
            if status == 200:
                got, wanted = (({k: v for k, v in checks.as_json(b).items() if k != "links"})
                               for b in (body, first[2]))
                need(got == wanted, "not the same by POST:", difference(body, first[2]))

    def follow(self, reply):
        """What an answer points to is there; the break-even behind a row has the row's figures."""
        found = checks.addresses(reply)
        if found and "paths" not in reply and self.r.random() < 0.1:
            target = self.r.choice(found)
            status, _, body = self.one.ask("GET", target)
            need(status in (200, 503), "points to what is not there:", status, target, body[:200])
        rows = [row for row in reply.get("options") or [] if row.get("break_even")]
        if rows and self.r.random() < 0.3:
            row = self.r.choice(rows)
            status, _, body = self.one.ask("GET", row["break_even"])
            if status == 200:
                checks.same_figures(row, checks.as_json(body))
            else:
                need(row.get("note"), "a row whose break-even is refused:", row["break_even"])

    def check_formats(self, path, asked, reply):
        kinds = FORMATS + (("svg",) if any(p in path for p in PICTURES) else ())
        kind = self.r.choice(kinds)
        target = target_of(path, asked, f".{kind}")
        status, headers, body = self.one.ask("GET", target)
        need(status < 500 or status == 503, "status", status)
        if status == 200:
            checks.check_format(kind, body, asked)
            checks.check_same(kind, body, asked, reply)
        self.statuses[path_of(path), kind, status] += 1

    def question(self, path, asked):
        target = target_of(path, asked)
        start = time.monotonic()
        first = self.one.ask("GET", target)
        taken = time.monotonic() - start
        self.slowest = max(self.slowest, (taken, target))
        status, headers, body = first
        self.statuses[path_of(path), "json", status] += 1
        if status == 503:
            need(headers.get("Retry-After"), "busy without saying until when")
            return
        need(status < 500, "status", status, body[:300])
        if "on_error" in asked or "format" in asked:
            return
        if status == 200:
            reply = checks.check_answer(path, asked, body)
            self.follow(reply)
            if self.r.random() < 0.4:
                self.check_formats(path, asked, reply)
        else:
            self.check_refusal(status, headers, body)
        self.check_again(path, asked, target, first)

    def run(self, until, number, only):
        for _ in range(number):
            if time.monotonic() > until:
                break
            path, asked = self.questions.ask()
            if only and path != only:
                continue
            today = datetime.datetime.now(datetime.timezone.utc).date()
            try:
                self.question(path, asked)
            except (checks.Fault, UnicodeDecodeError) as fault:
                if datetime.datetime.now(datetime.timezone.utc).date() == today:
                    self.note(path_of(path), str(fault), target_of(path, asked))
            except OSError as error:
                self.note(path_of(path), f"no answer: {error!r}", target_of(path, asked))
                self.one.http = self.other.http = None
            except Exception:  # pylint: disable=broad-except
                self.note(path_of(path), traceback.format_exc(), target_of(path, asked))

    def note(self, path, what, target):
        self.faults[path, " ".join(what.split()[:6])].append((what, target))


def path_of(path):
    """Of one thing: the list it is of."""
    parts = path.split("/")
    return "/".join(parts[:3]) + "/{}" if parts[2:3] and parts[2] in ("gpus", "models", "quotes", "measurements") and \
        len(parts) > 3 else path


def difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"at {at}: {a[max(0, at - 60):at + 40]!r} and {b[max(0, at - 60):at + 40]!r}"


def work(urls, index, until, number, only, out):
    driver = Driver(urls, index)
    driver.run(until, number, only)
    out.put((driver.statuses, dict(driver.faults), driver.slowest))


def collect(urls, servers, seconds, only):
    """Let the workers ask, and one daemon forget."""
    out, n = multiprocessing.Queue(), os.cpu_count() or 1
    until = time.monotonic() + seconds
    workers = [multiprocessing.Process(target=work, args=(urls, i, until, NUMBER // n, only, out),
                                       daemon=True) for i in range(n)]
    for worker in workers:
        worker.start()
    results = []
    while len(results) < n:
        try:
            results.append(out.get(timeout=FORGET_SECONDS))
        except multiprocessing.queues.Empty:
            need(all(s.process.poll() is None for s in servers), "a daemon ended")
            need(not any(worker.exitcode for worker in workers), "a worker ended")
            servers[1].process.send_signal(signal.SIGHUP)
    for worker in workers:
        worker.join()
    return results


def report(results):
    """The counts by path, then the faults; how many of those."""
    statuses, faults = collections.Counter(), collections.defaultdict(list)
    for counted, found, _ in results:
        statuses.update(counted)
        for kind, some in found.items():
            faults[kind] += some
    for path in sorted({path for path, _, _ in statuses}):
        asked = {s: n for (p, kind, s), n in statuses.items() if p == path and kind == "json"}
        others = sum(n for (p, kind, _), n in statuses.items() if p == path and kind != "json")
        print(f"{path:34} {sum(asked.values()):6} asked, {asked.get(200, 0) / sum(asked.values()):4.0%} answered; "
              + ", ".join(f"{s}: {n}" for s, n in sorted(asked.items())) + f"; {others} in other formats")
    taken, target = max(slowest for _, _, slowest in results)
    print(f"{sum(statuses.values())} requests; the slowest took {taken:.1f} s: {target}")
    for (path, _), some in sorted(faults.items()):
        print(f"FAULT {path}, {len(some)} times")
        for what, target in sorted(some, key=lambda fault: len(fault[1]))[:SHOWN]:
            print(f"  {what}\n    {target}")
    return len(faults)


def main():
    seconds, only = float(sys.argv[1]), (sys.argv[2:] or [None])[0]
    print(f"seed {SEED}", flush=True)
    with tempfile.TemporaryDirectory(prefix="gpuplan-test.") as directory:
        os.chmod(directory, 0o755)
        database = Database(directory)
        database.start_migrated()
        servers = []
        try:
            database.query(EXPIRED_QUOTE)
            for name in ("one", "other"):
                home = pathlib.Path(directory, name)
                home.mkdir()
                servers.append(Server(database.env, home).start())
            found = report(collect([server.url for server in servers], servers, seconds, only))
            for server in servers:
                status = server.stop()
                if status:
                    found += 1
                    print(f"FAULT the daemon ended with {status}:\n{(server.directory / 'log').read_text()[-6000:]}")
        finally:
            for server in servers:
                server.process.kill()
            database.stop()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
