"""What every registered estimator promises."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import ppworkbench.core.reconstruct as package
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import Additive, Identity, Uniform
from ppworkbench.core.progress import Cancelled
from ppworkbench.core.reconstruct import (
    Estimator,
    count_column,
    estimators,
    reconstruct_counts,
    stop_rule,
)
from ppworkbench.core.reconstruct.channel import NUMBERS, VALUES
from ppworkbench.core.rng import SeededStreams

COLOUR = Attribute("colour", Kind.NOMINAL, tuple("abcd"))
AGE = Attribute("age", Kind.INTEGER, domain=(0, 30))


def values_channel():
    keep = Uniform(keep=0.7)
    codes = np.repeat(np.arange(4), [400, 300, 200, 100])
    told = keep.distort(codes, COLOUR, SeededStreams(1).stream("colour"))
    return count_column(Column(COLOUR, told), COLOUR, keep)


def numbers_channel():
    noise = Additive(noise="uniform", half_width=3)
    ages = np.random.default_rng(2).binomial(30, 0.4, 1000).astype(float)
    told = noise.distort(ages, AGE, SeededStreams(1).stream("age"))
    return count_column(Column(AGE, told), AGE, noise)


def channels_of(name):
    served = estimators[name].serves
    square = name == "eq"
    found = [values_channel()] if VALUES in served else []
    return [*found, numbers_channel()] if NUMBERS in served and not square else found


every = pytest.mark.parametrize("name", estimators.names)


@every
def test_that_defaults_give_a_distribution(name):
    for counted in channels_of(name):
        found = estimators[name]().fit(counted)
        assert found.probability.shape == (counted.k,)
        assert found.probability.min() >= 0
        assert found.probability.sum() == pytest.approx(1, abs=1e-12)


@every
def test_that_progress_rises_to_the_end(name):
    for counted in channels_of(name):
        seen = []
        estimators[name]().fit(
            counted, progress=lambda done, message="", seen=seen: seen.append(done)
        )
        assert seen == sorted(seen)
        assert seen[-1] == 1


@every
def test_that_a_stop_cancels_the_work(name):
    def stop(done, message=""):
        raise Cancelled

    for counted in channels_of(name):
        with pytest.raises(Cancelled):
            estimators[name]().fit(counted, progress=stop)


@every
@pytest.mark.parametrize("attribute", [COLOUR, AGE], ids=["values", "numbers"])
def test_that_undistorted_answers_are_given_back(name, attribute):
    data = np.array([0, 1, 1, 3, 3, 3, 3, 3])
    counted = count_column(Column(attribute, data), attribute, Identity())
    if counted.cells not in estimators[name].serves:
        return
    found = estimators[name]().fit(counted)
    np.testing.assert_allclose(found.probability, counted.counts / 8, atol=1e-9)
    whole = reconstruct_counts(counted, name)
    assert np.array_equal(whole.probability, counted.counts / 8)


@every
def test_that_the_same_seed_gives_the_same_result(name):
    for counted in channels_of(name):
        first, again = (reconstruct_counts(counted, name, seed=5) for _ in range(2))
        assert np.array_equal(first.probability, again.probability)
        assert np.array_equal(first.high, again.high)


@every
def test_that_the_last_of_the_trace_is_the_result(name):
    for counted in channels_of(name):
        found = estimators[name]().fit(counted)
        if found.trace is None:
            assert name == "eq"
            continue
        np.testing.assert_allclose(found.trace.estimates[-1], found.probability, atol=1e-12)
        assert len(found.trace.iterations) == len(found.trace.log_likelihood)
        np.testing.assert_allclose(found.trace.estimates.sum(axis=1), 1, atol=1e-9)


@pytest.mark.parametrize("name", [entry.name for entry in estimators if entry.item().iterates])
@pytest.mark.parametrize("stop", ["published", "converged", "auto", "7"])
def test_that_iterated_estimators_stop_by_every_rule(name, stop):
    for counted in channels_of(name):
        found = estimators[name]().fit(counted, stop_rule(stop))
        assert found.finished
        assert found.stop == stop_rule(stop)
        if stop == "7":
            assert found.iterations == 7


def test_that_names_agree_with_the_registry():
    for entry in estimators:
        assert issubclass(entry.item, Estimator)
        assert entry.item.name == entry.name
        if entry.item.counterpart:
            assert entry.item.counterpart in estimators


def test_that_every_file_of_an_estimator_is_imported():
    folder = Path(package.__file__).parent
    for file in folder.glob("*.py"):
        if "@estimators.register" in file.read_text(encoding="utf-8"):
            module = importlib.import_module(f"{package.__name__}.{file.stem}")
            names = {name for name in vars(module) if name in package.__all__}
            own = [
                n for n in names if getattr(vars(module)[n], "__module__", "") == module.__name__
            ]
            assert own, f"{file.name} is not imported by the package"
