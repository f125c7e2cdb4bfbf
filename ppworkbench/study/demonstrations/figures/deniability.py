"""Deniability of a published table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.data.missing import apply_missing_policies
from ppworkbench.core.errors import DataError
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.publish import (
    DeniabilityOptions,
    DeniabilityTree,
    Sample,
    deniabilities,
    make_tree,
    own_prediction,
    whole_deniability,
)
from ppworkbench.study.demonstrations.figures.calculation import Calculation, calculations
from ppworkbench.study.study import Study


@calculations.register("deniability-of", "Deniability of some shares in percent")
@dataclass(frozen=True)
class DeniabilityOf(Calculation):
    """How uncertain an answer is in a group with these shares."""

    shares: Annotated[tuple[float, ...], Within(0), Info("Shares")]

    def calculate(self, study: Study, progress: Progress = silent) -> float:  # noqa: ARG002
        """The entropy of the shares in percent of the largest possible."""
        counts = 1e6 * np.array(self.shares) / sum(self.shares)
        return 100 * float(deniabilities(counts, len(counts)))


@calculations.register("published-groups", "What publishing a deniable table does")
@dataclass(frozen=True)
class PublishedGroups(Calculation):
    """The groups of a deniable table: how deniable, how many, and what accuracy they predict."""

    quick = False

    sensitive: Annotated[str, Info("Sensitive attribute")]
    what: Annotated[str, OneOf(("whole", "weakest", "groups", "accuracy")), Info("What")] = (
        "accuracy"
    )
    minimum: Annotated[float, Within(0, 1), Info("Minimum deniability")] = 0.1
    cuts: Annotated[int, Within(1, 2_000), Info("Cuts per number")] = 4

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """A percentage, or the number of groups."""
        if study.original is None:
            raise DataError("The demonstration has no original answers.")
        table = apply_missing_policies(study.original).table
        sample = Sample.of(table, self.sensitive, None, progress)
        if self.what == "whole":
            return 100 * whole_deniability(sample)
        options = DeniabilityOptions(min_deniability=self.minimum, cuts=self.cuts)
        tree = make_tree(sample, options, progress)
        if self.what == "groups":
            return float(len(tree.leaves))
        return 100 * (_weakest(tree, sample) if self.what == "weakest" else own_prediction(tree))


def _weakest(tree: DeniabilityTree, sample: Sample) -> float:
    return min(float(deniabilities(leaf.counts, sample.outcomes)) for leaf in tree.leaves)
