"""What a person does to the window, and what is seen then."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray
from patience import PATIENCE
from PySide6.QtCore import QBuffer, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from scipy import ndimage

from ppworkbench.gui.jobs import _WORKERS, JobRunner
from ppworkbench.gui.page_task import PageTask

LEFT = Qt.MouseButton.LeftButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press(window, key, modifier=Qt.KeyboardModifier.NoModifier):
    """Press a key."""
    QTest.keyClick(window, key, modifier)
    QApplication.processEvents()


def press_segment(qtbot, segmented, key):
    """Click on a segment: first where it should be, then beside.

    Whatever else is clicked on the way is chosen too, and may take long to show.
    """
    middle = (segmented.keys.index(key) + 0.5) / len(segmented.keys) * segmented.width()
    for x in sorted(range(2, segmented.width(), 4), key=lambda x: abs(x - middle)):
        if segmented.current == key:
            break
        qtbot.mouseClick(segmented, LEFT, pos=QPoint(x, segmented.height() // 2))
    assert segmented.current == key


def modify(window):
    """Change the study, so that it is not saved."""
    window.store.set_settings(seed=window.store.study.settings.seed + 1)


@contextmanager
def waiting_jobs(jobs: JobRunner) -> Iterator[None]:
    """Jobs have to wait for those before them, so that even a short one is still under way."""
    free = Event()
    for number in range(_WORKERS):
        jobs.start(f"before {number}", lambda progress: free.wait(PATIENCE))
    try:
        yield
    finally:
        free.set()


def lose_patience(task: PageTask[Any]) -> None:
    """Let the time pass in which a cancelled job may stop by itself."""
    assert task._patience.isActive()
    task._patience.timeout.emit()


def add_widget(qtbot, widget: QWidget) -> None:
    """Hand a widget over that is painted when its test is over, in the state that it has then.

    Whatever a test does to a page would paint half of it, which takes longer than the page itself;
    pictures that a test takes are painted all the same.
    """
    widget.setUpdatesEnabled(False)
    qtbot.addWidget(widget, before_close_func=_paint)


def _paint(widget: QWidget) -> None:
    widget.setUpdatesEnabled(True)
    QApplication.processEvents()


def is_waiting(page: QWidget) -> bool:
    """Whether a page is about to do something: one of its own timers runs."""
    timers = page.findChildren(QTimer, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return any(timer.isActive() for timer in timers)


def picture(widget: QWidget) -> QImage:
    """A widget as it looks now."""
    return widget.grab().toImage()


def pixels(image: QImage) -> NDArray[np.uint32]:
    """The colours of an image as ``QColor.rgb`` tells them, row by row."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(plain.constBits(), np.uint32).reshape(plain.height(), plain.width()).copy()


def has_ink(widget: QWidget, colour: QColor) -> bool:
    """Whether a colour is seen anywhere in a widget."""
    return not ink_box(widget, colour).isNull()


def ink_box(widget: QWidget, colour: QColor) -> QRect:
    """The smallest box around everything that has a colour; a null one if it is not seen."""
    rows, columns = np.nonzero(pixels(picture(widget)) == QColor(colour).rgb())
    if not len(rows):
        return QRect()
    first = QPoint(int(columns.min()), int(rows.min()))
    return QRect(first, QPoint(int(columns.max()), int(rows.max())))


def drawn_texts(draw: Callable[[QPainter], object]) -> dict[str, float]:
    """What somebody writes with a painter that was not moved, and at which height."""
    content = QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(content)
    painter = QPainter(generator)
    draw(painter)
    painter.end()
    svg = bytes(content.data().data()).decode()
    found = re.findall(r'<text [^>]*? y="(-?[\d.]+)"[^>]*>([^<>]+)</text>', svg)
    return {html.unescape(words).strip(): float(y) for y, words in found}


def painted(widget: QWidget) -> NDArray[np.bool_]:
    """Where a widget paints anything, row by row; its background does not count."""
    nothing = QColor("magenta")
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(nothing)
    widget.render(image, QPoint(), renderFlags=QWidget.RenderFlag(0))
    return pixels(image) != nothing.rgb()


def painted_parts(widget: QWidget) -> list[QRect]:
    """Boxes of what a widget paints, from left to right and line by line."""
    parts, _ = ndimage.label(painted(widget))
    boxes = [
        QRect(QPoint(across.start, down.start), QPoint(across.stop - 1, down.stop - 1))
        for down, across in ndimage.find_objects(parts)
    ]
    lines: list[list[QRect]] = []
    for box in sorted(boxes, key=QRect.top):
        # Parts of one line may begin a pixel apart.
        if lines and box.top() < lines[-1][0].center().y():
            lines[-1].append(box)
        else:
            lines.append([box])
    return [box for line in lines for box in sorted(line, key=QRect.left)]


def take_script(qtbot, entry: str = "script-python") -> None:
    """Click through the open menu to the scripts of a part of a page, and take one of them."""
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    inner = menu.findChild(QMenu, "partScripts")
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(inner.menuAction()).center())
    qtbot.waitUntil(inner.isVisible)
    wanted = next(one for one in inner.actions() if one.objectName() == entry)
    qtbot.mouseClick(inner, LEFT, pos=inner.actionGeometry(wanted).center())
