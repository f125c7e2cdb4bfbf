"""The letter of a kept design, as a chip that opens what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QToolButton

from ppworkbench.gui.pages.design.pins import Pin, PinBoard
from ppworkbench.gui.theme import ThemeManager


class PinChip(QToolButton):
    """Filled while it is the active one, underlined while it equals the design of now.

    A click or Enter opens its menu, Delete removes the pin.
    """

    def __init__(self, themes: ThemeManager, board: PinBoard, letter: str) -> None:
        super().__init__()
        self._themes = themes
        self._board = board
        self.letter = letter
        self.is_active = False
        self.is_now = False
        self._fits = True
        self.setObjectName(f"pin{letter}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda _: self._open())
        self.clicked.connect(self._open)
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)

    def show_pin(self, pin: Pin, *, active: bool, now: bool) -> None:
        """Show what the pin holds; cheap if nothing differs."""
        self._fits = pin.perturbation is not None
        name = self.tr("Pin %s: %s") % (pin.letter, pin.summary())
        if active:
            name += "\n" + self.tr("The cards show the change since this design.")
        if now:
            name += "\n" + self.tr("The attribute is distorted like this now.")
        if name != self.toolTip():
            self.setToolTip(name)
            self.setAccessibleName(name.replace("\n", ". "))
        if (active, now) != (self.is_active, self.is_now):
            self.is_active, self.is_now = active, now
            self.update()

    def make_menu(self) -> QMenu:
        """What can be done with this pin."""
        board, letter, name = self._board, self.letter, self._board.store.current or ""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        compare = menu.addAction(self.tr("Show the change since %s") % letter)
        compare.setCheckable(True)
        compare.setChecked(self.is_active)
        compare.setEnabled(self._fits)
        compare.triggered.connect(lambda: board.activate(name, letter))
        again = menu.addAction(self.tr("Use this design again"))
        again.setEnabled(self._fits and not self.is_now)
        again.triggered.connect(lambda: board.use(name, letter))
        menu.addSeparator()
        gone = menu.addAction(self.tr("Remove %s") % letter)
        gone.triggered.connect(lambda: board.remove(name, letter))
        return menu

    def _open(self) -> None:
        self.make_menu().popup(self.mapToGlobal(QPoint(0, self.height() + 2)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Open the menu with Enter, remove with Delete."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open()
        elif event.key() == Qt.Key.Key_Delete:
            self._board.remove(self._board.store.current or "", self.letter)
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802
        """A small square."""
        return QSize(self._themes.theme.px(24), self._themes.theme.px(24))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """No less than can be hit."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the letter in its box."""
        theme, focus = self._themes.theme, self.hasFocus()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        line = "focus" if focus else "accentInk" if self.is_active else "outline"
        painter.setPen(QPen(theme.colour(line), 2 if focus else 1))
        ground = "accentTint" if self.is_active else "hover" if self.underMouse() else "surface"
        painter.setBrush(theme.colour(ground))
        painter.drawRoundedRect(box, 6, 6)
        ink = "accentInk" if self.is_active else "text2"
        painter.setPen(theme.colour(ink if self._fits else "textDisabled"))
        painter.setFont(theme.font("caption", "semibold"))
        painter.drawText(box.adjusted(0, 0, 0, -1), Qt.AlignmentFlag.AlignCenter, self.letter)
        if self.is_now:
            middle, foot = box.center().x(), box.bottom() - 3
            painter.setPen(QPen(theme.colour(ink), 1.5))
            painter.drawLine(QPointF(middle - 4, foot), QPointF(middle + 4, foot))
