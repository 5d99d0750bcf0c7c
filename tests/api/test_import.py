"""gpuplan import: every quirk of the feeds, and what becomes of each row; nothing half done."""
import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from conftest import BINARY, ROOT, Database, Server, own_cluster, stopped_after, wait_for

FEEDS = ROOT / "tests/feeds"
KILLS = int(os.environ.get("GPUPLAN_KILLS", "10"))
# What an import may change, and what it counts.
TABLES = ("offer", "hardware", "exchange_rate", "gpu", "gpu_figure", "model")


class World(Database):
    def run(self, *arguments, code=0):
        done = subprocess.run([BINARY, "import", *arguments], env=self.env, text=True,
                              capture_output=True, timeout=600, check=False)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def take(self, *arguments, code=0):
        return json.loads(self.run("--json", *arguments, code=code).stdout)

    def contents(self, *more):
        digests = " union all ".join(f"select '{table}', md5(coalesce(string_agg(t::text, chr(10) order by t::text), '')) "
                                     f"from {table} t" for table in (*TABLES, *more))
        return dict(line.split("|") for line in self.query(digests).splitlines())

    def undo(self, run):
        self.run("--undo", str(run))


def started_world(directories):
    return own_cluster(directories, World)


world = stopped_after("module", started_world)


@pytest.fixture(scope="module")
def server(world, tmp_path_factory):
    daemon = Server(world.env, tmp_path_factory.mktemp("daemon"))
    daemon.start()
    yield daemon
    assert daemon.stop() == 0


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


QUIRKS = {}
for quirk in rows_of(FEEDS / "quirks.csv"):
    QUIRKS.setdefault(quirk["feed"], []).append(quirk)


def price_text(text):
    return f"{float(text):.12g}"


@pytest.mark.parametrize("feed", QUIRKS)
def test_quirk(world, tmp_path, feed):
    """Each row of the file is taken, unchanged, passed or refused as quirks.csv has it, and gives
    exactly the offers it says."""
    expected = QUIRKS[feed]
    provider = expected[0]["provider"]
    before = world.contents()
    fates = {row["fate"] for row in expected}
    in_vain = "refused" in fates and not fates & {"taken", "unchanged"}
    done = world.take("--observed", "2030-01-02", "--report", str(tmp_path / "refused.csv"),
                      *(["--provider", provider] if provider else []),
                      str(next((FEEDS / "quirks").glob(f"{feed}.*"))), code=64 if in_vain else 0)["files"][0]
    offers = world.query("select source_line, offer_id, price_per_hour from offer "
                         f"where run_id = {done['run']}").splitlines()
    assert sorted((line, offer, price_text(price)) for line, offer, price in
                  (row.split("|") for row in offers)) == \
        sorted((row["line"], *(lambda o, p: (o, price_text(p)))(*offer.rsplit("=", 1)))
               for row in expected if row["fate"] == "taken" for offer in row["what"].split())
    refused = {row["line"]: row["reason"] for row in rows_of(tmp_path / "refused.csv")}
    assert refused.keys() == {row["line"] for row in expected if row["fate"] == "refused"}
    for row in expected:
        if row["fate"] == "refused":
            assert row["what"] in refused[row["line"]], row
    for fate in ("taken", "unchanged", "passed", "refused"):
        assert done[fate] == sum(row["fate"] == fate for row in expected), (fate, done)
    assert done["rows"] == len(expected)
    world.undo(done["run"])
    assert world.contents() == before


def test_lines_point_into_the_file(world, tmp_path):
    """The report quotes the line it names."""
    feed = FEEDS / "quirks/broken_lines.csv"
    world.run("--dry-run", "--observed", "2030-01-02", "--provider", "aws", "--report",
              str(tmp_path / "refused.csv"), str(feed))
    lines = feed.read_text(encoding="utf-8-sig").split("\n")
    for row in rows_of(tmp_path / "refused.csv"):
        assert row["text"] == lines[int(row["line"]) - 1]


def test_dry_run_and_strict_keep_nothing(world):
    before = world.contents("feed_run", "feed_before")
    offers = str(FEEDS / "quirks/offers.csv")
    assert world.take("--dry-run", "--observed", "2030-01-02", offers)["files"][0]["taken"] == 2
    done = world.take("--strict", "--observed", "2030-01-02", offers, code=64)
    assert done["outcome"] == "nothing kept (--strict)"
    # A good file is not imported either together with a bad one or with one of another format.
    world.run("--strict", "--format", "offers", str(FEEDS / "quirks/zones.csv"), offers, code=64)
    world.run("--strict", "--observed", "2030-01-02", "--provider", "aws",
              str(FEEDS / "quirks/gib_for_mib.csv"), offers, code=64)
    assert world.contents("feed_run", "feed_before") == before


def test_same_file_again(world):
    args = ("--observed", "2030-01-02", "--provider", "lambda", str(FEEDS / "quirks/crlf.csv"))
    first = world.take(*args)["files"][0]
    before = world.contents("feed_run")
    again = world.take(*args)["files"][0]
    assert "in the catalogue already" in again["note"] and again["run"] == first["run"]
    assert (again["taken"], again["unchanged"], again["refused"]) == (0, 3, 1)
    assert world.contents("feed_run") == before
    # Another file that says the same of that day changes nothing but the list of runs.
    with tempfile.NamedTemporaryFile(suffix=".csv") as copy:
        copy.write((FEEDS / "quirks/crlf.csv").read_bytes() + b"\r\n")
        copy.flush()
        other = world.take(*args[:4], copy.name)["files"][0]
    assert (other["taken"], other["unchanged"], other["refused"]) == (0, 3, 1)
    world.undo(other["run"])
    world.undo(first["run"])
    # Undone, it can be taken once more.
    third = world.take(*args)["files"][0]
    assert third["taken"] == 3 and third["run"] > first["run"]
    world.undo(third["run"])
    world.run("--undo", str(third["run"]), code=64)


ACME = "provider,instance,gpu,gpu_count,purchase_option,price_per_hour\nacme-cloud,x1,t4,1,on_demand,{}\n"


def test_what_was_refused_is_tried_again_once_it_is_cured(world, tmp_path):
    """A provider that was not there: the refusal says how it is added, and then the same file counts."""
    before = world.contents()
    file = write(tmp_path / "acme.csv", ACME.format(0.5) + ACME.format(0.4).split("\n")[1].replace("acme-cloud", "aws"))
    arguments = ("--observed", "2030-01-02", file)
    first = world.run(*arguments)
    cure = re.search(r"add it: (insert into provider .*\))", first.stderr).group(1)
    runs = world.query("select count(*) from feed_run")
    again = world.take(*arguments)["files"][0]
    assert (again["taken"], again["unchanged"], again["refused"]) == (0, 1, 1)
    assert world.query("select count(*) from feed_run") == runs, "a run that changes nothing is none"
    world.query(cure)
    cured = world.take(*arguments)["files"][0]
    assert (cured["taken"], cured["unchanged"], cured["refused"]) == (1, 1, 0)
    assert "nothing to do" in world.take(*arguments)["files"][0]["note"]
    # Taken back, the first run's row is to be had again too.
    world.undo(again["run"])
    back = world.take(*arguments)["files"][0]
    assert (back["taken"], back["unchanged"]) == (1, 1)
    for run in (back["run"], cured["run"]):
        world.undo(run)
    world.query("delete from provider where slug = 'acme-cloud'")
    assert world.contents() == before


def test_an_import_in_vain_fails(world, tmp_path):
    """A file of which every row is refused, named or alone in a folder; not one among good ones."""
    folder = tmp_path / "feeds"
    folder.mkdir()
    bad = write(folder / "acme.csv", ACME.format(0.5))
    for named in (bad, str(folder)):
        assert world.take("--observed", "2030-01-02", named, code=64)["files"][0]["refused"] == 1
    shutil.copy(FEEDS / "quirks/offers.csv", folder)
    for done in world.take("--observed", "2030-01-02", str(folder))["files"]:
        world.undo(done["run"])


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return str(path)


# Rows that change something, refused ones, and what is known afterwards.
OWN = {
    "hardware": (1, 1, "select price from hardware where hardware_id = 't4/card/Acme/1'",
        "900"),
    "exchange-rates": (1, 2, "select per_usd from exchange_rate where currency = 'EUR' and observed > '2029-12-31'",
        "0.91"),
    "quotes": (4, 11, "select string_agg(coalesce(price, discount_ratio)::text, ' ' order by quote_id) "
        "from quote where provider = 'acme' and not hidden", "0.3 0 0.2 0.25"),
    "gpus": (2, 1, ("select string_agg(value::text, ' ' order by gpu) from gpu_figure w"
        "here figure = 'memory_bandwidth' and gpu in ('x1-sxm', 't4') and trust <> 'disputed'"),
        "321 20000"),
}


@pytest.mark.parametrize("format_name", OWN)
def test_own_format(world, tmp_path, format_name):
    taken, refused, question, answer = OWN[format_name]
    before = world.contents()
    file = FEEDS / "own" / f"{format_name}.csv"
    done = world.take(str(file))["files"][0]
    assert (done["format"], done["taken"], done["refused"]) == (format_name, taken, refused)
    assert world.query(question) == answer
    again = world.take(write(tmp_path / "again.csv", file.read_text() + "\n"))["files"][0]
    assert (again["taken"], again["unchanged"]) == (0, taken)
    world.undo(done["run"])
    assert world.contents() == before
    assert world.query(question) != answer


def test_offers_of_a_gpu_that_came_with_them(world, tmp_path):
    """Files of a folder go in by name: what one brings the next one knows."""
    before = world.contents()
    shutil.copy(FEEDS / "own/gpus.csv", tmp_path)
    write(tmp_path / "offers.csv", "provider,instance,gpu,gpu_count,purchase_option,price_per_hour\n"
                                   "aws,x1.large,x1-sxm,1,on_demand,9\n")
    gpus, offers = world.take("--observed", "2030-01-02", str(tmp_path))["files"]
    assert (gpus["taken"], offers["taken"], offers["refused"]) == (2, 1, 0)
    assert "offer" in world.run("--undo", str(gpus["run"]), code=69).stderr
    world.undo(offers["run"])
    world.undo(gpus["run"])
    assert world.contents() == before


def test_undo_stops_at_what_changed_since(world, tmp_path):
    """A row that somebody changed after the import is not overwritten by undoing it."""
    before = world.contents()
    rates = "quote_currency,rate,observed_date\nEUR,{},2030-01-02\nSEK,{},2030-01-02\n"
    first = world.take(write(tmp_path / "1.csv", rates.format(0.91, 9)))["files"][0]["run"]
    second = world.take(write(tmp_path / "2.csv", rates.format(0.92, 9)))["files"][0]
    assert (second["taken"], second["unchanged"]) == (1, 1)
    after = world.contents()
    refused = world.run("--undo", str(first), code=64).stderr
    assert f"run {first} cannot be undone" in refused and "EUR" in refused
    assert world.contents() == after
    world.undo(second["run"])
    world.undo(first)
    assert world.contents() == before


def test_offers_as_they_are_served(world, server, tmp_path):
    """/v1/offers.csv read back changes nothing; a new price is served at once, and the old one of
    its day."""
    export = server.get("/v1/offers.csv?provider=aws,lambda&limit=1000").body
    path = tmp_path / "export.csv"
    path.write_bytes(export)
    done = world.take("--format", "offers", str(path))["files"][0]
    assert done["rows"] > 50 and done["taken"] == 0, done
    rows = list(csv.DictReader(export.decode().splitlines()))
    offer = next(row for row in rows if row["purchase_option"] == "on_demand" and row["region"])
    new = dict(offer, price_per_hour="123.5", price_per_gpu_hour="", observed_date="2026-11-02")
    with open(tmp_path / "new.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, offer)
        writer.writeheader()
        writer.writerow(new)
    run = world.take(str(tmp_path / "new.csv"))["files"][0]["run"]

    def price(**params):
        rows = server.get("/v1/offers.csv", provider=offer["provider"], region=offer["region"],
                          gpu=offer["gpu"], purchase_option="on_demand", limit=1000, **params).text
        return [float(row["price_per_hour"]) for row in csv.DictReader(rows.splitlines())
                if row["offer_id"] == offer["offer_id"]]
    wait_for(lambda: price(as_of="2026-11-20") == [123.5], "the new price")
    assert price(as_of="2026-11-01") == [float(offer["price_per_hour"])]
    world.undo(run)
    wait_for(lambda: price(as_of="2026-11-20") == [float(offer["price_per_hour"])], "the old price")


def test_what_was_converted_is_read_in_its_own_currency(world, server, tmp_path):
    """Prices in euros that /v1/offers.csv and /v1/hardware.csv show in dollars, read back."""
    world.query("insert into exchange_rate values ('EUR', '2026-11-01', 0.87, 'a test'); "
                   "update offer set currency = 'EUR' where provider = 'lambda'; "
                   "update hardware set currency = 'EUR' where gpu = 'h100-sxm5-80gb'")
    wait_for(lambda: '"EUR"' in server.get("/v1/hardware").text, "the euros")
    for name, query in (("offers", "provider=lambda"), ("hardware", "gpu=h100-sxm5-80gb")):
        export = server.get(f"/v1/{name}.csv?limit=1000&{query}").text
        assert ",EUR," in export and ",0.87," in export
        path = tmp_path / f"{name}.csv"
        path.write_text(export, encoding="utf-8")
        done = world.take("--format", name, str(path))["files"][0]
        assert done["rows"] and done["taken"] == 0, done
        rows = list(csv.DictReader(export.splitlines()))
        own = "offer_price_per_hour" if name == "offers" else "asked_price"
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerow(dict(rows[0], **{own: "1e6"}))
        refused = world.run("--json", "--format", name, str(path), code=64)
        assert "disagree" in refused.stdout + refused.stderr
    world.query("update offer set currency = 'USD'; update hardware set currency = 'USD'; "
                   "delete from exchange_rate")


def test_model(world, server, tmp_path):
    before = world.contents()
    shutil.copy(ROOT / "tests/api/hf-configs/Qwen3-0.6B.config.json",
                tmp_path / "My-Own.config.json")
    done = world.take("--observed", "2026-11-01", str(tmp_path))["files"][0]
    assert (done["format"], done["taken"]) == ("models", 1)
    wait_for(lambda: server.get("/v1/models/my-own").status == 200, "the model")
    shape = "n_layers, hidden, n_heads, n_kv_heads, vocab, tied, params_total, attention"
    mine, seeded = (world.query(f"select {shape} from model where slug = '{slug}'")
                    for slug in ("my-own", "qwen3-0.6b"))
    assert mine == seeded and mine.startswith("28|1024|16|8|")
    world.undo(done["run"])
    assert world.contents() == before
    (tmp_path / "My-Own.config.json").write_text('{"hidden_size": 1}')
    done = world.take("--observed", "2026-11-01", str(tmp_path), code=64)["files"][0]
    assert (done["taken"], done["refused"]) == (0, 1)
    world.undo(done["run"])


def test_day_and_provider_from_the_place(world, tmp_path):
    """dates.csv goes before a date in a name, which goes before one in the folder's."""
    feed = (FEEDS / "quirks/column_order.csv").read_bytes()
    folder = tmp_path / "v5_2024-11-03"
    for path in ("a/x.csv", "aws/vms.csv", "aws/20240105.csv"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(feed)
    (tmp_path / "dates.csv").write_text("file,cloud,as_of,note\n"
                                        "v5_2024-11-03/a/x.csv,aws,2024-08-21,\n")
    files = world.take("--dry-run", str(tmp_path))["files"]
    assert [(pathlib.Path(f["file"]).name, f["provider"], f["observed"]) for f in files] == [
        ("x.csv", "aws", "2024-08-21"), ("20240105.csv", "aws", "2024-01-05"),
        ("vms.csv", "aws", "2024-11-03")]


@pytest.mark.parametrize("arguments, said", [
    (("--format", "skypilots", "x.csv"), "there is no format"),
    (("--observed", "1.1.2030", "x.csv"), "is a day as 2026-08-01"),
    ((), "name files or folders"),
    (("--undo", "abc"), "is not a run number"),
    (("--undo", "1.5"), "is not a run number"),
    (("--nonsense",), "nonsense"),
    (("--provider", "aws", str(FEEDS / "quirks/zones.csv")), "does not state its day"),
    (("--observed", "2030-01-02", str(FEEDS / "quirks/zones.csv")), "does not state its provider"),
    (("--observed", "2030-01-02", "--provider", "acme", str(FEEDS / "quirks/zones.csv")),
     "which is not in the catalogue"),
    (("--format", "offers", str(FEEDS / "quirks/zones.csv")), "has no column"),
    ((str(FEEDS / "quirks.csv"),), "gpuplan import --help"),
])
def test_usage(world, arguments, said):
    assert said in world.run(*arguments, code=64).stderr


@pytest.mark.parametrize("header, says", [
    ("currency,per_usd,date", "the closest, exchange-rates, also needs quote_currency, rate"),
    ("date,rate,source", "the closest, exchange-rates, also needs quote_currency"),
    ("provider,instance,gpu,count,price_per_hour", "the closest, offers, also needs gpu_count, purchase_option"),
])
def test_wrong_columns_get_the_right_ones(world, tmp_path, header, says):
    said = world.run(write(tmp_path / "x.csv", header + "\n"), code=64).stderr
    assert header in said and says in said and "--columns" in said


def test_unavailable(world):
    assert "No such file" in world.run("/nowhere/x.csv", code=69).stderr
    env = dict(world.env, DATABASE_URL="postgresql:///?host=/nowhere")
    done = subprocess.run([BINARY, "import", str(FEEDS)], env=env, capture_output=True, check=False)
    assert done.returncode == 69


def test_columns_and_help(world):
    columns = list(csv.DictReader(world.run("--columns", "offers").stdout.splitlines()))
    header = (FEEDS / "quirks/offers.csv").read_text().split("\n")[0].split(",")
    assert set(header) <= {row["column"] for row in columns}
    assert all(row["meaning"] for row in columns)
    helped = world.run("--help").stdout
    for name in ("skypilot", "gpuhunt", "offers", "hardware", "quotes", "exchange-rates", "gpus",
                 "models"):
        assert name in helped
        if name != "models":
            world.run("--columns", name)


def test_list(world):
    run = world.take("--observed", "2030-01-02", "--provider", "do",
                     str(FEEDS / "quirks/lower_case_keys.csv"))["files"][0]["run"]
    listed = json.loads(world.run("--list", "--json").stdout)[0]
    assert (listed["run"], listed["format"], listed["provider"], listed["taken"]) == \
        (run, "skypilot", "do", 1)
    assert listed["undone"] is None and "lower_case_keys.csv" in world.run("--list").stdout
    world.undo(run)
    assert json.loads(world.run("--list", "--json").stdout)[0]["undone"]


def test_importer_may_do_no_more(world):
    """The role imports and nothing else: neither quotes' history, nor assumptions, nor runs."""
    for statement in ("delete from feed_run", "delete from feed_before", "delete from quote_history",
                      "update quote set price = 1", "delete from assumption", "delete from gpu_name",
                      "create table x (y int)", "update feed_run set sha256 = repeat('0', 64)"):
        done = subprocess.run(["psql", "-Xqc", f"set role gpuplan_importer; {statement}"],
                              env=world.env, capture_output=True, text=True, check=False)
        assert "permission denied" in done.stderr, statement


def test_killed_at_any_moment(world, tmp_path):
    """kill -9 of the importer leaves the database as it was before or as it is afterwards."""
    feed = tmp_path / "many.csv"
    feed.write_bytes(subprocess.run([ROOT / "tests/bench/offers.py", "5000"], check=True,
                                    capture_output=True).stdout)
    state = ("feed_run", "feed_before")
    quick = ("select count(*), count(run_id), sum(price_per_hour), (select count(*) from feed_run "
             "where undone_at is null) from offer")
    before = world.query(quick)
    began = time.monotonic()
    run = world.take(str(feed))["files"][0]["run"]
    takes = time.monotonic() - began
    after = world.query(quick)
    world.undo(run)
    assert world.query(quick) == before
    draw = random.Random(KILLS)
    seen = {"before": 0, "after": 0}
    for _ in range(KILLS):
        importer = subprocess.Popen([BINARY, "import", str(feed)], env=world.env,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            importer.wait(draw.uniform(0, 1.2 * takes))
        except subprocess.TimeoutExpired:
            importer.send_signal(signal.SIGKILL)
            importer.wait()
        wait_for(lambda: world.query("select count(*) from pg_stat_activity where application_name "
                                     "= 'gpuplan import'") == "0", "the end of its session", 120)
        found = world.query(quick)
        assert found in (before, after)
        seen["after" if found == after else "before"] += 1
        if found == after:
            world.undo(world.query("select max(run_id) from feed_run"))
    print(f"killed {KILLS} times: {seen}")
    assert world.query(quick) == before and len(world.contents(*state)) == len(TABLES) + 2


def test_an_offer_whose_gpu_is_known_from_memory_says_so(world, tmp_path):
    path = tmp_path / "vms.csv"
    path.write_text("InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region,"
                    "AvailabilityZone\n1V100.6V,6,23,V100,1,,0.62,,FIN-01,\n", encoding="utf-8")
    (done,) = world.take("--format", "skypilot", "--provider", "datacrunch", "--observed", "2030-01-03", str(path))["files"]
    assert done["taken"] == 1, done
    assert world.query(f"select note from offer where run_id = {done['run']}") == \
        "the GPU behind this name is from memory, not looked up"
    world.undo(done["run"])
