"""Names and labels made to fit the rules of a statistics program, never silently."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class NameRules:
    """What a program accepts as the name of a variable.

    Parameters
    ----------
    longest
        The most bytes of UTF-8.
    others
        Characters that may stand after the first besides letters and digits.
    first
        Characters that may begin a name besides letters.
    reserved
        Words that cannot be names, in lower case.
    folds_case
        Whether ``Sex`` and ``sex`` are the same name.
    """

    program: str
    longest: int
    others: str
    first: str
    reserved: frozenset[str]
    reserved_pattern: str = r"(?!)"
    folds_case: bool = False

    def allow(self, name: str) -> bool:
        """Whether a name is good as it is."""
        return (
            bool(name)
            and len(name.encode()) <= self.longest
            and (_is_letter(name[0]) or name[0] in self.first)
            and all(_is_letter(c) or _is_digit(c) or c in self.others for c in name)
            and not name.endswith(".")
            and not self._is_reserved(name)
        )

    def fit(self, names: Sequence[str]) -> tuple[str, ...]:
        """Different, allowed names in the same order; good ones stay as they are.

        >>> SPSS_NAMES.fit(["age", "1st choice", "Age", "with"])
        ('age', 'V1st_choice', 'Age_2', 'with_')
        """
        fitted: list[str | None] = [name if self.allow(name) else None for name in names]
        taken: set[str] = set()
        # Good names come first: a name that must change may not push a good one away.
        for i, name in enumerate(fitted):
            if name is not None and self._key(name) not in taken:
                taken.add(self._key(name))
            else:
                fitted[i] = None
        result = []
        for name, kept in zip(names, fitted, strict=True):
            final = kept if kept is not None else self._free(self._repair(name), taken)
            taken.add(self._key(final))
            result.append(final)
        return tuple(result)

    def _key(self, name: str) -> str:
        return name.casefold() if self.folds_case else name

    def _is_reserved(self, name: str) -> bool:
        low = name.casefold()
        return low in self.reserved or re.fullmatch(self.reserved_pattern, low) is not None

    def _repair(self, name: str) -> str:
        fine = (c if _is_letter(c) or _is_digit(c) or c in self.others else "_" for c in name)
        repaired = "".join(fine).rstrip(".")
        if not repaired.strip("_") or not (_is_letter(repaired[0]) or repaired[0] in self.first):
            repaired = f"V{repaired}"
        repaired = cut_bytes(repaired, self.longest).rstrip(".")
        return (
            f"{cut_bytes(repaired, self.longest - 1)}_" if self._is_reserved(repaired) else repaired
        )

    def _free(self, name: str, taken: set[str]) -> str:
        candidate, number = name, 2
        while self._key(candidate) in taken or self._is_reserved(candidate):
            tail = f"_{number}"
            candidate = cut_bytes(name, self.longest - len(tail)) + tail
            number += 1
        return candidate


def cut_bytes(text: str, most: int) -> str:
    """The longest beginning of a text that has at most so many bytes of UTF-8.

    >>> cut_bytes("żółw", 5)
    'żó'
    """
    return text.encode()[:most].decode(errors="ignore")


def unique_names(names: Sequence[str]) -> list[str]:
    """The same names, repeated ones numbered.

    >>> unique_names(["a", "b", "a"])
    ['a', 'b', 'a_2']
    """
    taken: set[str] = set()
    known = set(names)
    result = []
    for name in names:
        result.append(name if name not in taken else free_name(name, taken | known))
        taken.add(result[-1])
    return result


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, numbered when it is taken."""
    candidate, number = name, 2
    while candidate in taken:
        candidate = f"{name}_{number}"
        number += 1
    return candidate


def _is_letter(character: str) -> bool:
    return character.isalpha()


def _is_digit(character: str) -> bool:
    # ASCII only: other digits are letters to one program and refused by the next.
    return character.isascii() and character.isdigit()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SPSS_NAMES = NameRules(
    program="SPSS",
    longest=64,
    others="._$#@",
    first="",
    reserved=_words("all and by eq ge gt le lt ne not or to with"),
    folds_case=True,
)

STATA_NAMES = NameRules(
    program="Stata",
    longest=32,
    others="_",
    first="_",
    reserved=_words(
        "_all _b byte _coef _cons double float if in int long _n _pi _pred _rc _skip strl using "
        "with"
    ),
    reserved_pattern=r"str\d+",
)
