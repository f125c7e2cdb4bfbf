"""The probability that a record meets a condition, given its distorted answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.progress import Progress, silent
from ppworkbench.core.survey.inquiry import Inquiry, coded
from ppworkbench.core.survey.joint_em import JointDistribution, joint_distribution, outer

Numbers = NDArray[np.float64]

IMAGINED = 1.0
"""Imagined respondents that keep a handful of real ones from ruling a combination out."""

_INDEPENDENT = (
    "The condition joins so many attributes that the probabilities are computed as if the "
    "attributes were independent."
)


def posteriors(
    inquiry: Inquiry, progress: Progress = silent
) -> tuple[NDArray[np.int64], Numbers, tuple[str, ...]]:
    """``Pr(C | z) = sum_{x in C} A[z, x] x / sum_x A[z, x] x`` for every record.

    Returns
    -------
    rows
        The records' positions in the table.
    posterior
        Their probabilities.
    remarks
        What a reader should know.
    """
    if not inquiry.factors:
        return inquiry.answers.rows, np.ones(inquiry.n), ()
    try:
        joint = joint_distribution(inquiry, IMAGINED, progress)
    except ParameterError:
        return _independent(inquiry, progress)
    return joint.inquiry.answers.rows, _posterior(joint), ()


def _posterior(joint: JointDistribution) -> Numbers:
    factors = joint.inquiry.factors
    inside = outer([factor.targets[:, 0] for factor in factors])
    whole = joint.distorted(joint.probability)
    part = joint.distorted(joint.probability * inside)
    share = np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)
    return np.clip(share[joint.inquiry.codes], 0.0, 1.0)


def _independent(
    inquiry: Inquiry, progress: Progress
) -> tuple[NDArray[np.int64], Numbers, tuple[str, ...]]:
    """The product of every factor's own probability."""
    product = np.ones(inquiry.n)
    for factor in inquiry.factors:
        alone = coded(inquiry.answers, [factor])
        product *= _posterior(joint_distribution(alone, IMAGINED, progress))
    return inquiry.answers.rows, product, (_INDEPENDENT,)
