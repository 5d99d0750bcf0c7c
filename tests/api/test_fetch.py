"""gpuplan fetch: sources from a server that is up to every trick, each bounded, said plainly, and
without a trace in the catalogue; the others are imported."""
import contextlib
import http.server
import io
import json
import os
import pathlib
import re
import subprocess
import threading
import urllib.parse
import zipfile

import pytest

from conftest import BINARY, stopped_after
from test_import import FEEDS, started_world

SAMPLES = pathlib.Path(os.environ.get("GPUPLAN_FEEDS", "/nonexistent")) / "2026"
AZURE, ECB = "prices.azure.com", "data-api.ecb.europa.eu"
RENTALS = "/raw.githubusercontent.com/adriannutiu/gpu-rental-prices/main/data/latest.json"
VERDA = "/dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3/verda"
SAVINGS = "/pricing.us-east-1.amazonaws.com/savingsPlan/v1.0/aws/AWSComputeSavingsPlan"
RATES = b"KEY,FREQ,CURRENCY,CURRENCY_DENOM,TIME_PERIOD,OBS_VALUE\n" \
        b"EXR.D.GBP.EUR.SP00.A,D,GBP,EUR,2030-01-02,0.8\nEXR.D.USD.EUR.SP00.A,D,USD,EUR,2030-01-02,1.25\n"
GPUHUNT = b"instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,provider_data\n" \
          b"1H100.80S.32V,FIN-02,2.29,32,185.0,1,H100,80.0,False,{}\n"


def regions(*addresses):
    """AWS's list of the newest price file of each region."""
    return json.dumps({"publicationDate": "2030-01-02T18:44:47Z",
                       "regions": [{"regionCode": "any", "versionUrl": address} for address in addresses]}).encode()


OF_EAST = "/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/{}/us-east-1/index.json"


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.csv", content)
    return out.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as the test's table of paths says: bytes, or a function of this handler."""

    def answer(self, status, body=b"", kind="text/csv", length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if length != "unknown":
            self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        self.server.asked.append(self.path)
        what = self.server.table.get(path)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if callable(what):
                what(self)
            elif what is None:
                self.answer(404)
            else:
                self.answer(200, what)

    def do_CONNECT(self):
        self.server.asked.append(f"CONNECT {self.path}")
        self.send_error(403)

    def log_message(self, *_):
        pass


class Feeds(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.table, self.asked, self.held = {}, [], threading.Event()
        self.url = f"http://127.0.0.1:{self.server_port}"


@pytest.fixture(name="feeds")
def feeds_fixture():
    with Feeds() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.held.set()
        server.shutdown()
        thread.join()


world = stopped_after("module", started_world)


def fetch(world, *arguments, code=0, env=None):
    done = subprocess.run([BINARY, "fetch", *arguments], env=world.env | (env or {}), text=True,
                          capture_output=True, timeout=600, check=False)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def fetched(world, feeds, *arguments, code=0):
    return json.loads(fetch(world, "--json", "--mirror", feeds.url, *arguments, code=code).stdout)["files"]


def state(world, source):
    return world.query("select coalesce(etag, ''), last_success_at is not null, coalesce(last_error, '') "
                       f"from feed_source where name = '{source}'").split("|")


def undo_all(world):
    for run in world.query("select run_id from feed_run where undone_at is null order by run_id desc").split():
        world.undo(run)
    world.query("update feed_source set etag = null, last_success_at = null, last_error = null, enabled = false")


def half(handler):
    handler.answer(200, RATES[:100], length=len(RATES))


def half_json(handler):
    handler.answer(200, (FEEDS / "quirks/gpurentalprices.json").read_bytes()[:900], "application/json", "unknown")


def large(handler):
    handler.answer(200, b"", length=500_000_000)


def large_unsaid(handler):
    """500 MB without a length in the head: a reader that took them all would be unbounded."""
    handler.answer(200, b"", length="unknown")
    piece = b"x" * 1_000_000
    for _ in range(500):
        handler.wfile.write(piece)


def page(handler):
    handler.answer(200, b"<html>Sign in</html>", "text/html; charset=utf-8")


def slow(handler):
    handler.answer(200, b"KEY", length=1000)
    handler.server.held.wait(60)


def elsewhere(handler):
    handler.answer(302, Location="file:///etc/passwd")


def in_circles(handler):
    handler.answer(302, Location=handler.path)


def overloaded(handler):
    handler.answer(503, b"<html>Try again later</html>", "text/html")


def with_directory(archive, at, number):
    """The archive with another number in its directory's entry."""
    at += archive.index(b"PK\1\2")
    return archive[:at] + number.to_bytes(4, "little") + archive[at + 4:]


def endless_pages(handler):
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query)
    number = int(query.get("$skip", ["0"])[0]) + 1
    handler.answer(200, json.dumps({"Items": [], "NextPageLink": f"https://{AZURE}/api/retail/prices?$skip={number}"})
                   .encode(), "application/json")


def round_pages(handler):
    """Each names the second."""
    handler.answer(200, json.dumps({"Items": [], "NextPageLink": f"https://{AZURE}/api/retail/prices?$skip=1"}).encode(),
                   "application/json")


def foreign_page(handler):
    handler.answer(200, json.dumps({"Items": [], "NextPageLink": "https://example.com/prices"}).encode(),
                   "application/json")


ECB_PATH, AZURE_PATH = f"/{ECB}/service/data/EXR/D..EUR.SP00.A", f"/{AZURE}/api/retail/prices"
# What the source answers, and what is said of it.
FAULTS = {
    "not_found": ("ecb", {}, "answers 404"),
    "half_a_body": ("ecb", {ECB_PATH: half}, "ends before the length it announced: "),
    "half_a_document": ("gpurentalprices", {RENTALS: half_json}, "is not a complete JSON document: it ends within a string"),
    "web_page": ("ecb", {ECB_PATH: page}, "answers with text/html; charset=utf-8, which is no price list"),
    "empty": ("ecb", {ECB_PATH: b""}, "answers with nothing"),
    "another_list": ("ecb", {ECB_PATH: GPUHUNT}, 'format ecb needs a column "CURRENCY"'),
    "another_document": ("gpurentalprices", {RENTALS: b'{"models": []}'}, 'has no rows where format gpurentalprices'),
    "large": ("ecb", {ECB_PATH: large}, "is larger than 400 MB"),
    "large_unsaid": ("ecb", {ECB_PATH: large_unsaid}, "is larger than 400 MB"),
    "elsewhere": ("ecb", {ECB_PATH: elsewhere}, "redirects to what is not fetched: "),
    "slow": ("ecb", {ECB_PATH: slow}, "takes too long: "),
    "no_version": ("gpuhunt-verda", {}, "/version answers 404"),
    "odd_version": ("gpuhunt-verda", {VERDA + "/version": b"../../etc"}, "says no version"),
    "no_index": ("aws-savings-us-east-1", {}, "/current/region_index.json answers 404"),
    "half_an_index": ("aws-savings-us-east-1", {SAVINGS + "/current/region_index.json": regions(OF_EAST.format(1))[:-20]},
                      "region_index.json is not a complete JSON document"),
    "not_in_the_index": ("aws-savings-us-east-1", {SAVINGS + "/current/region_index.json":
                                                   regions(OF_EAST.format(1).replace("east", "west"), OF_EAST.format(""),
                                                           "/elsewhere/1/us-east-1/index.json", "", "x" * 500)},
                         "region_index.json lists no version of us-east-1/index.csv"),
    "odd_version_of_an_index": ("aws-savings-us-east-1",
                                {SAVINGS + "/current/region_index.json": regions(OF_EAST.format(".."))},
                                "region_index.json lists no version of us-east-1/index.csv"),
    "another_list_of_aws": ("aws-savings-us-east-1",
                            {SAVINGS + "/current/region_index.json": regions(OF_EAST.format(1)),
                             SAVINGS + "/1/us-east-1/index.csv": (FEEDS / "quirks/aws_offers.csv").read_bytes()},
                            'format aws-savings needs a column "DiscountedRate"'),
    "two_members": ("gpuhunt-verda", {VERDA + "/version": b"20300102-1\n",
                                      VERDA + "/20300102-1/catalog.zip": zipped(verda=GPUHUNT, other=GPUHUNT)},
                    "is a ZIP archive of 2 files, not one"),
    "half_a_zip": ("gpuhunt-verda", {VERDA + "/version": b"20300102-1\n",
                                      VERDA + "/20300102-1/catalog.zip":
                                      zipped(verda=GPUHUNT)[:-30]}, "is not a complete ZIP archive"),
    "unpacks_to_much": ("gpuhunt-verda", {VERDA + "/version": b"20300102-1\n", VERDA + "/20300102-1/catalog.zip":
                                          with_directory(zipped(verda=GPUHUNT), 24, 3_000_000_000)},
                        "holds 3000 MB, at most "),
    "damaged_zip": ("gpuhunt-verda", {VERDA + "/version": b"20300102-1\n", VERDA + "/20300102-1/catalog.zip":
                                      with_directory(zipped(verda=GPUHUNT), 16, 1)},
                    'is a damaged ZIP archive: "verda.csv" fails its checksum'),
    "overloaded": ("ecb", {ECB_PATH: overloaded}, "answers 503"),
    "in_circles": ("ecb", {ECB_PATH: in_circles}, "redirects more than five times: "),
    "endless_pages": ("azure-retail", {AZURE_PATH: endless_pages}, "has more than 200 pages"),
    "pages_go_round": ("azure-retail", {AZURE_PATH: round_pages}, "has pages in a loop: page 2 links to page 2"),
    "foreign_page": ("azure-retail", {AZURE_PATH: foreign_page},
                     "links to a next page on another host: https://example.com/prices"),
}


# What the source does, for the table; what curl adds in its own words differs by its version and is left out.
DONE = {
    "not_found": "does not have the file", "half_a_body": "sends half a body and closes",
    "half_a_document": "sends half a JSON document, without its length", "web_page": "sends a page to sign in, as text/html",
    "empty": "sends nothing, with a 200", "another_list": "sends a list of another kind, as CSV",
    "another_document": "sends another JSON document", "large": "announces 500 MB",
    "large_unsaid": "sends 500 MB without their length", "elsewhere": "redirects to file:///etc/passwd",
    "slow": "sends three bytes and waits", "no_version": "has no version file",
    "odd_version": "has ../../etc in its version file", "no_index": "has no index of versions",
    "half_an_index": "sends half an index of versions", "not_in_the_index": "has an index without this file",
    "odd_version_of_an_index": "has a version of two dots in its index",
    "another_list_of_aws": "sends Amazon's list on demand in place of the Savings Plans",
    "two_members": "sends a ZIP of two files", "half_a_zip": "sends half a ZIP",
    "unpacks_to_much": "sends a ZIP that claims to hold 3 GB", "damaged_zip": "sends a ZIP with a wrong checksum",
    "overloaded": "answers 503", "in_circles": "redirects to itself",
    "endless_pages": "has a next page for ever", "pages_go_round": "has a next page that was there",
    "foreign_page": "has a next page on another host",
}
CURLS_OWN = ("half_a_body", "elsewhere", "slow", "in_circles")
SAID = {}  # by fault
TABLE = FEEDS / "FAULTS.md"


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(world, feeds, fault):
    """Nothing of it is kept, the reason is said here and in last_error, and the other source is imported."""
    source, table, says = FAULTS[fault]
    says = "|".join(map(re.escape, [says] if isinstance(says, str) else says))
    other = "oci"
    before = world.contents("hosted_price", "provider")
    feeds.table = table | {"/apexapps.oracle.com/pls/apex/cetools/api/v1/products/":
                           (FEEDS / "quirks/oci.json").read_bytes()}
    done = fetch(world, "--mirror", feeds.url, "--seconds", "2" if fault == "slow" else "60", source, other, code=69)
    assert re.search(f"^{source}: .*({says})", done.stderr, re.MULTILINE), done.stderr
    etag, succeeded, error = state(world, source)
    assert re.search(says, error) and not etag and succeeded == "f"
    SAID[fault] = FAULTS[fault][2].removesuffix(": ") if fault in CURLS_OWN else error
    assert state(world, other)[1:] == ["t", ""]
    assert world.query("select distinct feed_source from offer join feed_run using (run_id) where undone_at is null") \
        == other
    undo_all(world)
    assert world.contents("hosted_price", "provider") == before


def test_the_table_of_faults(world, feeds):
    """FAULTS.md: what each source did and what was said; GPUPLAN_UPDATE_PUBLISHED=1 writes it anew."""
    assert set(DONE) == set(FAULTS)
    if set(SAID) != set(FAULTS):
        pytest.skip("not run: takes all the faults before it")
    feeds.table = {ECB_PATH: lambda handler: handler.answer(304) if handler.headers.get("If-None-Match") else
                   handler.answer(200, RATES, ETag='"one"')}
    fetched(world, feeds, "ecb")
    unchanged, = fetched(world, feeds, "ecb")
    undo_all(world)
    rows = [f"| {DONE[fault]} | {FAULTS[fault][0]} | {SAID[fault]} |" for fault in FAULTS]
    text = "\n".join([
        "# Faults of feeds, and their messages", "",
        "`gpuplan fetch` against a local server that does each of these; written by `GPUPLAN_UPDATE_PUBLISHED=1 pytest "
        "tests/api/test_fetch.py`, checked by it without. None of them leaves a row, an ETag or a time of success; the "
        "reason is on standard error and in `feed_source.last_error`; the exit code is 69, and the source fetched alongside is "
        "imported. Bounds: 400 MB, 200 pages, the seconds of `--seconds`.", "",
        "| the source | of | what is said |", "|---|---|---|", *rows,
        f"| answers 304 to our ETag, which is no fault: exit code 0 | ecb | {unchanged['note']} |", ""])
    if os.environ.get("GPUPLAN_UPDATE_PUBLISHED"):
        TABLE.write_text(text, encoding="utf-8")
    assert TABLE.read_text(encoding="utf-8") == text


def test_unchanged_is_not_imported_again(world, feeds):
    """An ETag comes back with the question; so does an undone run's source, in full."""
    def rates(handler):
        if handler.headers.get("If-None-Match") == '"one"':
            handler.answer(304)
        else:
            handler.answer(200, RATES, ETag='"one"')
    feeds.table = {ECB_PATH: rates}
    first, = fetched(world, feeds, "ecb")
    assert first["taken"] == 2 and state(world, "ecb")[0] == '"one"'
    assert world.query("select currency, per_usd, source from exchange_rate where observed = '2030-01-02' "
                       "order by currency").split("\n") == \
        [f"EUR|0.8|https:/{ECB_PATH}?format=csvdata&lastNObservations=1",
         f"GBP|0.64|https:/{ECB_PATH}?format=csvdata&lastNObservations=1"]
    second, = fetched(world, feeds, "ecb")
    assert second["note"] == "has not changed since it was imported" and not second["run"]
    assert fetched(world, feeds, "--anew", "ecb")[0]["note"] == "is in the catalogue already, nothing to do"
    world.undo(first["run"])
    assert state(world, "ecb")[0] == ""
    assert fetched(world, feeds, "ecb")[0]["taken"] == 2
    undo_all(world)


def test_version_file(world, feeds):
    """gpuhunt v3: the version is the ETag and has the day; the address with it is the source."""
    feeds.table = {VERDA + "/version": b"20300102-51\n", VERDA + "/20300102-51/catalog.zip": zipped(verda=GPUHUNT)}
    run, = fetched(world, feeds, "gpuhunt-verda")
    assert world.query("select offer_id, valid_from, source, r.file from offer join feed_run r using (run_id) "
                       f"where run_id = {run['run']}") == \
        f"datacrunch/1H100.80S.32V/FIN-02/h100-sxm5-80gb/1/on_demand|2030-01-02|" \
        f"https:/{VERDA}/20300102-51/catalog.zip|https:/{VERDA}/20300102-51/catalog.zip"
    assert state(world, "gpuhunt-verda") == ["20300102-51", "t", ""]
    feeds.asked.clear()
    assert not fetched(world, feeds, "gpuhunt-verda")[0]["run"]
    assert feeds.asked == [VERDA + "/version"]
    undo_all(world)


def test_version_in_an_index(world, feeds):
    """AWS's Savings Plans: the index names the version of each region's file, as JSON; the CSV is next to it."""
    feeds.table = {SAVINGS + "/current/region_index.json":
                   regions(OF_EAST.format("20300101").replace("us-east", "us-west"), OF_EAST.format("20300102184447")),
                   SAVINGS + "/20300102184447/us-east-1/index.csv": (FEEDS / "quirks/aws_savings.csv").read_bytes()}
    run, = fetched(world, feeds, "aws-savings-us-east-1")
    assert (run["taken"], run["refused"]) == (5, 4)
    assert world.query("select price_per_hour, valid_from, note, o.source from offer o "
                       f"where run_id = {run['run']} and purchase_option = 'reserved_3yr' and instance like 'p5%'") == \
        "23.77728|2030-01-02|EC2 Instance Savings Plan, nothing paid ahead|" \
        f"https:/{SAVINGS}/20300102184447/us-east-1/index.csv"
    assert state(world, "aws-savings-us-east-1") == ["20300102184447", "t", ""]
    feeds.asked.clear()
    assert not fetched(world, feeds, "aws-savings-us-east-1")[0]["run"]
    assert feeds.asked == [SAVINGS + "/current/region_index.json"]
    undo_all(world)


def test_pages_become_one_run(world, feeds):
    items = json.loads((FEEDS / "quirks/azure_retail.json").read_text())["Items"]

    def pages(handler):
        first = "skip" not in handler.path
        more = f"https://{AZURE}:443/api/retail/prices?$skip=1"
        handler.answer(200, json.dumps({"Items": items[:2] if first else items[2:4],
                                        "NextPageLink": more if first else None}).encode(), "application/json")
    feeds.table = {AZURE_PATH: pages}
    run, = fetched(world, feeds, "azure-retail")
    assert (run["rows"], run["taken"]) == (4, 4)
    assert world.query("select purchase_option, price_per_gpu_hour from offer where run_id = "
                       f"{run['run']} order by 1").split("\n") == \
        ["on_demand|12.29", "reserved_1yr|7.865596461", "reserved_3yr|5.395310122", "spot|4.916"]
    undo_all(world)


def test_what_is_due_and_on(world, feeds, tmp_path):
    """Without names: what is switched on, once within its hours; from a folder as from a server."""
    file = tmp_path / f"mirror{ECB_PATH}?format=csvdata&lastNObservations=1"
    file.parent.mkdir(parents=True)
    file.write_bytes(RATES)
    mirror = ("--mirror", str(tmp_path / "mirror"))
    assert "no source is switched on" in fetch(world, *mirror).stderr
    world.query("update feed_source set enabled = true where name in ('ecb', 'litellm')")
    said = fetch(world, *mirror, code=69).stderr
    assert "litellm: is not in the mirror" in said
    assert state(world, "ecb")[1:] == ["t", ""] and state(world, "litellm")[1] == "f"
    assert [file["file"].split("/")[2] for file in json.loads(fetch(world, "--json", *mirror, code=69).stdout)["files"]] \
        == ["raw.githubusercontent.com"]
    assert "yes" in fetch(world, "--list").stdout
    undo_all(world)


def test_dry_run_keeps_nothing(world, feeds):
    feeds.table = {ECB_PATH: RATES}
    before = world.contents("feed_source", "feed_run")
    assert fetched(world, feeds, "--dry-run", "ecb")[0]["taken"] == 2
    assert world.contents("feed_source", "feed_run") == before


def test_new_providers(world, feeds):
    """Offers of a provider that nobody knows are refused, or taken with it, and undone with it."""
    feeds.table = {RENTALS: (FEEDS / "quirks/gpurentalprices.json").read_bytes()}
    before = world.contents("provider")
    run, = fetched(world, feeds, "--new-providers", "gpurentalprices")
    assert (run["taken"], run["refused"]) == (4, 2)
    assert world.query("select kind from provider where slug = 'nobody-knows-it'") == "cloud"
    undo_all(world)
    assert world.contents("provider") == before


def test_no_path_of_this_machine(world):
    """A file given by hand is named by its folder and name; a price, by whose list it is and the file in it."""
    run = world.take("--observed", "2030-01-02", "--provider", "aws", str(FEEDS / "quirks/gpuhunt.csv"))["files"][0]["run"]
    assert world.query(f"select distinct o.source, r.file from offer o join feed_run r using (run_id) where run_id = {run}") \
        == "https://github.com/dstackai/gpuhunt#quirks/gpuhunt.csv|quirks/gpuhunt.csv"
    undo_all(world)


HOSTED = {
    "litellm": ("/raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json",
                {"sample_spec": {"mode": "chat", "litellm_provider": "one of", "input_cost_per_token": 0},
                 "acme/big": {"mode": "chat", "litellm_provider": "acme", "input_cost_per_token": 2.5e-06,
                              "cache_read_input_token_cost": 2.5e-07, "output_cost_per_token": 1e-05},
                 "acme/picture": {"mode": "image_generation", "litellm_provider": "acme"}},
                "litellm|acme|acme/big||2.5|0.25|10"),
    "openrouter": ("/openrouter.ai/api/v1/models",
                   {"data": [{"id": "acme/big", "hugging_face_id": "acme/Big-7B", "pricing":
                              {"prompt": "0.0000025", "completion": "0.00001", "input_cache_read": "0.00000025"}},
                             {"id": "auto", "hugging_face_id": None, "pricing": {"prompt": "-1", "completion": "-1"}},
                             {"id": "free", "pricing": {"prompt": "0", "completion": "0"}}]},
                   "openrouter|openrouter|acme/big|acme/Big-7B|2.5|0.25|10"),
    "genai-prices": ("/raw.githubusercontent.com/pydantic/genai-prices/main/prices/data_slim.json",
                     [{"id": "acme", "name": "Acme", "models": [
                         {"id": "big", "prices": {"input_mtok": {"base": 2.5, "tiers": [{"start": 200000, "price": 5}]},
                                                  "cache_read_mtok": 0.25, "output_mtok": 10}},
                         {"id": "none", "prices": {}}]}],
                     "genai-prices|acme|big||2.5|0.25|10"),
}


@pytest.mark.parametrize("source", HOSTED)
def test_hosted_prices(world, feeds, source):
    """For a million tokens, with the day and the address; documentation, pictures and what is free are passed."""
    path, document, row = HOSTED[source]
    feeds.table = {path: json.dumps(document).encode()}
    run, = fetched(world, feeds, source)
    assert (run["taken"], run["refused"]) == (1, 0)
    assert world.query("select feed, provider, model, hf_id, input_price, cached_input_price, output_price "
                       "from hosted_price where model ~ 'big$'") == row
    assert world.query("select source, observed = (now() at time zone 'UTC')::date from hosted_price "
                       "where model ~ 'big$'") == \
        f"https:/{path}|t"
    undo_all(world)
    assert world.query("select count(*) from hosted_price where model ~ 'big$'") == "0"


def test_proxy_is_asked(world, feeds):
    """HTTPS_PROXY is whom curl asks; nothing goes past it."""
    proxy = {"HTTPS_PROXY": feeds.url, "https_proxy": feeds.url, "NO_PROXY": "", "no_proxy": ""}
    assert "ecb: " in fetch(world, "ecb", code=69, env=proxy).stderr
    assert feeds.asked == [f"CONNECT {ECB}:443"]
    undo_all(world)


def test_usage(world):
    assert "see --list" in fetch(world, "no-such-source", code=64).stderr
    assert "--seconds is" in fetch(world, "--seconds", "0", code=64).stderr
    assert "HTTPS_PROXY" in fetch(world, "--help").stdout
    done = subprocess.run(["psql", "-Xqc", "insert into feed_source (name, url, format, interval_hours, licence, "
                           "attribution) values ('x', 'http://example.com/x', 'ecb', 1, 'x', 'x')"], env=world.env,
                          capture_output=True, text=True, check=False)
    assert "feed_source_url_form" in done.stderr


# The rows of the samples: taken, unchanged, passed, refused.
REAL = {
    "gpurentalprices/latest_2026-08-22.json": (179, 0, 51, 63),
    "azure_retail/azure_retail_eastus_nd_2026-07-27.json": (5, 0, 5, 0),
    "oci/oci_products_usd.json": (7, 0, 443, 0),
    "ec2instances/ec2_single_instance.json": (0, 0, 25, 0),
    "ecb/EXR_D_EUR_SP00_A.csv": (638, 0, 0, 0),
    "litellm/model_prices_filtered_2026-07-24.json": (193, 0, 25, 0),
    "genai_prices/data_slim.json": (1268, 0, 10, 7),
    "openrouter/openrouter_models_2026-07-27.json": (3, 0, 1, 0),
    "gpuhunt_v3_synthetic/v3/verda/20260822-51/catalog.zip": (4, 0, 1, 0),
    "gpuhunt_v3_synthetic/v3/lambdalabs/20260822-51/catalog.zip": (2, 0, 0, 0),
    "skypilot_v8_v9/v8/verda/vms.csv": (8, 0, 1, 0),
    "skypilot_v8_v9/v8/shadeform/vms.csv": (5, 0, 0, 0),
    "skypilot_v8_v9/v9/nebius/vms.csv": (4, 0, 1, 0),
}


@pytest.mark.parametrize("sample", REAL)
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="not run: GPUPLAN_FEEDS names no folder with 2026 in it")
def test_sample(world, sample):
    """The samples of 2026 whose licences do not let us keep them here."""
    done = world.take("--observed", "2030-01-02", str(SAMPLES / sample))["files"][0]
    assert tuple(done[name] for name in ("taken", "unchanged", "passed", "refused")) == REAL[sample]
    assert world.query("select count(*) from (select source from offer where run_id is not null "
                       "union all select source from exchange_rate where observed >= '2030-01-01' "
                       "union all select source from hosted_price) s where source !~ '^https://'") == "0"
    world.undo(done["run"])
