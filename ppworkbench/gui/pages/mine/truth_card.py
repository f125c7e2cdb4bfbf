"""The picture of estimates against the truth, or why there is none."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.gui.pages.mine.listing import Listing
from ppworkbench.gui.pages.mine.truth_plot import TruthPlot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.layouts import text


class TruthCard(Card):
    """One point per itemset; the plot is a part of its own."""

    place_chosen = Signal(int)
    """The place in the listing of the point that was clicked."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self._themes = themes
        self._plot: TruthPlot | None = None
        self.body.setSpacing(2)
        self.add(text(self.tr("Recovered against true support"), "strong"))
        self.hint = ElidedLabel("captionHint")
        self.add(self.hint)
        self.words = text("", "hint", wrap=True)
        self.words.setObjectName("truthWords")
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.words)
        self.body.addWidget(self.stack, 1)
        self.setMinimumHeight(themes.theme.px(190))

    def make_plot(self) -> None:
        """Make the picture, which takes a while."""
        if self._plot is None:
            self._plot = TruthPlot(self._themes, self.tr("Recovered against true support"))
            self._plot.setObjectName("truthPlot")
            self._plot.place_chosen.connect(self.place_chosen)
            self.stack.addWidget(self._plot)

    @property
    def plot(self) -> TruthPlot:
        """The picture."""
        self.make_plot()
        assert self._plot is not None  # noqa: S101 (made above)
        return self._plot

    def show_listing(self, listing: Listing, hint: str, *, stale: bool = False) -> None:
        """Show the picture of some itemsets."""
        self.plot.show_listing(listing, stale=stale)
        self.hint.setText(hint)
        self.hint.show()
        self.stack.setCurrentWidget(self.plot)

    def choose(self, place: int) -> None:
        """Bring a point to the front; -1 for none."""
        if self._plot is not None:
            self._plot.choose(place)

    def say(self, words: str) -> None:
        """Say why there is no picture."""
        if self._plot is not None:
            self._plot.show_listing(None)
        self.hint.hide()
        self.words.setText(words)
        self.stack.setCurrentWidget(self.words)
