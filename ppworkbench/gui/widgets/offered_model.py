"""Attributes that are offered in a list, read when a line is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QStringListModel, Qt
from PySide6.QtGui import QIcon

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon

Offered = tuple[str, str, str]
"""Name, kind and question; the question is what a tooltip says."""


class OfferedModel(QStringListModel):
    """Thousands of attributes are offered as fast as a few: nothing is made for a line.

    Qt knows the names, so that it need not ask for them one by one.
    """

    def __init__(self, themes: ThemeManager, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self._offered: list[Offered] = []
        self._icons: dict[str, QIcon] = {}
        themes.theme_changed.connect(self._colour)

    def offer(self, attributes: Sequence[Offered]) -> bool:
        """Offer other attributes; whether they are others."""
        if self._offered == list(attributes):
            return False
        self._offered = list(attributes)
        self.setStringList([name for name, _, _ in attributes])
        return True

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One line."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return super().data(index, role)
        if not 0 <= index.row() < len(self._offered):
            return None
        name, kind, question = self._offered[index.row()]
        if role == Qt.ItemDataRole.UserRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            return question
        return self._icon(kind) if role == Qt.ItemDataRole.DecorationRole else None

    def _icon(self, kind: str) -> QIcon:
        if kind not in self._icons:
            self._icons[kind] = icon(f"kind-{kind}", self._themes.theme.colour("text2"))
        return self._icons[kind]

    def _colour(self) -> None:
        self._icons.clear()
        if self._offered:
            changed = [Qt.ItemDataRole.DecorationRole]
            self.dataChanged.emit(self.index(0), self.index(len(self._offered) - 1), changed)
