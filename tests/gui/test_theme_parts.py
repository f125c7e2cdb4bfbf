"""Style sheets of pages and dialogs, and what hears of another theme."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QIcon, QPixmap
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QLabel, QWidget
from shiboken6 import delete, isValid

from ppworkbench.gui.dialogs import ButtonRole, Choice, ask, show_dialog
from ppworkbench.gui.theme import ThemeManager, set_rules
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.layout import column


class Listener(QLabel):
    """Counts how often it is told."""

    times = 0

    def tell(self) -> None:
        self.times += 1


@pytest.fixture
def themes(qapp):
    made = ThemeManager("light")
    made.apply()
    yield made
    made.choose("light")


@pytest.fixture
def page(qtbot, themes) -> QWidget:
    made = QWidget()
    made.card = Card()
    column(made.card, parent=made)
    qtbot.addWidget(made)
    themes.apply_theme(made)
    return made


def test_that_what_is_seen_changes_at_once_and_what_is_hidden_when_it_is_shown(page, themes):
    light = page.styleSheet()
    assert light == themes.sheet
    themes.choose("dark")
    assert page.styleSheet() == light
    page.show()
    assert page.styleSheet() == themes.sheet != light
    themes.choose("light")
    assert page.styleSheet() == light


def test_that_a_page_that_missed_two_changes_takes_the_last(page, themes):
    page.show()
    page.hide()
    themes.choose("dark")
    themes.zoom(1.3)
    page.show()
    assert page.styleSheet() == themes.sheet


def test_that_listeners_are_told_once_and_the_deleted_never(qtbot, themes):
    kept, gone = Listener(), Listener()
    qtbot.addWidget(kept)
    for one in (kept, gone):
        themes.theme_changed.connect(one.tell)
    delete(gone)
    themes.choose("dark")
    assert kept.times == 1


def test_that_a_page_that_was_deleted_is_forgotten(themes):
    page = QWidget()
    themes.apply_theme(page)
    page.show()
    page.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not isValid(page)
    themes.choose("dark")
    assert themes.theme.is_dark


def test_that_rules_of_a_page_stand_beside_those_of_the_theme(page, themes):
    page.show()
    set_rules(page, "QFrame { color: red; }")
    assert page.styleSheet() == themes.sheet + "QFrame { color: red; }"
    themes.choose("dark")
    assert page.styleSheet() == themes.sheet + "QFrame { color: red; }"
    set_rules(page.card, "QFrame { color: blue; }")
    assert page.card.styleSheet() == "QFrame { color: blue; }"


@pytest.mark.slow
def test_that_the_window_itself_has_no_style_sheet_but_its_dialogs_have(window, dialogs):
    window.menus.actions["about"].trigger()
    assert window.styleSheet() == ""
    assert dialogs.front(QDialog).styleSheet() == window.workbench.themes.sheet
    window.workbench.themes.choose("dark")
    assert dialogs.front(QDialog).styleSheet() == window.workbench.themes.sheet
    dialogs.cancel()
    window.workbench.themes.choose("light")


def test_that_buttons_of_the_system_have_no_pictures_and_the_one_that_leads_on_is_filled(
    qtbot, themes
):
    dialog, kinds = QDialog(), QDialogButtonBox.StandardButton
    qtbot.addWidget(dialog)
    box = QDialogButtonBox(kinds.Ok | kinds.Cancel)
    for button in box.buttons():
        # Some systems give their buttons one, this one need not.
        button.setIcon(QIcon(QPixmap(16, 16)))
    column(box, parent=dialog)
    show_dialog(dialog, themes)
    assert all(button.icon().isNull() for button in box.buttons())
    assert box.button(kinds.Ok).property("look") == "primary"
    assert box.button(kinds.Cancel).property("look") is None
    dialog.reject()


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), -1.0, 1e300])
def test_that_an_impossible_enlargement_does_no_harm(qapp, scale):
    assert 0.8 <= ThemeManager("light", scale).scale <= 2.0


@pytest.mark.parametrize("has_sheet", [True, False])
def test_that_a_question_shows_the_labels_of_its_buttons_whole(page, themes, has_sheet):
    page.show()
    labels = ("Collecting goes on while the window is closed", "Take over what is there", "Cancel")
    choices = [Choice(label, label, ButtonRole.AcceptRole) for label in labels]
    box = ask(page, themes if has_sheet else None, "Close?", "Really?", choices, str)
    QApplication.processEvents()
    assert {button.text() for button in box.buttons()} == set(labels)
    for button in box.buttons():
        assert button.width() >= button.sizeHint().width(), button.text()
    box.close()
