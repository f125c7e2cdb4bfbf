"""Controls of P-matrices on the Design page: what is moved there changes the study."""

import numpy as np
import pytest
from designing import perturbation, select
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit

from ppworkbench.analyses.designs.design import edited_column
from ppworkbench.core.design import Binary, Custom, Identity, Ordinal, Uniform

pytestmark = pytest.mark.usefixtures("own_page")

# View to model


@pytest.fixture
def page(unfolded):
    return unfolded


def test_that_dragging_the_keep_slider_is_one_undo_step(page):
    select(page, "district")
    before = perturbation(page, "district")
    slider = page.matrix.panel("uniform").slider.slider
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
    box = page.matrix.panel("uniform").slider.box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "75 %")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert perturbation(page, "district") == Uniform(keep=0.75)


def test_that_a_probability_beyond_1_is_refused_in_a_sentence_that_has_room(page, qtbot):
    select(page, "district")
    page.store.set_perturbation(["district"], Uniform(keep=0.6))
    row = page.matrix.panel("uniform").slider
    row.box.setFocus()
    row.box.selectAll()
    qtbot.keyClicks(row.box, "2.5")
    qtbot.keyClick(row.box, Qt.Key.Key_Return)
    assert perturbation(page, "district") == Uniform(keep=0.6)
    assert row.problem.isVisible()
    assert row.problem.text() == "2.5 is not between 0 and 1; for a percentage type “2.5\u202f%”."
    panel = page.matrix.panel("uniform")
    qtbot.waitUntil(lambda: panel.height() >= panel.minimumSizeHint().height())


def test_that_the_loop_switch_and_its_shortcut_turn_the_loop(page, qtbot):
    select(page, "trust_council")
    qtbot.mouseClick(page.matrix.panel("ordinal").switch, Qt.MouseButton.LeftButton)
    assert perturbation(page, "trust_council").loop is True
    assert page.matrix.grid._matrix[-1, 0] > 0
    page.edits.turn_loop()
    assert perturbation(page, "trust_council").loop is False
    assert page.matrix.grid._matrix[-1, 0] == 0


def test_that_moving_a_neighbour_weight_keeps_the_sum_at_one(page):
    select(page, "trust_council")
    page.matrix.panel("ordinal").sliders[1].slider.setValue(300)
    weights = perturbation(page, "trust_council").weights
    assert weights[0] + 2 * sum(weights[1:]) == pytest.approx(1)
    assert weights[1] == pytest.approx(0.15)


def test_that_every_segment_of_the_matrix_editor_makes_its_mechanism(page):
    select(page, "district")
    for segment, kind in (("none", Identity), ("uniform", Uniform), ("custom", Custom)):
        page.matrix.segments.choose(segment)
        assert isinstance(perturbation(page, "district"), kind)
    select(page, "fare_evasion")
    page.matrix.segments.choose("binary")
    assert isinstance(perturbation(page, "fare_evasion"), Binary)
    page.matrix.segments.choose("devices")
    assert page.matrix.stack.currentWidget() is page.matrix.devices


def test_that_neighbours_are_refused_for_unordered_values(page):
    select(page, "district")
    before = perturbation(page, "district")
    page.matrix.segments.choose("ordinal")
    assert perturbation(page, "district") == before
    assert "order" in page.matrix.segments.refused["ordinal"]


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


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("2.5", "2.5 is not between 0 and 1; for a percentage type “2.5\u202f%”."),
        pytest.param(
            "0.5x", "“0.5x” is not a number; type e.g. 0.25 or 25\u202f%.", marks=pytest.mark.slow
        ),
        pytest.param("300 %", "300 % is not between 0 and 1.", marks=pytest.mark.slow),
    ],
)
def test_that_a_cell_that_is_no_probability_says_why_and_waits(page, qtbot, typed, sentence):
    select(page, "district")
    page.store.set_perturbation(["district"], Uniform(keep=0.6))
    grid, problem = page.matrix.grid, page.matrix.problem
    grid.setFocus()
    grid.select(0, 0)
    qtbot.keyClicks(grid, typed[0])
    cell = grid.findChild(QLineEdit, "matrixCell")
    qtbot.keyClicks(cell, typed[1:])
    qtbot.keyClick(cell, Qt.Key.Key_Return)
    assert cell.isVisible()
    assert cell.text() == typed
    assert problem.isVisible()
    assert problem.text() == sentence
    elsewhere = grid.places.cell(2, 3).center().toPoint()
    qtbot.mouseClick(grid, Qt.MouseButton.LeftButton, pos=elsewhere)
    assert (grid.row, grid.column) == (0, 0)
    assert cell.text() == typed
    assert problem.isVisible()
    assert perturbation(page, "district") == Uniform(keep=0.6)
    qtbot.keyClick(cell, Qt.Key.Key_Escape)
    assert not cell.isVisible()
    assert not problem.isVisible()
    assert perturbation(page, "district") == Uniform(keep=0.6)


def test_that_a_refused_cell_is_taken_once_it_is_corrected(page, qtbot):
    select(page, "district")
    grid = page.matrix.grid
    grid.setFocus()
    grid.select(0, 0)
    qtbot.keyClicks(grid, "9")
    cell = grid.findChild(QLineEdit, "matrixCell")
    qtbot.keyClick(cell, Qt.Key.Key_Return)
    assert page.matrix.problem.isVisible()
    qtbot.keyClicks(cell, "0%")
    qtbot.keyClick(cell, Qt.Key.Key_Return)
    assert not cell.isVisible()
    assert not page.matrix.problem.isVisible()
    assert perturbation(page, "district").matrix(7)[0, 0] == pytest.approx(0.9)


def test_that_another_attribute_does_not_inherit_what_was_typed(page, qtbot):
    select(page, "district")
    grid = page.matrix.grid
    grid.setFocus()
    qtbot.keyClicks(grid, "9")
    cell = grid.findChild(QLineEdit, "matrixCell")
    qtbot.keyClick(cell, Qt.Key.Key_Return)
    select(page, "trust_council")
    assert not cell.isVisible()
    assert not page.matrix.problem.isVisible()


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


def test_that_the_weights_of_a_file_are_said_as_the_field_shows_them(page):
    select(page, "district")
    page.store.set_perturbation(["district"], Ordinal(weights=(1.38, 0.2, 0.2)))
    kept = page.matrix.panel("ordinal").sliders[0]
    assert kept.value == pytest.approx(1.38 / 2.18, abs=5e-4)
    # 0.633 and twice 0.092; the sum of what stands in the file is nowhere else.
    assert "The end columns sum to 0.82" in page.matrix.reading.text()


# Small parts


def test_that_balanced_weights_sum_to_one():
    for step, value in ((0, 0.9), (1, 0.5), (2, 0.3), (1, 0.0)):
        weights = Ordinal(weights=(0.6, 0.15, 0.05)).balanced(step, value).weights
        assert weights[0] + 2 * sum(weights[1:]) == pytest.approx(1)
    assert Ordinal(weights=(1.0,)).balanced(0, 0.5).reach == 1


def test_that_a_column_without_room_is_refused():
    assert edited_column(np.array([0.5, 0.5]), 0, 0.7, {1}) is None
    np.testing.assert_allclose(edited_column(np.array([1.0, 0, 0]), 0, 0.4, set()), [0.4, 0.3, 0.3])


def test_that_a_file_that_is_no_matrix_is_refused_in_a_sentence(page, tmp_path, dialogs):
    select(page, "district")
    path = tmp_path / "nothing.csv"
    path.touch()
    editor = page.matrix
    editor.load.click()
    dialogs.cancel()
    editor.load.click()
    dialogs.choose(path)
    assert editor.problem.text() == "nothing.csv is empty, or too large for a matrix."


def test_that_the_matrix_is_folded_except_where_it_says_more_than_a_slider(page):
    section = page.matrix.section
    section.button.click()
    select(page, "district")
    assert not section.is_open
    assert not page.matrix.grid.isVisible()
    select(page, "trust_council")
    assert section.is_open
    select(page, "district")
    assert not section.is_open
    page.matrix.segments.choose("custom")
    assert section.is_open
    page.matrix.segments.choose("uniform")
    section.button.click()
    select(page, "fare_evasion")
    assert section.is_open
