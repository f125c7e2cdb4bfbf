"""The P-matrix as an editable heat map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ppworkbench.gui.announce import announce, is_heard
from ppworkbench.gui.pages.design.matrix_clipboard import matrix_rows
from ppworkbench.gui.pages.design.matrix_picture import MatrixPicture
from ppworkbench.gui.pages.design.matrix_places import GAP, NAMED, MatrixPlaces
from ppworkbench.gui.pages.design.matrix_table import MatrixTable
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.leaving_field import LeavingField
from ppworkbench.gui.words import number, read_share, refuse_share, trimmed

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
        self._hovered: tuple[int, int] | None = None
        self._editable = True
        self._roomy = False
        self._picture = MatrixPicture(themes)
        self.setObjectName("matrix")
        self.setAccessibleName(self.tr("Probability matrix"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        # The names cover everything, so that nothing behind needs to be drawn.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._table: MatrixTable | None = None
        self._editor = LeavingField(self)
        self._editor.setObjectName("matrixCell")
        self._editor.setAccessibleName(self.tr("Probability of this cell"))
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
        """The number of values."""
        return len(self._values)

    @property
    def matrix(self) -> Matrix:
        """What is shown."""
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

    def show_matrix(self, matrix: Matrix, values: tuple[str, ...], editable: bool = True) -> None:
        """Show another matrix."""
        if values != self._values or not np.array_equal(matrix, self._matrix):
            # What is typed was meant for another matrix.
            self._editor.hide()
        if len(values) != self.k:
            self.row = self.column = 0
        if values != self._values:
            self._values = values
            if self._table is not None:
                self._table.cells.forget()
            self._measure()
            self._fit()
        self._matrix, self._editable = matrix, editable
        self.row, self.column = min(self.row, self.k - 1), min(self.column, self.k - 1)
        self._describe()
        self.update()

    def set_roomy(self, roomy: bool) -> None:
        """Have larger cells, for a wide window."""
        if roomy != self._roomy:
            self._roomy = roomy
            self.updateGeometry()

    def select(self, row: int, column: int) -> None:
        """Move to a cell."""
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
            self.tr("True answer %s becomes %s with probability %s")
            % (self._values[self.column], self._values[self.row], number(value, 3))
        )

    def sizeHint(self) -> QSize:  # noqa: N802
        """Cells of the usual size where they fit."""
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
        """The numbers as a table."""
        return matrix_rows(self._matrix, self._values)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """Give screen readers a table to walk in, if there are any."""
        super().focusInEvent(event)
        if self.is_editing:
            self._editor.setFocus()
        if self._table is None and is_heard():
            self._table = MatrixTable(self)

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
    def places(self) -> MatrixPlaces:
        """Where the cells are."""
        return MatrixPlaces(self.k, self._name_room, self._head_room, self.size())

    def _at(self, event: QMouseEvent) -> tuple[int, int] | None:
        """The cell under the pointer; on a column's name, the cell of the row of now."""
        found = self.places.at(event.position().x(), event.position().y())
        if found is None:
            return None
        row, column = found
        return self.row if row is None else row, column

    # Events

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Select the column under the pointer."""
        self._finish_edit()
        found = self._at(event)
        if found is not None and not self.is_editing:
            self.select(*found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Edit the cell under the pointer."""
        if self._at(event) is not None:
            self.start_edit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Show the numbers of a cell that is too small to hold them."""
        found = self._at(event)
        if found != self._hovered:
            self._hovered = found
            self.update()
        if found is not None and event.position().y() >= self._head_room:
            row, column = found
            self.setToolTip(
                self.tr("%s becomes %s: %s")
                % (self._values[column], self._values[row], number(self._matrix[row, column], 4))
            )

    def leaveEvent(self, event: object) -> None:  # noqa: ARG002, N802
        """Forget the pointer."""
        self._hovered = None
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move, edit, lock and clear with the keyboard."""
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
        elif key == Qt.Key.Key_Delete and self._editable:
            self.cell_edited.emit(self.row, self.column, 0.0)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.start_edit()
        elif typed and (typed.isdigit() or typed in ".,"):
            self.start_edit(typed)
        else:
            super().keyPressEvent(event)

    def start_edit(self, content: str | None = None) -> None:
        """Open the field over the current cell."""
        if not self._editable:
            return
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
        """Keep the cell as it is."""
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
        """Draw the matrix."""
        self._picture.draw(self)
