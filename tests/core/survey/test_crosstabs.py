"""Cross tables of two attributes."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import SamplingOptions
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Group,
    Identity,
    Retention,
    Uniform,
)
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import ParameterError
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.survey.counts import count
from ppworkbench.core.survey.crosstabs import crosstab
from ppworkbench.core.survey.estimates import SMALL_GROUPS

A = Attribute("a", Kind.BINARY, ("no", "yes"))
B = Attribute("b", Kind.NOMINAL, ("x", "y", "z"))


def cells(found, what="estimate"):
    return np.array([[getattr(cell, what) for cell in row] for row in found.cells])


def random_table(n, keep_a=0.7, keep_b=0.6):
    rng = np.random.default_rng(11)
    table = Table((Column(A, rng.integers(0, 2, n)), Column(B, rng.integers(0, 3, n))))
    designed = (
        DesignedAttribute(A, Uniform(keep=keep_a)),
        DesignedAttribute(B, Uniform(keep=keep_b)),
    )
    return table, Design(designed)


def test_that_every_cell_is_the_joint_count_of_its_pair():
    table, design = random_table(500)
    found = crosstab(table, design, "a", "b")
    for i, row in enumerate(A.values):
        for j, column in enumerate(B.values):
            alone = count(table, design, f"a = {row} and b = {column}").value
            cell = found.cells[i][j]
            assert found.raw[i, j] == pytest.approx(alone.estimate)
            assert cell.standard_error == pytest.approx(alone.standard_error)
            assert cell.low == pytest.approx(alone.low)
            assert cell.naive == alone.naive


def test_that_the_cells_sum_to_all_respondents():
    table, design = random_table(500)
    assert crosstab(table, design, "a", "b").raw.sum() == pytest.approx(500)


def test_that_rows_and_columns_can_be_exchanged(make_survey):
    group = Group(("car", "home"), "unrelated", 0.7)
    survey = make_survey({"car": None, "home": None, "sex": Uniform(keep=0.8)}, groups=(group,))
    for pair in (("car", "home"), ("car", "sex"), ("sex", "home")):
        there = crosstab(survey.distorted, survey.design, *pair, original=survey.original)
        back = crosstab(survey.distorted, survey.design, *reversed(pair), original=survey.original)
        for what in ("estimate", "standard_error", "naive", "true"):
            assert np.allclose(cells(there, what), cells(back, what).T)
        error = cells(there, "standard_error")
        assert np.all(np.abs(there.raw - cells(there, "true")) < 4 * error)


def test_that_without_distortion_the_table_is_the_truth(make_survey):
    survey = make_survey({"education": None, "income": None, "sex": None})
    found = crosstab(
        survey.distorted, survey.design, "education", "income", "sex = male",
        bins={"income": [0, 1500, 15000]}, original=survey.original,
    )  # fmt: skip
    assert found.raw.shape == (5, 2)
    assert np.allclose(cells(found), cells(found, "true"))
    assert np.allclose(cells(found, "naive"), cells(found, "true"))


def test_that_negative_cells_give_way_to_the_likeliest_table():
    table, design = random_table(30, 0.6, 0.5)
    found = crosstab(table, design, "a", "b")
    assert found.raw.min() < 0
    assert cells(found).min() >= 0
    assert cells(found).sum() == pytest.approx(30)
    assert any("removed by maximum likelihood" in remark for remark in found.remarks)
    # Intervals belong to the unbiased numbers, as far as these can be.
    possible = found.raw.clip(0, 30)
    assert np.all(cells(found, "low") <= possible)
    assert np.all(possible <= cells(found, "high"))
    assert np.all(cells(found, "low") < cells(found, "high"))


@pytest.mark.parametrize(
    ("perturbation", "flagged"),
    [
        (Retention(keep=0.6), False),
        (Additive(noise="normal", range_privacy=50), True),
    ],
)
def test_that_numbers_are_binned(make_survey, perturbation, flagged):
    survey = make_survey({"age": perturbation, "sex": Uniform(keep=0.9)})
    found = crosstab(
        survey.distorted, survey.design, "age", "sex",
        bins={"age": [18, 35, 60, 90]}, original=survey.original,
    )  # fmt: skip
    assert found.row_labels == ("18 to 34", "35 to 59", "60 to 90")
    error = cells(found, "standard_error")
    assert np.all(np.abs(found.raw - cells(found, "true")) < 4 * error + 40)
    assert any("smoothed" in remark for remark in found.remarks) == flagged


def test_that_a_single_record_gives_no_intervals():
    table, design = random_table(1)
    found = crosstab(table, design, "a", "b")
    assert np.all(np.isinf(cells(found, "standard_error")))


def test_that_one_attribute_twice_and_the_sequential_method_are_refused():
    table, design = random_table(9)
    with pytest.raises(ParameterError, match="2 different attributes"):
        crosstab(table, design, "a", "a")
    with pytest.raises(ParameterError, match="no sequential method"):
        crosstab(table, design, "a", "b", method="sequential")


def test_that_json_has_the_agreed_fields_per_cell():
    table, design = random_table(50)
    document = crosstab(table, design, "a", "b", original=table).to_json()
    agreed = {
        "row", "column", "estimate", "low", "high", "standard_error", "naive", "true", "raw",
        "interval",
    }  # fmt: skip
    assert len(document["cells"]) == 6
    assert set(document["cells"][0]) == agreed
    assert [cell["column"] for cell in document["cells"][:3]] == ["x", "y", "z"]


def test_that_the_test_of_independence_is_that_of_a_simple_random_sample():
    table, design = random_table(600)
    plain = crosstab(table, design, "a", "b").independence
    drawn = crosstab(table, design, "a", "b", options=SamplingOptions()).independence
    assert plain.f == pytest.approx(drawn.f, rel=1e-9)
    assert plain.degrees[0] == drawn.degrees[0] == 2


@pytest.mark.slow
def test_that_independent_attributes_are_called_dependent_by_chance_only():
    rejected, (_, design) = 0, random_table(1)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        truth = Table((Column(A, rng.integers(0, 2, 400)), Column(B, rng.integers(0, 3, 400))))
        told = distort(truth, design, SeededStreams(seed))
        rejected += crosstab(told, design, "a", "b").independence.p < 0.05
    # 10 of 200 on average; 3 standard errors to either side.
    assert 1 <= rejected <= 19


@pytest.mark.parametrize(("people", "told"), [
    (4, "Fewer than 5 people, so that p is rough: small."), (5, ""),
])  # fmt: skip
def test_that_a_test_with_a_tiny_group_is_marked_or_refused(people, told):
    groups = Attribute("g", Kind.NOMINAL, ("large", "small", "absent"))
    answers = Attribute("q", Kind.BINARY, ("no", "yes"))
    table = Table((
        Column(groups, np.repeat([0, 1], [100, people])),
        Column(answers, np.resize([0, 0, 1], 100 + people)),
    ))  # fmt: skip
    design = Design(
        (DesignedAttribute(groups, Identity()), DesignedAttribute(answers, Uniform(keep=0.8)))
    )
    found = crosstab(table, design, "g", "q")
    assert found.independence is not None
    assert " ".join(one for one in found.remarks if one.code == SMALL_GROUPS) == told
    refused = crosstab(table, design, "g", "q", test="adjusted-wald")
    assert refused.independence is None
    (why,) = [one for one in refused.remarks if one.code == SMALL_GROUPS]
    assert why.endswith("use the Rao-Scott test.")


def test_that_a_table_as_independence_expects_is_said_to_be_so():
    table = Table((Column(A, np.arange(600) % 2), Column(B, np.arange(600) % 3)))
    design = Design(tuple(DesignedAttribute(one, Identity()) for one in (A, B)))
    found = crosstab(table, design, "a", "b")
    assert found.association is not None
    assert found.association.startswith("All numbers are about as expected from independence. If")
    assert "would appear in almost all such surveys" in found.association
    assert "distorted" not in found.sentence
