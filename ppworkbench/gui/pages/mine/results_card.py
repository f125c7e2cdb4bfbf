"""The itemsets and rules that were found, and earlier runs beside them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QPointF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from ppworkbench.analyses.mining.mine import Mine
from ppworkbench.analyses.mining.runs import (
    F1,
    FOUND,
    MEASURE_WORDS,
    MEASURES,
    Sizes,
    run_title,
    runs_sheet,
)
from ppworkbench.analyses.runs import Run
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker, series_look
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import counted, number
from ppworkbench.gui.pages.mine.texts import value_words
from ppworkbench.gui.pages.mine.truth_cards import size_picture
from ppworkbench.gui.pages.mine.view import RULES, RUNS, SETS, Listing, MineView, TableState
from ppworkbench.gui.pages.question_page import ProgressStrip
from ppworkbench.gui.theme import ThemeManager, icon
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import ChoiceBox, Segmented, filter_field
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, named, row, stack, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable
from ppworkbench.gui.widgets.table import EDGE
from ppworkbench.results.sheet import Kind

_DRAWN = 6
"""Runs whose lines are drawn; more cannot be told apart."""


def run_look(run: Run[Mine]) -> str:
    """Its look in the table and in the picture: a run keeps it as long as it is kept."""
    return series_look(_series(run))


def _series(run: Run[Mine]) -> int:
    return (run.number - 1) % _DRAWN


class RunsCard(QWidget):
    """All runs, and the chosen measure of the newest as lines."""

    run_chosen = Signal(int)
    run_removed = Signal(int)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._runs: tuple[Run[Mine], ...] = ()
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
        column(self.table, lower, parent=self, spacing=0, stretch={0: 6, 1: 5})

    def set_view(self, view: MineView) -> None:
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
        known = [(run, Sizes(run)) for run in drawn]
        sizes = range(1, max((one.longest for _, one in known), default=0) + 1)
        lines = [
            (run_title(run), _series(run), [one.at(measure, size) for size in sizes])
            for run, one in known
        ]
        kind = Kind.NUMBER if measure in (F1, FOUND) else Kind.PERCENT
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


def _table(themes: ThemeManager, name: str, words: str) -> SheetTable:
    # A narrow table does without what the picture tells, too.
    spare = ("uncorrected",) if name == SETS else ("support", "lift")
    return SheetTable(themes, name, words, spare=spare, wraps=True)


class ResultsCard(Card):
    """Tables of itemsets, rules and runs, one of them in sight, with what filters them."""

    table_changed = Signal(object)
    """Which table somebody wants to look at, and how."""

    def __init__(self, themes: ThemeManager, strip: ProgressStrip) -> None:
        super().__init__(padding=0)
        self._themes, self.strip = themes, strip
        self._table = TableState()
        self._shown: dict[str, tuple[object, ...]] = {}
        """What was shown last in the tables, with its filter."""
        self._make_head()
        self.sets = _table(themes, "itemsets", self.tr("Itemsets"))
        self.rules = _table(themes, "rules", self.tr("Rules"))
        self.runs = RunsCard(themes)
        self.empty = EmptyState(themes, "mine", "", "", " ")
        self.empty.button.setObjectName("mineEmptyAction")
        self.nothing = text("", "hint", wrap=True, align=Qt.AlignmentFlag.AlignCenter)
        self._arrange()

    def _make_head(self) -> None:
        themes = self._themes
        self.view = named(Segmented(themes, self.tr("Show"), self._segments(0, 0, 0)), "mineView")
        self.view.chosen.connect(lambda view: self._change(view=view))
        self.filter = filter_field(
            "itemsetFilter", self.tr("Filter by item"), self.tr("Filter by item name")
        )
        self.filter.setToolTip(self.filter.placeholderText())
        self.filter.setMinimumWidth(40)
        self._glass = QAction(self)
        self.filter.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.filter.textChanged.connect(lambda words: self._change(text=words))
        find = QAction(self.tr("Filter table"), self)
        find.setShortcut(QKeySequence(QKeySequence.StandardKey.Find))
        find.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        find.triggered.connect(self.filter.setFocus)
        self.addAction(find)
        self.size_box = named(QComboBox(), "sizeFilter", self.tr("Number of items"))
        self.size_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # In a small window the filter gives way first.
        self.size_box.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.size_box.activated.connect(
            lambda place: self._change(sizes=self.size_box.itemData(place))
        )
        self.size_box.currentTextChanged.connect(self.size_box.setToolTip)
        choices = [(measure, translate(MEASURE_WORDS[measure])) for measure in MEASURES]
        self.measure_box = named(ChoiceBox(self.tr("Compared measure"), choices), "runMeasure")
        self.measure_box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.measure_box.setMinimumWidth(120)
        self.measure_box.currentTextChanged.connect(self.measure_box.setToolTip)
        self.measure_box.chosen.connect(lambda measure: self._change(measure=measure))
        self.unrelated = text("", "captionHint", wrap=True)
        self.hide_unrelated = QCheckBox(self.tr("Hide", "rules"))
        self.hide_unrelated.setObjectName("hideUnrelated")
        self.hide_unrelated.setAccessibleName(self.tr("Hide rules without an association"))
        self.hide_unrelated.setToolTip(self.hide_unrelated.accessibleName())
        self.hide_unrelated.clicked.connect(lambda on: self._change(hides_unrelated=on))
        themes.follow(self._colour)

    def _arrange(self) -> None:
        self.unrelated_row = QWidget()
        unrelated = row(self.unrelated, self.hide_unrelated, parent=self.unrelated_row, spacing=12)
        unrelated.setContentsMargins(14, 0, 14, 8)
        unrelated.setStretch(0, 1)
        self.unrelated_row.hide()
        head = row(self.view, self.filter, self.size_box, self.measure_box, spacing=8)
        head.setContentsMargins(13, 10, 13, 10)
        head.setStretch(1, 1)
        self.head_row = QWidget()
        self.head_row.setLayout(head)
        self.stack = stack(self.empty, self.sets, self.rules, self.nothing, self.runs)
        self.foot_left = ElidedLabel("captionHint", lines=2)
        self.foot_right = text("", "captionHint")
        self.foot = QWidget()
        row(self.foot_left, self.foot_right, parent=self.foot, margin=(14, 6, 14, 7), stretch=0)
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        self.body.addWidget(self.head_row)
        self.body.addWidget(self.strip)
        self.body.addWidget(self.unrelated_row)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.foot)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(428), 200)

    # What is shown

    def set_view(self, view: MineView) -> None:
        run, which = view.run, view.table.view
        self._table = view.table
        self.view.set_choices(self._segments(*(view.rows(one) for one in (SETS, RULES, RUNS))))
        self.view.set_current(which)
        self.head_row.setVisible(bool(view.runs))
        is_filtered = which != RUNS and view.empty is None
        self.filter.setVisible(is_filtered)
        self.size_box.setVisible(is_filtered)
        self.measure_box.setVisible(which == RUNS)
        unrelated = "" if view.empty is not None else view.unrelated_words
        self.unrelated.setText(unrelated)
        self.unrelated_row.setVisible(bool(unrelated))
        self.hide_unrelated.setChecked(view.table.hides_unrelated)
        if self.filter.text() != view.table.text:
            self.filter.setText(view.table.text)
        if run is not None:
            self._show_sizes(view.sizes.longest_found, view.table.sizes)
        if view.empty is not None:
            self._show_empty(view)
        elif which == RUNS:
            self._show_measures(view)
            self.runs.set_view(view)
            self.stack.setCurrentWidget(self.runs)
        else:
            self._show_rows(view)
        shown = 0 if which == RUNS else len(self.table_of(which).rows)
        left, right = ("", "")
        if view.empty is None:
            left, right = view.legend, view.count_words(shown)
        self.foot_left.setText(left)
        self.foot_right.setText(right)
        self.foot.setVisible(bool(left or right))

    def _segments(self, sets: int, rules: int, runs: int) -> list[tuple[str, str]]:
        def counted(words: str, count: int) -> str:
            return f"{words} {number(count)}" if count else words

        return [
            (SETS, counted(self.tr("Itemsets"), sets)),
            (RULES, counted(self.tr("Rules"), rules)),
            (RUNS, counted(self.tr("Runs"), runs)),
        ]

    def _show_rows(self, view: MineView) -> None:
        which, listing = view.table.view, view.listing
        table = self.table_of(which)
        # The page knows what is chosen; it hears only of what a person does.
        with QSignalBlocker(table):
            if listing is not None:
                self._show_listing(view, listing)
            if which == SETS:
                table.select_place(view.chosen)
        if len(table.rows):
            self.stack.setCurrentWidget(table)
            return
        self.nothing.setText(
            self.tr("No rule matches the filter.")
            if which == RULES
            else self.tr("No itemset matches the filter.")
        )
        self.stack.setCurrentWidget(self.nothing)

    def _show_listing(self, view: MineView, listing: Listing) -> None:
        """Show the rows that the filter leaves; the scale of their bars stays while one types."""
        table, request = view.table, view.run.request if view.run is not None else None
        asked = (listing, table.text, table.sizes, table.hides_unrelated, view.is_stale)
        if request is None or self._shown.get(table.view) == asked:
            return
        self._shown[table.view] = asked
        rules, is_rules = request.rules, listing.is_rules
        looks = RowLooks(
            rule=rules.min_confidence if is_rules and rules else request.miner.min_support,
            reach=listing.reach(table.of_size(listing)), is_stale=view.is_stale,
            # Rules without an association are paler, like results of another design.
            pale=listing.is_unrelated.__getitem__ if is_rules else None,
            words=(lambda row: association_words(listing, row)) if is_rules else None,
        )  # fmt: skip
        kept = replace(table, hides_unrelated=table.hides_unrelated and is_rules).kept(listing)
        self.table_of(table.view).set_sheet(listing.sheet, looks, kept=kept)

    def _show_empty(self, view: MineView) -> None:
        reason = view.empty
        if reason is not None:
            self.empty.show_reason(reason)
            self.stack.setCurrentWidget(self.empty)

    def _show_sizes(self, longest: int, sizes: tuple[int, int]) -> None:
        offered = [(self.tr("Any size"), (1, 0)), (self.tr("2 or more items"), (2, 0))]
        if longest > 2:
            offered.append((self.tr("3 or more items"), (3, 0)))
        one, many = self.tr("1 item"), self.tr("%s items")
        offered += [(counted(at, one, many), (at, at)) for at in range(1, longest + 1)]
        if sizes not in [bounds for _, bounds in offered]:
            offered.append((self.tr("%s items") % number(sizes[0]), sizes))
        box = self.size_box
        with QSignalBlocker(box):
            if [(box.itemText(i), box.itemData(i)) for i in range(box.count())] != offered:
                box.clear()
                for words, bounds in offered:
                    box.addItem(words, bounds)
            box.setCurrentIndex([bounds for _, bounds in offered].index(sizes))
        box.setToolTip(box.currentText())

    def _show_measures(self, view: MineView) -> None:
        """Show what is compared; measures of the truth are grey where it is not known."""
        reason = self.tr("Only runs with known original answers have errors.")
        self.measure_box.set_current(view.measure if view.runs else F1)
        unknown = [name for name in MEASURES if name not in view.measures]
        self.measure_box.set_disabled(dict.fromkeys(unknown, reason))

    def table_of(self, view: str) -> SheetTable:
        return {SETS: self.sets, RULES: self.rules, RUNS: self.runs.table}[view]

    def _change(self, **changes: Any) -> None:
        self.table_changed.emit(replace(self._table, **changes))

    def _colour(self) -> None:
        self._glass.setIcon(icon("search", self._themes.theme.colour("text2")))


def association_words(rules: Listing, row: int) -> str:
    low, high = rules.numbers("lift_low"), rules.numbers("lift_high")
    if low is None or high is None or math.isnan(low[row]) or math.isnan(high[row]):
        return ""
    if rules.is_unrelated[row]:
        return tr("no association")
    return (
        tr("together more often than by chance")
        if low[row] > 1
        else tr("together less often than by chance")
    )
