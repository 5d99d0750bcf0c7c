"""Mixed traffic at a constant rate: the rate that is held, and what disturbs it; writes RESULTS.md.

MINUTES of plain traffic at the rate found, then a tenth of that, half a minute at least, of each thing
that happens to a daemon and its database: PHASES, each on a database of its own; an import takes what it
takes. Where the rate is not held, the same at half of it, down to LEAST_RATE. RATE spares the search.
Times count from the moment each request was due (load.c). Service, database and client share the
machine; the file says how loaded it was.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "faults")]
import traffic  # noqa: E402
from conftest import BINARY, Database, Server  # noqa: E402
from test_failover import Replica  # noqa: E402

MINUTES = float(os.environ.get("MINUTES", "10"))
PHASES = os.environ.get("PHASES", "restart,reload,import,failover").split(",")
CONNECTIONS = 64
REQUESTS = 20_000
PROMISED_MS = 10
PROBE_SECONDS = 10
IMPORTED = 1_000_000
LEAST_RATE = 250


def status_kib(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def cpu_seconds(server):
    fields = pathlib.Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Memory(threading.Thread):
    """The daemon's memory, once a second; in MiB."""

    def __init__(self, server):
        super().__init__()
        self.server, self.seen, self.over = server, [], threading.Event()

    def run(self):
        while not self.over.wait(1):
            self.seen.append(status_kib(self.server) / 1024)

    def stop(self):
        self.over.set()
        self.join()
        tenth = max(1, len(self.seen) // 10)
        return {"first": max(self.seen[:tenth]), "most": max(self.seen), "last": max(self.seen[-tenth:])}


def send(server, requests, rate, seconds, quiet=False, until=None):
    """What load.c reports, with what the daemon took meanwhile; a thread `until` ends it 20 s after itself."""
    load = [str(BINARY.parent / "load/load"), server.url.rpartition(":")[2], requests, f"{rate:g}",
            f"{seconds:g}", str(CONNECTIONS)]
    memory, cpu, start = Memory(server), cpu_seconds(server), time.monotonic()
    memory.start()
    try:
        with subprocess.Popen(load, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL if quiet else None) as process:
            if until:
                until.join()
                threading.Event().wait(20)
                process.terminate()
            out = process.communicate()[0]
    finally:
        seen = memory.stop()
    took = time.monotonic() - start
    return json.loads(out) | {"memory": seen, "cores": (cpu_seconds(server) - cpu) / took,
                              "machine": os.getloadavg()[0]}


def held(report):
    return report["all"]["errors"] == 0 and report["all"]["p99_ms"] < PROMISED_MS


def probe(server, requests, rate):
    report = send(server, requests, rate, PROBE_SECONDS, quiet=True)
    print(f"{rate:7.0f} requests/s: p99 {report['all']['p99_ms']:.2f} ms, {report['all']['errors']} errors "
          f"{report['first_error']}", flush=True)
    return held(report)


def find_rate(server, requests):
    """The highest that a probe holds, to a sixteenth; 0 where not even the first is."""
    good, step = 0, 250
    while probe(server, requests, good + step):
        good += step
        step = good
    while step > max(good / 16, 10):
        step /= 2
        good += step if probe(server, requests, good + step) else 0
    return good


def hold(server, requests, rate, tries):
    """The long run; slower by a tenth, a few times, where it was late."""
    for left in range(tries, 0, -1):
        print(f"{MINUTES:g} minutes of {rate:.0f} requests/s", flush=True)
        report = send(server, requests, rate, 60 * MINUTES)
        if held(report) or report["all"]["errors"] or left == 1:
            return report
        print(f"not held: p99 {report['all']['p99_ms']} ms", flush=True)
        rate *= 0.9


@contextlib.contextmanager
def every(seconds, what):
    """Done again and again while the body runs; the count is in the list it gives."""
    over, done = threading.Event(), []

    def repeat():
        while not over.wait(seconds):
            what()
            done.append(1)
    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield done
    finally:
        over.set()
        thread.join()


def restart(database):
    database.stop()
    database.start()


def phase_restart(site, rate, seconds):
    with every(10, lambda: restart(site.database)) as done:
        report = send(site.server, site.requests, rate, seconds)
    return f"PostgreSQL stopped and started, {len(done)} times", report


def phase_reload(site, rate, seconds):
    with every(1, lambda: site.server.process.send_signal(signal.SIGHUP)) as done:
        report = send(site.server, site.requests, rate, seconds)
    return f"SIGHUP each second, {len(done)} times", report


def phase_import(site, rate, _):
    """The traffic runs until a million observations have come in and been served for a while; the file is made before."""
    path = pathlib.Path(site.directory, "offers.csv")
    with open(path, "wb") as file:
        subprocess.run([sys.executable, HERE.parent / "bench/offers.py", str(IMPORTED), "25"], check=True, stdout=file)
    took = []

    def bring_in():
        start = time.monotonic()
        subprocess.run([BINARY, "import", path], check=True, env=site.database.env, stdout=subprocess.DEVNULL)
        took.append(time.monotonic() - start)
    thread = threading.Timer(5, bring_in)
    thread.start()
    report = send(site.server, site.requests, rate, 3600, until=thread)
    return f"an import of {IMPORTED:,} prices, which took {took[0]:.0f} s", report


def phase_failover(site, rate, seconds):
    """The primary is killed and its replica promoted."""
    replica = Replica(pathlib.Path(site.directory, "replica"), site.database)
    pathlib.Path(site.directory, "pair").mkdir()
    env = site.database.env | {"PGHOST": f"{site.database.env['PGHOST']},{replica.env['PGHOST']}"}
    del env["DATABASE_URL"]
    server = Server(env, f"{site.directory}/pair").start()

    def fail_over():
        pid = pathlib.Path(site.database.directory, "pgdata/postmaster.pid").read_text().split()[0]
        os.kill(int(pid), signal.SIGQUIT)
        replica.promote()
    timer = threading.Timer(seconds / 3, fail_over)
    timer.start()
    try:
        return "the primary killed, its replica promoted", send(server, site.requests, rate, seconds)
    finally:
        timer.join()
        server.stop()
        replica.stop()


DISTURBANCES = {"restart": phase_restart, "reload": phase_reload, "import": phase_import, "failover": phase_failover}


class Site:
    def __init__(self, directory):
        self.directory = directory
        self.database = Database(directory)
        self.database.start()
        self.database.migrate()
        pathlib.Path(directory, "daemon").mkdir()
        self.server = Server(self.database.env, f"{directory}/daemon").start()
        self.requests = f"{directory}/requests"
        traffic.write(self.requests, REQUESTS, lambda target: self.server.get(target).headers["ETag"])

    def stop(self):
        self.server.stop()
        self.database.stop()


@contextlib.contextmanager
def new_site():
    with tempfile.TemporaryDirectory(prefix="gpuplan-load.") as directory:
        pathlib.Path(directory).chmod(0o755)
        site = Site(directory)
        try:
            yield site
        finally:
            site.stop()


def disturb(phase, rate):
    """The phase at this rate, or at the first half of it that is held; a row each."""
    while True:
        print(f"disturbed at {rate:g} requests/s: {phase}", flush=True)
        with new_site() as site:
            what, report = DISTURBANCES[phase](site, rate, max(30, 6 * MINUTES))
        yield what, report
        if held(report) or report["all"]["errors"] or rate / 2 < LEAST_RATE:
            return
        rate /= 2


def row(name, report):
    every_one, memory = report["all"], report["memory"]
    return (f"| {name} | {report['rate']:,.0f} | {report['seconds']:.0f} | {every_one['requests']:,} | {every_one['errors']} "
            f"| {every_one['p50_ms']:.2f} | {every_one['p99_ms']:.2f} | {every_one['p999_ms']:.1f} | {every_one['max_ms']:.0f} "
            f"| {report['worst_second_p99_ms']:.1f} | {memory['first']:.1f} / {memory['most']:.1f} / {memory['last']:.1f} "
            f"| {report['cores']:.2f} | {report['client_cpu_s'] / report['seconds']:.2f} | {report['machine']:.1f} |")


def said(rows):
    """The rates held: undisturbed, and whatever happens."""
    if not held(rows[0][1]):
        return "That was NOT found here."
    last = {what.partition(",")[0]: report for what, report in rows}
    if not all(held(report) for report in last.values()):
        return f"Undisturbed {rows[0][1]['rate']:,.0f} were held, but not through everything."
    return (f"Here {rows[0][1]['rate']:,.0f} requests a second were held, and {min(report['rate'] for report in last.values()):,.0f} "
            f"through all of the below.")


def write_results(rows):
    kinds = "\n".join(f"| {kind.replace('_', ' ')} | {of['requests']:,} | {of['p50_ms']:.2f} | {of['p99_ms']:.2f} | {of['max_ms']:.0f} |"
                      for kind, of in sorted(rows[0][1]["kinds"].items()))
    text = f"""# Load

Written by `make load`; tests/load/traffic.py says what is asked, tests/load/load.c how it is measured.
Sought is the highest rate at which 99 of 100 requests are answered within {PROMISED_MS} ms of the moment they
were due, without an error, for the whole of the first run; {CONNECTIONS} connections. What disturbs comes at the same
rate, and where that is not held, at half of it, and again. {said(rows)}

| | requests/s | s | requests | errors | p50, ms | p99 | p99.9 | most | p99 of the worst second | memory first / most / last, MiB | cores, daemon | client | load of the machine |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|
{chr(10).join(row(*each) for each in rows)}

By kind, of the first run:

| | requests | p50, ms | p99 | most |
|---|---:|---:|---:|---:|
{kinds}

{os.cpu_count()} cores are shared by daemon, PostgreSQL, client and whatever else ran: the load of the machine is what
the kernel said in the last minute of each run. A request that the client was kept from sending in time counts as late.
"""
    print(text)
    (HERE / "RESULTS.md").write_text(text)


def main():
    with new_site() as site:
        given = float(os.environ.get("RATE", 0))
        rate = given or find_rate(site.server, site.requests)
        if not rate:
            raise SystemExit("not even the lowest rate is held here: is the machine busy?")
        rows = [("nothing", hold(site.server, site.requests, rate, 1 if given else 5))]
    for phase in PHASES:
        rows.extend(disturb(phase, rows[0][1]["rate"]))
    write_results(rows)
    return sum(report["all"]["errors"] for _, report in rows) > 0


if __name__ == "__main__":
    sys.exit(main())
