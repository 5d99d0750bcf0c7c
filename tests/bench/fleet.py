"""What a thousand daemons ask of one PostgreSQL; writes RESULTS-fleet.md.

One daemon is measured at all that it ever asks: statements and rows by pg_stat_statements, bytes by
a relay between the two, CPU time of its backend by the kernel. Then a fleet of them is started, to see
that it adds up, and whether all read in the same moment. PRICES and DAEMONS set the sizes.
"""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from conftest import BINARY, Database, Server, wait_for  # noqa: E402

PRICES = int(os.environ.get("PRICES", "1000000"))
DAEMONS = int(os.environ.get("DAEMONS", "50"))
WANTED = 1000
IDLE_SECONDS, SPREAD_SECONDS = 20, 10
GPU = "h100-sxm5-80gb"
OFFER = f"/v1/offers.txt?gpu={GPU}&provider=acme&limit=1&field=price_per_gpu_hour"
TIMES = "gpuplan_catalog_as_of_timestamp_seconds"


class Relay:
    """Passes bytes between a daemon and PostgreSQL's socket, and counts them."""

    def __init__(self, directory, host):
        self.directory, self.host, self.sent, self.received = directory, host, 0, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{directory}/.s.PGSQL.5432")
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(f"{self.host}/.s.PGSQL.5432")
            except OSError:
                client.close()
                continue
            for pair in ((client, server, "sent"), (server, client, "received")):
                threading.Thread(target=self.carry, args=pair, daemon=True).start()

    def carry(self, source, to, count):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                setattr(self, count, getattr(self, count) + len(data))
                to.sendall(data)
        for end in (source, to):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def make_database(directory):
    """With a million prices, a login for the daemons, and statements that are counted."""
    database = Database(directory)
    database.start()
    database.query("alter system set shared_preload_libraries = pg_stat_statements")
    database.query(f"alter system set max_connections = {DAEMONS + 50}")
    database.stop()
    database.start()
    database.migrate()
    database.query("create extension pg_stat_statements; create role plan login in role gpuplan_reader; "
                   "insert into provider values ('acme', 'Acme', 'marketplace')")
    feed = pathlib.Path(directory, "offers.csv")
    with open(feed, "wb") as file:
        subprocess.run([sys.executable, HERE / "offers.py", str(PRICES), "25"], check=True, stdout=file)
    subprocess.run([BINARY, "import", feed], check=True, env=database.env, stdout=subprocess.DEVNULL)
    database.query("vacuum analyze")
    return database


def start(database, directory, host, **env):
    directory.mkdir()
    env = database.env | env | {"PGHOST": str(host), "PGUSER": "plan", "GPUPLAN_WORKERS": "1",
                                "GPUPLAN_COMPUTE_THREADS": "1"}
    del env["DATABASE_URL"]
    return Server(env, directory)


def backends(database):
    return database.query("select pid from pg_stat_activity where usename = 'plan'").split()


def asked(database, relay=None):
    """Everything that daemons have asked so far."""
    statements, rows = database.query(
        "select coalesce(sum(calls), 0), coalesce(sum(rows), 0) from pg_stat_statements s "
        "join pg_roles r on r.oid = s.userid where rolname in ('plan', 'gpuplan_reader')").split("|")
    cpu = sum(int(pathlib.Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in backends(database))
    return {"statements": int(statements), "rows": int(rows), "CPU, ms": cpu / 1e6,
            "bytes to it, kB": relay.sent / 1e3 if relay else 0, "bytes from it, kB": relay.received / 1e3 if relay else 0}


def cost(database, relay, what):
    before = asked(database, relay)
    what()
    after = asked(database, relay)
    if after["CPU, ms"] < before["CPU, ms"]:
        before["CPU, ms"] = 0  # that backend is gone, another has begun
    return {name: after[name] - before[name] for name in after}


def change_price(database, servers, price):
    database.query(f"select record_offer('acme', 'x', '', '{GPU}', 1, 'on_demand', {price}, 'x')")
    for server in servers:
        wait_for(lambda: server.get(OFFER).text == f"{price}", "the price", 600)


def change_assumption(database, server):
    before = server.metric(TIMES)
    database.query("update assumption set note = note || ' ' where key = (select min(key) from assumption)")
    wait_for(lambda: server.metric(TIMES) > before, "another reading")


def read_all(server):
    before = server.metric(TIMES)
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: server.metric(TIMES) > before, "another reading", 60)


def reconnect(database, server):
    before = server.metric(TIMES)
    database.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'plan'")
    wait_for(lambda: server.metric(TIMES) > before, "another reading", 60)


def settle(database):
    """Until nobody has asked anything for a second: after a change there may be a second reading."""
    seen = [None]

    def quiet():
        before, seen[0] = seen[0], asked(database)["statements"]
        threading.Event().wait(1)
        return before == seen[0]
    wait_for(quiet, "quiet", 600)


def one_daemon(database, directory):
    sockets = pathlib.Path(tempfile.mkdtemp(prefix="gpuplan-relay.", dir="/tmp"))
    relay = Relay(sockets, database.env["PGHOST"])
    server = start(database, directory, sockets)
    regular = start(database, directory.with_name("regular"), sockets, GPUPLAN_RELOAD_SECONDS="1")
    costs = {}

    def count(name, what):
        def all_of_it():
            what()
            settle(database)
        costs[name] = cost(database, relay, all_of_it)
        print(name, costs[name], flush=True)
    try:
        count("a start", server.start)
        count(f"{IDLE_SECONDS} s without a change", lambda: threading.Event().wait(IDLE_SECONDS))
        count("a changed price", lambda: change_price(database, [server], 90.5))
        count("a changed assumption", lambda: change_assumption(database, server))
        count("SIGHUP, or every price changed", lambda: read_all(server))
        count("a connection that was cut", lambda: reconnect(database, server))
        server.stop()
        regular.start()
        count_regular(database, relay, regular, costs)
    finally:
        for each in (server, regular):
            if each.process and each.process.poll() is None:
                each.stop()
        relay.listener.close()
        pathlib.Path(sockets, ".s.PGSQL.5432").unlink()
        sockets.rmdir()
    return costs


def count_regular(database, relay, server, costs):
    """A look because GPUPLAN_RELOAD_SECONDS have passed: the mean of ten."""
    def look():
        last = server.metric(TIMES)
        wait_for(lambda: server.metric(TIMES) > last, "a look")
    look()
    before = asked(database, relay)
    for _ in range(10):
        look()
    after = asked(database, relay)
    costs["a look without a change"] = {name: (after[name] - before[name]) / 10 for name in after}
    print(costs["a look without a change"], flush=True)


def most_at_once(times, seconds=0.1):
    return max(sum(first <= each < first + seconds for each in times) for first in times)


def private_kib(pid):
    lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def fleet(database, directory):
    """Half of them without a spread, half with one."""
    host, half = database.env["PGHOST"], DAEMONS // 2
    servers = [start(database, directory / f"{i}", host,
                     GPUPLAN_SPREAD_SECONDS="0" if i < half else str(SPREAD_SECONDS)) for i in range(DAEMONS)]
    found = {}
    try:
        def start_all():
            for server in servers:
                server.start(ready=False)
            for server in servers:
                wait_for(lambda: server.get("/ready", admin=True).status == 200, "readiness", 1800)
            settle(database)
        found["a start"] = cost(database, None, start_all)
        print(found, flush=True)
        found["connections"] = len(backends(database))
        found["backend, MiB"] = sum(private_kib(pid) for pid in backends(database)) / 1024 / DAEMONS

        def change():
            change_price(database, servers, 80.5)
            times = [server.metric(TIMES) for server in servers]
            found["at once"] = [most_at_once(times[:half]), most_at_once(times[half:])]
            found["over, s"] = [max(part) - min(part) for part in (times[:half], times[half:])]
            settle(database)
        found["a changed price"] = cost(database, None, change)
        print(found, flush=True)
    finally:
        for server in servers:
            if server.process and server.process.poll() is None:
                server.process.send_signal(signal.SIGTERM)
        for server in servers:
            if server.process:
                server.stop()
    return found


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def thousand(costs):
    """CPU seconds and megabytes of as many daemons."""
    return WANTED * costs["CPU, ms"] / 1e3, WANTED * costs["bytes from it, kB"] / 1e3


def write_results(one, many):
    names = list(one["a start"])
    rows = "\n".join(f"| {what} | " + " | ".join(map(number, (*costs.values(), *thousand(costs)))) + " |"
                     for what, costs in one.items())
    linear = "\n".join(
        f"| {what} | {number(one[what]['CPU, ms'])} | {number(many[what]['CPU, ms'] / DAEMONS)} | "
        f"{one[what]['statements']} | {many[what]['statements'] / DAEMONS:.1f} |"
        for what in ("a start", "a changed price"))
    expensive = thousand(one["SIGHUP, or every price changed"])[0]
    text = f"""# A fleet on one PostgreSQL

Written by `make bench-fleet`; tests/bench/fleet.py says how it is measured. {PRICES:,} prices.

What one daemon asks, with the CPU time of its backend, and what it comes to for {WANTED:,} of them:

| | {" | ".join(names)} | {WANTED:,}: CPU, s | {WANTED:,}: MB |
|---|{"---:|" * (len(names) + 2)}
{rows}

It adds up: {DAEMONS} daemons at once, compared with one alone.

| | CPU of one, ms | of each of {DAEMONS} | statements of one | of each of {DAEMONS} |
|---|---:|---:|---:|---:|
{linear}

While nothing changes they ask nothing but, every `GPUPLAN_RELOAD_SECONDS` (300) or up to a quarter earlier,
whether that is so. None of it grows with the requests they answer. The expensive case is an import that
touches every GPU: {expensive:,.0f} s of one core for {WANTED:,} daemons, so that a `GPUPLAN_SPREAD_SECONDS` below {expensive:,.0f} divided by
the cores that PostgreSQL may take leaves them waiting for one another. Where that is too long, give
groups of them a replica each.

**All at once?** A notice reaches all in the same moment. Of {DAEMONS // 2} without a spread {many['at once'][0]} read within the same
100 ms, and all within {many['over, s'][0]:.2f} s; of {DAEMONS - DAEMONS // 2} with `GPUPLAN_SPREAD_SECONDS={SPREAD_SECONDS}` {many['at once'][1]} did, and all within {many['over, s'][1]:.2f} s.

**Connections.** {DAEMONS} daemons held {many['connections']}: one each; a second one from the first quote that is written through it.
So N daemons need `max_connections` of N, 2 N where all write, and some for imports and people. A backend
at rest had {many['backend, MiB']:.1f} MiB of its own.

Load of the machine meanwhile: {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores.
"""
    print(text)
    (HERE / "RESULTS-fleet.md").write_text(text)


def main():
    with tempfile.TemporaryDirectory(prefix="gpuplan-fleet.") as directory:
        pathlib.Path(directory).chmod(0o755)
        database = make_database(directory)
        try:
            one = one_daemon(database, pathlib.Path(directory, "one"))
            pathlib.Path(directory, "fleet").mkdir()
            write_results(one, fleet(database, pathlib.Path(directory, "fleet")))
        finally:
            database.stop()


if __name__ == "__main__":
    main()
