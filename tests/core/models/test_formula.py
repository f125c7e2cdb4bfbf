"""Formulas and the columns that they become."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.models.coding import collinear_columns, make_coding
from ppworkbench.core.models.formula import parse_formula

ATTRIBUTES = {
    "sex": Attribute("sex", Kind.BINARY, ("F", "M")),
    "district": Attribute("district", Kind.NOMINAL, ("north", "east", "south")),
    "age": Attribute("age", Kind.INTEGER, domain=(18, 90)),
    "income": Attribute("income", Kind.CONTINUOUS, domain=(0.5, 100)),
}


@pytest.mark.parametrize(
    "text",
    [
        "drug=yes ~ sex + age + sex:age",
        "y ~ 0 + district",
        "y ~ age^2 + log(income) + center(age)",
        "`two words`='a b' ~ district[ref=east]",
        "y ~ 1",
    ],
)
def test_that_a_formula_is_written_as_it_was_read(text: str) -> None:
    """Its text is read as the same formula."""
    formula = parse_formula(text)
    assert parse_formula(str(formula)) == formula


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("y", "'~'"),
        ("y ~ ", "attribute"),
        ("y ~ exp(x)", "no known function"),
        ("y ~ x^9", "power"),
        ("y ~ x + 2", "only 0 and 1"),
        ("y ~ x - x", "only '- 1'"),
        ("y ~ __import__('os')", "no known function"),
        ("y ~ x ; z", "no meaning"),
        ("y ~ y", "cannot explain itself"),
        ("y ~ 0", "nothing is left"),
    ],
)
def test_that_what_cannot_be_read_is_named(text: str, what: str) -> None:
    """With the position, and nothing is ever run."""
    with pytest.raises(ParameterError, match=what):
        parse_formula(text)


def rows(count: int) -> dict[str, np.ndarray]:
    """Answers drawn at random."""
    random = np.random.default_rng(5)
    return {
        "sex": random.integers(0, 2, count),
        "district": random.integers(0, 3, count),
        "age": random.integers(18, 91, count).astype(float),
        "income": random.uniform(0.5, 100, count),
    }


@pytest.mark.parametrize(
    "right",
    [
        "sex + district",
        "sex*district",
        "sex:district",
        "0 + sex + district",
        "0 + sex:age",
        "age + sex:age",
        "district + sex:district",
        "sex*district*age",
    ],
)
def test_that_columns_span_what_formulaic_makes_of_the_formula(right: str) -> None:
    """An independent implementation codes the same space with as many columns."""
    formulaic = pytest.importorskip("formulaic")
    import pandas as pd

    data = rows(200)
    frame = pd.DataFrame(
        {
            name: pd.Categorical.from_codes(column, ATTRIBUTES[name].values)
            if ATTRIBUTES[name].values
            else column
            for name, column in data.items()
        }
    )
    theirs = np.asarray(formulaic.model_matrix(right, frame), float)
    ours = make_coding(parse_formula(f"y ~ {right}"), ATTRIBUTES, {}).matrix(data, (200,))
    assert ours.shape == theirs.shape
    both = np.linalg.matrix_rank(np.hstack([ours, theirs]))
    assert both == np.linalg.matrix_rank(ours) == ours.shape[1]


def test_that_the_reference_can_be_chosen() -> None:
    """The other values are coded beside it."""
    coding = make_coding(parse_formula("y ~ district[ref=east]"), ATTRIBUTES, {})
    assert [label.level for label in coding.labels] == ["", "north", "south"]


def test_that_columns_that_follow_from_others_are_found() -> None:
    """Also one that is the sum of two."""
    random = np.random.default_rng(1)
    x = random.normal(size=(50, 3))
    matrix = np.column_stack([x, x[:, 0] + x[:, 1], 2 * x[:, 2]])
    assert collinear_columns(matrix, np.ones(50)) == [3, 4]
