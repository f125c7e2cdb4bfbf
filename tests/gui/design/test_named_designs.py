"""What was chosen as a device is shown as that device, also after the study was opened again."""

import numpy as np
import pytest
from designing import perturbation, select
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from ppworkbench.core.design import Custom, Forced, Related, Uniform, Unrelated
from ppworkbench.core.design.presets import presets
from ppworkbench.gui.pages.design import DesignPage
from ppworkbench.study.files.study_file import open_study, save_study

TWO, MORE = "fare_evasion", "district"
FOR_TWO = [entry.name for entry in presets if entry.name != "bandwidth"]
FOR_MORE = [entry.name for entry in presets if not entry.item.two_values]
QUICK = {(TWO, "warner"), (TWO, "crosswise"), (TWO, "kuk"), (MORE, "bandwidth")}
"""With one probability, under another name, with two probabilities, and for many values."""


def choose_device(page: DesignPage, qtbot, device: str) -> None:
    """Choose a device from the list with the keyboard."""
    # The page shows the attribute before until it has caught up.
    QApplication.processEvents()
    page.matrix.segments.choose("devices")
    box = page.matrix.devices.choice
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Home)
    for _ in range(box.findData(device)):
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.currentData() == device


def reopened_page(page: DesignPage, qtbot, workbench, path) -> DesignPage:
    """A new page on the study, saved and opened again."""
    save_study(page.store.study, path)
    page.hide()
    workbench.store.open(open_study(path))
    again = DesignPage(workbench)
    qtbot.addWidget(again)
    again.resize(1290, 690)
    again.show()
    qtbot.waitExposed(again)
    return again


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "device"),
    [
        pytest.param(name, device, marks=() if (name, device) in QUICK else pytest.mark.slow)
        for name, devices in ((TWO, FOR_TWO), (MORE, FOR_MORE))
        for device in devices
    ],
)
def test_that_a_saved_device_is_shown_as_it_was_chosen(
    page, qtbot, workbench, tmp_path, name, device
):
    select(page, name)
    choose_device(page, qtbot, device)
    shown = page.matrix.devices
    params, recipe = shown.form.params, shown.recipe.text()
    matrix = page.matrix.grid.matrix
    again = reopened_page(page, qtbot, workbench, tmp_path / "kept.ppw")
    select(again, name)
    shown = again.matrix.devices
    assert again.matrix.segments.current == "devices"
    assert shown.choice.currentData() == device
    assert shown.recipe.text() == recipe
    assert type(shown.form.params) is type(params)
    for key, value in params.to_json().items():
        np.testing.assert_allclose(shown.form.params.to_json()[key], value, atol=1e-6)
    np.testing.assert_array_equal(again.matrix.grid.matrix, matrix)


def test_that_a_mechanism_that_names_its_design_is_not_taken_for_another(page):
    select(page, TWO)
    page.store.set_perturbation([TWO], Forced(p_truth=0.75))
    assert page.matrix.devices.choice.currentData() == "forced-response"
    assert page.matrix.devices.recipe.text().startswith("Roll a die")
    page.store.set_perturbation([TWO], Forced(p_truth=1.0))
    assert page.matrix.devices.choice.currentData() == "forced-response"
    page.store.set_perturbation([TWO], Related(theta=0.7))
    assert page.matrix.devices.choice.currentData() == "warner"


def test_that_a_device_keeps_its_name_while_it_is_moved_and_loses_it_with_its_shape(page, qtbot):
    select(page, TWO)
    choose_device(page, qtbot, "crosswise")
    box = page.matrix.devices.form.fields["p"].slider.box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "0.3")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert perturbation(page, TWO).theta == pytest.approx(0.3)
    assert page.matrix.devices.choice.currentData() == "crosswise"
    page.store.undo_stack.undo()
    assert page.matrix.devices.choice.currentData() == "crosswise"
    page.matrix.segments.choose("uniform")
    assert page.matrix.segments.current == "uniform"
    assert isinstance(perturbation(page, TWO), Uniform)
    page.store.undo_stack.undo()
    assert page.matrix.devices.choice.currentData() == "crosswise"
    page.matrix.section.button.click()
    page.matrix.grid.setFocus()
    page.matrix.grid.select(0, 0)
    qtbot.keyClicks(page.matrix.grid, "0")
    editor = page.matrix.grid.findChild(QLineEdit, "matrixCell")
    editor.setText("0.9")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert page.matrix.segments.current == "custom"


def test_that_the_last_step_of_the_first_demonstration_shows_the_unrelated_question(page):
    select(page, TWO)
    page.store.set_perturbation([TWO], Related(theta=0.5))
    page.store.set_perturbation([TWO], Unrelated(theta=0.7, personal=(0.5, 0.5)))
    assert page.matrix.devices.choice.currentData() == "unrelated-question"
    assert page.matrix.devices.recipe.text().startswith("Toss a coin")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second"),
    [("grr", "kuk"), pytest.param("invariant-pram", "grr", marks=pytest.mark.slow)],
)
def test_that_an_open_page_shows_the_device_of_another_study(
    page, qtbot, workbench, tmp_path, first, second
):
    select(page, TWO)
    kept = {}
    for device in (first, second):
        choose_device(page, qtbot, device)
        kept[device] = tmp_path / f"{device}.ppw"
        save_study(page.store.study, kept[device])
    for device in (first, second, first):
        workbench.store.open(open_study(kept[device]))
        select(page, TWO)
        assert page.matrix.devices.choice.currentData() == device
        assert page.matrix.segments.current == "devices"


def test_that_the_name_of_a_design_is_not_cut_off(page, qtbot):
    page.store.set_perturbation([TWO], Forced(p_truth=0.7))
    select(page, TWO)
    box = page.matrix.devices.choice
    needed = box.fontMetrics().horizontalAdvance(box.currentText())
    qtbot.waitUntil(lambda: box.width() > needed + 20)


def test_that_a_matrix_typed_by_hand_stays_custom_even_if_a_named_design_is_the_same(
    page, qtbot, workbench, tmp_path
):
    select(page, TWO)
    page.store.set_perturbation([TWO], Related(theta=0.7))
    assert page.matrix.segments.current == "devices"
    page.store.set_perturbation([TWO], Custom.of(Related(theta=0.7).matrix(2)))
    assert page.matrix.segments.current == "custom"
    again = reopened_page(page, qtbot, workbench, tmp_path / "typed.ppw")
    select(again, TWO)
    assert again.matrix.segments.current == "custom"
