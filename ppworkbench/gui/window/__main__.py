"""Running one page alone to look at it while it is being made.

::

    python -m ppworkbench.gui.window mine
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMainWindow

from ppworkbench.core.data.samples import load_sample
from ppworkbench.gui.application import make_application
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.language import SYSTEM, speech
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.window.shell import PAGES, make_page
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study

_SAMPLE = "city-survey"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Run one page of the window alone.")
    parser.add_argument("page", choices=[entry.name for entry in PAGES])
    asked, rest = parser.parse_known_args(arguments)
    app = make_application(rest)
    settings = QSettings()
    speech.choose(str(settings.value("view/language", SYSTEM)))
    themes = ThemeManager()
    themes.apply()
    workbench = Workbench(settings, themes)
    window = QMainWindow()
    themes.apply_theme(window)
    files = FileActions(workbench, window)
    workbench.store.open(Study.of_table(load_sample(_SAMPLE), _SAMPLE))
    page = make_page(asked.page, workbench, files)
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


if __name__ == "__main__":
    sys.exit(main())
