"""A team's database and daemon, and what happens to them while others ask on."""
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import signal
import threading

import pytest

from conftest import ROOT, Database, Server, wait_for

QUESTION = "/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.6"
QUOTE = {"kind": "hardware", "provider": "acme", "gpu": "h100-sxm5-80gb", "price": 25000,
         "price_unit": "per_card"}
TOKEN = "a-secret"


class Site:
    """A database, and a daemon that reaches it by `conninfo`."""

    def __init__(self, directory, conninfo=None, release=ROOT, **env):
        self.database = Database(str(directory))
        directory.chmod(0o755)
        if release == ROOT:
            self.database.start_migrated()
        else:
            self.database.start()
            self.database.migrate(release)
        (directory / "tokens").write_text(f"ada {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
        (directory / "daemon").mkdir()
        env = {"GPUPLAN_WRITE_TOKENS_FILE": str(directory / "tokens")} | env
        if conninfo:
            env["DATABASE_URL"] = conninfo
        self.server = Server(self.database.env | env, directory / "daemon")

    def postmaster(self):
        return int(pathlib.Path(self.database.directory, "pgdata/postmaster.pid").read_text().split()[0])

    def signal_all(self, number):
        """The postmaster and its child processes."""
        first = self.postmaster()
        them = [first, *children(first)]
        for pid in them:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return them

    def metric(self, name):
        for line in self.server.get("/metrics", admin=True).text.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        raise AssertionError(f"no metric {name}")

    def write(self, **change):
        return self.server.request("POST", "/v1/quotes", json.dumps(QUOTE | change).encode(),
                                   {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})

    def quotes(self):
        return int(self.database.query("select count(*) from quote"))

    def set_price(self, price):
        self.database.query(f"""update offer set price_per_gpu_hour = {price}, price_per_hour = {price} * gpu_count
                                where gpu = 't4' and provider = 'aws'""")

    def serves(self, price):
        return self.server.get("/v1/offers.txt?gpu=t4&provider=aws&field=price_per_gpu_hour").text == str(price)

    def stop(self):
        status = self.server.stop() if self.server.process else 0
        with contextlib.suppress(FileNotFoundError):
            self.signal_all(signal.SIGCONT)
        self.database.stop()
        return status


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextlib.contextmanager
def asked_throughout(server):
    """Two questions every hundredth of a second while the body runs, each a new one, as what was answered before is
    kept: each is answered, and some are before, in and after it. Without the pauses they take all processors."""
    statuses, over = [], threading.Event()

    def ask():
        while not over.wait(0.01):
            try:
                statuses.append(server.get(f"{QUESTION}{len(statuses):06d}").status)
            except (OSError, http.client.HTTPException) as error:
                statuses.append(repr(error))
    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    wait_for(lambda: len(statuses) > 10, "answers before")
    try:
        yield statuses
        seen = len(statuses)
        wait_for(lambda: len(statuses) > seen + 10, "answers after")
    finally:
        over.set()
        for asker in askers:
            asker.join()
    assert set(statuses) == {200}


@pytest.fixture
def site(tmp_path):
    made = []

    def make(*args, **env):
        made.append(Site(tmp_path, *args, **env))
        return made[-1]
    yield make
    for one in made:
        one.stop()
