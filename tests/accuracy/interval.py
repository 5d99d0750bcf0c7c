"""80 % intervals of the step time, from the errors of runs left out of the fit.

The interval is to hold the error of a family that no fit has seen, and the runs of a family err
together. The spread of a handful of families is not known well, so the interval is widened by the
ratio of Student's t, with one degree of freedom per family, to the normal distribution; the
estimate is taken to be unbiased.
"""

import math

import numpy
from scipy.stats import norm, t

import runs
import score

SHARE = 0.8
FEW = 30  # rows of a class: with fewer its interval is set, not fitted


def factors_of(errors, weights, folds):
    """(low, high): the factors by which the estimate is multiplied. The estimate itself is always inside."""
    tail = (1 - SHARE) / 2
    wider = t.isf(tail, len(set(folds))) / norm.isf(tail)
    low = math.exp(-score.weighted_quantile(errors, weights, 1 - tail) * wider)
    high = math.exp(-score.weighted_quantile(errors, weights, tail) * wider)
    return min(low, 1.0), max(high, 1.0)


def factors(rows, errors):
    """Class -> (low, high) of each class that has enough rows. A row weighs as much as in the fit."""
    kinds = numpy.array([runs.interval_class(row) for row in rows])
    folds = numpy.array([runs.fold(row) for row in rows])
    weights = numpy.array(runs.weights(rows))
    return {kind: factors_of(errors[kinds == kind], weights[kinds == kind], folds[kinds == kind])
            for kind in sorted(set(kinds.tolist())) if (kinds == kind).sum() >= FEW}


def unseen(rows, errors):
    """Arrays (low, high) of every row from the errors of all other folds, which show how an interval does
    on runs that it was not made from. A class with a single fold takes that fold's own errors."""
    kinds = numpy.array([runs.interval_class(row) for row in rows])
    folds = numpy.array([runs.fold(row) for row in rows])
    weights = numpy.array(runs.weights(rows))
    low, high = numpy.empty(len(rows)), numpy.empty(len(rows))
    for kind, fold in set(zip(kinds.tolist(), folds.tolist())):
        mine = (kinds == kind) & (folds == fold)
        others = (kinds == kind) & (folds != fold)
        shown = others if others.any() else mine
        low[mine], high[mine] = factors_of(errors[shown], weights[shown], folds[shown])
    return low, high


def between(families, errors):
    """(low, high) that hold 80 % of the rows where each family weighs the same: how far off sources are from one
    another, which the intervals of classes, made of rows, do not show."""
    families, errors = numpy.asarray(families), numpy.asarray(errors)
    size = dict(zip(*numpy.unique(families, return_counts=True)))
    weights = numpy.array([1 / size[name] for name in families])
    tail = (1 - SHARE) / 2
    return (math.exp(-score.weighted_quantile(errors, weights, 1 - tail)),
            math.exp(-score.weighted_quantile(errors, weights, tail)))
