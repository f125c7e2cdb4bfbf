"""What the cards of the page are given to show."""

from __future__ import annotations

from dataclasses import dataclass, field

from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.outputs.publication import (
    DENIABLE,
    Accuracies,
    Groups,
    ReleasePlan,
    same_groups,
)
from ppworkbench.outputs.role_release import RoleCheck
from ppworkbench.study.study import Study


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
        """Whether the accuracies were measured for other groups."""
        found = self.accuracies
        return found is not None and not same_groups(found.plan, self.plan.grouping(self.study))

    @property
    def majority(self) -> float | None:
        """The share of the most frequent answer."""
        groups, denial = self.groups, self.plan.denial
        if groups is None or denial is None or groups.plan.sensitive != denial.sensitive:
            return None
        return float(groups.before.max())
