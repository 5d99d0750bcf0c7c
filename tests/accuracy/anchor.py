"""What runs of one's own are worth: some measured runs of a source are given, another one is predicted.

Runs belong to one cell if one source measured them on one GPU with one model, one format and one
release of one engine. Each run of a cell is predicted from 1, 2, 3 or 5 others drawn at random (from
one: from each other) and from the two with the fewest and the most in flight. A prediction weighs
1 / (how many there are of that run) / sqrt(runs of its cell). Printed: the mean and median error
without and with the runs, by the constants of the catalogue and by those fitted without the run's
fold (a family of models for inference, a family of sources for training).

    python3 tests/accuracy/anchor.py
"""

import collections
import math
import re

import numpy
from scipy import optimize

import assumptions
import inference
import runs
from predictor import Predictor

KINDS = ("served", "stream")  # what is asked about a replica that keeps requests in flight
COUNTS = (1, 2, 3, 5)
MOST_PREDICTIONS = 60  # of a cell's runs together, where others are drawn
TABLE_PREDICTIONS = 200  # the same for the tables
SAME = 0.01  # doublings
TREND = 0.02  # standard deviation of the prior of a trend, per doubling
ROUNDS, MOST = 4, 3.0  # of service/estimate/measurement/carry.c

# The constants of struct carry_constants that are fitted: key, scope, and the centre of a prior
# whose standard deviation is 1 in the logarithm.
TRAINING = ((("memory", 0.1), ("communication", 0.4), ("bubble", 0.2)), "load", 0.1,
            ("", 0.9, ("batch", 0.15), ("length", 0.2), ("gpu_count", 0.05)), None, ())
TOKEN = ((("inference_weights", 0.07), ("inference_requests", 0.2), ("inference_communication", 0.25),
          ("inference_host", 0.13), ("inference_prompts", 0.25)), "inference_load", 0.07,
         ("inference", 0.95, ("inference_batch", 0.2), ("inference_length", 0.1),
          ("inference_gpu_count", 0.3)), ("inference_far", 0.5),
         ("vllm", "tensorrt_llm", "sglang"))
FIRST = ((), None, 1.0, ("first_token", 0.9, ("first_token_batch", 0.2), ("first_token_length", 0.2),
                         ("first_token_gpu_count", 0.3)), None, ())
# What an engine's errors of a time per token change with, in doublings.
TRENDS = ("batch", "input", "output")


def number(text):
    return float(text) if text else math.nan


def container(row):
    """The release of the software where a source measured several: its notes name the container."""
    named = re.search(r"container ([\d.]+)", row["note"])
    return named[1] if named else ""


def training_cell(row):
    shape = (row.get("model"), row["layers"], row["hidden"], row["experts"])
    return (row["source_group"], container(row), shape, row["gpu"], row["stack"], row["precision"], row["method"])


def training_features(row):
    """Logarithms to base two, as service/estimate/measurement/nearest.c has them."""
    gpus, sequence = number(row["gpu_count"]), number(row["sequence_tokens"])
    return [math.log2(number(row["global_batch_sequences"]) * sequence / gpus),
            math.log2(sequence), math.log2(gpus)]


def training_class(row):
    return f"training, {'mixture' if row.get('model') or row['experts'] else 'dense'}"


def weights_file(row):
    """What was quantised and how, where a source measured several of one shape."""
    return re.findall(r"(\S+), of the same shape|(gptq-[^;]+|EXL2 [^;]+)", row["note"])


def inference_cell(row):
    return (row["source"], row["source_group"], row["model"], row["gpu"], row["engine"],
            row["engine_version"], row["weight_dtype"], str(weights_file(row)),
            row["attention_data_parallel"] not in ("", "1"))


def inference_features(row):
    return [math.log2(number(row["concurrent_requests"]) if row["kind"] == "served" else 1),
            math.log2(number(row["input_tokens"]) + number(row["output_tokens"])),
            math.log2(number(row["tensor_parallel"]) * number(row["pipeline_parallel"]))]


def inference_trend(row):
    return [inference_features(row)[0], math.log2(number(row["input_tokens"]) + 1),
            math.log2(number(row["output_tokens"]) + 1)]


def inference_class(row):
    return f"{inference.engine(row)}, {inference.size(row)}"


class Constants:
    """The constants of struct carry_constants as one vector of logarithms."""

    def __init__(self, layout, slots):
        parts, self.load, load, (scope, strength, *fades), self.caution, self.trends = layout
        self.slots, self.rows, centre = slots, [], []
        for name, value in parts:
            self.add("correction_spread", name, value, centre)
        if self.load:
            self.add("correction_spread", self.load, load, centre)
        self.add("correction_strength", scope, strength, centre)
        for name, value in fades + ([self.caution] if self.caution else []):
            self.add("correction_fade", name, value, centre)
        self.head = len(centre)
        for engine in self.trends:
            for name in TRENDS:
                self.add("correction_trend", f"{engine}_{name}", 1, centre)
        self.interval = ("correction_interval_share", scope if scope == "first_token" else "")
        self.parts, self.centre = len(parts), numpy.log(centre)

    def add(self, key, scope, value, centre):
        self.rows.append((key, scope))
        centre.append(value)

    def current(self):
        """Those that the daemon uses."""
        rows = assumptions.read()
        return numpy.log([float(rows[row]["value"]) for row in self.rows])

    def split(self, x):
        """Variances of parts and load, the load's own, fades, caution."""
        values = numpy.exp(numpy.clip(x[:self.head], -5, 0.5)).tolist()
        of_parts, rest = values[:self.parts], values[self.parts:]
        load = (rest.pop(0) if self.load else 1.0) ** 2
        own = load * (1 / min(0.999, rest.pop(0)) - 1)
        variances = numpy.zeros(self.slots[0])
        variances[list(self.slots[1])] = numpy.square(of_parts)
        return variances, load, own, numpy.array(rest[:3]), (rest[3] if self.caution else 0.0)

    def engine(self, row):
        return self.trends.index(row["engine"]) if row["engine"] in self.trends else len(self.trends)

    def slopes(self, x):
        """Of each engine, and at the end of all others, which have none."""
        rows = len(self.trends) + 1
        return numpy.append(x[self.head:], [0] * len(TRENDS)).reshape(rows, -1)


class Cells:
    """Runs with the error of the estimate for each, grouped into cells."""

    def __init__(self, rows, errors, parts, interval, layout, slots, cell, features, kind, fold):
        """`interval` has the logarithms of both ends of the 80 % interval over the estimate."""
        self.errors, self.parts, self.interval = errors, parts, interval
        self.constants = Constants(layout, (parts.shape[1], slots))
        known = [i for i in range(len(rows)) if numpy.isfinite(errors[i])]
        self.at = numpy.zeros((len(rows), 3))
        self.at[known] = [features(rows[i]) for i in known]
        cells = collections.defaultdict(list)
        for i in known:
            cells[cell(rows[i])].append(i)
        self.cells = [numpy.array(each) for each in cells.values()]
        self.kinds = numpy.array([kind(row) for row in rows])
        self.folds = numpy.array([fold(row) for row in rows])
        self.trend = numpy.zeros((len(rows), len(TRENDS)))
        self.engines = numpy.zeros(len(rows), int)
        if self.constants.trends:
            self.trend[known] = [inference_trend(rows[i]) for i in known]
            self.engines[known] = [self.constants.engine(rows[i]) for i in known]

    def questions(self, count, least, most=MOST_PREDICTIONS):
        """(asked, given, weights): `count` runs given, in cells of `least` runs or more."""
        draw, asked, given, weights = numpy.random.default_rng(23), [], [], []
        for cell in self.cells:
            if len(cell) < max(least, count + 1):
                continue
            for run in cell:
                others = cell[cell != run]
                times = max(1, most // len(cell))
                tuples = ([[other] for other in others] if count == 1 and len(others) <= times else
                          [draw.choice(others, count, replace=False) for _ in range(times)])
                asked += [run] * len(tuples)
                given += list(tuples)
                weights += [1 / len(tuples) / math.sqrt(len(cell))] * len(tuples)
        return numpy.array(asked), numpy.array(given), numpy.array(weights)

    def ends(self, least):
        """The same, given the two others with the fewest and the most requests in flight, or tokens per GPU."""
        asked, given, weights = [], [], []
        for cell in self.cells:
            if len(cell) < least:
                continue
            for run in cell:
                others = cell[cell != run]
                order = others[numpy.argsort(self.at[others, 0], kind="stable")]
                asked.append(run)
                given.append([order[0], order[-1]])
                weights.append(1 / math.sqrt(len(cell)))
        return numpy.array(asked), numpy.array(given), numpy.array(weights)

    def nearest(self):
        """The same: the nearest run of its cell, in doublings of load, length and degree; all that
        are equally near."""
        asked, given, weights = [], [], []
        for cell in self.cells:
            for run in cell if len(cell) > 1 else ():
                others = cell[cell != run]
                apart = numpy.abs(self.at[others] - self.at[run]).sum(1)
                near = others[apart < apart.min() + SAME]
                asked += [run] * len(near)
                given += [[other] for other in near]
                weights += [1 / len(near) / math.sqrt(len(cell))] * len(near)
        return numpy.array(asked), numpy.array(given), numpy.array(weights)

    def alike(self, questions):
        """The pairs with one given run, whose load, length and degree are those asked for."""
        apart = numpy.abs(self.at[questions[0]] - self.at[questions[1][:, 0]]).sum(1)
        return tuple(each[apart < SAME] for each in questions)

    def by_cell(self, questions, predict):
        """The errors that `predict` gives for the runs asked, from the errors of each cell."""
        predicted = numpy.zeros(len(self.errors))
        for cell in self.cells:
            if len(cell) > 1:
                predicted[cell] = predict(self.errors[cell])
        return predicted[questions[0]]

    def moved(self, x, questions):
        """The errors of the given runs, moved along the engine's trend to the load asked for."""
        asked, given, _ = questions
        slopes = self.constants.slopes(x)
        apart = self.trend[asked][:, None] - self.trend[given]
        return self.errors[given] + numpy.einsum("nkt,nt->nk", apart, slopes[self.engines[asked]])

    def carried(self, x, questions):
        return self.carry(x, questions)[0]

    def carry(self, x, questions):
        """carry_over() of service/estimate/measurement/carry.c: the error, and the share known."""
        asked, given, _ = questions
        part, load, own, fades, caution = self.constants.split(x)
        at, shares, moved = self.at[given], self.parts[given], self.moved(x, questions)
        fading = load * numpy.exp(-numpy.abs(at[:, :, None] - at[:, None]) @ fades)
        fading += own * numpy.eye(given.shape[1])
        apart = numpy.abs(self.at[asked][:, None] - at) @ fades
        factors = numpy.zeros((len(asked), len(part)))
        for _ in range(ROUNDS):
            seconds = shares * numpy.exp(factors)[:, None]
            total = seconds.sum(2)
            slopes = seconds / total[:, :, None]
            right = (moved - numpy.log(total)
                     + numpy.einsum("nkp,np->nk", slopes, factors))
            covariance = numpy.einsum("nip,p,njp->nij", slopes, part, slopes) + fading
            solved = numpy.linalg.solve(covariance, right[:, :, None])[:, :, 0]
            factors = numpy.clip(numpy.einsum("p,nkp,nk->np", part, slopes, solved), -MOST, MOST)
        seconds = self.parts[asked] * numpy.exp(factors)
        slope = seconds / seconds.sum(1)[:, None]
        near = load * numpy.exp(-apart) + numpy.einsum("np,p,nkp->nk", slope, part, slopes)
        residual = (numpy.log(seconds.sum(1))
                    + numpy.einsum("nk,nk->n", load * numpy.exp(-apart), solved))
        explained = numpy.einsum("nk,nk->n", near,
                                 numpy.linalg.solve(covariance, near[:, :, None])[:, :, 0])
        before = load + numpy.einsum("np,p,np->n", slope, part, slope)
        taken = numpy.exp(-caution * apart.min(1))
        return taken * residual, taken * numpy.sqrt(numpy.minimum(1, explained / before))

    def classes(self, questions):
        return sorted(set(self.kinds[questions[0]].tolist()))

    def score(self, predicted, questions, kind=None):
        """Mean and median of the absolute error."""
        of = self.kinds[questions[0]] == kind if kind else slice(None)
        wrong = numpy.abs(self.errors[questions[0]] - predicted)[of]
        weights = questions[2][of]
        order = numpy.argsort(wrong)
        total = numpy.cumsum(weights[order])
        middle = wrong[order][numpy.searchsorted(total, total[-1] / 2)]
        return numpy.average(wrong, weights=weights), middle

    def inside(self, x, questions, kind=None):
        """The share of measured figures in the interval around the corrected estimate."""
        asked, _, weights = questions
        of = self.kinds[asked] == kind if kind else numpy.ones(len(asked), bool)
        residual, share = self.carry(x, questions)
        left = self.errors[asked] - residual
        exponent = 1 - float(assumptions.read()[self.constants.interval]["value"]) * share
        low, high = (exponent * end[asked] for end in self.interval)
        return numpy.average(((left >= low) & (left <= high))[of], weights=weights[of])

    def loss(self, x, tried):
        """The mean error from one run and from three, with a price on classes that a single
        run makes worse."""
        total = 1e-3 * ((x - self.constants.centre) ** 2).sum()
        for n, questions in enumerate(tried):
            predicted = self.carried(x, questions)
            total += self.score(predicted, questions)[0]
            for kind in self.classes(questions) if n == 0 else ():
                worse = (self.score(predicted, questions, kind)[0]
                         - 0.995 * self.score(0 * predicted, questions, kind)[0])
                total += 2 * max(0, worse)
        return total

    def fit_trends(self, x, without=None):
        """Trends of errors inside cells by generalised least squares, a fold left out."""
        part, load, own, fades, _ = self.constants.split(x)
        out = numpy.zeros((len(self.constants.trends), len(TRENDS)))
        for engine in range(len(out)):
            left = numpy.eye(len(TRENDS)) / TREND ** 2
            right = numpy.zeros(len(TRENDS))
            for cell in self.cells:
                if len(cell) < 2 or self.engines[cell[0]] != engine or self.folds[cell[0]] == without:
                    continue
                at, shares = self.at[cell], self.parts[cell]
                covariance = load * numpy.exp(-numpy.abs(at[:, None] - at[None]) @ fades)
                covariance += shares * part @ shares.T + own * numpy.eye(len(cell))
                away = self.trend[cell] - self.trend[cell].mean(0)
                solved = numpy.linalg.solve(covariance, away).T
                left, right = left + solved @ away, right + solved @ self.errors[cell]
            out[engine] = numpy.linalg.solve(left, right)
        return out.ravel()

    def fit(self, without=None):
        """The constants that predict best when a fold is left out."""
        tried = []
        for count, least, thin, most in ((1, 2, 2, 200), (3, 6, 6, MOST_PREDICTIONS)):
            questions = self.questions(count, least, most)
            kept = numpy.flatnonzero(self.folds[questions[0]] != without)[::thin]
            tried.append(tuple(each[kept] for each in questions))
        trends = self.fit_trends(self.constants.current(), without)
        return numpy.append(optimize.minimize(
            lambda head: self.loss(numpy.append(head, trends), tried),
            self.constants.centre[:self.constants.head], method="Powell",
            options={"maxiter": 5, "xtol": 0.05, "ftol": 3e-4}).x, trends)

    def fold_names(self):
        return sorted(set(self.folds[numpy.concatenate(self.cells)].tolist()))

    def left_out(self, fits, questions):
        predicted = numpy.empty(len(questions[0]))
        for name, x in fits.items():
            of = self.folds[questions[0]] == name
            if of.any():
                predicted[of] = self.carried(x, tuple(each[of] for each in questions))
        return predicted


def shares(predict, n):
    return numpy.array(predict.line("parts")).reshape(n, -1)


def first_token_interval(rows):
    seed, key = assumptions.read(), "ttft_range_factor"
    of = [seed.get((key, row["engine"]), seed[(key, "")]) for row in rows]
    return [numpy.log([float(row[end]) for row in of]) for end in ("low", "high")]


def inference_cells(figure="token"):
    """`figure` is token or first token."""
    rows = runs.load(inference.FILE)
    with Predictor(inference.FILE, program="serve") as predict:
        parts = shares(predict, len(rows))
        if figure == "token":
            errors = numpy.log(runs.measured(rows)) - numpy.log(predict())
            high = numpy.log(predict.line("interval"))
            interval = -high, high
        else:
            errors = -inference.first_token_errors(rows, predict)
            interval = first_token_interval(rows)
    errors[[row["kind"] not in KINDS for row in rows]] = numpy.nan
    layout, slots = (TOKEN, range(5)) if figure == "token" else (FIRST, ())
    return Cells(rows, errors, parts, interval, layout, slots, inference_cell, inference_features,
                 inference_class, inference.model_family)


def training_cells():
    rows = runs.load(runs.TRAINING)
    with Predictor() as predict:
        parts, plans = shares(predict, len(rows)), predict.details()
        errors = numpy.log(runs.measured(rows)) - numpy.log(predict())
    interval = [numpy.log([float(plan[end] or "nan") / float(plan["seconds"] or "nan")
                           for plan in plans]) for end in ("low", "high")]
    return Cells(rows, errors, parts, interval, TRAINING, (1, 2, 3), training_cell, training_features,
                 training_class, runs.family)


ALL = {"training step": training_cells, "time per token": inference_cells,
       "time to first token": lambda: inference_cells("first token")}


def tables():
    """Title, header and rows: what 1, 2, 3 and 5 runs are worth, by class, current constants."""
    for title, make in ALL.items():
        cells, out = make(), []
        x = cells.constants.current()
        tried = [cells.questions(count, 6 if count > 1 else 2, TABLE_PREDICTIONS) for count in COUNTS]
        for kind in [None] + cells.classes(tried[0]):
            row = [kind or "all", len(set(tried[0][0][cells.kinds[tried[0][0]] == kind]))
                   if kind else len(set(tried[0][0]))]
            for questions in tried:
                if kind and kind not in cells.classes(questions):
                    row += ["-", "-", "-"]
                    continue
                none = cells.score(numpy.zeros(len(questions[0])), questions, kind)[0]
                left = cells.score(cells.carried(x, questions), questions, kind)[0]
                row += [f"{100 * value:.1f}" for value in
                        (none, left, cells.inside(x, questions, kind))]
            out.append(row)
        header = ["class", "runs"] + [f"{what}{count}" for count in COUNTS for what in
                                      ("without, of ", "with ", "inside with ")]
        yield f"Own runs, {title}: mean error and share inside the 80 % interval, %", header, out


def mean_of_the_others(errors):
    return (errors.sum() - errors) / (len(errors) - 1)


def limits(cells, x):
    """Mean errors: without a run, with one drawn at random and with the nearest; of one factor for
    all of a cell, from the other runs and from all, the predicted one too; and how far the errors
    of runs are apart whose load, length and degree are alike. Whatever one factor for all of a cell
    is learnt from, it has no smaller error than the last but one."""
    one, near = cells.questions(1, 2, 10**6), cells.nearest()
    alike = cells.alike(one)
    ways = [(numpy.zeros(len(one[0])), one), (cells.carried(x, one), one),
            (cells.carried(x, near), near), (cells.by_cell(one, mean_of_the_others), one),
            (cells.by_cell(one, numpy.median), one), (cells.errors[alike[1][:, 0]], alike)]
    return [cells.score(predicted, questions)[0] for predicted, questions in ways]


def table_of_limits():
    """The header and a row for each figure."""
    header = ["figure", "without", "a run at random", "the nearest run",
              "mean of all others", "best factor of a cell", "apart where alike"]
    out = []
    for title, make in ALL.items():
        cells = make()
        out.append([title] + [f"{100 * value:.1f}"
                              for value in limits(cells, cells.constants.current())])
    return "What one run of one's own can tell: mean error, %", header, out


def show(cells, title, x, fits):
    tried = [(f"{count} given", cells.questions(count, 6)) for count in COUNTS]
    tried += [("fewest and most", cells.ends(6)), ("1 given, all cells", cells.questions(1, 2, 10**6))]
    print(f"{title}: error in %, mean (median): without, current, fitted without the fold")
    for name, questions in tried:
        ways = [numpy.zeros(len(questions[0])), cells.carried(x, questions),
                cells.left_out(fits, questions)]
        for kind in [None] + (cells.classes(questions) if name.endswith("cells") else []):
            figures = [cells.score(way, questions, kind) for way in ways]
            print(f"  {kind or name:28}" + "".join(f"  {100 * mean:5.1f} ({100 * middle:.1f})"
                                                   for mean, middle in figures))


def main():
    for title, make in ALL.items():
        cells = make()
        fits = {name: cells.fit(name) for name in cells.fold_names()}
        whole, figures = cells.fit(), numpy.exp(list(fits.values()))
        show(cells, title, cells.constants.current(), fits)
        for row, low, value, high in zip(cells.constants.rows, figures.min(0), numpy.exp(whole),
                                         figures.max(0)):
            print(f"    {','.join(row):40} {low:.3g} {value:.3g} {high:.3g}")


if __name__ == "__main__":
    main()
