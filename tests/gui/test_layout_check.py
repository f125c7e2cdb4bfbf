"""The checks of the window find what is wrong with windows that are wrong on purpose."""

from __future__ import annotations

import pytest
from layout_check.clipped import clipped_texts
from layout_check.named import nameless, unnamed
from layout_check.placed import misplaced
from layout_check.shortened import shortened_texts
from layout_check.tabbed import tab_walk, unreached
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ppworkbench.gui.widgets.card import ReadoutCard
from ppworkbench.gui.widgets.labels import ElidedLabel

LONG = "a sentence that does not fit into a narrow place"


@pytest.fixture
def shown(qtbot):
    """Put parts into a window of 300 by 200 and show it."""

    def show(*parts: QWidget, across: bool = False) -> QWidget:
        window = QWidget()
        qtbot.addWidget(window)
        layout = QHBoxLayout(window) if across else QVBoxLayout(window)
        for part in parts:
            layout.addWidget(part)
        layout.addStretch(1)
        window.setFixedSize(300, 200)
        window.show()
        return window

    return show


def kinds(faults) -> list[str]:
    return [fault.kind for fault in faults]


def narrow(widget: QWidget, width: int = 60) -> QWidget:
    widget.setFixedWidth(width)
    return widget


def test_that_nothing_is_said_of_a_window_in_which_all_is_well(shown):
    label, field = QLabel("Name"), QLineEdit()
    label.setBuddy(field)
    long = QLabel(LONG)
    long.setWordWrap(True)
    window = shown(label, field, QPushButton("Save"), QCheckBox("Remember"), long)
    assert not [*clipped_texts(window), *misplaced(window), *nameless(window)]
    assert not list(unreached(window, tab_walk(window)))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: QLabel(LONG), id="label"),
        pytest.param(lambda: QPushButton(LONG), id="button"),
        pytest.param(lambda: QCheckBox(LONG), id="tick box"),
        pytest.param(lambda: QRadioButton(LONG), id="radio button"),
        pytest.param(lambda: _combo(LONG), id="choice"),
        pytest.param(lambda: _spin(1_000_000_000), id="number"),
        pytest.param(lambda: _field(LONG), id="hint in a field"),
        pytest.param(lambda: _table(head=LONG), id="head of a table"),
        pytest.param(lambda: _table(cell=LONG), id="cell of a table"),
    ],
)
def test_that_a_text_wider_than_its_place_is_found(shown, make):
    window = shown(narrow(make(), 90))
    found = list(clipped_texts(window))
    assert "clipped" in kinds(found)
    worst = next(fault for fault in found if fault.kind == "clipped")
    assert worst.hint[0] > worst.size[0]
    assert worst.text[:9] in str(worst)


def test_that_lines_below_the_edge_of_a_label_are_found(shown):
    label = QLabel(LONG)
    label.setWordWrap(True)
    label.setFixedSize(90, 18)
    (found,) = clipped_texts(shown(label))
    assert found.hint[1] > 18


def test_that_a_word_wider_than_a_wrapping_label_is_found(shown):
    label = QLabel("an incomprehensibilities")
    label.setWordWrap(True)
    assert kinds(clipped_texts(shown(narrow(label, 70)))) == ["clipped"]


def test_that_a_shortened_text_is_fine_where_a_tooltip_tells_all_of_it(shown):
    label = QLabel(LONG)
    label.setToolTip(f"Here is {LONG}, and more")
    window = shown(narrow(label))
    assert not list(clipped_texts(window))
    label.setToolTip("something else")
    assert list(clipped_texts(window))


def test_that_a_shortened_heading_is_found_although_its_tooltip_tells_all_of_it(shown):
    label = ElidedLabel("strong", "a heading")
    window = shown(label)
    assert not list(shortened_texts(window))
    label.setText(LONG)
    narrow(label)
    QApplication.processEvents()
    (found,) = shortened_texts(window)
    assert (found.kind, found.text) == ("shortened heading", LONG)
    assert not list(clipped_texts(window))


def test_that_a_shortened_hint_is_no_heading(shown):
    assert not list(shortened_texts(shown(narrow(ElidedLabel("captionHint", LONG)))))


@pytest.mark.parametrize(
    ("label", "reading", "kinds_found"),
    [
        ("Epsilon", "two short words", []),
        (LONG, "two short words", ["shortened heading"]),
        ("Epsilon", f"{LONG}, and one more that is as long", ["shortened reading"]),
    ],
)
def test_that_what_a_readout_shortens_while_it_is_painted_is_found(
    shown, workbench, label, reading, kinds_found
):
    card = ReadoutCard(workbench.themes, "epsilon")
    card.say(label, "1.39", reading)
    window = shown(narrow(card, 160))
    assert kinds(shortened_texts(window)) == kinds_found


def test_that_widgets_on_top_of_each_other_are_found(shown):
    holder = QWidget()
    holder.setFixedSize(200, 60)
    for place in (0, 30):
        QPushButton("Save", holder).setGeometry(place, 0, 60, 30)
    window = shown(holder)
    assert kinds(misplaced(window)) == ["overlap"]
    assert not list(misplaced(window, floating=frozenset({"QPushButton"})))


def test_that_a_widget_outside_of_its_parent_is_found(shown):
    holder = QWidget()
    holder.setFixedSize(100, 60)
    QPushButton("Save", holder).setGeometry(70, 0, 60, 30)
    (found,) = misplaced(shown(holder))
    assert found.kind == "outside"
    assert "QPushButton" in found.path


def test_that_what_can_only_be_seen_by_scrolling_across_is_found(shown):
    area, inside = QScrollArea(), QWidget()
    inside.setFixedSize(600, 900)
    area.setWidget(inside)
    area.setObjectName("wide")
    window = shown(area)
    assert set(kinds(misplaced(window))) == {"scrolls across", "outside"}
    inside.setFixedSize(100, 900)
    assert not list(misplaced(window))


def test_that_controls_without_a_name_are_found(shown):
    field, button = QLineEdit(), QPushButton()
    window = shown(field, button)
    assert kinds(nameless(window)) == ["nameless", "nameless"]
    field.setAccessibleName("Name")
    button.setText("Save")
    assert not list(nameless(window))


def test_that_controls_without_a_name_for_scripts_are_found_and_hidden_ones_if_asked(shown):
    field = _field("")
    window = shown(field)
    assert len(unnamed(window)) == 1
    field.setObjectName("name")
    assert unnamed(window) == []
    field.hide()
    with pytest.raises(AssertionError, match="nothing to look at"):
        unnamed(window)
    field.setAccessibleName("")
    assert len(unnamed(window, hidden=True)) == 1


def test_that_a_control_that_tab_does_not_reach_is_found(shown):
    button = QPushButton("Save")
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    window = shown(_field(""), button)
    assert kinds(unreached(window, tab_walk(window))) == ["not reached by Tab"]
    button.setEnabled(False)
    assert not list(unreached(window, tab_walk(window)))


def test_that_a_control_that_keeps_the_focus_is_found(shown):
    table = _table(cell="one")
    table.setAccessibleName("Numbers")
    window = shown(_field(""), table, QPushButton("Save"))
    assert "keeps the focus" in kinds(unreached(window, tab_walk(window)))
    table.setTabKeyNavigation(False)
    assert not list(unreached(window, tab_walk(window)))
    assert [type(stop).__name__ for stop in tab_walk(window)] == [
        "QLineEdit", "QTableView", "QPushButton",
    ]  # fmt: skip


def _combo(words: str) -> QComboBox:
    box = QComboBox()
    box.addItem(words)
    return box


def _spin(value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(0, value)
    box.setValue(value)
    box.setSuffix(" people")
    return box


def _field(hint: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(hint)
    field.setAccessibleName("Name")
    return field


def _table(head: str = "", cell: str = "") -> QTableView:
    model = QStandardItemModel(2, 1)
    model.setHorizontalHeaderLabels([head])
    model.setItem(0, 0, QStandardItem(cell))
    table = QTableView()
    table.setModel(model)
    model.setParent(table)
    return table
