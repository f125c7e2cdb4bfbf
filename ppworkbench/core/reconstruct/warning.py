"""Sentences that a person should read before using reconstructed numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ppworkbench.core.design.matrices.base import NEARLY_SINGULAR
from ppworkbench.core.message import Message
from ppworkbench.core.reconstruct.channel import NUMBERS, CountedChannel
from ppworkbench.core.reconstruct.estimator import Fit
from ppworkbench.core.reconstruct.inversion import invert

FEW = 30


def warnings_of(counted: CountedChannel, fit: Fit, algorithm: str) -> tuple[str, ...]:
    """What is doubtful about an estimate, one sentence each."""
    return (*_about_data(counted), *_about_channel(counted), *_about_fit(fit, algorithm))


def _about_data(counted: CountedChannel) -> Iterator[str]:
    if counted.total <= 0:
        yield "There are no answers to reconstruct from; the uniform distribution is shown."
    elif counted.rows < FEW:
        answers = Message("answer is") if counted.rows == 1 else Message("answers are")
        yield Message(
            "Only {rows} {answers} there; the intervals hold for large numbers only.",
            rows=counted.rows,
            answers=answers,
        )
    impossible = float(counted.counts.sum()) - counted.total
    outside = counted.outside + round(impossible)
    if outside:
        lie = Message("answer lies") if outside == 1 else Message("answers lie")
        yield (
            Message(
                "{outside} {lie} where this perturbation cannot put any; they are left "
                "out. Is it the design with which these data were distorted?",
                outside=outside,
                lie=lie,
            )
        )


def _about_channel(counted: CountedChannel) -> Iterator[str]:
    if counted.is_undistorted or counted.k == 1 or not counted.is_square:
        return
    condition = invert(counted.matrix).condition
    if not np.isfinite(condition):
        yield (
            "The P-matrix is singular: different original distributions look the same once "
            "distorted, and one of them is shown."
        )
    elif condition > NEARLY_SINGULAR:
        yield (
            Message(
                "The P-matrix is nearly singular (condition number {condition:.3g}); "
                "small accidents of the draw change the estimate a lot.",
                condition=condition,
            )
        )
    elif counted.cells != NUMBERS:
        negative = int(np.count_nonzero(counted.solution < -1e-12))
        if negative:
            entries = Message("negative entry") if negative == 1 else Message("negative entries")
            yield (
                Message(
                    "The unbiased solution has {negative} {entries}: some values are rarer "
                    "than the draw can show, and their estimates lie at or near 0.",
                    negative=negative,
                    entries=entries,
                )
            )


def _about_fit(fit: Fit, algorithm: str) -> Iterator[str]:
    if not fit.finished:
        yield (
            Message(
                "The algorithm {algorithm!r} was stopped after {iterations} iterations "
                "before its rule was met; 'accelerated' reaches the same end faster.",
                algorithm=algorithm,
                iterations=fit.iterations,
            )
        )
