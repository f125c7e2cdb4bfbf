"""What a reader of a result should know, in a few small lines."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from ppworkbench.gui.language.text import told
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import IconLabel
from ppworkbench.gui.widgets.layouts import row, text

_SHOWN = 2


def chip(words: str, kind: str) -> QLabel:
    """A small tag in a heading; it keeps its height beside taller buttons."""
    label = text(words, kind)
    label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
    return label


class RemarksLine(QWidget):
    """The first sentences; the others are in the tooltip, which the last words say."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.icon = IconLabel(themes, "info", "text3", 15)
        self.label = text("", "captionHint", wrap=True)
        self.label.setObjectName("remarks")
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = row(self.icon, self.label, parent=self, spacing=7)
        layout.setStretch(1, 1)
        layout.setAlignment(self.icon, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, remarks: tuple[str, ...]) -> None:
        """Show other remarks; nothing where there are none."""
        remarks = tuple(told(remark) for remark in remarks)
        shown = list(remarks[:_SHOWN])
        more = len(remarks) - len(shown)
        if more:
            shown.append(self.tr("And %s more: point here.") % more)
        self.label.setText(" ".join(shown))
        self.setToolTip("\n".join(remarks) if more else "")
        self.setAccessibleName(" ".join(remarks))
        self.setVisible(bool(remarks))
