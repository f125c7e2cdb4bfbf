"""Walks through a window with the Tab key."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from layout_check.fault import Fault, fault, seen_in
from layout_check.named import controls_of

_LINKS = 80
"""More than any text of the window has; who stays longer keeps the focus for good."""


def tab_walk(root: QWidget) -> list[QWidget]:
    """The widgets that Tab reaches one after another, beginning with the first of the window."""
    window = root.window()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    if window.focusWidget() is not None:
        window.focusWidget().clearFocus()
    # A widget that is asked for the next of the chain takes that one along when it is deleted: for
    # Python all of the window would be gone.
    QTest.keyClick(window, Qt.Key.Key_Tab)
    reached: list[QWidget] = []
    stayed = 0
    while stayed < _LINKS:
        here = QApplication.focusWidget()
        # A text leads from one of its links to the next before it lets the focus go.
        stayed = stayed + 1 if reached and here is reached[-1] else 0
        if here is None or (here in reached and not stayed):
            break
        if not stayed:
            reached.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
    return reached


def _takes_tab(widget: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tab and widget.isEnabled() and widget.isVisible() and not widget.isWindow()


def unreached(root: QWidget, reached: list[QWidget]) -> Iterator[Fault]:
    """Controls that Tab did not come to, and one that did not let it go on."""
    stays = reached and QApplication.focusWidget() is reached[-1]
    if stays and any(_takes_tab(other) and other not in reached for other in seen_in(root)):
        yield fault("keeps the focus", reached[-1], reached[-1].accessibleName())
    for widget in controls_of(root):
        if not widget.isEnabled() or widget in reached:
            continue
        if isinstance(widget, QAbstractButton) and _one_is_reached(widget, reached):
            continue
        yield fault("not reached by Tab", widget, widget.accessibleName())


def _one_is_reached(button: QAbstractButton, reached: list[QWidget]) -> bool:
    """Arrows lead to the other buttons of a group, of which one is checked."""
    is_one_of_many = button.isCheckable() and (button.group() or button.autoExclusive())
    return bool(is_one_of_many) and any(
        type(other) is type(button) and other.window() is button.window() for other in reached
    )
