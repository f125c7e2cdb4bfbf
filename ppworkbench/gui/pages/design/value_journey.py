"""One answer's journey through a P-matrix: the true answer, the die, and what is reported."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.design.die_strip import Chances, DieStrip
from ppworkbench.gui.pages.design.journey import JourneyBox
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button
from ppworkbench.gui.widgets.layouts import column, line, row, text
from ppworkbench.gui.widgets.live_label import LiveLabel
from ppworkbench.gui.words import number


class ValueJourney(QWidget):
    """Starts at the selected true answer; "Again" throws the die once more.

    The die keeps its outcome while the matrix changes, so that a drag shows when it decides
    otherwise.
    """

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._throw = 0
        self.fell = 0.0
        """Where in 0 to 1 the die fell."""
        self._values: tuple[str, ...] = ("",)
        self._chances: Chances = np.ones(1)
        self._true = 0
        self.again = Button(themes, self.tr("Again"), "dice", look="link")
        self.again.setObjectName("valueJourneyAgain")
        self.again.setAccessibleName(self.tr("Throw the die again"))
        self.again.clicked.connect(self._on_again)
        self.true = JourneyBox(self.tr("true answer"))
        self.die = JourneyBox(self.tr("die, 0 to 100"))
        self.sent = JourneyBox(self.tr("reported answer"))
        self.strip = DieStrip(themes)
        self.words = LiveLabel(1, "caption")
        boxes = row(self.true, text("→", "subtitle"), self.die, text("→", "subtitle"), self.sent,
                    spacing=10)  # fmt: skip
        for place, share in ((0, 3), (2, 2), (4, 3)):
            boxes.setStretch(place, share)
        head = row(text(self.tr("One answer's journey"), "strong"), None, self.again)
        column(line(), head, boxes, self.strip, self.words, parent=self, spacing=6)
        themes.theme_changed.connect(self._colour)
        self._colour()
        self._throw_die()

    def _colour(self) -> None:
        theme = self._themes.theme
        original, distorted = theme.role("original"), theme.role("distorted")
        self.true.colour(original.tint.name(), original.line.name(), original.text.name())
        self.sent.colour(distorted.tint.name(), distorted.line.name(), distorted.text.name())
        self.die.colour(theme.hex("window"), theme.hex("outline"), theme.hex("text"), dashed=True)

    def _throw_die(self) -> None:
        self._throw += 1
        self.fell = float(SeededStreams(self._throw).stream("journey").random(1)[0])

    def _on_again(self) -> None:
        self._throw_die()
        self._show()

    def show_column(self, values: tuple[str, ...], chances: Chances, true: int) -> None:
        """Send one true answer through its column of the matrix."""
        self._values, self._chances, self._true = values, chances, true
        self._show()

    def _show(self) -> None:
        values, true, fell = self._values, self._true, self.fell
        # The true answer comes first, so that "up to 60" means that it is kept.
        order = [true, *(i for i in range(len(values)) if i != true and self._chances[i] > 0)]
        chances = np.array([self._chances[i] for i in order])
        last = int(np.flatnonzero(chances)[-1])
        place = min(int(np.searchsorted(np.cumsum(chances), fell, side="right")), last)
        reported = values[order[place]]
        self.true.say(values[true])
        self.die.say(number(100 * fell, 1))
        self.sent.say(reported)
        self.strip.show_outcomes(tuple(values[i] for i in order), chances, fell)
        words = self._in_words(float(chances[0]), reported, kept=place == 0)
        self.words.set_text(words)
        self.strip.setAccessibleName(words)

    def _in_words(self, keep: float, reported: str, *, kept: bool) -> str:
        fell = number(100 * self.fell, 1)
        limit = number(100 * keep, 0 if abs(100 * keep - round(100 * keep)) < 0.05 else 1)
        if keep >= 1:
            return self.tr("Whatever the die shows, the true answer is reported.")
        if keep <= 0:
            return self.tr("The true answer is never reported; %s means “%s”.") % (fell, reported)
        if kept:
            return self.tr("Up to %s the true answer is reported; the die shows %s.") % (
                limit,
                fell,
            )
        words = self.tr("Beyond %s another answer is reported; %s means “%s”.")
        return words % (limit, fell, reported)
