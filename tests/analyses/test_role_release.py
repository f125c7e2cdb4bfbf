"""What a bundle does with weights, strata and clusters, and what it says about them."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from designs import classic_study
from role_studies import ROLES, drawn_study

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import codebook_of, read_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.data.table import Column
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.publish import DeniabilityOptions
from ppworkbench.core.rng import SeededStreams
from ppworkbench.core.sampling.release import RoleTreatment
from ppworkbench.fieldwork.opening import open_anything
from ppworkbench.outputs.bundle import BundleOptions, write_bundle
from ppworkbench.outputs.deniable import DenialPlan, deniable_table
from ppworkbench.outputs.publication import COARSEN, DROP, KEEP, ReleasePlan
from ppworkbench.outputs.role_release import check_roles
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study

QUIET = {"report": False}


def lines(points):
    return [point.said() for point in points]


def test_that_a_check_counts_unique_rows_guesses_and_moved_estimates():
    study = drawn_study()
    check = check_roles(study, RoleTreatment())
    assert check.disclosure.unique > 300
    (guess,) = check.disclosure.guesses
    assert guess.attribute == "ticket"
    assert guess.from_prior == pytest.approx(0.7, abs=0.06)
    assert guess.from_device > guess.from_prior
    assert not guess.gives_away
    (moved,) = check.moved
    # Nothing is changed, so nothing moves.
    assert moved.after.estimate == pytest.approx(moved.before.estimate)
    assert moved.after.standard_error == pytest.approx(moved.before.standard_error)


def test_that_coarsening_leaves_nobody_alone_and_moves_estimates_little():
    study = drawn_study()
    check = check_roles(study, RoleTreatment(("pw", "region"), ("village",)))
    assert check.disclosure.unique < 60
    (moved,) = check.moved
    assert moved.after.estimate == pytest.approx(moved.before.estimate, abs=0.02)
    told = lines(check.points(study))
    assert any("stays 24.5 %" in line and "standard error" in line for line in told)
    assert any("strata or clusters" in line for line in told)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".sav"])
def test_that_the_codebook_carries_roles_coarsening_and_the_target(tmp_path, suffix):
    study = drawn_study()
    roles = {"coarsen": ("pw", "village"), "leave_out": ("region",)}
    write_bundle(study, tmp_path / "out", BundleOptions(format=suffix, **roles, **QUIET))
    codebook = codebook_of(tmp_path / "out" / f"drawn{suffix}")
    assert codebook.sampling == Sampling("pw", (), "village")
    said = " ".join(codebook.notes)
    assert "the sum of the weights is kept" in said
    assert "clusters have random labels" in said
    assert "statements about the population" in said
    design = json.loads((tmp_path / "out" / "drawn-design.json").read_text(encoding="utf-8"))
    assert design["sampling"] == {"weight": "pw", "cluster": "village"}
    table = read_table(tmp_path / "out" / f"drawn{suffix}")
    weights = study.original["pw"].data
    assert table["pw"].data.sum() == pytest.approx(weights.sum())
    assert len(np.unique(table["pw"].data)) < 45
    assert "region" not in table
    # A recipient opens it and has the roles.
    assert open_anything([tmp_path / "out" / f"drawn{suffix}"]).sampling == codebook.sampling


def test_that_a_telling_weight_needs_a_confirmation_by_name(tmp_path):
    study = drawn_study(telling=True)
    with pytest.raises(DesignError, match="at least as much about"):
        write_bundle(study, tmp_path / "out", BundleOptions(**QUIET))
    assert not (tmp_path / "out").exists()
    bundle = write_bundle(study, tmp_path / "out", BundleOptions(confirm=("ticket",), **QUIET))
    assert any("pw gives ticket away" in line for line in lines(bundle.points))
    dropped = write_bundle(study, tmp_path / "safe", BundleOptions(leave_out=("pw",), **QUIET))
    assert any("respondents only" in line for line in lines(dropped.points))


def test_that_a_plan_keeps_coarsens_and_drops_and_is_kept_with_the_study():
    study = drawn_study()
    plan = ReleasePlan.of(study)
    assert plan.role_release("pw") == KEEP
    plan = plan.with_role("pw", COARSEN).with_role("village", DROP)
    again = ReleasePlan.of(study.with_results("publish", plan.to_json(None)))
    assert [again.role_release(name) for name in ROLES.columns] == [COARSEN, KEEP, DROP]
    assert again.with_role("pw", DROP).role_release("pw") == DROP


def test_that_the_group_size_of_the_study_is_taken_unless_another_is_given(tmp_path):
    study = drawn_study()
    study = study.with_(settings=dataclasses.replace(study.settings, least_rows=60))
    save_study(study, tmp_path / "drawn.ppw")
    study = open_study(tmp_path / "drawn.ppw")
    assert study.settings.least_rows == 60
    for given, most in (({}, 6), ({"least_rows": 3}, 133)):
        folder = tmp_path / f"out{most}"
        write_bundle(study, folder, BundleOptions(coarsen=("pw",), **given, **QUIET))
        weights = read_table(folder / "drawn.csv")["pw"].data
        assert most // 2 <= len(np.unique(weights)) <= most


def came_distorted(people: int, *, telling: bool) -> Study:
    study = drawn_study(people, telling=telling)
    table = distort(study.original, study.design, SeededStreams(5))
    return Study.of_distorted(table, study.design, "drawn")


def test_that_without_true_answers_guesses_are_judged_by_the_reports(tmp_path):
    study = came_distorted(4_000, telling=True)
    check = check_roles(study, RoleTreatment())
    (guess,) = check.disclosure.guesses
    assert guess.is_estimated
    assert guess.from_roles == pytest.approx(1.0, abs=4 * guess.standard_error)
    assert check.gives_away == ("ticket",)
    assert any("by the reported answers" in line for line in lines(check.points(study)))
    with pytest.raises(DesignError, match="at least as much about"):
        write_bundle(study, tmp_path / "out", BundleOptions(**QUIET))
    harmless = came_distorted(4_000, telling=False)
    check = check_roles(harmless, RoleTreatment())
    assert check.gives_away == ()
    assert any("do not tell ticket" in line for line in lines(check.points(harmless)))


def test_that_too_few_reports_leave_it_open_and_say_so():
    study = came_distorted(25, telling=False)
    check = check_roles(study, RoleTreatment())
    assert any("tell ticket cannot be judged" in line for line in lines(check.points(study)))


def test_that_numbers_under_noise_cannot_be_judged_without_the_truth():
    study = drawn_study()
    age = Column(Attribute("age", Kind.INTEGER, domain=(0, 99)), np.arange(400.0) % 90)
    study = classic_study(study.original.with_(columns=(*study.original, age)), "drawn")
    study = study.with_sampling(ROLES)
    assert not study.design.perturbation("age").is_identity
    table = distort(study.original, study.design, SeededStreams(5))
    study = Study.of_distorted(table, study.design, "drawn")
    check = check_roles(study, RoleTreatment())
    assert check.disclosure.unjudged == ("age",)
    assert any("tell age cannot be judged" in line for line in lines(check.points(study)))


DENIED = DenialPlan("ticket", DeniabilityOptions(min_deniability=0.3))


def test_that_a_deniable_table_keeps_coarsens_and_drops_its_roles(tmp_path):
    study = drawn_study()
    treatment = RoleTreatment(("pw", "village"), ("region",), 20)
    published, made = deniable_table(study, DENIED, treatment=treatment)
    assert published.table.names == ("ticket", "pw", "village")
    assert len(np.unique(published.table["pw"].data)) <= 20
    assert published.sampling == Sampling("pw", (), "village")
    # Nobody can see groups by columns that are not there any more.
    assert not {node.feature.name for node in made.tree if node.feature is not None}
    said = lines(published.points)
    assert any(
        "rows share each combination" in line or "can be singled out by" in line for line in said
    )
    assert not any("Share with" in line or "guess" in line for line in said)
    write_bundle(study, tmp_path / "out", BundleOptions(**QUIET), published=published)
    codebook = codebook_of(tmp_path / "out" / "drawn.csv")
    assert codebook.sampling == published.sampling
    said = " ".join(codebook.notes)
    assert "the sum of the weights is kept" in said
    assert "statements about the population" in said
    assert "without regard to the weights" in said
    assert open_anything([tmp_path / "out" / "drawn.csv"]).sampling == published.sampling


def test_that_a_weight_that_tells_the_answer_denies_a_deniable_table_as_well(tmp_path):
    study = drawn_study(telling=True)
    kept = dataclasses.replace(DENIED, excluded=frozenset(ROLES.columns))
    published, _ = deniable_table(study, kept)
    assert published.gives_away == ("ticket",)
    with pytest.raises(DesignError, match="at least as much about"):
        write_bundle(study, tmp_path / "out", BundleOptions(**QUIET), published=published)
    confirmed = BundleOptions(confirm=("ticket",), **QUIET)
    write_bundle(study, tmp_path / "out", confirmed, published=published)
    safe, _ = deniable_table(study, kept, treatment=RoleTreatment((), ("pw",)))
    assert safe.gives_away == ()
    assert any("respondents only" in line for line in lines(safe.points))


def test_that_a_column_with_a_role_cannot_be_denied():
    study = drawn_study()
    with pytest.raises(DataError, match="sampling role"):
        deniable_table(study, dataclasses.replace(DENIED, sensitive="region"))
    assert ReleasePlan.of(study).denial.sensitive == "ticket"
