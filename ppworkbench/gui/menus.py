"""The menu bar: every action of the window with its shortcut."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu
from shiboken6 import isValid

from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.language import SYSTEM, tr
from ppworkbench.gui.shell import PAGES
from ppworkbench.study.language import LANGUAGES

if TYPE_CHECKING:
    from ppworkbench.gui.main_window import MainWindow
    from ppworkbench.gui.palette import PaletteDialog


class Menus(QObject):
    """Builds the menus and keeps their actions up to date."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.actions: dict[str, QAction] = {}
        self._palette: PaletteDialog | None = None
        self._file()
        self._edit()
        self._view()
        self._help()
        window.store.file_changed.connect(self.follow)
        window.store.study_opened.connect(self.follow)
        self.follow()

    def _menu(self, title: str) -> QMenu:
        # Menus have the style sheet of the bar, and go with the menus of their language.
        menu = QMenu(title, self._window.menuBar())
        menu.setToolTipsVisible(True)
        self._window.menuBar().addMenu(menu)
        return menu

    def _add(
        self, menu: QMenu, name: str, text: str, keys: str, slot: Callable[[], object]
    ) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        if keys:
            action.setShortcuts([QKeySequence(key) for key in keys.split(" ")])
        # Qt would hand the slot the action's checked state as its first argument.
        action.triggered.connect(lambda *_: slot())
        menu.addAction(action)
        self.actions[name] = action
        return action

    def _file(self) -> None:
        files = self._window.files
        menu = self._menu(tr("&File"))
        self._add(menu, "open", tr("&Open…"), "Ctrl+O", files.open_dialog)
        self._add(menu, "start", tr("&Start screen"), "Ctrl+N", files.close_study)
        menu.addSeparator()
        self._add(menu, "save", tr("&Save"), "Ctrl+S", files.save)
        self._add(menu, "saveAs", tr("Save &as…"), "Ctrl+Shift+S", files.save_as)
        self._add(menu, "saveDesign", tr("Save the &design…"), "", files.save_design_dialog)
        self._add(menu, "export", tr("&Export distorted data…"), "Ctrl+E", self._export)
        menu.addSeparator()
        self._add(menu, "quit", tr("&Quit"), "Ctrl+Q", self._window.close)

    def _edit(self) -> None:
        menu = self._menu(tr("&Edit"))
        history = self._window.history
        undo = history.createUndoAction(self, tr("&Undo"))
        undo.setShortcut(QKeySequence("Ctrl+Z"))
        redo = history.createRedoAction(self, tr("&Redo"))
        redo.setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        undo.setObjectName("undo")
        redo.setObjectName("redo")
        menu.addActions([undo, redo])
        self._undo, self._redo = undo, redo
        # Qt would put both words side by side, which is no sentence in other languages.
        history.undoTextChanged.connect(self._on_undo_named)
        history.redoTextChanged.connect(self._on_redo_named)

    def _on_undo_named(self, step: str) -> None:
        self._undo.setText(tr("&Undo: %s") % step if step else tr("&Undo"))

    def _on_redo_named(self, step: str) -> None:
        self._redo.setText(tr("&Redo: %s") % step if step else tr("&Redo"))

    def _view(self) -> None:
        window = self._window
        menu = self._menu(tr("&View"))
        for number, page in enumerate(PAGES, 1):
            self._add(
                menu, f"page-{page.name}", tr(page.title), f"Ctrl+{number}",
                partial(self._go, page.name),
            )  # fmt: skip
        menu.addSeparator()
        themes = menu.addMenu(tr("&Theme"))
        group = QActionGroup(self)
        for choice, text in (
            ("system", tr("As the &system")),
            ("light", tr("&Light")),
            ("dark", tr("&Dark")),
        ):
            slot = partial(self._theme, choice)
            action = self._add(themes, f"theme-{choice}", text, "", slot)
            action.setCheckable(True)
            action.setChecked(window.workbench.themes.choice == choice)
            group.addAction(action)
        self._languages(menu)
        menu.addSeparator()
        self._add(menu, "palette", tr("&Command palette…"), "Ctrl+Shift+P", self._open_palette)
        self._add(menu, "table", tr("Sho&w as table"), "Ctrl+T", self._show_numbers)
        menu.addSeparator()
        self._add(menu, "zoomIn", tr("&Larger text"), "Ctrl++ Ctrl+=", lambda: self._zoom(0.1))
        self._add(menu, "zoomOut", tr("&Smaller text"), "Ctrl+-", lambda: self._zoom(-0.1))
        self._add(menu, "zoomReset", tr("&Normal text"), "Ctrl+0", lambda: self._zoom(None))
        menu.addSeparator()
        self._add(menu, "jobs", tr("&Jobs"), "Ctrl+J", window.show_jobs)
        self._add(menu, "fullScreen", tr("&Full screen"), "F11", self._full_screen)
        projector = self._add(
            menu, "projector", tr("&Projector view"), "Shift+F11", window.projector.toggle
        )
        projector.setCheckable(True)
        window.projector.switched.connect(projector.setChecked)

    def _languages(self, menu: QMenu) -> None:
        languages = menu.addMenu(tr("L&anguage"))
        group = QActionGroup(self)
        # A language is called by its own name: who needs it could not read another.
        for choice, text in {SYSTEM: tr("As the &system"), **LANGUAGES}.items():
            slot = partial(self._speak, choice)
            action = self._add(languages, f"language-{choice}", text, "", slot)
            action.setCheckable(True)
            group.addAction(action)
        self._check_language()

    def _check_language(self) -> None:
        chosen = str(self._window.workbench.settings.value("view/language", SYSTEM))
        action = self.actions.get(f"language-{chosen}")
        if action is not None:
            action.setChecked(True)

    def _speak(self, choice: str) -> None:
        """Change the language, unless pages that jobs work for would have to go for it."""
        if self._window.workbench.jobs.running:
            self._check_language()
            words = tr("Jobs are running. Wait for them or cancel them, then change the language.")
            self._window.front.workbench.toast_requested.emit(words, False)
        else:
            self._window.speak(choice)

    def _help(self) -> None:
        menu = self._menu(tr("&Help"))
        self._add(menu, "help", tr("&Help for this page"), "F1", self._page_help)
        self._add(menu, "helpHere", tr("Help for what has the &focus"), "Shift+F1", self._help_here)
        self._add(menu, "shortcuts", tr("&Keyboard shortcuts"), "Ctrl+?", self._shortcuts)
        self._add(menu, "guide", tr("Save the &user guide…"), "", self._guide)
        hints = self._add(menu, "hints", tr("Show h&ints"), "", self._hints)
        hints.setCheckable(True)
        hints.setChecked(self._window.hints.is_on)
        self._window.hints.switched.connect(hints.setChecked)
        self._add(menu, "about", tr("&About ppworkbench"), "", self._about)

    def show_help(self, topic: str) -> None:
        """Open a help topic."""
        from ppworkbench.gui.help_window import show_help

        show_help(topic, self._window.workbench, self._window)

    def _shortcuts(self) -> None:
        from ppworkbench.gui.about_dialogs import ShortcutsDialog

        show_dialog(ShortcutsDialog(self._window), self._window.workbench.themes)

    def _help_here(self) -> None:
        from ppworkbench.gui.keys import show_help_here

        show_help_here(QApplication.focusWidget(), self.show_help, self._window.front.current)

    def _page_help(self) -> None:
        self.show_help(self._window.front.current)

    def _export(self) -> None:
        from ppworkbench.gui.export_dialog import ExportDialog

        workbench = self._window.workbench
        show_dialog(ExportDialog(workbench, self._window), workbench.themes)

    def _open_palette(self) -> None:
        self.palette.open_anew()

    @property
    def palette(self) -> PaletteDialog:
        """Made at its first use, and kept."""
        from ppworkbench.gui.palette import PaletteDialog

        if self._palette is None or not isValid(self._palette):
            self._palette = PaletteDialog(self._window)
            self.destroyed.connect(self._palette.deleteLater)
        return self._palette

    def _show_numbers(self) -> None:
        from ppworkbench.gui.charts.chart_export import NumbersDialog, picture_meant, pictures_of

        front, themes = self._window.front, self._window.workbench.themes
        pictures = pictures_of(front.stack.currentWidget())
        meant = picture_meant(pictures, self._window.focusWidget())
        if meant is None:
            said = tr("There is no picture on this page that has numbers to show.")
            front.workbench.toast_requested.emit(said, False)
            return
        show_dialog(NumbersDialog(themes, pictures, meant, self._window), themes)

    def _go(self, name: str) -> None:
        front = self._window.front
        missing = next(page for page in PAGES if page.name == name).missing
        if not missing(front.store.study):
            front.rail.page_chosen.emit(name)

    def _theme(self, choice: str) -> None:
        self._window.workbench.themes.choose(choice)
        self._window.workbench.settings.setValue("view/theme", choice)

    def _zoom(self, step: float | None) -> None:
        themes = self._window.workbench.themes
        themes.zoom(1.0 if step is None else themes.scale + step)
        self._window.workbench.settings.setValue("view/scale", themes.scale)

    def _full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    def _about(self) -> None:
        from ppworkbench.gui.about_dialogs import AboutDialog

        workbench = self._window.workbench
        show_dialog(AboutDialog(workbench, self._window), workbench.themes)

    def _hints(self) -> None:
        self._window.hints.set_on(not self._window.hints.is_on)

    def _guide(self) -> None:
        from ppworkbench.gui.files import save_guide

        save_guide(self._window.workbench, self._window)

    def follow(self) -> None:
        """Enable what can be done now, else say why not; a demonstration is never saved."""
        study = self._window.store.study
        nothing = tr("Open data or start a questionnaire first.") if study.is_empty else ""
        for name in ("save", "saveAs", "start"):
            self._allow(name, nothing)
        self._allow("open", "")
        undesigned = tr("There is no design yet. Open data or start a questionnaire first.")
        self._allow("saveDesign", "" if study.design.attributes else undesigned)
        unanswered = tr("There are no answers yet. Open a table or a sample.")
        self._allow("export", unanswered if study.original is None else "")

    def _allow(self, name: str, reason: str) -> None:
        if self._window.stage is not None:
            reason = tr("End the demonstration first; it works on a copy.")
        self.actions[name].setEnabled(not reason)
        self.actions[name].setToolTip(reason)
