"""Reasons to take a mechanism: figures at an epsilon, and from where on sets are better."""

import pytest

from ppworkbench.analyses.designs.mechanisms import sets_pay_from


@pytest.mark.parametrize(
    ("epsilon", "subset", "unary"), [(0.5, 5, 7), (1.0, 7, 11), (2.0, 16, 25), (4.0, 111, 166)]
)
def test_that_sets_are_better_from_the_number_of_values_of_the_table(epsilon, subset, unary):
    assert sets_pay_from(epsilon, "subset") == subset
    assert sets_pay_from(epsilon, "oue") == unary
