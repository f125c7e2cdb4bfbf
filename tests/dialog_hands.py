"""A person in front of the program's dialogs: real ones, with real keys and clicks."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
)
from pytestqt.qtbot import QtBot

AnyDialog = TypeVar("AnyDialog", bound=QDialog)


class DialogHands:
    """Waits for dialogs, fills them in, accepts and cancels them."""

    def __init__(self, qtbot: QtBot) -> None:
        self._qtbot = qtbot

    def front(self, kind: type[AnyDialog]) -> AnyDialog:
        """The dialog that waits for an answer."""
        self._qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), kind))
        found = QApplication.activeModalWidget()
        assert isinstance(found, kind)
        return found

    @property
    def is_open(self) -> bool:
        """Whether a dialog waits for an answer."""
        return QApplication.activeModalWidget() is not None

    def choose(self, *paths: Path | str) -> None:
        """Put names into the file dialog in front and accept it."""
        dialog = self.front(QFileDialog)
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        names = [str(path) for path in paths]
        typed = names[0] if len(names) == 1 else " ".join(f'"{name}"' for name in names)
        field.setFocus()
        # As pasted: letter by letter the dialog moves on to each folder, and completes names.
        field.setText(typed)
        box = dialog.findChild(QDialogButtonBox)
        kinds = QDialogButtonBox.StandardButton
        self._click(box.button(kinds.Save) or box.button(kinds.Open) or box.button(kinds.Ok))
        self._let_go()

    def choose_kind(self, name_filter: str) -> None:
        """Choose the kind of file in the file dialog in front."""
        kinds = self.front(QFileDialog).findChild(QComboBox, "fileTypeCombo")
        kinds.setFocus()
        while kinds.currentText() != name_filter:
            before = kinds.currentIndex()
            self._qtbot.keyClick(kinds, Qt.Key.Key_Down)
            assert kinds.currentIndex() != before, name_filter

    def cancel(self) -> None:
        """Press Esc in the dialog in front."""
        self._qtbot.keyClick(self.front(QDialog), Qt.Key.Key_Escape)
        self._let_go()

    def answer(self, label: str) -> str:
        """Press a button of the question in front; returns what was asked."""
        box = self.front(QMessageBox)
        question = box.text()
        labels = {button.text().replace("&", ""): button for button in box.buttons()}
        self._click(labels[label])
        self._let_go()
        return question

    def _click(self, button: QAbstractButton) -> None:
        self._qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def _let_go(self) -> None:
        """Let dialogs that are done be deleted, as the event loop does."""
        QApplication.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
