"""The kind of a column of numbers, guessed with a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import (
    FROM_DATA,
    Attribute,
    Kind,
    MissingCode,
    rounded_domain,
)
from ppworkbench.core.data.inference.plans import NumberDecoder, NumberSummary
from ppworkbench.core.data.missing import POSITIVE, STRONG_NEGATIVE, WEAK_NEGATIVE
from ppworkbench.core.data.numerals import number_text, shortest_number
from ppworkbench.core.data.raw import RawColumn
from ppworkbench.core.message import Message

LONGEST_SCALE = 11
"""Scales run from 1 to 11 or from 0 to 10 at most; longer ones are counts."""

_CALLED = {
    "nominal": "Numbers declared nominal in the file.",
    "ordinal": "Numbers declared ordinal in the file.",
}
_AMOUNT_WORDS = """
    age wiek year years rok lata lat num number count counts nr liczba ile amount kwota
    children child kids dzieci dziecko persons people osoby osob dependents members
    visits wizyty times razy hours godziny days dni weeks months minutes income dochod salary
    pay price cost credits papers babies preteen teens adults preg pregnancies
    pregnant semester semestr siblings cars rooms legs"""
_CLASS_WORDS = "class klasa type typ group grupa category kategoria code kod cluster label"
_PERSONAL_WORDS = """
    name names surname forename firstname lastname fullname username nickname imie imię nazwisko
    nazwa email mail phone telephone mobile telefon tel address adres street ulica id ident
    identifier uuid ssn pesel nip passport paszport signature podpis"""
_AMOUNTS = frozenset(_AMOUNT_WORDS.split())
_PERSONAL = frozenset(_PERSONAL_WORDS.split())
"""Words in names of columns that tell who somebody is."""
_CLASSES = frozenset(_CLASS_WORDS.split())


@dataclass(frozen=True)
class Known:
    name: str
    label: str = ""
    measure: str = ""
    named: tuple[float, ...] = ()

    @classmethod
    def of(cls, column: RawColumn, named: tuple[float, ...] = ()) -> Known:
        return cls(column.name, column.label, column.measure, named)

    def attribute(self, kind: Kind, values: tuple[str, ...] = (), **more: Any) -> Attribute:
        return Attribute(self.name, kind, values, label=self.label, measure=self.measure, **more)

    @property
    def words(self) -> frozenset[str]:
        spaced = re.sub(r"(?<=[a-ząćęłńóśźż])(?=[A-Z])", " ", self.name)
        return frozenset(re.split(r"[\W_\d]+", spaced.casefold()))

    @property
    def is_amount(self) -> bool:
        return bool(self.words & _AMOUNTS)

    @property
    def is_personal(self) -> bool:
        return bool(self.words & _PERSONAL)


@dataclass(frozen=True)
class _Codes:
    missing: tuple[tuple[float, int], ...] = ()
    suspicious: tuple[tuple[float, int], ...] = ()


def infer_numeric(known: Known, summary: NumberSummary) -> NumberDecoder:
    codes = find_codes(summary)
    taken = {code for code, _ in codes.missing}
    missing = (*known.named, *(code for code, _ in codes.missing))
    notes = _code_notes(known.name, summary, codes)
    distinct = summary.distinct if summary.present else np.empty(0)
    if distinct is not None:
        distinct = distinct[~np.isin(distinct, list(taken))]
    kept = [number for number, _ in summary.outer if number not in taken]
    # Adding zero turns a minus zero into a plain one.
    low, high = min([summary.low, *kept]) + 0.0, max([summary.high, *kept]) + 0.0
    kind, reason = _kind(known, distinct, (low, high), summary)
    declared = tuple(MissingCode(code) for code in missing)
    said: dict[str, Any] = {"reason": reason, "missing_codes": declared, "domain_source": FROM_DATA}
    if kind.is_categorical:
        categories = np.empty(0) if distinct is None else distinct
        values = tuple(number_text(number) for number in categories.tolist())
        attribute = known.attribute(kind, values, **said)
        return NumberDecoder(attribute, categories, missing=missing, notes=notes)
    attribute = known.attribute(kind, domain=rounded_domain(low, high), **said)
    return NumberDecoder(attribute, missing=missing, notes=notes)


def find_codes(summary: NumberSummary) -> _Codes:
    """Which of the outer numbers cannot be answers.

    Below zero in a column that has no other number below zero, or far above all others: beyond
    three times the end of a short scale, or four widths of the range above its end.
    """
    low, high = summary.low, summary.high
    if not low < high or not summary.outer:
        return _Codes()
    scale = _is_short_scale(summary)
    missing, suspicious = [], []
    below = [(code, n) for code, n in summary.outer if code < min(low, 0.0)]
    if low >= 0:
        weak = [(code, n) for code, n in below if code in WEAK_NEGATIVE]
        weak_go = scale and low >= 1 and high - low >= 2
        strong = [(code, n) for code, n in below if code in STRONG_NEGATIVE]
        if weak and not weak_go:
            # -1, -2, ... -9 may well be a run of numbers below zero.
            strong = [(code, n) for code, n in strong if code < -9]
        missing += strong + (weak if weak_go else [])
        suspicious += [pair for pair in below if pair not in missing]
    width = high - low
    limit = max(3 * high, high + 20) if scale else high + 4 * width
    for code, n in summary.outer:
        if code in POSITIVE and code > high:
            if code > limit:
                missing.append((code, n))
            elif code > high + width / 4:
                suspicious.append((code, n))
    return _Codes(tuple(missing), tuple(suspicious))


def _is_short_scale(summary: NumberSummary) -> bool:
    if summary.distinct is None or not summary.is_whole:
        return False
    return summary.low in (0, 1) and summary.high <= LONGEST_SCALE


def _kind(
    known: Known, distinct: Numbers | None, range_: tuple[float, float], summary: NumberSummary
) -> tuple[Kind, str]:
    if distinct is not None and len(distinct) <= 2:
        few = _kind_of_few(known, distinct, range_)
        if few is not None:
            return few
    low, high = (shortest_number(bound) for bound in range_)
    if not summary.is_whole:
        return Kind.CONTINUOUS, Message(
            "Numbers with decimals from {low} to {high}.", low=low, high=high
        )
    if distinct is not None and known.measure in _CALLED:
        return Kind(known.measure), _CALLED[known.measure]
    is_dense = range_[1] - range_[0] < 3 * summary.present
    # Ages of a few people are all different, too.
    if summary.is_unique and is_dense and not known.is_amount:
        return Kind.INTEGER, Message(
            "Distinct whole numbers; perhaps an identifier.", code="record-number"
        )
    if distinct is not None and _is_gapless_scale(distinct):
        return _kind_of_scale(
            known, Message("Whole numbers from {low} to {high}", low=low, high=high)
        )
    return Kind.INTEGER, Message("Whole numbers from {low} to {high}.", low=low, high=high)


def _kind_of_scale(known: Known, numbers: str) -> tuple[Kind, str]:
    if known.measure == "scale":
        return Kind.INTEGER, Message("{numbers}, a scale in the file.", numbers=numbers)
    if known.words & _CLASSES:
        return Kind.NOMINAL, Message("{numbers}; classes, judging by the name.", numbers=numbers)
    if known.words & _AMOUNTS:
        return Kind.INTEGER, Message("{numbers}; an amount, judging by the name.", numbers=numbers)
    return Kind.ORDINAL, Message("{numbers}: an answer scale.", numbers=numbers)


def _kind_of_few(
    known: Known, distinct: Numbers, range_: tuple[float, float]
) -> tuple[Kind, str] | None:
    if len(distinct) == 0:
        return Kind.NOMINAL, "All answers are missing."
    if len(distinct) == 1:
        return Kind.NOMINAL, "All answers are the same number."
    is_amount = known.words & _AMOUNTS and range_ != (0.0, 1.0)
    if is_amount and (distinct == np.rint(distinct)).all():
        return Kind.INTEGER, "Two distinct numbers; an amount, judging by the name."
    return Kind.BINARY, "Two different numbers."


def _is_gapless_scale(distinct: Numbers) -> bool:
    low, high = distinct[0], distinct[-1]
    return bool(
        3 <= len(distinct) <= LONGEST_SCALE
        and low in (0, 1)
        and high - low + 1 == len(distinct)
        and high <= LONGEST_SCALE
    )


def _code_notes(name: str, summary: NumberSummary, codes: _Codes) -> tuple[str, ...]:
    if codes == _Codes():
        return ()
    low, high = shortest_number(summary.low), shortest_number(summary.high)
    return tuple(
        Message(
            "{attribute!r}: {value} ({count}×) was read as missing; it is unlikely among "
            "numbers from {low} to {high}."
            if is_gone
            else "{attribute!r}: {value} ({count}×) is far from the numbers {low} to {high}; "
            "declare it as a missing code if it means no answer.",
            code="read-as-missing" if is_gone else "stands-apart",
            attribute=name,
            value=shortest_number(code),
            count=count,
            low=low,
            high=high,
        )
        for is_gone, found in ((True, codes.missing), (False, codes.suspicious))
        for code, count in found
    )
