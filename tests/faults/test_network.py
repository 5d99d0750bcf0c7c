"""The network is cut, slow or lossy: between the daemon and its database, and before a client."""
import pathlib
import socket
import subprocess

import pytest

from conftest import wait_for
from network import FAR, NEAR, inside, line  # noqa: F401 (a fixture)
from rig import QUESTION, asked_throughout, site  # noqa: F401 (a fixture)

# What conninfo says goes before the daemon's own 5, 25 and 30 seconds.
IMPATIENT = "connect_timeout=2 keepalives_idle=1 keepalives_interval=1 keepalives_count=2 tcp_user_timeout=3000"


@pytest.fixture
def remote(site, line):
    """A daemon whose database is at the far end of the line; the test reaches that by its Unix socket."""
    it = site()
    it.database.stop()
    with open(pathlib.Path(it.database.directory, "pgdata/pg_hba.conf"), "a") as rules:
        rules.write(f"host all all {NEAR}/32 trust\n")
    with inside(line.far):
        it.database.start(f"-c listen_addresses={FAR}")
    it.server.env["DATABASE_URL"] = f"host={FAR} {IMPATIENT}"
    it.line = line
    it.server.start()
    return it


def sessions(it):
    """Connections of daemons, as the server sees them."""
    return int(it.database.query("select count(*) from pg_stat_activity where application_name = 'gpuplan'"))


def test_the_line_to_the_database_is_cut(remote):
    it = remote
    assert it.write().status == 201 and sessions(it) == 2
    with asked_throughout(it.server):
        it.line.cut = True
        it.set_price(0.25)
        refused = it.write()
        assert refused.status == 503 and "nothing was saved" in refused.json["detail"], refused.text
        wait_for(lambda: it.metric("gpuplan_db_up") == 0, "the metrics to say that the database is gone")
        assert it.server.get("/ready", admin=True).status == 200
        wait_for(lambda: sessions(it) == 0, "the server to give the sessions up, too")
        it.line.cut = False
        wait_for(lambda: it.metric("gpuplan_db_up") == 1, "the database to be back")
        wait_for(lambda: it.serves(0.25), "what changed meanwhile")
    assert it.quotes() == 1
    wait_for(lambda: it.write().status == 201, "writes to be taken again")


def test_the_line_to_the_database_is_slow(remote):
    """Half a second there and back, and some packets never arrive: with the daemon's own limits of 5, 25 and 30 seconds
    everything comes, later. Two packets of a segment lost in a row would be over the three seconds of the others."""
    it = remote
    it.server.stop()
    it.server.env["DATABASE_URL"] = f"host={FAR}"
    it.server.start()
    with asked_throughout(it.server):
        it.line.seconds, it.line.loss = 0.25, 0.01
        it.set_price(0.25)
        assert it.write().status == 201
        wait_for(lambda: it.serves(0.25), "the price")
        assert it.metric("gpuplan_db_up") == 1
        assert it.metric('gpuplan_catalog_reloads_total{status="failed"}') == 0


def test_a_client_is_slow_or_gone(site, line):
    """Nobody else notices, and what it held is given back."""
    it = site(GPUPLAN_CLIENT_SECONDS="5")
    it.server.env["GPUPLAN_LISTEN"] = "0.0.0.0:0"
    it.server.start()
    url = it.server.url.replace("127.0.0.1", NEAR) + "/v1/offers.csv?limit=1000"
    with asked_throughout(it.server):
        whole = it.server.get("/v1/offers.csv?limit=1000").body
        line.seconds, line.loss = 0.25, 0.05
        with inside(line.far):
            assert subprocess.run(["curl", "-sf", url], capture_output=True, check=True).stdout == whole
        line.seconds = line.loss = 0.0
        before = it.metric("gpuplan_http_connections")
        with inside(line.far):
            gone = [socket.create_connection((NEAR, int(it.server.url.rsplit(":", 1)[1]))) for _ in range(50)]
        wait_for(lambda: it.metric("gpuplan_http_connections") >= before + 40, "the connections")
        for one in gone:
            one.sendall(f"GET {QUESTION} HTTP/1.1\r\nHost: {NEAR}\r\n".encode())
        line.cut = True
        wait_for(lambda: it.metric("gpuplan_http_connections") <= before + 5, "the connections to be given back")
        for one in gone:
            one.close()
