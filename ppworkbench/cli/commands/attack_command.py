"""The command that attacks distorted answers beside the true ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.input_files import add_read_options
from ppworkbench.cli.options import add_answers, add_design_option, design_of, given_options
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import InputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.scripts import add_script_option, answer_function
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.results.text import TRUE

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``attack``."""
    subparsers.add_parser(
        "attack", help="try what an attacker learns from distorted answers",
        description="Attack distorted answers beside the true ones, and count the successes.",
        fill=_fill,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.attack import attacks

    listed = attacks.ranked
    words = "; ".join(f"{entry.name}: {entry.item.words}" for entry in listed)
    of_one = [entry.name for entry in listed if entry.item.takes_attribute]
    by_known = [entry.name for entry in listed if entry.item.takes_known]

    add_shared_options(parser)
    add_answers(parser, "file with the distorted answers")
    add_design_option(parser)
    parser.add_argument(
        "--original", metavar="DATA", type=InputPath, required=True,
        help="true answers, row by row of the same people",
    )  # fmt: skip
    parser.add_argument(
        "--attack", choices=[entry.name for entry in listed], default=listed[0].name,
        help=f"{words} (default {listed[0].name})",
    )  # fmt: skip
    parser.add_argument("--attribute", metavar="NAME", help=f"attribute of {' and '.join(of_one)}")
    parser.add_argument(
        "--known", metavar="NAME", action="append", default=[],
        help=f"attribute that the attacker of {' and '.join(by_known)} knows of everybody, may "
        "be repeated",
    )  # fmt: skip
    add_script_option(parser)
    add_read_options(parser)
    parser.set_defaults(run=run_attack, answer_state=TRUE)


def run_attack(args: argparse.Namespace) -> Answer:
    """Attack the answers of a file."""
    from ppworkbench.api.attack import attack, attacks

    asked_by = attacks[args.attack]
    if asked_by.takes_attribute and args.attribute is None:
        raise UsageError("Name the attribute that is attacked by --attribute.")
    if asked_by.takes_known and not args.known:
        raise UsageError("Name at least 1 attribute that the attacker knows by --known.")
    asked = {
        "data": args.distorted, "original": args.original, "attack": args.attack,
        "attribute": args.attribute, "known": args.known, "seed": args.seed or 0,
        "reading": given_options(args, ReadOptions),
    }  # fmt: skip
    return answer_function(args, attack, asked, design_of(args.distorted, args.design))
