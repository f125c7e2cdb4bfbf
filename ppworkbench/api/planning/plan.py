"""How many people to ask, before anybody is asked."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ppworkbench.analyses.arguments import check_arguments
from ppworkbench.analyses.inputs import Data, DesignLike
from ppworkbench.api.privacy import drawn_priors, noncompliance_of, read_pilot
from ppworkbench.core.design.design_file import as_design
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.message import Message, titled
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.results.figure import draw_picture, new_axes
from ppworkbench.results.picture import MOST_LINES, Axis, Mark, Picture, Role, Shape, lengths
from ppworkbench.results.result import Result
from ppworkbench.results.text import (
    Naming,
    aligned,
    harmless,
    naming,
    note_lines,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ppworkbench.core.data.options import ReadOptions
    from ppworkbench.core.design import Design
    from ppworkbench.core.planning.invitations import Invitations
    from ppworkbench.core.planning.power import TestPlan
    from ppworkbench.core.planning.questionnaire import QuestionnairePlan
    from ppworkbench.core.planning.settings import PlanSettings
    from ppworkbench.core.planning.solution import Solution
    from ppworkbench.core.privacy.prior import Prior
    from ppworkbench.core.privacy.utility.noncompliance import NonCompliance
    from ppworkbench.core.privacy.utility.planning import Plan

ALL = ""
"""The key of a mapping for all questions that it does not name."""

Limit = float | Mapping[str, float | None] | None
"""A number for all questions, or numbers by question; None where a limit does not count."""

Own = dict[str, dict[str, float | None]]
_LIMITS = ("belief", "epsilon", "half_width", "power", "against")


@check_arguments
def plan(  # noqa: PLR0913 (keywords with defaults)
    design: DesignLike,
    *,
    target_error: float | None = None,
    measure: str = "standard-error",
    attribute: str | None = None,
    value: str | None = None,
    half_width: Limit = None,
    against: Limit = None,
    difference: tuple[float, float] | None = None,
    power: Limit = None,
    alpha: float | None = None,
    sides: str | int | None = None,
    belief: Limit = None,
    epsilon: Limit = None,
    n: int | None = None,
    design_effect: float | None = None,
    noncompliance: NonCompliance | Mapping[str, Any] | float | None = None,
    skipped: float | Mapping[str, float] | None = None,
    response_rate: float | None = None,
    bias: float | None = None,
    costs: tuple[float, float] | None = None,
    budget: float | None = None,
    compare: Sequence[str] = (),
    solve: bool = False,
    strict: bool = True,
    out: str | os.PathLike[str] | None = None,
    share: float | Mapping[str, float] | None = None,
    expected: Mapping[str, Sequence[float] | str] | None = None,
    data: Data | None = None,
    reading: ReadOptions | Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> PlanResult:
    """Find how many respondents the aims of a survey need.

    Parameters
    ----------
    design
        The design, its JSON values or the path of its file.
    target_error, measure, value
        An error that is not to be exceeded, by which measure, and of which value; of a number as a
        share of its domain.
    attribute
        The attribute to plan for; all if not given.
    half_width
        Half-width of the 95 % interval. This and the other limits are a number for all questions
        or a mapping by question, whose key ``""`` stands for all that it does not name.
    against, difference, power, alpha, sides
        A test of a share against a value, or of the shares of two groups.
    belief, epsilon
        The highest belief in the sensitive answer, and the highest epsilon.
    n
        The number of respondents; as many as needed if not given.
    design_effect, noncompliance, skipped, response_rate, bias, costs, budget
        Circumstances: ``costs`` are those of a direct and of a randomised interview.
    compare
        Techniques to compare: direct, list, or a named design such as ``"warner=0.7"``.
    solve, out
        Whether to find the most accurate parameters within belief and epsilon, and the file to
        write that design to.
    strict
        Whether a belief that is allowed no higher than before anybody answers is an error; else
        the plan says that its question breaks the limit.
    share, expected, data
        Which answers are expected: the share of the sensitive answer, weights per value (or
        ``"uniform"``) by attribute, or the answers of a pilot.

    Examples
    --------
    >>> design = {"format": "ppworkbench-design", "version": 1, "attributes": {"smokes": {
    ...     "kind": "binary", "values": ["no", "yes"], "sensitive": ["yes"],
    ...     "perturbation": {"type": "uniform", "keep": 0.75}}}}
    >>> found = plan(design, half_width=0.05, share=0.2)
    >>> found.to_frame()[["attribute", "respondents"]].values.tolist()
    [['smokes', 1399]]
    """
    from ppworkbench.core.design.design_file import write_design
    from ppworkbench.core.planning.questionnaire import check_beliefs, plan_questionnaire
    from ppworkbench.core.planning.solution import solve as solve_design
    from ppworkbench.core.privacy.utility.planning import plan as plan_errors

    limits = {
        "belief": belief, "epsilon": epsilon, "half_width": half_width, "power": power,
        "against": against,
    }  # fmt: skip
    _check(
        target_error, limits, difference=difference, alpha=alpha, sides=sides, bias=bias,
        compare=compare, value=value,
    )  # fmt: skip
    if out is not None and not solve:
        raise ParameterError("out is for a design that is solved; give solve=True.", field="out")
    chosen = as_design(design)
    if chosen.has_arms and target_error is not None:
        raise DesignError("target_error is for designs without arms.", field="arms")
    read_until = 0.5 if solve else 1.0
    pilot = read_pilot(chosen, data, reading, part(progress, 0.0, read_until))
    priors = expected_priors(chosen, pilot.priors, share, expected)
    ignoring = noncompliance_of(noncompliance)
    usual, own = _limits(limits, chosen)
    circumstances: dict[str, Any] = {
        "n": n, "noncompliance": ignoring, "underreport": bias, "costs": costs, "budget": budget,
        "design_effect": 1.0 if design_effect is None else design_effect,
    }  # fmt: skip
    test = {"alpha": alpha, "sides": None if sides is None else str(sides),
            "difference": difference}  # fmt: skip
    aims = _settings(chosen, usual, own, test, circumstances)
    if strict:
        check_beliefs(chosen, priors, aims, attribute)
    solutions: tuple[Solution, ...] = ()
    before = None
    if solve:
        as_it_was = plan_questionnaire(chosen, priors, aims, attribute)
        before = as_it_was, _total(as_it_was, chosen, skipped, response_rate)
        chosen, solutions = solve_design(
            chosen, priors, aims, attribute, part(progress, read_until, 1.0)
        )
        if out is not None:
            write_design(chosen, os.fspath(out))
    aimed = None
    if target_error is not None:
        aimed = plan_errors(
            chosen, priors, target_error, measure, attribute, value,
            noncompliance=aims.noncompliance, effect=aims.design_effect,
        )  # fmt: skip
        needed = {one.attribute: one.respondents for one in aimed.attributes}
        aims = dataclasses.replace(aims, needed=needed)
    whole = plan_questionnaire(chosen, priors, aims, attribute)
    total = _total(whole, chosen, skipped, response_rate)
    compared = _compare(chosen, priors, aims, attribute, compare) if compare else {}
    given = (half_width, against, difference, belief, epsilon, bias, n, noncompliance, budget)
    return PlanResult(
        chosen, whole, aimed, solutions, total, compared,
        tells_limits=aimed is None or solve or any(one is not None for one in given),
        file="" if out is None else os.fspath(out),
        remarks=(*whole.warnings, *pilot.remarks), state=pilot.state, before=before, n=n,
    )  # fmt: skip


def _check(  # noqa: PLR0913 (what the function above was given)
    target_error: float | None,
    limits: Mapping[str, Limit],
    *,
    difference: object,
    alpha: object,
    sides: object,
    bias: object,
    compare: Sequence[str],
    value: str | None,
) -> None:
    """Refuse aims that say nothing, or not enough."""
    has_test = limits["against"] is not None or difference is not None
    if not has_test and any(one is not None for one in (limits["power"], alpha, sides)):
        raise ParameterError("A test needs against or difference.", field="against")
    aims = (target_error, *limits.values(), difference, bias)
    if all(one is None for one in aims) and not compare:
        raise ParameterError(
            "Give what to plan for: target_error, half_width, against, difference, belief, "
            "epsilon, bias or compare.",
            field="target_error",
        )
    if value is not None and target_error is None:
        raise ParameterError("value needs target_error.", field="value")


def expected_priors(
    design: Design,
    pilot: Mapping[str, Prior],
    share: float | Mapping[str, float] | None,
    expected: Mapping[str, Sequence[float] | str] | None,
) -> dict[str, Prior]:
    """Which answers are expected: those of a pilot, weights by attribute, and sensitive shares."""
    from ppworkbench.core.planning.power import expected_prior
    from ppworkbench.core.planning.questionnaire import planned_names

    priors = {**pilot, **drawn_priors(design, expected)}
    for name, number in _by_question(share).items():
        for one in map(design.question, (name,) if name else planned_names(design)):
            if name or one.attribute.kind.is_categorical:
                priors[one.name] = expected_prior(one.attribute, number, priors.get(one.name))
    return priors


def _by_question(given: float | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if given is None:
        return {}
    return given if isinstance(given, Mapping) else {ALL: given}


def _limits(given: Mapping[str, Limit], design: Design) -> tuple[dict[str, float], Own]:
    """The limits of all questions, and those of single ones; None where a limit does not count."""
    usual: dict[str, float] = {}
    own: Own = {}
    for limit, told in given.items():
        for name, number in _by_question(told).items():
            if name:
                own.setdefault(design.question(name).name, {})[limit] = number
            elif number is not None:
                usual[limit] = number
    return usual, own


def _settings(
    design: Design,
    usual: Mapping[str, float],
    own: Own,
    test: Mapping[str, Any],
    circumstances: Mapping[str, Any],
) -> PlanSettings:
    from ppworkbench.core.planning.settings import Limits, PlanSettings

    limits = Limits(*(usual.get(name) for name in _LIMITS[:3]))
    tested, untested = _test(design, usual, own, test)
    return PlanSettings(
        limits=limits,
        own_limits={name: dataclasses.replace(limits, **given) for name, given in own.items()},
        test=tested,
        untested=untested,
        **circumstances,
    )


def _test(
    design: Design, usual: Mapping[str, float], own: Own, given: Mapping[str, Any]
) -> tuple[TestPlan | None, frozenset[str]]:
    """The test of all questions, and the questions that it leaves out."""
    from ppworkbench.core.planning.power import TestPlan
    from ppworkbench.core.planning.questionnaire import planned_names

    values = {name: told["against"] for name, told in own.items() if "against" in told}
    known = [value for value in values.values() if value is not None]
    against = usual.get("against", known[0] if known else None)
    if against is None and given["difference"] is None:
        return None, frozenset()
    left_out = {
        name
        for name, told in own.items()
        if any(limit in told and told[limit] is None for limit in ("power", "against"))
    }
    if against is not None and "against" not in usual:
        left_out |= {name for name in planned_names(design) if values.get(name) is None}
    chosen = {"power": usual.get("power"), "against": against, **given}
    test = TestPlan(**{name: value for name, value in chosen.items() if value is not None})
    return test, frozenset(left_out)


def _total(
    whole: QuestionnairePlan,
    design: Design,
    skipped: float | Mapping[str, float] | None,
    response_rate: float | None,
) -> Invitations | None:
    """How many answers are enough for all questions, and how many people to invite for them."""
    from ppworkbench.core.planning.invitations import count_invitations

    given = _by_question(skipped)
    usual = given.get(ALL, 0.0)
    own = {design.question(name).name: one for name, one in given.items() if name}
    rate = 1.0 if response_rate is None else response_rate
    return count_invitations(whole.questions, lambda name: own.get(name, usual), rate)


def _compare(
    design: Design,
    priors: Mapping[str, Prior],
    aims: PlanSettings,
    attribute: str | None,
    techniques: Sequence[str],
) -> dict[str, Any]:
    from ppworkbench.core.planning.alternatives import compare_techniques
    from ppworkbench.core.planning.questionnaire import planned_names

    chosen = planned_names(design) if attribute is None else (attribute,)
    listed = [name for name in chosen if design.question(name).attribute.kind.is_categorical]
    # A technique that is for some of several questions is compared there.
    is_only = len(listed) == 1
    return {
        name: compare_techniques(
            design, name, priors.get(name), aims, techniques, are_fitting=is_only
        )
        for name in listed
    }


@dataclass(frozen=True, eq=False, repr=False)
class PlanResult(Result):
    """How many respondents every question needs; ``design`` is the solved one if there is one.

    ``before`` is then the plan of the design as it was given, with its total.
    ``n`` is the number of respondents that was given, None where the plan found it.
    """

    design: Design
    whole: QuestionnairePlan
    aimed: Plan | None = None
    solutions: tuple[Solution, ...] = ()
    total: Invitations | None = None
    compared: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    tells_limits: bool = True
    file: str = ""
    remarks: tuple[str, ...] = ()
    state: str = ""
    before: tuple[QuestionnairePlan, Invitations | None] | None = None
    n: int | None = None

    def _document(self) -> Mapping[str, Any]:
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
            document["before"] = whole.to_json() | {
                "total": None if total is None else total.to_json()
            }
        for name, found in self.compared.items():
            document["attributes"][name]["compare"] = found
        if self.file:
            document["file"] = self.file
        if self.remarks:
            document["remarks"] = [*document.get("remarks", ()), *self.remarks]
        return document

    def summary(self) -> str:
        """The plan for people, as the command line prints it."""
        design, shown = self.design, naming(one.attribute for one in self.design)
        texts: list[str] = []
        if self.aimed is not None:
            texts.append(_plan_text(self.aimed, design))
        if self.tells_limits:
            texts.append(_limits_text(self.whole, design))
        if self.total is not None:
            texts.append(harmless(titled(self.total.sentence, shown)))
        texts += [_solution_text(one, shown) for one in self.solutions]
        if self.before is not None:
            texts.append(self._before_and_after(shown))
        if self.compared:
            texts.append(_compare_text(self.compared, design))
        if self.file:
            texts.append(f"Wrote {harmless(self.file)}.")
        return "\n\n".join([*texts, *note_lines(self.remarks)])

    def _before_and_after(self, shown: Naming) -> str:
        """What solving changes, as Plan shows it before anything is changed."""
        assert self.before is not None  # noqa: S101 (told where something was solved)
        sides = [self.before, (self.whole, self.total)]
        rows = []
        for one in self.solutions:
            after = one.now if one.snapped is None else one.snapped
            row = [shown(one.attribute), one.parameter, *map(_parameter, (one.now, after))]
            plans = [{plan.attribute: plan for plan in whole.questions} for whole, _ in sides]
            beliefs = [plan[one.attribute].belief for plan in plans]
            row += ["–" if seen is None else f"{100 * seen.after:.3g} %" for seen in beliefs]
            needs = [None if total is None else total.needed.get(one.attribute)
                     for _, total in sides]  # fmt: skip
            rows.append([*row, *("–" if need is None else _number(need) for need in needs)])
        heads = [
            "solved", "parameter", "before", "after", "belief before", "belief after", "n before",
            "n after",
        ]  # fmt: skip
        return aligned(heads, rows, right=heads[2:])

    def to_frame(self) -> pd.DataFrame:
        """One row per question: whether the aims are met, the respondents and their errors."""
        import pandas as pd

        names = ("attribute", "light", "respondents", "power", "bias", "rmse", "break_even")
        rows = [
            {name: getattr(one, name) for name in names}
            | {"belief": None if one.belief is None else one.belief.after}
            for one in self.whole.questions
        ]
        return pd.DataFrame(rows)

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
        """The people that questions need, and per compared question the errors of techniques."""
        import numpy as np

        shown = naming(one.attribute for one in self.design)
        asking = [one for one in self.whole.questions if one.respondents is not None][:MOST_LINES]
        errors = tuple(_errors_picture(name, one) for name, one in self.compared.items())
        if not asking:
            return errors
        labels = [harmless(shown(one.attribute)) for one in asking]
        axis, values = Axis(Message("respondents needed")), [one.respondents or 0 for one in asking]
        needed = lengths("respondents", Message("Respondents needed"), axis, labels, values)
        if self.n is not None:
            n = np.array([self.n], np.float64)
            rule = Mark(Shape.RULE, Role.REFERENCE, Message("asked"), n, n)
            needed = dataclasses.replace(needed, marks=(*needed.marks, rule))
        return (needed, *errors)


def _errors_picture(name: str, found: Mapping[str, Any]) -> Picture:
    """The errors of techniques in points over respondents or budgets, as Plan draws them."""
    import numpy as np

    at = np.array(found["at"], np.float64)
    marks = []
    for technique, one in found["techniques"].items():
        errors = 100 * np.array(one["rmse"], np.float64)
        errors[~np.isfinite(errors)] = np.nan
        role = Role.ESTIMATE if technique == "design" else Role.SERIES
        marks.append(Mark(Shape.LINE, role, Message("{title}", title=technique), at, errors))
    is_budget = found["over"] == "budget"
    over = Message("budget in the currency of the costs" if is_budget else "respondents")
    title = Message("Error of the techniques for {name}", name=name)
    y = Axis(Message("error (points)"), low=0.0)
    return Picture(name, title, Axis(over, is_log=True), y, tuple(marks))


_LIGHTS = {"ok": "✓", "more": "+", "breaks": "!", "impossible": "×"}


def _limits_text(whole: QuestionnairePlan, design: Design) -> str:
    from ppworkbench.core.planning.questionnaire import belief_sentence
    from ppworkbench.core.planning.settings import pays_sentence

    shown = naming(designed.attribute for designed in design)
    heads = ["attribute", "plan", "respondents", "power", "bias", "RMSE", "belief", "pays from"]
    rows = [
        [
            shown(one.attribute),
            f"{_LIGHTS[one.light]} {one.words}",
            "–" if one.respondents is None else _number(one.respondents),
            _decimal(one.power),
            _decimal(one.bias),
            _decimal(one.rmse),
            "–" if one.belief is None else f"{100 * one.belief.after:.3g} %",
            "–" if one.break_even is None else _break_even(one.break_even),
        ]
        for one in whole.questions
    ]
    lines = [aligned(heads, rows, right=heads[2:])]
    if any(one.break_even is not None for one in whole.questions):
        lines.append(
            "Pays from: the number of respondents from which on the randomised question has the "
            "smaller error than the direct one."
        )
    said = [
        belief_sentence(design.question(one.attribute).attribute, one.belief)
        for one in whole.questions
        if one.belief is not None and one.belief.marked
    ]
    lines += [harmless(titled(sentence, shown)) for sentence in said]
    decisive = whole.decisive
    if decisive is not None and decisive.respondents == float("inf"):
        lines.append(harmless(f"No sample size is enough for {shown(decisive.attribute)!r}."))
    elif decisive is not None:
        most = f"{_number(decisive.respondents or 0)} respondents; "
        lines.append(harmless(f"{most}{shown(decisive.attribute)!r} needs the most."))
    if whole.budget == float("inf"):
        lines.append("Randomising pays at no budget.")
    elif whole.budget is not None and whole.cost is not None:
        lines.append(str(pays_sentence(whole.budget, whole.cost)))
    return "\n".join(lines)


def _decimal(number: float | None) -> str:
    if number is None or number == float("inf"):
        return "–" if number is None else "∞"
    # Rounding leaves a sign before nothing, which the sum takes away.
    return f"{round(number, 4) + 0.0:.4f}"


def _parameter(number: float | None) -> str:
    return "–" if number is None else f"{number:.4g}"


def _break_even(number: float) -> str:
    """From how many people on randomising pays: whole ones, as nobody asks a part of one."""
    return "never" if number == float("inf") else f"{math.ceil(round(number, 6)):,} people"


def _solution_text(one: Solution, shown: Naming) -> str:
    name = harmless(shown(one.attribute))
    if one.reason is not None:
        return f"{name}: no solution, {one.reason}."
    if one.exact is None or one.snapped is None or abs(one.exact - one.snapped) < 1e-9:
        return f"{name}: {one.parameter} {one.exact:.6g}."
    return f"{name}: {one.parameter} {one.exact:.6g}, with its device {one.snapped:.6g}."


def _compare_text(compared: Mapping[str, Any], design: Design) -> str:
    shown = naming(designed.attribute for designed in design)
    parts = []
    for name, found in compared.items():
        heads = ["technique", "n·variance", "bias", *(f"{at:,g}" for at in found["at"])]
        rows = [
            [
                technique,
                _decimal(one["variance"]),
                _decimal(one["bias"]),
                *(_decimal(error) for error in one["rmse"]),
            ]
            for technique, one in found["techniques"].items()
        ]
        is_budget = found["over"] == "budget"
        over = "budget in the currency of the costs" if is_budget else "respondents"
        title = f"{harmless(shown(name))}: root mean square error by {over}"
        parts.append(f"{title}\n{aligned(heads, rows, right=heads[1:])}")
    return "\n\n".join(parts)


def _plan_text(plan: Plan, design: Design) -> str:
    shown = naming(designed.attribute for designed in design)
    rows = [
        [design[one.attribute].attribute.heading, _number(one.respondents), one.decisive]
        for one in plan.attributes
    ]
    listed = aligned(["attribute", "respondents", "decided by"], rows, right=["respondents"])
    if plan.respondents == float("inf"):
        end = f"No sample size is enough for {shown(plan.decisive.attribute)!r}."
    else:
        most = shown(plan.decisive.attribute)
        end = f"{_number(plan.respondents)} respondents; {most!r} needs the most."
    start = f"Respondents for a {plan.measure.replace('-', ' ')} of at most {plan.target:g}"
    if any(one.decisive == "mean" for one in plan.attributes):
        start += "; of a mean, as a share of the domain"
    return f"{start}\n{listed}\n\n{harmless(end)}"


def _number(respondents: float) -> str:
    return "∞" if respondents == float("inf") else f"{respondents:,}"
