"""Scripts of deniable tables, of their accuracies and of a release."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from asking import small_study
from scripted import (
    assert_same,
    run_here,
)

from ppworkbench.core.publish import AccuracyTally, CurveOptions
from ppworkbench.outputs.deniable import deniable_points
from ppworkbench.outputs.handover.checklist import release_checklist
from ppworkbench.outputs.publication import (
    DISTORTED,
    PAGE,
    Accuracies,
    PreparedTable,
    ReleasePlan,
    kept_accuracies,
    make_groups,
    mark_answers,
    measure_accuracies,
    predict_better,
)
from ppworkbench.outputs.scripts.results import (
    accuracy_analysis,
    release_analysis,
)
from ppworkbench.results.text import plain
from ppworkbench.study.release import release_points, undistorted, without_attributes


def test_that_the_script_of_a_deniable_table_gives_the_same_groups(tmp_path, capsys):
    study = small_study()
    plan = ReleasePlan.of(study).with_split("town", allowed=False)
    denial = plan.grouping(study)
    assert denial is not None
    assert study.original is not None
    groups = make_groups(PreparedTable().of(study.original), denial, study.settings.seed)
    groups = predict_better(groups)
    analysis = release_analysis(study, plan)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    assert found["leaves"] == len(groups.tree.leaves)
    assert found["minimum_deniability"] == pytest.approx(groups.tree.minimum_deniability)
    assert found["predicted_accuracy"] == pytest.approx(groups.predicted)
    assert found["changed"] == groups.changed
    points = deniable_points(groups.tree, groups.table, denial)
    *told, last = [(one["good"], one["sentence"], one["detail"]) for one in found["checklist"]]
    assert told == [(one.good, str(one.sentence), str(one.detail)) for one in points]
    # The owner's list says more than that of the table.
    assert last[:2] == (None, "Another release of the same true answers adds to this one")
    assert not [one for one in (tmp_path / "new").iterdir() if "release" in one.name]


@pytest.mark.parametrize("is_kept", [False, True])
def test_that_the_script_of_accuracies_gives_the_same_curves(is_kept, tmp_path, capsys):
    study = small_study(160)
    plan = ReleasePlan.of(study).with_split("town", allowed=False).grouping(study)
    assert plan is not None
    assert study.original is not None
    plan = plan.with_options(smallest_group=10)
    tally = AccuracyTally(CurveOptions(minimums=(0.05, 0.2, 1.0), folds=2, learners=("tree",)))
    measure_accuracies(study, plan, tally)
    shown = Accuracies.of_tally(tally, plan, mark_answers(study.original))
    if is_kept:
        kept = json.loads(json.dumps(ReleasePlan.of(study).to_json(shown.to_json())))
        shown = kept_accuracies(study.with_results(PAGE, kept))
        assert shown is not None
    analysis = accuracy_analysis(study, shown)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    assert_same(found["curves"], plain(shown.found["curves"]))
    assert_same(found["original"], plain(shown.found["original"]))
    assert found["people"] == shown.found["people"]
    assert len(found["curves"]["tree"]["minimum"]) == 2
    groups = make_groups(PreparedTable().of(study.original), plan, study.settings.seed)
    assert found["most_frequent"] == pytest.approx(float(groups.before.max()))


def test_that_accuracies_of_which_a_part_or_the_seed_is_missing_have_no_script():
    study = small_study(160)
    plan = ReleasePlan.of(study).grouping(study)
    assert plan is not None
    tally = AccuracyTally(CurveOptions(minimums=(0.05, 0.2), folds=2, learners=("tree",)))
    measure_accuracies(study, plan, tally)
    whole = Accuracies.of_tally(tally, plan, "mark")
    assert accuracy_analysis(study, whole) is not None
    seedless = {name: value for name, value in whole.found.items() if name != "seed"}
    for other in (
        replace(whole, is_whole=False), replace(whole, answers=""), replace(whole, plan=None),
        replace(whole, found=seedless),
    ):  # fmt: skip
        assert accuracy_analysis(study, other) is None


def test_that_the_script_of_a_release_has_the_same_checklist(tmp_path, capsys):
    study = small_study()
    plan = replace(ReleasePlan.of(study), mode=DISTORTED).with_left_out("mood", out=True)
    analysis = release_analysis(study, plan)
    assert analysis is not None
    found = run_here(tmp_path / "new", analysis, study, capsys)
    design = without_attributes(study.design, ["mood"])
    points = release_checklist(study, release_points(design, study.original), undistorted(design))
    told = [(one["good"], one["sentence"]) for one in found["checklist"]]
    assert told == [(one.good, str(one.sentence)) for one in points]
    assert (tmp_path / "new" / "small-release").is_dir()
