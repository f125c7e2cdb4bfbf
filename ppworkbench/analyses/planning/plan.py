"""How many people to ask, before anybody is asked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from ppworkbench.analyses.planning.request import (
    ALL,
    Costs,
    DesignSource,
    Expected,
    Ignoring,
    Out,
    PlanningRequest,
    PlanningResult,
    Share,
    checked_noncompliance,
    expected_priors,
    read_limits,
    read_numbers,
    write_numbers,
)
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option, Part, Read, Within
from ppworkbench.core.planning.alternatives import compare_techniques
from ppworkbench.core.planning.invitations import Invitations, count_invitations
from ppworkbench.core.planning.power import SIDES, TestPlan
from ppworkbench.core.planning.questionnaire import (
    QuestionnairePlan,
    QuestionPlan,
    belief_sentence,
    check_beliefs,
    plan_questionnaire,
    planned_names,
)
from ppworkbench.core.planning.settings import Limits, PlanSettings, pays_sentence
from ppworkbench.core.planning.solution import Solution, solve
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.planning import MEASURES
from ppworkbench.core.privacy.utility.planning import Plan as ErrorPlan
from ppworkbench.core.privacy.utility.planning import plan as plan_errors
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.figure import draw_picture, new_axes
from ppworkbench.results.picture import MOST_LINES, Axis, Mark, Picture, Role, Shape, lengths
from ppworkbench.results.result import Result
from ppworkbench.results.sheet import Column, Kind, Sheet
from ppworkbench.results.text import harmless

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ppworkbench.core.design.design import Design

Totals = tuple[QuestionnairePlan, Invitations | None]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlanResult(PlanningResult):
    """How many respondents every question needs; ``design`` is the solved one if there is one.

    ``before`` is then the plan of the design as it was given, with its total.
    ``n`` is the number of respondents that was given, None where the plan found it.
    """

    whole: QuestionnairePlan
    aimed: ErrorPlan | None = None
    solutions: tuple[Solution, ...] = ()
    total: Invitations | None = None
    compared: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    before: Totals | None = None
    n: int | None = None

    def numbers(self) -> Mapping[str, Any]:
        document = self.whole.to_json()
        if self.aimed is not None:
            before = self.aimed.to_json()
            for name, told in before["attributes"].items():
                # The respondents of all aims together are in the new fields.
                kept = {key: value for key, value in told.items() if key != "respondents"}
                # A column that tells how people were drawn is no question of the plan.
                document["attributes"].setdefault(name, {}).update(kept)
            document |= {key: before[key] for key in ("measure", "target_error")}
        for one in self.solutions:
            document["attributes"][one.attribute]["solution"] = one.to_json()
        document["total"] = None if self.total is None else self.total.to_json()
        if self.before is not None:
            whole, total = self.before
            told = None if total is None else total.to_json()
            document["before"] = whole.to_json() | {"total": told}
        for name, found in self.compared.items():
            document["attributes"][name]["compare"] = found
        return document

    def sentence(self) -> str:
        aimed = self.aimed
        if aimed is None:
            return "" if self.total is None else self.total.sentence
        is_mean = any(one.decisive == "mean" for one in aimed.attributes)
        start = (
            Message("Respondents for a {measure} of at most {target:g}; of a mean, as a share of "
                    "the domain", measure=aimed.measure.replace("-", " "), target=aimed.target)
            if is_mean
            else Message("Respondents for a {measure} of at most {target:g}",
                         measure=aimed.measure.replace("-", " "), target=aimed.target)
        )  # fmt: skip
        return start if self.total is None else Message("{aim}. {total}", aim=start,
                                                        total=self.total.sentence)  # fmt: skip

    def sheets(self) -> tuple[Sheet, ...]:
        solved = () if self.before is None else (self._solved(self.before),)
        techniques = (_techniques(name, one) for name, one in self.compared.items())
        return (self._questions(), *solved, *techniques)

    def _questions(self) -> Sheet:
        asked = self.whole.questions
        aims = () if self.aimed is None else self.aimed.attributes
        decisive = {one.attribute: one.decisive for one in aims}
        after = [None if one.belief is None else one.belief.after for one in asked]
        columns = (
            Column("attribute", Message("attribute"), Kind.TEXT,
                   [Message("{attribute}", attribute=one.attribute) for one in asked]),
            Column("light", Message("light"), Kind.TEXT, [one.light for one in asked],
                   is_detail=True),
            Column("words", Message("plan"), Kind.TEXT, [one.words for one in asked]),
            Column("respondents", Message("respondents"), Kind.COUNT,
                   [one.respondents for one in asked]),
            Column("power", Message("power"), Kind.NUMBER, [one.power for one in asked],
                   decimals=4),
            Column("bias", Message("bias"), Kind.NUMBER,
                   [None if one.bias is None else round(one.bias, 12) + 0.0 for one in asked],
                   decimals=4),
            Column("rmse", Message("RMSE"), Kind.NUMBER, [one.rmse for one in asked], decimals=4),
            Column("break_even", Message("pays from"), Kind.NUMBER,
                   [one.break_even for one in asked], decimals=1),
            Column("belief", Message("belief"), Kind.SHARE, after),
            Column("decisive", Message("decided by"), Kind.TEXT,
                   [decisive.get(one.attribute, "") for one in asked],
                   is_detail=self.aimed is None),
        )  # fmt: skip
        return Sheet("questions", Plan.label, columns)

    def _solved(self, before: Totals) -> Sheet:
        """What solving changes, as Plan shows it before anything is changed."""
        sides, solved = (before, (self.whole, self.total)), self.solutions
        columns = [
            Column("attribute", Message("solved"), Kind.TEXT,
                   [Message("{attribute}", attribute=one.attribute) for one in solved]),
            Column("parameter", Message("parameter"), Kind.TEXT, [one.parameter for one in solved]),
            Column("before", Message("before"), Kind.NUMBER, [one.now for one in solved]),
            Column("exact", Message("exact"), Kind.NUMBER, [one.exact for one in solved]),
            Column("after", Message("after"), Kind.NUMBER,
                   [one.now if one.snapped is None else one.snapped for one in solved]),
        ]  # fmt: skip
        heads = (Message("belief before"), Message("n before"), Message("belief after"),
                 Message("n after"))  # fmt: skip
        for side, (belief, need) in zip(sides, (heads[:2], heads[2:]), strict=True):
            plans = {one.attribute: one.belief for one in side[0].questions}
            needed: Mapping[str, float] = {} if side[1] is None else side[1].needed
            seen = [plans[one.attribute] for one in solved]
            columns += [
                Column(belief.replace(" ", "_"), belief, Kind.SHARE,
                       [None if one is None else one.after for one in seen]),
                Column(need.replace(" ", "_"), need, Kind.COUNT,
                       [needed.get(one.attribute) for one in solved]),
            ]  # fmt: skip
        after = {one.attribute: one.words for one in self.whole.questions}
        told = [
            after[one.attribute] if one.reason is None else Message("no solution") for one in solved
        ]
        columns.append(Column("plan", Message("plan"), Kind.TEXT, told))
        return Sheet("solved", Message("Solved questions"), tuple(columns))

    @property
    def changed(self) -> tuple[str, ...]:
        if self.before is None:
            return ()
        pairs = zip(self.before[0].questions, self.whole.questions, strict=True)
        return tuple(one.attribute for one, now in pairs if one.perturbation != now.perturbation)

    def readings(self) -> tuple[str, ...]:
        whole = self.whole
        told = [
            belief_sentence(self.design.question(one.attribute).attribute, one.belief)
            for one in whole.questions
            if one.belief is not None and one.belief.marked
        ]
        if any(one.break_even is not None for one in whole.questions):
            told.append(Message(
                "Pays from: the number of respondents from which on the randomised question has "
                "the smaller error than the direct one."
            ))  # fmt: skip
        told += [
            Message("Techniques have a root mean square error (RMSE) by {over}.", over=over)
            for over in dict.fromkeys(map(_over, self.compared.values()))
        ]
        told += [] if whole.decisive is None else [_decisive(whole.decisive)]
        if whole.budget == float("inf"):
            told.append(Message("Randomising pays at no budget."))
        elif whole.budget is not None and whole.cost is not None:
            told.append(pays_sentence(whole.budget, whole.cost))
        told += [
            Message("{attribute}: no solution, {reason}.", attribute=one.attribute,
                    reason=one.reason)
            for one in self.solutions
            if one.reason is not None
        ]  # fmt: skip
        return (*told, *super().readings())

    def plot(self, ax: Axes | None = None, *, attribute: str | None = None) -> Axes:
        """Draw the errors of the compared techniques, else the respondents that questions need.

        Parameters
        ----------
        ax
            The axes to draw on; new ones if not given.
        attribute
            The question whose techniques are drawn; may be left out where one was compared.
        """
        if attribute is not None and attribute not in self.compared:
            raise ParameterError(
                f"{attribute!r} was not compared with other techniques; give compare to plan().",
                field="attribute",
            )
        if attribute is None and len(self.compared) == 1:
            (attribute,) = self.compared
        asked = self.pictures()
        if not asked:
            raise ParameterError("No limit of the plan asks for respondents.", field="plot")
        axes = new_axes() if ax is None else ax
        draw_picture(asked[0] if attribute is None else self.picture(attribute), axes)
        return axes

    def pictures(self) -> tuple[Picture, ...]:
        asking = [one for one in self.whole.questions if one.respondents is not None][:MOST_LINES]
        errors = tuple(
            errors_picture(name, one, called=self.shown(name))
            for name, one in self.compared.items()
        )
        if not asking:
            return errors
        labels = [harmless(self.shown(one.attribute)) for one in asking]
        axis, values = Axis(Message("respondents needed")), [one.respondents or 0 for one in asking]
        needed = lengths("respondents", Message("Respondents needed"), axis, labels, values)
        if self.n is not None:
            n = np.array([self.n], np.float64)
            rule = Mark(Shape.RULE, Role.REFERENCE, Message("asked"), n, n)
            needed = dataclasses.replace(needed, marks=(*needed.marks, rule))
        return (needed, *errors)


def _decisive(one: QuestionPlan) -> Message:
    if one.respondents == float("inf"):
        return Message("No sample size is enough for {attribute!r}.", attribute=one.attribute)
    return Message(
        "{n:,} respondents; {attribute!r} needs the most.", n=one.respondents or 0,
        attribute=one.attribute,
    )  # fmt: skip


def _over(found: Mapping[str, Any]) -> Message:
    if found["over"] == "budget":
        return Message("budget in the currency of the costs")
    return Message("respondents")


def errors_picture(
    name: str, found: Mapping[str, Any], pays_from: float | None = None, *, called: str = ""
) -> Picture:
    """The errors of techniques in points over respondents or budgets.

    Devices may have the same matrix: of curves that lie on one another the first is drawn. Those
    far above the design's own leave the picture.
    """
    at = np.array(found["at"], np.float64)
    errors: dict[str, Numbers] = {}
    for key, one in found["techniques"].items():
        curve = 100 * np.array(one["rmse"], np.float64)
        is_known = any(np.allclose(curve, other, rtol=1e-6, atol=0) for other in errors.values())
        if math.isfinite(one["variance"]) and not is_known:
            errors[key] = curve
    marks = [
        Mark(
            Shape.LINE, Role.ESTIMATE if key == "design" else Role.SERIES, technique_name(key), at,
            curve,
        )
        for key, curve in errors.items()
    ]  # fmt: skip
    high = max((float(curve.max()) for curve in errors.values()), default=1.0)
    if "design" in errors:
        own = errors["design"]
        high = min(high, 2.2 * float(own.max()))
        if pays_from is not None and at[0] <= pays_from <= at[-1]:
            place = np.array([math.ceil(pays_from)], np.float64)
            on_curve = np.interp(np.log(place), np.log(at), own)
            words = (Message("pays from {n:,}", n=int(place[0])),)
            marks.append(
                Mark(Shape.POINTS, Role.ESTIMATE, Message(""), place, on_curve, words=words)
            )
    step = 10.0 ** math.floor(math.log10(max(high, 1e-6))) / 2
    y = Axis(Message("error"), Message("points"), low=0.0, high=math.ceil(high / step) * step)
    x = Axis(_over(found), is_log=True, kind=Kind.COUNT, low=0.9 * at[0], high=1.1 * at[-1])
    title = Message("Error of the techniques for {name}", name=called or name)
    return Picture(name, title, x, y, tuple(marks))


_TECHNIQUES = {
    "design": Message("This design"), "direct": Message("Direct question"),
    "list": Message("List of 3 items"), "forced": Message("Forced response"),
    "unrelated": Message("Unrelated question"), "warner": Message("Warner"),
    "crosswise": Message("Crosswise"),
}  # fmt: skip


def technique_name(key: str) -> Message:
    """What people call a technique that a command names."""
    name, _, value = key.partition("=")
    known = _TECHNIQUES.get(name, Message("{title}", title=name))
    if not value:
        return known
    try:
        return Message("{technique} {value:.2f}", technique=known, value=float(value))
    except ValueError:
        return Message("{technique} {value}", technique=known, value=value)


def _techniques(name: str, found: Mapping[str, Any]) -> Sheet:
    """The errors of techniques of a question, a column for each number of people or budget."""
    listed = found["techniques"].values()

    def column(key: str, head: Message, values: list[float]) -> Column:
        return Column(key, head, Kind.NUMBER, values, decimals=4)

    columns = (
        Column("attribute", Message("attribute"), Kind.TEXT,
               [Message("{attribute}", attribute=name)] * len(listed)),
        Column("technique", Message("technique"), Kind.TEXT, list(found["techniques"])),
        column("variance", Message("n·variance"), [one["variance"] for one in listed]),
        column("bias", Message("bias"), [one["bias"] for one in listed]),
        *(
            column(
                f"rmse_{at:g}", Message("RMSE, {at:,g}", at=at), [one["rmse"][i] for one in listed]
            )
            for i, at in enumerate(found["at"])
        ),
    )  # fmt: skip
    title = Message("{attribute}: root mean square error by {over}", attribute=name,
                    over=_over(found))  # fmt: skip
    return Sheet(f"compare_{name}", title, columns)


def _pair(given: Any) -> tuple[float, ...]:
    """Two shares; a command has a colon between them."""
    try:
        first, second = given.replace(":", ",").split(",") if isinstance(given, str) else given
        return float(first), float(second)
    except (TypeError, ValueError):
        raise ValueError(Message("it must be two shares such as 0.3:0.2")) from None


def _sides(given: Any) -> str:
    if str(given) not in SIDES:
        raise ValueError(Message("it must be 1 or 2"))
    return str(given)


_EVERY = "limits of every question"
_Limit = Annotated[
    Mapping[str, Any] | None,
    Read(read_limits, write_numbers, annotation="float | Mapping[str, float | None]"),
    Option(metavar="[NAME=]X", is_repeated=True, group=_EVERY),
]
"""A number for all questions, or numbers by question, as NAME=X or NAME=none."""
_TEST = Option(group=_EVERY)
_AROUND = Option(metavar="X", group="circumstances")
_OWN_TEST = ("power", "alpha", "sides")
_AIMS = ("target_error", "half_width", "against", "difference", "belief", "epsilon", "bias")
_LIMITS = ("belief", "epsilon", "half_width", "power", "against")


@dataclass(frozen=True, kw_only=True)
class Plan(PlanningRequest):
    """Find how many respondents the aims of a survey need.

    Limits are a number for all questions, or a mapping by question, whose key ``""`` stands for all
    that it does not name.

    Examples
    --------
    >>> import ppworkbench as pp
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> found = pp.plan(design, half_width=0.05, share=0.2)
    >>> found.to_frame()[["attribute", "respondents"]].values.tolist()
    [['smokes', 1399]]
    """

    name: ClassVar[str] = "plan"
    label: ClassVar[Message] = Message("Number of people to ask")
    finds: ClassVar[type[Result]] = PlanResult
    headings: ClassVar[Mapping[str, str]] = {
        _EVERY: "X for all questions, NAME=X or NAME=none for one of them."
    }

    target_error: Annotated[
        float | None,
        Within(0, open_low=True),
        Info("Target error", "target error, e.g. 0.02; for a number, a share of its domain"),
    ] = None
    measure: Annotated[str, OneOf(MEASURES), Info("Measure", "error measure")] = MEASURES[0]
    attribute: Annotated[
        str | None,
        Option(metavar="NAME"),
        Info("Attribute", "attribute to plan for (default: all)"),
    ] = None
    value: Annotated[
        str | None,
        Option(metavar="VALUE"),
        Info("Value", "value to plan for (default: the worst; numbers: mean)"),
    ] = None
    half_width: Annotated[
        _Limit, Info("Half-width", "half-width of the 95 % interval, e.g. 0.05")
    ] = None
    against: Annotated[_Limit, Info("Against", "share to test against")] = None
    difference: Annotated[
        tuple[float, ...] | None,
        Read(_pair, list, annotation="tuple[float, float]"),
        Option(metavar="X:X", group=_EVERY),
        Info(
            "Difference",
            "shares of two groups to tell apart, e.g. 0.3:0.2; respondents count each group",
        ),
    ] = None
    power: Annotated[_Limit, Info("Power", "power of a test (default 0.8)")] = None
    alpha: Annotated[float | None, _TEST, Info("Alpha", "significance level (default 0.05)")] = None
    sides: Annotated[
        str | None,
        Read(_sides, annotation="str | int"),
        Option(metavar="{1|2}", group=_EVERY),
        Info("Sides", "one-sided or two-sided test (default 2)"),
    ] = None
    belief: Annotated[_Limit, Info("Belief", "highest belief in the sensitive answer")] = None
    epsilon: Annotated[_Limit, Info("Epsilon", "highest epsilon")] = None
    n: Annotated[
        int | None,
        Within(1),
        Option(metavar="N", group="circumstances"),
        Info("n", "number of respondents (default: as many as needed)"),
    ] = None
    design_effect: Annotated[
        float | None, _AROUND, Info("Design effect", "design effect of the sample")
    ] = None
    noncompliance: Ignoring = None
    skipped: Annotated[
        Mapping[str, float] | None,
        Read(read_numbers, write_numbers, annotation="float | Mapping[str, float]"),
        Option(metavar="[NAME=]X", is_repeated=True, group="circumstances"),
        Info("Skipped", "share of respondents expected to skip a question: X, or NAME=X of one"),
    ] = None
    response_rate: Annotated[
        float | None, _AROUND, Info("Response rate", "share of the invited who answer")
    ] = None
    bias: Annotated[
        float | None, _AROUND, Info("Bias", "suspected under-report of a direct question")
    ] = None
    costs: Annotated[
        Costs | None,
        Part("costs of interviews", keys=("direct", "randomised")),
        Info("Costs", "of a direct and of a randomised interview"),
    ] = None
    budget: Annotated[
        float | None,
        _AROUND,
        Info("Budget", "what all interviews may cost, in the same currency"),
    ] = None
    compare: Annotated[
        tuple[str, ...],
        Option(metavar="NAME,...", group="circumstances"),
        Info(
            "Compare",
            "techniques to compare: direct, list, or a named design such as warner=0.7",
        ),
    ] = ()
    solve: Annotated[
        bool,
        Info("Solve", "find the most accurate parameters within the limits of belief and epsilon"),
    ] = False
    strict: Annotated[
        bool,
        Option(on_command_line=False),
        Info(
            "Strict",
            "whether a belief that is allowed no higher than before anybody answers is an error; "
            "else the plan says that its question breaks the limit",
        ),
    ] = True
    out: Out = None
    share: Share = None
    expected: Expected = None

    def __post_init__(self) -> None:
        """Refuse aims that say nothing, or not enough."""
        super().__post_init__()
        given = {name for name in (*_AIMS, *_OWN_TEST) if getattr(self, name) is not None}
        if given & set(_OWN_TEST) and not given & {"against", "difference"}:
            raise ParameterError("A test needs against or difference.", field="against")
        if not given & set(_AIMS) and not self.compare:
            raise ParameterError(
                "Give what to plan for: target_error, half_width, against, difference, belief, "
                "epsilon, bias or compare.",
                field="target_error",
            )
        if self.value is not None and self.target_error is None:
            raise ParameterError("value needs target_error.", field="value")
        if self.out is not None and not self.solve:
            raise ParameterError("out needs solve.", field="out")

    def run(self, source: DesignSource, progress: Progress = silent) -> PlanResult:
        design, only = source.design, self.attribute
        if design.has_arms and self.target_error is not None:
            raise DesignError("target_error is for designs without arms.", field="arms")
        read_until = 0.5 if self.solve else 1.0
        pilot = source.pilot(part(progress, 0.0, read_until))
        priors = expected_priors(design, pilot.priors, self.share, self.expected)
        aims = self.settings(design)
        if self.strict:
            check_beliefs(design, priors, aims, only)
        solutions: tuple[Solution, ...] = ()
        before, file = None, ""
        if self.solve:
            as_it_was = plan_questionnaire(design, priors, aims, only)
            before = as_it_was, self.total(as_it_was, design)
            rest = part(progress, read_until, 1.0)
            design, solutions = solve(design, priors, aims, only, rest)
            file = self.write(design)
        aimed = None
        if self.target_error is not None:
            aimed = plan_errors(
                design, priors, self.target_error, self.measure, only, self.value,
                noncompliance=aims.noncompliance, effect=aims.design_effect,
            )  # fmt: skip
            needed = {one.attribute: one.respondents for one in aimed.attributes}
            aims = dataclasses.replace(aims, needed=needed)
        whole = plan_questionnaire(design, priors, aims, only)
        return PlanResult(
            design=design, whole=whole, aimed=aimed, solutions=solutions,
            total=self.total(whole, design), compared=self._compared(design, priors, aims),
            file=file, remarks=(*whole.warnings, *pilot.remarks), state=pilot.state,
            before=before, n=self.n,
        )  # fmt: skip

    def settings(self, design: Design) -> PlanSettings:
        """What is planned for: limits of all questions, those of single ones, and a test."""
        usual: dict[str, float] = {}
        own: dict[str, dict[str, float | None]] = {}
        for limit in _LIMITS:
            for name, number in (getattr(self, limit) or {}).items():
                if name:
                    own.setdefault(design.question(name).name, {})[limit] = number
                elif number is not None:
                    usual[limit] = number
        limits = Limits(*(usual.get(name) for name in _LIMITS[:3]))
        test, untested = self._test(design, usual, own)
        return PlanSettings(
            limits=limits,
            own_limits={name: dataclasses.replace(limits, **given) for name, given in own.items()},
            test=test, untested=untested, n=self.n,
            noncompliance=checked_noncompliance(self.noncompliance, design),
            design_effect=1.0 if self.design_effect is None else self.design_effect,
            underreport=self.bias, budget=self.budget,
            costs=None if self.costs is None else (self.costs.direct, self.costs.randomised),
        )  # fmt: skip

    def _test(
        self,
        design: Design,
        usual: Mapping[str, float],
        own: Mapping[str, Mapping[str, float | None]],
    ) -> tuple[TestPlan | None, frozenset[str]]:
        """The test of all questions, and the questions that it leaves out."""
        values = {name: told["against"] for name, told in own.items() if "against" in told}
        known = [value for value in values.values() if value is not None]
        against = usual.get("against", known[0] if known else None)
        if against is None and self.difference is None:
            return None, frozenset()
        left_out = {
            name
            for name, told in own.items()
            if any(limit in told and told[limit] is None for limit in ("power", "against"))
        }
        if against is not None and "against" not in usual:
            left_out |= {name for name in planned_names(design) if values.get(name) is None}
        chosen: dict[str, Any] = {
            "power": usual.get("power"), "against": against, "alpha": self.alpha,
            "sides": self.sides, "difference": self.difference,
        }  # fmt: skip
        test = TestPlan(**{name: value for name, value in chosen.items() if value is not None})
        return test, frozenset(left_out)

    def total(self, whole: QuestionnairePlan, design: Design) -> Invitations | None:
        """How many answers are enough for all questions, and how many people to invite for them."""
        given = self.skipped or {}
        own = {design.question(name).name: one for name, one in given.items() if name}
        rate = 1.0 if self.response_rate is None else self.response_rate
        usual = given.get(ALL, 0.0)
        return count_invitations(whole.questions, lambda name: own.get(name, usual), rate)

    def _compared(
        self, design: Design, priors: Mapping[str, Prior], aims: PlanSettings
    ) -> dict[str, Any]:
        if not self.compare:
            return {}
        chosen = planned_names(design) if self.attribute is None else (self.attribute,)
        listed = [name for name in chosen if design.question(name).attribute.kind.is_categorical]
        # A technique that is for some of several questions is compared there.
        return {
            name: compare_techniques(
                design, name, priors.get(name), aims, self.compare, are_fitting=len(listed) == 1
            )
            for name in listed
        }


QUESTION = Plan
