"""Answers of commands, for programs and for people."""

from __future__ import annotations

import io
import json
import math
from enum import StrEnum
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.cli.output import to_json
from ppworkbench.results.text import aligned, columns, cut, harmless, plain


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, None),
        (np.float64("inf"), "inf"),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array([[1.0, np.nan], [np.inf, 2.0]]), [[1.0, None], ["inf", 2.0]]),
        ((1, 2), [1, 2]),
        (Colour.RED, "red"),
        ({Colour.RED: Colour.RED}, {"red": "red"}),
        ({1: {"deep": [math.inf]}}, {"1": {"deep": ["inf"]}}),
        (Path("a/b"), str(Path("a/b"))),
        (True, True),
        (None, None),
    ],
)
def test_that_values_become_plain_json(value, expected):
    found = plain(value)
    assert found == expected
    assert type(found) is type(expected)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), json_values), st.sampled_from(["ascii", "utf-8", "cp1250"]))
def test_that_every_document_is_valid_json_on_every_terminal(document, encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
    stream.write(to_json(document, stream))
    stream.flush()
    assert json.loads(stream.buffer.getvalue().decode(encoding)) == plain(document)


def test_that_json_is_one_line_in_a_pipe_and_indented_on_a_terminal():
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    assert "\n" not in to_json({"a": [1, 2]}, io.StringIO())
    assert "\n" in to_json({"a": [1, 2]}, Terminal())


@given(st.text())
def test_that_harmless_text_stays_on_its_line_and_moves_no_cursor(text):
    written = harmless(text)
    assert len(written.splitlines()) <= 1
    assert not any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in written)


@pytest.mark.parametrize("text", ["plain", "żółw", "東京", "کتاب\u200cها"])
def test_that_letters_of_all_scripts_are_left_alone(text):
    assert harmless(text) == text


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u2028", "\x07", "\x9b"])
def test_that_marks_that_mislead_the_reader_are_written_out(mark):
    assert harmless(f"a{mark}b").isascii()


@given(st.text(), st.integers(3, 40))
def test_that_a_cut_text_fits(text, width):
    assert columns(cut(text, width)) <= width


def test_that_columns_line_up_whatever_letters_they_hold():
    text = aligned(["name", "n"], [["żółw", 5], ["東京", 12], ["e\u0301", 1]], right=["n"])
    assert text.splitlines() == [
        "name   n",
        "----  --",
        "żółw   5",
        "東京  12",
        "e\u0301      1",
    ]


def test_that_a_cell_with_a_line_break_stays_one_row():
    assert aligned(["name"], [["a\nb"]]).splitlines() == ["name", "----", "a\\nb"]
