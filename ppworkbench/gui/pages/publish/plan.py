"""What the page publishes: kept with the study, or chosen when it is seen first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ppworkbench.core.data.table import Table
from ppworkbench.core.publish import DeniabilityOptions
from ppworkbench.core.publish.uncertainty import deniabilities
from ppworkbench.study.deniable import DenialPlan
from ppworkbench.study.renaming import RELEASE
from ppworkbench.study.study import Study

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
