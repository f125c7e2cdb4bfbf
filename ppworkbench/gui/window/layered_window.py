"""What the parts of the window know of it: the shell in front, files, and dialogs of the window."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoGroup
from PySide6.QtWidgets import QMainWindow

from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.window.collectors import CollectorsDialog
from ppworkbench.gui.window.shell import Shell
from ppworkbench.gui.workbench import Workbench

if TYPE_CHECKING:
    from pathlib import Path

    from ppworkbench.gui.window.demonstration_player import DemonstrationPlayer


class LayeredWindow(QMainWindow):
    """One shell holds the user's study; a demonstration lays its own over it and takes it away."""

    shell: Shell
    """The shell of the user's study."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.files = FileActions(workbench, self)
        self.stage: DemonstrationPlayer | None = None
        """The demonstration that runs."""
        self.history = QUndoGroup(self)
        self.history.addStack(self.store.undo_stack)
        self.history.setActiveStack(self.store.undo_stack)

    @property
    def front(self) -> Shell:
        """What is seen: the shell of the user's study, or that of the demonstration."""
        return self.shell if self.stage is None else self.stage.shell

    @property
    def current(self) -> str:
        """The page of the user's study that is in front, or was before the demonstration."""
        return self.shell.current

    def show_jobs(self) -> None:
        self.front.show_jobs()

    def open_parts(self, address: str = "", design: Path | None = None) -> None:
        """Ask for a folder of parts, the size of its sample and the engine, and open it."""
        from ppworkbench.gui.window.parts_dialog import PartsDialog

        made: Iterable[PartsDialog] = self.findChildren(PartsDialog)
        if not address and any(one.isVisible() for one in made):
            return
        dialog = PartsDialog(self.workbench, address, design, self)
        dialog.opened.connect(self.files.open_sample_of_parts)
        show_dialog(dialog, self.workbench.themes)

    def show_collectors(self) -> None:
        show_dialog(CollectorsDialog(self.workbench, self), self.workbench.themes)
