"""A primary, a streaming replica of it, and one that takes over from the other."""
import os
import pathlib
import shutil
import signal
import subprocess
import threading

import pytest

from conftest import Database, Server, wait_for
from rig import asked_throughout, site  # noqa: F401 (a fixture)

FIRST, SECOND, THIRD = 0.25, 0.35, 0.45


class Replica(Database):
    """Follows `primary`."""

    def __init__(self, directory, primary):
        super().__init__(str(directory))
        directory.mkdir()
        directory.chmod(0o755)
        data = pathlib.Path(directory, "pgdata")
        subprocess.run(["pg_basebackup", "--pgdata", data, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"],
                       check=True, env=primary.env, capture_output=True)
        if os.geteuid() == 0:
            for path in (data, *data.rglob("*")):
                shutil.chown(path, "postgres", "postgres")
        self.start()

    def has_received(self, position):
        return self.query(f"select pg_last_wal_receive_lsn() >= '{position}'") == "t"

    def promote(self):
        assert self.query("select pg_promote()") == "t"


@pytest.fixture
def couple(site, tmp_path):
    """A site whose daemon knows both servers, the primary first."""
    databases = []

    def make(**env):
        it = site(**env)
        databases.append(it.database)
        databases.append(Replica(tmp_path / "replica", it.database))
        del it.server.env["DATABASE_URL"]
        it.server.env["PGHOST"] = ",".join(one.env["PGHOST"] for one in databases)
        return it, databases[1]
    yield make
    for one in databases:
        one.stop()


def kill(it):
    """The primary, all of it at once."""
    gone = it.signal_all(signal.SIGKILL)
    wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in gone), "its processes to end")


class Writer:
    """Quotes posted without a pause, with what was said of each."""

    def __init__(self, it):
        self.it, self.saved, self.refused, self.unknown = it, [], [], []
        self.over, self.thread = threading.Event(), threading.Thread(target=self.run)

    def run(self):
        n = 0
        while not self.over.is_set():
            n += 1
            reply = self.it.write(note=f"number {n}")
            if reply.status == 201:
                self.saved.append(f"number {n}")
                continue
            assert reply.status == 503 and reply.headers["Retry-After"], reply.text
            known = "nothing was saved" in reply.json["detail"]
            assert known or "may or may not have been saved" in reply.json["detail"], reply.text
            (self.refused if known else self.unknown).append(f"number {n}")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def test_the_replica_takes_over(couple):
    """The promise rests on what PostgreSQL promises: with a synchronous replica nothing is lost."""
    it, replica = couple()
    it.database.query("alter system set synchronous_standby_names = '*'")
    it.database.query("select pg_reload_conf()")
    wait_for(lambda: it.database.query("select sync_state from pg_stat_replication") == "sync", "the replica to count")
    it.server.start()
    assert it.metric("gpuplan_db_listening") == 1
    with asked_throughout(it.server), Writer(it) as writer:
        wait_for(lambda: len(writer.saved) > 20, "quotes saved")
        kill(it)
        wait_for(lambda: it.metric("gpuplan_db_up") == 1 and it.metric("gpuplan_db_listening") == 0, "the replica to be read")
        # The writes' own connection may find out later than the one that reads.
        refused = wait_for(lambda: "read-only" in (reply := it.write()).text and reply, "the replica to refuse")
        assert refused.status == 503 and "nothing was saved" in refused.json["detail"] and refused.headers["Retry-After"]
        assert it.server.get("/ready", admin=True).status == 200
        replica.promote()
        before = len(writer.saved)
        wait_for(lambda: len(writer.saved) > before + 20, "quotes saved again")
        it.database = replica
        wait_for(lambda: it.metric("gpuplan_db_listening") == 1, "changes to be heard of")
        it.set_price(FIRST)
        wait_for(lambda: it.serves(FIRST), "a price of the new primary")
    there = set(replica.query("select note from quote").splitlines())
    assert there >= set(writer.saved), "what was said to be saved"
    assert not there & set(writer.refused), "what was said not to be"
    assert writer.refused


def test_a_replica_that_lags_takes_nothing_back(couple):
    it, replica = couple(GPUPLAN_RELOAD_SECONDS="0.2")
    it.server.start()
    replica.query("select pg_wal_replay_pause()")
    wait_for(lambda: replica.query("select pg_get_wal_replay_pause_state()") == "paused", "the replica to lag")
    it.set_price(FIRST)
    wait_for(lambda: it.serves(FIRST), "the price on the primary")
    version = it.server.get("/v1/gpus?limit=1").json["catalog_version"]
    end = it.database.query("select pg_current_wal_lsn()")
    wait_for(lambda: replica.has_received(end), "the replica to hold what it does not show")
    with asked_throughout(it.server):
        kill(it)
        wait_for(lambda: it.metric("gpuplan_catalog_older_total") > 1, "the replica to be found older")
        assert it.serves(FIRST) and it.metric("gpuplan_db_up") == 1
        assert it.server.get("/v1/gpus?limit=1").json["catalog_version"] == version
        log = (it.server.directory / "log").read_text()
        assert log.count(f"older than {version}") == 1, "said once, in words"
        replica.query("select pg_wal_replay_resume()")
        good = it.metric('gpuplan_catalog_reloads_total{status="ok"}')
        wait_for(lambda: it.metric('gpuplan_catalog_reloads_total{status="ok"}') > good, "the replica to have caught up")
        replica.promote()
        it.database = replica
        it.set_price(SECOND)
        wait_for(lambda: it.serves(SECOND), "the next price")


def test_a_switch_with_both_alive(couple):
    """The primary is told to take no more changes before the other one does: its connections stand."""
    it, replica = couple(GPUPLAN_RELOAD_SECONDS="0.2")
    it.server.start()
    assert it.write().status == 201
    with asked_throughout(it.server):
        it.database.query("alter system set default_transaction_read_only = on")
        it.database.query("select pg_reload_conf()")
        refused = wait_for(lambda: (reply := it.write()).status != 201 and reply, "a refusal")
        assert refused.status == 503 and "nothing was saved" in refused.json["detail"], refused.text
        end = it.database.query("select pg_current_wal_lsn()")
        wait_for(lambda: replica.has_received(end), "the replica to hold everything")
        replica.promote()
        wait_for(lambda: it.write().status == 201, "a quote on the new primary")
        it.signal_all(signal.SIGINT)  # the old one stops; the new one is read
        it.database = replica
        it.set_price(THIRD)
        wait_for(lambda: it.serves(THIRD), "a price of the new primary")


def test_an_etag_is_that_of_the_replica_too_until_a_change_is_lost(couple, tmp_path):
    """The replica has not received the last change; the one made instead, after it took over, gets its version."""
    it, replica = couple(GPUPLAN_RELOAD_SECONDS="0.2")
    prices = "/v1/price-summary.csv?gpu=t4"
    directory = tmp_path / "other"
    directory.mkdir()
    other = Server(replica.env | {"GPUPLAN_RELOAD_SECONDS": "0.2"}, directory).start()
    try:
        it.server.start()
        assert other.get(prices).headers["ETag"] == it.server.get(prices).headers["ETag"]
        replica.query("alter system set primary_conninfo = ''")
        replica.query("select pg_reload_conf()")
        wait_for(lambda: it.database.query("select count(*) from pg_stat_replication") == "0", "the replica to be cut off")
        it.set_price(FIRST)
        wait_for(lambda: it.serves(FIRST), "a price that will be lost")
        lost, version = it.server.get(prices), it.database.query("select catalog_version()")
        kill(it)
        replica.promote()
        it.database = replica
        it.set_price(SECOND)
        assert replica.query("select catalog_version()") == version
        for server in (it.server, other):
            wait_for(lambda: str(SECOND) in server.get(prices).text, "the price that took its place")
            assert server.get("/v1").json["catalog_version"] == version
            assert server.get(prices, headers={"If-None-Match": lost.headers["ETag"]}).status == 200
        assert it.server.get(prices).headers["ETag"] == other.get(prices).headers["ETag"]
    finally:
        other.stop()
