"""Information loss, method by method."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from PySide6.QtCore import (
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from ppworkbench.analyses.explore.iterations import CONVERGED, PUBLISHED, RULES
from ppworkbench.analyses.explore.repeats import PartialResult
from ppworkbench.core.arrays import Numbers
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.explore.texts import iteration_words, rule_words, title_of
from ppworkbench.gui.pages.explore.view import ResultView
from ppworkbench.gui.theme import ThemeManager, icon, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import Column, Index
from ppworkbench.gui.widgets.layout import show_words, text
from ppworkbench.gui.widgets.table import (
    ROW,
    ColumnModel,
    copy_chosen,
    enable_copy,
    show_table_menu,
)


@dataclass(frozen=True, eq=False)
class LossRow:
    """One algorithm with one stop rule, which is empty where nothing is iterated.

    ``draws`` are the losses of the repetitions, empty before there are any.
    """

    name: str
    rule: str
    iterations: str
    loss: float | None
    draws: Numbers
    is_best: bool = False
    is_focus: bool = False

    @property
    def title(self) -> str:
        """Algorithm and rule in one line."""
        return f"{self.name}, {self.rule}" if self.rule else self.name

    @property
    def mean(self) -> float | None:
        """The mean loss over the repetitions."""
        return float(self.draws.mean()) if len(self.draws) else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation over the repetitions."""
        return float(self.draws.std(ddof=1)) if len(self.draws) > 1 else None


def loss_columns(draws: int) -> tuple[Column[LossRow], ...]:
    """Algorithm and stop, this draw, all draws."""
    return (
        Column(
            tr("Algorithm, stop"), _algorithm,
            tip=lambda row: f"{row.title}\n{row.iterations}", is_left=True,
        ),
        Column(tr("this draw"), lambda row: _share(row.loss), tip=_nothing),
        Column(tr("%s draws") % number(draws), _mean, tip=_nothing),
    )  # fmt: skip


def _algorithm(row: LossRow) -> str:
    best = tr(", best") if row.is_best else ""
    return f"{row.title}, {row.iterations}{best}"


def _share(value: float | None) -> str:
    return "–" if value is None else number(value, 3)


def _mean(row: LossRow) -> str:
    spread = "" if row.deviation is None else f" ± {number(row.deviation, 3)}"
    return "–" if row.mean is None else f"{_share(row.mean)}{spread}"


def _nothing(_: LossRow) -> str:
    return ""


_HEIGHT = 44
_ROWS = 5
"""More rows than these scroll."""
_NARROW = 310


class LossDelegate(QStyledItemDelegate):
    """Two lines for the algorithm, numbers at the right; the best is bold with a star.

    Not the delegate of other tables: its cells have two lines, and a mean has its deviation beside
    it in another size, at one place in all rows.
    """

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.has_draws = True
        """Whether the numbers of one draw stand before those of many."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        return QSize(60, self._themes.theme.px(_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, row = self._themes.theme, index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(option.rect)  # type: ignore[attr-defined]  # not in the stubs
        if index.row() + 1 < index.model().rowCount():
            painter.setPen(QPen(theme.colour("border"), 1))
            left = box.left() + (14 if index.column() == 0 else 0)
            right = box.right() - (13 if index.column() == 2 else 0)
            painter.drawLine(int(left), int(box.bottom()), int(right), int(box.bottom()))
        line = QRectF(box.left(), box.top() + theme.px(4), box.width(), theme.px(20))
        if index.column() == 0:
            rows = cast(ColumnModel[LossRow], index.model()).rows
            self._draw_name(painter, line.adjusted(14, 0, 0, 0), row, rows)
        elif index.column() == 1:
            value = _share(row.loss)
            end = -4 if self.has_draws else -14
            self._draw_number(painter, line.adjusted(0, 0, end, 0), value, row.is_best)
        else:
            is_stale = cast(ColumnModel[LossRow], index.model()).is_stale
            self._draw_draws(painter, line.adjusted(0, 0, -14, 0), row, is_stale)
        painter.restore()

    def _draw_name(
        self, painter: QPainter, line: QRectF, row: LossRow, rows: Sequence[LossRow]
    ) -> None:
        theme = self._themes.theme
        metrics = QFontMetrics(theme.font("body", "semibold"))
        # Where the names do not fit, the rules of all rows go to the line below, which is free.
        is_split = any(metrics.horizontalAdvance(one.title) > line.width() - 17 for one in rows)
        title, iterations = row.title, row.iterations
        if is_split and row.rule:
            title, iterations = row.name, f"{row.rule}, {row.iterations}"
        weight = "semibold" if row.is_best else "medium"
        painter.setFont(theme.font("body", weight))
        painter.setPen(theme.colour("text"))
        room = line.width() - (17 if row.is_best else 2)
        words = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
        if row.is_best:
            x = line.left() + painter.fontMetrics().horizontalAdvance(words) + 3
            spot = QRectF(x, line.center().y() - 7.5, 14, 14).toRect()
            icon("star", theme.colour("accentInk")).paint(painter, spot)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text3"))
        below = line.translated(0, theme.px(18)).adjusted(0, 0, 60, -2)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, iterations)

    def _draw_number(self, painter: QPainter, line: QRectF, value: str, bold: bool) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("body", "semibold" if bold else "regular"))
        painter.setPen(theme.colour("text"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(line, flags, value)

    def _draw_draws(self, painter: QPainter, line: QRectF, row: LossRow, stale: bool) -> None:
        theme = self._themes.theme
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        if row.mean is None:
            painter.setPen(theme.colour("text3"))
            painter.setFont(theme.font("body"))
            painter.drawText(line, flags, "–")
            return
        painter.setPen(theme.colour("text3" if stale else "text2"))
        painter.setFont(theme.font("caption"))
        spread = "–" if row.deviation is None else number(row.deviation, 3)
        tail = f"± {spread}"
        painter.drawText(line, flags, tail)
        room = painter.fontMetrics().horizontalAdvance("± 0.000") + 5
        painter.setPen(theme.colour("text3" if stale else "text"))
        painter.setFont(theme.font("body", "semibold" if row.is_best else "regular"))
        painter.drawText(line.adjusted(0, 0, -room, 0), flags, number(row.mean, 3))


class StaticTable(QTableView):
    """A few rows of which none can be chosen; Ctrl+C copies all of them."""

    def __init__(self, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.addAction(self.tr("Copy table")).triggered.connect(self.copy)
        enable_copy(self)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer to copy the table, or the script of the page's result."""
        show_table_menu(self, event.globalPos())

    def copy(self) -> None:
        """Put the table on the clipboard, as text and as HTML."""
        copy_chosen(self)


class LossCard(Card):
    """Smaller is better; the truth is known, else nothing could be said."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self.head.setContentsMargins(14, 11, 14, 3)
        self.head.addWidget(text(self.tr("Information loss by algorithm"), "strong"))
        self.head.addStretch(1)
        self.tag = text("", "accentBadge")
        self.tag.hide()
        self.head.addWidget(self.tag)
        self.body.addLayout(self.head)
        self.body.setContentsMargins(1, 1, 1, 7)
        self.model = ColumnModel(themes, loss_columns(100), self)
        self.table = StaticTable("losses", self.tr("Information loss by algorithm"))
        self.table.setModel(self.model)
        self._delegate = LossDelegate(themes)
        self.table.setItemDelegate(self._delegate)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        head = self.table.horizontalHeader()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for section in (1, 2):
            head.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
        self.body.addWidget(self.table, 1)
        self.note = text("", "captionHint", wrap=True)
        self.note.setContentsMargins(14, 2, 14, 10)
        self.body.addWidget(self.note)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        theme = self._themes.theme
        size = theme.font("caption").pixelSize()
        set_rules(
            self.table.horizontalHeader(),
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px 4px; }}"
            "QHeaderView::section:first { padding-left: 14px; }"
            "QHeaderView::section:last { padding-right: 14px; }",
        )
        self._resize()

    def show_rows(
        self, rows: tuple[LossRow, ...], draws: int, *, stale: bool, tag: str, note: str
    ) -> None:
        """Show other losses."""
        self.model.set_rows(rows, loss_columns(draws), stale=stale)
        show_words(self.tag, tag)
        show_words(self.note, note)
        self._resize()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._resize()

    def _resize(self) -> None:
        theme = self._themes.theme
        # In a narrow card, or read from afar, names need the room of a column without numbers.
        is_idle = all(row.mean is None for row in self.model.rows)
        is_narrow = theme.projected or self.width() < theme.px(_NARROW)
        self._delegate.has_draws = not (is_narrow and is_idle)
        self.table.setColumnHidden(2, not self._delegate.has_draws)
        metrics = QFontMetrics(theme.font("caption", "semibold"))
        # Before anything is repeated the last column holds dashes, and names have its room.
        for section, width in ((1, 58), (2, 0 if is_idle else 104)):
            words = str(self.model.headerData(section, Qt.Orientation.Horizontal))
            is_last = section == 2 or not self._delegate.has_draws
            needed = metrics.horizontalAdvance(words) + (24 if is_last else 12)
            self.table.horizontalHeader().resizeSection(section, max(theme.px(width), needed))
        height = self._themes.theme.px(_HEIGHT)
        for row in range(self.model.rowCount()):
            self.table.setRowHeight(row, height)
        head = self.table.horizontalHeader().sizeHint().height()
        rows = max(self.model.rowCount(), 1)
        self.table.setMinimumHeight(head + min(rows, _ROWS) * height + 4)
        self.table.setMaximumHeight(head + rows * height + 4)


_SAME = 5e-4
"""Losses that differ by less are equal in what is printed."""


@dataclass(frozen=True)
class Key:
    """An algorithm and a stop rule; an empty rule where nothing is iterated."""

    method: str
    rule: str


def _rule_words(key: Key) -> str:
    return rule_words(key.rule) if key.rule else ""


def keys_of(view: ResultView) -> list[Key]:
    """The algorithm in focus with every rule, the chosen one first; others with the chosen one."""
    runs, rule, found = view.result.runs, view.rule, []
    names = [view.focus, *view.others] if view.focus in runs else view.others
    for name in names:
        if not runs[name].iterates:
            found.append(Key(name, ""))
        elif name == view.focus:
            rest = [other for other in RULES if other != rule]
            found += [Key(name, one) for one in (rule, *rest)]
        else:
            found.append(Key(name, rule))
    return found


def loss_rows(view: ResultView, tally: PartialResult | None) -> tuple[LossRow, ...]:
    """What every algorithm lost in this draw and in all draws."""
    rows = []
    for key in keys_of(view):
        run = view.result.runs[key.method]
        at = run.stop(key.rule or CONVERGED, view.fixed)
        draws = np.array([]) if tally is None else tally.of(key.method, key.rule)
        words = iteration_words(run, key.rule, at)
        focus = key.method == view.focus
        loss, name, rule = run.trace.loss_at(at), title_of(key.method), _rule_words(key)
        rows.append(LossRow(name, rule, words, loss, draws, is_focus=focus))
    best = _best(rows)
    return tuple(dataclasses.replace(row, is_best=place in best) for place, row in enumerate(rows))


def _best(rows: list[LossRow]) -> set[int]:
    """The rows with the smallest mean over the draws, in this draw where there are no others."""
    means = [row.mean for row in rows]
    measured = means if rows and all(mean is not None for mean in means) else [r.loss for r in rows]
    known = [value for value in measured if value is not None]
    if len(known) < 2:
        return set()
    least = min(known)
    return {i for i, v in enumerate(measured) if v is not None and v <= least + _SAME}


def losses_of(view: ResultView, tally: PartialResult) -> tuple[tuple[str, Numbers], ...]:
    """The losses of all draws, by algorithm and rule."""
    found = []
    for key in keys_of(view):
        values = tally.of(key.method, key.rule)
        if len(values):
            found.append((_short(key), values))
    return tuple(found)


def _short(key: Key) -> str:
    name = tr("EM acc.") if key.method == "accelerated" else title_of(key.method)
    short = {PUBLISHED: tr("publ."), CONVERGED: tr("conv.")}
    return f"{name} {short.get(key.rule) or rule_words(key.rule)}" if key.rule else name
