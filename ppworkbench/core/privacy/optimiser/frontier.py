"""The privacy / information-loss frontier of P-matrices.

For a distribution of true answers and a number of respondents, every privacy level has a matrix
that loses least. The search is local and starts from the uniform matrix of the same level, so
that it can only improve on it; Huang and Du (2008) search the same trade-off by evolution.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.privacy.optimiser.search import HOPELESS, Cost, FrontierPoint, Search
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.progress import Progress, part, silent


@dataclass(frozen=True)
class Frontier:
    """Points from the most to the least private, each an applicable perturbation."""

    attribute: Attribute
    privacy: str
    family: str
    n: int
    points: tuple[FrontierPoint, ...]

    def to_json(self) -> dict[str, Any]:
        """The frontier as plain JSON values, infinity as the text "inf"."""
        return {
            "attribute": self.attribute.name,
            "privacy": self.privacy,
            "family": self.family,
            "n": self.n,
            "points": [point_to_json(point) for point in self.points],
        }


def point_to_json(point: FrontierPoint) -> dict[str, Any]:
    """One point as plain JSON values."""
    return {
        "privacy": _plain(point.privacy),
        "information_loss": _plain(point.information_loss),
        "uniform_information_loss": _plain(point.uniform_loss),
        "perturbation": point.perturbation.to_json(),
    }


def _plain(number: float) -> float | str:
    return "inf" if math.isinf(number) else number


def frontier(  # noqa: PLR0913 (settings by keyword)
    attribute: Attribute,
    prior: Prior | None = None,
    n: int = 1000,
    privacy: str = "attack_success",
    family: str = "symmetric",
    points: int = 12,
    progress: Progress = silent,
    *,
    cost: Cost | None = None,
) -> Frontier:
    """The frontier of one attribute.

    Parameters
    ----------
    prior
        The distribution of true answers; uniform if not given.
    privacy
        ``attack_success``, ``belief``, ``worst_posterior``, ``epsilon`` or ``conditional``.
    family
        ``symmetric`` matrices, ``ordinal`` bands with the loop on or off, ``any`` matrix, or only
        the ``uniform`` ones for comparison.
    points
        How many privacy levels, from nearly nothing told to the answer itself.
    cost
        What is lowest along the frontier; the information loss if not given.
    """
    search = Search.of(attribute, prior, n, privacy, family, cost)
    if points < 1:
        raise ParameterError.saying(
            "A frontier needs at least 1 point, not {points}.", points=points, field="points"
        )
    levels = search.exposure.levels(points).tolist()
    if not search.cost.is_loss:
        # Where a report never changes the best guess it may still tell much about a share.
        levels = [search.exposure.most_private, *levels]
    # Each level starts from the one before; a second walk, back, brings what was found late to
    # the levels that came early.
    out = _walk(search, levels, part(progress, 0.0, 0.75), afresh=True)
    back = out
    if not search.has_ceiling:
        back = _walk(search, levels[::-1], part(progress, 0.75, 1.0), afresh=False)[::-1]
    better = [min(pair, key=lambda point: point.cost) for pair in zip(out, back, strict=True)]
    progress(1.0)
    found = tuple(one for one in _never_rising(better) if one.information_loss < HOPELESS)
    return Frontier(attribute, privacy, family, search.n, found)


def _walk(
    search: Search, levels: list[float], progress: Progress, *, afresh: bool
) -> list[FrontierPoint]:
    count = len(levels)
    return [
        search.point(level, part(progress, i / count, (i + 1) / count), afresh=afresh)
        for i, level in enumerate(levels)
    ]


def _never_rising(points: Iterable[FrontierPoint]) -> list[FrontierPoint]:
    """Give a less private level the matrix of a more private one that costs less."""
    result: list[FrontierPoint] = []
    for point in points:
        if result and result[-1].cost < point.cost:
            best = result[-1]
            result.append(
                dataclasses.replace(
                    point,
                    privacy=best.privacy,
                    information_loss=best.information_loss,
                    perturbation=best.perturbation,
                    cost=best.cost,
                )
            )
        else:
            result.append(point)
    return result
