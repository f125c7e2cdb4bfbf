"""The setting of Table 5.1 in Andruszkiewicz (2011): employment with eight ordered values.

The thesis reports one draw; here the mean over 300 draws of the distortion is compared with it.
"""

from __future__ import annotations

import numpy as np
import pytest
from counted_answers import channel_of

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Ordinal, Uniform
from ppworkbench.core.reconstruct import reconstruct_counts, simulate

ORIGINAL = np.array([62, 172, 339, 174, 253, 0, 0, 0]) / 1000
EMPLOYMENT = Attribute("employment", Kind.ORDINAL, tuple(str(i) for i in range(8)))
SETTINGS = [
    (Ordinal(weights=(0.6, 0.2), loop=False), 0.0603, 0.051),
    (Ordinal(weights=(0.6, 0.2), loop=True), 0.0643, 0.045),
    (Uniform(keep=0.6), 0.0623, 0.0435),
]
each = pytest.mark.parametrize(
    ("perturbation", "published", "converged"), SETTINGS, ids=["no loop", "loop", "nominal"]
)


def losses(perturbation, **choice):
    runs = simulate(
        perturbation.matrix(8), ORIGINAL, 1000, 300, same_respondents=True, seed=51, **choice
    )
    return runs.losses


@each
def test_that_em_as_loses_no_more_than_published(perturbation, published, converged):
    assert losses(perturbation, algorithm="em", stop="published").mean() <= published


@each
def test_that_the_default_loses_about_as_little_as_converged_em(perturbation, published, converged):
    found = losses(perturbation)
    assert found.mean() <= published
    error = found.std() / np.sqrt(len(found))
    assert found.mean() <= converged + 3 * error


@each
def test_that_the_default_is_converged_em(perturbation, published, converged):
    iterated = losses(perturbation, algorithm="em", stop="converged")
    np.testing.assert_allclose(losses(perturbation), iterated, atol=1e-4)


DISTORTED = np.array([84, 176, 281, 234, 177, 48, 0, 0.0])
RECONSTRUCTED = np.array([61, 165, 343, 197, 225, 4, 1, 0])
DISTORTED_LOOP = np.array([80, 195, 261, 218, 189, 49, 0, 8.0])
RECONSTRUCTED_LOOP = np.array([49, 225, 277, 209, 232, 4, 0, 0])


@pytest.mark.parametrize(
    ("loop", "distorted", "reconstructed", "near"),
    [(False, DISTORTED, RECONSTRUCTED, 0.03), (True, DISTORTED_LOOP, RECONSTRUCTED_LOOP, 0.002)],
    ids=["no loop", "loop"],
)
def test_that_the_printed_reconstruction_is_on_the_way_of_em_as(
    loop, distorted, reconstructed, near
):
    rule = Ordinal(weights=(0.6, 0.2), loop=loop)
    counted = channel_of(rule.matrix(8), distorted, EMPLOYMENT, rule)
    printed = reconstructed / reconstructed.sum()
    result = reconstruct_counts(counted, "em-as", stop="published", original=printed)
    assert result.trace.losses.min() < near
    assert result.information_loss < result.trace.losses[0]
