"""What the monkey does in the process of the window: it looks, chooses, and moves mouse and keys.

Started by ``monkey.py`` with a description of the walk as JSON. Every step is written to a file
before it is taken, so that the last steps are known after a crash.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import mmap
import os
import random
import signal
import struct
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gestures import LEFT, NONE, TEXTS, Gestures, K, Step, visible_widgets
from odd_files import RARE
from PySide6.QtCore import (
    QCoreApplication,
    QMimeData,
    QPoint,
    QPointF,
    Qt,
    QThread,
    QTimer,
    QUrl,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeySequence,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QMenu,
    QMessageBox,
    QWidget,
)
from shiboken6 import getCppPointer

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import resource
from ppworkbench.gui import app
from ppworkbench.gui.pages.page import Page
from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.window.main_window import MainWindow

FILE_NAMES = (
    "new", "new.ppw", "new.csv", "new.json", "new.xlsx", "new.zip", "new.png", "new.svg",
    "new.html", "new.pdf", "no such file.csv", "no such folder/new.ppw", "no writing here/new.ppw",
    "", ".", "..", "*.csv", "n" * 300, "żółć 😀 <b>.ppw", "a folder.csv", "unreadable.csv",
    "survey.ppw", "survey.csv", "~nobody here/new.csv",
)  # fmt: skip
GOOD = ("city.ppw", "survey.ppw", "survey.csv", "distorted only.ppw", "shop.basket")
SIZES = ((0, 0), (1100, 700), (1280, 720), (1366, 768), (1600, 900), (1920, 1080))
_FAULT = "Internal error."
_STUCK, _LEAVES = 45, 60.0
"""Steps and seconds since the first attempt to leave it, after both of which a dialog counts as one
that cannot be left: where others need the processors, its job is long in being cancelled."""


class Log:
    """Lines that are in the file as soon as they are written, from whichever thread."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._lock = threading.Lock()

    def __call__(self, kind: str, *words: object) -> None:
        text = " ".join(str(word) for word in words)
        with self._lock:
            self._file.write(f"{kind} {json.dumps(text, ensure_ascii=True)}\n")

    def fault(self, words: str) -> None:
        """Write what went wrong and end the process as it is."""
        self("fault", words)
        self._file.flush()
        os._exit(3)


def read_texts() -> dict[str, str]:
    """The texts of the window in Polish, by the English ones."""
    words: dict[str, str] = {}
    for path in sorted(resource("languages", "pl").glob("*.json")):
        words |= json.loads(path.read_text(encoding="utf-8"))
    return words


def menu_paths(actions: list[QAction], before: tuple[QAction, ...] = ()) -> Iterator[Any]:
    """Every action of the menus with the ones that lead to it."""
    for action in actions:
        menu = action.menu()
        if isinstance(menu, QMenu):
            yield from menu_paths(menu.actions(), (*before, action))
        elif not action.isSeparator():
            yield (*before, action)


class Monkey(Gestures):
    """Takes one step after the other, in whichever loop the window is at the moment."""

    def __init__(self, window: MainWindow, walk: dict[str, Any]) -> None:
        super().__init__(window, random.Random(f"{walk['seed']}/{walk['from']}"))
        self.log = Log(Path(walk["log"]))
        self.number, self.last = int(walk["from"]), int(walk["to"])
        self.files = [Path(path) for path in walk["files"]]
        self.home = Path(walk["home"])
        self.used: Counter[str] = Counter(walk["used"])
        self._known: set[str] = set()
        self._dialogs: set[str] = set()
        self._seen: list[QWidget] = []
        self._page = ""
        words = read_texts()
        self._english = {there: here for here, there in words.items() if isinstance(there, str)}
        self._faults = (_FAULT, words[_FAULT])
        self._levels: list[int] = []
        self._scope = 0
        """Where the popup or window is in memory that is in front; not to hold it."""
        self._age = self._patience = 0
        self._stays = 0.0
        self._dropped: list[QMimeData] = []
        self._beat = mmap.mmap(os.open(walk["beat"], os.O_RDWR), 8)
        self._pulse = QTimer(self)
        self._pulse.setInterval(50)
        self._pulse.timeout.connect(self._on_pulse)
        self._beats = 0

    def start(self) -> None:
        """Begin to walk."""
        self._catch_faults()
        QCoreApplication.instance().aboutToQuit.connect(lambda: self.log("closed"))
        self._pulse.start()
        QTimer.singleShot(0, self.tick)

    @Slot()
    def _on_pulse(self) -> None:
        self._beats += 1
        self._beat[:8] = struct.pack("q", self._beats)

    # What counts as a fault

    def _catch_faults(self) -> None:
        before = sys.excepthook

        def caught(kind: Any, error: Any, trace: Any) -> None:
            if not isinstance(error, WorkbenchError | OSError | KeyboardInterrupt):
                self.log.fault("".join(traceback.format_exception(kind, error, trace)))
            before(kind, error, trace)

        def unraisable(given: Any) -> None:
            lines = traceback.format_exception(given.exc_type, given.exc_value, given.exc_traceback)
            self.log.fault(f"{given.err_msg} {given.object!r}\n{''.join(lines)}")

        sys.excepthook = caught
        sys.unraisablehook = unraisable
        threading.excepthook = lambda given: caught(*given[:3])
        logging.getLogger("ppworkbench").addHandler(_FaultHandler(self.log))
        qInstallMessageHandler(lambda kind, _, words: self.log("qt", kind.name, words))
        for scheme in ("http", "https", "file", "mailto"):
            QDesktopServices.setUrlHandler(scheme, self, "open_url")

    @Slot(QUrl)
    def open_url(self, url: QUrl) -> None:
        """Take the place of a browser."""
        self.log("url", url.toString())

    # The walk

    @Slot()
    def tick(self) -> None:
        """Take a step, unless the one before is still under way in this very loop."""
        level = QThread.currentThread().loopLevel()
        if self._levels and level <= self._levels[-1]:
            QTimer.singleShot(10, self.tick)
            return
        if not self.window.isVisible():
            self.log("closed")
            self._pulse.stop()
            return
        self._look()
        if self.number >= self.last:
            self._end()
            return
        label, act = self._choose()
        # What is held here would not be deleted when it should.
        self._seen.clear()
        self.number += 1
        self.log("step", self.number, label)
        QTimer.singleShot(self.random.choice((0, 0, 5, 10, 30, 60)), self.tick)
        self._levels.append(level)
        try:
            act()
        except RuntimeError as error:
            # What it wanted to touch has gone meanwhile; errors of the program do not come here.
            self.log("gone", error)
        finally:
            self._levels.pop()

    def _end(self) -> None:
        """Close everything and let the program end as it should."""
        self.log("end", "")
        modal = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if modal is not None:
            modal.close()
            QTimer.singleShot(20, self._end)
            return
        self.log("closed")
        self._pulse.stop()
        self.window.store.forget_changes()
        self._leave_window()

    def _leave_window(self) -> None:
        """Close the window, whatever it asks about collectors that are running."""
        asked = QApplication.activeModalWidget()
        if isinstance(asked, QMessageBox):
            roles = {asked.buttonRole(button): button for button in asked.buttons()}
            stop, leave = map(
                roles.get,
                (QMessageBox.ButtonRole.DestructiveRole, QMessageBox.ButtonRole.AcceptRole),
            )
            button = stop or leave
            if button is None:
                self.log.fault(f"The window cannot be closed: {asked.text()!r}")
            else:
                button.click()
        elif asked is not None:
            asked.close()
        else:
            self.window.close()
        if self.window.isVisible():
            QTimer.singleShot(50, self._leave_window)

    def _look(self) -> None:
        """Note what is seen, and whether the program admits a fault."""
        if QApplication.activeWindow() is None:
            # What a window manager does when a window has gone.
            (QApplication.activeModalWidget() or self.window).activateWindow()
        dialogs = set()
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog) and widget.isVisible():
                if isinstance(widget, QFileDialog):
                    self._fence(widget)
                kind, title = type(widget).__name__, widget.windowTitle()
                is_qts = isinstance(widget, QFileDialog | QMessageBox | QInputDialog)
                dialogs.add(f"{kind}: {self._english.get(title, title)}" if is_qts else kind)
        for name in dialogs - self._dialogs:
            self.log("dialog", name)
        self._dialogs = dialogs
        self._seen = list(visible_widgets(self.window))
        self._page = ""
        for widget in self._seen:
            if isinstance(widget, Banner):
                said = widget.accessibleDescription()
                if any(fault in said for fault in self._faults):
                    self.log.fault(f"The banner says: {said}")
            elif isinstance(widget, Page):
                self._page = widget.name
                self.log("page", widget.name)

    def _fence(self, dialog: QFileDialog) -> None:
        """Let no file dialog out of the monkey's home: it would rename, delete and write there."""
        if dialog.property("fenced"):
            return
        dialog.setProperty("fenced", True)
        dialog.setOption(QFileDialog.Option.ReadOnly)
        home = str(self.home)

        def back(folder: str) -> None:
            if not os.path.realpath(folder).startswith(os.path.realpath(home)):
                dialog.setDirectory(home)

        dialog.directoryEntered.connect(back)
        back(dialog.directory().absolutePath())

    # Choosing

    def _choose(self) -> Step:
        popup = QApplication.activePopupWidget()
        modal = QApplication.activeModalWidget()
        scope = popup or modal or self.window
        place = getCppPointer(scope)[0]
        if place != self._scope:
            self._scope, self._age, self._patience = place, 0, self.random.randint(0, 9)
        self._age += 1
        if self._age <= max(self._patience, 1):
            self._stays = time.monotonic()
        is_long = time.monotonic() - self._stays > _LEAVES
        if is_long and scope is not self.window and self._age > self._patience + _STUCK:
            self.log.fault(f"{type(scope).__name__} {scope.windowTitle()!r} cannot be left.")
        if self.queue and self.random.random() < 0.97:
            return self.queue.popleft()
        self.queue.clear()
        if popup is not None:
            return self._in_popup(popup)
        if modal is not None:
            return self._in_dialog(modal)
        return self._in_window()

    def _in_popup(self, popup: QWidget) -> Step:
        if self._age > self._patience:
            if self._age > self._patience + 10:
                return "close the popup", popup.close
            return self._key(popup, K.Key_Escape)
        if isinstance(popup, QMenu):
            actions = [a for a in popup.actions() if a.isVisible() and not a.isSeparator()]
            if actions and self.random.random() < 0.8:
                return self._pick(self._least_used(actions, lambda a: f"menu/{a.text()}"))
        return self._weighted(
            {
                lambda: self._use_something(popup): 6,
                lambda: self._random_key(popup): 3,
                lambda: self._key(popup, K.Key_Escape): 1,
            }
        )

    def _in_dialog(self, dialog: QWidget) -> Step:
        if self._age > self._patience:
            return self._leave(dialog)
        if isinstance(dialog, QFileDialog) and self.random.random() < 0.4:
            return self._type_file_name(dialog)
        return self._weighted(
            {
                lambda: self._use_something(dialog): 12,
                lambda: self._random_key(dialog): 4,
                lambda: self._poke(dialog): 2,
                lambda: self._type(dialog): 2,
                lambda: self._resize(dialog): 0.5,
                # The window behind it must not hear this.
                lambda: self._poke(self.window): 0.5,
                self._wait: 1,
            }
        )

    def _leave(self, dialog: QWidget) -> Step:
        if self._age > self._patience + 25:
            return "close the dialog", lambda: self._send(dialog, QCloseEvent())
        boxes = [w for w in visible_widgets(dialog) if isinstance(w, QDialogButtonBox)]
        buttons = [b for box in boxes for b in box.buttons() if b.isVisible() and b.isEnabled()]
        if buttons and self.random.random() < 0.5:
            button = self._least_used(buttons, self._key_of)
            if isinstance(dialog, QMessageBox) and self._rare(button.text()):
                return self._key(dialog, K.Key_Escape)
            return self._click(button)
        keys = (K.Key_Escape, K.Key_Escape, K.Key_Return)
        return self._key(dialog, self.random.choice(keys))

    def _rare(self, words: str) -> bool:
        """Whether a button would end the program, which takes seconds to start."""
        asks = isinstance(self._scope, QMessageBox)
        return (
            asks and self.random.random() < 0.5 and words.replace("&", "")[:4] in ("Disc", "Odrz")
        )

    def _in_window(self) -> Step:
        others = [
            w for w in QApplication.topLevelWidgets()
            if w.isVisible() and w is not self.window and isinstance(w, QDialog)
        ]  # fmt: skip
        if others and self.random.random() < 0.3:
            other = self.random.choice(others)
            if self.random.random() < 0.1:
                return "close the other window", lambda: self._send(other, QCloseEvent())
            return self._use_something(other)
        on_start = self._page == "start"
        window = self.window
        end = next((w for w in self._seen if w.objectName() == "endDemonstration"), None)
        if end is not None and self.random.random() < 0.05:
            return self._click(end)
        return self._weighted(
            {
                lambda: self._use_something(window): 50,
                lambda: self._poke(window): 8,
                lambda: self._random_key(window): 8,
                lambda: self._type(window): 2,
                self._menu_action: 18,
                self._primary: 4,
                self._palette: 2,
                self._storm: 2,
                self._twice: 2,
                lambda: self._resize(window): 1.5,
                self._drop: 12 if on_start else 1.5,
                self._open: 12 if on_start else 1.5,
                self._go: 8,
                lambda: self._key(window, K.Key_Escape): 3,
                self._wait: 2,
                self._close: 0.25,
            }
        )

    def _least_used(self, things: list[Any], name: Callable[[Any], str]) -> Any:
        """One of several, those that were seldom used rather than others."""
        names = [name(thing) for thing in things]
        weights = [
            (0.05 if one.endswith("quit") else 1.0) / (1 + self.used[one]) ** 0.7 for one in names
        ]
        [place] = self.random.choices(range(len(things)), weights)
        self.used[names[place]] += 1
        return things[place]

    def _use_something(self, scope: QWidget) -> Step:
        """Use one of the controls that are seen as it is meant to be used, or nearly so."""
        there = self._seen if scope is self.window else visible_widgets(scope)
        seen = [w for w in there if self._is_control(w)]
        if not seen:
            return self._poke(scope)
        for widget in seen:
            name = self._key_of(widget)
            if name not in self._known:
                self._known.add(name)
                self.log("control", name)
        widget = self._least_used(seen, self._key_of)
        self.log("used", self._key_of(widget))
        return self._use(widget)

    # Steps of several steps

    def _pick(self, action: QAction) -> Step:
        """Choose in the menu that is open."""

        def act() -> None:
            menu = QApplication.activePopupWidget()
            if isinstance(menu, QMenu) and action in menu.actions():
                spot = menu.actionGeometry(action).center()
                QTest.mouseMove(self._handle(menu), spot)
                QTest.mouseClick(self._handle(menu), LEFT, NONE, spot)

        return f"choose {action.text()!r}", act

    def _actions(self) -> list[tuple[QAction, ...]]:
        paths = list(menu_paths(self.window.menuBar().actions()))
        for path in paths:
            name = path[-1].objectName() or path[-1].text()
            if not path[-1].property("watched"):
                path[-1].setProperty("watched", True)
                path[-1].triggered.connect(lambda *_, name=name: self.log("action", name))
            if name not in self._known:
                self._known.add(name)
                self.log("offered", name)
        return paths

    def _menu_action(self) -> Step:
        paths = [path for path in self._actions() if path[-1].isEnabled()]
        return self._do(self._least_used(paths, lambda path: f"action/{path[-1].objectName()}"))

    def _do(self, path: tuple[QAction, ...]) -> Step:
        """Do what a menu offers, by its keys or through the menus."""
        keys = path[-1].shortcuts()
        if keys and self.random.random() < 0.5:
            return self._keys(self.random.choice(keys).toString())
        bar = self.window.menuBar()
        spot = bar.mapTo(self.window, bar.actionGeometry(path[0]).center())
        self.queue.extend(self._pick(action) for action in path[1:])
        label = f"open the menu {path[0].text()!r}"
        return label, lambda: QTest.mouseClick(self._handle(self.window), LEFT, NONE, spot)

    def _primary(self) -> Step:
        if self.random.random() < 0.5:
            for _ in range(self.random.randint(0, 5)):
                self.queue.append(self._wait())
            self.queue.append(self._key(self.window, K.Key_Escape))
        return self._keys("Ctrl+Return")

    def _palette(self) -> Step:
        actions = [path[-1].text().replace("&", "") for path in self._actions()]
        asked = self.random.choice(
            (self.random.choice(actions), self.random.choice(TEXTS), self.random.choice("abcdemps"))
        )
        self.queue.append(self._in_front(asked[: self.random.randint(1, 12)]))
        for _ in range(self.random.randint(0, 3)):
            self.queue.append(self._keys("Down"))
        self.queue.append(self._keys(self.random.choice(("Return", "Return", "Esc"))))
        return self._keys("Ctrl+Shift+P")

    def _in_front(self, words: str) -> Step:
        """Type into whatever window is in front then."""

        def act() -> None:
            self._type(QApplication.activeModalWidget() or self.window, words)[1]()

        return f"type {words!r}", act

    def _storm(self) -> Step:
        keys = self.random.choices(("Ctrl+Z", "Ctrl+Z", "Ctrl+Y"), k=self.random.randint(3, 15))
        self.queue.extend(self._keys(one) for one in keys)
        return self._keys("Ctrl+Z")

    def _twice(self) -> Step:
        """Open a dialog, leave it, open it again."""
        dialogs = ("open", "save", "saveAs", "saveDesign", "export", "shortcuts", "guide", "about",
                   "palette", "table", "help")  # fmt: skip
        paths = [p for p in self._actions() if p[-1].objectName() in dialogs and p[-1].isEnabled()]
        path = self._least_used(paths, lambda path: f"twice/{path[-1].objectName()}")
        first = self._do(path)
        self.queue.append(self._keys("Esc"))
        if self.random.random() < 0.5:
            path = self.random.choice(paths)
        again = self._do(path)
        rest = [self.queue.pop() for _ in range(len(path) - 1)] if "menu" in again[0] else []
        self.queue.append(again)
        self.queue.extend(reversed(rest))
        return first

    def _resize(self, widget: QWidget) -> Step:
        width, height = self.random.choice(SIZES)
        if self.random.random() < 0.3:
            width, height = self.random.randint(0, 1920), self.random.randint(0, 1080)
        return f"resize to {width} by {height}", lambda: widget.resize(width, height)

    def _a_file(self) -> Path:
        if self.random.random() < 0.5:
            # The others are mostly refused, or leave little to do.
            return self.files[0].parent / self.random.choice(GOOD)
        path = self.random.choice(self.files)
        # What takes long is done seldom.
        return self.random.choice(self.files) if path.name == RARE else path

    def _drop(self) -> Step:
        paths = [self._a_file() for _ in range(self.random.choice((1, 1, 1, 1, 2)))]
        if self.random.random() < 0.1:
            paths.append(self.home / "no such file.csv")

        def act() -> None:
            mime = QMimeData()
            mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
            # Qt does not own it, and the window may look at it later.
            self._dropped = [mime, *self._dropped[:3]]
            action, spot = Qt.DropAction.CopyAction, QPoint(300, 300)
            self._send(self.window, QDragEnterEvent(spot, action, mime, LEFT, NONE))
            self._send(self.window, QDropEvent(QPointF(spot), action, mime, LEFT, NONE))

        return f"drop {', '.join(path.name for path in paths)}", act

    def _open(self) -> Step:
        path = self._a_file()
        self.queue.append(self._file_name(str(path)))
        self.queue.append(self._keys("Return"))
        return self._keys("Ctrl+O")

    def _file_name(self, name: str) -> Step:
        def act() -> None:
            dialog = QApplication.activeModalWidget()
            if isinstance(dialog, QFileDialog):
                edit = dialog.findChild(QLineEdit, "fileNameEdit")
                assert isinstance(edit, QLineEdit)
                handle = self._handle(dialog)
                QTest.mouseClick(handle, LEFT, NONE, edit.mapTo(dialog, edit.rect().center()))
                QTest.keySequence(handle, QKeySequence(QKeySequence.StandardKey.SelectAll))
                QGuiApplication.clipboard().setText(name)
                QTest.keySequence(handle, QKeySequence(QKeySequence.StandardKey.Paste))

        return f"name the file {name[-60:]!r}", act

    def _type_file_name(self, dialog: QFileDialog) -> Step:
        saves = dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
        names = FILE_NAMES if saves else (*FILE_NAMES, *(path.name for path in self.files))
        name = self.random.choice(names)
        if self.random.random() < 0.2:
            name = str(self.files[0].parent / name)
        self.queue.append(self._keys("Return"))
        return self._file_name(name)

    def _go(self) -> Step:
        pages = [path for path in self._actions() if path[-1].objectName().startswith("page-")]
        usable = [path for path in pages if path[-1].isEnabled()]
        return self._do(self._least_used(usable, lambda path: f"page/{path[-1].objectName()}"))

    def _wait(self) -> Step:
        pause = self.random.choice((100, 300))

        def act() -> None:
            end = time.monotonic() + pause / 1000
            while time.monotonic() < end:
                QCoreApplication.processEvents()
                time.sleep(0.005)

        return f"wait {pause} ms", act

    def _close(self) -> Step:
        if self.random.random() < 0.5:
            return self._keys("Ctrl+Q")
        return "close the window", lambda: self._send(self.window, QCloseEvent())


class _FaultHandler(logging.Handler):
    """An error that the program writes to its log is a fault of it."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.ERROR)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """End the walk, unless a file could not be read or written."""
        kind = record.exc_info[0] if record.exc_info else None
        if kind is None or not issubclass(kind, OSError):
            self._log.fault(logging.Formatter().format(record))


def main(walk: dict[str, Any]) -> int:
    """Run the program as its command does, with a monkey at its controls."""
    faulthandler.enable()
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR1, all_threads=True)
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    make_window = app.make_window
    monkeys: list[Monkey] = []

    def watched(*given: Any) -> MainWindow:
        window = make_window(*given)
        monkey = Monkey(window, walk)
        monkeys.append(monkey)
        QTimer.singleShot(0, monkey.start)
        return window

    app.make_window = watched
    code = app.run(walk["open"])
    Path(walk["kept"]).write_text(json.dumps(monkeys[0].used), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
