"""One sentence under the header, with an action and rarely a second one."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.controls import IconButton, IconLabel
from ppworkbench.gui.widgets.layout import row, text

Action = tuple[str, Callable[[], object]]
"""What a link of the banner says, and what it does."""

_ICONS = {"error": "error", "warning": "warning", "info": "info"}


class Banner(QWidget):
    """Error, warning or information; hidden while there is nothing to say."""

    closed = Signal()

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._kind = "info"
        self._actions: list[Callable[[], object]] = []
        self.icon = IconLabel(themes, "info", "infoText", 18)
        self.label = text("", wrap=True, selectable=True)
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.button, self.other_button = QPushButton(), QPushButton()
        self.button.setObjectName("bannerAction")
        self.other_button.setObjectName("bannerOther")
        for place, button in enumerate((self.button, self.other_button)):
            button.setProperty("look", "link")
            button.clicked.connect(lambda *_, place=place: self._actions[place]())
        self.close_button = IconButton(themes, "close", self.tr("Close this message"), 14)
        self.close_button.setObjectName("bannerClose")
        self.close_button.clicked.connect(self._on_close)
        row(
            self.icon, self.label, self.button, self.other_button, self.close_button,
            parent=self, spacing=10,
        ).setContentsMargins(12, 6, 8, 6)  # fmt: skip
        self.setMinimumHeight(34)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Message"))
        themes.theme_changed.connect(self._colour)
        self.hide()

    @property
    def kind(self) -> str:
        return self._kind

    def say(
        self,
        kind: str,
        strong: str,
        rest: str = "",
        action: Action | None = None,
        other: Action | None = None,
        *,
        closable: bool = True,
    ) -> None:
        """Show a message; the strong part says what, the rest what was done or what to do."""
        self._kind = kind
        self.icon.show_icon(_ICONS[kind], f"{kind}Text")
        self.label.setText(f"<b>{_escaped(strong)}</b> {_escaped(rest)}")
        self.setAccessibleDescription(f"{strong} {rest}")
        offered = [offer for offer in (action, other) if offer is not None]
        self._actions = [act for _, act in offered]
        for place, button in enumerate((self.button, self.other_button)):
            button.setText(offered[place][0] if place < len(offered) else "")
            button.setVisible(place < len(offered))
        self.close_button.setVisible(closable)
        self._colour()
        self.show()

    def _colour(self) -> None:
        colour = self._themes.theme.hex(f"{self._kind}Text")
        set_rules(self.label, f"color: {colour};")
        link = f"color: {colour}; text-decoration: underline; font-weight: 600;"
        for button in (self.button, self.other_button):
            set_rules(button, link)
        line, ground = (self._themes.theme.hex(f"{self._kind}{part}") for part in ("Line", "Bg"))
        set_rules(
            self,
            f"Banner {{ background: {ground}; border: 1px solid {line}; border-radius: 8px; }}",
        )

    def _on_close(self) -> None:
        self.hide()
        self.closed.emit()


def _escaped(content: str) -> str:
    return content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
