"""The rows of the list of questions that were asked."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QColor, QFont

from ppworkbench.gui.language.text import tr
from ppworkbench.gui.pages.survey.asked import Asked
from ppworkbench.gui.pages.survey.question import Question
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.text_table import Index

COPY = 7
_LEFT = frozenset({0, 1, 6})
_GREY = frozenset({1, 3, 4, 5, 6})


class AskedModel(QAbstractTableModel):
    """Condition, statistic, estimate, interval, at face value, true, method, copy."""

    def __init__(self, themes: ThemeManager, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self.rows: tuple[Asked, ...] = ()
        self.mark = ""
        """The mark of the design of now; empty while it is not known."""
        self.shown: Question | None = None
        """The question whose answer is on the page."""

    def show_rows(self, rows: tuple[Asked, ...]) -> None:
        """Show other questions."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def set_mark(self, mark: str) -> None:
        """Tell which design is the one of now."""
        if mark != self.mark:
            self.mark = mark
            self._refresh()

    def set_shown(self, question: Question | None) -> None:
        """Tell which answer is on the page."""
        if question != self.shown:
            self.shown = question
            self._refresh()

    def _refresh(self) -> None:
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, COPY))

    def is_older(self, row: int) -> bool:
        """Whether an answer belongs to another design or draw."""
        return bool(self.mark) and self.rows[row].mark != self.mark

    def is_shown(self, row: int) -> bool:
        """Whether an answer is the one on the page."""
        return self.shown is not None and self.rows[row].question == self.shown

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of questions."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """As the heads say."""
        return 0 if parent.isValid() else COPY + 1

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(section)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        return (
            tr("Condition"), tr("Statistic"), tr("Estimate"), tr("95 % interval"),
            tr("At face value"), tr("True"), tr("Method"), "",
        )[section]  # fmt: skip

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column = index.row(), index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._words(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column)
        return self._look(row, column, role)

    def _look(self, row: int, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.FontRole:
            strong = column == 2 or (column == 0 and self.is_shown(row))
            return self._themes.theme.font("body", "semibold" if strong else "regular")
        return self._ink(row, column) if role == Qt.ItemDataRole.ForegroundRole else None

    def look(self, row: int, column: int) -> tuple[str, QFont, QColor, Qt.AlignmentFlag]:
        """Words, font, colour and side of a cell at once, for painting."""
        font = self._look(row, column, Qt.ItemDataRole.FontRole)
        return self._words(row, column), font, self._ink(row, column), _side(column)

    def _ink(self, row: int, column: int) -> Any:
        older = self.is_older(row)
        name = "text3" if older else "text2" if column in _GREY else "text"
        return self._themes.theme.colour(name)

    def _words(self, row: int, column: int) -> str:
        return "" if column == COPY else self.rows[row].cells[column]

    def _tip(self, row: int, column: int) -> str:
        if column == COPY:
            return tr("Copy this row")
        asked = self.rows[row]
        lines = [asked.condition]
        if asked.time:
            lines.append(tr("asked at %s") % asked.time)
        if self.is_older(row):
            lines.append(tr("This answer is for an earlier design; click to ask again."))
        return "\n".join(lines)


def _side(section: int) -> Qt.AlignmentFlag:
    left = Qt.AlignmentFlag.AlignLeft if section in _LEFT else Qt.AlignmentFlag.AlignRight
    return left | Qt.AlignmentFlag.AlignVCenter
