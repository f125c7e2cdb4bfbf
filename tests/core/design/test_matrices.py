"""Families of matrices: probabilities, inverses, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.design import (
    Binary,
    Custom,
    Forced,
    Ordinal,
    Related,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.matrices import condition_number
from ppworkbench.core.errors import DesignError, ParameterError, WorkbenchError

FAMILIES = ["uniform", "binary", "ordinal", "unrelated", "related", "forced"]
probability = st.floats(0, 1)


@st.composite
def distributions(draw, k):
    weights = np.array(draw(st.lists(st.floats(0.001, 1), min_size=k, max_size=k)))
    return tuple((weights / weights.sum()).tolist())


@st.composite
def matrix_perturbations(draw):
    k = draw(st.integers(2, 12))
    family = draw(
        st.sampled_from(["uniform", "binary", "ordinal", "unrelated", "related", "forced"])
    )
    p = draw(probability)
    if family == "binary":
        return 2, Binary(keep_one=p, keep_zero=draw(probability))
    if family == "related":
        return 2, Related(theta=p)
    if family == "ordinal":
        reach = draw(st.integers(0, (k - 1) // 2))
        weights = draw(st.lists(st.floats(0.01, 1), min_size=reach + 1, max_size=reach + 1))
        return k, Ordinal(weights=tuple(weights), loop=draw(st.booleans()))
    if family == "unrelated":
        return k, Unrelated(theta=p, personal=draw(distributions(k)))
    if family == "forced":
        return k, Forced(p_truth=p, forced=draw(distributions(k)))
    return k, Uniform(keep=p)


@given(matrix_perturbations())
def test_that_columns_of_every_family_sum_to_one(case):
    k, perturbation = case
    matrix = perturbation.matrix(k)
    assert matrix.shape == (k, k)
    assert (matrix >= 0).all()
    np.testing.assert_allclose(matrix.sum(axis=0), 1, atol=1e-12)


@given(matrix_perturbations())
def test_that_the_inverse_undoes_a_well_conditioned_matrix(case):
    k, perturbation = case
    matrix = perturbation.matrix(k)
    if condition_number(matrix) < 1e6:
        np.testing.assert_allclose(np.linalg.inv(matrix) @ matrix, np.eye(k), atol=1e-8)


@given(matrix_perturbations())
def test_that_a_perturbation_survives_json_and_equals_its_twin(case):
    _, perturbation = case
    fields = perturbation.to_json()
    assert fields.pop("type") == perturbation.type_name
    twin = type(perturbation).from_json(fields)
    assert twin == perturbation
    assert hash(twin) == hash(perturbation)


def test_that_the_loop_makes_a_circulant_with_the_weight_in_the_corners():
    matrix = Ordinal(weights=(0.7, 0.15), loop=True).matrix(5)
    first = np.array([0.7, 0.15, 0, 0, 0.15])
    np.testing.assert_allclose(matrix, np.array([np.roll(first, c) for c in range(5)]).T)
    assert matrix[4, 0] == matrix[0, 4] == pytest.approx(0.15)


def test_that_without_the_loop_the_end_columns_are_normalised():
    matrix = Ordinal(weights=(0.7, 0.15), loop=False).matrix(5)
    np.testing.assert_allclose(matrix[:, 0], [0.82353, 0.17647, 0, 0, 0], atol=5e-6)
    np.testing.assert_allclose(matrix[:, 2], [0, 0.15, 0.7, 0.15, 0])
    np.testing.assert_allclose(matrix[:, 4], matrix[::-1, 0])


def test_that_two_steps_on_six_values_reach_two_neighbours_each_way():
    matrix = Ordinal(weights=(0.4, 0.2, 0.1), loop=True).matrix(6)
    np.testing.assert_allclose(matrix[:, 0], [0.4, 0.2, 0.1, 0, 0.1, 0.2])


@pytest.mark.parametrize("keep", [float("nan"), float("inf"), -0.1, 1.1])
def test_that_a_keep_outside_zero_to_one_cannot_be_constructed(keep):
    with pytest.raises(ParameterError, match=r"Keep is .*; it must lie between 0 and 1\."):
        Uniform(keep=keep)


def test_that_a_custom_matrix_names_the_column_that_does_not_sum_to_one():
    with pytest.raises(DesignError, match=r"sums to 0\.9 in column 2"):
        Custom(((0.5, 0.5), (0.5, 0.4)))


def test_that_a_custom_matrix_names_the_cell_that_is_no_probability():
    with pytest.raises(DesignError, match=r"-0\.1 in row 1 of column 2"):
        Custom(((0.5, -0.1), (0.5, 1.1)))
    with pytest.raises(DesignError, match="nan in row 2 of column 1"):
        Custom(((0.5, 0.5), (float("nan"), 0.5)))


def test_that_a_matrix_that_is_not_square_is_refused():
    with pytest.raises(DesignError, match="must be square"):
        Custom(((0.5, 0.5),))
    with pytest.raises(DesignError, match="different lengths"):
        Custom(((0.5, 0.5), (0.5,)))


def test_that_too_many_neighbour_weights_for_the_values_are_refused():
    with pytest.raises(DesignError, match="needs at least 5 values; there are 4"):
        Ordinal(weights=(0.5, 0.2, 0.1)).matrix(4)


def test_that_personal_answers_must_be_a_distribution_of_the_right_length():
    with pytest.raises(DesignError, match=r"sums to 0\.9"):
        Unrelated(theta=0.5, personal=(0.5, 0.4))
    with pytest.raises(DesignError, match=r"2 probabilities of personal .* do not fit 3 values"):
        Unrelated(theta=0.5, personal=(0.5, 0.5)).matrix(3)


def test_that_classical_singular_designs_have_an_infinite_condition_number():
    assert condition_number(Uniform(keep=0.25).matrix(4)) == np.inf
    assert condition_number(Related(theta=0.5).matrix(2)) == np.inf
    assert condition_number(Uniform(keep=0.9).matrix(4)) < 2


def test_that_a_matrix_cannot_be_changed_after_it_was_built():
    with pytest.raises(ValueError, match="read-only"):
        Uniform(keep=0.5).matrix(3)[0, 0] = 1


def test_that_weights_of_nothing_are_refused():
    with pytest.raises(WorkbenchError, match="at least one must be positive"):
        Ordinal(weights=(0.0, 0.0))
