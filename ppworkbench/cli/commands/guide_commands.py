"""The commands ``guide`` and ``tour``: the help as one file, and pictures of the window."""

from __future__ import annotations

import argparse
import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import OutputFolder, OutputPath, UsageError, add_command
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.errors import DataError
from ppworkbench.results.text import harmless
from ppworkbench.study.language import ENGLISH, LANGUAGES

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers

TOUR = "ppworkbench.gui.tour"
SMALLEST = (1100, 700)


def add_commands(subparsers: Subparsers) -> None:
    guide = add_command(subparsers, "guide", run_guide, "write the user guide as HTML")
    guide.add_argument(
        "--out", metavar="FILE", type=OutputPath, required=True, help="output page, e.g. guide.html"
    )
    guide.add_argument(
        "--language", choices=LANGUAGES, default=ENGLISH, help="language (default: en)"
    )
    tour = add_command(subparsers, "tour", run_tour, "take pictures of all pages, off-screen")
    tour.add_argument(
        "--out", metavar="DIR", type=OutputFolder, required=True, help="folder for the pictures"
    )
    tour.add_argument(
        "--size", type=_size, action="append", metavar="WxH",
        help="size of the window, may be repeated (default: 1366x768)",
    )  # fmt: skip
    tour.add_argument(
        "--theme", choices=("light", "dark"), action="append",
        help="colours, may be repeated (default: light)",
    )  # fmt: skip
    tour.add_argument(
        "--language", choices=LANGUAGES, action="append",
        help="language, may be repeated (default: en)",
    )  # fmt: skip


def run_guide(args: argparse.Namespace) -> Answer:
    from ppworkbench.outputs.help.guide import write_guide
    from ppworkbench.outputs.help.page import pages
    from ppworkbench.study.language import tongue_of

    if Path(args.out).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"The guide is an .html file, not {Path(args.out).name!r}.")
    tongue = tongue_of(args.language)
    write_guide(args.out, tongue)
    count = len(pages(tongue.foreign))
    document = {"file": args.out, "pages": count, "language": tongue.code}
    return Answer(document, f"Wrote {harmless(args.out)}: {count} pages.")


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{3,4})x(\d{3,4})", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"a size has the form 1366x768, not {text!r}")
    width, height = int(found.group(1)), int(found.group(2))
    if width < SMALLEST[0] or height < SMALLEST[1]:
        smallest = "x".join(map(str, SMALLEST))
        raise argparse.ArgumentTypeError(f"the window must be at least {smallest}, not {text!r}")
    return width, height


def run_tour(args: argparse.Namespace) -> Answer:
    """Take the pictures."""
    tour = _window_side()
    sizes, themes = args.size or [(1366, 768)], args.theme or ["light"]
    languages = args.language or ["en"]
    views = [
        tour.View(*size, theme, language)
        for size in sizes for theme in themes for language in languages
    ]  # fmt: skip
    with progress_bar() as progress:
        taken = tour.take_tour(Path(args.out), views, progress=progress)
    document = {"pictures": [str(path) for path in taken]}
    return Answer(document, f"Wrote {len(taken)} pictures to {harmless(args.out)}.")


def _window_side() -> Any:
    # By name, because the command line must work where Qt is not installed.
    try:
        return importlib.import_module(TOUR)
    except ImportError as error:
        raise DataError(f"The libraries of the window cannot be loaded: {error}.") from error
