"""What a file format has to offer: a reader, perhaps a writer, and how to know its files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.data.codebook import Enclosure, Stored
from ppworkbench.core.data.options import ReadOptions, WriteOptions
from ppworkbench.core.data.raw import RawTable
from ppworkbench.core.data.table import Table
from ppworkbench.core.progress import Progress


@dataclass(frozen=True)
class Written:
    """What a writer has to tell: sentences for the user, and what the codebook must know."""

    notes: tuple[str, ...] = ()
    stored: tuple[Stored, ...] = ()


Reader = Callable[[Path, ReadOptions, Progress], RawTable]
"""Reads a file as it is; raises a DataError, or whatever the library raises, when that fails."""
Writer = Callable[[Table, Path, WriteOptions, Progress, Enclosure], Written]
"""Writes to a path that may be overwritten; formats that hold a codebook put the enclosed in."""


def _is_never(head: bytes) -> bool:  # noqa: ARG001 (no first bytes of their own)
    return False


@dataclass(frozen=True)
class Format:
    """One file format.

    Parameters
    ----------
    name
        How commands and options call it.
    label
        How people call it, for file dialogs.
    suffixes
        The usual ends of file names, in lower case with the dot, the first one preferred.
    read, write
        The functions; ``write`` is None for formats that are only read.
    matches
        Whether the first 4096 bytes of a file are of this format; never true for plain text,
        which many formats share.
    holds_codebook
        Whether the codebook goes inside the file; otherwise it lies beside it.
    holds_sets
        Whether a cell can be a set of values.
    """

    name: str
    label: str
    suffixes: tuple[str, ...]
    read: Reader
    write: Writer | None = None
    matches: Callable[[bytes], bool] = _is_never
    holds_codebook: bool = False
    holds_sets: bool = False

    @property
    def title(self) -> str:
        """What it is called where there is little room: the label without its explanation."""
        return self.label.partition(" (")[0]

    @property
    def suffix(self) -> str:
        return self.suffixes[0]

    @property
    def is_binary(self) -> bool:
        return self.matches is not _is_never
