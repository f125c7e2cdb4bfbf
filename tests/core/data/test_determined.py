"""Columns that tell others: by counts, by intervals of a number, and by its order."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.inference.determined import DeterminedPair, determining_pairs
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Laplace, Uniform
from ppworkbench.core.design.release import GIVEAWAY, giveaway_notes

ROWS = 300
DRAW = np.random.default_rng(12)
AGES = DRAW.integers(18, 60, ROWS).astype(float)
INCOMES = np.round(DRAW.lognormal(7, 1, ROWS), 2)
AGE = Attribute("age", Kind.INTEGER, domain=(0, 100))
GROUP = Attribute("group", Kind.ORDINAL, ("young", "middle", "old"))
INCOME = Attribute("income", Kind.CONTINUOUS, domain=(0, 1e6))
BRACKET = Attribute("bracket", Kind.ORDINAL, ("low", "middle", "high"))
GROUPS = np.digitize(AGES, (30, 45))
BRACKETS = np.digitize(INCOMES, (600, 2000))


def pairs(*columns):
    table = Table(columns)
    return [(one.determining, one.determined) for one in determining_pairs(table, table.names)]


def test_that_an_age_tells_its_age_group_and_not_the_other_way_round():
    assert pairs(Column(GROUP, GROUPS), Column(AGE, AGES)) == [("age", "group")]


def test_that_a_number_without_repetitions_tells_what_its_intervals_tell():
    assert pairs(Column(INCOME, INCOMES), Column(BRACKET, BRACKETS)) == [("income", "bracket")]


def test_that_one_record_in_the_wrong_interval_breaks_the_rule_of_intervals():
    other = BRACKETS.copy()
    other[np.argmin(INCOMES)] = 2
    assert pairs(Column(INCOME, INCOMES), Column(BRACKET, other)) == []


@pytest.mark.parametrize("factor", [0.001, -3.0])
def test_that_a_number_in_other_units_is_told(factor):
    low, high = sorted((0.0, factor * 1e6))
    other = INCOME.with_(name="thousands", domain=(low, high))
    found = pairs(Column(INCOME, INCOMES), Column(other, factor * INCOMES))
    assert found == [("income", "thousands")]


def test_that_missing_answers_do_not_hide_what_is_told():
    ages, groups = AGES.copy(), GROUPS.copy()
    ages[::7], groups[3::11] = np.nan, -1
    assert pairs(Column(AGE, ages), Column(GROUP, groups)) == [("age", "group")]
    incomes = INCOMES.copy()
    incomes[::7] = np.nan
    assert pairs(Column(INCOME, incomes), Column(BRACKET, BRACKETS)) == [("income", "bracket")]


def test_that_unrelated_columns_and_identifiers_tell_nothing():
    number = Attribute("number", Kind.INTEGER, domain=(0, ROWS))
    random = np.random.default_rng(3)
    columns = (
        Column(AGE, AGES), Column(INCOME, INCOMES), Column(number, np.arange(float(ROWS))),
        Column(GROUP, random.integers(0, 3, ROWS)),
    )  # fmt: skip
    assert pairs(*columns) == []


def design(**devices):
    attributes = {"age": AGE, "group": GROUP}
    return Design(tuple(DesignedAttribute(attributes[name], one) for name, one in devices.items()))


TABLE = Table((Column(AGE, AGES), Column(GROUP, GROUPS)))


def test_that_a_published_column_that_tells_a_randomised_one_is_noticed():
    (note,) = giveaway_notes(TABLE, design(age=Identity(), group=Uniform(keep=0.6)))
    assert note.code == GIVEAWAY
    assert "age is released without randomising and tells the randomised group" in note
    assert "randomise age or leave it out" in note


def test_that_a_published_column_that_follows_from_a_randomised_one_is_noticed():
    (note,) = giveaway_notes(TABLE, design(age=Laplace(epsilon=1.0), group=Identity()))
    assert "group is released without randomising and follows from the randomised age" in note
    assert "randomise group or leave it out" in note


def test_that_nothing_is_noticed_where_both_or_none_are_randomised():
    both = design(age=Laplace(epsilon=1.0), group=Uniform(keep=0.6))
    assert giveaway_notes(TABLE, both) == ()
    assert giveaway_notes(TABLE, design(age=Identity(), group=Identity())) == ()
    assert giveaway_notes(TABLE, design(group=Uniform(keep=0.6))) == ()


def test_that_pairs_are_told_with_the_share_that_agrees():
    table = TABLE.replace(Column(GROUP, np.where(np.arange(ROWS) == 0, 2, GROUPS)))
    (found,) = determining_pairs(table, table.names)
    assert isinstance(found, DeterminedPair)
    assert 0.99 < found.share < 1
