"""The editor of a numeric attribute: what is added to a number, or put in its place."""

from __future__ import annotations

import dataclasses
from itertools import count
from typing import Any, ClassVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Discretise, Multiplicative, Perturbation, Retention
from ppworkbench.core.design.noises import domain_of
from ppworkbench.core.design.noises.distribution import MANY_STEPS
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.chart import Plot, Rows
from ppworkbench.gui.charts.picture_shapes import thin_pen
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent, significant, trimmed
from ppworkbench.gui.pages.design.editors.examples import AnswerExample
from ppworkbench.gui.pages.design.editors.mechanism_editor import (
    MechanismEditor,
    MechanismPanel,
    SliderPanel,
    reason_of,
)
from ppworkbench.gui.pages.design.texts import interval_words
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.controls import Segmented, Switch
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, line, named, row, show_words, text
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape

_NARROWEST = 340
"""Pixels for curve and handles, so that the list beside gives way first."""
_ABOVE, _INTERVAL = 1.35, 0.12
"""How high the axis is compared with the curve, and where the interval stands."""
_NEAR = 14, 18
_FACTORS = {
    Qt.Key.Key_Left: 1 / 1.05, Qt.Key.Key_Down: 1 / 1.05, Qt.Key.Key_Right: 1.05,
    Qt.Key.Key_Up: 1.05, Qt.Key.Key_PageDown: 1 / 1.5, Qt.Key.Key_PageUp: 1.5,
}  # fmt: skip
_MOST_ROWS = 101


class NoisePlot(Plot):
    """A curve over shifts with two handles at plus and minus the scale."""

    scale_dragged = Signal(float, str)

    _drags = count(1)

    def __init__(self, themes: ThemeManager) -> None:
        self._x: Numbers = np.linspace(-1, 1, 3)
        self._y: Numbers = np.ones(3)
        self._stems = False
        self._scale, self._symbol = 1.0, "σ"
        self._range, self._drawn_range, self._interval = 4.0, 0.0, 0.0
        self._gesture = ""
        self._key_gesture = ""
        lines = {"connect": "pairs"}
        self._curve, self._stalks = pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(**lines)
        self._reach, self._threads = pg.PlotCurveItem(**lines), pg.PlotCurveItem(**lines)
        self._dots = pg.ScatterPlotItem(size=5, pen=None)
        self._handles = pg.ScatterPlotItem(size=15)
        self._within, self._words = pg.TextItem(anchor=(0.5, 0.5)), pg.TextItem()
        super().__init__(themes, self.tr("Noise distribution"))
        self.rows = self._table
        self.setObjectName("noisePlot")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.hideAxis("left")
        behind = (self._curve, self._stalks, self._dots, self._threads)
        for item in (*behind, self._reach, self._within, self._handles, self._words):
            self.addItem(item)

    def show_density(
        self, x: Numbers, y: Numbers, scale: float, symbol: str, interval: float, *, stems: bool
    ) -> None:
        """Show a curve, or stems at whole numbers; ``interval`` holds 95 % of shifts."""
        self._x, self._y, self._scale, self._symbol = x, y, scale, symbol
        self._interval, self._stems = interval, stems
        if not self._gesture:
            self._fit_range()
        words = self.tr("%s is %s; 95 in 100 noise values lie within %s")
        self.setAccessibleDescription(words % (symbol, number(scale, 2), number(interval / 2, 2)))
        self._draw()

    def sizeHint(self) -> QSize:  # noqa: N802
        px = self.themes.theme.px
        return QSize(px(440), px(200))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        px = self.themes.theme.px
        return QSize(max(px(260), _NARROWEST), px(130))

    def _fit_range(self) -> None:
        self._range = max(float(np.abs(self._x).max()), 1.3 * self._scale)

    # Drawing

    def retheme(self) -> None:
        theme = self.themes.theme
        ink, tint, text = (theme.colour(name) for name in ("accentInk", "accentTint", "text"))
        self._curve.setPen(thin_pen(ink, theme.stroke(2.0)))
        self._curve.setBrush(tint)
        self._stalks.setPen(thin_pen(ink, theme.stroke(1.5)))
        self._dots.setBrush(ink)
        self._threads.setPen(thin_pen(ink, 1.0, Qt.PenStyle.DashLine))
        self._handles.setPen(thin_pen(theme.colour("accent"), 2.0))
        self._handles.setBrush(theme.colour("surface"))
        self._reach.setPen(thin_pen(text, 1.0))
        self._within.setColor(text)
        self._within.setFont(theme.font("caption", "semibold"))
        self._words.setColor(ink)
        self._words.setFont(theme.font("body", "semibold"))
        size = f"{theme.font('caption').pixelSize()}px"
        words = f"{self.tr('Noise distribution')}: {self.tr('drag a handle to change the width')}"
        self.setTitle(words, color=theme.hex("text2"), size=size)
        self.label_axes(bottom=self.tr("reported minus true"))
        self.setYRange(0.0, _ABOVE, padding=0.0)
        self._draw()

    def _draw(self) -> None:
        # Always as high as the room, so that a drag leaves the axes alone.
        x, y, theme = self._x, self._y / (float(self._y.max()) or 1.0), self.themes.theme
        if self._range != self._drawn_range:
            self._drawn_range = self._range
            self.setXRange(-self._range, self._range, padding=0.0)
        self._curve.setVisible(not self._stems)
        self._stalks.setVisible(self._stems)
        self._dots.setVisible(self._stems and len(x) <= 60)
        if self._stems:
            self._stalks.setData(np.repeat(x, 2), np.column_stack([0.0 * y, y]).ravel())
            self._dots.setData(x, y)
        else:
            self._curve.setData(x, y, fillLevel=0.0)
        ends = np.array([-self._scale, self._scale])
        tops = np.interp(ends, x, y)
        self._threads.setData(np.repeat(ends, 2), np.column_stack([0.0 * tops, tops]).ravel())
        self._handles.setData(ends, tops)
        self._words.setText(f"{self._symbol} = {number(self._scale, 2 * (self._scale < 20))}")
        is_room = self._scale < 0.6 * self._range
        self._words.setAnchor((-0.15 if is_room else 1.1, 1.0))
        self._words.setPos(ends[1], tops[1])
        self._draw_interval()
        ground = theme.colour("window" if self._stems else "accentTint")
        self._within.fill = pg.mkBrush(ground)

    def _draw_interval(self) -> None:
        is_known, at = self._interval > 0, _INTERVAL
        self._reach.setVisible(is_known)
        self._within.setVisible(is_known)
        half, cap = min(self._interval / 2, 0.98 * self._range), 0.3 * at
        x = np.array([-half, half, -half, -half, half, half])
        self._reach.setData(x, at + cap * np.array([0, 0, -1, 1, -1, 1]))
        digits = 0 if self._interval >= 20 else 2
        words = self.tr("95\u202f%% of the noise: width %s") % number(self._interval, digits)
        self._within.setText(words)
        self._within.setPos(0.0, at)

    # Dragging

    def _handle(self, side: int) -> QPointF:
        """Where a handle is in the window's pixels."""
        shift = side * self._scale
        highest = float(self._y.max()) or 1.0
        at = QPointF(shift, float(np.interp(shift, self._x, self._y)) / highest)
        return QPointF(self.mapFromScene(self.getViewBox().mapViewToScene(at)))

    def _gaps(self, event: QMouseEvent) -> list[QPointF]:
        return [self._handle(side) - event.position() for side in (-1, 1)]

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if any(abs(gap.x()) < _NEAR[0] and abs(gap.y()) < _NEAR[1] for gap in self._gaps(event)):
            self._gesture = f"noise drag {next(self._drags)}"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if self._gesture:
            place = self.mapToScene(event.position().toPoint())
            shift = abs(self.getViewBox().mapSceneToView(place).x())
            if shift > self._range * 0.01:
                self.scale_dragged.emit(shift, self._gesture)
            return
        near = any(abs(gap.x()) < _NEAR[0] for gap in self._gaps(event))
        shapes = Qt.CursorShape
        self.viewport().setCursor(shapes.SizeHorCursor if near else shapes.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        """Fit the axis to the new width."""
        self._gesture = ""
        self._fit_range()
        self._draw()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows do what the handles do; a key that is held down is one gesture."""
        factor = _FACTORS.get(Qt.Key(event.key()))
        if factor is None:
            super().keyPressEvent(event)
            return
        if not event.isAutoRepeat():
            self._key_gesture = f"noise key {next(self._drags)}"
        self.scale_dragged.emit(self._scale * factor, self._key_gesture)

    # What leaves the window

    def _table(self) -> Rows:
        step = 1 if self._stems else -(-len(self._x) // _MOST_ROWS)
        head = [self.tr("noise"), self.tr("probability") if self._stems else self.tr("density")]
        pairs = zip(self._x[::step].tolist(), self._y[::step].tolist(), strict=True)
        return [head, *([f"{x:.6g}", f"{y:.6g}"] for x, y in pairs)]

    @property
    def picture(self) -> Picture:
        """The curve or its stems, and how wide it is."""
        heads = self._table()[0]
        shape = Shape.BARS if self._stems else Shape.LINE
        name, nowhere = Message(self.tr("Noise distribution")), np.full(1, np.nan)
        marks = [Mark(shape, Role.SERIES, Message(heads[1]), self._x, self._y)]
        for side in (-1, 1):
            said = Message(f"±{self._symbol} = {number(self._scale, 2)}")
            at = np.full(1, side * self._scale)
            marks.append(Mark(Shape.RULE, Role.REFERENCE, said, at, nowhere))
        x, y = Axis(Message(self.tr("reported minus true"))), Axis(Message(heads[1]), low=0.0)
        return Picture("noise", name, x, y, tuple(marks))


class MultiplicativePanel(SliderPanel):
    """A random factor around 1."""

    def __init__(self, themes: ThemeManager) -> None:
        self.shape = Segmented(
            themes, tr("Distribution of the factor"),
            [("lognormal", tr("Log-normal")), ("truncated-normal", tr("Truncated normal"))],
        )  # fmt: skip
        self.shape.setObjectName("factorShape")
        self.shape.chosen.connect(lambda _: self._on_moved(self.slider.value, ""))
        head = QWidget()
        row(text(tr("Factor"), "label"), self.shape, None, parent=head)
        slider = SliderRow(
            tr("Spread of the factor, σ"), 0.01, 1.0,
            ends=(tr("more accurate"), tr("more private")),
        )  # fmt: skip
        super().__init__(
            "factorSigma", slider, self._read_factor,
            lambda _, sigma: Multiplicative(noise=self.shape.current, sigma=sigma), head,
        )  # fmt: skip

    def _read_factor(self, shown: Multiplicative, attribute: Attribute) -> tuple[float, str]:
        self.shape.set_current(shown.noise)
        sigma, middle = shown.sigma_of(attribute), sum(domain_of(attribute)) / 2
        words = tr("2 in 3 factors lie within about %s of 1; %s is reported as %s to %s.")
        ends = (significant(middle * (1 + way * sigma)) for way in (-1, 1))
        return sigma, words % (percent(sigma), significant(middle), *ends)


def retention_panel(_: ThemeManager) -> SliderPanel:
    """The true number is kept, or another is drawn."""
    slider = SliderRow(
        tr("Keep the true number"), 0.0, 1.0, is_share=True,
        ends=(tr("more private"), tr("more accurate")),
    )  # fmt: skip

    def read(shown: Retention, attribute: Attribute) -> tuple[float, str]:
        words = tr("%s of numbers are replaced by a number drawn %s from %s to %s.")
        manner = tr("uniformly") if shown.replacing is None else tr("by given weights")
        ends = map(trimmed, domain_of(attribute))
        return shown.keep, words % (percent(1 - shown.keep), manner, *ends)

    return SliderPanel(
        "retentionKeep", slider, read, lambda shown, keep: dataclasses.replace(shown, keep=keep)
    )


def intervals_panel(_: ThemeManager) -> SliderPanel:
    """Only the interval is reported that holds the number."""
    slider = SliderRow(
        tr("Number of intervals"), 1, 50, decimals=0,
        ends=(tr("more private"), tr("more accurate")),
    )  # fmt: skip

    def read(shown: Discretise, attribute: Attribute) -> tuple[float, str]:
        labels = shown.distorted(attribute).values
        listed = "; ".join([*map(interval_words, labels[:4]), *(["…"] if len(labels) > 4 else [])])
        words = tr(
            "%s intervals: %s. Nothing is random: the reported interval is always the true one."
        )
        count = len(shown.edges_of(attribute)) - 1
        return count, words % (number(len(labels)), listed)

    return SliderPanel(
        "intervals", slider, read, lambda _, count: Discretise(intervals=max(1, round(count)))
    )


_SCALES = {"uniform": "half_width", "normal": "sigma", "laplace": "scale"}
_SYMBOLS = {"uniform": "a", "normal": "σ", "laplace": "b"}


class AdditivePanel(MechanismPanel):
    """Noise that is added: its shape, its width or its level of privacy, and its curve."""

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

    def set_view(self, view: DesignView, chosen: int) -> None:  # noqa: ARG002
        perturbation: Any = view.perturbation
        attribute, self._shown = view.attribute, perturbation
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
            self.tr("%s\u202f%% = as uncertain as any value within %s.") % (number(level, 0), flat)
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


class NoiseEditor(MechanismEditor):
    """Everything about the noise of the current attribute."""

    panels: ClassVar = {
        "additive": AdditivePanel, "multiplicative": MultiplicativePanel,
        "retention": retention_panel, "discretise": intervals_panel,
    }  # fmt: skip

    def __init__(self, themes: ThemeManager) -> None:
        nothing = tr("Numbers are not randomised.")
        super().__init__(themes, tr("Noise"), "noiseMechanism", Kind.INTEGER, nothing)
        # Most numbers have it: its curve takes long to make.
        self.panel("additive")
        self.journey = AnswerExample(themes)
        self.reason = named(text("", "captionHint", wrap=True), "noiseReason")
        self._bottom = QWidget()
        for part in (
            self.reason, self.stack, self.problem, self.aim, line(), self.journey, self._bottom
        ):  # fmt: skip
            self.body.addWidget(part)
        self.body.setStretchFactor(self.stack, 1)

    def set_view(self, view: DesignView) -> None:
        segment = view.perturbation.type_name
        # The curve of added noise needs all the room; the list tells its reason as well.
        show_words(self.reason, "" if segment == "additive" else reason_of(segment))
        self._offer(view, segment)
        panel = self._show_panel(segment, view)
        self.stack.setCurrentWidget(panel)
        drawn = segment == "additive"
        # Only the curve grows with the window; the other panels stay at their height.
        self.stack.setMaximumHeight(16_777_215 if drawn else max(panel.sizeHint().height(), 90))
        self.body.setStretchFactor(self.stack, 1 if drawn else 0)
        self.body.setStretchFactor(self._bottom, 0 if drawn else 1)
        self.problem.hide()
        self.aim.set_view(view)
        self.journey.set_view(view)
