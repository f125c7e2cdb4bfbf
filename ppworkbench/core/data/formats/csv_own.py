"""Delimited text that we wrote ourselves: the codebook beside it leaves nothing to guess."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.csv_write import separator_of
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress


def read_own_csv(path: Path, codebook: Codebook, progress: Progress) -> RawTable:
    """Read UTF-8 with commas or tabs, double quotation marks and a line of names.

    Raises a DataError when the file looks different by now, for instance because a spreadsheet
    saved it again.
    """
    from pyarrow import csv

    names = [stored.name for stored in codebook.stored]
    kinds = [attribute.kind for attribute in codebook.attributes]
    types = {
        name: pa.string() if kind.is_categorical else pa.float64()
        for name, kind in zip(names, kinds, strict=True)
    }
    texts = [value for attribute in codebook.attributes for value in attribute.values]
    progress(0.0, Message("Reading {file}", file=path.name))
    try:
        found = csv.read_csv(
            path,
            csv.ReadOptions(block_size=_block(names)),
            csv.ParseOptions(
                delimiter=separator_of(path),
                newlines_in_values=any("\n" in text or "\r" in text for text in (*texts, *names)),
                # The only cell of a record may be blank, but never the whole line.
                ignore_empty_lines=False,
            ),
            csv.ConvertOptions(
                column_types=types,
                null_values=[""],
                strings_can_be_null=True,
                # A marked blank is an answer, except where it stands for a line.
                quoted_strings_can_be_null=len(names) == 1 and "" not in texts,
            ),
        )
    except pa.ArrowException as error:
        words = " ".join(str(error).split())[:120]
        raise DataError(
            Message("the file is not as it was written ({words}).", words=words), file=path
        ) from None
    if found.column_names != names:
        raise DataError("the line of names is not as it was written.", file=path)
    progress(0.9, "Sorting out columns")
    columns = (RawColumn(name, data) for name, data in zip(names, found.columns, strict=True))
    return RawTable(tuple(columns), str(path))


def _block(names: list[str]) -> int:
    # A record must fit into a block, and some tables are very wide.
    return max(1 << 20, 64 * sum(len(name) + 8 for name in names))
