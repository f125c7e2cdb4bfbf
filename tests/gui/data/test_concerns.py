"""What there is to look at, and what columns hold, found without a window."""

import numpy as np
import pytest
from answers import small_table

from ppworkbench.core.data import edits
from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.numbers import column_decimals, plain, read_number
from ppworkbench.gui.pages.data.numbers_editor import spread
from ppworkbench.gui.pages.data.view import warning_text
from ppworkbench.study.data_checks import find_warnings


def told(table):
    found = find_warnings(table, lambda column: column.missing_count)
    return [warning_text(warning) for warning in found]


def test_that_a_kind_set_by_hand_is_not_doubted(read):
    table = read("children", *(str(i % 5) for i in range(40)))
    assert told(table) == ["“children” could be ordinal."]
    assert told(edits.set_kind(table, "children", Kind.INTEGER)) == []
    assert told(edits.set_kind(table, "children", Kind.ORDINAL)) == []


def test_that_notes_about_the_file_come_first_and_plain_ones_are_left_out(read):
    table = read("a,a", *(f"{i}.5,{i}.25" for i in range(30)))
    concerns = find_warnings(table, lambda column: column.missing_count)
    assert concerns[0].attribute == ""
    assert "repeats the name" in warning_text(concerns[0])
    assert not any(warning_text(concern).startswith("Read as") for concern in concerns)


def test_that_a_missing_policy_settles_missing_answers():
    table = small_table()
    assert "“income” has 6 missing answers." in told(table)
    chosen = edits.set_missing_policy(table, "income", MissingPolicy.DROP)
    assert "“income” has 6 missing answers." not in told(chosen)


def test_that_answers_taken_for_missing_are_told_until_they_are_restored(read):
    table = read("visits", *(str(i % 30) for i in range(60)), "-999")
    assert told(table)[0].startswith("“visits”: −999 (1×) was read as missing")
    assert len(told(table)) == 1
    assert told(edits.restore_missing(table, "visits", -999.0)) == []


def test_that_a_number_that_stands_apart_is_told_until_it_is_taken_for_missing(read):
    table = read("age", *(str(20 + i % 61) for i in range(80)), "99")
    assert "is far from" in told(table)[0]
    assert not any("is far from" in words for words in told(edits.mark_missing(table, "age", [99])))


def test_that_only_the_range_of_now_is_told_about():
    table = edits.set_outside(small_table(), "income", "clip")
    table = edits.set_domain(table, "income", 0, 2000)
    assert any("outside the domain [0, 2000]" in words for words in told(table))
    wider = edits.set_domain(table, "income", 0, 20_000)
    assert not any("outside the domain" in words for words in told(wider))


# Numbers


def test_that_numbers_are_written_with_the_decimals_they_need():
    assert plain(0.0) == "0"
    assert plain(1234.5) == "1,234.5"
    assert plain(-0.125) == "−0.125"
    assert plain(1e20) == "100,000,000,000,000,000,000"
    assert column_decimals(np.array([1.5, np.nan, 2.25])) == 2
    assert column_decimals(np.array([np.nan])) == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234.5", 1234.5), ("−7", -7.0), (" 12 ", 12.0), ("abc", None), ("", None), ("inf", None),
     ("0,5", 0.5)],
)  # fmt: skip
def test_that_typed_numbers_are_understood(qapp, text, value):
    assert read_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("1\u00a0234,5", 1234.5), ("0,5", 0.5), ("0.5", 0.5), ("1,234", 1.234), ("−7", -7.0)],
)
def test_that_typed_numbers_are_understood_with_a_decimal_comma(polish_numbers, text, value):
    assert read_number(text) == value


def test_that_a_histogram_counts_every_answer_once():
    column = small_table()["income"]
    for bars in (0, 1, 7, 200):
        shares = spread(column, bars, "original", "original").series[0]
        assert shares.share.sum() == pytest.approx(1)
        assert len(shares.share) == (bars or 30)


def test_that_a_histogram_of_one_number_or_none_can_be_drawn():
    attribute = Attribute("x", Kind.CONTINUOUS, domain=(3, 3))
    one = spread(Column(attribute, np.full(4, 3.0)), 0, "original", "original")
    assert one.series[0].share.tolist() == [1.0]
    assert spread(Column(attribute, np.full(4, np.nan)), 0, "original", "original").series == ()


def test_that_fifty_thousand_values_are_compared():
    names = tuple(f"value {i}" for i in range(50_000))
    table = Table((Column(Attribute("x", Kind.NOMINAL, names), np.arange(50_000)),))
    # Each with each would take minutes.
    assert told(table) == []
