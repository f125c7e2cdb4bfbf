"""The command about lists of items: ``list``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import add_read_options
from ppworkbench.cli.options import add_design_option, add_sampling_options
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_survey

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``list``."""
    subparsers.add_parser(
        "list", help="estimate the sensitive item of a list",
        description="Estimate how many people have the sensitive item of a list.", fill=_fill,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.compliance.assess_list import METHODS

    add_shared_options(parser)
    parser.add_argument(
        "distorted", metavar="DISTORTED", type=InputPath, help="file with the answers"
    )
    add_design_option(parser)
    parser.add_argument(
        "--attribute", metavar="NAME", required=True, help="sensitive item of the list"
    )
    parser.add_argument(
        "--method", choices=METHODS,
        help="difference in means, two-step least squares, or likelihood (default ml; difference "
        "where weights, strata or clusters are known)",
    )  # fmt: skip
    parser.add_argument(
        "--predict", metavar="A,B,...", type=_names, default=(),
        help="attributes that the item may go together with; they must not be randomised",
    )  # fmt: skip
    parser.add_argument(
        "--ceiling", action="store_true",
        help="let people with all of the harmless items leave the sensitive one out",
    )  # fmt: skip
    parser.add_argument(
        "--floor", action="store_true",
        help="let people with none of the harmless items leave the sensitive one out",
    )  # fmt: skip
    parser.add_argument(
        "--second", metavar="NAME", default="",
        help="second list of the same item, long where this one is short",
    )  # fmt: skip
    parser.add_argument(
        "--direct", metavar="NAME", default="",
        help="question that asks everybody openly for the item",
    )  # fmt: skip
    add_sampling_options(parser)
    add_script_option(parser)
    parser.set_defaults(run=run_list)
    add_read_options(parser)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise argparse.ArgumentTypeError(f"it must be names as in a,b, not {text!r}")
    return names


def run_list(args: argparse.Namespace) -> Answer:
    """Estimate the sensitive item of a list."""
    asked = {
        "attribute": args.attribute, "method": args.method, "predictors": args.predict,
        "ceiling": args.ceiling, "floor": args.floor, "second": args.second, "direct": args.direct,
    }  # fmt: skip
    return answer_survey(args, "list_item", asked)
