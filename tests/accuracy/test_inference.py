"""Inference times of every kind against the bars of bars.py."""

import csv

import numpy
import pytest

import assumptions
import bars
import inference
import runs
import score
from predictor import Predictor

KINDS = sorted(inference.SHARES)
LEFT_OUT = ["model family out", "cell out", "GPU out", "source family out"]


@pytest.fixture(scope="module")
def rows():
    return runs.load(inference.FILE)


@pytest.fixture(scope="module")
def predict():
    with Predictor(inference.FILE, program="serve") as program:
        yield program


@pytest.fixture(scope="module")
def fitted(rows, predict):
    return inference.fitted(rows, predict)


@pytest.fixture(scope="module")
def errors(fitted):
    return inference.errors_of_all(*fitted)[0]


@pytest.fixture(scope="module")
def refits(fitted):
    return inference.errors_of_all(*fitted)[1]


def scored(rows, errors, kind):
    return score.score(*inference.chosen(rows, errors, inference.of_kind(kind)))


def test_all_there(rows, errors):
    counted = {kind: sum(inference.kind(row) == kind for row in rows) for kind in KINDS}
    assert counted == {"served": 1992, "stream": 446, "static": 194, "offline": 1147,
                       "prefill": 245}
    assert all(numpy.isfinite(each).all() for each in errors.values())


@pytest.mark.parametrize("kind", KINDS)
def test_in_force(rows, errors, kind):
    assert scored(rows, errors["current"], kind)["median"] <= bars.INFERENCE_MEDIAN[kind]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("left_out", LEFT_OUT)
def test_left_out(rows, errors, kind, left_out):
    found = scored(rows, errors[left_out], kind)
    assert found["median"] <= bars.INFERENCE_OUT_MEDIAN[kind]
    assert found["mean"] <= bars.INFERENCE_OUT_MEAN[kind]


@pytest.mark.parametrize("name", sorted(bars.INFERENCE_OUT_CLASS_MEDIAN))
@pytest.mark.parametrize("left_out", inference.INTERVAL_GROUPS)
def test_left_out_by_class(rows, predict, errors, name, left_out):
    """Each class of interval is checked by itself, so that a right one does not hide a wrong one."""
    of = inference.classes(rows)[name]
    wrong = numpy.abs(errors[left_out])[of]
    low, high = bars.INFERENCE_CLASS_COVERAGE
    assert numpy.median(wrong) <= bars.INFERENCE_OUT_CLASS_MEDIAN[name]
    assert low <= (wrong <= numpy.log(inference.factors(predict))[of]).mean() <= high


@pytest.mark.parametrize("what", sorted(inference.DECADES))
def test_by_decade(rows, errors, what):
    of = inference.DECADES[what]
    groups = score.by(lambda row: (inference.kind(row), of(row)), rows, errors["model family out"])
    large = {name: each["median"] for name, each in groups.items()
             if each["rows"] >= 30 and name[1] != "not measured"}
    assert len(large) >= (4 if what == "ms a token" else 5)
    assert {name: each for name, each in large.items()
            if each > bars.INFERENCE_DECADE_MEDIAN} == {}


def test_classes_have_bars(rows):
    assert set(bars.INFERENCE_OUT_CLASS_MEDIAN) == {inference.interval_class(row) for row in rows}


def test_no_model_is_far_off(rows, errors):
    found = score.by(inference.model, *inference.chosen(rows, errors["model family out"],
                                                        inference.of_kind("served")))
    assert len(found) == 7
    for model, each in found.items():
        assert each["median"] <= bars.INFERENCE_MODEL_MEDIAN, model


@pytest.mark.parametrize("left_out", LEFT_OUT)
def test_left_out_is_not_in_sample(errors, left_out):
    assert not numpy.allclose(errors[left_out], errors["refitted, in sample"], atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("left_out", inference.INTERVAL_GROUPS)
def test_the_interval(rows, predict, errors, kind, left_out):
    within = numpy.abs(errors[left_out]) <= numpy.log(inference.factors(predict))
    low, high = bars.INFERENCE_COVERAGE
    assert low <= within[[inference.kind(row) == kind for row in rows]].mean() <= high


def test_the_interval_is_that_of_the_kind(rows, predict):
    seed = assumptions.read()
    for row, factor in zip(rows, inference.factors(predict)):
        scope = inference.interval_class(row)
        if not inference.weak(row):
            assert factor == float(seed["interval_factor", scope]["value"]), row["id"]


def test_output_throughput(rows, predict):
    errors = inference.throughput_errors(rows, predict)
    for kind in ("served", "offline"):
        assert scored(rows, errors, kind)["median"] <= bars.THROUGHPUT_MEDIAN


def test_output_throughput_of_unseen_models(rows, predict, refits):
    errors = inference.throughput_errors(rows, predict, refits)
    for kind, most in bars.THROUGHPUT_OUT_MEDIAN.items():
        assert scored(rows, errors, kind)["median"] <= most, kind
    engines = score.by(inference.engine, *inference.chosen(rows, errors, inference.of_kind("served")))
    for engine, of in engines.items():
        assert of["median"] <= bars.THROUGHPUT_OUT_ENGINE_MEDIAN, engine


def test_first_token_of_unseen_models(rows, predict, refits):
    errors = inference.first_token_errors(rows, predict, refits)
    found = score.by(inference.engine, *inference.chosen(rows, errors, inference.of_kind("served")))
    for engine, most in bars.FIRST_TOKEN_OUT_MEDIAN.items():
        assert found[engine]["median"] <= most, engine


def test_first_token(rows, predict):
    errors = inference.first_token_errors(rows, predict)
    found = score.by(inference.engine, *inference.chosen(rows, errors, inference.of_kind("served")))
    for engine, most in bars.FIRST_TOKEN_MEDIAN.items():
        assert found[engine]["median"] <= most


def test_first_token_after_a_warm_up(rows, predict):
    errors = inference.first_token_errors(rows, predict)
    warm = lambda row: inference.kind(row) == "served" and inference.warmed(row)
    assert sum(not inference.warmed(row) for row in rows) == 52
    found = score.by(inference.engine, *inference.chosen(rows, errors, warm))
    for engine, most in bars.FIRST_TOKEN_WARM_MEDIAN.items():
        assert found[engine]["median"] <= most


def test_first_token_of_groups_that_attend_on_their_own(rows, predict):
    """They wait until each group has a prompt."""
    errors = inference.first_token_errors(rows, predict)
    groups = lambda row: inference.kind(row) == "served" and row["attention_data_parallel"] != "1"
    found = score.score(*inference.chosen(rows, errors, groups))
    assert found["rows"] >= 30 and found["median"] <= bars.FIRST_TOKEN_GROUPS_MEDIAN


def test_the_data_sheet_alone_is_worse(rows, errors):
    for kind in KINDS:
        alone = scored(rows, errors["data-sheet rates alone"], kind)["median"]
        assert alone > 1.5 * scored(rows, errors["current"], kind)["median"]


def test_calibrated(fitted):
    """The catalogue has what a refit gives."""
    seed, (constants, _, _) = assumptions.read(), inference.refit(*fitted)
    for key, value in constants.items():
        name = tuple(key.split(":")) if ":" in key else (key, "")
        assert float(seed[name]["value"]) == pytest.approx(value, rel=bars.CONSTANTS_AGREE), key


def test_separate_prefill():
    rows, errors, within, *_ = inference.pools()
    assert len(rows) == 151 and score.score(rows, errors)["median"] <= bars.POOLS_MEDIAN
    assert within.mean() >= bars.POOLS_COVERAGE


def test_every_fitted_constant_moves_the_estimate(predict):
    before = numpy.array(predict())
    with open(runs.HERE / inference.CONSTANTS, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["kind"] != "fitted":
                continue
            key = ":".join(filter(None, (row["key"], row["scope"])))
            after = numpy.array(predict({key: 2 * float(row["prior"])}))
            assert (after != before).any(), key
    assert (numpy.array(predict()) == before).all()


def test_shares_are_kept(rows):
    weight = inference.weights(rows)
    of = {kind: weight[[inference.kind(row) == kind for row in rows]].sum() for kind in KINDS}
    for kind in KINDS:
        assert of[kind] / of["served"] == pytest.approx(inference.SHARES[kind] / 1.5)
    groups = {row["weight_group"] for row in rows if inference.kind(row) == "served"}
    assert of["served"] == pytest.approx(len(groups))
    assert ((weight > 0) == [inference.shown(row) for row in rows]).all()


def test_no_measurement_twice(rows):
    """Some figures of prefill and of a single stream have so few digits that two runs agree by chance."""
    same = ("kind", "model", "gpu", "engine", "engine_version", "weight_dtype", "tensor_parallel",
            "concurrent_requests", "input_tokens", "output_tokens", "measured",
            "time_to_first_token_seconds")
    kept = [row for row in rows if inference.kind(row) not in ("prefill", "stream")]
    assert len({tuple(row[key] for key in same) for row in kept}) == len(kept)


def ask(tmp_path, rows):
    """Seconds and output tokens/s of made-up runs."""
    with open(tmp_path / "runs.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    with Predictor(tmp_path / "runs.csv", program="serve") as program:
        return program(), program.line("throughput")


def test_kinds_agree_where_they_meet(rows, tmp_path):
    """One request in a closed loop is a stream; a batch that writes one token only reads prompts; an
    output token of a full replica is the inverse of its throughput."""
    row = next(row for row in rows if inference.kind(row) == "served")
    make = lambda kind, requests, outputs: {**row, "kind": kind, "concurrent_requests": requests,
                                            "output_tokens": outputs}
    seconds, rate = ask(tmp_path, [make("served", 1, 512), make("stream", 1, 512),
                                   make("static", 16, 1), make("prefill", 16, 1),
                                   make("static", 16, 512), make("offline", "", 512)])
    assert seconds[0] == seconds[1] and seconds[2] == seconds[3]
    assert seconds[4] > seconds[3] + 511 * seconds[1]
    assert seconds[5] == pytest.approx(1 / rate[5], rel=1e-6) and seconds[5] < seconds[1]


def test_cards_do_not_shadow_the_catalogue(rows):
    """cards.csv and shapes.csv are for what the catalogue lacks, and hold nothing unused."""
    for name, seed, column in (("cards.csv", "gpu", "gpu"), ("shapes.csv", "model", "model")):
        extra = {row["slug"] for row in runs.load(name)}
        with open(f"sql/seed/{seed}.csv", encoding="utf-8", newline="") as file:
            known = {row["slug"] for row in csv.DictReader(file)}
        assert not extra & known
        assert extra <= {row[column] for row in rows} <= extra | known
