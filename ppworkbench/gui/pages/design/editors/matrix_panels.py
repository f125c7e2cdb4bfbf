"""Sliders and pictures of the mechanisms for values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Binary, Ordinal, Perturbation, Uniform
from ppworkbench.core.design.presets import Preset, named_design, presets
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.gui.charts.matrix import short_probability
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.design.editors.mechanism_editor import MechanismPanel, SliderPanel
from ppworkbench.gui.pages.design.view import DesignView
from ppworkbench.gui.theme import ThemeManager, set_fill, set_outline, smooth_painter
from ppworkbench.gui.widgets.controls import ChoiceBox, IconButton, Switch
from ppworkbench.gui.widgets.form import Form
from ppworkbench.gui.widgets.layout import column, named, row, text, vertical_line
from ppworkbench.gui.widgets.number_fields import SliderRow


def keep_panel(_: ThemeManager) -> SliderPanel:
    """The true answer is kept, or any other is reported."""
    slider = SliderRow(
        tr("Keep the true answer"), 0.0, 1.0, is_share=True,
        ends=(tr("more private"), tr("more accurate")),
    )  # fmt: skip

    def read(shown: Uniform, attribute: Attribute) -> tuple[float, str]:
        others = attribute.k - 1
        if others < 1:
            return shown.keep, ""
        each = number((1 - shown.keep) / others, 3)
        if others == 1:
            return shown.keep, tr("The other value: %s") % each
        return shown.keep, tr("Each of the other %s values: %s") % (others, each)

    return SliderPanel("keep", slider, read, lambda _, keep: Uniform(keep=keep))


class BinaryPanel(MechanismPanel):
    """Ones and zeros kept with different probabilities."""

    def __init__(self, _: ThemeManager) -> None:
        super().__init__()
        self.one = SliderRow(self.tr("Keep the second value"), 0.0, 1.0, is_share=True)
        self.zero = SliderRow(self.tr("Keep the first value"), 0.0, 1.0, is_share=True)
        self.one.set_names("keepOne")
        self.zero.set_names("keepZero")
        for slider in (self.one, self.zero):
            slider.moved.connect(self._on_moved)
        column(self.one, self.zero, parent=self, spacing=4)

    def set_view(self, view: DesignView, chosen: int) -> None:  # noqa: ARG002
        perturbation: Any = view.perturbation
        values = view.attribute.values
        self.one.label.setText(self.tr("Keep “%s” (p)") % values[1])
        self.zero.label.setText(self.tr("Keep “%s” (q)") % values[0])
        self.one.set_value(perturbation.keep_one)
        self.zero.set_value(perturbation.keep_zero)

    def _on_moved(self, _: float, gesture: str) -> None:
        self._choose(Binary(keep_one=self.one.value, keep_zero=self.zero.value), gesture)


class DevicesPanel(MechanismPanel):
    """A list of devices, the form of the chosen one, and what the respondent does."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._values: tuple[str, ...] = ("no", "yes")
        self.chosen = "warner"
        self._preset: Preset | None = None
        self.choice = named(ChoiceBox(self.tr("Named design"), []), "device")
        self.choice.chosen.connect(self._on_chosen)
        self.recipe = text("", "secondary", wrap=True)
        self.reference = text("", "captionHint")
        self._form_place = column()
        self.form: Form | None = None
        column(
            row(text(self.tr("Named design"), "label"), self.choice, None), self._form_place,
            self.recipe, self.reference, None, parent=self, spacing=8,
        )  # fmt: skip

    def set_view(self, view: DesignView, chosen: int) -> None:  # noqa: ARG002
        self._values = view.attribute.values
        self._offer()
        found = named_design(view.perturbation, self._values)
        if found is None:
            return
        self.chosen = found.name
        if not self._is_same(found.preset):
            self._show(found.preset)
        self.choice.set_current(found.name)

    def like(self, values: tuple[str, ...], matrix: Numbers) -> Perturbation | None:
        """The same matrix as a device: the one that was last shown if it can do it."""
        self._values = values
        names = self._names()
        for name in (*(n for n in (self.chosen, "kuk") if n in names), *names):
            preset = presets[name].recognise(matrix)
            if preset is not None:
                return preset.perturbation(values)
        return None

    def _is_same(self, preset: Preset) -> bool:
        if self._preset is None or type(self._preset) is not type(preset):
            return False
        try:
            k = len(self._values)
            before = self._preset.perturbation(self._values).matrix(k)
            return bool(abs(before - preset.perturbation(self._values).matrix(k)).max() < 1e-9)
        except WorkbenchError:
            return False

    def _names(self) -> list[str]:
        two = len(self._values) == 2
        return [e.name for e in presets if two or not e.item.two_values]

    def _offer(self) -> None:
        names = self._names()
        self.choice.set_choices([(name, translate(presets.entry(name).label)) for name in names])
        if self.chosen not in names:
            self.chosen = names[0]

    def _on_chosen(self, name: str) -> None:
        self.chosen = name
        self._show(presets[self.chosen]())
        self._emit("")

    def _show(self, preset: Preset) -> None:
        self._preset = preset
        if self.form is None or self.form.declared is not type(preset):
            if self.form is not None:
                self._form_place.removeWidget(self.form)
                self.form.deleteLater()
            self.form = Form(self._themes, type(preset))
            self.form.edited.connect(self._on_edited)
            self._form_place.addWidget(self.form)
        self.form.show_params(preset)
        self._tell()

    def _tell(self) -> None:
        if self._preset is not None:
            self.recipe.setText(translate(self._preset.recipe(self._values)))
            self.reference.setText(self._preset.reference)

    def _on_edited(self, params: Preset, gesture: str) -> None:
        self._preset = params
        self._emit(gesture)

    def _emit(self, gesture: str) -> None:
        if self._preset is None:
            return
        try:
            perturbation = self._preset.perturbation(self._values)
            self._tell()
        except WorkbenchError as error:
            self.recipe.setText(translate(error.message))
            return
        self._choose(perturbation, gesture)


Matrix = NDArray[np.float64]
_MOST = 12


class LoopDiagram(QWidget):
    """The selected true answer with its arrows; node fill is the probability of landing there."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._matrix: Matrix = np.eye(3)
        self._loop = False
        self._chosen = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Loop effect diagram"))
        themes.theme_changed.connect(self.update)

    def show_matrix(self, matrix: Matrix, loop: bool, chosen: int) -> None:
        """Draw another matrix."""
        self._matrix, self._loop = matrix, loop
        self._chosen = min(chosen, len(matrix) - 1)
        words = (
            self.tr("on: the ends are neighbours")
            if loop
            else self.tr("off: the ends are not neighbours")
        )
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(200, 108)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(150, 96)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        painter = smooth_painter(self)
        k = len(self._matrix)
        if k > _MOST:
            painter.setPen(self._themes.theme.colour("text3"))
            message = self.tr("drawn for up to %s values") % _MOST
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, message)
            return
        places = self._ring(k) if self._loop else self._line(k)
        radius = self._radius(k)
        for i in range(k):
            for j in self._next_to(i, k):
                if self._matrix[j, i]:
                    self._arrow(painter, places, i, j, radius)
        if not self._loop:
            self._end_stops(painter, places, radius)
        for i, place in enumerate(places):
            self._node(painter, place, radius, i)
        self._numbers(painter, places, radius)

    def _next_to(self, i: int, k: int) -> list[int]:
        around = {(i - 1) % k, (i + 1) % k} if self._loop else {i - 1, i + 1}
        return sorted(j for j in around if 0 <= j < k and j != i)

    def _radius(self, k: int) -> float:
        if self._loop:
            return max(8.0, min(14.0, self.height() / (k + 3)))
        return max(7.0, min(14.0, self.width() / (3.1 * k)))

    def _line(self, k: int) -> list[QPointF]:
        radius = self._radius(k)
        room = self.width() - 2 * radius - 16
        y = self.height() * 0.58
        return [QPointF(radius + 8 + room * i / max(k - 1, 1), y) for i in range(k)]

    def _ring(self, k: int) -> list[QPointF]:
        radius = self._radius(k)
        centre = QPointF(self.width() / 2, self.height() / 2 + 4)
        reach_x = min(self.width() / 2 - radius - 34, self.height() * 0.75)
        reach_y = self.height() / 2 - radius - 8
        return [
            centre
            + QPointF(
                reach_x * math.sin(2 * math.pi * i / k), -reach_y * math.cos(2 * math.pi * i / k)
            )
            for i in range(k)
        ]

    def _node(self, painter: QPainter, place: QPointF, radius: float, i: int) -> None:
        theme, chosen = self._themes.theme, i == self._chosen
        fill = theme.heat_colour(float(self._matrix[i, self._chosen]))
        fill = theme.colour("accent") if chosen else fill
        painter.setPen(QPen(theme.colour("accent" if chosen else "outline"), 1.2))
        painter.setBrush(fill)
        painter.drawEllipse(place, radius, radius)
        painter.setFont(theme.font("caption", "semibold"))
        dark = QColor(fill).lightnessF() < 0.55
        painter.setPen(QColor("#FFFFFF") if chosen or dark else QColor("#1B1F27"))
        box = QRectF(place.x() - radius, place.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(i + 1))

    def _arrow(
        self, painter: QPainter, places: list[QPointF], i: int, j: int, radius: float
    ) -> None:
        theme = self._themes.theme
        bold = i == self._chosen
        colour = theme.colour("accentInk" if bold else "outline")
        set_outline(painter, QPen(colour, 2 if bold else 1.1))
        start, end = places[i], places[j]
        unit, length = _way(end - start)
        # Arrows there and back bend to different sides.
        side = QPointF(unit.y(), -unit.x())
        bend = side * min(14.0, length * 0.42)
        tail, tip = (
            start + (unit * 0.55 + side * 0.85) * radius,
            end + (unit * -0.55 + side * 0.85) * radius,
        )
        middle = (start + end) * 0.5 + bend + side * radius * 0.7
        path = QPainterPath(tail)
        path.quadTo(middle, tip)
        painter.drawPath(path)
        head, _ = _way(tip - middle)
        across = QPointF(head.y(), -head.x())
        set_fill(painter, colour)
        painter.drawPolygon(
            QPolygonF([tip, tip - head * 6 + across * 3, tip - head * 6 - across * 3])
        )

    def _end_stops(self, painter: QPainter, places: list[QPointF], radius: float) -> None:
        painter.setPen(QPen(self._themes.theme.colour("text"), 2))
        for place, side in ((places[0], -1), (places[-1], 1)):
            x = place.x() + side * (radius + 5)
            painter.drawLine(QPointF(x, place.y() - radius), QPointF(x, place.y() + radius))

    def _numbers(self, painter: QPainter, places: list[QPointF], radius: float) -> None:
        theme = self._themes.theme
        painter.setFont(theme.font("caption", "semibold"))
        painter.setPen(theme.colour("accentInk"))
        metrics = painter.fontMetrics()
        k = len(places)
        stays = short_probability(self._matrix[self._chosen, self._chosen])
        if not self._loop or k <= 6:
            stays = self.tr("kept %s") % stays
        place = places[self._chosen]
        width = metrics.horizontalAdvance(stays)
        if self._loop:
            middle = QPointF(self.width() / 2 - width / 2, self.height() / 2 + 8)
            # The arrows of the ring pass behind it.
            top = middle.y() - metrics.ascent()
            ground = QRectF(middle.x() - 3, top, width + 6, metrics.height())
            painter.fillRect(ground, theme.colour("surface"))
            painter.drawText(middle, stays)
        else:
            x = min(max(place.x() - width / 2, 2), self.width() - width - 2)
            painter.drawText(QPointF(x, place.y() - radius - 30), stays)
        for step in (1, -1) if self._loop else (1,):
            other = (self._chosen + step) % k if self._loop else self._chosen + step
            value = float(self._matrix[other, self._chosen]) if other < k else 0.0
            if value <= 0 or other == self._chosen:
                continue
            words = short_probability(value)
            if self._loop:
                outward, _ = _way(places[other] - QPointF(self.width() / 2, self.height() / 2))
                spot = places[other] + outward * (radius + 14)
            else:
                spot = (places[other] + place) * 0.5 - QPointF(0, radius + 16)
            half = metrics.horizontalAdvance(words) / 2
            x = min(max(spot.x() - half, 0), self.width() - 2 * half)
            painter.drawText(QPointF(x, spot.y() + 4), words)


def _way(along: QPointF) -> tuple[QPointF, float]:
    """The direction of a line, and how long it is."""
    length = math.hypot(along.x(), along.y()) or 1.0
    return QPointF(along.x() / length, along.y() / length), length


_SLIDERS = 60
"""Percent of the width that the sliders take beside the diagram."""


class NeighboursPanel(MechanismPanel):
    """One slider per distance; the weights of an inner answer always add up to 1."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._shown = Ordinal()
        labels = (
            self.tr("Keep the true answer"),
            self.tr("1 step, each side"),
            self.tr("2 steps, each side"),
            self.tr("3 steps, each side"),
        )
        self.sliders = [
            SliderRow(label, 0.0, 1.0 if step == 0 else 0.5, is_share=True)
            for step, label in enumerate(labels)
        ]
        for step, slider in enumerate(self.sliders):
            slider.set_names(f"weight{step}")
            slider.moved.connect(lambda v, g, step=step: self._on_moved(step, v, g))
        self.switch = named(Switch(themes, self.tr("Loop effect")), "loopSwitch")
        self.switch.clicked.connect(self._on_loop)
        self.help = IconButton(themes, "question", self.tr("About the loop effect"), 15)
        self.help.clicked.connect(lambda: self.help_requested.emit("loop-effect"))
        self.state = text("", "hint", wrap=True)
        self.diagram = LoopDiagram(themes)
        self.note = text("", "captionHint", wrap=True)
        left = column(*self.sliders, None, spacing=4)
        effect = row(self.switch, text(self.tr("Loop effect"), "label"), self.help, None)
        right = self._right = column(
            effect, self.state, self.diagram, self.note, spacing=4,
        )  # fmt: skip
        right.setStretch(2, 1)
        self._between = vertical_line()
        self._halves = row(left, self._between, right, parent=self, spacing=12)
        self._is_upright: bool | None = None
        themes.follow(self._turn)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        """Sliders beside the diagram; above it where their names have no room, or an audience."""
        wanted = max(slider.full_width for slider in self.sliders)
        room = self.width() - 2 * self._halves.spacing()
        beside = min(_SLIDERS * room / 100, room - self._right.minimumSize().width()) - 4
        is_upright = self._themes.theme.projected or wanted > beside
        if is_upright == self._is_upright:
            return
        self._is_upright = is_upright
        ways = QBoxLayout.Direction
        self._halves.setDirection(ways.TopToBottom if is_upright else ways.LeftToRight)
        self._between.setHidden(is_upright)
        for place, share in ((0, _SLIDERS), (2, 100 - _SLIDERS)):
            self._halves.setStretch(place, 0 if is_upright else share)

    def set_view(self, view: DesignView, chosen: int) -> None:
        perturbation: Any = view.perturbation
        self._shown, shares, loop = perturbation, perturbation.shares, perturbation.loop
        k = view.attribute.k
        reach = (k - 1) // 2
        for step, slider in enumerate(self.sliders):
            # The next distance is offered once the one before it is in use.
            slider.setVisible(step <= max(2, min(len(shares), reach)))
            possible = step <= reach
            slider.setEnabled(possible)
            slider.setToolTip("" if possible else self.tr("needs more than %s values") % (2 * step))
            slider.set_value(shares[step] if step < len(shares) else 0.0)
        self.switch.setChecked(loop)
        first, last = "1", str(k)
        if loop:
            self.state.setText(self.tr("on: the ends are neighbours"))
            self.note.setText(self.tr("%s and %s are neighbours") % (first, last))
        else:
            self.state.setText(self.tr("off: the ends are not neighbours"))
            self.note.setText(self.tr("%s and %s have one neighbour only") % (first, last))
        self.diagram.show_matrix(perturbation.values.matrix(view.attribute.k), loop, chosen)

    def _on_moved(self, step: int, value: float, gesture: str) -> None:
        self._choose(self._shown.balanced(step, value), gesture)

    def _on_loop(self) -> None:
        self._choose(self._shown.turn_loop())
