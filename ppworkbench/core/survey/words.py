"""Numbers and remarks as a person reads them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.survey.conditions import Condition
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.core.survey.regions import Region


def amount(number: float | None, digits: int = 4) -> Message:
    """A number short enough for a sentence: whole from 100 up, else with so many digits.

    >>> amount(1234.56), amount(0.123456), amount(-0.0), amount(float("inf"))
    ('1,235', '0.1235', '0', 'unknown')
    """
    if number is None or not math.isfinite(number):
        return Message("unknown")
    if abs(number) >= 100:
        return Message("{number:,.0f}", number=number)
    return Message(f"{{number:.{digits}g}}", number=number or 0)


def interval(estimate: Estimate, confidence: float) -> str:
    """The interval of an estimate in words."""
    if not math.isfinite(estimate.standard_error):
        return Message("1 record gives no interval")
    return Message(
        "{level:g} % interval {low} to {high}",
        level=100 * confidence,
        low=amount(estimate.low),
        high=amount(estimate.high),
    )


def at_face_value(naive: float | None) -> str:
    """What the distorted answers themselves would say."""
    return Message("Without correction: {naive}.", naive=amount(naive))


def impossible(regions: Mapping[str, Region]) -> tuple[str, ...]:
    """A remark for every attribute of which no possible answer meets the condition."""
    return tuple(
        Message("No possible answer to {attribute!r} meets the condition.", attribute=name)
        for name, region in regions.items()
        if region.is_empty
    )


def few(n: int) -> tuple[str, ...]:
    """A remark when the records are too few for a normal interval."""
    if n >= 30:
        return ()
    if n == 1:
        return (Message("Only 1 record; intervals need larger numbers."),)
    return (Message("Only {n} records; intervals need larger numbers.", n=n),)


def nobody(condition: Condition) -> DataError:
    """The error when a statistic of some respondents is asked for and there are none."""
    return DataError(
        Message(
            "The estimated number who meet {condition} is 0; widen the condition.",
            condition=condition,
        )
    )


def uncertain(size: float, error: float) -> tuple[str, ...]:
    """A remark when the number of those whom a statistic is about may as well be 0."""
    if size >= 2 * error:
        return ()
    remark = (
        "The number of respondents who meet the condition is not clearly above 0, so the "
        "result is unreliable."
    )
    return (remark,)


def joined(sentences: Iterable[str]) -> tuple[str, ...]:
    """Sentences without repetitions, in their order."""
    return tuple(dict.fromkeys(sentences))
