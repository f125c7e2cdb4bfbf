"""Tables: their model, filter and copies."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from operator import itemgetter
from typing import Any, Generic, TypeVar, cast

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QListView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.cells import CellPalette, IconPainter, TextLayout
from ppworkbench.gui.widgets.controls import EscapeLineEdit, IconButton
from ppworkbench.gui.widgets.layout import row, text


def copy_rows(rows: Sequence[Sequence[str]], sentence: str = "") -> None:
    """Put a table on the clipboard, as text for spreadsheets and as HTML for documents."""
    lines = ["\t".join(row) for row in rows]
    cells = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    data = QMimeData()
    data.setText("\n".join([sentence, *lines] if sentence else lines))
    told = f"<p>{escape(sentence)}</p>" if sentence else ""
    data.setHtml(f"{told}<table>{cells}</table>")
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
    """Belongs to its table."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Copy, whatever else the table does with keys."""
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.matches(QKeySequence.StandardKey.Copy)
        ):
            copy_chosen(self._view)
            return True
        return super().eventFilter(watched, event)


Index = QModelIndex | QPersistentModelIndex
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


ROW = Qt.ItemDataRole.UserRole + 1
"""The role under which a cell gives its whole row, for whoever draws it."""
Row = TypeVar("Row")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column: its head, what a row says in it, and how that is drawn.

    Parameters
    ----------
    meaning
        What the column holds, where the head alone does not say it.
    tip
        What is told of a cell on which the pointer rests; its text if None.
    spoken
        What is read aloud instead of the text.
    is_left, is_centred
        Words stand at the left, numbers at the right or in the middle.
    ink, weight
        The colour of the text, and how bold it is in a row.
    icon, icon_ink
        An icon before the text, or alone in the middle of a cell without text; in the colour of the
        text unless another one is named.
    badge
        A few words in a frame behind the text.
    is_chip
        Whether the text is a warning in a frame of its own.
    bar
        A share between 0 and 1, which is drawn as a bar before its number.
    has_menu
        Whether an arrow at the end tells that a click opens a menu.
    """

    title: str
    text: Callable[[Row], str]
    meaning: str = ""
    tip: Callable[[Row], str] | None = None
    spoken: Callable[[Row], str] | None = None
    is_left: bool = False
    is_centred: bool = False
    ink: str | Callable[[Row], str] = ""
    weight: Callable[[Row], str] | None = None
    icon: Callable[[Row], str] | None = None
    icon_ink: str = ""
    badge: Callable[[Row], str] | None = None
    is_chip: Callable[[Row], bool] | None = None
    bar: Callable[[Row], float] | None = None
    has_menu: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        """Where the text stands."""
        if self.is_centred:
            return Qt.AlignmentFlag.AlignCenter
        return LEFT if self.is_left else RIGHT

    def ink_of(self, row: Row) -> str:
        """The colour of the text of a row; empty for that of any text."""
        return self.ink if isinstance(self.ink, str) else self.ink(row)


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
        """The number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802
        """The number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(  # noqa: N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The heads, and what they mean."""
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
        return None

    def _title_of_row(self, section: int, role: int) -> str | None:
        is_told = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
        if self._row_title is None or not is_told or section >= len(self.rows):
            return None
        return self._row_title(self.rows[section])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
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
        """Show another table."""
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


PAD = 8
EDGE = 14
"""The first column keeps the distance of the card's own title."""
_ICON = 16
_BAR, _LONGEST_BAR = 8, 240
"""How high a bar is, and how long."""


class CellDelegate(QStyledItemDelegate, Generic[Row]):
    """Draws every cell as its column says.

    It is called for every cell of every frame while somebody scrolls, so it asks the model directly
    and not through Qt, and lays out each text once.

    Parameters
    ----------
    line
        The colour of the hairline under each row; none if empty.
    edge
        The distance of the first column from the left edge.
    is_marked
        Which rows have the ground of a selection, where it is not the selection that tells.
    has_focus
        Whether the current cell has a frame; not where all of its row is tinted anyway.
    """

    def __init__(
        self,
        themes: ThemeManager,
        model: ColumnModel[Row],
        *,
        line: str = "",
        edge: int = PAD,
        is_marked: Callable[[Row], bool] | None = None,
        has_focus: bool = True,
    ) -> None:
        super().__init__()
        self._themes, self._model = themes, model
        self._line, self._edge, self._is_marked = line, edge, is_marked
        self._has_focus = has_focus
        self._inks = CellPalette(themes)
        self._texts = TextLayout(themes, self._inks)
        self._icons = IconPainter(themes)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one cell."""
        told: Any = option  # the stubs leave its fields out
        box, state, place = told.rect, told.state, index.column()
        row, column = self._model.rows[index.row()], self._model.columns[place]
        is_marked = self._draw_ground(painter, box, state, row)
        if self._line and not is_marked:
            start = box.left() + (self._edge if place == 0 else 0)
            painter.setPen(self._inks.colour(self._line))
            painter.drawLine(start, box.bottom(), box.right(), box.bottom())
        area = box.adjusted(self._edge if place == 0 else PAD, 0, -PAD, 0)
        self.draw_content(painter, area, column, row, is_marked=is_marked)
        if self._has_focus and state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(self._inks.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(box).adjusted(1, 1, -1, -2))

    def _draw_ground(
        self, painter: QPainter, box: QRect, state: QStyle.StateFlag, row: Row
    ) -> bool:
        """Tint the ground of a chosen row; whether it is one."""
        is_marked = (
            bool(state & QStyle.StateFlag.State_Selected)
            if self._is_marked is None
            else self._is_marked(row)
        )
        if is_marked:
            painter.fillRect(box, self._inks.colour("accentTint"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, self._inks.colour("hover"))
        return is_marked

    def draw_content(
        self, painter: QPainter, area: QRect, column: Column[Row], row: Row, *, is_marked: bool
    ) -> None:
        """Draw what a cell holds."""
        words = column.text(row)
        if column.is_chip is not None and column.is_chip(row):
            self._draw_chip(painter, area, words, is_right=not column.is_left)
            return
        if column.bar is not None:
            self._draw_bar(painter, area, words, column.bar(row))
            return
        ink = column.ink_of(row) or "text"
        weight = "regular" if column.weight is None else column.weight(row)
        if is_marked:
            # Grey of the third rank is too pale on the tint of a selection.
            ink = "text2" if ink == "text3" else ink
            weight = "semibold" if weight == "medium" else weight
        if column.has_menu:
            self._draw_icon(painter, "chevron-down", "text2", area.right() - 14, area, 12)
            area = area.adjusted(0, 0, -18, 0)
        name = "" if column.icon is None else column.icon(row)
        if name and column.is_left:
            self._draw_icon(painter, name, column.icon_ink or ink, area.left(), area)
            area = area.adjusted(_ICON + PAD, 0, 0, 0)
        badge = "" if column.badge is None else column.badge(row)
        if badge:
            area = area.adjusted(0, 0, -self._badge_width(badge) - PAD, 0)
        used = self._texts.draw(
            painter, words, area, colour=ink, weight=weight, is_right=not column.is_left
        )
        if name and not column.is_left:
            left = area.right() - used - _ICON - 5 if words else area.center().x() - _ICON // 2
            self._draw_icon(painter, name, column.icon_ink or ink, left, area)
        if badge:
            self._draw_badge(painter, badge, area.left() + used + PAD, area, is_marked)

    def _draw_icon(
        self, painter: QPainter, name: str, ink: str, left: float, area: QRect, size: int = _ICON
    ) -> None:
        self._icons.draw(painter, name, ink, left, area.center().y() + 0.5, size)

    def _badge_width(self, words: str) -> int:
        return self._inks.metrics("caption", "medium").horizontalAdvance(words) + 14

    def _draw_badge(
        self, painter: QPainter, words: str, left: int, area: QRect, is_marked: bool
    ) -> None:
        box = QRectF(left, area.center().y() - 8, self._badge_width(words), 18)
        ground = "surface" if is_marked else "accentTint"
        self._draw_framed(painter, words, box, "accentInk", ground, 6)

    def _draw_chip(self, painter: QPainter, area: QRect, words: str, *, is_right: bool) -> None:
        wide = self._inks.metrics("caption", "medium").horizontalAdvance(words) + 12
        width = min(wide, area.width())
        left = area.right() - width if is_right else area.left()
        box = QRectF(left, area.top() + 3, width, area.height() - 7)
        self._draw_framed(painter, words, box, "warningText", "warningBg", 4)

    def _draw_framed(
        self, painter: QPainter, words: str, box: QRectF, ink: str, ground: str, radius: int
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._inks.colour(ground))
        painter.drawRoundedRect(box, radius, radius)
        painter.setPen(self._inks.colour(ink))
        painter.setFont(self._inks.font("caption", "medium"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_bar(self, painter: QPainter, area: QRect, words: str, share: float) -> None:
        theme = self._themes.theme
        wide = self._inks.metrics().horizontalAdvance("100.0 %") + PAD
        room = min(max(area.width() - wide, 0), theme.px(_LONGEST_BAR))
        trough = QRectF(area.left(), area.center().y() - _BAR / 2, room, _BAR)
        painter.fillRect(trough, self._inks.colour("sunken"))
        trough.setWidth(room * share)
        painter.fillRect(trough, theme.role("reconstructed").fill)
        self._texts.draw(
            painter, words, QRect(area.left(), area.top(), room + wide, area.height()),
            is_right=True,
        )  # fmt: skip


class TextTable(QTableView):
    """Ctrl+C copies the chosen rows, or all of them where none is chosen."""

    def __init__(self, themes: ThemeManager, name: str, words: str) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(self.tr("Copy")).triggered.connect(self.copy)
        themes.theme_changed.connect(self.restyle)
        self.restyle()

    def restyle(self) -> None:
        """Sizes that follow the theme."""
        theme = self._themes.theme
        self.verticalHeader().setDefaultSectionSize(theme.px(26))
        size = theme.font("caption").pixelSize()
        set_rules(
            self.horizontalHeader(),
            f"QHeaderView::section {{ font-size: {size}px; padding: 5px 9px; }}",
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the chosen rows on the clipboard, all of them where none is chosen."""
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
        self.field = EscapeLineEdit()
        self.field.setObjectName("tableFilter")
        self.field.setPlaceholderText(self.tr("Filter the rows"))
        self.field.setAccessibleName(self.tr("Filter the rows"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(self.apply)
        self.field.left.connect(self.close_bar)
        self.count = text("", "captionHint")
        shut = IconButton(themes, "close", self.tr("Show all rows again"), 14)
        shut.setObjectName("closeFilter")
        shut.clicked.connect(self.close_bar)
        layout = row(self.field, self.count, shut, parent=self, spacing=6)
        layout.setContentsMargins(2, 1, 2, 1)
        layout.setStretch(0, 1)
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
        """Show all rows again."""
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
        """Stay in the corner."""
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


class TableHeader(QHeaderView):
    """Draws names in the alignment of their columns; the marked ones in the accent colour."""

    def __init__(self, themes: ThemeManager, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._themes = themes
        self._inks = CellPalette(themes)
        self._marked: frozenset[int] = frozenset()
        self.first_pad = EDGE
        self.setAccessibleName(self.tr("Names of the columns"))
        self.setHighlightSections(False)
        self.setSectionsClickable(True)
        self.setMinimumSectionSize(40)

    def mark(self, sections: frozenset[int]) -> None:
        """Show some sections as chosen."""
        if sections != self._marked:
            self._marked = sections
            self.viewport().update()

    @property
    def ground(self) -> QColor:
        """The colour under the names."""
        return self._inks.colour("sunken")

    @property
    def marked(self) -> frozenset[int]:
        """The sections that are shown as chosen."""
        return self._marked

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as a row."""
        return QSize(0, self._themes.theme.px(26))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N802
        """Draw one name."""
        role = Qt.ItemDataRole
        model, across = self.model(), self.orientation()
        name = str(model.headerData(logicalIndex, across, role.DisplayRole) or "")
        side = model.headerData(logicalIndex, across, role.TextAlignmentRole)
        painter.fillRect(rect, self.ground)
        painter.setFont(self._inks.font("body", "semibold"))
        is_marked = logicalIndex in self._marked
        painter.setPen(self._inks.colour("accentInk" if is_marked else "text2"))
        left = self.first_pad if self.visualIndex(logicalIndex) == 0 else PAD
        area = rect.adjusted(left, 0, -PAD, 0)
        words = self._inks.metrics("body", "semibold").elidedText(
            name, Qt.TextElideMode.ElideRight, area.width()
        )
        painter.drawText(area, side or Qt.AlignmentFlag.AlignVCenter, words)


class HeaderEnd(QWidget):
    """Carries the ground of the head on over the scroll bar."""

    def __init__(self, head: TableHeader) -> None:
        super().__init__()
        self._head = head
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as the head."""
        return QSize(0, self._head.sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Never lower than the head."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the ground."""
        QPainter(self).fillRect(event.rect(), self._head.ground)
