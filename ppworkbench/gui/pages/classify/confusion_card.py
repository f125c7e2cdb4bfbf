"""Right and wrong: the confusion matrix of the selected setting."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QWidget

from ppworkbench.core.experiment import MEASURES, Summary
from ppworkbench.gui.plots.confusion_grid import ConfusionGrid
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import column, text
from ppworkbench.gui.words import number


class ConfusionCard(Card):
    """The heat map with a title that names the setting."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.heading = text(self.tr("Right and wrong"), "strong", wrap=True)
        self.hint = text("", "captionHint", wrap=True)
        self.grid = ConfusionGrid(themes, self.tr("Confusion matrix"))
        self.grid.setObjectName("confusionMatrix")
        self.reading = text("", "captionHint", wrap=True)
        self.body.addLayout(column(self.heading, self.hint, spacing=2))
        self._filler = QWidget()
        self.body.addWidget(self.grid, 1)
        self.body.addWidget(self._filler, 1)
        self.body.addWidget(self.reading)

    def show_nothing(self, why: str) -> None:
        """Say why there is no matrix."""
        self.heading.setText(self.tr("Right and wrong"))
        self.hint.setText(why)
        self.grid.hide()
        self._filler.show()
        self.reading.hide()

    def show_summary(self, name: str, classes: tuple[str, ...], found: Summary) -> None:
        """Show the matrix of one setting at one level."""
        self.heading.setText(self.tr("%s: right and wrong") % name)
        tested = number(float(found.confusion.sum()))
        self.hint.setText(self.tr("of %s test records, mean of the finished repeats") % tested)
        self._filler.hide()
        self.grid.show_matrix(classes, found.confusion)
        self.grid.show()
        self.reading.setText(self._reading(classes, found))
        self.reading.setToolTip(self._by_class(classes, found))
        self.reading.show()

    def _reading(self, classes: tuple[str, ...], found: Summary) -> str:
        if len(classes) == 2:
            sensitivity, specificity = (found.by_class[m][1] for m in MEASURES[:2])
            parts = (number(sensitivity, 2), number(specificity, 2), classes[1])
            return self.tr("sensitivity %s, specificity %s for “%s”") % parts
        words = self.tr("over all classes: sensitivity %s, specificity %s, precision %s")
        return words % tuple(number(found.macro[m].mean, 2) for m in MEASURES[:3])

    def _by_class(self, classes: tuple[str, ...], found: Summary) -> str:
        lines = []
        for place, name in enumerate(classes[:30]):
            values = [found.by_class[m][place] for m in MEASURES]
            told = ["–" if np.isnan(v) else number(float(v), 2) for v in values]
            words = self.tr("%s: sensitivity %s, specificity %s, precision %s, F1 %s")
            lines.append(words % (name, *told))
        return "\n".join(lines)
