"""What accuracy is left: predicted and measured, over the minimum deniability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.progress import Progress
from ppworkbench.core.publish import AccuracyTally, CurveOptions
from ppworkbench.core.publish.accuracy_curve import PREDICTED
from ppworkbench.gui.charts.histogram import HistogramPlot
from ppworkbench.gui.charts.legend import PictureLegend
from ppworkbench.gui.charts.picture_chart import PictureChart
from ppworkbench.gui.charts.shares import MOST_BARS, Histogram
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import with_unit
from ppworkbench.gui.page_task import PageTask
from ppworkbench.gui.pages.publish.texts import PublishView, changed_words
from ppworkbench.gui.theme import ThemeManager
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button
from ppworkbench.gui.widgets.layout import column, named, row, show_words, stack, text
from ppworkbench.gui.widgets.provenance import marked_invented
from ppworkbench.gui.workbench import Workbench
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    LABELS,
    Accuracies,
    ReleasePlan,
    curve_picture,
    kept_accuracies,
    mark_answers,
    measure_accuracies,
    same_groups,
)
from ppworkbench.results.picture import Shares, answers_note
from ppworkbench.results.text import naming
from ppworkbench.study.distorted_cache import Answers
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.outputs.scripts.analysis import Analysis

_MINIMUMS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
_FOLDS = 5


class Measurement(QObject):
    """Accuracies over minimum deniabilities; results come while it runs."""

    ended = Signal()
    """All was measured, or somebody stopped it; what there is may be kept."""
    progressed = Signal()
    """There is another result."""

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._workbench, self._store = workbench, workbench.store
        self._tally: AccuracyTally | None = None
        self._told = 0
        """How many results were announced."""
        self._measured: DenialPlan | None = None
        self._mark = ""
        """The mark of the answers that were measured; empty before all is measured."""
        self._marked: tuple[Table, str] | None = None
        """The table that was looked at last, and its mark: reading all of it takes a while."""
        self.task: PageTask[tuple[Table, str]] = PageTask(workbench, "accuracy", self)
        self.task.finished.connect(self._on_measured)
        self.task.progressed.connect(self._on_progressed)
        self.task.stopped.connect(self._on_stopped)

    @property
    def accuracies(self) -> Accuracies | None:
        """What was measured so far in this session."""
        if self._tally is None or self._measured is None:
            return None
        return Accuracies.of_tally(self._tally, self._measured, self._mark)

    def start(self, options: CurveOptions | None = None) -> None:
        study = self._store.study
        plan, original = ReleasePlan.of(study).grouping(study), study.original
        if plan is None or original is None or self.task.is_running:
            return
        tally = AccuracyTally(options or CurveOptions(minimums=_MINIMUMS, folds=_FOLDS))
        self._tally, self._measured, self._mark, self._told = tally, plan, "", 0

        def work(progress: Progress) -> tuple[Table, str]:
            measure_accuracies(study, plan, tally, progress)
            return original, mark_answers(original)

        self.task.start(tr("Measuring accuracy of %s") % study.shown(plan.sensitive), work)

    def stop_other(self, plan: DenialPlan) -> None:
        """Stop where other groups are measured than those of the plan."""
        if self.task.is_running and not same_groups(self._measured, plan):
            self.forget()

    def forget(self) -> None:
        """Let go of what was measured; what is on its way does not arrive."""
        self._tally = self._measured = None
        self.task.drop()

    def analysis(self) -> tuple[Analysis, Study] | None:
        """The accuracies on the page as a call; a message says where the answers have changed."""
        from ppworkbench.outputs.scripts.results import accuracy_analysis

        study, accuracies = self._store.study, kept_accuracies(self._store.study)
        if accuracies is None or study.original is None:
            return None
        if self._marked is None or self._marked[0] is not study.original:
            self._marked = study.original, mark_answers(study.original)
        if self._marked[1] != accuracies.answers:
            words = tr("The answers have changed since the accuracy was measured.")
            self._workbench.show_toast(words)
            return None
        found = accuracy_analysis(study, accuracies)
        return None if found is None else (found, study)

    def _on_measured(self, marked: tuple[Table, str]) -> None:
        self._marked, self._mark = marked, marked[1]
        self.ended.emit()

    def _on_progressed(self) -> None:
        # A learner reports more often than it has results.
        if self._tally is not None and self._tally.done != self._told:
            self._told = self._tally.done
            self.progressed.emit()

    def _on_stopped(self) -> None:
        self.ended.emit()
        if self._tally is not None:
            words = tr("Stopped. There are no results yet.")
            if self._tally.done:
                words = tr("Stopped after %s of %s; partial results are shown.")
                words %= self._tally.done, self._tally.wanted
            self._workbench.show_toast(words)


class AccuracyCard(Card):
    """The curves, or a button that measures them."""

    edited = Signal(object)
    """A :data:`PlanEdit`."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Predictive accuracy"))
        self.badge = text("", "warningBadge", hidden=True)
        self.again = named(Button(themes, self.tr("Measure", "verb"), look="link"), "measureAgain")
        self.cancel = named(Button(themes, self.tr("Cancel"), look="link"), "cancelMeasure")
        self.head.addWidget(self.badge)
        self.head.addWidget(self.again)
        self.head.addWidget(self.cancel)
        name = self.tr("Accuracy against minimum deniability")
        self.plot = PictureChart(themes, name, size=(560, 280), least=(240, 150))
        self.plot.setObjectName("deniabilityCurve")
        self.plot.is_chosen_from = True
        self._minimums: list[float] = []
        self.plot.place_chosen.connect(self._on_place)
        self.words = text("", "hint", wrap=True, align=Qt.AlignmentFlag.AlignHCenter)
        self.measure = named(Button(themes, self.tr("Measure accuracy"), "play"), "measureAccuracy")
        invitation = QWidget()
        column(
            None, self.words, row(None, self.measure, None), None,
            parent=invitation, spacing=10, margin=12,
        )  # fmt: skip
        self._stack = stack(invitation, self.plot)
        self.body.setSpacing(4)
        self.body.addWidget(self.plot.legend)
        self.body.addWidget(self._stack, 1)

    def _on_place(self, at: int) -> None:
        level = self._minimums[at]
        self.edited.emit(lambda plan: plan.with_option("min_deniability", level))

    def set_view(self, view: PublishView) -> None:
        """Show the accuracies found so far, or kept with the study, or an invitation."""
        denial, found = view.denial, view.accuracies
        if denial is None:
            return
        running = view.is_measuring
        if found is None or not found.has_curves:
            words = self.tr(
                "Makes tables with minimum deniabilities from 1 to 60\u202f%, trains "
                "classifiers on them and tests these on original answers."
            )
            if running:
                words = self.tr("Measuring…")
            self._invite(words, translate(view.refusal), running=running)
            return
        badge = "" if found.is_whole and not running else self.tr("partial result")
        if view.is_stale:
            badge = self.tr("other settings")
        curves = found.found["curves"]
        self._minimums = sorted({one for curve in curves.values() for one in curve["minimum"]})
        minimum = denial.options.min_deniability
        is_near = self._minimums[0] <= minimum <= self._minimums[-1]
        self._stack.setCurrentWidget(self.plot)
        self.plot.set_picture(curve_picture(curves, view.majority, minimum if is_near else None))
        self.plot.set_stale(view.is_stale)
        self.plot.choose(None, LABELS[PREDICTED])
        self.plot.legend.show()
        show_words(self.badge, badge)
        self.hint_label.setText("")
        self.again.setVisible(view.is_stale and not running)
        self.cancel.setVisible(running)

    def _invite(self, words: str, reason: str, *, running: bool) -> None:
        """Offer to measure; with a reason where it is not possible."""
        self._stack.setCurrentIndex(0)
        self.plot.legend.hide()
        self.words.setText(words)
        self.badge.hide()
        self.again.hide()
        self.cancel.setVisible(running)
        self.measure.setVisible(not running)
        self.measure.setEnabled(not reason)
        self.measure.setToolTip(reason)


class BeforeAfterCard(Card):
    """A histogram over the sentence that says how many answers differ."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__(" ", " ")
        self.title_label.setText(self.tr("Comparison"))
        self.legend = PictureLegend(themes)
        self.plot = named(HistogramPlot(themes, self.tr("Answers before and after")), "beforeAfter")
        self.words = text("", "caption", wrap=True)
        self.nothing = text("", "hint", wrap=True, align=Qt.AlignmentFlag.AlignCenter)
        self._stack = stack(self.plot, self.nothing)
        self.body.setSpacing(4)
        self.add(self.legend)
        self.body.addWidget(self._stack, 1)
        self.add(self.words)

    def show_histogram(self, histogram: Histogram, hint: str, words: str) -> None:
        names = histogram.names
        entries = tuple((s.role, names.get(s.role, s.role)) for s in histogram.series)
        self.legend.show_entries(entries, lines=histogram.is_numeric)
        self.legend.show()
        self.hint_label.setText(hint)
        self.plot.show_histogram(histogram)
        self.words.setText(words)
        self._stack.setCurrentWidget(self.plot)

    def show_nothing(self, words: str) -> None:
        self.legend.hide()
        self.hint_label.setText("")
        self.words.setText("")
        self.nothing.setText(words)
        self._stack.setCurrentWidget(self.nothing)


class TrialCard(BeforeAfterCard):
    """The answers to the sensitive question, and a trial of what would be published."""

    def set_view(self, view: PublishView) -> None:
        """Show a trial, or that there can be none; nothing changes while it is on its way."""
        groups = view.groups
        if view.refusal:
            self.show_nothing(self.tr("Cannot be released."))
        elif groups is not None:
            names = {
                "original": marked_invented(self.tr("original")),
                "distorted": marked_invented(self.tr("released", "answers")),
            }
            series = (Shares("original", groups.before), Shares("distorted", groups.after))
            n = answers_note(groups.table.rows)
            bars = Histogram(series, groups.tree.outcomes, names=names, note=n)
            self.show_histogram(bars, "", changed_words(groups.changed, groups.table.rows))
            self.setToolTip(self.tr("Preview with the study's seed; the release is drawn again."))


class ComparisonCard(BeforeAfterCard):
    """The answers to a question before and after they are distorted."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench.themes)
        self._workbench = workbench
        self._task: PageTask[tuple[str, Histogram]] = PageTask(
            workbench, "publish compare", self, quiet=True
        )
        self._task.finished.connect(self._on_compared)

    def drop(self) -> None:
        """Nobody looks at it; what is on its way does not arrive."""
        self._task.drop()

    def compare(self, name: str | None) -> None:
        """Show the answers to a question; without one say that there is none."""
        study, source = self._workbench.store.study, self._workbench.answers
        if name is None or study.table is None:
            self.drop()
            self.show_nothing(tr("There are no answers to compare."))
            return
        names = {
            "original": marked_invented(tr("original")),
            "distorted": (
                # Without the true answers these are what people reported.
                tr("reported") if study.original is None else marked_invented(tr("distorted"))
            ),
        }

        def work(progress: Progress) -> tuple[str, Histogram]:
            answers = source.of(study, progress)
            if name not in answers.distorted:
                return name, Histogram()
            return name, before_and_after(answers, name, names)

        self._task.start(tr("Distorting"), work)

    def _on_compared(self, found: tuple[str, Histogram]) -> None:
        name, histogram = found
        if not histogram.series:
            self.show_nothing(tr("There are no answers to compare."))
            return
        study = self._workbench.store.study
        words = tr("Preview with the study's seed; the release is drawn again.")
        if study.original is None:
            words = tr("The true answers are not known; Explore estimates their shares.")
        self.show_histogram(histogram, with_unit(study.shown(name), study.unit(name)), words)


_CELLS = 30


def before_and_after(answers: Answers, name: str, names: dict[str, str]) -> Histogram:
    """The true answers beside the distorted ones; only these where nobody knows the truth.

    Of reports that are sets, every value has the share of sets that name it.
    """
    distorted = answers.distorted[name]
    if distorted.is_set:
        names = names | {"distorted": tr("named in sets")}
    original, about = None, naming((distorted.attribute,))(name)
    note = answers_note(len(distorted))
    if answers.original is not None and name in answers.original:
        original = answers.original[name]
    columns = {"original": original, "distorted": distorted}
    present = {role: column for role, column in columns.items() if column is not None}
    if all(_has_few_values(column) for column in present.values()):
        same = {column.attribute.values for column in present.values()}
        shown = present if len(same) == 1 else {"distorted": distorted}
        series = tuple(Shares(role, _value_shares(column)) for role, column in shown.items())
        values = distorted.attribute.values
        return Histogram(series, values, names=names, about=about, note=note)
    numeric = {r: c for r, c in present.items() if c.attribute.kind.is_numeric}
    known = [column.data[~column.missing] for column in numeric.values()]
    known = [numbers for numbers in known if len(numbers)]
    if not known:
        return Histogram()
    low, high = min(x.min() for x in known), max(x.max() for x in known)
    edges = np.linspace(low, high if high > low else low + 1, _CELLS + 1)
    series = tuple(Shares(r, _number_shares(c, edges), edges) for r, c in numeric.items())
    domain = float(edges[0]), float(edges[-1])
    return Histogram(series, domain=domain, names=names, about=about, note=note)


def _has_few_values(column: Column) -> bool:
    return not column.attribute.kind.is_numeric and column.attribute.k <= MOST_BARS * 3


def _value_shares(column: Column) -> np.ndarray:
    return column.counts / max(int(np.count_nonzero(~column.missing)), 1)


def _number_shares(column: Column, edges: np.ndarray) -> np.ndarray:
    numbers = column.data[~column.missing]
    return np.histogram(numbers, edges)[0] / max(len(numbers), 1)
