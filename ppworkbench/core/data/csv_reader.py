"""Reads separated text.

Delimited text into Arrow columns: numbers straight away where that loses nothing.

Arrow's parser is fast but trusting. A quoted field with a line end may be cut at the border of
two blocks, a quotation mark that is never closed swallows the rest of the file, and ``007``
becomes 7. Each of these is looked for, and then the file is read in the safer, slower way.

Columns that Arrow parsed as numbers although that may have lost something.

Arrow reads ``007`` as 7. The bytes of the file were watched for fields that begin like that;
when all of them are found again in columns of text, no column of numbers had one.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.charset import Charset, detect_charset, stray_byte
from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.csv_dialect import (
    WHOLE_UP_TO,
    Dialect,
    Sample,
    decimal_mark,
    sniff,
    spoken,
    take_sample,
)
from ppworkbench.core.data.csv_text import ByteWatch, Utf8Source, undecodable
from ppworkbench.core.data.csv_writer import separator_of
from ppworkbench.core.data.missing import FAST_NULLS
from ppworkbench.core.data.numerals import (
    NumberFormat,
    ParsedColumn,
    TextColumn,
    is_number_type,
    plain_kind,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.plans import NumberSummary, TextSummary, loses_something
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent

_LONGEST_FIELD = 2**31 - 1


def find_csv_error(path: Path, dialect: Dialect, progress: Progress = silent) -> DataError | None:
    """The first line with too few or too many fields, or whose quotation mark stays open.

    Lines are counted as an editor shows them, also inside quoted fields. Slow, but only used
    when a file cannot be read.
    """
    expected = len(dialect.names)
    begin = 1
    # The limit is the whole process's; a field of 200 kB is legal here.
    csv.field_size_limit(_LONGEST_FIELD)
    with Utf8Source(path, dialect.charset, progress) as source:
        lines = io.TextIOWrapper(io.BufferedReader(source), encoding="utf-8", newline="")
        for _ in range(dialect.skip):
            lines.readline()
        reader = csv.reader(
            lines, delimiter=dialect.delimiter, quotechar=dialect.quote, strict=True
        )
        try:
            for fields in reader:
                if fields and len(fields) != expected:
                    return _ragged(path, begin + dialect.skip, len(fields), expected)
                begin = reader.line_num + 1
        except csv.Error as error:
            return _unreadable(path, begin + dialect.skip, str(error))
        except UnicodeDecodeError:
            return None
    return None


def _ragged(path: Path, line: int, found: int, expected: int) -> DataError:
    what = Message(
        "{found} fields found where {expected} are expected", found=found, expected=expected
    )
    if found == 1:
        what = Message("1 field found where {expected} are expected", expected=expected)
    cure = Message("give every line as many fields as the first, or choose another separator")
    return DataError(
        Message(
            "{file}, line {line}: {what}; {cure}.", file=path.name, line=line, what=what, cure=cure
        ),
        file=path,
        row=line,
    )


def _unreadable(path: Path, line: int, error: str) -> DataError:
    if "unexpected end" in error:
        what = Message("a quotation mark opens in the record that begins here and is never closed")
        cure = Message("close or remove it")
    else:
        what = Message("text stands right after a closing quotation mark")
        cure = Message("double the quotation marks that belong to the text")
    return DataError(
        Message(
            "{file}, line {line}: {what}; {cure}.", file=path.name, line=line, what=what, cure=cure
        ),
        file=path,
        row=line,
    )


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
    fault = find_csv_error(path, dialect, progress)
    words = " ".join(message.split())[:160]
    raise fault or DataError(
        Message("{file} cannot be read as delimited text: {words}.", file=path.name, words=words),
        file=path,
    )


def check_quotes(layout: Layout, watch: ByteWatch, progress: Progress = silent) -> None:
    """Refuse a file whose last quotation mark stays open; Arrow would swallow the rest."""
    if watch.quotes % 2 == 0:
        return
    fault = find_csv_error(layout.path, layout.dialect, progress)
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


_ENOUGH = 1 << 15


def parse_sample(path: Path, dialect: Dialect, sample: Sample) -> pa.Table:
    """The sampled lines as columns of text; lines that do not fit are left out here."""
    from pyarrow import csv

    text = sample.head[dialect.charset.bom :]
    if not sample.is_whole:
        text = text[:_ENOUGH]
        text = text[: text.rfind(b"\n") + 1] or text
    if dialect.charset.name == "utf-8":
        content = text + b"".join(sample.blocks)
    else:
        content = text.decode(dialect.charset.name, "replace").encode("utf-8", "replace")
    layout = Layout(path, dialect, dict.fromkeys(dialect.names, pa.string()), newlines=True)
    options = layout.options()
    options["parse_options"].invalid_row_handler = _skip
    options["convert_options"].check_utf8 = False
    options["read_options"].block_size = max(len(content), 1 << 16)
    return csv.read_csv(io.BytesIO(content + b"\n"), **options)


def guess_types(sample: pa.Table, form: NumberFormat) -> dict[str, pa.DataType]:
    """For each column whole numbers, doubles or text; text wherever there is a doubt."""
    return {
        name: _guess_type(column, form)
        for name, column in zip(sample.column_names, sample.columns, strict=True)
    }


def number_format_of(cells: pa.Table, dialect: Dialect, options: ReadOptions) -> NumberFormat:
    """The number format that was chosen or that the cells speak for."""
    if options.decimal is not None:
        return NumberFormat(options.decimal, forced=True)
    return NumberFormat(decimal_mark(cells, dialect.separator))


def whole_charset(path: Path) -> Charset:
    """The encoding by all lines of a file that have other letters than ASCII."""
    gathered = b""
    with path.open("rb") as file:
        while (block := file.read(1 << 20)) and len(gathered) < 1 << 22:
            if not block.isascii():
                gathered += block
    stray = stray_byte(gathered)
    if stray is not None:
        raise bad_utf8(path, Charset("utf-8"))
    return detect_charset(gathered) or Charset("utf-8")


def _guess_type(column: pa.ChunkedArray, form: NumberFormat) -> pa.DataType:
    texts = column.unique().cast(pa.string())
    texts = texts.filter(pc.invert(pc.is_in(texts, pa.array(FAST_NULLS, pa.string()))))
    kind = plain_kind(texts, form)
    if kind == "whole":
        # Half the memory for all the numbers that surveys have; a longer one later on makes the
        # column text, which is looked at more closely.
        short = pc.all(pc.less(pc.utf8_length(texts), 10)).as_py()
        return pa.int32() if short else pa.int64()
    return pa.float64() if kind == "decimal" else TEXT


def _skip(row: Any) -> str:  # noqa: ARG001 (Arrow hands it over)
    return "skip"


_ZERO = r"^[ +\t-]?0[0-9xX]"


def has_lost_zeros(
    columns: Mapping[str, pa.ChunkedArray], dialect: Dialect, watch: ByteWatch
) -> bool:
    """Whether a column of numbers may have had a field such as ``007``."""
    texts = [data for data in columns.values() if not is_number_type(data.type)]
    return watch.zeros != sum(map(_zeros_in_texts, texts)) + _zeros_in_names(dialect)


def doubtful_summaries(
    summaries: Mapping[str, TextSummary | NumberSummary],
    types: Mapping[str, pa.DataType],
    dialect: Dialect,
    watch: ByteWatch,
) -> list[str]:
    """Columns of numbers whose texts have to be looked at, by the summaries of all columns."""
    numeric = [name for name, one in summaries.items() if isinstance(one, NumberSummary)]
    texts = [one for one in summaries.values() if isinstance(one, TextSummary)]
    seen = sum(
        int(one.counts[_begin_with_zero(one.texts)].sum()) for one in texts
    ) + _zeros_in_names(dialect)
    if watch.zeros != seen:
        return numeric
    return [
        name
        for name, one in summaries.items()
        if isinstance(one, NumberSummary)
        and loses_something(one, is_real=types[name] == pa.float64())
    ]


def _zeros_in_texts(data: pa.ChunkedArray) -> int:
    """How many cells of a column of text begin like ``007``."""
    if not data.num_chunks:
        return 0
    words = data.chunk(0).dictionary
    found = _begin_with_zero(words)
    if not found.any():
        return 0
    table = np.append(found, False)
    return sum(int(np.count_nonzero(table[np.asarray(c.indices)])) for c in data.chunks)


def _begin_with_zero(words: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(pc.match_substring_regex(words, _ZERO), np.bool_)


def _zeros_in_names(dialect: Dialect) -> int:
    if not dialect.has_header:
        return 0
    return sum(re.match(_ZERO, name) is not None for name in dialect.names)


_MOST_SURPRISES = 3


def read_csv(
    path: Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress = silent,
    *,
    whole_up_to: int = WHOLE_UP_TO,
) -> RawTable:
    """Read a delimited text file.

    Up to ``whole_up_to`` bytes every cell is kept as text, for the guessing to look at. Columns
    of longer files that by a sample hold plain numbers are parsed as numbers straight away; any
    of them in which that would lose something is read again as text, some only when they are
    looked at more closely.
    """
    path = Path(path)
    sample = take_sample(path, whole_up_to)
    dialect = sniff(path, options, sample)
    while True:
        try:
            if sample.is_whole:
                return _read_small(path, dialect, options, progress)
            return _read_large(path, dialect, options, progress, sample)
        except NotUtf8:
            if options.encoding is not None or dialect.charset.name != "utf-8":
                raise bad_utf8(path, dialect.charset) from None
            dialect = sniff(path, options, sample, whole_charset(path))


def _read_small(path: Path, dialect: Dialect, options: ReadOptions, progress: Progress) -> RawTable:
    watch = ByteWatch(dialect.delimiter, dialect.quote)
    layout = Layout(path, dialect, dict.fromkeys(dialect.names, TEXT), newlines=True)
    table, layout = parse(layout, progress, watch)
    check_quotes(layout, watch, progress)
    form = number_format_of(table, dialect, options)
    return raw_table(path, dialect, dict(zip(table.column_names, table.columns, strict=True)), form)


def _read_large(
    path: Path, dialect: Dialect, options: ReadOptions, progress: Progress, sample: Sample
) -> RawTable:
    cells = parse_sample(path, dialect, sample)
    form = number_format_of(cells, dialect, options)
    types = guess_types(cells, form)
    watch = ByteWatch(dialect.delimiter, dialect.quote)
    layout = Layout(path, dialect, types, form.decimal, newlines=len(dialect.names) == 1)
    surprises = 0
    while True:
        try:
            table, layout = parse(layout, part(progress, 0.0, 0.8), watch)
            break
        except NotNumbers as fault:
            surprises += 1
            # After a few surprises the other columns are not trusted either.
            types = {**types, fault.column: TEXT}
            types = types if surprises < _MOST_SURPRISES else dict.fromkeys(types, TEXT)
            layout = dataclasses.replace(layout, types=types)
    check_quotes(layout, watch, progress)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    if has_lost_zeros(columns, dialect, watch):
        numeric = [name for name, data in columns.items() if is_number_type(data.type)]
        columns |= _as_texts(layout, numeric, part(progress, 0.8, 1.0))
    raw = raw_table(path, dialect, columns, form)

    def texts_of(name: str) -> TextColumn:
        return TextColumn(name, _as_texts(layout, [name])[name], numbers=form)

    parsed = (
        column
        if isinstance(column, TextColumn)
        else ParsedColumn(column.name, column.data, read_again=partial(texts_of, column.name))
        for column in raw.columns
    )
    return dataclasses.replace(raw, columns=tuple(parsed))


def _as_texts(
    layout: Layout, names: Sequence[str], progress: Progress = silent
) -> dict[str, pa.ChunkedArray]:
    """Read some columns again, now as text."""
    types = {**layout.types, **dict.fromkeys(names, TEXT)}
    table, _ = parse(dataclasses.replace(layout, types=types, only=tuple(names)), progress)
    return dict(zip(table.column_names, table.columns, strict=True))


def _unpadded(data: pa.ChunkedArray, quote: str) -> pa.ChunkedArray:
    """Texts without the blank after the separator; numbers have lost it already."""
    if is_number_type(data.type):
        return data
    texts = pc.utf8_ltrim(data.cast(pa.string()), " ")
    # Behind a blank the parser takes quotation marks for letters.
    texts = pc.replace_substring_regex(texts, f"^{quote}(.*){quote}$", r"\1")
    return texts.dictionary_encode().cast(TEXT).unify_dictionaries()


def raw_table(
    path: Path, dialect: Dialect, columns: Mapping[str, pa.ChunkedArray], form: NumberFormat
) -> RawTable:
    """Columns as a reader hands them over; texts know the number format of the file."""
    raw: list[RawColumn] = []
    for name in dialect.names:
        if name not in columns:
            continue
        data = columns[name]
        data = _unpadded(data, dialect.quote) if dialect.is_padded else data
        is_number = is_number_type(data.type)
        raw.append(RawColumn(name, data) if is_number else TextColumn(name, data, numbers=form))
    notes = dialect.notes
    if form.decimal == ",":
        notes = (spoken(dialect.charset, dialect.separator, decimal_comma=True), *notes[1:])
    return RawTable(tuple(raw), source=str(path), notes=notes)


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
