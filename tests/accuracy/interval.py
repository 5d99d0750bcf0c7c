"""80 % intervals of the step time, from the errors of runs left out of the fit."""

import collections
import math

import numpy

import runs
import score

SHARE = 0.8


def honest_errors(rows, family_out, source_out):
    """Errors with the row's family left out of the fit. Where a class has been measured by one
    family only, leaving it out leaves nothing but the priors: there the source is left out."""
    families = collections.defaultdict(set)
    for row in rows:
        families[runs.interval_class(row)].add(runs.family(row))
    alone = [len(families[runs.interval_class(row)]) == 1 for row in rows]
    return numpy.where(alone, source_out, family_out)


def factors_of(errors, weights):
    """(low, high), what the estimate is multiplied by; the estimate itself is always inside."""
    tail = (1 - SHARE) / 2
    low = math.exp(-score.weighted_quantile(errors, weights, 1 - tail))
    high = math.exp(-score.weighted_quantile(errors, weights, tail))
    return min(low, 1.0), max(high, 1.0)


def factors(rows, errors):
    """Class -> (low, high); a row weighs what it does in the fit."""
    kinds = numpy.array([runs.interval_class(row) for row in rows])
    weights = numpy.array(runs.weights(rows))
    return {kind: factors_of(errors[kinds == kind], weights[kinds == kind])
            for kind in sorted(set(kinds.tolist()))}


def unseen(rows, errors):
    """Arrays (low, high) of every row from the errors of all other families: how an interval does
    on runs that it was not made from. A class of one family only takes that family's own."""
    kinds = numpy.array([runs.interval_class(row) for row in rows])
    families = numpy.array([runs.family(row) for row in rows])
    weights = numpy.array(runs.weights(rows))
    low, high = numpy.empty(len(rows)), numpy.empty(len(rows))
    for kind, family in set(zip(kinds.tolist(), families.tolist())):
        mine = (kinds == kind) & (families == family)
        others = (kinds == kind) & (families != family)
        shown = others if others.any() else mine
        low[mine], high[mine] = factors_of(errors[shown], weights[shown])
    return low, high
