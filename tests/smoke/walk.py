"""Walks through the real window as a person would, and prints as JSON what it saw."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from patience import PATIENCE
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QPushButton,
    QSlider,
    QStyle,
    QStyleOptionSlider,
    QWidget,
)

from ppworkbench.core.design import Ordinal
from ppworkbench.gui.app import catch_everything, make_window
from ppworkbench.gui.application import load_everything, make_application
from ppworkbench.gui.pages.start.page import ListRow
from ppworkbench.gui.widgets.controls import Switch

LEFT = Qt.MouseButton.LeftButton
ATTRIBUTE = "satisfaction_transport"


class Walk:
    """A window, and the hands and eyes of somebody in front of it."""

    def __init__(self, folder: Path) -> None:
        self.app = make_application()
        self.folder = folder
        settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        load_everything()
        self.window = make_window(settings, "light", folder)
        catch_everything(self.window)
        self.window.resize(1366, 768)
        self.window.show()
        QTest.qWaitForWindowExposed(self.window, 1000 * PATIENCE)
        self.window.activateWindow()
        active = QTest.qWaitForWindowActive(self.window, 1000 * PATIENCE)
        self.seen: dict[str, object] = {"platform": self.app.platformName(), "active": active}

    def settle(self, seconds: float = 0.3) -> None:
        """Wait until nothing is under way any more."""
        limit = time.monotonic() + PATIENCE
        quiet = time.monotonic()
        while time.monotonic() - quiet < seconds and time.monotonic() < limit:
            self.app.processEvents()
            if not self.window.workbench.jobs.is_idle:
                quiet = time.monotonic()
            time.sleep(0.005)

    def find(self, kind: type[QWidget], name: str) -> QWidget:
        """A control that can be seen."""
        for widget in self.window.findChildren(kind, name):
            if widget.isVisible():
                return widget
        raise LookupError(name)

    def click(self, kind: type[QWidget], name: str) -> None:
        """Click into the middle of a control."""
        widget = self.find(kind, name)
        QTest.mouseClick(widget, LEFT, Qt.KeyboardModifier.NoModifier, widget.rect().center())
        self.settle()

    def picture(self, name: str) -> None:
        """Take a picture of the window as the screen shows it."""
        screen = self.window.screen()
        screen.grabWindow(self.window.winId()).save(str(self.folder / f"{name}.png"))

    def drag(self, slider: QSlider, steps: int) -> None:
        """Take the handle of a slider and move it step by step."""
        option = QStyleOptionSlider()
        slider.initStyleOption(option)
        control, part = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
        handle = slider.style().subControlRect(control, option, part, slider).center()
        QTest.mousePress(slider, LEFT, Qt.KeyboardModifier.NoModifier, handle)
        for step in range(1, steps + 1):
            QTest.mouseMove(slider, handle - QPoint(3 * step, 0))
            self.app.processEvents()
        end = handle - QPoint(3 * steps, 0)
        QTest.mouseRelease(slider, LEFT, Qt.KeyboardModifier.NoModifier, end)
        self.settle()

    def pick(self, name: str, words: str) -> None:
        """Choose a line of a list that folds down."""
        box = self.find(QComboBox, name)
        assert isinstance(box, QComboBox)
        place = box.findText(words)
        assert place >= 0, words
        box.setCurrentIndex(place)
        box.activated.emit(place)
        self.settle()

    def perturbation(self) -> Ordinal:
        """How the attribute is distorted now."""
        found = self.window.store.study.design[ATTRIBUTE].perturbation
        assert isinstance(found, Ordinal)
        return found


def main(folder: Path) -> None:
    """The walk."""
    walk = Walk(folder)
    window, seen = walk.window, walk.seen
    walk.settle()
    walk.picture("start")
    walk.click(ListRow, "sample-city-survey")
    seen["after sample"] = [window.current, window.store.study.rows]
    walk.picture("data")
    walk.click(QPushButton, "goToDesignButton")
    window.store.select([ATTRIBUTE])
    walk.settle()
    walk.picture("design")
    walk.pick("mechanism", "Neighbours")
    before, edits = walk.perturbation(), window.store.undo_stack.count()
    slider = walk.find(QSlider, "weight0Slider")
    assert isinstance(slider, QSlider)
    walk.drag(slider, 12)
    dragged = walk.perturbation()
    steps = window.store.undo_stack.count() - edits
    seen["drag"] = [before.weights[0], dragged.weights[0], steps]
    loop = walk.find(Switch, "loopSwitch")
    QTest.mouseClick(loop, LEFT)
    walk.settle()
    seen["loop"] = walk.perturbation().loop
    walk.picture("design-loop")
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    walk.settle()
    seen["loop after undo"] = walk.perturbation().loop
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    walk.settle()
    seen["weights after second undo"] = walk.perturbation().weights[0]
    walk.click(QPushButton, "tryOutButton")
    seen["page"] = window.current
    walk.settle(0.6)
    walk.picture("explore")
    seen["error"] = window.banner.label.text() if window.banner.isVisible() else ""
    window.store.forget_changes()
    seen["closed"] = window.close()
    seen["left"] = [p.name for p in folder.glob("recovery/*")]
    sys.stdout.write(json.dumps(seen) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    QApplication.processEvents()
