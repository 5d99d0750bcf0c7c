"""The api views are a contract: reports name their columns. And what retention removes."""
import pathlib

LIST = pathlib.Path(__file__).parent / "data/api_views.txt"


def listed(template):
    return "".join(f"{view}: {columns}\n" for view, columns in template.rows("""
        select relname, string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', '
                                   order by attnum)
        from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0
        where relnamespace = 'api'::regnamespace and relkind = 'v' group by 1 order by 1"""))


def test_names_and_types_stay(template):
    """A view or column may come to the end of its line; one that goes or changes breaks reports."""
    assert listed(template) == LIST.read_text()


def test_every_view_and_column_says_what_it_is(template):
    assert template.rows("""
        select relname, attname from pg_class join pg_attribute on attrelid = pg_class.oid
        where relnamespace = 'api'::regnamespace and relkind = 'v' and attnum >= 0
            and coalesce(col_description(pg_class.oid, attnum), '') = ''""") == []
    assert template.sql("select count(*) from pg_class where relnamespace = 'api'::regnamespace "
                        "and obj_description(oid) is null") == "0"
    assert template.sql("select col_description('api.quotes'::regclass, attnum) from pg_attribute "
                        "where attrelid = 'api.quotes'::regclass and attname = 'kind'"
                        ) == "rental, hardware or discount"


def test_reports_read_every_view_and_write_none(template):
    views = [line.split(":")[0] for line in listed(template).splitlines()]
    assert len(views) >= 10
    for view in views:
        template.sql("set role gpuplan_reader", f"select * from api.{view}")
        assert template.sql(f"""select has_table_privilege('gpuplan_reader', 'api.{view}',
            'insert, update, delete, truncate, references, trigger')""") == "f", view


def add(database, price, day, usable=True):
    day = f"'{day}'" if day else "null"
    database.sql(f"""insert into offer (provider, instance, gpu, gpu_count, purchase_option,
            price_per_hour, price_per_gpu_hour, valid_from, source, usable)
        values ('aws', 'x', 't4', 1, 'spot', {price}, {price}, {day}, 'test', {usable})""")


def kept(database):
    return database.sql("select string_agg(price_per_hour::text, ' ' order by price_per_hour) "
                        "from offer where instance = 'x'")


def test_the_summary_has_quartiles(database):
    database.sql("delete from offer where gpu = 't4'")
    for price, provider in enumerate(("aws", "gcp", "azure", "lambda", "runpod"), 1):
        database.sql(f"select record_offer('{provider}', 'x', '', 't4', 1, 'spot', {price}, 'test')")
    assert database.rows("select price_lower_quartile, price_median, price_upper_quartile "
                         "from api.price_summary where gpu = 't4'") == [["2", "3", "4"]]


def test_stale_is_by_the_provider(database):
    add(database, 1, "2000-01-01")
    stale = "select stale from api.offers where instance = 'x'"
    assert database.sql(stale) == "t"
    database.sql("update provider set stale_days = 36500 where slug = 'aws'")
    assert database.sql(stale) == "f"


def test_pruning_keeps_what_counts_on_every_day_since(database):
    today = "(now() at time zone 'UTC')::date"
    for price, day in enumerate((None, 500, 400, 300, 200, 100), 1):
        add(database, price, day and database.sql(f"select {today} - {day}"))
    add(database, 7, database.sql(f"select {today} - 450"), usable=False)
    assert database.sql("select prune_offers(1000)") == "0"
    counted = database.sql("select price_per_hour from offer_observation where instance = 'x' and "
                           f"valid_from <= {today} - 250 and holds_until > {today} - 250")
    database.sql("select prune_offers(250)")
    assert kept(database) == "4 5 6 7" and counted == "4"
    database.sql("select prune_offers(1)")
    assert kept(database) == "6 7", "the last one stays, however old"
    assert database.sql("select prune_offers(1)") == "0"


def test_pruning_on_the_day_of_an_observation(database):
    """On the cutoff the newer one counts already; a day before, the older one does."""
    today = "(now() at time zone 'UTC')::date"
    for price, day in ((1, 20), (2, 10)):
        add(database, price, database.sql(f"select {today} - {day}"))
    database.sql("select prune_offers(11)")
    assert kept(database) == "1 2"
    database.sql("select prune_offers(10)")
    assert kept(database) == "2"


def test_how_long_is_a_setting(database):
    add(database, 1, "2001-01-01")
    add(database, 2, "2002-01-01")
    for wrong in ("select prune_offers()", "select prune_offers(0)", "select prune_offers(-5)"):
        assert "gpuplan.keep_days" in database.refused(wrong)
    database.sql(f"alter database {database.name} set gpuplan.keep_days = '365'")
    database.sql("select prune_offers()")
    assert kept(database) == "2"


def test_readers_cannot_prune(template):
    for role in ("gpuplan_reader", "gpuplan_writer"):
        assert "permission denied" in template.refused(f"set role {role}", "select prune_offers(1)")


def test_pruned_rows_do_not_come_back_with_the_seed(database):
    database.sql("select prune_offers(1)")
    before = database.contents()["offer"]
    assert database.migrate().returncode == 0
    assert database.contents()["offer"] == before
