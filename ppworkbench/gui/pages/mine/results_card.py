"""The itemsets and rules that were found, and earlier runs beside them."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from ppworkbench.analyses.mining.sheets import MEASURE_WORDS, itemset_sheet
from ppworkbench.analyses.mining.tables import F1, LIFT, MEASURES, RAW, SUPPORT, RowOrder
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.mine.runs_card import RunsCard
from ppworkbench.gui.pages.mine.texts import association_words
from ppworkbench.gui.pages.mine.view import RULES, RUNS, SETS, MineView, TableState
from ppworkbench.gui.theme import ThemeManager, icon
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import ProgressBar, Segmented, filter_field
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import named, row, text
from ppworkbench.gui.widgets.sheet_table import RowLooks, SheetTable


class ProgressStrip(QWidget):
    """What a run is doing; hidden while none takes longer than a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.label = ElidedLabel("caption")
        self.bar = named(ProgressBar(120), "miningProgress", self.tr("Run progress"))
        layout = row(self.label, self.bar, parent=self, spacing=10)
        layout.setContentsMargins(14, 0, 14, 8)
        layout.setStretch(0, 1)
        self.hide()

    def set_view(self, view: MineView) -> None:
        """Show how far the run is."""
        progress = view.progress
        self.setVisible(progress is not None)
        self.label.setText("" if progress is None else progress.words)
        self.bar.show_share(0.0 if progress is None else progress.done)


def _table(themes: ThemeManager, name: str, words: str) -> SheetTable:
    # A narrow table does without what the picture tells, too.
    spare = (RAW,) if name == "itemsets" else (SUPPORT, LIFT)
    return SheetTable(themes, name, words, spare=spare, wraps=True, sorts=False)


class ResultsCard(Card):
    """Tables of itemsets, rules and runs, one of them in sight, with what filters them."""

    table_changed = Signal(object)
    """Which table somebody wants to look at, and how."""
    set_chosen = Signal(int)
    """The place of the itemset in the chosen row, -1 for none."""
    run_chosen = Signal(int)
    run_removed = Signal(int)
    action_requested = Signal()
    """The button of the empty state."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._table = TableState()
        self._chosen = -1
        self._orders: dict[str, tuple[RowOrder, bool]] = {}
        self._make_head()
        self.sets = _table(themes, "itemsets", self.tr("Itemsets"))
        self.sets.row_chosen.connect(self._on_set)
        self.rules = _table(themes, "rules", self.tr("Rules"))
        for table in (self.sets, self.rules):
            table.sort_requested.connect(
                lambda name: self.table_changed.emit(self._table.sorted_by(name))
            )
        self.runs = RunsCard(themes)
        self.runs.run_chosen.connect(self.run_chosen)
        self.runs.run_removed.connect(self.run_removed)
        self.empty = EmptyState(themes, "mine", "", "", " ")
        self.empty.button.setObjectName("mineEmptyAction")
        self.empty.button.clicked.connect(self.action_requested)
        self.nothing = text("", "hint", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
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
        self.measure_box = named(QComboBox(), "runMeasure", self.tr("Compared measure"))
        self.measure_box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.measure_box.setMinimumWidth(120)
        self.measure_box.currentTextChanged.connect(self.measure_box.setToolTip)
        for measure in MEASURES:
            self.measure_box.addItem(translate(MEASURE_WORDS[measure]), measure)
        self.measure_box.activated.connect(
            lambda place: self._change(measure=self.measure_box.itemData(place))
        )
        self.unrelated = text("", "captionHint", wrap=True)
        self.hide_unrelated = QCheckBox(self.tr("Hide", "rules"))
        self.hide_unrelated.setObjectName("hideUnrelated")
        self.hide_unrelated.setAccessibleName(self.tr("Hide rules without an association"))
        self.hide_unrelated.setToolTip(self.hide_unrelated.accessibleName())
        self.hide_unrelated.clicked.connect(lambda on: self._change(hides_unrelated=on))
        themes.theme_changed.connect(self._colour)
        self._colour()

    def _arrange(self) -> None:
        self.strip = ProgressStrip()
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
        self.stack = QStackedWidget()
        for widget in (self.empty, self.sets, self.rules, self.nothing, self.runs):
            self.stack.addWidget(widget)
        self.foot_left = ElidedLabel("captionHint", lines=2)
        self.foot_right = text("", "captionHint")
        self.foot = QWidget()
        foot = row(self.foot_left, self.foot_right, parent=self.foot)
        foot.setContentsMargins(14, 6, 14, 7)
        foot.setStretch(0, 1)
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
        """Show the table that is looked at, or why it is empty."""
        run, which = view.run, view.table.view
        self._table = view.table
        self.view.set_choices(
            self._segments(
                0 if run is None else run.total,
                0 if run is None else run.rule_count,
                len(view.runs),
            )
        )
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
            self._show_sizes(len(run.found), view.table.sizes)
        if view.empty is not None:
            self._show_empty(view)
        elif which == RUNS:
            self._show_measures(view)
            self.runs.set_view(view)
            self.stack.setCurrentWidget(self.runs)
        else:
            self._show_rows(view)
        left, right = ("", "") if view.empty is not None else (view.legend, view.count_words)
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
        which, order = view.table.view, view.order
        table = self.table_of(which)
        # The page knows what is chosen; it hears only of what a person does.
        with QSignalBlocker(table):
            if order is not None and (order, view.is_stale) != self._orders.get(which):
                self._show_order(view, order)
            elif which == SETS and view.chosen != self._chosen:
                table.select_place(view.chosen)
        if which == SETS:
            self._chosen = view.chosen
        if order is None or len(order.rows):
            self.stack.setCurrentWidget(table)
            return
        self.nothing.setText(
            self.tr("No rule matches the filter.")
            if which == RULES
            else self.tr("No itemset matches the filter.")
        )
        self.stack.setCurrentWidget(self.nothing)

    def _show_empty(self, view: MineView) -> None:
        """Say what is missing and what to do."""
        reason = view.empty
        if reason is not None:
            self.empty.show_reason(reason)
            self.stack.setCurrentWidget(self.empty)

    def _show_sizes(self, longest: int, sizes: tuple[int, int]) -> None:
        """Offer the sizes that were found."""
        offered = [(self.tr("Any size"), (1, 0)), (self.tr("2 or more items"), (2, 0))]
        if longest > 2:
            offered.append((self.tr("3 or more items"), (3, 0)))
        for size in range(1, longest + 1):
            words = self.tr("1 item") if size == 1 else self.tr("%s items") % number(size)
            offered.append((words, (size, size)))
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
        with QSignalBlocker(self.measure_box):
            self.measure_box.setCurrentIndex(MEASURES.index(view.measure if view.runs else F1))
        model = cast(QStandardItemModel, self.measure_box.model())
        for place, name in enumerate(MEASURES):
            item = model.item(place)
            item.setEnabled(name in view.measures)
            item.setToolTip("" if name in view.measures else reason)

    def _show_order(self, view: MineView, order: RowOrder) -> None:
        """Show rows in another order, or those of another run."""
        which, run, table = view.table.view, view.run, self.table_of(view.table.view)
        assert run is not None  # noqa: S101 (there are rows)
        before = self._orders.get(which)
        sheet, listing, request = table.sheet, order.table, run.request
        if before is None or before[0].table is not listing or sheet is None:
            sheet = itemset_sheet(listing, request.miner.confidence)
        looks = RowLooks(
            rule=request.min_confidence if which == RULES else request.min_support,
            reach=order.reach, is_stale=view.is_stale,
            # Rules without an association are paler, like results of another design.
            pale=listing.is_unrelated.__getitem__ if which == RULES else None,
            words=(lambda row: association_words(listing, row)) if which == RULES else None,
        )  # fmt: skip
        by = order.query.column, order.query.descending
        table.set_sheet(sheet, looks, rows=order.rows, sorted_by=by)
        if which == SETS:
            table.select_place(view.chosen)
        self._orders[which] = order, view.is_stale

    def table_of(self, view: str) -> SheetTable:
        """The table of itemsets, rules or runs."""
        return {SETS: self.sets, RULES: self.rules, RUNS: self.runs.table}[view]

    def _change(self, **changes: Any) -> None:
        self.table_changed.emit(dataclasses.replace(self._table, **changes))

    def _on_set(self, place: int) -> None:
        self._chosen = place
        self.set_chosen.emit(place)

    def _colour(self) -> None:
        self._glass.setIcon(icon("search", self._themes.theme.colour("text2")))
