"""Perturbations of every family with attributes that they fit."""

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Discretise,
    Duchi,
    Forced,
    Geometric,
    Hybrid,
    Identity,
    Laplace,
    Multiplicative,
    Ordinal,
    Perturbation,
    Piecewise,
    Related,
    Retention,
    SquareWave,
    Subset,
    UnaryEncoding,
    Uniform,
    Unrelated,
)
from ppworkbench.study.study import Study

YES_NO = Attribute("smokes", Kind.BINARY, ("no", "yes"))
COLOURS = Attribute("colour", Kind.NOMINAL, ("red", "green", "blue", "white"))
LIKERT = Attribute("mood", Kind.ORDINAL, ("1", "2", "3", "4", "5"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
SALARY = Attribute("salary", Kind.CONTINUOUS, domain=(100, 10_000))


def attribute_of(k: int) -> Attribute:
    """An ordinal attribute of so many values."""
    return Attribute("q", Kind.ORDINAL, tuple(f"v{i}" for i in range(k)))


MATRIX_CASES: list[tuple[Attribute, Perturbation]] = [
    (COLOURS, Uniform(keep=0.55)),
    (YES_NO, Binary(keep_one=0.5, keep_zero=0.87)),
    (LIKERT, Ordinal(weights=(0.6, 0.2), loop=False)),
    (LIKERT, Ordinal(weights=(0.5, 0.15, 0.1), loop=True)),
    (COLOURS, Unrelated(theta=0.7, personal=(0.1, 0.2, 0.3, 0.4))),
    (YES_NO, Related(theta=0.8)),
    (COLOURS, Forced(p_truth=0.6)),
    (YES_NO, Custom(((0.9, 0.25), (0.1, 0.75)))),
    (LIKERT, Geometric(epsilon=2.0)),
]
INTEGER_CASES: list[tuple[Attribute, Perturbation]] = [
    (AGE, Additive(noise="uniform", half_width=10, integer="staircase")),
    (AGE, Additive(noise="uniform", half_width=5, integer="round")),
    (AGE, Additive(noise="uniform", half_width=5, integer="floor")),
    (AGE, Additive(noise="normal", sigma=6, integer="staircase")),
    (AGE, Additive(noise="laplace", scale=4, integer="round")),
    (AGE, Additive(noise="normal", sigma=20, integer="staircase", truncate=True)),
    (AGE, Additive(noise="uniform", half_width=30, integer="staircase", truncate=True)),
    (AGE, Multiplicative(sigma=0.2)),
    (AGE, Multiplicative(noise="truncated-normal", sigma=0.4)),
    (AGE, Retention(keep=0.4)),
    (AGE, Retention(keep=0.2, replacing=(1, 3, 2))),
    (AGE, SquareWave(epsilon=2.0)),
    (AGE, Laplace(epsilon=8.0)),
]
REAL_CASES: list[tuple[Attribute, Perturbation]] = [
    (SALARY, Additive(noise="uniform", half_width=800)),
    (SALARY, Additive(noise="normal", range_privacy=50)),
    (SALARY, Additive(noise="laplace", scale=700)),
    (SALARY, Additive(noise="normal", sigma=2_000, truncate=True)),
    (SALARY, Additive(noise="laplace", scale=700, grid=1.0)),
    (SALARY, Multiplicative(sigma=0.3)),
    (SALARY, Multiplicative(noise="truncated-normal", sigma=0.5)),
    (SALARY, Retention(keep=0.5)),
    (SALARY, Retention(keep=0.3, replacing=(1, 4, 2, 1), grid=1.0)),
    (SALARY, Piecewise(epsilon=2.0)),
    (SALARY, Laplace(epsilon=8.0, inside=True)),
    (SALARY, Hybrid(epsilon=4.0)),
]
OTHER_CASES: list[tuple[Attribute, Perturbation]] = [
    (SALARY, Discretise(intervals=5)),
    (AGE, Discretise(range_privacy=25)),
    (AGE, Discretise(edges=(18, 30, 65, 90))),
    (COLOURS, Identity()),
    (AGE, Identity()),
]
MEAN_CASES: list[tuple[Attribute, Perturbation]] = [
    (AGE, Duchi(epsilon=2.0)),
    (SALARY, Hybrid(epsilon=0.5, grid=10.0)),
]
"""Reports that tell the mean of a number only."""
SET_CASES: list[tuple[Attribute, Perturbation]] = [
    (COLOURS, Subset(epsilon=1.5)),
    (LIKERT, Subset(epsilon=1.0, size=3)),
    (COLOURS, UnaryEncoding(epsilon=2.0)),
]
NOISE_CASES = INTEGER_CASES + REAL_CASES
TELLING_CASES = [
    case
    for cases in (MATRIX_CASES, INTEGER_CASES, REAL_CASES)
    for case in {type(perturbation): (attribute, perturbation)
                 for attribute, perturbation in reversed(cases)}.values()
]  # fmt: skip
"""The first of each mechanism; others differ from them by parameters."""
ALL_CASES = MATRIX_CASES + NOISE_CASES + MEAN_CASES + OTHER_CASES + SET_CASES


def case_name(value: object) -> str:
    """A readable name of a test case."""
    return value.name if isinstance(value, Attribute) else repr(value).replace(" ", "")


def classic_perturbation(attribute: Attribute) -> Perturbation:
    """Neighbours for ordered answers, 0.6 for others, uniform noise of half the range."""
    if attribute.kind.is_categorical:
        if attribute.kind is Kind.ORDINAL and attribute.k >= 3:
            return Ordinal(weights=(0.6, 0.2), loop=False)
        return Uniform(keep=0.6)
    rule = "staircase" if attribute.kind is Kind.INTEGER else None
    if attribute.width == 0:
        return Additive(noise="uniform", half_width=1.0, integer=rule)
    return Additive(noise="uniform", range_privacy=50.0, integer=rule)


def with_classic_design(study: Study) -> Study:
    """The study with mechanisms of the older literature, which no longer are where it starts.

    The class and the columns of the sampling are not distorted.
    """
    plain = {study.design.class_name, *study.undistorted_columns}
    return study.with_perturbations(
        {
            one.name: Identity() if one.name in plain else classic_perturbation(one.attribute)
            for one in study.design
        }
    )


def classic_study(table: Table, title: str = "survey") -> Study:
    """A study of original answers with the classic mechanisms."""
    return with_classic_design(Study.of_table(table, title))
