"""The command ``kit``: cards, paper and forms for survey platforms, and the way back."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import (
    InputPath,
    OutputFolder,
    Parser,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``kit``."""
    summary = "write cards, paper and forms for survey platforms"
    subparsers.add_parser("kit", help=summary, description=f"{summary.capitalize()}.", fill=_fill)


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.fieldwork.questionnaires import target_names

    add_shared_options(parser)
    parser.add_argument(
        "study", metavar="STUDY", type=InputPath, help="study (.ppw), or a design file"
    )
    parser.add_argument(
        "--questions", metavar="FILE", type=InputPath,
        help="questionnaire, or CSV or Excel (default: that of the study, or the design's words)",
    )  # fmt: skip
    parser.add_argument(
        "--targets", metavar="TEXT", default="",
        help=f"what to write (default: all): {', '.join(target_names())}",
    )  # fmt: skip
    parser.add_argument(
        "--language", metavar="TEXT", default="",
        help="languages, e.g. en,pl (default: the main language of the questionnaire)",
    )  # fmt: skip
    parser.add_argument(
        "--post", metavar="ADDR", default="", help="address for the answers of the page"
    )
    parser.add_argument(
        "--out", metavar="DIR|FILE.zip", type=OutputFolder, required=True,
        help="new output folder or zip file",
    )  # fmt: skip
    parser.set_defaults(run=run_kit)


def run_kit(args: argparse.Namespace) -> Answer:
    """Write the kit of a study or a design."""
    from ppworkbench.api.fieldwork.questionnaires import kit

    with progress_bar() as progress:
        found = kit(
            args.study, args.out, questions=args.questions, targets=_listed(args.targets),
            languages=_listed(args.language), post=args.post, progress=progress,
        )  # fmt: skip
    # Who asked for a target in a script must not go on without it.
    return replace(answer_of(found), status=1 if found.made.refused else 0)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))
