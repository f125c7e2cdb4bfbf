"""Estimates where noise cannot be undone by weights: smooth ones, flagged as such."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.table import Column
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.grid import DEFAULT_BINS
from ppworkbench.core.reconstruct.reconstruct import reconstruct
from ppworkbench.core.survey.factors import NumberFactor
from ppworkbench.core.survey.grids import divided
from ppworkbench.core.survey.inquiry import Inquiry
from ppworkbench.core.survey.joint_em import covariance_of, joint_distribution, outer
from ppworkbench.core.survey.totals import Totals

SMOOTHED = (
    "The noise is too wide for an exact correction, so a smoothed estimate is shown; its "
    "interval does not include the smoothing error."
)


def smoothed_totals(inquiry: Inquiry, progress: Progress = silent) -> Totals:
    """Totals from a smooth estimate of the joint distribution.

    A number alone is reconstructed as anywhere else in the program; several attributes go through
    joint EM.
    """
    only = inquiry.factors[0]
    if len(inquiry.factors) == 1 and isinstance(only, NumberFactor):
        return _alone(inquiry, only, progress)
    joint = joint_distribution(inquiry, progress=part(progress, 0.0, 0.3))
    factors = joint.inquiry.factors
    shares = joint.targets()
    gradients = np.stack(
        [
            outer([factor.targets[:, i] for factor, i in zip(factors, place, strict=True)])
            for place in np.ndindex(*shares.shape)
        ]
    )
    covariance = covariance_of(joint, gradients, part(progress, 0.3, 1.0))
    n = joint.inquiry.n
    return Totals(n * shares.ravel(), n**2 * covariance, n, (SMOOTHED,))


def _alone(inquiry: Inquiry, factor: NumberFactor, progress: Progress) -> Totals:
    asked = factor.asked[0]
    edges = divided(asked.borders(), DEFAULT_BINS, asked)
    published = asked.perturbation.distorted(asked.attribute)
    found = reconstruct(
        Column(published, inquiry.answers.data[asked.name]),
        asked.attribute,
        asked.perturbation,
        bins=edges,
        progress=progress,
    )
    assert found.covariance is not None  # noqa: S101 (intervals were asked for)
    n, targets = inquiry.n, asked.targets(edges)
    covariance = targets.T @ found.covariance @ targets
    return Totals(n * (found.probability @ targets), n**2 * covariance, n, (SMOOTHED,))
