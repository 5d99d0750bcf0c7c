"""make accuracy - how far the estimates are from measured runs; also writes RESULTS.md."""

import datetime
import subprocess

import numpy

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
from predictor import PROGRAMS, Predictor

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


def percent(value, sign=""):
    return f"{100 * value:{sign}.1f}"


def cells(scored):
    return [percent(scored["median_of_groups"]), percent(scored["mean"]), percent(scored["p90"]),
            percent(scored["bias"], "+")]


UNSTATED = {"in force, stack not stated": ("stack",),
            "nor flash attention and overlap": ("stack", "flash_attention",
                                                "communication_overlap")}


def errors_of_all(rows, predict):
    """Errors with the constants in force, and with each source, family and GPU left out; and the
    constants of the fits without a source."""
    problem = fit.Fit(predict, rows)
    x = problem.solve()
    errors, refits = {"in force": problem.errors()}, {}
    for name, group in (("source out", runs.source), ("family out", runs.family),
                        ("GPU out", runs.gpu)):
        errors[name], refits[name] = problem.leave_out(group, x)
    return errors, refits["source out"]


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


def by_group(report, rows, errors):
    for title, group, left in (
            ("Per source", runs.source, "source out"), ("Per family of sources", runs.family,
            "family out"), ("Per GPU", runs.gpu, "GPU out"),
            ("Per model size", runs.model_size, "source out"),
            ("Per software stack", runs.stack, "source out")):
        names = ["median", "mean", "p90", "bias"]
        header = [title.removeprefix("Per "), "rows", "groups", *(f"in force {n}" for n in names),
                  *(f"{left} {n}" for n in names)]
        shown, unseen = (score.by(group, rows, errors[which]) for which in ("in force", left))
        report.table(f"{title}, %", header,
                     [[name, shown[name]["rows"], shown[name]["groups"], *cells(shown[name]),
                       *cells(unseen[name])] for name in shown])


def in_force(rows):
    """The interval factors of the catalogue, as arrays (low, high) of the rows."""
    seed = assumptions.read()
    bounds = [seed[calibrate.INTERVAL, runs.interval_class(row)] for row in rows]
    return (numpy.array([float(each["low"]) for each in bounds]),
            numpy.array([float(each["high"]) for each in bounds]))


def coverage(rows, errors):
    """Share of rows inside the 80 % interval: what of, rows alike, and as the fit weighs them."""
    weight = numpy.array(runs.weights(rows))
    honest = interval.honest_errors(rows, errors["family out"], errors["source out"])
    cases = [(name, errors[name], in_force(rows)) for name in errors]
    cases.append(("family out, interval too", honest, interval.unseen(rows, honest)))
    return {name: (float(inside.mean()), float((inside * weight).sum() / weight.sum()))
            for name, each, bounds in cases for inside in [score.covered(each, *bounds)]}


def intervals(report, rows, errors):
    report.table("Inside the 80 % interval, %", ["errors", "rows", "weighted"],
                 [[name, percent(plain), percent(weighted)]
                  for name, (plain, weighted) in coverage(rows, errors).items()])
    seed = assumptions.read()
    report.say("", "Factors in force: " + "; ".join(
        f"{scope} {row['low']} to {row['high']}" for (key, scope), row in seed.items()
        if key == calibrate.INTERVAL) + ".")


def extra(report):
    """Runs that were left out of the fit and completed with what their source does not say."""
    rows = runs.load("training_extra.csv")
    with Predictor("training_extra.csv") as predict:
        errors = numpy.log(predict()) - numpy.log(runs.measured(rows))
    group = lambda row: f"{row['source_group']}, {row['method']}"
    scored = score.by(group, rows, errors)
    completed = {group(row): row["completed"] for row in rows if row["completed"]}
    report.table("Runs never fitted, completed, %", ["source, method", "rows", "groups", "median",
                 "mean", "p90", "bias", "completed with"],
                 [[name, each["rows"], each["groups"], *cells(each), completed.get(name, "-")]
                  for name, each in scored.items()])


LEFT_OUT = (
    ("ao_h100-004 to -012", 9, "the model is not named"),
    ("simumax_a100pcie", 18, "read off a chart, no step time; trust C"),
    ("torchtune-002, -004", 2, "78 to 94 % of the GPU's peak, faster than a faster card: the source "
     "must mean another GPU"),
    ("torchtune-009", 1, "not packed: most tokens of a batch are padding"),
    ("torchtune-021, -023", 2, "the source does not say whether tokens/s are per device"),
    ("llmc-005", 1, "half the time of the same-size run beside it: a slip in a comment"),
)


def memory(report):
    """The table of the memory program, where it has been built."""
    program = PROGRAMS / "memory"
    if program.exists():
        done = subprocess.run([program], text=True, capture_output=True, check=False)
        report.say("", "## Memory per GPU", "", "```", *done.stdout.rstrip().splitlines(), "```")


def constants(report):
    seed = assumptions.read()
    kinds = {(row["key"], row["scope"]): row
             for name in ("constants.csv", inference.CONSTANTS) for row in runs.load(name)}
    report.table("Constants in force", ["constant", "low", "value", "high", "kind", "what",
                 "from"],
                 [[" ".join(name).strip(), *(seed[name][key] or "-" for key in assumptions.FIGURES),
                   row["kind"], row["meaning"], f"{seed[name]['source']}, "
                   f"{seed[name]['source_date']}"] for name, row in kinds.items()])


def main():
    report, rows = Report(), runs.load()
    report.say("# How far the estimates are from measured runs", "",
               f"Written by `make accuracy` on {datetime.date.today()}. Error is ln(predicted / "
               "measured), in percent. In force: the constants as the catalogue has them. Source, "
               "family or GPU out: refitted without the rows it is scored on.")
    with Predictor() as predict:
        errors, refits = errors_of_all(rows, predict)
    overall(report, rows, {**errors, **errors_unstated(rows)})
    by_group(report, rows, errors)
    intervals(report, rows, errors)
    extra(report)
    report.table("Runs left out altogether", ["rows", "count", "why"], LEFT_OUT)
    report.table("Whole runs", *totals.table())
    points = peers.compare(refits)
    report.table("Calculon's validation points (Korthikanti et al., table 5)",
                 *peers.table("calculon", points))
    report.say("", "Four of the eight, 22B and 175B, are among the runs of the fit.")
    report.table("SimuMax's published table, B200", *peers.table("simumax", points))
    report.say("", "SimuMax predicts from tables of kernels measured on that very machine; gpuplan "
               "has the datasheet. 24 of the dense points are among the runs of the fit.")
    memory(report)
    for each in (*serving_memory.tables(), *inference.tables()):
        report.table(*each)
    constants(report)
    report.write(RESULTS)
    print(f"\nwrote {RESULTS}")


if __name__ == "__main__":
    main()
