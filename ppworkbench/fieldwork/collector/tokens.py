"""Tokens, each good for one answer: made, printed on slips, and read from a list.

A token has 60 random bits. The collector stores hashes of unused ones only, and deletes a hash in
the transaction that stores the row; the two are never linked.
"""

from __future__ import annotations

import csv
import io
import secrets
from collections.abc import Sequence
from pathlib import Path

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import read_limited, write_text
from ppworkbench.study.html import css_variables, render

MOST = 1_000_000
SUFFIXES = (".csv", ".html")
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"
"""Digits and letters that nobody confuses on a slip."""
_LENGTH = 13
"""31 to the 13th is more than 2 to the 60th."""
_LARGEST = 64 * 2**20


def new_tokens(count: int) -> tuple[str, ...]:
    """Words of 60 random bits that nobody knows yet.

    >>> [len(word) for word in new_tokens(2)]
    [15, 15]
    """
    if not 1 <= count <= MOST:
        raise DataError.saying(
            "The number of tokens must be from 1 to {most:,}.", most=MOST, field="tokens"
        )
    made = ("".join(secrets.choice(_LETTERS) for _ in range(_LENGTH)) for _ in range(count))
    return tuple(f"{one[:4]}-{one[4:8]}-{one[8:]}" for one in made)


def check_name(path: str | Path) -> None:
    if Path(path).suffix.lower() not in SUFFIXES:
        raise DataError.saying(
            "{file} cannot be written; choose a name that ends in {known}.",
            file=path,
            known=", ".join(SUFFIXES),
        )


def write_tokens(words: Sequence[str], path: str | Path) -> None:
    """Write tokens as a list, or as a page of slips to cut; only its owner can read the file."""
    check_name(path)
    if Path(path).suffix.lower() == ".csv":
        text = "".join(f"{word}\n" for word in ("token", *words))
    else:
        text = render("questionnaire/tokens.html", style=css_variables(dark=False), words=words)
    write_text(path, text, private=True)


def read_tokens(path: str | Path) -> list[str]:
    """Tokens of a list, one a line; a line ``token`` above them is no token."""
    content = read_limited(path, _LARGEST, "{file} is too large for a list of tokens.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError.saying("{file} is not text in UTF-8.", file=path) from None
    try:
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except csv.Error:
        rows = []
    cells = [row[0].strip() for row in rows if row and row[0].strip()]
    words = cells[1:] if cells and cells[0].lower() == "token" else cells
    if not words or len(words) > MOST or not all(map(_is_word, words)):
        raise DataError.saying("{file} holds no list of tokens, one a line.", file=path)
    return words


def _is_word(cell: str) -> bool:
    """Whether a cell could be a token: what nobody could type is none."""
    return len(cell) <= 100 and any(letter.isalnum() for letter in cell)
