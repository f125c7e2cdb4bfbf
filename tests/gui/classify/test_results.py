"""What the Classify page shows of a run: curves, table, matrix and tree."""

from __future__ import annotations

import dataclasses

import pytest
from classifying import cells, spoken
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.gui.pages.classify.result_cards import ALL_RUNS
from ppworkbench.results.picture import Shape


def marks(page, shape):
    """What is drawn of the accuracies in this shape."""
    return [one for one in page.curve.plot.picture.marks if one.shape is shape]


def test_that_a_run_shows_curves_table_matrix_and_tree(ran):
    lines, references = marks(ran, Shape.LINE), marks(ran, Shape.RULE)
    assert [one.name for one in lines] == ["Decision tree", "Naive Bayes"]
    assert all(len(line.x) == 2 for line in lines)
    assert [one.name for one in references] == ["Undistorted tree", "majority class"]
    assert not marks(ran, Shape.BAND)
    assert ran.curve.badge.isHidden()
    names = cells(ran)
    assert names == ["Decision tree", "Naive Bayes", "Undistorted tree", "Majority"]
    assert sum(", best" in name for name in spoken(ran)) >= 1
    assert cells(ran, 5)[:3] == ["2 of 2"] * 3
    counts = [float(cell) for row in ran.confusion.grid.rows()[1:] for cell in row[1:]]
    assert sum(counts) == pytest.approx(60)
    assert "60 test records" in ran.confusion.hint.text()
    assert ran.tree.tree is not None
    assert ran.tree.view.root.title.endswith("?")


def test_that_variants_in_several_runs_have_labels_of_their_own(ran, settle):
    params = dataclasses.replace(ran.choices.params_of("naive-bayes"), bins=7)
    ran.choose(ran.choices.with_params("naive-bayes", params))
    ran.primary.trigger()
    settle()
    # Alone, a variant needs no more than the name of its classifier.
    assert [one.name for one in marks(ran, Shape.LINE)] == ["Decision tree", "Naive Bayes"]
    place = ran.results.run.findData(ALL_RUNS)
    ran.results.run.setCurrentIndex(place)
    ran.results.run.activated.emit(place)
    settle()
    names = cells(ran)
    assert names.count("Decision tree") == 2
    assert [name for name in names if name.startswith("Naive")] == [
        "Naive Bayes, intervals 20", "Naive Bayes, intervals 7",
    ]  # fmt: skip


def test_that_level_and_setting_are_chosen_in_table_and_plot(ran, qtbot, settle):
    assert ran.focus.level == 100.0
    ran.results.level.setCurrentIndex(0)
    ran.results.level.activated.emit(0)
    assert ran.focus.level == 0.0
    qtbot.keyClick(ran.curve.plot, Qt.Key.Key_Right)
    assert ran.focus.level == 100.0
    assert ran.results.level.currentData() == 100.0
    ran.results.table.selectRow(1)
    assert ran.confusion.heading.text().startswith("Naive Bayes")
    ran.results.table.selectRow(2)
    settle()
    assert ran.tree.heading.text() == "Undistorted tree, fold 1"
    ran.results.table.selectRow(3)
    assert ran.confusion.grid.isHidden()


def test_that_the_tree_fits_its_card_until_somebody_asks_for_more_levels(ran, qtbot):
    tree = ran.tree

    def is_whole() -> bool:
        seen = tree.view.mapToScene(tree.view.viewport().rect()).boundingRect()
        return seen.adjusted(-1, -1, 1, 1).contains(tree.view._layout.area)

    ran.resize(1290, 760)
    qtbot.waitUntil(is_whole)
    tree.levels.setValue(tree.levels.maximum())
    levels = tree.levels.value()
    ran.resize(1290, 700)
    qtbot.wait(20)
    assert tree.levels.value() == levels


def test_that_a_record_is_followed_through_the_tree(ran):
    ran.tree.levels.setValue(ran.tree.levels.maximum())
    ran.tree.record.setValue(3)
    path = ran.tree.view.path
    assert path[0] == "0"
    assert ran.tree.view._layout.placed[path[-1]].node.is_leaf
    assert "Predicted" in ran.tree.record_words.text()
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
    assert len(ran.curve.plot.rows()) == 1 + 2 + 2


def test_that_without_a_sweep_the_design_itself_is_compared(page, settle):
    page.choose(page.choices.with_(sweeps=False))
    page.run()
    settle()
    assert page.curve.plot.picture.x.labels == ("Decision tree", "Naive Bayes")
    assert page.curve.title_label.text() == "Accuracy with this design"
    assert page.results.level.currentText() == "current design"
    first, second = page.curve.plot.picture.marks[:2]
    assert [str(first.name), str(second.name)] == ["Decision tree", "Naive Bayes"]
    assert first.low < first.y < first.high


def test_that_failed_folds_are_said_and_the_others_shown(page, settle, monkeypatch):
    from ppworkbench.core.classify import classifiers

    monkeypatch.setattr(classifiers["tree"], "_fit", lambda *_: 1 / 0)
    page.run()
    settle()
    assert "have no result" in page.results.note.text()
    assert spoken(page)[1] == "Naive Bayes, best"
    assert page.tree.tree is None


@pytest.mark.slow
def test_that_the_tip_of_a_failed_row_names_titles(page, settle, workbench, monkeypatch):
    from ppworkbench.core.classify import classifiers

    study = workbench.store.study
    column = study.original["age"]
    titled = column.with_(attribute=column.attribute.with_(title="Age in years"))
    workbench.store.open(study.with_(original=study.original.replace(titled)))

    def fails(*_):
        raise DataError(Message("{attribute!r} has no answers.", attribute="age"))

    monkeypatch.setattr(classifiers["tree"], "_fit", fails)
    page.run()
    settle()
    tip = page.results.table.model().index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "“Age in years” has no answers." in tip


def test_that_an_accuracy_without_all_folds_is_marked_and_never_the_best(page, settle, monkeypatch):
    from ppworkbench.core.classify import classifiers

    whole, failing = classifiers["tree"]._fit, []

    def fails_in_a_fold(classifier, training, *given):
        # A tree is also trained to be drawn, whenever its turn comes.
        if any(not predictor.perturbation.is_identity for predictor in training.predictors):
            fold = training.classes.tobytes()
            if fold in (failing or [fold]):
                failing[:] = [fold]
                raise ZeroDivisionError
        return whole(classifier, training, *given)

    monkeypatch.setattr(classifiers["tree"], "_fit", fails_in_a_fold)
    page.choose(page.choices.with_(sweeps=False))
    page.run()
    settle()
    assert cells(page)[0] == "Decision tree"
    assert spoken(page)[0].endswith(", some folds failed")
    assert "failed" not in spoken(page)[1]
