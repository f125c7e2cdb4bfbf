"""What the cards of the page are given to show, and what they say of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from ppworkbench.core.data.sampling_roles import (
    CLUSTER,
    PERSON,
    POPULATION,
    REPLICATES,
    STRATUM,
    WEIGHT,
    Sampling,
)
from ppworkbench.core.data.table import Table
from ppworkbench.core.publish import largest_share
from ppworkbench.gui.language import tr
from ppworkbench.gui.numbers import number, percent
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    COARSEN,
    DENIABLE,
    DROP,
    KEEP,
    Accuracies,
    Groups,
    ReleasePlan,
    same_groups,
)
from ppworkbench.outputs.role_release import RoleCheck
from ppworkbench.study.study import Study

PlanEdit = Callable[[ReleasePlan], ReleasePlan]
"""What a card wants changed about the release."""


@dataclass(frozen=True, eq=False)
class PublishView:
    """A study, how it would be published, and what is known of that.

    Parameters
    ----------
    groups
        Those of the plan, or still those of an earlier one.
    refusal
        Why there can be no groups, as the core says it; empty if there can.
    attribute
        The one that is compared in a distorted table.
    role_check
        What the columns of the sampling would tell; None while it is looked at, or without them.
    """

    study: Study = field(default_factory=Study)
    plan: ReleasePlan = field(default_factory=ReleasePlan)
    groups: Groups | None = None
    refusal: str = ""
    accuracies: Accuracies | None = None
    is_measuring: bool = False
    attribute: str | None = None
    role_check: RoleCheck | None = None

    @property
    def denial(self) -> DenialPlan | None:
        """The plan of a deniable table; None where the distorted one is published."""
        return self.plan.denial if self.plan.mode == DENIABLE else None

    @property
    def is_stale(self) -> bool:
        found = self.accuracies
        return found is not None and not same_groups(found.plan, self.plan.grouping(self.study))

    @property
    def majority(self) -> float | None:
        groups, denial = self.groups, self.plan.denial
        if groups is None or denial is None or groups.plan.sensitive != denial.sensitive:
            return None
        return float(groups.before.max())


def role_releases() -> list[tuple[str, str]]:
    return [(KEEP, tr("Keep", "a column")), (COARSEN, tr("Coarsen")), (DROP, tr("Omit"))]


def role_hint(role: str, least: int) -> str:
    rows = number(least)
    return {
        WEIGHT: tr("Coarsened: groups of at least %s records with similar weights have their mean.")
        % rows,
        STRATUM: tr("Coarsened: random labels; strata are merged up to at least %s records.")
        % rows,
        CLUSTER: tr("Coarsened: random labels."),
        PERSON: tr("Coarsened: random labels."),
        POPULATION: tr("Coarsened: of merged strata, rounded to 2 digits."),
        REPLICATES: tr("Coarsened: made anew from the released weights, strata and clusters."),
    }[role]


def why_not_coarsened(role: str, sampling: Sampling) -> str:
    if role == REPLICATES and sampling.unit is None and not sampling.stratum:
        return tr("Replicate weights need strata or clusters.")
    return ""


def promise(plan: DenialPlan, table: Table) -> str:
    column = table[plan.sensitive]
    values = list(column.attribute.values)
    outcomes = len(values) + (column.missing_count > 0)
    minimum = plan.options.min_deniability
    if minimum <= 0:
        return tr("No minimum: all answers in a group may be the same and then certain.")
    # Rounded to the cautious side: a promise must not be larger than it is.
    most = math.ceil(100 * largest_share(minimum, outcomes) - 1e-9)
    if outcomes == 2 and most < 100:
        few = 100 - most
        words = tr(
            "In every group at least <b>%s in 100</b> people answered “%s” and %s in 100 "
            "answered “%s”, so no answer is certain."
        )
        return words % (few, _shown(values[1]), few, _shown(values[0]))
    if most >= 100:
        return tr("Every group has more than one answer, some given by very few people.")
    words = tr(
        "In every group at most <b>%s in 100</b> people share one answer, so no answer is certain."
    )
    return words % most


def _shown(value: str) -> str:
    plain = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain if len(plain) <= 24 else f"{plain[:23]}…"


def answers_summary(table: Table, name: str) -> str:
    column = table[name]
    counts = column.counts
    place = 1 if column.attribute.k == 2 else int(counts.argmax())
    share = counts[place] / max(int(counts.sum()), 1)
    words = tr("%s possible answers, %s answered “%s”")
    said = words % (
        number(column.attribute.k),
        percent(float(share)),
        column.attribute.values[place],
    )
    if column.missing_count:
        said += tr("; %s gave no answer, which is deniable as well") % number(column.missing_count)
    return said


def accuracy_words(accuracy: float) -> str:
    words = tr("a classifier trained on the table is correct about %s times in 100")
    return words % number(100 * accuracy)


def changed_words(changed: int, rows: int) -> str:
    if changed == 1:
        return tr("1 of %s answers was changed") % number(rows)
    return tr("%s of %s answers were changed") % (number(changed), number(rows))
