"""Who may do what: what a token is for, what the log says of each change, and what it never says."""
import ipaddress
import re
import signal
import subprocess

import pytest
import yaml

from conftest import BINARY, ROOT, Server, wait_for
from test_quotes import RENT, Team
from writers import token_line


@pytest.fixture(scope="module")
def scoped(tmp_path_factory):
    """Three tokens: for quotes, for imports, for both; the log keeps only errors, and the audit."""
    team = Team(tmp_path_factory, GPUPLAN_LOG_LEVEL="error")
    team.tokens.write_text(token_line("ada", "a-secret") +
                           token_line("adas-old-name", "a-secret", "2020-01-01") +
                           token_line("importer", "i-secret", "imports") +
                           token_line("both", "b-secret", "2099-12-31", "quotes,imports") +
                           token_line("late", "l-secret", "2020-01-01", "quotes"))
    team.server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: team.send("DELETE", "/v1/quotes/99999", token="b-secret").status == 404,
             "the new tokens")
    yield team
    team.stop()


LINE = {"who", "from", "via", "method", "route", "target", "status"}


def log(team):
    return (team.server.directory / "log").read_text()


def audited(team, request_id):
    """The audit line of a request, as a dict."""
    line = re.search(rf'level=audit msg="write" id={request_id} (.*)', log(team))
    assert line, log(team)
    return dict(pair.split("=", 1) for pair in line.group(1).split(" "))


def test_a_token_is_for_what_its_line_says(scoped):
    for token, status in (("a-secret", 201), ("b-secret", 201), ("i-secret", 403),
                          ("l-secret", 401), ("no-secret", 401), (None, 401)):
        reply = scoped.send("POST", "/v1/quotes", RENT, token)
        assert reply.status == status, (token, reply.text)
    assert "does not allow this" in scoped.send("POST", "/v1/quotes", RENT, "i-secret").json["detail"]


def test_each_change_and_each_attempt_is_in_the_log(scoped):
    done = scoped.send("POST", "/v1/quotes", RENT)
    line = audited(scoped, done.headers["X-Request-Id"])
    assert line == {"who": "ada", "from": "127.0.0.1", "method": "POST", "route": "/v1/quotes",
                    "target": f"/v1/quotes/{done.json['quote_id']:.0f}", "status": "201"}
    for token, who, status in (("no-secret", "-", "401"), ("i-secret", "importer", "403"),
                               ("l-secret", "late", "401"), ("b-secret", "both", "404")):
        reply = scoped.send("DELETE", "/v1/quotes/99999", token=token)
        line = audited(scoped, reply.headers["X-Request-Id"])
        assert (line["who"], line["status"], line["target"]) == (who, status, "99999"), token


def test_what_is_in_the_address_cannot_write_a_log_line(scoped):
    reply = scoped.send("DELETE", "/v1/quotes/1%20status=200%0atime=x")
    line = audited(scoped, reply.headers["X-Request-Id"])
    assert line["target"] == "-" and line["status"] == str(reply.status)
    assert not re.search(r"^time=x", log(scoped), re.M)


FORGED = ("1.2.3.4 status=200", '1.2.3.4" who="eve', "1.2.3.4\ttime=x", "1.2.3.4%0atime=x", "::1 who=eve",
          "1.2.3.45 127.0.0.1", "localhost", "1.2.3.4:80", "0x7f.1", "1.2.3")


def test_who_is_no_proxy_cannot_say_where_it_comes_from(scoped):
    for header in ("1.2.3.4", *FORGED):
        reply = scoped.server.request("DELETE", "/v1/quotes/1", headers={"X-Forwarded-For": header})
        line = audited(scoped, reply.headers["X-Request-Id"])
        assert line["from"] == "127.0.0.1" and "via" not in line and set(line) <= LINE, header


def test_from_a_proxy_addresses_are_taken_and_nothing_else(tmp_path_factory):
    team = Team(tmp_path_factory, GPUPLAN_TRUSTED_PROXIES="127.0.0.1")
    try:
        for header, client in (("1.2.3.4", "1.2.3.4"), ("9.9.9.9, 1.2.3.4", "1.2.3.4"), ("x=y, 2001:db8::1", "2001:db8::1"),
                               *((header, "127.0.0.1") for header in FORGED)):
            reply = team.server.request("DELETE", "/v1/quotes/1", headers={"X-Forwarded-For": header})
            line = audited(team, reply.headers["X-Request-Id"])
            assert line["from"] == client and set(line) <= LINE, header
            assert line.get("via") == ("127.0.0.1" if client != "127.0.0.1" else None)
    finally:
        team.stop()


def test_the_containers_trust_their_proxy_alone():
    """Another container on its network, or a client that the proxy answers, cannot say who asks."""
    set_to = re.compile(r"\$\{\w+:-([^}]*)\}")
    compose = yaml.safe_load(set_to.sub(r"\1", (ROOT / "docker-compose.yml").read_text()))
    services, (pool,) = compose["services"], compose["networks"]["back"]["ipam"]["config"]
    proxy = ipaddress.ip_address(services["service"]["environment"]["GPUPLAN_TRUSTED_PROXIES"])
    assert services["proxy"]["networks"]["back"]["ipv4_address"] == str(proxy)
    assert proxy in ipaddress.ip_network(pool["subnet"]) and proxy not in ipaddress.ip_network(pool["ip_range"])
    assert services["service"]["networks"] == ["back"] and "ports" not in services["service"]
    nginx = (ROOT / "service/proxy/nginx.conf").read_text()
    assert re.findall(r"X-Forwarded-For +(.*);", nginx) == ["$remote_addr"]
    for name, service in services.items():
        assert service["cap_drop"] == ["ALL"] and service["mem_limit"] and service["pids_limit"], name


def test_no_token_is_in_the_log(scoped):
    assert not re.search(r"[a-z]+-secret|Bearer", log(scoped))


def test_reading_leaves_no_trace(scoped):
    reply = scoped.server.get("/v1/quotes")
    assert reply.status == 200 and reply.headers["X-Request-Id"] not in log(scoped)


@pytest.mark.parametrize("words", ["everything", "quotes imports", "2099-01-01 quotes more",
                                   "quotes 2099-01-01", "quotes,,imports"])
def test_a_scope_that_is_none_stops_the_start(database, tmp_path, words):
    (tmp_path / "tokens").write_text(token_line("ada", "x", words))
    server = Server(database.env | {"GPUPLAN_WRITE_TOKENS_FILE": str(tmp_path / "tokens")}, tmp_path)
    ended = subprocess.run([BINARY, "--check"], env=server.env, capture_output=True, text=True,
                           timeout=600, check=False)
    assert ended.returncode == 78 and "line 1" in ended.stderr
