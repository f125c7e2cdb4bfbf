"""Where the parts of the Design page stand, its lights, and drawn numbers."""

import pytest
from designing import select

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.gui.pages.design.attribute_list import LIGHT
from ppworkbench.gui.widgets.layout import reveal
from ppworkbench.study.study import PriorChoice

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


def test_that_lights_tell_what_meets_the_goals(page, qtbot, wait_idle):
    page.store.set_perturbation([NAME], Uniform(keep=0.8))
    page.store.set_perturbation(["car"], Identity())
    page.store.set_perturbation(["sex"], Uniform(keep=0.95))
    page.goal.points.setValue(3.0)
    met = ("check", "good", "meets all goals")
    # The whole questionnaire is assessed a moment after the last change.
    qtbot.waitUntil(lambda: light(page, NAME) == met, timeout=20_000)
    wait_idle()
    assert light(page, "car") == ("minus", "text3", "not randomised")
    assert light(page, "sex")[0] == "warning"
    assert light(page, "sex")[2].startswith("belief")
    page.goal.points.setValue(0.5)
    qtbot.waitUntil(lambda: light(page, NAME)[0] == "warning", timeout=20_000)
    assert light(page, NAME)[2].startswith("needs n =")
    page.list.view.grab()
    wait_idle()


@pytest.mark.parametrize("name", ["age", "income", NAME])
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
    from ppworkbench.study.analyses.design import drawn_slices

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
