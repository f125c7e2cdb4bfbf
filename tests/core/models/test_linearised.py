"""The covariance of sums over records, taken in parts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from examples import sweep

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling, SamplingOptions
from ppworkbench.core.models.linearised import covariance_of_sums
from ppworkbench.core.sampling.sample import rows_as_clusters
from ppworkbench.core.sampling.variance import covariance_by_clusters, stratum_factors
from ppworkbench.core.survey.sampled import SurveySample
from tests.core.models.conftest import binary, design_of, table_of

N = 150_000
"""More than one part."""


@pytest.mark.parametrize("lonely", sweep(["centre", "certainty"], quick=1))
@pytest.mark.parametrize("roles", [{}, {"stratum": ("h",)}, {"cluster": "c"}], ids=str)
@pytest.mark.parametrize("finite", [True, False])
def test_that_parts_give_the_covariance_of_all_clusters(
    roles: dict, lonely: str, finite: bool
) -> None:
    """With strata of one row, rows that do not count, and clusters over several parts."""
    random = np.random.default_rng(2)
    strata = random.integers(0, 5, N)
    strata[[10, N - 3]] = 7, 8
    columns = {
        binary("y"): random.integers(0, 2, N),
        Attribute("w", Kind.CONTINUOUS, domain=(0, 10)): random.uniform(1, 3, N),
        Attribute("h", Kind.INTEGER, domain=(0, 9)): strata,
        Attribute("c", Kind.INTEGER, domain=(0, 400)): random.integers(0, 300, N),
    }
    survey = SurveySample.read(
        table_of(columns), design_of(columns), Sampling(weight="w", **roles),
        SamplingOptions(lonely=lonely),
    )  # fmt: skip
    assert survey is not None
    rows = np.flatnonzero(random.random(N) < 0.9)
    values = random.normal(size=(len(rows), 3)) + 0.3
    found, remarks = covariance_of_sums(lambda part: values[part], survey, rows, finite=finite)
    frame, sample = rows_as_clusters(survey.frame, survey.sample)
    if not finite:
        frame = dataclasses.replace(frame, fractions=np.zeros_like(frame.fractions))
    sums = np.zeros((len(frame.cluster_strata), 3))
    np.add.at(sums, sample.clusters[rows], values)
    factors = stratum_factors(frame)
    np.testing.assert_allclose(found, covariance_by_clusters(sums, frame, factors), rtol=1e-10)
    assert bool(remarks) == ("stratum" in roles)
