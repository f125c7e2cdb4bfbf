"""The Design page in both directions: the study changes the view, the view changes the study."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Binary,
    Custom,
    Discretise,
    Identity,
    Multiplicative,
    Ordinal,
    Related,
    Retention,
    Uniform,
)
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.gui.pages.design.drawn_bars import redrawn
from ppworkbench.gui.pages.design.group_dialog import GroupDialog
from ppworkbench.gui.pages.design.matrix_column import edited_column
from ppworkbench.gui.pages.design.neighbours_panel import balanced
from ppworkbench.study.study import PriorChoice, Study


@pytest.fixture
def page(qtbot, workbench, city_study):
    workbench.store.open(city_study)
    page = DesignPage(workbench)
    qtbot.addWidget(page)
    page.resize(1290, 690)
    page.show()
    qtbot.waitExposed(page)
    return page


def perturbation(page, name):
    return page.store.study.design[name].perturbation


def select(page, *names):
    page.store.select(names)


# Model to view


def test_that_selecting_an_attribute_shows_its_editor(page):
    select(page, "trust_council")
    assert page.editor.currentWidget() is page.matrix
    assert page.matrix.segments.current == "neighbours"
    assert page.matrix.grid.k == 8
    select(page, "income")
    assert page.editor.currentWidget() is page.noise
    assert page.noise.segments.current == "additive"


def test_that_a_change_of_the_study_reaches_sliders_matrix_and_cards(page):
    select(page, "district")
    page.store.set_perturbation(["district"], Uniform(keep=0.8))
    assert page.matrix.keep.slider.value == pytest.approx(0.8)
    assert page.matrix.grid._matrix[0, 0] == pytest.approx(0.8)
    first = page.readouts.cards[0].number
    page.store.set_perturbation(["district"], Uniform(keep=0.4))
    assert page.readouts.cards[0].number != first
    page.store.undo_stack.undo()
    assert page.matrix.keep.slider.value == pytest.approx(0.8)
    assert page.readouts.cards[0].number == first


def test_that_in_words_restates_the_design(page):
    select(page, "fare_evasion")
    page.store.set_perturbation(["fare_evasion"], Related(theta=0.7))
    assert "Seven in ten give their true answer" in page.words._plain()
    page.store.set_perturbation(["fare_evasion"], Identity())
    assert "published as they are" in page.words._plain()


def test_that_a_matrix_that_cannot_be_undone_is_said_in_a_banner(page):
    select(page, "fare_evasion")
    page.store.set_perturbation(["fare_evasion"], Uniform(keep=0.5))
    assert page.banner.isVisible()
    assert page.banner.kind == "warning"
    assert page.readouts.cards[3].number == "∞"
    page.store.set_perturbation(["fare_evasion"], Uniform(keep=0.7))
    assert not page.banner.isVisible()


@pytest.mark.parametrize(
    ("name", "made", "segment"),
    [
        ("age", Identity(), "none"),
        ("age", Multiplicative(sigma=0.3), "multiplicative"),
        ("income", Retention(keep=0.4), "retention"),
        ("income", Discretise(intervals=7), "discretise"),
    ],
)
def test_that_every_noise_has_its_panel(page, name, made, segment):
    select(page, name)
    page.store.set_perturbation([name], made)
    assert page.noise.segments.current == segment


# View to model


def test_that_dragging_the_keep_slider_is_one_undo_step(page, qtbot):
    select(page, "district")
    before = perturbation(page, "district")
    slider = page.matrix.keep.slider.slider
    steps = page.store.undo_stack.count()
    slider.sliderPressed.emit()
    for position in (300, 400, 500, 650):
        slider.setValue(position)
    slider.sliderReleased.emit()
    assert perturbation(page, "district") == Uniform(keep=0.65)
    assert page.store.undo_stack.count() == steps + 1
    page.store.undo_stack.undo()
    assert perturbation(page, "district") == before


def test_that_typing_a_percentage_into_the_box_sets_the_share(page, qtbot):
    select(page, "district")
    box = page.matrix.keep.slider.box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "75 %")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert perturbation(page, "district") == Uniform(keep=0.75)


def test_that_the_loop_switch_and_its_shortcut_turn_the_loop(page, qtbot):
    select(page, "trust_council")
    qtbot.mouseClick(page.matrix.neighbours.switch, Qt.MouseButton.LeftButton)
    assert perturbation(page, "trust_council").loop is True
    assert page.matrix.grid._matrix[-1, 0] > 0
    page._on_loop()
    assert perturbation(page, "trust_council").loop is False
    assert page.matrix.grid._matrix[-1, 0] == 0


def test_that_moving_a_neighbour_weight_keeps_the_sum_at_one(page):
    select(page, "trust_council")
    page.matrix.neighbours.sliders[1].slider.setValue(300)
    weights = perturbation(page, "trust_council").weights
    assert weights[0] + 2 * sum(weights[1:]) == pytest.approx(1)
    assert weights[1] == pytest.approx(0.15)


def test_that_every_segment_of_the_matrix_editor_makes_its_mechanism(page):
    select(page, "district")
    for segment, kind in (("none", Identity), ("uniform", Uniform), ("custom", Custom)):
        page.matrix.segments.choose(segment)
        assert isinstance(perturbation(page, "district"), kind)
    select(page, "fare_evasion")
    page.matrix.segments.choose("pq")
    assert isinstance(perturbation(page, "fare_evasion"), Binary)
    page.matrix.segments.choose("devices")
    assert page.matrix.stack.currentWidget() is page.matrix.devices


def test_that_neighbours_are_refused_for_unordered_values(page):
    select(page, "district")
    before = perturbation(page, "district")
    page.matrix.segments.choose("neighbours")
    assert perturbation(page, "district") == before
    assert "order" in page.matrix.segments._disabled["neighbours"]


def test_that_choosing_a_device_fills_the_matrix_and_tells_its_recipe(page):
    select(page, "fare_evasion")
    page.matrix.segments.choose("devices")
    choice = page.matrix.devices.choice
    choice.setCurrentIndex(choice.findData("mangat"))
    choice.activated.emit(choice.currentIndex())
    assert perturbation(page, "fare_evasion").matrix(2)[1, 1] == 1
    assert "draw a card" in page.matrix.devices.recipe.text()


def test_that_editing_a_cell_makes_the_matrix_custom_and_undo_brings_the_preset_back(page, qtbot):
    select(page, "district")
    page.store.set_perturbation(["district"], Uniform(keep=0.6))
    grid = page.matrix.grid
    grid.setFocus()
    grid.select(0, 0)
    for typed in ("0.9", "0,9", "90 %"):
        qtbot.keyClicks(grid, "0")
        editor = grid._editor
        assert editor.isVisible()
        editor.setText(typed)
        qtbot.keyClick(editor, Qt.Key.Key_Return)
        made = perturbation(page, "district")
        assert isinstance(made, Custom)
        assert made.matrix(7)[0, 0] == pytest.approx(0.9)
        np.testing.assert_allclose(made.matrix(7).sum(axis=0), 1)
        assert page.matrix.segments.current == "custom"
        page.store.undo_stack.undo()
        assert perturbation(page, "district") == Uniform(keep=0.6)
        assert page.matrix.segments.current == "uniform"


def test_that_a_locked_cell_keeps_its_value(page, qtbot):
    select(page, "district")
    page.store.set_perturbation(["district"], Uniform(keep=0.4))
    grid = page.matrix.grid
    grid.select(1, 0)
    qtbot.keyClick(grid, Qt.Key.Key_L)
    grid.cell_edited.emit(0, 0, 0.7)
    column = perturbation(page, "district").matrix(7)[:, 0]
    assert column[0] == pytest.approx(0.7)
    assert column[1] == pytest.approx(0.1)


def test_that_clicking_a_column_reads_it_out(page, qtbot):
    select(page, "district")
    grid = page.matrix.grid
    cell = grid.places.cell(2, 3)
    spot = QPoint(int(cell.center().x()), int(cell.center().y()))
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=spot)
    assert grid.column == 3
    assert page.store.study.design["district"].attribute.values[3] in page.matrix.reading.text()


def test_that_a_typed_target_is_solved_and_an_unreachable_one_says_so(page, qtbot):
    select(page, "district")
    aim = page.matrix.aim
    aim.measure.setCurrentIndex(aim.measure.findData("epsilon"))
    aim.value.setText("1,0")
    qtbot.keyClick(aim.value, Qt.Key.Key_Return)
    keep = perturbation(page, "district").keep
    assert np.log(keep * 6 / (1 - keep)) == pytest.approx(1, abs=1e-6)
    aim.measure.setCurrentIndex(aim.measure.findData("information_loss"))
    aim.value.setText("0.0000001")
    qtbot.keyClick(aim.value, Qt.Key.Key_Return)
    assert not aim._warning_row.isHidden()
    assert perturbation(page, "district").keep == keep


def test_that_width_and_range_privacy_of_noise_are_linked(page):
    select(page, "income")
    page.noise.additive._on_level(100.0, "")
    made = perturbation(page, "income")
    assert made.range_privacy == 100
    width = page.store.study.design["income"].attribute.width
    assert page.noise.additive.width_row.value == pytest.approx(width / 2, rel=0.01)
    page.noise.additive._on_scale(width / 8, "")
    assert page.noise.additive.level.value == pytest.approx(25, abs=0.2)


def test_that_a_dragged_handle_widens_the_noise_as_one_step(page, qtbot):
    select(page, "income")
    plot = page.noise.additive.plot
    steps = page.store.undo_stack.count()
    start = plot._handle(1).toPoint()
    before = perturbation(page, "income").noise_of(page.store.study.design["income"].attribute)
    qtbot.mousePress(plot, Qt.MouseButton.LeftButton, pos=start)
    for shift in (4, 9, 15):
        qtbot.mouseMove(plot, start - QPoint(shift, 0))
    qtbot.mouseRelease(plot, Qt.MouseButton.LeftButton)
    after = perturbation(page, "income").noise_of(page.store.study.design["income"].attribute)
    assert after.scale < before.scale
    assert page.store.undo_stack.count() == steps + 1


def test_that_shape_rule_and_truncation_reach_the_study(page, qtbot):
    select(page, "age")
    page.noise.additive.shape.choose("normal")
    assert perturbation(page, "age").noise == "normal"
    page.noise.additive.rule.choose("round")
    assert perturbation(page, "age").integer == "round"
    qtbot.mouseClick(page.noise.additive.truncate, Qt.MouseButton.LeftButton)
    assert perturbation(page, "age").truncate is True


def test_that_several_selected_attributes_share_a_mechanism(page):
    names = ("fare_evasion", "cash_in_hand", "drug_use")
    select(page, *names)
    page.matrix.keep.slider.slider.setValue(900)
    assert {perturbation(page, name) for name in names} == {Uniform(keep=0.9)}
    page.store.undo_stack.undo()
    assert perturbation(page, "drug_use") == Uniform(keep=0.6)


def test_that_the_expected_answers_can_be_drawn_and_moved_one_bar_at_a_time(page, qtbot):
    select(page, "satisfaction_safety")
    page.preview.source.choose("drawn")
    choice = page.store.study.choice("satisfaction_safety")
    assert choice.source == "drawn"
    page.preview.bars.set_share(0, 0.5, "")
    prior = page.store.study.prior("satisfaction_safety")
    assert prior.probabilities[0] == pytest.approx(0.5)
    page.store.set_choice("satisfaction_safety", PriorChoice("uniform"))
    assert page.preview.source.current == "uniform"


def test_that_respondents_are_set_from_the_page_and_shown_from_the_study(page):
    select(page, "district")
    page.readouts.respondents.setValue(800)
    assert page.store.study.settings.respondents == 800
    page.store.undo_stack.undo()
    assert page.readouts.respondents.value() == page.store.study.settings.respondents


def test_that_ignoring_the_device_biases_the_estimate_in_words(page):
    select(page, "fare_evasion")
    page.noncompliance.manner.choose("safe")
    page.noncompliance.box.setValue(10)
    assert page.store.study.settings.noncompliance == pytest.approx(0.1)
    assert "points" in page.noncompliance.words.text()


def test_that_attributes_are_grouped_under_one_coin_and_separated_again(page, workbench):
    names = ("fare_evasion", "drug_use")
    select(page, *names)
    dialog = GroupDialog(workbench, names, page)
    dialog.theta.set_value(0.6)
    dialog._on_accept()
    design = page.store.study.design
    assert design.group_of("drug_use").theta == pytest.approx(0.6)
    page.list._on_ungroup()
    assert page.store.study.design.group_of("drug_use") is None
    assert page.store.study.design.perturbation("drug_use").theta == pytest.approx(0.6)


def test_that_the_filter_narrows_the_list_and_alt_down_goes_on(page):
    page.list.filter.setText("satisf")
    assert page.list.model.names == [n for n in page.store.study.design.names if "satisf" in n]
    page.list.filter.clear()
    select(page, "district")
    page._step(1)
    assert page.store.current == "age"


def test_that_the_whole_questionnaire_arrives_from_a_job(page, qtbot):
    qtbot.waitUntil(lambda: page.summary.report is not None, timeout=10_000)
    assert "of 21" in page.summary.guess.text()
    qtbot.waitUntil(lambda: page.list.model._badge("district") != "", timeout=5_000)


# Odd studies


def study_of(*columns):
    return Study.of_table(Table(tuple(columns)), "odd")


def test_that_one_value_two_hundred_values_and_one_point_are_shown(page, workbench):
    many = Attribute("many", Kind.NOMINAL, tuple(f"value {i}" for i in range(200)))
    rng = np.random.default_rng(1)
    study = study_of(
        Column(Attribute("one", Kind.NOMINAL, ("only",)), np.zeros(50)),
        Column(many, rng.integers(0, 200, 50)),
        Column(Attribute("point", Kind.INTEGER, domain=(3, 3)), np.full(50, 3.0)),
    )
    workbench.store.open(study)
    for name in ("one", "many", "point"):
        select(page, name)
        page.grab()
        assert page.report.name == name
    assert page.matrix.grid.k == 200


def test_that_a_study_without_data_starts_from_a_uniform_expectation(page, workbench):
    from ppworkbench.study.questions import Question, study_of_questions

    workbench.store.open(
        study_of_questions([Question("Evaded", Kind.BINARY, "no, yes")], "questions")
    )
    assert page.preview.source.current == "uniform"
    assert "data" in page.preview.source._disabled


def test_that_an_empty_study_says_what_to_do(page, workbench):
    workbench.store.open(Study())
    assert page.views.currentWidget() is page.empty


# Small parts


def test_that_balanced_weights_sum_to_one():
    for step, value in ((0, 0.9), (1, 0.5), (2, 0.3), (1, 0.0)):
        weights = balanced((0.6, 0.15, 0.05), step, value)
        assert weights[0] + 2 * sum(weights[1:]) == pytest.approx(1)
    assert Ordinal(weights=balanced((1.0,), 0, 0.5)).reach == 1


def test_that_a_column_without_room_is_refused():
    assert edited_column(np.array([0.5, 0.5]), 0, 0.7, {1}) is None
    np.testing.assert_allclose(edited_column(np.array([1.0, 0, 0]), 0, 0.4, set()), [0.4, 0.3, 0.3])


def test_that_a_redrawn_distribution_sums_to_one():
    np.testing.assert_allclose(redrawn(np.array([1.0, 0.0]), 0, 0.2), [0.2, 0.8])


def test_that_additive_noise_of_an_integer_is_drawn_as_stems(page):
    select(page, "age")
    page.store.set_perturbation(["age"], Additive(half_width=5, integer="round"))
    plot = page.noise.additive.plot
    assert plot._stems
    ends = plot._y[np.abs(plot._x) == 5]
    np.testing.assert_allclose(ends, float(plot._y[plot._x == 0][0]) / 2)
