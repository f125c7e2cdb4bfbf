"""Regressions of designs with check questions: who does not attend answers at random."""

import numpy as np
import pytest

from ppworkbench.core.compliance.assess import assess_compliance
from ppworkbench.core.compliance.question import ComplianceQuestion
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.core.design.anchors import Anchor
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.models import RegressionOptions, regress
from ppworkbench.core.models.attention import ATTENTIVE, CORRECTED_BY_ANCHOR
from ppworkbench.core.models.unknown_device import AT_LIMIT, UNEQUAL_ATTENTION
from tests.core.models.conftest import binary
from tests.regression_surveys import ATTENTION, HARMLESS, attention_survey

PREDICT, EXPLAIN = ATTENTION["x"][0], ATTENTION["y"][0]


def survey(
    seed: int, n: int = 4000, attentive: float | tuple[float, float] = 0.8
) -> tuple[Table, Design]:
    return attention_survey(np.random.default_rng(seed), n, attentive)


def test_that_without_predictors_the_share_is_the_bias_corrected_one(shared_data) -> None:
    table = read_table(shared_data / "cwise.csv").select(["crosswise", "anchor"])
    design = Design(
        tuple(DesignedAttribute(one, Uniform(keep=HARMLESS)) for one in table.attributes),
        anchors=(("crosswise", Anchor("anchor", HARMLESS)),),
    )
    found = regress(table, design, "crosswise=same ~ 1", predict=[{}])
    share, device = found.predictions[0], found.device
    assert device is not None
    assert (share.estimate, share.standard_error) == pytest.approx((0.105360, 0.022697), abs=2e-6)
    assert (device.parameter, device.estimate) == (ATTENTIVE, pytest.approx(0.772857, abs=2e-6))
    assert device.standard_error == pytest.approx(0.026865, abs=2e-6)
    known = assess_compliance(table, design, ComplianceQuestion("crosswise"))
    assert known.parameters["pi"].estimate == pytest.approx(share.estimate, abs=1e-6)


@pytest.mark.parametrize(
    ("formula", "truth"), ATTENTION.values(), ids=["outcome", "predictor"],
)  # fmt: skip
def test_that_coefficients_are_corrected_for_people_who_do_not_attend(formula, truth) -> None:
    found = regress(*survey(1), formula)
    assert [one.code for one in found.remarks] == [CORRECTED_BY_ANCHOR]
    assert (found.variance, found.log_likelihood, found.aic) == ("robust", None, None)
    for one, true in zip(found.terms, truth, strict=True):
        assert abs(one.estimate - true) < 4 * one.standard_error
    device = found.device
    assert device is not None
    assert device.low < 0.8 < device.high
    assert device.p < 0.001


def test_that_ignoring_the_check_question_would_be_far_off() -> None:
    table, design = survey(2, n=20_000)
    alone = Design(design.attributes)
    ignoring = regress(table, alone, EXPLAIN).terms[0]
    assert abs(ignoring.estimate + 1.5) > 6 * ignoring.standard_error
    corrected = regress(table, design, EXPLAIN).terms[0]
    assert abs(corrected.estimate + 1.5) < 4 * corrected.standard_error


def test_that_a_whole_attentive_survey_is_told_to_be_at_the_limit() -> None:
    seeds = (found for seed in range(20) if AT_LIMIT in codes(found := fitted(seed, 1.0)))
    found = next(seeds)
    assert found.device is not None
    assert (found.device.estimate, found.device.p) == (1.0, 1.0)


def fitted(seed: int, attentive: float):
    return regress(*survey(seed, 500, attentive), EXPLAIN)


def codes(found) -> list[str]:
    return [getattr(one, "code", "") for one in found.remarks]


def test_that_attention_that_differs_by_group_is_told() -> None:
    assert UNEQUAL_ATTENTION in codes(regress(*survey(3, attentive=(0.95, 0.5)), EXPLAIN))
    assert UNEQUAL_ATTENTION not in codes(regress(*survey(3), EXPLAIN))


def test_that_nothing_is_corrected_where_nobody_attends() -> None:
    table, design = survey(4)
    told = table.replace(Column(binary("anchor"), 1 - table["anchor"].data))
    with pytest.raises(DataError, match="no better than by chance"):
        regress(told, design, EXPLAIN)


def test_that_records_without_an_answer_to_the_check_question_are_left_out() -> None:
    table, design = survey(5)
    lacking = table["anchor"].data.copy()
    lacking[:100] = -1
    found = regress(table.replace(Column(binary("anchor"), lacking)), design, EXPLAIN)
    assert (found.n, found.left_out) == (3900, 100)


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({"method": "inverse"}, {}), ({"penalty": "jeffreys"}, {}), ({"variance": "model"}, {}),
        ({}, {"fit_replicates": 9}), ({}, {"compare_with": "trait=yes ~ 1"}),
    ],
)  # fmt: skip
def test_that_what_needs_a_whole_likelihood_is_refused(options, more) -> None:
    with pytest.raises(ParameterError, match=r"check question|no likelihood"):
        regress(*survey(6, 500), EXPLAIN, RegressionOptions(**options), **more)


def test_that_two_check_questions_at_once_are_refused() -> None:
    table, design = survey(7, 500)
    both = (("trait", Anchor("anchor", HARMLESS)), ("x", Anchor("anchor", HARMLESS)))
    with pytest.raises(ParameterError, match="'trait' and 'x' both have a check question"):
        regress(table, Design(design.attributes, anchors=both), EXPLAIN)


def test_that_weights_count_the_answers_to_both_questions() -> None:
    """A weight of 2 is the same as two such people, but for what is known about the errors."""
    table, design = survey(8, 800)
    weight = Attribute("w", Kind.CONTINUOUS, domain=(1, 2))
    counted = np.where(np.arange(800) < 300, 2.0, 1.0)
    twice = np.repeat(np.arange(800), counted.astype(int))
    found = regress(Table(tuple(one.take(twice) for one in table.columns)), design, EXPLAIN)
    weighted = regress(
        Table((*table.columns, Column(weight, counted))), design, EXPLAIN,
        sampling=Sampling(weight="w"),
    )  # fmt: skip
    assert weighted.variance == "sampling"
    assert [one.estimate for one in weighted.terms] == pytest.approx(
        [one.estimate for one in found.terms], abs=1e-6
    )
    assert weighted.device is not None
    assert found.device is not None
    assert weighted.device.estimate == pytest.approx(found.device.estimate, abs=1e-6)
