"""How a bundle starts: as the program, or as a helper of itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from recipes import PACKAGING, ROOT, SPEC

import ppworkbench.__main__ as start
from ppworkbench.core.data.formats import readstat

RECIPE = SPEC.read_text(encoding="utf-8")


def test_that_a_bundle_is_asked_to_read_statistics_files_by_a_word_that_it_knows(load, monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(Path("/opt/it/ppworkbench-window.exe")))
    program, word, request = readstat._command("{}")
    assert (Path(program).name, request) == ("ppworkbench.exe", "{}")
    launch = load("launch")
    assert word == launch.READER
    assert (ROOT / launch.READER_FILE).samefile(readstat._PROGRAM)
    assert f'("{launch.READER_FILE}"' in RECIPE


def test_that_the_bundle_s_start_answers_as_the_reader(tmp_path):
    request = json.dumps({"path": str(tmp_path / "none.sav"), "kind": "sav", "encoding": None})
    command = [sys.executable, str(PACKAGING / "launch.py"), "--read-statistics-file", request]
    told = subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout
    answer, arrays = readstat._receive(told)
    assert "none.sav" in answer["message"]
    assert arrays == []


def test_that_the_bundle_s_start_runs_nothing_but_its_own_helpers(load):
    launch = load("launch")
    for words in (
        ["-c", "print(1)"],
        ["-c", "from joblib.externals.loky.backend.resource_tracker import main; main(1, 0); x()"],
        ["-m", "http.server"],
        ["--read-statistics-file"],
        ["tour", "--out", "x"],
        [],
    ):
        assert launch.helped(["ppworkbench", *words]) is False


def test_that_the_words_of_joblib_s_helpers_are_those_that_the_bundle_s_start_knows(load):
    from joblib.externals.loky.backend import popen_loky_posix, resource_tracker

    launch = load("launch")
    assert popen_loky_posix.__name__ == launch.WORKER
    source = Path(resource_tracker.__file__).read_text(encoding="utf-8")
    said = re.search(r"""f['"](from \{main.__module__\} import main; main\(.*\))['"]""", source)
    text = said[1].replace("{main.__module__}", resource_tracker.main.__module__)
    text = text.replace("{r}", "7").replace("{VERBOSE}", str(resource_tracker.VERBOSE))
    assert launch.TRACKER.fullmatch(text)[1] == "7"


def test_that_other_programs_get_the_libraries_of_the_system(load, monkeypatch):
    launch = load("launch")
    monkeypatch.setattr(sys, "_MEIPASS", "/opt/it", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/it")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/usr/mine")
    monkeypatch.setenv("DYLD_LIBRARY_PATH", "/opt/it")
    launch.leave_the_system_its_libraries()
    assert launch.os.environ["LD_LIBRARY_PATH"] == "/usr/mine"
    assert not {"LD_LIBRARY_PATH_ORIG", "DYLD_LIBRARY_PATH"} & launch.os.environ.keys()


def test_that_files_open_the_window_and_everything_else_is_a_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("study.ppw", "tour"):
        Path(name).touch()
    assert start.are_files(["study.ppw"])
    assert start.are_files([str(tmp_path / "study.ppw")])
    for words in (["tour"], ["inspect", "study.ppw"], ["none.ppw"], ["--version"], [str(tmp_path)]):
        assert not start.are_files(words)


@pytest.mark.parametrize(
    "given", [("gone.ppw",), ("study.ppw", "gone.json"), ("x" * 300 + ".ppw",)]
)
def test_that_a_file_that_is_not_there_is_named(tmp_path, monkeypatch, capsys, given):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.ppw").touch()
    assert start.main(given) == 2
    told = capsys.readouterr().err
    assert f"There is no file {given[-1][:80]} in" in told
    assert "COMMAND" not in told


def test_that_a_folder_with_a_part_opens_the_window_and_others_are_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("parts/0.PQ", "mine/_metadata.parquet", "mine/.part.parquet", "tour/0.csv"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).touch()
    assert start.are_files(["parts"])
    assert start.are_files(["s3://bucket/parts"])
    for name in ("mine", "tour"):
        # What begins with a dot or a line belongs to the program that writes the folder.
        assert not start.are_files([name])
