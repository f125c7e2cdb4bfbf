"""Estimating original distributions from distorted files, and what that loses over many draws."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import (
    add_engine_option,
    add_read_options,
    columns_for_replicates,
)
from ppworkbench.cli.options import (
    add_answers,
    add_arm_options,
    add_design_option,
    add_sampling_options,
    design_of,
    given_options,
    given_sampling,
    positive_count,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_function
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import ParameterError
from ppworkbench.results.text import TRUE

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers

STOPS = ("published", "converged", "auto")


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``reconstruct`` and ``repeat``."""
    summary = "estimate the true distributions of a distorted file"
    subparsers.add_parser(
        "reconstruct", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )
    subparsers.add_parser(
        "repeat", help="distort and reconstruct many times, and show the information loss",
        description="Distort true answers many times, reconstruct each draw, and show the loss.",
        fill=_fill_repeat,
    )  # fmt: skip


def _fill(parser: Parser, words: Sequence[str]) -> None:  # noqa: ARG001 (nothing depends on them)
    # The algorithms come with their libraries, which help on other commands need not load.
    from ppworkbench.core.reconstruct import estimators

    parser.set_defaults(run=run_reconstruct)
    add_shared_options(parser)
    add_answers(parser)
    add_design_option(parser)
    parser.add_argument(
        "--attribute", metavar="NAME", action="append",
        help="attribute to reconstruct, may be repeated (default: all of the design)",
    )  # fmt: skip
    parser.add_argument(
        "--algorithm", default="default",
        choices=("default", *(entry.name for entry in estimators.ranked)),
        help="default: eq or accelerated for values, smooth for numbers",
    )  # fmt: skip
    parser.add_argument(
        "--stop", type=_stop, metavar="{published|converged|auto|N}",
        help="stopping rule; without --algorithm it implies em-as or em",
    )  # fmt: skip
    parser.add_argument(
        "--bins", type=_bins, metavar="N", help="number of bins of a numeric attribute"
    )
    parser.add_argument(
        "--confidence", type=_confidence, metavar="X", default=0.95,
        help="confidence of the intervals (default 0.95)",
    )  # fmt: skip
    parser.add_argument(
        "--sharpest", metavar="WIDTH", type=_sharpest, default="auto",
        help="narrowest peak of a number under noise that intervals allow: auto, none or a number "
        "(default: auto)",
    )  # fmt: skip
    parser.add_argument(
        "--original",
        metavar="DATA",
        type=InputPath,
        help="true answers, for the information loss",
    )
    add_arm_options(parser, pooling=True)
    parser.add_argument(
        "--sets", metavar="VALUES", type=_sets, default=(),
        help="sets of arms to be compared, such as A,B:C; implies --by-arm",
    )  # fmt: skip
    add_sampling_options(parser)
    add_script_option(parser)
    add_engine_option(parser)
    add_read_options(parser)


def _fill_repeat(parser: Parser, words: Sequence[str]) -> None:  # noqa: ARG001 (as above)
    from ppworkbench.core.reconstruct import estimators

    parser.set_defaults(run=run_repeat, answer_state=TRUE)
    add_shared_options(parser)
    parser.add_argument("data", metavar="DATA", type=InputPath, help="file with the true answers")
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="randomisation"
    )
    parser.add_argument(
        "--attribute", metavar="NAME", required=True, help="attribute to reconstruct"
    )
    parser.add_argument(
        "--algorithm", action="append", choices=[entry.name for entry in estimators.ranked],
        help="algorithm, may be repeated (default: eq and em-as for values, smooth for numbers)",
    )  # fmt: skip
    parser.add_argument(
        "--draws", type=positive_count, default=100, metavar="N",
        help="number of draws (default 100)",
    )  # fmt: skip
    parser.add_argument(
        "--iterations", type=positive_count, default=100, metavar="N",
        help="iterations of the fixed stopping rule (default 100)",
    )  # fmt: skip
    parser.add_argument(
        "--bins", type=_bins, metavar="N", help="number of bins of a numeric attribute"
    )
    add_script_option(parser)
    add_read_options(parser)


def _stop(text: str) -> str:
    if text in STOPS or (text.isascii() and text.isdigit() and int(text) <= 1_000_000):
        return text
    raise argparse.ArgumentTypeError(
        f"it must be {', '.join(STOPS)} or a number of iterations, not {text!r}"
    )


def _sets(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(name.strip() for name in one.split(",") if name.strip()) for one in text.split(":")
    )


def _bins(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 10_000:
        return int(text)
    raise argparse.ArgumentTypeError(f"it must be a number between 1 and 10000, not {text!r}")


def _confidence(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = -1.0
    if 0 < level < 1:
        return level
    raise argparse.ArgumentTypeError(f"it must be above 0 and below 1, not {text!r}")


def _sharpest(text: str) -> str:
    from ppworkbench.core.reconstruct.sharpness import parse_sharpness

    try:
        parse_sharpness(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None
    return text


def run_reconstruct(args: argparse.Namespace) -> Answer:
    """Estimate the original distributions of a distorted file."""
    from ppworkbench.api.reconstruct import reconstruct

    design = design_of(args.distorted, args.design)
    given = given_sampling(args, design.sampling, columns_for_replicates(args))
    asked = {
        "data": args.distorted, "attributes": args.attribute, "algorithm": args.algorithm,
        "stop": args.stop, "bins": args.bins, "confidence": args.confidence,
        "sharpest": args.sharpest, "original": args.original, "arms": args.arm,
        "by_arm": args.by_arm, "pooling": args.pooling, "sets": args.sets,
        "sampling": given.sampling or False, "options": given.options,
        "reading": given_options(args, ReadOptions), "seed": args.seed or 0, "engine": args.engine,
    }  # fmt: skip
    return answer_function(args, reconstruct, asked, design)


def run_repeat(args: argparse.Namespace) -> Answer:
    """Distort and reconstruct many times."""
    from ppworkbench.api.reconstruct import repeat

    asked = {
        "data": args.data, "attribute": args.attribute, "algorithms": args.algorithm,
        "draws": args.draws, "iterations": args.iterations, "bins": args.bins,
        "reading": given_options(args, ReadOptions), "seed": args.seed or 0,
    }  # fmt: skip
    return answer_function(args, repeat, asked, args.design)
