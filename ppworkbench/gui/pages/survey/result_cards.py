"""Estimates, distributions and subgroups."""

from __future__ import annotations

import dataclasses
import html
import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHeaderView, QLabel, QLayout, QSizePolicy, QWidget

from ppworkbench.analyses.compliance.figures import reading_rows
from ppworkbench.analyses.survey.answers import SharperInterval, SurveyResult
from ppworkbench.analyses.survey.questions import Question, uses_sampling
from ppworkbench.analyses.survey.splits import SplitResult
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.message import Message
from ppworkbench.core.share_intervals import OUT_OF_BOUNDS
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.distributions import Distribution
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL, Estimate
from ppworkbench.core.survey.means import Mean
from ppworkbench.core.survey.ratios import Ratio
from ppworkbench.gui.charts.chart import SeriesLegend
from ppworkbench.gui.charts.comparison import ComparisonPlot
from ppworkbench.gui.charts.intervals import IntervalPlot, IntervalRow, Mark
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.charts.shares import Comparison, Histogram, Shares, fits_bars
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import THIN, number, percent, significant, with_unit
from ppworkbench.gui.pages.survey.texts import (
    EstimateFormat,
    Naming,
    badge,
    condition_words,
    count_reading,
    has_interval,
    interval_line,
    label_words,
    mean_reading,
    people_line,
    people_range,
    reach_words,
    steps_line,
    target_word,
)
from ppworkbench.gui.theme import ThemeManager, icon, set_rules
from ppworkbench.gui.widgets.attribute_box import attribute_tip
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.layout import (
    column,
    named,
    row,
    scroll_area,
    show_words,
    text,
)
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.widgets.table import TextModel, TextTable
from ppworkbench.study.study import Study

_SHOWN = 2


def chip(words: str, kind: str) -> QLabel:
    """A small tag in a heading; it keeps its height beside taller buttons."""
    label = text(words, kind)
    label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return label


def heading_label() -> QLabel:
    """The heading of a result: a condition in words may need a second line."""
    label = text("", "strong", wrap=True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


class RemarksLine(QWidget):
    """The first sentences; the others are in the tooltip, which the last words say."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.icon = IconLabel(themes, "info", "text3", 15)
        self.label = named(text("", "captionHint", wrap=True), "remarks")
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = row(self.icon, self.label, parent=self, spacing=7)
        layout.setStretch(1, 1)
        layout.setAlignment(self.icon, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, remarks: tuple[str, ...]) -> None:
        """Show other remarks; nothing where there are none."""
        remarks = tuple(translate(remark) for remark in remarks)
        shown = list(remarks[:_SHOWN])
        more = len(remarks) - len(shown)
        if more:
            shown.append(self.tr("%s more: hover to read") % more)
        self.label.setText(" ".join(shown))
        self.setToolTip("\n".join(remarks) if more else "")
        self.setAccessibleName(" ".join(remarks))
        self.setVisible(bool(remarks))


_SEQUENTIAL_LOOK = series_look(1)
_LARGE = 42
_NARROWEST = 180


class EstimateCard(Card):
    """A count or a mean."""

    copy_requested = Signal()
    sharper_requested = Signal()
    """The interval for narrower peaks of a number under noise is wanted."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Estimate"))
        self._themes = themes
        self.badge = chip("", "badge")
        self.stale_badge = named(chip("", "warningBadge"), "estimateStale")
        self.stale_badge.hide()
        copy = named(IconButton(themes, "copy", self.tr("Copy estimate"), 16), "copyEstimate")
        copy.clicked.connect(self.copy_requested)
        self.head.insertWidget(1, self.badge)
        self.head.insertWidget(2, self.stale_badge)
        self.sharper = Button(themes, self.tr("Narrower peaks"), look="link")
        self.sharper.setObjectName("sharperIntervals")
        self.sharper.setToolTip(
            self.tr("Shows the interval if the number may have narrower peaks than assumed.")
        )
        self.sharper.clicked.connect(self.sharper_requested)
        self.sharper.hide()
        self.head.addWidget(self.sharper)
        self.head.addWidget(copy)
        self.number = named(text("", "display"), "estimateNumber")
        self.unit = text("", "unit")
        self.interval = named(text("", "interval"), "estimateInterval")
        self.reading = named(text("", "secondary", wrap=True), "estimateReading")
        self.reading.setTextFormat(Qt.TextFormat.RichText)
        self.reading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.steps = text("", "captionHint")
        self.people = named(text("", "captionHint"), "estimatePeople")
        beside = column(None, self.unit, self.interval, self.people, self.steps, None, spacing=2)
        self._top = row(self.number, beside, 16)
        self._top.addWidget(self.reading, 1)
        self._top.addStretch(0)
        self._is_narrow = False
        self.body.addLayout(self._top)
        self.plot = IntervalPlot(themes, self.tr("Estimates by method"), wide=True)
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
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """The sentence stands beside the number, or below it where it would get too narrow."""
        lines = (self.unit, self.interval, self.people, self.steps)
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

    def show_answer(self, answer: SurveyResult) -> None:
        result, question = answer.result, answer.question
        assert isinstance(result, Count | Mean | Ratio)  # noqa: S101 (others have other cards)
        valid = question.has_valid_interval
        if isinstance(result, Count):
            figures = EstimateFormat.of_share()
            value = result.share
            self.unit.setText(reach_words(value, valid=valid))
            strong, rest = count_reading(result, valid=valid)
            notes = [r for r in answer.remarks if Message.of(r).code == OUT_OF_BOUNDS]
            note = " ".join(map(translate, notes))
            remarks = tuple(r for r in answer.remarks if r not in notes)
            self.people.setText(people_line(result))
            self.people.setToolTip(people_range(result, valid=valid))
        else:
            value, note, remarks = result.value, "", answer.remarks
            self.people.setText("")
            figures, strong, rest = self._show_number(result, answer)
        limits, remark = answer.limits, answer.bounds_remark
        if remark is not None:
            remarks = (answer.study.titled(remark), *remarks)
        self.sharper.setVisible(limits is not None and limits.assumption.sharpest is not None)
        self.number.setText(figures.text(value.estimate))
        if limits is not None and limits.says_nothing:
            # An interval of nearly everything is no estimate.
            self.number.setText("–")
            self.unit.setText("")
            self.people.setText("")
            strong, rest = translate(answer.sentence), ""
        self.people.setVisible(bool(self.people.text()))
        self.unit.setVisible(bool(self.unit.text()))
        self.badge.setText(badge(question))
        line = interval_line(value, figures, result.confidence, valid=valid)
        self.interval.setText(line)
        self.steps.setText("" if valid else steps_line(value, figures))
        self.steps.setVisible(not valid)
        words = f"<b>{html.escape(strong)}</b> {html.escape(f'{rest} {note}'.strip())}"
        self.reading.setText(words)
        self.setAccessibleName(f"{self.number.text()} {self.unit.text()}, {line}. {strong} {rest}")
        self._show_rows(method_rows(answer, figures), figures)
        self.remarks.say(remarks)
        self._fit()

    def _show_number(
        self, result: Mean | Ratio, answer: SurveyResult
    ) -> tuple[EstimateFormat, str, str]:
        """Show what a number is; how it is written, and the sentence about it in two parts."""
        valid, value = answer.question.has_valid_interval, result.value
        if isinstance(result, Ratio):
            figures = EstimateFormat.of_ratio(value.estimate)
            self.unit.setText(figures.reach(value))
            return figures, translate(answer.sentence), ""
        figures = EstimateFormat.of_number(answer.study.design[result.of].attribute)
        of, reach = answer.study.shown(result.of), figures.reach(value) if valid else ""
        self.unit.setText(
            self.tr("%s, mean of %s") % (reach, of) if reach else self.tr("mean of %s") % of
        )
        return figures, *mean_reading(result, figures, of)

    def show_sharper(self, answer: SurveyResult, found: Sequence[SharperInterval]) -> None:
        """Show intervals for narrower peaks below the others."""
        figures = EstimateFormat.of_share()
        if not answer.kind.is_share:
            figures = EstimateFormat.of_number(answer.study.design[answer.question.of].attribute)
        rows = [*method_rows(answer, figures), *(sharper_row(one, figures) for one in found)]
        self._show_rows(tuple(rows), figures)
        self.sharper.setVisible(not found)

    def _show_rows(self, rows: tuple[IntervalRow, ...], figures: EstimateFormat) -> None:
        if figures.is_share:
            self.plot.show_rows(rows, figures.text, is_share=True, from_zero=True, limits=SHARES)
        else:
            self.plot.show_rows(rows, figures.text, from_zero=False)
        # Rows that are far apart are hard to compare.
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 64 * len(rows)))

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design; empty for a fresh one."""
        show_words(self.stale_badge, words)
        self.plot.set_stale(bool(words))
        self.number.setEnabled(not words)


def method_rows(answer: SurveyResult, figures: EstimateFormat) -> tuple[IntervalRow, ...]:
    """By method or by target, at face value and true, as far as they are known."""
    own, asked = answer.number, answer.question
    assert own is not None  # noqa: S101 (only such answers have this card)
    if uses_sampling(asked, answer.study):
        rows = _target_rows(answer, own, figures)
        if answer.limits is not None and answer.limits.says_nothing:
            rows = [one for one in rows if not one.bold]
    else:
        rows = _rows_by_method(answer, own, figures)
    if own.naive is not None:
        words = figures.text(own.naive)
        mark = Mark("distorted", tr("uncorrected"), own.naive, words=words)
        rows.append(IntervalRow(tr("uncorrected"), (mark,), tr("no correction")))
    if own.true is not None:
        words = figures.text(own.true)
        mark = Mark("original", marked_invented(tr("true")), own.true, words=words)
        rows.append(
            IntervalRow(marked_invented(tr("true")), (mark,), tr("known for this data set"))
        )
    if answer.readings is not None:
        # The share if all followed is the estimate itself.
        rows += readings_as_rows(answer.readings)[:-1]
    return tuple(rows)


def readings_as_rows(found: Compliance) -> tuple[IntervalRow, ...]:
    """The readings of a share by who followed the instructions."""
    rows = []
    for one in reading_rows(found):
        estimate = one.estimate
        half = (estimate.high - estimate.low) / 2
        reach = f" ± {number(100 * half, 1)}" if math.isfinite(half) else ""
        if math.isfinite(half) and not estimate.low <= estimate.estimate <= estimate.high:
            ends = number(100 * estimate.low, 1), number(100 * estimate.high, 1)
            reach = f" ({tr('%s to %s') % ends})"
        note = f"{number(100 * estimate.estimate, 1)}{reach}{THIN}%"
        look = "reconstructed" if one.is_corrected else "distorted"
        name = translate(one.name)
        mark = Mark(look, name, estimate.estimate, estimate.low, estimate.high)
        rows.append(IntervalRow(name, (mark,), translate(one.caption), note, bold=one.is_corrected))
    return tuple(rows)


def sharper_row(one: SharperInterval, figures: EstimateFormat) -> IntervalRow:
    """The interval of an answer if peaks may be narrower."""
    if one.sharpest is None:
        name, caption = tr("any peaks"), tr("nothing assumed")
    else:
        name, caption = tr("peaks of ±%s") % significant(one.sharpest, 2), tr("half the width")
    value = one.value
    mark = Mark("reconstructed", name, value.estimate, *_ends(value), figures.text(value.estimate))
    return IntervalRow(name, (mark,), caption)


def _rows_by_method(
    answer: SurveyResult, own: Estimate, figures: EstimateFormat
) -> list[IntervalRow]:
    asked, rows = answer.question, []
    found = {asked.method: own}
    if answer.number_beside is not None:
        found[SEQUENTIAL if asked.method == JOINT else JOINT] = answer.number_beside
    limits = answer.limits
    if limits is not None and limits.says_nothing:
        found.pop(asked.method)
    if JOINT in found:
        value = found[JOINT]
        words = figures.text(value.estimate)
        mark = Mark("reconstructed", tr("joint"), value.estimate, *_ends(value), words)
        strong = asked.method == JOINT
        is_bound = limits is not None and strong
        caption = tr("worst-case bounds") if is_bound else tr("corrected jointly")
        rows.append(IntervalRow(tr("joint"), (mark,), caption, "", strong))
    if SEQUENTIAL in found:
        several = asked.has_several_steps
        rows.append(_sequential_row(found[SEQUENTIAL], figures, several=several))
    return rows


def _target_rows(answer: SurveyResult, own: Estimate, figures: EstimateFormat) -> list[IntervalRow]:
    """The population first, then the people who answered."""
    asked, beside = answer.question, answer.number_beside
    other = RESPONDENTS if asked.target == POPULATION else POPULATION
    found = {asked.target: own} | ({} if beside is None else {other: beside})
    captions = {
        POPULATION: tr("device and sampling error"),
        RESPONDENTS: tr("device error only"),
    }
    rows = []
    for target in (POPULATION, RESPONDENTS):
        if target in found:
            value, name = found[target], target_word(target)
            words = figures.text(value.estimate)
            mark = Mark("reconstructed", name, value.estimate, *_ends(value), words)
            rows.append(IntervalRow(name, (mark,), captions[target], "", target == asked.target))
    return rows


def _sequential_row(value: Estimate, figures: EstimateFormat, *, several: bool) -> IntervalRow:
    words = figures.text(value.estimate)
    ends = (math.nan, math.nan) if several else _ends(value)
    note = tr("no valid interval") if several else ""
    mark = Mark(_SEQUENTIAL_LOOK, tr("sequential"), value.estimate, *ends, words, note)
    return IntervalRow(tr("sequential"), (mark,), tr("as published, one by one"))


def _ends(value: Estimate) -> tuple[float, float]:
    return (value.low, value.high) if has_interval(value) else (math.nan, math.nan)


def confidence_words(confidence: float) -> str:
    """The level of an interval in a heading."""
    return tr("%s interval") % percent(confidence)


class PictureAndNumbers(QWidget):
    """A picture under its heading at the left, the same in a table at the right.

    Kinds of it give the name, what the table is called, its width, and lay out their picture.
    """

    def __init__(self, themes: ThemeManager, name: str, numbers: str, width: int) -> None:
        super().__init__()
        self._themes = themes
        self.picture = Card()
        self.heading = named(heading_label(), f"{name}Title")
        self.stale_badge = chip("", "warningBadge")
        self.stale_badge.hide()
        self.picture.head.addWidget(self.heading, 1)
        self.picture.head.addWidget(self.stale_badge)
        self.picture.body.addLayout(self.picture.head)
        self.reading = named(text("", "secondary", wrap=True), f"{name}Reading")
        self.picture.add(self.reading)
        self.remarks = RemarksLine(themes)
        self.model = TextModel(themes, parent=self)
        self.model.strong = frozenset({1})
        self.table = TextTable(themes, f"{name}Table", numbers)
        self.table.setModel(self.model)
        self._numbers = Card(padding=0)
        self._numbers.body.setContentsMargins(1, 1, 1, 6)
        self._numbers.add(self.table, 1)
        across = Qt.Orientation.Horizontal
        self.columns = splitter(across, f"survey{name.title()}", self.picture, self._numbers)
        self.columns.setStretchFactor(0, 1)
        self.columns.setStretchFactor(1, 0)
        self.columns.setSizes([10_000, themes.theme.px(width)])
        themes.theme_changed.connect(self._restyle)
        self._restyle()
        column(self.columns, parent=self)

    def lay_out(self, legend: QLayout, chart: QWidget) -> None:
        """Put the chart below its legend, and the remarks below both."""
        self.picture.body.addLayout(legend)
        self.picture.add(chart, 1)
        self.picture.add(self.remarks)

    def _restyle(self) -> None:
        px = self._themes.theme.px
        self.picture.keep_at_least(px(320))
        self._numbers.setMinimumWidth(px(360))

    def show_table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Show other numbers; the first column takes the room that is left."""
        self.model.show_rows(head, rows)
        self.table.resizeColumnsToContents()
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design."""
        show_words(self.stale_badge, words)


class DistributionCard(PictureAndNumbers):
    """The shares of all answers."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "distribution", tr("Distribution in numbers"), 500)
        self.badge = chip("", "badge")
        self.picture.head.addWidget(self.badge)
        self.model.grey = frozenset({2, 3, 4})
        self.legend = SeriesLegend(themes)
        self.plot = named(ComparisonPlot(themes, self.tr("Distribution")), "distributionPlot")
        self.lay_out(column(self.legend), self.plot)

    def show_answer(self, answer: SurveyResult) -> None:
        found = answer.result
        assert isinstance(found, Distribution)  # noqa: S101 (other answers have other cards)
        labels = label_words(found.labels, answer.study.design[found.of].attribute)
        found = dataclasses.replace(found, labels=labels)
        shown = answer.study.shown
        of = with_unit(shown(found.of), answer.study.unit(found.of))
        if found.condition.tests:
            whom = condition_words(found.condition, shown)
            self.heading.setText(self.tr("Distribution of %s, where %s") % (of, whom))
        else:
            self.heading.setText(self.tr("Distribution of %s") % of)
        self.badge.setText(badge(answer.question))
        self.reading.setText(reading(found))
        histogram, values = picture(found)
        self.legend.show_entries(
            tuple((s.role, histogram.names[s.role]) for s in histogram.series),
            histogram.is_numeric,
        )
        self.plot.forget_scale()
        self.plot.show_comparison(Comparison(histogram, (), values))
        self.show_table(*rows(found, of))
        self.remarks.say(answer.remarks)


def reading(found: Distribution) -> str:
    """The most frequent answer in plain words."""
    figures = EstimateFormat.of_share()
    top = max(range(len(found.shares)), key=lambda i: found.shares[i].estimate)
    share = found.shares[top]
    label, estimate = found.labels[top], figures.text(share.estimate)
    if not has_interval(share):
        words = tr("Most frequent: %s, about %s; 1 record gives no interval.")
        return words % (label, estimate)
    words = tr("Most frequent: %s, about %s, 95\u202f%% interval %s.")
    return words % (label, estimate, figures.interval(share))


def picture(found: Distribution) -> tuple[Histogram, tuple[str, ...]]:
    """The three distributions as bars; very many values as steps with names."""
    labels = found.labels
    edges = None if fits_bars(len(labels)) else np.arange(len(labels) + 1, dtype=np.float64) - 0.5
    true, naive = ([getattr(s, what) for s in found.shares] for what in ("true", "naive"))
    series = []
    if None not in true:
        series.append(Shares("original", np.array(true), edges))
    if None not in naive:
        series.append(Shares("distorted", np.array(naive), edges))
    low, high = (np.array([getattr(s, what) for s in found.shares]) for what in ("low", "high"))
    estimate = np.clip([s.estimate for s in found.shares], 0.0, 1.0)  # The table tells more.
    known = all(map(has_interval, found.shares))
    ends = (low, high) if known else (None, None)
    series.append(Shares("reconstructed", estimate, edges, *ends))
    names = {
        "original": marked_invented(tr("true")),
        "distorted": tr("uncorrected"),
        "reconstructed": tr("estimate ± 95\u202f%"),
    }
    if edges is None:
        return Histogram(tuple(series), labels, names=names), ()
    return Histogram(tuple(series), (), names=names), labels


def rows(found: Distribution, of: str) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    figures = EstimateFormat.of_share()
    known = any(share.true is not None for share in found.shares)
    heads = [of, tr("Estimate"), confidence_words(found.confidence), tr("Uncorrected")]
    if known:
        heads.append(tr("True"))
    listed = []
    for label, share in zip(found.labels, found.shares, strict=True):
        cells = [
            label, figures.text(share.estimate), figures.interval(share), figures.text(share.naive)
        ]  # fmt: skip
        listed.append(tuple([*cells, figures.text(share.true)] if known else cells))
    return tuple(heads), listed


SHARES = (-0.3, 1.3)
"""Further beyond 0 and 100 % unbiased shares are only noise and would flatten the picture."""


class SplitCard(Card):
    """A title that tells what is split, a list to choose by what, and one row per value."""

    by_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._kinds: list[str] = []
        self.heading = named(heading_label(), "splitTitle")
        self.by = named(QComboBox(), "splitBy", self.tr("Split by"))
        self.by.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.by.setMinimumContentsLength(18)
        self.by.activated.connect(lambda: self.by_chosen.emit(str(self.by.currentData() or "")))
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.by)
        self.body.addLayout(self.head)
        self.legend = PictureLegend(themes)
        self.busy = text(self.tr("updating"), "accentBadge")
        self.busy.hide()
        self.body.addLayout(row(self.legend, None, self.busy))
        self.plot = IntervalPlot(themes, self.tr("The estimate by another attribute"))
        self.plot.setObjectName("splitPlot")
        self.area = scroll_area(self.plot)
        self.body.addWidget(self.area, 1)
        self.absent = named(text("", "hint", wrap=True), "splitAbsent")
        self.absent.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.absent.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.body.addWidget(self.absent, 1)
        self.absent.hide()
        themes.theme_changed.connect(self._colour)

    def show_choices(self, names: tuple[str, ...], current: str, study: Study) -> None:
        """Offer attributes to split by."""
        with QSignalBlocker(self.by):
            wanted = [(self.tr("split by %s") % study.shown(name), name) for name in names]
            places = range(self.by.count())
            if [(self.by.itemText(i), self.by.itemData(i)) for i in places] != wanted:
                self.by.clear()
                for place, (words, name) in enumerate(wanted):
                    self.by.addItem(words, name)
                    tip = attribute_tip(name, study.attribute(name).label, study.shown(name))
                    self.by.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)
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

    def show_split(self, split: SplitResult, study: Study) -> None:
        """Show the rows of a split."""
        asked = split.question
        heading = title(asked, split.by, split.condition, study.shown)
        if split.refusal:
            self.show_absent(heading, translate(split.refusal))
            return
        self.heading.setText(heading)
        if not asked.kind.is_share:
            figures = EstimateFormat.of_number(study.design[asked.of].attribute)
        else:
            figures = EstimateFormat.of_share()
        labels = label_words(split.labels, study.design[split.by].attribute)
        rows = split_rows(dataclasses.replace(split, labels=labels), figures)
        self.plot.show_rows(
            rows,
            figures.text,
            is_share=figures.is_share,
            from_zero=asked.kind.is_share,
            limits=SHARES if figures.is_share else None,
        )
        # Two rows over the whole height would look like a mistake.
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 52 * len(rows)))
        entries = [
            ("reconstructed", self.tr("estimate ± 95\u202f%")),
            ("distorted", tr("uncorrected")),
        ]
        if any(mark.look == "original" for one in rows for mark in one.marks):
            entries.append(("original", marked_invented(tr("true"))))
        self.legend.show_entries(tuple(entries))
        self.area.setToolTip("\n".join(translate(study.titled(one)) for one in split.remarks))
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


def title(question: Question, by: str, condition: Condition, shown: Naming = str) -> str:
    """What is split, by what."""
    if not question.kind.is_share:
        if condition.tests:
            parts = (shown(question.of), shown(by), condition_words(condition, shown))
            return tr("Mean of %s by %s, where %s") % parts
        return tr("Mean of %s by %s") % (shown(question.of), shown(by))
    return tr("Share with %s, by %s") % (condition_words(condition, shown), shown(by))


def split_rows(split: SplitResult, figures: EstimateFormat) -> tuple[IntervalRow, ...]:
    """One row per value; those that the condition names are bold."""
    rows, sizes = [], [tr("n = %s") % number(round(size)) for size in split.sizes]
    for place, (label, value) in enumerate(zip(split.labels, split.values, strict=True)):
        marks = () if value is None else interval_marks(value)
        note = tr("none") if value is None else figures.with_reach(value)
        caption = sizes[place] if sizes else ""
        rows.append(IntervalRow(label, marks, caption, note, split.inside[place]))
    return tuple(rows)


def interval_marks(value: Estimate) -> tuple[Mark, ...]:
    """An estimate with its interval, and what is known beside it."""
    marks = [Mark("reconstructed", tr("estimate"), value.estimate, *_ends(value))]
    if value.naive is not None:
        marks.insert(0, Mark("distorted", tr("uncorrected"), value.naive))
    if value.true is not None:
        marks.append(Mark("original", marked_invented(tr("true")), value.true))
    return tuple(marks)


def empty_split(question: Question) -> str:
    """Why there is nothing to split."""
    if not question.kind.is_share:
        return tr("There is no other attribute to split by.")
    return tr("Add a condition to see its share by another attribute.")
