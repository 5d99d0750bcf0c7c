"""api/examples: each NAME.request is sent to the daemon, and what NAME.reply shows must come back.

Both are HTTP messages. A reply is abridged: it shows some headers and, of a JSON body, some members
(of a list its first elements), of any other body its first lines. What it shows must be equal.
With GPUPLAN_UPDATE_EXAMPLES=1 the replies are written anew, showing the same members."""
import json
import os
import pathlib

import pytest

from conftest import stopped_after
from test_quotes import Team

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "api/examples"
UPDATE = os.environ.get("GPUPLAN_UPDATE_EXAMPLES") == "1"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.request"))


def read(path):
    """First line, headers and body of a message."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    first, *lines = head.splitlines()
    return first, dict(line.split(": ", 1) for line in lines), body


def ask(server, name):
    line, headers, body = read(EXAMPLES / f"{name}.request")
    method, target, version = line.split(" ")
    assert version == "HTTP/1.1"
    headers.pop("Host", None)
    return server.request(method, target, body.strip().encode() or None, headers)


team = stopped_after("module", Team)  # which may be written to, with the token of the examples


def server_of(request, name):
    """A request with a token changes something, so it does not go to the daemon that all tests share."""
    writes = "Authorization" in read(EXAMPLES / f"{name}.request")[1]
    return request.getfixturevalue("team").server if writes else request.getfixturevalue("server")


def is_json(headers):
    return headers["Content-Type"].split(";")[0].endswith("json")


def abridge(shown, whole):
    """Of `whole` what `shown` shows."""
    if isinstance(shown, dict) and isinstance(whole, dict):
        return {key: abridge(value, whole[key]) for key, value in shown.items()}
    if isinstance(shown, list) and isinstance(whole, list):
        return [abridge(a, b) for a, b in zip(shown, whole, strict=False)] + shown[len(whole):]
    return whole


def abridge_lines(shown, whole):
    n = len(shown.splitlines())
    return "\n".join(whole.splitlines()[:n]) + "\n"


def write(path, status, headers, body):
    lines = [status, *(f"{name}: {value}" for name, value in headers.items())]
    path.write_text("\n".join(lines) + "\n\n" + body, encoding="utf-8")


def test_every_request_has_its_reply():
    assert NAMES
    assert NAMES == sorted(path.stem for path in EXAMPLES.glob("*.reply"))


@pytest.mark.parametrize("name", NAMES)
def test_example(request, name):
    path = EXAMPLES / f"{name}.reply"
    status, headers, body = read(path)
    reply = ask(server_of(request, name), name)

    got_headers = {key: reply.headers.get(key) for key in headers}
    if is_json(headers):
        got = json.dumps(abridge(json.loads(body), reply.json), indent=2, ensure_ascii=False) + "\n"
        same = json.loads(got) == json.loads(body)
    else:
        got = abridge_lines(body, reply.text)
        same = got == body
    if UPDATE:
        write(path, status, got_headers, got)
    assert reply.status == int(status.split(" ")[1]), reply.text
    assert UPDATE or got_headers == headers
    assert UPDATE or same, got
