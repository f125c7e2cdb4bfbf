"""What columns hold, and what there is to look at."""

import numpy as np
import pytest
from answers import small_table

from ppworkbench.core.data import edits
from ppworkbench.core.data.attribute import QUESTION_KINDS, Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.study.data_checks import (
    ALIKE,
    MISSING,
    NOTED,
    DataWarning,
    bar_edges,
    find_warning,
    find_warnings,
    summarise_column,
)


@pytest.mark.parametrize(
    ("lines", "doubt"),
    [
        (("x", *map(str, range(100, 160))), "record"),
        (("x", *(f"name {i} of {i * i}" for i in range(60))), "names"),
        (("x", "007", "008", *map(str, range(10, 40))), "text"),
        (("children", *(str(i % 5) for i in range(40))), "few"),
        (("x,y", *("a,1" for _ in range(30))), "one"),
        (("x,y", *(f",{i}" for i in range(30))), "none"),
        (("x", *("no" if i % 2 else "yes" for i in range(30))), ""),
        (("x", *(f"{i}.5" for i in range(30))), ""),
    ],
)
def test_that_the_doubts_of_the_guessing_are_recognised(read, lines, doubt):
    assert find_warning(read(*lines).columns[0].attribute) == doubt


def test_that_warnings_are_values_in_the_order_of_the_table(read):
    answers = ("yes", "Yes", "no", "")
    table = read("x,children,x", *(f"{answers[i % 4]},{i % 5},{i}.5" for i in range(40)))
    found = find_warnings(table, lambda column: column.missing_count)
    assert [(one.code, one.attribute) for one in found] == [
        (NOTED, ""),
        (ALIKE, "x"),
        (MISSING, "x"),
        ("few", "children"),
    ]
    assert found[1].values == ("Yes", "yes")
    assert found[2] == DataWarning(MISSING, "x", missing=10)
    assert found == find_warnings(table, lambda column: column.missing_count)


def test_that_facts_of_values_count_answers_and_missing_codes():
    facts = summarise_column(small_table()["age"])
    assert (facts.rows, facts.missing, facts.present) == (60, 1, 59)
    assert facts.reasons == ((-9.0, "?", 1),)
    assert (facts.low, facts.high) == (20, 69)
    values = summarise_column(small_table()["mood"])
    assert values.counts.tolist() == [15] * 4


def test_that_impossible_kinds_are_those_that_the_edit_refuses():
    table = small_table()
    for column in table:
        facts = summarise_column(column)
        for kind in QUESTION_KINDS:
            if kind is column.attribute.kind:
                continue
            try:
                edits.set_kind(table, column.name, kind)
                possible = True
            except edits.DataError:
                possible = False
            assert possible == (kind not in facts.impossible), (column.name, kind)


def test_that_a_pair_is_refused_by_the_number_of_different_numbers():
    reason = summarise_column(small_table()["age"]).impossible[Kind.BINARY]
    assert reason.args["count"] == len(range(20, 70))


def test_that_bars_of_whole_numbers_lie_between_them():
    column = Column(Attribute("x", Kind.INTEGER, domain=(0, 9)), np.arange(10.0))
    edges = bar_edges(column, 0, 9)
    assert edges.tolist() == [i - 0.5 for i in range(11)]
    assert bar_edges(column, 0, 9, 4).tolist() == [-0.5, 2.5, 5.5, 8.5, 9.5]
