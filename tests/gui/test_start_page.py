"""The start page: three ways in, and what was there before."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel
from stub_pages import make_stub_page
from studies import make_study, same

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.samples import samples
from ppworkbench.core.design import Uniform
from ppworkbench.gui import main_window as main_window_module
from ppworkbench.gui.pages.start.lists import SAMPLES, ListRow
from ppworkbench.gui.pages.start.questions_dialog import QuestionsDialog
from ppworkbench.study.recovery import RecoveryFile
from ppworkbench.study.study_file import open_study, save_study

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def stub_pages(monkeypatch):
    monkeypatch.setattr(main_window_module, "make_page", make_stub_page)


@pytest.fixture
def start(window):
    return window.pages["start"]


def entry(start, name: str) -> ListRow:
    found = start.findChild(ListRow, name)
    assert found is not None
    return found


# Samples


@pytest.mark.parametrize("name", [sample[0] for sample in SAMPLES])
def test_that_a_sample_opens_with_a_click_and_has_as_many_rows_as_promised(
    window, start, qtbot, wait_idle, name
):
    qtbot.mouseClick(entry(start, f"sample-{name}"), LEFT)
    wait_idle()
    promised = next(sample[3] for sample in SAMPLES if sample[0] == name)
    assert promised == window.store.study.rows
    assert window.current == "data"
    assert not window.banner.isVisible()


def test_that_every_sample_of_the_list_exists():
    assert {sample[0] for sample in SAMPLES} <= set(samples.names)


def test_that_a_sample_opens_with_enter(window, start, qtbot, wait_idle):
    qtbot.keyClick(entry(start, "sample-weather"), Qt.Key.Key_Return)
    wait_idle()
    assert window.store.study.title == "weather"


def test_that_the_demonstrations_are_shown_from_the_teaching_card(window, start, qtbot):
    qtbot.mouseClick(start.teaching.first, LEFT)
    assert window.current == "learn"


def test_that_larger_text_grows_and_comes_back(window, start, qtbot):
    sizes = []
    for _ in range(3):
        qtbot.mouseClick(start.teaching.second, LEFT)
        sizes.append(round(window.workbench.themes.scale, 2))
    assert sizes == [1.2, 1.4, 1.0]
    assert float(window.workbench.settings.value("view/scale")) == 1.0


@pytest.mark.parametrize("button", ["table.first", "table.second", "questionnaire.second"])
def test_that_files_are_opened_from_the_cards(
    window, start, qtbot, wait_idle, tmp_path, monkeypatch, button
):
    save_study(make_study("chosen"), tmp_path / "chosen.ppw")
    chosen = [str(tmp_path / "chosen.ppw")]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (chosen, ""))
    card, _, which = button.partition(".")
    qtbot.mouseClick(getattr(getattr(start, card), which), LEFT)
    wait_idle()
    assert window.store.study.title == "chosen"
    assert window.workbench.settings.value("files/folder") == str(tmp_path)


def test_that_nothing_happens_when_no_file_is_chosen(window, start, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    start.primary.trigger()
    assert window.workbench.jobs.is_idle
    assert window.current == "start"


# Recent studies


def test_that_recent_studies_are_listed_opened_and_forgotten(
    window, start, qtbot, wait_idle, tmp_path
):
    path = tmp_path / "mine.ppw"
    save_study(make_study("mine", rows=12), path)
    window.files.open_paths([str(path)])
    wait_idle()
    window.files.close_study()
    QApplication.processEvents()
    [row] = [row for row in start.recent.findChildren(ListRow) if row.isVisible()]
    assert row.accessibleName() == "mine"
    assert row.accessibleDescription() == "12 rows · 5 attributes"
    assert row.toolTip() == str(path)
    qtbot.mouseClick(row, LEFT)
    wait_idle()
    assert window.store.path == path
    window.files.close_study()
    qtbot.mouseClick(start.recent.clear_button, LEFT)
    QApplication.processEvents()
    assert window.files.recent() == ()
    assert not start.recent.clear_button.isVisible()


def test_that_a_recent_study_that_was_deleted_is_not_listed(window, wait_idle, tmp_path):
    path = tmp_path / "mine.ppw"
    save_study(make_study(), path)
    window.files.open_paths([str(path)])
    wait_idle()
    path.unlink()
    assert window.files.recent() == ()


def test_that_an_empty_list_says_what_will_be_there(start):
    words = " ".join(label.text() for label in start.recent.findChildren(QLabel))
    assert "Studies that you save appear here" in words


def test_that_a_damaged_list_does_no_harm(state_folder, window, start):
    (state_folder / "recent.json").write_text("{")
    start.recent.refresh()
    assert not any(row.isVisible() for row in start.recent.findChildren(ListRow))


# Recovery


@pytest.fixture
def crashed(state_folder):
    """What a program leaves that crashed over two studies."""
    titles = ("older", "newer")
    for when, title in enumerate(titles):
        recovery = RecoveryFile(state_folder / "recovery")
        recovery.save(make_study(title), None)
        recovery._lock.release()
        note = recovery.path.with_suffix(".json")
        note.write_text(json.dumps(json.loads(note.read_text()) | {"when": 1_000.0 + when}))
    return state_folder / "recovery"


def test_that_without_a_crash_there_is_no_offer(start):
    assert not start.banner.isVisible()


def test_that_after_a_crash_the_newest_study_is_offered_and_restored(
    crashed, window, start, qtbot, wait_idle
):
    assert start.banner.isVisible()
    assert "“newer” was not saved" in start.banner.label.text()
    qtbot.mouseClick(start.banner.button, LEFT)
    wait_idle()
    assert same(window.store.study, make_study("newer"))
    assert window.store.is_modified
    [left] = window.files.recoverable()
    assert left.title == "older"
    assert "“older”" in start.banner.label.text()
    # The copy of the restored study is this window's own now.
    assert len(list(crashed.glob("*.ppw"))) == 2


def test_that_a_change_while_the_restored_study_is_copied_leaves_no_second_offer(
    crashed, window, start, qtbot, wait_idle
):
    window.store.study_opened.connect(lambda: QTimer.singleShot(0, change_and_copy))

    def change_and_copy():
        # The copy that is under way is overtaken by that of the changed study.
        window.store.set_perturbation(["town"], Uniform(keep=0.2))
        window.files.autosave()

    qtbot.mouseClick(start.banner.button, LEFT)
    qtbot.waitUntil(lambda: window.store.undo_stack.count() == 1)
    wait_idle()
    assert [one.title for one in window.files.recoverable()] == ["older"]


def test_that_what_is_discarded_is_gone_and_the_next_is_offered(crashed, window, start, qtbot):
    qtbot.mouseClick(start.banner.other_button, LEFT)
    assert "“older”" in start.banner.label.text()
    qtbot.mouseClick(start.banner.other_button, LEFT)
    assert not start.banner.isVisible()
    assert list(crashed.iterdir()) == []


def test_that_a_restored_study_goes_back_to_its_own_file(
    state_folder, tmp_path, wait_idle, request
):
    path = tmp_path / "mine.ppw"
    save_study(make_study("mine"), path)
    recovery = RecoveryFile(state_folder / "recovery")
    recovery.save(make_study("mine", rows=9), path)
    recovery._lock.release()
    window = request.getfixturevalue("window")
    window.pages["start"].banner.button.click()
    wait_idle()
    assert window.store.path == path
    assert open_study(path).rows == 6
    window.files.save()
    wait_idle()
    assert open_study(path).rows == 9
    assert window.files.recoverable() == ()


def test_that_a_damaged_recovery_file_is_refused_in_a_sentence(
    crashed, window, start, qtbot, wait_idle
):
    for path in crashed.glob("*.ppw"):
        path.write_bytes(b"half")
    qtbot.mouseClick(start.banner.button, LEFT)
    wait_idle()
    assert "is not a study" in window.banner.label.text()
    assert window.store.study.is_empty


# Questions without data


@pytest.fixture
def dialog(workbench, qtbot):
    made = QuestionsDialog(workbench)
    qtbot.addWidget(made)
    made.show()
    return made


def test_that_the_examples_make_a_study_at_once(dialog, qtbot):
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.result() == 1
    assert len(dialog.study.design.names) == 3
    assert dialog.problem.text() == ""


def test_that_questions_are_added_typed_and_removed(dialog, qtbot):
    dialog.table.selectAll()
    qtbot.mouseClick(dialog.remove_button, LEFT)
    assert dialog.table.rowCount() == 0
    qtbot.mouseClick(dialog.add_button, LEFT)
    dialog.table.item(0, 0).setText("Do you smoke?")
    [question] = dialog.questions()
    assert (question.name, question.kind) == ("Do you smoke?", Kind.BINARY)
    kinds = dialog.table.cellWidget(0, 1)
    kinds.setCurrentIndex(kinds.findData(Kind.INTEGER))
    dialog.table.item(0, 2).setText("0 to 40")
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.study.design["Do you smoke?"].attribute.domain == (0, 40)


@pytest.mark.parametrize(
    ("name", "answers", "said"),
    [
        ("", "no, yes", "no name"),
        ("Smoker", "no", "fewer than two answers"),
        ("Age", "no, yes", "Two questions are called 'Age'"),
    ],
)
def test_that_a_bad_question_is_explained_and_the_dialog_stays(dialog, qtbot, name, answers, said):
    dialog.add_question(name, Kind.BINARY, answers)
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.isVisible()
    assert said in dialog.problem.text()


def test_that_a_dialog_without_questions_says_so(dialog, qtbot):
    dialog.table.setRowCount(0)
    qtbot.mouseClick(dialog.start_button, LEFT)
    assert dialog.isVisible()
    assert "no question yet" in dialog.problem.text()


def test_that_the_card_opens_the_dialog_and_its_study(window, start, qtbot):
    def accept():
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QuestionsDialog)
        dialog.start_button.click()

    QTimer.singleShot(0, accept)
    qtbot.mouseClick(start.questionnaire.first, LEFT)
    assert window.current == "design"
    assert window.store.study.table is None
    assert window.store.is_modified


def test_that_a_cancelled_dialog_changes_nothing(window, start, qtbot):
    QTimer.singleShot(0, lambda: QApplication.activeModalWidget().reject())
    qtbot.mouseClick(start.questionnaire.first, LEFT)
    assert window.current == "start"
    assert window.store.study.is_empty
