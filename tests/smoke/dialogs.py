"""Every dialog of the program, opened as a person does: cancelled, opened again, accepted.

Some that write, ask or lead on are opened twice, cancelled and then accepted, and what they
promised must have happened; with --all every one, four times in both orders, and then all of them
one after the other and backwards. Prints a line for each; the last one says that all is over.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from asked_studies import asked_study, qualtrics_export, reported_rows, reported_study
from dialog_steps import (
    LEFT,
    NONE,
    bring_to_front,
    click,
    dialogs,
    press,
    say,
    type_into,
    wait_for,
)
from odd_files import make_files
from pyqtgraph import PlotWidget
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QFileDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QWidget,
)

from ppworkbench.core.data.files import write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design.design_file import write_design
from ppworkbench.fieldwork.collector.control import start_collection, start_server, stop_server
from ppworkbench.gui import app
from ppworkbench.gui.collecting import RESULTS, StartRequest
from ppworkbench.gui.keys import menu_actions
from ppworkbench.gui.pages.design.view_card.preview import DrawnBars
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.outputs.demonstrations.catalogue import shipped_files
from ppworkbench.study.study import PriorChoice, Study

QUICK = {
    "QFileDialog", "QMessageBox", "ExportDialog", "PaletteDialog", "ItemDialog",
    "ReleaseDialog",
}  # fmt: skip
"""Kinds that are opened without --all."""


@dataclass(frozen=True)
class Entry:
    """A dialog: how it is opened, what it is, how it is accepted, and what must be true then."""

    name: str
    kind: str
    open: Callable[[], object]
    accept: Callable[[QDialog], Callable[[], object]]
    prepare: Callable[[], object] = lambda: None


class Hands:
    """A person at the window who opens one dialog after the other."""

    def __init__(self, window: MainWindow, home: Path) -> None:
        self.window, self.home = window, home
        self.files = home / "files"
        self._number = 0
        make_files(self.files)
        (self.files / "matrix.csv").write_text("0.8,0.2\n0.2,0.8\n")
        qualtrics_export(self.files / "export.csv", reported_rows(5))
        reported = reported_study()
        assert reported.distorted is not None
        write_table(reported.distorted, self.files / "reports.csv", WriteOptions(codebook=False))
        write_design(reported.design, self.files / "design.json")

    def child(self, name: str, within: QWidget | None = None) -> QWidget:
        """A control that is seen."""
        found = (within or self.window).findChildren(QWidget, name)
        seen = [widget for widget in found if widget.isVisible()]
        assert seen, f"{name} is not seen"
        return seen[-1]

    def button(self, name: str) -> Callable[[], None]:
        """Wait until a button can be pressed, and press it."""

        def act() -> None:
            def usable() -> bool:
                found = self.window.findChildren(QAbstractButton, name)
                return any(one.isVisible() and one.isEnabled() for one in found)

            wait_for(usable, name)
            click(self.child(name))

        return act

    def menu(self, name: str) -> Callable[[], None]:
        """Choose an action with the mouse."""

        def act() -> None:
            bar = self.window.menuBar()
            for entry in bar.actions():
                menu = entry.menu()
                action = next((a for a in menu.actions() if a.objectName() == name), None)
                if action is not None:
                    wait_for(action.isEnabled, name)
                    click(bar, bar.actionGeometry(entry).center())
                    wait_for(menu.isVisible, f"the menu of {name}")
                    click(menu, menu.actionGeometry(action).center())
                    return
            raise LookupError(name)

        return act

    def go(self, page: str) -> Callable[[], None]:
        """Show a page of the survey, all of it there."""

        def act() -> None:
            if not self.window.store.study.rows:
                self.open_study()
            actions = {
                action.objectName(): action for _, action in menu_actions(self.window.menuBar())
            }
            press(actions[f"page-{page}"].shortcut().toString())
            wait_for(lambda: self.window.current == page, page)
            self.idle()

        return act

    def learn(self, part: str) -> Callable[[], None]:
        """Show a part of the Learn page, worked out."""

        def act() -> None:
            self.go("learn")()
            self.window.show_page(f"learn/{part}")
            self.idle()

        return act

    def idle(self) -> None:
        """Wait until no job is under way."""
        wait_for(lambda: self.window.workbench.jobs.is_idle, "the end of the jobs")

    def open_study(self) -> None:
        """Open the survey, whatever is open now."""
        self.window.store.forget_changes()
        if self.window.collecting.request is not None:
            # Leaving a study whose collector runs is asked about; this one goes without a word.
            self.window.store.open(Study("Another"))
            self.window.store.forget_changes()
        self.window.files.open_paths([str(self.files / "survey.csv")])
        self.idle()
        wait_for(lambda: self.window.store.study.rows == 300, "the survey")

    def new(self, suffix: str) -> Path:
        """A file that does not exist."""
        self._number += 1
        return self.home / f"new-{self._number}{suffix}"

    def type_file(self, dialog: QDialog, path: Path) -> None:
        """Name a file in a file dialog and press Enter."""
        edit = dialog.findChild(QLineEdit, "fileNameEdit")
        assert isinstance(edit, QLineEdit)
        click(edit)

        def is_typed() -> bool:
            # While Qt reads a folder it may write what its list selects in between the letters.
            edit.selectAll()
            type_into(dialog, str(path))
            return edit.text() == str(path)

        wait_for(is_typed, "the name that was typed")
        QTest.keyClick(dialog.windowHandle(), Qt.Key.Key_Return)

    def save(self, suffix: str) -> Callable[[QDialog], Callable[[], object]]:
        """Name a new file; it must be there then."""

        def accept(dialog: QDialog) -> Callable[[], object]:
            path = self.new(suffix)
            self.type_file(dialog, path)
            return path.exists

        return accept

    def read(
        self, path: Path, happens: Callable[[], object]
    ) -> Callable[[QDialog], Callable[[], object]]:
        """Name a file that exists; something must happen then."""

        def accept(dialog: QDialog) -> Callable[[], object]:
            self.type_file(dialog, path)
            return happens

        return accept

    def press_in(self, name: str, happens: Callable[[], object] = lambda: True):
        """Press a button of the dialog; something must happen then."""

        def accept(dialog: QDialog) -> Callable[[], object]:
            button = self.child(name, dialog)
            wait_for(button.isEnabled, name)
            click(button)
            return happens

        return accept

    def enter(self, dialog: QDialog) -> Callable[[], object]:
        """Press Enter or, where that does nothing, Esc."""
        QTest.keyClick(dialog.windowHandle(), Qt.Key.Key_Return)
        QTest.qWait(30)
        for left in dialogs():
            QTest.keyClick(left.windowHandle(), Qt.Key.Key_Escape)
        return lambda: True

    # One dialog after the other

    def try_all(self) -> None:
        """Open some dialogs twice, or every one in both orders, then all and backwards."""
        entries, is_quick = self.entries(), "--all" not in sys.argv
        if is_quick:
            # A window of Qt's for files is the same wherever it is asked for.
            first = {entry.kind: entry for entry in reversed(entries) if entry.kind in QUICK}
            entries = [entry for entry in entries if first.get(entry.kind) is entry]
        for entry in entries:
            for accepts in (False, True) if is_quick else (False, True, True, False):
                self.try_one(entry, accepts=accepts)
            say("twice", entry.name)
        if is_quick:
            return
        # One after another: what a dialog leaves behind may only be felt by the next one.
        for entry in (*entries, *reversed(entries)):
            self.try_one(entry, accepts=False)
        say("in both orders")

    def try_one(self, entry: Entry, *, accepts: bool) -> None:
        """Open a dialog and leave it."""
        try:
            entry.prepare()
            entry.open()
            wait_for(lambda: any(type(one).__name__ == entry.kind for one in dialogs()), entry.kind)
            dialog = next(one for one in dialogs() if type(one).__name__ == entry.kind)
            if accepts:
                happens = entry.accept(dialog)
            else:
                bring_to_front(dialog)
                QTest.keyClick(dialog.windowHandle(), Qt.Key.Key_Escape)
                happens = bool
            del dialog
            wait_for(lambda: not dialogs(), f"the end of {entry.kind}")
            if accepts:
                wait_for(happens, f"what {entry.name} promised")
            self.idle()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            gc.collect()
            QTest.qWait(1)
        except BaseException as error:
            error.add_note(f"at {entry.name}, {'accepted' if accepts else 'cancelled'}")
            raise

    def entries(self) -> list[Entry]:
        """All dialogs, with the pages they belong to."""
        files, store = self.files, self.window.store
        q, file = QMessageBox.__name__, QFileDialog.__name__
        return [
            Entry("open", file, self.menu("open"), self.read(
                files / "city.ppw", lambda: store.study.rows == 500)),
            Entry("save", file, self.menu("save"), self.save(".ppw"), self.open_study),
            Entry("save as", file, self.menu("saveAs"), self.save(".ppw"), self.open_study),
            Entry("save the design", file, self.menu("saveDesign"), self.save(".json")),
            Entry("export", "ExportDialog", self.menu("export"), self.export, self.open_study),
            Entry("user guide", file, self.menu("guide"), self.save(".html")),
            Entry("keys", "ShortcutsDialog", self.menu("shortcuts"), self.enter),
            Entry("about", "AboutDialog", self.menu("about"), self.enter),
            Entry("help", "HelpViewer", self.menu("help"), self.enter),
            Entry("palette", "PaletteDialog", self.menu("palette"), self.use_palette),
            Entry("numbers", "NumbersDialog", self.menu("table"), self.enter, self.go("explore")),
            Entry("unsaved changes", q, self.menu("start"), self.discard, self.change),
            Entry("quit", q, self.menu("quit"), self.save_but_cancel, self.change),
            Entry("demonstration", file, self.button("openDemonstrationButton"),
                  self.watch_demonstration, self.learn("demonstrations")),
            Entry("gallery table", file, self.button("exportGalleryButton"), self.save(".csv"),
                  self.learn("gallery")),
            Entry("source of a survey", q, self.button("source-nigeria"), self.close_source,
                  self.learn("gallery")),
            Entry("import settings", "ImportDialog", self.button("importSettingsButton"),
                  self.press_in("readAgain"), self.reread),
            Entry("one coin", "GroupDialog", self.group, self.enter, self.design("sex")),
            Entry("expected share", "QInputDialog", self.type_share, self.enter, self.draw),
            Entry("all measures", "MeasuresDialog", self.button("allMeasures"), self.enter,
                  self.design("sex")),
            Entry("load a matrix", file, self.button("importMatrix"),
                  self.take_matrix, self.unfold_matrix),
            Entry("items", "ItemDialog", self.button("chooseItemsButton"),
                  self.press_in("useItems"), self.go("mine")),
            Entry("mined sets", file, self.button("mineExportButton"), self.save(".csv"),
                  self.mine),
            Entry("estimates", file, self.button("exportResultButton"), self.save(".csv"),
                  self.estimate),
            Entry("bundle", "ReleaseDialog", self.button("exportBundleButton"), self.release,
                  self.go("publish")),
            Entry("picture", file, self.save_picture, self.save(".png"), self.go("explore")),
            Entry("kit", "KitDialog", self.button("writeKitButton"), self.write_kit, self.ask),
            Entry("rehearsal", "RehearsalDialog", self.menu("rehearse"), self.rehearse, self.ask),
            Entry("kind of answers", "StateDialog", self.button("answerState"), self.enter,
                  self.ask),
            Entry("add responses", "AddDialog", self.menu("addResponses"), self.enter, self.ask),
            Entry("paper answers", "PaperDialog", self.menu("typeAnswers"), self.enter, self.ask),
            Entry("languages", "LanguagesDialog", self.button("languages"), self.enter,
                  self.show_questions),
            Entry("address", "AddressScreen", self.button("fullScreenCode"), self.enter,
                  self.collect),
            Entry("closing time", "ClosingDialog", self.button("changeClosing"), self.set_closing,
                  self.collect),
            Entry("tokens", "QInputDialog", self.button("makeTokens"), self.enter, self.collect),
            Entry("close the collection", q, self.button("closeCollectingButton"),
                  self.keep_collecting, self.collect),
            Entry("leave a collector", q, self.menu("start"), self.save_and_leave,
                  self.collect_unchanged),
            Entry("running collectors", "CollectorsDialog", self.menu("collectors"), self.enter,
                  self.collect),
            Entry("unlock the design", q, self.button("bannerOther"), self.unlock,
                  self.show_held),
            Entry("export of a platform", q, self.open_files("export.csv"), self.open_plain,
                  self.close_study),
            Entry("design of answers", file, self.open_files("reports.csv", distorted=True),
                  self.read(files / "design.json", lambda: store.study.distorted is not None),
                  self.close_study),
            Entry("error details", "ErrorDetails", self.button("bannerAction"), self.enter,
                  self.fail),
        ]  # fmt: skip

    # What leads to a dialog

    def change(self) -> None:
        """Open the survey and change it."""
        self.open_study()
        seed = self.window.store.study.settings.seed
        self.window.store.set_settings(seed=seed + 1)

    def close_study(self) -> None:
        """Go to the start screen."""
        self.window.store.forget_changes()
        self.window.files.close_study()
        wait_for(lambda: self.window.current == "start", "the start screen")

    def reread(self) -> None:
        """Show how the survey was read, as it was opened from a table."""
        self.open_study()
        self.go("data")()

    def design(self, name: str) -> Callable[[], None]:
        """Show the design of an attribute."""

        def act() -> None:
            self.go("design")()
            if "sex" not in self.window.store.study.design:
                self.open_study()
            self.window.store.select([name])
            self.idle()

        return act

    def ask(self) -> None:
        """Show Collect with a study that nobody has answered."""
        self.window.store.forget_changes()
        self.window.store.open(asked_study())
        self.window.show_page("collect")
        page = self.window.page("collect")
        wait_for(lambda: page.ways.ways, "the ways out")
        self.idle()

    def show_questions(self) -> None:
        """Show the questions of a study that nobody has answered."""
        self.window.store.forget_changes()
        self.window.store.open(asked_study())
        self.window.show_page("data/questions")
        self.idle()

    def collect(self) -> None:
        """Show Collect with a running collector."""
        place = str(self.home / "answers.sqlite")
        study = asked_study()
        if not Path(place).exists():
            start_collection(place, study.design).disconnect()
            start_server(place, ["--port", "0"])
        if self.window.collecting.request is None:
            self.window.store.forget_changes()
            request = StartRequest(place, port=0)
            self.window.store.open(study.with_results(RESULTS, request.to_json()))
        self.window.show_page("collect")
        wait_for(lambda: self.window.collecting.is_served, "the collector")
        self.idle()

    def collect_unchanged(self) -> None:
        """Show it without changes, which would be asked about before the collector."""
        self.collect()
        self.window.store.forget_changes()

    def show_held(self) -> None:
        """Show the design of reported answers, locked."""
        self.window.store.forget_changes()
        self.window.store.open(reported_study())
        self.window.show_page("design")
        self.idle()
        offer = self.window.page("design").banner.other_button
        # The page before may have locked the design of its own study.
        wait_for(lambda: offer.isVisible() and offer.text() == "Unlock…", "the lock")

    def open_files(self, *names: str, distorted: bool = False) -> Callable[[], None]:
        """Open files as a drop or a door of the start screen does."""
        paths = [str(self.files / name) for name in names]
        return lambda: self.window.files.open_paths(paths, distorted=distorted)

    def stop_collecting(self) -> None:
        """End the collector."""
        stop_server(self.home / "answers.sqlite")

    def unfold_matrix(self) -> None:
        """Show the matrix of an attribute, which is folded away at first."""
        self.design("sex")()
        button = self.child("showMatrix")
        if not button.isChecked():
            click(button)
        self.idle()

    def mine(self) -> None:
        """Mine, so that there is something to export."""
        self.go("mine")()
        press("Ctrl+Return")
        self.idle()

    def estimate(self) -> None:
        """Estimate, so that there is something to export."""
        self.go("survey")()
        page = self.window.page("survey")
        page.card.statistic.choose("distribution")
        wait_for(lambda: page.answer is not None, "an estimate")
        self.idle()

    def save_picture(self) -> None:
        """Choose the first entry of the menu of the first plot."""
        plot = next(w for w in self.window.findChildren(PlotWidget) if w.isVisible())
        handle = self.window.windowHandle()
        place = plot.mapTo(self.window, plot.rect().center())
        QTest.mouseClick(handle, Qt.MouseButton.RightButton, NONE, place)
        wait_for(QApplication.activePopupWidget, "the menu of a plot")
        self.choose("PNG")

    def choose(self, words: str) -> None:
        """Choose an entry of the menu that is open."""
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        action = next(a for a in menu.actions() if words in a.text() + a.objectName())
        click(menu, menu.actionGeometry(action).center())

    def group(self) -> None:
        """Select two attributes and choose one coin for them in the menu of their list."""
        self.window.store.select(["sex", "vote"])
        view = self.window.page("design").list.view.viewport()
        place = view.mapTo(self.window, QPoint(30, 10))
        QTest.mouseMove(self.window.windowHandle(), place)
        # The press of the right button would select what is below it.
        event = QContextMenuEvent(
            QContextMenuEvent.Reason.Keyboard, QPoint(30, 10), view.mapToGlobal(QPoint(30, 10))
        )
        QCoreApplication.sendEvent(view, event)
        wait_for(QApplication.activePopupWidget, "the menu of the attributes")
        self.choose("makeGroup")

    def draw(self) -> None:
        """Draw the expected shares of an attribute."""
        self.design("sex")()
        self.window.page("design").views_card.choose("shares")
        self.window.store.set_choice("sex", PriorChoice("drawn", (1.0, 1.0)))
        self.idle()

    def type_share(self) -> None:
        """Double-click on a bar."""
        bars = next(w for w in self.window.findChildren(DrawnBars) if w.isVisible())
        place = bars.mapTo(self.window, bars.rect().center())
        QTest.mouseDClick(self.window.windowHandle(), LEFT, NONE, place)

    def fail(self) -> None:
        """Let the window show a fault of the program."""
        self.window.show_error(ValueError("a fault that was made for this test"))

    # What is done in a dialog

    def choose_twice(self, dialog: QDialog, button: str, path: Path) -> None:
        """Open the file dialog of a dialog, cancel it, open it again and name a file."""
        for accepts in (False, True):
            click(self.child(button, dialog))
            wait_for(lambda: len(dialogs()) == 2, "a file dialog")
            inner = next(one for one in dialogs() if isinstance(one, QFileDialog))
            if accepts:
                self.type_file(inner, path)
            else:
                QTest.keyClick(inner.windowHandle(), Qt.Key.Key_Escape)
            del inner
            wait_for(lambda: len(dialogs()) == 1, "the end of a file dialog")

    def export(self, dialog: QDialog) -> Callable[[], object]:
        """Choose a file and export to it."""
        path = self.new(".csv")
        self.choose_twice(dialog, "exportChoose", path)
        return self.finish_export(dialog, path)

    def release(self, dialog: QDialog) -> Callable[[], object]:
        """Choose the folder around that of the bundle and write it."""
        around = self.new("")
        around.mkdir()
        self.choose_twice(dialog, "bundleChoose", around)
        return self.finish_export(dialog, around)

    def write_kit(self, dialog: QDialog) -> Callable[[], object]:
        """Choose the folder around that of the kit and write it."""
        around = self.new("")
        around.mkdir()
        self.choose_twice(dialog, "kitChoose", around)
        return self.finish_export(dialog, around)

    def rehearse(self, dialog: QDialog) -> Callable[[], object]:
        """Begin with what is offered."""
        QTest.keyClick(dialog.windowHandle(), Qt.Key.Key_Return)
        return lambda: self.window.store.study.invented

    def set_closing(self, dialog: QDialog) -> Callable[[], object]:
        """Let the collection close by itself tomorrow, or not any more."""
        before = self.window.collecting.until
        click(self.child("closeByItself", dialog))
        click(dialog.set_button)
        return lambda: bool(self.window.collecting.until) != bool(before)

    def keep_collecting(self, box: QDialog) -> Callable[[], object]:
        """Change one's mind."""
        self.answer(box, "Cancel")
        return lambda: self.window.collecting.is_open

    def finish_export(self, dialog: QDialog, path: Path) -> Callable[[], object]:
        """Export; a window that has something to say then stays until it is closed."""
        click(self.child("exportNow", dialog))
        self.idle()
        QTest.qWait(50)
        if dialogs():
            press("Esc")
        return lambda: path.is_file() or any(path.iterdir())

    def use_palette(self, dialog: QDialog) -> Callable[[], object]:
        """Go to a page by its name."""
        type_into(dialog, "Learn")
        QTest.keyClick(dialog.windowHandle(), Qt.Key.Key_Return)
        return lambda: self.window.current == "learn"

    def answer(self, box: QDialog, words: str) -> None:
        """Press a button of a question."""
        assert isinstance(box, QMessageBox)
        click(next(one for one in box.buttons() if one.text().replace("&", "") == words))

    def close_source(self, box: QDialog) -> Callable[[], object]:
        """Read where a number was published."""
        self.answer(box, "Close")
        return lambda: self.window.current == "learn"

    def discard(self, box: QDialog) -> Callable[[], object]:
        """Give the changes up."""
        self.answer(box, "Discard")
        return lambda: self.window.store.study.is_empty

    def save_and_leave(self, box: QDialog) -> Callable[[], object]:
        """Save the study if no file has it, and let its collector run while another one is open."""
        assert isinstance(box, QMessageBox)
        if any(one.text() == "Save and keep collecting" for one in box.buttons()):
            self.answer(box, "Save and keep collecting")
            wait_for(lambda: any(isinstance(one, QFileDialog) for one in dialogs()), "a file")
            self.type_file(next(one for one in dialogs() if isinstance(one, QFileDialog)),
                           self.new(".ppw"))  # fmt: skip
            # Saved, it is asked about once more: it may go on now.
            wait_for(lambda: any(isinstance(one, QMessageBox) for one in dialogs()), "a question")
            box = next(one for one in dialogs() if isinstance(one, QMessageBox))
        self.answer(box, "Keep collecting")
        return lambda: self.window.store.study.is_empty

    def unlock(self, box: QDialog) -> Callable[[], object]:
        """Unlock the design under reported answers."""
        self.answer(box, "Unlock")
        return lambda: self.window.store.is_unlocked

    def open_plain(self, box: QDialog) -> Callable[[], object]:
        """Open an export as what it is not."""
        self.answer(box, "Open as plain data")
        return lambda: self.window.store.study.rows > 0

    def save_but_cancel(self, box: QDialog) -> Callable[[], object]:
        """Say that the changes are to be saved, and change one's mind when asked where."""
        self.answer(box, "Save")
        wait_for(lambda: any(isinstance(one, QFileDialog) for one in dialogs()), "a file dialog")
        press("Esc")
        return lambda: self.window.isVisible() and self.window.store.is_modified

    def watch_demonstration(self, dialog: QDialog) -> Callable[[], object]:
        """Open one of the demonstrations of the program, and end it."""
        self.type_file(dialog, shipped_files()[0])
        wait_for(lambda: self.window.stage is not None, "a demonstration")
        self.window.end_demonstration()
        return lambda: True

    def take_matrix(self, dialog: QDialog) -> Callable[[], object]:
        """Load a matrix and confirm how it was understood."""
        self.type_file(dialog, self.files / "matrix.csv")
        wait_for(lambda: any(not isinstance(d, QFileDialog) for d in dialogs()), "the matrix")
        press("Return")
        return lambda: True


def main() -> int:
    """Run the program as its command does, with a hand on its controls."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    make_window = app.make_window

    def drive(window: MainWindow) -> None:
        before = sys.excepthook

        def caught(kind: type[BaseException], error: BaseException, trace: object) -> None:
            traceback.print_exception(error)
            hands.stop_collecting()
            os._exit(3)

        hands = Hands(window, Path.home())
        sys.excepthook = caught
        window.hints.set_on(False)
        # A screen without a display is smaller than any desk has; in a narrow window some of the
        # buttons that open dialogs lie in others.
        window.showNormal()
        window.resize(1366, 768)
        hands.try_all()
        hands.stop_collecting()
        # Who quits is told of collectors that go on running.
        window.collectors.look()
        wait_for(lambda: not window.collectors.servers, "the end of the collector")
        sys.excepthook = before
        # At last the question about changes is answered, and the program ends.
        hands.change()
        hands.menu("quit")()
        wait_for(dialogs, "the question")
        say("over")
        hands.answer(dialogs()[0], "Discard")

    def watched(*given: object) -> MainWindow:
        window = make_window(*given)
        QTimer.singleShot(0, lambda: drive(window))
        return window

    app.make_window = watched
    return app.run()


if __name__ == "__main__":
    sys.exit(main())
