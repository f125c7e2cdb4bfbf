"""Answers that mean no answer, marked by hand and taken back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Code, Kind, MissingCode
from ppworkbench.core.data.numerals import shortest_number
from ppworkbench.core.data.table import Column, Table, code_type
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


def mark_missing(table: Table, name: str, codes: Sequence[Code]) -> Table:
    """Take some answers for missing ones; which one a cell held is kept.

    ``codes`` are numbers of a numeric attribute or values of a categorical one.
    """
    column = table[name]
    for code in codes:
        column = _mark_value(column, code) if column.is_categorical else _mark_number(column, code)
    return table.replace(column)


def restore_missing(table: Table, name: str, code: Code) -> Table:
    """Take a missing code for an answer again, as when a guess was wrong."""
    column = table[name]
    attribute = column.attribute
    listed = [missing.code for missing in attribute.missing_codes]
    if code not in listed or column.why_missing is None:
        raise _error(name, Message("{value} is none of its missing codes", value=_shown(code)))
    place = listed.index(code) + 1
    held = column.why_missing == place
    left = tuple(m for m in attribute.missing_codes if m.code != code)
    why = np.where(held, 0, column.why_missing)
    why = np.where(why > place, why - 1, why).astype(np.int16)
    changed = attribute.with_(missing_codes=left)
    if attribute.kind.is_categorical:
        value = attribute.missing_codes[place - 1].label or str(_shown(code))
        values = (*attribute.values, value)
        if value in attribute.values:
            raise _error(name, Message("there is a value {value!r} already", value=value))
        kind = Kind.NOMINAL if attribute.kind is Kind.BINARY else attribute.kind
        codes = (*attribute.codes, code) if attribute.codes else ()
        changed = changed.with_(values=values, kind=kind, codes=codes, reason="")
        data = np.where(held, len(values) - 1, column.data).astype(code_type(len(values)))
        return table.replace(Column(changed, data, why if left else None))
    if isinstance(code, str):
        raise _error(name, Message("{value!r} is no number", value=code))
    low, high = attribute.domain or (code, code)
    changed = changed.with_(domain=(min(low, code), max(high, code)))
    data = np.where(held, code, column.data)
    return table.replace(Column(changed, data, why if left else None))


def _mark_number(column: Column, code: Code) -> Column:
    if isinstance(code, str):
        raise _error(column.name, Message("{value!r} is no number", value=code))
    found = column.data == code
    if not found.any():
        raise _error(column.name, Message("no answer is {value}", value=shortest_number(code)))
    data = np.where(found, np.nan, column.data)
    attribute = column.attribute.with_(
        missing_codes=(*column.attribute.missing_codes, MissingCode(float(code)))
    )
    return Column(attribute, data, _why(column, found))


def _mark_value(column: Column, code: Code) -> Column:
    attribute = column.attribute
    if code not in attribute.values:
        raise _error(column.name, Message("there is no value {value!r}", value=code))
    place = attribute.values.index(str(code))
    found = column.data == place
    moved = np.append(np.arange(attribute.k) - (np.arange(attribute.k) > place), -1)
    moved[place] = -1
    values = tuple(v for v in attribute.values if v != code)
    stored = attribute.codes[place] if attribute.codes else str(code)
    kind = Kind.NOMINAL if attribute.kind is Kind.BINARY else attribute.kind
    changed = attribute.with_(
        values=values,
        codes=tuple(c for i, c in enumerate(attribute.codes) if i != place),
        kind=Kind.BINARY if kind is Kind.NOMINAL and len(values) == 2 else kind,
        missing_codes=(*attribute.missing_codes, MissingCode(stored, str(code))),
        reason="",
    )
    return Column(changed, moved[column.data], _why(column, found))


def _why(column: Column, found: NDArray[np.bool_]) -> NDArray[np.int16]:
    before = column.why_missing
    why = np.zeros(len(column), np.int16) if before is None else before.copy()
    why[found] = len(column.attribute.missing_codes) + 1
    return why


def _shown(code: Code) -> str | float:
    return code if isinstance(code, str) else shortest_number(code)


def _error(name: str, what: str) -> DataError:
    return DataError(
        Message("Attribute {attribute!r}: {what}.", attribute=name, what=what), attribute=name
    )
