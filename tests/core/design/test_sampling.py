"""Every sampler against the probabilities it states, at a million draws."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from designs import (
    ALL_CASES,
    INTEGER_CASES,
    MATRIX_CASES,
    NOISE_CASES,
    REAL_CASES,
    TELLING_CASES,
    case_name,
)
from examples import sweep
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.data.table import Column
from ppworkbench.core.design import (
    Custom,
    Design,
    DesignedAttribute,
    Ordinal,
    Piecewise,
    Related,
    SquareWave,
    Uniform,
)
from ppworkbench.core.design.noises import integer_edges
from ppworkbench.core.design.noises.laplace import _digits, draw_steps
from ppworkbench.core.design.noises.window import Lattice, _find_cells
from ppworkbench.core.design.sampler import WHOLE, MatrixSampler, whole_columns
from ppworkbench.core.errors import DesignError
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.epsilon import epsilon as matrix_epsilon
from ppworkbench.core.privacy.spending import epsilon_of
from ppworkbench.core.rng import SecureStreams, SeededStreams

pytestmark = pytest.mark.thorough

DRAWS = 1_000_000
# One test in a million fails by chance; the seeds are fixed, so none does by bad luck.
SIGNIFICANT = 1e-6


def chi_square_p(observed, expected):
    """Pool thin cells, then compare; a cell of probability zero must be empty."""
    assert observed[expected == 0].sum() == 0
    order = np.argsort(expected)
    thin = np.cumsum(expected[order]) < 20
    observed, expected = observed[order], expected[order]
    observed = np.append(observed[~thin], observed[thin].sum())
    expected = np.append(expected[~thin], expected[thin].sum())
    keep = expected > 0
    statistic = ((observed[keep] - expected[keep]) ** 2 / expected[keep]).sum()
    return stats.chi2.sf(statistic, max(keep.sum() - 1, 1))


@pytest.mark.parametrize(
    "streams", sweep([SeededStreams(11), SecureStreams()], quick=1), ids=["seed", "secure"]
)
@pytest.mark.parametrize(("attribute", "perturbation"), MATRIX_CASES, ids=case_name)
def test_that_a_matrix_is_drawn_as_stated(attribute, perturbation, streams):
    matrix = perturbation.matrix(attribute.k)
    per_column = DRAWS // attribute.k
    for column in range(attribute.k):
        data = np.full(per_column, column, np.int8)
        drawn = perturbation.distort(data, attribute, streams.stream("audit", str(column)))
        observed = np.bincount(drawn, minlength=attribute.k)
        assert chi_square_p(observed, per_column * matrix[:, column]) > SIGNIFICANT


@pytest.mark.parametrize(
    ("attribute", "perturbation"), sweep(INTEGER_CASES, quick=TELLING_CASES), ids=case_name
)
def test_that_whole_numbers_are_drawn_from_the_exact_channel(attribute, perturbation):
    low, high = perturbation.support(attribute)
    z_edges = integer_edges(np.floor(low) - 1, np.ceil(high) + 1)
    for x in (18.0, 40.0, 90.0):
        drawn = perturbation.distort(
            np.full(DRAWS // 3, x), attribute, SeededStreams(5).stream("audit", str(x))
        )
        assert (drawn == np.rint(drawn)).all()
        cells = perturbation.channel(np.array([x - 0.5, x + 0.5]), z_edges, attribute)[:, 0]
        assert cells.sum() == pytest.approx(1, abs=1e-9)
        observed = np.histogram(drawn, z_edges)[0]
        assert chi_square_p(observed, DRAWS // 3 * np.where(cells < 1e-15, 0, cells)) > SIGNIFICANT


@pytest.mark.parametrize(
    ("attribute", "perturbation"), sweep(REAL_CASES, quick=TELLING_CASES), ids=case_name
)
def test_that_real_numbers_are_drawn_from_the_stated_cdf(attribute, perturbation):
    x = 3_000.0
    drawn = perturbation.distort(np.full(DRAWS, x), attribute, SeededStreams(3).stream("audit"))
    low, high = np.clip(perturbation.support(attribute), -30_000, 60_000)
    # Off the grid of published values, so that rounding to it moves nothing across an edge.
    edges = np.floor(np.linspace(low - 1, high + 1, 80)) + 0.5
    inner = perturbation.conditional_cdf(edges, np.array(x), attribute)
    below = np.concatenate([[0.0], inner, [1.0]])
    observed = np.histogram(drawn, np.concatenate([[-np.inf], edges, [np.inf]]))[0]
    expected = DRAWS * np.where(np.diff(below) < 1e-13, 0, np.diff(below))
    assert chi_square_p(observed, expected) > SIGNIFICANT


@pytest.mark.parametrize(
    ("attribute", "perturbation"), sweep(NOISE_CASES, quick=TELLING_CASES), ids=case_name
)
def test_that_the_unbiased_transform_has_the_true_mean_and_truncated_noise_has_none(
    attribute, perturbation
):
    x = 50.0 if attribute.kind is Kind.INTEGER else 4_000.0
    z = perturbation.distort(np.full(DRAWS, x), attribute, SeededStreams(8).stream("mean"))
    u = perturbation.unbiased(z, attribute)
    if getattr(perturbation, "truncate", False) or getattr(perturbation, "inside", False):
        assert u is None
        return
    rounding = 0.02 if type(perturbation).__name__ == "Multiplicative" else 0.0
    assert abs(u.mean() - x) < 5 * u.std() / np.sqrt(DRAWS) + rounding


@given(st.integers(2, 12), st.data())
def test_that_a_zero_in_the_matrix_never_occurs(k, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    matrix = rng.random((k, k)) * (rng.random((k, k)) < 0.5)
    np.fill_diagonal(matrix, 0.01)
    matrix /= matrix.sum(axis=0)
    codes = rng.integers(0, k, 20_000).astype(np.int8)
    drawn = MatrixSampler(matrix).draw(codes, SeededStreams(1).stream("zero"))
    assert (matrix[drawn, codes] > 0).all()


def test_that_probabilities_far_below_one_byte_still_occur():
    rare = 1e-4
    matrix = np.array([[1 - rare, 0.0], [rare, 1.0]])
    drawn = MatrixSampler(matrix).draw(np.zeros(DRAWS, np.int8), SeededStreams(2).stream("rare"))
    expected = DRAWS * rare
    assert abs(drawn.sum() - expected) < 5 * np.sqrt(expected)


@pytest.mark.parametrize("k", sweep([2, 5, 127, 128, 200], quick=(5, 200)))
def test_that_compiled_and_plain_sampling_agree_answer_by_answer(k, monkeypatch):
    from ppworkbench.core.design import sampler as module

    rng = np.random.default_rng(k)
    codes = rng.integers(-1, k, 200_000).astype(np.int8 if k <= 127 else np.int16)
    matrix = rng.dirichlet(np.full(k, 0.5), k).T
    plain = MatrixSampler(matrix).draw(codes, SeededStreams(4).stream("twin"))
    loops = module._first_loop, module._second_loop, module._last_loop
    kernels = tuple(Kernel(loop) for loop in loops)
    assert all(kernel.compile() for kernel in kernels)
    monkeypatch.setattr(module, "SAMPLER_KERNELS", kernels)
    compiled = MatrixSampler(matrix).draw(codes, SeededStreams(4).stream("twin"))
    np.testing.assert_array_equal(plain, compiled)


def random_matrix(rng, k):
    """Columns with zeros, equal entries, and probabilities from large to beyond all drawing."""
    matrix = rng.dirichlet(np.ones(k), k).T * 10.0 ** rng.choice([0, 0, -5, -30], (k, k))
    matrix *= rng.random((k, k)) < 0.8
    matrix[:, rng.random(k) < 0.3] = 1.0
    np.fill_diagonal(matrix, np.maximum(np.diag(matrix), 0.1))
    return matrix / matrix.sum(axis=0)


@given(st.integers(1, 30), st.integers(0, 2**32))
def test_that_columns_become_whole_numbers_by_largest_remainder(k, seed):
    matrix = random_matrix(np.random.default_rng(seed), k)
    whole = whole_columns(matrix)
    assert (whole.sum(axis=0) == WHOLE).all()
    assert ((whole > 0) == (matrix > 0)).all()
    for column, given_column in zip(whole.T.tolist(), matrix.T.tolist(), strict=True):
        fractions = [Fraction(one) for one in given_column]
        exact = [WHOLE * one / sum(fractions) for one in fractions]
        raised = sum(1 for one in exact if 0 < one < 1)
        for drawn, wanted in zip(column, exact, strict=True):
            # The largest pays for those that were raised from below 1.
            slack = 1 + 1e-3 + (raised if drawn == max(column) else 0)
            assert abs(drawn - wanted) < slack


@given(st.integers(1, 30), st.integers(0, 2**32))
def test_that_cells_of_bytes_hold_exactly_the_whole_numbers(k, seed):
    matrix = random_matrix(np.random.default_rng(seed), k)
    np.testing.assert_array_equal(count_cells(MatrixSampler(matrix)), whole_columns(matrix))


def count_cells(sampler):
    """How many of 2^62 outcomes lead to each answer: every cell of two bytes, and all borders."""
    columns, answers = sampler._borders.shape
    first = sampler._first_table.reshape(columns + 1, 256)[1:]
    second = sampler._second_table.reshape(columns, 256)
    last = np.diff(sampler._borders, axis=1, prepend=0)
    counts = np.zeros((answers, columns), np.int64)
    for column in range(columns):
        left = np.count_nonzero(first[column] == -2)
        for answer in range(answers):
            counts[answer, column] = (
                (int(np.count_nonzero(first[column] == answer)) << 54)
                + int(np.count_nonzero(second[column] == answer)) * (left << 46) * (left > 0)
                + int(last[column, answer])
            )
    return counts


@given(st.integers(2, 200), st.integers(0, 2**32))
@settings(max_examples=20)
def test_that_chunks_of_answers_are_drawn_as_if_they_came_at_once(k, seed):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, k, 100_000).astype(np.int16)
    sampler = MatrixSampler(rng.dirichlet(np.ones(k), k).T)
    whole = sampler.draw(codes, SeededStreams(4).stream("chunks"))
    stream = SeededStreams(4).stream("chunks")
    cuts = np.sort(rng.integers(0, len(codes), 5))
    parts = [sampler.draw(part, stream) for part in np.split(codes, cuts)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_that_epsilon_is_that_of_the_whole_numbers():
    never = Custom(((1 - 1e-30, 0.3), (1e-30, 0.7)))
    answers = Attribute("a", Kind.BINARY, ("no", "yes"))
    design = Design((DesignedAttribute(answers, never),))
    assert epsilon_of(design, "a") == pytest.approx(np.log(0.7 * 2.0**62), abs=1e-9)
    report = assess_attribute((answers, never)).privacy
    assert report["epsilon"].value == pytest.approx(np.log(0.7 * 2.0**62), abs=1e-9)


@pytest.mark.parametrize(("attribute", "perturbation"), MATRIX_CASES, ids=case_name)
def test_that_whole_numbers_change_no_epsilon_that_is_stated(attribute, perturbation):
    stated = matrix_epsilon(perturbation.matrix(attribute.k))
    drawn = matrix_epsilon(perturbation.drawn_matrix(attribute.k))
    assert drawn == stated == np.inf or drawn == pytest.approx(stated, abs=1e-6)


@pytest.mark.parametrize(("attribute", "perturbation"), ALL_CASES, ids=case_name)
def test_that_missing_answers_stay_missing(attribute, perturbation):
    stream = SeededStreams(1).stream("missing")
    if attribute.kind.is_categorical:
        given = np.array([-1, 0, -1], np.int8)
    else:
        given = np.array([np.nan, attribute.domain[1], np.nan])
    drawn = perturbation.distort(given, attribute, stream)
    missing = Column(perturbation.distorted(attribute), drawn).missing
    assert missing.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("perturbation", "k"),
    [
        (Uniform(keep=0.7), 4),
        (Related(theta=0.8), 2),
        (Ordinal(weights=(0.6, 0.2, 0.05), loop=True), 5),
        (Custom(((0.8, 0.3), (0.2, 0.7))), 2),
    ],
)
def test_that_the_observed_epsilon_stays_within_its_interval_of_the_stated_one(perturbation, k):
    matrix = perturbation.matrix(k)
    stated = np.log((matrix.max(axis=1) / matrix.min(axis=1)).max())
    sampler = MatrixSampler(matrix)

    def counts(column):
        data = np.full(DRAWS, column, np.int8)
        drawn = sampler.draw(data, SeededStreams(9).stream(str(column)))
        return np.bincount(drawn, minlength=k)

    observed = np.array([counts(column) for column in range(k)])
    for high, low in zip(observed.max(axis=0), observed.min(axis=0), strict=True):
        assert np.log(high / low) - 4.5 * np.sqrt(1 / high + 1 / low) <= stated


WINDOWS = [SquareWave(epsilon=1.0), Piecewise(epsilon=3.0), SquareWave(epsilon=0.2, window="worst")]


@pytest.mark.parametrize("mechanism", WINDOWS, ids=lambda one: one.summary())
@pytest.mark.parametrize("grid", sweep([None, 0.25, 10.0], quick=(0.25,)))
def test_that_compiled_and_plain_windows_agree_number_by_number(mechanism, grid, monkeypatch):
    from designs import AGE, SALARY

    from ppworkbench.core.design.noises import window as module

    attribute = AGE if grid is None else SALARY
    mechanism = dataclasses.replace(mechanism, grid=grid)
    low, high = attribute.domain
    data = np.rint(np.random.default_rng(1).uniform(low, high, 200_000))
    data[::7] = np.nan
    plain = mechanism.distort(data, attribute, SeededStreams(4).stream("twin"))
    kernel = Kernel(module._window_loop)
    assert kernel.compile()
    monkeypatch.setattr(module, "WINDOW_KERNEL", kernel)
    compiled = mechanism.distort(data, attribute, SeededStreams(4).stream("twin"))
    np.testing.assert_array_equal(compiled, plain)
    stream = SeededStreams(4).stream("twin")
    parts = [mechanism.distort(part, attribute, stream) for part in np.split(data, (1001, 99_000))]
    np.testing.assert_array_equal(np.concatenate(parts), plain)
    # All are counted, not only those of the piece where the first one is.
    data[[5, -1]] = high + 1
    with pytest.raises(DesignError, match="2 values"):
        mechanism.distort(data, attribute, SeededStreams(4).stream("twin"))


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("points", [2, 12, 3000])
def test_that_a_window_has_exactly_the_numbers_that_are_stated(points, epsilon):
    lattice = Lattice(points, SquareWave(epsilon=epsilon).published_reach(points), epsilon)
    cells = _find_cells(lattice)
    for stated, whole in zip(lattice.cells, (cells.inside, cells.outside), strict=True):
        assert 0 <= stated - (whole << cells.rest_bits) < 1 << cells.rest_bits
    # All numbers of the first draw, for the true points at both ends.
    numbers = np.arange(cells.used) if cells.bits == 16 else np.arange(0, cells.used, 9973)
    for point in (0, points - 1):
        points_of_all = np.full(len(numbers), point)
        reports = lattice._report(points_of_all, numbers, cells.inside, cells.outside)
        inside, far = (
            np.floor((numbers - start + 0.5) * part) - lattice.reach
            for start, part in zip((0, cells.border), cells.plan[2:], strict=True)
        )
        far += np.where(far >= point - lattice.reach, lattice.size, 0)
        multiplied = np.where(numbers < cells.border, point + inside, far)
        np.testing.assert_array_equal(reports, multiplied)
        if cells.bits == 16:
            counts = np.bincount(reports + lattice.reach, minlength=points + 2 * lattice.reach)
            is_inside = np.abs(np.arange(len(counts)) - lattice.reach - point) <= lattice.reach
            assert (counts == np.where(is_inside, cells.inside, cells.outside)).all()


@pytest.mark.parametrize(
    "streams", sweep([SeededStreams(12), SecureStreams()], quick=1), ids=["seed", "secure"]
)
@pytest.mark.parametrize("rate", [3.0, 0.7, 1 / 72])
def test_that_discrete_laplace_steps_come_as_often_as_stated(rate, streams):
    steps = draw_steps(rate, DRAWS, streams.stream("steps"))
    far = int(60 / rate)
    counts = np.bincount(steps + far, minlength=2 * far + 1)
    odds = np.exp(-rate)
    stated = odds ** np.abs(np.arange(-far, far + 1)) * (1 - odds) / (1 + odds)
    assert chi_square_p(counts, DRAWS * stated) > SIGNIFICANT


def test_that_groups_of_digits_have_the_ratio_of_neighbouring_steps():
    # The chances of two numbers of steps are those of their digits, in whole numbers. Beyond the
    # last one everything begins again, with the chance that is left.
    rate = 1 / 72
    digits = _digits(rate)
    chances = count_cells(digits.sampler) / WHOLE
    masks = np.append(np.diff(digits.shifts), 62)
    numbers = np.arange((digits.codes - 1) << digits.shifts[-1])
    places = (numbers[:, None] >> np.array(digits.shifts)) & ((1 << masks) - 1)
    right = chances[places, np.arange(len(masks))].prod(axis=1)
    np.testing.assert_allclose(np.log(right[1:] / right[:-1]), -rate, rtol=0, atol=1e-10)
    assert right.sum() == pytest.approx(1 / (1 + np.exp(-rate)) * (1 - np.exp(-rate * len(right))))
    beyond = chances[digits.codes - 1, -1] * (1 + np.exp(-rate))
    assert beyond == pytest.approx(np.exp(-rate * len(right)), rel=1e-10)
    places[:, -1] += digits.codes
    left = chances[places, np.arange(len(masks))].prod(axis=1)
    np.testing.assert_allclose(left / right, np.exp(-rate), rtol=1e-10)


def test_that_steps_beyond_the_highest_group_go_on_as_they_began():
    digits = _digits(1.0)
    stream = SeededStreams(1).stream("more")
    drawn = np.array([digits.draw_more(stream) for _ in range(20_000)])
    counts = np.bincount(drawn, minlength=60)
    stated = np.exp(-np.arange(len(counts))) * (1 - np.exp(-1))
    assert chi_square_p(counts, len(drawn) * stated) > SIGNIFICANT


def test_that_compiled_and_plain_noise_agree_number_by_number(monkeypatch):
    from designs import SALARY

    from ppworkbench.core.design import Additive
    from ppworkbench.core.design.noises import additive as module
    from ppworkbench.core.design.noises.additive import add_loop

    noise = Additive(noise="normal", sigma=500)
    data = np.random.default_rng(1).uniform(100, 10_000, 200_000)
    data[::7] = np.nan
    plain = noise.distort(data, SALARY, SeededStreams(4).stream("twin"))
    kernel = Kernel(add_loop)
    assert kernel.compile()
    monkeypatch.setattr(module, "ADD_KERNEL", kernel)
    compiled = noise.distort(data, SALARY, SeededStreams(4).stream("twin"))
    np.testing.assert_array_equal(compiled, plain)
    data[[5, -1]] = 10_001
    with pytest.raises(DesignError, match="2 values"):
        noise.distort(data, SALARY, SeededStreams(4).stream("twin"))
