"""Conditions as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.survey.conditions.condition import (
    EVERYBODY,
    Comparison,
    Condition,
    Membership,
    Operator,
    Range,
    parse_condition,
)

texts = st.text(max_size=12) | st.sampled_from(
    ["F", "age", "-3.5", "1e3", "Old Town", "and", "IN", "it's", '"', "''", "R&D", "&", "a=b", ""]
)
tests = st.one_of(
    st.builds(Comparison, texts, st.sampled_from(list(Operator)), texts),
    st.builds(Membership, texts, st.lists(texts, min_size=1, max_size=3).map(tuple), st.booleans()),
    st.builds(Range, texts, texts, texts, st.booleans(), st.booleans()),
)


@given(st.lists(tests, max_size=4).map(tuple).map(Condition))
def test_that_a_condition_is_read_back_from_its_text(condition):
    assert parse_condition(str(condition)) == condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", EVERYBODY),
        ("   ", EVERYBODY),
        ("sex = F", Condition((Comparison("sex", "=", "F"),))),
        ("sex == F", Condition((Comparison("sex", "=", "F"),))),
        ("sex <> F", Condition((Comparison("sex", "!=", "F"),))),
        ("age≤30", Condition((Comparison("age", "<=", "30"),))),
        ("30 > age", Condition((Comparison("age", "<", "30"),))),
        ("age < -3.5e1", Condition((Comparison("age", "<", "-3.5e1"),))),
        ("18 <= age < 30", Condition((Range("age", "18", "30"),))),
        ("30 > age >= 18", Condition((Range("age", "18", "30"),))),
        ("18 < age <= 30", Condition((Range("age", "18", "30", False, True),))),
        ("age between 18 and 30", Condition((Range("age", "18", "30", True, True),))),
        ("low <= trust < high", Condition((Range("trust", "low", "high"),))),
        ("district in {a, b}", Condition((Membership("district", ("a", "b")),))),
        ("district IN (a,b)", Condition((Membership("district", ("a", "b")),))),
        ("district ∈ [a]", Condition((Membership("district", ("a",)),))),
        ("district not in {a}", Condition((Membership("district", ("a",), True),))),
        ("'Credits status' = none", Condition((Comparison("Credits status", "=", "none"),))),
        ('x = "a ""b"" \'c\'"', Condition((Comparison("x", "=", "a \"b\" 'c'"),))),
        ("'30' < 5", Condition((Comparison("30", "<", "5"),))),
    ],
)
def test_that_every_way_of_writing_a_test_is_understood(text, expected):
    assert parse_condition(text) == expected


def test_that_tests_are_joined_and_keep_their_order():
    condition = parse_condition("b = 1 AND a = 2 & b != 3 ∧ 1 <= c < 2")
    assert [test.attribute for test in condition.tests] == ["b", "a", "b", "c"]
    assert condition.attributes == ("b", "a", "c")


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("sex =", 6, "expected a value, found the end"),
        ("sex", 4, "expected =, !=, <, <=, >, >=, 'in' or 'between', found the end"),
        ("sex F", 5, "put names and values with spaces in quotes"),
        ("district = Old Town", 16, "put names and values with spaces in quotes"),
        ("= F", 1, "expected the name of an attribute, found '='"),
        ("and = F", 1, "put a name that is a keyword in quotes"),
        ("a = b or c = d", 7, "for one of several values write 'name in {value, value}'"),
        ("a in b", 6, "expected a list of values such as {north, east}, found 'b'"),
        ("a in {b", 8, "expected ',' or '}', found the end"),
        ("a in {b)", 8, "expected ',' or '}', found ')'"),
        ("a in {}", 7, "expected a value, found '}'"),
        ("a not b", 7, "expected 'in' after 'not'"),
        ("a between 1, 2", 12, "expected 'and' and the highest value"),
        ("3 < a > 5", 7, "< and > do not make a range"),
        ("a = 'b", 5, "the quote ' is not closed"),
        ("a ! b", 3, "'!' cannot be read"),
        ("a = b and", 10, "expected the name of an attribute, found the end"),
        ("a = b)", 6, "expected 'and' or the end, found ')'"),
    ],
)
def test_that_a_mistake_is_told_with_its_position_and_what_was_expected(text, position, words):
    with pytest.raises(ParameterError) as caught:
        parse_condition(text)
    assert caught.value.field == "condition"
    assert f"at position {position}: " in caught.value.message
    assert words in caught.value.message


@given(st.text(max_size=30))
def test_that_any_text_is_a_condition_or_a_parameter_error(text):
    try:
        condition = parse_condition(text)
    except ParameterError:
        return
    assert parse_condition(str(condition)) == condition


def test_that_a_list_of_no_values_cannot_be_made():
    with pytest.raises(ParameterError, match="empty"):
        Membership("a", ())
