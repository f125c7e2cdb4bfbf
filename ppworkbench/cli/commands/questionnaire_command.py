"""Commands about asking: a page that randomises at the respondent, and the rows it sends."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppworkbench.api.text import REPORTED, Naming, harmless, naming, note_lines
from ppworkbench.cli.options import add_options, given_options
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    InputPath,
    OutputPath,
    OutputTable,
    Parser,
    UpdatedPath,
    UsageError,
    add_command,
    add_command_group,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design
    from ppworkbench.study.questionnaire.document import Questionnaire
    from ppworkbench.study.responses import Responses


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


def _questions(path: str, language: str) -> Questionnaire:
    """A questionnaire from its file or a spreadsheet."""
    from ppworkbench.study.questionnaire.document import read_document
    from ppworkbench.study.questionnaire.sheet import read_questions_sheet

    if path.lower().endswith(".json"):
        return read_document(path)
    return read_questions_sheet(path, language)


def run_questions_check(args: argparse.Namespace) -> Answer:
    """Say what is wrong with a questionnaire and what is not translated."""
    asked = _questions(args.questions, args.language)
    problems, gaps = asked.problems(), {code: asked.gaps(code) for code in asked.languages}
    document = {
        "questions": len(asked.questions),
        "languages": {
            code: [f"{name}: {what}" if name else what for name, what in found]
            for code, found in gaps.items()
        },
        "problems": [{"question": one.question, "why": one.why} for one in problems],
    }
    lines = [f"{harmless(args.questions)}: {_counted(len(asked.questions))}."]
    lines += [f"  {harmless(one.question or 'all')}: {harmless(one.why)}" for one in problems]
    for code, found in gaps.items():
        names = list(dict.fromkeys(name or what for name, what in found))
        said = f"{len(found)} gaps ({', '.join(map(harmless, names[:8]))})" if found else "no gaps"
        lines.append(f"  {code}: {said}")
    if not problems:
        lines.append("No faults.")
    return Answer(document, "\n".join(lines))


def run_questions_convert(args: argparse.Namespace) -> Answer:
    """Write a questionnaire as a document, or as a spreadsheet."""
    from ppworkbench.study.questionnaire.document import write_document
    from ppworkbench.study.questionnaire.sheet import write_questions_sheet

    if not args.out.lower().endswith((".json", ".csv")):
        raise DataError.saying(
            "{file} cannot be written; choose a name that ends in {known}.",
            file=args.out,
            known=".json, .csv",
        )
    asked = _questions(args.questions, args.language)
    problems = asked.problems()
    if problems:
        where = f"{problems[0].question}: " if problems[0].question else ""
        raise DataError.saying(
            "{file}: {why}", file=args.questions, why=f"{where}{problems[0].why}"
        )
    write = write_document if args.out.lower().endswith(".json") else write_questions_sheet
    write(asked, args.out)
    document = {
        "file": args.out,
        "questions": len(asked.questions),
        "languages": list(asked.languages),
    }
    return Answer(document, f"Wrote {harmless(args.out)}: {_counted(len(asked.questions))}.")


def _fill_add(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.study.responses import platforms

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
    from ppworkbench.core.design.design_file import publishable, read_design, write_design
    from ppworkbench.study.questionnaire import (
        QuestionnaireOptions,
        missing_words,
        read_texts,
        write_questionnaire,
    )
    from ppworkbench.study.release import undistorted

    options = given_options(args, QuestionnaireOptions)
    design = read_design(args.design)
    if args.texts and args.questions:
        raise UsageError("--texts and --questions both say the wording; give one of them.")
    asked = _questions(args.questions, options.languages[0]) if args.questions else None
    texts = asked if args.texts is None else read_texts(args.texts)
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
    lacking = missing_words(options.languages)
    notes += [] if lacking is None else [lacking]
    document = {
        "file": args.out,
        "questions": count,
        "arms": list(arms),
        "language": options.languages[0],
        "languages": list(options.languages),
        "post": options.post or None,
        "notes": notes,
    }
    goes = f"sends to {options.post}" if options.post else "saves a file"
    counted = _counted(count)
    if arms:
        counted += f" in {len(arms)} arms"
    text = f"Wrote {harmless(args.out)}: {counted}; it {harmless(goes)}."
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


def run_add(args: argparse.Namespace) -> Answer:
    """Add the answers of platform files to a study, or write them as a table."""
    from pathlib import Path

    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.data.options import WriteOptions
    from ppworkbench.core.design.design_file import design_to_json, publishable, read_design
    from ppworkbench.study.files.study_file import SUFFIX, open_study, save_study
    from ppworkbench.study.questionnaire import read_texts
    from ppworkbench.study.questionnaire.document import read_beside
    from ppworkbench.study.responses import (
        AddOptions,
        add_to_study,
        find_kit,
        known_responses,
        questions_of,
        read_mapping_or_kit,
        read_responses,
        write_mapping,
    )
    from ppworkbench.study.study import Study

    path = Path(args.study)
    study = open_study(path) if path.suffix.lower() == SUFFIX else None
    if study is None and args.out is None:
        raise UsageError("A design file holds no answers; name a study or a table with --out.")
    beside = read_beside(path) if study is None else None
    if study is None and args.out.lower().endswith(SUFFIX):
        study = Study(path.stem, design=read_design(path), questionnaire=beside)
    design = read_design(path) if study is None else study.design
    if args.state == "reported":
        design = publishable(design)
    salt, known = (b"", frozenset[str]()) if study is None else known_responses(study)
    texts = None if args.texts is None else read_texts(args.texts)
    wording = {} if study is None else {a.name: a.label for a in study.attributes}
    files = [one if "://" in one else Path(one) for one in args.answers]
    local = [one for one in files if isinstance(one, Path)]
    kit = find_kit(local, design) if args.state == "reported" else None
    options = AddOptions(
        args.state,
        args.platform,
        args.header_row,
        kit if args.map is None else read_mapping_or_kit(args.map),
        salt,
        known,
    )
    asked = questions_of(
        design,
        wording if texts is None else texts.questions,
        {} if texts is None else texts.answers,
        beside if study is None else study.questionnaire,
    )
    with progress_bar() as progress:
        found = read_responses(files, design, asked, options, part(progress, 0, 0.8))
        if found.unfit and args.strict:
            name, cell, rows = found.unfit[0]
            raise DataError.saying(
                "{rows} row(s) answer {attribute!r} with {cell!r}, which is not in the design.",
                rows=rows,
                cell=cell[:60],
                attribute=name,
            )
        if found.refused and args.strict:
            raise DataError(found.refused[0])
        notes: list[str] = list(found.notes)
        if study is None:
            notes += write_table(
                found.table,
                args.out,
                WriteOptions(escape_formulas=True, readable_codebook=True),
                part(progress, 0.8, 1),
                design=design_to_json(design) if args.state == "reported" else None,
            )
        else:
            target = path if args.out is None else Path(args.out)
            save_study(add_to_study(study, found, salt), target)
    if args.map_out:
        write_mapping(found.mapping, args.map_out)
    document = {**found.to_json(), "notes": notes}
    return Answer(document, "\n".join([*_added(found), *note_lines(notes, _shown(design))]))


def _added(found: Responses) -> list[str]:
    """What was added and what was left out, a line each."""
    from ppworkbench.study.responses import platform_label

    source = f"{platform_label(found.platform)} ({found.why}), names in line {found.header_row}"
    lines = [f"Added {found.table.rows:,} {found.state} answers from {source}."]
    width = max(map(len, found.mapping.columns), default=0)
    lines += [
        f"  {harmless(name):{width}}  {harmless(one.column)} ({one.read})"
        for name, one in found.mapping.columns.items()
    ]
    left_out = {
        "preview": found.preview,
        "unfinished": found.unfinished,
        "remark": found.remarks,
        "known already": found.known,
    }
    lines += [f"Left out, {why}: {count:,} row(s)." for why, count in left_out.items() if count]
    lines += [
        f"Left out, {harmless(repr(cell[:60]))} is no answer to {harmless(name)}: {rows:,} row(s)."
        for name, cell, rows in found.unfit
    ]
    if found.columns_out:
        lines.append(f"Left out, columns: {harmless(', '.join(found.columns_out))}.")
    return lines


def _counted(count: int) -> str:
    return f"{count:,} question" + ("" if count == 1 else "s")


def _shown(design: Design) -> Naming:
    return naming(designed.attribute for designed in design)
