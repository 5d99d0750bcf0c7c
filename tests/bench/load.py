"""Servers side by side under the same load: ours, the bare ones of bare.c, nginx with a file."""
import contextlib
import os
import pathlib
import socket
import statistics
import subprocess
import tempfile
import urllib.parse

from conftest import Database, wait_for

HERE = pathlib.Path(__file__).resolve().parent
BARE = pathlib.Path(os.environ["BARE"]).resolve()
NGINX = """
daemon off; worker_processes {cores}; error_log {directory}/nginx.log; pid {directory}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
    access_log off; keepalive_requests 1000000000; open_file_cache max=10; client_body_temp_path {directory};
    proxy_temp_path {directory}; fastcgi_temp_path {directory}; uwsgi_temp_path {directory}; scgi_temp_path {directory};
    server {{
        listen 127.0.0.1:{port} reuseport backlog=4096;
        default_type application/json; add_header Cache-Control "public, max-age=300";
        location / {{ root {directory}; rewrite ^ /file break; }}
    }}
}}"""


@contextlib.contextmanager
def migrated():
    """A database with the seed, and the directory it is in."""
    with tempfile.TemporaryDirectory(prefix="gpuplan-bench.") as directory:
        pathlib.Path(directory).chmod(0o755)
        database = Database(directory)
        database.start()
        try:
            database.migrate()
            yield database, directory
        finally:
            database.stop()


def cpu_s(pids):
    """CPU time of processes, and of nobody else; a thread that ended is not in it."""
    tasks = [task for pid in pids for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


class Line:
    """One request as requests.lua and a raw socket take it."""

    def __init__(self, method, target, headers=None, body=""):
        self.method, self.target, self.body = method, target, body
        self.headers = dict(headers or {})
        if body:
            self.headers["Content-Type"] = "application/json"

    def text(self):
        lines = "|".join(f"{name}: {value}" for name, value in self.headers.items())
        return f"{self.method}\t{self.target}\t{lines}\t{self.body}\n"


class Target:
    """A server under load, and what each round of it said."""

    def __init__(self, name, url, pids):
        self.name, self.url, self.pids, self.rounds = name, url, pids, []

    def run(self, lines, connections, seconds):
        cpu = cpu_s(self.pids)
        out = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", HERE / "requests.lua",
             self.url, "--", lines], check=True, capture_output=True, text=True).stdout
        said = dict(line.split("=") for line in out.splitlines() if "=" in line)
        said = {name: float(value) for name, value in said.items()}
        assert said["failed"] == 0 and said["requests"], f"{self.name}: {out}"
        said["rate"] = said["requests"] / said["seconds"]
        said["cpu_us"] = 1e6 * (cpu_s(self.pids) - cpu) / said["requests"]
        self.rounds.append(said)

    def all(self, what):
        return [said[what] for said in self.rounds]

    def median(self, what):
        return statistics.median(self.all(what))


def children(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Side:
    """Starts the servers to compare with, for one reply, and ends them."""

    def __init__(self, reply, modes):
        self.directory = tempfile.TemporaryDirectory(prefix="gpuplan-bench.")
        self.path = pathlib.Path(self.directory.name)
        self.path.chmod(0o755)
        (self.path / "reply").write_bytes(reply)
        (self.path / "file").write_bytes(reply.partition(b"\r\n\r\n")[2])
        self.modes, self.processes = modes, []

    def __enter__(self):
        return [self._nginx() if mode == "nginx" else self._bare(mode) for mode in self.modes]

    def _start(self, *command, **options):
        process = subprocess.Popen(command, **options)
        self.processes.append(process)
        return process

    def _bare(self, mode):
        process = self._start(BARE, mode, self.path / "reply", stdout=subprocess.PIPE, text=True)
        return Target(mode, f"http://127.0.0.1:{int(process.stdout.readline())}", [process.pid])

    def _nginx(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        cores = os.cpu_count()
        (self.path / "nginx.conf").write_text(NGINX.format(cores=cores, directory=self.path, port=port))
        process = self._start("nginx", "-c", self.path / "nginx.conf", "-e", self.path / "nginx.log",
                              stderr=subprocess.DEVNULL)
        wait_for(lambda: len(children(process.pid)) == cores, "nginx")
        return Target("nginx", f"http://127.0.0.1:{port}", children(process.pid))

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(30)
            if process.stdout:
                process.stdout.close()
        self.directory.cleanup()


def fetch(url, line):
    """The reply verbatim, head and body."""
    address = urllib.parse.urlsplit(url)
    with socket.create_connection((address.hostname, address.port)) as connection:
        head = f"{line.method} {line.target} HTTP/1.1\r\nHost: {address.netloc}\r\nConnection: close\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in line.headers.items())
        if line.body:
            head += f"Content-Length: {len(line.body)}\r\n"
        connection.sendall((head + "\r\n" + line.body).encode())
        reply = b""
        while piece := connection.recv(65536):
            reply += piece
    return reply


def compare(target, lines, modes, rounds, seconds=1, connections=64):
    """The servers' rounds, interleaved, ours first; `lines` are asked in turn."""
    reply = fetch(target.url, lines[0])
    status = int(reply.split(b" ", 2)[1])
    assert status in (200, 304), reply[:2000]
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file, Side(reply, modes) as others:
        file.write("".join(line.text() for line in lines))
        file.flush()
        ours = Target(target.name, target.url, target.pids)
        every = [ours] + others
        for _ in range(rounds):
            for server in every:
                server.run(file.name, connections, seconds)
    return reply, every
