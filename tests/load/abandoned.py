"""What one client's calculations cost another: latencies before, during and after 66 heavy questions whose client
closes at once, and with 24 clients connected that request long answers and do not read them. GPUPLAN_BINARY says of which daemon, LABEL what
to call it in RESULTS-abandoned.md.

The one who is measured asks from 127.0.0.1, one question after another, no two alike; the others come from 127.0.0.2.
A phase takes SECONDS, and longer where an answer does."""
import contextlib
import http.client
import os
import pathlib
import socket
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
from conftest import BINARY, Database, Server  # noqa: E402

SECONDS = float(os.environ.get("SECONDS", "15"))
LABEL = os.environ.get("LABEL", "this daemon")
RESULTS = HERE / "RESULTS-abandoned.md"
LONGEST = 600  # s that an answer is waited for
ABANDONED, READERS = 66, 24
HEAVY = "/v1/recommendation?workload=train,finetune,serve&model=llama-3.1-70b&tokens=1e12&finetune_tokens=1e9" \
        "&requests_per_minute=600&gpu_count_max=131072&input_tokens={}"
LARGE = "/v1/training-plan/options.html?model=gpt-2&tokens=15e12&gpu_count_max=131072&per_gpu=0"
QUESTIONS = {
    "cheap": "/v1/break-even?gpu=h100-sxm5-80gb&utilization=0.5{}",
    "short": "/v1/training-plan?model=llama-2-7b&gpu=h100-sxm5-80gb&deadline_days=60&tokens={}00000000",
}
INTRO = """# What one client's calculations cost another

Written by `tests/load/abandoned.py`, which says what is asked. The cheap question is answered by a worker; the
short one is a calculation of some milliseconds for the compute pool. Times in milliseconds; the daemon, its
database and all clients share 2 cores with whatever else ran.
"""


class Asker(threading.Thread):
    """Asks one kind of question after another until told to stop; how long each took, and what was refused."""

    def __init__(self, server, question, first):
        super().__init__()
        self.address = urllib.parse.urlsplit(server.url).netloc
        self.question, self.number, self.over = question, first, threading.Event()
        self.took, self.refused = [], 0

    def run(self):
        while not self.over.is_set():
            self.number += 1
            client = http.client.HTTPConnection(self.address, timeout=LONGEST)
            began = time.monotonic()
            client.request("GET", self.question.format(self.number))
            reply = client.getresponse()
            reply.read()
            self.took.append(1000 * (time.monotonic() - began))
            self.refused += reply.status != 200
            client.close()


def connect(server):
    url = urllib.parse.urlsplit(server.url)
    return socket.create_connection((url.hostname, url.port), timeout=LONGEST, source_address=("127.0.0.2", 0))


def send(client, path):
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


@contextlib.contextmanager
def nothing(_server):
    yield


@contextlib.contextmanager
def abandoned(server):
    """Heavy questions, no two alike, of a client that has closed before the first is answered."""
    for i in range(ABANDONED):
        with connect(server) as client:
            send(client, HEAVY.format(1000 + i))
    yield


@contextlib.contextmanager
def unread(server):
    """Long answers that are asked for again and again, and never read."""
    clients, over = [], threading.Event()

    def ask_again():
        while not over.wait(1):
            for client in clients:
                with contextlib.suppress(OSError):
                    client.setblocking(False)
                    send(client, LARGE)
    for _ in range(READERS):
        clients.append(connect(server))
        send(clients[-1], LARGE)
    thread = threading.Thread(target=ask_again)
    thread.start()
    yield
    over.set()
    thread.join()
    for client in clients:
        client.close()


def percentile(sorted_values, share):
    return sorted_values[min(len(sorted_values) - 1, int(share * len(sorted_values)))]


def measure(server, numbers, disturbance):
    askers = {name: Asker(server, question, numbers) for name, question in QUESTIONS.items()}
    with disturbance(server):
        for asker in askers.values():
            asker.start()
        threading.Event().wait(SECONDS)  # the length of the measurement
        for asker in askers.values():
            asker.over.set()
        for asker in askers.values():
            asker.join()
    return askers


def row(phase, askers):
    cells = [phase]
    for asker in askers.values():
        took = sorted(asker.took)
        cells += [f"{len(took):,}", f"{percentile(took, 0.5):,.1f}", f"{percentile(took, 0.99):,.1f}", f"{took[-1]:,.0f}",
                  f"{asker.refused:,}"]
    return "| " + " | ".join(cells) + " |"


def report(rows):
    head = ["", "cheap: answers", "p50", "p99", "most", "refused", "short: answers", "p50", "p99", "most", "refused"]
    table = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1), *rows]
    sections = RESULTS.read_text().split("\n## ")[1:] if RESULTS.exists() else []
    kept = [f"\n## {section.rstrip()}\n" for section in sections if section.split("\n")[0] != LABEL]
    new = f"\n## {LABEL}\n\n" + "\n".join(table) + f"\n\nLoad of the machine at the end: {os.getloadavg()[0]:.1f}.\n"
    RESULTS.write_text(INTRO + "".join([*kept, new]))


def main():
    phases = [("before", nothing), (f"{ABANDONED} recommendations whose client has gone", abandoned), ("after", nothing),
              (f"{READERS} readers who do not read", unread)]
    rows = []
    with tempfile.TemporaryDirectory(prefix="gpuplan-load.") as directory:
        os.chmod(directory, 0o755)
        database = Database(directory)
        database.start_migrated()
        pathlib.Path(directory, "daemon").mkdir()
        server = Server(database.env, pathlib.Path(directory, "daemon")).start()
        print(BINARY, flush=True)
        try:
            for i, (name, disturbance) in enumerate(phases):
                rows.append(row(name, measure(server, 1_000_000 * (i + 1), disturbance)))
                print(rows[-1], flush=True)
        finally:
            server.stop()
            database.stop()
    report(rows)


main()
