"""Declared parameters: what they hold, refuse and say."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.params import Annotated, Info, OneOf, Params, Within, declarations


class Shade(StrEnum):
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Mixture(Params):
    keep: Annotated[float, Within(0, 1), Info("Keep", "Probability of the true answer", "%")]
    rounds: Annotated[int, Within(1, 99)] = 3
    method: Annotated[str, OneOf(("eq", "em"))] = "eq"
    weights: Annotated[tuple[float, ...], Within(0)] = (1.0,)
    limit: Annotated[float | None, Within(0, open_low=True)] = None
    loud: bool = False
    shade: Shade = Shade.LIGHT


def test_that_a_declaration_tells_everything_about_its_parameter():
    keep, rounds, method, weights, limit, loud, shade = declarations(Mixture)
    assert (keep.name, keep.type, keep.required) == ("keep", float, True)
    assert (keep.info.label, keep.info.help, keep.info.unit) == (
        "Keep",
        "Probability of the true answer",
        "%",
    )
    assert (rounds.type, rounds.default, rounds.required) == (int, 3, False)
    assert method.choices == ("eq", "em")
    assert (weights.type, weights.many, weights.default) == (float, True, (1.0,))
    assert (limit.type, limit.optional, limit.default) == (float, True, None)
    assert loud.type is bool
    assert shade.type is Shade


def test_that_a_parameter_without_words_is_called_by_its_name():
    assert declarations(Mixture)[1].info == Info("rounds")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"keep": 1.5}, "Keep is 1.5; it must lie between 0 and 1."),
        ({"keep": math.nan}, "Keep is nan; it must lie between 0 and 1."),
        ({"keep": "0.5"}, "Keep is '0.5'; it must be a number."),
        ({"keep": True}, "Keep is True; it must be a number."),
        ({"rounds": 2.5}, "rounds is 2.5; it must be a whole number."),
        ({"rounds": True}, "rounds is True; it must be a whole number."),
        ({"rounds": 0}, "rounds is 0; it must lie between 1 and 99."),
        ({"method": "as"}, "method is 'as'; it must be one of eq, em."),
        ({"weights": (1.0, -1.0)}, "weights is -1; it must be at least 0."),
        ({"weights": "1,2"}, "weights is '1,2'; it must be a list of numbers."),
        ({"limit": 0.0}, "limit is 0; it must be above 0."),
        ({"limit": math.inf}, "limit is inf; it must be above 0."),
        ({"loud": 1}, "loud is 1; it must be yes or no."),
        ({"shade": "grey"}, "shade is 'grey'; it must be one of light, dark."),
    ],
)
def test_that_a_value_outside_its_declaration_cannot_be_constructed(change, sentence):
    with pytest.raises(ParameterError) as caught:
        Mixture(**({"keep": 0.5} | change))
    assert str(caught.value) == sentence
    assert caught.value.field == next(iter(change))


def test_that_values_are_stored_in_their_own_type():
    mixture = Mixture(keep=1, rounds=4.0, weights=[1, 2], shade="dark")
    assert type(mixture.keep) is float
    assert type(mixture.rounds) is int
    assert mixture.weights == (1.0, 2.0)
    assert mixture.shade is Shade.DARK


def test_that_parameters_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Mixture(keep=0.5).keep = 0.7


@given(
    keep=st.floats(0, 1),
    rounds=st.integers(1, 99),
    method=st.sampled_from(["eq", "em"]),
    weights=st.lists(st.floats(0, 1e100), max_size=4),
    limit=st.none() | st.floats(0, 1e9, exclude_min=True),
    loud=st.booleans(),
    shade=st.sampled_from(Shade),
)
def test_that_json_gives_the_same_parameters_back(**values):
    mixture = Mixture(**values)
    text = json.dumps(mixture.to_json(), allow_nan=False)
    assert Mixture.from_json(json.loads(text)) == mixture


def test_that_an_unknown_field_of_json_is_named():
    with pytest.raises(ParameterError, match=r"The field 'kept' is unknown; known are keep"):
        Mixture.from_json({"kept": 0.5})


def test_that_a_missing_field_of_json_is_named():
    with pytest.raises(ParameterError, match=r"The field 'keep' is missing\."):
        Mixture.from_json({"rounds": 4})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("keep", " 0.25 ", 0.25),
        ("rounds", "7", 7),
        ("method", "em", "em"),
        ("weights", "1, 2.5", (1.0, 2.5)),
        ("limit", "3", 3.0),
        ("loud", "Yes", True),
        ("loud", "off", False),
        ("shade", "dark", Shade.DARK),
    ],
)
def test_that_typed_text_is_read_as_the_declared_type(name, text, value):
    found = _declared(name).parse(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("keep", "half", "Keep is 'half'; it must be a number."),
        ("rounds", "1.5", "rounds is '1.5'; it must be a whole number."),
        ("loud", "perhaps", "loud is 'perhaps'; it must be yes or no."),
        ("weights", "1,x", "weights is 'x'; it must be a number."),
    ],
)
def test_that_text_of_another_type_is_refused_in_a_sentence(name, text, sentence):
    with pytest.raises(ParameterError) as caught:
        _declared(name).parse(text)
    assert str(caught.value) == sentence


def _declared(name):
    return next(one for one in declarations(Mixture) if one.name == name)


@pytest.mark.parametrize(
    ("within", "inside", "outside"),
    [
        (Within(0, 1), [0, 1, 0.5], [-1e-9, 1 + 1e-9, math.nan, math.inf]),
        (Within(0, 1, open_low=True, open_high=True), [0.5], [0, 1]),
        (Within(2), [2, 1e300], [1.99, math.inf]),
        (Within(high=2), [-1e300, 2], [2.01, -math.inf]),
        (Within(), [-1e300, 0, 1e300], [math.nan, math.inf, -math.inf]),
    ],
)
def test_that_a_range_holds_what_lies_in_it_and_no_more(within, inside, outside):
    assert all(within.holds(number) for number in inside)
    assert not any(within.holds(number) for number in outside)


@pytest.mark.parametrize(
    ("within", "words"),
    [
        (Within(0, 1), "lie between 0 and 1"),
        (Within(0, 1, open_low=True), "be above 0 and at most 1"),
        (Within(0, 1, open_high=True), "be at least 0 and below 1"),
        (Within(2), "be at least 2"),
        (Within(high=2, open_high=True), "be below 2"),
        (Within(), "be a finite number"),
    ],
)
def test_that_a_range_is_said_in_words(within, words):
    assert str(within) == words
