"""Buttons, sliders and choices."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QRectF,
    QSignalBlocker,
    QSize,
    QStringListModel,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QIcon,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QValidator,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QToolButton,
    QWidget,
)

from ppworkbench.gui.icons import icon, pixmap
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import read_number, read_share, refuse_share
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.labels import ElidedLabel, announce
from ppworkbench.gui.widgets.layout import column, named, row, text

if TYPE_CHECKING:
    from ppworkbench.study.study import Study

Offered = tuple[str, str, str, str]
"""Name, kind, question and title: the title is read, the tooltip tells the other two."""


def offer_attributes(study: Study, names: Iterable[str]) -> list[Offered]:
    """Attributes of a study for a list to choose from."""
    return [
        (name, str(study.attribute(name).kind), study.attribute(name).label, study.shown(name))
        for name in names
    ]


def attribute_tip(name: str, question: str, title: str) -> str:
    """What a tooltip says about an attribute whose title is seen: its question and its column."""
    told = [question] if question and question != title else []
    if name not in (title, *told):
        told.append(tr("Column: %s") % name)
    return "\n".join(told or [title])


_STARTS_WITH = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchWrap


class OfferedModel(QStringListModel):
    """Thousands of attributes are offered as fast as a few: nothing is made for a line.

    Qt knows the titles, so that it need not ask for them one by one. Who types finds an attribute
    by its title or by the name of its column.
    """

    def __init__(self, themes: ThemeManager, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._themes = themes
        self._offered: list[Offered] = []
        self._icons: dict[str, QIcon] = {}
        themes.theme_changed.connect(self._colour)

    def offer(self, attributes: Sequence[Offered]) -> bool:
        """Offer other attributes; whether they are others."""
        if self._offered == list(attributes):
            return False
        self._offered = list(attributes)
        self.setStringList([title or name for name, _, _, title in attributes])
        return True

    def data(self, index: Any, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One line."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return super().data(index, role)
        if not 0 <= index.row() < len(self._offered):
            return None
        name, kind, question, title = self._offered[index.row()]
        if role == Qt.ItemDataRole.UserRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            return attribute_tip(name, question, title or name)
        return self._icon(kind) if role == Qt.ItemDataRole.DecorationRole else None

    def match(
        self, start: Any, role: int, value: Any, hits: int = 1, flags: Any = _STARTS_WITH
    ) -> list[QModelIndex]:
        """Lines whose title fits what is typed, else those whose name does."""
        found = list(super().match(start, role, value, hits, flags))
        if found or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return found
        return list(super().match(start, Qt.ItemDataRole.UserRole, value, hits, flags))

    def _icon(self, kind: str) -> QIcon:
        if kind not in self._icons:
            self._icons[kind] = icon(f"kind-{kind}", self._themes.theme.colour("text2"))
        return self._icons[kind]

    def _colour(self) -> None:
        self._icons.clear()
        if self._offered:
            changed = [Qt.ItemDataRole.DecorationRole]
            self.dataChanged.emit(self.index(0), self.index(len(self._offered) - 1), changed)


_LEAST = 8
"""So many letters are seen in the narrowest column."""


class AttributeBox(QComboBox):
    """Attributes with the icons of their kinds; as wide as there is room."""

    chosen = Signal(str)
    """The attribute that a person chose."""

    def __init__(self, themes: ThemeManager, name: str, words: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        # By its contents it would measure every name, although it is as wide as its column.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(_LEAST)
        self._model = OfferedModel(themes, self)
        self.setModel(self._model)
        self.activated.connect(lambda place: self.chosen.emit(self.itemData(place)))

    def offer(self, attributes: Sequence[Offered], current: str | None) -> None:
        """Offer attributes, one of which is chosen."""
        names = [name for name, *_ in attributes]
        with QSignalBlocker(self):
            self._model.offer(attributes)
            self.setCurrentIndex(names.index(current) if current in names else -1)
        self.setToolTip(str(self.currentData(Qt.ItemDataRole.ToolTipRole) or ""))

    def step(self, step: int) -> None:
        """Choose the attribute before or after, as a person would."""
        place = min(max(self.currentIndex() + step, 0), self.count() - 1)
        if self.isEnabled() and place >= 0 and place != self.currentIndex():
            self.setCurrentIndex(place)
            self.activated.emit(place)


class Clickable(QWidget):
    """One focus stop; a click, Enter or Space opens it. ``framed`` looks like a card."""

    clicked = Signal()

    def __init__(self, themes: ThemeManager, name: str, line: str, *, framed: bool = False) -> None:
        super().__init__()
        self._themes = themes
        self._framed = framed
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(name)
        self.setAccessibleDescription(line)
        # Drawn again when the pointer comes and goes.
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        themes.theme_changed.connect(self.update)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Open on a click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Open with Enter or Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the card, the tint and the focus ring."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = 0.5 if self._framed else 1
        box = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
        radius = 8 if self._framed else 6
        if self._framed or self.underMouse():
            painter.setPen(QPen(theme.colour("border"), 1) if self._framed else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("hover" if self.underMouse() else "surface"))
            painter.drawRoundedRect(box, radius, radius)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


class CountBox(QSpinBox):
    """Tells a number when it is complete, not digit by digit."""

    def __init__(self, name: str, words: str, low: int = 0, high: int = 99) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setRange(low, high)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setKeyboardTracking(False)


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
        """Show an icon that follows the theme."""
        _IconOfButton(self, themes, icon_name, colour, self._size)


class Button(QPushButton):
    """A button with a text and perhaps an icon; look is primary, secondary or link."""

    def __init__(
        self, themes: ThemeManager, text: str, icon_name: str = "", look: str = "secondary"
    ) -> None:
        super().__init__(text)
        self.setProperty("look", look)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        if icon_name:
            colour = {"primary": "accentText", "link": "accentInk"}.get(look, "text")
            _IconOfButton(self, themes, icon_name, colour, 16)


class IconLabel(QLabel):
    """An icon that stands beside a text."""

    def __init__(
        self, themes: ThemeManager, icon_name: str, colour: str = "text2", size: int = 18
    ) -> None:
        super().__init__()
        self._themes, self._icon, self._colour, self._size = themes, icon_name, colour, size
        themes.theme_changed.connect(self._draw)
        self._draw()

    def show_icon(self, icon_name: str, colour: str | None = None) -> None:
        """Show another icon."""
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
        themes.theme_changed.connect(self._draw)
        self._draw()

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


def filter_field(name: str, hint: str, words: str = "") -> QLineEdit:
    """A field to search by, which a cross empties; the hint is read aloud, or other words."""
    field = named(QLineEdit(), name, words or hint)
    field.setPlaceholderText(hint)
    field.setClearButtonEnabled(True)
    return field


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
        """Show which share of the work is done."""
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
        themes.theme_changed.connect(self.updateGeometry)
        themes.theme_changed.connect(self.update)
        self._describe()

    @property
    def current(self) -> str:
        """The key of the chosen segment."""
        return self._current

    @property
    def keys(self) -> list[str]:
        """The keys of all segments."""
        return [key for key, _ in self._choices]

    def set_current(self, key: str) -> None:
        """Show a choice without announcing it."""
        if key != self._current:
            self._current = key
            self._describe()
            self.update()

    def set_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer other segments."""
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
        """Choose as a user would."""
        if key in self._disabled or key not in self.keys or not self.isEnabled():
            return
        if key != self._current:
            self.set_current(key)
            self.chosen.emit(key)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for every label."""
        return self._size_with(17)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The labels with less air."""
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
        """Choose the segment under the pointer."""
        key = self._at(event.position().x())
        if key is not None and event.button() == Qt.MouseButton.LeftButton:
            self.choose(key)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Say why a segment is grey."""
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
        """Draw the trough, the chosen segment and the labels."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
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


_STEPS = 1_000
_BOX_EMS = 6.3
_PERCENTAGE = re.compile(r"(\d{1,3}([.,]\d*)?|[.,]\d+)\s*%?")


class NumberBox(QDoubleSpinBox):
    """A spin box that also understands "70 %" where it holds a probability."""

    refused = Signal(str)
    """Why a share that was typed is none."""

    def __init__(self, *, is_share: bool = False) -> None:
        super().__init__()
        self._is_share = is_share
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.UpDownArrows)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setKeyboardTracking(False)
        self.setGroupSeparatorShown(not is_share)

    def show_value(self, value: float) -> None:
        """Show a number without announcing it; a box that shows it already is not drawn again."""
        if round(value, self.decimals()) != self.value():
            with QSignalBlocker(self):
                self.setValue(value)

    def validate(self, content: str, position: int) -> object:
        """Let percentages pass where a share is wanted."""
        share = self._share(content)
        if share is not None:
            is_good = self.minimum() <= share <= self.maximum()
            state = QValidator.State.Acceptable if is_good else QValidator.State.Intermediate
            return state, content, position
        mark = self.locale().decimalPoint()
        if mark == ",":
            # The key of the number pad is a point on many keyboards.
            content = content.replace(".", mark)
        return super().validate(content, position)

    def fixup(self, content: str) -> str:
        """Say why a share is refused; the box goes back to the one before."""
        if self._share(content) is not None:
            self.refused.emit(refuse_share(content, self.minimum(), self.maximum()))
        return content

    def valueFromText(self, content: str) -> float:  # noqa: N802
        """Read a percentage as a share."""
        if not self._is_share:
            bare = content.removeprefix(self.prefix()).removesuffix(self.suffix())
            typed = read_number(bare)
            return super().valueFromText(content) if typed is None else typed
        share = self._share(content)
        return self.value() if share is None else share

    def _share(self, content: str) -> float | None:
        """The share that was typed, if it is one as far as it goes."""
        is_one = self._is_share and _PERCENTAGE.fullmatch(content.strip())
        return read_share(content) if is_one else None


_BESIDE_BOX = 14
"""Pixels between a slider and its box."""


class SliderRow(QWidget):
    """Label above, slider with named ends, spin box at the right.

    ``moved`` tells the value while it changes and a name for the gesture: all moves of one drag
    have the same, so that they become one undo step.
    """

    moved = Signal(float, str)

    _drags = itertools.count(1)

    def __init__(  # noqa: PLR0913 (settings by keyword)
        self,
        label: str,
        low: float,
        high: float,
        *,
        decimals: int = 2,
        ends: tuple[str, str] | None = None,
        logarithmic: bool = False,
        suffix: str = "",
        is_share: bool = False,
    ) -> None:
        super().__init__()
        self._low, self._high = low, high
        self._logarithmic = logarithmic
        self._gesture = ""
        self.label = ElidedLabel("label", label, hugs=True)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, _STEPS)
        self.slider.setAccessibleName(label)
        self.slider.setMinimumWidth(60)
        self.box = NumberBox(is_share=is_share)
        self.box.setRange(low, high)
        self.box.setDecimals(decimals)
        self.box.setSingleStep(10.0**-decimals)
        self.box.setSuffix(suffix)
        self.box.setAccessibleName(label)
        self._fit_box()
        self.slider.setSingleStep(max(1, round(_STEPS * 0.01)))
        self.slider.setPageStep(round(_STEPS * 0.1))
        left = column(self.label, self.slider, spacing=0)
        if ends is not None:
            left.addLayout(row(text(ends[0], "captionHint"), None, text(ends[1], "captionHint")))
        layout = row(left, self.box, spacing=_BESIDE_BOX)
        layout.setStretch(0, 1)
        layout.setAlignment(self.box, Qt.AlignmentFlag.AlignBottom)
        self.problem = text("", "error", wrap=True)
        self.problem.hide()
        column(layout, self.problem, parent=self, spacing=2)
        self.box.refused.connect(self._on_refused)
        self.box.lineEdit().textEdited.connect(lambda _: self.problem.hide())
        self.slider.sliderPressed.connect(self._on_pressed)
        self.slider.sliderReleased.connect(self._on_released)
        self.slider.valueChanged.connect(self._on_slid)
        self.box.valueChanged.connect(self._on_typed)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Keep room for the number in larger type."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_box()

    def _fit_box(self) -> None:
        # The same width whatever the number, so that nothing shifts while it changes.
        self.box.setFixedWidth(round(_BOX_EMS * self.fontInfo().pixelSize()))

    def set_names(self, name: str) -> None:
        """Give slider and box object names for tests and scripts."""
        self.setObjectName(name)
        self.slider.setObjectName(f"{name}Slider")
        self.box.setObjectName(f"{name}Box")

    @property
    def full_width(self) -> int:
        """The width at which nothing of the label is cut."""
        return self.label.sizeHint().width() + _BESIDE_BOX + self.box.minimumWidth()

    @property
    def value(self) -> float:
        """The number shown."""
        return self.box.value()

    def set_value(self, value: float) -> None:
        """Show a number without announcing it."""
        if round(value, self.box.decimals()) != self.box.value():
            self.problem.hide()
        self.box.show_value(value)
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(self._position(value))

    def set_decimals(self, decimals: int) -> None:
        """Show so many digits after the point."""
        if decimals != self.box.decimals():
            with QSignalBlocker(self.box):
                self.box.setDecimals(decimals)
                self.box.setSingleStep(10.0**-decimals)

    def set_range(self, low: float, high: float) -> None:
        """Offer another range."""
        self._low, self._high = low, high
        with QSignalBlocker(self.box):
            self.box.setRange(low, high)
        self.set_value(self.box.value())

    def _position(self, value: float) -> int:
        if self._high <= self._low:
            return 0
        value = min(max(value, self._low), self._high)
        if self._logarithmic:
            share = math.log(value / self._low) / math.log(self._high / self._low)
        else:
            share = (value - self._low) / (self._high - self._low)
        return round(share * _STEPS)

    def _value_at(self, position: int) -> float:
        share = position / _STEPS
        if self._logarithmic:
            return float(self._low * (self._high / self._low) ** share)
        return self._low + share * (self._high - self._low)

    def _on_pressed(self) -> None:
        self._gesture = f"drag {next(self._drags)}"

    def _on_released(self) -> None:
        self._gesture = ""

    def _on_refused(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.show()
        announce(self.box, sentence)

    def _on_slid(self, position: int) -> None:
        self.problem.hide()
        value = round(self._value_at(position), self.box.decimals())
        with QSignalBlocker(self.box):
            self.box.setValue(value)
        self.moved.emit(self.box.value(), self._gesture)

    def _on_typed(self, value: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._position(value))
        self.moved.emit(value, "")


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
        """A fixed size that grows with the type."""
        return QSize(self._themes.theme.px(36), self._themes.theme.px(22))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the pill, the knob and the focus ring."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
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
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accentText") if on else outline)
        painter.drawEllipse(QRectF(x - knob, pill.center().y() - knob, 2 * knob, 2 * knob))
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("focus"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
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
        """Choose it as its button would."""
        if event.button() == Qt.MouseButton.LeftButton and self.radio.isEnabled():
            self.radio.clicked.emit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Tint the chosen row."""
        if self.radio.isChecked():
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._themes.theme.colour("accentTint"))
            painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
