"""What leaves the program, for readers and recipients: ``report``, ``bundle`` and ``gallery``."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from ppworkbench.cli.options import add_options, given_values, usage_of
from ppworkbench.cli.output import Answer, answer_of
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
from ppworkbench.cli.scripts import add_script_option, answer_script

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ppworkbench.cli.parser import Subparsers

SUFFIXES = (".html", ".htm", ".pdf")
_OWN_DESIGN = "These answers have their own design; omit --design."
_FAILED = 1


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``report``, ``bundle`` and ``gallery``."""
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
    gallery = add_command(
        subparsers, "gallery", run_gallery, "recompute published surveys and compare"
    )
    gallery.add_argument(
        "--out", metavar="FILE", type=OutputPath, help="write the table: .csv, .json or .html"
    )
    add_script_option(gallery)


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
    from ppworkbench.api.releases.reports import BundleOptions

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
    add_script_option(parser)
    parser.set_defaults(run=run_bundle)


def run_report(args: argparse.Namespace) -> Answer:
    """Write the report of a study."""
    from ppworkbench.api.releases.reports import report

    if Path(args.out).suffix.lower() not in SUFFIXES:
        raise UsageError(f"A report is an .html or .pdf file, not {Path(args.out).name!r}.")
    with progress_bar() as progress, usage_of(design=_OWN_DESIGN):
        found = report(
            args.study, args.out, design=args.design, date=args.date,
            attachments=args.attachments, progress=progress,
        )  # fmt: skip
    return answer_of(found)


def run_bundle(args: argparse.Namespace) -> Answer:
    """Write a bundle for a recipient."""
    from ppworkbench.api.releases.reports import BundleOptions, bundle

    if args.seed is not None:
        raise UsageError("A bundle is a release and has no seed; omit --seed.")
    asked = {
        "study": args.study, "out": args.out, "design": args.design, "pdf": args.pdf,
        **given_values(args, BundleOptions),
    }  # fmt: skip
    if args.script is not None:
        return answer_script(args, bundle, asked)
    with progress_bar() as progress, usage_of(design=_OWN_DESIGN):
        return answer_of(bundle(progress=progress, **asked))


def run_gallery(args: argparse.Namespace) -> Answer:
    """Compare all surveys; the exit status tells whether all that should agree do."""
    from ppworkbench.api.releases.reports import gallery

    if args.script is not None:
        return answer_script(args, gallery, {"out": args.out})
    with progress_bar() as progress:
        found = gallery(out=args.out, progress=progress)
    return dataclasses.replace(answer_of(found), status=0 if found.is_as_expected else _FAILED)
