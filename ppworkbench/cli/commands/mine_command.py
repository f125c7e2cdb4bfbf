"""The command that mines itemsets and rules from distorted files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import add_engine_option, add_read_options
from ppworkbench.cli.options import (
    add_answers,
    add_no_sampling_option,
    add_options,
    given_options,
    given_values,
)
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_function
from ppworkbench.core.data.options import ReadOptions

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers

DEFAULT_METHOD = "shrinkage"


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``mine``."""

    def fill(parser: Parser, words: Sequence[str]) -> None:
        # The declarations come with the library, which help on other commands need not load.
        from ppworkbench.core.itemsets import ItemOptions
        from ppworkbench.core.mining import RuleParams, miners

        add_shared_options(parser)
        method = _method(words, miners.names)
        _add_arguments(parser, miners.names)
        add_options(parser, miners[method], title=f"options of --method {method}")
        add_options(parser, ItemOptions, title="items")
        rules = parser.add_argument_group("rules")
        rules.add_argument("--rules", action="store_true", help="find rules as well")
        add_options(parser, RuleParams, title="options of --rules")
        sampling = parser.add_argument_group("sampling")
        sampling.add_argument(
            "--weight", metavar="C", help="column: how many people a row stands for"
        )
        add_no_sampling_option(sampling)
        add_script_option(parser)
        add_engine_option(parser)
        add_read_options(parser)
        parser.set_defaults(run=run_mine)

    summary = "find frequent itemsets and rules in a file"
    subparsers.add_parser(
        "mine", help=summary, description="Find frequent itemsets and rules in a file.", fill=fill
    )


def _method(words: Sequence[str], known: Sequence[str]) -> str:
    """The method among the words, which decides over the options; a wrong one is told later."""
    for word, following in zip(words, [*words[1:], ""], strict=True):
        named = following if word == "--method" else word.removeprefix("--method=")
        if word.startswith("--method") and named in known:
            return named
    return DEFAULT_METHOD


def _add_arguments(parser: Parser, methods: Sequence[str]) -> None:
    add_answers(parser)
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath,
        help="design of the file; without it the answers are counted uncorrected",
    )  # fmt: skip
    parser.add_argument(
        "--method", choices=methods, default=DEFAULT_METHOD,
        help=f"mining method (default {DEFAULT_METHOD})",
    )  # fmt: skip
    parser.add_argument(
        "--attribute", metavar="NAME", action="append",
        help="attribute whose values are items, may be repeated (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--original",
        metavar="DATA",
        type=InputPath,
        help="true answers, for the errors by length",
    )
    parser.add_argument(
        "--privacy", action="store_true",
        help="tell what is left of privacy where an attacker knows the itemsets",
    )  # fmt: skip


def run_mine(args: argparse.Namespace) -> Answer:
    """Mine a file, and compare with the original if there is one."""
    from ppworkbench.api.mining import mine
    from ppworkbench.core.itemsets import ItemOptions
    from ppworkbench.core.mining import RuleParams, miners

    if args.no_sampling and args.weight is not None:
        raise UsageError("The option --weight contradicts --no-sampling; drop one.")
    rules = given_values(args, RuleParams)
    asked = {
        "data": args.distorted, "attributes": args.attribute, "method": args.method,
        # To limit the share of false rules is to ask for rules.
        "rules": (rules or True) if args.rules or "false_discovery" in rules else None,
        "items": given_values(args, ItemOptions), "original": args.original,
        "privacy": args.privacy,
        "weights": args.weight, "sampling": not args.no_sampling,
        "reading": given_options(args, ReadOptions), "seed": args.seed,
        "engine": args.engine,
        **given_values(args, miners[args.method]),
    }  # fmt: skip
    return answer_function(args, mine, asked, args.design)
