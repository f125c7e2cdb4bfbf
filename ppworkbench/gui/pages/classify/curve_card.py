"""The picture of accuracy against privacy."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from ppworkbench.analyses.classification import ClassifyRun
from ppworkbench.core.arrays import Numbers
from ppworkbench.core.experiment import MEASURES, Summary
from ppworkbench.core.message import Message
from ppworkbench.gui.charts.levels import LevelLine, LevelPlot, LevelPoint, Levels, Reference
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.pages.classify.texts import why_no_results
from ppworkbench.gui.pages.classify.view import ClassifyView, Summaries, looks_of
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card, EmptyState
from ppworkbench.gui.widgets.layout import column, named, text
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape


class CurveCard(Card):
    """The plot, or what to do to get one."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self._themes = themes
        self.badge = text("", "badge")
        self.head.addWidget(self.badge)
        # The hint gives way where there is little room, not the title.
        self.hint_label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.head.setStretch(1, 1)
        self.head.setStretch(2, 0)
        self.plot = named(LevelPlot(themes, self.tr("Accuracy against privacy")), "accuracyPlot")
        self.empty = EmptyState(themes, "classify", " ", " ", " ")
        self.empty.button.setObjectName("classifyEmptyAction")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.plot)
        self.body.addWidget(self._stack, 1)
        themes.theme_changed.connect(self._colour)
        self._colour()

    @property
    def is_empty(self) -> bool:
        """Whether there is no picture."""
        return self._stack.currentWidget() is self.empty

    def set_view(self, view: ClassifyView) -> None:
        """Show curves, or what is missing and what to do."""
        run = view.run
        is_partial = run is not None and not run.is_complete
        self.badge.setText(self.tr("partial result") if is_partial else "")
        self.badge.setVisible(is_partial)
        self.hint_label.setText("" if run is None else self.tr("mean ± sd of finished folds"))
        if run is None:
            self.title_label.setText(self.tr("Accuracy against privacy"))
            self.empty.show_reason(why_no_results(view.study, view.settings))
            self._stack.setCurrentWidget(self.empty)
            return
        self.title_label.setText(
            self.tr("Accuracy against privacy")
            if run.request.sweep.levels
            else self.tr("Accuracy with this design")
        )
        self.plot.show_levels(_levels(run, view))
        self.plot.choose(view.focus.level, view.key)
        self._stack.setCurrentWidget(self.plot)

    def _colour(self) -> None:
        theme = self._themes.theme
        set_rules(
            self.badge,
            f"background: {theme.hex('warningBg')}; color: {theme.hex('warningText')};"
            "font-weight: 600;",
        )


def _levels(run: ClassifyRun, view: ClassifyView) -> Levels:
    """Everything that the plot shows of a run."""
    summaries = view.summaries
    looks, swept = looks_of(run), run.request.sweep.levels
    lines, references = [], []
    for setting in run.request.settings:
        if setting.undistorted:
            found = summaries.get((setting.key, None))
            if found is not None and math.isfinite(found.accuracy.mean):
                references.append(Reference(view.names[setting.key], found.accuracy.mean))
            continue
        points = [
            LevelPoint(0.0 if level is None else level, found.accuracy.mean, found.accuracy.sd)
            for level in run.request.levels
            if (found := summaries.get((setting.key, level))) is not None and found.done
        ]
        look = looks[setting.key]
        lines.append(LevelLine(setting.key, view.names[setting.key], look, tuple(points)))
    if run.request.larger_line and math.isfinite(run.larger_class):
        references.append(Reference(tr("majority class"), run.larger_class, dotted=True))
    return Levels(
        tuple(lines),
        tuple(references),
        swept,
        _unfinished(run, summaries) if view.is_running else None,
        view.is_stale,
    )


def _unfinished(run: ClassifyRun, summaries: Summaries) -> float | None:
    """The first level at which some setting has no result at all yet."""
    for level in run.request.sweep.levels:
        for setting in run.request.settings:
            if not setting.undistorted and (setting.key, level) not in summaries:
                return level
    return None


class ConfusionCard(Card):
    """The heat map with a title that names the setting."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self.heading = text(self.tr("Confusion matrix"), "strong", wrap=True)
        self.hint = text("", "captionHint", wrap=True)
        grid = PictureChart(themes, self.tr("Confusion matrix"), size=(300, 150), least=(200, 100))
        self.grid = named(grid, "confusionMatrix")
        self.reading = text("", "captionHint", wrap=True)
        self.body.addLayout(column(self.heading, self.hint, spacing=2))
        self._filler = QWidget()
        self.body.addWidget(self.grid, 1)
        self.body.addWidget(self._filler, 1)
        self.body.addWidget(self.reading)

    def set_view(self, view: ClassifyView) -> None:
        """Show the matrix of the setting that is looked at, or why there is none."""
        setting, found, why = view.setting, view.summary, ""
        if view.run is None:
            why = self.tr("Appears with the first results.")
        elif setting is None:
            why = self.tr("Always predicting the majority class is correct for all of its records.")
        elif found is None or not found.done:
            why = self.tr("No fold of this setting is finished yet.")
        elif not len(found.confusion):
            why = self.tr("The accuracy is estimated, not counted.")
        for widget in (self.grid, self.reading):
            widget.setVisible(not why)
        self._filler.setVisible(bool(why))
        if why or view.run is None or setting is None or found is None:
            self.heading.setText(self.tr("Confusion matrix"))
            self.hint.setText(why)
            return
        classes = view.run.class_values
        self.heading.setText(self.tr("%s: confusion matrix") % view.names[setting.key])
        tested = number(float(found.confusion.sum()))
        self.hint.setText(self.tr("of %s test records, mean of the finished repeats") % tested)
        self.grid.set_picture(confusion_picture(classes, found.confusion))
        self.reading.setText(self._reading(classes, found))
        self.reading.setToolTip(self._by_class(classes, found))

    def _reading(self, classes: tuple[str, ...], found: Summary) -> str:
        if len(classes) == 2:
            sensitivity, specificity = (found.by_class[m][1] for m in MEASURES[:2])
            parts = (number(sensitivity, 2), number(specificity, 2), classes[1])
            return self.tr("sensitivity %s, specificity %s for “%s”") % parts
        words = self.tr("over all classes: sensitivity %s, specificity %s, precision %s")
        return words % tuple(number(found.macro[m].mean, 2) for m in MEASURES[:3])

    def _by_class(self, classes: tuple[str, ...], found: Summary) -> str:
        lines = []
        for place, name in enumerate(classes[:30]):
            values = [found.by_class[m][place] for m in MEASURES]
            told = ["–" if np.isnan(v) else number(float(v), 2) for v in values]
            words = self.tr("%s: sensitivity %s, specificity %s, precision %s, F1 %s")
            lines.append(words % (name, *told))
        return "\n".join(lines)


_MOST = 8
"""Classes that are shown by themselves; rarer ones are drawn together."""


def confusion_picture(names: tuple[str, ...], counts: Numbers) -> Picture:
    """True classes and what they were taken for; the shade is the share of the row."""
    names, counts = _merged(names, np.asarray(counts, np.float64))
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.full_like(counts, np.nan), where=totals > 0)
    words = []
    for count, share in zip(counts.ravel().tolist(), shares.ravel().tolist(), strict=True):
        told = number(count, 0 if count >= 10 or count.is_integer() else 1)
        words.append(told if math.isnan(share) else f"{told}\n{percent(share)}")
    title = Message(tr("Confusion matrix"))
    cells = Mark(
        Shape.CELLS, Role.ESTIMATE, Message(""), np.arange(1.0 * len(names)), shares,
        words=tuple(words),
    )  # fmt: skip
    predicted, true = (tuple(words % name for name in names) for words in
                       (tr("predicted %s"), tr("true %s")))  # fmt: skip
    nothing = Message("")
    across, down = Axis(nothing, labels=predicted), Axis(nothing, labels=true)
    return Picture("confusion", title, across, down, (cells,))


def _merged(names: tuple[str, ...], counts: Numbers) -> tuple[tuple[str, ...], Numbers]:
    if len(names) <= _MOST:
        return names, counts
    frequent = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[: _MOST - 1])
    place = np.full(len(names), _MOST - 1)
    place[frequent] = np.arange(_MOST - 1)
    merged = np.zeros((_MOST, _MOST))
    np.add.at(merged, (place[:, None], place[None, :]), counts)
    return (*(names[i] for i in frequent), tr("others")), merged
