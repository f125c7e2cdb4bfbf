"""Who followed the instructions: the answer in words, reports by arm, estimates, and the band."""

from __future__ import annotations

import dataclasses
import math

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit

from ppworkbench.analyses.compliance.compliance import (
    band_curve,
    band_picture,
    behaviour_name,
    measured_share,
    usual_behaviour,
)
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.compliance.band import OTHER, RANDOM, SAFE
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number, percent, read_share
from ppworkbench.gui.pages.survey.answer_cards import (
    AnswerActions,
    AnswerCard,
    AnswerView,
    Named,
    NotesCard,
    PictureCard,
    SentenceCard,
    SheetCard,
    SurveyView,
    named_picture,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, Segmented
from ppworkbench.gui.widgets.layout import line, named, reserve_width, row, show_words, text
from ppworkbench.gui.widgets.table import copy_tables
from ppworkbench.results.files import cells_of
from ppworkbench.results.result import Result

_ESTIMATE = ("estimate", "low", "high", "standard_error")


class BandCard(AnswerCard):
    """The estimate for every share of people who do not follow."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        super().__init__(self.tr("If the model is wrong"), "")
        self._actions = actions
        self._found: Compliance | None = None
        self._told: Result | None = None
        self._titled: Named = str
        self._curves: dict[str, Numbers] = {}
        """The curves of this answer, which take longer than to draw them."""
        self.share = 0.0
        """Where the line stands."""
        self._left: float | None = None
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
        chart = PictureChart(
            themes, self.tr("Share of people who do not follow"), size=(360, 150), least=(220, 120)
        )
        self.plot = named(chart, "bandPlot")
        self.plot.viewport().setCursor(Qt.CursorShape.SizeHorCursor)
        self.plot.dragged.connect(self._on_dragged)
        self.add(self.plot.legend)
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
        self.use = named(QCheckBox(self.tr("Show all three under Share")), "useReadings")
        self.use.toggled.connect(actions.readings_toggled)
        self.copy = named(Button(themes, self.tr("Copy range"), look="link"), "copyBand")
        self.copy.clicked.connect(self._on_copy)
        self.body.addLayout(row(self.use, None, self.copy))
        self.keep_at_least(themes.theme.px(300))

    def _make_choices(self, themes: ThemeManager) -> None:
        """Which answer is the safe one, and how far the band goes."""
        self.safe = named(ChoiceBox(self.tr("Safe answer"), ()), "bandSafe")
        self.safe.setToolTip(self.tr("The answer that nobody minds giving."))
        self.safe.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.safe.setMinimumContentsLength(8)
        self.safe.chosen.connect(self._actions.safe_changed)
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

    def show_answer(self, answer: SurveyResult, told: Result) -> None:
        found = answer.result
        assert isinstance(found, Compliance)  # noqa: S101 (other answers have other cards)
        self.is_there = bool(found.points)
        self._told, self._titled = told, answer.study.titled
        if self._found is None or self._found.attribute != found.attribute:
            self._left = None
        self._found, self._curves = found, {}
        asked = answer.question.compliance
        self._reach = None if asked is None else asked.reach
        self._band = (0.0, 0.3) if asked is None else asked.band
        values = found.attribute.values
        self.safe.set_choices([(one, one) for one in values])
        self.safe.set_current(values[found.safe])
        if not self.end.hasFocus():
            self._show_end()
        offered = list(found.possible)[::-1]
        choices = [(one, translate(behaviour_name(found, one))) for one in offered]
        self.behaviour.set_choices(sorted(choices, key=lambda one: one[0] not in (SAFE, OTHER)))
        wanted = usual_behaviour(found)
        if self.behaviour.current not in offered or wanted in (RANDOM, OTHER):
            self.behaviour.set_current(wanted)
        if not self.reach.hasFocus():
            reach = "" if self._reach is None else percent(self._reach, 1)
            with QSignalBlocker(self.reach):
                self.reach.setText(reach)
        has_readings = found.classes is not None and bool(found.classes.extra)
        self.use.setEnabled(has_readings)
        self.use.setToolTip(
            self.tr("Share then shows low, as the followers and high below its estimate.")
            if has_readings
            else self.tr("Only a model of classes has three readings.")
        )
        self._draw()

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:  # noqa: ARG002
        """Say whether Share tells the readings."""
        with QSignalBlocker(self.use):
            self.use.setChecked(view.uses_readings)

    @property
    def current(self) -> str:
        """What those who do not follow do."""
        return self.behaviour.current or SAFE

    def _draw(self) -> None:
        found, behaviour = self._found, self.current
        if found is None or all(one.behaviour != behaviour for one in found.points):
            return
        if behaviour not in self._curves:
            self._curves[behaviour] = band_curve(found, behaviour)
        curve = self._curves[behaviour]
        first, last = float(curve[0, 0]), float(curve[0, -1])
        span = found.possible.get(behaviour)
        least, most = span or (0.0, 0.0)
        wanted = self._first_share(found, behaviour, last) if self._left is None else self._left
        share = self.share = min(max(wanted, first), last)
        point = found.at_share(behaviour, share)
        inside = least - 1e-9 <= share <= most + 1e-9
        here = point if inside else dataclasses.replace(point, estimate=math.nan)
        self.plot.set_picture(
            named_picture(band_picture(found, behaviour, curve, here), self._titled)
        )
        did = translate(found.behaviour_did(behaviour))
        self.words.setText(
            self.tr("The share of “%s” if some %s. Drag the line to your own assumption.")
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

    def _first_share(self, found: Compliance, behaviour: str, last: float) -> float:
        """At what the arms say, else at 10 %."""
        classes = found.classes
        if classes is not None and measured_share(found, behaviour) is not None:
            return float(classes.fitted.shares[found.attribute.k :].sum())
        span = found.possible.get(behaviour)
        return min(max(0.1, 0.0 if span is None else span[0]), last)

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

    def _on_dragged(self, _: str, share: float) -> None:
        self._left = round(share, 3)
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
            self._actions.band_changed.emit(self._band)

    def _on_reach(self) -> None:
        typed = self.reach.text().strip()
        value = _typed_share(typed)
        if typed and (value is None or not 0 <= value <= 1):
            with QSignalBlocker(self.reach):
                self.reach.setText("" if self._reach is None else percent(self._reach, 1))
            return
        if value != self._reach:
            self._reach = value
            self._actions.reach_changed.emit(value)

    def _on_copy(self) -> None:
        if self._found is not None and self._told is not None:
            band = self._told.sheet("band")
            said = translate(self._found.band_sentence(self.current))
            copy_tables(cells_of(band, translate), [band], said)
            self._actions.copied.emit()

    def set_stale(self, stale: bool) -> None:
        self.plot.set_stale(stale)


def _typed_share(typed: str) -> float | None:
    value = read_share(typed) if typed else None
    if value is not None and value > 1 and not typed.endswith("%"):
        # Whoever types 30 means 30 %.
        return value / 100
    return value


class ComplianceView(AnswerView):
    """All cards of compliance."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        self.words = SentenceCard(themes, "compliance", actions)
        self.arms = PictureCard(themes, "arms")
        self.estimates = SheetCard(themes, "estimates", rows=12, shares=_ESTIMATE)
        self.band = BandCard(themes, actions)
        self.direct = SheetCard(themes, "direct", shares=_ESTIMATE)
        self.reports = SheetCard(themes, "reported")
        self.notes = NotesCard(themes)
        super().__init__(
            themes, "complianceView", self.words, self.estimates, self.band, self.arms,
            self.notes, self.direct, self.reports,
        )  # fmt: skip
