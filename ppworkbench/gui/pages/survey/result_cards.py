"""Estimates, distributions and subgroups."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ppworkbench.analyses.compliance.sentences import reading_rows
from ppworkbench.analyses.estimates.result import NumberResult
from ppworkbench.analyses.survey.answers import SharperInterval, SurveyResult, told_answer
from ppworkbench.analyses.survey.questions import Question, uses_sampling
from ppworkbench.analyses.survey.splits import SplitResult, split_choices
from ppworkbench.core.data.sampling_roles import POPULATION, RESPONDENTS
from ppworkbench.core.message import Message
from ppworkbench.core.survey.conditions.condition import Condition
from ppworkbench.core.survey.counts import Count
from ppworkbench.core.survey.estimates import JOINT, SEQUENTIAL
from ppworkbench.core.survey.means import Mean
from ppworkbench.core.survey.ratios import Ratio
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, significant
from ppworkbench.gui.pages.survey.answer_cards import (
    AnswerActions,
    AnswerCard,
    AnswerView,
    ByCard,
    Named,
    NotesCard,
    PictureCard,
    SentenceCard,
    SheetCard,
    SurveyView,
    Write,
    on_paper,
)
from ppworkbench.gui.pages.survey.texts import (
    AnyEstimate,
    EstimateFormat,
    Naming,
    badge,
    condition_words,
    has_interval,
    interval_line,
    label_words,
    reach_words,
    steps_line,
    target_word,
)
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.layout import column, named, row, show_words, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.results.picture import (
    Axis,
    Interval,
    Picture,
    Role,
    Shape,
    interval_note,
    intervals,
)
from ppworkbench.results.picture import Mark as PictureMark
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Kind, Sheet
from ppworkbench.study.study import Study

_SHOWN = 2


def chip(words: str, kind: str) -> QLabel:
    """A small tag in a heading; it keeps its height beside taller buttons."""
    label = text(words, kind)
    label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return label


def heading_label() -> QLabel:
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
        remarks = tuple(translate(remark) for remark in remarks)
        shown = list(remarks[:_SHOWN])
        more = len(remarks) - len(shown)
        if more:
            shown.append(self.tr("%s more: hover to read") % more)
        self.label.setText(" ".join(shown))
        self.setToolTip("\n".join(remarks) if more else "")
        self.setAccessibleName(" ".join(remarks))
        self.setVisible(bool(remarks))


_LARGE = 42
_NARROWEST = 180


class EstimateCard(AnswerCard):
    """A count or a mean."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        super().__init__(self.tr("Estimate"))
        self._themes = themes
        self.badge = chip("", "badge")
        self.stale_badge = named(chip("", "warningBadge"), "estimateStale")
        self.stale_badge.hide()
        copy = named(IconButton(themes, "copy", self.tr("Copy estimate"), 16), "copyEstimate")
        copy.clicked.connect(actions.copy_requested)
        self.head.insertWidget(1, self.badge)
        self.head.insertWidget(2, self.stale_badge)
        self.sharper = Button(themes, self.tr("Narrower peaks"), look="link")
        self.sharper.setObjectName("sharperIntervals")
        self.sharper.setToolTip(
            self.tr("Shows the interval if the number may have narrower peaks than assumed.")
        )
        self.sharper.clicked.connect(actions.sharper_requested)
        self.sharper.hide()
        self.head.addWidget(self.sharper)
        self.head.addWidget(copy)
        self.number = named(text("", "display"), "estimateNumber")
        self.unit = text("", "unit")
        self.interval = named(text("", "interval"), "estimateInterval")
        self.reading = named(text("", "secondary", wrap=True), "estimateReading")
        self.reading.setTextFormat(Qt.TextFormat.PlainText)
        self.reading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.steps = text("", "captionHint")
        beside = column(None, self.unit, self.interval, self.steps, None, spacing=2)
        self._top = row(self.number, beside, 16)
        self._top.addWidget(self.reading, 1)
        self._top.addStretch(0)
        self._is_narrow = False
        self.body.addLayout(self._top)
        self.plot = PictureChart(
            themes, self.tr("Estimates by method"), least=(220, 110), is_wide=True
        )
        self.plot.setObjectName("methodsPlot")
        self.body.addWidget(self.plot, 100)
        self.body.addStretch(1)
        self.remarks = RemarksLine(themes)
        self.body.addWidget(self.remarks)
        themes.follow(self._restyle)

    def _restyle(self) -> None:
        """The largest type of the window, and lines that can be read at a glance."""
        theme = self._themes.theme
        set_rules(self.number, f"font-size: {theme.px(_LARGE)}px;")
        self.reading.setMaximumWidth(theme.px(480))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
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

    def show_answer(self, answer: SurveyResult, told: Result) -> None:  # noqa: ARG002
        result, question = answer.result, answer.question
        assert isinstance(result, Count | Mean | Ratio)  # noqa: S101 (others have other cards)
        value, valid = answer.number, question.has_valid_interval
        figures = EstimateFormat.of_told(answer.told)
        assert value is not None  # noqa: S101 (others have other cards)
        remarks = answer.remarks
        if isinstance(result, Count):
            self.unit.setText(reach_words(value, valid=valid))
        else:
            reach = figures.reach(value) if valid else ""
            assert isinstance(answer.told, NumberResult)  # noqa: S101 (it has a number)
            of = translate(answer.told.measured())
            self.unit.setText(f"{reach}, {of}" if reach else of)
        limits, remark = answer.limits, answer.told.bounds_remark
        if remark is not None:
            remarks = (answer.study.titled(remark), *remarks)
        self.sharper.setVisible(limits is not None and limits.assumption.sharpest is not None)
        self.number.setText(figures.text(value.estimate))
        if limits is not None and limits.says_nothing:
            # An interval of nearly everything is no estimate.
            self.number.setText("–")
            self.unit.setText("")
        self.unit.setVisible(bool(self.unit.text()))
        self.badge.setText(badge(question))
        line = interval_line(value, figures, result.confidence, valid=valid)
        self.interval.setText(line)
        self.steps.setText("" if valid else steps_line(value, figures))
        self.steps.setVisible(not valid)
        self.reading.setText(translate(told_answer(answer)))
        self.setAccessibleName(
            f"{self.number.text()} {self.unit.text()}, {line}. {self.reading.text()}"
        )
        self.remarks.say(remarks)
        self._fit()

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:
        figures, sharper = EstimateFormat.of_told(answer.told), view.beside.sharper
        lines = method_lines(answer, sharper)
        drawn = methods_picture(lines, figures)
        said = Message.joined(map(answer.study.titled, (told_answer(answer), answer.told.note())))
        titled = dataclasses.replace(drawn, title=Message(self.plot.accessibleName()), note=said)
        measured = Axis(Message("share"))
        if isinstance(answer.told, NumberResult) and not figures.is_share:
            measured = Axis(answer.told.measured(), figures.unit)
        self.plot.on_paper = on_paper(answer, measured)
        self.plot.set_picture(titled, figures.text)
        # Rows that are far apart are hard to compare.
        self.plot.setMaximumHeight(self._themes.theme.px(34 + 64 * len(lines)))
        if sharper:
            self.sharper.hide()

    def say_stale(self, words: str) -> None:
        """Say why the estimate is not one to the question of now; nothing if it is."""
        show_words(self.stale_badge, words)

    def set_stale(self, stale: bool) -> None:
        self.plot.set_stale(stale)
        self.number.setEnabled(not stale)


@dataclass(frozen=True)
class Line:
    """One number of a picture: by which method, and what that means."""

    name: str
    caption: str
    value: Interval
    role: Role = Role.ESTIMATE
    note: str = ""
    is_strong: bool = False


def method_lines(answer: SurveyResult, sharper: Sequence[SharperInterval] = ()) -> list[Line]:
    """By method or by target, at face value and true, as far as they are known."""
    own, asked, limits = answer.number, answer.question, answer.limits
    assert own is not None  # noqa: S101 (only such answers have this card)
    keys, mine = (JOINT, SEQUENTIAL), asked.method
    if uses_sampling(asked, answer.study):
        keys, mine = (POPULATION, RESPONDENTS), asked.target
    found = {key: own if key == mine else answer.number_beside for key in keys}
    if limits is not None and limits.says_nothing:
        del found[mine]
    said = {
        JOINT: (tr("joint"), tr("corrected jointly") if limits is None or mine != JOINT
                else tr("worst-case bounds")),
        SEQUENTIAL: (tr("sequential"), tr("as published, one by one")),
        POPULATION: (target_word(POPULATION), tr("device and sampling error")),
        RESPONDENTS: (target_word(RESPONDENTS), tr("device error only")),
    }  # fmt: skip
    lines = []
    for key, value in found.items():
        if value is not None and key == SEQUENTIAL:
            is_valid = not asked.has_several_steps
            note = "" if is_valid else tr("no valid interval")
            shown = _drawn(value) if is_valid else _alone(value.estimate)
            lines.append(Line(*said[key], shown, Role.SERIES, note))
        elif value is not None:
            lines.append(Line(*said[key], _drawn(value), is_strong=key == mine))
    beside = (
        (Role.REPORTED, tr("uncorrected"), tr("no correction"), own.naive),
        (Role.TRUE, marked_invented(tr("true")), tr("known for this data set"), own.true),
    )
    for role, name, caption, number_beside in beside:
        if number_beside is not None:
            lines.append(Line(name, caption, _alone(number_beside), role))
    return [*lines, *_reading_lines(answer), *map(_sharper_line, sharper)]


def _reading_lines(answer: SurveyResult) -> list[Line]:
    """The three readings of compliance; the share if all followed is the estimate itself."""
    found = () if answer.readings is None else reading_rows(answer.readings)[:-1]
    return [
        Line(
            translate(one.name), translate(one.caption), _drawn(one.estimate),
            note=reach_words(one.estimate, valid=True), is_strong=True,
        )
        for one in found
    ]  # fmt: skip


def _sharper_line(one: SharperInterval) -> Line:
    name, caption = tr("any peaks"), tr("nothing assumed")
    if one.sharpest is not None:
        name, caption = tr("peaks of ±%s") % significant(one.sharpest, 2), tr("half the width")
    return Line(name, caption, _drawn(one.value))


def _drawn(value: AnyEstimate) -> Interval:
    if not has_interval(value):
        return _alone(value.estimate)
    return Interval(value.estimate, value.low, value.high)


def _alone(value: float) -> Interval:
    return Interval(value, math.nan, math.nan)


def methods_picture(lines: Sequence[Line], figures: EstimateFormat) -> Picture:
    marks = []
    for place, one in enumerate(lines):
        value, at = one.value, np.array([float(place)])
        middle, low, high = (np.array([end]) for end in (value.estimate, value.low, value.high))
        shape = Shape.INTERVALS if np.isfinite(low) else Shape.POINTS
        name = Message.of(one.name)
        marks.append(PictureMark(shape, one.role, name, middle, at, low, high, series=1))
    return estimates_picture(
        tuple(marks), figures, [f"{one.name}\n{one.caption}" for one in lines],
        [f"{figures.text(one.value.estimate)} {one.note}".strip() for one in lines],
        [one.is_strong for one in lines],
    )  # fmt: skip


SHARES = (-0.3, 1.3)
"""Further beyond 0 and 100 % unbiased shares are only noise and would flatten the picture."""


def estimates_picture(
    marks: tuple[PictureMark, ...], figures: EstimateFormat, labels: Sequence[str],
    notes: Sequence[str], strong: Sequence[bool],
) -> Picture:  # fmt: skip
    """Estimates below each other; shares have 0 in sight."""
    down = Axis(
        Message(""), labels=tuple(labels), notes=tuple(notes),
        strong=frozenset(place for place, is_strong in enumerate(strong) if is_strong),
    )  # fmt: skip
    across = Axis(Message(""))
    if figures.is_share:
        ends = [end for mark in marks for end in (mark.x, mark.low, mark.high) if end is not None]
        known = np.concatenate([np.zeros(1), *ends])
        known = np.clip(known[np.isfinite(known)], *SHARES)
        low, high = float(known.min()), float(known.max())
        room = (high - low) or 1.0
        low -= (0.05 if low else 0.02) * room
        across = Axis(Message(""), low=low, high=high + 0.04 * room, kind=Kind.SHARE)
    return Picture("estimates", Message(""), across, down, marks)


_ESTIMATES = ("estimate", "low", "high", "standard_error", "naive", "true")


class FoundSheet(SheetCard):
    """A sheet whose shares are percentages, and whose numbers have the digits that count."""

    def read(self, sheet: Sheet, answer: SurveyResult) -> Sheet:
        told = answer.told
        if not told.is_share:
            digits = told.decimals()
            columns = tuple(
                dataclasses.replace(one, decimals=digits) if one.key in _ESTIMATES else one
                for one in sheet.columns
            )
            sheet = dataclasses.replace(sheet, columns=columns)
        shares = ("at", *(_ESTIMATES if told.is_share else ()))
        return sheet.in_percent(*shares).titled(answer.study.titled)


class FoundPicture(PictureCard):
    """A picture whose shares are percentages."""

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        self._is_share = answer.told.is_share
        super().show_answer(answer, told)

    def show_picture(self, picture: Picture, titled: Named, write: Write = None) -> None:
        if self._is_share:
            numbers = dataclasses.replace(picture.numbers, kind=Kind.SHARE)
            x, y = (numbers, picture.y) if picture.is_lying else (picture.x, numbers)
            picture = dataclasses.replace(picture, x=x, y=y)
        marks = tuple(dataclasses.replace(one, name=_called(one)) for one in picture.marks)
        super().show_picture(dataclasses.replace(picture, marks=marks), titled, write)


def _called(mark: PictureMark) -> Message:
    """What a legend calls a mark; cells have their numbers in them."""
    if mark.shape is Shape.CELLS:
        return Message("")
    is_true = mark.role is Role.TRUE
    return Message(marked_invented(translate(mark.name))) if is_true else mark.name


class ArmsCard(FoundPicture):
    """Every arm as a row with its interval, and the test that all are the same in words."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes, "arms", is_wide=True)
        self.sentence = named(text("", "secondary", wrap=True), "armEquality")
        self.add(self.sentence)

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        self._is_share = answer.told.is_share
        self.chart.on_paper = on_paper(answer)
        pictures = answer.told.arms_pictures()
        for picture in pictures:
            self.show_picture(picture, answer.study.titled)
        self.chart.setVisible(bool(pictures))
        self.chart.legend.setVisible(bool(pictures))
        said = [one for one in told.readings() if one != answer.interval_contents]
        said += [answer.no_arms] if answer.no_arms else []
        self.sentence.setText(" ".join(translate(answer.study.titled(one)) for one in said))


class FoundView(AnswerView):
    """The sentence, all pictures and all sheets of a result, whatever they are."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        self.words, self.notes = SentenceCard(themes, "found", actions), NotesCard(themes)
        self.pictures: dict[str, FoundPicture] = {}
        self.sheets: dict[str, FoundSheet] = {}
        super().__init__(themes, "foundView", self.words, self.notes)

    def show_answer(self, answer: SurveyResult) -> None:
        told = answer.told
        for picture in told.pictures():
            if picture.name not in self.pictures:
                self.pictures[picture.name] = FoundPicture(self._themes, picture.name)
        for sheet in sorted(told.sheets(), key=lambda one: one.name != told.main):
            if sheet.name not in self.sheets:
                self.sheets[sheet.name] = FoundSheet(self._themes, sheet.name)
        self.cards = (self.words, *self.pictures.values(), *self.sheets.values(), self.notes)
        super().show_answer(answer)


class SplitCard(ByCard):
    """A title that tells what is split, a list to choose by what, and one row per value."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        super().__init__(themes, "split", tr("Split by"), actions.split_chosen, scrolls=True)
        self._themes = themes
        self.by.setMinimumContentsLength(18)
        self.heading = named(heading_label(), "splitTitle")
        self.title_label.hide()
        self.head.insertWidget(0, self.heading, 100)
        self.chart.setAccessibleName(self.tr("The estimate by another attribute"))

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        """Wait for the split, which takes longer."""

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:
        beside, asked, study = view.beside, answer.question, answer.study
        by, split = beside.by, beside.split
        self.offer(tr("split by %s"), split_choices(asked, study.design), by, study)
        self.busy.setVisible(beside.is_splitting and split is not None)
        heading, why = title(asked, by, asked.condition, study.shown), ""
        if not by:
            heading, why = self.tr("By another attribute"), empty_split(asked)
        elif split is None:
            why = self.tr("Computing…")
        elif split.by != by:
            return
        else:
            heading = title(asked, by, split.condition, study.shown)
            why = translate(split.refusal)
        self.heading.setText(heading)
        self.show_absent(why)
        if split is not None and not why:
            self._show_split(split, study)

    def _show_split(self, split: SplitResult, study: Study) -> None:
        figures = EstimateFormat.of_share()
        if not split.question.kind.is_share:
            figures = EstimateFormat.of_number(study.design[split.question.of].attribute)
        drawn = split_picture(split, figures, study)
        said = interval_note(round(sum(split.sizes)), 0.95)
        titled = dataclasses.replace(drawn, title=Message(self.heading.text()), note=said)
        self.chart.set_picture(titled, figures.text)
        # Two rows over the whole height would look like a mistake.
        self.chart.setMaximumHeight(self._themes.theme.px(34 + 52 * len(split.values)))
        self.area.setToolTip("\n".join(translate(study.titled(one)) for one in split.remarks))


def title(question: Question, by: str, condition: Condition, shown: Naming = str) -> str:
    if not question.kind.is_share:
        if condition.tests:
            parts = (shown(question.of), shown(by), condition_words(condition, shown))
            return tr("Mean of %s by %s, where %s") % parts
        return tr("Mean of %s by %s") % (shown(question.of), shown(by))
    return tr("Share with %s, by %s") % (condition_words(condition, shown), shown(by))


def split_picture(split: SplitResult, figures: EstimateFormat, study: Study) -> Picture:
    """One row per value; those that the condition names are strong."""
    labels = label_words(split.labels, study.design[split.by].attribute)
    sizes = [tr("n = %s") % number(round(size)) for size in split.sizes]
    made = intervals("split", Message(""), Axis(Message("")), labels, split.values)
    names = {
        Role.ESTIMATE: tr("estimate ± %s") % percent(0.95), Role.REPORTED: tr("uncorrected"),
        Role.TRUE: marked_invented(tr("true")),
    }  # fmt: skip
    # Published ends need not hold their estimate.
    drawn = [_alone(math.nan) if one is None else _drawn(one) for one in split.values]
    low, high = (np.array([getattr(one, end) for one in drawn]) for end in ("low", "high"))
    marks = tuple(
        PictureMark(one.shape, one.role, Message.of(names[one.role]), one.x, one.y, low, high)
        if one.role is Role.ESTIMATE
        else dataclasses.replace(one, name=Message.of(names[one.role]))
        for one in made.marks
    )
    return estimates_picture(
        marks, figures,
        ["\n".join(lines) for lines in zip(labels, sizes, strict=True)] if sizes else labels,
        [tr("none") if one is None else figures.with_reach(one) for one in split.values],
        split.inside,
    )  # fmt: skip


def empty_split(question: Question) -> str:
    if not question.kind.is_share:
        return tr("There is no other attribute to split by.")
    return tr("Add a condition to see its share by another attribute.")
