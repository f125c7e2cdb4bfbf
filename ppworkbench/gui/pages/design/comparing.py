"""Pins and the Compare view of the Design page: their actions, and where the view stands."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QScrollArea, QSplitter, QStackedWidget, QWidget

from ppworkbench.core.design import Perturbation
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.pages.design.compare_panel import ComparePanel
from ppworkbench.gui.pages.design.compare_plot import NOW
from ppworkbench.gui.pages.design.measures import measured
from ppworkbench.gui.pages.design.pin_bar import PinBar
from ppworkbench.gui.pages.design.pins import PinBoard
from ppworkbench.gui.pages.design.readouts import Readouts
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.widgets.layouts import scrolled
from ppworkbench.gui.workbench import Workbench

ALWAYS_OPEN = 2560
"""From this width of the window on there is room for the view beside all columns."""


class Comparing(QObject):
    """Keeps the pins; shows the change since the active one, and all of them when asked to."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self.store = workbench.store
        self.board = PinBoard(workbench, self)
        self.board.changed.connect(self.refresh)
        self.pin = QAction(self.tr("Pin the design"), parent)
        self.pin.setObjectName("pinDesign")
        self.pin.setShortcut(QKeySequence("Ctrl+D"))
        self.pin.triggered.connect(self._on_pin)
        parent.addAction(self.pin)
        self.action = QAction(self.tr("Compare"), parent)
        self.action.setObjectName("compare")
        self.action.setProperty("iconName", "pin")
        self.action.setCheckable(True)
        self.action.toggled.connect(self._on_toggled)
        self._say_what_it_does()
        self.bar = PinBar(workbench.themes, self.board, self.pin)
        self._report: AttributeReport | None = None
        self._measured: dict[object, dict[str, float]] = {}
        self._is_beside = False
        self._filling = single_shot(self, self.refresh)

    def make_panel(self) -> None:
        """Make the Compare view."""
        self.panel = ComparePanel(self.workbench, self.board, self.pin)
        self.panel.build()
        self.panel.closed.connect(lambda: self.action.setChecked(False))
        self.area: QScrollArea = scrolled(self.panel)
        self.area.setMinimumWidth(400)

    def stand_in(self, stack: QStackedWidget, columns: QSplitter, readouts: Readouts) -> None:
        """Take the place of the readouts when open, or a column of its own in a wide window."""
        self._stack, self._columns, self._readouts = stack, columns, readouts
        readouts.target_changed.connect(self.refresh)
        stack.addWidget(self.area)

    @property
    def is_open(self) -> bool:
        """Whether the view is to be seen."""
        return self.action.isChecked() or self._is_beside

    def fit(self, width: int) -> None:
        """Stand beside the other columns in a very wide window."""
        beside = width >= ALWAYS_OPEN
        if beside == self._is_beside:
            return
        self._is_beside = beside
        if beside:
            self._stack.setCurrentIndex(0)
            self._columns.addWidget(self.area)
            self._columns.setStretchFactor(2, 1)
            self._columns.setSizes([1000, 1000, 1000])
            self.area.show()
        else:
            self._stack.addWidget(self.area)
            self._stack.setCurrentIndex(1 if self.action.isChecked() else 0)
        self.panel.close_button.setHidden(beside)
        self.action.setEnabled(not beside)
        self._say_what_it_does()
        self._follow_open()

    def close(self) -> bool:
        """Close the view; False if there was nothing to close."""
        was_open = self.action.isChecked() and not self._is_beside
        if was_open:
            self.action.setChecked(False)
        return was_open

    def show_report(self, report: AttributeReport) -> None:
        """Show the change since the active pin; called with every frame of a drag."""
        self._report = report
        pinned = self.board.of(report.name)
        self.bar.show_pins(pinned, report.perturbation)
        active = pinned.active_pin
        before = None if active is None else self._numbers(report, active.perturbation)
        self._readouts.compare_with(before)
        if self.is_open:
            numbers = {
                pin.letter: self._numbers(report, pin.perturbation) for pin in pinned.pins
            }  # fmt: skip
            numbers[NOW] = measured(report, self._readouts.target)
            self.panel.show_report(report, pinned, numbers, self._readouts.points.value())

    def refresh(self) -> None:
        """Show other pins."""
        if self._report is not None and self._report.name == self.store.current:
            self.show_report(self._report)

    def _numbers(
        self, report: AttributeReport, perturbation: Perturbation | None
    ) -> dict[str, float] | None:
        """What a pin would mean for the answers that are expected now."""
        if perturbation is None:
            return None
        n, target = report.utility.n, self._readouts.target
        expected = report.prior.probabilities.tobytes()
        key = perturbation, report.attribute, expected, n, target, report.noncompliance
        if key not in self._measured:
            if len(self._measured) > 200:
                self._measured.clear()
            would = assess_attribute(
                (report.attribute, perturbation), report.prior, n, report.noncompliance
            )
            self._measured[key] = measured(would, target)
        return self._measured[key]

    # Actions

    def _on_pin(self) -> None:
        name = self.store.current
        if name is None or name not in self.store.study.design:
            return
        if not self.board.toggle(name):
            said = self.tr("Four designs are pinned. Remove one to pin another.")
            self.workbench.toast_requested.emit(said, False)

    def _on_toggled(self, is_open: bool) -> None:
        if not self._is_beside:
            self._stack.setCurrentIndex(1 if is_open else 0)
        self._say_what_it_does()
        self._follow_open()
        if is_open:
            self.panel.table.setFocus()

    def _follow_open(self) -> None:
        if self.is_open:
            # The view appears first; to lay it out and to fill it at a stroke could be felt.
            self._filling.start()
        else:
            self.panel.search.stop()

    def _say_what_it_does(self) -> None:
        is_open = self.action.isChecked()
        self.action.setText(self.tr("Close Compare") if is_open else self.tr("Compare"))
        if not self.action.isEnabled():
            words = self.tr("Compare is always open in a window of this width.")
        elif is_open:
            words = self.tr("Show the picture and the cards again (Esc)")
        else:
            words = self.tr("Show the pinned designs side by side; Ctrl+D pins one")
        self.action.setToolTip(words)
