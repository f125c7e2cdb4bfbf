"""The list of values: order by drag and by keys, renaming, merging, look-alikes."""

import numpy as np
import pytest
from answers import MOOD
from designs import classic_study
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit
from window_hands import has_ink, ink_box

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.gui.pages.data.values_editor import ValuesModel

BOTH = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def page(page):
    page.store.select(["mood"])
    return page


@pytest.fixture
def values(page):
    return page.inspector.values


def held(page, name="mood"):
    return page.store.study.original[name].attribute.values


def choose(values, *rows):
    flags = values.view.selectionModel().SelectionFlag
    values.view.selectionModel().clear()
    for row in rows:
        values.view.selectionModel().select(values.model.index(row, 0), flags.Select)


def middle(values, row):
    return values.view.visualRect(values.model.index(row, 0)).center()


def drag(qtbot, values, start, stop, *, release=True):
    """Drag a row to just below the middle of another one."""
    viewport = values.view.viewport()
    target = middle(values, stop) + QPoint(0, 8)
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=middle(values, start))
    qtbot.mouseMove(viewport, middle(values, start) + QPoint(0, 14))
    qtbot.mouseMove(viewport, target)
    if release:
        qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=target)


def test_that_values_are_listed_with_their_counts(values):
    assert values.model.values == MOOD
    assert [values.model.count(i) for i in range(4)] == [15] * 4
    assert values.heading.text() == "Order of the answers"
    told = values.model.index(1, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert told == "fair, 15 answers"


def test_that_nominal_values_are_not_called_an_order(page, values):
    page.store.select(["town"])
    assert values.heading.text() == "Answers"


def test_that_the_longest_bar_belongs_to_the_most_frequent_value(page, values):
    three = Table((Column(Attribute("x", Kind.NOMINAL, tuple("abc")), [0, 1, 1, 1, 1, 2, 2]),))
    page.store.open(classic_study(three, "three"))
    assert [values.model.share(i) for i in range(3)] == [0.25, 1.0, 0.5]


def test_that_a_drag_reorders_as_one_step(page, values, qtbot):
    drag(qtbot, values, 0, 2)
    assert held(page) == ("fair", "good", "bad", "great")
    assert page.store.undo_stack.count() == 1
    page.store.undo_stack.undo()
    assert values.model.values == MOOD


def test_that_a_drag_keeps_every_answer(page, values, qtbot):
    before = page.store.study.original["mood"].to_series().astype(str).tolist()
    drag(qtbot, values, 3, 0)
    assert page.store.study.original["mood"].to_series().astype(str).tolist() == before


def test_that_a_drag_shows_where_the_row_would_go(page, values, qtbot):
    accent, viewport = page.workbench.themes.theme.colour("accent"), values.view.viewport()
    drag(qtbot, values, 0, 2, release=False)
    line, below = ink_box(viewport, accent), values.view.visualRect(values.model.index(3, 0))
    assert line.width() > 0.9 * viewport.width()
    assert abs(line.center().y() - below.top()) <= 1
    assert line.height() <= 4
    qtbot.keyClick(values.view, Qt.Key.Key_Escape)
    assert not has_ink(viewport, accent)
    qtbot.mouseRelease(values.view.viewport(), Qt.MouseButton.LeftButton, pos=middle(values, 2))
    assert held(page) == MOOD


def test_that_a_drag_back_to_its_own_place_changes_nothing(page, values, qtbot):
    drag(qtbot, values, 1, 1)
    assert page.store.undo_stack.count() == 0


def test_that_keys_move_a_value_and_it_stays_selected(page, values, qtbot):
    choose(values, 0)
    qtbot.keyClick(values.view, Qt.Key.Key_Down, BOTH)
    assert held(page) == ("fair", "bad", "good", "great")
    assert values.view.chosen_rows() == [1]
    qtbot.keyClick(values.view, Qt.Key.Key_Up, BOTH)
    qtbot.keyClick(values.view, Qt.Key.Key_Up, BOTH)
    assert held(page) == MOOD
    assert page.store.undo_stack.count() == 2


def test_that_several_values_move_together(page, values, qtbot):
    choose(values, 0, 2)
    qtbot.keyClick(values.view, Qt.Key.Key_Down, BOTH)
    assert held(page) == ("fair", "great", "bad", "good")


def test_that_codes_go_along_with_their_values(page, values):
    values.reverse_button.click()
    assert held(page) == MOOD[::-1]
    assert page.store.study.original["mood"].attribute.codes == (4.0, 3.0, 2.0, 1.0)


def test_that_merging_needs_two_values(page, values):
    choose(values, 1)
    assert not values.merge_button.isEnabled()
    assert "2 or more" in values.merge_button.toolTip()
    choose(values, 1, 2)
    assert values.merge_button.isEnabled()


def test_that_merged_values_are_one_with_an_offer_to_undo(page, values, qtbot):
    choose(values, 1, 3)
    with qtbot.waitSignal(page.workbench.toast_requested) as said:
        values.merge_button.click()
    assert said.args == ["Merged 2 values into “fair”.", True]
    assert held(page) == ("bad", "fair", "good")
    assert page.store.study.original["mood"].counts.tolist() == [15, 30, 15]


def test_that_a_value_is_renamed_in_place(page, values, qtbot):
    choose(values, 1)
    values.rename_button.click()
    field = values.view.findChild(QLineEdit, "valueName")
    assert field.text() == "fair"
    field.setText("so so")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: held(page) == ("bad", "so so", "good", "great"))
    assert values.view.chosen_rows() == [1]


def test_that_a_name_that_is_taken_is_refused_below_the_list(page, values):
    values.model.setData(values.model.index(1, 0), "good")
    assert "merge “fair” into it instead" in values.problem.text()
    assert values.problem.isVisible()
    assert held(page) == MOOD
    values.model.setData(values.model.index(1, 0), "decent")
    assert not values.problem.isVisible()


def test_that_an_empty_name_is_ignored(page, values):
    assert not values.model.setData(values.model.index(1, 0), "  ")
    assert held(page) == MOOD


def test_that_renaming_needs_one_value(values):
    choose(values)
    assert not values.rename_button.isEnabled()
    assert values.rename_button.toolTip() == "Select a value first."


def test_that_a_value_can_mean_no_answer(page, values):
    choose(values, 3)
    values.missing_button.click()
    assert held(page) == ("bad", "fair", "good")
    assert page.store.study.original["mood"].missing_count == 15


def test_that_look_alikes_are_told_selected_and_merged(page, values, qtbot):
    alike = Attribute("answer", Kind.NOMINAL, ("no", "Yes", "yes", " yes"))
    page.store.open(classic_study(Table((Column(alike, np.arange(8) % 4),)), "alike"))
    assert "“␣yes”" in values.alike_words.text()
    qtbot.waitUntil(lambda: "has similar values" in page.concerns.label.text())
    values.alike_button.click()
    assert values.view.chosen_rows() == [1, 2, 3]
    values.merge_button.click()
    assert held(page, "answer") == ("no", "Yes")
    assert not values.alike.isVisible()
    assert not page.concerns.isVisible()


def test_that_one_value_can_neither_be_moved_nor_reversed(page, values, qtbot):
    one = Table((Column(Attribute("x", Kind.NOMINAL, ("same",)), np.zeros(5, int)),))
    page.store.open(classic_study(one, "one"))
    assert not values.reverse_button.isEnabled()
    assert not values.view.can_move
    qtbot.waitUntil(lambda: "has only 1 value" in page.concerns.label.text())
    assert not page.inspector.kind.keep_button.isVisible()


def test_that_no_values_at_all_are_shown(page, values):
    none = Table((Column(Attribute("x", Kind.NOMINAL), np.full(5, -1)),))
    page.store.open(classic_study(none, "none"))
    assert values.model.rowCount() == 0
    page.grab()


def test_that_two_hundred_values_scroll_inside_the_list(page, values, qtbot):
    names = tuple(f"town {i}" for i in range(200))
    many = Table((Column(Attribute("x", Kind.NOMINAL, names), np.arange(400) % 200),))
    page.store.open(classic_study(many, "many"))
    assert values.view.height() < page.height()
    qtbot.waitUntil(lambda: values.view.verticalScrollBar().maximum() > 0)


def test_that_the_menu_offers_what_the_links_do(values):
    choose(values, 1, 2)
    offered = {action.text(): action.isEnabled() for action in values.make_menu().actions()}
    assert offered == {
        "Merge": True,
        "Rename": False,
        "Reverse order": True,
        "Mark as missing": True,
    }


def test_that_a_move_puts_rows_before_the_target(workbench):
    model = ValuesModel(workbench.themes)
    model.show_values(tuple("abcde"), None, True)
    assert model.moved([0], 3) == list("bcade")
    assert model.moved([4], 0) == list("eabcd")
    assert model.moved([1, 3], 5) == list("acebd")
    assert model.moved([1, 3], 2) == list("abdce")


def test_that_a_list_that_was_read_off_the_answers_is_confirmed_by_a_press(page, values):
    assert not values.confirm_button.isVisible()
    column = page.store.study.original["mood"]
    met = column.with_(attribute=column.attribute.with_(domain_source="data"))
    study = page.store.study.with_(original=page.store.study.original.replace(met))
    page.store.apply(study, "read")
    assert values.confirm_button.isVisible()
    values.confirm_button.click()
    assert page.store.study.original["mood"].attribute.domain_source == "public"
    assert page.store.study.design["mood"].attribute.domain_source == "public"
    assert not values.confirm_button.isVisible()
