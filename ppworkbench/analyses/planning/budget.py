"""What all answers of one person disclose together, and a total shared out among them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ppworkbench.analyses.planning.request import (
    ALL,
    DesignSource,
    Expected,
    Out,
    People,
    Pilot,
    PlanningRequest,
    PlanningResult,
    drawn_priors,
    read_numbers,
)
from ppworkbench.analyses.planning.study_budget import open_questions, put_back
from ppworkbench.core.design.budget import MEASURES, RULES, TOTAL, DesignBudget
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.release import epsilon_conditions
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Read, Within
from ppworkbench.core.planning import RESPONDENTS
from ppworkbench.core.planning.budget import (
    DELTA,
    Budget,
    ExpectedShare,
    budget_of,
    share_design,
    sharing_remarks,
    total_for_belief,
)
from ppworkbench.core.planning.sharing import BudgetSettings
from ppworkbench.core.progress import Progress, silent
from ppworkbench.results.picture import Axis, Picture, lengths
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import cut, harmless
from ppworkbench.study.release import without_attributes

_VALUES_WIDTH = 30


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BudgetResult(PlanningResult):
    """What each question spends; ``design`` is the one with the shared total if there is one."""

    found: Budget
    n: int

    @property
    def epsilon(self) -> float:
        """What all answers of one person disclose together."""
        return self.found.total

    def numbers(self) -> Mapping[str, Any]:
        return self.found.to_json()

    def sentence(self) -> str:
        """The total in words, below what has no bound at all."""
        if not self.found.undistorted:
            return self.found.sentence
        return Message(
            "Not randomised, and so without any bound: {attributes}. {others}",
            attributes=self.found.undistorted, others=self.found.sentence,
        )  # fmt: skip

    def sheets(self) -> tuple[Sheet, ...]:
        asked = self.found.questions
        expected = [one.expected for one in asked]
        columns = (
            Column("attribute", Message("question"), Kind.TEXT,
                   [Message("{attribute}", attribute=one.name) for one in asked]),
            Column("epsilon", Message("epsilon"), Kind.NUMBER, [one.epsilon for one in asked]),
            Column("share", Message("share of the total"), Kind.SHARE,
                   [one.share for one in asked], unit="%"),
            Column("standard_error", Message("standard error"), Kind.NUMBER,
                   [one.error for one in asked]),
            Column("expected_share", Message("expected share"), Kind.SHARE,
                   [one.share for one in expected], is_detail=True),
            Column("expected_mean", Message("expected mean"), Kind.NUMBER,
                   [one.mean for one in expected], is_detail=True),
            Column("expected_origin", Message("origin"), Kind.TEXT,
                   [one.origin for one in expected], is_detail=True),
            Column("expected", Message("expected"), Kind.TEXT, list(map(_expected, expected))),
        )  # fmt: skip
        return (Sheet("budget", Message("Epsilon of the questions"), columns),)

    def readings(self) -> tuple[str, ...]:
        found, shuffled = self.found, self.found.shuffled
        told = [Message("A standard error is that of the expected share, or of the mean of a "
                        "number.")]  # fmt: skip
        if any(one.expected.origin == "uniform" for one in found.questions):
            told.append(Message(
                "Where nothing is expected, all answers are taken as equally likely (--expected, "
                "or true answers of a pilot, say otherwise)."
            ))  # fmt: skip
        if any(one.share is None for one in found.questions):
            told.append(Message("Questions in a group spend together, and have no share alone."))
        told += found.remarks
        if found.composed is not None:
            told.append(Message(
                "But for a probability of {delta:g} all answers together disclose no more than "
                "epsilon {epsilon:.4g}: an aside, the sum above is the promise.",
                delta=shuffled.delta, epsilon=found.composed,
            ))  # fmt: skip
        if shuffled.reason is None:
            told.append(Message(
                "Shuffled with those of {n:,} people: epsilon {epsilon:.4g} but for a probability "
                "of {delta:g}; by an exact count of clones {by_clones:.4g}. This holds only if the "
                "rows are shuffled.",
                n=self.n, epsilon=shuffled.epsilon, delta=shuffled.delta,
                by_clones=shuffled.by_clones or 0.0,
            ))  # fmt: skip
        else:
            told.append(Message("Shuffling promises no more. {reason}", reason=shuffled.reason))
        return (*told, *super().readings())

    def pictures(self) -> tuple[Picture, ...]:
        labels = [harmless(self.shown(one.name)) for one in self.found.questions]
        axis, values = Axis(Message("epsilon")), [one.epsilon for one in self.found.questions]
        return (lengths("budget", Message("Epsilon of the questions"), axis, labels, values),)


def _expected(expected: ExpectedShare) -> str:
    if expected.share is None:
        return f"mean {expected.mean:.4g}"
    return f"{100 * expected.share:.3g} % {cut(', '.join(expected.values), _VALUES_WIDTH)}"


def _weights(given: Any) -> dict[str, float]:
    weights = read_numbers(given)
    if ALL in weights:
        raise ValueError(Message("it must be NAME=number"))
    return weights


@dataclass(frozen=True, kw_only=True)
class ShareBudget(PlanningRequest):
    """Tell the epsilon of all answers of one person, or share out a total.

    What is not given is as the design says; a total that it has is shared out if anything else is.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> asked = {
    ...     "kind": "binary", "values": ["no", "yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75},
    ... }
    >>> design = {
    ...     "format": "ppworkbench-design", "version": 1,
    ...     "attributes": {"smokes": asked, "votes": asked},
    ... }
    >>> round(pp.budget(design).epsilon, 4)
    2.1972
    >>> shared = pp.budget(design, total=1.0)
    >>> [round(one, 6) for one in shared.to_frame()["epsilon"]]
    [0.5, 0.5]
    """

    name: ClassVar[str] = "budget"
    label: ClassVar[Message] = Message("Shared-out privacy budget")
    finds: ClassVar[type[Result]] = BudgetResult

    total: Annotated[float | None, TOTAL, Info("Total", "epsilon to share out")] = None
    belief: Annotated[
        float | None,
        Within(0, 1, open_low=True, open_high=True),
        Info(
            "Belief",
            "share out the total with which belief in no sensitive answer rises above this",
        ),
    ] = None
    rule: Annotated[
        str | None,
        OneOf(RULES),
        Info("Rule", "how the total is shared out (default: that of the design, or sum)"),
    ] = None
    of: Annotated[
        str | None,
        OneOf(MEASURES),
        Info("Of", "what is made small (default: that of the design, or width)"),
    ] = None
    weights: Annotated[
        Mapping[str, float] | None,
        Read(_weights, dict, annotation="Mapping[str, float]"),
        Option("weight", "NAME=X", is_repeated=True),
        Info("Weights", "weight of a question (default 1); may be given several times"),
    ] = None
    locked: Annotated[
        tuple[str, ...],
        Option("lock", "NAME", is_repeated=True),
        Info("Locked", "question that keeps its epsilon; may be given several times"),
    ] = ()
    ask: Annotated[
        int | None,
        Within(1),
        Option(metavar="M"),
        Info("Ask", "questions that each person is asked, drawn at random (default: all)"),
    ] = None
    together: Annotated[
        tuple[tuple[str, ...], ...],
        Option(metavar="NAME", is_repeated=True),
        Info("Together", "questions that a person gets all or none of; may be given several times"),
    ] = ()
    leave_open: Annotated[
        bool,
        Info("Leave open", "leave questions that are not randomised outside of the total"),
    ] = False
    n: People = None
    expected: Expected = None
    delta: Annotated[
        float | None, Info("Delta", "delta of the bound for shuffled reports (default 1e-6)")
    ] = None
    out: Out = None

    def __post_init__(self) -> None:
        """Refuse two totals."""
        super().__post_init__()
        if self.total is not None and self.belief is not None:
            raise ParameterError("Give total or belief, not both.", field="total")

    def run(self, source: DesignSource, progress: Progress = silent) -> BudgetResult:
        planned = source.design.budget or DesignBudget()
        total = planned.total if self.total is None else self.total
        asks = self.ask is not None or bool(self.together)
        changes = bool(self.rule or self.of or self.weights or self.locked or self.out is not None)
        is_given = self.total is not None or self.belief is not None
        shares = is_given or (total is not None and changes)
        if changes and not shares and not asks:
            raise ParameterError("Give what to share out: a total or a belief.", field="total")
        pilot = source.pilot(progress)
        pilot = dataclasses.replace(
            pilot, priors=pilot.priors | drawn_priors(source.design, self.expected)
        )
        design = self._asking(source.design, planned) if asks else source.design
        if self.belief is not None:
            total = total_for_belief(design, pilot.priors, self.belief)
        remarks: tuple[str, ...] = ()
        if total is not None and (shares or asks):
            design, remarks = self._shared(design, total, pilot)
        people = self.n or pilot.rows or RESPONDENTS
        found = budget_of(design, pilot.priors, people, DELTA if self.delta is None else self.delta)
        return BudgetResult(
            found=found, design=design, n=people, file=self.write(design), state=pilot.state,
            remarks=(*remarks, *epsilon_conditions(design), *pilot.remarks),
        )  # fmt: skip

    def _asking(self, design: Design, planned: DesignBudget) -> Design:
        """The design that asks so many questions, and some of them together."""
        for name in (name for names in self.together for name in names):
            design[name]  # Refuses a name that is no attribute.
        budget = dataclasses.replace(planned, ask=self.ask or planned.ask)
        made = dataclasses.replace(design, budget=budget.keeping([list(n) for n in self.together]))
        assert made.budget is not None  # noqa: S101 (it was set)
        made.budget.check_ask(made.parts)
        return made

    def _shared(self, design: Design, total: float, pilot: Pilot) -> tuple[Design, tuple[str, ...]]:
        """The design with the total shared out, and what must be known of that."""
        planned = design.budget or DesignBudget()
        wanted = BudgetSettings(total, self.rule or planned.rule, self.of or planned.of)
        outside = open_questions(design) if self.leave_open else ()
        asked = without_attributes(design, outside) if outside else design
        weights = dict(planned.weights) | dict(self.weights or {})
        shared = share_design(asked, wanted, pilot.priors, weights, self.locked or None)
        return put_back(design, shared), sharing_remarks(asked, shared, total)


QUESTION = ShareBudget
