"""Runs the work of the page: groups, prediction, and the accuracies that take longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Table
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.progress import Progress, part
from ppworkbench.core.publish import (
    AccuracyTally,
    CurveOptions,
    DeniabilityTree,
    Sample,
    cross_validated,
    make_tree,
    measure_accuracy,
    own_prediction,
    publish_with,
)
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.deniable import DenialPlan
from ppworkbench.study.study import Study

QUICK_FOLDS = 5
MANY_PEOPLE = 100_000
"""With more people, leaving each out in turn predicts as well as folds and needs no more trees."""
Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a plan, a trial with the study's seed, and what they predict."""

    plan: DenialPlan
    table: Table
    tree: DeniabilityTree
    changed: int
    before: Shares
    after: Shares
    predicted: float
    is_final: bool = False
    """Whether the prediction comes from people whom the groups were not made of."""


class Publisher(QObject):
    """One set of groups at a time. What was asked for last wins; older answers never arrive."""

    groups_changed = Signal()
    prediction_changed = Signal()
    refused = Signal(str)
    """The groups cannot be made; the sentence says why."""
    curve_changed = Signal()
    """More accuracies are known, or measuring began or ended."""
    curve_finished = Signal()
    stopped = Signal(int, int)

    def __init__(self, workbench: Workbench, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.groups: Groups | None = None
        self.refusal = ""
        self._asked: tuple[object, ...] = ()
        self._prepared: tuple[Table, Table] | None = None
        self._job: Job | None = None
        self._predicting: Job | None = None
        self.tally: AccuracyTally | None = None
        self.measured_plan: DenialPlan | None = None
        self._measuring: Job | None = None

    @property
    def is_busy(self) -> bool:
        """Whether newer groups are on their way."""
        return self._job is not None

    @property
    def is_measuring(self) -> bool:
        """Whether accuracies are being measured."""
        return self._measuring is not None

    def forget(self) -> None:
        """Drop everything: another study is shown."""
        self.drop()
        self._stop_measuring()
        self._prepared = self.tally = self.measured_plan = None

    def drop(self) -> None:
        """There is nothing to publish; what is on its way does not arrive."""
        for job in (self._job, self._predicting):
            if job is not None:
                job.disown()
        self._job = self._predicting = None
        self.groups, self.refusal, self._asked = None, "", ()

    # Groups

    def ask(self, study: Study, plan: DenialPlan) -> None:
        """Make the groups of a plan, unless they are known already."""
        original = study.original
        asked = (id(original), plan, study.settings.seed)
        if original is None or asked == self._asked:
            return
        if self._measuring is not None and not same_groups(self.measured_plan, plan):
            self._stop_measuring()
        self._asked = asked
        if self._predicting is not None:
            self._predicting.disown()
            self._predicting = None
        seed = study.settings.seed

        def work(progress: Progress) -> Groups | str:
            try:
                return self._made(original, plan, seed, progress)
            except WorkbenchError as error:
                # A sentence beside the slider, not a banner for every step of a drag.
                return error.message

        name = self.tr("Groups of %s") % plan.sensitive
        self._job = self._workbench.run(name, work, self._on_made, key="publish", quiet=True)

    def _made(self, original: Table, plan: DenialPlan, seed: int, progress: Progress) -> Groups:
        if self._prepared is None or self._prepared[0] is not original:
            self._prepared = original, apply_missing_policies(original).table
        table = self._prepared[1]
        progress(0.0)
        sample = Sample.of(table, plan.sensitive, plan.features(table), progress)
        tree = make_tree(sample, plan.options, part(progress, 0.0, 0.8))
        trial = publish_with(tree, table, plan.options, SeededStreams(seed))
        progress(0.9)
        after = trial.table[plan.sensitive]
        counts = np.append(after.counts, after.missing_count)[: sample.outcomes]
        shares = sample.counts / sample.rows, counts / sample.rows
        final = table.rows > MANY_PEOPLE
        return Groups(plan, table, tree, trial.changed, *shares, own_prediction(tree), final)

    def _on_made(self, found: Groups | str) -> None:
        self._job = None
        if isinstance(found, str):
            self.groups, self.refusal = None, found
            self.refused.emit(found)
            return
        self.groups, self.refusal = found, ""
        self.groups_changed.emit()
        self._predict(found)

    def _predict(self, groups: Groups) -> None:
        """Predict again from people who were left out of the groups; it takes a little longer."""
        if not 2 * QUICK_FOLDS <= groups.table.rows <= MANY_PEOPLE:
            return

        def work(progress: Progress) -> tuple[Groups, float]:
            plan, table = groups.plan, groups.table
            features = plan.features(table)
            return groups, cross_validated(
                table, plan.sensitive, plan.options,
                features=features, folds=QUICK_FOLDS, progress=progress,
            )  # fmt: skip

        name = self.tr("Predicting the accuracy")
        self._predicting = self._workbench.run(
            name, work, self._on_predicted, key="publish prediction", quiet=True
        )

    def _on_predicted(self, found: tuple[Groups, float]) -> None:
        self._predicting = None
        groups, predicted = found
        if self.groups is groups:
            self.groups = Groups(
                groups.plan, groups.table, groups.tree, groups.changed, groups.before,
                groups.after, predicted, is_final=True,
            )  # fmt: skip
            self.prediction_changed.emit()

    # Accuracies

    def measure(self, study: Study, plan: DenialPlan, options: CurveOptions) -> None:
        """Measure accuracies over minimum deniabilities; results come while it runs."""
        original, seed = study.original, study.settings.seed
        if original is None or self.is_measuring:
            return
        tally = AccuracyTally(options)
        features = plan.features(original)

        def work(progress: Progress) -> AccuracyTally:
            return measure_accuracy(
                original, plan.sensitive, plan.options, tally,
                features=features, seed=seed, progress=progress,
            )  # fmt: skip

        self.tally, self.measured_plan = tally, plan
        name = self.tr("Measuring accuracy of %s") % plan.sensitive
        job = self._workbench.run(name, work, lambda _: self.curve_finished.emit(), key="accuracy")
        job.progressed.connect(lambda *_: self.curve_changed.emit())
        job.ended.connect(lambda: self._on_measured(job))
        self._measuring = job
        self.curve_changed.emit()

    def cancel_measuring(self) -> None:
        """Stop; what was found stays."""
        if self._measuring is not None:
            self._measuring.cancel()

    def _on_measured(self, job: Job) -> None:
        if job is not self._measuring:
            return
        self._measuring = None
        if job.state is JobState.CANCELLED and self.tally is not None:
            self.stopped.emit(self.tally.done, self.tally.wanted)
        self.curve_changed.emit()

    def _stop_measuring(self) -> None:
        if self._measuring is not None:
            self._measuring.disown()
            self._measuring = None
            self.tally = self.measured_plan = None
            self.curve_changed.emit()


def same_groups(one: DenialPlan | None, other: DenialPlan | None) -> bool:
    """Whether two plans differ in the minimum deniability at most."""
    if one is None or other is None:
        return False
    return one == other.with_options(min_deniability=one.options.min_deniability)
