"""Every sampler against the probabilities it states, at a million draws."""

import numpy as np
import pytest
from designs import ALL_CASES, INTEGER_CASES, MATRIX_CASES, NOISE_CASES, REAL_CASES, case_name
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.design import Custom, Ordinal, Related, Uniform
from ppworkbench.core.design.noises import integer_edges
from ppworkbench.core.design.sampler import MatrixSampler
from ppworkbench.core.kernels import Kernel
from ppworkbench.core.rng import SecureStreams, SeededStreams

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


@pytest.mark.parametrize("streams", [SeededStreams(11), SecureStreams()], ids=["seed", "secure"])
@pytest.mark.parametrize(("attribute", "perturbation"), MATRIX_CASES, ids=case_name)
def test_that_a_matrix_is_drawn_as_stated(attribute, perturbation, streams):
    matrix = perturbation.matrix(attribute.k)
    per_column = DRAWS // attribute.k
    for column in range(attribute.k):
        data = np.full(per_column, column, np.int8)
        drawn = perturbation.distort(data, attribute, streams.stream("audit", str(column)))
        observed = np.bincount(drawn, minlength=attribute.k)
        assert chi_square_p(observed, per_column * matrix[:, column]) > SIGNIFICANT


@pytest.mark.parametrize(("attribute", "perturbation"), INTEGER_CASES, ids=case_name)
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


@pytest.mark.parametrize(("attribute", "perturbation"), REAL_CASES, ids=case_name)
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


@pytest.mark.parametrize(("attribute", "perturbation"), NOISE_CASES, ids=case_name)
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


@pytest.mark.parametrize("k", [2, 5, 127, 128, 200])
def test_that_compiled_and_plain_sampling_agree_answer_by_answer(k, monkeypatch):
    from ppworkbench.core.design import sampler as module

    rng = np.random.default_rng(k)
    codes = rng.integers(-1, k, 200_000).astype(np.int8 if k <= 127 else np.int16)
    matrix = rng.dirichlet(np.full(k, 0.5), k).T
    plain = MatrixSampler(matrix).draw(codes, SeededStreams(4).stream("twin"))
    kernels = Kernel(module._look_up_loop), Kernel(module._resolve_loop)
    for name, kernel in zip(("_look_up", "_resolve"), kernels, strict=True):
        assert kernel.compile()
        monkeypatch.setattr(module, name, kernel)
    compiled = MatrixSampler(matrix).draw(codes, SeededStreams(4).stream("twin"))
    np.testing.assert_array_equal(plain, compiled)


@pytest.mark.parametrize(("attribute", "perturbation"), ALL_CASES, ids=case_name)
def test_that_missing_answers_stay_missing(attribute, perturbation):
    stream = SeededStreams(1).stream("missing")
    if attribute.kind.is_categorical:
        given = np.array([-1, 0, -1], np.int8)
    else:
        given = np.array([np.nan, attribute.domain[1], np.nan])
    drawn = perturbation.distort(given, attribute, stream)
    categorical = perturbation.distorted(attribute).kind.is_categorical
    missing = drawn < 0 if categorical else np.isnan(drawn)
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


def test_that_compiled_and_plain_noise_agree_number_by_number(monkeypatch):
    from designs import SALARY

    from ppworkbench.core.design import Additive
    from ppworkbench.core.design.noises import additive as module
    from ppworkbench.core.design.noises.additive import add_loop
    from ppworkbench.core.errors import DesignError

    noise = Additive(noise="normal", sigma=500)
    data = np.random.default_rng(1).uniform(100, 10_000, 100_000)
    data[::7] = np.nan
    plain = noise.distort(data, SALARY, SeededStreams(4).stream("twin"))
    kernel = Kernel(add_loop)
    assert kernel.compile()
    monkeypatch.setattr(module, "ADD_KERNEL", kernel)
    compiled = noise.distort(data, SALARY, SeededStreams(4).stream("twin"))
    np.testing.assert_array_equal(compiled, plain)
    data[5] = 10_001
    with pytest.raises(DesignError, match="1 value"):
        noise.distort(data, SALARY, SeededStreams(4).stream("twin"))
