"""The editor of an attribute with values: mechanism, sliders and the matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QEvent,
    QObject,
    QPointF,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QBoxLayout, QComboBox, QSizePolicy, QStackedWidget, QWidget

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Binary, Custom, Ordinal, Perturbation, Uniform, perturbations
from ppworkbench.core.design.presets import Preset, named_design, presets
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.privacy.assess import matrix_of
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.numbers import percent as whole_percent
from ppworkbench.gui.pages.design.attribute_list import apply_to_selection, offered, refusals
from ppworkbench.gui.pages.design.matrix import MatrixGrid, short_probability
from ppworkbench.gui.pages.design.matrix_exchange import MatrixExchange
from ppworkbench.gui.pages.design.preview import ValueJourney
from ppworkbench.gui.pages.design.readouts import TargetRow
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import IconButton, Segmented, SliderRow, Switch
from ppworkbench.gui.widgets.form import Form
from ppworkbench.gui.widgets.labels import ElidedLabel, LiveLabel, announce
from ppworkbench.gui.widgets.layout import column, line, row, text, vertical_line
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.help import key_about

Vector = NDArray[np.float64]


def edited_column(column: Vector, row: int, value: float, locked: set[int]) -> Vector | None:
    """The column with one cell set and the unlocked others rescaled to sum 1.

    None when the locked cells leave no room.

    >>> edited_column(np.array([0.5, 0.3, 0.2]), 0, 0.7, set()).round(2).tolist()
    [0.7, 0.18, 0.12]
    """
    fixed = sorted(locked - {row})
    free = [i for i in range(len(column)) if i != row and i not in locked]
    result = column.copy()
    result[row] = value
    left = 1 - value - float(column[fixed].sum())
    if left < -1e-9 or (not free and left > 1e-9):
        return None
    if free:
        weight = float(column[free].sum())
        left = max(left, 0.0)
        result[free] = column[free] * left / weight if weight > 0 else left / len(free)
    return result / float(result.sum())


def percent(share: float) -> str:
    """A percentage with a digit after the point where it would be lost otherwise."""
    return whole_percent(share, 0 if abs(100 * share - round(100 * share)) < 0.05 else 1)


def column_reading(
    speaker: QObject,
    perturbation: Perturbation,
    matrix: Vector,
    values: tuple[str, ...],
    chosen: int,
) -> str:
    """What happens to one true answer, and what was normalised."""
    column = matrix[:, chosen]
    order = [i for i in np.argsort(-column) if i != chosen and column[i] > 0]
    stays = speaker.tr("%s say so") % percent(float(column[chosen]))
    moves = [speaker.tr("%s say “%s”") % (percent(float(column[i])), values[i]) for i in order[:3]]
    if len(order) > 3:
        rest = float(column[order[3:]].sum())
        moves.append(speaker.tr("%s say something else") % percent(rest))
    sentence = speaker.tr("<b>True answer “%s”:</b> %s.") % (
        _safe(values[chosen]), _safe(", ".join([stays, *moves]))
    )  # fmt: skip
    sums = perturbation.end_weights()
    if sums is not None and len(values) > 1:
        total, inner = sums
        if abs(total - inner) > 1e-9:
            sentence += " " + speaker.tr(
                "The end columns add up to %s and are scaled to 1, so keep becomes %s there."
            ) % (number(total, 2), short_probability(float(matrix[0, 0])))
    return sentence


def _safe(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;")


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


class DevicesPanel(QWidget):
    """A list of devices, the form of the chosen one, and what the respondent does."""

    changed = Signal(object, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._values: tuple[str, ...] = ("no", "yes")
        self._chosen = "warner"
        self._preset: Preset | None = None
        self.choice = QComboBox()
        self.choice.setObjectName("device")
        self.choice.setAccessibleName(self.tr("Device"))
        self.choice.activated.connect(self._on_chosen)
        self.recipe = text("", "secondary", wrap=True)
        self.reference = text("", "captionHint")
        self._form_place = column()
        self.form: Form | None = None
        self._layout = column(
            row(text(self.tr("Device"), "label"), self.choice, None), self._form_place,
            self.recipe, self.reference, None, parent=self, spacing=8,
        )  # fmt: skip

    @property
    def chosen(self) -> str:
        """The name of the device that is shown."""
        return self._chosen

    def show_values(self, values: tuple[str, ...], perturbation: Perturbation) -> None:
        """Show the device that was chosen for the perturbation."""
        self._values = values
        self._offer()
        found = named_design(perturbation, values)
        if found is None:
            return
        self._chosen = found.name
        if not self._is_same(found.preset):
            self._show(found.preset)
        with QSignalBlocker(self.choice):
            self.choice.setCurrentIndex(self.choice.findData(found.name))

    def like(self, values: tuple[str, ...], matrix: Numbers) -> Perturbation | None:
        """The same matrix as a device: the one that was last shown if it can do it."""
        self._values = values
        names = self._names()
        for name in (*(n for n in (self._chosen, "kuk") if n in names), *names):
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
        shown = [self.choice.itemData(i) for i in range(self.choice.count())]
        if names == shown:
            return
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for name in names:
                self.choice.addItem(translate(presets.entry(name).label), name)
        if self._chosen not in names:
            self._chosen = names[0]

    def _on_chosen(self) -> None:
        self._chosen = str(self.choice.currentData())
        self._show(presets[self._chosen]())
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
        self.changed.emit(perturbation, gesture)


Matrix = NDArray[np.float64]
_MOST = 12
_MOST_NODES = 400


class LoopDiagram(QWidget):
    """The selected true answer with its arrows; node fill is the probability of landing there."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._matrix: Matrix = np.eye(3)
        self._loop = False
        self._chosen = 0
        self._arrows = QPixmap()
        self._arrows_drawn_for: object = None
        self._nodes: dict[object, QPixmap] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Picture of the loop effect"))
        themes.theme_changed.connect(self._restyle)

    def _restyle(self) -> None:
        self._nodes.clear()
        self.update()

    def show_matrix(self, matrix: Matrix, loop: bool, chosen: int) -> None:
        """Draw another matrix."""
        self._matrix, self._loop = matrix, loop
        self._chosen = min(chosen, len(matrix) - 1)
        words = self.tr("on: the scale is a ring") if loop else self.tr("off: the scale has ends")
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        """The room beside the sliders."""
        return QSize(200, 108)

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """As small as nodes can be told apart."""
        return QSize(150, 96)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the line or the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        k = len(self._matrix)
        if k > _MOST:
            painter.setPen(self._themes.theme.colour("text3"))
            message = self.tr("drawn for up to %s values") % _MOST
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, message)
            return
        places = self._ring(k) if self._loop else self._line(k)
        radius = self._radius(k)
        painter.drawPixmap(0, 0, self._arrows_layer(places, radius))
        for i, place in enumerate(places):
            self._node(painter, place, radius, i)
        self._numbers(painter, places, radius)

    def _arrows_layer(self, places: list[QPointF], radius: float) -> QPixmap:
        """Arrows and end stops; a drag changes only how full the nodes are."""
        theme, ratio, k = self._themes.theme, self.devicePixelRatioF(), len(places)
        moves = tuple((i, j) for i in range(k) for j in self._next_to(i, k) if self._matrix[j, i])
        drawn_for = theme, ratio, self.size(), k, self._loop, self._chosen, moves
        if drawn_for != self._arrows_drawn_for:
            self._arrows_drawn_for = drawn_for
            self._arrows = QPixmap(self.size() * ratio)
            self._arrows.setDevicePixelRatio(ratio)
            self._arrows.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._arrows)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for i, j in moves:
                self._arrow(painter, places, i, j, radius)
            if not self._loop:
                self._end_stops(painter, places, radius)
            painter.end()
        return self._arrows

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
        value = round(float(self._matrix[i, self._chosen]), 3)
        chosen = i == self._chosen
        key = self.devicePixelRatioF(), radius, i, chosen, 1.0 if chosen else value
        if key not in self._nodes:
            if len(self._nodes) > _MOST_NODES:
                self._nodes.clear()
            self._nodes[key] = self._drawn_node(value, radius, i)
        reach = radius + 2
        painter.drawPixmap(place - QPointF(reach, reach), self._nodes[key])

    def _drawn_node(self, value: float, radius: float, i: int) -> QPixmap:
        theme, ratio = self._themes.theme, self.devicePixelRatioF()
        side = 2 * radius + 4
        picture = QPixmap(QSize(math.ceil(side * ratio), math.ceil(side * ratio)))
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        chosen = i == self._chosen
        fill = theme.colour("accent") if chosen else theme.heat_colour(value)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("accent" if chosen else "outline"), 1.2))
        painter.setBrush(fill)
        painter.drawEllipse(QPointF(side / 2, side / 2), radius, radius)
        painter.setFont(theme.font("caption", "semibold"))
        dark = QColor(fill).lightnessF() < 0.55
        painter.setPen(QColor("#FFFFFF") if chosen or dark else QColor("#1B1F27"))
        painter.drawText(QRectF(0, 0, side, side), Qt.AlignmentFlag.AlignCenter, str(i + 1))
        painter.end()
        return picture

    def _arrow(
        self, painter: QPainter, places: list[QPointF], i: int, j: int, radius: float
    ) -> None:
        theme = self._themes.theme
        bold = i == self._chosen
        colour = theme.colour("accentInk" if bold else "outline")
        painter.setPen(QPen(colour, 2 if bold else 1.1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        start, end = places[i], places[j]
        along = end - start
        length = math.hypot(along.x(), along.y()) or 1.0
        unit = QPointF(along.x() / length, along.y() / length)
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
        direction = tip - middle
        size = math.hypot(direction.x(), direction.y()) or 1.0
        head = QPointF(direction.x() / size, direction.y() / size)
        across = QPointF(head.y(), -head.x())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
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
            stays = self.tr("stays %s") % stays
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
        steps = (
            ((self._chosen + 1) % k, (self._chosen - 1) % k)
            if self._loop
            else (self._chosen + 1, self._chosen - 1)
        )
        for other in steps[:1] if not self._loop else steps:
            if not 0 <= other < k or other == self._chosen:
                continue
            value = float(self._matrix[other, self._chosen])
            if value <= 0:
                continue
            words = short_probability(value)
            if self._loop:
                away = places[other] - QPointF(self.width() / 2, self.height() / 2)
                size = math.hypot(away.x(), away.y()) or 1.0
                outward = QPointF(away.x() / size, away.y() / size)
                spot = places[other] + outward * (radius + 14)
            else:
                spot = (places[other] + place) * 0.5 - QPointF(0, radius + 16)
            half = metrics.horizontalAdvance(words) / 2
            x = min(max(spot.x() - half, 0), self.width() - 2 * half)
            painter.drawText(QPointF(x, spot.y() + 4), words)


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


_DEVICES = "devices"
_RANK_OF_DEVICES = 30
"""Named designs have a place of their own among the mechanisms."""


class MatrixEditor(Card):
    """Everything about the current attribute's P-matrix; reads the study, writes through it."""

    help_requested = Signal(str)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.tr("How answers move"))
        self.workbench = workbench
        self.store = workbench.store
        themes = workbench.themes
        self._locked: dict[str, frozenset[tuple[int, int]]] = {}
        self._fitted: tuple[str, str, tuple[str, ...]] | None = None
        self.segments = Segmented(themes, self.tr("How answers move"), self._choices(Kind.NOMINAL))
        self.segments.setObjectName("mechanism")
        self.segments.chosen.connect(self._on_segment)
        self.head.addWidget(self.segments)
        # The choices say enough where there is no room for both.
        self.title_label.setMinimumWidth(1)
        self.keep = KeepPanel(themes)
        self.pq = BinaryPanel()
        self.neighbours = NeighboursPanel(themes)
        self.neighbours.turned.connect(self._fit_soon)
        self.devices = DevicesPanel(themes)
        self.stack = QStackedWidget()
        plain = self.tr("Answers are published as they are; nothing protects them.")
        custom = self.tr(
            "Every cell is yours: type in the matrix below, lock cells with L, or paste a matrix "
            "from a spreadsheet."
        )
        self._panels: dict[str, QWidget] = {
            "none": text(plain, "secondary", wrap=True),
            "uniform": self.keep,
            "binary": self.pq,
            "ordinal": self.neighbours,
            _DEVICES: self.devices,
            "custom": text(custom, "secondary", wrap=True),
        }
        for panel in self._panels.values():
            self.stack.addWidget(panel)
        self._forms: dict[str, Form] = {}
        self.stack.installEventFilter(self)
        for source in (self.keep, self.pq, self.neighbours, self.devices):
            source.changed.connect(self._apply)
        self.neighbours.help_requested.connect(workbench.help_requested)
        self.aim = TargetRow(workbench)
        self.problem = text("", "warning", wrap=True)
        self.problem.hide()
        self._build_matrix()

    def _build_matrix(self) -> None:
        themes = self.workbench.themes
        self.grid = MatrixGrid(themes)
        self.grid.column_selected.connect(lambda _: self.refresh())
        self.grid.cell_edited.connect(self._on_cell)
        self.grid.cell_refused.connect(self._refuse)
        self.grid.lock_toggled.connect(self._on_lock)
        self.exchange = MatrixExchange(self.workbench, self.grid)
        self.exchange.read.connect(self._apply)
        self.exchange.refused.connect(self._refuse)
        self.unlock = IconButton(themes, "unlock", self.tr("Unlock all cells"), 16)
        self.unlock.setObjectName("unlockCells")
        self.unlock.clicked.connect(self._on_unlock)
        self.load = IconButton(themes, "import", self.tr("Load a matrix from a file"), 16)
        self.load.setObjectName("importMatrix")
        self.load.clicked.connect(self.exchange.load)
        self.copy = IconButton(themes, "copy", self.tr("Copy the matrix"), 16)
        self.copy.setObjectName("copyMatrix")
        self.copy.clicked.connect(self.exchange.copy)
        self.reading = LiveLabel(2)
        self.body.addWidget(self.stack)
        self.body.addWidget(self.aim)
        self.body.addWidget(self.problem)
        self.body.addWidget(line())
        self.body.addLayout(
            row(text(self.tr("Probability matrix"), "strong"),
                ElidedLabel("captionHint", self.tr("type to edit a cell, L locks it"), hugs=True),
                None, self.unlock, self.load, self.copy, spacing=6)
        )  # fmt: skip
        self.body.addWidget(self.grid, 1)
        self.body.addWidget(self.reading)
        self.journey: ValueJourney | None = None
        self.body.addStretch(0)

    def ask_for_help(self) -> None:
        """Ask for the page about the mechanism that is chosen."""
        if self.segments.current == _DEVICES:
            topic = key_about("named design", self.devices.chosen, "named-designs")
        else:
            topic = key_about("perturbation", self.segments.current, "mechanisms")
        self.workbench.help_requested.emit(topic)

    def set_roomy(self, roomy: bool) -> None:
        """Have larger cells and one answer's journey, for a wide window."""
        self.grid.set_roomy(roomy)
        if roomy and self.journey is None:
            self.journey = ValueJourney(self.workbench.themes)
            self.body.insertWidget(self.body.count() - 1, self.journey)
        if self.journey is not None:
            self.journey.setHidden(not roomy)
            self._show_journey()

    def _show_journey(self) -> None:
        if self.journey is not None and not self.journey.isHidden():
            self.journey.show_column(self.grid.values, self.grid.chances, self.grid.column)

    def _choices(self, kind: Kind) -> list[tuple[str, str]]:
        ranked = [(entry.rank, entry.name, translate(entry.title)) for entry in offered(kind)]
        ranked.append((_RANK_OF_DEVICES, _DEVICES, self.tr("Devices")))
        return [(name, title) for _, name, title in sorted(ranked, key=lambda one: one[0])]

    # Showing the study

    def refresh(self) -> None:
        """Show the current attribute as the study has it."""
        name = self.store.current
        if name is None or name not in self.store.study.design:
            return
        designed = self.store.study.design[name]
        attribute = designed.attribute
        if not attribute.kind.is_categorical:
            return
        perturbation = self.store.study.design.perturbation(name)
        matrix = matrix_of(attribute, perturbation)
        segment = _segment(perturbation, attribute.values)
        self.segments.set_choices(self._choices(attribute.kind))
        self.segments.set_disabled(refusals(attribute))
        self.segments.set_current(segment)
        self.stack.setCurrentWidget(self._panel(segment))
        self.grid.locked = self._locked.get(name, frozenset())
        self.grid.show_matrix(matrix, attribute.values)
        self._show_panel(segment, perturbation, matrix)
        shown = segment, perturbation.type_name, attribute.values
        if shown != self._fitted:
            self._fitted = shown
            self._fit_stack()
            # A form that was made just now knows its height only after it was laid out.
            self._fit_soon()
        self.reading.set_text(
            column_reading(self, perturbation, matrix, attribute.values, self.grid.column)
        )
        self._show_journey()
        if not self.grid.is_editing:
            self.problem.hide()
        self.aim.refresh()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Give the panel in front the height of its new type, once all of it has that."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and getattr(self, "_fitted", None) is not None:
            self._fit_soon()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """Make room for a sentence that appears in the panel in front."""
        if watched is self.stack and event.type() == QEvent.Type.LayoutRequest:
            self._fit_soon()
        return super().eventFilter(watched, event)

    def _fit_soon(self) -> None:
        QTimer.singleShot(0, self, self._fit_stack)

    def _fit_stack(self) -> None:
        """Give the panel in front its own height, not that of the tallest."""
        current = self.stack.currentWidget()
        layout = current.layout()
        if layout is not None:
            layout.activate()
        height = max(current.sizeHint().height(), current.minimumSizeHint().height())
        if current.hasHeightForWidth():
            height = max(height, current.heightForWidth(self.stack.width()))
        self.stack.setFixedHeight(height)

    def _panel(self, segment: str) -> QWidget:
        """Where a mechanism is edited: its own panel, or a form of its parameters."""
        if segment not in self._panels:
            form = Form(self.workbench.themes, perturbations[segment])
            form.edited.connect(self._apply)
            self._forms[segment] = self._panels[segment] = form
            self.stack.addWidget(form)
        return self._panels[segment]

    def _show_panel(self, segment: str, perturbation: Any, matrix: np.ndarray) -> None:
        values = self.grid.values
        shown: dict[str, Callable[[], None]] = {
            "uniform": lambda: self.keep.show_keep(perturbation, len(values)),
            "binary": lambda: self.pq.show_binary(perturbation, values),
            "ordinal": lambda: self.neighbours.show_weights(
                perturbation, len(values), matrix, self.grid.column
            ),
        }
        if perturbation.type_name in shown:
            shown[perturbation.type_name]()
        if segment == _DEVICES:
            self.devices.show_values(values, perturbation)
        elif segment in self._forms:
            self._forms[segment].show_params(perturbation)

    # Changing the study

    def _apply(self, perturbation: Perturbation, gesture: str = "") -> None:
        problem = apply_to_selection(self.workbench, lambda _: perturbation, gesture)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    def _on_segment(self, segment: str) -> None:
        name = self.store.current
        if name is None:
            return
        attribute = self.store.study.design[name].attribute
        perturbation = self.store.study.design.perturbation(name)
        before = matrix_of(attribute, perturbation)
        if segment == _DEVICES:
            # Other matrices are no device; a uniform one can be the beginning of one.
            start = Uniform.start(attribute, before)
            like = not perturbation.is_identity and self.devices.like(attribute.values, before)
            uniform = start.matrix(attribute.k)
            self._apply(like or self.devices.like(attribute.values, uniform) or start)
            return
        self._apply(perturbations[segment].start(attribute, before))

    def _on_cell(self, row_: int, column: int, value: float) -> None:
        name = self.store.current
        if name is None:
            return
        attribute = self.store.study.design[name].attribute
        matrix = matrix_of(attribute, self.store.study.design.perturbation(name))
        locked = {r for r, c in self._locked.get(name, frozenset()) if c == column}
        changed = edited_column(matrix[:, column], row_, value, locked)
        if changed is None:
            self._refuse(self.tr("The locked cells leave no room in this column; unlock one."))
            return
        new = matrix.copy()
        new[:, column] = changed
        self.store.set_perturbation([name], Custom.of(new))

    def _on_lock(self, row_: int, column: int) -> None:
        name = self.store.current
        if name is not None:
            locked = self._locked.get(name, frozenset())
            self._locked[name] = locked ^ {(row_, column)}
            self.refresh()

    def _on_unlock(self) -> None:
        self._locked.pop(self.store.current or "", None)
        self.refresh()

    def _refuse(self, sentence: str) -> None:
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))
        announce(self.grid, sentence)


def _segment(perturbation: Perturbation, values: tuple[str, ...]) -> str:
    """Where a perturbation is edited: at its device if one was chosen."""
    if named_design(perturbation, values) is not None:
        return _DEVICES
    return perturbation.type_name
