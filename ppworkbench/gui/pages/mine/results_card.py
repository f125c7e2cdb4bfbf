"""The itemsets that were found, and earlier runs beside them."""

from __future__ import annotations

import math
from typing import cast

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QResizeEvent,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.core.params import declarations
from ppworkbench.gui.charts.chart import SeriesLegend
from ppworkbench.gui.charts.looks import draw_marker, look_colour, look_marker, series_look
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.icons import icon
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, significant
from ppworkbench.gui.pages.mine.errors_card import SizeLine, SizePlot
from ppworkbench.gui.pages.mine.itemset_table import (
    EDGE,
    PAD,
    ListingHeader,
    ListingModel,
    ListingView,
)
from ppworkbench.gui.pages.mine.texts import full_name, level, seconds, share
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.controls import ProgressBar, Segmented
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, row, text
from ppworkbench.gui.widgets.table import ROW, Column, ColumnModel, enable_copy
from ppworkbench.study.analyses.mining import FREQUENT, POSSIBLY, SURELY, MiningRun

Index = QModelIndex | QPersistentModelIndex

F1, SUPPORT_ERROR, MISSED, EXTRA, FOUND = "f1", "support_error", "missed", "extra", "found"
MEASURES = (F1, SUPPORT_ERROR, MISSED, EXTRA, FOUND)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
MOST_SIZES = 6
"""Sizes beyond these have no column; they are in the chart."""


def measure_words(measure: str) -> str:
    """A measure in words."""
    words = {
        F1: tr("F1 by size"),
        SUPPORT_ERROR: tr("Support error by size"),
        MISSED: tr("Missed by size"),
        EXTRA: tr("Extra by size"),
        FOUND: tr("Itemsets by size"),
    }
    return words[measure]


def value_words(measure: str, value: float) -> str:
    """A value of a measure."""
    if math.isnan(value):
        return "–"
    if measure == F1:
        return number(value, 2)
    return number(value) if measure == FOUND else share(value, 1 if measure == SUPPORT_ERROR else 0)


def value_of(run: MiningRun, measure: str, size: int) -> float:
    """A measure of a run at a size; NaN where it is not known."""
    if measure == FOUND:
        return float(run.found[size - 1]) if size <= len(run.found) else 0.0
    errors = next((e for e in run.errors if e.size == size), None)
    return math.nan if errors is None else float(getattr(errors, measure))


def run_title(run: MiningRun) -> str:
    """A run in a few words."""
    return tr("%s. %s, %s") % (
        number(run.number), full_name(run.request.method), level(run.request.min_support),
    )  # fmt: skip


def run_details(run: MiningRun) -> str:
    """What else a run was asked for: what differs from what one would expect."""
    request = run.request
    found = [tr("%s items") % number(len(request.items))]
    if request.certainty == SURELY:
        found.append(tr("surely frequent"))
    elif request.certainty == POSSIBLY:
        found.append(tr("not surely infrequent"))
    for declaration in declarations(type(request.miner)):
        value = getattr(request.miner, declaration.name)
        if declaration.name in ("min_support", FREQUENT) or value == declaration.default:
            continue
        shown = significant(value) if isinstance(value, float) else str(value)
        found.append(f"{translate(declaration.info.label).lower()} {shown}")
    return ", ".join(found)


class RunsModel(ColumnModel[MiningRun]):
    """One row per run; the columns of a measure go over the sizes."""

    shown_number = 0
    stale: frozenset[int] = frozenset()
    measure = F1
    sizes: tuple[int, ...] = ()
    """The sizes that have a column."""

    def show_runs(
        self, runs: tuple[MiningRun, ...], shown: int, stale: frozenset[int], measure: str
    ) -> None:
        """Show other runs, the newest first, or another measure."""
        self.shown_number, self.stale, self.measure = shown, stale, measure
        longest = max((max(len(run.found), len(run.errors)) for run in runs), default=0)
        self.sizes = tuple(range(1, min(longest, MOST_SIZES) + 1))
        columns = [
            Column(tr("Run"), run_title, tip=self._tip, is_left=True),
            Column(tr("Found"), lambda run: number(run.total), tip=self._tip),
            *(self._column(size) for size in self.sizes),
            Column(tr("Time"), lambda run: seconds(run.seconds), tip=self._tip),
        ]
        self.set_rows(tuple(reversed(runs)), columns)

    def _column(self, size: int) -> Column[MiningRun]:
        measure = self.measure
        return Column(
            number(size),
            lambda run: value_words(measure, value_of(run, measure, size)),
            tr("%s, sets of size %s") % (measure_words(measure), number(size)),
            tip=self._tip,
        )

    def _tip(self, run: MiningRun) -> str:
        words = tr("%s: %s. Click to bring it back.") % (run_title(run), run_details(run))
        if run.number in self.stale:
            words += " " + tr("Made with another design or other answers.")
        return words

    def best(self, section: int) -> float:
        """The best value of a column, NaN where nothing can be best."""
        if not 1 < section < self.columnCount() - 1 or self.measure == FOUND:
            return math.nan
        size = self.sizes[section - 2]
        known = [v for r in self.rows if not math.isnan(v := value_of(r, self.measure, size))]
        if len(known) < 2:
            return math.nan
        return max(known) if self.measure == F1 else min(known)


_HEIGHT = 44
_FOUND, _SIZE, _TIME = 62, 58, 72
_DRAWN = 6
"""Runs whose lines are drawn; more cannot be told apart."""


def look_of(run: MiningRun) -> str:
    """The look of a run in the table and in the picture: it keeps it as long as it is kept."""
    return series_look((run.number - 1) % _DRAWN)


class RunsDelegate(QStyledItemDelegate):
    """Two lines for the run, numbers at the right; the best of a column is bold."""

    def __init__(self, themes: ThemeManager, model: RunsModel) -> None:
        super().__init__()
        self._themes = themes
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """Rows of two lines."""
        return QSize(60, self._themes.theme.px(_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        theme, run, section = self._themes.theme, index.data(ROW), index.column()
        cell: QRect = option.rect  # type: ignore[attr-defined]  # not in the stubs
        box = QRectF(cell)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if run.number == self._model.shown_number:
            painter.fillRect(cell, theme.colour("accentTint"))
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.drawLine(QPointF(box.left(), box.bottom()), QPointF(box.right(), box.bottom()))
        is_last = section == self._model.columnCount() - 1
        ink = theme.colour("text3" if run.number in self._model.stale else "text")
        if section == 0:
            self._name(painter, box.adjusted(EDGE, theme.px(4), -PAD, 0), run)
            if option.state & QStyle.StateFlag.State_HasFocus:  # type: ignore[attr-defined]  # not in the stubs
                painter.setPen(QPen(theme.colour("focus"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box.adjusted(2, 2, -2, -3), 4, 4)
        else:
            value = value_of(run, self._model.measure, self._size(section))
            best = self._model.best(section)
            is_best = not math.isnan(best) and math.isclose(value, best, abs_tol=1e-9)
            painter.setFont(theme.font("body", "semibold" if is_best else "regular"))
            painter.setPen(ink)
            area = box.adjusted(0, 0, -EDGE if is_last else -PAD, 0)
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(area, flags, str(index.data()))
        painter.restore()

    def _size(self, section: int) -> int:
        sizes = self._model.sizes
        return sizes[section - 2] if 0 <= section - 2 < len(sizes) else 0

    def _name(self, painter: QPainter, area: QRectF, run: MiningRun) -> None:
        theme, look = self._themes.theme, look_of(run)
        line = QRectF(area.left(), area.top(), area.width(), theme.px(20))
        at = QPointF(line.left() + 5, line.center().y())
        draw_marker(painter, look_marker(look), at, 4.0, look_colour(theme, look))
        line.adjust(18, 0, 0, 0)
        is_shown = run.number == self._model.shown_number
        painter.setFont(theme.font("body", "semibold" if is_shown else "medium"))
        painter.setPen(theme.colour("text3" if run.number in self._model.stale else "text"))
        elide = Qt.TextElideMode.ElideRight
        words = painter.fontMetrics().elidedText(run_title(run), elide, int(line.width()))
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, words)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2" if is_shown else "text3"))
        words = painter.fontMetrics().elidedText(run_details(run), elide, int(line.width()))
        below = line.translated(0, theme.px(18)).adjusted(0, 0, 0, -2)
        painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, words)


class RunsTable(QTableView):
    """A click or Enter brings a run back; Delete forgets it."""

    run_chosen = Signal(int)
    run_removed = Signal(int)

    def __init__(self, themes: ThemeManager, model: RunsModel) -> None:
        super().__init__()
        self._themes = themes
        self._model = model
        self.setAccessibleName(self.tr("Runs"))
        self.head = ListingHeader(themes, self)
        self.head.setSectionsClickable(False)
        self.setHorizontalHeader(self.head)
        self.setModel(model)
        self._delegate = RunsDelegate(themes, model)
        self.setItemDelegate(self._delegate)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        enable_copy(self)
        self.clicked.connect(self._on_clicked)
        model.modelReset.connect(self._fit)
        themes.theme_changed.connect(self._restyle)
        self._restyle()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Bring back or forget the current run."""
        run = self.currentIndex().data(ROW) if self.currentIndex().isValid() else None
        if run is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_chosen.emit(run.number)
        elif run is not None and event.key() == Qt.Key.Key_Delete:
            self.run_removed.emit(run.number)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        """Offer both."""
        index = self.indexAt(event.pos())
        if index.isValid():
            show_menu(self.make_menu(index.data(ROW).number), event.globalPos())

    def make_menu(self, run: int) -> QMenu:
        """The menu of the right button."""
        menu = QMenu(self)
        menu.addAction(self.tr("Bring this run back"), lambda: self.run_chosen.emit(run))
        menu.addAction(self.tr("Forget this run"), lambda: self.run_removed.emit(run))
        return menu

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the names what room there is."""
        super().resizeEvent(event)
        self._fit()

    def _on_clicked(self, index: Index) -> None:
        self.run_chosen.emit(index.data(ROW).number)

    def _fit(self) -> None:
        px, sizes = self._themes.theme.px, len(self._model.sizes)
        widths = [0, px(_FOUND), *([px(_SIZE)] * sizes), px(_TIME)]
        room = self.viewport().width()
        for section, width in enumerate(widths[: self._model.columnCount()]):
            self.setColumnWidth(section, width or max(room - sum(widths), px(140)))

    def _restyle(self) -> None:
        theme = self._themes.theme
        self.verticalHeader().setDefaultSectionSize(theme.px(_HEIGHT))
        self._fit()


class RunsView(QWidget):
    """All runs, and the chosen measure of the newest as lines."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.model = RunsModel(themes, parent=self)
        self.table = RunsTable(themes, self.model)
        self.table.setObjectName("runs")
        self.title = text("", "label")
        self.legend = SeriesLegend(themes)
        self.plot = SizePlot(themes, self.tr("Comparison of the runs"))
        self.plot.setObjectName("runsPlot")
        lower = QWidget()
        below = column(self.title, self.legend, self.plot, parent=lower, spacing=3)
        below.setContentsMargins(EDGE, 8, EDGE - 4, 0)
        below.setStretch(2, 1)
        layout = column(self.table, lower, parent=self, spacing=0)
        layout.setStretch(0, 6)
        layout.setStretch(1, 5)

    def show_runs(
        self, runs: tuple[MiningRun, ...], shown: int, stale: frozenset[int], measure: str
    ) -> None:
        """Show other runs or another measure."""
        self.model.show_runs(runs, shown, stale, measure)
        px = self._themes.theme.px
        height = self.table.head.sizeHint().height() + len(runs) * px(_HEIGHT) + 2
        self.table.setMaximumHeight(max(height, 2 * px(_HEIGHT)))
        self.title.setText(measure_words(measure))
        drawn = runs[-_DRAWN:]
        longest = max((max(len(r.found), len(r.errors)) for r in drawn), default=0)
        sizes = tuple(range(1, longest + 1))
        lines = tuple(
            SizeLine(look_of(run), run_title(run), sizes,
                     tuple(value_of(run, measure, size) for size in sizes))
            for run in drawn
        )  # fmt: skip
        scale = 1.0 if measure in ("f1", FOUND) else 100.0
        self.plot.show_lines(lines, lambda value: value_words(measure, value), scale)
        self.legend.show_entries(tuple((line.look, line.name) for line in lines), lines=True)


SETS, RULES, RUNS = "sets", "rules", "runs"


class TableCard(Card):
    """Knows no study: it shows what it is given and tells what a person does."""

    view_chosen = Signal(str)
    filter_typed = Signal(str)
    size_chosen = Signal(int, int)
    measure_chosen = Signal(str)
    run_chosen = Signal(int)
    run_removed = Signal(int)
    action_requested = Signal()
    """The button of the empty state."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(padding=0)
        self._themes = themes
        self._make_head()
        self.set_model, self.rule_model = ListingModel(self), ListingModel(self)
        self.sets = ListingView(themes, self.set_model, self.tr("Itemsets"))
        self.sets.setObjectName("itemsets")
        self.rules = ListingView(themes, self.rule_model, self.tr("Rules"))
        self.rules.setObjectName("rules")
        self._runs: RunsView | None = None
        self.empty = EmptyState(themes, "mine", "", "", " ")
        self.empty.button.setObjectName("mineEmptyAction")
        self.empty.button.clicked.connect(self.action_requested)
        self.nothing = text("", "hint", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._arrange()

    def _make_head(self) -> None:
        themes = self._themes
        self.view = Segmented(themes, self.tr("Show"), self._segments(0, 0, 0))
        self.view.setObjectName("mineView")
        self.view.chosen.connect(self.view_chosen)
        self.filter = QLineEdit()
        self.filter.setObjectName("itemsetFilter")
        self.filter.setPlaceholderText(self.tr("Filter by item"))
        self.filter.setToolTip(self.filter.placeholderText())
        self.filter.setAccessibleName(self.tr("Filter by the names of items"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(40)
        self._glass = QAction(self)
        self.filter.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        self.filter.textChanged.connect(self.filter_typed)
        find = QAction(self.tr("Filter the table"), self)
        find.setShortcut(QKeySequence(QKeySequence.StandardKey.Find))
        find.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        find.triggered.connect(self.filter.setFocus)
        self.addAction(find)
        self.size_box = QComboBox()
        self.size_box.setObjectName("sizeFilter")
        self.size_box.setAccessibleName(self.tr("How many items"))
        self.size_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        # In a small window the filter gives way first.
        self.size_box.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.size_box.activated.connect(self._on_size)
        self.size_box.currentTextChanged.connect(self.size_box.setToolTip)
        self.measure_box = QComboBox()
        self.measure_box.setObjectName("runMeasure")
        self.measure_box.setAccessibleName(self.tr("What is compared"))
        self.measure_box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.measure_box.setMinimumWidth(120)
        self.measure_box.currentTextChanged.connect(self.measure_box.setToolTip)
        for measure in MEASURES:
            self.measure_box.addItem(measure_words(measure), measure)
        self.measure_box.activated.connect(
            lambda place: self.measure_chosen.emit(self.measure_box.itemData(place))
        )
        themes.theme_changed.connect(self._colour)
        self._colour()

    def _arrange(self) -> None:
        self.progress_label = ElidedLabel("caption")
        self.progress_bar = ProgressBar(120)
        self.progress_bar.setObjectName("miningProgress")
        self.progress_bar.setAccessibleName(self.tr("Progress of the run"))
        self.strip = QWidget()
        strip = row(self.progress_label, self.progress_bar, parent=self.strip, spacing=10)
        strip.setContentsMargins(14, 0, 14, 8)
        strip.setStretch(0, 1)
        self.strip.hide()
        head = row(self.view, self.filter, self.size_box, self.measure_box, spacing=12)
        head.setContentsMargins(13, 10, 13, 10)
        head.setStretch(1, 1)
        self.head_row = QWidget()
        self.head_row.setLayout(head)
        self.stack = QStackedWidget()
        for widget in (self.empty, self.sets, self.rules, self.nothing):
            self.stack.addWidget(widget)
        self.foot_left = ElidedLabel("captionHint")
        self.foot_right = text("", "captionHint")
        self.foot = QWidget()
        foot = row(self.foot_left, self.foot_right, parent=self.foot)
        foot.setContentsMargins(14, 6, 14, 7)
        foot.setStretch(0, 1)
        self.body.setContentsMargins(1, 1, 1, 1)
        self.body.setSpacing(0)
        self.body.addWidget(self.head_row)
        self.body.addWidget(self.strip)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.foot)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Names, bars and numbers."""
        return QSize(self._themes.theme.px(434), 200)

    def make_runs(self) -> None:
        """Make the comparison of runs, which takes a while."""
        if self._runs is None:
            self._runs = RunsView(self._themes)
            self._runs.table.run_chosen.connect(self.run_chosen)
            self._runs.table.run_removed.connect(self.run_removed)
            self.stack.addWidget(self._runs)

    @property
    def runs(self) -> RunsView:
        """The comparison of runs."""
        self.make_runs()
        assert self._runs is not None  # noqa: S101 (made above)
        return self._runs

    # What is shown

    def _segments(self, sets: int, rules: int, runs: int) -> list[tuple[str, str]]:
        def counted(words: str, count: int) -> str:
            return f"{words} {number(count)}" if count else words

        return [
            (SETS, counted(self.tr("Itemsets"), sets)),
            (RULES, counted(self.tr("Rules"), rules)),
            (RUNS, counted(self.tr("Runs"), runs)),
        ]

    def show_counts(self, sets: int, rules: int, runs: int) -> None:
        """Say how many there are of each."""
        self.view.set_choices(self._segments(sets, rules, runs))

    def show_view(self, view: str) -> None:
        """Show itemsets, rules or runs."""
        self.view.set_current(view)
        self.filter.setVisible(view != RUNS)
        self.size_box.setVisible(view != RUNS)
        self.measure_box.setVisible(view == RUNS)
        self.stack.setCurrentWidget(self.runs if view == RUNS else self.listing_view(view))

    def show_empty(self, missing: str, advice: str, action: str) -> None:
        """Say what is missing and what to do."""
        self.empty.heading.setText(missing)
        self.empty.advice.setText(advice)
        self.empty.button.setText(action)
        self.empty.button.setVisible(bool(action))
        self.stack.setCurrentWidget(self.empty)

    def show_nothing(self, words: str) -> None:
        """Say that the filter leaves nothing."""
        self.nothing.setText(words)
        self.stack.setCurrentWidget(self.nothing)

    def show_sizes(self, longest: int, least: int, most: int) -> None:
        """Offer the sizes that were found; a ``most`` of 0 is no bound."""
        offered = [(self.tr("Any size"), (1, 0)), (self.tr("2 or more items"), (2, 0))]
        if longest > 2:
            offered.append((self.tr("3 or more items"), (3, 0)))
        for size in range(1, longest + 1):
            words = self.tr("1 item") if size == 1 else self.tr("%s items") % number(size)
            offered.append((words, (size, size)))
        if (least, most) not in [bounds for _, bounds in offered]:
            offered.append((self.tr("%s items") % number(least), (least, most)))
        with QSignalBlocker(self.size_box):
            self.size_box.clear()
            for words, bounds in offered:
                self.size_box.addItem(words, bounds)
            places = [bounds for _, bounds in offered]
            self.size_box.setCurrentIndex(places.index((least, most)))

    def show_measure(self, measure: str, offered: tuple[str, ...], reason: str) -> None:
        """Show what is compared; measures of the truth are grey where it is not known."""
        with QSignalBlocker(self.measure_box):
            self.measure_box.setCurrentIndex(MEASURES.index(measure))
        model = cast(QStandardItemModel, self.measure_box.model())
        for place, name in enumerate(MEASURES):
            item = model.item(place)
            item.setEnabled(name in offered)
            item.setToolTip("" if name in offered else reason)

    def show_progress(self, words: str, done: float) -> None:
        """Show what a run is doing; no words hide the line."""
        self.strip.setVisible(bool(words))
        self.progress_label.setText(words)
        self.progress_bar.show_share(done)

    def show_foot(self, left: str, right: str) -> None:
        """What stands under the table."""
        self.foot_left.setText(left)
        self.foot_right.setText(right)
        self.foot.setVisible(bool(left or right))

    def listing_view(self, view: str) -> ListingView:
        """The table of a view."""
        return self.rules if view == RULES else self.sets

    def _on_size(self, place: int) -> None:
        least, most = self.size_box.itemData(place)
        self.size_chosen.emit(least, most)

    def _colour(self) -> None:
        self._glass.setIcon(icon("search", self._themes.theme.colour("text2")))
