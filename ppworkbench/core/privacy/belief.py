"""Belief in the sensitive answers: how sure a report can make somebody that one of them is true.

For the marked answers S and the prior share ``s = Pr(X in S)`` the belief after a report r is
``b_r = Σ_{c in S} P[r, c] x_c / z_r``; the highest one counts. Other measures may speak of a
harmless answer that a report makes nearly certain, which hurts nobody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.reading import Reading, percent

LABEL = "Belief in the sensitive answer"


@dataclass(frozen=True)
class SensitiveBelief:
    """The belief in the sensitive answers before a report, and after the one that raises it most.

    ``marked`` tells whether somebody marked the values; else the rarest value is meant. ``ties``
    is how many others are as rare, ``even`` says that all are.
    """

    values: tuple[str, ...]
    marked: bool
    reported: str
    before: float
    after: float
    ties: int = 0
    even: bool = False

    @property
    def rise(self) -> float:
        return self.after - self.before

    @property
    def odds_factor(self) -> float:
        """How many times the odds of the sensitive answers grow; infinite where one is certain."""
        if self.after >= 1:
            return math.inf if self.before < 1 else 1.0
        if self.before <= 0:
            return 1.0
        return (self.after / (1 - self.after)) / (self.before / (1 - self.before))


def meant_places(attribute: Attribute, shares: Numbers) -> list[int]:
    """The places of the marked values; without a mark that of the rarest value.

    Of equally rare values the last is taken: most lists begin with the harmless one.

    >>> from ppworkbench.core.data.attribute import Kind
    >>> meant_places(Attribute("cheated", Kind.BINARY, ("no", "yes")), np.array([0.5, 0.5]))
    [1]
    """
    if attribute.sensitive:
        return [attribute.values.index(value) for value in attribute.sensitive]
    answers = [i for i, value in enumerate(attribute.values) if value != MISSING_VALUE]
    possible = [i for i in answers if shares[i] > 0] or answers or [0]
    return [min(reversed(possible), key=lambda i: float(shares[i]))]


def belief_by_report(seen: Joint, attribute: Attribute) -> Numbers:
    """The belief in the sensitive answers after every report; 0 for one that never comes."""
    places = meant_places(attribute, seen.prior)
    return np.asarray(np.minimum(seen.posterior[:, places].sum(axis=1), 1.0))


def sensitive_belief(seen: Joint, attribute: Attribute) -> SensitiveBelief:
    """The highest belief in the sensitive answers that any report brings about.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> asked = Attribute("cheated", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    >>> warner = Joint.of(np.array([[0.75, 0.25], [0.25, 0.75]]), np.array([0.9, 0.1]))
    >>> found = sensitive_belief(warner, asked)
    >>> found.reported, round(found.before, 3), round(found.after, 3)
    ('yes', 0.1, 0.25)
    """
    places = meant_places(attribute, seen.prior)
    # A row that is never reported has a posterior of 0 and cannot win.
    beliefs = belief_by_report(seen, attribute)
    reported = int(np.argmax(beliefs))
    return SensitiveBelief(
        tuple(attribute.values[place] for place in places),
        bool(attribute.sensitive),
        attribute.values[reported],
        min(1.0, float(seen.prior[places].sum())),
        float(beliefs[reported]),
        *_ties(attribute, seen.prior, places[0]),
    )


def _ties(attribute: Attribute, shares: Numbers, place: int) -> tuple[int, bool]:
    """How many other possible values are as rare as one, and whether all are."""
    others = [
        float(share)
        for i, (value, share) in enumerate(zip(attribute.values, shares, strict=True))
        if i != place and share > 0 and value != MISSING_VALUE
    ]
    ties = sum(math.isclose(share, float(shares[place]), rel_tol=1e-9) for share in others)
    return ties, bool(others) and ties == len(others)


def listed(values: tuple[str, ...]) -> Message:
    """Values in a sentence.

    >>> listed(("weekly", "daily")), listed(("a", "b", "c"))
    ('“weekly” or “daily”', '“a”, “b” or “c”')
    """
    *most, last = (Message("“{value}”", value=value) for value in values)
    if not most:
        return last
    return Message("{most} or {last}", most=tuple(most), last=last)


def reading(found: SensitiveBelief) -> Reading:
    meant = listed(found.values)
    before, after = percent(found.before), percent(found.after)
    if found.after <= found.before + 1e-12:
        said = Message(
            "No report raises belief in {meant} above {before}.", meant=meant, before=before
        )
    else:
        said = Message(
            "A reported “{reported}” raises belief in {meant} from {before} to {after}.",
            reported=found.reported,
            meant=meant,
            before=before,
            after=after,
        )
    if not found.marked:
        said = Message(
            "{said} No answer is marked as sensitive, and all are equally frequent."
            if found.even
            else "{said} No answer is marked as sensitive; {meant} is one of the rarest."
            if found.ties
            else "{said} No answer is marked as sensitive; {meant} is the rarest.",
            said=said,
            meant=meant,
        )
    return Reading("belief", LABEL, found.after, said, "share")
