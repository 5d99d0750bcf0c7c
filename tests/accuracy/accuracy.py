"""make accuracy - how far the estimates are from measured runs; also writes RESULTS.md."""

import datetime
import subprocess

import numpy

import anchor
import arrivals
import assumptions
import calibrate
import fit
import inference
import interval
import peers
import runs
import score
import serving_memory
import totals
import whole_runs
from predictor import PROGRAMS, Predictor
from serving_memory import percent

WIDEST = 46  # characters a column is padded to
RESULTS = runs.HERE / "RESULTS.md"


class Report:
    """The same text for the terminal and for the file."""

    def __init__(self):
        self.lines = []

    def say(self, *lines):
        for line in lines:
            print(line, flush=True)
            self.lines.append(line)

    def table(self, title, header, rows):
        width = [min(WIDEST, max(len(str(row[i])) for row in [header, *rows]))
                 for i in range(len(header))]
        row_of = lambda cells: "| " + " | ".join(
            f"{cell:<{w}}" if i == 0 or w == WIDEST else f"{cell:>{w}}"
            for i, (cell, w) in enumerate(zip(map(str, cells), width))) + " |"
        self.say("", f"## {title}", "", row_of(header),
                 "|" + "|".join("-" * (w + 2) for w in width) + "|", *map(row_of, rows))

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


def cells(scored):
    return [percent(scored["median_of_groups"]), percent(scored["mean"]), percent(scored["p90"]),
            percent(scored["bias"], "+")]


UNSEEN = "unseen.csv"
LEFT = "family out"  # of mixtures: that mixture in all releases

UNSTATED = {"current, stack not stated": ("stack",),
            "nor flash attention and overlap": ("stack", "flash_attention",
                                                "communication_overlap")}


def errors_of_all(rows, predict):
    """Errors with the current constants, and with each fold and GPU left out; and the constants of
    the fits without a fold."""
    problem = fit.Fit(predict, rows)
    x = problem.solve()
    errors, refits = {"current": problem.errors()}, {}
    for name, group in ((LEFT, runs.fold), ("GPU out", runs.gpu)):
        errors[name], refits[name] = problem.leave_out(group, x)
    return errors, refits[LEFT]


def errors_unstated(rows):
    """Errors where the caller does not say what the columns say."""
    out = {}
    for name, columns in UNSTATED.items():
        with Predictor(unstated=columns) as predict:
            out[name] = numpy.log(predict()) - numpy.log(runs.measured(rows))
    return out


def overall(report, rows, errors):
    header = ["step time, |ln(predicted / measured)| in %", "rows median", "rows mean", "rows p90",
              "bias", "sources median", "sources mean", "families median", "families mean"]
    body = []
    for name, each in errors.items():
        every = score.score(rows, each)
        body.append([name, *(percent(every[key]) for key in ("median", "mean", "p90")),
                     percent(every["bias"], "+")])
        for group in (runs.source, runs.family):
            over = score.over_groups(score.by(group, rows, each))
            body[-1] += [percent(over["median"]), percent(over["mean"])]
    report.table(f"Step time of {len(rows)} measured runs", header, body)
    report.say("", "A source's or family's median is that of its weight groups' medians.")


def of_class(row):
    kind = runs.interval_class(row)
    return {"moe": "mixture", "adapter": "LoRA"}.get(kind, kind)


def by_group(report, rows, errors):
    inside = score.covered(errors[LEFT], *interval.unseen(rows, errors[LEFT]))
    weight = numpy.array(runs.weights(rows))
    for title, group in (("Per class", of_class), ("Per source", runs.source),
                         ("Per family of sources", runs.family), ("Per fold", runs.fold),
                         ("Per GPU", runs.gpu), ("Per GPU generation", runs.decade),
                         ("Per year", runs.year), ("Per model size", runs.model_size),
                         ("Per software stack", runs.stack)):
        left = "GPU out" if group is runs.gpu else LEFT
        names = ["median", "mean", "p90", "bias"]
        header = [title.removeprefix("Per "), "rows", "groups", *(f"current {n}" for n in names),
                  *(f"{left} {n}" for n in names), "inside, interval of the others", "inside, weighted"]
        shown, unseen = (score.by(group, rows, errors[which]) for which in ("current", left))
        keys = numpy.array([group(row) for row in rows])
        report.table(f"{title}, %", header,
                     [[name, shown[name]["rows"], shown[name]["groups"], *cells(shown[name]),
                       *cells(unseen[name]), percent(inside[keys == name].mean()),
                       percent(numpy.average(inside[keys == name], weights=weight[keys == name]))]
                      for name in shown])


def in_force(rows, instead=None):
    """The interval factors of the catalogue, as arrays (low, high) of the rows; `instead`: scope -> (low, high)."""
    seed = assumptions.read()
    scopes = [{runs.interval_class(row)} | runs.wider_scopes(row) for row in rows]
    known = {scope: (float(row["low"]), float(row["high"])) for (key, scope), row in seed.items()
             if key == calibrate.INTERVAL} | (instead or {})
    of = lambda each, end: [known[scope][("low", "high").index(end)] for scope in each]
    return (numpy.array([min(of(each, "low")) for each in scopes]),
            numpy.array([max(of(each, "high")) for each in scopes]))


def coverage(rows, errors):
    """Share of rows inside the 80 % interval: what of, rows alike, and as the fit weighs them."""
    weight = numpy.array(runs.weights(rows))
    honest = errors[LEFT]
    cases = [(name, errors[name], in_force(rows)) for name in errors]
    cases.append(("family out, interval too", honest, interval.unseen(rows, honest)))
    return {name: (float(inside.mean()), float((inside * weight).sum() / weight.sum()))
            for name, each, bounds in cases for inside in [score.covered(each, *bounds)]}


def intervals(report, rows, errors):
    report.table("Inside the 80 % interval, %", ["errors", "rows", "weighted"],
                 [[name, percent(plain), percent(weighted)]
                  for name, (plain, weighted) in coverage(rows, errors).items()])
    seed = assumptions.read()
    report.say("", "Current factors: " + "; ".join(
        f"{scope} {row['low']} to {row['high']}" for (key, scope), row in seed.items()
        if key == calibrate.INTERVAL) + ".")


def extra(report):
    """Runs that were left out of the fit and completed with what their source does not say."""
    rows = runs.load("measurement_completed.csv")
    with Predictor("measurement_completed.csv") as predict:
        errors = numpy.log(predict()) - numpy.log(runs.measured(rows))
    group = lambda row: f"{row['source_group']}, {row['method']}"
    scored = score.by(group, rows, errors)
    completed = {group(row): row["completed"] for row in rows if row["completed"]}
    report.table("Runs never fitted, completed, %", ["source, method", "rows", "groups", "median",
                 "mean", "p90", "bias", "completed with"],
                 [[name, each["rows"], each["groups"], *cells(each), completed.get(name, "-")]
                  for name, each in scored.items()])


def unseen(unstated=()):
    """Runs of sources in no fit: rows, errors, and whether each is inside the interval that is served."""
    rows = runs.load(UNSEEN)
    with Predictor(UNSEEN, unstated=unstated) as predict:
        plans = predict.details()
    figure = lambda key: numpy.array([float(plan[key]) for plan in plans])
    measured = numpy.array(runs.measured(rows))
    inside = (figure("low") <= measured) & (measured <= figure("high"))
    return rows, numpy.log(figure("seconds") / measured), inside


# What callers rarely say of their software, of how the work is divided, and of recomputation.
SOFTWARE = ("flash_attention", "communication_overlap", "tensor_overlap", "torch_compile", "native_attention",
            "optimizer", "gradient_dtype", "master_weights")
DIVISION = (*runs.DEGREES, "expert_parallel", "virtual_stages", "sequence_parallel", "zero_stage",
            "data_parallel_shard", "micro_batch_sequences", "cpu_offload")
RECOMPUTE = ("recompute", "recompute_modules")
FEW = (*SOFTWARE, *DIVISION, *RECOMPUTE)
# The scopes made of sources, with what is taken as not stated there; the last four with the stack, and without it.
BETWEEN = {"stated": [SOFTWARE], "unstated": [("stack", *SOFTWARE)]} | {
    scope: [(*SOFTWARE, *columns), ("stack", *SOFTWARE, *columns)]
    for scope, columns in (("mixture", ()), ("searched", DIVISION + RECOMPUTE), ("searched_division", DIVISION),
                           ("searched_recompute", RECOMPUTE))}


def is_asked(scope, row):
    """Whether a run on NVIDIA's GPUs, as it is asked, is among those that the scope is made of: dense, or a mixture."""
    if scope == "mixture":
        return runs.on_nvidia(row) and scope in runs.wider_scopes(row)
    if runs.interval_class(row) not in ("dense", "divided") or not runs.on_nvidia(row):
        return False
    if scope in ("stated", "unstated"):
        return (runs.stack(row) == "unspecified") == (scope == "unstated")
    return runs.searched(row) == scope


def sources(scope):
    """Runs on NVIDIA's GPUs, fitted or not, that the scope is made of: families and errors."""
    families, errors = [], []
    for columns in BETWEEN[scope]:
        for name in (runs.TRAINING, UNSEEN):
            rows = runs.load(name)
            with Predictor(name, unstated=columns) as predict:
                off = numpy.log(predict()) - numpy.log(runs.measured(rows))
            asked = [is_asked(scope, {**row, **dict.fromkeys(columns, "")}) for row in rows]
            families += [runs.family(row) for row, mine in zip(rows, asked) if mine]
            errors += off[asked].tolist()
    return numpy.array(families), numpy.array(errors)


def between_without(unstated=()):
    """Of each source in no fit, the share inside an interval whose scopes were made without it."""
    rows, errors, _ = unseen(unstated)
    names = numpy.array([runs.family(row) for row in rows])
    asked = [{**row, **dict.fromkeys(unstated, "")} for row in rows]
    made = {scope: sources(scope) for scope in BETWEEN}
    shares = {}
    for name in sorted(set(names.tolist())):
        instead = {scope: interval.between(of[of != name], off[of != name]) for scope, (of, off) in made.items()}
        mine = [row for row in asked if runs.family(row) == name]
        shares[name] = float(score.covered(errors[names == name], *in_force(mine, instead)).mean())
    return shares


def inside_by_family(rows, inside):
    names = [runs.family(row) for row in rows]
    return {name: float(inside[[each == name for each in names]].mean()) for name in sorted(set(names))}


def never_fitted(report):
    rows, errors, inside = unseen()
    shares = inside_by_family(rows, inside)
    report.table("Sources that no fit has seen, %", ["source", "stack", "rows", "groups", "median", "mean", "p90",
                 "bias", "inside"],
                 [[name, next(runs.stack(row) for row in rows if runs.family(row) == name), each["rows"],
                   each["groups"], *cells(each), percent(shares[name])]
                  for name, each in score.by(runs.family, rows, errors).items()])
    report.say("", f"Inside, each source weighing the same: {percent(numpy.mean(list(shares.values())))} %; where the "
               "interval between sources is made without the source: "
               f"{percent(numpy.mean(list(between_without().values())))} %.")


def left_out():
    """Runs of the calibration that are in no table, and why."""
    return [[row["runs"], row["count"], row["why"]] for row in runs.load("left_out.csv")]


def memory(report):
    """The table of the memory program, where it has been built."""
    program = PROGRAMS / "memory"
    if program.exists():
        for title, arguments in (("Memory per GPU", []),
                                 ("Memory per GPU, one other run of a group given", ["pairs"])):
            done = subprocess.run([program, *arguments], text=True, capture_output=True, check=False)
            report.say("", f"## {title}", "", "```", *done.stdout.rstrip().splitlines(), "```")


def constants(report):
    seed = assumptions.read()
    kinds = {(row["key"], row["scope"]): row
             for name in ("constants.csv", inference.CONSTANTS) for row in runs.load(name)}
    report.table("Current constants", ["constant", "low", "value", "high", "kind", "what",
                 "from"],
                 [[" ".join(name).strip(), *(seed[name][key] or "-" for key in assumptions.FIGURES),
                   row["kind"], row["meaning"], f"{seed[name]['source']}, "
                   f"{seed[name]['source_date']}"] for name, row in kinds.items()])


def main():
    report, rows = Report(), runs.load()
    report.say("# How far the estimates are from measured runs", "",
               f"Written by `make accuracy` on {datetime.date.today()}. Error is ln(predicted / "
               "measured), in percent. Current: the constants that the catalogue serves. Family "
               "or GPU out: refitted without the rows it is scored on. Every release of one vendor's "
               "tables is one family, and a mixture is left out in all releases that have it: column "
               "fold of measurement_training.csv, committed before the fit.")
    with Predictor() as predict:
        errors, refits = errors_of_all(rows, predict)
    overall(report, rows, {**errors, **errors_unstated(rows)})
    by_group(report, rows, errors)
    intervals(report, rows, errors)
    extra(report)
    never_fitted(report)
    report.table("Runs left out altogether", ["rows", "count", "why"], left_out())
    report.table("Whole runs as published, and their plans", *whole_runs.table())
    report.say("", f"Inside an interval fitted without the run: {percent(whole_runs.unseen())} % of those whose "
               f"number of GPUs is stated, {percent(whole_runs.unseen(lambda row: True))} % of all.")
    report.table("Whole runs set up as they were", *totals.table())
    points = peers.compare(refits)
    report.table("Calculon's validation points (Korthikanti et al., table 5)",
                 *peers.table("calculon", points))
    report.say("", "Four of the eight, 22B and 175B, are among the runs of the fit.")
    report.table("SimuMax's published table, B200", *peers.table("simumax", points))
    report.say("", "SimuMax predicts from tables of kernels measured on that very machine; gpuplan "
               "has the datasheet. 24 of the dense points are among the runs of the fit.")
    memory(report)
    for each in (*serving_memory.tables(), *inference.tables(), arrivals.table()):
        report.table(*each)
    for each in anchor.tables():
        report.table(*each)
    report.say("", "One, two, three or five runs of one source, model, GPU, release of an engine and "
               "file of weights are given, another is predicted (anchor.py); runs is how many are predicted "
               "from one. From two on only cells of six runs or more are asked.")
    report.table(*anchor.table_of_limits())
    report.say("", "The nearest run is that of the same cell whose load, length and degree differ by "
               "the fewest doublings. The mean of all others and the best factor (the median, with the "
               "predicted run in it) correct each cell by one factor: what is left is how runs of a "
               "cell differ among themselves. Apart where alike: two runs of a cell with the same "
               "load, length and degree.")
    constants(report)
    report.write(RESULTS)
    print(f"\nwrote {RESULTS}")


if __name__ == "__main__":
    main()
