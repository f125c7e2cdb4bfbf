"""Texts that are put together of the same words: found, sorted and kept."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.message import Message
from ppworkbench.results.sheet import Column, JoinedTexts, Kind, Sheet, padded

WORDS = ("Bus", "apple", "car", "bus lane")
SETS = JoinedTexts(WORDS, padded([[0, 1], [2], [0, 2, 3], [1, 3]]))


def test_that_names_are_sorted_without_regard_to_capitals_and_the_shorter_first():
    order = np.argsort(SETS.rank).tolist()
    assert [SETS[place] for place in order] == [
        "apple, bus lane", "Bus, apple", "Bus, car, bus lane", "car",
    ]  # fmt: skip


def test_that_every_word_of_a_filter_has_to_occur_in_some_item():
    found = {text: np.flatnonzero(SETS.holding(text)).tolist()
             for text in ("bus apple", "lane car", "tram", "")}  # fmt: skip
    assert found == {"bus apple": [0, 3], "lane car": [2], "tram": [], "": [0, 1, 2, 3]}


def test_that_a_rule_is_found_by_the_items_of_both_sides():
    rules = JoinedTexts(WORDS, padded([[0], [2]]), padded([[1], [3]]))
    assert list(rules) == ["Bus => apple", "car => bus lane"]
    assert rules.holding("apple").tolist() == [True, False]
    assert rules.size.tolist() == [2, 2]


@given(st.lists(st.lists(st.integers(0, 3), unique=True, max_size=4), max_size=20))
def test_that_texts_are_kept_and_ranked_once_each(sets):
    texts = JoinedTexts(WORDS, padded([sorted(one) for one in sets]))
    back = JoinedTexts.from_json(json.loads(json.dumps(texts.to_json())))
    assert list(back) == list(texts)
    assert sorted(texts.rank.tolist()) == list(range(len(sets)))


def test_that_a_sheet_is_kept_and_a_damaged_one_refused():
    words = [Message("{attribute}={value}", attribute="v", value="x"), "b"]
    columns = (
        Column("set", Message("set"), Kind.TEXT, JoinedTexts(words, padded([[0, 1], [1]]))),
        Column("share", Message("share"), Kind.SHARE, [0.5, np.nan], "low", "high", level=0.95,
               best={0}, meaning=Message("why")),
        Column("low", Message("low"), Kind.SHARE, np.array([0.4, 0.1])),
        Column("high", Message("high"), Kind.SHARE, np.array([0.6, 0.2]), is_detail=True),
    )  # fmt: skip
    sheet = Sheet("sets", Message("Sets"), columns, sort="share", nothing=Message("None."))
    given = json.loads(json.dumps(sheet.to_json()))
    back = Sheet.from_json(given)
    assert back.to_frame().equals(sheet.to_frame())
    assert back["set"].values[0].args["items"][0].args["attribute"] == "v"
    assert (back["share"].level, back["share"].low, back["high"].is_detail) == (0.95, "low", True)
    assert 0 in back["share"].best
    for column, damage in (
        (0, {"values": {"words": ["a"], "sides": [[[0], [7]]]}}), (2, {"values": [0.1]}),
        (1, {"low": "nowhere"}), (1, {"kind": "colour"}),
    ):  # fmt: skip
        columns = [dict(one) for one in given["columns"]]
        columns[column] |= damage
        with pytest.raises(ValueError, match=r"."):
            Sheet.from_json(given | {"columns": columns})
