"""The command ``kit``: cards, paper and forms for survey platforms, and the way back."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from ppworkbench.api.text import harmless, naming, note_lines
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    InputPath,
    OutputFolder,
    Parser,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.design import Design
    from ppworkbench.study.kit import PrintPdf
    from ppworkbench.study.questionnaire.document import Questionnaire

PRINTER = "ppworkbench.gui.kit_pdf"


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``kit``."""
    summary = "write cards, paper and forms for survey platforms"
    subparsers.add_parser("kit", help=summary, description=f"{summary.capitalize()}.", fill=_fill)


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.study.kit import target_names

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
    from ppworkbench.study.kit import KitOptions, write_kit
    from ppworkbench.study.questionnaire import QuestionnaireOptions

    design, asked = _asked(args)
    options = KitOptions(
        _listed(args.targets), _listed(args.language), QuestionnaireOptions(post=args.post)
    )
    with progress_bar() as progress:
        result = write_kit(
            design, asked, args.out, options, print_pdf=_printer(), progress=part(progress, 0, 1)
        )
    if not result.files:
        first = result.refused[0]
        raise DataError(first.why, attribute=first.attribute or None, field=first.target)
    document = {"path": args.out, **result.to_json()}
    written = [one for one in result.files if one.target]
    lines = [f"Wrote {harmless(args.out)}: {len(result.files)} files."]
    width = max(len(one.target) for one in written)
    lines += [f"  {one.target:{width}}  {harmless(one.file)}" for one in written]
    shown = naming(one.attribute for one in design)
    for refused in result.refused:
        where = f" ({harmless(refused.attribute)})" if refused.attribute else ""
        lines.append(f"Not written, {harmless(refused.target)}{where}: {harmless(refused.why)}")
    return Answer(document, "\n".join([*lines, *note_lines(result.notes, shown)]))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))


def _asked(args: argparse.Namespace) -> tuple[Design, Questionnaire]:
    """The design and the questionnaire, which may lie beside it or in the study."""
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.study.files.study_file import SUFFIX, open_study
    from ppworkbench.study.kit import asked_in
    from ppworkbench.study.questionnaire import Texts
    from ppworkbench.study.questionnaire.document import Questionnaire, read_beside, read_document
    from ppworkbench.study.questionnaire.sheet import read_questions_sheet

    path = Path(args.study)
    languages = _listed(args.language)
    main = languages[0] if languages else "en"
    study = open_study(path) if path.suffix.lower() == SUFFIX else None
    design = read_design(path) if study is None else study.design
    if args.questions is not None:
        if args.questions.lower().endswith(".json"):
            return design, read_document(args.questions)
        return design, read_questions_sheet(args.questions, main)
    if study is not None:
        return design, asked_in(study, main)
    return design, read_beside(path) or Questionnaire.of_design(design, Texts(), main)


def _printer() -> PrintPdf | None:
    """What prints; None where the libraries of the window are not installed."""
    # By name, because the command line must work where Qt is not installed.
    try:
        found: PrintPdf = importlib.import_module(PRINTER).print_kit
    except ImportError:
        return None
    return found
