"""The picture of estimates against the truth, or why there is none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.gui.pages.mine.truth_plot import TruthPlot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import text


class TruthCard(Card):
    """One point per itemset."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.body.setSpacing(2)
        self.add(text(self.tr("Recovered against true support"), "strong"))
        self.hint = text("", "captionHint")
        self.add(self.hint)
        self.plot = TruthPlot(themes, self.tr("Recovered against true support"))
        self.plot.setObjectName("truthPlot")
        self.words = text("", "hint", wrap=True)
        self.words.setObjectName("truthWords")
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.plot)
        self.stack.addWidget(self.words)
        self.body.addWidget(self.stack, 1)
        self.setMinimumHeight(themes.theme.px(190))

    def show_plot(self, hint: str) -> None:
        """Show the picture."""
        self.hint.setText(hint)
        self.hint.show()
        self.stack.setCurrentWidget(self.plot)

    def say(self, words: str) -> None:
        """Say why there is no picture."""
        self.plot.show_listing(None)
        self.hint.hide()
        self.words.setText(words)
        self.stack.setCurrentWidget(self.words)
