"""The arithmetic of the scores, on numbers small enough to check by hand."""

import math

import numpy
import pytest
from scipy.stats import norm, t

import fit
import interval
import runs
import score


def row(source="s", group="g", family="f", experts="", precision="bf16"):
    return {"source_group": source, "weight_group": group, "family": family, "experts": experts,
            "precision": precision, "method": "pretrain", "fold": family,
            **dict.fromkeys(runs.DEGREES, "1")}


def test_a_row_weighs_by_its_group_and_the_groups_of_its_source():
    rows = [row(group="a"), row(group="a"), row(group="b"), row(source="t", group="c")]
    half = 1 / math.sqrt(2)
    assert runs.weights(rows) == pytest.approx([half / 2, half / 2, half, 1])


def test_median_of_groups_takes_each_group_once():
    rows = [row(group="many")] * 9 + [row(group="one"), row(group="two")]
    errors = [0.5] * 9 + [-0.1, 0.2]
    assert score.median_of_groups(rows, errors) == pytest.approx(0.2)
    scored = score.score(rows, errors)
    assert scored["median"] == pytest.approx(0.5)
    assert scored["mean"] == pytest.approx((9 * 0.5 + 0.3) / 11)
    assert scored["bias"] == pytest.approx((9 * 0.5 + 0.1) / 11)
    assert (scored["rows"], scored["groups"]) == (11, 3)


def test_weighted_quantile():
    assert score.weighted_quantile([3, 1, 2], [1, 1, 1], 0.5) == pytest.approx(2)
    assert score.weighted_quantile([1, 2], [3, 1], 0.375) == pytest.approx(1)
    assert score.weighted_quantile([1, 2], [3, 1], 0.875) == pytest.approx(2)
    assert score.weighted_quantile([1, 2], [3, 1], 0.625) == pytest.approx(1.5)


def test_covered_is_of_measured_over_predicted():
    errors = [math.log(1.5), math.log(0.5), 0.0]  # predicted too slow, too fast, right
    assert score.covered(errors, 0.6, 1.2).tolist() == [True, False, True]
    assert score.covered(errors, 0.8, 2.0).tolist() == [False, True, True]


def test_eight_of_ten_are_inside_their_own_interval():
    generator = numpy.random.default_rng(1)
    rows = [row(source=f"s{i % 200}", group=f"g{i}", family=f"f{i % 200}") for i in range(2000)]
    errors = generator.normal(0.02, 0.1, len(rows))
    low, high = interval.factors(rows, errors)["dense"]
    assert score.covered(errors, low, high).mean() == pytest.approx(0.8, abs=0.01)
    low, high = interval.unseen(rows, errors)
    assert score.covered(errors, low, high).mean() == pytest.approx(0.8, abs=0.02)


def test_an_unseen_interval_is_that_of_the_other_families():
    rows = [row(family="a", group="1"), row(family="b", group="2"), row(experts="8")]
    low, high = interval.unseen(rows, numpy.array([0.1, -0.3, 0.2]))
    wider = t.isf(0.1, 1) / norm.isf(0.1)
    assert high.tolist() == pytest.approx([math.exp(0.3 * wider), 1, 1])
    assert low.tolist() == pytest.approx([1, math.exp(-0.1 * wider), math.exp(-0.2 * wider)])


def test_an_interval_foretells_a_family_nobody_has_seen():
    """Six families, each with one error of its own: the interval covers eight of ten new families, the
    quantiles of the six alone only seven."""
    generator = numpy.random.default_rng(1)
    folds = numpy.repeat(numpy.arange(6), 5)
    inside = [low <= math.exp(-generator.normal(0, 0.1)) <= high for low, high in (
        interval.factors_of(numpy.repeat(generator.normal(0, 0.1, 6), 5), numpy.ones(30), folds)
        for _ in range(1000))]
    assert numpy.mean(inside) == pytest.approx(0.8, abs=0.04)


def test_an_interval_holds_the_estimate_itself():
    low, high = interval.factors_of(numpy.array([0.2, 0.3, 0.4]), numpy.ones(3), "abc")
    assert low < 1 and high == 1


def test_a_family_hides_its_mixtures_too():
    dense, mixture, other = row(family="a"), {**row(family="a"), "fold": "mixture m"}, row(family="b")
    hidden = lambda name: [runs.hidden(each, runs.fold, name) for each in (dense, mixture, other)]
    assert hidden("a") == [True, True, False]
    assert hidden("mixture m") == [False, True, False]


class Line:
    """A predictor with one constant: seconds = cs. It records each row that it is asked for."""

    def __init__(self, n):
        self.n = n

    def __call__(self, constants=None):
        return [constants["cs"] if constants else 1.0] * self.n


@pytest.fixture
def problem(monkeypatch):
    """Two families that measure 1 s and 2 s of a model whose only constant is the seconds."""
    monkeypatch.setattr(fit, "priors", lambda *_: {"cs": (1.0, 10.0)})
    rows = [{**row(source=f"s{i}", group=f"g{i}", family=f"f{i}"), "measured": str(seconds)}
            for i, seconds in enumerate((1.0, 1.0, 2.0))]
    return fit.Fit(Line(3), rows)


def test_a_fit_finds_the_constant(problem):
    alone = problem.solve(numpy.array([0.0, 0.0, 1.0]))
    assert problem.constants(alone)["cs"] == pytest.approx(2, rel=0.02)


def test_what_is_left_out_does_not_count(problem):
    errors, refits = problem.leave_out(runs.source, problem.solve())
    assert refits["s2"]["cs"] == pytest.approx(1, rel=0.02)
    assert errors[2] == pytest.approx(math.log(1 / 2), abs=0.03)
    assert refits["s0"]["cs"] > 1.05


def test_jacobian_is_that_of_the_residuals(problem):
    x, kept = numpy.array([0.1, 0.01, -0.02, 0.03]), numpy.ones(3)
    analytic = problem.jacobian(x, kept)
    for i in range(len(x)):
        step = numpy.zeros(len(x))
        step[i] = 1e-6
        slope = (problem.residuals(x + step, kept) - problem.residuals(x - step, kept)) / 2e-6
        assert analytic[:, i] == pytest.approx(slope, abs=1e-2)
