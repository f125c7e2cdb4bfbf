"""The arms with their names, shares and people."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from ppworkbench.analyses.design_arms import (
    LEAST_SHARE,
    ArmSummary,
    ArmsView,
    with_arm,
    with_arm_moved,
    with_arms,
    with_column,
    with_name,
    with_share,
    without_arm,
)
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconButton
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, show_words, text
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.study.study import Study

Change = Callable[[Study], Study]
_MOST = 12
"""Arms that are offered; more are shown where a design has them."""


def epsilon_text(epsilon: float) -> str:
    """Epsilon as it stands in a line."""
    return f"ε {number(epsilon, 2 if epsilon < 10 else 1)}"


class ArmRow(QWidget):
    """One arm: its name, its share, and what can be done with it."""

    edit_requested = Signal(object, str, str)
    """How to change the study, the words of the undo step, and the gesture or nothing."""

    def __init__(self, themes: ThemeManager, place: int) -> None:
        super().__init__()
        self._place = place
        self.name = named(QLineEdit(), f"armName{place}")
        self.name.setAccessibleName(self.tr("Name of the arm"))
        reserve_width(self.name, themes, 120)
        self.share = SliderRow(
            "", LEAST_SHARE, 1 - LEAST_SHARE, decimals=3, is_share=True
        )  # fmt: skip
        self.share.set_names(f"armShare{place}")
        self.copy = IconButton(themes, "copy", self.tr("Duplicate arm"), 16)
        self.up = IconButton(themes, "chevron-up", self.tr("Move arm up"), 16)
        self.down = IconButton(themes, "chevron-down", self.tr("Move arm down"), 16)
        self.delete = IconButton(themes, "close", self.tr("Delete arm"), 16)
        buttons = {"Copy": self.copy, "Up": self.up, "Down": self.down, "Delete": self.delete}
        for key, button in buttons.items():
            button.setObjectName(f"arm{key}{place}")
        line = row(*buttons.values(), spacing=0)
        layout = row(self.name, self.share, line, parent=self, spacing=12)
        layout.setStretch(1, 1)
        for part in (self.name, line):
            layout.setAlignment(part, Qt.AlignmentFlag.AlignBottom)
        self._known = ""
        self.name.editingFinished.connect(self._on_named)
        self.share.moved.connect(self._on_moved)
        self.copy.clicked.connect(self._on_copy)
        self.up.clicked.connect(lambda: self._on_step(-1))
        self.down.clicked.connect(lambda: self._on_step(1))
        self.delete.clicked.connect(self._on_delete)

    def set_view(self, arm: ArmSummary, count: int) -> None:
        is_other = self._known != arm.name
        self._known = arm.name
        if is_other or not self.name.hasFocus():
            self.show_name()
        people = self.tr("%s respondents") % number(arm.respondents)
        self.share.label.setText(f"{people}, {epsilon_text(arm.epsilon)}")
        for part in (self.share.slider, self.share.box):
            part.setAccessibleName(self.tr("Share of %s") % arm.name)
        self.share.set_value(arm.share)
        # A single arm has everybody.
        self.share.setEnabled(count > 1)
        self.up.setEnabled(self._place > 0)
        self.down.setEnabled(self._place < count - 1)

    def show_name(self) -> None:
        if self.name.text() != self._known:
            with QSignalBlocker(self.name):
                self.name.setText(self._known)

    def _on_copy(self) -> None:
        step = self.tr("Duplicate the arm %s") % self._known
        self.edit_requested.emit(partial(with_arm, copied=self._place), step, "")

    def _on_step(self, step: int) -> None:
        change = partial(with_arm_moved, place=self._place, step=step)
        self.edit_requested.emit(change, self.tr("Move the arm %s") % self._known, "")

    def _on_delete(self) -> None:
        step = self.tr("Delete the arm %s") % self._known
        self.edit_requested.emit(partial(without_arm, place=self._place), step, "")

    def _on_named(self) -> None:
        typed = self.name.text()
        if typed.strip() != self._known:
            change = partial(with_name, place=self._place, name=typed)
            self.edit_requested.emit(change, self.tr("Rename the arm %s") % self._known, "")
        self.show_name()

    def _on_moved(self, share: float, gesture: str) -> None:
        change = partial(with_share, place=self._place, share=share)
        step = self.tr("Change the share of %s") % self._known
        self.edit_requested.emit(change, step, gesture)


class ArmsCard(Card):
    """All arms, one below the other."""

    edit_requested = Signal(object, str, str)
    best_requested = Signal()
    """The best shares are wanted."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Arms"), padding=12)
        self._themes = themes
        self._column = ""
        label = text(self.tr("Column"), "label")
        self.column = named(QLineEdit(), "armsColumn", self.tr("Column of the arms"))
        self.column.setToolTip(
            self.tr("The column of the data that tells the arm of every respondent.")
        )
        label.setBuddy(self.column)
        reserve_width(self.column, themes, 110)
        self.add_button = named(Button(themes, self.tr("Add arm"), "plus"), "addArm")
        self.best = named(Button(themes, self.tr("Best shares…"), "target"), "bestShares")
        self.remove = named(Button(themes, self.tr("Remove arms"), "", "link"), "removeArms")
        self._head_parts = (label, self.column, self.add_button, self.best, self.remove)
        for part in self._head_parts:
            self.head.addWidget(part)
        inside = QWidget()
        self._rows_layout = column(parent=inside, spacing=4)
        self.rows: list[ArmRow] = []
        self.problem = named(text("", "error", wrap=True), "armsProblem")
        self.problem.hide()
        self.add(inside)
        self.add(self.problem)
        self.column.editingFinished.connect(self._on_column)
        self.best.clicked.connect(self.best_requested)
        self.add_button.clicked.connect(
            lambda: self.edit_requested.emit(with_arm, self.tr("Add an arm"), "")
        )
        self.remove.clicked.connect(
            lambda: self.edit_requested.emit(
                partial(with_arms, arms=None), self.tr("Remove the arms"), ""
            )
        )

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show the title only where there is room for all of it."""
        super().resizeEvent(event)
        self.show_title_beside(*self._head_parts)

    def set_view(self, view: ArmsView) -> None:
        """Show the arms of a study."""
        self.show_problem("")
        self._column = view.column
        if not self.column.hasFocus():
            self._show_column()
        for place in range(len(self.rows), len(view.arms)):
            added = ArmRow(self._themes, place)
            added.edit_requested.connect(self.edit_requested)
            self._rows_layout.addWidget(added)
            self.rows.append(added)
        for gone in self.rows[len(view.arms) :]:
            gone.hide()
            gone.deleteLater()
        del self.rows[len(view.arms) :]
        for one, arm in zip(self.rows, view.arms, strict=True):
            one.set_view(arm, len(view.arms))
        self.add_button.setEnabled(len(view.arms) < _MOST)
        self.best.setEnabled(len(view.arms) > 1)

    def show_problem(self, sentence: str) -> None:
        """Say in place why something was refused; nothing hides it."""
        show_words(self.problem, sentence)
        if sentence:
            announce(self.problem, sentence)

    def _show_column(self) -> None:
        if self.column.text() != self._column:
            with QSignalBlocker(self.column):
                self.column.setText(self._column)

    def _on_column(self) -> None:
        typed = self.column.text()
        if typed.strip() != self._column:
            change = partial(with_column, column=typed)
            self.edit_requested.emit(change, self.tr("Change the column of the arms"), "")
        self._show_column()
