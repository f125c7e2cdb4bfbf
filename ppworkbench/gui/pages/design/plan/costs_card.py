"""Whether to ask directly or to randomise: under-report, costs and errors of techniques."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from ppworkbench.analyses.plan import ErrorCurves, PlanView
from ppworkbench.gui.charts.chart import SeriesLegend
from ppworkbench.gui.charts.curves import Curve, CurvePlot, Curves
from ppworkbench.gui.charts.looks import series_look
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.gui.pages.design.plan.limits_row import group, number_field
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layout import WrappingRow, column, named, text
from ppworkbench.gui.widgets.number_fields import FieldGesture

_MOST = 1e9


class CostsCard(Card):
    """The fields, what they mean in words, and the errors as curves."""

    chosen = Signal(dict, str)
    """Other choices of the plan, and the gesture that they are part of."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(self.tr("Direct or randomised?"), " ")
        self._gesture = FieldGesture(self)
        self.underreport = number_field(
            themes, "planUnderreport",
            self.tr("Suspected under-report of a direct question, points"),
            low=0, high=100, decimals=1, step=0.5,
        )  # fmt: skip
        money = self.tr("Budget for all interviews, in the currency of the costs; – for none")
        self.direct, self.randomised, self.budget = (
            number_field(
                themes, name, words, low=0, high=_MOST, decimals=2, nothing="–", width=width
            )
            for name, words, width in (
                ("planCostDirect", self.tr("Cost of a direct interview; – if unknown"), 78),
                ("planCostRandomised", self.tr("Cost of a randomised interview; – if unknown"), 78),
                ("planBudget", money, 112),
            )
        )
        self.effect = number_field(
            themes, "planDesignEffect", self.tr("Design effect of the sample"),
            low=0.01, high=100, decimals=2, step=0.1,
        )  # fmt: skip
        fields = QWidget()
        fields.setLayout(
            WrappingRow(
                group(self.tr("Under-report"), self.underreport, self.tr("points")),
                group(self.tr("Design effect"), self.effect),
                group(
                    self.tr("Cost: direct"), self.direct, self.tr("randomised"), self.randomised
                ),
                group(self.tr("Budget"), self.budget),
                spacing=12, line_spacing=6,
            )
        )  # fmt: skip
        self.words = named(text("", "strong", wrap=True), "planPays")
        self.reading = text("", "captionHint", wrap=True)
        self.legend = SeriesLegend(themes)
        self.plot = named(
            CurvePlot(themes, self.tr("Error of each technique"), _points), "planErrors"
        )
        # The highest number needs room for its upper half.
        self.plot.getPlotItem().setContentsMargins(0, 8, 10, 0)
        self.nothing = text("", "hint", wrap=True)
        picture = QWidget()
        column(self.legend, self.plot, parent=picture, spacing=4).setStretch(1, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(picture)
        self._stack.addWidget(self.nothing)
        self.add(fields)
        self.add(self.words)
        self.add(self.reading)
        self.add(self._stack, 1)
        self.underreport.valueChanged.connect(
            lambda value: self._choose("underreport", round(value / 100, 6))
        )
        self.effect.valueChanged.connect(lambda value: self._choose("design_effect", value))
        for name, box in (
            ("cost_direct", self.direct), ("cost_randomised", self.randomised),
            ("budget", self.budget),
        ):  # fmt: skip
            box.valueChanged.connect(lambda value, name=name: self._choose(name, value or None))

    def set_view(self, view: PlanView, name: str | None, curves: ErrorCurves | None) -> None:
        """Show the choices of a study and the errors of a question."""
        choices = view.choices
        self.underreport.show_value(100 * choices.underreport)
        self.direct.show_value(choices.cost_direct or 0.0)
        self.randomised.show_value(choices.cost_randomised or 0.0)
        self.budget.show_value(choices.budget or 0.0)
        self.effect.show_value(choices.design_effect)
        self.budget.setEnabled(choices.costs is not None)
        self.budget.setToolTip(
            self.tr("Budget for all interviews, in the currency of the costs; – for none")
            if choices.costs is not None
            else self.tr("A budget needs the costs of both interviews.")
        )
        self.hint_label.setText("" if name is None else view.study.shown(name))
        self._show_curves(view, name, curves)

    def _show_curves(self, view: PlanView, name: str | None, curves: ErrorCurves | None) -> None:
        if curves is None:
            self.words.setText("")
            self.reading.setText("")
            why = self.tr("A number has no share of a sensitive answer to compare techniques for.")
            self.nothing.setText("" if name is None else why)
            self._stack.setCurrentIndex(1)
            return
        sentence = curves.sentence
        self.words.setText("" if sentence is None else translate(sentence))
        self.words.setVisible(sentence is not None)
        self.reading.setText(_reading(view, name))
        self.legend.show_entries(
            tuple(
                (_look(place), translate(curve.name)) for place, curve in enumerate(curves.curves)
            ),
            lines=True,
        )
        self.plot.show_curves(_drawn(curves))
        self._stack.setCurrentIndex(0)

    def _choose(self, name: str, value: object) -> None:
        self.chosen.emit({name: value}, self._gesture.of(f"plan {name}"))


def _look(place: int) -> str:
    """The design is in focus; what it is compared with stands beside it."""
    return "reconstructed" if place == 0 else series_look(place - 1)


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


def _drawn(curves: ErrorCurves) -> Curves:
    """The curves in points; those far above the design's own leave the picture."""
    at = np.maximum(np.rint(curves.at), 1).astype(np.int64)
    own = 100 * float(curves.curves[0].errors.max())
    lowest = [100 * float(curve.errors.max()) for curve in curves.curves]
    high = min(max(lowest), 2.2 * own)
    step = 10.0 ** math.floor(math.log10(max(high, 1e-6))) / 2
    top = math.ceil(high / step) * step
    note = None
    first, last = int(at[0]), int(at[-1])
    if curves.pays_from is not None and first <= curves.pays_from <= last:
        place = math.ceil(curves.pays_from)
        # The axis tells the unit.
        note = place, tr("pays from %s") % number(place)
    return Curves(
        tuple(
            Curve(_look(place), translate(curve.name), at, 100 * curve.errors)
            for place, curve in enumerate(curves.curves)
        ),
        last, 0.0, top, note, has_cursor=False, first=first, height=tr("error (points)"),
        name=(
            tr("budget in the currency of the costs (log scale)")
            if curves.is_budget
            else tr("respondents (log scale)")
        ),
    )  # fmt: skip
