"""Named designs: their matrices, their recipes, and how they are recognised."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Custom, DesignedAttribute, Ordinal, Related, Uniform
from ppworkbench.core.design.matrices.custom import Orientation, parse_matrix
from ppworkbench.core.design.presets import GRR, InvariantPram, convert, named_design, presets
from ppworkbench.core.errors import DesignError
from ppworkbench.core.params import declarations

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
    values = values_for(preset)
    found = {c.name: c.preset for c in convert(preset.perturbation(values), values)}
    again = found[entry.name].perturbation(values).matrix(len(values))
    np.testing.assert_allclose(again, preset.perturbation(values).matrix(len(values)), atol=1e-9)


@pytest.mark.parametrize("entry", presets, ids=lambda entry: entry.name)
def test_that_a_chosen_design_is_known_by_its_perturbation_at_both_ends_of_its_range(entry):
    numbers = [d for d in declarations(entry.item) if d.type is float and not d.many]
    for preset in (
        entry.item(),
        *(entry.item(**{d.name: end}) for d in numbers for end in (d.within.low, d.within.high)),
    ):
        values = values_for(preset)
        chosen = preset.perturbation(values)
        found = named_design(chosen, values)
        assert found.name == entry.name
        again = found.preset.perturbation(values)
        assert again.named_design == chosen.named_design
        np.testing.assert_allclose(again.matrix(len(values)), chosen.matrix(len(values)), atol=1e-9)


@given(st.floats(0.0, 1.0), st.integers(0, 10_000), st.integers(2, 6))
def test_that_invariant_pram_is_recognised_with_any_shares(keep, seed, k):
    shares = np.random.default_rng(seed).dirichlet(np.ones(k))
    values = tuple("abcdef"[:k])
    chosen = InvariantPram(keep=keep, shares=tuple(shares)).perturbation(values)
    again = named_design(chosen, values).preset.perturbation(values)
    np.testing.assert_allclose(again.matrix(k), chosen.matrix(k), atol=1e-8)


def test_that_a_design_forgets_a_name_that_its_parameters_have_left():
    asked = Attribute("smokes", Kind.BINARY, YES_NO)
    mangat = presets["mangat"](p=0.7).perturbation(YES_NO)
    assert DesignedAttribute(asked, mangat).perturbation.named_design == "mangat"
    left = dataclasses.replace(mangat, keep_one=0.9)
    assert DesignedAttribute(asked, left).perturbation == Binary(keep_one=0.9, keep_zero=0.7)


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
    [("", "no matrix"), ("0.5 x 0.5", "is not a number"), ("1 0\n1", "have 2, 1 numbers")],
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
