"""A tinted box with a sentence, or an amber one with a refusal."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame

from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.layouts import column, text


class WordsBox(QFrame):
    """Wraps its sentence; keeps room for the longest usual one, so that nothing below jumps."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._warns = False
        self.label = text("", wrap=True)
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        column(self.label, parent=self).setContentsMargins(12, 9, 12, 9)
        themes.theme_changed.connect(self._colour)
        self._colour()

    @property
    def warns(self) -> bool:
        """Whether the sentence is a refusal."""
        return self._warns

    def say(self, sentence: str, *, warns: bool = False) -> None:
        """Show a sentence."""
        self.label.setText(sentence)
        self.setAccessibleDescription(sentence.replace("<b>", "").replace("</b>", ""))
        if warns != self._warns:
            self._warns = warns
            self._colour()

    def _colour(self) -> None:
        theme = self._themes.theme
        fill, ink = ("warningBg", "warningText") if self._warns else ("accentTint", "text")
        set_rules(
            self,
            f"WordsBox {{ background: {theme.hex(fill)}; border-radius: 6px; }}"
            f"QLabel {{ color: {theme.hex(ink)}; font-size: {theme.px(12)}px; }}",
        )
        self.label.setMinimumHeight(theme.px(64))
