"""No command writes over what it reads, nor unasked over anything; a signal leaves no litter."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from examples import sweep
from patience import PATIENCE, until
from studies import make_study

from ppworkbench.cli.main import build_parser, main
from ppworkbench.cli.parser import InputPath, OutputPath
from ppworkbench.core.data.files import read_table, write_table
from ppworkbench.core.data.options import WriteOptions
from ppworkbench.core.design import Design, DesignedAttribute, Forced
from ppworkbench.core.design.design_file import design_to_json, write_design
from ppworkbench.study.files.study_file import save_study

ROOT = Path(__file__).resolve().parents[2]
PATHS = {"FILE", "DATA", "DISTORTED", "STUDY", "DIR", "DIR|FILE.zip", "PAGE.html", "FILE|URL"}
"""Metavariables that stand for files and folders."""
NO_PATHS = {
    "ENGINE",
    "NAME",
    "WORD",
    "N",
    "X",
    "TEXT",
    "VALUE",
    "CONDITION",
    "FORMULA",
    "VALUES",
    "DATE",
    "ADDR",
    "WxH",
    "COMMAND",
    "WIDTH",
    "C",
    "PATTERN",
    "GROUP",
    "M",
    "CODE",
    "TIME",
}

_DESIGN = "--design {design}"
WRITERS = {
    "inspect": ("inspect {data} --design-out {out}", ".json"),
    "distort": (f"distort {{data}} {_DESIGN} --out {{out}}", ".csv"),
    "publish": ("publish {data} --sensitive sex --out {out}", ".csv"),
    "publish tree": ("publish {data} --sensitive sex --out {new} --tree {out}", ".json"),
    "questionnaire": (f"questionnaire {_DESIGN} --texts {{texts}} --out {{out}}", ".html"),
    "questionnaire design": (
        f"questionnaire {_DESIGN} --out {{page}} --design-out {{out}}", ".json"
    ),
    "collect": (f"collect {{answers}} {_DESIGN} --out {{out}}", ".csv"),
    "questions convert": ("questions convert {asked} --out {out}", ".json"),
    "add": ("add {design} {answers} --state reported --out {out}", ".csv"),
    # It goes on until it is stopped: test_serve_command.py.
    "serve": ("serve {design} --db {db} --make-tokens 3 --tokens {out}", ".csv"),
    "rehearse": ("rehearse {design} --out {out}", ".ppw"),
    "report": (f"report {{study}} {_DESIGN} --out {{out}}", ".html"),
    "bundle": ("bundle {study} --out {out}", ".zip"),
    "optimise": (
        f"optimise {_DESIGN} --data {{data}} --attribute sex --target 1 --out {{out}}", ".json"
    ),
    "share": (f"share {{answers}} {_DESIGN} --where sex=M --save {{out}}", ".csv"),
    "regress": (f"regress {{answers}} {_DESIGN} --formula sex~1 --csv {{out}}", ".csv"),
    "regress latex": (f"regress {{answers}} {_DESIGN} --formula sex~1 --latex {{out}}", ".tex"),
    "plan": ("plan --design {die} --attribute sex --epsilon 1 --solve --out {out}", ".json"),
    "budget": ("budget --design {die} --total 1 --out {out}", ".json"),
    "devices": ("devices --design {die} --attribute sex --use die --out {out}", ".json"),
    "cards": ("cards --design {die} --out {out}", ".html"),
    "kit": ("kit {die} --targets redcap --out {out}", ".zip"),
    "gallery": ("gallery --out {out}", ".csv"),
    "guide": ("guide --out {out}", ".html"),
    "sample write": ("sample write weather {out}", ".csv"),
    "classify": (
        f"classify {{data}} {_DESIGN} --classifier tree --class sex --resume {{out}}", ".json"
    ),
}  # fmt: skip


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    """One file of every kind that is read, and names for new ones."""
    study = make_study(rows=60)
    places = {
        "data": tmp_path / "data.csv",
        "design": tmp_path / "design.json",
        "die": tmp_path / "die.json",
        "texts": tmp_path / "texts.json",
        "answers": tmp_path / "answers.csv",
        "study": tmp_path / "study.ppw",
        "asked": tmp_path / "asked.csv",
        "new": tmp_path / "new" / "new.csv",
        "page": tmp_path / "new" / "page.html",
    }
    (tmp_path / "new").mkdir()
    write_table(study.original, places["data"])
    design = design_to_json(study.design)
    write_table(study.original, places["answers"], WriteOptions(), design=design)
    write_design(study.design, places["design"])
    sex = DesignedAttribute(study.design["sex"].attribute, Forced(p_truth=2 / 3))
    write_design(Design((sex,)), places["die"])
    places["texts"].write_text(json.dumps({"questions": {}, "answers": {}}))
    places["asked"].write_text("name,text,answers\nsex,Sex?,female; male\n")
    save_study(study, places["study"])
    return places


def words(command: str, files: dict[str, Path], out: Path | str) -> list[str]:
    return [word.format(**files, out=out) for word in command.split()]


def held(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def leaves(parser: argparse.ArgumentParser, name: str = "") -> dict[str, argparse.ArgumentParser]:
    """Every command with its parser, filled as its help would be."""
    if getattr(parser, "_fill", None) is not None:
        parser._fill(parser, ["--classifier", "tree"])
        parser._fill = None
    parser._add_force()
    found = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                found |= leaves(below, f"{name} {word}".strip())
    return found or {name: parser}


def test_that_every_command_says_which_files_it_reads_and_writes():
    commands = leaves(build_parser())
    assert len(commands) > 20
    for name, parser in commands.items():
        for action in parser._actions:
            if action.metavar in PATHS:
                assert issubclass(action.type, InputPath | OutputPath), (name, action.dest)
            else:
                known = action.metavar is None or {*re.findall(r"\w+", action.metavar)} & NO_PATHS
                assert known or action.metavar[0] == "{" or "..." in action.metavar, action


def test_that_every_command_that_writes_can_be_told_to_replace():
    for name, parser in leaves(build_parser()).items():
        writes = [
            action for action in parser._actions
            if isinstance(action.type, type) and issubclass(action.type, OutputPath)
        ]  # fmt: skip
        forced = "--force" in parser._option_string_actions
        assert forced == bool([one for one in writes if not one.dest.endswith("resume")]), name
        # What saves the result of a question is declared once: the trial of "share" is that of all.
        own = [one for one in writes if one.dest != "save"]
        if own and not name.startswith("sample write"):
            assert any(name in (key, key.split()[0]) for key in WRITERS) or name == "tour", name


@pytest.mark.parametrize("force", sweep([["--force"], []], quick=1), ids=["forced", "unasked"])
@pytest.mark.parametrize(
    "name", [name for name in WRITERS if name not in ("guide", "sample write", "serve")]
)
def test_that_no_command_writes_over_what_it_reads(tmp_path, files, name, force, capsys):
    command, _ = WRITERS[name]
    if name == "classify":
        force = []
    for kind in ("data", "design", "texts", "answers", "study", "asked"):
        if f"{{{kind}}}" not in command:
            continue
        before = held(tmp_path)
        assert main([*words(command, files, files[kind]), *force]) != 0
        assert held(tmp_path) == before
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        # A table is not written under the name of a design at all.
        assert "is an input of this command" in said or "cannot be written" in said


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["unasked", "forced"])
@pytest.mark.parametrize("way", ["symbolic", "hard", "relative", "upper folder"])
def test_that_no_way_to_an_input_leads_around_it(tmp_path, files, way, force, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    other = tmp_path / "other.csv"
    if way == "symbolic":
        other.symlink_to(files["data"])
    elif way == "hard":
        other.hardlink_to(files["data"])
    out = {"relative": "data.csv", "upper folder": "new/../data.csv"}.get(way, "other.csv")
    before = held(tmp_path)
    assert main([*words(WRITERS["distort"][0], files, out), *force]) == 1
    assert held(tmp_path) == before
    assert "is an input of this command and would be lost" in capsys.readouterr().err


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["unasked", "forced"])
def test_that_the_codebook_of_an_input_is_an_input(tmp_path, files, force, capsys):
    codebook = tmp_path / "data.codebook.json"
    assert codebook.exists()
    before = held(tmp_path)
    assert main(["inspect", str(files["data"]), "--design-out", str(codebook), *force]) == 1
    # The codebook of data.csv would be written beside it.
    files["data"].rename(tmp_path / "data.csv.old")
    (tmp_path / "data.csv.old").rename(files["data"])
    assert held(tmp_path) == before
    assert "data.codebook.json is an input" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    # All write by the same means; whole reports and guides take long.
    sweep(
        [name for name in WRITERS if name not in ("classify", "serve")],
        quick=("inspect", "distort", "publish", "questionnaire", "rehearse", "regress", "kit"),
    ),
)
def test_that_what_exists_is_replaced_only_by_force(tmp_path, files, name, capsys):
    command, suffix = WRITERS[name]
    out = tmp_path / f"there{suffix}"
    out.write_text("precious")
    before = held(tmp_path)
    assert main(words(command, files, out)) == 1
    assert held(tmp_path) == before
    assert f"{out} exists;" in capsys.readouterr().err
    assert main([*words(command, files, out), "--force"]) == 0, capsys.readouterr().err
    assert out.read_bytes() != b"precious"
    after = held(tmp_path)
    assert {name: after[name] for name in before if name != out.name} == {
        name: kept for name, kept in before.items() if name != out.name
    }


@pytest.mark.parametrize("beside", ["there.codebook.json", "there.codebook.md"])
def test_that_a_codebook_in_the_way_is_not_replaced_unasked(tmp_path, files, beside, capsys):
    (tmp_path / beside).write_text("precious")
    arguments = words(WRITERS["distort"][0], files, tmp_path / "there.csv")
    assert main(arguments) == 1
    assert (tmp_path / beside).read_text() == "precious"
    assert not (tmp_path / "there.csv").exists()
    assert f"{beside} exists;" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0


def test_that_two_results_do_not_go_to_one_file(tmp_path, files, capsys):
    out = str(tmp_path / "both.csv")
    arguments = ["publish", str(files["data"]), "--sensitive", "sex", "--out", out, "--tree", out]
    assert main(arguments) == 2
    assert "Two results would be written" in capsys.readouterr().err
    assert not Path(out).exists()


def test_that_a_folder_of_somebody_is_not_filled_with_pictures(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("precious")
    assert main(["tour", "--out", str(tmp_path)]) == 1
    assert "exists;" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")
def test_that_only_files_are_replaced(tmp_path, files, capsys):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert main([*words(WRITERS["distort"][0], files, pipe), "--force"]) == 1
    assert pipe.is_fifo()
    assert "is a pipe, not a file" in capsys.readouterr().err


def test_that_what_is_read_may_be_written_once_the_command_is_over(tmp_path, files):
    assert main(words(WRITERS["distort"][0], files, files["new"])) == 0
    write_table(read_table(files["new"]), files["data"])


SLOW = """
import sys, time
from pathlib import Path
from ppworkbench.cli.main import main
from ppworkbench.core.design import release, shuffle
release._IN_MEMORY_BYTES, release._CHUNK_ROWS = 0, 600
take = shuffle._store
def slow(*given):
    take(*given)
    print("spools", flush=True)
    time.sleep(0.2)
shuffle._store = slow
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_that_rows_of_a_killed_command_are_removed_by_the_next(tmp_path, files):
    table = read_table(files["data"])
    write_table(table.take(list(range(60)) * 200), files["data"])
    spool = tmp_path / "spool"
    spool.mkdir()
    surroundings = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(spool)}
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW, *words(WRITERS["distort"][0], files, tmp_path / "out.csv")],
        env=surroundings, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "spools\n"
        [folder] = spool.iterdir()
        assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        child.kill()
        child.communicate()
    assert list(spool.iterdir()) == [folder]
    subprocess.run(
        [sys.executable, "-m", "ppworkbench", "sample", "list"],
        env=surroundings, check=True, capture_output=True, timeout=PATIENCE,
    )  # fmt: skip
    assert list(spool.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(
    "number",
    sweep([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], quick=1),
)
def test_that_a_signal_ends_a_command_without_litter_or_traceback(tmp_path, files, number):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("this run ignores the signal, as all do that nohup starts")
    table = read_table(files["data"])
    write_table(table.take(list(range(60)) * 200), files["data"])
    spool = tmp_path / "spool"
    spool.mkdir()
    before = held(tmp_path)
    child = subprocess.Popen(
        [sys.executable, "-c", SLOW, *words(WRITERS["distort"][0], files, tmp_path / "out.csv")],
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(spool)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "spools\n"
        assert list(spool.iterdir())
        child.send_signal(number)
        said = child.communicate(timeout=PATIENCE)[1]
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 128 + number
    assert said.startswith("ppworkbench: Stopped by ")
    assert said.count("\n") == 1
    assert held(tmp_path) == before
    assert list(spool.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_that_a_signal_ends_a_tour_whose_work_is_done_in_callbacks(tmp_path):
    spool = tmp_path / "spool"
    spool.mkdir()
    child = subprocess.Popen(
        [sys.executable, "-m", "ppworkbench", "tour", "--out", str(tmp_path / "tour")],
        env=os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(spool), "HOME": str(tmp_path)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        until(lambda: list((tmp_path / "tour").glob("*.png")))
        child.send_signal(signal.SIGTERM)
        said = child.communicate(timeout=PATIENCE)[1]
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 128 + signal.SIGTERM, said
    assert "Traceback" not in said
    assert list(spool.iterdir()) == []
    assert all(path.suffix == ".png" for path in (tmp_path / "tour").iterdir())
