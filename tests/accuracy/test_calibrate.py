"""What a refit writes: the same figures into the seed and the migration, and nothing twice."""

import shutil

import assumptions
import calibrate


def seed_in(tmp_path):
    path = tmp_path / "assumption.csv"
    shutil.copy(assumptions.SEED, path)
    return path


def test_only_the_changed_rows_are_written(tmp_path):
    path = seed_in(tmp_path)
    before = path.read_text(encoding="utf-8").splitlines()
    new = {("eta1", ""): {"low": "0.7", "value": "0.71", "high": "0.72"}}
    changed = assumptions.refitted(assumptions.read(path), new, 'from, "here"', "2026-11-21")
    assumptions.write_seed(changed, path)
    after = path.read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line, was in zip(after, before) if line != was] == ["eta1"]
    row = assumptions.read(path)["eta1", ""]
    assert (row["low"], row["value"], row["high"]) == ("0.7", "0.71", "0.72")
    assert (row["source"], row["source_date"]) == ('from, "here"', "2026-11-21")


def test_the_same_again_changes_nothing(tmp_path):
    path = seed_in(tmp_path)
    new = {("eta1", ""): {"low": "0.7", "value": "0.71", "high": "0.72"}}
    assumptions.write_seed(
        assumptions.refitted(assumptions.read(path), new, "fit", "2026-11-21"), path)
    assert assumptions.refitted(assumptions.read(path), new, "fit", "2026-11-22") == {}
    assert assumptions.refitted(assumptions.read(path), new, "fit of more", "2026-11-22") != {}


def test_migrations_count_up(tmp_path):
    for name in ("0001_a.sql", "0007_b.sql"):
        (tmp_path / name).touch()
    row = {**assumptions.read()["eta1", ""], "value": "0.71", "source": "it's fitted"}
    path = assumptions.write_migration({("eta1", ""): row}, "Why.", tmp_path)
    assert path.name == "0008_calibration.sql"
    assert "'it''s fitted'" in path.read_text(encoding="utf-8")


def test_the_band_is_that_of_the_refits():
    figures = calibrate.figures({"eta1": 0.74321}, {"a": {"eta1": 0.7}, "b": {"eta1": 0.75}},
                                {"dense": (0.8591, 1.2034)})
    assert figures["eta1", ""] == {"low": "0.7", "value": "0.7432", "high": "0.75"}
    assert figures[calibrate.INTERVAL, "dense"] == {"low": "0.859", "high": "1.203"}
