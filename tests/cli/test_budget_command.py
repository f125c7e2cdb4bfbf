"""The privacy budget on the command line."""

from __future__ import annotations

import json
import math

import pytest

from ppworkbench.cli import main as cli
from ppworkbench.cli.main import main
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Custom,
    Design,
    DesignedAttribute,
    Duchi,
    Geometric,
    Group,
    Hybrid,
    Identity,
    Laplace,
    Ordinal,
    SquareWave,
    Uniform,
)
from ppworkbench.core.design.arms import Arms, DesignArm
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design_file import read_design, write_design
from ppworkbench.core.privacy.questionnaire import total_epsilon

DRUG = Attribute("drug", Kind.BINARY, ("no", "yes"), sensitive=("yes",))
TOWN = Attribute("town", Kind.NOMINAL, tuple("ABCDE"))
JOB = Attribute("job", Kind.NOMINAL, tuple(f"job {i}" for i in range(20)))
MOOD = Attribute("mood", Kind.ORDINAL, ("bad", "fair", "good"))
AGE = Attribute("age", Kind.INTEGER, domain=(18, 90))
SEX = Attribute("sex", Kind.BINARY, ("f", "m"))


@pytest.fixture
def write(tmp_path):
    def written(*designed, groups=()):
        path = tmp_path / "design.json"
        write_design(
            Design(tuple(DesignedAttribute(*one) for one in designed), groups=groups), path
        )
        return str(path)

    return written


def answer(capsys, *argv):
    status = cli.main(["budget", *argv, "--json"])
    printed = capsys.readouterr()
    return status, json.loads(printed.out or printed.err)


def test_that_the_budget_is_told_as_it_is(write, capsys):
    design = write((DRUG, Uniform(keep=0.75)), (MOOD, Geometric(epsilon=1.0)), (SEX, Identity()))
    status, told = answer(capsys, "--design", design, "--n", "1000")
    assert status == 0
    assert told["total"] == "inf"
    assert told["undistorted"] == ["sex"]
    assert told["total_distorted"] == pytest.approx(1 + math.log(3))
    assert told["attributes"]["mood"]["epsilon_step"] == pytest.approx(0.5)
    drug = told["attributes"]["drug"]
    assert drug["epsilon"] == pytest.approx(math.log(3))
    assert drug["share"] == pytest.approx(math.log(3) / (1 + math.log(3)))
    assert drug["standard_error"] == pytest.approx(math.sqrt(0.25 / 0.25 / 1000))
    assert not told["shuffled"]["applies"]
    assert [one["ask"] for one in told["split"]] == [2, 1]


@pytest.mark.parametrize(
    "noise",
    [
        Laplace(epsilon=0.5),
        pytest.param(SquareWave(epsilon=0.5), marks=pytest.mark.slow),
        pytest.param(Duchi(epsilon=0.5), marks=pytest.mark.slow),
        pytest.param(Hybrid(epsilon=2.0), marks=pytest.mark.slow),
    ],
)
def test_that_a_total_is_shared_out_and_written(write, tmp_path, capsys, noise):
    design = write((DRUG, Uniform()), (TOWN, Uniform()), (AGE, noise))
    out = tmp_path / "shared.json"
    status, told = answer(
        capsys, "--design", design, "--total", "3", "--rule", "max", "--out", str(out)
    )
    assert status == 0
    assert told["total"] == pytest.approx(3, abs=1e-4)
    shared = read_design(out)
    assert total_epsilon(shared) == pytest.approx(3, abs=1e-4)
    assert shared.perturbation("town").keep > Uniform(keep=0.2).keep
    assert [type(one.perturbation) for one in shared] == [Uniform, Uniform, type(noise)]


def test_that_a_locked_question_and_a_group_keep_what_they_have(write, tmp_path, capsys):
    other = Attribute("theft", Kind.BINARY, ("no", "yes"))
    design = write(
        (DRUG, Identity()), (other, Identity()), (TOWN, Uniform(keep=0.6)), (JOB, Uniform()),
        groups=(Group(("drug", "theft"), "unrelated", 0.6),),
    )  # fmt: skip
    out = tmp_path / "shared.json"
    status, told = answer(
        capsys, "--design", design, "--total", "6", "--lock", "town", "--out", str(out)
    )
    assert status == 0
    assert told["total"] == pytest.approx(6, abs=1e-4)
    assert told["attributes"]["drug"]["share"] is None
    shared = read_design(out)
    assert shared.perturbation("town") == Uniform(keep=0.6)
    assert shared.groups == read_design(design).groups


def test_that_a_locked_question_that_tells_nothing_spends_nothing(write, capsys):
    design = write((DRUG, Uniform(keep=0.5)), (TOWN, Uniform(keep=0.6)))
    status, told = answer(capsys, "--design", design, "--total", "2", "--lock", "drug")
    assert status == 0
    assert told["attributes"]["drug"]["epsilon"] == 0
    assert told["attributes"]["town"]["epsilon"] == pytest.approx(2, abs=1e-4)


def test_that_many_questions_that_tell_much_have_a_budget(write, capsys):
    names = [DRUG.with_(name=f"drug {place}") for place in range(80)]
    design = write(*((one, Uniform(keep=0.9999)) for one in names))
    status, told = answer(capsys, "--design", design)
    assert status == 0
    assert told["total"] == pytest.approx(80 * math.log(9999))
    assert told["split"][-1]["variance"] == pytest.approx(80 * 0.25)


def test_that_a_total_that_is_not_spent_and_a_lost_device_are_told(tmp_path, capsys):
    die = {"name": "die", "truth": [2, 3, 4, 5], "yes": [1], "no": [6]}
    asked = {"kind": "binary", "values": ["no", "yes"], "domain_source": "public"}
    attributes = {
        "drug": asked | {"device": die, "perturbation": {"type": "forced", "p_truth": 2 / 3}},
        "theft": asked | {"perturbation": {"type": "uniform", "keep": 0.7}},
    }
    path = tmp_path / "design.json"
    path.write_text(
        json.dumps({"format": "ppworkbench-design", "version": 2, "attributes": attributes})
    )
    status, told = answer(capsys, "--design", str(path), "--total", "100", "--rule", "equal")
    assert status == 0
    assert len(told["remarks"]) == 2
    assert "Only 40 of the total of 100" in told["remarks"][0]
    assert "The device of 'drug'" in told["remarks"][1]
    locked = ("--total", "3", "--lock", "drug", "--rule", "equal")
    assert "remarks" not in answer(capsys, "--design", str(path), *locked)[1]


def test_that_errors_say_which_share_they_rest_on(write, capsys):
    design = write((DRUG, Uniform()), (TOWN, Uniform()))
    _, told = answer(capsys, "--design", design, "--expected", "drug=88,12")
    found = told["attributes"]["drug"]["expected"]
    assert found["share"] == pytest.approx(0.12)
    assert (found["origin"], found["values"]) == ("drawn", ["yes"])
    assert told["attributes"]["town"]["expected"]["origin"] == "uniform"
    _, even = answer(capsys, "--design", design)
    assert even["attributes"]["drug"]["expected"]["share"] == 0.5
    assert (
        even["attributes"]["drug"]["standard_error"] != told["attributes"]["drug"]["standard_error"]
    )
    assert main(["budget", "--design", design]) == 0
    text = capsys.readouterr().out
    assert "50\u202f% yes" in text
    assert "all answers are taken as equally likely" in text
    assert "Epsilon holds if the values" not in text


def test_that_belief_sets_the_total(write, tmp_path, capsys):
    data = tmp_path / "pilot.csv"
    data.write_text("drug,town\n" + "no,A\n" * 88 + "yes,B\n" * 12)
    design = write((DRUG, Uniform()), (TOWN, Uniform()))
    status, told = answer(capsys, "--design", design, "--belief", "0.31", "--data", str(data))
    assert status == 0
    assert told["total"] == pytest.approx(1.1923, abs=1e-4)


def test_that_a_locked_question_needs_no_mechanism_with_an_epsilon(write, capsys):
    rows = ((0.5, 0.3, 0.2), (0.3, 0.4, 0.3), (0.2, 0.3, 0.5))
    design = write((DRUG, Uniform()), (MOOD, Custom(rows=rows)))
    status, told = answer(capsys, "--design", design, "--total", "2", "--lock", "mood")
    assert status == 0
    epsilons = {name: one["epsilon"] for name, one in told["attributes"].items()}
    assert epsilons["mood"] == pytest.approx(math.log(2.5))
    assert epsilons["drug"] == pytest.approx(2 - math.log(2.5))


@pytest.mark.parametrize(
    ("designed", "more", "status", "sentence"),
    [
        ([(DRUG, Uniform()), (SEX, Identity())], ["--total", "3"], 1,
         "The total cannot be shared out: 'sex' is not randomised."),
        ([(MOOD, Ordinal())], ["--total", "3"], 1,
         "the mechanism of 'mood' cannot be set to an epsilon"),
        ([(DRUG, Uniform()), (MOOD, Ordinal())], ["--total", "3", "--lock", "mood"], 1,
         "the mechanism of 'mood' has no finite epsilon"),
        ([(DRUG, Uniform(keep=0.99)), (TOWN, Uniform())], ["--total", "4", "--lock", "drug"], 1,
         "The locked questions spend 4.6 of a total of 4; unlock one or raise the total."),
        ([(DRUG, Uniform())], ["--belief", "0.4"], 1, "cannot be promised"),
        ([(DRUG, Uniform())], ["--belief", "1"], 2, "1; it must be above 0 and below 1"),
        ([(DRUG, Uniform())], ["--belief", "nan"], 2, "nan; it must be above 0 and below 1"),
        ([(TOWN, Uniform())], ["--belief", "0.4"], 1, "No answer is marked as sensitive"),
        ([(DRUG, Uniform())], ["--rule", "max"], 1, "a total or a belief"),
        ([(DRUG, Uniform())], ["--total", "1", "--weight", "drug"], 2, "NAME=number"),
        ([(DRUG, Uniform())], ["--total", "1", "--weight", "x=2"], 1, "'x'"),
        ([(DRUG, Uniform())], ["--total", "0"], 2, "Total is 0"),
        ([(DRUG, Uniform())], ["--delta", "0.5"], 1, "Delta is 0.5"),
        ([(DRUG, Identity())], ["--delta", "0"], 1, "Delta is 0; it must be above 0"),
        ([(DRUG, Uniform())], ["--n", "9" * 401], 2, "it is too large"),
    ],
)  # fmt: skip
def test_that_what_cannot_be_is_told_in_one_sentence(
    write, capsys, designed, more, status, sentence
):
    assert cli.main(["budget", "--design", write(*designed), *more]) == status
    said = capsys.readouterr().err.strip()
    assert sentence in said
    assert len(said.splitlines()) <= 3


def test_that_people_read_the_total_in_words(write, capsys):
    design = write((DRUG, Uniform(keep=0.75)), (TOWN, Uniform(keep=0.4)))
    assert cli.main(["budget", "--design", design]) == 0
    text = capsys.readouterr().out
    assert "change the odds of any two true answers at most 8-fold (epsilon 2.079)" in text
    assert "Shuff" in text


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [(5.2, "at most 32,860-fold (epsilon 10.4)"), (11, "without a practical bound (epsilon 22)")],
)
def test_that_what_is_not_randomised_is_named_first_and_factors_are_written_out(
    write, capsys, epsilon, said
):
    asked = (DRUG, Geometric(epsilon=epsilon)), (TOWN, Geometric(epsilon=epsilon))
    assert cli.main(["budget", "--design", write(*asked, (SEX, Identity()))]) == 0
    text = capsys.readouterr().out
    assert text.startswith("Not randomised, and so without any bound: sex.")
    assert said in text


def test_that_the_budget_of_a_design_is_used_where_options_are_not_given(tmp_path, capsys):
    names = tuple("abcdefgh")
    listed = tuple(DesignedAttribute(DRUG.with_(name=name), Uniform(keep=0.6)) for name in names)
    given, out = tmp_path / "design.json", tmp_path / "shared.json"
    write_design(Design(listed, budget=DesignBudget(4.0, "max", locked=("a",))), given)
    status, told = answer(capsys, "--design", str(given), "--ask", "2", "--out", str(out))
    assert status == 0
    assert told["total"] == pytest.approx(4)
    assert told["ask"]["count"] == 2
    assert told["ask"]["never_together"] == []
    assert told["attributes"]["b"]["epsilon"] == pytest.approx(2)
    assert told["attributes"]["a"]["epsilon"] == pytest.approx(math.log(1.5))
    assert read_design(out).budget == DesignBudget(4.0, "max", locked=("a",), ask=2)
    # Fewer are asked each question, which the standard error tells.
    asked = told["attributes"]["b"]["standard_error"]
    assert asked == pytest.approx(
        math.sqrt((0.25 + math.exp(2) / math.expm1(2) ** 2) / (1000 * 2 / 8)), rel=1e-4
    )
    status, told = answer(capsys, "--design", str(given), "--ask", "9")
    assert status == 1
    assert "9 of 8 questions cannot be asked" in json.dumps(told)


def test_that_questions_are_kept_together(tmp_path, capsys):
    listed = tuple(DesignedAttribute(DRUG.with_(name=name), Uniform(keep=0.6)) for name in "abcd")
    given, out = tmp_path / "design.json", tmp_path / "shared.json"
    write_design(Design(listed, budget=DesignBudget(4.0)), given)
    together = ("--together", "a", "b", "--together", "b", "d", "--ask", "1")
    status, told = answer(capsys, "--design", str(given), *together, "--out", str(out))
    assert status == 0
    assert told["ask"]["count"] == 1
    assert read_design(out).budget.blocks == (("a", "b", "d"),)
    assert read_design(out).parts == (("a", "b", "d"), ("c",))
    status, told = answer(capsys, "--design", str(given), "--together", "a", "x", "--ask", "1")
    assert status == 1
    assert "'x'" in json.dumps(told)


def test_that_waves_add_up_unless_reports_are_kept(tmp_path, capsys):
    path = tmp_path / "design.json"
    listed = (DesignedAttribute(DRUG, Geometric(epsilon=1.0)),
              DesignedAttribute(TOWN, Geometric(epsilon=1.0)))  # fmt: skip
    for memoise, total, said in ((False, 6, "fresh coins"), (True, 5, "shows a change")):
        budget = DesignBudget(waves=3, memoise=memoise)
        write_design(Design(listed, budget=budget), path)
        status, told = answer(capsys, "--design", str(path))
        assert status == 0
        assert told["total"] == pytest.approx(total)
        assert told["waves"]["unchanged"] == pytest.approx(2 if memoise else 6)
        assert cli.main(["budget", "--design", str(path)]) == 0
        printed = capsys.readouterr().out
        assert said in printed
        assert "not linked" in printed


def test_that_of_arms_the_largest_total_counts_and_each_spends_the_whole(tmp_path, capsys):
    path, out = tmp_path / "design.json", tmp_path / "shared.json"
    listed = (DesignedAttribute(DRUG, Uniform(keep=0.75)), DesignedAttribute(TOWN, Uniform()))
    arms = Arms("arm", (DesignArm("short", 0.5, omit=("town",)), DesignArm("long", 0.5)))
    write_design(Design(listed, arms=arms), path)
    status, told = answer(capsys, "--design", str(path), "--total", "2", "--out", str(out))
    assert status == 0
    assert told["total"] == pytest.approx(2)
    assert {name: one["total"] for name, one in told["arms"].items()} == pytest.approx(
        {"short": 2, "long": 2}
    )
    shared = read_design(out)
    assert shared.of_arm("short").perturbation("drug").keep == pytest.approx(
        math.exp(2) / (math.exp(2) + 1)
    )
    assert not told["shuffled"]["applies"]
