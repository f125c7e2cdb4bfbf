"""The numbers of R's package survey, statistic by statistic; R finds them anew."""

from __future__ import annotations

import pytest
from clustered_surveys import r_survey
from r_agreement import compared, largest_difference


@pytest.mark.slow
def test_that_every_statistic_of_the_package_survey_has_the_same_number_here(tmp_path):
    if not r_survey():
        pytest.skip("R or its package survey is not installed")
    found = compared(r_survey(), tmp_path)
    assert len(found) > 90
    apart = {name: largest_difference(*both) for name, both in found.items()}
    assert {name: one for name, one in apart.items() if not one < 1e-9} == {}
