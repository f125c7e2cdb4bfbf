"""The attributes of the design as a Qt list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QStringListModel,
    Qt,
    Signal,
)

from ppworkbench.gui.language.text import told
from ppworkbench.gui.store import Store
from ppworkbench.gui.words import percent, significant, trimmed

Index = QModelIndex | QPersistentModelIndex

NAME = Qt.ItemDataRole.UserRole
SUMMARY = Qt.ItemDataRole.UserRole + 1
KIND = Qt.ItemDataRole.UserRole + 2
SHARES = Qt.ItemDataRole.UserRole + 3
DISTORTED = Qt.ItemDataRole.UserRole + 4
BADGE = Qt.ItemDataRole.UserRole + 5
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class AttributeModel(QStringListModel):
    """Reads the study when it is asked; keeps only the names that pass the filter.

    Qt keeps them, too: to lay out a list it asks thousands of times how many there are.
    """

    row_changed = Signal(int)
    """One row is to be drawn again."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._filter = ""
        self.names: list[str] = []
        self._badges: dict[str, tuple[float, float]] = {}
        store.study_opened.connect(self.reload)
        store.data_changed.connect(self.reload)
        store.design_changed.connect(self._on_design_changed)
        self.reload()

    def set_filter(self, words: str) -> None:
        """Show only attributes whose name or question holds the words."""
        self._filter = words.lower().strip()
        self.reload()

    def reload(self) -> None:
        """Read the names again."""
        study = self._store.study
        names = [
            name
            for name in study.design.names
            if not self._filter
            or self._filter in name.lower()
            or self._filter in study.label(name).lower()
        ]
        if names != self.names:
            self.names = names
            self.setStringList(names)

    def flags(self, index: Index) -> Qt.ItemFlag:  # noqa: ARG002
        """A name is not written here."""
        return _FLAGS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What the delegate draws."""
        answers: dict[int, Callable[[str], Any]] = {
            Qt.ItemDataRole.DisplayRole: str,
            NAME: str,
            SUMMARY: self._summary,
            KIND: lambda name: self._store.study.design[name].attribute.kind.value,
            SHARES: lambda name: self._store.study.prior(name).probabilities,
            DISTORTED: self._is_distorted,
            BADGE: self._badge,
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Qt.ItemDataRole.AccessibleTextRole: lambda name: f"{name}, {self._summary(name)}",
        }
        answer = answers.get(role)
        if not index.isValid() or answer is None:
            return None
        return answer(self.names[index.row()])

    def show_badges(self, badges: dict[str, tuple[float, float]]) -> None:
        """Show the attacker's best guess and the information loss of every attribute."""
        self._badges = badges
        if self.names:
            self.dataChanged.emit(self.index(0), self.index(len(self.names) - 1))

    def _badge(self, name: str) -> str:
        known = self._badges.get(name)
        return "" if known is None else percent(known[0])

    def _tip(self, name: str) -> str:
        label = self._store.study.label(name)
        known = self._badges.get(name)
        if known is None:
            return label
        words = self.tr("%s\nAttacker's best guess: right %s of the time; information loss %s")
        return words % (label, percent(known[0]), significant(known[1]))

    def _summary(self, name: str) -> str:
        design = self._store.study.design
        group = design.group_of(name)
        if group is not None:
            return self.tr("group of %s, theta %s") % (
                len(group.attributes),
                trimmed(group.theta, 3),
            )
        return told(design[name].perturbation.summary())

    def _is_distorted(self, name: str) -> bool:
        return not self._store.study.design.perturbation(name).is_identity

    def _on_design_changed(self, name: str) -> None:
        if not name:
            self.reload()
            if self.names:
                self.dataChanged.emit(self.index(0), self.index(len(self.names) - 1))
        elif name in self.names:
            # Not dataChanged: a list view would lay out all of its rows again.
            self.row_changed.emit(self.names.index(name))
