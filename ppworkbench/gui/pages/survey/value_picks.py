"""Picking the values of a test: a list with boxes to tick."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QListView, QWidget

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.survey.conditions import Comparison, Condition, Membership, Operator, Test
from ppworkbench.core.survey.regions import ValueRegion, regions_of
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column, text
from ppworkbench.gui.widgets.segmented import Segmented

_MANY = 10
"""More values than these have a field to search in."""
_ROWS = 9


class PickList(QListView):
    """A click anywhere on a row ticks it, as the space bar does."""

    toggled = Signal(int)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Tick or untick the row."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            self.toggled.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Tick or untick the current row."""
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.toggled.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class ValuePicks(QWidget):
    """The answer is, or is not, one of the ticked values."""

    test_made = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._attribute: Attribute | None = None
        self._is_filling = False
        self.is_or_not = Segmented(
            themes, self.tr("Is or is not"), [("is", self.tr("is")), ("not", self.tr("is not"))]
        )
        self.is_or_not.setObjectName("isOrIsNot")
        self.is_or_not.chosen.connect(self._emit)
        self.filter = QLineEdit()
        self.filter.setObjectName("valueFilter")
        self.filter.setAccessibleName(self.tr("Search the values"))
        self.filter.setPlaceholderText(self.tr("Search the values"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._hide_others)
        self.model = QStandardItemModel(self)
        self.model.itemChanged.connect(self._emit)
        self.list = PickList()
        self.list.setObjectName("valuePicks")
        self.list.setAccessibleName(self.tr("Values"))
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.toggled.connect(self._on_toggled)
        self.problem = text(self.tr("Pick at least one value."), "error", wrap=True)
        self.problem.setObjectName("picksProblem")
        column(self.is_or_not, self.filter, self.list, self.problem, parent=self, spacing=8)
        self.setFocusProxy(self.list)

    @property
    def picked(self) -> tuple[str, ...]:
        """The ticked values, in their order."""
        checked = Qt.CheckState.Checked
        items = (self.model.item(row) for row in range(self.model.rowCount()))
        return tuple(item.text() for item in items if item.checkState() == checked)

    def show_test(self, attribute: Attribute, test: Test | None) -> None:
        """Show the values of an attribute, those ticked that meet a test."""
        self._attribute = attribute
        negated = _is_negated(test)
        inside = _inside(attribute, test)
        if negated:
            inside = tuple(not one for one in inside)
        self._is_filling = True
        self.is_or_not.set_current("not" if negated else "is")
        self.model.clear()
        row_size = QSize(40, self._themes.theme.px(26))
        for value, ticked in zip(attribute.values, inside, strict=True):
            item = QStandardItem(value)
            item.setSizeHint(row_size)
            item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
            self.model.appendRow(item)
        self.filter.clear()
        self.filter.setVisible(attribute.k > _MANY)
        self.list.setFixedHeight(min(attribute.k, _ROWS) * row_size.height() + 6)
        if attribute.k:
            self.list.setCurrentIndex(self.model.index(0, 0))
        self._is_filling = False
        self.problem.setVisible(not self.picked)

    def pick(self, value: str, on: bool = True) -> None:
        """Tick or untick a value as a user would."""
        for item in self.model.findItems(value):
            item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def _on_toggled(self, row: int) -> None:
        item = self.model.item(row)
        self.pick(item.text(), item.checkState() != Qt.CheckState.Checked)

    def _hide_others(self, words: str) -> None:
        wanted = words.casefold().strip()
        for row in range(self.model.rowCount()):
            self.list.setRowHidden(row, wanted not in self.model.item(row).text().casefold())

    def _emit(self) -> None:
        if self._is_filling or self._attribute is None:
            return
        picked = self.picked
        self.problem.setVisible(not picked)
        if picked:
            negated = self.is_or_not.current == "not"
            self.test_made.emit(Membership(self._attribute.name, picked, negated))

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """The list has the keyboard."""
        super().focusInEvent(event)
        self.list.setFocus()


def _is_negated(test: Test | None) -> bool:
    if isinstance(test, Membership):
        return test.negated
    return isinstance(test, Comparison) and test.operator is Operator.UNEQUAL


def _inside(attribute: Attribute, test: Test | None) -> tuple[bool, ...]:
    """Which values meet a test; none where the test is not about this attribute."""
    if test is None or test.attribute != attribute.name:
        return (False,) * attribute.k
    alone = Design((DesignedAttribute(attribute, Identity()),))
    try:
        region = regions_of(Condition((test,)), alone)[attribute.name]
    except WorkbenchError:
        return (False,) * attribute.k
    return region.inside if isinstance(region, ValueRegion) else (False,) * attribute.k
