"""Whatever is asked of whatever table: finite numbers in order, or one sentence."""

from __future__ import annotations

import json
import math

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Discretise,
    Group,
    Identity,
    Multiplicative,
    Related,
    Retention,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.participants import participants
from ppworkbench.results.text import plain

ATTRIBUTES = (
    Attribute("sex", Kind.BINARY, ("F", "M")),
    Attribute("one", Kind.NOMINAL, ("only",)),
    Attribute("colour", Kind.NOMINAL, ("red", "green", "blue", "Old Town")),
    Attribute("trust", Kind.ORDINAL, ("low", "middle", "high")),
    Attribute("age", Kind.INTEGER, domain=(18, 90)),
    Attribute("children", Kind.INTEGER, domain=(0, 3)),
    Attribute("fixed", Kind.CONTINUOUS, domain=(5, 5)),
    Attribute("income", Kind.CONTINUOUS, domain=(1, 9000)),
    Attribute("a", Kind.BINARY, ("no", "yes")),
    Attribute("b", Kind.BINARY, ("no", "yes")),
)
CATEGORICAL = st.sampled_from(
    [Identity(), Uniform(keep=0.9), Uniform(keep=0.5), Unrelated(theta=0.2), Unrelated(theta=0.0)]
)
NUMERIC = st.sampled_from(
    [
        Identity(),
        Additive(noise="uniform", half_width=2),
        Additive(noise="uniform", half_width=300),
        Additive(noise="normal", sigma=20),
        Additive(noise="laplace", scale=3, truncate=True),
        Discretise(intervals=3),
        Retention(keep=0.3),
        Retention(keep=0.0),
    ]
)
TESTS = st.sampled_from(
    [
        "sex = F", "sex != F", "one = only", "colour in {red, 'Old Town'}", "trust >= middle",
        "age <= 30", "30 <= age < 31", "age > 100", "children = 0", "children in {0, 3}",
        "fixed = 5", "fixed > 5", "income < 1000", "income = 7", "income != 7", "income >= 9000",
        "a = yes", "b = no",
    ]
)  # fmt: skip
METHODS = st.sampled_from(["joint", "sequential"])


@st.composite
def surveys(draw):
    designed = []
    for attribute in ATTRIBUTES:
        kind = attribute.kind
        if attribute.name in "ab" or (attribute.width == 0 and kind.is_numeric):
            perturbation = Identity()
        elif attribute.name == "income":
            perturbation = draw(NUMERIC | st.just(Multiplicative(sigma=0.4)))
        elif attribute.name == "sex":
            perturbation = draw(CATEGORICAL | st.just(Related(theta=0.7)))
        else:
            perturbation = draw(CATEGORICAL if kind.is_categorical else NUMERIC)
        if attribute.name == "one":
            perturbation = Identity()
        designed.append(DesignedAttribute(attribute, perturbation))
    theta = draw(st.sampled_from([0.0, 0.5, 0.8]))
    group = Group(("a", "b"), draw(st.sampled_from(["related", "unrelated"])), theta)
    design = Design(tuple(designed), groups=(group,))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    n = draw(st.sampled_from([0, 1, 2, 5, 40]))
    original = Table(tuple(Column(a, _answers(a, n, rng)) for a in ATTRIBUTES))
    return original, design, distort(original, design, SeededStreams(n))


def _answers(attribute, n, rng):
    gone = rng.random(n) < 0.05
    if attribute.kind.is_categorical:
        return np.where(gone, -1, rng.integers(0, attribute.k, n))
    numbers = rng.uniform(*attribute.domain, n)
    numbers = np.rint(numbers) if attribute.kind is Kind.INTEGER else numbers
    return np.where(gone, np.nan, numbers)


def check(ask, numbers):
    """The result is JSON without NaN and its numbers are in order; or it is one sentence."""
    try:
        found = ask()
    except WorkbenchError as error:
        return error.message
    json.dumps(plain(found.to_json()), allow_nan=False)
    for value in numbers(found):
        for number in (value.estimate, value.low, value.high, value.standard_error):
            assert not math.isnan(number)
        assert value.low <= value.high
        assert value.standard_error >= 0
    return found.sentence


@examples(0.625)
@given(surveys(), st.lists(TESTS, max_size=3).map(" and ".join), METHODS, st.data())
def test_that_every_question_has_numbers_in_order_or_one_sentence(survey, where, method, data):
    original, design, distorted = survey
    name, other = (data.draw(st.sampled_from([a.name for a in ATTRIBUTES])) for _ in "12")
    keywords = {"method": method, "original": original}
    told = [
        check(lambda: count(distorted, design, where, **keywords), lambda f: [f.value]),
        check(lambda: mean(distorted, design, name, where, **keywords), lambda f: [f.value]),
        check(lambda: distribution(distorted, design, name, where, **keywords), lambda f: f.shares),
        check(
            lambda: crosstab(distorted, design, name, other, where, **keywords),
            lambda f: [cell for row in f.cells for cell in row],
        ),
        check(
            lambda: participants(distorted, design, where, **keywords), lambda f: [f.count.value]
        ),
    ]
    for sentence in told:
        assert sentence.endswith((".", "?"))
        assert "nan" not in sentence.split()
