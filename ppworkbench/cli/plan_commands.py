"""Commands before a survey: how many people to ask, and which matrix loses least."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.data_commands import add_read_options
from ppworkbench.cli.options import RESPONDENTS, priors_given, unweighted_priors
from ppworkbench.cli.output import Answer, aligned, harmless, naming, with_notes
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    Parser,
    UsageError,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design
    from ppworkbench.core.privacy.optimiser import Frontier, FrontierPoint
    from ppworkbench.core.privacy.prior import Prior
    from ppworkbench.core.privacy.utility.planning import Plan

POINTS = 12


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``plan`` and ``optimise``."""
    for name, summary, fill in (
        ("plan", "find the sample size for a target error", _fill_plan),
        ("optimise", "find optimal transition matrices", _fill_optimise),
    ):
        subparsers.add_parser(name, help=summary, description=f"{summary.capitalize()}.", fill=fill)


def _fill_plan(plan: Parser, words: Sequence[str]) -> None:  # noqa: ARG001
    # Measures come with their libraries, which help on other commands need not load.
    from ppworkbench.core.privacy.utility.respondents import MEASURES

    plan.set_defaults(run=run_plan)
    add_shared_options(plan)
    plan.add_argument("--design", metavar="FILE", type=InputPath, required=True, help="design")
    plan.add_argument(
        "--target-error", type=_positive, metavar="X", required=True,
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
    _add_data(plan)


def _fill_optimise(optimise: Parser, words: Sequence[str]) -> None:  # noqa: ARG001
    from ppworkbench.core.privacy.optimiser import EXPOSURES, FAMILIES

    privacy = tuple(name.replace("_", "-") for name in EXPOSURES)
    optimise.set_defaults(run=run_optimise)
    add_shared_options(optimise)
    optimise.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="design to improve"
    )
    optimise.add_argument("--attribute", metavar="NAME", required=True, help="attribute to improve")
    optimise.add_argument(
        "--n", type=_count, metavar="N",
        help=f"number of respondents (default: rows of the data, else {RESPONDENTS:,})",
    )  # fmt: skip
    optimise.add_argument(
        "--privacy", choices=privacy, default=privacy[0],
        help=f"privacy measure (default {privacy[0]})",
    )  # fmt: skip
    optimise.add_argument(
        "--family", choices=FAMILIES, default=FAMILIES[0],
        help=f"matrices to search (default {FAMILIES[0]})",
    )  # fmt: skip
    optimise.add_argument(
        "--points", type=_count, metavar="N", default=POINTS,
        help=f"points of the frontier (default {POINTS})",
    )  # fmt: skip
    wanted = optimise.add_mutually_exclusive_group()
    wanted.add_argument(
        "--target", type=_positive, metavar="X", help="find the smallest loss at this privacy"
    )
    wanted.add_argument(
        "--target-loss", type=_positive, metavar="X", help="find the best privacy at this loss"
    )
    optimise.add_argument(
        "--out",
        metavar="FILE",
        type=OutputPath,
        help="write the design with the optimal matrix",
    )
    _add_data(optimise)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        metavar="DATA",
        type=InputPath,
        help="answers of a pilot or original data (default: uniform)",
    )
    add_read_options(parser)


def _positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if 0 < number < float("inf"):
        return number
    raise argparse.ArgumentTypeError(f"it must be a number above 0, not {text!r}")


def _count(text: str) -> int:
    if text.isascii() and text.isdigit() and 0 < int(text) < 2**53:
        return int(text)
    raise argparse.ArgumentTypeError(f"it must be a whole number of at least 1, not {text!r}")


def run_plan(args: argparse.Namespace) -> Answer:
    """Say how many respondents a target error needs."""
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.core.privacy.utility.planning import plan

    design = read_design(args.design)
    priors, _ = priors_given(design, args)
    found = plan(design, priors, args.target_error, args.measure, args.attribute, args.value)
    told = Answer(found.to_json(), _plan_text(found, design))
    return with_notes(told, unweighted_priors(design, args))


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


def run_optimise(args: argparse.Namespace) -> Answer:
    """Print the frontier of an attribute, or find one matrix of it."""
    from ppworkbench.core.design.design_file import read_design, write_design

    if args.out and args.target is None and args.target_loss is None:
        raise UsageError("The option --out needs --target or --target-loss.")
    design = read_design(args.design)
    attribute = design[args.attribute].attribute
    priors, rows = priors_given(design, args)
    prior, n = priors.get(args.attribute), args.n or rows or RESPONDENTS
    if args.target is None and args.target_loss is None:
        from ppworkbench.core.privacy.optimiser import frontier

        with progress_bar() as progress:
            privacy = args.privacy.replace("-", "_")
            found = frontier(attribute, prior, n, privacy, args.family, args.points, progress)
        told = Answer(found.to_json(), _frontier_text(found))
        return with_notes(told, unweighted_priors(design, args))
    point = _optimal(args, prior, n, design)
    if args.out:
        write_design(design.with_perturbation(args.attribute, point.perturbation), args.out)
    told = _point_answer(args, attribute.heading, point, n)
    return with_notes(told, unweighted_priors(design, args))


def _optimal(
    args: argparse.Namespace, prior: Prior | None, n: int, design: Design
) -> FrontierPoint:
    from ppworkbench.core.privacy.optimiser import optimal
    from ppworkbench.core.privacy.utility.goal_seek import Target

    privacy = args.privacy.replace("-", "_")
    if args.target is None:
        target = Target("information_loss", args.target_loss)
    else:
        target = Target(privacy, args.target)
    attribute = design[args.attribute].attribute
    with progress_bar() as progress:
        return optimal(attribute, prior, n, target, privacy, args.family, progress)


def _frontier_text(found: Frontier) -> str:
    name = found.privacy.replace("_", " ")
    heads = [name, "information loss", "uniform loss", "perturbation"]
    rows = [_point_row(point) for point in found.points]
    table = aligned(heads, rows, right=heads[:3])
    return (
        f"{harmless(found.attribute.heading)}: smallest expected information loss of "
        f"{found.family} matrices with {found.n:,} respondents\n{table}"
    )


def _point_row(point: FrontierPoint) -> list[object]:
    return [
        f"{point.privacy:.4f}",
        f"{point.information_loss:.4f}",
        f"{point.uniform_loss:.4f}",
        point.perturbation.summary(),
    ]


def _point_answer(args: argparse.Namespace, heading: str, point: FrontierPoint, n: int) -> Answer:
    from ppworkbench.core.privacy.optimiser.frontier import point_to_json

    document: dict[str, Any] = {
        "attribute": args.attribute,
        "family": args.family,
        "n": n,
        "measure": args.privacy.replace("-", "_"),
        **point_to_json(point),
    }
    reached = (
        f"{args.privacy.replace('-', ' ')} {point.privacy:.4f}, expected information loss "
        f"{point.information_loss:.4f} with {n:,} respondents "
        f"(uniform matrix: {point.uniform_loss:.4f})."
    )
    lines = [f"{harmless(heading)}: {point.perturbation.summary()}", reached]
    if args.out:
        document["file"] = args.out
        lines.append(f"Wrote {harmless(args.out)}.")
    return Answer(document, "\n".join(lines))
