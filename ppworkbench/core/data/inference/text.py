"""Kinds of columns, guessed by what they hold, each with a reason in words.

Two different values make a binary attribute; recognised answer scales and short runs of whole
numbers an ordinal one; other text a nominal one; other whole numbers an integer one; decimals a
continuous one. What a file declares (labels, measure levels, lists of values) goes first.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import FROM_DATA, Kind
from ppworkbench.core.data.inference.numbers import Known, find_codes, infer_numeric
from ppworkbench.core.data.inference.plans import (
    NumberDecoder,
    NumeralPlan,
    TextPlan,
    TextSummary,
    WordPlan,
    counted_summary,
)
from ppworkbench.core.data.inference.scales import is_in_order, order_scale, plain_words
from ppworkbench.core.data.missing import (
    FAST_NULLS,
    TYPICAL_CODES,
    is_missing_among_numbers,
    missing_among_words,
    plain_missing_words,
)
from ppworkbench.core.data.numerals import (
    NumberFormat,
    Numerals,
    number_text,
    parse_numerals,
    read_numerals,
    shortest_number,
)
from ppworkbench.core.data.table import Column, counted_values, shorten
from ppworkbench.core.message import Message

_CODED = re.compile(r"\s*(-?\d{1,5})\s*[-–—:=.)]\s*(?=[^\W\d])(.*\S)\s*", re.DOTALL)
_BARE = re.compile(r"\s*(-?\d{1,5})(?:[.,]0*)?\s*")
_NO_ANSWER = frozenset(
    {
        "nie dotyczy",
        "not applicable",
        "no answer",
        "brak odpowiedzi",
        "brak danych",
        "odmowa",
        "odmowa odpowiedzi",
        "refused",
        "refusal",
        "missing",
        "no data",
    }
)


@dataclass(frozen=True)
class CodedLabels:
    """Spellings brought together under their codes.

    ``code_of`` has the code of each text; ``values`` and ``codes`` are the answers in ascending
    order of code; ``missing`` are codes that mean no answer.
    """

    code_of: dict[str, float]
    values: tuple[str, ...]
    codes: tuple[float, ...]
    missing: tuple[float, ...]
    kind: Kind
    is_mixed: bool


def read_coded_labels(counts: dict[str, int]) -> CodedLabels | None:
    """Bring spellings together; None unless every text is a code, with or without its label.

    >>> found = read_coded_labels({"5 - yes": 3, "1 - no": 2, "5": 1})
    >>> found.values, found.codes
    (('1 - no', '5 - yes'), (1.0, 5.0))
    """
    code_of: dict[str, float] = {}
    spellings: dict[float, str] = {}
    labels: dict[float, str] = {}
    # The most frequent spelling of a code becomes the value.
    for text in sorted(counts, key=lambda one: (-counts[one], one)):
        coded, bare = _CODED.fullmatch(text), _BARE.fullmatch(text)
        if coded is None and bare is None:
            return None
        code = float((coded or bare)[1])  # type: ignore[index]
        code_of[text] = code
        if coded is not None:
            if plain_words(labels.setdefault(code, coded[2])) != plain_words(coded[2]):
                return None
            spellings.setdefault(code, text)
    if len(labels) < 2:
        return None
    missing = _missing(code_of, counts, labels)
    codes = tuple(sorted({*code_of.values()} - {*missing}))
    values = tuple(spellings.get(code, number_text(code)) for code in codes)
    is_scale = is_in_order([labels[code] for code in codes if code in labels])
    kind = Kind.BINARY if len(codes) == 2 else Kind.ORDINAL if is_scale else Kind.NOMINAL
    return CodedLabels(code_of, values, codes, missing, kind, len(code_of) > len(spellings))


def _missing(
    code_of: dict[str, float], counts: dict[str, int], labels: dict[float, str]
) -> tuple[float, ...]:
    numbers = np.array([code_of[text] for text in counts])
    summary = counted_summary(numbers, np.array([*counts.values()]), 0)
    impossible = {code for code, _ in find_codes(summary).missing if code not in labels}
    unanswered = {
        code
        for code, label in labels.items()
        if plain_words(label) in _NO_ANSWER and code in TYPICAL_CODES
    }
    return tuple(sorted(impossible | unanswered))


_MOST = 20_000
_TOLD = 4


def similar_values(values: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Groups of values that differ only in case, in spaces, or in how a number is written.

    >>> similar_values(["tak", "TAK", " tak", "nie"])
    ((' tak', 'TAK', 'tak'),)
    >>> similar_values(["1", "01", "1.0", "2"])
    (('01', '1', '1.0'),)
    """
    groups: dict[str | float, list[str]] = defaultdict(list)
    for value in values:
        groups[_essence(value)].append(value)
    return tuple(tuple(sorted(group)) for group in groups.values() if len(group) > 1)


def lookalike_note(name: str, values: Sequence[str]) -> tuple[str, ...]:
    groups = similar_values(values) if len(values) <= _MOST else ()
    if not groups:
        return ()
    shown = Message.joined((shorten(group[:6], quoted=True) for group in groups[:_TOLD]), "; ")
    if len(groups) > _TOLD:
        shown = Message("{shown} and {count} more groups", shown=shown, count=len(groups) - _TOLD)
    return (
        Message(
            "{attribute!r} has similar values ({shown}); merge them if they mean the same.",
            code="look-alike",
            attribute=name,
            shown=shown,
        ),
    )


def _essence(value: str) -> str | float:
    text = " ".join(value.split()).casefold()
    if text[:1] in "+-.0123456789":
        with suppress(ValueError):
            return int(text)
        with suppress(ValueError):
            return float(text)
    return text


_MOST_WORDS_AMONG_NUMBERS = 64
_MOST_CODED = 200
_DIGITS = frozenset("0123456789")
_FREE_TEXT_FROM = 20
_READABLE = 5_000
"""Longer lists of values nobody reads, so they are not sorted as in a dictionary."""
_DATE = (
    r"^\s*(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}:\d{2})"
    r"([T ]?\d{0,2}(:\d{2}){0,2}(\.\d+)?( ?[AaPp][Mm])?(Z|[+-]\d{2}:?\d{2})?)?\s*$"
)
_FIRST_OF_TWO = ("false", "f", "n", "off", "falsz", "not", "male", "mezczyzna", "absent")
_SECOND_OF_TWO = ("true", "t", "y", "on", "prawda", "yes", "female", "kobieta", "present")


def infer_text(
    known: Known, summary: TextSummary, named: tuple[str, ...], form: NumberFormat | None
) -> WordPlan:
    """Settle the attribute of a column of texts: numbers in disguise, a scale, or words.

    Without a number format, numbers stay text: the file itself says that they are.
    """
    numerals = None
    if form is not None:
        numbers, numerals = _as_numbers(known, summary, named, form)
        if numbers is not None:
            return numbers
    if len(summary.texts) <= _MOST_CODED:
        counts = dict(zip(summary.texts.to_pylist(), summary.counts.tolist(), strict=True))
        digits = {text for text in counts if text.strip().lstrip("-").isdigit()}
        blank = missing_among_words(counts, named) - (digits - {*named})
        coded = read_coded_labels({t: n for t, n in counts.items() if t not in blank})
        if coded is not None:
            return _coded_plan(known, summary, coded, blank)
    return _word_plan(known, summary, _missing_words(summary.texts, named), numerals)


def _missing_words(texts: pa.Array, named: tuple[str, ...]) -> frozenset[str]:
    if len(texts) > _READABLE:
        # Among so many texts no single one stands out; only plain words for nothing count.
        texts = texts.filter(pc.less(pc.utf8_length(texts), 16))
        texts = texts.filter(
            pc.is_in(pc.utf8_trim_whitespace(texts), pa.array(plain_missing_words(named)))
        )
    return missing_among_words(texts.to_pylist(), named)


def _as_numbers(
    known: Known, summary: TextSummary, named: tuple[str, ...], form: NumberFormat
) -> tuple[NumeralPlan | None, Numerals | None]:
    codes = parse_numerals(pa.array(named, pa.string()), form)
    words_named = tuple(t for t, code in zip(named, codes, strict=True) if np.isnan(code))
    is_number = _look_like_numbers(summary.texts, words_named)
    words = summary.texts.filter(pa.array(~is_number))
    if not is_number.any() or len(words) > _MOST_WORDS_AMONG_NUMBERS:
        return None, None
    gone = frozenset(words.to_pylist())
    texts, counts = summary.texts.filter(pa.array(is_number)), summary.counts[is_number]
    numerals = read_numerals(texts, form)
    odd = next((t for t in sorted(gone) if not is_missing_among_numbers(t, named)), None)
    if odd is not None and not numerals.refusal:
        numerals = Numerals(np.empty(0), form, Message("not every answer is a number"), odd)
    if numerals.refusal:
        real = ~np.isnan(parse_numerals(texts, form))
        is_close = counts[real].sum() > 0.5 * summary.present
        return None, numerals if is_close else None
    met = np.intersect1d(codes[~np.isnan(codes)], numerals.numbers)
    left = ~np.isin(numerals.numbers, met)
    absent = summary.nulls + summary.present - int(counts[left].sum())
    counted = counted_summary(numerals.numbers[left], counts[left], absent)
    inner = infer_numeric(dataclasses.replace(known, named=tuple(met.tolist())), counted)
    notes = (*_missing_notes(known.name, summary, gone, among_numbers=True), *inner.notes)
    if numerals.note:
        note = Message("{attribute!r}: {note}.", attribute=known.name, note=Message(numerals.note))
        notes = (*notes, note)
    inner = NumberDecoder(inner.attribute, inner.categories, inner.missing, notes)
    return NumeralPlan(inner, numerals.form, gone), None


def _look_like_numbers(texts: pa.Array, named: tuple[str, ...]) -> NDArray[np.bool_]:
    if len(texts) <= _MOST_WORDS_AMONG_NUMBERS:
        # A loop over few texts is faster than any call that is made for many.
        found = [any(c in _DIGITS for c in t) and t.strip() not in named for t in texts.to_pylist()]
        return np.array(found, np.bool_)
    has_digit = np.asarray(pc.match_substring_regex(texts, "[0-9]"), np.bool_)
    trimmed = pc.utf8_trim_whitespace(texts)
    return has_digit & ~np.asarray(pc.is_in(trimmed, pa.array(named, pa.string())), np.bool_)


def _missing_notes(
    name: str, summary: TextSummary, gone: frozenset[str], *, among_numbers: bool = False
) -> tuple[str, ...]:
    usual: Collection[str] = FAST_NULLS if among_numbers else ("NA", "?")
    told = sorted(t for t in gone if t.strip() and t.strip() not in usual)
    if not told:
        return ()
    note = Message(
        "{attribute!r}: read as missing among numbers: {listed}."
        if among_numbers
        else "{attribute!r}: read as missing: {listed}.",
        code="read-as-missing",
        attribute=name,
        listed=_counted(summary, told),
    )
    return (note,)


def _coded_plan(
    known: Known, summary: TextSummary, coded: CodedLabels, blank: frozenset[str]
) -> TextPlan:
    reasons = {
        Kind.BINARY: "Two values with codes.",
        Kind.ORDINAL: "Values with codes that form a known scale.",
        Kind.NOMINAL: "Values with codes, in the order of the codes.",
    }
    attribute = known.attribute(
        coded.kind,
        coded.values,
        codes=coded.codes,
        reason=reasons[coded.kind],
        domain_source=FROM_DATA,
    )
    places = {code: i for i, code in enumerate(coded.codes)}
    texts = summary.texts.to_pylist()
    found = [-1 if t in blank else places.get(coded.code_of[t], -1) for t in texts]
    notes: tuple[str, ...] = ()
    if coded.is_mixed:
        notes = (
            Message(
                "{attribute!r}: spellings with the same code were merged.",
                attribute=known.name,
            ),
        )
    for code in coded.missing:
        count = sum(
            int(n)
            for t, n in zip(texts, summary.counts, strict=True)
            if coded.code_of.get(t) == code
        )
        notes += (
            Message(
                "{attribute!r}: {value} ({count}×) was read as missing.",
                code="read-as-missing",
                attribute=known.name,
                value=shortest_number(code),
                count=count,
            ),
        )
    return TextPlan(attribute, summary.texts, np.array(found, np.int64), notes=notes)


def _word_plan(
    known: Known, summary: TextSummary, gone: frozenset[str], numerals: Numerals | None
) -> TextPlan:
    texts = summary.texts.to_pylist()
    present = [text for text in texts if text not in gone]
    is_gone = np.array([text in gone for text in texts], np.bool_)
    values, kind, reason = _order_words(known, present, summary.without(is_gone))
    if numerals is not None and kind is not Kind.ORDINAL:
        why_text = Message(
            "Text, because {refusal} (e.g. {offender!r}).",
            refusal=Message.of(numerals.refusal),
            offender=_cut(numerals.offender),
        )
        reason = Message.joined((reason, why_text), code="numbers-as-text")
    attribute = known.attribute(kind, values, reason=reason, domain_source=FROM_DATA)
    places = {value: i for i, value in enumerate(values)}
    codes = np.array([places.get(text, -1) for text in texts], np.int64)
    notes = _missing_notes(known.name, summary, gone) + lookalike_note(known.name, values)
    return TextPlan(attribute, summary.texts, codes, notes=notes)


def _order_words(
    known: Known, present: list[str], summary: TextSummary
) -> tuple[tuple[str, ...], Kind, str]:
    if not present:
        return (), Kind.NOMINAL, "All answers are missing."
    in_order = tuple(sorted(present, key=_alphabetical if len(present) <= _READABLE else None))
    if len(present) == 1:
        return in_order, Kind.NOMINAL, "All answers are the same."
    scale = order_scale(present)
    if len(present) == 2:
        pair = scale.values if scale is not None else _order_pair(in_order)
        return pair, Kind.BINARY, "Two different values."
    if scale is not None:
        return (
            scale.values,
            Kind.ORDINAL,
            Message("The answers form a scale ({topic}).", code="scale", topic=scale.topic),
        )
    if known.measure == "ordinal":
        return (
            in_order,
            Kind.ORDINAL,
            Message("Ordinal in the file; put the values in order.", code="no-order"),
        )
    return in_order, Kind.NOMINAL, _why_nominal(known, summary)


def _alphabetical(text: str) -> tuple[str, str]:
    return plain_words(text[:100]), text


def _why_nominal(known: Known, summary: TextSummary) -> str:
    k, n = len(summary.texts), summary.present
    dates = np.asarray(pc.match_substring_regex(summary.texts, _DATE), np.bool_)
    if dates.sum() >= 0.9 * k:
        return Message("Dates or times, kept as text ({k} distinct values).", k=k)
    if is_almost_distinct(k, n):
        length = pc.mean(pc.utf8_length(summary.texts)).as_py()
        what = Message("free text") if length > 25 else Message("an identifier or a name")
        return Message(
            "Text that is almost always distinct ({k} values), perhaps {what}.",
            code="names",
            k=k,
            what=what,
        )
    if may_be_names(known, k, n):
        return Message(
            "Text that is mostly distinct ({k} values), perhaps a name, judging by the column.",
            code="names",
            k=k,
        )
    return Message("Text with {k} distinct values and no known order.", k=k)


def is_almost_distinct(k: int, n: int) -> bool:
    """Whether so many values of n answers are identifiers or free text."""
    return n >= _FREE_TEXT_FROM and k >= 0.9 * n


def may_be_names(known: Known, k: int, n: int) -> bool:
    """Whether a column that is called so names people: a first name is given by several."""
    return n >= _FREE_TEXT_FROM and k >= 0.5 * n and known.is_personal


def looks_personal(column: Column) -> bool:
    """Whether answers look like record numbers, names or free text, whoever set their kind."""
    attribute, known = column.attribute, Known(column.name)
    if attribute.may_name_people:
        return True
    if column.is_set or attribute.kind not in (Kind.NOMINAL, Kind.INTEGER):
        return False
    if column.is_categorical:
        counts = np.asarray(column.counts)
        k, n = int(np.count_nonzero(counts)), int(counts.sum())
        return is_almost_distinct(k, n) or may_be_names(known, k, n)
    if known.is_amount:
        return False
    present = column.data[~column.missing]
    n = len(present)
    return n >= _FREE_TEXT_FROM and np.ptp(present) < 3 * n and len(np.unique(present)) == n


def _order_pair(pair: tuple[str, ...]) -> tuple[str, ...]:
    one, two = (plain_words(value) for value in pair)
    swapped = one in _SECOND_OF_TWO and two in _FIRST_OF_TWO
    # Women and men, or whatever else has no order, stay in the order of the alphabet.
    return pair[::-1] if swapped and one not in ("female", "kobieta") else pair


def _counted(summary: TextSummary, told: list[str]) -> tuple[Message, ...]:
    places = pc.index_in(pa.array(told, pa.string()), summary.texts).to_pylist()
    return counted_values(
        (text.strip(), int(summary.counts[place])) for text, place in zip(told, places, strict=True)
    )


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
