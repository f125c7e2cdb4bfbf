"""Designs with arms on the command line: drawn, measured, estimated pooled and arm by arm."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples import sweep

from ppworkbench.cli.main import main
from ppworkbench.core.design.design_file import design_from_json
from ppworkbench.core.privacy.questionnaire import total_epsilon

FORCED = {"type": "forced", "p_truth": 0.75}
DESIGN: dict[str, Any] = {
    "format": "ppworkbench-design",
    "version": 2,
    "attributes": {
        "drug": {"kind": "binary", "values": ["no", "yes"], "perturbation": FORCED},
        "theft": {"kind": "binary", "values": ["no", "yes"], "perturbation": FORCED},
        "pay": {
            "kind": "continuous",
            "domain": [0, 100],
            "perturbation": {"type": "additive", "noise": "normal", "sigma": 5},
        },
    },
    "arms": {
        "column": "version",
        "members": {
            "1": {"share": 0.4},
            "2": {
                "share": 0.4,
                "perturbations": {"drug": {"type": "forced", "p_truth": 0.5}},
                "omit": ["pay"],
            },
            "3": {"share": 0.2, "omit": ["theft", "pay"]},
        },
    },
}

Ask = Callable[..., tuple[int, Any]]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Ask:
    """Files in the current folder, and a function that runs a command on them."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    drug, theft = random.random(3000) < 0.3, random.random(3000) < 0.2
    pay = random.uniform(20, 80, 3000)
    lines = [
        f"{'yes' if a else 'no'},{'yes' if b else 'no'},{c:.2f}"
        for a, b, c in zip(drug, theft, pay, strict=True)
    ]
    Path("true.csv").write_text("drug,theft,pay\n" + "\n".join(lines) + "\n")
    Path("design.json").write_text(json.dumps(DESIGN))

    def run(*words: str, plain: bool = False) -> tuple[int, Any]:
        capsys.readouterr()
        status = main([*words, *([] if plain else ["--json"])])
        printed = capsys.readouterr()
        text = printed.out if printed.out.strip() else printed.err
        return status, text if plain else json.loads(text)

    assert run("distort", "true.csv", "--design", "design.json", "--out", "told.csv",
               "--seed", "1")[0] == 0  # fmt: skip
    return run


def told(*words: str) -> tuple[str, ...]:
    """A command about the distorted file."""
    return (words[0], "told.csv", "--design", "design.json", *words[1:])


@pytest.mark.slow
def test_that_the_whole_way_comes_near_the_truth(ask: Ask) -> None:
    """Arms that look like numbers are drawn, written, read and pooled."""
    status, found = ask(*told("reconstruct", "--by-arm"))
    assert status == 0
    drug = found["attributes"]["drug"]
    assert drug["algorithm"] == "pooled"
    assert drug["probability"][1] == pytest.approx(0.3, abs=4 * drug["standard_error"][1])
    assert set(drug["arms"]) == {"1", "2", "3"}
    assert set(drug["equality"]) >= {"lr", "df", "p"}
    assert drug["equality"]["df"] == 2
    theft = found["attributes"]["theft"]
    assert set(theft["arms"]) == {"1", "2"}
    assert theft["not_asked"] == drug["arms"]["3"]["rows"]
    assert found["attributes"]["pay"]["equality"] is None


def test_that_arms_can_be_chosen(ask: Ask) -> None:
    status, found = ask(*told("reconstruct", "--arm", "2", "--attribute", "drug"))
    assert status == 0
    _, whole = ask(*told("reconstruct", "--by-arm", "--attribute", "drug"))
    alone = whole["attributes"]["drug"]["arms"]["2"]
    assert found["attributes"]["drug"]["probability"] == alone["probability"]
    assert found["rows"] == alone["rows"]
    _, two = ask(*told("count", "--arm", "1", "--arm", "3", "--where", "drug = yes"))
    rows = [whole["attributes"]["drug"]["arms"][arm]["rows"] for arm in ("1", "3")]
    assert two["respondents"] == sum(rows)


@pytest.mark.parametrize(
    ("words", "arms"),
    sweep(
        [
            (("count", "--where", "drug = yes"), {"1", "2", "3"}),
            (("count", "--where", "drug = yes and theft = no"), {"1", "2"}),
            (("mean", "--of", "pay"), {"1"}),
            (("distribution", "--of", "drug"), {"1", "2", "3"}),
            (("crosstab", "--of", "drug", "--by", "theft"), {"1", "2"}),
        ],
        quick=3,
    ),
)
def test_that_statistics_are_told_by_arm(ask: Ask, words: tuple[str, ...], arms: set[str]) -> None:
    status, found = ask(*told(*words, "--by-arm"))
    assert status == 0
    assert set(found["arms"]) == arms
    if len(arms) == 1:
        assert found["equality"] is None
    else:
        assert 0 < found["equality"]["p"] <= 1
    status, text = ask(*told(*words, "--by-arm"), plain=True)
    assert status == 0
    heads, _, first = text.split("\n\n")[1].splitlines()[:3]
    assert (heads.split()[0], first.split()[0]) == ("arm", "all")
    assert ("If all arms had the same true value" in text) == (len(arms) > 1)


def test_that_people_read_arms_and_their_test(ask: Ask) -> None:
    status, text = ask(*told("reconstruct", "--by-arm"), plain=True)
    assert status == 0
    assert "Equal in all arms: LR" in text
    assert "not asked" in text


def test_that_arms_that_do_not_agree_are_said_and_their_mean_is_offered(ask: Ask) -> None:
    rows = Path("told.csv").read_text().splitlines()
    heads = rows[0].split(",")
    drug, version = heads.index("drug"), heads.index("version")
    for place, row in enumerate(rows[1:], 1):
        cells = row.split(",")
        if cells[version] == "2":
            cells[drug] = "yes" if place % 4 else "no"
        rows[place] = ",".join(cells)
    Path("told.csv").write_text("\n".join(rows) + "\n")
    words = {
        "count": ("--where", "drug = yes"),
        "distribution": ("--of", "drug"),
        "reconstruct": ("--attribute", "drug"),
    }
    found = {}
    for command, more in words.items():
        for pooling in ("likelihood", "mean"):
            given = told(command, *more, "--pooling", pooling)
            status, text = ask(*given, plain=True)
            assert status == 0
            assert "The arms do not agree" in text
            assert ("(pooling “mean”)" in text) == (pooling == "likelihood")
            found[command, pooling] = ask(*given)[1]
    for pooling in ("likelihood", "mean"):
        number = found["count", pooling]
        share = number["estimate"] / number["respondents"]
        (yes,) = (one for one in found["distribution", pooling]["values"] if one["value"] == "yes")
        whole = found["reconstruct", pooling]["attributes"]["drug"]
        assert yes["estimate"] == pytest.approx(share)
        assert whole["probability"][1] == pytest.approx(share)
        assert whole["standard_error"][1] == pytest.approx(yes["standard_error"])
    mean, pooled = (found["count", one]["estimate"] for one in ("mean", "likelihood"))
    assert abs(mean - pooled) > 20


def test_that_privacy_is_that_of_the_most_exposed_arm(ask: Ask) -> None:
    status, found = ask("measure", "--design", "design.json")
    assert status == 0
    assert set(found["arms"]) == {"1", "2", "3"}
    one = found["arms"]["2"]["questionnaire"]["epsilon"]
    assert one == pytest.approx(math.log(3) + math.log(7))
    assert found["arms"]["3"]["questionnaire"]["epsilon"] == pytest.approx(math.log(7))
    assert found["questionnaire"]["epsilon_arm"] == "1"
    assert set(found["arms"]["3"]["attributes"]) == {"drug"}
    assert total_epsilon(design_from_json(DESIGN).of_arm("3")) == pytest.approx(math.log(7))
    short = {**DESIGN, "attributes": {k: DESIGN["attributes"][k] for k in ("drug", "theft")}}
    short["arms"] = {
        "column": "version",
        "members": {"1": {"share": 0.5}, "2": {"share": 0.5, "omit": ["theft"]}},
    }
    assert total_epsilon(design_from_json(short)) == pytest.approx(2 * math.log(7))
    status, text = ask("measure", "--design", "design.json", "--data", "true.csv", plain=True)
    assert status == 0
    assert "Arm 2" in text
    assert "Epsilon of the questionnaire is that of the arm '1'" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("mine", "told.csv", "--design", "design.json"), "takes one version for everybody"),
        (
            ("classify", "true.csv", "--design", "design.json", "--classifier", "tree"),
            "one version",
        ),
        (("optimise", "--design", "design.json", "--attribute", "theft"), "one version"),
        (
            ("plan", "--design", "design.json", "--target-error", "0.1"),
            "target_error is for designs without arms",
        ),
        (told("count", "--arm", "9", "--where", "drug = yes"), "no arm '9'; it has 1, 2, 3"),
        (told("crosstab", "--of", "pay", "--by", "theft", "--arm", "2", "--arm", "3"), "'pay'"),
        (told("reconstruct", "--attribute", "drug", "--algorithm", "em-as"), "choose one arm"),
    ],
)
def test_that_what_cannot_be_is_one_sentence(
    ask: Ask, words: tuple[str, ...], sentence: str
) -> None:
    status, found = ask(*words)
    assert status == 1
    assert sentence in found["error"]


def test_that_a_value_that_is_no_arm_is_told_with_its_rows(ask: Ask) -> None:
    lines = Path("told.csv").read_text().splitlines()
    odd = [line[:-1] + "7" if 0 < at <= 5 else line for at, line in enumerate(lines)]
    Path("told.csv").write_text("\n".join(odd) + "\n")
    for words in (("count", "--where", "drug = yes"), ("reconstruct",)):
        status, found = ask(*told(*words))
        assert status == 1
        assert "'7'" in found["error"]
        assert "5" in found["error"]
    plain = [line.rsplit(",", 1)[0] for line in lines]
    Path("told.csv").write_text("\n".join(plain) + "\n")
    status, found = ask(*told("count", "--where", "drug = yes"))
    assert status == 1
    assert "no column 'version'" in found["error"]


def test_that_true_answers_that_do_not_know_the_arm_are_not_dropped_silently(ask: Ask) -> None:
    words = ("count", "--where", "drug = yes", "--original", "true.csv")
    _, whole = ask(*told(*words))
    assert whole["true"] is not None
    for more in (("--arm", "2"), ("--by-arm",)):
        status, found = ask(*told(*words, *more))
        assert status == 0
        assert any("have no column 'version'" in one for one in found["remarks"])
    # Rows of a distorted file are shuffled, so that only a column can tell the arm.
    lines = Path("true.csv").read_text().splitlines()
    with_arms = [f"{line},{1 + at % 3}" for at, line in enumerate(lines[1:])]
    Path("known.csv").write_text("\n".join([f"{lines[0]},version", *with_arms]) + "\n")
    words = ("count", "--where", "drug = yes", "--original", "known.csv", "--arm", "2")
    status, found = ask(*told(*words))
    assert status == 0
    assert not any("have no column" in one for one in found["remarks"])
    assert found["true"] == sum(line.startswith("yes") for line in with_arms[1::3])


def test_that_one_arm_is_not_told_apart(ask: Ask) -> None:
    for words in (("reconstruct",), ("count", "--where", "drug = yes")):
        status, found = ask(*told(*words, "--arm", "2", "--by-arm"))
        assert status == 1
        assert "not two arms" in found["error"]


def test_that_participants_keep_the_numbers_of_their_rows(ask: Ask) -> None:
    words = ("participants", "--where", "drug = yes", "--arm", "3", "--size", "5")
    status, found = ask(*told(*words))
    assert status == 0
    lines = Path("told.csv").read_text().splitlines()[1:]
    rows = [one["row"] for one in found["rows"]]
    assert all(lines[row].endswith(",3") for row in rows)


def test_that_a_regression_takes_some_arms(ask: Ask) -> None:
    words = ("regress", "--formula", "drug ~ theft", "--arm", "1")
    status, found = ask(*told(*words))
    assert status == 0
    lines = Path("told.csv").read_text().splitlines()[1:]
    assert found["n"] == sum(line.endswith(",1") for line in lines)


def test_that_sets_are_told_apart_by_arm_with_and_without_weights(ask: Ask) -> None:
    random = np.random.default_rng(4)
    jobs = random.choice(["nurse", "cook", "smith", "clerk"], 3000, p=[0.4, 0.3, 0.2, 0.1])
    weights = random.choice([1, 2], 3000)
    lines = [f"{job},{weight}" for job, weight in zip(jobs, weights, strict=True)]
    Path("jobs.csv").write_text("job,w\n" + "\n".join(lines) + "\n")
    oue = {"type": "oue", "epsilon": 1}
    Path("jobs.json").write_text(
        json.dumps(
            {
                "format": "ppworkbench-design",
                "version": 2,
                "attributes": {
                    "job": {
                        "kind": "nominal",
                        "values": ["clerk", "cook", "nurse", "smith"],
                        "perturbation": oue,
                    },
                    "w": {"kind": "integer", "domain": [1, 2], "perturbation": {"type": "none"}},
                },
                "arms": {
                    "column": "version",
                    "members": {
                        "1": {"share": 0.5},
                        "2": {"share": 0.5, "perturbations": {"job": {**oue, "epsilon": 3}}},
                    },
                },
            }
        )
    )
    drawn = ("distort", "jobs.csv", "--design", "jobs.json", "--out", "sets.csv", "--seed", "2")
    assert ask(*drawn)[0] == 0
    given = ("reconstruct", "sets.csv", "--design", "jobs.json", "--attribute", "job", "--by-arm")
    status, found = ask(*given, "--sets", "1:2")
    assert status == 0
    job = found["attributes"]["job"]
    assert job["raw"] == pytest.approx([0.1, 0.3, 0.4, 0.2], abs=0.08)
    assert job["equality"]["df"] == 3
    assert job["equality"]["wald"] == pytest.approx(job["sets"]["between"]["wald"])
    assert max(job["arms"]["2"]["standard_error"]) < max(job["arms"]["1"]["standard_error"])
    status, found = ask(*given, "--weight", "w")
    assert status == 0
    job = found["attributes"]["job"]
    assert job["raw"] == pytest.approx([0.1, 0.3, 0.4, 0.2], abs=0.08)
    assert job["weighted_n"] == weights.sum()
    assert job["equality"]["df"] == 3
