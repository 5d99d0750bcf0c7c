"""Rows without days of their own: every change kept with its day and who made it, for good."""
import re

import pytest

POWER = "electricity_price_per_kwh"
TODAY = "(now() at time zone 'UTC')::date"
CARD = ("insert into hardware (hardware_id, kind, seller, gpu, gpu_count, price, observed, "
        "observed_text, source) values ('{0}', 'card', 'me', 't4', 1, {1}, {2}, '{3}', 'me')")


def power(value):
    return f"update assumption set low = 0.01, value = {value}, high = 0.9 where key = '{POWER}'"


def history(database, table="assumption"):
    return database.rows("select action, before ->> 'value', after ->> 'value', changed_by "
                         f"from row_history where table_name = '{table}' order by history_id")


def pass_days(database, days):
    """As if all changes so far had been made that much earlier."""
    database.sql("set session_replication_role = replica",
                 f"update row_history set changed_at = changed_at - interval '{days} days'")


def test_what_the_first_seed_brings_is_no_change(template):
    assert template.sql("select count(*) from seed_row") != "0"
    assert template.sql("select count(*) from row_history") == "0"


def test_what_an_old_database_holds_is_no_change(empty, folder):
    """Rows that were there before there was a history count as known for ever, edited or not."""
    history_on = [path for path in sorted((folder / "migrations").iterdir()) if path.name >= "0009"]
    seed = folder / "seed.sql"
    kept = {path: path.read_text() for path in (*history_on, folder / "functions.sql", seed)}
    for path in history_on:
        path.unlink()
    (folder / "functions.sql").write_text("")
    # Tables and columns that came later were not seeded then: the table that is changed below is enough.
    seed.write_text(re.sub(r"\\set columns `head -n 1 seed/(?!assumption)\w+\.csv`.*?\n\n|-- A file for each.*?\n\n",
                           "", kept[seed], flags=re.DOTALL))
    # So did figures below zero: the one there is comes as a new row.
    assumptions = folder / "seed" / "assumption.csv"
    kept[assumptions] = assumptions.read_text()
    assumptions.write_text(re.sub(r"rent_price_decline_ratio,.*\n", "", kept[assumptions]))
    assert empty.migrate(folder).returncode == 0
    empty.sql(power(0.2))
    for path, text in kept.items():
        path.write_text(text)
    done = empty.migrate(folder)
    assert done.returncode == 0, done.stderr
    assert empty.sql("select action, key ->> 'key' from row_history") == "create|rent_price_decline_ratio"
    empty.sql(power(0.3))
    assert [row[:3] for row in history(empty)][1:] == [["change", "0.2", "0.3"]]


def test_a_seed_that_changed_is_a_change(database, folder):
    seed = folder / "seed" / "assumption.csv"
    lines = seed.read_text().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if line.startswith(POWER + ","))
    was = database.sql(f"select value from assumption where key = '{POWER}'")
    assert f",{was}," in lines[at]
    lines[at] = lines[at].replace(f",{was},", ",0.13,", 1)
    gone = lines.pop(at + 1).split(",")[0]
    seed.write_text("".join(lines))
    done = database.migrate(folder)
    assert done.returncode == 0, done.stderr
    kept = database.rows("select key ->> 'key', action, changed_by from row_history order by 1, 2")
    assert kept == sorted([[POWER, "change", "seed"], [gone, "remove", "seed"]])
    assert database.migrate(folder).returncode == 0
    assert len(history(database)) == 2, "seeding once more changes nothing"


def test_a_new_column_reaches_the_past(database, empty, folder):
    """As the README says; in a new database too, where there is no past."""
    text = (folder / "README.md").read_text()
    rule = text[text.index("alter table row_history disable"):].split("```")[0]
    (folder / "migrations" / "9001_new.sql").write_text(
        "alter table model add column new integer not null default 0;\n" + rule)
    database.sql("update model set vocab = vocab + 1 where slug = 'gpt2'")
    for each in (database, empty):
        done = each.migrate(folder)
        assert done.returncode == 0, done.stderr
        assert "history is kept" in each.refused("delete from row_history")
    assert database.sql("select before ->> 'new', after from row_history") == \
        database.sql("""select 0, format('{"vocab": %s}', vocab) from model where slug = 'gpt2'""")


@pytest.mark.parametrize("table, statement, expected", [
    ("assumption", power(0.2), ["change"]),
    ("assumption", f"delete from assumption where key = '{POWER}'", ["remove"]),
    ("assumption", f"update assumption set scope = 'x' where key = '{POWER}'", ["create", "remove"]),
    ("assumption", "update assumption set note = note", []),
    ("model", "update model set vocab = vocab + 1 where slug = 'gpt2'", ["change"]),
    ("gpu", "update gpu set year = 2019 where slug = 't4'", ["change"]),
    ("gpu_figure", "update gpu_figure set value = 1 where gpu = 't4' and figure = 'tdp'", ["change"]),
    ("gpu_figure", "delete from hardware where gpu = 'p100-sxm2-16gb';"
                   "delete from gpu where slug = 'p100-sxm2-16gb'", None),
    ("hardware", CARD.format("mine", 1, "null", ""), ["create"]),
    ("provider", "insert into provider values ('acme', 'Acme', 'cloud')", ["create"])])
def test_every_change_is_kept(database, table, statement, expected):
    figures = database.sql("select count(*) from gpu_figure where gpu = 'p100-sxm2-16gb'")
    database.sql("begin", statement, "commit")
    kept = sorted(row[0] for row in history(database, table))
    assert kept == (["remove"] * int(figures) if expected is None else expected)
    assert database.sql(f"select count(*) from row_history where changed_at::date < {TODAY} - 1 "
                        "or db_user <> session_user") == "0"


def test_who_made_it(database):
    user = database.sql("select session_user")
    database.sql(power(0.2))
    database.sql("select set_config('gpuplan.writer', 'ada', false)", power(0.3))
    assert [row[3] for row in history(database)] == [user, "ada"]
    assert database.rows("select field, before, after, changed_by from row_change "
                         "where changed_by = 'ada'") == [["value", "0.2", "0.3", "ada"]]


def test_a_change_undone_leaves_no_trace(database):
    database.sql("begin", power(0.2), "rollback")
    assert history(database) == []


@pytest.mark.parametrize("statement", [
    "delete from row_history", "truncate row_history", "update row_history set changed_by = 'me'",
    "truncate assumption", "truncate gpu cascade", "truncate hardware"])
def test_nothing_is_lost_by_mistake(database, statement):
    database.sql(power(0.2))
    assert "history is kept" in database.refused(statement)
    assert len(history(database)) == 1


def test_the_last_word_of_a_day_is_what_it_said(database):
    was = database.sql(f"select value from assumption where key = '{POWER}'")
    database.sql(power(0.2), power(0.3))
    pass_days(database, 2)
    database.sql(power(0.4), power(0.5))
    assert database.rows(f"select {TODAY} - until, before ->> 'value' from row_past order by until"
                         ) == [["2", was], ["0", "0.3"]]


def versions(database, where):
    return database.rows(
        f"select price, {TODAY} - known_from, {TODAY} - known_until from hardware_version "
        f"where {where} order by known_until")


def test_versions_of_a_purchase_price(database):
    assert versions(database, "known_from is not null or known_until is not null") == []
    database.sql(CARD.format("a", 1, "null", ""), CARD.format("b", 1, "'2026-01-01'", "2026-01"))
    assert versions(database, "hardware_id = 'a'") == [["1", "0", ""]]
    assert versions(database, "hardware_id = 'b'") == [["1", "", ""]], "it counts from its date"
    pass_days(database, 3)
    database.sql("update hardware set price = 2 where seller = 'me'")
    pass_days(database, 2)
    database.sql("delete from hardware where seller = 'me'")
    assert versions(database, "hardware_id = 'a'") == [["1", "5", "2"], ["2", "2", "0"]]
    assert versions(database, "hardware_id = 'b'") == [["1", "", "2"], ["2", "2", "0"]]
    pass_days(database, 1)
    database.sql(CARD.format("b", 3, "'2026-01-01'", "2026-01"))
    assert versions(database, "hardware_id = 'b'")[-1] == ["3", "0", ""], "not of days it was gone"


def test_the_reader_reads_history_and_writes_none(template):
    for table in ("row_history", "row_past", "row_change", "hardware_version"):
        template.sql("set role gpuplan_reader", f"select count(*) from {table}")
    for statement in ("delete from row_history", power(1)):
        assert "permission denied" in template.refused("set role gpuplan_reader", statement)


def test_every_recorded_table_has_its_key(template):
    """The trigger is told the columns of the primary key."""
    assert template.rows("""
        select c.relname, encode(tgargs, 'escape') from pg_trigger t join pg_class c on c.oid = tgrelid
        where tgname = 'recorded' order by 1""") == [
        ["assumption", "key\\000scope\\000"],
        ["gpu", "slug\\000"], ["gpu_figure", "gpu\\000figure\\000sparsity\\000accumulate\\000source\\000"],
        ["hardware", "hardware_id\\000"], ["model", "slug\\000"], ["provider", "slug\\000"]]
