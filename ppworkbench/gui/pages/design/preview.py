"""The preview: what the survey will show, and where the expected answers come from."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QStackedWidget

from ppworkbench.core.privacy.prior import Prior, sliced_edges
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.gui.pages.design.drawn_bars import DrawnBars, Numbers
from ppworkbench.gui.pages.design.expected import expected_histogram
from ppworkbench.gui.pages.design.interval_words import interval_words
from ppworkbench.gui.plots.histogram import HistogramPlot
from ppworkbench.gui.plots.legend import Legend
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.elided_label import ElidedLabel
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.study import PriorChoice

_SLICES = 12
"""Equal parts of a numeric domain that can be drawn."""


class Preview(Card):
    """A histogram of the three roles, or bars to draw on."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.tr("What the survey will show"))
        self.workbench = workbench
        self.store = workbench.store
        themes = workbench.themes
        self.source = Segmented(
            themes, self.tr("Where expected answers come from"),
            [("data", self.tr("Data")), ("drawn", self.tr("Draw")),
             ("uniform", self.tr("Uniform"))],
        )  # fmt: skip
        self.source.setObjectName("priorSource")
        self.source.chosen.connect(self._on_source)
        self.head.addWidget(self.source)
        self.legend = Legend(themes)
        self.plot = HistogramPlot(themes, self.tr("What the survey will show"))
        self.plot.setObjectName("preview")
        self._themes = themes
        themes.theme_changed.connect(self._restyle)
        self._restyle()
        self.bars = DrawnBars(themes)
        self.bars.drawn.connect(self._on_drawn)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.plot)
        self.stack.addWidget(self.bars)
        self.edit = Segmented(
            themes, self.tr("Draw or look"),
            [("draw", self.tr("Draw")), ("look", self.tr("Look"))],
        )  # fmt: skip
        self.edit.setObjectName("drawOrLook")
        self.edit.chosen.connect(lambda _: self._choose_view())
        self.absent = ElidedLabel("warning", "")
        self.absent.hide()
        self.body.addWidget(self.legend)
        self.body.addWidget(self.absent)
        self.body.addWidget(self.stack, 1)
        self.head.insertWidget(self.head.count() - 1, self.edit)

    def _restyle(self) -> None:
        self.plot.setMinimumHeight(self._themes.theme.px(120))

    def show_report(self, report: AttributeReport) -> None:
        """Show the expectation of the current attribute."""
        name = report.name
        study = self.store.study
        choice = study.choice(name)
        self.source.set_current(choice.source)
        no_data = {"data": self.tr("There are no answers to take the distribution from.")}
        self.source.set_disabled({} if study.data_prior(name) is not None else no_data)
        self.edit.setVisible(choice.source == "drawn")
        numeric = report.attribute.kind.is_numeric
        first = self.tr("original") if choice.source == "data" else self.tr("expected original")
        names = {
            "original": first,
            "distorted": self.tr("distorted"),
            "reconstructed": self.tr("reconstructed ± 95 %"),
        }
        expected = expected_histogram(report, study.attribute(name).name, names)
        drawn = {one.role for one in expected.series}
        entries = tuple((role, words) for role, words in names.items() if role in drawn)
        self.legend.show_entries(entries, lines=numeric)
        self.plot.show_histogram(expected)
        why = "" if "reconstructed" in drawn else self._why_absent(report)
        if why != self.absent.words():
            self.absent.setText(why)
        labels, weights = self._drawing(report)
        self.bars.show_shares(weights, labels)
        self._choose_view()

    def _why_absent(self, report: AttributeReport) -> str:
        if report.matrix is None:
            return self.tr("Nothing can be reconstructed: the published numbers tell too little.")
        return self.tr("Nothing can be reconstructed: the matrix is singular.")

    def _drawing(self, report: AttributeReport) -> tuple[tuple[str, ...], Numbers]:
        attribute = report.attribute
        choice = self.store.study.choice(report.name)
        if attribute.kind.is_categorical:
            labels = attribute.values
        else:
            edges = sliced_edges(attribute, len(choice.weights) or _SLICES)
            shown = Prior.from_weights(attribute, np.ones(len(edges) - 1), edges)
            labels = tuple(interval_words(shown.label(i)) for i in range(len(edges) - 1))
        weights = np.array(choice.weights, np.float64)
        if len(weights) != len(labels) or weights.sum() <= 0:
            weights = np.ones(len(labels))
        return labels, weights / weights.sum()

    def _choose_view(self) -> None:
        drawing = self.source.current == "drawn" and self.edit.current == "draw"
        self.stack.setCurrentWidget(self.bars if drawing else self.plot)
        self.legend.setVisible(not drawing)
        self.absent.setVisible(not drawing and bool(self.absent.words()))

    def _on_source(self, source: str) -> None:
        name = self.store.current
        if name is None:
            return
        study = self.store.study
        weights = study.choices.get(name, PriorChoice()).weights
        if source == "drawn" and not weights:
            weights = self._start(name)
        self.store.set_choice(name, PriorChoice(source, weights))

    def _start(self, name: str) -> tuple[float, ...]:
        """Begin drawing from what is expected now."""
        study = self.store.study
        prior = study.prior(name)
        if prior.edges is None:
            return tuple(prior.probabilities.tolist())
        edges = sliced_edges(study.design[name].attribute, _SLICES)
        cumulated = np.concatenate([[0.0], np.cumsum(prior.probabilities)])
        return tuple(np.diff(np.interp(edges, prior.edges, cumulated)).tolist())

    def _on_drawn(self, shares: Numbers, gesture: str) -> None:
        name = self.store.current
        if name is not None:
            weights = tuple(float(share) for share in shares)
            self.store.set_choice(name, PriorChoice("drawn", weights), gesture or None)
