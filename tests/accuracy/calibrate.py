"""make calibrate - refit the constants to the measured runs, and write what comes out.

Writes the next migration, which changes a database that has the former figures, and the same figures
into the seed, for a new one. Nothing is written where nothing changes. Arguments name the parts to
refit, of training, inference and calendar; all of them where there are none.
"""

import datetime
import hashlib
import sys

import assumptions
import fit
import inference
import interval
import runs
import whole_runs
from predictor import Predictor

INTERVAL = "step_interval_factor"


def source(name, rows):
    """What a constant was fitted on, and by which command; the date has a column of its own."""
    digest = hashlib.sha256((runs.path(name)).read_bytes()).hexdigest()[:12]
    n_sources = len({runs.source(row) for row in rows})
    return (f"least squares on {len(rows)} published runs of {n_sources} sources "
            f"({runs.path(name)}, sha256 {digest}), make calibrate")


def refit(problem):
    """The constants, what they range over when a fold is left out, and the interval factors."""
    x = problem.solve()
    errors, refits = problem.leave_out(runs.fold, x)
    return problem.constants(x), refits, interval.factors(problem.rows, errors)


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


def step_times():
    """(key, scope) -> figures, and what they were fitted on."""
    rows = runs.load()
    with Predictor() as predict:
        constants, refits, factors = refit(fit.Fit(predict, rows))
    return figures(constants, refits, factors), source(runs.TRAINING, rows)


def inference_times():
    rows = runs.load(inference.FILE)
    with Predictor(inference.FILE, program="serve") as predict:
        constants, refits, factors = inference.refit(
            *inference.fitted(rows, predict, inference.INTERVAL_GROUPS))
    out = {tuple(key.split(":")) if ":" in key else (key, ""): value
           for (key, _), value in figures(constants, refits, {}).items()}
    for name, factor in factors.items():
        out[inference.INTERVAL, name] = {"value": f"{factor:.3f}"}
    out[inference.UNSPECIFIED] = {"value": f"{inference.unspecified_engine(constants):.4g}"}
    return out, source(inference.FILE, rows)


def calendar():
    """What whole runs take beyond their steps, by the plans that the catalogue now gives."""
    rows = [row for row in runs.load(whole_runs.FILE) if whole_runs.complete(row)]
    digest = hashlib.sha256((runs.path(whole_runs.FILE)).read_bytes()).hexdigest()[:12]
    where = (f"median and 10th to 90th percentile of {len(rows)} published whole runs over their plans "
             f"({runs.path(whole_runs.FILE)}, sha256 {digest}), make calibrate")
    return {whole_runs.KEY: whole_runs.fitted(whole_runs.hours())}, where


# In order: each is fitted with what those before it wrote.
PARTS = {"training": step_times, "inference": inference_times, "calendar": calendar}


def main(parts):
    before, today, changed, what = assumptions.read(), datetime.date.today().isoformat(), {}, []
    for part in parts:
        seed = assumptions.read()
        new, where = PARTS[part]()
        missing = sorted(set(new) - set(seed))
        if missing:
            raise SystemExit(f"the catalogue has no such assumption: {missing}")
        of = assumptions.refitted(seed, new, where, today)
        assumptions.write_seed(of)
        changed.update(of)
        what += [where[0].upper() + where[1:]] if of else []
    for (key, scope), row in changed.items():
        was = before[key, scope]
        print(f"{key:22}{scope:24}", *(f"{was[name] or '-':>10} -> {row[name] or '-':<10}"
                                       for name in assumptions.FIGURES))
    if not changed:
        print("nothing changes: the catalogue already has what the fits give")
        return
    path = assumptions.write_migration(changed, "; ".join(what) + f", {today}.")
    print(f"wrote {path} and {assumptions.SEED}")


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
