"""Finds controls that a screen reader cannot tell apart, because they have no name."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenuBar,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)

from layout_check.fault import Fault, fault, path_of, seen_in
from ppworkbench.gui.charts.chart import Plot

_CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit,
    QTextEdit, QTabBar,
)  # fmt: skip
_PARTS = (QAbstractSpinBox, QComboBox, QLineEdit, QAbstractItemView, QTabBar)
"""Their parts speak through the whole."""
_ROLELESS = frozenset({QAccessible.Role.NoRole})


def controls_of(root: QWidget) -> Iterator[QWidget]:
    """All that a person can act on in a widget and the widgets in it."""
    return filter(_is_control, seen_in(root))


def _is_control(widget: QWidget) -> bool:
    if isinstance(widget, QScrollBar | QHeaderView | QMenuBar):
        return False
    if isinstance(_owner(widget), _PARTS):
        return False
    takes_tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return isinstance(widget, _CONTROLS) or (takes_tab and not _only_scrolls(widget))


def _owner(widget: QWidget) -> QWidget | None:
    parent = widget.parentWidget()
    if isinstance(parent, QAbstractItemView) or parent is None:
        return parent
    above = parent.parentWidget()
    if isinstance(above, QAbstractItemView) and above.viewport() is parent:
        return above
    return parent


def _only_scrolls(widget: QWidget) -> bool:
    """A scroll area takes the focus, but has nothing of its own to be named; nor has its inside."""
    parent = widget.parentWidget()
    is_inside = isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget
    return is_inside or type(widget) is QScrollArea


def nameless(root: QWidget) -> Iterator[Fault]:
    """Controls without a name or role, and plots that nobody can read without eyes."""
    for widget in controls_of(root):
        speaks = QAccessible.queryAccessibleInterface(widget)
        if not speaks.text(QAccessible.Text.Name).strip():
            yield fault("nameless", widget, widget.toolTip())
        if speaks.role() in _ROLELESS:
            yield fault("without a role", widget, widget.accessibleName())
    for widget in seen_in(root):
        if isinstance(widget, Plot) and not _told(widget):
            yield fault("plot without a description", widget, widget.accessibleName())


def unnamed(root: QWidget, *, hidden: bool = False) -> list[str]:
    """Controls and plots that have no name for screen readers, or none for scripts.

    With ``hidden`` those count that are out of sight, but for banners, which get their words with
    what they say, and for what Qt opens in a window of its own.
    """
    held = root.findChildren(QWidget) if hidden else seen_in(root)
    looked_at = [
        one
        for one in held
        if (_is_control(one) or isinstance(one, Plot))
        and one.window() is root.window()
        and not (hidden and one.objectName().startswith("banner"))
    ]
    assert looked_at, "there is nothing to look at"
    return [path_of(one) for one in looked_at if not (one.objectName() and _words(one))]


def _words(control: QWidget) -> str:
    return control.accessibleName() or (
        control.text() if isinstance(control, QAbstractButton) else ""
    )


def _told(plot: Plot) -> str:
    """What a plot shows, in words; one that moved just now tells them when it has come to rest."""
    summary = getattr(plot, "summary", str)
    return (plot.accessibleDescription() or str(summary())).strip()
