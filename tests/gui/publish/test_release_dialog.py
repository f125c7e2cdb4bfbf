"""Releasing a bundle: where to, what, and what is said about it."""

from __future__ import annotations

import zipfile

import pytest
from designs import classic_study
from publish_tables import smokers
from PySide6.QtCore import Qt

from ppworkbench.core.data.files import read_table
from ppworkbench.core.publish import DeniabilityOptions, Sample, make_tree
from ppworkbench.gui.dialogs import show_dialog
from ppworkbench.gui.pages.publish.bundle_dialog import FOLDER, ZIP, ReleaseDialog, Subject
from ppworkbench.outputs.bundle import BundleOptions
from ppworkbench.outputs.deniable import DenialPlan
from ppworkbench.study.study import Study

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def study() -> Study:
    return classic_study(smokers(300), "smokers")


@pytest.fixture
def deniable(study) -> Subject:
    plan = DenialPlan("smokes", DeniabilityOptions(min_deniability=0.3, cuts=4))
    return Subject(study, plan, make_tree(Sample.of(study.original, "smokes"), plan.options))


@pytest.fixture
def opened(workbench, qtbot, tmp_path):
    def make(subject, options=None):
        workbench.store.open(subject.study)
        workbench.settings.setValue("files/folder", str(tmp_path))
        dialog = ReleaseDialog(workbench, subject, options)
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return make


def run(dialog, qtbot, wait_idle):
    qtbot.mouseClick(dialog.export, LEFT)
    wait_idle()


def test_that_a_deniable_bundle_is_written_with_report_and_checklist(
    opened, deniable, qtbot, wait_idle, tmp_path, study
):
    dialog = opened(deniable)
    assert "exchanged within" in dialog._summary()
    run(dialog, qtbot, wait_idle)
    folder = tmp_path / "smokers-release"
    names = {path.name for path in folder.iterdir()}
    assert {"smokers.csv", "report.html", "report.pdf", "README.txt"} <= names
    assert not any("design" in name for name in names)
    back = read_table(folder / "smokers.csv")
    assert back.rows == 300
    assert back["smokes"].data.tolist() != study.original["smokes"].data.tolist()
    text = (folder / "README.txt").read_text(encoding="utf-8")
    assert "Every group reaches 30 % deniability" in text


def test_that_enter_exports_and_does_not_ask_for_another_folder(
    workbench, window, study, qtbot, wait_idle, tmp_path, dialogs
):
    workbench.store.open(study)
    workbench.settings.setValue("files/folder", str(tmp_path))
    dialog = ReleaseDialog(workbench, Subject(study), BundleOptions(report=False), window)
    show_dialog(dialog, workbench.themes)
    assert dialogs.front(ReleaseDialog) is dialog
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    wait_idle()
    assert (tmp_path / "smokers-release" / "smokers.csv").is_file()
    assert not dialogs.is_open
    workbench.store.forget_changes()


def test_that_a_distorted_bundle_is_a_zip_with_its_design(
    opened, study, qtbot, wait_idle, tmp_path
):
    dialog = opened(Subject(study), BundleOptions(report=False))
    dialog.form.choose(ZIP)
    assert dialog.path.text().endswith("smokers-release.zip")
    dialog.leave_out.setChecked(True)
    run(dialog, qtbot, wait_idle)
    with zipfile.ZipFile(tmp_path / "smokers-release.zip") as archive:
        names = archive.namelist()
    assert any(name.endswith("smokers-design.json") for name in names)
    assert not any("report" in name for name in names)


def test_that_path_and_form_follow_each_other(opened, deniable, tmp_path, dialogs):
    dialog = opened(deniable)
    assert dialog.form.current == FOLDER
    dialog.path.setText(str(tmp_path / "a.zip"))
    assert dialog.form.current == ZIP
    dialog.form.choose(FOLDER)
    assert dialog.path.text() == str(tmp_path / "a")
    (tmp_path / "sub").mkdir()
    dialog.choose.click()
    dialogs.choose(tmp_path / "sub")
    assert dialog.path.text() == str(tmp_path / "sub" / "a")
    dialog.form.choose(ZIP)
    dialog.choose.click()
    dialogs.cancel()
    dialog.choose.click()
    dialogs.choose(tmp_path / "b")
    assert dialog.path.text() == str(tmp_path / "b.zip")
    dialog.path.setText("")
    assert not dialog.export.isEnabled()
    assert dialog.export.toolTip()


def test_that_the_checklist_follows_what_is_left_out(opened, study):
    dialog = opened(Subject(study))
    assert any(
        p.good is False and "smokes is not randomised" in p.sentence for p in dialog.list.points
    )
    dialog.leave_out.setChecked(True)
    assert any(p.good and "Every released attribute" in p.sentence for p in dialog.list.points)
    assert dialog.options.leave_out == ("smokes",)


def test_that_options_of_the_page_are_taken_over(opened, deniable):
    dialog = opened(deniable, BundleOptions(format=".xlsx", report=False))
    assert dialog.options.format == ".xlsx"
    assert not dialog.options.report


def test_that_a_folder_that_holds_something_is_refused_in_a_sentence(
    opened, deniable, qtbot, wait_idle, tmp_path
):
    folder = tmp_path / "smokers-release"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    dialog = opened(deniable, BundleOptions(report=False))
    run(dialog, qtbot, wait_idle)
    assert dialog.isVisible()
    assert dialog.state.text().endswith(".")
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert dialog.export.isEnabled()


def test_that_a_zip_is_replaced_only_after_a_question(
    opened, deniable, qtbot, wait_idle, tmp_path, dialogs
):
    path = tmp_path / "old.zip"
    path.write_text("mine")
    dialog = opened(deniable, BundleOptions(report=False))
    dialog.path.setText(str(path))
    dialog.export.click()
    dialogs.answer("Cancel")
    assert path.read_text() == "mine"
    dialog.export.click()
    dialogs.answer("Replace")
    wait_idle()
    assert zipfile.is_zipfile(path)
