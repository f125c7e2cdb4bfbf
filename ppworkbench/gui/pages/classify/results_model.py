"""The table of results: a row for every setting, or for every setting of every run."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from ppworkbench.core.experiment import Summary
from ppworkbench.gui.language.text import told, tr
from ppworkbench.gui.pages.classify.run import Run
from ppworkbench.gui.pages.classify.words import how_reconstructed, setting_name
from ppworkbench.gui.plots.series import series_look
from ppworkbench.gui.words import number

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole + 1
NAME, HOW, ACCURACY, F1, TRAIN, FOLDS = range(6)


@dataclass(frozen=True)
class ResultRow:
    """One setting at one level, or a reference."""

    key: str
    name: str
    how: str
    look: str
    """One of the series, ``dash`` or ``dots``."""
    mean: float
    sd: float
    f1: float
    seconds: float
    done: int
    total: int
    failed: int = 0
    error: str = ""
    is_best: bool = False
    run: Run | None = None

    @property
    def may_be_best(self) -> bool:
        """Whether it learns from distorted records and no fold is missing from its accuracy."""
        return self.look.startswith("series") and math.isfinite(self.mean) and not self.failed

    @property
    def folds(self) -> str:
        """How many folds are finished, in words."""
        if not self.total:
            return ""
        return tr("%s of %s") % (number(self.done), number(self.total))


def looks_of(run: Run) -> dict[str, str]:
    """How each setting of a run is drawn: distorted ones as series, references dashed."""
    looks, place = {}, 0
    for setting in run.request.settings:
        looks[setting.key] = "dash" if setting.undistorted else series_look(place)
        place += not setting.undistorted
    return looks


def rows_of(
    run: Run, summaries: dict[tuple[str, float | None], Summary], level: float | None, words: str
) -> list[ResultRow]:
    """The settings of a run at a level, and the larger class where it is wanted."""
    looks, rows = looks_of(run), []
    for setting in run.request.settings:
        at = None if setting.undistorted else level
        found = summaries.get((setting.key, at))
        nothing = math.nan
        rows.append(
            ResultRow(
                setting.key,
                setting_name(setting),
                how_reconstructed(setting),
                looks[setting.key],
                nothing if found is None else found.accuracy.mean,
                nothing if found is None else found.accuracy.sd,
                nothing if found is None else found.macro["f1"].mean,
                nothing if found is None else found.train_seconds.mean,
                0 if found is None else found.done,
                run.request.folds,
                0 if found is None else found.failed,
                "" if found is None else found.error,
                run=run,
            )
        )
    rows = _marked(rows)
    if run.request.larger_line and math.isfinite(run.larger_class):
        nan = math.nan
        rows.append(
            ResultRow("", words, "–", "dots", run.larger_class, nan, nan, nan, 0, 0, run=run)
        )
    return rows


def _marked(rows: list[ResultRow]) -> list[ResultRow]:
    """The same rows, the best of those that learn from distorted records marked."""
    best = best_mean(rows)
    return [dataclasses.replace(r, is_best=r.may_be_best and r.mean == best) for r in rows]


def best_mean(rows: list[ResultRow]) -> float:
    """The highest accuracy on distorted records of those rows that have all their folds."""
    return max((r.mean for r in rows if r.may_be_best), default=math.nan)


class ResultsModel(QAbstractTableModel):
    """Rows with their words; a delegate draws them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[ResultRow] = []
        self.is_stale = False

    def show_rows(self, rows: list[ResultRow], *, stale: bool = False) -> None:
        """Show other rows; the same number of rows keeps the selection."""
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows, self.is_stale = rows, stale
            self.endResetModel()
            return
        self.rows, self.is_stale = rows, stale
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, FOLDS))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """One per setting."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """Always the same."""
        return 0 if parent.isValid() else FOLDS + 1

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """What a column holds."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section <= HOW else Qt.AlignmentFlag.AlignRight
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        return (
            self.tr("Classifier"), self.tr("Reconstruction"), self.tr("Accuracy"), self.tr("F1"),
            self.tr("Train"), self.tr("Folds"),
        )[section]  # fmt: skip

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Words for people, screen readers and the clipboard; the row itself for the delegate."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.words(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return told(row.error) or (f"{row.name}\n{row.how}" if index.column() <= HOW else None)
        return None

    def words(self, row: ResultRow, column: int) -> str:
        """A cell as text."""
        if column == NAME:
            return self.tr("%s, best") % row.name if row.is_best else row.name
        if column == ACCURACY:
            spread = f" ± {number(row.sd, 3)}" if math.isfinite(row.sd) else ""
            words = f"{number(row.mean, 3)}{spread}"
            return self.tr("%s, some folds failed") % words if row.failed else words
        if column == F1:
            return number(row.f1, 2)
        return {HOW: row.how, TRAIN: seconds_words(row.seconds), FOLDS: row.folds}[column]


def seconds_words(seconds: float) -> str:
    """A time of training."""
    if not math.isfinite(seconds):
        return "–"
    if seconds < 0.095:
        return f"{number(1000 * seconds)}\u202fms"
    return f"{number(seconds, 1)}\u202fs"
