"""The chips that a condition consists of."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QMenu, QSizePolicy, QWidget

from ppworkbench.core.survey.conditions.condition import Condition, Test
from ppworkbench.gui.pages.survey.phrase_chip import OPENING_KEYS, PhraseChip
from ppworkbench.gui.pages.survey.texts import phrase
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.attribute_box import attribute_tip
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import WrappingRow, named, text
from ppworkbench.study.study import Study

_WIDEST = 420
_ARROWS = {
    Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1,
}  # fmt: skip


class ConditionChip(PhraseChip):
    """Click edits, × and Delete remove, dragging and Alt+Shift with the arrows reorder."""

    edit_requested = Signal()
    move_requested = Signal(int)
    """By how many places."""
    dragged = Signal(QPointF)
    """The pointer moves with the chip, in the coordinates of its parent."""
    dropped = Signal(QPointF)
    drag_ended = Signal()

    def __init__(self, themes: ThemeManager, test: Test) -> None:
        super().__init__(themes, _WIDEST)
        self.test = test
        self._pressed: QPointF | None = None
        self.is_dragged = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        self.setAccessibleDescription(
            self.tr("Enter edits, Delete removes, Alt+Shift+Left and Right change the order.")
        )

    def show_test(self, test: Test, kind: str, shown: str, about: str) -> None:
        """Say another test of the attribute that people call so; the tooltip tells about it."""
        self.test = test
        self.show_phrase(phrase(test, lambda _: shown), kind)
        self.setToolTip(f"{self.words}\n{about}")
        self.setAccessibleName(self.tr("Condition: %s") % self.words)

    def _opacity(self) -> float:
        return 0.55 if self.is_dragged else 1.0

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Remove from the cross, else wait whether it is a click or a drag."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self._is_on_cross(event):
            self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._pressed is None:
            return
        way = (event.position() - self._pressed).manhattanLength()
        if self.is_dragged or way >= QApplication.startDragDistance():
            self.is_dragged = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self.dragged.emit(self.mapToParent(event.position()))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Edit after a click, put the chip down after a drag."""
        pressed, self._pressed = self._pressed, None
        if self.is_dragged:
            self.end_drag()
            self.dropped.emit(self.mapToParent(event.position()))
        elif pressed is not None and self.rect().contains(event.position().toPoint()):
            self.edit_requested.emit()

    def end_drag(self) -> None:
        if self.is_dragged:
            self.is_dragged = False
            self._pressed = None
            self.setCursor(Qt.CursorShape.PointingHandCursor)
            self.update()
            self.drag_ended.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        key, has = Qt.Key(event.key()), event.modifiers()
        both = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
        if key in OPENING_KEYS and not has & Qt.KeyboardModifier.ControlModifier:
            self.edit_requested.emit()
        elif key == Qt.Key.Key_Escape and self.is_dragged:
            self.end_drag()
        elif key in _ARROWS and has & both == both:
            self.move_requested.emit(_ARROWS[key])
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        menu = QMenu(self)
        menu.addAction(self.tr("Edit…"), self.edit_requested.emit)
        menu.addAction(self.tr("Move left"), lambda: self.move_requested.emit(-1))
        menu.addAction(self.tr("Move right"), lambda: self.move_requested.emit(1))
        menu.addSeparator()
        menu.addAction(self.tr("Remove"), self.remove_requested.emit)
        menu.popup(event.globalPos())


class ConditionBar(QWidget):
    """One stop of the Tab key; arrows walk from chip to chip. It changes nothing itself."""

    condition_changed = Signal(object)
    """The user removed or moved a test."""
    edit_requested = Signal(int, QWidget)
    """A test should be edited beside this chip."""
    add_requested = Signal(QWidget)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._condition = Condition()
        self._known: dict[str, tuple[str, str, str]] = {}
        self._drop: int | None = None
        self.chips: list[ConditionChip] = []
        self._words: list[QWidget] = []
        self.setObjectName("conditionBar")
        self.setAccessibleName(self.tr("Conditions"))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.row = WrappingRow(spacing=9, line_spacing=6)
        self.setLayout(self.row)
        self.lead: list[QWidget] = []
        self.add_button = Button(themes, self.tr("Add condition"), "plus", "add")
        self.add_button.setObjectName("addCondition")
        self.add_button.clicked.connect(lambda: self.add_requested.emit(self.add_button))
        self.row.addWidget(self.add_button)

    @property
    def condition(self) -> Condition:
        return self._condition

    def set_lead(self, widgets: list[QWidget]) -> None:
        if widgets != self.lead:
            self.lead = widgets
            self._lay_out()

    def show_condition(self, condition: Condition, study: Study) -> None:
        """Show other tests; the keyboard stays at its place."""
        known = {a.name: (str(a.kind), a.label, study.shown(a.name)) for a in study.attributes}
        if condition == self._condition and known == self._known:
            return
        focused = next((i for i, chip in enumerate(self.chips) if chip.hasFocus()), None)
        self._condition, self._known = condition, known
        wanted = len(condition.tests)
        for widget in (*self.chips[wanted:], *self._words[max(wanted - 1, 0) :]):
            widget.hide()
            widget.deleteLater()
        del self.chips[wanted:], self._words[max(wanted - 1, 0) :]
        # New widgets are dear, so those that are there say something else.
        self.chips += [self._chip(place) for place in range(len(self.chips), wanted)]
        self._words += [text(self.tr("and"), "secondary") for _ in self.chips[1:]][
            len(self._words) :
        ]
        for chip, test in zip(self.chips, condition.tests, strict=True):
            name = test.attribute
            kind, question, shown = known.get(name, ("nominal", "", name))
            chip.show_test(test, kind, shown, attribute_tip(name, question, shown))
        self._lay_out()
        if focused is not None:
            self.focus_chip(min(focused, len(self.chips) - 1))

    def _chip(self, place: int) -> ConditionChip:
        chip = named(ConditionChip(self._themes, self._condition.tests[place]), f"condition{place}")
        # One stop for all of them: Tab reaches the first, arrows the others.
        policy = Qt.FocusPolicy.StrongFocus if place == 0 else Qt.FocusPolicy.ClickFocus
        chip.setFocusPolicy(policy)
        chip.edit_requested.connect(lambda: self.edit_requested.emit(place, chip))
        chip.remove_requested.connect(lambda: self.remove(place))
        chip.move_requested.connect(lambda step: self.move_chip(place, place + step))
        chip.walk_requested.connect(lambda step: self.focus_chip(place + step))
        chip.dragged.connect(self._on_dragged)
        chip.dropped.connect(lambda point: self._on_dropped(place, point))
        chip.drag_ended.connect(self._forget_drop)
        return chip

    def _lay_out(self) -> None:
        while self.row.count():
            self.row.takeAt(0)
        items: list[QWidget] = [*self.lead]
        for place, chip in enumerate(self.chips):
            if place:
                items.append(self._words[place - 1])
            items.append(chip)
        items.append(self.add_button)
        # Else everything around is laid out with each of them.
        self.row.setEnabled(False)
        before: QWidget | None = None
        for item in items:
            self.row.addWidget(item)
            item.show()
            if before is not None:
                QWidget.setTabOrder(before, item)
            before = item
        self.row.setEnabled(True)
        self.row.invalidate()
        self.updateGeometry()

    def focus_chip(self, place: int) -> None:
        if 0 <= place < len(self.chips):
            self.chips[place].setFocus(Qt.FocusReason.OtherFocusReason)
        elif place >= len(self.chips):
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def remove(self, place: int) -> None:
        tests = list(self._condition.tests)
        del tests[place]
        had_focus = self.chips[place].hasFocus()
        self.condition_changed.emit(Condition(tuple(tests)))
        if had_focus and not self.chips:
            self.add_button.setFocus(Qt.FocusReason.OtherFocusReason)

    def move_chip(self, place: int, target: int) -> None:
        if not 0 <= target < len(self.chips) or target == place:
            return
        tests = list(self._condition.tests)
        tests.insert(target, tests.pop(place))
        self.condition_changed.emit(Condition(tuple(tests)))
        self.focus_chip(target)

    # Dragging

    def _gap_at(self, point: QPointF) -> int:
        """The place before which a chip goes that is let go here."""
        for place, chip in enumerate(self.chips):
            box = chip.geometry()
            if point.y() < box.top() - 3:
                return place
            if point.y() <= box.bottom() + 3 and point.x() < box.center().x():
                return place
        return len(self.chips)

    def _on_dragged(self, point: QPointF) -> None:
        self._drop = self._gap_at(point)
        self.update()

    def _on_dropped(self, place: int, point: QPointF) -> None:
        gap = self._gap_at(point)
        self.move_chip(place, gap - 1 if gap > place else gap)

    def _forget_drop(self) -> None:
        self._drop = None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if self._drop is None or not self.chips:
            return
        last = self._drop >= len(self.chips)
        box: QRect = self.chips[-1 if last else self._drop].geometry()
        x = box.right() + 5 if last else box.left() - 5
        painter = QPainter(self)
        painter.setPen(QPen(self._themes.theme.colour("accent"), 3))
        painter.drawLine(x, box.top() + 2, x, box.bottom() - 2)
