"""What came of a run: accuracy against privacy, the table of results, and what is confused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QSignalBlocker, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from ppworkbench.analyses.experiments.classification import ClassifyRun, ResultRow, results_sheet
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.experiment import MEASURES, Summary
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.chart_export import jobs_of
from ppworkbench.gui.charts.legend import role_of
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.dialogs import save_table
from ppworkbench.gui.language import tongue, tr, translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.classify.view import (
    IDLE,
    ClassifyView,
    Summaries,
    level_words,
    looks_of,
    run_note,
    why_no_results,
)
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.layout import column, named, reserve_least, row, stack, text
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.widgets.table import copy_tables
from ppworkbench.results.files import write_sheet
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind
from ppworkbench.study.bundle_target import file_stem

ALL_RUNS = "all"


class ResultsCard(Card):
    """A chooser of the level, one of the run, the table, and how it was come by."""

    level_chosen = Signal(object)
    run_chosen = Signal(object)
    """The place of a run in the list, or ``ALL_RUNS``."""
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
        self.level.setMinimumWidth(84)
        self.run.setMinimumWidth(84)
        reserve_least(self, themes, height=236)
        reserve_least(self.table, themes, height=28 + 3 * 29)

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
        copy_tables(self.table.texts(), [results_sheet(self._rows)])

    def _on_save(self) -> None:
        save_table(
            self, self.tr("Export table"), f"{file_stem(tr('Results'))}.csv", self.save_table
        )

    def save_table(self, path: Path) -> None:
        sheet = results_sheet(self._rows)
        # Classifiers are judged by true answers.
        write_sheet(sheet, path, tongue().say, invented_words(), private=True)
        workbench = jobs_of(self)
        if workbench is not None:
            workbench.toast_requested.emit(tr("Saved as %s.") % path.name, False)


def _problem(row: ResultRow) -> str:
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


class CurveCard(Card):
    """The plot, or what to do to get one; a click or the arrow keys choose a level."""

    level_chosen = Signal(float)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.badge = text("", "warningBadge")
        self.head.addWidget(self.badge)
        # The hint gives way where there is little room, not the title.
        self.hint_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.head.setStretch(1, 1)
        self.head.setStretch(2, 0)
        name = self.tr("Accuracy against privacy")
        self.plot = PictureChart(themes, name, size=(560, 280), least=(240, 150))
        self.plot.setObjectName("accuracyPlot")
        self.plot.is_chosen_from = True
        self.plot.place_chosen.connect(self._on_place)
        self._levels: tuple[float, ...] = ()
        self._drawn: object = None
        self.empty = EmptyState(themes, "classify", " ", " ", " ")
        self.empty.button.setObjectName("classifyEmptyAction")
        self._stack = stack(self.empty, self.plot)
        self.body.addWidget(self.plot.legend)
        self.body.addWidget(self._stack, 1)

    @property
    def is_empty(self) -> bool:
        return self._stack.currentWidget() is self.empty

    def set_view(self, view: ClassifyView) -> None:
        run = view.run
        is_partial = run is not None and not run.is_complete
        self.badge.setText(self.tr("partial result") if is_partial else "")
        self.badge.setVisible(is_partial)
        self.hint_label.setText("" if run is None else self.tr("mean ± sd of finished folds"))
        if run is None:
            self.title_label.setText(self.tr("Accuracy against privacy"))
            self.empty.show_reason(why_no_results(view.study, view.settings))
            self._stack.setCurrentWidget(self.empty)
            self.plot.legend.hide()
            return
        self.title_label.setText(
            self.tr("Accuracy against privacy")
            if run.request.sweep.levels
            else self.tr("Accuracy with this design")
        )
        self._levels, setting = run.request.sweep.levels, view.setting
        told = [(key, one.accuracy, one.done) for key, one in view.summaries.items()]
        drawn = run, view.is_running, view.names, told
        # Each step of a long measurement shows its results again, mostly the same ones.
        if drawn != self._drawn:
            self._drawn = drawn
            self.plot.set_picture(accuracy_picture(self.plot.accessibleName(), run, view))
        self.plot.set_stale(view.is_stale)
        strong = "" if setting is None or setting.undistorted else view.names[setting.key]
        self.plot.choose(view.focus.level if self._levels else None, strong)
        self._stack.setCurrentWidget(self.plot)

    def _on_place(self, place: int) -> None:
        if self._levels:
            self.level_chosen.emit(self._levels[place])


def accuracy_picture(title: str, run: ClassifyRun, view: ClassifyView) -> Picture | None:
    """Lines with the spread of their points, and what they are compared with; None without any.

    Where nothing is swept every line is one point over its name.
    """
    levels, looks, nothing = run.request.sweep.levels, looks_of(run), Message("")
    names: list[str] = []
    marks: list[Mark] = []
    references: list[tuple[str, float]] = []
    for setting in run.request.settings:
        name = view.names[setting.key]
        if setting.undistorted:
            found = view.summaries.get((setting.key, None))
            if found is not None and math.isfinite(found.accuracy.mean):
                references.append((name, found.accuracy.mean))
            continue
        known = [(at, view.summaries.get((setting.key, at))) for at in run.request.levels]
        points = [
            (at if levels and at is not None else float(len(names)), *_spread(one))
            for at, one in known
            if one is not None and one.done
        ]
        names.append(name)
        if points:
            marks.append(_series(name, looks[setting.key], np.array(points).T))
    if run.request.larger_line and math.isfinite(run.larger_class):
        references.append((tr("majority class"), run.larger_class))
    if not marks and not references:
        return None
    low, high = _range(marks, [value for _, value in references])
    across = Axis(nothing, labels=tuple(names))
    if levels:
        room = 0.03 * (levels[-1] - levels[0]) or 0.5
        ends = levels[0] - room, levels[-1] + room
        across = Axis(Message(tr("range privacy: more private to the right")), "", (), *ends)
        unfinished = _unfinished(run, view.summaries) if view.is_running else None
        if unfinished is not None:
            x, whole, said = np.array([unfinished, ends[1]]), np.ones(2), tr("still running")
            band = np.nan * whole, low * whole, high * whole
            marks.append(Mark(Shape.BAND, Role.REFERENCE, Message(said), x, *band))
    for said, value in references:
        at, value_ = np.full(1, np.nan), np.full(1, value)
        marks.append(Mark(Shape.RULE, Role.REFERENCE, Message(said), at, value_))
    up = Axis(Message(tr("accuracy")), kind=Kind.SHARE, low=low, high=high)
    return Picture("levels", Message(title), across, up, tuple(marks))


def _spread(found: Summary) -> tuple[float, float]:
    return found.accuracy.mean, found.accuracy.sd


def _series(name: str, look: str, points: Numbers) -> Mark:
    """A line, or one point: with its interval where that is known."""
    x, mean, sd = points
    low, high = (mean - sd, mean + sd) if np.isfinite(sd).any() else (None, None)
    shape = Shape.POINTS if low is None else Shape.INTERVALS
    role, series = role_of(look)
    shape = Shape.LINE if len(x) > 1 else shape
    return Mark(shape, role, Message(name), x, mean, low, high, series=series)


def _range(marks: Sequence[Mark], references: Sequence[float]) -> tuple[float, float]:
    """From a bit below everything to a bit above it, in steps of five in a hundred."""
    ends = [end for one in marks for end in (one.y, one.low, one.high) if end is not None]
    values = np.concatenate([np.array(references), *ends])
    values = values[np.isfinite(values)]
    if not len(values):
        return 0.0, 1.0
    low = math.floor((values.min() - 0.01) * 20) / 20
    high = math.ceil((values.max() + 0.01) * 20) / 20
    return max(low, 0.0), min(max(high, low + 0.1), 1.0 if values.max() <= 1 else high)


def _unfinished(run: ClassifyRun, summaries: Summaries) -> float | None:
    """The first level at which some setting has no result at all yet."""
    for level in run.request.sweep.levels:
        for setting in run.request.settings:
            if not setting.undistorted and (setting.key, level) not in summaries:
                return level
    return None


class ConfusionCard(Card):
    """The heat map with a title that names the setting."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.heading = text(self.tr("Confusion matrix"), "strong", wrap=True)
        self.hint = text("", "captionHint", wrap=True)
        grid = PictureChart(themes, self.tr("Confusion matrix"), size=(300, 150), least=(200, 100))
        self.grid = named(grid, "confusionMatrix")
        self.reading = text("", "captionHint", wrap=True)
        self.body.addLayout(column(self.heading, self.hint, spacing=2))
        self._filler = QWidget()
        self.body.addWidget(self.grid, 1)
        self.body.addWidget(self._filler, 1)
        self.body.addWidget(self.reading)

    def set_view(self, view: ClassifyView) -> None:
        setting, found, why = view.setting, view.summary, ""
        if view.run is None:
            why = self.tr("Appears with the first results.")
        elif setting is None:
            why = self.tr("Always predicting the majority class is correct for all of its records.")
        elif found is None or not found.done:
            why = self.tr("No fold of this setting is finished yet.")
        elif not len(found.confusion):
            why = self.tr("The accuracy is estimated, not counted.")
        for widget in (self.grid, self.reading):
            widget.setVisible(not why)
        self._filler.setVisible(bool(why))
        if why or view.run is None or setting is None or found is None:
            self.heading.setText(self.tr("Confusion matrix"))
            self.hint.setText(why)
            return
        classes = view.run.class_values
        self.heading.setText(self.tr("%s: confusion matrix") % view.names[setting.key])
        tested = number(float(found.confusion.sum()))
        self.hint.setText(self.tr("of %s test records, mean of the finished repeats") % tested)
        self.grid.set_picture(confusion_picture(classes, found.confusion))
        self.reading.setText(self._reading(classes, found))
        self.reading.setToolTip(self._by_class(classes, found))

    def _reading(self, classes: tuple[str, ...], found: Summary) -> str:
        if len(classes) == 2:
            sensitivity, specificity = (found.by_class[m][1] for m in MEASURES[:2])
            parts = (number(sensitivity, 2), number(specificity, 2), classes[1])
            return self.tr("sensitivity %s, specificity %s for “%s”") % parts
        words = self.tr("over all classes: sensitivity %s, specificity %s, precision %s")
        return words % tuple(number(found.macro[m].mean, 2) for m in MEASURES[:3])

    def _by_class(self, classes: tuple[str, ...], found: Summary) -> str:
        lines = []
        for place, name in enumerate(classes[:30]):
            values = [found.by_class[m][place] for m in MEASURES]
            told = ["–" if np.isnan(v) else number(float(v), 2) for v in values]
            words = self.tr("%s: sensitivity %s, specificity %s, precision %s, F1 %s")
            lines.append(words % (name, *told))
        return "\n".join(lines)


_MOST = 8
"""Classes that are shown by themselves; rarer ones are drawn together."""


def confusion_picture(names: tuple[str, ...], counts: Numbers) -> Picture:
    """True classes and what they were taken for; the shade is the share of the row."""
    names, counts = _merged(names, np.asarray(counts, np.float64))
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.full_like(counts, np.nan), where=totals > 0)
    words = []
    for count, share in zip(counts.ravel().tolist(), shares.ravel().tolist(), strict=True):
        told = number(count, 0 if count >= 10 or count.is_integer() else 1)
        words.append(told if math.isnan(share) else f"{told}\n{percent(share)}")
    title = Message(tr("Confusion matrix"))
    cells = Mark(
        Shape.CELLS, Role.ESTIMATE, Message(""), np.arange(1.0 * len(names)), shares,
        words=tuple(words),
    )  # fmt: skip
    predicted, true = (tuple(words % name for name in names) for words in
                       (tr("predicted %s"), tr("true %s")))  # fmt: skip
    nothing = Message("")
    across, down = Axis(nothing, labels=predicted), Axis(nothing, labels=true)
    return Picture("confusion", title, across, down, (cells,))


def _merged(names: tuple[str, ...], counts: Numbers) -> tuple[tuple[str, ...], Numbers]:
    if len(names) <= _MOST:
        return names, counts
    frequent = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[: _MOST - 1])
    place = np.full(len(names), _MOST - 1)
    place[frequent] = np.arange(_MOST - 1)
    merged = np.zeros((_MOST, _MOST))
    np.add.at(merged, (place[:, None], place[None, :]), counts)
    return (*(names[i] for i in frequent), tr("others")), merged
