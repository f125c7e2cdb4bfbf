"""Numbers reported as one of two: the mean is estimated, everything else is refused."""

from __future__ import annotations

import numpy as np
import pytest
from designs import AGE, SALARY, YES_NO, case_name

from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Duchi, Hybrid, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DesignError, WorkbenchError
from ppworkbench.core.models.correlate import correlate
from ppworkbench.core.reconstruct import reconstruct_table
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.distributions import distribution
from ppworkbench.core.survey.means import mean
from ppworkbench.core.survey.quantiles import quantile

ONLY = "tell its mean only"
N = 4000


def surveyed(attribute, perturbation, seed=1):
    generator = np.random.default_rng(seed)
    low, high = attribute.domain
    numbers = np.rint(low + (high - low) * generator.beta(2, 5, N))
    smokes = generator.integers(0, 2, N)
    table = Table((Column(attribute, numbers), Column(YES_NO, smokes)))
    design = Design(
        (DesignedAttribute(attribute, perturbation), DesignedAttribute(YES_NO, Uniform(keep=0.9)))
    )
    return table, distort(table, design, SeededStreams(seed)), design


CASES = [(AGE, Duchi(epsilon=1.0)), (SALARY, Hybrid(epsilon=0.5, grid=10.0))]


@pytest.mark.parametrize(("attribute", "perturbation"), CASES, ids=case_name)
def test_that_everything_but_the_mean_is_refused_in_one_sentence(attribute, perturbation):
    _, told, design = surveyed(attribute, perturbation)
    name = attribute.name
    with pytest.raises(DesignError, match=ONLY):
        reconstruct_table(told, design, [name])
    with pytest.raises(DesignError, match=ONLY):
        distribution(told, design, name)
    with pytest.raises(DesignError, match=ONLY):
        quantile(told, design, name)
    with pytest.raises(DesignError, match=ONLY):
        crosstab(told, design, name, "smokes")
    with pytest.raises(DesignError, match=ONLY):
        mean(told, design, name, f"{name} > {attribute.domain[0] + 10:g}")
    with pytest.raises(WorkbenchError, match="correlation cannot be told"):
        correlate(told, design, (name, "smokes"))


@pytest.mark.parametrize(("attribute", "perturbation"), CASES, ids=case_name)
def test_that_means_are_estimated_alone_and_in_a_group(attribute, perturbation):
    true, told, design = surveyed(attribute, perturbation)
    for condition in ("", "smokes = yes"):
        given = (condition,) if condition else ()
        found = mean(told, design, attribute.name, *given, original=true).value
        error = (found.high - found.low) / 3.92
        assert abs(found.estimate - found.true) < 4 * error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attribute", "perturbation"), [*CASES, (AGE, Hybrid(epsilon=2.0))], ids=case_name
)
def test_that_intervals_of_the_mean_hold_it_95_times_in_100(attribute, perturbation):
    hits = 0
    for seed in range(400):
        low, high = attribute.domain
        centre = low + (high - low) * 2 / 7
        generator = np.random.default_rng(seed)
        numbers = low + (high - low) * generator.beta(2, 5, 1000)
        numbers = np.floor(numbers + generator.random(1000))
        table = Table((Column(attribute, np.clip(numbers, low, high)),))
        design = Design((DesignedAttribute(attribute, perturbation),))
        told = distort(table, design, SeededStreams(seed))
        found = mean(told, design, attribute.name).value
        hits += found.low <= centre <= found.high
    assert 0.92 <= hits / 400 <= 0.98
