"""Mechanisms by name, designs made of them, and surveys without a design."""

from __future__ import annotations

import inspect
import json
import math

import numpy as np
import pandas as pd
import pytest

import ppworkbench as pp
from ppworkbench.api import mechanisms
from ppworkbench.cli.main import main
from ppworkbench.core.design.perturbation import perturbations
from ppworkbench.core.design.presets import presets


def made_by(name: str) -> type:
    """The declared class behind a public name."""
    return getattr(pp, name).__wrapped__


PUBLIC = [name for name in pp.__all__ if inspect.getmodule(getattr(pp, name)) is mechanisms]


def test_that_every_named_design_and_mechanism_has_a_public_name() -> None:
    declared = {entry.item for entry in presets}
    # A mechanism that is a named design is there under that name; "none" needs none.
    declared |= {
        entry.item
        for entry in perturbations
        if entry.item.own_design is None and not entry.item.is_identity
    }
    assert {made_by(name) for name in PUBLIC} == declared


def test_that_public_names_are_those_of_design_files() -> None:
    known = {entry.name.replace("-", "_"): entry.item for entry in (*perturbations, *presets)}
    shortened = {"forced": "forced_response", "unrelated": "unrelated_question"}
    for name in PUBLIC:
        assert known[shortened.get(name, name)] is made_by(name)
        assert getattr(pp, name).__name__ == name


@pytest.mark.parametrize("name", PUBLIC)
def test_that_a_mechanism_explains_every_parameter(name: str) -> None:
    function = getattr(pp, name)
    told = inspect.signature(function).parameters
    assert "named_design" not in told
    for parameter in told:
        assert f"\n{parameter} : " in function.__doc__
    assert f">>> pp.{name}(" in function.__doc__


def test_that_a_wrong_probability_is_refused_with_its_name() -> None:
    with pytest.raises(pp.WorkbenchError, match=r"p is 1\.5; it must lie between 0 and 1") as told:
        pp.warner(1.5)
    assert told.value.field == "p"


@pytest.fixture(scope="module")
def reports() -> pd.DataFrame:
    draw = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "y": draw.choice(["no", "yes"], 400, p=[0.55, 0.45]),
            "z": draw.choice(["no", "yes"], 400, p=[0.4, 0.6]),
            "income": draw.normal(100, 200, 400).round(1),
            "weight": draw.choice([1.0, 2.0], 400),
        }
    )


@pytest.mark.parametrize(
    ("mechanism", "share"),
    [
        (pp.forced(2 / 3), lambda seen: (seen - 1 / 6) / (2 / 3)),
        (pp.forced(0.7, forced=(0.2, 0.8)), lambda seen: (seen - 0.24) / 0.7),
        (pp.warner(0.7), lambda seen: (seen - 0.3) / 0.4),
        (pp.crosswise(0.15), lambda seen: (seen - 0.85) / (-0.7)),
        (pp.triangular(0.25), lambda seen: (seen - 0.25) / 0.75),
        (pp.grr(math.log(3)), lambda seen: (seen - 0.25) / 0.5),
    ],
    ids=["forced", "forced to yes", "warner", "crosswise", "triangular", "grr"],
)
def test_that_a_named_design_estimates_by_its_formula(reports, mechanism, share) -> None:
    design = pp.design(reports, y=mechanism)
    found = pp.Survey(reports, design).share("y = yes")
    assert design.randomised == ("y",)
    assert found.estimate == pytest.approx(share((reports["y"] == "yes").mean()), abs=1e-9)


def test_that_a_design_of_mechanisms_is_written_as_any_other(reports, tmp_path) -> None:
    given = {"y": pp.crosswise(0.15)}
    design = pp.design(
        reports, given, z=pp.kuk(0.8, 0.3), income=pp.laplace(2.0),
        answers={"income": (0, 500)}, sensitive={"y": "yes"}, sampling={"weight": "weight"},
    )  # fmt: skip
    design.save(tmp_path / "design.json")
    written = json.loads((tmp_path / "design.json").read_text("utf-8"))
    assert written["attributes"]["y"]["perturbation"]["named_design"] == "crosswise"
    assert written["attributes"]["y"]["sensitive"] == ["yes"]
    assert written["attributes"]["z"]["perturbation"]["named_design"] == "kuk"
    assert written["attributes"]["income"]["domain"] == [0, 500]
    assert "domain_source" not in written["attributes"]["income"]
    assert written["sampling"] == {"weight": "weight"}
    assert pp.Design.read(tmp_path / "design.json") == design


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"q": pp.warner(0.7)}, "mechanisms", "no column 'q'"),
        ({"answers": {"q": ["a", "b"]}}, "answers", "no column 'q'"),
        ({"answers": {"y": [1, 2, 3]}}, "answers", "a list of texts, or the lowest"),
        ({"sensitive": {"y": "perhaps"}}, None, "'perhaps' is not one of its values"),
        ({"income": pp.warner(0.7)}, None, "2 answers"),
        ({"y": pp.laplace(1.0)}, "type", "'laplace' needs"),
        ({"y": 0.7}, "y", "y must be a mechanism, as in"),
    ],
)
def test_that_a_design_that_does_not_fit_is_refused(reports, given, field, words) -> None:
    with pytest.raises(pp.WorkbenchError, match=words) as told:
        pp.design(reports, **given)
    assert told.value.field == field


def test_that_a_table_without_a_design_is_an_ordinary_survey(reports) -> None:
    survey = pp.Survey(reports, weights="weight")
    share, mean = survey.share("y = yes"), survey.mean("income")
    weight = reports["weight"] / reports["weight"].sum()
    is_yes = (reports["y"] == "yes").astype(float)
    assert share.estimate == pytest.approx(weight @ is_yes, rel=1e-9)
    assert mean.estimate == pytest.approx(weight @ reports["income"], rel=1e-9)
    assert "No design was given" in share.summary()
    n = len(reports)
    spread = math.sqrt(n / (n - 1) * np.sum((weight * (is_yes - share.estimate)) ** 2))
    assert share.standard_error == pytest.approx(spread, rel=1e-9)


def test_that_randomised_answers_are_not_taken_for_plain_ones(
    true_answers, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    true_answers.to_csv("true.csv", index=False)
    design = pp.design(true_answers, fare_evasion=pp.forced(0.5))
    pp.release("true.csv", design, "reported.csv", seed=1)
    of_file = pp.Survey("reported.csv").share("fare_evasion = yes")
    assert (
        of_file.estimate == pp.Survey("reported.csv", design).share("fare_evasion = yes").estimate
    )
    with pytest.raises(pp.WorkbenchError, match="were randomised") as told:
        pp.Survey(pp.read("reported.csv"))
    assert told.value.field == "design"


def test_that_a_design_that_is_written_open_randomises_nothing(files, capsys) -> None:
    command = ["inspect", "true.csv", "--design-out", "open.json", "--open"]
    assert main([*command, "--json"]) == 0
    written = pp.Design.read("open.json")
    assert written.names == ("sex", "district", "age", "fare_evasion")
    assert written.randomised == ()
    capsys.readouterr()
    words = [
        "count",
        "true.csv",
        "--where",
        "fare_evasion = yes",
        "--design",
        "open.json",
        "--json",
    ]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    count = (pd.read_csv("true.csv")["fare_evasion"] == "yes").sum()
    assert told["estimate"] == pytest.approx(count)
    assert main([*command, "--epsilon", "1"]) == 2
    assert main(["inspect", "true.csv", "--open"]) == 2
