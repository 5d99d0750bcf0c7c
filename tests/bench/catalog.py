"""How load, memory, answers and refresh grow with the number of prices.

Each size is filled in SQL: 25 observations, one every two weeks, of each offer; offers over all GPUs
and providers of the seed. What an answer takes is the daemon's CPU time, so that a busy machine
does not count; what is waited for is told by the clock.
"""
import http.client
import pathlib
import statistics
import tempfile
import time

import report
from conftest import Server
from load import cpu_s, migrated

SIZES = [1_000, 10_000, 100_000, 1_000_000]
OBSERVATIONS = 25
GPU = "h100-sxm5-80gb"
QUESTIONS = [
    ("price of a GPU", f"/v1/price-summary?gpu={GPU}&purchase_option=on_demand"),
    ("the same for a past day", f"/v1/price-summary?gpu={GPU}&purchase_option=on_demand&as_of=2026-01-15"),
    ("price summary, all GPUs", "/v1/price-summary"),
    ("100 offers of a GPU", f"/v1/offers?gpu={GPU}&limit=100"),
    ("100 of all offers", "/v1/offers?limit=100"),
    ("100 of a GPU's history", f"/v1/offers/history?gpu={GPU}&limit=100"),
    ("100 of all history", "/v1/offers/history?limit=100&cursor=500"),
    ("break-even", f"/v1/break-even?gpu={GPU}&gpu_count=8&utilization=0.7"),
]
FILL = """
    insert into offer (provider, instance, region, gpu, gpu_count, purchase_option, price_per_hour,
                       price_per_gpu_hour, valid_from, observed_text, source)
    select p.slug, 'machine-' || l, 'region-' || l % 40, g.slug, 8,
           (array['on_demand', 'spot', 'reserved_1yr', 'reserved_3yr'])[1 + l % 7 % 4],
           8 * price, price, seen, seen::text, 'tests/bench/catalog.py'
    from generate_series({first}, {last}) l
    join (select gpu as slug, row_number() over (order by gpu) - 1 as i, count(*) over () as n
          from offer_stamp) g on g.i = l % g.n
    join (select slug, row_number() over (order by slug) - 1 as i, count(*) over () as n
          from provider where kind = 'cloud') p on p.i = l / g.n % p.n
    cross join lateral (select date '2026-11-20' - 14 * k as seen,
                               round((1 + l % 100 / 50.0 + k / 25.0)::numeric, 4) as price
                        from generate_series(0, {observations} - 1) k) o"""


def rss_mib(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def milliseconds(server, connection, path):
    """Of CPU per answer, over a second; each address is new, so that none was kept."""
    cpu, asked, end = cpu_s([server.process.pid]), 0, time.monotonic() + 1
    while asked < 5 or time.monotonic() < end:
        connection.request("GET", f"{path}{'&' if '?' in path else '?'}nocache={asked}")
        reply = connection.getresponse()
        body = reply.read()
        assert reply.status == 200, body
        asked += 1
    return 1e3 * (cpu_s([server.process.pid]) - cpu) / asked


def change(database, server, connection, price):
    """Milliseconds from the commit of one changed price until it is served."""
    path = f"/v1/offers.txt?gpu={GPU}&provider=acme&limit=1&field=price_per_gpu_hour"
    database.query(f"select record_offer('acme', 'x', '', '{GPU}', 1, 'on_demand', {price}, 'x')")
    start = time.perf_counter()
    while time.perf_counter() < start + 60:
        connection.request("GET", path)
        if connection.getresponse().read().decode().strip() == f"{price}":
            return 1e3 * (time.perf_counter() - start)
    raise AssertionError(f"{price} is not served: {server.get(path).text}")


def measure(database, size, first):
    last = (size - 735) // OBSERVATIONS
    if last >= first:
        database.query(FILL.format(first=first, last=last, observations=OBSERVATIONS))
    database.query("vacuum analyze offer")
    with tempfile.TemporaryDirectory() as directory:
        server = Server(database.env, directory)
        start = time.monotonic()
        server.start()
        try:
            return ask(database, server, time.monotonic() - start), last + 1
        finally:
            server.stop()


def ask(database, server, ready):
    row = {"start until ready, s": ready, "of it the daemon's own CPU, s": cpu_s([server.process.pid]),
           "memory, MiB": rss_mib(server)}
    host = server.url.removeprefix("http://")
    connection = http.client.HTTPConnection(host)
    for name, path in QUESTIONS:
        row[f"{name}, CPU ms"] = milliseconds(server, connection, path)
    row["commit until served, ms"] = statistics.median(
        change(database, server, connection, 90 + i) for i in range(5))
    row["rows read for it"] = server.metric("gpuplan_catalog_offers_read")
    row["memory after it, MiB"] = rss_mib(server)
    row["observations"] = server.metric("gpuplan_catalog_offers")
    print(row, flush=True)
    return row


def exponent(rows, name):
    return f"{report.exponent([(row['observations'], row[name]) for row in rows]):.2f}"


def table(rows):
    header = ["observations"] + [f"{row['observations']:,.0f}" for row in rows] + ["exponent"]
    lines = [[name] + [report.number(row[name]) for row in rows] + [exponent(rows, name)]
             for name in rows[0] if name != "observations"]
    return report.table(header, lines)


def section():
    rows, first = [], 1
    with migrated() as (database, _):
        database.query("insert into provider values ('acme', 'Acme', 'marketplace')")
        for size in SIZES:
            print(f"{size:,} prices", flush=True)
            row, first = measure(database, size, first)
            rows.append(row)
    grown = 2**20 * (rows[-1]["memory, MiB"] - rows[0]["memory, MiB"])
    per_row = grown / max(1, rows[-1]["observations"] - rows[0]["observations"])
    return (f"Exponents are of the power of the number that fits best: 0 is flat, 1 linear.\n\n{table(rows)}\n"
            f"An observation takes {per_row:.0f} bytes of memory.\n")
