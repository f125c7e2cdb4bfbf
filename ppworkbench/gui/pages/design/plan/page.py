"""The sub-page Plan of Design: one n for all questions, their limits, and what randomising pays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.plan import (
    PlanBuilder,
    PlanView,
    SolvedPlan,
    error_curves,
    plan_command,
    plan_settings,
    solve_plan,
)
from ppworkbench.analyses.trade_off.goals import Goal
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.language import told_error, tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.plan.costs_card import CostsCard
from ppworkbench.gui.pages.design.plan.limits_row import LimitsRow, group, number_field
from ppworkbench.gui.pages.design.plan.questions_card import QuestionsCard
from ppworkbench.gui.pages.design.plan.solve_dialog import SolveDialog
from ppworkbench.gui.pages.design.sub_page import SubPage
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import column, named, row, scrolled, text
from ppworkbench.gui.widgets.number_fields import FieldGesture, SliderRow
from ppworkbench.gui.widgets.sizes import is_large_text
from ppworkbench.gui.widgets.splitter import splitter
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.plan_choices import LEAST_RESPONSE, MOST_SKIPPED
from ppworkbench.study.study import Study

_LOW, _HIGH = 10, 100_000
"""The ends of the slider; more or fewer people can be typed."""
_MOST = 100_000_000
NARROW = 1180
"""Below this width of the window the questions and the costs are shown one at a time."""


class RespondentsCard(Card):
    """How many people are asked, how many the plan needs, and which question decides."""

    respondents_chosen = Signal(int, str)
    plan_chosen = Signal(dict, str)
    """Other choices of the plan, and the gesture that they are part of."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=10)
        self._gesture = FieldGesture(self)
        self._needed = 0
        self.slider = SliderRow(
            self.tr("Respondents (n)"), _LOW, _HIGH, decimals=0, logarithmic=True
        )
        self.slider.set_names("planN")
        self.slider.box.setRange(1, _MOST)
        self.slider.box.setSingleStep(100)
        self.words = named(LiveLabel(2, "strong"), "planWords")
        self.notices = named(text("", "captionHint", wrap=True), "planNotices")
        self.take = named(Button(themes, " ", look="link"), "planTakeN")
        self.solve = named(Button(themes, self.tr("Solve all…"), "target"), "planSolve")
        self.solve.setToolTip(
            self.tr("Find the weakest protection within the privacy limits: the most accurate one")
        )
        self.command = IconButton(themes, "copy", self.tr("Copy command line"))
        self.command.setObjectName("planCommand")
        self._themes, self._has_line = themes, False
        self._line = row(
            self.slider, 8, self.words, self.take, self.solve, self.command, spacing=10
        )
        self._line.setStretch(0, 2)
        self._line.setStretch(2, 3)
        self.body.addLayout(self._line)
        self._add_invitations(themes)
        self.warning = IconLabel(themes, "warning", "warningText", 16)
        self.warning.hide()
        self.notices.hide()
        told = row(self.warning, self.notices, spacing=6)
        told.setStretch(1, 1)
        self.body.addLayout(told)
        self.slider.moved.connect(
            lambda value, gesture: self.respondents_chosen.emit(int(value), gesture)
        )
        self.take.clicked.connect(lambda: self.respondents_chosen.emit(self._needed, ""))

    def _add_invitations(self, themes: ThemeManager) -> None:
        """How many of the invited answer, who skip a question, and what follows from it."""
        self.rate = number_field(
            themes, "planResponseRate", self.tr("Share of the invited who answer, percent"),
            low=100 * LEAST_RESPONSE, high=100, decimals=1, step=5,
        )  # fmt: skip
        self.skipped = number_field(
            themes, "planSkipped", self.tr("Share of respondents who skip a question, percent"),
            low=0, high=100 * MOST_SKIPPED, decimals=1,
        )  # fmt: skip
        self.total = named(text("", "secondary", wrap=True), "planTotal")
        fields = (
            group(self.tr("Response"), self.rate, "%"),
            group(self.tr("Skipped answers"), self.skipped, "%"),
        )
        line = row(*fields, self.total, spacing=12)
        line.setStretch(2, 1)
        self.body.addLayout(line)
        self.rate.valueChanged.connect(lambda value: self._choose("response_rate", value))
        self.skipped.valueChanged.connect(lambda value: self._choose("skipped", value))

    def _choose(self, name: str, value: float) -> None:
        self.plan_chosen.emit({name: round(value / 100, 6)}, self._gesture.of(f"plan {name}"))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give large words a line of their own, so that nothing beside them is cut."""
        super().resizeEvent(event)
        self.slider.setMinimumWidth(max(self._themes.theme.px(200), self.slider.full_width))
        has_line = is_large_text(self)
        if has_line == self._has_line:
            return
        self._has_line = has_line
        if has_line:
            self._line.removeWidget(self.words)
            self.body.insertWidget(1, self.words)
        else:
            self.body.removeWidget(self.words)
            self._line.insertWidget(2, self.words, 3)

    def set_view(self, view: PlanView) -> None:
        """Show n, and what the plan says of it."""
        study = view.study
        self.slider.set_value(view.n)
        self.rate.show_value(100 * view.choices.response_rate)
        self.skipped.show_value(100 * view.choices.skipped)
        total = view.total
        self.total.setText("" if total is None else translate(study.titled(total.sentence)))
        self.words.set_text(translate(study.titled(view.problem or view.sentence)))
        needed = None if total is None else total.answers
        is_known = needed is not None and needed < _MOST and int(needed) != view.n
        self._needed = int(needed) if needed is not None and is_known else 0
        self.take.setVisible(is_known)
        self.take.setText(self.tr("Take n = %s") % number(self._needed))
        breaking = view.breaking
        said = [*(() if breaking is None else (breaking,)), *view.notices]
        notices = " ".join(translate(study.titled(one)) for one in said)
        if notices != self.notices.text():
            self.notices.setText(notices)
            self.notices.setVisible(bool(notices))
            self.warning.setVisible(bool(notices))


class PlanPage(SubPage):
    """Shows the plan of the study, and changes the study as its cards ask for."""

    key = "plan"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.view: PlanView | None = None
        self._builder = PlanBuilder()
        self._listed: str | None = None
        """The shown question behind a list; no column has it, so that nothing else selects it."""
        self._solving: PageTask[SolvedPlan | WorkbenchError] = PageTask(
            workbench, "solve plan", self
        )
        themes = self.themes
        self.people = RespondentsCard(themes)
        self.limits = LimitsRow(themes)
        self.questions = QuestionsCard(themes, self.limits)
        self.costs = CostsCard(themes)
        self.columns = splitter(
            Qt.Orientation.Horizontal, "planColumns", self.questions, scrolled(self.costs)
        )
        self.columns.setSizes([836, 410])
        self.columns.setStretchFactor(0, 2)
        self.columns.setStretchFactor(1, 1)
        self.parts = Segmented(
            themes, self.tr("Part of the plan"),
            [("questions", self.tr("Questions")), ("costs", self.tr("Direct or randomised?"))],
        )  # fmt: skip
        self.parts.setObjectName("planParts")
        self.parts.chosen.connect(lambda _: self._fit())
        switch = row(self.parts, None)
        column(self.people, switch, self.columns, parent=self, spacing=8).setStretch(2, 1)
        self.people.respondents_chosen.connect(self._on_respondents)
        self.people.plan_chosen.connect(
            lambda changes, gesture: self._change(gesture, plan=changes)
        )
        self.people.solve.clicked.connect(self._on_solve)
        self.people.command.clicked.connect(self.copy_command)
        self.limits.chosen.connect(self._on_limits)
        self.questions.limit_chosen.connect(self._on_limit)
        self.questions.limit_reset.connect(self._on_reset)
        self.questions.refused.connect(self._say)
        self.questions.question_chosen.connect(self._on_question)
        self.questions.question_opened.connect(lambda name: self.question_requested.emit(name, ""))
        self.costs.chosen.connect(lambda changes, gesture: self._change(gesture, plan=changes))
        self._solving.finished.connect(self._on_solved)
        self._solving.changed.connect(self._on_solving)

    @classmethod
    def title(cls) -> str:
        return tr("Plan")

    @classmethod
    def hint(cls) -> str:
        return tr("How many people to ask, and which limits each question keeps")

    def set_view(self, study: Study) -> None:
        view = self._builder.build(study)
        self.view = view
        current = self.workbench.store.current or self._listed
        name = current if current is not None and view.row(current) is not None else None
        if name is None and view.rows:
            name = view.rows[0].name
        self.people.set_view(view)
        self.limits.set_view(view)
        self.questions.set_view(view, name)
        curves = None if name is None else error_curves(view, name)
        self.costs.set_view(view, name, curves)

    def copy_command(self) -> None:
        """Put the command line that plans the same on the clipboard."""
        study = self.workbench.store.study
        QGuiApplication.clipboard().setText(plan_command(study, self.workbench.store.current or ""))
        self._say(self.tr("The command line is on the clipboard."))

    def _on_question(self, name: str) -> None:
        store = self.workbench.store
        self._listed = None if name in store.study.design else name
        store.select([name])
        if self._listed is not None:
            self.set_view(store.study)

    # Changing the study

    def _change(
        self,
        gesture: str,
        *,
        goals: Mapping[str, float] | None = None,
        plan: Mapping[str, object] | None = None,
    ) -> None:
        study = self.workbench.store.study
        try:
            choices = study.plan.with_(**(plan or {}))
            kept = dict(Goal.from_json(study.goals).to_json()) | dict(goals or {})
            changed = study.with_(plan=choices)
            if goals:
                changed = changed.with_(goals=MappingProxyType(kept))
            self._check(changed)
        except WorkbenchError as error:
            self._say(told_error(error, study))
            self.set_view(study)
            return
        self._apply(changed, self.tr("Change the plan"), gesture)

    def _check(self, study: Study) -> None:
        """Refuse choices that no plan can be made of, as a power below the level of its test."""
        plan_settings(study)

    def _apply(self, changed: Study, words: str, gesture: str = "") -> None:
        study = self.workbench.store.study
        if (changed.plan, dict(changed.goals)) != (study.plan, dict(study.goals)):
            self.edited.emit(changed, words, gesture)

    def _on_respondents(self, respondents: int, gesture: str) -> None:
        study = self.workbench.store.study
        if respondents != study.settings.respondents:
            settings = dataclasses.replace(study.settings, respondents=respondents)
            words = self.tr("Change the respondents")
            self.edited.emit(study.with_(settings=settings), words, gesture)

    def _on_limits(self, goals: dict[str, float], plan: dict[str, object], gesture: str) -> None:
        self._change(gesture, goals=goals, plan=plan)

    def _on_limit(self, name: str, limit: str, value: float | None) -> None:
        study = self.workbench.store.study
        words = self.tr("Change a limit of %s") % study.shown(name)
        self._apply(study.with_(plan=study.plan.with_limit(name, limit, value)), words)

    def _on_reset(self, name: str, limit: str) -> None:
        study = self.workbench.store.study
        words = self.tr("Reset the limits of %s") % study.shown(name)
        self._apply(study.with_(plan=study.plan.without_limit(name, limit or None)), words)

    # Solving

    def _on_solve(self) -> None:
        study = self.workbench.store.study

        def solved(progress: Progress) -> SolvedPlan | WorkbenchError:
            try:
                return solve_plan(study, progress)
            except WorkbenchError as error:
                # It is no failure that there is nothing to solve.
                return error

        self._solving.start(self.tr("Solving all questions"), solved)

    def _on_solving(self) -> None:
        self.people.solve.setEnabled(not self._solving.is_running)

    def _on_solved(self, found: SolvedPlan | WorkbenchError) -> None:
        study = self.workbench.store.study
        if isinstance(found, WorkbenchError):
            self._say(told_error(found, study))
            return
        if found.before.study is not study:
            # Somebody went on working; what was found is of the past.
            return
        dialog = SolveDialog(self.workbench, found, self.window())
        dialog.solved.connect(self._on_accepted)
        show_dialog(dialog, self.themes)

    def _on_accepted(self, solved: Study) -> None:
        study = self.workbench.store.study
        words = self.tr("Solve all questions")
        self.edited.emit(study.with_(design=solved.design), words, "")

    def _say(self, words: str) -> None:
        self.workbench.toast_requested.emit(words, False)

    # Room

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show one column at a time in a narrow window."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        is_narrow = self.window().width() < NARROW or is_large_text(self)
        self.parts.setVisible(is_narrow)
        for place, key in enumerate(self.parts.keys):
            self.columns.widget(place).setVisible(not is_narrow or key == self.parts.current)

    def reveal(self, part: QWidget) -> None:
        """Show the column that holds a widget."""
        for place, key in enumerate(self.parts.keys):
            if self.columns.widget(place).isAncestorOf(part):
                self.parts.choose(key)
