"""Who wants to know of another theme: told one by one, so that it need not be all at a stroke."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

Slot = Callable[[], Any]
Find = Callable[[], Any]
"""The object of a method; None once it is gone."""


class Listeners:
    """A signal without arguments whose slots can be called one at a time.

    Slots are methods; they are forgotten when their object is gone.
    """

    def __init__(self) -> None:
        self._slots: list[tuple[Find, str]] = []

    def connect(self, slot: Slot) -> None:
        """Call a method from now on."""
        self._slots.append(_parts(slot))

    def disconnect(self, slot: Slot) -> None:
        """Call it no more."""
        gone = _parts(slot)
        self._slots = [
            (find, name)
            for find, name in self._slots
            if (find() is not gone[0]() or name != gone[1])
        ]

    def forget(self, widget: QWidget) -> None:
        """Call no more what belongs to a widget or to anything in it."""
        self._slots = [(find, name) for find, name in self._slots if not is_in(find(), widget)]

    def emit(self) -> None:
        """Call all of them."""
        for owner, name in self.calls():
            call(owner, name)

    def calls(self) -> Iterator[tuple[Any, str]]:
        """Objects that still are, and which of their methods is to be called."""
        self._slots = [(owner, name) for owner, name in self._slots if _is_there(owner())]
        for owner, name in tuple(self._slots):
            found = owner()
            if _is_there(found):
                yield found, name


def is_in(owner: Any, widget: QWidget) -> bool:
    """Whether an object is a widget, or something in it."""
    while isinstance(owner, QObject) and isValid(owner):
        if owner is widget:
            return True
        owner = owner.parent()
    return False


def call(owner: Any, name: str) -> None:
    """Call a method, unless its object has been deleted in the meantime."""
    if isValid(owner):
        getattr(owner, name)()


def _parts(slot: Slot) -> tuple[Find, str]:
    owner = getattr(slot, "__self__", None)
    if owner is None:
        raise TypeError(f"{slot!r} is no method of an object")
    try:
        return weakref.ref(owner), slot.__name__
    except TypeError:
        # A dictionary of what is worth keeping, such as pictures in the colours of the theme.
        return (lambda: owner), slot.__name__


def _is_there(owner: Any) -> bool:
    return owner is not None and isValid(owner)
