"""Corrections of a table by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import CLIP, Attribute, Kind, MissingCode, MissingPolicy
from ppworkbench.core.data.edits import (
    mark_missing,
    merge_values,
    rename_attribute,
    rename_value,
    reorder_values,
    restore_missing,
    set_class,
    set_domain,
    set_kind,
    set_label,
    set_missing_policy,
    set_outside,
)
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

NAN = float("nan")


def survey() -> Table:
    mood = Attribute("mood", Kind.NOMINAL, ("bad", "good", "so-so"), codes=(1.0, 3.0, 2.0))
    sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    digits = Attribute("digits", Kind.NOMINAL, ("10", "2.5", "7"), reason="a guess")
    age = Attribute("age", Kind.INTEGER, domain=(18, 60), number_labels=((60.0, "60 or more"),))
    income = Attribute("income", Kind.CONTINUOUS, domain=(0, 9.5))
    return Table(
        (
            Column(mood, np.array([0, 1, 2, -1])),
            Column(sex, np.array([0, 1, -1, 0])),
            Column(digits, np.array([0, 1, 2, -1])),
            Column(age, np.array([18.0, 60.0, NAN, 30.0])),
            Column(income, np.array([0.0, 9.5, 2.5, NAN])),
        ),
        class_name="sex",
    )


def answers(table: Table, name: str) -> list[object]:
    return table[name].to_series().astype(object).where(lambda s: s.notna(), None).tolist()


def test_that_no_edit_changes_the_table_it_is_given() -> None:
    table = survey()
    before = [column.data.copy() for column in table]
    reorder_values(table, "mood", ["bad", "so-so", "good"])
    merge_values(table, "mood", ["bad", "so-so"], "poor")
    set_kind(table, "age", Kind.NOMINAL)
    mark_missing(table, "income", [2.5])
    assert table.equals(survey())
    for column, data in zip(table, before, strict=True):
        assert np.array_equal(column.data, data, equal_nan=not column.is_categorical)


def test_that_values_are_put_in_another_order() -> None:
    found = reorder_values(survey(), "mood", ["bad", "so-so", "good"])
    assert found["mood"].attribute.values == ("bad", "so-so", "good")
    assert found["mood"].attribute.codes == (1, 2, 3)
    assert answers(found, "mood") == answers(survey(), "mood")


@given(st.permutations(range(6)), st.lists(st.integers(-1, 5), max_size=20))
def test_that_any_order_leaves_the_answers(order: list[int], data: list[int]) -> None:
    attribute = Attribute("q", Kind.ORDINAL, tuple("abcdef"))
    table = Table((Column(attribute, np.array(data, np.int64)),))
    found = reorder_values(table, "q", ["abcdef"[i] for i in order])
    assert answers(found, "q") == answers(table, "q")


@pytest.mark.parametrize("order", [["bad", "good"], ["bad", "good", "worse"], ["bad"] * 3])
def test_that_an_order_must_list_every_value_once(order: list[str]) -> None:
    with pytest.raises(DataError, match="every value once") as caught:
        reorder_values(survey(), "mood", order)
    assert caught.value.attribute == "mood"


def test_that_a_value_is_renamed() -> None:
    found = rename_value(survey(), "mood", "so-so", "fair")
    assert found["mood"].attribute.values == ("bad", "good", "fair")
    assert found["mood"].attribute.codes == (1, 3, 2)
    with pytest.raises(DataError, match="merge 'bad' into it"):
        rename_value(survey(), "mood", "bad", "good")
    with pytest.raises(DataError, match="no value 'x'"):
        rename_value(survey(), "mood", "x", "y")


def test_that_values_are_merged_into_one_of_them_or_a_new_one() -> None:
    found = merge_values(survey(), "mood", ["so-so"], "bad")
    assert found["mood"].attribute.values == ("bad", "good")
    assert found["mood"].attribute.codes == (1, 3)
    assert answers(found, "mood") == ["bad", "good", "bad", None]
    found = merge_values(survey(), "mood", ["good", "so-so"], "fine")
    assert answers(found, "mood") == ["bad", "fine", "fine", None]


def test_that_a_binary_attribute_merged_into_one_value_is_nominal() -> None:
    found = merge_values(survey(), "sex", ["F", "M"], "any")
    assert found["sex"].attribute.kind is Kind.NOMINAL
    assert answers(found, "sex") == ["any", "any", None, "any"]


def test_that_only_known_values_are_merged() -> None:
    with pytest.raises(DataError, match="no value 'x'"):
        merge_values(survey(), "mood", ["x"], "bad")
    with pytest.raises(DataError, match="at least one"):
        merge_values(survey(), "mood", [], "new")
    with pytest.raises(DataError, match="no list of values"):
        merge_values(survey(), "age", ["18"], "19")


# -- kinds -----------------------------------------------------------------------------------


def test_that_categorical_kinds_change_into_each_other() -> None:
    found = set_kind(survey(), "mood", Kind.ORDINAL)
    assert found["mood"].attribute.kind is Kind.ORDINAL
    assert set_kind(survey(), "sex", Kind.ORDINAL)["sex"].attribute.kind is Kind.ORDINAL
    with pytest.raises(DataError, match="3 values, and a binary attribute has 2"):
        set_kind(survey(), "mood", Kind.BINARY)


def test_that_numbers_become_values_in_ascending_order() -> None:
    found = set_kind(survey(), "age", Kind.ORDINAL)["age"]
    assert found.attribute.values == ("18", "30", "60 or more")
    assert found.attribute.codes == (18, 30, 60)
    assert found.data.tolist() == [0, 2, -1, 1]


def test_that_values_become_the_numbers_they_are_written_as() -> None:
    found = set_kind(survey(), "digits", Kind.CONTINUOUS)["digits"]
    assert np.array_equal(found.data, [10, 2.5, 7, NAN], equal_nan=True)
    assert found.attribute.domain == (2, 10)
    assert found.attribute.reason == ""


def test_that_values_become_their_codes_when_they_are_words() -> None:
    found = set_kind(survey(), "mood", Kind.INTEGER)["mood"]
    assert np.array_equal(found.data, [1, 3, 2, NAN], equal_nan=True)
    assert found.attribute.number_labels == ((1, "bad"), (3, "good"), (2, "so-so"))


def test_that_words_become_no_numbers() -> None:
    with pytest.raises(DataError, match="not numbers: 'F', 'M'"):
        set_kind(survey(), "sex", Kind.INTEGER)


def test_that_decimals_become_no_whole_numbers() -> None:
    with pytest.raises(
        DataError, match=r"2 answers are not whole numbers; the first is 9.5"
    ) as caught:
        set_kind(survey(), "income", Kind.INTEGER)
    assert caught.value.row == 2
    found = set_kind(survey(), "age", Kind.CONTINUOUS)
    assert set_kind(found, "age", Kind.INTEGER)["age"].attribute.kind is Kind.INTEGER


def test_that_too_many_numbers_become_no_values() -> None:
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(0, 1))
    table = Table((Column(attribute, np.linspace(0, 1, 20_000)),))
    with pytest.raises(DataError, match="20000 distinct numbers are too many"):
        set_kind(table, "x", Kind.NOMINAL)


def test_that_a_numeric_attribute_is_no_longer_the_class() -> None:
    table = survey().with_(class_name="digits")
    assert set_kind(table, "digits", Kind.CONTINUOUS).class_name is None


@given(st.lists(st.sampled_from([1.0, 2.5, -3.0, NAN]), min_size=1, max_size=12))
def test_that_numbers_come_back_from_values(numbers: list[float]) -> None:
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(-3, 3))
    table = Table((Column(attribute, np.array(numbers)),))
    words = set_kind(table, "x", Kind.NOMINAL)
    if words["x"].attribute.k:
        back = set_kind(words, "x", Kind.CONTINUOUS)
        assert np.array_equal(back["x"].data, table["x"].data, equal_nan=True)


# -- the rest --------------------------------------------------------------------------------


def test_that_a_domain_is_set_and_answers_outside_are_told() -> None:
    found = set_domain(set_outside(survey(), "income", CLIP), "income", -1, 5)
    assert found["income"].attribute.domain == (-1, 5)
    assert found.notes[-1] == "'income': 1 answer lies outside the domain [-1, 5]."
    assert set_domain(survey(), "income", 0, 10).notes == ()
    with pytest.raises(DataError, match="is reversed"):
        set_domain(survey(), "income", 5, 0)
    with pytest.raises(DataError, match="only a numeric attribute"):
        set_domain(survey(), "sex", 0, 1)


def test_that_the_class_is_categorical_or_none() -> None:
    assert set_class(survey(), "mood").class_name == "mood"
    assert set_class(survey(), None).class_name is None
    with pytest.raises(DataError, match="no list of values"):
        set_class(survey(), "age")
    with pytest.raises(DataError, match="no attribute 'x'"):
        set_class(survey(), "x")


def test_that_a_missing_policy_is_set() -> None:
    found = set_missing_policy(survey(), "age", MissingPolicy.IMPUTE)
    assert found["age"].attribute.missing is MissingPolicy.IMPUTE
    with pytest.raises(DataError, match="numbers cannot have a value “missing”"):
        set_missing_policy(survey(), "age", MissingPolicy.VALUE)


def test_that_an_attribute_is_renamed_and_stays_the_class() -> None:
    found = rename_attribute(survey(), "sex", "gender")
    assert (found.class_name, found.names[1]) == ("gender", "gender")
    with pytest.raises(DataError, match="'age' already"):
        rename_attribute(survey(), "sex", "age")
    with pytest.raises(DataError, match="empty"):
        rename_attribute(survey(), "sex", " ")


def test_that_a_label_is_set() -> None:
    assert set_label(survey(), "sex", "Your sex?")["sex"].attribute.label == "Your sex?"


def test_that_a_number_is_marked_as_missing_and_taken_back() -> None:
    found = mark_missing(survey(), "age", [60.0])
    assert found["age"].missing.tolist() == [False, True, True, False]
    assert found["age"].attribute.missing_codes == (MissingCode(60.0),)
    back = restore_missing(found, "age", 60.0)
    assert back.equals(survey())
    with pytest.raises(DataError, match="no answer is 61"):
        mark_missing(survey(), "age", [61.0])


def test_that_a_value_is_marked_as_missing_and_taken_back() -> None:
    found = mark_missing(survey(), "mood", ["good"])
    assert found["mood"].attribute.values == ("bad", "so-so")
    assert found["mood"].attribute.missing_codes == (MissingCode(3.0, "good"),)
    assert answers(found, "mood") == ["bad", None, "so-so", None]
    assert found["mood"].why_missing is not None
    assert found["mood"].why_missing.tolist() == [0, 1, 0, 0]
    back = restore_missing(found, "mood", 3.0)
    assert answers(back, "mood")[:3] == ["bad", "good", "so-so"]
    with pytest.raises(DataError, match="not one of its missing codes"):
        restore_missing(survey(), "mood", 3.0)
