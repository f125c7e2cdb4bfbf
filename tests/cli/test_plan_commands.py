"""Planning a survey on the command line: how many people to ask, and how to distort."""

from __future__ import annotations

import json

import pytest

from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Additive,
    Design,
    DesignedAttribute,
    Ordinal,
    Related,
    Uniform,
)
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.sets import Subset
from ppworkbench.core.privacy.optimiser import EXPOSURES, FAMILIES
from ppworkbench.core.privacy.utility.planning import MEASURES, plan

SMOKES = Attribute("smokes", Kind.BINARY, ("no", "yes"))
MOOD = Attribute("mood", Kind.ORDINAL, ("bad", "fair", "good"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
DESIGN = Design(
    (
        DesignedAttribute(SMOKES, Related(theta=0.7)),
        DesignedAttribute(MOOD, Ordinal(weights=(0.7, 0.15))),
        DesignedAttribute(AGE, Additive(half_width=10)),
    )
)


@pytest.fixture
def design(tmp_path):
    path = tmp_path / "design.json"
    write_design(DESIGN, path)
    return str(path)


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "pilot.csv"
    rows = [
        f"{'yes' if i % 10 == 0 else 'no'},{MOOD.values[i % 3]},{20 + i % 50}" for i in range(200)
    ]
    path.write_text("smokes,mood,age\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def answer(capsys, *argv):
    status = cli.main([*argv, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_that_a_plan_counts_respondents_for_the_worst_attribute(design, capsys):
    status, told = answer(capsys, "plan", "--design", design, "--target-error", "0.02")
    assert status == 0
    each = {name: one["respondents"] for name, one in told["attributes"].items()}
    assert told["respondents"] == max(each.values())
    # Warner with half the people saying yes: 0.25 / 0.16 / 0.0004.
    assert each["smokes"] == pytest.approx(0.25 / 0.4**2 / 0.02**2, abs=1)
    assert each["age"] < each["smokes"]
    assert told["decisive"] == "smokes"


def test_that_a_pilot_changes_the_plan(design, pilot, capsys):
    arguments = ["plan", "--design", design, "--target-error", "0.02", "--attribute", "smokes"]
    _, without = answer(capsys, *arguments)
    _, with_pilot = answer(capsys, *arguments, "--data", pilot)
    assert list(with_pilot["attributes"]) == ["smokes"]
    # With one in ten saying yes, 34 % of the published answers do.
    expected = 0.34 * 0.66 / 0.4**2 / 0.02**2
    assert with_pilot["respondents"] == pytest.approx(expected, abs=1)
    assert with_pilot["respondents"] < without["respondents"]


@pytest.mark.parametrize("measure", MEASURES)
def test_that_the_measure_of_a_plan_can_be_chosen(design, capsys, measure):
    status, told = answer(
        capsys, "plan", "--design", design, "--target-error", "0.05", "--measure", measure
    )
    assert status == 0
    assert told["measure"] == measure
    assert told["respondents"] == plan(DESIGN, None, 0.05, measure).respondents


def test_that_one_value_needs_no_more_than_the_worst(design, capsys):
    common = ["plan", "--design", design, "--target-error", "0.02", "--attribute", "mood"]
    _, worst = answer(capsys, *common)
    needed = [answer(capsys, *common, "--value", value)[1]["respondents"] for value in MOOD.values]
    assert max(needed) == worst["respondents"]
    assert worst["attributes"]["mood"]["decisive"] in MOOD.values


def test_that_an_interval_of_a_number_can_be_planned_for(design, capsys):
    common = ["plan", "--design", design, "--target-error", "0.02", "--attribute", "age"]
    _, of_mean = answer(capsys, *common)
    assert of_mean["attributes"]["age"]["decisive"] == "mean"
    _, of_interval = answer(capsys, *common, "--value", "40")
    low, high = of_interval["attributes"]["age"]["decisive"].split(" to ")
    assert int(low) <= 40 <= int(high)
    assert of_interval["respondents"] > of_mean["respondents"]


def test_that_a_plan_for_an_impossible_design_is_infinite(tmp_path, capsys):
    path = tmp_path / "blind.json"
    write_design(Design((DesignedAttribute(SMOKES, Uniform(keep=0.5)),)), path)
    status, told = answer(capsys, "plan", "--design", str(path), "--target-error", "0.02")
    assert status == 0
    assert told["respondents"] == "inf"
    assert cli.main(["plan", "--design", str(path), "--target-error", "0.02"]) == 0
    assert "No sample size is enough for 'smokes'" in capsys.readouterr().out


def test_that_a_plan_reads_well(design, capsys):
    assert cli.main(["plan", "--design", design, "--target-error", "0.02"]) == 0
    told = capsys.readouterr().out
    assert "3,907 respondents; 'smokes' needs the most." in told
    assert told.startswith(
        "Respondents for a standard error of at most 0.02; of a mean, as a share"
    )


@pytest.mark.parametrize(
    ("more", "status", "sentence"),
    [
        (["--target-error", "0"], 2, "is 0; it must be above 0"),
        (["--target-error", "x"], 2, "'x'; it must be a number"),
        (["--target-error", "0.1", "--attribute", "iq"], 1, "no attribute 'iq'"),
        (["--target-error", "0.1", "--value", "yes"], 1, "needs the attribute it belongs to"),
        (
            ["--target-error", "0.1", "--attribute", "mood", "--value", "so"],
            1,
            "has no value 'so'; it has 'bad', 'fair', 'good'",
        ),
        (["--target-error", "0.1", "--attribute", "age", "--value", "7"], 1, "has no value '7'"),
        (["--target-error", "0.1", "--measure", "luck"], 2, "'luck'; it must be one of"),
    ],
)
def test_that_a_wrong_plan_is_told_in_one_sentence(design, capsys, more, status, sentence):
    assert cli.main(["plan", "--design", design, *more]) == status
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.count("\n") == 1


@pytest.mark.slow
def test_that_the_frontier_is_printed(design, pilot, capsys):
    arguments = ["optimise", "--design", design, "--attribute", "mood", "--points", "3"]
    assert cli.main(arguments) == 0
    told = capsys.readouterr().out
    assert "attack success" in told
    assert "uniform loss" in told
    status, document = answer(capsys, *arguments, "--data", pilot)
    assert status == 0
    assert document["n"] == 200
    assert len(document["points"]) == 3
    for point in document["points"]:
        assert point["information_loss"] <= point["uniform_information_loss"] * (1 + 1e-6)


def test_that_the_optimal_perturbation_is_written_into_a_design(design, tmp_path, capsys):
    out = tmp_path / "better.json"
    status, told = answer(
        capsys, "optimise", "--design", design, "--attribute", "mood", "--n", "500",
        "--privacy", "worst-posterior", "--family", "any", "--target", "0.6", "--out", str(out),
    )  # fmt: skip
    assert status == 0
    assert told["privacy"] <= 0.6 + 1e-9
    assert told["n"] == 500
    written = read_design(out)
    assert written["mood"].perturbation.to_json() == told["perturbation"]
    assert written["smokes"] == DESIGN["smokes"]


def test_that_a_loss_target_gives_the_most_privacy(design, capsys):
    status, told = answer(
        capsys, "optimise", "--design", design, "--attribute", "smokes", "--target-loss", "0.04"
    )
    assert status == 0
    assert told["information_loss"] <= 0.04
    assert told["information_loss"] == pytest.approx(0.04, rel=0.01)
    arguments = ["optimise", "--design", design, "--attribute", "smokes", "--target", "0.7"]
    assert cli.main(arguments) == 0
    assert "        0.7000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "status", "sentence"),
    [
        (["--attribute", "mood", "--out", "x.json"], 2, "out needs target"),
        (["--attribute", "mood", "--target", "0.5", "--target-loss", "1"], 2, "not both"),
        (["--attribute", "mood", "--n", "0"], 2, "it must be at least 1"),
        (["--attribute", "age"], 1, "'age' (integer) has no frontier"),
        (["--attribute", "mood", "--target", "0.1"], 1, "possible is 0.3333 to 1"),
    ],
)
def test_that_a_wrong_optimisation_is_told_in_one_sentence(design, capsys, more, status, sentence):
    assert cli.main(["optimise", "--design", design, *more]) == status
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "option", "offered"),
    [
        ("plan", "measure", MEASURES),
        ("optimise", "family", FAMILIES),
        ("optimise", "privacy", tuple(name.replace("_", "-") for name in EXPOSURES)),
    ],
)
def test_that_the_help_offers_what_the_core_knows(capsys, command, option, offered):
    assert cli.main([command, "--help"]) == 0
    said = "".join(capsys.readouterr().out.split())
    separators = {f"--{option}{{{one.join(offered)}}}" for one in ",|"}
    assert any(one in said for one in separators)


@pytest.mark.parametrize("aim", [("--target-error", "0.02"), ("--half-width", "0.05")])
def test_that_a_plan_counts_people_who_are_not_asked_everything(tmp_path, capsys, aim):
    job = Attribute("job", Kind.NOMINAL, tuple(f"job {place}" for place in range(40)))
    listed = (
        DesignedAttribute(SMOKES, Related(theta=0.7)), DesignedAttribute(job, Subset(epsilon=1.0)),
    )  # fmt: skip
    needed = []
    for ask in (None, 1):
        path = tmp_path / f"{ask}.json"
        write_design(Design(listed, budget=DesignBudget(ask=ask)), path)
        assert cli.main(["plan", "--design", str(path), *aim, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["attributes"]
        needed.append([told[name]["respondents"] for name in ("smokes", "job")])
    everybody, half = needed
    assert half == [pytest.approx(2 * n, abs=2) for n in everybody]
