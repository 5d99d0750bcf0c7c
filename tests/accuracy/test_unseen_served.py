"""Published runs of sources that no fit was shown; README.md says how they were read."""

import numpy
import pytest

import bars
import runs
from predictor import Predictor

FILE = "unseen_served.csv"
OLD = ("0.6", "0.7.3")  # vLLM before its engine was rewritten (V1): its host is slower by itself


@pytest.fixture(scope="module")
def found():
    rows = runs.load(FILE)
    with Predictor(FILE, program="serve") as predict:
        errors = numpy.log(predict()) - numpy.log([float(row["measured"]) for row in rows])
        inside = numpy.abs(errors) <= numpy.log(predict.line("interval"))
    return rows, errors, inside


def test_software_of_2025_and_later(found):
    rows, errors, inside = found
    of = numpy.array([row["engine_version"] not in OLD for row in rows])
    assert of.sum() == 63
    assert numpy.median(numpy.abs(errors[of])) <= bars.UNSEEN_SERVED_MEDIAN
    assert inside[of].mean() >= bars.UNSEEN_SERVED_INSIDE


def test_old_software_is_slower(found):
    """No input says which release runs, and the estimate is of today's."""
    rows, errors, _ = found
    of = numpy.array([row["engine_version"] in OLD for row in rows])
    assert -0.35 < numpy.median(errors[of]) < -0.1
