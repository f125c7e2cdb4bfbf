"""One point of the frontier: the best perturbation for a target."""

from __future__ import annotations

import math

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.optimiser.exposure import EXPOSURES
from ppworkbench.core.privacy.optimiser.search import HOPELESS, FrontierPoint, Search
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
    if target.measure not in EXPOSURES:
        raise ParameterError.saying(
            "The optimiser does not know the target {measure!r}; known are {known}.",
            measure=target.measure,
            known=", ".join([*EXPOSURES, "information_loss"]),
            field="target",
        )
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
