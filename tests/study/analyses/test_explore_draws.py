"""One attribute drawn alone on Explore is what the whole table would give."""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Design, DesignedAttribute, Subset, Uniform
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.study.analyses.explore.draws import explored_column, simulate
from ppworkbench.study.study import Study, StudySettings

NAMES = ("a", "b", "c", "d")
ROWS = 4_000


def split_study(ask: int | None) -> Study:
    """Four questions, of which every person gets some; the last one is answered by sets."""
    random = np.random.default_rng(5)
    attributes = [Attribute(name, Kind.NOMINAL, tuple("uvwxy")) for name in NAMES]
    table = Table(tuple(Column(a, random.integers(0, 5, ROWS).astype(np.int8)) for a in attributes))
    designed = [DesignedAttribute(a, Uniform(keep=0.7)) for a in attributes[:3]]
    designed.append(DesignedAttribute(attributes[3], Subset(epsilon=1.0)))
    design = Design(tuple(designed), budget=DesignBudget(ask=ask))
    return Study("split", table, design=design, settings=StudySettings(respondents=ROWS, seed=11))


@pytest.mark.parametrize("name", ["a", "c"])
def test_that_only_those_count_whom_the_question_is_asked_of(name: str) -> None:
    study = split_study(2)
    whole = distort(study.original, study.design, SeededStreams(11))
    codes = whole[name].data
    drawn = simulate(explored_column(study, name), 11)
    assert drawn.counted.counts.tolist() == np.bincount(codes[codes >= 0], minlength=5).tolist()
    assert drawn.not_asked == np.count_nonzero(codes < 0)
    assert np.array_equal(drawn.asked, codes >= 0)
    told = study.original[name].data[codes >= 0]
    assert np.allclose(drawn.original, np.bincount(told, minlength=5) / len(told))


def test_that_sets_are_counted_of_those_who_are_asked() -> None:
    drawn = simulate(explored_column(split_study(2), "d"), 11)
    assert drawn.sets.rows + drawn.not_asked == ROWS
    assert 0.4 * ROWS < drawn.sets.rows < 0.6 * ROWS


def test_that_everybody_counts_where_all_are_asked() -> None:
    drawn = simulate(explored_column(split_study(None), "a"), 11)
    assert drawn.asked is None
    assert drawn.not_asked == 0
    assert drawn.counted.counts.sum() == ROWS
