"""Conditions of a question."""

from __future__ import annotations

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QCompleter,
    QLayout,
    QLineEdit,
    QListView,
    QWidget,
)

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.survey.conditions.condition import (
    Comparison,
    Condition,
    Membership,
    Operator,
    Range,
    Test,
    parse_condition,
)
from ppworkbench.core.survey.conditions.regions import ValueRegion, regions_of
from ppworkbench.gui.charts.axes import short_number
from ppworkbench.gui.numbers import read_number
from ppworkbench.gui.pages.survey.term_chips import Popover
from ppworkbench.gui.pages.survey.texts import limit_words
from ppworkbench.gui.theme import ThemeManager, icon
from ppworkbench.gui.widgets.attribute_box import attribute_tip
from ppworkbench.gui.widgets.controls import Button, Segmented, filter_field
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text

BETWEEN, FROM_BELOW = "between", "from"


class NumberLimits(QWidget):
    """How the number is compared, and one or two limits."""

    test_made = Signal(object)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._attribute: Attribute | None = None
        self.manner = named(QComboBox(), "limitManner", self.tr("Comparison"))
        for key, words in (
            ("<", self.tr("below")),
            ("<=", self.tr("at most")),
            (">=", self.tr("at least")),
            (">", self.tr("above")),
            (FROM_BELOW, self.tr("from … to below …")),
            (BETWEEN, self.tr("from … to …")),
            ("=", self.tr("exactly")),
            ("!=", self.tr("not")),
        ):
            self.manner.addItem(words, key)
        self.manner.activated.connect(self._on_manner)
        self.low = self._field("lowLimit", self.tr("Limit"))
        self.high = self._field("highLimit", self.tr("Upper limit"))
        self.word = text(self.tr("to below"), "secondary")
        self.hint = text("", "captionHint")
        self.problem = named(text("", "error", wrap=True), "limitsProblem")
        column(
            self.manner, row(self.low, self.word, self.high), self.hint, self.problem,
            parent=self, spacing=8,
        )  # fmt: skip
        self.low.setMinimumWidth(themes.theme.px(90))
        self.high.setMinimumWidth(themes.theme.px(90))
        self.setFocusProxy(self.low)

    def _field(self, name: str, words: str) -> QLineEdit:
        field = named(QLineEdit(), name, words)
        field.textEdited.connect(self._emit)
        return field

    def show_test(self, attribute: Attribute, test: Test | None) -> None:
        """Show the limits of a test, or the middle of nothing for a new one."""
        self._attribute = attribute
        low, high = attribute.domain or (0.0, 0.0)
        self.hint.setText(
            self.tr("possible answers: %s to %s") % (short_number(low), short_number(high))
        )
        manner, first, second = _read(test if _is_about(test, attribute) else None)
        with QSignalBlocker(self.manner):
            self.manner.setCurrentIndex(self.manner.findData(manner))
        self.low.setText(limit_words(first))
        self.high.setText(limit_words(second))
        self._follow()
        self._say("")

    def _on_manner(self) -> None:
        self._follow()
        self._emit()

    def _follow(self) -> None:
        manner = self.manner.currentData()
        two = manner in (BETWEEN, FROM_BELOW)
        self.word.setText(self.tr("to") if manner == BETWEEN else self.tr("to below"))
        self.word.setVisible(two)
        self.high.setVisible(two)

    def _say(self, problem: str) -> None:
        show_words(self.problem, problem)

    def _emit(self) -> None:
        attribute, manner = self._attribute, str(self.manner.currentData())
        if attribute is None:
            return
        two = manner in (BETWEEN, FROM_BELOW)
        limits = [
            read_number(field.text()) for field in ((self.low, self.high) if two else (self.low,))
        ]
        if any(limit is None for limit in limits):
            empty = not self.low.text().strip() or (two and not self.high.text().strip())
            self._say("" if empty else self.tr("Type a number, such as 30 or 2.5."))
            return
        problem = self._problem([limit for limit in limits if limit is not None], manner)
        self._say(problem)
        if problem:
            return
        words = [_plain(limit) for limit in limits if limit is not None]
        if two:
            low, high = words
            included = manner == BETWEEN
            self.test_made.emit(Range(attribute.name, low, high, high_included=included))
        else:
            self.test_made.emit(Comparison(attribute.name, Operator(manner), words[0]))

    def _problem(self, limits: list[float], manner: str) -> str:
        if len(limits) == 2:
            first, second = limits
            if second < first or (second == first and manner == FROM_BELOW):
                return self.tr("The second limit must be above the first.")
        if manner == "=" and self._attribute is not None:
            whole = limits[0].is_integer()
            if self._attribute.kind is Kind.INTEGER and not whole:
                return self.tr("The answers are whole numbers; none equals this limit.")
        return ""

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.low.setFocus()


def _is_about(test: Test | None, attribute: Attribute) -> bool:
    return test is not None and test.attribute == attribute.name


def _read(test: Test | None) -> tuple[str, str, str]:
    if isinstance(test, Comparison):
        return str(test.operator), test.value, ""
    if isinstance(test, Range):
        return (BETWEEN if test.high_included else FROM_BELOW), test.low, test.high
    if isinstance(test, Membership) and len(test.values) == 1:
        return ("!=" if test.negated else "="), test.values[0], ""
    return "<", "", ""


def _plain(value: float) -> str:
    """A number as the text form of a condition writes it."""
    return f"{value:.15g}"


_MANY = 10
"""More values than these have a field to search in."""
_ROWS = 9


class PickList(QListView):
    """A click anywhere on a row ticks it, as the space bar does."""

    toggled = Signal(int)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() == Qt.MouseButton.LeftButton:
            self.toggled.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.toggled.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)


class ValueList(QWidget):
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
        self.filter = filter_field("valueFilter", self.tr("Search the values"))
        self.filter.textChanged.connect(self._hide_others)
        self.model = QStandardItemModel(self)
        self.model.itemChanged.connect(self._emit)
        self.list = named(PickList(), "valuePicks", self.tr("Values"))
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.toggled.connect(self._on_toggled)
        self.problem = text(self.tr("Select at least 1 value."), "error", wrap=True)
        self.problem.setObjectName("picksProblem")
        column(self.is_or_not, self.filter, self.list, self.problem, parent=self, spacing=8)
        self.setFocusProxy(self.list)

    @property
    def picked(self) -> tuple[str, ...]:
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
        for place in range(self.model.rowCount()):
            words_there = self.model.item(place).text().casefold()
            self.list.setRowHidden(place, wanted not in words_there)

    def _emit(self) -> None:
        if self._is_filling or self._attribute is None:
            return
        picked = self.picked
        self.problem.setVisible(not picked)
        if picked:
            negated = self.is_or_not.current == "not"
            self.test_made.emit(Membership(self._attribute.name, picked, negated))

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusInEvent(event)
        self.list.setFocus()


def _is_negated(test: Test | None) -> bool:
    if isinstance(test, Membership):
        return test.negated
    return isinstance(test, Comparison) and test.operator is Operator.UNEQUAL


def _inside(attribute: Attribute, test: Test | None) -> tuple[bool, ...]:
    if test is None or test.attribute != attribute.name:
        return (False,) * attribute.k
    alone = Design((DesignedAttribute(attribute, Identity()),))
    try:
        region = regions_of(Condition((test,)), alone)[attribute.name]
    except WorkbenchError:
        return (False,) * attribute.k
    return region.inside if isinstance(region, ValueRegion) else (False,) * attribute.k


_SEARCHED = Qt.ItemDataRole.UserRole + 1
"""Title, column and question of an attribute, which suggestions are found by."""


class AttributeCompleter(QCompleter):
    """Finds attributes by title, column or question; the title is what is filled in."""

    def __init__(self, box: QComboBox) -> None:
        super().__init__(box.model(), box)
        self.setCompletionRole(_SEARCHED)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:  # noqa: N802
        return str(index.data(Qt.ItemDataRole.DisplayRole))


class TestEditor(Popover):
    """The attribute above, its values or limits below; every valid change holds at once."""

    test_made = Signal(object)
    """The test as it is now."""
    next_started = Signal()
    """What follows is one more test."""
    removed = Signal()
    closed = Signal()

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent, "testEditor", "")
        self.setAccessibleName(self.tr("Condition"))
        self._themes = themes
        self._attributes: dict[str, Attribute] = {}
        self.attribute = named(QComboBox(), "testAttribute", self.tr("Attribute of the condition"))
        self.attribute.setEditable(True)
        self.attribute.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.attribute.lineEdit().setPlaceholderText(self.tr("Attribute, or condition: age < 35"))
        self.attribute.setCompleter(AttributeCompleter(self.attribute))
        self.problem = text("", "error", wrap=True)
        self.attribute.activated.connect(self._on_attribute)
        self.attribute.lineEdit().returnPressed.connect(self._on_entered)
        self.attribute.lineEdit().editingFinished.connect(self._on_typed)
        self.attribute.lineEdit().textEdited.connect(lambda _: self.problem.hide())
        self.label = text("", "captionHint", wrap=True)
        self.picks = ValueList(themes)
        self.limits = NumberLimits(themes)
        for part in (self.picks, self.limits):
            part.test_made.connect(self.test_made)
            part.hide()
        self.remove_button = named(Button(themes, self.tr("Remove"), "", "link"), "removeTest")
        self.remove_button.clicked.connect(self._on_remove)
        self.done_button = named(Button(themes, self.tr("Done")), "doneTest")
        self.done_button.clicked.connect(self.close)
        layout = column(
            self.attribute, self.problem, self.label, self.picks, self.limits,
            row(self.remove_button, None, self.done_button),
            parent=self, spacing=8, margin=12,
        )  # fmt: skip
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.attribute.setMinimumWidth(themes.theme.px(280))

    @property
    def name(self) -> str:
        return str(self.attribute.currentData() or "")

    def open_beside(
        self, anchor: QWidget, attributes: tuple[Attribute, ...], test: Test | None
    ) -> None:
        """Show the editor under a chip, or under the button for a new one."""
        self._attributes = {a.name: a for a in attributes}
        ink = self._themes.theme.colour("text2")
        with QSignalBlocker(self.attribute):
            self.attribute.clear()
            for attribute in attributes:
                kind = icon(f"kind-{attribute.kind}", ink)
                self.attribute.addItem(kind, attribute.shown, attribute.name)
                tip = attribute_tip(attribute.name, attribute.label, attribute.shown)
                last = self.attribute.count() - 1
                self.attribute.setItemData(last, tip, Qt.ItemDataRole.ToolTipRole)
                words = f"{attribute.shown}\n{attribute.name}\n{attribute.label}"
                self.attribute.setItemData(last, words, _SEARCHED)
            place = -1 if test is None else self.attribute.findData(test.attribute)
            self.attribute.setCurrentIndex(place)
            if place < 0:
                self.attribute.setEditText("" if test is None else test.attribute)
        self.remove_button.setVisible(test is not None)
        self._show_fields(test)
        self.open_below(anchor)
        first = self.picks if self.picks.isVisible() else self.limits
        (first if first.isVisible() else self.attribute).setFocus()

    def _show_fields(self, test: Test | None) -> None:
        attribute = self._attributes.get(self.name)
        self.problem.hide()
        about = ""
        if attribute is not None:
            about = attribute_tip(attribute.name, attribute.label, attribute.shown)
            about = "" if about == attribute.shown else about
        show_words(self.label, about)
        categorical = attribute is not None and attribute.kind.is_categorical
        self.picks.setVisible(categorical)
        self.limits.setVisible(attribute is not None and not categorical)
        if attribute is None:
            return
        (self.picks if categorical else self.limits).show_test(attribute, test)
        self.adjustSize()

    def _on_attribute(self) -> None:
        self._show_fields(None)
        first = self.picks if self.picks.isVisible() else self.limits
        first.setFocus()

    def _on_entered(self) -> None:
        typed = self.attribute.currentText().strip()
        meant = self._meant(typed.casefold())
        if not typed:
            return
        if not meant and self._take_condition(typed):
            return
        if len(meant) == 1:
            is_new = meant[0] != self.name
            self.attribute.setCurrentIndex(self.attribute.findData(meant[0]))
            self.attribute.setEditText(self._attributes[meant[0]].shown)
            if is_new:
                self._on_attribute()
            return
        said = (
            self.tr("Several names contain “%s”; type more or choose one.")
            if meant
            else self.tr("There is no attribute “%s”; choose one from the list.")
        )
        self.problem.setText(said % typed)
        self.problem.show()
        announce(self.attribute, self.problem.text())
        self.adjustSize()

    def _meant(self, typed: str) -> list[str]:
        """The attributes whose name, title or question was typed, else those that contain it."""
        words = {
            name: (name.casefold(), attribute.shown.casefold(), attribute.label.casefold())
            for name, attribute in self._attributes.items()
        }
        return [name for name, said in words.items() if typed in said] or [
            name for name, said in words.items() if any(typed in one for one in said)
        ]

    def _take_condition(self, typed: str) -> bool:
        """Take a whole condition that was typed, such as "age < 35"; whether it was one."""
        try:
            tests = parse_condition(typed).tests
        except WorkbenchError:
            return False
        if not tests or any(test.attribute not in self._attributes for test in tests):
            return False
        # A list of suggestions hands the key on a second time.
        self.attribute.setEditText("")
        for test in tests[:-1]:
            self.test_made.emit(test)
            self.next_started.emit()
        self.test_made.emit(tests[-1])
        self.close()
        return True

    def _on_typed(self) -> None:
        typed = self.attribute.currentText()
        place = self.attribute.findText(typed, Qt.MatchFlag.MatchFixedString)
        if place < 0:
            same = Qt.MatchFlag.MatchFixedString
            place = self.attribute.findData(typed, Qt.ItemDataRole.UserRole, same)
        if place >= 0 and place != self.attribute.currentIndex():
            self.attribute.setCurrentIndex(place)
            self._show_fields(None)

    def _on_remove(self) -> None:
        self.removed.emit()
        self.close()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.closed.emit()
