"""``regress`` and ``correlate`` on real files."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from designs import classic_study
from patience import PATIENCE

from ppworkbench.cli.main import main
from ppworkbench.core.data.files import read_table
from ppworkbench.core.design.design_file import write_design

FORMULA = "supports_school=yes ~ sex + children"
"""A number with few values: a fit sums over all that may have been answered."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A city survey, a design, and distorted answers."""
    folder = tmp_path_factory.mktemp("city")
    city, design = str(folder / "city.csv"), str(folder / "design.json")
    main(["sample", "write", "city-survey", city, "--rows", "3000"])
    write_design(classic_study(read_table(city)).design, design)
    trial = str(folder / "trial.csv")
    main(["distort", city, "--design", design, "--out", trial, "--seed", "7"])
    return folder


@pytest.fixture
def run(files: Path, capsys: pytest.CaptureFixture[str]):
    """Run a command on the distorted answers."""

    def run(command: str, *options: str) -> tuple[int, str, str]:
        capsys.readouterr()
        given = [str(files / "trial.csv"), "--design", str(files / "design.json")]
        status = main([command, *given, *options])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def test_that_a_regression_is_told_in_words_and_numbers(run, files: Path) -> None:
    """Everything that was asked for has its table."""
    status, out, err = run(
        "regress", "--formula", FORMULA, "--effects", "--predict", "sex=male; children=2",
        "--compare-with", "supports_school=yes ~ children", "--original", str(files / "city.csv"),
    )  # fmt: skip
    assert (status, err) == (0, "")
    for words in ("odds ratio", "uncorrected", "true", "average effect", "everybody with",
                  "sex=male; children=2", "lr", "The interval includes"):  # fmt: skip
        assert words in out, words


def test_that_a_tiny_p_is_told_as_a_bound_and_kept_as_a_number(run) -> None:
    given = ("--formula", "supports_school=yes ~ district")
    status, out, _ = run("regress", *given)
    assert status == 0
    document = json.loads(run("regress", *given, "--json")[1])
    smallest = min(one["p"] for one in document["terms"])
    assert ("< 0.001" in out) == (smallest < 0.001)
    assert 0 < smallest < 0.001


def test_that_json_has_the_fields_of_the_help(run) -> None:
    """With one row for each coefficient and a covariance to match."""
    status, out, err = run("regress", "--formula", FORMULA, "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert [(one["term"], one.get("level")) for one in found["terms"]] == [
        ("(intercept)", None), ("sex", "male"), ("children", None),
    ]  # fmt: skip
    assert len(found["covariance"]) == 3
    assert found["terms"][1]["standard_error"] ** 2 == pytest.approx(found["covariance"][1][1])
    assert found["formula"] == FORMULA
    assert found["contains"]
    assert found["excludes"]
    # The distribution of the randomised predictors has parameters, too.
    assert found["aic"] > 6 - 2 * found["log_likelihood"]


def test_that_tables_are_written_and_never_over_a_file_unasked(run, tmp_path: Path) -> None:
    """As CSV with all digits and the names of frames, as LaTeX rounded with those of people."""
    names = [tmp_path / "table.csv", tmp_path / "table.tex"]
    formula = ("--formula", "supports_school=yes ~ sex")
    options = (*formula, "--csv", str(names[0]), "--latex", str(names[1]))
    status, _, err = run("regress", *options)
    assert (status, err) == (0, "")
    table, latex = (name.read_text(encoding="utf-8") for name in names)
    assert table.splitlines()[2].startswith("sex[male],sex,male,female,")
    assert "Sex: male (reference: female) &" in latex
    status, out, err = run("regress", *options)
    assert (status != 0, out) == (True, "")
    assert "exists; choose another name, or replace it with --force" in err
    assert run("regress", *options, "--force")[0] == 0
    status, _, err = run("regress", *formula, "--csv", str(names[0]), "--latex", str(names[0]),
                         "--force")  # fmt: skip
    assert status != 0
    assert "Two results would be written" in err


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--formula", "supports_school ~ sex +"), "position"),
        (("--formula", "nothing ~ sex"), "no attribute 'nothing'"),
        (("--formula", FORMULA, "--predict", "sex"), "sex=F; age=30"),
        (("--formula", FORMULA, "--predict", "sex=child"), "no value 'child'"),
        (("--formula", FORMULA, "--variance", "sampling"), "no sampling variance"),
        (("--formula", FORMULA, "--where", "sex = male"), "is randomised"),
        (
            ("--formula", FORMULA, "--compare-with", "supports_school=yes ~ car"),
            "some of the terms",
        ),
    ],
)
def test_that_what_is_wrong_is_said_in_one_sentence(run, options, what: str) -> None:
    """And there is no table."""
    status, out, err = run("regress", *options)
    assert status != 0
    assert out == ""
    assert what in err
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of another kind")
def test_that_ctrl_c_shows_what_a_bootstrap_has_drawn(files: Path) -> None:
    """The real program in a terminal: it is stopped in the middle and prints its table."""
    import pty

    ours, theirs = pty.openpty()
    command = [
        sys.executable, "-m", "ppworkbench", "regress", str(files / "trial.csv"), "--design",
        str(files / "design.json"), "--formula", "supports_school=yes ~ sex + district",
        "--variance", "bootstrap", "--json",
    ]  # fmt: skip
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    shown = ""
    # The draws are the last part of the bar.
    while not re.search("(89|9.) % drawing again", shown):
        shown += os.read(ours, 4096).decode()
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=PATIENCE)
    os.close(ours)
    assert program.returncode == 0
    found = json.loads(out)
    assert 20 <= found["draws"] < 200
    assert found["terms"][1]["standard_error"] > 0
    assert any(f"{found['draws']} of 200 draws" in remark for remark in found["remarks"])


def test_that_correlations_are_listed_by_pair(run, files: Path) -> None:
    """In words and as JSON."""
    of = ("--of", "income,age,supports_school=yes")
    status, out, _ = run("correlate", *of, "--original", str(files / "city.csv"))
    assert status == 0
    assert re.search(r"^income +age ", out, re.MULTILINE)
    found = json.loads(run("correlate", *of, "--json")[1])
    assert len(found["correlations"]) == 3
    assert {"a", "b", "estimate", "low", "high", "standard_error", "naive"} <= set(
        found["correlations"][0]
    )
    status, _, err = run("correlate", "--of", "income,district")
    assert status != 0
    assert "say which one counts" in err
