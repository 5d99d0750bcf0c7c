"""Quotes: what they may say, every change numbered, signed and kept, and who may write them."""
import pytest

RENT = {"kind": "'rental'", "provider": "'acme'", "gpu": "'t4'", "purchase_option": "'spot'",
        "price": "1.5", "price_unit": "'per_gpu_hour'"}
SERVER = {"kind": "'hardware'", "provider": "'acme'", "gpu": "'t4'", "gpu_count": "4",
          "price": "9000", "price_unit": "'per_server'"}
DISCOUNT = {"kind": "'discount'", "provider": "'acme'", "discount_ratio": "0.2"}
AS_WRITER = "set role gpuplan_writer"


def insert(quote=None, **more):
    columns = (quote or RENT) | more
    return f"insert into quote ({', '.join(columns)}) values ({', '.join(columns.values())})"


def signed(name):
    return f"select set_config('gpuplan.writer', '{name}', false)"


def history(database):
    return database.rows("select version, action, changed_by, content ->> 'price' "
                         "from quote_history order by quote_id, version")


@pytest.mark.parametrize("more, constraint", [
    ({"kind": "'gift'"}, "quote_unit_fits|quote_kind_known"), ({"gpu": "'h101'"}, "quote_gpu_known"),
    ({"provider": "'Acme'"}, "quote_provider_form"), ({"provider": "'a,b'"}, "quote_provider_form"),
    ({"gpu_count": "0"}, "quote_count_sane"), ({"purchase_option": "null"}, "quote_option_fits"),
    ({"purchase_option": "'owned'"}, "quote_option_fits"), ({"price": "0"}, "quote_price_fits"),
    ({"price": "'NaN'"}, "quote_price_fits"), ({"price": "'Infinity'"}, "quote_price_fits"),
    ({"price_unit": "'per_card'"}, "quote_unit_fits"), ({"currency": "'eur'"}, "quote_currency_form"),
    ({"valid_from": "'2026-02-02'", "valid_until": "'2026-02-01'"}, "quote_validity_forward"),
    ({"valid_until": "'infinity'"}, "quote_days_sane"),
    ({"valid_from": "'1999-01-01'"}, "quote_days_sane")])
def test_a_quote_that_makes_no_sense_is_refused(template, more, constraint):
    refused = template.refused(insert(**more))
    assert any(name in refused for name in constraint.split("|")), refused


@pytest.mark.parametrize("more, constraint", [
    ({"purchase_option": "'spot'"}, "quote_option_fits"), ({"region": "'eu'"}, "quote_region_fits"),
    ({"price_unit": "'per_card'"}, "quote_card_is_one"),
    ({"price_unit": "'per_gpu_hour'"}, "quote_unit_fits")])
def test_what_is_not_for_hardware(template, more, constraint):
    assert constraint in template.refused(insert(SERVER, **more))


@pytest.mark.parametrize("more, constraint", [
    ({"discount_ratio": "0"}, "quote_discount_fits"), ({"discount_ratio": "1.1"}, "quote_discount_fits"),
    ({"discount_ratio": "null"}, "quote_discount_fits"), ({"price": "1"}, "quote_price_fits"),
    ({"discount_ratio": "'NaN'"}, "quote_discount_fits"),
    ({"price_unit": "'per_gpu_hour'"}, "quote_unit_fits"), ({"region": "'eu'"}, "quote_region_fits"),
    ({"purchase_option": "'owned'"}, "quote_option_fits"), ({"gpu": "'h101'"}, "quote_gpu_known")])
def test_what_is_not_for_discounts(template, more, constraint):
    assert constraint in template.refused(insert(DISCOUNT, **more))


@pytest.mark.parametrize("more, constraint", [
    ({"discount_ratio": "0.1"}, "quote_discount_fits"), ({"gpu": "null"}, "quote_gpu_given"),
    ({"price": "null"}, "quote_price_fits"), ({"price_unit": "null"}, "quote_unit_fits")])
def test_what_a_rental_must_have(template, more, constraint):
    assert constraint in template.refused(insert(**more))


def test_discounts_and_what_is_paid_for(database):
    database.sql(insert(DISCOUNT), insert(DISCOUNT, gpu="'t4'", purchase_option="'spot'"),
                 insert(purchase_option="'on_demand'", price="0"))
    assert database.rows("select kind, price, discount_ratio from quote order by quote_id") == [
        ["discount", "", "0.2"], ["discount", "", "0.2"], ["rental", "0", ""]]
    assert database.rows("select gpu, quoted_gpu from quote_version order by quote_id") == [
        ["", ""], ["", "t4"], ["t4", "t4"]], "a daemon from before discounts has no GPU to price"


def test_each_change_is_numbered_signed_and_kept(database):
    database.sql(signed("ada"), insert(), "update quote set price = 2", signed("bob"),
                 "update quote set price = 2", "update quote set hidden = true",
                 "update quote set hidden = false, price = 3")
    assert history(database) == [
        ["1", "create", "ada", "1.5"], ["2", "replace", "ada", "2"],
        ["3", "hide", "bob", "2"], ["4", "restore", "bob", "3"]]
    assert database.rows("select version, price, hidden, changed_by from quote") == [
        ["4", "3", "f", "bob"]]
    assert database.rows("select field, before, after from quote_change where version = 4 "
                         "order by field") == [["hidden", "true", "false"], ["price", "2", "3"]]


def test_without_a_name_the_login_signs(database):
    database.sql(insert())
    user = database.sql("select session_user")
    assert database.rows("select changed_by, db_user from quote_history") == [[user, user]]


def test_number_version_and_signature_are_not_for_the_asking(database):
    database.sql(insert(version="7", changed_by="'me'", changed_at="'2020-01-01'"))
    database.sql("update quote set version = 9, changed_by = 'me', changed_at = '2020-01-01'")
    assert database.sql("select version, changed_by <> 'me', changed_at > '2026-01-01' "
                        "from quote") == "1|t|t"
    assert len(history(database)) == 1


@pytest.mark.parametrize("statement", [
    "delete from quote", "truncate quote cascade", "delete from quote_history",
    "truncate quote_history", "update quote_history set changed_by = 'me'"])
def test_nothing_is_lost_by_mistake(database, statement):
    database.sql(insert())
    assert "their history is kept" in database.refused(statement)
    assert len(history(database)) == 1


def test_a_change_undone_leaves_no_trace(database):
    database.sql("begin", insert(), "rollback")
    assert history(database) == [] and database.sql("select count(*) from quote") == "0"


def test_a_quote_counts_towards_the_version_and_notifies(database):
    before = database.sql("select catalog_version()")
    heard = database.sql("listen gpuplan", AS_WRITER, insert(), "reset role", "select 1")
    assert 'notification "gpuplan"' in heard
    assert database.sql("select catalog_version()") != before


def test_versions_follow_on_each_other(database):
    database.sql(insert(valid_until="'2199-12-31'"), "update quote set price = 2")
    assert database.rows(
        "select version, price, recorded = (now() at time zone 'UTC')::date, superseded = recorded,"
        " valid_before, created_at < changed_at from quote_version order by version") == [
        ["1", "1.5", "t", "t", "2200-01-01", "f"], ["2", "2", "t", "", "2200-01-01", "t"]]


def test_the_view_for_reports_leaves_hidden_ones_out(database):
    database.sql(insert(), insert(SERVER), "update quote set hidden = true where kind = 'rental'")
    assert database.rows("select kind, price, valid from api.quotes") == [["hardware", "9000", "t"]]


def test_the_writer_writes_quotes(database):
    database.sql(AS_WRITER, signed("ada"), insert(), "update quote set price = 2",
                 "select quote_id, version from quote for update", "update quote set hidden = true")
    assert [row[1] for row in history(database)] == ["create", "replace", "hide"]
    assert {row[2] for row in history(database)} == {"ada"}


@pytest.mark.parametrize("statement", [
    "delete from quote", "truncate quote", insert(version="7"), insert(changed_by="'me'"),
    "update quote set version = 7", "update quote set changed_by = 'me'",
    "insert into quote_history values (1, 1, 'create', now(), 'me', 'me', '{}')",
    "update quote_history set changed_by = 'me'", "delete from quote_history",
    "select * from quote_history", "select * from offer", "update offer set note = ''",
    "insert into exchange_rate values ('EUR', '2026-01-01', 1, 'me')",
    "insert into catalog_change (day) values ('2026-01-01')", "create table public.mine ()",
    "create table api.mine ()", "alter table quote disable trigger all",
    "set session_replication_role = replica"])
def test_the_writer_does_nothing_else(template, statement):
    refused = template.refused("create temp table unrelated ()", AS_WRITER, statement)
    assert "permission denied" in refused or "must be owner" in refused, refused


def test_the_reader_reads_quotes_and_writes_none(template):
    for table in ("quote", "quote_history", "quote_version", "quote_change", "api.quotes"):
        template.sql("set role gpuplan_reader", f"select count(*) from {table}")
    for statement in (insert(), "update quote set price = 2", "delete from quote_history"):
        assert "permission denied" in template.refused("set role gpuplan_reader", statement)


def test_migrating_again_changes_nothing(database):
    database.sql(insert())
    before = database.contents(), database.schema()
    assert database.migrate().returncode == 0
    assert (database.contents(), database.schema()) == before


# --- the keys they are posted with

def add_key(key="'k-1'", sent="repeat('a', 64)", quote_id="(select max(quote_id) from quote)"):
    return f"insert into quote_key (key, sent, quote_id) values ({key}, {sent}, {quote_id})"


@pytest.mark.parametrize("more, constraint", [
    ({"key": "''"}, "quote_key_form"), ({"key": "'a b'"}, "quote_key_form"),
    ({"key": "repeat('k', 256)"}, "quote_key_form"), ({"sent": "'beef'"}, "quote_key_sent_form"),
    ({"quote_id": "-1"}, "made_at"), ({"key": "null"}, "not-null")])
def test_a_key_that_makes_no_sense_is_refused(database, more, constraint):
    database.sql(insert())
    assert constraint in database.refused(add_key(**more))


def test_a_key_is_one_writers_and_is_kept(database):
    database.sql(insert(), signed("ada"), AS_WRITER, add_key(), signed("bob"), add_key())
    assert database.rows("select writer, key, made_at = changed_at, k.valid_from = q.valid_from "
                         "from quote_key k join quote q using (quote_id) order by writer") == [
        ["ada", "k-1", "t", "t"], ["bob", "k-1", "t", "t"]]
    assert "quote_key_pkey" in database.refused(signed("ada"), add_key())
    for statement in ("delete from quote_key", "update quote_key set quote_id = 1",
                      "truncate quote_key"):
        assert "refused" in database.refused(statement)


def test_a_writer_signs_no_key_for_another(database):
    database.sql(insert())
    assert "permission denied" in database.refused(
        AS_WRITER, "insert into quote_key (writer, key, sent, quote_id) "
        "select 'eve', 'k', repeat('a', 64), max(quote_id) from quote")


def archive(key="repeat('a', 64)", **more):
    columns = {"key": key, "question": "'/v1/gpus?'", "format": "'json'", "model_version": "'1.1'",
               "catalog_version": "'20261120.1'", "body": "'{}'"} | more
    return f"insert into archived_reply ({', '.join(columns)}) values ({', '.join(columns.values())})"


def test_the_writer_archives_replies(database):
    database.sql(AS_WRITER, archive(), "select body from archived_reply")
    assert "archived_reply_pkey" in database.refused(AS_WRITER, archive(body="'[]'"))
    database.sql("set role gpuplan_reader", "select body from archived_reply")
    for constraint, more in (("archived_reply_key_form", {"key": "'k'"}),
                             ("archived_reply_format_form", {"format": "'../x'"})):
        assert constraint in database.refused(archive(**more))


@pytest.mark.parametrize("statement", [
    "update archived_reply set body = '[]'", "delete from archived_reply", "truncate archived_reply",
    archive("repeat('b', 64)", archived_at="'2020-01-01'"),
    archive("repeat('b', 64)") + " on conflict (key) do update set body = '[]'",
    "drop table archived_reply"])
def test_what_is_archived_is_not_for_the_daemon_to_change(database, statement):
    database.sql(archive())
    for role in ("gpuplan_writer", "gpuplan_reader", "gpuplan_importer"):
        refused = database.refused(f"set role {role}", statement)
        assert "permission denied" in refused or "must be owner" in refused, refused


def test_archiving_is_no_change_of_the_catalogue(database):
    before = database.sql("select catalog_version()")
    assert "notification" not in database.sql("listen gpuplan", archive(), "select 1")
    assert database.sql("select catalog_version()") == before
