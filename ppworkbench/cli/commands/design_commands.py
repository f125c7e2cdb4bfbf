"""Commands about designs: what they protect and cost, and distorting files with them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.api.text import REPORTED, aligned, harmless, naming, note_lines
from ppworkbench.cli.input_files import add_engine_option, add_read_options, given_parts
from ppworkbench.cli.options import (
    RESPONDENTS,
    add_noncompliance_options,
    given_options,
    noncompliance_given,
    priors_given,
    unweighted_priors,
)
from ppworkbench.cli.output import Answer, with_notes, write_warnings
from ppworkbench.cli.parser import (
    InputPath,
    OutputTables,
    Parser,
    UsageError,
    add_command,
    add_shared_options,
)
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import ReadOptions

if TYPE_CHECKING:
    from ppworkbench.cli.parser import Subparsers
    from ppworkbench.core.data.parts import Parts
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.design.release import Release, ReleaseOptions
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.privacy.report import AttributeReport, QuestionnaireReport
    from ppworkbench.core.progress import Progress


def add_commands(subparsers: Subparsers) -> None:
    """Declare ``measure`` and ``distort``."""
    subparsers.add_parser(
        "measure",
        help="measure privacy and accuracy",
        description="Measure privacy and accuracy.",
        fill=_fill_measure,
    )
    distort = add_command(subparsers, "distort", run_distort, "write a distorted copy of a file")
    distort.add_argument(
        "data",
        metavar="DATA",
        type=InputPath,
        help="file with the true answers, or folder of Parquet parts",
    )
    distort.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="randomisation"
    )
    distort.add_argument(
        "--out",
        metavar="FILE",
        type=OutputTables,
        required=True,
        help="output file; of a folder of parts a new folder",
    )
    distort.add_argument(
        "--shuffle", action=argparse.BooleanOptionalAction,
        help="shuffle the rows (default: yes for a release, no with --seed)",
    )  # fmt: skip
    distort.add_argument(
        "--escape-formulas", action=argparse.BooleanOptionalAction, default=True,
        help="escape cells that a spreadsheet would execute (default: yes)",
    )  # fmt: skip
    add_engine_option(distort)
    add_read_options(distort)


def _fill_measure(measure: Parser, words: Sequence[str]) -> None:  # noqa: ARG001
    measure.set_defaults(run=run_measure)
    add_shared_options(measure)
    measure.add_argument(
        "--design", metavar="FILE", type=InputPath, required=True, help="design to measure"
    )
    measure.add_argument(
        "--data",
        metavar="DATA",
        type=InputPath,
        help="original answers; an attacker knows their distribution",
    )
    measure.add_argument(
        "--n", type=_respondents, metavar="N",
        help=f"number of respondents (default: rows of the data, else {RESPONDENTS:,})",
    )  # fmt: skip
    add_noncompliance_options(measure.add_argument)
    add_read_options(measure)


def _respondents(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(
            f"the number of respondents must be at least 1, not {text!r}"
        )
    return int(text)


def run_measure(args: argparse.Namespace) -> Answer:
    """All privacy and utility readouts per attribute."""
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.core.privacy.assess import assess, assess_arms

    design = read_design(args.design)
    priors, rows = priors_given(design, args)
    n = args.n or rows or RESPONDENTS
    ignoring = noncompliance_given(args, design)
    if design.arms is None:
        report = assess(design, priors, n, ignoring)
        told = Answer(report.to_json(), _report_text(report))
    else:
        by_arm = assess_arms(design, priors, n, ignoring)
        parts = [f"Arm {harmless(arm)}\n\n{_report_text(one)}" for arm, one in by_arm.arms.items()]
        shown = naming(one.attribute for one in design)
        parts += [harmless(by_arm.sentence), *note_lines(by_arm.warnings, shown, "Warning")]
        told = Answer(by_arm.to_json(), "\n\n".join(parts))
    return with_notes(told, unweighted_priors(design, args))


def _report_text(report: QuestionnaireReport) -> str:
    parts = [_attribute_text(one) for one in report.attributes]
    whole = [[reading.label, reading.text, reading.sentence] for reading in report.readings]
    parts.append("Whole questionnaire\n" + aligned(["measure", "value", "interpretation"], whole))
    return "\n\n".join(parts)


def _attribute_text(report: AttributeReport) -> str:
    lines = [f"{harmless(report.attribute.heading)}: {report.perturbation.summary()}"]
    rows = [[r.label, r.text, r.sentence] for r in (*report.privacy, *report.utility.readings)]
    lines.append(aligned(["measure", "value", "interpretation"], rows))
    lines += note_lines(report.warnings, naming([report.attribute]), "Warning")
    return "\n".join(lines)


def _release_parts(
    parted: tuple[Parts, Engine],
    design: Design,
    out: OutputTables,
    options: ReleaseOptions,
    reading: ReadOptions,
    progress: Progress,
) -> Release:
    from ppworkbench.core.design.release_parts import release_parts

    if not out.is_folder:
        raise UsageError("Parts are distorted into a folder; give one with --out.")
    parts, engine = parted
    return release_parts(parts, design, out, engine, options, reading, progress)


def run_distort(args: argparse.Namespace) -> Answer:
    """Write a distorted copy of a file."""
    from ppworkbench.api.inputs import refuse_reported
    from ppworkbench.core.design.design_file import read_design
    from ppworkbench.core.design.release import BOUNDS_OF_DATA, ReleaseOptions, release_file

    shuffle = args.seed is None if args.shuffle is None else args.shuffle
    options = ReleaseOptions(seed=args.seed, shuffle=shuffle, escape_formulas=args.escape_formulas)
    design = read_design(args.design)
    refuse_reported(args.data)
    reading = given_options(args, ReadOptions)
    parted = given_parts(args, args.data)
    with progress_bar() as progress:
        if parted is None:
            release = release_file(args.data, design, args.out, options, reading, progress)
        else:
            release = _release_parts(parted, design, args.out, options, reading, progress)
    document = {
        "rows": release.rows,
        "file": args.out,
        "secure": release.secure,
        "shuffled": shuffle,
        "state": REPORTED,
        "notes": list(release.notes),
    }
    source = "secure randomness" if release.secure else "the seed"
    text = f"Wrote {harmless(args.out)}: {release.rows:,} distorted rows, drawn from {source}."
    shown = naming(designed.attribute for designed in design)
    warned = [note for note in release.notes if getattr(note, "code", "") == BOUNDS_OF_DATA]
    write_warnings(warned, shown)
    told = [note for note in release.notes if note not in warned]
    return Answer(document, "\n".join([text, *note_lines(told, shown)]))
