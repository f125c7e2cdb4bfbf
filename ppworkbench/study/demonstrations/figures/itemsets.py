"""Supports of itemsets, and errors of miners."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ppworkbench.core.errors import DataError
from ppworkbench.core.itemsets import SetList, item_data, supports
from ppworkbench.core.message import Message
from ppworkbench.core.mining import Apriori, length_errors, mine, miners
from ppworkbench.core.params import Annotated, Info, OneOf, Within
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.study.demonstrations.figures.calculation import Calculation, calculations
from ppworkbench.study.reported import distorted_answers
from ppworkbench.study.study import Study


@calculations.register("support", "Support of a set of items")
@dataclass(frozen=True)
class Support(Calculation):
    """The share of the baskets that hold all items, in percent: true, as seen, or estimated."""

    items: Annotated[tuple[str, ...], Info("Items")]
    of: Annotated[str, OneOf(("original", "distorted", "reconstructed")), Info("Of which")] = (
        "reconstructed"
    )

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The support in percent, by the product form where it is estimated."""
        answers = distorted_answers(study, part(progress, 0.0, 0.5))
        if self.of == "original":
            data = item_data(answers.original or answers.distorted)
        elif self.of == "distorted":
            data = item_data(answers.distorted)
        else:
            data = item_data(answers.distorted, study.design)
        known = {item.name: place for place, item in enumerate(data.items)}
        for name in self.items:
            if name not in known:
                raise DataError(
                    Message(
                        "There is no item {name!r} among {known}…",
                        name=name,
                        known=", ".join(list(known)[:8]),
                    )
                )
        sets = SetList.of(data.items, [tuple(known[name] for name in self.items)])
        return 100 * float(supports(data, sets, part(progress, 0.5, 1.0)).raw[0])


@calculations.register("mining", "Errors of a mining method at one size")
@dataclass(frozen=True)
class Mining(Calculation):
    """How a miner compares with the truth, for sets of some number of items."""

    quick = False

    method: Annotated[str, Info("Method")]
    size: Annotated[int, Within(1, 20), Info("Items in a set")]
    min_support: Annotated[float, Within(0, 1, open_low=True), Info("Minimum support")]
    what: Annotated[
        str,
        OneOf(("support_error", "false_negative", "false_positive", "f1", "true", "found")),
        Info("What"),
    ] = "support_error"

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The error measure."""
        answers = distorted_answers(study, part(progress, 0.0, 0.1))
        if answers.original is None:
            raise DataError("The demonstration has no original answers.")
        found = mine(
            item_data(answers.distorted, study.design),
            miners[self.method](min_support=self.min_support, max_length=self.size),
            progress=part(progress, 0.1, 0.6),
        )
        truth = mine(
            item_data(answers.original, study.design, original=True),
            Apriori(min_support=self.min_support, max_length=self.size),
            progress=part(progress, 0.6, 1.0),
        )
        errors = length_errors(found.itemsets, truth.itemsets)
        at = np.flatnonzero(errors.lengths == self.size)
        return float(getattr(errors, self.what)[at[0]]) if len(at) else float("nan")
