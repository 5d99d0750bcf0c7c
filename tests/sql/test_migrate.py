"""Migrations run once, in order, and never differ from one database to the next."""

import re
import subprocess


def test_twice_is_once(database):
    schema, contents = database.schema(), database.contents()
    done = database.migrate()
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert database.schema() == schema
    assert database.contents() == contents


def test_two_at_once(empty):
    from conftest import SQL

    both = [subprocess.Popen([SQL / "migrate.sh"], env=empty.env, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    output = [process.communicate(timeout=600) for process in both]
    assert [process.returncode for process in both] == [0, 0], output
    said = output[0][0] + output[1][0]
    assert said.count("migrated 0001") == 1
    assert empty.sql("select count(*) from offer") == "1368"


def test_fresh_equals_upgraded(template, empty, folder):
    later = sorted((folder / "migrations").glob("[0-9]*.sql"))[1:]
    kept = {path: path.read_text() for path in later}
    for path in later:
        path.unlink()
    # The code and the seed of that time are not there any more; the schema of that time is.
    for name in ("functions.sql", "seed.sql"):
        kept[folder / name] = (folder / name).read_text()
        (folder / name).write_text("")
    assert empty.migrate(folder).returncode == 0
    assert empty.sql("select count(*) from schema_version") == "1"

    for path, text in kept.items():
        path.write_text(text)
    done = empty.migrate(folder)
    assert done.returncode == 0, done.stderr
    assert empty.schema() == template.schema()
    assert empty.contents() == template.contents()


def test_an_edited_migration_is_refused(database, folder):
    first = sorted((folder / "migrations").glob("[0-9]*.sql"))[0]
    first.write_text(first.read_text() + "\ncreate table sneaked_in ();\n")
    done = database.migrate(folder)
    assert done.returncode != 0
    assert "edited" in done.stderr and first.stem in done.stderr
    assert database.sql("select to_regclass('sneaked_in') is null") == "t"


def test_a_failing_migration_leaves_nothing(database, folder):
    (folder / "migrations" / "9001_broken.sql").write_text(
        "create table half_done ();\nselect 1 / 0;\n")
    assert database.migrate(folder).returncode != 0
    assert database.sql("select to_regclass('half_done') is null") == "t"
    assert database.sql("select count(*) from schema_version where number = 9001") == "0"


def test_a_new_migration_runs(database, folder):
    (folder / "migrations" / "9001_more.sql").write_text("create table more ();\n")
    done = database.migrate(folder)
    assert done.stdout.split() == ["migrated", "9001_more"], done.stderr


def test_a_deadlock_is_tried_again(database):
    """Somebody who writes to two tables in the other order, and is not the one that PostgreSQL ends."""
    from conftest import SQL

    waiting = "select true from pg_locks where not granted and relation = 'quote_key'::regclass"
    other = subprocess.Popen(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1"], env=database.env, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    other.stdin.write("set deadlock_timeout = '1min';\nbegin;\nlock quote_key in row exclusive mode;\nselect 'locked';\n")
    other.stdin.flush()
    assert other.stdout.readline() == "locked\n"
    migration = subprocess.Popen([SQL / "migrate.sh"], env=database.env, text=True, stderr=subprocess.PIPE)
    while migration.poll() is None and database.sql(waiting) != "t":
        pass
    other.communicate("lock quote in row exclusive mode;\ncommit;\n", timeout=600)
    assert other.returncode == 0
    _, said = migration.communicate(timeout=600)
    assert migration.returncode == 0 and said == "migrate.sh: the tables are in use, try 2 of 20\n"


def test_without_the_right_to_make_roles(server, database, names):
    """Still migrates, and says in one line that there is no read-only role."""
    owner, name = f"{database.name}_owner", next(names)
    database.sql(f"create role {owner} login", f"create database {name} owner {owner}")
    database.env["PGDATABASE"] = name
    done = database.as_user(owner)
    done.env["PGDATABASE"] = name
    result = done.migrate()
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("gpuplan_reader") == 1, result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert done.sql("select count(*) from gpu") == "70"


def test_the_program_needs_the_newest_schema(template):
    """A refit of constants that are there already changes nothing it needs."""
    from conftest import ROOT

    header = (ROOT / "service" / "store" / "load.h").read_text()
    needed = int(re.search(r"STORE_SCHEMA_VERSION = (\d+) }", header)[1])
    migrations = (ROOT / "sql" / "migrations").glob("*.sql")
    schema = max(int(path.name[:4]) for path in migrations if "calibration" not in path.name)
    assert schema <= needed <= int(template.sql("select max(number) from schema_version"))


def test_everything_with_a_unit_is_commented(template):
    assert template.rows("""
        select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and attnum > 0
            and attname ~ '(price|value|low|high|per_usd|date|observed|valid|window|position)'
            and attname not in ('observed_text') and relname <> 'seed_row'
            and col_description(c.oid, attnum) is null
            and (relname, attname) not in (('exchange_rate', 'observed'),
                ('assumption', 'source_date'), ('model', 'source_date'))""") == []
    assert template.rows("""
        select relname from pg_class
        where relnamespace in ('public'::regnamespace, 'api'::regnamespace)
            and relkind in ('r', 'v') and obj_description(oid, 'pg_class') is null""") == []
