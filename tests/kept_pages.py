"""A workbench whose pages serve one test of a module after the other.

To build a page takes longer than most of what a test does to it. What the next test gets is a page
that has opened another study, as in the program, in its first size and with nothing under way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import shiboken6
from patience import PATIENCE
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtWidgets import QApplication, QWidget
from window_hands import add_widget

from ppworkbench.gui.files import FileActions
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.language import ENGLISH

PageType = TypeVar("PageType", bound=QWidget)


class KeptWorkbench(Workbench):
    """A workbench that stops what is under way after every test, and keeps its pages."""

    def __init__(self, folder: Path) -> None:
        settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        super().__init__(settings, ThemeManager("light"), folder)
        self.themes.apply()
        self._spare: dict[type, QWidget] = {}
        self._used: dict[type, QWidget] = {}
        self._files: FileActions | None = None

    def start_test(self) -> None:
        """Make the settings those of a workbench that is new."""
        self.settings.clear()
        self.settings.setValue("view/language", ENGLISH)

    def take(self, kind: type[PageType], make: Callable[[], PageType]) -> PageType | None:
        """The page of a kind, made if there is none yet; None if this test already has it."""
        if kind in self._used:
            return None
        page = self._spare.pop(kind, None)
        if page is None:
            page = make()
        self._used[kind] = page
        page.setUpdatesEnabled(False)
        return page

    @property
    def files(self) -> FileActions:
        """File actions for pages without a window, the same for all tests."""
        if self._files is None:
            self._files = FileActions(self)
        return self._files

    def end_test(self) -> bool:
        """Paint the pages, close what they opened, and stop jobs; False if one goes on."""
        pages = {kind: page for kind, page in self._used.items() if shiboken6.isValid(page)}
        self._used.clear()
        for page in pages.values():
            page.setUpdatesEnabled(True)
        QApplication.processEvents()
        is_over = self._stop_jobs()
        for page in pages.values():
            _close_windows(page)
            page.hide()
        self.themes.project(False)
        self.themes.choose("light")
        self.themes.zoom(1.0)
        self.store.lock_design("")
        self.store.forget_changes()
        self._spare.update(pages)
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return is_over and self._stop_jobs()

    def end(self) -> bool:
        """Close everything for good; False if a job goes on."""
        for page in self._spare.values():
            # A window ends what it has started.
            page.close()
            shiboken6.delete(page)
        self._spare.clear()
        if self._files is not None:
            self._files.close()
            shiboken6.delete(self._files)
        return self.jobs.close(PATIENCE)

    def _stop_jobs(self) -> bool:
        end = time.monotonic() + PATIENCE
        self.jobs.disown_all()
        while not self.jobs.is_idle and time.monotonic() < end:
            time.sleep(0.002)
            QApplication.processEvents()
        return self.jobs.is_idle


class KeptWorkbenches:
    """Holds the workbench of a module, until a test wants one that nobody else has."""

    def __init__(self, make_folder: Callable[[], Path]) -> None:
        self._make_folder = make_folder
        self._current: KeptWorkbench | None = None

    def get(self) -> KeptWorkbench:
        """The workbench, made if there is none."""
        if self._current is None:
            self._current = KeptWorkbench(self._make_folder())
        return self._current

    def end(self) -> bool:
        """Close and delete the workbench; False if one of its jobs goes on."""
        if self._current is None:
            return True
        is_over = self._current.end()
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()
        shiboken6.delete(self._current)
        self._current = None
        return is_over


def _close_windows(page: QWidget) -> None:
    """Close menus, pickers and dialogs, which would go with a page that is deleted."""
    while (popup := QApplication.activePopupWidget()) is not None and popup.close():
        pass
    for part in page.findChildren(QWidget):
        if part.isWindow() and part.isVisible():
            part.close()


def take_page(
    qtbot, workbench: Workbench, kind: type[PageType], *more: object, dressed: bool = False
) -> PageType:
    """A page that is not shown yet: one that another test had, where the workbench keeps them."""

    def make() -> PageType:
        page = kind(workbench, *more)
        if dressed:
            workbench.themes.apply_theme(page)
        return page

    if isinstance(workbench, KeptWorkbench) and (page := workbench.take(kind, make)) is not None:
        return page
    page = make()
    add_widget(qtbot, page)
    return page
