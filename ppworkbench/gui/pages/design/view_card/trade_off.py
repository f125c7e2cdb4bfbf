"""The trade-off of the current question: the chart, and the expected shares below it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from ppworkbench.analyses.designs.design import belief_of
from ppworkbench.analyses.designs.frontier import frontier_at
from ppworkbench.analyses.designs.goals import needed_respondents
from ppworkbench.analyses.designs.places import (
    ATTACK,
    BELIEF,
    EPSILON,
    TradeAxes,
    choose_axes,
    direct_half_width,
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
from ppworkbench.gui.widgets.controls import ChoiceBox
from ppworkbench.gui.widgets.layout import column, named, row, text

T = TypeVar("T")
_KEPT = 60
"""Numbers that are remembered."""
_CHART_ABOVE_STRIP = 165
"""The height that the chart keeps if the expected shares are shown below it.

Below that the callout covers the curve, and the title of the axis is longer than the axis.
"""


class TradeOffView(QWidget):
    """The chart and the expected shares below."""

    visibility_changed = Signal(bool)
    """Whether somebody sees the chart."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._view: DesignView | None = None
        self._known: dict[object, Any] = {}
        """Places of pins, and how precise a direct question is."""
        self._axes: tuple[object, TradeAxes] | None = None
        self._measures = {
            BELIEF: self.tr("belief in the sensitive answer"),
            EPSILON: self.tr("epsilon"),
            ATTACK: self.tr("attack success"),
        }
        measures = list(self._measures.items())
        self.measure = named(ChoiceBox(self.tr("Privacy measure"), measures), "privacyMeasure")
        # As wide as all measures, whichever of them a question has.
        self.measure.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContentsOnFirstShow)
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

    # Showing

    def set_view(self, view: DesignView) -> None:
        """Draw what differs; only the dot does while somebody drags."""
        self._view = view
        offered = privacy_measures(view.attribute)
        self.measure.set_choices([(key, self._measures[key]) for key in offered])
        self.measure.set_current(view.measure)
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

    def _scene(self, view: DesignView, trade: TradeState) -> TradeScene:
        question, measure, attribute = view.question, view.measure, view.attribute
        pins = tuple(
            (pin.letter, self._remembered(place_of, question, made, measure),
             translate(pin.summary()))
            for pin in view.pinned.pins
            if (made := pin.perturbation) is not None
        )  # fmt: skip
        key = attribute, measure, question.n
        if self._axes is None or self._axes[0] != key:
            places = (view.place, *(place for _, place, _ in pins))
            wanted = view.goal.half_width(attribute)
            self._axes = key, choose_axes(question, measure, places, wanted)
        return TradeScene(
            axes=self._axes[1], measure=measure, attribute=attribute,
            curve=trade.curve, frontier=trade.frontier, pins=pins, active=view.pinned.active,
            goal=(view.goal.limit(measure), view.goal.half_width(attribute)),
            direct=self._remembered(direct_half_width, question), bottom=_bottom_words(view),
            left=_left_words(attribute), family=_family_name(view.perturbation),
        )  # fmt: skip

    def _remembered(self, find: Callable[..., T], question: Question, *about: object) -> T:
        """What is found once for the same question: a drag asks with every frame."""
        key = find, question_key(question), *about
        if key not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = find(question, *about)
        found: T = self._known[key]
        return found

    def _on_rest(self) -> None:
        """Choose other axes once nothing moves any more, if the design lies outside."""
        dot, scene = self.chart.dot, self.chart.scene
        if self.chart.is_dragged or dot is None or scene is None or self._axes is None:
            return
        if dot.place.is_finite and not scene.axes.holds(dot.place) and self._view is not None:
            self._axes = None
            self.set_view(self._view)


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
    if not view.is_met or math.isinf(place.half_width):
        lines.append(_missed_words(view))
    title = tr("This design: %s") % translate(view.perturbation.summary())
    is_met = view.goal.is_set(measure) and view.is_met
    return TradeDot(place, title, tuple(lines), is_met, view.perturbation)


def _missed_words(view: DesignView) -> str:
    measure, place, limit = view.measure, view.place, view.goal.limit(view.measure)
    if place.privacy > limit + 5e-4:
        return tr("above the goal of %s") % privacy_words(measure, limit)
    needed = needed_respondents(view.question, place, view.goal)
    if math.isinf(needed):
        return tr("biased; no n is enough") if place.is_finite else tr("cannot be estimated")
    return tr("goal needs %s people") % number(needed)


def _family_name(perturbation: Perturbation) -> str:
    known = {entry.name: entry.title for entry in perturbations.ranked}
    return translate(known.get(perturbation.type_name, perturbation.type_name))
