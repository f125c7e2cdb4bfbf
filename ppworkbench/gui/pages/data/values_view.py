"""The list of values: bars for counts, dragged or moved by keys into another order."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ppworkbench.gui.pages.data.icon_painter import IconPainter
from ppworkbench.gui.pages.data.inks import Inks
from ppworkbench.gui.pages.data.values_model import COUNT, SHARE, Index, ValuesModel
from ppworkbench.gui.pages.data.visible_spaces import visible_spaces
from ppworkbench.gui.plots.brushes import outline_pen, role_brush
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.words import number

ROW = 28
_FEW = 8
_GRIP, _GAP = 18, 8


class ValuesDelegate(QStyledItemDelegate):
    """Grip, position, value, bar and count in columns that do not move."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._icons = IconPainter(themes)
        self._inks = Inks(themes)
        self.role = "original"
        self.can_move = True
        self.position_width = 20
        self.label_width = 100
        self.count_width = 50

    def measure(self, model: ValuesModel, width: int) -> None:
        """Set the columns by what they have to hold."""
        metrics = self._inks.metrics()
        digits = len(str(model.rowCount()))
        self.position_width = metrics.horizontalAdvance("0") * digits + 6
        longest = max((metrics.horizontalAdvance(v) for v in model.values[:100]), default=0)
        self.label_width = min(max(longest + 10, 56), int(width * 0.42))
        counts = [
            number(model.index(i).data(COUNT) or 0) for i in range(min(len(model.values), 100))
        ]
        self.count_width = max((metrics.horizontalAdvance(c) for c in counts), default=0) + 8

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        """One line."""
        return QSize(120, self._themes.theme.px(ROW))

    def label_rect(self, rect: QRect) -> QRect:
        """Where the value stands in a row."""
        left = rect.left() + _GRIP + self.position_width + _GAP
        return QRect(left, rect.top(), self.label_width, rect.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        theme = self._themes.theme
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(option.rect)
        self._ground(painter, option, rect)
        if self.can_move:
            self._icons.draw(painter, "grip", "text3", rect.left() + 3, rect.center().y(), 14)
        painter.setFont(theme.font())
        painter.setPen(theme.colour("text2"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        position = QRectF(rect.left() + _GRIP, rect.top(), self.position_width, rect.height())
        painter.drawText(position, right, str(index.row() + 1))
        painter.setPen(theme.colour("text"))
        label = QRectF(self.label_rect(option.rect))
        words = painter.fontMetrics().elidedText(
            visible_spaces(str(index.data())), Qt.TextElideMode.ElideRight, int(label.width()) - 4
        )
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, words)
        count = index.data(COUNT)
        area = rect.adjusted(0, 0, -6, 0)
        painter.setPen(theme.colour("text2"))
        painter.drawText(area, right, "…" if count is None else number(count))
        room = area.right() - self.count_width - label.right() - _GAP
        length = room * index.data(SHARE)
        if length > 0:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(outline_pen(theme, self.role))
            painter.setBrush(role_brush(theme, self.role))
            top = round(rect.center().y() - 6)
            painter.drawRect(QRectF(round(label.right()), top, max(round(length), 1), 11))
        painter.restore()

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, rect: QRectF) -> None:
        theme = self._themes.theme
        box = rect.adjusted(1.5, 1, -1.5, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(QPen(theme.colour("accentLine"), 1))
            painter.setBrush(theme.colour("accentTint"))
            painter.drawRoundedRect(box, 6, 6)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("hover"))
            painter.drawRoundedRect(box, 6, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 6, 6)

    def createEditor(  # noqa: N802
        self,
        parent: QWidget,
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: Index,  # noqa: ARG002
    ) -> QWidget:
        """A field for the new name."""
        field = QLineEdit(parent)
        field.setObjectName("valueName")
        field.setAccessibleName(self.tr("New name of the value"))
        return field

    def updateEditorGeometry(  # noqa: N802
        self,
        editor: QWidget,
        option: QStyleOptionViewItem,
        index: Index,  # noqa: ARG002
    ) -> None:
        """Put the field over the value and what is right of it."""
        place = self.label_rect(option.rect)
        place.setLeft(place.left() - 8)
        place.setRight(option.rect.right() - 4)
        editor.setGeometry(place)


class ValuesView(QListView):
    """Dragging a row shows a line where it would go; letting go moves it there."""

    move_requested = Signal(list, int)
    """Rows, and the place before which they should stand."""

    def __init__(self, themes: ThemeManager, model: ValuesModel) -> None:
        super().__init__()
        self._themes = themes
        self._pressed: tuple[QPoint, int] | None = None
        self._target: int | None = None
        self.setObjectName("values")
        self.setAccessibleName(self.tr("Values in order"))
        self.setModel(model)
        self.delegate = ValuesDelegate(themes)
        self.setItemDelegate(self.delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.EditKeyPressed)

    def sizeHint(self) -> QSize:  # noqa: N802
        """As high as a few rows."""
        rows = min(max(self.model().rowCount(), 1), _FEW)
        return QSize(200, self._themes.theme.px(ROW) * rows + 4)

    @property
    def full_height(self) -> int:
        """As high as all rows."""
        return self._themes.theme.px(ROW) * max(self.model().rowCount(), 1) + 4

    @property
    def drop_target(self) -> int | None:
        """Where a dragged row would go; None while nothing is dragged."""
        return self._target

    def chosen_rows(self) -> list[int]:
        """The selected rows from top to bottom."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Remember where a drag may begin."""
        index = self.indexAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        self._pressed = None
        if event.button() == Qt.MouseButton.LeftButton and index.isValid() and plain:
            self._pressed = (event.position().toPoint(), index.row())
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Show where the row would go."""
        if self._pressed is None or not self.delegate.can_move:
            super().mouseMoveEvent(event)
            return
        here = event.position().toPoint()
        far = (here - self._pressed[0]).manhattanLength() >= QApplication.startDragDistance()
        if self._target is None and not far:
            return
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._scroll_along(here.y())
        self._target = self._gap_at(here.y())
        self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Ask for the move."""
        pressed, target = self._pressed, self._target
        self._pressed, self._target = None, None
        self.unsetCursor()
        self.viewport().update()
        super().mouseReleaseEvent(event)
        if (
            pressed is not None
            and target is not None
            and target not in (pressed[1], pressed[1] + 1)
        ):
            self.move_requested.emit([pressed[1]], target)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move with Alt+Shift+Up and Down; Esc ends a drag."""
        both = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() & both == both:
            self._move_chosen(step)
            return
        if event.key() == Qt.Key.Key_Escape and self._target is not None:
            self._pressed, self._target = None, None
            self.unsetCursor()
            self.viewport().update()
            return
        super().keyPressEvent(event)

    def _move_chosen(self, step: int) -> None:
        rows = self.chosen_rows()
        if not rows or not self.delegate.can_move:
            return
        if step < 0 and rows[0] > 0:
            self.move_requested.emit(rows, rows[0] - 1)
        elif step > 0 and rows[-1] < self.model().rowCount() - 1:
            self.move_requested.emit(rows, rows[-1] + 2)

    def _gap_at(self, y: int) -> int:
        """The place before which a row stands that is let go at this height."""
        index = self.indexAt(QPoint(4, min(max(y, 1), self.viewport().height() - 2)))
        if not index.isValid():
            return self.model().rowCount()
        box = self.visualRect(index)
        return index.row() + (1 if y > box.center().y() else 0)

    def _scroll_along(self, y: int) -> None:
        bar = self.verticalScrollBar()
        if y < 12:
            bar.setValue(bar.value() - self._themes.theme.px(ROW) // 2)
        elif y > self.viewport().height() - 12:
            bar.setValue(bar.value() + self._themes.theme.px(ROW) // 2)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Draw the rows, and the line of a drag."""
        super().paintEvent(event)
        if self._target is None:
            return
        rows = self.model().rowCount()
        last = self._target >= rows
        box = self.visualRect(self.model().index(min(self._target, rows - 1), 0))
        y = box.bottom() if last else box.top()
        painter = QPainter(self.viewport())
        painter.setPen(QPen(self._themes.theme.colour("accent"), 3))
        painter.drawLine(4, y, self.viewport().width() - 4, y)
        painter.end()

    def edit_row(self, row: int) -> None:
        """Open the field for a new name."""
        index = self.model().index(row, 0)
        self.setCurrentIndex(index)
        self.edit(QModelIndex(index))
