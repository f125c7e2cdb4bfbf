"""The kind of a column of texts, guessed with a reason."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.coded_labels import CodedLabels, read_coded_labels
from ppworkbench.core.data.guess_numbers import Known, guess_numbers
from ppworkbench.core.data.lookalikes import lookalike_note
from ppworkbench.core.data.numerals import (
    NumberFormat,
    Numerals,
    parse_numerals,
    read_numerals,
    shortest_number,
)
from ppworkbench.core.data.plans import NumberPlan, NumeralPlan, TextPlan, WordPlan
from ppworkbench.core.data.scales import order_scale, plain_words
from ppworkbench.core.data.summary import TextSummary, counted_summary
from ppworkbench.core.data.typical_codes import (
    FAST_NULLS,
    is_missing_among_numbers,
    missing_among_words,
    plain_missing_words,
)
from ppworkbench.core.message import Message

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


def guess_texts(
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
        blank = missing_among_words(counts, named) - (_digits(counts) - {*named})
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
    """A plan when all texts are numbers or mean no answer, else why they are not."""
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
    inner = guess_numbers(dataclasses.replace(known, named=tuple(met.tolist())), counted)
    notes = (*_word_notes(known.name, summary, gone), *inner.notes)
    if numerals.note:
        note = Message("{attribute!r}: {note}.", attribute=known.name, note=Message(numerals.note))
        notes = (*notes, note)
    inner = NumberPlan(inner.attribute, inner.categories, None, inner.missing, notes)
    return NumeralPlan(inner, numerals.form, gone), None


def _look_like_numbers(texts: pa.Array, named: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which texts have a digit and were not named as missing codes."""
    if len(texts) <= _MOST_WORDS_AMONG_NUMBERS:
        # A loop over few texts is faster than any call that is made for many.
        found = [any(c in _DIGITS for c in t) and t.strip() not in named for t in texts.to_pylist()]
        return np.array(found, np.bool_)
    has_digit = np.asarray(pc.match_substring_regex(texts, "[0-9]"), np.bool_)
    trimmed = pc.utf8_trim_whitespace(texts)
    return has_digit & ~np.asarray(pc.is_in(trimmed, pa.array(named, pa.string())), np.bool_)


def _word_notes(name: str, summary: TextSummary, gone: frozenset[str]) -> tuple[str, ...]:
    told = sorted(t for t in gone if t.strip() not in FAST_NULLS and t.strip())
    if not told:
        return ()
    listed = _counted(summary, told)
    return (
        Message(
            "{attribute!r}: read as missing among numbers: {listed}.",
            code="read-as-missing",
            attribute=name,
            listed=listed,
        ),
    )


def _digits(texts: dict[str, int]) -> frozenset[str]:
    return frozenset(text for text in texts if text.strip().lstrip("-").isdigit())


def _coded_plan(
    known: Known, summary: TextSummary, coded: CodedLabels, blank: frozenset[str]
) -> TextPlan:
    reasons = {
        Kind.BINARY: "Two answers with their codes.",
        Kind.ORDINAL: "Answers with their codes, which run along a known scale.",
        Kind.NOMINAL: "Answers with their codes, in the order of the codes.",
    }
    attribute = Attribute(
        known.name,
        coded.kind,
        coded.values,
        label=known.label,
        codes=coded.codes,
        measure=known.measure,
        reason=reasons[coded.kind],
    )
    places = {code: i for i, code in enumerate(coded.codes)}
    texts = summary.texts.to_pylist()
    found = [-1 if t in blank else places.get(coded.code_of[t], -1) for t in texts]
    notes: tuple[str, ...] = ()
    if coded.is_mixed:
        notes = (
            Message(
                "{attribute!r}: spellings with the same code are taken for one answer.",
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
                "{attribute!r}: {value} ({count}×) is read as missing.",
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
    values, kind, reason = _order_words(known, present, summary.without(_mask(texts, gone)))
    if numerals is not None and kind is not Kind.ORDINAL:
        why_text = Message(
            "It is text because {refusal} (such as {offender}).",
            refusal=Message.of(numerals.refusal),
            offender=_cut(numerals.offender),
        )
        reason = Message.joined((reason, why_text), code="numbers-as-text")
    attribute = Attribute(
        known.name,
        kind,
        values,
        label=known.label,
        measure=known.measure,
        reason=reason,
    )
    places = {value: i for i, value in enumerate(values)}
    codes = np.array([places.get(text, -1) for text in texts], np.int64)
    notes = _gone_notes(known.name, summary, gone) + lookalike_note(known.name, values)
    return TextPlan(attribute, summary.texts, codes, notes=notes)


def _order_words(
    known: Known, present: list[str], summary: TextSummary
) -> tuple[tuple[str, ...], Kind, str]:
    """The values in order, the kind, and why."""
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
            Message("The answers are steps of a scale ({topic}).", code="scale", topic=scale.topic),
        )
    if known.measure == "ordinal":
        return (
            in_order,
            Kind.ORDINAL,
            Message("The file calls it ordinal; put the values in order.", code="no-order"),
        )
    return in_order, Kind.NOMINAL, _why_nominal(summary)


def _alphabetical(text: str) -> tuple[str, str]:
    return plain_words(text[:100]), text


def _why_nominal(summary: TextSummary) -> str:
    k, n = len(summary.texts), summary.present
    dates = np.asarray(pc.match_substring_regex(summary.texts, _DATE), np.bool_)
    if dates.sum() >= 0.9 * k:
        return Message("Dates or times, kept as text ({k} different values).", k=k)
    if n >= _FREE_TEXT_FROM and k >= 0.9 * n:
        length = pc.mean(pc.utf8_length(summary.texts)).as_py()
        what = Message("free text") if length > 25 else Message("an identifier or a name")
        return Message(
            "Text that is almost always different ({k} values): looks like {what}.",
            code="names",
            k=k,
            what=what,
        )
    return Message("Text with {k} different values and no known order.", k=k)


def _order_pair(pair: tuple[str, ...]) -> tuple[str, ...]:
    one, two = (plain_words(value) for value in pair)
    swapped = one in _SECOND_OF_TWO and two in _FIRST_OF_TWO
    # Women and men, or whatever else has no order, stay in the order of the alphabet.
    return pair[::-1] if swapped and one not in ("female", "kobieta") else pair


def _gone_notes(name: str, summary: TextSummary, gone: frozenset[str]) -> tuple[str, ...]:
    told = sorted(t for t in gone if t.strip() and t.strip() not in ("NA", "?"))
    if not told:
        return ()
    listed = _counted(summary, told)
    return (
        Message(
            "{attribute!r}: read as missing: {listed}.",
            code="read-as-missing",
            attribute=name,
            listed=listed,
        ),
    )


def _counted(summary: TextSummary, told: list[str]) -> str:
    places = pc.index_in(pa.array(told, pa.string()), summary.texts).to_pylist()
    return ", ".join(
        f"{text.strip()!r} ({summary.counts[place]}×)"
        for text, place in zip(told, places, strict=True)
    )


def _mask(texts: list[str], gone: frozenset[str]) -> NDArray[np.bool_]:
    return np.array([text in gone for text in texts], np.bool_)


def _cut(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
