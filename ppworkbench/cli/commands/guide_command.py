"""The command ``guide``: the texts of the help as one file to read in a browser or on paper."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ppworkbench.api.text import harmless
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import OutputPath, UsageError, add_command
from ppworkbench.study.language import ENGLISH, LANGUAGES

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``guide``."""
    guide = add_command(subparsers, "guide", run_guide, "write the user guide as HTML")
    guide.add_argument(
        "--out", metavar="FILE", type=OutputPath, required=True, help="output page, e.g. guide.html"
    )
    guide.add_argument(
        "--language", choices=LANGUAGES, default=ENGLISH, help="language (default: en)"
    )


def run_guide(args: argparse.Namespace) -> Answer:
    """Write the user guide."""
    from ppworkbench.study.help import pages
    from ppworkbench.study.help.guide import write_guide
    from ppworkbench.study.language import tongue_of

    if Path(args.out).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"The guide is an .html file, not {Path(args.out).name!r}.")
    tongue = tongue_of(args.language)
    write_guide(args.out, tongue)
    count = len(pages(tongue.foreign))
    document = {"file": args.out, "pages": count, "language": tongue.code}
    return Answer(document, f"Wrote {harmless(args.out)}: {count} pages.")
