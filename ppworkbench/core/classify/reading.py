"""Records as classifiers need them: columns by name, classes as codes, unknown values missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ppworkbench.core.classify.inputs import Labels, Records, as_table, read_labels
from ppworkbench.core.classify.training import Codes, Predictor
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.table import Column, Table, shorten
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.design.identity import Identity
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message


def read_training(records: Records, y: Any, design: Design | None) -> tuple[Table, Labels]:
    """The attributes to learn from and the class of every record that has one."""
    published = {} if design is None else _published(design)
    class_name = _class_name(records, design)
    names = [name for name in published if name != class_name]
    table = as_table(records, published, names)
    if y is None:
        if class_name is None or class_name not in table:
            raise DataError(
                "A classifier needs the class of every training record (y): requires y to be "
                "passed, or a table with a class column, but the target y is None."
            )
        labels = read_labels(table[class_name])
    else:
        labels = read_labels(y)
    kept = [name for name in table.names if name != class_name]
    if not kept:
        raise DataError("There are no attributes to learn from (0 feature(s)).")
    if len(labels.codes) != table.rows:
        raise DataError(
            Message(
                "There are {rows} records but {count} class labels.",
                rows=table.rows,
                count=len(labels.codes),
            )
        )
    table = table.select(kept)
    if labels.missing.any():
        # A record without a class teaches nothing.
        table = table.take(~labels.missing)
        labels = labels.present
    return table, labels


def read_records(records: Records, predictors: tuple[Predictor, ...]) -> Table:
    """The columns from which the class was learnt, in their order."""
    known = {p.name: p.attribute for p in predictors}
    names = list(known)
    table = as_table(records, known, names)
    absent = [name for name in names if name not in table]
    if absent:
        raise DataError(
            Message(
                "The records have no column {absent}, from which the class was learnt.",
                absent=shorten([repr(n) for n in absent]),
            ),
            attribute=absent[0],
        )
    return table.select(names)


def original_codes(table: Table, predictors: tuple[Predictor, ...]) -> Codes:
    """The cell of X of every original record (rows) in every attribute (columns)."""
    codes = np.empty((table.rows, len(predictors)), np.intp)
    for place, predictor in enumerate(predictors):
        column = _tolerant(table[predictor.name], predictor.attribute)
        codes[:, place] = predictor.x_codes(fit_column(column, predictor.designed))
    return codes


def distorted_columns(
    table: Table, predictors: tuple[Predictor, ...], schema: dict[str, Attribute]
) -> tuple[Column, ...]:
    """Distorted answers as the training records had them, with missing ones filled in."""
    columns = []
    for predictor in predictors:
        attribute = schema[predictor.name]
        published = DesignedAttribute(attribute, Identity())
        data = fit_column(_tolerant(table[predictor.name], attribute), published)
        columns.append(Column(attribute, predictor.filled(data)))
    return tuple(columns)


def _class_name(records: Records, design: Design | None) -> str | None:
    if isinstance(records, Table) and records.class_name is not None:
        return records.class_name
    return None if design is None else design.class_name


def _published(design: Design) -> dict[str, Attribute]:
    return {d.name: design.perturbation(d.name).distorted(d.attribute) for d in design}


def _tolerant(column: Column, attribute: Attribute) -> Column:
    """The column with values that nobody had in training turned into missing ones."""
    if not column.is_categorical or not attribute.kind.is_categorical:
        return column
    unknown = [code for code, v in enumerate(column.attribute.values) if v not in attribute.values]
    if not unknown:
        return column
    return Column(column.attribute, np.where(np.isin(column.data, unknown), -1, column.data))
