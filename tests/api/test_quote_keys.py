"""A quote that is sent again under its Idempotency-Key is made once, even if the first answer was lost."""
import json
import re
import threading

import pytest

from conftest import Server, stopped_after, wait_for
from test_quotes import RENT, SERVER, Team, day


team = stopped_after("module", Team)


def post(team, quote, key, token="a-secret", server=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    return (server or team.server).request("POST", "/v1/quotes", json.dumps(quote).encode(), headers)


def count(team):
    return int(team.database.query("select count(*) from quote"))


def writes(team):
    text = team.server.get("/metrics", admin=True).text
    return {outcome: int(n) for outcome, n in
            re.findall(r'^gpuplan_quote_writes_total\{outcome="(\w+)"\} (\d+)$', text, re.M)}


def shown(reply):
    """What an answer says of the quote; the catalogue may have moved on between two."""
    assert reply.status == 201, reply.text
    return {k: v for k, v in reply.json.items() if k not in ("catalog_version", "warnings")}


@pytest.mark.parametrize("quote", [RENT, SERVER, RENT | {"valid_from": day(-3), "note": "a = b"}])
def test_the_same_again_gives_the_first_answer(team, quote):
    before, key = count(team), f"once-{quote['kind']}-{len(quote)}"
    first = post(team, quote, key)
    again = [post(team, quote, key) for _ in range(3)]
    assert count(team) == before + 1
    for reply in again:
        assert shown(reply) == shown(first)
        assert reply.headers["Location"] == first.headers["Location"]
    team.seen(first.json)
    assert shown(post(team, quote, key)) == shown(first), "once it is served too"


def test_of_a_quote_deleted_since_it_says_so(team):
    first = post(team, RENT, "deleted")
    assert team.send("DELETE", f"/v1/quotes/{first.json['quote_id']:.0f}").status in (200, 204)
    again = post(team, RENT, "deleted")
    assert first.json["hidden"] is False and again.json["hidden"] is True
    assert again.json["quote_id"] == first.json["quote_id"]


def test_spelt_otherwise_it_is_the_same(team):
    first = post(team, RENT, "spelling")
    back = dict(reversed(RENT.items()))
    assert list(back) != list(RENT)
    assert shown(post(team, back, '"spelling"')) == shown(first)


def test_without_a_key_or_with_another_it_is_made_again(team):
    ids = [post(team, RENT, key).json["quote_id"] for key in ("a", "b", None, None)]
    assert len(set(ids)) == 4


@pytest.mark.parametrize("more", [{"price": 1.26}, {"note": "new"}, {"valid_from": day(-1)},
                                  {"provider": "acme-clouds"}])
def test_another_quote_under_the_key_is_refused(team, more):
    first = post(team, RENT, f"reused-{list(more)[0]}")
    before = count(team)
    reply = post(team, RENT | more, f"reused-{list(more)[0]}")
    assert reply.status == 422, reply.text
    assert reply.json["type"] == "/problems/idempotency-key-reused"
    assert str(first.json["quote_id"]) in reply.json["detail"]
    assert count(team) == before


def test_keys_are_each_writers_own(team):
    ada, bob = post(team, RENT, "mine"), post(team, RENT | {"price": 2}, "mine", token="b-secret")
    assert ada.json["quote_id"] != bob.json["quote_id"] and bob.json["changed_by"] == "bob"
    assert shown(post(team, RENT, "mine")) == shown(ada)


def test_a_quote_changed_since_is_not_made_again(team):
    first = post(team, RENT, "changed").json
    team.put(team.seen(first)["quote_id"], RENT | {"price": 7})
    reply = post(team, RENT, "changed")
    assert (reply.json["quote_id"], reply.json["version"], reply.json["price"]) == \
        (first["quote_id"], 1, 1.25)
    team.hide(first["quote_id"])
    before = count(team)
    assert post(team, RENT, "changed").json["quote_id"] == first["quote_id"]
    assert count(team) == before
    assert team.server.get(f"/v1/quotes/{first['quote_id']}").status == 404


def test_a_refused_quote_does_not_use_up_its_key(team):
    assert post(team, RENT | {"price": -1}, "second-try").status == 400
    assert post(team, RENT, "second-try").status == 201


@pytest.mark.parametrize("key", ["a b", '""', "ä", "k" * 256, "tab\there"])
def test_a_key_that_is_none(team, key):
    before = count(team)
    reply = post(team, RENT, key.encode().decode("latin-1"))
    assert reply.status == 400 and "Idempotency-Key" in reply.json["detail"], reply.text
    assert count(team) == before


def test_the_longest_key(team):
    assert shown(post(team, RENT, "k" * 255)) == shown(post(team, RENT, "k" * 255))


def test_many_at_once_make_one(team, tmp_path):
    """From two daemons, which know nothing of each other."""
    other = Server(team.server.env, tmp_path).start()
    try:
        before, replies = count(team), []
        threads = [threading.Thread(target=lambda s=s: replies.append(
            post(team, SERVER, "at-once", server=s))) for s in (team.server, other) * 8]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len({json.dumps(shown(reply), sort_keys=True) for reply in replies}) == 1
        assert len(replies) == 16 and count(team) == before + 1
    finally:
        other.stop()


def test_the_metrics_count_what_came_of_each(team):
    before = writes(team)
    quote = team.seen(post(team, RENT, "counted").json)
    post(team, RENT, "counted")
    assert post(team, SERVER, "counted").status == 422
    team.put(quote["quote_id"], RENT | {"price": 3})
    assert team.send("PUT", f"/v1/quotes/{quote['quote_id']}", RENT | {"version": 1}).status == 409
    team.hide(quote["quote_id"])
    after = writes(team)
    assert {k: after[k] - before[k] for k in after} == {
        "created": 1, "replaced": 1, "hidden": 1, "repeated": 1, "refused": 2, "failed": 0}


def test_keys_are_kept_in_the_database(team):
    quote = post(team, RENT, "kept").json
    row = team.database.query("select writer, quote_id, length(sent) from quote_key where key = 'kept'")
    assert row == f"ada|{quote['quote_id']}|64"
    for statement in ("delete from quote_key", "update quote_key set key = 'x'", "truncate quote_key"):
        with pytest.raises(Exception):
            team.database.query(statement)


def test_without_a_database_it_fails_and_may_be_sent_again(tmp_path_factory):
    team = Team(tmp_path_factory)
    try:
        team.database.stop()
        reply = post(team, RENT, "later")
        assert reply.status == 503 and writes(team)["failed"] == 1
        team.database.start()
        made = wait_for(lambda: (r := post(team, RENT, "later")).status == 201 and r, "the quote")
        assert shown(post(team, RENT, "later")) == shown(made) and count(team) == 1
    finally:
        team.stop()
