"""Changes of an attribute's kind, from numbers to values and back."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.numerals import (
    NumberFormat,
    number_text,
    parse_numerals,
    shortest_number,
)
from ppworkbench.core.data.table import Column, Table, code_type, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

MOST_VALUES = 10_000
"""Numbers with more different values are not made into categories."""


def set_kind(table: Table, name: str, kind: Kind) -> Table:
    """Make an attribute one of another kind.

    Numbers become values in ascending order, values become the numbers that they are written
    as, or else the numeric codes behind them.

    Raises
    ------
    DataError
        Saying which answers do not fit the new kind.
    """
    column, kind = table[name], Kind(kind)
    if kind is column.attribute.kind:
        return table.replace(column.with_(attribute=column.attribute.with_(reason="")))
    if column.is_categorical and kind.is_categorical:
        changed = column.with_(attribute=_between_values(column.attribute, kind))
    elif kind.is_categorical:
        changed = _to_values(column, kind)
    elif column.is_categorical:
        changed = _to_numbers(column, kind)
    else:
        changed = _between_numbers(column, kind)
    if table.class_name == name and kind.is_numeric:
        return table.replace(changed).with_(class_name=None)
    return table.replace(changed)


def _between_values(attribute: Attribute, kind: Kind) -> Attribute:
    if kind is Kind.BINARY and attribute.k != 2:
        raise _error(
            attribute,
            Message("it has {k} values, and a binary attribute has 2; merge some", k=attribute.k),
        )
    return attribute.with_(kind=kind, reason="")


def _to_values(column: Column, kind: Kind) -> Column:
    attribute = column.attribute
    present = column.data[~column.missing]
    labels = dict(attribute.number_labels)
    numbers = np.unique(np.concatenate([present, np.array([*labels], np.float64)]))
    if len(numbers) > MOST_VALUES:
        raise _error(
            attribute,
            Message(
                "{count} different numbers are too many values; at most {most_values} fit",
                count=len(numbers),
                most_values=MOST_VALUES,
            ),
        )
    values = [labels.get(number, number_text(number)) for number in numbers.tolist()]
    if len(set(values)) < len(values):
        values = [number_text(number) for number in numbers.tolist()]
    base = Attribute(
        attribute.name,
        Kind.NOMINAL,
        tuple(values),
        label=attribute.label,
        codes=tuple(numbers.tolist()) if labels else (),
        missing_codes=attribute.missing_codes,
        missing_ranges=attribute.missing_ranges,
        measure=attribute.measure,
        missing=attribute.missing,
    )
    places = np.searchsorted(numbers, np.where(column.missing, 0.0, column.data))
    data = np.where(column.missing, -1, places).astype(code_type(len(values)))
    return Column(_between_values(base, kind), data, column.why_missing)


def _to_numbers(column: Column, kind: Kind) -> Column:
    attribute = column.attribute
    numbers = parse_numerals(pa.array(attribute.values, pa.string()), NumberFormat())
    labels: tuple[tuple[float, str], ...] = ()
    codes = [code for code in attribute.codes if not isinstance(code, str)]
    if np.isnan(numbers).any() and attribute.codes and len(codes) == attribute.k:
        numbers = np.array(codes, np.float64)
        labels = tuple(zip(codes, attribute.values, strict=True))
    if np.isnan(numbers).any() or not attribute.k:
        odd = [repr(v) for v, n in zip(attribute.values, numbers, strict=True) if np.isnan(n)]
        what = (
            Message("these values are no numbers: {odd}", odd=shorten(odd))
            if odd
            else Message("it has no answers")
        )
        raise _error(attribute, what)
    data = np.append(numbers, np.nan)[column.data]
    changed = Attribute(
        attribute.name,
        Kind.CONTINUOUS,
        domain=(float(numbers.min()), float(numbers.max())),
        label=attribute.label,
        number_labels=labels,
        missing_codes=attribute.missing_codes,
        missing_ranges=attribute.missing_ranges,
        measure=attribute.measure,
        # There is no value 'missing' among numbers.
        missing=(
            MissingPolicy.LEAVE if attribute.missing is MissingPolicy.VALUE else attribute.missing
        ),
    )
    return _between_numbers(Column(changed, data, column.why_missing), kind)


def _between_numbers(column: Column, kind: Kind) -> Column:
    attribute = column.attribute
    if kind is Kind.CONTINUOUS:
        return column.with_(attribute=attribute.with_(kind=kind, reason=""))
    broken = _decimals(column.data)
    if broken.any():
        row = int(np.flatnonzero(broken)[0])
        shown = shortest_number(float(column.data[row]))
        raise DataError(
            Message(
                "Attribute {attribute!r}: {broken} answers are no whole numbers, the "
                "first is {shown} in record {row}.",
                code="no-whole-numbers",
                attribute=attribute.name,
                broken=int(broken.sum()),
                shown=shown,
                row=row + 1,
            ),
            attribute=attribute.name,
            row=row + 1,
        )
    low, high = attribute.domain or (0.0, 0.0)
    domain = (float(np.floor(low)), float(np.ceil(high)))
    return column.with_(attribute=attribute.with_(kind=kind, domain=domain, reason=""))


def _decimals(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = ~np.isnan(numbers) & (numbers != np.rint(numbers))
    return found


def _error(attribute: Attribute, what: str) -> DataError:
    return DataError(
        Message("Attribute {attribute!r}: {what}.", attribute=attribute.name, what=what),
        attribute=attribute.name,
    )
