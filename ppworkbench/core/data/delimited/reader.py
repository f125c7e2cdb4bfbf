"""Delimited text into Arrow columns, in blocks or all at once.

Arrow's parser is fast but trusting: a quotation mark that is never closed swallows the rest of
the file, and ``007`` becomes 7. Each of these is looked for in the bytes as they pass, and then
the file is refused with the line or the column read as text.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.codebook import Codebook
from ppworkbench.core.data.delimited.dialect import (
    WHOLE_UP_TO,
    Dialect,
    Sample,
    decimal_mark,
    sniff,
    spoken,
    take_sample,
)
from ppworkbench.core.data.delimited.text import (
    ByteWatch,
    Charset,
    Utf8Source,
    detect_charset,
    lend,
    stray_byte,
    undecodable,
)
from ppworkbench.core.data.delimited.writer import separator_of
from ppworkbench.core.data.missing import FAST_NULLS
from ppworkbench.core.data.numerals import (
    NumberFormat,
    ParsedColumn,
    TextColumn,
    is_number_type,
    plain_kind,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn, RawTable
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent

_LONGEST_FIELD = 2**31 - 1
_OPEN_QUOTE = "open-quote"


def find_csv_error(path: Path, dialect: Dialect, progress: Progress = silent) -> DataError | None:
    """The first line with too few or too many fields, or whose quotation mark stays open.

    Lines are counted as an editor shows them, also inside quoted fields. Slow, but only used
    when a file cannot be read.
    """
    expected = len(dialect.names)
    begin = 1
    # The limit is the whole process's; a field of 200 kB is legal here.
    csv.field_size_limit(_LONGEST_FIELD)
    with Utf8Source(path, dialect.charset, progress, end=dialect.end) as source:
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
    what = Message("{found} fields instead of {expected}", found=found, expected=expected)
    if found == 1:
        what = Message("1 field instead of {expected}", expected=expected)
    cure = Message("give every line as many fields as the first, or choose another separator")
    return DataError.saying(
        "{file}, line {line}: {what}; {cure}.", line=line, what=what, cure=cure, file=path, row=line
    )


def _unreadable(path: Path, line: int, error: str) -> DataError:
    is_open = "unexpected end" in error
    if is_open:
        what = Message("a quotation mark of the record that begins here is never closed")
        cure = Message("close or remove it")
    else:
        what = Message("text follows a closing quotation mark")
        cure = Message("double the quotation marks inside the text")
    return DataError(
        Message(
            "{file}, line {line}: {what}; {cure}.",
            code=_OPEN_QUOTE if is_open else "",
            file=path.name,
            line=line,
            what=what,
            cure=cure,
        ),
        file=path,
        row=line,
    )


TEXT = pa.dictionary(pa.int32(), pa.string())
_BLOCK = 1 << 20
_LARGEST_BLOCK = 2**31 - 1
_ENOUGH = 1 << 15
_ZERO = r"^[ +\t-]?0[0-9xX]"
_MOST_SURPRISES = 3


class ReadAgain(Exception):  # noqa: N818 (the caller's turn to begin anew)
    """The file has to be read again from its beginning, in the way its reader has learnt."""


class CsvReader:
    """A delimited file, read in blocks of columns from its beginning and as often as needed.

    Columns that by a sample hold plain numbers are parsed as numbers straight away. What a pass
    finds out (a cell that does not fit, a very long record, another encoding) changes how the
    next pass reads.

    Parameters
    ----------
    whole_up_to
        Of files of at most so many bytes every cell is kept as text, for the guessing to look at.
    block
        How many bytes are parsed at once; more where a record is longer.
    """

    def __init__(
        self,
        path: Path,
        options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
        *,
        whole_up_to: int = WHOLE_UP_TO,
        block: int = _BLOCK,
    ) -> None:
        sample = take_sample(path, whole_up_to)
        self.path = path
        self.dialect = sniff(path, options, sample)
        self._options = options
        self._block = block
        self._form: NumberFormat | None = None
        self.types: dict[str, pa.DataType] = dict.fromkeys(self.dialect.names, TEXT)
        if sample.size > whole_up_to:
            cells = _parse_sample(self.dialect, sample)
            self._form = _number_format_of(cells, self.dialect, options)
            self.types = _guess_types(cells, self._form)
        self._surprises = 0
        self._watch = ByteWatch(self.dialect.delimiter, self.dialect.quote)
        self._zeros_in_texts = 0
        self._zeros_in_names = 0

    @property
    def notes(self) -> tuple[str, ...]:
        dialect = self.dialect
        if self._form is None or self._form.decimal == ".":
            return dialect.notes
        said = spoken(dialect.charset, dialect.separator, decimal_comma=True)
        return (said, *dialect.notes[1:])

    def blocks(
        self, progress: Progress = silent, *, skip: int = 0, texts_of: Sequence[str] = ()
    ) -> Iterator[pa.RecordBatch]:
        """The records from the first on, in blocks of any number of them.

        Parameters
        ----------
        skip
            So many records are left out, since the caller has them already.
        texts_of
            Only these columns are handed out, and as text.

        Raises
        ------
        DataError
            With the line, when the file is not regular or not text.
        ReadAgain
            When blocks have to be asked for again, since the file is not as it looked before.
        """
        types = {**self.types, **dict.fromkeys(texts_of, TEXT)}
        decimal = "." if self._form is None else self._form.decimal
        options = _arrow_options(self.dialect, types, decimal, self._block, texts_of)
        watch = None
        if not texts_of:
            watch = self._watch
            watch.reset()
            self._zeros_in_texts = 0
            names = self.dialect.names if self.dialect.has_header else ()
            self._zeros_in_names = sum(re.match(_ZERO, name) is not None for name in names)
        try:
            for block in _stream(self.path, self.dialect, options, progress, watch):
                if watch is not None:
                    self._look_at(block)
                if skip < block.num_rows:
                    yield block.slice(skip)
                skip = max(skip - block.num_rows, 0)
        except pa.ArrowInvalid as error:
            self._learn(str(error), progress)
            raise ReadAgain from None

    def read(self, progress: Progress = silent) -> RawTable:
        """All blocks together.

        Any column of numbers in which something would be lost is read again as text, some only
        when they are looked at more closely.
        """
        # Small files have no columns of numbers that may have to be read again.
        share = 1.0 if self._form is None else 0.8
        columns = self._gather(part(progress, 0.0, share))
        self.check_quotes(progress)
        if self._form is None:
            self._form = _number_format_of(pa.table(columns), self.dialect, self._options)
        numeric = [name for name, data in columns.items() if is_number_type(data.type)]
        if numeric and self.has_lost_zeros():
            columns |= self._gather(part(progress, share, 1.0), numeric)
        raw = self.to_raw(columns)

        def texts_of(name: str) -> TextColumn:
            return self._text_column(name, self._gather(texts_of=[name])[name])

        parsed = (
            column
            if isinstance(column, TextColumn)
            else ParsedColumn(column.name, column.data, read_again=partial(texts_of, column.name))
            for column in raw.columns
        )
        return dataclasses.replace(raw, columns=tuple(parsed))

    def to_raw(self, columns: Mapping[str, pa.ChunkedArray]) -> RawTable:
        """Columns as a reader hands them over; texts know the number format of the file."""
        raw = tuple(
            RawColumn(name, columns[name])
            if is_number_type(columns[name].type)
            else self._text_column(name, columns[name])
            for name in self.dialect.names
        )
        return RawTable(raw, source=str(self.path), notes=self.notes)

    def _text_column(self, name: str, data: pa.ChunkedArray) -> TextColumn:
        data = _unpadded(data, self.dialect.quote) if self.dialect.is_padded else data
        return TextColumn(name, data, numbers=self._form or NumberFormat())

    def read_as_text(self, names: Iterable[str]) -> None:
        self.types |= dict.fromkeys(names, TEXT)

    def name_columns(self, names: Sequence[str]) -> None:
        self.types = dict(zip(names, self.types.values(), strict=True))
        self.dialect = dataclasses.replace(self.dialect, names=tuple(names))

    def has_lost_zeros(self) -> bool:
        """Whether a column of numbers may have had a field such as ``007`` in the last pass.

        Arrow reads that as 7. The bytes of the file are watched for fields that begin like that;
        when all of them are found again in columns of text, no column of numbers had one.
        """
        return self._watch.zeros != self._zeros_in_texts + self._zeros_in_names

    def check_quotes(self, progress: Progress = silent) -> None:
        """Refuse a file whose last quotation mark stays open; Arrow would swallow the rest."""
        if self._watch.quotes % 2:
            fault = self.open_quote(progress)
            if fault is not None:
                raise fault

    def open_quote(self, progress: Progress = silent) -> DataError | None:
        fault = find_csv_error(self.path, self.dialect, progress)
        return fault if fault is not None and fault.message.code == _OPEN_QUOTE else None

    def _gather(
        self, progress: Progress = silent, texts_of: Sequence[str] = ()
    ) -> dict[str, pa.ChunkedArray]:
        while True:
            try:
                blocks = list(self.blocks(progress, texts_of=texts_of))
            except ReadAgain:
                if self._surprises >= _MOST_SURPRISES:
                    # After a few surprises the other columns are not trusted either.
                    self.read_as_text(self.types)
                continue
            names = texts_of or self.dialect.names
            kinds = [TEXT if texts_of else self.types[name] for name in names]
            table = pa.Table.from_batches(blocks, pa.schema(zip(names, kinds, strict=True)))
            return dict(zip(names, table.unify_dictionaries().columns, strict=True))

    def _look_at(self, block: pa.RecordBatch) -> None:
        """Check and count the texts of a block, where the bytes up to it give a reason to.

        There may be thousands of columns in many blocks, so nothing is done without need.
        """
        if self.dialect.charset.name == "utf-8" and not self._watch.is_ascii:
            _check_utf8(block)
        if self._watch.zeros > self._zeros_in_names:
            self._zeros_in_texts += _zeros_in_texts(block)

    def _learn(self, message: str, progress: Progress) -> None:
        """Take from Arrow's error how to do better, or raise the error that says why not."""
        column = re.search(r"In CSV column #(\d+)", message)
        if "straddling" in message and self._block < _LARGEST_BLOCK:
            self._block = min(self._block * 8, _LARGEST_BLOCK)
        elif "UTF8" in message:
            self._adopt_charset()
        elif column is not None:
            self._surprises += 1
            self.read_as_text([self.dialect.names[int(column[1])]])
        else:
            fault = find_csv_error(self.path, self.dialect, progress)
            words = " ".join(message.split())[:160]
            raise fault or DataError.saying(
                "{file} cannot be read as delimited text: {words}.", words=words, file=self.path
            )

    def _adopt_charset(self) -> None:
        if self._options.encoding is not None or self.dialect.charset.name != "utf-8":
            raise _bad_utf8(self.path, self.dialect.charset)
        charset = _whole_charset(self.path)
        notes = (spoken(charset, self.dialect.separator), *self.dialect.notes[1:])
        self.dialect = dataclasses.replace(self.dialect, charset=charset, notes=notes)


def read_csv(
    path: Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008 (frozen)
    progress: Progress = silent,
    *,
    whole_up_to: int = WHOLE_UP_TO,
) -> RawTable:
    return CsvReader(Path(path), options, whole_up_to=whole_up_to).read(progress)


def _stream(
    path: Path,
    dialect: Dialect,
    options: Mapping[str, Any],
    progress: Progress,
    watch: ByteWatch | None = None,
) -> Iterator[pa.RecordBatch]:
    from pyarrow import csv

    with Utf8Source(path, dialect.charset, progress, watch, dialect.end) as source:
        yield from csv.open_csv(lend(source), **options)


def _check_utf8(block: pa.RecordBatch) -> None:
    """Check the different texts of a block, instead of every cell on its own."""
    for column in block.columns:
        if pa.types.is_dictionary(column.type):
            column.dictionary.validate(full=True)


def _zeros_in_texts(block: pa.RecordBatch) -> int:
    """How many cells in columns of text begin like ``007``."""
    count = 0
    for column in block.columns:
        if not pa.types.is_dictionary(column.type):
            continue
        found = np.asarray(pc.match_substring_regex(column.dictionary, _ZERO), np.bool_)
        if found.any():
            count += int(np.count_nonzero(found[np.asarray(column.indices)]))
    return count


def _arrow_options(
    dialect: Dialect,
    types: Mapping[str, pa.DataType],
    decimal: str = ".",
    block: int = _BLOCK,
    only: Sequence[str] = (),
) -> dict[str, Any]:
    from pyarrow import csv

    names = list(dialect.names)
    return {
        "read_options": csv.ReadOptions(
            column_names=names,
            skip_rows=dialect.skip,
            skip_rows_after_names=int(dialect.has_header),
            block_size=block,
        ),
        "parse_options": csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote,
            # Otherwise a quoted field with a line end may be cut at the border of two blocks.
            newlines_in_values=True,
            # An empty line is a missing answer in a single column, else nothing.
            ignore_empty_lines=len(names) > 1,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=types,
            decimal_point=decimal,
            null_values=list(FAST_NULLS),
            strings_can_be_null=False,
            include_columns=list(only) or None,
            check_utf8=False,
        ),
    }


def _bad_utf8(path: Path, charset: Charset) -> DataError:
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


def _parse_sample(dialect: Dialect, sample: Sample) -> pa.Table:
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
    options = _arrow_options(dialect, dict.fromkeys(dialect.names, pa.string()))
    options["parse_options"].invalid_row_handler = _skip
    options["read_options"].block_size = max(len(content), 1 << 16)
    try:
        return csv.read_csv(lend(io.BytesIO(content + b"\n")), **options)
    except pa.ArrowInvalid:
        # An open quotation mark, for older versions of Arrow; reading the whole tells about it.
        return pa.table({name: pa.array([], pa.string()) for name in dialect.names})


def _guess_types(sample: pa.Table, form: NumberFormat) -> dict[str, pa.DataType]:
    """For each column whole numbers, doubles or text; text wherever there is a doubt."""
    return {
        name: _guess_type(column, form)
        for name, column in zip(sample.column_names, sample.columns, strict=True)
    }


def _number_format_of(cells: pa.Table, dialect: Dialect, options: ReadOptions) -> NumberFormat:
    if options.decimal is not None:
        return NumberFormat(options.decimal, forced=True)
    return NumberFormat(decimal_mark(cells, dialect.separator))


def _whole_charset(path: Path) -> Charset:
    gathered = b""
    with path.open("rb") as file:
        while (block := file.read(1 << 20)) and len(gathered) < 1 << 22:
            if not block.isascii():
                gathered += block
    stray = stray_byte(gathered)
    if stray is not None:
        raise _bad_utf8(path, Charset("utf-8"))
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


def _unpadded(data: pa.ChunkedArray, quote: str) -> pa.ChunkedArray:
    """Texts without the blank after the separator, which numbers have lost already."""
    texts = pc.utf8_ltrim(data.cast(pa.string()), " ")
    # Behind a blank the parser takes quotation marks for letters.
    texts = pc.replace_substring_regex(texts, f"^{quote}(.*){quote}$", r"\1")
    return texts.dictionary_encode().cast(TEXT).unify_dictionaries()


def read_own_csv(path: Path, codebook: Codebook, progress: Progress) -> RawTable:
    """Read UTF-8 with commas or tabs, double quotation marks and a line of names.

    Raises a DataError when the file looks different by now, for instance because a spreadsheet
    saved it again.
    """
    from pyarrow import csv

    names = [stored.name for stored in codebook.stored]
    kinds = [attribute.kind for attribute in codebook.attributes]
    types = {
        name: pa.float64() if kind.is_numeric else TEXT
        for name, kind in zip(names, kinds, strict=True)
    }
    texts = [value for attribute in codebook.attributes for value in attribute.values]
    options = {
        "read_options": csv.ReadOptions(block_size=_block(names)),
        "parse_options": csv.ParseOptions(
            delimiter=separator_of(path),
            newlines_in_values=any("\n" in text or "\r" in text for text in (*texts, *names)),
            # The only cell of a record may be blank, but never the whole line.
            ignore_empty_lines=False,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=types,
            null_values=[""],
            strings_can_be_null=True,
            # A marked blank is an answer, except where it stands for a line.
            quoted_strings_can_be_null=len(names) == 1 and "" not in texts,
        ),
    }
    try:
        with Utf8Source(path, Charset("utf-8"), part(progress, 0.0, 0.9)) as source:
            blocks = list(csv.open_csv(lend(source), **options))
        schema = blocks[0].schema if blocks else pa.schema([(n, types[n]) for n in names])
        found = pa.Table.from_batches(blocks, schema).unify_dictionaries()
    except pa.ArrowException as error:
        words = " ".join(str(error).split())[:120]
        raise DataError.saying("the file was changed ({words}).", words=words, file=path) from None
    if found.column_names != names:
        raise DataError("the line of names was changed.", file=path)
    progress(0.9, "Checking columns")
    columns = (RawColumn(name, data) for name, data in zip(names, found.columns, strict=True))
    return RawTable(tuple(columns), str(path))


def _block(names: list[str]) -> int:
    # A record must fit into a block, and some tables are very wide.
    return max(1 << 20, 64 * sum(len(name) + 8 for name in names))
