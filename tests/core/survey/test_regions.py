"""What a condition means for each attribute."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.survey.conditions.condition import parse_condition
from ppworkbench.core.survey.conditions.regions import regions_of

DESIGN = Design(
    tuple(
        DesignedAttribute(attribute, Identity())
        for attribute in (
            Attribute("sex", Kind.BINARY, ("F", "M")),
            Attribute("district", Kind.NOMINAL, ("north", "east", "Old Town")),
            Attribute("trust", Kind.ORDINAL, ("low", "middle", "high", "full")),
            Attribute("age", Kind.INTEGER, domain=(18, 90)),
            Attribute("income", Kind.CONTINUOUS, domain=(0, 9000)),
        )
    )
)
AGES = np.arange(18.0, 91.0)


def inside(text, name, data):
    found = regions_of(parse_condition(text), DESIGN)[name].contains(np.asarray(data))
    return np.asarray(data)[found].tolist()


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("trust = middle", [1]),
        ("trust != middle", [0, 2, 3]),
        ("trust < high", [0, 1]),
        ("trust <= high", [0, 1, 2]),
        ("trust > low", [1, 2, 3]),
        ("trust >= full", [3]),
        ("low < trust <= high", [1, 2]),
        ("trust between middle and full", [1, 2, 3]),
        ("trust in {low, full}", [0, 3]),
        ("trust not in {low, full}", [1, 2]),
        ("trust >= middle and trust != high", [1, 3]),
        ("full <= trust < low", []),
    ],
)
def test_that_a_test_of_an_ordinal_attribute_means_these_values(text, codes):
    assert inside(text, "trust", [0, 1, 2, 3, -1]) == codes


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("age = 30", [30]),
        ("age != 30", [*range(18, 30), *range(31, 91)]),
        ("age < 20", [18, 19]),
        ("age <= 20", [18, 19, 20]),
        ("age < 19.5", [18, 19]),
        ("age >= 89", [89, 90]),
        ("age > 88.5", [89, 90]),
        ("age in {20, 19, 30}", [19, 20, 30]),
        ("age = 20.5", []),
        ("20 <= age < 23", [20, 21, 22]),
        ("20 < age <= 23 and age != 22", [21, 23]),
        ("age > 95", []),
        ("30 <= age < 20", []),
    ],
)
def test_that_a_test_of_an_integer_means_these_numbers(text, ages):
    assert inside(text, "age", AGES) == ages


SIGNS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}


@given(st.floats(-100, 100), st.sampled_from(list(SIGNS)))
def test_that_a_limit_of_a_real_number_is_on_the_side_that_the_operator_says(limit, sign):
    near = np.array([np.nextafter(limit, -np.inf), limit, np.nextafter(limit, np.inf)])
    expected = [x for x in near.tolist() if SIGNS[sign](x, limit)]
    assert inside(f"income {sign} {limit!r}", "income", near) == expected


def test_that_missing_answers_meet_nothing():
    assert inside("income != 3", "income", [np.nan, 3.0, 4.0]) == [4.0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("agee < 30", "The design has no attribute 'agee'; did you mean 'age'?"),
        ("SEX = F", "The design has no attribute 'SEX'; did you mean 'sex'?"),
        ("xyz < 30", "it has sex, district, trust, age, income."),
        ("district = 'old town'", "has no value 'old town'; did you mean 'Old Town'?"),
        ("sex = X", "Attribute 'sex' has no value 'X'; it has F, M."),
        ("sex < M", "is binary and its values have no order, so < does not apply"),
        ("north <= district < east", "is nominal and its values have no order, so a range"),
        ("age < young", "Attribute 'age' is integer; 'young' is not a number"),
        ("age < nan", "'nan' is not a number"),
        ("income in {1, many}", "'many' is not a number"),
        ("income < 1e999", "'1e999' is not a number"),
    ],
)
def test_that_what_the_design_does_not_know_is_named_with_the_nearest_it_knows(text, sentence):
    with pytest.raises(ParameterError) as caught:
        regions_of(parse_condition(text), DESIGN)
    assert sentence in caught.value.message
    assert caught.value.attribute is not None


def test_that_regions_stand_in_the_order_of_the_condition():
    condition = parse_condition("trust = low and sex = F and trust != high")
    assert list(regions_of(condition, DESIGN)) == ["trust", "sex"]


def test_that_a_region_knows_that_it_is_empty():
    empty = regions_of(parse_condition("age > 90 and sex = F and sex = M"), DESIGN)
    assert [region.is_empty for region in empty.values()] == [True, True]
    full = regions_of(parse_condition("age >= 90 and sex = F"), DESIGN)
    assert [region.is_empty for region in full.values()] == [False, False]
