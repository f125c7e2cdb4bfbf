"""How a delimited text file is written: encoding, separator, quotes, names, decimal mark."""

from __future__ import annotations

import codecs
import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ppworkbench.core.data.delimited.text import (
    Charset,
    detect_charset,
    known_binary,
    stray_byte,
    undecodable,
)
from ppworkbench.core.data.header import (
    NUMBER,
    column_names,
    is_sparse,
    remarks_note,
    title_note,
    title_rows,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.errors import DataError
from ppworkbench.core.files import check_file
from ppworkbench.core.message import Message

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
    ``end`` is where the records end, in bytes, if remarks follow them.
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
    end: int | None = None


@dataclass(frozen=True)
class Sample:
    """The beginning of a file, or all of it, and blocks of whole lines from farther on."""

    head: bytes
    blocks: tuple[bytes, ...]
    size: int

    @property
    def is_whole(self) -> bool:
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
        # The first row may hold nothing but blanks.
        cells = (cell.strip() for record in records[:above] for cell in record)
        words = next(filter(None, cells), "")
        skip, body, records = (
            skip + starts[above], _without_lines(body, starts[above]), records[above:],
        )  # fmt: skip
        notes.append(title_note(words, skip + 1))
    remarks = None
    if not options.keep_remarks and len(records[0]) > 1:
        remarks = _find_remarks(path, sample, charset, (delimiter, quote), len(records[0]))
    if remarks is not None:
        notes.append(remarks_note(remarks.words, remarks.row, remarks.count))
        if body.endswith(remarks.text):
            records, _ = _records(body.removesuffix(remarks.text), delimiter, quote)
    quoted = quoted_fields(body, delimiter, quote)
    names, has_header, more = column_names(records, quoted, options.has_header)
    # Blanks between quotation marks are meant.
    is_meant = f"{delimiter}{quote} " in body
    is_padded = not is_meant and not options.keep_blanks and _is_padded(records[has_header:])
    if is_padded:
        notes.append(
            Message(
                "Spaces after the separators were ignored, from row {row} on. If they belong to "
                "the answers, keep the blanks.",
                row=skip + 1 + has_header,
            )
        )
    return Dialect(
        charset, separator, delimiter, quote, names, has_header, skip, (*notes, *more), is_padded,
        None if remarks is None else remarks.end,
    )  # fmt: skip


@dataclass(frozen=True)
class _Remarks:
    text: str
    end: int
    row: int
    count: int
    words: str


_TAIL = 1 << 16


def _find_remarks(
    path: Path, sample: Sample, charset: Charset, marks: tuple[str, str], width: int
) -> _Remarks | None:
    """What stands below an empty row at the end of a file and is no record.

    Only rows with few cells are remarks; one with more is a record, and so is all above it.
    """
    tail = sample.head[-_TAIL:] if sample.is_whole else _read_tail(path, sample.size)
    text = tail.decode(charset.name, "ignore")
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)
    filled = []
    for line in reversed(lines):
        cells = _cells_of_line(line, *marks)
        if cells is None or not is_sparse(len(cells), width):
            break
        filled.append((line, cells))
    if len(filled) == len(lines):
        # All that was looked at is sparse: the table is.
        return None
    filled.reverse()
    gap = next((place for place, (_, cells) in enumerate(filled) if not cells), None)
    below = [] if gap is None else [cells for _, cells in filled[gap:] if cells]
    if not below:
        return None
    text = "".join(line for line, _ in filled[gap:])
    end = sample.size - len(text.encode(charset.name))
    first = next(place for place, (_, cells) in enumerate(filled[gap:]) if cells)
    row = _count_lines(path, end, charset) + 1 + first
    return _Remarks(text, end, row, len(below), below[0][0])


def _cells_of_line(line: str, delimiter: str, quote: str) -> list[str] | None:
    """The filled cells of a line; None where a cell may go on in another line."""
    if line.count(quote) % 2:
        return None
    try:
        found = next(csv.reader([line], delimiter=delimiter, quotechar=quote), [])
    except csv.Error:
        return None
    return [cell.strip() for cell in found if cell.strip()]


def _read_tail(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        # Wide characters are not cut in the middle.
        file.seek((size - _TAIL) // 4 * 4)
        return file.read()


def _count_lines(path: Path, end: int, charset: Charset) -> int:
    if charset.name.startswith(("utf-16", "utf-32")):
        content = path.read_bytes()[charset.bom : end].decode(charset.name, "ignore")
        return len(_LINE_END.findall(content))
    count, read, last = 0, 0, b""
    with path.open("rb") as file:
        while read < end and (block := file.read(min(1 << 20, end - read))):
            read += len(block)
            feeds = block.count(b"\n")
            # Old line ends alone count where there is no line feed behind them.
            returns = block.count(b"\r") - block.count(b"\r\n")
            if last == b"\r" and block[:1] == b"\n":
                returns -= 1
            count += feeds + returns
            last = block[-1:]
    return count


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
            "There is no file {file} in {parent}.", parent=path.absolute().parent, file=path
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
    apart = [i > 0 and starts[i] > starts[i - 1] + 1 for i in range(len(records))]
    return title_rows(records, is_sure=apart)


def _is_padded(records: list[list[str]]) -> bool:
    """Whether all fields but the first of a line begin with a blank."""
    fields = [field for record in records for field in record[1:] if field.strip()]
    return bool(fields) and all(field[0] == " " for field in fields)


def _without_lines(text: str, count: int) -> str:
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
