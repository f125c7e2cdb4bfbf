"""Writing a questionnaire on the Data page: by keyboard, by paste, in several languages."""

from __future__ import annotations

import numpy as np
import pytest
from answers import small_table
from asked_studies import reported_study
from designs import classic_study
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QMessageBox
from window_hands import CTRL, LEFT, SHIFT, add_widget, press

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.matrices import Custom
from ppworkbench.core.design.perturbation import Identity
from ppworkbench.core.rng import SeededStreams
from ppworkbench.fieldwork.page.model import page_model
from ppworkbench.gui.pages.data import DataPage
from ppworkbench.gui.pages.data.page import ANSWERS, QUESTIONS
from ppworkbench.gui.pages.data.questions.languages_dialog import LanguagesDialog
from ppworkbench.gui.pages.data.questions.page import WideDialog
from ppworkbench.study.answer_state import AnswerState
from ppworkbench.study.questionnaire import edits
from ppworkbench.study.questionnaire.document import read_document
from ppworkbench.study.questionnaire.pasted import questions_of_text
from ppworkbench.study.questionnaire.sheet import read_questions_sheet
from ppworkbench.study.renaming import PINS
from ppworkbench.study.study import Study

ALT_SHIFT = Qt.KeyboardModifier.AltModifier | SHIFT
LIST = "Ridden without a ticket?: yes*, no\nHow old are you?: 18 to 90\nDrinks?: tea, beer, wine"


@pytest.fixture
def workbench(new_workbench):
    return new_workbench


@pytest.fixture
def files(new_files):
    return new_files


@pytest.fixture
def page(qtbot, workbench, files):
    """The page with three questions, and the editor in front."""
    asked = questions_of_text(LIST, "en", ("yes", "no"))
    workbench.store.open(edits.add_questions(Study(title="City"), asked))
    made = DataPage(workbench, files)
    add_widget(qtbot, made)
    made.resize(1290, 690)
    made.show()
    made.shown()
    return made


@pytest.fixture
def editor(page):
    return page.questions.editor


def asked(page):
    return page.store.study.questionnaire


def write(field, words):
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, words)
    QApplication.processEvents()


@pytest.mark.slow
def test_that_three_questions_are_written_by_keyboard_from_an_empty_start_screen(window, qtbot):
    assert window.current == "start"
    press(window, Qt.Key.Key_1, CTRL)
    assert window.current == "data"
    quick = window.pages["data"].questions.list.quick
    qtbot.waitUntil(quick.hasFocus)
    for line in ("Do you smoke?", "Age: 18 to 90", "Drinks?: tea, beer*, wine"):
        QTest.keyClicks(quick, line)
        press(quick, Qt.Key.Key_Return)
    study = window.store.study
    assert study.questionnaire.names == study.design.names == ("do_you_smoke", "age", "drinks")
    assert study.design["drinks"].attribute.sensitive == ("beer",)
    assert window.rail.buttons["design"].isEnabled()
    for _ in range(3):
        press(window, Qt.Key.Key_Z, CTRL)
    assert window.store.study.is_empty


def test_that_a_study_without_answers_opens_with_its_questions(page):
    assert page.sub_page == QUESTIONS
    page.store.open(classic_study(small_table(), "small"))
    assert page.sub_page == ANSWERS
    page.show_sub_page(QUESTIONS)
    assert page.questions.view.asked.names == page.store.study.design.names
    assert page.store.study.questionnaire is None


def test_that_an_empty_questionnaire_says_what_to_do(page):
    for _ in range(3):
        page.questions.delete_question()
    assert page.questions.list.empty.isVisibleTo(page)
    assert "No questions yet" in page.questions.list.empty.text()


def test_that_the_first_question_is_written_next_when_all_are_deleted(page):
    table = page.questions.list.table
    table.setFocus()
    for _ in range(3):
        press(table, Qt.Key.Key_Delete)
    assert page.questions.list.quick.hasFocus()


def test_that_a_list_that_is_too_long_is_refused_and_stays_where_it_was_typed(page, qtbot):
    quick = page.questions.list.quick
    quick.setText("Town?: " + ", ".join(map(str, range(300))))
    with qtbot.waitSignal(page.workbench.error_raised) as raised:
        press(quick, Qt.Key.Key_Return)
    assert "300 answers" in str(raised.args[0])
    assert len(asked(page).names) == 3
    assert quick.text().startswith("Town?")


def test_that_a_wording_is_kept_as_it_is_typed_and_is_one_step(page, editor):
    write(editor.wording, "Ever without a ticket?")
    name = asked(page).names[0]
    assert asked(page)[name].text["en"] == "Ever without a ticket?"
    assert page.questions.list.table.rows.rows[0].text["en"] == "Ever without a ticket?"
    page.store.undo_stack.undo()
    assert asked(page)[name].text["en"] == "Ridden without a ticket?"
    assert editor.wording.toPlainText() == "Ridden without a ticket?"


@pytest.mark.slow
def test_that_a_row_is_as_high_as_its_wording(page, editor):
    table = page.questions.list.table
    before = table.rowHeight(0)
    write(editor.wording, "In the last 12 months, have you ridden " + "on a tram or a bus " * 9)
    assert table.rowHeight(0) > 2 * before
    assert table.rowHeight(1) == before
    page.store.undo_stack.undo()
    assert table.rowHeight(0) == before


def test_that_a_label_and_a_name_are_those_of_the_design(page, editor):
    write(editor.label, "Fare dodged ")
    assert editor.label.text() == "Fare dodged "
    write(editor.name, "ticket")
    press(editor.name, Qt.Key.Key_Return)
    attribute = page.store.study.design["ticket"].attribute
    assert attribute.title == "Fare dodged"
    assert page.store.current == "ticket"
    page.store.undo_stack.undo()
    assert page.store.study.design.names[0] == "ridden_without_a"
    assert page.store.current == "ridden_without_a"


def test_that_a_name_that_is_taken_is_refused_in_place(page, editor):
    write(editor.name, "drinks")
    press(editor.name, Qt.Key.Key_Return)
    assert "Two questions" in editor.problem.text()
    assert editor.name.text() == "ridden_without_a"


def test_that_answers_marks_and_shares_are_edited(page, editor):
    rows = editor.answers.rows
    write(rows[0].field, "ever")
    rows[1].sensitive.click()
    assert "all values" in editor.problem.text()
    rows[0].sensitive.click()
    rows[1].sensitive.click()
    rows[0].share.setValue(20.0)
    study = page.store.study
    name = study.design.names[0]
    assert study.design[name].attribute.values == ("ever", "no")
    assert study.design[name].attribute.sensitive == ("no",)
    assert study.prior(name).probabilities == pytest.approx([0.2, 0.8])
    assert rows[1].share.value() == 80.0
    assert rows[1].sensitive.isChecked()
    assert not rows[0].remove.isVisibleTo(page)


def test_that_what_is_typed_into_an_answer_is_one_step_and_never_nothing(page, editor):
    first, second = (row.field for row in editor.answers.rows)
    values = lambda: page.store.study.design[asked(page).names[0]].attribute.values  # noqa: E731
    write(first, "ever")
    second.setFocus()
    write(first, "often")
    assert values() == ("often", "no")
    page.store.undo_stack.undo()
    assert values() == ("ever", "no")
    page.store.undo_stack.undo()
    assert values() == ("yes", "no")
    first.setFocus()
    first.selectAll()
    press(first, Qt.Key.Key_Delete)
    second.setFocus()
    assert first.text() == "yes"


def test_that_no_letter_is_lost_on_the_way_past_another_answer(page, editor):
    page.store.select(["drinks"])
    field = editor.answers.rows[0].field
    write(field, "beer")
    assert field.text() == "beer"
    assert "already" in editor.problem.text()
    QTest.keyClicks(field, "s")
    assert [one.value for one in asked(page)["drinks"].answers] == ["beers", "beer", "wine"]
    assert editor.problem.text() == ""
    write(field, "wine")
    press(field, Qt.Key.Key_Tab)
    assert field.text() == "win"
    page.store.undo_stack.undo()
    page.store.undo_stack.undo()
    assert field.text() == "tea"


def test_that_a_range_can_be_typed_from_its_lower_end(page, editor):
    page.store.select(["how_old_are_you"])
    for box, typed in ((editor.low, "500"), (editor.high, "900")):
        box.setFocus()
        box.selectAll()
        QTest.keyClicks(box, typed)
        press(box, Qt.Key.Key_Return)
    assert asked(page)["how_old_are_you"].domain == (500.0, 900.0)
    assert editor.problem.text() == ""


def test_that_answers_are_added_moved_and_removed_by_keyboard(page, editor, qtbot):
    page.store.select(["drinks"])
    rows = editor.answers.rows
    press(rows[2].field, Qt.Key.Key_Return)
    assert len(rows) == 4
    qtbot.waitUntil(rows[3].field.hasFocus)
    QTest.keyClicks(rows[3].field, "gin")
    press(rows[3].field, Qt.Key.Key_Up, ALT_SHIFT)
    assert page.store.study.design["drinks"].attribute.values == ("tea", "beer", "gin", "wine")
    qtbot.mouseClick(rows[0].remove, LEFT)
    assert page.store.study.design["drinks"].attribute.values == ("beer", "gin", "wine")
    assert [one.field.text() for one in rows] == ["beer", "gin", "wine"]


def test_that_the_kind_is_changed_and_back(page, editor):
    editor.kind.choose(Kind.INTEGER.value)
    assert editor.numbers.isVisibleTo(page)
    assert not editor.answers.isVisibleTo(page)
    editor.high.setValue(40)
    write(editor.unit, "rides")
    name = asked(page).names[0]
    attribute = page.store.study.design[name].attribute
    assert (attribute.kind, attribute.domain, attribute.unit) == (Kind.INTEGER, (0, 40), "rides")
    editor.decimals.click()
    assert page.store.study.design[name].attribute.kind is Kind.CONTINUOUS
    editor.low.setValue(60)
    assert "below the highest" in editor.problem.text()
    assert page.store.study.design[name].attribute.domain == (0, 40)
    editor.kind.choose(Kind.BINARY.value)
    assert [one.field.text() for one in editor.answers.rows] == ["yes", "no"]


def test_that_a_custom_matrix_asks_before_it_goes(page, editor, dialogs, qtbot):
    page.store.select(["drinks"])
    page.store.set_perturbation(["drinks"], Custom.of(np.full((3, 3), 0.1) + 0.7 * np.eye(3)))
    for key, count in ((Qt.Key.Key_Escape, 3), (Qt.Key.Key_Return, 4)):
        qtbot.mouseClick(editor.answers.add_button, LEFT)
        box = dialogs.front(QMessageBox)
        assert "has no row for the new answer" in box.text()
        press(box, key)
        qtbot.waitUntil(lambda: not dialogs.is_open)
        assert page.store.study.design["drinks"].attribute.k == count


def test_that_questions_move_by_keys_and_by_dragging(page, qtbot):
    names = asked(page).names
    page.questions.move_question(1)
    assert asked(page).names == (names[1], names[0], names[2])
    assert page.questions.view.name == names[0]
    table = page.questions.list.table
    first, last = (table.visualRect(table.model().index(place, 0)).center() for place in (0, 2))
    qtbot.mousePress(table.viewport(), LEFT, pos=first)
    qtbot.mouseMove(table.viewport(), first + QPoint(0, 30))
    qtbot.mouseMove(table.viewport(), last + QPoint(0, 12))
    qtbot.mouseRelease(table.viewport(), LEFT, pos=last + QPoint(0, 12))
    assert asked(page).names == (names[0], names[2], names[1])
    assert page.store.study.design.names == asked(page).names


def test_that_a_question_is_duplicated_and_deleted_with_a_toast(page, qtbot):
    page.questions.duplicate_question()
    assert asked(page).names[:2] == ("ridden_without_a", "ridden_without_a_2")
    assert page.questions.view.name == "ridden_without_a_2"
    with qtbot.waitSignal(page.workbench.toast_requested) as told:
        press(page.questions.list.table, Qt.Key.Key_Delete)
    assert told.args[1] is True
    assert len(asked(page).names) == 3
    assert page.questions.view.name == "how_old_are_you"


def test_that_a_new_question_is_named_after_its_wording(page, editor, qtbot):
    qtbot.mouseClick(page.questions.list.add_button, LEFT)
    assert page.questions.view.place == 1
    qtbot.waitUntil(editor.wording.hasFocus)
    QTest.keyClicks(editor.wording, "Own a car?")
    editor.label.setFocus()
    assert asked(page).names[1] == "own_a_car"
    assert any("no text" in line for line in page.questions.list.checks.texts) is False


def test_that_a_list_is_pasted(page):
    QGuiApplication.clipboard().setText("Own a car?\nDogs\tnone\tone\tmore")
    press(page.questions.list.table, Qt.Key.Key_V, CTRL)
    assert asked(page).names[1:3] == ("own_a_car", "dogs")
    press(page.questions.list.quick, Qt.Key.Key_V, CTRL)
    assert len(asked(page).names) == 7


def test_that_checks_name_what_is_wrong(page, editor):
    checks = page.questions.list.checks
    assert any(line.startswith("Every question") for line in checks.texts)
    assert any(line.startswith("1 question has") for line in checks.texts)
    write(editor.wording, " ")
    editor.wording.clear()
    assert any("no text in the main language" in line for line in checks.texts)
    page.store.set_perturbation([asked(page).names[0]], Identity())
    assert any("sent as it is" in line for line in checks.texts)


def test_that_the_phone_shows_the_question_in_its_languages(page, qtbot):
    phone, name = page.questions.phone, asked(page).names[0]
    study = edits.add_language(page.store.study, "pl")
    study = edits.set_text(study, name, "text", "pl", "Jazda bez biletu?")
    page.store.apply(study, "translate")
    screen = phone.phone.screen_shown
    qtbot.waitUntil(lambda: "Ridden without a ticket?" in screen.texts())
    assert {"yes", "no"} <= set(screen.texts())
    phone.language.choose("pl")
    assert "Jazda bez biletu?" in screen.texts()
    assert "English" in phone.note.text()
    # Everything on it is in the language of the page, whatever that of the window is.
    assert any(said.startswith("Odpowiedzi: 0 z") for said in screen.texts())
    assert not any("of" in said.split() for said in screen.texts() if said[0].isdigit())


def test_that_the_phone_shows_the_whole_page_as_respondents_get_it(page, qtbot):
    phone, names = page.questions.phone, asked(page).names
    assert len(names) > 1
    screen = phone.phone.screen_shown
    page.store.select([names[-1]])
    model = page_model(page.store.study.design, asked(page), "en")
    expected = [one.heading for one in model.sheet(names[-1]).screens]
    qtbot.waitUntil(lambda: set(expected) <= set(screen.texts()))
    assert len(expected) == 1 + len(names), "they are all on one page"
    bar = phone.phone.area.verticalScrollBar()
    qtbot.waitUntil(
        lambda: 0 < bar.value() == min(int(screen.place_of(names[-1])) - 8, bar.maximum())
    )
    # What stands on another page is not shown with it.
    page.store.apply(edits.set_field(page.store.study, names[-1], page=2), "page")
    last = model.sheet(names[-1]).screens[-1].heading
    qtbot.waitUntil(lambda: model.title not in screen.texts())
    assert last in screen.texts()
    assert screen.texts()[-2:] == ["Back", "Finish"]


def test_that_the_draw_is_shown_only_if_a_designer_asks_for_it(page, qtbot):
    phone = page.questions.phone
    assert not phone.review.isChecked()
    qtbot.waitUntil(lambda: "Finish" in phone.phone.screen_shown.texts())
    phone.review.click()
    assert asked(page).review
    qtbot.waitUntil(lambda: "Review and send" in phone.phone.screen_shown.texts())
    page.store.undo_stack.undo()
    assert not asked(page).review
    assert not phone.review.isChecked()


def test_that_the_real_page_opens_in_the_browser(page, qtbot, monkeypatch):
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: not opened.append(url))
    qtbot.mouseClick(page.questions.phone.try_button, LEFT)
    qtbot.waitUntil(lambda: bool(opened))
    with open(opened[0].toLocalFile(), encoding="utf-8") as file:  # noqa: PTH123
        assert "Ridden without a ticket?" in file.read()


def test_that_a_browser_that_does_not_start_is_said(page, qtbot, monkeypatch):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    with qtbot.waitSignal(page.workbench.error_raised) as said:
        qtbot.mouseClick(page.questions.phone.try_button, LEFT)
    assert "No program could be started for file://" in str(said.args[0])
    assert str(said.args[0]).endswith(".html. Copy the address into a browser.")


def test_that_the_phone_is_a_tab_in_a_small_window(page):
    page.resize(1024, 600)
    QApplication.processEvents()
    questions = page.questions
    assert questions.tabs.isVisibleTo(page)
    assert not questions.phone.isVisibleTo(page)
    questions.tabs.choose("phone")
    assert questions.phone.isVisibleTo(page)
    assert not questions.editor.isVisibleTo(page)
    page.resize(1290, 690)
    QApplication.processEvents()
    assert questions.editor.isVisibleTo(page)
    assert not questions.tabs.isVisibleTo(page)


def test_that_translations_are_typed_into_the_table(page, qtbot, dialogs):
    for _ in range(2):
        dialog = page.questions.show_languages()
        dialog.offered.choose("pl")
        qtbot.mouseClick(dialog.add_button, LEFT)
        assert asked(page).languages == ("en", "pl")
        assert "gaps" in dialog.summary.text()
        place = next(i for i, one in enumerate(dialog.model.rows) if one.what == "text")
        index = dialog.model.index(place, 2)
        dialog.table.setCurrentIndex(index)
        dialog.table.edit(index)
        field = dialog.table.findChild(QLineEdit)
        QTest.keyClicks(field, "Bilet?")
        press(field, Qt.Key.Key_Return)
        assert asked(page).questions[0].text["pl"] == "Bilet?"
        qtbot.mouseClick(dialog.remove_button, LEFT)
        assert asked(page).languages == ("en",)
        dialog.reject()
        qtbot.waitUntil(lambda: not dialogs.is_open)


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_that_a_questionnaire_is_exported_and_imported(page, qtbot, dialogs, tmp_path, suffix):
    path = tmp_path / f"city.{suffix}"
    page.write_action.trigger()
    dialogs.choose(path)
    qtbot.waitUntil(path.exists)
    qtbot.waitUntil(lambda: page.workbench.jobs.is_idle)
    read = read_document if suffix == "json" else read_questions_sheet
    assert read(path).names == asked(page).names
    page.questions.delete_question()
    page.read_action.trigger()
    dialogs.choose(path)
    qtbot.waitUntil(lambda: len(asked(page).names) == 3)
    page.store.undo_stack.undo()
    assert len(asked(page).names) == 2


def test_that_answers_lock_what_would_contradict_them(page, editor):
    study = classic_study(small_table(), "small")
    table = distort(study.original.select(study.design.names), study.design, SeededStreams(1))
    page.store.open(Study.of_distorted(table, study.design, "distorted"))
    page.show_sub_page(QUESTIONS)
    assert page.store.study.state is AnswerState.REPORTED
    questions = page.questions
    assert not questions.list.delete.isEnabled()
    assert "randomised by this design" in questions.list.delete.toolTip()
    assert not editor.kind.isEnabled()
    write(editor.wording, "Another wording")
    name = questions.view.name
    assert page.store.study.label(name) == "Another wording"
    assert page.store.study.design is study.design or page.store.study.design == study.design


def test_that_a_question_is_added_beside_reported_answers(page, editor, qtbot):
    page.store.open(reported_study())
    page.show_sub_page(QUESTIONS)
    questions, before = page.questions, page.store.study
    qtbot.mouseClick(questions.list.add_button, LEFT)
    write(editor.wording, "Do you cycle?")
    editor.name.setFocus()
    after = page.store.study
    assert after.questionnaire.names[1] == questions.view.name == "do_you_cycle"
    assert after.distorted[questions.view.name].missing_count == before.rows
    assert [after.design[one.name] for one in before.design] == list(before.design)
    assert editor.kind.isEnabled()
    assert questions.list.delete.isEnabled()
    # Its device can still be chosen; that of the others stays as it was.
    name = questions.view.name
    page.store.apply(after.with_perturbations({name: Identity()}), "Ask it openly")
    assert page.store.study.design[name].perturbation == Identity()
    assert not page.store.lock_of(name)
    page.store.apply(page.store.study.with_perturbations({"ticket": Identity()}), "Change it")
    assert page.store.study.design["ticket"] == before.design["ticket"]
    assert page.store.lock_of("ticket")
    qtbot.mouseClick(questions.list.delete, LEFT)
    assert page.store.study.distorted.names == before.distorted.names


def test_that_a_rehearsal_begins_here_and_ends_when_the_questions_change(page, qtbot, dialogs):
    button = page.questions.list.rehearse_button
    assert "500" in button.text()
    qtbot.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: page.store.study.state is AnswerState.INVENTED)
    assert page.sub_page == QUESTIONS
    write(page.questions.editor.wording, "Ever?")
    assert page.store.study.state is AnswerState.INVENTED
    page.questions.delete_question()
    assert "500 simulated answers" in dialogs.answer("Change")
    assert page.store.study.state is AnswerState.NONE
    page.store.undo_stack.undo()
    assert page.store.study.state is AnswerState.INVENTED


def test_that_the_pins_of_a_question_go_and_come_back_with_it(page):
    store, name = page.store, asked(page).names[0]
    store.set_results(PINS, {name: {"active": "A"}})
    page.questions.delete_question()
    assert PINS not in store.study.results
    page.questions.add_text("Ridden without a ticket?: yes*, no")
    assert name in asked(page).names
    assert PINS not in store.study.results
    store.undo_stack.undo()
    store.undo_stack.undo()
    assert store.study.results[PINS] == {name: {"active": "A"}}
    store.undo_stack.redo()
    assert PINS not in store.study.results


def follow(page, words):
    """Choose a check by the keyboard: Tab chooses the link in its line, Enter follows it."""
    checks = page.questions.list.checks
    place = next(i for i, line in enumerate(checks.texts) if words in line)
    label = next(one for one in checks.itemAt(place).widget().findChildren(QLabel) if one.text())
    label.setFocus(Qt.FocusReason.TabFocusReason)
    press(label, Qt.Key.Key_Tab)
    press(label, Qt.Key.Key_Return)


def test_that_a_check_leads_to_the_question_and_the_field(page, editor, dialogs, qtbot):
    first, _, last = asked(page).names
    editor.wording.clear()
    page.store.select([last])
    follow(page, "no text in the main language")
    assert page.store.current == first
    assert editor.wording.hasFocus()
    write(editor.wording, "Ticket?")
    study = edits.set_field(page.store.study, last, "en", short="Drinks!")
    page.store.apply(study, "short name")
    follow(page, "Drinks!")
    assert page.store.current == last
    assert editor.short.isVisibleTo(page)
    assert editor.short.hasFocus()
    page.store.set_perturbation([first], Identity())
    with qtbot.waitSignal(page.workbench.page_requested) as led:
        follow(page, "sent as it is")
    assert led.args == ["design"]
    page.store.apply(edits.add_language(page.store.study, "pl"), "language")
    follow(page, "without a translation")
    dialog = dialogs.front(LanguagesDialog)
    index = dialog.table.currentIndex()
    assert (dialog.model.rows[index.row()].name, index.column()) == (first, 2)
    dialogs.cancel()


def test_that_long_texts_are_whole_in_the_table_of_languages(page, qtbot, dialogs):
    name = asked(page).names[0]
    words = "In the last 12 months, have you ridden " + "on a tram or a bus " * 9
    page.store.apply(edits.set_text(page.store.study, name, "text", "en", words), "wording")
    dialog = page.questions.show_languages()
    place = next(i for i, one in enumerate(dialog.model.rows) if one.what == "text")
    qtbot.waitUntil(lambda: dialog.table.rowHeight(place) > dialog.table.rowHeight(place + 1))
    dialog.reject()
    qtbot.waitUntil(lambda: not dialogs.is_open)


def test_that_the_page_is_shown_at_820_pixels_in_each_language(page, qtbot, dialogs):
    name = asked(page).names[0]
    study = edits.add_language(page.store.study, "pl")
    page.store.apply(edits.set_text(study, name, "text", "pl", "Jazda bez biletu?"), "translate")
    for _ in range(2):
        press(page.questions.phone.wide_button, Qt.Key.Key_Space)
        dialog = dialogs.front(WideDialog)
        assert dialog.screen_shown.width() == 820
        assert "Ridden without a ticket?" in dialog.screen_shown.texts()
        dialog.language.choose("pl")
        assert "Jazda bez biletu?" in dialog.screen_shown.texts()
        assert "English" in dialog.note.text()
        dialogs.cancel()
