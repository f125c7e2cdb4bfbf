"""The runs of a study side by side."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ppworkbench.core.params import declarations
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.mine.methods import full_name
from ppworkbench.gui.pages.mine.request import FREQUENT, POSSIBLY, SURELY
from ppworkbench.gui.pages.mine.run import Run
from ppworkbench.gui.pages.mine.words import level, seconds, share
from ppworkbench.gui.words import number, significant

Index = QModelIndex | QPersistentModelIndex
RUN = Qt.ItemDataRole.UserRole

F1, SUPPORT_ERROR, MISSED, EXTRA, FOUND = "f1", "support_error", "missed", "extra", "found"
MEASURES = (F1, SUPPORT_ERROR, MISSED, EXTRA, FOUND)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
MOST_SIZES = 6
"""Sizes beyond these have no column; they are in the chart."""


def measure_words(measure: str) -> str:
    """A measure in words."""
    words = {
        F1: tr("F1 by size"),
        SUPPORT_ERROR: tr("Support error by size"),
        MISSED: tr("Missed by size"),
        EXTRA: tr("Extra by size"),
        FOUND: tr("Itemsets by size"),
    }
    return words[measure]


def value_words(measure: str, value: float) -> str:
    """A value of a measure."""
    if math.isnan(value):
        return "–"
    if measure == F1:
        return number(value, 2)
    return number(value) if measure == FOUND else share(value, 1 if measure == SUPPORT_ERROR else 0)


def value_of(run: Run, measure: str, size: int) -> float:
    """A measure of a run at a size; NaN where it is not known."""
    if measure == FOUND:
        return float(run.found[size - 1]) if size <= len(run.found) else 0.0
    errors = next((e for e in run.errors if e.size == size), None)
    return math.nan if errors is None else float(getattr(errors, measure))


def run_title(run: Run) -> str:
    """A run in a few words."""
    return tr("%s. %s, %s") % (
        number(run.number), full_name(run.request.method), level(run.request.min_support),
    )  # fmt: skip


def run_details(run: Run) -> str:
    """What else a run was asked for: what differs from what one would expect."""
    request = run.request
    found = [tr("%s items") % number(len(request.items))]
    if request.certainty == SURELY:
        found.append(tr("surely frequent"))
    elif request.certainty == POSSIBLY:
        found.append(tr("not surely infrequent"))
    for declaration in declarations(type(request.miner)):
        value = getattr(request.miner, declaration.name)
        if declaration.name in ("min_support", FREQUENT) or value == declaration.default:
            continue
        shown = significant(value) if isinstance(value, float) else str(value)
        found.append(f"{told(declaration.info.label).lower()} {shown}")
    return ", ".join(found)


class RunsModel(QAbstractTableModel):
    """One row per run; the columns of a measure go over the sizes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.runs: tuple[Run, ...] = ()
        self.shown_number = 0
        self.stale: frozenset[int] = frozenset()
        self.measure = F1

    def show_runs(
        self, runs: tuple[Run, ...], shown: int, stale: frozenset[int], measure: str
    ) -> None:
        """Show other runs, the newest first, or another measure."""
        self.beginResetModel()
        self.runs, self.shown_number = tuple(reversed(runs)), shown
        self.stale, self.measure = stale, measure
        self.endResetModel()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes that have a column."""
        longest = max((len(run.found) for run in self.runs), default=0)
        longest = max([longest, *(len(run.errors) for run in self.runs)])
        return tuple(range(1, min(longest, MOST_SIZES) + 1))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Runs."""
        return 0 if parent.isValid() else len(self.runs)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The run, how many sets, the measure by size, and the time."""
        return 0 if parent.isValid() else len(self.sizes) + 3

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Names and what they mean."""
        if orientation is Qt.Orientation.Vertical:
            return None
        last = self.columnCount() - 1
        if role == Qt.ItemDataRole.DisplayRole:
            if section in (0, 1, last):
                return {0: self.tr("Run"), 1: self.tr("Found"), last: self.tr("Time")}[section]
            return number(self.sizes[section - 2])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section == 0 else _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole and 1 < section < last:
            words = measure_words(self.measure)
            return self.tr("%s, sets of size %s") % (words, number(self.sizes[section - 2]))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid():
            return None
        run, section = self.runs[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(run, section)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(run)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section == 0 else _RIGHT
        if role == RUN:
            return run
        return None

    def _text(self, run: Run, section: int) -> str:
        if section == 0:
            return run_title(run)
        if section == 1:
            return number(run.total)
        if section == self.columnCount() - 1:
            return seconds(run.seconds)
        return value_words(self.measure, value_of(run, self.measure, self.sizes[section - 2]))

    def _tip(self, run: Run) -> str:
        words = self.tr("%s: %s. Click to bring it back.") % (run_title(run), run_details(run))
        if run.number in self.stale:
            words += " " + self.tr("Made with another design or other answers.")
        return words

    def best(self, section: int) -> float:
        """The best value of a column, NaN where nothing can be best."""
        if not 1 < section < self.columnCount() - 1 or self.measure == FOUND:
            return math.nan
        size = self.sizes[section - 2]
        known = [v for r in self.runs if not math.isnan(v := value_of(r, self.measure, size))]
        if len(known) < 2:
            return math.nan
        return max(known) if self.measure == F1 else min(known)
