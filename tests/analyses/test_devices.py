"""What the window offers of devices is what the command line says."""

from __future__ import annotations

import json

import pytest
from studies import make_study

from ppworkbench.analyses.designs.devices import (
    can_have_device,
    device_sentence,
    find_device_warning,
    fraction_text,
    offer_devices,
    questions_with_cards,
    questions_without_device,
    share_sentence,
    share_shift,
    study_cards,
    with_device,
    with_own_share,
)
from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Forced
from ppworkbench.core.design.design_file import design_from_json, design_to_json, write_design
from ppworkbench.core.design.devices import DEVICES, Device
from ppworkbench.core.design.presets import Crosswise
from ppworkbench.study.fingerprint import fingerprint
from ppworkbench.study.study import PriorChoice, Study

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))


def study_of(perturbation, count=1):
    listed = tuple(
        DesignedAttribute(DRUG.with_(name=f"drug{i}" if i else "drug"), perturbation)
        for i in range(count)
    )
    return Study(design=Design(listed))


@pytest.mark.parametrize("nearest", [False, True])
def test_that_window_and_command_line_offer_the_same(tmp_path, capsys, nearest):
    study = study_of(Forced(p_truth=0.7))
    path = tmp_path / "design.json"
    write_design(study.design, path)
    offers = offer_devices(study, "drug", nearest=nearest)
    words = ["devices", "--design", str(path), "--attribute", "drug", "--json"]
    words += ["--half-width", str(offers.half_width), *(["--nearest"] if nearest else [])]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["respondents"] == offers.respondents
    found = {one.name: (one.snapped, one.respondents) for one in offers.offers}
    assert found == {
        name: (one["snapped"], one["respondents"]) for name, one in told["devices"].items()
    }


def test_that_a_chosen_device_stays_as_it_was_chosen():
    study = study_of(Crosswise(p=0.25).perturbation(DRUG.values))
    offers = offer_devices(study, "drug", nearest=True)
    own = with_own_share(study, offers, offers.find("birthday-month"), 0.26, 0.01)
    assert own.extra > 0
    chosen = with_device(study, "drug", own)
    assert chosen.design["drug"].perturbation.theta == 0.26
    again = offer_devices(chosen, "drug").find("birthday-month")
    assert again.device == own.device
    assert again.extra == 0
    stored = design_from_json(design_to_json(chosen.design))
    assert stored == chosen.design


def test_that_the_error_of_a_share_is_part_of_what_results_depend_on():
    study = study_of(Crosswise(p=0.25).perturbation(DRUG.values))
    offers = offer_devices(study, "drug", nearest=True)
    month = offers.find("birthday-month")
    exact, wide = (
        with_device(study, "drug", with_own_share(study, offers, month, None, error))
        for error in (None, 0.02)
    )
    assert exact.design["drug"].perturbation == wide.design["drug"].perturbation
    assert fingerprint(exact) != fingerprint(wide)


def test_that_many_devices_are_warned_of_and_the_page_is_none():
    study = study_of(Forced(p_truth=0.5), 4)
    names = ("two-coins", "die", "page", "spinner")
    for place, (name, device) in enumerate(zip(study.design.names, names, strict=True)):
        offer = offer_devices(study, name, nearest=True).find(device)
        study = with_device(study, name, offer)
        assert bool(find_device_warning(study.design)) == (place == 3)
    assert str(device_sentence(study.design, "drug2")) == "None: the questionnaire page draws"
    assert "drug2" not in questions_with_cards(study.design)
    assert {card.attribute for card in study_cards(study, ("en",))} == {"drug", "drug1", "drug3"}


def test_that_questions_without_an_exact_device_have_no_card():
    study = study_of(Forced(p_truth=0.61234))
    assert study_cards(study, ("en", "pl")) == []
    assert questions_without_device(study) == ("drug",)


def test_that_numbers_have_no_device():
    study = make_study("Small", rows=30)
    numbers = [one.name for one in study.design if one.attribute.kind.is_numeric]
    assert numbers
    assert not any(can_have_device(study, name) for name in numbers)


@pytest.mark.parametrize("name", DEVICES)
def test_that_fractions_are_those_of_the_outcomes(name):
    kind = DEVICES[name]
    parts = () if kind.does_anything else (("truth", kind.outcomes[:1]),)
    said = fraction_text(Device(name, parts))
    if kind.does_anything or kind.is_natural:
        assert said == ""
    else:
        above, below = map(int, said.split("/"))
        assert above / below == pytest.approx(float(kind.weights[0]))


def with_natural(perturbation, device, weights):
    """A study whose question is randomised by birthdays, with expected answers."""
    study = study_of(perturbation)
    offer = offer_devices(study, "drug", nearest=True).find(device)
    study = with_device(study, "drug", offer)
    return study.with_choice("drug", PriorChoice("drawn", weights))


def test_that_an_assumed_share_says_what_2_points_in_it_change():
    study = with_natural(Crosswise(p=0.25).perturbation(DRUG.values), "birthday-month", (0.8, 0.2))
    # The estimate is (share of "both the same" + p - 1) / (2p - 1), with the assumed p.
    p, true = float(study.design["drug"].device.chance("truth")), 0.2
    for by in (0.02, -0.02):
        same = (p + by) * true + (1 - p - by) * (1 - true)
        assert share_shift(study, "drug", by) == pytest.approx((same + p - 1) / (2 * p - 1) - true)
    told = share_sentence(study, "drug")
    assert told.args["change"] == pytest.approx(100 * 0.02 * 0.6 / abs(2 * p - 1))
    assert "“yes”" in told


def test_that_an_exact_device_has_no_assumed_share():
    study = with_natural(Crosswise(p=0.25).perturbation(DRUG.values), "card-suit", (0.8, 0.2))
    assert study.design["drug"].device is not None
    assert share_sentence(study, "drug") is None
    assert share_sentence(study_of(Forced(p_truth=0.7)), "drug") is None


def test_that_a_forced_answer_by_birthdays_keeps_its_shares_whole():
    months = tuple(range(1, 13))
    parts = (("truth", months[:8]), ("yes", months[8:9]), ("no", months[9:]))
    month = Device("birthday-month", parts)
    made = month.applied(Forced(p_truth=0.7), DRUG)
    study = Study(design=Design((DesignedAttribute(DRUG, made, device=month),)))
    # More truth takes from both forced answers in proportion: P changes by 0.02 (I - f 1').
    forced = study.design["drug"].perturbation
    yes = forced.matrix(2)[1, 0] / (1 - forced.p_truth)
    wanted = 0.02 / forced.p_truth * (0.5 - yes)
    assert share_shift(study, "drug") == pytest.approx(wanted, abs=1e-12)
