"""Line icons from ``icons/``, coloured by the theme when they are loaded."""

from __future__ import annotations

import atexit
import hashlib
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from ppworkbench.core.files import icons_folder, make_temporary_folder, remove_temporary_folder

_folder: Path | None = None
_SIZE_WITHOUT_FILES = 48


@cache
def _source(name: str) -> str:
    return (icons_folder() / f"{name}.svg").read_text(encoding="utf-8")


def coloured_svg(name: str, colour: QColor) -> bytes:
    """The icon's SVG with every ``currentColor`` replaced."""
    return _source(name).replace("currentColor", colour.name()).encode()


def icon(name: str, colour: QColor, disabled: QColor | None = None) -> QIcon:
    """An icon of the set in one colour."""
    return _icon(name, colour.name(), (disabled or colour).name())


@cache
def _icon(name: str, colour: str, disabled: str) -> QIcon:
    # Qt draws the file at whatever size and scale is asked for, so that it is always sharp. An
    # engine in Python would be deleted under Qt's hands when Qt clones it.
    made = QIcon()
    for mode, shade in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        file = icon_file(name, QColor(shade))
        if file:
            made.addFile(file, QSize(), mode)
        else:
            made.addPixmap(pixmap(name, QColor(shade), _SIZE_WITHOUT_FILES), mode)
    return made


def pixmap(name: str, colour: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    """An icon as a picture for a label."""
    made = QPixmap(round(size * ratio), round(size * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    QSvgRenderer(QByteArray(coloured_svg(name, colour))).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return made


def icon_file(name: str, colour: QColor) -> str:
    """A coloured icon as a file, because style sheets take nothing else; empty on a full disk."""
    global _folder  # noqa: PLW0603 (one temporary folder for the life of the program)
    svg = coloured_svg(name, colour)
    digest = hashlib.sha256(svg).hexdigest()[:12]
    try:
        if _folder is None:
            _folder = make_temporary_folder()
            atexit.register(remove_temporary_folder, _folder)
        path = _folder / f"{name}-{digest}.svg"
        if not path.exists() or path.stat().st_size != len(svg):
            path.write_bytes(svg)
    except OSError:
        return ""
    return path.as_posix()
