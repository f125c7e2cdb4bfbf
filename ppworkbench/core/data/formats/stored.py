"""How answers are stored as codes in SPSS and Stata files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Code
from ppworkbench.core.data.codebook import Stored
from ppworkbench.core.data.numerals import code_text
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


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
    """A name that is not taken yet, numbered if need be.

    >>> free_name("age", ["age", "age_2"])
    'age_3'
    """
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


def own_numbers(values: Sequence[str]) -> tuple[float, ...] | None:
    """The values as numbers, when every one of them is just a number.

    >>> own_numbers(["0", "1"]), own_numbers(["01", "1"])
    ((0.0, 1.0), None)
    """
    numbers = []
    for value in values:
        try:
            number = float(value)
        except ValueError:
            return None
        if not math.isfinite(number) or code_text(number) != value:
            return None
        numbers.append(number)
    return tuple(numbers) if numbers else None


def counted_codes(k: int, avoid: Collection[Code]) -> tuple[float, ...]:
    """1, 2, 3, ... for k values, leaving out what means missing.

    >>> counted_codes(3, {2.0})
    (1.0, 3.0, 4.0)
    """
    free = (float(i) for i in range(1, k + len(avoid) + 1) if float(i) not in avoid)
    return tuple(code for code, _ in zip(free, range(k), strict=False))


def written_codes(
    attribute: Attribute, is_storable: Callable[[float], bool], avoid: Collection[Code] = ()
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """The codes of the values as numbers; counted ones, and a sentence, where these do not do."""
    numbers = tuple(code for code in attribute.codes if not isinstance(code, str))
    codes = numbers if attribute.codes else own_numbers(attribute.values) or ()
    good = len({*codes}) == attribute.k and not {*avoid} & {*codes}
    if good and all(map(is_storable, codes)):
        return codes, ()
    counted = counted_codes(attribute.k, avoid)
    if not attribute.codes:
        return counted, ()
    return counted, (
        Message(
            "The codes of {attribute!r} are written as 1, 2, 3, ....", attribute=attribute.name
        ),
    )


def stored_numbers(column: Column, stored: Stored) -> Numbers:
    """The cells of a numeric variable: codes or numbers, NaN where nothing is known."""
    data = column.data
    if column.is_categorical:
        codes = np.array([*stored.codes, math.nan], dtype=np.float64)
        cells = codes[data]
    else:
        cells = data.copy()
    if column.why_missing is not None and stored.missing:
        known = [math.nan if code is None else code for code in stored.missing]
        held = np.array([math.nan, *known], dtype=np.float64)[column.why_missing]
        cells = np.where(column.missing & (column.why_missing > 0), held, cells)
    return np.asarray(cells, np.float64)


def stored_texts(column: Column, stored: Stored) -> NDArray[np.object_]:
    """The cells of a text variable; blank where nothing is known."""
    codes = np.array([*stored.codes, ""], dtype=object)
    cells = codes[column.data]
    if column.why_missing is not None and stored.missing:
        held = np.array(["", *(code or "" for code in stored.missing)], dtype=object)
        cells = np.where(column.missing & (column.why_missing > 0), held[column.why_missing], cells)
    return np.asarray(cells, dtype=object)


def value_labels(attribute: Attribute, stored: Stored) -> dict[Code, str]:
    """Labels of the stored codes; a code that is its own text needs none."""
    pairs = list(zip(stored.codes, attribute.values, strict=True))
    pairs += list(attribute.number_labels)
    labels = {code: label for code, label in pairs if label != code_text(code)}
    for code, missing in zip(stored.missing, attribute.missing_codes, strict=True):
        if code is not None and missing.label:
            labels[code] = missing.label
    return labels


def fitted_names(table: Table, rules: NameRules) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not table.columns:
        raise DataError("The table has no columns to write.")
    names = rules.fit(table.names)
    changed = [
        Message("{name!r} as {other}", name=a, other=b)
        for a, b in zip(table.names, names, strict=True)
        if a != b
    ]
    if not changed:
        return names, ()
    return names, (
        Message(
            "{program} does not allow some names: {changed}.",
            program=rules.program,
            changed=shorten(changed),
        ),
    )


def variable_label(column: Column, name: str) -> str:
    """The question or the title, or the attribute's own name where the file has another one."""
    attribute = column.attribute
    return attribute.label or attribute.title or (column.name if column.name != name else "")


class LabelCutter:
    """Cuts labels to what a program holds and remembers whose.

    The label of a question has a number of bytes and of characters, that of a value of bytes.
    """

    def __init__(self, program: str, most: int, characters: int, value: int) -> None:
        self.program = program
        self._most, self._characters, self._value = most, characters, value
        self.cut: list[str] = []

    def question(self, label: str, attribute: str) -> str:
        return self._fitting(label, attribute, self._most, self._characters)

    def value(self, label: str, attribute: str) -> str:
        return self._fitting(label, attribute, self._value, self._value)

    def _fitting(self, label: str, attribute: str, most: int, characters: int) -> str:
        fitting = cut_bytes(label.replace("\0", "")[:characters], most)
        if fitting != label and attribute not in self.cut:
            self.cut.append(attribute)
        return fitting

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.cut:
            return ()
        return (
            Message(
                "Labels too long for {program} were cut: {cut}.",
                program=self.program,
                cut=shorten(self.cut),
            ),
        )
