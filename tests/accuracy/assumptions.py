"""The catalogue's assumptions as the seed has them, and how a refit changes them."""

import csv
import io
import pathlib

SEED = pathlib.Path("sql/seed/assumption.csv")
MIGRATIONS = pathlib.Path("sql/migrations")
FIGURES = ("low", "value", "high")

MIGRATION = """\
-- {number}_calibration.sql - constants refitted. Written by `make calibrate`, not by hand.
--
-- {what}
--
-- A row that somebody edited or removed in the database stays as it is, as it does when the seed is
-- applied; where there is no seed yet, it brings the same figures.

create temp table calibrated on commit drop as
select v.key, v.scope, v.low, v.value, v.high, v.source, v.source_date
from (values
    {rows}
) as v (key, scope, low, value, high, source, source_date)
    join assumption a on a.key = v.key and a.scope = v.scope
    join seed_row s on s.table_name = 'assumption' and s.content = to_jsonb(a)
        and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);

update assumption a
set low = c.low, value = c.value, high = c.high, source = c.source, source_date = c.source_date,
    date_basis = 'collected'
from calibrated c
where a.key = c.key and a.scope = c.scope;

update seed_row s
set content = to_jsonb(a)
from assumption a join calibrated c on a.key = c.key and a.scope = c.scope
where s.table_name = 'assumption' and s.key = jsonb_build_object('key', a.key, 'scope', a.scope);
"""


def read(path=SEED):
    """(key, scope) -> row."""
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["key"], row["scope"]): row for row in csv.DictReader(file)}


def refitted(rows, figures, source, date):
    """The rows that `figures` changes: (key, scope) -> {low, value, high} as text. A row whose
    figures and source stay the same keeps its date too, so that a second refit changes nothing."""
    out = {}
    for name, new in figures.items():
        row = {**rows[name], **new, "source": source}
        if row != rows[name]:
            out[name] = {**row, "source_date": date, "date_basis": "collected"}
    return out


def line(cells):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def write_seed(changed, path=SEED):
    """The same file with the changed rows replaced, every other byte as it was."""
    out = []
    for text in path.read_text(encoding="utf-8").splitlines(keepends=True):
        name = tuple(next(csv.reader([text]))[:2])
        out.append(line(changed[name].values()) if name in changed else text)
    path.write_text("".join(out), encoding="utf-8")


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def values(row):
    figures = [f"{row[name]}::numeric" if row[name] else "null::numeric" for name in FIGURES]
    return "({})".format(", ".join(
        [literal(row["key"]), literal(row["scope"]), *figures, literal(row["source"]),
         f"date {literal(row['source_date'])}"]))


def write_migration(changed, what, folder=MIGRATIONS):
    """The next free number; says which file it wrote."""
    last = max(int(path.name[:4]) for path in folder.glob("[0-9]*.sql"))
    path = folder / f"{last + 1:04}_calibration.sql"
    rows = ",\n    ".join(values(row) for row in changed.values())
    path.write_text(MIGRATION.format(number=f"{last + 1:04}", what=what, rows=rows),
                    encoding="utf-8")
    return path
