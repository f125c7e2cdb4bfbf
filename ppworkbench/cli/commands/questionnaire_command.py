"""Commands about asking: a page that randomises at the respondent, and the rows it sends."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppworkbench.cli.options import add_options, given_values, listed_names, usage_of
from ppworkbench.cli.output import Answer, answer_of
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    OutputTable,
    Parser,
    UpdatedPath,
    add_command,
    add_command_group,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.results.text import REPORTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``questions``, ``questionnaire``, ``collect`` and ``add``."""
    add_command_group(subparsers, "questions", "check or convert a questionnaire", _add_questions)
    summary = "write a page that randomises answers in the respondent's browser"
    subparsers.add_parser(
        "questionnaire", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )
    joining = "add the answers of a survey platform's export to a study"
    subparsers.add_parser(
        "add", help=joining, description=f"{joining.capitalize()}.", fill=_fill_add
    )
    collect = add_command(
        subparsers, "collect", run_collect, "join the answers sent by questionnaire pages"
    )
    collect.set_defaults(answer_state=REPORTED)
    collect.add_argument(
        "answers",
        metavar="FILE",
        type=InputPath,
        nargs="+",
        help="JSON lines or CSV, one or more rows each, or a collector's database",
    )
    collect.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="design of the page"
    )
    collect.add_argument(
        "--out", metavar="FILE", type=OutputTable, required=True, help="output table"
    )


def _add_questions(actions: Subparsers, _words: Sequence[str]) -> None:
    check = add_command(
        actions, "check", run_questions_check, "find faults and missing translations"
    )
    convert = add_command(
        actions,
        "convert",
        run_questions_convert,
        "turn a spreadsheet into a questionnaire and back",
    )
    for command in (check, convert):
        command.add_argument(
            "questions", metavar="FILE", type=InputPath, help="questionnaire, or CSV or Excel"
        )
        command.add_argument(
            "--language", metavar="CODE", default="en", help="language of columns that name none"
        )
    convert.add_argument(
        "--out",
        metavar="FILE",
        type=OutputPath,
        required=True,
        help="questionnaire (.json), or spreadsheet (.csv)",
    )


def run_questions_check(args: argparse.Namespace) -> Answer:
    """Say what is wrong with a questionnaire and what is not translated."""
    from ppworkbench.api.fieldwork.questionnaires import check_questions

    return answer_of(check_questions(args.questions, language=args.language))


def run_questions_convert(args: argparse.Namespace) -> Answer:
    """Write a questionnaire as a document, or as a spreadsheet."""
    from ppworkbench.api.fieldwork.questionnaires import convert_questions

    return answer_of(convert_questions(args.questions, args.out, language=args.language))


def _fill_add(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.fieldwork.collecting import platforms

    add_shared_options(parser)
    parser.add_argument(
        "study", metavar="STUDY", type=UpdatedPath, help="study to add to, or a design file"
    )
    parser.add_argument(
        "answers", metavar="FILE", type=InputPath, nargs="+",
        help="exports of a survey platform, answers of pages, or a collector's database",
    )  # fmt: skip
    parser.add_argument(
        "--state",
        choices=("reported", "true"),
        required=True,
        help="reported: randomised by a card or page; true: asked directly",
    )
    parser.add_argument(
        "--platform",
        choices=(*platforms.names, "table"),
        help="the platform, if it is not recognised; 'table' for a plain table",
    )
    parser.add_argument(
        "--map", metavar="FILE", type=InputPath, help="mapping of columns, or kit.json"
    )
    parser.add_argument(
        "--map-out", metavar="FILE", type=OutputPath, help="write the mapping that was used"
    )
    parser.add_argument(
        "--texts", metavar="FILE", type=InputPath,
        help="wording of questions and answers, as for the page",
    )  # fmt: skip
    names = parser.add_mutually_exclusive_group()
    names.add_argument(
        "--header-row", metavar="N", type=_row, help="line of the column names, counted from 1"
    )
    names.add_argument(
        "--no-header", dest="header_row", action="store_const", const=0,
        help="the file has no column names; name the columns column_1 and so on in a mapping",
    )  # fmt: skip
    parser.add_argument(
        "--keep", metavar="A,B,...", type=listed_names, default=(),
        help="columns to take over that are no questions, such as a weight or a stratum",
    )  # fmt: skip
    parser.add_argument(
        "--strict", action="store_true", help="fail if an answer is not in the design"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=OutputTable,
        help="another study, or a study or table for a design; without it the study is changed",
    )  # fmt: skip
    parser.set_defaults(run=run_add)


def _row(word: str) -> int:
    """A row counted from 1."""
    row = int(word)
    if row < 1:
        raise ValueError(word)
    return row


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.fieldwork.questionnaires import QuestionnaireOptions

    add_shared_options(parser)
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="randomisation"
    )
    parser.add_argument(
        "--out", metavar="PAGE.html", type=OutputPath, required=True, help="output page"
    )
    parser.add_argument(
        "--texts", metavar="FILE", type=InputPath,
        help="wording of questions and answers: a codebook, or JSON with 'questions' and "
            "'answers'",
    )  # fmt: skip
    parser.add_argument(
        "--questions", metavar="FILE", type=InputPath,
        help="questionnaire with the wording in the page's languages",
    )  # fmt: skip
    parser.add_argument(
        "--design-out",
        metavar="FILE",
        type=OutputPath,
        help="write the design with the grid of the page",
    )
    add_options(parser, QuestionnaireOptions, title="the page")
    parser.set_defaults(run=run_questionnaire)


def run_questionnaire(args: argparse.Namespace) -> Answer:
    """Write the page."""
    from ppworkbench.api.fieldwork.questionnaires import QuestionnaireOptions, questionnaire

    words = "--texts and --questions both say the wording; give one of them."
    with usage_of(texts=words):
        found = questionnaire(
            args.design, args.out, texts=args.texts, questions=args.questions,
            design_out=args.design_out, **given_values(args, QuestionnaireOptions),
        )  # fmt: skip
    return answer_of(found)


def run_collect(args: argparse.Namespace) -> Answer:
    """Join collected rows into one table with its design."""
    from ppworkbench.api.fieldwork.collecting import collect

    with progress_bar() as progress:
        return answer_of(collect(args.answers, args.design, args.out, progress=progress))


def run_add(args: argparse.Namespace) -> Answer:
    """Add the answers of platform files to a study, or write them as a table."""
    from ppworkbench.api.fieldwork.collecting import add_answers

    words = "A design file holds no answers; name a study or a table with --out."
    with progress_bar() as progress, usage_of(out=words):
        found = add_answers(
            args.study, args.answers, state=args.state, platform=args.platform, mapping=args.map,
            mapping_out=args.map_out, texts=args.texts, header_row=args.header_row,
            keep=args.keep, strict=args.strict, out=args.out, progress=progress,
        )  # fmt: skip
    return answer_of(found)
