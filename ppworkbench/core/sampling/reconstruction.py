"""Reconstruction of the answers of a sample: weighted counts, and errors under the sampling.

Counts become weighted counts; an estimator of :mod:`ppworkbench.core.reconstruct` solves them or
maximises the pseudo-likelihood ``sum_i w_i log (P x)_{z_i}``. On the support of the maximum, with
``A = sum_s c_s p_s p_s' / l_s^2`` the weighted information (c the weighted counts, p_s the rows of
P, ``l = P x``) and scores ``p_{z_i} / l_{z_i}``, the variance is ``A^-1 B A^-1``, B that of the
scores' weighted sum under the sampling. Moves keep the sum of x, hence the inverse within them.

Where noise is undone there is no such form. Its bounds and stopping rules take the effective number
of answers, ``n`` over the mean sampling effect of the reported ones (Rao and Scott 1981).

Where reports are sets, their scores take the place of cells; see :mod:`.counters`. Where
devices differ by arm, the reports of all arms are cells of one channel. Distributions of arms
are compared by Wald's test: ``(C t)' (C V C')^- (C t)`` with V from influences of the same kind.

References
----------
D. A. Binder (1983), "On the variances of asymptotically normal estimators from complex surveys",
International Statistical Review 51.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.data.sampling_roles import (
    LINEARISED,
    RESPONDENTS,
    Sampling,
    SamplingOptions,
)
from ppworkbench.core.data.table import Table
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.privacy.spending import share_asked
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.by_arm import of_chosen_arms
from ppworkbench.core.reconstruct.counting import original_counter, without_original
from ppworkbench.core.reconstruct.reconstruct import ReconstructOptions, TableSource
from ppworkbench.core.reconstruct.reconstruction import Reconstruction
from ppworkbench.core.sampling.arm_counters import arm_counters
from ppworkbench.core.sampling.results import SampledReconstruction
from ppworkbench.core.sampling.sample import SampleReader, refuse_randomised


@dataclass(frozen=True)
class SampledFile:
    rows: int
    attributes: Mapping[str, SampledReconstruction]

    def __getitem__(self, name: str) -> SampledReconstruction:
        return self.attributes[name]

    def to_json(self) -> dict[str, Any]:
        found = {name: result.to_json() for name, result in self.attributes.items()}
        return {"rows": self.rows, "attributes": found}


def reconstruct_sample(  # noqa: PLR0913 (keywords with defaults)
    distorted: Table | TableSource,
    design: Design,
    sampling: Sampling | None,
    options: SamplingOptions | None = None,
    names: Sequence[str] | None = None,
    settings: ReconstructOptions | None = None,
    *,
    original: Table | TableSource | None = None,
    arms: Sequence[str] = (),
    by_arm: bool = False,
    sets: Sequence[Sequence[str]] = (),
    seed: int = 0,
    progress: Progress = silent,
) -> SampledFile:
    """Reconstruct attributes of people who were drawn as the roles of the columns tell.

    Tables may come in pieces; what is kept is as large as the number of clusters.

    Parameters
    ----------
    sampling, options
        The roles of the columns and how they are used.
    names
        The attributes; all designed ones without a role if not given.
    original
        The true answers of the same records with the same column of weights, to say how much
        information is lost.
    arms
        The arms to take the answers from; all if none is named.
    by_arm
        Whether every arm is reconstructed by itself, too.
    sets
        Arms by name that are compared as sets, where every arm is reconstructed.
    """
    counters = _Counters(design, sampling, options, names, settings, arms, by_arm=by_arm, sets=sets)
    schema = [design[name].distorted for name in counters.columns if name in design]
    rows = 0
    for table in _tables(distorted, schema, part(progress, 0.0, 0.5)):
        counters.add(table)
        rows += table.rows
    truth = None
    if original is not None:
        truth = _Truth(counters, design)
        for table in _tables(original, truth.schema, part(progress, 0.5, 0.7)):
            truth.add(table)
    found = counters.reconstruct(truth, seed, part(progress, 0.7, 1.0))
    progress(1.0, Message("{rows:,} rows", rows=rows))
    return SampledFile(rows, found)


def _tables(
    source: Table | TableSource, schema: Sequence[Attribute], progress: Progress
) -> Iterable[Table]:
    return [source] if isinstance(source, Table) else source.tables(schema, progress)


class _Counters:
    def __init__(  # noqa: PLR0913 (what the functions above are given)
        self,
        design: Design,
        sampling: Sampling | None,
        options: SamplingOptions | None,
        names: Sequence[str] | None,
        settings: ReconstructOptions | None,
        arms: Sequence[str] = (),
        *,
        by_arm: bool = False,
        sets: Sequence[Sequence[str]] = (),
    ) -> None:
        self.sampling = sampling or Sampling()
        self.settings = settings or ReconstructOptions()
        refuse_randomised(self.sampling, design)
        used = of_chosen_arms(design, arms, by_arm=by_arm, sets=sets, in_sample=True)
        self._arms = used.versions
        if options is not None and options.make_replicates != LINEARISED:
            raise ParameterError(
                "Reconstructions read the answers in pieces, from which no replicates are made; "
                "leave that out, or ask for a distribution.",
                field="make_replicates",
            )
        self._reader = SampleReader(self.sampling, options, repeats_draws=design.repeats_draws)
        roles = self.sampling.columns
        if names is None:
            beside = (*roles, *used.versions.columns)
            names = [name for name in used.names if name not in beside]
        self.by_name = {
            name: arm_counters(name, used)(
                name, used, self._reader, self.settings, by_arm=by_arm, sets=sets
            )
            for name in dict.fromkeys(names)
        }
        self._asked_shares = {name: share_asked(used, (name,)) for name in self.by_name}
        self._met = np.zeros(len(self._arms.members), np.int64)
        needed = used.needed(self.by_name) if used.has_arms else self.by_name
        self.columns = tuple(dict.fromkeys([*needed, *roles]))

    @property
    def weight(self) -> str | None:
        is_plain = self._reader.options.target == RESPONDENTS
        return None if is_plain else self.sampling.weight

    def add(self, table: Table) -> None:
        sample = self._reader.read(table)
        codes, count = self._arms.read(table), len(self._met)
        self._met += np.bincount(codes[(codes >= 0) & (codes < count)], minlength=count)
        for counter in self.by_name.values():
            counter.add(table, codes, sample)

    def reconstruct(
        self, truth: _Truth | None, seed: int, progress: Progress
    ) -> dict[str, SampledReconstruction]:
        self._arms.refuse_empty(self._met)
        frame = self._reader.frame()
        results = {}
        for place, (name, counter) in enumerate(self.by_name.items()):
            share = part(progress, place / len(self.by_name), (place + 1) / len(self.by_name))
            own = dataclasses.replace(frame, asked_share=self._asked_shares[name])
            result = counter.reconstruct(own, seed, share)
            if truth is not None:
                result = dataclasses.replace(result, found=truth.compare(name, result.found))
            results[name] = result
        return results


class _Truth:
    """The true answers in the cells of what is reconstructed, by the same weights."""

    def __init__(self, counters: _Counters, design: Design) -> None:
        self._reader = SampleReader(Sampling(weight=counters.weight))
        self._counters = {
            name: original_counter(counter.counted) for name, counter in counters.by_name.items()
        }
        named = dict.fromkeys([*self._counters, *([counters.weight] if counters.weight else [])])
        self.schema: list[Attribute] = [design[n].attribute for n in named if n in design]

    def add(self, table: Table) -> None:
        weights = self._reader.read(table).weights
        for name, counter in self._counters.items():
            counter.add(table[name], weights)

    def compare(self, name: str, found: Reconstruction) -> Reconstruction:
        shares = self._counters[name].counted()
        if shares.total <= 0:
            raise without_original(name)
        return found.beside(shares.shares)
