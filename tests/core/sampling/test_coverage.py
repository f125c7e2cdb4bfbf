"""How often 95 % intervals hold the truth of a finite, clustered population."""

from __future__ import annotations

import numpy as np
import pytest
from sampled_answers import CLUSTER, FPC, STRATUM, WEIGHT

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced
from ppworkbench.core.survey.counts import count

CLUSTERS, DRAWN, SIZE, SAMPLES = (60, 40), 14, 15, 2000
ANSWER = Attribute("answer", Kind.BINARY, ("no", "yes"))


@pytest.mark.slow
def test_that_intervals_cover_a_clustered_population():
    random = np.random.default_rng(20)
    # Clusters differ in their share of true answers.
    people = [
        random.random((clusters, SIZE)) < random.beta(2, 4, clusters)[:, None]
        for clusters in CLUSTERS
    ]
    truth = np.concatenate([one.ravel() for one in people]).mean()
    device = Forced(p_truth=2 / 3, forced=(0.5, 0.5))
    design = Design((DesignedAttribute(ANSWER, device),))
    rows = DRAWN * SIZE
    stratum = Column(STRATUM, np.repeat([0, 1], rows))
    weight = Column(WEIGHT, np.repeat([clusters / DRAWN for clusters in CLUSTERS], rows))
    population = Column(FPC, np.repeat(np.array(CLUSTERS, float), rows))
    numbers = np.tile(np.repeat(np.arange(float(DRAWN)), SIZE), 2)
    cluster = Column(CLUSTER.with_(domain=(0, 99)), numbers)
    roles = Sampling("weight", ("stratum",), "cluster", "fpc")
    covered = 0
    for _ in range(SAMPLES):
        chosen = [one[random.permutation(len(one))[:DRAWN]].ravel() for one in people]
        true = np.concatenate(chosen).astype(int)
        forced = random.random(len(true)) >= 2 / 3
        told = np.where(forced, random.integers(0, 2, len(true)), true)
        table = Table((stratum, cluster, weight, population, Column(ANSWER, told)))
        share = count(table, design, "answer = yes", sampling=roles).share
        assert share.details.degrees_of_freedom == 26
        covered += share.low <= truth <= share.high
    assert 0.93 <= covered / SAMPLES <= 0.97
