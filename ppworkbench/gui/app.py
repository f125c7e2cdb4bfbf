"""Starting the window."""

from __future__ import annotations

import locale
import logging
import math
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QObject,
    QSettings,
    QSocketNotifier,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ppworkbench import __version__
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language.speech import SYSTEM, speech
from ppworkbench.gui.log import start_log
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.rubbish import Rubbish
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.theme.icons import icon
from ppworkbench.gui.warm_up import load_modules
from ppworkbench.gui.workbench import Workbench

log = logging.getLogger(__name__)


def make_application(arguments: Sequence[str] = ()) -> QApplication:
    """The one QApplication, with its names set and scaling left exact."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    policy = Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(policy)
    QCoreApplication.setOrganizationName("ppworkbench")
    QCoreApplication.setApplicationName("ppworkbench")
    QCoreApplication.setApplicationVersion(__version__)
    app = QApplication(["ppworkbench", *arguments])
    # Qt gives the system's locale to the C library, too; libraries that read and write files with
    # it would then expect a decimal comma.
    locale.setlocale(locale.LC_NUMERIC, "C")
    Rubbish(app)
    return app


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
    """Open the window and stay until it is closed."""
    app = make_application()
    start_log()
    window = make_window()
    catch_everything(window)
    signals = SignalWatcher(app)
    signals.received.connect(lambda number: _end(window, number))
    # The desktop ends the session; whoever stays after all has lost nothing.
    app.commitDataRequest.connect(lambda _: window.files.keep_copy())
    window.show()
    if paths:
        window.files.open_paths(list(paths))
    window.hints.start()
    QTimer.singleShot(0, window, lambda: make_ready(window))
    return app.exec()


class SignalWatcher(QObject):
    """Brings signals of the system into the event loop, where everything can be done."""

    received = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        # Python runs its own handlers only between two steps of Python.
        signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            number = getattr(signal, name, None)
            # What runs in the background of a terminal may have been told to ignore them.
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda *_: None)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_readable)

    def _on_readable(self) -> None:
        with suppress(OSError):
            numbers = self._reader.recv(64)
            # One is enough: what ends is not ended again.
            self._notifier.setEnabled(False)
            self.received.emit(numbers[0])


def _end(window: MainWindow, number: int) -> None:
    """End as the system asked, with the status that a shell expects."""
    window.end()
    QApplication.exit(128 + number)


def make_ready(window: MainWindow) -> None:
    """Load what will be needed soon, while the user looks at the start screen."""
    job = window.workbench.jobs.start("Loading", load_modules, quiet=True)
    job.outlives_study = True


def catch_everything(window: MainWindow) -> None:
    """An exception in a slot reaches the banner and the log; the window stays open."""

    def caught(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, WorkbenchError):
            log.error("an error in the window", exc_info=(kind, error, trace))
        # It may have happened in the middle of painting, where nothing can be shown.
        QTimer.singleShot(0, window, lambda: window.show_error(error))

    sys.excepthook = caught
