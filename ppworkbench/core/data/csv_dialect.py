"""How a delimited text file is written: encoding, separator, quotes, names, decimal mark."""

from __future__ import annotations

import codecs
import csv
import io
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.csv_text import (
    Charset,
    detect_charset,
    known_binary,
    stray_byte,
    undecodable,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import check_file
from ppworkbench.core.message import Message

Row = Sequence[str]

NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
_YEAR = re.compile(r"(19|20)\d\d")
_NO_ANSWER = frozenset({"", "?", ".", "-", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null"})
_MOST_TITLE = 10
"""More lines than this above a table are no title."""
_BELOW = 20
"""So many rows below one tell whether it is as wide as they are."""


def title_rows(rows: Sequence[Row], *, is_sure: Sequence[bool] = ()) -> int:
    """How many of the first rows are a title above the names of the columns.

    A title has one cell, or fewer than half of those of the table below it, or stands apart from
    it. The row after it must look like names: different texts without a number, as many as the
    rows below have cells.

    Parameters
    ----------
    is_sure
        Whether a row stands apart from the one above; where it does not, there must be numbers
        under a name, or the rows must be those of a spreadsheet, which are all of one width.

    >>> title_rows([["Survey of 2020", ""], ["name", "age"], ["Ann", "31"], ["Bob", "44"]])
    1
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    for place, row in enumerate(rows[: _MOST_TITLE + 1]):
        below = filled[place + 1 : place + 1 + _BELOW]
        if not below or filled[place] < 2:
            continue
        typical = statistics.median(below)
        loose = len(row) != len(rows[place + 1]) or any(is_sure[place + 1 : place + 2])
        if filled[place] <= typical / 2 or (loose and filled[place] < typical):
            continue
        if place == 0 or filled[place] < 0.8 * typical:
            return 0
        names = [cell.strip() for cell in row if cell.strip()]
        if len(set(names)) < len(names) or any(map(NUMBER.fullmatch, names)):
            return 0
        if looks_like_record(row, rows[place + 1 :]):
            return 0
        apart = any(is_sure[1 : place + 1])
        regular = len({len(other) for other in rows[: place + 1 + _BELOW]}) == 1
        return place if apart or regular or _numeric_columns(row, rows[place + 1 :]) else 0
    return 0


def looks_like_record(first: Row, rest: Sequence[Row], *, all_quoted: bool = False) -> bool:
    """Whether the first row is a record like those below it, and does not name the columns.

    Numbers where all below are numbers speak for a record, texts there for names. Without
    numbers a record has answers that others gave as well.

    >>> looks_like_record(["39", "State-gov"], [["50", "Private"], ["38", "Private"]])
    True
    >>> looks_like_record(["town", "2019"], [["Oslo", "3.5"], ["Rome", "4.1"]])
    False
    """
    cells = [cell.strip() for cell in first]
    numbers = [NUMBER.fullmatch(cell) is not None for cell in cells]
    # A file that was joined from several has its line of names again.
    rest = [row for row in rest if list(row) != list(first)]
    if all(numbers):
        years = all(map(_YEAR.fullmatch, cells))
        return not all_quoted and not (years and len(cells) > 1 and len(set(cells)) == len(cells))
    under = _numeric_columns(first, rest)
    told = [place for place in under if cells[place] not in _NO_ANSWER]
    if any(not numbers[place] for place in told):
        return False
    others = [p for p, cell in enumerate(cells) if not numbers[p] and cell not in _NO_ANSWER]
    again = sum(cells[place] in _below(rest, place) for place in others)
    if told and not all_quoted:
        return not _are_numbered(cells, told, rest, again)
    return len(rest) > 1 and again > 0 and 2 * again >= len(others)


def _are_numbered(cells: list[str], places: list[int], rest: Sequence[Row], again: int) -> bool:
    """Whether numbers name columns: years over other numbers, or a count from 1."""
    if all(_YEAR.fullmatch(cells[place]) for place in places):
        return not all(all(map(_YEAR.fullmatch, _below(rest, place))) for place in places)
    counted = [str(number + 1) for number in range(len(places))]
    return len(places) > 2 and again == 0 and [cells[place] for place in places] == counted


def _numeric_columns(first: Row, rest: Sequence[Row]) -> list[int]:
    """The columns in which all answers below the first row are numbers."""
    found = []
    for place in range(len(first)):
        below = _below(rest, place)
        if below and all(map(NUMBER.fullmatch, below)):
            found.append(place)
    return found


def _below(rest: Sequence[Row], place: int) -> list[str]:
    cells = (row[place].strip() for row in rest if place < len(row))
    return [cell for cell in cells if cell not in _NO_ANSWER]


def quoted_fields(body: str, separator: str, quote: str) -> list[bool]:
    """Which fields of the first record stand in quotation marks."""
    quoted, inside, at_start = [], False, True
    for character in body.lstrip("\r\n"):
        if inside:
            inside = character != quote
            continue
        if at_start:
            quoted.append(character == quote)
            at_start = False
            if character == quote:
                inside = True
                continue
        if character in "\r\n":
            break
        if character == separator:
            at_start = True
        elif character == quote and quoted[-1]:
            # The second of two marks, which stand for one in the text.
            inside = True
    return quoted + [False] * at_start


def column_names(
    records: list[list[str]], quoted: list[bool], has_header: bool | None = None
) -> tuple[tuple[str, ...], bool, tuple[str, ...]]:
    """Different names for all columns, whether the first record held them, and sentences.

    Parameters
    ----------
    has_header
        Whether the first record holds names, where somebody said so.
    """
    first = records[0]
    # Numbers in quotation marks are meant as names, as our own writer marks them.
    all_quoted = bool(quoted) and all(quoted)
    is_record = looks_like_record(first, records[1:], all_quoted=all_quoted)
    if not has_header and (has_header is False or is_record):
        names = tuple(f"column_{i + 1}" for i in range(len(first)))
        return names, False, () if has_header is False else (no_header_note(names),)
    notes = []
    # Spaces around a name are an accident, unless somebody put them between quotation marks.
    kept = [
        name if in_marks else name.strip()
        for name, in_marks in zip(first, quoted + [False] * len(first), strict=False)
    ]
    unique = _different(["" if not name.strip() else name for name in kept])
    for i, (before, after) in enumerate(zip(kept, unique, strict=True)):
        if before != after:
            what = (
                Message("repeats the name {before!r}", before=before)
                if before.strip()
                else Message("has no name")
            )
            notes.append(
                Message(
                    "Column {number} {what} and is called {after!r}.",
                    number=i + 1,
                    what=what,
                    after=after,
                )
            )
    if len(records) == 1:
        notes.append(Message("The file has a line of names but no records."))
    return unique, True, tuple(notes)


def no_header_note(names: Sequence[str]) -> str:
    """That the first line was read as a record."""
    return Message(
        "The first line looks like a record and was read as one; the columns are named "
        "{names} to {names2}. If it is the header, set the header row (Import settings, "
        "or --header 1).",
        code="unsure-reading",
        names=names[0],
        names2=names[-1],
    )


def title_note(words: str) -> str:
    """That lines above the names were left out."""
    return Message(
        "The lines above the table ({words!r}) were read as its title.",
        code="unsure-reading",
        words=words[:60],
    )


def _different(names: list[str]) -> tuple[str, ...]:
    taken = {name for name in names if name}
    seen: set[str] = set()
    result = []
    for i, name in enumerate(names):
        new = name or f"column_{i + 1}"
        number = 2
        while new in seen or (new != name and new in taken):
            new = f"{name or f'column_{i + 1}'}_{number}"
            number += 1
        seen.add(new)
        result.append(new)
    return tuple(result)


WHOLE_UP_TO = 16 * 1024 * 1024
"""Files up to so many bytes are looked at as a whole, longer ones in samples."""

SEPARATORS = (",", ";", "\t", "|")
_NO_SEPARATORS = "\x1f\x1e\x1d\x1c\x01\x02\x03\x04\x05\x06"
"""Of these, one that does not occur is the separator of a file that has only one column."""

_HEAD = 1 << 20
_LOOK = 1 << 17
_RECORDS = 100
_CELLS = 500
_LINE_END = re.compile(r"\r\n|\r|\n")
_BETWEEN = {
    ",": Message("a comma between fields"),
    ";": Message("a semicolon between fields"),
    "\t": Message("a tab between fields"),
    "|": Message("a pipe between fields"),
    " ": Message("a space between fields"),
}


@dataclass(frozen=True)
class Dialect:
    """How a file is written.

    ``skip`` lines stand before the first record; the first record holds the names if
    ``has_header``. ``separator`` is None for a single column; ``delimiter`` then is a character
    that does not occur, since parsers want one. ``is_padded``: a blank follows every separator.
    """

    charset: Charset
    separator: str | None
    delimiter: str
    quote: str
    names: tuple[str, ...]
    has_header: bool = True
    skip: int = 0
    notes: tuple[str, ...] = ()
    is_padded: bool = False


@dataclass(frozen=True)
class Sample:
    """The beginning of a file, or all of it, and blocks of whole lines from farther on."""

    head: bytes
    blocks: tuple[bytes, ...]
    size: int

    @property
    def is_whole(self) -> bool:
        """Whether the head is the whole file."""
        return len(self.head) == self.size


def sniff(
    path: Path,
    options: ReadOptions,
    sample: Sample | None = None,
    charset: Charset | None = None,
) -> Dialect:
    """Find out how a file is written; what the options say is taken as said.

    Raises
    ------
    DataError
        When the file cannot be opened, is empty, or is not text.
    """
    sample = sample or take_sample(path)
    charset = charset or find_charset(path, sample, options)
    text = _decode(path, sample, charset)
    if not text.strip("\ufeff\r\n \t"):
        raise DataError.saying("{file} is empty.", file=path)
    skip, given = _separator_line(text)
    skip = max(skip, options.header_row or 0)
    body = _without_lines(text, skip)
    separator, quote = _find_separator(body, given, options)
    delimiter = separator or next((c for c in _NO_SEPARATORS if c not in body), "\x1f")
    records, starts = _records(body, delimiter, quote)
    if not records:
        raise _nothing_there(path, options)
    above = _title(records, starts) if options.header is None else 0
    notes = [spoken(charset, separator)]
    if above:
        notes.append(title_note(next(cell for cell in records[0] if cell.strip()).strip()))
        skip, body, records = (
            skip + starts[above], _without_lines(body, starts[above]), records[above:],
        )  # fmt: skip
    quoted = quoted_fields(body, delimiter, quote)
    names, has_header, more = column_names(records, quoted, options.has_header)
    # Blanks between quotation marks are meant.
    is_meant = f"{delimiter}{quote} " in body
    is_padded = not is_meant and _is_padded(records[has_header:])
    if is_padded:
        notes.append("Spaces after the separators were ignored.")
    return Dialect(
        charset, separator, delimiter, quote, names, has_header, skip, (*notes, *more), is_padded
    )


def take_sample(path: Path, whole_up_to: int = WHOLE_UP_TO) -> Sample:
    """Read a file to judge it by: all of it, or its head and blocks spread over the rest."""
    check_file(path)
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            if size <= max(whole_up_to, _HEAD):
                content = file.read()
                return Sample(content, (), len(content))
            head = file.read(_HEAD)
            blocks = []
            for i in range(1, 9):
                file.seek(size * i // 9)
                lines = file.read(1 << 13).split(b"\n")
                blocks.append(b"\n".join(lines[1:-1]) + b"\n" if len(lines) > 2 else b"")
            return Sample(head, tuple(blocks), size)
    except FileNotFoundError:
        raise DataError.saying(
            "There is no file {file} in {parent}.", parent=path.parent, file=path
        ) from None
    except IsADirectoryError:
        raise DataError.saying("{file} is a folder; choose a file in it.", file=path) from None
    except PermissionError:
        if path.is_dir():
            raise DataError.saying("{file} is a folder; choose a file in it.", file=path) from None
        raise DataError.saying(
            "No permission to read {file}; ask for access or copy the file.", file=path
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError.saying(
            "{file} cannot be read: {strerror}.", strerror=reason, file=path
        ) from None


def find_charset(path: Path, sample: Sample, options: ReadOptions) -> Charset:
    """The encoding that was chosen, or the one that the bytes speak for."""
    binary = known_binary(sample.head[:64])
    if binary is not None:
        raise DataError.saying(
            "{file} is {binary}, not delimited text; choose its real format.",
            binary=binary,
            file=path,
        )
    if options.encoding is not None:
        return _chosen_charset(options.encoding, sample)
    # Lines of the blocks may be cut in files of wide characters; their head tells enough.
    content = sample.head
    if b"\0" not in sample.head[:4096]:
        content += b"".join(sample.blocks)
    charset = detect_charset(content)
    if charset is None:
        line = sample.head.count(b"\n", 0, sample.head.find(b"\0")) + 1
        raise DataError.saying(
            "{file} is not a text file: there is a zero byte in line {line}; choose "
            "the file's real format or export it again as CSV.",
            line=line,
            file=path,
            row=line,
        )
    if not charset.sure and sample.is_whole:
        stray = stray_byte(sample.head)
        if stray is not None:
            raise undecodable(path, Charset("utf-8"), stray)
    return charset


def decimal_mark(columns: pa.Table, separator: str | None) -> str:
    """The decimal mark that the cells of a table of texts speak for.

    A comma with other than three digits behind it, or behind groups with points, is a decimal
    comma; likewise for the point. Three digits may be a group of thousands and decide only
    where nothing else does: a comma then is decimal unless it also separates the fields.
    """
    votes, unsure = {}, {}
    pieces = [column.slice(0, _CELLS).cast(pa.string()).unique() for column in columns.columns]
    cells = pa.concat_arrays(pieces) if pieces else pa.array([], pa.string())
    cells = cells.filter(pc.match_substring_regex(cells, r"[0-9][,.][0-9]|^\s*[+-]?[,.][0-9]"))
    for mark, other in ((",", r"\."), (".", ",")):
        own = rf"\{mark}"
        grouped = rf"[0-9]{{1,3}}({other}[0-9]{{3}})+{own}[0-9]+"
        sure = rf"^\s*[+-]?([0-9]*{own}([0-9]{{1,2}}|[0-9]{{4,}})|{grouped})\s*$"
        maybe = rf"^\s*[+-]?[0-9]{{1,3}}{own}[0-9]{{3}}\s*$"
        votes[mark] = pc.sum(pc.match_substring_regex(cells, sure)).as_py() or 0
        unsure[mark] = pc.sum(pc.match_substring_regex(cells, maybe)).as_py() or 0
    if votes[","] != votes["."]:
        return max(votes, key=lambda mark: votes[mark])
    return "," if unsure[","] > unsure["."] and separator != "," else "."


def _chosen_charset(name: str, sample: Sample) -> Charset:
    try:
        name = codecs.lookup(name.strip()).name
        "a".encode(name)
    except (LookupError, ValueError):
        raise DataError.saying(
            "There is no encoding {name!r}; common ones are utf-8, cp1250, cp1252, "
            "iso-8859-2 and utf-16.",
            name=name,
            field="encoding",
        ) from None
    if name in ("utf-8", "utf-8-sig") or name.startswith(("utf-16", "utf-32")):
        marked = detect_charset(sample.head[:4])
        if marked is not None and marked.bom and marked.name.startswith(name[:6].rstrip("-")):
            return marked
    plain = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
    return Charset(plain.get(name, name))


def _decode(path: Path, sample: Sample, charset: Charset) -> str:
    content = sample.head[charset.bom : _LOOK]
    if content.count(b"\n") < _RECORDS:
        # Very long lines, or line ends of another kind: the line of names must be whole.
        content = sample.head[charset.bom :]
    is_all = sample.is_whole and len(content) == sample.size - charset.bom
    decoder = codecs.getincrementaldecoder(charset.name)()
    try:
        return decoder.decode(content, final=is_all)
    except UnicodeDecodeError as error:
        raise undecodable(path, charset, charset.bom + error.start) from None


def _separator_line(text: str) -> tuple[int, str | None]:
    """Whether a first line such as ``sep=;`` (which Excel understands) says the separator."""
    line = re.match(r"\"?sep=(.)\"?[ \t]*(?:\r\n|\r|\n)", text, re.IGNORECASE)
    return (1, line[1]) if line else (0, None)


def _find_separator(body: str, given: str | None, options: ReadOptions) -> tuple[str | None, str]:
    chosen = options.separator if options.separator is not None else given
    if chosen is not None:
        separator = {"tab": "\t", "\\t": "\t"}.get(chosen, chosen)
        if len(separator) != 1 or not separator.isascii() or separator in '\r\n"':
            raise DataError.saying(
                "The separator {chosen!r} is not possible; choose one plain character or 'tab'.",
                chosen=chosen,
                field="separator",
            )
        return separator, _find_quote(body, separator)
    scores = {}
    for separator in SEPARATORS:
        quote = _find_quote(body, separator)
        records, starts = _records(body, separator, quote)
        records = records[_title(records, starts) if options.header is None else 0 :]
        width = len(records[0]) if records else 0
        if width > 1:
            scores[separator] = (*_regularity(records, separator), width)
    if not scores:
        return None, _find_quote(body, None)
    best = max(scores, key=lambda separator: scores[separator])
    return best, _find_quote(body, best)


def _regularity(records: list[list[str]], separator: str) -> tuple[float, float]:
    """The shares of records as wide as the first, and of fields without other separators."""
    records = [record for record in records if record]
    regular = sum(len(record) == len(records[0]) for record in records) / len(records)
    fields = [field for record in records for field in record]
    others = [other for other in SEPARATORS if other != separator]
    clean = sum(
        NUMBER.fullmatch(field) is not None or not any(other in field for other in others)
        for field in fields
    )
    return round(regular, 2), round(clean / len(fields), 2)


def _find_quote(body: str, separator: str | None) -> str:
    """The double quotation mark, unless fields plainly stand in single ones."""
    if "'" not in body or '"' in body:
        return '"'
    edge = re.escape(separator) if separator else "$^"
    opened = len(re.findall(rf"(?:^|{edge})'", body[:65536], re.MULTILINE))
    closed = len(re.findall(rf"'(?:\r?$|{edge})", body[:65536], re.MULTILINE))
    return "'" if opened >= 2 and opened == closed else '"'


def _title(records: list[list[str]], starts: list[int]) -> int:
    """How many of the first records stand above the names."""
    apart = [i > 0 and starts[i] > starts[i - 1] + 1 for i in range(len(records))]
    return title_rows(records, is_sure=apart)


def _is_padded(records: list[list[str]]) -> bool:
    """Whether all fields but the first of a line begin with a blank."""
    fields = [field for record in records for field in record[1:] if field.strip()]
    return bool(fields) and all(field[0] == " " for field in fields)


def _without_lines(text: str, count: int) -> str:
    """The text without its first lines."""
    place = 0
    for _ in range(count):
        found = _LINE_END.search(text, place)
        if found is None:
            return ""
        place = found.end()
    return text[place:]


def _nothing_there(path: Path, options: ReadOptions) -> DataError:
    if options.header_row:
        return DataError.saying(
            "{file} has no line {header} for the column names.",
            header=options.header,
            file=path,
            field="header",
        )
    return DataError.saying("{file} is empty.", file=path)


def _records(body: str, separator: str, quote: str) -> tuple[list[list[str]], list[int]]:
    """The first records with the lines before each; the last of a cut text is left out."""
    csv.field_size_limit(2**31 - 1)
    lines = io.StringIO(body, newline="")
    reader = csv.reader(lines, delimiter=separator, quotechar=quote)
    records, starts, start = [], [], 0
    try:
        for record in reader:
            if record:
                records.append(record)
                starts.append(start)
            start = reader.line_num
            if len(records) > _RECORDS:
                break
    except csv.Error:
        # Later lines are the parser's to judge.
        return records, starts
    is_cut = len(body) >= _LOOK // 4 and 1 < len(records) <= _RECORDS
    return (records[:-1], starts[:-1]) if is_cut else (records, starts)


def spoken(charset: Charset, separator: str | None, *, decimal_comma: bool = False) -> str:
    """How a file is read, as a sentence."""
    fields = Message("one column")
    if separator is not None:
        fields = _BETWEEN.get(separator) or Message(
            "a {separator!r} between fields", separator=separator
        )
    if decimal_comma:
        fields = Message("{fields} and a decimal comma", fields=fields)
    if charset.letters:
        return Message(
            "Read as {name} text, judged by its {letters}, with {fields}.",
            code="unsure-reading",
            name=charset.name,
            letters=Message(charset.letters),
            fields=fields,
        )
    return Message(
        "Read as {name} text, with {fields}.",
        code="plain-reading",
        name=charset.name,
        fields=fields,
    )
