"""The two small plots below the picture: information loss and log-likelihood."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.gui.plots.curve_plot import CurvePlot, Curves
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.enlarged import is_enlarged
from ppworkbench.gui.widgets.layouts import text
from ppworkbench.gui.words import number, significant


class CurveCard(Card):
    """A plot under its title, or a sentence where there is nothing to plot."""

    iteration_chosen = Signal(int)

    def __init__(self, themes: ThemeManager, title: str, name: str, digits: int | None) -> None:
        super().__init__(title, " ", padding=12)
        self._themes = themes

        def words(value: float) -> str:
            return significant(value, 3) if digits is None else number(value, digits)

        self.plot = CurvePlot(themes, title, words)
        self.plot.setObjectName(name)
        self.plot.iteration_chosen.connect(self.iteration_chosen)
        self.words = text("", "hint", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setContentsMargins(16, 0, 16, 0)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.plot)
        self.stack.addWidget(self.words)
        self.body.setSpacing(4)
        self.body.addWidget(self.stack, 1)

    def sizeHint(self) -> QSize:  # noqa: N802
        """A third of the room below the header."""
        px = self._themes.theme.px
        return QSize(px(260), px(205))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """A curve that can still be read."""
        least = super().minimumSizeHint()
        readable = QSize(0, self._themes.theme.px(150))
        return least.expandedTo(readable) if is_enlarged(self) else least

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Leave the hint out where it would push the title out."""
        super().resizeEvent(event)
        room = self.title_label.sizeHint().width() + self.hint_label.sizeHint().width() + 40
        self.hint_label.setVisible(self.width() >= room)

    def show_curves(self, curves: Curves, hint: str) -> None:
        """Plot."""
        self.hint_label.setText(hint)
        self.plot.show_curves(curves)
        self.stack.setCurrentWidget(self.plot)

    def show_words(self, words: str, hint: str = "") -> None:
        """Say why nothing is plotted."""
        self.hint_label.setText(hint)
        self.words.setText(words)
        self.stack.setCurrentWidget(self.words)
