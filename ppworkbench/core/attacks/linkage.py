"""Linkage by rare combinations: who is the only one with these answers, and can be found again?

The attacker has a register of names with the true answers to some questions (quasi-identifiers) and
the published table without names. To every published record the attacker links the person of the
register whose true answers explain it best, the largest ``Π_j P_j[z_j, x_j]``; among several that
do so equally, one by lot. Without distortion the share of right links is the number of different
combinations over the number of records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers, Places
from ppworkbench.core.attacks.attack import (
    Attack,
    AttackedAnswers,
    Counted,
    Finding,
    PublishedData,
    attacks,
    linkable,
    seen_attribute,
)
from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import CELLS, MODEST
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.rng import SeededStreams

LINKS = 1000
"""Published records that are linked, drawn by lot where there are more."""

_MOST_PAIRS = 20_000_000
_FEWEST_LINKS = 100
_PAIRS_AT_ONCE = 400_000
_NEVER = -1e6


@dataclass(frozen=True)
class LinkageStep:
    """What an attacker who knows so many of the attributes reaches.

    Parameters
    ----------
    unique_original, unique_distorted
        Records whose combination nobody else has, in either table.
    linked
        Right links among those that were tried on the distorted table.
    undistorted
        The expected share of right links if the table were published as it is.
    """

    names: tuple[str, ...]
    unique_original: int
    unique_distorted: int
    linked: Counted
    undistorted: float


@dataclass(frozen=True)
class Linkage(Finding):
    """The attack with one more attribute from step to step."""

    steps: tuple[LinkageStep, ...]
    records: int
    measure: ClassVar[str] = "share of correct links"
    along: ClassVar[Message | None] = Message("number of known attributes")
    shares: ClassVar[tuple[str, ...]] = ("linked", "low", "high", "undistorted")

    @property
    def blind(self) -> float:
        """The share of right links when they are drawn by lot."""
        return 1 / self.records

    @property
    def sentence(self) -> Message:
        last = self.steps[-1]
        return Message(
            "Who knows {count} attributes links {linked:.1f} % of the records correctly, by "
            "lot {blind:.2f} %, without randomisation {undistorted:.1f} %.",
            count=len(last.names),
            linked=100 * last.linked.share,
            blind=100 * self.blind,
            undistorted=100 * last.undistorted,
        )

    def rows(self) -> list[Mapping[str, object]]:
        return [
            {"known": _named(one.names), "unique": one.unique_original,
             "unique_reported": one.unique_distorted, "linked": one.linked.share,
             "low": one.linked.interval[0], "high": one.linked.interval[1],
             "n": one.linked.n, "undistorted": one.undistorted}
            for one in self.steps
        ]  # fmt: skip

    def points(self) -> list[tuple[str, float, tuple[float, float]]]:
        return [
            (Message("+ {attribute}", attribute=one.names[-1]), one.linked.share,
             one.linked.interval)
            for one in self.steps
        ]  # fmt: skip

    def readings(self) -> list[Message]:
        who = Message(
            "The attacker knows the design, and the true answers to these attributes by name; of "
            "several best matches one is drawn by lot."
        )
        return [who]

    def beside(self) -> list[tuple[Message, list[float]]]:
        n = self.records
        return [
            (Message("linked without randomisation"), [one.undistorted for one in self.steps]),
            (Message("unique true answers"), [one.unique_original / n for one in self.steps]),
            (Message("unique reports"), [one.unique_distorted / n for one in self.steps]),
        ]


def _named(names: Sequence[str]) -> Message:
    return Message.joined([Message("{attribute}", attribute=name) for name in names], ", ")


def link_records(
    original: Table,
    distorted: Table,
    design: Design,
    names: Sequence[str],
    seed: int = 0,
    progress: Progress = silent,
) -> Linkage:
    """Link distorted records to true ones by the first, the first two, … of the attributes.

    Attributes of one group are taken as if each had its own coin. Records that lack one of the
    answers are left out. Numbers are compared whole, or in 64 slices where they have fractions.
    """
    if not names:
        raise ParameterError("Choose at least 1 attribute for linkage.", field="names")
    progress(0.0, "binning answers")
    seen = [_seen(original, distorted, design, name) for name in names]
    whole = np.logical_and.reduce([one.both for one in seen])
    n = int(whole.sum())
    if n < 2:
        raise DataError("Fewer than 2 records have all of these answers; choose fewer attributes.")
    true = np.column_stack([one.true[whole] for one in seen])
    reported = np.column_stack([one.reported[whole] for one in seen])
    shown = np.column_stack([_shown(one, distorted, whole) for one in seen])
    told = [_log(one.channel) for one in seen]
    dice = SeededStreams(seed).generator("attacks", "linkage")
    order = dice.permutation(n)
    steps = []
    kind, published = np.zeros(n, np.intp), np.zeros(n, np.intp)
    for count in range(1, len(names) + 1):
        share = part(progress, (count - 1) / len(names), count / len(names))
        share(0.0, "counting combinations")
        kind, first, size = _refined(kind, true[:, count - 1])
        combinations = true[first, :count]
        share(0.0, "counting distorted combinations")
        published, _, published_size = _refined(published, shown[:, count - 1])
        tried = order[: _links(n, len(combinations))]
        hits = _link(combinations, kind, size, reported[:, :count], told, tried, dice, share)
        steps.append(
            LinkageStep(
                tuple(names[:count]),
                int((size == 1).sum()),
                int((published_size == 1).sum()),
                Counted(hits, len(tried)),
                len(combinations) / n,
            )
        )
    progress(1.0, "linked")
    return Linkage(tuple(steps), n)


def _seen(original: Table, distorted: Table, design: Design, name: str) -> PublishedData:
    one = design[name]
    in_effect = DesignedAttribute(one.attribute, design.perturbation(name), one.missing_is_value)
    attribute = one.attribute
    each = attribute.kind is Kind.INTEGER and attribute.width < MODEST
    slices = int(attribute.width) + 1 if each else CELLS
    return seen_attribute(original[name], distorted[name], in_effect, slices)


def _shown(seen: PublishedData, distorted: Table, whole: NDArray[np.bool_]) -> Places:
    """Published answers in cells as wide as those of the true ones."""
    column = distorted[seen.name]
    if column.is_categorical or seen.edges is None:
        return np.asarray(column.data[whole], np.intp)
    width = float(seen.edges[1] - seen.edges[0]) or 1.0
    return np.asarray(np.floor((column.data[whole] - seen.edges[0]) / width), np.intp)


def _refined(kind: Places, places: Places) -> tuple[Places, Places, Places]:
    """Combinations with one more answer: every record's, the first record and the size of each.

    They are numbered anew with every attribute, so that the numbers never overflow.
    """
    low = int(places.min())
    key = kind * (int(places.max()) - low + 1) + (places - low)
    _, first, number, size = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return number, first, size


def _links(n: int, combinations: int) -> int:
    return min(n, LINKS, max(_FEWEST_LINKS, _MOST_PAIRS // combinations))


def _link(  # noqa: PLR0913, PLR0917
    combinations: Places,
    kind: Places,
    size: Places,
    reported: Places,
    told: Sequence[Numbers],
    tried: Places,
    dice: np.random.Generator,
    progress: Progress,
) -> int:
    hits = 0
    lot = dice.random(len(tried))
    at_once = max(1, _PAIRS_AT_ONCE // len(combinations))
    for start in range(0, len(tried), at_once):
        progress(start / len(tried), "linking records")
        records = tried[start : start + at_once]
        fit = np.zeros((len(records), len(combinations)))
        for j in range(reported.shape[1]):
            fit += told[j][reported[records, j]][:, combinations[:, j]]
        best = fit >= fit.max(axis=1, keepdims=True) - 1e-9
        people = best @ size
        right = best[np.arange(len(records)), kind[records]]
        # The right person is one of those among whom the lot decides.
        hits += int((right & (lot[start : start + at_once] * people < 1)).sum())
    return hits


def _log(channel: Numbers) -> Numbers:
    known = np.where(channel > 0, channel, 1.0)
    return np.where(channel > 0, np.log(known), _NEVER)


@attacks.register(
    "link", Message("Linkage"), hint="Can respondents with rare answers be identified?", rank=40
)
class LinkAttack(Attack):
    """Records found again by what the attacker knows of people."""

    words = "records found again"
    takes_known = True
    target = Message("by linkage")

    @classmethod
    def why_not(cls, original: Table, design: Design, name: str) -> Message | None:
        if linkable(original, design):
            return super().why_not(original, design, name)
        return Message("The design has no attribute for linkage.")

    @classmethod
    def run(cls, answers: AttackedAnswers, progress: Progress) -> Linkage:
        return link_records(
            answers.original, answers.reported, answers.design, answers.known, answers.seed,
            progress,
        )  # fmt: skip
