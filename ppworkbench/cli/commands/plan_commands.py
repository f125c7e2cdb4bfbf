"""The command before a survey that says how many people to ask: ``plan``."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import Naming, aligned, harmless, naming
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import (
    RESPONDENTS,
    add_noncompliance_options,
    noncompliance_given,
    positive_count,
    positive_number,
    priors_given,
    unweighted_priors,
)
from ppworkbench.cli.output import Answer, with_notes
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.core.errors import DesignError
from ppworkbench.core.message import titled

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design
    from ppworkbench.core.planning.invitations import Invitations
    from ppworkbench.core.planning.power import TestPlan
    from ppworkbench.core.planning.questionnaire import QuestionnairePlan
    from ppworkbench.core.planning.settings import PlanSettings
    from ppworkbench.core.planning.solution import Solution
    from ppworkbench.core.privacy.prior import Prior
    from ppworkbench.core.privacy.utility.planning import Plan


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``plan``."""
    summary = "find the sample size for the aims of a survey"
    subparsers.add_parser(
        "plan", help=summary, description=f"{summary.capitalize()}.", fill=_fill_plan
    )


def _fill_plan(plan: Parser, words: Sequence[str]) -> None:  # noqa: ARG001
    # Measures come with their libraries, which help on other commands need not load.
    from ppworkbench.core.privacy.utility.respondents import MEASURES

    plan.set_defaults(run=run_plan)
    add_shared_options(plan)
    plan.add_argument("--design", metavar="FILE", type=InputPath, required=True, help="design")
    plan.add_argument(
        "--target-error", type=positive_number, metavar="X",
        help="target error, e.g. 0.02; for a number, a share of its domain",
    )  # fmt: skip
    plan.add_argument("--attribute", metavar="NAME", help="attribute to plan for (default: all)")
    plan.add_argument(
        "--value", metavar="VALUE", help="value to plan for (default: the worst; numbers: mean)"
    )
    plan.add_argument(
        "--measure", choices=MEASURES, default=MEASURES[0],
        help=f"error measure (default {MEASURES[0]})",
    )  # fmt: skip
    _add_limits(plan)
    _add_circumstances(plan)
    plan.add_argument(
        "--solve", action="store_true",
        help="find the most accurate parameters within --belief and --epsilon",
    )  # fmt: skip
    plan.add_argument(
        "--out", metavar="FILE", type=OutputPath, help="write the design that was solved"
    )
    add_pilot_options(plan)
    plan.add_argument(
        "--share", action="append", default=[], metavar="X",
        help="expected share of the sensitive answer, e.g. 0.2 or drug=0.2",
    )  # fmt: skip
    plan.add_argument(
        "--expected", action="append", default=[], metavar="NAME=X,...",
        help="expected answers: a weight per value, or per equal part of a number's domain; "
        "or NAME=uniform",
    )  # fmt: skip


def _add_limits(plan: Parser) -> None:
    limits = plan.add_argument_group(
        "limits of every question", "X for all questions, NAME=X or NAME=none for one of them."
    )
    many: dict[str, Any] = {"action": "append", "metavar": "X"}
    add = limits.add_argument
    add("--half-width", **many, help="half-width of the 95 %% interval, e.g. 0.05")
    add("--power", **many, help="power of a test (default 0.8)")
    tests = limits.add_mutually_exclusive_group()
    tests.add_argument("--against", **many, help="share to test against")
    tests.add_argument(
        "--difference", type=_shares, metavar="VALUES",
        help="shares of two groups to tell apart, e.g. 0.3:0.2; respondents count each group",
    )  # fmt: skip
    add("--alpha", type=float, metavar="X", help="significance level (default 0.05)")
    add("--sides", choices=("1", "2"), help="one-sided or two-sided test (default 2)")
    add("--belief", **many, help="highest belief in the sensitive answer")
    add("--epsilon", **many, help="highest epsilon")


def _add_circumstances(plan: Parser) -> None:
    add = plan.add_argument_group("circumstances").add_argument
    add(
        "--n",
        type=positive_count,
        metavar="N",
        help="number of respondents (default: as many as needed)",
    )
    add("--design-effect", type=float, metavar="X", help="design effect of the sample")
    add_noncompliance_options(add)
    add(
        "--skipped", action="append", metavar="X",
        help="share of respondents expected to skip a question: X, or NAME=X of one",
    )  # fmt: skip
    add("--response-rate", type=float, metavar="X", help="share of the invited who answer")
    add("--bias", type=float, metavar="X", help="suspected under-report of a direct question")
    add("--cost-direct", type=float, metavar="X", help="cost of a direct interview")
    add("--cost-randomised", type=float, metavar="X", help="cost of a randomised interview")
    add("--budget", type=float, metavar="X", help="what all interviews may cost")
    add(
        "--compare", type=_names, metavar="NAME,...", default=(),
        help="techniques to compare: direct, list, or a named design such as warner=0.7",
    )  # fmt: skip
    add(
        "--allocate", choices=("prevalence", "compliance"),
        help="find the best shares of the arms for the sensitive share, or for non-compliance",
    )  # fmt: skip


def _shares(text: str) -> tuple[float, float]:
    first, _, second = text.partition(":")
    try:
        return float(first), float(second)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"it must be two shares such as 0.3:0.2, not {text!r}"
        ) from None


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"it must be names of techniques, not {text!r}")
    return names


def run_plan(args: argparse.Namespace) -> Answer:
    """Say how many respondents the aims of a survey need."""
    from ppworkbench.core.design.design_file import read_design, write_design
    from ppworkbench.core.planning.questionnaire import check_beliefs, plan_questionnaire
    from ppworkbench.core.planning.solution import solve
    from ppworkbench.core.privacy.utility.planning import plan

    _check_plan_options(args)
    design = read_design(args.design)
    if args.allocate is not None:
        return _allocate(args, design)
    _check_arms(args, design)
    priors, _ = priors_given(design, args)
    _expect_answers(design, args.expected, priors)
    _expect_shares(design, args.share, priors)
    settings = _plan_settings(args, design)
    check_beliefs(design, priors, settings, args.attribute)
    solutions: tuple[Solution, ...] = ()
    if args.solve:
        design, solutions = solve(design, priors, settings, args.attribute)
        if args.out:
            write_design(design, args.out)
    aimed = None
    if args.target_error is not None:
        aimed = plan(
            design,
            priors,
            args.target_error,
            args.measure,
            args.attribute,
            args.value,
            noncompliance=settings.noncompliance,
            effect=settings.design_effect,
        )
        needed = {one.attribute: one.respondents for one in aimed.attributes}
        settings = dataclasses.replace(settings, needed=needed)
    whole = plan_questionnaire(design, priors, settings, args.attribute)
    document = _plan_document(whole, aimed, solutions)
    total = _total(args, whole, design)
    document["total"] = None if total is None else total.to_json()
    texts: list[str] = []
    if aimed is not None:
        texts.append(_plan_text(aimed, design))
    if aimed is None or _has_limits(args):
        texts.append(_limits_text(whole, design))
    texts += _total_text(total, design)
    texts += [_solution_text(one, naming(d.attribute for d in design)) for one in solutions]
    if args.compare:
        compared = _compare(args, design, priors, settings)
        for name, found in compared.items():
            document["attributes"][name]["compare"] = found
        texts.append(_compare_text(compared, design))
    if args.out:
        document["file"] = args.out
        texts.append(f"Wrote {harmless(args.out)}.")
    told = Answer(document, "\n\n".join(texts))
    return with_notes(told, (*whole.warnings, *unweighted_priors(design, args)))


def _total(
    args: argparse.Namespace, whole: QuestionnairePlan, design: Design
) -> Invitations | None:
    """How many answers are enough for all questions, and how many people to invite for them."""
    from ppworkbench.core.planning.invitations import count_invitations

    usual, own = 0.0, {}
    for given in args.skipped or ():
        name, _, written = given.rpartition("=")
        try:
            share = float(written)
        except ValueError:
            raise UsageError(f"--skipped must be a number or NAME=number, not {given!r}.") from None
        if name:
            own[design.question(name).name] = share
        else:
            usual = share
    rate = 1.0 if args.response_rate is None else args.response_rate
    return count_invitations(whole.questions, lambda name: own.get(name, usual), rate)


def _total_text(total: Invitations | None, design: Design) -> list[str]:
    shown = naming(designed.attribute for designed in design)
    return [] if total is None else [harmless(titled(total.sentence, shown))]


def _check_arms(args: argparse.Namespace, design: Design) -> None:
    if design.arms is not None and (args.solve or args.target_error is not None):
        raise DesignError(
            "The options --solve and --target-error are for designs without arms.", field="arms"
        )


def _allocate(args: argparse.Namespace, design: Design) -> Answer:
    """Say how many people each arm should get."""
    from ppworkbench.core.compliance.classes import Behaviour
    from ppworkbench.core.planning.allocation import COMPLIANCE, Aim, allocate
    from ppworkbench.core.privacy.utility.noncompliance import usual_safe

    priors, _ = priors_given(design, args)
    _expect_answers(design, args.expected, priors)
    _expect_shares(design, args.share, priors)
    arms = design.arms
    column = None if arms is None else arms.column
    name = args.attribute or _only([one for one in design.names if one != column])
    attribute, shown = design[name].attribute, naming(one.attribute for one in design)
    behaviour, ignoring = None, 0.0
    if args.allocate == COMPLIANCE and args.non_compliance is None:
        args.non_compliance = 0.0
    ignored = noncompliance_given(args, design)
    if ignored is not None:
        ignoring = ignored.share
        if ignored.behaviour == "truth":
            raise UsageError("The option --allocate needs --behaviour safe or random.")
        safe = ignored.safe_of(attribute) or usual_safe(attribute)
        if attribute.kind.is_categorical and safe not in attribute.values:
            raise UsageError(f"{safe!r} is no value of {shown(name)!r}.")
        is_random = ignored.behaviour == "random" or not attribute.kind.is_categorical
        behaviour = Behaviour(None if is_random else attribute.values.index(safe))
    costs = None
    if arms is not None and args.cost_direct is not None:
        usual = design[name].perturbation
        devices = {arm.name: arm.device(name, usual) for arm in arms.members}
        costs = {
            arm: args.cost_direct if one.is_identity else args.cost_randomised
            for arm, one in devices.items()
            if one is not None
        }
    n = args.n or RESPONDENTS
    aim = Aim(args.allocate, behaviour, ignoring)
    found = allocate(design, name, priors.get(name), aim, n, costs)
    document = {
        "attribute": name,
        "serves": args.allocate,
        "n": n,
        "allocation": dict(found.shares),
        "standard_error": found.standard_error,
        "standard_error_before": found.before,
    }
    rows = [[arm, f"{100 * share:.1f} %"] for arm, share in found.shares.items()]
    error = f"{found.standard_error:.6f} with {n:,} respondents"
    told = [
        f"{harmless(shown(name))}: best shares of the arms for {args.allocate}",
        aligned(["arm", "share"], rows, right=["share"]),
        f"Standard error {error}, {found.before:.6f} with the shares of the design.",
    ]
    if found.only is not None:
        told.append(harmless(f"The whole sample belongs in the arm {found.only!r}."))
    return with_notes(Answer(document, "\n".join(told)), unweighted_priors(design, args))


def _only(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    raise UsageError("The option --allocate needs --attribute.")


_TESTS = ("power", "alpha", "sides")
_AIMS = ("target_error", "half_width", "against", "difference", "belief", "epsilon", "bias")


def _check_plan_options(args: argparse.Namespace) -> None:
    given = {name for name, value in vars(args).items() if value is not None}
    if given & set(_TESTS) and not given & {"against", "difference"}:
        raise UsageError("A test needs --against or --difference.")
    if not given & {*_AIMS, "allocate"} and not args.compare:
        raise UsageError(
            "Give what to plan for: --target-error, --half-width, --against, --difference, "
            "--belief, --epsilon, --bias, --compare or --allocate."
        )
    if args.allocate is not None and (given & set(_AIMS) or args.compare or args.solve):
        raise UsageError("The option --allocate is for the shares of arms alone.")
    if args.allocate is not None and given & {"budget", "design_effect"}:
        raise UsageError("The option --allocate has neither --budget nor --design-effect.")
    if args.out and not args.solve:
        raise UsageError("The option --out needs --solve.")
    if (args.cost_direct is None) != (args.cost_randomised is None):
        raise UsageError("The options --cost-direct and --cost-randomised need each other.")
    if args.value is not None and args.target_error is None:
        raise UsageError("The option --value needs --target-error.")


def _has_limits(args: argparse.Namespace) -> bool:
    names = (*_AIMS[1:], "n", "non_compliance", "budget")
    return any(getattr(args, name) is not None for name in names) or args.solve


_LIMITS = ("belief", "epsilon", "half_width", "power", "against")


def _plan_settings(args: argparse.Namespace, design: Design) -> PlanSettings:
    from ppworkbench.core.planning.settings import Limits, PlanSettings

    usual, own = _limits_given(args, design)
    limits = Limits(*(usual.get(name) for name in _LIMITS[:3]))
    test, untested = _test_given(args, usual, own, design)
    costs = None if args.cost_direct is None else (args.cost_direct, args.cost_randomised)
    return PlanSettings(
        limits=limits,
        own_limits={name: dataclasses.replace(limits, **given) for name, given in own.items()},
        test=test,
        untested=untested,
        n=args.n,
        noncompliance=noncompliance_given(args, design),
        design_effect=1.0 if args.design_effect is None else args.design_effect,
        underreport=args.bias,
        costs=costs,
        budget=args.budget,
    )


Own = dict[str, dict[str, float | None]]


def _limits_given(args: argparse.Namespace, design: Design) -> tuple[dict[str, float], Own]:
    """The limits of all questions, and those of single ones; None where a limit does not count."""
    usual: dict[str, float] = {}
    own: Own = {}
    for limit in _LIMITS:
        for text in getattr(args, limit) or ():
            name, _, written = text.rpartition("=")
            try:
                number = None if name and written == "none" else float(written)
            except ValueError:
                option = limit.replace("_", "-")
                raise UsageError(
                    f"--{option} must be a number, NAME=number or NAME=none, not {text!r}."
                ) from None
            if name:
                own.setdefault(design.question(name).name, {})[limit] = number
            elif number is not None:
                usual[limit] = number
    return usual, own


def _test_given(
    args: argparse.Namespace, usual: Mapping[str, float], own: Own, design: Design
) -> tuple[TestPlan | None, frozenset[str]]:
    """The test of all questions, and the questions that it leaves out."""
    from ppworkbench.core.planning.power import TestPlan
    from ppworkbench.core.planning.questionnaire import planned_names

    values = {name: given["against"] for name, given in own.items() if "against" in given}
    told = [value for value in values.values() if value is not None]
    against = usual.get("against", told[0] if told else None)
    if against is None and args.difference is None:
        return None, frozenset()
    left_out = {
        name
        for name, given in own.items()
        if any(limit in given and given[limit] is None for limit in ("power", "against"))
    }
    if against is not None and "against" not in usual:
        left_out |= {name for name in planned_names(design) if values.get(name) is None}
    chosen = {
        "power": usual.get("power"), "alpha": args.alpha, "sides": args.sides,
        "against": against, "difference": args.difference,
    }  # fmt: skip
    test = TestPlan(**{name: value for name, value in chosen.items() if value is not None})
    return test, frozenset(left_out)


def _expect_answers(design: Design, given: Sequence[str], priors: dict[str, Prior]) -> None:
    """Put the expected answers into the priors."""
    from ppworkbench.core.privacy.prior import Prior, drawn_prior

    for text in given:
        name, _, listed = text.rpartition("=")
        try:
            weights = () if listed == "uniform" else tuple(map(float, listed.split(",")))
        except ValueError:
            name = ""
        if not name:
            raise UsageError(
                f"--expected must be NAME=number,number,... or NAME=uniform, not {text!r}."
            )
        attribute = design.question(name).attribute
        found = drawn_prior(attribute, weights) if weights else Prior.uniform(attribute)
        priors[attribute.name] = found


def _expect_shares(design: Design, given: Sequence[str], priors: dict[str, Prior]) -> None:
    """Put the expected shares of sensitive answers into the priors."""
    from ppworkbench.core.planning.power import expected_prior
    from ppworkbench.core.planning.questionnaire import planned_names

    for text in given:
        name, _, number = text.rpartition("=")
        try:
            share = float(number)
        except ValueError:
            raise UsageError(f"--share must be a number or NAME=number, not {text!r}.") from None
        for one in map(design.question, (name,) if name else planned_names(design)):
            if name or one.attribute.kind.is_categorical:
                priors[one.name] = expected_prior(one.attribute, share, priors.get(one.name))


def _plan_document(
    whole: QuestionnairePlan, aimed: Plan | None, solutions: Sequence[Solution]
) -> dict[str, Any]:
    document = whole.to_json()
    if aimed is not None:
        before = aimed.to_json()
        for name, told in before["attributes"].items():
            # The respondents of all aims together are in the new fields.
            kept = {key: value for key, value in told.items() if key != "respondents"}
            # A column that tells how people were drawn is no question of the plan.
            document["attributes"].setdefault(name, {}).update(kept)
        document |= {key: before[key] for key in ("measure", "target_error")}
    for one in solutions:
        document["attributes"][one.attribute]["solution"] = one.to_json()
    return document


_LIGHTS = {"ok": "✓", "more": "+", "breaks": "!", "impossible": "×"}


def _limits_text(whole: QuestionnairePlan, design: Design) -> str:
    from ppworkbench.core.planning.questionnaire import belief_sentence

    shown = naming(designed.attribute for designed in design)
    heads = ["attribute", "plan", "respondents", "power", "bias", "RMSE", "belief", "break-even"]
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
    if whole.budget is not None:
        if whole.budget == float("inf"):
            lines.append("Randomising pays at no budget.")
        else:
            lines.append(f"Randomising pays from a budget of {whole.budget:,.6g} on.")
    return "\n".join(lines)


def _decimal(number: float | None) -> str:
    if number is None or number == float("inf"):
        return "–" if number is None else "∞"
    # Rounding leaves a sign before nothing, which the sum takes away.
    return f"{round(number, 4) + 0.0:.4f}"


def _break_even(number: float) -> str:
    return "never" if number == float("inf") else f"{number:,.6g}"


def _solution_text(one: Solution, shown: Naming) -> str:
    name = harmless(shown(one.attribute))
    if one.reason is not None:
        return f"{name}: no solution, {one.reason}."
    if one.exact is None or one.snapped is None or abs(one.exact - one.snapped) < 1e-9:
        return f"{name}: {one.parameter} {one.exact:.6g}."
    return f"{name}: {one.parameter} {one.exact:.6g}, with its device {one.snapped:.6g}."


def _compare(
    args: argparse.Namespace, design: Design, priors: dict[str, Prior], settings: PlanSettings
) -> dict[str, Any]:
    from ppworkbench.core.planning.alternatives import compare_techniques
    from ppworkbench.core.planning.questionnaire import planned_names

    chosen = planned_names(design) if args.attribute is None else (args.attribute,)
    listed = [name for name in chosen if design.question(name).attribute.kind.is_categorical]
    # A technique that is for some of several questions is compared there.
    is_only = len(listed) == 1
    return {
        name: compare_techniques(
            design, name, priors.get(name), settings, args.compare, are_fitting=is_only
        )
        for name in listed
    }


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
        over = "budget" if found["over"] == "budget" else "respondents"
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
