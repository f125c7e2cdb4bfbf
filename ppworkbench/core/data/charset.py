"""Which character encoding the bytes of a text file are in."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.message import Message

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
