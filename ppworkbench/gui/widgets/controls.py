"""Buttons and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QFocusEvent, QIcon, QKeyEvent, QMouseEvent, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from ppworkbench.gui.theme import (
    ThemeManager,
    icon,
    pixmap,
    set_fill,
    set_outline,
    set_rules,
    smooth_painter,
)
from ppworkbench.gui.widgets.layout import named


class Clickable(QWidget):
    """One focus stop; a click, Enter or Space opens it. ``framed`` looks like a card."""

    clicked = Signal()

    def __init__(self, themes: ThemeManager, name: str, line: str, *, framed: bool = False) -> None:
        super().__init__()
        self._themes = themes
        # The style sheet draws it.
        self.setProperty("look", "tile" if framed else "entry")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(name)
        self.setAccessibleDescription(line)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)


class IconButton(QToolButton):
    """A small button that shows only an icon; its name is the tooltip."""

    def __init__(self, themes: ThemeManager, icon_name: str, name: str, size: int = 18) -> None:
        super().__init__()
        self.setToolTip(name)
        self.setAccessibleName(name)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumSize(24, 24)
        self._size = size
        self.show_icon(themes, icon_name)

    def show_icon(self, themes: ThemeManager, icon_name: str, colour: str = "text2") -> None:
        _IconOfButton(self, themes, icon_name, colour, self._size)


class Button(QPushButton):
    """A button with a text and perhaps an icon; look is primary, secondary or link."""

    def __init__(
        self, themes: ThemeManager, text: str, icon_name: str = "", look: str = "secondary"
    ) -> None:
        super().__init__(text)
        self.setProperty("look", look)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._themes = themes
        self._icon: _IconOfButton | None = None
        self.icon_name = ""
        self.show_icon(icon_name)

    def show_icon(self, icon_name: str) -> None:
        if icon_name == self.icon_name:
            return
        self.icon_name = icon_name
        if self._icon is not None:
            self._icon.deleteLater()
            self._icon = None
        if not icon_name:
            self.setIcon(QIcon())
            return
        look = str(self.property("look"))
        colour = {"primary": "accentText", "link": "accentInk"}.get(look, "text")
        self._icon = _IconOfButton(self, self._themes, icon_name, colour, 16)


class IconLabel(QLabel):
    def __init__(
        self, themes: ThemeManager, icon_name: str, colour: str = "text2", size: int = 18
    ) -> None:
        super().__init__()
        self._themes, self._icon, self._colour, self._size = themes, icon_name, colour, size
        themes.follow(self._draw)

    def show_icon(self, icon_name: str, colour: str | None = None) -> None:
        self._icon, self._colour = icon_name, colour or self._colour
        self._draw()

    def _draw(self) -> None:
        theme = self._themes.theme
        size = theme.px(self._size)
        self.setFixedSize(size, size)
        colour = theme.colour(self._colour)
        self.setPixmap(pixmap(self._icon, colour, size, self.devicePixelRatioF()))


class _IconOfButton(QObject):
    """Belongs to its button, so that it hears of no theme after the button is gone."""

    def __init__(
        self,
        button: QAbstractButton,
        themes: ThemeManager,
        icon_name: str,
        colour: str,
        size: int,
    ) -> None:
        super().__init__(button)
        self._button, self._themes, self._icon, self._colour = button, themes, icon_name, colour
        self._size = size
        themes.follow(self._draw)

    def _draw(self) -> None:
        theme = self._themes.theme
        size = QSize(theme.px(self._size), theme.px(self._size))
        if self._button.iconSize() != size:
            self._button.setIconSize(size)
        self._button.setIcon(
            icon(self._icon, theme.colour(self._colour), theme.colour("textDisabled"))
        )


_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class EscapeLineEdit(QLineEdit):
    """Tells when somebody wants to be rid of it."""

    left = Signal()

    def event(self, event: QEvent) -> bool:
        """Take Esc, which would end a job or a view otherwise, and let nobody else see Enter."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.left.emit()
                return True
        taken = super().event(event)
        is_enter = isinstance(event, QKeyEvent) and event.key() in _ENTER
        if is_enter and event.type() == QEvent.Type.KeyPress:
            event.accept()
        return taken


class TextArea(QPlainTextEdit):
    """A few lines of text; Tab leads on, as in every other field."""

    text_edited = Signal()
    left = Signal()

    def __init__(self, themes: ThemeManager, name: str, words: str, lines: int) -> None:
        super().__init__()
        named(self, name, words)
        self._themes, self._lines = themes, lines
        self._is_filling = False
        self.setTabChangesFocus(True)
        self.textChanged.connect(self._on_changed)
        themes.follow(self._rescale)

    def _rescale(self) -> None:
        theme = self._themes.theme
        self.setFixedHeight(theme.px(20) * self._lines + theme.px(16))
        # Areas that scroll have no frame, but this is a field.
        set_rules(
            self,
            f"QPlainTextEdit {{ border: 1px solid {theme.hex('outline')}; border-radius: 6px; "
            f"background: {theme.hex('surface')}; padding: 1px 3px; }}"
            f"QPlainTextEdit:focus {{ border: 2px solid {theme.hex('focus')}; padding: 0 2px; }}",
        )

    def show_text(self, words: str) -> None:
        """Show a text without announcing it; what is being typed keeps its cursor."""
        if self.toPlainText() != words:
            self._is_filling = True
            self.setPlainText(words)
            self._is_filling = False

    def _on_changed(self) -> None:
        if not self._is_filling:
            self.text_edited.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        self.left.emit()


def filter_field(name: str, hint: str, words: str = "") -> QLineEdit:
    """A field to search by, which a cross empties; the hint is read aloud, or other words."""
    field = named(QLineEdit(), name, words or hint)
    field.setPlaceholderText(hint)
    field.setClearButtonEnabled(True)
    return field


def open_search(button: QAbstractButton, words: str) -> None:
    """Let a field be seen that filters, whoever filled it; the button shows and hides it."""
    if words:
        button.setChecked(True)


class ProgressBar(QProgressBar):
    """Thousandths without words.

    Qt's own paints at once when it gets a value, and with it all of the window that waits to be
    painted, in the middle of whatever is being done.
    """

    def __init__(self, width: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(0, 1000)
        self.setTextVisible(False)
        if width:
            self.setFixedWidth(width)

    def show_share(self, done: float) -> None:
        value = round(1000 * done)
        if value == self.value():
            return
        self.setUpdatesEnabled(False)
        self.setValue(value)
        self.setUpdatesEnabled(True)


class Segmented(QWidget):
    """One focus stop; arrows move, a click chooses. A segment can be disabled with a reason."""

    chosen = Signal(str)
    """The user chose another segment."""

    def __init__(self, themes: ThemeManager, name: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._themes = themes
        self._choices = list(choices)
        self._disabled: dict[str, str] = {}
        self._current = choices[0][0] if choices else ""
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        themes.follow(self.updateGeometry, self.update)
        self._describe()

    @property
    def current(self) -> str:
        return self._current

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self._choices]

    def set_current(self, key: str) -> None:
        if key != self._current:
            self._current = key
            self._describe()
            self.update()

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        if list(choices) != self._choices:
            self._choices = list(choices)
            self.updateGeometry()
            self.update()

    def set_disabled(self, reasons: dict[str, str]) -> None:
        """Grey segments out; each reason becomes the tooltip."""
        if reasons != self._disabled:
            self._disabled = dict(reasons)
            self.update()

    def choose(self, key: str) -> None:
        if key in self._disabled or key not in self.keys or not self.isEnabled():
            return
        if key != self._current:
            self.set_current(key)
            self.chosen.emit(key)

    def sizeHint(self) -> QSize:  # noqa: N802
        return self._size_with(17)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self._size_with(10)

    def _widths(self) -> list[int]:
        return [self.fontMetrics().horizontalAdvance(label) for _, label in self._choices]

    def _size_with(self, air: int) -> QSize:
        return QSize(sum(width + air for width in self._widths()) + 4, self._themes.theme.px(28))

    def _cells(self) -> list[QRectF]:
        widths = self._widths()
        air = (self.width() - 4 - sum(widths)) / max(len(widths), 1)
        cells, x = [], 2.0
        for width in widths:
            cells.append(QRectF(x, 2, width + air, self.height() - 4))
            x += width + air
        return cells

    def _at(self, x: float) -> str | None:
        for cell, key in zip(self._cells(), self.keys, strict=True):
            if cell.left() <= x < cell.right():
                return key
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        key = self._at(event.position().x())
        if key is not None and event.button() == Qt.MouseButton.LeftButton:
            self.choose(key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        key = self._at(event.position().x())
        self.setToolTip(self._disabled.get(key or "", ""))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Move with the arrows over segments that can be chosen."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        open_keys = [key for key in self.keys if key not in self._disabled]
        if self._current in open_keys:
            position = open_keys.index(self._current) + step
            if 0 <= position < len(open_keys):
                self.choose(open_keys[position])

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        painter.setPen(QPen(theme.colour("border"), 1))
        painter.setBrush(theme.colour("sunken"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        for cell, (key, label) in zip(self._cells(), self._choices, strict=True):
            is_current = key == self._current
            if is_current:
                ring = theme.colour("focus" if self.hasFocus() else "text2")
                painter.setPen(QPen(ring, 2 if self.hasFocus() else 1))
                painter.setBrush(theme.colour("surface"))
                painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
            font = self.font()
            font.setWeight(theme.font("body", "semibold" if is_current else "regular").weight())
            painter.setFont(font)
            grey = key in self._disabled or not self.isEnabled()
            painter.setPen(
                theme.colour("textDisabled" if grey else "text" if is_current else "text2")
            )
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, label)

    def _describe(self) -> None:
        self.setAccessibleDescription(dict(self._choices).get(self._current, ""))


class _Choices(QStringListModel):
    """Entries with keys, some of them grey with a reason."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.choices: list[tuple[str, str]] = []
        self.reasons: dict[str, str] = {}
        self.hints: dict[str, str] = {}

    def offer(self, choices: Sequence[tuple[str, str]]) -> None:
        self.choices = list(choices)
        self.setStringList([label for _, label in choices])

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The label, the key, or why it is grey or else good."""
        if role not in (Qt.ItemDataRole.UserRole, Qt.ItemDataRole.ToolTipRole):
            return super().data(index, role)
        if not 0 <= index.row() < len(self.choices):
            return None
        key = self.choices[index.row()][0]
        if role == Qt.ItemDataRole.UserRole:
            return key
        return self.reasons.get(key) or self.hints.get(key, "")

    def flags(self, index: Any) -> Qt.ItemFlag:
        if 0 <= index.row() < len(self.choices) and self.choices[index.row()][0] in self.reasons:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class _HintDelegate(QStyledItemDelegate):
    """Writes why an entry is good behind it, where entries are listed."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Any) -> None:  # noqa: N802
        super().initStyleOption(option, index)
        hint = index.data(Qt.ItemDataRole.ToolTipRole)
        if hint and index.flags() & Qt.ItemFlag.ItemIsEnabled:
            shown: Any = option  # The bindings' types do not know its fields.
            shown.text = f"{shown.text}  –  {hint}"


class ChoiceBox(QComboBox):
    """What segments are for, where there are too many for one row."""

    chosen = Signal(str)
    """The user chose another entry."""

    def __init__(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._offered = _Choices(self)
        self.setModel(self._offered)
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.set_choices(choices)
        self.activated.connect(self._on_activated)

    @property
    def current(self) -> str:
        return str(self.currentData() or "")

    @property
    def keys(self) -> list[str]:
        return [key for key, _ in self._offered.choices]

    @property
    def refused(self) -> dict[str, str]:
        return self._offered.reasons

    def set_current(self, key: str) -> None:
        self.setCurrentIndex(self.keys.index(key) if key in self.keys else -1)

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        if list(choices) != self._offered.choices:
            current = self.current
            self._offered.offer(choices)
            self.set_current(current if current in self.keys else next(iter(self.keys), ""))
            self.updateGeometry()

    def set_disabled(self, reasons: dict[str, str]) -> None:
        """Grey entries out; each reason becomes the tooltip."""
        self._offered.reasons = dict(reasons)

    def set_hints(self, hints: dict[str, str]) -> None:
        """Say in the list why somebody takes each entry."""
        if hints and not self._offered.hints:
            self.setItemDelegate(_HintDelegate(self))
        self._offered.hints = dict(hints)

    def showPopup(self) -> None:  # noqa: N802
        """Give the list the width of its hints; the box stays as wide as its labels."""
        if self._offered.hints:
            self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)
        super().showPopup()

    def choose(self, key: str) -> None:
        if key in self.refused or key not in self.keys or not self.isEnabled():
            return
        if key != self.current:
            self.set_current(key)
            self.chosen.emit(key)

    def _on_activated(self, _place: int) -> None:
        self.chosen.emit(self.current)


class Switch(QAbstractButton):
    """A checkable button drawn as a pill with a knob."""

    def __init__(self, themes: ThemeManager, name: str) -> None:
        super().__init__()
        self._themes = themes
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        themes.theme_changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._themes.theme.px(36), self._themes.theme.px(22))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = smooth_painter(self)
        pill = QRectF(self.rect()).adjusted(2, 3, -2, -3)
        radius = pill.height() / 2
        on, enabled = self.isChecked(), self.isEnabled()
        outline = theme.colour("outline" if enabled else "border")
        fill = theme.colour("accent" if enabled else "border") if on else theme.colour("surface")
        painter.setPen(QPen(fill if on else outline, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(pill, radius, radius)
        knob = radius - 3
        x = pill.right() - radius if on else pill.left() + radius
        set_fill(painter, theme.colour("accentText") if on else outline)
        painter.drawEllipse(QRectF(x - knob, pill.center().y() - knob, 2 * knob, 2 * knob))
        if self.hasFocus():
            set_outline(painter, QPen(theme.colour("focus"), 2))
            ring = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)


class RadioRow(QWidget):
    """Holds a radio button and whatever else; the chosen row is tinted."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self.radio = QRadioButton()
        themes.theme_changed.connect(self.update)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton and self.radio.isEnabled():
            self.radio.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if self.radio.isChecked():
            painter = smooth_painter(self)
            set_fill(painter, self._themes.theme.colour("accentTint"))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
