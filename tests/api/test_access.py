"""Who may do what: what a token is for, what the log says of each change, and what it never says."""
import re
import signal
import subprocess

import pytest

from conftest import BINARY, Server, wait_for
from test_quotes import RENT, Team, token_line


@pytest.fixture(scope="module")
def scoped(tmp_path_factory):
    """Three tokens: for quotes, for imports, for both; the log keeps only errors, and the audit."""
    team = Team(tmp_path_factory, {"GPUPLAN_LOG_LEVEL": "error"})
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
    assert "not for this" in scoped.send("POST", "/v1/quotes", RENT, "i-secret").json["detail"]


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
                           timeout=30, check=False)
    assert ended.returncode == 78 and "line 1" in ended.stderr
