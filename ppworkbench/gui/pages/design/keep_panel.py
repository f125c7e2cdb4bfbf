"""Sliders of the simplest mechanisms: one keep probability, or one for each of two values."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.design import Binary, Uniform
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column
from ppworkbench.gui.widgets.live_label import LiveLabel
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.gui.words import number


class KeepPanel(QWidget):
    """Keep the true answer with one probability, else any other value alike."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:  # noqa: ARG002 (as all panels)
        super().__init__()
        ends = (self.tr("more private"), self.tr("more accurate"))
        self.slider = SliderRow(self.tr("Keep the true answer"), 0.0, 1.0, ends=ends, is_share=True)
        self.slider.set_names("keep")
        self.slider.moved.connect(
            lambda value, gesture: self.changed.emit(Uniform(keep=value), gesture)
        )
        self.note = LiveLabel(1, "captionHint")
        column(self.slider, self.note, parent=self, spacing=4)

    def show_keep(self, perturbation: Uniform, k: int) -> None:
        """Show the probability of the study."""
        self.slider.set_value(perturbation.keep)
        if k > 1:
            other = number((1 - perturbation.keep) / (k - 1), 3)
            if k == 2:
                self.note.set_text(self.tr("The other value: %s") % other)
            else:
                self.note.set_text(self.tr("Each of the other %s values: %s") % (k - 1, other))


class BinaryPanel(QWidget):
    """Ones and zeros kept with different probabilities."""

    changed = Signal(object, str)

    def __init__(self) -> None:
        super().__init__()
        self.one = SliderRow(self.tr("Keep the second value"), 0.0, 1.0, is_share=True)
        self.zero = SliderRow(self.tr("Keep the first value"), 0.0, 1.0, is_share=True)
        self.one.set_names("keepOne")
        self.zero.set_names("keepZero")
        self.one.moved.connect(lambda _, gesture: self._emit(gesture))
        self.zero.moved.connect(lambda _, gesture: self._emit(gesture))
        column(self.one, self.zero, parent=self, spacing=4)

    def show_binary(self, perturbation: Binary, values: tuple[str, ...]) -> None:
        """Show the probabilities of the study."""
        self.one.label.setText(self.tr("Keep “%s” (p)") % values[1])
        self.zero.label.setText(self.tr("Keep “%s” (q)") % values[0])
        self.one.set_value(perturbation.keep_one)
        self.zero.set_value(perturbation.keep_zero)

    def _emit(self, gesture: str) -> None:
        made = Binary(keep_one=self.one.value, keep_zero=self.zero.value)
        self.changed.emit(made, gesture)
