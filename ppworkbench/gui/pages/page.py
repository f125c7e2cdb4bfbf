"""What the window knows about a page."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.workbench import Workbench


class Page(QWidget):
    """One step of the work.

    ``primary`` is the next step of the work, shown as the filled button at the top right;
    ``secondary`` are at most two more. A page that cannot be used says why in ``missing``.
    """

    name = ""
    title = ""
    question = ""
    icon_name = ""

    usable_changed = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.themes = workbench.themes
        self.primary = QAction(self)
        self.secondary: list[QAction] = []
        self.setObjectName(f"{self.name}Page")

    @property
    def missing(self) -> str:
        """Why the page cannot be used yet; empty when it can."""
        return ""

    def shown(self) -> None:
        """Called when the page comes to the front."""
