"""What a column holds: counts, range and missing answers, worked out once per column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.attribute import Code, Kind
from ppworkbench.core.data.edits import set_kind
from ppworkbench.core.data.numerals import number_text
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress
from ppworkbench.gui.jobs.job import Job, Work
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.words import number
from ppworkbench.gui.workbench import Workbench

AT_ONCE = 50_000
"""So many answers are looked through faster than anybody notices; more of them are a job."""

HeldCode = tuple[Code, str, int]
"""A missing code of the file, its label, and how many cells held it."""


@dataclass(frozen=True, eq=False)
class Facts:
    """What the inspector tells about one column.

    ``reasons`` are the missing codes of the file that cells held, with their counts; ``counts``
    belong to categorical columns, the numbers to numeric ones. ``impossible`` are the kinds that
    the column cannot have, with the reasons.
    """

    rows: int
    missing: int
    reasons: tuple[HeldCode, ...] = ()
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    low: float = np.nan
    high: float = np.nan
    mean: float = np.nan
    median: float = np.nan
    impossible: Mapping[Kind, str] = field(default_factory=dict)

    @property
    def present(self) -> int:
        """How many answers there are."""
        return self.rows - self.missing


def find_facts(column: Column) -> Facts:
    """Look through a column."""
    missing, reasons = column.missing_count, _reasons(column)
    if column.is_categorical:
        impossible = _refused_values(column)
        return Facts(len(column), missing, reasons, column.counts, impossible=impossible)
    present = column.data[~column.missing] if missing else column.data
    distinct = np.unique(present)
    impossible = _refused_numbers(column, distinct)
    if not len(present):
        return Facts(len(column), missing, reasons, impossible=impossible)
    return Facts(
        len(column),
        missing,
        reasons,
        low=float(distinct[0]),
        high=float(distinct[-1]),
        mean=float(present.mean()),
        median=float(np.median(present)),
        impossible=impossible,
    )


def _refused_values(column: Column) -> dict[Kind, str]:
    """The kinds that a categorical column cannot have; its values alone decide that."""
    table = Table((column.take(slice(0, 0)),))
    reasons = {kind: _trial(table, kind) for kind in Kind if kind is not column.attribute.kind}
    return {kind: reason for kind, reason in reasons.items() if reason}


def _refused_numbers(column: Column, distinct: NDArray[np.float64]) -> dict[Kind, str]:
    """The kinds that a numeric column cannot have, by its different numbers."""
    table = Table((column.with_(data=distinct, why_missing=None),))
    as_values = _trial(table, Kind.NOMINAL)
    as_whole = "" if column.attribute.kind is Kind.INTEGER else _trial(table, Kind.INTEGER)
    as_pair = as_values
    if not as_values and len(distinct) != 2:
        words = tr("It has %s different numbers, and a binary attribute has 2 values.")
        as_pair = words % number(len(distinct))
    reasons = {
        Kind.BINARY: as_pair,
        Kind.NOMINAL: as_values,
        Kind.ORDINAL: as_values,
        Kind.INTEGER: as_whole,
    }
    return {kind: reason for kind, reason in reasons.items() if reason}


def _trial(table: Table, kind: Kind) -> str:
    """Why a column of the different answers is refused a kind; empty when it is not."""
    name = table.names[0]
    try:
        set_kind(table, name, kind)
    except DataError as error:
        args = error.message.args
        if error.message.code == "no-whole-numbers":
            # The record of the first decimal number is that of a shortened column.
            words = tr("%s answers are no whole numbers, such as %s.")
            return words % tuple(told(Message("{n}", n=args[n])) for n in ("broken", "shown"))
        what = args.get("what")
        said = told(what if isinstance(what, Message) else error.message).removesuffix(".")
        return f"{said[:1].upper()}{said[1:]}."
    return ""


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


def code_text(code: Code) -> str:
    """A code of a file as it is written there."""
    return code if isinstance(code, str) else number_text(code)


class FactKeeper(QObject):
    """Gives facts at once for short columns; for long ones they arrive later, from a job."""

    facts_arrived = Signal(str)
    """The facts of this attribute can be asked for now."""
    missing_counted = Signal()
    """The missing answers of every column are counted."""

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._known: WeakKeyDictionary[Column, Facts] = WeakKeyDictionary()
        self._asked: WeakSet[Column] = WeakSet()

    def facts(self, column: Column) -> Facts | None:
        """What is known of a column; None while a job is finding it out."""
        if column in self._known:
            return self._known[column]
        if len(column) <= AT_ONCE:
            self._known[column] = find_facts(column)
            return self._known[column]
        if column not in self._asked:
            self._find_later(column)
        return None

    def _find_later(self, column: Column) -> None:
        def done(found: Facts) -> None:
            self._known[column] = found
            self.facts_arrived.emit(column.name)

        self._asked.add(column)
        job = self._run(f"facts of {column.name}", lambda _: find_facts(column), done)
        # A job that was stopped may be asked for again.
        job.ended.connect(lambda: self._asked.discard(column))

    def missing(self, column: Column) -> int | None:
        """How many answers of a column are missing; None while they are being counted."""
        if len(column) <= AT_ONCE or "missing_count" in vars(column):
            return column.missing_count
        return None

    def count_missing(self, table: Table) -> None:
        """See to it that missing answers are counted; columns keep the count themselves."""
        if table.rows <= AT_ONCE or all(self.missing(c) is not None for c in table):
            return

        def work(progress: Progress) -> None:
            for position, column in enumerate(table):
                progress(position / len(table.columns))
                _ = column.missing_count

        self._run("missing", work, lambda _: self.missing_counted.emit())

    def _run(self, key: str, work: Work, done: Callable[[Any], None]) -> Job:
        name = self.tr("Looking through the answers")
        return self._workbench.run(name, work, done, key=f"data {key}", quiet=True)
