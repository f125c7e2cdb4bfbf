"""A small window beside a chip, in which a test is made or changed."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QCloseEvent, QHideEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QFrame, QLayout, QWidget

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.survey.conditions import Test
from ppworkbench.gui.announce import announce
from ppworkbench.gui.pages.survey.number_limits import NumberLimits
from ppworkbench.gui.pages.survey.value_picks import ValuePicks
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, row, text


class TestEditor(QFrame):
    """The attribute above, its values or limits below; every valid change holds at once."""

    __test__ = False  # not a test of the suite

    test_made = Signal(object)
    """The test as it is now."""
    removed = Signal()
    closed = Signal()

    def __init__(self, themes: ThemeManager, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._themes = themes
        self._attributes: dict[str, Attribute] = {}
        self.setObjectName("testEditor")
        self.setProperty("look", "popover")
        self.setAccessibleName(self.tr("Condition"))
        self.attribute = QComboBox()
        self.attribute.setObjectName("testAttribute")
        self.attribute.setAccessibleName(self.tr("Attribute of the condition"))
        self.attribute.setEditable(True)
        self.attribute.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.attribute.lineEdit().setPlaceholderText(self.tr("Choose or type an attribute"))
        completer = self.attribute.completer()
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        self.attribute.activated.connect(self._on_attribute)
        self.attribute.lineEdit().returnPressed.connect(self._on_entered)
        self.attribute.lineEdit().editingFinished.connect(self._on_typed)
        self.attribute.lineEdit().textEdited.connect(lambda _: self.problem.hide())
        self.problem = text("", "error", wrap=True)
        self.label = text("", "captionHint", wrap=True)
        self.picks = ValuePicks(themes)
        self.limits = NumberLimits(themes)
        for part in (self.picks, self.limits):
            part.test_made.connect(self.test_made)
            part.hide()
        self.remove_button = Button(themes, self.tr("Remove"), "", "link")
        self.remove_button.setObjectName("removeTest")
        self.remove_button.clicked.connect(self._on_remove)
        self.done_button = Button(themes, self.tr("Done"))
        self.done_button.setObjectName("doneTest")
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
        """The attribute that is chosen; empty before one is."""
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
                self.attribute.addItem(kind, attribute.name, attribute.name)
            place = -1 if test is None else self.attribute.findData(test.attribute)
            self.attribute.setCurrentIndex(place)
            if place < 0:
                self.attribute.setEditText("" if test is None else test.attribute)
        self.remove_button.setVisible(test is not None)
        self._show_fields(test)
        self._place(anchor)
        self.show()
        first = self.picks if self.picks.isVisible() else self.limits
        (first if first.isVisible() else self.attribute).setFocus()

    def _place(self, anchor: QWidget) -> None:
        self.adjustSize()
        corner = anchor.mapToGlobal(QPoint(0, anchor.height() + 4))
        area = anchor.screen().availableGeometry()
        x = min(corner.x(), area.right() - self.width())
        y = corner.y()
        if y + self.height() > area.bottom():
            y = max(anchor.mapToGlobal(QPoint(0, -4)).y() - self.height(), area.top())
        self.move(x, y)

    def _show_fields(self, test: Test | None) -> None:
        attribute = self._attributes.get(self.name)
        self.problem.hide()
        self.label.setText("" if attribute is None else attribute.label)
        self.label.setVisible(bool(attribute is not None and attribute.label))
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
        """Take the attribute that was meant, or say why there is none."""
        typed = self.attribute.currentText().strip()
        meant = [name for name in self._attributes if name.casefold() == typed.casefold()] or [
            name for name in self._attributes if typed.casefold() in name.casefold()
        ]
        if not typed:
            return
        if len(meant) == 1:
            is_new = meant[0] != self.name
            self.attribute.setCurrentIndex(self.attribute.findData(meant[0]))
            self.attribute.setEditText(meant[0])
            if is_new:
                self._on_attribute()
            return
        said = (
            self.tr("Several attributes have “%s” in their names; type more or choose one.")
            if meant
            else self.tr("No attribute is called “%s”; choose one from the list.")
        )
        self.problem.setText(said % typed)
        self.problem.show()
        announce(self.attribute, self.problem.text())
        self.adjustSize()

    def _on_typed(self) -> None:
        place = self.attribute.findText(self.attribute.currentText(), Qt.MatchFlag.MatchFixedString)
        if place >= 0 and place != self.attribute.currentIndex():
            self.attribute.setCurrentIndex(place)
            self._show_fields(None)

    def _on_remove(self) -> None:
        self.removed.emit()
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Nothing is lost: every valid change holds already."""
        super().closeEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Say that it is over, however it was closed."""
        super().hideEvent(event)
        self.closed.emit()
