"""One thing that the palette offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject
from shiboken6 import isValid


@dataclass(frozen=True)
class Command:
    """Something that can be done.

    Parameters
    ----------
    key
        What it is called among those used lately; the same in every language.
    words
        Its name.
    place
        Where else it is to be found: a menu, or a page.
    keys
        The keys that do the same.
    reason
        Why it cannot be done now; empty when it can.
    more
        Other words by which it may be searched for.
    is_far
        Whether another page has to be shown first; of two that fit the near one is meant.
    """

    key: str
    words: str
    place: str
    run: Callable[[], object] = field(compare=False)
    keys: str = ""
    reason: str = ""
    more: str = ""
    is_far: bool = False

    @property
    def can_run(self) -> bool:
        """Whether it can be done now."""
        return not self.reason


def unless_gone(thing: QObject, act: Callable[[], object]) -> Callable[[], None]:
    """Do something with a control or an action, unless it has gone since the palette was opened."""

    def run() -> None:
        if isValid(thing):
            act()

    return run
