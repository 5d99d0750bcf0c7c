"""PostgreSQL fails in each way it can: estimates go on, writes are refused or saved, metrics tell."""
import contextlib
import os
import signal
import subprocess

import pytest

from conftest import wait_for
from rig import Site, asked_throughout, site  # noqa: F401 (a fixture)

DOWN, UP = "the metrics to say that the database is gone", "the database to be back"


def test_killed_in_the_middle_of_writes(site):
    it = site()
    it.server.start()
    saved = [it.write().status for _ in range(3)]
    assert saved == [201] * 3
    with asked_throughout(it.server):
        gone = it.signal_all(signal.SIGKILL)
        wait_for(lambda: it.metric("gpuplan_db_up") == 0, DOWN)
        refused = it.write()
        assert refused.status == 503 and refused.headers["Retry-After"]
        assert "nothing was saved" in refused.json["detail"]
        assert it.server.get("/ready", admin=True).status == 200
        wait_for(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in gone), "its processes to end")
        it.database.start()
        wait_for(lambda: it.metric("gpuplan_db_up") == 1, UP)
    assert it.quotes() == 3, "what was said to be saved is there, what was refused is not"
    wait_for(lambda: it.write().status == 201, "writes to be taken again")


def test_restarted(site):
    it = site()
    it.server.start()
    with asked_throughout(it.server):
        it.database.stop()
        it.database.start()
        it.set_price(0.25)
        wait_for(lambda: it.serves(0.25), "what changed meanwhile")


def test_stopped_in_its_tracks(site):
    """A server that takes connections, or has taken ours, and never says a word."""
    it = site()
    it.server.start()
    assert it.write().status == 201
    with asked_throughout(it.server):
        it.signal_all(signal.SIGSTOP)
        it.server.process.send_signal(signal.SIGHUP)
        reply = it.write()
        assert reply.status == 503, "a write is refused, not kept waiting"
        wait_for(lambda: it.metric("gpuplan_db_up") == 0, DOWN)
        it.signal_all(signal.SIGCONT)
        wait_for(lambda: it.metric("gpuplan_db_up") == 1, UP)
        it.set_price(0.25)
        wait_for(lambda: it.serves(0.25), "the new price")


def test_no_connection_left(site):
    it = site()
    it.database.query("alter system set max_connections = 6")
    it.database.query("alter system set superuser_reserved_connections = 1")
    it.database.query("alter system set max_wal_senders = 0")
    it.database.query("create role plan login in role gpuplan_reader, gpuplan_writer")
    it.database.stop()
    it.database.start()
    it.server.env["DATABASE_URL"] = it.database.env["DATABASE_URL"].replace("user=gpuplan", "user=plan")
    it.server.start()
    greedy, turned_away = [], 0
    try:
        while turned_away < 3:  # one after another: a slot may have been taken only for a moment
            one = subprocess.Popen(["psql", "-XAtq", "-U", "plan"], env=it.database.env, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            greedy.append(one)
            with contextlib.suppress(BrokenPipeError):
                one.stdin.write("select 1;\n")
                one.stdin.flush()
            turned_away = 0 if one.stdout.readline() == "1\n" else turned_away + 1
        with asked_throughout(it.server):
            refused = it.write()
            assert refused.status == 503, refused.text
            assert any(words in refused.text for words in ("too many", "remaining connection slots")), refused.text
    finally:
        for one in greedy:
            one.kill()
            with contextlib.suppress(BrokenPipeError):
                one.communicate()
    wait_for(lambda: it.write().status == 201, "a connection for writing")


@pytest.mark.parametrize("damage", [
    "alter table offer drop constraint offer_price_positive; "
    "update offer set price_per_hour = -8, price_per_gpu_hour = -1 where instance = 'p5.48xlarge'",
    "alter table gpu_figure drop constraint gpu_figure_value_positive; "
    "update gpu_figure set value = -1 where figure = 'memory_bandwidth' and gpu = 't4'",
    "alter table assumption rename to assumptions_of_old",
])
def test_data_that_make_no_sense_are_not_served(site, damage):
    it = site()
    it.server.start()
    version = it.server.get("/v1/gpus?limit=1").json["catalog_version"]
    with asked_throughout(it.server):
        it.database.query(damage)
        it.server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: it.metric('gpuplan_catalog_reloads_total{status="failed"}') > 0, "a failed reading")
    assert it.server.get("/v1/gpus?limit=1").json["catalog_version"] == version
    assert it.server.get("/ready", admin=True).status == 200


def test_a_restored_backup_is_served_and_told(site):
    it = site()
    it.database.query("update catalog_change set changes = 98")
    it.database.query("create table backup as select * from catalog_change")
    it.set_price(0.25)
    it.server.start()
    with asked_throughout(it.server):
        it.set_price(0.15)
        wait_for(lambda: it.serves(0.15), "the last price before the accident")
        version = it.server.get("/v1/gpus?limit=1").json["catalog_version"]
        it.database.query("begin; update offer set price_per_gpu_hour = 0.25, price_per_hour = 0.25 * gpu_count "
                          "where gpu = 't4' and provider = 'aws'; truncate catalog_change; "
                          "insert into catalog_change select * from backup; commit")
        wait_for(lambda: it.serves(0.25), "what the backup says")
    assert it.metric("gpuplan_catalog_older_total") == 1
    assert f"older than {version}" in (it.server.directory / "log").read_text()


def test_an_older_schema_is_waited_for(site):
    it = site()
    it.database.query("update schema_version set number = number + 1000 where number > 5")
    it.database.query("update schema_version set number = 0 - number where number > 1000")
    it.server.start(ready=False)
    assert it.server.get("/ready", admin=True).status == 503
    assert it.server.get("/v1/gpus").status == 503
    log = it.server.directory / "log"
    wait_for(lambda: "run sql/migrate.sh" in log.read_text(), "what to do, in the log")
    it.database.query("update schema_version set number = 0 - number - 1000 where number < 0")
    wait_for(lambda: it.server.get("/ready", admin=True).status == 200, "readiness")


def test_a_newer_schema_is_served(site):
    """The daemon of before goes on while the schema of tomorrow is there: first migrate, then replace."""
    it = site()
    it.server.start()
    with asked_throughout(it.server):
        it.database.query("insert into schema_version (number, name, sha256) values (9999, 'tomorrow', 'x')")
        it.database.query("alter table offer add column shade text")
        it.set_price(0.25)
        wait_for(lambda: it.serves(0.25), "a price of the newer schema")


def test_the_disk_is_full(tmp_path):
    """On a file system of its own: what cannot be saved is refused, and nothing else suffers.

    PostgreSQL refuses a row that has no room, and breaks down where its log has none: then nobody
    can know what became of the last row, and the refusal says so."""
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m", "none", small]).returncode:
        pytest.skip("no file system can be mounted here")
    it = None
    try:
        it = Site(small)
        it.server.start()
        it.database.query("create table filler (text text)")
        with asked_throughout(it.server):
            with pytest.raises(subprocess.CalledProcessError):
                while True:
                    it.database.query("insert into filler select repeat(md5(n::text), 40) from generate_series(1, 4000) n")
            saved, reply = 0, it.write(note="x" * 200)
            while reply.status == 201 and saved < 2000:
                saved, reply = saved + 1, it.write(note="x" * 200)
            assert reply.status == 503, f"after {saved} quotes: {reply.text}"
            unknown = "may or may not have been saved" in reply.json["detail"]
            assert unknown or "nothing was saved" in reply.json["detail"], reply.text
        # The room a person would make: without any PostgreSQL may not even be able to stop.
        subprocess.run(["mount", "-o", "remount,size=400m", small], check=True)
        it.database.start()
        wait_for(lambda: it.metric("gpuplan_db_up") == 1, UP)
        assert it.quotes() - saved in ({0, 1} if unknown else {0})
        wait_for(lambda: it.write().status == 201, "writes to be taken again")
    finally:
        if it:
            it.stop()
        # Backends of the PostgreSQL that broke down may still be exiting.
        wait_for(lambda: subprocess.run(["umount", small]).returncode == 0, "that nothing uses the file system")
