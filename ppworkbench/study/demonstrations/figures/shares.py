"""Shares of answers: true, reported and estimated."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Design
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.fit import fit_column
from ppworkbench.core.errors import DataError
from ppworkbench.core.params import Annotated, Info, OneOf
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.demonstrations.figures.calculation import (
    Calculation,
    calculations,
    place_of,
)
from ppworkbench.study.study import Study

ORIGINAL, EXPECTED, DISTORTED, RECONSTRUCTED = (
    "original",
    "expected",
    "distorted",
    "reconstructed",
)


def columns_of(study: Study, name: str) -> tuple[Column, Column]:
    """The original answers to one question, and the distorted ones of the study's draw."""
    if study.original is None:
        raise DataError("The demonstration has no original answers.")
    designed = study.design[name]
    truth = Column(designed.attribute, fit_column(study.original[name], designed))
    alone = Design((designed,))
    table = study.original.select([name])
    return truth, distort(table, alone, SeededStreams(study.settings.seed))[name]


@calculations.register("share", "Share of an answer in percent")
@dataclass(frozen=True)
class Share(Calculation):
    """The share of one answer in percent: true, reported in the draw that all pages show or to be
    expected in any, or estimated.
    """

    attribute: Annotated[str, Info("Attribute")]
    value: Annotated[str, Info("Value")]
    of: Annotated[
        str, OneOf((ORIGINAL, EXPECTED, DISTORTED, RECONSTRUCTED)), Info("Of which answers")
    ] = ORIGINAL
    algorithm: Annotated[str, Info("Algorithm")] = "default"
    stop: Annotated[str | None, Info("Stop")] = None

    def calculate(self, study: Study, progress: Progress = silent) -> float:
        """The share in percent."""
        place = place_of(study, self.attribute, self.value)
        truth, reported = columns_of(study, self.attribute)
        if self.of == RECONSTRUCTED:
            designed = study.design[self.attribute]
            found = reconstruct(
                reported,
                designed.attribute,
                study.design.perturbation(self.attribute),
                self.algorithm,
                stop=self.stop,
                confidence=None,
                progress=progress,
            )
            return 100 * float(found.probability[place])
        if self.of == EXPECTED:
            perturbation = study.design.perturbation(self.attribute)
            shares = truth.counts / max(truth.counts.sum(), 1)
            shares = perturbation.matrix(len(shares)) @ shares
            return 100 * float(shares[place])
        counts = (truth if self.of == ORIGINAL else reported).counts
        return 100 * float(counts[place] / max(counts.sum(), 1))
