"""Corrections of a table by hand; each gives a new table and leaves the old one as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.edits_kind import set_kind
from ppworkbench.core.data.edits_missing import mark_missing, restore_missing
from ppworkbench.core.data.numerals import shortest_number
from ppworkbench.core.data.table import Column, Table, code_type, shorten
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

__all__ = [
    "mark_missing",
    "merge_values",
    "rename_attribute",
    "rename_value",
    "reorder_values",
    "restore_missing",
    "set_class",
    "set_domain",
    "set_kind",
    "set_label",
    "set_missing_policy",
]


def reorder_values(table: Table, name: str, order: Sequence[str]) -> Table:
    """Put the values of an attribute in another order; ``order`` lists each of them once."""
    column = _categorical(table, name)
    attribute = column.attribute
    if sorted(order) != sorted(attribute.values):
        odd = sorted({*order} ^ {*attribute.values}) or sorted(order)
        raise _error(
            name, Message("the new order must list every value once; check {odd}", odd=shorten(odd))
        )
    places = [attribute.values.index(value) for value in order]
    codes = tuple(attribute.codes[place] for place in places) if attribute.codes else ()
    # The new place of each old code; the last entry, for -1, stays missing.
    moved = np.append(np.argsort(places), -1)
    changed = attribute.with_(values=tuple(order), codes=codes, reason="")
    return table.replace(column.with_(attribute=changed, data=moved[column.data]))


def rename_value(table: Table, name: str, old: str, new: str) -> Table:
    """Call a value something else; a name that is taken is an error, since that is a merge."""
    column = _categorical(table, name)
    _check_value(column.attribute, old)
    if new != old and new in column.attribute.values:
        raise _error(
            name,
            Message(
                "there is a value {new!r} already; merge {old!r} into it instead", new=new, old=old
            ),
        )
    values = tuple(new if value == old else value for value in column.attribute.values)
    return table.replace(column.with_(attribute=column.attribute.with_(values=values)))


def merge_values(table: Table, name: str, values: Sequence[str], into: str) -> Table:
    """Make one value out of several; ``into`` is one of them or a new name.

    The merged value stands where ``into`` stood, or where the first of the values did.
    """
    column = _categorical(table, name)
    attribute = column.attribute
    for value in values:
        _check_value(attribute, value)
    group = [v for v in attribute.values if v in values or v == into]
    if not group:
        raise _error(name, Message("choose at least one value to merge"))
    kept = into if into in group else group[0]
    left = [v for v in attribute.values if v not in group or v == kept]
    target = left.index(kept)
    moved = [target if v in group else left.index(v) for v in attribute.values]
    codes = tuple(
        code
        for code, v in zip(attribute.codes, attribute.values, strict=False)
        if v not in group or v == kept
    )
    is_binary = attribute.kind is Kind.BINARY and len(left) != 2
    changed = attribute.with_(
        values=tuple(into if v == kept else v for v in left),
        codes=codes,
        kind=Kind.NOMINAL if is_binary else attribute.kind,
        reason="",
    )
    data = np.append(moved, -1)[column.data].astype(code_type(changed.k))
    return table.replace(column.with_(attribute=changed, data=data))


def set_domain(table: Table, name: str, low: float, high: float) -> Table:
    """Set the lowest and highest possible number; answers outside stay and get a note."""
    column = table[name]
    if column.is_categorical:
        raise _error(name, Message("only a numeric attribute has a domain; change its kind first"))
    changed = column.with_(attribute=column.attribute.with_(domain=(low, high), reason=""))
    return table.replace(changed).with_(notes=(*table.notes, *outside_notes([changed])))


def outside_notes(columns: Iterable[Column]) -> tuple[str, ...]:
    """Sentences about columns with numbers outside of their domains."""
    notes = []
    for column in columns:
        if column.attribute.domain is None:
            continue
        low, high = column.attribute.domain
        present = column.data[~column.missing]
        outside = int(np.count_nonzero((present < low) | (present > high)))
        if outside:
            shown = Message("[{low}, {high}]", low=shortest_number(low), high=shortest_number(high))
            lie = (
                Message("1 answer lies")
                if outside == 1
                else Message("{outside} answers lie", outside=outside)
            )
            notes.append(
                Message(
                    "{attribute!r}: {lie} outside the domain {shown}.",
                    code="outside-domain",
                    attribute=column.name,
                    lie=lie,
                    shown=shown,
                )
            )
    return tuple(notes)


def set_class(table: Table, name: str | None) -> Table:
    """Mark the attribute that classifiers learn, or none; it must be categorical."""
    if name is not None:
        _categorical(table, name)
    return table.with_(class_name=name)


def set_missing_policy(table: Table, name: str, policy: MissingPolicy) -> Table:
    """Choose what happens to missing answers before an analysis."""
    column = table[name]
    policy = MissingPolicy(policy)
    if policy is MissingPolicy.VALUE and not column.is_categorical:
        raise _error(
            name, Message("numbers cannot have a value 'missing'; impute, drop, or change the kind")
        )
    return table.replace(column.with_(attribute=column.attribute.with_(missing=policy)))


def rename_attribute(table: Table, name: str, new: str) -> Table:
    """Call an attribute something else."""
    column = table[name]
    if not new.strip():
        raise _error(name, Message("the new name is empty"))
    if new != name and new in table:
        raise _error(name, Message("there is an attribute {new!r} already", new=new))
    changed = column.with_(attribute=column.attribute.with_(name=new))
    columns = tuple(changed if c.name == name else c for c in table.columns)
    class_name = new if table.class_name == name else table.class_name
    return table.with_(columns=columns, class_name=class_name)


def set_label(table: Table, name: str, label: str) -> Table:
    """Set the question as it was asked."""
    column = table[name]
    return table.replace(column.with_(attribute=column.attribute.with_(label=label)))


def _categorical(table: Table, name: str) -> Column:
    column = table[name]
    if not column.is_categorical:
        raise _error(
            name, Message("a numeric attribute has no list of values; change its kind first")
        )
    return column


def _check_value(attribute: Attribute, value: str) -> None:
    if value not in attribute.values:
        listed = shorten([repr(v) for v in attribute.values])
        raise _error(
            attribute.name,
            Message("there is no value {value!r}; there are {listed}", value=value, listed=listed),
        )


def _error(name: str, what: str) -> DataError:
    return DataError(
        Message("Attribute {attribute!r}: {what}.", attribute=name, what=what), attribute=name
    )
