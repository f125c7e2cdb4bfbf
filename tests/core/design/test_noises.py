"""Families of noise: distributions, privacy levels and channels."""

import numpy as np
import pytest
from designs import AGE, NOISE_CASES, REAL_CASES, SALARY, TELLING_CASES, case_name
from examples import sweep
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Discretise, Multiplicative, Retention
from ppworkbench.core.design.noises import NoisePerturbation, integer_edges
from ppworkbench.core.design.noises.distribution import LaplaceNoise, NormalNoise, UniformNoise
from ppworkbench.core.errors import DesignError, ParameterError

RANGE_TEN = Attribute("x", Kind.CONTINUOUS, domain=(0, 10))
NOISES = [UniformNoise, NormalNoise, LaplaceNoise]


@pytest.mark.parametrize("noise", NOISES)
@given(scale=st.floats(1e-3, 1e3))
def test_that_the_quantile_inverts_the_cdf(noise, scale):
    u = np.linspace(0.01, 0.99, 25)
    np.testing.assert_allclose(noise(scale).cdf(noise(scale).ppf(u)), u, atol=1e-12)


@pytest.mark.parametrize("noise", NOISES)
def test_that_the_integrated_cdf_has_the_cdf_as_slope(noise):
    y = np.linspace(-6, 6, 601)
    slope = np.gradient(noise(1.7).integrated_cdf(y), y)[1:-1]
    np.testing.assert_allclose(slope, noise(1.7).cdf(y)[1:-1], atol=2e-3)


def test_that_entropy_privacy_is_the_width_of_equally_uncertain_uniform_noise():
    assert UniformNoise(5.0).entropy_privacy == 10
    assert NormalNoise(1.0).entropy_privacy == pytest.approx(4.1327, abs=5e-5)
    assert LaplaceNoise(1.0).entropy_privacy == pytest.approx(2 * np.e)


def test_that_hundred_percent_range_privacy_on_range_ten_is_half_width_five():
    noise = Additive(noise="uniform", range_privacy=100)
    assert noise.noise_of(RANGE_TEN).scale == 5


@pytest.mark.parametrize("noise", ["uniform", "normal", "laplace"])
@given(level=st.floats(1, 400))
def test_that_a_privacy_level_comes_back_from_the_noise_it_set(noise, level):
    perturbation = Additive(noise=noise, range_privacy=level)
    assert perturbation.entropy_privacy(SALARY) / SALARY.width * 100 == pytest.approx(level)


@pytest.mark.parametrize("noise", ["lognormal", "truncated-normal"])
@given(level=st.floats(1, 90))
def test_that_a_privacy_level_comes_back_from_multiplicative_noise(noise, level):
    perturbation = Multiplicative(noise=noise, range_privacy=level)
    assert perturbation.entropy_privacy(SALARY) / SALARY.width * 100 == pytest.approx(level)


@pytest.mark.parametrize(("attribute", "perturbation"), NOISE_CASES, ids=case_name)
def test_that_every_channel_keeps_all_probability(attribute, perturbation):
    low, high = perturbation.support(attribute)
    if attribute.kind is Kind.INTEGER:
        x_edges = integer_edges(*attribute.domain)
        z_edges = integer_edges(np.floor(low) - 1, np.ceil(high) + 1)
    else:
        x_edges = np.linspace(*attribute.domain, 21)
        z_edges = np.linspace(low, high, 61)
    channel = perturbation.channel(x_edges, z_edges, attribute)
    assert (channel >= -1e-12).all()
    np.testing.assert_allclose(channel.sum(axis=0), 1, atol=1e-6)


@pytest.mark.parametrize(
    ("attribute", "perturbation"), sweep(REAL_CASES, quick=TELLING_CASES), ids=case_name
)
def test_that_the_closed_channel_agrees_with_quadrature_and_with_simulation(
    attribute, perturbation
):
    x_edges = np.linspace(*attribute.domain, 11)
    low, high = np.clip(perturbation.support(attribute), -20_000, 40_000)
    # Some mechanisms report the very ends of their support.
    margin = 1e-6 * (high - low)
    z_edges = np.linspace(low - margin, high + margin, 31)
    closed = perturbation.channel(x_edges, z_edges, attribute)
    quadrature = NoisePerturbation.channel(perturbation, x_edges, z_edges, attribute)
    tolerance = 0.06 if isinstance(perturbation, Retention) else 5e-3
    np.testing.assert_allclose(closed, quadrature, atol=tolerance)
    x = np.linspace(*attribute.domain, 40_001)[:-1]
    below = perturbation.conditional_cdf(z_edges[:, None], x[None, :], attribute)
    averaged = np.diff(below, axis=0).reshape(30, 10, 4_000).mean(axis=2)
    np.testing.assert_allclose(closed, averaged, atol=1e-3)


def test_that_rounding_uniform_noise_halves_the_probability_of_the_ends():
    steps, mass = Additive(half_width=5, integer="round").steps_of(AGE).pmf()
    assert steps.tolist() == list(range(-5, 6))
    np.testing.assert_allclose(mass[[0, -1]], mass[5] / 2)


@pytest.mark.parametrize("rule", ["staircase", "floor"])
def test_that_staircase_and_floor_are_exactly_uniform(rule):
    steps, mass = Additive(half_width=5, integer=rule).steps_of(AGE).pmf()
    assert steps.tolist() == list(range(-5, 6))
    np.testing.assert_allclose(mass, 1 / 11)


def test_that_laplace_epsilon_is_the_range_over_the_scale():
    assert Additive(noise="laplace", scale=5).epsilon_of(RANGE_TEN) == 2
    assert Additive(noise="normal", sigma=5).epsilon_of(RANGE_TEN) == np.inf


def test_that_truncation_gives_normal_noise_a_finite_epsilon():
    truncated = Additive(noise="normal", sigma=5, truncate=True)
    assert truncated.epsilon_of(RANGE_TEN) == pytest.approx(10**2 / (2 * 5**2))


def test_that_retention_has_an_epsilon_only_on_a_grid():
    assert Retention(keep=0.5).epsilon_of(SALARY) == np.inf
    assert Retention(keep=0.5).epsilon_of(AGE) == pytest.approx(np.log(1 + 73))


def test_that_released_numbers_lie_on_the_grid():
    from ppworkbench.core.rng import SecureStreams

    noise = Additive(noise="laplace", scale=3.0, grid=0.01)
    z = noise.distort(np.full(10_000, 2.5), RANGE_TEN, SecureStreams().stream("x"))
    assert (z == np.rint(z * 100) / 100).all()


def test_that_intervals_become_the_values_of_an_ordinal_attribute():
    attribute = Discretise(intervals=4).distorted(RANGE_TEN)
    assert attribute.kind is Kind.ORDINAL
    assert attribute.values == ("0 to 2.5", "2.5 to 5", "5 to 7.5", "7.5 to 10")
    whole = Discretise(intervals=3).distorted(Attribute("n", Kind.INTEGER, domain=(1, 6)))
    assert whole.values == ("1 to 2", "3 to 4", "5 to 6")
    given = Discretise(edges=(18, 30, 45, 60, 90)).distorted(AGE)
    assert given.values == ("18 to 29", "30 to 44", "45 to 59", "60 to 90")


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: Additive(noise="uniform"), "needs either 'half_width' or a range privacy"),
        (lambda: Additive(half_width=1, range_privacy=5), "needs either"),
        (lambda: Additive(noise="normal", half_width=1), "does not belong to normal noise"),
        (lambda: Additive(noise="normal", sigma=float("nan")), "must be above 0"),
        (lambda: Additive(noise="normal", sigma=0), "must be above 0"),
        (lambda: Additive(noise="normal", sigma=1, integer="floor"), "needs uniform noise"),
        (Discretise, "need their number"),
        (lambda: Discretise(edges=(1, 1)), "increasing"),
        (Multiplicative, "needs either sigma or a range privacy"),
        (lambda: Retention(keep=0.5, replacing=(0, 0)), "all 0"),
    ],
)
def test_that_impossible_noise_cannot_be_constructed(build, sentence):
    with pytest.raises(ParameterError, match=sentence):
        build()


@pytest.mark.parametrize(
    ("perturbation", "attribute", "sentence"),
    [
        (
            Additive(half_width=1, integer="round"),
            SALARY,
            "the field 'integer' applies to integers",
        ),
        (Additive(half_width=1, grid=0.1), AGE, "reported in steps of 1"),
        (Multiplicative(sigma=1), RANGE_TEN, "needs numbers above 0"),
        (Multiplicative(range_privacy=500), SALARY, "at most"),
        (Discretise(edges=(20, 30)), AGE, "do not cover the domain"),
        (Additive(range_privacy=10), AGE.with_(domain=(3, 3)), "a single value"),
        (Retention(), AGE.with_(domain=(3, 3)), "a single value"),
        (Additive(half_width=1), Attribute("c", Kind.NOMINAL, ("a",)), "is nominal"),
    ],
)
def test_that_noise_refuses_an_attribute_it_does_not_fit(perturbation, attribute, sentence):
    with pytest.raises(DesignError, match=sentence) as caught:
        perturbation.check(attribute)
    assert caught.value.attribute == attribute.name


def test_that_a_number_outside_the_domain_is_refused_with_its_count():
    from ppworkbench.core.rng import SeededStreams

    with pytest.raises(DesignError, match="'age': 2 values lie outside"):
        Additive(half_width=3).distort(np.array([20.0, 91, 7]), AGE, SeededStreams(1).stream("a"))


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-7, 1e-9, 1e-12])
def test_that_cells_far_narrower_than_the_noise_keep_its_probabilities(noise, width):
    # Where the cells are next to nothing beside the noise, a sum is distributed as the noise.
    made = noise(1.0)
    z = np.linspace(-made.reach - width, made.reach + width, 4001)
    x = np.linspace(0, width, 9)
    channel = made.channel(x, z)
    np.testing.assert_allclose(channel.sum(axis=0), 1, atol=1e-9)
    expected = np.diff(made.cdf(z))[:, None]
    np.testing.assert_allclose(channel, np.broadcast_to(expected, channel.shape), atol=width + 1e-9)
    inside = np.abs(z) < made.reach / 2
    density = made.density(x, z)[inside]
    around = np.broadcast_to(made.pdf(z[inside])[:, None], density.shape)
    np.testing.assert_allclose(density, around, atol=width + 1e-6)
