"""The command that tries a study out with invented respondents: ``rehearse``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.options import positive_count, usage_of
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import InputPath, OutputPath, Parser, UsageError, add_shared_options
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.cli.scripts import add_script_option, answer_script

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers

_IN_A_STUDY = "Invented answers are kept in a study; --out must end in .ppw."


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``rehearse``."""
    summary = "fill a study with invented answers, to try everything out"
    subparsers.add_parser(
        "rehearse", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )


def _fill(rehearse: Parser, _words: Sequence[str]) -> None:
    rehearse.set_defaults(run=run_rehearse)
    add_shared_options(rehearse)
    rehearse.add_argument(
        "study", metavar="STUDY", type=InputPath, help="study without answers, or design"
    )
    rehearse.add_argument(
        "--n", type=positive_count, metavar="N", help="number of invented respondents (default 500)"
    )
    rehearse.add_argument(
        "--strength", action="append", default=[], metavar="WORD",
        help="how strongly questions go together: none, some, strong, some-opposite or "
        "strong-opposite, of all or as NAME=WORD of one (default some)",
    )  # fmt: skip
    rehearse.add_argument(
        "--out", metavar="FILE", type=OutputPath, required=True, help="study with these answers"
    )
    add_script_option(rehearse)


def run_rehearse(args: argparse.Namespace) -> Answer:
    """Write a study with invented answers."""
    from ppworkbench.api.fieldwork.rehearsal import rehearse

    asked = {
        "study": args.study, "out": args.out, "n": args.n, "seed": args.seed,
        "strength": _strengths(args.strength),
    }  # fmt: skip
    if args.script is not None:
        return answer_script(args, rehearse, asked)
    with progress_bar() as progress, usage_of(out=_IN_A_STUDY):
        return answer_of(rehearse(progress=progress, **asked))


def _strengths(given: Sequence[str]) -> dict[str, str]:
    """How strongly questions go with the others, by their names; the later word counts."""
    from ppworkbench.api.fieldwork.rehearsal import STRENGTHS

    found: dict[str, str] = {}
    for text in given:
        name, _, word = text.rpartition("=")
        if word not in STRENGTHS:
            known = ", ".join(STRENGTHS)
            raise UsageError(f"--strength must be one of {known}, or NAME=one, not {text!r}.")
        found.pop(name, None)
        found[name] = word
    return found
