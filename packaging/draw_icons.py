"""Draw the desktop's icons from icons/desktop: python packaging/draw_icons.py FOLDER.

Writes NAME-SIZE.png for Linux and, where Pillow is installed, NAME.ico for Windows and NAME.icns
for macOS.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWINGS = Path(__file__).resolve().parents[1] / "icons" / "desktop"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
WINDOWS_SIZES = (16, 24, 32, 48, 64, 128, 256)


def draw_icons(folder: Path) -> None:
    """Write all icons into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for drawing in sorted(DRAWINGS.glob("*.svg")):
        for size in SIZES:
            draw(drawing, size).save(str(folder / f"{drawing.stem}-{size}.png"))
        join(folder, drawing.stem)


def draw(drawing: Path, size: int) -> QImage:
    """The drawing as a square picture."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(drawing)).render(painter)
    painter.end()
    return image


def join(folder: Path, name: str) -> None:
    """Join the pictures of all sizes in the files that Windows and macOS want."""
    try:
        from PIL import Image
    except ImportError:
        print("Pillow is not installed: no icons for Windows and macOS.")
        return
    largest = Image.open(folder / f"{name}-{SIZES[-1]}.png")
    others = [Image.open(folder / f"{name}-{size}.png") for size in SIZES[:-1]]
    sizes = [(size, size) for size in WINDOWS_SIZES]
    largest.save(folder / f"{name}.ico", sizes=sizes, append_images=others)
    largest.save(folder / f"{name}.icns", append_images=others)


if __name__ == "__main__":
    application = QGuiApplication(sys.argv[:1])
    draw_icons(Path(sys.argv[1]))
