"""Which items the Mine page offers, suggests and shows."""

import numpy as np
import pytest
from designs import classic_study
from mining_studies import survey_study, survey_table
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QTreeWidgetItemIterator
from window_hands import painted, painted_parts, picture, pixels

from ppworkbench.analyses.mining.items import SUGGESTED, available_items, kept_shares
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Discretise, Identity, Uniform
from ppworkbench.core.itemsets import item_data
from ppworkbench.gui.pages.mine.item_dialog import ItemDialog
from ppworkbench.gui.pages.mine.settings_card import ItemChips
from ppworkbench.gui.pages.mine.texts import items_hint


@pytest.fixture
def workbench(kept_workbench):
    return kept_workbench


def words(items):
    return [item.words for item in items]


# What a study offers


def test_that_yes_is_called_by_its_attribute_and_no_by_the_word():
    found = words(available_items(survey_study()).items)
    assert found[:4] == ["no car", "car", "no bike", "bike"]
    assert "town: Beech" in found


def test_that_suggestions_leave_out_the_class_the_no_and_scales():
    found = words(available_items(survey_study()).usual)
    assert found == [
        "car", "bike", "pass", "garden", "town: Ash", "town: Beech", "town: Cedar",
    ]  # fmt: skip


def test_that_a_number_under_noise_cannot_be_an_item_and_says_why():
    assert available_items(survey_study()).refused == (("pay", "it is a number with noise"),)


def test_that_intervals_of_a_number_are_items():
    study = survey_study().with_perturbations({"pay": Discretise(intervals=4)})
    offer = available_items(study)
    assert sum(item.attribute == "pay" for item in offer.items) == 4
    assert offer.refused == ()
    plain = survey_study().with_perturbations({"pay": Identity()})
    assert sum(item.attribute == "pay" for item in available_items(plain).items) == 5


def test_that_a_matrix_that_cannot_be_undone_gives_no_items():
    study = survey_study().with_perturbations({"car": Uniform(keep=0.5)})
    offer = available_items(study)
    assert ("car", "its matrix is singular") in offer.refused
    assert "car" not in words(offer.items)


@pytest.mark.parametrize("sample", ["city-survey", "baskets", "weather", "consultation", "iris"])
def test_that_the_offer_is_what_the_core_makes_of_the_same_study(sample):
    study = classic_study(load_sample(sample), sample)
    offer = available_items(study)
    names = tuple(dict.fromkeys(item.attribute for item in offer.items))
    data = item_data(study.original, study.design, names, original=True)
    assert [item.key for item in offer.items] == [(i.attribute, i.value) for i in data.items]


def test_that_only_scales_are_suggested_where_there_is_nothing_else():
    table = survey_table(50).select(["mood", "vote"])
    offer = available_items(classic_study(table, "scales"))
    assert words(offer.usual) == ["mood: low", "mood: middle", "mood: high"]


def test_that_not_more_than_a_hundred_items_are_suggested():
    columns = [Column(Attribute(f"thing{i}", Kind.BINARY, ("0", "1")), [0, 1]) for i in range(130)]
    offer = available_items(classic_study(Table(tuple(columns)), "baskets"))
    assert len(offer.items) == 130
    assert len(offer.usual) == SUGGESTED


def test_that_the_hint_tells_how_items_are_kept():
    study = survey_study(50, keep=0.8)
    offer = available_items(study)
    binary = [item for item in offer.usual if item.attribute != "town"]
    shares = kept_shares(study.design, binary)
    assert items_hint(shares, 0) == "“Yes” and “no” are kept with probability 0.80."
    mixed = kept_shares(study.design, offer.usual)
    # With three values and keep 0.8 an absent value stays absent with (3 - 2 + 0.8) / 2.
    assert items_hint(mixed, 0) == "“Yes” is kept with probability 0.80, “no” with 0.80 to 0.90."
    assert items_hint(shares, 2).endswith("2 questions cannot be used; see why.")
    assert items_hint(((1.0, 1.0),), 1).startswith("Not randomised. 1 question")


# Chips


@pytest.fixture
def chips(qtbot, workbench):
    made = ItemChips(workbench.themes, "Chosen items")
    qtbot.addWidget(made)
    made.resize(230, 30)
    made.show()
    return made


def test_that_chips_beyond_four_lines_stand_behind_one_chip(chips):
    chips.show_items([f"attribute: value {i}" for i in range(30)])
    assert 0 < chips.hidden < 30
    assert chips.hidden + len(painted_parts(chips)) - 1 == 30
    height = chips.height()
    chips.show_items(["one", "two"])
    assert chips.hidden == 0
    assert len(painted_parts(chips)) == 2
    assert chips.height() < height


def test_that_no_chip_is_lost_whatever_fits_into_the_last_line(chips):
    rooms = [*((230, count) for count in range(25)), *((width, 24) for width in range(200, 260))]
    for width, count in rooms:
        chips.resize(width, 30)
        chips.show_items(["x" * (5 + 7 * i % 23) for i in range(count)])
        # Chips that touch each other would be one, and one that is cut off has no round end.
        parts, ink = painted_parts(chips), painted(chips)
        assert chips.hidden + len(parts) - (1 if chips.hidden else 0) == count
        ends = (ink[one.top() : one.bottom() + 1, one.right()] for one in parts)
        assert all(np.mean(end) < 0.6 for end in ends)
    assert chips.hidden > 0


def test_that_the_cross_of_a_chip_takes_it_away(qtbot, chips):
    chips.show_items(["one", "two", "three"])
    before = pixels(picture(chips))
    qtbot.mouseMove(chips, painted_parts(chips)[1].center())
    rows, columns = np.nonzero(pixels(picture(chips)) != before)
    with qtbot.waitSignal(chips.removed) as caught:
        # The cross is the rightmost of what the pointer brings up.
        at = QPoint(int(columns.max()), int(rows[columns == columns.max()].mean()))
        qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=at)
    assert caught.args == [1]


def test_that_a_click_on_the_words_of_a_chip_takes_nothing_away(qtbot, chips):
    chips.show_items(["a longer name of an item"])
    left = painted_parts(chips)[0].topLeft() + QPoint(6, 8)
    with qtbot.assertNotEmitted(chips.removed):
        qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=left)


def test_that_arrows_and_delete_take_a_chip_away(qtbot, chips):
    chips.show_items(["one", "two", "three"])
    chips.setFocus()
    qtbot.keyClick(chips, Qt.Key.Key_Right)
    qtbot.keyClick(chips, Qt.Key.Key_Right)
    with qtbot.waitSignal(chips.removed) as caught:
        qtbot.keyClick(chips, Qt.Key.Key_Delete)
    assert caught.args == [2]


def test_that_the_last_chip_opens_the_list(qtbot, chips):
    chips.show_items([f"attribute: value {i}" for i in range(30)])
    with qtbot.waitSignal(chips.more_requested):
        qtbot.mouseClick(chips, Qt.MouseButton.LeftButton, pos=painted_parts(chips)[-1].center())


# The list


@pytest.fixture
def dialog(qtbot, workbench):
    offer = available_items(survey_study(50))
    made = ItemDialog(workbench.themes, offer, offer.usual)
    qtbot.addWidget(made)
    made.show()
    return made


def rows_of(dialog):
    """The rows in sight by their words."""
    iterator = QTreeWidgetItemIterator(dialog.list, QTreeWidgetItemIterator.IteratorFlag.NotHidden)
    found = {}
    while iterator.value():
        found[iterator.value().text(0)] = iterator.value()
        iterator += 1
    return found


def click_row(qtbot, dialog, words):
    row = rows_of(dialog)[words]
    dialog.list.scrollToItem(row, QAbstractItemView.ScrollHint.PositionAtCenter)
    centre = dialog.list.visualItemRect(row).center()
    qtbot.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=centre)


def test_that_the_list_begins_with_what_is_chosen(dialog):
    assert dialog.count.text() == "7 of 16 items"
    assert words(dialog.chosen) == words(available_items(survey_study(50)).usual)
    assert dialog.refusal.text() == "Cannot be mined: pay (it is a number with noise)."


def test_that_a_click_ticks_one_value_and_a_heading_all_of_them(qtbot, dialog):
    click_row(qtbot, dialog, "middle")
    assert "mood: middle" in words(dialog.chosen)
    heading = rows_of(dialog)["mood"]
    assert heading.checkState(0) is Qt.CheckState.PartiallyChecked
    assert heading.text(1) == "1 of 3"
    click_row(qtbot, dialog, "mood")
    assert {"mood: low", "mood: middle", "mood: high"} <= set(words(dialog.chosen))
    click_row(qtbot, dialog, "mood")
    assert not any(item.attribute == "mood" for item in dialog.chosen)


def test_that_space_ticks_the_current_row(qtbot, dialog):
    dialog.list.setCurrentItem(rows_of(dialog)["high"])
    dialog.list.setFocus()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Space)
    assert "mood: high" in words(dialog.chosen)


def test_that_the_filter_bounds_what_is_seen_and_ticked_but_not_what_is_chosen(qtbot, dialog):
    qtbot.keyClicks(dialog.field, "tow b")
    assert list(rows_of(dialog)) == ["town", "Beech"]
    qtbot.mouseClick(dialog.none_button, Qt.MouseButton.LeftButton)
    assert "town: Beech" not in words(dialog.chosen)
    assert "town: Ash" in words(dialog.chosen)
    dialog.field.clear()
    assert "Ash" in rows_of(dialog)


def test_that_all_none_and_suggested_can_be_ticked(qtbot, dialog):
    qtbot.mouseClick(dialog.all_button, Qt.MouseButton.LeftButton)
    assert len(dialog.chosen) == 16
    qtbot.mouseClick(dialog.none_button, Qt.MouseButton.LeftButton)
    assert dialog.chosen == ()
    assert not dialog.use.isEnabled()
    assert dialog.use.toolTip() == "Select at least 1 item."
    qtbot.mouseClick(dialog.usual_button, Qt.MouseButton.LeftButton)
    assert words(dialog.chosen) == words(available_items(survey_study(50)).usual)
    assert dialog.use.isEnabled()


def test_that_thousands_of_items_are_filtered(qtbot, workbench):
    columns = [Column(Attribute(f"thing{i}", Kind.BINARY, ("0", "1")), [0, 1]) for i in range(3000)]
    offer = available_items(classic_study(Table(tuple(columns)), "baskets"))
    made = ItemDialog(workbench.themes, offer, offer.usual)
    qtbot.addWidget(made)
    made.show()
    qtbot.keyClicks(made.field, "g29")
    qtbot.waitUntil(lambda: next(iter(rows_of(made))) == "thing29")
