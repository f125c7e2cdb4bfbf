"""What is said where arms or sets of them do not agree, and the mean of their own shares.

One distribution for all arms is most exact if there is one. Where a test says that there is none,
the most likely one lies nearest to the arms that tell most, and may be far from the others; the
mean of the arms' own estimates, each weighing as many people as answered there, takes no side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.matrices.base import NEARLY_SINGULAR, condition_number
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Info, OneOf, Option
from ppworkbench.core.reconstruct.pooled import Arm, Test, fit_shares

LIKELIHOOD, MEAN = "likelihood", "mean"
POOLINGS = (LIKELIHOOD, MEAN)
"""Ways to put arms with different devices together: one distribution, or the mean of their own."""
Pooling = Annotated[
    str,
    OneOf(POOLINGS),
    Option(group="arms"),
    Info(
        "Pooling",
        "how arms with different devices are put together: one distribution for all, or the mean "
        "of their own estimates, for arms that do not agree",
    ),
]
DISAGREEMENT = "arms-disagree"
"""The code of the remark that arms do not agree."""
LR, WALD = "lr", "wald"
"""Names of the statistics of tests."""
LEVEL = 0.01
"""Arms with a smaller p do not agree."""


def check_pooling(pooling: str) -> None:
    if pooling not in POOLINGS:
        raise ParameterError.saying(
            "Arms are pooled by likelihood or by mean, not by {pooling!r}.",
            pooling=pooling,
            field="pooling",
        )


def mean_of_arms(arms: Sequence[Arm]) -> tuple[Numbers, Numbers]:
    """The mean of the shares that arms have by themselves, by their answers, and its covariance.

    The shares of an arm are ``P^-1`` times its reports, whether all of them are possible or not.

    >>> half = np.array([[0.75, 0.25], [0.25, 0.75]])
    >>> arms = [Arm("A", np.array([60.0, 40.0]), half), Arm("B", np.array([30.0, 70.0]), np.eye(2))]
    >>> mean_of_arms(arms)[0].round(3).tolist()
    [0.5, 0.5]
    """
    total = sum(arm.n for arm in arms)
    shares, covariance = [], []
    for arm in arms:
        weight = arm.n / total
        inverse = own_inverse(arm)
        shares.append(weight * inverse @ (arm.counts / arm.n))
        covariance.append(weight**2 * inverse @ arm.share_covariance @ inverse.T)
    return np.asarray(np.sum(shares, axis=0)), np.asarray(np.sum(covariance, axis=0))


def own_inverse(arm: Arm) -> Numbers:
    """Takes the reported shares of an arm to its true ones; refuse where they do not tell them."""
    if not _tells_shares(arm):
        raise DataError.saying(
            "The arm {arm!r} does not tell the shares by itself, so there is no mean of the arms' "
            "own estimates; leave the pooling at its default.",
            arm=arm.name,
            field="pooling",
        )
    return np.asarray(np.linalg.inv(arm.matrix), np.float64)


def _tells_shares(arm: Arm) -> bool:
    rows, columns = arm.matrix.shape
    return rows == columns and condition_number(arm.matrix) < NEARLY_SINGULAR


@dataclass(frozen=True, eq=False)
class ArmShares:
    """The shares of all values in every arm by itself, and their mean where there is one."""

    own: Mapping[str, Numbers]
    mean: Numbers | None = None

    @classmethod
    def of(cls, parts: Mapping[str, Sequence[Arm]]) -> Self:
        every = [one for part in parts.values() for one in part]
        if all(map(_tells_shares, every)):
            own = {name: mean_of_arms(part)[0] for name, part in parts.items()}
            return cls(own, mean_of_arms(every)[0])
        return cls({name: fit_shares(part).shares for name, part in parts.items()})


def disagreement(
    p: float,
    shares: ArmShares,
    values: Sequence[str],
    *,
    chosen: Numbers | None = None,
    pooling: str = LIKELIHOOD,
) -> Message:
    """The remark that arms do not agree.

    Parameters
    ----------
    chosen
        The weights of the values whose share is told; that of the value that differs most if None.
    pooling
        How the arms were put together.
    """
    value = ""
    if chosen is None:
        reach = np.ptp(np.array(list(shares.own.values())), axis=0)
        place = int(np.flatnonzero(reach >= reach.max() - 1e-12)[-1])
        chosen, value = np.eye(len(reach))[place], values[place]
    own = Message.joined(
        [
            Message("{arm} {share:.1f} %", arm=arm, share=100 * float(chosen @ one))
            for arm, one in shares.own.items()
        ],
        ", ",
    )
    if value:
        own = Message("“{value}” {shares}", value=value, shares=own)
    advice = Message("One share for all of them is doubtful.")
    if pooling == MEAN:
        advice = Message("Shown is the mean of their own estimates.")
    elif shares.mean is not None:
        advice = Message(
            "One share for all of them is doubtful; the mean of their own estimates is {mean:.1f} "
            "% (pooling “mean”).",
            mean=100 * float(chosen @ shares.mean),
        )
    return Message(
        "The arms do not agree (p = {p:.2g}): by themselves they give {shares}. {advice}",
        p=p,
        shares=own,
        advice=advice,
        code=DISAGREEMENT,
    )


@dataclass(frozen=True, eq=False)
class ArmSet:
    """Arms that are compared as one: their pooled shares, and whether they are alike."""

    arms: tuple[str, ...]
    shares: Numbers
    standard_errors: Numbers
    within: Test


@dataclass(frozen=True, eq=False)
class SetTests:
    """Sets of arms, and whether all sets have the same shares.

    ``statistic`` is the name of what the tests have, ``lr`` or ``wald``.
    """

    sets: tuple[ArmSet, ...]
    between: Test
    statistic: str = LR
    remarks: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        within = [
            {
                "arms": list(one.arms),
                "probability": one.shares.tolist(),
                "standard_error": one.standard_errors.tolist(),
                **one.within.to_json(self.statistic),
            }
            for one in self.sets
        ]
        between = self.between.to_json(self.statistic)
        found: dict[str, Any] = {"within": within, "between": between}
        return found | ({"warnings": list(self.remarks)} if self.remarks else {})


def check_sets(sets: Sequence[Sequence[str]], design: Design) -> None:
    """Refuse sets of arms that are not two, that share an arm, or that name none."""
    if not sets:
        return
    met: set[str] = set()
    for name in (name for one in sets for name in one):
        design.versions[name]
        if name in met:
            raise ParameterError.saying(
                "The arm {arm!r} is named twice in the sets of arms.", arm=name, field="sets"
            )
        met.add(name)
    if len(sets) < 2 or not all(sets):
        raise ParameterError("Name two sets of arms at least, such as A,B:C.", field="sets")
