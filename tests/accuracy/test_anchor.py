"""What a run of one's own is worth: one run of a source given, the others of it predicted."""

import pytest

import anchor

PAIRS = {"training": (anchor.training_pairs, ""), "token": (anchor.inference_pairs, "inference"),
         "first": (lambda: anchor.inference_pairs("first"), "inference")}
# Mean error with the run over that without, at most, and the median of it.
MOST = {"training": (0.80, 0.055), "token": (0.8, 0.062), "first": (0.85, 0.24)}


@pytest.fixture(scope="module", params=sorted(PAIRS))
def tried(request):
    make, scope = PAIRS[request.param]
    pairs = make()
    return request.param, pairs, pairs.left(anchor.in_force(scope))


def test_the_others_are_predicted_better(tried):
    name, pairs, left = tried
    without, _ = pairs.score(pairs.asked, pairs.weights > 0)
    mean, middle = pairs.score(left, pairs.weights > 0)
    assert mean <= MOST[name][0] * without and middle <= MOST[name][1]


def test_no_class_is_predicted_worse(tried):
    _, pairs, left = tried
    for name in anchor.classes(pairs):
        of = pairs.kinds == name
        assert pairs.score(left, of)[0] <= pairs.score(pairs.asked, of)[0], name
