"""Conditions as phrases: what a chip says."""

from __future__ import annotations

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.survey.conditions import (
    Comparison,
    Condition,
    Membership,
    Operator,
    Test,
    is_number,
)
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.words import with_mark

Phrase = tuple[tuple[str, bool], ...]
"""Words, and whether they are emphasised."""

_LISTED = 3
"""Values that a phrase names before it says how many more there are."""


def phrase(test: Test) -> Phrase:
    """A test as a person would say it.

    >>> "".join(words for words, _ in phrase(Comparison("age", Operator.BELOW, "30")))
    'age below 30'
    """
    name = (test.attribute, False)
    if isinstance(test, Membership):
        word = tr("is not") if test.negated else tr("is")
        return (name, (f" {word} ", False), *_values(test.values))
    if isinstance(test, Comparison):
        return (name, (f" {_COMPARED[test.operator]()} ", False), (limit_words(test.value), True))
    if test.low_included and test.high_included:
        start, end = tr("from"), tr("to")
    elif test.low_included:
        start, end = tr("from"), tr("to below")
    elif test.high_included:
        start, end = tr("above"), tr("up to")
    else:
        start, end = tr("above"), tr("and below")
    low, high = (limit_words(test.low), True), (limit_words(test.high), True)
    return (name, (f" {start} ", False), low, (f" {end} ", False), high)


def limit_words(words: str) -> str:
    """A number with the decimal mark of the locale; a value as it is."""
    return with_mark(words) if is_number(words) else words


_COMPARED = {
    Operator.EQUAL: lambda: tr("is"),
    Operator.UNEQUAL: lambda: tr("is not"),
    Operator.BELOW: lambda: tr("below"),
    Operator.AT_MOST: lambda: tr("at most"),
    Operator.ABOVE: lambda: tr("above"),
    Operator.AT_LEAST: lambda: tr("at least"),
}


def _values(values: tuple[str, ...]) -> Phrase:
    shown, more = values[:_LISTED], len(values) - _LISTED
    if more == 1:
        shown, more = values, 0
    parts: list[tuple[str, bool]] = []
    for place, value in enumerate(shown):
        if place:
            last = place == len(shown) - 1 and more <= 0
            parts.append((f" {tr('or')} " if last else ", ", False))
        parts.append((value, True))
    if more > 0:
        parts.append((" " + tr("or %s more") % more, False))
    return tuple(parts)


def label_words(labels: tuple[str, ...], attribute: Attribute) -> tuple[str, ...]:
    """The values of an attribute as their owner wrote them, the bins of a number translated."""
    return tuple(told(label) for label in labels) if attribute.kind.is_numeric else labels


def plain(test: Test) -> str:
    """The phrase without emphasis."""
    return "".join(words for words, _ in phrase(test))


def condition_words(condition: Condition) -> str:
    """A whole condition for a table or a title."""
    return ", ".join(plain(test) for test in condition.tests) or tr("Everyone")
