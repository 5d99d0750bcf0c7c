"""make calibrate - refit the training constants to the measured runs, and write what comes out.

Writes the next migration, which changes a database that has the former figures, and the same figures
into the seed, for a new one. Nothing is written where nothing changes.
"""

import datetime
import hashlib

import assumptions
import fit
import interval
import runs
from predictor import Predictor

INTERVAL = "step_interval_factor"


def source(rows):
    """What a constant was fitted on, and by which command; the date has a column of its own."""
    digest = hashlib.sha256((runs.HERE / "training.csv").read_bytes()).hexdigest()[:12]
    n_sources = len({runs.source(row) for row in rows})
    return (f"least squares on {len(rows)} published runs of {n_sources} sources "
            f"(tests/accuracy/training.csv, sha256 {digest}), make calibrate")


def refit(rows, problem):
    """The constants, what they range over when a family is left out, and the interval factors."""
    x = problem.solve()
    family_out, refits = problem.leave_out(runs.family, x)
    source_out, _ = problem.leave_out(runs.source, x)
    errors = interval.honest_errors(rows, family_out, source_out)
    return problem.constants(x), refits, interval.factors(rows, errors)


def figures(constants, refits, factors):
    """As the catalogue's text: four digits, the band being that of the refits."""
    out = {}
    for key, value in constants.items():
        band = [value, *(each[key] for each in refits.values())]
        out[key, ""] = {"low": f"{min(band):.4g}", "value": f"{value:.4g}",
                        "high": f"{max(band):.4g}"}
    for kind, (low, high) in factors.items():
        out[INTERVAL, kind] = {"low": f"{low:.3f}", "high": f"{high:.3f}"}
    return out


def main():
    rows = runs.load()
    with Predictor() as predict:
        new = figures(*refit(rows, fit.Fit(predict, rows)))
    seed = assumptions.read()
    missing = sorted(set(new) - set(seed))
    if missing:
        raise SystemExit(f"the catalogue has no such assumption: {missing}")
    today = datetime.date.today().isoformat()
    changed = assumptions.refitted(seed, new, source(rows), today)
    for (key, scope), row in changed.items():
        was = seed[key, scope]
        print(f"{key:22}{scope:8}", *(f"{was[name] or '-':>10} -> {row[name] or '-':<10}"
                                      for name in assumptions.FIGURES))
    if not changed:
        print("nothing changes: the catalogue already has what the fit gives")
        return
    path = assumptions.write_migration(changed, source(rows).capitalize() + f", {today}.")
    assumptions.write_seed(changed)
    print(f"wrote {path} and {assumptions.SEED}")


if __name__ == "__main__":
    main()
