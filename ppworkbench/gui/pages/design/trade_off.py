"""The trade-off of the current question: goals, chart, and the search for the frontier."""

from __future__ import annotations

import math
from itertools import pairwise

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design import Perturbation, perturbations
from ppworkbench.core.privacy.belief import listed
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.privacy.utility.goal_seek import Question
from ppworkbench.gui.charts.trade_off import (
    TradeDot,
    TradeOffChart,
    TradeScene,
    half_width_words,
    privacy_words,
)
from ppworkbench.gui.language import translate
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.attribute_list import apply_to
from ppworkbench.gui.pages.design.pins import PinnedDesigns
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.store import Store
from ppworkbench.gui.widgets.controls import NumberBox
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import WrappingRow, column, reserve_width, row, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.design import belief_of, noncompliance_of
from ppworkbench.study.analyses.trade_off import (
    ATTACK,
    BELIEF,
    EPSILON,
    GOALS,
    FamilyCurve,
    FrontierDesign,
    Goal,
    TradeAxes,
    TradePlace,
    choose_axes,
    curve_key,
    direct_half_width,
    family_curve,
    free_parameters,
    has_frontier,
    is_quick,
    needed_respondents,
    place_of,
    privacy_measures,
    report_place,
    search_frontier,
)


class GoalRow(QWidget):
    """Limit of privacy, precision and respondents in one sentence; the study keeps them."""

    changed = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.store = workbench.store
        themes = workbench.themes
        self._measure = BELIEF
        self._offered: tuple[str, bool] | None = None
        self.limit = NumberBox()
        self.limit.setObjectName("goalLimit")
        reserve_width(self.limit, themes, 78)
        self.points = NumberBox()
        self.points.setObjectName("targetPoints")
        self.points.setAccessibleName(self.tr("Target half-width, points"))
        self.points.setRange(0.1, 50.0)
        self.points.setDecimals(1)
        self.points.setPrefix("± ")
        reserve_width(self.points, themes, 80)
        self.points.setToolTip(self.tr("Target half-width of each 95\u202f% interval, points"))
        self.respondents = QSpinBox()
        self.respondents.setObjectName("respondents")
        self.respondents.setAccessibleName(self.tr("Respondents"))
        self.respondents.setRange(1, 100_000_000)
        self.respondents.setGroupSeparatorShown(True)
        self.respondents.setKeyboardTracking(False)
        self.respondents.setSingleStep(100)
        reserve_width(self.respondents, themes, 96)
        self._limited, self._unit = text("", "secondary"), text("", "secondary")
        layout = WrappingRow(
            text(self.tr("Goal"), "strong"), self._limited, self.limit, self.points, self._unit,
            self.respondents, spacing=6, line_spacing=4,
        )  # fmt: skip
        self.setLayout(layout)
        self.limit.valueChanged.connect(lambda _: self._keep())
        self.points.valueChanged.connect(lambda _: self._keep())
        self.respondents.valueChanged.connect(
            lambda value: self.store.set_settings(respondents=value)
        )
        self.store.study_opened.connect(self._show_goal)
        self.store.settings_changed.connect(self._show_goal)
        self.store.results_changed.connect(self._on_results)
        self.show_measure(BELIEF, numeric=False)

    @property
    def goal(self) -> Goal:
        """The goals of the study."""
        return Goal.from_json(self.store.study.results.get(GOALS))

    @property
    def target(self) -> float:
        """The wanted half-width of every share's interval, as a share."""
        return self.goal.points / 100

    def show_measure(self, measure: str, *, numeric: bool) -> None:
        """Offer the limit of another measure; cheap if it is offered already."""
        if (measure, numeric) == self._offered:
            return
        self._offered = measure, numeric
        self._measure = measure
        names = {
            BELIEF: self.tr("belief at most"),
            EPSILON: self.tr("epsilon at most"),
            ATTACK: self.tr("attack success at most"),
        }
        self._limited.setText(names[measure])
        self.limit.setAccessibleName(names[measure])
        unit = self.tr("% of range, n =") if numeric else self.tr("points, n =")
        self._unit.setText(unit)
        is_share = measure != EPSILON
        with QSignalBlocker(self.limit):
            self.limit.setDecimals(0 if is_share else 2)
            self.limit.setRange(1.0 if is_share else 0.01, 100.0 if is_share else 50.0)
            self.limit.setSingleStep(1.0 if is_share else 0.1)
            self.limit.setSuffix(" %" if is_share else "")
        self._show_goal()

    def _show_goal(self) -> None:
        goal = self.goal
        self.limit.show_value(goal.limit(self._measure) * self._percent)
        self.points.show_value(goal.points)
        respondents = self.store.study.settings.respondents
        if respondents != self.respondents.value():
            with QSignalBlocker(self.respondents):
                self.respondents.setValue(respondents)

    @property
    def _percent(self) -> float:
        return 1.0 if self._measure == EPSILON else 100.0

    def _keep(self) -> None:
        kept = self.goal.to_json()
        kept[self._measure] = self.limit.value() / self._percent
        kept["points"] = self.points.value()
        self.store.set_results(GOALS, kept)

    def _on_results(self, name: str) -> None:
        if name in ("", GOALS):
            self._show_goal()
            self.changed.emit()


class FrontierSearch(QObject):
    """Remembers the last frontier: dragging a slider changes the design, not the frontier."""

    changed = Signal()

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._asked: object = None
        self._found: dict[object, tuple[FrontierDesign, ...]] = {}
        self._work: tuple[Question, str] | None = None
        self._task: PageTask[tuple[FrontierDesign, ...]] = PageTask(workbench, "frontier", self)
        self._task.finished.connect(self._on_found)
        self._wait = single_shot(self, self._start, 600)

    @property
    def designs(self) -> tuple[FrontierDesign, ...]:
        """The frontier that was asked for; nothing while it is searched."""
        return self._found.get(self._asked, ())

    @property
    def is_searching(self) -> bool:
        """Whether another frontier is on its way."""
        return self._task.is_running or self._wait.isActive()

    def ask(self, question: Question, measure: str) -> None:
        """Want a frontier; nothing happens if it is known or on its way."""
        asked = _question_key(question), measure
        if asked == self._asked:
            return
        self._asked = asked
        self._task.drop()
        self._wait.stop()
        if asked not in self._found:
            self._work = question, measure
            self._wait.start()

    def stop(self) -> None:
        """Want nothing any more; what was found stays."""
        self._wait.stop()
        self._task.drop()
        self._asked = None

    def _start(self) -> None:
        assert self._work is not None  # noqa: S101 (asked for)
        question, measure = self._work
        self._task.start(
            self.tr("Frontier of %s") % question.attribute.name,
            lambda progress: search_frontier(question, measure, progress),
        )

    def _on_found(self, designs: tuple[FrontierDesign, ...]) -> None:
        if self._asked is not None:
            if len(self._found) >= _KEPT:
                self._found.clear()
            self._found[self._asked] = designs
        self.changed.emit()


_KEPT = 60
"""Curves and frontiers that are remembered."""


def _question_key(question: Question) -> object:
    prior = question.prior
    expected = b"" if prior is None else prior.probabilities.tobytes()
    return question.attribute, expected, question.n, question.noncompliance


class TradeOffView(QWidget):
    """The chart with what it says below; reads the study, writes designs through it."""

    def __init__(self, workbench: Workbench, board: PinnedDesigns, goal: GoalRow) -> None:
        super().__init__()
        self.workbench = workbench
        self.store: Store = workbench.store
        self._board, self._goal = board, goal
        self._report: AttributeReport | None = None
        self._question: Question | None = None
        self._curves: dict[object, FamilyCurve | None] = {}
        self._curve: FamilyCurve | None = None
        self._pin_places: dict[object, TradePlace] = {}
        self._direct: tuple[object, float] | None = None
        self._axes: tuple[object, TradeAxes] | None = None
        self._gesture = ""
        self._key_gesture = ""
        self._second: Perturbation | None = None
        """The design where a drag of the second parameter began."""
        self.measure = QComboBox()
        self.measure.setObjectName("privacyMeasure")
        self.measure.setAccessibleName(self.tr("Privacy measure"))
        self.measure.activated.connect(self._on_measure)
        self._chosen = BELIEF
        self.measure_row = QWidget()
        row(text(self.tr("Privacy measure"), "label"), self.measure, parent=self.measure_row)
        self.chart = TradeOffChart(workbench.themes)
        self.state = ElidedLabel("captionHint")
        column(self.chart, self.state, parent=self, spacing=2).setStretch(0, 1)
        self.search = FrontierSearch(workbench, self)
        self.search.changed.connect(self.refresh)
        self._curve_task: PageTask[FamilyCurve | None] = PageTask(
            workbench, "family curve", self, quiet=True
        )
        self._wanted: object = None
        self._curve_task.finished.connect(self._on_curve)
        self._rest = single_shot(self, self._on_rest, 250)
        board.changed.connect(self.refresh)
        goal.changed.connect(self.refresh)
        self._connect_chart()

    def _connect_chart(self) -> None:
        chart = self.chart
        chart.drag_started.connect(self._on_drag_started)
        chart.drag_ended.connect(self._on_drag_ended)
        chart.moved.connect(self._on_moved)
        chart.second_moved.connect(self._on_second_moved)
        chart.stepped.connect(self._on_stepped)
        chart.ended.connect(self._on_ended)
        chart.pin_taken.connect(lambda letter: self._board.use(self.store.current or "", letter))
        chart.frontier_taken.connect(self._on_frontier)
        chart.goals_requested.connect(self._on_goals)

    # Showing

    def show_report(self, report: AttributeReport) -> None:
        """Show the design of now; called with every frame of a drag."""
        is_other = self._report is None or self._report.attribute != report.attribute
        self._report = report
        if is_other:
            self._offer_measures(report.attribute)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """Catch up with what changed while another tab was open."""
        super().showEvent(event)
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """Search for nothing that nobody sees."""
        super().hideEvent(event)
        self.search.stop()
        self._curve_task.drop()
        self._wanted = None

    def _offer_measures(self, attribute: Attribute) -> None:
        names = {
            BELIEF: self.tr("belief in the sensitive answer"),
            EPSILON: self.tr("epsilon"),
            ATTACK: self.tr("attack success"),
        }
        offered = privacy_measures(attribute)
        held = [self.measure.itemData(place) for place in range(self.measure.count())]
        if held != list(offered):
            self.measure.clear()
            for key in offered:
                self.measure.addItem(names[key], key)
            # What somebody chose comes back with the next question that has it.
            self.measure.setCurrentIndex(max(self.measure.findData(self._chosen), 0))

    def _on_measure(self) -> None:
        self._chosen = self.chosen_measure
        self.refresh()

    @property
    def chosen_measure(self) -> str:
        """The measure of the axis of privacy."""
        return str(self.measure.currentData() or BELIEF)

    def refresh(self) -> None:
        """Draw what differs; only the dot does while somebody drags."""
        report = self._report
        if report is None or report.name != self.store.current or not self.isVisible():
            return
        measure, numeric = self.chosen_measure, report.attribute.kind.is_numeric
        question = self._question = Question(
            report.attribute, report.prior, report.utility.n,
            noncompliance=noncompliance_of(self.store.study.settings),
        )  # fmt: skip
        self._goal.show_measure(measure, numeric=numeric)
        place = report_place(report, measure)
        if self._second is None:
            self._curve = self._find_curve(question, report.perturbation, measure)
        if has_frontier(report.attribute) and not self._gesture:
            self.search.ask(question, measure)
        elif not self._gesture:
            self.search.stop()
        self.chart.show_scene(self._scene(report, question, place))
        self.chart.show_dot(self._dot(report, question, place))
        self.state.setText(self._state_words(report))
        self._rest.start()

    def _find_curve(
        self, question: Question, perturbation: Perturbation, measure: str
    ) -> FamilyCurve | None:
        key = curve_key(question, perturbation, measure)
        if key is None or key in self._curves:
            return self._curves.get(key)
        if len(self._curves) >= _KEPT:
            self._curves.clear()
        if is_quick(question.attribute):
            self._curves[key] = family_curve(question, perturbation, measure)
            return self._curves[key]
        if key != self._wanted:
            self._wanted = key
            self._curve_task.start(
                self.tr("Trade-off of %s") % question.attribute.name,
                lambda progress: family_curve(question, perturbation, measure, progress),
            )
        return None

    def _on_curve(self, curve: FamilyCurve | None) -> None:
        if self._wanted is not None:
            self._curves[self._wanted] = curve
            self._wanted = None
        self.refresh()

    def _scene(self, report: AttributeReport, question: Question, place: TradePlace) -> TradeScene:
        measure, attribute = self.chosen_measure, report.attribute
        goal, pinned = self._goal.goal, self._board.of(report.name)
        pins = tuple(
            (pin.letter, self._pin_place(question, pin.perturbation, measure), pin.summary())
            for pin in pinned.pins
            if pin.perturbation is not None
        )
        key = attribute, measure, question.n
        if self._axes is None or self._axes[0] != key:
            self._axes = key, self._choose_axes(question, place, pins)
        return TradeScene(
            axes=self._axes[1], measure=measure, numeric=attribute.kind.is_numeric,
            curve=self._curve, frontier=self.search.designs, pins=pins, active=pinned.active,
            goal=(goal.limit(measure), goal.half_width(attribute)),
            direct=self._direct_half_width(question), bottom=self._bottom(report),
            left=self._left(report), family=_family_name(report.perturbation),
        )  # fmt: skip

    def _choose_axes(
        self, question: Question, place: TradePlace, pins: tuple[tuple[str, TradePlace, str], ...]
    ) -> TradeAxes:
        places = (place, *(one for _, one, _ in pins))
        wanted = self._goal.goal.half_width(question.attribute)
        return choose_axes(question, self.chosen_measure, places, wanted)

    def _pin_place(
        self, question: Question, perturbation: Perturbation, measure: str
    ) -> TradePlace:
        key = _question_key(question), perturbation, measure
        if key not in self._pin_places:
            if len(self._pin_places) >= _KEPT:
                self._pin_places.clear()
            self._pin_places[key] = place_of(question, perturbation, measure)
        return self._pin_places[key]

    def _direct_half_width(self, question: Question) -> float:
        key = _question_key(question)
        if self._direct is None or self._direct[0] != key:
            self._direct = key, direct_half_width(question)
        return self._direct[1]

    def _on_rest(self) -> None:
        """Choose other axes once nothing moves any more, if the design lies outside."""
        dot, scene = self.chart.dot, self.chart.scene
        if self.chart.is_dragged or dot is None or scene is None or self._axes is None:
            return
        if dot.place.is_finite and not scene.axes.holds(dot.place):
            self._axes = None
            self.refresh()

    # Words

    def _bottom(self, report: AttributeReport) -> str:
        belief = belief_of(report) if self.chosen_measure == BELIEF else None
        if belief is not None:
            words = self.tr("belief in %s after a report (%s before)")
            return words % (translate(listed(belief.values)), percent(belief.before))
        if self.chosen_measure == EPSILON:
            return self.tr("epsilon (local differential privacy)")
        blind = report.privacy["prior_guess"].value
        return self.tr("attack success (prior guess %s)") % percent(blind)

    def _left(self, report: AttributeReport) -> str:
        if report.attribute.kind.is_numeric:
            return self.tr("± of the mean, 95 %")
        return self.tr("± points, 95 %")

    def _dot(self, report: AttributeReport, question: Question, place: TradePlace) -> TradeDot:
        measure, attribute = self.chosen_measure, report.attribute
        numeric = attribute.kind.is_numeric
        names = {
            BELIEF: self.tr("belief %s"), EPSILON: "ε %s", ATTACK: self.tr("attack success %s")
        }  # fmt: skip
        half = half_width_words(place.half_width, numeric)
        parts = [names[measure] % privacy_words(measure, place.privacy)]
        parts.append(half if numeric else self.tr("%s points") % half)
        if measure != EPSILON and "epsilon" in report.privacy:
            parts.append(names[EPSILON] % privacy_words(EPSILON, report.privacy["epsilon"].value))
        lines = ["   ".join(parts)]
        best = _frontier_at(self.search.designs, place.privacy)
        if best is not None:
            words = self.tr("frontier at %s: %s")
            lines.append(
                words % (privacy_words(measure, place.privacy), half_width_words(best, numeric))
            )
        goal = self._goal.goal
        is_met = goal.is_met(place, measure, attribute)
        missed = "" if is_met else self._missed(question, place, goal)
        if missed:
            lines.append(missed)
        title = self.tr("This design: %s") % translate(report.perturbation.summary())
        return TradeDot(place, title, tuple(lines), is_met)

    def _missed(self, question: Question, place: TradePlace, goal: Goal) -> str:
        measure = self.chosen_measure
        if place.privacy > goal.limit(measure) + 5e-4:
            limit = privacy_words(measure, goal.limit(measure))
            return self.tr("above the goal of %s") % limit
        needed = needed_respondents(question, place, goal)
        if math.isinf(needed):
            return self.tr("cannot be estimated")
        return self.tr("goal needs n = %s") % number(needed)

    def _state_words(self, report: AttributeReport) -> str:
        if not free_parameters(report.attribute, report.perturbation):
            return self.tr("This mechanism has no parameter to drag. Apply a pin or the frontier.")
        if self.search.is_searching:
            return self.tr("Searching for the frontier…")
        if self._curve is None and self._wanted is not None:
            return self.tr("Computing the curve…")
        return self.tr(
            "Drag the dot or use the arrow keys. Click a pin or the dashed line to apply it."
        )

    # Designing

    def _apply(self, perturbation: Perturbation, gesture: str) -> None:
        name = self.store.current
        if name is not None:
            apply_to(self.workbench, [name], lambda _: perturbation, gesture)

    def _on_drag_started(self) -> None:
        self._gesture = self.store.new_gesture("trade-off")

    def _on_drag_ended(self) -> None:
        self._gesture, self._second = "", None
        self.refresh()

    def _on_moved(self, value: float) -> None:
        if self._curve is not None:
            self._apply(self._curve.put(value), self._gesture)

    def _on_second_moved(self, share: float) -> None:
        report = self._report
        if report is None:
            return
        if self._second is None:
            self._second = report.perturbation
        free = free_parameters(report.attribute, self._second)
        second = free[1] if len(free) > 1 else None
        if second is None or second.now is None:
            return
        ends = second.position(second.private), second.position(second.truthful)
        place = second.position(second.now) + share * (ends[1] - ends[0])
        value = second.value(min(max(place, min(ends)), max(ends)))
        self._apply(second.put(round(value, 3)), self._gesture)

    def _on_stepped(self, steps: float, is_repeated: bool) -> None:
        now = self._now()
        if self._curve is None or now is None:
            return
        if not is_repeated or not self._key_gesture:
            self._key_gesture = self.store.new_gesture("trade-off key")
        self._apply(self._curve.put(self._curve.stepped(now, steps)), self._key_gesture)

    def _on_ended(self, truthful: bool) -> None:
        if self._curve is not None:
            value = float(self._curve.values[-1 if truthful else 0])
            self._apply(self._curve.put(value), "")

    def _now(self) -> float | None:
        report = self._report
        if report is None:
            return None
        free = free_parameters(report.attribute, report.perturbation)
        return free[0].now if free else None

    def _on_frontier(self, place: int) -> None:
        designs = self.search.designs
        if 0 <= place < len(designs):
            self._apply(designs[place].perturbation, "")

    def _on_goals(self) -> None:
        self._goal.limit.setFocus()
        self._goal.limit.selectAll()


def _family_name(perturbation: Perturbation) -> str:
    known = {entry.name: entry.title for entry in perturbations.ranked}
    return translate(known.get(perturbation.type_name, perturbation.type_name))


def _frontier_at(designs: tuple[FrontierDesign, ...], privacy: float) -> float | None:
    """The half-width of the frontier at a level of privacy; None outside of its ends."""
    for one, other in pairwise(designs):
        low, high = one.place, other.place
        if low.privacy <= privacy <= high.privacy and high.privacy > low.privacy:
            share = (privacy - low.privacy) / (high.privacy - low.privacy)
            return low.half_width + share * (high.half_width - low.half_width)
    return None
