"""Fixtures of every suite: a throw-away cluster with the real schema and seed, and a real daemon."""
import datetime
import fcntl
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = pathlib.Path(os.environ.get("GPUPLAN_BINARY", ROOT / "build/release/gpuplan"))
if not BINARY.is_absolute():
    BINARY = ROOT / BINARY
# The clients of the newest PostgreSQL themselves: /usr/bin/psql is a Perl program that looks for them each time.
CLIENTS = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))[-1:]
os.environ["PATH"] = ":".join([*map(str, CLIENTS), os.environ["PATH"]])


def namespace(*flags):
    """unshare with these flags; skips the test where this user may make no such namespace, as in most containers."""
    for user in ["--map-root-user"], []:  # the second is for root in a changed root, who may make no namespace of users
        command = ["unshare", *user, *flags]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    pytest.skip("not run: no namespace may be made here")


def lasting_day(seconds=900):
    """Today in UTC, by which the daemon counts days. If fewer than `seconds` are left of it, wait for the next day."""
    now = datetime.datetime.now(datetime.timezone.utc)
    left = 86400 - (now - now.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
    if left < seconds:
        print(f"waiting {left:.0f} s for midnight UTC, as a suite may not begin on one day and end on the next",
              file=sys.stderr)
        time.sleep(left + 1)
    return datetime.datetime.now(datetime.timezone.utc).date()


TODAY = lasting_day()


def day(shift):
    """The day that many days from today."""
    return (TODAY + datetime.timedelta(days=shift)).isoformat()


# Only what never happens reaches this limit. On a busy machine three minutes were too few for one request to a daemon
# under a sanitizer.
PATIENCE_SECONDS = 600.0


def wait_for(condition, what, seconds=PATIENCE_SECONDS):
    """Poll until the condition holds, less often the longer it takes; its value comes back."""
    deadline, pause = time.monotonic() + seconds, 0.01
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(pause)
        pause = min(1.2 * pause, 0.1)
    raise AssertionError(f"timed out waiting for {what}")


@functools.cache
def migrated_cluster():
    """The files of a cluster with schema and seed, from which others are copied: initdb and the migrations take seconds.
    It is made under build/ for each version of sql/ and of PostgreSQL, and anew each day, as rows carry the time of their
    insertion. Copies run without fsync: a killed process loses nothing that the kernel holds, and no test cuts the power."""
    servers = sorted(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")))
    made_of = hashlib.sha256(" ".join([time.strftime("%Y%m%d", time.gmtime()), *servers]).encode())
    for path in sorted(path for path in (ROOT / "sql").rglob("*") if path.is_file()):
        made_of.update(f"{path.relative_to(ROOT)} {path.stat().st_size}\n".encode() + path.read_bytes())
    kept = ROOT / "build" / f"cluster-{made_of.hexdigest()[:12]}"
    kept.parent.mkdir(exist_ok=True)
    with open(kept.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            draft = kept.with_suffix(".new")
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(mode=0o755)
            with tempfile.TemporaryDirectory(prefix="gpuplan-test.") as directory:  # which the server's user can enter
                os.chmod(directory, 0o755)
                database = Database(directory)
                database.start()
                database.migrate()
                database.query("alter system set fsync = off")
                database.stop()
                # Its log of 16 MiB segments is half of what is copied; of 1 MiB it is nothing.
                server = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
                subprocess.run([shutil.which("pg_resetwal", path=os.environ.get("PGBIN", os.environ["PATH"])), "--wal-segsize=1",
                                "pgdata"], check=True, cwd=directory, capture_output=True, **server)
                subprocess.run(["cp", "-a", f"{directory}/pgdata", draft], check=True)
            draft.rename(kept)
    return kept / "pgdata"


class Database:
    """A private cluster; env reaches it."""

    def __init__(self, directory):
        self.directory = directory
        self.env = {}

    def start(self, *options):
        out = subprocess.run([ROOT / "sql/private.sh", "start", self.directory, *options], check=True,
                             capture_output=True, text=True).stdout
        words = shlex.split(out)
        self.env = dict(os.environ) | dict(w.split("=", 1) for w in words if "=" in w)

    def start_migrated(self):
        """Start with schema and seed."""
        subprocess.run(["cp", "-a", migrated_cluster(), self.directory], check=True)
        self.start()

    def migrate(self, release=ROOT):
        done = subprocess.run([release / "sql/migrate.sh"], check=False, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def stop(self):
        subprocess.run([ROOT / "sql/private.sh", "stop", self.directory], check=True,
                       capture_output=True)

    def query(self, sql):
        return subprocess.run(["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql], check=True,
                              env=self.env, capture_output=True, text=True).stdout.strip()


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """A daemon on ports of its own choosing."""

    def __init__(self, env, directory):
        self.directory, self.binary = pathlib.Path(directory), BINARY
        # Under a sanitizer on a busy machine, calculations and the shutdown may take long.
        self.env = {"GPUPLAN_CALCULATION_SECONDS_MAX": "600", "GPUPLAN_DRAIN_SECONDS": "60"} | env | {
            "GPUPLAN_LISTEN": "127.0.0.1:0",
            "GPUPLAN_ADMIN_LISTEN": "127.0.0.1:0",
            "GPUPLAN_PORT_FILE": str(self.directory / "port"),
            "GPUPLAN_ADMIN_PORT_FILE": str(self.directory / "admin-port"),
            "GPUPLAN_STATIC": str(ROOT / "static"),
        }
        self.process = self.url = self.admin_url = None

    def _port(self, name):
        path = self.directory / name
        return path.exists() and re.fullmatch(r"\d+\s*", path.read_text()) and int(path.read_text())

    def start(self, ready=True):
        for name in ("port", "admin-port"):
            (self.directory / name).unlink(missing_ok=True)
        self.log = open(self.directory / "log", "ab")
        self.process = subprocess.Popen([self.binary], env=self.env, stderr=self.log, stdout=self.log)

        def up(name):
            assert self.process.poll() is None, (self.directory / "log").read_text()
            return self._port(name)
        try:
            self.url = f"http://127.0.0.1:{wait_for(lambda: up('port'), 'the port')}"
            self.admin_url = f"http://127.0.0.1:{wait_for(lambda: up('admin-port'), 'the admin port')}"
            if ready:
                wait_for(lambda: self.get("/ready", admin=True).status == 200, "readiness")
        except BaseException:
            self.process.kill()  # the test has no server to stop
            raise
        return self

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(180)
        self.log.close()
        return self.process.returncode

    def connect(self, source="127.0.0.1"):
        """A socket to it, from that address."""
        url = urllib.parse.urlsplit(self.url)
        return socket.create_connection((url.hostname, url.port), timeout=PATIENCE_SECONDS, source_address=(source, 0))

    def request(self, method, path, body=None, headers=None, admin=False):
        request = urllib.request.Request((self.admin_url if admin else self.url) + path, data=body,
                                         headers=headers or {}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as reply:
                return Reply(reply.status, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, error.headers, error.read())

    def get(self, path, headers=None, admin=False, **params):
        if params:
            path += ("&" if "?" in path else "?") + urllib.parse.urlencode(params)
        return self.request("GET", path, headers=headers, admin=admin)

    def metric(self, name):
        """The value of a metric, named with its labels."""
        lines = self.get("/metrics", admin=True).text.splitlines()
        return next(float(line.removeprefix(name)) for line in lines if line.startswith(name + " "))

    def answer(self, path, **params):
        """The reply to a question that has an answer."""
        reply = self.get(path, **params)
        assert reply.status == 200, reply.text
        return reply

    def refusals(self, path, status=400, **params):
        """The errors of a refusal, by the parameter they are about."""
        reply = self.get(path, **params)
        assert reply.status == status, reply.text
        assert reply.headers["Content-Type"] == "application/problem+json"
        return {error["parameter"]: error for error in reply.json.get("errors", [])}

    def post(self, path, document):
        return self.request("POST", path, json.dumps(document).encode(),
                            {"Content-Type": "application/json"})


# So that tests have a quote to ask for; no answer uses it.
EXPIRED_QUOTE = """
    insert into quote (kind, provider, gpu, price, price_unit, valid_from, valid_until)
    values ('hardware', 'acme', 't4', 900, 'per_card', '2000-01-01', '2000-01-31')"""


@pytest.fixture(scope="session")
def database():
    with tempfile.TemporaryDirectory(prefix="gpuplan-test.") as directory:
        os.chmod(directory, 0o755)
        cluster = Database(directory)
        cluster.start_migrated()
        try:
            cluster.query(EXPIRED_QUOTE)
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture(scope="session")
def server(database, tmp_path_factory):
    daemon = Server(database.env, tmp_path_factory.mktemp("daemon"))
    daemon.start()
    yield daemon
    status = daemon.stop()
    assert status == 0, f"the daemon ended with {status}: {(daemon.directory / 'log').read_text()[-4000:]}"


@pytest.fixture
def daemon(database, tmp_path):
    """Starts a daemon with settings of its own, which is stopped after the test even if that fails."""
    made = []

    def start(**env):
        made.append(Server(database.env | env, tmp_path).start())
        return made[-1]
    yield start
    for one in made:
        assert one.stop() == 0


def own_cluster(directories, kind=Database):
    """A new cluster with schema and seed, started."""
    directory = directories.mktemp("db")
    directory.chmod(0o755)  # which the server's user can enter
    cluster = kind(str(directory))
    cluster.start_migrated()
    return cluster


class Own:
    """A database and a daemon for one test, to change or to break; the SQL runs before the daemon starts."""

    def __init__(self, directories, sql="", **env):
        self.database = own_cluster(directories)
        if sql:
            self.database.query(sql)
        self.server = Server(self.database.env | env, directories.mktemp("daemon")).start()

    def stop(self):
        status = self.server.stop()
        self.database.stop()
        assert status == 0


def stopped_after(scope, make):
    """A fixture that gives what `make` returns for the factory of directories, and stops it at the end of the scope."""
    @pytest.fixture(scope=scope)
    def made(tmp_path_factory):
        one = make(tmp_path_factory)
        yield one
        one.stop()
    return made


@pytest.fixture
def pair(tmp_path_factory):
    """A database and a daemon for one test, to break."""
    own = Own(tmp_path_factory)
    yield own.database, own.server
    own.stop()
