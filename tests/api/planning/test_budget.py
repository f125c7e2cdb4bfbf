"""Budgets, optimal matrices and devices in Python, which are those of the command line."""

from __future__ import annotations

import json

import pytest
from examples import sweep

import ppworkbench as pp
from ppworkbench.cli.main import main

NAMES = ("district", "age", "fare_evasion")
BUDGETS = {
    "as it is": ({}, []),
    "total": (
        {"total": 3.0, "rule": "max", "of": "variance", "weights": {"age": 2.0}, "n": 500},
        ["--total", "3", "--rule", "max", "--of", "variance", "--weight", "age=2", "--n", "500"],
    ),
    "locked": (
        {"total": 4.0, "locked": ["district"], "delta": 1e-8},
        ["--total", "4", "--lock", "district", "--delta", "1e-8"],
    ),
    "belief": (
        {"belief": 0.6, "data": "true.csv"},
        ["--belief", "0.6", "--data", "true.csv"],
    ),
    "some asked": (
        {"total": 2.0, "ask": 2, "together": [["district", "fare_evasion"]]},
        ["--total", "2", "--ask", "2", "--together", "district", "fare_evasion"],
    ),
}


@pytest.fixture
def asked(files, design) -> str:
    """The design without the question that is not randomised."""
    document = design.to_dict()
    del document["attributes"]["sex"]
    (files / "asked.json").write_text(json.dumps(document))
    return "asked.json"


def command(capsys, *words: str) -> tuple[dict, str]:
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert main(list(words)) == 0
    return document, capsys.readouterr().out.rstrip("\n").replace("\u202f", " ")


@pytest.mark.parametrize("name", BUDGETS)
def test_that_a_budget_is_that_of_the_command(name: str, asked, capsys) -> None:
    keywords, options = BUDGETS[name]
    found = pp.budget(asked, **keywords)
    document, printed = command(capsys, "budget", "--design", asked, *options)
    assert found.to_dict() == document
    assert found.summary().replace("\u202f", " ") == printed
    frame = found.to_frame()
    assert tuple(frame["attribute"]) == NAMES
    if "total" in keywords:
        assert found.found.distorted <= keywords["total"] * (1 + 1e-6)


def test_that_a_budget_is_written_and_refused_without_a_total(asked) -> None:
    made = pp.budget(asked, total=2.0, out="shared.json")
    assert pp.Design.read("shared.json").to_dict() == pp.Design.of(made.design).to_dict()
    with pytest.raises(pp.WorkbenchError, match="a total or a belief"):
        pp.budget(asked, rule="equal")


@pytest.mark.parametrize(
    ("keywords", "options"),
    sweep(
        [
            (
                {"target_loss": 0.2, "family": "uniform"},
                ["--target-loss", "0.2", "--family", "uniform"],
            ),
            ({"points": 3, "n": 200}, ["--points", "3", "--n", "200"]),
            (
                {"target": 0.6, "privacy": "attack_success", "family": "any", "data": "true.csv"},
                ["--target", "0.6", "--family", "any", "--data", "true.csv"],
            ),
        ],
        quick=1,
    ),
)
def test_that_an_optimal_matrix_is_that_of_the_command(keywords, options, files, capsys) -> None:
    found = pp.optimise("design.json", "district", **keywords)
    words = ["optimise", "--design", "design.json", "--attribute", "district"]
    document, printed = command(capsys, *words, *options)
    assert found.to_dict() == document
    assert found.summary().replace("\u202f", " ") == printed
    assert len(found.to_frame()) == len(document.get("points", [0]))


def test_that_a_frontier_is_drawn_and_a_target_changes_the_design(files) -> None:
    frontier = pp.optimise("design.json", "fare_evasion", points=3)
    drawn = frontier.plot().get_lines()[1]
    assert drawn.get_ydata().tolist() == frontier.to_frame()["information_loss"].tolist()
    best = pp.optimise("design.json", "fare_evasion", target=0.75, out="best.json")
    assert pp.Design.read("best.json")["fare_evasion"] == best.design["fare_evasion"]
    with pytest.raises(pp.WorkbenchError, match="not both"):
        pp.optimise("design.json", "fare_evasion", target=0.7, target_loss=0.1)


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        ({}, []),
        ({"probability": 0.7, "nearest": True}, ["--probability", "0.7", "--nearest"]),
        (
            {"design": "design.json", "attribute": "fare_evasion", "half_width": 0.1,
             "data": "true.csv"},
            ["--design", "design.json", "--attribute", "fare_evasion", "--half-width", "0.1",
             "--data", "true.csv"],
        ),
        (
            {"design": "design.json", "attribute": "fare_evasion", "use": "die", "out": "d.json"},
            ["--design", "design.json", "--attribute", "fare_evasion", "--use", "die", "--out",
             "d.json", "--force"],
        ),
    ],
)  # fmt: skip
def test_that_devices_are_those_of_the_command(keywords, options, files, capsys) -> None:
    found = pp.devices(**keywords)
    document, printed = command(capsys, "devices", *options)
    assert found.to_dict() == document
    assert found.summary().replace("\u202f", " ") == printed
    assert "die" in found.to_frame()["device"].tolist()
    if "out" in keywords:
        assert pp.Design.read("d.json")["fare_evasion"] == found.design["fare_evasion"]


def test_that_what_cannot_be_asked_of_devices_is_refused(files) -> None:
    with pytest.raises(pp.WorkbenchError, match="need each other"):
        pp.devices("design.json")
    with pytest.raises(pp.WorkbenchError, match="need a device to use"):
        pp.devices(out="d.json")
    with pytest.raises(pp.WorkbenchError, match="needs a design"):
        pp.devices(use="die")
