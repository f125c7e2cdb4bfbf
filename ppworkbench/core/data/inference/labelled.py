"""The attribute of a column whose file lists the possible answers (ARFF, categories)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import (
    FROM_DATA,
    PUBLIC,
    Code,
    Kind,
    MissingCode,
    rounded_domain,
)
from ppworkbench.core.data.inference.numbers import LONGEST_SCALE, Known
from ppworkbench.core.data.inference.plans import (
    NumberDecoder,
    TextPlan,
    TextSummary,
    summarise_texts,
)
from ppworkbench.core.data.inference.scales import is_in_order, order_scale
from ppworkbench.core.data.missing import is_missing_word
from ppworkbench.core.data.numerals import (
    code_text,
    is_number_type,
    number_text,
    shortest_number,
    written_numbers,
)
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.raw import RawColumn
from ppworkbench.core.data.table import Column, shorten
from ppworkbench.core.message import Message

_MOST_CATEGORIES = 10_000
_CALLED = {"nominal": "Nominal in the file.", "ordinal": "Ordinal in the file."}


def guess_labelled(
    known: Known, column: RawColumn, distinct: Numbers, declared: tuple[MissingCode, ...]
) -> NumberDecoder:
    """Settle the attribute of a column of numbers of which at least some have labels.

    ``distinct`` are the answers without missing ones, in ascending order; ``declared`` are all
    missing codes.
    """
    gone = {missing.code for missing in declared}
    labels = {
        float(code): label
        for code, label in column.value_labels.items()
        if not isinstance(code, str) and code not in gone
    }
    codes = np.union1d(distinct, np.array([*labels], np.float64))
    bare = [code for code in distinct.tolist() if code not in labels]
    missing = tuple(None if isinstance(m.code, str) else m.code for m in declared)
    gaps: dict[str, Any] = {
        "missing_codes": declared, "missing_ranges": column.missing_ranges
    }  # fmt: skip
    if not _is_categorical(known, codes, bare):
        # The domain is that of the answers: a label may be for a code that nobody gave.
        whole = bool((distinct == np.rint(distinct)).all())
        attribute = known.attribute(
            Kind.INTEGER if whole else Kind.CONTINUOUS,
            domain=rounded_domain(distinct[0], distinct[-1]),
            domain_source=FROM_DATA,
            number_labels=tuple(sorted(labels.items())),
            reason=Message("Numbers; only {count} have a label.", count=len(labels)),
            **gaps,
        )
        return NumberDecoder(attribute, missing=missing)
    values = _different([(code, labels.get(code, number_text(code))) for code in codes.tolist()])
    kind, reason = _kind(known, codes, [labels.get(code, "") for code in codes.tolist()])
    source = FROM_DATA if bare else PUBLIC
    attribute = known.attribute(
        kind, values, codes=tuple(codes.tolist()), reason=reason, domain_source=source, **gaps
    )
    notes: tuple[str, ...] = ()
    if bare:
        listed = tuple(shortest_number(code) for code in bare[:8])
        notes = (
            Message(
                "{attribute!r}: codes without a label are used as labels ({listed}).",
                attribute=known.name,
                listed=listed,
            ),
        )
    return NumberDecoder(attribute, codes, missing=missing, notes=notes)


def guess_labelled_texts(
    known: Known, column: RawColumn, summary: TextSummary, declared: tuple[MissingCode, ...]
) -> TextPlan:
    """Settle the attribute of a column of text codes of which at least some have labels."""
    gone = {missing.code: i + 1 for i, missing in enumerate(declared)}
    labels = {
        code: label
        for code, label in column.value_labels.items()
        if isinstance(code, str) and code not in gone
    }
    met = [
        text
        for text in summary.texts.to_pylist()
        if text not in gone and (text in labels or not is_missing_word(text))
    ]
    codes: list[str] = [*labels, *sorted(text for text in met if text not in labels)]
    values = _different([(code, labels.get(code, code)) for code in codes])
    kind, reason = _kind(known, None, [labels.get(code, "") for code in codes])
    attribute = known.attribute(
        kind,
        values,
        codes=tuple(codes),
        missing_codes=declared,
        reason=reason,
        domain_source=PUBLIC if len(codes) == len(labels) else FROM_DATA,
    )
    texts = [*codes, *(str(code) for code in gone)]
    places = [*range(len(codes)), *(-1 for _ in gone)]
    whys = np.array([*(0 for _ in codes), *gone.values()], np.int16) if gone else None
    return TextPlan(attribute, pa.array(texts, pa.string()), np.array(places, np.int64), whys)


def declared_missing(column: RawColumn, distinct: Numbers) -> tuple[MissingCode, ...]:
    """All missing codes of a column of numbers: those it lists and those met in its ranges."""
    listed = {missing.code for missing in column.missing_codes}
    met = [
        code
        for code in distinct.tolist()
        if code not in listed and any(low <= code <= high for low, high in column.missing_ranges)
    ]
    labels: Mapping[Code, str] = column.value_labels
    return (*column.missing_codes, *(MissingCode(code, labels.get(code, "")) for code in met))


def _is_categorical(known: Known, codes: Numbers, bare: Sequence[float]) -> bool:
    if not bare:
        return True
    if known.measure in ("nominal", "ordinal"):
        return len(codes) <= _MOST_CATEGORIES
    is_short = len(codes) <= LONGEST_SCALE and bool((codes == np.rint(codes)).all())
    return is_short and known.measure != "scale"


def _kind(known: Known, codes: Numbers | None, labels: Sequence[str]) -> tuple[Kind, str]:
    if len(labels) == 2:
        return Kind.BINARY, "Two values with labels."
    if known.measure in _CALLED:
        return Kind(known.measure), _CALLED[known.measure]
    named = [label for label in labels if label]
    gapless = codes is not None and len(codes) > 2 and bool((np.diff(codes) == 1).all())
    if gapless and (is_in_order(named) or len(named) < len(labels)):
        return Kind.ORDINAL, "Consecutive codes with labels that form a scale."
    return Kind.NOMINAL, "Values with labels and no known order."


def _different(pairs: Sequence[tuple[Code, str]]) -> tuple[str, ...]:
    """Labels as values; a label of two codes gets its code behind it."""
    labels = [label for _, label in pairs]
    values: list[str] = []
    for code, label in pairs:
        value = label
        if labels.count(label) > 1:
            value = f"{label} ({code_text(code)})"
        while value in values:
            value += "'"
        values.append(value)
    return tuple(values)


def guess_declared(column: RawColumn, options: ReadOptions) -> tuple[Column, tuple[str, ...]]:
    data = column.data
    if is_number_type(data.type):
        data = written_numbers(data)
    texts: list[str] = summarise_texts(data).texts.to_pylist()
    plan = plan_declared(column, column.values, texts, options)
    built = plan.encode(data)
    if column.why_missing is not None:
        built = built.with_(why_missing=column.why_missing)
    return built, plan.notes


def plan_declared(
    column: RawColumn, declared: tuple[str, ...], texts: Sequence[str], options: ReadOptions
) -> TextPlan:
    named = frozenset(code.strip() for code in options.missing_codes)
    listed = tuple(value for value in declared if value not in named)
    extra = tuple(
        text
        for text in sorted(texts)
        if text not in declared and text not in named and not is_missing_word(text)
    )
    values, kind, reason = _order(column, listed + extra)
    attribute = Known.of(column).attribute(
        kind,
        values,
        missing_codes=column.missing_codes,
        reason=reason,
        domain_source=FROM_DATA if extra else column.values_source,
    )
    notes: tuple[str, ...] = ()
    if extra:
        shown = shorten(extra, quoted=True)
        notes = (
            Message(
                "{attribute!r}: answers that the file does not list were added: {shown}.",
                attribute=column.name,
                shown=shown,
            ),
        )
    known = pa.array(values, pa.string())
    return TextPlan(attribute, known, np.arange(len(values)), notes=notes)


def _order(column: RawColumn, values: tuple[str, ...]) -> tuple[tuple[str, ...], Kind, str]:
    if column.kind is not None and column.kind.is_categorical:
        fits = column.kind is not Kind.BINARY or len(values) == 2
        return values, column.kind if fits else Kind.NOMINAL, "From the file."
    if len(values) == 2:
        return values, Kind.BINARY, "The file lists two values."
    if column.ordered:
        return values, Kind.ORDINAL, "The file lists the values in order."
    scale = order_scale(values)
    if scale is not None and len(values) > 2:
        return (
            scale.values,
            Kind.ORDINAL,
            Message("The answers form a scale ({topic}).", code="scale", topic=scale.topic),
        )
    return (
        values,
        Kind.NOMINAL,
        Message("The file lists {count} values without an order.", count=len(values)),
    )
