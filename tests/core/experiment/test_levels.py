"""What a level of distortion means for every mechanism."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Discretise,
    Identity,
    Multiplicative,
    Ordinal,
    Retention,
    SquareWave,
    Uniform,
)
from ppworkbench.core.design.group import Group
from ppworkbench.core.experiment import Experiment, Setting, Sweep, design_at

TOWN = Attribute("town", Kind.NOMINAL, ("a", "b", "c", "d"))
YES = Attribute("yes", Kind.BINARY, ("no", "yes"))
AGE = Attribute("age", Kind.INTEGER, domain=(0, 99))
PAY = Attribute("pay", Kind.CONTINUOUS, domain=(1, 9))


def scaled(attribute, perturbation, level, values="retain"):
    design = Design((DesignedAttribute(attribute, perturbation),))
    return design_at(design, level, values)[attribute.name].perturbation


@pytest.mark.parametrize(("level", "keep"), [(100, 0.5), (150, 0.4), (200, 1 / 3)])
def test_that_answers_are_kept_as_published_comparisons_are_read(level, keep):
    assert scaled(TOWN, Uniform(keep=0.9), level, "keep").keep == pytest.approx(keep)


def test_that_retained_answers_tell_less_at_every_higher_level():
    keeps = [scaled(YES, Uniform(keep=0.9), level).keep for level in (50, 100, 200, 1000)]
    assert keeps == sorted(keeps, reverse=True)
    assert keeps[-1] > 0.5
    assert scaled(TOWN, Ordinal(weights=(0.6, 0.2)), 100).keep == pytest.approx(0.625)


def test_that_noise_keeps_its_form_and_gets_the_level():
    for noise in ("uniform", "normal", "laplace"):
        found = scaled(PAY, Additive(noise=noise, range_privacy=20.0), 100)
        assert found == Additive(noise=noise, range_privacy=100.0)
        assert found.entropy_privacy(PAY) == pytest.approx(8.0)
    own = Additive(noise="uniform", half_width=3.0, integer="round")
    assert scaled(AGE, own, 50) == Additive(noise="uniform", integer="round", range_privacy=50.0)


def test_that_other_mechanisms_have_their_own_reading_of_a_level():
    assert scaled(PAY, Retention(keep=0.9), 100).keep == pytest.approx(0.5)
    assert scaled(PAY, Discretise(intervals=3), 20) == Discretise(range_privacy=20.0)
    assert scaled(PAY, Discretise(intervals=3), 200) == Discretise(range_privacy=100.0)
    found = scaled(PAY, Multiplicative(sigma=0.1), 30)
    assert found == Additive(noise="normal", range_privacy=30.0)
    single = Attribute("one", Kind.CONTINUOUS, domain=(5, 5))
    assert scaled(single, Additive(noise="uniform", half_width=1.0), 50) == Identity()


def test_that_level_zero_is_no_distortion():
    for attribute, given in ((TOWN, Uniform(keep=0.3)), (PAY, Retention(keep=0.2))):
        assert scaled(attribute, given, 0) == Identity()


def test_that_the_class_and_what_is_not_distorted_stay_as_they_are():
    design = Design(
        (
            DesignedAttribute(TOWN, Identity()),
            DesignedAttribute(PAY, Additive(noise="normal", range_privacy=20.0)),
            DesignedAttribute(YES, Uniform(keep=0.9)),
        ),
        "yes",
    )
    found = design_at(design, 100)
    assert found["town"].perturbation == Identity()
    assert found["pay"].perturbation.range_privacy == 100
    assert found["yes"].perturbation == Uniform(keep=0.9)


def test_that_a_design_that_distorts_nothing_is_scaled_as_a_whole():
    design = Design(tuple(DesignedAttribute(a, Identity()) for a in (TOWN, PAY, YES)), "yes")
    found = design_at(design, 100)
    assert found["town"].perturbation.keep == pytest.approx(0.625)
    assert found["pay"].perturbation == Additive(noise="uniform", range_privacy=100.0)
    assert found["yes"].perturbation == Identity()


def test_that_groups_keep_their_coin_with_another_bias():
    both = tuple(DesignedAttribute(a, Identity()) for a in (TOWN, YES))
    unrelated = Design(both, None, (Group(("town", "yes"), "unrelated", 0.9),))
    assert design_at(unrelated, 100).groups[0].theta == pytest.approx(0.5)
    related = dataclasses.replace(unrelated, groups=(Group(("yes",), "related", 0.9),))
    assert design_at(related, 100).groups[0].theta == pytest.approx(0.75)
    assert design_at(related, 100)["town"].perturbation == Identity()


def test_that_the_levels_of_a_sweep_are_sorted_and_each_once():
    assert Sweep(levels=(100, 0, 50, 100)).levels == (0.0, 50.0, 100.0)
    np.testing.assert_array_equal(Sweep().levels, ())


def test_that_a_sweep_says_which_mechanisms_it_does_not_keep():
    records = Table((Column(YES, np.arange(40) % 2), Column(AGE, np.arange(40.0))))
    designed = (DesignedAttribute(YES, Identity()), DesignedAttribute(AGE, SquareWave(epsilon=1.0)))
    design = Design(designed, class_name="yes")
    settings = (Setting.of("naive-bayes"),)
    swept = Experiment.of(records, design, settings, sweep=Sweep(levels=(50.0, 100.0)))
    (note,) = swept.notes
    assert str(note).startswith("age: its mechanism has no range privacy, so at every level normal")
    assert Experiment.of(records, design, settings).notes == ()
