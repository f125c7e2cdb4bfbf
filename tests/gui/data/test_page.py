"""The Data page as a whole: header, banner, keys, and studies without answers to correct."""

import numpy as np
import pytest
from answers import attribute, small_table
from designs import classic_study
from layout_check.named import unnamed
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from ppworkbench.core.data.attribute import Attribute, Kind, MissingPolicy
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design.distort import distort
from ppworkbench.core.rng import SeededStreams
from ppworkbench.gui.pages.data import DataPage, edits
from ppworkbench.gui.pages.data.attribute_table import KindMenu
from ppworkbench.study.study import Study


@pytest.fixture
def distorted(page):
    study = classic_study(small_table(), "small")
    table = distort(study.original.select(study.design.names), study.design, SeededStreams(1))
    page.store.open(Study.of_distorted(table, study.design, "distorted"))
    return page


# Header


def test_that_the_primary_action_goes_to_design(page, qtbot):
    with qtbot.waitSignal(page.workbench.page_requested) as asked:
        page.primary.trigger()
    assert asked.args == ["design"]


def test_that_open_asks_for_files(page, monkeypatch):
    asked = []
    monkeypatch.setattr(page.files, "open_dialog", lambda: asked.append(True))
    page.open_action.trigger()
    assert asked == [True]


def test_that_a_page_without_files_cannot_open_any(qtbot, workbench):
    page = DataPage(workbench)
    qtbot.addWidget(page)
    assert not page.open_action.isEnabled()
    assert page.show_import() is None


def test_that_import_settings_say_why_a_sample_has_none(page):
    assert not page.import_action.isEnabled()
    assert "do not come from a file" in page.import_action.toolTip()


# Banner


def test_that_the_banner_counts_and_names_what_to_look_at(page):
    banner = page.concerns
    assert banner.isVisible()
    assert banner.kind == "warning"
    assert "2 things to check." in banner.label.text()
    assert "“age” has 1 missing answer." in banner.label.text()
    assert "“income” has 6 missing answers." in banner.label.text()


def test_that_show_the_first_selects_one_after_the_other(page):
    button = page.concerns.button
    assert button.text() == "Show the first"
    button.click()
    assert page.store.current == "age"
    assert button.text() == "Show the next"
    button.click()
    assert page.store.current == "income"
    assert button.text() == "Show the first"


def test_that_a_policy_settles_a_concern_and_undo_brings_it_back(page):
    page.edits.make(edits.set_policy(["income", "age"], MissingPolicy.DROP))
    assert not page.concerns.isVisible()
    page.store.undo_stack.undo()
    assert page.concerns.isVisible()


def test_that_a_closed_banner_stays_closed_until_there_is_something_new(page):
    page.concerns.close_button.click()
    assert not page.concerns.isVisible()
    page.store.select(["town"])
    page.edits.make(edits.reorder("town", ("south", "north", "east")))
    assert not page.concerns.isVisible()
    page.edits.make(edits.mark_missing("town", ["east"]))
    assert "“town” has 20 missing answers." in page.concerns.label.text()


def test_that_another_study_is_told_about_afresh(page, qtbot):
    page.concerns.close_button.click()
    assert not page.concerns.isVisible()
    page.store.open(classic_study(small_table(), "again"))
    qtbot.waitUntil(page.concerns.isVisible)


def test_that_many_concerns_are_counted_not_listed(page, qtbot):
    gaps = np.where(np.arange(40) < 2, -1, 0)
    columns = tuple(Column(Attribute(f"q{i}", Kind.BINARY, ("no", "yes")), gaps) for i in range(7))
    page.store.open(classic_study(Table(columns), "gaps"))
    label = page.concerns.label
    qtbot.waitUntil(lambda: "7 things to check." in label.text())
    assert "5 more." in label.text()


# Kinds in place


def test_that_the_menu_of_kinds_greys_out_the_impossible_ones_with_a_reason(page):
    page.store.select(["town"])
    page.show_kinds(QPoint(10, 10))
    menu = page.findChild(KindMenu)
    offered = {action.text(): action for action in menu.actions()}
    assert list(offered) == ["binary", "nominal", "ordinal", "integer", "continuous"]
    assert not offered["binary"].isEnabled()
    assert "3 values" in offered["binary"].toolTip()
    assert not offered["integer"].isEnabled()
    offered["ordinal"].trigger()
    menu.hide()
    assert attribute(page, "town").kind is Kind.ORDINAL


def test_that_a_kind_is_chosen_for_all_selected_attributes_as_one_step(page):
    page.store.select(["town", "smokes"])
    page.show_kinds(QPoint(10, 10))
    menu = page.findChild(KindMenu)
    next(a for a in menu.actions() if a.text() == "ordinal").trigger()
    menu.hide()
    assert [attribute(page, n).kind for n in ("town", "smokes")] == [Kind.ORDINAL] * 2
    page.store.undo_stack.undo()
    assert attribute(page, "town").kind is Kind.NOMINAL
    assert attribute(page, "smokes").kind is Kind.BINARY


def test_that_nothing_is_changed_when_one_of_several_refuses(page, qtbot):
    before = page.store.study.original
    with qtbot.waitSignal(page.workbench.error_raised) as raised:
        page.edits.make(edits.set_kind(["smokes", "town"], Kind.INTEGER))
    assert "are not numbers" in raised.args[0].message
    assert page.store.study.original is before


# Keys


@pytest.mark.usefixtures("own_page")
def test_that_ctrl_f_opens_the_filter(page, qtbot):
    page.attributes.view.setFocus()
    qtbot.keyClick(page, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.attributes.filter.isVisible()
    assert page.attributes.filter.hasFocus()


def test_that_alt_and_arrows_walk_through_the_attributes(page, qtbot):
    page.store.select(["town"])
    page.rows.view.setFocus()
    alt = Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(page.rows.view, Qt.Key.Key_Down, alt)
    assert page.store.current == "mood"
    qtbot.keyClick(page.rows.view, Qt.Key.Key_Up, alt)
    qtbot.keyClick(page.rows.view, Qt.Key.Key_Up, alt)
    assert page.store.current == "town"


def test_that_f6_goes_from_column_to_column(page, qtbot):
    page.attributes.view.setFocus()
    seen = []
    for _ in range(3):
        qtbot.keyClick(page.focusWidget(), Qt.Key.Key_F6)
        seen.append(page.focusWidget().objectName())
    assert seen == ["rows", "kind", "attributes"]
    qtbot.keyClick(page.focusWidget(), Qt.Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert page.focusWidget().objectName() == "kind"


def test_that_every_control_has_a_name_for_screen_readers(page):
    assert unnamed(page) == []


def test_that_positions_of_splitters_are_remembered(page, qtbot, workbench, files):
    page.columns.moveSplitter(700, 1)
    page.columns.splitterMoved.emit(700, 1)
    left = page.columns.sizes()[0]
    again = DataPage(workbench, files)
    qtbot.addWidget(again)
    again.resize(page.size())
    again.show()
    assert abs(again.columns.sizes()[0] - left) <= 1


# Other studies


def test_that_a_study_without_answers_says_what_to_do(page, qtbot):
    design = page.store.study.design
    page.store.open(Study(title="questions", design=design))
    assert not page.empty.isVisible()
    page.show_sub_page("answers")
    assert page.empty.isVisible()
    assert not page.attributes.isVisible()
    with qtbot.waitSignal(page.workbench.page_requested) as asked:
        page.findChild(QPushButton, "backToStart").click()
    assert asked.args == ["start"]


def test_that_answers_that_arrive_end_the_empty_state(page):
    page.store.open(Study())
    assert not page.primary.isEnabled()
    page.store.open(classic_study(small_table(), "small"))
    assert not page.empty.isVisible()
    assert page.attributes.isVisible()


def test_that_distorted_answers_are_shown_but_cannot_be_corrected(distorted):
    page = distorted
    assert page.concerns.kind == "info"
    assert "distorted" in page.concerns.label.text()
    page.store.select(["town"])
    inspector = page.inspector
    assert not inspector.kind.kind.isEnabled()
    assert "design" in inspector.kind.kind.toolTip()
    assert not inspector.heading.edit_button.isEnabled()
    assert not inspector.class_row.switch.isEnabled()
    for button in (inspector.values.merge_button, inspector.values.reverse_button):
        assert not button.isEnabled()
        assert "distorted" in button.toolTip()
    for radio in inspector.missing.choices.values():
        assert not radio.isEnabled()
    assert page.attributes.model.index(0, 4).data() == "from the design"
    page.show_kinds(QPoint(5, 5))
    assert page.findChild(KindMenu) is None


def test_that_the_range_of_distorted_numbers_is_read_only(distorted):
    distorted.store.select(["income"])
    numbers = distorted.inspector.numbers
    assert numbers.low.isReadOnly()
    numbers.low.setText("5")
    numbers.low.editingFinished.emit()
    assert distorted.store.study.design["income"].attribute.domain == (0, 10_000)
    assert numbers.outside.text().startswith("Distorted answers range from")


def test_that_values_of_distorted_answers_can_neither_be_moved_nor_renamed(distorted):
    distorted.store.select(["town"])
    values = distorted.inspector.values
    assert not values.view.can_move
    flags = values.model.flags(values.model.index(0, 0))
    assert not flags & Qt.ItemFlag.ItemIsEditable


def test_that_the_page_opens_in_the_dark_and_enlarged(page):
    page.themes.choose("dark")
    page.themes.zoom(1.5)
    for name in page.store.study.original.names:
        page.store.select([name])
        page.grab()
    assert page.attributes.view.rowHeight(0) > 40
    page.themes.zoom(1.0)
    page.themes.choose("light")
