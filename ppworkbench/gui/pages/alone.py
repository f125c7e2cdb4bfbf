"""Running one page alone, on the city survey, to look at it while it is being made."""

from __future__ import annotations

import sys
from collections.abc import Callable

from PySide6.QtWidgets import QMainWindow

from ppworkbench.gui.files import FileActions
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.workbench import Workbench


def run_page(make: Callable[[Workbench, FileActions], Page], sample: str = "city-survey") -> int:
    """Open a page on a sample and stay until it is closed."""
    from PySide6.QtCore import QSettings

    from ppworkbench.core.data.samples import load_sample
    from ppworkbench.gui.application import make_application
    from ppworkbench.gui.language.speech import SYSTEM, speech
    from ppworkbench.gui.theme import ThemeManager
    from ppworkbench.study.study import Study

    app = make_application(sys.argv[1:])
    settings = QSettings()
    speech.choose(str(settings.value("view/language", SYSTEM)))
    themes = ThemeManager()
    themes.apply()
    workbench = Workbench(settings, themes)
    window = QMainWindow()
    themes.dress(window)
    files = FileActions(workbench, window)
    workbench.store.open(Study.of_table(load_sample(sample), sample))
    page = make(workbench, files)
    window.setCentralWidget(page)
    window.setWindowTitle(page.title)
    window.resize(1290, 690)
    page.shown()
    window.show()
    try:
        return app.exec()
    finally:
        workbench.jobs.close()
        files.close()
