"""`make run`'s script: what it starts it stops, what it finds it leaves, and the data stay."""
import os
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

import pytest

from conftest import BINARY, ROOT, wait_for


class Run:
    """service/run.sh in a copy of what it needs, so that nobody's var/ is touched."""

    def __init__(self, root, name):
        self.root, self.log = root, root / f"{name}.log"
        self.ports = [root / f"{name}.port", root / f"{name}.admin"]
        env = {k: v for k, v in os.environ.items() if not k.startswith("PG") and k != "DATABASE_URL"}
        env |= {"GPUPLAN_BINARY": str(BINARY), "GPUPLAN_LISTEN": "127.0.0.1:0",
                "GPUPLAN_ADMIN_LISTEN": "127.0.0.1:0", "GPUPLAN_PORT_FILE": str(self.ports[0]),
                "GPUPLAN_ADMIN_PORT_FILE": str(self.ports[1])}
        self.process = subprocess.Popen([root / "service/run.sh"], env=env, start_new_session=True,
                                        stdout=open(self.log, "wb"), stderr=subprocess.STDOUT)
        wait_for(self.ready, "readiness", 60)

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
        return self.process.wait(30)


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


def test_a_second_one_leaves_the_database_to_the_first(root):
    first = Run(root, "first")
    second = Run(root, "second")
    assert "is running already" in second.log.read_text()
    assert second.interrupt() == 0
    assert database_runs(root) and first.ready()
    assert first.interrupt() == 0
    assert not database_runs(root)
