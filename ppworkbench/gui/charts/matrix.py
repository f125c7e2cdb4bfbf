"""The heat map of a matrix, which can be edited.

Pictures of matrix cells, drawn once and stamped many times.

A matrix of ten values has a hundred cells but only a few different probabilities; drawing each of
these once a frame is what keeps a drag smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QSizePolicy, QTableView, QWidget

from ppworkbench.core.message import Message
from ppworkbench.gui.charts.chart_export import picture_menu
from ppworkbench.gui.dialogs import show_menu
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, read_share, refuse_share, trimmed
from ppworkbench.gui.theme import Theme, ThemeManager, clear_pixmap, contrast, icon, smooth_painter
from ppworkbench.gui.widgets.controls import EscapeLineEdit
from ppworkbench.gui.widgets.labels import announce, has_screen_reader
from ppworkbench.gui.widgets.layout import named
from ppworkbench.gui.widgets.table import Column, ColumnModel, copy_rows
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape

GAP = 3
NAMED = 14
"""Up to so many values cells have gaps, columns names and totals."""
_HEIGHT = 48.0


@dataclass(frozen=True)
class MatrixGeometry:
    """k by k cells in a widget of some size; rows are named at the left, columns at the top."""

    k: int
    left: int
    top: int
    size: QSize

    @property
    def _pitch(self) -> tuple[float, float]:
        width = (self.size.width() - self.left - 2) / self.k
        return width, min((self.size.height() - self.top - 22) / self.k, _HEIGHT)

    def cell(self, row: int, column: int) -> QRectF:
        width, height = self._pitch
        gap = GAP if self.k <= NAMED else 1 if self.k <= 60 else 0
        return QRectF(
            self.left + column * width, self.top + row * height, width - gap, height - gap
        )

    def at(self, x: float, y: float) -> tuple[int | None, int] | None:
        """Row and column at a point; no row where it is a column's name."""
        width, height = self._pitch
        column, row = int((x - self.left) // width), int((y - self.top) // height)
        if not 0 <= column < self.k or x < self.left:
            return None
        if y < self.top:
            return None, column
        return (row, column) if row < self.k else None


def short_probability(value: float) -> str:
    """A probability for a cell: two digits, a third where the second would be lost.

    >>> short_probability(0.15), short_probability(0.82353), short_probability(0.0)
    ('0.15', '0.824', '0')
    """
    if value <= 0:
        return "0"
    if value >= 0.9995:
        return "1"
    return number(value, 3).removesuffix("0")


def named_rule(painter: QPainter, area: QRectF, name: str, colour: QColor) -> None:
    width = painter.fontMetrics().horizontalAdvance(name) + 14
    middle = area.center().y()
    pen = painter.pen()
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, name)
    painter.setPen(QPen(colour, 1))
    gap = width / 2
    if area.width() > width + 20:
        painter.drawLine(int(area.left()), int(middle), int(area.center().x() - gap), int(middle))
        painter.drawLine(int(area.center().x() + gap), int(middle), int(area.right()), int(middle))
    painter.setPen(pen)


_MOST_ROWS = 40
"""Up to so many values rows have names."""
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _draw_names(
    painter: QPainter, theme: Theme, places: MatrixGeometry, values: tuple[str, ...], chosen: int,
    totals: list[float],
) -> None:  # fmt: skip
    _draw_rules(painter, theme, places)
    if places.k <= _MOST_ROWS:
        for row, value in enumerate(values):
            _draw_row_name(painter, theme, places, row, value)
    if places.k <= NAMED:
        for column, value in enumerate(values):
            weight = "semibold" if column == chosen else "regular"
            painter.setFont(theme.font("caption", weight))
            painter.setPen(theme.colour("text" if column == chosen else "text2"))
            _draw_column_name(painter, places, column, value)
        _draw_totals(painter, theme, places, totals)


def _draw_rules(painter: QPainter, theme: Theme, places: MatrixGeometry) -> None:
    painter.setFont(theme.font("caption", "semibold"))
    painter.setPen(theme.colour("text3"))
    first, last = places.cell(0, 0), places.cell(places.k - 1, places.k - 1)
    above = QRectF(places.left, 0, last.right() - places.left, 16)
    named_rule(painter, above, tr("true answer"), theme.colour("border"))
    painter.save()
    painter.translate(8, last.bottom())
    painter.rotate(-90)
    side = QRectF(0, -8, last.bottom() - first.top(), 16)
    # Few rows are lower than the words are long; above the rows there is room for more of them.
    words = (tr("reported answer"), tr("reported"))
    long, short = (painter.fontMetrics().horizontalAdvance(one) for one in words)
    if long > side.width():
        side.setWidth(max(side.width(), min(short, last.bottom())))
    named_rule(painter, side, words[long > side.width()], theme.colour("border"))
    painter.restore()


def _draw_row_name(
    painter: QPainter, theme: Theme, places: MatrixGeometry, row: int, value: str
) -> None:
    painter.setFont(theme.font("caption"))
    painter.setPen(theme.colour("text2"))
    cell = places.cell(row, 0)
    area = QRectF(18, cell.top(), places.left - 24, cell.height())
    words = painter.fontMetrics().elidedText(value, Qt.TextElideMode.ElideRight, int(area.width()))
    painter.drawText(area, _RIGHT, words)


def _draw_column_name(painter: QPainter, places: MatrixGeometry, column: int, value: str) -> None:
    """On several lines where they fit, else cut."""
    cell = places.cell(0, column)
    area = QRectF(cell.left() - 1, 18, cell.width() + 2, places.top - 20)
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
    wrapped = int(flags.value) | int(Qt.TextFlag.TextWordWrap.value)
    metrics = painter.fontMetrics()
    fits = metrics.boundingRect(area.toRect(), wrapped, value).height() <= area.height() + 2
    longest = max((metrics.horizontalAdvance(w) for w in value.split()), default=0)
    if fits and longest <= area.width():
        painter.drawText(area, wrapped, value)
    else:
        short = metrics.elidedText(value, Qt.TextElideMode.ElideRight, int(area.width()))
        painter.drawText(area, flags, short)


def _draw_totals(
    painter: QPainter, theme: Theme, places: MatrixGeometry, totals: list[float]
) -> None:
    painter.setFont(theme.font("caption"))
    bottom = places.cell(places.k - 1, 0).bottom() + 3
    painter.setPen(theme.colour("text3"))
    label = QRectF(0, bottom, places.left - 6, 17)
    whole, short = tr("column total"), tr("total")
    fits = painter.fontMetrics().horizontalAdvance(whole) <= label.width()
    painter.drawText(label, _RIGHT, whole if fits else short)
    for column, total in enumerate(totals):
        cell = places.cell(0, column)
        painter.setPen(theme.colour("text3" if abs(total - 1) < 5e-4 else "warningText"))
        area = QRectF(cell.left(), bottom, cell.width(), 17)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, number(total, 3))


def _drawn(
    value: float, size: QSize, theme: Theme, ratio: float, *, small: bool, numbered: bool
) -> QPixmap:
    if size.isEmpty():
        # A matrix that is being unfolded may have no room yet.
        return QPixmap()
    picture = clear_pixmap(size, ratio)
    painter = smooth_painter(picture)
    box = QRectF(0, 0, size.width(), size.height())
    fill = theme.heat_colour(value)
    painter.setPen(QPen(theme.colour("border") if value <= 0 else fill, 1))
    painter.setBrush(fill)
    radius = 0 if small else 4
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    if numbered and size.width() >= 24 and size.height() >= 11:
        painter.setFont(theme.font("caption" if small else "body", "medium"))
        painter.setPen(theme.colour("text3") if value <= 0 else contrast(fill))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, short_probability(value))
    painter.end()
    return picture


_SMALL = 40
"""Up to so many values every cell is drawn on its own."""
_SMALL_TYPE = 10
"""With more values the numbers are in small type."""
_MOST = 400
"""Pictures of cells that are kept."""


class MatrixPainter:
    """Keeps what was drawn and is the same in the next frame: names, and cells by their values."""

    def __init__(self, themes: ThemeManager) -> None:
        self._themes = themes
        self._names: tuple[object, QPixmap] | None = None
        self._stamps: dict[tuple[float, bool], QPixmap] = {}
        self._stamped_for: tuple[Theme, QSize, float, bool] | None = None

    def draw(self, grid: MatrixGrid) -> None:
        painter = smooth_painter(grid)
        painter.drawPixmap(0, 0, self._named(grid))
        if grid.k > _SMALL:
            self._draw_pixels(painter, grid)
        else:
            self._draw_cells(painter, grid)
        self._draw_ring(painter, grid)
        painter.end()

    def _named(self, grid: MatrixGrid) -> QPixmap:
        """Names and totals, with the name of the chosen column in bold."""
        theme, ratio, places = self._themes.theme, grid.devicePixelRatioF(), grid.places
        totals: list[float] = grid.matrix.sum(axis=0).tolist()
        key = theme, ratio, places, grid.values, grid.column, tuple(round(t, 3) for t in totals)
        if self._names is None or self._names[0] != key:
            drawn = clear_pixmap(places.size, ratio)
            drawn.fill(theme.colour("surface"))
            painter = smooth_painter(drawn)
            _draw_names(painter, theme, places, grid.values, grid.column, totals)
            painter.end()
            self._names = key, drawn
        return self._names[1]

    def _stamp(self, value: float, *, numbered: bool) -> QPixmap:
        key = round(value, 4), numbered
        if key not in self._stamps:
            assert self._stamped_for is not None  # noqa: S101 (the caller said what for)
            theme, size, ratio, small = self._stamped_for
            drawn = _drawn(value, size, theme, ratio, small=small, numbered=numbered)
            self._stamps[key] = drawn
        return self._stamps[key]

    def _draw_cells(self, painter: QPainter, grid: MatrixGrid) -> None:
        theme, places, k = self._themes.theme, grid.places, grid.k
        size = places.cell(0, 0).size().toSize()
        stamped_for = theme, size, grid.devicePixelRatioF(), k > _SMALL_TYPE
        if stamped_for != self._stamped_for or len(self._stamps) > _MOST:
            self._stamped_for, self._stamps = stamped_for, {}
        tops = [places.cell(row, 0).top() for row in range(k)]
        for column in range(k):
            numbered = k <= NAMED or column == grid.column
            left = places.cell(0, column).left()
            for top, value in zip(tops, grid.matrix[:, column].tolist(), strict=True):
                painter.drawPixmap(QPointF(left, top), self._stamp(value, numbered=numbered))
        for row, column in grid.locked:
            cell = places.cell(row, column)
            spot = QRectF(cell.right() - 14, cell.top() + 2, 11, 11)
            ink = contrast(theme.heat_colour(float(grid.matrix[row, column])))
            icon("lock", ink).paint(painter, spot.toRect())

    def _draw_pixels(self, painter: QPainter, grid: MatrixGrid) -> None:
        """Draw a large matrix as one picture, a pixel for every cell."""
        theme, places, k = self._themes.theme, grid.places, grid.k
        ramp = [theme.heat_colour(i / 255) for i in range(256)]
        look_up = np.array([colour.rgb() for colour in ramp], np.uint32)
        level = np.clip(np.ceil(grid.matrix * 255), 0, 255).astype(np.uint8)
        pixels = np.ascontiguousarray(look_up[level])
        image = QImage(pixels.data, k, k, 4 * k, QImage.Format.Format_RGB32)
        painter.drawImage(places.cell(0, 0).united(places.cell(k - 1, k - 1)), image)

    def _draw_ring(self, painter: QPainter, grid: MatrixGrid) -> None:
        theme, places = self._themes.theme, grid.places
        top, bottom = places.cell(0, grid.column), places.cell(grid.k - 1, grid.column)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.colour("accentLine"), 2))
        painter.drawRoundedRect(top.united(bottom).adjusted(-2, -2, 2, 2), 6, 6)
        if grid.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.drawRoundedRect(places.cell(grid.row, grid.column), 4, 4)


class MatrixTable(QTableView):
    """A table of one pixel behind the heat map; nobody sees it and it takes no keys.

    It reads the grid whenever somebody asks, so that a drag costs nothing.
    """

    def __init__(self, themes: ThemeManager, grid: MatrixGrid) -> None:
        super().__init__(grid)
        self._grid = grid
        self.cells: ColumnModel[int] = ColumnModel(themes, parent=self, row_title=self._reported)
        self.show_values()
        self.setObjectName("matrixTable")
        self.setAccessibleName(grid.accessibleName())
        self.setModel(self.cells)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFrameShape(self.Shape.NoFrame)
        self.setFixedSize(1, 1)
        self.lower()
        self.show()

    def show_values(self) -> None:
        """Name other answers."""
        columns = [
            Column(self.tr("True answer %s") % value, partial(self._said, place))
            for place, value in enumerate(self._grid.values)
        ]
        self.cells.set_rows(range(self._grid.k), columns)

    def _reported(self, row: int) -> str:
        return self.tr("reported as %s") % self._grid.values[row]

    def _said(self, column: int, row: int) -> str:
        said = number(float(self._grid.matrix[row, column]), 3)
        return self.tr("%s, locked") % said if (row, column) in self._grid.locked else said


LARGEST = 2_000_000
"""Letters on the clipboard that are looked at; the largest matrix of the program has fewer."""
_EXACT = 15
"""Decimals without which the columns of a copy would not sum to 1."""


def matrix_rows(
    matrix: NDArray[np.float64], values: tuple[str, ...], digits: int = 4
) -> list[list[str]]:
    """The matrix as a table: what a column's true answer becomes, and how often."""
    head = [tr("reported answer"), *(tr("true “%s”") % value for value in values)]
    cells = [[trimmed(cell, digits) for cell in row] for row in matrix.tolist()]
    return [head, *([value, *row] for value, row in zip(values, cells, strict=True))]


def copy_matrix(matrix: NDArray[np.float64], values: tuple[str, ...]) -> None:
    """Put a matrix on the clipboard with the names of the answers."""
    copy_rows(matrix_rows(matrix, values, _EXACT))


def without_names(content: str, values: tuple[str, ...]) -> str:
    r"""The text of a matrix without the names of answers, which may look like numbers.

    >>> without_names("\t1\t2\n1\t0.9\t0.2\n2\t0.1\t0.8", ("1", "2"))
    '0.9\t0.2\n0.1\t0.8'
    """
    k = len(values)
    rows = [line.split("\t") for line in content.splitlines() if line.strip()]
    if len(rows) != k + 1 or any(len(row) != k + 1 for row in rows):
        return content
    return "\n".join("\t".join(row[1:]) for row in rows[1:])


Matrix = NDArray[np.float64]
_NARROWEST = 362
"""What seven answers need, so that the list beside gives way first."""


class MatrixGrid(QWidget):
    """Columns are true answers, rows what they become. One focus stop; arrows move the cell.

    Clicking selects a column, typing edits the cell, L locks it, Delete sets it to 0.
    """

    column_selected = Signal(int)
    cell_edited = Signal(int, int, float)
    cell_refused = Signal(str)
    """Why what was typed is no probability; empty once it is corrected or given up."""
    lock_toggled = Signal(int, int)
    copy_requested = Signal()
    paste_requested = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._matrix: Matrix = np.ones((1, 1))
        self._values: tuple[str, ...] = ("",)
        self.locked: frozenset[tuple[int, int]] = frozenset()
        self.row = 0
        self.column = 0
        self._roomy = False
        self._picture = MatrixPainter(themes)
        self.setObjectName("matrix")
        self.setAccessibleName(self.tr("Transition matrix"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        # The names cover everything, so that nothing behind needs to be drawn.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._table: MatrixTable | None = None
        self._editor = named(EscapeLineEdit(self), "matrixCell", self.tr("Cell probability"))
        self._editor.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._editor.hide()
        self._editor.left.connect(self._leave_edit)
        self._editor.editingFinished.connect(self._finish_edit)
        themes.theme_changed.connect(self._measure)
        themes.theme_changed.connect(self._fit)
        themes.theme_changed.connect(self.update)
        self._measure()

    @property
    def k(self) -> int:
        return len(self._values)

    @property
    def matrix(self) -> Matrix:
        return self._matrix

    @property
    def values(self) -> tuple[str, ...]:
        """The answers, in the order of columns and rows."""
        return self._values

    @property
    def is_editing(self) -> bool:
        """Whether somebody types into a cell, or left there what cannot be taken."""
        return self._editor.isVisible()

    @property
    def chances(self) -> Matrix:
        """What the selected true answer becomes, and how often."""
        return self._matrix[:, self.column]

    def show_matrix(self, matrix: Matrix, values: tuple[str, ...]) -> None:
        if values != self._values or not np.array_equal(matrix, self._matrix):
            # What is typed was meant for another matrix.
            self._editor.hide()
        if len(values) != self.k:
            self.row = self.column = 0
        is_named_anew = values != self._values
        self._matrix, self._values = matrix, values
        if is_named_anew:
            self._measure()
            self._fit()
            if self._table is not None:
                self._table.show_values()
        self.row, self.column = min(self.row, self.k - 1), min(self.column, self.k - 1)
        self._describe()
        self.update()

    def set_roomy(self, roomy: bool) -> None:
        if roomy != self._roomy:
            self._roomy = roomy
            self.updateGeometry()

    def select(self, row: int, column: int) -> None:
        row, column = min(max(row, 0), self.k - 1), min(max(column, 0), self.k - 1)
        changed = column != self.column
        self.row, self.column = row, column
        self._describe()
        announce(self, self.accessibleDescription())
        self.update()
        if changed:
            self.column_selected.emit(column)

    def _describe(self) -> None:
        value = self._matrix[self.row, self.column]
        self.setAccessibleDescription(
            self.tr("True “%s” is reported as “%s” with probability %s")
            % (self._values[self.column], self._values[self.row], number(value, 3))
        )

    def sizeHint(self) -> QSize:  # noqa: N802
        side = min(self.k, 10)
        width, height = (84, 36 + GAP) if self._roomy else (60, 31)
        return QSize(self._name_room + side * width, self._head_room + side * height + 22)

    def _fit(self) -> None:
        """Let rows grow, but not so much that they fall apart."""
        rows = self.k * self._themes.theme.px(48)
        self.setMaximumHeight(self._head_room + rows + 24 if self.k <= NAMED else 16_777_215)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Smallest cells that still hold their numbers; large matrices do without them."""
        row = self._themes.theme.px(36 + GAP if self._roomy and self.k <= 10 else 20)
        rows = self.k * row if self.k <= NAMED else 200
        return QSize(_NARROWEST, self._head_room + rows + 24)

    def rows(self) -> list[list[str]]:
        return matrix_rows(self._matrix, self._values)

    @property
    def picture(self) -> Picture:
        """The matrix as files and the clipboard have it; many cells have no numbers."""
        shown = self._matrix.ravel().tolist()
        words = map(short_probability, shown) if self.k <= NAMED else [""] * len(shown)
        nothing, none = Message(""), np.zeros(0)
        cells = Mark(Shape.CELLS, Role.ESTIMATE, nothing, none, self._matrix, words=tuple(words))
        x, y = (
            Axis(Message(tr("true answer")), labels=self._values),
            Axis(Message(tr("reported answer")), labels=self._values),
        )
        return Picture("matrix", Message(self.accessibleName()), x, y, (cells,))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        show_menu(picture_menu(self, self.rows), event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Give screen readers a table to walk in, if there are any."""
        super().focusInEvent(event)
        if self.is_editing:
            self._editor.setFocus()
        if self._table is None and has_screen_reader():
            self._table = MatrixTable(self._themes, self)

    # Geometry

    def _measure(self) -> None:
        """Work out the room for names; only other values, another size or font change it."""
        metrics = self.fontMetrics()
        widths = [metrics.horizontalAdvance(value) for value in self._values]
        widest = max(widths, default=0)
        px = self._themes.theme.px
        self._name_room = min(widest, px(112)) + 26
        self._head_room = px(24 if self.k > NAMED else 36 if widest < px(48) else 52)

    @property
    def places(self) -> MatrixGeometry:
        return MatrixGeometry(self.k, self._name_room, self._head_room, self.size())

    def _at(self, event: QMouseEvent) -> tuple[int, int] | None:
        """The cell under the pointer; on a column's name, the cell of the row of now."""
        found = self.places.at(event.position().x(), event.position().y())
        if found is None:
            return None
        row, column = found
        return self.row if row is None else row, column

    # Events

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._finish_edit()
        found = self._at(event)
        if found is not None and not self.is_editing:
            self.select(*found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._at(event) is not None:
            self.start_edit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Show the numbers of a cell that is too small to hold them."""
        found = self._at(event)
        if found is not None and event.position().y() >= self._head_room:
            row, column = found
            self.setToolTip(
                self.tr("“%s” reported as “%s”: %s")
                % (self._values[column], self._values[row], number(self._matrix[row, column], 4))
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        steps = {
            Qt.Key.Key_Left: (0, -1),
            Qt.Key.Key_Right: (0, 1),
            Qt.Key.Key_Up: (-1, 0),
            Qt.Key.Key_Down: (1, 0),
        }
        key = Qt.Key(event.key())
        typed = event.text()
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if key in steps:
            self.select(self.row + steps[key][0], self.column + steps[key][1])
        elif event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Paste):
            self.paste_requested.emit()
        elif key == Qt.Key.Key_L and not control:
            self.lock_toggled.emit(self.row, self.column)
        elif key == Qt.Key.Key_Delete:
            self.cell_edited.emit(self.row, self.column, 0.0)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.start_edit()
        elif typed and (typed.isdigit() or typed in ".,"):
            self.start_edit(typed)
        else:
            super().keyPressEvent(event)

    def start_edit(self, content: str | None = None) -> None:
        cell = self.places.cell(self.row, self.column)
        wide = QRectF(cell.center().x() - 34, cell.center().y() - 14, 68, 28)
        self._editor.setGeometry((cell if cell.width() > 50 else wide).toRect())
        value = self._matrix[self.row, self.column]
        self._editor.setText(trimmed(value, 4) if content is None else content)
        if content is None:
            self._editor.selectAll()
        self._editor.show()
        self._editor.setFocus()

    def _leave_edit(self) -> None:
        self._editor.hide()
        self.setFocus()
        self.cell_refused.emit("")

    def _finish_edit(self) -> None:
        """Take what was typed; what is no probability stays to be corrected."""
        if not self.is_editing:
            return
        typed = self._editor.text()
        problem, value = refuse_share(typed), read_share(typed)
        self.cell_refused.emit(problem)
        if problem or value is None:
            return
        self._editor.hide()
        self.setFocus()
        if abs(value - self._matrix[self.row, self.column]) > 5e-5:
            self.cell_edited.emit(self.row, self.column, value)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        self._picture.draw(self)
