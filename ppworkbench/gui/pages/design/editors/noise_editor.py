"""The editor of a numeric attribute: what is added to a number, or put in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QStackedWidget, QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Discretise,
    Multiplicative,
    Perturbation,
    Retention,
    perturbations,
)
from ppworkbench.core.design.noises import domain_of
from ppworkbench.core.design.noises.distribution import MANY_STEPS
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.charts.noise import NoisePlot
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, significant, trimmed
from ppworkbench.gui.pages.design.editors.examples import AnswerExample
from ppworkbench.gui.pages.design.editors.mechanism_advice import reason_of
from ppworkbench.gui.pages.design.readouts import TargetRow
from ppworkbench.gui.pages.design.texts import hints, interval_words, offered, refusals
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import ChoiceBox, Segmented, Switch
from ppworkbench.gui.widgets.form import Form
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, line, named, row, show_words, text
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.outputs.help import key_about


class MultiplicativePanel(QWidget):
    """A random factor around 1."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._noise = "lognormal"
        self.shape = Segmented(
            themes,
            self.tr("Distribution of the factor"),
            [
                ("lognormal", self.tr("Log-normal")),
                ("truncated-normal", self.tr("Truncated normal")),
            ],
        )
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
        words = self.tr("2 in 3 factors lie within about %s of 1; %s is reported as %s to %s.")
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
        words = self.tr("%s of numbers are replaced by a number drawn %s from %s to %s.")
        manner = (
            self.tr("uniformly") if perturbation.replacing is None else self.tr("by given weights")
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
            "%s intervals: %s. Nothing is random: the reported interval is always the true one."
        )
        self.note.setText(words % (number(len(labels)), listed))


_SCALES = {"uniform": "half_width", "normal": "sigma", "laplace": "scale"}
_SYMBOLS = {"uniform": "a", "normal": "σ", "laplace": "b"}


class AdditivePanel(QWidget):
    """``changed`` carries a function of the attribute, so that several can share a mechanism."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._shown: Additive | None = None
        self.shape = Segmented(
            themes, self.tr("Noise shape"),
            [("uniform", self.tr("Uniform")), ("normal", self.tr("Normal")),
             ("laplace", self.tr("Laplace"))],
        )  # fmt: skip
        self.shape.setObjectName("noiseShape")
        self.shape.chosen.connect(self._on_shape)
        self.rule = Segmented(
            themes, self.tr("Rounding of whole numbers"),
            [("staircase", self.tr("Staircase")), ("round", self.tr("Round")),
             ("floor", self.tr("Floor"))],
        )  # fmt: skip
        self.rule.setObjectName("integerRule")
        self.rule.chosen.connect(lambda rule: self._change(integer=rule))
        self.plot = NoisePlot(themes)
        self.plot.scale_dragged.connect(self._on_scale)
        self.width_row = SliderRow(
            self.tr("Width"), 0.01, 100.0, logarithmic=True,
        )  # fmt: skip
        self.width_row.set_names("noiseWidth")
        self.width_row.moved.connect(self._on_scale)
        self.level = SliderRow(
            self.tr("Range privacy"), 1.0, 400.0, decimals=1, logarithmic=True, suffix=" %",
        )  # fmt: skip
        self.level.set_names("rangePrivacy")
        self.level.moved.connect(self._on_level)
        self.linked = text("", "captionHint", wrap=True)
        self.truncate = named(Switch(themes, self.tr("Redraw outside the domain")), "truncate")
        self.truncate.clicked.connect(lambda on: self._change(truncate=on))
        self.truncate_label = ElidedLabel("label", hugs=True)
        self._rule_label = text(self.tr("Whole numbers"), "label")
        self._levels = row(self.width_row, self.level, spacing=20)
        layout = column(
            row(text(self.tr("Shape"), "label"), self.shape, None),
            row(self._rule_label, self.rule, None),
            self.plot,
            self._levels,
            row(
                text(self.tr("left: more accurate"), "captionHint"),
                None,
                text(self.tr("right: more private"), "captionHint"),
            ),
            self.linked,
            row(self.truncate, self.truncate_label, None),
            parent=self,
            spacing=8,
        )
        layout.setStretch(2, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Put one slider below the other where their names have no room side by side."""
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        wanted = self.width_row.full_width + self.level.full_width + self._levels.spacing()
        ways = QBoxLayout.Direction
        way = ways.LeftToRight if wanted + 8 <= self.width() else ways.TopToBottom
        if way != self._levels.direction():
            self._levels.setDirection(way)

    def show_noise(self, perturbation: Additive, attribute: Attribute) -> None:
        """Show the noise of the study."""
        self._shown = perturbation
        noise = perturbation.noise_of(attribute)
        whole = attribute.kind is Kind.INTEGER
        self.shape.set_current(perturbation.noise)
        self.rule.setVisible(whole)
        self._rule_label.setVisible(whole)
        self.rule.set_current(perturbation.integer or "staircase")
        floor = {} if perturbation.noise == "uniform" else {
            "floor": self.tr("“Floor” needs uniform noise.")
        }  # fmt: skip
        self.rule.set_disabled(floor)
        symbol = _SYMBOLS[perturbation.noise]
        width = max(attribute.width, 1e-9)
        self.width_row.label.setText(self.tr("Width, %s") % symbol)
        self._turn()
        unit = 1.0 if width <= 0 else width
        steps = whole and perturbation.noise == "uniform"
        self.width_row.set_decimals(0 if steps or unit >= 200 else 2 if unit >= 2 else 4)
        self.width_row.set_range(max(unit / 2000, 1e-6), max(unit * 3, noise.scale))
        self.width_row.set_value(noise.scale)
        level = perturbation.entropy_privacy(attribute) / width * 100
        self.level.setEnabled(attribute.width > 0)
        self.level.set_value(min(level, 400.0))
        flat = number(perturbation.entropy_privacy(attribute), 0 if width >= 50 else 2)
        self.linked.setText(
            self.tr("Linked: %s\u202f%% means uniform uncertainty over %s.")
            % (number(level, 0), flat)
        )
        self.truncate.setChecked(perturbation.truncate)
        low, high = attribute.domain or (0.0, 0.0)
        self.truncate_label.setText(
            self.tr("Redraw outside %s to %s") % (trimmed(low), trimmed(high))
        )
        self._draw(perturbation, attribute, symbol)

    def _draw(self, perturbation: Additive, attribute: Attribute, symbol: str) -> None:
        noise = perturbation.noise_of(attribute)
        stepped = perturbation.steps_of(attribute)
        interval = perturbation.interval_width(0.95, attribute)
        reach = 1.35 * noise.scale if perturbation.noise == "uniform" else 4.0 * noise.scale
        is_whole = stepped is not None and attribute.kind is Kind.INTEGER
        if stepped is not None and is_whole and stepped.reach <= MANY_STEPS:
            steps, mass = stepped.pmf()
            near = np.abs(steps) <= max(reach, 3)
            self.plot.show_density(
                steps[near].astype(float), mass[near], noise.scale, symbol, interval, stems=True
            )
            return
        x = np.linspace(-reach, reach, 321)
        self.plot.show_density(x, noise.pdf(x), noise.scale, symbol, interval, stems=False)

    def _change(self, gesture: str = "", **fields: object) -> None:
        shown = self._shown
        if shown is None:
            return
        given = {
            "noise": shown.noise, "half_width": shown.half_width, "sigma": shown.sigma,
            "scale": shown.scale, "range_privacy": shown.range_privacy, "integer": shown.integer,
            "truncate": shown.truncate, "grid": shown.grid,
        } | fields  # fmt: skip

        def build(attribute: Attribute) -> Perturbation:
            own = dict(given)
            whole = attribute.kind is Kind.INTEGER
            own["integer"] = (own["integer"] or "staircase") if whole else None
            own["grid"] = None if whole else own["grid"]
            if own["noise"] != "uniform" and own["integer"] == "floor":
                own["integer"] = "staircase"
            return Additive(**own)  # type: ignore[arg-type]

        self.changed.emit(build, gesture)

    def _on_shape(self, shape: str) -> None:
        """Another shape at the same level of privacy."""
        shown = self._shown
        if shown is None:
            return

        def build(attribute: Attribute) -> Perturbation:
            rule = shown.integer
            rule = "staircase" if rule == "floor" and shape != "uniform" else rule
            rule = rule if attribute.kind is Kind.INTEGER else None
            try:
                level = shown.entropy_privacy(attribute) / attribute.width * 100
                return Additive(
                    noise=shape, range_privacy=round(level, 4), integer=rule,
                    truncate=shown.truncate,
                )  # fmt: skip
            except (WorkbenchError, ZeroDivisionError):
                return Additive(noise=shape, integer=rule, **{_SCALES[shape]: 1.0})  # type: ignore[arg-type]

        self.changed.emit(build, "")

    def _on_scale(self, value: float, gesture: str) -> None:
        if self._shown is None:
            return
        names: dict[str, object] = dict.fromkeys(_SCALES.values())
        names[_SCALES[self._shown.noise]] = _tidy(value)
        self._change(gesture, range_privacy=None, **names)

    def _on_level(self, value: float, gesture: str) -> None:
        names: dict[str, object] = dict.fromkeys(_SCALES.values())
        self._change(gesture, range_privacy=round(value, 2), **names)


def _tidy(value: float) -> float:
    """Three digits that count: nobody sets a noise to seven."""
    return float(f"{value:.3g}")


class NoiseEditor(Card):
    """Everything about the noise of the current attribute."""

    mechanism_chosen = Signal(object, str)
    """A function that makes the mechanism of an attribute, and the gesture it is a part of."""
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Noise"))
        self._themes = themes
        self.segments = ChoiceBox(self.tr("Noise"), _choices(Kind.INTEGER))
        self.segments.setObjectName("noiseMechanism")
        self.segments.chosen.connect(self._on_segment)
        self.head.addWidget(self.segments)
        # The choices say enough where there is no room for both.
        self.title_label.setMinimumWidth(1)
        self.additive = AdditivePanel(themes)
        self.multiplicative = MultiplicativePanel(themes)
        self.retention = RetentionPanel(themes)
        self.discretise = DiscretisePanel(themes)
        self.stack = QStackedWidget()
        nothing = text(
            self.tr("Numbers are not randomised."), "secondary",
            wrap=True,
        )  # fmt: skip
        self._noise_panels: dict[str, Any] = {
            "additive": self.additive,
            "multiplicative": self.multiplicative,
            "retention": self.retention,
            "discretise": self.discretise,
        }
        self._forms: dict[str, Form] = {}
        self._panels: dict[str, QWidget] = {"none": nothing, **self._noise_panels}
        for panel in self._panels.values():
            self.stack.addWidget(panel)
        for panel in self._noise_panels.values():
            panel.changed.connect(self.mechanism_chosen)
        self.aim = TargetRow(themes)
        self.aim.solved.connect(lambda solved: self._choose(solved, ""))
        self.problem = text("", "warning", wrap=True)
        self.problem.hide()
        self.journey = AnswerExample(themes)
        self.reason = named(text("", "captionHint", wrap=True), "noiseReason")
        self.body.addWidget(self.reason)
        self.body.addWidget(self.stack, 1)
        self.body.addWidget(self.problem)
        self.body.addWidget(self.aim)
        self.body.addWidget(line())
        self.body.addWidget(self.journey)
        self._bottom = QWidget()
        self.body.addWidget(self._bottom)

    def ask_for_help(self) -> None:
        """Ask for the page about the mechanism that is chosen."""
        topic = key_about("perturbation", self.segments.current, "mechanisms")
        self.help_requested.emit(topic)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self.show_title_beside(self.segments)

    def set_view(self, view: DesignView) -> None:
        """Show the mechanism of a numeric attribute."""
        attribute, perturbation = view.attribute, view.perturbation
        segment = perturbation.type_name
        self.segments.set_choices(_choices(attribute.kind))
        self.segments.set_hints(hints(attribute.kind))
        # The curve of added noise needs all the room; the list tells its reason as well.
        show_words(self.reason, "" if segment == "additive" else reason_of(segment))
        self.show_title_beside(self.segments)
        self.segments.set_current(segment)
        self.segments.set_disabled(refusals(attribute))
        panel = self._panel(segment)
        self.stack.setCurrentWidget(panel)
        drawn = segment == "additive"
        # Only the curve grows with the window; the other panels stay at their height.
        self.stack.setMaximumHeight(16_777_215 if drawn else max(panel.sizeHint().height(), 90))
        self.body.setStretchFactor(self.stack, 1 if drawn else 0)
        self.body.setStretchFactor(self._bottom, 0 if drawn else 1)
        if segment in self._noise_panels:
            self._noise_panels[segment].show_noise(perturbation, attribute)
        elif segment in self._forms:
            self._forms[segment].show_params(perturbation)
        self.problem.hide()
        self.aim.set_view(view)
        self.journey.set_view(view)

    def _panel(self, segment: str) -> QWidget:
        """Where a mechanism is edited: its own panel, or a form of its parameters."""
        if segment not in self._panels:
            form = Form(self._themes, perturbations[segment])
            form.edited.connect(self._choose)
            self._forms[segment] = self._panels[segment] = form
            self.stack.addWidget(form)
        return self._panels[segment]

    def show_problem(self, sentence: str) -> None:
        """Say why the attribute cannot be distorted like that; empty if it can."""
        show_words(self.problem, sentence)

    def _choose(self, perturbation: Perturbation, gesture: str) -> None:
        self.mechanism_chosen.emit(lambda _: perturbation, gesture)

    def _on_segment(self, segment: str) -> None:
        self.mechanism_chosen.emit(perturbations[segment].start, "")


def _choices(kind: Kind) -> list[tuple[str, str]]:
    return [(entry.name, translate(entry.title)) for entry in offered(kind)]
