"""Every mechanism under extreme parameters: refused in a sentence, or right."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column, Table
from ppworkbench.core.design import Additive, Design, DesignedAttribute, perturbations
from ppworkbench.core.design.design_file import FORMAT, design_from_json, design_to_json
from ppworkbench.core.design.distort import distort
from ppworkbench.core.design.matrices import Geometric, MatrixPerturbation
from ppworkbench.core.design.noises import NoisePerturbation
from ppworkbench.core.design.starting import starting_design
from ppworkbench.core.errors import DesignError, WorkbenchError
from ppworkbench.core.params import Declaration, declarations
from ppworkbench.core.reconstruct.grid import make_grid
from ppworkbench.core.rng import SeededStreams

pytestmark = pytest.mark.thorough

EXTREMES = [
    *(0.0, -0.0, 5e-324, 1e-320, 1e-300, 1e-100, 1e-50, 1e-16, 1e-9, 0.01, 0.5, 1.0, 1 - 1e-16),
    *(1.5, 2.0, 30.0, 100.0, 1e3, 1e6, 1e9, 1e15, 1e17, 1e50, 1e99, 1e100, 1e154, 1e300, 1e308),
    1.7976931348623157e308,
]
NUMBERS = st.sampled_from(EXTREMES) | st.floats(allow_nan=False, allow_infinity=False)
POSSIBLE = st.sampled_from([number for number in EXTREMES if 0 < number < 1e120])
WHOLE = st.sampled_from([-1, 0, 1, 2, 7, 1000, 10_000, 10**9, 2**53, 2**63, 10**400])

TOGETHER = {
    "additive": [
        {"noise": "uniform", "half_width": POSSIBLE},
        {"noise": "normal", "sigma": POSSIBLE},
        {"noise": "laplace", "scale": POSSIBLE},
        {"noise": st.sampled_from(["uniform", "normal", "laplace"]), "range_privacy": POSSIBLE},
    ],
    "multiplicative": [{"sigma": POSSIBLE}, {"range_privacy": POSSIBLE}],
    "discretise": [{"intervals": WHOLE}, {"range_privacy": POSSIBLE}],
    "ordinal": [{"weights": st.lists(POSSIBLE, min_size=1, max_size=3).map(tuple)}],
    "retention": [{"replacing": st.lists(POSSIBLE, min_size=1, max_size=3).map(tuple)}],
}
"""Parameters of mechanisms that are refused unless they go together."""


def _values(declaration: Declaration) -> st.SearchStrategy[Any]:
    if declaration.choices is not None:
        one: st.SearchStrategy[Any] = st.sampled_from(declaration.choices)
    elif declaration.type is bool:
        one = st.booleans()
    else:
        one = WHOLE if declaration.type is int else NUMBERS
    for _ in range(declaration.depth):
        one = st.lists(one, min_size=1, max_size=4).map(tuple)
    return one


@st.composite
def attributes(draw: st.DrawFn, kinds: frozenset[Kind]) -> Attribute:
    kind = draw(st.sampled_from(sorted(kinds)))
    if kind.is_categorical:
        k = 2 if kind is Kind.BINARY else draw(st.integers(1, 9))
        return Attribute("x", kind, tuple(f"v{i}" for i in range(k)))
    ends = st.sampled_from([0.0, 1.0, 2.0, 17.0, 1e3, 1e6, 1e15, 1e50, 1e100, 1e-9, 1e-300])
    low, high = sorted([draw(ends) * draw(st.sampled_from([1, -1])), draw(ends)])
    if kind is Kind.INTEGER:
        low, high = math.floor(low), math.ceil(high)
    return Attribute("x", kind, domain=(low, high))


@pytest.mark.parametrize("name", [entry.name for entry in perturbations])
@given(data=st.data())
@examples(1.5)
def test_that_extreme_parameters_are_refused_or_give_a_channel_and_answers(name, data):
    # What vanishes beside other numbers is rightly rounded to 0, without a warning.
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        _assert_refused_or_valid(name, data)


def _assert_refused_or_valid(name: str, data: st.DataObject) -> None:
    cls = perturbations[name]
    chosen = {}
    others = st.integers(0, 3).map(lambda die: die == 0)
    for declared in declarations(cls):
        if declared.required or data.draw(others, label=f"set {declared.name}"):
            chosen[declared.name] = data.draw(_values(declared), label=declared.name)
    if name in TOGETHER and data.draw(st.booleans(), label="together"):
        fitting = st.sampled_from(TOGETHER[name]).flatmap(
            lambda given: st.fixed_dictionaries(
                {key: st.just(v) if isinstance(v, str) else v for key, v in given.items()}
            )
        )
        chosen |= data.draw(fitting, label="parameters")
    attribute = data.draw(attributes(cls.kinds), label="attribute")
    try:
        perturbation = cls(**chosen)
        design = Design((DesignedAttribute(attribute, perturbation),))
    except WorkbenchError:
        return
    assert design_from_json(design_to_json(design)) == design
    if attribute.domain is None:
        answers = np.arange(attribute.k)
    else:
        low, high = attribute.domain
        answers = np.array([low, low, (low + high) / 2, high, np.nan])
        answers = np.rint(answers) if attribute.kind is Kind.INTEGER else answers
    table = Table((Column(attribute, answers),))
    distorted = distort(table, design, SeededStreams(1))["x"]
    if distorted.is_set:
        naming = perturbation.naming(attribute.k)
        assert 0 < naming.h < naming.g < 1
        assert np.array_equal(distorted.missing, table["x"].missing)
    elif distorted.is_categorical:
        assert np.all(distorted.data < distorted.attribute.k)
        assert np.array_equal(distorted.data < 0, table["x"].missing)
    else:
        assert np.array_equal(np.isfinite(distorted.data), ~table["x"].missing)
        assert isinstance(perturbation, NoisePerturbation) or name == "none"
    if isinstance(perturbation, NoisePerturbation):
        _check_noise(perturbation, attribute, distorted.data[~table["x"].missing])
    if isinstance(perturbation, MatrixPerturbation):
        _check_channel(perturbation.matrix(attribute.k), 1e-9)


def _check_noise(noise: NoisePerturbation, attribute: Attribute, drawn: np.ndarray) -> None:
    low, high = noise.support(attribute)
    assert math.isfinite(low)
    assert math.isfinite(high)
    if drawn.dtype.kind == "f":
        slack = 1e-6 * (high - low) + 2 * (getattr(noise, "grid", None) or 0)
        slack += 1e-9 * max(abs(low), abs(high)) + (attribute.kind is Kind.INTEGER)
        assert np.all((drawn >= low - slack) & (drawn <= high + slack))
    if noise.why_only_mean(attribute):
        edges = np.array([low - 1, (low + high) / 2, high + 1])
        _check_channel(noise.channel(np.array(attribute.domain), edges, attribute), 1e-5)
    else:
        _check_channel(make_grid(attribute, noise, 8).matrix(), 1e-5)
    for told in (noise.epsilon_of(attribute), noise.entropy_privacy(attribute)):
        assert told is None or told >= 0
    width = noise.interval_width(0.95, attribute)
    assert width is None or math.isfinite(width)
    unbiased = noise.unbiased(np.array([low, high]), attribute)
    assert unbiased is None or np.all(np.isfinite(unbiased))
    assert noise.summary()


def _check_channel(channel: np.ndarray, tolerance: float) -> None:
    assert np.all(np.isfinite(channel))
    assert np.all(channel >= 0)
    assert np.abs(channel.sum(axis=0) - 1).max() <= tolerance


AGE = Attribute("x", Kind.INTEGER, domain=(0, 100))
HEIGHT = Attribute("x", Kind.CONTINUOUS, domain=(1, 2))
MOOD = Attribute("x", Kind.ORDINAL, ("bad", "fair", "good"))


@pytest.mark.parametrize(
    ("name", "given", "attribute", "words"),
    [
        (
            "ordinal",
            {"weights": (1e308, 1e308)},
            MOOD,
            r"Weight 1 is 1e\+308; it must be 0 or lie between 1e-12 and 1e\+12\.",
        ),
        ("ordinal", {"weights": (1.0, 1e13)}, MOOD, r"Weight 2 is 1e\+13; it must be 0 or lie"),
        ("ordinal", {"weights": (1.0, 1e-13)}, MOOD, "Weight 2 is 1e-13; it must be 0 or lie"),
        (
            "retention",
            {"replacing": (1e308, 1e308)},
            AGE,
            r"Replacement weight 1 is 1e\+308; it must",
        ),
        ("additive", {"noise": "normal", "sigma": 1e308}, AGE, "Sigma is .* it is too large"),
        ("additive", {"noise": "normal", "sigma": 10**400}, AGE, "it is too large"),
        (
            "additive",
            {"noise": "normal", "sigma": 1e30},
            AGE,
            r"^Attribute 'x': Sigma is 1e\+30; it must lie between 1e-07 and 1e\+11\.$",
        ),
        (
            "additive",
            {"half_width": 1e-200},
            HEIGHT,
            r"^Attribute 'x': Half-width is 1e-200; it must lie between 1e-09 and 1e\+09\.$",
        ),
        (
            "additive",
            {"half_width": 1.0, "grid": 50.0},
            HEIGHT,
            r"^Attribute 'x': Grid is 50; it must lie between 9\.09495e-13 and 1\.$",
        ),
        ("retention", {"grid": 1e-13}, HEIGHT, "Grid is 1e-13; it must lie between 9.09495e-13"),
        ("square_wave", {"grid": 1e-7}, HEIGHT, "there must be 1 to 1,000,000"),
        ("subset", {"size": 3}, MOOD, "a set of 3 of 3 answers says nothing"),
        ("discretise", {"edges": (-2e15, 2e15)}, HEIGHT, "must lie between"),
        ("multiplicative", {"sigma": 40.0}, HEIGHT, "must be at most 10"),
        ("discretise", {"range_privacy": 1e-300}, HEIGHT, "must lie between 0.01 and 100"),
        ("discretise", {"edges": (-1e308, 1e308)}, HEIGHT, "it is too large"),
        ("custom", {"rows": ((1e308, 1e308), (1e308, 1e308))}, MOOD, "sums to inf|too large"),
    ],
)
def test_that_a_parameter_that_would_overflow_is_named(name, given, attribute, words):
    with pytest.raises(WorkbenchError, match=words):
        Design((DesignedAttribute(attribute, perturbations[name](**given)),))


NUMBER_TYPES = [entry.name for entry in perturbations if Kind.CONTINUOUS in entry.item.kinds]
REFUSED_DOMAINS = {
    (
        0,
        2e15,
    ): r"^Attribute 'x': the domain \[0, 2e\+15\] goes too far for random numbers; its ends "
    r"must lie between -1e\+15 and 1e\+15\.$",
    (
        1e12,
        1e12 + 100,
    ): r"^Attribute 'x': the domain \[1000000000000, 1000000000100\] is too narrow "
    r"for random numbers; its ends must lie at least 1e\+03 apart\.$",
    (7, 7): "^Attribute 'x' has a domain of a single value; nothing can hide it",
}


@pytest.mark.parametrize("domain", REFUSED_DOMAINS)
@pytest.mark.parametrize("name", [name for name in NUMBER_TYPES if name != "none"])
def test_that_no_mechanism_takes_a_domain_without_digits_for_it(name, domain):
    attribute = Attribute("x", Kind.CONTINUOUS, domain=domain)
    cls = perturbations[name]
    if name == "additive" and domain[0] == domain[1]:
        DesignedAttribute(attribute, cls(noise="normal", sigma=1.0))
        return
    if domain[0] > 0 or name != "multiplicative":
        # The window does not offer what a design cannot have.
        assert cls.why_not(attribute)
    started = cls.start(HEIGHT)
    with pytest.raises(DesignError, match=REFUSED_DOMAINS[domain]) as caught:
        Design((DesignedAttribute(attribute, started),))
    assert caught.value.field == "domain"


@pytest.mark.parametrize("domain", REFUSED_DOMAINS)
def test_that_data_with_such_a_domain_are_published_as_they_are_to_begin_with(domain):
    attribute = Attribute("x", Kind.CONTINUOUS, domain=domain)
    table = Table((Column(attribute, np.array(domain)),))
    design = starting_design(table)
    if domain[0] == domain[1]:
        assert not design["x"].perturbation.is_identity
        return
    assert design["x"].perturbation.is_identity
    assert np.array_equal(distort(table, design, SeededStreams(1))["x"].data, table["x"].data)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_that_the_widest_and_the_narrowest_noise_have_a_grid_that_is_allowed(scale):
    for width in (0.07, 1.0, 36.0):
        attribute = Attribute("x", Kind.CONTINUOUS, domain=(0, width))
        noise = Additive(noise="normal", sigma=scale * width)
        allowed = DesignedAttribute(attribute, noise.on_grid(attribute)).perturbation
        assert width / 2**40 <= allowed.published_step <= width


@pytest.mark.parametrize(
    ("attribute", "perturbation", "sentence"),
    [
        (
            {"kind": "integer", "domain": [0, 100]},
            {"type": "square_wave", "epsilon": 0},
            "Attribute 'age': epsilon is 0; it must be at least 0.001 (smaller is more private).",
        ),
        (
            {"kind": "integer", "domain": [0, 100]},
            {"type": "hybrid", "epsilon": 1e300},
            "Attribute 'age': epsilon is 1e+300; it is too large.",
        ),
        (
            {"kind": "integer", "domain": [0, 100]},
            {"type": "laplace", "epsilon": 25},
            "Attribute 'age': epsilon is 25; it must be at most 20 (smaller is more private).",
        ),
        (
            {"kind": "ordinal", "values": ["bad", "fair", "good"]},
            {"type": "ordinal", "weights": [1e308, 1]},
            "Attribute 'age': Weight 1 is 1e+308; it must be 0 or lie between 1e-12 and 1e+12.",
        ),
        (
            {"kind": "nominal", "values": list("abcd")},
            {"type": "subset", "epsilon": 1, "size": 0},
            "Attribute 'age': Set size is 0; it must lie between 1 and 999.",
        ),
    ],
)
def test_that_a_design_file_is_refused_in_the_words_of_the_window(
    attribute, perturbation, sentence
):
    given = {**attribute, "perturbation": perturbation}
    with pytest.raises(DesignError) as caught:
        design_from_json({"format": FORMAT, "version": 2, "attributes": {"age": given}})
    assert caught.value.message == sentence
    assert caught.value.attribute == "age"


def test_that_a_ring_remembers_what_happened_at_its_ends():
    design = Design((DesignedAttribute(MOOD, Geometric(loop=True, ends="normalise")),))
    assert design_from_json(design_to_json(design)) == design


@dataclass(frozen=True)
class _Broken(MatrixPerturbation):
    cell: float = 1.0

    def build(self, k: int) -> np.ndarray:
        return np.full((k, k), self.cell)

    def summary(self) -> str:
        return "broken"


@pytest.mark.parametrize("cell", [0.0, -0.5, math.nan, math.inf])
def test_that_a_column_without_a_finite_positive_sum_never_becomes_a_matrix(cell):
    broken = _Broken()
    object.__setattr__(broken, "cell", cell)
    with pytest.raises(DesignError, match="transition matrix"):
        broken.matrix(2)
