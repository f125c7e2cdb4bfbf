"""The design of distorted answers: the one that is named, or the one that came with them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ppworkbench.cli.parser import InputPath
from ppworkbench.core.errors import DesignError

if TYPE_CHECKING:
    from ppworkbench.core.design.design import Design


def add_design_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--design`` to a command whose answers may carry their design along."""
    parser.add_argument(
        "--design", metavar="FILE", type=InputPath,
        help="design it was distorted with (default: the one in its codebook)",
    )  # fmt: skip


def design_of(path: str, named: str | None) -> Design:
    """Read the design that was named, else the one in the codebook of the answers."""
    from ppworkbench.core.data.files import codebook_of
    from ppworkbench.core.design.design_file import design_from_json, read_design

    if named is not None:
        return read_design(named)
    codebook = codebook_of(path)
    if codebook is None or codebook.design is None:
        raise DesignError(
            f"{path} has no codebook with a design; name the design with --design.", file=path
        )
    return design_from_json(codebook.design)
