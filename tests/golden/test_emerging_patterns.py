"""The worked examples of CAEP and DeEPs on Quinlan's 14 Saturday mornings.

The record is sunny, mild, high, true; the growth rate at least 1.1. The thesis (P. Andruszkiewicz,
2011, section 2.3) lists 2 patterns of P and 10 of N and scores of 0.33 and 2.88: it misses {mild,
true} for P and {true} for N, which an exhaustive search finds.
"""

from __future__ import annotations

import numpy as np
import pytest

from ppworkbench.core.classify import EagerPatterns, LazyPatterns
from ppworkbench.core.classify.inputs import original_codes
from ppworkbench.core.data.samples import load_sample
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.progress import silent

MORNING = {"outlook": "sunny", "temperature": "mild", "humidity": "high", "windy": "true"}


@pytest.fixture
def weather() -> Table:
    return load_sample("weather")


@pytest.fixture
def morning(weather: Table) -> Table:
    asked = (weather[name].attribute for name in MORNING)
    return Table(tuple(Column(a, np.array([a.values.index(MORNING[a.name])])) for a in asked))


@pytest.fixture
def caep(weather: Table) -> EagerPatterns:
    return EagerPatterns(min_support=0.01, growth=1.1, longest=4).fit(weather)


def test_that_the_morning_has_three_patterns_of_p_and_eleven_of_n(caep: EagerPatterns) -> None:
    held = {f"{name} = {value}" for name, value in MORNING.items()}
    inside = [p for p in caep.patterns() if set(p.items) <= held]
    assert sum(p.class_name == "P" for p in inside) == 3
    assert sum(p.class_name == "N" for p in inside) == 11
    of_p = {p.items for p in inside if p.class_name == "P"}
    assert ("temperature = mild", "windy = true") in of_p
    assert ("windy = true",) in {p.items for p in inside if p.class_name == "N"}


def test_that_caep_scores_the_morning_and_foretells_n(caep: EagerPatterns, morning: Table) -> None:
    held = caep.patterns_.items.held(original_codes(morning, caep.predictors_))
    scores = dict(zip(caep.classes_, caep.patterns_.scores(held)[0], strict=True))
    assert scores["P"] == pytest.approx(0.4620, abs=5e-5)
    assert scores["N"] == pytest.approx(3.3442, abs=5e-5)
    assert caep.predict(morning).tolist() == ["N"]


def test_that_supports_and_growth_rates_are_those_of_the_thesis(caep: EagerPatterns) -> None:
    found = {(p.class_name, p.items): p for p in caep.patterns()}
    sunny = found["N", ("outlook = sunny",)]
    assert sunny.support == pytest.approx(0.6)
    assert sunny.growth == pytest.approx(2.7)
    together = found["N", ("outlook = sunny", "humidity = high")]
    assert together.support == pytest.approx(0.6)
    assert together.growth == np.inf
    mild = found["P", ("temperature = mild",)]
    assert mild.support == pytest.approx(4 / 9)
    assert mild.growth == pytest.approx(10 / 9)


def test_that_deeps_scores_three_fifths_for_n_and_a_ninth_for_p(
    weather: Table, morning: Table
) -> None:
    deeps = LazyPatterns(min_support=0.0).fit(weather)
    scores = deeps.compact_scores(original_codes(morning, deeps.predictors_), silent)
    by_class = dict(zip(deeps.classes_, scores[0], strict=True))
    assert by_class == pytest.approx({"N": 3 / 5, "P": 1 / 9})
    assert deeps.predict(morning).tolist() == ["N"]
