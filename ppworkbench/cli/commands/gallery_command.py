"""The command ``gallery``: published surveys, recomputed from their counts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppworkbench.api.text import aligned, harmless
from ppworkbench.cli.output import Answer
from ppworkbench.cli.parser import OutputPath, add_command
from ppworkbench.cli.progress_bar import progress_bar

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.study.gallery.compare import Comparison

_FAILED = 1


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``gallery``."""
    parser = add_command(
        subparsers, "gallery", run_gallery, "recompute published surveys and compare"
    )
    parser.add_argument(
        "--out", metavar="FILE", type=OutputPath, help="write the table: .csv, .json or .html"
    )


def run_gallery(args: argparse.Namespace) -> Answer:
    """Compare all surveys; the exit status tells whether all that should agree do."""
    from ppworkbench.study.gallery.compare import compare_gallery
    from ppworkbench.study.gallery.surveys import read_gallery
    from ppworkbench.study.gallery.tables import check_ending, gallery_to_json, write_gallery

    if args.out:
        # Nobody waits for a table that cannot be written.
        check_ending(args.out)
    with progress_bar() as progress:
        found = compare_gallery(read_gallery(), progress)
    document = gallery_to_json(found)
    heads = ["survey", "source", "SE", "ours", "our SE", "outcome"]
    rows = [_row(one) for one in found.comparisons]
    parts = [aligned(heads, rows, right=heads[1:5]), f"{found.sentence}."]
    if args.out:
        write_gallery(found, args.out)
        document["file"] = args.out
        parts.append(f"Wrote {harmless(args.out)}.")
    return Answer(document, "\n\n".join(parts), 0 if found.is_as_expected else _FAILED)


def _row(one: Comparison) -> list[str]:
    from ppworkbench.study.gallery.tables import estimate_text, number_text

    survey, decimals = one.survey, one.survey.published.decimals
    cells = [survey.title]
    for figure in (survey.published, one.ours):
        if figure is None:
            cells += ["-", "-"]
            continue
        error = figure.standard_error
        cells += [
            str(estimate_text(one, figure)),
            "-" if error is None else str(number_text(error, decimals)),
        ]
    return [*cells, str(one.verdict)]
