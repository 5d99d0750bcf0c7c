"""From the previous release to this one while everybody asks on: migrate, then replace daemon by daemon."""
import contextlib
import json
import os
import re
import socket
import subprocess
import threading
import urllib.error
import urllib.request

import pytest

from conftest import ROOT, Server, wait_for
from rig import QUESTION, QUOTE, TOKEN, asked_throughout, site  # noqa: F401 (a fixture)


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.strip()


def previous_release():
    """The last tag before this commit; while there is none, the last commit with an older schema, none of whose
    migrations was edited since."""
    with contextlib.suppress(subprocess.CalledProcessError):
        return git("rev-parse", "--verify", git("describe", "--tags", "--abbrev=0", "HEAD^") + "^{commit}")
    for raised in git("log", "--format=%H", "-GSTORE_SCHEMA_VERSION = ", "--", "service/store/load.h").split():
        before = git("rev-parse", "--verify", f"{raised}^")
        if not git("diff", "--name-only", "--diff-filter=MDR", before, "--", "sql/migrations"):
            return before
    raise LookupError("no older schema whose migrations are as they were")


@pytest.fixture(scope="module")
def previous():
    """Its tree, built; kept under build/ for the next time."""
    try:
        commit = previous_release()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this is no clone with the history of the previous release: {error.stderr.strip()}")
    there = ROOT / "build" / f"release-{commit[:12]}"
    if not there.exists():
        draft = there.with_suffix(".new")
        subprocess.run(["rm", "-rf", draft], check=True)
        subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, draft], check=True)
        subprocess.run(["git", "-C", draft, "checkout", "--quiet", commit], check=True)
        env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
        subprocess.run(["make", f"-j{os.cpu_count()}", "build", "MODE=release", "release_CFLAGS=-O0", "release_LDFLAGS="],
                       cwd=draft, env=env, check=True, capture_output=True)
        draft.rename(there)
    return there


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class Proxy:
    """The nginx of docker-compose.yml, before daemons at two fixed ports."""

    def __init__(self, directory, ports):
        self.url = f"http://127.0.0.1:{free_port()}"
        daemons = "".join(f"server 127.0.0.1:{port} max_fails=0; " for port in ports)
        text = (ROOT / "service/proxy/nginx.conf").read_text()
        for ours, here in (("listen 8080", f"listen {self.url[7:]}"),
                           ("include /tmp/resolver.conf;", f"upstream daemons {{ {daemons}}}"),
                           ("http://service:8080", "http://daemons"), ("/tmp/", f"{directory}/")):
            assert ours in text
            text = text.replace(ours, here)
        directory.mkdir()
        (directory / "tls.conf").touch()
        (directory / "nginx.conf").write_text(("user root;\n" if os.geteuid() == 0 else "") + text)
        # Debian's is where the path of a user does not lead.
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-e", "stderr", "-c", directory / "nginx.conf"],
                                        stderr=subprocess.DEVNULL)

    def get(self, path):
        return self.request(urllib.request.Request(self.url + path))

    def request(self, request):
        try:
            with urllib.request.urlopen(request, timeout=600) as reply:
                return reply
        except urllib.error.HTTPError as error:
            return error

    def post_quote(self, n):
        """Again, under its key, until it is taken: what a client does whose connection broke."""
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", "Idempotency-Key": f"key-{n}"}
        body = json.dumps(QUOTE | {"note": f"number {n}"}).encode()
        return wait_for(lambda: self.request(urllib.request.Request(self.url + "/v1/quotes", body, headers)).status
                        in (200, 201), f"quote {n}")


@contextlib.contextmanager
def quoted_throughout(proxy):
    posted, over = [], threading.Event()

    def post():
        while not over.is_set():
            proxy.post_quote(len(posted))
            posted.append(len(posted))
    poster = threading.Thread(target=post)
    poster.start()
    try:
        yield posted
    finally:
        over.set()
        poster.join()


def start(it, directory, binary, port=0):
    directory.mkdir()
    one = Server(it.server.env, directory)
    one.binary = binary
    one.env["GPUPLAN_LISTEN"] = f"127.0.0.1:{port}"
    return one.start()


def test_daemon_by_daemon(site, previous, tmp_path):
    it = site(release=previous)
    old = [start(it, tmp_path / f"old{n}", previous / "build/release/gpuplan") for n in range(2)]
    ports = [one.url.rsplit(":", 1)[1] for one in old]
    running, proxy = list(old), Proxy(tmp_path / "proxy", ports)
    price = "/v1/offers.txt?gpu=t4&provider=aws&field=price_per_gpu_hour"
    try:
        wait_for(lambda: answers(proxy), "the proxy")
        with asked_throughout(proxy), quoted_throughout(proxy) as posted:
            it.database.migrate()
            assert it.database.query("select max(number) from schema_version") == newest_migration()
            it.set_price(0.25)
            for one in old:
                wait_for(lambda: one.get(price).text == "0.25", "the daemon of before to follow the schema of now")
            for n, port in enumerate(ports):
                assert running[n].stop() == 0
                running[n] = start(it, tmp_path / f"new{n}", it.server.binary, port)
            back = start(it, tmp_path / "back", previous / "build/release/gpuplan")
            assert back.get(price).text == "0.25" and back.stop() == 0, "the way back is open"
            it.set_price(0.35)
            for one in running:
                wait_for(lambda: one.get(price).text == "0.35", "the daemons of now to follow")
            seen = len(posted)
            wait_for(lambda: len(posted) > seen + 5, "quotes taken by them")
        notes = it.database.query("select note from quote where note like 'number %'").splitlines()
        assert sorted(notes) == sorted(f"number {n}" for n in posted), "each quote once"
    finally:
        proxy.process.terminate()
        proxy.process.wait()
        for one in running:
            one.stop()


def answers(proxy):
    with contextlib.suppress(OSError):
        return proxy.get(QUESTION).status == 200


def newest_migration():
    return str(max(int(re.match(r"\d+", path.name)[0]) for path in (ROOT / "sql/migrations").iterdir()))
