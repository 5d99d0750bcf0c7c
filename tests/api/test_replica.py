"""The replica of docker-compose.yml: its own commands, run as a container's first process is, copying
from a primary that takes the connection and says nothing."""
import signal
import socket
import subprocess

import pytest
import yaml

from conftest import CLIENTS, ROOT, namespace, wait_for

REPLICA = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["replica"]


def script():
    """What the shell gets of it: compose writes a dollar as two."""
    assert REPLICA["entrypoint"] == ["/bin/sh", "-euc"]
    return REPLICA["command"][0].replace("$$", "$")


@pytest.fixture
def container(tmp_path):
    """Start the script as process 1 of a namespace in which the name db is this machine."""
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 db\n")
    started = []

    def start(port):
        inside = 'mount --bind "$1" /etc/hosts && exec /bin/sh -euc "$2"'
        process = subprocess.Popen(
            ["env", "--default-signal=INT",  # in the background a shell ignores SIGINT, and its children inherit that
             *namespace("--mount", "--pid", "--fork", "--kill-child"), "sh", "-c", inside, "sh", hosts, script()],
            env={"PATH": f"{CLIENTS[0]}:/usr/bin:/bin", "PGPORT": str(port), "PGDATA": str(tmp_path / "replica")},
            stdout=subprocess.DEVNULL, stderr=open(tmp_path / "log", "wb"))
        started.append(process)
        return process
    yield start
    for process in started:
        process.kill()
        process.wait(180)


def child_of(process):
    found = subprocess.run(["pgrep", "--parent", str(process.pid)], capture_output=True, text=True, check=False)
    return found.stdout.split()


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_told_to_while_it_copies(container, sent):
    """A primary that takes the connection and says nothing keeps pg_basebackup busy for ever."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        mute.settimeout(60)
        process = container(mute.getsockname()[1])
        connection, _ = mute.accept()
        with connection:
            first, = wait_for(lambda: child_of(process), "the first process")
            subprocess.run(["kill", f"-{sent.value}", first], check=True)
            assert process.wait(180) == 143


def test_the_copy_does_not_wait_for_a_checkpoint():
    assert "--checkpoint=fast" in script()
    assert REPLICA["healthcheck"]["start_period"]
