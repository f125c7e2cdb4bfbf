"""The command palette: everything that can be done, found by typing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QListView,
    QStackedLayout,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from ppworkbench.gui.language import tr
from ppworkbench.gui.theme import ThemeManager, set_fill, set_rules
from ppworkbench.gui.widgets.cells import CellPalette, Column, Index
from ppworkbench.gui.widgets.labels import announce
from ppworkbench.gui.widgets.layout import column, line, named, row, text
from ppworkbench.gui.widgets.table import ROW, ColumnModel
from ppworkbench.gui.window.commands import Command, Found, all_commands, find, spoken

if TYPE_CHECKING:
    from ppworkbench.gui.window.layered_window import LayeredWindow


_AT_FIRST = 20
"""Commands that the list measures at once; more are in sight only after scrolling."""


class Matches(ColumnModel[Found]):
    """What the list of the palette shows; it learns of those far below when it is scrolled."""

    def __init__(self, themes: ThemeManager, parent: QObject) -> None:
        column: Column[Found] = Column(
            "", lambda found: found.command.words, tip=lambda found: found.command.reason,
            spoken=lambda found: spoken(found.command),
        )  # fmt: skip
        super().__init__(themes, [column], parent)
        self.found: list[Found] = []

    def show_found(self, found: list[Found]) -> None:
        """Show other commands; the first of them is chosen anew, even where there are as many."""
        self.beginResetModel()
        self.found, self.rows = found, tuple(found[:_AT_FIRST])
        self.endResetModel()

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802
        return not parent.isValid() and len(self.rows) < len(self.found)

    def fetchMore(self, parent: Index) -> None:  # noqa: ARG002, N802
        self.reach(len(self.found) - 1)

    def reach(self, row: int) -> None:
        if row >= len(self.rows):
            self.beginInsertRows(QModelIndex(), len(self.rows), len(self.found) - 1)
            self.rows = tuple(self.found)
            self.endInsertRows()

    def count(self) -> str:
        return tr("Found: %s") % len(self.found)


_ONE_LINE = 34
_TWO_LINES = 46
_PAD = 12
_GAP = 10
_KEYS = 88
"""Room for the keys, so that what stands left of them begins at one line."""


class RowDelegate(QStyledItemDelegate):
    """Typed letters stand out; a command that cannot be used is grey with its reason below.

    Words are drawn at a point: within a box Qt would lay each of them out as a paragraph. Not the
    delegate of tables: a name is drawn letter by letter, and a row is as high as it needs to be.
    """

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._measure = CellPalette(themes).metrics

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002, N802
        found: Found = index.data(ROW)
        return QSize(120, self._themes.theme.px(_ONE_LINE if found.command.can_run else _TWO_LINES))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        found: Found = index.data(ROW)
        told: Any = option  # the stubs leave its fields out
        theme, state = self._themes.theme, told.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        box = QRectF(told.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen or state & QStyle.StateFlag.State_MouseOver:
            set_fill(painter, theme.colour("accentTint" if chosen else "hover"))
            painter.drawRoundedRect(box.adjusted(4, 1, -4, -1), 6, 6)
        inside = box.adjusted(_PAD, 0, -_PAD, 0)
        line = QRectF(inside)
        if not found.command.can_run:
            line.setHeight(theme.px(26))
            line.translate(0, theme.px(2))
        line.setRight(self._draw_keys(painter, line, found.command.keys))
        line.setRight(self._draw_place(painter, line, found))
        self._draw_name(painter, line, found, chosen)
        if not found.command.can_run:
            self._draw_reason(painter, inside, found.command.reason)
        painter.restore()

    def _write(
        self, painter: QPainter, left: float, line: QRectF, words: str, ink: QColor, *font: str
    ) -> None:
        metrics = self._measure(*font)
        base = line.center().y() + (metrics.ascent() - metrics.descent()) / 2
        painter.setFont(self._themes.theme.font(*font))
        painter.setPen(ink)
        painter.drawText(QPointF(left, base), words)

    def _draw_keys(self, painter: QPainter, line: QRectF, keys: str) -> float:
        """Draw the keys at the right end, where room is kept for them; where it begins."""
        theme = self._themes.theme
        edge = line.right() - theme.px(_KEYS) - _GAP
        if not keys:
            return edge
        width = self._measure("caption", "medium").horizontalAdvance(keys) + 14
        height = theme.px(19)
        badge = QRectF(line.right() - width, line.center().y() - height / 2, width, height)
        set_fill(painter, theme.colour("sunken"))
        painter.drawRoundedRect(badge, 6, 6)
        ink = theme.colour("text2")
        self._write(painter, badge.left() + 7, badge, keys, ink, "caption", "medium")
        return min(edge, badge.left() - _GAP)

    def _draw_place(self, painter: QPainter, line: QRectF, found: Found) -> float:
        """Draw where else the command is; where it begins."""
        name = self._measure("body", "semibold").horizontalAdvance(found.command.words)
        most = max(line.width() - name - _GAP, line.width() / 4)
        words, width = self._cut(found.command.place, most, "caption")
        left = line.right() - width
        self._write(painter, left, line, words, self._themes.theme.colour("text2"), "caption")
        return left - _GAP

    def _draw_name(self, painter: QPainter, line: QRectF, found: Found, chosen: bool) -> None:
        theme = self._themes.theme
        ink = theme.colour("text" if found.command.can_run else "text3")
        marked = theme.colour("accentInk") if found.command.can_run or chosen else ink
        words, _ = self._cut(found.command.words, line.width(), "body", "semibold")
        x = line.left()
        for piece, is_typed in pieces(words, found.places):
            font = ("body", "semibold" if is_typed else "regular")
            self._write(painter, x, line, piece, marked if is_typed else ink, *font)
            x += self._measure(*font).horizontalAdvance(piece)

    def _draw_reason(self, painter: QPainter, inside: QRectF, reason: str) -> None:
        theme = self._themes.theme
        height = theme.px(18)
        line = QRectF(inside.left(), inside.bottom() - height - theme.px(3), inside.width(), height)
        words, _ = self._cut(reason, line.width(), "caption")
        self._write(painter, line.left(), line, words, theme.colour("text2"), "caption")

    def _cut(self, words: str, room: float, *font: str) -> tuple[str, int]:
        metrics = self._measure(*font)
        width = metrics.horizontalAdvance(words)
        if width <= room:
            return words, width
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(room))
        return words, metrics.horizontalAdvance(words)


def pieces(words: str, places: tuple[int, ...]) -> list[tuple[str, bool]]:
    """A name cut where typed letters begin and end.

    >>> pieces("Export", (0, 1))
    [('Ex', True), ('port', False)]
    """
    typed = set(places)
    cut: list[tuple[str, bool]] = []
    for place, letter in enumerate(words):
        is_typed = place in typed
        if cut and cut[-1][1] == is_typed:
            cut[-1] = (cut[-1][0] + letter, is_typed)
        else:
            cut.append((letter, is_typed))
    return cut


_LATELY = "palette/lately"
_REMEMBERED = 6
_WIDTH, _HEIGHT = 620, 430
_BELOW = 84
"""How far below the window's upper edge it opens."""
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class PaletteDialog(QDialog):
    """Type, choose with the arrows, Enter does it, Esc closes."""

    def __init__(self, window: LayeredWindow) -> None:
        super().__init__(window, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self._window = window
        self._themes = window.workbench.themes
        self._settings = window.workbench.settings
        self._commands: list[Command] = []
        self.setObjectName("palette")
        self.setWindowTitle(self.tr("Command palette"))
        self.setAccessibleName(self.tr("Command palette"))
        self.field = named(QLineEdit(), "paletteField", self.tr("Search commands"))
        self.field.setPlaceholderText(self.tr("Search commands"))
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.list = QListView()
        self.matches = Matches(self._themes, self)
        self._make_list()
        self.nothing = text(self.tr("No command found."), "hint")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.count = text("", "captionHint")
        self._arrange()
        self._themes.follow(self._restyle)
        self._themes.apply_theme(self)

    def _make_list(self) -> None:
        self.list.setObjectName("paletteList")
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setModel(self.matches)
        self._delegate = RowDelegate(self._themes)
        self.list.setItemDelegate(self._delegate)
        self.list.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.list.installEventFilter(self)
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(self._on_clicked)
        self.list.selectionModel().currentChanged.connect(self._on_current)

    def _arrange(self) -> None:
        self._stack = QStackedLayout()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.nothing)
        keys = text(self.tr("↑ ↓ choose, Enter runs, Esc closes"), "captionHint")
        foot = row(keys, None, self.count, margin=(14, 6, 14, 8))
        head = row(self.field, margin=(10, 10, 10, 8))
        column(head, line(), self._stack, line(), foot, parent=self, spacing=0, margin=1, stretch=2)

    def _restyle(self) -> None:
        theme = self._themes.theme
        set_rules(
            self,
            f"#palette {{ background: {theme.hex('surface')};"
            f" border: 1px solid {theme.hex('outline')}; }}"
            f"#paletteField {{ min-height: {theme.px(30)}px;"
            f" font-size: {theme.font('subtitle').pixelSize()}px; }}",
        )

    # Opening

    def open_anew(self) -> None:
        """Collect what can be done now, and show it."""
        self._commands = all_commands(self._window)
        with QSignalBlocker(self.field):
            self.field.clear()
        self._search("")
        self._place()
        self.show()
        self.activateWindow()
        self.field.setFocus()

    def _place(self) -> None:
        px, window = self._themes.theme.px, self._window
        width = min(px(_WIDTH), window.width() - 80)
        height = min(px(_HEIGHT), window.height() - _BELOW - 60)
        self.setFixedSize(width, height)
        corner = QPoint((window.width() - width) // 2, _BELOW)
        self.move(window.mapToGlobal(corner))

    # Searching

    def type(self, words: str) -> None:
        self.field.setText(words)

    def _search(self, typed: str) -> None:
        self.matches.show_found(find(self._commands, typed, self._lately()))
        is_any = bool(self.matches.found)
        self._stack.setCurrentWidget(self.list if is_any else self.nothing)
        self.count.setText(self.matches.count())
        if is_any:
            self.list.setCurrentIndex(self.matches.index(0, 0))
            self.list.scrollToTop()
        else:
            announce(self.field, self.nothing.text())

    def _lately(self) -> list[str]:
        kept: Any = self._settings.value(_LATELY, [])
        return [str(key) for key in kept or []]

    def _on_current(self, current: QModelIndex, _: QModelIndex) -> None:
        if current.isValid():
            words = spoken(self.matches.found[current.row()].command)
            self.field.setAccessibleDescription(words)
            announce(self.field, words)

    # Keys and pointer

    def event(self, event: QEvent) -> bool:
        """Close when somebody turns to the window.

        A modal window would do without this, but then Qt tells every widget of the window.
        """
        if event.type() == QEvent.Type.WindowDeactivate and self.isVisible():
            self.reject()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Let arrows move the choice in the list, wherever the focus is."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = _STEPS.get(Qt.Key(event.key()))
            if step is not None:
                self._step(step)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.do_chosen()
                return True
        return super().eventFilter(watched, event)

    def _step(self, step: int) -> None:
        last = len(self.matches.found) - 1
        if last < 0:
            return
        here = self.list.currentIndex().row()
        # A single step leads from the end to the start, and the other way round.
        around = (here + step) % (last + 1)
        place = around if abs(step) == 1 else min(max(here + step, 0), last)
        self.matches.reach(place)
        self.list.setCurrentIndex(self.matches.index(place, 0))

    def _on_clicked(self, _: QModelIndex) -> None:
        self.do_chosen()

    def do_chosen(self) -> None:
        """Close and do what is chosen; what cannot be done says why and leaves it open."""
        index = self.list.currentIndex()
        if not index.isValid():
            return
        command = self.matches.found[index.row()].command
        if not command.can_run:
            announce(self.field, command.reason)
            return
        lately = [command.key, *(key for key in self._lately() if key != command.key)]
        self._settings.setValue(_LATELY, lately[:_REMEMBERED])
        self.accept()
        self._window.activateWindow()
        # Not inside of the key press or click that closes this window: a command may rebuild
        # pages, and it finds the focus where it was before.
        QTimer.singleShot(0, self._window, command.run)
