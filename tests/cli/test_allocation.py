"""The best shares of arms on the command line."""

import json

import pytest

import ppworkbench as pp
from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Binary, Design, DesignedAttribute, Identity
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.design_file import write_design
from ppworkbench.core.errors import ParameterError

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
THEFT = Attribute("theft", Kind.BINARY, ("no", "yes"))


def forced_yes(p):
    return Binary(keep_one=1.0, keep_zero=1 - p)


@pytest.fixture
def cheaters(tmp_path):
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5, (("drug", forced_yes(0.8)),))))
    path = tmp_path / "cheaters.json"
    write_design(Design((DesignedAttribute(DRUG, forced_yes(0.2)),), arms=arms), path)
    return str(path)


def told(capsys, design, *more):
    status = cli.main(["plan", "--design", design, *more, "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("serves", "first", "error"),
    [("prevalence", 0.827, 0.025177), ("compliance", 0.230, 0.022669)],
)
def test_that_the_best_shares_are_those_of_the_chapter(cheaters, capsys, serves, first, error):
    options = ("--share", "0.333333333", "--non-compliance", "0.1", "--behaviour", "safe")
    status, found = told(capsys, cheaters, "--allocate", serves, *options, "--n", "1000")
    assert status == 0
    assert found["allocation"] == pytest.approx({"A": first, "B": 1 - first}, abs=5e-4)
    assert found["standard_error"] == pytest.approx(error, abs=1e-6)
    assert found["standard_error_before"] > found["standard_error"]


def test_that_expected_answers_are_a_share_too(cheaters, capsys):
    options = ("--allocate", "compliance", "--non-compliance", "0.1")
    _, by_answers = told(capsys, cheaters, *options, "--expected", "drug=99,1")
    _, by_share = told(capsys, cheaters, *options, "--share", "0.01")
    assert by_answers["allocation"] == pytest.approx(by_share["allocation"])


def test_that_the_words_say_when_one_arm_gets_everybody(cheaters, capsys):
    status = cli.main(["plan", "--design", cheaters, "--allocate", "prevalence", "--share", "0.3"])
    assert status == 0
    assert "The whole sample belongs in the arm 'A'." in capsys.readouterr().out


def test_that_costs_of_direct_and_randomised_interviews_count(tmp_path, capsys):
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5, (("drug", Identity()),))))
    path = str(tmp_path / "direct.json")
    write_design(Design((DesignedAttribute(DRUG, forced_yes(0.2)),), arms=arms), path)
    options = ("--allocate", "compliance", "--share", "0.3", "--non-compliance", "0.1")
    _, even = told(capsys, path, *options)
    _, dear = told(capsys, path, *options, "--cost-direct", "40", "--cost-randomised", "10")
    ratio = even["allocation"]["A"] / even["allocation"]["B"]
    assert dear["allocation"]["A"] / dear["allocation"]["B"] == pytest.approx(2 * ratio)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--half-width", "0.05"), "arguments: --half-width"),
        (("--budget", "1000"), "arguments: --budget"),
        (("--design-effect", "2"), "arguments: --design-effect"),
        (("--non-compliance", "0.1", "--behaviour", "truth"), "behaviour safe or random"),
        (("--non-compliance", "0.1", "--safe", "maybe"), "'maybe' is no value"),
        (("--non-compliance", "0.1", "--behaviour", "random"), None),
    ],
)
def test_that_wrong_options_are_told_in_one_sentence(cheaters, capsys, more, sentence):
    status = cli.main(["plan", "--design", cheaters, "--allocate", "compliance", *more])
    said = capsys.readouterr()
    if sentence is None:
        assert status == 0
    else:
        assert status != 0
        assert sentence in said.err


def test_that_one_of_several_questions_must_be_named(tmp_path, capsys):
    arms = Arms("version", (DesignArm("A", 0.5), DesignArm("B", 0.5, (("drug", forced_yes(0.8)),))))
    asked = (DesignedAttribute(DRUG, forced_yes(0.2)), DesignedAttribute(THEFT, forced_yes(0.2)))
    path = str(tmp_path / "two.json")
    write_design(Design(asked, arms=arms), path)
    assert cli.main(["plan", "--design", path, "--allocate", "prevalence"]) != 0
    assert "Name the attribute" in capsys.readouterr().err
    named = ["--allocate", "prevalence", "--attribute", "drug"]
    assert cli.main(["plan", "--design", path, *named]) == 0


@pytest.mark.parametrize(
    ("direct", "randomised", "sentence"),
    [
        ("1", "-1", "Cost of a randomised interview is -1; it must be above 0."),
        ("-1", "8", "Cost of a direct interview is -1; it must be above 0."),
        ("nan", "8", "Cost of a direct interview is nan; it must be above 0."),
        ("0", "8", "Cost of a direct interview is 0; it must be above 0."),
    ],
)
def test_that_a_cost_that_is_not_above_zero_is_one_sentence(
    cheaters, capsys, direct, randomised, sentence
):
    costs = (f"--cost-direct={direct}", f"--cost-randomised={randomised}")
    assert cli.main(["plan", "--design", cheaters, "--allocate", "prevalence", *costs]) == 2
    assert sentence in capsys.readouterr().err
    with pytest.raises(ParameterError, match="it must be above 0"):
        pp.allocate(cheaters, costs=(float(direct), float(randomised)))
