"""No report tells true answers apart by more than the stated epsilon, whatever the mechanism.

All reports are enumerated from the channel that reports are drawn from, over the whole range of
every parameter that can be set. A mechanism that is added to the registry is held to it as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
from designs import ALL_CASES, attribute_of
from new_mechanisms import NEW

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Perturbation, Uniform, perturbations
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.errors import DesignError
from ppworkbench.core.privacy.spending import epsilon_of

ATTRIBUTES = (
    Attribute("answer", Kind.BINARY, ("no", "yes")),
    attribute_of(3),
    Attribute("job", Kind.NOMINAL, tuple("abcdef")),
    attribute_of(12),
    Attribute("rooms", Kind.INTEGER, domain=(1, 12)),
    Attribute("sign", Kind.INTEGER, domain=(-1, 1)),
    Attribute("size", Kind.CONTINUOUS, domain=(-0.4, 0.7)),
    Attribute("year", Kind.INTEGER, domain=(2_000_000_000, 2_000_000_007)),
)
MECHANISMS = (*(entry.item for entry in perturbations), *NEW)
CASES = [
    pytest.param(kind, attribute, id=f"{kind.type_name}-{attribute.name}{attribute.k or ''}")
    for kind in MECHANISMS
    for attribute in ATTRIBUTES
    if attribute.kind in kind.kinds and not kind.why_not(attribute)
]
SEEN = 1e-10
"""The digits of a double tell probabilities above it apart from one another."""


def variants(kind: type[Perturbation], attribute: Attribute) -> Iterator[Perturbation]:
    """The mechanism as it begins, and with each free parameter from one end to the other."""
    before = Uniform(keep=0.7).matrix(attribute.k) if attribute.kind.is_categorical else None
    first = kind.start(attribute, before)
    yield first
    for free in first.free_parameters(attribute):
        ends = free.position(free.truthful), free.position(free.private)
        for part in (0.0, 0.05, 0.4, 0.8, 1.0):
            yield free.put(free.value(ends[0] + part * (ends[1] - ends[0])))


def set_chances(perturbation: Perturbation, k: int) -> np.ndarray:
    """The probability of every set, one column for each true value."""
    naming = perturbation.naming(k)
    rows = []
    for named in itertools.product((False, True), repeat=k):
        if naming.size is None:
            each = np.where(np.eye(k, dtype=bool), naming.g, naming.h)
            rows.append(np.where(named, each, 1 - each).prod(axis=1))
        elif sum(named) == naming.size:
            others = math.comb(k - 1, naming.size - 1), math.comb(k - 1, naming.size)
            rows.append(np.where(named, naming.g / others[0], (1 - naming.g) / others[1]))
    return np.array(rows)


def number_chances(perturbation: Perturbation, attribute: Attribute) -> np.ndarray:
    """The probability of every number that can be published, one column for each true one."""
    edges = perturbation.numbers.interval_edges(attribute)
    low, high = attribute.domain
    step = 1.0 if attribute.kind is Kind.INTEGER else perturbation.published_step or 0.01
    true = np.linspace(low, high, min(round((high - low) / step), 40) + 1)
    if edges is not None:
        place = np.clip(np.searchsorted(edges, true, side="right") - 1, 0, len(edges) - 2)
        return np.eye(len(edges) - 1)[:, place]
    start, end = perturbation.support(attribute)
    # Of reports in their thousands some are taken together: they tell no more than each of them.
    ends = [math.floor(start / step), math.ceil(end / step)]
    inner = np.arange(math.floor(low / step) - 200, math.ceil(high / step) + 201)
    near = (ends[0] + np.arange(50), inner, ends[1] - np.arange(50))
    places = np.unique(np.clip(np.concatenate(near), *ends))
    borders = (np.append(places, ends[1] + 1) - 0.5) * step
    below = perturbation.conditional_cdf(borders[:, None], true[None, :], attribute)
    return np.diff(below, axis=0)


def exposed(perturbation: Perturbation, attribute: Attribute) -> float:
    """The largest logarithm of a ratio of two probabilities of one report that can be seen."""
    if perturbation.reports_sets:
        chances = set_chances(perturbation, attribute.k)
    elif perturbation.is_identity:
        return math.inf
    elif attribute.kind.is_categorical:
        chances = perturbation.matrix(attribute.k)
    else:
        chances = number_chances(perturbation, attribute)
    assert np.isfinite(chances).all()
    most, least = (np.maximum(one, SEEN) for one in (chances.max(axis=1), chances.min(axis=1)))
    return float(np.log(most / least).max())


@pytest.mark.parametrize(("kind", "attribute"), CASES)
def test_that_no_report_exposes_more_than_the_stated_epsilon(kind, attribute):
    checked = 0
    for given in variants(kind, attribute):
        try:
            design = publishable(Design((DesignedAttribute(attribute, given),)))
        except DesignError:
            continue  # refused with a sentence: nothing is drawn
        stated = epsilon_of(design, attribute.name)
        assert stated >= 0
        if math.isfinite(stated):
            found = exposed(design[attribute.name].perturbation, attribute)
            assert found <= stated + 1e-5, given
            # Where all of it can be seen, it is not overstated either.
            if stated < 8 and kind.file_version > 1:
                assert found >= stated - 1e-5, given
        checked += 1
    assert checked


def test_that_draws_are_compared_for_every_mechanism_of_the_registry():
    # What Python and the browser draw a million times is taken from these cases.
    assert {one.type_name for _, one in ALL_CASES} == set(perturbations.names)
