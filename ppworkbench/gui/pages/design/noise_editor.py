"""The editor of a numeric attribute: what is added to a number, or put in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QStackedWidget, QWidget

from ppworkbench.core.arrays import Numbers
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
from ppworkbench.core.design.noises.steps import MANY_STEPS
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number, percent, signed, significant, trimmed
from ppworkbench.gui.pages.design.preview import AnswerExample, interval_words
from ppworkbench.gui.pages.design.readouts import TargetRow
from ppworkbench.gui.pages.design.texts import offered, refusals
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Segmented, SliderRow, Switch
from ppworkbench.gui.widgets.form import Form
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import column, line, row, text
from ppworkbench.study.help import key_about


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


_NARROWEST = 340
"""Pixels for curve and handles, so that the list beside gives way first."""
_FACTORS = {
    Qt.Key.Key_Left: 1 / 1.05,
    Qt.Key.Key_Down: 1 / 1.05,
    Qt.Key.Key_Right: 1.05,
    Qt.Key.Key_Up: 1.05,
    Qt.Key.Key_PageDown: 1 / 1.5,
    Qt.Key.Key_PageUp: 1.5,
}
_MOST_ROWS = 101


class NoisePlot(QWidget):
    """A curve over shifts with two handles at plus and minus the scale."""

    scale_dragged = Signal(float, str)

    _drags = 0

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._x: Numbers = np.linspace(-1, 1, 3)
        self._y: Numbers = np.ones(3)
        self._stems = False
        self._scale = 1.0
        self._symbol = "σ"
        self._range = 4.0
        self._interval = 0.0
        self._gesture = ""
        self.setObjectName("noisePlot")
        self.setAccessibleName(self.tr("Noise distribution"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        themes.theme_changed.connect(self.update)

    def show_density(
        self, x: Numbers, y: Numbers, scale: float, symbol: str, interval: float, *, stems: bool
    ) -> None:
        """Show a curve, or stems at whole numbers; ``interval`` holds 95 % of shifts."""
        self._x, self._y, self._scale, self._symbol = x, y, scale, symbol
        self._interval, self._stems = interval, stems
        if not self._gesture:
            self._range = self._fitting_range()
        words = self.tr("%s is %s; 95 in 100 noise values lie within %s")
        self.setAccessibleDescription(words % (symbol, number(scale, 2), number(interval / 2, 2)))
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """Wide and low."""
        px = self._themes.theme.px
        return QSize(px(440), px(200))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Low enough for a small window."""
        px = self._themes.theme.px
        return QSize(max(px(260), _NARROWEST), px(130))

    def _fitting_range(self) -> float:
        return max(float(np.abs(self._x).max()), 1.3 * self._scale)

    # Geometry

    def _area(self) -> QRectF:
        px = self._themes.theme.px
        # Stems are all as high as the handles, whose words go above them.
        top, below = px(48 if self._stems else 34), px(40)
        return QRectF(14, top, self.width() - 28, self.height() - top - below)

    def _to_x(self, shift: float) -> float:
        area = self._area()
        return area.center().x() + shift / self._range * area.width() / 2

    def _to_y(self, density: float) -> float:
        area = self._area()
        highest = float(self._y.max()) or 1.0
        return area.bottom() - density / highest * area.height() * 0.94

    def _handle(self, side: int) -> QPointF:
        shift = side * self._scale
        density = float(np.interp(shift, self._x, self._y))
        return QPointF(self._to_x(shift), self._to_y(density))

    # Dragging

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Take hold of a handle."""
        for side in (-1, 1):
            gap = self._handle(side) - event.position()
            if abs(gap.x()) < 14 and abs(gap.y()) < 18:
                NoisePlot._drags += 1
                self._gesture = f"noise drag {NoisePlot._drags}"
                return

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Widen or narrow the noise."""
        if self._gesture:
            area = self._area()
            shift = abs(event.position().x() - area.center().x()) / (area.width() / 2) * self._range
            if shift > self._range * 0.01:
                self.scale_dragged.emit(shift, self._gesture)
            return
        near = any(abs((self._handle(side) - event.position()).x()) < 14 for side in (-1, 1))
        shape = Qt.CursorShape.SizeHorCursor if near else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002, N802
        """Let go and fit the axis to the new width."""
        self._gesture = ""
        self._range = self._fitting_range()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Arrows do what the handles do; a key that is held down is one gesture."""
        factor = _FACTORS.get(Qt.Key(event.key()))
        if factor is None:
            super().keyPressEvent(event)
            return
        if not event.isAutoRepeat():
            NoisePlot._drags += 1
        self.scale_dragged.emit(self._scale * factor, f"noise key {NoisePlot._drags}")

    def rows(self) -> list[list[str]]:
        """How likely shifts are, as a table."""
        step = 1 if self._stems else -(-len(self._x) // _MOST_ROWS)
        head = [self.tr("noise"), self.tr("probability") if self._stems else self.tr("density")]
        pairs = zip(self._x[::step].tolist(), self._y[::step].tolist(), strict=True)
        return [head, *([f"{x:.6g}", f"{y:.6g}"] for x, y in pairs)]

    # Drawing

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw ground, curve or stems, interval, handles and axis."""
        theme = self._themes.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("focus"), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("window"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text2"))
        top = QRectF(12, 8, self.width() - 24, theme.px(18))
        what, how = self.tr("Noise distribution"), self.tr("drag a handle to change the width")
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft, what)
        if painter.fontMetrics().horizontalAdvance(what + how) + 12 < top.width():
            painter.setPen(theme.colour("text3"))
            painter.drawText(top, Qt.AlignmentFlag.AlignRight, how)
        if self._stems:
            self._draw_stems(painter)
        else:
            self._draw_curve(painter)
        self._draw_axis(painter)
        self._draw_interval(painter)
        self._draw_handles(painter)

    def _draw_curve(self, painter: QPainter) -> None:
        theme = self._themes.theme
        area = self._area()
        across = area.center().x() + self._x / self._range * area.width() / 2
        highest = float(self._y.max()) or 1.0
        up = area.bottom() - self._y / highest * area.height() * 0.94
        across = np.concatenate([across[:1], across, across[-1:]])
        up = np.concatenate([[area.bottom()], up, [area.bottom()]])
        curve = arrayToQPolygonF(across, up)
        painter.setClipRect(area.adjusted(-2, -6, 2, 2))
        painter.setPen(QPen(theme.colour("accentInk"), theme.stroke(2)))
        painter.setBrush(theme.colour("accentTint"))
        painter.drawPolygon(curve)
        painter.setClipping(False)

    def _draw_stems(self, painter: QPainter) -> None:
        theme = self._themes.theme
        area = self._area()
        painter.setPen(QPen(theme.colour("accentInk"), 2 if len(self._x) < 120 else 1))
        painter.setBrush(theme.colour("accentInk"))
        dots = len(self._x) <= 60
        for x, y in zip(self._x.tolist(), self._y.tolist(), strict=True):
            spot = QPointF(self._to_x(x), self._to_y(y))
            if not area.left() - 2 <= spot.x() <= area.right() + 2:
                continue
            painter.drawLine(QPointF(spot.x(), area.bottom()), spot)
            if dots:
                painter.drawEllipse(spot, 2.5, 2.5)

    def _draw_axis(self, painter: QPainter) -> None:
        theme = self._themes.theme
        area = self._area()
        painter.setPen(QPen(theme.colour("axis"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.colour("text3"))
        step = _round_step(self._range / 3.2)
        digits = max(0, -int(np.floor(np.log10(step)))) if step < 1 else 0
        for place in range(-5, 6):
            shift = place * step
            if abs(shift) > self._range * 0.97:
                continue
            words = "0" if place == 0 else signed(shift, digits)
            half = theme.px(40)
            box = QRectF(self._to_x(shift) - half, area.bottom() + 4, 2 * half, theme.px(16))
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, words)
        below = QRectF(area.left(), area.bottom() + theme.px(20), area.width(), theme.px(16))
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, self.tr("reported minus true"))

    def _draw_interval(self, painter: QPainter) -> None:
        if self._interval <= 0:
            return
        theme = self._themes.theme
        half = min(self._interval / 2, self._range * 0.98)
        y = self._area().bottom() - theme.px(13)
        left, right = self._to_x(-half), self._to_x(half)
        painter.setPen(QPen(theme.colour("text"), 1))
        painter.setFont(theme.font("caption", "semibold"))
        words = self.tr("95\u202f%% of the noise: width %s") % number(
            self._interval, 0 if self._interval >= 20 else 2
        )
        width = painter.fontMetrics().horizontalAdvance(words) + 12
        middle = (left + right) / 2
        if right - left > width + 12:
            painter.drawLine(QPointF(left, y), QPointF(middle - width / 2, y))
            painter.drawLine(QPointF(middle + width / 2, y), QPointF(right, y))
        for x in (left, right):
            painter.drawLine(QPointF(x, y - 5), QPointF(x, y + 5))
        ground = QRectF(middle - width / 2, y - theme.px(8), width, theme.px(16))
        painter.fillRect(ground, theme.colour("accentTint" if not self._stems else "window"))
        painter.drawText(ground, Qt.AlignmentFlag.AlignCenter, words)

    def _draw_handles(self, painter: QPainter) -> None:
        theme = self._themes.theme
        bottom = self._area().bottom()
        for side in (-1, 1):
            spot = self._handle(side)
            painter.setPen(QPen(theme.colour("accentInk"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(spot, QPointF(spot.x(), bottom - theme.px(24)))
            painter.setPen(QPen(theme.colour("accent"), 2))
            painter.setBrush(theme.colour("surface"))
            painter.drawEllipse(spot, 7, 7)
            if self.hasFocus():
                painter.setPen(QPen(theme.colour("focus"), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(spot, 11, 11)
        painter.setFont(theme.font("body", "semibold"))
        painter.setPen(theme.colour("accentInk"))
        spot = self._handle(1)
        digits = 0 if self._scale >= 20 else 2
        words = f"{self._symbol} = {number(self._scale, digits)}"
        width = painter.fontMetrics().horizontalAdvance(words)
        is_room = spot.x() + 14 + width <= self.width() - 10
        x = spot.x() + 14 if is_room else spot.x() - 12 - width
        painter.drawText(QPointF(x, spot.y() - (6 if is_room else 12)), words)


def _round_step(rough: float) -> float:
    power = 10.0 ** np.floor(np.log10(max(rough, 1e-12)))
    for factor in (1, 2, 5, 10):
        if rough <= factor * power:
            return float(factor * power)
    return float(10 * power)


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
        self.truncate = Switch(themes, self.tr("Redraw outside the domain"))
        self.truncate.setObjectName("truncate")
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


class NoiseEditor(Card):
    """Everything about the noise of the current attribute."""

    mechanism_chosen = Signal(object, str)
    """A function that makes the mechanism of an attribute, and the gesture it is a part of."""
    help_requested = Signal(str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(tr("Noise"))
        self._themes = themes
        self.segments = Segmented(themes, self.tr("Noise"), _choices(Kind.INTEGER))
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
        """Leave the heading out where it would be cut."""
        super().resizeEvent(event)
        self.show_title_beside(self.segments)

    def set_view(self, view: DesignView) -> None:
        """Show the mechanism of a numeric attribute."""
        attribute, perturbation = view.attribute, view.perturbation
        segment = perturbation.type_name
        self.segments.set_choices(_choices(attribute.kind))
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
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def _choose(self, perturbation: Perturbation, gesture: str) -> None:
        self.mechanism_chosen.emit(lambda _: perturbation, gesture)

    def _on_segment(self, segment: str) -> None:
        self.mechanism_chosen.emit(perturbations[segment].start, "")


def _choices(kind: Kind) -> list[tuple[str, str]]:
    return [(entry.name, translate(entry.title)) for entry in offered(kind)]
