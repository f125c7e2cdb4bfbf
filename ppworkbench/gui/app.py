"""Starting the window."""

from __future__ import annotations

import gc
import logging
import math
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType, TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QObject,
    QSettings,
    QSize,
    QSocketNotifier,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QApplication

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.application import Loader, make_application, read_ahead, start_log
from ppworkbench.gui.language import SYSTEM, speech
from ppworkbench.gui.theme import ThemeManager, icon
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.gui.workbench import Workbench

log = logging.getLogger(__name__)
_TITLE_BAR = 40
"""Room for the frame that the desktop puts around a window, which is not known before."""


def make_window(
    settings: QSettings | None = None, theme: str | None = None, folder: Path | None = None
) -> MainWindow:
    """A window with a workbench of its own; ``folder`` is where it remembers recent studies."""
    settings = settings or QSettings()
    speech.choose(str(settings.value("view/language", SYSTEM)))
    choice = theme or str(settings.value("view/theme", "system"))
    themes = ThemeManager(choice, _scale(settings))
    themes.apply()
    window = MainWindow(Workbench(settings, themes, folder))
    window.setWindowIcon(icon("app", themes.theme.colour("accent")))
    return window


def _scale(settings: QSettings) -> float:
    """Return how much type is enlarged; 1 where the settings hold no such number."""
    try:
        scale = float(str(settings.value("view/scale", 1.0)))
    except ValueError:
        return 1.0
    return scale if math.isfinite(scale) else 1.0


def run(paths: Sequence[str] = ()) -> int:
    app = make_application()
    start_log()
    window = make_window()
    loader = make_ready(window)
    catch_everything(window)
    signals = SignalWatcher(app)
    signals.received.connect(
        lambda number: _end(window, number), Qt.ConnectionType.QueuedConnection
    )
    # The desktop ends the session; whoever stays after all has lost nothing.
    app.commitDataRequest.connect(lambda _: window.files.keep_copy())
    show_window(window)
    if paths:
        window.files.open_paths(list(paths))
    window.hints.start()
    status = app.exec()
    loader.wait()
    # What is left when Python ends is deleted in no particular order, which Qt may not survive.
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    return status


def show_window(window: MainWindow) -> None:
    """Show the window, maximised where its frame would reach beyond the screen."""
    is_plain = window.windowState() == Qt.WindowState.WindowNoState
    if is_plain and not fits(window.size(), window.screen().availableSize()):
        window.showMaximized()
    else:
        window.show()


def fits(window: QSize, room: QSize) -> bool:
    """Whether a window of that size and its title bar are whole on a screen with that room.

    >>> fits(QSize(1366, 768), QSize(1920, 1040)), fits(QSize(1366, 768), QSize(1366, 768))
    (True, False)
    """
    return window.width() <= room.width() and window.height() + _TITLE_BAR <= room.height()


class SignalWatcher(QObject):
    """Tells the first signal of the system.

    Connections have to be queued: a signal arrives between any two steps of Python, where nothing
    can be done yet.
    """

    received = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._is_told = False
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            number = getattr(signal, name, None)
            # What runs in the background of a terminal may have been told to ignore them.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        if sys.platform != "win32":
            # Python calls its handlers only between two steps of Python, so Qt has to wake it.
            self._reader, writer = os.pipe()
            for end in (self._reader, writer):
                os.set_blocking(end, False)
            signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
            notifier = QSocketNotifier(self._reader, QSocketNotifier.Type.Read, self)
            notifier.activated.connect(self._on_readable)

    def _on_readable(self) -> None:
        with suppress(OSError):
            os.read(self._reader, 64)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        # Any step of the program may have been interrupted; what ends is not ended again.
        if not self._is_told:
            self._is_told = True
            self.received.emit(number)


def _end(window: MainWindow, number: int) -> None:
    """End as the system asked, with the status that a shell expects."""
    window.end()
    QApplication.exit(128 + number)


def make_ready(window: MainWindow) -> Loader:
    jobs = window.workbench.jobs
    jobs.hold()
    loader = Loader(window)

    def loaded() -> None:
        jobs.release()
        jobs.start("Reading the help", read_ahead, quiet=True).outlives_study = True

    loader.done.connect(loaded)
    loader.start()
    return loader


class ErrorCatcher(QObject):
    caught = Signal(object)


def catch_everything(window: MainWindow) -> None:
    """An exception in a slot reaches the banner and the log; the window stays open."""
    catcher = ErrorCatcher(window)
    # It may have happened in the middle of painting, where nothing can be shown.
    catcher.caught.connect(window.show_error, Qt.ConnectionType.QueuedConnection)

    def caught(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, WorkbenchError):
            log.error("an error in the window", exc_info=(kind, error, trace))
        catcher.caught.emit(error)

    sys.excepthook = caught
