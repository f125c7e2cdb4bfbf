"""Shows the hints of a page one after the other, the first time that the page is seen."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from ppworkbench.gui.hints.bubble import HintBubble, within
from ppworkbench.gui.hints.texts import HINTS, Hint
from ppworkbench.gui.language.text import tr
from ppworkbench.gui.widgets.frame import Frame

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow
    from ppworkbench.gui.shell import Shell

_ON, _SEEN = "hints/on", "hints/seen"
_DELAY = 500
"""Milliseconds after which a page has settled, and a page that was only passed through is gone."""


class Hints(QObject):
    """The hints of one window.

    They belong to the user's own pages; a demonstration has a shell that they do not watch. Nothing
    is shown before :meth:`start`, so that tests and pictures of the window have none.
    """

    switched = Signal(bool)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._settings = window.workbench.settings
        self._started = False
        self._shell: Shell | None = None
        self._page, self._place, self._told = "", 0, 0
        self.bubble: HintBubble | None = None
        self._ring: Frame | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY)
        self._timer.timeout.connect(self._begin)

    @property
    def is_on(self) -> bool:
        """Whether hints are wanted."""
        return bool(self._settings.value(_ON, True, bool))

    @property
    def seen(self) -> set[str]:
        """The pages whose hints were shown."""
        return set(str(self._settings.value(_SEEN, "")).split())

    @property
    def is_shown(self) -> bool:
        """Whether a hint is on the screen."""
        return self.bubble is not None and isValid(self.bubble) and self.bubble.isVisible()

    # What the window says

    def watch(self, shell: Shell) -> None:
        """Show hints over the pages of a shell, the only one that has any."""
        self.hide()
        self._shell, self.bubble, self._ring = shell, None, None
        shell.page_shown.connect(self._on_page)
        shell.installEventFilter(self)

    def start(self) -> None:
        """Show hints from now on."""
        self._started = True
        if self._shell is not None:
            self._on_page(self._shell.current)

    def set_on(self, on: bool) -> None:
        """Turn the hints on, all of them anew, or off."""
        self._settings.setValue(_ON, on)
        self.hide()
        if on:
            self._settings.setValue(_SEEN, "")
            self.start()
        self.switched.emit(on)

    def dismiss(self) -> bool:
        """Close the hints of the page; False if there were none."""
        if not self.is_shown:
            return False
        self._remember()
        self.hide()
        return True

    def hide(self) -> None:
        """Take the hint off the screen."""
        self._timer.stop()
        for part in (self.bubble, self._ring):
            if part is not None and isValid(part):
                part.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Keep the hint beside its widget when either of them changes its size or place."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.is_shown:
            QTimer.singleShot(0, self, self._put)
        return super().eventFilter(watched, event)

    # One hint after the other

    def _on_page(self, name: str) -> None:
        if self.is_shown:
            self._remember()
        self.hide()
        if self._started and self.is_on and name in HINTS and name not in self.seen:
            self._page = name
            self._timer.start()

    def _begin(self) -> None:
        if self._window.stage is not None or self._shell is None:
            return
        self._place, self._told = -1, 0
        self._next()

    def _next(self) -> None:
        """Show the next hint whose widget is there; after the last one the page is done with."""
        hints = HINTS[self._page]
        self._place += 1
        while self._place < len(hints) and self._target(hints[self._place]) is None:
            self._place += 1
        if self._place >= len(hints):
            self._remember()
            self.hide()
            return
        self._show(hints[self._place])

    def _show(self, hint: Hint) -> None:
        hints = HINTS[self._page]
        if self.bubble is None or not isValid(self.bubble):
            self._make()
        assert self.bubble is not None  # noqa: S101 (made by now)
        left = [one for one in hints[self._place + 1 :] if self._target(one) is not None]
        self._told += 1
        count = tr("%s of %s") % (self._told, self._told + len(left))
        self.bubble.say(tr(hint.title), tr(hint.text), count, is_last=not left)
        target = self._target(hint)
        if target is not None:
            # Installed again on the same widget it is still called once.
            target.installEventFilter(self)
        self._put()
        self._meet_keyboard()
        event = QAccessibleEvent(self.bubble, QAccessible.Event.Alert)
        QAccessible.updateAccessibility(event)

    def _make(self) -> None:
        themes, shell = self._window.workbench.themes, self._shell
        assert shell is not None  # noqa: S101 (there is a page)
        self._ring = Frame(themes, shell)
        self.bubble = HintBubble(themes, shell)
        self.bubble.next_wanted.connect(self._next)
        self.bubble.close_wanted.connect(self.dismiss)
        self.bubble.off_wanted.connect(self._on_off)

    def _put(self) -> None:
        if self._shell is None or self.bubble is None or self._ring is None:
            return
        target = self._target(HINTS[self._page][self._place])
        if target is None:
            self.hide()
            return
        seen = within(target, self._shell).intersected(self._shell.rect())
        self._ring.setGeometry(seen.adjusted(-4, -4, 4, 4))
        self.bubble.place(seen, self._shell.rect().adjusted(4, 4, -4, -4))
        for part in (self._ring, self.bubble):
            part.show()
            part.raise_()

    def _target(self, hint: Hint) -> QWidget | None:
        """The widget of a hint, if the page shows it now."""
        assert self._shell is not None  # noqa: S101 (there is a page)
        for place in (self._shell.stack.currentWidget(), self._shell.header):
            for found in place.findChildren(QWidget, hint.target):
                if found.isVisible() and not found.visibleRegion().isEmpty():
                    return found
        return None

    def _meet_keyboard(self) -> None:
        """Be the next stop of Tab, or have the focus where nothing else has it."""
        assert self.bubble is not None  # noqa: S101 (made by now)
        stops = (self.bubble.next_button, self.bubble.off_button, self.bubble.close_button)
        focus = QApplication.focusWidget()
        if focus is None:
            stops[0].setFocus()
        elif focus.window() is self._window and focus not in stops:
            for before, after in pairwise((focus, *stops)):
                QWidget.setTabOrder(before, after)

    def _remember(self) -> None:
        self._settings.setValue(_SEEN, " ".join(sorted(self.seen | {self._page})))

    def _on_off(self) -> None:
        self.set_on(False)
        said = tr("Hints are off. “Show hints” in the Help menu brings them back.")
        self._window.workbench.toast_requested.emit(said, False)
