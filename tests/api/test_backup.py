"""What is backed up comes back, and the first release's database becomes today's."""
import gzip
import os
import subprocess
import tempfile

import pytest

from conftest import ROOT, Database, Server
from test_contract import QUESTIONS

DUMP = ["pg_dump", "--format", "custom", "--no-owner", "--no-privileges"]
RESTORE = ["pg_restore", "--no-owner", "--exit-on-error", "--single-transaction", "--dbname",
           "postgres"]


def cluster_of(start):
    """A cluster of this test's own, started by that method."""
    with tempfile.TemporaryDirectory(prefix="gpuplan-test.") as directory:
        os.chmod(directory, 0o755)
        database = Database(directory)
        start(database)
        yield database
        database.stop()


@pytest.fixture
def cluster():
    """Without schema."""
    yield from cluster_of(Database.start)


@pytest.fixture
def seeded():
    """With schema and seed."""
    yield from cluster_of(Database.start_migrated)


def answers(database, tmp_path, **params):
    """The body of an answer from every path, as a daemon of its own gives it."""
    server = Server(database.env, tmp_path).start()
    try:
        replies = {path: server.get(question, **params) for path, question in QUESTIONS.items()}
    finally:
        server.stop()
    assert {path: reply.status for path, reply in replies.items() if reply.status != 200} == {}
    return {path: reply.body for path, reply in replies.items()}


def test_a_restored_backup_answers_the_same_to_the_byte(database, cluster, tmp_path):
    assert 'pg_dump --format custom --no-owner --no-privileges' in \
        (ROOT / "sql/README.md").read_text(), "as it is described"
    dump = tmp_path / "plan.dump"
    before = answers(database, tmp_path)
    subprocess.run([*DUMP, "--file", dump], env=database.env, check=True)
    subprocess.run([*RESTORE, dump], env=cluster.env, check=True)
    cluster.migrate()
    assert answers(cluster, tmp_path) == before
    assert cluster.query("set role gpuplan_reader; select count(*) from api.offers") != "0"
    cluster.query("update offer set note = note where gpu = 't4'")
    assert cluster.query("select catalog_version()") != database.query("select catalog_version()")


RAISED = "update offer set price_per_hour = price_per_hour * {0}, price_per_gpu_hour = price_per_gpu_hour * {0} where gpu = 't4'"
PRICES = "/v1/price-summary.csv?gpu=t4"


@pytest.mark.parametrize("rights", [True, False], ids=["", "without functions that tell of the server"])
def test_after_a_restore_an_etag_of_before_is_not_that_of_another_body(seeded, tmp_path, rights):
    """The change after the backup is lost; the one made instead gets the same version."""
    if not rights:
        seeded.query("revoke execute on function pg_control_system() from public")
    dump = tmp_path / "plan.dump"
    subprocess.run([*DUMP, "--file", dump, "postgres"], env=seeded.env, check=True)
    seeded.query(RAISED.format(2))
    server = Server(seeded.env, tmp_path).start()
    try:
        lost, version = server.get(PRICES), server.get("/v1").json["catalog_version"]
        tag = {"If-None-Match": lost.headers["ETag"]}
        assert server.get(PRICES, headers=tag).status == 304
    finally:
        server.stop()
    seeded.query("create database restored")
    env = seeded.env | {"DATABASE_URL": "", "PGDATABASE": "restored"}
    subprocess.run([*RESTORE[:-1], "restored", dump], env=env, check=True)
    restored = Database(seeded.directory)
    restored.env = env
    restored.migrate()
    restored.query(RAISED.format(3))
    server = Server(env, tmp_path).start()
    try:
        assert server.get("/v1").json["catalog_version"] == version
        reply = server.get(PRICES, headers=tag)
        assert reply.status == 200 and reply.body and reply.body != lost.body
        assert server.get(PRICES, headers={"If-None-Match": reply.headers["ETag"]}).status == 304
    finally:
        server.stop()


def test_the_first_releases_data_is_upgraded(cluster, tmp_path):
    """A dump of the schema of migrations 0001 to 0003 with three things changed by hand since: a
    price recorded, an assumption set, a provider's offers removed."""
    dump = gzip.decompress((ROOT / "tests/sql/data/first-release.sql.gz").read_bytes())
    subprocess.run(["psql", "-Xqv", "ON_ERROR_STOP=1"], input=dump, env=cluster.env, check=True,
                   capture_output=True)
    assert cluster.query("select max(number) from schema_version") == "3"
    cluster.migrate()
    cluster.query("""insert into quote (kind, provider, gpu, price, price_unit)
                     values ('hardware', 'acme', 't4', 900, 'per_card')""")
    answers(cluster, tmp_path)
    server = Server(cluster.env, tmp_path).start()
    try:
        p5 = "/v1/offers.txt?provider=aws&gpu=h100-sxm5-80gb&region=us-east-1" \
             "&purchase_option=on_demand&min_gpu_count=8&field=price_per_hour&limit=1&sort=provider"
        for day, price in (("2026-10-18", "48"), ("2026-10-17", "55.04"), ("2024-12-01", "98.32")):
            assert server.get(p5, as_of=day).text.strip() == price, day
        rows = server.get("/v1/assumptions?limit=10000").json["rows"]
        assert [row["default"] for row in rows if row["key"] == "electricity_price_per_kwh"] == [0.25]
        offers = server.get("/v1/offers/history?provider=vast&limit=1").json["rows"]
        assert offers == []
    finally:
        server.stop()
