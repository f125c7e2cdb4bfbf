"""Questions that were asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from ppworkbench.analyses.survey.history import PastQuestion
from ppworkbench.analyses.survey.questions import Question
from ppworkbench.gui.language import tr
from ppworkbench.gui.pages.survey.result_cards import chip
from ppworkbench.gui.pages.survey.statistic_words import past_cells, past_details
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE, CellDelegate, Column
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import named, text
from ppworkbench.gui.widgets.table import ColumnModel, TextTable, copy_rows

COPY = 7
_PAD = 7
_LEAST_CONDITION = 180
_LOWEST, _FOLDED = 92, 40
"""The least height of the list, and that of its heading alone."""
QWIDGETSIZE_MAX = 16_777_215
_WIDTHS = {1: 190, 2: 96, 3: 120, 4: 110, 5: 84, 6: 104, COPY: 40}
_GROWING = (2, 1)
"""The columns that may be wider than that, the most urgent one first."""


@dataclass(frozen=True)
class HistoryView:
    """What was asked so far.

    Parameters
    ----------
    current
        The fingerprints of answers for the design of now; None while they are not known.
    shown
        The question whose answer is on the page.
    titles
        What people call the attributes of the questions, by name.
    """

    rows: tuple[PastQuestion, ...] = ()
    current: frozenset[str] | None = None
    shown: Question | None = None
    titles: tuple[tuple[str, str], ...] = ()

    def is_older(self, row: PastQuestion) -> bool:
        """Whether an answer belongs to another design or draw."""
        return self.current is not None and row.mark not in self.current

    def is_shown(self, row: PastQuestion) -> bool:
        """Whether an answer is the one on the page."""
        return self.shown is not None and row.question == self.shown


@dataclass(frozen=True)
class HistoryRow:
    """A question in words and numbers."""

    asked: PastQuestion
    cells: tuple[str, ...]
    details: tuple[str, ...]
    is_older: bool
    is_shown: bool


def history_columns() -> tuple[Column[HistoryRow], ...]:
    """Condition, statistic, estimate, interval, at face value, true, method, copy."""
    heads = (
        tr("Condition"), tr("Statistic"), tr("Estimate"), tr("95\u202f% interval"),
        tr("Uncorrected"), tr("True"), tr("Method"),
    )  # fmt: skip
    columns: list[Column[HistoryRow]] = [
        Column(
            head, partial(_cell, place=place), tip=_tip, is_left=place in (0, 1, 6),
            ink=_ink if place in (0, 2) else _grey_ink,
            weight={0: _shown_weight, 2: lambda _: "semibold"}.get(place),
        )
        for place, head in enumerate(heads)
    ]  # fmt: skip
    copy: Column[HistoryRow] = Column(
        "", lambda _: "", tip=lambda _: tr("Copy row"), icon=lambda _: "copy", icon_ink="text2"
    )
    return (*columns, copy)


def _cell(row: HistoryRow, place: int) -> str:
    return row.cells[place]


def _ink(row: HistoryRow) -> str:
    return "text3" if row.is_older else "text"


def _grey_ink(row: HistoryRow) -> str:
    return "text3" if row.is_older else "text2"


def _shown_weight(row: HistoryRow) -> str:
    return "semibold" if row.is_shown else "regular"


def _tip(row: HistoryRow) -> str:
    lines = [row.cells[0]]
    if row.asked.time:
        lines.append(tr("estimated at %s") % row.asked.time)
    lines += row.details
    if row.is_older:
        lines.append(tr("This estimate is for an earlier design; click to estimate again."))
    return "\n".join(lines)


class AskedTable(TextTable):
    """Enter does what a click does."""

    row_chosen = Signal(int)
    remove_chosen = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        row = self.currentIndex().row()
        plain = not event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row >= 0 and plain:
            self.row_chosen.emit(row)
        elif event.key() == Qt.Key.Key_Delete and row >= 0:
            self.remove_chosen.emit(row)
        else:
            super().keyPressEvent(event)


class AskedCard(Card):
    """A heading with the number of questions, and the list."""

    question_chosen = Signal(object)
    removed = Signal(int)
    cleared = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.is_folded: bool = False
        """Whether only the heading is seen."""
        self.body.setContentsMargins(1, 1, 1, 4)
        self.body.setSpacing(4)
        self.head.setContentsMargins(14, 9, 14, 2)
        self.head.addWidget(text(self.tr("History"), "strong"))
        self.count = chip("0", "badge")
        self.head.addWidget(self.count)
        self.hint = text("", "hint")
        self.head.addStretch(1)
        self.head.addWidget(self.hint)
        self.clear_button = named(Button(themes, self.tr("Clear"), "", "link"), "clearAsked")
        self.clear_button.setToolTip(self.tr("Delete the history"))
        self.clear_button.clicked.connect(self.cleared)
        self.head.addWidget(self.clear_button)
        self.fold_button = Button(themes, self.tr("Show", "the history"), "", "link")
        self.fold_button.setObjectName("foldHistory")
        self.fold_button.clicked.connect(lambda: self._fold(not self.is_folded))
        self.fold_button.hide()
        self.head.addWidget(self.fold_button)
        self.body.addLayout(self.head)
        self._view = HistoryView()
        self.model = ColumnModel(themes, history_columns(), self)
        self.table = AskedTable(themes, "asked", self.tr("History"))
        self.table.setModel(self.model)
        self._delegate = CellDelegate(
            themes, self.model, line="border", pad=_PAD, edge=EDGE,
            is_marked=lambda row: row.is_shown,
        )  # fmt: skip
        self.table.setItemDelegate(self._delegate)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setMouseTracking(True)
        self.table.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.clicked.connect(self._on_clicked)
        self.table.row_chosen.connect(self.choose)
        self.table.remove_chosen.connect(self.removed)
        self.table.addAction(self.tr("Remove")).triggered.connect(self._on_remove)
        self.table.setMinimumHeight(46)
        self.body.addWidget(self.table, 1)
        self.empty = text(
            self.tr("Every estimate is kept here, with the study."), "hint", wrap=True
        )
        self.empty.setContentsMargins(14, 0, 14, 10)
        self.body.addWidget(self.empty)
        themes.theme_changed.connect(self._restyle)
        self._restyle()
        self.set_view(self._view)

    def _restyle(self) -> None:
        theme = self._themes.theme
        low = theme.px(_FOLDED)
        self.setMinimumHeight(low if self.is_folded else theme.px(_LOWEST))
        self.setMaximumHeight(low if self.is_folded else QWIDGETSIZE_MAX)
        self.table.verticalHeader().setDefaultSectionSize(theme.px(28))
        head = self.table.horizontalHeader()
        head.setStretchLastSection(False)
        for section in _WIDTHS:
            head.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        self._fit_columns()
        size = theme.font("caption").pixelSize()
        set_rules(
            head,
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px {_PAD}px; }}"
            "QHeaderView::section:first { padding-left: 14px; }",
        )

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """What was asked is never cut to nothing; numbers in large type are scrolled to."""
        px, head = self._themes.theme.px, self.table.horizontalHeader()
        least = px(_LEAST_CONDITION)
        widths = {section: px(width) for section, width in _WIDTHS.items()}
        spare = self.width() - sum(widths.values()) - max(least, self._wanted_width(0))
        for section in _GROWING:
            # Estimates that are words, and statistics of long names, take what conditions leave.
            more = max(min(self._wanted_width(section) - widths[section], spare), 0)
            widths[section] += more
            spare -= more
        for section, width in widths.items():
            if head.sectionSize(section) != width:
                head.resizeSection(section, width)
        fits = self.width() - sum(widths.values()) >= least
        mode = QHeaderView.ResizeMode.Stretch if fits else QHeaderView.ResizeMode.Fixed
        if head.sectionResizeMode(0) != mode:
            head.setSectionResizeMode(0, mode)
        if not fits and head.sectionSize(0) != least:
            head.resizeSection(0, least)

    def _wanted_width(self, section: int) -> int:
        """The width at which no cell of a column is cut."""
        metrics = QFontMetrics(self._themes.theme.font("body", "semibold"))
        words = (metrics.horizontalAdvance(row.cells[section]) for row in self.model.rows)
        return max(words, default=0) + 2 * EDGE

    def set_view(self, view: HistoryView) -> None:
        """Show other questions, or tell of other ones that they are old or on the page."""
        is_known = (view.rows, view.titles) == (self._view.rows, self._view.titles)
        titles = dict(view.titles)

        def shown(name: str) -> str:
            return titles.get(name, name)

        told = (
            [(row.cells, row.details) for row in self.model.rows]
            if is_known
            else [(past_cells(row, shown), past_details(row, shown)) for row in view.rows]
        )
        self._view = view
        self.model.set_rows(
            tuple(
                HistoryRow(row, *words, view.is_older(row), view.is_shown(row))
                for row, words in zip(view.rows, told, strict=True)
            )
        )
        if not is_known:
            self._fit_columns()
        is_any = bool(view.rows)
        self.count.setText(str(len(view.rows)))
        self._show_parts()
        self.hint.setText(self.tr("click a row to reopen it") if is_any else "")

    def set_foldable(self, foldable: bool, *, folded: bool) -> None:
        """Let the list give its room to an answer that needs it, perhaps until somebody looks."""
        if foldable == self.fold_button.isHidden():
            self.fold_button.setVisible(foldable)
            self._fold(foldable and folded)

    def _fold(self, folded: bool) -> None:
        self.is_folded = folded
        self.fold_button.setText(
            self.tr("Show", "the history") if folded else self.tr("Hide", "the history")
        )
        self._restyle()
        self._show_parts()

    def _show_parts(self) -> None:
        is_any = bool(self._view.rows)
        self.table.setVisible(is_any and not self.is_folded)
        self.empty.setVisible(not is_any and not self.is_folded)
        self.clear_button.setVisible(is_any and not self.is_folded)
        self.hint.setVisible(not self.is_folded)

    def choose(self, row: int) -> None:
        """Bring a question back."""
        if 0 <= row < len(self.model.rows):
            self.question_chosen.emit(self.model.rows[row].asked.question)

    def _on_clicked(self, index: QModelIndex) -> None:
        if index.column() == COPY:
            self.copy_row(index.row())
        else:
            self.choose(index.row())

    def _on_remove(self) -> None:
        if self.table.currentIndex().isValid():
            self.removed.emit(self.table.currentIndex().row())

    def copy_row(self, row: int) -> None:
        """Put a row on the clipboard, under its heads."""
        heads = [column.title for column in self.model.columns[:COPY]]
        copy_rows([heads, list(self.model.rows[row].cells)])
