"""Estimates where noise cannot be undone by weights: smooth ones, flagged as such."""

from __future__ import annotations

import numpy as np

from ppworkbench.core.data.table import Column
from ppworkbench.core.progress import Progress, part, silent
from ppworkbench.core.reconstruct.counting import count_column
from ppworkbench.core.reconstruct.smooth import Smooth
from ppworkbench.core.reconstruct.worst_case import TRUE_CELLS
from ppworkbench.core.survey.factors import NumberFactor
from ppworkbench.core.survey.grids import divided
from ppworkbench.core.survey.inquiry import Inquiry
from ppworkbench.core.survey.joint_em import covariance_of, joint_distribution, outer
from ppworkbench.core.survey.totals import Totals

SMOOTHED = (
    "The noise is too wide for an exact correction, so a smoothed estimate is shown; its "
    "interval is too narrow where the truth is less smooth than the estimate."
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
    edges = divided(asked.borders(), TRUE_CELLS, asked)
    published = asked.perturbation.distorted(asked.attribute)
    column = Column(published, inquiry.answers.data[asked.name])
    fit = Smooth().fit(
        count_column(column, asked.attribute, asked.perturbation, edges), progress=progress
    )
    n, targets = inquiry.n, asked.targets(edges)
    covariance = np.zeros((len(edges) - 1,) * 2) if fit.covariance is None else fit.covariance
    covariance = targets.T @ covariance @ targets
    return Totals(n * (fit.probability @ targets), n**2 * covariance, n, (SMOOTHED,))
