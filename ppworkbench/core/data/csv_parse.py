"""Delimited text into Arrow columns: numbers straight away where that loses nothing.

Arrow's parser is fast but trusting. A quoted field with a line end may be cut at the border of
two blocks, a quotation mark that is never closed swallows the rest of the file, and ``007``
becomes 7. Each of these is looked for, and then the file is read in the safer, slower way.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.charset import Charset
from ppworkbench.core.data.csv_faults import find_fault
from ppworkbench.core.data.csv_source import ByteWatch, Utf8Source, undecodable
from ppworkbench.core.data.sniff import Dialect
from ppworkbench.core.data.typical_codes import FAST_NULLS
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

TEXT = pa.dictionary(pa.int32(), pa.string())
_BLOCK = 1 << 20
_LARGEST_BLOCK = 2**31 - 1


class NotUtf8(Exception):  # noqa: N818 (the caller's turn to look for the encoding)
    """Text was taken for UTF-8 by its beginning, but is something else farther on."""


class NotNumbers(Exception):  # noqa: N818 (the caller's turn to read text)
    """A cell does not fit the type of its column."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


@dataclass(frozen=True)
class Layout:
    """How Arrow is to parse a file."""

    path: Path
    dialect: Dialect
    types: Mapping[str, pa.DataType]
    decimal: str = "."
    newlines: bool = False
    block: int = _BLOCK
    only: tuple[str, ...] = ()
    check_utf8: bool = True

    def options(self) -> dict[str, Any]:
        """The keyword arguments of Arrow's readers."""
        from pyarrow import csv

        names = list(self.dialect.names)
        return {
            "read_options": csv.ReadOptions(
                column_names=names,
                skip_rows=self.dialect.skip,
                skip_rows_after_names=int(self.dialect.has_header),
                block_size=self.block,
            ),
            "parse_options": csv.ParseOptions(
                delimiter=self.dialect.delimiter,
                quote_char=self.dialect.quote,
                newlines_in_values=self.newlines,
                # An empty line is a missing answer in a single column, else nothing.
                ignore_empty_lines=len(names) > 1,
            ),
            "convert_options": csv.ConvertOptions(
                column_types=self.types,
                decimal_point=self.decimal,
                null_values=list(FAST_NULLS),
                strings_can_be_null=False,
                include_columns=list(self.only) or None,
                check_utf8=self.check_utf8,
            ),
        }


def parse(
    layout: Layout, progress: Progress = silent, watch: ByteWatch | None = None
) -> tuple[pa.Table, Layout]:
    """Parse the file; returns the layout that worked, for parsing parts of it again.

    Raises
    ------
    DataError
        With the line, when the file is not regular.
    NotNumbers
        When a cell does not fit its column's type.
    NotUtf8
        When bytes are not UTF-8.
    """
    while True:
        if watch is not None:
            watch.reset()
        try:
            table = _parse_once(layout, progress, watch)
        except pa.ArrowInvalid as error:
            layout = after_fault(layout, str(error), progress)
            continue
        if not layout.newlines and _has_marks(table, layout.dialect.quote):
            # Quoted fields with line ends or marks: only the careful way never cuts them.
            layout = dataclasses.replace(layout, newlines=True)
            continue
        return table, layout


def after_fault(layout: Layout, message: str, progress: Progress = silent) -> Layout:
    """A layout that may do better after Arrow failed, or the error that says why not."""
    path, dialect = layout.path, layout.dialect
    if "straddling" in message and layout.block < _LARGEST_BLOCK:
        return dataclasses.replace(layout, block=min(layout.block * 8, _LARGEST_BLOCK))
    if "UTF8" in message:
        raise NotUtf8
    column = re.search(r"In CSV column #(\d+)", message)
    if column is not None:
        names = layout.only or dialect.names
        raise NotNumbers(names[int(column[1])])
    if not layout.newlines:
        return dataclasses.replace(layout, newlines=True)
    fault = find_fault(path, dialect, progress)
    words = " ".join(message.split())[:160]
    raise fault or DataError(
        Message("{file} cannot be read as delimited text: {words}.", file=path.name, words=words),
        file=path,
    )


def check_quotes(layout: Layout, watch: ByteWatch, progress: Progress = silent) -> None:
    """Refuse a file whose last quotation mark stays open; Arrow would swallow the rest."""
    if watch.quotes % 2 == 0:
        return
    fault = find_fault(layout.path, layout.dialect, progress)
    if fault is not None and "never closed" in fault.message:
        raise fault


def bad_utf8(path: Path, charset: Charset) -> DataError:
    """The error that says where a file stops being UTF-8."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")()
    position = charset.bom
    with path.open("rb") as file:
        file.seek(position)
        while block := file.read(_BLOCK):
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                return undecodable(path, charset, position - pending + error.start)
            position += len(block)
    return undecodable(path, charset, position)


def _parse_once(layout: Layout, progress: Progress, watch: ByteWatch | None) -> pa.Table:
    from pyarrow import csv

    # Different texts are checked once they are together, instead of every cell on its own.
    options = dataclasses.replace(layout, check_utf8=False).options()
    with Utf8Source(layout.path, layout.dialect.charset, progress, watch) as source:
        table = csv.read_csv(source, **options).unify_dictionaries()
    for column in table.columns:
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            column.chunk(0).dictionary.validate(full=True)
    return table


def _has_marks(table: pa.Table, quote: str) -> bool:
    """Whether a text holds a quotation mark or a line end."""
    pattern = rf"[\r\n{re.escape(quote)}]"
    for column in table.columns:
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            words = column.chunk(0).dictionary
            if pc.any(pc.match_substring_regex(words, pattern)).as_py():
                return True
    return False
