"""Values as yes-or-no questions, randomised one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ppworkbench as pp


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    colour = rng.choice(["red", "green", "blue"], 600)
    bought = np.where((colour == "red") ^ (rng.random(600) < 0.1), "yes", "no")
    age = rng.integers(18, 90, 600)
    return pd.DataFrame({"colour": colour, "age": age, "bought": bought}, index=range(1000, 1600))


def test_that_each_value_and_interval_is_a_question(frame) -> None:
    questions = pp.binarise(frame, class_name="bought", bins=4)
    answers = questions.answers(frame)
    assert list(answers.columns) == [*questions.names, "bought"]
    assert answers.index.equals(frame.index)
    assert (answers["colour = red"] == "yes").equals(frame["colour"] == "red")
    ages = [name for name in questions.names if name.startswith("age = ")]
    assert len(ages) == 4
    assert ((answers[ages] == "yes").sum(axis=1) == 1).all()
    assert (answers["bought"] == frame["bought"]).all()


def test_that_questions_are_randomised_one_by_one_and_learnt_from(frame) -> None:
    questions = pp.binarise(frame, class_name="bought")
    design = questions.design(keep_yes=0.8, keep_no=0.9)
    true = questions.answers(frame)
    reported = pp.distort(true, design, seed=3)
    names = [name for name in questions.names if name.startswith("colour")]
    # A person may report two colours, or none: each question is drawn by itself.
    assert (reported[names] == "yes").sum(axis=1).nunique() > 2
    share = pp.Survey(reported, design).share("'colour = red' = yes")
    assert share.low < (frame["colour"] == "red").mean() < share.high
    model = pp.EagerPatterns(design=design, present_only=True)
    model.fit(reported.drop(columns="bought"), reported["bought"])
    unseen = questions.answers(frame.drop(columns="bought"))
    assert (model.predict(unseen) == frame["bought"].to_numpy()).mean() > 0.8


def test_that_missing_answers_are_missing_in_all_their_questions(frame) -> None:
    frame.loc[1003, "colour"] = None
    answers = pp.binarise(frame).answers(frame)
    colours = [name for name in answers.columns if name.startswith("colour")]
    assert answers.loc[1003, colours].isna().all()
    assert answers.drop(index=1003)[colours].notna().all(axis=None)


def test_that_wrong_arguments_are_refused(frame) -> None:
    with pytest.raises(pp.WorkbenchError, match="no column 'nothing' for the class"):
        pp.binarise(frame, class_name="nothing")
    with pytest.raises(pp.WorkbenchError, match="Intervals is 0; it must lie between 2"):
        pp.binarise(frame, bins=0)
    with pytest.raises(pp.WorkbenchError, match="must lie between 0 and 1"):
        pp.binarise(frame).design(keep_yes=1.5)
