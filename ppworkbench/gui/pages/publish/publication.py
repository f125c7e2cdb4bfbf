"""Planning and carrying out a publication, in the background."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

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
    DeniabilityOptions,
    DeniabilityTree,
    Sample,
    cross_validated,
    largest_share,
    make_tree,
    measure_accuracy,
    own_prediction,
    publish_with,
)
from ppworkbench.core.publish.uncertainty import deniabilities
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.jobs import Job, JobState
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent
from ppworkbench.gui.store import Store
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.deniable import DenialPlan
from ppworkbench.study.renaming import RELEASE
from ppworkbench.study.study import Study

if TYPE_CHECKING:
    from ppworkbench.gui.pages.publish.settings_card import SettingsCard


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


PAGE = RELEASE
DENIABLE, DISTORTED = "deniable", "distorted"
MINIMUM = 0.4
CUTS = 4
"""Few cuts make groups that people can read, and they predict better than many."""


@dataclass(frozen=True)
class PagePlan:
    """The kind of release, the plan of a deniable one, and the accuracies once measured."""

    mode: str = DENIABLE
    denial: DenialPlan | None = None

    def to_json(self, curve: dict[str, Any] | None) -> dict[str, Any]:
        """The plan as it is kept with the study."""
        kept: dict[str, Any] = {"mode": self.mode}
        if self.denial is not None:
            kept["plan"] = self.denial.to_json()
        return kept if curve is None else kept | {"curve": curve}

    @classmethod
    def of(cls, study: Study) -> Self:
        """What is kept with the study as far as it fits, else what to begin with."""
        kept = study.results.get(PAGE)
        kept = kept if isinstance(kept, dict) else {}
        if study.original is None:
            return cls(DISTORTED)
        mode = DISTORTED if kept.get("mode") == DISTORTED else DENIABLE
        denial = DenialPlan.from_json(kept.get("plan"))
        if denial is None or denial.sensitive not in sensitive_names(study.original):
            denial = starting_plan(study.original)
        return cls(mode if denial is not None else DISTORTED, denial)


def sensitive_names(table: Table) -> list[str]:
    """The attributes whose answers could be denied: those with at least two values."""
    return [c.name for c in table if c.is_categorical and c.attribute.k > 1]


def starting_plan(table: Table, sensitive: str | None = None) -> DenialPlan | None:
    """A plan to begin with; the class is the sensitive attribute unless another one is named."""
    names = sensitive_names(table)
    if not names:
        return None
    name = sensitive or (table.class_name if table.class_name in names else names[-1])
    assert name is not None  # noqa: S101 (one of the names)
    most = reach(table, name)
    # Half of what there is leaves room for groups; where there is nothing, a sentence says so.
    minimum = MINIMUM if most == 0 or most > 1.2 * MINIMUM else round(most / 2, 2)
    return DenialPlan(name, DeniabilityOptions(min_deniability=minimum, cuts=CUTS))


def reach(table: Table, name: str) -> float:
    """The deniability of the whole table: no group can be promised more."""
    column = table[name]
    counts = column.counts.tolist()
    if column.missing_count:
        counts.append(column.missing_count)
    return float(deniabilities(np.array(counts), len(counts)))


class Planning(QObject):
    """Holds the plan that is shown, and keeps every change of it with the study."""

    changed = Signal()

    def __init__(self, store: Store, publisher: Publisher, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self._publisher = publisher
        self.plan = PagePlan()

    def follow(self, card: SettingsCard) -> None:
        """Change the plan as somebody says in the settings."""
        card.mode_chosen.connect(lambda mode: self._set(dataclasses.replace(self.plan, mode=mode)))
        card.sensitive_chosen.connect(self._on_sensitive)
        card.option_chosen.connect(self.set_option)
        card.splits.ticked.connect(self._on_tick)
        card.splits.all_ticked.connect(self._on_tick_all)

    def read(self) -> None:
        """Take the plan from the study."""
        self.plan = PagePlan.of(self._store.study)

    def keep(self) -> None:
        """Keep plan and accuracies with the study."""
        kept = self._store.study.results.get(PAGE)
        curve = kept.get("curve") if isinstance(kept, dict) else None
        publisher = self._publisher
        if publisher.tally is not None and publisher.measured_plan is not None:
            curve = {
                "plan": publisher.measured_plan.to_json(),
                "accuracies": publisher.tally.to_json(),
            }
        self._store.set_results(PAGE, self.plan.to_json(curve))

    def _set(self, plan: PagePlan) -> None:
        """Publish in another way from now on."""
        if plan != self.plan:
            self.plan = plan
            self.keep()
            self.changed.emit()

    def set_option(self, name: str, value: object) -> None:
        """Change an option of deniable tables."""
        before = self.plan.denial
        if before is not None:
            changed = before.with_options(**{name: value})
            self._set(dataclasses.replace(self.plan, denial=changed))

    def _on_sensitive(self, name: str) -> None:
        table, before = self._store.study.original, self.plan.denial
        if table is None or before is None or name == before.sensitive:
            return
        plan = starting_plan(table, name)
        if plan is not None:
            minimum = plan.options.min_deniability
            options = dataclasses.replace(before.options, min_deniability=minimum)
            excluded = before.excluded - {name}
            denial = dataclasses.replace(plan, options=options, excluded=excluded)
            self._set(dataclasses.replace(self.plan, denial=denial))

    def _on_tick(self, name: str, on: bool) -> None:
        before = self.plan.denial
        if before is not None:
            excluded = before.excluded - {name} if on else before.excluded | {name}
            self._exclude(excluded)

    def _on_tick_all(self, on: bool) -> None:
        table, before = self._store.study.original, self.plan.denial
        if table is not None and before is not None:
            everything = frozenset(n for n in table.names if n != before.sensitive)
            self._exclude(frozenset() if on else everything)

    def _exclude(self, excluded: frozenset[str]) -> None:
        before = self.plan.denial
        if before is not None:
            denial = dataclasses.replace(before, excluded=excluded)
            self._set(dataclasses.replace(self.plan, denial=denial))


def promise(plan: DenialPlan, table: Table) -> str:
    """What the minimum means for the people of a group."""
    column = table[plan.sensitive]
    values = list(column.attribute.values)
    outcomes = len(values) + (column.missing_count > 0)
    minimum = plan.options.min_deniability
    if minimum <= 0:
        return tr(
            "Nothing is promised: everybody in a group may have given the same answer, and then "
            "it is certain."
        )
    # Rounded to the cautious side: a promise must not be larger than it is.
    most = math.ceil(100 * largest_share(minimum, outcomes) - 1e-9)
    if outcomes == 2 and most < 100:
        few = 100 - most
        words = tr(
            "In every group of the table, at least <b>%s in 100</b> people said %s and %s in 100 "
            "said %s, so nobody's answer is certain."
        )
        return words % (few, _shown(values[1]), few, _shown(values[0]))
    if most >= 100:
        return tr(
            "In every group of the table more than one answer was given, if only by very few "
            "people."
        )
    words = tr(
        "In every group of the table, no answer was given by more than <b>%s in 100</b> people, so "
        "nobody's answer is certain."
    )
    return words % most


def _shown(value: str) -> str:
    plain = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain if len(plain) <= 24 else f"{plain[:23]}…"


def answers_summary(table: Table, name: str) -> str:
    """How many answers are possible, and which one most people gave."""
    column = table[name]
    counts = column.counts
    place = 1 if column.attribute.k == 2 else int(counts.argmax())
    share = counts[place] / max(int(counts.sum()), 1)
    words = tr("%s possible answers, %s said “%s”")
    said = words % (
        number(column.attribute.k),
        percent(float(share)),
        column.attribute.values[place],
    )
    if column.missing_count:
        said += tr("; %s skipped it, which can be denied as well") % number(column.missing_count)
    return said


def accuracy_words(accuracy: float) -> str:
    """What a predicted accuracy says."""
    words = tr("a classifier trained on the table is right about %s times in 100")
    return words % number(100 * accuracy)


def changed_words(changed: int, rows: int) -> str:
    """How much of the column differs from the truth in a trial."""
    if changed == 1:
        return tr("1 of %s answers differs from the truth") % number(rows)
    return tr("%s of %s answers differ from the truth") % (number(changed), number(rows))
