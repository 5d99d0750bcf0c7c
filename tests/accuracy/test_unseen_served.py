"""Published runs of sources that no fit was shown; README.md says how they were read."""

import numpy
import pytest

import bars
import runs
from predictor import Predictor

FILE = "unseen_served.csv"
SET_ON = ("a100-sxm4-80gb", "h100-sxm5-80gb", "l4", "rtx-4090", "rtx-a6000")
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
    assert of.sum() == 147
    assert numpy.median(numpy.abs(errors[of])) <= bars.UNSEEN_SERVED_MEDIAN
    assert inside[of].mean() >= bars.UNSEEN_SERVED_INSIDE


def test_software_of_before(found):
    """engine_version says that the host plans each step while the GPU waits. Its time was set on runs
    on these GPUs and on profiles of vLLM's authors; the other runs were not looked at."""
    rows, errors, inside = found
    of = numpy.array([row["engine_version"] in OLD for row in rows])
    shown = of & numpy.array([row["gpu"] not in SET_ON and row["family"] == "accelmark"
                              for row in rows])
    assert of.sum() == 133 and shown.sum() == 67
    assert numpy.median(numpy.abs(errors[of])) <= bars.UNSEEN_OLD_MEDIAN
    assert numpy.median(numpy.abs(errors[shown])) <= bars.UNSEEN_OLD_MEDIAN
    assert inside[of].mean() >= bars.UNSEEN_OLD_INSIDE
    assert abs(numpy.median(errors[shown])) <= 0.05


def test_without_the_release_they_are_too_fast():
    rows = runs.load(FILE)
    with Predictor(FILE, program="serve", unstated=("engine_version",)) as predict:
        errors = numpy.log(predict()) - numpy.log([float(row["measured"]) for row in rows])
    of = numpy.array([row["engine_version"] in OLD for row in rows])
    assert -0.35 < numpy.median(errors[of]) < -0.1
