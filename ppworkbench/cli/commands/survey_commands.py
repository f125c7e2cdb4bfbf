"""Commands that ask a distorted survey: how many, how much, how distributed, how different, who."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.input_files import add_engine_option, add_read_options
from ppworkbench.cli.options import (
    POOLINGS,
    add_answers,
    add_arm_options,
    add_design_option,
    add_options,
    add_sampling_options,
    given_values,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, Run, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_survey
from ppworkbench.core.errors import ParameterError

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.survey import Condition


def add_commands(subparsers: Subparsers) -> None:
    """Declare the statistics of a survey, ``compare`` and ``participants``."""
    _add(subparsers, "share", run_share, "estimate which share of people meet a condition")
    _add(subparsers, "count", run_count, "estimate how many people meet a condition")
    _add(subparsers, "mean", run_mean, "estimate a mean")
    _add(subparsers, "ratio", run_ratio, "estimate the ratio of two totals")
    _add(subparsers, "distribution", run_distribution, "estimate a distribution")
    _add(subparsers, "crosstab", run_crosstab, "estimate a cross table")
    _add(subparsers, "compare", run_compare, "compare groups of respondents, or two answers")
    _add(subparsers, "participants", run_participants, "list probable members of a group")


def _add(subparsers: Subparsers, name: str, run: Run, summary: str) -> None:
    def fill(parser: Parser, _words: Sequence[str]) -> None:
        # The declarations come with the library, which help on other commands need not load.
        from ppworkbench.core.survey.answers import (
            ComparisonOptions,
            CrosstabOptions,
            DistributionOptions,
            ParticipantOptions,
            RatioOptions,
            StatisticOptions,
        )

        add_shared_options(parser)
        _add_arguments(parser, name)
        declared = {
            "distribution": DistributionOptions,
            "crosstab": CrosstabOptions,
            "participants": ParticipantOptions,
            "ratio": RatioOptions,
            "compare": ComparisonOptions,
        }.get(name, StatisticOptions)
        add_options(parser, declared, title="statistic")
        add_arm_options(
            parser, by_arm=name in ("share", "count", "mean", "distribution", "crosstab"),
            pooling=name in ("share", "count", "distribution"),
        )  # fmt: skip
        add_sampling_options(parser)
        add_script_option(parser)
        parser.set_defaults(run=run, declared=declared)
        add_engine_option(parser)
        add_read_options(parser)

    sentence = f"{summary[:1].upper()}{summary[1:]}."
    subparsers.add_parser(name, help=summary, description=sentence, fill=fill)


def _add_arguments(parser: Parser, name: str) -> None:
    add_answers(parser)
    add_design_option(parser)
    parser.add_argument(
        "--where", metavar="CONDITION", type=condition,
        required=name in ("share", "count", "participants"),
        help="condition, e.g. sex = F and 18 <= age < 30 and district in {north, east}",
    )  # fmt: skip
    if name in ("mean", "ratio", "distribution", "crosstab"):
        parser.add_argument("--of", metavar="NAME", required=True, help="attribute")
    if name == "ratio":
        parser.add_argument("--by", metavar="NAME", required=True, help="number to divide by")
    if name == "crosstab":
        parser.add_argument("--by", metavar="NAME", required=True, help="column attribute")
    if name == "compare":
        parser.add_argument(
            "--of", metavar="NAME[=VALUE]", required=True,
            help="number whose mean is compared, or answer whose share is",
        )  # fmt: skip
        compared = parser.add_mutually_exclusive_group(required=True)
        compared.add_argument("--by", metavar="NAME", help="attribute of the groups")
        compared.add_argument(
            "--against", metavar="NAME=VALUE",
            help="another answer of the same people, in place of groups",
        )  # fmt: skip
        parser.add_argument(
            "--reference", metavar="GROUP", help="compare all groups with this one (default: pairs)"
        )
        return
    parser.add_argument(
        "--original",
        metavar="DATA",
        type=InputPath,
        help="true answers for comparison",
    )


def condition(text: str) -> Condition:
    """Read a condition of the command line."""
    from ppworkbench.core.survey import parse_condition

    try:
        return parse_condition(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def _answer(args: argparse.Namespace, method: str, **asked: Any) -> Answer:
    """Ask the survey with the settings that were given."""
    how: dict[str, Any] = {**asked, **given_values(args, args.declared), "arms": args.arm}
    if hasattr(args, "by_arm"):
        how["by_arm"] = args.by_arm
    if getattr(args, "pooling", POOLINGS[0]) != POOLINGS[0]:
        how["pooling"] = args.pooling
    return answer_survey(args, method, how)


def run_share(args: argparse.Namespace) -> Answer:
    """Estimate which share of people meet a condition."""
    return _answer(args, "share", what=args.where)


def run_count(args: argparse.Namespace) -> Answer:
    """Estimate how many people meet a condition."""
    return _answer(args, "count", where=args.where)


def run_mean(args: argparse.Namespace) -> Answer:
    """Estimate the mean of a number."""
    return _answer(args, "mean", of=args.of, where=args.where)


def run_ratio(args: argparse.Namespace) -> Answer:
    """Estimate the ratio of the totals of two numbers."""
    return _answer(args, "ratio", of=args.of, by=args.by, where=args.where)


def run_distribution(args: argparse.Namespace) -> Answer:
    """Estimate how the answers to an attribute are distributed."""
    return _answer(args, "distribution", of=args.of, where=args.where)


def run_crosstab(args: argparse.Namespace) -> Answer:
    """Estimate the table of two attributes."""
    return _answer(args, "table", rows=args.of, columns=args.by, where=args.where)


def run_compare(args: argparse.Namespace) -> Answer:
    """Compare a mean or a share between groups, or two answers of the same people."""
    return _answer(
        args, "compare", of=args.of, by=args.by, where=args.where, against=args.against,
        reference=args.reference,
    )  # fmt: skip


def run_participants(args: argparse.Namespace) -> Answer:
    """List who probably meets a condition."""
    return _answer(args, "participants", where=args.where)
