"""Devices that people can use: what they can do, and designs that store them."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Forced,
    Identity,
    Ordinal,
    Related,
    Uniform,
    Unrelated,
)
from ppworkbench.core.design.design_file import (
    design_from_json,
    design_to_json,
    read_design,
    write_design,
)
from ppworkbench.core.design.devices import DEVICES, Device, exact_device, snap, snap_to, use_of
from ppworkbench.core.design.presets import Crosswise, Kuk, Mangat, Triangular
from ppworkbench.core.errors import DesignError, ParameterError
from ppworkbench.core.survey.estimates import share_errors

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"))
MOOD = Attribute("mood", Kind.NOMINAL, ("bad", "fair", "good"))
DIE = {"name": "die", "truth": [2, 3, 4, 5], "yes": [1], "no": [6]}


@pytest.mark.parametrize(
    ("name", "place", "chance"),
    [
        ("birthday-month", 3, 0.247091),
        ("birthday-month", 2, 0.162218),
        ("birthday-day", 5, 0.1643),
        ("birthday-day", 6, 0.1971),
        ("birthday-day", 10, 0.3285),
        ("birthday-day", 15, 0.4928),
        ("house-number", 4, 0.69897),
        ("house-number", 5, 0.77815),
        ("two-dice", 1, 1 / 36),
        ("two-dice", 10, 35 / 36),
        ("card-suit", 1, 0.25),
        ("card-rank", 4, 4 / 13),
        ("three-coins", 3, 3 / 8),
    ],
)
def test_that_a_device_has_its_probabilities(name, place, chance):
    kind = DEVICES[name]
    digits = {"birthday-month": 6, "house-number": 5}.get(name, 4)
    assert kind.probabilities()[place - 1] == pytest.approx(chance, abs=0.6 * 10**-digits)


@pytest.mark.parametrize("kind", [kind for kind in DEVICES.values() if kind.outcomes])
def test_that_the_outcomes_of_a_device_are_all_that_can_happen(kind):
    assert sum(kind.weights) == pytest.approx(1, abs=1e-15)
    assert all(weight > 0 for weight in kind.weights)
    assert len(set(kind.outcomes)) == len(kind.outcomes)


def test_that_the_sums_of_two_dice_are_counted_in_36():
    cumulated = [round(36 * chance) for chance in DEVICES["two-dice"].probabilities()]
    assert cumulated == [1, 3, 6, 10, 15, 21, 26, 30, 33, 35]


@pytest.mark.parametrize(
    ("truth", "die", "spinner"),
    [(0.862069, 4, 86), (0.714286, 4, 70), (0.471698, 2, 46)],
)
def test_that_forced_answers_stay_even_when_a_truth_is_snapped(truth, die, spinner):
    use = use_of(Forced(p_truth=truth), DRUG)
    assert snap(use, DEVICES["die"]).device.chance("truth") == Fraction(die, 6)
    assert snap(use, DEVICES["spinner"]).device.chance("truth") == Fraction(spinner, 100)


def test_that_two_dice_force_by_their_rare_sums():
    found = snap(use_of(Forced(p_truth=0.7), DRUG), DEVICES["two-dice"])
    assert found.device.to_json() == {
        "name": "two-dice",
        "truth": [5, 6, 7, 8, 9],
        "yes": [2, 3, 4],
        "no": [10, 11, 12],
    }
    assert found.snapped == pytest.approx(24 / 36)


def test_that_three_answers_share_a_ten_sided_die():
    found = snap(use_of(Forced(p_truth=0.5), MOOD), DEVICES["ten-sided-die"])
    assert found.device.chance("truth") == Fraction(4, 10)
    assert {found.device.chance(value) for value in MOOD.values} == {Fraction(1, 5)}


def test_that_crosswise_is_snapped_towards_one_half():
    asked = Crosswise(p=0.25).perturbation(DRUG.values)
    private, made = snap_to("birthday-month", asked, DRUG)
    assert private.device.outcomes("truth") == (1, 2, 3, 4)
    assert made.theta == float(Fraction(481, 1461))
    nearest, _ = snap_to("birthday-month", asked, DRUG, nearest=True)
    assert nearest.device.outcomes("truth") == (1, 2, 3)
    assert nearest.snapped == pytest.approx(0.247091, abs=1e-6)


def test_that_the_harmless_share_of_a_triangle_grows():
    asked = Triangular(p=0.24).perturbation(DRUG.values)
    found, made = snap_to("birthday-month", asked, DRUG)
    assert found.snapped == pytest.approx(0.247091, abs=1e-6)
    assert made.matrix(2)[1, 0] == pytest.approx(found.snapped)


def test_that_kuk_has_two_decks():
    asked = Kuk(red_yes=0.83, red_no=0.17).perturbation(DRUG.values)
    found, made = snap_to("deck", asked, DRUG)
    assert found.device.to_json() == {"name": "deck", "cards": 20, "yes": 16, "no": 4}
    assert made.matrix(2)[1].tolist() == [pytest.approx(0.2), 0.8]
    assert snap(use_of(asked, DRUG), DEVICES["die"]) is None


@given(st.floats(0.02, 0.98), st.sampled_from(list(DEVICES.values())))
def test_that_a_snap_never_tells_more(theta, kind):
    for asked in (Related(theta=theta), Forced(p_truth=theta), Unrelated(theta=theta)):
        found = snap(use_of(asked, DRUG), kind)
        if found is None:
            continue
        made = found.device.applied(asked, DRUG)
        told, wished = (abs(np.linalg.det(one.matrix(2))) for one in (made, asked))
        assert 0 < told <= wished + 1e-9
        nearest = snap(use_of(asked, DRUG), kind, nearest=True)
        assert abs(nearest.snapped - theta) <= abs(found.snapped - theta) + 1e-12


def test_that_a_probability_no_device_reaches_is_refused():
    with pytest.raises(ParameterError, match=r"no probability on the private side of 0\.1"):
        snap_to("die", Unrelated(theta=0.1), DRUG)
    with pytest.raises(ParameterError, match="There is no device 'roulette'"):
        snap_to("roulette", Unrelated(theta=0.1), DRUG)


@pytest.mark.parametrize(
    ("perturbation", "attribute"),
    [(Ordinal(weights=(0.7, 0.15)), MOOD), (Uniform(keep=0.2), MOOD), (Identity(), DRUG)],
)
def test_that_a_mechanism_without_a_device_says_so(perturbation, attribute):
    with pytest.raises(DesignError, match="no device that people can use"):
        snap_to("die", perturbation, attribute)


def test_that_the_usual_device_of_an_exact_mechanism_is_found():
    assert exact_device(Forced(p_truth=2 / 3), DRUG).name == "die"
    assert exact_device(Related(theta=0.7), DRUG).name == "spinner"
    assert exact_device(Unrelated(theta=0.75), DRUG).name == "two-coins"
    assert exact_device(Crosswise(p=0.25).perturbation(DRUG.values), DRUG).name == "card-suit"
    assert exact_device(Mangat(p=0.5).perturbation(DRUG.values), DRUG).name == "coin"
    assert exact_device(Related(theta=1 / math.e), DRUG) is None


def design_json(**fields):
    attribute = {
        "kind": "binary",
        "values": ["no", "yes"],
        "perturbation": {"type": "forced"},
        **fields,
    }
    return {"format": "ppworkbench-design", "version": 2, "attributes": {"drug": attribute}}


def test_that_a_design_takes_its_matrix_from_the_outcomes(tmp_path):
    design = design_from_json(design_json(device=DIE))
    one = design["drug"]
    assert one.perturbation == Forced(p_truth=2 / 3)
    assert one.perturbation.matrix(2)[1, 0] == pytest.approx(1 / 6, abs=1e-16)
    path = tmp_path / "design.json"
    write_design(design, path)
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["version"] == 2
    assert written["attributes"]["drug"]["device"] == DIE
    assert read_design(path) == design


def test_that_a_rounded_parameter_beside_a_device_is_made_exact():
    rounded = {"type": "forced", "p_truth": 0.667}
    design = design_from_json(design_json(perturbation=rounded, device=DIE))
    assert design["drug"].perturbation.p_truth == 2 / 3


def test_that_a_design_without_a_device_is_still_of_version_1():
    design = Design((DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),))
    assert design_to_json(design)["version"] == 1


def test_that_uneven_outcomes_force_unevenly():
    device = {"name": "die", "truth": [3, 4, 5, 6], "yes": [1, 2], "no": []}
    perturbation = design_from_json(design_json(device=device))["drug"].perturbation
    assert perturbation == Forced(p_truth=2 / 3, forced=(0.0, 1.0))


def test_that_a_changed_parameter_leaves_the_device():
    design = design_from_json(design_json(device=DIE))
    assert design.with_perturbation("drug", Forced(p_truth=0.6))["drug"].device is None
    assert design.with_perturbation("drug", Related(theta=0.6))["drug"].device is None
    same = design.with_perturbation("drug", Forced(p_truth=0.6666667))["drug"]
    assert same.device is not None
    assert same.perturbation.p_truth == 2 / 3


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"device": "die"}, "must be an object with a name"),
        ({"device": {"name": "roulette"}}, "must be an object with a name"),
        ({"device": {"name": "die", "truth": [7]}}, "no outcomes of the device 'die'"),
        ({"device": {"name": "die", "truth": [1, 1]}}, "no outcomes of the device 'die'"),
        ({"device": {"name": "die", "truth": [True]}}, "no outcomes of the device 'die'"),
        ({"device": {"name": "die", "truth": [[1]]}}, "no outcomes of the device 'die'"),
        ({"device": {"name": "die", "truth": 4}}, "no outcomes of the device 'die'"),
        ({"device": {"name": "spinner", "truth": 101}}, "no outcomes of the device 'spinner'"),
        ({"device": {"name": "deck", "cards": 1}}, "a deck has 2 to 1000 cards"),
        ({"device": {"name": "die", "truth": [1, 2]}}, "must say the outcomes of"),
        (
            {"device": {"name": "die", "truth": [1, 2, 3, 4], "yes": [5], "no": []}},
            "every outcome of the device must have one meaning",
        ),
        (
            {"device": {"name": "die", "truth": [1, 2, 3, 4], "yes": [1], "no": [6]}},
            "an outcome of the device has two meanings",
        ),
        (
            {"device": DIE, "perturbation": {"type": "forced", "p_truth": 0.8}},
            "'p_truth' is not what the outcomes of the device 'die' give",
        ),
        (
            {
                "device": {
                    "name": "birthday-month",
                    "truth": [3, 4, 5, 6, 7, 8, 9, 10],
                    "yes": [1, 2],
                    "no": [11, 12],
                    "standard_error": 0.01,
                }
            },
            "serves a device with one set of outcomes; this one has 3",
        ),
        ({"device": DIE, "perturbation": {"type": "none"}}, "no device that people can use"),
    ],
)
def test_that_a_wrong_device_is_refused_with_its_attribute(fields, sentence):
    with pytest.raises(DesignError) as refused:
        design_from_json(design_json(**fields))
    assert sentence in refused.value.message
    assert refused.value.attribute == "drug"
    assert refused.value.field == "device"


def test_that_a_deck_keeps_its_number_of_cards():
    given = {"name": "deck", "cards": 30, "truth": 21}
    device = Device.from_json(given, "drug")
    assert device.chance("truth") == Fraction(7, 10)
    assert device.to_json() == given


@pytest.mark.parametrize(
    "asked",
    [
        Forced(p_truth=0.6),
        Related(theta=0.7),
        Unrelated(theta=0.5),
        Kuk(red_yes=0.8, red_no=0.4).perturbation(DRUG.values),
    ],
    ids=lambda asked: asked.type_name,
)
@pytest.mark.parametrize("name", ["spinner", "deck"])
def test_that_a_device_of_cards_or_sectors_comes_back_from_its_file(name, asked):
    device = snap_to(name, asked, DRUG)[0].device
    assert Device.from_json(device.to_json(), "drug") == device


@pytest.mark.parametrize("share", [0.00005, 0.3, 0.99995])
def test_that_a_share_near_its_ends_still_has_an_error(share):
    device = Device("birthday-month", (("truth", (1, 2, 3)),)).with_share(share, 0.01)
    spread = device.spread(Related(theta=share), DRUG)
    assert spread == pytest.approx(0.01 * np.array([[1, -1], [-1, 1]]))
    asked = Design((DesignedAttribute(DRUG, Related(theta=share), device=device),))
    (error,) = share_errors(asked, ["drug"], lambda one: [one["drug"].perturbation.matrix(2)[0, 0]])
    assert error == pytest.approx(0.01)
