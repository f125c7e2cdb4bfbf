"""A page within the Design page: about all questions at once, shown in place of the editors."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import Study


class SubPage(QWidget):
    """Shows the study, and says what it should become.

    It is built when it is first shown, and given the study then and after every change while it is
    in front.
    """

    key: ClassVar[str]
    edited = Signal(object, str, str)
    """The study after an edit, the words of the undo step, and the gesture or nothing.

    All edits of one gesture are one undo step.
    """
    sub_page_requested = Signal(str)
    """Show another part of the page."""
    question_requested = Signal(str, str)
    """Show a question in its editor, as an arm asks it; the arm is empty for the whole design."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.themes = workbench.themes
        self.setObjectName(f"{self.key}SubPage")

    @classmethod
    def title(cls) -> str:
        """What the switch calls it, in the language of the window."""
        raise NotImplementedError

    @classmethod
    def hint(cls) -> str:
        """What is decided there, for the line beside the title; that of the page if empty."""
        return ""

    def set_view(self, study: Study) -> None:
        raise NotImplementedError
