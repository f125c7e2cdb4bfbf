"""Devices and cards on the command line."""

from __future__ import annotations

import json
import re

import pytest

from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Forced, Identity
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.devices import DEVICES
from ppworkbench.core.design.presets import Crosswise

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


def test_that_devices_are_offered_for_a_question_of_arms(tmp_path, capsys):
    listed = (DesignedAttribute(DRUG, Forced(p_truth=0.7)),)
    members = DesignArm("A", 0.5), DesignArm("B", 0.5, (("drug", Forced(p_truth=0.5)),))
    path, out = tmp_path / "arms.json", tmp_path / "die.json"
    write_design(Design(listed, arms=Arms("version", members)), path)
    options = ("--attribute", "drug", "--use", "die", "--out", str(out))
    status, told = answer(capsys, "devices", "--design", str(path), *options)
    assert status == 0
    assert "the design's own device" in told["remarks"][0]
    changed = read_design(out)
    assert changed["drug"].device.name == "die"
    assert changed.arms.members == members


def test_that_cards_are_printed_as_pdf_for_one_arm(tmp_path, capsys):
    members = (
        DesignArm("A", 0.5),
        DesignArm("B", 0.5, perturbations=(("drug", Forced(p_truth=0.5)),)),
    )
    listed = (DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),)
    path, out = tmp_path / "arms.json", tmp_path / "cards.pdf"
    write_design(Design(listed, arms=Arms("version", members)), path)
    status, told = answer(
        capsys, "cards", "--design", str(path), "--out", str(out), "--language", "en,pl"
    )
    assert status == 0
    assert (told["cards"], told["arms"]) == (4, ["A", "B"])
    content = out.read_bytes()
    assert content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b(?!s)", content)) == 4
    page = tmp_path / "cards.html"
    status, told = answer(capsys, "cards", "--design", str(path), "--out", str(page), "--arm", "B")
    assert (status, told["cards"]) == (0, 1)
    assert "Version B" in page.read_text(encoding="utf-8")


def test_that_an_own_share_is_stored_and_widens_intervals(tmp_path, capsys):
    asked = Crosswise(p=0.25).perturbation(DRUG.values)
    path, out = tmp_path / "cross.json", tmp_path / "month.json"
    write_design(Design((DesignedAttribute(DRUG, asked),)), path)
    status, told = answer(
        capsys, "devices", "--design", str(path), "--attribute", "drug", "--use",
        "birthday-month", "--share", "0.26", "--share-se", "0.02", "--nearest", "--out", str(out),
    )  # fmt: skip
    assert status == 0
    assert told["device"] == {
        "name": "birthday-month", "truth": [1, 2, 3], "share": 0.26, "standard_error": 0.02,
    }  # fmt: skip
    stored = read_design(out)["drug"]
    assert stored.perturbation.theta == 0.26
    assert stored.device.standard_error == 0.02
    rows = tmp_path / "rows.csv"
    rows.write_text("drug\n" + "yes\n" * 640 + "no\n" * 360, encoding="utf-8")
    for command in (["reconstruct"], ["count", "--where", "drug = yes"]):
        words = [command[0], str(rows), *command[1:], "--design", str(out)]
        status, found = answer(capsys, *words)
        assert status == 0
        result = found if command[0] == "count" else found["attributes"]["drug"]
        assert "the error of the share that a device rests on" in result["contains"]
        scale, share = (1, 1000) if command[0] == "count" else (0, 1)
        error = result["standard_error"] if scale else result["standard_error"][1]
        truth = (0.64 - 0.74) / (2 * 0.26 - 1)
        moved = (1 - 2 * truth) / (2 * 0.26 - 1) * 0.02
        assert (error / share) ** 2 == pytest.approx(
            0.64 * 0.36 / 1000 / 0.48**2 + moved**2, rel=2e-3
        )


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["devices", "--probability", "0.005"], 1, "No device reaches a probability of 0.005"),
        (["devices", "--probability", "1.5"], 1, "must be above 0 and below 1"),
        (["devices", "--attribute", "drug"], 2, "need each other"),
        (["devices", "--use", "die"], 2, "need each other"),
        (["devices", "--share", "0.2"], 2, "need --use"),
        (
            ["devices", "--design", "{design}", "--attribute", "drug", "--use", "die",
             "--share", "0.7", "--out", "{out}"],
            1,
            "The shares of the device 'die' are exact",
        ),
        (["cards", "--design", "{design}", "--out", "cards.txt"], 2, "an .html or .pdf file"),
        (
            ["cards", "--design", "{design}", "--out", "{out}", "--arm", "A"],
            1,
            "The design has no arms",
        ),
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
