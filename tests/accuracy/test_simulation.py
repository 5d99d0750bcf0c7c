"""Percentiles and mean time per token against a simulation of the same replica (simulate.py)."""

import math

import pytest

import routing
import simulate

# Designs on which no formula was tuned; drawn at random, at most this many of each class. Thirty of
# each were too few: the drawn loads follow the capacity, so a refit draws other designs, and their
# shares moved by 10 points. So were 160, 68 of them in one class: with one more model in the catalogue its
# share was 0.75, and 0.79 to 0.86 of five other seeds.
DRAWN, EACH, LEAST, SEED = 4500, 480, 150, 2028
MAY_WAIT = 1e-5  # chance of a wait for a slot above which a design is simulated whatever its class
REQUESTS = 40000  # simulated of a design: a percentile of few is itself off by over 10 % near a full load


# Class, figure, smallest share of near designs, and most designs optimistic by over 15 %: what was
# measured, less a point and with one more, for another compiler's rounding. No class reaches the
# goal (all near, none optimistic). Where places run out a percentile of 40,000 requests is off by over 10 % itself:
# README.md has the class over 400,000. The class is that of designs whose simulated requests wait,
# also where the estimate sees no wait.
SHARES = [
    ("prompts below 0.5", "p50", 0.93, 2),
    ("prompts below 0.5", "p95", 0.96, 2),
    ("prompts below 0.5", "ttft_p95", 0.94, 1),
    ("prompts below 0.5", "tpot", 0.96, 3),
    ("0.5 to 0.7", "p50", 0.82, 2),
    ("0.5 to 0.7", "p95", 0.93, 2),
    ("0.5 to 0.7", "ttft_p95", 0.89, 6),
    ("0.5 to 0.7", "tpot", 0.83, 3),
    ("0.7 to 0.85", "p50", 0.74, 1),
    ("0.7 to 0.85", "p95", 0.88, 2),
    ("0.7 to 0.85", "ttft_p95", 0.79, 6),
    ("0.7 to 0.85", "tpot", 0.71, 3),
    ("over 0.85", "p50", 0.44, 9),
    ("over 0.85", "p95", 0.67, 3),
    ("over 0.85", "ttft_p95", 0.44, 13),
    ("over 0.85", "tpot", 0.79, 4),
    ("places run out", "p50", 0.78, 5),
    ("places run out", "p95", 0.77, 6),
    ("places run out", "ttft_p95", 0.58, 21),
    ("places run out", "tpot", 0.82, 2),
]


CHOSEN = 1000  # designs as a sizing chooses them
NEAR_CHOSEN = [("p50", 0.964, 1), ("p95", 0.976, 2), ("ttft_p95", 0.954, 1)]  # as SHARES
LIMITED_EARLY = 12  # likewise, with the estimate that limits are compared with


@pytest.fixture(scope="module")
def errors():
    """Relative errors by class and figure: estimate / simulation - 1."""
    chosen, drawn = [], simulate.tables(DRAWN, SEED)
    chosen += [table for table in drawn if table["slot_chance"] >= MAY_WAIT]
    for kind in simulate.CLASSES:
        chosen += [table for table in drawn
                   if table["slot_chance"] < MAY_WAIT and simulate.prompts_class(table) == kind][:EACH]
    found = {kind: {name: [] for name in (*simulate.NEAR, *simulate.LIMITED)} for kind in simulate.CLASSES}
    for kind, each in simulate.errors(chosen, [REQUESTS] * len(chosen)):
        for name, error in each.items():
            found[kind][name].append(error)
    return found


@pytest.mark.parametrize("kind, name, share, optimistic", SHARES)
def test_most_are_near(errors, kind, name, share, optimistic):
    """Near is within 5 % for the median, within 10 % for the others; optimistic is over 15 % low."""
    values = errors[kind][name]
    assert len(values) >= LEAST
    near = sum(abs(value) <= simulate.NEAR[name] for value in values)
    assert near >= share * len(values), sorted(values)
    assert sum(value < simulate.OPTIMISTIC for value in values) <= optimistic, sorted(values)


def test_limits_on_first_tokens_are_kept_where_slots_run_out(errors):
    """What is compared with a limit counts more waits, and longer ones, than are estimated."""
    values = errors["places run out"]["ttft_p95_most"]
    assert sum(value < simulate.OPTIMISTIC for value in values) <= LIMITED_EARLY, sorted(values)


def test_designs_that_a_sizing_chooses():
    """With room as services have it, with and without a limit: hardly any is as full as those above are."""
    chosen = simulate.tables(CHOSEN, SEED, "chosen")
    found = simulate.settled(chosen, REQUESTS)
    assert sum(table["prompts_share"] > 0.85 for table in chosen) <= 0.01 * CHOSEN
    for name, share, optimistic in NEAR_CHOSEN:
        values = [each[name] for each in found]
        assert sum(abs(value) <= simulate.NEAR[name] for value in values) >= share * CHOSEN, (name, sorted(values))
        assert sum(value < simulate.OPTIMISTIC for value in values) <= optimistic, (name, sorted(values))


def test_requests_alone_take_what_they_take():
    """One prompt at a time on an idle replica, lengths all alike: no queue, no spread."""
    table = dict(rate=1e-3, input_tokens=100, output_tokens=11, input_cv=0, output_cv=0,
                 max_tokens=math.inf, tokens_per_step=1, pass_tokens=8192, most=4, batch=0,
                 fixed=0.5, host=0.25, contexts=[1, 1000], steps=[[1, 0.1, 0.1], [4, 0.1, 0.1]],
                 prompts=[[50, 1, 1.5], [100, 2, 2.5]])
    measured = simulate.measure((table, 200, 1))[0]
    assert measured["ttft_p95"] == pytest.approx(2.75)
    assert measured["p50"] == pytest.approx(3.75)


def test_a_queue_is_that_of_pollaczek_and_khinchin():
    """Prompts all alike and nothing written: M/D/1, which waits rho / (2 (1 - rho)) of a service."""
    table = dict(rate=0.5, input_tokens=100, output_tokens=1, input_cv=0, output_cv=0,
                 max_tokens=math.inf, tokens_per_step=1, pass_tokens=100, most=10000, batch=1,
                 fixed=0, host=0, contexts=[1, 1000], steps=[[1, 0, 0], [4, 0, 0]],
                 prompts=[[50, 0.5, 0.5], [100, 1, 1]])
    assert simulate.measure((table, 40000, 1))[0]["ttft_mean"] == pytest.approx(1.5, rel=0.03)


def test_writers_behind_a_router_are_hardly_ever_optimistic():
    """On 2 to 16 replicas, each request sent to the one with the fewest in flight. First tokens of answers all of one
    length may come late: they end together, and the prompts in their place come together."""
    drawn = simulate.tables(300, SEED, "routed")
    found = [each for _, each in simulate.errors(drawn, [REQUESTS] * len(drawn))]
    assert min(each["p95"] for each in found) > simulate.OPTIMISTIC
    assert min(each["p50"] for each in found) > simulate.OPTIMISTIC
    varied = [each["ttft_p95"] for table, each in zip(drawn, found) if table["output_cv"] > 0]
    assert sum(error < simulate.OPTIMISTIC for error in varied) <= 2, sorted(varied)


def test_prompts_alone_are_never_optimistic():
    """On one to 16 replicas, each prompt sent to the one with the fewest. Most that are not near are pessimistic:
    near the highest load, and where prompts are about half a pass long."""
    found = [error for error, _ in routing.errors(250, 2028, 8000)]
    assert len(found) > 230
    assert min(found) > simulate.OPTIMISTIC, sorted(found)
    assert sum(abs(error) <= simulate.NEAR["ttft_p95"] for error in found) >= 0.38 * len(found), sorted(found)
