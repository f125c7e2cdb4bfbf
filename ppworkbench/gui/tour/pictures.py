"""Pictures of every page and dialog."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMessageLogContext,
    QPoint,
    QSettings,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QDialog

from ppworkbench.core.errors import DataError
from ppworkbench.core.files import temporary_folder, write_bytes
from ppworkbench.core.progress import Progress, silent
from ppworkbench.gui.app import make_window
from ppworkbench.gui.application import load_everything, make_application
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.tour.stops import STOPS, Stop
from ppworkbench.gui.tour.studies import LONGEST_WAIT, settle
from ppworkbench.gui.window.main_window import MainWindow
from ppworkbench.study.language import ENGLISH


@dataclass(frozen=True)
class View:
    """How large a window is, in which colours and in which language."""

    width: int
    height: int
    theme: str
    language: str = ENGLISH

    def __str__(self) -> str:
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
    _make_application()
    taken: list[Path] = []
    for place, view in enumerate(views):
        with open_window(view) as window, _failing_slots():
            for number, stop in enumerate(stops, 1):
                done = (place + number / len(stops)) / len(views)
                progress(done, f"{stop.name}, {view}")
                settle(window)
                stop.arrange(window)
                settle(window, busy=stop.busy)
                _await_frontier(window)
                if visited is not None:
                    visited(window, stop)
                ending = "" if len(views) == 1 else f"-{view}"
                path = folder / f"{number:02d}-{stop.name}{ending}.png"
                _save(picture(window), path)
                taken.append(path)
                stop.leave(window)
    return tuple(taken)


@contextmanager
def _failing_slots() -> Iterator[None]:
    """Let an exception in a slot, which Qt only prints, fail the tour after its pictures."""
    failed: list[BaseException] = []
    before = sys.excepthook

    def caught(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        failed.append(error)
        before(kind, error, trace)

    sys.excepthook = caught
    try:
        yield
    finally:
        sys.excepthook = before
    if failed:
        first = f"{type(failed[0]).__name__}: {failed[0]}"
        raise DataError(f"An error in the window during the tour: {first}.")


def _make_application() -> None:
    if QApplication.instance() is None:
        # Nothing of it shows up on a screen, whether there is one or not.
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        before: Any = qInstallMessageHandler(None)

        def tell(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
            # Said of every window, and of no use to anybody.
            if "propagateSizeHints" not in message:
                (before or _print)(kind, context, message)

        qInstallMessageHandler(tell)
    make_application()


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


def _await_frontier(window: MainWindow) -> None:
    """Let Design find its frontier: it begins to search after a pause, longer than that above."""
    page = window.front.pages.get("design")
    if isinstance(page, DesignPage):
        limit = time.monotonic() + LONGEST_WAIT
        while page.isVisible() and page.search.is_searching and time.monotonic() < limit:
            settle(window)


def picture(window: MainWindow) -> QImage:
    """What a person would see: the window with the dialog in front of it, if there is one."""
    image = window.grab().toImage()
    dialogs: Iterable[QDialog] = window.findChildren(QDialog)
    for dialog in dialogs:
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
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stubs want bytes
    write_bytes(path, bytes(data.data()))
