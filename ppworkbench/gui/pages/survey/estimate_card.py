"""The one estimate: a large number, its interval, a plain sentence, and all methods."""

from __future__ import annotations

import html
import math

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.means import Mean
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.survey.figures import Figures
from ppworkbench.gui.pages.survey.remarks_line import RemarksLine, chip
from ppworkbench.gui.pages.survey.replies import Reply
from ppworkbench.gui.pages.survey.sentences import (
    badge,
    bounds_note,
    clipped,
    count_reading,
    interval_line,
    mean_reading,
    steps_line,
)
from ppworkbench.gui.plots.interval_plot import IntervalPlot, IntervalRow, Mark
from ppworkbench.gui.plots.series import series_look
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.words import percent

_SEQUENTIAL_LOOK = series_look(1)
_LARGE = 42
_NARROWEST = 180


class EstimateCard(Card):
    """A count or a mean."""

    copy_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Estimate"))
        self._themes = themes
        self.badge = chip("", "badge")
        self.stale_badge = chip("", "warningBadge")
        self.stale_badge.setObjectName("estimateStale")
        self.stale_badge.hide()
        copy = IconButton(themes, "copy", self.tr("Copy the estimate"), 16)
        copy.setObjectName("copyEstimate")
        copy.clicked.connect(self.copy_requested)
        self.head.insertWidget(1, self.badge)
        self.head.insertWidget(2, self.stale_badge)
        self.head.addWidget(copy)
        self.number = text("", "display")
        self.number.setObjectName("estimateNumber")
        self.unit = text("", "unit")
        self.interval = text("", "interval")
        self.interval.setObjectName("estimateInterval")
        self.reading = text("", "secondary", wrap=True)
        self.reading.setObjectName("estimateReading")
        self.reading.setTextFormat(Qt.TextFormat.RichText)
        self.reading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.steps = text("", "captionHint")
        beside = column(None, self.unit, self.interval, self.steps, None, spacing=2)
        self._top = row(self.number, beside, 16)
        self._top.addWidget(self.reading, 1)
        self._top.addStretch(0)
        self._is_narrow = False
        self.body.addLayout(self._top)
        self.plot = IntervalPlot(themes, self.tr("The estimate by every method"), wide=True)
        self.plot.setObjectName("methodsPlot")
        self.body.addWidget(self.plot, 100)
        self.body.addStretch(1)
        self.remarks = RemarksLine(themes)
        self.body.addWidget(self.remarks)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        """The largest type of the window, and lines that can be read at a glance."""
        theme = self._themes.theme
        set_rules(self.number, f"font-size: {theme.px(_LARGE)}px;")
        self.reading.setMaximumWidth(theme.px(430))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the sentence where it has room."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The sentence stands beside the number, or below it where it would get too narrow."""
        lines = (self.unit, self.interval, self.steps)
        words = max(line.sizeHint().width() for line in lines)
        margins = self.body.contentsMargins()
        taken = self.number.sizeHint().width() + words + margins.left() + margins.right() + 40
        narrow = self.width() - taken < self._themes.theme.px(_NARROWEST)
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._top.removeWidget(self.reading)
            self.body.removeWidget(self.reading)
            if narrow:
                self.body.insertWidget(2, self.reading)
            else:
                self._top.insertWidget(3, self.reading, 1)

    def show_reply(self, reply: Reply) -> None:
        """Show an answer."""
        result, question = reply.result, reply.question
        assert isinstance(result, Count | Mean)  # noqa: S101 (other answers have other cards)
        several = len(question.condition.attributes) > (isinstance(result, Count))
        valid = question.method == JOINT or not several
        if isinstance(result, Count):
            figures = Figures.of_count(result.respondents)
            shown = clipped(result.value.estimate, 0.0, float(result.respondents))
            self.unit.setText(self.tr("people"))
            strong, rest = count_reading(result, valid=valid)
            note = bounds_note(result.value, result.respondents, figures)
            remarks = tuple(r for r in reply.remarks if not note or "only chance" not in r)
        else:
            figures = Figures.of_number(reply.study.design[result.of].attribute)
            shown = result.value.estimate
            self.unit.setText(self.tr("mean %s") % result.of)
            strong, rest = mean_reading(result, figures)
            note, remarks = "", reply.remarks
        self.number.setText(figures.text(shown))
        self.badge.setText(badge(question))
        line = interval_line(result.value, figures, result.confidence, valid=valid)
        self.interval.setText(line)
        self.steps.setText("" if valid else steps_line(result.value, figures))
        self.steps.setVisible(not valid)
        words = f"<b>{html.escape(strong)}</b> {html.escape(f'{rest} {note}'.strip())}"
        self.reading.setText(words)
        self.setAccessibleName(f"{self.number.text()} {self.unit.text()}, {line}. {strong} {rest}")
        rows = method_rows(reply, figures, several=several)
        self.plot.show_rows(rows, figures.text, from_zero=isinstance(result, Count))
        # Rows that are far apart are hard to compare.
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 64 * len(rows)))
        self.remarks.say(remarks)
        self._fit()

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design; empty for a fresh one."""
        self.stale_badge.setText(words)
        self.stale_badge.setVisible(bool(words))
        self.plot.set_stale(bool(words))
        self.number.setEnabled(not words)


def method_rows(reply: Reply, figures: Figures, *, several: bool) -> tuple[IntervalRow, ...]:
    """Joint, sequential, at face value and true, as far as they are known."""
    result, asked = reply.result, reply.question
    assert isinstance(result, Count | Mean)  # noqa: S101 (only these have one number)
    found = {asked.method: result.value}
    if reply.beside is not None:
        found[SEQUENTIAL if asked.method == JOINT else JOINT] = reply.beside
    rows = []
    if JOINT in found:
        value = found[JOINT]
        words = figures.text(value.estimate)
        mark = Mark("reconstructed", tr("joint"), value.estimate, *_ends(value), words)
        strong = asked.method == JOINT
        rows.append(IntervalRow(tr("joint"), (mark,), tr("reconstructed together"), "", strong))
    if SEQUENTIAL in found:
        rows.append(_sequential_row(found[SEQUENTIAL], figures, several=several))
    if result.value.naive is not None:
        words = figures.text(result.value.naive)
        mark = Mark("distorted", tr("at face value"), result.value.naive, words=words)
        rows.append(IntervalRow(tr("at face value"), (mark,), tr("ignores the distortion")))
    if result.value.true is not None:
        words = figures.text(result.value.true)
        mark = Mark("original", tr("true"), result.value.true, words=words)
        rows.append(IntervalRow(tr("true"), (mark,), tr("known in this sample")))
    return tuple(rows)


def _sequential_row(value: Estimate, figures: Figures, *, several: bool) -> IntervalRow:
    words = figures.text(value.estimate)
    ends = (math.nan, math.nan) if several else _ends(value)
    note = tr("no valid interval") if several else ""
    mark = Mark(_SEQUENTIAL_LOOK, tr("sequential"), value.estimate, *ends, words, note)
    return IntervalRow(tr("sequential"), (mark,), tr("published, one by one"))


def _ends(value: Estimate) -> tuple[float, float]:
    if not math.isfinite(value.standard_error):
        return math.nan, math.nan
    return value.low, value.high


def confidence_words(confidence: float) -> str:
    """The level of an interval in a heading."""
    return tr("%s interval") % percent(confidence)
