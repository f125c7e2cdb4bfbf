"""``compliance`` on real files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ppworkbench.cli.main import main

ARMS = {
    "format": "ppworkbench-design",
    "version": 1,
    "attributes": {
        "version": {"kind": "nominal", "values": ["A", "B", "direct"]},
        "drug": {
            "kind": "binary",
            "values": ["no", "yes"],
            "perturbation": {
                "type": "by",
                "column": "version",
                "cases": {
                    "A": {"type": "forced", "p_truth": 0.8, "forced": [0.0, 1.0]},
                    "B": {"type": "forced", "p_truth": 0.2, "forced": [0.0, 1.0]},
                    "direct": {"type": "none"},
                },
            },
        },
        "harmless": {
            "kind": "binary",
            "values": ["no", "yes"],
            "perturbation": {"type": "forced", "p_truth": 0.7},
        },
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Yes 210 and 390 of 500 each, and 50 of 200 who were asked directly."""
    made = tmp_path_factory.mktemp("arms")
    (made / "design.json").write_text(json.dumps(ARMS), encoding="utf-8")
    lines = ["version,drug,harmless"]
    draw = np.random.default_rng(1)
    for version, yes, n in (("A", 210, 500), ("B", 390, 500), ("direct", 50, 200)):
        lines += [
            f"{version},{'yes' if place < yes else 'no'},{draw.choice(['no', 'yes'])}"
            for place in range(n)
        ]
    (made / "answers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]):
    """Run the command on these answers."""

    def run(*options: str) -> tuple[int, str, str]:
        capsys.readouterr()
        given = [str(folder / "answers.csv"), "--design", str(folder / "design.json")]
        status = main(["compliance", *given, *options])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.mark.slow
def test_that_arms_show_who_does_not_follow(run) -> None:
    """In words, numbers and JSON."""
    status, out, err = run("--attribute", "drug", "--model", "cdm")
    assert (status, err) == (0, "")
    for words in ("About 90 of 100 followed", "30.0 to 40.0\u202f%", "always “no”", "gamma",
                  "deny when asked", "would have been noticed with probability 0.67"):  # fmt: skip
        assert words in out, words
    assert "e-" not in out
    status, out, _ = run("--attribute", "drug", "--model", "cdm", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["parameters"]["gamma"]["estimate"] == pytest.approx(0.1)
    assert [one["share"] for one in found["classes"]] == pytest.approx([0.6, 0.3, 0.1])
    assert found["honesty"]["power_at_5_percent"] == pytest.approx(0.6721, abs=1e-4)
    assert found["honesty"]["honest"]["yes"] == pytest.approx(0.236380, abs=1e-6)
    assert found["direct"]["share"]["estimate"] == pytest.approx(0.25)


def test_that_one_arm_gives_a_band(run) -> None:
    """With tipping points, and no estimate of who follows."""
    status, out, err = run("--attribute", "harmless", "--reach", "0.7", "--json")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert not found["identified"]
    assert {one["behaviour"] for one in found["band"]} == {"truth", "safe", "random"}
    assert 0 < found["reach"]["safe"] < found["largest_share"]["safe"] < 1
    status, out, _ = run("--attribute", "harmless")
    assert status == 0
    assert "If up to 30\u202f% always said “no”" in out


def made_by(folder: Path, design: dict, lines: list[str]) -> list[str]:
    """The first words of a command about these answers."""
    (folder / "design.json").write_text(json.dumps(design), encoding="utf-8")
    (folder / "answers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = [str(folder / "answers.csv"), "--design", str(folder / "design.json")]
    return ["compliance", *given]


@pytest.mark.slow
def test_that_one_arm_is_corrected_by_a_known_share_of_a_behaviour(run) -> None:
    options = ["--attribute", "harmless", "--behaviour", "always=no", "--share", "0.1"]
    status, out, _ = run(*options)
    assert status == 0
    assert "if all had followed it would be" in out


def test_that_shares_outside_the_possible_show_how_badly_they_fit(tmp_path, capsys) -> None:
    """G² and what the equations give, in words and in JSON."""
    lines = ["version,drug,harmless"]
    for version, yes in (("A", 80), ("B", 410)):
        lines += [f"{version},{'yes' if place < yes else 'no'},no" for place in range(500)]
    words = [*made_by(tmp_path, ARMS, lines), "--attribute", "drug", "--model", "cdm"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fit"] == {"g2": pytest.approx(6.5638, abs=1e-4), "df": 0, "p": None}
    assert [one["standard_error"] for one in found["classes"]] == [None, None, None]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "on the boundary: G² = 6.56" in out
    for share in ("1.1", "-0.06", "-0.04"):
        assert f"”: {share}" in out.replace("\n", " ")


def test_that_the_band_ends_at_the_largest_possible_share(tmp_path, capsys) -> None:
    """Beyond it a corrected share would be negative."""
    warner = {"type": "custom", "matrix": [[0.25, 0.75], [0.75, 0.25]]}
    attribute = {"kind": "binary", "values": ["no", "yes"], "perturbation": warner}
    design = ARMS | {"attributes": {"same": attribute}}
    lines = ["same", *(["yes"] * 640), *(["no"] * 360)]
    assert main([*made_by(tmp_path, design, lines), "--attribute", "same"]) == 0
    sentence = capsys.readouterr().out.splitlines()[0]
    assert "always said “no”" in sentence
    assert "between 0.0" in sentence
    assert "-" not in sentence
    assert "−" not in sentence


def test_that_a_share_below_0_says_how_many_must_not_have_followed(tmp_path, capsys) -> None:
    """Fewer yes than the device makes: 2 % of people who always say no, at least, explain it."""
    forced = {"type": "forced", "p_truth": 2 / 3}
    attribute = {"kind": "binary", "values": ["no", "yes"], "perturbation": forced}
    design = ARMS | {"attributes": {"drug": attribute}}
    words = made_by(tmp_path, design, ["drug", *(["yes"] * 196), *(["no"] * 1004)])
    words += ["--attribute", "drug"]
    assert main(words) == 0
    sentence = " ".join(capsys.readouterr().out.split("\n\n")[0].split())
    assert "would be -0.5 %, which is impossible" in sentence
    assert "If 2.0 to 30.0 % always said “no”, it lies between 0.0 % and 10.0 %" in sentence
    assert "the data allow 2.0 to 80.4 %" in sentence
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    # Reports 196/1200 = (1 - c) / 6 at a share of 0, and (1 - c) 5/6 at one of 1.
    assert found["smallest_share"]["safe"] == pytest.approx(1 - 6 * 196 / 1200)
    assert found["largest_share"]["safe"] == pytest.approx(1 - 1.2 * 196 / 1200)
    assert found["smallest_share"]["random"] is None
    # Who always says yes explains nothing, so that always-no is offered.
    assert main([*words, "--safe", "yes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["largest_share"]["safe"] is None
    assert found["smallest_share"]["other"] == pytest.approx(1 - 6 * 196 / 1200)
    assert main([*words, "--safe", "yes"]) == 0
    out = capsys.readouterr().out
    assert "do not explain that" in out
    assert "always no" in out


def test_that_a_direct_arm_is_compared_with_the_share_if_all_followed_too(tmp_path, capsys) -> None:
    """Two crosswise arms in which a quarter answers at random: no model of always-no shows it."""
    shares, yes = {"A": 0.15, "B": 0.25, "direct": 1.0}, {"A": 748, "B": 677, "direct": 30}
    cases = {
        arm: {"type": "custom", "matrix": [[p, 1 - p], [1 - p, p]]} for arm, p in shares.items()
    }
    by = {"type": "by", "column": "version", "cases": cases}
    design = ARMS | {"attributes": {
        "version": {"kind": "nominal", "values": list(shares)},
        "drug": {"kind": "binary", "values": ["no", "yes"], "perturbation": by},
    }}  # fmt: skip
    lines = ["version,drug"]
    for arm, count in yes.items():
        lines += [f"{arm},yes"] * count + [f"{arm},no"] * (1000 - count)
    words = [*made_by(tmp_path, design, lines), "--attribute", "drug"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    plain = found["direct_if_all_followed"]
    share = found["if_all_followed"]["estimate"]
    assert plain["difference"]["estimate"] == pytest.approx(share - 0.03)
    assert plain["difference"]["estimate"] == pytest.approx(0.116, abs=5e-4)
    assert plain["random"] == pytest.approx(1 - (1 - 2 * share) / (1 - 2 * 0.03))
    assert plain["equality"]["p"] < 1e-10
    # By the model the same difference has an error nearly ten times as large.
    assert found["direct"]["difference"]["standard_error"] > 0.15
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "difference, if all followed" in out
    assert "24.6\u202f% of answers at random would explain the whole difference" in out
    # Where nothing is modelled there is one comparison.
    assert main([*words, "--model", "direct", "--json"]) == 0
    only = json.loads(capsys.readouterr().out)
    assert only["direct_if_all_followed"] is None
    assert only["direct"]["difference"] == plain["difference"]


def test_that_arms_of_a_band_that_do_not_agree_are_remarked(tmp_path, capsys) -> None:
    cases = {
        arm: {"type": "custom", "matrix": [[p, 1 - p], [1 - p, p]]}
        for arm, p in {"A": 0.2, "B": 0.3}.items()
    }
    by = {"type": "by", "column": "version", "cases": cases}
    design = ARMS | {"attributes": {
        "version": {"kind": "nominal", "values": ["A", "B"]},
        "drug": {"kind": "binary", "values": ["no", "yes"], "perturbation": by},
    }}  # fmt: skip
    for yes, is_said in ((400, True), (620, False)):
        lines = ["version,drug", *["A,yes"] * 680, *["A,no"] * 320]
        lines += [*["B,yes"] * yes, *["B,no"] * (1000 - yes)]
        words = [*made_by(tmp_path, design, lines), "--attribute", "drug", "--model", "band"]
        assert main([*words, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)["warnings"]
        assert any("The arms do not agree" in one for one in said) == is_said


def test_that_intervals_say_whether_they_know_of_those_who_do_not_follow(run) -> None:
    """By a model of them or a validation study they do; a band takes their share as given."""
    out = "people who do not do what the device says"
    for words, is_known in (
        (("--attribute", "harmless", "--share", "0.1"), True),
        (("--attribute", "harmless", "--model", "band"), False),
    ):
        found = json.loads(run(*words, "--json")[1])
        assert "the randomness of the device" in found["contains"]
        assert "who happened to be drawn" in found["contains"]
        assert (out in found["excludes"]) != is_known
        told = " ".join(run(*words)[1].split())
        assert "The interval includes: the randomness of the device" in told
        assert (out in told) != is_known


def test_that_models_without_classes_tell_their_log_likelihood(run) -> None:
    """The known share as well as the others."""
    _, out, _ = run("--attribute", "harmless", "--share", "0.1", "--json")
    assert json.loads(out)["log_likelihood"] < 0


@pytest.mark.slow
def test_that_the_unrelated_question_gives_a_share_for_every_value(tmp_path, capsys) -> None:
    """Three answers, each by the equations of two."""
    cases = {arm: {"type": "unrelated", "theta": theta, "personal": [0.4, 0.3, 0.3]}
             for arm, theta in (("A", 0.7), ("B", 0.3))}  # fmt: skip
    by = {"type": "by", "column": "version", "cases": cases}
    design = ARMS | {"attributes": {
        "version": {"kind": "nominal", "values": ["A", "B"]},
        "often": {"kind": "nominal", "values": ["never", "once", "more"], "perturbation": by},
    }}  # fmt: skip
    lines = ["version,often"]
    for version, counts in (("A", (250, 80, 170)), ("B", (170, 100, 230))):
        lines += [f"{version},{value}" for value, count in
                  zip(("never", "once", "more"), counts, strict=True)
                  for _ in range(count)]  # fmt: skip
    words = [*made_by(tmp_path, design, lines), "--attribute", "often", "--model", "unrelated"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    shares = {name: one["estimate"] for name, one in found["parameters"].items()}
    assert shares["pi"] == shares["pi=more"] == pytest.approx(0.25)
    assert shares["u"] == pytest.approx(0.55)
    for symbol in ("pi", "u"):
        whole = sum(shares[f"{symbol}={value}"] for value in ("never", "once", "more"))
        assert whole == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--attribute", "nothing"], "no attribute 'nothing'"),
        (["--attribute", "drug", "--behaviour", "often"], "'safe', 'random' or 'always=VALUE'"),
        (["--attribute", "drug", "--behaviour", "always=perhaps"], "no value 'perhaps'"),
        (["--attribute", "drug", "--safe", "perhaps"], "no value 'perhaps'"),
        (["--attribute", "harmless", "--model", "cdm"], "One arm cannot show"),
        (
            ["--attribute", "harmless", "--behaviour", "always=no"],
            "(always=no): leave the behaviour out for the band of possible shares, give their",
        ),
        (["--attribute", "drug", "--behaviour", "safe", "--behaviour", "always=yes"], "tell apart"),
        (["--attribute", "harmless", "--band", "0.3:0.1"], "The band goes from"),
        (["--attribute", "harmless", "--share", "1"], "below 1"),
        (["--attribute", "harmless", "--reach", "nan"], "between 0 and 1"),
        (["--attribute", "harmless", "--reach", "1.5"], "between 0 and 1"),
        (["--attribute", "harmless", "--anchor", "drug"], "harmless share"),
        (["--attribute", "harmless", "--anchor-share", "0.3"], "Name the anchor"),
        (["--attribute", "drug", "--share", "0.1"], "corrects one arm"),
        (["--attribute", "drug", "--model", "unrelated"], "two arms whose device is"),
    ],
)  # fmt: skip
def test_that_wrong_questions_get_a_sentence(run, options: list[str], words: str) -> None:
    """One line, and nothing else; the status tells what no answers could make sense of."""
    status, out, err = run(*options)
    has_no_sense = any(
        one.startswith(("--anchor", "--band", "--reach")) or one == "1" for one in options
    )
    assert (status, out) == (2 if has_no_sense else 1, "")
    assert words in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_that_weights_and_chosen_arms_are_used(tmp_path: Path, folder: Path, capsys) -> None:
    """Wald takes the place of the likelihood ratio; the direct arm is left out."""
    lines = (folder / "answers.csv").read_text(encoding="utf-8").splitlines()
    weighted = [f"{lines[0]},w", *(f"{one},{1 + place % 3}" for place, one in enumerate(lines[1:]))]
    path = tmp_path / "weighted.csv"
    path.write_text("\n".join(weighted) + "\n", encoding="utf-8")
    given = ["compliance", str(path), "--design", str(folder / "design.json")]
    given += ["--attribute", "drug", "--arm", "A", "--arm", "B", "--weight", "w"]
    capsys.readouterr()
    assert main([*given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [arm["name"] for arm in found["arms"]] == ["A", "B"]
    assert found["sampling"] == {"weight": "w"}
    assert found["direct"] is None
    assert main(given) == 0
    assert "Test that everybody follows: Wald" in capsys.readouterr().out
    assert main([*given, "--target", "respondents"]) == 1
    assert "about the population" in capsys.readouterr().err


def test_that_the_anchor_of_a_design_needs_no_options(tmp_path: Path, capsys) -> None:
    """The same as with options; another model goes before it."""
    related = {"type": "related", "theta": 0.15}
    asked = {"kind": "binary", "values": ["no", "yes"], "perturbation": related}
    plain = {"format": "ppworkbench-design", "version": 2,
             "attributes": {"drug": asked, "check": asked}}  # fmt: skip
    anchored = plain | {"anchors": {"drug": {"column": "check", "p": 0.15, "share": 0}}}
    for name, design in (("plain", plain), ("anchored", anchored)):
        (tmp_path / f"{name}.json").write_text(json.dumps(design), encoding="utf-8")
    rows = [("no,no", 148), ("no,yes", 425), ("yes,no", 311), ("yes,yes", 1116)]
    lines = ["drug,check", *(row for row, count in rows for _ in range(count))]
    (tmp_path / "answers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def told(design: str, *options: str) -> dict:
        capsys.readouterr()
        given = [str(tmp_path / "answers.csv"), "--design", str(tmp_path / f"{design}.json")]
        assert main(["compliance", *given, "--attribute", "drug", "--json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    found = told("anchored")
    assert found["model"] == "anchor"
    assert found == told("plain", "--anchor", "check", "--anchor-p", "0.15")
    assert found == told("anchored", "--model", "anchor")
    assert told("anchored", "--model", "band")["model"] == "band"
