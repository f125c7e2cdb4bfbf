"""The privacy budget on the command line."""

from __future__ import annotations

import json
import math

import pytest

from ppworkbench.cli import main as cli
from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import (
    Design,
    DesignedAttribute,
    Geometric,
    Group,
    Identity,
    Laplace,
    Ordinal,
    SquareWave,
    Uniform,
)
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
    "noise", [Laplace(epsilon=0.5), pytest.param(SquareWave(epsilon=0.5), marks=pytest.mark.slow)]
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
    attributes = {
        "drug": {"kind": "binary", "values": ["no", "yes"], "device": die,
                 "perturbation": {"type": "forced", "p_truth": 2 / 3}},
        "theft": {"kind": "binary", "values": ["no", "yes"],
                  "perturbation": {"type": "uniform", "keep": 0.7}},
    }  # fmt: skip
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


def test_that_belief_sets_the_total(write, tmp_path, capsys):
    data = tmp_path / "pilot.csv"
    data.write_text("drug,town\n" + "no,A\n" * 88 + "yes,B\n" * 12)
    design = write((DRUG, Uniform()), (TOWN, Uniform()))
    status, told = answer(capsys, "--design", design, "--belief", "0.31", "--data", str(data))
    assert status == 0
    assert told["total"] == pytest.approx(1.1923, abs=1e-4)


@pytest.mark.parametrize(
    ("designed", "more", "status", "sentence"),
    [
        ([(DRUG, Uniform()), (SEX, Identity())], ["--total", "3"], 1,
         "The total cannot be shared out: 'sex' is not randomised."),
        ([(MOOD, Ordinal())], ["--total", "3"], 1, "the mechanism of 'mood' has no finite epsilon"),
        ([(DRUG, Uniform(keep=0.99)), (TOWN, Uniform())], ["--total", "4", "--lock", "drug"], 1,
         "The locked questions spend 4.6 of a total of 4; unlock one or raise the total."),
        ([(DRUG, Uniform())], ["--belief", "0.4"], 1, "cannot be promised"),
        ([(TOWN, Uniform())], ["--belief", "0.4"], 1, "No answer is marked as sensitive"),
        ([(DRUG, Uniform())], ["--rule", "max"], 2, "--total or --belief"),
        ([(DRUG, Uniform())], ["--total", "1", "--weight", "drug"], 2, "NAME=number"),
        ([(DRUG, Uniform())], ["--total", "1", "--weight", "x=2"], 1, "'x'"),
        ([(DRUG, Uniform())], ["--total", "0"], 1, "Total is 0"),
        ([(DRUG, Uniform())], ["--delta", "0.5"], 1, "Delta is 0.5"),
        ([(DRUG, Uniform())], ["--n", "9" * 401], 2, "--n: it must be a whole number"),
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
