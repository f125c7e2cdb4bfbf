"""The Classify page: what it asks, shows and keeps, in both directions."""

from __future__ import annotations

import dataclasses
import threading

import pytest
from experiments import DESIGN, make_records
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.core.design import Design, Uniform
from ppworkbench.core.design.distort import distort
from ppworkbench.core.experiment.engines import InProcess
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.classify import ClassifyPage
from ppworkbench.gui.pages.classify.choices import FOREST_TOO, LARGER, SAME_TREE
from ppworkbench.gui.pages.classify.results_card import ALL_RUNS
from ppworkbench.gui.pages.classify.runs import IDLE, PAUSED, RUNNING
from ppworkbench.study.study import Study


class Gate:
    """An engine that does one task at a time when it is let."""

    def __init__(self):
        self.lets = threading.Semaphore(0)

    def run(self, experiment, tasks, deliver, check):
        for task in tasks:
            while not self.lets.acquire(timeout=0.01):
                check()
            InProcess().run(experiment, [task], deliver, check)


def make_study(rows=60, design=DESIGN):
    table = make_records(rows)
    return Study.of_table(table, "buyers").with_(design=design)


@pytest.fixture
def page(workbench, qtbot):
    made = ClassifyPage(workbench)
    qtbot.addWidget(made)
    made.resize(1280, 640)
    made.runs.engine = InProcess()
    workbench.store.open(make_study())
    made.choices.set(folds=2, low=0.0, high=100.0, steps=2)
    made.show()
    made.shown()
    qtbot.waitUntil(lambda: not made._due.isActive())
    return made


@pytest.fixture
def settle(page, qtbot, workbench):
    """Wait until nothing is on its way any more."""

    def wait():
        qtbot.waitUntil(
            lambda: (
                workbench.jobs.is_idle
                and not page._due.isActive()
                and not page._results_due.isActive()
            ),
            timeout=30_000,
        )

    return wait


@pytest.fixture
def ran(page, settle):
    """The page after a sweep of two classifiers over two levels."""
    page.primary.trigger()
    settle()
    return page


def cells(page, column=0):
    model = page.results.model
    return [model.index(row, column).data() for row in range(model.rowCount())]


# Settings


def test_that_the_class_of_the_study_is_offered_first(page):
    target = page.settings_card.target
    assert [target.itemData(i) for i in range(target.count())] == ["town", "buys"]
    assert target.currentData() == "buys"


def test_that_another_class_can_be_chosen_and_that_it_is_distorted_is_said(page, settle):
    page.settings_card.target.setCurrentIndex(0)
    page.settings_card.target.activated.emit(0)
    settle()
    assert page.choices.class_of(page.store.study) == "town"
    assert "keep 0.8" in page.settings_card.target_hint.text()


def test_that_ticks_and_reconstruction_go_both_ways(page, settle):
    rows = page.settings_card.rows
    rows["lazy-ep"].box.click()
    assert "lazy-ep" in page.choices.ticked
    page.choices.tick("lazy-ep", False)
    settle()
    assert not rows["lazy-ep"].box.isChecked()
    kind = rows["tree"].type
    kind.setCurrentIndex(kind.findData("by-class"))
    kind.activated.emit(kind.currentIndex())
    assert page.choices.params_of("tree").reconstruction == "by-class"
    params = dataclasses.replace(page.choices.params_of("tree"), reconstruction="global")
    page.choices.set_params("tree", params)
    settle()
    assert kind.currentData() == "global"
    assert not rows["naive-bayes"].type.isEnabled()
    assert rows["naive-bayes"].type.toolTip()


def test_that_the_settings_of_a_classifier_come_from_its_declaration(page, settle, qtbot):
    row = page.settings_card.rows["tree"]
    assert row.form is None
    row.more.click()
    assert row.form.fields.keys() == page.choices.params_of("tree").__dataclass_fields__.keys()
    row.form.fields["bins"].box.setValue(13)
    assert page.choices.params_of("tree").bins == 13
    page.choices.set_params("tree", dataclasses.replace(page.choices.params_of("tree"), bins=5))
    settle()
    assert row.form.fields["bins"].box.value() == 5
    row.more.click()
    assert not row.holder.isVisibleTo(page)


def test_that_references_folds_and_sweep_go_both_ways(page, settle):
    card = page.settings_card
    card.references[FOREST_TOO].click()
    card.references[LARGER].click()
    assert page.choices.references == {SAME_TREE, FOREST_TOO}
    card.folds.setValue(4)
    card.repeats.setValue(3)
    assert (page.choices.folds, page.choices.repeats) == (4, 3)
    card.high.setValue(300)
    card.steps.setValue(4)
    assert page.choices.levels == (0.0, 100.0, 200.0, 300.0)
    card.sweep.click()
    assert page.choices.levels == ()
    settle()
    assert not card.range_row.isVisibleTo(page)
    page.choices.set(sweeps=True, folds=7)
    settle()
    assert card.sweep.isChecked()
    assert card.folds.value() == 7


def test_that_every_control_has_a_name_for_people_and_for_programs(page):
    card = page.settings_card
    controls = [card.target, card.folds, card.repeats, card.sweep, card.low, card.high, card.steps]
    controls += [one for row in card.rows.values() for one in (row.box, row.type, row.more)]
    controls += [*card.references.values(), page.results.level, page.results.run]
    controls += [page.results.copy, page.results.save, page.results.table, page.tree.view]
    controls += [page.tree.record, page.tree.levels, page.curve.plot, page.confusion.grid]
    assert all(one.objectName() and one.accessibleName() for one in controls)


# States without results


def test_that_an_untouched_page_says_what_to_do(page):
    assert page.curve.is_empty
    assert "Press Run" in page.curve.empty.advice.text()
    assert page.primary.isEnabled()
    # Two classifiers at two levels and the undistorted tree, in two folds each.
    assert "Train 10 times" in page.primary.toolTip()


def test_that_a_study_without_a_class_asks_for_one(page, workbench, settle):
    table = make_records().with_(class_name=None)
    design = dataclasses.replace(DESIGN, class_name=None)
    workbench.store.open(Study.of_table(table, "x").with_(design=design))
    settle()
    assert page.settings_card.target.currentIndex() == -1
    assert "foretold" in page.curve.empty.heading.text()
    assert not page.primary.isEnabled()
    asked = []
    workbench.page_requested.connect(asked.append)
    page.curve.empty.button.click()
    assert asked == ["data"]
    page.settings_card.target.activated.emit(1)
    settle()
    assert page.primary.isEnabled()


def test_that_a_study_that_came_distorted_says_why_nothing_can_be_compared(page, workbench, settle):
    answers = distort(make_records(), DESIGN, SeededStreams(1))
    workbench.store.open(Study.of_distorted(answers, DESIGN, "collected"))
    settle()
    assert "came distorted" in page.curve.empty.advice.text()
    assert not page.primary.isEnabled()
    assert "came distorted" in page.primary.toolTip()


def test_that_no_classifier_or_too_many_folds_disable_the_run_with_a_reason(page, settle):
    for name in tuple(page.choices.ticked):
        page.choices.tick(name, False)
    settle()
    assert not page.primary.isEnabled()
    assert "Tick" in page.primary.toolTip()
    page.choices.tick("tree", True)
    page.choices.set(folds=99)
    settle()
    assert "60 records" in page.primary.toolTip()


# Results


def test_that_a_run_shows_curves_table_matrix_and_tree(ran):
    shown = ran.curve.plot.shown
    assert [line.name for line in shown.lines] == ["Decision tree", "Naive Bayes"]
    assert all(len(line.points) == 2 for line in shown.lines)
    assert [one.name for one in shown.references] == ["Undistorted tree", "larger class"]
    assert shown.unfinished is None
    assert ran.curve.badge.isHidden()
    names = [name.removesuffix(", best") for name in cells(ran)]
    assert names == ["Decision tree", "Naive Bayes", "Undistorted tree", "Larger class"]
    assert sum(name.endswith(", best") for name in cells(ran)) >= 1
    assert cells(ran, 5)[:3] == ["2 of 2"] * 3
    assert ran.confusion.grid.counts.sum() == pytest.approx(60)
    assert "60 test records" in ran.confusion.hint.text()
    assert ran.tree.tree is not None
    assert ran.tree.view.root.title.endswith("?")


def test_that_level_and_setting_are_chosen_in_table_and_plot(ran, qtbot, settle):
    assert ran.showing.level == 100.0
    ran.results.level.setCurrentIndex(0)
    ran.results.level.activated.emit(0)
    assert ran.showing.level == 0.0
    qtbot.keyClick(ran.curve.plot, Qt.Key.Key_Right)
    assert ran.showing.level == 100.0
    assert ran.results.level.currentData() == 100.0
    ran.results.table.selectRow(1)
    assert ran.confusion.heading.text().startswith("Naive Bayes")
    ran.results.table.selectRow(2)
    settle()
    assert ran.tree.heading.text() == "Undistorted tree, fold 1"
    ran.results.table.selectRow(3)
    assert ran.confusion.grid.isHidden()


def test_that_a_record_is_followed_through_the_tree(ran):
    ran.tree.levels.setValue(ran.tree.levels.maximum())
    ran.tree.record.setValue(3)
    path = ran.tree.view.path
    assert path[0] == "0"
    assert ran.tree.view._layout.placed[path[-1]].node.is_leaf
    assert "oretold" in ran.tree.record_words.text()
    ran.tree.record.setValue(0)
    assert ran.tree.view.path == ()


def test_that_a_chosen_node_is_told_in_words(ran):
    ran.tree.view.node_chosen.emit("0")
    assert "Reconstructed class counts" in ran.tree.chosen_words.text()
    assert "where it holds" in ran.tree.chosen_words.text()


def test_that_fewer_levels_say_what_is_left_out(ran):
    ran.tree.levels.setValue(1)
    assert ran.tree.view.root.is_leaf
    assert "more nodes below" in ran.tree.view.root.note


def test_that_results_can_be_taken_away(ran, tmp_path):
    ran.results.copy.click()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0].startswith("Classifier\tReconstruction\tAccuracy")
    assert len(copied) == 5
    ran.results.save_table(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text(encoding="utf-8").count("\n") == 5
    ran.tree.save_tree(tmp_path / "t.json")
    ran.tree.save_tree(tmp_path / "t.txt")
    assert '"nodes"' in (tmp_path / "t.json").read_text(encoding="utf-8")
    assert "classes: no, yes" in (tmp_path / "t.txt").read_text(encoding="utf-8")
    assert len(ran.curve.plot.rows()) == 1 + 2 * 2 + 2


def test_that_without_a_sweep_the_design_itself_is_compared(page, settle):
    page.choices.set(sweeps=False)
    page.run()
    settle()
    assert page.curve.plot.shown.levels == ()
    assert page.curve.title_label.text() == "Accuracy with this design"
    assert page.results.level.currentText() == "the design as it is"
    assert page.curve.plot.grab().toImage().width() > 0


def test_that_failed_folds_are_said_and_the_others_shown(page, settle, monkeypatch):
    from ppworkbench.core.classify import classifiers

    monkeypatch.setattr(classifiers["tree"], "_fit", lambda *_: 1 / 0)
    page.run()
    settle()
    assert "have no result" in page.results.note.text()
    assert cells(page)[1] == "Naive Bayes, best"
    assert page.tree.tree is None


# Running, pausing, cancelling


def test_that_a_run_is_paused_continued_and_cancelled(page, qtbot, settle):
    gate = Gate()
    page.runs.engine = gate
    page.run()
    assert page.runs.state == RUNNING
    assert page.primary.text() == "Running…"
    assert not page.primary.isEnabled()
    assert page.pause_action.isVisible()
    assert page.cancel_action.isVisible()
    gate.lets.release(3)
    qtbot.waitUntil(lambda: page.runs.current.done == 3)
    qtbot.waitUntil(lambda: page.curve.badge.text() == "partial result", timeout=5_000)
    assert not page.settings_card.content.findChild(type(page.settings_card.folds)).isEnabled()
    assert "fixed while it runs" in page.settings_card.lock_note.text()
    page.pause_action.trigger()
    settle()
    assert page.runs.state == PAUSED
    assert page.primary.text() == "Continue"
    assert page.primary.isEnabled()
    gate.lets.release(2)
    page.primary.trigger()
    qtbot.waitUntil(lambda: page.runs.current.done == 5)
    said = []
    page.workbench.toast_requested.connect(lambda words, _: said.append(words))
    page.cancel_action.trigger()
    settle()
    assert page.runs.state == IDLE
    assert said == ["Stopped after 5 of 10. The finished part is shown."]
    assert "Go on after 5 of 10" in page.primary.toolTip()
    gate.lets.release(99)
    page.run()
    settle()
    assert page.runs.current.is_complete
    assert len(page.runs.runs) == 1


def test_that_cancelling_a_paused_run_keeps_its_results(page, qtbot, settle):
    gate = Gate()
    page.runs.engine = gate
    gate.lets.release(2)
    page.run()
    qtbot.waitUntil(lambda: page.runs.current.done == 2)
    page.pause_action.trigger()
    settle()
    page.cancel_action.trigger()
    assert page.runs.state == IDLE
    assert page.runs.current.done == 2
    settle()
    assert not page.curve.is_empty


def test_that_the_window_hears_events_while_it_runs(page, settle, max_block):
    with max_block(200):
        page.run()
        settle()
    assert page.runs.current.is_complete


def test_that_more_repeats_use_the_results_that_are_there(ran, settle, monkeypatch):
    done = []
    inside = InProcess().run

    def counting(experiment, tasks, deliver, check):
        done.extend(tasks)
        inside(experiment, tasks, deliver, check)

    monkeypatch.setattr(ran.runs.engine, "run", counting)
    ran.choices.set(repeats=2)
    ran.run()
    settle()
    assert len(done) == 10
    assert {task.repeat for task in done} == {1}
    assert len(ran.runs.runs) == 2


# The study


def test_that_results_are_kept_in_the_study_and_come_back(ran, workbench, settle, qtbot):
    study = workbench.store.study
    assert workbench.store.is_modified
    again = ClassifyPage(workbench)
    qtbot.addWidget(again)
    again.show()
    again.shown()
    qtbot.waitUntil(lambda: again.tree.tree is not None, timeout=10_000)
    assert [r.mean for r in again.results.model.rows] == [r.mean for r in ran.results.model.rows]
    assert again.choices.folds == 2
    workbench.store.open(make_study())
    settle()
    assert again.curve.is_empty
    workbench.store.open(study)
    settle()
    assert not again.curve.is_empty


@pytest.mark.parametrize("kept", [[1], {"runs": [{}], "choices": {"folds": "x"}}, {"runs": 3}])
def test_that_results_nobody_understands_are_left_aside(page, workbench, settle, kept):
    workbench.store.open(make_study().with_results("classify", kept))
    settle()
    assert page.runs.runs == []
    assert page.curve.is_empty


def test_that_a_change_of_the_design_makes_results_stale_and_undo_makes_them_fresh(
    ran, workbench, settle
):
    assert ran.banner.isHidden()
    workbench.store.set_perturbation(["town"], Uniform(keep=0.5))
    settle()
    assert ran.banner.isVisibleTo(ran)
    assert "Results are for the design of" in ran.banner.label.text()
    assert ran.curve.plot.shown.is_stale
    assert cells(ran, 5)[0] == "2 of 2"
    workbench.store.undo_stack.undo()
    settle()
    assert ran.banner.isHidden()


def test_that_runs_can_be_compared_and_removed(ran, settle):
    ran.choices.tick("tree", False)
    ran.run()
    settle()
    assert ran.results.run.count() == 3
    ran.results.run_chosen.emit(ALL_RUNS)
    settle()
    assert len(cells(ran)) == 4 + 3
    assert all(words.startswith("run ") for words in cells(ran, 1))
    ran.results.run_chosen.emit(0)
    settle()
    assert len(cells(ran)) == 4
    ran.results.remove.click()
    settle()
    assert len(ran.runs.runs) == 1
    assert len(cells(ran)) == 3


def test_that_a_design_with_the_class_alone_says_so(page, workbench, settle):
    lonely = Design((DESIGN["buys"],), "buys")
    workbench.store.open(make_study(design=lonely))
    settle()
    assert "beside the class" in page.primary.toolTip()


def test_that_help_is_asked_for(page, workbench):
    asked = []
    workbench.help_requested.connect(asked.append)
    page.settings_card.help.click()
    page.settings_card.sweep_help.click()
    assert asked == ["classification", "experiments"]
