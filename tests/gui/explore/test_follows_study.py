"""The Explore page shows what the study says."""

from __future__ import annotations

import numpy as np
import pytest
from exploring import iterate, select, settle, shown_shares, small_study

from ppworkbench.analyses.experiments.iterations import AUTO, CONVERGED, PUBLISHED
from ppworkbench.core.design import Design, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.group import Group
from ppworkbench.core.reconstruct import reconstruct
from ppworkbench.core.rng import SeededStreams


def test_that_the_page_shows_the_same_draw_as_the_whole_table_has(page):
    study = page.store.study
    whole = distort(study.original, study.design, SeededStreams(study.settings.seed))
    counts = whole["town"].counts
    assert shown_shares(page, "distorted") == pytest.approx(counts / counts.sum())
    assert shown_shares(page, "original") == pytest.approx(study.original["town"].counts / 600)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["town", pytest.param("pay", marks=pytest.mark.slow)])
def test_that_the_estimate_is_the_one_the_core_reconstructs(qtbot, page, name):
    select(qtbot, page, name)
    if name == "pay":
        iterate(qtbot, page)
    study, run = page.store.study, page.result.runs[page.view.focus]
    whole = distort(study.original, study.design, SeededStreams(2024))
    for rule in (AUTO, PUBLISHED, CONVERGED):
        page.settings_card.rule.choose(rule)
        settle(qtbot, page)
        found = reconstruct(
            whole[name],
            study.design[name].attribute,
            study.design[name].perturbation,
            run.method,
            stop=run.trace.last if rule == CONVERGED and not run.trace.finished else rule,
            bins=None if name == "town" else 40,
            confidence=None,
            seed=2024,
        )
        assert page.view.cursor == found.iterations, rule
        assert shown_shares(page, "reconstructed") == pytest.approx(found.probability, abs=1e-9)


@pytest.mark.slow
def test_that_another_attribute_is_explored_when_it_is_selected(qtbot, page):
    select(qtbot, page, "pay")
    assert page.settings_card.attribute.currentData() == "pay"
    assert page.picture.title.words() == "Distribution of pay"
    assert "normal noise σ 10" in page.settings_card.summary.text()
    assert "600 answers" in page.settings_card.summary.text()
    assert set(page.result.runs) == {"smooth"}


@pytest.mark.slow
def test_that_a_change_of_the_design_is_distorted_anew(qtbot, page):
    before = shown_shares(page, "distorted")
    page.store.set_perturbation(["town"], Uniform(keep=0.9))
    settle(qtbot, page)
    assert np.abs(shown_shares(page, "distorted") - before).max() > 0.01
    assert "keep 0.9" in page.settings_card.summary.text()
    page.store.undo_stack.undo()
    settle(qtbot, page)
    assert shown_shares(page, "distorted") == pytest.approx(before)


def test_that_a_change_of_another_attribute_leaves_the_draw_alone(qtbot, page):
    draw = page.result.draw
    page.store.set_perturbation(["vote"], Uniform(keep=0.9))
    settle(qtbot, page)
    assert page.result.draw is draw


def test_that_the_seed_of_the_study_stands_in_its_box(qtbot, page):
    page.store.set_settings(seed=77)
    settle(qtbot, page)
    assert page.settings_card.seed.value() == 77
    assert page.result.draw.seed == 77


@pytest.mark.slow
def test_that_work_waits_until_somebody_looks(qtbot, page):
    page.hide()
    page.store.select(["pay"])
    settle(qtbot, page)
    assert page.result.draw.explored.name == "town"
    page.show()
    page.shown()
    settle(qtbot, page)
    assert page.result.draw.explored.name == "pay"


@pytest.mark.slow
def test_that_only_the_newest_of_many_wishes_is_shown(qtbot, page):
    for seed in range(1, 12):
        page.store.set_settings(seed=seed)
        page._explore()
    settle(qtbot, page)
    assert page.result.draw.seed == 11


def test_that_a_member_of_a_group_is_distorted_by_its_own_marginal(qtbot, page):
    study = page.store.study
    group = Group(("town",), "unrelated", 0.7)
    design = study.with_perturbations({"town": study.design["known"].perturbation}).design
    grouped = Design(design.attributes, design.class_name, (group,))
    page.store.apply(study.with_(design=grouped), "Group")
    settle(qtbot, page)
    assert page.result.draw.explored.perturbation == group.marginal("town")
    assert "unrelated question" in page.settings_card.summary.text()


@pytest.mark.slow
def test_that_another_study_starts_afresh(qtbot, page):
    select(qtbot, page, "pay")
    iterate(qtbot, page)
    page.settings_card.steps.setValue(12)
    settle(qtbot, page)
    page.picture.scrubber.buttons["first"].click()
    page.store.open(small_study(300))
    settle(qtbot, page)
    assert page.result.draw.counted.rows == 300
    select(qtbot, page, "pay")
    assert page.settings_card.steps.value() == 40
    assert page.view.cursor == page.result.runs["em"].trace.stops[AUTO]
