"""Trees from samples of the same training records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ppworkbench.core.classify.training import Codes, Training
from ppworkbench.core.classify.tree.branches import leaf_class_probabilities
from ppworkbench.core.classify.tree.compiling import work
from ppworkbench.core.classify.tree.flat import FlatTree
from ppworkbench.core.classify.tree.growth import grow
from ppworkbench.core.classify.tree.level import Source
from ppworkbench.core.classify.tree.params import NONE, TreeParams
from ppworkbench.core.classify.tree.prune import prune
from ppworkbench.core.classify.tree.sources import Sources
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.rng import SeededStreams


class Forest:
    """Grows trees of one setting from samples, and classifies the distorted records themselves."""

    def __init__(self, training: Training, params: TreeParams, seed: int) -> None:
        self.training, self.params = training, params
        self._streams = SeededStreams(seed)
        self._sources = Sources(training, params)
        self._shared: Source | None = self._sources.shared()

    def grow(
        self, samples: Sequence[Codes], name: str, progress: Progress = silent
    ) -> tuple[FlatTree, ...]:
        """One pruned tree from each sample of positions; ``name`` names the random stream."""
        generator = self._streams.generator("tree", name)
        work.add(sum(len(sample) for sample in samples) * len(self.training.predictors))
        if self._shared is not None:
            return self._grown(self._shared, samples, generator, progress)
        progress(0.0, "assigning values")
        seeds = generator.integers(1 << 62, size=len(samples)).tolist()
        source = self._sources.assigned(samples, seeds)
        ends = np.cumsum([len(sample) for sample in samples])
        places = np.split(np.arange(ends[-1]), ends[:-1])
        return self._grown(source, places, generator, progress)

    def _grown(
        self,
        source: Source,
        samples: Sequence[Codes],
        generator: np.random.Generator,
        progress: Progress,
    ) -> tuple[FlatTree, ...]:
        tree = grow(source, samples, self.params, generator, progress)
        if self.params.prune:
            tree = prune(tree, self._sources.numeric)
        return tree.split()

    def classify_training(self, tree: FlatTree) -> Codes:
        """The class that a tree foretells for every distorted training record."""
        plain = self.params.reconstruction == NONE
        codes = self._sources.own_codes if plain else self.training.z_codes
        found = leaf_class_probabilities(
            tree, self.training.predictors, codes, self.params.retention, not plain
        )
        return np.asarray(np.argmax(found, axis=1))
