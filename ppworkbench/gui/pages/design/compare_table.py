"""Measures by designs: one column for every pin, and one for the design of now."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from ppworkbench.gui.clipboard import copy_rows
from ppworkbench.gui.pages.design.compare_plot import NOW
from ppworkbench.gui.pages.design.measures import MORE_IS_BETTER, shown_measure
from ppworkbench.gui.theme import ThemeManager

Index = QModelIndex | QPersistentModelIndex
Cells = dict[tuple[int, int], tuple[str, bool]]
"""By row and column: what stands there, and whether it is the best of its row."""


@dataclass(frozen=True)
class Comparison:
    """What the table shows: labels by measure, and numbers by letter (or "now") and measure."""

    labels: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, float] | None] = field(default_factory=dict)
    active: str = ""
    numeric: bool = False

    def shown(self, design: str, key: str) -> str:
        """One cell."""
        numbers = self.numbers[design]
        return shown_measure(key, None if numbers is None else numbers.get(key), self.numeric)

    def is_best(self, design: str, key: str) -> bool:
        """Whether no other design is better in this measure and one is worse."""
        values = {one: found[key] for one, found in self.numbers.items() if found and key in found}
        if design not in values or not math.isfinite(values[design]):
            return False
        sign = -1 if key in MORE_IS_BETTER else 1
        # What looks alike is alike.
        best = self.shown(min(values, key=lambda one: sign * values[one]), key)
        return self.shown(design, key) == best and any(
            self.shown(one, key) != best for one in values
        )


class CompareModel(QAbstractTableModel):
    """A row for every measure; while a slider moves only the column of now changes."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.shown = Comparison()
        self._cells: Cells = {}

    def show(self, comparison: Comparison) -> None:
        """Show other numbers; only cells that look different are drawn again."""
        before, self.shown = self.shown, comparison
        cells, self._cells = self._cells, _cells(comparison)
        if list(before.numbers) != list(comparison.numbers) or before.labels != comparison.labels:
            self.beginResetModel()
            self.endResetModel()
            return
        for place, cell in self._cells.items():
            if cell != cells[place]:
                # One by one: a range would make the whole table be drawn again.
                self.dataChanged.emit(self.index(*place), self.index(*place))

    @property
    def designs(self) -> list[str]:
        """Letters in order, then "now"."""
        return list(self.shown.numbers)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """One for every measure."""
        return 0 if parent.isValid() else len(self.shown.labels)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The name of the measure, then the designs."""
        return 0 if parent.isValid() else 1 + len(self.shown.numbers)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Letters; the active one is said in the tooltip too."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        design = self.designs[section - 1] if 0 < section <= len(self.designs) else ""
        if role == Qt.ItemDataRole.DisplayRole:
            return self.tr("now") if design == NOW else design or self.tr("measure")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return int((side | Qt.AlignmentFlag.AlignVCenter).value)
        if role == Qt.ItemDataRole.ToolTipRole and design not in ("", NOW):
            is_active = design == self.shown.active
            words = self.tr("The cards show the change since %s.") if is_active else self.tr(
                "Click to show the change since %s on the cards."
            )  # fmt: skip
            return words % design
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Names and numbers; the best of a row is bold."""
        content, is_best = self._cells[index.row(), index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return content
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if index.column() else Qt.AlignmentFlag.AlignLeft
            return int((side | Qt.AlignmentFlag.AlignVCenter).value)
        if role == Qt.ItemDataRole.FontRole and is_best:
            return self._themes.theme.font("body", "semibold")
        if role == Qt.ItemDataRole.ForegroundRole and not index.column():
            return self._themes.theme.colour("text2")
        return None


def _cells(shown: Comparison) -> Cells:
    cells: Cells = {}
    for row, (key, label) in enumerate(shown.labels.items()):
        cells[row, 0] = label, False
        for place, design in enumerate(shown.numbers):
            cells[row, place + 1] = shown.shown(design, key), shown.is_best(design, key)
    return cells


class CompareTable(QTableView):
    """As high as its rows; Ctrl+C copies all of it."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.numbers = CompareModel(themes)
        self.setModel(self.numbers)
        self.setObjectName("compareTable")
        self.setAccessibleName(self.tr("Measures of the pinned designs"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setSectionsClickable(True)
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        themes.theme_changed.connect(self._measure)
        self.numbers.modelReset.connect(self._measure)
        self._measure()

    def _measure(self) -> None:
        row = self._themes.theme.px(25)
        self.verticalHeader().setMinimumSectionSize(row)
        self.verticalHeader().setDefaultSectionSize(row)
        self.horizontalHeader().setFixedHeight(row + 2)
        if self.numbers.columnCount() > 1:
            head = self.horizontalHeader()
            head.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
            head.resizeSection(0, self._themes.theme.px(152))
        self.setFixedHeight(self.sizeHint().height())

    def sizeHint(self) -> QSize:  # noqa: N802
        """All rows."""
        row = self._themes.theme.px(25)
        return QSize(300, row + 4 + row * self.numbers.rowCount())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            shown = self.numbers.shown
            heads = ["", *self.numbers.designs]
            rows = [
                [label, *(shown.shown(design, key) for design in self.numbers.designs)]
                for key, label in shown.labels.items()
            ]
            copy_rows([heads, *rows])
        else:
            super().keyPressEvent(event)
