"""The goals of a study on the Design page, and what is said when they are missed."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSignalBlocker, Signal
from PySide6.QtGui import QPaintEvent, QPen
from PySide6.QtWidgets import QSpinBox, QWidget

from ppworkbench.analyses.designs.goals import Goal, Repair, goal_at
from ppworkbench.analyses.designs.places import ATTACK, BELIEF, EPSILON, free_parameters
from ppworkbench.core.design import Perturbation
from ppworkbench.gui.charts.trade_off_picture import half_width_words, privacy_words
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, significant, trimmed
from ppworkbench.gui.pages.design.view import DesignView, TradeState
from ppworkbench.gui.theme import ThemeManager, set_rules, smooth_painter
from ppworkbench.gui.widgets.controls import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import WrappingRow, named, reserve_width, row, show_words, text
from ppworkbench.gui.widgets.number_fields import FieldGesture, NumberBox, number_box

_SEEN = 5e-4
"""A difference of privacy that is seen."""


class GoalRow(QWidget):
    """Limit of privacy, precision and respondents in one sentence; the study keeps them.

    Nothing is wanted before somebody says so: until then a button stands in place of the limits.
    """

    goal_chosen = Signal(object, str)
    """Other goals, and the gesture that they are a part of."""
    respondents_chosen = Signal(int, str)

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._goal = Goal()
        self._view: DesignView | None = None
        self._measure = BELIEF
        self._offered: tuple[str, bool] | None = None
        self.limit = number_box(themes, "goalLimit", "", 0, 100, nothing="–", width=78)
        self.points = number_box(
            themes, "targetPoints", self.tr("Target half-width, points"), 0, 50, decimals=1,
            prefix="± ", nothing="–", width=80,
        )  # fmt: skip
        self.points.setToolTip(
            self.tr("Target half-width of each 95\u202f% interval, points; – for none")
        )
        self.start = named(Button(themes, self.tr("Set a goal"), look="link"), "setGoal")
        self.start.setToolTip(
            self.tr("Limits of privacy and precision; questions that miss them are marked")
        )
        self.clear = named(IconButton(themes, "close", self.tr("Remove the goal"), 14), "noGoal")
        self.respondents = named(QSpinBox(), "respondents", self.tr("Respondents"))
        self.respondents.setRange(1, 100_000_000)
        self.respondents.setGroupSeparatorShown(True)
        self.respondents.setKeyboardTracking(False)
        self.respondents.setSingleStep(100)
        reserve_width(self.respondents, themes, 96)
        self._limited, self._unit = text("", "secondary"), text("", "secondary")
        # They go to a second line together.
        count = QWidget()
        row(text(self.tr("n ="), "secondary"), self.respondents, parent=count, spacing=6)
        layout = WrappingRow(
            text(self.tr("Goal"), "strong"), self.start, self._limited, self.limit, self.points,
            self._unit, self.clear, count, spacing=6, line_spacing=4,
        )  # fmt: skip
        self.setLayout(layout)
        self._gesture = FieldGesture(self)
        self.limit.valueChanged.connect(lambda value: self._on_box("limit", value))
        self.points.valueChanged.connect(lambda value: self._on_box("points", value))
        self.respondents.valueChanged.connect(self._on_respondents)
        self.start.clicked.connect(self.focus)
        self.clear.clicked.connect(lambda: self.goal_chosen.emit(Goal(), ""))
        self._offer_measure(BELIEF, numeric=False)

    def set_view(self, view: DesignView) -> None:
        """Show the goals of the study; cheap if they are shown already."""
        self._goal, self._view = view.goal, view
        self._offer_measure(view.measure, numeric=view.attribute.kind.is_numeric)
        is_set = view.goal.is_set(self._measure)
        self.start.setHidden(is_set)
        for part in (self._limited, self.limit, self.points, self._unit, self.clear):
            part.setHidden(not is_set)
        for box, wanted in (
            (self.limit, view.goal.limit(self._measure) * self._percent),
            (self.points, view.goal.points),
        ):
            box.show_value(wanted if math.isfinite(wanted) else 0.0)
        respondents = view.study.settings.respondents
        if respondents != self.respondents.value():
            with QSignalBlocker(self.respondents):
                self.respondents.setValue(respondents)

    def _offer_measure(self, measure: str, *, numeric: bool) -> None:
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
        self._unit.setText(self.tr("% of range,") if numeric else self.tr("points,"))
        is_share = measure != EPSILON
        with QSignalBlocker(self.limit):
            self.limit.setDecimals(0 if is_share else 2)
            self.limit.setRange(0.0, 100.0 if is_share else 50.0)
            self.limit.setSingleStep(1.0 if is_share else 0.1)
            self.limit.setSuffix(" %" if is_share else "")

    @property
    def _percent(self) -> float:
        return 1.0 if self._measure == EPSILON else 100.0

    def set_goal(
        self, gesture: str, limit: float | None = None, points: float | None = None
    ) -> None:
        """Want another limit of the measure of now, or another precision in points; 0 for none.

        They are rounded as the fields show them; all changes of a gesture are one undo step.
        """
        kept = self._goal.to_json()
        if limit is not None:
            shown = self._shown_as(self.limit, limit * self._percent)
            kept[self._measure] = shown / self._percent
        if points is not None:
            kept["points"] = self._shown_as(self.points, points)
        # What is 0 is wanted no longer.
        self.goal_chosen.emit(Goal.from_json(kept), gesture)

    @staticmethod
    def _shown_as(box: NumberBox, value: float) -> float:
        return round(min(max(value, box.minimum()), box.maximum()), box.decimals())

    def focus(self) -> None:
        """Let somebody type another limit; without a goal it begins where the design is."""
        view = self._view
        if view is not None and not view.goal.is_set(self._measure):
            self.goal_chosen.emit(goal_at(view.place, view.measure, view.attribute), "")
        self.limit.setFocus()
        self.limit.selectAll()

    def _on_box(self, moved: str, value: float) -> None:
        gesture = self._gesture.of(f"goal {moved}")
        if moved == "limit":
            self.set_goal(gesture, limit=value / self._percent)
        else:
            self.set_goal(gesture, points=value)

    def _on_respondents(self, value: int) -> None:
        self.respondents_chosen.emit(value, self._gesture.of("goal respondents"))


class AdviceLine(QWidget):
    """Below the pictures: how to use them, or what a missed goal needs and a button that does it.

    It keeps its height, so that no picture is resized while something is dragged.
    """

    design_chosen = Signal(object)
    """The design that meets the goals is wanted."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._offered: Perturbation | None = None
        self.warning = IconLabel(themes, "warning", "warningText", 16)
        self._words = LiveLabel(1, "captionHint")
        self.button = named(Button(themes, "", look="link"), "meetGoal")
        self.button.clicked.connect(self._on_clicked)
        layout = row(self.warning, self._words, self.button, parent=self, spacing=8)
        layout.setStretch(1, 1)
        layout.setContentsMargins(8, 3, 8, 3)
        self._is_warning = False
        self.warning.hide()
        self.button.hide()
        themes.follow(self._colour)

    def words(self) -> str:
        return self._words.text()

    def set_view(self, view: DesignView) -> None:
        """Say what meets a missed goal, else how the chart is used."""
        trade = view.trade
        # A column that has no mechanism is no reason to look for one.
        repair = None if trade is None or view.is_role else trade.repair
        if trade is None or repair is None:
            is_used = trade is not None and trade.is_shown and not view.is_role
            hint = _hint(view, trade) if trade is not None and is_used else ""
            self._offered = None
            self._show(hint, "", warns=False)
            return
        self._offered = repair.perturbation
        missed = _missed(view)
        if view.perturbation.is_identity:
            self._offered = None
            words, action = self.tr("Not randomised. %s Choose a mechanism.") % missed, ""
        elif repair.value is not None:
            is_linear = trade.curve is None or trade.curve.free.scale == "linear"
            value = trimmed(repair.value, 3) if is_linear else significant(repair.value)
            words = self.tr("%s %s meets it.") % (missed, value)
            action = _directed(view, repair, self.tr("Use %s") % value)
        elif repair.perturbation is not None:
            words = self.tr("%s A design of the frontier meets it.") % missed
            action = _directed(view, repair, self.tr("Use it"))
        elif trade.is_searching or trade.is_computing:
            words, action = self.tr("%s Searching for the frontier…") % missed, ""
        else:
            words, action = _unreachable(view, repair), ""
        self._show(words, action, warns=True)

    def _on_clicked(self) -> None:
        if self._offered is not None:
            self.design_chosen.emit(self._offered)

    def _show(self, words: str, action: str, *, warns: bool) -> None:
        if warns != self._is_warning:
            self._is_warning = warns
            self.warning.setVisible(warns)
            self._colour()
        self._words.set_text(words)
        show_words(self.button, action)
        self._reserve()

    def _colour(self) -> None:
        ink = self._themes.theme.hex("warningText")
        set_rules(self._words.label, f"color: {ink};" if self._is_warning else "")
        set_rules(
            self.button,
            f"color: {ink}; text-decoration: underline; font-weight: 600; padding: 0 4px;",
        )
        self._reserve()
        self.update()

    def _reserve(self) -> None:
        """Let a button that comes and goes make no line higher, at any size of text."""
        self.setMinimumHeight(max(self._themes.theme.px(28), self.button.sizeHint().height() + 6))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if not self._is_warning:
            return
        theme, painter = self._themes.theme, smooth_painter(self)
        painter.setPen(QPen(theme.colour("warningLine"), 1))
        painter.setBrush(theme.colour("warningBg"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)


def _hint(view: DesignView, trade: TradeState) -> str:
    """How the chart is used, or what is awaited."""
    if not free_parameters(view.attribute, view.perturbation):
        return tr("This mechanism has no parameter to drag. Apply a pin or the frontier.")
    if trade.is_searching:
        return tr("Searching for the frontier…")
    if trade.curve is None and trade.is_computing:
        return tr("Computing the curve…")
    return tr("Drag the dot or use the arrow keys. Click a pin or the dashed line to apply it.")


def _directed(view: DesignView, repair: Repair, action: str) -> str:
    """What a button offers, and whether that protects more or less than the design of now."""
    change = 0.0 if repair.closest is None else repair.closest.privacy - view.place.privacy
    if abs(change) < _SEEN:
        return action
    words = tr("%s (weaker protection)") if change > 0 else tr("%s (stronger protection)")
    return words % action


def _missed(view: DesignView) -> str:
    """Which goal is missed by how much."""
    measure, place, goal = view.measure, view.place, view.goal
    numeric = view.attribute.kind.is_numeric
    if place.privacy > goal.limit(measure) + _SEEN:
        names = {
            BELIEF: tr("Belief %s; the goal is at most %s."),
            EPSILON: tr("Epsilon %s; the goal is at most %s."),
            ATTACK: tr("Attack success %s; the goal is at most %s."),
        }
        now, limit = place.privacy, goal.limit(measure)
        return names[measure] % (privacy_words(measure, now), privacy_words(measure, limit))
    wanted = half_width_words(goal.half_width(view.attribute), numeric)
    half = half_width_words(place.half_width, numeric)
    words = tr("%s; the goal is %s.") if numeric else tr("%s points; the goal is %s.")
    return words % (half, wanted)


def _unreachable(view: DesignView, repair: Repair) -> str:
    """What comes closest to goals that nothing meets."""
    measure, goal = view.measure, view.goal
    limit = privacy_words(measure, goal.limit(measure))
    if measure == EPSILON:
        limit = f"ε {limit}"
    has_limit = math.isfinite(goal.limit(measure))
    if repair.closest is None:
        if view.trade is None or not view.trade.frontier:
            words = tr("No setting of this mechanism gives %s; choose another or a weaker goal.")
            return words % limit
        return tr("No design gives %s; choose a less strict goal.") % limit
    numeric = view.attribute.kind.is_numeric
    wanted = half_width_words(goal.half_width(view.attribute), numeric)
    closest = half_width_words(repair.closest.half_width, numeric)
    if not has_limit and math.isinf(repair.needed):
        words = tr("No sample size gives %s: non-compliance biases the estimate. Closest: %s.")
        return words % (wanted, closest)
    if not has_limit:
        words = tr("%s respondents cannot give %s. Closest: %s; %s would do.")
        return words % (number(view.question.n), wanted, closest, number(repair.needed))
    if math.isinf(repair.needed):
        words = tr(
            "No sample size gives %s and %s: non-compliance biases the estimate. Closest: %s."
        )
        return words % (limit, wanted, closest)
    words = tr("%s respondents cannot give %s and %s. Closest: %s; %s would do.")
    return words % (number(view.question.n), limit, wanted, closest, number(repair.needed))
