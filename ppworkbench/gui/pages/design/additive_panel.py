"""Additive noise: shape, width and range privacy linked, and rules for whole numbers."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Perturbation
from ppworkbench.core.design.noises.steps import MANY_STEPS
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.pages.design.noise_plot import NoisePlot
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.layouts import column, row, text
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.gui.widgets.switch import Switch
from ppworkbench.gui.words import number, trimmed

_SCALES = {"uniform": "half_width", "normal": "sigma", "laplace": "scale"}
_SYMBOLS = {"uniform": "a", "normal": "σ", "laplace": "b"}


class AdditivePanel(QWidget):
    """``changed`` carries a function of the attribute, so that several can share a mechanism."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._shown: Additive | None = None
        self.shape = Segmented(
            themes, self.tr("Shape of the noise"),
            [("uniform", self.tr("Uniform")), ("normal", self.tr("Normal")),
             ("laplace", self.tr("Laplace"))],
        )  # fmt: skip
        self.shape.setObjectName("noiseShape")
        self.shape.chosen.connect(self._on_shape)
        self.rule = Segmented(
            themes, self.tr("How whole numbers stay whole"),
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
        self.truncate = Switch(themes, self.tr("Draw again when the result leaves the domain"))
        self.truncate.setObjectName("truncate")
        self.truncate.clicked.connect(lambda on: self._change(truncate=on))
        self.truncate_label = ElidedLabel("label", hugs=True)
        self._rule_label = text(self.tr("Whole numbers"), "label")
        layout = column(
            row(text(self.tr("Shape"), "label"), self.shape, None),
            row(self._rule_label, self.rule, None),
            self.plot,
            row(self.width_row, self.level, spacing=20),
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
            "floor": self.tr("The floor rule is for uniform noise.")
        }  # fmt: skip
        self.rule.set_disabled(floor)
        symbol = _SYMBOLS[perturbation.noise]
        width = max(attribute.width, 1e-9)
        self.width_row.label.setText(self.tr("Width, %s") % symbol)
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
            self.tr("Linked: %s %% is as uncertain as a flat guess over %s.")
            % (number(level, 0), flat)
        )
        self.truncate.setChecked(perturbation.truncate)
        low, high = attribute.domain or (0.0, 0.0)
        self.truncate_label.setText(
            self.tr("Draw again when the result leaves %s to %s") % (trimmed(low), trimmed(high))
        )
        self._draw(perturbation, attribute, symbol)

    def _draw(self, perturbation: Additive, attribute: Attribute, symbol: str) -> None:
        noise = perturbation.noise_of(attribute)
        stepped = perturbation.steps_of(attribute)
        interval = noise.interval_width(0.95)
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
