"""The right column below the table: the spread over the draws, and what to see."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.gui.plots.strip_plot import Strip, StripPlot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.layouts import row, text

_MOST, _PER_ROW = 90, 64
"""Rows that are further apart cannot be compared."""


class SpreadCard(Card):
    """Dots per algorithm, or how to get them."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self._themes = themes
        self._most = _MOST
        self.title = text("", "strong")
        self.hint = text("", "captionHint")
        self.plot = StripPlot(themes, self.tr("Spread of the information loss"))
        self.plot.setObjectName("spreadPlot")
        self.words = text("", "hint", wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.plot)
        self.stack.addWidget(self.words)
        self.body.setSpacing(4)
        self.body.addLayout(row(self.title, None, self.hint))
        self.body.addWidget(self.stack, 1)
        self.setMinimumHeight(120)
        themes.theme_changed.connect(self._fit)

    def show_strips(self, strips: tuple[Strip, ...], draws: int, *, stale: bool, hint: str) -> None:
        """Show the draws."""
        self.title.setText(self.tr("Spread over %s draws") % draws)
        self.hint.setText(hint)
        self.plot.show_strips(strips, stale=stale)
        self._most = _MOST + _PER_ROW * len(strips)
        self._fit()
        self.stack.setCurrentWidget(self.plot)

    def show_words(self, words: str, draws: int) -> None:
        """Say how to get draws, or why there are none."""
        self.title.setText(self.tr("Spread over %s draws") % draws)
        self.hint.setText("")
        self.words.setText(words)
        self.plot.show_strips(())
        self._most = 2 * _MOST
        self._fit()
        self.stack.setCurrentWidget(self.words)

    def _fit(self) -> None:
        self.setMaximumHeight(self._themes.theme.px(self._most))


class InsightCard(Card):
    """A sentence or two that fit what is shown."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        head = row(
            IconLabel(themes, "info", "accentInk", 16),
            text(self.tr("What to see"), "strong"),
            None,
        )
        self.sentence = text("", "secondary", wrap=True)
        self.sentence.setObjectName("whatToSee")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.body.addLayout(head)
        self.body.addWidget(self.sentence, 1)

    def say(self, words: str) -> None:
        """Show another sentence."""
        self.sentence.setText(words)
        self.setVisible(bool(words))
