"""The goals of a study on the Design page, and what is said when they are missed."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSignalBlocker, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSpinBox, QWidget

from ppworkbench.gui.single_shot import single_shot
from ppworkbench.gui.theme import set_rules
from ppworkbench.gui.widgets.controls import Button, IconLabel, NumberBox
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import WrappingRow, reserve_width, row, text
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.analyses.trade_off import ATTACK, BELIEF, EPSILON, Goal

_PAUSE = 700
"""Milliseconds after which a change of the same field is another undo step."""


class GoalRow(QWidget):
    """Limit of privacy, precision and respondents in one sentence; the study keeps them."""

    changed = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.store = workbench.store
        themes = workbench.themes
        self._measure = BELIEF
        self._offered: tuple[str, bool] | None = None
        self._read: tuple[object, Goal] | None = None
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
        # An arrow that is held down is one undo step.
        self._pause = single_shot(self, self._end_gesture, _PAUSE)
        self._gesture, self._moved = "", ""
        self.limit.valueChanged.connect(lambda value: self._on_box("limit", value))
        self.points.valueChanged.connect(lambda value: self._on_box("points", value))
        self.respondents.valueChanged.connect(self._on_respondents)
        self.store.settings_changed.connect(self._show_goal)
        self.store.goals_changed.connect(self._on_goals)
        self.show_measure(BELIEF, numeric=False)

    @property
    def goal(self) -> Goal:
        """The goals of the study."""
        kept = self.store.study.goals
        if self._read is None or self._read[0] is not kept:
            self._read = kept, Goal.from_json(kept)
        return self._read[1]

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

    def set_goal(
        self, gesture: str, limit: float | None = None, points: float | None = None
    ) -> None:
        """Want another limit of the measure of now, or another precision in points.

        They are rounded as the fields show them; all changes of a gesture are one undo step.
        """
        kept = self.goal.to_json()
        if limit is not None:
            shown = self._shown_as(self.limit, limit * self._percent)
            kept[self._measure] = shown / self._percent
        if points is not None:
            kept["points"] = self._shown_as(self.points, points)
        self.store.set_goals(kept, gesture)

    @staticmethod
    def _shown_as(box: NumberBox, value: float) -> float:
        return round(min(max(value, box.minimum()), box.maximum()), box.decimals())

    def focus(self) -> None:
        """Let somebody type another limit."""
        self.limit.setFocus()
        self.limit.selectAll()

    def _on_box(self, moved: str, value: float) -> None:
        gesture = self._gesture_of(moved)
        if moved == "limit":
            self.set_goal(gesture, limit=value / self._percent)
        else:
            self.set_goal(gesture, points=value)

    def _on_respondents(self, value: int) -> None:
        self.store.set_settings(self._gesture_of("respondents"), respondents=value)

    def _gesture_of(self, moved: str) -> str:
        if not self._gesture or moved != self._moved:
            self._gesture, self._moved = self.store.new_gesture("goal"), moved
        self._pause.start()
        return self._gesture

    def _end_gesture(self) -> None:
        self._gesture = ""

    def _on_goals(self) -> None:
        self._show_goal()
        self.changed.emit()


class AdviceLine(QWidget):
    """Below the pictures: how to use them, or what a missed goal needs and a button that does it.

    It keeps its height, so that no picture is resized while something is dragged.
    """

    accepted = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._themes = workbench.themes
        self.warning = IconLabel(workbench.themes, "warning", "warningText", 16)
        self._words = LiveLabel(1, "captionHint")
        self.button = Button(workbench.themes, "", look="link")
        self.button.setObjectName("meetGoal")
        self.button.clicked.connect(self.accepted)
        layout = row(self.warning, self._words, self.button, parent=self, spacing=8)
        layout.setStretch(1, 1)
        layout.setContentsMargins(8, 3, 8, 3)
        self._is_warning = False
        self.warning.hide()
        self.button.hide()
        workbench.themes.theme_changed.connect(self._colour)
        self._colour()

    @property
    def is_warning(self) -> bool:
        """Whether a goal is missed."""
        return self._is_warning

    def words(self) -> str:
        """What is said."""
        return self._words.text()

    def show_hint(self, words: str) -> None:
        """Say how the picture is used."""
        self._show(words, "", warns=False)

    def show_advice(self, words: str, action: str = "") -> None:
        """Say what is missing, and offer what the button does."""
        self._show(words, action, warns=True)

    def _show(self, words: str, action: str, *, warns: bool) -> None:
        if warns != self._is_warning:
            self._is_warning = warns
            self.warning.setVisible(warns)
            self._colour()
        self._words.set_text(words)
        if action != self.button.text():
            self.button.setText(action)
        self.button.setVisible(bool(action))

    def _colour(self) -> None:
        ink = self._themes.theme.hex("warningText")
        set_rules(self._words.label, f"color: {ink};" if self._is_warning else "")
        set_rules(
            self.button,
            f"color: {ink}; text-decoration: underline; font-weight: 600; padding: 0 4px;",
        )
        # A button that comes and goes makes no line higher.
        self.setMinimumHeight(max(self._themes.theme.px(28), self.button.sizeHint().height() + 6))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw the tinted box of a warning."""
        if not self._is_warning:
            return
        theme, painter = self._themes.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.colour("warningLine"), 1))
        painter.setBrush(theme.colour("warningBg"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
