"""The files that commands read: how they are read, the answers of a survey, a pilot."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ppworkbench.cli.options import (
    GivenSampling,
    add_alias,
    add_options,
    given_options,
    given_sampling,
    refuse_reported,
)
from ppworkbench.cli.parser import InputPath, UsageError
from ppworkbench.cli.progress_bar import progress_bar
from ppworkbench.core.data.options import NO_HEADER, ReadOptions
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, part

if TYPE_CHECKING:
    from ppworkbench.core.data.parts import Parts
    from ppworkbench.core.data.table import Table
    from ppworkbench.core.design.design import Design
    from ppworkbench.core.engines import Engine
    from ppworkbench.core.survey.parted import PartedAnswers

READ_FLAGS = {"missing_codes": "missing"}


def add_read_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that reads a data file."""
    add_options(
        parser,
        ReadOptions,
        flags=READ_FLAGS,
        title="import settings",
        switches=("keep_blanks", "keep_remarks"),
    )
    # The same as --header, as spreadsheets count rows.
    add_alias(parser, ReadOptions, "header", "--header-row", metavar="N")
    add_alias(parser, ReadOptions, "header", "--no-header", const=NO_HEADER)


def read_data(path: str, args: argparse.Namespace) -> Table:
    """Read a file as the options say, showing progress."""
    from ppworkbench.core.data.files import read_table

    with progress_bar() as progress:
        return read_table(path, given_options(args, ReadOptions), progress=progress)


def add_engine_option(parser: argparse.ArgumentParser) -> None:
    """Let a folder of parts be worked on by several processes or by a cluster."""
    parser.add_argument(
        "--engine", metavar="ENGINE", type=_engine,
        help="who works on a folder of parts: local, local:N or dask://HOST:PORT (default local)",
    )  # fmt: skip


def _engine(text: str) -> Engine:
    from ppworkbench.core.engines import engine_of

    try:
        return engine_of(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def given_parts(args: argparse.Namespace, path: str) -> tuple[Parts, Engine] | None:
    """The folder of parts that a path names, and who works on it; None for a single file."""
    from ppworkbench.core.data.parts import is_parts, open_parts
    from ppworkbench.core.engines import LocalEngine

    if is_parts(path):
        return open_parts(path), args.engine or LocalEngine()
    if args.engine is not None:
        raise UsageError("--engine works on a folder of Parquet parts; give a folder.")
    return None


def read_parted(
    args: argparse.Namespace, design: Design, progress: Progress
) -> tuple[PartedAnswers, GivenSampling] | None:
    """The answers of a folder of parts, and what is said of a sampling; None for a single file."""
    from ppworkbench.core.survey.parted import PartedAnswers

    found = given_parts(args, args.distorted)
    if found is None:
        return None
    parts, engine = found
    given = unsampled(args, design, parts)
    return PartedAnswers(parts, engine, given_options(args, ReadOptions), progress), given


def unsampled(args: argparse.Namespace, design: Design, parts: Parts) -> GivenSampling:
    """What is said of a sampling that is not used; refuse options that need a single file."""
    if getattr(args, "original", None) is not None:
        raise UsageError("True answers are compared with those of a single file; drop --original.")
    given = given_sampling(args, design.sampling, parts.names)
    if given.sampling is not None or given.options is not None:
        raise UsageError(
            "How people were drawn is used of a single file only; add --no-sampling, or drop the "
            "roles."
        )
    return given


@dataclass(frozen=True, eq=False)
class SurveyFiles:
    """Distorted answers, the true ones where they are named, and the sampling."""

    table: Table
    original: Table | None
    given: GivenSampling


def read_survey(
    args: argparse.Namespace, design: Design, asked: Sequence[str], progress: Progress
) -> SurveyFiles:
    """Read the answers of a command about a survey; only what is asked for must be there.

    What the design does not know is left for the analysis to refuse.
    """
    from ppworkbench.core.data.chunks import read_columns

    reading = given_options(args, ReadOptions)
    roles = () if design.sampling is None or args.no_sampling else design.sampling.columns
    needed = design.needed(dict.fromkeys((*asked, *roles)))
    # Role columns keep the kind that the design gives them, where it knows them.
    published = [design[name].distorted for name in needed if name in design]

    def wanted(columns: Sequence[str]) -> Sequence[str]:
        given = given_sampling(args, design.sampling, columns).sampling
        roles = () if given is None else given.columns
        return [name for name in columns if name in needed or name in roles]

    table = read_columns(args.distorted, reading, published, wanted, part(progress, 0.0, 0.8))
    original = None
    if getattr(args, "original", None) is not None:
        refuse_reported(args.original)
        true = [design[name].attribute for name in asked if name in design]
        column = None if design.arms is None else design.arms.column

        def known(columns: Sequence[str]) -> Sequence[str]:
            return [one for one in columns if one in (*asked, column)]

        rest = part(progress, 0.8, 1.0)
        original = read_columns(args.original, reading, true, known, rest)
        if column is not None and column in original and not original[column].is_categorical:
            # True answers need not tell the arm; where they do, its names may look like numbers.
            told = [*true, design[column].attribute]
            original = read_columns(args.original, reading, told, known, rest)
    return SurveyFiles(table, original, given_sampling(args, design.sampling, table.names))


def add_pilot_options(parser: argparse.ArgumentParser) -> None:
    """Let a pilot or original data tell which answers are expected."""
    parser.add_argument(
        "--data",
        metavar="DATA",
        type=InputPath,
        help="answers of a pilot or original data (default: uniform)",
    )
    add_read_options(parser)
