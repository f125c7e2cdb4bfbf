"""Commands about asking: devices, cards, kits, pages, what comes back, and a rehearsal of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ppworkbench.api import HALF_WIDTH
from ppworkbench.cli.calls import Call
from ppworkbench.cli.input_files import add_pilot_options
from ppworkbench.cli.options import add_options, listed_names, positive_count
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    OutputFolder,
    OutputPath,
    OutputTable,
    Parser,
    UpdatedPath,
    UsageError,
    add_command,
    add_command_group,
    add_file,
)
from ppworkbench.cli.scripts import add_script_option
from ppworkbench.results.text import REPORTED

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers

_ASKING = "fieldwork.questionnaires"
_DEVICES = Call("devices", "devices")
_REHEARSE = Call(
    "fieldwork.rehearsal", "rehearse",
    {"out": "Invented answers are kept in a study; --out must end in .ppw."},
)  # fmt: skip
_WORDING = "wording of questions and answers: a codebook, or JSON with 'questions' and 'answers'"


def add_commands(subparsers: Subparsers) -> None:
    add = partial(add_command, subparsers)
    add("devices", run_devices, "list devices that respondents can use", _fill_devices)
    says = "write printable cards that tell respondents what to do"
    add("cards", Call(_ASKING, "cards", {"out": ""}), says, _fill_cards)
    says = "write cards, paper and forms for survey platforms"
    # Who asked for a target in a script must not go on without it.
    add("kit", Call(_ASKING, "kit", finish=lambda found: bool(found.made.refused)), says, _fill_kit)
    says = "fill a study with simulated answers, to try everything out"
    add("rehearse", run_rehearse, says, _fill_rehearse)
    add_command_group(subparsers, "questions", "check or convert a questionnaire", _add_questions)
    says = "write a page that randomises answers in the respondent's browser"
    twice = {"texts": "--texts and --questions both say the wording; give one of them."}
    add("questionnaire", Call(_ASKING, "questionnaire", twice), says, _fill_page)
    says = "add the answers of a survey platform's export to a study"
    nowhere = {"out": "A design file holds no answers; name a study or a table with --out."}
    add("add", Call("fieldwork.collecting", "add_answers", nowhere), says, _fill_add)
    says = "merge answers from questionnaire pages"
    add("collect", Call("fieldwork.collecting", "collect"), says, _fill_collect)


def _fill_devices(devices: Parser, _words: Sequence[str]) -> None:
    add = devices.add_argument
    wanted = devices.add_mutually_exclusive_group()
    wanted.add_argument("--probability", type=float, metavar="X", help="probability to reach")
    add_file(wanted, "--design", "design with a question")
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
    add_file(devices, "--out", "write the design with the device of --use", OutputPath)
    add_pilot_options(devices)


def run_devices(args: argparse.Namespace) -> Answer:
    """List devices, alone or with what they make of a probability or a question."""
    if (args.design is None) != (args.attribute is None):
        raise UsageError("The options --design and --attribute need each other.")
    if (args.use is None) != (args.out is None) or (args.use and args.design is None):
        raise UsageError("The options --use and --out need each other and a design.")
    if args.use is None and (args.share, args.share_se) != (None, None):
        raise UsageError("The options --share and --share-se need --use.")
    return _DEVICES(args)


def _fill_cards(cards: Parser, _words: Sequence[str]) -> None:
    add_file(cards, "--design", "design with devices", required=True)
    says = "output page or PDF, e.g. cards.html, cards.pdf"
    add_file(cards, "--out", says, OutputPath, required=True)
    says = "arm to write cards for (default: all)"
    cards.add_argument("--arm", dest="arms", metavar="NAME", action="append", default=[], help=says)
    cards.add_argument(
        "--attribute", dest="attributes", metavar="NAME", action="append", default=[],
        help="question to write a card for (default: all)",
    )  # fmt: skip
    says = "languages, e.g. en,pl (default en)"
    cards.add_argument(
        "--language", dest="languages", metavar="TEXT", type=_languages, default=["en"], help=says
    )
    add_file(cards, "--texts", _WORDING)


def _languages(text: str) -> list[str]:
    return [one.strip() for one in text.split(",")]


def _fill_kit(kit: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.fieldwork.questionnaires import target_names

    add_file(kit, "study", "study (.ppw), or a design file", metavar="STUDY")
    says = "questionnaire, or CSV or Excel (default: that of the study, or the design's words)"
    add_file(kit, "--questions", says)
    listed: dict[str, Any] = {"metavar": "TEXT", "type": _once, "default": ()}
    says = f"what to write (default: all): {', '.join(target_names())}"
    kit.add_argument("--targets", help=says, **listed)
    says = "languages, e.g. en,pl (default: the main language of the questionnaire)"
    kit.add_argument("--language", dest="languages", help=says, **listed)
    kit.add_argument(
        "--post", metavar="ADDR", default="", help="address for the answers of the page"
    )
    says = "new output folder or zip file"
    add_file(kit, "--out", says, OutputFolder, "DIR|FILE.zip", required=True)


def _once(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))


def _fill_rehearse(rehearse: Parser, _words: Sequence[str]) -> None:
    add_file(rehearse, "study", "study without answers, or design", metavar="STUDY")
    says = "number of simulated respondents (default 500)"
    rehearse.add_argument("--n", type=positive_count, metavar="N", help=says)
    rehearse.add_argument(
        "--strength", action="append", default=[], metavar="WORD",
        help="how strongly questions go together: none, some, strong, some-opposite or "
        "strong-opposite, of all or as NAME=WORD of one (default some)",
    )  # fmt: skip
    add_file(rehearse, "--out", "study with these answers", OutputPath, required=True)
    add_script_option(rehearse)


def run_rehearse(args: argparse.Namespace) -> Answer:
    """Try a study out; of strengths by name the later word counts."""
    from ppworkbench.api.fieldwork.rehearsal import STRENGTHS

    found: dict[str, str] = {}
    for text in args.strength:
        name, _, word = text.rpartition("=")
        if word not in STRENGTHS:
            known = ", ".join(STRENGTHS)
            raise UsageError(f"--strength must be one of {known}, or NAME=one, not {text!r}.")
        found.pop(name, None)
        found[name] = word
    return _REHEARSE(args, strength=found)


def _add_questions(actions: Subparsers, _words: Sequence[str]) -> None:
    says = "find faults and missing translations"
    check = add_command(actions, "check", Call(_ASKING, "check_questions"), says)
    says = "turn a spreadsheet into a questionnaire and back"
    convert = add_command(actions, "convert", Call(_ASKING, "convert_questions"), says)
    for command in (check, convert):
        add_file(command, "path", "questionnaire, or CSV or Excel")
        command.add_argument(
            "--language", metavar="CODE", default="en", help="language of columns that name none"
        )
    says = "questionnaire (.json), or spreadsheet (.csv)"
    add_file(convert, "--out", says, OutputPath, required=True)


def _fill_page(page: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.fieldwork.questionnaires import QuestionnaireOptions

    add_file(page, "--design", "randomisation", required=True)
    add_file(page, "--out", "output page", OutputPath, "PAGE.html", required=True)
    add_file(page, "--texts", _WORDING)
    add_file(page, "--questions", "questionnaire with the wording in the page's languages")
    add_file(page, "--design-out", "write the design with the grid of the page", OutputPath)
    add_options(page, QuestionnaireOptions, title="the page")
    page.set_defaults(declared=QuestionnaireOptions)


def _fill_add(adding: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.fieldwork.collecting import platforms

    says = "study to add to, or a design file"
    add_file(adding, "study", says, UpdatedPath, "STUDY")
    says = "exports of a survey platform, answers of pages, or a collector's database"
    add_file(adding, "answers", says, nargs="+")
    adding.add_argument(
        "--state", choices=("reported", "true"), required=True,
        help="reported: randomised by a card or page; true: asked directly",
    )  # fmt: skip
    adding.add_argument(
        "--platform", choices=(*platforms.names, "table"),
        help="the platform, if it is not recognised; 'table' for a plain table",
    )  # fmt: skip
    add_file(adding, "--map", "mapping of columns, or kit.json", dest="mapping")
    says = "write the mapping that was used"
    add_file(adding, "--map-out", says, OutputPath, dest="mapping_out")
    add_file(adding, "--texts", "wording of questions and answers, as for the page")
    names = adding.add_mutually_exclusive_group()
    names.add_argument(
        "--header-row", metavar="N", type=_row, help="line of the column names, counted from 1"
    )
    names.add_argument(
        "--no-header", dest="header_row", action="store_const", const=0,
        help="the file has no column names; name the columns column_1 and so on in a mapping",
    )  # fmt: skip
    adding.add_argument(
        "--keep", metavar="A,B,...", type=listed_names, default=(),
        help="columns to keep that are no questions, such as a weight or a stratum",
    )  # fmt: skip
    adding.add_argument(
        "--strict", action="store_true", help="fail if an answer is not in the design"
    )
    says = "another study, or a study or table for a design; without it the study is changed"
    add_file(adding, "--out", says, OutputTable)


def _row(word: str) -> int:
    """A row counted from 1."""
    row = int(word)
    if row < 1:
        raise ValueError(word)
    return row


def _fill_collect(collect: Parser, _words: Sequence[str]) -> None:
    collect.set_defaults(answer_state=REPORTED)
    says = "JSON lines or CSV, one or more rows each, or a collector's database"
    add_file(collect, "answers", says, nargs="+")
    add_file(collect, "--design", "design of the page", required=True)
    add_file(collect, "--out", "output table", OutputTable, required=True)
