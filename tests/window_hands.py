"""What a person does to the window, and what is seen then."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

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


def picture(widget: QWidget) -> QImage:
    """A widget as it looks now."""
    return widget.grab().toImage()


def has_ink(widget: QWidget, colour: QColor) -> bool:
    """Whether a colour is seen anywhere in a widget."""
    image = picture(widget).convertToFormat(QImage.Format.Format_RGB32)
    return bool((np.frombuffer(image.constBits(), np.uint32) == QColor(colour).rgb()).any())


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
