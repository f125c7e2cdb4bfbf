"""The trade-off of the current question: the chart, and the expected shares below it."""

from __future__ import annotations

import itertools
import math

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

from ppworkbench.analyses.design import belief_of
from ppworkbench.analyses.trade_off.frontier import frontier_at
from ppworkbench.analyses.trade_off.goals import needed_respondents
from ppworkbench.analyses.trade_off.places import (
    ATTACK,
    BELIEF,
    EPSILON,
    FamilyCurve,
    TradeAxes,
    TradePlace,
    choose_axes,
    direct_half_width,
    free_parameters,
    place_of,
    privacy_measures,
    question_key,
)
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation, perturbations
from ppworkbench.core.privacy.belief import listed
from ppworkbench.core.privacy.utility.goal_seek import Question
from ppworkbench.gui.application import single_shot
from ppworkbench.gui.charts.trade_off import TradeOffChart
from ppworkbench.gui.charts.trade_off_picture import (
    TradeDot,
    TradeScene,
    half_width_words,
    privacy_words,
)
from ppworkbench.gui.language import own_words, tr, translate
from ppworkbench.gui.numbers import in_unit, number, percent, with_unit
from ppworkbench.gui.pages.design.view import DesignView, TradeState
from ppworkbench.gui.pages.design.view_card.preview import ShareStrip
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.layout import column, named, row, text

_KEPT = 60
"""Places of pins that are remembered."""
_CHART_ABOVE_STRIP = 165
"""The height that the chart keeps if the expected shares are shown below it.

Below that the callout covers the curve, and the title of the axis is longer than the axis.
"""


class TradeOffView(QWidget):
    """The chart and the expected shares below."""

    design_chosen = Signal(object, str)
    """A design, and the gesture that it is a part of."""
    pin_chosen = Signal(str)
    """The letter of the pin whose design is wanted."""
    goal_moved = Signal(str, object, object)
    """The gesture, and the limit and the points that are wanted; None leaves one as it is."""
    goals_requested = Signal()
    measure_chosen = Signal(str)
    dragged = Signal(bool, bool)
    """Whether somebody drags the dot, and whether along the second parameter."""
    visibility_changed = Signal(bool)
    """Whether somebody sees the chart."""

    _gestures = itertools.count(1)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._view: DesignView | None = None
        self._pin_places: dict[object, TradePlace] = {}
        self._direct: tuple[object, float] | None = None
        self._axes: tuple[object, TradeAxes] | None = None
        self._gesture = ""
        self._key_gesture = ""
        self._second: Perturbation | None = None
        """The design where a drag of the second parameter began."""
        self.measure = named(QComboBox(), "privacyMeasure", self.tr("Privacy measure"))
        self.measure.activated.connect(
            lambda _: self.measure_chosen.emit(str(self.measure.currentData()))
        )
        self.measure.setToolTip(self.tr("Privacy measure"))
        self.measure_row = QWidget()
        self.measure_label = text(self.tr("Privacy measure"), "label")
        row(self.measure_label, self.measure, parent=self.measure_row)
        self.chart = TradeOffChart(themes)
        self.strip = ShareStrip(themes)
        self.strip.hide()
        self._is_narrow = False
        column(self.chart, self.strip, parent=self, spacing=4).setStretch(0, 1)
        self._rest = single_shot(self, self._on_rest, 250)
        self._connect_chart()

    def _connect_chart(self) -> None:
        chart = self.chart
        chart.drag_started.connect(self._on_drag_started)
        chart.drag_ended.connect(self._on_drag_ended)
        chart.moved.connect(self._on_moved)
        chart.second_moved.connect(self._on_second_moved)
        chart.stepped.connect(self._on_stepped)
        chart.ended.connect(self._on_ended)
        chart.pin_taken.connect(self.pin_chosen)
        chart.frontier_taken.connect(self._on_frontier)
        chart.goal_moved.connect(self._on_goal_moved)
        chart.goals_requested.connect(self.goals_requested)

    # Showing

    def set_view(self, view: DesignView) -> None:
        """Draw what differs; only the dot does while somebody drags."""
        self._view = view
        self._offer_measures(view)
        self.strip.set_view(view)
        if self.isVisible() and view.trade is not None:
            self.chart.show_scene(self._scene(view, view.trade))
            self.chart.show_dot(_dot(view, view.trade))
            self._rest.start()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.visibility_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.visibility_changed.emit(False)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show the expected shares where the chart keeps enough room."""
        super().resizeEvent(event)
        self._fit_strip()

    def set_narrow(self, narrow: bool) -> None:
        """Leave the expected shares to their own view in a narrow window."""
        self._is_narrow = narrow
        self._fit_strip()

    def _fit_strip(self) -> None:
        px = self._themes.theme.px
        room = self.height() - self.strip.sizeHint().height()
        has_room = not self._is_narrow and room >= px(_CHART_ABOVE_STRIP)
        if has_room == self.strip.isHidden():
            self.strip.setVisible(has_room)

    def _offer_measures(self, view: DesignView) -> None:
        offered = privacy_measures(view.attribute)
        held = [self.measure.itemData(place) for place in range(self.measure.count())]
        if held != list(offered):
            names = {
                BELIEF: self.tr("belief in the sensitive answer"),
                EPSILON: self.tr("epsilon"),
                ATTACK: self.tr("attack success"),
            }
            self.measure.clear()
            for key in offered:
                self.measure.addItem(names[key], key)
        if self.measure.currentData() != view.measure:
            self.measure.setCurrentIndex(self.measure.findData(view.measure))

    def _scene(self, view: DesignView, trade: TradeState) -> TradeScene:
        question, measure, attribute = view.question, view.measure, view.attribute
        pins = tuple(
            (pin.letter, self._pin_place(question, pin.perturbation, measure),
             translate(pin.summary()))
            for pin in view.pinned.pins
            if pin.perturbation is not None
        )  # fmt: skip
        key = attribute, measure, question.n
        if self._axes is None or self._axes[0] != key:
            places = (view.place, *(place for _, place, _ in pins))
            wanted = view.goal.half_width(attribute)
            self._axes = key, choose_axes(question, measure, places, wanted)
        return TradeScene(
            axes=self._axes[1], measure=measure, numeric=attribute.kind.is_numeric,
            curve=trade.curve, frontier=trade.frontier, pins=pins, active=view.pinned.active,
            goal=(view.goal.limit(measure), view.goal.half_width(attribute)),
            direct=self._direct_half_width(question), bottom=_bottom_words(view),
            left=_left_words(attribute), family=_family_name(view.perturbation),
        )  # fmt: skip

    def _pin_place(
        self, question: Question, perturbation: Perturbation, measure: str
    ) -> TradePlace:
        key = question_key(question), perturbation, measure
        if key not in self._pin_places:
            if len(self._pin_places) >= _KEPT:
                self._pin_places.clear()
            self._pin_places[key] = place_of(question, perturbation, measure)
        return self._pin_places[key]

    def _direct_half_width(self, question: Question) -> float:
        key = question_key(question)
        if self._direct is None or self._direct[0] != key:
            self._direct = key, direct_half_width(question)
        return self._direct[1]

    def _on_rest(self) -> None:
        """Choose other axes once nothing moves any more, if the design lies outside."""
        dot, scene = self.chart.dot, self.chart.scene
        if self.chart.is_dragged or dot is None or scene is None or self._axes is None:
            return
        if dot.place.is_finite and not scene.axes.holds(dot.place) and self._view is not None:
            self._axes = None
            self.set_view(self._view)

    # Designing

    def _on_drag_started(self) -> None:
        self._gesture = f"trade-off {next(self._gestures)}"
        self.dragged.emit(True, False)

    def _on_drag_ended(self) -> None:
        self._gesture, self._second = "", None
        self.dragged.emit(False, False)

    def _put(self, value: float, gesture: str) -> None:
        """Want the design of the curve with another value of its parameter."""
        curve = self._curve
        if curve is not None:
            self.design_chosen.emit(curve.put(value), gesture)

    @property
    def _curve(self) -> FamilyCurve | None:
        trade = None if self._view is None else self._view.trade
        return None if trade is None else trade.curve

    def _on_moved(self, value: float) -> None:
        self._put(value, self._gesture)

    def _on_second_moved(self, share: float) -> None:
        view = self._view
        if view is None:
            return
        if self._second is None:
            self._second = view.perturbation
            self.dragged.emit(True, True)
        free = free_parameters(view.attribute, self._second)
        second = free[1] if len(free) > 1 else None
        if second is None or second.now is None:
            return
        ends = second.position(second.private), second.position(second.truthful)
        place = second.position(second.now) + share * (ends[1] - ends[0])
        value = second.value(min(max(place, min(ends)), max(ends)))
        self.design_chosen.emit(second.put(round(value, 3)), self._gesture)

    def _on_stepped(self, steps: float, is_repeated: bool) -> None:
        view, curve = self._view, self._curve
        free = () if view is None else free_parameters(view.attribute, view.perturbation)
        if curve is None or not free or free[0].now is None:
            return
        if not is_repeated or not self._key_gesture:
            self._key_gesture = f"trade-off key {next(self._gestures)}"
        self._put(curve.stepped(free[0].now, steps), self._key_gesture)

    def _on_ended(self, truthful: bool) -> None:
        curve = self._curve
        if curve is not None:
            self._put(float(curve.values[-1 if truthful else 0]), "")

    def _on_frontier(self, place: int) -> None:
        scene = self.chart.scene
        if scene is not None and 0 <= place < len(scene.frontier):
            self.design_chosen.emit(scene.frontier[place].perturbation, "")

    def _on_goal_moved(self, edge: str, privacy: float, half_width: float) -> None:
        if self._view is None:
            return
        attribute = self._view.attribute
        points = 100 * half_width / (attribute.width if attribute.kind.is_numeric else 1.0)
        self.goal_moved.emit(
            self._gesture,
            privacy if edge in ("limit", "corner") else None,
            points if edge in ("points", "corner") else None,
        )


# Words


def _bottom_words(view: DesignView) -> str:
    report = view.report
    belief = belief_of(report) if view.measure == BELIEF else None
    if belief is not None:
        words = tr("belief in %s after a report (%s before)")
        return words % (translate(listed(belief.values)), percent(belief.before))
    if view.measure == EPSILON:
        return tr("epsilon (local differential privacy)")
    blind = report.privacy["prior_guess"].value
    return tr("attack success (prior guess %s)") % percent(blind)


def _left_words(attribute: Attribute) -> str:
    if attribute.kind.is_numeric:
        return with_unit(tr("± of the mean, 95 %"), own_words(attribute.unit))
    return tr("± points, 95 %")


def _dot(view: DesignView, trade: TradeState) -> TradeDot:
    measure, attribute, place = view.measure, view.attribute, view.place
    privacy, numeric = view.report.privacy, attribute.kind.is_numeric
    names = {BELIEF: tr("belief %s"), EPSILON: "ε %s", ATTACK: tr("attack success %s")}
    half = half_width_words(place.half_width, numeric)
    parts = [names[measure] % privacy_words(measure, place.privacy)]
    parts.append(in_unit(half, own_words(attribute.unit)) if numeric else tr("%s points") % half)
    if measure != EPSILON and "epsilon" in privacy:
        parts.append(names[EPSILON] % privacy_words(EPSILON, privacy["epsilon"].value))
    lines = ["   ".join(parts)]
    best = frontier_at(trade.frontier, place.privacy)
    if best is not None:
        words = tr("frontier at %s: %s")
        at = privacy_words(measure, place.privacy)
        lines.append(words % (at, half_width_words(best, numeric)))
    if not view.is_met:
        lines.append(_missed_words(view))
    title = tr("This design: %s") % translate(view.perturbation.summary())
    return TradeDot(place, title, tuple(lines), view.is_met)


def _missed_words(view: DesignView) -> str:
    measure, place, limit = view.measure, view.place, view.goal.limit(view.measure)
    if place.privacy > limit + 5e-4:
        return tr("above the goal of %s") % privacy_words(measure, limit)
    needed = needed_respondents(view.question, place, view.goal)
    if math.isinf(needed):
        return tr("biased; no n is enough") if place.is_finite else tr("cannot be estimated")
    return tr("goal needs n = %s") % number(needed)


def _family_name(perturbation: Perturbation) -> str:
    known = {entry.name: entry.title for entry in perturbations.ranked}
    return translate(known.get(perturbation.type_name, perturbation.type_name))
