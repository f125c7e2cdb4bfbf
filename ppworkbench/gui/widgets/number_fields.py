"""Fields for numbers, some with a slider."""

from __future__ import annotations

import itertools
import math
import re

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSlider, QSpinBox, QWidget

from ppworkbench.gui.application import single_shot
from ppworkbench.gui.numbers import read_number, read_share, refuse_share
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.labels import ElidedLabel, announce
from ppworkbench.gui.widgets.layout import column, named, reserve_width, row, text


class CountBox(QSpinBox):
    """Tells a number when it is complete, not digit by digit."""

    def __init__(self, name: str, words: str, low: int = 0, high: int = 99) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setRange(low, high)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setKeyboardTracking(False)


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


def number_box(  # noqa: PLR0913 (settings by keyword)
    themes: ThemeManager,
    name: str,
    words: str,
    low: float,
    high: float,
    *,
    decimals: int = 0,
    step: float = 1.0,
    prefix: str = "",
    suffix: str = "",
    nothing: str = "",
    width: int = 74,
) -> NumberBox:
    """A field of a fixed width; with ``nothing`` its smallest number says that there is none."""
    box = named(NumberBox(), name, words)
    box.setRange(low, high)
    box.setDecimals(decimals)
    box.setSingleStep(step)
    box.setPrefix(prefix)
    box.setSuffix(suffix)
    box.setSpecialValueText(nothing)
    box.setToolTip(words)
    reserve_width(box, themes, width)
    return box


_PAUSE = 700
"""Milliseconds after which a change of the same field is another undo step."""


class FieldGesture(QObject):
    """Names the gesture that a change of a field is part of: a held arrow is one undo step."""

    _gestures = itertools.count(1)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._pause = single_shot(self, self._end, _PAUSE)
        self._gesture, self._moved = "", ""

    def of(self, moved: str) -> str:
        """The gesture in which a field of this name changes now."""
        if not self._gesture or moved != self._moved:
            self._gesture, self._moved = f"{moved} {next(self._gestures)}", moved
        self._pause.start()
        return self._gesture

    def _end(self) -> None:
        self._gesture = ""


_BESIDE_BOX = 14
"""Pixels between a slider and its box."""


class SliderRow(QWidget):
    """Label above unless it is bare, slider with named ends, spin box at the right.

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
        is_bare: bool = False,
    ) -> None:
        super().__init__()
        self._low, self._high = low, high
        self._logarithmic = logarithmic
        self._decimals, self._most_decimals = decimals, max(decimals, 4) if is_share else decimals
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
        self._fit_step()
        self.slider.setPageStep(round(_STEPS * 0.1))
        left = column(*() if is_bare else (self.label,), self.slider, spacing=0)
        if ends is not None:
            left.addLayout(row(text(ends[0], "captionHint"), None, text(ends[1], "captionHint")))
        layout = row(left, self.box, spacing=_BESIDE_BOX, stretch=0)
        layout.setAlignment(self.box, Qt.AlignmentFlag.AlignBottom)
        self.problem = text("", "error", wrap=True, hidden=True)
        column(layout, self.problem, parent=self, spacing=2)
        self.box.refused.connect(self._on_refused)
        self.box.lineEdit().textEdited.connect(lambda _: self.problem.hide())
        self.slider.sliderPressed.connect(self._on_pressed)
        self.slider.sliderReleased.connect(self._on_released)
        self.slider.valueChanged.connect(self._on_slid)
        self.box.valueChanged.connect(self._on_typed)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_box()

    def _fit_step(self) -> None:
        """Let an arrow move the slider by a hundredth, or by as much as makes another number."""
        least = 0.0
        if not self._logarithmic and self._high > self._low:
            least = _STEPS * 10.0**-self._decimals / (self._high - self._low)
        self.slider.setSingleStep(max(round(_STEPS * 0.01), math.ceil(least)))

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
        return self.box.value()

    def set_value(self, value: float) -> None:
        """Show a number without announcing it; of a share all that is known of it."""
        self._fit_decimals(value)
        if round(value, self.box.decimals()) != self.box.value():
            self.problem.hide()
        self.box.show_value(value)
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setValue(self._position(value))

    def set_decimals(self, decimals: int) -> None:
        self._decimals = self._most_decimals = decimals
        if decimals != self.box.decimals():
            with QSignalBlocker(self.box):
                self.box.setDecimals(decimals)
                self.box.setSingleStep(10.0**-decimals)

    def _fit_decimals(self, value: float) -> None:
        whole = round(value, self._most_decimals)
        digits = range(self._decimals, self._most_decimals + 1)
        fitting = next((one for one in digits if round(value, one) == whole), self._decimals)
        if fitting != self.box.decimals():
            with QSignalBlocker(self.box):
                self.box.setDecimals(fitting)

    def set_range(self, low: float, high: float) -> None:
        self._low, self._high = low, high
        with QSignalBlocker(self.box):
            self.box.setRange(low, high)
        self._fit_step()
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
        value = round(self._value_at(position), self._decimals)
        with QSignalBlocker(self.box):
            self.box.setValue(value)
        self.moved.emit(self.box.value(), self._gesture)

    def _on_typed(self, value: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._position(value))
        self.moved.emit(value, "")
