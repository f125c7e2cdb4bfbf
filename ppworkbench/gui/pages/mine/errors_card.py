"""Errors by size of the itemset, as a table or as lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QStackedWidget,
    QWidget,
)

from ppworkbench.analyses.mining.sheets import errors_sheet
from ppworkbench.analyses.mining.tables import F1, SizeErrors
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.mine.texts import errors_sentence, share
from ppworkbench.gui.pages.mine.view import MineView
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named, row, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind


def size_picture(
    title: str, lines: Sequence[tuple[str, int, Sequence[float]]], kind: Kind
) -> Picture:
    """Lines over the sizes of the sets; each has a name, its place among the series and numbers."""
    longest = max((len(values) for *_, values in lines), default=0)
    marks = tuple(
        Mark(
            Shape.LINE, Role.SERIES, Message.of(name), np.arange(1.0, 1.0 + len(values)),
            np.array(values, np.float64), series=place,
        )
        for name, place, values in lines
    )  # fmt: skip
    across = Axis(
        Message(tr("items in the set")), kind=Kind.COUNT, low=0.7, high=max(longest, 2) + 0.3
    )
    up = Axis(Message.of(title), low=0.0, kind=kind)
    return Picture("sizes", Message.of(title), across, up, marks)


TABLE, CHART = "table", "chart"
_NO_LIMIT = 16_777_215


class ErrorsChart(QWidget):
    """The three errors as lines over the sizes."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._title = name
        self.plot = named(PictureChart(themes, name, size=(220, 110), least=(120, 90)), "sizePlot")
        layout = column(self.plot.legend, self.plot, parent=self, spacing=2)
        layout.setContentsMargins(12, 0, 8, 0)
        layout.setStretch(1, 1)

    def show_errors(self, errors: Sequence[SizeErrors]) -> None:
        lines = [
            (self.tr("support error"), 0, [e.support_error for e in errors]),
            (self.tr("missed"), 1, [e.missed for e in errors]),
            (self.tr("false positives"), 2, [e.extra for e in errors]),
        ]
        picture = size_picture(self._title, lines, Kind.SHARE) if errors else None
        self.plot.set_picture(picture, lambda value: share(value, 1))


class ErrorsCard(Card):
    """The truth is known, else nothing could be said."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._errors: tuple[SizeErrors, ...] = ()
        # Where it is narrow F1 is left to the comparison of runs.
        self.table = SheetTable(
            themes, "sizeErrors", self.tr("Errors by itemset size"), spare=(F1,), chooses=False,
            hugs=3, pad=4, sorts=False,
        )  # fmt: skip
        self._chart: ErrorsChart | None = None
        self.view = Segmented(
            themes, self.tr("Show as"), [(TABLE, self.tr("Table")), (CHART, self.tr("Chart"))]
        )
        self.view.setObjectName("errorsView")
        self.view.chosen.connect(self._on_view)
        self.sentence = named(text("", "secondary", wrap=True), "errorsSentence")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._arrange()
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _arrange(self) -> None:
        self.stack = QStackedWidget()
        self.stack.addWidget(self.table)
        title = ElidedLabel("strong", self.tr("Errors by itemset size"), lines=2)
        head = row(title, self.view)
        head.setStretch(0, 1)
        head.setContentsMargins(13, 10, 12, 6)
        foot = row(self.sentence)
        foot.setContentsMargins(13, 8, 13, 10)
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        self.body.addWidget(self.stack, 1)
        self.body.addLayout(foot)
        self.body.addStretch(0)

    def set_view(self, view: MineView) -> None:
        """Show the errors of a run and what to make of them; without a run there is no card."""
        run = view.run
        self.setVisible(run is not None)
        if run is None:
            return
        self._errors = run.errors
        self.table.set_sheet(errors_sheet(run.errors), RowLooks(is_stale=view.is_stale))
        if self.view.current == CHART:
            self.chart.show_errors(run.errors)
        self.sentence.setText(errors_sentence(run))
        self.stack.setVisible(bool(run.errors))
        self.view.setVisible(bool(run.errors))
        self._fit_height()

    @property
    def chart(self) -> ErrorsChart:
        """The lines, made when they are first looked at."""
        if self._chart is None:
            self._chart = ErrorsChart(self._themes, self.tr("Errors by itemset size"))
            self.stack.addWidget(self._chart)
        return self._chart

    def _on_view(self, key: str) -> None:
        if key == CHART:
            self.chart.show_errors(self._errors)
        self.stack.setCurrentWidget(self.table if key == TABLE else self.chart)
        self._fit_height()

    def _fit_height(self) -> None:
        """The table ends with its last row, so that the sentence follows it; a chart may grow."""
        is_table = self.stack.currentIndex() == 0
        self.stack.setMaximumHeight(self.table.maximumHeight() if is_table else _NO_LIMIT)

    def _restyle(self) -> None:
        caption = self._themes.theme.font("caption").pixelSize()
        set_rules(self.view, f"font-size: {caption}px;")
