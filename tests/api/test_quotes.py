"""A team's own quotes: written with a token, used in every answer, and never lost."""
import json
import signal
import statistics
import subprocess
import threading

import pytest

from answers import codes
from conftest import BINARY, TODAY, Server, day, stopped_after, wait_for
from writers import Writers, token_line

GPU = "h100-sxm5-80gb"
RENT = {"kind": "rental", "provider": "acme-cloud", "gpu": GPU, "purchase_option": "on_demand",
        "price": 1.25, "price_unit": "per_gpu_hour", "attachment": "offer 2026-118.pdf"}
SERVER = {"kind": "hardware", "provider": "acme-systems", "gpu": GPU, "gpu_count": 8,
          "price": 199000, "price_unit": "per_server"}
DISCOUNT = {"kind": "discount", "provider": "coreweave", "discount_ratio": 0.2}
PAID = {"kind": "rental", "provider": "coreweave", "gpu": GPU, "purchase_option": "on_demand",
        "price": 0, "price_unit": "per_gpu_hour", "gpu_count": 64}
BREAK_EVEN = f"/v1/break-even?gpu={GPU}&gpu_count=8&utilization=0.6&purchase_option=on_demand"


class Team(Writers):
    """A database and a daemon whose quotes ada and bob may write."""

    def __init__(self, directories, **env):
        super().__init__(directories, "# who may write\n\n", token_line("ada", "a-secret"),
                         token_line("bob", "b-secret", day(0)), token_line("eve", "e-secret", day(-1)), **env)

    def seen(self, quote):
        """Wait until the daemon serves that version."""
        path = f"/v1/quotes/{quote['quote_id']:.0f}?hidden=1"
        wait_for(lambda: (reply := self.server.get(path)).status == 200
                 and reply.json["version"] >= quote["version"], "the quote to be served")
        return quote

    def post(self, quote, token="a-secret"):
        reply = self.send("POST", "/v1/quotes", quote, token)
        assert reply.status == 201, reply.text
        return self.seen(reply.json)

    def put(self, quote_id, quote, token="a-secret"):
        reply = self.send("PUT", f"/v1/quotes/{quote_id}", quote, token)
        assert reply.status == 200, reply.text
        return self.seen(reply.json)

    def hide(self, *quote_ids):
        """All of them first: the daemon reads the catalogue once for several."""
        for quote_id in quote_ids:
            assert self.send("DELETE", f"/v1/quotes/{quote_id}").status == 204
        for quote_id in quote_ids:
            wait_for(lambda path=f"/v1/quotes/{quote_id}": self.server.get(path).status == 404, "the quote to be gone")

    def ids(self, **filters):
        return {row["quote_id"] for row in self.server.get("/v1/quotes", **filters).json["rows"]}

    def used(self, path=BREAK_EVEN, **more):
        return {row["offer_id"]: row for row in self.server.get(path, **more).json["offers_used"]}

    def history(self, quote_id):
        return self.server.get(f"/v1/quotes/{quote_id}/history").json["rows"]


team = stopped_after("module", Team)
own = stopped_after("function", Team)  # to break


@pytest.fixture
def quotes(team):
    """Quotes of this test alone: hidden at its end."""
    before = team.ids()
    yield team
    team.hide(*team.ids() - before)


def written(team):
    return team.database.query("select count(*) from quote_history")


# --- what a quote does ---------------------------------------------------------------------------

def test_a_quote_is_one_of_the_offers_of_every_answer(quotes):
    before = quotes.server.get(BREAK_EVEN).json
    quote = quotes.post(RENT)
    after = quotes.server.get(BREAK_EVEN).json
    row = quotes.used()[f"quote/{quote['quote_id']}"]
    assert row["provider"] == "acme-cloud" and row["source_url"] == f"quote {quote['quote_id']}"
    assert row["price_per_gpu_hour"] == 1.25
    assert len(after["offers_used"]) == len(before["offers_used"]) + 1
    prices = [row["price_per_gpu_hour"] for row in after["offers_used"]]
    rent = after["inputs"]["rent_price_per_gpu_hour"]["value"]
    assert rent == pytest.approx(statistics.median(prices), abs=1e-6)
    assert rent != before["inputs"]["rent_price_per_gpu_hour"]["value"]
    alone = quotes.server.get(BREAK_EVEN, provider="acme-cloud").json
    assert alone["inputs"]["rent_price_per_gpu_hour"]["value"] == 1.25
    for path in (f"/v1/training-plan?model=llama-2-7b&tokens=1e9&gpu={GPU}&gpu_count=8",
                 f"/v1/inference-sizing?model=llama-2-7b&gpu={GPU}"):
        assert f"quote/{quote['quote_id']}" in quotes.used(path)
    summary = quotes.server.get("/v1/price-summary", gpu=GPU, purchase_option="on_demand").json
    assert summary["rows"][0]["min_price_per_gpu_hour"] <= 1.25


def test_a_change_is_answered_without_a_restart(quotes):
    quote = quotes.post(RENT)
    reply = quotes.send("PUT", f"/v1/quotes/{quote['quote_id']}", RENT | {"price": 1.5})
    assert reply.status == 200
    wait_for(lambda: quotes.used()[f"quote/{quote['quote_id']}"]["price_per_gpu_hour"] == 1.5,
             "the new price")


# --- the audit trail -----------------------------------------------------------------------------

def test_history_says_who_changed_what_when(quotes):
    number = quotes.post(RENT | {"note": "by phone"})["quote_id"]
    same = quotes.put(number, RENT | {"note": "by phone"}, token="b-secret")
    assert same["version"] == 1, "saying the same again is no change"
    changed = quotes.put(number, RENT | {"price": 1.1}, token="b-secret")
    assert changed["version"] == 2
    assert changed["created_by"] == "ada" and changed["changed_by"] == "bob"
    quotes.hide(number)
    rows = quotes.history(number)
    assert [row["field"] for row in rows if row["version"] == 1] == [
        "attachment", "currency", "gpu", "gpu_count", "hidden", "kind", "note", "price",
        "price_unit", "provider", "purchase_option", "valid_from"]
    assert all(row["action"] == "create" and row["changed_by"] == "ada" and row["before"] is None
               for row in rows if row["version"] == 1)
    later = [tuple(row[k] for k in ("version", "action", "changed_by", "field", "before", "after"))
             for row in rows if row["version"] > 1]
    assert later == [(2, "replace", "bob", "note", "by phone", None),
                     (2, "replace", "bob", "price", "1.25", "1.1"),
                     (3, "hide", "ada", "hidden", "false", "true")]
    times = [row["changed_at"] for row in rows]
    assert times == sorted(times) and times[0].startswith(str(TODAY.year))


def test_deleting_hides_and_history_stays(quotes):
    number = quotes.post(RENT)["quote_id"]
    quotes.hide(number)
    assert number not in quotes.ids() and number in quotes.ids(hidden=1)
    assert quotes.server.get(f"/v1/quotes/{number}", hidden=1).json["hidden"] is True
    assert f"quote/{number}" not in quotes.used()
    assert f"quote/{number}" not in {row["offer_id"] for row in quotes.server.get(
        "/v1/offers", gpu=GPU).json["rows"]}
    assert quotes.send("DELETE", f"/v1/quotes/{number}").status == 204, "once more is no change"
    assert [row["version"] for row in quotes.history(number)][-1] == 2
    refused = quotes.send("PUT", f"/v1/quotes/{number}", RENT)
    assert refused.status == 409 and "deleted" in refused.json["detail"]


def test_a_change_made_in_the_database_bears_its_users_name(quotes):
    number = quotes.post(RENT)["quote_id"]
    quotes.database.query(f"update quote set price = 3 where quote_id = {number}")
    user = quotes.database.query("select session_user")
    wait_for(lambda: quotes.history(number)[-1]["version"] == 2, "the change")
    assert quotes.history(number)[-1] == {
        "version": 2, "action": "replace", "changed_at": quotes.history(number)[-1]["changed_at"],
        "changed_by": user, "field": "price", "before": "1.25", "after": "3"}


def test_filters(quotes):
    rent = quotes.post(RENT)["quote_id"]
    buy = quotes.post(SERVER)["quote_id"]
    assert {rent, buy} <= quotes.ids(gpu=GPU) and not {rent, buy} & quotes.ids(gpu="t4")
    assert rent in quotes.ids(kind="rental") and buy not in quotes.ids(kind="rental")
    assert buy in quotes.ids(provider="acme-systems,nobody")
    assert rent not in quotes.ids(purchase_option="spot")
    wrong = quotes.server.get("/v1/quotes", gpu="h101", provider="acme-clout")
    assert wrong.status == 400
    assert [e["parameter"] for e in wrong.json["errors"]] == ["gpu", "provider"]


def test_what_is_written_comes_back_in_the_format_asked_for(quotes):
    reply = quotes.send("POST", "/v1/quotes.csv", RENT)
    header, values = reply.text.splitlines()
    quote = dict(zip(header.split(","), values.split(",")))
    assert reply.status == 201 and reply.headers["Location"] == f"/v1/quotes/{quote['quote_id']}"
    assert reply.headers["Cache-Control"] == "no-store"
    quotes.seen({"quote_id": float(quote["quote_id"]), "version": 1})
    before = written(quotes)
    assert quotes.send("POST", "/v1/quotes.svg", RENT).status == 406
    form = quotes.server.request("POST", "/v1/quotes", b"kind=rental", {
        "Authorization": "Bearer a-secret", "Content-Type": "application/x-www-form-urlencoded"})
    assert form.status == 400
    assert written(quotes) == before


# --- who may write -------------------------------------------------------------------------------

WRITES = [("POST", "/v1/quotes"), ("PUT", "/v1/quotes/1"), ("DELETE", "/v1/quotes/1")]


@pytest.mark.parametrize("method, path", WRITES)
def test_without_a_token_nothing_is_written(team, method, path):
    before = written(team)
    refused = team.send(method, path, RENT, token=None)
    assert refused.status == 401 and refused.headers["WWW-Authenticate"] == 'Bearer realm="gpuplan"'
    assert refused.json["type"] == "/problems/unauthorized"
    for token, word in (("no-secret", "may not write"), ("e-secret", "expired"), ("A-secret", "may not write"),
                        ("a-secret2", "may not write"), ("a" * 3000, "may not write"), ("a b", "may not write")):
        refused = team.send(method, path, RENT, token=token)
        assert refused.status == 401 and word in refused.json["detail"], token
        assert 'error="invalid_token"' in refused.headers["WWW-Authenticate"]
    for header in ("Basic YTpi", "Bearer", "Bearer ", "a-secret"):
        assert team.server.request(method, path, b"{}", {
            "Authorization": header, "Content-Type": "application/json"}).status == 401, header
    assert written(team) == before


@pytest.mark.parametrize("method, path", WRITES)
def test_without_the_setting_writing_is_off(server, method, path):
    refused = server.request(method, path, b"{}", {"Authorization": "Bearer a-secret",
                                                   "Content-Type": "application/json"})
    assert refused.status == 403 and "GPUPLAN_WRITE_TOKENS_FILE" in refused.json["detail"]


def test_a_refusal_is_never_status_200(team):
    refused = team.send("POST", "/v1/quotes.txt?on_error=text", RENT, token="no-secret")
    assert refused.status == 401


def test_tokens_are_read_again_on_hangup(own):
    def status():
        return own.send("DELETE", "/v1/quotes/7", token="c-secret").status
    assert status() == 401
    own.tokens.write_text(token_line("eve", "c-secret"))
    own.server.process.send_signal(signal.SIGHUP)
    wait_for(lambda: status() == 404, "the new token")
    assert own.send("DELETE", "/v1/quotes/7").status == 401, "the old one is gone"
    own.tokens.write_text("eve not-a-hash\n")
    own.server.process.send_signal(signal.SIGHUP)
    log = own.server.directory / "log"
    wait_for(lambda: "the tokens are unchanged" in log.read_text(), "the complaint")
    assert "line 1" in log.read_text() and "not-a-hash" not in log.read_text()
    assert status() == 404
    assert not any(secret in log.read_text() for secret in ("a-secret", "b-secret", "c-secret"))


@pytest.mark.parametrize("line, word", [
    ("ada", "must be a name"), ("ada 12", "64 hexadecimal"), ("a/b " + "0" * 64, "the name"),
    ("ada " + "0" * 64 + " soon", "yyyy-mm-dd"), ("x" * 300, "too long")])
def test_a_token_file_that_makes_no_sense_stops_the_start(database, tmp_path, line, word):
    (tmp_path / "tokens").write_text("# fine\n" + line + "\n")
    server = Server(database.env | {"GPUPLAN_WRITE_TOKENS_FILE": str(tmp_path / "tokens")}, tmp_path)
    for arguments in ([], ["--check"]):
        done = subprocess.run([BINARY, *arguments], env=server.env, capture_output=True,
                              text=True, timeout=600, check=False)
        assert done.returncode == 78 and "line 2" in done.stderr and word in done.stderr, done.stderr

def test_a_discount_and_its_day_can_be_replaced_and_deleted(quotes):
    quote = quotes.post(DISCOUNT)
    path = f"/v1/quotes/{quote['quote_id']:.0f}"
    quotes.put(quote["quote_id"], DISCOUNT | {"discount_ratio": 0.25})
    assert quotes.server.get(path).json["discount_ratio"] == 0.25
    assert [row["field"] for row in quotes.history(quote["quote_id"]) if row["version"] == 2] == [
        "discount_ratio"]
    assert quotes.ids(kind="discount") == {quote["quote_id"]}
    quotes.hide(quote["quote_id"])
    assert "quoted_discount" not in codes(quotes.server.get(BREAK_EVEN).json)


@pytest.mark.parametrize("quote, culprits", [
    (DISCOUNT | {"discount_ratio": 0}, {"#/discount_ratio"}),
    (DISCOUNT | {"discount_ratio": 1.2}, {"#/discount_ratio"}),
    (DISCOUNT | {"discount_ratio": None}, {"#/discount_ratio"}),
    (DISCOUNT | {"price": 2, "price_unit": "per_gpu_hour"}, {"#/price", "#/price_unit"}),
    (DISCOUNT | {"gpu_count": 8}, {"#/gpu_count"}), (DISCOUNT | {"region": "eu"}, {"#/region"}),
    (DISCOUNT | {"gpu": "h101"}, {"#/gpu"}), (RENT | {"discount_ratio": 0.1}, {"#/discount_ratio"}),
    (RENT | {"price": None}, {"#/price"}), (RENT | {"gpu": None}, {"#/gpu"}),
    (PAID | {"gpu_count": None}, {"#/gpu_count"}),
    (PAID | {"purchase_option": "reserved_1yr"}, {"#/purchase_option"}),
    (SERVER | {"price": 0}, {"#/price"})])
def test_discounts_and_paid_capacity_that_make_no_sense(team, quote, culprits):
    before = written(team)
    refused = team.send("POST", "/v1/quotes", quote)
    assert refused.status == 400, refused.text
    assert {each["pointer"] for each in refused.json["errors"]} == culprits, refused.text
    assert written(team) == before


# --- what is refused -----------------------------------------------------------------------------

@pytest.mark.parametrize("change, culprit", [
    ({"kind": "gift"}, "#/kind"), ({"kind": None}, "#/kind"), ({"gpu": "h101"}, "#/gpu"),
    ({"provider": "ACME Cloud"}, "#/provider"), ({"provider": "a,b"}, "#/provider"),
    ({"provider": "-"}, "#/provider"), ({"provider": "a" * 64}, "#/provider"),
    ({"price": 0}, "#/gpu_count"), ({"price": 5e-324}, "#/price"), ({"price": -1}, "#/price"), ({"price": "1.25"}, "#/price"),
    ({"price": 1e13}, "#/price"), ({"price_unit": "per_card"}, "#/price_unit"),
    ({"price_unit": "per_hour"}, "#/price_unit"), ({"price_unit": "per_node_hour"}, "#/gpu_count"),
    ({"gpu_count": 0}, "#/gpu_count"), ({"gpu_count": 1.5}, "#/gpu_count"),
    ({"purchase_option": None}, "#/purchase_option"), ({"purchase_option": "owned"},
                                                       "#/purchase_option"),
    ({"currency": "EURO"}, "#/currency"), ({"currency": "E1R"}, "#/currency"),
    ({"currency": "é"}, "#/currency"),
    ({"valid_from": "21.11.2026"}, "#/valid_from"), ({"valid_from": "1999-12-31"}, "#/valid_from"),
    ({"valid_until": "2026-02-30"}, "#/valid_until"), ({"valid_until": "2200-01-01"},
                                                       "#/valid_until"),
    ({"valid_from": "2026-02-02", "valid_until": "2026-02-01"}, "#/valid_until"),
    ({"attachment": "x" * 201}, "#/attachment"), ({"note": "two\nlines"}, "#/note"),
    ({"region": "\u0007"}, "#/region"), ({"as_of": "2026-01-01"}, "#/as_of"),
    ({"price_currency": "EUR"}, "#/price_currency"), ({"hidden": True}, "#/hidden"),
    ({"version": 1}, "#/version"), ({"quote_id": 1}, "#/quote_id"),
    ({"model_config": {}}, None)])
def test_what_makes_no_sense_is_refused_by_name(team, change, culprit):
    before = written(team)
    refused = team.send("POST", "/v1/quotes", RENT | change)
    assert refused.status == 400, refused.text
    if culprit:
        assert culprit in [each["pointer"] for each in refused.json["errors"]], refused.text
    assert written(team) == before


@pytest.mark.parametrize("change, culprit", [
    ({"purchase_option": "spot"}, "#/purchase_option"), ({"region": "eu"}, "#/region"),
    ({"price_unit": "per_gpu_hour"}, "#/price_unit"), ({"gpu_count": None}, "#/gpu_count"),
    ({"price_unit": "per_card"}, "#/gpu_count")])
def test_what_is_not_for_hardware(team, change, culprit):
    refused = team.send("POST", "/v1/quotes", SERVER | change)
    assert refused.status == 400
    assert [each["pointer"] for each in refused.json["errors"]] == [culprit]


def test_paths_and_bodies(team):
    assert team.send("PUT", "/v1/quotes/999999", RENT).status == 404
    for number in ("0", "x", "1e3", "-1", "9" * 30, "%27", "1%20or%201=1"):
        assert team.send("DELETE", f"/v1/quotes/{number}").status == 404, number
        assert team.server.get(f"/v1/quotes/{number}").status == 404, number
        assert team.server.get(f"/v1/quotes/{number}/history").status == 404, number
    assert team.server.get("/v1/quotes/1/histories").status == 404
    assert team.server.get("/v1/quotes//history").status == 404
    assert team.send("POST", "/v1/quotes", RENT, kind="text/plain").status == 415
    refused = team.send("POST", "/v1/quotes/1", RENT)
    assert refused.status == 405
    assert refused.headers["Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS"
    assert team.send("PUT", "/v1/quotes", RENT).headers["Allow"] == "GET, HEAD, POST, OPTIONS"
    assert team.send("DELETE", "/v1/quotes/1?why=1").status == 400


def test_any_text_is_kept_as_it_is(quotes):
    text = "Größe \"x\"; '); drop table quote;-- <b>&amp; , 日本"
    number = quotes.post(RENT | {"note": text, "attachment": text, "region": text})["quote_id"]
    shown = quotes.server.get(f"/v1/quotes/{number}").json
    assert shown["note"] == shown["attachment"] == shown["region"] == text


# --- several at once, and none to write to -------------------------------------------------------

def at_once(*calls):
    results = [None] * len(calls)

    def run(i):
        results[i] = calls[i]()
    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_many_writers_at_once(quotes):
    replies = at_once(*[lambda i=i: quotes.send("POST", "/v1/quotes", RENT | {"price": 1 + i / 100})
                        for i in range(24)])
    assert {reply.status for reply in replies} == {201}
    numbers = {reply.json["quote_id"]: reply.json["price"] for reply in replies}
    assert len(numbers) == 24
    wait_for(lambda: set(numbers) <= quotes.ids(), "all of them")
    for row in quotes.server.get("/v1/quotes").json["rows"]:
        assert row["price"] == numbers.get(row["quote_id"], row["price"])


def test_of_two_who_replace_the_same_version_one_wins(quotes):
    quote = quotes.post(RENT)
    path = f"/v1/quotes/{quote['quote_id']}"
    replies = at_once(*[lambda i=i: quotes.send("PUT", path, RENT | {"price": 2 + i, "version": 1},
                                                token="ab"[i] + "-secret") for i in range(2)])
    assert sorted(reply.status for reply in replies) == [200, 409]
    lost = next(reply for reply in replies if reply.status == 409)
    assert "version 2" in lost.json["detail"] and lost.json["type"] == "/problems/conflict"
    assert quotes.send("DELETE", path + "?version=1").status == 409
    assert quotes.send("DELETE", path + "?version=2").status == 204


def holding(team, quote_id):
    """A session that has changed the row and does not let go of it until it is ended."""
    session = subprocess.Popen(["psql", "-XAtq"], env=team.database.env, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    session.stdin.write(f"begin; update quote set note = 'mine' where quote_id = {quote_id}; "
                        "select 'held';\n")
    session.stdin.flush()
    assert session.stdout.readline().strip() == "held"
    return session


def waiting(team):
    return team.database.query("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                               " and application_name = 'gpuplan'") == "1"


def test_a_write_that_waits_holds_up_nobody(own):
    number = own.post(RENT)["quote_id"]
    replies = []
    with holding(own, number) as session:
        writer = threading.Thread(target=lambda: replies.append(
            own.send("PUT", f"/v1/quotes/{number}", RENT | {"price": 9})))
        writer.start()
        wait_for(lambda: waiting(own), "the write to wait")
        for n in range(3):
            assert own.server.get(BREAK_EVEN, {"If-None-Match": f'"{n}"'}).status == 200, "not one that was kept"
        assert own.server.get(BREAK_EVEN.replace("?", "/risk?draws=100&")).status == 200, "on the compute pool"
        assert not replies, "it still waits"
        session.stdin.write("rollback;\n")
        session.stdin.close()
        writer.join()
    assert replies[0].status == 200 and replies[0].json["version"] == 2


def test_a_database_that_stops_during_a_write_loses_nothing(own):
    number = own.post(RENT)["quote_id"]
    replies = []
    with holding(own, number):
        writer = threading.Thread(target=lambda: replies.append(
            own.send("PUT", f"/v1/quotes/{number}", RENT | {"price": 9})))
        writer.start()
        wait_for(lambda: waiting(own), "the write to wait")
        own.database.stop()
        writer.join()
    # PostgreSQL may end the session that holds the row before the write that waits for it, which is then made.
    saved = replies[0].status == 200
    assert saved or (replies[0].status == 503 and replies[0].headers["Retry-After"])
    assert saved or replies[0].json["type"] == "/problems/database-unavailable"
    for method, path in WRITES:
        refused = own.send(method, path, RENT)
        assert refused.status == 503 and refused.headers["Retry-After"], refused.text
        assert "nothing was saved" in refused.json["detail"]
    assert f"quote/{number}" in own.used(), "answers go on"
    own.database.start()
    assert own.database.query("select count(*), max(version), max(price) from quote natural join "
                              "(select quote_id from quote_history) h") == ("2|2|9" if saved else "1|1|1.25")
    wait_for(lambda: own.send("PUT", f"/v1/quotes/{number}", RENT | {"price": 10}).status == 200,
             "writing again")
    wait_for(lambda: own.history(number)[-1]["after"] == "10", "the change")
    assert {row["version"] for row in own.history(number)} == ({1, 2, 3} if saved else {1, 2})


def test_a_connection_that_died_between_writes_is_replaced(own):
    number = own.post(RENT)["quote_id"]
    own.database.stop()
    own.database.start()
    assert own.send("PUT", f"/v1/quotes/{number}", RENT | {"price": 9}).status == 200


def test_the_daemon_writes_as_the_writer(own):
    own.post(RENT)
    assert "permission denied" in subprocess.run(
        ["psql", "-XAtq", "-c", "set role gpuplan_writer; update offer set note = ''"],
        env=own.database.env, capture_output=True, text=True, check=False).stderr
    own.database.query("revoke insert, update on quote from gpuplan_writer; revoke insert (kind, "
                       "provider, gpu, gpu_count, purchase_option, region, price, price_unit, "
                       "currency, valid_from, valid_until, attachment, note) on quote "
                       "from gpuplan_writer")
    refused = own.send("POST", "/v1/quotes", RENT)
    assert refused.status == 503 and "permission denied" in refused.json["detail"]


def test_a_login_that_only_reads_is_told_what_it_lacks(own, tmp_path):
    own.database.query("create role plan login in role gpuplan_reader")
    reader = Server(own.server.env | {"PGUSER": "plan", "DATABASE_URL": ""}, tmp_path).start()
    try:
        refused = reader.request("POST", "/v1/quotes", json.dumps(RENT).encode(), {
            "Authorization": "Bearer a-secret", "Content-Type": "application/json"})
        assert refused.status == 503
        assert "grant gpuplan_writer to plan" in refused.json["detail"]
        own.database.query("grant gpuplan_writer to plan")
        wait_for(lambda: reader.request("POST", "/v1/quotes", json.dumps(RENT).encode(), {
            "Authorization": "Bearer a-secret", "Content-Type": "application/json"}
        ).status == 201, "the right to write")
    finally:
        reader.stop()
