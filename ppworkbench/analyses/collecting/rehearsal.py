r"""A rehearsal: invented respondents who answer as the drawn expectations say.

One hidden factor ties the answers of a person together (a Gaussian copula with one factor),

.. math:: U_j = \Phi(\lambda_j F + \sqrt{1 - \lambda_j^2}\, E_j)

with F and every E_j standard normal. The answer to question j is the quantile of its drawn
distribution at U_j, nominal values in their listed order. U_j is uniform whatever the loading, so
every question has exactly its drawn distribution, and a class can still be learnt from the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from scipy.special import ndtr

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SeededStreams, Streams
from ppworkbench.study.renaming import REHEARSAL
from ppworkbench.study.state import why_not_rehearsed, without_invented
from ppworkbench.study.study import Study

RESPONDENTS = 500
MOST_RESPONDENTS = 1_000_000
RESULTS = REHEARSAL
"""Under this name a study keeps how it was rehearsed last."""
_ITEM_VALUES = ("no", "yes")


class Strength(StrEnum):
    """How strongly a question goes with the others, in words."""

    NONE = "none"
    SOME = "some"
    STRONG = "strong"
    SOME_OPPOSITE = "some-opposite"
    STRONG_OPPOSITE = "strong-opposite"

    @property
    def loading(self) -> float:
        return _LOADINGS[self]

    @property
    def words(self) -> Message:
        return _WORDS[self]


_LOADINGS = {
    Strength.NONE: 0.0,
    Strength.SOME: 0.4,
    Strength.STRONG: 0.7,
    Strength.SOME_OPPOSITE: -0.4,
    Strength.STRONG_OPPOSITE: -0.7,
}
_WORDS = {
    Strength.NONE: Message("none"),
    Strength.SOME: Message("some"),
    Strength.STRONG: Message("strong"),
    Strength.SOME_OPPOSITE: Message("some, opposite"),
    Strength.STRONG_OPPOSITE: Message("strong, opposite"),
}


@dataclass(frozen=True)
class RehearsalSettings:
    """How many people are invented, from which seed, and how strongly questions go together.

    Questions without a strength of their own have ``Strength.SOME``. Without a seed it is that of
    the study.
    """

    n: int = RESPONDENTS
    seed: int | None = None
    strengths: Mapping[str, Strength] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        """Refuse a number of people that is none, or more than a rehearsal needs."""
        if not 1 <= self.n <= MOST_RESPONDENTS:
            raise ParameterError.saying(
                "A simulation has 1 to {most:,} respondents, not {n:,}.",
                most=MOST_RESPONDENTS,
                n=self.n,
                field="n",
            )

    def strength(self, name: str) -> Strength:
        return self.strengths.get(name, Strength.SOME)

    def to_json(self) -> dict[str, Any]:
        """What the study keeps, as plain values."""
        strengths = {name: str(one) for name, one in self.strengths.items()}
        return {"n": self.n, "strengths": strengths}

    @classmethod
    def of(cls, study: Study) -> Self:
        """How a study was rehearsed last, or as usual; damaged values are as usual."""
        kept = study.results.get(RESULTS)
        given = kept if isinstance(kept, Mapping) else {}
        n, strengths = given.get("n"), given.get("strengths")
        if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= MOST_RESPONDENTS:
            n = RESPONDENTS
        known = {str(one) for one in Strength}
        read = {
            str(name): Strength(one)
            for name, one in (strengths.items() if isinstance(strengths, Mapping) else ())
            if one in known
        }
        return cls(n, study.settings.seed, MappingProxyType(read))


def rehearse(
    study: Study, settings: RehearsalSettings | None = None, progress: Progress = silent
) -> Study:
    """The study with invented answers; its design, expectations and plan stay as they are.

    Raises
    ------
    DataError
        When there is nothing to answer, or people have answered already.
    """
    settings = settings or RehearsalSettings.of(study)
    why_not = why_not_rehearsed(study)
    if why_not is not None:
        raise DataError(why_not)
    seed = study.settings.seed if settings.seed is None else settings.seed
    bare = without_invented(study)
    table = invented_answers(bare, settings, SeededStreams(seed), progress)
    return bare.with_(
        original=table, invented=True, settings=dataclasses.replace(study.settings, seed=seed)
    ).with_results(RESULTS, settings.to_json())


def invented_answers(
    study: Study, settings: RehearsalSettings, streams: Streams, progress: Progress = silent
) -> Table:
    """True answers of invented people to everything that is asked.

    Which arm somebody is in and what a list counts is made when the answers are randomised, as
    it is with real ones.
    """
    factor = streams.stream("rehearsal", "factor").normal(settings.n)
    sampling = study.design.sampling or Sampling()
    asked = list(_asked(study))
    columns = []
    for done, (attribute, prior) in enumerate(asked):
        name = attribute.name
        progress(done / len(asked), Message("inventing answers to {attribute}", attribute=name))
        if sampling.population == name and attribute.domain is not None:
            # Sizes of populations must be the same within a stratum.
            columns.append(Column(attribute, np.full(settings.n, attribute.domain[1])))
            continue
        # Named, so that another question changes nothing for this one.
        own = streams.stream("rehearsal", name).normal(settings.n)
        loading = settings.strength(name).loading
        data = quantiles(prior, ndtr(loading * factor + np.sqrt(1 - loading**2) * own))
        skipped = study.plan.skip_of(name)
        if skipped > 0 and name not in sampling.columns:
            gone = streams.stream("rehearsal", name, "skipped").random(settings.n) < skipped
            data = np.where(gone, -1 if attribute.kind.is_categorical else np.nan, data)
        columns.append(Column(attribute, data))
    progress(1.0, "invented")
    class_name = study.design.class_name
    is_asked = any(column.name == class_name for column in columns)
    return Table(tuple(columns), class_name if is_asked else None)


def _asked(study: Study) -> Iterator[tuple[Attribute, Prior]]:
    design = study.design
    for one in design:
        if one.name not in design.drawn_columns:
            yield study.attribute(one.name), study.prior(one.name)
    known = set(design.names)
    for listed in design.lists:
        if listed.name not in known:
            known.add(listed.name)
            yield listed.attribute, study.prior(listed.name)
        for item in (item for item in listed.items if item not in known):
            known.add(item)
            # Nobody expects anything of the harmless items.
            attribute = Attribute(item, Kind.BINARY, _ITEM_VALUES)
            yield attribute, Prior.uniform(attribute)


def quantiles(prior: Prior, uniform: Numbers) -> Numbers:
    """The answers at these quantiles of a distribution: codes of values, or numbers.

    A number is spread evenly within its cell. Cells of whole numbers end half-way between two of
    them, so that rounding gives each of them its own share exactly.

    >>> smokes = Attribute("smokes", Kind.BINARY, ("no", "yes"))
    >>> quantiles(Prior.from_weights(smokes, [3, 1]), np.array([0.1, 0.74, 0.76])).tolist()
    [0, 0, 1]
    >>> age = Attribute("age", Kind.INTEGER, domain=(1, 4))
    >>> quantiles(Prior.uniform(age), np.array([0.1, 0.3, 0.99])).tolist()
    [1.0, 2.0, 4.0]
    """
    upto = np.cumsum(prior.probabilities)
    # A sum of shares may miss 1 by a rounding; values of share 0 at the end stay impossible.
    last = int(np.flatnonzero(prior.probabilities)[-1])
    upto[last:] = 1.0
    cells = np.minimum(np.searchsorted(upto, uniform, side="right"), last)
    if prior.edges is None:
        return cells
    low, high = prior.edges[cells], prior.edges[cells + 1]
    within = (uniform - (upto[cells] - prior.probabilities[cells])) / prior.probabilities[cells]
    numbers = low + np.clip(within, 0.0, 1.0) * (high - low)
    if prior.attribute.kind is not Kind.INTEGER:
        return np.asarray(np.clip(numbers, *prior.attribute.domain or (low, high)))
    return np.asarray(np.clip(np.rint(numbers), np.ceil(low), np.floor(high)) + 0.0)
