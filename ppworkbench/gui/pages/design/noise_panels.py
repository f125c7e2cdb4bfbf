"""Panels of the other noises: multiply, replace, publish intervals."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Discretise, Multiplicative, Perturbation, Retention
from ppworkbench.core.design.noises import domain_of
from ppworkbench.gui.pages.design.interval_words import interval_words
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.gui.words import number, percent, significant, trimmed


class MultiplicativePanel(QWidget):
    """A random factor around 1."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._noise = "lognormal"
        self.shape = Segmented(
            themes, self.tr("Distribution of the factor"),
            [("lognormal", self.tr("Log-normal")), ("truncated-normal", self.tr("Cut normal"))],
        )  # fmt: skip
        self.shape.setObjectName("factorShape")
        self.shape.chosen.connect(self._on_shape)
        self.sigma = SliderRow(
            self.tr("Spread of the factor, σ"), 0.01, 1.0,
            ends=(self.tr("more accurate"), self.tr("more private")),
        )  # fmt: skip
        self.sigma.set_names("factorSigma")
        self.sigma.moved.connect(self._emit)
        self.note = text("", "captionHint", wrap=True)
        column(
            row(text(self.tr("Factor"), "label"), self.shape, None), self.sigma, self.note, None,
            parent=self, spacing=10,
        )  # fmt: skip

    def show_noise(self, perturbation: Multiplicative, attribute: Attribute) -> None:
        """Show the factor of the study."""
        self._noise = perturbation.noise
        sigma = perturbation.sigma_of(attribute)
        self.shape.set_current(perturbation.noise)
        self.sigma.set_value(sigma)
        low, high = domain_of(attribute)
        middle = (low + high) / 2
        words = self.tr("Two factors out of three lie within about %s of 1; a %s becomes %s to %s.")
        self.note.setText(
            words
            % (percent(sigma), significant(middle), significant(middle * (1 - sigma)),
               significant(middle * (1 + sigma)))
        )  # fmt: skip

    def _on_shape(self, shape: str) -> None:
        self._noise = shape
        self._emit(self.sigma.value, "")

    def _emit(self, value: float, gesture: str) -> None:
        made = Multiplicative(noise=self._noise, sigma=value)
        self.changed.emit(lambda _: made, gesture)


class RetentionPanel(QWidget):
    """Keep the number, or replace it by one from the whole domain."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:  # noqa: ARG002 (as all panels)
        super().__init__()
        self._shown = Retention()
        self.keep = SliderRow(
            self.tr("Keep the true number"), 0.0, 1.0, is_share=True,
            ends=(self.tr("more private"), self.tr("more accurate")),
        )  # fmt: skip
        self.keep.set_names("retentionKeep")
        self.keep.moved.connect(self._on_moved)
        self.note = text("", "captionHint", wrap=True)
        column(self.keep, self.note, None, parent=self, spacing=10)

    def show_noise(self, perturbation: Retention, attribute: Attribute) -> None:
        """Show the probability of the study."""
        self._shown = perturbation
        self.keep.set_value(perturbation.keep)
        low, high = domain_of(attribute)
        words = self.tr("%s of numbers are replaced by one drawn %s from %s to %s.")
        manner = (
            self.tr("evenly") if perturbation.replacing is None else self.tr("by given weights")
        )
        self.note.setText(
            words % (percent(1 - perturbation.keep), manner, trimmed(low), trimmed(high))
        )

    def _on_moved(self, value: float, gesture: str) -> None:
        shown = self._shown

        def build(_: Attribute) -> Perturbation:
            return Retention(keep=value, replacing=shown.replacing, grid=shown.grid)

        self.changed.emit(build, gesture)


class DiscretisePanel(QWidget):
    """The interval is published instead of the number."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:  # noqa: ARG002 (as all panels)
        super().__init__()
        self.count = SliderRow(
            self.tr("Number of intervals"), 1, 50, decimals=0,
            ends=(self.tr("more private"), self.tr("more accurate")),
        )  # fmt: skip
        self.count.set_names("intervals")
        self.count.moved.connect(
            lambda value, gesture: self.changed.emit(
                lambda _: Discretise(intervals=max(1, round(value))), gesture
            )
        )
        self.note = text("", "captionHint", wrap=True)
        column(self.count, self.note, None, parent=self, spacing=10)

    def show_noise(self, perturbation: Discretise, attribute: Attribute) -> None:
        """Show the intervals of the study."""
        edges = perturbation.edges_of(attribute)
        self.count.set_value(len(edges) - 1)
        labels = perturbation.distorted(attribute).values
        listed = "; ".join(interval_words(label) for label in labels[:4]) + (
            "; …" if len(labels) > 4 else ""
        )
        words = self.tr(
            "%s intervals: %s. Nothing is random: a published interval is always the true one."
        )
        self.note.setText(words % (number(len(labels)), listed))
