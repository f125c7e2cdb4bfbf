"""How large a dialog opens."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog

from ppworkbench.gui.widgets.enlarged import enlargement


def open_at(dialog: QDialog, width: int, height: int) -> None:
    """Open at a size in pixels of normal text, larger by as much as text is larger.

    Enlarged text makes no dialog larger than the window it belongs to.
    """
    usual = QSize(width, height)
    scale = enlargement(dialog)
    wanted = QSize(round(width * scale), round(height * scale))
    parent = dialog.parentWidget()
    if parent is not None:
        wanted = wanted.boundedTo(parent.window().size() - QSize(32, 48))
    dialog.resize(wanted.expandedTo(usual))
