"""The attribute of a column whose file lists the possible answers (ARFF, categories)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.cells import is_number_type, to_numbers
from ppworkbench.core.data.numerals import number_text
from ppworkbench.core.data.options import ReadOptions
from ppworkbench.core.data.plans import TextPlan
from ppworkbench.core.data.raw import RawColumn
from ppworkbench.core.data.scales import order_scale
from ppworkbench.core.data.summary import summarise_texts
from ppworkbench.core.data.table import Column, shorten
from ppworkbench.core.data.typical_codes import is_missing_word
from ppworkbench.core.message import Message


def guess_declared(column: RawColumn, options: ReadOptions) -> tuple[Column, tuple[str, ...]]:
    """The answers of a column whose values are listed, and sentences about it."""
    data = column.data
    if is_number_type(data.type):
        data = _texts_of_numbers(data)
    texts: list[str] = summarise_texts(data).texts.to_pylist()
    plan = plan_declared(column, column.values, texts, options)
    built = plan.encode(data)
    if column.why_missing is not None:
        built = built.with_(why_missing=column.why_missing)
    return built, plan.notes


def plan_declared(
    column: RawColumn, declared: tuple[str, ...], texts: Sequence[str], options: ReadOptions
) -> TextPlan:
    """Settle the attribute of a column with these values declared and these texts met."""
    named = frozenset(code.strip() for code in options.missing_codes)
    listed = tuple(value for value in declared if value not in named)
    extra = tuple(
        text
        for text in sorted(texts)
        if text not in declared and text not in named and not is_missing_word(text)
    )
    values, kind, reason = _order(column, listed + extra)
    attribute = Attribute(
        column.name,
        kind,
        values,
        label=column.label,
        missing_codes=column.missing_codes,
        measure=column.measure,
        reason=reason,
    )
    notes: tuple[str, ...] = ()
    if extra:
        shown = shorten([repr(text) for text in extra])
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
        return values, column.kind if fits else Kind.NOMINAL, "The file says so."
    if len(values) == 2:
        return values, Kind.BINARY, "The file lists two values."
    if column.ordered:
        return values, Kind.ORDINAL, "The file lists the values in order."
    scale = order_scale(values)
    if scale is not None and len(values) > 2:
        return (
            scale.values,
            Kind.ORDINAL,
            Message("The answers are steps of a scale ({topic}).", code="scale", topic=scale.topic),
        )
    return (
        values,
        Kind.NOMINAL,
        Message("The file lists {count} values without an order.", count=len(values)),
    )


def _texts_of_numbers(data: pa.ChunkedArray) -> pa.ChunkedArray:
    numbers = to_numbers(data)
    texts = [None if np.isnan(one) else number_text(one) for one in numbers.tolist()]
    return pa.chunked_array([pa.array(texts, pa.string())])
