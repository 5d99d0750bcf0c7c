"""The daemon itself: killed, short of descriptors, of memory, of time."""
import os
import pathlib
import resource
import signal
import socket
import subprocess

import pytest

from conftest import ROOT, wait_for
from rig import QUESTION, asked_throughout, site  # noqa: F401 (a fixture)


def shim(name, directory):
    to = directory / f"{name}.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", to, ROOT / f"tests/faults/{name}.c"], check=True)
    return str(to)


def test_killed_and_started_again(site):
    it = site()
    it.server.start()
    answer, saved = it.server.get(QUESTION).json, it.write().json
    it.server.process.kill()
    it.server.process.wait()
    it.server.start()
    assert it.server.get(f"/v1/quotes/{saved['quote_id']:.0f}").status == 200
    again = it.server.get(QUESTION).json
    assert again["rent_total_cost"] == answer["rent_total_cost"]


def test_out_of_descriptors(site):
    """Whoever has a connection is served on; the next ones wait, and get in as soon as others leave."""
    it = site(GPUPLAN_CONNECTIONS="4000")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[0], limit[1]))
    it.server.start()
    resource.prlimit(it.server.process.pid, resource.RLIMIT_NOFILE, (80, limit[1]))
    port = int(it.server.url.rsplit(":", 1)[1])
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
    wait_for(lambda: len(os.listdir(f"/proc/{it.server.process.pid}/fd")) >= 80, "the last descriptor")
    for one in idle:
        one.close()
    wait_for(lambda: it.server.get(QUESTION).status == 200, "answers again")
    it.set_price(0.25)
    wait_for(lambda: it.serves(0.25), "the catalogue to be followed still", 60)


@pytest.mark.skipif("asan" in os.environ.get("GPUPLAN_BINARY", "") or "tsan" in os.environ.get("GPUPLAN_BINARY", ""),
                    reason="a sanitizer brings its own allocator")
def test_each_allocation_of_a_request_fails_once(site, tmp_path):
    """Out of memory is a refusal or the end of the process, at once: no half answer, no hanging."""
    it = site(LD_PRELOAD=shim("malloc", tmp_path), GPUPLAN_WORKERS="1")
    order = tmp_path / "fail-after"
    it.server.env["FAIL_AFTER"] = str(order)
    it.server.start()
    good = it.server.get(QUESTION).body
    ended = answered = 0
    for n in range(80):  # more than the first request of a thread makes
        order.write_text(str(n))
        it.server.process.send_signal(signal.SIGUSR2)
        wait_for(lambda: not order.exists() or it.server.process.poll() is not None, "the order to be taken")
        try:
            reply = it.server.get(QUESTION, {"If-None-Match": f'"{n}"'})  # not one that was kept
            answered += 1
            assert reply.status in (200, 500, 503) and (reply.status != 200 or reply.body == good)
        except OSError:
            pass  # the connection was dropped, or the process is gone
        if it.server.process.poll() is not None:
            ended += 1
            assert it.server.process.returncode == -signal.SIGABRT
            it.server.start()
    assert ended and answered


def test_the_clock_jumps(site, tmp_path):
    """A day is a date for the answers; what waits goes by a clock that does not jump."""
    it = site(LD_PRELOAD=shim("clock", tmp_path), CLOCK_OFFSET=str(tmp_path / "offset"))
    offset = pathlib.Path(it.server.env["CLOCK_OFFSET"])
    offset.write_text("0")
    it.server.start()
    today = it.server.get(QUESTION).json["as_of"]
    with asked_throughout(it.server):
        offset.write_text(str(40 * 86400))
        wait_for(lambda: it.server.get(QUESTION).json["as_of"] > today, "a later day")
        it.set_price(0.25)
        wait_for(lambda: it.serves(0.25), "a price that came after the jump")
        offset.write_text(str(-40 * 86400))
        wait_for(lambda: it.server.get(QUESTION).json["as_of"] < today, "an earlier day")
        it.database.query("update gpu set year = year where slug = 't4'")
    it.server.process.send_signal(signal.SIGTERM)
    assert it.server.process.wait(30) == 0
