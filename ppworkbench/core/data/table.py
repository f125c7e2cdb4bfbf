"""Columns of answers under one schema, immutable and shared between versions.

A categorical column holds whole-number codes into its attribute's values (-1 is missing), a
numeric one doubles (NaN is missing), one of sets packed bits (see ``sets``). Arrays are never
written to after they went into a column, so that two versions of a table share what they have in
common.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.signedinteger[Any]]


def code_type(k: int) -> type[np.int8 | np.int16 | np.int32]:
    """The smallest signed type that holds the codes of k values and -1."""
    if k <= 127:
        return np.int8
    return np.int16 if k <= 32767 else np.int32


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute with its answers.

    ``why_missing`` tells, where a file declares several missing codes, which one a cell held:
    0 for none, i for ``attribute.missing_codes[i - 1]``.
    """

    attribute: Attribute
    data: NDArray[Any]
    why_missing: NDArray[np.int16] | None = None

    def __post_init__(self) -> None:
        data = np.ascontiguousarray(self.data, dtype=self._expected)
        if self.is_set:
            data = data.reshape(len(data), sets.width(self.attribute.k))
        # A view, so that the caller's own array stays writable for the caller.
        data = data.view()
        data.flags.writeable = False
        object.__setattr__(self, "data", data)
        why = self.why_missing
        if why is not None and np.any((why != 0) & ~self.missing):
            # Somebody filled in a cell and left the note why it was empty.
            object.__setattr__(self, "why_missing", np.where(self.missing, why, np.int16(0)))

    @property
    def _expected(self) -> type[np.generic]:
        if self.is_set:
            return np.uint8
        return code_type(self.attribute.k) if self.is_categorical else np.float64

    def __len__(self) -> int:
        return len(self.data)

    @property
    def name(self) -> str:
        return self.attribute.name

    @property
    def is_categorical(self) -> bool:
        return self.attribute.kind.is_categorical

    @property
    def is_set(self) -> bool:
        """Whether the data are sets of values, as packed bits."""
        return self.attribute.kind is Kind.SET

    @property
    def why_not_single(self) -> Message | None:
        """Why what needs single answers cannot be done with the reports; None if it can."""
        if not self.is_set:
            return None
        return Message(
            "Reports of {attribute!r} are sets of values, and this needs single answers; "
            "leave the attribute out.",
            attribute=self.name,
        )

    def refuse_set(self) -> None:
        if self.why_not_single is not None:
            raise DataError(self.why_not_single, attribute=self.name)

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        if self.is_set:
            return sets.names(self.data, self.attribute.k)
        found: NDArray[np.bool_] = self.data < 0 if self.is_categorical else np.isnan(self.data)
        return found

    @cached_property
    def missing_count(self) -> int:
        return int(np.count_nonzero(self.missing))

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each value was answered, or named by a set; not for numbers."""
        if self.is_set:
            return sets.count_named(self.data, self.attribute.k)
        shifted = np.bincount(self.data.astype(np.int64) + 1, minlength=self.attribute.k + 1)
        return shifted[1:].astype(np.int64)

    def take(self, rows: NDArray[Any] | slice) -> Self:
        why = None if self.why_missing is None else self.why_missing[rows]
        return dataclasses.replace(self, data=self.data[rows], why_missing=why)

    def with_(self, **changes: object) -> Self:
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def described(self, **changes: object) -> Self:
        return self.with_(attribute=self.attribute.with_(**changes))

    def to_series(self) -> pd.Series[Any]:
        """The answers as people read them: a categorical, whole numbers, doubles, or texts."""
        import pandas as pd

        attribute = self.attribute
        if self.is_categorical:
            ordered = attribute.kind == "ordinal"
            category = pd.CategoricalDtype(list(attribute.values), ordered=ordered)
            return pd.Series(pd.Categorical.from_codes(self.data, dtype=category), name=self.name)
        if self.is_set:
            cells = sets.to_texts(self.data, attribute.values)
            return pd.Series(pd.array(cells, dtype="string"), name=self.name)
        if attribute.kind == "integer" and self._is_whole():
            return pd.Series(pd.array(self.data, dtype="Int64"), name=self.name)
        return pd.Series(self.data, name=self.name)

    def _is_whole(self) -> bool:
        present = self.data[~self.missing]
        return bool(np.all(present == np.rint(present)))

    def equals(self, other: Column) -> bool:
        return (
            self.attribute == other.attribute
            and np.array_equal(self.data, other.data, equal_nan=self.attribute.kind.is_numeric)
            and np.array_equal(self._held, other._held)
        )

    @property
    def _held(self) -> NDArray[np.int16]:
        # No array says the same as an array of zeros: no cell held a code.
        return np.zeros(len(self), np.int16) if self.why_missing is None else self.why_missing


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length with different names.

    ``notes`` are the sentences in which the reader says what it guessed or changed.
    """

    columns: tuple[Column, ...]
    class_name: str | None = None
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lengths = {len(column) for column in self.columns}
        if len(lengths) > 1:
            raise DataError.saying(
                "The columns have different lengths: {lengths}.", lengths=sorted(lengths)
            )
        if len(self._index) != len(self.columns):
            names = [column.name for column in self.columns]
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError.saying(
                "Two columns are called {twice!r}.", twice=twice, attribute=twice
            )
        if self.class_name is not None and self.class_name not in self._index:
            raise DataError.saying(
                "There is no column {class_name!r} for the class.", class_name=self.class_name
            )

    @cached_property
    def _index(self) -> dict[str, int]:
        return {column.name: i for i, column in enumerate(self.columns)}

    @property
    def rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._index)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return tuple(column.attribute for column in self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        if name not in self._index:
            raise DataError.saying(
                "There is no attribute {attribute!r}; there are {names}.",
                names=shorten(self.names),
                attribute=name,
            )
        return self.columns[self._index[name]]

    def take(self, rows: NDArray[Any] | slice) -> Self:
        return self.with_(columns=tuple(column.take(rows) for column in self.columns))

    def select(self, names: Iterable[str]) -> Self:
        chosen = tuple(self[name] for name in names)
        kept = {column.name for column in chosen}
        class_name = self.class_name if self.class_name in kept else None
        return self.with_(columns=chosen, class_name=class_name)

    def replace(self, *columns: Column) -> Self:
        by_name = {column.name: column for column in columns}
        for name in by_name:
            self[name]
        return self.with_(columns=tuple(by_name.get(c.name, c) for c in self.columns))

    def with_(self, **changes: object) -> Self:
        return dataclasses.replace(self, **changes)  # type: ignore[arg-type]

    def described(self, name: str, **changes: object) -> Self:
        return self.replace(self[name].described(**changes))

    def described_by(self, change: Callable[[Attribute], Attribute]) -> Self:
        """The same table with its attributes changed."""
        pairs = ((column, change(column.attribute)) for column in self)
        columns = (c if c.attribute is new else c.with_(attribute=new) for c, new in pairs)
        return self.with_(columns=tuple(columns))

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame({column.name: column.to_series() for column in self.columns})

    def equals(self, other: Table) -> bool:
        return (
            len(self.columns) == len(other.columns)
            and self.class_name == other.class_name
            and all(a.equals(b) for a, b in zip(self.columns, other.columns, strict=True))
        )


def list_attributes(names: Iterable[str], most: int = 8, *, quoted: bool = False) -> Message:
    """The names of some attributes for a sentence, cut when they are many.

    >>> list_attributes(["a", "b", "c"], most=2, quoted=True)
    "'a', 'b' and 1 more"
    """
    listed = tuple(names)
    some, more = listed[:most], len(listed) - most
    if more <= 0:
        return Message("{attributes!r}" if quoted else "{attributes}", attributes=listed)
    if quoted:
        return Message("{attributes!r} and {count} more", attributes=some, count=more)
    return Message("{attributes} and {count} more", attributes=some, count=more)


def shorten(names: Sequence[str | float], most: int = 8, *, quoted: bool = False) -> Message:
    """A list of names or numbers for a sentence, cut when it is long.

    >>> shorten(["a", "b", "c"], most=2), shorten(["a", "b"], quoted=True)
    ('a, b and 1 more', "'a', 'b'")
    """
    if len(names) <= most:
        return Message("{names!r}" if quoted else "{names}", names=tuple(names))
    if quoted:
        some, more = tuple(names[:most]), len(names) - most
        return Message("{names!r} and {count} more", names=some, count=more)
    return Message("{names} and {count} more", names=tuple(names[:most]), count=len(names) - most)


def refuse_absent(
    schema: Iterable[Attribute], names: Sequence[str], file: str | Path | None = None
) -> None:
    """Refuse data that lack a column of a design."""
    absent = [attribute.name for attribute in schema if attribute.name not in names]
    if absent:
        raise DataError.saying(
            "The data have no column {absent}, which is in the design; there are {names}.",
            absent=shorten(absent, quoted=True),
            names=shorten(names),
            file=file,
            attribute=absent[0],
        )


def counted_values(counts: Iterable[tuple[str, int]]) -> tuple[Message, ...]:
    """Values for a sentence, each with how often it occurs.

    >>> [str(one) for one in counted_values([("x", 20)])]
    ["'x' (20×)"]
    """
    return tuple(
        Message("{value!r} ({count}×)", value=value, count=count) for value, count in counts
    )
