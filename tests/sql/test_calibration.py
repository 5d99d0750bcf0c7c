"""A refit reaches a new database by the seed and an old one by its migration: the same figures."""

import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests" / "accuracy"))
import assumptions  # pylint: disable=wrong-import-position

FIGURES = "select key, scope, low, value, high, source, source_date from assumption order by 1, 2"
NEW = {("eta1", ""): {"low": "0.6", "value": "0.61", "high": "0.62"},
       ("cb", ""): {"low": "2", "value": "2.111", "high": "2.3"},
       ("step_interval_factor", "dense"): {"low": "0.801", "high": "1.301"}}


@pytest.fixture
def refitted(folder):
    """A copy of sql/ as `make calibrate` leaves it."""
    seed = folder / "seed" / "assumption.csv"
    changed = assumptions.refitted(assumptions.read(seed), NEW, "a fit", "2026-11-20")
    assert set(changed) == set(NEW)
    assumptions.write_migration(changed, "Why.", folder / "migrations")
    assumptions.write_seed(changed, seed)
    return folder


def eta1(database):
    return database.rows("select value, source from assumption where key = 'eta1' and scope = ''")


def test_fresh_and_old_end_with_the_same_figures(database, empty, refitted):
    assert eta1(database) != [["0.61", "a fit"]]
    for each in (database, empty):
        done = each.migrate(refitted)
        assert done.returncode == 0, done.stderr
        assert eta1(each) == [["0.61", "a fit"]]
    assert database.sql(FIGURES) == empty.sql(FIGURES)
    assert database.contents()["seed_row"] == empty.contents()["seed_row"]


def test_the_migration_alone_does_it(database, refitted):
    """Not the seed after it: that may bring other changes of the same rows."""
    (refitted / "seed.sql").write_text("")
    assert database.migrate(refitted).returncode == 0
    assert eta1(database) == [["0.61", "a fit"]]


def test_a_later_seed_still_changes_the_row(database, refitted):
    seed = refitted / "seed" / "assumption.csv"
    seed.write_text(seed.read_text().replace("a fit", "a later source"))
    assert database.migrate(refitted).returncode == 0
    assert eta1(database) == [["0.61", "a later source"]]


def test_what_was_edited_in_the_database_stays(database, refitted):
    database.sql("update assumption set low = 0.4, value = 0.5 where key = 'eta1'",
                 "delete from assumption where key = 'cb'")
    assert database.migrate(refitted).returncode == 0
    assert database.rows("select value from assumption where key = 'eta1' and scope = ''") == [["0.5"]]
    assert database.rows("select value from assumption where key = 'cb'") == []
    assert database.rows("select low from assumption where key = 'step_interval_factor' "
                         "and scope = 'dense'") == [["0.801"]]
