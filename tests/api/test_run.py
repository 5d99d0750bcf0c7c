"""`make run`'s script: what it starts it stops, what it finds it leaves, and the data stay."""
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request

import pytest

from conftest import BINARY, ROOT, migrated_cluster, wait_for


def undecided():
    """An environment that names no database, nor what the make that runs the tests was told."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PG", "MAKE", "MFLAGS")) and k not in ("DATABASE_URL", "MODE")}


class Run:
    """service/run.sh in a copy of what it needs, so that nobody's var/ is touched."""

    def __init__(self, root, name):
        self.root, self.log = root, root / f"{name}.log"
        self.ports = [root / f"{name}.port", root / f"{name}.admin"]
        env = undecided() | {"GPUPLAN_BINARY": str(BINARY), "GPUPLAN_LISTEN": "127.0.0.1:0",
                "GPUPLAN_ADMIN_LISTEN": "127.0.0.1:0", "GPUPLAN_PORT_FILE": str(self.ports[0]),
                "GPUPLAN_ADMIN_PORT_FILE": str(self.ports[1])}
        self.process = subprocess.Popen([root / "service/run.sh"], env=env, start_new_session=True,
                                        stdout=open(self.log, "wb"), stderr=subprocess.STDOUT)
        wait_for(self.ready, "readiness")

    def ready(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            port = self.ports[1].read_text().strip()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready") as reply:
                return reply.status == 200
        except (OSError, urllib.error.URLError):
            return False

    def offers(self):
        url = f"http://127.0.0.1:{self.ports[0].read_text().strip()}/v1/offers.csv?gpu=t4&fields=price_per_gpu_hour"
        with urllib.request.urlopen(url) as reply:
            return reply.read()

    def interrupt(self):
        """Ctrl-C: the whole process group hears it."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(180)


def database_runs(root):
    return subprocess.run([root / "sql/private.sh", "env", "var"], cwd=root,
                          capture_output=True).returncode == 0


@pytest.fixture
def root(tmp_path):
    tmp_path.chmod(0o755)
    for folder in ("sql", "service", "static"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    yield tmp_path
    subprocess.run([tmp_path / "sql/private.sh", "stop", "var"], cwd=tmp_path)


@pytest.fixture
def used(root):
    """One in which it has run before."""
    (root / "var").mkdir()
    subprocess.run(["cp", "-a", migrated_cluster(), root / "var"], check=True)
    return root


def test_start_stop_and_start_again(root):
    first = Run(root, "first")
    assert "Starting the private PostgreSQL" in first.log.read_text()
    exports = subprocess.run([root / "sql/private.sh", "env", "var"], cwd=root, check=True,
                             capture_output=True, text=True).stdout
    subprocess.run(["bash", "-c", exports + """
        psql -qXc "update offer set price_per_gpu_hour = 7.77, price_per_hour = 7.77 * gpu_count
                   where gpu = 't4'" """], check=True)
    wait_for(lambda: b"7.77" in first.offers(), "the new price")
    assert first.interrupt() == 0
    assert not database_runs(root)

    again = Run(root, "again")
    assert b"7.77" in again.offers(), "the data are kept"
    assert again.interrupt() == 0


def test_it_says_that_it_serves_once_it_does(used):
    """With the port that was taken where any would do."""
    run = Run(used, "run")
    port = run.ports[0].read_text().strip()
    wait_for(lambda: f"Serving on http://127.0.0.1:{port}/ until Ctrl-C" in run.log.read_text(), "the address")
    assert run.interrupt() == 0


@pytest.mark.parametrize("setting", ["GPUPLAN_LISTEN", "GPUPLAN_ADMIN_LISTEN"])
def test_a_port_that_is_taken(used, setting):
    """If another program has the port, the message names the setting that chooses another, and does not claim to serve."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        env = undecided() | {"GPUPLAN_BINARY": str(BINARY), "GPUPLAN_LISTEN": "127.0.0.1:0", "GPUPLAN_ADMIN_LISTEN": "127.0.0.1:0",
                             setting: f"127.0.0.1:{other.getsockname()[1]}"}
        done = subprocess.run([used / "service/run.sh"], env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 69
    assert f"Address already in use; {setting} chooses another address" in done.stderr
    assert "Serving" not in done.stdout + done.stderr


def make(root, *arguments):
    """make in the copy, with the daemon built elsewhere."""
    for name in ("Makefile", "CHANGELOG.md"):
        shutil.copy(ROOT / name, root)
    return subprocess.run(["make", "-s", "-o", "build", f"DAEMON={BINARY}", *arguments], cwd=root, env=undecided(),
                          capture_output=True, text=True, timeout=600, check=False)


def test_imports_are_listed_and_taken_back_by_make(used):
    feed = used / "rates.csv"
    feed.write_text("quote_currency,rate,observed_date\nEUR,0.91,2030-01-02\n")
    assert make(used, "import", f"FEED={feed}").returncode == 0
    listed = make(used, "import", "OPTIONS=--list")
    assert "rates.csv" in listed.stdout and listed.returncode == 0, listed.stderr
    rates = ("psql", "OPTIONS=-XAtc 'select count(*) from exchange_rate'")
    assert make(used, *rates).stdout == "32\n", "31 of the seed and that one"
    undone = make(used, "import", "OPTIONS=--undo 1")
    assert undone.returncode == 0 and "run 1 is undone" in undone.stdout, undone.stderr
    assert make(used, *rates).stdout == "31\n"
    assert "usage: gpuplan import" in make(used, "import").stdout
    assert not database_runs(used), "what was started for it is stopped"


def test_without_git_it_is_of_the_release(root):
    """As in a container's build, which gets no history."""
    for name in ("Makefile", "CHANGELOG.md"):
        shutil.copy(ROOT / name, root)
    release = re.search(r"^## ([0-9.]+)", (ROOT / "CHANGELOG.md").read_text(), re.M).group(1)
    planned = subprocess.run(["make", "-n", "build/release/service/main.o"], cwd=root, capture_output=True, text=True, check=True,
                             env=undecided() | {"GIT_CEILING_DIRECTORIES": str(root.parent)})
    assert f'-DVERSION=\'"{release}"\'' in planned.stdout
    assert "CHANGELOG.md" in re.search(r"^COPY (Makefile.*) \./$", (ROOT / "Dockerfile").read_text(), re.M).group(1)


def test_a_second_one_leaves_the_database_to_the_first(used):
    first = Run(used, "first")
    second = Run(used, "second")
    assert "is running already" in second.log.read_text()
    assert second.interrupt() == 0
    assert database_runs(used) and first.ready()
    assert first.interrupt() == 0
    assert not database_runs(used)
