"""One point of the frontier: the best perturbation for a target."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.optimiser.exposure import EXPOSURES
from ppworkbench.core.privacy.optimiser.search import HOPELESS, Cost, FrontierPoint, Search
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.goal_seek import Target
from ppworkbench.core.progress import Progress, part, silent

_HALVINGS = 14


def optimal(
    attribute: Attribute,
    prior: Prior | None,
    n: int,
    target: Target,
    privacy: str = "attack_success",
    family: str = "symmetric",
    progress: Progress = silent,
) -> FrontierPoint:
    """The best perturbation for a target, with what it reaches.

    A target of a privacy measure asks for the least loss at that privacy; a target
    ``information_loss`` asks for the most privacy, by ``privacy``, at that loss.

    Examples
    --------
    >>> from ppworkbench.core.data.attribute import Kind
    >>> asked = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> point = optimal(asked, None, 1000, Target("attack_success", 0.7))
    >>> round(point.perturbation.keep, 6)
    0.7

    Raises
    ------
    ParameterError
        When the target cannot be reached; the sentence states what can.
    """
    if target.measure == "information_loss":
        return _most_private(Search.of(attribute, prior, n, privacy, family), target, progress)
    ParameterError.unless_known(
        "The optimiser does not know the target {name!r}; known are {known}.", target.measure,
        [*EXPOSURES, "information_loss"], field="target",
    )  # fmt: skip
    search = Search.of(attribute, prior, n, target.measure, family)
    exposure = search.exposure
    ends = sorted((exposure.most_private, exposure.least_private))
    if not ends[0] - 1e-12 <= target.value <= ends[1] + 1e-12:
        raise _unreachable(attribute, exposure.label, target.value, ends)
    point = search.point(target.value, progress)
    if point.information_loss > HOPELESS:
        raise ParameterError.saying(
            "Attribute {attribute!r}: with {label} {value:g} the reported answers "
            "are not informative and nothing can be estimated; allow a little more.",
            label=exposure.label,
            value=target.value,
            attribute=attribute.name,
            field="target",
        )
    return point


def _most_private(search: Search, target: Target, progress: Progress) -> FrontierPoint:
    """Halve the range of levels; the loss falls from the private to the truthful end."""
    exposure = search.exposure
    private, truthful = exposure.most_private, exposure.least_private
    if math.isinf(truthful):
        truthful = 20.0  # An epsilon that hardly any answer is distorted under.
    best = search.point(truthful, part(progress, 0, 1 / (_HALVINGS + 1)))
    if best.information_loss > target.value:
        raise ParameterError.saying(
            "Attribute {attribute!r}: {n:,} respondents have an information loss of "
            "{information_loss:.3g} even if asked directly; allow more than "
            "{value:g} or ask more respondents.",
            n=search.n,
            information_loss=best.information_loss,
            value=target.value,
            attribute=search.attribute.name,
            field="target",
        )
    for i in range(1, _HALVINGS + 1):
        level = (private + truthful) / 2
        step = part(progress, i / (_HALVINGS + 1), (i + 1) / (_HALVINGS + 1))
        point = search.point(level, step)
        if point.information_loss <= target.value:
            best, truthful = point, level
        else:
            private = level
    return best


def _unreachable(
    attribute: Attribute, label: str, value: float, ends: list[float]
) -> ParameterError:
    high = Message("infinity") if math.isinf(ends[1]) else Message("{high:.4g}", high=ends[1])
    return ParameterError.saying(
        "Attribute {attribute!r}: no transition matrix has {label} {value:g}; "
        "possible is {ends:.4g} to {high}.",
        label=label,
        value=value,
        ends=ends[0],
        high=high,
        attribute=attribute.name,
        field="target",
    )


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
