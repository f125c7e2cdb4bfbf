"""What a demonstration is shown on before anything of it is seen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings, QTemporaryDir

from ppworkbench.gui.shell import MakePage, Shell
from ppworkbench.gui.workbench import Workbench


class Backstage:
    """A workbench and a shell of their own.

    The settings lie in a folder that goes with it.
    """

    def __init__(self, users: Workbench, make_page: MakePage) -> None:
        self._folder = QTemporaryDir()
        settings = QSettings(
            str(Path(self._folder.path()) / "demonstration.ini"), QSettings.Format.IniFormat
        )
        self.workbench = Workbench(settings, users.themes, users.folder)
        self.shell = Shell(self.workbench, make_page, leads=False)
