"""The encoding of text files that are read as a whole."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from ppworkbench.core.data.charset import detect_charset
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

_SAMPLE = 1 << 23
"""So many bytes tell the encoding; a letter that comes later is checked when it is read."""


@dataclass(frozen=True)
class Encoding:
    """An encoding by Python's name, and a sentence if it had to be guessed."""

    name: str
    notes: tuple[str, ...] = ()


def find_encoding(path: Path, asked: str | None) -> Encoding:
    """Take the encoding asked for, or judge by the file's beginning."""
    if asked is not None:
        try:
            return Encoding(codecs.lookup(asked).name)
        except LookupError:
            raise DataError(
                Message("There is no encoding {asked!r}; try utf-8 or cp1250.", asked=asked),
                field="encoding",
            ) from None
    with path.open("rb") as file:
        charset = detect_charset(file.read(_SAMPLE))
    if charset is None:
        raise DataError(Message("{file} is not a text file.", file=path.name), file=path)
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
