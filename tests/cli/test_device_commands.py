"""Devices and cards on the command line."""

from __future__ import annotations

import json

import pytest

from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.devices import DEVICES

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
TOWN = Attribute("town", Kind.NOMINAL, ("A", "B"))


@pytest.fixture
def design(tmp_path):
    path = tmp_path / "design.json"
    listed = (
        DesignedAttribute(DRUG, Forced(p_truth=0.714286)),
        DesignedAttribute(TOWN, Identity()),
    )
    write_design(Design(listed), path)
    return str(path)


def answer(capsys, *argv):
    status = cli.main([*argv, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_that_all_devices_are_listed(capsys):
    status, told = answer(capsys, "devices")
    assert status == 0
    assert [one["name"] for one in told["devices"]] == list(DEVICES)
    assert told["devices"][3]["probabilities"] == pytest.approx([j / 6 for j in range(1, 6)])
    assert cli.main(["devices"]) == 0
    assert "Sum of two dice" in capsys.readouterr().out


def test_that_a_probability_is_snapped_to_the_private_side(capsys):
    _, told = answer(capsys, "devices", "--probability", "0.8")
    found = told["devices"]
    assert found["die"]["snapped"] == pytest.approx(4 / 6)
    assert found["ten-sided-die"]["snapped"] == pytest.approx(0.8)
    assert found["page"]["snapped"] == 0.8
    _, told = answer(capsys, "devices", "--probability", "0.8", "--nearest")
    assert told["devices"]["die"]["snapped"] == pytest.approx(5 / 6)


def test_that_a_device_says_what_it_costs_and_is_stored(design, tmp_path, capsys):
    out = tmp_path / "with-die.json"
    status, told = answer(
        capsys, "devices", "--design", design, "--attribute", "drug", "--use", "die",
        "--out", str(out),
    )  # fmt: skip
    assert status == 0
    die = told["devices"]["die"]
    assert (die["exact"], die["snapped"]) == (0.714286, pytest.approx(2 / 3))
    assert die["respondents"] > told["respondents"]
    stored = read_design(out)["drug"]
    assert stored.device.to_json() == told["device"]
    assert stored.perturbation.p_truth == 2 / 3
    assert cli.main(["devices", "--design", design, "--attribute", "drug"]) == 0
    assert "respondents for ± 5 points" in capsys.readouterr().out


def test_that_cards_are_written_in_two_languages(design, tmp_path, capsys):
    stored, out = tmp_path / "die.json", tmp_path / "cards.html"
    arguments = ["devices", "--design", design, "--attribute", "drug", "--use", "die"]
    assert cli.main([*arguments, "--out", str(stored)]) == 0
    capsys.readouterr()
    status, told = answer(
        capsys, "cards", "--design", str(stored), "--out", str(out), "--language", "en,pl"
    )
    assert status == 0
    assert (told["cards"], told["languages"], told["attributes"]) == (2, ["en", "pl"], ["drug"])
    assert told["remarks"] == ["No card for town."]
    text = out.read_text(encoding="utf-8")
    assert "Roll the die so that only you see it." in text
    assert "Rzuć kostką" in text


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["devices", "--probability", "0.005"], 1, "No device reaches a probability of 0.005"),
        (["devices", "--probability", "1.5"], 1, "must be above 0 and below 1"),
        (["devices", "--attribute", "drug"], 2, "need each other"),
        (["devices", "--use", "die"], 2, "need each other"),
        (["devices", "--design", "{design}", "--attribute", "town"], 1, "no device that people"),
        (
            ["devices", "--design", "{design}", "--attribute", "drug", "--use", "coin",
             "--out", "{out}"],
            1,
            "The device 'coin' reaches no probability on the private side of 0.7143",
        ),
        (
            ["devices", "--design", "{design}", "--attribute", "drug", "--use", "roulette",
             "--out", "{out}"],
            1,
            "There is no device 'roulette'",
        ),
        (["cards", "--design", "{design}", "--out", "{out}"], 1, "no device does its probab"),
        (
            ["cards", "--design", "{design}", "--out", "{out}", "--language", "en,de"],
            1,
            "There are no cards in the language 'de'",
        ),
    ],
)  # fmt: skip
def test_that_a_wrong_device_is_told_in_one_sentence(
    design, tmp_path, capsys, arguments, status, sentence
):
    out = tmp_path / "out.html"
    words = [word.format(design=design, out=out) for word in arguments]
    assert cli.main(words) == status
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not out.exists()
