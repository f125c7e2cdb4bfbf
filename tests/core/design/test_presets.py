"""Named designs: their matrices, their recipes, and how they are recognised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.design import Custom, Ordinal, Related, Uniform
from ppworkbench.core.design.import_matrix import Orientation, parse_matrix
from ppworkbench.core.design.presets import GRR, InvariantPram, convert, presets
from ppworkbench.core.errors import DesignError

YES_NO = ("no", "yes")
FIVE = ("a", "b", "c", "d", "e")


def values_for(preset):
    return YES_NO if preset.two_values else FIVE


@pytest.mark.parametrize("entry", presets, ids=lambda entry: entry.name)
def test_that_every_named_design_fills_a_matrix_and_says_its_recipe(entry):
    preset = entry.item()
    values = values_for(preset)
    matrix = preset.perturbation(values).matrix(len(values))
    np.testing.assert_allclose(matrix.sum(axis=0), 1, atol=1e-12)
    assert len(preset.recipe(values)) > 60
    assert preset.reference


@pytest.mark.parametrize("entry", presets, ids=lambda entry: entry.name)
def test_that_a_named_design_is_recognised_from_its_matrix(entry):
    preset = entry.item()
    if entry.name == "invariant-pram":
        pytest.skip("many parameters lead to one matrix")
    values = values_for(preset)
    found = {c.name: c.preset for c in convert(preset.perturbation(values), values)}
    again = found[entry.name].perturbation(values).matrix(len(values))
    np.testing.assert_allclose(again, preset.perturbation(values).matrix(len(values)), atol=1e-9)


@given(st.floats(0.01, 0.99))
def test_that_every_conversion_gives_the_same_matrix(theta):
    matrix = Related(theta=theta).matrix(2)
    for conversion in convert(Related(theta=theta), YES_NO):
        np.testing.assert_allclose(
            conversion.preset.perturbation(YES_NO).matrix(2), matrix, atol=1e-8
        )


@given(st.floats(0, 10), st.integers(2, 30))
def test_that_grr_reaches_its_epsilon(epsilon, k):
    matrix = GRR(epsilon=epsilon).perturbation(tuple(map(str, range(k)))).matrix(k)
    assert np.log(matrix[0, 0] / matrix[1, 0]) == pytest.approx(epsilon, abs=1e-9)


@given(st.integers(0, 10_000))
def test_that_invariant_pram_keeps_the_shares(seed):
    shares = np.random.default_rng(seed).dirichlet(np.ones(5))
    preset = InvariantPram(keep=0.7, shares=tuple(shares))
    np.testing.assert_allclose(preset.perturbation(FIVE).matrix(5) @ shares, shares, atol=1e-9)


def test_that_warner_mangat_and_crosswise_have_their_published_matrices():
    def matrix(name, **parameters):
        return presets[name](**parameters).perturbation(YES_NO).matrix(2).tolist()

    assert matrix("warner", p=0.75) == [[0.75, 0.25], [0.25, 0.75]]
    assert matrix("mangat", p=0.75) == [[0.75, 0.0], [0.25, 1.0]]
    assert matrix("crosswise", p=0.25) == [[0.25, 0.75], [0.75, 0.25]]
    assert matrix("triangular", p=0.25) == [[0.75, 0.0], [0.25, 1.0]]
    assert matrix("kuk", red_yes=0.75, red_no=0.25) == [[0.75, 0.25], [0.25, 0.75]]


def test_that_a_yes_no_design_refuses_more_answers():
    with pytest.raises(DesignError, match="2 answers, not 5"):
        presets["warner"]().perturbation(FIVE)


def test_that_a_matrix_is_imported_in_either_orientation():
    text = "\ta\tb\na\t0,9\t0,1\nb\t0,3\t0,7\n"
    rows = parse_matrix(text, Orientation.ROWS_ARE_TRUE)
    assert rows == Custom(((0.9, 0.3), (0.1, 0.7)))
    with pytest.raises(DesignError, match=r"sums to 1\.2 in column 1 \(true answer 'a'\)"):
        parse_matrix(text, Orientation.COLUMNS_ARE_TRUE, ("a", "b"))
    assert parse_matrix("0.9,0.3\n0.1,0.7\n", Orientation.COLUMNS_ARE_TRUE) == rows


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "no matrix"), ("0.5 x 0.5", "is no number"), ("1 0\n1", "have 2, 1 numbers")],
)
def test_that_a_pasted_text_that_is_no_matrix_is_refused(text, sentence):
    with pytest.raises(DesignError, match=sentence):
        parse_matrix(text, Orientation.COLUMNS_ARE_TRUE)


def test_that_a_band_is_recognised_with_and_without_the_loop():
    for loop in (True, False):
        band = Ordinal(weights=(0.6, 0.1, 0.1), loop=loop)
        found = {c.name: c.preset for c in convert(band, FIVE)}
        assert found["bandwidth"].bandwidth == 2
        assert found["bandwidth"].loop is loop


def test_that_a_singular_design_still_converts():
    names = {c.name for c in convert(Uniform(keep=0.2), FIVE)}
    assert {"grr", "pram", "forced-response"} <= names
