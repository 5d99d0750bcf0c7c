"""The daemon itself: killed, short of descriptors, of memory, of time."""
import contextlib
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
    """Connected clients are still served; new ones wait, and are accepted as soon as others leave."""
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
    wait_for(lambda: it.serves(0.25), "the catalogue to be followed still")


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
    assert it.server.process.wait(180) == 0


# It is sorted by qsort_r(), which spin.c keeps from returning.
ENDLESS = "/v1/break-even/sensitivity?gpu=h100-sxm5-80gb&utilization=0.5"


def spinning(site, tmp_path, **env):
    it = site(LD_PRELOAD=shim("spin", tmp_path), SPIN=str(tmp_path / "spin"), GPUPLAN_COMPUTE_THREADS="2",
              GPUPLAN_CALCULATION_SECONDS_MAX="3", **env)
    it.server.start()
    return it, tmp_path / "spin"


def begin(it, path):
    """Ask without waiting for the answer; once it is being made."""
    host, port = it.server.url.removeprefix("http://").split(":")
    client = socket.create_connection((host, int(port)))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    wait_for(lambda: it.metric("gpuplan_compute_running") == 1, "the calculation to begin")
    return client


def test_a_calculation_that_does_not_end(site, tmp_path):
    """The deadline does not reach it: that is seen, and the others are served on."""
    watchdog = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    watchdog.bind(str(tmp_path / "notify"))
    watchdog.settimeout(600)
    it, spin = spinning(site, tmp_path, NOTIFY_SOCKET=str(tmp_path / "notify"), WATCHDOG_USEC="3000000")

    def said(text):
        while text not in watchdog.recv(4096).decode():
            pass
    said("WATCHDOG=1")
    assert it.server.get(ENDLESS).status == 200
    spin.touch()
    with begin(it, ENDLESS + "&gpu_count=16"):
        with asked_throughout(it.server):
            ready = wait_for(lambda: (reply := it.server.get("/ready", admin=True)).status == 503 and reply,
                             "readiness to end", 60)
            assert "restart this process" in ready.text
            assert it.server.get("/live", admin=True).status == 200
            assert it.metric("gpuplan_compute_stuck") == 1
            assert it.metric("gpuplan_compute_oldest_seconds") > 5
            other = it.server.get("/v1/break-even/risk?gpu=h100-sxm5-80gb&utilization=0.5&draws=1000")
            assert other.status == 200
            watchdog.setblocking(False)
            with contextlib.suppress(BlockingIOError):  # what was said before
                while watchdog.recv(4096):
                    pass
            watchdog.settimeout(7)  # two rounds and more
            with pytest.raises(TimeoutError):
                said("WATCHDOG=1")
        spin.unlink()
        wait_for(lambda: it.server.get("/ready", admin=True).status == 200, "it to have ended")
    assert it.metric("gpuplan_compute_stuck") == 0
    watchdog.settimeout(600)
    said("WATCHDOG=1")


def test_the_end_with_a_calculation_that_does_not(site, tmp_path):
    """Told to end, the process does, and says what it left behind."""
    it, spin = spinning(site, tmp_path, GPUPLAN_DRAIN_SECONDS="1")
    spin.touch()
    with begin(it, ENDLESS):
        it.server.process.send_signal(signal.SIGTERM)
        assert it.server.process.wait(180) == 71
    assert "a thread does not end" in (it.server.directory / "log").read_text()
