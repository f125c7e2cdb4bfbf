"""The command before a survey that says how many people to ask: ``plan``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import (
    add_expected_options,
    add_noncompliance_options,
    expected_given,
    given_options,
    listed_names,
    noncompliance_given,
    numbers_by_name,
    positive_count,
    positive_number,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_function
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DesignError

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design


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
    add_script_option(plan)
    add_pilot_options(plan)
    add_expected_options(plan)


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
    add(
        "--budget",
        type=float,
        metavar="X",
        help="what all interviews may cost, in the same currency",
    )
    add(
        "--compare", type=listed_names, metavar="NAME,...", default=(),
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


def run_plan(args: argparse.Namespace) -> Answer:
    """Say how many respondents the aims of a survey need."""
    from ppworkbench.api.planning import plan
    from ppworkbench.core.design.design_file import read_design

    _check_plan_options(args)
    design = read_design(args.design)
    costs = None if args.cost_direct is None else (args.cost_direct, args.cost_randomised)
    shared: dict[str, Any] = {
        "attribute": args.attribute, "n": args.n, "costs": costs, "data": args.data,
        "share": numbers_by_name(args.share, "share"), "expected": expected_given(args.expected),
        "reading": given_options(args, ReadOptions),
    }  # fmt: skip
    if args.allocate is not None:
        return _allocate(args, design, shared)
    if design.has_arms and args.target_error is not None:
        raise DesignError("The option --target-error is for designs without arms.", field="arms")
    limits: dict[str, Any] = {
        limit: numbers_by_name(getattr(args, limit), limit, may_be_none=True)
        for limit in ("belief", "epsilon", "half_width", "power", "against")
    }
    asked = {
        "target_error": args.target_error, "measure": args.measure, "value": args.value,
        "difference": args.difference, "alpha": args.alpha, "sides": args.sides,
        "design_effect": args.design_effect, "noncompliance": noncompliance_given(args, design),
        "skipped": numbers_by_name(args.skipped, "skipped"), "response_rate": args.response_rate,
        "bias": args.bias, "budget": args.budget, "compare": args.compare, "solve": args.solve,
        "out": args.out, **limits, **shared,
    }  # fmt: skip
    return answer_function(args, plan.plan, asked, design)


def _allocate(args: argparse.Namespace, design: Design, shared: dict[str, Any]) -> Answer:
    """Say how many people each arm should get."""
    from ppworkbench.api.planning.allocation import allocate

    told = design.versions.columns
    if args.attribute is None and len([one for one in design.names if one not in told]) != 1:
        raise UsageError("The option --allocate needs --attribute.")
    if args.allocate == "compliance" and args.non_compliance is None:
        args.non_compliance = 0.0
    ignored = noncompliance_given(args, design)
    if ignored is not None and ignored.behaviour == "truth":
        raise UsageError("The option --allocate needs --behaviour safe or random.")
    asked = {"serves": args.allocate, "noncompliance": ignored, **shared}
    return answer_function(args, allocate, asked, design)


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
