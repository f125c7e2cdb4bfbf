"""A walk through the window on sample studies, with a picture of every stop."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QMessageLogContext,
    QPoint,
    QSettings,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QDialog

from ppworkbench.core.atomic import temporary_folder, write_bytes
from ppworkbench.core.errors import DataError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.gui.app import make_window
from ppworkbench.gui.application import make_application
from ppworkbench.gui.loading import load_everything
from ppworkbench.gui.main_window import MainWindow
from ppworkbench.gui.tour_stops import STOPS, Stop
from ppworkbench.study.language.languages import ENGLISH

_SETTLED = 0.35
"""Seconds without a job after which a page has nothing more to draw."""
_AT_MOST = 60.0
_ROUNDS = 6


@dataclass(frozen=True)
class View:
    """How large a window is, in which colours and in which language."""

    width: int
    height: int
    theme: str
    language: str = ENGLISH

    def __str__(self) -> str:
        """The view as part of a file's name."""
        plain = f"{self.width}x{self.height}-{self.theme}"
        return plain if self.language == ENGLISH else f"{plain}-{self.language}"


def take_tour(
    folder: Path,
    views: Sequence[View],
    stops: Sequence[Stop] = STOPS,
    progress: Progress = silent,
    visited: Callable[[MainWindow, Stop], None] | None = None,
) -> tuple[Path, ...]:
    """Walk through all stops in every view and write a picture of each.

    Parameters
    ----------
    folder
        Where the pictures go; it is made if it does not exist.
    visited
        Called at every stop before its picture is taken.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise DataError(f"{folder} cannot be made: {why}.", file=folder) from None
    app = _application()
    taken: list[Path] = []
    for place, view in enumerate(views):
        with open_window(view) as window:
            for number, stop in enumerate(stops, 1):
                done = (place + number / len(stops)) / len(views)
                progress(done, f"{stop.name}, {view}")
                settle(app, window)
                stop.arrange(window)
                settle(app, window, busy=stop.busy)
                if visited is not None:
                    visited(window, stop)
                ending = "" if len(views) == 1 else f"-{view}"
                path = folder / f"{number:02d}-{stop.name}{ending}.png"
                _save(picture(window), path)
                taken.append(path)
                stop.leave(window)
    return tuple(taken)


def _application() -> QApplication:
    if QApplication.instance() is None:
        # Nothing of it shows up on a screen, whether there is one or not.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        before = qInstallMessageHandler(None)

        def tell(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
            # Said of every window, and of no use to anybody.
            if "propagateSizeHints" not in message:
                (before or _print)(kind, context, message)

        qInstallMessageHandler(tell)
    return make_application()


def _print(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:  # noqa: ARG001
    sys.stderr.write(f"{message}\n")


@contextmanager
def open_window(view: View) -> Iterator[MainWindow]:
    """A window that remembers nothing and takes nothing over from the user's own."""
    with temporary_folder() as folder:
        settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        settings.setValue("view/language", view.language)
        load_everything()
        window = make_window(settings, view.theme, folder)
        window.resize(view.width, view.height)
        window.show()
        try:
            yield window
        finally:
            window.store.forget_changes()
            window.close()
            window.deleteLater()
            QApplication.processEvents()


def settle(
    app: QApplication, window: MainWindow, *, busy: bool = False, quiet: float = _SETTLED
) -> None:
    """Let the window work until nothing moves any more; a busy stop has a job that stays."""
    limit = time.monotonic() + _AT_MOST
    quiet_since = time.monotonic()
    while time.monotonic() < limit and time.monotonic() - quiet_since < quiet:
        app.processEvents()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        is_working = not busy and not window.workbench.jobs.is_idle
        if is_working:
            quiet_since = time.monotonic()
        time.sleep(0.005)
    # What changed last asks for another place, and what is around it for its own.
    for _ in range(_ROUNDS):
        app.processEvents()


def picture(window: MainWindow) -> QImage:
    """What a person would see: the window with the dialog in front of it, if there is one."""
    image = window.grab().toImage()
    for dialog in window.findChildren(QDialog):
        if dialog.isVisible():
            shown = dialog.grab().toImage()
            painter = QPainter(image)
            size = window.size()
            corner = QPoint(
                (size.width() - dialog.width()) // 2, (size.height() - dialog.height()) // 2
            )
            painter.fillRect(image.rect(), QColor(0, 0, 0, 60))
            painter.setPen(window.workbench.theme.colour("outline"))
            painter.drawImage(corner, shown)
            painter.drawRect(dialog.rect().translated(corner))
            painter.end()
    return image


def _save(image: QImage, path: Path) -> None:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    write_bytes(path, data.data())
