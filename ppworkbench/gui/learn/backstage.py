"""What a demonstration is shown on before anything of it is seen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings, QTemporaryDir

from ppworkbench.gui.shell import MakePage, Shell
from ppworkbench.gui.workbench import Workbench


class Backstage:
    """A workbench and a shell of their own; made, dressed and filled at once they would be felt.

    The settings lie in a folder that goes with it.
    """

    def __init__(self, users: Workbench, make_page: MakePage) -> None:
        self._folder = QTemporaryDir()
        settings = QSettings(
            str(Path(self._folder.path()) / "demonstration.ini"), QSettings.Format.IniFormat
        )
        self.workbench = Workbench(settings, users.themes, users.folder)
        self.shell = Shell(self.workbench, make_page, leads=False, dressed=False)
        self._is_dressed = False

    def dress(self) -> None:
        """Give the shell the look of the theme."""
        if not self._is_dressed:
            self._is_dressed = True
            for _ in self.shell.dress_parts():
                pass
