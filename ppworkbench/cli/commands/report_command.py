"""The commands ``report`` and ``bundle``: what leaves the program, for readers and recipients."""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.api.text import harmless, note_lines
from ppworkbench.cli.options import add_options, given_options
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    InputPath,
    OutputFolder,
    OutputPath,
    Parser,
    UsageError,
    add_command,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.study.report import Report
    from ppworkbench.study.study import Study

PRINTER = "ppworkbench.gui.report_pdf"
SUFFIXES = (".html", ".htm", ".pdf")


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``report`` and ``bundle``."""
    report = add_command(
        subparsers, "report", run_report, "write a report of a study as HTML or PDF"
    )
    _add_study(report)
    report.add_argument(
        "--out",
        metavar="FILE",
        type=OutputPath,
        required=True,
        help="output page or PDF, e.g. report.html, report.pdf",
    )
    report.add_argument(
        "--date", metavar="DATE", default="", help="date of the report (default: today)"
    )
    report.add_argument(
        "--attachments",
        metavar="DIR",
        type=OutputFolder,
        help="new folder for the numbers of the report as CSV files",
    )
    summary = "write a bundle: data, design, codebook and report"
    subparsers.add_parser(
        "bundle", help=summary, description=f"{summary.capitalize()}.", fill=_fill
    )


def _add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "study",
        metavar="STUDY",
        type=InputPath,
        help="study (.ppw), or a table with a design in its codebook",
    )
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath, help="design, if the table has none"
    )


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.study.bundle import BundleOptions

    add_shared_options(parser)
    _add_study(parser)
    parser.add_argument(
        "--out",
        metavar="DIR|FILE.zip",
        type=OutputFolder,
        required=True,
        help="new output folder or zip file",
    )
    parser.add_argument("--pdf", action="store_true", help="write the report as PDF as well")
    add_options(parser, BundleOptions, title="contents")
    parser.set_defaults(run=run_bundle)


def run_report(args: argparse.Namespace) -> Answer:
    """Write the report of a study."""
    from ppworkbench.study.report import ReportOptions, build_report, write_report
    from ppworkbench.study.state import invented_note

    out = Path(args.out)
    if out.suffix.lower() not in SUFFIXES:
        raise UsageError(f"A report is an .html or .pdf file, not {out.name!r}.")
    # Found out before the work is done, not after it.
    printer = find_printer() if out.suffix.lower() == ".pdf" else None
    with progress_bar() as progress:
        study = _study(args, part(progress, 0, 0.3))
        report = build_report(study, ReportOptions(args.date), progress=part(progress, 0.3, 0.9))
        if printer is None:
            write_report(report, out)
        else:
            printer.print_report(report, out)
        attached = _write_attachments(report, args.attachments)
    has_truth = study.original is not None
    document: dict[str, Any] = {
        "file": args.out,
        "attributes": len(study.design.names),
        "seed": has_truth,
        "state": str(study.state),
    }
    if args.attachments:
        document["attachments"] = attached
    text = f"Wrote {harmless(args.out)}."
    note = invented_note(study)
    if note is not None:
        text += f"\n{note}"
    elif has_truth:
        text += "\nNote: it contains true distributions and the seed; do not release it."
    return Answer(document, text)


def _write_attachments(report: Report, target: str | None) -> list[str]:
    """Write the tables of a report into a new folder, and return their names."""
    if target is None:
        return []
    from ppworkbench.study.bundle_target import new_folder
    from ppworkbench.study.report import write_attachments

    with new_folder(Path(target)) as folder:
        return write_attachments(report, folder)


def run_bundle(args: argparse.Namespace) -> Answer:
    """Write a bundle for a recipient."""
    from ppworkbench.study.bundle import BundleOptions, write_bundle
    from ppworkbench.study.state import why_not_released

    if args.seed is not None:
        raise UsageError("A bundle is a release and has no seed; omit --seed.")
    options = given_options(args, BundleOptions)
    print_pdf = find_printer().print_report if args.pdf else None
    with progress_bar() as progress:
        study = _study(args, part(progress, 0, 0.3))
        bundle = write_bundle(
            study, args.out, options, print_pdf=print_pdf, progress=part(progress, 0.3, 1)
        )
    document = {
        "path": args.out,
        "rows": bundle.rows,
        "state": str(study.state),
        "files": [file.name for file in bundle.files],
        "checklist": [
            {"good": p.good, "sentence": p.sentence, "detail": p.detail} for p in bundle.points
        ],
        "notes": list(bundle.notes),
    }
    told = "no table" if why_not_released(study) is not None else f"{bundle.rows:,} rows"
    lines = [f"Wrote {harmless(args.out)}: {told}.", ""]
    lines += [harmless(point.titled(study).line()) for point in bundle.points]
    lines += note_lines(bundle.notes, study.shown)
    return Answer(document, "\n".join(lines))


def _study(args: argparse.Namespace, progress: Progress) -> Study:
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.study.files.opening import is_collected, open_anything

    paths = [Path(args.study)]
    if args.design is not None and is_collected(paths[0]):
        # A page has distorted them already.
        return open_anything([*paths, Path(args.design)], progress=progress)
    study = open_anything(paths, progress=progress)
    if args.design is None:
        return study
    if study.distorted is not None:
        raise UsageError("These answers have their own design; omit --design.")
    return study.with_(design=read_design(args.design))


def find_printer(instead: str = "report.html") -> Any:
    """What prints a PDF; an error says what to write instead where Qt is not installed."""
    # By name, because the command line must work where Qt is not installed.
    try:
        return importlib.import_module(PRINTER)
    except ImportError as error:
        raise DataError(
            f"A PDF needs the libraries of the window, which cannot be loaded: {error}. Write "
            f"{instead} instead."
        ) from error
