"""The widths of a page's columns: those that somebody has moved are remembered between starts."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QSplitter, QWidget

_WATCHED = "columnsWatched"
_MOVED = "columnsMoved"


def restore_columns(page: QWidget, settings: QSettings) -> None:
    """Put the splitters of a page where somebody left them, and remember where they go from now.

    One that nobody has moved stays as its page arranges it.
    """
    for key, splitter in _splitters(page):
        saved = settings.value(key)
        if isinstance(saved, QByteArray):
            splitter.restoreState(saved)
            splitter.setProperty(_MOVED, True)
        if not splitter.property(_WATCHED):
            splitter.setProperty(_WATCHED, True)
            splitter.splitterMoved.connect(lambda *_, k=key, s=splitter: _save(k, s, settings))


def save_columns(page: QWidget, settings: QSettings) -> None:
    """Remember how the splitters that somebody has moved stand in a window of this size."""
    for key, splitter in _splitters(page):
        if are_moved(splitter):
            _save(key, splitter, settings)


def are_moved(splitter: QSplitter) -> bool:
    """Whether somebody has moved the parts, now or at an earlier start; then they stay there."""
    return bool(splitter.property(_MOVED))


def _save(key: str, splitter: QSplitter, settings: QSettings) -> None:
    splitter.setProperty(_MOVED, True)
    settings.setValue(key, splitter.saveState())


def _splitters(page: QWidget) -> Iterator[tuple[str, QSplitter]]:
    for place, splitter in enumerate(page.findChildren(QSplitter)):
        yield f"columns/{page.objectName()}/{splitter.objectName() or place}", splitter
