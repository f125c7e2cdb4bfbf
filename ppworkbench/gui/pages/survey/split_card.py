"""The same number within each value of another attribute."""

from __future__ import annotations

import dataclasses
import math

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy

from ppworkbench.core.survey.conditions import Condition
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.survey.figures import Figures
from ppworkbench.gui.pages.survey.phrases import condition_words, label_words
from ppworkbench.gui.pages.survey.question import MEAN, Question
from ppworkbench.gui.pages.survey.splits import SplitReply
from ppworkbench.gui.plots.interval_plot import IntervalPlot, IntervalRow, Mark
from ppworkbench.gui.plots.mark_legend import MarkLegend
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.layouts import row, scroll_area, text
from ppworkbench.gui.words import THIN
from ppworkbench.study.study import Study

_SHARES = (-0.3, 1.3)
"""Further beyond 0 and 100 % unbiased shares are only noise and would flatten the picture."""


class SplitCard(Card):
    """A title that tells what is split, a list to choose by what, and one row per value."""

    by_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._kinds: list[str] = []
        self.heading = ElidedLabel("strong")
        self.heading.setObjectName("splitTitle")
        self.by = QComboBox()
        self.by.setObjectName("splitBy")
        self.by.setAccessibleName(self.tr("Split by"))
        self.by.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.by.setMinimumContentsLength(18)
        self.by.activated.connect(lambda: self.by_chosen.emit(str(self.by.currentData() or "")))
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.by)
        self.body.addLayout(self.head)
        self.legend = MarkLegend(themes)
        self.busy = text(self.tr("updating"), "accentBadge")
        self.busy.hide()
        self.body.addLayout(row(self.legend, None, self.busy))
        self.plot = IntervalPlot(themes, self.tr("The estimate by another attribute"))
        self.plot.setObjectName("splitPlot")
        self.area = scroll_area(self.plot)
        self.body.addWidget(self.area, 1)
        self.absent = text("", "hint", wrap=True)
        self.absent.setObjectName("splitAbsent")
        self.absent.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.absent.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.body.addWidget(self.absent, 1)
        self.absent.hide()
        themes.theme_changed.connect(self._colour)

    def show_choices(self, names: tuple[str, ...], current: str, study: Study) -> None:
        """Offer attributes to split by."""
        with QSignalBlocker(self.by):
            if [self.by.itemData(i) for i in range(self.by.count())] != list(names):
                self.by.clear()
                for name in names:
                    self.by.addItem(self.tr("split by %s") % name, name)
                self._kinds = [str(study.design[name].attribute.kind) for name in names]
                self._colour()
            self.by.setCurrentIndex(self.by.findData(current))
        self.by.setEnabled(bool(names))

    def _colour(self) -> None:
        ink = self._themes.theme.colour("text2")
        for place, kind in enumerate(self._kinds[: self.by.count()]):
            self.by.setItemIcon(place, icon(f"kind-{kind}", ink))

    def show_absent(self, heading: str, why: str) -> None:
        """Say why nothing is split."""
        self.heading.setText(heading)
        self.absent.setText(why)
        self._switch(absent=True)
        self.set_busy(False)

    def show_split(self, split: SplitReply, study: Study) -> None:
        """Show the rows of a split."""
        asked = split.question
        heading = title(asked, split.by, split.condition)
        if split.refusal:
            self.show_absent(heading, told(split.refusal))
            return
        self.heading.setText(heading)
        if asked.statistic == MEAN:
            figures, scale, unit = Figures.of_number(study.design[asked.of].attribute), 1.0, ""
        else:
            figures, scale, unit = Figures.of_share(), 100.0, f"{THIN}%"
        labels = label_words(split.labels, study.design[split.by].attribute)
        rows = split_rows(dataclasses.replace(split, labels=labels), figures)
        self.plot.show_rows(
            rows, figures.text, scale=scale, unit=unit, from_zero=asked.statistic != MEAN,
            limits=_SHARES if figures.is_share else None,
        )  # fmt: skip
        # Two rows over the whole height would look like a mistake.
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 52 * len(rows)))
        entries = [
            ("reconstructed", self.tr("estimate ± 95 %")),
            ("distorted", tr("at face value")),
        ]
        if any(mark.look == "original" for one in rows for mark in one.marks):
            entries.append(("original", tr("true")))
        self.legend.show_entries(tuple(entries))
        self.area.setToolTip("\n".join(told(remark) for remark in split.remarks))
        self._switch(absent=False)
        self.set_busy(False)

    def _switch(self, *, absent: bool) -> None:
        self.absent.setVisible(absent)
        self.area.setVisible(not absent)
        self.legend.setVisible(not absent)

    def set_busy(self, busy: bool) -> None:
        """Tell that newer rows are on their way."""
        self.busy.setVisible(busy)

    def set_stale(self, stale: bool) -> None:
        """Dim rows that belong to another question or design."""
        self.plot.set_stale(stale)


def title(question: Question, by: str, condition: Condition) -> str:
    """What is split, by what."""
    if question.statistic == MEAN:
        if condition.tests:
            parts = (question.of, by, condition_words(condition))
            return tr("Mean %s by %s, where %s") % parts
        return tr("Mean %s by %s") % (question.of, by)
    return tr("Share with %s, by %s") % (condition_words(condition), by)


def split_rows(split: SplitReply, figures: Figures) -> tuple[IntervalRow, ...]:
    """One row per value; those that the condition names are bold."""
    rows = []
    for label, value, inside in zip(split.labels, split.values, split.inside, strict=True):
        if value is None:
            rows.append(IntervalRow(label, (), "", tr("nobody"), inside))
        else:
            note = figures.with_reach(value)
            rows.append(IntervalRow(label, _marks(value), "", note, inside))
    return tuple(rows)


def _marks(value: Estimate) -> tuple[Mark, ...]:
    low, high = value.low, value.high
    if not math.isfinite(value.standard_error):
        low = high = math.nan
    marks = [Mark("reconstructed", tr("estimate"), value.estimate, low, high)]
    if value.naive is not None:
        marks.insert(0, Mark("distorted", tr("at face value"), value.naive))
    if value.true is not None:
        marks.append(Mark("original", tr("true"), value.true))
    return tuple(marks)


def empty_split(question: Question) -> str:
    """Why there is nothing to split."""
    if question.statistic == MEAN:
        return tr("There is no other attribute to split by.")
    return tr("Add a condition to see which share meets it, by another attribute.")
