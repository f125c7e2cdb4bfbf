"""Attributes with ticks, read when a line is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, QSize, QStringListModel, Qt, Signal

_TICK = Qt.ItemDataRole.CheckStateRole
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable


class SplitModel(QStringListModel):
    """Qt knows the names; ticks and questions are looked up, however many there are."""

    ticked = Signal(str, bool)
    """A person set or took away a tick; what is shown follows when it is shown again."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._features: list[tuple[str, str]] = []
        self._excluded: frozenset[str] = frozenset()
        self._height = 0

    def show_features(self, features: Sequence[tuple[str, str]], excluded: frozenset[str]) -> None:
        """Show (name, question) pairs with their ticks."""
        is_new = self._features != list(features)
        changed = self._excluded != excluded
        self._features, self._excluded = list(features), excluded
        if is_new:
            self.setStringList([name for name, _ in features])
        elif changed and features:
            self.dataChanged.emit(self.index(0), self.index(len(features) - 1), [_TICK])

    def set_height(self, height: int) -> int:
        """Make all lines so high."""
        if height != self._height:
            self._height = height
            self.layoutChanged.emit()
        return height

    def flags(self, index: Any) -> Qt.ItemFlag:  # noqa: ARG002
        """Ticks can be set, names cannot be written."""
        return _FLAGS

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One line."""
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(10, self._height) if self._height else None
        if role not in (_TICK, Qt.ItemDataRole.ToolTipRole):
            return super().data(index, role)
        if not 0 <= index.row() < len(self._features):
            return None
        name, question = self._features[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return question
        return Qt.CheckState.Unchecked if name in self._excluded else Qt.CheckState.Checked

    def setData(  # noqa: N802
        self, index: Any, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        """Set or take away a tick."""
        if role != _TICK or not 0 <= index.row() < len(self._features):
            return False
        name = self._features[index.row()][0]
        on = Qt.CheckState(value) == Qt.CheckState.Checked
        if on == (name in self._excluded):
            self._excluded = self._excluded ^ {name}
            self.dataChanged.emit(index, index, [_TICK])
            self.ticked.emit(name, on)
        return True
