"""What many, idle, slow and hungry clients cost: nobody else's answer, and a bounded memory."""
import re
import resource
import socket
import subprocess

import pytest

from conftest import BINARY, wait_for

# Long answers of the seeded catalogue, and how long they may be. All 14 weight formats and limit=10000 give longer ones,
# as SECURITY.md says, but take seconds each.
TRAINING = "/v1/training-plan/options", "model=gpt-2&tokens=15e12&gpu_count_max=131072&per_gpu=0"
SERVING = ("/v1/inference-sizing/options", "model=llama-3.1-8b&per_gpu=0&requests_per_minute=6000&"
           "weight_dtype=bf16,fp8,int8,int4,fp4")
PAGE_MIB, SHEET_MIB = 4, 9
READERS, PAGES, SETTINGS = 24, ["", "&limit=10000"], {}

# Under a sanitizer these tests are about how answers are written and held: a thirteenth of the memory and shorter answers
# show that with a tenth of the calculation, and are one page each. The release daemon is asked for the longest ones.
SANITIZED = "san" in BINARY.parent.name
if SANITIZED:
    TRAINING = TRAINING[0], "model=gpt-2&tokens=1e12&gpu_count_max=64&per_gpu=0"
    SERVING = SERVING[0], "model=qwen3-30b-a3b&per_gpu=16&requests_per_minute=1&weight_dtype=bf16,fp8,int8,int4,fp4"
    READERS, PAGES, SETTINGS = 8, [""], {"GPUPLAN_ANSWERS_MIB": "20"}
LISTS = [TRAINING, SERVING, ("/v1/offers", ""), ("/v1/offers/history", "")]

GET = b"GET /v1/gpus/t4.txt HTTP/1.1\r\nHost: x\r\n\r\n"
IDLE = 10_000

# Of SECURITY.md, "Memory": what a connection may take at most, and what an idle one takes.
KIB_PER_CONNECTION, KIB_PER_IDLE = 128, 30


def memory_kib(server, kind="VmRSS"):
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        return int(re.search(rf"{kind}:\s+(\d+) kB", status.read()).group(1))


def connections(server):
    return int(server.metric("gpuplan_http_connections"))


@pytest.fixture
def descriptors():
    """Room for that many sockets here; the daemon raises its own limit."""
    if SANITIZED:
        pytest.skip("a sanitizer takes memory of its own")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < IDLE + 500:
        pytest.skip(f"only {before[1]} descriptors are allowed here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.fixture
def crowded(daemon):
    """A daemon that takes them all, of one address."""
    many = daemon(GPUPLAN_CONNECTIONS=str(IDLE + 500), GPUPLAN_CLIENT_CONNECTIONS="0")
    assert many.get("/v1/gpus/t4.txt").status == 200
    return many


def test_ten_thousand_idle_connections_hold_up_nobody(crowded, descriptors):
    before = memory_kib(crowded)
    socks = []
    try:
        for many in (1_000, IDLE):
            while len(socks) < many:
                sock = crowded.connect()
                socks.append(sock)
                sock.sendall(GET)
                assert sock.recv(12) == b"HTTP/1.1 200"
            assert connections(crowded) >= many
            grown = memory_kib(crowded) - before
            print(f"{many} idle connections take {grown / 1024:.1f} MiB")
            assert grown < KIB_PER_IDLE * many
        for _ in range(50):
            assert crowded.get("/v1/gpus/t4.txt").status == 200
    finally:
        for sock in socks:
            sock.close()
    wait_for(lambda: connections(crowded) < 10, "the connections to end")


def test_bodies_half_sent_take_what_was_stated(crowded, descriptors):
    """Each connection with all that it may have: a long address, many headers, a body all but sent."""
    count = 1000
    head = (b"POST /v1/break-even?nocache=" + b"a" * 8000 + b" HTTP/1.1\r\nHost: x\r\n"
            b"Content-Type: application/json\r\n" + b"X-Y: z\r\n" * 100 +
            b"Content-Length: 65536\r\n\r\n" + b" " * 65535)
    before = memory_kib(crowded)
    socks = []
    try:
        for _ in range(count):
            sock = crowded.connect()
            socks.append(sock)
            sock.sendall(head)
        assert crowded.get("/v1/gpus/t4.txt").status == 200
        grown = (memory_kib(crowded) - before) / count
        assert grown < KIB_PER_CONNECTION
        for sock in socks:
            sock.sendall(b"x")
            assert sock.recv(12) == b"HTTP/1.1 400"
    finally:
        for sock in socks:
            sock.close()


def test_all_at_once_stay_within_the_sum(daemon, descriptors):
    """As many answers that nobody takes and bodies half sent as there may be."""
    each, answers_mib = 300, 16
    server = daemon(GPUPLAN_CONNECTIONS=str(2 * each), GPUPLAN_CLIENT_CONNECTIONS="0", GPUPLAN_WORKERS="1",
                    GPUPLAN_COMPUTE_THREADS="1", GPUPLAN_ANSWERS_MIB=str(answers_mib))
    socks = []
    half = (b"POST /v1/break-even HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: 65536\r\n\r\n" + b" " * 65535)
    try:
        for _ in range(each):
            socks.append(server.connect())
            socks[-1].sendall(half)
            socks.append(server.connect())
            socks[-1].sendall(b"GET /v1/offers/history?limit=1000 HTTP/1.1\r\nHost: x\r\n\r\n")
            assert socks[-1].recv(12)[-3:] in (b"200", b"429")
        # For each of the two threads a page of the seeded catalogue and as much to make it of, in
        # place of the 64 MiB that there might be.
        bound = 25 + 2 * each * KIB_PER_CONNECTION / 1024 + answers_mib + 2 * 2 * PAGE_MIB
        most = memory_kib(server, "VmHWM") / 1024
        print(f"{most:.1f} of {bound:.1f} MiB")
        assert most < bound
    finally:
        for sock in socks:
            sock.close()


@pytest.mark.parametrize("path, query", [TRAINING, SERVING])
@pytest.mark.parametrize("limit", PAGES)
def test_who_reads_nothing_fills_only_a_share_of_the_memory(daemon, path, query, limit):
    server = daemon(**SETTINGS)
    plan = "/v1/training-plan?gpu=h100-sxm5-80gb&gpu_count=8&model=gpt-2&tokens=15e12"
    assert server.get(plan).status == 200
    before = memory_kib(server)
    # A client may hold about a dozen answers of 5 MB; each one that is refused has been calculated, too.
    readers = min(READERS, 18) if limit and path == SERVING[0] else READERS
    socks = [server.connect("127.0.0.2") for _ in range(readers)]
    try:
        for sock in socks:
            # Else the kernel takes megabytes of an answer that nobody reads, and a short one whole.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(f"GET {path}.html?{query}{limit} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        statuses = [sock.recv(12)[-3:] for sock in socks]
        grown = (memory_kib(server) - before) / 1024
        print(f"{statuses.count(b'200')} answers not read take {grown:.1f} MiB")
        assert statuses.count(b"200") >= 3 and set(statuses) <= {b"200", b"429"}
        assert b"429" in statuses or not SANITIZED and readers == READERS
        for path in [plan] * 20 + ["/v1/offers", "/v1/offers.csv"]:
            assert server.get(path).status == 200
        # A quarter of GPUPLAN_ANSWERS_MIB, and what two threads keep to make answers of.
        assert SANITIZED or grown < 64 + 40
    finally:
        for sock in socks:
            sock.close()
    wait_for(lambda: connections(server) == 0, "the connections to end")


@pytest.mark.parametrize("path, query", LISTS)
def test_no_page_is_longer_than_stated(server, path, query):
    """Of SECURITY.md, "Memory": pages of a list, and sheets, which have all of it."""
    for suffix, most_mib in {"json": PAGE_MIB, "xml": PAGE_MIB, "html": PAGE_MIB,
                             "csv": SHEET_MIB, "tsv": SHEET_MIB}.items():
        reply = server.get(f"{path}.{suffix}?{query}")
        print(f"{path}.{suffix}: {len(reply.body)} bytes")
        assert reply.status == 200 and len(reply.body) < most_mib << 20


def test_an_address_has_a_bound(daemon):
    server = daemon(GPUPLAN_CLIENT_CONNECTIONS="3")
    socks = [server.connect() for _ in range(3)]
    try:
        for sock in socks:
            sock.sendall(GET)
            assert sock.recv(12) == b"HTTP/1.1 200"
        with server.connect() as fourth:
            assert fourth.recv(1) == b""
    finally:
        for sock in socks:
            sock.close()
    wait_for(lambda: connections(server) == 0, "the connections to end")
    assert server.get("/v1/gpus/t4.txt").status == 200


def test_a_rate_has_a_bound(daemon):
    server = daemon(GPUPLAN_RATE_LIMIT="0.1")
    replies = [server.get("/v1/gpus/t4.txt") for _ in range(5)]
    assert [reply.status for reply in replies] == [200, 200, 200, 429, 429]
    assert replies[-1].json["type"] == "/problems/rate-limited"
    assert 1 <= int(replies[-1].headers["Retry-After"]) <= 10
    assert server.get("/ready", admin=True).status == 200


@pytest.mark.parametrize("change", [
    {"GPUPLAN_TRUSTED_PROXIES": "nginx"}, {"GPUPLAN_TRUSTED_PROXIES": "10.0.0.0/40"},
    {"GPUPLAN_RATE_LIMIT": "-1"}, {"GPUPLAN_CLIENT_CONNECTIONS": "1.5"},
    {"GPUPLAN_CLIENT_SECONDS": "0"}, {"GPUPLAN_ANSWERS_MIB": "0"}])
def test_limits_that_make_no_sense_end_it_at_once(server, change):
    for option in ([], ["--check"]):
        ended = subprocess.run([BINARY, *option], env=server.env | change, capture_output=True,
                               text=True, timeout=600)
        assert ended.returncode == 78 and next(iter(change.values())) in ended.stderr
