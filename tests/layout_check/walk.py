"""All that is looked at wherever the tour stops."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QDialog

from layout_check.clipped import clipped_texts
from layout_check.fault import Fault
from layout_check.named import nameless
from layout_check.placed import misplaced
from layout_check.tabbed import unreached
from ppworkbench.gui.main_window import MainWindow

FLOATING = frozenset({"Toast", "Badge"})
SIDEWAYS = frozenset({"RowsView"})


def faults_at(window: MainWindow) -> Iterator[Fault]:
    """What is wrong with the window and the dialogs in front of it."""
    roots = [window, *(d for d in window.findChildren(QDialog) if d.isVisible())]
    for root in roots:
        yield from clipped_texts(root)
        yield from misplaced(root, FLOATING, SIDEWAYS)
        yield from nameless(root)
    yield from unreached(roots[-1])
