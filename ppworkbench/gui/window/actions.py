"""What can be done everywhere in the window: one table that menus, keys and the palette read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu
from shiboken6 import isValid

from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.keys import after_typing, show_help_here
from ppworkbench.gui.language import SYSTEM, tr, translate
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.table import SCRIPT_MENU
from ppworkbench.gui.window.hints import Hints
from ppworkbench.gui.window.layered_window import LayeredWindow
from ppworkbench.gui.window.projector import Projector
from ppworkbench.gui.window.shell import PAGES
from ppworkbench.outputs.scripts import SCRIPT_NAMES
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.language import LANGUAGES
from ppworkbench.study.state import why_no_next_wave, why_not_rehearsed, why_not_released
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.gui.window.palette import PaletteDialog
    from ppworkbench.outputs.scripts.analysis import Analysis


def _is_possible(study: Study) -> str:  # noqa: ARG001 (possible whatever the study is)
    return ""


@dataclass(frozen=True)
class Action:
    """Something that can be done, wherever people find it.

    Parameters
    ----------
    id
        The same in every language; an action of Qt has it as its name.
    keys
        Shortcuts, a space between two.
    why_not
        Why it cannot be done with a study, empty if it can. What has this is not done in a
        demonstration either, which works on a copy.
    is_on
        Whether it has a tick to begin with; None for what is no switch.
    """

    id: str
    text: str
    run: Callable[[], object]
    keys: str = ""
    why_not: Callable[[Study], str] | None = None
    is_on: Callable[[], bool] | None = None


@dataclass(frozen=True)
class Menu:
    """Actions that belong together; None is a line between two. Of ``choices`` one is on.

    Context menus find a menu by its ``id``.
    """

    title: str
    entries: tuple[Action | Menu | None, ...]
    are_choices: bool = False
    id: str = ""


def _needs_study(study: Study) -> str:
    return tr("Open data or start a questionnaire first.") if study.is_empty else ""


def _needs_design(study: Study) -> str:
    undesigned = tr("No design yet. Open data or start a questionnaire.")
    return "" if study.design.attributes else undesigned


def _needs_answers(study: Study) -> str:
    if study.state is AnswerState.REPORTED:
        return tr("Reported answers are never randomised again.")
    if study.original is None:
        return tr("No answers yet. Open a table or a sample.")
    why = why_not_released(study)
    return "" if why is None else translate(why)


def _cannot_add(study: Study) -> str:
    why = study.all_rows.why_not_added
    return _needs_design(study) if why is None else translate(why)


def _cannot_rehearse(study: Study) -> str:
    why = why_not_rehearsed(study)
    return "" if why is None else translate(study.titled(why))


def _no_next_wave(study: Study) -> str:
    why = why_no_next_wave(study)
    return "" if why is None else translate(why)


class Menus(QObject):
    language_chosen = Signal(str)

    def __init__(self, window: LayeredWindow, projector: Projector, hints: Hints) -> None:
        super().__init__(window)
        self._window, self._projector, self._page_hints = window, projector, hints
        self.actions: dict[str, QAction] = {}
        self._why_not: dict[str, Callable[[Study], str]] = {}
        self._palette: PaletteDialog | None = None
        for menu in self._table():
            # Menus have the style sheet of the bar, and go with the menus of their language.
            made = QMenu(menu.title, window.menuBar())
            made.setToolTipsVisible(True)
            window.menuBar().addMenu(made)
            self._fill(made, menu)
        self._add_history()
        projector.switched.connect(self.actions["projector"].setChecked)
        hints.switched.connect(self.actions["hints"].setChecked)
        window.workbench.action_requested.connect(self.run_action)
        window.store.file_changed.connect(self.follow)
        window.store.study_opened.connect(self.follow)
        self.follow()

    def _table(self) -> tuple[Menu, ...]:
        window, files = self._window, self._window.files
        return (
            Menu(tr("&File"), (
                Action("open", tr("&Open…"), files.open_dialog, "Ctrl+O", _is_possible),
                Action("openParts", tr("Open &folder of parts…"), window.open_parts,
                       why_not=_is_possible),
                Action("addResponses", tr("Add &responses…"), files.responses.add_dialog,
                       why_not=_cannot_add),
                Action("typeAnswers", tr("&Type in paper answers…"), files.responses.type_answers,
                       why_not=_cannot_add),
                Action("nextWave", tr("Plan the next &wave"), files.plan_next_wave,
                       why_not=_no_next_wave),
                Action("start", tr("&Start screen"), files.close_study, "Ctrl+N", _needs_study),
                None,
                Action("save", tr("&Save"), files.save, "Ctrl+S", _needs_study),
                Action("saveAs", tr("Save &as…"), files.save_as, "Ctrl+Shift+S", _needs_study),
                Action("saveDesign", tr("Save &design…"), files.save_design_dialog,
                       why_not=_needs_design),
                Action("export", tr("&Export distorted data…"), self._export, "Ctrl+E",
                       _needs_answers),
                None,
                Action("importQuestions", tr("&Import questions…"), files.questions.ask_for_import,
                       why_not=_is_possible),
                Action("exportQuestions", tr("Export &questions…"), files.questions.ask_for_export,
                       why_not=_needs_design),
                None,
                Action("quit", tr("&Quit"), window.close, "Ctrl+Q"),
            )),
            Menu(tr("&Edit"), (
                Action("rehearse", tr("Re&hearse…"), self._rehearse, why_not=_cannot_rehearse),
                Action("answerState", tr("&Kind of answers…"), self._answer_state,
                       why_not=_needs_study),
                None,
                Menu(tr("Copy as &script"), (
                    *(Action(f"script-{language}", tr("Copy as script: %s") % name,
                             partial(self._copy_script, language))
                      for language, name in SCRIPT_NAMES.items()),
                    None,
                    *(Action(f"scriptFolder-{language}", tr("Save %s script with data…") % name,
                             partial(self._save_script, language))
                      for language, name in SCRIPT_NAMES.items()),
                ), id=SCRIPT_MENU),
            )),
            Menu(tr("&View"), (
                *(Action(f"page-{page.name}", tr(page.title), partial(self._go, page.name),
                         f"Ctrl+{number}") for number, page in enumerate(PAGES, 1)),
                None,
                Menu(tr("&Theme"), (
                    self._theme_action("system", tr("As the &system")),
                    self._theme_action("light", tr("&Light")),
                    self._theme_action("dark", tr("&Dark")),
                ), are_choices=True),
                # A language is called by its own name: who needs it could not read another.
                Menu(tr("L&anguage"), tuple(
                    self._language_action(choice, text)
                    for choice, text in {SYSTEM: tr("As the &system"), **LANGUAGES}.items()
                ), are_choices=True),
                None,
                Action("palette", tr("&Command palette…"), self._open_palette, "Ctrl+Shift+P"),
                Action("table", tr("Sho&w as table"), self._show_numbers, "Ctrl+T"),
                None,
                Action("zoomIn", tr("&Larger text"), partial(self._zoom, 0.1), "Ctrl++ Ctrl+="),
                Action("zoomOut", tr("&Smaller text"), partial(self._zoom, -0.1), "Ctrl+-"),
                Action("zoomReset", tr("&Normal text"), partial(self._zoom, None), "Ctrl+0"),
                None,
                Action("jobs", tr("&Jobs"), window.show_jobs, "Ctrl+J"),
                Action("collectors", tr("R&unning collectors…"), window.show_collectors),
                Action("fullScreen", tr("&Full screen"), self._full_screen, "F11"),
                Action("projector", tr("&Projector view"), self._projector.toggle, "Shift+F11",
                       is_on=lambda: False),
            )),
            Menu(tr("&Help"), (
                Action("help", tr("&Help for this page"), self._page_help, "F1"),
                Action("helpHere", tr("Help for &focused control"), self._help_here, "Shift+F1"),
                Action("shortcuts", tr("&Keyboard shortcuts"), self._shortcuts, "Ctrl+?"),
                Action("guide", tr("Save &user guide…"), self._guide),
                Action("hints", tr("Show h&ints"), self._hints,
                       is_on=lambda: self._page_hints.is_on),
                Action("about", tr("&About ppworkbench"), self._about),
            )),
        )  # fmt: skip

    def run_action(self, name: str) -> None:
        """Do what a button of a page has in common with a menu."""
        action = self.actions.get(name)
        if action is not None and action.isEnabled():
            action.trigger()

    def _rehearse(self) -> None:
        from ppworkbench.gui.rehearsal import open_rehearsal

        open_rehearsal(self._window.workbench, self._window)

    def _answer_state(self) -> None:
        from ppworkbench.gui.collecting import answer_words
        from ppworkbench.gui.rehearsal import open_state

        workbench = self._window.workbench
        open_state(workbench, self._window, answer_words(workbench))

    def _copy_script(self, language: str) -> None:
        from ppworkbench.gui.scripts import copy_script

        found = self._analysis()
        if found is not None:
            copy_script(self._window.front.workbench, found, language)

    def _save_script(self, language: str) -> None:
        from ppworkbench.gui.scripts import save_script

        found = self._analysis()
        if found is not None:
            save_script(self._window.front.workbench, self._window, found, language)

    def _analysis(self) -> tuple[Analysis, Study] | None:
        """The result on the page in front; a message says why there is none."""
        page = self._window.front.stack.currentWidget()
        found = page.analysis() if isinstance(page, Page) else None
        if found is None:
            self._window.front.workbench.show_toast(self._why_no_script())
        return found

    def _why_no_script(self) -> str:
        """Why the page in front has no script; empty where it has one."""
        page = self._window.front.stack.currentWidget()
        if not isinstance(page, Page):
            return tr("This page has no result of the study as it is now.")
        return "" if page.analysis() is not None else page.why_no_script

    def _follow_scripts(self) -> None:
        """Enable scripts where the page in front has one, else say why not."""
        reason = self._why_no_script()
        for language in SCRIPT_NAMES:
            for name in (f"script-{language}", f"scriptFolder-{language}"):
                self.actions[name].setEnabled(not reason)
                self.actions[name].setToolTip(reason)

    def _theme_action(self, choice: str, text: str) -> Action:
        def is_on() -> bool:
            return self._window.workbench.themes.choice == choice

        return Action(f"theme-{choice}", text, partial(self._theme, choice), is_on=is_on)

    def _language_action(self, choice: str, text: str) -> Action:
        def is_on() -> bool:
            return self._language == choice

        return Action(f"language-{choice}", text, partial(self._speak, choice), is_on=is_on)

    def _fill(self, menu: QMenu, table: Menu) -> None:
        group = QActionGroup(self) if table.are_choices else None
        for entry in table.entries:
            if entry is None:
                menu.addSeparator()
            elif isinstance(entry, Menu):
                inner = menu.addMenu(entry.title)
                inner.setObjectName(entry.id)
                inner.setToolTipsVisible(True)
                if entry.id == SCRIPT_MENU:
                    # A result comes and goes too often to be followed; it is asked for when needed.
                    inner.aboutToShow.connect(self._follow_scripts)
                self._fill(inner, entry)
            else:
                action = self._make(entry)
                menu.addAction(action)
                if group is not None:
                    group.addAction(action)

    def _make(self, entry: Action) -> QAction:
        action = QAction(entry.text, self)
        action.setObjectName(entry.id)
        action.setShortcuts([QKeySequence(key) for key in entry.keys.split()])
        if entry.is_on is not None:
            action.setCheckable(True)
            action.setChecked(entry.is_on())
        if entry.why_not is not None:
            self._why_not[entry.id] = entry.why_not
        action.triggered.connect(after_typing(entry.run))
        self.actions[entry.id] = action
        return action

    def _add_history(self) -> None:
        """Undo and redo are made by the history itself, which says what they would do."""
        history = self._window.history
        undo = history.createUndoAction(self, tr("&Undo"))
        undo.setShortcut(QKeySequence("Ctrl+Z"))
        redo = history.createRedoAction(self, tr("&Redo"))
        redo.setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        undo.setObjectName("undo")
        redo.setObjectName("redo")
        edit = self._window.menuBar().actions()[1].menu()
        assert isinstance(edit, QMenu)  # noqa: S101 (the second menu of the table)
        first = edit.actions()[0]
        edit.insertActions(first, [undo, redo])
        edit.insertSeparator(first)
        self._undo, self._redo = undo, redo
        # Qt would put both words side by side, which is no sentence in other languages.
        history.undoTextChanged.connect(self._on_undo_named)
        history.redoTextChanged.connect(self._on_redo_named)

    def _on_undo_named(self, step: str) -> None:
        self._undo.setText(tr("&Undo: %s") % step if step else tr("&Undo"))

    def _on_redo_named(self, step: str) -> None:
        self._redo.setText(tr("&Redo: %s") % step if step else tr("&Redo"))

    @property
    def _language(self) -> str:
        return str(self._window.workbench.settings.value("view/language", SYSTEM))

    def _speak(self, choice: str) -> None:
        """Change the language, unless somebody waits for jobs of the pages that go for it."""
        if not all(job.begins_again for job in self._window.workbench.jobs.running):
            before = self.actions.get(f"language-{self._language}")
            if before is not None:
                before.setChecked(True)
            words = tr("Jobs are running. Wait or cancel them, then change the language.")
            self._window.front.workbench.show_toast(words)
        else:
            self.language_chosen.emit(choice)

    def show_help(self, topic: str) -> None:
        from ppworkbench.gui.help_window import show_help

        show_help(topic, self._window.workbench, self._window)

    def _shortcuts(self) -> None:
        from ppworkbench.gui.window.shortcuts_dialog import ShortcutsDialog

        show_dialog(ShortcutsDialog(self._window), self._window.workbench.themes)

    def _help_here(self) -> None:
        show_help_here(QApplication.focusWidget(), self.show_help, self._window.front.current)

    def _page_help(self) -> None:
        self.show_help(self._window.front.current)

    def _export(self) -> None:
        from ppworkbench.gui.export_dialog import ExportDialog

        workbench = self._window.workbench
        show_dialog(ExportDialog(workbench, self._window), workbench.themes)

    def _open_palette(self) -> None:
        self._follow_scripts()
        self.palette.open_anew()

    @property
    def palette(self) -> PaletteDialog:
        from ppworkbench.gui.window.palette import PaletteDialog

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
            said = tr("This page has no chart with numbers.")
            front.workbench.show_toast(said)
            return
        show_dialog(NumbersDialog(themes, pictures, meant, self._window), themes)

    def _go(self, name: str) -> None:
        self._window.front.rail.page_chosen.emit(name)

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
        from ppworkbench.gui.window.about_dialog import AboutDialog

        workbench = self._window.workbench
        show_dialog(AboutDialog(workbench, self._window), workbench.themes)

    def _hints(self) -> None:
        self._page_hints.set_on(not self._page_hints.is_on)

    def _guide(self) -> None:
        from ppworkbench.gui.help_window import save_guide

        save_guide(self._window.workbench, self._window)

    def follow(self) -> None:
        """Enable what can be done now, else say why not; a demonstration is never saved."""
        study = self._window.store.study
        playing = tr("End the demonstration first; it works on a copy.")
        for name, why_not in self._why_not.items():
            reason = why_not(study) if self._window.stage is None else playing
            self.actions[name].setEnabled(not reason)
            self.actions[name].setToolTip(reason)
