"""Invented respondents: drawn distributions exactly, questions that go together, all designs."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pytest
from arm_studies import arm_design
from scipy.special import chdtrc
from studies import make_study

from ppworkbench.analyses.collecting.rehearsal import (
    RehearsalSettings,
    Strength,
    quantiles,
    rehearse,
)
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design import Design, DesignedAttribute, Identity, Uniform
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.sets import Subset
from ppworkbench.core.errors import DataError, ParameterError
from ppworkbench.core.privacy.prior import Prior, drawn_prior
from ppworkbench.core.progress import Cancelled
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.distorted_cache import distorted_answers
from ppworkbench.study.plan_choices import PlanChoices
from ppworkbench.study.state import why_not_rehearsed
from ppworkbench.study.study import PriorChoice, Study

SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
MOOD = Attribute("mood", Kind.ORDINAL, tuple("12345"))
TOWN = Attribute("town", Kind.NOMINAL, ("Riverside", "Łódź", "nowhere", "Harbour"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
PAY = Attribute("pay", Kind.INTEGER, domain=(0, 5_000))
WEIGHT = Attribute("weight", Kind.CONTINUOUS, domain=(-2, 6))
EXPECTED = {
    "smokes": (4.0, 1.0),
    "mood": (1.0, 2.0, 3.0, 2.0, 0.5),
    "town": (5.0, 3.0, 0.0, 2.0),
    "age": (1.0, 4.0, 2.0),
    "pay": (5.0, 3.0, 1.0, 0.0),
    "weight": (0.0, 1.0, 3.0, 0.0),
}


def unanswered(*attributes: Attribute) -> Study:
    """Questions with drawn expectations, and no answers."""
    asked = attributes or (SMOKES, MOOD, TOWN, AGE, PAY, WEIGHT)
    study = Study(design=Design(tuple(DesignedAttribute(a, Identity()) for a in asked)))
    for one in asked:
        study = study.with_choice(one.name, PriorChoice("drawn", EXPECTED[one.name]))
    return study


def settings(n: int = 500, seed: int | None = 7, **strengths: Strength) -> RehearsalSettings:
    return RehearsalSettings(n, seed, MappingProxyType(strengths))


def all_of(strength: Strength) -> dict[str, Strength]:
    return dict.fromkeys(EXPECTED, strength)


def ranks(data: np.ndarray) -> np.ndarray:
    """Ranks of answers, ties in any order."""
    return np.argsort(np.argsort(data, kind="stable"))


@pytest.mark.parametrize("strength", [Strength.NONE, Strength.STRONG, Strength.STRONG_OPPOSITE])
def test_that_every_question_has_exactly_its_drawn_distribution(strength):
    study = unanswered()
    table = rehearse(study, settings(40_000, **all_of(strength))).original
    assert table is not None
    for attribute in (SMOKES, MOOD, TOWN, AGE, PAY, WEIGHT):
        prior = drawn_prior(attribute, EXPECTED[attribute.name])
        data = table[attribute.name].data
        if prior.edges is None:
            counts = np.bincount(data, minlength=prior.k).astype(float)
        else:
            counts = np.histogram(data, prior.edges)[0].astype(float)
        expected = 40_000 * prior.probabilities
        possible = expected > 0
        assert counts[~possible].sum() == 0
        chi = float(((counts - expected)[possible] ** 2 / expected[possible]).sum())
        assert chdtrc(int(possible.sum()) - 1, chi) > 1e-3, attribute.name


def test_that_quantiles_of_a_fine_grid_give_every_share_to_the_point():
    """A uniform U through the quantile function has the distribution itself, without any draw."""
    grid = (np.arange(100_000) + 0.5) / 100_000
    for attribute in (SMOKES, MOOD, TOWN):
        prior = drawn_prior(attribute, EXPECTED[attribute.name])
        shares = np.bincount(quantiles(prior, grid), minlength=prior.k) / len(grid)
        assert np.abs(shares - prior.probabilities).max() <= 1e-5
    age = drawn_prior(AGE, EXPECTED["age"])
    years = np.bincount(quantiles(age, grid).astype(int) - 18, minlength=age.k) / len(grid)
    assert np.abs(years - age.probabilities).max() <= 2e-5
    numbers = quantiles(drawn_prior(WEIGHT, EXPECTED["weight"]), grid)
    assert (np.diff(numbers) >= 0).all()
    assert (numbers.min(), numbers.max()) == pytest.approx((0.0, 4.0), abs=1e-3)
    # Whole numbers of a wide domain have cells of many; each number of a cell is as likely.
    pay = quantiles(Prior.uniform(PAY), (np.arange(500_100) + 0.5) / 500_100)
    assert np.bincount(pay.astype(int)).tolist() == pytest.approx([100] * 5_001, abs=20)


def test_that_the_ends_of_the_unit_interval_are_possible_answers():
    ends = np.array([0.0, 1.0 - 1e-16, 1.0])
    for attribute in (SMOKES, TOWN, AGE, PAY, WEIGHT):
        prior = drawn_prior(attribute, EXPECTED[attribute.name])
        found = quantiles(prior, ends)
        if prior.edges is None:
            assert (prior.probabilities[found] > 0).all()
        else:
            likely = np.flatnonzero(prior.probabilities)
            assert prior.edges[likely[0]] <= found.min()
            assert found.max() <= prior.edges[likely[-1] + 1]
            assert attribute.domain is not None
            assert attribute.domain[0] <= found.min() <= found.max() <= attribute.domain[1]


def test_that_questions_go_together_as_their_loadings_say():
    """Between uniform numbers the rank correlation is 6/π·asin(λ₁λ₂/2)."""
    asked = unanswered(WEIGHT, AGE, PAY)
    chosen = {
        "weight": Strength.STRONG, "age": Strength.STRONG_OPPOSITE, "pay": Strength.NONE,
    }  # fmt: skip
    table = rehearse(asked, settings(20_000, **chosen)).original
    assert table is not None
    found = np.corrcoef([ranks(table[name].data) for name in ("weight", "age", "pay")])
    expected = 6 / np.pi * np.arcsin(-(0.7**2) / 2)
    assert found[0, 1] == pytest.approx(expected, abs=0.02)
    assert found[0, 2] == pytest.approx(0, abs=0.03)


def test_that_a_question_answers_the_same_whatever_else_is_asked():
    few = rehearse(unanswered(SMOKES, AGE), settings()).original
    many = rehearse(unanswered(), settings()).original
    assert few is not None
    assert many is not None
    assert np.array_equal(few["age"].data, many["age"].data)
    other = rehearse(unanswered(), settings(seed=8)).original
    assert other is not None
    assert not np.array_equal(other["age"].data, many["age"].data)


def test_that_a_rehearsed_study_is_invented_and_expects_what_it_expected():
    study = unanswered()
    rehearsed = rehearse(study, settings(seed=11))
    assert rehearsed.state is AnswerState.INVENTED
    assert (rehearsed.rows, rehearsed.settings.seed) == (500, 11)
    assert rehearsed.settings.respondents == study.settings.respondents
    for name in study.design.names:
        assert rehearsed.choice(name) == study.choice(name)
        assert np.array_equal(rehearsed.prior(name).probabilities, study.prior(name).probabilities)
    again = rehearse(rehearsed, settings(300, seed=12))
    assert (again.state, again.rows) == (AnswerState.INVENTED, 300)
    assert RehearsalSettings.of(again).n == 300


def test_that_real_answers_are_never_replaced_by_invented_ones():
    with pytest.raises(DataError, match="true answers"):
        rehearse(make_study())
    reported = make_study()
    kept = distorted_answers(reported)
    with pytest.raises(DataError, match="reported answers"):
        rehearse(Study.of_distorted(kept.distorted, reported.design, "reported"))
    assert why_not_rehearsed(Study()) == "There are no questions to simulate answers to yet."
    with pytest.raises(ParameterError):
        RehearsalSettings(0)


def test_that_skipped_questions_are_missing_as_often_as_expected():
    study = unanswered().with_(
        plan=PlanChoices(skipped=0.1, own=MappingProxyType({"age": {"skipped": 0.4}}))
    )
    table = rehearse(study, settings(10_000)).original
    assert table is not None
    assert table["mood"].missing_count / 10_000 == pytest.approx(0.1, abs=0.015)
    assert table["age"].missing_count / 10_000 == pytest.approx(0.4, abs=0.025)


def test_that_arms_groups_sets_and_lists_are_reported_by_the_design():
    arms = Arms("version", (DesignArm("short", 0.5), DesignArm("long", 0.5)))
    theft = Attribute("theft", Kind.BINARY, ("no", "yes"))
    items = ("owns a bicycle", "has a dog")
    listed = ListQuestion(theft, "theft_count", items, ("short",), ("long",))
    town = Attribute("town", Kind.NOMINAL, tuple("abcdefghijklmn"))
    version = Attribute("version", Kind.NOMINAL, ("short", "long"))
    design = Design(
        (
            DesignedAttribute(SMOKES, Uniform(keep=0.75)),
            DesignedAttribute(town, Subset(epsilon=1.0)),
            DesignedAttribute(version, Identity()),
            DesignedAttribute(listed.count_attribute, Identity()),
        ),
        arms=arms,
        lists=(listed,),
    )
    study = rehearse(Study(design=design), settings(400))
    assert study.original is not None
    assert {"theft", "owns a bicycle", "has a dog"} <= set(study.original.names)
    found = distorted_answers(study).distorted
    assert set(found.names) == set(design.names)
    assert found["town"].is_set
    assert set(np.unique(found["theft_count"].data)) <= {0, 1, 2, 3}
    rehearsed = rehearse(Study(design=arm_design()), settings(400))
    told = distorted_answers(rehearsed).distorted
    assert told["pay"].missing_count > 0
    assert set(told["version"].attribute.values) == {"A", "B", "direct"}
    grouped = Design(
        tuple(DesignedAttribute(a, Identity()) for a in (SMOKES, theft)),
        groups=(Group(("smokes", "theft"), "related", 0.6),),
    )
    both = distorted_answers(rehearse(Study(design=grouped), settings(400))).distorted
    assert both.rows == 400


def test_that_people_are_asked_some_parts_and_drawn_as_the_sample_says():
    sizes = Attribute("size", Kind.INTEGER, domain=(100, 900))
    region = Attribute("region", Kind.NOMINAL, ("north", "south"))
    design = Design(
        (
            DesignedAttribute(SMOKES, Uniform(keep=0.75)),
            DesignedAttribute(MOOD, Uniform(keep=0.75)),
            DesignedAttribute(sizes, Identity()),
            DesignedAttribute(region, Identity()),
        ),
        sampling=Sampling(stratum=("region",), population="size"),
        budget=DesignBudget(ask=1),
    )
    study = rehearse(Study(design=design), settings(300))
    assert study.original is not None
    assert set(study.original["size"].data) == {900.0}
    found = distorted_answers(study).distorted
    assert found["smokes"].missing_count + found["mood"].missing_count == 300


def test_that_a_rehearsal_can_be_cancelled():
    def cancelled(share: float, message: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        rehearse(unanswered(), settings(), cancelled)
