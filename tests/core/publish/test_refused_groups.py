"""Tables of which no deniable groups can be made."""

from __future__ import annotations

import numpy as np
import pytest
from publish_tables import FREE, SMOKES, rules, smokers

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.publish import (
    DeniabilityOptions,
    Sample,
    make_tree,
)


def refused(table, **changes):
    with pytest.raises(DataError) as caught:
        make_tree(Sample.of(table, "smokes"), rules(**changes))
    message = caught.value.message
    assert message.endswith(".")
    assert message.count(". ") == 0
    return message


def test_that_a_sensitive_attribute_with_one_value_is_refused():
    only = Attribute("smokes", Kind.NOMINAL, ("no",))
    table = Table((Column(only, np.zeros(5, int)),))
    assert "only 1 possible answer" in refused(table)


def test_that_a_number_cannot_be_the_sensitive_attribute():
    numbers = Attribute("smokes", Kind.INTEGER, domain=(0, 5))
    assert "is a number" in refused(Table((Column(numbers, np.zeros(5)),)))


def test_that_a_minimum_above_the_table_is_refused_with_what_can_be_had():
    table = Table((Column(SMOKES, np.array([0, 0, 0, 1])),))
    message = refused(table, min_deniability=0.9)
    assert "81.1 %" in message
    assert "90 %" in message
    assert make_tree(Sample.of(table, "smokes"), rules(min_deniability=0.811)).leaves


def test_that_one_person_alone_cannot_deny():
    assert "only person" in refused(Table((Column(SMOKES, np.array([1])),)))
    tree = make_tree(Sample.of(Table((Column(SMOKES, np.array([1])),)), "smokes"), FREE)
    assert tree.minimum_deniability == 0


def test_that_one_answer_of_everybody_cannot_be_denied():
    assert "All respondents" in refused(Table((Column(SMOKES, np.array([1, 1, 1])),)))


def test_that_a_table_without_rows_and_a_feature_that_is_the_answer_are_refused():
    empty = Table((Column(SMOKES, np.empty(0, int)),))
    assert "no records" in refused(empty)
    with pytest.raises(DataError, match="itself"):
        Sample.of(smokers(), "smokes", ["smokes"])


def test_that_a_table_shorter_than_the_smallest_group_is_one_group():
    tree = make_tree(Sample.of(smokers(20), "smokes"), DeniabilityOptions())
    assert len(tree.leaves) == 1
