"""What the page works out in the background: curves, frontiers and the whole questionnaire."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ppworkbench.analyses.designs.design import assess_study, simulated_loss
from ppworkbench.analyses.designs.frontier import (
    FrontierDesign,
    has_frontier,
    search_frontier,
    with_curve,
)
from ppworkbench.analyses.designs.goals import Goal, Light, Repair, find_repair, light_of
from ppworkbench.analyses.designs.places import (
    FamilyCurve,
    curve_key,
    family_curve,
    free_parameters,
    is_quick,
    question_key,
)
from ppworkbench.core.design import Perturbation
from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
from ppworkbench.core.privacy.utility.goal_seek import Question
from ppworkbench.core.progress import Progress, part
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.language import own_words
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.view import DesignView, TradeState
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

_KEPT = 60
"""Curves and frontiers that are remembered."""


class TradeOffSearch(QObject):
    """Finds the curve of a mechanism, the frontier of a question and what meets a missed goal.

    What was found is remembered: dragging a slider changes the design, not the frontier. What
    takes long is worked out by jobs, as long as the chart is in front.
    """

    changed = Signal()
    """A curve or a frontier has come."""

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._is_dragged = self._is_second_dragged = False
        self._curves: dict[object, FamilyCurve | None] = {}
        self._curve: FamilyCurve | None = None
        self._wanted_curve: object = None
        self._curve_task: PageTask[FamilyCurve | None] = PageTask(
            workbench, "family curve", self, quiet=True
        )
        self._curve_task.finished.connect(self._on_curve)
        self._frontiers: dict[object, tuple[FrontierDesign, ...]] = {}
        self._wanted_frontier: object = None
        self._work: tuple[Question, str] | None = None
        self._frontier_task: PageTask[tuple[FrontierDesign, ...]] = PageTask(
            workbench, "frontier", self, begins_again=True
        )
        self._frontier_task.finished.connect(self._on_frontier)
        self._wait = single_shot(self, self._start, 600)
        self._drawn: tuple[object, tuple[FrontierDesign, ...]] | None = None
        self._repair: tuple[object, Repair] | None = None

    @property
    def designs(self) -> tuple[FrontierDesign, ...]:
        """The frontier that is wanted; nothing while it is searched."""
        return self._frontiers.get(self._wanted_frontier, ())

    @property
    def is_searching(self) -> bool:
        return self._frontier_task.is_running or self._wait.isActive()

    def find(self, view: DesignView, *, is_shown: bool) -> TradeState | None:
        """What is known now; jobs look for the rest while the chart is shown.

        None where even the curve would need a job that nobody waits for.
        """
        if not is_shown and not is_quick(view.attribute):
            return None
        if not self._is_second_dragged:
            self._curve = self._find_curve(view.question, view.perturbation, view.measure)
        is_advised = not view.is_met and not view.perturbation.is_identity
        if (is_shown or is_advised) and not self._is_dragged:
            # Advice is the same whichever picture stands above it.
            self._ask_frontier(view.question, view.measure)
        return TradeState(
            is_shown, self._curve, self._frontier(view.question),
            None if view.is_met else self._find_repair(view),
            is_computing=self._wanted_curve is not None, is_searching=self.is_searching,
        )  # fmt: skip

    def set_dragged(self, is_dragged: bool, is_second: bool) -> None:
        """Look for no other frontier during a drag, nor, if the second parameter is dragged, curve.

        Either would be another one with every frame.
        """
        self._is_dragged, self._is_second_dragged = is_dragged, is_second

    def stop(self) -> None:
        """Search for nothing that nobody sees; what was found stays."""
        self._stop_frontier()
        self._curve_task.drop()
        self._wanted_curve = None

    # Curves

    def _find_curve(
        self, question: Question, perturbation: Perturbation, measure: str
    ) -> FamilyCurve | None:
        key = curve_key(question, perturbation, measure)
        if key is None or key in self._curves:
            return self._curves.get(key)
        if len(self._curves) >= _KEPT:
            self._curves.clear()
        if is_quick(question.attribute):
            self._curves[key] = family_curve(question, perturbation, measure)
            return self._curves[key]
        if key != self._wanted_curve:
            self._wanted_curve = key
            self._curve_task.start(
                self.tr("Trade-off of %s") % own_words(question.attribute.shown),
                lambda progress: family_curve(question, perturbation, measure, progress),
            )
        return None

    def _on_curve(self, curve: FamilyCurve | None) -> None:
        if self._wanted_curve is not None:
            self._curves[self._wanted_curve] = curve
            self._wanted_curve = None
        self.changed.emit()

    # Frontiers

    def _ask_frontier(self, question: Question, measure: str) -> None:
        if not has_frontier(question.attribute):
            self._stop_frontier()
            return
        wanted = question_key(question), measure
        if wanted == self._wanted_frontier:
            return
        self._stop_frontier()
        self._wanted_frontier = wanted
        if wanted not in self._frontiers:
            self._work = question, measure
            self._wait.start()

    def _stop_frontier(self) -> None:
        self._wait.stop()
        self._frontier_task.drop()
        self._wanted_frontier = None

    def _start(self) -> None:
        assert self._work is not None  # noqa: S101 (asked for)
        question, measure = self._work
        self._frontier_task.start(
            self.tr("Frontier of %s") % own_words(question.attribute.shown),
            lambda progress: search_frontier(question, measure, progress),
        )

    def _on_frontier(self, designs: tuple[FrontierDesign, ...]) -> None:
        if self._wanted_frontier is not None:
            if len(self._frontiers) >= _KEPT:
                self._frontiers.clear()
            self._frontiers[self._wanted_frontier] = designs
        self.changed.emit()

    def _frontier(self, question: Question) -> tuple[FrontierDesign, ...]:
        """The frontier as it is drawn: nowhere above the curve of now."""
        # Both are kept as long as they are shown, so that neither is mistaken for another one.
        key = self.designs, self._curve
        if self._drawn is None or not _are_same(self._drawn[0], key):
            self._drawn = key, with_curve(self.designs, question, self._curve)
        return self._drawn[1]

    def _find_repair(self, view: DesignView) -> Repair:
        free = free_parameters(view.attribute, view.perturbation)
        now = free[0].now if free else None
        question, designs = view.question, self._frontier(view.question)
        key = (
            view.goal, view.measure, question.n, self._curve, designs,
            None if self._curve is None else now,
        )  # fmt: skip
        if self._repair is None or not _are_same(self._repair[0], key):
            found = find_repair(question, view.measure, view.goal, self._curve, designs, now)
            self._repair = key, found
        return self._repair[1]


def _are_same(one: object, other: tuple[object, ...]) -> bool:
    """Whether two keys hold the same things; what is large is compared by its identity."""
    return isinstance(one, tuple) and all(
        a is b or (isinstance(a, Goal | str | int | float) and a == b)
        for a, b in zip(one, other, strict=True)
    )


_MOST_REPORTS = 200
"""Reports of more attributes are not kept: looking through them for rubbish would be felt."""


class QuestionnaireAssessment(QObject):
    """Keeps the measures of the whole questionnaire up to date by a quiet job."""

    assessed = Signal(object, object)
    """The report of the whole, and the lights of all attributes by name."""
    completed = Signal(object)
    """The report that somebody asked for."""
    simulated = Signal()
    """The closed form of a question was checked by simulated surveys."""

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self.report: QuestionnaireReport | None = None
        """The last report, unless it is of very many attributes."""
        self._task: PageTask[tuple[QuestionnaireReport, dict[str, Light]]] = PageTask(
            workbench, "questionnaire", self, quiet=True
        )
        self._task.finished.connect(self._on_assessed)
        self._all_task: PageTask[QuestionnaireReport] = PageTask(workbench, "all measures", self)
        self._all_task.finished.connect(self.completed)
        self._simulated: tuple[AttributeReport, float] | None = None
        self._check: PageTask[tuple[AttributeReport, float]] = PageTask(
            workbench, "check", self, quiet=True
        )
        self._check.finished.connect(self._on_simulated)

    def refresh(self, study: Study, shown: AttributeReport | None) -> None:
        """Assess the whole in the background, and check the question that is shown.

        Its closed form is compared with 200 simulated surveys on counts. The latest wins.
        """
        if not study.design.attributes:
            return
        goal = Goal.from_json(study.goals)

        def work(progress: Progress) -> tuple[QuestionnaireReport, dict[str, Light]]:
            report = assess_study(study, part(progress, 0.0, 0.9))
            return report, {one.name: light_of(one, goal) for one in report.attributes}

        self._task.start(self.tr("Whole questionnaire"), work)
        if shown is not None and shown.matrix is not None and shown.noncompliance is None:
            self._simulate(shown)

    def ask(self, study: Study) -> None:
        """Want the report of all attributes, at once if it is known."""
        if self.report is not None:
            self.completed.emit(self.report)
            return
        name = self.tr("Whole questionnaire")
        self._all_task.start(name, lambda progress: assess_study(study, progress))

    def _simulate(self, report: AttributeReport) -> None:
        if self._simulated is None or self._simulated[0] is not report:
            name = self.tr("Checking by simulation")
            self._check.start(name, lambda progress: (report, simulated_loss(report, progress)))

    def simulated_loss(self, report: AttributeReport) -> float | None:
        """The information loss of simulated surveys, once it is known."""
        known = self._simulated
        return known[1] if known is not None and known[0] is report else None

    def _on_simulated(self, found: tuple[AttributeReport, float]) -> None:
        self._simulated = found
        self.simulated.emit()

    def _on_assessed(self, found: tuple[QuestionnaireReport, dict[str, Light]]) -> None:
        report, lights = found
        self.report = report if len(report.attributes) <= _MOST_REPORTS else None
        self.assessed.emit(report, lights)
