"""Commands about designs: what they protect and cost, and distorting files with them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.api import RESPONDENTS
from ppworkbench.cli.input_files import add_engine_option, add_pilot_option, add_read_options
from ppworkbench.cli.options import (
    add_noncompliance_options,
    given_options,
    noncompliance_given,
    positive_number,
)
from ppworkbench.cli.output import Answer, answer_of, write_warnings
from ppworkbench.cli.parser import (
    InputPath,
    OutputTables,
    Parser,
    UsageError,
    add_command,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.cli.scripts import add_script_option, answer_function, answer_script
from ppworkbench.core.data.options import ReadOptions

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``measure`` and ``distort``."""
    subparsers.add_parser(
        "measure",
        help="measure privacy and accuracy",
        description="Measure privacy and accuracy.",
        fill=_fill_measure,
    )
    distort = add_command(subparsers, "distort", run_distort, "write a distorted copy of a file")
    distort.add_argument(
        "data",
        metavar="DATA",
        type=InputPath,
        help="file with the true answers, or folder of Parquet parts",
    )
    distort.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="randomisation"
    )
    distort.add_argument(
        "--out",
        metavar="FILE",
        type=OutputTables,
        required=True,
        help="output file; of a folder of parts a new folder",
    )
    distort.add_argument(
        "--shuffle", action=argparse.BooleanOptionalAction,
        help="shuffle the rows (default: yes for a release, no with --seed)",
    )  # fmt: skip
    distort.add_argument(
        "--escape-formulas", action=argparse.BooleanOptionalAction, default=True,
        help="escape cells that a spreadsheet would execute (default: yes)",
    )  # fmt: skip
    add_script_option(distort)
    add_engine_option(distort)
    add_read_options(distort)


def _fill_measure(measure: Parser, words: Sequence[str]) -> None:  # noqa: ARG001
    measure.set_defaults(run=run_measure)
    add_shared_options(measure)
    measure.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="design to measure"
    )
    add_pilot_option(measure, "original answers; an attacker knows their distribution")
    measure.add_argument(
        "--n", type=_respondents, metavar="N",
        help=f"number of respondents (default: rows of the data, else {RESPONDENTS:,})",
    )  # fmt: skip
    measure.add_argument(
        "--half-width", type=positive_number, metavar="X",
        help="count the respondents for this half-width of 95 %% intervals, e.g. 0.03",
    )  # fmt: skip
    add_noncompliance_options(measure.add_argument)
    add_script_option(measure)
    add_read_options(measure)


def _respondents(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(
            f"the number of respondents must be at least 1, not {text!r}"
        )
    return int(text)


def run_measure(args: argparse.Namespace) -> Answer:
    """All privacy and utility readouts per attribute."""
    from ppworkbench.api.privacy import privacy
    from ppworkbench.core.design.design_file import read_design

    design = read_design(args.design)
    asked = {
        "data": args.data, "n": args.n, "noncompliance": noncompliance_given(args, design),
        "half_width": args.half_width,
        "reading": given_options(args, ReadOptions),
    }  # fmt: skip
    return answer_function(args, privacy, asked, design)


def run_distort(args: argparse.Namespace) -> Answer:
    """Write a distorted copy of a file."""
    from ppworkbench.api.data import release
    from ppworkbench.core.data.parts import is_parts

    if is_parts(args.data) and not args.out.is_folder:
        raise UsageError("Parts are distorted into a folder; give one with --out.")
    asked = {
        "data": args.data, "design": args.design, "out": args.out, "seed": args.seed,
        "shuffle": args.shuffle, "escape_formulas": args.escape_formulas,
        "reading": given_options(args, ReadOptions),
    }  # fmt: skip
    if args.script is not None:
        return answer_script(args, release, asked)
    with progress_bar() as progress:
        found = release(engine=args.engine, progress=progress, **asked)
    write_warnings(found.warnings, found.shown)
    return answer_of(found)
