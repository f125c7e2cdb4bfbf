"""Belief in the sensitive answers, and the marks that travel with an attribute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from designs import classic_study
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data import edits
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.codebook import attribute_from_json, attribute_to_json
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Related, Uniform
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.belief import sensitive_belief
from ppworkbench.core.privacy.joint import Joint
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.utility.goal_seek import Question, Target, measured, seek

CHEATED = Attribute("cheated", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
DRINKS = Attribute(
    "drinks",
    Kind.ORDINAL,
    ("never", "rarely", "monthly", "weekly", "daily"),
    sensitive=("weekly", "daily"),
)


def joint(attribute: Attribute, keep: float, shares: list[float]) -> Joint:
    return Joint.of(Uniform(keep=keep).matrix(attribute.k), np.array(shares) / sum(shares))


def test_that_belief_speaks_of_the_marked_answer_and_not_of_the_surest() -> None:
    report = assess_attribute((CHEATED, Related(theta=0.75)), Prior.from_weights(CHEATED, [9, 1]))
    assert report.privacy["belief"].value == pytest.approx(0.25)
    assert report.privacy["worst_posterior"].value == pytest.approx(27 / 28)
    said = report.to_json()
    assert said["privacy"]["belief_prior"] == pytest.approx(0.1)
    assert said["belief_of"] == said["sensitive"] == ["yes"]


def test_that_without_a_mark_the_rarest_answer_is_meant_and_named() -> None:
    plain = CHEATED.with_(sensitive=())
    report = assess_attribute((plain, Related(theta=0.75)), Prior.from_weights(plain, [1, 9]))
    assert "“no” is the rarest" in report.privacy["belief"].sentence
    assert report.to_json()["belief_of"] == ["no"]
    assert report.to_json()["sensitive"] == []


@pytest.mark.parametrize(
    ("shares", "said"),
    [
        ([1, 1, 1, 1, 1], "and all are equally frequent."),
        ([4, 3, 1, 1, 1], "“daily” is one of the rarest."),
        ([5, 4, 3, 2, 1], "“daily” is the rarest."),
    ],
)
def test_that_equally_frequent_answers_are_not_called_the_rarest(
    shares: list[float], said: str
) -> None:
    plain = DRINKS.with_(sensitive=())
    report = assess_attribute((plain, Uniform(keep=0.5)), Prior.from_weights(plain, shares))
    assert report.privacy["belief"].sentence.endswith(said)


def test_that_several_answers_are_believed_together() -> None:
    found = sensitive_belief(joint(DRINKS, 0.4, [36, 27, 22, 10, 5]), DRINKS)
    assert found.before == pytest.approx(0.15)
    # A reported "weekly" may also be a "daily" that was replaced.
    assert found.after == pytest.approx((0.4 * 0.10 + 0.15 * 0.05) / (0.15 + 0.25 * 0.10))
    assert found.odds_factor == pytest.approx(found.after / (1 - found.after) * 85 / 15)


@given(
    st.floats(0.01, 0.99),
    st.lists(st.floats(0.01, 1), min_size=5, max_size=5),
    st.sets(st.integers(0, 4), min_size=1, max_size=4),
)
def test_that_belief_lies_between_the_prior_and_what_epsilon_allows(
    keep: float, shares: list[float], places: set[int]
) -> None:
    asked = DRINKS.with_(sensitive=tuple(DRINKS.values[place] for place in places))
    found = sensitive_belief(joint(asked, keep, shares), asked)
    matrix = Uniform(keep=keep).matrix(5)
    most = found.before * math.exp(math.log(matrix.max() / matrix.min()))
    assert found.before - 1e-9 <= found.after <= most / (most + 1 - found.before) + 1e-9


def test_that_belief_and_half_width_can_be_aimed_at() -> None:
    prior = Prior.from_weights(CHEATED, [8, 2])
    # Two values: the odds may grow to 0.6/0.4 · 0.8/0.2 = 6, so keep is 6/7.
    found = seek(CHEATED, Uniform(), "keep", Target("belief", 0.6), prior)
    assert found.keep == pytest.approx(6 / 7)
    question = Question(CHEATED, prior, 2000)
    forced = Forced(p_truth=0.7)
    assert 100 * measured("half_width", question, forced) == pytest.approx(2.8, abs=0.05)
    assert measured("belief", question, forced) == pytest.approx(0.5862, abs=1e-4)
    drinks = Question(DRINKS, Prior.from_weights(DRINKS, [36, 27, 22, 10, 5]), 2000)
    assert 100 * measured("half_width", drinks, Uniform(keep=0.4)) == pytest.approx(8.29, abs=0.01)


def test_that_the_half_width_is_that_of_simulated_surveys() -> None:
    shares, n = np.array([36, 27, 22, 10, 5]) / 100, 2000
    matrix = Uniform(keep=0.4).matrix(5)
    counts = np.random.default_rng(5).multinomial(n, matrix @ shares, size=4000)
    estimates = (counts / n) @ np.linalg.inv(matrix).T
    spread = estimates[:, 3:].sum(axis=1).std()
    question = Question(DRINKS, Prior.from_weights(DRINKS, shares), n)
    assert measured("half_width", question, Uniform(keep=0.4)) == pytest.approx(
        1.96 * spread, rel=0.05
    )


@pytest.mark.parametrize("marked", [("maybe",), ("no", "yes")])
def test_that_a_mark_that_means_nothing_is_refused(marked: tuple[str, ...]) -> None:
    with pytest.raises(DataError, match="sensitive"):
        Attribute("cheated", Kind.BINARY, ("no", "yes"), sensitive=marked)
    given_ = design_to_json(Design((DesignedAttribute(CHEATED, Uniform()),)))
    given_["attributes"]["cheated"]["sensitive"] = list(marked)
    with pytest.raises(DesignError, match="sensitive"):
        design_from_json(given_)


def test_that_marks_are_kept_in_designs_and_codebooks() -> None:
    design = Design((DesignedAttribute(DRINKS, Uniform(keep=0.4)),))
    assert design_from_json(design_to_json(design)) == design
    assert design["drinks"].attribute.sensitive == ("weekly", "daily")
    assert attribute_from_json(attribute_to_json(DRINKS)) == DRINKS
    plain = DesignedAttribute(DRINKS.with_(sensitive=()), Uniform())
    assert "sensitive" not in design_to_json(Design((plain,)))["attributes"]["drinks"]


def test_that_marks_follow_renamed_and_merged_answers() -> None:
    table = Table((Column(DRINKS, np.array([0, 1, 2, 3, 4])),))
    renamed = edits.rename_value(table, "drinks", "daily", "every day")
    assert renamed["drinks"].attribute.sensitive == ("weekly", "every day")
    merged = edits.merge_values(table, "drinks", ["monthly", "weekly"], "often")
    assert merged["drinks"].attribute.sensitive == ("often", "daily")
    gone = edits.mark_missing(table, "drinks", ["daily"])
    assert gone["drinks"].attribute.sensitive == ("weekly",)


def test_that_a_study_marks_table_and_design_and_keeps_the_mark_in_edits() -> None:
    table = Table((Column(DRINKS.with_(sensitive=()), np.array([0, 1, 2, 3, 4])),))
    study = classic_study(table, "Drinks").with_sensitive("drinks", ("daily",))
    assert study.design["drinks"].attribute.sensitive == ("daily",)
    assert study.attribute("drinks").sensitive == ("daily",)
    edited = edits.rename_value(study.original, "drinks", "daily", "every day")
    assert study.with_table(edited).design["drinks"].attribute.sensitive == ("every day",)
