"""The list of attributes: what it tells, how it is filtered, selected and read."""

import pytest
from answers import wide_table
from designs import classic_study
from PySide6.QtCore import Qt

from ppworkbench.core.data.attribute import Kind, MissingPolicy
from ppworkbench.gui.pages.data import edits
from ppworkbench.gui.pages.data.attribute_table import Field
from ppworkbench.gui.widgets.table import ROW

pytestmark = pytest.mark.usefixtures("own_page")


@pytest.fixture
def model(page):
    return page.attributes.model


def shown(model):
    return [column.name for column in model.rows]


def cell(model, name, field):
    return model.index(shown(model).index(name), field)


def icon(model, name, field):
    """The icon before the words of a cell."""
    return model.columns[field].icon(cell(model, name, field).data(ROW))


def badge(model, name):
    return model.columns[Field.NAME].badge(cell(model, name, Field.NAME).data(ROW))


def click(page, qtbot, name, field=Field.NAME, modifier=Qt.KeyboardModifier.NoModifier):
    view = page.attributes.view
    place = view.visualRect(cell(page.attributes.model, name, field)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifier, place)


def test_that_each_row_tells_kind_values_missing_and_reason(model):
    def told(name):
        return [cell(model, name, field).data() for field in Field]

    assert told("town") == [
        "town", "nominal", "north, south, east", "0", "set manually or by codebook",
    ]  # fmt: skip
    assert told("mood") == ["mood", "ordinal", "4 values in order", "0", "A scale"]
    assert told("smokes") == ["smokes", "binary", "no, yes", "0", "Two values"]
    assert told("income") == ["income", "continuous", "0 to 10,000", "6", "Decimals"]


def test_that_missing_answers_are_amber_and_complete_columns_are_not(model):
    assert icon(model, "income", Field.MISSING) == "warning"
    assert icon(model, "town", Field.MISSING) == ""


def test_that_the_class_carries_a_badge_that_follows_the_study(page, model):
    assert badge(model, "smokes") == "class"
    page.edits.make(edits.set_class("town"))
    assert badge(model, "town") == "class"
    assert badge(model, "smokes") == ""


def test_that_a_changed_kind_shows_at_once_and_says_who_changed_it(page, model):
    page.edits.make(edits.set_kind(["mood"], Kind.NOMINAL))
    assert cell(model, "mood", Field.KIND).data() == "nominal"
    assert cell(model, "mood", Field.REASON).data() == "set manually"


def test_that_the_filter_looks_at_names_questions_and_kinds(page, model):
    for words, found in (
        ("INC", ["income"]),
        ("live", ["town"]),
        ("ordinal", ["mood"]),
        ("zebra", []),
    ):
        page.attributes.filter.setText(words)
        assert shown(model) == found
    assert page.attributes.nothing.isVisible()
    page.attributes.filter.setText("")
    assert model.rowCount() == 5
    assert not page.attributes.nothing.isVisible()


def test_that_the_badge_counts_what_passes_the_filter(page):
    assert page.attributes.count.text() == "5"
    page.attributes.filter.setText("o")
    assert page.attributes.count.text() == "4 of 5"


def test_that_closing_the_filter_shows_everything_again(page, model):
    page.attributes.start_search()
    page.attributes.filter.setText("inc")
    page.attributes.search_button.setChecked(False)
    assert model.rowCount() == 5
    assert not page.attributes.filter.isVisible()


def test_that_a_click_selects_in_the_store(page, qtbot):
    click(page, qtbot, "income")
    assert page.store.selected == ("income",)


def test_that_ctrl_and_shift_select_several(page, qtbot):
    click(page, qtbot, "town")
    click(page, qtbot, "smokes", modifier=Qt.KeyboardModifier.ShiftModifier)
    assert set(page.store.selected) == {"town", "mood", "smokes"}
    click(page, qtbot, "income", modifier=Qt.KeyboardModifier.ControlModifier)
    assert set(page.store.selected) == {"town", "mood", "smokes", "income"}


def test_that_the_store_selects_in_the_list(page):
    page.store.select(["age", "town"])
    rows = {index.row() for index in page.attributes.view.selectionModel().selectedRows()}
    assert rows == {0, 3}
    assert page.attributes.view.currentIndex().row() == 3


def test_that_the_selection_survives_a_change_of_the_data(page):
    page.store.select(["age", "town"])
    page.edits.make(edits.set_policy(["age"], MissingPolicy.DROP))
    assert page.store.selected == ("age", "town")
    rows = {index.row() for index in page.attributes.view.selectionModel().selectedRows()}
    assert rows == {0, 3}


@pytest.mark.parametrize(
    "key", [Qt.Key.Key_Return, Qt.Key.Key_F2, Qt.Key.Key_Space], ids=["Enter", "F2", "Space"]
)
def test_that_keys_offer_the_kinds(page, qtbot, key):
    asked = []
    page.attributes.kind_requested.disconnect(page.show_kinds)
    page.attributes.kind_requested.connect(asked.append)
    page.store.select(["mood"])
    qtbot.keyClick(page.attributes.view, key)
    assert len(asked) == 1


def test_that_a_click_on_a_kind_offers_the_kinds_and_one_on_a_name_does_not(page, qtbot):
    asked = []
    page.attributes.kind_requested.disconnect(page.show_kinds)
    page.attributes.kind_requested.connect(asked.append)
    click(page, qtbot, "mood")
    assert asked == []
    click(page, qtbot, "mood", Field.KIND)
    assert len(asked) == 1


def test_that_two_thousand_attributes_are_selected_and_changed_together(page, wait_idle):
    page.store.open(classic_study(wide_table(), "wide"))
    wait_idle()
    names = page.store.study.original.names
    page.store.select(names)
    page.edits.make(edits.set_kind(names, Kind.NOMINAL))
    wait_idle()
    assert {a.kind for a in page.store.study.original.attributes} == {Kind.NOMINAL}
    assert page.store.undo_stack.count() == 1


def test_that_the_reason_of_a_doubt_is_short_and_amber(page, tmp_path):
    from ppworkbench.core.data.files import read_table

    path = tmp_path / "records.csv"
    path.write_text("id,visits\n" + "\n".join(f"{i},{i % 5}" for i in range(1, 40)))
    page.store.open(classic_study(read_table(path), "records"))
    model = page.attributes.model
    assert cell(model, "id", Field.REASON).data() == "identifier?"
    assert icon(model, "id", Field.REASON) == "warning"
    assert cell(model, "visits", Field.REASON).data() == "few distinct numbers"
