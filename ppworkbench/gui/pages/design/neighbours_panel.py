"""Ordinal neighbour weights with the loop switch and its picture."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QWidget

from ppworkbench.core.design import Ordinal
from ppworkbench.gui.pages.design.loop_diagram import LoopDiagram, Matrix
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.icon_button import IconButton
from ppworkbench.gui.widgets.layouts import column, row, text, vertical_line
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.gui.widgets.switch import Switch


class NeighboursPanel(QWidget):
    """One slider per distance; the weights of an inner answer always add up to 1."""

    changed = Signal(object, str)
    help_requested = Signal(str)
    turned = Signal()
    """Its parts lie otherwise, and it needs another height."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._weights: tuple[float, ...] = (0.6, 0.2)
        self._loop = False
        self._reach = 1
        labels = (
            self.tr("Keep the true answer"),
            self.tr("One step away, each side"),
            self.tr("Two steps away, each side"),
            self.tr("Three steps away, each side"),
        )
        self.sliders = [
            SliderRow(label, 0.0, 1.0 if step == 0 else 0.5, is_share=True)
            for step, label in enumerate(labels)
        ]
        for step, slider in enumerate(self.sliders):
            slider.set_names(f"weight{step}")
            slider.moved.connect(lambda v, g, step=step: self._on_moved(step, v, g))
        self.switch = Switch(themes, self.tr("Loop effect"))
        self.switch.setObjectName("loopSwitch")
        self.switch.clicked.connect(self._on_loop)
        self.help = IconButton(themes, "question", self.tr("What is the loop effect?"), 15)
        self.help.clicked.connect(lambda: self.help_requested.emit("loop-effect"))
        self.state = text("", "hint")
        self.diagram = LoopDiagram(themes)
        self.note = text("", "captionHint", wrap=True)
        left = column(*self.sliders, None, spacing=4)
        right = column(
            row(self.switch, text(self.tr("Loop effect"), "label"), self.help, None),
            self.state, self.diagram, self.note, spacing=4,
        )  # fmt: skip
        right.setStretch(2, 1)
        self._between = vertical_line()
        self._halves = row(left, self._between, right, parent=self, spacing=12)
        themes.theme_changed.connect(self._turn)
        self._turn()

    def _turn(self) -> None:
        """Sliders beside the diagram; above it where their names are to be read from afar."""
        is_projected, ways = self._themes.theme.projected, QBoxLayout.Direction
        self._halves.setDirection(ways.TopToBottom if is_projected else ways.LeftToRight)
        self._between.setHidden(is_projected)
        for place, share in ((0, 60), (2, 40)):
            self._halves.setStretch(place, 0 if is_projected else share)
        self.turned.emit()

    def show_weights(self, perturbation: Ordinal, k: int, matrix: Matrix, chosen: int) -> None:
        """Show the weights of the study."""
        self._weights, self._loop = perturbation.weights, perturbation.loop
        self._reach = (k - 1) // 2
        for step, slider in enumerate(self.sliders):
            # The next distance is offered once the one before it is in use.
            slider.setVisible(step <= max(2, min(len(self._weights), self._reach)))
            possible = step <= self._reach
            slider.setEnabled(possible)
            slider.setToolTip("" if possible else self.tr("needs more than %s values") % (2 * step))
            slider.set_value(self._weights[step] if step < len(self._weights) else 0.0)
        self.switch.setChecked(self._loop)
        first, last = "1", str(k)
        if self._loop:
            self.state.setText(self.tr("on: the scale is a ring"))
            self.note.setText(self.tr("%s and %s are neighbours") % (first, last))
        else:
            self.state.setText(self.tr("off: the scale stops at its ends"))
            self.note.setText(self.tr("%s and %s have one neighbour only") % (first, last))
        self.diagram.show_matrix(matrix, self._loop, chosen)

    def _on_moved(self, step: int, value: float, gesture: str) -> None:
        weights = balanced(self._weights, step, value)
        self.changed.emit(Ordinal(weights=weights, loop=self._loop), gesture)

    def _on_loop(self) -> None:
        self.changed.emit(Ordinal(weights=self._weights, loop=self.switch.isChecked()), "")


def balanced(weights: tuple[float, ...], step: int, value: float) -> tuple[float, ...]:
    """Weights with one of them changed and the others fitted: keep + 2 * neighbours = 1.

    >>> balanced((0.7, 0.15), 0, 0.6)
    (0.6, 0.2)
    >>> balanced((0.7, 0.15), 2, 0.05)
    (0.6, 0.15, 0.05)
    """
    listed = list(weights) + [0.0] * (step + 1 - len(weights))
    if step == 0:
        rest = sum(listed[1:])
        share = (1 - value) / 2
        near = (
            [w * share / rest for w in listed[1:]]
            if rest > 0
            else [share] + [0.0] * (len(listed) - 2)
        )
        listed = [value, *near] if len(listed) > 1 else [value, share]
    else:
        listed[step] = min(value, 0.5)
        others = sum(w for i, w in enumerate(listed) if i not in (0, step))
        room = 0.5 - listed[step]
        if others > room:
            scale = room / others
            listed = [w if i in (0, step) else w * scale for i, w in enumerate(listed)]
        listed[0] = 1 - 2 * sum(listed[1:])
    while len(listed) > 2 and listed[-1] < 5e-5:
        listed.pop()
    return tuple(round(max(w, 0.0), 6) for w in listed)
