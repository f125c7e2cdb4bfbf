"""What leaves the program, for readers and recipients: ``report``, ``bundle`` and ``gallery``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.calls import Call
from ppworkbench.cli.options import add_options
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import (
    OutputFolder,
    OutputPath,
    Parser,
    UsageError,
    add_command,
    add_file,
)
from ppworkbench.cli.scripts import add_script_option

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers

_OWN_DESIGN = {"design": "These answers have their own design; omit --design."}
_BUNDLE = Call("releases.reports", "bundle", _OWN_DESIGN)


def add_commands(subparsers: Subparsers) -> None:
    made = Call("releases.reports", "report", {**_OWN_DESIGN, "out": "", "language": ""})
    says = "write a report of a study as HTML, PDF or Word document"
    report = add_command(subparsers, "report", made, says)
    _add_study(report)
    says = "output page, PDF or Word document, e.g. report.html, report.pdf, report.docx"
    add_file(report, "--out", says, OutputPath, required=True)
    report.add_argument(
        "--date", metavar="DATE", default="", help="date of the report (default: today)"
    )
    report.add_argument(
        "--language", metavar="CODE", default="en",
        help="language of the report: en or pl (default: en)",
    )  # fmt: skip
    says = "new folder for the numbers of the report as CSV files"
    add_file(report, "--attachments", says, OutputFolder, "DIR")
    says = "write a bundle: data, design, codebook and report"
    add_command(subparsers, "bundle", run_bundle, says, _fill)
    # The exit status tells whether all that should agree do.
    compared = Call("releases.reports", "gallery", finish=lambda found: not found.is_as_expected)
    says = "recompute published surveys and compare"
    gallery = add_command(subparsers, "gallery", compared, says)
    add_file(gallery, "--out", "write the table: .csv, .json or .html", OutputPath)
    add_script_option(gallery)


def _add_study(parser: argparse.ArgumentParser) -> None:
    says = "study (.ppw), or a table with a design in its codebook"
    add_file(parser, "study", says, metavar="STUDY")
    add_file(parser, "--design", "design, if the table has none")


def _fill(parser: Parser, _words: Sequence[str]) -> None:
    from ppworkbench.api.releases.reports import BundleOptions

    _add_study(parser)
    says = "new output folder or zip file"
    add_file(parser, "--out", says, OutputFolder, "DIR|FILE.zip", required=True)
    parser.add_argument("--pdf", action="store_true", help="write the report as PDF as well")
    add_options(parser, BundleOptions, title="contents")
    add_script_option(parser)
    parser.set_defaults(declared=BundleOptions)


def run_bundle(args: argparse.Namespace) -> Answer:
    if args.seed is not None:
        raise UsageError("A bundle is a release and has no seed; omit --seed.")
    return _BUNDLE(args)
