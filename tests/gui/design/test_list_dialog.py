"""Asking a question by a list on the Design page."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox

from ppworkbench.gui.pages.design.edits import ListDialog


def open_dialog(page, dialogs, name) -> ListDialog:
    """Choose a question and press the button of the page."""
    page.store.select([name])
    page.refresh()
    assert page.list_action.isVisible()
    page.list_action.trigger()
    return dialogs.front(ListDialog)


def accept(qtbot, dialog) -> None:
    button = dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_that_a_question_becomes_a_list_and_one_step_takes_it_back(qtbot, page, dialogs):
    """Items are typed one in a line; the design gets two arms."""
    before = page.store.study.design
    dialog = open_dialog(page, dialogs, "drug_use")
    QTest.keyClicks(dialog.items, "car")
    QTest.keyClick(dialog.items, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.items, "supports_school")
    assert "would have none" in dialog.advice.text()
    accept(qtbot, dialog)
    design = page.store.study.design
    assert [one.items for one in design.lists] == [("car", "supports_school")]
    assert page.store.current == "drug_use_count"
    assert "drug_use" not in design
    assert "car" not in design
    assert "counts a list" in page.banner.label.text()
    page.store.undo_stack.undo()
    assert page.store.study.design == before


def test_that_a_wrong_list_is_told_in_place(qtbot, page, dialogs):
    """Too few items, then an arm that hears both is impossible by the switch."""
    dialog = open_dialog(page, dialogs, "drug_use")
    QTest.keyClicks(dialog.items, "I have a car.")
    accept(qtbot, dialog)
    assert "needs at least 2" in dialog.problem.text()
    assert dialog.isVisible()
    assert not page.store.study.design.lists
    QTest.keyClick(dialog.items, Qt.Key.Key_Return)
    QTest.keyClicks(dialog.items, "I like tea.")
    (first, *_) = dialog.arms.values()
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton, pos=QPoint(first.width() - 6, 10))
    accept(qtbot, dialog)
    assert "hears the short list" in dialog.problem.text()
    dialog.reject()


def test_that_a_list_is_changed_and_removed(qtbot, page, dialogs):
    """Twice in a row."""
    dialog = open_dialog(page, dialogs, "drug_use")
    dialog.items.setPlainText("car\nsupports_school")
    accept(qtbot, dialog)
    dialog = open_dialog(page, dialogs, "drug_use_count")
    assert dialog.items.toPlainText() == "car\nsupports_school"
    dialog.columns.setCurrentIndex(dialog.columns.findData("drink_driving"))
    dialog.columns.activated.emit(dialog.columns.currentIndex())
    accept(qtbot, dialog)
    assert page.store.study.design.lists[0].size == 3
    dialog = open_dialog(page, dialogs, "drug_use_count")
    qtbot.mouseClick(dialog.remove, Qt.MouseButton.LeftButton)
    assert page.store.study.design.lists == ()
    assert page.store.current == "drug_use"


def test_that_only_yes_no_questions_can_be_lists(page):
    """A number and a district cannot."""
    for name, can in (("income", False), ("district", False), ("car", True)):
        page.store.select([name])
        page.refresh()
        assert page.list_action.isVisible() is can
