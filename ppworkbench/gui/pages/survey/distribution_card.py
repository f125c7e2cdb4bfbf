"""A distribution as bars with intervals, beside the same in numbers."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QWidget

from ppworkbench.core.survey.distributions import Distribution
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.survey.estimate_card import confidence_words
from ppworkbench.gui.pages.survey.figures import Figures
from ppworkbench.gui.pages.survey.phrases import condition_words, label_words
from ppworkbench.gui.pages.survey.remarks_line import RemarksLine, chip
from ppworkbench.gui.pages.survey.replies import Reply
from ppworkbench.gui.pages.survey.sentences import badge
from ppworkbench.gui.plots.comparison import Comparison, ComparisonPlot, fits_bars
from ppworkbench.gui.plots.histogram import Histogram, Shares
from ppworkbench.gui.plots.series_legend import SeriesLegend
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.layouts import column, splitter, text
from ppworkbench.gui.widgets.text_table import TextModel, TextTable


class DistributionCard(QWidget):
    """The picture at the left, the numbers at the right."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.picture = Card()
        self.heading = ElidedLabel("strong")
        self.heading.setObjectName("distributionTitle")
        self.badge = chip("", "badge")
        self.stale_badge = chip("", "warningBadge")
        self.stale_badge.hide()
        self.picture.head.addWidget(self.heading, 1)
        self.picture.head.addWidget(self.stale_badge)
        self.picture.head.addWidget(self.badge)
        self.picture.body.addLayout(self.picture.head)
        self.legend = SeriesLegend(themes)
        self.plot = ComparisonPlot(themes, self.tr("Distribution"))
        self.plot.setObjectName("distributionPlot")
        self.reading = text("", "secondary", wrap=True)
        self.reading.setObjectName("distributionReading")
        self.remarks = RemarksLine(themes)
        self.picture.add(self.reading)
        self.picture.add(self.legend)
        self.picture.add(self.plot, 1)
        self.picture.add(self.remarks)
        numbers = Card(padding=0)
        self.model = TextModel(themes, self)
        self.model.strong, self.model.grey = frozenset({1}), frozenset({2, 3, 4})
        self.table = TextTable(themes, "distributionTable", self.tr("Distribution in numbers"))
        self.table.setModel(self.model)
        numbers.body.setContentsMargins(1, 1, 1, 6)
        numbers.add(self.table, 1)
        self.columns = splitter(
            Qt.Orientation.Horizontal, "surveyDistribution", self.picture, numbers
        )
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 0)
        self.columns.setSizes([10_000, themes.theme.px(500)])
        self._numbers = numbers
        themes.theme_changed.connect(self._restyle)
        self._restyle()
        column(self.columns, parent=self)

    def _restyle(self) -> None:
        px = self._themes.theme.px
        self.picture.keep_at_least(px(320))
        self._numbers.setMinimumWidth(px(360))

    def show_reply(self, reply: Reply) -> None:
        """Show an answer."""
        found = reply.result
        assert isinstance(found, Distribution)  # noqa: S101 (other answers have other cards)
        labels = label_words(found.labels, reply.study.design[found.of].attribute)
        found = dataclasses.replace(found, labels=labels)
        if found.condition.tests:
            whom = condition_words(found.condition)
            self.heading.setText(self.tr("Distribution of %s, where %s") % (found.of, whom))
        else:
            self.heading.setText(self.tr("Distribution of %s") % found.of)
        self.badge.setText(badge(reply.question))
        self.reading.setText(reading(found))
        histogram, values = picture(found)
        self.legend.show_entries(
            tuple((s.role, histogram.names[s.role]) for s in histogram.series),
            histogram.is_numeric,
        )
        self.plot.forget_scale()
        self.plot.show_comparison(Comparison(histogram, (), values))
        self.model.show_rows(*rows(found))
        head = self.table.horizontalHeader()
        self.table.resizeColumnsToContents()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.remarks.say(reply.remarks)

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design."""
        self.stale_badge.setText(words)
        self.stale_badge.setVisible(bool(words))


def reading(found: Distribution) -> str:
    """The most frequent answer in plain words."""
    figures = Figures.of_share()
    top = max(range(len(found.shares)), key=lambda i: found.shares[i].estimate)
    share = found.shares[top]
    if not math.isfinite(share.standard_error):
        parts = (found.labels[top], figures.text(share.estimate))
        return tr("Most frequent is %s: about %s; a single record gives no interval.") % parts
    parts = (found.labels[top], figures.text(share.estimate), figures.interval(share))
    return tr("Most frequent is %s: about %s, 95 %% interval %s.") % parts


def picture(found: Distribution) -> tuple[Histogram, tuple[str, ...]]:
    """The three distributions as bars; very many values as steps with names."""
    labels = found.labels
    edges = None if fits_bars(len(labels)) else np.arange(len(labels) + 1) - 0.5
    true, naive = ([getattr(s, what) for s in found.shares] for what in ("true", "naive"))
    series = []
    if None not in true:
        series.append(Shares("original", np.array(true), edges))
    if None not in naive:
        series.append(Shares("distorted", np.array(naive), edges))
    low, high = (np.array([getattr(s, what) for s in found.shares]) for what in ("low", "high"))
    estimate = np.array([s.estimate for s in found.shares])
    known = np.isfinite([s.standard_error for s in found.shares]).all()
    ends = (low, high) if known else (None, None)
    series.append(Shares("reconstructed", estimate, edges, *ends))
    names = {
        "original": tr("true"),
        "distorted": tr("at face value"),
        "reconstructed": tr("estimate ± 95 %"),
    }
    if edges is None:
        return Histogram(tuple(series), labels, names=names), ()
    return Histogram(tuple(series), (), names=names), labels


def rows(found: Distribution) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The same in numbers."""
    figures = Figures.of_share()
    known = any(share.true is not None for share in found.shares)
    heads = [found.of, tr("Estimate"), confidence_words(found.confidence), tr("At face value")]
    if known:
        heads.append(tr("True"))
    listed = []
    for label, share in zip(found.labels, found.shares, strict=True):
        cells = [
            label, figures.text(share.estimate), figures.interval(share), figures.text(share.naive)
        ]  # fmt: skip
        listed.append(tuple([*cells, figures.text(share.true)] if known else cells))
    return tuple(heads), listed
