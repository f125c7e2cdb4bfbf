"""The results at one level, of one run or of all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QHeaderView, QTableView, QWidget

from ppworkbench.gui.clipboard import copy_rows
from ppworkbench.gui.pages.classify.results_delegate import HEIGHT, ResultsDelegate
from ppworkbench.gui.pages.classify.results_model import (
    ACCURACY,
    F1,
    FOLDS,
    HOW,
    NAME,
    TRAIN,
    ResultRow,
    ResultsModel,
)
from ppworkbench.gui.plots.picture_files import Rows, ask_for_file, save_rows
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import row, text

ALL_RUNS = "all"


class ResultsTable(QTableView):
    """Ctrl+C copies all of it."""

    copy_requested = Signal()
    resized = Signal(int)
    """The new width."""

    def __init__(self) -> None:
        super().__init__()
        self.setTabKeyNavigation(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Tell how wide it is."""
        super().resizeEvent(event)
        self.resized.emit(self.viewport().width())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy the table."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        else:
            super().keyPressEvent(event)


class ResultsCard(Card):
    """A chooser of the level, one of the run, the table, and how it was come by."""

    level_chosen = Signal(object)
    run_chosen = Signal(object)
    """The place of a run in the list, or ``ALL_RUNS``."""
    run_removed = Signal()
    row_chosen = Signal(int)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.model = ResultsModel(self)
        self._make_controls()
        self._make_table()
        self.note = text("", "captionHint", wrap=True)
        self.note.setContentsMargins(14, 4, 14, 8)
        head = QWidget()
        self.level.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.run.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        row(
            text(self.tr("Results at"), "strong"), self.level, None, self.run, self.remove,
            self.copy, self.save, parent=head,
        ).setContentsMargins(14, 8, 10, 8)  # fmt: skip
        self.body.setSpacing(0)
        self.body.setContentsMargins(1, 0, 1, 0)
        self.body.addWidget(head)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(self.note)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _make_controls(self) -> None:
        self.level = QComboBox()
        self.level.setObjectName("resultsLevel")
        self.level.setAccessibleName(self.tr("Level of privacy"))
        self.run = QComboBox()
        self.run.setObjectName("resultsRun")
        self.run.setAccessibleName(self.tr("Run"))
        self.remove = IconButton(self._themes, "close", self.tr("Remove this run"), 14)
        self.remove.setObjectName("removeRun")
        self.copy = IconButton(self._themes, "copy", self.tr("Copy the table"), 16)
        self.copy.setObjectName("copyResults")
        self.save = IconButton(self._themes, "export", self.tr("Save the table as CSV…"), 16)
        self.save.setObjectName("saveResults")
        self.level.activated.connect(lambda i: self.level_chosen.emit(self.level.itemData(i)))
        self.run.activated.connect(lambda i: self.run_chosen.emit(self.run.itemData(i)))
        self.remove.clicked.connect(self.run_removed)
        self.copy.clicked.connect(self.copy_table)
        self.save.clicked.connect(self._on_save)

    def _make_table(self) -> None:
        self.table = ResultsTable()
        self.table.setObjectName("resultsTable")
        self.table.setAccessibleName(self.tr("Results"))
        self.table.setModel(self.model)
        self.delegate = ResultsDelegate(self._themes)
        self.table.setItemDelegate(self.delegate)
        self.table.setShowGrid(False)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.verticalHeader().hide()
        self.table.copy_requested.connect(self.copy_table)
        self.table.resized.connect(self._make_room)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)

    def _make_room(self, width: int) -> None:
        """Leave out what matters least where the table is narrow."""
        px = self._themes.theme.px
        self.table.setColumnHidden(TRAIN, width < px(520))
        self.table.setColumnHidden(HOW, width < px(450))
        self.table.setColumnHidden(F1, width < px(350))
        self.table.setColumnHidden(FOLDS, width < px(300))

    # What is shown

    def show_levels(self, levels: Sequence[tuple[float | None, str]], current: object) -> None:
        """Offer levels with their words."""
        _fill(self.level, levels, current)

    def show_runs(self, runs: Sequence[tuple[object, str]], current: object) -> None:
        """Offer runs with their words; nothing is offered while there is one at most."""
        _fill(self.run, runs, current)
        self.run.setVisible(len(runs) > 1)
        self.remove.setVisible(len(runs) > 1)

    def show_rows(self, rows: list[ResultRow], note: str, *, stale: bool) -> None:
        """Show results."""
        self.model.show_rows(rows, stale=stale)
        self.note.setText(note)
        for button in (self.copy, self.save):
            button.setEnabled(bool(rows))

    def select(self, place: int) -> None:
        """Select a row without announcing it."""
        if place == self.table.currentIndex().row():
            return
        with QSignalBlocker(self.table.selectionModel()):
            self.table.setCurrentIndex(self.model.index(place, 0))
        self.table.selectRow(place)
        self.table.viewport().update()

    def _on_row(self, current: object, _: object) -> None:
        self.row_chosen.emit(current.row())

    # What a person takes away

    def rows(self) -> Rows:
        """The table as text."""
        columns = range(self.model.columnCount())
        head = [str(self.model.headerData(c, Qt.Orientation.Horizontal)) for c in columns]
        return [head, *([self.model.words(r, c) for c in columns] for r in self.model.rows)]

    def copy_table(self) -> None:
        """Put the table on the clipboard."""
        copy_rows(self.rows())

    def _on_save(self) -> None:
        ask_for_file(self, "results.csv", self.save_table)

    def save_table(self, path: Path) -> None:
        """Write the table as CSV."""
        save_rows(self.rows(), path)

    def _restyle(self) -> None:
        px = self._themes.theme.px
        header = self.table.horizontalHeader()
        header.setMinimumSectionSize(px(40))
        header.setHighlightSections(False)
        header.setFixedHeight(px(28))
        self.table.verticalHeader().setDefaultSectionSize(px(HEIGHT))
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(HOW, QHeaderView.ResizeMode.Fixed)
        self.table.setColumnWidth(HOW, px(118))
        for column, width in ((ACCURACY, 106), (F1, 48), (TRAIN, 60), (FOLDS, 74)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            self.table.setColumnWidth(column, px(width))
        self.level.setMinimumWidth(84)
        self.run.setMinimumWidth(84)
        self.setMinimumHeight(px(236))
        self.table.setMinimumHeight(px(28 + 3 * HEIGHT))


def _fill(box: QComboBox, entries: Sequence[tuple[object, str]], current: object) -> None:
    with QSignalBlocker(box):
        if [(box.itemData(i), box.itemText(i)) for i in range(box.count())] != list(entries):
            box.clear()
            for value, words in entries:
                box.addItem(words, value)
        places = [place for place, (value, _) in enumerate(entries) if value == current]
        box.setCurrentIndex(places[0] if places else -1)
    # Large type may leave no room for all of it.
    box.setToolTip(box.currentText())
    box.setEnabled(len(entries) > 1)
