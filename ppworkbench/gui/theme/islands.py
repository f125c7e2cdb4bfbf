"""Parts of a window that have a style sheet each.

One style sheet for a whole window would be looked up for all of its two thousand widgets at a
stroke whenever it changes, and for a whole page whenever one is put into the window. So whatever
merely holds other widgets has none, and each of those that it holds has one of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QScrollArea, QSplitter, QStackedWidget, QWidget


def islands(root: QWidget) -> Iterator[QWidget]:
    """The parts below a widget, or the widget itself if it is one."""
    if _holds(root):
        for child in _children(root):
            yield from islands(child)
    else:
        yield root


def dress_island(island: QWidget, sheet: str) -> None:
    """Give a part a style sheet, with the rules that it has of its own."""
    island._theme_sheet = sheet  # type: ignore[attr-defined] # noqa: SLF001
    wanted = sheet + getattr(island, "_own_rules", "")
    if island.styleSheet() != wanted:
        island.setStyleSheet(wanted)


def is_bare(widget: QWidget) -> bool:
    """Whether nobody has given a part its style sheet yet."""
    return not _holds(widget) and not hasattr(widget, "_theme_sheet")


def set_rules(widget: QWidget, rules: str) -> None:
    """Give a widget rules of its own, beside the style sheet if it has one of the theme."""
    widget._own_rules = rules  # type: ignore[attr-defined] # noqa: SLF001
    wanted = getattr(widget, "_theme_sheet", "") + rules
    if widget.styleSheet() != wanted:
        widget.setStyleSheet(wanted)


def _holds(widget: QWidget) -> bool:
    """Whether a widget draws nothing itself and only holds others.

    A class says so by ``only_holds``, and a plain stack does; a plain widget (one that draws
    nothing says so by ``is_plain``) or a scroll area does if there is such a thing in it. What is
    put into one of them later has to be dressed.
    """
    if getattr(widget, "only_holds", False) or type(widget) is QStackedWidget:
        return True
    if _is_plain(widget):
        return any(_divides(child) for child in _children(widget))
    return isinstance(widget, QScrollArea) and _holds_in_area(widget.widget())


def _holds_in_area(inside: QWidget | None) -> bool:
    if inside is None:
        return False
    return getattr(inside, "only_holds", False) or (_is_plain(inside) and _holds(inside))


def _is_plain(widget: QWidget) -> bool:
    return type(widget) is QWidget or getattr(widget, "is_plain", False)


def _divides(widget: QWidget) -> bool:
    return type(widget) is QStackedWidget or (
        isinstance(widget, QSplitter) and getattr(widget, "only_holds", False)
    )


def _children(widget: QWidget) -> list[QWidget]:
    children = widget.children()
    if isinstance(widget, QSplitter):
        # What is between the parts belongs to the splitter.
        children = [widget.widget(place) for place in range(widget.count())]
    found = [child for child in children if isinstance(child, QWidget)]
    if isinstance(widget, QScrollArea):
        # Between an area and what it shows there is a window onto it.
        return [widget.widget(), *(child for child in found if child is not widget.viewport())]
    return found
