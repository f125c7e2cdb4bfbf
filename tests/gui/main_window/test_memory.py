"""What a window leaves behind when it is closed."""

from __future__ import annotations

import gc
from collections import Counter

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSettings
from PySide6.QtWidgets import QApplication

from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.page_list import PAGES
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.workbench import Workbench


def objects() -> Counter[str]:
    """Objects of Qt that are there, by their class."""
    gc.collect()
    found = shiboken6.getAllValidWrappers()
    return Counter(type(one).__name__ for one in found if isinstance(one, QObject))


def open_and_close(app: QApplication, settings: QSettings, study: object) -> None:
    """See every page of a study once."""
    workbench = Workbench(settings, ThemeManager("light"))
    window = MainWindow(workbench)
    window.show()
    workbench.store.open(study)
    for page in PAGES:
        window.show_page(page.name)
    workbench.store.forget_changes()
    window.close()
    themes = workbench.themes
    for gone in (window, workbench, themes):
        shiboken6.delete(gone)
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_that_nothing_of_a_closed_window_stays_in_memory(qapp, settings, state_folder, city_study):
    # What is made once for all windows is made by the first.
    open_and_close(qapp, settings, city_study)
    before = objects()
    open_and_close(qapp, settings, city_study)
    assert objects() - before == Counter()
