"""Priors: from data, drawn, uniform, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.privacy.prior import CELLS, Prior

COLOUR = Attribute("colour", Kind.NOMINAL, ("red", "green", "blue"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
INCOME = Attribute("income", Kind.INTEGER, domain=(0, 90_000))
SALARY = Attribute("salary", Kind.CONTINUOUS, domain=(0, 1000))


def test_that_missing_answers_do_not_count() -> None:
    prior = Prior.from_column(Column(COLOUR, np.array([0, 0, 2, -1, 2, 2, -1, 0])))
    assert prior.probabilities.tolist() == [0.5, 0.0, 0.5]
    assert prior.missing == 0.25
    assert prior.origin == "data"
    numbers = Prior.from_column(Column(AGE, np.array([18.0, np.nan, 90.0, 18.0])))
    assert numbers.probabilities[[0, -1]] == pytest.approx([2 / 3, 1 / 3])
    assert numbers.missing == 0.25


def test_that_missing_counts_as_an_answer_where_the_design_says_so() -> None:
    wider = COLOUR.with_(values=("blue", "red", "green", "missing"))
    prior = Prior.from_column(Column(COLOUR, np.array([0, -1, 2, 2])), wider)
    assert prior.probabilities.tolist() == [0.5, 0.25, 0.0, 0.25]
    assert prior.missing == 0


def test_that_an_answer_the_design_does_not_list_is_named() -> None:
    narrower = COLOUR.with_(values=("red", "green"))
    with pytest.raises(DataError, match="blue") as caught:
        Prior.from_column(Column(COLOUR, np.array([0, 2])), narrower)
    assert caught.value.attribute == "colour"
    assert Prior.from_column(Column(COLOUR, np.array([0, 1])), narrower).k == 2


def test_that_integers_have_a_cell_each_where_there_are_few() -> None:
    prior = Prior.from_column(Column(AGE, np.arange(18.0, 91.0)))
    assert prior.k == 73
    assert prior.probabilities == pytest.approx(np.full(73, 1 / 73))
    assert prior.label(0) == "18"
    wide = Prior.uniform(INCOME)
    assert wide.k == CELLS
    assert wide.widths is not None
    assert wide.widths.sum() == 90_001
    assert np.all(wide.edges % 1 == 0.5)


@given(st.lists(st.floats(0, 1000), min_size=1, max_size=50))
def test_that_the_histogram_of_numbers_counts_them_all(numbers: list[float]) -> None:
    prior = Prior.from_column(Column(SALARY, np.array(numbers)))
    assert prior.edges is not None
    expected = [
        sum(low <= x < high or (x == 1000 == high) for x in numbers) / len(numbers)
        for low, high in zip(prior.edges[:-1], prior.edges[1:], strict=True)
    ]
    assert prior.probabilities == pytest.approx(expected)


@given(st.lists(st.floats(0, 1e6), min_size=3, max_size=3).filter(lambda w: sum(w) > 1e-3))
def test_that_weights_are_brought_to_sum_1_and_frozen(weights: list[float]) -> None:
    prior = Prior.from_weights(COLOUR, weights)
    assert prior.probabilities.sum() == pytest.approx(1)
    assert prior.probabilities * sum(weights) == pytest.approx(weights)
    with pytest.raises(ValueError, match="read-only"):
        prior.probabilities[0] = 1


def test_that_a_callers_array_stays_writable() -> None:
    weights = np.array([1.0, 1.0, 2.0])
    Prior(COLOUR, weights)
    weights[0] = 5.0
    assert weights[0] == 5


def test_that_weights_of_a_number_belong_to_equal_slices() -> None:
    prior = Prior.from_weights(SALARY, [1, 3])
    assert prior.edges is not None
    assert prior.edges.tolist() == [0, 500, 1000]
    assert prior.label(1) == "500 to 1000"
    assert Prior.from_weights(AGE, [1, 1]).label(0) == "18 to 54"
    uneven = Prior.from_weights(SALARY, [1, 1], [0, 10, 1000])
    assert uneven.widths is not None
    assert uneven.widths.tolist() == [10, 990]


def test_that_a_domain_of_one_point_has_one_cell() -> None:
    point = Attribute("point", Kind.CONTINUOUS, domain=(5, 5))
    assert Prior.uniform(point).probabilities.tolist() == [1]
    assert Prior.from_column(Column(point, np.array([5.0, 5.0]))).k == 1


@pytest.mark.parametrize(
    ("attribute", "weights", "edges", "words"),
    [
        (COLOUR, [1, 1], None, "3 values but 2"),
        (COLOUR, [1, -1, 1], None, "-1 at position 2"),
        (COLOUR, [1, np.nan, 1], None, "nan at position 2"),
        (COLOUR, [0, 0, 0], None, "only probabilities of 0"),
        (COLOUR, [1, 1, 1], [0, 1, 2, 3], "no edges"),
        (SALARY, [1, 1], [0, 1000, 500], "increasing"),
        (SALARY, [1, 1], [0, 500, 900], "from 0 to 1000"),
        (SALARY, [1, 1], [0, np.inf, 1000], "finite"),
        (AGE, [1, 1], [17.5, 30, 90.5], "half-way"),
        (Attribute("none", Kind.NOMINAL), [], None, "0 values"),
    ],
)
def test_that_what_is_no_distribution_is_refused(
    attribute: Attribute, weights: list[float], edges: list[float] | None, words: str
) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        Prior.from_weights(attribute, weights, edges)
    assert caught.value.attribute == attribute.name


@pytest.mark.parametrize(
    ("column", "design", "words"),
    [
        (Column(COLOUR, np.array([-1, -1])), COLOUR, "no answers"),
        (Column(SALARY, np.array([1001.0, 5.0])), SALARY, "1 value"),
        (Column(AGE, np.array([20.5])), AGE, "decimals"),
        (Column(AGE, np.array([20.0])), AGE.with_(kind=Kind.NOMINAL, domain=None), "same kind"),
    ],
)
def test_that_data_that_make_no_prior_are_refused(
    column: Column, design: Attribute, words: str
) -> None:
    with pytest.raises(DataError, match=words):
        Prior.from_column(column, design)
