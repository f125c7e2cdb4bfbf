"""Noise filtering: correlated numbers give away a part of the noise that was added to them.

Noise is independent from attribute to attribute, people's answers are not. After scaling every
attribute by its noise, ``cov(Z) = cov(X) + I``.

* **Spectral** filtering (Kargupta, Datta, Wang and Sivakumar 2003) keeps the directions whose
  eigenvalue is larger than noise alone would make it, ``(1 + sqrt(d/n))²`` by Marchenko and Pastur,
  and projects the published records onto them.
* **Bayes** estimation (Huang, Du and Chen 2005, "BE-DR") takes
  ``x̂ = μ + C (C + I)^{-1} (z - μ)`` with ``C = cov(Z) - I``: the best linear guess.
* Beside them stands the same guess from the attribute **alone**, which needs no correlation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.attacks.attack import Attack, AttackedAnswers, Finding, Measured, attacks
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent

ALONE, SPECTRAL, BAYES = "alone", "spectral", "bayes"
METHODS = (ALONE, SPECTRAL, BAYES)

_FEWEST = 30
_MOST_STEPS = 100_000
"""With more steps than these, noise is as good as continuous."""


@dataclass(frozen=True)
class Filtered:
    """One attribute before and after the attack, in its own unit.

    Parameters
    ----------
    stated
        The standard deviation of the noise as the design has it.
    published
        The root mean square error of the published numbers.
    rmse
        The same after each method.
    removed
        The share of the noise variance that each method removes; below 0 it adds error.
    """

    name: str
    stated: float
    published: float
    rmse: dict[str, float]
    removed: dict[str, Measured]


@dataclass(frozen=True)
class Filtering(Finding):
    """The attack on several attributes at once.

    ``kept`` of the directions are above the ``bound`` of what noise alone would show.
    """

    attributes: tuple[Filtered, ...]
    removed: dict[str, Measured]
    eigenvalues: tuple[float, ...]
    bound: float
    kept: int
    records: int
    measure: ClassVar[str] = "share of the noise variance removed"
    drawn: ClassVar[Message] = Message("jointly, 95 % interval")

    @property
    def sentence(self) -> Message:
        return Message(
            "Share of the noise variance that is removed from {count} numbers of {records:,} "
            "records: each alone {alone:.1f} %, by the spectral filter {spectral:.1f} %, jointly "
            "{bayes:.1f} %.",
            count=len(self.attributes),
            records=self.records,
            alone=_percentage(self.removed[ALONE]),
            spectral=_percentage(self.removed[SPECTRAL]),
            bayes=_percentage(self.removed[BAYES]),
        )

    def rows(self) -> list[Mapping[str, object]]:
        return [
            {"attribute": Message("{attribute}", attribute=one.name), "noise": one.stated,
             "reported": one.published,
             **{f"after {name}": value for name, value in one.rmse.items()}}
            for one in self.attributes
        ]  # fmt: skip

    def points(self) -> list[tuple[str, float, tuple[float, float]]]:
        removed = [(Message("all jointly"), self.removed), *self._each]
        return [(name, one[BAYES].value, one[BAYES].interval) for name, one in removed]

    def readings(self) -> list[Message]:
        who = Message("The attacker knows the design only.")
        kept = Message(
            "The spectral filter keeps {kept} of {count} directions.", kept=self.kept,
            count=len(self.attributes),
        )  # fmt: skip
        return [who, kept]

    def beside(self) -> list[tuple[Message, list[float]]]:
        removed = [self.removed, *(one for _, one in self._each)]
        return [
            (Message("spectral"), [one[SPECTRAL].value for one in removed]),
            (Message("separately"), [one[ALONE].value for one in removed]),
        ]

    @property
    def _each(self) -> list[tuple[Message, dict[str, Measured]]]:
        return [(Message("{attribute}", attribute=one.name), one.removed)
                for one in self.attributes]  # fmt: skip


def _percentage(removed: Measured) -> float:
    """Rounding leaves no minus before a zero."""
    return round(100 * removed.value, 1) + 0.0


def filterable(design: Design) -> tuple[str, ...]:
    """The attributes that can be filtered: numbers under additive noise of a fixed size."""
    return tuple(
        one.name
        for one in design
        if one.perturbation.numbers.added_noise(one.attribute) is not None
    )


def filter_noise(
    original: Table,
    distorted: Table,
    design: Design,
    names: Sequence[str] | None = None,
    progress: Progress = silent,
) -> Filtering:
    """Filter the published numbers of several attributes, and compare with the true ones."""
    names = filterable(design) if names is None else tuple(names)
    if len(names) < 2:
        raise DesignError(
            "Noise filtering needs 2 or more numeric attributes with additive noise; add "
            "noise to another one."
        )
    progress(0.0, "collecting records")
    x = np.column_stack([original[name].data for name in names]).astype(np.float64)
    z = np.column_stack([distorted[name].data for name in names]).astype(np.float64)
    whole = np.isfinite(x).all(axis=1) & np.isfinite(z).all(axis=1)
    x, z = x[whole], z[whole]
    if len(x) < _FEWEST:
        raise DataError.saying(
            "Only {count} records have all of these numbers; noise filtering needs {fewest}.",
            count=len(x),
            fewest=_FEWEST,
        )
    stated = np.array([noise_deviation(design, name) for name in names])
    progress(0.3, "finding directions")
    return _filter(names, x, z, stated, progress)


def noise_deviation(design: Design, name: str) -> float:
    """The standard deviation of an attribute's additive noise, whole steps included."""
    one = design[name]
    noise = one.perturbation.numbers.added_noise(one.attribute)
    if noise is None:
        raise DesignError.saying(
            "Attribute {attribute!r} has no additive noise of a fixed size; leave it out.",
            attribute=name,
        )
    stepped = one.perturbation.numbers.steps_of(one.attribute)
    if stepped is None or stepped.reach > _MOST_STEPS:
        return math.sqrt(noise.variance)
    steps, mass = stepped.pmf()
    deviation = float(math.sqrt((steps.astype(np.float64) ** 2 * mass).sum()) * stepped.step)
    if deviation <= 0:
        raise DesignError.saying(
            "The noise of {attribute!r} rounds to 0; make it wider or leave the attribute out.",
            attribute=name,
        )
    return deviation


def _filter(
    names: Sequence[str], x: Numbers, z: Numbers, stated: Numbers, progress: Progress
) -> Filtering:
    n, d = z.shape
    middle = z.mean(axis=0)
    y = (z - middle) / stated
    covariance = np.asarray(np.cov(y, rowvar=False))
    values, vectors = np.linalg.eigh(covariance)
    bound = (1 + math.sqrt(d / n)) ** 2
    above = values > bound
    progress(0.6, "filtering")
    shrink = np.maximum(np.diag(covariance) - 1, 0.0) / np.diag(covariance)
    # Directions with less variance than the noise's own hold, as far as one can see, only noise.
    gain = np.maximum(values - 1, 0.0) / np.maximum(values, 1e-12)
    filters = {
        ALONE: np.diag(shrink),
        SPECTRAL: vectors[:, above] @ vectors[:, above].T,
        BAYES: (vectors * gain) @ vectors.T,
    }
    truth = (x - middle) / stated
    before = (y - truth) ** 2
    after = {}
    for done, (method, matrix) in enumerate(filters.items()):
        progress(0.6 + 0.05 * done, Message("filtering, {method}", method=method))
        after[method] = (y @ matrix - truth) ** 2
    attributes = []
    for i, name in enumerate(names):
        progress(0.75 + 0.2 * i / d, Message("comparing {attribute}", attribute=name))
        attributes.append(_filtered(name, float(stated[i]), i, before, after))
    progress(0.95, "comparing all")
    whole = {m: _removed(e.sum(axis=1), before.sum(axis=1)) for m, e in after.items()}
    progress(1.0, "filtered")
    listed = tuple(values[::-1].tolist())
    return Filtering(tuple(attributes), whole, listed, bound, int(above.sum()), n)


def _filtered(
    name: str, stated: float, i: int, before: Numbers, after: dict[str, Numbers]
) -> Filtered:
    def rmse(squares: Numbers) -> float:
        return float(stated * math.sqrt(squares[:, i].mean()))

    return Filtered(
        name,
        stated,
        rmse(before),
        {method: rmse(squares) for method, squares in after.items()},
        {method: _removed(squares[:, i], before[:, i]) for method, squares in after.items()},
    )


def _removed(after: Numbers, before: Numbers) -> Measured:
    """``1 - mean(after) / mean(before)`` with the standard error of a ratio of paired means."""
    ratio = float(after.mean() / before.mean())
    error = float((after - ratio * before).std(ddof=1) / (before.mean() * math.sqrt(len(before))))
    return Measured(1 - ratio, error)


@attacks.register("filter", "Noise filtering", hint="Can correlations remove the noise?", rank=30)
class FilterAttack(Attack):
    """Noise removed from several numbers at once."""

    words = "noise filtered from several numbers"
    target = Message("numbers")

    @classmethod
    def why_not(cls, original: Table, design: Design, name: str) -> Message | None:
        count = len(filterable(design))
        if count >= 2:
            return super().why_not(original, design, name)
        return Message(
            "Needs 2 or more numbers with additive noise; this design has {count}.", count=count
        )

    @classmethod
    def run(cls, answers: AttackedAnswers, progress: Progress) -> Filtering:
        return filter_noise(answers.original, answers.reported, answers.design, progress=progress)
