"""One attribute drawn alone on Explore is what the whole table would give."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ppworkbench.analyses.experiments.draws import explored_column, simulate
from ppworkbench.analyses.experiments.runs import run_method
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Identity,
    Subset,
    UnaryEncoding,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.distort import distort
from ppworkbench.core.reconstruct import reconstruct_table
from ppworkbench.core.rng import SeededStreams
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
    (counted,) = drawn.sets
    assert counted.rows + drawn.not_asked == ROWS
    assert 0.4 * ROWS < counted.rows < 0.6 * ROWS


def test_that_arms_whose_sets_differ_are_drawn_and_estimated_together() -> None:
    study = split_study(None)
    other = (("d", UnaryEncoding(epsilon=2.0)),)
    silent = DesignArm("3", 0.2, (), ("d",))
    arms = Arms("version", (DesignArm("1", 0.5), DesignArm("2", 0.3, other), silent))
    study = study.with_perturbations({"d": UnaryEncoding(epsilon=1.0)})
    version = DesignedAttribute(Attribute("version", Kind.NOMINAL, ("1", "2", "3")), Identity())
    design = Design((*study.design.attributes, version), arms=arms)
    study = dataclasses.replace(study, design=design)
    drawn = simulate(explored_column(study, "d"), 11)
    told = distort(study.original, study.design, SeededStreams(11))
    found = reconstruct_table(told, study.design, ["d"])["d"]
    for method in ("eq", "em-as"):
        run = run_method(method, drawn)
        assert run.raw == pytest.approx(found.raw)
        assert np.all(run.low <= run.high)
    assert drawn.not_asked == int(np.count_nonzero(told["version"].data == 2))
    assert list(drawn.by_arm.arms) == ["1", "2"]
    assert drawn.by_arm.equality.df == 4
    assert "Wald" in str(drawn.by_arm.sentence)


def test_that_everybody_counts_where_all_are_asked() -> None:
    drawn = simulate(explored_column(split_study(None), "a"), 11)
    assert drawn.asked is None
    assert drawn.not_asked == 0
    assert drawn.counted.counts.sum() == ROWS
