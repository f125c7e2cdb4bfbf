"""Regressions: coefficients, predictions, tests, standard errors and checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QStackedWidget,
    QWidget,
)

from ppworkbench.analyses.regression.answers import (
    VARIANCES,
    JudgedFit,
    ModelPredictions,
    why_no_fit_test,
    why_no_variance,
)
from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.message import Message
from ppworkbench.core.models import Regression
from ppworkbench.core.models.results import Prediction
from ppworkbench.core.survey.estimates import Estimate
from ppworkbench.gui.charts.intervals import IntervalPlot, IntervalRow, Mark
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import THIN, percent, with_unit
from ppworkbench.gui.pages.survey.regression.coefficients_card import ForestCard
from ppworkbench.gui.pages.survey.regression.texts import (
    check_rows,
    error_words,
    left_out_words,
    prediction_title,
    test_rows,
    tests_note,
)
from ppworkbench.gui.pages.survey.texts import EstimateFormat, variance_word
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, CardArea, MarkedLines
from ppworkbench.gui.widgets.controls import Button, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import line, row, scroll_area, text
from ppworkbench.results.picture import Axis, Picture, Role, Shape
from ppworkbench.results.picture import Mark as PictureMark
from ppworkbench.results.sheet import Kind

_NARROW = 1080
_LOPSIDED = 2.0
"""How many times longer one side of an interval may be."""
_PRECISE = 0.03
"""Shares with narrower intervals are written with a decimal."""


@dataclass(frozen=True, eq=False)
class ModelState:
    """What is told of a regression beside its coefficients.

    Parameters
    ----------
    by
        The predictor by which the outcome is predicted; empty where there is none.
    predictions
        Those of this regression, or None while they are on their way.
    judged
        How well it fits; None before somebody asked.
    """

    by: str = ""
    predictions: ModelPredictions | None = None
    is_predicting: bool = False
    judged: JudgedFit | None = None
    is_judging: bool = False

    @property
    def shown(self) -> tuple[object, ...]:
        """What the cards show of it."""
        return self.by, self.predictions, self.is_predicting, self.judged, self.is_judging


# The predictions


class PredictionCard(Card):
    """What is expected by one predictor, all others as they were observed."""

    by_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._answer: SurveyResult | None = None
        self._shown: ModelPredictions | None = None
        self.heading = ElidedLabel("strong")
        self.heading.setObjectName("predictionTitle")
        self.outcome = self._box("predictionOutcome", self.tr("Predicted answer"))
        self.outcome.activated.connect(self._draw)
        self.by = self._box("predictionBy", self.tr("Predict by"))
        self.by.activated.connect(lambda: self.by_chosen.emit(str(self.by.currentData() or "")))
        self.head.addWidget(self.heading, 1)
        self.head.addWidget(self.by)
        self.body.addLayout(self.head)
        self.legend = PictureLegend(themes)
        self.busy = text(self.tr("updating"), "accentBadge")
        self.busy.hide()
        self.others = text(self.tr("others as observed"), "captionHint")
        self.body.addLayout(row(self.legend, None, self.busy, self.others, self.outcome))
        self.plot = PictureChart(themes, self.tr("Predictions"), size=(260, 180))
        self.plot.setObjectName("predictionPlot")
        self.points = IntervalPlot(themes, self.tr("Predictions"))
        self.points.setObjectName("predictionPoints")
        self._area = scroll_area(self.points)
        self.absent = text("", "hint", wrap=True)
        self.absent.setObjectName("predictionAbsent")
        self.absent.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedWidget()
        for part in (self.plot, self._area, self.absent):
            self.stack.addWidget(part)
        self.body.addWidget(self.stack, 1)
        self.keep_at_least(themes.theme.px(270))

    def _box(self, name: str, words: str) -> QComboBox:
        box = QComboBox()
        box.setObjectName(name)
        box.setAccessibleName(words)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(11)
        return box

    def show_state(self, answer: SurveyResult, found: Regression, state: ModelState) -> None:
        """Show predictions, that they are on their way, or why there are none."""
        self._answer, self._shown = answer, state.predictions
        study = answer.study
        with QSignalBlocker(self.by):
            self.by.clear()
            for name in found.formula.predictors:
                self.by.addItem(tr("by %s") % study.shown(name), name)
            self.by.setCurrentIndex(self.by.findData(state.by))
        self.by.setVisible(self.by.count() > 0)
        rows = () if state.predictions is None else state.predictions.rows
        outcomes = list(dict.fromkeys(one.outcome for one in rows if one.outcome))
        before = self.outcome.currentData()
        with QSignalBlocker(self.outcome):
            self.outcome.clear()
            for value in outcomes:
                self.outcome.addItem(value, value)
            # What was seen before, the marked answer, else the last.
            marked = study.design[found.formula.outcome].attribute.sensitive
            wanted = (before, *marked, *outcomes[::-1])
            first = next((value for value in wanted if value in outcomes), "")
            self.outcome.setCurrentIndex(max(self.outcome.findData(first), 0))
        self.outcome.setVisible(len(outcomes) > 1)
        self.busy.setVisible(state.is_predicting)
        self._draw()

    def _draw(self) -> None:
        answer, shown = self._answer, self._shown
        if answer is None or not isinstance(answer.result, Regression):
            return
        found = answer.result
        outcome = str(self.outcome.currentData() or "")
        self.heading.setText(prediction_title(answer, found, outcome))
        self.legend.show_entries(
            (("reconstructed", tr("prediction ± %s") % percent(found.confidence)),)
        )
        rows = () if shown is None else shown.rows
        rows = tuple(one for one in rows if one.outcome in ("", outcome))
        if shown is None or not rows:
            self._show_absent(answer, found, shown)
            return
        figures = EstimateFormat.of_share()
        if not found.family.gives_shares:
            attribute = answer.study.design[found.formula.outcome].attribute
            figures = EstimateFormat.of_number(attribute)
        self.legend.show()
        is_alone = self.outcome.isHidden() and self.busy.isHidden()
        self.others.setVisible(len(found.formula.predictors) > 1 and is_alone)
        by = answer.study.design[shown.by].attribute
        if by.kind.is_categorical or len(rows) == 1:
            self._draw_points(rows, shown.by, figures)
        else:
            name = with_unit(answer.study.shown(shown.by), answer.study.unit(shown.by))
            self._draw_line(rows, shown.by, name, figures)

    def _show_absent(
        self, answer: SurveyResult, found: Regression, shown: ModelPredictions | None
    ) -> None:
        if not found.formula.predictors:
            said = tr("Add a predictor to see predictions.")
        elif shown is not None and shown.refusal:
            said = translate(answer.study.titled(shown.refusal))
        elif shown is not None:
            said = tr("Nothing can be predicted by this predictor.")
        elif self.busy.isHidden():
            said = tr("Cancelled. Choose a predictor above to predict again.")
        else:
            said = tr("Computing…")
        self.absent.setText(said)
        self.legend.hide()
        self.others.hide()
        self.stack.setCurrentWidget(self.absent)

    def _draw_points(self, rows: Sequence[Prediction], by: str, figures: EstimateFormat) -> None:
        shown = tuple(
            IntervalRow(
                one.given[by],
                (Mark("reconstructed", tr("prediction"), one.estimate, one.low, one.high),),
                "", _reach_words(one, figures),
            )
            for one in rows
        )  # fmt: skip
        if figures.is_share:
            self.points.show_rows(shown, figures.text, is_share=True, from_zero=True)
        else:
            self.points.show_rows(shown, figures.text, from_zero=False)
        self.points.setMaximumHeight(self._themes.theme.px(34 + 52 * len(shown)))
        self.stack.setCurrentWidget(self._area)

    def _draw_line(
        self, rows: Sequence[Prediction], by: str, name: str, figures: EstimateFormat
    ) -> None:
        x = np.array([float(one.given[by]) for one in rows])
        y, low, high = (
            np.array([getattr(one, what) for one in rows]) for what in ("estimate", "low", "high")
        )
        places = sorted({0, len(rows) // 2, len(rows) - 1})
        told = tuple(_reach_words(rows[place], figures) for place in places)
        self.plot.set_picture(
            prediction_picture(name, x, (y, low, high), (places, told), figures.is_share),
            figures.text,
        )
        self.stack.setCurrentWidget(self.plot)

    def set_stale(self, stale: bool) -> None:
        """Dim what belongs to another question or design."""
        self.plot.set_stale(stale)
        self.points.set_stale(stale)


def prediction_picture(
    name: str,
    x: Numbers,
    numbers: tuple[Numbers, Numbers, Numbers],
    told: tuple[Sequence[int], tuple[str, ...]],
    is_share: bool,
) -> Picture:
    """The expected outcome with its band; ``told`` are places and the words beside them."""
    y, low, high = numbers
    place, role, title = list(told[0]), Role.ESTIMATE, Message(tr("Predictions"))
    marks = (
        PictureMark(Shape.LINE, role, Message(tr("prediction")), x, y, low, high),
        PictureMark(Shape.POINTS, role, Message(""), x[place], y[place], words=told[1]),
    )
    up = Axis(title)
    if is_share:
        top = float(np.where(np.isfinite(high), high, y).max())
        up = Axis(title, low=0.0, high=min(1.12 * top, 1.0), kind=Kind.SHARE)
    return Picture("predictions", title, Axis(Message(name)), up, marks)


def _reach_words(one: Prediction, figures: EstimateFormat) -> str:
    """A prediction with half its interval; whole percents unless that would be 0."""
    value = Estimate(one.estimate, one.low, one.high, one.standard_error, None, None)
    below, above = one.estimate - one.low, one.high - one.estimate
    if figures.is_share and max(below, above) > _LOPSIDED * min(below, above):
        # Half of an interval says little where the estimate lies near one of its ends.
        shown = figures if one.high - one.low < _PRECISE else EstimateFormat(0, True)
        return shown.interval(value) + f"{THIN}%"
    if figures.is_share and one.high - one.low < _PRECISE:
        return f"{figures.bare(one.estimate)} {figures.reach(value)}"
    return figures.with_reach(value)


# Tests, errors and checks


class TestsCard(Card):
    """Whether the predictors explain anything."""

    def __init__(self) -> None:
        super().__init__(self.tr("Does the model explain anything?"))
        self._lines: list[tuple[QLabel, QLabel, QWidget]] = []
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(5)
        self._grid.setColumnStretch(0, 1)
        self.body.addLayout(self._grid)
        self.note = text("", "captionHint", wrap=True)
        self.add(self.note)
        self.body.addStretch(1)

    def show_rows(self, rows: Sequence[tuple[str, str]], note: str) -> None:
        while len(self._lines) < len(rows):
            place = 2 * len(self._lines)
            what, result, rule = text("", "body", wrap=True), text("", "secondary"), line()
            for label in (what, result):
                label.setTextFormat(Qt.TextFormat.PlainText)
            result.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._grid.addWidget(what, place, 0)
            self._grid.addWidget(result, place, 1)
            self._grid.addWidget(rule, place + 1, 0, 1, 2)
            self._lines.append((what, result, rule))
        for place, parts in enumerate(self._lines):
            for part in parts:
                part.setVisible(place < len(rows))
            if place < len(rows):
                parts[0].setText(rows[place][0])
                parts[1].setText(rows[place][1])
        self.note.setText(note)

    @property
    def texts(self) -> list[tuple[str, str]]:
        """What is seen."""
        return [
            (what.text(), result.text()) for what, result, _ in self._lines if not what.isHidden()
        ]


class ErrorsCard(Card):
    """Where the standard errors come from."""

    variance_chosen = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Standard errors"))
        self.variance = Segmented(
            themes, self.tr("Standard errors"), [(one, variance_word(one)) for one in VARIANCES]
        )
        self.variance.setObjectName("regressionVariance")
        self.variance.chosen.connect(self.variance_chosen)
        self.body.addLayout(row(self.variance, None))
        self.words = text("", "secondary", wrap=True)
        self.words.setObjectName("errorWords")
        self.add(self.words)
        self.body.addStretch(1)

    def show_answer(self, answer: SurveyResult, found: Regression) -> None:
        """Tell of the errors of another regression."""
        self.variance.set_current(found.variance)
        reasons = why_no_variance(answer.question, answer.study)
        self.variance.set_disabled({key: translate(why) for key, why in reasons.items()})
        self.words.setText(error_words(answer, found))


class ChecksCard(Card):
    """What speaks for the numbers, and what against them."""

    fit_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Checks"))
        self.fit_button = Button(themes, self.tr("Test the fit"), "", "link")
        self.fit_button.setObjectName("testFit")
        self.fit_button.clicked.connect(self.fit_requested)
        self.head.addWidget(self.fit_button)
        self._lines = MarkedLines(themes, 4)
        self.body.addLayout(self._lines)
        self.left_out = text("", "captionHint", wrap=True)
        self.left_out.setObjectName("regressionLeftOut")
        self.add(self.left_out)
        self.body.addStretch(1)

    def show_state(self, answer: SurveyResult, found: Regression, state: ModelState) -> None:
        rows = check_rows(answer, found, state.judged)
        self._lines.show_lines([("good" if is_good else "doubt", said) for is_good, said in rows])
        self.left_out.setText(left_out_words(found))
        why = why_no_fit_test(answer)
        is_free = why is None and not state.is_judging
        self.fit_button.setEnabled(is_free)
        self.fit_button.setText(
            self.tr("Testing…") if state.is_judging else self.tr("Test the fit")
        )
        tip = self.tr("Compare reported and expected answers in 199 simulated surveys.")
        self.fit_button.setToolTip(tip if why is None else translate(why))

    @property
    def texts(self) -> list[str]:
        """What is seen."""
        return self._lines.texts


class RegressionView(CardArea):
    """All cards of a regression; where there is little room they stand below each other."""

    narrow = _NARROW

    by_chosen = Signal(str)
    variance_chosen = Signal(str)
    fit_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(themes)
        self.forest = ForestCard(themes)
        self.prediction = PredictionCard(themes)
        self.prediction.by_chosen.connect(self.by_chosen)
        self.tests = TestsCard()
        self.errors = ErrorsCard(themes)
        self.errors.variance_chosen.connect(self.variance_chosen)
        self.checks = ChecksCard(themes)
        self.checks.fit_requested.connect(self.fit_requested)
        self.arrange(is_narrow=False)

    def _place(self, *, is_narrow: bool) -> None:
        """Two cards above three, or all but one over the whole width."""
        cards = (self.forest, self.prediction, self.tests, self.errors, self.checks)
        wide = ((0, 0, 4), (0, 4, 2), (1, 0, 2), (1, 2, 2), (1, 4, 2))
        narrow = ((0, 0, 6), (1, 0, 6), (2, 0, 3), (2, 3, 3), (3, 0, 6))
        for card, (down, across, span) in zip(cards, narrow if is_narrow else wide, strict=True):
            self._grid.removeWidget(card)
            self._grid.addWidget(card, down, across, 1, span)
        self.forest.show_more(is_narrow)
        for place in range(6):
            self._grid.setColumnStretch(place, 1)
        self._grid.setRowStretch(0, 1)

    def show_answer(self, answer: SurveyResult) -> None:
        found = answer.result
        assert isinstance(found, Regression)  # noqa: S101 (other answers have other cards)
        self.forest.show_answer(answer, found)
        self.tests.show_rows(test_rows(answer, found), tests_note(found))
        self.errors.show_answer(answer, found)

    def show_state(self, answer: SurveyResult, state: ModelState) -> None:
        """Show what is told beside the coefficients."""
        found = answer.result
        assert isinstance(found, Regression)  # noqa: S101 (other answers have other cards)
        self.prediction.show_state(answer, found, state)
        self.checks.show_state(answer, found, state)

    def set_stale(self, words: str) -> None:
        """Mark everything as older."""
        self.forest.set_stale(words)
        self.prediction.set_stale(bool(words))
