"""Classifiers whose probabilities are averaged."""

from __future__ import annotations

import numpy as np
import pytest
from learnable import distorted, mixed_table, moderate_design

from ppworkbench.core.classify import AveragedEnsemble, NaiveBayes
from ppworkbench.core.errors import ParameterError

TABLE = mixed_table(300, classes=3, seed=6)
DESIGN = moderate_design(TABLE)
SEEN = distorted(TABLE, DESIGN)


def test_that_a_panel_of_one_says_what_that_one_says() -> None:
    alone = NaiveBayes(design=DESIGN).fit(SEEN)
    panel = AveragedEnsemble(design=DESIGN, voices=("naive-bayes",)).fit(SEEN)
    assert list(panel.classes_) == list(alone.classes_)
    assert np.allclose(panel.predict_proba(TABLE), alone.predict_proba(TABLE))


def test_that_probabilities_are_the_mean_of_those_of_the_members() -> None:
    panel = AveragedEnsemble(design=DESIGN).fit(SEEN)
    assert len(panel.members_) == 4
    means = np.mean([member.predict_proba(TABLE) for member in panel.members_], axis=0)
    assert np.allclose(panel.predict_proba(TABLE), means)


def test_that_an_empty_panel_is_refused_in_one_sentence() -> None:
    with pytest.raises(ParameterError, match="at least 1 member"):
        AveragedEnsemble(design=DESIGN, voices=()).fit(SEEN)
