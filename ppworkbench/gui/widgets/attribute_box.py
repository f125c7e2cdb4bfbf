"""Attributes to choose from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QSignalBlocker, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QListView, QSizePolicy, QStyle, QWidget

from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager, icon
from ppworkbench.gui.widgets.layout import column, named, row, text

if TYPE_CHECKING:
    from ppworkbench.study.study import Study


Offered = tuple[str, str, str, str]
"""Name, kind, question and title: the title is read, the tooltip tells the other two."""


def offer_attributes(study: Study, names: Iterable[str]) -> list[Offered]:
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


LEAST = 8
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
        self.setMinimumContentsLength(LEAST)
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


_TICK = Qt.ItemDataRole.CheckStateRole
_FLAGS = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable


class TickModel(QStringListModel):
    """Qt knows the titles; ticks and questions are looked up, however many there are."""

    ticked = Signal(str, bool)
    """A person set or took away a tick; what is shown follows when it is shown again."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._offered: list[Offered] = []
        self._ticked: frozenset[str] = frozenset()
        self._height = 0

    def show_attributes(self, offered: Sequence[Offered], ticked: Collection[str]) -> None:
        before, self._ticked = self._ticked, frozenset(ticked)
        if self._offered != list(offered):
            self._offered = list(offered)
            self.setStringList([title or name for name, _, _, title in offered])
        elif self._ticked != before and offered:
            self.dataChanged.emit(self.index(0), self.index(len(offered) - 1), [_TICK])

    @property
    def names(self) -> list[str]:
        return [name for name, *_ in self._offered]

    @property
    def count(self) -> int:
        return sum(name in self._ticked for name in self.names)

    def set_height(self, height: int) -> None:
        if height != self._height:
            self._height = height
            self.layoutChanged.emit()

    def flags(self, index: Any) -> Qt.ItemFlag:  # noqa: ARG002
        return _FLAGS

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(10, self._height) if self._height else None
        if role not in (_TICK, Qt.ItemDataRole.ToolTipRole):
            return super().data(index, role)
        if not 0 <= index.row() < len(self._offered):
            return None
        name, _, question, title = self._offered[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return attribute_tip(name, question, title or name)
        return Qt.CheckState.Checked if name in self._ticked else Qt.CheckState.Unchecked

    def setData(  # noqa: N802
        self, index: Any, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        if role != _TICK or not 0 <= index.row() < len(self._offered):
            return False
        name = self._offered[index.row()][0]
        on = Qt.CheckState(value) == Qt.CheckState.Checked
        if on != (name in self._ticked):
            self._ticked = self._ticked ^ {name}
            self.dataChanged.emit(index, index, [_TICK])
            self.ticked.emit(name, on)
        return True


class AttributeTicks(QWidget):
    """Attributes to tick, under a head that counts them.

    Parameters
    ----------
    words
        What the list is called, and its head unless that has a ``title``.
    beside
        What stands in the head before the count.
    rows
        So many rows are seen without scrolling; 0 takes the height that there is.
    """

    ticked = Signal(str, bool)

    def __init__(
        self, themes: ThemeManager, name: str, words: str, *beside: QWidget,
        title: str = "", rows: int = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        self._themes, self._rows = themes, rows
        self.model = TickModel(self)
        self.view = named(QListView(), name, words)
        self.view.setModel(self.model)
        self.view.setUniformItemSizes(True)
        self.view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.view.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        if rows:
            self.view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        else:
            self.view.setMinimumHeight(themes.theme.px(96))
        self.count = text("", "captionHint")
        head = row(text(title or words, "strong"), None, *beside, self.count)
        column(head, self.view, parent=self, spacing=4, stretch=1)
        self.model.ticked.connect(self.ticked)
        themes.theme_changed.connect(self._resize)

    def show_attributes(self, offered: Sequence[Offered], ticked: Collection[str]) -> None:
        self.model.show_attributes(offered, ticked)
        self.count.setText(tr("%s of %s") % (number(self.model.count), number(len(offered))))
        self._resize()

    def tick(self, name: str, on: bool) -> None:
        if name in self.model.names:
            state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            index = self.model.index(self.model.names.index(name))
            self.model.setData(index, state, _TICK)

    def _resize(self) -> None:
        height = self._themes.theme.px(24)
        if self._rows:
            height = max(self.view.sizeHintForIndex(self.model.index(0)).height(), height)
            rows = min(max(self.model.rowCount(), 1), self._rows)
            self.view.setFixedHeight(rows * height + 4)
        self.model.set_height(height)
