"""Joint sums by weights: unbiased, with standard errors, in one pass over the records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.factors import Factor
from ppworkbench.core.survey.inquiry import CHUNK, Inquiry

Numbers = NDArray[np.float64]


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
