"""An estimated number with its interval, beside what was seen and what is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.registry import Registry
from ppworkbench.core.sampling.results import EstimateDetails
from ppworkbench.core.survey.factors import Factor
from ppworkbench.core.survey.inquiry import CHUNK, Inquiry

JOINT, SEQUENTIAL = "joint", "sequential"

methods: Registry[str] = Registry("method")
"""How records that meet a condition are found."""
methods.register(JOINT, "Joint (unbiased)")(JOINT)
methods.register(SEQUENTIAL, "Sequential (as published)")(SEQUENTIAL)


@dataclass(frozen=True)
class Estimate:
    """One number.

    Parameters
    ----------
    estimate
        The number itself; nothing keeps an unbiased estimate from being negative.
    low, high
        The ends of its interval.
    standard_error
        Infinite where a single record gives no idea of it.
    naive
        What the distorted answers give when they are taken for true ones; None where there is
        nobody to take it from.
    true
        What the original answers give, where they are known.
    details
        The parts of the error, where an estimate was made under a sampling.
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    naive: float | None
    true: float | None = None
    details: EstimateDetails | None = None

    def to_json(self) -> dict[str, Any]:
        """The numbers under their names; the truth only where it is known."""
        document: dict[str, Any] = {
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "naive": self.naive,
        }
        if self.true is not None:
            document["true"] = self.true
        return document if self.details is None else document | self.details.to_json()


def with_interval(
    estimate: float,
    standard_error: float,
    confidence: float,
    naive: float | None,
    true: float | None = None,
) -> Estimate:
    """An estimate with its normal interval ``estimate ± z * standard error``."""
    reach = interval_factor(confidence) * standard_error
    return Estimate(
        float(estimate), float(estimate - reach), float(estimate + reach), float(standard_error),
        None if naive is None else float(naive), None if true is None else float(true),
    )  # fmt: skip


def interval_factor(confidence: float) -> float:
    """How many standard errors an interval of that confidence reaches to each side.

    >>> round(interval_factor(0.95), 4)
    1.96
    """
    if not 0 < confidence < 1:
        raise ParameterError(
            Message(
                "Confidence is {confidence:g}; it must be above 0 and below 1.",
                confidence=confidence,
            ),
            field="confidence",
        )
    return float(ndtri((1 + confidence) / 2))


def record_weights(
    inquiry: Inquiry, leave_out: Sequence[Factor] = (), progress: Progress = silent
) -> Numbers:
    """The product of the weights of all factors, for every record.

    ``w_t = prod_j h_j(z_tj)`` has the expectation 1 for a respondent who meets the condition and 0
    for any other.
    """
    weights = np.ones(inquiry.n)
    kept = [
        (factor.weights.matrix[:, 0], codes)
        for factor, codes in zip(inquiry.factors, inquiry.codes, strict=True)
        if factor not in leave_out
    ]
    for start in range(0, inquiry.n, CHUNK):
        progress(start / inquiry.n, "weighting records")
        part = slice(start, start + CHUNK)
        for look_up, codes in kept:
            weights[part] *= look_up[codes[part]]
    progress(1.0, "weighting records")
    return weights
