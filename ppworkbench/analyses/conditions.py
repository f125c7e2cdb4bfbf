"""Conditions and answers as people write them in calls of a survey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ppworkbench.core.errors import ParameterError

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.survey import Condition


def as_condition(where: str | Condition | None) -> Condition:
    """The condition that somebody wrote, or everybody."""
    from ppworkbench.core.survey import EVERYBODY, parse_condition

    if where is None:
        return EVERYBODY
    return parse_condition(where) if isinstance(where, str) else where


def condition_of(what: str | Condition, design: Design) -> Condition:
    """The condition, or the sensitive answer of an attribute that is named alone."""
    from ppworkbench.core.survey import Comparison, Condition, Operator

    if not isinstance(what, str) or what not in design:
        return as_condition(what)
    attribute = design[what].attribute
    if len(attribute.sensitive) != 1:
        raise ParameterError(
            f"{what!r} has no single sensitive answer; say which share is meant, as in "
            f"'{what} = {attribute.values[0] if attribute.values else '0'}'.",
            attribute=what,
            field="what",
        )
    return Condition((Comparison(what, Operator.EQUAL, attribute.sensitive[0]),))


def answer_of(condition: Condition, design: Design) -> tuple[str, str]:
    """The attribute and the answer of a condition that is nothing more."""
    from ppworkbench.core.survey import Comparison, Operator

    test = condition.tests[0] if len(condition.tests) == 1 else None
    if not isinstance(test, Comparison) or test.operator is not Operator.EQUAL:
        test = None
    if test is None or not design[test.attribute].attribute.kind.is_categorical:
        raise ParameterError(
            "With where=, share() takes one answer to one attribute, as in "
            "share('fare_evasion = yes', where='sex = F').",
            field="what",
        )
    values = design[test.attribute].attribute.values
    if str(test.value) not in values:
        raise ParameterError(
            f"{str(test.value)!r} is no value of {test.attribute!r}; its values are "
            f"{', '.join(values[:8])}.",
            attribute=test.attribute,
            field="what",
        )
    return test.attribute, str(test.value)


def condition_named(text: str, design: Design, field: str) -> Condition:
    """The condition of ``name=value``, an answer to an attribute of values."""
    from ppworkbench.core.models import split_value
    from ppworkbench.core.survey import Comparison, Condition, Operator
    from ppworkbench.core.survey.conditions.regions import asked_attribute

    name, value = split_value(text, design)
    attribute = asked_attribute(name, design)
    if not attribute.kind.is_categorical:
        raise ParameterError(
            f"{name!r} is a number; two answers are compared by their shares, so name "
            "attributes with values.",
            attribute=name,
            field=field,
        )
    if value not in attribute.values:
        raise ParameterError(
            f"Name an answer of {name!r} as in '{name}={attribute.values[-1]}'; its values "
            f"are {', '.join(attribute.values[:8])}.",
            attribute=name,
            field=field,
        )
    return Condition((Comparison(name, Operator.EQUAL, value),))
