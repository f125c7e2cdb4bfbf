"""The window writes over nothing that somebody else wrote, nor over what it reads."""

from __future__ import annotations

import dataclasses
import json
import os

import pytest
from studies import make_study
from window_hands import modify

from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.files import FileActions
from ppworkbench.gui.responses.add_dialog import AddDialog
from ppworkbench.study.files.study_file import open_study, save_study
from ppworkbench.study.study import Study


@pytest.fixture
def shared(window, tmp_path, wait_idle):
    """A study that is open in the window, with a change, and has been changed on disk since."""
    path = tmp_path / "shared.ppw"
    save_study(make_study("shared"), path)
    window.files.open_paths([str(path)])
    wait_idle()
    modify(window)
    save_study(make_study("shared").with_(settings=theirs()), path)
    return path


def theirs():
    return dataclasses.replace(make_study().settings, seed=77)


def seed(path):
    return open_study(path).settings.seed


# Another program has changed the file


@pytest.mark.slow
def test_that_a_study_saved_twice_by_this_window_asks_nothing(window, tmp_path, wait_idle, dialogs):
    path = tmp_path / "mine.ppw"
    save_study(make_study("mine"), path)
    window.files.open_paths([str(path)])
    wait_idle()
    for expected in (2025, 2026):
        modify(window)
        window.files.save()
        wait_idle()
        assert not dialogs.is_open
        assert seed(path) == expected


@pytest.mark.parametrize("leave", ["Cancel", "escape"])
def test_that_a_study_changed_on_disk_is_not_saved_over_unasked(
    window, shared, wait_idle, dialogs, leave
):
    window.files.save()
    wait_idle()
    if leave == "escape":
        dialogs.cancel()
    else:
        asked = dialogs.answer("Cancel")
        assert asked.startswith("Another window or program has changed shared.ppw")
    assert seed(shared) == 77
    assert window.store.is_modified
    assert not window.banner.isVisible()
    window.files.save()
    wait_idle()
    assert dialogs.is_open
    dialogs.cancel()


@pytest.mark.slow
def test_that_my_version_can_be_kept_and_theirs_becomes_the_backup(
    window, shared, wait_idle, dialogs
):
    window.files.save()
    wait_idle()
    dialogs.answer("Keep mine")
    wait_idle()
    assert seed(shared) == 2025
    assert seed(shared.with_name("shared.ppw~")) == 77
    assert not window.store.is_modified
    modify(window)
    window.files.save()
    wait_idle()
    assert not dialogs.is_open
    assert seed(shared) == 2026


@pytest.mark.slow
def test_that_their_version_can_be_taken(window, shared, wait_idle, dialogs):
    window.files.save()
    wait_idle()
    dialogs.answer("Keep the other")
    wait_idle()
    assert window.store.study.settings.seed == 77
    assert not window.store.is_modified
    assert seed(shared) == 77


@pytest.mark.slow
def test_that_my_version_can_go_to_another_file(window, shared, tmp_path, wait_idle, dialogs):
    window.files.save()
    wait_idle()
    dialogs.answer("Save as…")
    dialogs.choose(tmp_path / "mine.ppw")
    wait_idle()
    assert seed(shared) == 77
    assert seed(tmp_path / "mine.ppw") == 2025
    assert window.store.path == tmp_path / "mine.ppw"


@pytest.mark.slow
def test_that_leaving_goes_on_after_the_question(window, shared, wait_idle, dialogs):
    window.files.close_study()
    dialogs.answer("Save")
    wait_idle()
    dialogs.answer("Keep the other")
    wait_idle()
    assert window.store.study.is_empty
    assert seed(shared) == 77


def test_that_two_windows_on_one_study_notice_each_other(
    window, workbench, tmp_path, wait_idle, dialogs
):
    path = tmp_path / "both.ppw"
    save_study(make_study("both"), path)
    window.files.open_paths([str(path)])
    wait_idle()
    first = window.store.study, window.store.version
    other = FileActions(workbench, window)
    modify(window)
    other.save()
    wait_idle()
    # The first window still holds what it has read.
    window.store.open(first[0], path, unsaved=True, version=first[1])
    window.files.save()
    wait_idle()
    assert dialogs.answer("Cancel").startswith("Another window or program has changed both.ppw")
    assert seed(path) == 2025
    other.close()


@pytest.mark.slow
def test_that_a_recovered_study_notices_what_happened_to_its_file(
    window, shared, wait_idle, dialogs
):
    window.files.autosave()
    wait_idle()
    window.files._recovery.leave()
    [found] = window.files.recoverable()
    window.store.forget_changes()
    window.files.open_recovered(found)
    wait_idle()
    window.files.save()
    wait_idle()
    assert dialogs.answer("Keep mine").startswith(
        "Another window or program has changed shared.ppw"
    )
    wait_idle()
    assert seed(shared) == 2025


# What is read is never written


@pytest.mark.parametrize("way", ["itself", "link", "second name"])
def test_that_the_open_table_is_not_written_over(window, tmp_path, wait_idle, dialogs, way):
    data = tmp_path / "data.csv"
    write_table(make_study(rows=30).original, data)
    before = data.read_bytes()
    window.files.open_paths([str(data)])
    wait_idle()
    target = data if way == "itself" else tmp_path / "other.json"
    if way == "link":
        target.symlink_to(data)
    elif way == "second name":
        os.link(data, target)
    window.files.save_design(window.store.study.design, target)
    assert "is an input and would be lost" in window.banner.label.text()
    assert data.read_bytes() == before
    # The codebook beside it belongs to it.
    window.files.save_design(window.store.study.design, tmp_path / "data.codebook.json")
    assert read_table(data).rows == 30
    assert "data.codebook.json is an input" in window.banner.label.text()
    window.files.close_study()
    window.files.save_design(make_study().design, data)
    assert data.read_bytes() != before


# Answers of the open study


def collected(study: Study, path, rows=25):
    """Answers as a questionnaire page saves them."""
    table = distort(study.original, study.design, SeededStreams(3)).take(slice(0, rows))
    names = [column.name for column in table]
    values = [column.attribute.values for column in table]
    with path.open("w", encoding="utf-8") as file:
        for row in range(rows):
            cells = [
                held[int(column.data[row])] if held else float(column.data[row])
                for column, held in zip(table, values, strict=True)
            ]
            file.write(json.dumps(dict(zip(names, cells, strict=True))) + "\n")
    return path


@pytest.fixture
def asked(window, tmp_path, wait_idle):
    """A study of true answers that is open, and what people reported to it."""
    study = make_study("survey", rows=60)
    save_study(study, tmp_path / "survey.ppw")
    window.files.open_paths([str(tmp_path / "survey.ppw")])
    wait_idle()
    return collected(study, tmp_path / "answers.jsonl")


def add(dialogs, state, wait_idle):
    """Say what the answers in the dialog are, and go on with them."""
    wait_idle()
    dialog = dialogs.front(AddDialog)
    assert dialog.state.current == ""
    assert not dialog.add_button.isEnabled()
    dialog.state.buttons[state].click()
    wait_idle()
    assert dialog.add_button.isEnabled(), dialog.add_button.toolTip()
    dialog.add_button.click()
    wait_idle()


@pytest.mark.slow
def test_that_answers_to_the_open_study_are_not_taken_for_true_ones(
    window, asked, tmp_path, wait_idle, dialogs
):
    design = window.store.study.design
    window.files.open_paths([str(asked)])
    wait_idle()
    assert window.store.study.title == "survey"
    assert window.store.study.rows == 60
    add(dialogs, "reported", wait_idle)
    study = window.store.study
    assert study.original is None
    assert study.distorted.rows == 25
    assert study.design.names == design.names
    assert study.title == "survey"
    # The file of the study keeps its true answers.
    assert window.store.path is None
    assert window.store.is_modified
    assert open_study(tmp_path / "survey.ppw").original.rows == 60


@pytest.mark.slow
def test_that_reported_answers_read_again_are_asked_about_again(window, asked, wait_idle, dialogs):
    window.files.open_paths([str(asked)])
    add(dialogs, "reported", wait_idle)
    window.store.forget_changes()
    window.files.open_paths([str(path) for path in window.files.last_paths])
    wait_idle()
    dialog = dialogs.front(AddDialog)
    dialog.state.buttons["reported"].click()
    wait_idle()
    # A page gives no ids, so a person has to say that these rows are new.
    assert not dialog.add_button.isEnabled()
    dialog.confirm.click()
    dialog.add_button.click()
    wait_idle()
    assert window.store.study.distorted.rows == 50
    window.store.undo_stack.undo()
    assert window.store.study.distorted.rows == 25


@pytest.mark.slow
def test_that_nothing_happens_to_the_study_before_the_question_is_answered(
    window, asked, wait_idle, dialogs
):
    window.files.open_paths([str(asked)])
    wait_idle()
    dialogs.cancel()
    wait_idle()
    assert window.store.study.original.rows == 60
    window.files.open_paths([str(asked)])
    add(dialogs, "another", wait_idle)
    assert window.store.study.original.rows == 25
    assert window.store.study.title == "answers"


@pytest.mark.slow
def test_that_answers_come_home_to_a_study_that_has_none(
    window, asked, tmp_path, wait_idle, dialogs
):
    path = tmp_path / "survey.ppw"
    save_study(open_study(path).with_(original=None), path)
    window.files.open_paths([str(path)])
    wait_idle()
    window.files.open_paths([str(asked)])
    add(dialogs, "reported", wait_idle)
    assert window.store.path == path
    window.files.save()
    wait_idle()
    assert open_study(path).distorted.rows == 25


@pytest.mark.slow
def test_that_a_distorted_table_without_its_codebook_is_asked_about(
    window, asked, tmp_path, wait_idle, dialogs
):
    study = window.store.study
    table = distort(study.original, study.design, SeededStreams(5))
    write_table(table, tmp_path / "d.csv", WriteOptions(codebook=False))
    window.files.open_paths([str(tmp_path / "d.csv")])
    add(dialogs, "reported", wait_idle)
    assert window.store.study.distorted.rows == 60


def test_that_true_answers_are_added_to_true_ones_in_one_step(
    window, asked, tmp_path, wait_idle, dialogs
):
    write_table(window.store.study.original, tmp_path / "more.csv", WriteOptions(codebook=False))
    window.files.open_paths([str(tmp_path / "more.csv")])
    wait_idle()
    dialog = dialogs.front(AddDialog)
    dialog.state.buttons["true"].click()
    wait_idle()
    dialog.confirm.click()
    dialog.add_button.click()
    wait_idle()
    assert window.store.study.original.rows == 120
    assert window.store.study.state == "true"
    window.store.undo_stack.undo()
    assert window.store.study.original.rows == 60


def test_that_another_table_opens_without_a_question(window, asked, tmp_path, wait_idle, dialogs):
    (tmp_path / "other.csv").write_text("a,b\n1,x\n2,y\n")
    window.files.open_paths([str(tmp_path / "other.csv")])
    wait_idle()
    assert not dialogs.is_open
    assert window.store.study.title == "other"
    # The same file again, with other settings, is no other study.
    window.files.open_paths([str(tmp_path / "other.csv")])
    wait_idle()
    assert not dialogs.is_open


def test_that_answers_opened_alone_are_told_to_be_taken_for_true(window, asked, wait_idle):
    window.files.close_study()
    window.files.open_paths([str(asked)])
    wait_idle()
    assert any("treated as true" in note for note in window.store.study.original.notes)


@pytest.mark.slow
def test_that_the_end_of_a_session_keeps_a_copy_and_goes_on(window, state_folder):
    window.store.open(make_study("mine"))
    window.files.keep_copy()
    assert not (state_folder / "recovery").exists()
    modify(window)
    window.files.keep_copy()
    [copy] = (state_folder / "recovery").glob("*.ppw")
    assert seed(copy) == 2025
    assert window.store.is_modified
    assert window.files.recoverable() == ()
