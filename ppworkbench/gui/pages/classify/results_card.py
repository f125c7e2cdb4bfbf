"""The results at one level, of one run or of all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import (
    QLineF,
    QModelIndex,
    QPointF,
    QRectF,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.gui.charts.chart_export import Rows, ask_for_file, save_rows
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.classify.texts import level_words, run_note
from ppworkbench.gui.pages.classify.view import IDLE, ClassifyView, ResultRow
from ppworkbench.gui.theme import ThemeManager, icon, set_fill
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.layout import named, row, text
from ppworkbench.gui.widgets.table import ROW, Column, ColumnModel, Index, copy_rows

NAME, HOW, ACCURACY, F1, TRAIN, FOLDS = range(6)


def result_columns() -> tuple[Column[ResultRow], ...]:
    """A row per setting; a delegate draws them."""
    return (
        Column(tr("Classifier"), _name, tip=_whole_tip, is_left=True),
        Column(tr("Reconstruction"), lambda row: row.how, tip=_whole_tip, is_left=True),
        Column(tr("Accuracy"), _accuracy, tip=_error_tip),
        Column(tr("F1"), lambda row: number(row.f1, 2), tip=_error_tip),
        Column(tr("Train"), lambda row: seconds_words(row.seconds), tip=_error_tip),
        Column(tr("Folds"), lambda row: row.folds, tip=_error_tip),
    )


def _name(row: ResultRow) -> str:
    return tr("%s, best") % row.name if row.is_best else row.name


def _accuracy(row: ResultRow) -> str:
    spread = f" ± {number(row.sd, 3)}" if math.isfinite(row.sd) else ""
    words = f"{number(row.mean, 3)}{spread}"
    return tr("%s, some folds failed") % words if row.failed else words


def _whole_tip(row: ResultRow) -> str:
    return translate(row.error) or f"{row.name}\n{row.how}"


def _error_tip(row: ResultRow) -> str:
    return translate(row.error)


def seconds_words(seconds: float) -> str:
    """A time of training."""
    if not math.isfinite(seconds):
        return "–"
    if seconds < 0.095:
        return f"{number(1000 * seconds)}\u202fms"
    return f"{number(seconds, 1)}\u202fs"


HEIGHT = 36
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class ResultsDelegate(QStyledItemDelegate):
    """A marker and a name, a mean in front of its deviation, a bar for unfinished folds."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme = self._themes.theme
        row: ResultRow = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect)  # type: ignore[attr-defined]  # not in the stubs
        if option.state & QStyle.StateFlag.State_Selected:  # type: ignore[attr-defined]  # not in the stubs
            painter.fillRect(box, theme.colour("accentTint"))
        elif index.row() + 1 < index.model().rowCount():
            painter.setPen(QPen(theme.colour("border"), 1))
            painter.drawLine(box.bottomLeft(), box.bottomRight())
        if getattr(index.model(), "is_stale", False):
            painter.setOpacity(0.55)
        inner = box.adjusted(14 if index.column() == NAME else 6, 0, -10, 0)
        if index.column() == NAME:
            self._draw_name(painter, inner, row)
        elif index.column() == ACCURACY:
            self._draw_accuracy(painter, inner, row)
        elif index.column() == FOLDS:
            self._draw_folds(painter, inner, row, str(index.data() or ""))
        else:
            bold = index.column() == F1 and row.is_best
            painter.setFont(theme.font("body", "semibold" if bold else "regular"))
            painter.setPen(theme.colour("text2" if index.column() == HOW else "text"))
            words = str(index.data() or "")
            flags = _RIGHT if index.column() > HOW else Qt.AlignmentFlag.AlignVCenter
            shown = painter.fontMetrics().elidedText(
                words, Qt.TextElideMode.ElideRight, int(inner.width())
            )
            painter.drawText(inner, flags, shown)
        painter.restore()

    def _draw_name(self, painter: QPainter, box: QRectF, row: ResultRow) -> None:
        theme, middle = self._themes.theme, box.center().y()
        if row.look.startswith("series"):
            spot = QPointF(box.left() + 7, middle)
            draw_marker(painter, look_marker(row.look), spot, 4.5, look_colour(theme, row.look))
        else:
            pen = QPen(theme.colour("text2"), 1.6)
            pen.setDashPattern([1.2, 2.2] if row.look == "dots" else [3.2, 2])
            painter.setPen(pen)
            painter.drawLine(QLineF(box.left(), middle, box.left() + 16, middle))
        words = box.adjusted(26, 0, 0, 0)
        painter.setFont(theme.font("body", "semibold" if row.is_best else "medium"))
        painter.setPen(theme.colour("text"))
        room = words.width() - (18 if row.is_best or row.error else 0)
        shown = painter.fontMetrics().elidedText(row.name, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, shown)
        x = words.left() + painter.fontMetrics().horizontalAdvance(shown) + 4
        place = QRectF(x, middle - 7.5, 15, 15).toRect()
        if row.error:
            icon("warning", theme.colour("warningText")).paint(painter, place)
        elif row.is_best:
            icon("star", theme.colour("accentInk")).paint(painter, place)

    def _draw_accuracy(self, painter: QPainter, box: QRectF, row: ResultRow) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        room = painter.fontMetrics().horizontalAdvance("± 0.000") + 6
        if math.isfinite(row.sd):
            painter.drawText(box, _RIGHT, f"± {number(row.sd, 3)}")
        painter.setFont(theme.font("body", "bold" if row.is_best else "regular"))
        painter.setPen(theme.colour("text"))
        painter.drawText(box.adjusted(0, 0, -room, 0), _RIGHT, number(row.mean, 3))

    def _draw_folds(self, painter: QPainter, box: QRectF, row: ResultRow, words: str) -> None:
        theme = self._themes.theme
        running = 0 < row.done + row.failed < row.total
        painter.setFont(theme.font("caption", "medium" if running else "regular"))
        painter.setPen(theme.colour("text" if running else "text3"))
        painter.drawText(box.adjusted(0, 0, 0, -6) if running else box, _RIGHT, words)
        if running:
            bar = QRectF(box.right() - 46, box.center().y() + 8, 46, 3)
            set_fill(painter, theme.colour("border"))
            painter.drawRoundedRect(bar, 1.5, 1.5)
            bar.setWidth(46 * (row.done + row.failed) / row.total)
            painter.setBrush(theme.colour("accent"))
            painter.drawRoundedRect(bar, 1.5, 1.5)


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
        super().resizeEvent(event)
        self.resized.emit(self.viewport().width())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
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
    row_chosen = Signal(object)
    """The row of the setting that is looked at."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.model = ColumnModel(themes, result_columns(), self)
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
        self.save = IconButton(self._themes, "export", self.tr("Save table as CSV…"), 16)
        self.save.setObjectName("saveResults")
        self.level.activated.connect(lambda i: self.level_chosen.emit(self.level.itemData(i)))
        self.run.activated.connect(lambda i: self.run_chosen.emit(self.run.itemData(i)))
        self.remove.clicked.connect(self.run_removed)
        self.copy.clicked.connect(self.copy_table)
        self.save.clicked.connect(self._on_save)

    def _make_table(self) -> None:
        self.table = named(ResultsTable(), "resultsTable", self.tr("Results"))
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
        self.model.set_rows(view.rows, stale=view.is_stale)
        self.note.setText(note)
        for button in (self.copy, self.save):
            button.setEnabled(bool(view.rows))
        looked_at = (view.key, run)
        places = [i for i, one in enumerate(view.rows) if (one.key, one.run) == looked_at]
        if places:
            self._select(places[0])

    def _select(self, place: int) -> None:
        """Select a row without announcing it."""
        if place == self.table.currentIndex().row():
            return
        with QSignalBlocker(self.table.selectionModel()):
            self.table.setCurrentIndex(self.model.index(place, 0))
        self.table.selectRow(place)
        self.table.viewport().update()

    def _on_row(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid():
            self.row_chosen.emit(current.data(ROW))

    # What a person takes away

    def rows(self) -> Rows:
        """The table as text."""
        return self.model.as_texts()

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
        for column, width in ((ACCURACY, 106), (F1, 48), (TRAIN, 72), (FOLDS, 74)):
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
