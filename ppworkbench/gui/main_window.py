"""The window: menus, rail, header, pages and status bar around one study."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.columns import restore_columns, save_columns
from ppworkbench.gui.error_details import ErrorDetails
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.header import Header
from ppworkbench.gui.job_list import JobList
from ppworkbench.gui.menus import Menus
from ppworkbench.gui.page_list import PAGES, START, make_page
from ppworkbench.gui.page_preparation import PagePreparation
from ppworkbench.gui.pages.page import Page, part_by_part
from ppworkbench.gui.rail import Rail
from ppworkbench.gui.status_bar import StatusBar
from ppworkbench.gui.toast import Toast
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.layouts import column, row
from ppworkbench.gui.workbench import Workbench


class MainWindow(QMainWindow):
    """Pages are made when they are first shown, so that the window opens fast."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.store = workbench.store
        self.files = FileActions(workbench, self)
        self.pages: dict[str, Page] = {}
        self._unfinished: set[str] = set()
        self._preparing: PagePreparation | None = None
        self.current = ""
        self._build()
        workbench.themes.dress(self)
        self.menus = Menus(self)
        self._listen()
        self.setAcceptDrops(True)
        self.setMinimumSize(1100, 700)
        self._restore_state()
        self.show_page(START.name)

    def _build(self) -> None:
        themes = self.workbench.themes
        shown = [(p.name, p.icon_name, self.tr(p.title)) for p in PAGES if not p.apart]
        apart = [(p.name, p.icon_name, self.tr(p.title)) for p in PAGES if p.apart]
        self.rail = Rail(themes, shown, apart)
        self.rail.page_chosen.connect(self.show_page)
        self.header = Header(themes, self.store.undo_stack)
        self.banner = Banner(themes)
        self.banner.setObjectName("banner")
        self.stack = QStackedWidget()
        banner_row = row(self.banner)
        banner_row.setContentsMargins(16, 0, 16, 6)
        right = column(self.header, banner_row, self.stack, spacing=0)
        right.setStretch(2, 1)
        middle = row(self.rail, right, spacing=0)
        self.status = StatusBar(self.workbench)
        self.status.jobs.list_requested.connect(self.show_jobs)
        body = QWidget()
        layout = column(middle, self.status, parent=body, spacing=0)
        layout.setStretch(0, 1)
        self.setCentralWidget(body)
        self.job_list = JobList(self.workbench, self)
        self.toast = Toast(self.stack)
        self.toast.undo_requested.connect(self.store.undo_stack.undo)

    def _listen(self) -> None:
        workbench = self.workbench
        workbench.page_requested.connect(self.show_page)
        workbench.error_raised.connect(self.show_error)
        workbench.toast_requested.connect(self._on_toast)
        workbench.help_requested.connect(self.menus.show_help)
        self.store.study_opened.connect(self._on_opened)
        self.store.data_changed.connect(self._update_rail)
        self.store.design_changed.connect(self._update_rail)
        self.store.file_changed.connect(self._update_title)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self._on_primary)
        QShortcut(QKeySequence("Esc"), self, self._on_escape)
        self._update_title()
        self._update_rail()

    def page(self, name: str) -> Page:
        """A page, made if this is its first use."""
        if name not in self.pages:
            self._take_in(name, make_page(name, self.workbench, self.files))
        page = self.pages[name]
        if name in self._unfinished:
            self._unfinished.discard(name)
            page.finish()
            restore_columns(page, self.workbench.settings)
        return page

    def prepare_pages(self) -> None:
        """Make the pages that nobody has seen yet, a part at a time while nothing else is done."""
        self._preparing = PagePreparation(self)
        self._preparing.start()

    @property
    def is_prepared(self) -> bool:
        """Whether no page is being made in the background."""
        return self._preparing is None or self._preparing.is_over

    def begin_page(self, name: str) -> Page:
        """A page whose parts are still to be made."""
        with part_by_part():
            made = make_page(name, self.workbench, self.files)
        made.is_behind = True
        self._take_in(name, made)
        return made

    def _take_in(self, name: str, page: Page) -> None:
        self.pages[name] = page
        if name in self.rail.buttons:
            page.stale_changed.connect(self.rail.buttons[name].set_stale)
        self._unfinished.add(name)
        self.stack.addWidget(page)

    def show_page(self, name: str) -> None:
        """Bring a page to the front."""
        page = self.page(name)
        self.current = name
        for other in self.pages.values():
            other.is_behind = other is not page
        self.stack.setCurrentWidget(page)
        self.rail.show_page(name)
        self.header.show_page(page)
        self.header.undo.setVisible(name != START.name)
        self.header.redo.setVisible(name != START.name)
        page.shown()

    def show_error(self, error: object) -> None:
        """Show what went wrong as one sentence; the details are a click away."""
        if isinstance(error, WorkbenchError):
            self.banner.say("error", error.message, self.tr("Nothing was changed."))
            return
        sentence = self.tr("Something went wrong in the program.")
        rest = self.tr("Your study is as it was before.")
        details = (self.tr("Details"), lambda: ErrorDetails(error, self).exec())
        self.banner.say("error", sentence, rest, details)

    def show_jobs(self) -> None:
        """Open the list of jobs."""
        self.job_list.open_above(self.status.jobs)

    def _on_opened(self) -> None:
        self.banner.hide()
        self.workbench.jobs.disown_all()
        study = self.store.study
        shown = next((page for page in PAGES if page.name == self.current), None)
        if study.is_empty:
            self.show_page(START.name)
        elif shown is None or shown.missing(study):
            self.show_page("data" if study.table is not None else "design")

    def _on_toast(self, message: str, undoable: bool) -> None:
        theme = self.workbench.theme
        self.toast.say(message, undoable, theme.hex("text"), theme.hex("surface"))

    def _on_primary(self) -> None:
        primary = self.pages[self.current].primary
        if primary.isEnabled():
            primary.trigger()

    def _on_escape(self) -> None:
        if self.workbench.jobs.running:
            self.workbench.jobs.running[-1].cancel()
        elif self.banner.isVisible():
            self.banner.hide()

    def _update_title(self) -> None:
        if self.store.study.is_empty:
            self.setWindowTitle("ppworkbench")
            return
        mark = "*" if self.store.is_modified else ""
        self.setWindowTitle(f"{self.store.study.title}{mark} – ppworkbench")

    def _update_rail(self) -> None:
        study = self.store.study
        for page in PAGES:
            self.rail.set_usable(page.name, page.missing(study), self.tr(page.hint))

    def _restore_state(self) -> None:
        saved = self.workbench.settings.value("window/geometry")
        if isinstance(saved, QByteArray) and self.restoreGeometry(saved):
            return
        self.resize(1366, 768)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Keep the toast in its place."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self.toast.place)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Take files that are dragged onto the window."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Open the files that were dropped."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            self.files.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Offer to save, end all jobs, remember the window."""
        if not self.files.may_leave():
            event.ignore()
            return
        self.workbench.settings.setValue("window/geometry", self.saveGeometry())
        for page in self.pages.values():
            save_columns(page, self.workbench.settings)
        self.workbench.jobs.close()
        self.files.close()
        event.accept()
