"""Memory of serving against measured allocations, and fit tests."""

import numpy
import pytest

import serving_memory

MEAN = 0.03
RIGHT = 0.97


@pytest.fixture(scope="module")
def rows():
    return serving_memory.read()


def test_allocations(rows):
    scored = serving_memory.measured(rows)
    assert len(scored) == 54
    assert numpy.mean(abs(serving_memory.errors(scored))) <= MEAN
    for (name, _), group in serving_memory.groups(scored).items():
        assert numpy.mean(abs(serving_memory.errors(group))) <= MEAN, name


def test_fits(rows):
    tests = serving_memory.fit_tests(rows)
    assert len(tests) == 148
    assert {row["fits"] for row in tests} == {"yes", "no"}
    assert serving_memory.right(tests) >= RIGHT
