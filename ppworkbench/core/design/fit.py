"""Bringing a column of a table into the order of values that a design uses."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.data.table import Column, Table, code_type, shorten
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message


def check_columns(table: Table, design: Design) -> None:
    absent = [name for name in design.names if name not in table]
    if absent:
        raise DesignError.saying(
            "The data have no column {absent}, which is in the design; rename the "
            "column or remove it from the design.",
            absent=shorten(absent, quoted=True),
            attribute=absent[0],
        )


def fit_column(column: Column, designed: DesignedAttribute) -> NDArray[Any]:
    """The column's data in the terms of the design: codes of its values, or numbers."""
    attribute = designed.attribute
    if attribute.kind.is_categorical != column.is_categorical:
        found = column.attribute.kind
        raise DesignError.saying(
            "Attribute {attribute!r} is {kind} in the design but {found} in the "
            "data; change its kind in one of them.",
            kind=Message(attribute.kind),
            found=Message(found),
            attribute=attribute.name,
            field="kind",
        )
    if not column.is_categorical:
        return _fit_numbers(column, attribute)
    codes = _fit_codes(column, attribute)
    if designed.missing_is_value:
        codes = np.where(codes < 0, attribute.values.index(MISSING_VALUE), codes)
    return codes.astype(code_type(attribute.k), copy=False)


def column_of(table: Table, name: str) -> Column:
    """A column of collected data; refused where there is none."""
    if name not in table:
        raise DataError.saying(
            "The data have no column {attribute!r}; they have {names}.",
            names=shorten(table.names),
            attribute=name,
        )
    return table[name]


def fit_collected(table: Table, designed: DesignedAttribute) -> NDArray[Any]:
    """A column of collected data in the terms of the design.

    What does not fit is the table: the design is what it was collected with.
    """
    try:
        return fit_column(column_of(table, designed.name), designed)
    except DesignError as error:
        raise DataError(error.message, attribute=designed.name, row=error.row) from None


def fit_sets(table: Table, attribute: Attribute) -> NDArray[Any]:
    """A column of collected sets; it must have the values of the design in their order."""
    column = column_of(table, attribute.name)
    refuse_other(column, attribute, Kind.SET, is_fitting=column.is_set)
    return column.data


def refuse_other(column: Column, expected: Attribute, kind: Kind, *, is_fitting: bool) -> None:
    """Refuse a column whose kind does not fit, or whose values are not those of the design."""
    if not is_fitting:
        raise DataError.saying(
            "Attribute {attribute!r} is {kind} in the data but {kind2} in the design.",
            kind=Message(column.attribute.kind),
            kind2=Message(kind),
            attribute=expected.name,
        )
    if not kind.is_numeric and column.attribute.values != expected.values:
        raise DataError.saying(
            "Attribute {attribute!r} has other values in the data than in the "
            "design; read the data with the design's own values.",
            attribute=expected.name,
        )


def _fit_numbers(column: Column, attribute: Attribute) -> NDArray[Any]:
    if attribute.kind is Kind.INTEGER:
        present = column.data[~column.missing]
        broken = int(np.count_nonzero(present != np.rint(present)))
        if broken:
            raise DesignError.saying(
                "Attribute {attribute!r} is integer in the design, but {broken} "
                "value(s) in the data are not whole numbers.",
                broken=broken,
                attribute=attribute.name,
                field="kind",
            )
    return column.data


def _fit_codes(column: Column, attribute: Attribute) -> NDArray[Any]:
    if column.attribute.values == attribute.values:
        return column.data
    position = {value: code for code, value in enumerate(attribute.values)}
    given = column.attribute.values
    look_up = np.array([position.get(value, -2) for value in given] + [-1], np.int64)
    codes: NDArray[np.int64] = look_up[column.data]
    strangers = codes == -2
    if strangers.any():
        met = [given[code] for code in np.unique(column.data[strangers])]
        raise DesignError.saying(
            "Attribute {attribute!r} has {met} in {strangers} row(s), which is not "
            "in the design; add it to the values or correct the data.",
            met=shorten(met, 3, quoted=True),
            strangers=int(strangers.sum()),
            attribute=attribute.name,
            field="values",
            row=int(np.argmax(strangers)),
        )
    return codes
