"""Texts that know their template and values."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

SAID = Message(
    "{name!r} has {share:.1f} % of {kind} in {rows:,} rows: {listed}.",
    code="shares",
    name="a b",
    share=12.25,
    kind=Message("ordinal"),
    rows=1200,
    listed=("x", 2, Message("{n} more", n=3)),
)


def test_that_a_message_is_its_english_text() -> None:
    text = "'a b' has 12.2 % of ordinal in 1,200 rows: x, 2, 3 more."
    assert text == SAID
    assert json.dumps(SAID) == json.dumps(text)
    assert f"{SAID}" == text
    assert SAID.key == "{name} has {share} % of {kind} in {rows} rows: {listed}."


@given(st.text(), st.text(), st.floats(allow_nan=False), st.integers())
def test_that_it_reads_like_an_f_string(name: str, own: str, share: float, count: int) -> None:
    said = Message("{{{own}}} {name!r}: {share:.3g}, {count:,}", own=own, name=name, share=share,
                   count=count)  # fmt: skip
    assert said == f"{{{own}}} {name!r}: {share:.3g}, {count:,}"


def test_that_braces_without_values_are_just_text() -> None:
    assert Message("in {north, east}") == "in {north, east}"
    assert Message("in {north, east}").key == "in {north, east}"


@pytest.mark.parametrize(
    "passed_on",
    [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)),
     lambda one: Message.from_json(json.loads(json.dumps(one.to_json())))],
)  # fmt: skip
@pytest.mark.parametrize("said", [SAID, Message("plain"), Message.joined((SAID, "plain"))])
def test_that_copies_know_as_much(passed_on, said: Message) -> None:
    again = passed_on(said)
    assert (again, again.template, again.code) == (said, said.template, said.code)
    assert dict(again.args) == dict(said.args)
    assert [type(one) for one in again.args.values()] == [type(one) for one in said.args.values()]


def test_that_a_plain_text_is_kept_as_one() -> None:
    assert Message("plain").to_json() == "plain"
    assert Message.from_json("an older text").args == {}


@pytest.mark.parametrize(
    "damaged",
    [None, 5, [], {}, {"template": 5}, {"template": "{a}", "args": 3}, {"template": "a", "code": 1},
     {"template": "{a} {b}", "args": {"a": 1}}, {"template": "{a:999999999}", "args": {"a": 1}},
     {"template": "{a.real}", "args": {"a": 1}}, {"template": "{a", "args": {"a": 1}},
     {"template": "{a:d}", "args": {"a": "x"}}, {"template": "{a:g}", "args": {"a": 10**400}},
     {"template": "{a:c}", "args": {"a": 10**10}}, {"template": "{a}", "args": {"a": 1, "code": 2}},
     {"template": "{a}", "args": {"a": None}}],
)  # fmt: skip
def test_that_a_damaged_message_of_a_file_is_refused(damaged: object) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Message.from_json(damaged)


def test_that_a_message_without_end_is_refused() -> None:
    deep: object = "x"
    for _ in range(1000):
        deep = {"template": "{a}", "args": {"a": deep}}
    with pytest.raises(ValueError, match="no message"):
        Message.from_json(deep)


def test_that_other_values_can_be_put_in() -> None:
    later = SAID.with_(rows=7)
    assert later.endswith("in 7 rows: x, 2, 3 more.")
    assert later.code == "shares"
    assert SAID.with_(unknown=7) == SAID
    assert Message("no {place}").with_(place=1) == "no {place}"


def test_that_an_error_says_a_message() -> None:
    error = DataError(SAID, attribute="a b")
    assert error.message is SAID
    assert str(error) == SAID
    assert DataError("plain").message.template == "plain"
    again = pickle.loads(pickle.dumps(error))
    assert again.message.args["rows"] == 1200


def test_that_names_of_a_file_do_not_break_a_sentence_into_lines() -> None:
    why = Message("there is {name}", name="a\x1b[31m")
    error = DataError.saying(
        "{attribute!r}: {why}, {names}.", why=why, names=("b\r\nc", "d"), attribute="e\nf"
    )
    assert error.message == str(error) == "'e\\nf': there is a [31m, b c, d."
    assert error.message.args["attribute"] == "e\nf"
