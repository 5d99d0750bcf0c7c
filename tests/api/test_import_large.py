"""A large file of offers, whose rows go straight into their table, gives what the same rows give in
small files, whose rows are compared with the table first."""
import csv
import datetime
import random

from conftest import stopped_after
from test_import import rows_of, started_world

HEADER = ("provider", "instance", "region", "zone", "gpu", "gpu_count", "purchase_option", "price_per_hour",
          "offer_currency", "observed_date", "source_url")
SOURCE = "https://prices.example/" + "history/" * 8
PIECES, ROWS = 4, 9000
KEPT = ("provider, instance, region, zone, gpu, gpu_count, purchase_option, price_per_hour::text, "
        "price_per_gpu_hour::text, currency, valid_from, valid_until, undated, observed_text, flagged_stale, "
        "usable, source, note, offer_id")


world = stopped_after("module", started_world)


def price(draw):
    """Numbers of every form: whole, short, with halves to round, longer than is computed here, tiny and huge."""
    return draw.choice((
        str(draw.randrange(1, 900)), f"{draw.uniform(0.01, 99):.4f}", f"{draw.uniform(1, 9):.9f}",
        f"{draw.randrange(1, 9)}.0000000{draw.randrange(1, 9)}5", repr(draw.uniform(1, 9)),
        repr(draw.uniform(1, 9) * 1e-3), repr(draw.uniform(1, 9) * 1e6), f"{draw.randrange(1, 9)}.50"))


def offers(draw):
    """Rows of 500 machines, each on a row of days; and the rows of an earlier list of some of them."""
    rows, earlier = [], []
    for number in range(ROWS // 18):
        option = ("on_demand", "spot")[number % 2]
        offer = ("aws", f"made-up/{number}", "region:1" if number % 3 else "", "a" if number % 5 else "",
                 draw.choice(("t4", "h100-sxm5-80gb", "l4")), draw.choice((1, 3, 7, 8)), option)
        for day in range(18):
            day = datetime.date(2026, 1, 1) + datetime.timedelta(weeks=day)
            rows.append((*offer, price(draw), draw.choice(("USD", "EUR")), day, SOURCE))
            if draw.random() < 0.05:
                earlier.append(rows[-1] if draw.random() < 0.5 else (*offer, "123.4567", *rows[-1][8:]))
    return rows, earlier


def repeated(draw, rows):
    """Some rows come twice, with the same or with another price, in the same piece of the file."""
    pieces = [rows[i::PIECES] for i in range(PIECES)]
    for piece in pieces:
        for row in draw.sample(piece, 20):
            piece.append(row)
        for row in draw.sample(piece, 20):
            piece.append((*row[:7], "77.5", *row[8:]))
    return pieces


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows((HEADER, *rows))
    return str(path)


def added(world, runs):
    return world.query(f"select {KEPT} from offer where run_id in ({','.join(map(str, runs))}) "
                       "order by offer_id collate \"C\", valid_from, price_per_hour").splitlines()


def counts(runs):
    return {fate: sum(run[fate] for run in runs) for fate in ("rows", "taken", "unchanged", "refused")}


def test_large_file_as_small_ones(world, tmp_path):
    draw = random.Random(19)
    rows, earlier = offers(draw)
    pieces = repeated(draw, rows)
    before = world.contents()
    first = world.take(write(tmp_path / "earlier.csv", earlier))["files"][0]
    start = world.contents()
    small = [world.take("--report", str(tmp_path / f"refused{i}.csv"),
                        write(tmp_path / f"piece{i}.csv", piece))["files"][0]
             for i, piece in enumerate(pieces)]
    expected = added(world, [run["run"] for run in small])
    for run in reversed(small):
        world.undo(run["run"])
    assert world.contents() == start

    path = write(tmp_path / "large.csv", sum(pieces, []))
    large = world.take("--report", str(tmp_path / "refused.csv"), path)["files"][0]
    assert added(world, [large["run"]]) == expected
    assert counts([large]) == counts(small)
    assert large["refused"] > 100 and large["unchanged"] > 50 and len(expected) == large["taken"] > 8000
    assert sorted(row["text"] for row in rows_of(tmp_path / "refused.csv")) == sorted(
        row["text"] for i in range(PIECES) for row in rows_of(tmp_path / f"refused{i}.csv"))
    # The line that is kept with a row is its own.
    lines = (tmp_path / "large.csv").read_text(encoding="utf-8").splitlines()
    for line, instance, day in (row.split("|") for row in world.query(
            f"select source_line, instance, valid_from from offer where run_id = {large['run']}").splitlines()):
        assert f",{instance}," in lines[int(line) - 1] and f",{day}," in lines[int(line) - 1]
    # Two statements wrote them: one those that went straight, the other those that were compared.
    assert world.query(f"select count(distinct cmin::text) from offer where run_id = {large['run']}") == "2"
    assert world.query("select count(*) from offer where price_per_gpu_hour::text <> "
                       "trim_scale(round(price_per_hour / gpu_count, 9))::text "
                       f"and run_id = {large['run']}") == "0"

    again = world.take(write(tmp_path / "again.csv", [*sum(pieces, []), rows[0]]))["files"][0]
    assert again["taken"] == 0 and again["unchanged"] == large["taken"] + large["unchanged"] + 1
    world.undo(large["run"])
    world.undo(first["run"])
    assert world.contents() == before


def test_large_file_of_new_rows(world, tmp_path):
    """All go straight, and are counted by the line."""
    before = world.contents()
    rows = [(*row[:7], "2.5", *row[8:]) for row in offers(random.Random(20))[0]]
    done = world.take(write(tmp_path / "new.csv", rows))["files"][0]
    assert counts([done]) == {"rows": ROWS, "taken": ROWS, "unchanged": 0, "refused": 0}
    assert world.query("select count(*), count(distinct source_line), sum(price_per_hour) from offer "
                       f"where run_id = {done['run']}") == f"{ROWS}|{ROWS}|{2.5 * ROWS}"
    world.undo(done["run"])
    assert world.contents() == before
