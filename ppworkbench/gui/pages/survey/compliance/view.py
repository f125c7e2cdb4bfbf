"""Who followed the instructions: the answer in words, reports by arm, classes, readings, band."""

from __future__ import annotations

import dataclasses
import html
import math

import numpy as np
from PySide6.QtCore import QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from ppworkbench.analyses.compliance.figures import arm_bars, class_parts, facts
from ppworkbench.analyses.compliance.sentences import (
    behaviour_axis,
    behaviour_name,
    in_words,
    second_arm,
)
from ppworkbench.analyses.compliance.tables import band_rows
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.compliance.assess import SIMULATED
from ppworkbench.core.compliance.band import OTHER, RANDOM, SAFE
from ppworkbench.core.compliance.question import BAND
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.intervals import IntervalPlot
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number, percent, read_share
from ppworkbench.gui.pages.survey.compliance.charts import (
    ArmsChart,
    BandCurve,
    BandPlot,
    ClassBar,
)
from ppworkbench.gui.pages.survey.result_cards import RemarksLine, chip, readings_as_rows
from ppworkbench.gui.pages.survey.texts import EstimateFormat
from ppworkbench.gui.theme import ThemeManager, set_fill, smooth_painter
from ppworkbench.gui.widgets.card import Card, CardArea, ReadoutCard, share_lines
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import (
    column,
    line,
    named,
    reserve_width,
    row,
    show_words,
    text,
)
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.table import copy_rows

_NARROW = 900
_TOPIC = "compliance-models"


class AnswerSummary(QWidget):
    """A tinted strip with the answer in words and a copy button."""

    copied = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._plain = ""
        self.label = named(text("", wrap=True), "complianceWords")
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.stale_badge = named(chip("", "warningBadge"), "complianceStale")
        self.stale_badge.hide()
        self.copy = named(
            IconButton(themes, "copy", self.tr("Copy sentence"), 16), "copyCompliance"
        )
        self.copy.clicked.connect(self._on_copy)
        mark = IconLabel(themes, "info", "accentInk", 18)
        layout = row(mark, self.label, self.stale_badge, self.copy, parent=self, spacing=8)
        layout.setStretch(1, 1)
        layout.setContentsMargins(14, 7, 10, 7)
        themes.theme_changed.connect(self.update)

    def say(self, sentence: str) -> None:
        """Show other words."""
        self._plain = sentence
        kept = "<span style='white-space:pre-wrap'>"
        said = html.escape(sentence)
        self.label.setText(f"{kept}<b>{self.tr('In words.')}</b> {said}</span>")
        self.setAccessibleDescription(sentence)

    @property
    def words(self) -> str:
        return self._plain

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{invented_words()} {self._plain}".strip())
        self.copied.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter = smooth_painter(self)
        set_fill(painter, self._themes.theme.colour("accentTint"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)


class _LineLegend(QWidget):
    """What a hatched bar and the line over it mean."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._reported = PictureLegend(themes)
        self._followed = text("", "captionHint")
        row(self._reported, self._followed, None, parent=self, spacing=12)

    def say(self, value: str) -> None:
        """Name the answer that is reported."""
        self._reported.show_entries((("distorted", self.tr("reported “%s”") % value),))
        self._followed.setText(self.tr("▬ if all followed"))


class ArmsCard(Card):
    """The reports of every arm."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Arms"))
        self.legend = _LineLegend(themes)
        self.add(self.legend)
        self.chart = ArmsChart(themes)
        self.add(self.chart, 1)
        self.counts = named(ElidedLabel("captionHint"), "armCounts")
        self.add(self.counts)

    def show_answer(self, answer: SurveyResult, found: Compliance) -> None:
        bars = arm_bars(found, answer.study.design)
        titles = {1: self.tr("One arm"), 2: self.tr("Two arms")}
        self.title_label.setText(titles.get(len(bars), self.tr("%s arms") % number(len(bars))))
        self.legend.say(" / ".join(found.sensitive))
        if not found.has_sampling:
            counts = "; ".join(
                self.tr("%s of %s") % (number(bar.reported), number(bar.rows)) for bar in bars
            )
        else:
            counts = self.tr("weighted; %s answers") % number(sum(bar.rows for bar in bars))
        self.counts.setText(counts)
        self.chart.show_bars(bars, counts)


class FactCards(QWidget):
    """The numbers of the answer, two beside each other."""

    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._cards: list[ReadoutCard] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(10)
        self._shown = 0

    def show_answer(self, found: Compliance) -> None:
        told = facts(found)
        while len(self._cards) < len(told):
            card = ReadoutCard(self._themes, _TOPIC)
            card.setObjectName(f"complianceFact{len(self._cards)}")
            card.help_requested.connect(self.help_requested)
            place = len(self._cards)
            self._grid.addWidget(card, place // 2, place % 2)
            self._cards.append(card)
        for place, card in enumerate(self._cards):
            card.setVisible(place < len(told))
            if place < len(told):
                one = told[place]
                card.say(
                    translate(one.label), translate(one.number), translate(one.reading),
                    translate(one.unit),
                )  # fmt: skip
        self._shown = len(told)
        self._fit()

    @property
    def cards(self) -> list[ReadoutCard]:
        """The cards that are seen."""
        return self._cards[: self._shown]

    def set_stale(self, stale: bool) -> None:
        """Dim the numbers."""
        for card in self._cards:
            card.set_stale(stale)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        for first in range(0, self._shown, 2):
            share_lines(self._cards[first : min(first + 2, self._shown)], afresh=True)


class ReadingsCard(Card):
    """The share of the sensitive answer, read in three ways, and if all followed."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Share"))
        self._themes = themes
        self.plot = IntervalPlot(themes, self.tr("Readings of the share"), wide=True)
        self.plot.setObjectName("readingsPlot")
        # The small window has room for narrow rows only; a large one gives more by itself.
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.add(self.plot, 1)

    def show_answer(self, answer: SurveyResult, found: Compliance) -> None:
        value = " / ".join(found.sensitive)
        shown = answer.study.shown(found.attribute.name)
        self.title_label.setText(self.tr("%s: share of “%s”") % (shown, value))
        self.hint_label.setText(self.tr("estimate ± %s") % percent(found.confidence))
        # One line each: there is room beside the name.
        rows = tuple(
            dataclasses.replace(
                one, name=self.tr("%s: %s") % (one.name, one.caption) if one.caption else one.name,
                caption="",
            )
            for one in readings_as_rows(found)
        )  # fmt: skip
        figures = EstimateFormat.of_share()
        self.plot.show_rows(rows, figures.text, is_share=True, from_zero=True)
        px = self._themes.theme.px
        self.plot.setMinimumHeight(px(28 + 20 * len(rows)))
        self.plot.setMaximumHeight(px(34 + 44 * len(rows)))


class BandCard(Card):
    """The estimate for every share of people who do not follow."""

    readings_toggled = Signal(bool)
    reach_changed = Signal(object)
    """The value whose tipping point is wanted, or None."""
    band_changed = Signal(object)
    """From which share to which the band goes."""
    safe_changed = Signal(str)
    """The answer that nobody minds giving."""
    band_copied = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("If the model is wrong"), "")
        self._found: Compliance | None = None
        self._share: float | None = None
        """Where somebody left the line; None before."""
        self._reach: float | None = None
        self._band = (0.0, 0.3)
        self.behaviour = Segmented(
            themes, self.tr("What they do"), [(one, one) for one in (SAFE, RANDOM)]
        )
        self.behaviour.setObjectName("bandBehaviour")
        self.behaviour.chosen.connect(self._on_behaviour)
        self.head.addWidget(self.behaviour)
        self.words = named(text("", "secondary", wrap=True), "bandWords")
        self.add(self.words)
        self._is_narrow = False
        self._narrow_row = row(None)
        self.body.addLayout(self._narrow_row)
        self._make_choices(themes)
        self.plot = BandPlot(themes)
        self.plot.moved.connect(self._on_moved)
        self.add(self.plot, 1)
        self.sentence = named(text("", "secondary", wrap=True), "bandSentence")
        self.add(self.sentence)
        self.reach = named(QLineEdit(), "bandReach", self.tr("Value to reach"))
        self.reach.setPlaceholderText(self.tr("e.g. 30\u202f%"))
        self.reach.setToolTip(self.tr("A direct result or a limit: at which share is it reached?"))
        self.reach.editingFinished.connect(self._on_reach)
        reserve_width(self.reach, themes, 74)
        self.reached = named(text("", "secondary", wrap=True), "bandReached")
        reach_row = row(text(self.tr("Reach"), "label"), self.reach, self.reached, None)
        reach_row.setStretch(2, 1)
        self.body.addLayout(reach_row)
        self.add(line())
        self.use = named(QCheckBox(self.tr("Use the three readings on Share")), "useReadings")
        self.use.toggled.connect(self.readings_toggled)
        self.copy = Button(themes, self.tr("Copy band"), look="link")
        self.copy.setObjectName("copyBand")
        self.copy.clicked.connect(self._on_copy)
        self.body.addLayout(row(self.use, None, self.copy))
        self.keep_at_least(themes.theme.px(300))

    def _make_choices(self, themes: ThemeManager) -> None:
        """Which answer is the safe one, and how far the band goes."""
        self.safe = named(QComboBox(), "bandSafe", self.tr("Safe answer"))
        self.safe.setToolTip(self.tr("The answer that nobody minds giving."))
        self.safe.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.safe.setMinimumContentsLength(8)
        self.safe.activated.connect(lambda _: self.safe_changed.emit(self.safe.currentText()))
        self.end = named(QLineEdit(), "bandEnd", self.tr("Largest share in the band"))
        self.end.setToolTip(self.tr("Up to which share of people who do not follow?"))
        self.end.editingFinished.connect(self._on_end)
        reserve_width(self.end, themes, 60)
        choices = row(
            text(self.tr("Safe answer"), "label"), self.safe, None,
            text(self.tr("Up to"), "label"), self.end,
        )  # fmt: skip
        self.body.addLayout(choices)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put the choice beside the title, or below it where the title would be cut."""
        super().resizeEvent(event)
        margins = self.body.contentsMargins()
        taken = margins.left() + margins.right() + 3 * self.head.spacing()
        wanted = self.title_label.sizeHint().width() + self.behaviour.sizeHint().width()
        is_narrow = self.width() - taken < wanted
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            (self.head if is_narrow else self._narrow_row).removeWidget(self.behaviour)
            if is_narrow:
                self._narrow_row.insertWidget(0, self.behaviour)
            else:
                self.head.addWidget(self.behaviour)

    def show_answer(self, answer: SurveyResult, found: Compliance, *, is_used: bool) -> None:
        """Show another band."""
        if self._found is None or self._found.attribute != found.attribute:
            self._share = None
        self._found = found
        asked = answer.question.compliance
        self._reach = None if asked is None else asked.reach
        self._band = (0.0, 0.3) if asked is None else asked.band
        with QSignalBlocker(self.safe):
            self.safe.clear()
            self.safe.addItems(list(found.attribute.values))
            self.safe.setCurrentIndex(found.safe)
        if not self.end.hasFocus():
            self._show_end()
        offered = list(found.possible)[::-1]
        choices = [(one, translate(behaviour_name(found, one))) for one in offered]
        self.behaviour.set_choices(sorted(choices, key=lambda one: one[0] not in (SAFE, OTHER)))
        wanted = self._behaviour_of(found)
        if self.behaviour.current not in offered or wanted in (RANDOM, OTHER):
            self.behaviour.set_current(wanted)
        if not self.reach.hasFocus():
            reach = "" if self._reach is None else percent(self._reach, 1)
            with QSignalBlocker(self.reach):
                self.reach.setText(reach)
        has_readings = found.classes is not None and bool(found.classes.extra)
        with QSignalBlocker(self.use):
            self.use.setChecked(is_used)
        self.use.setEnabled(has_readings)
        self.use.setToolTip(
            self.tr("Share then shows low, as the followers and high below its estimate.")
            if has_readings
            else self.tr("Only a model of classes has three readings.")
        )
        self._draw()

    def _behaviour_of(self, found: Compliance) -> str:
        classes = found.classes
        if classes is not None and classes.extra and classes.extra[0].value is None:
            return RANDOM
        return OTHER if found.possible.get(OTHER) is not None else SAFE

    @property
    def current(self) -> str:
        """What those who do not follow do."""
        return self.behaviour.current or SAFE

    def _measured(self, found: Compliance, behaviour: str) -> tuple[float, float] | None:
        """What the arms say about the share, where its class is this behaviour."""
        classes = found.classes
        if classes is None:
            return None
        value = None if behaviour == RANDOM else found.safe
        for one, estimate in zip(
            classes.extra, classes.estimates[found.attribute.k :], strict=True
        ):
            if one.value == value and behaviour in (SAFE, RANDOM):
                return estimate.low, estimate.high
        return None

    def _draw(self) -> None:
        found = self._found
        if found is None:
            return
        behaviour = self.current
        points = [one for one in found.points if one.behaviour == behaviour]
        if not points:
            return
        span = found.possible.get(behaviour)
        least, most = span or (0.0, 0.0)
        ends = [points[0].share, points[-1].share]
        # Outside the possible shares nothing is drawn.
        shown = sorted(
            {one.share for one in points if least <= one.share <= most}
            | {share for share in (least, most) if ends[0] <= share <= ends[1]}
        )
        seen = [found.at_share(behaviour, share) for share in shown]
        seen = seen if len(seen) > 1 else points
        axis = translate(behaviour_axis(found, behaviour))
        unknown = (math.nan,) * 3
        known = [(one.share, one.estimate, one.low, one.high) for one in seen]
        before = [(ends[0], *unknown)] if seen[0].share > ends[0] else []
        after = [(ends[1], *unknown)] if seen[-1].share < ends[1] else []
        x, y, low, high = np.array([*before, *known, *after]).T
        curve = BandCurve(x, y, low, high, most, self._measured(found, behaviour), axis)
        share = self._share
        if share is None:
            share = self._first_share(found, behaviour, ends)
        share = min(max(share, ends[0]), ends[1])
        point = found.at_share(behaviour, share)
        inside = least - 1e-9 <= share <= most + 1e-9
        self.plot.show_curve(curve, share, point.estimate if inside else math.nan)
        did = translate(found.behaviour_did(behaviour))
        self.words.setText(
            self.tr("The share of “%s” if some %s. Drag the line to your own judgement.")
            % (" / ".join(found.sensitive), did)
        )
        said = self.tr("At %s: %s (%s to %s).") % (
            percent(share, 1), percent(point.estimate, 1), number(100 * point.low, 1),
            percent(point.high, 1),
        )  # fmt: skip
        if not inside:
            said = self.tr("At %s the reports would be impossible.") % percent(share, 1)
        limit = ""
        if span is None:
            limit = self.tr("So would they at every other share.")
        elif least > 0:
            limit = self.tr("The data allow %s to %s.") % (number(100 * least, 1), percent(most, 1))
        elif most < 1:
            limit = self.tr("The data allow at most %s.") % percent(most, 1)
        self.sentence.setText(f"{said} {limit}".strip())
        self.sentence.setToolTip(translate(found.band_sentence(behaviour)))
        show_words(self.reached, self._reached_words(found, behaviour))

    def _first_share(self, found: Compliance, behaviour: str, ends: list[float]) -> float:
        """At what the arms say, else at 10 %."""
        measured, classes = self._measured(found, behaviour), found.classes
        if measured is not None and classes is not None:
            return float(classes.fitted.shares[found.attribute.k :].sum())
        span = found.possible.get(behaviour)
        return min(max(0.1, 0.0 if span is None else span[0]), ends[1])

    def _reached_words(self, found: Compliance, behaviour: str) -> str:
        if self._reach is None:
            return ""
        at = found.reach.get(behaviour)
        if at is None:
            return self.tr("%s is not reached.") % percent(self._reach, 1)
        did = translate(found.behaviour_did(behaviour))
        return self.tr("%s is reached if %s %s.") % (percent(self._reach, 1), percent(at, 1), did)

    def _on_behaviour(self, _: str) -> None:
        self._draw()

    def _on_moved(self, share: float) -> None:
        self._share = share
        self._draw()

    def _show_end(self) -> None:
        with QSignalBlocker(self.end):
            self.end.setText(percent(self._band[1], 1))

    def _on_end(self) -> None:
        value = _typed_share(self.end.text().strip())
        if value is None or not self._band[0] < value < 1:
            self._show_end()
        elif abs(value - self._band[1]) > 1e-9:
            self._band = (self._band[0], value)
            self.band_changed.emit(self._band)

    def _on_reach(self) -> None:
        typed = self.reach.text().strip()
        value = _typed_share(typed)
        if typed and (value is None or not 0 <= value <= 1):
            with QSignalBlocker(self.reach):
                self.reach.setText("" if self._reach is None else percent(self._reach, 1))
            return
        if value != self._reach:
            self._reach = value
            self.reach_changed.emit(value)

    def _on_copy(self) -> None:
        if self._found is not None:
            copy_rows(band_rows(self._found), translate(self._found.band_sentence(self.current)))
            self.band_copied.emit()

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""
        self.plot.set_stale(stale)


def _typed_share(typed: str) -> float | None:
    value = read_share(typed) if typed else None
    if value is not None and value > 1 and not typed.endswith("%"):
        # Whoever types 30 means 30 %.
        return value / 100
    return value


class ComplianceView(CardArea):
    """All cards of compliance; where there is little room they stand below each other."""

    narrow = _NARROW

    readings_toggled = Signal(bool)
    reach_changed = Signal(object)
    band_changed = Signal(object)
    safe_changed = Signal(str)
    copied = Signal()
    """Something is on the clipboard."""
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes)
        self.is_used = False
        """Whether Share tells the readings of this question."""
        self.words = AnswerSummary(themes)
        self.words.copied.connect(self.copied)
        self.arms = ArmsCard(themes)
        self.facts = FactCards(themes)
        self.facts.help_requested.connect(self.help_requested)
        self.class_card = Card(padding=9)
        self.classes = ClassBar(themes)
        self.class_card.add(self.classes)
        self.middle = QWidget()
        middle = column(self.facts, self.class_card, None, parent=self.middle, spacing=10)
        middle.setContentsMargins(0, 0, 0, 0)
        self.readings = ReadingsCard(themes)
        self.second = Card(self.tr("What a second arm would have cost"))
        self.second_words = named(text("", wrap=True), "secondArm")
        self.second.add(self.second_words)
        self.second.body.addStretch(1)
        self.below = QWidget()
        column(self.readings, self.second, parent=self.below, spacing=0)
        self.band = BandCard(themes)
        self.band.readings_toggled.connect(self.readings_toggled)
        self.band.reach_changed.connect(self.reach_changed)
        self.band.band_changed.connect(self.band_changed)
        self.band.safe_changed.connect(self.safe_changed)
        self.band.band_copied.connect(self.copied)
        self.remarks = RemarksLine(themes)
        self.arrange(is_narrow=False)

    def _place(self, *, is_narrow: bool) -> None:
        """As the wireframe has it, or all in one column but the band."""
        wide = {
            self.words: (0, 0, 1, 3), self.arms: (1, 0, 1, 1), self.middle: (1, 1, 1, 1),
            self.below: (2, 0, 1, 2), self.band: (1, 2, 2, 1), self.remarks: (3, 0, 1, 3),
        }  # fmt: skip
        narrow = {
            self.words: (0, 0, 1, 3), self.arms: (1, 0, 1, 3), self.middle: (2, 0, 1, 3),
            self.below: (3, 0, 1, 3), self.band: (4, 0, 1, 3), self.remarks: (5, 0, 1, 3),
        }  # fmt: skip
        for part, place in (narrow if is_narrow else wide).items():
            self._grid.removeWidget(part)
            self._grid.addWidget(part, *place)
        for across, stretch in enumerate((6, 7, 7)):
            self._grid.setColumnStretch(across, 0 if is_narrow else stretch)
        self._grid.setRowStretch(1, 0 if is_narrow else 1)
        self._grid.setRowStretch(2, 0 if is_narrow else 1)

    def show_answer(self, answer: SurveyResult) -> None:
        found = answer.result
        assert isinstance(found, Compliance)  # noqa: S101 (other answers have other cards)
        study = answer.study
        self.words.say(translate(study.titled(in_words(found))))
        self.arms.show_answer(answer, found)
        self.facts.show_answer(found)
        parts = class_parts(found)
        self.class_card.setVisible(bool(parts))
        self.classes.show_parts(parts)
        self.readings.show_answer(answer, found)
        cost = second_arm(found) if found.model == BAND else None
        self.second.setVisible(cost is not None)
        self.second_words.setText("" if cost is None else translate(cost))
        self.readings.setVisible(found.model != BAND)
        self.band.setVisible(bool(found.points))
        self.band.show_answer(answer, found, is_used=self.is_used)
        remarks = [one for one in answer.remarks if Message.of(one).code != SIMULATED]
        drawn = [one for one in answer.remarks if Message.of(one).code == SIMULATED]
        self.remarks.say((*drawn, *remarks))

    def show_use(self, is_used: bool) -> None:
        """Say whether Share tells the readings."""
        self.is_used = is_used
        with QSignalBlocker(self.band.use):
            self.band.use.setChecked(is_used)

    def set_stale(self, words: str) -> None:
        """Mark everything as older."""
        badge: QLabel = self.words.stale_badge
        badge.setText(words)
        badge.setVisible(bool(words))
        stale = bool(words)
        self.arms.chart.set_stale(stale)
        self.classes.set_stale(stale)
        self.facts.set_stale(stale)
        self.readings.plot.set_stale(stale)
        self.band.set_stale(stale)
