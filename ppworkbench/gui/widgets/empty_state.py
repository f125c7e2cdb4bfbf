"""What a page shows while it has nothing to show."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import Button, IconLabel
from ppworkbench.gui.widgets.layouts import column, row, text


class EmptyState(QWidget):
    """An icon, what is missing, what to do, and a button for it."""

    def __init__(
        self, themes: ThemeManager, icon_name: str, missing: str, advice: str, action: str = ""
    ) -> None:
        super().__init__()
        self.heading = text(missing, "subtitle", wrap=True)
        self.advice = text(advice, "hint", wrap=True)
        for label in (self.heading, self.advice):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setMaximumWidth(440)
            label.setMinimumWidth(320)
        self.button = Button(themes, action)
        column(
            None,
            row(None, IconLabel(themes, icon_name, "accentInk", 36), None),
            row(None, self.heading, None),
            row(None, self.advice, None),
            row(None, self.button, None),
            None,
            parent=self,
            spacing=10,
            margin=16,
        )
        self.button.setVisible(bool(action))
