"""The files that commands read: how they are read, the answers of a survey, a pilot."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ppworkbench.cli.options import add_alias, add_options, given_options
from ppworkbench.cli.parser import add_file
from ppworkbench.core.data.options import NO_HEADER, ReadOptions
from ppworkbench.core.errors import ParameterError
from ppworkbench.results.text import TRUE

if TYPE_CHECKING:
    from ppworkbench.core.engines import Engine

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


def add_engine_option(parser: argparse.ArgumentParser) -> None:
    """Let a folder of parts be worked on by several processes or by a cluster."""
    parser.add_argument(
        "--engine",
        metavar="ENGINE",
        type=_engine,
        help="where to compute on parts: local, local:N or dask://HOST:PORT (default local)",
    )


def _engine(text: str) -> Engine:
    from ppworkbench.core.engines import engine_of

    try:
        return engine_of(text)
    except ParameterError as error:
        raise argparse.ArgumentTypeError(error.message) from None


def columns_for_replicates(args: argparse.Namespace) -> Sequence[str]:
    """The columns among which a pattern of replicates chooses; a file is opened for them alone."""
    if getattr(args, "replicates", None) is None:
        return ()
    from ppworkbench.core.data.chunks import read_chunks
    from ppworkbench.core.data.parts import is_parts, open_parts

    if is_parts(args.distorted):
        return open_parts(args.distorted).names
    return next(read_chunks(args.distorted, given_options(args, ReadOptions), ())).names


def add_pilot_options(parser: argparse.ArgumentParser) -> None:
    """Let a pilot or original data tell which answers are expected."""
    says = "answers of a pilot or original data (default: uniform)"
    add_file(parser, "--data", says, metavar="DATA")
    parser.set_defaults(pilot_state=TRUE)
    add_read_options(parser)
