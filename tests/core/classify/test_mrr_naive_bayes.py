"""Naive Bayes on questions that share coins, and accuracy estimated on randomised records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.classify import MrrNaiveBayes
from ppworkbench.core.classify.mrr_naive_bayes import undo_shared_coin, undo_two_coins
from ppworkbench.core.classify.randomised_accuracy import estimate_accuracy
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Group, Identity, Unrelated
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DesignError
from ppworkbench.core.rng import SeededStreams


def survey(rows: int, seed: int = 1) -> Table:
    """Yes-or-no questions, three of which go with the class."""
    rng = np.random.default_rng(seed)
    ill = rng.random(rows) < 0.4
    columns = []
    for number, (yes, no) in enumerate([(0.8, 0.3), (0.3, 0.7), (0.7, 0.4), (0.5, 0.5)]):
        answer = rng.random(rows) < np.where(ill, yes, no)
        columns.append(Column(Attribute(f"q{number}", Kind.BINARY, ("no", "yes")), answer))
    columns.append(Column(Attribute("ill", Kind.BINARY, ("no", "yes")), ill))
    return Table(tuple(columns), "ill")


def grouped(table: Table, *groups: Group) -> Design:
    attributes = tuple(DesignedAttribute(a, Identity()) for a in table.attributes)
    return Design(attributes, "ill", groups)


joints = st.lists(st.floats(0.01, 1), min_size=4, max_size=4).map(
    lambda cells: np.array(cells).reshape(2, 2) / sum(cells)
)


@given(joints, st.floats(0.1, 0.95), st.floats(0.1, 0.9))
def test_that_the_unrelated_coin_is_undone_exactly(
    joint: np.ndarray, theta: float, yes: float
) -> None:
    personal = (1 - yes, yes)
    group = Group(("a", "c"), "unrelated", theta, (("a", personal),))
    published = theta * joint + (1 - theta) * np.outer(personal, (0.5, 0.5))
    assert np.allclose(undo_shared_coin(published, group, "a", "c"), joint)


@given(joints, st.floats(0.6, 0.95))
def test_that_the_related_coin_is_undone_exactly(joint: np.ndarray, theta: float) -> None:
    group = Group(("a", "c"), "related", theta)
    published = theta * joint + (1 - theta) * joint[::-1, ::-1]
    assert np.allclose(undo_shared_coin(published, group, "a", "c"), joint)


@given(joints, st.floats(0.2, 0.95), st.floats(0.2, 0.95))
def test_that_two_coins_are_undone_by_the_product_form(
    joint: np.ndarray, one: float, other: float
) -> None:
    a, c = Unrelated(theta=one).matrix(2), Unrelated(theta=other).matrix(2)
    half = np.full(2, 0.5)
    p_a, p_c = joint.sum(axis=1), joint.sum(axis=0)
    published = (
        one * other * joint
        + one * (1 - other) * np.outer(p_a, half)
        + (1 - one) * other * np.outer(half, p_c)
        + (1 - one) * (1 - other) * np.outer(half, half)
    )
    assert np.allclose(undo_two_coins(published, a, c), joint)


@pytest.mark.parametrize(
    "groups",
    [
        (Group(("q0", "q1", "q2", "q3", "ill"), "unrelated", 0.6),),
        (Group(("q0", "q1", "q2", "q3", "ill"), "related", 0.75),),
        (Group(("q0", "q1"), "unrelated", 0.7), Group(("q2", "q3", "ill"), "unrelated", 0.7)),
        (Group(("q0", "q1", "q2", "q3"), "related", 0.8),),
    ],
    ids=["unrelated", "related", "two groups", "class left alone"],
)
def test_that_grouped_records_teach_what_original_ones_do(groups: tuple[Group, ...]) -> None:
    table, test = survey(20_000), survey(4_000, seed=2)
    design = grouped(table, *groups)
    seen = distort(table, design, SeededStreams(3))
    learnt = MrrNaiveBayes(design=design).fit(seen)
    original = MrrNaiveBayes().fit(table)
    for found, true in zip(learnt.feature_log_prob_, original.feature_log_prob_, strict=True):
        # Six standard errors of a share of 8,000 records under coins that keep 0.35 or more.
        assert np.allclose(np.exp(found), np.exp(true), atol=6 * 0.5 / np.sqrt(8_000) / 0.35)
    assert learnt.score(test) > original.score(test) - 0.02


@pytest.mark.parametrize(
    "groups",
    [
        (Group(("q0", "q1", "q2", "q3", "ill"), "unrelated", 0.6),),
        (Group(("q0", "q1", "q2", "q3", "ill"), "related", 0.8),),
        (Group(("q0", "q1"), "unrelated", 0.7), Group(("q2", "q3", "ill"), "unrelated", 0.7)),
    ],
    ids=["unrelated", "related", "two groups"],
)
def test_that_accuracy_is_estimated_on_randomised_records(groups: tuple[Group, ...]) -> None:
    table, test = survey(5_000), survey(10_000, seed=2)
    design = grouped(table, *groups)
    model = MrrNaiveBayes(design=design).fit(distort(table, design, SeededStreams(3)))
    randomised = distort(test, design, SeededStreams(4))
    told = estimate_accuracy(model, randomised, design, draws=4)
    assert told.standard_error < 0.03
    assert told.accuracy == pytest.approx(model.score(test), abs=4 * told.standard_error)
    assert model.score(randomised) < model.score(test)


def test_that_the_related_question_at_one_half_is_refused_in_one_sentence() -> None:
    table = survey(100)
    design = grouped(table, Group(("q0", "q1", "q2", "q3", "ill"), "related", 0.5))
    with pytest.raises(DesignError, match=r"is not informative"):
        MrrNaiveBayes(design=design).fit(distort(table, design, SeededStreams(1)))
