"""Percentiles and mean time per token against a simulation of the same replica (simulate.py)."""

import math

import pytest

import simulate

# Designs on which no formula was tuned; drawn at random, at most this many of each class. Thirty of
# each were too few: the drawn loads follow the capacity, so a refit draws other designs, and their
# shares moved by 10 points where those of 160 moved by 1.
DRAWN, EACH, LEAST, SEED = 1500, 160, 60, 2028
REQUESTS = 40000  # simulated of a design: a percentile of few is itself off by over 10 % near a full load


# Class, figure, smallest share of near designs, and most designs optimistic by over 15 %: what was
# measured, less a point and with one more, for another compiler's rounding. No class reaches the
# goal (all near, none optimistic).
SHARES = [
    ("prompts below 0.5", "p50", 0.89, 1),
    ("prompts below 0.5", "p95", 0.96, 3),
    ("prompts below 0.5", "ttft_p95", 0.94, 2),
    ("prompts below 0.5", "tpot", 0.93, 3),
    ("0.5 to 0.7", "p50", 0.67, 1),
    ("0.5 to 0.7", "p95", 0.94, 4),
    ("0.5 to 0.7", "ttft_p95", 0.91, 7),
    ("0.5 to 0.7", "tpot", 0.77, 12),
    ("0.7 to 0.85", "p50", 0.51, 1),
    ("0.7 to 0.85", "p95", 0.87, 2),
    ("0.7 to 0.85", "ttft_p95", 0.81, 1),
    ("0.7 to 0.85", "tpot", 0.56, 11),
    ("over 0.85", "p50", 0.33, 6),
    ("over 0.85", "p95", 0.60, 6),
    ("over 0.85", "ttft_p95", 0.31, 12),
    ("over 0.85", "tpot", 0.45, 8),
    ("places run out", "p50", 0.71, 1),
    ("places run out", "p95", 0.75, 2),
    ("places run out", "ttft_p95", 0.49, 9),
    ("places run out", "tpot", 0.81, 3),
]


@pytest.fixture(scope="module")
def errors():
    """Relative errors by class and figure: estimate / simulation - 1."""
    chosen, drawn = [], simulate.tables(DRAWN, SEED)
    for kind in simulate.CLASSES:
        chosen += [table for table in drawn if simulate.class_of(table) == kind][:EACH]
    found = {kind: {name: [] for name in simulate.NEAR} for kind in simulate.CLASSES}
    for table, each in zip(chosen, simulate.errors(chosen, [REQUESTS] * len(chosen))):
        for name, error in each.items():
            found[simulate.class_of(table)][name].append(error)
    return found


@pytest.mark.parametrize("kind, name, share, optimistic", SHARES)
def test_most_are_near(errors, kind, name, share, optimistic):
    """Near is within 5 % for the median, within 10 % for the others; optimistic is over 15 % low."""
    values = errors[kind][name]
    assert len(values) >= LEAST
    near = sum(abs(value) <= simulate.NEAR[name] for value in values)
    assert near >= share * len(values), sorted(values)
    assert sum(value < simulate.OPTIMISTIC for value in values) <= optimistic, sorted(values)


def test_requests_alone_take_what_they_take():
    """One prompt at a time on an idle replica, lengths all alike: no queue, no spread."""
    table = dict(rate=1e-3, input_tokens=100, output_tokens=11, input_cv=0, output_cv=0,
                 max_tokens=math.inf, tokens_per_step=1, pass_tokens=8192, most=4, batch=0,
                 fixed=0.5, host=0.25, contexts=[1, 1000], steps=[[1, 0.1, 0.1], [4, 0.1, 0.1]],
                 prompts=[[50, 1, 1.5], [100, 2, 2.5]])
    measured = simulate.measure(table, 200, 1)
    assert measured["ttft_p95"] == pytest.approx(2.75)
    assert measured["p50"] == pytest.approx(3.75)


def test_a_queue_is_that_of_pollaczek_and_khinchin():
    """Prompts all alike and nothing written: M/D/1, which waits rho / (2 (1 - rho)) of a service."""
    table = dict(rate=0.5, input_tokens=100, output_tokens=1, input_cv=0, output_cv=0,
                 max_tokens=math.inf, tokens_per_step=1, pass_tokens=100, most=10000, batch=1,
                 fixed=0, host=0, contexts=[1, 1000], steps=[[1, 0, 0], [4, 0, 0]],
                 prompts=[[50, 0.5, 0.5], [100, 1, 1]])
    assert simulate.measure(table, 40000, 1)["ttft_mean"] == pytest.approx(1.5, rel=0.03)
