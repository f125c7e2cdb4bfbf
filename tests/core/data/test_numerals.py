"""Numbers written as text."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.numerals import (
    NumberFormat,
    number_text,
    parse_numerals,
    plain_kind,
    read_numerals,
)


def numbers(texts: list[str], decimal: str = ".") -> list[float]:
    found = read_numerals(pa.array(texts, pa.string()), NumberFormat(decimal))
    assert not found.refusal
    return found.numbers.tolist()


@pytest.mark.parametrize(
    ("texts", "decimal", "expected"),
    [
        (["1", "-2", " 3 "], ".", [1, -2, 3]),
        (["1.5", "1e3", "1,234.50", "-0"], ".", [1.5, 1000, 1234.5, 0]),
        (["1,5", "2"], ",", [1.5, 2]),
        (["1 234,5", "7"], ",", [1234.5, 7]),
        (["1\u00a0234", "12\u00a0345\u00a0678"], ",", [1234, 12345678]),
        (["1\u202f234,5"], ",", [1234.5]),
        (["1'234.5", "1’000"], ".", [1234.5, 1000]),
        (["1.234", "12.345.678,9"], ",", [1234, 12345678.9]),
        (["12,345", "1,000"], ".", [12345, 1000]),
        ([".5", "5.", "+3"], ".", [0.5, 5, 3]),
        (["\u22125", "4"], ".", [-5, 4]),
    ],
)
def test_that_numbers_are_read(texts: list[str], decimal: str, expected: list[float]) -> None:
    assert numbers(texts, decimal) == expected


def test_that_the_other_decimal_mark_is_tried_and_said() -> None:
    found = read_numerals(pa.array(["1,5", "2,25"]), NumberFormat("."))
    assert found.numbers.tolist() == [1.5, 2.25]
    assert "decimal comma" in found.note


def test_that_a_chosen_decimal_mark_is_the_only_one() -> None:
    assert read_numerals(pa.array(["1,5"]), NumberFormat(".", forced=True)).refusal


@pytest.mark.parametrize(
    ("texts", "word"),
    [
        (["007", "8"], "leading zeros"),
        (["-01", "8"], "leading zeros"),
        (["9007199254740993", "1"], "not exact"),
        (["12345678901234567890"], "not exact"),
        (["1e400"], "too large"),
        (["1", "1.0", "2"], "several ways"),
        (["0x1F"], "not every"),
        (["12", "x"], "not every"),
        (["1.5", "2,5"], "not every"),
        (["+48 123 456 789", "+48 123 456 780"], "not every"),
        (["123 456 789", "987 654 321"], "not every"),
        (["1,23,456"], "not every"),
        (["2020-01-31"], "not every"),
    ],
)
def test_that_texts_which_would_lose_something_are_no_numbers(texts: list[str], word: str) -> None:
    found = read_numerals(pa.array(texts), NumberFormat())
    assert word in found.refusal
    assert found.offender in texts


def test_that_the_largest_exact_whole_number_is_one() -> None:
    assert numbers(["9007199254740992", "0"]) == [2**53, 0]


def test_that_decimals_may_be_spelled_in_two_ways() -> None:
    assert numbers(["1", "1.0", "1.5"]) == [1, 1, 1.5]


def test_that_a_settled_format_gives_nan_for_what_is_no_number() -> None:
    found = parse_numerals(pa.array(["1 000,5", "x", "", "7"]), NumberFormat(","))
    assert np.array_equal(found, [1000.5, math.nan, math.nan, 7], equal_nan=True)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_that_a_number_is_read_back_from_its_text(number: float) -> None:
    found = parse_numerals(pa.array([number_text(number)]), NumberFormat())
    assert found[0] == number


@pytest.mark.parametrize(
    ("texts", "decimal", "kind"),
    [
        (["1", "-20"], ".", "whole"),
        (["1", "2.5"], ".", "decimal"),
        (["1", "2,5"], ",", "decimal"),
        (["1.5", "2,5"], ",", None),
        (["1", "02"], ".", None),
        (["0x10", "5"], ".", None),
        (["1", "a"], ".", None),
        ([], ".", None),
    ],
)
def test_that_only_plain_numbers_are_parsed_straight_away(
    texts: list[str], decimal: str, kind: str | None
) -> None:
    assert plain_kind(pa.array(texts, pa.string()), NumberFormat(decimal)) == kind


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_that_what_is_no_number_is_written_as_well(number):
    # Labels of damaged files carry them.
    assert number_text(number) == str(number)
