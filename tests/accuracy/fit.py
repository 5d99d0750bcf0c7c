"""Fit the training constants to measured runs, and predict runs that a fit was not shown.

Least squares on ln(predicted / measured), pseudo-Huber with scale 0.2; one offset per family of
sources with prior sd 0.08, dropped afterwards, so that a software stack does not bend the physics;
log-normal priors around the centres of constants.csv.
"""

import collections
import csv

import numpy
from scipy.optimize import least_squares

import progress
import runs

HUBER = 0.2
OFFSET_SD = 0.08  # between families: 0.06 of their mean errors, 0.08 left out (README.md)
Z80 = 1.28  # standard deviations on either side that hold 80 %
# Errors kept: each refit without a group begins where the others did, with the same derivatives there.
KNOWN_MOST = 500
IMPOSSIBLE = 1.0  # the residual of a run for which no strategy is possible


def priors(name="constants.csv"):
    """The fitted constants: key, with its scope behind a colon -> (centre, sd of the logarithm)."""
    with open(runs.path(name), encoding="utf-8", newline="") as file:
        return {":".join(filter(None, (row["key"], row["scope"]))):
                (float(row["prior"]), float(row["sd"]))
                for row in csv.DictReader(file) if row["kind"] == "fitted"}


class Fit:
    """The least-squares problem; `kept` says with 0 or 1 which rows a fit is shown."""

    def __init__(self, predict, rows, constants="constants.csv", weights=runs.weights,
                 offset_sd=OFFSET_SD):
        self.predict, self.rows, self.offset_sd = predict, rows, offset_sd
        prior = priors(constants)
        self.keys = list(prior)
        self.centre = numpy.log([prior[key][0] for key in self.keys])
        self.sd = numpy.array([prior[key][1] for key in self.keys])
        self.measured = numpy.log(runs.measured(rows))
        self.weight = numpy.sqrt(weights(rows))
        families = sorted({runs.family(row) for row in rows})
        self.family = numpy.array([families.index(runs.family(row)) for row in rows])
        self.n_families = len(families)
        self.known = collections.OrderedDict()  # errors by the bytes of the constants, the latest used last

    def constants(self, x):
        return dict(zip(self.keys, numpy.exp(x[:len(self.keys)]).tolist()))

    def errors(self, x=None):
        """ln(predicted / measured) of every row, without offsets; the catalogue's where x is None."""
        if x is None:
            return numpy.log(self.predict()) - self.measured
        key = x[:len(self.keys)].tobytes()
        if key in self.known:
            self.known.move_to_end(key)
        else:
            self.known[key] = numpy.log(self.predict(self.constants(x))) - self.measured
            if len(self.known) > KNOWN_MOST:
                self.known.popitem(last=False)
        return self.known[key]

    def residuals(self, x, kept):
        n = len(self.keys)
        error = numpy.nan_to_num(self.errors(x) - x[n:][self.family], nan=IMPOSSIBLE)
        huber = numpy.sqrt(2 * (numpy.sqrt(1 + (error / HUBER) ** 2) - 1)) * numpy.sign(error)
        prior = (x[:n] - self.centre) / self.sd
        return numpy.concatenate([self.weight * kept * huber, prior, x[n:] / self.offset_sd])

    def jacobian(self, x, kept):
        """Derivatives by differences: one step per constant, and one for all offsets, as each row has just one."""
        n, rows = len(self.keys), len(self.rows)
        at = self.residuals(x, kept)
        matrix = numpy.zeros((len(at), len(x)))
        for i in range(n):
            step = numpy.zeros(len(x))
            step[i] = 1e-4
            matrix[:, i] = (self.residuals(x + step, kept) - at) / 1e-4
        step = numpy.zeros(len(x))
        step[n:] = 1e-5
        change = (self.residuals(x + step, kept) - at) / 1e-5
        matrix[numpy.arange(rows), n + self.family] = change[:rows]
        matrix[numpy.arange(rows + n, len(at)), numpy.arange(n, len(x))] = 1 / self.offset_sd
        return matrix

    def solve(self, kept=None, start=None):
        """The best constants and offsets, as one vector."""
        if kept is None:
            kept = numpy.ones(len(self.rows))
        if start is None:
            start = numpy.concatenate([self.centre, numpy.zeros(self.n_families)])
        return least_squares(self.residuals, start, jac=self.jacobian, args=(kept,),
                             x_scale="jac", max_nfev=60, xtol=1e-6, ftol=1e-6).x

    def ends(self, x):
        """The constants at the ends of their 80 % intervals, priors counted."""
        matrix = self.jacobian(x, numpy.ones(len(self.rows)))
        sd = numpy.sqrt(numpy.diag(numpy.linalg.inv(matrix.T @ matrix)))
        return self.constants(x - Z80 * sd), self.constants(x + Z80 * sd)

    def leave_out(self, group, start):
        """Errors of every row when its group was left out of the fit, and the refitted constants."""
        names = numpy.array([group(row) for row in self.rows])
        errors, refits = numpy.empty(len(self.rows)), {}
        for name in progress.steps(f"leave one {group.__name__} out", sorted(set(names))):
            shown = [not runs.hidden(row, group, name) for row in self.rows]
            x = self.solve(numpy.array(shown, float), start)
            errors[names == name] = self.errors(x)[names == name]
            refits[name] = self.constants(x)
        return errors, refits
