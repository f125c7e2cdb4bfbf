"""The accuracy on original records, estimated from randomised ones.

Nobody knows which of the randomised test records are true, but the coin is known, and so is what it
does to the share of records that a classifier gets right.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.group import Group
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.rng import SeededStreams

_MOST_COINS = 10
_HALF = 1e-9


class Classifies(Protocol):
    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every record."""


@dataclass(frozen=True)
class EstimatedAccuracy:
    """An accuracy that nobody could count, with the standard error of the estimate."""

    accuracy: float
    standard_error: float


def estimate_accuracy(
    classifier: Classifies, records: Table, design: Design, *, draws: int = 10, seed: int = 0
) -> EstimatedAccuracy:
    """The share of original records that the classifier would get right.

    With one group, ``P*(right) = theta P(right) + (1 - theta) P_Y(right)`` is solved for P(right),
    where P_Y is the share of right answers on personal records, drawn ``draws`` times for every
    record; in the related model, on reversed records. Several coins are undone one after the other.

    Parameters
    ----------
    records
        Randomised test records with their randomised class.

    References
    ----------
    J. Zhan and S. Matwin (2007), section 3.4.
    """
    class_name = records.class_name
    if class_name is None:
        raise DataError("The randomised test records have no class column.")
    coins = _coins(design)
    rows = np.zeros(records.rows)
    rng = SeededStreams(seed).generator("personal records")
    plain = _right(classifier, records, class_name)
    for chosen in itertools.product((False, True), repeat=len(coins)):
        weight = 1.0
        for coin, replaced in zip(coins, chosen, strict=True):
            weight *= _weight(coin, replaced)
        replacing = [coin for coin, replaced in zip(coins, chosen, strict=True) if replaced]
        if not replacing:
            rows += weight * plain
            continue
        times = draws if any(coin.type == "unrelated" for coin in replacing) else 1
        for _ in range(times):
            other = _replaced(records, replacing, rng)
            rows += weight / times * _right(classifier, other, class_name)
    error = float(rows.std(ddof=1) / np.sqrt(len(rows))) if len(rows) > 1 else 0.0
    return EstimatedAccuracy(float(rows.mean()), error)


def check_estimable(design: Design) -> None:
    for coin in _coins(design):
        _weight(coin, replaced=False)


def _coins(design: Design) -> list[Group]:
    coins = list(design.groups)
    for designed in design:
        perturbation = designed.perturbation
        coin = perturbation.values.coin
        if coin is not None and coin.question in Group.TYPES:
            personal = () if coin.other is None else ((designed.name, coin.other),)
            coins.append(Group((designed.name,), coin.question, coin.theta, personal))
        elif not perturbation.is_identity:
            raise DesignError.saying(
                "Attribute {attribute!r} is randomised by {summary}; accuracy is "
                "estimable only for related and unrelated questions.",
                summary=perturbation.summary(),
                attribute=designed.name,
            )
    if len(coins) > _MOST_COINS:
        raise DesignError.saying(
            "The design randomises in {count} groups; accuracy is estimable for at "
            "most {most_coins}, so group questions.",
            count=len(coins),
            most_coins=_MOST_COINS,
        )
    return coins


def _weight(coin: Group, replaced: bool) -> float:
    """The coefficient of the inverse of ``theta I + (1 - theta) R``, R the replacement."""
    theta = coin.theta
    divisor = theta if coin.type == "unrelated" else 2 * theta - 1
    if abs(divisor) < _HALF:
        raise DesignError.saying(
            "With theta {theta:g} the answers to {attributes} are not informative; "
            "accuracy is not estimable.",
            theta=theta,
            attributes=", ".join(coin.attributes),
            field="theta",
        )
    if coin.type == "unrelated":
        return -(1 - theta) / theta if replaced else 1 / theta
    return (-(1 - theta) if replaced else theta) / divisor


def _right(classifier: Classifies, records: Table, class_name: str) -> Numbers:
    column = records[class_name]
    told = np.array([*column.attribute.values, ""], object)[column.data]
    return np.asarray(classifier.predict(records) == told, np.float64)


def _replaced(records: Table, coins: list[Group], rng: np.random.Generator) -> Table:
    columns = []
    for coin in coins:
        personal = dict(coin.personal)
        for name in coin.attributes:
            column = records[name]
            k = column.attribute.k
            if coin.type == "related":
                data = np.where(column.data < 0, -1, k - 1 - column.data)
            else:
                data = rng.choice(k, size=len(column), p=personal.get(name))
            columns.append(Column(column.attribute, data))
    return records.replace(*columns)
