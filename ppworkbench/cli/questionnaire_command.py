"""Commands about asking: a page that randomises at the respondent, and the rows it sends."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppworkbench.cli.options import add_options, given_options
from ppworkbench.cli.output import Answer, Naming, harmless, naming, note_lines
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    OutputTable,
    Parser,
    add_command,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.message import Message
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``questionnaire`` and ``collect``."""
    summary = "write a page that randomises answers in the respondent's browser"
    subparsers.add_parser(
        "questionnaire", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )
    collect = add_command(
        subparsers, "collect", run_collect, "join the answers sent by questionnaire pages"
    )
    collect.add_argument(
        "answers",
        metavar="FILE",
        type=InputPath,
        nargs="+",
        help="JSON lines or CSV, one or more rows each",
    )
    collect.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="design of the page"
    )
    collect.add_argument(
        "--out", metavar="FILE", type=OutputTable, required=True, help="output table"
    )


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.study.questionnaire import QuestionnaireOptions

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
        "--design-out",
        metavar="FILE",
        type=OutputPath,
        help="write the design with the grid of the page",
    )
    add_options(parser, QuestionnaireOptions, title="the page")
    parser.set_defaults(run=run_questionnaire)


def run_questionnaire(args: argparse.Namespace) -> Answer:
    """Write the page."""
    from ppworkbench.core.design.design_file import read_design, write_design
    from ppworkbench.core.design.release import publishable
    from ppworkbench.study.questionnaire import (
        QuestionnaireOptions,
        read_texts,
        write_questionnaire,
    )
    from ppworkbench.study.release import undistorted

    options = given_options(args, QuestionnaireOptions)
    design = read_design(args.design)
    texts = None if args.texts is None else read_texts(args.texts)
    write_questionnaire(design, args.out, texts, options)
    if args.design_out:
        write_design(publishable(design), args.design_out)
    arms = () if design.arms is None else design.arms.names
    count = len(design.attributes) - bool(arms)
    # The page says what the number of a list gives away.
    apart = {None if design.arms is None else design.arms.column}
    apart |= {one.count for one in design.lists}
    bare = tuple(name for name in undistorted(design) if name not in apart)
    said = Message("Not randomised: {attributes}.", attributes=bare)
    notes = [said] if bare else []
    document = {
        "file": args.out,
        "questions": count,
        "arms": list(arms),
        "language": options.language,
        "post": options.post or None,
        "notes": notes,
    }
    goes = f"sends to {options.post}" if options.post else "saves a file"
    asked = f"{count} question" + ("" if count == 1 else "s")
    if arms:
        asked += f" in {len(arms)} arms"
    text = f"Wrote {harmless(args.out)}: {asked}; it {harmless(goes)}."
    return Answer(document, "\n".join([text, *note_lines(notes, _shown(design))]))


def run_collect(args: argparse.Namespace) -> Answer:
    """Join collected rows into one table with its design."""
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.data.options import WriteOptions
    from ppworkbench.core.design.design_file import design_to_json, read_design
    from ppworkbench.study.collected import read_collected

    design = read_design(args.design)
    with progress_bar() as progress:
        table = read_collected(args.answers, design, part(progress, 0, 0.8))
        said = write_table(
            table,
            args.out,
            WriteOptions(escape_formulas=True, readable_codebook=True),
            part(progress, 0.8, 1),
            design=design_to_json(design),
        )
    notes = [*table.notes, *said]
    document = {"rows": table.rows, "file": args.out, "notes": notes}
    text = f"Wrote {harmless(args.out)}: {table.rows:,} distorted rows in random order."
    return Answer(document, "\n".join([text, *note_lines(notes, _shown(design))]))


def _shown(design: Design) -> Naming:
    return naming(designed.attribute for designed in design)
