"""Commands about devices in a respondent's hand: what they can do, and cards that say how."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ppworkbench.api import HALF_WIDTH
from ppworkbench.cli.commands.report_command import SUFFIXES
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import given_options
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    UsageError,
    add_command,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``devices`` and ``cards``."""
    devices = add_command(
        subparsers, "devices", run_devices, "list devices that respondents can use"
    )
    add = devices.add_argument
    wanted = devices.add_mutually_exclusive_group()
    wanted.add_argument("--probability", type=float, metavar="X", help="probability to reach")
    wanted.add_argument("--design", metavar="FILE", type=InputPath, help="design with a question")
    add("--attribute", metavar="NAME", help="question of the design")
    add("--nearest", action="store_true", help="take the nearest probability, private or not")
    add(
        "--half-width", type=float, metavar="X", default=HALF_WIDTH,
        help=f"precision for which respondents are counted (default {HALF_WIDTH:g})",
    )  # fmt: skip
    add("--use", metavar="NAME", help="device to put into the design")
    add(
        "--share", type=float, metavar="X",
        help="own share of people with the outcomes, for birthdays and house numbers",
    )  # fmt: skip
    add(
        "--share-se", type=float, metavar="X",
        help="standard error of that share; intervals of estimates include it",
    )  # fmt: skip
    add("--out", metavar="FILE", type=OutputPath, help="write the design with the device of --use")
    add_pilot_options(devices)
    cards = add_command(
        subparsers, "cards", run_cards, "write printable cards that tell respondents what to do"
    )
    add = cards.add_argument
    add("--design", metavar="FILE", type=InputPath, required=True, help="design with devices")
    add(
        "--out", metavar="FILE", type=OutputPath, required=True,
        help="output page or PDF, e.g. cards.html, cards.pdf",
    )  # fmt: skip
    add(
        "--arm", metavar="NAME", action="append", default=[],
        help="arm to write cards for (default: all)",
    )  # fmt: skip
    add(
        "--attribute", metavar="NAME", action="append", default=[],
        help="question to write a card for (default: all)",
    )  # fmt: skip
    add("--language", metavar="TEXT", default="en", help="languages, e.g. en,pl (default en)")
    add(
        "--texts", metavar="FILE", type=InputPath,
        help="wording of questions and answers: a codebook, or JSON with 'questions' and "
            "'answers'",
    )  # fmt: skip


def run_devices(args: argparse.Namespace) -> Answer:
    """List devices, alone or with what they make of a probability or a question."""
    from ppworkbench.api.devices import devices

    if (args.design is None) != (args.attribute is None):
        raise UsageError("The options --design and --attribute need each other.")
    if (args.use is None) != (args.out is None) or (args.use and args.design is None):
        raise UsageError("The options --use and --out need each other and a design.")
    if args.use is None and (args.share, args.share_se) != (None, None):
        raise UsageError("The options --share and --share-se need --use.")
    with progress_bar() as progress:
        found = devices(
            args.design, args.attribute, probability=args.probability, nearest=args.nearest,
            half_width=args.half_width, use=args.use, share=args.share, share_se=args.share_se,
            out=args.out, data=args.data, reading=given_options(args, ReadOptions),
            progress=progress,
        )  # fmt: skip
    return answer_of(found)


def run_cards(args: argparse.Namespace) -> Answer:
    from ppworkbench.api.fieldwork.questionnaires import cards

    if Path(args.out).suffix.lower() not in SUFFIXES:
        raise UsageError(f"Cards are an .html or .pdf file, not {Path(args.out).name!r}.")
    languages = [one.strip() for one in args.language.split(",")]
    return answer_of(
        cards(
            args.design, args.out, arms=args.arm, attributes=args.attribute, languages=languages,
            texts=args.texts,
        )
    )  # fmt: skip
