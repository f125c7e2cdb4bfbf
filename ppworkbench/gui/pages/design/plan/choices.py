"""What a plan is asked for: how many people, the limits of all questions, and what interviews cost.

The limits of all questions are the goals of the study.
"""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.analyses.planning.study_plan import ErrorCurves, PlanView
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.cells import EDGE
from ppworkbench.gui.widgets.controls import Button, ChoiceBox, IconButton, IconLabel, Segmented
from ppworkbench.gui.widgets.labels import LiveLabel
from ppworkbench.gui.widgets.layout import WrappingRow, column, named, row, show_words, text
from ppworkbench.gui.widgets.number_fields import FieldGesture, NumberBox, SliderRow, number_box
from ppworkbench.gui.widgets.sizes import is_large_text
from ppworkbench.study.plan_choices import (
    AGAINST,
    DIFFERENCE,
    HALF_WIDTH,
    LEAST_RESPONSE,
    MOST_SKIPPED,
    POWER,
)

_LOW, _HIGH = 10, 100_000
"""The ends of the slider; more or fewer people can be typed."""
_MOST = 100_000_000
_DEAREST = 1e9
_PERCENT = "\u202f%"


class PlanFields(QObject):
    """The fields of goals and choices by their names, whichever card they stand in."""

    chosen = Signal(dict, str)
    """Other goals and choices by name, and the gesture that they are part of."""

    def __init__(self, themes: ThemeManager, parent: QObject) -> None:
        super().__init__(parent)
        self._themes = themes
        self._gesture = FieldGesture(self)
        self._numbers: dict[str, tuple[NumberBox, float]] = {}
        self._choices: dict[str, Segmented | ChoiceBox] = {}

    def box(
        self, key: str, words: str, low: float = 0, high: float = 100, scale: float = 100.0,
        **looks: Any,
    ) -> NumberBox:  # fmt: skip
        """A field for a share in percent, or on another scale; named after its key.

        Where its smallest number says that there is none, that is None.
        """
        name = f"plan{key.title().replace('_', '')}"
        box = number_box(self._themes, name, words, low, high, **looks)
        has_nothing = bool(looks.get("nothing"))
        self._numbers[key] = box, scale

        def choose(value: float) -> None:
            self._choose(key, None if has_nothing and not value else round(value / scale, 6))

        box.valueChanged.connect(choose)
        return box

    def add_choice(self, key: str, box: Segmented | ChoiceBox) -> None:
        self._choices[key] = box
        box.chosen.connect(lambda value: self._choose(key, value))

    def set_view(self, view: PlanView) -> None:
        """Show what is chosen; cheap if it is shown already."""
        choices, goal = view.choices, view.goal
        chosen = {"belief": None, "epsilon": None} | goal.to_json() | vars(choices)
        chosen["points"] = goal.planned_points
        if not choices.has_epsilon:
            chosen["epsilon"] = None
        chosen["first"], chosen["second"] = choices.groups
        for key, (box, scale) in self._numbers.items():
            box.show_value(scale * (chosen[key] or 0.0))
        for key, choice in self._choices.items():
            choice.set_current(chosen[key])

    def _choose(self, key: str, value: object) -> None:
        changes = {key: value}
        if key == "epsilon":
            changes = {"has_epsilon": value is not None}
            changes |= {} if value is None else {"epsilon": value}
        elif key in ("first", "second"):
            pair = (round(self._numbers[one][0].value() / 100, 6) for one in ("first", "second"))
            key, changes = "groups", {"groups": tuple(pair)}
        self.chosen.emit(changes, self._gesture.of(f"plan {key}"))


def _group(*parts: QWidget | str) -> QWidget:
    """Words and fields that go to the next line together."""
    holder = QWidget()
    items = [text(part, "secondary") if isinstance(part, str) else part for part in parts]
    row(*items, parent=holder, spacing=6)
    return holder


class RespondentsCard(Card):
    """How many people are asked, how many the plan needs, and which question decides."""

    respondents_chosen = Signal(int, str)

    def __init__(self, themes: ThemeManager, fields: PlanFields) -> None:
        super().__init__(padding=10)
        self._needed = 0
        self.slider = SliderRow(
            self.tr("Respondents (n)"), _LOW, _HIGH, decimals=0, logarithmic=True
        )
        self.slider.set_names("planN")
        self.slider.box.setRange(1, _MOST)
        self.slider.box.setSingleStep(100)
        self.words = named(LiveLabel(2, "strong"), "planWords")
        self.notices = named(text("", "captionHint", wrap=True), "planNotices")
        self.take = named(Button(themes, " ", look="link"), "planTakeN")
        self.solve = named(Button(themes, self.tr("Solve all…"), "target"), "planSolve")
        self.solve.setToolTip(
            self.tr("Find the weakest protection within the privacy limits: the most accurate one")
        )
        self.command = named(
            IconButton(themes, "copy", self.tr("Copy command line")), "planCommand"
        )
        self._themes, self._has_line = themes, False
        self._line = row(
            self.slider, 8, self.words, self.take, self.solve, self.command, spacing=10
        )
        self._line.setStretch(0, 2)
        self._line.setStretch(2, 3)
        self.body.addLayout(self._line)
        words = self.tr("Share of the invited who answer, percent")
        self.rate = fields.box("response_rate", words, 100 * LEAST_RESPONSE, decimals=1, step=5)
        words = self.tr("Share of respondents who skip a question, percent")
        self.skipped = fields.box("skipped", words, high=100 * MOST_SKIPPED, decimals=1)
        self.total = named(text("", "secondary", wrap=True), "planTotal")
        invited = row(
            _group(self.tr("Response"), self.rate, "%"),
            _group(self.tr("Skipped answers"), self.skipped, "%"), self.total, spacing=12,
        )  # fmt: skip
        invited.setStretch(2, 1)
        self.body.addLayout(invited)
        self.warning = IconLabel(themes, "warning", "warningText", 16)
        self.warning.hide()
        self.notices.hide()
        told = row(self.warning, self.notices, spacing=6)
        told.setStretch(1, 1)
        self.body.addLayout(told)
        self.slider.moved.connect(
            lambda value, gesture: self.respondents_chosen.emit(int(value), gesture)
        )
        self.take.clicked.connect(lambda: self.respondents_chosen.emit(self._needed, ""))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Give large words a line of their own, so that nothing beside them is cut."""
        super().resizeEvent(event)
        self.slider.setMinimumWidth(max(self._themes.theme.px(200), self.slider.full_width))
        has_line = is_large_text(self)
        if has_line == self._has_line:
            return
        self._has_line = has_line
        if has_line:
            self._line.removeWidget(self.words)
            self.body.insertWidget(1, self.words)
        else:
            self.body.removeWidget(self.words)
            self._line.insertWidget(2, self.words, 3)

    def set_view(self, view: PlanView) -> None:
        study = view.study
        self.slider.set_value(view.n)
        total = view.total
        self.total.setText("" if total is None else translate(study.titled(total.sentence)))
        self.words.set_text(translate(study.titled(view.problem or view.sentence)))
        needed = None if total is None else total.answers
        is_known = needed is not None and needed < _MOST and int(needed) != view.n
        self._needed = int(needed) if needed is not None and is_known else 0
        self.take.setVisible(is_known)
        self.take.setText(self.tr("Take n = %s") % number(self._needed))
        breaking = view.breaking
        said = [*(() if breaking is None else (breaking,)), *view.notices]
        notices = " ".join(translate(study.titled(one)) for one in said)
        show_words(self.notices, notices)
        self.warning.setVisible(bool(notices))


class LimitsRow(QWidget):
    """What every question shall keep, unless it has limits of its own."""

    def __init__(self, themes: ThemeManager, fields: PlanFields) -> None:
        super().__init__()
        words = self.tr("Highest belief in the sensitive answer; – for no limit")
        self.belief = fields.box("belief", words, suffix=_PERCENT, nothing="–")
        words = self.tr("Highest epsilon; – for no limit")
        self.epsilon = fields.box("epsilon", words, 0, 50, 1, decimals=2, step=0.1, nothing="–")
        self.aim = Segmented(
            themes, self.tr("Accuracy"),
            [(HALF_WIDTH, self.tr("Half-width")), (POWER, self.tr("Power"))],
        )  # fmt: skip
        words = self.tr("Target half-width of each 95\u202f% interval, points")
        self.points = fields.box("points", words, 0.1, 50, 1, decimals=1, step=0.5, prefix="± ")
        self.power = fields.box("power", self.tr("Power of the test"), 1, 99, suffix=_PERCENT)
        self.test = ChoiceBox(
            self.tr("Test"), [(AGAINST, self.tr("against")), (DIFFERENCE, self.tr("two groups"))]
        )
        self.against, self.first, self.second = (
            fields.box(key, words, decimals=1, suffix=_PERCENT)
            for key, words in (
                ("against", self.tr("Share to test against")),
                ("first", self.tr("Share in the first group")),
                ("second", self.tr("Share in the second group")),
            )
        )
        words = self.tr("Significance level")
        self.alpha = fields.box("alpha", words, 0.1, 50, decimals=1, suffix=_PERCENT)
        self.sides = ChoiceBox(
            self.tr("Sides of the test"),
            [("2", self.tr("two-sided")), ("1", self.tr("one-sided"))],
        )
        for key, box in (("aim", self.aim), ("test", self.test), ("sides", self.sides)):
            box.setObjectName(f"plan{key.title()}")
            fields.add_choice(key, box)
        self._half_width = _group(self.points, self.tr("points"))
        self._tested = _group(self.tr("at least"), self.power, self.test)
        self._against = _group(self.against)
        self._groups = _group(self.first, self.tr("and"), self.second)
        self._level = _group(self.tr("level"), self.alpha, self.sides)
        inner = QWidget()
        inner.setLayout(
            WrappingRow(
                text(self.tr("All questions"), "strong"),
                _group(self.tr("belief at most"), self.belief),
                _group(self.tr("epsilon at most"), self.epsilon),
                self.aim, self._half_width, self._tested, self._against, self._groups,
                self._level, spacing=12, line_spacing=6,
            )
        )  # fmt: skip
        column(inner, parent=self).setContentsMargins(EDGE, 8, EDGE, 8)

    def set_view(self, view: PlanView) -> None:
        """Show the fields of the aim; cheap if they are shown already."""
        is_power, test = view.choices.aim == POWER, view.choices.test
        self._half_width.setVisible(not is_power)
        self._tested.setVisible(is_power)
        self._against.setVisible(is_power and test == AGAINST)
        self._groups.setVisible(is_power and test == DIFFERENCE)
        self._level.setVisible(is_power)


class CostsCard(Card):
    """Whether to ask directly or to randomise: the fields, what they mean, and errors as curves."""

    def __init__(self, themes: ThemeManager, fields: PlanFields) -> None:
        super().__init__(self.tr("Direct or randomised?"), " ")
        words = self.tr("Suspected under-report of a direct question, points")
        self.underreport = fields.box("underreport", words, decimals=1, step=0.5)
        self._money = self.tr("Budget for all interviews, in the currency of the costs; – for none")
        self.direct, self.randomised, self.budget = (
            fields.box(key, words, 0, _DEAREST, 1, decimals=2, nothing="–", width=width)
            for key, words, width in (
                ("cost_direct", self.tr("Cost of a direct interview; – if unknown"), 78),
                ("cost_randomised", self.tr("Cost of a randomised interview; – if unknown"), 78),
                ("budget", self._money, 112),
            )
        )
        words = self.tr("Design effect of the sample")
        self.effect = fields.box("design_effect", words, 0.01, 100, 1, decimals=2, step=0.1)
        asked = QWidget()
        asked.setLayout(
            WrappingRow(
                _group(self.tr("Under-report"), self.underreport, self.tr("points")),
                _group(self.tr("Design effect"), self.effect),
                _group(
                    self.tr("Cost: direct"), self.direct, self.tr("randomised"), self.randomised
                ),
                _group(self.tr("Budget"), self.budget),
                spacing=12, line_spacing=6,
            )
        )  # fmt: skip
        self.words = named(text("", "strong", wrap=True), "planPays")
        self.reading = text("", "captionHint", wrap=True)
        self.plot = named(
            PictureChart(
                themes, self.tr("Error of each technique"), size=(220, 130), least=(120, 80)
            ),
            "planErrors",
        )
        self.nothing = text("", "hint", wrap=True)
        picture = QWidget()
        column(self.plot.legend, self.plot, parent=picture, spacing=4).setStretch(1, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(picture)
        self._stack.addWidget(self.nothing)
        for part in (asked, self.words, self.reading):
            self.add(part)
        self.add(self._stack, 1)

    def set_view(self, view: PlanView, name: str | None, curves: ErrorCurves | None) -> None:
        has_costs = view.choices.costs is not None
        self.budget.setEnabled(has_costs)
        self.budget.setToolTip(
            self._money if has_costs else self.tr("A budget needs the costs of both interviews.")
        )
        self.hint_label.setText("" if name is None else view.study.shown(name))
        if curves is None:
            self.words.setText("")
            self.reading.setText("")
            why = self.tr("A number has no share of a sensitive answer to compare techniques for.")
            self.nothing.setText("" if name is None else why)
            self._stack.setCurrentIndex(1)
            return
        self.words.setText(translate(curves.sentence or ""))
        self.words.setVisible(curves.sentence is not None)
        self.reading.setText(_reading(view, name))
        self.plot.set_picture(curves.picture, _points)
        self._stack.setCurrentIndex(0)


def _points(error: float) -> str:
    return tr("%s points") % number(error, 1 if error >= 1 else 2)


def _reading(view: PlanView, name: str | None) -> str:
    """The errors with as many people as are asked."""
    row = None if name is None else view.row(name)
    if row is None or row.found.rmse is None or not math.isfinite(row.found.rmse):
        return ""
    error = number(100 * row.found.rmse, 1)
    if row.found.direct_rmse is not None:
        words = tr("With n = %s the error is %s points; asked directly for the same money, %s.")
        return words % (number(view.n), error, number(100 * row.found.direct_rmse, 1))
    words = tr(
        "With n = %s the error of this design is %s points. Other techniques protect to another "
        "degree."
    )
    return words % (number(view.n), error)
