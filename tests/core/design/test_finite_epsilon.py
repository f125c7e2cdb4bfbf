"""Mechanisms with a finite epsilon: their worked numbers, their epsilon and what they draw."""

from __future__ import annotations

import math

import numpy as np
import pytest
from designs import AGE, LIKERT, SALARY
from examples import sweep
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.design_file import design_from_json, design_to_json
from ppworkbench.core.design.matrices import Geometric
from ppworkbench.core.design.noises import Duchi, Hybrid, Laplace, Piecewise, SquareWave
from ppworkbench.core.design.noises.duchi import SMALLEST_MIXED, TwoReports
from ppworkbench.core.design.noises.laplace import step_variance
from ppworkbench.core.design.noises.window import Lattice, best_reach, wave_width
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.privacy.epsilon import epsilon as matrix_epsilon
from ppworkbench.core.rng import SecureStreams, SeededStreams

AGES = Attribute("age", Kind.INTEGER, domain=(18, 90))
RING = {"loop": True}
ABSORB: dict[str, object] = {}
NORMALISE = {"ends": "normalise"}
ENDS = (RING, ABSORB, NORMALISE)


# Ordered answers


@pytest.mark.parametrize(
    ("given", "first", "third"),
    [
        (RING, (0.33912, 0.20569, 0.12475, 0.12475, 0.20569),
         (0.12475, 0.20569, 0.33912, 0.20569, 0.12475)),
        (ABSORB, (0.56218, 0.09685, 0.07542, 0.05874, 0.20681),
         (0.34098, 0.09685, 0.12435, 0.09685, 0.34098)),
        (NORMALISE, (0.31002, 0.24145, 0.18804, 0.14644, 0.11405),
         (0.16086, 0.20654, 0.26521, 0.20654, 0.16086)),
    ],
)  # fmt: skip
def test_the_columns_of_five_values_at_epsilon_one(given, first, third):
    matrix = Geometric(epsilon=1.0, **given).matrix(5)
    assert matrix[:, 0] == pytest.approx(first, abs=5e-6)
    assert matrix[:, 2] == pytest.approx(third, abs=5e-6)


def test_that_absorbing_ends_have_a_tridiagonal_inverse():
    inverse = np.linalg.inv(Geometric(epsilon=1.0).matrix(5))
    assert inverse[:2, 0] == pytest.approx((4.52081, -3.52081), abs=5e-6)
    assert inverse[:3, 1] == pytest.approx((-15.91693, 32.83385, -15.91693), abs=5e-6)
    away = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) > 1
    assert np.abs(inverse[away]).max() < 1e-9


@pytest.mark.parametrize(
    ("k", "epsilon", "given", "share", "mean"),
    [
        (5, 1, ABSORB, 91.78, 22.29), (5, 1, NORMALISE, 49.65, 33.23), (5, 1, RING, 12.64, 100.2),
        (5, 2, ABSORB, 10.10, 7.560), (7, 1, ABSORB, 351.8, 50.91), (7, 1, NORMALISE, 169.0, 89.27),
        (11, 1, ABSORB, 1826, 143.0), (11, 1, RING, 164.9, 6909), (11, 4, NORMALISE, 14.01, 22.64),
    ],
)  # fmt: skip
def test_what_geometric_steps_cost_shares_and_means(k, epsilon, given, share, mean):
    matrix = Geometric(epsilon=float(epsilon), **given).matrix(k)
    reported, inverse, score = matrix.mean(axis=1), np.linalg.inv(matrix), np.arange(k)
    covariance = inverse @ (np.diag(reported) - np.outer(reported, reported)) @ inverse.T
    assert covariance.diagonal().mean() == pytest.approx(share, rel=1e-3)
    assert score @ covariance @ score == pytest.approx(mean, rel=1e-3)


@given(st.integers(2, 12), st.floats(0.001, 20), st.sampled_from(ENDS))
def test_that_epsilon_is_the_one_that_was_asked_for(k, epsilon, given):
    matrix = Geometric(epsilon=epsilon, **given).matrix(k)
    assert matrix.sum(axis=0) == pytest.approx(np.ones(k))
    assert matrix_epsilon(matrix) == pytest.approx(epsilon, abs=1e-9)


def test_that_two_values_are_answered_as_by_a_coin():
    keep = math.e / (math.e + 1)
    for ends in ENDS:
        matrix = Geometric(epsilon=1.0, **ends).matrix(2)
        assert matrix == pytest.approx(np.array([[keep, 1 - keep], [1 - keep, keep]]))


def test_that_epsilon_may_be_given_for_a_step():
    assert Geometric(epsilon_step=0.25).matrix(5) == pytest.approx(Geometric(epsilon=1.0).matrix(5))
    assert Geometric().epsilon == 1.0
    with pytest.raises(ParameterError, match="not both"):
        Geometric(epsilon=1.0, epsilon_step=1.0)
    with pytest.raises(ParameterError, match=r"epsilon is 0; it must be at least 0\.001 \(smaller"):
        Geometric(epsilon=0.0)
    with pytest.raises(DesignError, match="epsilon is 40 over 5 values"):
        Geometric(epsilon_step=10.0).matrix(5)


def test_that_a_design_with_a_newer_mechanism_says_its_version():
    newer = Design((DesignedAttribute(LIKERT, Geometric(epsilon_step=0.5)),))
    written = design_to_json(newer)
    assert written["version"] == 2
    assert design_from_json(written) == newer


def test_that_geometric_steps_of_whole_numbers_are_the_same_wherever_a_design_names_them():
    steps = {"type": "geometric", "epsilon": 2.0}
    meant = Laplace(epsilon=2.0, absorb=True)
    assert DesignedAttribute(AGES, Geometric(epsilon=2.0)).perturbation == meant
    asked = {"kind": "integer", "domain": [18, 90], "perturbation": steps}
    design = design_from_json(
        {
            "format": "ppworkbench-design",
            "version": 2,
            "attributes": {
                "age": asked,
                "arm": {"kind": "nominal", "values": ["A", "B"]},
            },
            "arms": {
                "column": "arm",
                "members": {
                    "A": {"share": 0.5},
                    "B": {"share": 0.5, "perturbations": {"age": {**steps, "epsilon": 1.0}}},
                },
            },
        }
    )
    assert design["age"].perturbation == meant
    assert dict(design.arms.members[1].perturbations)["age"] == Laplace(epsilon=1.0, absorb=True)
    assert design_from_json(design_to_json(design)) == design


# Numbers


def test_the_width_of_the_square_wave():
    widths = [wave_width(epsilon) for epsilon in (0.5, 1.0, 2.0, 4.0)]
    assert widths == pytest.approx((0.35816, 0.25608, 0.12934, 0.03043), abs=5e-6)
    assert wave_width(0.00999) == pytest.approx(wave_width(0.01001), abs=1e-5)


def test_ages_in_a_window():
    ages = SquareWave(epsilon=1.0).lattice(AGES)
    assert (ages.points, ages.reach) == (73, 18)
    inside, outside = (cell / 2**53 for cell in ages.cells)
    assert (inside, outside) == pytest.approx((0.015751, 0.005795), abs=5e-7)
    assert (ages.slope, ages.start) == pytest.approx((0.36840, 22.7378), abs=5e-5)
    middle = 36.0
    variances = [
        (one.variance(middle, middle**2), one.worst_variance)
        for one in (
            ages,
            Piecewise(epsilon=1.0).lattice(AGES),
            SquareWave(epsilon=2.0).lattice(AGES),
        )
    ]
    expected = ((4916.8, 7138.8), (4761.5, 6722.6), (957.5, 1929.0))
    assert np.array(variances) == pytest.approx(np.array(expected), abs=0.06)
    assert Piecewise(epsilon=1.0).lattice(AGES).reach == 22


def test_five_points_have_seven_reports():
    few = SquareWave(epsilon=1.0).lattice(Attribute("x", Kind.INTEGER, domain=(0, 4)))
    assert few.reach == 1
    assert [cell / 2**53 for cell in few.cells] == pytest.approx((0.2236, 0.0823), abs=5e-5)


@pytest.mark.parametrize(
    ("epsilon", "window", "end", "middle"),
    [(0.5, 0.88207, 21.0582, 17.7691), (1, 0.77594, 5.0657, 3.7337),
     (2, 0.59149, 1.0922, 0.6710), (4, 0.32344, 0.1618, 0.0855)],
)  # fmt: skip
def test_the_window_with_the_smallest_worst_variance(epsilon, window, end, middle):
    points = 20_001
    lattice = Lattice(points, best_reach(points, float(epsilon)), float(epsilon))
    unit = 4 / (points - 1) ** 2
    assert lattice.size / points == pytest.approx(window, abs=2e-4)
    assert lattice.worst_variance * unit == pytest.approx(end, rel=1e-3)
    centre = (points - 1) / 2
    assert lattice.variance(centre, centre**2) * unit == pytest.approx(middle, rel=2e-3)


@pytest.mark.parametrize(
    ("epsilon", "piecewise", "wave"),
    [(0.5, (17.7018, 21.2226), (17.8244, 21.5179)), (1, (3.6821, 5.2236), (3.7978, 5.5161)),
     (2, (0.6456, 1.2276), (0.7478, 1.5094)), (4, (0.0848, 0.2414), (0.1633, 0.4886))],
)  # fmt: skip
def test_the_published_windows_on_a_fine_grid(epsilon, piecewise, wave):
    points = 50_001
    for mechanism, expected in ((Piecewise, piecewise), (SquareWave, wave)):
        reach = mechanism(epsilon=float(epsilon)).published_reach(points)
        lattice, centre = Lattice(points, reach, float(epsilon)), (points - 1) / 2
        found = np.array([lattice.variance(centre, centre**2), lattice.worst_variance])
        assert found * 4 / (points - 1) ** 2 == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.001, 1.0, 20.0])
@pytest.mark.parametrize("points", [2, 12, 1000, 10**6])
def test_that_what_is_drawn_has_the_epsilon_that_was_asked_for(epsilon, points):
    for mechanism in (SquareWave, Piecewise):
        reach = mechanism(epsilon=epsilon).published_reach(points)
        assert Lattice(points, reach, epsilon).exact_epsilon == pytest.approx(epsilon, abs=1e-6)


def test_the_variance_of_discrete_laplace_noise():
    assert step_variance(1 / 72) == pytest.approx(10367.8, abs=0.05)
    assert step_variance(2 / 72) == pytest.approx(2591.8, abs=0.05)


def test_that_epsilon_of_a_step_is_that_of_neighbouring_columns():
    answers = Attribute("x", Kind.ORDINAL, tuple("abcde"))
    for ends, step in ((RING, 0.5), (ABSORB, 0.25), (NORMALISE, 0.370)):
        mechanism = Geometric(epsilon=1.0, **ends)
        ratios = np.abs(np.diff(np.log(mechanism.matrix(5)), axis=1))
        assert mechanism.epsilon_step_of(answers) == pytest.approx(ratios.max())
        assert mechanism.epsilon_step_of(answers) == pytest.approx(step, abs=5e-4)
    numbers = Attribute("x", Kind.INTEGER, domain=(0, 10))
    assert Laplace(epsilon=1.0).epsilon_step_of(numbers) == pytest.approx(0.1)
    inside = Laplace(epsilon=1.0, inside=True)
    edges = np.arange(12) - 0.5
    columns = np.log(inside.channel(edges, edges, numbers))
    assert inside.epsilon_step_of(numbers) == pytest.approx(0.174, abs=5e-4)
    assert inside.epsilon_step_of(numbers) == pytest.approx(np.abs(np.diff(columns)).max())


@pytest.mark.parametrize("ends", ["absorb", "normalise"])
@pytest.mark.parametrize("given", [{"epsilon": 2.0}, {"epsilon_step": 0.2}], ids=["whole", "step"])
def test_that_whole_numbers_may_be_reported_by_geometric_steps(given, ends):
    fields = {
        "kind": "integer", "domain": [3, 13],
        "perturbation": {"type": "geometric", "ends": ends, **given},
    }  # fmt: skip
    document = {"format": "ppworkbench-design", "version": 2, "attributes": {"x": fields}}
    design = design_from_json(document)
    edges = np.arange(3, 15) - 0.5
    channel = design["x"].perturbation.channel(edges, edges, design["x"].attribute)
    assert channel == pytest.approx(Geometric(ends=ends, **given).matrix(11), abs=1e-12)
    assert design_from_json(design_to_json(design)) == design
    fields["perturbation"]["loop"] = True
    with pytest.raises(DesignError, match="loop effect"):
        design_from_json(document)
    with pytest.raises(ParameterError, match="not both"):
        Laplace(inside=True, absorb=True)


MECHANISMS = [
    SquareWave(epsilon=1.0), SquareWave(epsilon=1.0, window="worst"), Piecewise(epsilon=2.0),
    Laplace(epsilon=3.0), Laplace(epsilon=3.0, inside=True), Laplace(epsilon=3.0, absorb=True),
    Duchi(epsilon=1.0), Hybrid(epsilon=1.0), Hybrid(epsilon=4.0), Hybrid(epsilon=0.5),
]  # fmt: skip
# fmt: off
NAMES = ("square wave", "worst window", "piecewise", "laplace", "inside", "absorb",
         "duchi", "hybrid", "narrow hybrid", "hybrid of two numbers")
# fmt: on


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
@pytest.mark.parametrize(
    "streams", sweep([SeededStreams(11), SecureStreams()], quick=1), ids=("seeded", "secure")
)
def test_that_draws_come_as_often_as_the_channel_says(mechanism, streams):
    attribute = Attribute("x", Kind.INTEGER, domain=(0, 11))
    n, x = 1_000_000, 3.0
    drawn = mechanism.distort(np.full(n, x), attribute, streams.stream("x"))
    low, high = mechanism.support(attribute)
    low, high = max(low, -30.0), min(high, 41.0)
    points = np.arange(low, high + 1)
    below = mechanism.conditional_cdf(np.append(low - 1, points), np.full(1, x), attribute)
    mass = np.diff(below)
    counts = np.array([(drawn == point).sum() for point in points])
    often = mass * n >= 5
    observed = np.append(counts[often], n - counts[often].sum())
    expected = np.append(mass[often] * n, n - mass[often].sum() * n)
    used = expected > 0.5
    p = chisquare(observed[used], expected[used] * observed[used].sum() / expected[used].sum())[1]
    # Secure draws have no seed, so that one run in a million may fail by chance.
    assert p > 1e-6


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
@pytest.mark.parametrize("attribute", [AGE, SALARY], ids=lambda one: one.name)
def test_that_chunks_change_nothing_and_means_are_unbiased(mechanism, attribute):
    low, high = attribute.domain
    x = np.rint(np.linspace(low, high, 40_000))
    whole = mechanism.distort(x, attribute, SeededStreams(3).stream("x"))
    stream = SeededStreams(3).stream("x")
    parts = [mechanism.distort(part, attribute, stream) for part in np.split(x, (1000, 9999))]
    assert np.array_equal(np.concatenate(parts), whole)
    unbiased = mechanism.unbiased(whole, attribute)
    if unbiased is None:
        assert mechanism.unbiased_variance(attribute, 0.0, 0.0) is None
        assert whole.min() >= low
        assert whole.max() <= high
        return
    variance = mechanism.unbiased_variance(attribute, x.mean(), (x**2).mean())
    # The true numbers are fixed here, so that less varies than for numbers drawn at random.
    assert abs(unbiased.mean() - x.mean()) < 4.5 * math.sqrt(variance / len(x))
    assert unbiased.var() == pytest.approx(variance, rel=0.05)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=NAMES)
def test_that_no_pair_of_numbers_is_told_apart_by_more_than_epsilon(mechanism):
    attribute = Attribute("x", Kind.INTEGER, domain=(0, 11))
    points = np.arange(-40.0, 52.0)
    x = np.arange(12.0)
    below = mechanism.conditional_cdf(points[:, None], x[None, :], attribute)
    mass = np.diff(below, axis=0)
    mass = mass[mass.max(axis=1) > 1e-12]
    exposed = np.log(mass.max(axis=1) / mass.min(axis=1)).max()
    assert exposed == pytest.approx(mechanism.epsilon_of(attribute), abs=1e-6)


@pytest.mark.parametrize("mechanism", [SquareWave, Piecewise, Laplace, Duchi, Hybrid])
def test_that_grids_and_domains_that_cannot_be_are_refused(mechanism):
    with pytest.raises(DesignError, match="single value"):
        mechanism().check(Attribute("x", Kind.INTEGER, domain=(5, 5)))
    with pytest.raises(DesignError, match="there must be 1 to 1,000,000"):
        mechanism(grid=1e-9).check(SALARY)
    with pytest.raises(DesignError, match="steps of 1"):
        mechanism(grid=1.0).check(AGE)


UNIT = Attribute("x", Kind.CONTINUOUS, domain=(-1, 1))


@pytest.mark.parametrize(
    ("epsilon", "duchi", "hybrid"),
    [(0.5, (16.6708, 15.6708), (16.6708, 15.6708)), (1.0, (4.6827, 3.6827), (4.2890, 4.2890)),
     (2.0, (1.7241, 0.7241), (1.0423, 1.0423)), (4.0, (1.0760, 0.0760), (0.2190, 0.2190))],
)  # fmt: skip
def test_the_variances_of_reports_made_for_means(epsilon, duchi, hybrid):
    for mechanism, expected in ((Duchi, duchi), (Hybrid, hybrid)):
        noise = mechanism(epsilon=epsilon, grid=1e-5)
        found = [noise.unbiased_variance(UNIT, t, t * t) for t in (0.0, 1.0)]
        assert found == pytest.approx(expected, abs=6e-5)


def test_the_epsilon_from_which_a_mixture_is_better():
    assert pytest.approx(0.60935, abs=5e-6) == SMALLEST_MIXED
    below, above = Hybrid(epsilon=SMALLEST_MIXED - 1e-6), Hybrid(epsilon=SMALLEST_MIXED + 1e-6)
    assert below.why_only_mean(AGE)
    assert not above.why_only_mean(AGE)
    worst = [
        max(one.unbiased_variance(UNIT, t, t * t) for t in (0.0, 1.0)) for one in (below, above)
    ]
    assert worst[0] == pytest.approx(worst[1], rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.001, 1.0, 20.0])
@pytest.mark.parametrize("points", [2, 12, 1000, 10**6])
def test_that_two_reports_have_the_epsilon_that_was_asked_for(epsilon, points):
    two = TwoReports(points, epsilon)
    least, more, every = two.cells
    assert every == 2 * least + more * (points - 1) <= 2**53
    assert epsilon - 1e-6 < two.exact_epsilon <= epsilon + 1e-12
    low, high = two.reports
    assert low < 0
    assert high > points - 1


GRIDS = [
    Attribute("x", Kind.INTEGER, domain=(0, 1)), Attribute("x", Kind.INTEGER, domain=(-3, 8)),
    Attribute("x", Kind.CONTINUOUS, domain=(0.0, 1.1)),
    Attribute("x", Kind.CONTINUOUS, domain=(-0.35, 1.2)),
]  # fmt: skip


@pytest.mark.parametrize("attribute", GRIDS, ids=lambda one: str(one.domain))
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize(
    ("mechanism", "given"),
    [(SquareWave, {}), (SquareWave, {"window": "worst"}), (Piecewise, {}), (Laplace, {}),
     (Laplace, {"inside": True}), (Duchi, {}), (Hybrid, {})],
)  # fmt: skip
def test_that_all_reports_together_have_the_stated_epsilon_and_mean(
    attribute, epsilon, mechanism, given
):
    grid = None if attribute.kind is Kind.INTEGER else 0.2
    noise = mechanism(epsilon=epsilon, grid=grid, **given)
    noise.check(attribute)
    step, count = noise.step_of(attribute), noise.points(attribute)
    assert 2 <= count <= 12
    reach = min(noise.overhang(attribute), 4000)
    truths = np.arange(count)
    reports = np.arange(-reach, count + reach)
    below = noise.lattice_cdf(
        np.append(reports[0] - 0.5, reports + 0.5)[:, None], truths[None, :], attribute
    )
    mass = np.diff(below, axis=0)
    assert mass.sum(axis=0) == pytest.approx(np.ones(count), abs=1e-9)
    seen = mass[mass.min(axis=1) > 1e-9]
    exposed = np.log(seen.max(axis=1) / seen.min(axis=1)).max()
    stated = noise.epsilon_of(attribute)
    assert stated == pytest.approx(epsilon, abs=1e-6)
    assert exposed == pytest.approx(stated, abs=1e-6)
    numbers = (reports + noise.first_point(attribute)) * step
    undone = noise.unbiased(numbers, attribute)
    if undone is not None:
        true = (truths + noise.first_point(attribute)) * step
        assert undone @ mass == pytest.approx(true, abs=1e-6 * count * step)
        variance = [noise.unbiased_variance(attribute, x, x * x) for x in true]
        assert undone**2 @ mass - true**2 == pytest.approx(variance, rel=1e-6)


def test_that_large_numbers_are_told_without_an_exponent():
    pay = Attribute("pay", Kind.CONTINUOUS, domain=(0, 100_000))
    assert "within 25,600 of the true number" in SquareWave(epsilon=1.0).in_words(pay)
