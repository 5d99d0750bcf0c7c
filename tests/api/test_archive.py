"""The life of a pinned link: what it was answered is archived, and answered again, byte for byte,
by a daemon that has other formulas; what was never archived is said to be lost."""
import concurrent.futures
import hashlib
import re
import urllib.parse

import pytest

from conftest import BINARY, Server, own_cluster, wait_for

PINS = "as_of=2026-11-01&model_version=1.4"
LINKS = [f"/v1/break-even?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&{PINS}",
         f"/v1/break-even.csv?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&{PINS}&dialect=excel-eu",
         f"/v1/break-even/series?gpu=h100-sxm5-80gb&gpu_count=8&utilization=0.7&{PINS}",
         f"/v1/training-plan.html?model=llama-2-7b&tokens=1e+9&gpu=h100-sxm5-80gb&gpu_count=8&{PINS}",
         f"/v1/training-plan.svg?model=llama-2-7b&tokens=1e9&gpu=h100-sxm5-80gb&gpu_count=8&{PINS}",
         f"/v1/inference-sizing.txt?model=llama-3-8b&gpu=l40s&requests_per_minute=60&{PINS}",
         f"/v1/inference-sizing/options.xml?model=llama-3-8b&requests_per_minute=60&{PINS}",
         f"/v1/gpus/h100-sxm5-80gb?{PINS}", f"/v1/offers.tsv?gpu=h100-sxm5-80gb&limit=3&{PINS}"]
OLD = "select count(*) from archived_reply where model_version = '1.4'"
SMALL = f"/v1/gpus.csv?fields=gpu&{PINS}"


def counted(server, outcome):
    line = f'gpuplan_archived_replies_total{{outcome="{outcome}"}} '
    metrics = server.get("/metrics", admin=True).text
    return int(re.search(re.escape(line) + r"(\d+)", metrics)[1])


def archived(server, link, headers=None):
    """The reply, once the archive has it."""
    before = counted(server, "stored")
    reply = server.get(link, headers=headers)
    assert reply.status == 200, reply.text
    wait_for(lambda: counted(server, "stored") > before, link)
    return reply


def has(reply, *words):
    assert all(word in reply.text for word in words), reply.text


class Rig:
    """A database, the daemon of today's formulas and the one of the next."""

    def __init__(self, directories, **settings):
        self.database = own_cluster(directories)
        self.env = self.database.env | settings
        self.directories, self.daemons = directories, []

    def start(self, binary=BINARY, **settings):
        server = Server(self.env | settings, self.directories.mktemp("daemon"))
        server.binary = binary
        self.daemons.append(server.start())
        return server

    def next(self, **settings):
        binary = BINARY.parent / "next" / BINARY.name
        assert binary.exists(), "make check-api builds the daemon of the next formulas"
        return self.start(binary, **settings)

    def stop(self):
        assert [server.stop() for server in self.daemons] == [0] * len(self.daemons)
        self.database.stop()


@pytest.fixture
def rig(tmp_path_factory):
    made = []

    def make(**settings):
        made.append(Rig(tmp_path_factory, **settings))
        return made[-1]
    yield make
    for each in made:
        each.stop()


@pytest.fixture(scope="module")
def later(tmp_path_factory):
    """What today's daemon answered, and the next one, on a catalogue that has changed since."""
    rig = Rig(tmp_path_factory)
    now = rig.start()
    answered = {link: archived(now, link) for link in LINKS}
    rig.database.query("delete from hardware where gpu = 'h100-sxm5-80gb'; "
                       "update gpu_figure set value = value * 0.9 where figure = 'memory_bandwidth'")
    yield rig, answered, rig.next()
    rig.stop()


def test_a_link_of_the_first_formulas_is_gone_and_no_mistake(server):
    reply = server.get("/v1/gpus.csv?fields=gpu&as_of=2026-11-01&model_version=1.0")
    assert reply.status == 410, reply.text
    has(reply, "1.0", "1.4", "never archived")
    assert reply.json["links"]["current"] == "/v1/gpus.csv?fields=gpu&as_of=2026-11-01&model_version=1.4"


@pytest.mark.parametrize("link", LINKS, ids=[link[4:22] for link in LINKS])
def test_the_next_formulas_answer_what_these_did(later, link):
    _, answered, server = later
    reply = server.get(link)
    assert reply.status == 200, reply.text
    assert reply.body == answered[link].body
    assert reply.headers["Content-Type"] == answered[link].headers["Content-Type"]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", reply.headers["Gpuplan-Archived"])
    assert "immutable" in reply.headers["Cache-Control"]
    tag = reply.headers["ETag"]
    assert tag != answered[link].headers["ETag"]
    assert server.get(link, headers={"If-None-Match": tag}).status == 304
    head = server.request("HEAD", link)
    assert (head.status, head.body, head.headers["ETag"]) == (200, b"", tag)


def test_a_link_is_the_same_in_another_order_and_spelling(later):
    _, answered, server = later
    path, _, query = LINKS[0].partition("?")
    other = "&".join(reversed(query.split("&")))
    for link in (f"{path}?{other}", f"{path}.json?{query}", f"{path}?{query}&format=json&nocache=7",
                 f"{path}?{query.replace('-', '%2D')}", f"{path}?{query}&horizon_months="):
        assert server.get(link).body == answered[LINKS[0]].body, link


def test_what_was_never_archived_is_gone(later):
    _, _, server = later
    for link in (LINKS[0] + "&horizon_months=24", LINKS[0].replace("2026-11-01", "2026-11-02"),
                 LINKS[0].replace("break-even", "break-even.csv")):
        reply = server.get(link)
        assert reply.status == 410, reply.text
        problem = reply.json
        assert problem["type"] == "/problems/gone" and reply.headers["Cache-Control"] == "no-store"
        assert all(words in problem["detail"] for words in ("1.4", "99.0", "never archived", "lost"))
        current = problem["links"]["current"]
        assert "model_version=99.0" in current and "model_version=1.4" not in current
        assert server.get(current).status == 200


def test_a_page_says_that_it_is_gone_and_links_the_form(later):
    _, _, server = later
    reply = server.get(f"/v1/break-even.html?gpu=t4&{PINS}")
    assert reply.status == 410
    has(reply, "never archived", 'href="/break-even?gpu=t4&amp;as_of=2026-11-01&amp;model_version=99.0"')


def test_a_spreadsheet_reads_why(later):
    _, _, server = later
    reply = server.get(f"/v1/break-even.txt?gpu=t4&on_error=text&{PINS}")
    assert reply.status == 200 and reply.text.startswith("ERROR this link was answered by formulas 1.4")


def test_versions_that_never_were_are_refused(later):
    _, _, server = later
    for version in ("1.5", "2", "0.9", "1.10", "1.3 ", "1.0,1.3", ",", "x" * 50, "1.3\n"):
        reply = server.get("/v1/gpus", as_of="2026-11-01", model_version=version)
        assert reply.status == 400, version
        assert reply.json["errors"][0]["code"] == "unknown_version"


def test_only_links_are_archived_and_answered(later):
    """What is posted has no address to be found by; an address inside a request is answered anew."""
    rig, _, server = later
    question = {"gpu": "h100-sxm5-80gb", "gpu_count": 8, "utilization": 0.7,
                "as_of": "2026-11-01", "model_version": "1.4"}
    assert server.post("/v1/break-even", question).status == 410
    inner = urllib.parse.quote(LINKS[0], safe="")
    reply = server.get(f"/v1/compare?a={inner}&b={inner}")
    assert reply.status == 410 and "formulas 1.4" in reply.json["detail"]
    assert rig.database.query(OLD) == str(len(LINKS))


@pytest.mark.parametrize("link", [
    "/v1/gpus/%27;drop%20table%20archived_reply;--?" + PINS, "/v1/gpus/a%3Fb%26c?" + PINS,
    "/v1/gpus?gpu=%27%22%5C%01%C3%A9&" + PINS, "/v1/gpus?" + "a" * 6000 + "=1&" + PINS,
    "/v1/gpus?" + "&".join(f"x{i}={i}" for i in range(200)) + "&" + PINS,
    "/v1/gpus?model_version=1.4&model_version=1.4", "/v1/gpus?model_version=1.4",
    "/v1/gpus?format=../../etc/passwd&" + PINS, "/v1/gpus?as_of=9999-99-99&model_version=1.4",
    "/v1/gpus/h100-sxm5-80gb%3F" + PINS.replace("&", "%26") + "?model_version=1.4"], ids=range(10))
def test_hostile_links_find_nothing(later, link):
    rig, _, server = later
    reply = server.get(link)
    assert reply.status == 410, reply.text
    assert rig.database.query(OLD) == str(len(LINKS))


def test_the_key_is_one_that_anybody_can_work_out(later):
    rig, _, _ = later
    path, _, query = LINKS[1].partition("?")
    parts = [path.removesuffix(".csv"), "&".join(sorted(query.split("&"))), "csv"]
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    assert rig.database.query("select format, model_version, question from archived_reply "
                              f"where key = '{key}'") == f"csv|1.4|{parts[0]}?{parts[1]}"


# --- what is stored, and how much

def test_what_is_stored_stays_and_is_not_written_again(rig):
    mine = rig()
    server = mine.start()
    first = archived(server, LINKS[0])
    row = mine.database.query("select xmin, ctid, archived_at from archived_reply")
    mine.database.query("update provider set note = note || '.' where slug = 'aws'")
    version = mine.database.query("select catalog_version()")
    wait_for(lambda: server.get("/v1").json["catalog_version"] == version, "the change")
    again = server.get(LINKS[0])
    assert again.body != first.body  # it names another version of the catalogue
    wait_for(lambda: counted(server, "known") == 1, "the second reply")
    assert mine.database.query("select xmin, ctid, archived_at from archived_reply") == row
    assert mine.next().get(LINKS[0]).body == first.body


def test_links_that_are_not_pinned_are_not_stored(rig):
    mine = rig()
    server = mine.start()
    for link in ("/v1/gpus?as_of=2026-11-01", "/v1/gpus?model_version=1.4", f"/v1/gpus?gpu=h101&{PINS}",
                 f"/v1/gpus?nonsense=1&{PINS}"):
        server.get(link)
    server.request("HEAD", SMALL)
    server.post("/v1/gpus", {"as_of": "2026-11-01", "model_version": "1.4"})
    archived(server, SMALL)
    assert mine.database.query("select question from archived_reply") == \
        "/v1/gpus?as_of=2026-11-01&fields=gpu&model_version=1.4"


def test_switched_off_nothing_is_stored_and_what_is_there_is_answered(rig):
    mine = rig()
    first = archived(mine.start(), SMALL)
    off = mine.start(GPUPLAN_ARCHIVE_MIB="0")
    assert off.get(LINKS[0]).status == 200
    assert sum(counted(off, outcome) for outcome in ("stored", "failed", "full", "busy")) == 0
    later = mine.next(GPUPLAN_ARCHIVE_MIB="0")
    assert later.get(SMALL).body == first.body and later.get(LINKS[0]).status == 410


def test_the_archive_is_bounded_and_so_is_each_client(rig):
    mine = rig(GPUPLAN_ARCHIVE_MIB="1", GPUPLAN_TRUSTED_PROXIES="127.0.0.1")
    server = mine.start()

    def ask(client, number):
        seen = sum(counted(server, each) for each in ("stored", "full", "limited"))
        link = f"/v1/break-even?gpu=h100-sxm5-80gb&utilization=0.7&server_price={250000 + number}&{PINS}"
        assert server.get(link, headers={"X-Forwarded-For": client}).status == 200
        wait_for(lambda: sum(counted(server, each) for each in ("stored", "full", "limited")) > seen,
                 "what came of it")

    number = 0
    while not counted(server, "limited"):
        ask("192.0.2.1", number := number + 1)
    mine_stored = counted(server, "stored")
    assert 0 < mine_stored < 10
    ask("192.0.2.2", number := number + 1)
    assert counted(server, "stored") == mine_stored + 1, "another client has a share of its own"
    # What compresses badly fills it: as if the other clients had been asking for long.
    mine.database.query(
        "insert into archived_reply select md5(i::text) || md5(i::text || 'x'), '/v1/gpus?', 'json', "
        "'1.0', '1', (select string_agg(sha256((i || ' ' || j)::text::bytea), '') "
        "from generate_series(1, 1000) j) from generate_series(1, 40) i")
    rows = mine.database.query("select count(*) from archived_reply")
    for client in range(3, 6):
        ask(f"192.0.2.{client}", number := number + 1)
    assert counted(server, "full") == 3
    assert mine.database.query("select count(*) from archived_reply") == rows, "nothing was dropped"
    log = (server.directory / "log").read_text()
    assert log.count("it is full: raise GPUPLAN_ARCHIVE_MIB") == 1
    assert counted(mine.start(), "full") == 0


def test_without_the_database_links_of_these_formulas_are_answered(rig):
    mine = rig()
    now, later = mine.start(), mine.next()
    archived(now, SMALL)
    assert later.get(SMALL).status == 200
    mine.database.stop()
    for link in LINKS[:3]:
        assert now.get(link).status == 200
    wait_for(lambda: counted(now, "failed") >= 3, "the failures")
    reply = later.get(SMALL + "&nocache=1")
    assert reply.status == 503, reply.text
    assert reply.json["type"] == "/problems/database-unavailable" and reply.headers["Retry-After"]
    assert (now.directory / "log").read_text().count("replies to pinned links are not archived") == 1
    mine.database.start()
    wait_for(lambda: later.get(SMALL + "&nocache=2").status == 200, "the archive")
    archived(now, LINKS[3])


def test_many_at_once_hold_up_nobody(rig):
    mine = rig()
    server = mine.start()
    links = [f"/v1/gpus.csv?fields=gpu&min_memory_gib={i}&{PINS}" for i in range(200)]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(server.get, links))
    assert {reply.status for reply in replies} == {200}
    wait_for(lambda: counted(server, "stored") + counted(server, "busy") == len(links), "all of them")
    stored = int(mine.database.query("select count(*) from archived_reply"))
    assert stored == counted(server, "stored") > 0
    assert mine.next().get(links[0]).status in (200, 410)
