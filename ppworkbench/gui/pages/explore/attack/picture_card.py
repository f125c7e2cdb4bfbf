"""The middle of the lab: rows of marks, curves, or words where there is nothing to draw."""

from __future__ import annotations

from functools import cached_property

from PySide6.QtCore import Qt, Signal

from ppworkbench.gui.page_room import PageStack
from ppworkbench.gui.pages.explore.attack.attack_words import share
from ppworkbench.gui.pages.explore.attack.curve_plot import StepCurves
from ppworkbench.gui.pages.explore.attack.picture import Shown
from ppworkbench.gui.plots.interval_plot import IntervalPlot
from ppworkbench.gui.plots.mark_legend import MarkLegend
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.empty_state import EmptyState
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import row, text


class AttackPicture(Card):
    """A title, the state of the work, and one of two pictures."""

    cancelled = Signal()
    action_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.title = ElidedLabel("strong")
        self.updating = text(self.tr("updating"), "badge")
        self.cancel = Button(themes, self.tr("Cancel"), "close")
        self.cancel.setObjectName("cancelAttack")
        self.cancel.clicked.connect(self.cancelled)
        self._themes = themes
        self.legend = MarkLegend(themes)
        self.curves = StepCurves(themes, self.tr("Shares step by step"))
        self.curves.setObjectName("attackCurves")
        self.empty = EmptyState(themes, "shield", "", "", self.tr("Attack"))
        self.empty.button.setObjectName("attackAgain")
        self.empty.button.clicked.connect(self.action_requested)
        self.axis = text("", "captionHint")
        self.axis.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = PageStack()
        for widget in (self.curves, self.empty):
            self.stack.addWidget(widget)
        head = row(self.title, self.updating, self.cancel, spacing=10)
        head.setStretch(0, 1)
        self.body.setSpacing(6)
        self.body.addLayout(head)
        self.body.addWidget(self.legend)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.axis)
        self.set_busy(False)

    @cached_property
    def marks(self) -> IntervalPlot:
        """The rows of marks; made when first needed, since they take long to make."""
        made = IntervalPlot(self._themes, self.tr("Shares by answer"))
        made.setObjectName("attackMarks")
        self.stack.addWidget(made)
        return made

    def show_result(self, shown: Shown) -> None:
        """Draw."""
        self.title.setText(shown.title)
        self.legend.show_entries(shown.legend)
        self.legend.setVisible(bool(shown.legend))
        self.axis.setText(shown.axis)
        self.axis.setVisible(bool(shown.rows))
        if shown.curves is not None:
            self.curves.show_curves(shown.curves, shown.ticks, shown.axis)
            self.stack.setCurrentWidget(self.curves)
        else:
            self.marks.show_rows(shown.rows, share, scale=100.0, unit="\u202f%")
            self.stack.setCurrentWidget(self.marks)

    def show_words(self, missing: str, advice: str, action: str = "") -> None:
        """Say why there is nothing to draw."""
        self.title.setText("")
        self.legend.hide()
        self.axis.hide()
        self.empty.heading.setText(missing)
        self.empty.advice.setText(advice)
        self.empty.button.setText(action)
        self.empty.button.setVisible(bool(action))
        self.stack.setCurrentWidget(self.empty)

    def set_busy(self, busy: bool) -> None:
        """Show that newer numbers are on their way, and how to stop them."""
        self.updating.setVisible(busy)
        self.cancel.setVisible(busy)
