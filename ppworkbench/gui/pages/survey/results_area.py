"""Where answers are shown: one view per kind of statistic, made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.survey.answers import SharperInterval, SurveyError, SurveyResult
from ppworkbench.analyses.survey.questions import (
    COMPARE,
    COMPLIANCE,
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    LIST,
    MEAN,
    QUANTILE,
    RATIO,
    REGRESSION,
    Question,
)
from ppworkbench.analyses.survey.splits import SplitResult, split_choices
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.compliance.view import ComplianceView
from ppworkbench.gui.pages.survey.crosstab_card import CrosstabCard
from ppworkbench.gui.pages.survey.interval_cards import CompareCard, QuantileCard
from ppworkbench.gui.pages.survey.lists.cards import ListView
from ppworkbench.gui.pages.survey.regression.cards import ModelState, RegressionView
from ppworkbench.gui.pages.survey.result_cards import (
    DistributionCard,
    EstimateCard,
    SplitCard,
    empty_split,
    title,
)
from ppworkbench.gui.pages.survey.statistic_words import words_of
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.layout import PageStack, column
from ppworkbench.gui.widgets.splitter import Splitter


@dataclass(frozen=True, eq=False)
class SurveyView:
    """What stands below the question.

    Parameters
    ----------
    question
        The question of now.
    badge
        Why the answer is not one to the question and the study of now; empty if it is.
    by
        What the answer is split by; empty where it cannot be.
    split
        Rows of this answer, or still those of an earlier one.
    sharper
        Intervals of this answer for narrower peaks of a number under noise, once asked for.
    model
        What is told of a regression beside its coefficients.
    is_coming
        Whether an answer to the question of now is on its way.
    can_ask
        Whether the question of now can be asked.
    uses_readings
        Whether Share tells the readings of the question whose compliance is shown.
    """

    question: Question = field(default_factory=Question)
    answer: SurveyResult | None = None
    error: SurveyError | None = None
    badge: str = ""
    by: str = ""
    split: SplitResult | None = None
    is_splitting: bool = False
    sharper: tuple[SharperInterval, ...] = ()
    model: ModelState = field(default_factory=ModelState)
    is_coming: bool = False
    can_ask: bool = False
    uses_readings: bool = False

    @property
    def split_state(self) -> tuple[object, ...]:
        """What the card of the split shows."""
        return self.answer, self.by, self.split, self.is_splitting


class NumberView(Splitter):
    """A count or a mean, and the same by another attribute.

    Its cards are made when they are first needed: each has a plot, and a plot takes long to make.
    """

    split_chosen = Signal(str)
    copy_requested = Signal()
    sharper_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._themes = themes
        self._estimate: EstimateCard | None = None
        self._split: SplitCard | None = None
        self.setObjectName("surveyColumns")
        self.setHandleWidth(12)
        self.setChildrenCollapsible(False)
        self._places = [QWidget(), QWidget()]
        for place in self._places:
            column(parent=place)
            self.addWidget(place)
        self.setSizes([500, 500])

    @property
    def estimate(self) -> EstimateCard:
        if self._estimate is None:
            self._estimate = EstimateCard(self._themes)
            self._estimate.copy_requested.connect(self.copy_requested)
            self._estimate.sharper_requested.connect(self.sharper_requested)
            self._places[0].layout().addWidget(self._estimate)
        return self._estimate

    @property
    def split(self) -> SplitCard:
        """The card of the number by another attribute."""
        if self._split is None:
            self._split = SplitCard(self._themes)
            self._split.by_chosen.connect(self.split_chosen)
            self._places[1].layout().addWidget(self._split)
        return self._split

    def show_answer(self, answer: SurveyResult) -> None:
        self.estimate.show_answer(answer)

    def show_split(self, answer: SurveyResult, view: SurveyView) -> None:
        """Show the rows of a split, or that they are on their way."""
        by, split = view.by, view.split
        # Beside the arms there is no room for another split.
        self._places[1].setVisible(not answer.question.by_arm)
        if answer.question.by_arm:
            return
        card, asked = self.split, answer.question
        card.show_choices(split_choices(asked, answer.study.design), by, answer.study)
        if not by:
            card.show_absent(self.tr("By another attribute"), empty_split(asked))
        elif split is None:
            card.show_absent(
                title(asked, by, asked.condition, answer.study.shown), self.tr("Computing…")
            )
        elif split.by == by:
            card.show_split(split, answer.study)
        card.set_busy(view.is_splitting and split is not None)

    def set_stale(self, words: str) -> None:
        """Mark everything as older."""
        self.estimate.set_stale(words)
        if self._split is not None:
            self._split.set_stale(bool(words))


AnswerView = (
    NumberView | DistributionCard | CrosstabCard | QuantileCard | CompareCard | RegressionView
    | ListView | ComplianceView
)  # fmt: skip
V = TypeVar("V", bound=AnswerView)

_VIEWS: Mapping[str, type[AnswerView]] = {
    COUNT: NumberView,
    MEAN: NumberView,
    RATIO: NumberView,
    QUANTILE: QuantileCard,
    DISTRIBUTION: DistributionCard,
    CROSSTAB: CrosstabCard,
    COMPARE: CompareCard,
    REGRESSION: RegressionView,
    COMPLIANCE: ComplianceView,
    LIST: ListView,
}
"""Which view shows the answers of a statistic."""


class ResultsArea(PageStack):
    """The answer to the last question, or what to do while there is none."""

    gives_way = False
    split_chosen = Signal(str)
    copy_requested = Signal()
    sharper_requested = Signal()
    button_clicked = Signal()
    answer_requested = Signal()
    """A question whose answer was cancelled is asked again."""
    prediction_chosen = Signal(str)
    variance_chosen = Signal(str)
    fit_requested = Signal()
    compliance_made = Signal(object)
    """The view of compliance is there, with its own signals."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._views: dict[type[QWidget], QWidget] = {}
        self._listeners: Mapping[type[QWidget], Callable[[Any], None]] = {
            RegressionView: self._listen_to_regression,
            ComplianceView: self.compliance_made.emit,
        }
        self._view = SurveyView()
        self.empty = self._notice(
            "survey",
            self.tr("No estimate yet"),
            self.tr("Add a condition above; the estimate follows at once."),
            self.tr("Add condition"),
        )
        self.empty.button.clicked.connect(self.button_clicked)
        self.empty.button.setObjectName("firstCondition")
        self.refused = self._notice("warning", "", "", "")
        self.waiting = self._notice(
            "survey",
            self.tr("No regression yet"),
            self.tr("The coefficients appear as soon as the model is fitted."),
            self.tr("Fit the model"),
        )
        self.waiting.button.setObjectName("fitModel")
        self.waiting.button.clicked.connect(self.answer_requested)
        self.number = NumberView(themes)
        self.number.split_chosen.connect(self.split_chosen)
        self.number.copy_requested.connect(self.copy_requested)
        self.number.sharper_requested.connect(self.sharper_requested)
        self._views[NumberView] = self.number
        self.addWidget(self.number)

    def _notice(self, icon: str, heading: str, advice: str, button: str) -> EmptyState:
        state = EmptyState(self._themes, icon, heading, advice, button)
        holder = Card()
        holder.add(state, 1)
        self.addWidget(holder)
        return state

    @property
    def distribution(self) -> DistributionCard:
        """The view of distributions."""
        return self._view_of(DistributionCard)

    @property
    def crosstab(self) -> CrosstabCard:
        """The view of cross tables."""
        return self._view_of(CrosstabCard)

    @property
    def quantile(self) -> QuantileCard:
        """The view of quantiles."""
        return self._view_of(QuantileCard)

    @property
    def compare(self) -> CompareCard:
        """The view of groups that are compared."""
        return self._view_of(CompareCard)

    @property
    def regression(self) -> RegressionView:
        return self._view_of(RegressionView)

    @property
    def list(self) -> ListView:
        return self._view_of(ListView)

    @property
    def compliance(self) -> ComplianceView:
        return self._view_of(ComplianceView)

    def view_of(self, statistic: str) -> AnswerView:
        return self._view_of(_VIEWS[statistic])

    def _view_of(self, kind: type[V]) -> V:
        """A view of a kind, made when it is first needed."""
        view = self._views.get(kind)
        if view is None:
            view = self._views[kind] = kind(self._themes)
            self.addWidget(view)
            if kind in self._listeners:
                self._listeners[kind](view)
        assert isinstance(view, kind)  # noqa: S101 (kept under its class)
        return view

    def _listen_to_regression(self, view: RegressionView) -> None:
        view.by_chosen.connect(self.prediction_chosen)
        view.variance_chosen.connect(self.variance_chosen)
        view.fit_requested.connect(self.fit_requested)

    def set_view(self, view: SurveyView) -> None:
        """Show an answer, why there is none, or what to do first."""
        before, self._view = self._view, view
        answer = view.answer
        if answer is not None:
            shown = self.view_of(answer.question.statistic)
            if isinstance(shown, ComplianceView):
                shown.show_use(view.uses_readings)
            if answer is not before.answer:
                shown.show_answer(answer)
            if isinstance(shown, NumberView) and view.sharper and view.sharper != before.sharper:
                shown.estimate.show_sharper(answer, view.sharper)
            if isinstance(shown, NumberView) and view.split_state != before.split_state:
                shown.show_split(answer, view)
            self._show_model(shown, answer, before)
            shown.set_stale(view.badge)
        if answer is not None:
            self.setCurrentWidget(self.view_of(answer.question.statistic))
        elif view.error is not None:
            self._show_error(view.error.sentence)
        else:
            self._show_nothing(view)

    def _show_model(self, shown: AnswerView, answer: SurveyResult, before: SurveyView) -> None:
        """Show what is told of a regression beside its coefficients."""
        state = self._view.model
        is_other = answer is not before.answer or state.shown != before.model.shown
        if isinstance(shown, RegressionView) and is_other:
            shown.show_state(answer, state)

    def _show_nothing(self, view: SurveyView) -> None:
        """Say what to do first."""
        make_notice = words_of(view.question.statistic).notice
        if make_notice is None:
            self.setCurrentWidget(self.empty.parentWidget())
            return
        notice = make_notice(view.is_coming)
        self.waiting.heading.setText(notice.heading)
        self.waiting.advice.setText(notice.advice)
        self.waiting.button.setText(notice.button)
        can_ask = view.can_ask and not view.is_coming
        self.waiting.button.setVisible(bool(notice.button) and can_ask)
        self.setCurrentWidget(self.waiting.parentWidget())

    def _show_error(self, sentence: str) -> None:
        self.refused.heading.setText(self.tr("This cannot be estimated"))
        self.refused.advice.setText(translate(sentence))
        self.refused.advice.setObjectName("refusal")
        self.setCurrentWidget(self.refused.parentWidget())
