"""What people left out: ``compliance`` with a device, and the sensitive item of a ``list``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import add_engine_option, add_read_options
from ppworkbench.cli.options import (
    add_answers,
    add_arm_options,
    add_design_option,
    add_sampling_options,
    listed_names,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import Parser, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_survey

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``compliance`` and ``list``."""
    subparsers.add_parser(
        "compliance", help="estimate how many followed the device",
        description="Estimate how many people followed the device of a question.", fill=_fill,
    )  # fmt: skip
    subparsers.add_parser(
        "list", help="estimate the sensitive item of a list",
        description="Estimate how many people have the sensitive item of a list.", fill=_fill_list,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.compliance.question import MODELS

    add_shared_options(parser)
    add_answers(parser)
    add_design_option(parser)
    parser.add_argument("--attribute", metavar="NAME", required=True, help="question to look at")
    parser.add_argument(
        "--behaviour", metavar="NAME", action="append", default=[],
        help="people who do not follow: safe, random or always=VALUE (default safe); may be given "
        "several times",
    )  # fmt: skip
    parser.add_argument(
        "--safe", metavar="VALUE", default="",
        help="answer that nobody minds giving (default: the first that is not sensitive)",
    )  # fmt: skip
    parser.add_argument("--model", choices=MODELS, default="", help="named model of compliance")
    parser.add_argument("--anchor", metavar="NAME", help="anchor question of known share")
    parser.add_argument(
        "--anchor-p", metavar="X", type=_number, help="harmless share of the anchor question"
    )
    parser.add_argument(
        "--anchor-share", metavar="X", type=_number,
        help="true share of the anchor question (default 0)",
    )  # fmt: skip
    parser.add_argument(
        "--share", metavar="X", type=_number,
        help="share of people who do not follow, from a validation study",
    )  # fmt: skip
    parser.add_argument(
        "--share-se", metavar="X", type=_number, default=0.0, help="its standard error (default 0)"
    )
    parser.add_argument(
        "--band", metavar="X:Y", type=_band, default=(0.0, 0.3),
        help="shares of people who do not follow, for the band (default 0:0.3)",
    )  # fmt: skip
    parser.add_argument(
        "--reach", metavar="X", type=_number,
        help="value of the estimate whose tipping point is wanted",
    )  # fmt: skip
    add_arm_options(parser, by_arm=False)
    add_sampling_options(parser)
    add_script_option(parser)
    parser.set_defaults(run=run_compliance)
    add_engine_option(parser)
    add_read_options(parser)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"it must be a number, not {text!r}") from None


def _band(text: str) -> tuple[float, float]:
    low, sign, high = text.partition(":")
    if not sign:
        raise argparse.ArgumentTypeError(f"it must be two shares as in 0:0.3, not {text!r}")
    return _number(low), _number(high)


def run_compliance(args: argparse.Namespace) -> Answer:
    """Estimate who followed the device."""
    from ppworkbench.core.errors import ParameterError

    if args.anchor is None and (args.anchor_p, args.anchor_share) != (None, None):
        raise ParameterError("Name the anchor question by --anchor.", field="anchor")
    if args.anchor is not None and args.anchor_p is None:
        raise ParameterError(
            "Give the harmless share of the anchor question by --anchor-p.", field="anchor-p"
        )
    anchor = None if args.anchor is None else (args.anchor, args.anchor_p, args.anchor_share or 0.0)
    asked = {
        "attribute": args.attribute, "behaviours": args.behaviour, "safe": args.safe,
        "model": args.model, "anchor": anchor, "share": args.share, "share_error": args.share_se,
        "band": args.band, "reach": args.reach, "arms": args.arm,
    }  # fmt: skip
    return answer_survey(args, "compliance", asked)


def _fill_list(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.compliance.assess_list import METHODS

    add_shared_options(parser)
    add_answers(parser, "file with the answers, or folder of Parquet parts")
    add_design_option(parser)
    parser.add_argument(
        "--attribute", metavar="NAME", required=True, help="sensitive item of the list"
    )
    parser.add_argument(
        "--method", choices=METHODS,
        help="difference in means or by linear regression, two-step least squares, or likelihood "
        "(default difference; ml with --ceiling or --floor)",
    )  # fmt: skip
    parser.add_argument(
        "--predict", metavar="A,B,...", type=listed_names, default=(),
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
    add_engine_option(parser)
    add_read_options(parser)


def run_list(args: argparse.Namespace) -> Answer:
    """Estimate the sensitive item of a list."""
    asked = {
        "attribute": args.attribute, "method": args.method, "predictors": args.predict,
        "ceiling": args.ceiling, "floor": args.floor, "second": args.second, "direct": args.direct,
    }  # fmt: skip
    return answer_survey(args, "list_item", asked)
