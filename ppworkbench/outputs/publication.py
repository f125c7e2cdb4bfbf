"""How a study would be published, what groups that makes, and what accuracy they leave."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.data.table import Table
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.publish import (
    AccuracyTally,
    DeniabilityOptions,
    DeniabilityTree,
    Sample,
    cross_validated,
    make_tree,
    measure_accuracy,
    own_prediction,
    publish_with,
)
from ppworkbench.core.publish.accuracy_curve import LEARNERS, PREDICTED
from ppworkbench.core.publish.tree import deniabilities
from ppworkbench.core.rng import SeededStreams
from ppworkbench.outputs.deniable import DenialPlan, naming_columns
from ppworkbench.results.picture import Axis, Mark, Picture, Role, Shape
from ppworkbench.results.sheet import Kind
from ppworkbench.study.fingerprint import answers_digest
from ppworkbench.study.renaming import RELEASE
from ppworkbench.study.study import Study

PAGE = RELEASE
DENIABLE, DISTORTED = "deniable", "distorted"
MINIMUM = 0.4
CUTS = 4
"""Few cuts make groups that people can read, and they predict better than many."""


KEEP, COARSEN, DROP = "keep", "coarsen", "drop"
"""What happens to a column of the sampling."""


def _names(kept: Mapping[str, object], field: str) -> frozenset[str]:
    """Names that were kept under a field; none where something else stands there."""
    given = kept.get(field)
    is_list = isinstance(given, list) and all(isinstance(one, str) for one in given)
    return frozenset(given) if is_list and isinstance(given, list) else frozenset()


@dataclass(frozen=True)
class ReleasePlan:
    """The kind of release, the plan of a deniable one, and what a distorted table leaves out.

    ``coarsened`` are columns of the sampling that are released in groups. ``with_names`` releases
    in a deniable table also columns that look like identifiers, names or free text.
    """

    mode: str = DENIABLE
    denial: DenialPlan | None = None
    left_out: tuple[str, ...] = ()
    coarsened: tuple[str, ...] = ()
    with_names: bool = False

    def to_json(self, curve: dict[str, Any] | None) -> dict[str, Any]:
        kept: dict[str, Any] = {"mode": self.mode}
        if self.denial is not None:
            kept["plan"] = self.denial.to_json()
        if self.left_out:
            kept["left_out"] = list(self.left_out)
        if self.coarsened:
            kept["coarsened"] = list(self.coarsened)
        if self.with_names:
            kept["with_names"] = True
        return kept if curve is None else kept | {"curve": curve}

    @classmethod
    def of(cls, study: Study) -> Self:
        """What is kept with the study as far as it fits, else what to begin with."""
        kept = study.results.get(PAGE)
        kept = kept if isinstance(kept, dict) else {}
        absent = _names(kept, "left_out")
        left_out = tuple(name for name in study.design.names if name in absent)
        if len(left_out) == len(study.design.names):
            left_out = ()
        roles = study.design.roles
        wanted = _names(kept, "coarsened")
        coarsened = tuple(name for name in roles if name in wanted and name not in left_out)
        table = study.original
        if table is None:
            return cls(DISTORTED, None, left_out, coarsened)
        mode = DISTORTED if kept.get("mode") == DISTORTED else DENIABLE
        denial = DenialPlan.from_json(kept.get("plan"))
        if denial is None or denial.sensitive not in sensitive_names(table, roles):
            denial = starting_plan(table, roles=roles)
        mode = mode if denial is not None else DISTORTED
        return cls(mode, denial, left_out, coarsened, kept.get("with_names") is True)

    def with_left_out(self, name: str, *, out: bool) -> Self:
        """The same with an attribute left out of the distorted table, or back in it."""
        others = tuple(one for one in self.left_out if one != name)
        return dataclasses.replace(self, left_out=(*others, name) if out else others)

    def with_role(self, name: str, how: str) -> Self:
        """The same with a column of the sampling kept, coarsened or dropped."""
        changed = self.with_left_out(name, out=how == DROP)
        others = tuple(one for one in self.coarsened if one != name)
        return dataclasses.replace(changed, coarsened=(*others, name) if how == COARSEN else others)

    def with_roles(self, names: Iterable[str], how: str) -> Self:
        """The same with several columns of the sampling kept, coarsened or dropped."""
        changed = self
        for name in names:
            changed = changed.with_role(name, how)
        return changed

    def omitted(self, study: Study) -> tuple[str, ...]:
        """What is not released: of a deniable table, columns of the sampling and names."""
        if self.mode != DENIABLE:
            return self.left_out
        roles = study.design.roles
        names = () if self.with_names else self.naming(study)
        return (*(name for name in self.left_out if name in roles), *names)

    def naming(self, study: Study) -> tuple[str, ...]:
        """The columns of a deniable table that may name people, released only if asked for."""
        if self.denial is None or study.original is None:
            return ()
        return naming_columns(study.original, self.denial.sensitive, study.sampling)

    def grouping(self, study: Study) -> DenialPlan | None:
        if self.denial is None:
            return None
        return self.denial.without((*self.omitted(study), *self.coarsened))

    def role_release(self, name: str) -> str:
        if name in self.left_out:
            return DROP
        return COARSEN if name in self.coarsened else KEEP

    def with_option(self, name: str, value: object) -> Self:
        if self.denial is None:
            return self
        return dataclasses.replace(self, denial=self.denial.with_options(**{name: value}))

    def with_sensitive(self, name: str, table: Table) -> Self:
        """The same for another sensitive attribute, with a minimum that it can reach."""
        before = self.denial
        start = starting_plan(table, name)
        if before is None or start is None or name == before.sensitive:
            return self
        minimum = start.options.min_deniability
        denial = dataclasses.replace(
            start,
            options=dataclasses.replace(before.options, min_deniability=minimum),
            excluded=before.excluded - {name},
        )
        return dataclasses.replace(self, denial=denial)

    def with_split(self, name: str, allowed: bool) -> Self:
        if self.denial is None:
            return self
        before = self.denial.excluded
        return self._with_excluded(before - {name} if allowed else before | {name})

    def with_all_splits(self, table: Table, allowed: bool) -> Self:
        if self.denial is None:
            return self
        others = frozenset(name for name in table.names if name != self.denial.sensitive)
        return self._with_excluded(frozenset() if allowed else others)

    def _with_excluded(self, excluded: frozenset[str]) -> Self:
        assert self.denial is not None  # noqa: S101 (seen by the callers)
        return dataclasses.replace(self, denial=dataclasses.replace(self.denial, excluded=excluded))


def sensitive_names(table: Table, roles: Collection[str] = ()) -> list[str]:
    """The attributes whose answers could be denied: those with at least two values.

    Columns with a sampling role stay as they are.
    """
    offered = (c for c in table if c.name not in roles)
    return [c.name for c in offered if c.is_categorical and c.attribute.k > 1]


def starting_plan(
    table: Table, sensitive: str | None = None, roles: Collection[str] = ()
) -> DenialPlan | None:
    """A plan to begin with; the class is the sensitive attribute unless another one is named."""
    names = sensitive_names(table, roles)
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


QUICK_FOLDS = 5
MANY_PEOPLE = 100_000
"""With more people, leaving each out in turn predicts as well as folds and needs no more trees."""
Shares = NDArray[np.float64]


class PreparedTable:
    """The table of a study with missing answers treated, worked out once per table."""

    def __init__(self) -> None:
        self._known: tuple[Table, Table] | None = None

    def of(self, original: Table) -> Table:
        known = self._known
        if known is None or known[0] is not original:
            self._known = known = original, apply_missing_policies(original).table
        return known[1]


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

    @property
    def can_predict_better(self) -> bool:
        """Whether there are enough people to leave some out, and few enough to wait for it."""
        return 2 * QUICK_FOLDS <= self.table.rows <= MANY_PEOPLE


def make_groups(table: Table, plan: DenialPlan, seed: int, progress: Progress = silent) -> Groups:
    """The groups of a plan for a prepared table; run it in a job."""
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


def predict_better(groups: Groups, progress: Progress = silent) -> Groups:
    """The same groups with a prediction from people who were left out; it takes a little longer."""
    plan, table = groups.plan, groups.table
    predicted = predict_accuracy(
        table, plan.sensitive, plan.options,
        features=plan.features(table), folds=QUICK_FOLDS, progress=progress,
    )  # fmt: skip
    if predicted is None:
        return groups
    return dataclasses.replace(groups, predicted=predicted, is_final=True)


def predict_accuracy(
    table: Table,
    sensitive: str,
    options: DeniabilityOptions,
    *,
    features: tuple[str, ...] | None,
    folds: int,
    progress: Progress = silent,
) -> float | None:
    """How often a classifier is right about people who were left out of the groups.

    ``table`` is a prepared one; None is returned where nobody can be left out.
    """
    if table.rows < 2:
        return None
    return cross_validated(
        table, sensitive, options, features=features, folds=folds, progress=progress
    )


def measure_accuracies(
    study: Study, plan: DenialPlan, tally: AccuracyTally, progress: Progress = silent
) -> AccuracyTally:
    """Measure accuracies over minimum deniabilities; the tally has them while it runs."""
    original = study.original
    assert original is not None  # noqa: S101 (only these have a plan)
    return measure_accuracy(
        original, plan.sensitive, plan.options, tally,
        features=plan.features(original), seed=study.settings.seed, progress=progress,
    )  # fmt: skip


@dataclass(frozen=True)
class Accuracies:
    """Measured accuracies as plain JSON values, and the plan that they were measured for.

    ``answers`` is the :func:`mark_answers` of the table that they were measured on; empty where it
    was not kept.
    """

    found: Mapping[str, Any]
    plan: DenialPlan | None
    is_whole: bool = True
    answers: str = ""

    def to_json(self) -> dict[str, Any]:
        plan = None if self.plan is None else self.plan.to_json()
        return {
            "plan": plan, "accuracies": self.found, "whole": self.is_whole, "answers": self.answers,
        }  # fmt: skip

    @classmethod
    def of_tally(cls, tally: AccuracyTally, plan: DenialPlan, answers: str = "") -> Self:
        return cls(tally.to_json(), plan, tally.done >= tally.wanted, answers)

    @property
    def can_be_repeated(self) -> bool:
        seed = self.found.get("seed")
        is_told = isinstance(seed, int) and bool(self.answers) and self.plan is not None
        return is_told and self.is_whole and self.has_curves

    @property
    def has_curves(self) -> bool:
        return _is_curve(self.found)


LABELS = {
    PREDICTED: Message("predicted"), "forest": Message("random forest"),
    "tree": Message("decision tree"), "neighbours": Message("neighbours"),
}  # fmt: skip
"""What the curves are called."""


def curve_picture(
    curves: Mapping[str, Any], frequent: float | None, chosen: float | None = None
) -> Picture:
    """A line per classifier and one for the prediction, as documents have them.

    ``frequent`` is the share of the most frequent answer, ``chosen`` a minimum to be pointed out.
    """
    marks = []
    for place, name in enumerate((PREDICTED, *LEARNERS)):
        found = curves.get(name, {}).get("minimum")
        if found:
            x, mean, spread = (np.array(curves[name][key]) for key in ("minimum", "mean", "sd"))
            ends = mean - spread, mean + spread
            called = LABELS.get(name) or Message("{title}", title=name)
            marks.append(Mark(Shape.LINE, Role.SERIES, called, x, mean, *ends, series=place))
    nowhere = np.full(1, np.nan)
    if frequent is not None:
        level, called = np.full(1, frequent), Message("most frequent answer")
        marks.append(Mark(Shape.RULE, Role.REFERENCE, called, nowhere, level))
    if chosen is not None:
        called = Message("")
        marks.append(Mark(Shape.RULE, Role.REFERENCE, called, np.full(1, chosen), nowhere))
    title = Message("Accuracy on a table that can be denied")
    x_axis = Axis(Message("minimum deniability"), kind=Kind.SHARE)
    y_axis = Axis(Message("accuracy"), kind=Kind.SHARE)
    note = Message("Bars reach one standard deviation to both sides.")
    return Picture("accuracy", title, x_axis, y_axis, tuple(marks), note, of_truth=True)


def mark_answers(table: Table) -> str:
    """Equal for tables with the same answers, and the same done about missing ones."""
    policies = ",".join(one.missing.value for one in table.attributes)
    return f"{answers_digest(table)} {policies}"


def kept_curve(study: Study) -> dict[str, Any] | None:
    kept = study.results.get(PAGE)
    curve = kept.get("curve") if isinstance(kept, dict) else None
    return curve if isinstance(curve, dict) else None


def kept_accuracies(study: Study) -> Accuracies | None:
    curve = kept_curve(study)
    if curve is None or not _is_curve(curve.get("accuracies")):
        return None
    answers = curve.get("answers")
    return Accuracies(
        curve["accuracies"], DenialPlan.from_json(curve.get("plan")),
        is_whole=curve.get("whole", True) is True,
        answers=answers if isinstance(answers, str) else "",
    )  # fmt: skip


def same_groups(one: DenialPlan | None, other: DenialPlan | None) -> bool:
    if one is None or other is None:
        return False
    return one == other.with_options(min_deniability=one.options.min_deniability)


def _is_curve(told: object) -> bool:
    if not isinstance(told, Mapping) or not isinstance(told.get("curves"), Mapping):
        return False
    for curve in told["curves"].values():
        if not isinstance(curve, Mapping):
            return False
        lists = [curve.get(key) for key in ("minimum", "mean", "sd")]
        if not all(isinstance(one, list) and len(one) == len(lists[0]) for one in lists):  # type: ignore[arg-type]
            return False
        if not all(isinstance(x, int | float) for one in lists for x in one):  # type: ignore[union-attr]
            return False
    return bool(told["curves"].get(PREDICTED, {}).get("minimum"))
