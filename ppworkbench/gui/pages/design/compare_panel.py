"""Designs of an attribute side by side: a table of measures and a picture of the trade."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QSizePolicy

from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.pages.design.compare_plot import NOW, ComparePlot
from ppworkbench.gui.pages.design.compare_table import CompareTable, Comparison
from ppworkbench.gui.pages.design.frontier_search import MOST_VALUES, FrontierSearch
from ppworkbench.gui.pages.design.measures import measure_keys, measure_label
from ppworkbench.gui.pages.design.pin_rows import PinRows
from ppworkbench.gui.pages.design.pins import PinBoard, Pinned
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import Button, IconButton
from ppworkbench.gui.widgets.layouts import line, text
from ppworkbench.gui.workbench import Workbench

Numbers = Mapping[str, Mapping[str, float] | None]


class ComparePanel(Card):
    """Follows the sliders: the column and the point of now move with them."""

    closed = Signal()

    def __init__(self, workbench: Workbench, board: PinBoard, pin: QAction) -> None:
        super().__init__(workbench.tr("Compare designs"))
        themes = workbench.themes
        self.setObjectName("comparePanel")
        self._board = board
        self._themes = themes
        self.search = FrontierSearch(workbench, self)
        self.search.changed.connect(self._show_frontier)
        self.pin = Button(themes, self.tr("Pin this design"), "pin", look="link")
        self.pin.setObjectName("comparePin")
        self.pin.clicked.connect(pin.trigger)
        self.close_button = IconButton(themes, "close", self.tr("Close (Esc)"), 16)
        self.close_button.setObjectName("closeCompare")
        self.close_button.clicked.connect(self.closed)
        self.head.addWidget(self.pin)
        self.head.addWidget(self.close_button)
        hint = self.tr(
            "Pin up to four designs with Ctrl+D. Each gets a column here and a letter in the "
            "picture below."
        )
        self.hint = text(hint, "secondary", wrap=True)
        self._reason = ""
        self._lost: list[str] = []
        self.add(self.hint)

    def build(self) -> None:
        """Make the rows of pins, the table and the picture."""
        themes = self._themes
        self.pins = PinRows(themes, self._board)
        self.add(self.pins)
        self.table = CompareTable(themes)
        self.table.horizontalHeader().sectionClicked.connect(self._on_head)
        self.add(self.table)
        self.add(line())
        self.plot = ComparePlot(themes)
        self.plot.furnish()
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.state = text("", "captionHint", wrap=True)
        self.add(self.plot, 1)
        self.add(self.state)

    def show_report(
        self, report: AttributeReport, pinned: Pinned, numbers: Numbers, points: float
    ) -> None:
        """Show the design of now beside the pins, whose numbers are given by letter."""
        numeric = report.attribute.kind.is_numeric
        labels = {
            key: measure_label(self, key, numeric, points) for key in measure_keys(numeric)
        }  # fmt: skip
        self.table.numbers.show(Comparison(labels, numbers, pinned.active, numeric))
        if self.hint.isHidden() != bool(pinned.pins):
            self.hint.setHidden(bool(pinned.pins))
            self.pins.setHidden(not pinned.pins)
        self.pins.show_pins(pinned, report.perturbation)
        letter = pinned.letter_of(report.perturbation)
        words = self.tr("Unpin %s") % letter if letter else self.tr("Pin this design")
        if words != self.pin.text():
            self.pin.setText(words)
        self.pin.setEnabled(bool(letter or pinned.free_letter))
        spots = {
            design: (found["attack"], found["loss"])
            for design, found in numbers.items()
            if found is not None
        }
        self._lost = [name for name, spot in spots.items() if spot[1] == float("inf")]
        self.plot.show_spots(spots, pinned.active)
        self._ask(report)
        self._show_frontier()

    def _ask(self, report: AttributeReport) -> None:
        attribute = report.attribute
        self._reason = ""
        if attribute.kind.is_numeric:
            self._reason = self.tr("The best trade is worked out for attributes with values.")
        elif not 2 <= attribute.k <= MOST_VALUES:
            self._reason = self.tr("“Best trade…” searches for better matrices of this attribute.")
        if self._reason:
            self.search.stop()
        else:
            self.search.ask(attribute, report.prior, report.utility.n)

    def _show_frontier(self) -> None:
        curves = self.search.curves
        self.plot.show_curves(curves)
        if self._reason:
            words = self._reason
        elif self.search.is_searching:
            words = self.tr("Searching for the matrices that lose least…")
        elif curves is not None:
            words = self.tr(
                "Solid: the best matrices that were found. Dashed: the uniform family. Lower is "
                "more accurate."
            )
        else:
            words = self.tr("The search for the best matrices was stopped.")
        for name in self._lost:
            words += " " + self.tr("%s has no place: it cannot be undone.") % (
                self.tr("The design of now") if name == NOW else name
            )
        if words != self.state.text():
            self.state.setText(words)

    def _on_head(self, section: int) -> None:
        designs = self.table.numbers.designs
        if 0 < section <= len(designs) and designs[section - 1] != NOW:
            self._board.activate(self._board.store.current or "", designs[section - 1])
