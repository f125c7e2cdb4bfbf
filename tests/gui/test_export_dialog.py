"""Exporting: what is written, what is warned of, and that it can be stopped."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from designs import classic_study
from PySide6.QtCore import Qt
from stub_pages import make_stub_page
from studies import make_study

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.files import codebook_of, read_table
from ppworkbench.core.data.formats import formats
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Identity
from ppworkbench.core.design import release as release_module
from ppworkbench.core.design.design_file import design_from_json, publishable, read_design
from ppworkbench.core.errors import DataError
from ppworkbench.gui.export_dialog import FORMATS, SEED_SENTENCE, ExportDialog, design_path
from ppworkbench.gui.files import data_filter, write_filters
from ppworkbench.gui.window import main_window
from ppworkbench.study.release import release_points, undistorted
from ppworkbench.study.study import Study

LEFT = Qt.MouseButton.LeftButton
SECRET = "Zebulon"


@pytest.fixture
def study() -> Study:
    """Every kind of attribute, one of them undistorted, and names that no design lists."""
    study = make_study("survey", rows=300)
    names = Attribute("name", Kind.NOMINAL, (*(f"person {i}" for i in range(299)), SECRET))
    column = Column(names, np.arange(300))
    table = Table((*study.original.columns, column), study.original.class_name)
    return classic_study(table, "survey")


@pytest.fixture
def dialog(workbench, qtbot, study, tmp_path):
    workbench.store.open(study)
    workbench.settings.setValue("files/folder", str(tmp_path))
    made = ExportDialog(workbench)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def toasts(workbench):
    seen = []
    workbench.toast_requested.connect(lambda message, undoable: seen.append(message))
    return seen


def run(dialog, qtbot, wait_idle):
    qtbot.mouseClick(dialog.export, LEFT)
    wait_idle()


def test_that_a_release_is_the_default(dialog, tmp_path):
    assert dialog.path.text() == str(tmp_path / "survey-distorted.csv")
    assert dialog.secure.isChecked()
    assert dialog.shuffle.isChecked()
    assert dialog.escape.isChecked()
    assert not dialog.design_file.isChecked()
    assert not dialog.unsafe.isVisible()


@pytest.mark.usefixtures("readstat_here")
@pytest.mark.parametrize("suffix", [suffix for suffix, _ in FORMATS])
def test_that_every_format_is_written_with_its_codebook_and_design(
    dialog, qtbot, wait_idle, tmp_path, study, toasts, suffix
):
    dialog.format.setCurrentIndex(dialog.format.findData(suffix))
    dialog.format.activated.emit(dialog.format.currentIndex())
    path = tmp_path / f"survey-distorted{suffix}"
    assert dialog.path.text() == str(path)
    run(dialog, qtbot, wait_idle)
    back = read_table(path)
    assert back.rows == 300
    assert set(back.names) == set(study.design.names)
    assert design_from_json(codebook_of(path).design) == publishable(study.design)
    assert SECRET.encode() not in b"".join(p.read_bytes() for p in tmp_path.glob("survey-*"))
    assert toasts == [f"300 distorted rows written to {path.name}."]


def test_that_a_name_with_a_tilde_need_not_be_somebodys_home(
    dialog, qtbot, wait_idle, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    dialog.path.setText("~nobody here.csv")
    run(dialog, qtbot, wait_idle)
    assert read_table(tmp_path / "~nobody here.csv").rows == 300


def test_that_the_study_is_untouched_by_an_export(dialog, qtbot, wait_idle, workbench):
    study = workbench.store.study
    run(dialog, qtbot, wait_idle)
    assert workbench.store.study is study
    assert not workbench.store.is_modified


def test_that_notes_of_the_writer_are_shown_before_the_dialog_closes(dialog, qtbot, wait_idle):
    run(dialog, qtbot, wait_idle)
    assert dialog.isVisible()
    assert "Excluded" in dialog.state.text()
    assert dialog.cancel.text() == "Close"
    qtbot.mouseClick(dialog.cancel, LEFT)
    assert not dialog.isVisible()


def test_that_a_dialog_without_notes_closes_by_itself(workbench, qtbot, wait_idle, tmp_path):
    workbench.store.open(make_study("plain"))
    workbench.settings.setValue("files/folder", str(tmp_path))
    dialog = ExportDialog(workbench)
    qtbot.addWidget(dialog)
    dialog.show()
    run(dialog, qtbot, wait_idle)
    assert not dialog.isVisible()
    assert (tmp_path / "plain-distorted.csv").exists()
    assert (tmp_path / "plain-distorted.codebook.json").exists()


def test_that_a_seed_is_warned_of_and_repeats_the_file(dialog, qtbot, wait_idle, tmp_path):
    dialog.seeded.setChecked(True)
    assert dialog.unsafe.isVisible()
    assert dialog.unsafe.text() == SEED_SENTENCE
    assert not dialog.shuffle.isChecked()
    contents = []
    for name in ("a.csv", "b.csv"):
        dialog.path.setText(str(tmp_path / name))
        run(dialog, qtbot, wait_idle)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]
    dialog.secure.setChecked(True)
    assert dialog.shuffle.isChecked()
    dialog.path.setText(str(tmp_path / "c.csv"))
    run(dialog, qtbot, wait_idle)
    assert (tmp_path / "c.csv").read_bytes() != contents[0]


def test_that_the_design_can_be_written_beside_the_data(dialog, qtbot, wait_idle, tmp_path, study):
    dialog.design_file.setChecked(True)
    run(dialog, qtbot, wait_idle)
    path = design_path(tmp_path / "survey-distorted.csv")
    assert path.name == "survey-distorted-design.json"
    assert read_design(path) == publishable(study.design)
    assert "seed" not in path.read_text()


def test_that_undistorted_attributes_are_named_and_can_be_left_out(
    dialog, qtbot, wait_idle, tmp_path, study
):
    assert undistorted(study.design) == ("sex",)
    assert any(
        p.good is False and "sex is not randomised" in p.sentence for p in dialog.list.points
    )
    dialog.leave_out.setChecked(True)
    assert any(p.good and "Every released attribute" in p.sentence for p in dialog.list.points)
    run(dialog, qtbot, wait_idle)
    back = read_table(tmp_path / "survey-distorted.csv")
    assert "sex" not in back
    assert back.class_name is None


def test_that_nothing_can_be_left_out_when_all_is_distorted_or_nothing(workbench, qtbot):
    study = make_study()
    bare = study.with_perturbations({name: Identity() for name in study.design.names})
    for one in (study.with_perturbations({"sex": study.design["town"].perturbation}), bare):
        workbench.store.open(one)
        dialog = ExportDialog(workbench)
        qtbot.addWidget(dialog)
        assert not dialog.leave_out.isEnabled()
        assert dialog.leave_out.toolTip()


def test_that_the_checklist_says_what_the_settings_mean(study):
    table, design = study.original, study.design

    def said(**settings):
        return {p.sentence: p.good for p in release_points(design, table, **settings)}

    release = said()
    assert release["No seed is saved"] is True
    assert release["Missing answers of mood stay missing"] is False
    assert release["Numbers are rounded to a grid"] is True
    assert release["name: omitted"] is None
    assert release["All bounds of numbers are public"] is True
    assert "The rows keep their order" not in release
    unsafe = said(secure=False, shuffled=False)
    assert unsafe["The seed reveals the true answers"] is False
    assert unsafe["The rows keep their order"] is False
    assert "Numbers are rounded to a grid" not in unsafe


def test_that_a_file_is_replaced_only_after_a_question(dialog, qtbot, wait_idle, tmp_path, dialogs):
    path = tmp_path / "survey-distorted.csv"
    path.write_text("mine")
    dialog.export.click()
    assert dialogs.answer("Cancel") == "survey-distorted.csv exists. Replace it?"
    assert path.read_text() == "mine"
    dialog.export.click()
    dialogs.answer("Replace")
    wait_idle()
    assert path.read_text() != "mine"


def test_that_a_codebook_or_design_in_the_way_is_asked_about_too(
    dialog, qtbot, wait_idle, tmp_path, dialogs
):
    beside = tmp_path / "survey-distorted.codebook.json"
    design = tmp_path / "survey-distorted-design.json"
    for path in (beside, design):
        path.write_text("mine")
    dialog.design_file.setChecked(True)
    dialog.export.click()
    asked = dialogs.answer("Cancel")
    assert asked == f"{beside.name}, {design.name} exist. Replace them?"
    assert {beside.read_text(), design.read_text()} == {"mine"}
    assert not (tmp_path / "survey-distorted.csv").exists()
    dialog.design_file.setChecked(False)
    dialog.export.click()
    assert dialogs.answer("Replace") == f"{beside.name} exists. Replace it?"
    wait_idle()
    assert beside.read_text() != "mine"
    assert design.read_text() == "mine"


def test_that_the_design_is_asked_about_although_its_table_was_confirmed(
    dialog, wait_idle, tmp_path, dialogs
):
    (tmp_path / "a-design.json").write_text("mine")
    dialog.design_file.setChecked(True)
    dialog.choose.click()
    dialogs.choose(tmp_path / "a.csv")
    dialog.export.click()
    assert dialogs.answer("Cancel") == "a-design.json exists. Replace it?"
    assert (tmp_path / "a-design.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("chosen", "used", "path"),
    [("a.sav", "", "a.sav"), ("b", "Stata (*.dta)", "b.dta"), ("c.v2", "", "c.v2.csv")],
)
def test_that_a_chosen_file_sets_name_and_format(dialog, tmp_path, dialogs, chosen, used, path):
    dialog.choose.click()
    dialogs.cancel()
    dialog.choose.click()
    if used:
        dialogs.choose_kind(used)
    dialogs.choose(tmp_path / chosen)
    assert dialog.path.text() == str(tmp_path / path)
    assert dialog.format.currentData() == (tmp_path / path).suffix


def test_that_a_name_which_cannot_be_written_disables_the_button_with_a_reason(dialog):
    dialog.path.setText("/tmp/out.docx")
    assert not dialog.export.isEnabled()
    assert "cannot be written" in dialog.export.toolTip()
    dialog.path.setText("/tmp/out.xlsx")
    assert dialog.export.isEnabled()
    assert dialog.format.currentData() == ".xlsx"


def test_that_a_failed_export_says_why_once_and_the_dialog_stays(
    dialog, workbench, qtbot, wait_idle, tmp_path
):
    errors = []
    workbench.error_raised.connect(errors.append)
    dialog.path.setText(str(tmp_path / "no folder" / "out.csv"))
    run(dialog, qtbot, wait_idle)
    assert dialog.isVisible()
    assert "out.csv cannot be written" in dialog.state.text()
    assert errors == []
    assert dialog.export.isEnabled()
    assert dialog.settings_area.isEnabled()


def test_that_a_fault_of_the_program_is_told_by_the_window_too(
    dialog, workbench, qtbot, wait_idle, monkeypatch
):
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(release_module, "release_table", broken)
    errors = []
    workbench.error_raised.connect(errors.append)
    run(dialog, qtbot, wait_idle)
    assert [type(error) for error in errors] == [ZeroDivisionError]


def test_that_an_export_shows_its_progress_and_can_be_stopped(
    dialog, qtbot, wait_idle, tmp_path, monkeypatch
):
    reached = threading.Event()

    def slow(table, design, target, options, progress):
        for _ in range(2_000):
            progress(0.5, "writing")
            reached.set()
            threading.Event().wait(0.005)
        raise DataError("nobody stopped it")

    monkeypatch.setattr(release_module, "release_table", slow)
    qtbot.mouseClick(dialog.export, LEFT)
    assert not dialog.export.isEnabled()
    assert not dialog.settings_area.isEnabled()
    qtbot.waitUntil(lambda: dialog.bar.value() > 400)
    assert dialog.bar.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    wait_idle()
    assert dialog.isVisible()
    assert dialog.state.text() == "Stopped. Nothing was written."
    assert list(tmp_path.glob("survey*")) == []
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.slow
def test_that_the_menu_opens_the_dialog(window, monkeypatch, study, dialogs):
    monkeypatch.setattr(main_window, "make_page", make_stub_page)
    window.store.open(study)
    for _ in range(2):
        window.menus.actions["export"].trigger()
        assert dialogs.front(ExportDialog).isVisible()
        dialogs.cancel()
        assert not dialogs.is_open


def test_that_the_filters_of_file_dialogs_name_every_format():
    opened = data_filter().split()
    assert set(opened) == {
        "*.ppw",
        "*.toml",
        *(f"*{one}" for e in formats for one in e.item.suffixes),
    }
    assert write_filters() == (
        "CSV (*.csv);;Excel (*.xlsx);;Parquet (*.parquet);;SPSS (*.sav);;Stata (*.dta);;"
        "ARFF (*.arff)"
    )
