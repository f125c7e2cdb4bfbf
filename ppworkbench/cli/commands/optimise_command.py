"""Commands that weigh privacy against accuracy: ``optimise`` and ``trade-off``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.api import POINTS, RESPONDENTS
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import (
    add_expected_options,
    add_noncompliance_options,
    expected_given,
    given_options,
    noncompliance_given,
    numbers_by_name,
    positive_count,
    positive_number,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_function
from ppworkbench.core.data.options import ReadOptions

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``optimise`` and ``trade-off``."""
    summary = "find optimal transition matrices"
    subparsers.add_parser(
        "optimise", help=summary, description=f"{summary.capitalize()}.", fill=_fill_optimise
    )
    subparsers.add_parser(
        "trade-off", help="tell what more privacy of a question costs in precision",
        description="Tell what more privacy of a question costs in precision.",
        fill=_fill_trade_off,
    )  # fmt: skip


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
    add_script_option(optimise)
    add_pilot_options(optimise)


def run_optimise(args: argparse.Namespace) -> Answer:
    """Print the frontier of an attribute, or find one matrix of it."""
    from ppworkbench.api.planning.optimise import optimise
    from ppworkbench.core.design.design_file import read_design

    if args.out and args.target is None and args.target_loss is None:
        raise UsageError("The option --out needs --target or --target-loss.")
    asked = {
        "attribute": args.attribute, "privacy": args.privacy.replace("-", "_"),
        "family": args.family, "points": args.points, "target": args.target,
        "target_loss": args.target_loss, "n": args.n, "out": args.out, "data": args.data,
        "reading": given_options(args, ReadOptions),
    }  # fmt: skip
    return answer_function(args, optimise, asked, read_design(args.design))


def _fill_trade_off(parser: Parser, words: Sequence[str]) -> None:  # noqa: ARG001
    from ppworkbench.api.planning.trade_off import MEASURES

    parser.set_defaults(run=run_trade_off)
    add_shared_options(parser)
    add = parser.add_argument
    add("--design", metavar="FILE", type=InputPath, required=True, help="design")
    add("--attribute", metavar="NAME", required=True, help="question")
    add(
        "--privacy", choices=tuple(name.replace("_", "-") for name in MEASURES),
        help="privacy measure (default: belief; numbers: attack-success)",
    )  # fmt: skip
    add("--limit", type=positive_number, metavar="X", help="goal: the highest value of the measure")
    add(
        "--half-width", type=positive_number, metavar="X",
        help="goal: half-width of the 95 %% interval, e.g. 0.03; for a number, a share of its "
        "domain",
    )  # fmt: skip
    add("--no-frontier", action="store_true", help="do not search for better matrices")
    add(
        "--n", type=positive_count, metavar="N",
        help=f"number of respondents (default: rows of the data, else {RESPONDENTS:,})",
    )  # fmt: skip
    add_noncompliance_options(add)
    add_script_option(parser)
    add_pilot_options(parser)
    add_expected_options(parser)


def run_trade_off(args: argparse.Namespace) -> Answer:
    """Print the designs of a question with their privacy and precision."""
    from ppworkbench.api.planning.trade_off import trade_off
    from ppworkbench.core.design.design_file import read_design

    design = read_design(args.design)
    asked = {
        "attribute": args.attribute,
        "privacy": None if args.privacy is None else args.privacy.replace("-", "_"),
        "limit": args.limit, "half_width": args.half_width, "frontier": not args.no_frontier,
        "n": args.n, "noncompliance": noncompliance_given(args, design), "data": args.data,
        "share": numbers_by_name(args.share, "share"), "expected": expected_given(args.expected),
        "reading": given_options(args, ReadOptions),
    }  # fmt: skip
    return answer_function(args, trade_off, asked, design)
