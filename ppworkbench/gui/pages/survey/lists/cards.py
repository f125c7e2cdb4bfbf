"""What a list tells: the share, the counts, the types of people, doubts, and who has the item."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHeaderView, QWidget

from ppworkbench.analyses.lists import end_name, list_title, share_rows
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.compliance.assess_list import (
    AT_CEILING,
    AT_FLOOR,
    DESIGN_EFFECT,
    DIFFERENCE,
    NLS,
    ListResult,
)
from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.list_likelihood import CONTRADICTED
from ppworkbench.core.compliance.list_models import LEVEL, SENSITIVE, ListCoefficient
from ppworkbench.core.compliance.lists import MANY
from ppworkbench.core.message import Message
from ppworkbench.core.models.coding import INTERCEPT
from ppworkbench.gui.charts.intervals import IntervalPlot, IntervalRow, Mark
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import THIN, number, percent, significant
from ppworkbench.gui.pages.survey.interval_cards import p_text
from ppworkbench.gui.pages.survey.result_cards import chip, heading_label
from ppworkbench.gui.pages.survey.texts import EstimateFormat
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, MarkedLines
from ppworkbench.gui.widgets.controls import IconLabel
from ppworkbench.gui.widgets.layout import column, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.table import TextModel, TextTable
from ppworkbench.results.picture import Axis, Picture, Role, Shape
from ppworkbench.results.picture import Mark as PictureMark
from ppworkbench.results.sheet import Kind

_NARROW = 1080
_FIGURES = EstimateFormat.of_share()
_TOLD = (DESIGN_EFFECT, AT_CEILING, AT_FLOOR)
"""Remarks that the checks say in their own words."""


class ShareCard(Card):
    """The share of the item by every method, one below the other."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.heading = named(heading_label(), "listTitle")
        self.people = named(chip("", "badge"), "listRespondents")
        self.stale_badge = named(chip("", "warningBadge"), "listStale")
        self.stale_badge.hide()
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.people)
        self.head.addWidget(self.stale_badge)
        self.body.addLayout(self.head)
        self.words = named(text("", "secondary", wrap=True), "listWords")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.add(self.words)
        self.plot = named(IntervalPlot(themes, self.tr("Share by method")), "listShares")
        self.add(self.plot, 1)
        self.note = text("", "captionHint", wrap=True)
        self.add(self.note)
        self.keep_at_least(themes.theme.px(320))

    def show_answer(self, answer: SurveyResult, found: ListResult) -> None:
        """Show the estimates of another list."""
        shown = list_title(found.question, answer.study)
        self.heading.setText(self.tr("Share with “%s”: %s") % (found.question.sensitive, shown))
        self.people.setText(
            self.tr("%s short, %s long") % (number(found.people[0]), number(found.people[1]))
        )
        self.words.setText(translate(answer.study.titled(found.sentence)))
        rows = [_share_row(translate(name), one) for name, one in share_rows(found)]
        model = found.model
        if model is not None:
            rows += [
                _share_row(translate(end_name(name)), one)
                for name, one in model.leaving_out.items()
                if math.isfinite(one.estimate)
            ]
        self.plot.show_rows(tuple(rows), _FIGURES.text, is_share=True, from_zero=True)
        self.note.setText(_method_note(found))

    def set_stale(self, words: str) -> None:
        """Mark the answer as one to another question or design."""
        show_words(self.stale_badge, words)
        self.plot.set_stale(bool(words))


def _share_row(name: str, one: Estimate) -> IntervalRow:
    mark = Mark("reconstructed", tr("estimate"), one.estimate, one.low, one.high)
    if not math.isfinite(one.low):
        note = tr("%s, at the bound") % percent(one.estimate)
    else:
        ends = _FIGURES.bare(one.low), _FIGURES.bare(one.high)
        note = f"{_FIGURES.text(one.estimate)} ({tr('%s to %s') % ends})"
    return IntervalRow(name, (mark,), "", note)


def _method_note(found: ListResult) -> str:
    if found.inquiry.method == DIFFERENCE:
        return tr("The difference in means leans on nothing but the random versions.")
    if found.inquiry.method == NLS:
        return tr("Least squares lean on the model of the predictors, the difference does not.")
    return tr(
        "The likelihood takes people with the sensitive item to have as many harmless ones as "
        "others, the difference does not; where both disagree, trust the difference."
    )


class CountsCard(Card):
    """What people said, by version of the list."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Counts by list"))
        self.chart = PictureChart(
            themes, self.tr("Counts by list"), size=(360, 190), least=(240, 150)
        )
        self.chart.setObjectName("listCounts")
        self.head.addWidget(self.chart.legend, 1)
        self.add(self.chart, 1)

    def show_answer(self, found: ListResult) -> None:
        self.chart.set_picture(counts_picture(found))


def counts_picture(found: ListResult) -> Picture:
    """Two bars for every number; below them how likely the item is after it."""
    short, long = found.counts.short_shares, found.counts.long_shares
    marks = tuple(
        PictureMark(
            Shape.BARS, Role.SERIES, Message(name), np.arange(1.0 * len(shares)),
            np.asarray(shares, np.float64), words=tuple(map(percent, shares)), series=place,
        )
        for place, (name, shares) in enumerate(
            ((tr("short list"), short), (tr("long list"), long))
        )
    )  # fmt: skip
    labels = tuple(f"{count}\n{percent(belief)}" for count, belief in enumerate(found.belief))
    below = tr("Belief in “%s” after each count of the long list") % found.question.sensitive
    up = Axis(Message(""), kind=Kind.SHARE)
    title = Message(tr("Counts by list"))
    return Picture("counts", title, Axis(Message(below), labels=labels), up, marks)


class TypesCard(Card):
    """Shares of people by harmless items, with and without the sensitive one."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Types of people"), padding=0)
        self._themes = themes
        self.body.setContentsMargins(1, 10, 1, 10)
        self.head.setContentsMargins(14, 0, 14, 0)
        self.model = TextModel(themes, parent=self)
        self.table = TextTable(themes, "listTypes", self.tr("Types of people"))
        self.table.setModel(self.model)
        self.add(self.table, 1)
        self.mark = IconLabel(themes, "check", "good", 15)
        self.test = named(text("", "secondary", wrap=True), "listDesignEffect")
        line = row(self.mark, self.test, spacing=8)
        line.setStretch(1, 1)
        line.setAlignment(self.mark, Qt.AlignmentFlag.AlignTop)
        line.setContentsMargins(14, 4, 14, 0)
        self.body.addLayout(line)

    def show_answer(self, found: ListResult) -> None:
        """Show other types, and the test of them."""
        size = found.question.size
        heads = (
            self.tr("Harmless items"), self.tr("with the item"), self.tr("p", "probability"),
            self.tr("without it"), self.tr("p", "probability"),
        )  # fmt: skip
        rows = []
        for count in range(size + 1):
            cells = [str(count)]
            for one in (found.types[count], found.types[size + 1 + count]):
                reach = f"± {_FIGURES.bare(1.96 * one.standard_error)}"
                cells += [f"{_FIGURES.bare(one.share)} {reach}{THIN}%", p_text(one.p)]
            rows.append(cells)
        self.model.grey = (2, 4)
        self.model.show_rows(heads, rows)
        self.table.resizeColumnsToContents()
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head = self.table.horizontalHeader().sizeHint().height()
        high = self._themes.theme.px(26) * (size + 1) + head + 4
        self.table.setMinimumHeight(min(high, self._themes.theme.px(190)))
        self.table.setMaximumHeight(high)
        is_doubtful = found.design_effect_p < 0.05
        said = p_text(found.design_effect_p)
        p = f"p {said}" if said.startswith("<") else f"p = {said}"
        if is_doubtful:
            self.mark.show_icon("warning", "warningText")
            words = self.tr(
                "Some shares are negative beyond chance (%s): the sensitive item changes how "
                "people count the others."
            )
        else:
            self.mark.show_icon("check", "good")
            words = self.tr(
                "No share is negative beyond chance (%s): nothing shows that the sensitive item "
                "changes the other answers."
            )
        self.test.setText(words % p)


class WordsCard(Card):
    """Lines with a mark: in order, a doubt, or something to know."""

    def __init__(self, themes: ThemeManager, title: str, name: str) -> None:
        super().__init__(title)
        self.setObjectName(name)
        self._lines = MarkedLines(themes, 5)
        self.body.addLayout(self._lines)
        self.body.addStretch(1)

    @property
    def texts(self) -> list[str]:
        """What is seen."""
        return self._lines.texts

    def show_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        """Show other lines of (kind, words): ``good``, ``doubt`` or ``info``."""
        self._lines.show_lines(lines)


def check_lines(answer: SurveyResult, found: ListResult) -> list[tuple[str, str]]:
    """What speaks for the numbers, and what against them."""
    counts = found.counts
    lines = []
    if counts.ceiling > MANY:
        said = tr(
            "%s of the short list have all %s items: with the sensitive one they would give "
            "themselves away and may leave it out."
        )
        lines.append(("doubt", said % (percent(counts.ceiling, 1), found.question.size)))
    else:
        said = tr("%s of the short list have all items: few would give themselves away.")
        lines.append(("good", said % percent(counts.ceiling, 1)))
    if counts.floor > MANY:
        said = tr("%s of the short list have no item: a count of 1 would point to the sensitive "
                  "one, so they may leave it out.")  # fmt: skip
        lines.append(("doubt", said % percent(counts.floor, 1)))
    else:
        said = tr("%s of the short list have no item.")
        lines.append(("good", said % percent(counts.floor, 1)))
    if found.model is not None and found.model.assumption_p >= LEVEL:
        said = tr("Nothing contradicts what the likelihood assumes (p = %s).")
        lines.append(("good", said % p_text(found.model.assumption_p)))
    if found.double is not None:
        kind = "doubt" if found.double.p < 0.05 else "good"
        said = tr("The two lists give %s and %s (p = %s).")
        told = (
            percent(found.double.first, 1), percent(found.double.second, 1),
            p_text(found.double.p),
        )  # fmt: skip
        lines.append((kind, said % told))
    others = [one for one in answer.remarks if Message.of(one).code not in _TOLD]
    return lines + [
        ("doubt" if Message.of(one).code == CONTRADICTED else "info", translate(one))
        for one in others
    ]


def privacy_lines(found: ListResult) -> list[tuple[str, str]]:
    """What the counts give away, and what helps against it."""
    no, yes = found.exposed
    most = found.question.size + 1
    return [
        ("doubt", tr("0 says no and %s says yes for sure, so epsilon is ∞.") % most),
        ("info", tr("Of 100 people with the long list, about %s show that they lack the item and "
                    "%s that they have it.") % (number(100 * no, 1), number(100 * yes, 1))),
        ("info", tr("One rare and one common item, and two that exclude each other, keep such "
                    "counts few.")),
    ]  # fmt: skip


class CoefficientsCard(Card):
    """Who has the item: coefficients of the predictors."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Who has the item?"), self.tr("coefficients, log odds"))
        self._themes = themes
        self.plot = named(IntervalPlot(themes, self.tr("Coefficients")), "listCoefficients")
        self.add(self.plot, 1)
        self.note = text(self.tr("An interval that crosses 0 shows no difference."), "captionHint")
        self.add(self.note)

    def show_answer(self, answer: SurveyResult, found: ListResult) -> None:
        """Show other coefficients; the card hides where there are none."""
        model = found.model
        self.setVisible(model is not None and bool(found.inquiry.predictors))
        if model is None:
            return
        rows = tuple(
            _coefficient_row(one, answer)
            for one in model.coefficients
            if one.part == SENSITIVE and one.term != INTERCEPT
        )
        is_linear = found.inquiry.method == DIFFERENCE
        words = self.tr("change of the share") if is_linear else self.tr("coefficients, log odds")
        self.hint_label.setText(words)
        self.plot.show_rows(rows, _effect, from_zero=True)
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 46 * max(len(rows), 2)))


def _effect(value: float) -> str:
    """A coefficient or its error; a dash where there is none."""
    if not math.isfinite(value):
        return "–"
    return significant(value, 2) if 0 < abs(value) < 0.1 else number(value, 2)


def _coefficient_row(one: ListCoefficient, answer: SurveyResult) -> IntervalRow:
    name, bracket, level = one.term.partition("[")
    shown = answer.study.shown(name.strip("`"))
    title = f"{shown}: {level.rstrip(']')}" if bracket else shown
    reach = 1.96 * one.standard_error
    mark = Mark("reconstructed", tr("estimate"), one.estimate, one.estimate - reach,
                one.estimate + reach)  # fmt: skip
    said = tr("%s, SE %s") % (_effect(one.estimate), _effect(one.standard_error))
    return IntervalRow(title, (mark,), "", said)


class ListView(QWidget):
    """All cards of a list; where there is little room they stand below each other."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._arranged: tuple[bool, bool] | None = None
        self.setObjectName("listView")
        self.share = ShareCard(themes)
        self.counts = CountsCard(themes)
        self.types = TypesCard(themes)
        self.checks = WordsCard(themes, self.tr("Checks"), "listChecks")
        self.privacy = WordsCard(themes, self.tr("What the counts disclose"), "listPrivacy")
        self.coefficients = CoefficientsCard(themes)
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(10)
        self.area = scroll_area(inside)
        column(self.area, parent=self)
        self._arrange()

    def _arrange(self) -> None:
        """Two cards in a row, or three below two; where there is little room one below another."""
        is_narrow = self.width() < self._themes.theme.px(_NARROW)
        has_terms = not self.coefficients.isHidden()
        if self._arranged == (is_narrow, has_terms):
            return
        self._arranged = is_narrow, has_terms
        cards = (self.share, self.counts, self.coefficients, self.types, self.checks, self.privacy)
        places = ((0, 0, 3), (0, 3, 3), (1, 0, 3), (1, 3, 3), (2, 0, 3), (2, 3, 3))
        if is_narrow:
            places = ((0, 0, 6), (1, 0, 6), (2, 0, 6), (3, 0, 6), (4, 0, 3), (4, 3, 3))
        elif not has_terms:
            places = ((0, 0, 3), (0, 3, 3), (2, 0, 6), (1, 0, 2), (1, 2, 2), (1, 4, 2))
        for card, (down, across, span) in zip(cards, places, strict=True):
            self._grid.removeWidget(card)
            self._grid.addWidget(card, down, across, 1, span)
        for place in range(6):
            self._grid.setColumnStretch(place, 1)
        self._grid.setRowStretch(0, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._arrange()

    def show_answer(self, answer: SurveyResult) -> None:
        found = answer.result
        assert isinstance(found, ListResult)  # noqa: S101 (other answers have other cards)
        self.share.show_answer(answer, found)
        self.counts.show_answer(found)
        self.types.show_answer(found)
        self.checks.show_lines(check_lines(answer, found))
        self.privacy.show_lines(privacy_lines(found))
        self.coefficients.show_answer(answer, found)
        self._arrange()

    def set_stale(self, words: str) -> None:
        """Mark everything as older."""
        self.share.set_stale(words)
        self.counts.chart.set_stale(bool(words))
        self.coefficients.plot.set_stale(bool(words))
