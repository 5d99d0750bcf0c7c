"""What a service manager is told and what it hands over: sd_notify(3) and sd_listen_fds(3)."""
import os
import signal
import socket
import subprocess
import threading
import urllib.request

import pytest

from conftest import BINARY, Server, wait_for

# The sockets go to a process by its number, which only the process itself knows before it starts.
AS_MANAGER = 'export LISTEN_PID=$$ WATCHDOG_PID=$$; exec "$0"'


class Manager:
    """A socket that hears what is said, and a daemon that says it."""

    def __init__(self, database, directory, **env):
        self.path = directory / "notify"
        self.hears = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.hears.bind(str(self.path))
        self.hears.settimeout(600)
        self.heard = []
        self.server = Server(database.env | {"NOTIFY_SOCKET": str(self.path)} | env, directory)

    def hear(self, word):
        while not any(word in text for text in self.heard):
            self.heard.append(self.hears.recv(4096).decode())
        return next(text for text in self.heard if word in text)

    def close(self):
        self.server.stop()
        self.hears.close()


@pytest.fixture
def manager(database, tmp_path):
    made = []

    def make(**env):
        made.append(Manager(database, tmp_path, **env))
        return made[-1]
    yield make
    for one in made:
        one.close()


def test_ready_is_said_once_a_catalogue_is_served_and_stopping_at_the_end(manager):
    it = manager()
    it.server.start(ready=False)
    said = it.hear("READY=1")
    assert it.server.get("/v1/gpus?limit=1").status == 200
    version = it.server.get("/v1/gpus?limit=1").json["catalog_version"]
    assert said == f"READY=1\nSTATUS=catalogue {version}"
    it.server.process.send_signal(signal.SIGTERM)
    it.hear("STOPPING=1")
    assert it.server.process.wait(180) == 0


def test_without_a_database_it_is_never_ready(manager, tmp_path):
    it = manager(DATABASE_URL=f"host={tmp_path}/nowhere")
    it.server.start(ready=False)
    assert it.server.get("/ready", admin=True).status == 503
    it.server.process.send_signal(signal.SIGTERM)
    it.hear("STOPPING=1")
    assert not any("READY=1" in text for text in it.heard)


def test_a_reload_is_told_from_its_beginning_to_its_end(manager):
    it = manager()
    it.server.start()
    it.hear("READY=1")
    it.heard.clear()
    it.server.process.send_signal(signal.SIGHUP)
    assert it.hear("RELOADING=1").splitlines()[1].startswith("MONOTONIC_USEC=")
    it.hear("READY=1")


def test_signs_of_life_while_every_worker_comes_round(manager):
    it = manager(WATCHDOG_USEC="6000000")
    it.server.start()
    it.hear("WATCHDOG=1")


def test_no_signs_of_life_where_nobody_asked_for_them(manager):
    it = manager(WATCHDOG_USEC="6000000", WATCHDOG_PID="1")
    it.server.start()
    it.hear("READY=1")
    it.server.process.send_signal(signal.SIGTERM)
    it.hear("STOPPING=1")
    assert not any("WATCHDOG" in text for text in it.heard)


class Handed:
    """A daemon on a socket that was opened before it and stays open after it."""

    def __init__(self, database, directory):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        self.directory = directory
        self.env = database.env | {
            "GPUPLAN_LISTEN": f"127.0.0.1:{self.port}", "GPUPLAN_ADMIN_LISTEN": "127.0.0.1:0",
            "GPUPLAN_ADMIN_PORT_FILE": str(directory / "admin"), "GPUPLAN_WORKERS": "3",
            "LISTEN_FDS": "1"}

    def start(self):
        (self.directory / "admin").unlink(missing_ok=True)
        def hand():
            os.dup2(self.socket.fileno(), 3)
        process = subprocess.Popen(["sh", "-c", AS_MANAGER, str(BINARY)], env=self.env, close_fds=False,
                                   preexec_fn=hand, stderr=subprocess.DEVNULL)
        def ready():
            try:
                port = (self.directory / "admin").read_text().strip()
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready") as reply:
                    return reply.status == 200
            except OSError:
                return False
        wait_for(ready, "readiness")
        return process

    def ask(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/v1/gpus.csv?limit=1", timeout=600) as reply:
            return reply.status


def test_whoever_connects_between_two_daemons_is_answered_by_the_next(database, tmp_path):
    handed = Handed(database, tmp_path)
    answered, wrong, over = [], [], threading.Event()

    def ask_on():
        while not over.is_set():
            try:
                answered.append(handed.ask())
            except OSError as error:
                wrong.append(error)
    first = handed.start()
    threads = [threading.Thread(target=ask_on) for _ in range(8)]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(answered) > 50, "the first daemon's answers")
    first.send_signal(signal.SIGTERM)
    assert first.wait(180) == 0
    between = len(answered)
    second = handed.start()
    wait_for(lambda: len(answered) > between + 50, "the second daemon's answers")
    over.set()
    for thread in threads:
        thread.join(180)
    second.send_signal(signal.SIGTERM)
    assert second.wait(180) == 0
    handed.socket.close()
    assert not wrong and set(answered) == {200}
