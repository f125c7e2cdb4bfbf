"""Questions that the Survey page cannot answer."""

from __future__ import annotations

from asking import ask, distorted_study, make_page, small_study, small_table
from designs import classic_study

from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.study.study import Study


def test_that_a_design_that_tells_nothing_is_refused_in_one_sentence(qtbot, workbench):
    study = small_study().with_perturbations({"vote": Uniform(keep=0.5)})
    page = make_page(qtbot, workbench, study)
    errors = []
    workbench.error_raised.connect(errors.append)
    ask(qtbot, page, "vote = yes")
    assert "singular" in page.results.refused.advice.text()
    assert page.results.currentWidget() is page.results.refused.parentWidget()
    assert not errors
    assert not page.copy_action.isEnabled()
    assert not page.asked.rows


def test_that_a_column_without_a_design_is_told_at_the_field(qtbot, workbench):
    study = small_study()
    designed = tuple(d for d in study.design if d.name != "vote")
    page = make_page(qtbot, workbench, study.with_(design=Design(designed)))
    page.card.text.setText("vote = yes")
    page.card.text.textEdited.emit("vote = yes")
    assert "The design has no attribute “vote”" in page.card.problem.text()
    assert page.answer is None


def test_that_a_designed_column_without_data_is_refused_in_one_sentence(qtbot, workbench):
    whole = distorted_study()
    told = whole.distorted.select(["town", "age"])
    page = make_page(qtbot, workbench, Study.of_distorted(told, whole.design, "told"))
    ask(qtbot, page, "vote = yes")
    assert "no column “vote”" in page.results.refused.advice.text()


def test_that_nobody_has_no_mean(qtbot, workbench):
    table = small_table(60)
    study = classic_study(table, "few")
    page = make_page(qtbot, workbench, study)
    ask(qtbot, page, "mood = bad and mood = good", statistic="mean", of="pay")
    assert "The estimated number who meet" in page.results.refused.advice.text()


def test_that_no_records_are_one_sentence(qtbot, workbench):
    page = make_page(qtbot, workbench, classic_study(small_table(0), "none"))
    ask(qtbot, page, "vote = yes")
    assert "no records" in page.results.refused.advice.text()


def test_that_values_the_design_does_not_list_are_one_sentence(qtbot, workbench):
    whole = distorted_study()
    town = whole.design["town"].attribute.with_(values=("Ash", "Beech", "Cedar"))
    others = tuple(d for d in whole.design if d.name != "town")
    design = Design((DesignedAttribute(town, Uniform(keep=0.8)), *others))
    page = make_page(qtbot, workbench, Study.of_distorted(whole.distorted, design, "told"))
    ask(qtbot, page, "town = Ash")
    assert "Old Oak" in page.results.refused.advice.text()
