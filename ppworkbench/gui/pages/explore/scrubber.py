"""Steps through the iterations: buttons, a slider with the stop rules marked, a number."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetricsF,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QSlider, QSpinBox, QWidget

from ppworkbench.analyses.experiments.iterations import EmTrace
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager, icon
from ppworkbench.gui.widgets.controls import IconButton
from ppworkbench.gui.widgets.labels import Announcer
from ppworkbench.gui.widgets.layout import column, named, row, text

_STEPS = 1000
HANDLE = 9
"""Half of the handle's width: how far its middle stays from the ends."""


class IterationSlider(QSlider):
    """From 0, the start, to the last iteration. Arrows go from one iteration to the next."""

    moved = Signal(int)
    stepped = Signal(int)
    """Go so many kept iterations on."""
    jumped = Signal(bool)
    """Go to the end (True) or to the start."""
    play_requested = Signal()

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._last = 1
        self.setRange(0, _STEPS)
        self.valueChanged.connect(self._on_changed)

    def set_last(self, last: int) -> None:
        self._last = max(last, 1)

    def set_iteration(self, iteration: int) -> None:
        """Show an iteration without announcing it."""
        if not self.isSliderDown():
            with QSignalBlocker(self):
                self.setValue(round(self.share_of(iteration) * _STEPS))
            self.update()

    def share_of(self, iteration: int) -> float:
        return min(math.log1p(max(iteration, 0)) / math.log1p(self._last), 1.0)

    def x_of(self, iteration: int) -> float:
        return HANDLE + self.share_of(iteration) * (self.width() - 2 * HANDLE)

    def _iteration_at(self, share: float) -> int:
        return round(math.expm1(share * math.log1p(self._last)))

    def _on_changed(self, position: int) -> None:
        self.moved.emit(self._iteration_at(position / _STEPS))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton and self.isEnabled():
            room = max(self.width() - 2 * HANDLE, 1)
            share = (event.position().x() - HANDLE) / room
            self.setValue(round(min(max(share, 0.0), 1.0) * _STEPS))
        super().mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802
        delta = event.angleDelta().y()
        if delta:
            self.stepped.emit(1 if delta > 0 else -1)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows step, Page goes further, Home and End go to the ends, Space plays."""
        if not self.take_key(event):
            super().keyPressEvent(event)

    def take_key(self, event: QKeyEvent) -> bool:
        """Do what a key says; False if it says nothing here."""
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_PageDown: -10,
            Qt.Key.Key_PageUp: 10,
        }
        key = Qt.Key(event.key())
        if key in steps:
            self.stepped.emit(steps[key])
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.jumped.emit(key == Qt.Key.Key_End)
        elif key == Qt.Key.Key_Space:
            self.play_requested.emit()
        else:
            return False
        return True


_GAP = 10


@dataclass(frozen=True)
class Mark:
    """A stop rule, in words, and its iteration; the chosen one keeps its words at any width."""

    words: str
    iteration: int
    is_chosen: bool = False


class StopMarks(QWidget):
    """Words that would run into others are left out; their tick stays. A click goes there."""

    chosen = Signal(int)

    def __init__(self, themes: ThemeManager, slider: IterationSlider) -> None:
        super().__init__()
        self._themes = themes
        self._slider = slider
        self.marks: tuple[Mark, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        themes.follow(self._resize)

    def show_marks(self, marks: tuple[Mark, ...]) -> None:
        self.marks = marks
        self.setToolTip("\n".join(mark.words for mark in marks))
        self.setAccessibleName(", ".join(mark.words for mark in marks))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(200, self._themes.theme.px(20))

    def _resize(self) -> None:
        self.setFixedHeight(self._themes.theme.px(20))
        self.update()

    def placed(self) -> list[tuple[Mark, float, QRectF | None]]:
        """Every mark with its place and the room of its words, None where they do not fit."""
        metrics = QFontMetricsF(self._themes.theme.font("caption"))
        taken: list[QRectF] = []
        found: dict[int, tuple[Mark, float, QRectF | None]] = {}
        order = sorted(range(len(self.marks)), key=lambda i: not self.marks[i].is_chosen)
        for place in order:
            mark = self.marks[place]
            x = self._slider.x_of(mark.iteration)
            width = metrics.horizontalAdvance(mark.words)
            left = min(max(x - width / 2, 0.0), max(self.width() - width, 0.0))
            box = QRectF(left, 5, width, self.height() - 5)
            wide = box.adjusted(-_GAP, 0, _GAP, 0)
            fits = not any(wide.intersects(other) for other in taken)
            if fits:
                taken.append(box)
            found[place] = (mark, x, box if fits else None)
        return [found[place] for place in range(len(self.marks))]

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Go to the mark whose words or tick are under the pointer."""
        for mark, x, box in self.placed():
            near = abs(event.position().x() - x) <= HANDLE
            if near or (box is not None and box.contains(event.position())):
                self.chosen.emit(mark.iteration)
                return

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setFont(theme.font("caption"))
        grey = not self.isEnabled()
        for mark, x, box in self.placed():
            colour = "textDisabled" if grey else "text" if mark.is_chosen else "text3"
            painter.setPen(QPen(theme.colour("textDisabled" if grey else "text3"), 1))
            at = round(x) + 0.5
            painter.drawLine(QPointF(at, 0), QPointF(at, 4))
            if box is not None:
                painter.setPen(theme.colour(colour))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, mark.words)


_SHORTEST = 120
"""Pixels of normal type below which a slider gets a line of its own."""
_FRAME = 50
"""Milliseconds between two pictures while it plays."""
_FRAMES = 160
"""Pictures from the start to the end, whatever the number of iterations."""


class Scrubber(QWidget):
    """Shows where in a trace one is and tells where somebody wants to be."""

    moved = Signal(int)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._trace: EmTrace | None = None
        self._iteration = 0
        self._clock = QTimer(self)
        self._clock.setInterval(_FRAME)
        self._clock.timeout.connect(self._on_tick)
        self._make_buttons()
        self.slider = named(IterationSlider(), "iterationSlider", self.tr("Iteration"))
        self.marks = named(StopMarks(themes, self.slider), "stopMarks")
        self.box = named(QSpinBox(), "iterationBox", self.tr("Iteration"))
        self.box.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.box.setKeyboardTracking(False)
        self.box.setGroupSeparatorShown(True)
        self.total = text("", "secondary")
        self._left, self._middle, self._right = QWidget(), QWidget(), QWidget()
        row(*self.buttons.values(), parent=self._left, spacing=2)
        column(self.slider, self.marks, parent=self._middle, spacing=0)
        row(self.box, self.total, parent=self._right, spacing=6)
        self._is_narrow = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._arrange()
        self._spoken = Announcer(self, self._sentence)
        self._connect()
        self.show_trace(None, (), "")

    def _arrange(self) -> None:
        """All in a line, or the slider below the rest where it would get too short."""
        top, narrow = Qt.AlignmentFlag.AlignTop, self._is_narrow
        for widget in (self._left, self._middle, self._right):
            self._grid.removeWidget(widget)
        self._grid.addWidget(self._left, 0, 0, top)
        self._grid.addWidget(self._middle, int(narrow), 0 if narrow else 1, 1, 3 if narrow else 1)
        self._grid.addWidget(self._right, 0, 2, top)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        least = super().minimumSizeHint()
        least.setWidth(self._beside + 14)
        return least

    @property
    def _beside(self) -> int:
        return self._left.sizeHint().width() + self._right.sizeHint().width()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give the slider a line of its own where there is no room beside the rest."""
        super().resizeEvent(event)
        narrow = self.width() < self._beside + 28 + self._themes.theme.px(_SHORTEST)
        if narrow != self._is_narrow:
            self._is_narrow = narrow
            self._arrange()

    def _make_buttons(self) -> None:
        words = {
            "first": self.tr("First iteration"),
            "back": self.tr("Previous iteration"),
            "play": self.tr("Play (Space)"),
            "forward": self.tr("Next iteration"),
            "last": self.tr("Last iteration"),
        }
        self.buttons = {name: IconButton(self._themes, name, words[name], 16) for name in words}
        for name, button in self.buttons.items():
            button.setObjectName(f"{name}Iteration")

    def _connect(self) -> None:
        self.buttons["first"].clicked.connect(lambda: self._go(0))
        self.buttons["back"].clicked.connect(lambda: self.step(-1))
        self.buttons["forward"].clicked.connect(lambda: self.step(1))
        self.buttons["last"].clicked.connect(lambda: self._go(self.last))
        self.buttons["play"].clicked.connect(self.toggle_play)
        self.slider.moved.connect(self._go)
        self.slider.stepped.connect(self.step)
        self.slider.jumped.connect(lambda end: self._go(self.last if end else 0))
        self.slider.play_requested.connect(self.toggle_play)
        self.marks.chosen.connect(self._go)
        self.box.valueChanged.connect(self._go)
        # After the button's own listener, so that this has the last word about its icon.
        self._themes.follow(self._draw_play)

    @property
    def last(self) -> int:
        return 0 if self._trace is None else self._trace.last

    @property
    def is_playing(self) -> bool:
        return self._clock.isActive()

    def show_trace(self, trace: EmTrace | None, marks: tuple[Mark, ...], reason: str) -> None:
        self._trace = trace
        usable = trace is not None and trace.last > 0 and not reason
        if not usable:
            self.stop()
        self.slider.set_last(self.last)
        self.marks.show_marks(marks if usable else ())
        with QSignalBlocker(self.box):
            self.box.setRange(0, self.last)
        self.total.setText(self.tr("of %s") % number(self.last))
        for widget in (*self.buttons.values(), self.slider, self.marks, self.box, self.total):
            widget.setEnabled(usable)
        self.setToolTip(reason)
        self.slider.setToolTip(reason)

    def set_iteration(self, iteration: int) -> None:
        """Show an iteration without announcing it."""
        self._iteration = min(iteration, self.last)
        self.slider.set_iteration(self._iteration)
        with QSignalBlocker(self.box):
            self.box.setValue(self._iteration)

    def step(self, steps: int) -> None:
        if self._trace is not None:
            self._go(self._trace.step_from(self._iteration, steps))

    def toggle_play(self) -> None:
        """Play from here, from the start if this is the end; or pause."""
        if self.is_playing:
            self.stop()
            return
        if self._trace is None or self.last == 0:
            return
        if self._iteration >= self.last:
            self._go(0)
        self._clock.start()
        self._draw_play()

    def stop(self) -> None:
        if self.is_playing:
            self._clock.stop()
            self._draw_play()

    def _draw_play(self) -> None:
        self.box.setFixedWidth(self._themes.theme.px(78))
        button, playing = self.buttons["play"], self.is_playing
        words = self.tr("Pause (Space)") if playing else self.tr("Play (Space)")
        theme = self._themes.theme
        ink, grey = theme.colour("accentInk"), theme.colour("textDisabled")
        button.setIcon(icon("pause" if playing else "play", ink, grey))
        button.setToolTip(words)
        button.setAccessibleName(words)

    def _on_tick(self) -> None:
        if self._trace is None or self._iteration >= self.last:
            self.stop()
            return
        step = math.log1p(self.last) / _FRAMES
        target = round(math.expm1(math.log1p(self._iteration) + step))
        self._move(max(target, self._iteration + 1))
        if self._iteration >= self.last:
            self.stop()

    def _go(self, iteration: int) -> None:
        """Go where a person wants to be, which ends playing."""
        self.stop()
        self._move(iteration)

    def _move(self, iteration: int) -> None:
        iteration = min(max(iteration, 0), self.last)
        if iteration != self._iteration:
            self.set_iteration(iteration)
            self._spoken.changed()
            self.moved.emit(iteration)

    def _sentence(self) -> str:
        return self.tr("Iteration %s of %s") % (number(self._iteration), number(self.last))

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.stop()
