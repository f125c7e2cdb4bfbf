"""What happens to an answer, in one or two plain sentences of the respondent's language."""

from __future__ import annotations

import math

import numpy as np

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.matrices import Forced, MatrixPerturbation, Ordinal, Unrelated
from ppworkbench.core.design.noises import Additive, Discretise, Multiplicative, Retention
from ppworkbench.core.design.noises.normal import normal_quantile
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.study.questionnaire.words import words_of

MARKS = "◆●▲■★✚"
_CONFIDENCE = 0.95


class Explainer:
    """Explains the questions of a design in one language."""

    def __init__(self, design: Design, language: str) -> None:
        self._design = design
        self._words = words_of(language)

    def number(self, value: float) -> str:
        """A number as it is written in the language, with at most six digits.

        >>> Explainer(Design(()), "pl").number(0.25)
        '0,25'
        """
        rounded = f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
        return rounded.replace("-", "−").replace(".", self._words["decimal"])

    def mark(self, name: str) -> str:
        """The sign of the attribute's group; empty for an attribute that is in none."""
        group = self._design.group_of(name)
        return "" if group is None else MARKS[self._design.groups.index(group) % len(MARKS)]

    def sentence(self, name: str) -> str:
        """What happens to the answers of an attribute."""
        group = self._design.group_of(name)
        attribute = self._design[name].attribute
        perturbation = self._design.perturbation(name)
        if group is not None:
            said = self._group(group, name)
        elif isinstance(perturbation, MatrixPerturbation):
            said = self._matrix(perturbation, attribute.k)
        else:
            said = self._number_sentence(perturbation, attribute)
        if _leaves_all_possible(perturbation, attribute.k):
            said = f"{said} {self._words['how_possible']}"
        return said

    def _say(self, key: str, **values: float | str) -> str:
        shown = {k: v if isinstance(v, str) else self.number(v) for k, v in values.items()}
        return self._words[key].format(**shown)

    def _group(self, group: Group, name: str) -> str:
        key = "how_group" if group.type == "unrelated" else "how_group_reversed"
        return self._say(key, mark=self.mark(name), theta=_of_100(group.theta))

    def _matrix(self, perturbation: MatrixPerturbation, k: int) -> str:
        if isinstance(perturbation, Unrelated | Forced):
            return self._say("how_coin", theta=_of_100(coin_of(perturbation)[0]))
        kept = np.diag(perturbation.matrix(k))
        low, high = _of_100(float(kept.min())), _of_100(float(kept.max()))
        if k > 2 and isinstance(perturbation, Ordinal):
            return self._say("how_neighbours", keep=_of_100(float(np.median(kept))))
        if low != high:
            return self._say("how_between", low=low, high=high)
        return self._say("how_keep_two" if k == 2 else "how_keep", keep=low)

    def _number_sentence(self, perturbation: Perturbation, attribute: Attribute) -> str:
        if isinstance(perturbation, Additive):
            far = _reach(perturbation, attribute)
            return self._say("how_additive", low=-far, high=far)
        if isinstance(perturbation, Multiplicative):
            low, high = _factors(perturbation, attribute)
            return self._say("how_multiplicative", low=low, high=high)
        if isinstance(perturbation, Retention):
            assert attribute.domain is not None  # noqa: S101 (numeric attributes have one)
            low, high = attribute.domain
            return self._say("how_retention", keep=_of_100(perturbation.keep), low=low, high=high)
        if isinstance(perturbation, Discretise):
            return self._say("how_discretise", example=perturbation.distorted(attribute).values[0])
        return self._words["how_none"]


def coin_of(perturbation: Unrelated | Forced) -> tuple[float, tuple[float, ...] | None]:
    """How often the coin says "truth", and what chance answers otherwise; None for all alike."""
    if isinstance(perturbation, Unrelated):
        return perturbation.theta, perturbation.personal
    return perturbation.p_truth, perturbation.forced


def _leaves_all_possible(perturbation: Perturbation, k: int) -> bool:
    if not isinstance(perturbation, MatrixPerturbation) or k < 2:
        return False
    return bool((perturbation.matrix(k) > 0).all())


def _of_100(probability: float) -> float:
    return round(100 * probability, 1)


def _shown(value: float) -> float:
    """Two significant digits: nobody needs the borders of chance more precisely."""
    return round(value, 1 - math.floor(math.log10(value))) if value > 0 else value


def _reach(perturbation: Additive, attribute: Attribute) -> float:
    """How far from 0 the middle 95 of 100 numbers lie at most."""
    if attribute.kind is not Kind.INTEGER:
        return _shown(perturbation.interval_width(_CONFIDENCE, attribute) / 2)
    stepped = perturbation.steps_of(attribute)
    assert stepped is not None  # noqa: S101 (integers always step)
    steps, mass = stepped.pmf()
    within = np.cumsum(np.bincount(np.abs(steps), mass))
    return float(np.searchsorted(within, _CONFIDENCE - 1e-9))


def _factors(perturbation: Multiplicative, attribute: Attribute) -> tuple[float, float]:
    """Between which factors the middle 95 of 100 lie."""
    sigma = perturbation.sigma_of(attribute)
    tail = (1 - _CONFIDENCE) / 2
    if perturbation.noise == "lognormal":
        far = float(normal_quantile(1 - tail)) * sigma
        return _shown(math.exp(-far - sigma**2 / 2)), _shown(math.exp(far - sigma**2 / 2))
    from ppworkbench.core.design.noises.normal import normal_cdf

    start = float(normal_cdf(-1 / sigma))
    far = sigma * float(normal_quantile(start + (1 - tail) * (1 - 2 * start)))
    return _shown(1 - far), _shown(1 + far)
