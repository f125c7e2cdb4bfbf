"""Attributes to choose from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStyle

from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager, icon

if TYPE_CHECKING:
    from ppworkbench.study.study import Study


Offered = tuple[str, str, str, str]
"""Name, kind, question and title: the title is read, the tooltip tells the other two."""


def offer_attributes(study: Study, names: Iterable[str]) -> list[Offered]:
    """Attributes of a study for a list to choose from."""
    return [
        (name, str(study.attribute(name).kind), study.attribute(name).label, study.shown(name))
        for name in names
    ]


def attribute_tip(name: str, question: str, title: str) -> str:
    """What a tooltip says about an attribute whose title is seen: its question and its column."""
    told = [question] if question and question != title else []
    if name not in (title, *told):
        told.append(tr("Column: %s") % name)
    return "\n".join(told or [title])


_STARTS_WITH = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchWrap


class OfferedModel(QStringListModel):
    """Thousands of attributes are offered as fast as a few: nothing is made for a line.

    Qt knows the titles, so that it need not ask for them one by one. Who types finds an attribute
    by its title or by the name of its column.
    """

    def __init__(self, themes: ThemeManager, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self._offered: list[Offered] = []
        self._icons: dict[str, QIcon] = {}
        themes.theme_changed.connect(self._colour)

    def offer(self, attributes: Sequence[Offered]) -> bool:
        if self._offered == list(attributes):
            return False
        self._offered = list(attributes)
        self.setStringList([title or name for name, _, _, title in attributes])
        return True

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return super().data(index, role)
        if not 0 <= index.row() < len(self._offered):
            return None
        name, kind, question, title = self._offered[index.row()]
        if role == Qt.ItemDataRole.UserRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            return attribute_tip(name, question, title or name)
        return self._icon(kind) if role == Qt.ItemDataRole.DecorationRole else None

    def match(
        self, start: Any, role: int, value: Any, hits: int = 1, flags: Any = _STARTS_WITH
    ) -> list[QModelIndex]:
        """Lines whose title fits what is typed, else those whose name does."""
        found = list(super().match(start, role, value, hits, flags))
        if found or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return found
        return list(super().match(start, Qt.ItemDataRole.UserRole, value, hits, flags))

    def _icon(self, kind: str) -> QIcon:
        if kind not in self._icons:
            self._icons[kind] = icon(f"kind-{kind}", self._themes.theme.colour("text2"))
        return self._icons[kind]

    def _colour(self) -> None:
        self._icons.clear()
        if self._offered:
            changed = [Qt.ItemDataRole.DecorationRole]
            self.dataChanged.emit(self.index(0), self.index(len(self._offered) - 1), changed)


_LEAST = 8
"""So many letters are seen in the narrowest column."""


class AttributeBox(QComboBox):
    """Attributes with the icons of their kinds; as wide as there is room."""

    chosen = Signal(str)
    """The attribute that a person chose."""

    def __init__(self, themes: ThemeManager, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        # By its contents it would measure every name, although it is as wide as its column.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_LEAST)
        self._model = OfferedModel(themes, self)
        self.setModel(self._model)
        self.activated.connect(lambda place: self.chosen.emit(self.itemData(place)))

    def initStyleOption(self, option: Any) -> None:  # noqa: N802
        """End a title that has no room in dots; Qt would cut through a letter."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        room = field.width() - 4
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + 4
        option.currentText = option.fontMetrics.elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room
        )

    def offer(self, attributes: Sequence[Offered], current: str | None) -> None:
        """Offer attributes, one of which is chosen."""
        names = [name for name, *_ in attributes]
        with QSignalBlocker(self):
            self._model.offer(attributes)
            self.setCurrentIndex(names.index(current) if current in names else -1)
        self.setToolTip(str(self.currentData(Qt.ItemDataRole.ToolTipRole) or ""))

    def step(self, step: int) -> None:
        """Choose the attribute before or after, as a person would."""
        place = min(max(self.currentIndex() + step, 0), self.count() - 1)
        if self.isEnabled() and place >= 0 and place != self.currentIndex():
            self.setCurrentIndex(place)
            self.activated.emit(place)
