"""The whole trade-off of one question at once, for scripts and commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ppworkbench.analyses.trade_off.frontier import (
    FrontierDesign,
    has_frontier,
    search_frontier,
    with_curve,
)
from ppworkbench.analyses.trade_off.goals import (
    Goal,
    Repair,
    find_repair,
    needed_respondents,
)
from ppworkbench.analyses.trade_off.places import (
    FamilyCurve,
    TradeAxes,
    TradePlace,
    choose_axes,
    direct_half_width,
    family_curve,
    free_parameters,
    place_of,
    report_place,
)
from ppworkbench.core.design import Perturbation
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.goal_seek import Question
from ppworkbench.core.progress import Progress, part, silent


@dataclass(frozen=True, eq=False)
class TradeOff:
    """Where a question stands, where its parameter leads, and what the best matrices reach.

    Parameters
    ----------
    measure
        The measure of privacy.
    place
        Where the design stands.
    direct
        The half-width if people were asked directly.
    curve
        The mechanism along its parameter; None where it has none.
    frontier
        The best designs, nowhere above the curve; empty where none are searched for.
    compared
        Other devices by name, and where they stand.
    """

    question: Question
    perturbation: Perturbation
    measure: str
    place: TradePlace
    direct: float
    curve: FamilyCurve | None
    frontier: tuple[FrontierDesign, ...]
    compared: Mapping[str, tuple[Perturbation, TradePlace]]

    @property
    def is_share(self) -> bool:
        """Whether the precision is that of a share; else of the mean of a number."""
        return not self.question.attribute.kind.is_numeric

    def is_met(self, goal: Goal) -> bool:
        """Whether the design is private and precise enough."""
        return goal.is_met(self.place, self.measure, self.question.attribute)

    def needed(self, goal: Goal) -> float:
        """How many respondents bring the design to the precision of a goal."""
        return needed_respondents(self.question, self.place, goal)

    def repair(self, goal: Goal) -> Repair | None:
        """What meets a goal that the design misses."""
        if self.is_met(goal):
            return None
        free = free_parameters(self.question.attribute, self.perturbation)
        now = free[0].now if free else None
        return find_repair(self.question, self.measure, goal, self.curve, self.frontier, now)

    def axes(self, wanted: float) -> TradeAxes:
        """Ends of axes that hold the designs; ``wanted`` is the half-width of the goal, or 0."""
        places = self.place, *(place for _, place in self.compared.values())
        return choose_axes(self.question, self.measure, places, wanted)


def assess_trade_off(
    report: AttributeReport,
    measure: str,
    compared: Mapping[str, Perturbation],
    progress: Progress = silent,
    *,
    is_searched: bool = True,
) -> TradeOff:
    """The trade-off of a question that has been assessed; ``is_searched`` asks for the frontier."""
    question = Question(
        report.attribute, report.prior, report.utility.n, noncompliance=report.noncompliance
    )
    curve = family_curve(question, report.perturbation, measure, part(progress, 0.0, 0.3))
    designs: tuple[FrontierDesign, ...] = ()
    if is_searched and has_frontier(report.attribute):
        designs = search_frontier(question, measure, part(progress, 0.3, 1.0))
    return TradeOff(
        question, report.perturbation, measure, report_place(report, measure),
        direct_half_width(question), curve, with_curve(designs, question, curve),
        {name: (one, place_of(question, one, measure)) for name, one in compared.items()},
    )  # fmt: skip
