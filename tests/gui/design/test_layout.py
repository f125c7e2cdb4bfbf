"""Where the parts of the Design page stand, its lights, and drawn numbers."""

import pytest
from designing import select
from layout_check.clipped import clipped_texts
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Identity, Ordinal, Uniform
from ppworkbench.gui.pages.design.attribute_list import LIGHT
from ppworkbench.gui.widgets.labels import ElidedLabel
from ppworkbench.gui.widgets.layout import reveal
from ppworkbench.gui.widgets.number_fields import SliderRow
from ppworkbench.study.study import PriorChoice

pytestmark = pytest.mark.usefixtures("own_page")

NAME = "fare_evasion"


def light(page, name):
    model = page.list.model
    return model.index(model.names.index(name)).data(LIGHT)


def test_that_a_narrow_window_has_tabs_below_the_picture(page, qtbot):
    assert not page.panels.isVisible()
    assert page.editor.isVisible()
    assert page.readouts.isVisible()
    page.resize(1100, 700)
    qtbot.waitUntil(page.panels.isVisible)
    assert page.editor.isVisible()
    assert not page.readouts.isVisible()
    page.panels.tabs.choose("readouts")
    assert page.readouts.isVisible()
    assert not page.editor.isVisible()
    page.panels.tabs.choose("noncompliance")
    assert page.noncompliance.isVisible()
    page.resize(1290, 690)
    qtbot.waitUntil(lambda: not page.panels.isVisible())
    for part in (page.editor, page.readouts, page.noncompliance):
        assert part.isVisible()


@pytest.mark.slow
def test_that_lights_tell_what_meets_the_goals(page, qtbot, wait_idle):
    page.store.set_perturbation([NAME], Uniform(keep=0.8))
    page.store.set_perturbation(["car"], Identity())
    page.store.set_perturbation(["sex"], Uniform(keep=0.95))
    qtbot.waitUntil(lambda: (light(page, NAME) or [""] * 3)[2].endswith(" points"))
    assert light(page, NAME)[2].startswith("± ")
    # Nothing is amber before somebody wants something.
    assert {light(page, name)[1] for name in page.list.model.names} == {"text3"}
    page.store.set_goals({"belief": 0.6, "points": 3.0, "attack_success": 0.8, "epsilon": 2.0})
    met = ("check", "good", "meets all goals")
    # The whole questionnaire is assessed a moment after the last change.
    qtbot.waitUntil(lambda: light(page, NAME) == met)
    wait_idle()
    assert light(page, "car") == ("minus", "text3", "not randomised")
    assert light(page, "sex")[0] == "warning"
    assert light(page, "sex")[2].startswith("belief")
    page.goal.points.setValue(0.5)
    qtbot.waitUntil(lambda: light(page, NAME)[0] == "warning")
    assert light(page, NAME)[2].startswith("needs ")
    page.list.view.grab()
    wait_idle()


@pytest.mark.parametrize(
    "name", ["age", *(pytest.param(one, marks=pytest.mark.slow) for one in ("income", NAME))]
)
def test_that_drawing_from_uniform_changes_no_measure(page, name):
    select(page, name)
    page.views_card.choose("shares")
    page.preview.source.choose("uniform")
    before = [card.number for card in page.readouts.cards], page.words._plain()
    page.preview.source.choose("drawn")
    assert page.store.study.choice(name).source == "drawn"
    assert ([card.number for card in page.readouts.cards], page.words._plain()) == before


def test_that_few_whole_numbers_are_drawn_one_by_one(page):
    attribute = page.store.study.design["children"].attribute
    assert attribute.kind is Kind.INTEGER
    select(page, "children")
    page.views_card.choose("shares")
    page.preview.source.choose("drawn")
    values = int(attribute.width) + 1
    assert len(page.preview.bars.rows()) == values + 1
    assert len(page.store.study.choice("children").weights) == values
    select(page, "age")
    page.preview.source.choose("drawn")
    assert len(page.preview.bars.rows()) == 13


def test_that_what_was_drawn_keeps_its_shares(page):
    weights = tuple(float(i + 1) for i in range(12))
    page.store.set_choice("age", PriorChoice("drawn", weights))
    prior = page.store.study.prior("age")
    assert isinstance(prior.attribute, Attribute)
    from ppworkbench.analyses.designs.design import drawn_slices

    found = drawn_slices(prior, prior.attribute, 12)
    assert found == pytest.approx([one / sum(weights) for one in weights])


def test_that_what_somebody_speaks_of_is_brought_to_the_front(page):
    select(page, NAME)
    page.store.set_perturbation([NAME], Uniform(keep=0.8))
    assert not page.matrix.grid.isVisible()
    reveal(page.matrix.grid)
    assert page.matrix.grid.isVisible()
    reveal(page.preview.plot)
    assert page.preview.plot.isVisible()
    assert page.views_card.tabs.current == "shares"
    reveal(page.trade.chart)
    assert page.trade.chart.isVisible()


DESIGNS = {
    "district": Uniform(keep=0.6),
    "satisfaction_transport": Ordinal(weights=(0.7, 0.15), loop=True),
    NAME: Uniform(keep=0.5),
    "income": Additive(noise="normal", range_privacy=50),
    "age": Additive(noise="uniform", half_width=10, integer="staircase"),
}


def shortened(page):
    """Words in sight that are not there as a whole."""
    labels = [label for label in page.findChildren(ElidedLabel) if label.isVisible()]
    found = [label.words() for label in labels if label.text() != label.words()]
    cards = [card for card in page.readouts.cards if card.isVisible()]
    found += [
        f"{card.label}: {card.reading}"
        for card in cards
        if any(more > room for more, room in zip(card.needed_lines(), card.lines, strict=True))
    ]
    return [*found, *map(str, clipped_texts(page))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "size",
    [
        (1100, 700),
        pytest.param((1366, 768), marks=pytest.mark.slow),
        pytest.param((1920, 1080), marks=pytest.mark.slow),
    ],
)
def test_that_no_heading_or_reading_is_shortened(page, qtbot, wait_idle, size):
    # The rail and the bars of the window are no part of the page.
    page.resize(size[0] - 76, size[1] - 90)
    for name, perturbation in DESIGNS.items():
        select(page, name)
        page.store.set_perturbation([name], perturbation)
        for panel in ("editor", "readouts", "noncompliance") if page.panels.is_open else ("",):
            if panel:
                page.panels.tabs.choose(panel)
            qtbot.waitUntil(lambda: not shortened(page))
    wait_idle()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["satisfaction_transport", "income"])
def test_that_large_text_puts_sliders_where_their_names_have_room(page, qtbot, wait_idle, name):
    page.resize(1290, 678)
    select(page, name)
    page.store.set_perturbation([name], DESIGNS[name])

    def cut():
        rows = [row for row in page.findChildren(SliderRow) if row.isVisible()]
        assert rows
        return [row.label.words() for row in rows if row.label.text() != row.label.words()]

    for scale in (1.5, 2.0, 1.0):
        page.themes.zoom(scale)
        qtbot.waitUntil(lambda: not cut())
    wait_idle()


def test_that_long_names_take_two_lines_and_are_not_cut(page, qtbot):
    view, model = page.list.view, page.list.model
    delegate, width = view.itemDelegate(), view.viewport().width()
    for row, name in enumerate(model.names):
        index = model.index(row)
        assert index.data() == page.store.study.shown(name)
        lines = delegate.name_lines(index.data(), width)
        assert len(lines) <= 2
        assert not any(line.endswith("…") for line in lines)
        needs_more = view.visualRect(index).height() > view.visualRect(model.index(0)).height()
        assert needs_more == (len(lines) > 1)
        assert name in index.data(Qt.ItemDataRole.ToolTipRole)
    broken = delegate.name_lines("satisfaction_with_transport_and_roads", width)
    assert broken[0].endswith("_")
    assert len(delegate.name_lines("Unaussprechlichkeitsbefürchtung", width)) == 2


@pytest.mark.slow
def test_that_a_narrow_window_folds_the_list_to_icons_that_can_be_chosen(page, qtbot, wait_idle):
    page.resize(1100, 700)
    qtbot.waitUntil(lambda: page.list.is_folded)
    qtbot.waitUntil(lambda: page.list.width() <= 52)
    view, model = page.list.view, page.list.model
    assert not page.summary.isVisible()
    third = model.index(2)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(third).center()
    )
    assert page.store.current == model.names[2]
    assert page.store.study.shown(model.names[2]) in third.data(Qt.ItemDataRole.ToolTipRole)
    assert view.indexAt(QPoint(20, view.visualRect(third).center().y())).row() == 2
    view.grab()
    page.list.search_button.toggle()
    assert not page.list.is_folded
    QTest.keyClicks(page.list.filter, "satisf")
    QTest.keyClick(page.list.filter, Qt.Key.Key_Return)
    assert "satisf" in page.store.current
    page.list.search_button.toggle()
    assert page.list.is_folded
    page.resize(1366, 768)
    qtbot.waitUntil(lambda: not page.list.is_folded)
    qtbot.waitUntil(lambda: page.list.width() >= 180)
    assert page.summary.isVisible()
    wait_idle()
