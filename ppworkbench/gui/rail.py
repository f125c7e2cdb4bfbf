"""The navigation rail: pages in the order of the work, Learn apart at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QFrame, QSizePolicy, QVBoxLayout

from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.theme.icons import icon
from ppworkbench.gui.widgets.layouts import line

_MARGIN = 8
_BAR = 3
_LEAST_ICON = 18


class RailButton(QAbstractButton):
    """An icon over a word; a tint and a bar mark the page in front."""

    def __init__(self, themes: ThemeManager, icon_name: str, text: str) -> None:
        super().__init__()
        self._themes = themes
        self._icon_name = icon_name
        self._stale = False
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        themes.theme_changed.connect(self.update)

    def set_stale(self, stale: bool) -> None:
        """Mark the page's results as older than the design."""
        self._stale = stale
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The rail's width less its margins."""
        return QSize(max(self._themes.theme.px(60), self.word_width()), self._themes.theme.px(54))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Room for the word under a small icon."""
        return QSize(self.sizeHint().width(), self._word_height() + _LEAST_ICON + 8)

    def _word_height(self) -> int:
        return QFontMetrics(self._themes.theme.font("caption", "semibold")).height()

    def word_width(self) -> int:
        """Room for the word while it is bold."""
        bold = QFontMetrics(self._themes.theme.font("caption", "semibold"))
        return bold.horizontalAdvance(self.text()) + 4

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the tint, the bar, icon and word."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        if self.isChecked() or (self.underMouse() and self.isEnabled()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accentTint" if self.isChecked() else "hover"))
            painter.drawRoundedRect(box, 8, 8)
        if self.isChecked():
            painter.setBrush(theme.colour("accentInk"))
            quarter = box.height() / 4
            painter.drawRoundedRect(QRectF(0, quarter, _BAR, 2 * quarter), _BAR / 2, _BAR / 2)
        if self.hasFocus():
            painter.setPen(theme.colour("focus"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 7, 7)
        colour = "accentInk" if self.isChecked() else "text2"
        if not self.isEnabled():
            colour = "textDisabled"
        # In a low window the icon gives way, never the word.
        word = max(self._word_height(), theme.px(18))
        size = min(theme.px(22), max(self.height() - word - 8, _LEAST_ICON))
        above = min(theme.px(8), max((self.height() - word - size) / 2, 2))
        spot = QRectF(box.center().x() - size / 2, box.top() + above, size, size)
        icon(self._icon_name, theme.colour(colour)).paint(painter, spot.toRect())
        if self._stale:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("warningLine"))
            painter.drawEllipse(QRectF(spot.right(), spot.top() - 3, 7, 7))
        weight = "semibold" if self.isChecked() else "regular"
        font = theme.font("caption", weight)
        painter.setFont(font)
        painter.setPen(theme.colour(colour))
        below = min(theme.px(4), self.height() - spot.bottom() - word)
        label = QRectF(box.left(), box.bottom() - below - word, box.width(), word)
        painter.drawText(label, Qt.AlignmentFlag.AlignCenter, self.text())


class Rail(QFrame):
    """Buttons of all pages."""

    page_chosen = Signal(str)

    def __init__(
        self,
        themes: ThemeManager,
        pages: Sequence[tuple[str, str, str]],
        last: Sequence[tuple[str, str, str]],
    ) -> None:
        super().__init__()
        self._themes = themes
        self.setObjectName("rail")
        self.setAccessibleName(self.tr("Pages"))
        self.buttons: dict[str, RailButton] = {}
        self._group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, 8, _MARGIN, 8)
        layout.setSpacing(8)
        for page in pages:
            layout.addWidget(self._add(*page))
        layout.addStretch(1)
        if last:
            layout.addWidget(line())
        for page in last:
            layout.addWidget(self._add(*page))
        themes.theme_changed.connect(self._resize)
        self._resize()

    def _add(self, name: str, icon_name: str, text: str) -> RailButton:
        button = RailButton(self._themes, icon_name, text)
        button.setObjectName(f"{name}Button")
        button.clicked.connect(lambda: self.page_chosen.emit(name))
        self._group.addButton(button)
        self.buttons[name] = button
        return button

    def show_page(self, name: str) -> None:
        """Mark a page as the one in front; an unknown name marks none."""
        self._group.setExclusive(False)
        for key, button in self.buttons.items():
            button.setChecked(key == name)
        self._group.setExclusive(name in self.buttons)

    def mark(self, name: str) -> None:
        """Mark another page beside the one in front."""
        self._group.setExclusive(False)
        self.buttons[name].setChecked(True)

    def set_usable(self, name: str, missing: str, hint: str) -> None:
        """Grey a page out and say what is missing, or say what it is for."""
        button = self.buttons[name]
        button.setEnabled(not missing)
        button.setToolTip(missing or hint)

    def _resize(self) -> None:
        theme = self._themes.theme
        words = max((button.word_width() for button in self.buttons.values()), default=0)
        self.setFixedWidth(max(theme.px(theme.tokens.size("rail")), words + 2 * _MARGIN))
        surface, border = theme.hex("surface"), theme.hex("border")
        set_rules(
            self,
            f"#rail {{ background: {surface}; border: none; border-right: 1px solid {border}; }}",
        )
