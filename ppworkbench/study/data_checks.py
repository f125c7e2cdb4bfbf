"""What is known about columns, and what to look at before anything is randomised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.attribute import QUESTION_KINDS, Attribute, Code, Kind, MissingPolicy
from ppworkbench.core.data.edits import set_kind
from ppworkbench.core.data.inference.text import similar_values
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.arms import Arms
from ppworkbench.core.errors import DataError, WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.study.study import Study

HeldCode = tuple[Code, str, int]
"""A missing code of the file, its label, and how many cells held it."""


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What there is to tell about one column.

    ``reasons`` are the missing codes of the file that cells held, with their counts; ``counts``
    belong to categorical columns, the numbers to numeric ones. ``impossible`` are the kinds that
    the column cannot have, with the reasons. ``not_asked`` people have a version of the
    questionnaire without the question; they are no part of the rows.
    """

    rows: int
    missing: int
    reasons: tuple[HeldCode, ...] = ()
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    low: float = np.nan
    high: float = np.nan
    mean: float = np.nan
    median: float = np.nan
    impossible: Mapping[Kind, Message] = field(default_factory=dict)
    not_asked: int = 0

    def without_not_asked(self, count: int) -> ColumnSummary:
        if not count:
            return self
        return replace(self, rows=self.rows - count, missing=self.missing - count, not_asked=count)

    @property
    def present(self) -> int:
        return self.rows - self.missing


_silent: WeakKeyDictionary[Column, tuple[Arms, Table, Mapping[str, NDArray[np.bool_]]]] = (
    WeakKeyDictionary()
)
"""Worked out once for a table and its arms: a page asks with every change of a study."""
_NOBODY: Mapping[str, NDArray[np.bool_]] = MappingProxyType({})


def find_not_asked(study: Study) -> Mapping[str, NDArray[np.bool_]]:
    """The cells that are empty because the arm does not ask, by attribute."""
    arms, table = study.design.versions, study.table
    if table is None or arms.column not in table:
        return _NOBODY
    column = table[arms.column]
    known = _silent.get(column)
    if known is not None and known[0] == arms and known[1] is table:
        return known[2]
    try:
        rows = arms.not_asked(table)
    except WorkbenchError:
        # A value that is no arm is told where somebody asks for an estimate.
        rows = {}
    empty = {name: found & table[name].missing for name, found in rows.items()}
    found = {name: cells for name, cells in empty.items() if cells.any()}
    _silent[column] = arms, table, found
    return found


def summarise_column(column: Column) -> ColumnSummary:
    missing, reasons = column.missing_count, _reasons(column)
    if column.is_categorical or column.is_set:
        # Of sets it is counted how many name each value.
        impossible = _refused_values(column)
        return ColumnSummary(len(column), missing, reasons, column.counts, impossible=impossible)
    present = column.data[~column.missing] if missing else column.data
    distinct = np.unique(present)
    impossible = _refused_numbers(column, distinct)
    if not len(present):
        return ColumnSummary(len(column), missing, reasons, impossible=impossible)
    return ColumnSummary(
        len(column),
        missing,
        reasons,
        low=float(distinct[0]),
        high=float(distinct[-1]),
        mean=float(present.mean()),
        median=float(np.median(present)),
        impossible=impossible,
    )


def _refused_values(column: Column) -> dict[Kind, Message]:
    """The kinds that a categorical column cannot have; its values alone decide that."""
    table = Table((column.take(slice(0, 0)),))
    reasons = {
        kind: _trial(table, kind) for kind in QUESTION_KINDS if kind is not column.attribute.kind
    }
    return {kind: reason for kind, reason in reasons.items() if reason is not None}


def _refused_numbers(column: Column, distinct: NDArray[np.float64]) -> dict[Kind, Message]:
    table = Table((column.with_(data=distinct, why_missing=None),))
    as_values = _trial(table, Kind.NOMINAL)
    as_whole = None if column.attribute.kind is Kind.INTEGER else _trial(table, Kind.INTEGER)
    as_pair = as_values
    if as_values is None and len(distinct) != 2:
        as_pair = Message(
            "It has {count:,} distinct numbers; a binary attribute has 2 values.",
            count=len(distinct),
        )
    reasons = {
        Kind.BINARY: as_pair,
        Kind.NOMINAL: as_values,
        Kind.ORDINAL: as_values,
        Kind.INTEGER: as_whole,
    }
    return {kind: reason for kind, reason in reasons.items() if reason is not None}


def _trial(table: Table, kind: Kind) -> Message | None:
    """Why a column of the different answers is refused a kind; None when it is not."""
    try:
        set_kind(table, table.names[0], kind)
    except DataError as error:
        return error.message
    return None


def _reasons(column: Column) -> tuple[HeldCode, ...]:
    codes = column.attribute.missing_codes
    if column.why_missing is None or not codes:
        return ()
    counts = np.bincount(column.why_missing, minlength=len(codes) + 1)
    return tuple(
        (code.code, code.label, int(count))
        for code, count in zip(codes, counts[1:], strict=False)
        if count
    )


AUTOMATIC = 0
"""Stands for as many bars as suit the numbers."""
_USUAL_BARS = 30
_MOST_EACH_NUMBER = 60


def bar_edges(
    column: Column, low: float, high: float, bars: int = AUTOMATIC
) -> NDArray[np.float64]:
    """The ends of the bars for a column whose numbers run from low to high.

    Bars of an integer attribute begin and end half-way between whole numbers, so that no number
    lies on an edge.
    """
    if column.attribute.kind is Kind.INTEGER:
        count = int(high - low) + 1
        wanted = bars or (count if count <= _MOST_EACH_NUMBER else _USUAL_BARS)
        step = max(1, -(-count // wanted))
        edges = low - 0.5 + step * np.arange(-(-count // step) + 1, dtype=np.float64)
        # The last bar may be narrower; plots draw bars by their width.
        edges[-1] = high + 0.5
        return edges
    if high <= low:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, (bars or _USUAL_BARS) + 1)


NOTED, ALIKE, MISSING = "noted", "alike", "missing"
MOST_COMPARED = 2000
"""Attributes with more values hold names or free text, where look-alikes are no surprise."""
_FEW_NUMBERS = 11
_TAKEN_FOR_MISSING = "read-as-missing"
_DOUBTFUL_REASONS = {
    "record-number": "record",
    "numbers-as-text": "text",
    "names": "names",
    "no-order": "order",
}
"""Codes of the reasons that the guessing gives when it is not sure, and of which doubt."""


@dataclass(frozen=True)
class DataWarning:
    """One thing to look at; without an attribute it is about the file.

    Parameters
    ----------
    code
        The doubt about a guessed kind (:func:`find_warning`), or one of NOTED, ALIKE and MISSING.
    note
        What the reader of the file noted.
    values
        Answers that look alike.
    missing
        How many answers are missing.
    about_import
        Whether the import settings are the place to repair it.
    """

    code: str
    attribute: str = ""
    note: Message | None = None
    values: tuple[str, ...] = ()
    missing: int = 0
    about_import: bool = False


_known: WeakKeyDictionary[Column, tuple[DataWarning, ...]] = WeakKeyDictionary()


def find_warnings(
    table: Table, count_missing: Callable[[Column], int | None]
) -> tuple[DataWarning, ...]:
    """All warnings: the file's first, then attribute by attribute in the order of the table."""
    about_file, noted = _noted(table)
    found = list(about_file)
    for column in table:
        found += _about_attribute(column)
        missing = count_missing(column) or 0
        notes = [n for n in noted.get(column.name, ()) if _still_holds(n, column, missing)]
        found += [DataWarning(NOTED, column.name, note) for note in notes]
        is_told = any(note.code == _TAKEN_FOR_MISSING for note in notes)
        if missing and not is_told and column.attribute.missing is MissingPolicy.LEAVE:
            found.append(DataWarning(MISSING, column.name, missing=missing))
    return tuple(found)


def _about_attribute(column: Column) -> tuple[DataWarning, ...]:
    """What is told by the attribute alone; remembered, since most columns never change."""
    if column not in _known:
        doubt, name = find_warning(column.attribute), column.name
        groups = alike_values(column.attribute.values)
        found = [DataWarning(doubt, name)] if doubt else []
        if groups:
            found.append(DataWarning(ALIKE, name, values=groups[0][:4]))
        _known[column] = tuple(found)
    return _known[column]


def find_warning(attribute: Attribute) -> str:
    """The name of the doubt about a guessed kind; empty when there is none.

    A kind that a person or a codebook set is not doubted.
    """
    if attribute.kind.is_categorical and attribute.k < 2:
        return "one" if attribute.k else "none"
    reason = attribute.reason
    doubt = _DOUBTFUL_REASONS.get(Message.of(reason).code, "")
    if not doubt and reason and attribute.kind is Kind.INTEGER and attribute.width < _FEW_NUMBERS:
        return "few"
    return doubt


def _noted(table: Table) -> tuple[list[DataWarning], dict[str, list[Message]]]:
    about_file: list[DataWarning] = []
    noted: dict[str, list[Message]] = {}
    for note in map(Message.of, table.notes):
        name = note.args.get("attribute")
        if isinstance(name, str) and name in table:
            noted.setdefault(name, []).append(note)
        elif note.code != "plain-reading":
            is_unsure = note.code == "unsure-reading"
            about_file.append(DataWarning(NOTED, note=note, about_import=is_unsure))
    return about_file, noted


def _still_holds(note: Message, column: Column, missing: int) -> bool:
    """Whether a note is true of the column as it is now; notes stay when the table is edited."""
    attribute = column.attribute
    if note.code == "look-alike":
        # They are found afresh, because merging them settles the matter.
        return False
    if note.code == "outside-domain":
        domain = note.args["shown"]
        said = domain.args if isinstance(domain, Message) else {}
        return attribute.domain == (said.get("low"), said.get("high"))
    if note.code == _TAKEN_FOR_MISSING:
        return missing > 0
    if note.code == "stands-apart":
        return note.args["value"] not in {code.code for code in attribute.missing_codes}
    return True


def alike_values(values: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return similar_values(values) if len(values) <= MOST_COMPARED else ()


def show_spaces(value: str) -> str:
    """A value whose spaces at the ends can be seen; many look-alikes differ in nothing else.

    >>> show_spaces(" yes")
    '␣yes'
    """
    inner = value.strip(" ")
    before = len(value) - len(value.lstrip(" "))
    return "␣" * before + inner + "␣" * (len(value) - before - len(inner))
