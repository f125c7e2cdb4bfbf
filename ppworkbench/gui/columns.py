"""The widths of a page's columns, remembered between starts."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QSplitter, QWidget


def save_columns(page: QWidget, settings: QSettings) -> None:
    """Remember where the splitters of a page stand."""
    for key, splitter in _splitters(page):
        settings.setValue(key, splitter.saveState())


def restore_columns(page: QWidget, settings: QSettings) -> None:
    """Put the splitters of a page where they stood; one that is new stays as it is made."""
    for key, splitter in _splitters(page):
        saved = settings.value(key)
        if isinstance(saved, QByteArray):
            splitter.restoreState(saved)


def _splitters(page: QWidget) -> Iterator[tuple[str, QSplitter]]:
    for place, splitter in enumerate(page.findChildren(QSplitter)):
        yield f"columns/{page.objectName()}/{splitter.objectName() or place}", splitter
