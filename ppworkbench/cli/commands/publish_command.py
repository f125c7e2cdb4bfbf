"""Publishing a table whose sensitive column can be denied, and the accuracy that this leaves."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import add_read_options
from ppworkbench.cli.options import add_options, given_options, given_values, usage_of
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    OutputTable,
    Parser,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.cli.scripts import add_script_option, answer_script
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError
from ppworkbench.results.text import TRUE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``publish`` and ``accuracy-curve``."""
    summary = "write a table with a deniable sensitive column"
    subparsers.add_parser(
        "publish", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )
    subparsers.add_parser(
        "accuracy-curve", help="measure the accuracy that deniable tables leave",
        description="Publish deniable tables, train classifiers on them and test these.",
        fill=_fill_curve,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    # The declarations come with the library, which help on other commands need not load.
    from ppworkbench.api.releases.publish import DeniabilityOptions

    add_shared_options(parser)
    parser.add_argument("data", metavar="DATA", type=InputPath, help="file with the true answers")
    parser.add_argument(
        "--sensitive", metavar="NAME", required=True, help="attribute whose answers are protected"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=OutputTable, required=True, help="output file"
    )
    parser.add_argument(
        "--split-on", metavar="NAME", action="append",
        help="attribute to split groups by, may be repeated (default: all others)",
    )  # fmt: skip
    parser.add_argument(
        "--tree", metavar="FILE", type=OutputPath, help="write the groups as JSON as well"
    )
    parser.add_argument(
        "--folds", type=_folds, default=10, metavar="N",
        help="folds of the predicted accuracy (default 10)",
    )  # fmt: skip
    parser.add_argument(
        "--shuffle", action=argparse.BooleanOptionalAction,
        help="shuffle the rows (default: yes for a release, no with --seed)",
    )  # fmt: skip
    parser.add_argument(
        "--escape-formulas", action=argparse.BooleanOptionalAction, default=True,
        help="escape cells that a spreadsheet would execute (default: yes)",
    )  # fmt: skip
    parser.add_argument(
        "--documents", action="store_true",
        help="write a DDI file, datapackage.json and FOR-ANALYSTS.txt beside the table",
    )  # fmt: skip
    add_options(parser, DeniabilityOptions, title="groups")
    _add_role_options(parser)
    add_script_option(parser)
    parser.set_defaults(run=run_publish, answer_state=TRUE)
    add_read_options(parser)


def _fill_curve(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.releases.publish import CurveOptions, DeniabilityOptions

    add_shared_options(parser)
    parser.add_argument("data", metavar="DATA", type=InputPath, help="file with the true answers")
    parser.add_argument(
        "--sensitive", metavar="NAME", required=True, help="attribute whose answers are protected"
    )
    parser.add_argument(
        "--split-on", metavar="NAME", action="append",
        help="attribute to split groups by, may be repeated (default: all others)",
    )  # fmt: skip
    add_options(parser, CurveOptions, title="accuracies")
    add_options(parser, DeniabilityOptions, title="groups", without=("min_deniability",))
    add_script_option(parser)
    parser.set_defaults(run=run_curve, answer_state=TRUE)
    add_read_options(parser)


def _add_role_options(parser: Parser) -> None:
    """What becomes of columns, also of those that tell how people were drawn."""
    from ppworkbench.core.data.sampling_roles import LEAST_ROWS

    group = parser.add_argument_group("columns")
    for word, text in (
        ("--leave-out", "column not to be released, may be repeated"),
        ("--keep", "column to release although it looks like an identifier, name or free text"),
    ):
        group.add_argument(word, metavar="NAME", action="append", default=[], help=text)
    group = parser.add_argument_group("columns with a sampling role (weight, stratum, …)")
    for word, text in (
        ("--coarsen", "column to coarsen, may be repeated"),
        ("--confirm", "attribute to release although a weight or stratum gives it away"),
    ):
        group.add_argument(word, metavar="NAME", action="append", default=[], help=text)
    group.add_argument(
        "--least-rows", type=_least_rows, default=LEAST_ROWS, metavar="N",
        help=f"rows that share a coarsened weight or stratum (default {LEAST_ROWS})",
    )  # fmt: skip


def _least_rows(text: str) -> int:
    from ppworkbench.core.data.sampling_roles import MOST_LEAST_ROWS

    if text.isascii() and text.isdigit() and 2 <= int(text) <= MOST_LEAST_ROWS:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"the number of rows must be between 2 and {MOST_LEAST_ROWS:,}, not {text!r}"
    )


def _folds(text: str) -> int:
    if text.isascii() and text.isdigit() and 2 <= int(text) <= 100:
        return int(text)
    raise argparse.ArgumentTypeError(f"the number of folds must be between 2 and 100, not {text!r}")


def run_publish(args: argparse.Namespace) -> Answer:
    """Make groups, exchange the answers within them, and write the table."""
    from ppworkbench.api.releases.publish import DeniabilityOptions, describing_files, publish

    asked = {
        "data": args.data, "sensitive": args.sensitive, "out": args.out,
        "split_on": args.split_on, "tree": args.tree, "folds": args.folds, "seed": args.seed,
        "shuffle": args.shuffle, "escape_formulas": args.escape_formulas,
        "documents": args.documents, "coarsen": args.coarsen, "leave_out": args.leave_out,
        "keep": args.keep,
        "confirm": args.confirm, "least_rows": args.least_rows,
        "reading": given_options(args, ReadOptions), **given_values(args, DeniabilityOptions),
    }  # fmt: skip
    if args.script is not None:
        return answer_script(args, publish, asked)
    for path in describing_files(args.out) if args.documents and not args.force else ():
        if path.exists():
            raise DataError(
                f"{path} exists; choose another folder, or replace it with --force.", file=path
            )
    words = "No column of this file has a sampling role to be coarsened."
    with progress_bar() as progress, usage_of(coarsen=words):
        return answer_of(publish(progress=progress, **asked))


def run_curve(args: argparse.Namespace) -> Answer:
    """Measure the accuracies over minimum deniabilities; nothing is written."""
    from ppworkbench.api.releases.publish import CurveOptions, DeniabilityOptions, accuracy_curve

    asked = {
        "data": args.data, "sensitive": args.sensitive, "split_on": args.split_on,
        "seed": args.seed or 0, "reading": given_options(args, ReadOptions),
        **given_values(args, CurveOptions), **given_values(args, DeniabilityOptions),
    }  # fmt: skip
    if args.script is not None:
        return answer_script(args, accuracy_curve, asked)
    with progress_bar() as progress:
        return answer_of(accuracy_curve(progress=progress, **asked))
