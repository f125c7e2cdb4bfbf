"""What trees grow from, for every type of reconstruction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.classify.training import Codes, Predictor, Training
from ppworkbench.core.classify.tree.estimates import estimate
from ppworkbench.core.classify.tree.families import Family, families_of
from ppworkbench.core.classify.tree.histograms import histograms
from ppworkbench.core.classify.tree.level import Source
from ppworkbench.core.classify.tree.params import BY_CLASS, GLOBAL, LOCAL, LOCAL_ALL, TreeParams
from ppworkbench.core.classify.tree.systems import System, assigned_system, system_of
from ppworkbench.core.reconstruct.assign import assign_intervals, assign_values

Numbers = NDArray[np.float64]


class Sources:
    """Makes the source of trees from training records, and remembers what all of them share."""

    def __init__(self, training: Training, params: TreeParams) -> None:
        self.training, self._params = training, params
        self._rule = params.stop_rule
        numbers, values = params.algorithms.split(".")
        names = {"AS": "as", "EM": "em"}
        self._systems: list[System] | None = None
        self._families: tuple[Family, ...] | None = None
        if params.reconstruction in (GLOBAL, BY_CLASS, LOCAL, LOCAL_ALL):
            self._systems = [
                system_of(training, place, names[numbers])
                for place in range(len(training.predictors))
            ]
            self._families = families_of(self._systems, training.n_classes, values == "EQ")

    @property
    def is_local(self) -> bool:
        """Whether distributions are reconstructed in every node."""
        return self._params.reconstruction in (LOCAL, LOCAL_ALL)

    @property
    def numeric(self) -> NDArray[np.bool_]:
        """For every predictor whether it is a number."""
        return np.array([predictor.is_numeric for predictor in self.training.predictors])

    def shared(self) -> Source | None:
        """The source of all samples, where values are not assigned to each sample by itself."""
        if self.is_local:
            assert self._families is not None  # noqa: S101 (made above)
            families = self._families
            if self._params.reuse:
                families = tuple(family.remembering() for family in families)
            return self._source(families, self.training.classes, ordered=True)
        if self._families is None:
            return self._plain(self.training, list(self.own_codes))
        return None

    def assigned(self, samples: Sequence[Codes], seeds: Sequence[int]) -> Source:
        """One source of all samples, one after the other, each with reconstructed values.

        The values are those that records get in the root of their own sample.
        """
        pairs = zip(samples, seeds, strict=True)
        codes = [self._values(sample, seed) for sample, seed in pairs]
        together = [np.concatenate(parts) for parts in zip(*codes, strict=True)]
        return self._plain(self.training.take(np.concatenate(samples)), together)

    def _values(self, sample: Codes, seed: int) -> list[Codes]:
        """The reconstructed values of a sample, one array per predictor."""
        training = self.training.take(sample)
        assert self._families is not None  # noqa: S101 (only asked for then)
        by_class = self._params.reconstruction == BY_CLASS
        classes = training.classes if by_class else np.zeros(training.rows, np.intp)
        groups = training.n_classes if by_class else 1
        codes: list[Codes] = [np.empty(0, np.intp)] * len(training.predictors)
        for family in self._families:
            rows, root = np.arange(training.rows), np.zeros(training.rows, np.intp)
            shape = (1, groups, family.cells)
            counts = histograms(rows, root, family.codes[sample], classes, shape)
            wanted = np.ones((family.m, groups), bool)
            found = estimate(family, counts[0], self._rule, wanted)
            for a, place in enumerate(family.places):
                x = found[a, :, : family.sizes[a]]
                codes[place] = self._assign(training, place, x, classes, seed)
        return codes

    def _assign(
        self, training: Training, place: int, x: Numbers, classes: Codes, seed: int
    ) -> Codes:
        predictor = training.predictors[place]
        data = training.columns[place].data
        assert self._systems is not None  # noqa: S101 (made above)
        system = self._systems[place]
        if system.is_undistorted:
            return _own_codes(predictor, training, place)
        if predictor.is_numeric:
            numbers = data.astype(np.float64)
            return assign_intervals(numbers, x, classes=classes, seed=seed).astype(np.intp)
        return assign_values(data, x, system.matrix, classes=classes, seed=seed).astype(np.intp)

    @cached_property
    def own_codes(self) -> tuple[Codes, ...]:
        """The cells of X that distorted answers would be in if they were original ones."""
        predictors = enumerate(self.training.predictors)
        return tuple(_own_codes(predictor, self.training, j) for j, predictor in predictors)

    def _plain(self, training: Training, codes: list[Codes]) -> Source:
        pairs = zip(training.predictors, codes, strict=True)
        systems = [assigned_system(p, c) for p, c in pairs]
        families = families_of(systems, training.n_classes)
        return self._source(families, training.classes, ordered=False)

    def _source(self, families: tuple[Family, ...], classes: Codes, ordered: bool) -> Source:
        numbers = tuple(
            column.data.astype(np.float64) if ordered and predictor.is_numeric else None
            for predictor, column in zip(
                self.training.predictors, self.training.columns, strict=True
            )
        )
        together = self._params.reconstruction == LOCAL_ALL
        remembers = ordered and self._params.reuse
        return Source(families, numbers, classes, self.training.n_classes, together, remembers)


def _own_codes(predictor: Predictor, training: Training, place: int) -> Codes:
    """The cells of X that distorted answers would be in if they were original ones."""
    data = training.columns[place].data
    if not predictor.is_numeric or data.dtype.kind == "f":
        return predictor.x_codes(data)
    # Published intervals: the likeliest cell of X.
    return np.asarray(np.argmax(predictor.channel, axis=1)[training.z_codes[place]])
