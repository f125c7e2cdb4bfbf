"""The answers that all pages work on."""

from __future__ import annotations

import numpy as np
import pytest
from designs import classic_study

from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.design import Uniform
from ppworkbench.core.errors import DataError
from ppworkbench.study.distorted_cache import DistortedCache
from ppworkbench.study.study import Study


@pytest.fixture
def study() -> Study:
    return classic_study(load_sample("weather"), "weather")


def test_that_every_page_gets_the_same_draw(study: Study) -> None:
    reported = DistortedCache()
    assert reported.of(study) is reported.of(study.with_(title="renamed"))
    again = DistortedCache().of(study)
    for column in reported.of(study).distorted:
        assert np.array_equal(column.data, again.distorted[column.name].data)


def test_that_another_design_or_seed_gives_other_answers(study: Study) -> None:
    reported = DistortedCache()
    first = reported.of(study)
    name = next(d.name for d in study.design if d.name != study.design.class_name)
    redesigned = study.with_perturbations({name: Uniform(keep=0.01)})
    assert not np.array_equal(
        reported.of(redesigned).distorted[name].data, first.distorted[name].data
    )
    assert reported.of(study) is first


def test_that_truth_and_reports_stand_row_by_row(study: Study) -> None:
    answers = DistortedCache().of(study)
    assert answers.original is not None
    assert answers.original.rows == answers.distorted.rows == study.rows


def test_that_a_distorted_study_keeps_its_answers(study: Study) -> None:
    distorted = DistortedCache().of(study).distorted
    analyst = Study.of_distorted(distorted, study.design, "weather")
    answers = DistortedCache().of(analyst)
    assert answers.distorted is distorted
    assert answers.original is None


def test_that_no_answers_are_said_to_be_missing() -> None:
    with pytest.raises(DataError, match="No answers yet"):
        DistortedCache().of(Study())
