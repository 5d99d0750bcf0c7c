"""What runs of one's own are worth: some runs of a source are given, others are predicted."""

import numpy
import pytest

import anchor

# Mean error with one run of all others of its cell, with three and with five of cells of six runs or
# more, at most. Not over those without: an estimate that needs no correction would fail.
MOST = {"training step": (0.078, 0.058, 0.053), "time per token": (0.083, 0.065, 0.055),
        "time to first token": (0.302, 0.253, 0.233)}
# The same with the nearest run of its cell, as one is measured for a question.
MOST_NEAREST = {"training step": 0.069, "time per token": 0.058, "time to first token": 0.221}


@pytest.fixture(scope="module", params=sorted(anchor.ALL))
def tried(request):
    cells = anchor.ALL[request.param]()
    return request.param, cells, cells.constants.current()


@pytest.fixture(scope="module")
def one(tried):
    """All pairs."""
    return tried[1].questions(1, 2, 10**6)


def error(cells, x, questions, kind=None):
    return cells.score(cells.carried(x, questions), questions, kind)[0]


def test_the_others_are_predicted_better(tried, one):
    name, cells, x = tried
    asked = one, cells.questions(3, 6), cells.questions(5, 6)
    assert all(error(cells, x, questions) <= most
               for questions, most in zip(asked, MOST[name], strict=True))


def test_a_run_near_the_question_is_worth_more(tried, one):
    name, cells, x = tried
    near = error(cells, x, cells.nearest())
    assert near <= MOST_NEAREST[name] and near < error(cells, x, one)


@pytest.mark.parametrize("count", anchor.COUNTS)
def test_no_class_is_predicted_worse(tried, one, count):
    _, cells, x = tried
    questions = one if count == 1 else cells.questions(count, 6)
    for kind in cells.classes(questions):
        without = cells.score(numpy.zeros(len(questions[0])), questions, kind)[0]
        assert error(cells, x, questions, kind) <= without + 0.0002, kind


def test_trends_of_other_models_help():
    """The trends of an engine, learnt without the family of the model that is predicted."""
    cells = anchor.inference_cells()
    head = cells.constants.current()[:cells.constants.head]
    none = numpy.append(head, [0.0] * (len(cells.constants.rows) - len(head)))
    fits = {name: numpy.append(head, cells.fit_trends(none, name)) for name in cells.fold_names()}
    for questions in (cells.questions(1, 2, 10**6), cells.nearest()):
        learnt = cells.score(cells.left_out(fits, questions), questions)[0]
        assert learnt <= error(cells, none, questions) - 0.0005


def test_more_runs_are_better(tried):
    _, cells, x = tried
    errors = [error(cells, x, cells.questions(count, 6)) for count in anchor.COUNTS]
    assert errors == sorted(errors, reverse=True)


@pytest.mark.parametrize("count", anchor.COUNTS)
def test_intervals_hold_what_they_promise(tried, count):
    _, cells, x = tried
    inside = cells.inside(x, cells.questions(count, 6 if count > 1 else 2, 200))
    assert 0.75 <= inside <= 0.885  # five runs of one's own: 87.9 % of the times per token, most of llama.cpp
