"""Starting the window."""

from __future__ import annotations

import locale
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QSettings, Qt, QTimer
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
    try:
        scale = float(str(settings.value("view/scale", 1.0)))
    except ValueError:
        scale = 1.0
    themes = ThemeManager(choice, scale)
    themes.apply()
    window = MainWindow(Workbench(settings, themes, folder))
    window.setWindowIcon(icon("app", themes.theme.colour("accent")))
    return window


def run(paths: Sequence[str] = ()) -> int:
    """Open the window and stay until it is closed."""
    app = make_application()
    start_log()
    window = make_window()
    catch_everything(window)
    window.show()
    if paths:
        window.files.open_paths(list(paths))
    window.hints.start()
    QTimer.singleShot(0, window, lambda: make_ready(window))
    return app.exec()


def make_ready(window: MainWindow) -> None:
    """Load what will be needed soon, while the user looks at the start screen."""
    job = window.workbench.jobs.start("Loading", load_modules, quiet=True)
    job.outlives_study = True


def catch_everything(window: MainWindow) -> None:
    """An exception in a slot reaches the banner and the log; the window stays open."""

    def caught(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.close()
            return
        if not isinstance(error, WorkbenchError):
            log.error("an error in the window", exc_info=(kind, error, trace))
        # It may have happened in the middle of painting, where nothing can be shown.
        QTimer.singleShot(0, window, lambda: window.show_error(error))

    sys.excepthook = caught
