"""The command that searches for the matrix that loses least: ``optimise``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import RESPONDENTS, aligned, harmless
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import positive_count, positive_number, priors_given, unweighted_priors
from ppworkbench.cli.output import Answer, with_notes
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design
    from ppworkbench.core.privacy.optimiser import Frontier, FrontierPoint
    from ppworkbench.core.privacy.prior import Prior

POINTS = 12


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``optimise``."""
    summary = "find optimal transition matrices"
    subparsers.add_parser(
        "optimise", help=summary, description=f"{summary.capitalize()}.", fill=_fill_optimise
    )


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
        "--n", type=positive_count, metavar="N",
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
        "--points", type=positive_count, metavar="N", default=POINTS,
        help=f"points of the frontier (default {POINTS})",
    )  # fmt: skip
    wanted = optimise.add_mutually_exclusive_group()
    wanted.add_argument(
        "--target", type=positive_number, metavar="X", help="find the smallest loss at this privacy"
    )
    wanted.add_argument(
        "--target-loss",
        type=positive_number,
        metavar="X",
        help="find the best privacy at this loss",
    )
    optimise.add_argument(
        "--out",
        metavar="FILE",
        type=OutputPath,
        help="write the design with the optimal matrix",
    )
    add_pilot_options(optimise)


def run_optimise(args: argparse.Namespace) -> Answer:
    """Print the frontier of an attribute, or find one matrix of it."""
    from ppworkbench.core.design.design_file import read_design, write_design

    if args.out and args.target is None and args.target_loss is None:
        raise UsageError("The option --out needs --target or --target-loss.")
    design = read_design(args.design)
    design.refuse_arms()
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
