"""The transition matrix that loses least at a level of privacy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from ppworkbench.analyses.planning.request import (
    DesignSource,
    Out,
    People,
    PlanningRequest,
    PlanningResult,
)
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Within
from ppworkbench.core.planning import RESPONDENTS
from ppworkbench.core.privacy.optimiser import EXPOSURES, FAMILIES, Frontier, frontier, optimal
from ppworkbench.core.privacy.optimiser.optimal import point_to_json
from ppworkbench.core.privacy.utility.goal_seek import Target
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class OptimiseResult(PlanningResult):
    """A frontier, or its one point for a target; then ``design`` has the matrix of the point."""

    found: Frontier
    is_one: bool = False

    def numbers(self) -> Mapping[str, Any]:
        found = self.found
        if not self.is_one:
            return found.to_json()
        return {
            "attribute": found.attribute.name, "family": found.family, "n": found.n,
            "measure": found.privacy, **point_to_json(found.points[0]),
        }  # fmt: skip

    def sentence(self) -> str:
        return Message(
            "{attribute}: smallest expected information loss of {family} matrices with {n:,} "
            "respondents.",
            attribute=self.found.attribute.heading, family=self.found.family, n=self.found.n,
        )  # fmt: skip

    @property
    def _measure(self) -> Message:
        return Message("{title}", title=self.found.privacy.replace("_", " "))

    def _values(self) -> dict[str, list[float]]:
        points = self.found.points
        return {
            "privacy": [one.privacy for one in points],
            "information_loss": [one.information_loss for one in points],
            "uniform_information_loss": [one.uniform_loss for one in points],
        }

    def sheets(self) -> tuple[Sheet, ...]:
        points, values = self.found.points, self._values()
        heads = {
            "privacy": self._measure, "information_loss": Message("information loss"),
            "uniform_information_loss": Message("uniform loss"),
        }  # fmt: skip
        texts = {
            "attribute": (Message("attribute"), self.found.attribute.name),
            "measure": (Message("measure"), self.found.privacy),
        }
        columns = (
            *(
                Column(key, head, Kind.TEXT, [value] * len(points), is_detail=True)
                for key, (head, value) in texts.items()
            ),
            *(Column(key, heads[key], Kind.SHARE, values[key]) for key in heads),
            Column("perturbation", Message("perturbation"), Kind.TEXT,
                   [one.perturbation.summary() for one in points]),
        )  # fmt: skip
        return (Sheet("frontier", Optimise.label, columns),)

    def pictures(self) -> tuple[Picture, ...]:
        family = Message("{title}", title=self.found.family)
        privacy, least, uniform = np.array(list(self._values().values()), np.float64)
        marks = (
            Mark(Shape.LINE, Role.REFERENCE, Message("uniform"), privacy, uniform),
            Mark(Shape.LINE, Role.ESTIMATE, family, privacy, least),
        )
        x = Axis(self._measure, kind=Kind.SHARE)
        y = Axis(Message("expected information loss"), kind=Kind.SHARE)
        return (Picture("frontier", Message("Least information loss"), x, y, marks),)


@dataclass(frozen=True, kw_only=True)
class Optimise(PlanningRequest):
    """Find the matrices with the smallest expected loss at each level of privacy, or one of them.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> design = {
    ...     "format": "ppworkbench-design", "version": 1,
    ...     "attributes": {"smokes": {
    ...         "kind": "binary", "values": ["no", "yes"],
    ...         "perturbation": {"type": "uniform", "keep": 0.9}}},
    ... }
    >>> found = pp.optimise(design, "smokes", target=0.7)
    >>> round(found.design["smokes"].perturbation.keep, 6)
    0.7
    """

    name: ClassVar[str] = "optimise"
    label: ClassVar[Message] = Message("Matrices that lose least at their privacy")
    leading: ClassVar[tuple[str, ...]] = ("attribute",)
    finds: ClassVar[type[Result]] = OptimiseResult

    attribute: Annotated[str, Option(metavar="NAME"), Info("Attribute", "attribute to improve")]
    privacy: Annotated[str, OneOf(tuple(EXPOSURES)), Info("Privacy", "privacy measure")] = (
        "attack_success"
    )
    family: Annotated[str, OneOf(FAMILIES), Info("Family", "matrices to search")] = FAMILIES[0]
    points: Annotated[
        int, Within(1), Option(metavar="N"), Info("Points", "levels of privacy of the frontier")
    ] = 12
    target: Annotated[
        float | None,
        Within(0, open_low=True),
        Info("Target", "find the one matrix with the smallest loss at this privacy"),
    ] = None
    target_loss: Annotated[
        float | None,
        Within(0, open_low=True),
        Info("Target loss", "find the one matrix with the most privacy at this loss"),
    ] = None
    n: People = None
    out: Out = None

    def __post_init__(self) -> None:
        """Refuse two targets, and a file without one."""
        super().__post_init__()
        if self.target is not None and self.target_loss is not None:
            raise ParameterError("Give target or target_loss, not both.", field="target")
        if self.out is not None and self.target is None and self.target_loss is None:
            raise ParameterError("out needs target or target_loss.", field="out")

    def run(self, source: DesignSource, progress: Progress = silent) -> OptimiseResult:
        design = source.design
        design.refuse_arms()
        asked, pilot = design[self.attribute].attribute, source.pilot(progress)
        prior, people = pilot.priors.get(self.attribute), self.n or pilot.rows or RESPONDENTS
        shared: dict[str, Any] = {"remarks": pilot.remarks, "state": pilot.state}
        wanted = None if self.target is None else Target(self.privacy, self.target)
        if self.target_loss is not None:
            wanted = Target("information_loss", self.target_loss)
        if wanted is None:
            curve = frontier(asked, prior, people, self.privacy, self.family, self.points, progress)
            return OptimiseResult(found=curve, design=design, **shared)
        point = optimal(asked, prior, people, wanted, self.privacy, self.family, progress)
        best = design.with_perturbation(self.attribute, point.perturbation)
        one = Frontier(asked, self.privacy, self.family, people, (point,))
        return OptimiseResult(found=one, is_one=True, design=best, file=self.write(best), **shared)


QUESTION = Optimise
