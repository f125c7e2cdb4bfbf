"""Pages that do nothing, for tests of the window around them."""

from __future__ import annotations

from PySide6.QtWidgets import QSplitter, QWidget

from ppworkbench.gui.files import FileActions
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.layout import column
from ppworkbench.gui.window.shell import make_page
from ppworkbench.gui.workbench import Workbench


class StubPage(Page):
    """Counts what the window asks of it."""

    def __init__(self, workbench: Workbench, name: str) -> None:
        self.name = name
        super().__init__(workbench)
        self.title = name.title()
        self.question = f"What about {name}?"
        self.times_shown = 0
        self.times_done = 0
        self.primary.setText(f"Do {name}")
        self.primary.setObjectName(f"do-{name}")
        self.primary.triggered.connect(self._on_done)
        self.columns = QSplitter()
        self.columns.addWidget(QWidget())
        self.columns.addWidget(QWidget())
        column(self.columns, parent=self)

    def shown(self) -> None:
        """Called when the page comes to the front."""
        self.times_shown += 1

    def _on_done(self) -> None:
        self.times_done += 1


def make_stub_page(name: str, workbench: Workbench, files: FileActions) -> Page:
    """The start page, and stubs for all others."""
    if name == "start":
        return make_page(name, workbench, files)
    return StubPage(workbench, name)
