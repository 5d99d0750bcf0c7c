"""What changes the catalogue is counted, notified and kept as history; readers only read."""

import subprocess

import pytest

PRICE = ("update offer set price_per_hour = price_per_hour * 1.1, "
         "price_per_gpu_hour = price_per_gpu_hour * 1.1 where instance = 'p5.48xlarge'")


def count(database):
    day, changes = database.sql("select catalog_version()").split(".")
    return day, int(changes)


@pytest.mark.parametrize("statement", [
    PRICE,
    "insert into provider values ('acme', 'Acme', 'cloud')",
    "delete from hardware where hardware_id = 'h100-sxm5-80gb/card/s2'",
    "truncate exchange_rate",
    "update gpu set note = 'x' where slug = 't4'",
    "update gpu_figure set note = 'x' where gpu = 't4'",
    "update model set note = 'x' where slug = 'gpt2'",
    "update assumption set value = 0.13 where key = 'electricity_price_per_kwh'",
])
def test_a_change_counts_and_notifies(database, statement):
    before = count(database)
    heard = database.sql("listen gpuplan", statement, "select 1")
    assert 'notification "gpuplan"' in heard
    assert count(database) == (before[0], before[1] + 1)


@pytest.mark.parametrize("statement", [
    "update offer set price_per_hour = 1, price_per_gpu_hour = 1 where instance = 'no such'",
    "delete from hardware where false",
    "select * from offer",
])
def test_nothing_changed_is_no_change(template, statement):
    before = count(template)
    assert "notification" not in template.sql("listen gpuplan", statement, "select 1")
    assert count(template) == before


def test_a_clock_behind_does_not_count_down(database):
    """As of a server that took over from one a day ahead."""
    database.sql("update catalog_change set day = day + 3 where day = (select max(day) from catalog_change)")
    before = count(database)
    database.sql(PRICE)
    assert count(database) == (before[0], before[1] + 1)


def test_a_change_undone_is_no_change(database):
    before = count(database)
    database.sql("begin", PRICE, "rollback")
    assert count(database) == before


def record(price, day, **more):
    values = {"provider": "aws", "instance": "p5.48xlarge", "region": "us-east-1",
              "gpu": "h100-sxm5-80gb", "gpu_count": "8", "purchase_option": "on_demand",
              "price_per_hour": price, "source": "a quote", "observed": day, **more}
    return "select record_offer(" + ", ".join(
        f"{name} => '{value}'" for name, value in values.items()) + ")"


def history(database):
    return database.rows(
        "select price_per_hour, valid_from, holds_until from offer_observation "
        "where instance = 'p5.48xlarge' "
        "and region = 'us-east-1' and purchase_option = 'on_demand' order by valid_from")


def test_record_offer_keeps_history(database):
    assert database.sql(record(48, "2026-10-01")) == \
        "aws/p5.48xlarge/us-east-1/h100-sxm5-80gb/8/on_demand"
    assert history(database) == [["98.32", "2024-11-03", "2026-08-01"],
                                 ["55.04", "2026-08-01", "2026-09-25"],
                                 ["55.04", "2026-09-25", "2026-10-01"], ["48", "2026-10-01", ""]]
    database.sql(record(47, "2026-10-01"))
    assert history(database)[3] == ["47", "2026-10-01", ""]
    database.sql(record(60, "2025-06-01"))
    assert history(database) == [["98.32", "2024-11-03", "2025-06-01"],
                                 ["60", "2025-06-01", "2026-08-01"],
                                 ["55.04", "2026-08-01", "2026-09-25"],
                                 ["55.04", "2026-09-25", "2026-10-01"], ["47", "2026-10-01", ""]]
    assert database.sql("select price_per_gpu_hour from offer where price_per_hour = 47") == "5.875"


def test_an_observation_holds_until_the_next_or_its_own_end(database):
    database.sql(record(48, "2026-10-01"), record(47, "2026-10-20"),
                 "update offer set valid_until = '2026-10-10' where price_per_hour = 48")
    assert history(database)[3:] == [["48", "2026-10-01", "2026-10-10"], ["47", "2026-10-20", ""]]
    database.sql("delete from offer where price_per_hour = 47",
                 "update offer set valid_until = null where price_per_hour = 48")
    assert history(database)[3:] == [["48", "2026-10-01", ""]]


def test_of_two_observations_of_a_day_the_later_import_counts(database):
    database.sql(record(48, "2026-10-01"), """insert into feed_run (format, file, sha256, observed)
            values ('offers', 'a.csv', repeat('0', 64), '2026-10-01')""", """insert into offer
            (provider, instance, region, gpu, gpu_count, purchase_option, price_per_hour,
             price_per_gpu_hour, valid_from, source, run_id, source_line)
        select provider, instance, region, gpu, gpu_count, purchase_option, 40, 5, valid_from, source,
               (select max(run_id) from feed_run), 2 from offer where price_per_hour = 48""")
    assert history(database)[3:] == [["48", "2026-10-01", "2026-10-01"], ["40", "2026-10-01", ""]]


def test_record_offer_of_something_new(database):
    database.sql(record(20, "2026-10-01", instance="new", gpu_count="4"))
    assert database.sql("select price_per_gpu_hour from offer where instance = 'new'") == "5"


@pytest.mark.parametrize("more, constraint", [
    ({"gpu": "h101"}, "offer_gpu_known"), ({"provider": "nobody"}, "offer_provider_known"),
    ({"price_per_hour": "-1"}, "offer_price_positive"), ({"source": ""}, "offer_source_given")])
def test_record_offer_refuses_nonsense(template, more, constraint):
    before = template.contents()["offer"]
    assert constraint in template.refused(record(48, "2026-10-01", **more))
    assert template.contents()["offer"] == before


def test_an_update_shows_in_the_views(database):
    database.sql("update offer set price_per_hour = 1, price_per_gpu_hour = 1 "
                 "where provider = 'coreweave' and gpu_count = 1")
    assert database.sql("select distinct price_per_gpu_hour from api.offers "
                        "where provider = 'coreweave' and gpu_count = 1") == "1"


def test_price_summary_is_over_each_providers_cheapest(database):
    database.sql("delete from offer where gpu = 'a30'")
    for provider, price in (("aws", 2), ("aws", 5), ("gcp", 4), ("azure", 9)):
        database.sql(record(price, "2026-10-01", provider=provider, gpu="a30", gpu_count="1",
                            instance=f"a30 at {price}"))
    assert database.rows("select providers, price_min, price_median, price_max "
                         "from api.price_summary where gpu = 'a30'") == [["3", "2", "4", "9"]]


@pytest.mark.parametrize("statement", [
    "insert into provider values ('acme', 'Acme', 'cloud')",
    "update offer set note = 'x'",
    "delete from model",
    "truncate exchange_rate",
    "create table public.mine ()",
    "create table api.mine ()",
    "insert into catalog_change (day) values ('2026-01-01')",
    "update schema_version set number = 99",
    "select record_offer('aws', 'x', '', 't4', 1, 'on_demand', 1, 'x')",
])
def test_the_reader_only_reads(template, statement):
    assert "permission denied" in template.refused("set role gpuplan_reader", statement)


def test_the_reader_reads_everything(template):
    for table in ("gpu", "gpu_figure", "provider", "offer", "hardware", "exchange_rate", "model",
                  "assumption", "catalog_change", "schema_version", "api.offers", "api.gpus",
                  "api.hardware", "api.models", "api.assumptions", "api.price_summary"):
        template.sql("set role gpuplan_reader", f"select count(*) from {table}",
                     "listen gpuplan")


def test_a_writer_who_may_only_touch_offers_still_notifies(database):
    """Counting changes takes no right to the count itself."""
    role = f"{database.name}_buyer"
    database.sql(f"create role {role} login", f"grant select, update on offer to {role}")
    before = count(database)
    assert 'notification "gpuplan"' in database.as_user(role).sql("listen gpuplan", PRICE,
                                                                  "select 1")
    assert count(database)[1] == before[1] + 1


def test_private_cluster_has_no_tcp(template):
    assert template.sql("show listen_addresses") == ""
    done = subprocess.run(["psql", "-X", "-h", "127.0.0.1", "-c", "select 1"],
                          env={**template.env, "PGCONNECT_TIMEOUT": "2"}, capture_output=True,
                          check=False, timeout=600)
    assert done.returncode != 0
