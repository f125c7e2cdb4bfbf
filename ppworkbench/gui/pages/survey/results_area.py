"""Where answers are shown: one view per kind of statistic, made when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.survey.answers import SurveyResult
from ppworkbench.gui.language import translate
from ppworkbench.gui.pages.survey.answer_cards import (
    AnswerActions,
    AnswerCard,
    AnswerView,
    NotesCard,
    PictureCard,
    SentenceCard,
    SheetCard,
    SurveyView,
)
from ppworkbench.gui.pages.survey.compliance_view import ComplianceView
from ppworkbench.gui.pages.survey.regression_cards import RegressionView
from ppworkbench.gui.pages.survey.result_cards import (
    ArmsCard,
    EstimateCard,
    FoundView,
    SplitCard,
)
from ppworkbench.gui.pages.survey.statistic_words import notice_of
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.layout import PageStack, column
from ppworkbench.gui.widgets.splitter import Splitter

C = TypeVar("C", bound=AnswerCard)


class NumberView(Splitter):
    """A count or a mean, and the same by another attribute or by arm.

    Its cards are made when they are first needed: each has a plot, and a plot takes long to make.
    """

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._themes, self._actions = themes, actions
        self.setObjectName("surveyColumns")
        self.setHandleWidth(12)
        self.setChildrenCollapsible(False)
        self._places = [QWidget(), QWidget()]
        for place in self._places:
            column(parent=place)
            self.addWidget(place)
        self.setSizes([500, 500])

    @cached_property
    def estimate(self) -> EstimateCard:
        return self._made(EstimateCard(self._themes, self._actions), 0)

    @cached_property
    def split(self) -> SplitCard:
        return self._made(SplitCard(self._themes, self._actions), 1)

    @cached_property
    def arms(self) -> ArmsCard:
        return self._made(ArmsCard(self._themes), 1)

    def _made(self, card: C, place: int) -> C:
        self._places[place].layout().addWidget(card)
        return card

    @property
    def cards(self) -> list[AnswerCard]:
        """Those that were needed so far."""
        return [vars(self)[name] for name in ("estimate", "split", "arms") if name in vars(self)]

    def show_answer(self, answer: SurveyResult) -> None:
        # Beside the arms there is no room for another split.
        shown = (self.estimate, self.arms if answer.question.by_arm else self.split)
        for card in self.cards:
            card.setVisible(card in shown)
        for card in shown:
            card.show_answer(answer, answer.told)

    def show_beside(self, answer: SurveyResult, view: SurveyView) -> None:
        for card in self.cards:
            card.show_beside(answer, view)

    def set_stale(self, words: str) -> None:
        for card in self.cards:
            card.set_stale(bool(words))
        self.estimate.say_stale(words)


class ListView(AnswerView):
    """All cards of a list."""

    def __init__(self, themes: ThemeManager, actions: AnswerActions) -> None:
        self.words = SentenceCard(themes, "list", actions)
        self.share = SheetCard(
            themes, "estimates", shares=("estimate", "low", "high", "standard_error")
        )
        self.counts = PictureCard(themes, "counts")
        self.types = SheetCard(
            themes, "types", shares=("with", "with_error", "without", "without_error")
        )
        self.coefficients = PictureCard(themes, "coefficients")
        self.notes = NotesCard(themes)
        super().__init__(
            themes, "listView", self.words, self.share, self.counts, self.types,
            self.coefficients, self.notes,
        )  # fmt: skip


V = TypeVar("V", bound="NumberView | AnswerView")

_VIEWS: Mapping[str, type[NumberView | AnswerView]] = {
    "count": NumberView, "mean": NumberView, "ratio": NumberView, "regression": RegressionView,
    "compliance": ComplianceView, "list": ListView,
}  # fmt: skip
"""Statistics whose answers have a view of their own; others show what their result has."""


class ResultsArea(PageStack):
    """The answer to the last question, or what to do while there is none."""

    gives_way = False

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.answer_actions = AnswerActions(self)
        self._views: dict[type[QWidget], QWidget] = {}
        self._view = SurveyView()
        self.empty = self._notice(
            "survey",
            self.tr("No estimate yet"),
            self.tr("Add a condition above; the estimate follows at once."),
            self.tr("Add condition"),
        )
        self.empty.button.setObjectName("firstCondition")
        self.refused = self._notice("warning", self.tr("This cannot be estimated"))
        self.refused.advice.setObjectName("refusal")
        self.waiting = self._notice("survey")
        self.waiting.button.setObjectName("fitModel")
        self.view_of("count")

    def _notice(
        self, icon: str, heading: str = "", advice: str = "", button: str = ""
    ) -> EmptyState:
        state = EmptyState(self._themes, icon, heading, advice, button)
        holder = Card()
        holder.add(state, 1)
        self.addWidget(holder)
        return state

    @property
    def number(self) -> NumberView:
        return self._view_of(NumberView)

    @property
    def regression(self) -> RegressionView:
        return self._view_of(RegressionView)

    @property
    def list(self) -> ListView:
        return self._view_of(ListView)

    @property
    def compliance(self) -> ComplianceView:
        return self._view_of(ComplianceView)

    @property
    def found(self) -> FoundView:
        return self._view_of(FoundView)

    def view_of(self, statistic: str) -> NumberView | AnswerView:
        return self._view_of(_VIEWS.get(statistic, FoundView))

    def _view_of(self, kind: type[V]) -> V:
        """A view of a kind, made when it is first needed."""
        if kind not in self._views:
            make: Callable[[ThemeManager, AnswerActions], V] = kind
            self._views[kind] = make(self._themes, self.answer_actions)
            self.addWidget(self._views[kind])
        view = self._views[kind]
        assert isinstance(view, kind)  # noqa: S101 (kept under its class)
        return view

    def set_view(self, view: SurveyView) -> None:
        before, self._view = self._view, view
        answer = view.answer
        if answer is not None:
            shown = self.view_of(answer.question.statistic)
            is_other = answer is not before.answer
            if is_other:
                shown.show_answer(answer)
            if is_other or _beside(view) != _beside(before):
                shown.show_beside(answer, view)
            shown.set_stale(view.badge)
            self.setCurrentWidget(shown)
        elif view.error is not None:
            self.refused.advice.setText(translate(view.error.sentence))
            self.setCurrentWidget(self.refused.parentWidget())
        else:
            self._show_nothing(view)

    def _show_nothing(self, view: SurveyView) -> None:
        notice = notice_of(view.question, view.is_coming)
        if notice is None:
            self.setCurrentWidget(self.empty.parentWidget())
            return
        self.waiting.show_reason(notice)
        if view.is_coming or not view.can_ask:
            self.waiting.button.hide()
        self.setCurrentWidget(self.waiting.parentWidget())


def _beside(view: SurveyView) -> tuple[object, ...]:
    return view.beside, view.uses_readings
