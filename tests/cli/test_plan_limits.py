"""Planning a questionnaire on the command line: tests, limits, costs, and solving."""

from __future__ import annotations

import json
import math

import pytest

from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Additive, Design, DesignedAttribute, Forced, Identity, Related
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.design.devices import snap_to

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
TOWN = Attribute("town", Kind.NOMINAL, ("A", "B", "C"))


@pytest.fixture
def forced(tmp_path):
    path = tmp_path / "forced.json"
    write_design(Design((DesignedAttribute(DRUG, Forced(p_truth=2 / 3)),)), path)
    return str(path)


def answer(capsys, *argv):
    status = cli.main([*argv, "--json"])
    return status, json.loads(capsys.readouterr().out)


def planned(capsys, design, *more):
    status, told = answer(capsys, "plan", "--design", design, "--share", "0.2", *more)
    assert status == 0
    return told, told["attributes"]["drug"]


def test_that_a_plan_reaches_the_power_of_a_test(forced, capsys):
    told, drug = planned(capsys, forced, "--power", "0.8", "--against", "0.15")
    assert told["respondents"] == drug["respondents"] == 1412
    assert drug["power"] >= 0.8
    told, _ = planned(capsys, forced, "--difference", "0.3:0.2")
    assert told["respondents"] == 754
    one_sided = ("--against", "0", "--alpha", "0.01", "--sides", "1", "--n", "200")
    told, drug = planned(capsys, forced, *one_sided)
    assert told["respondents"] == 89
    assert drug["power"] == pytest.approx(0.986887, abs=1e-6)


def test_that_a_plan_says_what_a_report_makes_believe(forced, capsys):
    told, drug = planned(capsys, forced, "--half-width", "0.05", "--belief", "0.6")
    assert (drug["light"], told["respondents"], told["decisive"]) == ("ok", 727, "drug")
    assert drug["belief"] == pytest.approx(5 / 9)
    assert drug["belief_prior"] == pytest.approx(0.2)
    assert drug["belief_by_report"][1] == drug["belief"]
    assert drug["rise"] == pytest.approx(5 / 9 - 0.2)
    assert drug["odds"] == pytest.approx(5)
    assert drug["perturbation"]["type"] == "forced"
    assert drug["device"] is None
    _, drug = planned(capsys, forced, "--half-width", "0.05", "--n", "500")
    assert (drug["light"], drug["words"]) == ("more", "needs 727 people")
    _, drug = planned(capsys, forced, "--belief", "0.5")
    assert (drug["light"], drug["words"]) == ("breaks", "breaks: belief 55.6 % > 50 %")
    cli.main(["plan", "--design", forced, "--share", "0.2", "--half-width", "0.05"])
    said = capsys.readouterr().out
    assert "drug: a reported 'yes' is believed to mean “yes” with 55.6" in said
    assert "727 respondents; 'drug' needs the most." in said


def test_that_the_target_error_stays_and_counts_non_compliance(forced, capsys):
    told, drug = planned(capsys, forced, "--target-error", "0.05")
    assert drug["decisive"] in DRUG.values
    assert "respondents reduce the standard error" in drug["sentence"]
    assert told["target_error"] == 0.05
    ignoring = ("--target-error", "0.05", "--non-compliance", "0.1", "--behaviour", "safe")
    told, drug = planned(capsys, forced, *ignoring, "--n", "1000")
    assert told["respondents"] == 934
    assert drug["bias"] == pytest.approx(-0.045)
    assert drug["rmse"] == pytest.approx(0.049684, abs=1e-6)
    assert drug["belief_by_report"] == pytest.approx([0.0685, 0.5556], abs=5e-5)
    told, drug = planned(capsys, forced, "--target-error", "0.04", *ignoring[2:])
    assert (told["respondents"], drug["light"]) == ("inf", "impossible")
    told, drug = planned(capsys, forced, *ignoring, "--corrected")
    assert drug["bias"] == pytest.approx(0, abs=1e-12)
    doubled, _ = planned(capsys, forced, "--half-width", "0.05", "--design-effect", "2")
    assert doubled["respondents"] == 2 * 727


def test_that_costs_say_from_which_budget_on_randomising_pays(forced, capsys):
    costs = ("--cost-direct", "20", "--cost-randomised", "30")
    told, drug = planned(capsys, forced, "--bias", "0.05", *costs)
    assert drug["break_even"] == pytest.approx(138)
    assert told["budget"] == pytest.approx(4650)
    told, drug = planned(capsys, forced, "--bias", "0.05", *costs, "--budget", "6000")
    assert told["n"] == 200
    assert drug["rmse"] < drug["direct_rmse"]
    ignoring = ("--non-compliance", "0.1", "--behaviour", "safe")
    _, drug = planned(capsys, forced, "--bias", "0.05", *ignoring)
    assert drug["break_even"] == pytest.approx(665.2, abs=0.05)
    _, drug = planned(capsys, forced, "--bias", "0.04", *ignoring)
    assert drug["break_even"] == "inf"
    assert cli.main(["plan", "--design", forced, "--share", "0.2", "--bias", "0.05", *costs]) == 0
    out = capsys.readouterr().out
    said = "Randomising is worth it above a budget of 4,650 (155 interviews)"
    assert said in out
    assert out.splitlines()[2].split()[-2] == "138.0"
    assert "Pays from: the number of respondents" in out


def test_that_techniques_are_compared_by_their_errors(forced, capsys):
    names = "direct,list,warner=0.7,crosswise"
    _, drug = planned(capsys, forced, "--bias", "0.05", "--compare", names)
    found = drug["compare"]["techniques"]
    assert list(found) == ["design", "direct", "list", "warner=0.7", "crosswise"]
    variances = {name: one["variance"] for name, one in found.items()}
    expected = (0.4725, 0.1275, 3.32, 1.4725, 0.91)
    assert list(variances.values()) == pytest.approx(expected)
    at = drug["compare"]["at"].index(1000)
    assert found["direct"]["rmse"][at] == pytest.approx(math.sqrt(0.1275 / 1000 + 0.0025))
    assert cli.main(["plan", "--design", forced, "--share", "0.2", "--compare", "direct"]) == 0
    assert "root mean square error (RMSE) by respondents" in capsys.readouterr().out


def test_that_solving_writes_the_design(tmp_path, capsys):
    listed = []
    for name in ("a", "b", "c"):
        attribute = DRUG.with_(name=name)
        snapped, made = snap_to("spinner", Forced(p_truth=0.9), attribute)
        listed.append(DesignedAttribute(attribute, made, device=snapped.device))
    listed += [DesignedAttribute(TOWN, Identity()), DesignedAttribute(AGE, Additive(half_width=9))]
    design, out = tmp_path / "design.json", tmp_path / "solved.json"
    write_design(Design(tuple(listed)), design)
    shares = [word for text in ("a=0.1", "b=0.2", "c=0.35") for word in ("--share", text)]
    status, told = answer(
        capsys, "plan", "--design", str(design), *shares, "--belief", "0.6",
        "--half-width", "0.05", "--solve", "--out", str(out),
    )  # fmt: skip
    assert status == 0
    assert told["respondents"] == 1781
    assert told["decisive"] == "c"
    solutions = [told["attributes"][name]["solution"] for name in "abc"]
    assert [one["snapped"] for one in solutions] == pytest.approx([0.86, 0.70, 0.46])
    assert solutions[0]["exact"] == pytest.approx(0.862069, abs=1e-6)
    solved = read_design(out)
    assert solved["c"].perturbation.p_truth == 0.46
    assert solved["c"].device.name == "spinner"
    assert told["attributes"]["c"]["device"]["truth"] == 46


@pytest.mark.parametrize(
    ("more", "status", "sentence"),
    [
        ([], 2, "Give what to plan for"),
        (["--power", "0.8"], 2, "needs against or difference"),
        (["--half-width", "0.05", "--out", "x.json"], 2, "needs solve"),
        (["--bias", "0.05", "--cost-direct", "3"], 2, "need --cost-randomised"),
        (["--half-width", "0.05", "--value", "yes"], 2, "needs target_error"),
        (["--half-width", "0.05", "--behaviour", "safe"], 2, "need --non-compliance"),
        (["--difference", "0.3"], 2, "two shares such as 0.3:0.2"),
        (["--against", "0.1", "--power", "0.05"], 1, "no more than the significance level"),
        (["--against", "0.2"], 1, "no number of people tells them apart"),
        (["--difference", "0.2:0.2"], 1, "no number of people tells them apart"),
        (["--belief", "0.2"], 1, "no higher than the prior of 20"),
        (["--belief", "0.1", "--solve"], 1, "no higher than the prior of 20"),
        (["--belief", "1.2"], 1, "Belief is 1.2"),
        (["--epsilon", "0"], 1, "Epsilon is 0"),
        (
            ["--bias", "0.05", "--cost-direct", "0", "--cost-randomised", "3"],
            2,
            "Cost of a direct interview is 0; it must be above 0.",
        ),
        (
            ["--bias", "0.1", "--cost-direct", "2", "--cost-randomised", "3", "--budget", "-1"],
            1,
            "The budget is -1; it must be above 0",
        ),
        (["--bias", "0.05", "--budget", "5"], 1, "A budget needs the costs"),
        (["--bias", "0.3"], 1, "does not fit a share of 20"),
        (["--half-width", "0.05", "--non-compliance", "1"], 1, "at least 0 and below 1"),
        (["--half-width", "0.05", "--design-effect", "0"], 1, "design effect is 0"),
        (["--half-width", "0.05", "--solve"], 1, "nothing to solve"),
        (["--compare", "magic"], 1, "There is no technique 'magic'"),
        (["--half-width", "0.05", "--share", "x"], 2, "it must be a number or NAME=number"),
        (["--half-width", "drug=x"], 2, "Half-width is 'drug=x'; it must be a number, NAME="),
        (["--half-width", "0.05", "--half-width", "drug=x"], 2, "Half-width is '0.05', 'drug=x';"),
        (["--half-width", "0.05", "--share", "2"], 1, "a share lies between 0 and 1"),
        (["--half-width", "0.05", "--share", "iq=0.1"], 1, "no attribute 'iq'"),
    ],
)
def test_that_a_wrong_aim_is_told_in_one_sentence(forced, capsys, more, status, sentence):
    assert cli.main(["plan", "--design", forced, "--share", "0.2", *more]) == status
    said = capsys.readouterr()
    assert sentence in said.err.replace("\u202f", " ")
    assert said.err.count("\n") == 1


def test_that_a_corrected_estimate_needs_a_regular_matrix(tmp_path, capsys):
    path = tmp_path / "warner.json"
    write_design(Design((DesignedAttribute(DRUG, Related(theta=0.2)),)), path)
    # Three eighths of honest people turn this device into pure chance.
    told, drug = planned(
        capsys, str(path), "--half-width", "0.05", "--non-compliance", "0.375",
        "--behaviour", "truth", "--corrected",
    )  # fmt: skip
    assert (told["respondents"], drug["light"]) == ("inf", "impossible")
    assert drug["words"] == "cannot be estimated"


@pytest.fixture
def two(tmp_path):
    path = tmp_path / "two.json"
    town = DesignedAttribute(TOWN.with_(sensitive=("C",)), Forced(p_truth=0.8))
    write_design(Design((DesignedAttribute(DRUG, Forced(p_truth=2 / 3)), town)), path)
    return str(path)


def test_that_one_question_may_have_limits_of_its_own(two, capsys):
    told, drug = planned(
        capsys, two, "--half-width", "0.05", "--belief", "0.7", "--belief", "drug=0.5",
        "--half-width", "town=none",
    )  # fmt: skip
    assert drug["words"] == "breaks: belief 55.6 % > 50 %"
    assert (drug["respondents"], told["attributes"]["town"]["respondents"]) == (727, None)
    told, drug = planned(capsys, two, "--against", "drug=0.15", "--power", "drug=0.9")
    assert told["attributes"]["town"]["power"] is None
    assert drug["respondents"] > 1412
    told, drug = planned(capsys, two, "--difference", "0.3:0.2", "--power", "town=none")
    assert (drug["respondents"], told["attributes"]["town"]["respondents"]) == (754, None)


def test_that_expected_answers_are_weights(two, capsys):
    more = ("--half-width", "0.05", "--expected", "drug=8,2", "--expected", "town=uniform")
    status, told = answer(capsys, "plan", "--design", two, *more)
    assert status == 0
    assert told["attributes"]["drug"]["respondents"] == 727
    assert told["attributes"]["town"]["belief_prior"] == pytest.approx(1 / 3)
    for wrong in ("drug", "drug=a,b", "=1,2"):
        assert cli.main(["plan", "--design", two, "--half-width", "0.1", "--expected", wrong]) == 2
        assert "as in NAME=number" in capsys.readouterr().err


def test_that_a_safe_answer_of_one_question_leaves_the_others_alone(two, capsys):
    ignoring = ("--half-width", "0.1", "--non-compliance", "0.1", "--safe")
    _, drug = planned(capsys, two, *ignoring, "yes")
    assert drug["bias"] > 0
    _, drug = planned(capsys, two, *ignoring, "B")
    assert drug["bias"] < 0
    _, drug = planned(capsys, two, "--target-error", "0.1", *ignoring[2:], "B")
    assert drug["bias"] < 0
    assert cli.main(["plan", "--design", two, *ignoring, "never"]) == 1
    assert "has no answer 'never'" in capsys.readouterr().err


def test_that_named_people_are_judged_and_the_budget_is_compared(forced, capsys):
    costs = ("--bias", "0.05", "--cost-direct", "20", "--cost-randomised", "30")
    told, drug = planned(capsys, forced, *costs, "--budget", "6000", "--n", "1000")
    assert told["n"] == 1000
    # Asking directly is compared for the same money, 30,000.
    assert drug["direct_rmse"] == pytest.approx(math.sqrt(0.1275 / 1500 + 0.0025))
    said = (
        "1,000 randomised interviews cost 30,000 in the currency of the costs; the budget of 6,000 "
        "pays for 200 of them."
    )
    assert said in json.dumps(told)
    told, _ = planned(capsys, forced, *costs, "--budget", "6000", "--n", "200")
    assert "pays for" not in json.dumps(told)


def test_that_an_under_report_that_fits_one_question_is_no_error(two, capsys):
    shares = ("--share", "drug=0.2", "--share", "town=0.01")
    status, told = answer(capsys, "plan", "--design", two, *shares, "--bias", "0.05")
    assert status == 0
    assert told["attributes"]["town"]["break_even"] is None
    assert told["attributes"]["drug"]["break_even"] == pytest.approx(138)


def test_that_no_bias_has_no_sign(forced, capsys):
    cli.main(["plan", "--design", forced, "--share", "0.2", "--half-width", "0.05"])
    assert "-0.0000" not in capsys.readouterr().out


def test_that_one_total_counts_skips_and_the_response_rate(tmp_path, capsys):
    other = Attribute("ticket", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
    design = Design(
        (
            DesignedAttribute(DRUG, Forced(p_truth=0.7)),
            DesignedAttribute(other, Forced(p_truth=0.7)),
        )
    )
    path = tmp_path / "design.json"
    write_design(design, path)
    words = ["plan", "--design", str(path), "--share", "0.2", "--half-width", "0.05", "--json"]
    assert cli.main(words) == 0
    found = json.loads(capsys.readouterr().out)["total"]
    assert (found["answers"], found["invitations"]) == (646, 646)
    skipped = ["--skipped", "0.1", "--skipped", "ticket=0.25", "--response-rate", "0.4"]
    assert cli.main([*words, *skipped]) == 0
    found = json.loads(capsys.readouterr().out)["total"]
    # 646 / (1 - 0.25) = 861.3 and 862 / 0.4 = 2155.
    assert (found["answers"], found["invitations"]) == (862, 2155)
    assert found["decisive"] == "ticket"
    assert found["sentence"] == (
        "862 answers are enough for every question; at 40 % response invite 2,155."
    )
    assert cli.main([*words[:-1], "--response-rate", "0"]) == 1
    assert cli.main([*words[:-1], "--skipped", "1"]) == 1
    assert cli.main([*words[:-1], "--skipped", "many"]) == 2
    assert cli.main(["plan", "--design", str(path), "--epsilon", "2", "--json"]) == 0
    capsys.readouterr()


def test_that_the_help_says_how_limits_are_given_and_no_default_of_what_is_needed(capsys):
    assert cli.main(["plan", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    words = "limits of every question: X for all questions, NAME=X or NAME=none for one of them."
    assert f"{words} --half-width" in told
    assert "cost of a direct interview (must be above 0) --cost" in told
    assert "not following the instructions (must lie between 0 and 1) --beh" in told
    assert "or answer at random (default safe)" in told
