"""Corrections of a table by hand; each gives a new table and leaves the old one as it was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import (
    CLIP,
    FROM_DATA,
    PUBLIC,
    Attribute,
    Code,
    Kind,
    MissingCode,
    MissingPolicy,
    outside_sentence,
    rounded_domain,
    within_rounding,
)
from ppworkbench.core.data.numerals import (
    NumberFormat,
    number_text,
    parse_numerals,
    shortest_number,
    shown_code,
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
        return table.described(name, reason="")
    if column.is_set or kind is Kind.SET:
        raise DataError.saying(
            "Attribute {attribute!r}: only reports are sets of values, and they stay sets.",
            attribute=name,
        )
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
            attribute.name,
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
            attribute.name,
            Message(
                "{count} distinct numbers are too many values; the maximum is {most_values}",
                count=len(numbers),
                most_values=MOST_VALUES,
            ),
        )
    values = [labels.get(number, number_text(number)) for number in numbers.tolist()]
    if len(set(values)) < len(values):
        values = [number_text(number) for number in numbers.tolist()]
    base = attribute.with_(
        kind=Kind.NOMINAL,
        values=tuple(values),
        domain=None,
        codes=tuple(numbers.tolist()) if labels else (),
        number_labels=(),
        domain_source=FROM_DATA,
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
        odd = [v for v, n in zip(attribute.values, numbers, strict=True) if np.isnan(n)]
        what = (
            Message("these values are not numbers: {odd}", odd=shorten(odd, quoted=True))
            if odd
            else Message("it has no answers")
        )
        raise _error(attribute.name, what)
    data = np.append(numbers, np.nan)[column.data]
    # There is no value 'missing' among numbers.
    is_value = attribute.missing is MissingPolicy.VALUE
    changed = attribute.with_(
        kind=Kind.CONTINUOUS,
        values=(),
        sensitive=(),
        codes=(),
        domain=rounded_domain(numbers.min(), numbers.max()),
        domain_source=FROM_DATA,
        number_labels=labels,
        missing=MissingPolicy.LEAVE if is_value else attribute.missing,
    )
    return _between_numbers(Column(changed, data, column.why_missing), kind)


def _between_numbers(column: Column, kind: Kind) -> Column:
    attribute = column.attribute
    if kind is Kind.CONTINUOUS:
        return column.described(kind=kind, reason="")
    broken = _decimals(column.data)
    if broken.any():
        row = int(np.flatnonzero(broken)[0])
        shown = shortest_number(float(column.data[row]))
        raise DataError(
            Message(
                "Attribute {attribute!r}: {broken} answers are not whole numbers; the "
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
    return column.described(kind=kind, domain=domain, reason="")


def _decimals(numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = ~np.isnan(numbers) & (numbers != np.rint(numbers))
    return found


def _error(name: str, what: str) -> DataError:
    return DataError.saying("Attribute {attribute!r}: {what}.", what=what, attribute=name)


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
        raise _error(
            name, Message("{value} is not one of its missing codes", value=shown_code(code))
        )
    place = listed.index(code) + 1
    held = column.why_missing == place
    left = tuple(m for m in attribute.missing_codes if m.code != code)
    why = np.where(held, 0, column.why_missing)
    why = np.where(why > place, why - 1, why).astype(np.int16)
    changed = attribute.with_(missing_codes=left)
    if attribute.kind.is_categorical:
        value = attribute.missing_codes[place - 1].label or str(shown_code(code))
        values = (*attribute.values, value)
        if value in attribute.values:
            raise _error(name, Message("there is a value {value!r} already", value=value))
        kind = Kind.NOMINAL if attribute.kind is Kind.BINARY else attribute.kind
        codes = (*attribute.codes, code) if attribute.codes else ()
        changed = changed.with_(values=values, kind=kind, codes=codes, reason="")
        data = np.where(held, len(values) - 1, column.data).astype(code_type(len(values)))
        return table.replace(Column(changed, data, why if left else None))
    if isinstance(code, str):
        raise _error(name, Message("{value!r} is not a number", value=code))
    low, high = attribute.domain or (code, code)
    data = np.where(held, code, column.data)
    if not low <= code <= high:
        domain = min(low, code), max(high, code)
        if attribute.domain_source == FROM_DATA:
            domain = rounded_domain(np.nanmin(data), np.nanmax(data))
        changed = changed.with_(domain=domain)
    return table.replace(Column(changed, data, why if left else None))


def _mark_number(column: Column, code: Code) -> Column:
    if isinstance(code, str):
        raise _error(column.name, Message("{value!r} is not a number", value=code))
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
    attribute = column.attribute

    def named(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if value == old else value for value in values)

    values, sensitive = named(attribute.values), named(attribute.sensitive)
    return table.described(name, values=values, sensitive=sensitive)


def merge_values(table: Table, name: str, values: Sequence[str], into: str) -> Table:
    """Make one value out of several; ``into`` is one of them or a new name.

    The merged value stands where ``into`` stood, or where the first of the values did. It is
    sensitive if one of them was.
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
    marked = [v for v in left if v in attribute.sensitive]
    if kept not in marked and any(v in attribute.sensitive for v in group):
        marked.append(kept)
    changed = attribute.with_(
        values=tuple(into if v == kept else v for v in left),
        sensitive=tuple(into if v == kept else v for v in marked if len(marked) < len(left)),
        codes=codes,
        kind=Kind.NOMINAL if is_binary else attribute.kind,
        reason="",
    )
    data = np.append(moved, -1)[column.data].astype(code_type(changed.k))
    return table.replace(column.with_(attribute=changed, data=data))


def set_domain(table: Table, name: str, low: float, high: float) -> Table:
    """Set the lowest and highest possible number, as a person knows them without the answers.

    Answers outside are refused, unless the attribute clips them; then they stay and get a note.
    """
    column = _numeric(table, name)
    changed = column.described(domain=(low, high), domain_source=PUBLIC, reason="")
    _refuse_outside(changed)
    return table.replace(changed).with_(notes=(*table.notes, *outside_notes([changed])))


def fit_domain(table: Table, name: str) -> Table:
    """Read the domain off the answers, rounded out."""
    column = _numeric(table, name)
    present = column.data[~column.missing]
    if not len(present):
        raise _error(name, Message("it has no answers"))
    domain = rounded_domain(present.min(), present.max())
    return table.described(name, domain=domain, domain_source=FROM_DATA, reason="")


def confirm_domain(table: Table, name: str) -> Table:
    return table.described(name, domain_source=PUBLIC)


def set_outside(table: Table, name: str, outside: str) -> Table:
    """Refuse numbers outside of the domain, or let them take its nearest end."""
    column = _numeric(table, name)
    changed = column.described(outside=outside)
    _refuse_outside(changed)
    return table.replace(changed)


def _refuse_outside(column: Column) -> None:
    if column.attribute.outside == CLIP or column.attribute.domain is None:
        return
    count = _count_outside(column, column.attribute.domain)
    if count:
        raise DataError(
            outside_sentence(column.attribute, count), attribute=column.name, field="domain"
        )


def _count_outside(column: Column, domain: tuple[float, float]) -> int:
    low, high = within_rounding(domain)
    present = column.data[~column.missing]
    return int(np.count_nonzero((present < low) | (present > high)))


def _numeric(table: Table, name: str) -> Column:
    column = table[name]
    if column.is_categorical:
        raise _error(name, Message("only a numeric attribute has a domain; change its kind first"))
    return column


def outside_notes(columns: Iterable[Column]) -> tuple[str, ...]:
    notes = []
    for column in columns:
        if column.attribute.domain is None:
            continue
        low, high = column.attribute.domain
        outside = _count_outside(column, column.attribute.domain)
        if outside:
            shown = Message("[{low}, {high}]", low=shortest_number(low), high=shortest_number(high))
            notes.append(
                Message(
                    "{attribute!r}: 1 answer lies outside the domain {shown}.",
                    code="outside-domain",
                    attribute=column.name,
                    shown=shown,
                )
                if outside == 1
                else Message(
                    "{attribute!r}: {outside} answers lie outside the domain {shown}.",
                    code="outside-domain",
                    attribute=column.name,
                    outside=outside,
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
    policy = MissingPolicy(policy)
    if policy is MissingPolicy.VALUE and not table[name].is_categorical:
        raise _error(
            name, Message("numbers cannot have a value “missing”; impute, drop, or change the kind")
        )
    return table.described(name, missing=policy)


def rename_attribute(table: Table, name: str, new: str) -> Table:
    column = table[name]
    if not new.strip():
        raise _error(name, Message("the new name is empty"))
    if new != name and new in table:
        raise _error(name, Message("there is an attribute {new!r} already", new=new))
    changed = column.described(name=new)
    columns = tuple(changed if c.name == name else c for c in table.columns)
    class_name = new if table.class_name == name else table.class_name
    return table.with_(columns=columns, class_name=class_name)


def set_label(table: Table, name: str, label: str) -> Table:
    """Set the question as it was asked."""
    return table.described(name, label=label)


def set_title(table: Table, name: str, title: str) -> Table:
    """Set the short name that people read instead of the column's."""
    return table.described(name, title=title.strip())


def set_unit(table: Table, name: str, unit: str) -> Table:
    """Set what the numbers of an attribute count."""
    return table.described(name, unit=unit.strip())


def _categorical(table: Table, name: str) -> Column:
    column = table[name]
    if not column.is_categorical:
        raise _error(
            name, Message("a numeric attribute has no list of values; change its kind first")
        )
    return column


def _check_value(attribute: Attribute, value: str) -> None:
    if value not in attribute.values:
        listed = shorten(attribute.values, quoted=True)
        raise _error(
            attribute.name,
            Message("there is no value {value!r}; there are {listed}", value=value, listed=listed),
        )
