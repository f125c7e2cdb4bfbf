"""Where answers are shown: one view per kind of statistic, made when it is first needed."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.compliance.view import ComplianceView
from ppworkbench.gui.pages.survey.crosstab_card import CrosstabCard
from ppworkbench.gui.pages.survey.interval_cards import CompareCard, QuantileCard
from ppworkbench.gui.pages.survey.lists.cards import ListView
from ppworkbench.gui.pages.survey.participants_card import ParticipantsCard
from ppworkbench.gui.pages.survey.regression.cards import ModelState, RegressionView
from ppworkbench.gui.pages.survey.result_cards import (
    DistributionCard,
    EstimateCard,
    SplitCard,
    empty_split,
    title,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.layout import PageStack, column
from ppworkbench.gui.widgets.splitter import Splitter
from ppworkbench.study.analyses.survey.answers import SharperInterval, SurveyError, SurveyResult
from ppworkbench.study.analyses.survey.questions import (
    COMPARE,
    COMPLIANCE,
    COUNT,
    CROSSTAB,
    DISTRIBUTION,
    LIST,
    MEAN,
    PARTICIPANTS,
    QUANTILE,
    REGRESSION,
    Question,
)
from ppworkbench.study.analyses.survey.splits import SplitResult, split_choices


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

    @property
    def awaits_list(self) -> bool:
        """Whether participants are asked for, and there is no list yet and no reason why not."""
        has_list = self.answer is not None and self.answer.question.statistic == PARTICIPANTS
        is_refused = self.error is not None and self.error.question == self.question
        return self.question.statistic == PARTICIPANTS and not has_list and not is_refused


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
        """The card of the one number."""
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
        """Show an answer."""
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
    | ListView | ComplianceView | ParticipantsCard
)  # fmt: skip


class ResultsArea(PageStack):
    """The answer to the last question, or what to do while there is none."""

    gives_way = False
    split_chosen = Signal(str)
    copy_requested = Signal()
    sharper_requested = Signal()
    sampling_changed = Signal(dict)
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
        self._views: dict[str, QWidget] = {}
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
        view = self._views.get(DISTRIBUTION) or self._keep(
            DISTRIBUTION, DistributionCard(self._themes)
        )
        assert isinstance(view, DistributionCard)  # noqa: S101 (kept under this name)
        return view

    @property
    def crosstab(self) -> CrosstabCard:
        """The view of cross tables."""
        view = self._views.get(CROSSTAB) or self._keep(CROSSTAB, CrosstabCard(self._themes))
        assert isinstance(view, CrosstabCard)  # noqa: S101 (kept under this name)
        return view

    @property
    def participants(self) -> ParticipantsCard:
        """The view of participants."""
        view = self._views.get(PARTICIPANTS)
        if view is None:
            view = ParticipantsCard(self._themes)
            view.sampling.question_changed.connect(self.sampling_changed)
            self._keep(PARTICIPANTS, view)
        assert isinstance(view, ParticipantsCard)  # noqa: S101 (kept under this name)
        return view

    @property
    def quantile(self) -> QuantileCard:
        """The view of quantiles."""
        view = self._views.get(QUANTILE) or self._keep(QUANTILE, QuantileCard(self._themes))
        assert isinstance(view, QuantileCard)  # noqa: S101 (kept under this name)
        return view

    @property
    def compare(self) -> CompareCard:
        """The view of groups that are compared."""
        view = self._views.get(COMPARE) or self._keep(COMPARE, CompareCard(self._themes))
        assert isinstance(view, CompareCard)  # noqa: S101 (kept under this name)
        return view

    @property
    def regression(self) -> RegressionView:
        """The view of regressions."""
        view = self._views.get(REGRESSION)
        if view is None:
            view = RegressionView(self._themes)
            view.by_chosen.connect(self.prediction_chosen)
            view.variance_chosen.connect(self.variance_chosen)
            view.fit_requested.connect(self.fit_requested)
            self._keep(REGRESSION, view)
        assert isinstance(view, RegressionView)  # noqa: S101 (kept under this name)
        return view

    @property
    def list(self) -> ListView:
        """The view of lists."""
        view = self._views.get(LIST) or self._keep(LIST, ListView(self._themes))
        assert isinstance(view, ListView)  # noqa: S101 (kept under this name)
        return view

    @property
    def compliance(self) -> ComplianceView:
        """The view of compliance."""
        view = self._views.get(COMPLIANCE)
        if view is None:
            view = self._keep(COMPLIANCE, ComplianceView(self._themes))
            self.compliance_made.emit(view)
        assert isinstance(view, ComplianceView)  # noqa: S101 (kept under this name)
        return view

    def _keep(self, name: str, view: QWidget) -> QWidget:
        self._views[name] = view
        self.addWidget(view)
        return view

    def view_of(self, statistic: str) -> AnswerView:
        """The view of a statistic."""
        if statistic in (COUNT, MEAN):
            return self.number
        if statistic in (QUANTILE, COMPARE):
            return self.quantile if statistic == QUANTILE else self.compare
        if statistic in (REGRESSION, COMPLIANCE):
            return self.regression if statistic == REGRESSION else self.compliance
        if statistic == LIST:
            return self.list
        if statistic == DISTRIBUTION:
            return self.distribution
        return self.crosstab if statistic == CROSSTAB else self.participants

    def set_view(self, view: SurveyView) -> None:
        """Show an answer, why there is none, or what to do first."""
        before, self._view = self._view, view
        if view.question.statistic == PARTICIPANTS:
            # Its fields are part of the question, so they are there before the answer.
            self.participants.sampling.show_question(view.question)
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
        if view.awaits_list:
            self.participants.show_nothing()
            self.setCurrentWidget(self.participants)
        elif answer is not None:
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
        """Say what to do first; coefficients are promised only while they are on their way."""
        if view.question.statistic == COMPLIANCE:
            self.waiting.heading.setText(self.tr("No estimate of compliance yet"))
            self.waiting.advice.setText(self.tr("It appears as soon as the question is asked."))
            self.waiting.button.setVisible(False)
            self.setCurrentWidget(self.waiting.parentWidget())
            return
        if view.question.statistic not in (REGRESSION, LIST):
            self.setCurrentWidget(self.empty.parentWidget())
            return
        if view.question.statistic == LIST:
            # It has no conditions that could be added.
            self.waiting.heading.setText(self.tr("No estimate yet"))
            said = self.tr("The list has not been estimated.")
            if view.is_coming:
                said = self.tr("It appears as soon as the list is estimated.")
            self.waiting.button.setText(self.tr("Estimate the list"))
        else:
            self.waiting.heading.setText(self.tr("No regression yet"))
            said = self.tr("The model has not been fitted.")
            if view.is_coming:
                said = self.tr("The coefficients appear as soon as the model is fitted.")
            self.waiting.button.setText(self.tr("Fit the model"))
        self.waiting.advice.setText(said)
        self.waiting.button.setVisible(view.can_ask and not view.is_coming)
        self.setCurrentWidget(self.waiting.parentWidget())

    def _show_error(self, sentence: str) -> None:
        self.refused.heading.setText(self.tr("This cannot be estimated"))
        self.refused.advice.setText(translate(sentence))
        self.refused.advice.setObjectName("refusal")
        self.setCurrentWidget(self.refused.parentWidget())
