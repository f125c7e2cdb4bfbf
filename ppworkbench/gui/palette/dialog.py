"""The window of the palette: a field, the list of what fits, and a line of help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QListView,
    QStackedLayout,
)

from ppworkbench.gui.announce import announce
from ppworkbench.gui.palette.collected import all_commands
from ppworkbench.gui.palette.command import Command
from ppworkbench.gui.palette.matches import Matches, find, spoken
from ppworkbench.gui.palette.row_delegate import RowDelegate
from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.layouts import column, line, row, text

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow

_LATELY = "palette/lately"
_REMEMBERED = 6
_WIDTH, _HEIGHT = 620, 430
_BELOW = 84
"""How far below the window's upper edge it opens."""
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class PaletteDialog(QDialog):
    """Type, choose with the arrows, Enter does it, Esc closes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self._window = window
        self._themes = window.workbench.themes
        self._settings = window.workbench.settings
        self._commands: list[Command] = []
        self.setObjectName("palette")
        self.setWindowTitle(self.tr("Command palette"))
        self.setAccessibleName(self.tr("Command palette"))
        self.field = QLineEdit()
        self.field.setObjectName("paletteField")
        self.field.setAccessibleName(self.tr("What do you want to do?"))
        self.field.setPlaceholderText(self.tr("What do you want to do?"))
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.list = QListView()
        self.matches = Matches(self)
        self._make_list()
        self.nothing = text(self.tr("Nothing is called like that."), "hint")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.count = text("", "captionHint")
        self._arrange()
        self._themes.theme_changed.connect(self._restyle)
        self._restyle()
        self._themes.dress(self)

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
        keys = text(self.tr("↑ ↓ choose, Enter does it, Esc closes"), "captionHint")
        foot = row(keys, None, self.count)
        foot.setContentsMargins(14, 6, 14, 8)
        head = row(self.field)
        head.setContentsMargins(10, 10, 10, 8)
        layout = column(head, line(), self._stack, line(), foot, parent=self, spacing=0, margin=1)
        layout.setStretch(2, 1)

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
        """Search as if somebody typed."""
        self.field.setText(words)

    def _search(self, typed: str) -> None:
        self.matches.show_found(find(self._commands, typed, self._lately()))
        is_any = bool(self.matches.found)
        self._stack.setCurrentWidget(self.list if is_any else self.nothing)
        self.count.setText(self.matches.count())
        if is_any:
            self.list.setCurrentIndex(self.matches.index(0))
            self.list.scrollToTop()
        else:
            announce(self.field, self.nothing.text())

    def _lately(self) -> list[str]:
        return [str(key) for key in self._settings.value(_LATELY, []) or []]

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
        self.list.setCurrentIndex(self.matches.index(place))

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
        # The window has the focus again by then, where it was before.
        QTimer.singleShot(0, self._window, command.run)
