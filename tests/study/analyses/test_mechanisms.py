"""Reasons to take a mechanism: figures at an epsilon, and from where on sets are better."""

import numpy as np
import pytest

from ppworkbench.core.design import Geometric, Uniform
from ppworkbench.study.analyses.mechanisms import keep_for, sets_pay_from, unit_variances


@pytest.mark.parametrize(
    ("k", "epsilon", "uniform", "absorb", "ring"),
    [
        (5, 1, (2.446, 30.57), (91.78, 22.29), (12.64, 100.2)),
        (5, 2, (0.508, 6.355), (10.10, 7.560), (1.667, 15.06)),
        (7, 1, (3.152, 103.0), (351.8, 50.91), (37.22, 628.5)),
        (11, 4, (0.120, 14.53), (15.94, 20.32), (1.778, 85.79)),
    ],
)
def test_that_shares_and_means_have_the_variances_of_the_table(k, epsilon, uniform, absorb, ring):
    even = np.full(k, 1 / k)
    made = {
        Uniform(keep=keep_for(epsilon, k)): uniform,
        Geometric(epsilon=epsilon): absorb,
        Geometric(epsilon=epsilon, loop=True): ring,
    }
    for perturbation, expected in made.items():
        found = unit_variances(perturbation.matrix(k), even)
        assert found == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize(
    ("epsilon", "subset", "unary"), [(0.5, 5, 7), (1.0, 7, 11), (2.0, 16, 25), (4.0, 111, 166)]
)
def test_that_sets_are_better_from_the_number_of_values_of_the_table(epsilon, subset, unary):
    assert sets_pay_from(epsilon, "subset") == subset
    assert sets_pay_from(epsilon, "oue") == unary
