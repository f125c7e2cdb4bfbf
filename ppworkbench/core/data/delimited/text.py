"""Text files as bytes: in which encoding they are, and the same text as UTF-8."""

from __future__ import annotations

import atexit
import codecs
import io
import re
import time
import weakref
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    # The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_SIGNATURES = (
    (b"PK\x03\x04", Message("a zip archive, perhaps an Excel workbook")),
    (b"$FL2", Message("an SPSS file")),
    (b"$FL3", Message("an SPSS file")),
    (b"PAR1", Message("a Parquet file")),
    (b"ARROW1", Message("an Arrow or Feather file")),
    (b"FEA1", Message("a Feather file")),
    (b"<stata_dta>", Message("a Stata file")),
    (b"\xd0\xcf\x11\xe0", Message("an old Excel workbook")),
    (b"\x1f\x8b", Message("a compressed (gzip) file")),
    (b"%PDF", Message("a PDF document")),
    (b"SQLite format 3\x00", Message("an SQLite database")),
)

_LETTERS = {
    "Polish letters": "ąćęłńóśźż",
    "Czech or Slovak letters": "áäčďéěíĺľňóôŕřšťúůýž",
    "Hungarian letters": "áéíóöőúüű",
    "German letters": "äöüß",
    "Croatian or Slovene letters": "čćđšž",
    "French letters": "àâçéèêëîïôùûœ",
    "Spanish letters": "áéíñóúü",
    "Portuguese letters": "áâãàçéêíóôõú",
    "Italian letters": "àèéìòù",
    "Nordic letters": "åäöæøé",
}
_CENTRAL = (
    "Polish letters",
    "Czech or Slovak letters",
    "Hungarian letters",
    "German letters",
    "Croatian or Slovene letters",
)
_WESTERN = (
    "German letters",
    "French letters",
    "Spanish letters",
    "Portuguese letters",
    "Italian letters",
    "Nordic letters",
)
_ALPHABETS = {"cp1252": _WESTERN, "cp1250": _CENTRAL, "iso-8859-2": _CENTRAL}
_BESIDE_WORDS = frozenset("„”“’‘‚«»‹›–—…€§°©®™·•¿¡ºª²³½\u00a0\u00ad")


@dataclass(frozen=True)
class Charset:
    """An encoding by its Python name, and how many bytes of mark stand before the text.

    ``sure`` is false where the encoding was only judged by the letters it gives; ``letters``
    then says whose they are.
    """

    name: str
    bom: int = 0
    sure: bool = True
    letters: str = ""


def known_binary(head: bytes) -> str | None:
    """What kind of binary file begins like this, in words; None if no known one.

    >>> known_binary(b"PAR1....")
    'a Parquet file'
    """
    return next((words for mark, words in _SIGNATURES if head.startswith(mark)), None)


def detect_charset(content: bytes) -> Charset | None:
    """Judge the encoding by the beginning of a file (or all of it); None when it is not text.

    Byte order marks decide; then zero bytes at every second or fourth place; then whether it
    is UTF-8; at last which of the 8-bit encodings gives the likeliest letters.

    >>> detect_charset("zażółć gęślą jaźń".encode("cp1250")).name
    'cp1250'
    """
    for mark, name in _BOMS:
        if content.startswith(mark):
            return Charset(name, len(mark))
    if b"\0" in content:
        return _wide(content)
    if _is_utf8(content):
        return Charset("utf-8")
    return _eight_bit(content)


def stray_byte(content: bytes) -> int | None:
    """Where the first bad byte is in what otherwise is UTF-8; None when it is not UTF-8 at all."""
    good = len(re.findall(rb"[\xc3-\xf4][\x80-\xbf]+", content))
    decoded = content.decode("utf-8", "surrogateescape")
    bad = len(re.findall("[\udc80-\udcff]+", decoded))
    if not bad or good < 4 * bad:
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut off by the end of the sample is no fault.
        return (
            None if error.end == len(content) and "unexpected end" in error.reason else error.start
        )
    return None


def _is_utf8(content: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return False
    return True


def _wide(content: bytes) -> Charset | None:
    """UTF-16 or UTF-32 without a mark: the high bytes of most characters are zero."""
    cells = np.frombuffer(content[: min(len(content), 65536) // 4 * 4], np.uint8)
    if not len(cells):
        cells = np.frombuffer((content[:2] * 4)[:4], np.uint8)
    zero = (cells.reshape(-1, 4) == 0).mean(axis=0)
    if min(zero[2], zero[3]) > 0.99 and zero[0] < 0.01:
        name = "utf-32-le"
    elif min(zero[0], zero[1]) > 0.99 and zero[3] < 0.01:
        name = "utf-32-be"
    elif min(zero[1], zero[3]) > 0.4 and max(zero[0], zero[2]) < 0.01:
        name = "utf-16-le"
    elif min(zero[0], zero[2]) > 0.4 and max(zero[1], zero[3]) < 0.01:
        name = "utf-16-be"
    else:
        return None
    try:
        text = codecs.getincrementaldecoder(name)().decode(content)
    except UnicodeDecodeError:
        return None
    return None if re.search("[\0-\x08\x0e-\x1f]", text) else Charset(name)


def _eight_bit(content: bytes) -> Charset:
    scores: list[tuple[float, Charset]] = []
    for name, alphabets in _ALPHABETS.items():
        text = content.decode(name, "replace")
        found = Counter(re.findall(r"(\w?)([^\x00-\x7f])(?=(\w?))", text))
        scores += [
            (_score(found, _LETTERS[letters]), Charset(name, sure=False, letters=letters))
            for letters in alphabets
        ]
    best = max(score for score, _ in scores)
    level = [charset for score, charset in scores if score >= best - 1e-9]
    central = [charset for charset in level if charset.name != "cp1252"]
    # A tie between 'ê' and 'ę' is broken by the plain letters that Slavic words are rich in.
    return (
        central[0] if central and (len(central) == len(level) or _is_slavic(content)) else level[0]
    )


def _score(found: Counter[tuple[str, str, str]], letters: str) -> float:
    known = frozenset(letters + letters.upper())
    score = 0.0
    for (before, character, after), count in found.items():
        in_word = before.isalpha() or after.isalpha()
        if character in known:
            score += count
        elif character == "\ufffd" or character < "\u00a0":
            score -= 3.0 * count
        elif character.isalpha() or (in_word and character not in "’\u00ad–"):
            score -= count
        elif character not in _BESIDE_WORDS:
            score -= 0.5 * count
    return score


def _is_slavic(content: bytes) -> bool:
    letters = re.findall(rb"[a-z]", content.lower())
    typical = sum(letter in b"wzkjy" for letter in letters)
    return typical > 0.11 * max(len(letters), 1)


_BLOCK = 1 << 20
_LOOK = 1 << 18
"""So many bytes at once stay in the cache of a processor."""


_lent: weakref.WeakSet[io.IOBase] = weakref.WeakSet()


def lend(file: io.IOBase) -> io.IOBase:
    """Remember a file that threads of Arrow read from until they have let go of it.

    They may be the last to hold it, a moment after everything has been read. Where Python has begun
    to end by then, it ends the thread in the midst of C++, and that aborts the program with all
    its work done (up to Python 3.13). So the end of the program waits for them.
    """
    _lent.add(file)
    return file


@atexit.register
def _wait_for_arrow() -> None:
    given_up = time.monotonic() + 2.0
    while _lent and time.monotonic() < given_up:
        time.sleep(0.001)


class Utf8Source(io.RawIOBase):
    """Reads a text file as UTF-8 that ends with a line end.

    Reports progress, raises a DataError at a zero byte and at bytes that are no text in the
    given encoding, and lets a watch look at every block. Bytes from ``end`` on are not read.
    """

    def __init__(
        self,
        path: Path,
        charset: Charset,
        progress: Progress = silent,
        watch: ByteWatch | None = None,
        end: int | None = None,
    ) -> None:
        self._path = path
        self._end = end
        self._charset = charset
        self._progress = progress
        self._watch = watch
        self._size = max(path.stat().st_size, 1)
        self._file = path.open("rb", buffering=0)
        self._file.seek(charset.bom)
        self._read = charset.bom
        is_utf8 = charset.name == "utf-8"
        self._decoder = None if is_utf8 else codecs.getincrementaldecoder(charset.name)()
        self._left = b""
        self._last = b"\n"
        self._at_end = False

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(_BLOCK), b""))
        while not self._left and not self._at_end:
            self._left = self._next(max(size, 4096))
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def readinto(self, buffer: Any, /) -> int:
        taken = self.read(len(buffer))
        buffer[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        self._file.close()
        super().close()

    def _next(self, size: int) -> bytes:
        self._progress(self._read / self._size, Message("Reading {file}", file=self._path.name))
        if self._end is not None:
            size = min(size, self._end - self._read)
        raw = self._file.read(size) or b""
        if self._end is not None:
            self._at_end = self._read + len(raw) >= self._end
        # The end is looked for at once: Arrow wants the last line end with the last line.
        while len(raw) < size and not self._at_end:
            more = self._file.read(size - len(raw)) or b""
            self._at_end = not more
            raw += more
        data = raw if self._decoder is None else self._transcode(raw)
        self._read += len(raw)
        if self._at_end:
            data += b"" if (data or self._last)[-1:] in (b"\n", b"\r") else b"\n"
        if b"\0" in data:
            raise self._zero_byte()
        if data:
            self._last = data[-1:]
            if self._watch is not None:
                self._watch.feed(data)
        return data

    def _transcode(self, raw: bytes) -> bytes:
        assert self._decoder is not None  # noqa: S101 (the caller asked)
        pending = len(self._decoder.getstate()[0])
        try:
            return self._decoder.decode(raw, final=self._at_end).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise undecodable(
                self._path, self._charset, self._read - pending + error.start
            ) from None

    def _zero_byte(self) -> DataError:
        line = line_of(self._path, self._charset, self._read)
        return DataError.saying(
            "{file} is not a text file: there is a zero byte near line {line}; "
            "choose the file's real format or export it again as CSV.",
            line=line,
            file=self._path,
            row=line,
        )


def undecodable(path: Path, charset: Charset, position: int) -> DataError:
    line = line_of(path, charset, position)
    return DataError.saying(
        "{file}, line {line}: byte {position} is not valid {name}; choose "
        "another encoding or repair the file.",
        line=line,
        position=position,
        name=charset.name,
        file=path,
        row=line,
        field="encoding",
    )


def line_of(path: Path, charset: Charset, position: int) -> int:
    """The physical line, from 1, in which a byte of the file lies."""
    wide = {"utf-16": 2, "utf-32": 4}.get(charset.name[:6], 1)
    newline = "\n".encode(charset.name)[-wide:] if wide > 1 else b"\n"
    seen, lines, tail = 0, 1, b""
    with path.open("rb") as file:
        while seen < position and (block := file.read(min(_BLOCK, position - seen))):
            lines += (tail + block).count(newline)
            tail = block[1 - wide :] if wide > 1 else b""
            seen += len(block)
    return lines


class ByteWatch:
    """Looks at UTF-8 text as it is read for what a parser of numbers would not tell.

    ``zeros`` counts fields that begin with a zero and another digit (``007``) or with ``0x``;
    ``quotes`` counts quotation marks; ``is_ascii`` says that there were no other letters so far.
    """

    def __init__(self, separator: str, quote: str) -> None:
        self.reset()
        self._separator = ord(separator)
        self._quote = ord(quote)
        self._starts = np.zeros(256, np.bool_)
        self._starts[[self._separator, 10, 13, self._quote]] = True
        self._signs = np.zeros(256, np.bool_)
        self._signs[[32, 43, 45, 9]] = True
        self._digits = np.zeros(256, np.bool_)
        self._digits[[*range(48, 58), ord("x"), ord("X")]] = True
        self._hit = np.empty(_LOOK, np.bool_)
        self._near = np.empty(_LOOK, np.bool_)

    def reset(self) -> None:
        self.zeros = 0
        self.quotes = 0
        self.is_ascii = True
        self._carry = b"\n\n"

    def feed(self, data: bytes) -> None:
        self.is_ascii = self.is_ascii and data.isascii()
        if bytes([self._quote]) in data:
            self.quotes += int(np.count_nonzero(np.frombuffer(data, np.uint8) == self._quote))
        # Every zero is seen once with two bytes before and one after it: first those at the
        # border of two blocks, then those inside.
        border = self._carry + data[:3]
        self._carry = (self._carry + data)[-3:] if len(data) < 3 else data[-3:]
        self._look(np.frombuffer(border, np.uint8))
        cells = np.frombuffer(data, np.uint8)
        for start in range(0, len(cells) - 3, _LOOK):
            self._look(cells[start : start + _LOOK + 3])

    def _look(self, cells: np.ndarray[Any, np.dtype[np.uint8]]) -> None:
        if len(cells) < 4:
            return
        here, after, before = cells[2:-1], cells[3:], cells[1:-2]
        # A coarse filter first: nearly all zeros follow another digit or end a field.
        hit, near = self._hit[: len(here)], self._near[: len(here)]
        np.equal(here, 48, out=hit)
        np.less(before, 46, out=near)
        if self._separator >= 46:
            near |= before == self._separator
        np.bitwise_and(hit, near, out=hit)
        np.greater_equal(after, 48, out=near)
        np.bitwise_and(hit, near, out=hit)
        if not hit.any():
            return
        places = np.flatnonzero(hit)
        first, second = before[places], cells[places]
        begins = self._starts[first] | (self._signs[first] & self._starts[second])
        self.zeros += int(np.count_nonzero(begins & self._digits[after[places]]))


_SAMPLE = 1 << 23
"""So many bytes tell the encoding; a letter that comes later is checked when it is read."""


@dataclass(frozen=True)
class Encoding:
    """An encoding by Python's name, and a sentence if it had to be guessed."""

    name: str
    notes: tuple[str, ...] = ()


def find_encoding(path: Path, asked: str | None) -> Encoding:
    if asked is not None:
        try:
            return Encoding(codecs.lookup(asked).name)
        except LookupError:
            raise DataError.saying(
                "There is no encoding {asked!r}; try utf-8 or cp1250.",
                asked=asked,
                field="encoding",
            ) from None
    with path.open("rb") as file:
        charset = detect_charset(file.read(_SAMPLE))
    if charset is None:
        raise DataError.saying("{file} is not a text file.", file=path)
    if charset.sure:
        # With a mark, the names without byte order skip it.
        marked = {"utf-8": "utf-8-sig"}.get(charset.name, charset.name[:6])
        return Encoding(marked if charset.bom else charset.name)
    note = Message(
        "{file} is not UTF-8 and was read as {name}; set the encoding if letters look wrong.",
        file=path.name,
        name=charset.name,
    )
    return Encoding(charset.name, (note,))
