"""What the truth says: estimated against true supports, and errors by the size of the set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.mining.runs import F1, MEASURES, SUPPORT_ERROR, Sizes, errors_sheet
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.texts import errors_sentence, truth_words, value_words
from ppworkbench.gui.pages.mine.view import SETS, Listing, MineView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named, row, stack, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind


def truth_picture(title: str, listing: Listing, rows: NDArray[np.intp]) -> Picture:
    """The rows of a listing whose truth is known, and the line on which estimates would be true."""
    values = {
        name: found[rows]
        for name in ("true", "uncorrected", "support")
        if (found := listing.numbers(name)) is not None
    }
    highest = max((float(np.nanmax(one, initial=0.0)) for one in values.values()), default=0.0)
    true, names, ends = values.pop("true"), listing.texts.take(rows), np.array([0.0, 1.0])
    across, up = (
        Axis(Message.of(words), kind=Kind.SHARE, low=0.0, high=max(highest * 1.05, 0.002))
        for words in (marked_invented(tr("true support")), tr("estimated"))
    )
    marks = [Mark(Shape.LINE, Role.REFERENCE, Message(""), ends, ends)]
    looks = {
        "uncorrected": (Role.REPORTED, tr("uncorrected")),
        "support": (Role.ESTIMATE, tr("estimated")),
    }
    whiskers = [listing.numbers(end) for end in ("low", "high")]
    for name, found in values.items():
        low, high = (None if one is None or name != "support" else one[rows] for one in whiskers)
        role, words = looks[name]
        marks.append(
            Mark(Shape.POINTS, role, Message(words), true, found, low, high, names=names)
        )  # fmt: skip
    errors = {
        name: number(100 * float(np.abs(one - true).mean()), 1) if len(rows) else "–"
        for name, one in values.items()
    }
    told = tr("%s itemsets; mean absolute error %s points") % (number(len(rows)), errors["support"])
    if "uncorrected" in errors:
        told = tr("%s, uncorrected %s points") % (told, errors["uncorrected"])
    return Picture("truth", Message(title), across, up, tuple(marks), Message.of(told))


class TruthCard(Card):
    """One point per itemset; the plot is a part of its own."""

    place_chosen = Signal(int)
    """The place in the listing of the point that was clicked."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=14)
        self.body.setSpacing(2)
        self._listing: Listing | None = None
        self._rows = np.zeros(0, np.intp)
        self.add(text(self.tr("Estimated against true support"), "strong"))
        self.hint = ElidedLabel("captionHint", lines=2)
        self.hint.setText(self.tr("one point per itemset; original answers known"))
        self.add(self.hint)
        self.words = named(text("", "hint", wrap=True), "truthWords")
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        chart = PictureChart(themes, self.tr("Estimated against true support"), size=(240, 170))
        self.plot = named(chart, "truthPlot")
        self.plot.is_chosen_from = True
        self.plot.place_chosen.connect(lambda place: self.place_chosen.emit(self._rows[place]))
        self.stack = stack(self.words, self.plot)
        self.add(self.plot.legend)
        self.body.addWidget(self.stack, 1)
        self.setMinimumHeight(themes.theme.px(190))

    def set_view(self, view: MineView) -> None:
        words = truth_words(view.run)
        listing = None if words else view.listings.get(SETS)
        self.plot.set_stale(view.is_stale)
        self.show_listing(listing)
        chosen = np.flatnonzero(self._rows == view.chosen).tolist()
        self.plot.choose(chosen[0] if chosen else None)
        self.words.setText(words)
        self.hint.setVisible(listing is not None)
        self.stack.setCurrentWidget(self.words if listing is None else self.plot)

    def show_listing(self, listing: Listing | None) -> None:
        if listing is self._listing:
            return
        self._listing, self._rows = listing, np.zeros(0, np.intp)
        picture, true = None, None if listing is None else listing.numbers("true")
        if listing is not None and true is not None:
            self._rows = np.flatnonzero(np.isfinite(true))
            picture = truth_picture(self.plot.accessibleName(), listing, self._rows)
        self.plot.choose(None)
        self.plot.set_picture(picture)


# Errors


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


class ErrorsCard(Card):
    """The truth is known, else nothing could be said."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._sizes = Sizes(None)
        # Where it is narrow F1 is left to the comparison of runs.
        self.table = SheetTable(
            themes, "sizeErrors", self.tr("Errors by itemset size"), spare=(F1,), chooses=False,
            hugs=3, pad=4, sorts=False,
        )  # fmt: skip
        self._chart: PictureChart | None = None
        self.view = Segmented(
            themes, self.tr("Show as"), [(TABLE, self.tr("Table")), (CHART, self.tr("Chart"))]
        )
        self.view.setObjectName("errorsView")
        self.view.chosen.connect(self._on_view)
        self.sentence = named(text("", "secondary", wrap=True), "errorsSentence")
        self.sentence.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._arrange()
        themes.follow_size(self.view)

    def _arrange(self) -> None:
        self.stack = stack(self.table)
        title = ElidedLabel("strong", self.tr("Errors by itemset size"), lines=2)
        head = row(title, self.view, stretch=0, margin=(13, 10, 12, 6))
        foot = row(self.sentence, margin=(13, 8, 13, 10))
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        self.body.addWidget(self.stack, 1)
        self.body.addLayout(foot)
        self.body.addStretch(0)

    def set_view(self, view: MineView) -> None:
        run = view.run
        self.setVisible(run is not None)
        if run is None:
            return
        sizes = self._sizes = view.sizes
        if sizes.sheet is not None:
            self.table.set_sheet(errors_sheet(sizes.sheet), RowLooks(is_stale=view.is_stale))
        if self.view.current == CHART:
            self._show_chart()
        self.sentence.setText(errors_sentence(run))
        has_errors = sizes.has_errors and bool(sizes.longest)
        self.stack.setVisible(has_errors)
        self.view.setVisible(has_errors)
        self._fit_height()

    @property
    def chart(self) -> PictureChart:
        """The lines, made when they are first looked at."""
        if self._chart is None:
            name = self.tr("Errors by itemset size")
            chart = PictureChart(self._themes, name, size=(220, 110), least=(120, 90))
            self._chart = named(chart, "sizePlot")
            self._holder = QWidget()
            layout = column(chart.legend, chart, parent=self._holder, spacing=2)
            layout.setContentsMargins(12, 0, 8, 0)
            layout.setStretch(1, 1)
            self.stack.addWidget(self._holder)
        return self._chart

    def _show_chart(self) -> None:
        words = (self.tr("support error"), self.tr("missed"), self.tr("false positives"))
        lines = [
            (name, place, self._sizes.values(key))
            for place, (name, key) in enumerate(zip(words, MEASURES[1:4], strict=True))
        ]
        title = self.tr("Errors by itemset size")
        picture = size_picture(title, lines, Kind.PERCENT) if self._sizes.has_errors else None
        self.chart.set_picture(picture, lambda value: value_words(SUPPORT_ERROR, value))

    def _on_view(self, key: str) -> None:
        if key == CHART:
            self._show_chart()
        self.stack.setCurrentWidget(self.table if key == TABLE else self._holder)
        self._fit_height()

    def _fit_height(self) -> None:
        """The table ends with its last row, so that the sentence follows it; a chart may grow."""
        is_table = self.stack.currentIndex() == 0
        self.stack.setMaximumHeight(self.table.maximumHeight() if is_table else _NO_LIMIT)
