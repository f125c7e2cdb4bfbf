"""``--script`` prints a script that says the same as the command, and computes nothing."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from asking import small_study
from examples import sweep
from survey_files import write_survey

from ppworkbench.analyses.designs.arms import start_arms, with_own_devices
from ppworkbench.cli.main import main
from ppworkbench.core.design import Identity, Uniform
from ppworkbench.core.design.design_file import write_design

SURVEY = "distorted.csv --design design.json"
COMMANDS = (
    f"count {SURVEY} --where 'vote = yes and age < 40' --seed 3",
    f"mean {SURVEY} --of age --where 'vote = yes' --confidence 0.9",
    f"distribution {SURVEY} --of town --method sequential",
    f"crosstab {SURVEY} --of town --by vote",
    f"quantile {SURVEY} --of age --at 0.1,0.5",
    f"compare {SURVEY} --of vote=yes --by town --reference Ash",
    f"participants {SURVEY} --where 'vote = yes' --size 3 --draw random --seed 4",
    f"count {SURVEY} --where 'vote = yes' --weight pay --target respondents",
    f"regress {SURVEY} --formula 'vote=yes ~ mood' --predict mood=good --effects",
    f"correlate {SURVEY} --of age,vote",
    f"compliance {SURVEY} --attribute vote --band 0:0.2",
    f"reconstruct {SURVEY} --attribute town --attribute age --bins 6",
    f"reconstruct {SURVEY} --attribute town --weight pay",
    f"mine {SURVEY} --attribute town --min-support 0.2 --rules",
    f"attack {SURVEY} --original original.csv --attribute vote",
    f"attack {SURVEY} --original original.csv --attack link --known town --known vote --seed 2",
    "measure --design design.json --data original.csv --non-compliance 0.1",
    "budget --design design.json --data original.csv --n 300 --ask 2 --together town vote",
    "plan --design design.json --half-width 0.1 --half-width vote=none --share vote=0.2 --n 300",
    "plan --design design.json --target-error 0.05 --attribute vote --value yes",
    "plan --design design.json --belief 0.6 --solve --data original.csv",
    "plan --design arms-design.json --allocate prevalence --attribute vote --share vote=0.2",
    "plan --design arms-design.json --allocate compliance --attribute vote --non-compliance 0.1",
    "measure --design arms-design.json --half-width 0.05",
    "trade-off --design design.json --attribute vote --limit 0.6 --half-width 0.05 --share 0.2",
    "trade-off --design design.json --attribute age --privacy epsilon --data original.csv --n 300",
    "trade-off --design design.json --attribute town --no-frontier --non-compliance 0.1",
    "optimise --design design.json --attribute vote --privacy belief --points 3 --n 500",
    "optimise --design design.json --attribute town --target 0.7 --data original.csv",
    "inspect original.csv --weight pay",
    "repeat original.csv --design design.json --attribute town --draws 10 --seed 4",
    "repeat original.csv --design design.json --attribute age --bins 6 --draws 5 --algorithm em",
    "accuracy-curve original.csv --sensitive vote --minimums 0.1,0.3 --learners tree --folds 2",
)
WRITING = (
    "publish original.csv --sensitive vote --out new.csv --seed 3 --folds 3 --min-deniability 0.2",
    "rehearse design.json --out tried.ppw --n 50 --seed 2 --strength strong --strength vote=none",
    "distort original.csv --design design.json --out copy.csv --seed 5",
    "bundle distorted.csv --design design.json --out release.zip --no-report",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    study = small_study(200).with_perturbations({"pay": Identity()})
    write_survey(tmp_path, study.original, study.design)
    arms = with_own_devices(start_arms(study), "B", {"vote": Uniform(keep=0.95)})
    write_design(arms.design, tmp_path / "arms-design.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    status = main(shlex.split(command))
    told = capsys.readouterr()
    assert status == 0, told.err
    return re.sub(r"[0-9.]+ seconds", "", told.out.replace("\u202f", " "))


@pytest.mark.parametrize("command", sweep(COMMANDS, quick=12))
def test_that_the_python_script_prints_what_the_command_prints(command, folder, capsys):
    expected = said(command, capsys)
    script = said(f"{command} --script python", capsys)
    exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})
    told = re.sub(r"[0-9.]+ seconds", "", capsys.readouterr().out)
    assert told == expected


@pytest.mark.parametrize("command", WRITING)
def test_that_the_script_of_a_command_that_writes_writes_the_same(command, folder, capsys):
    def made() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    before = made()
    script = said(f"{command} --script python", capsys)
    assert made() == before
    expected = said(command, capsys)
    by_command = made()
    # What is there already is in nobody's way where only a script is printed.
    assert said(f"{command} --script python", capsys) == script
    for name in set(by_command) - set(before):
        (folder / name).unlink()
    exec(compile(script, "script.py", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.replace("\u202f", " ") == expected
    by_script = made()
    assert set(by_script) == set(by_command)
    if "--seed" in command and "csv" in command:
        assert by_script == by_command


@pytest.mark.parametrize("command", WRITING)
@pytest.mark.parametrize("language", ["r", "stata"])
def test_that_other_languages_say_why_they_cannot_write_it(command, language, folder, capsys):
    told = said(f"{command} --script {language}", capsys)
    assert command.split()[1] in told
    assert "cannot give this result again; the Python script does." in " ".join(told.split())
    assert all(line[:1] in ("#", "*", "") for line in told.splitlines())


@pytest.mark.parametrize("command", sweep(COMMANDS, quick=6))
@pytest.mark.parametrize("language", ["r", "stata"])
def test_that_other_languages_have_a_script_or_a_reason(command, language, folder, capsys):
    script = said(f"{command} --script {language}", capsys)
    assert any(name in script for name in ("distorted.csv", "design.json", "original.csv"))
    works = {"r": "read.csv(", "stata": "import delimited"}[language] in script
    assert works != ("cannot give this result again" in script)


@pytest.mark.parametrize("command", ["share", "count"])
def test_that_a_script_says_only_what_differs_from_the_defaults(command, folder, capsys):
    argv = shlex.split(f"{command} {SURVEY} --where 'vote = yes' --script python")
    assert main(argv) == 0
    assert "pooling" not in capsys.readouterr().out
    assert main([*argv, "--pooling", "mean"]) == 0
    assert 'pooling="mean"' in capsys.readouterr().out


def test_that_a_script_is_part_of_the_json(folder, capsys):
    told = json.loads(said(f"{COMMANDS[0]} --script python --json", capsys))
    assert told["language"] == "python"
    assert "pp.Survey(" in told["script"]


@pytest.mark.parametrize(
    "command",
    [
        f"regress {SURVEY} --formula vote=yes~mood --csv out.csv",
        "budget --design design.json --total 5 --out out.csv",
        "inspect original.csv --design-out out.csv",
        "plan --design design.json --belief 0.6 --solve --out out.csv",
        "optimise --design design.json --attribute vote --target 0.7 --out out.csv",
    ],
)
def test_that_a_script_writes_no_file(command, folder, capsys):
    assert main(shlex.split(f"{command} --script python")) == 2
    assert "The option --script computes nothing" in capsys.readouterr().err
    assert not (folder / "out.csv").exists()


def test_that_the_gallery_needs_no_files_for_its_script(folder, capsys):
    assert "found = pp.gallery()" in said("gallery --script python", capsys)
