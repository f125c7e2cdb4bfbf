"""A release holds nothing of the truth but what the design lets through."""

from __future__ import annotations

import json

import numpy as np
import pytest
from examples import sweep
from releasing import MARKER, ROWS, SECRET, contents

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.files import codebook_of, read_table
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Identity,
    Multiplicative,
    Retention,
    Uniform,
)
from ppworkbench.core.design.design_file import design_from_json, publishable
from ppworkbench.core.design.release import (
    UNSAFE_SEED,
    ReleaseOptions,
    release_table,
)
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.progress import Cancelled, StoppableProgress

pytestmark = pytest.mark.thorough

FORMATS = ("csv", "xlsx", "parquet", "sav", "dta", "arff")


@pytest.mark.parametrize("suffix", sweep(FORMATS, quick=("csv", "parquet", "sav")))
def test_that_planted_answers_never_appear_in_a_release(people, design, tmp_path, suffix):
    release = release_table(people, design, tmp_path / f"out.{suffix}")
    assert release.rows == ROWS
    assert release.secure
    held = contents(tmp_path)
    assert SECRET.encode() not in held
    assert b"Quistgaard" not in held
    assert b"4321.09" not in held
    assert np.float64(MARKER).tobytes() not in held
    back = read_table(tmp_path / f"out.{suffix}")
    assert "name" not in back
    assert MARKER not in back["income"].data
    assert any("name" in note for note in release.notes)


@pytest.mark.parametrize("suffix", FORMATS)
def test_that_a_release_carries_its_design_and_no_seed(people, design, tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    release = release_table(people, design, path)
    codebook = codebook_of(path)
    assert codebook is not None
    assert codebook.design is not None
    assert design_from_json(codebook.design) == release.design == publishable(design)
    assert "seed" not in json.dumps(codebook.to_json())


def test_that_a_study_with_a_seed_does_not_write_it_down(people, design, tmp_path):
    seed = 987_654_321_123
    release = release_table(people, design, tmp_path / "out.csv", ReleaseOptions(seed=seed))
    assert not release.secure
    assert UNSAFE_SEED in release.notes
    assert str(seed).encode() not in contents(tmp_path)


def test_that_the_same_seed_gives_the_same_file_and_a_release_never_does(people, design, tmp_path):
    for name, seed in (("a", 7), ("b", 7), ("c", None), ("d", None)):
        release_table(people, design, tmp_path / f"{name}.csv", ReleaseOptions(seed=seed))
    a, b, c, d = ((tmp_path / f"{name}.csv").read_bytes() for name in "abcd")
    assert a == b
    assert len({a, c, d}) == 3


def test_that_released_numbers_lie_on_the_published_grid(people, design, tmp_path):
    release = release_table(people, design, tmp_path / "out.csv")
    perturbation = release.design["income"].perturbation
    assert isinstance(perturbation, Additive)
    grid = perturbation.grid
    assert grid == 0.1
    income = read_table(tmp_path / "out.csv")["income"].data
    assert np.abs(income / grid - np.rint(income / grid)).max() < 1e-6
    lines = (tmp_path / "out.csv").read_text().splitlines()[1:]
    assert max(len(line.split(",")[0].partition(".")[2]) for line in lines) == 1


@pytest.mark.parametrize(
    "perturbation",
    [
        Additive(noise="normal", sigma=700.0),
        Additive(noise="uniform", half_width=700.0, truncate=True),
        Multiplicative(sigma=0.3),
        Retention(keep=0.5),
    ],
)
def test_that_every_noise_is_published_on_a_grid(people, tmp_path, perturbation):
    designed = DesignedAttribute(people["income"].attribute, perturbation)
    release = release_table(people, Design((designed,)), tmp_path / "out.parquet")
    grid = release.design["income"].perturbation.grid
    assert grid is not None
    income = read_table(tmp_path / "out.parquet")["income"].data
    assert np.abs(income / grid - np.rint(income / grid)).max() < 1e-6


def test_that_an_answer_outside_of_the_design_stops_the_release_and_leaves_nothing(
    people, tmp_path
):
    narrow = Attribute("voted", Kind.NOMINAL, ("yes", "perhaps"))
    design = Design((DesignedAttribute(narrow, Uniform(keep=0.7)),))
    with pytest.raises(DesignError, match="which is not in the design"):
        release_table(people, design, tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_that_a_cancelled_release_leaves_nothing_and_keeps_the_former_file(
    people, design, tmp_path
):
    target = tmp_path / "out.csv"
    target.write_text("former")
    progress = StoppableProgress(lambda done, message: progress.stop() if done > 0.4 else None)
    with pytest.raises(Cancelled):
        release_table(people, design, target, progress=progress)
    assert target.read_text() == "former"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_that_formulas_are_escaped_by_default(tmp_path):
    attribute = Attribute("answer", Kind.BINARY, ("=1+1", "no"))
    table = Table((Column(attribute, np.array([0, 1, 0])),))
    design = Design((DesignedAttribute(attribute, Identity()),))
    release_table(table, design, tmp_path / "a.csv")
    assert "'=1+1" in (tmp_path / "a.csv").read_text()
    release_table(table, design, tmp_path / "b.csv", ReleaseOptions(escape_formulas=False))
    assert "'=1+1" not in (tmp_path / "b.csv").read_text()


def test_that_missing_answers_follow_the_policy_of_their_attribute(tmp_path):
    ages = Attribute("age", Kind.INTEGER, domain=(0, 99), missing=MissingPolicy.IMPUTE)
    votes = Attribute("voted", Kind.BINARY, ("no", "yes"), missing=MissingPolicy.DROP)
    notes = Attribute("note", Kind.BINARY, ("a", "b"), missing=MissingPolicy.DROP)
    table = Table(
        (
            Column(ages, np.array([10.0, np.nan, 30.0, 50.0])),
            Column(votes, np.array([0, 1, -1, 1])),
            Column(notes, np.array([-1, -1, -1, -1])),
        )
    )
    design = Design(tuple(DesignedAttribute(a, Identity()) for a in (ages, votes)))
    release = release_table(table, design, tmp_path / "out.csv", ReleaseOptions(shuffle=False))
    back = read_table(tmp_path / "out.csv")
    assert back["age"].data.tolist() == [10, 30, 50]
    assert back["voted"].data.tolist() == [0, 1, 1]
    assert len([note for note in release.notes if note.startswith(("age:", "voted:"))]) == 2


def test_that_what_a_format_cannot_hold_is_told(tmp_path):
    attribute = Attribute("a name with blanks", Kind.BINARY, ("no", "yes"))
    table = Table((Column(attribute, np.array([0, 1, 0])),))
    design = Design((DesignedAttribute(attribute, Identity()),))
    release = release_table(table, design, tmp_path / "out.sav")
    assert any("a name with blanks" in note for note in release.notes)


def test_that_an_unknown_ending_is_refused_in_a_sentence(people, design, tmp_path):
    with pytest.raises(DataError, match=r"cannot be written; choose a name"):
        release_table(people, design, tmp_path / "out.docx")
