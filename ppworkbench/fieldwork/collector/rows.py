"""Rows as the collector keeps them: checked against the design, as codes with commas between them.

A row is one line of text with a cell for each attribute of the published design, in its order: the
place of a value among the reported ones (counted from 0), a number, or the places that a set names
with blanks between them. A dash is a missing answer, a bar a set that names nothing. Such lines
are small, hold nothing that a respondent has written, and are read a million at a time.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data import sets
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.delimited.text import lend
from ppworkbench.core.data.table import Column, Table, code_type
from ppworkbench.core.design import Design
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.linked_waves import (
    linking_column,
    person_attribute,
    without_linking,
)
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.design.shuffle import shuffled
from ppworkbench.core.errors import DataError
from ppworkbench.core.kernels import library_lock
from ppworkbench.core.message import Message
from ppworkbench.core.rng import SecureStreams
from ppworkbench.fieldwork.collector.store import undamaged
from ppworkbench.fieldwork.row_fitter import ReportedNumbers, RowFitter

if TYPE_CHECKING:
    import pyarrow as pa

MISSING, EMPTY_SET = "-", "|"
_ANSWER = Message("an answer")
_DIGITS, _LETTERS = 10, 128
Cell = Callable[[Any], str | None]


@dataclass(frozen=True)
class ReportedCounts:
    """How often each answer was reported in a round.

    ``counts`` has an array over the reported values of each attribute with values, ``missing`` the
    missing answers of every attribute, ``numbers`` the count, mean and variance of the others.
    """

    answers: int
    counts: Mapping[str, NDArray[np.int64]]
    missing: Mapping[str, int]
    numbers: Mapping[str, tuple[int, float, float]]


class RowCodec:
    """Checks rows of one design and turns them into lines, and lines into a table.

    >>> from ppworkbench.core.design import Design, DesignedAttribute, Forced
    >>> asked = Attribute("smokes", "binary", ("no", "yes"))
    >>> rows = RowCodec(Design((DesignedAttribute(asked, Forced(p_truth=0.75)),)))
    >>> rows.encode({"smokes": "yes"}), rows.encode({"smokes": None}), rows.encode({"smokes": 1})
    ('1', '-', None)
    """

    def __init__(self, design: Design) -> None:
        self.design = publishable(without_linking(design))
        person = linking_column(design)
        self._persons = () if person is None else (person_attribute(person),)
        self._attributes = (*self.design.distorted_schema, *self._persons)
        self._names = frozenset(one.name for one in self._attributes)
        self._arm_fitters = [
            (name, RowFitter(self.design)) for name in self.design.versions.columns
        ]
        """The column of the arms, and who knows what an arm asks."""
        self._cells = {
            arm: [*self._arm_cells(alone)] for arm, alone in self.design.plain_designs().items()
        }
        """The cells of each arm, or of everybody."""

    def _arm_cells(self, design: Design) -> Iterator[tuple[str, Cell]]:
        for attribute in self.design.distorted_schema:
            name = attribute.name
            # The fitter sees to what an arm does not ask, and to the arm itself.
            yield name, _cell(design if name in design.names else self.design, attribute)
        for one in self._persons:
            yield one.name, _person_cell(one)

    def encode(self, row: object) -> str | None:
        """The line of a row by name; None for one that the design cannot give."""
        if not isinstance(row, dict) or row.keys() != self._names:
            return None
        arm = ""
        for column, fitter in self._arm_fitters:
            if not _fits_arm(fitter, row):
                return None
            arm = row[column]
        line = []
        for name, cell in self._cells[arm]:
            text = cell(row[name])
            if text is None:
                return None
            line.append(text)
        return ",".join(line)

    def table(self, chunks: Iterable[str]) -> Table:
        table = Table(self._columns(chunks), self.design.class_name)
        return shuffled(table, SecureStreams().stream("shuffle", "rows"))

    def ordered_table(self, chunk: str) -> Table:
        """The rows of a text of many lines, in their order, which must tell nothing."""
        return Table(self._columns((chunk,)), self.design.class_name)

    def _columns(self, chunks: Iterable[str]) -> tuple[Column, ...]:
        with undamaged(_ANSWER):
            columns = _columns(chunks, [_arrow_type(one) for one in self._attributes])
            return tuple(
                Column(attribute, _data(attribute, found))
                for attribute, found in zip(self._attributes, columns, strict=True)
            )

    def counts(self, chunks: Iterable[str]) -> ReportedCounts:
        return reduce(_sum, map(self._count, filter(None, chunks)), self._count_columns(()))

    def _count(self, chunk: str) -> ReportedCounts:
        # Lines of one length are a table of letters; that is how most questionnaires are.
        if any(not one.kind.is_categorical or one.k > _DIGITS for one in self._attributes):
            return self._count_columns((chunk,))
        counts, missing = {}, {}
        with undamaged(_ANSWER):
            letters = np.frombuffer(f"{chunk}\n".encode("ascii"), np.uint8)
            lines = letters.reshape(-1, 2 * len(self._attributes))
            cells, between = lines[:, ::2], lines[:, 1::2]
            if (between[:, :-1] != ord(",")).any() or (between[:, -1] != ord("\n")).any():
                raise ValueError(chunk[:40])
            for place, attribute in enumerate(self._attributes):
                found = np.bincount(cells[:, place], minlength=_LETTERS)
                counts[attribute.name] = found[ord("0") : ord("0") + attribute.k]
                missing[attribute.name] = int(found[ord(MISSING)])
                if counts[attribute.name].sum() + missing[attribute.name] != len(cells):
                    raise ValueError(attribute.name)
        return ReportedCounts(len(cells), counts, missing, {})

    def _count_columns(self, chunks: Iterable[str]) -> ReportedCounts:
        columns = self._columns(chunks)
        return ReportedCounts(
            len(columns[0].data),
            {one.name: one.counts for one in columns if one.is_categorical or one.is_set},
            {one.name: one.missing_count for one in columns},
            {
                one.name: _moments(one)
                for one in columns
                if not one.is_categorical and not one.is_set
            },
        )


def _moments(column: Column) -> tuple[int, float, float]:
    known = column.data[~column.missing]
    if not len(known):
        return 0, math.nan, math.nan
    return len(known), float(known.mean()), float(known.var())


def _sum(one: ReportedCounts, other: ReportedCounts) -> ReportedCounts:
    return ReportedCounts(
        one.answers + other.answers,
        {name: found + other.counts[name] for name, found in one.counts.items()},
        {name: found + other.missing[name] for name, found in one.missing.items()},
        {name: _joined(found, other.numbers[name]) for name, found in one.numbers.items()},
    )


def _joined(
    one: tuple[int, float, float], other: tuple[int, float, float]
) -> tuple[int, float, float]:
    (n, mean, variance), (m, more, spread) = one, other
    if not n or not m:
        return other if not n else one
    every = n + m
    between = n * m / every**2 * (mean - more) ** 2
    return (
        every, (n * mean + m * more) / every, (n * variance + m * spread) / every + between,
    )  # fmt: skip


def _cell(design: Design, attribute: Attribute) -> Cell:
    """How answers are checked that a design without arms can give for an attribute."""
    if attribute.kind is Kind.SET:
        return _set_cell(attribute)
    true, device = design[attribute.name].attribute, design.perturbation(attribute.name)
    if not attribute.kind.is_categorical:
        return _number_cell(ReportedNumbers(device, true))
    possible = [True] * attribute.k
    if true.kind.is_categorical:
        possible = np.asarray(device.values.matrix(true.k)).max(axis=1) > 0
    return _value_cell(
        v if can else None for v, can in zip(attribute.values, possible, strict=True)
    )


def _value_cell(values: Iterable[str | None]) -> Cell:
    """A place among the values; those that no answer becomes are None."""
    codes: dict[object, str] = {None: MISSING}
    codes |= {value: str(code) for code, value in enumerate(values) if value is not None}

    def cell(given: Any) -> str | None:
        return codes.get(given) if given is None or isinstance(given, str) else None

    return cell


def _number_cell(numbers: ReportedNumbers) -> Cell:
    def cell(given: Any) -> str | None:
        if given is None:
            return MISSING
        if isinstance(given, bool) or not isinstance(given, int | float):
            return None
        # Digits beyond the grid could mark a respondent, so that none is kept.
        number = numbers.nearest(given)
        if number is None:
            return None
        return str(int(number)) if number.is_integer() else repr(number)

    return cell


def _person_cell(attribute: Attribute) -> Cell:
    """A number that a device drew for itself; nobody leaves it out."""
    numbers = _number_cell(ReportedNumbers(Identity(), attribute))
    return lambda given: None if given is None else numbers(given)


def _set_cell(attribute: Attribute) -> Cell:
    codes = {value: code for code, value in enumerate(attribute.values)}

    def cell(given: Any) -> str | None:
        if given is None:
            return MISSING
        if not isinstance(given, str):
            return None
        listed = sets.split_text(given)
        try:
            sets.of_lists([listed], attribute)
        except DataError:
            return None
        return " ".join(str(code) for code in sorted(codes[one] for one in listed)) or EMPTY_SET

    return cell


def _fits_arm(fitter: RowFitter, row: Mapping[str, Any]) -> bool:
    fitter.rows.clear()
    fitter.refused.clear()
    fitter.take(row)
    return bool(fitter.rows)


def _arrow_type(attribute: Attribute) -> str:
    if attribute.kind is Kind.SET:
        return "string"
    return "int32" if attribute.kind.is_categorical else "float64"


def _columns(chunks: Iterable[str], types: list[str]) -> list[list[pa.ChunkedArray]]:
    """The columns of all chunks; Arrow reads them far faster than Python does."""
    with library_lock:
        import pyarrow as pa
        from pyarrow import csv

    names = [str(place) for place in range(len(types))]
    found: list[list[pa.ChunkedArray]] = [[] for _ in types]
    for chunk in chunks:
        if not chunk:
            continue
        table = csv.read_csv(
            lend(io.BytesIO(chunk.encode())),
            read_options=csv.ReadOptions(column_names=names),
            parse_options=csv.ParseOptions(delimiter=",", quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={
                    name: pa.type_for_alias(kind) for name, kind in zip(names, types, strict=True)
                },
                null_values=[MISSING],
                strings_can_be_null=True,
            ),
        )
        for place, column in enumerate(table.columns):
            found[place].append(column)
    return found


def _data(attribute: Attribute, chunks: list[pa.ChunkedArray]) -> NDArray[Any]:
    if attribute.kind is Kind.SET:
        texts = [text for chunk in chunks for text in chunk.to_pylist()]
        return sets.of_lists([_named(text, attribute) for text in texts], attribute)
    if attribute.kind.is_categorical:
        # Where there are missing ones they arrive as no number.
        codes = [np.nan_to_num(chunk.to_numpy(), nan=-1) for chunk in chunks]
        joined = np.concatenate(codes) if codes else np.zeros(0)
        if len(joined) and not -1 <= joined.min() <= joined.max() < attribute.k:
            raise ValueError(attribute.name)
        return joined.astype(code_type(attribute.k))
    numbers = [chunk.to_numpy() for chunk in chunks]
    return np.concatenate(numbers) if numbers else np.zeros(0)


def _named(text: str | None, attribute: Attribute) -> list[str] | None:
    if text is None:
        return None
    return [] if text == EMPTY_SET else [attribute.values[int(code)] for code in text.split(" ")]
