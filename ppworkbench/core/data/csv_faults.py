"""What is wrong with a delimited file, with the line where it is wrong."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from ppworkbench.core.data.csv_source import Utf8Source
from ppworkbench.core.data.sniff import Dialect
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

_LONGEST_FIELD = 2**31 - 1


def find_fault(path: Path, dialect: Dialect, progress: Progress = silent) -> DataError | None:
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
