"""What published numbers tell, checked against integrals and simulations done another way."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples import sweep
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Discretise,
    Identity,
    Multiplicative,
    NoisePerturbation,
    Perturbation,
    Retention,
)
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.attack import attack_success
from ppworkbench.core.privacy.entropy import noise_entropy_privacy
from ppworkbench.core.privacy.number_view import number_view
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.rng import SeededStreams

SALARY = Attribute("salary", Kind.CONTINUOUS, domain=(0, 100))
PRICE = Attribute("price", Kind.CONTINUOUS, domain=(10, 100))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 40))
INCOME = Attribute("income", Kind.INTEGER, domain=(1, 5000))
POINT = Attribute("point", Kind.CONTINUOUS, domain=(5, 5))
SKEWED = Prior.from_weights(SALARY, [1, 5, 3, 0, 2, 1, 0, 0])

EVERY_NOISE: list[tuple[Attribute, Perturbation]] = [
    *[
        (attribute, perturbation)
        for attribute in (SALARY, AGE, INCOME)
        for perturbation in (
            Identity(),
            Additive(noise="uniform", half_width=7),
            Additive(noise="normal", sigma=7, truncate=True),
            Additive(noise="uniform", half_width=2000, truncate=True),
            Additive(noise="laplace", scale=300),
            Additive(noise="normal", range_privacy=0.01),
            Retention(keep=0.0),
            Retention(keep=0.4, replacing=(1, 0, 2)),
            Retention(keep=1.0),
            Discretise(intervals=3),
        )
    ],
    (PRICE, Multiplicative(sigma=0.5)),
    (PRICE, Multiplicative(noise="truncated-normal", sigma=0.5)),
    (INCOME, Multiplicative(sigma=0.5)),
    (AGE, Multiplicative(sigma=0.1)),
    (POINT, Additive(noise="normal", sigma=2)),
    (POINT, Identity()),
]


@pytest.mark.parametrize(("attribute", "perturbation"), EVERY_NOISE)
def test_that_every_noise_gives_numbers_within_their_bounds(
    attribute: Attribute, perturbation: Perturbation
) -> None:
    weights = np.arange(7.0) ** 2 if attribute is not POINT else [1.0]
    for prior in (Prior.uniform(attribute), Prior.from_weights(attribute, weights)):
        view = number_view(attribute, perturbation, prior)
        assert view.seen.matrix.sum(axis=0) == pytest.approx(np.ones(prior.k))
        assert view.seen.prior.tolist() == prior.probabilities.tolist()
        report = assess_attribute((attribute, perturbation), prior)
        for reading in report.privacy:
            assert not math.isnan(reading.value)
            assert reading.value >= 0
            assert reading.sentence.endswith(".")
        assert 0 <= report.privacy["conditional_loss"].value <= 1
        guess = report.privacy["attack_success"].value
        assert report.privacy["prior_guess"].value <= guess <= 1


@pytest.mark.parametrize("attribute", [SALARY, AGE, INCOME])
def test_that_an_undistorted_number_is_always_hit_and_tells_all(attribute: Attribute) -> None:
    report = assess_attribute((attribute, Identity()))
    assert report.privacy["attack_success"].value == 1
    assert report.privacy["epsilon"].value == math.inf
    left = 0 if attribute.kind is Kind.CONTINUOUS else 1
    assert report.privacy["conditional"].value == pytest.approx(left)


@pytest.mark.parametrize("attribute", [SALARY, AGE, INCOME])
def test_that_a_number_that_is_always_replaced_tells_nothing(attribute: Attribute) -> None:
    prior = Prior.from_weights(attribute, [5, 1, 1, 2])
    report = assess_attribute((attribute, Retention(keep=0.0)), prior)
    assert report.privacy["conditional_loss"].value == pytest.approx(0, abs=1e-9)
    assert report.privacy["attack_success"].value == pytest.approx(5 / 9)
    assert report.privacy["epsilon"].value == 0


def _information_by_integration(
    noise: NoisePerturbation, attribute: Attribute, prior: Prior, points: int = 4000
) -> float:
    """I(X;Z) on a plain, very fine grid: the direct double sum over densities."""
    edges = prior.edges
    assert edges is not None
    x_edges = np.linspace(edges[0], edges[-1], 801)
    x = (x_edges[1:] + x_edges[:-1]) / 2
    cumulated = np.concatenate([[0.0], np.cumsum(prior.probabilities)])
    mass = np.diff(np.interp(x_edges, edges, cumulated))
    low, high = noise.support(attribute)
    z_edges = np.linspace(low, high, points + 1)
    given_x = np.diff(noise.conditional_cdf(z_edges[:, None], x[None, :], attribute), axis=0)
    z = given_x @ mass
    possible = z > 0
    given_x, z = given_x[possible], z[possible]
    terms = given_x * np.log2(np.where(given_x > 0, given_x, 1) / z[:, None])
    return float(np.where(given_x > 0, terms, 0).sum(axis=0) @ mass)


@pytest.mark.parametrize(
    ("attribute", "noise", "weights"),
    sweep(
        [
            (SALARY, Additive(noise="normal", sigma=10), [1]),
            (SALARY, Additive(noise="normal", sigma=40), [1, 5, 3, 0, 2, 1, 0, 0]),
            (SALARY, Additive(noise="uniform", half_width=20), [1, 5, 3, 0, 2, 1, 0, 0]),
            (SALARY, Additive(noise="uniform", half_width=200), [1]),
            (SALARY, Additive(noise="laplace", scale=15), [3, 1, 1, 3]),
            (SALARY, Additive(noise="normal", sigma=10, truncate=True), [1, 5, 3, 0, 2, 1, 0, 0]),
            (SALARY, Additive(noise="uniform", half_width=60, truncate=True), [1]),
            (PRICE, Multiplicative(noise="truncated-normal", sigma=0.3), [1]),
            (PRICE, Multiplicative(sigma=0.2), [1, 2, 1]),
        ],
        quick=3,
    ),
)
def test_that_information_agrees_with_direct_integration(
    attribute: Attribute, noise: NoisePerturbation, weights: list[float]
) -> None:
    prior = Prior.from_weights(attribute, weights)
    expected = _information_by_integration(noise, attribute, prior)
    found = number_view(attribute, noise, prior).information
    assert found == pytest.approx(expected, rel=0.01, abs=5e-4)


@pytest.mark.parametrize("sigma", [1e-4, 1e-2, 1.0])
def test_that_cells_do_not_hide_what_narrow_noise_tells(sigma: float) -> None:
    """Noise far narrower than a cell leaves its own width open, not the cell's."""
    report = assess_attribute((SALARY, Additive(noise="normal", sigma=sigma)), SKEWED)
    own = sigma * math.sqrt(2 * math.pi * math.e)
    assert report.privacy["conditional"].value == pytest.approx(own, rel=0.06 * sigma + 1e-3)


def test_that_wide_integers_agree_with_the_same_domain_in_single_numbers() -> None:
    noise = Additive(noise="normal", sigma=60)
    wide = Attribute("wide", Kind.INTEGER, domain=(1, 300))
    found = number_view(wide, noise, Prior.uniform(wide)).information
    x, z = np.arange(1, 301), np.arange(-500, 900)
    given_x = np.diff(
        noise.conditional_cdf(np.append(z, 900)[:, None] - 0.5, x[None, :], wide), axis=0
    )
    published = given_x.mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = given_x * np.log2(given_x / published[:, None])
    assert found == pytest.approx(np.nansum(terms) / 300, rel=0.01)


@given(st.integers(1, 12), st.sampled_from(["uniform", "normal"]))
def test_that_integers_are_exact(size: int, kind: str) -> None:
    scale = {"half_width": size} if kind == "uniform" else {"sigma": float(size)}
    noise = Additive(noise=kind, **scale)
    view = number_view(AGE, noise, Prior.uniform(AGE))
    stepped = noise.steps_of(AGE)
    assert stepped is not None
    steps, pmf = stepped.pmf()
    joint = np.zeros((23 + 2 * len(steps), 23))
    for column in range(23):
        joint[column + steps - steps[0], column] = pmf / 23
    expected = joint.max(axis=1).sum()
    assert attack_success(view.seen).success == pytest.approx(expected, abs=1e-9)
    known = math.log2(23) + _bits(joint.sum(axis=1)) - _bits(joint)
    assert view.information == pytest.approx(known, abs=1e-6)


def _bits(mass: np.ndarray) -> float:
    positive = mass[mass > 0]
    return float(-(positive * np.log2(positive)).sum())


def test_that_intervals_tell_exactly_their_own_entropy() -> None:
    edges = Discretise(edges=(0, 10, 33, 100))
    view = number_view(SALARY, edges, SKEWED)
    cumulated = np.concatenate([[0.0], np.cumsum(SKEWED.probabilities)])
    share = np.diff(np.interp([0, 10, 33, 100], SKEWED.edges, cumulated))
    assert view.information == pytest.approx(_bits(share))


def test_that_attack_success_is_what_a_simulated_attacker_reaches() -> None:
    noise = Additive(noise="normal", sigma=9)
    n = 40_000
    streams = SeededStreams(7)
    cell = np.searchsorted(np.cumsum(SKEWED.probabilities), streams.stream("cell").random(n))
    x = (cell + streams.stream("within").random(n)) * 12.5
    z = noise.distort(x, SALARY, streams.stream("noise"))
    edges = SKEWED.edges
    assert edges is not None
    density = noise.noise_of(SALARY)
    below = density.cdf(z[:, None] - edges[None, :])
    guess = np.argmax((below[:, :-1] - below[:, 1:]) * SKEWED.probabilities, axis=1)
    expected = attack_success(number_view(SALARY, noise, SKEWED).seen).success
    error = math.sqrt(expected * (1 - expected) / n)
    assert np.mean(guess == cell) == pytest.approx(expected, abs=5 * error)


def test_that_the_mean_logarithm_is_that_of_the_integral() -> None:
    noise = Multiplicative(sigma=0.4)
    edges = np.array([10.0, 25.0, 100.0])
    mass = np.array([0.3, 0.7])
    mean = 0.3 * integrate.quad(math.log2, 10, 25)[0] / 15
    mean += 0.7 * integrate.quad(math.log2, 25, 100)[0] / 75
    factor = 0.5 * math.log2(2 * math.pi * math.e * 0.4**2) - 0.4**2 / 2 / math.log(2)
    assert noise.conditional_bits(PRICE, edges, mass) == pytest.approx(mean + factor)


@pytest.mark.parametrize("scale", [{"half_width": 6000}, {"sigma": 900.0}, {"scale": 200.0}])
def test_that_many_steps_have_the_entropy_that_listing_them_gives(scale: dict[str, float]) -> None:
    noise = {"half_width": "uniform", "sigma": "normal", "scale": "laplace"}[next(iter(scale))]
    wide = Additive(noise=noise, **scale)
    stepped = wide.steps_of(INCOME)
    assert stepped is not None
    assert stepped.reach > 5000
    listed = 2 ** _bits(stepped.pmf()[1])
    assert noise_entropy_privacy(wide, INCOME) == pytest.approx(listed, rel=1e-5)


def test_that_a_huge_domain_is_no_burden() -> None:
    huge = Attribute("huge", Kind.INTEGER, domain=(0, 1e12))
    report = assess_attribute((huge, Additive(noise="laplace", scale=1e12)))
    assert report.privacy["epsilon"].value == 1
    assert report.privacy["conditional"].value == pytest.approx(1e12, rel=0.05)
