"""The whole design of an attribute in two lines, the first thing to be read."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.pages.design.sentences import design_sentence
from ppworkbench.gui.spoken import Spoken
from ppworkbench.gui.widgets.icon_button import IconButton, IconLabel
from ppworkbench.gui.widgets.layouts import row
from ppworkbench.gui.widgets.live_label import LiveLabel
from ppworkbench.gui.workbench import Workbench


class WordsStrip(QWidget):
    """A tinted strip with the sentence and a copy button."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._themes = workbench.themes
        self._workbench = workbench
        self._words = LiveLabel(2)
        self.label = self._words.label
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = IconButton(workbench.themes, "copy", self.tr("Copy this sentence"), 16)
        self.copy.setObjectName("copyWords")
        self.copy.clicked.connect(self._on_copy)
        self.help = IconButton(workbench.themes, "question", self.tr("About this mechanism"), 16)
        self.help.setObjectName("mechanismHelp")
        self.caution = IconButton(workbench.themes, "warning", "", 18)
        self.caution.setObjectName("cautions")
        self.caution.clicked.connect(self._on_caution)
        self.caution.hide()
        self.caution.show_icon(workbench.themes, "warning", "warningText")
        icon = IconLabel(workbench.themes, "info", "accentInk", 18)
        layout = row(icon, self._words, self.caution, self.help, self.copy, parent=self, spacing=8)
        layout.setStretch(1, 1)
        layout.setContentsMargins(14, 6, 10, 6)
        self._spoken = Spoken(self, self._plain)
        self.setMinimumHeight(workbench.theme.px(48))
        self._themes.theme_changed.connect(self.update)

    def show_report(self, report: AttributeReport) -> None:
        """Say what the design of the attribute means."""
        sentence = design_sentence(self, report)
        self._words.set_text(f"<b>{self.tr('In words.')}</b> {sentence}")
        self.setAccessibleDescription(self._plain())
        self._spoken.changed()

    def show_cautions(self, sentences: tuple[str, ...]) -> None:
        """Offer what should be kept in mind behind a triangle."""
        self.caution.setVisible(bool(sentences))
        joined = "\n".join(sentences)
        self.caution.setToolTip(joined)
        self.caution.setAccessibleName(self.tr("Keep in mind: %s") % joined)

    def _on_caution(self) -> None:
        spot = self.caution.mapToGlobal(self.caution.rect().bottomLeft())
        QToolTip.showText(spot, self.caution.toolTip(), self.caution)

    def _plain(self) -> str:
        return html.unescape(re.sub(r"<[^>]*>", "", self.label.text()))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(self._plain())
        self._workbench.toast_requested.emit(self.tr("Sentence copied."), False)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the tint."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._themes.theme.colour("accentTint"))
        painter.drawRoundedRect(QRectF(self.rect()), 8, 8)
