"""The command that tells what one person's answers disclose together, and shares out a total."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.api import RESPONDENTS
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import expected_given, given_options, positive_count
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    Parser,
    UsageError,
    add_shared_options,
)
from ppworkbench.cli.scripts import add_script_option, answer_function
from ppworkbench.core.data.options import ReadOptions

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``budget``."""
    subparsers.add_parser(
        "budget", help="tell the epsilon of all answers, and share out a total",
        description="Tell the epsilon of all answers of one person, and share out a total.",
        fill=_fill,
    )  # fmt: skip


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.core.design.budget import MEASURES, RULES

    parser.set_defaults(run=run_budget)
    add_shared_options(parser)
    add = parser.add_argument
    add("--design", metavar="FILE", type=InputPath, required=True, help="design")
    aims = parser.add_mutually_exclusive_group()
    aims.add_argument("--total", type=float, metavar="X", help="epsilon to share out")
    aims.add_argument(
        "--belief", type=float, metavar="X",
        help="share out the total with which belief in no sensitive answer rises above this",
    )  # fmt: skip
    add("--rule", choices=RULES,
        help="how the total is shared out (default: that of the design, or sum)")  # fmt: skip
    add("--of", choices=MEASURES,
        help="what is made small (default: that of the design, or width)")  # fmt: skip
    add(
        "--weight", action="append", default=[], metavar="NAME=X",
        help="weight of a question (default 1); may be given several times",
    )  # fmt: skip
    add(
        "--lock", action="append", default=[], metavar="NAME",
        help="question that keeps its epsilon; may be given several times",
    )  # fmt: skip
    add("--ask", type=positive_count, metavar="M",
        help="questions that each person is asked, drawn at random (default: all)")  # fmt: skip
    add(
        "--together", action="append", nargs="+", default=[], metavar="NAME",
        help="questions that a person gets all or none of; may be given several times",
    )  # fmt: skip
    add("--leave-open", action="store_true",
        help="leave questions that are not randomised outside of the total")  # fmt: skip
    add(
        "--n",
        type=positive_count,
        metavar="N",
        help=f"number of respondents (default {RESPONDENTS:,})",
    )
    add(
        "--expected", action="append", default=[], metavar="NAME=X,...",
        help="expected answers, on which the errors rest: a weight per value, or NAME=uniform",
    )  # fmt: skip
    add("--delta", type=float, metavar="X", help="delta of shuffled reports (default 1e-6)")
    add("--out", metavar="FILE", type=OutputPath, help="write the design with this budget")
    add_script_option(parser)
    add_pilot_options(parser)


def run_budget(args: argparse.Namespace) -> Answer:
    """Tell the budget, shared out or as it is."""
    from ppworkbench.api.planning.budget import budget
    from ppworkbench.core.design.design_file import read_design

    design = read_design(args.design)
    planned = None if design.budget is None else design.budget.total
    aims = (args.total, args.belief, args.ask, args.together or None, planned)
    if (args.rule or args.of or args.weight or args.lock or args.out) and aims == (None,) * 5:
        raise UsageError("Give what to share out: --total or --belief.")
    asked = {
        "total": args.total, "belief": args.belief, "rule": args.rule, "of": args.of,
        "weights": _weights(args.weight), "locked": args.lock, "ask": args.ask,
        "together": args.together, "leave_open": args.leave_open, "n": args.n,
        "expected": expected_given(args.expected),
        "delta": args.delta, "out": args.out, "data": args.data,
        "reading": given_options(args, ReadOptions),
    }  # fmt: skip
    return answer_function(args, budget, asked, design)


def _weights(given: Sequence[str]) -> dict[str, float]:
    weights = {}
    for text in given:
        name, _, number = text.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise UsageError(f"--weight must be NAME=number, not {text!r}.")
    return weights
