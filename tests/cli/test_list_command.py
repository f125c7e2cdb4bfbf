"""``list`` on real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ppworkbench.cli.main import main

SHORT, LONG = (8, 132, 222, 227), (19, 123, 229, 219, 34)
LISTS: dict[str, Any] = {
    "neighbour": {
        "count": "y",
        "items": ["gas", "sport", "firms"],
        "short": ["A"],
        "long": ["B"],
    }
}
DESIGN: dict[str, Any] = {
    "format": "ppworkbench-design",
    "version": 2,
    "attributes": {
        "south": {"kind": "binary", "values": ["no", "yes"]},
        "drug": {
            "kind": "binary",
            "values": ["no", "yes"],
            "perturbation": {"type": "forced", "p_truth": 0.7},
        },
        "w": {"kind": "integer", "domain": [1, 9]},
    },
    "arms": {"column": "version", "members": {"A": {"share": 0.5}, "B": {"share": 0.5}}},
    "lists": LISTS,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published counts, with a predictor and a weight."""
    made = tmp_path_factory.mktemp("lists")
    (made / "design.json").write_text(json.dumps(DESIGN), encoding="utf-8")
    lines = ["south,drug,w,version,y"]
    for arm, counts in (("A", SHORT), ("B", LONG)):
        for number, people in enumerate(counts):
            lines += [
                f"{'yes' if place % 3 else 'no'},no,{1 + place % 2},{arm},{number}"
                for place in range(people)
            ]
    (made / "answers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]):
    """Run the command on these answers."""

    def run(*options: str, data: str = "answers.csv") -> tuple[int, str, str]:
        capsys.readouterr()
        given = [str(folder / data), "--design", str(folder / "design.json")]
        status = main(["list", *given, "--attribute", "neighbour", *options])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_that_a_list_is_told_in_words_numbers_and_json(run) -> None:
    """The likelihood stands beside the difference where it is asked for."""
    status, out, err = run("--ceiling")
    assert (status, err) == (0, "")
    for words in ("is 6.8\u202f%", "it is 14.1\u202f%", "38.5\u202f% of the short list",
                  "p = 0.1539", "Epsilon is ∞", "ends at the bound",
                  "The interval includes: who happened to be drawn.",
                  ("as the likelihood assumes (chi-square test of all counts in both "
                   "lists): p = 0.0")):  # fmt: skip
        assert words in out, words
    status, out, _ = run("--json")
    found = json.loads(out)
    assert status == 0
    assert found["state"] == "reported"
    assert found["difference"] == pytest.approx(0.067797, abs=1e-6)
    assert found["standard_error"] == pytest.approx(0.049578, abs=1e-6)
    assert found["low"] < found["difference"] < found["high"]
    assert found["design_effect_p"] == pytest.approx(0.1539, abs=1e-4)
    assert found["types"][0] == {
        "y": 0, "sensitive": True, "share": pytest.approx(-0.016866, abs=1e-6),
        "standard_error": pytest.approx(0.00837, abs=1e-6), "p": pytest.approx(0.0219, abs=1e-4),
    }  # fmt: skip
    assert (found["method"], found["model"], found["coefficients"]) == ("difference", None, [])
    assert "who happened to be drawn" in found["contains"]
    likelihood = json.loads(run("--method", "ml", "--json")[1])
    assert likelihood["log_likelihood"] == pytest.approx(-1492.2641, abs=1e-4)
    assert likelihood["assumption_p"] == pytest.approx(0.0716, abs=1e-4)
    assert [one["part"] for one in likelihood["coefficients"]] == ["sensitive"]
    assert found["belief"] == pytest.approx([0, 0.0044, 0.0415, 0.0664, 1], abs=1e-4)
    assert found["epsilon"] == "inf"
    assert (found["ceiling"], found["floor"]) == pytest.approx((227 / 589, 8 / 589))


def test_that_predictors_have_coefficients(run) -> None:
    """By every method; the likelihood has no one intercept of the harmless items."""
    for method in ("difference", "nls", "ml"):
        status, out, _ = run("--predict", "south", "--method", method, "--json")
        found = json.loads(out)
        assert status == 0
        expected = [
            ("sensitive", "(intercept)"), ("sensitive", "south[yes]"),
            ("control", "(intercept)"), ("control", "south[yes]"),
        ]  # fmt: skip
        assert [(one["part"], one["term"]) for one in found["coefficients"]] == [
            one for one in expected if method != "ml" or one != ("control", "(intercept)")
        ]
    assert "south[yes]" in run("--predict", "south")[1]


def test_that_weights_are_used_by_the_difference_and_refused_by_models(run) -> None:
    """The method follows where it is not chosen."""
    status, out, _ = run("--weight", "w", "--json")
    found = json.loads(out)
    assert (status, found["method"], found["log_likelihood"]) == (0, "difference", None)
    assert found["difference"] != pytest.approx(0.067797, abs=1e-6)
    status, _, err = run("--weight", "w", "--method", "ml")
    assert status == 1
    assert "by the difference in means alone" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--method", "difference", "--ceiling"), "part of the likelihood"),
        (("--method", "nls", "--floor"), "part of the likelihood"),
        (("--predict", "drug"), "'drug' is randomised"),
        (("--predict", "nobody"), "no attribute 'nobody'"),
        (("--second", "other"), "no list that asks 'other'"),
        (("--direct", "drug"), "asked openly"),
    ],
)
def test_that_bad_input_is_one_sentence(run, options: tuple[str, ...], words: str) -> None:
    """With exit status 1; 2 where no answers could make sense of it."""
    status, out, err = run(*options)
    assert (status, out) == (2 if "--method" in options else 1, "")
    assert words in err
    assert err.count("\n") == 1


def test_that_an_impossible_count_is_refused_with_its_row(run, folder: Path) -> None:
    """A number above J in the short list, or one that is not whole."""
    good = (folder / "answers.csv").read_text().splitlines()
    for bad, words in (("4", "says 4, but its list has 3 items"), ("-1", "-1"), ("1.5", "1.5")):
        rows = [good[0], good[1].rsplit(",", 1)[0] + "," + bad, *good[2:]]
        (folder / "bad.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
        status, _, err = run(data="bad.csv")
        assert status == 1, bad
        assert words in err, err


def test_that_measure_says_what_a_list_discloses(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Epsilon is infinite, in words and in JSON."""
    assert main(["measure", "--design", str(folder / "design.json")]) == 0
    assert "a count of 0 says no and 4 says yes for sure" in capsys.readouterr().out
    assert main(["measure", "--design", str(folder / "design.json"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["questionnaire"]
    assert found["epsilon"] == "inf"
    assert "'neighbour' is asked by a list" in found["warnings"][0]
