"""The one QApplication."""

from __future__ import annotations

import locale
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from ppworkbench import __version__
from ppworkbench.gui.rubbish import Rubbish


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
