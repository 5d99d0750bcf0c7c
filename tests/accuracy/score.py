"""How far estimates are from what was measured; error is ln(predicted / measured)."""

import collections
import statistics

import numpy


def median_of_groups(rows, errors):
    """Median over the weight groups of each group's median |error|."""
    groups = collections.defaultdict(list)
    for row, error in zip(rows, errors):
        groups[row["weight_group"]].append(abs(error))
    return statistics.median(statistics.median(group) for group in groups.values())


def score(rows, errors):
    size = numpy.abs(errors)
    return {"rows": len(rows), "groups": len({row["weight_group"] for row in rows}),
            "median_of_groups": median_of_groups(rows, errors), "median": float(numpy.median(size)),
            "mean": float(size.mean()), "p90": float(numpy.quantile(size, 0.9)),
            "bias": float(numpy.mean(errors))}


def by(group, rows, errors):
    """A score per group, in the order of their names."""
    members = collections.defaultdict(list)
    for i, row in enumerate(rows):
        members[group(row)].append(i)
    return {name: score([rows[i] for i in members[name]], numpy.asarray(errors)[members[name]])
            for name in sorted(members)}


def over_groups(scores):
    """Median and mean over sources or families of their medians of groups."""
    medians = [each["median_of_groups"] for each in scores.values()]
    return {"median": statistics.median(medians), "mean": statistics.mean(medians)}


def weighted_quantile(values, weights, share):
    """The value below which `share` of the weight lies; each value stands for the middle of its weight."""
    order = numpy.argsort(values)
    values, weights = numpy.asarray(values)[order], numpy.asarray(weights)[order]
    middle = (numpy.cumsum(weights) - weights / 2) / weights.sum()
    return float(numpy.interp(share, middle, values))


def covered(errors, low, high):
    """Whether each row's measured value is between predicted * low and predicted * high."""
    ratio = numpy.exp(-numpy.asarray(errors))
    return (ratio >= low) & (ratio <= high)
