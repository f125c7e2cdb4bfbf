"""The best shares of the arms of a design, before anybody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ppworkbench.analyses.planning.request import (
    Costs,
    DesignSource,
    Expected,
    Ignoring,
    People,
    PlanningRequest,
    PlanningResult,
    Share,
    checked_noncompliance,
    expected_priors,
    read_numbers,
)
from ppworkbench.core.compliance.classes import Behaviour
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Part, Read, declarations
from ppworkbench.core.planning import RESPONDENTS
from ppworkbench.core.planning.allocation import (
    COMPLIANCE,
    DIFFERENCE,
    PREVALENCE,
    Aim,
    Allocation,
    allocate,
)
from ppworkbench.core.privacy.utility.noncompliance import NonCompliance, usual_safe
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AllocationResult(PlanningResult):
    """The best shares of arms, and the standard error with them."""

    attribute: str
    serves: str
    n: int
    found: Allocation

    def numbers(self) -> Mapping[str, Any]:
        return {
            "attribute": self.attribute,
            "serves": self.serves,
            "n": self.n,
            "allocation": dict(self.found.shares),
            "standard_error": self.found.standard_error,
            "standard_error_before": self.found.before,
        }

    def sentence(self) -> str:
        return Message(
            "{attribute}: best shares of the arms for {serves}", attribute=self.attribute,
            serves=Message(self.serves),
        )  # fmt: skip

    def sheets(self) -> tuple[Sheet, ...]:
        shares = self.found.shares
        columns = (
            Column("arm", Message("arm"), Kind.TEXT, list(shares)),
            Column("share", Message("share"), Kind.SHARE, list(shares.values())),
        )
        return (Sheet("arms", Allocate.label, columns),)

    def readings(self) -> tuple[str, ...]:
        found = self.found
        told = Message(
            "Standard error {error:.6f} with {n:,} respondents, {before:.6f} with the shares of "
            "the design.",
            error=found.standard_error, n=self.n, before=found.before,
        )  # fmt: skip
        if found.only is None:
            return (told,)
        return told, Message("The whole sample belongs in the arm {arm!r}.", arm=found.only)


@dataclass(frozen=True)
class ArmCosts(Costs):
    """What an interview costs, by its kind or by arm."""

    by_arm: Annotated[
        Mapping[str, float] | None,
        Read(read_numbers, dict),
        Option(on_command_line=False),
        Info("By arm", "by arm"),
    ] = None

    @classmethod
    def given(cls, keywords: Mapping[str, Any]) -> ArmCosts:
        """Costs of both kinds, or of arms by their names."""
        own = {one.name for one in declarations(cls)}
        return super().given(keywords if keywords.keys() <= own else {"by_arm": dict(keywords)})

    def of(self, design: Design, name: str) -> Mapping[str, float]:
        versions = design.versions
        for arm in self.by_arm or ():
            if arm not in versions.choices:
                raise ParameterError(f"costs: the design has no arm {arm!r}.", field="costs")
        if self.by_arm is not None:
            return self.by_arm
        devices = versions.devices(name, design[name].perturbation)
        return {
            arm: self.direct if one.is_identity else self.randomised for arm, one in devices.items()
        }


@dataclass(frozen=True, kw_only=True)
class Allocate(PlanningRequest):
    """Find the best shares of the arms of a design.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> kept = {"type": "uniform", "keep": 0.9}
    >>> design = {"format": "ppworkbench-design", "version": 2, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}},
    ...     "arms": {"column": "arm", "members": {
    ...         "A": {"share": 0.5},
    ...         "B": {"share": 0.5, "perturbations": {"smokes": kept}}}}}
    >>> found = pp.allocate(design, "smokes", serves="difference", between=("A", "B"), share=0.2)
    >>> found.to_frame()[["arm", "share"]].round(2).values.tolist()
    [['A', 0.64], ['B', 0.36]]
    """

    name: ClassVar[str] = "allocate"
    label: ClassVar[Message] = Message("Shares of the arms")
    leading: ClassVar[tuple[str, ...]] = ("attribute",)
    finds: ClassVar[type[Result]] = AllocationResult

    attribute: Annotated[
        str | None,
        Option(metavar="NAME"),
        Info("Attribute", "question to serve; may be left out where there is one"),
    ] = None
    serves: Annotated[
        str,
        OneOf((PREVALENCE, COMPLIANCE, DIFFERENCE)),
        Option("allocate", is_required=True),
        Info(
            "Serves",
            "find the best shares of the arms for the sensitive share, for non-compliance, or for "
            "the difference of the sensitive shares of two arms",
        ),
    ] = PREVALENCE
    between: Annotated[
        tuple[str, ...], Option(metavar="ARM,ARM"), Info("Between", "the two arms of a difference")
    ] = ()
    n: People = None
    noncompliance: Ignoring = None
    costs: Annotated[
        ArmCosts | None,
        Part("costs of interviews", keys=("direct", "randomised")),
        Info("Costs", "of an interview that asks directly and of one that randomises, or by arm"),
    ] = None
    share: Share = None
    expected: Expected = None

    def __post_init__(self) -> None:
        """Refuse a difference without two arms, and people who tell the truth instead."""
        super().__post_init__()
        if (self.serves == DIFFERENCE) is not (len(self.between) == 2):
            raise ParameterError("A difference, and nothing else, has two arms.", field="between")
        if self.noncompliance is not None and self.noncompliance.behaviour == "truth":
            raise ParameterError("An allocation needs behaviour safe or random.", field="behaviour")

    def run(self, source: DesignSource, progress: Progress = silent) -> AllocationResult:
        design, name = source.design, self.attribute
        pilot = source.pilot(progress)
        priors = expected_priors(design, pilot.priors, self.share, self.expected)
        names = [one for one in design.names if one not in design.versions.columns]
        if name is None and len(names) != 1:
            raise ParameterError("Name the attribute to allocate for.", field="attribute")
        name = names[0] if name is None else name
        ignoring = checked_noncompliance(self.noncompliance, design)
        if ignoring is None and self.serves == COMPLIANCE:
            ignoring = NonCompliance(0.0)
        behaviour = None if ignoring is None else _behaviour(design[name].attribute, ignoring)
        share = 0.0 if ignoring is None else ignoring.share
        between = (self.between[0], self.between[1]) if self.between else ("", "")
        aim = Aim(self.serves, behaviour, share, between)
        people = self.n or RESPONDENTS
        costs = None if self.costs is None else self.costs.of(design, name)
        found = allocate(design, name, priors.get(name), aim, people, costs)
        return AllocationResult(
            design=design, attribute=name, serves=self.serves, n=people, found=found,
            remarks=pilot.remarks, state=pilot.state,
        )  # fmt: skip


def _behaviour(asked: Attribute, ignoring: NonCompliance) -> Behaviour:
    safe = ignoring.safe_of(asked) or usual_safe(asked)
    if asked.kind.is_categorical and safe not in asked.values:
        raise ParameterError.saying(
            "{value!r} is no value of {attribute!r}.", value=safe, attribute=asked.name,
            field="safe",
        )  # fmt: skip
    is_random = ignoring.behaviour == "random" or not asked.kind.is_categorical
    return Behaviour(None if is_random else asked.values.index(safe))


QUESTION = Allocate
