"""Runs beside each other: what each found, and one of its measures over the sizes."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.mining.runs import MiningRun
from ppworkbench.analyses.mining.sheets import MEASURE_WORDS, run_title, runs_sheet
from ppworkbench.analyses.mining.tables import F1, FOUND, longest_set, measure_at
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker, series_look
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.pages.mine.errors_card import size_picture
from ppworkbench.gui.pages.mine.texts import value_words
from ppworkbench.gui.pages.mine.view import MineView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import column, named, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.widgets.table import EDGE
from ppworkbench.results.sheet import Kind

_DRAWN = 6
"""Runs whose lines are drawn; more cannot be told apart."""


def run_look(run: MiningRun) -> str:
    """Its look in the table and in the picture: a run keeps it as long as it is kept."""
    return series_look(_series(run))


def _series(run: MiningRun) -> int:
    return (run.number - 1) % _DRAWN


class RunsCard(QWidget):
    """All runs, and the chosen measure of the newest as lines."""

    run_chosen = Signal(int)
    run_removed = Signal(int)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._runs: tuple[MiningRun, ...] = ()
        """Those of the table, the newest first."""
        self.table = SheetTable(
            themes, "runs", self.tr("Runs"), spare=("seconds",), chooses=False, hugs=1, sorts=False
        )
        self.table.row_activated.connect(lambda row: self.run_chosen.emit(self._runs[row].number))
        self.table.row_removed.connect(lambda row: self.run_removed.emit(self._runs[row].number))
        for words, keys in ((self.tr("Show this run"), self.table.row_activated),
                            (self.tr("Delete run"), self.table.row_removed)):  # fmt: skip
            action = QAction(words, self.table)
            action.triggered.connect(lambda *_, signal=keys: signal.emit(self.table.place))
            self.table.addAction(action)
        self.title = text("", "label")
        chart = PictureChart(themes, self.tr("Run comparison"), size=(220, 110), least=(120, 90))
        self.plot = named(chart, "runsPlot")
        lower = QWidget()
        below = column(self.title, self.plot.legend, self.plot, parent=lower, spacing=3)
        below.setContentsMargins(EDGE, 8, EDGE - 4, 0)
        below.setStretch(2, 1)
        layout = column(self.table, lower, parent=self, spacing=0)
        layout.setStretch(0, 6)
        layout.setStretch(1, 5)

    def set_view(self, view: MineView) -> None:
        """Show the runs, the newest first."""
        measure = view.measure
        runs = self._runs = view.runs[::-1]
        stale = frozenset(place for place, one in enumerate(runs) if one.number in view.stale)
        looks = RowLooks(
            pale=stale.__contains__, chosen={runs.index(view.run)} if view.run in runs else (),
            mark=self._draw_mark, words=lambda row: _words(is_stale=row in stale),
        )  # fmt: skip
        self.table.set_sheet(runs_sheet(runs, measure), looks)
        self.title.setText(translate(MEASURE_WORDS[measure]))
        drawn = view.runs[-_DRAWN:]
        sizes = tuple(range(1, longest_set(drawn) + 1))
        lines = [
            (run_title(run), _series(run), [measure_at(run, measure, size) for size in sizes])
            for run in drawn
        ]
        kind = Kind.NUMBER if measure in (F1, FOUND) else Kind.SHARE
        picture = size_picture(MEASURE_WORDS[measure], lines, kind) if lines else None
        self.plot.set_picture(picture, lambda value: value_words(measure, value))

    def _draw_mark(self, painter: QPainter, row: int, at: QPointF) -> None:
        look = run_look(self._runs[row])
        ink = look_colour(self._themes.theme, look)
        draw_marker(painter, look_marker(look), at, 4.0, ink)


def _words(*, is_stale: bool) -> str:
    words = tr("Click to show this run.")
    if is_stale:
        words += " " + tr("Computed with another design or other answers.")
    return words
