"""What a person takes away from a picture: the clipboard, PNG, SVG and its numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QWidget

from ppworkbench.core.atomic import write_bytes
from ppworkbench.core.data.escapes import escape_formula
from ppworkbench.gui.clipboard import copy_rows
from ppworkbench.gui.dialogs import save_file

Rows = Sequence[Sequence[str]]


def add_picture_actions(menu: QMenu, picture: QWidget, rows: Callable[[], Rows]) -> None:
    """Offer to copy or save a widget's picture and its numbers."""
    menu.addAction(
        picture.tr("Copy picture"), lambda: QGuiApplication.clipboard().setPixmap(picture.grab())
    )
    menu.addAction(picture.tr("Copy numbers"), lambda: copy_rows(rows()))
    menu.addSeparator()

    def ask(suffix: str, save: Callable[[Path], None]) -> None:
        ask_for_file(picture, f"picture.{suffix}", save)

    menu.addAction(
        picture.tr("Save as PNG…"),
        lambda: ask("png", lambda path: save_png(picture.grab().toImage(), path)),
    )
    menu.addAction(
        picture.tr("Save as SVG…"), lambda: ask("svg", lambda path: save_svg(picture, path))
    )
    menu.addAction(
        picture.tr("Save numbers as CSV…"),
        lambda: ask("csv", lambda path: save_rows(rows(), path)),
    )


def ask_for_file(parent: QWidget, suggestion: str, save: Callable[[Path], None]) -> None:
    """Ask where to save, and save there."""
    kinds = f"*{Path(suggestion).suffix}"
    save_file(parent, parent.tr("Save"), suggestion, kinds, save)


def save_png(image: QImage, path: Path) -> None:
    """Save a picture at twice its size on the screen."""
    image.setDevicePixelRatio(1)
    larger = image.scaledToWidth(image.width() * 2, Qt.TransformationMode.SmoothTransformation)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    larger.save(buffer, "PNG")
    write_bytes(path, data.data())


def save_svg(widget: QWidget, path: Path) -> None:
    """Save what a widget shows as lines."""
    data = QByteArray()
    buffer = QBuffer(data)
    generator = QSvgGenerator()
    # Given a file, Qt would not tell when it cannot be written.
    generator.setOutputDevice(buffer)
    generator.setSize(widget.size())
    generator.setViewBox(widget.rect())
    generator.setTitle(widget.accessibleName())
    # A plot is a view of a scene, which has another method of that name.
    QWidget.render(widget, generator)
    write_bytes(path, data.data())


def save_rows(rows: Rows, path: Path) -> None:
    """Save a table as CSV; no cell is a formula to a spreadsheet."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([escape_formula(cell) for cell in row] for row in rows)
    write_bytes(path, text.getvalue().encode())
