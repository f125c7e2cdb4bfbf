"""File formats by name, one file each.

A file's content decides before its suffix does: a workbook that is called ``.csv`` is read as a
workbook.
"""

from __future__ import annotations

from pathlib import Path

from ppworkbench.core.data.codebook import Enclosure, Stored
from ppworkbench.core.data.delimited.reader import read_csv
from ppworkbench.core.data.delimited.writer import write_csv, written_names
from ppworkbench.core.data.formats.arff import ARFF
from ppworkbench.core.data.formats.baskets import BASKETS, read_transactions
from ppworkbench.core.data.formats.excel import EXCEL
from ppworkbench.core.data.formats.format import Format, Written
from ppworkbench.core.data.formats.json_records import JSON
from ppworkbench.core.data.formats.parquet import FEATHER, PARQUET
from ppworkbench.core.data.formats.spss import SPSS
from ppworkbench.core.data.formats.stata import STATA
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.data.restore import pack_held
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.core.registry import Registry

__all__ = [
    "CSV",
    "RELEASED",
    "Format",
    "Written",
    "formats",
    "read_transactions",
    "resolve_format",
    "writable_format",
]


def _write_csv(
    table: Table,
    path: Path,
    options: WriteOptions,
    progress: Progress,
    enclosure: Enclosure,  # noqa: ARG001 (goes into the codebook beside)
) -> Written:
    write_csv(table, path, options, progress)
    pairs = zip(written_names(table, options), table, strict=True)
    return Written(stored=tuple(Stored(name, held=pack_held(column)) for name, column in pairs))


CSV = Format("csv", "CSV", (".csv", ".tsv", ".tab", ".txt"), read_csv, _write_csv, holds_sets=True)

formats: Registry[Format] = Registry("format")
for _format in (CSV, EXCEL, SPSS, STATA, PARQUET, FEATHER, ARFF, JSON, BASKETS):
    formats.register(_format.name, _format.label)(_format)


RELEASED = (CSV, EXCEL, PARQUET, SPSS, STATA, ARFF)
"""The formats that are offered for a table that is given away, in this order."""


def resolve_format(path: Path, head: bytes, asked: str | None) -> tuple[Format, tuple[str, ...]]:
    """The format of a file by its first bytes and its name, and a sentence if they differ."""
    if asked is not None:
        return formats[asked], ()
    named = _by_suffix(path)
    told = next((entry.item for entry in formats if entry.item.matches(head)), None)
    if told is not None:
        if path.suffix.lower() in told.suffixes:
            return told, ()
        return told, (
            Message(
                "{file} was read as {label}, its actual format.",
                file=path.name,
                label=told.label,
            ),
        )
    if named is None:
        return _text_format(head), ()
    if named.is_binary:
        raise DataError.saying(
            "{file} is not in the format {label}; rename it to its real format, or "
            "export it again.",
            label=named.label,
            file=path,
        )
    return named, ()


def writable_format(path: Path) -> Format:
    found = _by_suffix(path)
    if found is not None and found.write is not None:
        return found
    known = [entry.item.suffixes[0] for entry in formats if entry.item.write is not None]
    raise DataError.saying(
        "{file} cannot be written; choose a name that ends in {known}.",
        known=", ".join(known),
        file=path,
    )


def _by_suffix(path: Path) -> Format | None:
    suffix = path.suffix.lower()
    return next((entry.item for entry in formats if suffix in entry.item.suffixes), None)


def _text_format(head: bytes) -> Format:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:9].lower() == b"@relation":
        return ARFF
    return JSON if start[:1] in (b"[", b"{") else CSV
