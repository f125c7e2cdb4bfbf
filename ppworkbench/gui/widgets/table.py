"""Tables: their model, filter and copies."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from html import escape
from operator import itemgetter
from typing import Any, Generic, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QTableView,
    QWidget,
)

from ppworkbench.gui.language import tongue
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager, icon, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE as EDGE  # noqa: PLC0414 (pages import it from here)
from ppworkbench.gui.widgets.cells import PAD as PAD  # noqa: PLC0414 (as above)
from ppworkbench.gui.widgets.cells import CellPalette, Row
from ppworkbench.gui.widgets.cells import Column as Column  # noqa: PLC0414 (as above)
from ppworkbench.gui.widgets.cells import Index as Index  # noqa: PLC0414 (as above)
from ppworkbench.gui.widgets.controls import EscapeLineEdit, IconButton
from ppworkbench.gui.widgets.layout import named, row, text
from ppworkbench.gui.widgets.provenance import invented_words
from ppworkbench.results.files import to_html
from ppworkbench.results.sheet import Sheet


def copy_tables(rows: Sequence[Sequence[str]], tables: Sequence[Sheet], sentence: str = "") -> None:
    """Put tables on the clipboard: rows for spreadsheets, and for documents as papers have them."""
    sentence = " ".join(part for part in (invented_words(), sentence) if part)
    _put(rows, sentence, to_html(*tables, say=tongue().say, above=sentence))


def copy_rows(rows: Sequence[Sequence[str]], sentence: str = "") -> None:
    """Put a table on the clipboard, as text for spreadsheets and as HTML for documents."""
    sentence = " ".join(part for part in (invented_words(), sentence) if part)
    cells = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    told = f"<p>{escape(sentence)}</p>" if sentence else ""
    _put(rows, sentence, f"{told}<table>{cells}</table>")


def _put(rows: Sequence[Sequence[str]], sentence: str, html: str) -> None:
    lines = ["\t".join(row) for row in rows]
    data = QMimeData()
    data.setText("\n".join([sentence, *lines] if sentence else lines))
    data.setHtml(html)
    QGuiApplication.clipboard().setMimeData(data)


def _let_go() -> None:
    """Take back what is made by Python before Python ends.

    Without a window system the clipboard is Qt's own: nobody else can read it, and it deletes what
    lies on it when the process is all but over.
    """
    if QGuiApplication.instance() is not None and QGuiApplication.platformName() in _QT_ALONE:
        QGuiApplication.clipboard().clear()


_QT_ALONE = ("offscreen", "minimal")
atexit.register(_let_go)


_AT_ONCE = 2_000
"""Cells that are read before the window is given a chance to paint."""
_MOST = 40_000
"""Cells that are copied at most: more would halt the window when they reach the clipboard."""


def copy_chosen(view: QTableView) -> None:
    """Put the chosen cells on the clipboard with the heads of their columns.

    All of a table where nothing is chosen, or the current row of a large one.

    Many cells are read in pieces, and arrive a moment later.
    """
    running: Iterable[_Copying] = view.findChildren(_Copying)
    for old in running:
        old.stop()
    _Copying(view).start()


def _chosen(view: QTableView) -> tuple[list[int], list[int]]:
    """Rows and columns that are chosen, or all that are seen."""
    model = view.model()
    columns = [c for c in range(model.columnCount()) if not view.isColumnHidden(c)]
    marked = view.selectionModel().selection()
    if marked.isEmpty() and model.rowCount() * len(columns) <= _AT_ONCE:
        rows = [r for r in range(model.rowCount()) if not view.isRowHidden(r)]
    elif marked.isEmpty():
        # Nobody means all of a large table without choosing it.
        rows = [max(view.currentIndex().row(), 0)]
    else:
        ranges: Any = marked  # a list, which the stubs do not say
        spans = [(s.top(), s.bottom(), s.left(), s.right()) for s in ranges]
        rows = sorted({r for top, bottom, _, _ in spans for r in range(top, bottom + 1)})
        across = {c for _, _, left, right in spans for c in range(left, right + 1)}
        columns = [c for c in columns if c in across]
    return rows[: _MOST // max(len(columns), 1)], columns


class _Copying(QTimer):
    """Reads a table piece by piece; belongs to it."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._rows: list[list[str]] = []
        self._work = self._read(view.model(), *_chosen(view))
        self.setInterval(0)
        self.timeout.connect(self._go_on)

    def start(self) -> None:  # type: ignore[override]
        """Read the first piece at once, the others when there is time."""
        super().start()
        self._go_on()

    def _go_on(self) -> None:
        if next(self._work, self) is self:
            self.stop()
            copy_rows(self._rows)
            self.deleteLater()

    def _read(
        self, model: QAbstractItemModel, rows: Sequence[int], columns: Sequence[int]
    ) -> Iterator[None]:
        across = Qt.Orientation.Horizontal
        self._rows.append([_one_line(model.headerData(c, across)) for c in columns])
        read = 0
        for place in rows:
            self._rows.append([_one_line(model.index(place, c).data()) for c in columns])
            read += len(columns)
            if read > _AT_ONCE:
                read = 0
                yield


def _one_line(cell: object) -> str:
    """A cell without breaks, which would begin other cells in a spreadsheet."""
    words = "" if cell is None else str(cell)
    return " ".join(words.splitlines()).replace("\t", " ")


def enable_copy(view: QTableView) -> None:
    """Let Ctrl+C copy what is chosen; Qt would copy the words of one cell."""
    view.installEventFilter(_CopyKey(view))


class _CopyKey(QObject):
    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            copy_chosen(self._view)
            return True
        return super().eventFilter(watched, event)


ROW = Qt.ItemDataRole.UserRole + 1
"""The role under which a cell gives its whole row, for whoever draws it."""


class ColumnModel(QAbstractTableModel, Generic[Row]):
    """Rows of any kind; the columns say what is told of them.

    Rows may be a ``range`` of places in something larger, and columns be made when they are asked
    for one by one.
    """

    def __init__(
        self,
        themes: ThemeManager,
        columns: Sequence[Column[Row]] = (),
        parent: QObject | None = None,
        row_title: Callable[[Row], str] | None = None,
    ) -> None:
        super().__init__(parent)
        self._themes = themes
        self._row_title = row_title
        self.columns: Sequence[Column[Row]] = columns
        self.rows: tuple[Row, ...] = ()
        self.is_stale = False
        """Whether the rows belong to an earlier state of the study; they are drawn paler."""

    def set_rows(
        self,
        rows: Sequence[Row],
        columns: Sequence[Column[Row]] | None = None,
        *,
        stale: bool = False,
    ) -> None:
        """Show other rows, perhaps in other columns; as many as before keep the selection."""
        wanted = self.columns if columns is None else columns
        is_same_size = (len(rows), len(wanted)) == (len(self.rows), len(self.columns))
        if not is_same_size:
            self.beginResetModel()
        # A range, which is read like a tuple, stays one: nobody lists ten million places.
        self.rows = cast("tuple[Row, ...]", rows if isinstance(rows, range) else tuple(rows))
        self.columns, self.is_stale = wanted, stale
        if not is_same_size:
            self.endResetModel()
        else:
            self.refresh()
        if columns is not None and is_same_size and wanted:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(wanted) - 1)

    def refresh(self) -> None:
        """Ask for every cell in sight again: what the columns look at has changed."""
        if self.rows and self.columns:
            last = self.index(len(self.rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def as_texts(self) -> list[list[str]]:
        """Heads and rows as they are read, for files and the clipboard."""
        heads = [column.title.replace("\n", " ") for column in self.columns]
        return [heads, *([column.text(row) for column in self.columns] for row in self.rows)]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        return 0 if parent.isValid() else len(self.columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return self._title_of_row(section, role)
        if section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.side
        if role == Qt.ItemDataRole.ToolTipRole:
            title = column.title.replace("\n", " ")
            return f"{title}: {column.meaning}" if column.meaning else title
        return column.subtitle if role == SUBTITLE else None

    def _title_of_row(self, section: int, role: int) -> str | None:
        is_told = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        if self._row_title is None or not is_told or section >= len(self.rows):
            return None
        return self._row_title(self.rows[section])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return column.text(row) if column.spoken is None else column.spoken(row)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.side
        if role == Qt.ItemDataRole.ToolTipRole:
            return column.text(row) if column.tip is None else column.tip(row) or None
        return row if role == ROW else self._look(column, row, role)

    def _look(self, column: Column[Row], row: Row, role: int) -> Any:
        theme = self._themes.theme
        if role == Qt.ItemDataRole.FontRole and column.weight is not None:
            return theme.font("body", column.weight(row))
        if role == Qt.ItemDataRole.ForegroundRole and column.ink:
            return theme.colour(column.ink_of(row) or "text")
        return None


class TextModel(ColumnModel[Sequence[str]]):
    """Rows that are written already; some columns at the left, some bold, some paler."""

    left: Container[int] = (0,)
    strong: Container[int] = ()
    grey: Container[int] = ()

    def show_rows(self, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        columns: list[Column[Sequence[str]]] = [
            Column(
                head, itemgetter(place), is_left=place in self.left,
                ink="text2" if place in self.grey else "",
                weight=_semibold if place in self.strong else None,
            )
            for place, head in enumerate(heads)
        ]  # fmt: skip
        self.set_rows(rows, columns)


def _semibold(_: object) -> str:
    return "semibold"


def choose_rows(table: QTableView) -> None:
    """Let whole rows be chosen, Tab leave the table, and the wheel scroll evenly."""
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)


SCRIPT_MENU, SCRIPT_BUTTON = "scriptMenu", "scriptButton"
"""The names of the menu of the window that copies the result of the page in front as a script, and
of a card's button that has such a menu for the card alone."""


def add_script_menu(menu: QMenu, widget: QWidget) -> None:
    """Offer the scripts of the card, else of the page; dialogs have no page, and so no scripts."""
    scripts: object = _card_scripts(widget) or widget.window().findChild(QMenu, SCRIPT_MENU)
    if isinstance(scripts, QMenu):
        menu.addSeparator()
        menu.addAction(scripts.menuAction())


def _card_scripts(widget: QWidget) -> QMenu | None:
    """The menu of the script that the card around a chart or a table has of its own."""
    card: QWidget | None = widget
    while card is not None and not isinstance(card, Card):
        card = card.parentWidget()
    button: object = None if card is None else card.findChild(QPushButton, SCRIPT_BUTTON)
    # One that there is no room for is hidden, but not disabled.
    return button.menu() if isinstance(button, QPushButton) and button.isEnabled() else None


def show_table_menu(table: QTableView, place: QPoint) -> None:
    """Open the context menu of a table, with its own actions first."""
    menu = QMenu(table)
    menu.addActions(table.actions())
    add_script_menu(menu, table)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(place)


class TextTable(QTableView):
    """Ctrl+C copies the chosen rows, or all of them where none is chosen."""

    PAD = 9
    """The distance of a head from its neighbours."""

    def __init__(self, themes: ThemeManager, name: str, words: str) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName(name)
        self.setAccessibleName(words)
        choose_rows(self)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.addAction(self.tr("Copy")).triggered.connect(self.copy)
        themes.follow(self.refresh_style)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        show_table_menu(self, event.globalPos())

    def refresh_style(self) -> None:
        theme = self._themes.theme
        self.verticalHeader().setDefaultSectionSize(theme.px(26))
        size = theme.font("caption").pixelSize()
        set_rules(
            self.horizontalHeader(),
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px {self.PAD}px; }}",
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        copy_chosen(self)


_FILTERED_AT_ONCE = 400
"""Cells that are looked at before the window is given a chance to paint."""
_WIDTH, _HEIGHT = 300, 25


class FilterBar(QFrame):
    """Stands in the upper right corner of a table until it is closed with Esc."""

    def __init__(self, themes: ThemeManager, view: QTableView | QListView) -> None:
        super().__init__(view)
        self._view = view
        self._themes = themes
        self._work: Iterator[None] = iter(())
        self._is_filtered = False
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        self.setObjectName("filterBar")
        self.setProperty("look", "card")
        self.field = named(EscapeLineEdit(), "tableFilter")
        self.field.setPlaceholderText(self.tr("Filter rows"))
        self.field.setAccessibleName(self.tr("Filter rows"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.apply)
        self.field.left.connect(self.close_bar)
        self.count = text("", "captionHint")
        shut = named(IconButton(themes, "close", self.tr("Show all rows"), 14), "closeFilter")
        shut.clicked.connect(self.close_bar)
        row(self.field, self.count, shut, parent=self, spacing=6, margin=(2, 1, 2, 1), stretch=0)
        view.installEventFilter(self)
        model = view.model()
        for changed in (model.modelReset, model.layoutChanged, model.rowsInserted):
            changed.connect(self.apply)

    def open_bar(self) -> None:
        """Show the field and let it take the keyboard."""
        self.setVisible(True)
        self._place()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.apply()

    def close_bar(self) -> None:
        self.hide()
        self.field.clear()
        self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def apply(self) -> None:
        """Look through the rows; a long table is looked through in pieces."""
        words = self.field.text().casefold().split()
        if not words and not self._is_filtered:
            return
        self._is_filtered = bool(words)
        self._work = self._look(words)
        self._timer.start()
        self._go_on()

    def _go_on(self) -> None:
        if next(self._work, self) is self:
            self._timer.stop()

    def _look(self, words: list[str]) -> Iterator[None]:
        model = self._view.model()
        columns = range(model.columnCount())
        left = looked_at = 0
        for place in range(model.rowCount()):
            said = " ".join(str(model.index(place, c).data() or "") for c in columns if words)
            fits = all(word in said.casefold() for word in words)
            left += fits
            self._view.setRowHidden(place, not fits)
            looked_at += len(columns)
            if looked_at > _FILTERED_AT_ONCE:
                looked_at = 0
                yield
        total = model.rowCount()
        self.count.setText(self.tr("%s of %s") % (number(left), number(total)) if words else "")

    def _place(self) -> None:
        px = self._themes.theme.px
        width = min(px(_WIDTH), self._view.width() - 8)
        # As high as a head of columns, so that no row is covered.
        self.field.setFixedHeight(px(_HEIGHT))
        self.setGeometry(self._view.width() - width - 2, 0, width, px(_HEIGHT) + 4)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)


def open_filter(page: QWidget, themes: ThemeManager) -> bool:
    """Open the field over the table that has the focus, else over the largest; False if none."""
    view = _meant(page)
    if view is None:
        return False
    bar = view.findChild(FilterBar) or FilterBar(themes, view)
    bar.open_bar()
    return True


def _meant(page: QWidget) -> QTableView | QListView | None:
    views: Iterable[QAbstractItemView] = page.findChildren(QAbstractItemView)
    found = [
        view
        for view in views
        if isinstance(view, QTableView | QListView) and view.isVisible() and view.model().rowCount()
    ]
    focused = page.window().focusWidget()
    for view in found:
        if view is focused or view.isAncestorOf(focused):
            return view
    return max(found, key=lambda view: view.width() * view.height(), default=None)


SUBTITLE = Qt.ItemDataRole.UserRole
"""The role of the second line of a head."""


class TableHeader(QHeaderView):
    """Draws names in the alignment of their columns; the marked ones in the accent colour.

    With ``has_subtitles`` a second, smaller line stands below the names. Smaller names may have
    several ``lines``; an arrow tells by which column the rows are sorted.
    """

    has_subtitles = False
    is_small = False
    lines = 1

    def __init__(self, themes: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._themes = themes
        self._inks = CellPalette(themes)
        self._marked: frozenset[int] = frozenset()
        self._sorted: tuple[int, bool] = (-1, True)
        self.first_pad, self.pad, self.last_pad = EDGE, PAD, PAD
        self.setAccessibleName(self.tr("Names of the columns"))
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(40)

    def mark(self, sections: frozenset[int]) -> None:
        if sections != self._marked:
            self._marked = sections
            self.viewport().update()

    def mark_sorted(self, section: int, *, falls: bool) -> None:
        self._sorted = section, falls
        self.viewport().update()

    @property
    def ground(self) -> QColor:
        return self._inks.colour("sunken")

    def sizeHint(self) -> QSize:  # noqa: N802
        if self.is_small:
            return QSize(0, self._themes.theme.px(28 + 12 * (self.lines - 1)))
        return QSize(0, self._themes.theme.px(40 if self.has_subtitles else 26))

    def name_width(self, words: str) -> int:
        metrics = self._inks.metrics("caption" if self.is_small else "body", "semibold")
        return max(map(metrics.horizontalAdvance, words.split("\n")))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802
        role = Qt.ItemDataRole
        model, across = self.model(), self.orientation()
        name = str(model.headerData(logicalIndex, across, role.DisplayRole) or "")
        side = model.headerData(logicalIndex, across, role.TextAlignmentRole)
        side = side or Qt.AlignmentFlag.AlignVCenter
        painter.fillRect(rect, self.ground)
        font = ("caption" if self.is_small else "body", "semibold")
        painter.setFont(self._inks.font(*font))
        is_marked = logicalIndex in self._marked
        painter.setPen(self._inks.colour("accentInk" if is_marked else "text2"))
        place = self.visualIndex(logicalIndex)
        is_last = all(self.isSectionHidden(one) for one in range(place + 1, self.count()))
        left = self.first_pad if place == 0 else self.pad
        area = rect.adjusted(left, 0, -(self.last_pad if is_last else self.pad), 0)
        room = area.width() - (16 if logicalIndex == self._sorted[0] else 0)
        words = name
        if self.lines == 1:
            if self.is_small and self._inks.metrics(*font).horizontalAdvance(name) > room:
                # The confidence of intervals is told by the tooltip, too.
                words = name.partition(" ±")[0]
            words = self._inks.metrics(*font).elidedText(
                words.replace("\n", " "), Qt.TextElideMode.ElideRight, room
            )
        if logicalIndex == self._sorted[0]:
            area = self._draw_arrow(painter, area, self.name_width(words), side)
        below = str(model.headerData(logicalIndex, across, SUBTITLE) or "")
        if not (self.has_subtitles and below):
            painter.drawText(area, side, words)
            return
        half = area.height() // 2
        painter.drawText(area.adjusted(0, 2, 0, 2 - half), side, words)
        painter.setFont(self._inks.font("caption"))
        painter.setPen(self._inks.colour("text2"))
        below = self._inks.metrics("caption").elidedText(
            below, Qt.TextElideMode.ElideRight, area.width()
        )
        painter.drawText(area.adjusted(0, half, 0, -3), side, below)

    def _draw_arrow(self, painter: QPainter, area: QRect, width: int, side: Any) -> QRect:
        """Draw the arrow beside a name; the room that it leaves."""
        is_right = bool(side & Qt.AlignmentFlag.AlignRight)
        left = area.right() - 12 if is_right else area.left() + width + 4
        name = "chevron-down" if self._sorted[1] else "chevron-up"
        arrow = QRect(left, area.center().y() - 6, 13, 13)
        icon(name, self._inks.colour("text2")).paint(painter, arrow)
        return area.adjusted(0, 0, -15, 0) if is_right else area


def show_as_rows(
    view: QTableView, themes: ThemeManager, model: QAbstractItemModel, delegate: QStyledItemDelegate
) -> TableHeader:
    """Show a model as lines under a header: whole rows are selected, nothing is edited."""
    head = TableHeader(themes, view)
    view.setHorizontalHeader(head)
    view.addScrollBarWidget(HeaderEnd(head), Qt.AlignmentFlag.AlignTop)
    view.setModel(model)
    view.setItemDelegate(delegate)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    head.setSectionsClickable(False)
    choose_rows(view)
    view.setWordWrap(False)
    view.setMouseTracking(True)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    enable_copy(view)
    return head


class HeaderEnd(QWidget):
    """Carries the ground of the head on over the scroll bar."""

    def __init__(self, head: TableHeader) -> None:
        super().__init__()
        self._head = head
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, self._head.sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        # It has nothing to read: in a low table it is as low as the head beside it.
        return QSize(0, 0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        QPainter(self).fillRect(event.rect(), self._head.ground)
