"""Missing answers dealt with as each attribute's policy says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError

NAN = float("nan")


def table(**policies: MissingPolicy) -> Table:
    mood = Attribute("mood", Kind.ORDINAL, ("bad", "good"), codes=(1.0, 2.0))
    age = Attribute("age", Kind.INTEGER, domain=(0, 99))
    income = Attribute("income", Kind.CONTINUOUS, domain=(0, 9))
    columns = (
        Column(mood, np.array([1, 1, 0, -1])),
        Column(age, np.array([20.0, NAN, 41.0, 40.0])),
        Column(income, np.array([NAN, 1.0, 2.0, 4.5])),
    )
    return Table(
        tuple(
            c.with_(attribute=c.attribute.with_(missing=policies.get(c.name, MissingPolicy.LEAVE)))
            for c in columns
        )
    )


def test_that_missing_answers_are_left_and_told() -> None:
    found = apply_missing_policies(table())
    assert found.table.equals(table())
    assert found.sentences == {
        "mood": "1 missing answer stays missing.",
        "age": "1 missing answer stays missing.",
        "income": "1 missing answer stays missing.",
    }


def test_that_means_and_modes_are_filled_in() -> None:
    given_ = table(mood=MissingPolicy.IMPUTE, age=MissingPolicy.IMPUTE, income=MissingPolicy.IMPUTE)
    found = apply_missing_policies(given_)
    assert found.table["mood"].data.tolist() == [1, 1, 0, 1]
    assert found.table["age"].data.tolist() == [20, 34, 41, 40]
    assert found.table["income"].data.tolist() == [2.5, 1, 2, 4.5]
    assert found.sentences["age"].endswith("imputed with the mean, rounded, 34.")
    assert found.sentences["mood"].endswith("imputed with the mode, 'good'.")
    assert found.sentences["income"].endswith("imputed with the mean, 2.5.")


def test_that_records_are_dropped_before_means_are_taken() -> None:
    found = apply_missing_policies(table(mood=MissingPolicy.DROP, age=MissingPolicy.IMPUTE))
    assert found.dropped == 1
    assert found.table.rows == 3
    assert found.table["age"].data.tolist() == [20, 30, 41]
    assert found.sentences["mood"] == "1 record without an answer was excluded."


def test_that_missing_becomes_a_value_of_a_nominal_attribute() -> None:
    found = apply_missing_policies(table(mood=MissingPolicy.VALUE))
    attribute = found.table["mood"].attribute
    assert (attribute.kind, attribute.values) == (Kind.NOMINAL, ("bad", "good", "missing"))
    assert attribute.codes == (1, 2, 3)
    assert found.table["mood"].data.tolist() == [1, 1, 0, 2]
    assert "no longer ordered" in found.sentences["mood"]


def test_that_a_value_called_missing_is_not_taken_for_it() -> None:
    attribute = Attribute("q", Kind.NOMINAL, ("missing", "x"), missing=MissingPolicy.VALUE)
    found = apply_missing_policies(Table((Column(attribute, np.array([0, 1, -1])),)))
    assert found.table["q"].attribute.values == ("missing", "x", "missing'")


def test_that_numbers_get_no_value_missing() -> None:
    with pytest.raises(DataError, match="numbers cannot have a value “missing”"):
        apply_missing_policies(table(age=MissingPolicy.VALUE))


def test_that_nothing_is_imputed_from_nothing() -> None:
    attribute = Attribute("q", Kind.NOMINAL, ("x",), missing=MissingPolicy.IMPUTE)
    with pytest.raises(DataError, match="no answers for a mean or mode"):
        apply_missing_policies(Table((Column(attribute, np.array([-1, -1])),)))


def test_that_not_all_records_are_dropped() -> None:
    attribute = Attribute("q", Kind.NOMINAL, ("x",), missing=MissingPolicy.DROP)
    with pytest.raises(DataError, match="No record would remain"):
        apply_missing_policies(Table((Column(attribute, np.array([-1, -1])),)))


def test_that_a_complete_table_stays_as_it_is() -> None:
    attribute = Attribute("q", Kind.NOMINAL, ("x",), missing=MissingPolicy.DROP)
    given_ = Table((Column(attribute, np.array([0, 0])),))
    found = apply_missing_policies(given_)
    assert found.table.equals(given_)
    assert (found.sentences, found.dropped) == ({}, 0)


@given(
    st.lists(st.tuples(st.integers(-1, 2), st.floats(0, 9) | st.just(NAN)), max_size=20),
    st.sampled_from([MissingPolicy.IMPUTE, MissingPolicy.DROP]),
)
def test_that_no_treated_answer_is_missing_afterwards(
    rows: list[tuple[int, float]], policy: MissingPolicy
) -> None:
    word = Attribute("w", Kind.NOMINAL, ("a", "b", "c"), missing=policy)
    number = Attribute("n", Kind.CONTINUOUS, domain=(0, 9), missing=policy)
    data = Table(
        (
            Column(word, np.array([w for w, _ in rows], np.int64)),
            Column(number, np.array([n for _, n in rows], float)),
        )
    )
    impossible = any(len(rows) and c.missing_count == len(rows) for c in data)
    every = bool(len(rows)) and bool((data["w"].missing | data["n"].missing).all())
    if impossible or (policy is MissingPolicy.DROP and every):
        with pytest.raises(DataError):
            apply_missing_policies(data)
        return
    found = apply_missing_policies(data)
    assert found.table.rows + found.dropped == data.rows
    assert all(column.missing_count == 0 for column in found.table)
    assert set(found.sentences) == {c.name for c in data if c.missing_count}
