"""Where no device is exact, the nearest ones are offered with the design that they make."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kits import designed, every_procedure, number, question

from ppworkbench.core.design import Additive, Binary, Design, Forced, Ordinal, Related, Uniform
from ppworkbench.core.design.presets import Kuk
from ppworkbench.core.design.procedures import find_procedure
from ppworkbench.core.privacy.spending import epsilon_of
from ppworkbench.fieldwork.kit.nearest import nearest_devices

MOOD = question("mood", ("bad", "fair", "good"))


@pytest.mark.parametrize(
    ("asked", "perturbation"),
    [
        (question("drug"), Forced(p_truth=0.7143, forced=(0.37, 0.63))),
        (question("drug"), Related(theta=0.7311)),
        (question("drug"), Binary(keep_one=0.7311, keep_zero=0.8)),
        (question("drug"), Kuk(red_yes=0.813, red_no=0.21).perturbation(("no", "yes"))),
        (MOOD, Uniform(keep=0.61)),
        (MOOD, Forced(p_truth=0.43, forced=(0.21, 0.3, 0.49))),
    ],
)
def test_that_offers_are_near_and_can_be_carried_out(asked, perturbation):
    design = Design((designed(asked, perturbation),))
    offers = nearest_devices(design, asked.name)
    assert 1 <= len(offers) <= 3
    assert [one.difference for one in offers] == sorted(one.difference for one in offers)
    assert offers[0].difference < 0.05
    wanted = perturbation.matrix(len(asked.answers))
    for one in offers:
        found = find_procedure(one.design, asked.name)
        assert found.device == one.device
        assert one.design[asked.name].device == one.device
        assert abs(np.abs(found.matrix() - wanted).max() - one.difference) < 1e-9
        assert one.epsilon == epsilon_of(one.design, asked.name)
        assert one.respondents > 0


def test_that_there_are_three_for_a_share_that_no_device_has():
    design = Design((designed(question("drug"), Related(theta=0.7311)),))
    offers = nearest_devices(design, "drug")
    assert len({one.label for one in offers}) == 3
    assert all(not one.device.kind.is_natural for one in offers)


def test_that_slips_spread_about_as_much_as_the_noise():
    design = Design((designed(number("age"), Additive(noise="normal", sigma=3.0)),))
    offers = nearest_devices(design, "age")
    assert [find_procedure(one.design, "age").reach for one in offers] == [5, 4, 6]
    assert all(math.isnan(one.respondents) for one in offers)
    wide = Design((designed(number("age"), Additive(half_width=40)),))
    assert find_procedure(nearest_devices(wide, "age")[0].design, "age").reach == 10


def test_that_nothing_is_offered_where_a_card_cannot_help():
    design = Design((designed(MOOD, Ordinal(weights=(0.7, 0.15))),))
    assert nearest_devices(design, "mood") == ()
    design, _ = every_procedure()
    assert nearest_devices(design, "first of two") == ()
    assert nearest_devices(design, "open") == ()
