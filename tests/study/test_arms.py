"""Studies whose design has arms: edited, distorted, saved, released and reported."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from examples import sweep

from ppworkbench.analyses.regression.regress import Regress
from ppworkbench.analyses.survey.history import RESULTS, PastQuestion, history_to_json
from ppworkbench.analyses.survey.questions import REGRESSION, Question
from ppworkbench.core.data.attribute import MissingPolicy
from ppworkbench.core.data.edits import merge_values, rename_value
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Custom, Forced, Identity, Uniform
from ppworkbench.core.design.design_file import read_design
from ppworkbench.core.errors import DesignError
from ppworkbench.core.models import parse_formula
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.outputs.bundle import BundleOptions, write_bundle
from ppworkbench.outputs.report import build_report
from ppworkbench.study.blocks import Grid, Listing, Paragraph
from ppworkbench.study.distorted_cache import distorted_answers, treated_missing
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.release import release_points, undistorted, without_attributes
from ppworkbench.study.renaming import retyped
from ppworkbench.study.study import Study
from tests.arm_studies import ARMS, DRUG, arm_design, distorted_study, original_study, people


def arms_of(study: Study) -> dict[str, tuple[str, ...]]:
    """What every arm names."""
    assert study.design.arms is not None
    return {arm.name: arm.named for arm in study.design.arms.members}


@pytest.mark.parametrize("make", [original_study, distorted_study])
def test_that_a_study_with_arms_comes_back_from_its_file(make: object, tmp_path: Path) -> None:
    study = make(200)  # type: ignore[operator]
    path = tmp_path / "arms.ppw"
    save_study(study, path)
    back = open_study(path)
    assert back.design == study.design
    assert fingerprint(back) == fingerprint(study)
    other = study.with_(design=dataclasses.replace(study.design, arms=ARMS.only(["A", "B"])))
    assert fingerprint(other) != fingerprint(study)


def test_that_a_renamed_attribute_keeps_its_devices() -> None:
    study = original_study(100)
    assert study.original is not None
    renamed = DRUG.with_(name="substance")
    table = study.original.with_(
        columns=tuple(c.with_(attribute=renamed) if c.name == "drug" else c for c in study.original)
    )
    changed = retyped(study, table, ("drug", "substance"))
    assert arms_of(changed)["B"] == ("substance", "town")
    assert arms_of(changed)["direct"] == ("substance", "pay")
    assert changed.design.arms is not None
    assert changed.design.arms["B"].device("substance", Identity()) == Forced(p_truth=0.5)


def test_that_merged_values_keep_what_still_fits() -> None:
    study = original_study(300)
    assert study.original is not None
    merged = study.with_table(merge_values(study.original, "town", ["b", "c"], "other"))
    assert merged.design["town"].attribute.k == 2
    assert arms_of(merged)["B"] == ("drug", "town")
    matrix = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    own = dataclasses.replace(
        ARMS["B"], perturbations=(("town", Custom(tuple(map(tuple, matrix.tolist())))),)
    )
    arms = dataclasses.replace(ARMS, members=(ARMS["A"], own, ARMS["direct"]))
    study = study.with_(design=arm_design(arms))
    merged = study.with_table(merge_values(study.original, "town", ["b", "c"], "other"))
    # A matrix of three values says nothing about two: the arm is as the design again.
    assert arms_of(merged)["B"] == ()


def test_that_a_deleted_attribute_leaves_the_arms() -> None:
    study = original_study(100)
    assert study.original is not None
    less = study.with_table(study.original.select(["town", "job"]))
    assert arms_of(less) == {"A": (), "B": ("town",), "direct": ()}
    assert "version" in less.design


def test_that_arms_follow_the_values_of_their_column() -> None:
    study = original_study(300)
    known = distorted_answers(study).original
    assert known is not None
    study = study.with_(original=known)
    renamed = study.with_table(rename_value(known, "version", "B", "second"))
    assert list(arms_of(renamed)) == ["A", "second", "direct"]
    merged = study.with_table(merge_values(known, "version", ["A", "B"], "A"))
    assert set(arms_of(merged)) == {"A", "direct"}
    assert merged.design.perturbation("version").is_identity


def test_that_roles_and_changed_devices_keep_the_arms() -> None:
    study = original_study(300)
    drawn = study.with_sampling(Sampling(stratum=("town",)))
    assert drawn.design.arms is not None
    assert arms_of(drawn)["B"] == ("drug",)
    back = drawn.with_sampling(None)
    assert arms_of(back)["B"] == ("drug",)
    changed = study.with_perturbations({"version": Uniform(keep=0.5), "town": Uniform(keep=0.5)})
    assert changed.design.perturbation("version").is_identity
    assert arms_of(changed) == arms_of(study)


def test_that_arms_are_drawn_from_the_seed_or_taken_from_the_column() -> None:
    study = original_study(1_000)
    first, second = distorted_answers(study), distorted_answers(study)
    assert np.array_equal(first.distorted["version"].data, second.distorted["version"].data)
    assert first.original is not None
    assert first.original["version"] is first.distorted["version"]
    counts = np.bincount(first.distorted["version"].data)
    assert counts / 1_000 == pytest.approx([0.4, 0.4, 0.2], abs=0.05)
    direct = first.distorted["version"].data == 2
    assert np.isnan(first.distorted["pay"].data[direct]).all()
    assert study.attribute("version").values == ("A", "B", "direct")
    told = study.with_(original=first.original)
    again = distorted_answers(told.with_(settings=study.settings))
    assert np.array_equal(again.distorted["version"].data, first.distorted["version"].data)


@pytest.mark.parametrize("policy", [MissingPolicy.DROP, MissingPolicy.IMPUTE])
def test_that_not_asked_is_neither_dropped_nor_imputed(policy: MissingPolicy) -> None:
    study = original_study(400)
    known = distorted_answers(study).original
    assert known is not None
    direct = known["version"].data == 2
    pay = np.where(direct, np.nan, known["pay"].data)
    lacking = np.flatnonzero(~direct)[:3]
    pay[lacking] = np.nan
    column = Column(known["pay"].attribute.with_(missing=policy), pay)
    study = study.with_(original=known.replace(column))
    answers = distorted_answers(study)
    assert answers.original is not None
    assert answers.original.rows == (397 if policy is MissingPolicy.DROP else 400)
    left = answers.original["version"].data == 2
    assert answers.original["pay"].missing_count == np.count_nonzero(left) == direct.sum()
    assert "3" in str(treated_missing(["pay", "version"], study)[0])


def test_that_the_checklist_counts_every_arm() -> None:
    design = arm_design()
    assert undistorted(design) == ("job",)
    said = [f"{point.sentence}: {point.detail}" for point in release_points(design)]
    assert any("Not randomised in the arm direct: drug" in one for one in said)
    assert any("version tells the arm of every row" in one for one in said)
    assert any("epsilon by arm: A without a bound" in one for one in said)
    short = without_attributes(design, ["job", "pay"])
    arms = short.arms
    assert arms is not None
    assert arms["direct"].omit == ()
    bounded = dataclasses.replace(short, arms=arms.only(["A", "B"]))
    told = [str(point.sentence) for point in release_points(bounded)]
    # B asks drug with less truth, but town with more.
    assert "Epsilon is 3.99 in the most exposed arm" in told
    with pytest.raises(DesignError, match="tells the arm of every row"):
        without_attributes(design, ["version"])


@pytest.mark.slow
def test_that_a_bundle_carries_the_arms(tmp_path: Path) -> None:
    made = write_bundle(original_study(300), tmp_path / "bundle", BundleOptions(leave_out=("job",)))
    design = read_design(made.path / "arms-design.json")
    assert design.arms is not None
    assert design.arms.names == ("A", "B", "direct")
    back = open_anything([made.path / "arms.csv"])
    assert back.design.arms == design.arms
    assert back.distorted is not None
    assert set(back.distorted.names) == {"drug", "town", "pay", "version"}
    assert "direct" in (made.path / "README.txt").read_text()
    assert (made.path / "report.html").read_text().count("direct") > 3


@pytest.mark.slow
@pytest.mark.parametrize("make", sweep([original_study, distorted_study], quick=1))
def test_that_a_report_tells_every_arm(make: object) -> None:
    report = build_report(make(600))  # type: ignore[operator]
    parts = (*report.sections, *report.attachments)
    sections = {section.title: section for section in parts}
    asked = sections["How people were asked"]
    grid = next(block for block in asked.blocks if isinstance(block, Grid))
    assert [row[0] for row in grid.rows] == ["A", "B", "direct"]
    told = [block.text for block in sections["drug"].blocks if isinstance(block, Paragraph)]
    assert any("If all arms had the same true shares" in text for text in told)
    grids = [block for block in sections["pay"].blocks if isinstance(block, Grid)]
    assert any(("direct", "not asked", "–", "–") in grid.rows for grid in grids)


def test_that_people_without_a_version_are_those_of_the_table() -> None:
    assert original_study(10).attributes[:-1] == people(10).attributes


@pytest.mark.slow
def test_that_a_regression_of_some_arms_is_reported_as_it_was_asked() -> None:
    study = distorted_study(600)
    model = Regress(formula=parse_formula("drug ~ job"))
    asked = Question(REGRESSION, model=model, arms=("B",))
    row = PastQuestion(asked)
    study = study.with_results(RESULTS, history_to_json((row,)))
    report = build_report(study)
    (section,) = [one for one in report.attachments if one.title == "drug by job"]
    told = [block.text for block in section.blocks if isinstance(block, Paragraph)]
    assert "Only answers of the arms B count." in told
    grid = next(block for block in section.blocks if isinstance(block, Grid))
    assert study.distorted is not None
    assert f"{ARMS.take(study.distorted, ['B']).rows:,} records" in grid.caption
    (listing,) = [block for block in section.blocks if isinstance(block, Listing)]
    assert listing.text.endswith("--arm B")
