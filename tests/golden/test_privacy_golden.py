"""Privacy numbers that are known from the papers or by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Binary,
    Discretise,
    MatrixPerturbation,
    Ordinal,
    Uniform,
    Unrelated,
)
from ppworkbench.core.privacy.agrawal_srikant import agrawal_srikant_widths
from ppworkbench.core.privacy.assess import assess_attribute
from ppworkbench.core.privacy.basic import basic_privacy
from ppworkbench.core.privacy.entropy import noise_entropy_privacy
from ppworkbench.core.privacy.entropy import range_privacy as range_percent
from ppworkbench.core.privacy.prior import Prior
from ppworkbench.core.privacy.reinterrogation import reconstruction_probability

EMPLOYMENT = Attribute("employment", Kind.ORDINAL, tuple("abcdefgh"))
EMPLOYED = Prior.from_weights(EMPLOYMENT, [62, 172, 339, 174, 253, 0, 0, 0])
SCORE = Attribute("score", Kind.CONTINUOUS, domain=(0, 10))
ITEM = Attribute("item", Kind.BINARY, ("0", "1"))


@pytest.mark.parametrize(
    ("perturbation", "expected", "measured"),
    [
        (Ordinal(weights=(0.6, 0.2), loop=False), 5.311, 5.30),
        (Ordinal(weights=(0.6, 0.2), loop=True), 5.514, 5.50),
        (Uniform(keep=0.6), 6.966, 6.95),
    ],
)
def test_that_entropy_privacy_of_employment_is_that_of_the_thesis(
    perturbation: MatrixPerturbation, expected: float, measured: float
) -> None:
    """Andruszkiewicz 2011, chapter 5: the thesis measured on one distorted sample."""
    value = assess_attribute((EMPLOYMENT, perturbation), EMPLOYED).privacy["entropy"].value
    assert round(value, 3) == expected
    assert value == pytest.approx(measured, abs=0.02)


@pytest.mark.parametrize(("q", "expected"), [(0.97, 0.648), (0.87, 0.820), (0.77, 0.869)])
def test_that_basic_privacy_at_support_a_tenth_is_known(q: float, expected: float) -> None:
    """Andruszkiewicz 2011, chapter 4: 63.8, 81 and 86.1 % there, at another average support."""
    assert round(basic_privacy(0.1, 0.5, q), 3) == expected
    prior = Prior.from_weights(ITEM, [0.9, 0.1])
    report = assess_attribute((ITEM, Binary(keep_one=0.5, keep_zero=q)), prior)
    assert round(report.privacy["basic"].value, 3) == expected


@pytest.mark.parametrize(
    ("share", "theta", "expected"),
    [(0.5, 0, 0.5), (0.5, 0.5, 0.375), (0.5, 0.8, 0.18), (0.5, 1, 0), (0.1, 0.5, 0.1607)],
)
def test_that_privacy_of_a_single_entry_is_known_at_even_personal_answers(
    share: float, theta: float, expected: float
) -> None:
    """Zhan and Matwin 2007, section 4.1."""
    prior = Prior.from_weights(ITEM, [1 - share, share])
    report = assess_attribute((ITEM, Unrelated(theta=theta, personal=(0.5, 0.5))), prior)
    assert round(report.privacy["pse"].value, 4) == expected


def test_that_the_printed_pse_agrees_where_personal_answers_are_even() -> None:
    """At w = 1/2 the printed sum of Zhan and Matwin is the same number."""
    wa, theta, wy = 0.3, 0.6, 0.5
    one, zero = theta + (1 - theta) * wy, theta + (1 - theta) * (1 - wy)
    flip = (1 - theta) * (1 - wy)
    printed = (1 - wa) * wa * (1 - theta) * one / (one * wa + (1 - theta) * wy * (1 - wa))
    printed += 2 * wa * (1 - wa) * flip * zero / (zero * (1 - wa) + flip * wa)
    prior = Prior.from_weights(ITEM, [1 - wa, wa])
    report = assess_attribute((ITEM, Unrelated(theta=theta, personal=(1 - wy, wy))), prior)
    assert report.privacy["pse"].value == pytest.approx(printed)


def test_that_agrawal_srikant_widths_of_normal_noise_are_known_multiples_of_sigma() -> None:
    """Agrawal and Srikant 2000, table 1."""
    widths = agrawal_srikant_widths(Additive(noise="normal", sigma=1.0), SCORE)
    assert widths is not None
    found = dict(widths)
    assert round(found[0.5], 3) == 1.349
    assert round(found[0.95], 2) == 3.92
    assert round(found[0.999], 2) == 6.58


@pytest.mark.parametrize(
    ("perturbation", "width"),
    [(Additive(noise="uniform", half_width=3), 6.0), (Discretise(intervals=4), 2.5)],
)
def test_that_agrawal_srikant_widths_are_the_confidence_times_the_full_width(
    perturbation: Additive | Discretise, width: float
) -> None:
    widths = agrawal_srikant_widths(perturbation, SCORE)
    assert widths is not None
    for confidence, found in widths:
        assert found == pytest.approx(confidence * width)


def test_that_entropy_privacy_of_noise_is_its_equivalent_width() -> None:
    assert noise_entropy_privacy(Additive(noise="uniform", half_width=5), SCORE) == 10
    normal = noise_entropy_privacy(Additive(noise="normal", sigma=1), SCORE)
    assert normal is not None
    assert round(normal, 4) == 4.1327
    assert normal == pytest.approx(math.sqrt(2 * math.pi * math.e))


def test_that_a_range_privacy_of_100_percent_on_range_10_is_half_width_5() -> None:
    """Andruszkiewicz 2011, section 3.5.5."""
    noise = Additive(noise="uniform", half_width=5)
    width = noise_entropy_privacy(noise, SCORE)
    assert width is not None
    assert range_percent(width, SCORE) == 100
    asked = Additive(noise="uniform", range_privacy=100)
    assert asked.noise_of(SCORE).scale == pytest.approx(5)
    report = assess_attribute((SCORE, asked))
    assert report.privacy["range_percent"].value == pytest.approx(100)


def test_that_the_conditional_privacy_of_uniform_noise_on_a_uniform_number_is_known() -> None:
    """X and Y uniform on widths w: Z is triangular and I(X;Z) = 1 / (2 ln 2) bits."""
    report = assess_attribute((SCORE, Additive(noise="uniform", half_width=5)))
    loss = 1 - math.exp(-0.5)
    assert report.privacy["conditional_loss"].value == pytest.approx(loss, abs=1e-4)
    assert report.privacy["conditional"].value == pytest.approx(10 * math.exp(-0.5), abs=1e-3)


def test_that_reconstruction_from_a_pair_is_as_worked_out_by_hand() -> None:
    """Two items that are always bought together, each bit kept with 0.9."""
    channel = np.array([[0.9, 0.1], [0.1, 0.9]])
    both = [0.5, 0.0, 0.0, 0.5]
    # Published 11 or 00: posterior 0.81/0.82 or 0.01/0.82; 01 and 10 leave a half.
    expected = 0.81 * 0.81 / 0.82 + 0.01 * 0.01 / 0.82 + 2 * 0.09 * 0.5
    found = reconstruction_probability(both, [channel, channel])
    assert found.tolist() == pytest.approx([expected, expected])
