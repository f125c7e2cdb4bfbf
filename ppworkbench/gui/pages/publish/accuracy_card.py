"""What accuracy is left: predicted and measured, over the minimum deniability."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.gui.plots.level_plot import LevelPlot, Levels
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, row, text


class AccuracyCard(Card):
    """The curves, or a button that measures them."""

    measure_requested = Signal()
    cancel_requested = Signal()
    level_chosen = Signal(float)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("What accuracy is left"))
        self.badge = text("", "warningBadge")
        self.badge.hide()
        self.again = Button(themes, self.tr("Measure", "verb"), look="link")
        self.again.setObjectName("measureAgain")
        self.cancel = Button(themes, self.tr("Cancel"), look="link")
        self.cancel.setObjectName("cancelMeasure")
        self.head.addWidget(self.badge)
        self.head.addWidget(self.again)
        self.head.addWidget(self.cancel)
        self.plot = LevelPlot(themes, self.tr("Accuracy against minimum deniability"))
        self.plot.setObjectName("deniabilityCurve")
        self.plot.axis_words = self.tr("minimum deniability")
        self.plot.level_words = self.tr("minimum deniability %s\u202f%%")
        self.plot.level_chosen.connect(self.level_chosen)
        self.words = text("", "hint", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.measure = Button(themes, self.tr("Measure it"), "play")
        self.measure.setObjectName("measureAccuracy")
        invitation = QWidget()
        column(
            None, self.words, row(None, self.measure, None), None,
            parent=invitation, spacing=10, margin=12,
        )  # fmt: skip
        self._stack = QStackedWidget()
        self._stack.addWidget(invitation)
        self._stack.addWidget(self.plot)
        self.body.setSpacing(4)
        self.body.addWidget(self._stack, 1)
        self.measure.clicked.connect(self.measure_requested)
        self.again.clicked.connect(self.measure_requested)
        self.cancel.clicked.connect(self.cancel_requested)

    @property
    def has_curves(self) -> bool:
        """Whether curves are shown."""
        return self._stack.currentWidget() is self.plot

    def show_levels(self, levels: Levels, badge: str, *, running: bool) -> None:
        """Show curves; the badge says that they are old or not finished."""
        self._stack.setCurrentWidget(self.plot)
        self.plot.show_levels(levels)
        self.plot.choose(None, "predicted")
        self.badge.setText(badge)
        self.badge.setVisible(bool(badge))
        self.hint_label.setText("")
        self.again.setVisible(levels.is_stale and not running)
        self.cancel.setVisible(running)

    def invite(self, words: str, reason: str, *, running: bool) -> None:
        """Offer to measure; with a reason where it is not possible."""
        self._stack.setCurrentIndex(0)
        self.words.setText(words)
        self.badge.hide()
        self.again.hide()
        self.cancel.setVisible(running)
        self.measure.setVisible(not running)
        self.measure.setEnabled(not reason)
        self.measure.setToolTip(reason)
