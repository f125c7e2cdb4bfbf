"""What each value of a mechanism's parameter gives: privacy, and precision for it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ppworkbench.analyses.designs.frontier import (
    FrontierDesign,
    has_frontier,
    search_frontier,
    with_curve,
)
from ppworkbench.analyses.designs.goals import Goal, Repair, find_repair, needed_respondents
from ppworkbench.analyses.designs.places import (
    ATTACK,
    BELIEF,
    EPSILON,
    FamilyCurve,
    TradePlace,
    choose_axes,
    direct_half_width,
    family_curve,
    free_parameters,
    place_of,
    privacy_measures,
    question_of,
    report_place,
)
from ppworkbench.analyses.planning.request import (
    DesignSource,
    Expected,
    Ignoring,
    People,
    PlanningRequest,
    PlanningResult,
    Share,
    checked_noncompliance,
    device_of,
    expected_priors,
)
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Read, Within
from ppworkbench.core.planning import RESPONDENTS
from ppworkbench.core.privacy.assess import assess_asked
from ppworkbench.core.privacy.utility.goal_seek import Question
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import harmless

_SHOWN = 8
"""Designs of a curve and of a frontier that a text lists; frames have all."""


@dataclass(frozen=True)
class _Row:
    """A design of the result: what it is, and where it stands."""

    kind: str
    name: str
    place: TradePlace
    perturbation: Perturbation
    value: float = math.nan


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TradeOffResult(PlanningResult):
    """The design, others beside it, the curve of its parameter, and the best matrices.

    Parameters
    ----------
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
    limit: float | None = None
    half_width: float | None = None

    @property
    def is_share(self) -> bool:
        """Whether the precision is that of a share; else of the mean of a number."""
        return not self.question.attribute.kind.is_numeric

    @property
    def _goal(self) -> Goal | None:
        """What is wanted; a limit that is not given is kept by everything."""
        if self.limit is None and self.half_width is None:
            return None
        points = math.inf if self.half_width is None else 100 * self.half_width
        limit = math.inf if self.limit is None else self.limit
        return dataclasses.replace(Goal(points=points), **{self.measure: limit})

    def _is_met(self, goal: Goal) -> bool:
        return goal.is_met(self.place, self.measure, self.question.attribute)

    def _repair(self, goal: Goal) -> Repair:
        free = free_parameters(self.question.attribute, self.perturbation)
        now = free[0].now if free else None
        return find_repair(self.question, self.measure, goal, self.curve, self.frontier, now)

    def numbers(self) -> Mapping[str, Any]:
        curve, goal = self.curve, self._goal
        document: dict[str, Any] = {
            "attribute": self.question.attribute.name,
            "measure": self.measure,
            "n": self.question.n,
            "perturbation": self.perturbation.to_json(),
            "place": dataclasses.asdict(self.place),
            "direct": self.direct,
            "parameter": None if curve is None else curve.free.name,
            "curve": [
                {"value": one.value} | dataclasses.asdict(one.place) for one in self._of("curve")
            ],
            "frontier": [
                dataclasses.asdict(one.place) | {"perturbation": one.perturbation.to_json()}
                | ({"certain": one.certain} if one.certain else {})
                for one in self.frontier
            ],
        }  # fmt: skip
        if self.compared:
            document["compare"] = {
                name: dataclasses.asdict(place) | {"perturbation": one.to_json()}
                for name, (one, place) in self.compared.items()
            }
        return document if goal is None else document | {"goal": self._goal_document(goal)}

    def _goal_document(self, goal: Goal) -> dict[str, Any]:
        told: dict[str, Any] = {
            "limit": self.limit, "half_width": self.half_width, "met": self._is_met(goal),
            "respondents": needed_respondents(self.question, self.place, goal),
        }  # fmt: skip
        if told["met"]:
            return told
        found = self._repair(goal)
        if found.perturbation is not None:
            made = found.perturbation.to_json()
            return told | {"repair": {"perturbation": made, "value": found.value}}
        closest = None if found.closest is None else dataclasses.asdict(found.closest)
        return told | {"repair": {"closest": closest, "respondents": found.needed}}

    @property
    def _spoken(self) -> str:
        return self.measure.replace("_", " ")

    @property
    def _precision(self) -> str:
        unit = self.question.attribute.unit
        if self.is_share:
            return "± points"
        return harmless(f"± of the mean ({unit})" if unit else "± of the mean")

    def _half(self, half_width: float) -> str:
        if math.isinf(half_width):
            return "∞"
        return f"{100 * half_width:.2f} points" if self.is_share else f"{half_width:.4g}"

    def sentence(self) -> str:
        return Message(
            "{attribute}: {design}; {measure} {privacy}, ± {half} with {n:,} respondents; asked "
            "directly ± {direct}.",
            attribute=self.question.attribute.heading, design=self.perturbation.summary(),
            measure=self._spoken, privacy=_privacy(self.place.privacy), n=self.question.n,
            half=self._half(self.place.half_width), direct=self._half(self.direct),
        )  # fmt: skip

    def readings(self) -> tuple[str, ...]:
        goal = self._goal
        if goal is None:
            return ()
        if self._is_met(goal):
            return (Message("The goal is met."),)
        found = self._repair(goal)
        if found.perturbation is not None:
            words = found.perturbation.summary()
            return (Message("The goal is missed; {design} meets it.", design=words),)
        is_private = self._is_met(dataclasses.replace(goal, points=math.inf))
        needed = needed_respondents(self.question, self.place, goal) if is_private else found.needed
        if math.isinf(needed):
            return (Message(
                "The goal is missed; no design of these and no number of respondents meets it."
            ),)  # fmt: skip
        who = Message("this design") if is_private else Message("the closest design")
        told = Message("The goal is missed; {who} meets it with {n:,} respondents.", who=who,
                       n=needed)  # fmt: skip
        return (told,)

    def _rows(self) -> list[_Row]:
        rows = [_Row("design", "", self.place, self.perturbation)]
        rows += [_Row("compare", name, at, one) for name, (one, at) in self.compared.items()]
        if self.curve is not None:
            curve = self.curve
            rows += [
                _Row("curve", curve.free.name, curve.place(i), curve.put(value), value)
                for i, value in enumerate(map(float, curve.values))
            ]
        return rows + [_Row("frontier", "", one.place, one.perturbation) for one in self.frontier]

    def _of(self, kind: str) -> list[_Row]:
        return [one for one in self._rows() if one.kind == kind]

    def sheets(self) -> tuple[Sheet, ...]:
        rows = self._rows()
        wide = Kind.SHARE if self.is_share else Kind.NUMBER
        half = "half-width" if self.is_share else self._precision
        columns = (
            Column("kind", Message("design"), Kind.TEXT, [one.kind for one in rows]),
            Column("name", Message("name"), Kind.TEXT, [one.name for one in rows]),
            Column("value", Message("value"), Kind.NUMBER, [one.value for one in rows],
                   is_detail=True),
            Column("privacy", Message("{title}", title=self._spoken), Kind.SHARE,
                   [one.place.privacy for one in rows]),
            Column("half_width", Message("{title}", title=half), wide,
                   [one.place.half_width for one in rows]),
            Column("bias", Message("bias"), wide, [one.place.bias for one in rows],
                   is_detail=True),
            Column("perturbation", Message("perturbation"), Kind.TEXT,
                   [one.perturbation.summary() for one in rows]),
        )  # fmt: skip
        kinds = [one.kind for one in rows]
        listed = tuple(
            place
            for kind in dict.fromkeys(kinds)
            for place in _some([i for i, one in enumerate(kinds) if one == kind])
        )
        return (Sheet("trade_off", TradeOff.label, columns, listed=listed),)

    def pictures(self) -> tuple[Picture, ...]:
        unit = 100.0 if self.is_share else 1.0

        def mark(shape: Shape, role: Role, name: str, places: Sequence[TradePlace]) -> Mark:
            x = np.array([place.privacy for place in places], np.float64)
            y = np.array([unit * place.half_width for place in places], np.float64)
            return Mark(shape, role, Message("{title}", title=harmless(name)), x, y)

        goal, beside = self._goal, [(name, at) for name, (_, at) in self.compared.items()]
        wanted = 0.0
        if self.half_width is not None and goal is not None:
            wanted = goal.half_width(self.question.attribute)
        places = self.place, *(at for _, at in beside)
        ends = choose_axes(self.question, self.measure, places, wanted)
        marks = []
        if goal is not None:
            right = ends.high if self.limit is None else self.limit
            top = ends.top if self.half_width is None else wanted
            x, low = np.array([ends.low, right], np.float64), np.zeros(2)
            high = np.full(2, unit * top)
            marks.append(Mark(Shape.BAND, Role.ESTIMATE, Message("goal"), x, low, low, high))
        if self.frontier:
            best = [one.place for one in self.frontier]
            marks.append(mark(Shape.LINE, Role.SERIES, "frontier", best))
        if self.curve is not None:
            curve = [one.place for one in self._of("curve")]
            marks.append(mark(Shape.LINE, Role.ESTIMATE, self.curve.free.name, curve))
        marks.append(mark(Shape.POINTS, Role.ESTIMATE, "this design", [self.place]))
        marks += [
            mark(Shape.POINTS, Role.SERIES, name, [at]) for name, at in beside if at.is_finite
        ]
        direct = np.array([unit * self.direct], np.float64)
        marks.append(Mark(Shape.RULE, Role.REFERENCE, Message("direct"), direct, direct))
        kind = Kind.NUMBER if self.measure == EPSILON else Kind.SHARE
        spoken = Message("{title}", title=self._spoken)
        privacy = Axis(spoken, low=ends.low, high=ends.high, kind=kind)
        y = Axis(Message("{measure}, 95 %", measure=self._precision), low=0.0, high=unit * ends.top)
        return (Picture("trade_off", Message("Privacy and precision"), privacy, y, tuple(marks)),)


def _privacy(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.4f}"


def _some(listed: Sequence[int]) -> Sequence[int]:
    """Evenly some of a long list, with both of its ends."""
    if len(listed) <= _SHOWN:
        return listed
    last = len(listed) - 1
    return [listed[round(i * last / (_SHOWN - 1))] for i in range(_SHOWN)]


def _devices(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise TypeError(Message("it must be devices by name"))
    return {str(name): one for name, one in given.items()}


@dataclass(frozen=True, kw_only=True)
class TradeOff(PlanningRequest):
    """Find what each value of a mechanism's parameter gives: privacy, and precision for it.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> found = pp.trade_off(design, "smokes", share=0.2, frontier=False)
    >>> place = found.to_dict()["place"]
    >>> round(place["privacy"], 4), round(place["half_width"], 4)
    (0.4286, 0.0591)
    """

    name: ClassVar[str] = "trade_off"
    label: ClassVar[Message] = Message("Privacy against precision of a question")
    leading: ClassVar[tuple[str, ...]] = ("attribute",)
    finds: ClassVar[type[Result]] = TradeOffResult

    attribute: Annotated[str, Option(metavar="NAME"), Info("Attribute", "question")]
    privacy: Annotated[
        str | None,
        OneOf((BELIEF, EPSILON, ATTACK)),
        Info("Privacy", "privacy measure (default: belief; numbers: attack-success)"),
    ] = None
    limit: Annotated[
        float | None,
        Within(0, open_low=True),
        Info("Limit", "goal: the highest value of the measure"),
    ] = None
    half_width: Annotated[
        float | None,
        Within(0, open_low=True),
        Info(
            "Half-width",
            "goal: half-width of the 95 % interval, e.g. 0.03; for a number, a share of its domain",
        ),
    ] = None
    compare: Annotated[
        Mapping[str, Any] | None,
        Read(_devices, dict, annotation="Mapping[str, Any]"),
        Option(on_command_line=False),
        Info("Compare", "other devices by any name, as a design file writes them"),
    ] = None
    frontier: Annotated[
        bool,
        Info(
            "Frontier",
            "search all matrices for the most precise ones at their privacy, which takes seconds",
        ),
    ] = True
    n: People = None
    noncompliance: Ignoring = None
    share: Share = None
    expected: Expected = None

    def run(self, source: DesignSource, progress: Progress = silent) -> TradeOffResult:
        design, name = source.design, self.attribute
        design.refuse_arms()
        asked = design[name].attribute
        offered = privacy_measures(asked)
        measure = offered[0] if self.privacy is None else self.privacy
        if measure not in offered:
            raise ParameterError(
                f"privacy of {name!r} must be one of {', '.join(offered)}, not {measure!r}.",
                field="privacy",
            )
        compared = {key: device_of(one, asked) for key, one in (self.compare or {}).items()}
        pilot = source.pilot(part(progress, 0.0, 0.1))
        prior = expected_priors(design, pilot.priors, self.share, self.expected).get(name)
        in_effect = dataclasses.replace(design[name], perturbation=design.usual_device(name))
        people = self.n or pilot.rows or RESPONDENTS
        ignoring = checked_noncompliance(self.noncompliance, design)
        report = assess_asked(design, in_effect, prior, people, ignoring)
        question = question_of(report)
        curve = family_curve(question, report.perturbation, measure, part(progress, 0.1, 0.3))
        best: tuple[FrontierDesign, ...] = ()
        if self.frontier and has_frontier(report.attribute):
            best = search_frontier(question, measure, part(progress, 0.3, 1.0))
        return TradeOffResult(
            design=design, question=question, perturbation=report.perturbation, measure=measure,
            place=report_place(report, measure), direct=direct_half_width(question), curve=curve,
            frontier=with_curve(best, question, curve), limit=self.limit,
            half_width=self.half_width, remarks=pilot.remarks, state=pilot.state,
            compared={
                key: (one, place_of(question, one, measure)) for key, one in compared.items()
            },
        )  # fmt: skip


QUESTION = TradeOff
