"""The trade-off of the current question: the chart, and the search for the frontier."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QWidget

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
from ppworkbench.gui.numbers import in_unit, number, percent, significant, trimmed, with_unit
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.design.attribute_list import apply_to
from ppworkbench.gui.pages.design.goals import AdviceLine, GoalRow
from ppworkbench.gui.pages.design.pins import PinnedDesigns
from ppworkbench.gui.pages.design.preview import ShareStrip
from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.store import Store
from ppworkbench.gui.widgets.layout import column, row, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.design import belief_of, noncompliance_of
from ppworkbench.study.analyses.trade_off import (
    ATTACK,
    BELIEF,
    EPSILON,
    FamilyCurve,
    FrontierDesign,
    Goal,
    Repair,
    TradeAxes,
    TradePlace,
    choose_axes,
    curve_key,
    direct_half_width,
    family_curve,
    find_repair,
    free_parameters,
    frontier_at,
    has_frontier,
    is_quick,
    needed_respondents,
    place_of,
    privacy_measures,
    report_place,
    search_frontier,
    with_curve,
)


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
            self.tr("Frontier of %s") % question.attribute.shown,
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
_CHART_ABOVE_STRIP = 200
"""The height that the chart keeps if the expected shares are shown below it."""


def _question_key(question: Question) -> object:
    prior = question.prior
    expected = b"" if prior is None else prior.probabilities.tobytes()
    return question.attribute, expected, question.n, question.noncompliance


class TradeOffView(QWidget):
    """The chart and the expected shares below; reads the study, writes designs through it.

    What it advises about the goals is in sight with every tab, so that the line is given.
    """

    def __init__(
        self, workbench: Workbench, board: PinnedDesigns, goal: GoalRow, advice: AdviceLine
    ) -> None:
        super().__init__()
        self.workbench = workbench
        self.store: Store = workbench.store
        self._board, self._goal, self._advice = board, goal, advice
        self._report: AttributeReport | None = None
        self._question: Question | None = None
        self._curves: dict[object, FamilyCurve | None] = {}
        self._curve: FamilyCurve | None = None
        self._frontier: tuple[object, tuple[FrontierDesign, ...]] | None = None
        self._repair: tuple[object, Repair] | None = None
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
        self.measure.setToolTip(self.tr("Privacy measure"))
        self.measure_row = QWidget()
        self.measure_label = text(self.tr("Privacy measure"), "label")
        row(self.measure_label, self.measure, parent=self.measure_row)
        self.chart = TradeOffChart(workbench.themes)
        self.strip = ShareStrip(workbench)
        self.strip.hide()
        self._is_narrow = False
        column(self.chart, self.strip, parent=self, spacing=4).setStretch(0, 1)
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
        advice.accepted.connect(self._on_accepted)
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
        chart.goal_moved.connect(self._on_goal_moved)
        chart.goals_requested.connect(self._goal.focus)

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
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Show the expected shares where the chart keeps enough room."""
        super().resizeEvent(event)
        self._fit_strip()

    def set_narrow(self, narrow: bool) -> None:
        """Leave the expected shares to their own view in a narrow window."""
        self._is_narrow = narrow
        self._fit_strip()

    def _fit_strip(self) -> None:
        px = self.workbench.theme.px
        room = self.height() - self.strip.sizeHint().height()
        has_room = not self._is_narrow and room >= px(_CHART_ABOVE_STRIP)
        if has_room == self.strip.isHidden():
            self.strip.setVisible(has_room)

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
        if report is None or report.name != self.store.current:
            return
        if not self.isVisible():
            self._advise_from_behind(report)
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
        self.strip.show_report(report)
        self._advise(report, question, place)
        self._rest.start()

    def _advise_from_behind(self, report: AttributeReport) -> None:
        """Advise while another view is in front, as far as that takes no time."""
        if not self._advice.isVisibleTo(self._advice.window()) or not is_quick(report.attribute):
            self._advice.show_hint("")
            return
        measure = self.chosen_measure
        question = Question(
            report.attribute, report.prior, report.utility.n,
            noncompliance=noncompliance_of(self.store.study.settings),
        )  # fmt: skip
        self._goal.show_measure(measure, numeric=report.attribute.kind.is_numeric)
        self._curve = self._find_curve(question, report.perturbation, measure)
        self._advise(report, question, report_place(report, measure))

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
                self.tr("Trade-off of %s") % question.attribute.shown,
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
            curve=self._curve, frontier=self._designs(question), pins=pins, active=pinned.active,
            goal=(goal.limit(measure), goal.half_width(attribute)),
            direct=self._direct_half_width(question), bottom=self._bottom(report),
            left=self._left(report), family=_family_name(report.perturbation),
        )  # fmt: skip

    def _designs(self, question: Question) -> tuple[FrontierDesign, ...]:
        """The frontier as it is drawn: nowhere above the curve of now."""
        # Both are kept as long as they are shown, so that neither is mistaken for another one.
        key = self.search.designs, self._curve
        if self._frontier is None or not _are_same(self._frontier[0], key):
            self._frontier = key, with_curve(self.search.designs, question, self._curve)
        return self._frontier[1]

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
            return with_unit(self.tr("± of the mean, 95 %"), report.attribute.unit)
        return self.tr("± points, 95 %")

    def _dot(self, report: AttributeReport, question: Question, place: TradePlace) -> TradeDot:
        measure, attribute = self.chosen_measure, report.attribute
        numeric = attribute.kind.is_numeric
        names = {
            BELIEF: self.tr("belief %s"), EPSILON: "ε %s", ATTACK: self.tr("attack success %s")
        }  # fmt: skip
        half = half_width_words(place.half_width, numeric)
        parts = [names[measure] % privacy_words(measure, place.privacy)]
        parts.append(in_unit(half, attribute.unit) if numeric else self.tr("%s points") % half)
        if measure != EPSILON and "epsilon" in report.privacy:
            parts.append(names[EPSILON] % privacy_words(EPSILON, report.privacy["epsilon"].value))
        lines = ["   ".join(parts)]
        best = frontier_at(self._designs(question), place.privacy)
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

    # Advice

    def _advise(self, report: AttributeReport, question: Question, place: TradePlace) -> None:
        """Say what meets a missed goal, else how the chart is used."""
        goal, measure = self._goal.goal, self.chosen_measure
        if goal.is_met(place, measure, report.attribute):
            self._repair = None
            self._advice.show_hint(self._state_words(report) if self.isVisible() else "")
            return
        repair = self._find_repair(question, goal)
        missed = self._missed_words(place, goal, report.attribute)
        if repair.value is not None:
            value = self._value_words(repair.value)
            words = self.tr("%s %s meets it.") % (missed, value)
            self._advice.show_advice(words, self.tr("Use %s") % value)
        elif repair.perturbation is not None:
            words = self.tr("%s A design of the frontier meets it.") % missed
            self._advice.show_advice(words, self.tr("Use it"))
        elif self.isVisible() and (self.search.is_searching or self._wanted is not None):
            self._advice.show_advice(self.tr("%s Searching for the frontier…") % missed)
        else:
            self._advice.show_advice(self._unreachable_words(question, goal, repair))

    def _find_repair(self, question: Question, goal: Goal) -> Repair:
        designs = self._designs(question)
        key = (
            goal, self.chosen_measure, question.n, self._curve, designs,
            None if self._curve is None else self._now(),
        )  # fmt: skip
        if self._repair is None or not _are_same(self._repair[0], key):
            found = find_repair(
                question, self.chosen_measure, goal, self._curve, designs, self._now()
            )
            self._repair = key, found
        return self._repair[1]

    def _missed_words(self, place: TradePlace, goal: Goal, attribute: Attribute) -> str:
        measure, numeric = self.chosen_measure, attribute.kind.is_numeric
        if place.privacy > goal.limit(measure) + 5e-4:
            names = {
                BELIEF: self.tr("Belief %s; the goal is at most %s."),
                EPSILON: self.tr("Epsilon %s; the goal is at most %s."),
                ATTACK: self.tr("Attack success %s; the goal is at most %s."),
            }
            values = privacy_words(measure, place.privacy), goal.limit(measure)
            return names[measure] % (values[0], privacy_words(measure, values[1]))
        wanted = half_width_words(goal.half_width(attribute), numeric)
        half = half_width_words(place.half_width, numeric)
        words = self.tr("%s; the goal is %s.") if numeric else self.tr("%s points; the goal is %s.")
        return words % (half, wanted)

    def _unreachable_words(self, question: Question, goal: Goal, repair: Repair) -> str:
        measure, attribute = self.chosen_measure, question.attribute
        limit = privacy_words(measure, goal.limit(measure))
        if measure == EPSILON:
            limit = f"ε {limit}"
        if repair.closest is None:
            return self.tr("No design gives %s; choose a less strict goal.") % limit
        numeric = attribute.kind.is_numeric
        wanted = half_width_words(goal.half_width(attribute), numeric)
        closest = half_width_words(repair.closest.half_width, numeric)
        words = self.tr("%s respondents cannot give %s and %s. Closest: %s; %s would do.")
        return words % (number(question.n), limit, wanted, closest, number(repair.needed))

    def _value_words(self, value: float) -> str:
        is_linear = self._curve is None or self._curve.free.scale == "linear"
        return trimmed(value, 3) if is_linear else significant(value)

    def _on_accepted(self) -> None:
        perturbation = None if self._repair is None else self._repair[1].perturbation
        if perturbation is not None:
            self._apply(perturbation, "")

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

    def _on_goal_moved(self, edge: str, privacy: float, half_width: float) -> None:
        report = self._report
        if report is None:
            return
        attribute = report.attribute
        points = 100 * half_width / (attribute.width if attribute.kind.is_numeric else 1.0)
        self._goal.set_goal(
            self._gesture,
            limit=privacy if edge in ("limit", "corner") else None,
            points=points if edge in ("points", "corner") else None,
        )


def _family_name(perturbation: Perturbation) -> str:
    known = {entry.name: entry.title for entry in perturbations.ranked}
    return translate(known.get(perturbation.type_name, perturbation.type_name))


def _are_same(one: object, other: tuple[object, ...]) -> bool:
    """Whether two keys hold the same things; what is large is compared by its identity."""
    return isinstance(one, tuple) and all(
        a is b or (isinstance(a, Goal | str | int | float) and a == b)
        for a, b in zip(one, other, strict=True)
    )
