"""Style sheets of parts, and another theme that is put on a piece at a time."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QMainWindow,
    QStackedWidget,
    QWidget,
)
from shiboken6 import delete

from ppworkbench.gui.gentle import get_ready
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.theme.islands import islands
from ppworkbench.gui.theme.listeners import Listeners
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layouts import column, scrolled, splitter


class Page(QWidget):
    """Two columns, and a stack of which one part is hidden."""

    only_holds = True

    def __init__(self) -> None:
        super().__init__()
        self.left, self.first, self.second = Card(), Card(), QLabel("second")
        self.stack = QStackedWidget()
        for widget in (scrolled(self.first), self.second):
            self.stack.addWidget(widget)
        columns = splitter(Qt.Orientation.Horizontal, "", self.left, self.stack)
        column(columns, parent=self)


class Listener(QLabel):
    """Counts how often it is told."""

    times = 0

    def tell(self) -> None:
        self.times += 1


@pytest.fixture
def themes(qapp):
    made = ThemeManager("light", in_pieces=True)
    made.apply()
    yield made
    made.choose("light")
    made._pieces._timer.stop()


@pytest.fixture
def page(qtbot, themes) -> Page:
    made = Page()
    qtbot.addWidget(made)
    themes.dress(made)
    made.show()
    return made


def test_that_only_parts_have_a_style_sheet_and_not_what_holds_them(page, themes):
    assert page.left in islands(page)
    assert page.stack not in islands(page)
    for part in islands(page):
        assert part.styleSheet() == themes.sheet
    for holder in (page, page.stack, page.left.parentWidget()):
        assert holder.styleSheet() == ""


def test_that_a_column_that_scrolls_is_divided_where_there_is_a_stack_in_it(qtbot):
    stack, first, second = QStackedWidget(), Card(), Card()
    for card in (first, second):
        stack.addWidget(card)
    area = scrolled(stack)
    qtbot.addWidget(area)
    assert {first, second} <= set(islands(area))
    assert area not in islands(area)


def test_that_what_is_seen_changes_first_and_the_rest_soon(qtbot, page, themes):
    before = themes.sheet
    themes.choose("dark")
    assert not themes.is_settled
    assert not page.updatesEnabled()
    qtbot.waitUntil(page.updatesEnabled)
    assert page.left.styleSheet() == themes.sheet != before
    qtbot.waitUntil(lambda: themes.is_settled)
    assert page.second.styleSheet() == themes.sheet


def test_that_what_holds_parts_stands_still_until_all_that_is_seen_has_changed(qtbot, page, themes):
    columns = page.left.parentWidget()
    measured = []
    page.left.minimumSizeHint = lambda: measured.append(page.left.styleSheet()) or QSize(50, 50)
    before = themes.sheet
    themes.zoom(1.3)
    assert not page.layout().isEnabled()
    assert not page.stack.layout().isEnabled()
    page.resize(700, 500)
    qtbot.waitUntil(page.updatesEnabled)
    assert page.layout().isEnabled()
    assert page.stack.layout().isEnabled()
    qtbot.waitUntil(lambda: columns.width() > 600)
    assert measured
    assert before not in measured
    themes.zoom(1.0)
    qtbot.waitUntil(lambda: themes.is_settled)


def test_that_a_part_that_is_asked_for_does_not_wait(page, themes):
    themes.choose("dark")
    themes.hurry(page.second)
    assert page.second.styleSheet() == themes.sheet


def test_that_the_last_of_two_choices_holds(qtbot, page, themes):
    light = themes.sheet
    themes.choose("dark")
    themes.choose("light")
    qtbot.waitUntil(lambda: themes.is_settled)
    assert {part.styleSheet() for part in islands(page)} == {light}
    assert page.updatesEnabled()


def test_that_something_can_be_put_off_until_the_theme_is_on(qtbot, page, themes):
    done = []
    themes.choose("dark")
    themes.afterwards(lambda: done.append(page.second.styleSheet()))
    assert done == []
    qtbot.waitUntil(lambda: themes.is_settled)
    assert done == [themes.sheet]
    themes.afterwards(lambda: done.append("now"))
    assert done[1:] == ["now"]


def test_that_listeners_are_told_once_and_the_deleted_never(qtbot, page, themes):
    kept, gone, inside = Listener(), Listener(), Listener(parent=page)
    qtbot.addWidget(kept)
    for one in (kept, gone, inside):
        themes.theme_changed.connect(one.tell)
    themes.choose("dark")
    delete(gone)
    themes.forget(page)
    qtbot.waitUntil(lambda: themes.is_settled)
    assert (kept.times, inside.times) == (1, 0)


def test_that_a_slot_can_be_taken_back_and_a_dictionary_be_emptied():
    told, known, owner = Listeners(), {"a": 1}, QObject()
    told.connect(known.clear)
    told.connect(owner.deleteLater)
    told.disconnect(owner.deleteLater)
    told.emit()
    assert known == {}
    with pytest.raises(TypeError):
        told.connect(lambda: None)


def test_that_rules_of_a_part_stand_beside_those_of_the_theme(qtbot, page, themes):
    set_rules(page.left, "QFrame { color: red; }")
    assert page.left.styleSheet() == themes.sheet + "QFrame { color: red; }"
    themes.choose("dark")
    qtbot.waitUntil(lambda: themes.is_settled)
    assert page.left.styleSheet() == themes.sheet + "QFrame { color: red; }"


def test_that_a_dialog_of_a_window_has_the_look_of_the_theme(window):
    dialog = QDialog(window)
    column(QLabel("words"), parent=dialog)
    assert dialog.styleSheet() == ""
    dialog.show()
    assert dialog.styleSheet() == window.workbench.themes.sheet
    assert isinstance(window, QMainWindow)
    assert window.styleSheet() == ""
    dialog.close()


def test_that_a_dialog_can_be_got_ready_in_pieces(qtbot, themes):
    dialog = QDialog()
    qtbot.addWidget(dialog)
    column(*(QLabel(str(number)) for number in range(60)), parent=dialog)
    assert get_ready(dialog, themes)
    assert dialog.styleSheet() == themes.sheet
    assert not dialog.isVisible()


def test_that_buttons_of_the_system_have_no_pictures_and_the_one_that_leads_on_is_filled(
    qtbot, themes
):
    dialog, kinds = QDialog(), QDialogButtonBox.StandardButton
    qtbot.addWidget(dialog)
    box = QDialogButtonBox(kinds.Ok | kinds.Cancel)
    own = box.addButton("Own", QDialogButtonBox.ButtonRole.ActionRole)
    for button in box.buttons():
        # Some systems give their buttons one, this one need not.
        button.setIcon(QIcon(QPixmap(16, 16)))
    column(box, parent=dialog)
    themes.dress(dialog)
    assert [button.icon().isNull() for button in box.buttons()].count(False) == 1
    assert not own.icon().isNull()
    assert box.button(kinds.Ok).property("look") == "primary"
    assert box.button(kinds.Cancel).property("look") is None
