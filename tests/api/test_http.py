"""HTTP as it comes over the wire: limits, methods, caching, compression, many connections."""
import gzip
import json
import re
import signal
import socket
import subprocess
import urllib.parse

import pytest

from conftest import BINARY, Server, wait_for

PATH = "/v1/gpus/h100-sxm5-80gb"


def read_reply(sock):
    """One reply with a Content-Length: status line, headers, body."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:])}
    while len(body) < int(headers.get("content-length", 0)):
        body += sock.recv(65536)
    return int(lines[0].split()[1]), headers, body


def exchange(server, raw):
    with server.connect() as sock:
        sock.sendall(raw)
        return read_reply(sock)


def get(path, *headers):
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


@pytest.fixture(scope="module")
def lone_worker(database, tmp_path_factory):
    """A daemon with one worker, which every connection therefore meets."""
    daemon = Server(database.env | {"GPUPLAN_WORKERS": "1"}, tmp_path_factory.mktemp("lone"))
    daemon.start()
    yield daemon
    assert daemon.stop() == 0


@pytest.mark.parametrize("count", [127, 128, 256])
def test_exactly_that_many_ready_connections_are_all_answered(lone_worker, count):
    socks = [lone_worker.connect() for _ in range(count)]
    try:
        for sock in socks:  # accepted and known to the worker's loop
            sock.sendall(get("/v1/gpus/t4.txt"))
            assert read_reply(sock)[0] == 200
        for _ in range(3):
            lone_worker.process.send_signal(signal.SIGSTOP)
            try:
                for sock in socks:  # all ready at once when it wakes up
                    sock.sendall(get("/v1/gpus/t4.txt"))
            finally:
                lone_worker.process.send_signal(signal.SIGCONT)
            assert {read_reply(sock)[0] for sock in socks} == {200}
    finally:
        for sock in socks:
            sock.close()


def read_statuses(sock, count):
    """Of that many replies to requests sent in a row."""
    data = b""
    while data.count(b"HTTP/1.1 ") < count:
        piece = sock.recv(65536)
        assert piece
        data += piece
    return [int(code) for code in re.findall(rb"HTTP/1.1 (\d+)", data)]


def test_requests_in_a_row_are_answered_in_order(server):
    paths = ["/v1/gpus/t4.txt", "/nowhere", "/v1/gpus/t4.csv", "/v1/gpus/t4.txt"]
    with server.connect() as sock:
        sock.sendall(b"".join(get(path) for path in paths))
        assert read_statuses(sock, len(paths)) == [200, 404, 200, 200]


def test_a_body_too_large_is_refused_before_it_is_sent(server):
    raw = (b"POST /v1/break-even HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
           b"Content-Length: ")
    for rest in (b"10000000\r\n\r\n", b"1000000\r\nExpect: 100-continue\r\n\r\n"):
        status, headers, body = exchange(server, raw + rest)
        assert status == 413 and json.loads(body)["type"].endswith("too-large")
        assert headers["content-type"] == "application/problem+json"


def test_a_chunked_body_too_large_is_refused_after_it(server):
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    raw = (b"POST /v1/break-even HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
           b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 20 + b"0\r\n\r\n")
    assert exchange(server, raw)[0] == 413


def test_an_endless_body_is_cut_off(server):
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    with server.connect() as sock:
        sock.sendall(b"POST /v1/break-even HTTP/1.1\r\nHost: x\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n")
        with pytest.raises(ConnectionError):
            for _ in range(4096):
                sock.sendall(chunk)
    assert server.get("/v1/gpus/t4.txt").status == 200


@pytest.mark.parametrize("lengths", [
    b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"Content-Length: 5\r\nContent-Length: 6",
    b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: gzip"])
def test_a_body_whose_end_is_in_doubt_is_refused(server, lengths):
    raw = b"POST /v1/break-even HTTP/1.1\r\nHost: x\r\n" + lengths + b"\r\n\r\n0\r\n\r\n"
    with server.connect() as sock:
        sock.sendall(raw)
        assert read_reply(sock)[0] == 400
        assert sock.recv(1) == b""


def test_an_address_too_long_is_refused(server):
    assert server.get("/v1/gpus?q=" + "a" * 9000).status == 414


def test_a_broken_escape_is_refused(server):
    assert exchange(server, get("/v1/gpus?q=%zz"))[0] == 400
    assert exchange(server, get("/v1/gpus%zz"))[0] == 400
    assert exchange(server, get("/v1/%00gpus"))[0] == 400


def test_a_request_without_a_host_is_refused(server):
    assert exchange(server, b"GET /v1 HTTP/1.1\r\n\r\n")[0] == 400


def test_an_absolute_address_is_a_path(server):
    assert exchange(server, get("http://localhost/v1/gpus/t4.txt"))[0] == 200


def test_head_is_get_without_the_body(server):
    get_reply = exchange(server, get(PATH))
    with server.connect() as sock:
        sock.sendall(get(PATH).replace(b"GET", b"HEAD", 1))
        head = b""
        while b"\r\n\r\n" not in head:
            head += sock.recv(65536)
        assert head.endswith(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:] if line)}
    assert lines[0].split()[1] == "200"
    for name in ("content-length", "content-type", "etag", "cache-control", "vary"):
        assert headers[name] == get_reply[1][name]


def test_head_of_a_compressed_answer_and_of_an_error(server):
    packed = {"Accept-Encoding": "gzip"}
    for path in (PATH, "/", "/nowhere", "/v1/gpus?nonsense=1"):
        whole, head = server.get(path, headers=packed), server.request("HEAD", path, headers=packed)
        assert head.status == whole.status and head.body == b""
        for name in ("Content-Length", "Content-Type", "Content-Encoding", "ETag"):
            assert head.headers[name] == whole.headers[name], (path, name)


@pytest.mark.parametrize("path", [PATH, "/v1/gpus?nonsense=1", "/nowhere", "/", "*", "/v1/gpus%zz",
                                  "/v1/gpus?q=" + "a" * 9000])
def test_options_is_always_204_with_cors(server, path):
    status, headers, body = exchange(server, get(path).replace(b"GET", b"OPTIONS", 1))
    assert status == 204 and body == b"" and "content-type" not in headers
    assert headers["access-control-allow-origin"] == "*"
    assert headers["allow"] == headers["access-control-allow-methods"] == \
        "GET, HEAD, POST, PUT, DELETE, OPTIONS"
    assert "If-None-Match" in headers["access-control-allow-headers"]


def test_every_answer_says_what_it_comes_from(server):
    for path in (PATH, "/nowhere", "/"):
        headers = server.get(path).headers
        assert re.fullmatch(r"gpuplan/\S+", headers["Server"])
        assert re.fullmatch(r"[0-9a-f]{32}", headers["X-Request-Id"])
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert "ETag" in headers["Access-Control-Expose-Headers"]


def test_a_wrong_method_is_405_with_allow(server):
    reply = server.request("DELETE", PATH)
    assert reply.status == 405 and "GET" in reply.headers["Allow"]
    assert server.request("POST", PATH, b"{}", {"Content-Type": "application/json"}).status == 405


def test_not_modified_by_plain_weak_and_compressed_tags(server):
    tag = server.get(PATH).headers["ETag"]
    for sent in (tag, "W/" + tag, f'"other", {tag}', tag[:-1] + '-gz"', "*"):
        reply = server.get(PATH, headers={"If-None-Match": sent})
        assert (reply.status, reply.body) == (304, b""), sent
        known = tag[:-1] + '-gz"' if "-gz" in sent else tag  # the representation the client has
        assert reply.headers["ETag"] == known
        assert "Content-Type" not in reply.headers
    assert server.get(PATH, headers={"If-None-Match": '"other"'}).status == 200


def test_tags_differ_by_format_and_question_but_not_by_nocache(server):
    def tag(path):
        return server.get(path).headers["ETag"]
    assert tag(PATH + ".csv") != tag(PATH)
    assert tag(PATH + "?price=1000") != tag(PATH)
    assert tag(PATH + "?nocache=1") == tag(PATH)


def test_gzip_is_the_same_answer(server):
    plain = server.get(PATH)
    packed = server.get(PATH, headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert packed.headers["ETag"] == plain.headers["ETag"][:-1] + '-gz"'
    assert "Accept-Encoding" in packed.headers["Vary"]
    refused = server.get(PATH, headers={"Accept-Encoding": "gzip;q=0, *"})
    assert "Content-Encoding" not in refused.headers and refused.body == plain.body


def test_a_past_day_is_kept_longer_than_today(server):
    """Not for ever: a price observed that day may still come in."""
    assert "max-age=86400," in server.get(PATH + "?as_of=2026-01-01").headers["Cache-Control"]
    assert "max-age=300," in server.get(PATH).headers["Cache-Control"]


def test_request_ids_follow_the_trace(server):
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    reply = server.get(PATH, headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    assert reply.headers["X-Request-Id"] == trace
    ids = {server.get(PATH).headers["X-Request-Id"] for _ in range(5)}
    assert len(ids) == 5


@pytest.mark.parametrize("accept,type_", [
    ("text/csv", "text/csv"), ("application/xml", "application/xml"),
    ("text/html,application/xhtml+xml,*/*;q=0.8", "text/html"), ("*/*", "application/json")])
def test_accept_chooses_the_format(server, accept, type_):
    reply = server.get(PATH, headers={"Accept": accept})
    assert reply.headers["Content-Type"].startswith(type_)
    assert "Accept" in reply.headers["Vary"].split(", ")


def test_an_accept_we_cannot_serve_is_406(server):
    assert server.get(PATH, headers={"Accept": "image/png"}).status == 406


def test_pages_come_with_a_strict_policy(server):
    reply = server.get("/break-even")
    assert reply.status == 200 and reply.headers["Content-Type"].startswith("text/html")
    policy = dict(part.strip().split(" ", 1)
                  for part in reply.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["worker-src"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == "'self'"
    assert reply.headers["Referrer-Policy"] == "no-referrer"


def test_a_page_is_kept_and_asked_about(server):
    page = server.get("/")
    for path in ("/break-even", "/training-plan", "/inference-sizing", "/recommendation", "/index.html"):
        assert server.get(path).body == page.body
    assert server.get("/catalogue").body == server.get("/prices").body != page.body
    known = {"If-None-Match": page.headers["ETag"]}
    assert server.get("/", headers=known).status == 304
    packed = server.get("/", headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.body) == page.body
    refused = server.request("POST", "/break-even", b"{}", {"Content-Type": "application/json"})
    assert refused.status == 405 and refused.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("path", ["/../Makefile", "/..%2fMakefile", "/.git/config", "//etc/passwd"])
def test_no_path_leads_out_of_the_pages(server, path):
    assert exchange(server, get(path))[0] == 404


def test_idle_and_slow_clients_hold_up_nobody(lone_worker):
    socks = [lone_worker.connect() for _ in range(100)]
    try:
        for n, sock in enumerate(socks):
            sock.sendall([b"G", b"GET /v1/gpus HTTP/1.1\r\nHost:", b"",
                          b"POST /v1/break-even HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"][n % 4])
        for _ in range(20):
            assert lone_worker.get("/v1/gpus/t4.txt").status == 200
        socks[0].sendall(get("/v1/gpus/t4.txt")[1:])
        assert read_reply(socks[0])[0] == 200  # the slow one, in its own time
    finally:
        for sock in socks:
            sock.close()


def test_metrics_count_requests(server):
    def count():
        found = re.findall(r'gpuplan_http_requests_total\{route="/v1/gpus/\{gpu\}",code="200",'
                           r'format="txt"\} (\d+)', server.get("/metrics", admin=True).text)
        return int(found[0]) if found else 0
    before = count()
    server.get(PATH + ".txt")
    assert count() == before + 1
    text = server.get("/metrics", admin=True).text
    assert re.search(r"^gpuplan_catalog_offers [1-9]", text, re.M)
    assert "gpuplan_db_up 1" in text


# The number of GPUs is left to the daemon, which tries many: over a millisecond.
LONG = "/v1/training-plan?model=llama-2-7b&gpu=h100-sxm5-80gb&tokens=1e11&deadline_days=30"


def compute_metric(server, name):
    return float(re.search(rf"^gpuplan_compute_{name} (\S+)$",
                           server.get("/metrics", admin=True).text, re.M).group(1))


def done_by(server, *args, **kwargs):
    """The reply, and how many calculations the compute threads did for it."""
    before = compute_metric(server, "done_total")
    reply = server.get(*args, **kwargs)
    wait_for(lambda: compute_metric(server, "running") == 0, "the threads to be idle")
    return reply, compute_metric(server, "done_total") - before


def test_what_takes_long_is_left_to_the_compute_threads(server):
    reply, done = done_by(server, LONG)
    assert (reply.status, done) == (200, 1)
    assert reply.json["gpu_count"] > 0
    again, done = done_by(server, LONG, headers={"If-None-Match": reply.headers["ETag"]})
    assert (again.status, done) == (304, 0)
    short, done = done_by(server, f"{LONG}&gpu_count={reply.json['gpu_count']:.0f}")
    assert (short.status, done) == (200, 0)
    assert short.json["days"] == reply.json["days"]
    wrong, done = done_by(server, LONG + "&optimizer=magic")
    assert (wrong.status, done) == (400, 0)
    assert compute_metric(server, "seconds_total") > 0
    assert compute_metric(server, "threads") >= 1


def test_long_and_short_requests_in_a_row_are_answered_in_order(lone_worker):
    paths = [LONG, "/v1/gpus/t4.txt", LONG.replace("?", ".txt?"), "/nowhere", LONG + "&x=1", LONG]
    with lone_worker.connect() as sock:
        sock.sendall(b"".join(get(path) for path in paths))
        assert read_statuses(sock, len(paths)) == [200, 200, 200, 404, 400, 200]


def test_the_catalogue_is_read_again_while_long_requests_are_made(lone_worker):
    loaded = "gpuplan_catalog_reloads_total{status=\"ok\"} "
    before = lone_worker.get("/metrics", admin=True).text.split(loaded)[1].split("\n")[0]
    socks = [lone_worker.connect() for _ in range(20)]
    try:
        for sock in socks:
            sock.sendall(get(LONG) * 10)
        lone_worker.process.send_signal(signal.SIGHUP)
        assert all(read_statuses(sock, 10) == [200] * 10 for sock in socks)
    finally:
        for sock in socks:
            sock.close()
    wait_for(lambda: loaded + before + "\n" not in lone_worker.get("/metrics", admin=True).text,
             "a reload")


def test_the_histogram_adds_up(server):
    text = server.get("/metrics", admin=True).text
    name = "gpuplan_http_request_duration_seconds"
    buckets = [int(n) for n in re.findall(name + r'_bucket\{le="[^"]+"\} (\d+)', text)]
    assert buckets == sorted(buckets)
    assert buckets[-1] == int(re.search(name + r"_count (\d+)", text).group(1))
    families = re.findall(r"^# TYPE (\S+) \S+$", text, re.M)
    assert len(families) == len(set(families))
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r'[a-z_]+(\{[^{}]*(\{\w+\}[^{}]*)*\})? \S+', line), line


def test_live_and_ready(server):
    for path in ("/live", "/ready"):
        for method in ("GET", "HEAD"):
            reply = server.request(method, path, admin=True)
            said = b"ready\n" if (method, path) == ("GET", "/ready") else b""
            assert (reply.status, reply.body) == (200, said)
    assert server.get("/nowhere", admin=True).status == 404
    assert server.request("POST", "/ready", b"", admin=True).status == 405


def test_without_a_database_it_lives_and_is_not_ready(database, tmp_path):
    nowhere = {"DATABASE_URL": f"postgresql:///x?host={tmp_path}"}
    lonely = Server(database.env | nowhere, tmp_path).start(ready=False)
    try:
        assert lonely.get("/live", admin=True).status == 200
        assert lonely.get("/ready", admin=True).status == 503
        assert "gpuplan_db_up 0" in lonely.get("/metrics", admin=True).text
        reply = lonely.get(PATH)
        assert reply.status == 503 and reply.headers["Retry-After"] == "5"
        assert lonely.get("/").status == 200
        check = subprocess.run([BINARY, "--check"], env=lonely.env, capture_output=True, text=True,
                               timeout=600)
        assert check.returncode == 69 and "no database" in check.stderr
        ready = subprocess.run([BINARY, "--ready"], capture_output=True, timeout=600, env=lonely.env | {
            "GPUPLAN_ADMIN_LISTEN": urllib.parse.urlsplit(lonely.admin_url).netloc})
        assert ready.returncode == 69
    finally:
        assert lonely.stop() == 0


def test_a_port_that_closes_without_a_word_has_no_answer():
    """Nothing failed in the system, so no error of the system is named."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        asking = subprocess.Popen([BINARY, "--ready"], env={"GPUPLAN_ADMIN_LISTEN": address}, stderr=subprocess.PIPE, text=True)
        connection, _ = mute.accept()
        with connection:
            connection.recv(1000)
        assert asking.communicate(timeout=600)[1].strip() == f"gpuplan: {address}: no answer"
        assert asking.returncode == 69


def test_a_second_daemon_on_the_port_is_refused(server):
    env = server.env | {"GPUPLAN_LISTEN": urllib.parse.urlsplit(server.url).netloc}
    second = subprocess.run([BINARY], env=env, capture_output=True, text=True, timeout=600)
    assert second.returncode == 69 and "cannot listen" in second.stderr


@pytest.mark.parametrize("change,code", [
    ({"GPUPLAN_LISTEN": "nonsense"}, 78), ({"GPUPLAN_LISTEN": "127.0.0.1:99999"}, 78),
    ({"GPUPLAN_LISTEN": "localhost:80"}, 78), ({"GPUPLAN_LISTEN": "[::1:80"}, 78),
    ({"GPUPLAN_LISTEN": "192.0.2.1:0"}, 69), ({"GPUPLAN_ADMIN_LISTEN": "x:1"}, 78),
    ({"GPUPLAN_WORKERS": "many"}, 78), ({"GPUPLAN_WORKERS": "1.5"}, 78),
    ({"GPUPLAN_COMPUTE_THREADS": "257"}, 78), ({"GPUPLAN_COMPUTE_THREADS": "-1"}, 78),
    ({"GPUPLAN_CONNECTIONS": "0"}, 78), ({"GPUPLAN_DRAIN_SECONDS": "-1"}, 78),
    ({"GPUPLAN_LOG_LEVEL": "loud"}, 78), ({"GPUPLAN_STATIC": "/nonexistent"}, 78),
    ({"GPUPLAN_PORT_FILE": "/nonexistent/port"}, 78), ({"GPUPLAN_LISTEM": "127.0.0.1:0"}, 78)])
def test_settings_that_make_no_sense_end_it_at_once(server, change, code):
    ended = subprocess.run([BINARY], env=server.env | change, capture_output=True, text=True,
                           timeout=600)
    assert ended.returncode == code and "gpuplan: " in ended.stderr
    assert next(iter(change.values())) in ended.stderr or "GPUPLAN_" in ended.stderr


def test_all_wrong_settings_are_named_at_once(server):
    wrong = {"GPUPLAN_WORKERS": "many", "GPUPLAN_LOG_LEVEL": "loud", "GPUPLAN_RELOAD_SECOND": "5"}
    ended = subprocess.run([BINARY, "--check"], env=server.env | wrong, capture_output=True,
                           text=True, timeout=600)
    assert ended.returncode == 78 and all(name in ended.stderr for name in wrong)
    assert "did you mean GPUPLAN_RELOAD_SECONDS?" in ended.stderr


def test_the_command_line(server):
    def run(*args):
        return subprocess.run([BINARY, *args], env=server.env, capture_output=True, text=True,
                              timeout=600)
    assert run("--check").returncode == 0
    assert "GPUPLAN_LISTEN" in run("--help").stdout
    assert run("--version").stdout.startswith("gpuplan ")
    assert run("--nonsense").returncode == 64
    assert run("--check", "--help").returncode == 64
    assert json.loads(run("--openapi").stdout) == server.get("/openapi.json").json
    url = urllib.parse.urlsplit(server.admin_url)
    ready = subprocess.run([BINARY, "--ready"], timeout=600,
                           env=server.env | {"GPUPLAN_ADMIN_LISTEN": url.netloc})
    assert ready.returncode == 0


def test_no_secret_is_printed(server):
    env = server.env | {"DATABASE_URL": "postgresql://somebody:hunter2@127.0.0.1:1/x"}
    for option in ("--dump-config", "--help", "--check"):
        ended = subprocess.run([BINARY, option], env=env, capture_output=True, text=True, timeout=600)
        assert "hunter2" not in ended.stdout + ended.stderr
    dumped = dict(line.split("=", 1) for line in subprocess.run(
        [BINARY, "--dump-config"], env=env, capture_output=True, text=True,
        timeout=600).stdout.splitlines())
    assert dumped["GPUPLAN_STATIC"] == env["GPUPLAN_STATIC"]
    assert dumped["DATABASE_URL"] == "(set, not shown)"


@pytest.mark.parametrize("url", [
    "postgresql://u:hunter2%zz@127.0.0.1:1/x", "postgresql://u:hunter2/@127.0.0.1:1/x",
    "postgresql://u:x@hunter2@127.0.0.1:1/x", "postgresql://u:hunter2@[::1/x",
    "postgresql://u:p@127.0.0.1:1/x?hunter2", "host=127.0.0.1 password=a hunter2",
    "host=127.0.0.1 port=1 password=hunter2"])
def test_a_database_url_that_is_none_is_not_quoted(database, tmp_path, url):
    lonely = Server(database.env | {"DATABASE_URL": url, "GPUPLAN_LOG_LEVEL": "debug"}, tmp_path)
    check = subprocess.run([BINARY, "--check"], env=lonely.env, capture_output=True, text=True,
                           timeout=600)
    assert check.returncode == 69 and "no database" in check.stderr
    lonely.start(ready=False)
    wait_for(lambda: "no database" in (tmp_path / "log").read_text(), "the complaint")
    assert lonely.stop() == 0
    assert "hunter2" not in check.stdout + check.stderr + (tmp_path / "log").read_text()


def test_idle_clients_do_not_hold_up_the_end(database, tmp_path):
    server = Server(database.env | {"GPUPLAN_DRAIN_SECONDS": "60"}, tmp_path).start()
    with server.connect() as idle, server.connect() as mute:
        idle.sendall(get("/v1/gpus/t4.txt"))
        assert read_reply(idle)[0] == 200
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(25)  # less than the 30 seconds they may be idle
        assert mute.recv(1) == b""
    assert server.stop() == 0


def test_while_draining_it_is_not_ready(database, tmp_path):
    server = Server(database.env, tmp_path).start()
    with server.connect() as slow:
        slow.sendall(b"POST /v1/break-even HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                     b"Content-Length: 2\r\n\r\n{")
        assert server.get("/v1/gpus/t4.txt").status == 200
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: server.get("/ready", admin=True).status == 503, "not being ready")
        slow.sendall(b"}")
        status, headers, _ = read_reply(slow)
        assert status in (200, 400) and headers["connection"].lower() == "close"
    assert server.stop() == 0


def test_only_origins_of_the_list_may_read(database, tmp_path):
    listed = {"GPUPLAN_CORS_ORIGIN": "https://a.example,https://b.example"}
    server = Server(database.env | listed, tmp_path).start()
    try:
        for origin, allowed in (("https://b.example", "https://b.example"), ("https://c.example", None)):
            reply = server.get(PATH, headers={"Origin": origin})
            assert reply.status == 200
            assert reply.headers["Access-Control-Allow-Origin"] == allowed
            assert "Origin" in ", ".join(reply.headers.get_all("Vary"))
    finally:
        assert server.stop() == 0


def test_term_drains(database, tmp_path):
    server = Server(database.env, tmp_path).start()
    with server.connect() as old:
        old.sendall(get(PATH))
        assert read_reply(old)[0] == 200
        server.process.send_signal(signal.SIGTERM)

        def refused():
            try:
                server.connect().close()
            except ConnectionResetError:
                return False  # it was still queued when the listening socket closed
            except ConnectionRefusedError:
                return True
        wait_for(refused, "new connections to be refused")
        old.sendall(get(PATH))
        status, headers, _ = read_reply(old)
        assert status == 200 and headers["connection"].lower() == "close"
    assert server.stop() == 0


def test_hup_reads_the_catalogue_again(server):
    def loaded():
        return re.search(r'reloads_total\{status="ok"\} (\d+)',
                         server.get("/metrics", admin=True).text).group(1)
    before = loaded()
    server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: loaded() != before, "a reload")
