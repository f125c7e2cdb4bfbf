"""What a hand can do to a window: steps with the mouse and with keys, at random or as told."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QWheelEvent, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QGraphicsView,
    QHeaderView,
    QLineEdit,
    QMenuBar,
    QPlainTextEdit,
    QScrollBar,
    QSplitterHandle,
    QTabBar,
    QTextEdit,
    QWidget,
)

from ppworkbench.gui.pages.page import Page

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
MODIFIERS = (NONE, NONE, NONE, NONE, CTRL, SHIFT)
K = Qt.Key
KEYS = (
    K.Key_Tab, K.Key_Tab, K.Key_Backtab, K.Key_Up, K.Key_Down, K.Key_Left, K.Key_Right, K.Key_Home,
    K.Key_End, K.Key_PageUp, K.Key_PageDown, K.Key_Return, K.Key_Space, K.Key_Escape, K.Key_Delete,
    K.Key_Backspace, K.Key_F2, K.Key_F6, K.Key_Plus, K.Key_Minus, K.Key_A, K.Key_C, K.Key_V,
    K.Key_0, K.Key_9, K.Key_Menu,
)  # fmt: skip
TEXTS = (
    "", "0", "1", "-1", "0.5", "0,5", "50 %", "1/3", "100", "2.5", "1e308", "1e309", "nan", "-inf",
    "9" * 40, "abc", "age", "yes", "żółć", "עברית", "😀", "<b>x</b>", "%s {0} %1", "a > 3 and",
    "1 000,25", "2 to 90", "~nobody here/new.csv", "no; yes; maybe", "x" * 5_000,
    "1\t2\n3\t4", "0.9 0.1\n0.1 0.9",
)  # fmt: skip

Step = tuple[str, Callable[[], object]]
"""What is going to be done, in words and as a function that does it."""


def visible_widgets(root: QWidget) -> Iterator[QWidget]:
    """All that can be seen of a window, in an order that is always the same."""
    for child in root.children():
        if isinstance(child, QWidget) and not child.isWindow() and child.isVisible():
            yield child
            yield from visible_widgets(child)


class Gestures(QObject):
    """Makes steps; those that take several put the rest into the queue."""

    def __init__(self, window: QWidget, source: random.Random) -> None:
        super().__init__()
        self.window, self.random = window, source
        self.queue: deque[Step] = deque()

    def _weighted(self, ways: dict[Callable[[], Step], float]) -> Step:
        [way] = self.random.choices(list(ways), list(ways.values()))
        return way()

    # Steps with the mouse

    def _send(self, widget: QWidget, event: QEvent) -> None:
        handle = widget.window().windowHandle()
        if handle is not None:
            QCoreApplication.sendEvent(handle, event)

    @staticmethod
    def _handle(widget: QWidget) -> QWindow:
        handle = widget.window().windowHandle()
        if handle is None:
            raise RuntimeError("the window is not there any more")
        return handle

    def _spot(self, widget: QWidget) -> QPoint:
        """A place in the window where the widget can be seen, now and then its edge."""
        box = widget.visibleRegion().boundingRect()
        if box.isEmpty():
            box = widget.rect()
        across = self.random.choice((0.5, self.random.random()))
        down = self.random.choice((0.5, self.random.random()))
        spot = box.topLeft() + QPoint(
            int(across * max(box.width() - 1, 0)), int(down * max(box.height() - 1, 0))
        )
        return widget.mapTo(widget.window(), spot)

    def _say(self, verb: str, widget: QWidget, *more: object) -> str:
        return " ".join(map(str, (verb, self._key_of(widget), *more)))

    def _key_of(self, widget: QWidget) -> str:
        """A name for a control that stays the same for the whole walk, in one language."""
        holder: QObject | None = widget
        while (
            isinstance(holder, QWidget) and not isinstance(holder, Page) and not holder.isWindow()
        ):
            holder = holder.parent()
        where = holder.name if isinstance(holder, Page) else type(holder).__name__
        words = widget.objectName() or widget.accessibleName()
        if not words and isinstance(widget, QAbstractButton):
            words = widget.text()
        return f"{where}/{type(widget).__name__}/{words[:40]}"

    def _click(self, widget: QWidget, button: Qt.MouseButton = LEFT) -> Step:
        spot, modifiers = self._spot(widget), self.random.choice(MODIFIERS)
        verb = "click" if button is LEFT else "right-click"

        def act() -> None:
            QTest.mouseMove(self._handle(widget), spot)
            # Events were handled meanwhile, and the window may be another one.
            QTest.mouseClick(self._handle(widget), button, modifiers, spot)

        return self._say(verb, widget, spot.toTuple(), modifiers.name), act

    def _double_click(self, widget: QWidget) -> Step:
        spot = self._spot(widget)

        def act() -> None:
            handle = self._handle(widget)
            QTest.mouseClick(handle, LEFT, NONE, spot)
            QTest.mouseDClick(handle, LEFT, NONE, spot)

        return self._say("double-click", widget, spot.toTuple()), act

    def _drag(self, widget: QWidget, button: Qt.MouseButton = LEFT) -> Step:
        start = self._spot(widget)
        reach = self.random.choice((5, 40, 400))
        way = [
            start + QPoint(self.random.randint(-reach, reach), self.random.randint(-reach, reach))
            for _ in range(self.random.randint(1, 6))
        ]

        def act() -> None:
            handle = self._handle(widget)
            QTest.mousePress(handle, button, NONE, start)
            for spot in way:
                QTest.mouseMove(handle, spot)
            QTest.mouseRelease(handle, button, NONE, way[-1])

        return self._say("drag", widget, start.toTuple(), way[-1].toTuple()), act

    def _wheel(self, widget: QWidget) -> Step:
        spot = self._spot(widget)
        turn = self.random.choice((-1200, -120, -120, 120, 120, 1200))
        modifiers = self.random.choice(MODIFIERS)

        def act() -> None:
            place = QPointF(spot)
            everywhere = QPointF(widget.window().mapToGlobal(spot))
            event = QWheelEvent(
                place, everywhere, QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton, modifiers,
                Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            self._send(widget, event)

        return self._say("wheel", widget, turn, modifiers.name), act

    def _hover(self, widget: QWidget) -> Step:
        way = [self._spot(widget) for _ in range(4)]

        def act() -> None:
            for spot in way:
                QTest.mouseMove(self._handle(widget), spot)

        return self._say("hover over", widget), act

    def _poke(self, scope: QWidget) -> Step:
        """Something at a random place, whatever is there."""
        spot = QPoint(
            self.random.randrange(max(scope.width(), 1)),
            self.random.randrange(max(scope.height(), 1)),
        )
        widget = scope.childAt(spot) or scope
        ways = (self._click, self._click, self._double_click, self._wheel, self._drag, self._hover)
        if widget is scope:
            return self._hover(scope)
        if self.random.random() < 0.15:
            return self._click(widget, RIGHT)
        return self.random.choice(ways)(widget)

    @staticmethod
    def _is_control(widget: QWidget) -> bool:
        if not widget.isEnabled() or widget.visibleRegion().isEmpty():
            return False
        kinds = (
            QAbstractButton, QLineEdit, QAbstractSpinBox, QComboBox, QAbstractSlider, QTextEdit,
            QAbstractItemView, QHeaderView, QTabBar, QGraphicsView, QPlainTextEdit, QSplitterHandle,
        )  # fmt: skip
        if isinstance(widget, QMenuBar | QScrollBar):
            return False
        return isinstance(widget, kinds) or bool(
            widget.focusPolicy() & Qt.FocusPolicy.ClickFocus
            or widget.contextMenuPolicy() is Qt.ContextMenuPolicy.CustomContextMenu
        )

    def _use(self, widget: QWidget) -> Step:
        if isinstance(widget, QLineEdit | QAbstractSpinBox | QTextEdit | QPlainTextEdit):
            return self._fill_in(widget)
        if isinstance(widget, QAbstractSlider):
            ways = (self._drag, self._drag, self._wheel, self._click, self._focus_and_press)
            return self.random.choice(ways)(widget)
        if isinstance(widget, QSplitterHandle):
            return self.random.choice((self._drag, self._double_click))(widget)
        if isinstance(widget, QAbstractItemView | QGraphicsView):
            return self._weighted(
                {
                    lambda: self._click(widget): 5,
                    lambda: self._double_click(widget): 2,
                    lambda: self._click(widget, RIGHT): 2,
                    lambda: self._drag(widget): 2,
                    lambda: self._drag(widget, RIGHT): 0.3,
                    lambda: self._wheel(widget): 2,
                    lambda: self._hover(widget): 1,
                    lambda: self._focus_and_press(widget): 3,
                    lambda: self._fill_in(widget): 1,
                }
            )
        return self._weighted(
            {
                lambda: self._click(widget): 12,
                lambda: self._double_click(widget): 1,
                lambda: self._click(widget, RIGHT): 0.5,
                lambda: self._drag(widget): 0.5,
                lambda: self._wheel(widget): 0.5,
                lambda: self._focus_and_press(widget): 2,
            }
        )

    # Steps with keys

    def _key(self, scope: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> Step:
        label = f"press {modifiers.name} {key.name} in {type(scope).__name__}"
        return label, lambda: self._press(scope, key, modifiers)

    def _press(self, scope: QWidget, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
        handle = self._handle(scope)
        if scope is self.window or modifiers == NONE:
            QTest.keyClick(handle, key, modifiers)
            return
        # QTest lets go of the modifiers in a window that the key may have closed and deleted.
        target = scope.focusWidget() or scope
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QCoreApplication.postEvent(target, QKeyEvent(kind, key, modifiers))
        QCoreApplication.processEvents()

    def _press_all(self, scope: QWidget, keys: QKeySequence) -> None:
        for place in range(keys.count()):
            self._press(scope, keys[place].key(), keys[place].keyboardModifiers())

    def _random_key(self, scope: QWidget) -> Step:
        return self._key(scope, self.random.choice(KEYS), self.random.choice(MODIFIERS))

    def _keys(self, keys: str) -> Step:
        """A combination in whatever window is in front then."""

        def act() -> None:
            scope = QApplication.activeModalWidget() or self.window
            self._press_all(scope, QKeySequence(keys))

        return f"press {keys}", act

    def _type(self, scope: QWidget, words: str | None = None) -> Step:
        """Type at the place of the focus; what is long is pasted, as a person would do."""
        typed = self.random.choice(TEXTS) if words is None else words

        def act() -> None:
            if len(typed) > 30 or "\n" in typed:
                QGuiApplication.clipboard().setText(typed)
                self._press_all(scope, QKeySequence(QKeySequence.StandardKey.Paste))
                return
            for letter in typed:
                for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                    key = ord(letter.upper()) if letter.isascii() else 0
                    self._send(scope, QKeyEvent(kind, key, NONE, letter))
                QCoreApplication.processEvents()

        return f"type {typed[:40]!r}", act

    def _focus_and_press(self, widget: QWidget) -> Step:
        window = widget.window()
        for _ in range(self.random.randint(1, 4)):
            self.queue.append(self._random_key(window))
        return self._click(widget)

    def _fill_in(self, widget: QWidget) -> Step:
        window = widget.window()
        self.queue.append(self._keys("Ctrl+A"))
        self.queue.append(self._type(window))
        ends = (K.Key_Return, K.Key_Return, K.Key_Tab, K.Key_Escape, None)
        end = self.random.choice(ends)
        if end is not None:
            self.queue.append(self._key(window, end))
        return self._click(widget)
