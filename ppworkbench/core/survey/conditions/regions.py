"""What a condition means: for every attribute, the true answers that meet it."""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import shorten
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.survey.conditions.condition import (
    Comparison,
    Condition,
    Membership,
    Operator,
    Range,
    Test,
    is_number,
)

Span = tuple[float, float]

_HOLDS: dict[Operator, Callable[[int, int], bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.UNEQUAL: operator.ne,
    Operator.BELOW: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.ABOVE: operator.gt,
    Operator.AT_LEAST: operator.ge,
}


@dataclass(frozen=True)
class ValueRegion:
    """Some of the values of a binary, nominal or ordinal attribute."""

    attribute: Attribute
    inside: tuple[bool, ...]

    @property
    def is_empty(self) -> bool:
        return not any(self.inside)

    def contains(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Which codes lie in the region; missing ones do not."""
        look_up = np.array([*self.inside, False])
        return np.asarray(look_up[codes], np.bool_)

    def intersect(self, other: ValueRegion) -> ValueRegion:
        both = tuple(a and b for a, b in zip(self.inside, other.inside, strict=True))
        return ValueRegion(self.attribute, both)


@dataclass(frozen=True)
class NumberRegion:
    """Rising, disjoint spans [low, high) of an integer or continuous attribute.

    A limit that belongs to the other side is the next number that a double can hold, or half-way
    to the next whole number. So all spans are half-open and the sides need no book-keeping.
    """

    attribute: Attribute
    spans: tuple[Span, ...]

    @property
    def is_empty(self) -> bool:
        low, high = self.attribute.domain or (0.0, 0.0)
        return not any(a <= high and b > low for a, b in self.spans)

    @property
    def limits(self) -> NDArray[np.float64]:
        ends = np.array([end for span in self.spans for end in span])
        return ends[np.isfinite(ends)] if len(ends) else ends

    def contains(self, numbers: NDArray[Any]) -> NDArray[np.bool_]:
        """Which numbers lie in the region; missing ones do not."""
        inside = np.zeros(len(numbers), np.bool_)
        for low, high in self.spans:
            inside |= (numbers >= low) & (numbers < high)
        return inside

    def intersect(self, other: NumberRegion) -> NumberRegion:
        pairs = [(max(a, c), min(b, d)) for a, b in self.spans for c, d in other.spans]
        return NumberRegion(self.attribute, tuple(sorted(p for p in pairs if p[0] < p[1])))


Region = ValueRegion | NumberRegion


def regions_of(condition: Condition, design: Design) -> dict[str, Region]:
    """The region of every attribute of a condition, in the condition's order.

    Several tests of one attribute are joined at the place of the first. A name, value or limit
    that the design does not know is an error that names the nearest one it knows.
    """
    regions: dict[str, Region] = {}
    for test in condition.tests:
        attribute = asked_attribute(test.attribute, design)
        region = _region(test, attribute)
        if attribute.name in regions:
            region = regions[attribute.name].intersect(region)  # type: ignore[arg-type]
        regions[attribute.name] = region
    return regions


def asked_attribute(name: str, design: Design) -> Attribute:
    """The attribute of that name as it was asked; an unknown one is an error."""
    if name in design:
        return design[name].attribute
    hint = _nearest(name, design.names) or Message("it has {values}.", values=shorten(design.names))
    raise ParameterError.saying(
        "The design has no attribute {attribute!r}; {hint}",
        hint=hint,
        attribute=name,
        field="condition",
    )


def _nearest(word: str, known: tuple[str, ...]) -> str:
    lowered = {name.lower(): name for name in reversed(known)}
    near = difflib.get_close_matches(word.lower(), lowered, 1)
    return Message("did you mean {near!r}?", near=lowered[near[0]]) if near else ""


def _region(test: Test, attribute: Attribute) -> Region:
    if attribute.kind.is_categorical:
        return ValueRegion(attribute, _values_inside(test, attribute))
    return NumberRegion(attribute, _spans(test, attribute))


def _values_inside(test: Test, attribute: Attribute) -> tuple[bool, ...]:
    positions = range(attribute.k)
    if isinstance(test, Membership):
        listed = {_position(value, attribute) for value in test.values}
        return tuple((p in listed) != test.negated for p in positions)
    if isinstance(test, Range):
        _refuse_order_of(attribute, Message("so a range does not apply"))
        low, high = _position(test.low, attribute), _position(test.high, attribute)
        first, last = low + (not test.low_included), high - (not test.high_included)
        return tuple(first <= p <= last for p in positions)
    if test.operator.compares_order:
        _refuse_order_of(attribute, Message("so {operator} does not apply", operator=test.operator))
    at = _position(test.value, attribute)
    holds = _HOLDS[test.operator]
    return tuple(holds(p, at) for p in positions)


def _refuse_order_of(attribute: Attribute, so: str) -> None:
    if attribute.kind is not Kind.ORDINAL:
        raise ParameterError.saying(
            "Attribute {attribute!r} is {kind} and its values have no order, {so}; use = or 'in'.",
            kind=Message(attribute.kind),
            so=so,
            attribute=attribute.name,
            field="condition",
        )


def _position(value: str, attribute: Attribute) -> int:
    if value in attribute.values:
        return attribute.values.index(value)
    hint = _nearest(value, attribute.values) or Message(
        "it has {values}.", values=shorten(attribute.values)
    )
    raise ParameterError.saying(
        "Attribute {attribute!r} has no value {value!r}; {hint}",
        value=value,
        hint=hint,
        attribute=attribute.name,
        field="condition",
    )


def _spans(test: Test, attribute: Attribute) -> tuple[Span, ...]:
    if isinstance(test, Membership):
        points = sorted({_number(value, attribute) for value in test.values})
        listed = [(_from(x, attribute), _after(x, attribute)) for x in points]
        listed = [span for span in listed if span[0] < span[1]]
        return _complement(listed) if test.negated else tuple(listed)
    if isinstance(test, Range):
        low, high = _number(test.low, attribute), _number(test.high, attribute)
        start = _from(low, attribute) if test.low_included else _after(low, attribute)
        end = _after(high, attribute) if test.high_included else _from(high, attribute)
        return ((start, end),) if start < end else ()
    if not test.operator.compares_order:
        negated = test.operator is Operator.UNEQUAL
        return _spans(Membership(test.attribute, (test.value,), negated), attribute)
    return (_half_line(test, attribute),)


def _half_line(test: Comparison, attribute: Attribute) -> Span:
    limit = _number(test.value, attribute)
    if test.operator in (Operator.BELOW, Operator.AT_LEAST):
        border = _from(limit, attribute)
    else:
        border = _after(limit, attribute)
    below = test.operator in (Operator.BELOW, Operator.AT_MOST)
    return (-math.inf, border) if below else (border, math.inf)


def _from(x: float, attribute: Attribute) -> float:
    """The border that has x just above it."""
    return math.ceil(x) - 0.5 if attribute.kind is Kind.INTEGER else x


def _after(x: float, attribute: Attribute) -> float:
    """The border that has x just below it."""
    return math.floor(x) + 0.5 if attribute.kind is Kind.INTEGER else math.nextafter(x, math.inf)


def _complement(spans: list[Span]) -> tuple[Span, ...]:
    ends = [-math.inf, *(end for span in spans for end in span), math.inf]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return tuple((low, high) for low, high in pairs if low < high)


def _number(text: str, attribute: Attribute) -> float:
    number = float(text) if is_number(text) else math.inf
    if not math.isfinite(number):
        raise ParameterError.saying(
            "Attribute {attribute!r} is {kind}; {text!r} is not a number.",
            kind=Message(attribute.kind),
            text=text,
            attribute=attribute.name,
            field="condition",
        )
    return number
