"""A mechanism that is only registered can be chosen, set and explained on the Design page."""

import pytest
from designing import perturbation, select
from new_mechanisms import Dice, Shy, registered

from ppworkbench.core.data.attribute import Kind


@pytest.fixture(autouse=True)
def new_mechanisms():
    with registered():
        yield


def first_of(page, kind):
    return next(one.name for one in page.store.study.design if one.attribute.kind is kind)


def test_that_a_new_mechanism_of_values_has_a_segment_and_a_form(page):
    name = first_of(page, Kind.NOMINAL)
    select(page, name)
    keys = page.matrix.segments.keys
    assert keys.index("devices") < keys.index("shy") < keys.index("custom")
    page.matrix.segments.choose("shy")
    assert perturbation(page, name) == Shy()
    form = page.matrix.stack.currentWidget()
    form.findChild(type(page.matrix.panel("uniform").slider)).slider.setValue(300)
    assert perturbation(page, name) == Shy(keep=0.3)
    assert page.matrix.segments.current == "shy"


def test_that_a_new_noise_has_a_segment_and_a_form_where_it_fits(page):
    name = first_of(page, Kind.INTEGER)
    select(page, name)
    assert "dice" not in page.noise.segments.keys
    name = first_of(page, Kind.CONTINUOUS)
    select(page, name)
    page.noise.segments.choose("dice")
    assert perturbation(page, name) == Dice()
    assert page.noise.segments.current == "dice"
    assert page.noise.stack.currentWidget().declared is Dice
