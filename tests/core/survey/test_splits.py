"""The share that meets a condition, by another attribute."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
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
from ppworkbench.core.survey.splits import split_share

CONDITION = "fare_evasion = yes and district in {Riverside, Harbour}"


def values(split, what="estimate"):
    return np.array([getattr(share, what) for share in split.shares if share])


@pytest.mark.parametrize("by", ["district", "education", "children", "income"])
def test_that_without_distortion_the_shares_are_the_truth(make_survey, by):
    names = dict.fromkeys(("district", "fare_evasion", "education", "children", "income"))
    survey = make_survey(names)
    condition = "fare_evasion = yes"
    split = split_share(survey.distorted, survey.design, by, condition, original=survey.original)
    assert np.allclose(values(split), values(split, "true"), atol=1e-9)
    assert np.allclose(values(split, "naive"), values(split, "true"))


def test_that_shares_are_ratios_of_joint_counts(make_survey):
    survey = make_survey({"district": Uniform(keep=0.6), "fare_evasion": Uniform(keep=0.8)})
    split = split_share(survey.distorted, survey.design, "district", "fare_evasion = yes")
    for label, share, size in zip(split.labels, split.shares, split.sizes, strict=True):
        inside = f"district = '{label}'"
        both = count(survey.distorted, survey.design, f"fare_evasion = yes and {inside}")
        alone = count(survey.distorted, survey.design, inside)
        assert size == pytest.approx(alone.value.estimate)
        assert share.estimate == pytest.approx(both.value.estimate / alone.value.estimate)


def test_that_tests_of_the_attribute_itself_are_left_out(make_survey):
    survey = make_survey({"district": Uniform(keep=0.6), "fare_evasion": Uniform(keep=0.8)})
    limited = split_share(survey.distorted, survey.design, "district", CONDITION)
    free = split_share(survey.distorted, survey.design, "district", "fare_evasion = yes")
    assert values(limited) == pytest.approx(values(free))
    assert str(limited.condition) == "fare_evasion = yes"


def test_that_a_condition_on_nothing_else_is_refused(make_survey):
    survey = make_survey({"district": Uniform(keep=0.6)})
    with pytest.raises(ParameterError, match="nothing to split by 'district'"):
        split_share(survey.distorted, survey.design, "district", "district = Harbour")


@pytest.mark.parametrize("seed", range(3))
def test_that_intervals_hold_the_truth(make_survey, seed):
    perturbations = {
        "district": Uniform(keep=0.6),
        "fare_evasion": Uniform(keep=0.8),
        "age": Retention(keep=0.6),
    }
    survey = make_survey(perturbations, seed=seed)
    split = split_share(
        survey.distorted, survey.design, "district", "fare_evasion = yes and age < 40",
        original=survey.original, confidence=0.9999,
    )  # fmt: skip
    # Seven intervals of 99.99 %: one of them fails once in about 1,400 seeds.
    assert (values(split, "low") <= values(split, "true")).all()
    assert (values(split, "true") <= values(split, "high")).all()


@pytest.mark.slow
def test_that_the_standard_error_is_that_of_many_draws(make_survey):
    survey = make_survey({"sex": Uniform(keep=0.8), "car": Uniform(keep=0.7)}, rows=800)
    original, design = survey.original, survey.design
    draws = [distort(original, design, SeededStreams(seed)) for seed in range(200)]
    found = [split_share(told, design, "sex", "car = yes") for told in draws]
    spread = np.std([values(split) for split in found], axis=0, ddof=1)
    told = np.mean([values(split, "standard_error") for split in found], axis=0)
    # The reported error also covers who happened to answer, which is small beside the draw.
    share = values(split_share(original, _plain(design), "sex", "car = yes"))
    sampling = np.sqrt(share * (1 - share) / 400)
    # 200 draws know a deviation to 1 / sqrt(400) = 5 %; four times that.
    assert np.hypot(spread, sampling) == pytest.approx(told, rel=0.2)


def _plain(design):
    return Design(tuple(DesignedAttribute(d.attribute, Identity()) for d in design))


def test_that_one_coin_for_both_attributes_is_undone_as_one(make_survey):
    group = Group(("fare_evasion", "drug_use"), "unrelated", 0.6)
    survey = make_survey(dict.fromkeys(group.attributes), groups=(group,))
    split = split_share(
        survey.distorted, survey.design, "drug_use", "fare_evasion = yes",
        original=survey.original, confidence=0.9999,
    )  # fmt: skip
    assert (values(split, "low") <= values(split, "true")).all()
    assert (values(split, "true") <= values(split, "high")).all()


def test_that_strong_noise_is_bounded_and_says_so(make_survey):
    survey = make_survey(
        {"income": Additive(noise="normal", range_privacy=100), "car": Uniform(keep=0.8)}
    )
    split = split_share(survey.distorted, survey.design, "income", "car = yes")
    assert any("worst-case bounds" in remark for remark in split.remarks)
    assert np.isfinite([share.estimate for share in split.shares if share]).all()


def test_that_a_single_record_has_no_interval():
    sex = Attribute("sex", Kind.BINARY, ("F", "M"))
    vote = Attribute("vote", Kind.BINARY, ("yes", "no"))
    table = Table((Column(sex, [0]), Column(vote, [0])))
    design = Design(
        (DesignedAttribute(sex, Uniform(keep=0.9)), DesignedAttribute(vote, Uniform(keep=0.9)))
    )
    split = split_share(table, design, "sex", "vote = yes")
    assert np.isinf(split.shares[0].standard_error)
    assert split.shares[1] is None


def test_that_sizes_count_people_whatever_they_stand_for():
    town = Attribute("town", Kind.BINARY, ("a", "b"))
    vote = Attribute("vote", Kind.BINARY, ("no", "yes"))
    weight = Attribute("weight", Kind.CONTINUOUS, domain=(0.0, 100.0))
    table = Table((
        Column(town, np.repeat([0, 1], [30, 70])),
        Column(vote, np.resize([0, 1, 1], 100)),
        Column(weight, np.repeat([50.0, 2.0], [30, 70])),
    ))  # fmt: skip
    design = Design((DesignedAttribute(town, Identity()), DesignedAttribute(vote, Identity())))
    for sampling in (None, Sampling("weight")):
        found = split_share(table, design, "town", "vote = yes", sampling=sampling)
        assert found.sizes == pytest.approx([30, 70])
