"""The building blocks of the pages."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent
from PySide6.QtWidgets import QApplication

from ppworkbench.gui.widgets.banner import Banner
from ppworkbench.gui.widgets.empty_state import EmptyState
from ppworkbench.gui.widgets.icon_button import Button, IconButton, IconLabel
from ppworkbench.gui.widgets.readout_card import ReadoutCard
from ppworkbench.gui.widgets.segmented import Segmented
from ppworkbench.gui.widgets.slider_row import SliderRow
from ppworkbench.gui.widgets.switch import Switch

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def themes(workbench):
    return workbench.themes


@pytest.fixture
def show(qtbot):
    def show(widget, width=400):
        qtbot.addWidget(widget)
        widget.resize(width, max(widget.sizeHint().height(), 20))
        widget.show()
        return widget

    return show


def picture(widget) -> QImage:
    return widget.grab().toImage()


# Segmented


@pytest.fixture
def segmented(themes, show):
    return show(Segmented(themes, "View", [("a", "First"), ("b", "Second"), ("c", "Third")]))


def test_that_a_click_chooses_a_segment_once(segmented, qtbot):
    chosen = []
    segmented.chosen.connect(chosen.append)
    middle = segmented.rect().center()
    qtbot.mouseClick(segmented, LEFT, pos=middle)
    qtbot.mouseClick(segmented, LEFT, pos=middle)
    assert chosen == ["b"]
    assert segmented.current == "b"
    assert segmented.accessibleName() == "View"
    assert segmented.accessibleDescription() == "Second"


def test_that_showing_a_segment_is_not_choosing_it(segmented):
    segmented.chosen.connect(lambda _: pytest.fail("nobody chose"))
    before = picture(segmented)
    segmented.set_current("c")
    assert segmented.current == "c"
    assert picture(segmented) != before


def test_that_arrows_move_over_segments_that_can_be_chosen(segmented, qtbot):
    segmented.set_disabled({"b": "Needs numbers."})
    qtbot.keyClick(segmented, Qt.Key.Key_Right)
    assert segmented.current == "c"
    qtbot.keyClick(segmented, Qt.Key.Key_Right)
    assert segmented.current == "c"
    qtbot.keyClick(segmented, Qt.Key.Key_Left)
    assert segmented.current == "a"


def test_that_a_grey_segment_says_why_and_cannot_be_chosen(segmented, qtbot):
    segmented.set_disabled({"b": "Needs numbers."})
    middle = segmented.rect().center()
    qtbot.mouseClick(segmented, LEFT, pos=middle)
    assert segmented.current == "a"
    # Sent straight to the widget: a pointer that is moved on a busy machine arrives at any time.
    none = Qt.MouseButton.NoButton
    where = QPointF(middle)
    moved = QMouseEvent(
        QEvent.Type.MouseMove, where, segmented.mapToGlobal(where), none, none,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(segmented, moved)
    assert segmented.toolTip() == "Needs numbers."


def test_that_a_disabled_row_of_segments_ignores_everything(segmented):
    segmented.setEnabled(False)
    segmented.choose("b")
    assert segmented.current == "a"


# Switch


def test_that_a_switch_is_turned_by_click_and_space(themes, show, qtbot):
    switch = show(Switch(themes, "Loop effect"), 36)
    off = picture(switch)
    qtbot.mouseClick(switch, LEFT)
    assert switch.isChecked()
    assert picture(switch) != off
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert not switch.isChecked()
    assert switch.accessibleName() == "Loop effect"


# SliderRow


@pytest.fixture
def slider(show):
    return show(SliderRow("Keep", 0.0, 1.0, ends=("more private", "more accurate"), is_share=True))


@pytest.fixture
def moves(slider):
    seen = []
    slider.moved.connect(lambda value, gesture: seen.append((round(value, 4), gesture)))
    return seen


def type_into(qtbot, slider, words):
    slider.box.setFocus()
    slider.box.selectAll()
    qtbot.keyClicks(slider.box, words)
    qtbot.keyClick(slider.box, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("words", "value"),
    [("70 %", 0.7), ("70%", 0.7), ("0.7", 0.7), ("70", 0.7), ("12.5 %", 0.125), ("1", 1.0)],
)
def test_that_shares_are_typed_as_numbers_or_percentages(slider, moves, qtbot, words, value):
    slider.set_value(0.25)
    type_into(qtbot, slider, words)
    assert slider.value == pytest.approx(value)
    assert slider.slider.value() == pytest.approx(1_000 * value, abs=5)
    assert moves == [(value, "")]


@pytest.mark.parametrize("words", ["abc", "%", "-"])
def test_that_nonsense_leaves_the_number_as_it_was(slider, moves, qtbot, words):
    slider.set_value(0.25)
    type_into(qtbot, slider, words)
    assert slider.value == pytest.approx(0.25)
    assert moves == []


def test_that_slider_and_box_are_always_in_step(slider, moves):
    slider.slider.setValue(300)
    assert slider.box.value() == pytest.approx(0.3)
    slider.box.setValue(0.8)
    assert slider.slider.value() == 800
    assert [value for value, _ in moves] == [0.3, 0.8]


def test_that_showing_a_number_is_not_moving_it(slider, moves):
    slider.set_value(0.4)
    assert slider.slider.value() == 400
    assert slider.value == pytest.approx(0.4)
    assert moves == []


def test_that_a_drag_has_one_name_and_the_next_another(slider, moves):
    for positions in ((310, 320), (330, 340)):
        slider.slider.setSliderDown(True)
        for position in positions:
            slider.slider.setSliderPosition(position)
        slider.slider.setSliderDown(False)
    names = [gesture for _, gesture in moves]
    assert names[0] == names[1] != names[2] == names[3]
    assert all(names)


def test_that_a_number_does_not_jump_under_the_finger(slider):
    slider.slider.setSliderDown(True)
    slider.slider.setSliderPosition(333)
    slider.set_value(0.33)
    assert slider.slider.value() == 333
    slider.slider.setSliderDown(False)


def test_that_arrows_move_by_a_hundredth_and_pages_by_a_tenth(slider, qtbot):
    slider.set_value(0.5)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Right)
    assert slider.value == pytest.approx(0.51)
    qtbot.keyClick(slider.slider, Qt.Key.Key_PageUp)
    assert slider.value == pytest.approx(0.61)
    qtbot.keyClick(slider.slider, Qt.Key.Key_Home)
    assert slider.value == 0.0


def test_that_another_range_moves_the_handle_and_bounds_the_number(slider, moves):
    slider.set_value(0.5)
    slider.set_range(0.0, 2.0)
    assert slider.slider.value() == 250
    assert slider.value == pytest.approx(0.5)
    slider.set_range(0.0, 0.4)
    assert slider.value == pytest.approx(0.4)
    assert slider.slider.value() == 1_000
    assert moves == []


def test_that_a_logarithmic_slider_has_equal_ratios(show):
    row = show(SliderRow("n", 1, 10_000, decimals=0, logarithmic=True))
    row.slider.setValue(500)
    assert row.value == pytest.approx(100)
    row.set_value(1_000)
    assert row.slider.value() == 750


def test_that_slider_and_box_have_names(slider):
    slider.set_names("keep")
    assert slider.slider.objectName() == "keepSlider"
    assert slider.box.objectName() == "keepBox"
    assert slider.slider.accessibleName() == slider.box.accessibleName() == "Keep"


# ReadoutCard


@pytest.fixture
def card(themes, show):
    made = show(ReadoutCard(themes, "epsilon"), 180)
    made.say("Epsilon", "1.6", "any answer is at most 5 times as likely", "nats")
    return made


def test_that_a_card_reads_out_all_it_shows(card):
    card.set_change("−0.2", good=True)
    assert card.accessibleName() == "Epsilon: 1.6 nats"
    assert card.accessibleDescription() == "any answer is at most 5 times as likely −0.2"
    assert card.toolTip().startswith("any answer")


def test_that_a_card_keeps_its_size_whatever_it_says(card):
    before = card.sizeHint(), card.minimumSizeHint()
    card.say("Epsilon", "1,234,567.8", "a very long reading " * 20, "nats")
    card.set_change("+1,000,000")
    assert (card.sizeHint(), card.minimumSizeHint()) == before


def test_that_a_stale_card_keeps_its_number_but_dimmed(card):
    fresh = picture(card)
    card.set_stale(True)
    assert card.number == "1.6"
    assert card.state == "stale"
    assert picture(card) != fresh
    card.set_stale(False)
    assert picture(card) == fresh


def test_that_a_measure_that_does_not_apply_says_why(card):
    card.set_change("+1")
    card.say_not_applicable("Range privacy", "only for numbers")
    assert card.number == "–"
    assert card.change == ""
    assert card.accessibleDescription() == "only for numbers"
    card.set_stale(True)
    assert card.state == "absent"


def test_that_help_opens_from_the_question_mark_enter_and_a_double_click(card, qtbot):
    asked = []
    card.help_requested.connect(asked.append)
    qtbot.mouseClick(card, LEFT, pos=QPoint(card.width() - 17, 16))
    qtbot.keyClick(card, Qt.Key.Key_Return)
    qtbot.mouseDClick(card, LEFT, pos=QPoint(20, 40))
    qtbot.mouseClick(card, LEFT, pos=QPoint(20, 40))
    assert asked == ["epsilon"] * 3


# Banner


@pytest.fixture
def banner(themes, qtbot):
    made = Banner(themes)
    qtbot.addWidget(made)
    return made


def test_that_a_banner_is_hidden_until_it_has_something_to_say(banner):
    assert not banner.isVisible()
    banner.say("warning", "This matrix cannot be undone.", "Use 0.60.")
    assert banner.isVisible()
    assert banner.kind == "warning"
    assert banner.accessibleDescription() == "This matrix cannot be undone. Use 0.60."
    assert not banner.button.isVisible()


def test_that_a_banner_shows_markup_as_text(banner):
    banner.say("error", "<script>alert(1)</script> & more")
    assert "<script>" not in banner.label.text()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in banner.label.text()


def test_that_a_banner_does_what_its_links_say(banner, qtbot):
    done = []
    banner.say(
        "info", "It can be restored.", "",
        ("Restore", lambda: done.append("restore")),
        ("Discard", lambda: done.append("discard")),
        closable=False,
    )  # fmt: skip
    assert banner.button.text() == "Restore"
    assert not banner.close_button.isVisible()
    qtbot.mouseClick(banner.other_button, LEFT)
    qtbot.mouseClick(banner.button, LEFT)
    assert done == ["discard", "restore"]
    banner.say("info", "Only information.")
    assert not banner.button.isVisible()
    assert not banner.other_button.isVisible()


def test_that_a_banner_closes_and_says_so(banner, qtbot):
    closed = []
    banner.closed.connect(lambda: closed.append(True))
    banner.say("info", "Hello.")
    qtbot.mouseClick(banner.close_button, LEFT)
    assert not banner.isVisible()
    assert closed == [True]


# Others


def test_that_an_empty_state_offers_what_to_do(themes, show, qtbot):
    state = show(EmptyState(themes, "design", "Nothing here", "Open a table.", "Go to Start"))
    clicked = []
    state.button.clicked.connect(lambda: clicked.append(True))
    qtbot.mouseClick(state.button, LEFT)
    assert clicked == [True]
    without = show(EmptyState(themes, "design", "Nothing here", "Open a table."))
    assert not without.button.isVisible()


def test_that_deleted_buttons_hear_of_no_theme(themes, qtbot, qapp):
    from PySide6.QtCore import QEvent

    made = [
        IconButton(themes, "undo", "Undo"),
        Button(themes, "Open", "open"),
        IconLabel(themes, "info"),
    ]
    for widget in made:
        widget.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    with qtbot.captureExceptions() as raised:
        themes.theme_changed.emit()
    assert raised == []


def test_that_icons_take_the_colour_of_the_theme(themes, show):
    button = show(IconButton(themes, "undo", "Undo"), 40)
    light = picture(button)
    themes.choose("dark")
    assert picture(button) != light
    assert button.accessibleName() == button.toolTip() == "Undo"
