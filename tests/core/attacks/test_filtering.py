"""Noise filtering: what correlation gives away, and what it does not."""

import numpy as np
import pytest
from attackable import design_of, people

from ppworkbench.core.attacks import filter_noise, filterable
from ppworkbench.core.attacks.filtering import ALONE, BAYES, SPECTRAL, noise_deviation
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive
from ppworkbench.core.design.distort import distort
from ppworkbench.core.errors import DataError, DesignError
from ppworkbench.core.progress import StoppableProgress
from ppworkbench.core.rng import SeededStreams


def normal_table(correlation, n=6000, seed=2):
    """Two normal numbers of variance 100 with that correlation."""
    dice = np.random.default_rng(seed)
    x = dice.multivariate_normal([0, 0], [[100, 100 * correlation], [100 * correlation, 100]], n)
    names = (Attribute(name, Kind.CONTINUOUS, domain=(-80.0, 80.0)) for name in ("a", "b"))
    return Table(tuple(Column(name, x[:, i]) for i, name in enumerate(names)))


def filtered(table, sigma, seed=5):
    design = design_of(table, **{n: Additive(noise="normal", sigma=sigma) for n in table.names})
    return filter_noise(table, distort(table, design, SeededStreams(seed)), design)


def test_that_bayes_reaches_the_error_of_its_formula():
    found = filtered(normal_table(0.9), 10.0)
    cov = 100 * np.array([[1, 0.9], [0.9, 1]])
    left = cov - cov @ np.linalg.inv(cov + 100 * np.eye(2)) @ cov
    expected = 1 - left[0, 0] / 100
    for one in found.attributes:
        assert abs(one.removed[BAYES].value - expected) < 4 * one.removed[BAYES].error + 0.01
        assert one.rmse[BAYES] == pytest.approx(np.sqrt(left[0, 0]), rel=0.05)


def test_that_the_published_error_is_the_stated_noise():
    for one in filtered(normal_table(0.5), 7.0).attributes:
        assert one.stated == 7.0
        assert one.published == pytest.approx(7.0, rel=4 / np.sqrt(2 * 6000))


def test_that_spectral_filtering_drops_a_direction_without_signal():
    found = filtered(normal_table(0.9999), 10.0)
    assert found.kept == 1
    # Half of the noise lies in the direction that is dropped.
    assert found.removed[SPECTRAL].value == pytest.approx(0.5, abs=0.03)


def test_that_independent_attributes_give_nothing_away_to_each_other():
    found = filtered(normal_table(0.0), 10.0)
    assert found.kept == 2
    assert found.removed[SPECTRAL].value == pytest.approx(0.0, abs=1e-9)
    assert found.removed[BAYES].value == pytest.approx(found.removed[ALONE].value, abs=0.005)


def test_that_close_attributes_give_away_more_than_one_alone(attacked):
    found = filter_noise(*attacked, ["pay", "spent"])
    assert found.removed[BAYES].value > found.removed[ALONE].value + 0.1
    assert found.records == 4000


def test_that_the_noise_of_whole_numbers_counts_its_steps(attacked):
    _, _, design = attacked
    assert noise_deviation(design, "age") == pytest.approx(np.sqrt(10.0))
    assert filterable(design) == ("age", "pay", "spent")


def test_that_one_attribute_is_not_enough():
    table = people(100)
    design = design_of(table, pay=Additive(noise="normal", sigma=5.0))
    with pytest.raises(DesignError, match="2 or more"):
        filter_noise(table, table, design)


def test_that_a_handful_of_records_is_refused(attacked):
    table, distorted, design = attacked
    few = slice(0, 10)
    with pytest.raises(DataError, match="Only 10 records"):
        filter_noise(table.take(few), distorted.take(few), design)


def test_that_progress_rises_to_the_end(attacked):
    seen = []
    filter_noise(*attacked, progress=StoppableProgress(lambda done, _: seen.append(done)))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
