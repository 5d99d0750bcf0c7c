"""A throw-away PostgreSQL for the SQL tests, and a fresh migrated database for each of them."""

import itertools
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SQL = ROOT / "sql"


class Database:
    """One database of the cluster; statements go through psql."""

    def __init__(self, server, name, user=None):
        self.name = name
        self.env = {**server, "PGDATABASE": name}
        if user:
            self.env["PGUSER"] = user

    def as_user(self, user):
        return Database(self.env, self.name, user)

    def psql(self, *statements):
        arguments = [part for text in statements for part in ("-c", text)]
        return subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *arguments],
            env=self.env, text=True, capture_output=True, timeout=600, check=False)

    def sql(self, *statements):
        """The output of statements that must succeed."""
        done = self.psql(*statements)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def rows(self, statement):
        return [line.split("|") for line in self.sql(statement).splitlines()]

    def refused(self, *statements):
        """The error of statements that must fail."""
        done = self.psql(*statements)
        assert done.returncode != 0, f"accepted: {statements}"
        return done.stderr

    def migrate(self, folder=SQL):
        return subprocess.run([folder / "migrate.sh"], env=self.env, text=True,
                              capture_output=True, timeout=600, check=False)

    def schema(self):
        """The schema as pg_dump sees it, without what differs from dump to dump."""
        dump = subprocess.run(["pg_dump", "--schema-only", "--no-owner"], env=self.env, text=True,
                              capture_output=True, timeout=600, check=True).stdout
        return [line for line in dump.splitlines() if not line.startswith("\\")]

    def contents(self):
        """Every row of every table but when things were done, and stamps."""
        tables = self.sql("select string_agg(tablename, ' ' order by tablename) from pg_tables "
                          "where schemaname = 'public'").split()
        contents = {table: [] for table in tables}
        for line in self.sql(" union all ".join(
                f"select '{table}|' || (to_jsonb(t) - array['ran_at', 'changed_at', 'stamp'])::text from {table} t"
                for table in tables)).splitlines():
            table, row = line.split("|", 1)
            contents[table].append(row)
        return {table: sorted(rows) for table, rows in contents.items()}


@pytest.fixture(scope="session")
def server():
    """PG* variables of a cluster that lives as long as the session."""
    with subprocess.Popen([SQL / "private.sh", "tmp", "--", "sh", "-c", "env; echo; exec cat"],
                          text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        lines = itertools.takewhile(str.strip, process.stdout)
        env = {"PATH": os.environ["PATH"]}
        env.update(line.rstrip("\n").split("=", 1) for line in lines if line.startswith("PG"))
        assert env.get("PGHOST"), "no PostgreSQL server"
        yield env
        process.stdin.close()


@pytest.fixture(scope="session")
def names():
    return (f"test_{number}" for number in itertools.count(1))


@pytest.fixture(scope="session")
def template(server, names):
    """A migrated and seeded database that others are copied from."""
    database = Database(server, next(names))
    Database(server, "postgres").sql(f"create database {database.name}")
    done = database.migrate()
    assert done.returncode == 0, done.stderr
    return database


@pytest.fixture
def database(server, template, names):
    """A copy of the migrated database, for this test alone."""
    copy = Database(server, next(names))
    Database(server, "postgres").sql(f"create database {copy.name} template {template.name} strategy file_copy")
    return copy


@pytest.fixture
def empty(server, names):
    """A database with nothing in it."""
    fresh = Database(server, next(names))
    Database(server, "postgres").sql(f"create database {fresh.name}")
    return fresh


@pytest.fixture
def folder(tmp_path):
    """A copy of sql/ that a test may change."""
    return pathlib.Path(shutil.copytree(SQL, tmp_path / "sql"))
