"""One fit, and one of each left out, shared by the tests of this folder."""

import pytest

import accuracy
import runs
from predictor import Predictor


@pytest.fixture(scope="session")
def rows():
    return runs.load()


@pytest.fixture(scope="session")
def predict():
    with Predictor() as predictor:
        yield predictor


@pytest.fixture(scope="session")
def measured(rows, predict):
    return accuracy.errors_of_all(rows, predict)


@pytest.fixture(scope="session")
def errors(measured):
    return measured[0]


@pytest.fixture(scope="session")
def refits(measured):
    return measured[1]
