"""Values that look alike but are not the same text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress

from ppworkbench.core.message import Message

_MOST = 20_000
_TOLD = 4


def lookalikes(values: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Groups of values that differ only in case, in spaces, or in how a number is written.

    >>> lookalikes(["tak", "TAK", " tak", "nie"])
    ((' tak', 'TAK', 'tak'),)
    >>> lookalikes(["1", "01", "1.0", "2"])
    (('01', '1', '1.0'),)
    """
    groups: dict[str | float, list[str]] = defaultdict(list)
    for value in values:
        groups[_essence(value)].append(value)
    return tuple(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def lookalike_note(name: str, values: Sequence[str]) -> tuple[str, ...]:
    """A sentence about values that look alike, if there are any."""
    groups = lookalikes(values) if len(values) <= _MOST else ()
    if not groups:
        return ()
    shown = "; ".join(", ".join(repr(value) for value in group[:6]) for group in groups[:_TOLD])
    if len(groups) > _TOLD:
        shown = Message("{shown} and {count} more groups", shown=shown, count=len(groups) - _TOLD)
    return (
        Message(
            "{attribute!r} has values that look alike ({shown}); merge them if they are one.",
            code="look-alike",
            attribute=name,
            shown=shown,
        ),
    )


def _essence(value: str) -> str | float:
    text = " ".join(value.split()).casefold()
    if text[:1] in "+-.0123456789":
        with suppress(ValueError):
            return int(text)
        with suppress(ValueError):
            return float(text)
    return text
