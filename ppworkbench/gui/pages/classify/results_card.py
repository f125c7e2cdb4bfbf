"""The results at one level, of one run or of all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QLineF, QPointF, QSignalBlocker, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QComboBox, QWidget

from ppworkbench.analyses.classification import ResultRow, results_sheet
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker
from ppworkbench.gui.dialogs import save_file
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.pages.classify.texts import level_words, run_note
from ppworkbench.gui.pages.classify.view import IDLE, ClassifyView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.layout import named, row, text
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.widgets.table import copy_rows
from ppworkbench.results.files import write_sheet

ALL_RUNS = "all"


class ResultsCard(Card):
    """A chooser of the level, one of the run, the table, and how it was come by."""

    level_chosen = Signal(object)
    run_chosen = Signal(object)
    """The place of a run in the list, or ``ALL_RUNS``."""
    run_removed = Signal()
    row_chosen = Signal(object)
    """The row of the setting that is looked at."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._rows: tuple[ResultRow, ...] = ()
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
        self.level = named(QComboBox(), "resultsLevel", self.tr("Privacy level"))
        self.run = named(QComboBox(), "resultsRun", self.tr("Run"))
        self.remove = IconButton(self._themes, "close", self.tr("Delete run"), 14)
        self.remove.setObjectName("removeRun")
        self.copy = IconButton(self._themes, "copy", self.tr("Copy table"), 16)
        self.copy.setObjectName("copyResults")
        self.save = IconButton(self._themes, "export", self.tr("Save table…"), 16)
        self.save.setObjectName("saveResults")
        self.level.activated.connect(lambda i: self.level_chosen.emit(self.level.itemData(i)))
        self.run.activated.connect(lambda i: self.run_chosen.emit(self.run.itemData(i)))
        self.remove.clicked.connect(self.run_removed)
        self.copy.clicked.connect(self.copy_table)
        self.save.clicked.connect(self._on_save)

    def _make_table(self) -> None:
        # What matters least is left out where the table is narrow.
        self.table = SheetTable(
            self._themes, "resultsTable", self.tr("Results"),
            spare=("train_seconds", "reconstruction", "f1", "folds"),
        )  # fmt: skip
        self.table.row_chosen.connect(self._on_row)

    # What is shown

    def set_view(self, view: ClassifyView) -> None:
        """Show the results of a run at a level, or of all runs."""
        run, is_idle = view.run, view.state == IDLE
        levels: list[tuple[object, str]] = []
        runs: list[tuple[object, str]] = []
        current: object = None
        note = self.tr("Results appear here fold by fold.")
        if run is not None:
            levels = [(one, level_words(one)) for one in run.request.levels]
            runs = [(place, view.run_words(one)) for place, one in enumerate(view.runs)]
            if len(runs) > 1:
                runs.append((ALL_RUNS, self.tr("all runs")))
            current = ALL_RUNS if view.focus.all_runs else view.runs.index(run)
            note = run_note(run, view.summaries.values(), view.study)
        _fill(self.level, levels, view.focus.level)
        _fill(self.run, runs, current)
        self.run.setEnabled(is_idle and len(runs) > 1)
        self.remove.setEnabled(is_idle)
        for widget in (self.run, self.remove):
            widget.setVisible(len(runs) > 1)
        rows = self._rows = view.rows
        looks = RowLooks(
            is_stale=view.is_stale, mark=self._draw_mark, sign=self._sign,
            words=lambda row: _problem(rows[row]),
        )  # fmt: skip
        looked_at = (view.key, run)
        places = [i for i, one in enumerate(rows) if (one.key, one.run) == looked_at]
        with QSignalBlocker(self.table):
            self.table.set_sheet(results_sheet(rows), looks)
            if places:
                self.table.select_place(places[0])
        self.note.setText(note)
        for button in (self.copy, self.save):
            button.setEnabled(bool(rows))

    def _draw_mark(self, painter: QPainter, row: int, at: QPointF) -> None:
        theme, look = self._themes.theme, self._rows[row].look
        if look.startswith("series"):
            draw_marker(painter, look_marker(look), at, 4.5, look_colour(theme, look))
            return
        pen = QPen(theme.colour("text2"), 1.6)
        pen.setDashPattern([1.2, 2.2] if look == "dots" else [3.2, 2])
        painter.setPen(pen)
        painter.drawLine(QLineF(at.x() - 5, at.y(), at.x() + 9, at.y()))

    def _sign(self, row: int) -> tuple[str, str]:
        one = self._rows[row]
        if one.error:
            return "warning", "warningText"
        return ("star", "accentInk") if one.is_best else ("", "")

    def _on_row(self, row: int) -> None:
        if row >= 0:
            self.row_chosen.emit(self._rows[row])

    # What a person takes away

    def copy_table(self) -> None:
        """Put the table on the clipboard."""
        copy_rows(self.table.texts())

    def _on_save(self) -> None:
        kinds = self.tr("Table (*.csv *.tsv *.tex)")
        save_file(self, self.tr("Save"), "results.csv", kinds, self.save_table)

    def save_table(self, path: Path) -> None:
        """Write the table in the format of the ending."""
        write_sheet(results_sheet(self._rows), path, tongue().say, invented_words())

    def _restyle(self) -> None:
        px = self._themes.theme.px
        self.level.setMinimumWidth(84)
        self.run.setMinimumWidth(84)
        self.setMinimumHeight(px(236))
        self.table.setMinimumHeight(px(28 + 3 * 29))


def _problem(row: ResultRow) -> str:
    """Why there is no result, or only some of it."""
    partly = tr("some folds failed") if row.failed and row.done else ""
    return ", ".join(filter(None, (translate(row.error), partly)))


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
