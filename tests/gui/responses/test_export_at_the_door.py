"""The export of a platform at the doors of the window: it is led to the study that asked for it."""

from __future__ import annotations

import pytest
from asked_studies import asked_study, qualtrics_export, reported_rows
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from ppworkbench.core.design.design_file import write_design
from ppworkbench.gui.responses.add_dialog import AddDialog
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.files.study_file import save_study
from ppworkbench.study.sampling import give_role


@pytest.fixture
def export(tmp_path):
    return qualtrics_export(tmp_path / "export.csv", reported_rows(5))


def add(dialogs, wait_idle):
    dialog = dialogs.front(AddDialog)
    wait_idle()
    dialog.state.buttons["reported"].click()
    wait_idle()
    dialog.add_button.click()
    wait_idle()


def test_that_an_export_without_a_study_asks_for_it_and_is_added(
    workbench, files, export, tmp_path, dialogs, wait_idle
):
    save_study(asked_study(), tmp_path / "asked.ppw")
    files.open_paths([str(export)])
    wait_idle()
    assert workbench.store.study.is_empty
    assert "export of Qualtrics" in dialogs.front(QMessageBox).text()
    dialogs.answer("Choose its study…")
    dialogs.choose(tmp_path / "asked.ppw")
    wait_idle()
    add(dialogs, wait_idle)
    study = workbench.store.study
    assert (study.title, study.state, study.rows) == ("Asked", AnswerState.REPORTED, 5)


def test_that_an_export_with_its_design_is_added_to_the_design(
    workbench, files, export, tmp_path, dialogs, wait_idle
):
    write_design(asked_study().design, tmp_path / "design.json")
    files.open_paths([str(export), str(tmp_path / "design.json")])
    wait_idle()
    dialogs.answer("Add to this design")
    wait_idle()
    add(dialogs, wait_idle)
    assert workbench.store.study.rows == 5
    assert workbench.store.study.state is AnswerState.REPORTED


def test_that_an_export_of_other_questions_is_offered_to_the_open_study_too(
    workbench, files, tmp_path, dialogs, wait_idle
):
    workbench.store.open(asked_study())
    path = qualtrics_export(tmp_path / "other.csv", [{"Q1": "a"}, {"Q1": "b"}])
    files.open_paths([str(path)])
    wait_idle()
    dialogs.answer("Add to the open study")
    assert dialogs.front(AddDialog).paths == (path,)
    dialogs.front(AddDialog).reject()


def test_that_an_export_is_opened_as_plain_data_by_those_who_want_it(
    workbench, files, export, dialogs, wait_idle
):
    for answer in ("Cancel", "Open as plain data"):
        files.open_paths([str(export)])
        wait_idle()
        dialogs.answer(answer)
        wait_idle()
        assert workbench.store.study.is_empty == (answer == "Cancel")
    assert "ResponseId" in workbench.store.study.original
    # Read again with other settings it is still that.
    files.open_paths([str(export)])
    wait_idle()
    assert not dialogs.is_open


def test_that_a_weight_is_kept_without_being_a_question(
    workbench, files, tmp_path, dialogs, wait_idle
):
    workbench.store.open(asked_study())
    path = qualtrics_export(
        tmp_path / "export.csv", reported_rows(3),
        {"weight": ["1.5", "0.5", "1"], "e-mail": ["a@b.org", "c@d.org", "e@f.org"]},
    )  # fmt: skip
    dialog = files.responses.add_paths([path])
    wait_idle()
    # What tells who answered, or when, is not offered.
    assert [dialog.kept.item(place).text() for place in range(dialog.kept.count())] == ["weight"]
    assert "weight" in dialog.left_out.text()
    dialog.kept.item(0).setCheckState(Qt.CheckState.Checked)
    wait_idle()
    assert "weight" not in dialog.left_out.text()
    add(dialogs, wait_idle)
    study = workbench.store.study
    assert sorted(study.distorted["weight"].data.tolist()) == [0.5, 1.0, 1.5]
    assert [one.name for one in study.asked_attributes()] == ["town", "transport", "ticket"]
    assert give_role(study, ["weight"], "weight").sampling.weight == "weight"
    # A later export brings it again, whatever its values are.
    again = qualtrics_export(tmp_path / "again.csv", reported_rows(1), {"weight": ["9"]})
    again.write_text(again.read_text(encoding="utf-8").replace("R_0", "R_9"), encoding="utf-8")
    dialog = files.responses.add_paths([again])
    wait_idle()
    assert dialog.kept.count() == 0
    add(dialogs, wait_idle)
    assert sorted(workbench.store.study.distorted["weight"].data.tolist()) == [0.5, 1.0, 1.5, 9.0]
