"""Measuring that asks the same widgets again and again, each of which asks all that is in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

_known: dict[tuple[object, ...], Any] = {}
_depth = 0


def measured(measure: Callable[..., Any]) -> Callable[..., Any]:
    """Remember what was measured until the outermost question is answered.

    Nothing changes its size before that. Columns within columns ask each other for their heights in
    several ways, and the time would double with each of them.
    """

    @wraps(measure)
    def remembered(widget: Any, *sizes: int) -> Any:
        global _depth  # noqa: PLW0603 (there is one window thread)
        key = (measure, widget, *sizes)
        if key in _known:
            return _known[key]
        _depth += 1
        try:
            answer = _known[key] = measure(widget, *sizes)
        finally:
            _depth -= 1
            if not _depth:
                _known.clear()
        return answer

    return remembered
