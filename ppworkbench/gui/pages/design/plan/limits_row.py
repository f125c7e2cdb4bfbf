"""The limits of all questions of a plan, which are the goals of the study."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from ppworkbench.analyses.plan import PlanView
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.cells import EDGE
from ppworkbench.gui.widgets.controls import Segmented
from ppworkbench.gui.widgets.layout import WrappingRow, column, named, reserve_width, row, text
from ppworkbench.gui.widgets.number_fields import FieldGesture, NumberBox
from ppworkbench.study.plan_choices import AGAINST, DIFFERENCE, HALF_WIDTH, POWER


def number_field(  # noqa: PLR0913 (settings by keyword)
    themes: ThemeManager,
    name: str,
    words: str,
    *,
    low: float,
    high: float,
    decimals: int = 0,
    step: float = 1.0,
    suffix: str = "",
    nothing: str = "",
    width: int = 74,
) -> NumberBox:
    """A field; with ``nothing`` its smallest number says that there is none."""
    box = named(NumberBox(), name, words)
    box.setRange(low, high)
    box.setDecimals(decimals)
    box.setSingleStep(step)
    box.setSuffix(suffix)
    box.setSpecialValueText(nothing)
    box.setToolTip(words)
    reserve_width(box, themes, width)
    return box


def group(*parts: QWidget | str) -> QWidget:
    """Words and fields that go to the next line together."""
    holder = QWidget()
    items = [text(part, "secondary") if isinstance(part, str) else part for part in parts]
    row(*items, parent=holder, spacing=6)
    return holder


class LimitsRow(QWidget):
    """What every question shall keep, unless it has limits of its own."""

    chosen = Signal(dict, dict, str)
    """Other goals and other choices of the plan, and the gesture that they are part of."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._gesture = FieldGesture(self)
        percent = "\u202f%"
        self.belief = number_field(
            themes, "planBelief", self.tr("Highest belief in the sensitive answer"),
            low=1, high=100, suffix=percent,
        )  # fmt: skip
        self.epsilon = number_field(
            themes, "planEpsilon", self.tr("Highest epsilon; – for no limit"),
            low=0, high=50, decimals=2, step=0.1, nothing="–",
        )  # fmt: skip
        self.aim = Segmented(
            themes, self.tr("Accuracy"),
            [(HALF_WIDTH, self.tr("Half-width")), (POWER, self.tr("Power"))],
        )  # fmt: skip
        self.aim.setObjectName("planAim")
        self.points = number_field(
            themes, "planPoints", self.tr("Target half-width of each 95\u202f% interval, points"),
            low=0.1, high=50, decimals=1, step=0.5,
        )  # fmt: skip
        self.points.setPrefix("± ")
        self.power = number_field(
            themes, "planPower", self.tr("Power of the test"), low=1, high=99, suffix=percent
        )
        self.test = named(QComboBox(), "planTest", self.tr("Test"))
        self.test.addItem(self.tr("against"), AGAINST)
        self.test.addItem(self.tr("two groups"), DIFFERENCE)
        self.against = number_field(
            themes, "planAgainst", self.tr("Share to test against"),
            low=0, high=100, decimals=1, suffix=percent,
        )  # fmt: skip
        self.first, self.second = (
            number_field(themes, name, words, low=0, high=100, decimals=1, suffix=percent)
            for name, words in (
                ("planFirst", self.tr("Share in the first group")),
                ("planSecond", self.tr("Share in the second group")),
            )
        )
        self.alpha = number_field(
            themes, "planAlpha", self.tr("Significance level"),
            low=0.1, high=50, decimals=1, suffix=percent,
        )  # fmt: skip
        self.sides = named(QComboBox(), "planSides", self.tr("Sides of the test"))
        self.sides.addItem(self.tr("two-sided"), "2")
        self.sides.addItem(self.tr("one-sided"), "1")
        self._half_width = group(self.points, self.tr("points"))
        self._tested = group(self.tr("at least"), self.power, self.test)
        self._against = group(self.against)
        self._groups = group(self.first, self.tr("and"), self.second)
        self._level = group(self.tr("level"), self.alpha, self.sides)
        fields = WrappingRow(
            text(self.tr("All questions"), "strong"),
            group(self.tr("belief at most"), self.belief),
            group(self.tr("epsilon at most"), self.epsilon),
            self.aim, self._half_width, self._tested, self._against, self._groups, self._level,
            spacing=12, line_spacing=6,
        )  # fmt: skip
        inner = QWidget()
        inner.setLayout(fields)
        column(inner, parent=self).setContentsMargins(EDGE, 8, EDGE, 8)
        self._listen()

    def _listen(self) -> None:
        self.belief.valueChanged.connect(
            lambda value: self._choose("belief", {"belief": value / 100})
        )
        self.epsilon.valueChanged.connect(self._on_epsilon)
        self.points.valueChanged.connect(lambda value: self._choose("points", {"points": value}))
        self.aim.chosen.connect(lambda key: self._choose("aim", {}, {"aim": key}))
        self.test.activated.connect(
            lambda _: self._choose("test", {}, {"test": self.test.currentData()})
        )
        self.sides.activated.connect(
            lambda _: self._choose("sides", {}, {"sides": self.sides.currentData()})
        )
        for name, box in (("power", self.power), ("against", self.against), ("alpha", self.alpha)):
            box.valueChanged.connect(
                lambda value, name=name: self._choose(name, {}, {name: round(value / 100, 6)})
            )
        for box in (self.first, self.second):
            box.valueChanged.connect(self._on_groups)

    def set_view(self, view: PlanView) -> None:
        """Show the limits of a study; cheap if they are shown already."""
        goal, choices = view.goal, view.choices
        self.belief.show_value(100 * goal.belief)
        self.epsilon.show_value(goal.epsilon if choices.has_epsilon else 0.0)
        self.points.show_value(goal.points)
        self.power.show_value(100 * choices.power)
        self.against.show_value(100 * choices.against)
        self.first.show_value(100 * choices.groups[0])
        self.second.show_value(100 * choices.groups[1])
        self.alpha.show_value(100 * choices.alpha)
        if self.aim.current != choices.aim:
            self.aim.set_current(choices.aim)
        for box, key in ((self.test, choices.test), (self.sides, choices.sides)):
            if box.currentData() != key:
                with QSignalBlocker(box):
                    box.setCurrentIndex(box.findData(key))
        is_power = choices.aim == POWER
        shown = {
            self._half_width: not is_power,
            self._tested: is_power,
            self._against: is_power and choices.test == AGAINST,
            self._groups: is_power and choices.test == DIFFERENCE,
            self._level: is_power,
        }
        for part, is_shown in shown.items():
            if part.isVisibleTo(self) != is_shown:
                part.setVisible(is_shown)

    def _choose(
        self, moved: str, goals: dict[str, float], plan: dict[str, object] | None = None
    ) -> None:
        self.chosen.emit(goals, plan or {}, self._gesture.of(f"plan {moved}"))

    def _on_epsilon(self, value: float) -> None:
        has_epsilon = value > 0
        goals = {"epsilon": value} if has_epsilon else {}
        self._choose("epsilon", goals, {"has_epsilon": has_epsilon})

    def _on_groups(self) -> None:
        groups = round(self.first.value() / 100, 6), round(self.second.value() / 100, 6)
        self._choose("groups", {}, {"groups": groups})
