"""The commands that fit what was typed, best first."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.palette.command import Command
from ppworkbench.gui.palette.fuzzy import match

Index = QModelIndex | QPersistentModelIndex
FOUND = int(Qt.ItemDataRole.UserRole)
_AT_FIRST = 20
"""Commands that the list measures at once; more are in sight only after scrolling."""


@dataclass(frozen=True)
class Found:
    """A command, and the letters of its name that were typed."""

    command: Command
    places: tuple[int, ...] = ()


def find(commands: Sequence[Command], typed: str, lately: Sequence[str]) -> list[Found]:
    """Commands that fit; those used lately first, then those that can be done now.

    With nothing typed all of them fit.
    """
    order = {key: place for place, key in enumerate(lately)}
    if not typed.strip():
        last = len(order)
        ranked = sorted(commands, key=lambda one: (not one.can_run, order.get(one.key, last)))
        return [Found(command) for command in ranked]
    scored = []
    for command in commands:
        fit = match(typed, command.words, f"{command.place} {command.more}")
        if fit is not None:
            score = fit.score + _bonus(command, order)
            scored.append((score, Found(command, fit.places)))
    return [found for _, found in sorted(scored, key=lambda one: -one[0])]


def _bonus(command: Command, lately: Container[str]) -> float:
    used = 8 if command.key in lately else 0
    return used - (10 if command.is_far else 0) - (0 if command.can_run else 30)


def spoken(command: Command) -> str:
    """A command for those who do not see the list."""
    parts = (command.words, command.place, command.keys, command.reason)
    return ", ".join(part for part in parts if part)


class Matches(QAbstractListModel):
    """What the list of the palette shows."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.found: list[Found] = []
        self._rows = 0

    def show_found(self, found: list[Found]) -> None:
        """Show other commands."""
        self.beginResetModel()
        self.found = found
        self._rows = min(len(found), _AT_FIRST)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of commands that the list knows of by now."""
        return 0 if parent.isValid() else self._rows

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802
        """Whether there are more commands below."""
        return not parent.isValid() and self._rows < len(self.found)

    def fetchMore(self, parent: Index) -> None:  # noqa: ARG002, N802
        """Let the list know of the rest; somebody scrolls."""
        self.reach(len(self.found) - 1)

    def reach(self, row: int) -> None:
        """Let the list know of a row."""
        if row >= self._rows:
            self.beginInsertRows(QModelIndex(), self._rows, len(self.found) - 1)
            self._rows = len(self.found)
            self.endInsertRows()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One command; the delegate asks for all of it."""
        if not index.isValid():
            return None
        found = self.found[index.row()]
        if role == FOUND:
            return found
        if role == Qt.ItemDataRole.DisplayRole:
            return found.command.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(found.command)
        if role == Qt.ItemDataRole.ToolTipRole:
            return found.command.reason or None
        return None

    def count(self) -> str:
        """How many there are, in words."""
        return tr("Found: %s") % len(self.found)
