"""The five minutes of the README, word by word, in the real window; prints what was seen as JSON.

Every step takes its names, keys and numbers out of the README's own text: a step that does not
say what is done here fails, and what it says beyond that is told at the end.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QToolButton,
    QWidget,
)
from walk import LEFT, Walk

from ppworkbench.core.design import Ordinal, Uniform
from ppworkbench.gui.pages.design.attribute_list import AttributeModel
from ppworkbench.gui.pages.publish.bundle_dialog import ReleaseDialog
from ppworkbench.gui.pages.start.page import ListRow
from ppworkbench.gui.widgets.card import ReadoutCard
from ppworkbench.gui.widgets.controls import Segmented

README = Path(__file__).resolve().parents[2] / "README.md"
_STEP = re.compile(r"^\d\. (.+?)(?=^\d\. |^\n|\Z)", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"\*{1,2}([^*]+)\*{1,2}|`([^`]+)`|“([^”]+)”")
_KEYS = re.compile(r"\b(?:Ctrl|Shift|Alt)\+\w+|\bEnter\b")
_NUMBER = re.compile(r"(?<![\w+.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")


class Told:
    """A step of the README: its words, and which of them have been followed."""

    def __init__(self, words: str) -> None:
        self.words = " ".join(words.split())
        self._followed: set[str] = set()

    def take(self, said: str) -> str:
        """A name, key or number that the step has to say."""
        if said not in self._said():
            raise LookupError(f"README does not say {said!r} in: {self.words}")
        self._followed.add(said)
        return said

    def number(self, said: str) -> float:
        """A number of the step."""
        return float(self.take(said).replace(",", ""))

    @property
    def rest(self) -> list[str]:
        """What the step says and nobody has done or checked."""
        return sorted(self._said() - self._followed)

    def _said(self) -> set[str]:
        named = {"".join(found) for found in _NAMED.findall(self.words)}
        bare = _NAMED.sub(" ", self.words)
        return named | set(_KEYS.findall(bare)) | set(_NUMBER.findall(bare))


def told_steps() -> list[Told]:
    """The numbered steps below the heading “Five minutes”."""
    part = README.read_text("utf-8").split("\n## Five minutes\n")[1].split("\n## ")[0]
    return [Told(words) for words in _STEP.findall(part)]


class ReadmeWalk(Walk):
    """Somebody who has the README beside the window."""

    def press(self, keys: str) -> None:
        """Press keys as they are written."""
        target = QApplication.focusWidget() or self.window
        QTest.keySequence(target, QKeySequence("Return" if keys == "Enter" else keys))
        self.settle()

    def select(self, title: str) -> str:
        """Click an attribute of the list of the Design page; the name of its column."""
        view = self.find(QListView, "attributes")
        assert isinstance(view, QListView)
        model = view.model()
        assert isinstance(model, AttributeModel)
        indexes = [model.index(row, 0) for row in range(model.rowCount())]
        index = next(one for one in indexes if one.data() == title)
        name = model.names[index.row()]
        view.scrollTo(index)
        spot = view.visualRect(index).center()
        QTest.mouseClick(view.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, spot)
        self.settle()
        assert self.window.store.current == name
        return name

    def card(self, topic: str) -> ReadoutCard:
        """A readout of the Design page."""
        found = self.find(ReadoutCard, f"card-{topic}")
        assert isinstance(found, ReadoutCard)
        return found

    def keep(self) -> float:
        """The probability with which the selected attribute is kept."""
        study = self.window.store.study
        found = study.design[self.window.store.current or ""].perturbation
        assert isinstance(found, Uniform)
        return found.keep

    def type_into(self, field: QWidget, words: str) -> None:
        """Replace what stands in a field."""
        field.setFocus()
        QTest.keySequence(field, QKeySequence(QKeySequence.StandardKey.SelectAll))
        QTest.keyClicks(field, words)


def _open_sample(walk: ReadmeWalk, told: Told) -> None:
    wanted = told.take("City survey")
    rows = walk.window.findChildren(ListRow)
    sample = next(one for one in rows if one.isVisible() and one.accessibleName() == wanted)
    QTest.mouseClick(sample, LEFT)
    walk.settle()
    assert walk.window.current == "data"
    study = walk.window.store.study
    assert len(study.design.names) == told.number("21")
    assert study.shown(study.design.class_name or "") == told.take("Supports the new school")
    walk.press(told.take("Ctrl+Enter"))


def _change_keep(walk: ReadmeWalk, told: Told) -> None:
    assert walk.window.current == told.take("Design").lower()
    walk.select(told.take("Rode without a ticket"))
    assert walk.window.store.study.settings.respondents == told.number("5,000")
    for keep, odds, points in (("0.60", "1.5", "6.9"), ("0.70", "2.3", "3.4")):
        wanted = told.number(keep)
        if walk.keep() != wanted:
            field = walk.find(QDoubleSpinBox, "keepBox")
            walk.type_into(field, keep)
            walk.press(told.take("Enter"))
        assert walk.keep() == wanted
        assert f" {told.take(odds)} ×" in walk.card("epsilon").reading
        assert walk.card("standard-error").number == f"± {told.take(points)}"


def _aim(walk: ReadmeWalk, told: Told) -> None:
    label = told.take("Target")
    assert any(one.text() == label for one in walk.window.findChildren(QLabel) if one.isVisible())
    measures = walk.find(QComboBox, "aimMeasure")
    assert isinstance(measures, QComboBox)
    measures.setFocus()
    QTest.keyClicks(measures, told.take("epsilon"))
    assert measures.currentText() == "epsilon"
    measures.activated.emit(measures.currentIndex())
    walk.settle()
    walk.type_into(walk.find(QLineEdit, "aimValue"), told.take("1"))
    walk.press(told.take("Enter"))
    assert round(walk.keep(), 3) == told.number("0.731")
    walk.press(told.take("Ctrl+D"))
    walk.find(QToolButton, "pinA")
    walk.press(told.take("Ctrl+Z"))
    assert round(walk.keep(), 3) != 0.731


def _close_the_scale(walk: ReadmeWalk, told: Told) -> None:
    name = walk.select(told.take("Trust in the council"))
    walk.pick("mechanism", told.take("Neighbours"))
    walk.press(told.take("Ctrl+L"))
    found = walk.window.store.study.design[name].perturbation
    assert isinstance(found, Ordinal)
    assert found.loop


def _explore(walk: ReadmeWalk, told: Told) -> None:
    walk.press(told.take("Ctrl+Enter"))
    assert walk.window.current == told.take("Explore").lower()
    for name, label in (("distortAgain", "Distort again"), ("repeatDraws", "Repeat 100 ×")):
        button = walk.find(QPushButton, f"{name}Button")
        assert isinstance(button, QPushButton)
        assert button.text() == told.take(label)
        QTest.mouseClick(button, LEFT)
        walk.settle()


def _ask(walk: ReadmeWalk, told: Told) -> None:
    walk.press(told.take("Ctrl+5"))
    assert walk.window.current == told.take("Survey").lower()
    told.take("Add condition")
    walk.click(QPushButton, "addCondition")
    editor = next(one for one in QApplication.topLevelWidgets() if one.objectName() == "testEditor")
    field = editor.findChild(QComboBox, "testAttribute")
    assert field is not None
    QTest.keyClicks(field.lineEdit(), told.take("ticket"))
    # The list of what fits takes the keys, as it does from a person.
    QTest.keyClick(QApplication.activePopupWidget() or field.lineEdit(), Qt.Key.Key_Return)
    told.take("Enter")
    walk.settle()
    values = editor.findChild(QListView, "valuePicks")
    assert values is not None
    model = values.model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    yes = next(one for one in rows if one.data() == told.take("yes"))
    spot = values.visualRect(yes).center()
    QTest.mouseClick(values.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, spot)
    walk.settle()
    editor.close()
    walk.settle()
    shown = walk.find(QLabel, "estimateNumber")
    assert isinstance(shown, QLabel)
    walk.seen["estimate"] = shown.text()


def _publish(walk: ReadmeWalk, told: Told) -> None:
    walk.press(told.take("Ctrl+8"))
    assert walk.window.current == told.take("Publish").lower()
    kinds = walk.find(Segmented, "publishMode")
    assert isinstance(kinds, Segmented)
    told.take("Distorted table")
    kinds.setFocus()
    QTest.keyClick(kinds, Qt.Key.Key_Right)
    walk.settle()
    told.take("Export bundle…")
    walk.press(told.take("Ctrl+Enter"))
    dialog = next(one for one in walk.window.findChildren(ReleaseDialog) if one.isVisible())
    field = dialog.findChild(QLineEdit, "bundlePath")
    assert field is not None
    walk.type_into(field, str(walk.folder / "bundle"))
    export = dialog.findChild(QPushButton, "exportNow")
    assert export is not None
    assert export.text() == told.take("Export")
    QTest.mouseClick(export, LEFT)
    walk.settle()
    walk.seen["bundle"] = sorted(one.name for one in (walk.folder / "bundle").iterdir())
    for open_dialog in walk.window.findChildren(QDialog):
        open_dialog.close()
    walk.settle()


STEPS: tuple[Callable[[ReadmeWalk, Told], None], ...] = (
    _open_sample, _change_keep, _aim, _close_the_scale, _explore, _ask, _publish,
)  # fmt: skip


def main(folder: Path) -> None:
    """Follow the README from the start screen to a bundle."""
    told = told_steps()
    walk = ReadmeWalk(folder)
    walk.settle()
    walk.seen["steps"] = [len(told), len(STEPS)]
    for number, (follow, step) in enumerate(zip(STEPS, told, strict=True), 1):
        try:
            follow(walk, step)
        except Exception:
            walk.picture(f"step-{number}")
            raise
        walk.picture(f"step-{number}")
    walk.seen["not followed"] = {
        place: step.rest for place, step in enumerate(told, 1) if step.rest
    }
    banner = walk.window.banner
    walk.seen["error"] = banner.label.text() if banner.isVisible() else ""
    walk.window.store.forget_changes()
    walk.seen["closed"] = walk.window.close()
    sys.stdout.write(json.dumps(walk.seen) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    QApplication.processEvents()
