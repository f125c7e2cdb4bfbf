"""Answer scales and ranges of numbers, put in order."""

from __future__ import annotations

import random

import pytest

from ppworkbench.core.data.inference.scales import order_ranges, order_scale
from ppworkbench.core.data.inference.text import lookalikes

SCALES = [
    ["zdecydowanie nie", "raczej nie", "trudno powiedzieć", "raczej tak", "zdecydowanie tak"],
    ["Zdec się nie zgadzam", "Nie zgadzam się", "Zgadzam się", "Zdec się zgadzam"],
    ["strongly disagree", "disagree", "neither agree nor disagree", "agree", "strongly agree"],
    ["Strongly disagree", "Slightly disagree", "Neutral", "Slightly agree", "Strongly agree"],
    ["never", "rarely", "sometimes", "often", "very often", "always"],
    ["nigdy", "rzadko", "czasami", "często", "zawsze"],
    ["very bad", "bad", "fair", "good", "very good"],
    ["bardzo źle", "źle", "przeciętnie", "dobrze", "bardzo dobrze"],
    ["very poor", "poor", "fair", "good", "very good", "excellent"],
    ["low", "medium", "high"],
    ["niski", "średni", "wysoki"],
    ["very dissatisfied", "dissatisfied", "satisfied", "very satisfied"],
    ["very unlikely", "unlikely", "neutral", "likely", "very likely"],
    ["not at all", "a little", "somewhat", "very"],
    ["primary", "secondary", "bachelor", "master", "phd"],
    ["podstawowe", "zasadnicze zawodowe", "średnie", "wyższe"],
    ["S", "M", "L", "XL"],
    ["extremely liberal", "liberal", "moderate", "conservative", "extremely conservative"],
    ["poor", "rather poor", "average", "good", "very good/mother tongue"],
    ["once a year", "once a month", "once a week", "daily"],
]

RANGES = [
    ["<1", "1-4", ">=4"],
    ["18-24", "25-34", "35-44", "45+"],
    ["none", "1-5", "6-10", "41 or more"],
    ["below 3.00", "3.00 to 3.49", "3.50 to 4.00"],
    ["1985 or before", "1986-1989", "1990-1993"],
    ["<0", "0<=X<200", ">=200"],
    ["None or less than $2,999", "$3,000-$4,999", "$105,000 and over"],
    ["poniżej 20 lat", "20-39 lat", "40-59 lat", "powyżej 60 lat"],
    ["<=50K", ">50K"],
    ["1", "2", "3", "more"],
    ["do 1000 zł", "1000-2000 zł", "powyżej 2000 zł"],
]


@pytest.mark.parametrize("scale", SCALES + RANGES, ids=lambda scale: scale[0])
def test_that_a_scale_is_put_in_order(scale: list[str]) -> None:
    mixed = scale.copy()
    random.Random(3).shuffle(mixed)
    found = order_scale(mixed)
    assert found is not None
    assert list(found.values) == scale


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green", "blue"],
        ["never", "always", "blue"],
        ["good", "GOOD", "bad"],
        ["Warszawa", "Kraków", "Łódź"],
        ["1-4", "2-3", "0-1"],
        ["2:1", "1:0", "0:0"],
        ["agree", "satisfied", "likely"],
        ["never"],
        [],
    ],
)
def test_that_other_values_have_no_order(values: list[str]) -> None:
    assert order_scale(values) is None


def test_that_ranges_that_overlap_have_no_order() -> None:
    assert order_ranges(["1-5", "4-8", "9-12"]) is None
    assert order_ranges(["5-1", "6-7", "8-9"]) is None


def test_that_values_that_look_alike_are_grouped() -> None:
    found = lookalikes(["tak", " tak", "TAK", "nie", "1", "1.0", "01", "2"])
    assert found == ((" tak", "TAK", "tak"), ("01", "1", "1.0"))


def test_that_long_whole_numbers_do_not_look_alike() -> None:
    assert lookalikes(["9007199254740993", "9007199254740992"]) == ()
