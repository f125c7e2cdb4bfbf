"""Keyboard shortcuts, the order of the Tab key, and what pages do with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeGuard, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QGridLayout,
    QLayout,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QWidget,
)
from shiboken6 import isValid

from ppworkbench.gui.widgets.card import Card


def finish_typing() -> None:
    """Let the field that somebody types into tell what it holds, as if it were left."""
    field = QApplication.focusWidget()
    if isinstance(field, QLineEdit | QAbstractSpinBox | QPlainTextEdit):
        field.clearFocus()
        # The editor of a cell is gone by now, and a field may have sent the focus elsewhere.
        if isValid(field) and field.isVisible() and QApplication.focusWidget() is None:
            field.setFocus()


def after_typing(slot: Callable[[], object]) -> Callable[..., None]:
    """A slot of keys and menus, which take the focus from nothing: what was typed comes first.

    It drops what Qt hands over, such as whether an action is checked.
    """

    def run(*_: object) -> None:
        finish_typing()
        slot()

    return run


def add_key(owner: QWidget, keys: str, words: str, slot: Callable[[], object]) -> QShortcut:
    """Let keys do something while the owner is seen; the list of shortcuts tells the words."""
    shortcut = QShortcut(QKeySequence(keys), owner, after_typing(slot))
    shortcut.setWhatsThis(words)
    return shortcut


def menu_actions(bar: QMenuBar) -> Iterator[tuple[str, QAction]]:
    """Every action of a menu bar with the title of its menu, submenus included."""
    for entry in bar.actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            title = plain_text(menu.title())
            for action in _inside(menu):
                yield title, action


def _inside(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _inside(below)
        elif not action.isSeparator():
            yield action


def plain_text(words: str) -> str:
    """What a menu says, without the mark of the letter that opens it."""
    return words.replace("&&", "\0").replace("&", "").replace("\0", "&")


def shown_keys(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)


def order_tabs(root: QWidget) -> None:
    """Chain all that takes the focus within a widget, from left to right and from top to bottom.

    Nothing is asked for the next of the chain, which Python would forget along with what was asked.
    """
    before: QWidget | None = None
    for stop in _stops(root):
        if before is not None:
            QWidget.setTabOrder(before, stop)
        before = stop


def _stops(widget: QWidget) -> Iterator[QWidget]:
    if not widget.isVisible():
        return
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
        yield widget
    for child in _parts(widget):
        yield from _stops(child)


def _parts(widget: QWidget) -> Iterator[QWidget]:
    if isinstance(widget, QSplitter):
        yield from (widget.widget(place) for place in range(widget.count()))
    elif isinstance(widget, QScrollArea):
        if widget.widget() is not None:
            yield widget.widget()
    elif isinstance(widget, QStackedWidget):
        if widget.currentWidget() is not None:
            yield widget.currentWidget()
    elif (layout := widget.layout()) is not None:
        yield from _laid_out(layout, [one for one in widget.children() if _is_seen(one)])


def _is_seen(child: object) -> TypeGuard[QWidget]:
    return isinstance(child, QWidget) and child.isVisible()


def _laid_out(layout: QLayout, widgets: list[QWidget]) -> Iterator[QWidget]:
    """Those of the widgets that a layout and the layouts in it place, in reading order.

    The layout is asked where each of them stands, never for its items: Python is not told when Qt
    deletes an item, and takes whatever comes to lie at the same address for the item that was.
    """
    inner = [one for one in layout.children() if isinstance(one, QLayout)]
    parts: tuple[QWidget | QLayout, ...] = (*widgets, *inner)
    places = {one: place for one in parts if (place := layout.indexOf(one)) >= 0}
    if isinstance(layout, QGridLayout):
        grid: Any = layout  # its positions are tuples, which the stubs do not say
        found = sorted(places, key=lambda one: grid.getItemPosition(places[one])[:2])
    else:
        found = sorted(places, key=places.__getitem__)
    for one in found:
        if isinstance(one, QLayout):
            yield from _laid_out(one, widgets)
        else:
            yield one


def show_help_here(widget: QWidget | None, show: Callable[[str], None], otherwise: str) -> None:
    """Show the topic of a widget, or of the nearest thing around it that has one.

    What shows several things knows which of them is chosen: it is asked for help itself, by its
    method or by its "?".
    """
    while widget is not None:
        topic = getattr(widget, "topic", None) or widget.property("helpTopic")
        if isinstance(topic, str) and topic:
            show(topic)
            return
        ask = getattr(widget, "ask_for_help", None)
        if ask is not None:
            ask()
            return
        button = getattr(widget, "help", None)
        if isinstance(button, QAbstractButton):
            button.click()
            return
        widget = widget.parentWidget()
    show(otherwise)


Kind = TypeVar("Kind", bound=QWidget)
_LINE = 16
"""Pixels within which things count as side by side."""


def columns_of(page: QWidget) -> list[QWidget]:
    """The visible columns of a page in reading order; one that is split counts as several.

    A page that has no columns has cards.
    """
    found = [part for one in _outermost(page, QSplitter) for part in _column_parts(one)]
    return found or _outermost(page, Card)


def _column_parts(splitter: QSplitter) -> list[QWidget]:
    parts: list[QWidget] = []
    for place in range(splitter.count()):
        part = splitter.widget(place)
        if not part.isVisible():
            continue
        inner = [part] if isinstance(part, QSplitter) else _outermost(part, QSplitter)
        parts += [below for one in inner for below in _column_parts(one)] if inner else [part]
    return parts


def _outermost(root: QWidget, kind: type[Kind]) -> list[Kind]:
    """What is in sight of a kind of widget and is in no other of them."""
    widgets: Iterable[Kind] = root.findChildren(kind)
    found = [one for one in widgets if one.isVisible()]
    # A widget is an ancestor of its own, says Qt.
    return [one for one in found if not any(o is not one and o.isAncestorOf(one) for o in found)]


def step_column(page: QWidget, columns: Sequence[QWidget], step: int) -> None:
    """Focus the first control of the next column, or of the one before."""
    stops = [stop for stop in map(_first_stop, columns) if stop is not None]
    if not stops:
        return
    focused = page.window().focusWidget()
    here = next((n for n, c in enumerate(columns) if focused is c or c.isAncestorOf(focused)), -1)
    before = [stop for stop in map(_first_stop, columns[: max(here, 0)]) if stop is not None]
    place = len(before) if here >= 0 else (-1 if step > 0 else 0)
    stops[(place + step) % len(stops)].setFocus(Qt.FocusReason.ShortcutFocusReason)


def _first_stop(column: QWidget) -> QWidget | None:
    """What is highest in a column, and of that what is leftmost.

    Going along the chain of focus would touch widgets that Qt made for itself and may delete.
    """
    if _takes_tab(column):
        return column
    widgets: Iterable[QWidget] = column.findChildren(QWidget)
    stops = [child for child in widgets if _takes_tab(child)]
    return min(stops, key=lambda stop: _place_in(column, stop), default=None)


def _place_in(column: QWidget, widget: QWidget) -> tuple[int, int]:
    # A QPoint, for which the stubs say QPointF.
    corner: Any = widget.mapTo(column, widget.rect().topLeft())
    # What stands side by side is seldom aligned to the pixel.
    return corner.y() // _LINE, corner.x()


def _takes_tab(widget: QWidget) -> bool:
    tab = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return tab and widget.isEnabled() and widget.isVisible()
