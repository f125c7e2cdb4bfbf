"""How full each page is when it is first seen: ``python -m tests.benchmarks.density``.

Prints for the start screen and each page with the city survey, in a window of 1366×768: the
controls that can be used and the words and numbers that are read, as a screen reader is told of
them. The rail, the menus and the status bar are left out, and so is what can only be seen by
scrolling.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from layout_check.fault import seen_in
from layout_check.named import controls_of
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from ppworkbench.gui.application import load_everything, make_application
from ppworkbench.gui.tour import View, open_window
from ppworkbench.gui.tour.studies import open_city, settle

SIZE = (1366, 768)
PAGES = (
    "data", "design", "collect", "explore", "survey", "mine", "classify", "publish", "learn",
)  # fmt: skip
_READ = {
    QAccessible.Role.StaticText, QAccessible.Role.Heading, QAccessible.Role.Button,
    QAccessible.Role.CheckBox, QAccessible.Role.RadioButton,
}  # fmt: skip


@dataclass(frozen=True)
class Density:
    """What is seen at once."""

    controls: int
    words: int
    numbers: int


def density(page: QWidget) -> Density:
    """Count what can be used and read on a page, as far as it lies in the window."""
    controls = [one for one in controls_of(page) if one.isEnabled() and _is_in_sight(one)]
    said = [word for text in _texts(page) for word in text.split()]
    numbers = sum(any(letter.isdigit() for letter in word) for word in said)
    return Density(len(controls), len(said), numbers)


def _is_in_sight(widget: QWidget) -> bool:
    """Whether the middle of a widget is neither scrolled away nor beyond the window."""
    middle, step = widget.rect().center(), widget
    while (parent := step.parentWidget()) is not None:
        middle, step = step.mapToParent(middle), parent
        if not parent.rect().contains(middle):
            return False
        if parent.isWindow():
            return True
    return True


def _texts(page: QWidget) -> Iterator[str]:
    for widget in seen_in(page):
        if not _is_in_sight(widget):
            continue
        if isinstance(widget, QAbstractItemView):
            yield from _cells(widget)
            continue
        spoken = QAccessible.queryAccessibleInterface(widget)
        if spoken is not None and spoken.role() in _READ:
            yield spoken.text(QAccessible.Text.Name) or spoken.text(QAccessible.Text.Value)


def _cells(view: QAbstractItemView) -> Iterator[str]:
    """The texts of a table or list, as far as they have been scrolled into it."""
    model, inside = view.model(), view.viewport().rect()
    for row in range(model.rowCount() if model is not None else 0):
        for column in range(model.columnCount() if isinstance(view, QTableView) else 1):
            index = model.index(row, column)
            place = view.visualRect(index)
            if place.isValid() and inside.contains(place.center()):
                yield str(index.data() or "")


def main() -> None:
    """Print a row per page."""
    make_application()
    load_everything()
    print(f"{'page':10s} {'controls':>8s} {'words':>6s} {'numbers':>8s}")
    with open_window(View(*SIZE, "light")) as window:
        settle(window)
        for name in ("start", *PAGES):
            if name == "data":
                open_city(window)
            window.show_page(name)
            settle(window)
            found = density(window.pages[name])
            print(f"{name:10s} {found.controls:8d} {found.words:6d} {found.numbers:8d}")


if __name__ == "__main__":
    main()
