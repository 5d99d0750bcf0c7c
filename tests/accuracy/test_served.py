"""Time per output token of served models against the bars of bars.py."""

import csv

import numpy
import pytest

import bars
import runs
import score
import served
from predictor import Predictor


@pytest.fixture(scope="module")
def rows():
    return runs.load(served.FILE)


@pytest.fixture(scope="module")
def predict():
    with Predictor(served.FILE, program="serve") as program:
        yield program


@pytest.fixture(scope="module")
def errors(rows, predict):
    return served.errors_of_all(rows, predict)


def test_in_force(rows, errors):
    assert len(rows) == 1430 and all(numpy.isfinite(each).all() for each in errors.values())
    assert score.score(rows, errors["in force"])["median"] <= bars.SERVED_MEDIAN


def test_a_model_left_out(rows, errors):
    scored = score.score(rows, errors["model out"])
    assert scored["median"] <= bars.SERVED_MODEL_OUT_MEDIAN
    assert scored["mean"] <= bars.SERVED_MODEL_OUT_MEAN


def test_left_out_is_not_in_sample(errors):
    assert not numpy.allclose(errors["model out"], errors["refitted, in sample"], atol=1e-4)


def test_the_interval(predict, errors):
    within = numpy.abs(errors["in force"]) <= numpy.log(served.factors(predict))
    low, high = bars.SERVED_COVERAGE
    assert low <= within.mean() <= high


def test_every_fitted_constant_moves_the_estimate(rows, predict):
    before = numpy.array(predict())
    with open(runs.HERE / served.CONSTANTS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            key = ":".join(filter(None, (row["key"], row["scope"])))
            after = numpy.array(predict({key: 2 * float(row["prior"])}))
            assert (after != before).any(), key
    assert (numpy.array(predict()) == before).all()


def test_no_measurement_twice(rows):
    same = {(row["model"], row["gpu"], row["engine"], row["tensor_parallel"],
             row["concurrent_requests"], row["step_seconds"],
             row["time_to_first_token_seconds"]) for row in rows}
    assert len(same) == len(rows)
