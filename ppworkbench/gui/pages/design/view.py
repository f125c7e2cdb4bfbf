"""What the cards of the page are given to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ppworkbench.analyses.designs.arms import version_study
from ppworkbench.analyses.designs.design import measures_of
from ppworkbench.analyses.designs.frontier import FrontierDesign
from ppworkbench.analyses.designs.goals import Goal, Light, Repair
from ppworkbench.analyses.designs.pins import RESULTS, Pinned, read_pins
from ppworkbench.analyses.designs.places import (
    BELIEF,
    FamilyCurve,
    TradePlace,
    privacy_measures,
    question_of,
    report_place,
)
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation
from ppworkbench.core.design.matrices import NEARLY_SINGULAR
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.goal_seek import Question
from ppworkbench.core.privacy.utility.noncompliance import known_noncompliance
from ppworkbench.study.study import Study


@dataclass(frozen=True, eq=False)
class TradeState:
    """What is known of the trade-off of a question.

    Parameters
    ----------
    is_shown
        Whether the chart is in front; behind another view only the advice is needed.
    curve
        Where the free parameter leads; None without one, or while the curve is computed.
    frontier
        The best designs, nowhere above the curve; empty while they are searched.
    repair
        What meets a missed goal; None where none is missed.
    """

    is_shown: bool = False
    curve: FamilyCurve | None = None
    frontier: tuple[FrontierDesign, ...] = ()
    repair: Repair | None = None
    is_computing: bool = False
    is_searching: bool = False


@dataclass(frozen=True, eq=False)
class DesignView:
    """The attribute in the editor, what its design means, and what is wanted of it.

    Parameters
    ----------
    measure
        The measure of privacy on the axis and in the goal.
    pin_values
        The measures of the active pin, by key; None if nothing is compared.
    simulated
        The information loss of simulated surveys, once it is known.
    trade
        None where nobody sees anything of the trade-off.
    """

    study: Study
    report: AttributeReport
    measure: str = BELIEF
    goal: Goal = field(default_factory=Goal)
    pinned: Pinned = field(default_factory=Pinned)
    pin_values: Mapping[str, float] | None = None
    simulated: float | None = None
    trade: TradeState | None = None

    @property
    def name(self) -> str:
        return self.report.name

    @property
    def attribute(self) -> Attribute:
        return self.report.attribute

    @property
    def perturbation(self) -> Perturbation:
        return self.report.perturbation

    @property
    def is_role(self) -> bool:
        """Whether the column tells how people were drawn, and so has no mechanism."""
        return bool(self.study.design.role_of(self.name))

    @property
    def target(self) -> float:
        """The wanted half-width of every share's interval, as a share."""
        return self.goal.planned_points / 100

    @cached_property
    def question(self) -> Question:
        return question_of(self.report)

    @cached_property
    def place(self) -> TradePlace:
        return report_place(self.report, self.measure)

    def with_trade(self, trade: TradeState | None) -> DesignView:
        """The same view with what is known of the trade-off; the place stays worked out."""
        view = replace(self, trade=trade)
        view.__dict__["place"] = self.place
        return view

    @property
    def is_met(self) -> bool:
        return self.goal.is_met(self.place, self.measure, self.attribute)

    @property
    def is_hopeless(self) -> bool:
        """Whether nothing can be estimated from the reports."""
        return self.report.utility.condition > NEARLY_SINGULAR and self.report.matrix is not None


@dataclass(frozen=True, eq=False)
class ListView:
    """All attributes, which of them are selected, and what is known of the whole questionnaire.

    ``lights`` and ``badges`` are of the attributes that were assessed, by name; a badge is attack
    success, prior guess and information loss. ``shares`` are parts of the privacy budget, infinite
    where a question has no bound.
    """

    study: Study = field(default_factory=Study)
    selected: tuple[str, ...] = ()
    lights: Mapping[str, Light] = field(default_factory=dict)
    badges: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)

    def role(self, name: str) -> str:
        """What a column tells about the sampling; empty where it tells nothing."""
        return self.study.design.role_of(name)


class ArmVersion:
    """Whose version of the questionnaire is shown: that of an arm, or what all arms begin with."""

    def __init__(self) -> None:
        self.arm = ""
        """The name of the arm; empty for the design that all arms begin with."""
        self._known: tuple[Study, str, Study] | None = None

    def shown(self, study: Study) -> Study:
        """The study as the arm meets it; the study itself where it has no arms.

        An arm that the study does not have any more is left. A drag asks many times a frame.
        """
        if self.arm not in study.design.versions.choices:
            self.arm = ""
        known = self._known
        if known is None or known[0] is not study or known[1] != self.arm:
            self._known = known = study, self.arm, version_study(study, self.arm)
        return known[2]

    def omitted(self, study: Study) -> tuple[str, ...]:
        versions = study.design.versions
        return versions[self.arm].omit if self.arm in versions.choices else ()

    def asked(self, study: Study) -> Study:
        """The study as the arm meets it, without those questions."""
        shown, omitted = self.shown(study), self.omitted(study)
        if not omitted:
            return shown
        asked = (one for one in shown.design if one.name not in omitted)
        return shown.with_(design=shown.design.among(asked))


class ViewBuilder:
    """Builds the view of now; a drag asks with every frame, so what was read is remembered."""

    def __init__(self) -> None:
        self._pinned: tuple[object, Attribute, Pinned] | None = None
        self._pin_values: dict[object, dict[str, float]] = {}

    def build(
        self, study: Study, report: AttributeReport, chosen: str, simulated: float | None = None
    ) -> DesignView:
        """The view of an attribute; ``chosen`` is the measure wanted where the attribute has it."""
        goal, pinned = Goal.from_json(study.goals), self._read_pins(study, report.name)
        offered = privacy_measures(report.attribute)
        return DesignView(
            study, report, chosen if chosen in offered else offered[0], goal, pinned,
            self._measure_pin(report, pinned, goal.planned_points / 100), simulated,
        )  # fmt: skip

    def _read_pins(self, study: Study, name: str) -> Pinned:
        kept, attribute = study.results.get(RESULTS), study.design[name].attribute
        if (
            self._pinned is None
            or self._pinned[0] is not kept
            or self._pinned[1] is not attribute
        ):  # fmt: skip
            self._pinned = kept, attribute, read_pins(kept, attribute)
        return self._pinned[2]

    def _measure_pin(
        self, report: AttributeReport, pinned: Pinned, target: float
    ) -> dict[str, float] | None:
        """What the active pin would mean for the answers that are expected now."""
        active = pinned.active_pin
        if active is None or active.perturbation is None:
            return None
        n, perturbation = report.utility.n, active.perturbation
        expected = report.prior.probabilities.tobytes()
        key = perturbation, report.attribute, expected, n, target, report.noncompliance
        if key not in self._pin_values:
            if len(self._pin_values) > _KEPT:
                self._pin_values.clear()
            ignoring = known_noncompliance(perturbation, report.noncompliance)
            would = assess_attribute((report.attribute, perturbation), report.prior, n, ignoring)
            self._pin_values[key] = measures_of(would, target)
        return self._pin_values[key]


_KEPT = 200
"""Measures of pins that are remembered."""
