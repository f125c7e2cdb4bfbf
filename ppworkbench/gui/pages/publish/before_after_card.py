"""The answers before and after, as bars."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.gui.plots.histogram import Histogram, HistogramPlot
from ppworkbench.gui.plots.legend import Legend
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import text


class BeforeAfterCard(Card):
    """A histogram over the sentence that says how many answers differ."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Before and after"))
        self.legend = Legend(themes)
        self.plot = HistogramPlot(themes, self.tr("Answers before and after"))
        self.plot.setObjectName("beforeAfter")
        self.words = text("", "caption", wrap=True)
        self.nothing = text("", "hint", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.plot)
        self._stack.addWidget(self.nothing)
        self.body.setSpacing(4)
        self.add(self.legend)
        self.body.addWidget(self._stack, 1)
        self.add(self.words)

    def show_histogram(self, histogram: Histogram, hint: str, words: str) -> None:
        """Show other answers."""
        names = histogram.names
        entries = tuple((s.role, names.get(s.role, s.role)) for s in histogram.series)
        self.legend.show_entries(entries, lines=histogram.is_numeric)
        self.legend.show()
        self.hint_label.setText(hint)
        self.plot.show_histogram(histogram)
        self.words.setText(words)
        self._stack.setCurrentWidget(self.plot)

    def show_nothing(self, words: str) -> None:
        """Say why there is nothing to compare."""
        self.legend.hide()
        self.hint_label.setText("")
        self.words.setText("")
        self.nothing.setText(words)
        self._stack.setCurrentWidget(self.nothing)
