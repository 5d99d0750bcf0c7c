"""Long calculations: none runs on past its deadline, nor for a client that has left, and none holds up another
client's for longer than its turn."""
import functools
import re
import signal
import threading

import pytest

from conftest import BINARY, Server, wait_for

EVERY = "/v1/recommendation?workload=train,finetune,serve&model=llama-3.1-70b&tokens=1e12&finetune_tokens=1e9" \
        "&requests_per_minute=600&gpu_count_max=131072"
# Queued with the long calculations, as it compares GPUs, but done soon.
LONG = "/v1/recommendation?workload=serve&model=llama-3.1-70b&requests_per_minute=600&gpu=h100-sxm5-80gb,a100-sxm4-80gb"
SHORT = "/v1/training-plan?model=llama-2-7b&gpu=h100-sxm5-80gb&tokens=1e11&deadline_days=60"
RISK = "/v1/break-even/risk?gpu=h100-sxm5-80gb&utilization=0.5"

# What takes long, and what its refusal says was being done, and how to ask for less.
HEAVY = [
    (EVERY, "the (search|comparison) of", "gpu_count_max"),
    ("/v1/training-plan/options?model=llama-3.1-70b&tokens=1e12&gpu_count_max=131072",
     r"the search of training strategies for (\d+|every) GPU types?", "name fewer GPUs"),
    ("/v1/training-plan/options?maximize=parameters&budget=1e7&deadline_days=90",
     r"the search of training strategies for (\d+|every) GPU types?", "name fewer GPUs"),
    (RISK + "&draws=1000000", "the simulation of 1000000 draws", "fewer draws"),
    ("/v1/training-plan/sensitivity?model=llama-3.1-405b&gpu=h100-sxm5-80gb&tokens=1e13&deadline_days=60"
     "&vary=tokens&from=1e12&to=2e13&step=1e11",
     "the search of training strategies for every value", "fewer values"),
    ("/v1/break-even/sensitivity?gpu=h100-sxm5-80gb&model=llama-3.1-405b&tokens=1e13&deadline_days=60"
     "&vary=horizon_months&from=1&to=120&step=1", "the break-even for every value", "fewer values"),
]


@pytest.fixture
def daemon(daemon):
    return functools.partial(daemon, GPUPLAN_COMPUTE_THREADS="2")


# Too little for any of HEAVY, and enough for a simulation of 100 draws on a machine with other work.
HASTE_SECONDS = 0.25 if "tsan" in BINARY.parent.name else 0.05


@pytest.fixture(scope="module")
def hasty(database, tmp_path_factory):
    """A daemon that gives a calculation a fraction of a second."""
    one = Server(database.env | {"GPUPLAN_CALCULATION_SECONDS_MAX": str(HASTE_SECONDS)},
                 tmp_path_factory.mktemp("hasty")).start()
    yield one
    assert one.stop() == 0


@pytest.mark.parametrize("question, doing, instead", HEAVY)
def test_what_takes_too_long_is_ended_and_refused_in_words(hasty, question, doing, instead):
    before = hasty.metric('gpuplan_compute_cancelled_total{reason="deadline"}')
    reply = hasty.get(question)
    assert reply.status == 503 and reply.headers["Content-Type"] == "application/problem+json"
    problem = reply.json
    assert problem["type"] == "/problems/calculation-too-long" and problem["status"] == 503
    assert re.match(doing, problem["detail"]) and f"{HASTE_SECONDS} s" in problem["detail"] and instead in problem["detail"]
    assert "Retry-After" not in reply.headers and reply.headers["Cache-Control"] == "no-store"
    wait_for(lambda: hasty.metric("gpuplan_compute_running") == 0, "the calculation to end")
    assert hasty.metric('gpuplan_compute_cancelled_total{reason="deadline"}') == before + 1
    assert hasty.get("/ready", admin=True).status == 200


def test_a_daemon_goes_on_after_calculations_that_were_ended(hasty, server):
    """Nothing half done is remembered: what is asked next is answered as by a daemon that has seen nothing."""
    small = "/v1/break-even/risk.csv?gpu=h100-sxm5-80gb&utilization=0.5&draws=100"
    for _ in range(3):
        assert hasty.get(HEAVY[1][0]).status == 503
        good = server.get(small).body
        wait_for(lambda: hasty.get(small).body == good, "an answer in time, which a busy machine may take some tries for")


def test_a_page_and_a_cell_get_the_refusal_in_their_form(hasty):
    path = HEAVY[3][0].replace("/risk?", "/risk.html?")
    page = hasty.get(path)
    assert page.status == 503 and "fewer draws" in page.text and "<html" in page.text
    cell = hasty.get(HEAVY[3][0].replace("/risk?", "/risk.txt?") + "&on_error=text")
    assert cell.status == 200 and "fewer draws" in cell.text


@pytest.mark.parametrize("value", ["0", "-1", "soon"])
def test_a_deadline_that_makes_no_sense_is_refused(database, tmp_path, value):
    one = Server(database.env | {"GPUPLAN_CALCULATION_SECONDS_MAX": value}, tmp_path)
    with pytest.raises(AssertionError, match="GPUPLAN_CALCULATION_SECONDS_MAX"):
        one.start()
    one.log.close()


def ask(sock, path):
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())


def status(sock):
    with sock:
        head = b""
        while more := sock.recv(65536):
            head = head or more
        return int(head.split()[1]) if head else None


def abandon(server, n, source="127.0.0.2"):
    """Ask for n heavy calculations, no two alike, and close the connections at once."""
    for i in range(n):
        with server.connect(source) as sock:
            ask(sock, f"{EVERY}&input_tokens={1000 + i}")
    wait_for(lambda: server.metric("gpuplan_compute_queue_length") + server.metric("gpuplan_compute_running") +
             server.metric("gpuplan_compute_done_total") +
             (server.metric('gpuplan_compute_cancelled_total{reason="gone"}')
              if "gpuplan_compute_cancelled_total" in server.get("/metrics", admin=True).text else 0) >= n / 2,
             "most of them to have arrived")


def test_what_nobody_waits_for_is_not_calculated(daemon):
    """66 recommendations whose clients are gone: another client's question waits for none of them."""
    it = daemon()
    abandon(it, 66)
    assert it.get(SHORT).status == 200
    done = it.metric("gpuplan_compute_done_total")
    assert done <= 4, "those that were done before the clients were seen to go, and the short one"
    wait_for(lambda: it.metric("gpuplan_compute_running") + it.metric("gpuplan_compute_queue_length") == 0,
             "the rest to be dropped")
    assert it.metric('gpuplan_compute_cancelled_total{reason="gone"}') >= 62
    assert it.metric("gpuplan_compute_done_total") <= 4


class Turns:
    """A daemon with one thread, kept busy by a long calculation until everybody has asked; then its client leaves."""

    def __init__(self, daemon, **env):
        self.it = daemon(GPUPLAN_COMPUTE_THREADS="1", GPUPLAN_LOG_LEVEL="debug", **env)
        self.gate = self.it.connect("127.0.0.4")
        ask(self.gate, RISK + "&draws=1000000")
        wait_for(lambda: self.it.metric("gpuplan_compute_running") == 1, "the long calculation to begin")
        self.asked = []

    def ask(self, path, source="127.0.0.1", header=""):
        """Ask, wait until the question is in the queue, and return the id that the log has for it."""
        trace = f"{len(self.asked) + 1:032x}"
        self.asked.append(self.it.connect(source))
        self.asked[-1].sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{header}"
                               f"traceparent: 00-{trace}-{1:016x}-01\r\n\r\n".encode())
        wait_for(lambda: self.it.metric("gpuplan_compute_queue_length") == len(self.asked), "the question to be queued")
        return trace

    def answered(self):
        """The ids of all questions, in the order in which they were answered."""
        self.gate.close()
        assert [status(sock) for sock in self.asked] == [200] * len(self.asked)
        log = (self.it.directory / "log").read_text()
        return [trace for trace in re.findall(r'msg="request" id=(\w+)', log) if trace.startswith("0" * 16)]


def test_a_client_has_its_turn_though_another_has_asked_much(daemon):
    """A client that asks after 20 questions of another's is answered after a few of them."""
    turns = Turns(daemon)
    crowd = [turns.ask(f"{LONG}&input_tokens={1000 + i}", "127.0.0.2") for i in range(20)]
    late = turns.ask(f"{LONG}&input_tokens=999", "127.0.0.3")
    short = turns.ask(SHORT, "127.0.0.2")
    order = turns.answered()
    assert sorted(order) == sorted([*crowd, late, short])
    assert order.index(late) <= 5
    assert order.index(short) <= 5, "a short request overtakes the long ones of the same client"


def test_behind_a_proxy_too_each_client_has_its_turn(daemon):
    turns = Turns(daemon, GPUPLAN_TRUSTED_PROXIES="127.0.0.1")
    for i in range(20):
        turns.ask(f"{LONG}&input_tokens={1000 + i}", header="X-Forwarded-For: 192.0.2.1\r\n")
    late = turns.ask(f"{LONG}&input_tokens=999", header="X-Forwarded-For: 192.0.2.2\r\n")
    assert turns.answered().index(late) <= 5


def test_the_end_waits_for_no_calculation(daemon):
    """Calculations that look are ended with the drain, and the process ends in order."""
    it = daemon(GPUPLAN_DRAIN_SECONDS="0", GPUPLAN_CALCULATION_SECONDS_MAX="600")
    crowd = [it.connect() for _ in range(8)]
    for i, sock in enumerate(crowd):
        ask(sock, f"{EVERY}&input_tokens={1000 + i}")
    wait_for(lambda: it.metric("gpuplan_compute_queue_length") >= 6, "the queue")
    done = it.metric("gpuplan_compute_done_total")
    ended = []
    waiters = [threading.Thread(target=lambda s=s: ended.append(status(s))) for s in crowd]
    for waiter in waiters:
        waiter.start()
    it.process.send_signal(signal.SIGTERM)
    assert it.process.wait(180) == 0
    for waiter in waiters:
        waiter.join()
    assert sum(one == 200 for one in ended) <= done + 2, "what waited was not calculated"
