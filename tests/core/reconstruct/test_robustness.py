"""Odd data give sentences, not numpy's warnings or NaN."""

from __future__ import annotations

import numpy as np
import pytest
from counted_answers import channel_of
from examples import sweep

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Discretise,
    Identity,
    Multiplicative,
    Ordinal,
    Retention,
    Uniform,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.reconstruct import count_column, estimators, reconstruct
from ppworkbench.core.share_intervals import MISFIT

REAL = Attribute("real", Kind.CONTINUOUS, domain=(1, 100))
WHOLE = Attribute("whole", Kind.INTEGER, domain=(1, 30))
COLOUR = Attribute("colour", Kind.NOMINAL, ("a", "b", "c"))
ONE = Attribute("one", Kind.NOMINAL, ("only",))
POINT = Attribute("point", Kind.INTEGER, domain=(4, 4))
NOISES = [
    Additive(noise="uniform", half_width=5),
    Additive(noise="normal", sigma=5),
    Additive(noise="laplace", scale=4),
    Additive(noise="normal", sigma=9, truncate=True),
    Retention(keep=0.3),
    Multiplicative(sigma=0.4),
    Discretise(intervals=5),
    Identity(),
]
ALGORITHMS = ["default", "em", "as", "accelerated", "ems", "smooth"]


def sound(result):
    for array in (result.probability, result.raw, result.low, result.high, result.covariance):
        assert np.isfinite(array).all()
    assert not np.isnan(result.standard_error).any()
    assert result.probability.sum() == pytest.approx(1)
    assert result.probability.min() >= 0
    return result


FEW = [
    pytest.param(
        noise, algorithm,
        id=f"{noise.summary()}-{algorithm}",
        marks=() if noise is NOISES[1] or algorithm == "default" else pytest.mark.slow,
    )
    for noise in NOISES
    for algorithm in ALGORITHMS
]  # fmt: skip
"""Every noise and every algorithm in every run, and in the sweeps each with each."""


@pytest.mark.parametrize(("noise", "algorithm"), FEW)
@pytest.mark.parametrize(
    ("attribute", "n"),
    sweep([(REAL, 2), (WHOLE, 0), (REAL, 0), (REAL, 1), (WHOLE, 1), (WHOLE, 2)], quick=2),
)
def test_that_hardly_any_numbers_are_enough(noise, algorithm, attribute, n):
    published = noise.distorted(attribute)
    data = np.array([3, 4][:n], float if published.kind.is_numeric else int)
    result = sound(reconstruct(Column(published, data), attribute, noise, algorithm))
    said = "There are no answers" if n == 0 else f"Only {n} answer"
    assert result.warnings[0].startswith(said)


@pytest.mark.parametrize("algorithm", ["default", "eq", "em-as", "accelerated"])
@pytest.mark.parametrize("codes", [[], [1], [-1, -1], [2, 2, 2]], ids=str)
def test_that_hardly_any_values_are_enough(algorithm, codes):
    column = Column(COLOUR, np.array(codes, int))
    answers = sum(code >= 0 for code in codes)
    said = f"Only {answers} answer" if answers else "There are no answers"
    for perturbation in (Uniform(keep=0.6), Identity()):
        result = sound(reconstruct(column, COLOUR, perturbation, algorithm))
        assert result.warnings[0].startswith(said)


@pytest.mark.parametrize("algorithm", ["default", "eq", "em-as", "accelerated"])
def test_that_an_only_value_has_all_the_probability(algorithm):
    result = sound(reconstruct(Column(ONE, np.zeros(5, int)), ONE, Uniform(keep=0.6), algorithm))
    assert result.probability.tolist() == [1.0]
    assert (result.low.tolist(), result.high.tolist()) == ([1.0], [1.0])


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_that_an_only_number_has_all_the_probability(algorithm):
    noise = Additive(noise="normal", sigma=3)
    column = Column(POINT, np.array([3.0, 5.0, 9.0]))
    assert sound(reconstruct(column, POINT, noise, algorithm)).probability.tolist() == [1.0]


@pytest.mark.parametrize("algorithm", ["default", "eq", "em-as", "accelerated"])
@pytest.mark.parametrize("keep", [0.9, 0.2, 1 / 200])
def test_that_two_hundred_values_are_not_too_many(algorithm, keep):
    many = Attribute("many", Kind.NOMINAL, tuple(str(i) for i in range(200)))
    codes = np.random.default_rng(1).integers(0, 60, 5000)
    result = sound(reconstruct(Column(many, codes), many, Uniform(keep=keep), algorithm))
    assert any("singular" in w for w in result.warnings) == (keep == 1 / 200)


@pytest.mark.parametrize("algorithm", ["default", "eq", "em-as", "accelerated"])
def test_that_a_singular_matrix_is_told(algorithm):
    binary = Attribute("b", Kind.BINARY, ("no", "yes"))
    column = Column(binary, np.array([0, 1, 1, 1] * 20))
    result = sound(reconstruct(column, binary, Uniform(keep=0.5), algorithm))
    assert any("singular" in warning for warning in result.warnings)
    assert result.low.tolist() == [0, 0]
    assert result.high.tolist() == [1, 1]


def test_that_a_nearly_singular_matrix_is_told():
    binary = Attribute("b", Kind.BINARY, ("no", "yes"))
    column = Column(binary, np.array([0, 1] * 50))
    result = sound(reconstruct(column, binary, Binary(keep_one=0.5001, keep_zero=0.5)))
    assert any("nearly singular" in warning for warning in result.warnings)


def test_that_negative_entries_are_told():
    result = sound(reconstruct(Column(COLOUR, np.zeros(100, int)), COLOUR, Uniform(keep=0.6)))
    assert result.raw.min() < 0
    assert result.algorithm == "accelerated"
    assert [one.code for one in result.warnings] == [MISFIT]


@pytest.mark.parametrize("algorithm", ["default", "eq", "em-as", "accelerated"])
def test_that_values_which_p_never_gives_are_left_out(algorithm):
    merging = Custom(((1.0, 0.5, 0.0), (0.0, 0.5, 1.0), (0.0, 0.0, 0.0)))
    counted = channel_of(merging.matrix(3), np.array([10, 10, 5.0]), COLOUR, merging)
    assert counted.total == 20
    result = sound(reconstruct(Column(COLOUR, [0] * 10 + [1] * 10 + [2] * 5), COLOUR, merging))
    assert any("5 answers are impossible" in warning for warning in result.warnings)


def test_that_empty_cells_without_probability_do_no_harm():
    likert = Attribute("likert", Kind.ORDINAL, tuple("abcdefgh"))
    rule = Ordinal(weights=(0.6, 0.2), loop=False)
    codes = np.repeat([0, 1], [80, 20])
    for algorithm in ("default", "eq", "em-as", "accelerated"):
        result = sound(reconstruct(Column(likert, codes), likert, rule, algorithm))
        # Answers are kept or moved by one, and none came from c or beyond.
        assert result.probability[:3].sum() > 0.9


def test_that_eq_refuses_what_it_cannot_solve():
    with pytest.raises(ParameterError, match="EQ cannot solve; use smoothing or EM"):
        reconstruct(Column(REAL, np.array([5.0])), REAL, NOISES[0], "eq")


def test_that_eq_solves_retention():
    x = np.random.default_rng(1).integers(1, 31, 3000).astype(float)
    result = sound(reconstruct(Column(WHOLE, x), WHOLE, Retention(keep=0.5), "eq"))
    assert result.algorithm == "eq"


def test_that_one_name_serves_all_attributes_of_a_questionnaire():
    column = Column(COLOUR, np.array([0, 1, 1, 2]))
    for given, used in (("em", "em-as"), ("as", "em-as"), ("smooth", "accelerated")):
        assert reconstruct(column, COLOUR, Uniform(keep=0.7), given).algorithm == used
    number = Column(REAL, np.array([4.0, 5.0]))
    assert reconstruct(number, REAL, NOISES[0], "em-as").algorithm == "em"


def test_that_a_stop_for_what_does_not_iterate_is_refused():
    with pytest.raises(ParameterError, match="has no stopping rule"):
        reconstruct(Column(COLOUR, [0, 1]), COLOUR, Uniform(keep=0.7), "eq", stop="published")


def test_that_unknown_algorithms_are_refused_with_a_hint():
    with pytest.raises(ParameterError, match="did you mean 'smooth'"):
        reconstruct(Column(COLOUR, [0, 1]), COLOUR, Uniform(keep=0.7), "smoth")


@pytest.mark.parametrize("confidence", [0, 1, -0.5])
def test_that_impossible_confidence_is_refused(confidence):
    counted = count_column(Column(COLOUR, [0, 1]), COLOUR, Uniform(keep=0.7))
    with pytest.raises(ParameterError, match="Confidence"):
        reconstruct(Column(COLOUR, [0]), COLOUR, Uniform(), confidence=confidence)
    assert counted.total == 2


def test_that_every_algorithm_is_tried_here():
    assert {*ALGORITHMS, "eq", "em-as"} == {"default", *estimators.names}
