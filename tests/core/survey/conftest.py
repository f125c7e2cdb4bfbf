"""The city survey, distorted, for tests of statistics."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Design, DesignedAttribute, Identity
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams


@dataclass(frozen=True)
class Survey:
    """Original and distorted answers with the design between them."""

    original: Table
    design: Design
    distorted: Table


@pytest.fixture(scope="session")
def city():
    return load_sample("city-survey")


@pytest.fixture
def make_survey(city):
    """Distort some questions of the city survey; those in groups are listed as Identity."""

    def make(perturbations, rows=None, seed=1, groups=()):
        original = city.select(perturbations)
        if rows is not None:
            original = original.take(slice(0, rows))
        designed = tuple(
            DesignedAttribute(original[name].attribute, perturbation or Identity())
            for name, perturbation in perturbations.items()
        )
        design = Design(designed, groups=groups)
        return Survey(original, design, distort(original, design, SeededStreams(seed)))

    return make
