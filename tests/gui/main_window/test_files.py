"""Files that are opened, dropped and saved in the window."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from studies import make_study
from window_hands import CTRL, modify, press

from ppworkbench.study.files.study_file import open_study, save_study


def drop(window, *paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    event = QDropEvent(
        QPointF(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    window.dropEvent(event)


def test_that_a_dropped_study_opens(window, tmp_path, wait_idle):
    save_study(make_study("dropped"), tmp_path / "dropped.ppw")
    drop(window, tmp_path / "dropped.ppw")
    wait_idle()
    assert window.store.study.title == "dropped"
    assert window.store.path == tmp_path / "dropped.ppw"
    assert window.windowTitle() == "dropped – ppworkbench"
    assert [one.title for one in window.files.recent()] == ["dropped"]


def test_that_a_dropped_table_with_its_design_opens_as_distorted_answers(
    window, tmp_path, wait_idle
):
    from ppworkbench.core.data.files import write_table
    from ppworkbench.core.design.design_file import write_design

    study = make_study(rows=30)
    write_table(study.original, tmp_path / "answers.csv")
    write_design(study.design, tmp_path / "design.json")
    drop(window, tmp_path / "answers.csv", tmp_path / "design.json")
    wait_idle()
    assert window.store.study.original is None
    assert window.store.study.distorted.rows == 30
    assert window.store.path is None


def test_that_what_cannot_be_opened_leaves_the_study_as_it_was(window, tmp_path, wait_idle):
    window.store.open(make_study("before"))
    (tmp_path / "bad.ppw").write_bytes(b"nothing")
    drop(window, tmp_path / "bad.ppw")
    wait_idle()
    assert window.store.study.title == "before"
    assert "bad.ppw is not a study" in window.banner.label.text()


def test_that_save_as_writes_the_study_under_its_new_name(window, tmp_path, wait_idle, dialogs):
    window.store.open(make_study("before"))
    modify(window)
    window.menus.actions["saveAs"].trigger()
    dialogs.choose(tmp_path / "my study.v2")
    wait_idle()
    assert window.store.path == tmp_path / "my study.v2.ppw"
    assert window.windowTitle() == "my study.v2 – ppworkbench"
    assert window.status.facts["saved"].words() == "saved"
    assert open_study(window.store.path).settings.seed == 2025


def test_that_save_writes_to_the_same_file_and_a_change_shows_in_the_title(
    window, tmp_path, wait_idle
):
    path = tmp_path / "mine.ppw"
    save_study(make_study("mine"), path)
    window.store.open(open_study(path), path)
    modify(window)
    assert window.windowTitle() == "mine* – ppworkbench"
    assert window.status.facts["saved"].words() == "unsaved changes"
    press(window, Qt.Key.Key_S, CTRL)
    wait_idle()
    assert window.windowTitle() == "mine – ppworkbench"
    assert open_study(path).settings.seed == 2025
    assert open_study(tmp_path / "mine.ppw~").settings.seed == 2024


def test_that_a_change_while_saving_stays_unsaved(window, tmp_path, wait_idle):
    window.store.open(make_study(), tmp_path / "mine.ppw")
    modify(window)
    window.files.save()
    modify(window)
    wait_idle()
    assert window.store.is_modified
    assert open_study(tmp_path / "mine.ppw").settings.seed == 2025


def test_that_a_failed_save_says_so_and_nothing_counts_as_saved(window, tmp_path, wait_idle):
    window.store.open(make_study(), tmp_path / "no folder" / "mine.ppw")
    modify(window)
    window.files.save()
    wait_idle()
    assert window.store.is_modified
    assert "cannot be written" in window.banner.label.text()


def test_that_a_save_goes_on_when_another_study_is_opened(window, tmp_path, wait_idle):
    window.store.open(make_study("first", rows=20_000), tmp_path / "first.ppw")
    window.files.save()
    window.store.open(make_study("second"))
    wait_idle()
    assert open_study(tmp_path / "first.ppw").title == "first"
    assert window.store.study.title == "second"
    assert window.store.path is None


def test_that_the_design_alone_can_be_saved(window, tmp_path, dialogs):
    from ppworkbench.core.design.design_file import read_design

    window.store.open(make_study())
    window.menus.actions["saveDesign"].trigger()
    dialogs.cancel()
    window.menus.actions["saveDesign"].trigger()
    dialogs.choose(tmp_path / "d")
    assert read_design(tmp_path / "d.json") == window.store.study.design
    assert "d.json" in window.toast.label.text()


def test_that_actions_on_a_study_need_one(window):
    names = ("save", "saveAs", "start", "saveDesign", "export")
    assert not any(window.menus.actions[name].isEnabled() for name in names)
    window.store.open(make_study())
    assert all(window.menus.actions[name].isEnabled() for name in names)
    window.store.open(make_study().with_(original=None))
    assert not window.menus.actions["export"].isEnabled()
