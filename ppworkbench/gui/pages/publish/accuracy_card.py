"""What accuracy is left: predicted and measured, over the minimum deniability."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.core.publish.accuracy_curve import LEARNERS, PREDICTED
from ppworkbench.core.publish.learners import learners
from ppworkbench.gui.charts.chart import Legend
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.levels import LevelLine, LevelPlot, LevelPoint, Levels, Reference
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.charts.shares import Histogram, Shares
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.pages.publish.texts import changed_words
from ppworkbench.gui.pages.publish.view import PublishView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.widgets.provenance import marked_invented


class AccuracyCard(Card):
    """The curves, or a button that measures them."""

    measure_requested = Signal()
    cancel_requested = Signal()
    level_chosen = Signal(float)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Predictive accuracy"))
        self.badge = text("", "warningBadge")
        self.badge.hide()
        self.again = named(Button(themes, self.tr("Measure", "verb"), look="link"), "measureAgain")
        self.cancel = named(Button(themes, self.tr("Cancel"), look="link"), "cancelMeasure")
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
        self.measure = named(Button(themes, self.tr("Measure accuracy"), "play"), "measureAccuracy")
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

    def set_view(self, view: PublishView) -> None:
        """Show the accuracies found so far, or kept with the study, or an invitation."""
        denial, found = view.denial, view.accuracies
        if denial is None:
            return
        self.plot.set_cursor(100 * denial.options.min_deniability)
        running = view.is_measuring
        if found is None or not found.has_curves:
            words = self.tr(
                "Makes tables with minimum deniabilities from 1 to 60\u202f%, trains "
                "classifiers on them and tests these on original answers."
            )
            if running:
                words = self.tr("Measuring…")
            self._invite(words, translate(view.refusal), running=running)
            return
        badge = "" if found.is_whole and not running else self.tr("partial result")
        if view.is_stale:
            badge = self.tr("other settings")
        levels = levels_of(found.found, view.majority, stale=view.is_stale)
        self._show_levels(levels, badge, running=running)

    def _show_levels(self, levels: Levels, badge: str, *, running: bool) -> None:
        """Show curves; the badge says that they are old or not finished."""
        self._stack.setCurrentWidget(self.plot)
        self.plot.show_levels(levels)
        self.plot.choose(None, "predicted")
        show_words(self.badge, badge)
        self.hint_label.setText("")
        self.again.setVisible(levels.is_stale and not running)
        self.cancel.setVisible(running)

    def _invite(self, words: str, reason: str, *, running: bool) -> None:
        """Offer to measure; with a reason where it is not possible."""
        self._stack.setCurrentIndex(0)
        self.words.setText(words)
        self.badge.hide()
        self.again.hide()
        self.cancel.setVisible(running)
        self.measure.setVisible(not running)
        self.measure.setEnabled(not reason)
        self.measure.setToolTip(reason)


class BeforeAfterCard(Card):
    """A histogram over the sentence that says how many answers differ."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Comparison"))
        self.legend = Legend(themes)
        self.plot = named(HistogramPlot(themes, self.tr("Answers before and after")), "beforeAfter")
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


class TrialCard(BeforeAfterCard):
    """The answers to the sensitive question, and a trial of what would be published."""

    def set_view(self, view: PublishView) -> None:
        """Show a trial, or that there can be none; nothing changes while it is on its way."""
        groups = view.groups
        if view.refusal:
            self.show_nothing(self.tr("Cannot be released."))
        elif groups is not None:
            names = {
                "original": marked_invented(self.tr("original")),
                "distorted": marked_invented(self.tr("released", "answers")),
            }
            series = (Shares("original", groups.before), Shares("distorted", groups.after))
            bars = Histogram(series, groups.tree.outcomes, names=names)
            self.show_histogram(bars, "", changed_words(groups.changed, groups.table.rows))
            self.setToolTip(self.tr("Preview with the study's seed; the release is drawn again."))


_LOOKS = {PREDICTED: 0, **{entry.name: 1 + i for i, entry in enumerate(learners.ranked)}}


def levels_of(told: Mapping[str, Any], majority: float | None, *, stale: bool) -> Levels:
    """The plot of a tally's JSON values; ``majority`` is the share of the most frequent answer."""
    lines = []
    for name in (PREDICTED, *LEARNERS):
        curve = told["curves"].get(name)
        if curve is None:
            continue
        label = _labels().get(name) or translate(learners.entry(name).label)
        points = tuple(
            LevelPoint(round(100 * m, 6), mean, sd or math.nan)
            for m, mean, sd in zip(curve["minimum"], curve["mean"], curve["sd"], strict=True)
        )
        lines.append(LevelLine(name, label, series_look(_LOOKS[name]), points))
    levels = tuple(sorted({point.level for line in lines for point in line.points}))
    references: tuple[Reference, ...] = ()
    if majority is not None and lines:
        references = (Reference(tr("most frequent answer"), majority, dotted=True),)
    return Levels(tuple(lines), references, levels, is_stale=stale)


def _labels() -> dict[str, str]:
    return {
        PREDICTED: tr("predicted"),
        "forest": tr("random forest"),
        "tree": tr("decision tree"),
        "neighbours": tr("neighbours"),
    }
