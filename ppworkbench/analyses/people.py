"""A hundred people, their true answers and one random draw of what they report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.privacy.belief import meant_places
from ppworkbench.core.privacy.report import AttributeReport
from ppworkbench.core.rng import SeededStreams

PEOPLE = 100


def whole_people(shares: Numbers, count: int = PEOPLE) -> tuple[int, ...]:
    """So many people by their shares, by the largest remainders.

    >>> whole_people(np.array([0.335, 0.335, 0.33]), 10)
    (4, 3, 3)
    """
    exact = shares / shares.sum() * count
    whole = np.floor(exact + 1e-9).astype(int)
    # A stable order gives the first of equal remainders the person that is left.
    order = np.argsort(-(exact - whole), kind="stable")
    whole[order[: count - int(whole.sum())]] += 1
    return tuple(whole.tolist())


@dataclass(frozen=True)
class PeopleDraw:
    """One draw; every person has the same place in ``true`` and ``reported``.

    ``belief`` is the average over all draws: how likely the true answer is a sensitive one after
    a sensitive report, and ``other`` after any other report.
    """

    answers: tuple[str, ...]
    sensitive: tuple[int, ...]
    marked: bool
    true: tuple[int, ...]
    reported: tuple[int, ...]
    before: float
    belief: float
    other: float

    @cached_property
    def truly(self) -> tuple[bool, ...]:
        """Whose true answer is sensitive."""
        return tuple(answer in self.sensitive for answer in self.true)

    @cached_property
    def reports(self) -> tuple[bool, ...]:
        """Who reports a sensitive answer."""
        return tuple(answer in self.sensitive for answer in self.reported)

    @property
    def hits(self) -> int:
        """For how many who report a sensitive answer it is true."""
        return sum(one and two for one, two in zip(self.truly, self.reports, strict=True))


def has_people(report: AttributeReport) -> bool:
    """Whether the question has answers that people can be counted by."""
    attribute = report.attribute
    is_single = not report.perturbation.reports_sets
    return attribute.kind.is_categorical and attribute.k >= 2 and is_single


def draw_people(report: AttributeReport, seed: int, number: int) -> PeopleDraw:
    """The draw of that number; the same number gives the same luck to every design.

    Each person keeps one random number, so that a design that changes a little changes few reports.
    """
    attribute, shares = report.attribute, report.prior.probabilities
    matrix = np.eye(attribute.k) if report.answering is None else report.answering
    true = np.repeat(np.arange(attribute.k), whole_people(shares))
    luck = SeededStreams(seed).generator("people", attribute.name, str(number)).random(len(true))
    cumulated = np.cumsum(matrix, axis=0)[:, true]
    reported = np.minimum((luck[None, :] >= cumulated).sum(axis=0), attribute.k - 1)
    places = meant_places(attribute, shares)
    joint = matrix * shares
    inside, outside = joint[places].sum(axis=0), np.delete(joint, places, axis=0).sum(axis=0)
    return PeopleDraw(
        attribute.values,
        tuple(places),
        bool(attribute.sensitive),
        tuple(true.tolist()),
        tuple(reported.tolist()),
        float(shares[places].sum()),
        _share(inside, places),
        _share(outside, places),
    )


def _share(reports: Numbers, places: list[int]) -> float:
    total = float(reports.sum())
    return float(reports[places].sum()) / total if total > 0 else 0.0
