"""What a bundle does with weights, strata and clusters, and what it says about them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from role_studies import ROLES, drawn_study

from ppworkbench.core.data.codebook import read_codebook
from ppworkbench.core.data.files import read_table
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.errors import DesignError
from ppworkbench.core.sampling.release import RoleTreatment
from ppworkbench.study.analyses.publication import COARSEN, DROP, KEEP, ReleasePlan
from ppworkbench.study.analyses.role_release import check_roles
from ppworkbench.study.bundle import BundleOptions, write_bundle
from ppworkbench.study.opening import open_anything

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
    assert any("becomes" in line and "standard error" in line for line in told)
    assert any("strata or clusters" in line for line in told)


def test_that_the_codebook_carries_roles_coarsening_and_the_target(tmp_path):
    study = drawn_study()
    options = BundleOptions(coarsen=("pw", "village"), leave_out=("region",), **QUIET)
    write_bundle(study, tmp_path / "out", options)
    codebook = read_codebook(next((tmp_path / "out").glob("*.codebook.json")))
    assert codebook.sampling == Sampling("pw", (), "village")
    said = " ".join(codebook.notes)
    assert "the sum of the weights is kept" in said
    assert "clusters have random labels" in said
    assert "statements about the population" in said
    design = json.loads((tmp_path / "out" / "drawn-design.json").read_text(encoding="utf-8"))
    assert design["sampling"] == {"weight": "pw", "cluster": "village"}
    table = read_table(tmp_path / "out" / "drawn.csv")
    weights = study.original["pw"].data
    assert table["pw"].data.sum() == pytest.approx(weights.sum())
    assert len(np.unique(table["pw"].data)) < 45
    assert "region" not in table
    # A recipient opens it and has the roles.
    assert open_anything([tmp_path / "out" / "drawn.csv"]).sampling == codebook.sampling


def test_that_a_telling_weight_needs_a_confirmation_by_name(tmp_path):
    study = drawn_study(telling=True)
    with pytest.raises(DesignError, match="protects nothing"):
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
